"""What do the other measures say? Each by its definition, in fractions."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.leakage import bayes_security, max_case_leakage, pointwise_leakage
from leaktight.policies import HistogramQuery
from leaktight.privacy import breaching_ratio, noise_level, posterior_range
from leaktight.repetition import chernoff_information


def seen(draw: Draw) -> Any:
    """A channel and a prior on its inputs."""
    table = drawn.channel(draw, drawn.WEIGHTS + drawn.EXTREME)
    return [table, drawn.prior(draw, len(table))]


@searched(case=seen)
def after_one_output(case: Any) -> int:
    """One output tells more than the largest leakage of any, or of itself, says."""
    table, prior = case
    rows = direct.normalised(table)
    chances = [Fraction(p) / sum(map(Fraction, prior)) for p in prior]
    channel, belief = direct.channel_of(rows), [str(p) for p in chances]
    told, largest = {}, Fraction(0)
    for z, column in enumerate(zip(*rows, strict=True)):
        if whole := sum(p * k for p, k in zip(chances, column, strict=True)):
            told[z] = max(k / whole for p, k in zip(chances, column, strict=True) if p)
            largest = max(largest, *(p * k / whole for p, k in zip(chances, column, strict=True)))
    found = pointwise_leakage(channel, belief)
    assert {each.output: each.factor for each in found} == told
    assert [each.factor for each in found] == sorted(told.values(), reverse=True)
    assert max_case_leakage(channel, belief).after == largest
    return 2 + len(told)


@searched(
    table=lambda d: drawn.channel(d, drawn.WEIGHTS + drawn.EXTREME),
    share=lambda d: d.integer(1, 99),
)
def of_any_prior(table: Any, share: int) -> int:
    """Some prior makes a wrong guess rarer than is said, or moves a belief farther."""
    rows = direct.normalised(table)
    channel, p = direct.channel_of(rows), Fraction(share, 100)
    security = bayes_security(channel).value
    level = direct.level(rows, direct.all_pairs(len(rows)))
    checked = 0
    for i, j in direct.all_pairs(len(rows)):
        for a, b in product((i, j), repeat=2):
            if a == b:
                continue
            wrong = sum(min(p * x, (1 - p) * y) for x, y in zip(rows[a], rows[b], strict=True))
            assert wrong >= security * min(p, 1 - p)
            if level != math.inf:
                ends = posterior_range(f"{share}/100", ratio=level)
                for x, y in zip(rows[a], rows[b], strict=True):
                    after = p * x / (p * x + (1 - p) * y) if x or y else p
                    assert ends.lower <= after <= ends.upper
            checked += 2
    return checked


@searched(before=lambda d: d.integer(1, 98), after=lambda d: d.integer(1, 99))
def of_breaching_ratios(before: int, after: int) -> int:
    """A belief rises to the larger one below the ratio, or not at it."""
    ratio = breaching_ratio(f"{before}/100", f"{after}/100")
    at, under = (posterior_range(f"{before}/100", ratio=r) for r in (ratio, (1 + ratio) / 2))
    assert at.upper == Fraction(after, 100)
    assert under.upper < Fraction(after, 100)
    return 2


@searched(
    graph=lambda d: drawn.graph(d, 2, 4),
    ratio=lambda d: d.pick(("2", "3/2", "5", "1001/1000")),
    cells=lambda d: d.subset(4),
)
def of_noisy_histograms(graph: Any, ratio: str, cells: Any) -> None:
    """Noise on each cell of a histogram tells more than its level says."""
    chosen = tuple(v for v in cells if v < graph[0])
    policy = lt.Policy(direct.graph_of(graph), records=1000)
    found = noise_level(lt.GeometricNoise(ratio=ratio), policy, HistogramQuery(chosen)).ratio
    moved = [(a in chosen) + (b in chosen) for a, b in graph[1]]
    assert found == Fraction(ratio) ** max(moved, default=0)


@searched(table=lambda d: drawn.table(d, 2, d.integer(1, 4), drawn.WEIGHTS))
def of_rates(table: Any) -> int:
    """Two rows are told apart faster, or more slowly, than their Chernoff information says."""
    one, other = direct.normalised(table)
    found = chernoff_information([str(p) for p in one], [str(q) for q in other])
    best = -math.inf
    for step in range(1, 200):
        t = step / 200
        mean = sum(
            float(p) ** t * float(q) ** (1 - t) for p, q in zip(one, other, strict=True) if p and q
        )
        best = max(best, -math.log2(mean) if mean > 0 else math.inf)
    low, high = found.bits_interval
    assert high >= best - 1e-9
    assert low <= best + 0.01 * abs(best) + 1e-3 or best == math.inf
    return 2
