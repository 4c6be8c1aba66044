"""Every claim of [Edwards2021]_, and of the dual bound behind it, holds as its verdict says."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from leaktight.channels.symmetrise import diagonal_form
from leaktight.papers.claim import Claim, Verdict, run
from leaktight.papers.edwards2021 import bounds as edwards_bounds
from leaktight.papers.edwards2021 import policies as edwards_policies
from leaktight.papers.edwards2021 import symmetry as edwards_symmetry
from leaktight.papers.evidence import both_ways
from leaktight.papers.ours import dual_bound
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.worst_case.columns import Cover
from leaktight.worst_case.optimum import worst_case_leakage

CLAIMS = (
    *edwards_policies.CLAIMS,
    *edwards_bounds.CLAIMS,
    *dual_bound.CLAIMS,
    *edwards_symmetry.CLAIMS,
)

REGISTER = """
E-D1 E-D2 E-D3 E-T4 E-Fig1 E-Ex5 E-D6 E-L7 E-R8 E-T9 E-T11 E-Fig2 E-Ex12 E-Fig3 E-Fig4 E-Ex13
E-Ex10 E-T14 E-T15 E-L16 E-L17 E-L18 E-L19 E-L20 E-L21 E-T22 E-R23 E-Ex24
E-T11-dual E-T11-gap E-T11-oneway E-T11-radtight D-instances D-radius D-normalised D-forms
"""

ERRATA = {
    1: {"E-D2", "E-D3"},
    2: {"E-T11", "E-T11-oneway"},
    3: {"E-T9", "E-T11"},
    4: {"E-D6"},
    5: {"E-L7"},
    6: {"E-T14"},
    7: {"E-T15"},
    8: {"E-L16", "E-L17", "E-L18", "E-L19"},
    9: {"E-D1", "E-Ex5", "E-D6"},
    10: {"E-Fig2"},
    11: {"E-R23", "E-Ex24"},
}


def named(id: str) -> Claim:
    [found] = [claim for claim in CLAIMS if claim.id == id]
    return found


def test_every_id_of_the_register_is_a_claim_once() -> None:
    assert sorted(claim.id for claim in CLAIMS) == sorted(REGISTER.split())


def test_every_erratum_is_with_the_claims_that_it_is_about() -> None:
    found: dict[int, set[str]] = {}
    for claim in CLAIMS:
        for erratum in claim.errata:
            found.setdefault(erratum.number, set()).add(claim.id)
    assert found == ERRATA


def test_a_claim_with_a_false_statement_is_corrected_or_false() -> None:
    for claim in CLAIMS:
        if any(erratum.kind == "false" for erratum in claim.errata):
            assert claim.verdict in {Verdict.CORRECTED, Verdict.FALSE}, claim.id


# --- claims can fail -----------------------------------------------------------------------


def test_theorem_11_fails_if_the_worst_case_is_overestimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def steeper(neighbours: Any, ratio: Any = None, epsilon: Any = None) -> Any:
        return worst_case_leakage(neighbours, 2 * Fraction(ratio))

    monkeypatch.setattr(edwards_bounds, "worst_case_leakage", steeper)
    failure = run(named("E-T11")).failure
    assert failure is not None
    assert "the routes to the worst case" in failure


def test_definitions_2_and_3_fail_if_directions_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AdjacencyGraph, "one_way", ())
    assert run(named("E-D2")).failure == "two routes differ"
    assert run(named("E-D3")).failure == "one way only: ()"


def test_lemma_21_fails_if_nothing_is_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        edwards_symmetry, "symmetrise", lambda channel, group: diagonal_form(channel)
    )
    outcome = run(named("E-L21"))
    assert not outcome.holds
    assert outcome.evidence == ()


def test_the_counterexample_to_one_direction_must_come_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A false claim fails if its counterexample does not come out: here with both directions."""

    def both(graph: Any) -> Any:
        explicit = graph.explicit()
        return both_ways(explicit), explicit

    monkeypatch.setattr(edwards_bounds, "_readings", both)
    assert named("E-T11-oneway").verdict is Verdict.FALSE
    failure = run(named("E-T11-oneway")).failure
    assert failure is not None
    assert failure.startswith("3/2 must be above 14641/10000")


def test_the_dual_bound_fails_on_weights_that_do_not_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    def halved(*args: Any) -> SimpleNamespace:
        return SimpleNamespace(bound=Cover.of(*args).bound / 2)

    monkeypatch.setattr(dual_bound, "Cover", SimpleNamespace(of=halved))
    failure = run(named("E-T11-dual")).failure
    assert failure is not None
    assert failure.startswith("b·c < max c")
