"""What noise leaks of real answers, against quadrature."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace, norm

from leaktight.errors import InvalidInput
from leaktight.leakage import gaussian_capacity, laplace_capacity
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.policies.real import Interval
from leaktight.worst_case.optimum import worst_case_leakage

NOISE: list[tuple[Any, Any]] = [(laplace_capacity, laplace), (gaussian_capacity, norm)]


@pytest.mark.parametrize(("capacity", "noise"), NOISE)
@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=4), st.sampled_from(["1/2", "3"]))
def test_it_is_the_integral_of_the_largest_density(
    capacity: Any, noise: Any, answers: list[int], scale: str
) -> None:
    width, places = float(Fraction(scale)), sorted(set(answers))
    middles = [(a + b) / 2 for a, b in pairwise(places)]
    cuts = [places[0] - 45 * width, *sorted([*places, *middles]), places[-1] + 45 * width]
    total = sum(
        quad(lambda z: max(noise.pdf(z, x, width) for x in places), low, high, epsabs=1e-13)[0]
        for low, high in pairwise(cuts)
    )
    found = capacity(answers, scale)
    assert math.isclose(float(found.upper), total, abs_tol=1e-10)
    assert 0 <= found.upper - found.lower < Fraction(1, 10**30)


@pytest.mark.parametrize(("capacity", "noise"), NOISE)
def test_ever_more_answers_come_near_the_interval_from_below(capacity: Any, noise: Any) -> None:
    whole = capacity(Interval(0, 3), "3/2")
    assert math.isclose(float(whole.upper), 1 + 3 * noise.pdf(0, 0, 1.5), rel_tol=1e-14)
    found = [
        capacity([Fraction(3 * k, n) for k in range(n + 1)], "3/2").upper for n in (1, 10, 999)
    ]
    assert found == sorted(found)
    assert 0 < whole.lower - found[-1] < Fraction(1, 1000)


def test_laplace_noise_attains_the_worst_case_of_an_interval() -> None:
    worst = worst_case_leakage(Interval(0, 100), epsilon="0.1")
    assert laplace_capacity(Interval(0, 100), scale=10).upper == worst.upper


def test_answers_and_scales_that_make_no_sense_get_one_line() -> None:
    wrong: Any
    for wrong in (
        lambda: laplace_capacity([], 1),
        lambda: laplace_capacity("12", 1),
        lambda: gaussian_capacity([0, 1], 0),
        lambda: gaussian_capacity([0, 1], -1),
    ):
        with pytest.raises(InvalidInput, match="got"):
            wrong()


def test_rounding_to_the_answers_themselves_leaks_less() -> None:
    rounded = RoundedLaplace(range(6), epsilon=1).channel
    assert min_capacity(rounded).factor <= laplace_capacity(range(6), scale=1).upper
