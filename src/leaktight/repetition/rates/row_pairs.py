"""The two rows of a channel that are hardest, or easiest, to tell apart in the long run.

The pair with the least, or the largest, Chernoff information C. Floating point bounds C for all
pairs at once and leaves the few pairs that its rounding cannot rule out; these are enclosed by
ball arithmetic.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.exact.bound import Bits
from leaktight.exact.numbers import Array, exact_array, is_exact
from leaktight.exact.threads import one_thread
from leaktight.repetition.rates.chernoff import (
    ChernoffInformation,
    Floats,
    certified,
    natural_log,
    overlap,
    propose,
)

Mask = npt.NDArray[np.bool_]
Pairs = npt.NDArray[np.int64]

FEW = 2**6
"""How many pairs can be sorted while one product of matrices is made, about."""

BLOCK = 2**19
"""How many floats are worked on at once."""

UNDERFLOW = 2.0**-400
"""More than products of square roots of probabilities can lose below the range of floats."""


@dataclass(frozen=True, slots=True, repr=False)
class RowPair(Bits):
    """The Chernoff information of the ``rows`` for which it is least, or largest, in bits."""

    rows: tuple[int, int]


def hardest_rows(matrix: Array, wanted: Mask) -> RowPair:
    """Return the pair of rows with the least Chernoff information.

    ``wanted[i, j]`` says whether rows i and j are compared; only i < j is looked at, and there
    must be such a pair.
    """
    found = _enclosed(matrix, _candidates(matrix, wanted, 1))
    rows, _ = min(found, key=lambda pair: pair[1].upper)
    return RowPair(min(c.lower for _, c in found), min(c.upper for _, c in found), rows)


def easiest_rows(matrix: Array, wanted: Mask) -> RowPair:
    """Return the pair of rows with the largest Chernoff information, as ``hardest_rows`` does."""
    found = _enclosed(matrix, _candidates(matrix, wanted, -1))
    rows, _ = max(found, key=lambda pair: pair[1].lower)
    return RowPair(max(c.lower for _, c in found), max(c.upper for _, c in found), rows)


def _enclosed(matrix: Array, pairs: Pairs) -> list[tuple[tuple[int, int], ChernoffInformation]]:
    """Return each of the pairs with its Chernoff information; many of them may be alike."""
    rows = {i: exact_array(matrix[i]) for i in np.unique(pairs).tolist()}
    numbers: dict[tuple[int, int], int] = {}
    codes = np.zeros(matrix.shape, dtype=np.int64)
    for i, row in rows.items():
        codes[i] = [numbers.setdefault((int(p.p), int(p.q)), len(numbers)) for p in row]
    found = []
    for i, j in _unlike(codes, len(numbers), pairs):
        p, q = (rows[k] / rows[k].sum() for k in (i, j))
        found.append(((i, j), certified(overlap(p, q))))
    return found


@one_thread()
def _unlike(codes: Pairs, numbers: int, pairs: Pairs) -> list[tuple[int, int]]:
    """Return the pairs without those that differ from others by the order of the outputs alone.

    Most ties are such. If there are few different numbers, products of matrices count for all
    pairs how often each two of them meet; otherwise what meets is sorted, pair by pair.
    """
    if numbers**2 * FEW > len(pairs):
        unlike: dict[bytes, tuple[int, int]] = {}
        for i, j in pairs.tolist():
            both = np.sort(codes[i] * numbers + codes[j])
            unlike.setdefault(both.tobytes(), (i, j))
        return list(unlike.values())
    kinds = np.zeros(len(pairs), dtype=np.int64)
    for a, b in product(range(numbers), repeat=2):
        meetings = (codes == a).astype(float) @ (codes == b).astype(float).T
        counted = meetings[tuple(pairs.T)].astype(np.int64)
        kinds = np.unique(kinds * (codes.shape[1] + 1) + counted, return_inverse=True)[1]
    first = np.sort(np.unique(kinds, return_index=True)[1])
    return [(i, j) for i, j in pairs[first].tolist()]


# --- the pairs that floats cannot rule out -------------------------------------------------


def _candidates(matrix: Array, wanted: Mask, sign: int) -> Pairs:
    """Return the pairs whose sign·C may be least, given what floats know about each.

    With m outputs and L the size of the logarithms, ``unit`` is more than twice what g is off,
    relatively, and 2(1 + L) of them more than the slope of log g is (docs/proofs/rates.md, 8).
    """
    logs, size = _logarithms(matrix)
    unit = (matrix.shape[1] + 4 * size + 16) * 2.0**-50
    pairs, least, width = _narrowed(_half_way(logs, unit, size, wanted), sign)
    if width > min(8 * (1 + size) * unit, 2.0**-20 * abs(least)):  # else only rounding is left
        pairs, _, _ = _narrowed(_at_the_minimum(logs, unit, size, pairs), sign)
    return pairs[np.lexsort(pairs.T[::-1])]


def _narrowed(
    blocks: Iterator[tuple[Pairs, Floats, Floats]], sign: int
) -> tuple[Pairs, float, float]:
    """Return the pairs whose bounds allow that sign·C is least, what bounds it, and how widely."""
    best, kept = math.inf, []
    for pairs, lower, upper in blocks:
        low, high = (lower, upper) if sign > 0 else (-upper, -lower)
        best = min(best, high.min(initial=math.inf))
        with np.errstate(invalid="ignore"):
            width = np.where(low == high, 0, high - low)
        kept.append((pairs[low <= best], low[low <= best], width[low <= best]))
    pairs, low, width = (np.concatenate(part) for part in zip(*kept, strict=True))
    return pairs[low <= best], best, float(width[low <= best].max())


def _logarithms(matrix: Array) -> tuple[Floats, float]:
    """Return the logarithms of the normalised rows, −∞ for 0, and what bounds their size."""
    if is_exact(matrix):
        listed = [(int(p.p), int(p.q)) for p in matrix.ravel()]
        known = {pair: fmpq(*pair) for pair in set(listed)}
        found = {pair: natural_log(p) if p > 0 else -math.inf for pair, p in known.items()}
        logs = np.array([found[pair] for pair in listed]).reshape(matrix.shape)
        return logs, max(p.height_bits() for p in known.values())
    with np.errstate(divide="ignore"):
        logs = np.log(matrix) - np.log(matrix.sum(axis=1, keepdims=True))
    return logs, -float(logs.min(where=np.isfinite(logs), initial=0.0))


def _half_way(
    logs: Floats, unit: float, size: float, wanted: Mask
) -> Iterator[tuple[Pairs, Floats, Floats]]:
    """Yield the wanted pairs with bounds on C in nats, from g and its slope at s = ½.

    With h = log g: −h(½) ≤ C ≤ −h(½) + |h′(½)|/2, as h is convex, and C ≤ −2·h(½), as moreover
    h ≤ 0 at both ends. Products of matrices give g and g′ for all pairs.
    """
    roots = np.exp(logs / 2)
    scaled = roots * np.where(roots > 0, logs, 0)
    height = max(1, BLOCK // len(logs))
    for start in range(0, len(logs), height):
        rows = slice(start, start + height)
        at = np.nonzero(np.triu(wanted[rows], start + 1))
        pairs = np.stack([at[0] + start, at[1]], axis=1)
        with one_thread():
            g = (roots[rows] @ roots.T)[at]
            slope = (scaled[rows] @ roots.T - roots[rows] @ scaled.T)[at]
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = -np.log(np.minimum(g * (1 + unit) + UNDERFLOW, 1))
            upper = -np.log(np.maximum(g * (1 - unit) - UNDERFLOW, 0))
            tilt = np.abs(slope) / g + 4 * (1 + size) * unit
            yield pairs, lower, np.fmin(2 * upper, upper + tilt / 2)


def _at_the_minimum(
    logs: Floats, unit: float, size: float, pairs: Pairs
) -> Iterator[tuple[Pairs, Floats, Floats]]:
    """Yield the pairs with bounds on C in nats, from g near its minimum."""
    height = max(1, BLOCK // logs.shape[1])
    for start in range(0, len(pairs), height):
        some = pairs[start : start + height]
        p, q = logs[some.T]
        common = np.isfinite(p) & np.isfinite(q)
        apart = ~common.any(axis=1)
        ratios = np.where(common, p, 0) - np.where(common, q, 0)
        weights = np.where(common, q, np.where(apart[:, None], 0, -np.inf))
        _, least, drop = propose(ratios, weights)
        upper = -least + drop + 4 * (1 + size) * unit
        upper[drop > 0.5] = math.inf
        bounds = _by_distance(p, q, np.abs(ratios).max(axis=1) + unit, unit)
        lower, upper = np.maximum(-least - unit, bounds[0]), np.minimum(upper, bounds[1])
        lower[apart] = upper[apart] = math.inf
        yield some, lower, upper


def _by_distance(p: Floats, q: Floats, furthest: Floats, unit: float) -> tuple[Floats, Floats]:
    """Return bounds on C in nats that are relatively good for rows that are nearly equal.

    g(½) = 1 − d²/2 for the Euclidean distance d of the roots. If the supports are equal and
    B = −log g(½), then B ≤ C ≤ B·(1 + R·cosh(R/2)/(6·g(½))) for the largest |log ratio| R, which is
    proved in docs/proofs/rates.md.
    """
    distance = np.sqrt(((np.exp(p / 2) - np.exp(q / 2)) ** 2).sum(axis=1))
    off = unit * (1 + distance)
    close, far = np.maximum(distance - off, 0) ** 2 / 2, (distance + off) ** 2 / 2
    near = (furthest < 1) & (far < 0.5) & (np.isfinite(p) == np.isfinite(q)).all(axis=1)
    far, furthest = np.where(near, far, 0), np.where(near, furthest, 0)
    factor = 1 + furthest * np.cosh(furthest / 2) / (6 * (1 - far))
    upper = np.where(near, -np.log1p(-far) * factor, math.inf)
    lower = np.where(near, -np.log1p(-np.minimum(close, 0.5)), 0)
    return lower * (1 - unit), upper * (1 + unit)
