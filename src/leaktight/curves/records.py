"""All records at once: how often is everything about everybody guessed right?

For (ε, δ) and independent records, δ + (1 − δ) times the product of what is guessed of each under ε
(Theorem 10 of ``docs/proofs/curves.md``). For any curve and equal records all of whose values are
equally likely, a program with one number for each Hamming distance is exact.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from flint import fmpq, fmpz

from leaktight.channels.distribution import ProductDistribution
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import ONE, ZERO, Line, Polygon
from leaktight.curves.renyi import Orders
from leaktight.errors import InvalidInput, expect
from leaktight.exact.bound import Chance
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import fraction

Factor: TypeAlias = tuple[list[fmpq], int]
"""The prior of a record, and how many have it."""

MOST_RECORDS = 64
"""The most records of a program with one number for each distance."""

LINES = 24
"""With how many lines a smooth curve is drawn for that program."""


def all_records(curve: PrivacyCurve, records: ProductDistribution) -> Chance[Fraction]:
    """Return how often all records are guessed right at once, at most.

    Neighbours differ in the value of one record, and records are independent beforehand.

    >>> from leaktight.channels.distribution import Distribution, product_distribution
    >>> coin = Distribution.uniform(2)
    >>> curve = PrivacyCurve.epsilon_delta(ratio=3, delta="1/10")
    >>> all_records(curve, product_distribution(coin, coin))
    Chance(97/160)
    """
    expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    expect(records, ProductDistribution, "product_distribution(prior, prior, …) is one")
    if not curve.is_symmetric:
        raise InvalidInput("records are replaced here: give curve.symmetric()")
    drawn = curve.polygons(LINES)
    factors = [(list(one.exact().array), n) for one, n in records.factors]
    # Rényi divergences are more than the curve that follows: what keeps that may break them.
    lowest = _within if isinstance(curve.shape, Orders) else _lower
    return Chance(fraction(lowest(drawn.lower, factors)), fraction(_upper(drawn.upper, factors)))


def _exactly(polygon: Polygon, factors: Sequence[Factor]) -> fmpq | None:
    """Return the value of a polygon, where it is known."""
    pairs = polygon.pairs
    if len(pairs) == 1:
        return _one_pair(pairs[0], factors)
    n = sum(times for _, times in factors)
    if _are_uniform(factors) and n <= MOST_RECORDS:
        return _by_distance(pairs, n, len(factors[0][0]))
    return None


def _are_uniform(factors: Sequence[Factor]) -> bool:
    """Say whether all records have the same number of values, all of them equally likely."""
    return len({tuple(c) for c, _ in factors}) == 1 == len(set(factors[0][0]))


def _upper(polygon: Polygon, factors: Sequence[Factor]) -> fmpq:
    """Return the value of a polygon, or a bound on it."""
    if (known := _exactly(polygon, factors)) is not None:
        return known
    bound = min(_one_pair(pair, factors) for pair in polygon.pairs)
    if not _are_uniform(factors):
        return bound
    n = sum(times for _, times in factors)
    return min(bound, _chain(polygon, n, len(factors[0][0])))


def _lower(polygon: Polygon, factors: Sequence[Factor]) -> fmpq:
    """Return the value of a polygon, or what some mechanism attains."""
    known = _exactly(polygon, factors)
    return _within(polygon, factors) if known is None else known


def _within(polygon: Polygon, factors: Sequence[Factor]) -> fmpq:
    """Publish all with the chance g(0), or answer each by the pure ratio within the curve.

    Two rows that are pure at a ratio are made of a pair of coins that is, by post-processing: so
    they keep every divergence that the coins keep.
    """
    told, apart = polygon.at(ZERO), polygon.delta(ONE)
    found = _one_pair((ONE, told), factors)
    return (
        found if apart == 1 else max(found, _one_pair(((1 + apart) / (1 - apart), ZERO), factors))
    )


def _one_pair(pair: Line, factors: Sequence[Factor]) -> fmpq:
    """Return δ + (1 − δ)·Π max_k λ·Π_k/(λ + k − 1)."""
    ratio, delta = pair
    whole = ONE
    for chances, times in factors:
        total, best = ZERO, ZERO
        for k, p in enumerate(sorted(chances, reverse=True)):
            total += p
            best = max(best, ratio * total / (ratio + k))
        whole *= best**times
    return delta + (1 - delta) * whole


def _chain(polygon: Polygon, n: int, v: int) -> fmpq:
    """Return p_n of p₀ = 1, p_i = g((p_{i−1} − p_i)/(v − 1)), rounded up: a bound for any n.

    Below each line δ + λ·a of g, p is at most (δ·(v − 1) + λ·p_{i−1})/(v − 1 + λ).
    """
    found, unit = ONE, fmpz(1) << 256
    for _ in range(n if v > 1 else 0):
        found = min((d * (v - 1) + r * found) / (v - 1 + r) for r, d in polygon.lines)
        found = fmpq((found * unit).ceil(), unit)
    return found


def _by_distance(pairs: Sequence[Line], n: int, v: int) -> fmpq:
    """Maximise k₀ over all K(y|x) = k_w that depend on the number w of wrong records alone.

    The variables are q_w = C(n, w)·(v − 1)^w·k_w, and what each pair exceeds at each distance.
    """
    sizes = [fmpq(math.comb(n, w) * (v - 1) ** w) for w in range(n + 1)]
    entries, limits = list[tuple[int, int, fmpq]](), list[fmpq]()
    columns = n + 1
    totals = list[tuple[list[int], fmpq]]()
    for ratio, delta in pairs:
        extra = list[int]()
        for w in range(n):
            each = fmpq(math.comb(n - 1, w) * (v - 1) ** w)
            for one, other in ((w, w + 1), (w + 1, w)):
                entries += [
                    (len(limits), one, each / sizes[one]),
                    (len(limits), other, -ratio * each / sizes[other]),
                    (len(limits), columns, -ONE),
                ]
                limits.append(ZERO)
                extra.append(columns)
                columns += 1
        totals.append((extra, delta))
    for extra, delta in totals:
        entries += [(len(limits), column, ONE) for column in extra]
        limits.append(delta)
    entries += [(len(limits), w, ONE) for w in range(n + 1)]
    limits.append(ONE)
    rows, places, values = zip(*entries, strict=True)
    best = solve_exact(
        LinearProgram([-ONE] + [ZERO] * (columns - 1), (rows, places, values), row_upper=limits)
    )
    assert isinstance(best, Optimum)
    return -best.value
