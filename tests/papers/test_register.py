"""Every claim of the register, run as ``leaktight reproduce`` runs it, and what must be there."""

from importlib import import_module
from pathlib import Path

import pytest

from leaktight.errors import InvalidInput
from leaktight_papers.claim import Claim, Verdict, run
from leaktight_papers.drawings import DRAWINGS
from leaktight_papers.figures import FIGURES, draw_figures
from leaktight_papers.register import REGISTER, SECTIONS, claims_named
from leaktight_papers.show import PROBLEMS, summary
from tests.papers.outcomes import outcome_of

PAPERS = {
    "Edwards2021": """
E-D1 E-D2 E-D3 E-T4 E-Fig1 E-Ex5 E-D6 E-L7 E-R8 E-T9 E-T11 E-Fig2 E-Ex12 E-Fig3 E-Fig4 E-Ex13
E-Ex10 E-T14 E-T15 E-L16 E-L17 E-L18 E-L19 E-L20 E-L21 E-T22 E-R23 E-Ex24 E-T11-oneway
E-hierarchy E-nonsecrets""",
    "Alvim2011b": """
A-D1 A-Cinf A-Fig1 A-Fig2 A-T1 A-P1 A-Fig3 A-Ex1 A-Fig4 A-P2 A-T2 A-D2 A-T3 A-T4 A-R1 A-R2
A-Ex2 A-Tab1 A-Ex3 A-Tab2 A-L1 A-L2 A-L3 A-L4 A-L5 A-converse A-participation A-priors""",
    "Barthe2011": """
B-D1 B-T1 B-D2 B-D3 B-T2 B-L1 B-L2 B-D4 B-L3 B-D5 B-L4 B-Fig1 B-L5 B-L6 B-T3 B-C1 B-T4 B-C2 B-C3
B-C4 B-Fig2 B-Fig3 B-T5 B-C5 B-T6 B-deterministic B-range""",
    "Alvim2011a": """
Q-Ex1 Q-Tab1 Q-Ex4 Q-Fig3 Q-Ex6 Q-Tab2 Q-Ex2 Q-Fig1 Q-D1 Q-Ex3 Q-Fig2 Q-D2 Q-P1 Q-D3 Q-D6 Q-D4
Q-Ex5 Q-Fig4 Q-Ex7 Q-Tab3 Q-D5 Q-P2 Q-P3 Q-D7 Q-D8 Q-D9 Q-P4 Q-T1 Q-T2 Q-Fig5 Q-P5 Q-T3 Q-T4
Q-Ex8 Q-Tab4 Q-(8) Q-sign""",
    "Boreale2012": """
W-D1 W-rate W-D2 W-R1 W-T1 W-Ex1 W-D3 W-T2 W-D4 W-T3 W-R2 W-T4 W-Ex2 W-T5 W-D5 W-P1 W-D6 W-T6
W-T7 W-D7 W-T8 W-Ex3 W-R3 W-T9 W-T10 W-T11 W-R4 W-C1""",
}
"""The items of each paper, as the register has them."""

OURS = """
E-T11-dual E-T11-gap E-T11-radtight D-instances D-radius D-normalised D-forms
O-1 O-2 O-3 O-4 O-5 O-6 O-7 O-8 O-9 O-10"""

ERRATA = {
    1: "E-D2 E-D3", 2: "E-T11 E-T11-oneway", 3: "E-T9 E-T11", 5: "E-L7", 6: "E-T14",
    7: "E-T15", 8: "E-L16 E-L17 E-L18 E-L19", 9: "E-Ex5 E-D6",
    12: "A-Cinf Q-P3", 13: "A-Cinf", 14: "A-P1", 15: "A-Ex1",
    17: "A-P2", 18: "A-P2 A-L3", 19: "A-T2", 20: "A-T3", 21: "A-T4", 22: "A-Ex3",
    23: "A-Ex2 A-Tab1 Q-Ex8 Q-Tab4", 24: "A-Ex2 Q-Ex8", 25: "A-T1 A-T3 A-L2", 26: "A-Fig2",
    27: "B-L1", 28: "B-L5 B-T3", 29: "B-C4", 30: "B-T6", 31: "B-D1 B-D3",
    33: "Q-P3", 34: "Q-P2 Q-P3", 35: "Q-D8", 36: "Q-D9", 37: "Q-(8)", 38: "Q-Ex3", 39: "W-Ex1",
    40: "W-Ex2", 42: "W-P1", 43: "W-D6 W-T6 W-D7 W-T8", 44: "W-T7", 45: "W-D7",
    46: "W-T10", 47: "W-C1", 48: "W-D6 W-T9", 49: "W-T9", 50: "Q-sign",
}  # fmt: skip
"""The claims that each erratum is about."""

