"""All records at once: how often everything about everybody is guessed right.

For (ε, δ) and independent records, δ + (1 − δ) times the product of what is guessed of each under ε
(Theorem 10 of ``docs/proofs/curves.md``). For any curve and equal records all of whose values are
equally likely, a program with one number for each Hamming distance is exact.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from flint import fmpq, fmpz

from leaktight.channels.distribution import ProductDistribution
from leaktight.curves.certificate import claim_of_everyone, of_pairs, of_tangents
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import ONE, ZERO, Line, Polygon
from leaktight.errors import InvalidInput, expect
from leaktight.exact.bound import Chance
from leaktight.exact.linear_program import LinearProgram, solve_exact
from leaktight.exact.numbers import fraction

Factor: TypeAlias = tuple[list[fmpq], int]
"""The prior of a record, and how many have it."""

MOST_BITS = 2**10
"""The longest end that a certificate has as it is."""

MOST_RECORDS = 64
"""The most records of a program with one number for each distance."""

LINES = 24
"""With how many lines a smooth curve is drawn for that program."""


@dataclass(frozen=True, repr=False)
class AllRecords(Chance[Fraction]):
    """How likely all records are guessed right at once, at most."""

    _certificate: Callable[[], dict[str, Any]] = field(compare=False, repr=False)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """What ``check.py`` proves of both ends."""
        return self._certificate()


class Proof(NamedTuple):
    """One end of an answer, and what proves it."""

    end: fmpq
    by: dict[str, Any]


def all_records(curve: PrivacyCurve, records: ProductDistribution) -> AllRecords:
    """Return how often all records are guessed right at once, at most.

    Neighbours differ in the value of one record, and records are independent beforehand.

    >>> from leaktight.channels.distribution import Distribution, product_distribution
    >>> coin = Distribution.uniform(2)
    >>> curve = PrivacyCurve.epsilon_delta(ratio=3, delta="1/10")
    >>> all_records(curve, product_distribution(coin, coin))
    AllRecords(97/160)
    """
    expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    expect(records, ProductDistribution, "product_distribution(prior, prior, …) is one")
    if not curve.is_symmetric:
        raise InvalidInput("records are replaced here: give curve.symmetric()")
    drawn = curve.polygons(LINES)
    factors = [(list(one.exact().array), n) for one, n in records.factors]
    # Rényi divergences are more than the curve that follows: what keeps that may break them.
    low = (_within if curve.divergences else _lower)(drawn.lower, factors)
    high = _upper(drawn.upper, factors)

    def proved() -> dict[str, Any]:
        promise = of_pairs(drawn.lower.pairs, drawn.upper.pairs)
        orders = curve.divergences
        if orders is not None and (known := orders.lines(LINES)):
            lines = [(pair, known[pair]) for pair in drawn.upper.pairs]
            promise = orders.to_dict() | of_tangents(lines)
        ends = -_short(-low.end), _short(high.end)
        return claim_of_everyone(factors, promise=promise, ends=ends, proof=low.by | high.by)

    return AllRecords(fraction(low.end), fraction(high.end), proved)


def _short(end: fmpq) -> fmpq:
    """Return a number, rounded up if it has many digits."""
    if end.height_bits() <= MOST_BITS:
        return end
    unit = fmpz(1) << (MOST_BITS + end.q.bit_length() - end.p.bit_length())
    return fmpq((end * unit).ceil(), unit)


def _solved(polygon: Polygon, factors: Sequence[Factor]) -> tuple[Proof, Proof] | None:
    """Return both ends of equal records under a polygon, if they are few."""
    n = sum(times for _, times in factors)
    if _are_uniform(factors) and n <= MOST_RECORDS:
        return _by_distance(polygon, n, len(factors[0][0]))
    return None


def _are_uniform(factors: Sequence[Factor]) -> bool:
    """Say whether all records have the same values, two or more and all of them equally likely."""
    [(first, _), *_] = factors
    return len({tuple(c) for c, _ in factors}) == 1 == len(set(first)) < len(first)


def _upper(polygon: Polygon, factors: Sequence[Factor]) -> Proof:
    """Return the value of a polygon, or a bound on it."""
    bounds = [_one_pair(pair, factors) for pair in polygon.pairs]
    best = min(range(len(bounds)), key=bounds.__getitem__)
    found = Proof(bounds[best], {"pair": best})
    if len(bounds) == 1 or not _are_uniform(factors):
        return found
    if (both := _solved(polygon, factors)) is not None:
        return both[1]
    n = sum(times for _, times in factors)
    return min(found, _chain(polygon, n, len(factors[0][0])), key=lambda each: each.end)


def _lower(polygon: Polygon, factors: Sequence[Factor]) -> Proof:
    """Return the value of a polygon, or what some mechanism attains."""
    if len(polygon.pairs) == 1:
        return _by_pair(polygon.pairs[0], factors)
    both = _solved(polygon, factors)
    return _within(polygon, factors) if both is None else both[0]


def _by_pair(pair: Line, factors: Sequence[Factor]) -> Proof:
    """Return what keeps one pair."""
    return Proof(_one_pair(pair, factors), {"within": [str(pair[0]), str(pair[1])]})


def _within(polygon: Polygon, factors: Sequence[Factor]) -> Proof:
    """Publish all with the chance g(0), or answer each by the pure ratio within the curve.

    Two rows that are pure at a ratio are made of a pair of coins that is, by post-processing: so
    they keep every divergence that the coins keep.
    """
    told, apart = polygon.at(ZERO), polygon.delta(ONE)
    pairs = [(ONE, told), *[((1 + apart) / (1 - apart), ZERO)] * (apart < 1)]
    return max((_by_pair(pair, factors) for pair in pairs), key=lambda each: each.end)


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


def _chain(polygon: Polygon, n: int, v: int) -> Proof:
    """Return p_n of p₀ = 1, p_i = g((p_{i−1} − p_i)/(v − 1)), rounded up: a bound for any n.

    Below each line δ + λ·a of g, p is at most (δ·(v − 1) + λ·p_{i−1})/(v − 1 + λ).
    """
    found, unit = [ONE], fmpz(1) << 256
    for _ in range(n):
        most = min((d * (v - 1) + r * found[-1]) / (v - 1 + r) for r, d in polygon.pairs)
        found.append(fmpq((most * unit).ceil(), unit))
    return Proof(found[-1], {"chain": [str(each) for each in found[1:]]})


@lru_cache(maxsize=16)
def _by_distance(polygon: Polygon, n: int, v: int) -> tuple[Proof, Proof]:
    """Maximise k₀ over all K(y|x) = k_w that depend on the number w of wrong records alone.

    The variables are q_w = C(n, w)·(v − 1)^w·k_w, and what each pair exceeds at each distance.
    """
    pairs = polygon.pairs
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
    program = LinearProgram(
        [-ONE] + [ZERO] * (columns - 1), (rows, places, values), row_upper=limits
    )
    best = solve_exact(program).settled()
    steps = product(range(len(pairs)), range(n), (0, 1))
    multipliers = [[*step, str(-y)] for step, y in zip(steps, best.y, strict=False) if y]
    chances = [str(q / size) for q, size in zip(best.x[: n + 1], sizes, strict=True)]
    by = {"distances": chances}, {"multipliers": multipliers}
    return Proof(-best.value, by[0]), Proof(-best.value, by[1])
