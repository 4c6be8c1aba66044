from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.geometric import GeometricNoise, TruncatedGeometric
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.optimum import worst_case_leakage
from tests.mechanisms.promises import RATIOS, kept_promise

ABOVE_1 = RATIOS.filter(lambda ratio: ratio > 1)


# --- on all whole numbers ------------------------------------------------------------------


@given(ABOVE_1, st.integers(-6, 6))
def test_tails_add_up_to_1(ratio: Fraction, k: int) -> None:
    noise = GeometricNoise(ratio=ratio)
    assert noise.tail(k) - noise.tail(k + 1) == noise.pmf(k)
    assert noise.tail(k) + noise.tail(1 - k) == 1
    assert noise.pmf(-k) == noise.pmf(k) > 0


@given(ABOVE_1, st.integers(1, 5))
@settings(max_examples=30)
def test_answers_within_the_sensitivity_are_within_the_ratio(ratio: Fraction, s: int) -> None:
    noise = GeometricNoise(ratio=ratio, sensitivity=s)
    chances = {k: noise.pmf(k) for k in range(-2 * s - 2, 2 * s + 3)}
    worst = max(
        chances[z] / chances[z - shift] for shift in range(-s, s + 1) for z in range(-s - 2, s + 3)
    )
    assert worst <= noise.guarantee.ratio == ratio
    assert worst * (1 + Fraction(s, 2**55)) > ratio


@given(ABOVE_1, st.integers(1, 3), st.integers(-3, 3), st.integers(0, 4))
def test_truncation_collects_the_tails(ratio: Fraction, s: int, least: int, more: int) -> None:
    noise, most = GeometricNoise(ratio=ratio, sensitivity=s), least + more
    channel = noise.truncated(least, most).channel
    assert channel.inputs == tuple(range(least, most + 1))
    for x in channel.inputs:
        assert isinstance(x, int)
        if more == 0:
            assert channel[x, x] == 1
            continue
        assert channel[x, least] == noise.tail(x - least)
        assert channel[x, most] == noise.tail(most - x)
        for z in range(least + 1, most):
            assert channel[x, z] == noise.pmf(z - x)


def test_it_has_no_finite_channel_and_none_at_ratio_1() -> None:
    with pytest.raises(TooLarge, match=r"infinitely many outputs; \.truncated"):
        _ = GeometricNoise(ratio=2).channel
    with pytest.raises(InvalidNumber, match=r"ratio above 1 .*TruncatedGeometric"):
        GeometricNoise(epsilon=0)
    with pytest.raises(InvalidNumber, match=r"whole number of steps"):
        GeometricNoise(ratio=2, sensitivity=0)
    assert "differ by at most 2" in str(GeometricNoise(ratio=4, sensitivity=2).guarantee)


# --- on a line -----------------------------------------------------------------------------


@given(st.integers(1, 7), RATIOS, st.integers(1, 8))
def test_it_is_as_private_as_asked(n: int, ratio: Fraction, s: int) -> None:
    mechanism = TruncatedGeometric(n, ratio=ratio, sensitivity=s)
    level = kept_promise(mechanism, ratio)
    assert level == mechanism.guarantee.ratio
    if s == 1 < n:
        assert level == ratio


@given(st.integers(1, 7), RATIOS, st.integers(1, 8))
def test_neighbours_are_at_most_the_sensitivity_apart(n: int, ratio: Fraction, s: int) -> None:
    graph = TruncatedGeometric(n, ratio=ratio, sensitivity=s).graph
    assert graph == SecretGraph.threshold(range(n), distance=s)


@given(st.integers(2, 5), RATIOS)
@settings(max_examples=20)
def test_it_leaks_as_much_as_any_on_the_line(n: int, ratio: Fraction) -> None:
    leaks = min_capacity(TruncatedGeometric(n, ratio=ratio).channel).factor
    assert leaks == worst_case_leakage(SecretGraph.line(n), ratio=ratio).upper


def test_at_ratio_1_the_ends_are_even() -> None:
    channel = TruncatedGeometric(4, epsilon=0).channel
    assert channel == Channel([["1/2", 0, 0, "1/2"]] * 4)
    near = TruncatedGeometric(4, ratio=1 + Fraction(1, 10**9)).channel
    assert float(abs(near.matrix - channel.matrix).max()) < 1e-8


@given(RATIOS)
def test_two_values_are_randomised_response(ratio: Fraction) -> None:
    two = TruncatedGeometric(2, ratio=ratio).channel
    assert two == RandomizedResponse(2, ratio=ratio).channel


def test_labels_need_not_be_numbers_and_numbers_need_not_be_even() -> None:
    bands = TruncatedGeometric([0, 10, 1000], ratio=2)
    assert bands.graph == SecretGraph.line([0, 10, 1000])
    assert bands.channel[0, 1000] == Fraction(1, 6)
    assert bands.name == "truncated geometric on 3 values"
    assert str(TruncatedGeometric(["a", "b", "c", "d"], ratio=8, sensitivity=3).guarantee) == (
        "ε ≤ 2.07945 (ratio 8) for neighbouring values of a line of 4, up to 3 places apart"
    )


def test_a_million_values_are_refused_when_written_out() -> None:
    with pytest.raises(TooLarge, match=r"1,000,000 inputs"):
        _ = TruncatedGeometric(10**6, ratio=2).channel


def test_an_epsilon_of_40() -> None:
    assert kept_promise(TruncatedGeometric(5, epsilon=40), Fraction(235385266837019986))
