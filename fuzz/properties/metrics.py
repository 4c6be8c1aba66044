"""What holds for distances in place of edges? All pairs of values, with ratios of their own."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.check import check
from leaktight.policies import Metric


def places(draw: Draw) -> Any:
    """Different whole numbers on a line."""
    return sorted({draw.below(7) for _ in range(draw.integer(1, 5))})


@searched(values=places, ratio=lambda d: d.pick(("2", "3/2", "5/4", "3")))
def worst_cases(values: Any, ratio: str) -> None:
    """A mechanism that is private for a distance leaks more than is said, or is not private."""
    metric = Metric.from_function(values, lambda a, b: abs(a - b))
    found = lt.worst_case_leakage(metric, ratio=ratio)
    pairs = list(combinations(range(len(values)), 2))
    ratios = [Fraction(ratio) ** abs(values[i] - values[j]) for i, j in pairs]
    channel = found.mechanism
    assert isinstance(channel, lt.Channel)
    rows = direct.rows_of(channel)
    assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
    for (i, j), most in zip(pairs, ratios, strict=True):
        assert direct.level(rows, [(i, j)]) <= most
    assert direct.sum_of_maxima(rows) == found.lower <= found.upper
    [(_, lower, upper)] = check(found.certificate)
    assert (lower, upper) == (found.lower, found.upper)
    size = len(values)
    unit = [[Fraction(int(i == w)) for i in range(size)] for w in range(size)]
    true = direct.best_gain(size, pairs, ratios, unit)
    assert direct.near(found.upper, true)
    assert direct.near(found.lower, true)


@searched(
    points=lambda d: [[d.below(4), d.below(4)] for _ in range(d.integer(2, 4))],
    table=lambda d: drawn.table(d, 4, 3, drawn.WEIGHTS),
)
def levels_on_maps(points: Any, table: Any) -> None:
    """Two places are told apart by more than ε times their straight distance."""
    unique = list(dict.fromkeys(map(tuple, points)))
    rows = direct.normalised(table[: len(unique)])
    found = lt.privacy_level(direct.channel_of(rows, inputs=unique), Metric.euclidean(unique))
    for i, j in combinations(range(len(unique)), 2):
        squared = sum((a - b) ** 2 for a, b in zip(unique[i], unique[j], strict=True))
        told = direct.level(rows, [(i, j)])
        if told == float("inf"):
            assert found.epsilon == told
        elif found.epsilon != float("inf"):
            most = Fraction(found.epsilon) * Fraction(direct.LONG.sqrt(squared))
            assert direct.logarithm(Fraction(told)) <= most * (1 + Fraction(1, 10**300))


@searched(
    lengths=lambda d: [d.integer(1, 3) for _ in range(d.integer(1, 3))],
    ratio=lambda d: d.pick(("2", "3/2", "11/10")),
    star=lambda d: d.below(2),
)
def worst_cases_of_two_records(lengths: Any, ratio: str, star: int) -> None:
    """Two records with distances leak more than their bound, or their mechanism tells too much."""
    size, most = len(lengths) + 1, Fraction(ratio)
    roads = [(0 if star else j, j + 1, length) for j, length in enumerate(lengths)]
    found = lt.worst_case_leakage(lt.Policy(Metric.from_edges(size, roads), 2), ratio=ratio)
    edges = [(i * size + k, j * size + k) for i, j, _ in roads for k in range(size)]
    edges += [(k * size + i, k * size + j) for i, j, _ in roads for k in range(size)]
    ratios = [most**length for _, _, length in roads for _ in range(size)] * 2
    mechanism = found.mechanism
    assert not isinstance(mechanism, lt.Channel)
    written = mechanism.expand()
    at = {label: k for k, label in enumerate(written.inputs)}
    rows = direct.rows_of(written)
    for (i, j), allowed in zip(edges, ratios, strict=True):
        here, there = at[divmod(i, size)], at[divmod(j, size)]
        assert direct.level(rows, [(here, there)]) <= allowed
    assert found.lower <= direct.sum_of_maxima(rows)
    check(found.certificate)
    unit = [[Fraction(int(i == w)) for i in range(size**2)] for w in range(size**2)]
    true = direct.best_gain(size**2, edges, ratios, unit)
    assert float(found.lower) <= true * (1 + 1e-6)
    assert true <= float(found.upper) * (1 + 1e-6)
