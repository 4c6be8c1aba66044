"""Rate-distortion: the fewest bits with which the expected loss is small enough.

Shannon's rate–distortion function: the least mutual information of a channel whose outputs are
guesses with an expected loss of at most D. Where ``least_leaking`` looks at an attacker's guess,
this looks at bits. With S(x) = Σ_z q(z)·e^(−s·d(x,z)), for every slope s ≥ 0 and all weights q of
the guesses ([Blahut1972]_), in nats

    R(D) ≥ −s·D − Σ_x π(x)·ln S(x) − ln max_z Σ_x π(x)·e^(−s·d(x,z))/S(x),

and any channel of loss D gives an upper bound. Floating point proposes s, q and the
channel, whose loss is then made to be exactly as asked; both bounds have every rounding accounted
for.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.gain import Loss
from leaktight.errors import InvalidGain, InvalidNumber, TooLarge
from leaktight.exact.bound import Bits
from leaktight.exact.concave import maximise
from leaktight.exact.numbers import (
    Array,
    Number,
    exact_array,
    float_array,
    fraction,
    kept_floats,
    rational,
    to_float,
)
from leaktight.exact.rounding import float_below, precision
from leaktight.exact.shown import shown
from leaktight.exact.tolerances import TOLERANCES
from leaktight.leakage.entropy import EntropyLeakage, mutual_information, shannon_leakage
from leaktight.limits import allowed

MOST_ENTRIES = 2**16
"""The most inputs times guesses for which it is solved."""

MOST_SLOPES = 60
"""How many slopes are tried; ten are usually enough."""


@dataclass(frozen=True, slots=True, repr=False)
class RateDistortion(Bits):
    """The least information at a loss.

    ``channel`` has an expected ``loss``, exactly, and tells at most ``upper`` bits.
    """

    channel: Channel
    loss: Fraction

    def __str__(self) -> str:
        return f"{self.text} at a loss of {shown(self.loss)}"


def rate_distortion(prior: PriorLike, loss: Loss, most: Number) -> RateDistortion:
    """Return the channel that tells fewest bits of those whose expected loss is at most ``most``.

    >>> bit = Distribution.uniform([0, 1])
    >>> least = rate_distortion(bit, Loss.zero_one([0, 1]), "1/4")  # 1 − H(1/4) bits
    >>> round(least.upper, 9), least.loss, least.upper - least.lower < 1e-8
    (0.188721876, Fraction(1, 4), True)
    """
    if not isinstance(loss, Loss):
        raise InvalidGain(f"expected a Loss, got {loss!r:.60}; Loss(rows) makes one")
    if loss.matrix.size > allowed(MOST_ENTRIES):
        raise TooLarge(
            f"a least rate is found for at most {allowed(MOST_ENTRIES):,} inputs times guesses, "
            f"got {len(loss.inputs):,} × {len(loss.guesses):,}"
        )
    losses = exact_array(loss.matrix).T
    task = _Task(prior_on(prior, loss.inputs).exact(), losses - losses.min(axis=1)[:, None])
    kept_floats(task.excess)  # floats look for the channel
    least = (task.prior.array * losses.min(axis=1)).sum()
    room = rational(most) - least
    if room < 0:
        raise InvalidNumber(
            f"an expected loss of {shown(room + least)} cannot be, as it is {shown(least)} at best"
        )
    useful, useless = task.at(math.inf), task.constant()
    if room >= task.loss(useless.matrix):
        matrix, lower = useless.matrix, 0.0
    else:
        point, matrix = _mixed(task, room, useful, useless)
        lower = max(task.proved(point, room), 0.0)
    used = np.flatnonzero(matrix.any(axis=0))
    channel = Channel(matrix[:, used], loss.inputs, [loss.guesses[z] for z in used])
    told = shannon_leakage(channel, task.prior)
    assert isinstance(told, EntropyLeakage), "exact channels have proved ends"
    return RateDistortion(lower, told.upper, channel, fraction(task.loss(matrix) + least))


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """A channel whose guesses have weights q(z)·e^(−s·d(x,z)), its loss, and its rate in nats."""

    slope: float
    weights: Array
    matrix: Array
    loss: float
    rate: float

    def tangent(self, room: float) -> float:
        """What the rate at another loss is at least, if the weights are the best."""
        return self.rate + (self.slope * (self.loss - room) if self.loss != room else 0.0)


def _mixed(task: "_Task", room: fmpq, useful: _Point, useless: _Point) -> tuple[_Point, Array]:
    """Return the point that proves most, and a mixture of two channels with just that loss.

    The rate is convex in the loss. So it is below the chord of two points, and above the tangent at
    one whose slope is the chord's. Slopes between those of the two sides are tried in turn with it.
    """
    wanted = to_float(room)
    left, right = useful, useless
    best = max(left, right, key=lambda point: point.tangent(wanted))
    for turn in range(MOST_SLOPES):
        slope = (left.rate - right.rate) / (right.loss - left.loss)
        if turn % 2 and right.slope > 0 and left.slope < math.inf:
            slope = math.sqrt(left.slope * right.slope)
        if not 0 < slope < math.inf:
            break
        point = task.at(slope)
        best = max(best, point, key=lambda point: point.tangent(wanted))
        if point.loss in (left.loss, right.loss):
            break
        left, right = (point, right) if point.loss <= wanted else (left, point)
        share = (wanted - left.loss) / (right.loss - left.loss)
        chord = left.rate + share * (right.rate - left.rate)
        if not (0 <= share <= 1 and chord - best.tangent(wanted) > TOLERANCES.capacity_gap / 4):
            break
    one, other = _exactly(left.matrix), _exactly(right.matrix)
    if task.loss(one) > room:  # by rounding
        one = _exactly(useful.matrix)
    if task.loss(other) <= room:
        other = useless.matrix
    low, high = task.loss(one), task.loss(other)
    return best, one + (other - one) * ((room - low) / (high - low))


def _exactly(matrix: Array) -> Array:
    """Return a channel near a floating-point one, its entries multiples of 2^-52; 0 stays 0."""
    whole = 2**52
    counts = np.rint(float_array(matrix) * whole).astype(np.int64)
    counts[np.arange(len(counts)), counts.argmax(axis=1)] += whole - counts.sum(axis=1)
    return exact_array(fmpq(count, whole) for count in counts.ravel().tolist()).reshape(
        matrix.shape
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """The prior, and by how much each guess (columns) loses more than the best for each input."""

    prior: Distribution
    excess: Array

    def loss(self, matrix: Array) -> fmpq:
        """The expected loss of an exact channel beyond the least."""
        return (self.prior.array[:, None] * matrix * self.excess).sum()

    def at(self, slope: float) -> _Point:
        """The best channel for a slope; for an infinite one, with the least loss of all."""
        prior, excess = self.prior.float(), float_array(self.excess)
        best = self.excess == 0
        powers = np.where(best, 1.0, np.exp(-slope * np.where(best, 1.0, excess)))
        with np.errstate(all="ignore"):  # what is not finite ends the search
            weights = maximise(
                np.zeros(powers.shape[1]),
                powers.T,
                lambda sums: prior.array / sums,
                lambda sums: -prior.array / sums**2,
                TOLERANCES.solver,
            )
        matrix = powers * weights
        matrix /= matrix.sum(axis=1, keepdims=True)
        return self._point(
            slope, weights, matrix, float(prior.array @ (matrix * excess).sum(axis=1))
        )

    def constant(self) -> _Point:
        """The best guess that looks at nothing."""
        weights = (self.prior.array[:, None] * self.excess).sum(axis=0)
        matrix = np.full(self.excess.shape, fmpq(0))
        matrix[:, int(weights.argmin())] = fmpq(1)
        one = float_array(matrix[0])
        return self._point(0.0, one, matrix, to_float(weights.min()))

    def _point(self, slope: float, weights: Array, matrix: Array, loss: float) -> _Point:
        labels = tuple(range(matrix.shape[1]))
        channel = Channel.trusted(self.prior.values, labels, float_array(matrix))
        rate = mutual_information(channel, self.prior.float()) * math.log(2)
        return _Point(slope, weights, matrix, loss, rate)

    def proved(self, point: _Point, room: fmpq) -> float:
        """Return how many bits the slope and the weights prove at a loss, by ball arithmetic.

        An infinite slope proves something at the least loss alone: the term in s is left out.
        """
        if math.isinf(point.slope) and room > 0:
            return 0.0
        used = point.weights > 0
        with precision(128):
            share = [arb(w) for w in point.weights[used].tolist()]
            whole = sum(share, arb(0))
            slope = None if math.isinf(point.slope) else arb(point.slope)
            tops = [arb(0)] * self.excess.shape[1]
            nats = arb(0) if slope is None else -slope * arb(room)
            for p, row in zip(self.prior.array, self.excess, strict=True):
                if p == 0:
                    continue
                powers = [
                    arb(int(d == 0)) if slope is None else (-slope * arb(d)).exp() for d in row
                ]
                inside = [power for power, there in zip(powers, used, strict=True) if there]
                mean = sum((w * e for w, e in zip(share, inside, strict=True)), arb(0)) / whole
                nats -= arb(p) * mean.log()
                tops = [
                    top + arb(p) * power / mean for top, power in zip(tops, powers, strict=True)
                ]
            highest = max(top.upper().fmpq() for top in tops)
            bits = (nats - arb(highest).log()) / arb.const_log2()
            return float_below(bits.lower().fmpq())
