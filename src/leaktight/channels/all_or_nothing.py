"""Independent answers that are released together or not at all.

Every record is answered by itself, or not: a channel K(z|x) whose rows sum to at most 1. With the
chance s, and if every record has an answer, these are released. Otherwise each record gets a fixed
answer, which may depend on what is public about it.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.channels.distribution import Distribution, ProductDistribution
from leaktight.channels.representation import ByChannel
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import rational, total
from leaktight.labels import Labels


class NoAnswer:
    """The output of a record that is not answered."""

    def __repr__(self) -> str:
        return "no answer"


NO_ANSWER = NoAnswer()


@dataclass(frozen=True, slots=True)
class Answering:
    """How one record is answered: a channel with the output ``NO_ANSWER``, and what is said then.

    ``instead`` has the fixed answer for each input.
    """

    channel: Channel
    instead: Labels


@dataclass(frozen=True, slots=True)
class AllOrNothing(ByChannel):
    """Records that are answered independently; all answers are ``kept`` with a chance, or none.

    ``factors`` says how many records each stands for, in their order. It is drawn from by
    ``sample``, a database at a time, and never multiplied out unless :meth:`expand` is called.

    >>> coin = Channel([["2/3", "1/6", "1/6"], ["1/6", "2/3", "1/6"]], outputs=[0, 1, NO_ANSWER])
    >>> twice = AllOrNothing(((Answering(coin, (0, 0)), 2),), Fraction(1, 2))
    >>> twice
    2 records, answered together or not at all
    >>> twice.expand()[(1, 1), (1, 1)], twice.expand()[(1, 1), (0, 0)]
    (Fraction(2, 9), Fraction(2, 3))
    """

    factors: tuple[tuple[Answering, int], ...]
    kept: Fraction

    def __len__(self) -> int:
        return sum(times for _, times in self.factors)

    def expand(self) -> Channel:
        """Multiply out; inputs and outputs are tuples."""
        each = [one for one, times in self.factors for _ in range(times)]
        whole = Parallel(tuple((one.channel, times) for one, times in self.factors)).expand()
        names = [one.channel.outputs for one in each]
        answered = [k for k, z in enumerate(product(*names)) if NO_ANSWER not in z]
        matrix = whole.matrix[:, answered] * rational(self.kept)
        outputs = {whole.outputs[k]: place for place, k in enumerate(answered)}
        instead = list(product(*(one.instead for one in each)))
        at = [outputs[answers] for answers in instead]
        matrix[np.arange(len(instead)), at] += 1 - matrix.sum(axis=1)
        return Channel(matrix, whole.inputs, tuple(outputs))

    def sum_of_maxima(self) -> Any:
        """Return s·Π Σ_z max_x P(z|x) + Π T − s·Π M, T the fixed answers and M their least R.

        That is so if the input of least R among those with a fixed answer is also where that answer
        is likeliest, as for the mechanisms of worst cases; otherwise all is written out.
        """
        powers = [fmpq(1)] * 3
        for one, times in self.factors:
            given = [k for k, z in enumerate(one.channel.outputs) if z is not NO_ANSWER]
            answers = one.channel.matrix[:, given]
            names = [one.channel.outputs[k] for k in given]
            used, most, least = answers.sum(axis=1), column_maxima(answers), fmpq(0)
            for fixed in dict.fromkeys(one.instead):
                inside = [x for x, z in enumerate(one.instead) if z == fixed]
                x, z = min(inside, key=used.__getitem__), names.index(fixed)
                if answers[x, z] < most[z]:
                    return self.expand().sum_of_maxima()
                least += used[x]
            bases = total(most), fmpq(len(set(one.instead))), least
            powers = [power * base**times for power, base in zip(powers, bases, strict=True)]
        whole, fixed_ones, unkept = powers
        kept = rational(self.kept)
        return kept * whole + fixed_ones - kept * unkept

    def uniform(self) -> ProductDistribution:
        """The uniform prior of all records."""
        each = ((Distribution.uniform(one.channel.inputs), times) for one, times in self.factors)
        return ProductDistribution(tuple(each))

    @property
    def channel(self) -> Channel:
        """The channel of all records, multiplied out."""
        return self.expand()

    def __repr__(self) -> str:
        return f"{len(self):,} records, answered together or not at all"
