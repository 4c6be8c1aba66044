"""Weights: the whole numbers that one record adds to what is asked for, by their shape.

f(D) = Σ over records of W(value). A matrix with a column for each number would be far too long for
many values, so a block of W is kept as one whole number for each value, its *place*:

- a histogram: the cell of the value; W is 1 in that cell and 0 elsewhere;
- a cumulative histogram: the rank of the value; W is 1 from that rank on;
- sums: what the value adds to one of ``size`` numbers; the place is amount·size + number.

Where every row is published with noise of its own, there are no numbers: two places are either the
same or 1 apart.
"""

import zlib
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidFile, InvalidNumber

Places: TypeAlias = npt.NDArray[np.int64]

LARGEST_SQUARED = 2**20
"""Below it, squares of differences of weights, times shares, are whole numbers of 64 bits."""

LARGEST = 2**31 - 1
"""The largest weight of a value in a sum; in whole units, such as cents, nobody needs more."""


MOST_SUMS = 2**20
"""The most sums of one block."""

CHANGED = "the ledger was changed: weights of an entry are missing or others"


class Shape(StrEnum):
    """How W follows from the place of a value."""

    HISTOGRAM = "histogram"
    CUMULATIVE = "cumulative"
    SUM = "sum"
    ROWS = "rows"


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A block of W: ``size`` numbers, to which a value adds according to its place.

    Not counted are the cell −1 of a histogram and the rank ``size`` of a cumulative one.

    >>> ages = Weights(Shape.CUMULATIVE, np.array([0, 1, 2, 3]), size=4)
    >>> ages.answers(np.array([5, 0, 2, 1]))
    [5, 5, 7, 8]
    >>> ages.distances(np.array([[0, 1], [0, 3]]))
    array([1, 3])
    """

    shape: Shape
    places: Places
    size: int

    def __post_init__(self) -> None:
        least, most = {
            Shape.HISTOGRAM: (-1, self.size - 1),
            Shape.CUMULATIVE: (0, self.size),
            Shape.SUM: (-LARGEST * self.size, (LARGEST + 1) * self.size - 1),
            Shape.ROWS: (0, LARGEST),
        }[self.shape]
        if not (self.places.min() >= least and self.places.max() <= most):
            raise InvalidNumber(f"a place in a {self.shape} must be from {least:,} to {most:,}")
        if self.shape is Shape.SUM and not 0 < self.size <= MOST_SUMS:
            raise InvalidNumber(f"sums are of 1 to {MOST_SUMS:,} groups, got {self.size:,}")

    def distances(self, pairs: npt.NDArray[np.int64]) -> Places:
        """Return Σ_i |W_ui − W_vi| for each pair (u, v) of values, given by their positions."""
        u, v = self.places[pairs[..., 0]], self.places[pairs[..., 1]]
        if self.shape is Shape.HISTOGRAM:
            return np.where(u == v, 0, (u >= 0).astype(np.int64) + (v >= 0))
        if self.shape is Shape.ROWS:
            return (u != v).astype(np.int64)
        if self.shape is Shape.SUM and self.size > 1:
            (a, i), (b, j) = np.divmod(u, self.size), np.divmod(v, self.size)
            return np.where(i == j, np.abs(a - b), np.abs(a) + np.abs(b))
        return np.abs(u - v)

    def squares(self, pairs: npt.NDArray[np.int64]) -> Places:
        """Return Σ_i (W_ui − W_vi)² for each pair (u, v) of values, given by their positions.

        >>> Weights(Shape.SUM, np.array([0, 3]), size=1).squares(np.array([[0, 1]]))
        array([9])
        """
        if self.shape is not Shape.SUM:
            return self.distances(pairs)  # every difference is −1, 0 or 1
        (a, i), (b, j) = (np.divmod(self.places[pairs[..., k]], self.size) for k in (0, 1))
        if max(abs(int(f(self.places // self.size))) for f in (np.min, np.max)) >= LARGEST_SQUARED:
            raise InvalidNumber(
                f"Gaussian noise is for weights below {LARGEST_SQUARED:,}; count in a larger unit"
            )
        return np.where(i == j, (a - b) ** 2, a**2 + b**2)

    def shifts(self, pairs: npt.NDArray[np.int64]) -> tuple[list[Places], Places, int]:
        """Return for each pair by how much numbers differ, how many of them so, and the most.

        All that differ do by 1, but for sums: of them one differs, or two if they are of two
        groups.
        """
        if self.shape is not Shape.SUM:
            found = self.distances(pairs)
            return [np.ones_like(found)], found, 1
        (a, i), (b, j) = (np.divmod(self.places[pairs[..., k]], self.size) for k in (0, 1))
        same = i == j
        one, other = np.where(same, np.abs(a - b), np.abs(a)), np.where(same, 0, np.abs(b))
        return [one, other][: 1 + (self.size > 1)], np.ones_like(a), self.reach

    @property
    def reach(self) -> int:
        """The largest of the :meth:`distances` of any two values."""
        if self.shape is Shape.SUM:
            amounts, which = np.divmod(self.places, self.size)
            low, high = np.full(self.size, LARGEST), np.full(self.size, -LARGEST)
            np.minimum.at(low, which, amounts)
            np.maximum.at(high, which, amounts)
            there = high >= low
            far = np.sort(np.maximum(np.abs(low), np.abs(high))[there])[-2:]
            across = int(far.sum()) if len(far) > 1 else 0
            return max(across, int((high - low)[there].max()))
        least, most = int(self.places.min()), int(self.places.max())
        if self.shape is Shape.CUMULATIVE:
            return most - least
        if self.shape is Shape.ROWS or least == most:
            return int(least < most)
        return min(2, len(np.unique(self.places)) - (least < 0))

    def moved(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Say of each number whether it differs between the values of some pair."""
        u, v = self.places[pairs[:, 0]], self.places[pairs[:, 1]]
        differ = u != v
        if self.shape is Shape.ROWS:
            return np.zeros(0, dtype=bool)
        if self.shape is Shape.SUM:
            hit = np.zeros(self.size, dtype=bool)
            for each in (u, v):
                hit[each[differ & (each // self.size != 0)] % self.size] = True
            return hit
        if self.shape is Shape.HISTOGRAM:
            hit = np.zeros(self.size + 1, dtype=bool)  # the last for what is not counted
            hit[u[differ]] = hit[v[differ]] = True
            return hit[:-1]
        change = np.zeros(self.size + 1, dtype=np.int64)
        np.add.at(change, np.minimum(u, v), 1)
        np.add.at(change, np.maximum(u, v), -1)
        return np.cumsum(change)[:-1] > 0

    def bare(self, pairs: npt.NDArray[np.int64], secret: npt.NDArray[np.int64]) -> Any:
        """Say of each pair whether a number differs that is the same for all ``secret`` pairs.

        Such a number has no noise, so it tells the two values apart for certain.
        """
        still = ~self.moved(secret)
        u, v = self.places[pairs[..., 0]], self.places[pairs[..., 1]]
        if self.shape is Shape.ROWS:
            return np.zeros(u.shape, dtype=bool)
        if self.shape is Shape.SUM:
            counted = (still[x % self.size] & (x // self.size != 0) for x in (u, v))
            return (u != v) & np.logical_or(*counted)
        if self.shape is Shape.HISTOGRAM:
            cells = np.append(still, False)  # the last for what is not counted
            return (u != v) & (cells[u] | cells[v])
        up_to = np.concatenate([[0], np.cumsum(still)])
        return up_to[u] != up_to[v]

    def answers(self, counts: Places) -> list[int]:
        """Return f(D), exactly, if so many records have each value."""
        if self.shape is Shape.SUM:
            sums = [0] * self.size
            for place, number in zip(self.places.tolist(), counts.tolist(), strict=True):
                amount, which = divmod(place, self.size)
                sums[which] += amount * number
            return sums
        cells = np.zeros(self.size + 1, dtype=np.int64)
        np.add.at(cells, self.places, counts)
        if self.shape is Shape.CUMULATIVE:
            cells = np.cumsum(cells)
        return cells[:-1].tolist()

    def matrix(self) -> Places:
        """Return W itself, a row for each value."""
        columns = np.arange(self.size)
        if self.shape is Shape.HISTOGRAM:
            return (self.places[:, None] == columns).astype(np.int64)
        if self.shape is Shape.CUMULATIVE:
            return (self.places[:, None] <= columns).astype(np.int64)
        amounts, which = np.divmod(self.places, self.size)
        return np.where(which[:, None] == columns, amounts[:, None], 0)

    # --- in a file -------------------------------------------------------------------------

    def packed(self) -> bytes:
        """Return the places in few bytes: steps from one to the next are small, and repeat."""
        return zlib.compress(self._steps(), 6)

    @classmethod
    def unpacked(cls, shape: str, size: int, content: bytes, name: str) -> "Weights":
        """Return what :meth:`packed` wrote of the weights whose digest is ``name``."""
        try:
            steps = zlib.decompress(content)
            if _digest(shape, size, steps) != name:
                raise ValueError
            places = np.cumsum(np.frombuffer(steps, f"<i{steps[0]}", offset=1), dtype=np.int64)
            return cls(Shape(shape), places, size)
        except (zlib.error, ValueError, TypeError, IndexError):
            raise InvalidFile(CHANGED) from None

    @property
    def digest(self) -> str:
        """A name that no other weights have."""
        return _digest(self.shape, self.size, self._steps())

    def _steps(self) -> bytes:
        """Return the steps between places in whole numbers of the least width, and that width."""
        steps = np.diff(self.places, prepend=0)
        least, most = int(steps.min(initial=0)), int(steps.max(initial=0))
        width = next(
            w for w in (1, 2, 4, 8) if -(2 ** (8 * w - 1)) <= least <= most < 2 ** (8 * w - 1)
        )
        return bytes([width]) + steps.astype(f"<i{width}").tobytes()


def _digest(shape: str, size: int, steps: bytes) -> str:
    return sha256(f"{shape} {size} ".encode() + steps).hexdigest()
