"""Rounds: what an attacker sees of one secret, and which secrets look alike.

The secret stays fixed and every observation is drawn anew. Only inputs of positive probability
matter. Outputs with proportional columns tell the same and are merged; inputs with equal rows in
all channels can never be told apart and form a class.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidChannel, InvalidNumber, TooLarge
from leaktight.exact.matrix import equal_rows
from leaktight.exact.numbers import Array
from leaktight.labels import Labels, alignment

MOST_ROUNDS = 10**300
"""The most rounds: as many as a float can count."""

Observed: TypeAlias = Channel | Iterable[tuple[Channel, int]]
"""What one round of observations is: one output of a channel, or several channels, each with how
often it is seen. The channels have the same inputs."""


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Independent observations of one secret, reduced to what tells secrets apart.

    ``parts`` holds for each channel the exact probabilities of its outputs (columns) for each
    class of inputs (rows), and how often it is observed. A channel that tells nothing has no part.
    """

    inputs: Labels
    support: npt.NDArray[np.int64]
    """Where the inputs of positive probability stand."""
    prior: Array
    """Their exact probabilities."""
    classes: npt.NDArray[np.int64]
    """The class of each of them: 0, 1, …"""
    parts: tuple[tuple[Array, int], ...]
    total: int
    """How many outputs are seen, telling or not."""
    is_exact: bool
    """Whether the numbers were given exactly, rather than as floats."""

    def __len__(self) -> int:
        """How many classes of inputs there are."""
        return int(self.classes.max()) + 1

    @property
    def best(self) -> Array:
        """The probability of the likeliest input of each class."""
        best = np.full(len(self), fmpq(0), dtype=object)
        np.maximum.at(best, self.classes, self.prior)
        return best

    def rounds(self, n: int) -> "Observations":
        """The same, n times as often."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise InvalidNumber(f"a channel is observed a whole number of times, got n = {n!r}")
        if n > MOST_ROUNDS:
            raise TooLarge("a channel can be observed 10^300 times at most, got a longer n")
        parts = tuple((matrix, times * int(n)) for matrix, times in self.parts) if n else ()
        return replace(self, parts=parts, total=self.total * int(n))

    def by_class(self, table: Array) -> Array:
        """Sum the columns of a table, one for each input of the support, over each class."""
        sums = np.full((len(table), len(self)), fmpq(0), dtype=object)
        for x, c in enumerate(self.classes):
            sums[:, c] += table[:, x]
        return sums


def observe(channel: Observed, prior: PriorLike = None) -> Observations:
    """Read what one round shows, and what is known before.

    A floating-point channel or prior stands for its exact binary numbers, divided by their exact
    sum: ``channel.exact()``.

    >>> look = Channel([["1/2", "1/4", "1/4"], ["1/2", "1/4", "1/4"], [0, "1/2", "1/2"]])
    >>> seen = observe([(look, 5), (Channel.no_interference(3), 7)])
    >>> seen.classes, seen.parts[0][0], seen.total
    (array([0, 0, 1]), array([[1/2, 1/2], [0, 1]], dtype=object), 12)
    """
    pairs = [(channel, 1)] if isinstance(channel, Channel) else _read(channel)
    inputs = pairs[0][0].inputs
    belief = prior_on(prior, inputs)
    known = belief.exact().array
    support = np.flatnonzero(known > 0)
    matrices: list[tuple[Array, int]] = []
    for each, times in pairs:
        order = alignment(inputs, each.inputs, "the inputs of two observed channels")
        at = support if order is None else np.array(order)[support]
        rows = Channel.trusted(tuple(at), each.outputs, each.exact().matrix[at])
        matrix = rows.reduced().matrix
        same = next((k for k, (m, _) in enumerate(matrices) if np.array_equal(m, matrix)), None)
        if same is not None:
            matrices[same] = (matrix, matrices[same][1] + times)
        elif matrix.shape[1] > 1 and times:
            matrices.append((matrix, times))
    nothing = np.full((len(support), 0), None)
    alike = equal_rows(np.hstack([nothing, *(m for m, _ in matrices)]))
    first = {x: c for c, x in enumerate(dict.fromkeys(alike))}
    return Observations(
        inputs,
        support,
        known[support],
        np.array([first[x] for x in alike]),
        tuple((matrix[list(first)], times) for matrix, times in matrices),
        sum(times for _, times in pairs),
        belief.is_exact and all(each.is_exact for each, _ in pairs),
    )


def _read(channels: Iterable[tuple[Channel, int]]) -> list[tuple[Channel, int]]:
    """Check a list of channels, each with how often it is observed."""
    if not isinstance(channels, Iterable):
        expect_channel(channels)
    pairs = list(channels)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InvalidChannel(
                f"several channels are observed as a list of (channel, times), got {pair!r:.60}"
            )
        expect_channel(pair[0])
        if not isinstance(pair[1], int | np.integer) or pair[1] < 0:
            raise InvalidNumber(f"a channel is observed a whole number of times, got {pair[1]!r}")
    if not pairs:
        raise InvalidChannel("at least one channel must be observed, got none")
    return [(each, int(times)) for each, times in pairs]
