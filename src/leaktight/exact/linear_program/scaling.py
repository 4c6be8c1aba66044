"""Powers of 2 that bring the numbers of a linear program near 1.

An LP solver works with absolute tolerances and in the range of floats. Scaling rows, columns,
bounds and costs leaves the bases of a program as they are, so a solver may be shown the scaled
program and the vertex computed from the one that was given.
"""

import numpy as np
from flint import fmpq

from leaktight.exact.linear_program.program import Indices, LinearProgram
from leaktight.exact.numbers import Array

ZERO = -(2**60)
"""Stands for the logarithm of 0."""

ROUNDS = 10
"""How often rows and columns take turns."""

HORIZON = 2**40
"""How many times farther than the largest violation a bound is still looked at."""


def scaled(program: LinearProgram, unit: fmpq | None = None) -> LinearProgram:
    """Return an exact program with the same bases and numbers near 1.

    The bounds are multiplied so that ``unit`` comes near 1, or else the largest of them does.

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
    sizes = np.concatenate(by_row + by_column) if unit is None else _magnitudes(np.array([unit]))
    bounds = -_largest(sizes)
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


def zoomed(program: LinearProgram, x: list[fmpq], r: list[fmpq]) -> LinearProgram | None:
    """Return the program as seen from x, where A·x = r, so near that violations are near 1.

    A solver that did not notice them before now does ([Gleixner2016]_). Bounds far away are left
    out. If no bound is violated at x there is nothing to see, and the answer is None.

    >>> half = LinearProgram([1], ([0], [0], [1]), row_lower=["1/2"])
    >>> near = zoomed(half, [fmpq(1, 2) - fmpq(1, 2**90)], [fmpq(1, 2) - fmpq(1, 2**90)])
    >>> near.row_lower, near.lower
    (array([1], dtype=object), array([None], dtype=object))
    """
    bounds = (
        (program.lower, x, 1),
        (program.upper, x, -1),
        (program.row_lower, r, 1),
        (program.row_upper, r, -1),
    )
    away = [
        [None if b is None else (b - v) * sign for b, v in zip(of, at, strict=True)]
        for of, at, sign in bounds
    ]
    worst = max((d for side in away for d in side if d is not None), default=fmpq(0))
    if worst <= 0:
        return None
    lower, upper, row_lower, row_upper = (
        [None if d is None or d < -worst * HORIZON else d * sign for d in side]
        for side, (_, _, sign) in zip(away, bounds, strict=True)
    )
    near = LinearProgram(
        program.cost,
        (program.rows, program.columns, program.values),
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
    )
    return scaled(near, worst)


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
