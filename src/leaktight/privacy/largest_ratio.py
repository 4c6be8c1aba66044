"""The largest ratio of two entries of a column, over some pairs of rows.

An approximate search proposes where, exact arithmetic decides: floats are the exact numbers that
they are. 0 against 0 counts as 1, anything positive against 0 as infinite.
"""

import math
from collections.abc import Callable, Iterable, Iterator
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
    if (least := matrix.item(matrix.argmin())) >= 2.0**-500:
        return _worst_float(matrix, pairs)
    if least > 0 or matrix.min(where=matrix > 0, initial=math.inf) < 2.0**-500:
        return _worst_exact(matrix, pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _worst_float(matrix, pairs)


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
            k, z = np.argwhere(gaps == math.inf)[0].tolist()
            return [_largest(matrix, [(tails.item(k), heads.item(k), z)])]
        # Off by the slack, and by the rounding of lengths and quotients.
        most = (gaps + slack) / (apart[:, None] * (1 - 2.0**-50))
        best = max(best, float(np.fmax.reduce((gaps - slack) / apart[:, None], axis=None)))
        k, z = np.nonzero(most >= best * (1 - 2.0**-50))
        places.append((tails[k], heads[k], z, most[k, z], apart[k]))
    tails, heads, columns, most, apart = map(np.concatenate, zip(*places, strict=True))
    where, left = np.stack([tails, heads, columns], axis=1), most >= best * (1 - 2.0**-50)
    kinds = (left & (apart == length) for length in np.unique(apart[left]))
    return [_largest(matrix, where[of].tolist()) for of in kinds]


def largest_of_columns(matrix: Array) -> Found:
    """Return the largest ratio of any two entries of a column, and where it is.

    >>> largest_of_columns(np.array([[0.25, 0.75], [0.5, 0.5]]))
    Found(ratio=2, at=(1, 0, 0))
    """
    if is_exact(matrix):
        return _worst_column(matrix)
    above, below = np.maximum.reduce(matrix), np.minimum.reduce(matrix)
    if below.item(below.argmin()) < 2.0**-500:
        vanishes = (below == 0) & (above > 0)
        if not vanishes.any():
            return _worst_column(matrix)
        columns = [int(vanishes.argmax())]
    else:
        columns = _at_largest(above, below, above / below)
    ends = [(int(matrix[:, z].argmax()), int(matrix[:, z].argmin()), z) for z in columns]
    return _largest(matrix, ends)


def _blocks(pairs: Pairs, outputs: int, *beside: Floats) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the pairs, few enough at a time to stay in the cache."""
    size = max(1, 2**16 // outputs)
    if 0 < len(pairs) <= size:
        yield pairs[:, 0], pairs[:, 1], *beside
        return
    for start in range(0, len(pairs), size):
        part = slice(start, start + size)
        yield pairs[part, 0], pairs[part, 1], *(numbers[part] for numbers in beside)


def _worst_float(matrix: Array, pairs: Pairs) -> Found:
    """Return the largest ratio of two floats, none of which is tiny, exactly, and where it is."""
    found, outputs = Found(fmpq(1), None), matrix.shape[1]
    for tails, heads in _blocks(pairs, outputs):
        here, there = matrix.take(tails, axis=0), matrix.take(heads, axis=0)
        above, below = np.maximum(here, there), np.minimum(here, there, out=here)
        at = _at_largest(above, below, np.divide(above, below, out=there))
        places = [(tails.item(k // outputs), heads.item(k // outputs), k % outputs) for k in at]
        worst = _largest(matrix, places)
        if worst.ratio == math.inf:
            return worst
        found = worst if worst.ratio > found.ratio else found
    return found


def _at_largest(above: Floats, below: Floats, quotients: Floats) -> list[int]:
    """Return where above/below may be largest, counted through all entries; 0/0 is passed over.

    Division rounds to nearest, so the largest ratio is among those whose quotient q is largest. In
    many mechanisms most of them are. Of these ratios the largest has the largest (a − q·b)/b, which
    rounding does not turn around either; the few that are left are compared exactly.
    """
    first = int(quotients.argmax())
    top = quotients.item(first)
    if top != top:  # 0/0, which argmax takes for the largest
        quotients[np.isnan(quotients)] = 0
        first = int(quotients.argmax())
        top = quotients.item(first)
    tied = quotients == top
    if top in (0, math.inf) or np.count_nonzero(tied) == 1:
        return [first]
    above, below, at = above[tied], below[tied], np.flatnonzero(tied)
    beyond = _remainders(above, below, top) / below
    left = np.flatnonzero(beyond == beyond.max())
    alike = (above[left] == above[left[0]]) & (below[left] == below[left[0]])
    left = np.append(left[0], left[~alike]) if beyond[left[0]] else left[:1]  # 0: all are q
    chosen: list[int] = at[left].tolist()
    return chosen


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
    best, places = 0.0, [np.empty((0, 3), dtype=np.int64)]
    for tails, heads in _blocks(pairs, matrix.shape[1]):
        with np.errstate(invalid="ignore"):
            gaps = np.abs(logs[tails] - logs[heads])
        top = np.fmax.reduce(gaps, axis=None)
        if top == math.inf:
            k, z = np.argwhere(gaps == top)[0].tolist()
            return _largest(matrix, [(tails.item(k), heads.item(k), z)])
        best = max(best, float(top))
        if top >= best - slack:
            k, z = np.nonzero(gaps >= best - slack)
            places.append(np.stack([tails[k], heads[k], z], axis=1))
    return _largest(matrix, np.concatenate(places).tolist())


def _worst_column(matrix: Array) -> Found:
    """Return the largest ratio of two entries of a column exactly, found by logarithms."""
    logs, slack = logarithms(matrix)
    most, least = logs.max(axis=0), logs.min(axis=0)
    with np.errstate(invalid="ignore"):
        gaps = most - least
    top, places = np.fmax.reduce(gaps), list[Place]()
    for z in np.flatnonzero(gaps >= top - slack).tolist():
        if top == math.inf:
            return _largest(matrix, [(int(logs[:, z].argmax()), int(logs[:, z].argmin()), z)])
        high, low = logs[:, z] >= most[z] - slack, logs[:, z] <= least[z] + slack
        places.append((_extreme(matrix[:, z], high, max), _extreme(matrix[:, z], low, min), z))
    return _largest(matrix, places)


def _extreme(column: Array, near: Array, of: Callable[..., int]) -> int:
    """Return where the largest or the least entry of a column is first, given where it may be."""
    rows = np.flatnonzero(near)[::-1].tolist()
    # Mechanisms repeat a few numbers, as the same objects; what is found must not depend on that.
    first = dict(zip(map(id, column[rows].tolist()), rows, strict=True)).values()
    return of(sorted(first), key=column.item)


def _largest(matrix: Array, places: Iterable[Place]) -> Found:
    """Return the largest ratio of the entries of two rows, either way, compared exactly."""
    best, at = fmpq(1), None
    for i, h, z in places:
        one, other = matrix.item(i, z), matrix.item(h, z)
        if one < other:
            i, h, one, other = h, i, other, one
        if one and not other:
            return Found(math.inf, (i, h, z))
        if other and (ratio := rational(one) / rational(other)) > best:
            best, at = ratio, (i, h, z)
    return Found(best, at)


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
