"""A claim fails if what it shows does not come out: another program, a wrong function."""

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from leaktight.channels import Channel, Distribution, Loss, diagonal_form
from leaktight.channels.program import Chance
from leaktight.leakage import Capacity
from leaktight.mechanisms import RandomizedResponse
from leaktight.policies import Graph, Policy, SecretGraph
from leaktight.privacy import PrivacyLevel, average_breach_level, breach_level, privacy_level
from leaktight.repetition import (
    average_breach_rate,
    breach_probability_rate,
    error_rate,
    expected_loss,
    geometric_chernoff,
)
from leaktight.worst_case import worst_case_leakage
from leaktight_papers.alvim2011a import programs
from leaktight_papers.boreale2012 import rates
from leaktight_papers.claim import Unexpected, run
from leaktight_papers.evidence import scaled_cover
from leaktight_papers.ours.two_outputs import with_two_outputs
from leaktight_papers.register import REGISTER
from leaktight_papers.vt_plus import sharply_transitive_set

forwards = programs.timed


def backwards(typed: str, chance: Chance, password: str = programs.PASSWORD) -> str:
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


def steeper(neighbours: Any, ratio: Any) -> Any:
    """The worst case of less private channels."""
    return worst_case_leakage(neighbours, ratio * Fraction(101, 100))


def of_the_first_output(channel: Channel) -> Any:
    return breach_level(channel.merge(dict.fromkeys(channel.outputs[1:], 1)))


def from_the_l1_distance(channel: Channel) -> Any:
    level = average_breach_level(channel)
    return dataclasses.replace(level, factor=2 * Fraction(level.factor) - 1)


def halved(channel: Channel) -> Any:
    level = average_breach_level(channel)
    return dataclasses.replace(level, factor=(1 + Fraction(level.factor)) / 2)


def along_the_line(channel: Channel) -> Any:
    """If the rows were neighbours along a line, as Example 2 must mean, ε would be 1."""
    return privacy_level(Channel(channel.matrix), SecretGraph.line(4))


def of_the_easiest_pair(channel: Channel, subset: Any, prior: Any, ratio: Any) -> Any:
    hardest = breach_probability_rate(channel, subset, prior, ratio)
    easiest = average_breach_rate(channel)
    return dataclasses.replace(hardest, lower=easiest.lower, upper=easiest.upper)


def falling(channel: Channel, loss: Loss, n: int, guess: Any = "best") -> Any:
    """If equal rows changed the limit only, as footnote 4 says, the loss would still fall."""
    found = expected_loss(channel, loss, n=n, guess=guess)
    if guess != "best":
        return found
    more = Fraction(channel.row(0) == channel.row(2), 2**n)
    return dataclasses.replace(found, lower=found.lower + more, upper=found.upper + more)


def untruncated(c: Any, distance: int = 1) -> Any:
    """If truncation lost anything, as Corollary 1 says, the pairs of rows would differ."""
    found = geometric_chernoff(c, distance)
    return dataclasses.replace(found, lower=1.01 * found.lower, upper=1.01 * found.upper)


def timid(values: int, ratio: Fraction, records: int) -> Any:
    return RandomizedResponse(values, ratio=(1 + ratio) / 2, records=records)


def odd(diameter: int, ratio: Fraction) -> Fraction:
    """The formula of odd diameters, for all."""
    return with_two_outputs(diameter | 1, ratio)


REGULAR = SimpleNamespace(b=(3, 2), c=(1, 1))
NOTHING = Capacity(Fraction(1), Distribution.uniform(2))
DOUBLED = Capacity(Fraction(2), Distribution([1]))
SHARP = sharply_transitive_set(SecretGraph.cycle(5))
BARTHE = "barthe2011.comparison barthe2011.bit barthe2011.bounds"

