import importlib
import inspect
import math
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber
from leaktight.exact.ratio import Ratio, RatioLike, step_ratio
from leaktight.mechanisms.line import read_sensitivity


@pytest.mark.parametrize(
    ("given_as", "ratio"),
    [
        ({"ratio": 2}, Fraction(2)),
        ({"ratio": "3/2"}, Fraction(3, 2)),
        ({"ratio": 1.1}, Fraction(11, 10)),
        ({"epsilon": "ln 2"}, Fraction(2)),
        ({"epsilon": "ln 3/2"}, Fraction(3, 2)),
        ({"epsilon": "ln(3/2)"}, Fraction(3, 2)),
        ({"epsilon": 0}, Fraction(1)),
        ({"ratio": 2**5000}, Fraction(2**5000)),
    ],
)
def test_a_rational_ratio_is_kept_exactly(given_as: dict[str, object], ratio: Fraction) -> None:
    found = Ratio.of(**given_as)  # type: ignore[arg-type]
    assert found.is_exact
    assert found.lower == found.upper == ratio


@given(st.fractions(Fraction(1, 1000), 50))
def test_the_ratio_of_an_epsilon_is_enclosed_within_64_bits(epsilon: Fraction) -> None:
    getcontext().prec = 60
    true = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
    found = Ratio.of(epsilon=epsilon)
    low, high = (
        Decimal(end.numerator) / Decimal(end.denominator) for end in (found.lower, found.upper)
    )
    assert low <= true <= high
    assert (found.upper - found.lower) / found.lower <= Fraction(1, 2**62)
    assert math.isclose(found.epsilon, epsilon, rel_tol=1e-15)


def test_a_float_epsilon_means_the_decimal_that_it_prints_as() -> None:
    assert Ratio.of(epsilon=0.1) == Ratio.of(epsilon="1/10")


@pytest.mark.parametrize(
    "wrong",
    [
        {"ratio": "1/2"},
        {"ratio": 0},
        {"epsilon": -1},
        {"epsilon": math.inf},
        {"epsilon": "ln 1/2"},
        {"epsilon": "ln"},
        {"epsilon": "2 ln"},
        {"epsilon": "ln(2"},
        {"epsilon": 10**7},
        {},
        {"ratio": 2, "epsilon": 1},
    ],
)
def test_a_ratio_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidNumber):
        Ratio.of(**wrong)  # type: ignore[arg-type]


def test_a_small_epsilon_keeps_its_digits() -> None:
    assert math.isclose(Ratio.of(epsilon="1e-15").epsilon, 1e-15, rel_tol=1e-15)
    assert "ε = 1000" in str(Ratio.of(epsilon=1000))


@given(
    st.fractions(1, 1000, max_denominator=1000),
    st.integers(1, 40),
)
def test_a_step_is_the_root_rounded_down(ratio: Fraction, steps: int) -> None:
    step = step_ratio(ratio, steps)
    assert step >= 1
    assert step**steps <= ratio
    if step**steps < ratio:
        assert (step + (step - 1) / 2**60) ** steps > ratio


@given(st.fractions(1, 50, max_denominator=50), st.integers(1, 12), st.integers(1, 4))
def test_a_rational_root_is_found(root: Fraction, degree: int, power: int) -> None:
    assert step_ratio(root**degree, degree) == root
    assert step_ratio(root**degree, Fraction(degree, power)) == root**power


def test_steps_may_be_a_fraction() -> None:
    step = step_ratio(Fraction(2), Fraction(2, 3))
    assert step**2 < 2**3 < (step * (1 + Fraction(1, 2**60))) ** 2


def test_a_ratio_next_to_1_keeps_its_digits() -> None:
    ratio = 1 + Fraction(1, 10**40)
    step = step_ratio(ratio, 2)
    assert step**2 < ratio < (1 + (step - 1) * (1 + Fraction(1, 2**60))) ** 2


def test_a_ratio_of_40_nats_and_many_steps() -> None:
    ratio = Fraction(235385266837019985)
    step = step_ratio(ratio, 1000)
    assert step**1000 < ratio < (step * (1 + Fraction(1, 2**60))) ** 1000


def test_fewer_bits_are_rounded_down_too() -> None:
    step = step_ratio(Fraction(2), 24, bits=24)
    assert step.denominator.bit_length() < 34
    assert step**24 < 2 < (step * (1 + Fraction(1, 2**24))) ** 24


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True])
def test_a_sensitivity_is_a_whole_number(wrong: object) -> None:
    with pytest.raises(
        InvalidNumber, match=r"whole number of steps from 1 up, got .* smaller unit"
    ):
        read_sensitivity(wrong)  # type: ignore[arg-type]


def test_a_ratio_that_was_read_stays_what_it_is() -> None:
    one = Ratio.of(epsilon=1)
    assert Ratio.of(one) is one
    with pytest.raises(InvalidNumber, match="exactly one"):
        Ratio.of(one, epsilon=1)


def test_whatever_takes_a_ratio_takes_one_that_was_read() -> None:
    takes = [
        (room, name, inspect.signature(what).parameters["ratio"])
        for room in ("privacy", "worst_case", "mechanisms", "samples", "repetition")
        for name in importlib.import_module(f"leaktight.{room}").__all__
        if callable(what := getattr(importlib.import_module(f"leaktight.{room}"), name))
        and "ratio" in inspect.signature(what).parameters
    ]
    optional = [(room, name, p) for room, name, p in takes if p.default is None]
    assert len(optional) > 15
    assert [(room, name) for room, name, p in optional if p.annotation != RatioLike] == []


def test_what_may_be_above_the_ratio_is_not_allowed() -> None:
    """Between the ends of an enclosed e^ε nobody knows, so that nothing there is called private."""
    one = Ratio.of(epsilon=1)
    between = (one.lower + one.upper) / 2
    assert one.lower < between < one.upper
    assert one.allows(one.lower)
    assert not one.allows(between)
    assert not one.allows(one.upper)
    assert Ratio.of(2).allows(2)
    assert not Ratio.of(2).allows(2 + Fraction(1, 10**40))
