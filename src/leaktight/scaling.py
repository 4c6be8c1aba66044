"""Which powers of 2 bring the numbers of a linear program near 1?

An LP solver works with absolute tolerances and in the range of floats. Scaling rows, columns,
bounds and costs leaves the bases of a program as they are, so a solver may be shown the scaled
program and the vertex computed from the one that was given.
"""

import numpy as np
from flint import fmpq

from leaktight.exact import Array
from leaktight.linear_program import Indices, LinearProgram

ZERO = -(2**60)
"""Stands for the logarithm of 0."""

ROUNDS = 10
"""How often rows and columns take turns."""


def scaled(program: LinearProgram) -> LinearProgram:
    """Return an exact program with the same bases and numbers near 1.

    >>> tiny = LinearProgram(["1e-400"], ([0], [0], ["1e300"]), row_lower=["1e-200"])
    >>> near = scaled(tiny).float()
    >>> near.cost.round(1), near.values.round(1), near.row_lower.round(1)
    (array([0.6]), array([1.5]), array([0.8]))
    """
    m, n = program.shape
    sizes = _magnitudes(program.values)
    rows, columns = np.zeros(m, dtype=np.intp), np.zeros(n, dtype=np.intp)
    for _ in range(ROUNDS):
        rows = -_middles(sizes + columns[program.columns], program.rows, m)
        columns = -_middles(sizes + rows[program.rows], program.columns, n)
    by_row = [_magnitudes(bounds) + rows for bounds in (program.row_lower, program.row_upper)]
    by_column = [_magnitudes(bounds) - columns for bounds in (program.lower, program.upper)]
    bounds = -_largest(np.concatenate(by_row + by_column))
    cost = -_largest(_magnitudes(program.cost) + columns)
    return LinearProgram(
        _times(program.cost, columns + cost),
        (
            program.rows,
            program.columns,
            _times(program.values, rows[program.rows] + columns[program.columns]),
        ),
        row_lower=_times(program.row_lower, rows + bounds),
        row_upper=_times(program.row_upper, rows + bounds),
        lower=_times(program.lower, bounds - columns),
        upper=_times(program.upper, bounds - columns),
    )


def _magnitudes(numbers: Array) -> Indices:
    """Return binary logarithms, rounded."""
    sizes = [v.p.bit_length() - v.q.bit_length() if v else ZERO for v in numbers]
    return np.array(sizes, dtype=np.intp)


def _middles(sizes: Indices, groups: Indices, count: int) -> Indices:
    """Return the middle between the least and the largest of each group, 0 if it has none."""
    low, high = np.full(count, -ZERO), np.full(count, ZERO)
    np.minimum.at(low, groups, sizes)
    np.maximum.at(high, groups, sizes)
    middles: Indices = (low + high) // 2
    return middles


def _largest(sizes: Indices) -> int:
    """Return the largest size, 0 if all numbers are 0."""
    largest = int(sizes.max(initial=ZERO))
    return largest if largest > ZERO // 2 else 0


def _times(numbers: Array, exponents: Indices) -> list[fmpq | None]:
    return [
        None if v is None else v * fmpq(2) ** int(e)
        for v, e in zip(numbers, exponents, strict=True)
    ]
