"""Concave polygons: how likely an event may be for one neighbour if it has a chance a for another.

The function g of a polygon is 1 − f for the trade-off function f [Dong2022]_; what lies on or below
it is what tests of two neighbours reach. Its corners are exact, so everything here is.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from flint import fmpq

Corner: TypeAlias = tuple[fmpq, fmpq]
"""A chance for one neighbour, and the largest that the event then has for the other."""

Line: TypeAlias = tuple[fmpq, fmpq]
"""The slope λ and the height δ at 0 of a line p = δ + λ·a."""

ZERO, ONE = fmpq(0), fmpq(1)

NOTHING = [(ONE, ONE)]
"""A pair that promises nothing."""


@dataclass(frozen=True, slots=True)
class Polygon:
    """A concave, non-decreasing g on [0, 1] with g(a) ≥ a, by its corners from the left.

    >>> half = Polygon.of_pairs([(fmpq(2), fmpq(0))])
    >>> half.corners, half.at(fmpq(1, 4)), half.delta(fmpq(1))
    (((0, 0), (1/3, 2/3), (1, 1)), 1/2, 1/3)
    """

    corners: tuple[Corner, ...]

    @classmethod
    def hull(cls, points: Iterable[Corner]) -> "Polygon":
        """Return the least polygon with these points of the square on or below it."""
        from leaktight.exact.hull import rising_hull

        listed = [(ZERO, ZERO), *points, (ONE, ONE)]
        found = [listed[i] for i in rising_hull(listed)]
        return cls(tuple(found if found[-1][0] == 1 else [*found, listed[-1]]))

    @classmethod
    def around(cls, points: Iterable[Corner]) -> "Polygon":
        """Return the least symmetric polygon with these points on or below it."""
        listed = list(points)
        return cls.hull([*listed, *((1 - p, 1 - a) for a, p in listed)])

    @classmethod
    def of_lines(cls, lines: Iterable[Line]) -> "Polygon":
        """Return the polygon below some lines, none of which is below (1, 1), and below 1."""
        kept = list[Line]()
        for slope, height in sorted({*lines, (ZERO, ONE)}, key=lambda line: (-line[0], line[1])):
            if kept and kept[-1][0] == slope:
                continue
            while kept and height <= kept[-1][1]:  # the steeper one is nowhere lower
                kept.pop()
            while len(kept) > 1 and _crossing(kept[-1], (slope, height)) <= _crossing(*kept[-2:]):
                kept.pop()
            kept.append((slope, height))
        corners = [(ZERO, min(kept[0][1], ONE))]
        for one, other in pairwise(kept):
            a = _crossing(one, other)
            if a >= 1:
                break
            corners.append((a, one[1] + one[0] * a))
        return cls.hull(corners)

    @classmethod
    def of_pairs(cls, pairs: Iterable[Line]) -> "Polygon":
        """Return what (ε, δ) for each pair (λ, δ), in both orders, leaves to tests."""
        lines = list[Line]()
        for ratio, delta in pairs:
            lines += [(ratio, delta), (1 / ratio, 1 - (1 - delta) / ratio)]
        return cls.of_lines(lines)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of all edges, the steepest first."""
        edges = pairwise(self.corners)
        steep = (((p - q) / (a - b), (a, p)) for (b, q), (a, p) in edges)
        return tuple((slope, p - slope * a) for slope, (a, p) in steep)

    @property
    def pairs(self) -> tuple[Line, ...]:
        """The pairs (λ, δ), λ ≥ 1, that say all of a symmetric polygon; at least one."""
        found = tuple(line for line in self.lines if line[0] >= 1)
        return found or ((ONE, self.delta(ONE)),)

    @property
    def is_symmetric(self) -> bool:
        """Whether (a, p) is reached if and only if (1 − p, 1 − a) is."""
        return self == Polygon.around(self.corners)

    def at(self, alpha: fmpq) -> fmpq:
        """Return g(a)."""
        place = bisect_left(self.corners, alpha, key=lambda corner: corner[0])
        (a, p) = self.corners[place]
        if a == alpha:
            return p
        (b, q) = self.corners[place - 1]
        return q + (p - q) * (alpha - b) / (a - b)

    def delta(self, ratio: fmpq) -> fmpq:
        """Return δ(λ), the largest g(a) − λ·a."""
        a, p = self.touched(ratio)
        return p - ratio * a

    def touched(self, ratio: fmpq) -> Corner:
        """Return the first corner that a line of this slope from above touches."""
        edges = range(len(self.corners) - 1)
        return self.corners[bisect_left(edges, True, key=lambda i: self._slope(i) <= ratio)]

    def _slope(self, edge: int) -> fmpq:
        (b, q), (a, p) = self.corners[edge : edge + 2]
        return (p - q) / (a - b)

    def least(self, p: fmpq) -> fmpq:
        """Return the least a with g(a) ≥ p."""
        place = bisect_left(self.corners, p, key=lambda corner: corner[1])
        a, top = self.corners[place]
        if place == 0:
            return a
        b, q = self.corners[place - 1]
        return b + (a - b) * (p - q) / (top - q)

    def farthest(self, rise: fmpq) -> fmpq:
        """Return the largest a with g(a) ≥ l·a for a rise l > 1."""
        place = bisect_left(self.corners, True, key=lambda corner: corner[1] < rise * corner[0])
        (b, q), (a, p) = self.corners[place - 1 : place + 1]
        slope = (p - q) / (a - b)
        return (q - slope * b) / (rise - slope)

    def after(self, other: "Polygon") -> "Polygon":
        """Return g∘h: what tests reach between the ends of two steps."""
        reached = [a for a, _ in self.corners if a > other.corners[0][1]]
        places = {a for a, _ in other.corners} | {other.least(a) for a in reached}
        return Polygon.hull((a, self.at(other.at(a))) for a in places)

    def meet(self, other: "Polygon") -> "Polygon":
        """Return the lesser of both everywhere."""
        return Polygon.of_lines([*self.lines, *other.lines])

    def sampled(self, rate: fmpq) -> "Polygon":
        """Return (1 − q)·a + q·g(a): who is present takes part with the chance q only."""
        return Polygon.hull((a, (1 - rate) * a + rate * p) for a, p in self.corners)

    def masses(self) -> tuple[list[fmpq], list[fmpq]]:
        """Return a pair of rows that the polygon belongs to, most telling outputs first."""
        start, *rest = [(ZERO, ZERO), *self.corners]
        rows = list[list[fmpq]]([[], []])
        for corner in rest:
            if corner != start:
                rows[0].append(corner[1] - start[1])
                rows[1].append(corner[0] - start[0])
            start = corner
        return rows[0], rows[1]


def _crossing(one: Line, other: Line) -> fmpq:
    """Return where two lines of different slope meet."""
    return (other[1] - one[1]) / (one[0] - other[0])
