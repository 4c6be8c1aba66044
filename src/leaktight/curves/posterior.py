"""What anyone believes afterwards: how likely an output is that makes a belief large.

Once δ > 0 no posterior belief is bounded, and neither it is under Gaussian noise. What is true is
how rarely it becomes large: Theorems 11 and 12 of ``docs/proofs/curves.md``, exactly for one value.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import fmpq

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import ONE, ZERO, Polygon
from leaktight.curves.shapes import Shape
from leaktight.errors import InvalidDistribution, InvalidInput, InvalidNumber, expect, expect_whole
from leaktight.exact.bound import Chance
from leaktight.exact.numbers import Number, as_printed, fraction, rational, to_float
from leaktight.exact.shown import percent_above, percent_as_given
from leaktight.labels import listed_labels

STEPS = 40
"""To how many bits a belief is found, or a chance, if the curve is known so well."""


@dataclass(frozen=True, slots=True, repr=False)
class Belief(Chance[Fraction]):
    """With the chance ``sure`` over the output, a belief in ``prior`` stays at most ``upper``.

    No smaller belief than ``lower`` would do, for some mechanism that keeps the promise.
    """

    prior: Fraction
    sure: Fraction

    def __str__(self) -> str:
        return (
            f"with a chance of at least {percent_as_given(self.sure)} over the output, nobody "
            f"whose belief in this value was {percent_as_given(self.prior)} holds it with more "
            f"than {percent_above(self.upper)}"
        )


def belief_chance(curve: PrivacyCurve, prior: Number, reached: Number) -> Chance[Fraction]:
    """Return the largest chance that a belief in one value reaches ``reached``.

    The largest over all mechanisms that keep the promise for two hypotheses, or for all pairs of
    values: (1 − π)·a*/(1 − t), a* the largest a with g(a) ≥ l·a, l the rise of the odds.

    >>> belief_chance(PrivacyCurve.epsilon_delta(ratio=2, delta="1/100"), "1/2", "3/4")
    Chance(1/50)
    """
    _expect(curve)
    start, stop = (_inside(value) for value in (prior, reached))
    low, high = _chance(curve.shape, start, stop)
    return Chance(fraction(low), fraction(high))


def any_belief_chance(
    curve: PrivacyCurve,
    values: Iterable[Hashable] | int,
    prior: PriorLike = None,
    *,
    reached: Number,
) -> Chance[Fraction]:
    """Return a bound on the chance that the belief in some value reaches ``reached``.

    It is attained if the values are equally likely, and wherever no more than 1 is asked of a row.

    >>> any_belief_chance(PrivacyCurve.epsilon_delta(ratio=2, delta="1/100"), 4, reached="3/4")
    Chance(3/175)
    """
    _expect(curve)
    labels = listed_labels(values, "value", InvalidDistribution)
    chances = list(prior_on(prior, labels).exact().array)
    stop = _inside(reached)
    if stop <= max(chances):
        return Chance(Fraction(1), Fraction(1))
    low = high = ZERO
    far = list[fmpq]()
    rises = list[fmpq]()
    known = dict[fmpq, tuple[fmpq, fmpq]]()
    for start in (p for p in chances if p):
        rise = stop * (1 - start) / ((1 - stop) * start)
        if start not in known:
            known[start] = farthest(curve.shape, rise)
        ends = known[start]
        far.append(ends[0])
        rises.append(rise)
        low += (1 - start) * ends[0] / (1 - stop)
        high += (1 - start) * ends[1] / (1 - stop)
    total = sum(far, ZERO)
    uniform = len(set(chances)) == 1
    attained = uniform or all(r * a + total <= 1 for r, a in zip(rises, far, strict=True))
    if curve.divergences is not None:  # rows of three ratios may break what their curve keeps
        attained = False
    single = max((1 - p) * known[p][0] / (1 - stop) for p in known)
    return Chance(fraction(min(low if attained else single, ONE)), fraction(min(high, ONE)))


def belief_at(curve: PrivacyCurve, prior: Number, sure: Number, *, steps: int = 1) -> Belief:
    """Return how much is believed at most, but with a chance of 1 − ``sure``.

    :param curve: the promise about two neighbours.
    :param prior: what was believed of a value before.
    :param sure: with which chance over the output it is not exceeded.
    :param steps: how many neighbours the values are apart at most.

    >>> print(belief_at(PrivacyCurve.epsilon_delta(ratio=2, delta="1e-6"), "0.01", "0.999"))
    with a chance of at least 99.9% over the output, nobody whose belief in this value was 1% holds
    it with more than 2%
    """
    _expect(curve)
    start, kept = (_inside(value) for value in (prior, sure))
    steps = expect_whole(steps, "how many steps values are apart")
    if (grouped := curve.shape.grouped(steps)) is not None:
        curve, steps = PrivacyCurve(grouped, curve.says), 1
    low, high = _least(curve.shape, start, 1 - kept, steps)
    return Belief(fraction(low), fraction(high), fraction(start), fraction(kept))


def expected_belief(curve: PrivacyCurve, prior: Number) -> Chance[Fraction]:
    """Return how strong the belief in a value is on average at most, if it is the true one.

    The largest over all mechanisms that keep the promise for two hypotheses, or for all pairs of
    values: g(0) + ∫ π·g′²/(π·g′ + 1 − π).

    >>> expected_belief(PrivacyCurve.epsilon(ratio=3), "1/2")
    Chance(5/8)
    """
    _expect(curve)
    start, drawn = _inside(prior), curve.polygons()
    low, high = (_mean(polygon, start) for polygon in (drawn.lower, drawn.upper))
    if curve.divergences is not None:  # pairs of coins keep the divergences, longer rows may not
        low = max(_mean(Polygon.hull([corner]), start) for corner in drawn.lower.corners)
    return Chance(fraction(low), fraction(high))


def _mean(polygon: Polygon, start: fmpq) -> fmpq:
    """Return Σ p·(π·p)/(π·p + (1 − π)·q) over a pair of rows that a polygon belongs to."""
    rows = zip(*polygon.masses(), strict=True)
    return sum((start * p**2 / (start * p + (1 - start) * q) for p, q in rows), ZERO)


@lru_cache(maxsize=64)
def _least(shape: Shape, start: fmpq, rest: fmpq, steps: int) -> tuple[fmpq, fmpq]:
    """Return ends of the least belief t that is reached with a chance of at most η = 1 − sure.

    As g(a)/a falls, a* is less than a = η·(1 − t)/(1 − π) if g(a) < l·a = η·t/π, and more if it is
    above: g(a) falls with t, and η·t/π grows. Of some steps, g∘…∘g takes the place of g.
    """

    def over(t: fmpq, side: int) -> fmpq:
        reached = rest * (1 - t) / (1 - start)
        for _ in range(steps):
            reached = shape.detection(reached)[side]
        return reached - rest * t / start

    left, before = to_float(rest), to_float(start)

    def proposed(t: float) -> float:
        reached = left * (1 - t) / (1 - before)
        for _ in range(steps):
            reached = shape.near(reached)
        return reached - left * t / before

    near = rational(_crossing(proposed, before, 1.0))
    low, high = start, ONE
    for step in (fmpq(1, 2**k) for k in range(STEPS, 0, -4)):
        if high == 1 and near + step * near < 1 and over(near + step * near, 1) < 0:
            high = near + step * near
        if low == start and near - step * near > start and over(near - step * near, 0) > 0:
            low = near - step * near
    return low, max(high, start)


def _crossing(falls: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that falls is 0, nearly; an end if it has one sign."""
    from scipy.optimize import brentq

    if falls(low) <= 0:
        return low
    return (
        high if falls(high) >= 0 else float(brentq(falls, low, high, xtol=2.0**-60, rtol=2.0**-50))
    )


