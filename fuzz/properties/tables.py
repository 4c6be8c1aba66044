"""What does a release of a table cost? Every secret pair, number by number, in fractions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.exact.powers import Powers
from leaktight.tables import (
    Budget,
    TableQuery,
    count_of,
    cumulative,
    hierarchy,
    histogram,
    sum_of,
)
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.noise import GeometricStep
from leaktight.tables.odds import odds
from leaktight.tables.privacy_unit import PrivacyUnit


def question(draw: Draw) -> Any:
    """A query in a few words: its kind, its share, and weights for a sum."""
    kinds = ("plain", "ordered", "either", "cumulative", "count", "sum", "hierarchy")
    return [draw.pick(kinds), draw.integer(1, 2), [draw.integer(-2, 3) for _ in range(4)]]


def query_of(number: int, drawn_query: Any, size: int) -> TableQuery:
    """The query that was drawn, on values 0, 1, …"""
    kind, share, weights = drawn_query
    name = f"q{number}"
    some = [v for v in range(size) if weights[v] > 0] or [0]
    match kind:
        case "cumulative":
            return cumulative(name, share=share)
        case "count":
            return count_of(name, some, share=share)
        case "sum":
            return sum_of(name, {v: weights[v] for v in range(size)}, share=share)
        case "hierarchy":
            return hierarchy(name, share=share)
    ordered = {"plain": False, "ordered": True, "either": None}[kind]
    return histogram(name, ordered=ordered, share=share)


def told(noise: Noise, u: int, v: int) -> Any:
    """The ratio of two values, number by number; infinite if one without noise differs."""
    ratio = Fraction(1)
    size = len(noise.protection.values)
    for block in noise.blocks:
        one, other = (
            block.weights.answers(np.array([int(x == w) for x in range(size)])) for w in (u, v)
        )
        for a, b, own in zip(one, other, noise.of(block), strict=True):
            if a != b and own is None:
                return math.inf
            if isinstance(own, GeometricStep):
                ratio *= own.step ** abs(a - b)
    return ratio


@searched(
    graph=lambda d: drawn.graph(d, 1, 4),
    queries=lambda d: d.some(question, 1, 2),
    rows=lambda d: d.integer(1, 3),
    ratio=drawn.ratio,
)
def what_noise_keeps(graph: Any, queries: Any, rows: int, ratio: str) -> int:
    """Two values of one person are told apart by more than the ratio, or by a number as it is."""
    policy = lt.Policy(direct.graph_of(graph), records=5)
    asked = [query_of(k, query, graph[0]) for k, query in enumerate(queries)]
    noise = calibrated(PrivacyUnit(policy, None, rows), asked, lt.Ratio.of(ratio))
    most = max((told(noise, u, v) for u, v in graph[1]), default=Fraction(1)) ** rows
    assert most == noise.level.value <= Fraction(ratio)
    return 1 + len(graph[1])


@searched(
    graph=lambda d: drawn.graph(d, 1, 4),
    queries=lambda d: d.some(question, 1, 2),
    prior=lambda d: [d.integer(0, 5) for _ in range(4)],
    ratio=drawn.ratio,
    times=lambda d: d.integer(1, 3),
)
def what_is_known_of_one_person(
    graph: Any, queries: Any, prior: Any, ratio: str, times: int
) -> int:
    """Somebody who knows all others becomes surer of a value than the odds say."""
    size = graph[0]
    weights = [Fraction(part) for part in prior[:size]]
    if not any(weights):
        return 0
    belief = [part / sum(weights) for part in weights]
    policy = lt.Policy(direct.graph_of(graph), records=5)
    asked = [query_of(k, query, size) for k, query in enumerate(queries)]
    noise = calibrated(PrivacyUnit(policy), asked, lt.Ratio.of(ratio))
    most = Fraction(0)
    for v in range(size):
        ratios = [told(noise, u, v) for u in range(size)]
        kept = sum(p / r**times for p, r in zip(belief, ratios, strict=True) if r != math.inf)
        most = max(most, belief[v] / kept if belief[v] else Fraction(0))
    found = odds(noise.protection, times * [noise.paid], belief)
    assert found is not None
    if isinstance(found.after, float):  # long fractions are bounded
        assert most <= Fraction(found.after) <= most * (1 + Fraction(1, 10**12))
    else:
        assert found.after == most
    return size


@searched(
    epsilon=drawn.epsilon,
    spent=lambda d: d.some(lambda e: [drawn.ratio(e), e.integer(0, 5)], 1, 3),
)
def what_a_budget_allows(epsilon: str, spent: Any) -> int:
    """More is spent than the budget, or what is left is more than there is."""
    budget = Budget.of(epsilon=epsilon)
    powers = Powers.of(*((Fraction(base), times) for base, times in spent))
    used = Fraction(1)
    for base, times in spent:
        used *= Fraction(base) ** times
    low, high = direct.epsilon_bounds(epsilon)
    assert not budget.allows(powers) if used > high else budget.allows(powers) or used > low
    left = Fraction(budget.left(powers))
    assert left <= max(Fraction(0), direct.logarithm(high) - direct.logarithm(used)) + Fraction(
        1, 10**200
    )
    return 2
