"""Every numbered item of [Alvim2011b], as an executable claim."""

from fractions import Fraction
from typing import Any

import pytest

from leaktight.channels.distribution import Distribution
from leaktight.leakage.capacity import Capacity
from leaktight.papers.alvim2011b import examples as tradeoff_examples
from leaktight.papers.alvim2011b import few_outputs as tradeoff_few_outputs
from leaktight.papers.alvim2011b import leakage as tradeoff_leakage
from leaktight.papers.alvim2011b import lemmas as tradeoff_lemmas
from leaktight.papers.alvim2011b import utility as tradeoff_utility
from leaktight.papers.claim import Verdict, run
from leaktight.privacy.level import PrivacyLevel

MODULES = (
    tradeoff_leakage,
    tradeoff_few_outputs,
    tradeoff_utility,
    tradeoff_examples,
    tradeoff_lemmas,
)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}

REGISTER = """
A-D1 A-Cinf A-Fig1 A-Fig2 A-T1 A-P1 A-Fig3 A-Ex1 A-Fig4 A-P2 A-T2 A-D2 A-T3 A-T4 A-R1 A-R2
A-Ex2 A-Tab1 A-Ex3 A-Tab2 A-L1 A-L2 A-L3 A-L4 A-L5
"""

ERRATA = {
    12: "A-Cinf", 13: "A-Cinf", 14: "A-P1", 15: "A-Ex1", 16: "A-P2", 17: "A-P2",
    18: "A-P2 A-L3", 19: "A-T2", 20: "A-T3", 21: "A-T4", 22: "A-R1 A-Ex3", 23: "A-Ex2 A-Tab1",
    24: "A-Ex2", 25: "A-T1 A-T3 A-L2", 26: "A-Fig2",
}  # fmt: skip


def test_there_is_a_claim_for_each_item_of_the_paper() -> None:
    assert sum(len(module.CLAIMS) for module in MODULES) == len(CLAIMS)
    assert sorted(CLAIMS) == sorted(REGISTER.split())


def test_every_erratum_stands_where_it_belongs() -> None:
    found: dict[int, set[str]] = {}
    for claim in CLAIMS.values():
        for erratum in claim.errata:
            found.setdefault(erratum.number, set()).add(claim.id)
    assert found == {number: set(ids.split()) for number, ids in ERRATA.items()}


def test_what_is_false_is_never_said_to_hold_as_printed() -> None:
    false = [c for c in CLAIMS.values() if any(e.kind == "false" for e in c.errata)]
    assert len(false) == 10
    assert all(c.verdict in (Verdict.CORRECTED, Verdict.FALSE) for c in false)


def test_a_wrong_ratio_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = PrivacyLevel(Fraction(3), None)
    monkeypatch.setattr(tradeoff_leakage, "privacy_level", lambda *_: wrong)
    outcome = run(CLAIMS["A-D1"])
    assert outcome.failure == "the ratio of two randomised responses must be 2, got 3"
    assert not outcome.evidence


def test_a_wrong_capacity_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Capacity(Fraction(2), Distribution([1]))
    monkeypatch.setattr(tradeoff_leakage, "min_entropy_leakage", lambda *_: wrong)
    assert not run(CLAIMS["A-Cinf"]).holds
    assert not run(CLAIMS["A-Fig2"]).holds


def test_a_bound_that_is_too_small_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tradeoff_few_outputs, "average_bound", lambda *_: Fraction(1))
    failure = run(CLAIMS["A-P2"]).failure
    assert failure is not None
    assert failure.startswith("our bound for (2, 2, 2) must be at least 3/2")


def test_a_mechanism_that_is_not_optimal_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def worse(*args: Any) -> Fraction:
        return Fraction(4, 11)

    monkeypatch.setattr(tradeoff_examples, "best_utility", worse)
    monkeypatch.setattr(tradeoff_utility, "best_utility", worse)
    for name in ("A-T4", "A-R1", "A-R2", "A-Ex2", "A-Ex3"):
        assert not run(CLAIMS[name]).holds
