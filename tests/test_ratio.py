import math
from decimal import Decimal, getcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber
from leaktight.ratio import Ratio


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
