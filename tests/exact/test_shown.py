"""A bound with few digits is still a bound."""

from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import above, apart, below, nearest, shown_above, shown_below

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


@given(st.fractions(1, 2**20, max_denominator=2**18))
@example(Fraction(11, 10))
def test_a_short_number_is_shown_exactly_and_a_long_one_rounded_up(x: Fraction) -> None:
    assert Fraction(shown_above(x)) == x
    long = x + Fraction(1, 3**99)
    assert long <= read(shown_above(long).removeprefix("≈")) <= long * (1 + Fraction(1, 10**5))


@given(st.integers(1, 999), st.integers(0, 3))
def test_a_bound_next_to_a_short_float_on_its_safe_side_is_shown_as_that(k: int, n: int) -> None:
    """A chance that is next to 1 is at most 1, and not 1.00001."""
    short, little = Fraction(k, 2**n), Fraction(1, 3**99)
    assert read(shown_above(short - little).removeprefix("≈")) == short
    assert read(shown_below(short + little).removeprefix("≈")) == short


def test_a_ratio_that_is_kept_does_not_look_larger_than_the_one_asked_for() -> None:
    asked = Ratio.of(epsilon=1)
    assert str(asked) == "≈2.71829 (ε = 1)"
    assert above(float(asked.lower)) == "2.71829"
