"""Products of powers: exact, quick, and in the right order."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.powers import Powers

bases = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50)
products = st.lists(st.tuples(bases, st.integers(-6, 6)), max_size=4).map(lambda f: Powers.of(*f))


@given(products, products)
def test_products_behave_like_the_numbers_they_are(a: Powers, b: Powers) -> None:
    assert (a * b).value == a.value * b.value
    assert (a / b).value == a.value / b.value
    assert (a**3).value == a.value**3
    assert (a < b) == (a.value < b.value)
    assert (a == b) == (a.value == b.value)
    assert (a >= b) == (a.value >= b.value)
    assert a == Powers.of((a.value, 1)) == a.value
    assert hash(a) == hash(Powers.of((a.value, 1)))


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1))
def test_a_sum_of_powers_is_that_sum(terms: list[tuple[int, int]]) -> None:
    third = Fraction(1, 3)
    assert Powers.of_sum(third, terms).value == sum(c * third**e for c, e in terms)


def test_long_numbers_are_told_apart_and_equal_ones_recognised() -> None:
    assert Powers.of((6, 10**9), (2, -(10**9))) == Powers.of((9, 5 * 10**8))
    hair = Fraction(10**40 + 1, 10**40)
    assert Powers.of((3, 10**9)) < Powers.of((3, 10**9), (hair, 1))
    assert Powers.of((3, 10**9), (hair, -1)) < Powers.of((3, 10**9))
    assert Powers.of((2, 100_000)) == 2**100_000
    assert Powers.of((2, 100_000)) != 2**100_000 + 1


def test_a_number_that_is_too_long_is_not_written_out() -> None:
    with pytest.raises(TooLarge, match="bits"):
        _ = Powers.of((3, 10**9)).value


def test_a_base_must_be_positive() -> None:
    with pytest.raises(InvalidNumber, match="above 0"):
        Powers.of((0, 1))


def test_a_number_is_written_however_long_it_is() -> None:
    assert str(Powers.of((10**9000, 1), (Fraction(1, 3), 2))) == f"1{'0' * 9000} · (1/3)^2"


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ([(6, 1), (Fraction(7, 2), -1)], "12/7"),
        ([(16, 1), (Fraction(225, 64), -1)], "1024/225"),
        ([(2, 4)], "16"),
        ([(2, 100)], "2^100"),
        ([(Fraction(4, 3), 10)], "(4/3)^10"),
        ([(2, 10**6), (7, 1)], "2^1000000 · 7"),
        ([], "1"),
    ],
)
def test_a_product_is_said_as_a_person_reads_it(
    factors: list[tuple[int | Fraction, int]], said: str
) -> None:
    assert str(Powers.of(*factors)) == said
    assert repr(Powers.of(*factors)) == f"Powers({said})"
