"""Every entry of the register's section on [Alvim2011a], as an executable claim."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from leaktight.channels.distribution import Distribution
from leaktight.channels.program import Chance
from leaktight.leakage.capacity import Capacity
from leaktight.papers.alvim2011a import bounds as fosad_bounds
from leaktight.papers.alvim2011a import entropy as fosad_entropy
from leaktight.papers.alvim2011a import graphs as fosad_graphs
from leaktight.papers.alvim2011a import leakage as fosad_leakage
from leaktight.papers.alvim2011a import programs as fosad_programs
from leaktight.papers.alvim2011a import utility as fosad_utility
from leaktight.papers.claim import Claim, Verdict, run
from leaktight.policies.graph import Graph
from leaktight.policies.symmetry import IntersectionArray

MODULES = (
    fosad_programs,
    fosad_entropy,
    fosad_leakage,
    fosad_graphs,
    fosad_bounds,
    fosad_utility,
)
CLAIMS: dict[str, Claim] = {claim.id: claim for module in MODULES for claim in module.CLAIMS}

REGISTER = """
    Q-Ex1 Q-Tab1 Q-Ex4 Q-Fig3 Q-Ex6 Q-Tab2 Q-Ex2 Q-Fig1 Q-D1 Q-Ex3 Q-Fig2 Q-D2 Q-P1 Q-D3 Q-D6 Q-D4
    Q-Ex5 Q-Fig4 Q-Ex7 Q-Tab3 Q-D5 Q-P2 Q-P3 Q-D7 Q-D8 Q-D9 Q-P4 Q-T1 Q-T2 Q-Fig5 Q-P5 Q-T3 Q-T4
    Q-Ex8 Q-Tab4
"""
"""The ids in the order of the register; its errata add (8), the sentence after Theorem 4."""


def test_every_entry_of_the_register_is_there_once() -> None:
    assert sorted(CLAIMS) == sorted([*REGISTER.split(), "Q-(8)"])
    assert sum(len(module.CLAIMS) for module in MODULES) == len(CLAIMS)
    assert all(claim.source.endswith("[Alvim2011a]") for claim in CLAIMS.values())


def test_every_erratum_of_the_notes_is_there() -> None:
    """Numbers 33 to 38, and 12, 23, 24, which the notes share with [Alvim2011b]."""
    found = {erratum.number for claim in CLAIMS.values() for erratum in claim.errata}
    assert found == {12, 23, 24, *range(33, 39)}
    false = [claim.id for claim in CLAIMS.values() if claim.verdict is Verdict.FALSE]
    assert false == ["Q-(8)"]


# --- they can fail -------------------------------------------------------------------------


forwards = fosad_programs.timed


def backwards(typed: str, chance: Chance, password: str = fosad_programs.PASSWORD) -> str:
    """A checker that begins with the last digit."""
    return forwards(typed[::-1], chance, password[::-1])


def one_sided(graph: Graph, zero: str = "1/2") -> Callable[[Any, Chance], tuple[int, ...]]:
    """A dc-net in which each coin is seen by one of its two nodes only."""

    def protocol(sending: tuple[object, int], chance: Chance) -> tuple[int, ...]:
        declared = [sending[1] if node == sending[0] else 0 for node in graph.vertices]
        for i, _ in graph.edges.tolist():
            declared[i] ^= int(not chance.flip(zero))
        return tuple(declared)

    return protocol


ALWAYS_REGULAR = IntersectionArray((3, 2), (1, 1))
NOTHING = Capacity(Fraction(1), Distribution.uniform(2))


@pytest.mark.parametrize(
    ("module", "name", "wrong", "broken"),
    [
        (fosad_programs, "timed", backwards, "Q-Ex1 Q-Tab1 Q-Fig3 Q-Tab2"),
        (fosad_programs, "dc_net", one_sided, "Q-Ex2 Q-Fig4 Q-Ex7 Q-Tab3"),
        (fosad_entropy, "shannon_entropy", lambda _: 1.5, "Q-Ex3 Q-D2 Q-P1"),
        (fosad_leakage, "min_capacity", lambda _: NOTHING, "Q-P3"),
        (fosad_graphs, "distance_regularity", lambda _: ALWAYS_REGULAR, "Q-D8 Q-D9 Q-P4"),
        (fosad_bounds, "optimum", lambda graph, _: Fraction(graph.order), "Q-T1 Q-T2"),
        (fosad_utility, "best_utility", lambda _: Fraction(3, 8), "Q-T3 Q-T4"),
        (fosad_utility, "GraphExponential", lambda graph, **_: graph, "Q-(8)"),
    ],
)
def test_a_claim_fails_if_something_is_wrong(
    module: Any, name: str, wrong: object, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program, or a function of the library that says too much, is found out."""
    monkeypatch.setattr(module, name, wrong)
    for id in broken.split():
        outcome = run(CLAIMS[id])
        assert not outcome.holds, id
        assert "must be" in str(outcome.failure)