KINDS = {"false", "gap", "typo", "improvable"}


@pytest.mark.parametrize("claim", claims_named(None), ids=lambda claim: claim.id)
def test_the_claim_comes_out_and_shows_why(claim: Claim) -> None:
    outcome = outcome_of(claim)
    assert outcome.failure is None
    assert 1 <= len(outcome.evidence) <= 5
    assert all(0 < len(line) < 100 for line in outcome.evidence)
    assert {erratum.kind for erratum in claim.errata} <= KINDS


def test_there_is_one_claim_for_each_item_of_the_papers_and_problem_of_ours() -> None:
    names = [f"leaktight_papers.{paper}.{one}" for paper, some in SECTIONS for one in some.split()]
    made = [x.id for name in names for x in vars(import_module(name)).values() if type(x) is Claim]
    expected = [id for ids in (*PAPERS.values(), OURS) for id in ids.split()]
    assert sorted(made) == sorted(expected) == sorted(REGISTER)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_claim_says_where_it_stands(paper: str) -> None:
    assert all(f" of [{paper}]" in REGISTER[id].source for id in PAPERS[paper].split())


def test_every_erratum_is_with_the_claims_that_it_is_about() -> None:
    found: dict[int, set[str]] = {}
    for claim in REGISTER.values():
        for erratum in claim.errata:
            found.setdefault(erratum.number, set()).add(claim.id)
    assert found == {number: set(ids.split()) for number, ids in ERRATA.items()}


def test_what_is_false_is_never_said_to_hold_as_printed() -> None:
    for claim in REGISTER.values():
        if any(erratum.kind == "false" for erratum in claim.errata):
            assert claim.verdict in {Verdict.CORRECTED, Verdict.FALSE}, claim.id
        if claim.verdict in {Verdict.CORRECTED, Verdict.FALSE}:
            assert claim.errata, claim.id
    false = {claim.id for claim in REGISTER.values() if claim.verdict is Verdict.FALSE}
    assert false == {"E-T11-oneway", "Q-(8)", "Q-sign"}


def test_every_drawing_is_drawn(tmp_path: Path) -> None:
    figures = {id for id in REGISTER if "-Fig" in id}
    assert figures == set(DRAWINGS) | set(FIGURES)
    assert len(figures) == 16
    drawn = draw_figures(tmp_path, REGISTER)
    assert {path.stem for path in drawn} == figures
    assert all(b"</svg>" in path.read_bytes() for path in drawn)


def test_only_what_is_asked_for_is_drawn(tmp_path: Path) -> None:
    assert [path.stem for path in draw_figures(tmp_path, ["E-T11", "B-Fig1"])] == ["B-Fig1"]
    with pytest.raises(InvalidInput, match="only claims that are figures"):
        draw_figures(tmp_path, ["E-T11"])


def test_an_open_problem_is_never_said_to_hold() -> None:
    problems = {claim.id for claim in REGISTER.values() if claim.verdict in PROBLEMS}
    assert problems == {id for id in OURS.split() if id.startswith("O-")}


def test_the_papers_claims_ours_and_open_problems_are_counted_apart() -> None:
    told = [run(REGISTER[id]) for id in ("A-priors", "Q-sign", "E-T11-dual", "O-7")]
    line = " ".join(summary(told).split())
    assert "2 of the papers (hold: 1, false: 1), 1 of ours (hold: 1)" in line
    assert "1 open in the papers (open: 1)" in line
