"""Guessing after many observations, against the product channel written out."""

import math
import random
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import repeated, sequential
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss, Tries
from leaktight.errors import InvalidGain, Mismatch, TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.rounding import log2
from leaktight.leakage.vulnerability import (
    g_leakage,
    min_entropy_leakage,
    posterior_risk,
    posterior_vulnerability,
)
from leaktight.repetition.rounds import Observed
from leaktight.repetition.success import (
    expected_gain,
    expected_loss,
    repeated_leakage,
    success_probability,
)
from tests.strategies.channels import channels, channels_and_priors, gains

Rows = list[list[Fraction]]
COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
FOUR = Channel.normalised([[4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 3, 3]])


def random_rows(rng: random.Random, rows: int, columns: int) -> Rows:
    """Rational rows with zeros, and now and then one row twice."""
    table = []
    for _ in range(rows):
        weights = [rng.choice([0, 1, 2, 3, rng.randint(1, 100)]) for _ in range(columns)]
        weights[rng.randrange(columns)] += 1
        table.append([Fraction(w, sum(weights)) for w in weights])
    if rows > 1 and rng.random() < 0.2:
        table[-1] = table[0]
    return table


def written_out(rows: Rows, prior: list[Fraction], n: int) -> Fraction:
    """Σ over all sequences of outputs of the largest joint probability."""
    return sum(
        (
            max(p * prod(row[z] for z in outputs) for p, row in zip(prior, rows, strict=True))
            for outputs in product(range(len(rows[0])), repeat=n)
        ),
        Fraction(0),
    )


def test_success_is_that_of_the_product_channel() -> None:
    """100 random channels with up to 4 outputs and up to 8 observations, equal as fractions."""
    rng = random.Random(7)
    for _ in range(100):
        columns = rng.randint(1, 4)
        n = rng.randint(0, {1: 8, 2: 8, 3: 6, 4: 5}[columns])
        rows = random_rows(rng, rng.randint(1, 4), columns)
        (prior,) = random_rows(rng, 1, len(rows))
        found = success_probability(Channel(rows), prior, n)
        assert found.is_exact
        assert found.method == "types"
        assert found.lower == found.upper == written_out(rows, prior, n)
        assert found.error.lower == found.error.upper == 1 - found.lower
        assert found.observations == n


@settings(max_examples=40)
@given(channels_and_priors(), st.integers(1, 4))
def test_success_is_the_posterior_vulnerability_of_the_repeated_channel(
    case: tuple[Channel, Distribution], n: int
) -> None:
    channel, prior = case
    found = success_probability(channel, prior, n)
    assert found.lower == posterior_vulnerability(repeated(channel, n), prior)


@settings(max_examples=40)
@given(channels_and_priors(), st.integers(1, 6))
def test_floats_enclose_the_success_of_their_exact_numbers(
    case: tuple[Channel, Distribution], n: int
) -> None:
    channel, prior = case[0].float(), case[1].float()
    found = success_probability(channel, prior, n)
    exact = success_probability(channel.exact(), prior.exact(), n)
    assert isinstance(found.lower, float)
    assert found.lower <= exact.lower <= found.upper
    assert found.error.lower <= exact.error.lower <= found.error.upper
    assert found.upper - found.lower <= 1e-12
    assert not found.is_exact


def test_many_types_are_exact_too() -> None:
    """A line at a time, against the listed types of the repeated channel."""
    found = success_probability(FOUR, n=18)
    assert found.lower == posterior_vulnerability(repeated(FOUR, 18))


def test_a_hundred_observations_of_four_outputs_are_exact_and_floats_agree() -> None:
    exact = success_probability(FOUR, n=100)
    floats = success_probability(FOUR.float(), n=100)
    assert exact.is_exact
    assert floats.method == "certified floats"
    assert abs(float(exact) - float(floats)) <= 1e-12


