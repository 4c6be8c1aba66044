"""The fields of a ledger that OpenDP's registry of deployments asks for.

Those that leaktight knows are filled in; the others are for the curator, and are None.
"""

from fractions import Fraction
from typing import Any

from leaktight.tables.budget import lost_to_dict
from leaktight.tables.ledger import Ledger
from leaktight.tables.measure import PURE, measure_of
from leaktight.tables.statement import Statement

YET = None
"""What only the curator can say."""


def _noises(book: Ledger) -> str:
    """Name the noises that were used."""
    gaussian = {bool(entry.rho) for entry in book.entries()} or {False}
    names = {False: "two-sided geometric noise", True: "discrete Gaussian noise"}
    told = " and ".join(names[kind] for kind in sorted(gaussian))
    return told[:1].upper() + told[1:]


def registry_entry(statement: Statement) -> dict[str, Any]:
    """Return what the registry asks of a deployment, as far as a ledger knows it."""
    book = statement.ledger
    protection = book.protection
    spent = book.spent().largest
    pure, amount = measure_of(spent) is PURE, lost_to_dict(spent)
    named = {"epsilon": amount["epsilon"]}
    if not pure:
        named = {"rho": float(Fraction(amount["rho"])), **named, "delta": amount["delta"]}
    rows = protection.rows_per_person
    unit = "One record" if rows == 1 else f"One person with up to {rows} rows"
    public = (
        "The number of records, and the declared values."
        if protection.absent is None
        else "The declared values."
    )
    return {
        "status": "Draft",
        "deployment": {
            "product": {
                "name": YET,
                "data_curators": YET,
                "intended_use": YET,
                "data_product_type": "Summary statistics",
                "data_product_region": YET,
                "description": "; ".join(
                    f"{name}: {', '.join(queries)}" for name, _, queries, _, _ in statement.releases
                ),
                "publication_date": max((r[1][:10] for r in statement.releases), default=None),
                "data_product_sector": YET,
            },
            "dp_flavor": {
                "name": f"{'Pure' if pure else 'Zero-concentrated'} DP, for the secret pairs of a "
                "Blowfish policy",
                "input_metric": "Records that differ along a secret pair",
                "bound_on_input_distance": rows,
                "output_measure": "Max divergence" if pure else "Zero-concentrated divergence",
                "bound_on_output_distance": named["epsilon" if pure else "rho"],
                "data_domain": (
                    f"{protection.policy.records:,} records with one of "
                    f"{len(protection.values):,} declared values, "
                    f"{len(protection.pairs):,} pairs of which are secret"
                ),
                "unprotected_quantities": public,
            },
            "privacy_loss": {
                "privacy_unit": unit,
                "privacy_unit_description": (
                    f"{unit} changes, each value along one of the policy's secret pairs."
                ),
                "privacy_parameters": named,
                "privacy_parameters_description": (
                    f"The largest over secret pairs, over all releases; {statement.odds}."
                    if statement.odds is not None
                    else "The largest over secret pairs, over all releases."
                ),
            },
            "model": {
                "model_name": "Central",
                "actors": YET,
                "release_type": "Many releases" if len(statement.releases) > 1 else "One release",
                "data_source_type": YET,
                "access_type": "Non-interactive",
            },
            "accounting": {
                "composition": (
                    f"{'Ratios are multiplied' if pure else 'ρ is added up'} for each secret pair, "
                    f"exactly, over adaptively chosen releases; the budget is {book.budget.told()}."
                ),
                "post_processing": (
                    "Differences of cumulative counts, and a consistent table fitted by least "
                    "squares, from released numbers alone."
                ),
            },
            "implementation": {
                "pre_processing_eda_hyperparameter_tuning": YET,
                "mechanisms": (
                    f"{_noises(book)} on whole numbers, drawn exactly from the operating system's "
                    "random bits; no floating-point numbers are involved."
                ),
                "justification": YET,
            },
            "resources": {"sources": YET, "registry_authors": YET},
        },
    }
