"""Hyper-distributions: what an attacker believes after each observation."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.exact.matrix import text_table
from leaktight.exact.numbers import Array, kept
from leaktight.labels import Labels, position
from leaktight.leakage.groups import Groups
from leaktight.leakage.vulnerability import joint


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hyper:
    """The posteriors that an observation can leave, each with its probability.

    ``outer`` is the distribution of the outputs that can occur; column z of ``inner`` is the
    posterior on the inputs after output z.
    """

    inputs: Labels
    outer: Distribution
    inner: Array

    def posterior(self, output: Hashable) -> Distribution:
        """What is believed of the input after ``output``."""
        at = position(output, self.outer.values, "output that can occur")
        return Distribution.trusted(self.inputs, self.inner[:, at])

    def __repr__(self) -> str:
        table = np.vstack([self.outer.array, self.inner])
        rows = ("of the output", *self.inputs)
        return f"posteriors\n{text_table(table, rows, self.outer.values)}"


def hyper(channel: Channel, prior: PriorLike = None) -> Hyper:
    """Return the posterior after each output that can occur, and how likely it is.

    Outputs that lead to the same posterior stay apart; ``hyper(channel.reduced(), prior)`` has
    them together.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])
    >>> after = hyper(coin, {"no": "9/10", "yes": "1/10"})
    >>> after
    posteriors
                       -      +
    of the output  19/30  11/30
               no  18/19   9/11
              yes   1/19   2/11
    >>> after.outer["+"], after.posterior("+")["yes"]
    (Fraction(11, 30), Fraction(2, 11))
    """
    channel = expect_channel(channel)
    belief = prior_on(prior, channel.inputs)
    joined = kept(joint(channel, belief), belief.array[:, None], channel.matrix)
    outer = joined.sum(axis=0)
    occurs = np.flatnonzero(outer > 0)
    outputs = tuple(channel.outputs[z] for z in occurs)
    inner = kept(joined[:, occurs] / outer[occurs], joined[:, occurs])
    inner.flags.writeable = False
    return Hyper(channel.inputs, Distribution.trusted(outputs, outer[occurs]), inner)


def posteriors(channel: Channel, belief: Distribution) -> Iterator[tuple[Any, Distribution]]:
    """Yield how likely each output that can occur is, and what it leaves.

    Of a deterministic channel, outputs that leave the same chances are taken together, and what
    each chance is of is left out.
    """
    if not isinstance(channel, Deterministic):
        after = hyper(channel, belief)
        yield from zip(after.outer.array, map(after.posterior, after.outer.values), strict=True)
        return
    for times, chances, often in Groups.of(channel, belief).kinds():
        whole = (chances * often).sum()
        left = np.repeat(kept(chances / whole, chances), often)
        yield times * whole, Distribution.trusted(tuple(range(len(left))), left)
