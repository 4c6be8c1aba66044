import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Bits, Bound, Chance, Count, Factor, OfFactor, added
from leaktight.exact.numbers import Value


@dataclass(frozen=True)
class Gain(OfFactor):
    factor: Value


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
    assert Gain(math.inf).nats == Bits(1.0, math.inf).nats == math.inf


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_an_enclosure_is_told_by_its_upper_end(one: float, other: float) -> None:
    rate = Bits(*sorted((one, other)))
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


# --- ends, side and unit ----------------------------------------------------------------------

KINDS = (Bound, Chance, Factor)
between = st.fractions(Fraction(1, 10**12), 1, max_denominator=10**12)


@given(between, between, st.sampled_from(KINDS))
def test_as_a_float_it_is_never_on_the_wrong_side(
    one: Fraction, other: Fraction, kind: type[Bound[Fraction]]
) -> None:
    low, high = sorted((one, other))
    inside = kind(low, high).interval
    assert Fraction(inside[0]) <= low <= high <= Fraction(inside[1])
    if kind is not Factor:  # whose float is its bits
        assert float(kind(low, high)) == inside[1]
        assert float(kind(low, high, side="lower")) == inside[0]
    assert kind(low, high, side="lower").safe == low


@given(between, between)
def test_what_is_printed_is_never_on_the_wrong_side(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    for found in (Bound(low, high), Bound(low, high, side="lower")):
        sign, number = found.compared.split(" ")
        told = Fraction(number.replace(",", ""))
        if sign == "=":
            assert told == low == high
        else:
            assert told >= high if found.side == "upper" else told <= low


def test_ends_in_the_wrong_order_are_refused() -> None:
    for ends in ((2, 1), (math.nan, 1.0), (0.0, math.nan), (Fraction(1, 3), Fraction(1, 4))):
        with pytest.raises(InvalidNumber, match="must not exceed"):
            Bound(*ends)


def test_a_lower_bound_alone_never_passes_for_an_upper_one() -> None:
    least = Bound(Fraction(3), math.inf, side="lower")
    assert least.upper == math.inf
    assert float(least) == 3
    assert str(least) == "≥ 3"
    assert least.to_json() == {"unit": "", "lower": 3.0, "upper": None, "exact": None}


def test_floats_are_never_called_exact_but_infinity_is() -> None:
    assert not Bits(1.0, 1.0).is_exact
    assert Bits(math.inf, math.inf).is_exact
    assert Count(3, 3).is_exact
    assert Bound(Fraction(1, 3), Fraction(1, 3)).is_exact
    assert not Chance(Fraction(1, 3), Fraction(1, 2)).is_exact


def test_json_has_the_exact_number_unless_it_is_long() -> None:
    third, power = Fraction(1, 3), Fraction(4, 3) ** 10**6
    assert Chance(third, third).to_json()["exact"] == "1/3"
    long = Factor(power, power).to_json()
    assert (long["exact"], long["upper"]) == (None, None)
    assert long["lower"] == pytest.approx(1.797e308, rel=1e-3)


def test_a_page_shows_the_number_and_every_field_of_the_witness() -> None:
    @dataclass(frozen=True, slots=True, repr=False)
    class Odds(Chance[Fraction]):
        witness: tuple[str, str]
        nobody: None = None

    page = Odds(Fraction(1, 3), Fraction(1, 2), ("a<b", "c"))._repr_html_()
    assert "1/3 to 1/2" in page
    assert "a&lt;b" in page
    assert "nobody" not in page


def test_latex_has_the_sign_of_the_safe_side() -> None:
    assert Bound(0.25, 0.5, side="lower").latex() == r"\ge 0.25"
    assert Bits(0.25, math.inf).latex() == r"\le \infty\text{ bits}"
    assert Chance(Fraction(2, 3), Fraction(2, 3)).latex() == r"\frac{2}{3}"


def test_ends_next_to_a_short_number_are_written_around_it() -> None:
    near = Bits(4 - 2.0**-51, 4 + 2.0**-50)
    number, off = near.text.removesuffix(" bits").split(" ± ")
    assert Fraction(number) - Fraction(off) <= Fraction(near.lower)
    assert Fraction(number) + Fraction(off) >= Fraction(near.upper)
    assert number == "4"
    assert Fraction(off) < 2**-49
    assert Bits(1.390575, 1.390576).text == "1.39057 to 1.39058 bits"
    assert Bits(2.0, math.inf).text == "2 to inf bits"
