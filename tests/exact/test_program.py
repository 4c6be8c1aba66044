import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.optimize import linprog

from leaktight.errors import InvalidInput, Undecided
from leaktight.exact.linear_program import Infeasible, LinearProgram, Optimum, solve
from leaktight.exact.linear_program.highs import propose
from leaktight.exact.linear_program.program import Unbounded
from tests.second_routes.linear_programs import linear_programs

SUMS = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, -1])


@settings(max_examples=80)
@given(linear_programs())
def test_the_estimate_agrees_with_scipy(program: LinearProgram) -> None:
    assume(len(program.values) > 0)
    floats = program.float()
    matrix = np.zeros(floats.shape)
    matrix[floats.rows, floats.columns] = floats.values
    most = np.concatenate([floats.row_upper, -floats.row_lower])
    theirs = linprog(
        floats.cost,
        A_ub=np.vstack([matrix, -matrix])[np.isfinite(most)],
        b_ub=most[np.isfinite(most)],
        bounds=list(zip(floats.lower, floats.upper, strict=True)),
        options={"presolve": False},
    )
    match solve(program):
        case Optimum(value, x, y):
            assert theirs.status == 0
            assert value == pytest.approx(theirs.fun, abs=1e-7)
            assert value == pytest.approx(floats.cost @ x, abs=1e-7)
            reduced = floats.cost - matrix.T @ y
            assert (reduced[(x > floats.lower + 1e-7) & (x < floats.upper - 1e-7)] < 1e-7).all()
        case Infeasible(y):
            assert theirs.status != 0
            assert y.any()
        case Unbounded(_, direction):
            assert theirs.status != 0
            assert floats.cost @ direction < 0


def test_prices_are_positive_where_a_lower_bound_binds() -> None:
    answer = solve(LinearProgram([1, 1], SUMS, row_lower=[2, None], row_upper=[None, 0]))
    assert isinstance(answer, Optimum)
    assert answer.value == pytest.approx(2)
    assert answer.y == pytest.approx([1, 0])
    answer = solve(LinearProgram([-1, -1], SUMS, row_upper=[2, None]))
    assert isinstance(answer, Optimum)
    assert answer.y == pytest.approx([-1, 0])


def test_weights_show_that_there_is_no_solution() -> None:
    answer = solve(LinearProgram([0, 0], SUMS, row_lower=[1, 2], row_upper=[1, None]))
    assert isinstance(answer, Infeasible)
    sums, differences = answer.y
    # No x ≥ 0 has x₀ + x₁ = 1 and x₀ − x₁ ≥ 2: the sum of weights is at most 0 for x, not for r.
    assert differences > 0
    assert sums + differences <= 1e-9
    assert sums * 1 + differences * 2 > 0


def test_a_direction_leads_down_for_ever() -> None:
    answer = solve(LinearProgram([-1, 0], SUMS, row_upper=[None, 1]))
    assert isinstance(answer, Unbounded)
    assert answer.direction[0] > 0
    assert answer.direction[0] - answer.direction[1] == pytest.approx(0)


def test_a_program_without_constraints_has_no_ray_to_show() -> None:
    with pytest.raises(Undecided, match="without an answer"):
        solve(LinearProgram([-1], ([], [], []), row_lower=[0]))


def test_a_program_is_exact_if_all_its_numbers_are() -> None:
    exact = LinearProgram(["1/3", 1], SUMS, row_lower=[1, None])
    assert exact.is_exact
    assert exact.row_lower.tolist()[1] is None
    assert exact.upper.tolist() == [None, None]
    floats = LinearProgram(["1/3", 1.0], SUMS, row_lower=[1, None])
    assert not floats.is_exact
    assert floats.row_lower.tolist() == [1, -math.inf]
    assert floats.upper.tolist() == [math.inf, math.inf]
    assert exact.float().cost.tolist() == floats.cost.tolist()
    assert floats.float() is floats


def test_entries_of_0_are_dropped() -> None:
    program = LinearProgram([1, 1], ([0, 0], [0, 1], [0, 2]), row_lower=[1])
    assert program.columns.tolist() == [1]


def test_the_proposed_basis_has_as_many_variables_as_rows() -> None:
    program = LinearProgram([3, 2], SUMS, row_lower=["1/3", 0])
    basis = propose(program)
    assert basis.basic.tolist() == [True, True, False, False]
    assert basis.first is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"entries": ([0], [0], [1, 2])}, "there are 2 entries but 1 rows"),
        ({"entries": ([2], [0], [1])}, "the row of an entry must be one of 2, got 2"),
        ({"entries": ([0], [-1], [1])}, "the column of an entry must be one of 2, got -1"),
        ({"entries": ([0, 0], [1, 1], [1, 2])}, "given only once"),
        ({"entries": ([0], [1], [math.inf])}, "must be finite"),
        ({"cost": [math.nan, 1]}, "must be finite"),
        ({"row_upper": [1]}, "row_upper must have 2 bounds, got 1"),
        ({"upper": [-1, 0]}, "the bounds of variable 0 must be in order: 0 > -1"),
        ({"row_upper": [None, "-1/2"]}, "the bounds of row 1 must be in order: 0 > -1/2"),
        ({"lower": [math.nan, 0.0]}, "the bounds of variable 0 must be in order: nan"),
        ({"cost": ["one", 2]}, "expected a number"),
    ],
)
def test_bad_programs_are_refused(changed: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"cost": [3, 2], "entries": SUMS, "row_lower": ["1/3", 0]}
    with pytest.raises(InvalidInput, match=message):
        LinearProgram(**(good | changed))


def test_values_in_an_array_of_floats_are_those_in_a_list() -> None:
    rows, columns, _ = SUMS
    listed = LinearProgram([3, "1/2"], (rows, columns, [1.0, 0.0, 0.25, -1.0]), row_lower=[1, None])
    arrays = (np.array(rows), np.array(columns), np.array([1.0, 0.0, 0.25, -1.0]))
    array = LinearProgram([3, "1/2"], arrays, row_lower=[1, None])
    assert len(array.values) == 3
    for name in ("cost", "rows", "columns", "values", "row_lower", "row_upper", "lower", "upper"):
        assert np.array_equal(getattr(array, name), getattr(listed, name))
        assert getattr(array, name).dtype == getattr(listed, name).dtype
