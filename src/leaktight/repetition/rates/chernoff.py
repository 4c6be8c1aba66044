"""Chernoff information: how fast repeated observations tell two distributions apart.

C(p, q) = −min over 0 ≤ s ≤ 1 of log2 g(s), where g(s) = Σ p(y)^s·q(y)^(1−s) over the outputs y
that are possible under both (equation 6 of [Boreale2012]_). After n observations the chance to
mistake one for the other falls like 2^(−nC).

g is a sum of exponentials, so it is convex, and a value and a slope at one s bound its minimum on
both sides. Floats propose s; ball arithmetic proves the bounds.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, ctx, fmpq

from leaktight.channels.distance import aligned
from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Bits
from leaktight.exact.numbers import Array, Number, natural_log, rational
from leaktight.exact.rounding import float_above, float_below, log2_interval, outward
from leaktight.exact.shown import shown

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class ChernoffInformation(Bits):
    """The Chernoff information of two distributions.

    The two are at most two floats apart. Both are infinite if no output is possible under both
    distributions. ``minimiser`` encloses an s at which the sum is least.
    """

    minimiser: tuple[float, float]


def chernoff_information(p: PriorLike, q: PriorLike) -> ChernoffInformation:
    """Return C(p, q), enclosed by floats that are rounded outward.

    Two distributions with labels are matched by label, others by position. Floats are taken as
    the exact numbers that they are, divided by their sum. C is symmetric and 0 only for equal
    distributions, but it does not satisfy the triangle inequality.

    >>> found = chernoff_information(["4/5", "1/5"], ["3/10", "7/10"])
    >>> found.lower, found.upper
    (0.21089951103924015, 0.21089951103924018)
    >>> chernoff_information([1, 0], ["1/2", "1/2"])
    ChernoffInformation(1 bit)
    >>> chernoff_information([1, 0], [0, 1]).lower
    inf
    """
    return certified(overlap(*(each.exact().array for each in aligned(p, q))))


def geometric_chernoff(c: Number, distance: int = 1) -> ChernoffInformation:
    """Return the Chernoff information of two geometric distributions on the integers.

    p_i(j) = (1−c)/(1+c)·c^|i−j|, as in Theorem 11 of [Boreale2012]_, for two i that are
    ``distance`` apart: d/2·log2(1/c) − log2(1 + d·(1−c)/(1+c)), which for d = 1 is the theorem's
    log2(1+c) − ½·log2(c) − 1. It is proved in docs/proofs/rates.md, with the reason why truncation
    to 0, …, N changes nothing.

    >>> round(geometric_chernoff("1/2").bits, 7)
    0.0849625
    >>> geometric_chernoff("1/2", distance=3).lower
    0.5
    """
    base = rational(c)
    if not 0 < base < 1:
        raise InvalidNumber(f"c must lie strictly between 0 and 1, got {shown(base)}")
    if not isinstance(distance, int) or distance < 0:
        raise InvalidNumber(f"a distance must be a whole number of at least 0, got {distance!r}")
    inside = 1 + distance * (1 - base) / (1 + base)
    lower, upper = outward(lambda: -arb(base).log_base(2) * distance / 2 - arb(inside).log_base(2))
    return ChernoffInformation(max(lower, 0.0), upper, (0.5, 0.5))


# --- the proof -----------------------------------------------------------------------------

Terms: TypeAlias = tuple[tuple[fmpq, fmpq], ...]
"""g(s) = Σ weight·ratio^s as pairs (ratio, weight), each ratio p/q once with all its weight q."""


def overlap(p: Array, q: Array) -> Terms:
    """Return the terms of g for exact p and q: outputs of equal likelihood ratio count as one."""
    weights: dict[tuple[int, int], fmpq] = {}
    for one, other in zip(p, q, strict=True):
        if one > 0 and other > 0:
            ratio = one / other
            key = int(ratio.p), int(ratio.q)  # integers are hashed much faster than fractions
            weights[key] = weights.get(key, 0) + other
    return tuple((fmpq(*key), weights[key]) for key in sorted(weights))


def certified(terms: Terms) -> ChernoffInformation:
    """Return an enclosure of −log2 min g(s) over 0 ≤ s ≤ 1."""
    if not terms:
        return ChernoffInformation(math.inf, math.inf, (0.0, 1.0))
    logs, weights = (np.array([[natural_log(pair[part]) for pair in terms]]) for part in (0, 1))
    start = float(propose(logs, weights)[0][0])
    minimiser = 0.0, 1.0

    def value() -> arb:
        nonlocal minimiser
        least, minimiser = _least(terms, start)
        return -least.log() / arb.const_log2()

    lower, upper = outward(value)
    if minimiser[0] == minimiser[1]:  # at an end, where g is rational
        s = int(minimiser[0])
        least = sum((weight * ratio**s for ratio, weight in terms), fmpq(0))
        lower, upper = log2_interval(1 / least)
    return ChernoffInformation(max(lower, 0.0), upper, minimiser)


def _least(terms: Terms, start: float) -> tuple[arb, tuple[float, float]]:
    """Return a ball around min g on [0, 1] and an enclosure of a minimiser, by Newton's method.

    If δ = 2·|g′(s)|/g″(s) is at most ln 2/R, R the largest |log ratio|, then g is least within δ of
    s and nowhere less than g(s) − |g′(s)|·δ (docs/proofs/rates.md, 7). The ball is not finite if
    the precision is too low.
    """
    balls = [(arb(ratio).log(), arb(weight)) for ratio, weight in terms]
    furthest = max(log.abs_upper() for log, _ in balls)
    bits = ctx.prec
    low, high, s = arb(0), arb(1), arb(start)
    for _ in range(4 * bits):
        value, slope, curvature = _moments(balls, s)
        if (s == 0 and slope >= 0) or (s == 1 and slope <= 0):
            return value, (float(s), float(s))
        reach = (2 * abs(slope) / curvature).upper()
        if reach * furthest < 0.5 and (slope.contains(0) or reach < arb(2) ** -(bits // 2)):
            near = float_below((s - reach).lower().fmpq()), float_above((s + reach).upper().fmpq())
            least = value.union(value - abs(slope) * reach)
            return least, (max(near[0], 0.0), min(near[1], 1.0))
        if slope.contains(0):
            break
        low, high = (low, s) if slope > 0 else (s, high)
        s = (s - slope / curvature).mid()
        if s <= 0 or s >= 1:
            s = arb(0) if s <= 0 else arb(1)
        elif not low < s < high:
            s = ((low + high) / 2).mid()
    return arb("nan"), (0.0, 1.0)


def _moments(balls: list[tuple[arb, arb]], s: arb) -> tuple[arb, arb, arb]:
    """Return g(s), g′(s) and g″(s)."""
    value = slope = curvature = arb(0)
    for log, weight in balls:
        term = weight * (s * log).exp()
        value += term
        term *= log
        slope += term
        curvature += term * log
    return value, slope, curvature


# --- the proposal --------------------------------------------------------------------------


def propose(logs: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return for each row of logarithms the s in [0, 1] where log g seems least, with log g, drop.

    ``logs`` are the logarithms of the ratios, ``weights`` those of their weights, −∞ for none.
    By convexity log g is nowhere in [0, 1] lower by more than ``drop`` than at s.
    """
    low, high = np.zeros(len(logs)), np.ones(len(logs))
    starts, stops = (_log_moments(logs, weights, end)[1] for end in (low, high))
    s = np.where(starts >= 0, 0.0, np.where(stops <= 0, 1.0, 0.5))
    inside = s == 0.5
    for _ in range(64):
        _, mean, variance = _log_moments(logs, weights, s)
        low, high = np.where(mean < 0, s, low), np.where(mean > 0, s, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = s - mean / variance
        newton = np.where((low <= newton) & (newton <= high), newton, (low + high) / 2)
        before, s = s, np.where(inside & (mean != 0), newton, s)
        if np.abs(s - before).max() <= 2.0**-30:  # the next step would be beyond the floats
            break
    value, mean, _ = _log_moments(logs, weights, s)
    # g(t) ≥ g(s) + g′(s)·(t − s), divided by g(s)
    fall = np.maximum(mean * s, mean * (s - 1))
    return s, value, -np.log1p(-np.minimum(fall, 1 - 2.0**-50))


def _log_moments(logs: Floats, weights: Floats, s: Floats) -> tuple[Floats, Floats, Floats]:
    """Return log g and its first two derivatives: the mean and variance of the logarithms."""
    exponents = weights + s[:, None] * logs
    top = exponents.max(axis=1)
    terms = np.exp(exponents - top[:, None])
    whole = terms.sum(axis=1)
    mean = (terms * logs).sum(axis=1) / whole
    variance = (terms * (logs - mean[:, None]) ** 2).sum(axis=1) / whole
    return top + np.log(whole), mean, variance
