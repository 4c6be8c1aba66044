"""Limits for probabilities and means: against binomial sums, and right as often as they say."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import exact_array, rational
from leaktight.samples.confidence import (
    binomial_lower,
    binomial_upper,
    mean_lower,
    mean_upper,
    read_risk,
    share_lower,
    share_upper,
)

RISKS = [Fraction(1, 20), Fraction(1, 2), Fraction(1, 10**6)]


def probability(successes: int, trials: int, p: Fraction) -> Fraction:
    return math.comb(trials, successes) * p**successes * (1 - p) ** (trials - successes)


def at_least(successes: int, trials: int, p: Fraction) -> Fraction:
    """The probability of so many successes or more."""
    return sum(
        (
            math.comb(trials, k) * p**k * (1 - p) ** (trials - k)
            for k in range(successes, trials + 1)
        ),
        start=Fraction(0),
    )


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("trials", [1, 2, 7, 40])
def test_the_binomial_limit_is_the_largest_that_the_tail_allows(
    trials: int, risk: Fraction
) -> None:
    for successes in range(trials + 1):
        low = Fraction(binomial_lower(successes, trials, rational(risk)))
        assert at_least(successes, trials, low) <= risk or successes == 0
        above = low * Fraction(1 + 2.0**-20) if successes else Fraction(0)
        assert successes == 0 or at_least(successes, trials, above) > risk


@given(st.integers(1, 10**9), st.floats(0, 1), st.sampled_from(RISKS))
def test_the_limits_enclose_the_frequency(trials: int, share: float, risk: Fraction) -> None:
    successes = round(trials * share)
    low = binomial_lower(successes, trials, rational(risk / 2))
    high = binomial_upper(successes, trials, rational(risk / 2))
    assert 0 <= low <= successes / trials <= high <= 1
    assert low == 0 or low < high


def test_nothing_and_everything_have_the_closed_forms() -> None:
    risk = fmpq(1, 20)
    assert binomial_lower(0, 9, risk) == 0
    assert binomial_upper(9, 9, risk) == 1
    assert binomial_upper(0, 9, risk) == pytest.approx(1 - 0.05 ** (1 / 9), rel=1e-12)
    assert mean_lower(fmpq(1), fmpq(9), risk) == pytest.approx(0.05 ** (1 / 9), rel=1e-12)
    assert mean_lower(fmpq(0), fmpq(9), risk) == 0
    assert mean_upper(fmpq(1), fmpq(9), risk) == 1


@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1, 40)])
@pytest.mark.parametrize("risk", RISKS[:2])
def test_limits_are_wrong_at_most_as_often_as_they_may(p: Fraction, risk: Fraction) -> None:
    """Summed over all numbers of successes with their exact probabilities."""
    trials, bound = 30, rational(risk)
    limits: list[Callable[[int], tuple[float, float]]] = [
        lambda k: (binomial_lower(k, trials, bound), binomial_upper(k, trials, bound)),
        lambda k: (
            mean_lower(fmpq(k, trials), fmpq(trials), bound),
            mean_upper(fmpq(k, trials), fmpq(trials), bound),
        ),
    ]
    for limit in limits:
        above = below = Fraction(0)
        for k in range(trials + 1):
            low, high = limit(k)
            above += probability(k, trials, p) * (Fraction(low) > p)
            below += probability(k, trials, p) * (Fraction(high) < p)
        assert above <= risk
        assert below <= risk


@given(st.fractions(0, 1, max_denominator=1000), st.integers(1, 10**6), st.sampled_from(RISKS))
@example(Fraction(1, 25), 7, Fraction(1, 10**6))
def test_the_limit_of_a_mean_solves_its_equation(mean: Fraction, size: int, risk: Fraction) -> None:
    low = mean_lower(rational(mean), fmpq(size), rational(risk))
    assert 0 <= low <= mean
    if low > 0:
        a, p = float(mean), low
        rest = (1 - a) * math.log((1 - a) / (1 - p)) if a < 1 else 0.0
        assert size * (a * math.log(a / p) + rest) == pytest.approx(-math.log(risk), rel=1e-5)


@given(st.integers(1, 10**4), st.floats(0, 1))
def test_the_binomial_limit_is_the_tighter_one(trials: int, share: float) -> None:
    successes, risk = round(trials * share), fmpq(1, 20)
    low = mean_lower(fmpq(successes, trials), fmpq(trials), risk)
    assert low <= binomial_lower(successes, trials, risk) * (1 + 1e-12)


# --- secrets with samples of their own -----------------------------------------------------


def all_hits(totals: list[int]) -> np.ndarray:
    grid = np.meshgrid(*(np.arange(n + 1) for n in totals), indexing="ij")
    return np.stack([axis.ravel() for axis in grid], axis=1)


@pytest.mark.parametrize("risk", RISKS[:2])
@pytest.mark.parametrize(
    ("totals", "prior"),
    [
        ([6, 6], ["1/2", "1/2"]),  # equal weights: binomial although the chances differ
        ([4, 8], ["1/3", "2/3"]),
        ([6, 6], ["1/10", "9/10"]),  # unequal weights
        ([2, 9], ["1/2", "1/2"]),
    ],
)
@pytest.mark.parametrize(
    "chances",
    [("1/20", "0"), ("1/10", "1/10"), ("1/2", "1/2"), ("1", "1/100"), ("9/10", "1/5"), ("1", "1")],
)
def test_a_share_is_wrong_at_most_as_often_as_it_may(
    totals: list[int], prior: list[str], chances: tuple[str, str], risk: Fraction
) -> None:
    p = [Fraction(chance) for chance in chances]
    truth = sum(Fraction(w) * q for w, q in zip(prior, p, strict=True))
    above = below = Fraction(0)
    for hits in all_hits(totals):
        weight = math.prod(map(probability, hits.tolist(), totals, p))
        if not weight:
            continue
        given_ = hits, np.array(totals), exact_array(prior), rational(risk)
        above += weight * (Fraction(share_lower(*given_)) > truth)
        below += weight * (Fraction(share_upper(*given_)) < truth)
    assert above <= risk
    assert below <= risk


def test_one_hit_among_equal_weights_shows_nothing() -> None:
    """The binomial limit would be wrong with probability 1/20 + 1/800: one secret may cause it."""
    risk = fmpq(1, 20)
    hits, totals = np.array([1, 0]), np.array([10, 10])
    assert binomial_lower(1, 20, risk) > 0
    assert share_lower(hits, totals, exact_array(["1/2", "1/2"]), risk) == 0


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan, "high"])
def test_a_confidence_is_between_0_and_1(confidence: object) -> None:
    with pytest.raises(InvalidNumber):
        read_risk(confidence)  # type: ignore[arg-type]
