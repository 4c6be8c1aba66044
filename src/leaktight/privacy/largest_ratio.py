"""The largest ratio of two entries of a column, over some pairs of rows.

An approximate search proposes where, exact arithmetic decides: floats are the exact numbers that
they are. 0 against 0 counts as 1, anything positive against 0 as infinite.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.exact.numbers import Array, float_array, is_exact, rational

Floats: TypeAlias = npt.NDArray[np.float64]
Pairs: TypeAlias = npt.NDArray[np.int64]

Place: TypeAlias = tuple[int, int, int]
"""The row with the larger entry, the other row, and the column."""


class Found(NamedTuple):
    """The largest ratio, and where it is; nowhere if it is 1."""

    ratio: Any
    at: Place | None


def largest_ratio(matrix: Array, pairs: Pairs) -> Found:
    """Return the largest ratio of two entries in a column, either way, and where it is.

    >>> largest_ratio(np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0, 1]]))
    Found(ratio=2, at=(1, 0, 0))
    """
    if is_exact(matrix):
        return _worst_exact(matrix, pairs)
    if (least := float(matrix.min())) >= 2.0**-500:
        return _worst_float(matrix, pairs)
    if least > 0 or matrix.min(where=matrix > 0, initial=math.inf) < 2.0**-500:
        return _worst_exact(matrix, pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _worst_float(matrix, pairs, np.fmax)


def largest_rates(matrix: Array, pairs: Pairs, lengths: Floats) -> list[Found]:
    """Return the largest ratios of pairs among which that of the largest ln(ratio)/length is.

    There is one for each length for which floating point cannot rule it out.
    """
    if not len(pairs):
        return []
    logs, slack = logarithms(matrix)
    best, places = 0.0, list[tuple[Pairs, ...]]()
    for tails, heads, apart in _blocks(pairs, matrix.shape[1], lengths):
        with np.errstate(invalid="ignore"):
            gaps = np.abs(logs[tails] - logs[heads])
        if np.fmax.reduce(gaps, axis=None, initial=0.0) == math.inf:
            k, z = np.argwhere(gaps == math.inf)[0]
            return [Found(math.inf, _downward(matrix, tails[k], heads[k], z))]
        # Off by the slack, and by the rounding of lengths and quotients.
        most = (gaps + slack) / (apart[:, None] * (1 - 2.0**-50))
        best = max(best, float(np.fmax.reduce((gaps - slack) / apart[:, None], axis=None)))
        k, z = np.nonzero(most >= best * (1 - 2.0**-50))
        places.append((tails[k], heads[k], z, most[k, z], apart[k]))
    tails, heads, columns, most, apart = map(np.concatenate, zip(*places, strict=True))
    left = most >= best * (1 - 2.0**-50)
    tails, heads, columns, apart = (a[left] for a in (tails, heads, columns, apart))
    kinds = (apart == length for length in np.unique(apart))
    return [_largest(matrix, tails[of], heads[of], columns[of]) for of in kinds]


def extreme_pairs(matrix: Array) -> Pairs:
    """Return pairs of rows among which every column has its largest ratio."""
    pairs = np.stack([matrix.argmax(axis=0), matrix.argmin(axis=0)], axis=1)
    return np.unique(pairs, axis=0)


def _blocks(pairs: Pairs, outputs: int, *beside: Floats) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the pairs, few enough at a time to stay in the cache."""
    size = max(1, 2**16 // outputs)
    for start in range(0, len(pairs), size):
        part = slice(start, start + size)
        yield pairs[part, 0], pairs[part, 1], *(numbers[part] for numbers in beside)


def _worst_float(matrix: Array, pairs: Pairs, larger: np.ufunc = np.maximum) -> Found:
    """Return the largest ratio of two floats exactly, and where it is.

    0/0 is no number, which ``fmax`` passes over; without zeros ``maximum`` is several times as
    quick.

    Division rounds to nearest, so the largest ratio is among those whose quotient q is largest. In
    many mechanisms most of them are. Of these ratios the largest has the largest (a − q·b)/b, which
    rounding does not turn around either; the few that are left are compared exactly.
    """
    best, found = 1.0, Found(fmpq(1), None)
    for tails, heads in _blocks(pairs, matrix.shape[1]):
        here, there = matrix[tails], matrix[heads]
        above, below = np.maximum(here, there), np.minimum(here, there, out=here)
        quotients = np.divide(above, below, out=there)
        top = float(larger.reduce(quotients, axis=None))
        if not top >= best:  # also if there is no number
            continue
        at = (quotients.ravel() == top).nonzero()[0]
        k, z = at // matrix.shape[1], at % matrix.shape[1]
        if top == math.inf:
            return Found(math.inf, _downward(matrix, tails[k[0]], heads[k[0]], z[0]))
        if len(at) == 1:
            best = top
            found = max(found, _largest(matrix, tails[k], heads[k], z), key=_ratio)
            continue
        best, above, below = top, above[k, z], below[k, z]
        beyond = _remainders(above, below, top) / below
        left = np.flatnonzero(beyond == beyond.max())
        alike = (above[left] == above[left[0]]) & (below[left] == below[left[0]])
        left = np.append(left[0], left[~alike]) if beyond[left[0]] else left[:1]  # 0: all are q
        found = max(found, _largest(matrix, tails[k[left]], heads[k[left]], z[left]), key=_ratio)
    return found


def _remainders(above: Floats, below: Floats, quotient: float) -> Floats:
    """Return above − quotient·below, which is a float, as the quotient was rounded to nearest.

    The product is split into its rounded value and the rest, as in [Dekker1971]_.
    """
    split = 2.0**27 + 1
    high_q, high = (split * x - (split * x - x) for x in (quotient, below))
    low_q, low = quotient - high_q, below - high
    product = quotient * below
    rest = low_q * low - (((product - high_q * high) - low_q * high) - high_q * low)
    return (above - product) - rest


def _worst_exact(matrix: Array, pairs: Pairs) -> Found:
    """Return the largest ratio of two exact numbers, and where it is.

    Logarithms in floating point say where to look; whatever their error could hide is compared.
    """
    logs, slack = logarithms(matrix)
    best, places = 0.0, [(np.empty(0, dtype=np.int64),) * 3]
    for tails, heads in _blocks(pairs, matrix.shape[1]):
        with np.errstate(invalid="ignore"):
            gaps = np.abs(logs[tails] - logs[heads])
        top = np.fmax.reduce(gaps, axis=None)
        if top == math.inf:
            k, z = np.argwhere(gaps == top)[0]
            return Found(math.inf, _downward(matrix, tails[k], heads[k], z))
        best = max(best, float(top))
        if top >= best - slack:
            k, z = np.nonzero(gaps >= best - slack)
            places.append((tails[k], heads[k], z))
    return _largest(matrix, *map(np.concatenate, zip(*places, strict=True)))


def _largest(matrix: Array, tails: Pairs, heads: Pairs, columns: Pairs) -> Found:
    """Return the largest ratio of the entries of two rows, either way, compared exactly."""
    best, at = fmpq(1), None
    for i, h, z in zip(tails.tolist(), heads.tolist(), columns.tolist(), strict=True):
        one, other = rational(matrix[i, z]), rational(matrix[h, z])
        ratio = one / other if one >= other else other / one
        if ratio > best:
            best, at = ratio, (i, h, z)
    return Found(best, None if at is None else _downward(matrix, *at))


def _ratio(found: Found) -> fmpq:
    return found.ratio


def _downward(matrix: Array, i: Any, h: Any, z: Any) -> Place:
    """Return the place with the row first whose entry is larger."""
    down = matrix[i, z] >= matrix[h, z]
    return (int(i), int(h), int(z)) if down else (int(h), int(i), int(z))


def logarithms(matrix: Array) -> tuple[Floats, float]:
    """Return binary logarithms, −∞ for 0, and more than a difference of two can be off.

    A logarithm is off by at most 2^−52 times its size, b for an integer of b bits; a difference
    takes two of floats, four of fractions, and a rounding for each.
    """
    if not is_exact(matrix):
        with np.errstate(divide="ignore"):
            logs = np.log2(matrix)
        largest = -logs.min(where=np.isfinite(logs), initial=0.0)
        return logs, 2.0**-49 * (1 + float(largest))
    near = float_array(matrix)
    least = float(near.min())
    if least > 2.0**-1000 or not any(matrix[near <= 2.0**-1000]):  # what is that small is 0
        logs, slack = logarithms(near)
        return logs, 2 * slack  # more than twice what rounding to a float adds
    numbers = matrix.ravel()
    flat = [math.log2(int(p.p)) - math.log2(int(p.q)) if p > 0 else -math.inf for p in numbers]
    bits = max(p.height_bits() for p in numbers)
    return np.array(flat).reshape(matrix.shape), 2.0**-48 * (1 + bits)
