"""Does this machine's arithmetic keep to what docs/proofs/floats.md assumes of it?"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import acb, arb

from leaktight.exact.numbers import rational
from leaktight.exact.rounding import precision

UNIT = 2.0**-53

RNG = np.random.default_rng(11)
SIZES = np.concatenate([RNG.uniform(0, 1, 1000), 1 + RNG.standard_normal(1000) * 2.0**-20])
WIDE = np.abs(np.concatenate([SIZES, np.ldexp(SIZES, RNG.integers(-1000, 1000, len(SIZES)))]))

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[arb], arb], Any]] = {
    "exp": (np.exp, arb.exp, RNG.uniform(-700, 700, 4000)),
    "log": (np.log, arb.log, WIDE),
    "log2": (np.log2, lambda x: x.log_base(2), WIDE),
    "log1p": (np.log1p, arb.log1p, np.concatenate([-0.9 * SIZES[:1000], SIZES * 2.0**-30])),
    "cosh": (np.cosh, arb.cosh, RNG.uniform(0, 20, 4000)),
    "power": (lambda x: x**1001, lambda x: x**1001, RNG.uniform(0.6, 1.9, 4000)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_off_by_at_most_four_units(name: str) -> None:
    function, ball, points = FUNCTIONS[name]
    with precision(128):
        for x, near in zip(points.tolist(), function(points).tolist(), strict=True):
            true = ball(arb(x))
            assert abs(arb(near) - true) <= abs(true) * 4 * UNIT


def test_roots_of_unity_are_off_by_less_than_24_units() -> None:
    """As ``own_output.py`` computes them: the angle is rounded three times."""
    for size in (3, 1000, 65537, 10**6 + 3):
        steps = RNG.integers(0, size, 500)
        roots = np.exp(2j * np.pi * np.arange(size) / size)[steps]
        with precision(128):
            for k, root in zip(steps.tolist(), roots.tolist(), strict=True):
                true = (2 * acb.pi() * 1j * k / size).exp()
                assert abs(acb(root) - true) < 24 * UNIT


def test_products_of_matrices_and_sums_have_a_rounding_for_each_term() -> None:
    left, right = (
        np.ldexp(RNG.uniform(0.5, 1, (4, 300)), -RNG.integers(0, 600, (4, 300))) for _ in "ab"
    )
    right[:, :3] = 5e-324
    found = left @ right.T
    for i, j in np.ndindex(*found.shape):
        terms = [rational(a) * rational(b) for a, b in zip(left[i], right[j], strict=True)]
        true = sum(terms[1:], terms[0])
        lost = rational(300 * 2.0**-1074)
        assert abs(rational(found[i, j]) - true) <= true * rational(300 * UNIT) + lost
    for row in left:
        true = sum(map(rational, row[1:]), rational(row[0]))
        assert abs(rational(row.sum()) - true) <= true * rational(300 * UNIT)


def test_nothing_is_flushed_to_zero() -> None:
    small = np.array([2.0**-1022, 2.0**-1074, 3 * 2.0**-1074])
    assert (small / 2).tolist() == [2.0**-1023, 0.0, 2.0**-1073]
    assert (small[:1] @ np.array([[0.5]]) == 2.0**-1023).all()
