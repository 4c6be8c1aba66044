"""Hulls: which of some points are the corners of the least concave function above them all."""

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpz

LONGEST = 512
"""So many bits a unit may have that serves for all numbers, and four times those of the finest."""


def rising_hull(points: Sequence[tuple[fmpq, fmpq]]) -> list[int]:
    """Return the places of the corners of the least concave, non-decreasing function above points.

    From the left, up to the first of the highest points; of equal points the first is taken.

    >>> rising_hull([(fmpq(x), fmpq(y, 2)) for x, y in [(0, 0), (3, 4), (2, 1), (1, 2), (4, 4)]])
    [0, 3, 1]
    """
    across, up = (_in_one_unit([point[k] for point in points]) for k in (0, 1))
    whole, found = list(zip(across, up, strict=True)), list[int]()
    for i in sorted(range(len(points)), key=lambda i: (across[i], -up[i])):
        if found and up[i] <= up[found[-1]]:
            continue
        while len(found) > 1 and is_below(whole[found[-2]], whole[found[-1]], whole[i]):
            found.pop()
        found.append(i)
    return found


def is_below(left: tuple[Any, Any], middle: tuple[Any, Any], right: tuple[Any, Any]) -> bool:
    """Say whether the middle one of three points is on or below the line of the others."""
    (b, a), (q, p), (s, r) = left, middle, right
    return bool((p - a) * (s - b) <= (r - a) * (q - b))


def _in_one_unit(numbers: Sequence[fmpq]) -> Sequence[Any]:
    """Return numbers as whole multiples of one unit, if that is not much finer than they are.

    Whole numbers have no common factors to be looked for, which takes most of the time.
    """
    units = [number.q for number in numbers]
    parts = max(units, default=fmpz(1))
    most = LONGEST + 4 * parts.bit_length()
    for unit in units:
        if parts % unit:
            parts = parts.lcm(unit)
            if parts.bit_length() > most:
                return numbers
    return [number.p * (parts // unit) for number, unit in zip(numbers, units, strict=True)]
