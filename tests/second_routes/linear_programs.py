"""Linear programs, and how to check an answer without believing the solver."""

from typing import Any

from flint import fmpq
from hypothesis import strategies as st

from leaktight.exact.linear_program import Infeasible, LinearProgram, Optimum
from leaktight.exact.linear_program.program import Answer, Unbounded

NUMBERS = st.builds(fmpq, st.integers(-4, 4), st.integers(1, 3))


@st.composite
def linear_programs(draw: st.DrawFn, most: int = 5) -> LinearProgram:
    """Small exact programs with bounds of every kind, often degenerate."""
    m, n = draw(st.integers(1, most)), draw(st.integers(1, most))
    places = [(i, j) for i in range(m) for j in range(n)]
    used = draw(st.lists(st.sampled_from(places), min_size=1, max_size=m * n, unique=True))
    row_lower, row_upper = draw(_bounds(m))
    lower, upper = draw(_bounds(n)) if draw(st.booleans()) else ([0] * n, [None] * n)
    return LinearProgram(
        [draw(NUMBERS) for _ in range(n)],
        ([i for i, _ in used], [j for _, j in used], [draw(NUMBERS) for _ in used]),
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
    )


@st.composite
def _bounds(draw: st.DrawFn, count: int) -> tuple[list[Any], list[Any]]:
    kinds = {"both": (1, 1), "lower": (1, 0), "upper": (0, 1), "none": (0, 0), "equal": (1, 1)}
    low: list[Any] = []
    high: list[Any] = []
    for _ in range(count):
        kind = draw(st.sampled_from(sorted(kinds)))
        least, most = sorted([draw(NUMBERS), draw(NUMBERS)])
        low.append(least if kinds[kind][0] else None)
        high.append((least if kind == "equal" else most) if kinds[kind][1] else None)
    return low, high


def is_proved(program: LinearProgram, answer: Answer) -> bool:
    """Check an exact answer by weak duality alone."""
    zero = [fmpq(0)] * len(program.cost)
    match answer:
        case Optimum(value, x, y):
            return is_feasible(program, x) and dual_bound(program, y, program.cost) == value
        case Infeasible(y):
            bound = dual_bound(program, y, zero)
            return bound is not None and bound > 0
        case Unbounded(x, direction):
            far = [x + direction * 10**power for power in range(0, 30, 10)]
            downhill = sum(c * d for c, d in zip(program.cost, direction, strict=True)) < 0
            return downhill and all(is_feasible(program, there) for there in (x, *far))
    return False


def is_feasible(program: LinearProgram, x: Any) -> bool:
    r = [fmpq(0)] * program.shape[0]
    for i, j, value in zip(program.rows, program.columns, program.values, strict=True):
        r[i] += value * x[j]
    return all(
        (low is None or low <= number) and (high is None or number <= high)
        for numbers, lows, highs in (
            (x, program.lower, program.upper),
            (r, program.row_lower, program.row_upper),
        )
        for number, low, high in zip(numbers, lows, highs, strict=True)
    )


def dual_bound(program: LinearProgram, y: Any, cost: Any) -> Any:
    """Return the bound that the prices y put below cost·x for feasible x; None is no bound."""
    reduced = list(cost)
    for i, j, value in zip(program.rows, program.columns, program.values, strict=True):
        reduced[j] -= value * y[i]
    bound = fmpq(0)
    for weights, lows, highs in (
        (y, program.row_lower, program.row_upper),
        (reduced, program.lower, program.upper),
    ):
        for weight, low, high in zip(weights, lows, highs, strict=True):
            if weight == 0:
                continue
            binding = low if weight > 0 else high
            if binding is None:
                return None
            bound += weight * binding
    return bound
