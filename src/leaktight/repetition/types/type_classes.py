"""Type classes: the counts that can be seen.

The order of observations tells nothing, only the *type*: how often each output was seen. Types are
taken in lines. On a line all counts are fixed but those of the last two outputs, between which r
observations are split in r + 1 ways. The probabilities of a line's types are a binomial series, so
that exact sums over a stretch of it come from running sums that all lines of the same r share.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from math import comb, prod

import numpy as np
import numpy.typing as npt

from leaktight.exact.numbers import Array

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BLOCK = 2**18
"""How many floats one array of a block of types holds, so that it stays in the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Some lines: the counts of all outputs but the last two, and the sum r of these two's."""

    counts: Counts
    """One row per line."""
    r: int

    def of_types(self, at: npt.NDArray[np.int64]) -> Counts:
        """The counts of all outputs for some types, numbered line by line."""
        line, t = np.divmod(at, self.r + 1)
        return np.column_stack([self.counts[line], t, self.r - t])


@dataclass(frozen=True, slots=True, eq=False)
class TypeClasses:
    """All types of some observations.

    ``parts`` holds for each channel its exact probabilities (a row per class of inputs) and how
    often it is observed. Lines are drawn along the last two outputs of the last part.
    """

    parts: tuple[tuple[Array, int], ...]

    @classmethod
    def of(cls, parts: Iterable[tuple[Array, int]]) -> "TypeClasses":
        """Draw the lines along the channel that is observed most often: so they are fewest."""
        return cls(tuple(sorted(parts, key=lambda part: part[1])))

    @property
    def matrix(self) -> Array:
        """The exact probabilities of all outputs, part after part."""
        return np.hstack([matrix for matrix, _ in self.parts])

    @property
    def times(self) -> list[int]:
        """How often the channel of each output is observed."""
        return [n for matrix, n in self.parts for _ in range(matrix.shape[1])]

    @property
    def count(self) -> int:
        """How many types there are."""
        return prod(comb(n + matrix.shape[1] - 1, n) for matrix, n in self.parts)

    @property
    def line_count(self) -> int:
        """How many lines there are."""
        *others, (matrix, n) = self.parts
        last = comb(n + matrix.shape[1] - 2, n) if matrix.shape[1] > 2 else 1
        return TypeClasses(tuple(others)).count * last

    def listed(self) -> Counts:
        """All types at once, a row each."""
        return reduce(_paired, (compositions(n, m.shape[1]) for m, n in self.parts), _NOTHING)

    def lines(self, width: int) -> Iterator[Lines]:
        """Yield all lines in blocks, whose types times ``width`` are about :data:`BLOCK`."""
        *others, (matrix, n) = self.parts
        outer = TypeClasses(tuple(others)).listed()
        free = matrix.shape[1] - 2
        for r in range(0 if free else n, n + 1):
            inner = compositions(n - r, free) if free else _NOTHING
            whole, size = len(outer) * len(inner), max(1, BLOCK // ((r + 1) * width))
            for start in range(0, whole, size):
                a, b = np.divmod(np.arange(start, min(start + size, whole)), len(inner))
                yield Lines(np.hstack([outer[a], inner[b]]), r)


_NOTHING = np.zeros((1, 0), dtype=np.int64)


def compositions(n: int, m: int) -> Counts:
    """List all ways to write n as an ordered sum of m ≥ 1 non-negative numbers, a row each.

    >>> compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    counts, left = _NOTHING, np.array([n])
    for _ in range(m - 1):
        choices = left + 1
        row = np.repeat(np.arange(len(left)), choices)
        k = np.arange(len(row)) - (choices.cumsum() - choices)[row]
        counts, left = np.column_stack([counts[row], k]), left[row] - k
    return np.column_stack([counts, left])


def _paired(one: Counts, other: Counts) -> Counts:
    """Return every row of one followed by every row of the other."""
    return np.hstack([np.repeat(one, len(other), axis=0), np.tile(other, (len(one), 1))])
