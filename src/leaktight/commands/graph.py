"""``bound``, ``design`` and ``decide``: what any mechanism may leak, and which is best."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import (
    COUNT,
    GAIN,
    GRAPH,
    NUMBER,
    NUMBERS,
    PATH,
    Asked,
    certificate_option,
    json_option,
    named,
    prior_option,
    promise_options,
    read_aim,
    read_count,
    read_prior,
)
from leaktight.commands.output import (
    about_to_write,
    expect_different,
    print_json,
    print_proof,
    spinner,
)
from leaktight.limits import allowed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from leaktight.curves.promise import Promise
    from leaktight.curves.worst_case import CurveWorstCase
    from leaktight.exact.ratio import Ratio
    from leaktight.mechanisms.best import WorstCaseWithOutputs
    from leaktight.policies.constraint import Count
    from leaktight.policies.policy import Policy
    from leaktight.worst_case.optimum import WorstCase
    from leaktight.worst_case.under_counts import WorstCaseUnderCounts

records_option = click.option(
    "--records", type=COUNT, default=1, help="How many independent records there are."
)

graph_argument = click.argument(
    "graph",
    type=GRAPH,
    help="complete:6, line:4, cycle:7, threshold:10:2, grid:3x4, edges:a-b,b-c.",
)

MOST_COEFFICIENTS = 100
"""The most coefficients of a polynomial that a person writes down."""

MOST_DESIGNED = 400
"""The most values for which a mechanism is designed; more takes an hour."""


@click.command()
@click.argument(
    "secrets",
    type=GRAPH,
    help="complete:6, line:4, cycle:7, threshold:10:2, grid:3x4, edges:a-b,b-c; a study.",
)
@records_option
@promise_options
@click.option(
    "--count",
    "counts",
    multiple=True,
    help="A public count: flu=300, flu,cold=1..3, or flu=published. Again for others.",
)
@click.option("--outputs", type=COUNT, help="At most so many outputs, for bounds that ask for it.")
@certificate_option
@json_option
def bound(
    secrets: str,
    records: int,
    asked: Asked,
    counts: tuple[str, ...],
    outputs: int | None,
    certificate: Path | None,
    as_json: bool,
) -> int:
    """How much could any private mechanism leak?

    Exactly, and by the published bounds; for (ε, δ), ρ, μ or pairs of an accountant exactly where
    it is proved, else between two numbers. Distances, such as euclidean:4x4, haversine:places.csv
    or edges:a-b=2,b-c=1/2, take the place of a graph; real values, such as interval:0:100,
    box:0:1,0:2 or circle:24, have a closed form. ε is then for a distance of 1. A study has its
    own records, public counts and ε.

    \b
    Example:
      leaktight bound line:4 --records 100 --ratio 2
      leaktight bound complete:2 --records 200 --count 0=100 --ratio 2
      leaktight bound complete:6 --records 10 --epsilon 1 --delta 0.00001
      leaktight bound euclidean:4x4 --epsilon 0.5
      leaktight bound interval:0:100 --epsilon 0.1
    """
    from leaktight.curves.promise import curve_of, pure_of
    from leaktight.curves.worst_case import worst_case, worst_case_leakage
    from leaktight.exact.shown import wrapped
    from leaktight.policies.text import real_of
    from leaktight.worst_case.published import leakage_bounds

    if (reals := real_of(secrets)) is not None:
        if records > 1 or certificate is not None or counts or outputs is not None:
            raise click.BadParameter(
                "real values have no --records, --count, --outputs and --certificate here"
            )
        if (curve := curve_of(asked.promise())) is not None:
            return _bound_real(worst_case(reals, curve), as_json)
        return _bound_real(worst_case_leakage(reals, asked.ratio, asked.epsilon), as_json)
    policy, given = _bounded(secrets, records, counts, asked)
    about_to_write(certificate)
    pure = pure_of(given)
    few_outputs = ["worst case with so many outputs"] * (outputs is not None)
    parts = ["worst case", *["published bounds", *few_outputs] * (pure is not None)]
    with spinner(as_json, *parts) as progress:
        progress("worst case")
        worst: Any = worst_case(policy, given)
        alone: Any = worst if policy.records == 1 else None
        if policy.records > 1 and not policy.is_constrained and policy.values is None:
            alone = worst_case(policy.metric or policy.secrets, given)
        if pure is not None:
            progress("published bounds")
            table = leakage_bounds(policy, pure, outputs=outputs)
            few = None
            if outputs is not None:
                progress("worst case with so many outputs")
                few = _with_outputs(policy, outputs, pure)
        elif outputs is not None:
            raise click.BadParameter("--outputs is for the published bounds, which are of pure ε")
    if certificate is not None:
        from leaktight.worst_case.certificate import write_certificate

        write_certificate(worst, certificate)
    if as_json:
        from leaktight.studies.leakage import bounds_shown, worst_shown
        from leaktight.studies.schema import to_json

        one_record = None if alone is None else to_json(worst_shown("one record", alone))
        found = {
            "worst case": to_json(worst_shown("all records", worst)),
            "worst case of one record": one_record,
        }
        if pure is None:
            print_json({"policy": repr(policy), "promise": str(given)} | found)
            return 0
        print_json(
            {"policy": repr(policy), "ratio": str(worst.ratio)}
            | found
            | {
                "worst case with so many outputs": None if few is None else str(few.upper),
                "bounds": to_json(bounds_shown(table)),
                "not applicable": [str(one) for one in table.inapplicable],
            }
        )
        return 0
    kept = f"is private at the ratio {worst.ratio}" if pure else f"keeps {given}"
    print(wrapped(f"Any mechanism that {kept} leaks {_most(worst)}."))
    if alone is not None and policy.records > 1:
        print(wrapped(f"About one record, if the others are known, it leaks {_most(alone)}."))
    if pure:
        if few is not None:
            print(wrapped(f"With at most {outputs} outputs it leaks {_most_of_few(few)}."))
        print(f"\n{table}" + ("\n" if certificate is not None else ""))
    print_proof(certificate)
    return 0


def _with_outputs(policy: "Policy", most: int, ratio: "Ratio") -> "WorstCaseWithOutputs | None":
    """Return the worst case with so many outputs; None if there are too many sets of databases."""
    from leaktight.errors import TooLarge
    from leaktight.mechanisms.best import worst_case_with_outputs

    if policy.metric is not None:
        return None  # only graphs have it
    try:
        return worst_case_with_outputs(policy, most, ratio)
    except TooLarge:
        return None


def _bounded(
    secrets: str, records: int, counts: tuple[str, ...], asked: Asked
) -> "tuple[Policy, Promise]":
    """Return what must not be told apart, and how well: of a study, or of what was written."""
    from leaktight.policies.policy import Policy
    from leaktight.policies.text import apart_of

    if not secrets.endswith(".toml"):
        values = apart_of(secrets)
        public = [_count(text, Policy(values).secrets.vertices) for text in counts]
        return Policy(values, records, constraints=public), asked.promise()
    from leaktight.studies import read_study

    if records > 1 or counts:
        raise click.BadParameter("a study has its own records and public counts")
    study = read_study(Path(secrets))
    if not asked and study.promise is not None:
        return study.policy, study.promise
    return study.policy, asked.promise()


def _count(text: str, values: "Sequence[Hashable]") -> "Count":
    """Return a public count, such as flu=300, flu,cold=1..3 or flu=published."""
    from leaktight.policies.constraint import count

    named, equals, number = text.rpartition("=")
    known = {str(value): value for value in values}
    missing = [name for name in named.split(",") if name not in known]
    if not equals or missing:
        few = ", ".join(list(known)[:6]) + (", …" if len(known) > 6 else "")
        raise click.BadParameter(
            f"--count is VALUES=NUMBER with some of the values {few}, as in {next(iter(known))}=3, "
            f"got {text!r}"
        )
    counted = [known[name] for name in named.split(",")]
    if number == "published":
        return count(counted, published=True)
    least, several, most = number.partition("..")
    if not several:
        return count(counted, equals=read_count(least))
    return count(
        counted,
        at_least=read_count(least) if least else None,
        at_most=read_count(most) if most else None,
    )


def _bound_real(worst: Any, as_json: bool) -> int:
    """Print what is known about real values."""
    from leaktight.exact.shown import above, in_bits, shown_above, wrapped

    bits = in_bits(worst.bits, above)
    if as_json:
        ends = {"lower": str(worst.lower), "upper": str(worst.upper), "bits": worst.bits}
        print_json({"policy": repr(worst.policy), "formula": worst.formula} | ends)
    else:
        most = shown_above(worst.upper)
        how = "" if most.startswith("≈") else "= "
        told = (
            f"Any mechanism on {worst.policy!r} that is private for ε times the distance leaks "
            f"at most {bits}, and one attains it: {worst.formula} {how}{most}"
        )
        print(wrapped(told))
    return 0


def _most(worst: "WorstCase | WorstCaseUnderCounts | CurveWorstCase") -> str:
    """Say how much any mechanism leaks at worst."""
    from leaktight.curves.worst_case import CurveWorstCase
    from leaktight.exact.shown import above, below, equal_to, in_bits

    if isinstance(worst, CurveWorstCase):
        low, high = worst.bits_interval
        some = "" if worst.is_exact else f", and some at least {in_bits(low, below)}"
        exactly = "exactly" if worst.is_exact else "at most"
        return f"{exactly} {in_bits(high, above)} at worst ({worst.route}){some}"
    how = "exactly" if worst.is_exact else "at most"
    most = equal_to(worst.upper_factors.shown())
    return f"{how} {in_bits(worst.bits, above)} at worst: Σ max {most} ({worst.route})"


def _most_of_few(worst: "WorstCaseWithOutputs") -> str:
    """Say how much any mechanism with few outputs leaks at worst."""
    from leaktight.exact.shown import above, equal_to, in_bits, shown_above

    how = "exactly" if worst.is_exact else "at most"
    return (
        f"{how} {in_bits(worst.bits, above)} at worst: Σ max {equal_to(shown_above(worst.upper))}"
    )


@click.command()
@graph_argument
@click.option("--output", type=PATH, required=True, help="Write the mechanism, .csv or .json.")
@promise_options
@prior_option
@click.option("--gain", type=GAIN, default="guess", help="guess, distance, difference or squared.")
@certificate_option
@json_option
def design(
    graph: str,
    output: Path,
    asked: Asked,
    prior: str | None,
    gain: str,
    certificate: Path | None,
    as_json: bool,
) -> int:
    """Design the best private mechanism, with its proof.

    With distances, such as euclidean:4x4 or haversine:places.csv, ε is for a distance of 1. For
    (ε, δ), ρ, μ or pairs of an accountant it is proved that the mechanism keeps them.

    \b
    Example:
      leaktight design line:5 --epsilon 1 --gain distance --output best.csv \\
        --certificate best.json
      leaktight design complete:6 --mu 1 --output best.csv --certificate best.json
      leaktight design euclidean:4x4 --epsilon 1 --gain distance --output best.csv
    """
    from leaktight.channels.file import channel_suffix, write_channel
    from leaktight.errors import TooLarge
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_above
    from leaktight.exact.shown import above, shown
    from leaktight.mechanisms.best import optimal_mechanism
    from leaktight.policies.neighbours import metric_of
    from leaktight.policies.text import apart_of
    from leaktight.worst_case.certificate import write_certificate

    values = metric_of(apart_of(graph))
    channel_suffix(output)
    expect_different(("--output", output), ("--certificate", certificate))
    if values.order > allowed(MOST_DESIGNED):
        raise TooLarge(
            f"at most {allowed(MOST_DESIGNED)} values have a design, got {values.order:,}"
        )
    given = named(asked.promise())
    belief = read_prior(prior, values.values)
    about_to_write(output, certificate)
    with spinner(as_json) as progress:
        progress("best mechanism")
        best = optimal_mechanism(values, belief, read_aim(gain, values), **given)
    write_channel(best.channel, output)
    if certificate is not None:
        write_certificate(best, certificate)
    if as_json:
        print_json(
            {
                "utility": str(best.utility),
                "upper": str(best.upper),
                "gap": float_above(rational(best.gap)),
                "guarantee": str(best.guarantee),
                "mechanism": str(output),
                "certificate": None if certificate is None else str(certificate),
            }
        )
    else:
        value = best.aim.sign * best.utility
        within = (
            "" if best.is_optimal else f" to within {above(float_above(rational(best.gap)), 2)}"
        )
        print(f"expected {best.aim.word} {shown(value)}, proved the best{within}")
        print(f"{best.guarantee}\nmechanism: {output}")
        print_proof(certificate)
    return 0


@click.command()
@graph_argument
@click.argument("numerator", type=NUMBERS, help="Coefficients of r(λ) from the constant: 0,2")
@click.argument("denominator", type=NUMBERS, help="Coefficients of s(λ): 1,1")
@records_option
@click.option(
    "--ratio",
    type=NUMBER,
    help="Show a private channel that leaks r(λ)/s(λ) at this λ, such as 3/2.",
)
@json_option
def decide(
    graph: str,
    numerator: list[Fraction],
    denominator: list[Fraction],
    records: int,
    ratio: str | None,
    as_json: bool,
) -> int:
    """Decide whether r(λ)/s(λ) bounds what leaks at every ε.

    And whether some private mechanism leaks just as much at every ε. The exit code is 0 if it is a
    bound, 1 if not.

    \b
    Example:
      leaktight decide complete:2 0,2 1,1
      leaktight decide complete:2 0,0,4 1,2,1 --records 2
      leaktight decide complete:2 1,3 2,2 --ratio 3/2
    """
    from leaktight.errors import TooLarge
    from leaktight.policies.policy import Policy
    from leaktight.policies.text import graph_of
    from leaktight.worst_case.every_ratio import decide_bound

    most = max(len(numerator), len(denominator))
    if most > MOST_COEFFICIENTS:
        raise TooLarge(f"at most {MOST_COEFFICIENTS} coefficients, got {most:,}")
    with spinner(as_json) as progress:
        progress("worst case at every ε")
        decision = decide_bound(Policy(graph_of(graph), records), numerator, denominator)
        nowhere = None if ratio is None else decision.unreached_at(ratio)
        channel = None if ratio is None or nowhere else decision.channel(ratio)
    if as_json:
        print_json(
            {
                "bound": decision.is_bound,
                "reached": decision.is_reached,
                "tight": decision.is_tight,
                "counterexample": str(decision.counterexample) if decision.counterexample else None,
                "unreached": str(decision.unreached) if decision.unreached else None,
                "worst case": str(decision.function),
                "channel": None if channel is None else [list(map(str, r)) for r in channel.matrix],
            }
        )
    else:
        print(f"{decision}\nthe worst case is\n{decision.function}")
        if channel is not None:
            print(f"\nprivate at the ratio {ratio}, with this Σ max: {channel}")
        elif nowhere is not None:
            print(f"\nno such channel: {nowhere}")
    return 0 if decision else 1
