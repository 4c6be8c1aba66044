"""Best guesses for all types, and three ways to sum what goes with them."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import TooLarge
from leaktight.exact.numbers import Array, exact_array, fraction
from leaktight.repetition.types import (
    Guessing,
    Likelihoods,
    Stakes,
    TypeClasses,
    decisions,
    sum_over_types,
)
from leaktight.repetition.types.decisions import enclosed_sum, exact_sum, listed_sum
from tests.repetition.test_type_classes import several_types
from tests.strategies.fractions import fractions


def off_diagonal(weights: Array) -> Array:
    """What wrong guesses cost, as a table."""
    table = np.tile(weights, (len(weights), 1))
    np.fill_diagonal(table, fmpq(0))
    return table


@st.composite
def types_and_stakes(draw: st.DrawFn) -> tuple[TypeClasses, Guessing | Stakes]:
    types = draw(several_types())
    classes = len(types.parts[0][0])
    number = fractions(0, 3, max_denominator=9)
    if draw(st.booleans()):
        above = fractions("1/9", 3, max_denominator=9)
        return types, Guessing(exact_array(draw(above) for _ in range(classes)))
    guesses = draw(st.integers(1, 4))
    costs, payoff = (
        exact_array(draw(number) for _ in range(guesses * classes)).reshape(guesses, classes)
        for _ in range(2)
    )
    return types, Stakes(costs, draw(st.sampled_from([costs, payoff])))


@settings(max_examples=60)
@given(types_and_stakes())
def test_the_exact_sums_agree_and_the_floats_enclose_them(
    case: tuple[TypeClasses, Guessing | Stakes],
) -> None:
    types, stakes = case
    likelihoods = Likelihoods.of(types)
    exact = listed_sum(types, stakes)
    assert exact_sum(types, stakes, likelihoods) == exact
    low, high = enclosed_sum(types, stakes, likelihoods)
    assert low <= exact <= high
    assert high - low <= exact * fmpq(1, 2**40) + fmpq(1, 2**1000)


@settings(max_examples=30)
@given(several_types(), st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_guessing_is_the_table_of_wrong_guesses(types: TypeClasses, weights: list[int]) -> None:
    given_weights = exact_array(weights[: len(types.parts[0][0])])
    table = off_diagonal(given_weights)
    likelihoods = Likelihoods.of(types)
    assert exact_sum(types, Guessing(given_weights), likelihoods) == exact_sum(
        types, Stakes(table, table), likelihoods
    )


@pytest.mark.parametrize("n", [1, 2, 3, 30, 31])
def test_of_equally_good_guesses_the_first_is_made(n: int) -> None:
    """A symmetric channel ties where both outputs are seen equally often."""
    matrix = Channel([["3/4", "1/4"], ["1/4", "3/4"]]).matrix
    types = TypeClasses(((matrix, n),))
    costs = exact_array([0, 1, 1, 0]).reshape(2, 2)
    payoff = exact_array([0, 0, 1, 1]).reshape(2, 2)  # how often the second guess is made
    second = fraction(listed_sum(types, Stakes(costs, payoff)))
    odd = sum(
        Fraction(3**t + 3 ** (n - t), 4**n) * ways
        for t, ways in enumerate(np.poly1d([1, 1]) ** n)
        if t > n - t
    )
    assert second == odd
    assert exact_sum(types, Stakes(costs, payoff), Likelihoods.of(types)) == listed_sum(
        types, Stakes(costs, payoff)
    )


def test_guesses_too_close_for_floats_are_decided_exactly() -> None:
    """One weight is larger by a part in 2^200; the payoff tells which was guessed."""
    matrix = Channel([["3/4", "1/4"], ["1/4", "3/4"]]).matrix
    types, close = TypeClasses(((matrix, 40),)), 1 + fmpq(1, 2**200)
    payoff = exact_array([0, 0, 1, 1]).reshape(2, 2)
    masses = []
    for first, second in ((1, close), (close, 1)):
        costs = exact_array([0, second, first, 0]).reshape(2, 2)
        masses.append(enclosed_sum(types, Stakes(costs, payoff), Likelihoods.of(types)))
    tie = 2 * fmpq(3**20 * 137846528820, 4**40)  # C(40, 20) sequences, both classes
    assert abs(masses[0][0] - masses[1][0] - tie) <= tie / 2**40


@pytest.mark.parametrize("first", [0, 1])
def test_ties_that_rounding_breaks_are_settled_exactly(first: int) -> None:
    """Rows that are turned around tie if all outputs are seen equally often.

    In floats the two chances differ in their last digits, now one way and now the other.
    """
    payoff = exact_array([0, 0, 1, 1]).reshape(2, 2)
    costs = exact_array([0, 1, 1, 0]).reshape(2, 2)[[first, 1 - first]]
    nearly = exact_array([1, 1 + fmpq(1, 2**200)])[[first, 1 - first]]
    for row in ([3, 5, 7], [2, 9, 4], [11, 1, 6], [10, 13, 17]):
        matrix = Channel.normalised([row, [*row[1:], row[0]]]).matrix
        for n in (3, 12, 24, 33):
            types = TypeClasses(((matrix, n),))
            for stakes in (Stakes(costs, payoff), Guessing(nearly)):
                assert exact_sum(types, stakes, Likelihoods.of(types)) == listed_sum(types, stakes)


def test_types_that_no_class_can_give_are_passed_over() -> None:
    matrix = Channel([[1, 0, 0], [0, "1/2", "1/2"]]).matrix
    types = TypeClasses(((matrix, 50),))
    low, high = enclosed_sum(types, Guessing(exact_array([1, 1])), Likelihoods.of(types))
    assert low == 0
    assert high <= fmpq(1, 2**1000)


def test_few_types_and_many_are_exact_and_too_many_bits_are_floats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = Channel([["3/4", "1/4"], ["1/5", "4/5"]]).matrix
    types, stakes = TypeClasses(((matrix, 700),)), Guessing(exact_array([1, 1]))
    low, high, method = sum_over_types(types, stakes, exact=True)
    assert (low == high, method) == (True, "types")
    monkeypatch.setattr(decisions, "FEW", 2**20)
    assert sum_over_types(types, stakes, exact=True) == (low, high, "types")
    monkeypatch.setattr(decisions, "FEW", 0)
    monkeypatch.setattr(decisions, "MOST_HANDLED", 1000)
    below, above, method = sum_over_types(types, stakes, exact=True)
    assert method == "certified floats"
    assert below < low < above


def test_too_many_types_are_refused_and_counted() -> None:
    matrix = Channel.normalised(np.arange(1, 21).reshape(2, 10)).matrix
    with pytest.raises(TooLarge, match=r"about 10\^21 types of 1,000 observations"):
        sum_over_types(TypeClasses(((matrix, 1000),)), Guessing(exact_array([1, 1])), exact=True)
