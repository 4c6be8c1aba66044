from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings

from leaktight.errors import InvalidInput, Undecided
from leaktight.exact.linear_program import (
    Infeasible,
    LinearProgram,
    Optimum,
    simplex,
    solve,
    solve_exact,
)
from leaktight.exact.linear_program.program import Basis, Unbounded
from leaktight.exact.numbers import to_float
from tests.second_routes.linear_programs import is_proved, linear_programs

TINY = Fraction(1, 2**60)


@settings(max_examples=150)
@given(linear_programs())
def test_every_answer_is_proved(program: LinearProgram) -> None:
    answer = solve_exact(program)
    assert is_proved(program, answer)
    if len(program.values):
        estimate = solve(program)
        assert type(estimate) is type(answer)
        if isinstance(answer, Optimum) and isinstance(estimate, Optimum):
            assert estimate.value == pytest.approx(to_float(answer.value), abs=1e-7)


@settings(max_examples=150)
@given(linear_programs())
def test_the_pivots_alone_find_the_same_answer(program: LinearProgram) -> None:
    cold = simplex._criss_cross(simplex._Integers.of(program), Basis.slack(program))
    warm = solve_exact(program)
    assert is_proved(program, cold)
    assert type(cold) is type(warm)
    if isinstance(cold, Optimum) and isinstance(warm, Optimum):
        assert cold.value == warm.value


def test_a_program_on_which_other_rules_cycle() -> None:
    """Beale's example: every basis on the way is degenerate."""
    rows: list[list[Any]] = [["1/4", -60, "-1/25", 9], ["1/2", -90, "-1/50", 3], [0, 0, 1, 0]]
    program = _dense(["-3/4", 150, "-1/50", 6], rows, row_upper=[0, 0, 1])
    cold = simplex._criss_cross(simplex._Integers.of(program), Basis.slack(program))
    assert isinstance(cold, Optimum)
    assert cold.value == fmpq(-1, 20)
    assert is_proved(program, cold)


def test_a_cube_whose_corners_a_simplex_method_may_visit_all() -> None:
    """Klee and Minty's cube in eight dimensions; the optimum is at the last corner."""
    n = 8
    rows: list[list[Any]] = [
        [2 * 10 ** (i - j) if j < i else int(i == j) for j in range(n)] for i in range(n)
    ]
    program = _dense(
        [-(10 ** (n - 1 - j)) for j in range(n)], rows, row_upper=[100**i for i in range(n)]
    )
    cold = simplex._criss_cross(simplex._Integers.of(program), Basis.slack(program))
    assert isinstance(cold, Optimum)
    assert cold.value == -(100 ** (n - 1))
    assert is_proved(program, cold)


def test_a_constraint_violated_by_less_than_floats_can_see() -> None:
    """x + y ≥ 1 + 2^-60 and x + y ≤ 1 is feasible to a solver, but not feasible."""
    program = _dense([0, 0], [[1, 1], [1, 1]], row_lower=[1 + TINY, None], row_upper=[None, 1])
    assert isinstance(solve(program), Optimum)
    answer = solve_exact(program)
    assert isinstance(answer, Infeasible)
    assert is_proved(program, answer)


