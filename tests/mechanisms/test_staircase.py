"""Staircase noise: its probabilities by definition, its level, its mean, its draws."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.leakage import individual_leakage, uninformed_guess
from leaktight.mechanisms import GeometricNoise, StaircaseNoise
from leaktight.policies import (
    HistogramQuery,
    Policy,
    SecretGraph,
    SumQuery,
    answer_graph,
    counting_query,
)
from leaktight.privacy import noise_level, privacy_level
from leaktight.studies import Study, audit

FAR = 30


def by_definition(k: int, ratio: Fraction, steps: int, width: int) -> Fraction:
    """a for 0 ≤ |k| < r, a/λ up to Δ, and then the same again, less by λ."""
    periods, rest = divmod(abs(k), steps)
    return 1 / ratio**periods / (1 if rest < width else ratio)


@st.composite
def noises(draw: st.DrawFn) -> StaircaseNoise:
    ratio = 1 + Fraction(draw(st.integers(1, 12)), draw(st.integers(1, 4)))
    steps = draw(st.integers(1, 6))
    width = draw(st.none() | st.integers(1, steps))
    return StaircaseNoise(ratio=ratio, sensitivity=steps, width=width)


@given(noises())
def test_its_probabilities_are_those_of_the_definition(noise: StaircaseNoise) -> None:
    ratio, steps = noise.ratio, noise.sensitivity
    weights = {k: by_definition(k, ratio, steps, noise.width) for k in range(-FAR, FAR + 1)}
    whole = noise.pmf(0)
    assert all(noise.pmf(k) == whole * weight for k, weight in weights.items())
    # From FAR + 1 on, a period has steps numbers, and each further one 1/λ of it.
    beyond = sum(
        by_definition(k, ratio, steps, noise.width) for k in range(FAR + 1, FAR + 1 + steps)
    )
    rest = beyond / (1 - 1 / ratio)
    assert whole * (sum(weights.values()) + 2 * rest) == 1
    for k in range(-9, 10):
        assert noise.tail(k) == whole * (sum(weights[j] for j in range(k, FAR + 1)) + rest)
    for shift in range(-9, 10):
        ratios = [noise.pmf(k) / noise.pmf(k - shift) for k in range(-20, 21)]
        assert noise.shift_ratio(shift) == max(ratios)
    for k in range(7):
        each = sum(noise.pmf(k + j * steps) for j in range(3))
        assert noise.repeated(k) == each / (1 - 1 / ratio**3)


@given(st.integers(1, 9), st.integers(2, 40))
def test_no_width_makes_less_noise_and_geometric_noise_is_no_less(steps: int, tenths: int) -> None:
    ratio = 1 + Fraction(tenths, 10)
    best = StaircaseNoise(ratio=ratio, sensitivity=steps)
    each = [StaircaseNoise(ratio=ratio, sensitivity=steps, width=r) for r in range(1, steps + 1)]
    assert best.mean_size == min(noise.mean_size for noise in each)
    assert best.mean_size <= GeometricNoise(ratio=ratio, sensitivity=steps).mean_size
    near = 2 * sum(k * best.pmf(k) for k in range(1, 400))
    assert near <= best.mean_size < near + Fraction(1, 10) + 800 * 400 * best.tail(400)


def test_for_a_sensitivity_of_1_it_is_geometric_noise() -> None:
    stairs, geometric = StaircaseNoise(ratio=3), GeometricNoise(ratio=3)
    assert all(stairs.pmf(k) == geometric.pmf(k) for k in range(-9, 10))
    policy, query = Policy(SecretGraph.complete(["no", "yes"]), 10**6), counting_query(["yes"])
    assert noise_level(stairs, policy, query).ratio == 3
    one, other = (individual_leakage(noise, policy, query) for noise in (stairs, geometric))
    assert (one.factor, one.after) == (other.factor, other.after)


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize("records", [1, 3])
def test_formulas_agree_with_its_channel(steps: int, records: int) -> None:
    policy = Policy(SecretGraph.complete([0, 1, 3]), records)
    noise, query = StaircaseNoise(ratio="5/2", sensitivity=steps), SumQuery()
    channel = noise.truncated(0, 3 * records)
    assert all(sum(row) == 1 for row in channel.matrix)
    answers = answer_graph(policy, query)
    listed = channel.restrict(answers.vertices)
    assert noise_level(noise, policy, query).ratio == privacy_level(listed, answers).ratio
    prior = {0: "1/2", 1: "1/3", 3: "1/6"}
    one, other = (individual_leakage(m, policy, query, prior) for m in (noise, channel))
    assert (one.factor, one.before, one.after) == (other.factor, other.before, other.after)
    mine, same = (uninformed_guess(m, policy, query, prior) for m in (noise, channel))
    assert mine.upper == same.upper
    # The factor by the probabilities themselves, for one record's values.
    most = sum(max(noise.pmf(z - w) for w in (0, 1, 3)) for z in range(-200, 204))
    assert (
        0 <= Fraction(individual_leakage(noise, policy, query).factor) - most < 6 * noise.tail(190)
    )


def test_draws_follow_the_probabilities() -> None:
    noise, n = StaircaseNoise(ratio=3, sensitivity=4), 10_000
    found = Counter(noise.draw(n, np.random.default_rng(5)))
    for k in range(-6, 7):
        expected = n * float(noise.pmf(k))
        assert abs(found[k] - expected) < 5 * math.sqrt(expected)
    assert sum(map(abs, found.elements())) / n == pytest.approx(float(noise.mean_size), rel=0.05)
    assert len(noise.draw(3)) == 3  # from the operating system


def test_a_study_finds_it_by_its_name() -> None:
    policy = Policy(SecretGraph.complete([0, 5]), 10**5)
    noise = StaircaseNoise(epsilon=1, sensitivity=5)
    found = audit(Study(policy, noise, query=SumQuery(), epsilon=1))
    assert found.holds
    wide = StaircaseNoise(epsilon=1, sensitivity=20_000)  # few answers, many outputs
    few = Study(Policy(SecretGraph.complete([0, 5]), 3), wide, query=SumQuery(), epsilon=1)
    assert few.channel is None
    assert audit(few).holds
    assert found.usefulness.this == noise.mean_size  # type: ignore[union-attr]


def test_what_it_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidNumber, match="ratio above 1"):
        StaircaseNoise(ratio=1)
    with pytest.raises(InvalidNumber, match="from 1 to the sensitivity"):
        StaircaseNoise(ratio=2, sensitivity=3, width=4)
    noise, policy = StaircaseNoise(ratio=2, sensitivity=2), Policy(SecretGraph.complete(3), 9)
    with pytest.raises(TooLarge, match="infinitely many outputs"):
        _ = noise.channel
    with pytest.raises(TooLarge):  # each cell has noise of its own, and no formula is known
        individual_leakage(noise, policy, HistogramQuery((0, 1, 2)))
    with pytest.raises(InvalidNumber, match="how many integers"):
        noise.draw(-1)
