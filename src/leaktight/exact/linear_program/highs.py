"""Proposals of the LP solver; the one place that talks to HiGHS.

HiGHS computes in floating point and up to a tolerance, so what :func:`solve` returns is an
estimate. ``simplex.solve_exact`` takes only a :class:`Basis` from it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from leaktight.errors import Undecided
from leaktight.exact.linear_program.program import (
    Answer,
    Basis,
    Indices,
    Infeasible,
    LinearProgram,
    Optimum,
    Unbounded,
)
from leaktight.exact.tolerances import TOLERANCES

SIMPLEX = {
    "solver": "simplex",
    "primal_feasibility_tolerance": TOLERANCES.solver,
    "dual_feasibility_tolerance": TOLERANCES.solver,
}

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


def solve(program: LinearProgram) -> Answer:
    """Return the solver's estimate; an optimum is at a vertex.

    >>> sums = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, -1])
    >>> answer = solve(LinearProgram([3, 2], sums, row_lower=["1/3", 0]))
    >>> round(answer.value, 6), answer.y.round(6)
    (0.833333, array([2.5, 0.5]))
    """
    highs = _run(program.float())
    match _status(highs):
        case "Optimal":
            return _optimum(highs)
        case "Infeasible" if (ray := highs.getDualRay()[2]).any():
            return Infeasible(ray)
        case "Unbounded" if (ray := highs.getPrimalRay()[2]).any():
            return Unbounded(np.array(highs.getSolution().col_value), ray)
        case status:
            raise Undecided(f"the LP solver stopped without an answer, saying {status!r}")


def solve_inside(program: LinearProgram) -> Optimum:
    """Return the solver's estimate of an optimum by an interior-point method, at no vertex.

    For programs that are large and dense, for which no basis is wanted.
    """
    highs = _load(program.float(), solver="ipm", run_crossover="off")
    highs.run()
    found = highs.getSolution()
    if not (found.value_valid and found.dual_valid):
        raise Undecided(f"the LP solver stopped without an answer, saying {_status(highs)!r}")
    return _optimum(highs)


def solve_whole(program: LinearProgram) -> npt.NDArray[np.float64]:
    """Return the solver's estimate of a best x in whole numbers.

    >>> solve_whole(LinearProgram([3, 2], ([0, 0], [0, 1], [2, 1]), row_lower=["1/3"]))
    array([0., 1.])
    """
    import highspy

    highs = _load(program.float())
    columns = np.arange(program.shape[1], dtype=np.int32)
    kinds = np.full(len(columns), highspy.HighsVarType.kInteger)
    highs.changeColsIntegrality(len(columns), columns, kinds)
    highs.run()
    if _status(highs) != "Optimal":
        raise Undecided(f"the LP solver stopped without an answer, saying {_status(highs)!r}")
    return np.round(highs.getSolution().col_value)


class GrowingProgram:
    """Minimise c·x subject to A·x ≥ b and |x| ≤ reach, in floating point, as rows are added.

    Every solution starts where the last one ended.

    >>> prices = GrowingProgram(np.ones(2), reach=10)
    >>> prices.add(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 1.0]))
    >>> round(prices.solve().value, 9)
    0.666666667
    >>> prices.add(np.array([[1.0, 1.0]]), np.array([1.0]))
    >>> prices.solve().value
    1.0
    """

    __slots__ = ("_highs",)

    def __init__(self, cost: npt.NDArray[np.float64], reach: float) -> None:
        width, everywhere = len(cost), np.full(len(cost), reach)
        self._highs = _highs(**SIMPLEX)
        self._highs.addVars(width, -everywhere, everywhere)
        self._highs.changeColsCost(width, np.arange(width, dtype=np.int32), cost)

    def add(self, rows: npt.NDArray[np.float64], lower: npt.NDArray[np.float64]) -> None:
        """Add rows of A with the numbers that bound them from below."""
        count, width = rows.shape
        places = np.tile(np.arange(width, dtype=np.int32), count)
        starts = width * np.arange(count, dtype=np.int32)
        upper = np.full(count, np.inf)
        self._highs.addRows(count, lower, upper, count * width, starts, places, rows.ravel())

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
        return _optimum(self._highs)

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


def _highs(**options: Any) -> Any:
    """Return a solver that prints nothing."""
    import highspy

    highs = highspy.Highs()
    highs.silent()
    for name, value in options.items():
        highs.setOptionValue(name, value)
    return highs


def _load(program: LinearProgram, **options: Any) -> Any:
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
    highs = _highs(**options)
    highs.passModel(lp)
    return highs


def _run(program: LinearProgram) -> Any:
    highs = _load(program, **SIMPLEX)
    highs.setOptionValue("simplex_iteration_limit", LEAST_PIVOTS + PIVOTS * sum(program.shape))
    for presolve, strategy, ends in ATTEMPTS:
        highs.setOptionValue("presolve", presolve)
        highs.setOptionValue("simplex_strategy", strategy)
        highs.clearSolver()
        highs.run()
        if _status(highs) in ends:
            break
    return highs


def _optimum(highs: Any) -> Optimum:
    found, value = highs.getSolution(), highs.getInfo().objective_function_value
    return Optimum(value, np.array(found.col_value), np.array(found.row_dual))


def _status(highs: Any) -> str:
    return str(highs.modelStatusToString(highs.getModelStatus()))