@pytest.mark.parametrize("kind", ["infeasible", "feasible"])
def test_from_nearby_the_solver_sees_what_it_missed(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Three products that must fit into a store, but for 2^-60 of it; no pivot is needed."""
    rows = [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    room = Fraction(3, 2) + (TINY if kind == "feasible" else -TINY)
    program = _dense([0, 0, 0], rows, row_lower=[1, 1, 1, None], row_upper=[None, None, None, room])
    monkeypatch.setattr(simplex, "MOST_PIVOTS", 1)
    answer = solve_exact(program)
    assert isinstance(answer, Optimum if kind == "feasible" else Infeasible)
    assert is_proved(program, answer)


def test_a_gap_that_floats_do_not_see_is_optimised_over() -> None:
    program = _dense([1], [[1], [-1]], row_lower=[1, -1 - TINY])
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    assert answer.x.tolist() == [1]
    program = _dense([-1], [[1], [-1]], row_lower=[1, -1 - TINY])
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    assert answer.x.tolist() == [1 + fmpq(1, 2**60)]


@pytest.mark.parametrize("power", [30, 400])
def test_tiny_entries_do_not_vanish(power: int) -> None:
    """Minimise y subject to 10^-30 x + y ≥ 1, x ≤ 10^29: y is 9/10, not 1."""
    tiny, much = Fraction(1, 10**power), Fraction(10 ** (power - 1))
    program = _dense([0, 1], [[tiny, 1]], row_lower=[1], upper=[much, None])
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    assert answer.value == fmpq(9, 10)
    assert is_proved(program, answer)


def test_columns_that_only_floats_tell_to_be_independent_are_no_obstacle() -> None:
    """Two columns that differ by 2^-60, and one that both must make."""
    program = _dense(
        [1, 2, 0],
        [[1, 1, 1], [1, 1 + TINY, 1], [0, 0, 1]],
        row_lower=[1, 1 + TINY / 2, 0],
        row_upper=[1, 1 + TINY / 2, "1/2"],
    )
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    assert answer.x.tolist() == [0, fmpq(1, 2), fmpq(1, 2)]
    assert is_proved(program, answer)


def test_free_fixed_and_boxed_variables() -> None:
    program = _dense(
        [1, 1, -1],
        [[1, 1, 1]],
        row_lower=[0],
        row_upper=[0],
        lower=[None, 3, 1],
        upper=[None, 3, 2],
    )
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    assert answer.x.tolist() == [-5, 3, 2]
    assert is_proved(program, answer)


def test_no_solution_and_no_least_value_are_told_apart() -> None:
    """Both have a direction that leads down, but only one a point from where to go."""
    down = _dense([-1, 0], [[1, -1], [0, 1]], row_upper=[0, None], row_lower=[None, 1])
    nowhere = _dense(
        [-1, 0, 0],
        [[1, -1, 0], [0, 0, 1], [0, 0, 1]],
        row_upper=[0, 1, None],
        row_lower=[None, None, 2],
    )
    for program, kind in ((down, Unbounded), (nowhere, Infeasible)):
        answer = solve_exact(program)
        assert isinstance(answer, kind)
        assert is_proved(program, answer)


def test_the_best_assignment_is_the_best_permutation() -> None:
    """The assignment problem has degenerate vertices only; a second route tries all of them."""
    cost = np.random.default_rng(0).integers(0, 20, (5, 5)).tolist()
    cells = list(product(range(5), repeat=2))
    rows = [i for i, _ in cells] + [5 + j for _, j in cells]
    program = LinearProgram(
        [cost[i][j] for i, j in cells],
        (rows, [*range(25), *range(25)], [1] * 50),
        row_lower=[1] * 10,
        row_upper=[1] * 10,
    )
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    best = min(
        sum(cost[i][j] for i, j in enumerate(columns))
        for columns in product(range(5), repeat=5)
        if len(set(columns)) == 5
    )
    assert answer.value == best
    assert is_proved(program, answer)


def test_a_proposal_that_is_no_basis_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that are the same can be told apart by no rounding, but a solver might."""
    basic = np.array([True, True, False, False])
    monkeypatch.setattr(simplex, "propose", lambda _: Basis(basic, ~basic))
    program = _dense([1, 1], [[1, 1], [2, 2]], row_lower=[1, 3])
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    assert answer.value == fmpq(3, 2)
    assert is_proved(program, answer)


def test_floats_have_no_exact_answer() -> None:
    with pytest.raises(InvalidInput, match="needs exact numbers"):
        solve_exact(_dense([1.0], [[1]], row_lower=[1]))


def test_too_many_pivots_are_undecided() -> None:
    with pytest.raises(Undecided, match="1 rows and 1 variables is not solved after 0"):
        solve_exact(_dense([1], [[1]], row_lower=[1]), pivots=0)


def _dense(cost: list[Any], matrix: list[list[Any]], **bounds: Any) -> LinearProgram:
    cells = list(product(range(len(matrix)), range(len(cost))))
    values = [matrix[i][j] for i, j in cells]
    entries = ([i for i, _ in cells], [j for _, j in cells], values)
    return LinearProgram(cost, entries, **bounds)
