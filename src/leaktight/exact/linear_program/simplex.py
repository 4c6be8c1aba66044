"""The optimal basis of a linear program, exactly.

The LP solver proposes a basis. Its vertex and its prices are computed with rationals, and their
signs decide. If some are wrong, the least-index criss-cross method [Terlaky1985]_ goes on from
there: it needs neither a feasible start nor a tolerance, and never visits a basis twice.

The variables are x and then r = A·x, each between its bounds. A variable with two bounds counts
as two with one bound each, whose sum is fixed, and the least index is looked for among those. A
free variable never leaves the basis and a fixed one never enters it, so these are no reason to
go round for ever.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat, fmpz

from leaktight.errors import InvalidInput, Undecided, expect
from leaktight.exact.equations import Numbers, solve_equations
from leaktight.exact.linear_program.highs import propose
from leaktight.exact.linear_program.program import (
    Answer,
    Basis,
    Flags,
    Infeasible,
    LinearProgram,
    Optimum,
    Unbounded,
)
from leaktight.exact.linear_program.scaling import scaled, zoomed
from leaktight.exact.numbers import Array, exact_array

MOST_ZOOMS = 3
"""How often the solver is asked again before exact pivots begin."""

MOST_PIVOTS = 2000
"""The most exact pivots before a program counts as undecided."""


def solve_exact(program: LinearProgram, pivots: int = MOST_PIVOTS) -> Answer:
    """Return the optimum of an exact program, or the exact proof that there is none.

    If that takes more exact pivots than ``pivots``, it is undecided.

    >>> entries = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, -1])
    >>> best = solve_exact(LinearProgram([3, 2], entries, row_lower=["1/3", 0]))
    >>> best.value, best.x, best.y
    (5/6, array([1/6, 1/6], dtype=object), array([5/2, 1/2], dtype=object))
    """
    if not expect(program, LinearProgram, "LinearProgram(cost, entries) makes one").is_exact:
        raise InvalidInput("an exact answer needs exact numbers, got floats; solve() takes them")
    integers = _Integers.of(program)
    try:
        return _criss_cross(integers, _proposed(program, integers), pivots)
    except ZeroDivisionError:  # the proposed columns are independent only up to rounding
        return _criss_cross(integers, Basis.slack(program), pivots)


def _proposed(program: LinearProgram, integers: "_Integers") -> Basis:
    """Return the solver's basis; while its vertex violates bounds, it is asked again from there."""
    basis = propose(scaled(program))
    for _ in range(MOST_ZOOMS):
        if basis.first is not None:
            break
        corner = integers.corner(basis.basic, integers.standing(basis.at_upper))
        values = _Vertex.of(integers, basis.basic).values(corner)
        x, r = values[: len(integers.cost)], values[len(integers.cost) :]
        near = zoomed(program, x, [v / s for v, s in zip(r, integers.scale, strict=True)])
        if near is None:
            break
        basis = propose(near)
    return basis


# --- the method ---


class _Move(NamedTuple):
    """A variable goes up (1) or down (-1), from one of its bounds or towards it."""

    bound: int
    variable: int
    sign: int


def _criss_cross(program: "_Integers", start: Basis, pivots: int = MOST_PIVOTS) -> Answer:
    """Pivot from any basis until no bound is violated and no price has the wrong sign."""
    n = len(program.cost)
    basic, upper = start.basic.copy(), program.standing(start.at_upper)
    first = start.first
    for _ in range(pivots):
        vertex = _Vertex.of(program, basic)
        values = vertex.values(program.corner(basic, upper))
        prices = vertex.prices(program.cost)
        free = list(program.moves(basic, upper))
        wrong = [
            *program.violations(basic, values),
            *(move for move in free if move.sign * prices[move.variable] < 0),
        ]
        if not wrong:
            x = exact_array(values[:n])
            return Optimum(x @ exact_array(program.cost), x, program.unscaled(prices[n:]))
        _, v, sign = next((move for move in wrong if move.variable == first), min(wrong))
        first = None
        if basic[v]:
            row = vertex.prices(program.objective(v))
            entering = [move for move in free if sign * move.sign * row[move.variable] > 0]
            if not entering:
                return Infeasible(program.unscaled(program.farkas(v, sign, row)))
            basic[v], upper[v] = False, sign < 0
            basic[min(entering).variable] = True
        else:
            column = vertex.values(_unit(v, len(basic), sign))
            leaving = list(program.obstacles(column, basic, v))
            if not leaving:
                return _unbounded(program, Basis(basic, upper), exact_array(column[:n]), pivots)
            _, p, side = min(leaving)
            basic[v], basic[p], upper[p] = True, False, side > 0
    raise Undecided(
        f"the linear program of {len(program.scale)} rows and {n} variables is not solved after "
        f"{pivots} exact pivots"
    )


