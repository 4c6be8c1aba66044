"""Ratios by which what is seen of one record tells two of its values apart, exactly.

r(u→v) = max_z K(z|u)/K(z|v) for every two values. Where the outputs of records are independent,
the ratio of two databases is the product over the records that change: of their moves.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.exact.numbers import float_array, fraction, rational
from leaktight.labels import Labels, positions
from leaktight.policies.public_counts import Gains, Heaviest, PublicCounts

NEAR = 1 - 2.0**-40
"""Quotients of floats that are nearer to the largest are compared exactly."""


@dataclass(frozen=True, slots=True)
class MoveRatios:
    """The largest ratio of each move over some channels, and the output where it is attained."""

    ratios: tuple[tuple[Any, ...], ...]
    outputs: tuple[tuple[Hashable, ...], ...]

    @classmethod
    def of(cls, channels: Sequence[Channel], values: Labels) -> "MoveRatios":
        """Compare the rows of the values in each channel.

        >>> from leaktight.channels.channel import Channel
        >>> coin = Channel([["2/3", "1/3"], ["1/6", "5/6"]], ["no", "yes"])
        >>> MoveRatios.of([coin], ("no", "yes")).ratios
        ((1, 4), (5/2, 1))
        """
        tables = [_compared(channel, values) for channel in channels]
        best = [
            [max((table[u][v] for table in tables), key=_size) for v in range(len(values))]
            for u in range(len(values))
        ]
        return cls(
            tuple(tuple(ratio for ratio, _ in row) for row in best),
            tuple(tuple(output for _, output in row) for row in best),
        )

    def largest(self, counts: PublicCounts) -> tuple[Heaviest, Any]:
        """Return the moves between neighbours with the largest product, and no less than it is."""
        infinite = Gains.of(counts.cells, counts.secrets, self._infinite, multiply=True)
        found = counts.heaviest(infinite)
        if found.upper > 1:
            return found, math.inf
        finite = Gains.of(counts.cells, counts.secrets, self._finite, multiply=True)
        found = counts.heaviest(finite)
        return found, fraction(found.upper)

    def along(self, moves: Iterable[Any]) -> Fraction | float:
        """Return the ratio of two databases that differ by these moves."""
        ratios = [self.ratios[move.source][move.target] for move in moves]
        return math.inf if math.inf in ratios else fraction(math.prod(ratios, start=fmpq(1)))

    def _infinite(self, moves: Iterable[tuple[int, int]]) -> tuple[Any, int, int] | None:
        """Return a move with an infinite ratio, weighing 2, or else any, weighing 1."""
        weighed = ((fmpq(2 if self.ratios[u][v] == math.inf else 1), u, v) for u, v in moves)
        return max(weighed, key=lambda found: found[0], default=None)

    def _finite(self, moves: Iterable[tuple[int, int]]) -> tuple[Any, int, int] | None:
        weighed = ((self.ratios[u][v], u, v) for u, v in moves if self.ratios[u][v] != math.inf)
        return max(weighed, key=lambda found: found[0], default=None)


def _size(found: tuple[Any, Hashable]) -> tuple[bool, Any]:
    """Rank ratios: exact numbers are not compared with ∞."""
    return found[0] == math.inf, 0 if found[0] == math.inf else found[0]


def _compared(channel: Channel, values: Labels) -> list[list[tuple[Any, Hashable]]]:
    """Return max_z K(z|u)/K(z|v) and its z; floats propose where, exact numbers decide."""
    matrix = channel.matrix[positions(values, channel.inputs, "input")]
    floats = float_array(matrix)
    positive = matrix != 0
    safe = bool((floats[positive] > 2.0**-500).all())
    table = []
    for u, row in enumerate(floats):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            quotients = np.where(positive[u], row / floats, 0.0)
        near = quotients >= quotients.max(axis=1, keepdims=True) * NEAR
        found: list[tuple[Any, Hashable]] = []
        for v in range(len(values)):
            zeros = np.flatnonzero(positive[u] & ~positive[v])
            if len(zeros):
                found.append((math.inf, channel.outputs[zeros[0]]))
                continue
            tried = np.flatnonzero(near[v] if safe else positive[u])
            found.append(
                max(
                    (
                        (rational(matrix[u, z]) / rational(matrix[v, z]), channel.outputs[z])
                        for z in tried
                    ),
                    key=lambda pair: pair[0],
                )
            )
        table.append(found)
    return table
