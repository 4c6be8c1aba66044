import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import (
    exact_array,
    float_array,
    fraction,
    largest,
    rational,
    read_numbers,
    to_float,
)
from leaktight.exact.rounding import (
    float_above,
    float_below,
    ln,
    ln_interval,
    log2,
    log2_interval,
    nearest_float,
)


@given(
    st.integers(1, 2**64), st.integers(1, 2**64), st.integers(60, 120), st.integers(0, 40),
    st.sampled_from([-1, 1]), st.integers(-900, 900),
)  # fmt: skip
def test_long_numbers_have_the_nearest_float(
    p: int, q: int, power: int, less: int, sign: int, scale: int
) -> None:
    """Python divides whole numbers to the nearest float, however long they are."""
    above = p**power << max(scale, 0)
    below = q ** (power - less) << max(-scale, 0)
    try:
        expected = sign * above / below
    except OverflowError:
        expected = sign * math.inf
    assert to_float(fmpq(sign * above, below)) == expected


def test_long_numbers_between_two_floats_are_decided() -> None:
    half = (2**53 + 1) * 3**3000  # halfway between 2^53 and 2^53 + 2, which is even
    assert to_float(fmpq(half, 3**3000)) == 2.0**53
    assert to_float(fmpq(half + 1, 3**3000)) == 2.0**53 + 2
    assert to_float(fmpq(half - 1, 3**3000)) == 2.0**53


POSITIVE = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9)


def decimal_log2(value: Fraction) -> Decimal:
    """An independent route: the standard library's decimal logarithm to 60 digits."""
    getcontext().prec = 60
    return (Decimal(value.numerator).ln() - Decimal(value.denominator).ln()) / Decimal(2).ln()


@pytest.mark.parametrize(
    "written", [3, Fraction(3), "3", "3.0", "6/2", " 3 ", Decimal(3), fmpq(3), 3.0, np.int64(3)]
)
def test_the_same_number_is_read_from_every_notation(written: object) -> None:
    assert rational(written) == 3


@given(st.fractions())
def test_a_fraction_survives_the_way_through_flint(value: Fraction) -> None:
    assert fraction(rational(value)) == value
    assert fraction(rational(str(value))) == value


def test_a_decimal_text_is_exact_and_a_float_is_its_binary_value() -> None:
    assert rational("0.1") == fmpq(1, 10)
    assert fraction(rational(0.1)) == Fraction(0.1) != Fraction(1, 10)


@pytest.mark.parametrize("wrong", ["", "a", "1/0", "1//2", math.nan, math.inf, None, [1], "nan"])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidNumber):
        rational(wrong)


def test_numbers_of_any_length_are_read_and_hopeless_ones_refused() -> None:
    long = Fraction(3**9000, 2**20000)
    assert fraction(rational(f"{rational(3) ** 9000}/{rational(2) ** 20000}")) == long
    assert rational("1e-400") == fmpq(1, 10**400)
    assert rational("-.5E1") == -5
    for hopeless in ("1e999999999", Decimal("1e-100000000")):
        with pytest.raises(InvalidNumber, match="at most a million"):
            rational(hopeless)


def test_a_row_is_exact_only_if_all_its_numbers_are() -> None:
    assert read_numbers([1, "1/2"]).dtype == object
    assert read_numbers([1, 0.5, "1/4"]).tolist() == [1.0, 0.5, 0.25]
    assert read_numbers(np.array([1, 2])).dtype == object
    assert read_numbers(np.array([1, 2], dtype=np.float32)).dtype == np.float64


@given(POSITIVE)
def test_log2_is_correctly_rounded(value: Fraction) -> None:
    true = decimal_log2(value)
    got = log2(value)
    for neighbour in (math.nextafter(got, -math.inf), math.nextafter(got, math.inf)):
        assert abs(Decimal(got) - true) <= abs(Decimal(neighbour) - true)


@given(POSITIVE)
def test_log_intervals_enclose_and_are_narrow(value: Fraction) -> None:
    low, high = log2_interval(value)
    true = decimal_log2(value)
    assert Decimal(low) <= true <= Decimal(high)
    assert high <= math.nextafter(math.nextafter(low, math.inf), math.inf)
    low, high = ln_interval(value)
    assert low <= ln(value) <= high


def test_logarithms_neither_overflow_nor_vanish() -> None:
    assert log2(2**5000) == 5000
    assert log2(Fraction(1, 2**5000)) == -5000
    assert math.isclose(ln(Fraction(1, 10**400)), -400 * math.log(10), rel_tol=1e-15)
    assert log2(1) == 0
    with pytest.raises(InvalidNumber, match="above 0"):
        log2(0)


@given(st.fractions())
def test_directed_rounding_brackets_a_number_tightly(value: Fraction) -> None:
    low, high = float_below(rational(value)), float_above(rational(value))
    assert Fraction(low) <= value <= Fraction(high)
    assert high <= math.nextafter(low, math.inf)
    assert (low == high) == (Fraction(float(value)) == value)


def test_rounding_beyond_the_floats_goes_to_the_side_asked_for() -> None:
    huge = fmpq(2) ** 5000
    largest = math.nextafter(math.inf, 0)
    assert (float_below(huge), float_above(huge)) == (largest, math.inf)
    assert (float_below(-huge), float_above(-huge)) == (-math.inf, -largest)
    tiny = 1 / huge
    assert (float_below(tiny), float_above(tiny)) == (0.0, 5e-324)
    assert to_float(tiny) == 0


def test_a_number_halfway_between_two_floats_is_still_rounded() -> None:
    halfway = fmpq(2**53 + 1, 2**53)
    third = fmpq(1, 3)
    found = nearest_float(lambda: arb(halfway) + arb(third) - arb(third))
    assert found in (1.0, math.nextafter(1.0, 2))


def test_float_arrays_are_rounded_to_nearest() -> None:
    exact = read_numbers(["1/3", "2/3", f"1/{10**400}"])
    assert float_array(exact).tolist() == [1 / 3, 2 / 3, 0.0]


def test_long_numbers_that_repeat_become_the_same_floats_as_others() -> None:
    powers = [fmpq(2, 3) ** k for k in range(0, 900, 30)]
    array = exact_array(np.array(powers + powers[::-1], dtype=object).reshape(2, -1))
    expected = [[to_float(p) for p in row] for row in array]
    assert float_array(array).tolist() == expected
    assert float_array(exact_array([])).tolist() == []


@given(st.lists(st.fractions(0, 1), min_size=1, max_size=8), st.sampled_from([0, 60, 1100]))
def test_the_largest_of_exact_numbers_is_found_however_near_the_others_are(
    some: list[Fraction], bits: int
) -> None:
    near = [Fraction(1, 2) + p / 2**bits for p in some] + [p / 2**bits for p in some]
    assert fraction(largest(exact_array(near))) == max(near)
