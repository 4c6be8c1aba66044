"""Exact solutions of sparse systems of equations.

A square matrix is brought to block triangular form: a perfect matching of rows and columns makes
it a directed graph, whose strong components are the blocks. Only the blocks are inverted, by
flint; in the bases of linear programs they are few or small.
"""

from collections.abc import Sequence
from graphlib import TopologicalSorter
from typing import TypeAlias

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from leaktight.errors import TooLarge
from leaktight.limits import allowed

Numbers: TypeAlias = list[fmpq]

FEW_EQUATIONS = 64
"""So many equations are solved at once: looking for blocks would take longer."""

MOST_EQUATIONS = 1500
"""The most equations in one block; more would take minutes."""


def solve_equations(
    rows: Sequence[int], columns: Sequence[int], values: Sequence[fmpz], right: Numbers
) -> Numbers:
    """Return the x with M·x = ``right``; a singular M is a ``ZeroDivisionError``.

    M is square and has integer ``values`` at ``rows`` and ``columns``, each place given once.

    >>> solve_equations([0, 0, 1], [0, 1, 1], [fmpz(3), fmpz(1), fmpz(2)], [fmpq(1), fmpq(1)])
    [1/6, 1/2]
    """
    if not any(right):
        return right
    if (size := len(right)) <= FEW_EQUATIONS:
        entries = [fmpz(0)] * size**2
        for i, j, value in zip(rows, columns, values, strict=True):
            entries[i * size + j] = value
        return _solve_dense(fmpz_mat(size, size, entries), right)
    own_rows, own_columns, order = _blocks(rows, columns, len(right))
    place = {i: (b, at) for b, block in enumerate(own_rows) for at, i in enumerate(block)}
    column_place = {j: (b, at) for b, block in enumerate(own_columns) for at, j in enumerate(block)}
    inside = [[fmpz(0)] * len(block) ** 2 for block in own_rows]
    others: list[list[tuple[int, int, fmpz]]] = [[] for _ in own_rows]
    for i, j, value in zip(rows, columns, values, strict=True):
        (block, at), (used, beside) = place[i], column_place[j]
        if block == used:
            inside[block][at * len(own_rows[block]) + beside] = value
        else:
            others[block].append((at, j, value))
    x = [fmpq(0)] * len(right)
    for block in order:
        size = len(own_rows[block])
        rest = [right[i] for i in own_rows[block]]
        for at, j, value in others[block]:
            rest[at] -= value * x[j]
        solved = _solve_dense(fmpz_mat(size, size, inside[block]), rest)
        for j, number in zip(own_columns[block], solved, strict=True):
            x[j] = number
    return x


def _blocks(
    rows: Sequence[int], columns: Sequence[int], size: int
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Return the rows and columns of each block, and an order in which they can be solved."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    ones, shape = np.ones(len(rows)), (size, size)
    row_of = maximum_bipartite_matching(csr_array((ones, (rows, columns)), shape), "row")
    if (row_of < 0).any():
        raise ZeroDivisionError("no pivot for every column")
    uses = csr_array((ones, (rows, row_of[np.array(columns)])), shape)
    count, block_of = connected_components(uses, directed=True, connection="strong")
    own_rows = [np.flatnonzero(block_of == b).tolist() for b in range(count)]
    own_columns = [np.flatnonzero(block_of[row_of] == b).tolist() for b in range(count)]
    if (largest := max(map(len, own_rows))) > allowed(MOST_EQUATIONS):
        raise TooLarge(
            f"an exact answer needs {largest:,} equations solved at once, and the limit is "
            f"{allowed(MOST_EQUATIONS):,}"
        )
    needs: dict[int, set[int]] = {b: set() for b in range(count)}
    for i, j in zip(*uses.nonzero(), strict=True):
        if block_of[i] != block_of[j]:
            needs[int(block_of[i])].add(int(block_of[j]))
    return own_rows, own_columns, list(TopologicalSorter(needs).static_order())


def _solve_dense(matrix: fmpz_mat, right: Numbers) -> Numbers:
    if not any(right):
        return right
    numerators, denominator = fmpq_mat(len(right), 1, right).numer_denom()
    return [value / denominator for value in matrix.solve(numerators).entries()]
