import math
import re
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from leaktight.exact.shown import Probability, percent, percent_above

PROBABILITIES = st.one_of(
    st.fractions(0, 1),
    st.integers(0, 40).map(lambda k: Fraction(1, 10**k)),
    st.integers(0, 40).map(lambda k: 1 - Fraction(1, 10**k)),
    st.floats(0, 1).map(Fraction),
)


def number(text: str) -> Fraction:
    return Fraction(re.sub(r"[a-z %]", "", text)) / 100


@given(PROBABILITIES)
@example(Fraction(4754, 10000))
@example(Fraction(99901, 100000))
@example(Fraction(9999, 10**6))
def test_a_bound_is_never_understated_and_little_overstated(value: Fraction) -> None:
    text = percent_above(value)
    assert re.fullmatch(r"[0-9.]+%", text)  # "at most more than 99.9%" would be no bound
    assert value <= number(text) <= 1
    assert number(text) - value < Fraction(1, 1000)
    if value >= Fraction(1, 10**5):
        assert number(text) <= value * Fraction(11, 10)


@given(PROBABILITIES)
def test_an_exact_number_is_rounded_to_the_nearest(value: Fraction) -> None:
    text = percent(value)
    if text.startswith("more than"):
        assert Fraction(9995, 10000) <= value < 1
    elif text.startswith("less than"):
        assert 0 < value < number(text)
    else:
        assert abs(number(text) - value) <= Fraction(5, 10**4)


@given(PROBABILITIES)
def test_only_0_is_0_and_only_1_is_100(value: Fraction) -> None:
    for text in (percent(value), percent_above(value)):
        assert (text == "0%") == (value == 0)
    assert (percent(value) == "100%") == (value == 1)
    assert (percent_above(value) == "100%") == (value > Fraction(999, 1000))


def test_what_is_read() -> None:
    e = Fraction(math.e)
    assert percent_above(e / (3 + e)) == "47.6%"  # 47.54%
    assert percent_above(e**2 / (3 + e**2)) == "71.2%"  # 71.12%
    assert percent(e / (3 + e)) == "47.5%"
    assert percent(Fraction(1, 8)) == "12.5%"
    assert percent(Fraction(1, 20)) == "5%"
    assert percent(Fraction(1, 10**5)) == "0.001%"
    assert percent_above(Fraction(1, 10**40)) == "0.00001%"
    assert percent(Fraction(1, 10**40)) == "less than 0.00001%"
    assert percent_above(1 - Fraction(1, 10**40)) == "100%"
    assert percent_above(Fraction(999, 1000)) == "99.9%"


def test_a_probability_says_whether_it_is_a_bound() -> None:
    half, third, near = Fraction(1, 2), Fraction(1, 3), 1 - Fraction(1, 10**9)
    assert [str(Probability(1, value, True)) for value in (half, third, near)] == [
        "exactly 50%",
        "about 33.3%",
        "more than 99.9%",
    ]
    assert [str(Probability(1, value, False)) for value in (half, third, near)] == [
        "at most 50%",
        "at most 33.4%",
        "possibly more than 99.9%",
    ]
    assert str(Probability(1, Fraction(1), False)) == "at most 100%"
    assert str(Probability(1, Fraction(1, 10**9), True)) == "less than 0.00001%"
    assert str(Probability(1, Fraction(0), True)) == "exactly 0%"