def _chance(shape: Shape, start: fmpq, stop: fmpq) -> tuple[fmpq, fmpq]:
    """Return ends of (1 − π)·a*/(1 − t); 1 if t is at most π."""
    if stop <= start:
        return ONE, ONE
    low, high = farthest(shape, stop * (1 - start) / ((1 - stop) * start))
    share = (1 - start) / (1 - stop)
    return min(low * share, ONE), min(high * share, ONE)


def farthest(shape: Shape, rise: fmpq) -> tuple[fmpq, fmpq]:
    """Return what encloses a*(l), the largest a with g(a) ≥ l·a, for l > 1."""
    if (both := shape.polygons) is not None:
        return both.lower.farthest(rise), both.upper.farthest(rise)

    def over(a: fmpq, side: int) -> fmpq:
        return shape.detection(a)[side] / a - rise

    last = math.log(to_float(1 / rise))
    at = _crossing(lambda x: to_float(over(rational(math.exp(x)), 1)), -700.0, last)
    near, low, high = rational(math.exp(at)), ZERO, 1 / rise
    for step in (fmpq(1, 2**k) for k in range(STEPS + 12, 0, -4)):
        if high == 1 / rise and near + step * near < high and over(near + step * near, 1) < 0:
            high = near + step * near
        if low == 0 and over(near - step * near, 0) >= 0:
            low = near - step * near
    return low, high


def _expect(curve: PrivacyCurve) -> None:
    if not expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one").is_symmetric:
        raise InvalidInput("two hypotheses have no direction: give curve.symmetric()")


def _inside(value: Number) -> fmpq:
    number = as_printed(value)
    if not 0 < number < 1:
        raise InvalidNumber(f"a belief must be above 0 and below 1, got {value}")
    return number
