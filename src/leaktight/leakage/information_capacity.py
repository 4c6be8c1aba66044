"""Capacities in Shannon's and Rényi's measure: leakage under the worst prior.

The capacity of order α is the radius of the channel's rows: the least number r such that some
output distribution q is within Rényi divergence r of every row,

    max_π I_α(π) = min_q max_x D_α(K(·|x) ‖ q)        (order 1: Shannon's capacity),

so any prior gives a lower bound and any q an upper one. An interior-point method proposes both;
the two bounds are then computed with every rounding accounted for. What is returned is an
enclosure, whatever the iteration did.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import Parallel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import Distribution, ProductDistribution
from leaktight.errors import InvalidNumber, Undecided
from leaktight.exact.bound import Bits
from leaktight.exact.concave import Derivative, maximise
from leaktight.exact.numbers import Array, Number, float_array, rational, to_float
from leaktight.exact.rounding import float_above, float_below, log2_interval, precision
from leaktight.exact.tolerances import TOLERANCES


@dataclass(frozen=True, slots=True, repr=False)
class CapacityEnclosure(Bits):
    """A capacity in bits; ``prior`` attains ``lower``."""

    prior: Distribution | ProductDistribution

    def __str__(self) -> str:
        return f"{self.text}; {self.prior!r} attains the lower end"


SMALLEST_ORDER, LARGEST_ORDER = 0.001, 1000.0

SAFE_ORDERS = (1 / 16, 64.0)
"""Between these orders no power that matters underflows; beyond, balls are used for floats too."""


def shannon_capacity(channel: Channel | Parallel) -> CapacityEnclosure:
    """Return the largest mutual information over all priors, enclosed, with such a prior.

    >>> binary = shannon_capacity(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    >>> binary.lower <= 0.08170416594551048 <= binary.upper, binary.gap < 1e-9
    (True, True)
    """
    return renyi_capacity(channel, 1)


def renyi_capacity(channel: Channel | Parallel, order: Number) -> CapacityEnclosure:
    """Return the largest Rényi leakage of an order α > 0 over all priors, with such a prior.

    The leakage is Arimoto's, as in ``renyi_leakage``; Sibson's has the same maximum. Order 1 is
    Shannon's capacity; for order ∞ there is the exact ``min_capacity``.

    >>> half = renyi_capacity(Channel([["2/3", "1/3"], ["1/3", "2/3"]]), "1/2")
    >>> round(half.bits, 6)
    0.041856
    """
    if isinstance(order, float) and order == math.inf:
        raise InvalidNumber("the capacity of order ∞ is exact: use min_capacity")
    exact_order = rational(order)
    alpha = to_float(exact_order)
    if not SMALLEST_ORDER <= alpha <= LARGEST_ORDER:
        raise InvalidNumber(
            f"the order of a capacity must be from {SMALLEST_ORDER} to {LARGEST_ORDER}, "
            f"got {order}; for order ∞ there is min_capacity"
        )
    return _enclosed(channel, exact_order)


@singledispatch
def _enclosed(channel: Any, order: fmpq) -> CapacityEnclosure:
    """Enclose the capacity of a channel, by its kind."""
    return _enclosed(expect_channel(channel), order)


@_enclosed.register
def _(channel: Parallel, order: fmpq) -> CapacityEnclosure:
    """Add up the capacities of independent channels."""
    each = [(_enclosed(factor, order), times) for factor, times in channel.factors]
    return CapacityEnclosure(
        float_below(sum((rational(c.lower) * times for c, times in each), fmpq(0))),
        float_above(sum((rational(c.upper) * times for c, times in each), fmpq(0))),
        ProductDistribution(tuple((c.prior, times) for c, times in each)),  # type: ignore[misc]
    )


@_enclosed.register
def _(channel: Deterministic, order: fmpq) -> CapacityEnclosure:
    """One input for each output, all alike, tells it all."""
    outputs, first = np.unique(channel.seen, return_index=True)
    weights = np.full(len(channel.inputs), fmpq(0), dtype=object)
    weights[first] = fmpq(1, len(outputs))
    attaining = Distribution.trusted(channel.inputs, weights)
    return CapacityEnclosure(*log2_interval(len(outputs)), attaining)


@_enclosed.register
def _(channel: Channel, order: fmpq) -> CapacityEnclosure:
    """Propose a prior by an interior-point method, and prove what it leaks."""
    alpha = to_float(order)
    matrix = float_array(channel.matrix)
    matrix = matrix[:, matrix.max(axis=0) > 0]
    matrix = matrix / matrix.sum(axis=1, keepdims=True)
    enough = TOLERANCES.capacity_gap / 4 * (1 if alpha == 1 else abs(alpha - 1) / alpha)
    with np.errstate(all="ignore"):  # what is not finite ends the search
        weights = maximise(*_objective(matrix, alpha), enough)
    if channel.is_exact or not SAFE_ORDERS[0] <= alpha <= SAFE_ORDERS[1]:
        exact = channel.exact().matrix
        lower, upper = _enclose_exact(exact[:, exact.max(axis=0) > 0], weights, order)
    else:
        lower, upper = _enclose(matrix, weights, alpha)
    # Arimoto's leakage at π^(1/α) is Sibson's at π.
    attaining = (weights / weights.max()) ** (1 / alpha)
    prior = Distribution(attaining / attaining.sum(), channel.inputs)
    lower, upper = max(lower, 0.0), min(upper, log2_interval(min(matrix.shape))[1])
    if not lower <= upper:
        raise Undecided(f"the capacity of order {order} is not settled in floating point")
    return CapacityEnclosure(lower, upper, prior)


# --- the proposal ---------------------------------------------------------------------------


def _objective(matrix: Array, alpha: float) -> tuple[Array, Array, Derivative, Derivative]:
    """Return c, A, ψ' and ψ'' of the concave function c·π + Σ_z ψ((Aᵀπ)_z) to maximise.

    Order 1: the mutual information. Otherwise ±Σ_z (Σ_x π(x)·K(z|x)^α)^(1/α), the sign of α − 1,
    with the columns scaled by their maxima so that no power vanishes.
    """
    if alpha == 1:
        logs = np.log(matrix, where=matrix > 0, out=np.zeros_like(matrix))
        return (matrix * logs).sum(axis=1), matrix, lambda s: -np.log(s) - 1, lambda s: -1 / s
    most = matrix.max(axis=0)
    k = 1 / alpha
    scale = most * math.copysign(1, alpha - 1)
    return (
        np.zeros(len(matrix)),
        (matrix / most) ** alpha,
        lambda s: scale * k * s ** (k - 1),
        lambda s: scale * k * (k - 1) * s ** (k - 2),
    )


# --- the proof: both bounds with every rounding accounted for ------------------------------


def _bounds(
    matrix: Array, weights: Array, alpha: Any, log: Callable[[Array], Array]
) -> tuple[Any, Array]:
    """Return I_α at the prior ``weights`` and D_α(row ‖ q) for each row, in nats.

    q is the prior's output distribution (order 1), or the output distribution whose powers α are
    the prior's means of the rows' powers. The numbers are floats or balls.
    """
    seen = matrix > 0
    if alpha == 1:
        output = weights @ matrix
        divergences = np.array(
            [
                (row[at] * log(row[at] / output[at])).sum()
                for row, at in zip(matrix, seen, strict=True)
            ]
        )
        return weights @ divergences, divergences
    scale = matrix.astype(float).max(axis=0)
    scale[scale == 0] = 1  # any scale is right; the largest entry loses no power
    powers = np.zeros_like(matrix)
    powers[seen] = (matrix / scale)[seen] ** alpha
    means = weights @ powers
    norm = log((scale * means ** (1 / alpha)).sum(keepdims=True))[0]
    reaches = powers @ (scale * means ** (1 / alpha - 1))
    return norm * alpha / (alpha - 1), log(reaches) / (alpha - 1) + norm


def _enclose(matrix: Array, weights: Array, alpha: float) -> tuple[float, float]:
    """Return bounds in bits on the capacity of order α of a float channel.

    With u the unit roundoff, n inputs and m outputs: an entry is off by a relative (m+1)u at the
    most after division by its row's sum, a sum of n or m non-negative terms by n·u or m·u, a power
    or logarithm by 2u beyond what its argument was off. The margins are at least twice what these
    add up to. For order 1 that uses Σ_z K·|ln K/q| ≤ D(K‖q) + 2, as ln t ≤ t − 1.
    """
    lower, divergences = _bounds(matrix, weights, alpha, np.log)
    upper = divergences.max()
    n, m = matrix.shape
    unit = float(np.finfo(float).eps) * (n + 2 * m + 50)
    margin = unit * (3 + upper)
    if alpha != 1:
        margin += unit * (1 + alpha + 1 / alpha) * (1 + (1 + alpha) / abs(alpha - 1))
    return float(lower - margin) / math.log(2), float(upper + margin) / math.log(2)


def _enclose_exact(matrix: Array, weights: Array, alpha: fmpq) -> tuple[float, float]:
    """Return bounds in bits on the capacity of order α of an exact channel, by ball arithmetic."""
    with precision(192):
        prior = _balls(weights)
        order = 1 if alpha == 1 else arb(alpha)
        lower, divergences = _bounds(_balls(matrix), prior / prior.sum(), order, _log_balls)
        bit = arb.const_log2()
        highest = max((d / bit).upper().fmpq() for d in divergences)
        return float_below((lower / bit).lower().fmpq()), float_above(highest)


def _balls(numbers: Array) -> Array:
    balls = np.empty(numbers.size, dtype=object)
    balls[:] = [arb(p) for p in numbers.ravel().tolist()]
    return balls.reshape(numbers.shape)


def _log_balls(balls: Array) -> Array:
    logs = np.empty(balls.shape, dtype=object)
    logs[:] = [ball.log() for ball in balls]
    return logs
