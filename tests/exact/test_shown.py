"""A bound with few digits is still a bound."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from leaktight.exact.shown import above, apart, below, nearest

NUMBERS = st.floats(0, 2.0**60, allow_subnormal=False)


def read(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


@given(NUMBERS, st.integers(3, 8))
def test_bounds_lie_on_their_side_and_within_a_unit_of_the_last_digit(x: float, n: int) -> None:
    low, middle, high = (read(text(x, n)) for text in (below, nearest, above))
    exactly = Fraction(repr(x))
    assert low <= exactly <= high
    assert high - low <= exactly / 10 ** (n - 1)
    assert abs(middle - exactly) == min(exactly - low, high - exactly)


@given(NUMBERS, NUMBERS)
def test_two_numbers_are_told_apart_in_their_order(x: float, y: float) -> None:
    one, other = map(read, apart(x, y))
    assert (one < other, one == other) == (x < y, x == y)
    assert one >= Fraction(repr(x))
    assert other >= Fraction(repr(y))
