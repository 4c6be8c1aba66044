"""Every numbered item of [Barthe2011], as an executable claim."""

from fractions import Fraction

import pytest

from leaktight.papers.barthe2011 import bit as barthe_bit
from leaktight.papers.barthe2011 import bounds as barthe_bounds
from leaktight.papers.barthe2011 import comparison as barthe
from leaktight.papers.claim import Verdict, run
from leaktight.privacy.level import PrivacyLevel

MODULES = (barthe, barthe_bit, barthe_bounds)
CLAIMS = {claim.id: claim for module in MODULES for claim in module.CLAIMS}

REGISTER = """
B-D1 B-T1 B-D2 B-D3 B-T2 B-L1 B-L2 B-D4 B-L3 B-D5 B-L4 B-Fig1 B-L5 B-L6 B-T3 B-C1 B-T4 B-C2 B-C3
B-C4 B-Fig2 B-Fig3 B-T5 B-C5 B-T6
"""

ERRATA = {
    27: "B-L1", 28: "B-L5 B-L6 B-T3", 29: "B-C4", 30: "B-T6", 31: "B-D1 B-D3", 32: "B-Fig3",
}  # fmt: skip


def test_there_is_a_claim_for_each_item_of_the_paper() -> None:
    assert list(CLAIMS) == REGISTER.split()


def test_every_erratum_stands_where_it_belongs() -> None:
    found: dict[int, set[str]] = {}
    for claim in CLAIMS.values():
        for erratum in claim.errata:
            found.setdefault(erratum.number, set()).add(claim.id)
    assert found == {number: set(ids.split()) for number, ids in ERRATA.items()}


def test_what_is_false_is_never_said_to_hold_as_printed() -> None:
    false = [c for c in CLAIMS.values() if any(e.kind == "false" for e in c.errata)]
    assert {c.id for c in false} == {"B-L1", "B-L5", "B-L6", "B-T6"}
    assert all(c.verdict in (Verdict.CORRECTED, Verdict.FALSE) for c in false)


def test_a_wrong_ratio_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = PrivacyLevel(Fraction(3, 2), None)
    for module in MODULES:
        monkeypatch.setattr(module, "privacy_level", lambda *_: wrong)
    for name in ("B-D2", "B-T2", "B-L1", "B-L3", "B-L4", "B-L5", "B-L6", "B-T3", "B-T5"):
        assert not run(CLAIMS[name]).holds


def test_a_wrong_sum_of_maxima_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in MODULES:
        monkeypatch.setattr(module, "sum_of_maxima", lambda _: Fraction(2))
    for name in ("B-T1", "B-L2", "B-L3", "B-L4", "B-T3", "B-C1", "B-T5"):
        assert not run(CLAIMS[name]).holds


def test_a_curve_that_is_off_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(barthe_bounds, "curves", lambda *_: (4.0, 3.0, 2.0, 1.0))
    failure = run(CLAIMS["B-Fig2"]).failure
    assert failure is not None
    assert failure.startswith("the curves at ε = .1 must be")
