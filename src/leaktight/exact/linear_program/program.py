"""What is the least c·x under linear constraints? The one place that talks to the LP solver.

HiGHS computes in floating point and up to a tolerance, so what :func:`solve` returns is an
estimate. ``simplex.solve_exact`` takes only a :class:`Basis` from it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidInput, Undecided
from leaktight.exact.numbers import Array, float_array, is_exact, read_numbers, to_float
from leaktight.exact.tolerances import TOLERANCES

Indices: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]
Entries: TypeAlias = tuple[Iterable[int], Iterable[int], Iterable[Any]]
Bounds: TypeAlias = Sequence[Any] | Array | None
"""A bound for each row or variable; None, there or among them, is no bound."""

LEAST_PIVOTS, PIVOTS = 1_000, 50
"""How many steps the simplex method may take: so many, and more for each row and column.

With numbers that floats hardly tell apart it may never end.
"""

ATTEMPTS = (
    ("choose", 1, {"Optimal"}),
    ("off", 1, {"Optimal", "Infeasible", "Unbounded"}),
    ("off", 4, {"Optimal", "Infeasible", "Unbounded"}),
)
"""Presolve, simplex strategy, and what ends the search. Presolve shows no ray if there is no
optimum, and then the dual method (1) sometimes cannot tell why, but the primal (4) can."""


@dataclass(frozen=True, slots=True, init=False, eq=False)
class LinearProgram:
    """Minimise c·x subject to row_lower ≤ A·x ≤ row_upper and lower ≤ x ≤ upper.

    ``entries`` are the rows, the columns and the values of the non-zero entries of A. Variables
    are at least 0 unless ``lower`` says otherwise. A program is exact if all its numbers are;
    then an absent bound is kept as None, in a floating-point one as infinity.

    >>> sums = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, -1])
    >>> program = LinearProgram([3, 2], sums, row_lower=["1/3", 0])
    >>> program.is_exact, program.shape
    (True, (2, 2))
    """

    cost: Array
    rows: Indices
    columns: Indices
    values: Array
    row_lower: Array
    row_upper: Array
    lower: Array
    upper: Array

    def __init__(
        self,
        cost: Sequence[Any] | Array,
        entries: Entries,
        *,
        row_lower: Bounds = None,
        row_upper: Bounds = None,
        lower: Bounds | int = 0,
        upper: Bounds = None,
    ) -> None:
        n = len(cost)
        m = next((len(bounds) for bounds in (row_lower, row_upper) if bounds is not None), 0)
        rows, columns, values = (
            part if isinstance(part, np.ndarray) else list(part) for part in entries
        )
        given = {
            "cost": list(cost),
            "row_lower": _each(row_lower, m, "row_lower"),
            "row_upper": _each(row_upper, m, "row_upper"),
            "lower": _each(lower, n, "lower"),
            "upper": _each(upper, n, "upper"),
        }
        floats = isinstance(values, np.ndarray) and values.dtype == np.float64
        if not floats:  # the values may be a million, and then there is nothing to read
            given["values"] = list(values)
        numbers = read_numbers(v for part in given.values() for v in part if v is not None)
        if floats:
            numbers = float_array(numbers)
            object.__setattr__(self, "values", values)
        used = 0
        for name, part in given.items():
            there = np.array([v is not None for v in part], dtype=bool)
            absent = None if is_exact(numbers) else math.inf if "upper" in name else -math.inf
            array = np.full(len(part), absent, dtype=numbers.dtype)
            array[there] = numbers[used : used + there.sum()]
            used += there.sum()
            object.__setattr__(self, name, array)
        object.__setattr__(self, "rows", np.array(rows, dtype=np.intp))
        object.__setattr__(self, "columns", np.array(columns, dtype=np.intp))
        _check(self)
        kept = self.values != 0
        for name in ("rows", "columns", "values"):
            object.__setattr__(self, name, getattr(self, name)[kept])

    @property
    def is_exact(self) -> bool:
        """Whether all numbers are exact rationals."""
        return is_exact(self.cost)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and variables there are."""
        return len(self.row_lower), len(self.cost)

    def float(self) -> "LinearProgram":
        """Every number rounded to the nearest float."""
        if not self.is_exact:
            return self

        def rounded(numbers: Array) -> list[float | None]:
            return [None if v is None else to_float(v) for v in numbers]

        return LinearProgram(
            [to_float(v) for v in self.cost],
            (self.rows, self.columns, [to_float(v) for v in self.values]),
            row_lower=rounded(self.row_lower),
            row_upper=rounded(self.row_upper),
            lower=rounded(self.lower),
            upper=rounded(self.upper),
        )