WRONG: list[tuple[str, str, Any, str, str]] = [
    ("edwards2021.bounds", "worst_case_leakage", steeper, "E-T11", "the routes to the worst case"),
    ("edwards2021.bounds", "arrows", lambda graph: graph.explicit().arcs.tolist(), "E-T11-oneway",
     "3/2 must be above 14641/10000"),
    ("edwards2021.symmetry", "symmetrise", lambda channel, _: diagonal_form(channel), "E-L21",
     "the diagonal before and after must be"),
    ("ours.dual_bound", "scaled_cover", lambda *args: scaled_cover(*args) / 2, "E-T11-dual",
     "b·c < max c"),
    ("alvim2011b.leakage", "privacy_level", lambda *_: PrivacyLevel(Fraction(3), None), "A-D1",
     "the ratio of two randomised responses must be 2, got 3"),
    ("alvim2011b.leakage", "min_entropy_leakage", lambda *_: DOUBLED, "A-Cinf A-Fig2", "must be"),
    ("alvim2011b.few_outputs", "average_bound", lambda *_: Fraction(1), "A-P2",
     "must be at most 1"),
    ("alvim2011b.examples alvim2011b.utility", "best_utility", lambda *_: Fraction(4, 11),
     "A-T4 A-R1 A-R2 A-Ex2 A-Ex3", "must be"),
    (BARTHE, "privacy_level", lambda *_: PrivacyLevel(Fraction(3, 2), None),
     "B-D2 B-T2 B-L1 B-L3 B-L4 B-L5 B-L6 B-T3 B-T5", "must"),
    (BARTHE, "sum_of_maxima", lambda _: Fraction(2),
     "B-T1 B-L2 B-L3 B-L4 B-T3 B-C1 B-T5", "must"),
    ("barthe2011.bounds", "curves", lambda *_: (4.0, 3.0, 2.0, 1.0), "B-Fig2",
     "the curves at ε = .1 must be"),
    ("alvim2011a.programs", "timed", backwards, "Q-Ex1 Q-Tab1 Q-Fig3 Q-Tab2", "must be"),
    ("alvim2011a.programs", "dc_net", one_sided, "Q-Ex2 Q-Fig4 Q-Ex7 Q-Tab3", "must be"),
    ("alvim2011a.entropy", "shannon_entropy", lambda _: 1.5, "Q-Ex3 Q-D2 Q-P1", "must be"),
    ("alvim2011a.leakage", "min_capacity", lambda _: NOTHING, "Q-P3", "must be"),
    ("alvim2011a.graphs", "distance_regularity", lambda _: REGULAR, "Q-D8 Q-D9 Q-P4", "must be"),
    ("alvim2011a.bounds", "optimum", lambda graph, _: Fraction(graph.order), "Q-T1 Q-T2",
     "must be"),
    ("alvim2011a.utility", "best_utility", lambda _: Fraction(3, 8), "Q-T3 Q-T4", "must be"),
    ("alvim2011a.utility", "GraphExponential", lambda graph, **_: graph, "Q-(8)", "must be"),
    ("boreale2012.breaches", "breach_level", of_the_first_output, "W-T1", "level "),
    ("boreale2012.breaches", "average_breach_level", from_the_l1_distance, "W-T2",
     "l must be 1, got 2"),
    ("boreale2012.privacy", "independent_breach_level", along_the_line, "W-Ex2",
     "ratio 2, by hand"),
    ("boreale2012.rates", "breach_probability_rate", of_the_easiest_pair, "W-T7",
     "C must be 0.07611, got"),
    ("boreale2012.utility", "expected_loss", falling, "W-T9", "the best guess loses"),
    ("boreale2012.utility", "geometric_chernoff", untruncated, "W-C1", "truncated"),
    ("ours.open_problems", "worst_case_leakage", steeper, "O-1", "2 points: not"),
    ("ours.open_problems", "with_two_outputs", odd, "O-3", "3/2, by the formula 5/3"),
    ("ours.open_problems", "RandomizedResponse", timid, "O-4", "1 randomised responses have"),
    ("ours.open_problems", "average_breach_level", halved, "O-6", "Σ max"),
    ("ours.open_problems", "sharply_transitive_set", lambda _: SHARP, "O-10",
     "T(6) must not be VT+"),
]  # fmt: skip
"""Where a name is given another meaning, the claims that must notice, and what they say."""


