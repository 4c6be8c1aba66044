"""Leakage of one output rather than all on average: the max case, and pointwise leakage."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.gain import Gain
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Value, float_array, public
from leaktight.leakage.groups import Groups
from leaktight.leakage.hyper import hyper, posteriors
from leaktight.leakage.vulnerability import GainLike, Leakage, most_gained


def max_case_leakage(channel: Channel, prior: PriorLike = None, gain: GainLike = None) -> Leakage:
    """Return how much more the attacker expects to gain after the output that suits them best.

    Where ``g_leakage`` takes the mean over outputs, this takes the largest ([Alvim2020]_, §6.4).

    >>> rare = Channel([["9/10", "1/10"], [1, 0]], ["ill", "well"], ["-", "+"])
    >>> leak = max_case_leakage(rare, {"ill": "1/10", "well": "9/10"})
    >>> leak.before, leak.after
    (Fraction(9, 10), Fraction(1, 1))
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    if isinstance(channel, Deterministic) and not isinstance(gain, Gain):
        left = (posterior.array[:, None] for _, posterior in posteriors(channel, belief))
        after = max(most_gained(each, (), gain)[0] for each in left)
    else:
        after = most_gained(hyper(channel, belief).inner, channel.inputs, gain).max()
    before = most_gained(belief.array[:, None], belief.values, gain)[0]
    return Leakage.of_gain(before, after)


@dataclass(frozen=True, slots=True)
class OutputLeakage(OfFactor):
    """How much one output can raise what any attacker gains, whatever they are after."""

    output: Hashable
    input: Hashable
    """The input that the output speaks for most."""
    factor: Value


def pointwise_leakage(channel: Channel, prior: PriorLike = None) -> tuple[OutputLeakage, ...]:
    """Return the pointwise maximal leakage of each output that can occur, the largest first.

    It is max_x K(z|x)/P(z) over the x of positive prior: no attacker's gain of at least 0 grows by
    a larger factor after z ([Saeidian2023]_). Its mean over the outputs is the min-capacity's
    factor, which is also known as maximal leakage [Issa2020]_.

    >>> rare = Channel([["9/10", "1/10"], [1, 0]], ["ill", "well"], ["-", "+"])
    >>> [(each.output, str(each.factor)) for each in pointwise_leakage(rare, ["1/10", "9/10"])]
    [('+', '10'), ('-', '100/99')]
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    if isinstance(channel, Deterministic):  # each input of the group has 1/P(z)
        left = Groups.of(channel, belief).split()
        sure = [(z, at.min(), 1 / weights.sum()) for z, at, weights in left]
        return _ranked(
            OutputLeakage(channel.outputs[z], channel.inputs[i], public(growth))
            for z, i, growth in sure
        )
    after = hyper(channel, belief)
    known = np.flatnonzero(belief.array > 0)
    before = belief.array if after.inner.dtype == object else float_array(belief.array)
    growth = after.inner[known] / before[known, None]
    best = growth.argmax(axis=0)
    return _ranked(
        OutputLeakage(z, channel.inputs[known[i]], public(growth[i, at]))
        for at, (z, i) in enumerate(zip(after.outer.values, best, strict=True))
    )


def _ranked(told: Iterable[OutputLeakage]) -> tuple[OutputLeakage, ...]:
    return tuple(sorted(told, key=lambda each: -each.factor))