def _each(bounds: Bounds | int, count: int, name: str) -> list[Any]:
    if bounds is None or isinstance(bounds, int):
        return [bounds] * count
    if len(bounds) != count:
        raise InvalidInput(f"{name} must have {count} bounds, got {len(bounds)}")
    return list(bounds)


def _check(program: LinearProgram) -> None:
    m, n = program.shape
    for name, at, count in (("row", program.rows, m), ("column", program.columns, n)):
        if len(at) != len(program.values):
            raise InvalidInput(f"there are {len(program.values)} entries but {len(at)} {name}s")
        for wrong in at[(at < 0) | (at >= count)]:
            raise InvalidInput(f"the {name} of an entry must be one of {count}, got {wrong}")
    places = program.rows * n + program.columns
    if len(np.unique(places)) < len(places):
        raise InvalidInput("every entry of the matrix must be given only once")
    for numbers in (program.cost, program.values):
        if not program.is_exact and not np.isfinite(numbers).all():
            raise InvalidInput("the costs and the entries of the matrix must be finite")
    for name, low, high in (
        ("row", program.row_lower, program.row_upper),
        ("variable", program.lower, program.upper),
    ):
        for i, (least, most) in enumerate(zip(low, high, strict=True)):
            if least is not None and most is not None and not least <= most:
                raise InvalidInput(f"the bounds of {name} {i} must be in order: {least} > {most}")


# --- answers ---


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The least value c·x, with an x that attains it and the dual y that proves it.

    ``y`` has a price for each row: positive only where its lower bound binds, negative only where
    its upper one does. The reduced costs c − Aᵀy have the same signs for the variables.

    >>> from leaktight.exact import solve_exact
    >>> isinstance(solve_exact(LinearProgram([1], ([0], [0], [3]), row_lower=[1])), Optimum)
    True
    """

    value: Any
    x: Array
    y: Array


@dataclass(frozen=True, slots=True, eq=False)
class Infeasible:
    """No x satisfies all constraints, as their sum with weights ``y`` shows (Farkas' lemma).

    y·r is larger for every r within the bounds of the rows than y·(A·x) for any x within its own.
    """

    y: Array


@dataclass(frozen=True, slots=True, eq=False)
class Unbounded:
    """There is no least value: ``x`` is feasible, and from there ``direction`` leads down."""

    x: Array
    direction: Array


Answer: TypeAlias = Optimum | Infeasible | Unbounded


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """The vertex where the variables that are not ``basic`` stand at a bound.

    The variables are x and then r = A·x. The bound is the lower one, or the upper if ``upper``.
    If the solver found no optimum, its proof rests on the variable ``first``.
    """

    basic: Flags
    upper: Flags
    first: int | None = None

    @classmethod
    def slack(cls, program: LinearProgram) -> "Basis":
        """All r; every program has this basis."""
        m, n = program.shape
        return cls(np.arange(n + m) >= n, np.zeros(n + m, dtype=bool))


# --- the solver ---


def solve(program: LinearProgram) -> Answer:
    """Return the solver's estimate; an optimum is at a vertex.

    >>> sums = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, -1])
    >>> answer = solve(LinearProgram([3, 2], sums, row_lower=["1/3", 0]))
    >>> round(answer.value, 6), answer.y.round(6)
    (0.833333, array([2.5, 0.5]))
    """
    highs = _run(program.float())
    found = highs.getSolution()
    match _status(highs):
        case "Optimal":
            value = highs.getInfo().objective_function_value
            return Optimum(value, np.array(found.col_value), np.array(found.row_dual))
        case "Infeasible" if (ray := highs.getDualRay()[2]).any():
            return Infeasible(ray)
        case "Unbounded" if (ray := highs.getPrimalRay()[2]).any():
            return Unbounded(np.array(found.col_value), ray)
        case status:
            raise Undecided(f"the LP solver stopped without an answer, saying {status!r}")


def solve_inside(program: LinearProgram) -> Optimum:
    """Return the solver's estimate of an optimum by an interior-point method, at no vertex.

    For programs that are large and dense, for which no basis is wanted.
    """
    highs = _load(program.float())
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    highs.run()
    found = highs.getSolution()
    if not (found.value_valid and found.dual_valid):
        raise Undecided(f"the LP solver stopped without an answer, saying {_status(highs)!r}")
    value = highs.getInfo().objective_function_value
    return Optimum(value, np.array(found.col_value), np.array(found.row_dual))


class GrowingProgram:
    """Minimise c·x subject to A·x ≥ b and |x| ≤ reach, in floating point, as rows are added.

    Every solution starts where the last one ended. The bounds of x may be set anew.

    >>> prices = GrowingProgram(np.ones(2), reach=10)
    >>> prices.add(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 1.0]))
    >>> round(prices.solve().value, 9)
    0.666666667
    >>> prices.add(np.array([[1.0, 1.0]]), np.array([1.0]))
    >>> prices.solve().value
    1.0
    """

    __slots__ = ("_highs", "_width")

    def __init__(self, cost: npt.NDArray[np.float64], reach: float) -> None:
        import highspy

        self._width = len(cost)
        everywhere = np.full(self._width, reach)
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("solver", "simplex")
        self._highs.setOptionValue("primal_feasibility_tolerance", TOLERANCES.solver)
        self._highs.setOptionValue("dual_feasibility_tolerance", TOLERANCES.solver)
        self._highs.addVars(self._width, -everywhere, everywhere)
        self._highs.changeColsCost(self._width, np.arange(self._width, dtype=np.int32), cost)

    def add(self, rows: npt.NDArray[np.float64], lower: npt.NDArray[np.float64]) -> None:
        """Add rows of A with the numbers that bound them from below."""
        count, width = rows.shape
        places = np.tile(np.arange(width, dtype=np.int32), count)
        starts = width * np.arange(count, dtype=np.int32)
        upper = np.full(count, np.inf)
        self._highs.addRows(count, lower, upper, count * width, starts, places, rows.ravel())

    def within(self, lower: npt.NDArray[np.float64], upper: npt.NDArray[np.float64]) -> None:
        """Set the bounds of x."""
        places = np.arange(self._width, dtype=np.int32)
        self._highs.changeColsBounds(self._width, places, lower, upper)

    def solve(self) -> Optimum:
        """Return the solver's estimate, at a vertex."""
        for strategy in (1, 1, 4):  # from where it stands; from nothing; by the primal method
            self._highs.setOptionValue("simplex_strategy", strategy)
            self._highs.run()
            if _status(self._highs) == "Optimal":
                break
            self._highs.clearSolver()
        else:
            raise Undecided(f"the LP solver stopped, saying {_status(self._highs)!r}")
        found = self._highs.getSolution()
        value = self._highs.getInfo().objective_function_value
        return Optimum(value, np.array(found.col_value), np.array(found.row_dual))

    def binding(self) -> Indices:
        """Return the rows that determine the last solution."""
        from highspy import HighsBasisStatus

        statuses = self._highs.getBasis().row_status
        return np.flatnonzero([status != HighsBasisStatus.kBasic for status in statuses])


