"""Leakage of one output rather than all on average: the max case, and pointwise leakage."""

from collections.abc import Hashable
from dataclasses import dataclass

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Value, public
from leaktight.leakage.joint import joint_of_one
from leaktight.leakage.vulnerability import GainLike, Leakage, gain_of


def max_case_leakage(channel: Channel, prior: PriorLike = None, gain: GainLike = None) -> Leakage:
    """Return how much more the attacker expects to gain after the output that suits them best.

    Where ``g_leakage`` takes the mean over outputs, this takes the largest ([Alvim2020]_, §6.4).

    >>> rare = Channel([["9/10", "1/10"], [1, 0]], ["ill", "well"], ["-", "+"])
    >>> leak = max_case_leakage(rare, {"ill": "1/10", "well": "9/10"})
    >>> leak.before, leak.after
    (Fraction(9, 10), Fraction(1, 1))
    """
    seen = joint_of_one(channel, prior)
    seen.expect_kept()
    aim = gain_of(gain, seen)
    return Leakage.of_gain(aim.worth(seen.before), aim.peak(seen))


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
    told = (
        OutputLeakage(channel.outputs[z], channel.inputs[i], public(growth))
        for z, i, growth in joint_of_one(channel, prior).growth()
    )
    return tuple(sorted(told, key=lambda each: -each.factor))