@pytest.mark.parametrize(
    ("modules", "name", "wrong", "broken", "told"), WRONG, ids=[f"{w[0]} {w[1]}" for w in WRONG]
)
def test_a_claim_fails_if_something_is_wrong(
    modules: str, name: str, wrong: object, broken: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in modules.split():
        monkeypatch.setattr(f"leaktight_papers.{module}.{name}", wrong)
    for id in broken.split():
        outcome = run(REGISTER[id])
        assert not outcome.holds, id
        assert told in str(outcome.failure)


def test_definitions_2_and_3_fail_if_directions_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leaktight.policies.adjacency.AdjacencyGraph.one_way", ())
    assert run(REGISTER["E-D2"]).failure == "two routes differ"
    monkeypatch.setattr("leaktight.policies.adjacency.AdjacencyGraph.is_symmetric", True)
    assert run(REGISTER["E-D3"]).failure == "both ways it must have as many, got 2"


PARTS: list[tuple[str, str, str, str]] = [
    ("barthe2011.comparison", "min_capacity", "prior", "B-T1"),
    ("edwards2021.policies", "privacy_level", "witness", "E-D6"),
    ("edwards2021.policies", "privacy_level", "epsilon", "E-D6"),
    ("alvim2011a.utility", "utility", "remap", "Q-P5"),
    ("barthe2011.bounds", "decide_bound", "counterexample", "B-T6"),
    ("edwards2021.bounds", "worst_case_leakage", "bits", "E-Ex12"),
    ("boreale2012.rates", "average_breach_rate", "lower", "W-T8"),
    ("boreale2012.rates", "breach_probability_rate", "upper", "W-T7"),
    ("boreale2012.utility", "neighbour_rate_bound", "bits", "W-T10"),
    ("boreale2012.utility", "expected_loss", "upper", "W-Ex3"),
]
"""A part of an answer that is missing, and the claim that looks at it."""


@pytest.mark.parametrize(("module", "name", "part", "id"), PARTS)
def test_a_claim_looks_at_each_part_of_an_answer(
    module: str, name: str, part: str, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = f"leaktight_papers.{module}.{name}"
    function = getattr(import_module(f"leaktight_papers.{module}"), name)

    class Without:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def __getattr__(self, name: str) -> Any:
            return math.nan if name == part else getattr(self.answer, name)

        def __bool__(self) -> bool:
            return bool(self.answer)

    assert run(REGISTER[id]).holds
    monkeypatch.setattr(whole, lambda *args, **named: Without(function(*args, **named)))
    try:
        holds = run(REGISTER[id]).holds
    except Exception:  # whatever a wrong answer leads to is no evidence
        holds = False
    assert not holds


def test_the_guess_that_is_asked_for_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def best(*args: Any, guess: str = "best", **named: Any) -> Any:
        return expected_loss(*args, **named)

    monkeypatch.setattr("leaktight_papers.boreale2012.utility.expected_loss", best)
    assert "the likeliest guess loses" in str(run(REGISTER["W-T9"]).failure)


def test_definition_2_notices_what_explains_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    explain = Policy.explain_neighbours
    monkeypatch.setattr(Policy, "explain_neighbours", lambda self, d, e: explain(self, e, d))
    assert "the direction that is explained" in str(run(REGISTER["E-D2"]).failure)


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_rate_that_is_one_percent_off_is_not_confirmed(factor: float) -> None:
    wrong = rates._errors(rates.TWO, (250, 1000, 4000))
    rate = error_rate(rates.TWO)
    assert rates.confirmed(wrong, rate) > 0
    off = dataclasses.replace(rate, lower=factor * rate.lower, upper=factor * rate.upper)
    with pytest.raises(Unexpected, match="bits at n = "):
        rates.confirmed(wrong, off)