def _unbounded(program: "_Integers", basis: Basis, direction: Array, pivots: int) -> Answer:
    answer = _criss_cross(replace(program, cost=[fmpq(0)] * len(program.cost)), basis, pivots)
    feasible = answer.optimum
    return answer if feasible is None else Unbounded(feasible.x, direction)


def _unit(at: int, count: int, value: int = 1) -> Numbers:
    return [fmpq(value if i == at else 0) for i in range(count)]


# --- the program ---


@dataclass(frozen=True, slots=True, eq=False)
class _Integers:
    """A program whose rows are multiplied by ``scale`` so that the entries are integers.

    The bounds are those of x and then those of r.
    """

    rows: list[int]
    columns: list[int]
    values: list[fmpz]
    scale: list[fmpz]
    cost: Numbers
    lower: list[fmpq | None]
    upper: list[fmpq | None]

    @classmethod
    def of(cls, program: LinearProgram) -> "_Integers":
        rows = program.rows.tolist()
        scale = [fmpz(1)] * program.shape[0]
        for i, value in zip(rows, program.values, strict=True):
            scale[i] = scale[i].lcm(value.q)

        def scaled(bounds: Array) -> list[fmpq | None]:
            return [None if b is None else b * s for b, s in zip(bounds, scale, strict=True)]

        return cls(
            rows,
            program.columns.tolist(),
            [(v * scale[i]).p for i, v in zip(rows, program.values, strict=True)],
            scale,
            list(program.cost),
            [*program.lower, *scaled(program.row_lower)],
            [*program.upper, *scaled(program.row_upper)],
        )

    def unscaled(self, y: Numbers) -> Array:
        """Weights of the rows as weights of the rows as they were given."""
        return exact_array(value * s for value, s in zip(y, self.scale, strict=True))

    def times(self, x: Numbers) -> Numbers:
        """A·x."""
        return _product(self.rows, self.columns, self.values, x, len(self.scale))

    def times_transposed(self, y: Numbers) -> Numbers:
        """Aᵀ·y."""
        return _product(self.columns, self.rows, self.values, y, len(self.cost))

    def objective(self, v: int) -> Numbers:
        """Variable v as a function of x."""
        n = len(self.cost)
        if v < n:
            return _unit(v, n)
        return self.times_transposed(_unit(v - n, len(self.scale)))

    def farkas(self, v: int, sign: int, row: Numbers) -> Numbers:
        """The weights that say that v, a combination ``row`` of others, cannot reach its bound."""
        n = len(self.cost)
        return [sign * ((n + i == v) - y) for i, y in enumerate(row[n:])]

    # --- bounds ---

    def standing(self, upper: Flags) -> Flags:
        """At which bound each variable stands when it is not basic, if it has it."""
        return np.array(
            [
                most is not None and (least is None or bool(up))
                for least, most, up in zip(self.lower, self.upper, upper, strict=True)
            ]
        )

    def corner(self, basic: Flags, upper: Flags) -> Numbers:
        """The bounds at which the variables that are not basic stand, and 0 for the others."""
        return [
            fmpq(0) if inside else (most if up else least) or fmpq(0)
            for least, most, inside, up in zip(self.lower, self.upper, basic, upper, strict=True)
        ]

    def moves(self, basic: Flags, upper: Flags) -> Iterator[_Move]:
        """How the variables that are not basic can leave the bound at which they stand."""
        for v in np.flatnonzero(~basic).tolist():
            least, most = self.lower[v], self.upper[v]
            if least is None and most is None:
                yield from (_Move(2 * v, v, 1), _Move(2 * v, v, -1))
            elif least != most:
                yield _Move(2 * v + 1, v, -1) if upper[v] else _Move(2 * v, v, 1)

    def violations(self, basic: Flags, values: Numbers) -> Iterator[_Move]:
        """How the basic variables that violate a bound must move."""
        for v in np.flatnonzero(basic).tolist():
            least, most = self.lower[v], self.upper[v]
            if least is not None and values[v] < least:
                yield _Move(2 * v, v, 1)
            if most is not None and values[v] > most:
                yield _Move(2 * v + 1, v, -1)

    def obstacles(self, direction: Numbers, basic: Flags, moving: int) -> Iterator[_Move]:
        """Which bounds stop variables that move in a direction."""
        for v in [*np.flatnonzero(basic).tolist(), moving]:
            if direction[v] < 0 and self.lower[v] is not None:
                yield _Move(2 * v, v, -1)
            if direction[v] > 0 and self.upper[v] is not None:
                yield _Move(2 * v + 1, v, 1)


