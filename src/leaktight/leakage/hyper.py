"""Hyper-distributions: what an attacker believes after each observation."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import Distribution, PriorLike
from leaktight.exact.matrix import text_table
from leaktight.exact.numbers import Array
from leaktight.labels import Labels, position
from leaktight.leakage.joint import dense


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
    at, chances, inner = dense(expect_channel(channel), prior).after()
    inner.flags.writeable = False
    outputs = tuple(channel.outputs[z] for z in at)
    return Hyper(channel.inputs, Distribution.trusted(outputs, chances), inner)
