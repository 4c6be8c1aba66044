"""Whatever is computed from groups of inputs is what the matrix gives."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import leakage
from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.channels.gain import Gain, Loss, Tries
from tests.channels.test_deterministic import LARGE, dense
from tests.strategies.channels import distributions, functions, gains

Measures = dict[str, Callable[[Channel, Any], Any]]

EXACT: Measures = {
    "one guess": leakage.min_entropy_leakage,
    "two tries": lambda c, p: leakage.g_leakage(c, p, Tries(2)),
    "what to guess": leakage.strategy,
    "what to try": lambda c, p: leakage.strategy(c, p, Tries(2)),
    "one guess is wrong": leakage.risk_leakage,
    "the best output": leakage.max_case_leakage,
    "the best output, two tries": lambda c, p: leakage.max_case_leakage(c, p, Tries(2)),
    "each output": leakage.pointwise_leakage,
    "guesses": leakage.guessing_leakage,
    "guesses after": leakage.conditional_guessing_entropy,
    "guesses for half": leakage.conditional_marginal_guesswork,
    "questions": leakage.conditional_questions,
    "information": leakage.mutual_information,
    "joint entropy": leakage.joint_entropy,
    "Shannon before": lambda c, p: leakage.shannon_leakage(c, p).before,
    "Shannon after": leakage.conditional_entropy,
    "order 0": lambda c, p: leakage.renyi_leakage(c, p, 0),
    "order 1/2": lambda c, p: round(leakage.renyi_leakage(c, p, "1/2").bits, 12),
    "order 2 after": lambda c, p: leakage.conditional_renyi_entropy(c, p, 2),
    "order ∞": leakage.renyi_leakage,
    "Cachin": lambda c, p: leakage.cachin_entropy(c, p, 2),
}


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=20)
@given(data=st.data())
def test_exact_measures_are_those_of_the_matrix(name: str, data: st.DataObject) -> None:
    channel = data.draw(functions())
    prior = data.draw(st.none() | distributions(len(channel.inputs)))
    assert EXACT[name](channel, prior) == EXACT[name](dense(channel), prior)


@settings(max_examples=40)
@given(st.data())
def test_any_gain_or_loss_is_that_of_the_matrix(data: st.DataObject) -> None:
    channel = data.draw(functions())
    prior = data.draw(st.none() | distributions(len(channel.inputs)))
    gain = data.draw(gains(len(channel.inputs)))
    loss, whole = Loss(gain.matrix, gain.guesses, gain.inputs), dense(channel)
    floats = Gain(gain.matrix.astype(float), gain.guesses, gain.inputs)
    assert leakage.g_leakage(channel, prior, gain) == leakage.g_leakage(whole, prior, gain)
    assert leakage.risk_leakage(channel, prior, loss) == leakage.risk_leakage(whole, prior, loss)
    assert leakage.strategy(channel, prior, gain) == leakage.strategy(whole, prior, gain)
    assert math.isclose(
        leakage.posterior_vulnerability(channel, prior, floats),
        leakage.posterior_vulnerability(whole, prior, gain),
        abs_tol=1e-12,
    )


FLOATS = {
    name: EXACT[name]
    for name in ("guesses after", "information", "Shannon after", "order 2 after", "joint entropy")
} | {
    "one guess": lambda c, p: leakage.posterior_vulnerability(c, p),
    "wrong": lambda c, p: leakage.posterior_risk(c, p),
    "tries": lambda c, p: leakage.posterior_vulnerability(c, p, Tries(3)),
    "order 1/2": lambda c, p: leakage.renyi_leakage(c, p, "1/2").bits,
    "Shannon": lambda c, p: leakage.shannon_leakage(c, p).bits,
}


@pytest.mark.parametrize("name", FLOATS)
@settings(max_examples=20)
@given(data=st.data())
def test_floats_come_near_the_exact_measures(name: str, data: st.DataObject) -> None:
    channel = data.draw(functions())
    prior = data.draw(distributions(len(channel.inputs)))
    near, exact = (FLOATS[name](channel, each) for each in (prior.float(), prior))
    assert isinstance(near, float)
    assert math.isclose(near, exact, rel_tol=1e-9, abs_tol=1e-12)


def test_little_information_of_floats_keeps_its_digits() -> None:
    channel = Channel.deterministic(lambda x: x == 0, 3)
    prior = [2.0**-60, 0.5, 0.5]
    exact = leakage.mutual_information(channel, Distribution(prior).exact())
    assert math.isclose(leakage.mutual_information(channel, prior), exact, rel_tol=1e-12)


@given(functions())
def test_capacities_count_the_outputs(channel: Deterministic) -> None:
    occurs = len({*channel.seen.tolist()})
    assert leakage.min_capacity(channel).factor == occurs
    for capacity in (leakage.shannon_capacity(channel), leakage.renyi_capacity(channel, "1/2")):
        assert capacity.lower <= math.log2(occurs) <= capacity.upper
        assert capacity.gap < 1e-12
        told = leakage.mutual_information(channel, capacity.prior)
        assert math.isclose(told, math.log2(occurs), rel_tol=1e-12)
    assert leakage.risk_capacity(channel).factor == (1 if occurs == 1 else math.inf)
    assert leakage.bayes_security(channel).value == (1 if occurs == 1 else 0)
    if len(channel.inputs) > 1:
        some = channel.inputs[:1]
        by_matrix = leakage.membership_capacity(dense(channel), some)
        assert leakage.membership_capacity(channel, some).factor == by_matrix.factor


@given(functions(3), functions(2), distributions(3), distributions(2))
def test_side_by_side_they_multiply(
    one: Deterministic, other: Deterministic, p: Distribution, q: Distribution
) -> None:
    beside, prior = parallel(one, other, one), product_distribution(p, q, p)
    by_factors = leakage.posterior_vulnerability(beside, prior)
    assert by_factors == leakage.posterior_vulnerability(beside.expand(), prior)
    whole = leakage.mutual_information(beside.expand(), prior)
    assert math.isclose(leakage.mutual_information(beside, prior), whole, abs_tol=1e-12)


def test_a_function_with_one_value_tells_nothing() -> None:
    one = Deterministic.of(lambda x: 0, [0, 1, 2])
    for prior in (["1/2", "1/4", "1/4"], [1 - Fraction(2, 3**50), *[Fraction(1, 3**50)] * 2]):
        assert leakage.mutual_information(one, prior) == 0


def test_a_million_inputs() -> None:
    n = 10**6
    assert leakage.min_capacity(LARGE).factor == n // 2
    assert leakage.posterior_vulnerability(LARGE) == Fraction(1, 2)
    assert leakage.mutual_information(LARGE) == math.log2(n // 2)
    assert leakage.shannon_leakage(LARGE).after == 1
    assert leakage.conditional_guessing_entropy(LARGE) == Fraction(3, 2)
    assert leakage.conditional_questions(LARGE) == 1
    assert leakage.questions(Distribution.uniform(n)).expected == Fraction(20 * n - 2**20 + n, n)
    weights = np.arange(n) % 2 + 1  # 1 and 2 in every pair
    prior = Distribution.from_counts(weights)
    assert leakage.posterior_vulnerability(LARGE, prior) == Fraction(2, 3)
    assert leakage.mutual_information(LARGE, prior) == math.log2(n // 2)
    assert leakage.cachin_entropy(LARGE, prior, 2) == leakage.renyi_entropy(["1/3", "2/3"], 2)
    assert leakage.conditional_renyi_entropy(LARGE, prior, 2) == -math.log2(5 / 9)
    left = leakage.conditional_entropy(LARGE, prior)
    assert left == leakage.shannon_entropy(["1/3", "2/3"])
    assert math.isclose(leakage.conditional_entropy(LARGE, prior.float()), left)


def test_long_fractions_stay_exact() -> None:
    """Where no common denominator fits into 64 bits, fractions themselves are added up."""
    third = Fraction(1, 3**50)
    prior = [third, third, 1 - 2 * third]
    channel = Channel.deterministic({0: "a", 1: "a", 2: "b"}, 3)
    assert leakage.posterior_vulnerability(channel, prior) == 1 - third
    assert leakage.conditional_guessing_entropy(channel, prior) == 1 + third