def _product(
    rows: list[int], columns: list[int], values: list[fmpz], x: Numbers, count: int
) -> Numbers:
    numerators, denominator = _common(x)
    sums = [fmpz(0)] * count
    for i, j, value in zip(rows, columns, values, strict=True):
        if numerators[j]:
            sums[i] += value * numerators[j]
    return [fmpq(s, denominator) for s in sums]


def _common(numbers: Numbers) -> tuple[list[fmpz], fmpz]:
    numerators, denominator = fmpq_mat(len(numbers), 1, numbers).numer_denom()
    return numerators.entries(), denominator


# --- the vertex of a basis ---


@dataclass(frozen=True, slots=True, eq=False)
class _Vertex:
    """The equations of a basis: the rows that bind, in the basic columns."""

    program: _Integers
    rows: list[int]
    columns: list[int]
    entries: tuple[list[int], list[int], list[fmpz]]

    @classmethod
    def of(cls, program: _Integers, basic: Flags) -> "_Vertex":
        n = len(program.cost)
        rows, columns = np.flatnonzero(~basic[n:]).tolist(), np.flatnonzero(basic[:n]).tolist()
        row = {i: at for at, i in enumerate(rows)}
        column = {j: at for at, j in enumerate(columns)}
        kept = [
            (row[i], column[j], value)
            for i, j, value in zip(program.rows, program.columns, program.values, strict=True)
            if i in row and j in column
        ]
        entries = [i for i, _, _ in kept], [j for _, j, _ in kept], [value for _, _, value in kept]
        return cls(program, rows, columns, entries)

    def values(self, at: Numbers) -> Numbers:
        """All variables x, r, given those that are not basic; the others are 0 in ``at``."""
        n = len(self.program.cost)
        x = at[:n]
        r = self.program.times(x)
        rows, columns, values = self.entries
        solved = solve_equations(rows, columns, values, [at[n + i] - r[i] for i in self.rows])
        for j, value in zip(self.columns, solved, strict=True):
            x[j] = value
        return x + self.program.times(x)

    def prices(self, cost: Numbers) -> Numbers:
        """How much c·x grows with each of the variables that are not basic; 0 for the others."""
        y = [fmpq(0)] * len(self.program.scale)
        rows, columns, values = self.entries
        solved = solve_equations(columns, rows, values, [cost[j] for j in self.columns])
        for i, value in zip(self.rows, solved, strict=True):
            y[i] = value
        paid = self.program.times_transposed(y)
        return [c - p for c, p in zip(cost, paid, strict=True)] + y