def test_ten_thousand_binary_observations_are_exact() -> None:
    """The error of a symmetric binary channel is a tail of the binomial distribution."""
    n = 9999
    found = success_probability(Channel([["3/4", "1/4"], ["1/4", "3/4"]]), n=n)
    tail, term = 0, 1
    for t in range((n + 1) // 2):  # t times the likelier output
        tail += term
        term = term * (n - t) * 3 // (t + 1)
    assert found.error.lower == Fraction(tail, 4**n)


def test_a_tiny_error_is_not_lost_in_floats() -> None:
    found = success_probability(Channel([[0.99, 0.01], [0.01, 0.99]]), n=61)
    exact = sum(comb(61, t) * Fraction(99) ** t for t in range(31)) / Fraction(100) ** 61
    assert found.upper == 1
    assert abs(float(found.error) / exact - 1) < 1e-9
    assert found.error.lower > 0


def test_too_many_types_give_bounds_and_say_so() -> None:
    ten = Channel.normalised([[3 if i == j else 1 for j in range(10)] for i in range(2)])
    many = Channel.normalised(np.arange(1, 21).reshape(2, 10))
    assert success_probability(ten, n=100).method == "types"  # only three outputs differ
    found = success_probability(many, n=1000)
    assert found.method == "bounds"
    assert 0 < found.error.lower < found.error.upper < 1.05 * found.error.lower


def test_the_membership_of_a_set_is_told_although_its_mixture_is_not() -> None:
    """Erratum 45: the text of section 5.2 of Boreale and Paolini says that it stays 1/2."""
    rows = Channel([[1, 0], [0, 1], ["1/2", "1/2"]])
    prior = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    gain = Gain.membership([0, 1, 2], [0, 1])
    found = [expected_gain(rows, gain, prior, n) for n in range(1, 6)]
    assert [value.lower for value in found] == [1 - Fraction(1, 2**n) for n in range(1, 6)]
    assert all(value.is_exact for value in found)


def test_randomized_response_three_times_loses_7_27() -> None:
    """W-Ex3: the 0/1 loss is the probability of an error."""
    assert expected_loss(COIN, Loss.zero_one([0, 1]), n=3).lower == Fraction(7, 27)
    assert success_probability(COIN, n=3).error.lower == Fraction(7, 27)


@settings(max_examples=30)
@given(st.data())
def test_expected_gains_and_losses_are_those_of_the_repeated_channel(data: st.DataObject) -> None:
    channel, prior = data.draw(channels_and_priors())
    n = data.draw(st.integers(1, 3))
    gain = data.draw(gains(channel.shape[0]))
    written = repeated(channel, n)
    assert expected_gain(channel, gain, prior, n).lower == posterior_vulnerability(
        written, prior, gain
    )
    loss = Loss(gain.matrix)
    assert expected_loss(channel, loss, prior, n).lower == posterior_risk(written, prior, loss)


def test_gains_may_be_negative_and_losses_have_their_limit() -> None:
    channel = Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]])
    gain = Gain([[1, -2, -2], [-2, 1, -2], [0, 0, 0]])
    written = repeated(channel, 5)
    assert expected_gain(channel, gain, n=5).lower == posterior_vulnerability(written, gain=gain)
    squares = Loss.from_function(lambda i, j: (i - j) ** 2 + 1, [0, 1, 2])
    left = [expected_loss(channel, squares, n=n).lower - 1 for n in (500, 1000)]
    assert 0 < left[1] < left[0]
    # W-T9: the rate is 0.030764; the probability also falls like 1/√n.
    rate = (log2(left[0]) - log2(left[1]) - 0.5) / 500
    assert abs(rate - 0.030764) < 0.001


def test_several_tries_choose_the_best_set() -> None:
    written = repeated(FOUR, 4)
    prior = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    for k in (1, 2, 3, 5):
        found = expected_gain(FOUR, Tries(k), prior, 4)
        assert found.lower == posterior_vulnerability(written, prior, Tries(k))


def test_floating_gains_are_enclosed() -> None:
    gain = Gain([[0.3, 0.1], [0.0, 0.7]])
    found = expected_gain(COIN, gain, n=9)
    exact = expected_gain(COIN, Gain([[Fraction(0.3), Fraction(0.1)], [0, Fraction(0.7)]]), n=9)
    assert not found.is_exact
    assert found.lower <= exact.lower <= found.upper


def test_different_channels_in_a_row_are_their_sequential_composition() -> None:
    one, other = Channel.normalised([[3, 1], [1, 2]]), Channel.normalised([[1, 1, 3], [2, 1, 1]])
    composed = sequential(sequential(one, one), sequential(other, sequential(other, other)))
    found = success_probability([(one, 2), (other, 3)], ["1/3", "2/3"])
    assert found.lower == posterior_vulnerability(composed, ["1/3", "2/3"])
    assert found.observations == 5


def test_n_rounds_of_several_channels_are_each_n_times_as_many() -> None:
    blurred = Channel([["3/5", "2/5"], ["2/5", "3/5"]])
    once: Observed = [(COIN, 2), (blurred, 1)]
    found = success_probability(once, n=4)
    assert found.lower == success_probability([(blurred, 4), (COIN, 8)]).lower
    assert found.observations == 12


def test_more_types_than_are_listed_of_two_channels() -> None:
    """20 × 10 types of two channels, in lines, against the product of their repetitions."""
    one, other = Channel.normalised([[3, 1], [1, 2]]), Channel.normalised([[1, 1, 3], [2, 1, 1]])
    found = success_probability([(one, 20), (other, 10)])
    composed = sequential(repeated(one, 20), repeated(other, 10))
    assert found.lower == posterior_vulnerability(composed)


