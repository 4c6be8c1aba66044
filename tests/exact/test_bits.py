import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.exact.bits import Between, OfFactor, added
from leaktight.exact.numbers import Value


@dataclass(frozen=True)
class Gain(OfFactor):
    factor: Value


@dataclass(frozen=True)
class Rate(Between):
    lower: float
    upper: float


def logarithm(number: Fraction) -> Decimal:
    """ln of a number, by the standard library, to 60 digits."""
    with localcontext(prec=60):
        return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


@given(st.fractions(Fraction(1, 10**30), 10**30))
def test_bits_and_nats_are_the_next_floats_above(factor: Fraction) -> None:
    found = Gain(factor)
    with localcontext(prec=60):
        nats, two = logarithm(factor), Decimal(2).ln()
        low, high = map(Decimal, found.bits_interval)
        assert low <= nats / two <= high
        assert nats <= Decimal(found.nats)
        for rounded, exact in ((found.bits, nats / two), (found.nats, nats)):
            assert Decimal(math.nextafter(rounded, -math.inf)) < exact or nats == 0
    assert float(found) == found.bits == found.bits_interval[1]


def test_a_power_of_two_is_a_whole_number_of_bits() -> None:
    assert Gain(Fraction(8)).bits_interval == (3, 3)
    assert Gain(0.25).bits_interval == (-2, -2)


def test_an_infinite_factor_is_infinitely_many_bits() -> None:
    assert Gain(math.inf).bits_interval == (math.inf, math.inf)
    assert Gain(math.inf).nats == Rate(1.0, math.inf).nats == math.inf


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_an_enclosure_is_told_by_its_upper_end(one: float, other: float) -> None:
    rate = Rate(*sorted((one, other)))
    assert rate.bits == max(one, other)
    with localcontext(prec=60):
        assert Decimal(rate.bits) * Decimal(2).ln() <= Decimal(rate.nats)
    assert rate.nats == pytest.approx(rate.bits * math.log(2), rel=1e-15)


@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9), st.integers(0, 1000)), max_size=6))
def test_a_sum_of_enclosures_encloses_every_sum(parts: list[tuple[float, float, int]]) -> None:
    low, high = added([((min(a, b), max(a, b)), times) for a, b, times in parts])
    assert Fraction(low) <= sum(Fraction(min(a, b)) * times for a, b, times in parts)
    assert Fraction(high) >= sum(Fraction(max(a, b)) * times for a, b, times in parts)
    assert high <= 1e-9 or high <= 2 * sum(max(a, b) * times for a, b, times in parts)
