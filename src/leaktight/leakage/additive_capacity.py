"""Additive capacities: by how much an observation raises an attacker's gain at worst.

Multiplicative leakage has one capacity for all priors and all non-negative gains, the
``min_capacity``. For the difference of the gains after and before, the answer depends on what is
varied: the gain, for a fixed prior, or the prior, for one guess.
"""

from dataclasses import dataclass

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.exact.bound import Chance
from leaktight.exact.linear_program import LinearProgram, solve
from leaktight.exact.numbers import Array, Value, exact_array, float_array, fraction, public, total
from leaktight.exact.rounding import float_above, float_below
from leaktight.leakage.hyper import hyper

MOST_ENTRIES = 2**14
"""The largest channel for which the linear program for the upper bound is solved."""


def additive_capacity(channel: Channel, prior: PriorLike = None) -> Value:
    """Return the most that any vulnerability between 0 and 1 can grow: 1 − Σ_z min_x K(z|x).

    The minimum is over the inputs of positive probability. The gain that pays 1 for "it is not w"
    if right, and 1 − 1/π(w) if wrong, attains it ([Alvim2014]_).

    >>> additive_capacity(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    Fraction(1, 3)
    """
    possible = prior_on(prior, expect_channel(channel).inputs).array > 0
    return public(1 - total(channel.matrix[possible].min(axis=0)))


def spanning_capacity(channel: Channel, prior: PriorLike = None) -> Value:
    """Return the most that any gain can grow whose payoffs for one guess differ by at most 1.

    It is the mean total variation between the posterior and the prior ([Alvim2014]_).

    >>> spanning_capacity(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    Fraction(1, 6)
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    after = hyper(channel, belief)
    before = belief.array if after.outer.is_exact else float_array(belief.array)
    shifts = np.maximum(after.inner - before[:, None], 0).sum(axis=0)
    return public(total(after.outer.array * shifts))


@dataclass(frozen=True, slots=True, repr=False)
class AdditiveEnclosure(Chance[Value]):
    """An additive capacity, whose ``lower`` end ``prior`` attains."""

    prior: Distribution


def additive_bayes_capacity(channel: Channel) -> AdditiveEnclosure:
    """Return the most that the chance of guessing right can grow, over all priors, enclosed.

    Finding it is NP-hard ([Chatzikokolakis2018]_). A prior that is uniform on some of the inputs
    attains it, and no prior exceeds the total-variation radius min_v max_x TV(K(·|x), v) of the
    rows; both are proved in docs/proofs/additive-capacity.md. Floating point proposes the inputs
    and v; the bounds that they give are computed exactly.

    >>> found = additive_bayes_capacity(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    >>> found.lower, found.upper
    (Fraction(1, 6), Fraction(1, 6))
    """
    channel = expect_channel(channel)
    exact, floats = channel.exact().matrix, float_array(channel.matrix)
    chosen = _spread(floats)
    lower = (exact[chosen].max(axis=0).sum() - 1) / len(chosen)
    centre = exact_array(np.maximum(_centre(floats), 0))
    centre = centre / centre.sum()
    upper = np.maximum(exact - centre, 0).sum(axis=1).max()
    uniform = Distribution.uniform([channel.inputs[x] for x in chosen])
    prior = prior_on(dict(uniform.items()), channel.inputs)
    if channel.is_exact:
        return AdditiveEnclosure(fraction(lower), fraction(upper), prior)
    return AdditiveEnclosure(float_below(lower), float_above(upper), prior)


def _spread(matrix: Array) -> list[int]:
    """Propose inputs S for which (Σ_z max_{x∈S} K(z|x) − 1)/|S| is large, one after the other.

    What a further input adds only falls as S grows, so it stops when that is below the average.
    """
    chosen = [int(matrix.max(axis=1).argmax())]
    highest = matrix[chosen[0]].copy()
    while len(chosen) < len(matrix):
        added = np.maximum(matrix - highest, 0).sum(axis=1)
        x = int(added.argmax())
        if added[x] * len(chosen) <= max(highest.sum() - 1, 0):
            break
        chosen.append(x)
        np.maximum(highest, matrix[x], out=highest)
    return chosen


def _centre(matrix: Array) -> Array:
    """Propose an output distribution v with a small max_x TV(K(·|x), v)."""
    highest = matrix.max(axis=0)
    n, m = matrix.shape
    if matrix.size > MOST_ENTRIES:
        return highest / highest.sum()
    # Variables: v (m of them), the radius, and u(x, z) ≥ K(z|x) − v(z), each at least 0.
    x, z = np.divmod(np.arange(n * m), m)
    u, radius = m + 1 + np.arange(n * m), m
    row = np.arange(n * m)
    program = LinearProgram(
        [0.0] * m + [1.0] + [0.0] * (n * m),
        (
            np.concatenate([row, row, n * m + x, n * m + np.arange(n), np.full(m, n * m + n)]),
            np.concatenate([u, z, u, np.full(n, radius), np.arange(m)]),
            np.concatenate([np.ones(2 * n * m), -np.ones(n * m), np.ones(n), np.ones(m)]),
        ),
        row_lower=np.concatenate([matrix.ravel(), np.zeros(n), [1.0]]),
        row_upper=[None] * (n * m + n) + [1.0],
    )
    best = solve(program).optimum
    return highest / highest.sum() if best is None else best.x[:m]
