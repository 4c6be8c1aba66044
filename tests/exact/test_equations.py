import random
from collections.abc import Iterator

import pytest
from flint import fmpq, fmpz
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaktight.errors import TooLarge
from leaktight.exact import equations
from leaktight.exact.equations import solve_equations


@pytest.fixture(params=["at once", "in blocks"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in blocks":
            patch.setattr(equations, "FEW_EQUATIONS", 0)
        yield


@pytest.mark.usefixtures("way")
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 12), st.floats(0.1, 1), st.randoms(use_true_random=False))
def test_the_solution_satisfies_every_equation(
    size: int, density: float, chance: random.Random
) -> None:
    order = chance.sample(range(size), size)
    entries = {(i, order[i]): fmpz(chance.randint(1, 9)) for i in range(size)}
    for i in range(size):
        for j in range(size):
            if chance.random() < density:
                entries.setdefault((i, j), fmpz(chance.randint(-9, -1)))
    rows, columns = zip(*entries, strict=True)
    right = [fmpq(chance.randint(-5, 5), chance.randint(1, 5)) for _ in range(size)]
    try:
        x = solve_equations(rows, columns, list(entries.values()), right)
    except ZeroDivisionError:
        return
    for i in range(size):
        assert sum(v * x[b] for (a, b), v in entries.items() if a == i) == right[i]


def test_long_chains_need_no_large_block() -> None:
    size = 3000
    rows = [*range(size), *range(1, size)]
    columns = [*range(size), *range(size - 1)]
    values = [fmpz(2)] * size + [fmpz(-2)] * (size - 1)
    assert solve_equations(rows, columns, values, [fmpq(2)] * size)[-1] == size


@pytest.mark.usefixtures("way")
def test_a_singular_matrix_is_refused() -> None:
    ones = [fmpz(1)] * 4
    with pytest.raises(ZeroDivisionError):
        solve_equations([0, 0, 1, 1], [0, 1, 0, 1], ones, [fmpq(1), fmpq(2)])
    with pytest.raises(ZeroDivisionError):
        solve_equations([0, 1], [0, 0], ones[:2], [fmpq(1), fmpq(2)])


def test_a_large_block_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equations, "FEW_EQUATIONS", 1)
    monkeypatch.setattr(equations, "MOST_EQUATIONS", 1)
    with pytest.raises(TooLarge, match="2 equations solved at once"):
        solve_equations([0, 0, 1, 1], [0, 1, 0, 1], [fmpz(v) for v in (1, 2, 3, 4)], [fmpq(1)] * 2)
