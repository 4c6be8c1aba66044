"""Over some pairs of rows, where is the ratio of two entries of a column largest?

An approximate search proposes where, exact arithmetic decides: floats are the exact numbers that
they are. 0 against 0 counts as 1, anything positive against 0 as infinite.
"""

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.exact import Array, is_exact, rational

Logs: TypeAlias = npt.NDArray[np.float64]
Pairs: TypeAlias = npt.NDArray[np.int64]

Place: TypeAlias = tuple[int, int, int]
"""The row with the larger entry, the other row, and the column."""

Found: TypeAlias = tuple[Any, Place | None]


def largest_ratio(matrix: Array, pairs: Pairs) -> Found:
    """Return the largest ratio of two entries in a column, either way, and where it is.

    There is no place if the largest ratio is 1.

    >>> largest_ratio(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0, 1]]))
    (2, (1, 0, 0))
    """
    if is_exact(matrix) or matrix.min(where=matrix > 0, initial=math.inf) < 2.0**-500:
        return _worst_exact(matrix, pairs)
    return _worst_float(matrix, pairs)


def extreme_pairs(matrix: Array) -> Pairs:
    """Return pairs of rows among which every column has its largest ratio."""
    pairs = np.stack([matrix.argmax(axis=0), matrix.argmin(axis=0)], axis=1)
    return np.unique(pairs, axis=0)


def _blocks(pairs: Pairs, outputs: int) -> Iterator[tuple[Pairs, Pairs]]:
    """Yield the rows of the pairs, few enough at a time to stay in the cache."""
    size = max(1, 2**16 // outputs)
    for start in range(0, len(pairs), size):
        yield pairs[start : start + size, 0], pairs[start : start + size, 1]


def _worst_float(matrix: Array, pairs: Pairs) -> Found:
    """Return the largest ratio of two floats exactly, and where it is.

    Division rounds to nearest, so the largest quotient is among those whose rounded value is
    largest; these are compared exactly.
    """
    best, places = 1.0, list[tuple[Pairs, ...]]()
    for tails, heads in _blocks(pairs, matrix.shape[1]):
        here, there = matrix[tails], matrix[heads]
        above, below = np.maximum(here, there), np.minimum(here, there, out=here)
        with np.errstate(divide="ignore", invalid="ignore"):
            quotients = np.divide(above, below, out=above)
        top = np.fmax.reduce(quotients, axis=None)
        if top == math.inf:
            k, z = np.argwhere(quotients == top)[0]
            return math.inf, _downward(matrix, tails[k], heads[k], z)
        if top > best:
            best, places = float(top), []
        if top == best:
            k, z = np.nonzero(quotients == top)
            places.append((tails[k], heads[k], z))
    if not places:
        return fmpq(1), None
    i, h, z = (np.concatenate(part) for part in zip(*places, strict=True))
    here, there = matrix[i, z], matrix[h, z]
    values = np.maximum(here, there) + 1j * np.minimum(here, there)
    _, first = np.unique(values, return_index=True)
    return _largest(matrix, zip(i[first], h[first], z[first], strict=True))


def _worst_exact(matrix: Array, pairs: Pairs) -> Found:
    """Return the largest ratio of two exact numbers, and where it is.

    Logarithms in floating point say where to look; whatever their error could hide is compared.
    """
    logs, slack = logarithms(matrix)
    best, places = 0.0, list[tuple[Pairs, ...]]()
    for tails, heads in _blocks(pairs, matrix.shape[1]):
        with np.errstate(invalid="ignore"):
            gaps = np.abs(logs[tails] - logs[heads])
        top = np.fmax.reduce(gaps, axis=None)
        if top == math.inf:
            k, z = np.argwhere(gaps == top)[0]
            return math.inf, _downward(matrix, tails[k], heads[k], z)
        best = max(best, float(top))
        if top >= best - slack:
            k, z = np.nonzero(gaps >= best - slack)
            places.append((tails[k], heads[k], z))
    if not places:
        return fmpq(1), None
    return _largest(matrix, (at for block in places for at in zip(*block, strict=True)))


def _largest(matrix: Array, places: Any) -> Found:
    """Return the largest ratio of the entries (i, z) and (h, z), compared exactly, if above 1."""
    unlike: dict[tuple[Any, Any], Place] = {}
    for i, h, z in places:
        i, h, z = _downward(matrix, i, h, z)
        unlike.setdefault((matrix[i, z], matrix[h, z]), (i, h, z))
    best, at = fmpq(1), None
    for (above, below), place in unlike.items():
        ratio = rational(above) / rational(below)
        if ratio > best:
            best, at = ratio, place
    return best, at


def _downward(matrix: Array, i: Any, h: Any, z: Any) -> Place:
    """Return the place with the row first whose entry is larger."""
    down = matrix[i, z] >= matrix[h, z]
    return (int(i), int(h), int(z)) if down else (int(h), int(i), int(z))


def logarithms(matrix: Array) -> tuple[Logs, float]:
    """Return binary logarithms, −∞ for 0, and more than a difference of two can be off.

    A logarithm is off by at most 2^−52 times its size, b for an integer of b bits; a difference
    takes two of floats, four of fractions, and a rounding for each.
    """
    if not is_exact(matrix):
        with np.errstate(divide="ignore"):
            logs = np.log2(matrix)
        largest = -logs.min(where=np.isfinite(logs), initial=0.0)
        return logs, 2.0**-49 * (1 + float(largest))
    numbers = matrix.ravel()
    flat = [math.log2(int(p.p)) - math.log2(int(p.q)) if p > 0 else -math.inf for p in numbers]
    bits = max(p.height_bits() for p in numbers)
    return np.array(flat).reshape(matrix.shape), 2.0**-48 * (1 + bits)
