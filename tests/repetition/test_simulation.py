"""Estimates of the success probability, beside the exact one."""

from fractions import Fraction
from math import comb

import pytest

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidNumber
from leaktight.repetition import simulation
from leaktight.repetition.simulation import simulate_success
from leaktight.repetition.success import success_probability

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
FOUR = Channel.normalised([[4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 3, 3]])


@pytest.mark.parametrize("n", [0, 1, 3, 20])
def test_the_interval_holds_the_exact_value(n: int) -> None:
    for channel, prior in ((COIN, ["1/3", "2/3"]), (FOUR, None)):
        exact = success_probability(channel, prior, n).lower
        found = simulate_success(channel, prior, n, runs=4000, seed=3, confidence=0.999)
        assert found.lower <= exact <= found.upper
        assert found.upper - found.lower < 0.06
        assert found.lower <= float(found) <= found.upper


def test_intervals_hold_the_exact_value_as_often_as_they_say() -> None:
    exact = success_probability(COIN, n=3).lower
    held = 0
    for seed in range(200):
        found = simulate_success(COIN, n=3, runs=100, seed=seed, confidence=0.8)
        held += found.lower <= exact <= found.upper
    assert held >= 150  # 160 expected at least, 5.7 the standard deviation


def test_the_same_seed_gives_the_same_estimate() -> None:
    first, second, other = (simulate_success(FOUR, n=9, runs=500, seed=s) for s in (1, 1, 2))
    assert first == second
    assert first.estimate != other.estimate


def test_the_bounds_are_those_of_clopper_and_pearson() -> None:
    """At the lower end so many successes or more have probability (1 − confidence)/2."""
    found = simulate_success(COIN, n=3, runs=50, seed=4, confidence=0.9)
    k = round(found.estimate * 50)
    low, high = Fraction(found.lower), Fraction(found.upper)
    more = sum(comb(50, j) * low**j * (1 - low) ** (50 - j) for j in range(k, 51))
    fewer = sum(comb(50, j) * high**j * (1 - high) ** (50 - j) for j in range(k + 1))
    assert abs(float(more) - 0.05) < 1e-9
    assert abs(float(fewer) - 0.05) < 1e-9


def test_certain_success_has_the_upper_end_1_and_certain_failure_0() -> None:
    sure = simulate_success(Channel.identity(4), n=1, runs=100, seed=0)
    assert (sure.estimate, sure.upper) == (1, 1)
    assert 0.9 < sure.lower < 1


def test_equal_rows_are_guessed_by_their_prior() -> None:
    """The likeliest of the two that look alike is guessed: right with probability 3/4 + …"""
    twins = Channel.deterministic({"a": 0, "b": 0, "c": 1}, ["a", "b", "c"])
    prior = Distribution({"a": "1/4", "b": "1/2", "c": "1/4"})
    found = simulate_success(twins, prior, 5, runs=4000, seed=6, confidence=0.999)
    assert found.lower <= 0.75 <= found.upper


def test_many_types_and_several_channels_are_no_matter() -> None:
    wide = Channel.random(3, 200, seed=1)
    found = simulate_success([(wide, 40), (COIN.float(), 0)][:1], n=2, runs=500, seed=1)
    assert found.estimate > 0.9
    both = [(COIN, 5), (Channel([["3/5", "2/5"], ["2/5", "3/5"]]), 20)]
    exact = success_probability(both).lower
    found = simulate_success(both, runs=4000, seed=2, confidence=0.999)
    assert found.lower <= exact <= found.upper


def test_runs_are_drawn_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "BATCH", 64)
    found = simulate_success(COIN, n=3, runs=3000, seed=5, confidence=0.999)
    assert found.lower <= Fraction(20, 27) <= found.upper
    assert found.runs == 3000


def test_it_says_that_it_is_an_estimate() -> None:
    found = simulate_success(COIN, n=3, runs=1000, seed=1)
    assert repr(found).startswith("SimulatedSuccess(estimate 0.7")
    assert repr(found).endswith("with confidence 0.95; 1,000 runs)")


def test_bad_input_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidNumber, match="at least one run"):
        simulate_success(COIN, runs=0)
    with pytest.raises(InvalidNumber, match="between 0 and 1"):
        simulate_success(COIN, confidence=1)