def test_the_order_of_inputs_and_labels_do_not_matter() -> None:
    channel = Channel.normalised([[3, 1], [1, 2], [5, 5]], inputs=["a", "b", "c"])
    prior = {"c": "1/2", "a": "1/3", "b": "1/6"}
    turned = channel.restrict(["b", "c", "a"])
    values = {success_probability(each, prior, 7).lower for each in (channel, turned)}
    assert len(values) == 1
    gain = Gain.membership(["c", "b", "a"], ["a"])
    values = {expected_gain(each, gain, prior, 7).lower for each in (channel, turned)}
    assert len(values) == 1


@pytest.mark.parametrize("n", [0, 1, 5])
def test_one_input_is_always_guessed(n: int) -> None:
    assert success_probability(Channel([["1/2", "1/2"]]), n=n).lower == 1


def test_edges() -> None:
    nothing = Channel.no_interference(3)
    prior = ["1/2", "1/3", "1/6"]
    assert success_probability(nothing, prior, 10**9).lower == Fraction(1, 2)
    assert success_probability(FOUR, prior, 0).lower == Fraction(1, 2)
    assert success_probability(Channel.identity(3), prior, 1).lower == 1
    certain = Distribution.point(1, [0, 1, 2])
    assert success_probability(FOUR, certain, 10**6).lower == 1
    twins = Channel([["2/3", "1/3"], ["2/3", "1/3"], [0, 1]])
    assert success_probability(twins, n=400).lower < Fraction(2, 3)
    assert success_probability(twins, n=400).lower > Fraction(2, 3) - Fraction(1, 10**60)


def test_probabilities_far_below_the_floats_are_exact_and_enclosed() -> None:
    tiny = Fraction(1, 10**400)
    channel = Channel([[1 - tiny, tiny], [1 - 2 * tiny, 2 * tiny]])
    for n, method in ((2, "types"), (300, "types"), (3000, "certified floats")):
        found = success_probability(channel, n=n)
        # The first input is guessed if the rare output is never seen.
        right = (rational(1 - tiny) ** n + 1 - rational(1 - 2 * tiny) ** n) / 2
        assert found.method == method
        assert rational(found.lower) <= right <= rational(found.upper)
        assert found.upper - found.lower <= 1e-12


def test_leakage_after_n_observations_has_an_exact_factor() -> None:
    prior = ["1/2", "1/3", "1/6"]
    leak, written = repeated_leakage(FOUR, prior, 5), repeated(FOUR, 5)
    assert leak.is_exact
    assert leak.lower == leak.upper == min_entropy_leakage(written, prior).factor
    gain = Gain.membership([0, 1, 2], [0])
    found = repeated_leakage(FOUR, prior, 5, gain)
    assert found.lower == g_leakage(written, prior, gain).factor
    floats = repeated_leakage(FOUR.float(), Distribution(prior).float(), 5)
    assert floats.lower <= leak.lower * (1 + Fraction(1, 2**40))
    assert floats.upper >= leak.lower * (1 - Fraction(1, 2**40))
    assert not floats.is_exact


def test_what_is_shown_is_short() -> None:
    assert repr(success_probability(COIN, n=3)) == (
        "SuccessProbability(right 20/27, wrong 7/27 after 3 observations; types)"
    )
    long = repr(success_probability(COIN, n=1001))
    assert long.startswith("SuccessProbability(right ≈1, wrong ≈")
    assert long.endswith("after 1,001 observations; types)")
    floats = repr(success_probability(COIN.float(), n=1))
    assert floats == (
        "SuccessProbability(right ≈0.666667, wrong ≈0.333333 after 1 observation; certified floats)"
    )
    rounded = float(success_probability(COIN, n=3))
    assert math.nextafter(rounded, 0) < Fraction(20, 27) <= rounded
    assert repr(repeated_leakage(COIN, n=3)).startswith("RepeatedLeakage(factor 40/27, 1/2 before")


def test_bad_gains_and_losses_are_refused_in_one_line() -> None:
    with pytest.raises(InvalidGain, match="expected a Gain, a Loss, Tries, a table"):
        expected_gain(COIN, 3)  # type: ignore[arg-type]
    with pytest.raises(InvalidGain, match="expected a Loss"):
        expected_loss(COIN, Gain.binary([0, 1]))  # type: ignore[arg-type]
    with pytest.raises(Mismatch, match="the gain and the inputs"):
        expected_gain(COIN, Gain.binary([0, 1, 2]))
    with pytest.raises(TooLarge, match="10 tries for 40 inputs"):
        expected_gain(Channel.random(40, 2, seed=1), Tries(10))
    with pytest.raises(TooLarge, match="observe less often"):
        expected_loss(Channel.random(2, 10, seed=1), Loss.zero_one([0, 1]), n=1000)
    with pytest.raises(TooLarge, match="simulate_success"):
        success_probability(Channel.random(200, 10, seed=1), n=1000)


@settings(max_examples=25)
@given(channels(most=4), st.integers(0, 6))
def test_success_only_grows_with_the_number_of_observations(channel: Channel, n: int) -> None:
    less, more = (success_probability(channel, n=k).lower for k in (n, n + 1))
    assert less <= more
