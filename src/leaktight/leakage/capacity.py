"""Capacities over all priors, and over all gains: what a channel leaks at worst.

Those here are exact for exact channels. Shannon's and Rényi's, which are not, are enclosed in
``information_capacity``.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.all_or_nothing import AllOrNothing
from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import Parallel
from leaktight.channels.distribution import Distribution, ProductDistribution, known, prior_on
from leaktight.channels.representation import expect_representation
from leaktight.channels.row_distance import (
    RowDistance,
    largest_row_distance,
    largest_row_distance_between,
)
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Value, public, total
from leaktight.exact.shown import in_bits, shown


@dataclass(frozen=True, slots=True, repr=False)
class Capacity(OfFactor):
    """The largest leakage factor over all priors, and a prior that attains it."""

    factor: Value
    prior: Distribution | ProductDistribution

    def __repr__(self) -> str:
        return f"Capacity(factor {shown(self.factor)}, {in_bits(self.bits)})"


def min_capacity(channel: Channel | Parallel | AllOrNothing) -> Capacity:
    """Return the largest min-entropy leakage over all priors: log2 Σ_z max_x K(z|x).

    The uniform prior attains it (Theorem 1 of [Barthe2011]_). No prior leaks by a larger factor
    to an attacker with any other gain that is never negative ([Alvim2012]_), so this is the
    capacity for all of them.

    >>> min_capacity(Channel([["2/3", "1/3"], ["1/3", "2/3"]])).factor
    Fraction(4, 3)
    """
    seen = expect_representation(channel)
    return Capacity(public(seen.sum_of_maxima()), seen.uniform())


def risk_capacity(channel: Channel) -> Capacity:
    """Return the largest factor by which the chance of a wrong guess falls, over all priors.

    It is 1/(1 − t) for the largest total variation t between two rows; the uniform prior on
    their two inputs attains it ([Chatzikokolakis2023]_).

    >>> capacity = risk_capacity(Channel([[1, 0], ["3/4", "1/4"], ["1/2", "1/2"]]))
    >>> capacity.factor, capacity.prior.support
    (Fraction(2, 1), (0, 2))
    """
    if len(expect_channel(channel).inputs) == 1:
        return min_capacity(channel)
    farthest = largest_row_distance(channel)
    one, other = (channel.row(x).array for x in farthest.pair)
    left = public(total(np.minimum(one, other)))  # 1 − t, without cancellation
    return Capacity(1 / left if left > 0 else math.inf, _on_two(channel, farthest))


@dataclass(frozen=True, slots=True)
class BayesSecurity:
    """How much of the chance of a wrong guess a channel leaves, at least, and at which inputs."""

    value: Value
    pair: tuple[Hashable, ...]

    def __repr__(self) -> str:
        return f"BayesSecurity({shown(self.value)}, at the inputs {self.pair})"


def bayes_security(channel: Channel) -> BayesSecurity:
    """Return the least factor by which the chance of a wrong guess is multiplied, over all priors.

    It is 1 − t for the largest total variation t between two rows ([Chatzikokolakis2023]_): 1 if
    nothing is told, 0 if some two inputs are told apart with certainty.

    >>> bayes_security(Channel([[1, 0], ["3/4", "1/4"], ["1/2", "1/2"]]))
    BayesSecurity(1/2, at the inputs (0, 2))
    """
    most = risk_capacity(channel)
    left = 1 / most.factor if most.factor < math.inf else Fraction(0)
    return BayesSecurity(left, known(most.prior).support)


def membership_capacity(channel: Channel, subset: Iterable[Hashable]) -> Capacity:
    """Return the largest factor for guessing whether the secret is in ``subset``, over all priors.

    It is 1 + t for the largest total variation t between a row in the subset and one outside:
    under any prior the attacker sees a channel of two rows, a mixture of those inside and one of
    those outside, and total variation is convex. The uniform prior on the two inputs attains it.

    >>> channel = Channel([[1, 0], ["3/4", "1/4"], ["1/2", "1/2"]])
    >>> membership_capacity(channel, [0, 1]).factor
    Fraction(3, 2)
    """
    inside = set(expect_channel(channel).restrict(subset).inputs)
    outside = [x for x in channel.inputs if x not in inside]
    if not outside:
        return min_capacity(Channel.no_interference(channel.inputs))
    farthest = largest_row_distance_between(channel, inside, outside)
    return Capacity(1 + farthest.value, _on_two(channel, farthest))


def _on_two(channel: Channel, farthest: RowDistance) -> Distribution:
    return prior_on(dict(Distribution.uniform(farthest.pair).items()), channel.inputs)
