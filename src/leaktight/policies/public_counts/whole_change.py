"""How far whole numbers change between neighbours under public counts, for many values.

Where neighbours differ by a simple cycle of cells, each cell is left once and entered once, so that
the change is a sum over cells of W(entered) − W(left), both of the same cell. A sum of absolute
changes is then at most the sum over cells of how far apart two of their values are, and with the
signs of few coordinates fixed exactly the sum of ranges (docs/proofs/public-counts.md, section 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.errors import TooLarge
from leaktight.limits import allowed
from leaktight.policies.public_counts.counts import PublicCounts
from leaktight.policies.public_counts.gains import Gains
from leaktight.policies.public_counts.linear_change import largest_change

Matrix: TypeAlias = npt.NDArray[np.int64]

FEW_VALUES = 16
"""Of so many values every move is tried where not all pairs are secrets."""

MOST_SIGNS = 12
"""The most coordinates of which both signs are tried."""

FEW_NUMBERS = 16
"""Of so many numbers each is asked by itself how much a kind changes it."""

MOST_ROWS = 4000
"""The most different rows of W in one cell."""

MOST_ENTRIES = 2**24
"""The most entries that are looked at together."""

LARGEST_WEIGHT = 2**40
"""The largest weight in a square of changes."""

LARGEST_SUM = 2**62
"""What no sum of changes may exceed, so that it is one of 64 bits."""


@dataclass(frozen=True, slots=True)
class Change:
    """The largest change between neighbours: at most ``most``, and moves that change much."""

    most: int
    moves: tuple[tuple[int, int], ...] = ()
    """From which value to which, one for each record that changes."""


def largest_whole_change(counts: PublicCounts, matrix: Matrix) -> Change:
    """Return the largest Σ_i |change of number i| between neighbours, for W in whole numbers.

    ``matrix`` has a row for each value, with what a record of it adds to each number.

    >>> from leaktight.policies.graph import Graph
    >>> from leaktight.policies.public_counts.cells import Cells
    >>> two = Cells.of(4, 100, [({0, 1}, 40, 40)])
    >>> pairs = [(i, j) for i in range(4) for j in range(i)]
    >>> largest_whole_change(PublicCounts(two, Graph(4, pairs)), np.eye(4, dtype=np.int64)).most
    4
    """
    _expect_small(matrix, len(counts.cells.members))
    if not counts.crosses:
        return _single(counts, matrix)
    there = counts.cells.on_cycles
    if there is None or (not counts.all_secret and len(matrix) <= FEW_VALUES):
        return _searched(counts, matrix)
    cells = [_distinct(matrix, counts.cells.members[i]) for i in there]
    width = matrix.shape[1]
    ends = _by_signs(cells, matrix) if width <= MOST_SIGNS else None
    if ends is None:
        ends = [_furthest(values, matrix) for values in cells]
        most = sum(int(np.abs(matrix[u] - matrix[v]).sum()) for u, v in ends)
    else:
        most = int(np.abs(sum(matrix[v] - matrix[u] for u, v in ends)).sum())
    left, entered = [u for u, _ in ends], [v for _, v in ends]
    moves = tuple(zip(left, [*entered[1:], entered[0]], strict=True))
    return Change(most, moves)


def largest_whole_square(counts: PublicCounts, matrix: Matrix, factors: Sequence[int]) -> Change:
    """Return a bound on Σ_i factor_i·(change of number i)² between neighbours.

    If no neighbours change number i by more than c_i, that is at most Σ_i factor_i·c_i·|change|.
    """
    _expect_small(matrix, len(counts.cells.members))
    each = _largest_of_each(counts, matrix)
    times = [factor * change for factor, change in zip(factors, each, strict=True)]
    return largest_whole_change(counts, scaled(matrix, times, LARGEST_WEIGHT))


def scaled(matrix: Matrix, factors: Sequence[int], most: int = LARGEST_SUM) -> Matrix:
    """Return the columns of a matrix times whole numbers, however large; none exceeds ``most``.

    >>> scaled(np.array([[1, 0]]), [3, 2**70])
    array([[3, 0]])
    """
    heights = _heights(matrix)
    used = [i for i, height in enumerate(heights) if height]
    if any(factors[i] * heights[i] > most for i in used):
        raise TooLarge("the weights are too large to be compared; count in a larger unit")
    found = np.zeros_like(matrix)
    found[:, used] = matrix[:, used] * np.array([factors[i] for i in used], dtype=np.int64)
    return found


def _heights(matrix: Matrix) -> list[int]:
    """Return the largest size in each column."""
    if not len(matrix):
        return [0] * matrix.shape[1]
    low, high = matrix.min(axis=0).tolist(), matrix.max(axis=0).tolist()
    return [max(-a, b) for a, b in zip(low, high, strict=True)]


def _expect_small(matrix: Matrix, cells: int) -> None:
    """Refuse weights of which some sum may not be a whole number of 64 bits.

    Of each cell two rows are compared, and what they differ by is added up.
    """
    _expect_sum(2 * cells * sum(_heights(matrix)))


def _expect_sum(most: int) -> None:
    if most > LARGEST_SUM:
        raise TooLarge("the weights are too large to be added up; count in a larger unit")


def _largest_of_each(counts: PublicCounts, matrix: Matrix) -> list[int]:
    """Return for each number by how much neighbours change it at most."""
    members = counts.cells.members
    if not counts.crosses:
        pairs = _within(counts)
        apart = np.abs(matrix[pairs[:, 0]] - matrix[pairs[:, 1]])
        return apart.max(axis=0, initial=0).tolist()
    low, high = (
        np.array([f(matrix[list(values)], axis=0) for values in members]) for f in (np.min, np.max)
    )
    there = counts.cells.on_cycles
    if there is not None:
        return (high - low)[there].sum(axis=0).tolist()
    signature = counts.kinds.signature
    best = np.zeros((len(counts.kinds.signatures), matrix.shape[1]), dtype=np.int64)
    for a, b in np.argwhere(signature >= 0).tolist():
        place = signature[a, b]
        best[place] = np.maximum(best[place], np.maximum(high[b] - low[a], 0))
    alone: list[int] = (high - low).max(axis=0).tolist()
    if counts.kinds.are_all:
        kinds = counts.kinds.multisets[:, : len(best)]
        _expect_sum(int(kinds.sum(axis=1).max(initial=0)) * int(best.max(initial=0)))
        return list(map(max, alone, (kinds @ best).max(axis=0, initial=0).tolist()))
    several = [most * counts.kinds.most_moves for most in best.max(axis=0, initial=0).tolist()]
    if best.shape[1] <= FEW_NUMBERS:
        for number, weights in enumerate(best.T.tolist()):
            most = counts.kinds.most_added([fmpq(weight) for weight in weights], fmpq(0))
            if most is not None:
                several[number] = min(several[number], int(most.ceil()))
    return list(map(max, alone, several))


def _within(counts: PublicCounts) -> Matrix:
    """Return the secret pairs within a cell."""
    cell = np.full(counts.secrets.order, -1)
    for i, values in enumerate(counts.cells.members):
        cell[list(values)] = i
    edges = counts.secrets.edges
    return edges[(cell[edges[:, 0]] == cell[edges[:, 1]]) & (cell[edges[:, 0]] >= 0)]


def _single(counts: PublicCounts, matrix: Matrix) -> Change:
    """Return the largest change of one record alone, within its cell."""
    pairs, best, at = _within(counts), 0, None
    several = max(1, MOST_ENTRIES // max(1, matrix.shape[1]))
    for start in range(0, len(pairs), several):
        some = pairs[start : start + several]
        sizes = np.abs(matrix[some[:, 0]] - matrix[some[:, 1]]).sum(axis=1)
        if sizes.max(initial=0) > best:
            best, at = int(sizes.max()), some[sizes.argmax()]
    return Change(best, () if at is None else ((int(at[0]), int(at[1])),))


def _searched(counts: PublicCounts, matrix: Matrix) -> Change:
    """Return what the kinds of neighbours add."""
    if len(matrix) <= FEW_VALUES:
        found = largest_change(counts, [tuple(map(fmpq, row)) for row in matrix.tolist()])
    else:

        def apart(start: Matrix, end: Matrix) -> Matrix:
            return np.abs(matrix[start][:, None] - matrix[end][None]).sum(axis=2)

        found = counts.heaviest(Gains.by_scores(counts.cells, counts.secrets, apart))
    return Change(int(found.upper.ceil()), tuple((m.source, m.target) for m in found.moves))


def _distinct(matrix: Matrix, values: Sequence[int]) -> Matrix:
    """Return values of a cell with all its different rows of W."""
    some = np.array(values)
    _, first = np.unique(matrix[some], axis=0, return_index=True)
    if len(first) > allowed(MOST_ROWS):
        raise TooLarge(
            f"at most {allowed(MOST_ROWS):,} different values of one public count are compared, "
            f"got {len(first):,}; ask for coarser tables"
        )
    return some[first]


def _furthest(values: Matrix, matrix: Matrix) -> tuple[int, int]:
    """Return two values of a cell whose rows are furthest apart."""
    rows = matrix[values]
    best, found = -1, (0, 0)
    several = max(1, MOST_ENTRIES // max(1, rows.size))
    for start in range(0, len(rows), several):
        gaps = np.abs(rows[start : start + several, None] - rows[None]).sum(axis=2)
        if int(gaps.max()) > best:
            best = int(gaps.max())
            i, j = np.unravel_index(int(gaps.argmax()), gaps.shape)
            found = start + int(i), int(j)
    return int(values[found[0]]), int(values[found[1]])


def _by_signs(cells: list[Matrix], matrix: Matrix) -> list[tuple[int, int]]:
    """Return for each cell the values left and entered, with the signs for which ranges are most.

    Neighbours are so both ways, so that the first sign may be fixed.
    """
    width = matrix.shape[1]
    signs = 1 - 2 * ((np.arange(2 ** max(0, width - 1))[:, None] >> np.arange(width)) & 1)
    signs = signs[:, ::-1]
    totals = np.zeros(len(signs), dtype=np.int64)
    for values in cells:
        several = max(1, MOST_ENTRIES // len(values))
        for start in range(0, len(signs), several):
            heights = matrix[values] @ signs[start : start + several].T
            totals[start : start + several] += heights.max(axis=0) - heights.min(axis=0)
    best = signs[int(totals.argmax())]
    heights = matrix @ best
    return [
        (int(values[heights[values].argmin()]), int(values[heights[values].argmax()]))
        for values in cells
    ]