def propose(program: LinearProgram) -> Basis:
    """Return the basis at which the solver stops, be it optimal or not."""
    from highspy import HighsBasisStatus

    m, n = program.shape
    program = program.float()
    highs = _run(program)
    found = highs.getBasis()
    statuses = [*found.col_status, *found.row_status]
    basic = np.array([status == HighsBasisStatus.kBasic for status in statuses])
    upper = np.array([status == HighsBasisStatus.kUpper for status in statuses])
    if not found.valid or basic.sum() != m:
        return Basis.slack(program)
    first = None
    if _status(highs) == "Infeasible":
        # The ray is a row of the tableau: of the basic variables, only its own occurs in it.
        ray = highs.getDualRay()[2]
        taken = np.bincount(program.columns, program.values * ray[program.rows], n)
        first = int(np.argmax(np.abs([*taken, *ray]) * basic))
    elif _status(highs) == "Unbounded":
        # The ray is a column: of the variables at a bound, only its own moves.
        ray = highs.getPrimalRay()[2]
        moved = np.bincount(program.rows, program.values * ray[program.columns], m)
        first = int(np.argmax(np.abs([*ray, *moved]) * ~basic))
    return Basis(basic, upper, first)


def _load(program: LinearProgram) -> Any:
    import highspy

    m, n = program.shape
    order = np.lexsort((program.columns, program.rows))
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = m, n
    lp.col_cost_ = program.cost
    lp.col_lower_, lp.col_upper_ = program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.searchsorted(program.rows[order], np.arange(m + 1))
    lp.a_matrix_.index_ = program.columns[order]
    lp.a_matrix_.value_ = program.values[order]
    highs = highspy.Highs()
    highs.silent()
    highs.passModel(lp)
    return highs


def _run(program: LinearProgram) -> Any:
    highs = _load(program)
    highs.setOptionValue("solver", "simplex")
    highs.setOptionValue("primal_feasibility_tolerance", TOLERANCES.solver)
    highs.setOptionValue("dual_feasibility_tolerance", TOLERANCES.solver)
    highs.setOptionValue("simplex_iteration_limit", LEAST_PIVOTS + PIVOTS * sum(program.shape))
    for presolve, strategy, ends in ATTEMPTS:
        highs.setOptionValue("presolve", presolve)
        highs.setOptionValue("simplex_strategy", strategy)
        highs.clearSolver()
        highs.run()
        if _status(highs) in ends:
            break
    return highs


def _status(highs: Any) -> str:
    return str(highs.modelStatusToString(highs.getModelStatus()))
