"""What is seen of many people who answer at random, if only how many gave each answer is shown?

The shuffle model ([Cheu2019]_, [Balle2019]_): everybody's answer is drawn from the same channel,
and the answers are mixed before anybody sees them, so that a histogram is left. The formulas are
proved in docs/proofs/shuffle.md.
"""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz, fmpz_poly

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import compositions
from leaktight.channels.distribution import Distribution, prior_on
from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.numbers import Array, over_common
from leaktight.exact.shown import counted
from leaktight.labels import Labels, positions

MOST_TERMS = 2**20
"""The longest polynomial that is multiplied."""


@dataclass(frozen=True, slots=True, init=False)
class Shuffled:
    """``people`` who each answer through ``channel``, shown as a histogram of the answers.

    It is kept as counts, and exact. What it tells of one person is a channel, :meth:`of_one`, so
    that every measure can be asked for.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["no", "yes"])
    >>> crowd = Shuffled(coin, 1000)
    >>> crowd
    1,000 answers, shuffled
    >>> crowd.of_one({"no": 500, "yes": 499}).shape
    (2, 1001)
    """

    channel: Channel
    people: int

    def __init__(self, channel: Channel, people: int) -> None:
        if not isinstance(people, int | np.integer) or people < 1:
            raise InvalidNumber(f"there must be a whole number of people, got {people!r:.60}")
        object.__setattr__(self, "channel", expect_channel(channel).exact())
        object.__setattr__(self, "people", int(people))

    def __repr__(self) -> str:
        return f"{counted(self.people, 'answer', 'answers')}, shuffled"

    def of_one(self, others: Mapping[Hashable, int] | Distribution | None = None) -> Channel:
        """What the histogram tells of one person's value.

        ``others`` says how many of them have each value, for somebody who knows them; or it is the
        distribution from which each of them is drawn, for somebody who does not, by default the
        uniform one. The outputs are tuples of how often each answer was given.

        >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["no", "yes"])
        >>> Shuffled(coin, 2).of_one({"yes": 1})
        exact channel, 2 inputs × 3 outputs
             (0, 2)  (1, 1)  (2, 0)
         no    3/16     5/8    3/16
        yes    9/16     3/8    1/16
        """
        rows = self.channel.matrix
        if isinstance(others, Mapping):
            seen, whole = self.weights([(rows[i], times) for i, times in self._known(others)])
        else:
            mean = prior_on(others, self.channel.inputs).exact().array @ rows
            seen, whole = self.weights([(mean, self.people - 1)])
        matrix = np.array([[fmpq(w, whole) for w in row] for row in seen], dtype=object)
        return Channel.trusted(self.channel.inputs, self.histograms(), matrix)

    def histograms(self) -> Labels:
        """How often each answer may be given: all tuples that sum to the number of people."""
        return tuple(map(tuple, self._counts().tolist()))

    def _counts(self) -> npt.NDArray[np.int64]:
        n, answers = self.people, len(self.channel.outputs)
        columns = math.comb(n + answers - 1, answers - 1)
        if max(columns * len(self.channel.inputs), (n + 1) ** (answers - 1)) > MOST_TERMS:
            raise TooLarge(
                f"{n:,} people with {answers} answers have "
                f"{counted(columns, 'histogram', 'histograms')}, too many to go through"
            )
        return compositions(n, answers, columns)

    def weights(self, others: Iterable[tuple[Array, int]]) -> tuple[Array, fmpz]:
        """Return the probability of each histogram (column) given each value (row), times a number.

        Both are whole numbers. ``others`` has the distributions of the others' answers, each with
        how many have it.
        """
        counts = self._counts()
        # A histogram is the exponent of one variable: each answer but the last is a digit of it.
        steps = [(self.people + 1) ** z for z in range(counts.shape[1] - 1)]
        exponents = counts[:, :-1] @ np.array(steps, dtype=np.int64)
        power, whole = fmpz_poly([1]), fmpz(1)
        for row, times in others:
            numerators, unit = over_common(row)
            terms = [fmpz(0)] * (1 + max(steps, default=0))
            for step, numerator in zip((*steps, 0), numerators, strict=True):
                terms[step] += numerator
            power *= fmpz_poly(terms) ** times
            whole *= unit**times
        coefficients = np.zeros(1 + int(exponents.max()), dtype=object)
        coefficients[: power.length()] = power.coeffs()
        rows, unit = over_common(self.channel.matrix)
        table = np.full((len(rows), len(counts)), fmpz(0), dtype=object)
        for z, step in enumerate((*steps, 0)):
            given = counts[:, z] > 0
            table[:, given] += rows[:, [z]] * coefficients[exponents[given] - step]
        return table, whole * unit

    def _known(self, others: Mapping[Hashable, int]) -> Iterable[tuple[int, int]]:
        at = positions(others, self.channel.inputs, "value")
        times = list(others.values())
        if any(not isinstance(n, int | np.integer) or n < 0 for n in times):
            raise InvalidInput(f"how many others have a value is a whole number, got {times!r:.60}")
        if sum(times) != self.people - 1:
            raise InvalidInput(
                f"there are {self.people - 1:,} others, got the values of {sum(times):,}"
            )
        return zip(at, map(int, times), strict=True)

    def expand(self) -> Channel:
        """The channel from all databases, a tuple with a value for each person."""
        values, n = self.channel.inputs, self.people
        if len(values) ** n * len(self._counts()) > MOST_TERMS:
            raise TooLarge(f"{len(values):,}^{n:,} databases are too many to list")
        rows = dict(zip(values, self.channel.matrix, strict=True))
        databases = tuple(product(values, repeat=n))
        matrix = []
        for first, *others in databases:
            seen, whole = self.weights([(rows[v], 1) for v in others])
            matrix.append([fmpq(w, whole) for w in seen[values.index(first)]])
        return Channel.trusted(databases, self.histograms(), np.array(matrix, dtype=object))
