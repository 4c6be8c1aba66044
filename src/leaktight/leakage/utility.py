"""Utility of what is released, to someone who makes the best of it."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike
from leaktight.channels.gain import Gain, Loss, Tries, read_aim, read_objective
from leaktight.errors import InvalidGain, Mismatch
from leaktight.exact.numbers import Value, public, total
from leaktight.labels import positions, suggestion
from leaktight.leakage.joint import dense, joint_of_one
from leaktight.leakage.vulnerability import strategy
from leaktight.policies.neighbours import Neighbours, adjacency_of


@dataclass(frozen=True, slots=True)
class Utility:
    """The expected gain, or loss, of whoever replaces each output by the best guess."""

    value: Value
    remap: Mapping[Hashable, Hashable]
    """The best guess for each output that occurs."""
    channel: Channel
    """What is released, with each output replaced by that guess."""


def utility(
    channel: Channel,
    prior: PriorLike = None,
    gain: Gain | Loss | Tries | None = None,
    remap: Mapping[Hashable, Hashable] | None = None,
) -> Utility:
    """Return what a channel is worth under a prior: the expected gain after the best remap.

    A ``remap`` that is given, a guess for each output, is taken instead of the best.

    With one right guess it is U = Σ_z max_y π(y)·K(z|y) = 2^(−H∞(Y|Z)) (Proposition 5 of
    [Alvim2011a]_). Of a ``Loss`` it is the least expected loss.

    >>> noisy = Channel([["4/7", "2/7", "1/7"], ["1/4", "1/2", "1/4"], ["1/7", "2/7", "4/7"]])
    >>> known = utility(noisy, ["1/10", "4/5", "1/10"])
    >>> known.value, known.remap
    (Fraction(4, 5), {0: 1, 1: 1, 2: 1})
    >>> utility(noisy, ["1/10", "4/5", "1/10"], remap={0: 0, 1: 1, 2: 2}).value
    Fraction(18, 35)
    """
    if remap is not None:
        return _of_remap(channel, prior, gain, remap)
    remap = strategy(channel, prior, gain)
    # An output that the prior excludes stands for any guess, say the first.
    spare = next(iter(remap.values()))
    released = channel.merge({z: remap.get(z, spare) for z in channel.outputs})
    seen = joint_of_one(channel, prior)
    aim = read_objective(gain, seen.inputs).aligned(seen.inputs)
    return Utility(public(aim.worth(seen)), remap, released)


def _of_remap(
    channel: Channel,
    prior: PriorLike,
    gain: Gain | Loss | Tries | None,
    remap: Mapping[Hashable, Hashable],
) -> Utility:
    """Return what guesses earn that are the same whatever the prior."""
    if isinstance(gain, Tries):
        raise InvalidGain("a remap that is given has one guess for each output, got several tries")
    missing = [z for z in expect_channel(channel).outputs if z not in remap]
    if missing:
        raise Mismatch(f"the remap must have a guess for each output, but not for {missing[0]!r}")
    released = channel.merge({z: remap[z] for z in channel.outputs})
    aim = read_aim(gain, channel.inputs)
    expected = aim.expected(dense(released, prior).array, channel.inputs)
    at = positions(released.outputs, aim.guesses, "guess")
    value = total(expected[at, np.arange(len(at))])
    return Utility(public(value), dict(remap), released)


def oblivious(
    databases: Neighbours, query: Callable[[Any], Hashable], mechanism: Channel
) -> Channel:
    """Return the channel from databases that shows only the mechanism's noisy answer to a query.

    The mechanism sees the answer and not the database (Figure 2 of [Alvim2011b]_). Private on
    the ``answer_graph`` of the query, it is private on the databases.

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> voters = Policy(SecretGraph.complete([0, 1]), records=2)
    >>> noisy = Channel([["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]])
    >>> oblivious(voters, sum, noisy)[(1, 0), 2]
    Fraction(1, 3)
    """
    first = Channel.deterministic(query, adjacency_of(databases).explicit().vertices)
    for answer in first.outputs:
        if answer not in expect_channel(mechanism).inputs:
            raise Mismatch(
                f"the mechanism must have an input for each answer of the query, but not "
                f"{answer!r}; {suggestion(answer, mechanism.inputs)}"
            )
    return first.then(mechanism.restrict(first.outputs))
