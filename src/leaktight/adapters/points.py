"""A trade-off curve that is known at some points, and convex between them."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

from leaktight.adapters.claims import exactly
from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, InvalidNumber

Point: TypeAlias = tuple[Fraction, Fraction]
Line: TypeAlias = tuple[Fraction, Fraction]
"""A slope, and the height at 0."""


def from_points(alpha: Iterable[Any], beta: Iterable[Any]) -> PrivacyCurve:
    """Return what a trade-off curve promises that is known at some points only.

    :param alpha: false positive rates.
    :param beta: the least false negative rate of each, as another library has computed it.
    :raises InvalidInput: if there are not as many of both, or one is not from 0 to 1.

    A trade-off curve is convex. So between two points it may lie *below* the line that joins them,
    but not below the lines through the points on either side: that is what is taken, and many
    points cost little. Where a polygon itself is promised, ``PrivacyCurve.from_points`` is exact.

    >>> known = from_points([0, "1/8", "1/4", "5/8", "3/4", 1], [1, "5/8", "1/4", "1/8", "1/12", 0])
    >>> known == PrivacyCurve.epsilon(ratio=3)
    True
    """
    one, other = list(alpha), list(beta)
    if len(one) != len(other) or not one:
        raise InvalidInput(f"alpha and beta must be as many, got {len(one)} and {len(other)}")
    known = dict[Fraction, Fraction]()
    for a, b in zip(one, other, strict=True):
        rate, missed = exactly(_plain(a), "α"), exactly(_plain(b), "β")
        if rate > 1 or missed > 1:
            raise InvalidNumber(f"α and β must be from 0 to 1, got ({a}, {b})")
        known[rate] = min(missed, 1 - rate, known.get(rate, Fraction(1)))
    known[Fraction(1)] = Fraction(0)
    curve = PrivacyCurve.from_points(_below(sorted(known.items())))
    return PrivacyCurve(curve.shape, f"a trade-off curve at {len(one)} points")


def _plain(value: Any) -> Any:
    return Fraction(value) if isinstance(value, int | str | Fraction) else float(value)


def _below(points: list[Point]) -> list[Point]:
    """Return points on or below any convex curve that falls from 0 to 1 through the given ones."""
    found = list(points)
    if points[0][0] > 0:
        found += _corners(Fraction(0), points[0][0], _lines(points, -1))
    for i in range(len(points) - 1):
        found += _corners(points[i][0], points[i + 1][0], _lines(points, i))
    return found


def _lines(points: list[Point], i: int) -> list[Line]:
    """Return lines below the curve from point i to the next: those of the neighbours, and level."""
    lines = [(Fraction(0), points[i + 1][1])]
    for one, other in ((i - 1, i), (i + 1, i + 2)):
        if one >= 0 and other < len(points):
            (a, b), (a2, b2) = points[one], points[other]
            slope = (b2 - b) / (a2 - a)
            lines.append((slope, b - slope * a))
    return lines


def _corners(left: Fraction, right: Fraction, lines: list[Line]) -> list[Point]:
    """Return the corners of the largest of some lines, from left to right."""
    places = [left, right]
    for (slope, height), (slope2, height2) in combinations(lines, 2):
        if slope != slope2:
            places.append((height2 - height) / (slope - slope2))
    return [
        (a, min(1 - a, max(slope * a + height for slope, height in lines)))
        for a in places
        if left <= a <= right
    ]
