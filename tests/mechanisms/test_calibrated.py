"""Mechanisms that keep their promise under public counts."""

import random
from fractions import Fraction

import pytest

from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.mechanisms.calibrated import calibrated
from leaktight.mechanisms.geometric import GeometricNoise
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    MostCommonQuery,
    SumQuery,
    counting_query,
)
from leaktight.privacy.level import PrivacyLevel, privacy_level
from tests.strategies.public_counts import random_counted_policy


def test_randomised_response_keeps_the_promise_on_all_databases() -> None:
    rng = random.Random(11)
    for _ in range(30):
        policy = random_counted_policy(rng)
        found = calibrated(policy, ratio=5)
        assert isinstance(found.mechanism, RandomizedResponse)
        level = privacy_level(found.mechanism.survey, policy.adjacency()).ratio
        assert level <= 5
        assert found.error >= found.plain_error


def test_noise_on_a_count_keeps_the_promise_on_all_answers() -> None:
    rng = random.Random(12)
    for _ in range(20):
        policy = random_counted_policy(rng)
        query = counting_query([0])
        found = calibrated(policy, query, ratio=4)
        assert isinstance(found.mechanism, GeometricNoise)
        answers = answer_graph(policy, query)
        if answers.order > 1:
            least, most = min(answers.vertices), max(answers.vertices)  # type: ignore[type-var]
            noise = found.mechanism.truncated(least, most)  # type: ignore[arg-type]
            rows = noise.channel.restrict(answers.vertices)
            assert privacy_level(rows, answers).ratio <= 4


def test_what_two_public_margins_cost() -> None:
    values = [(a, b, c) for a in "fm" for b in range(3) for c in range(4)]
    told = [count([v for v in values if v[0] == "f"], equals=51_000)]
    told += [count([v for v in values if v[1] == b], equals=30_000) for b in range(2)]
    policy = Policy(SecretGraph.complete(values), 100_000, constraints=told)
    survey = calibrated(policy, ratio=2**8)
    assert survey.steps == 8
    assert survey.step == 2
    assert survey.error == 1 - Fraction(2, 23 + 2)
    table = calibrated(policy, HistogramQuery(tuple(values)), ratio=2**16)
    assert (table.steps, table.plain_steps) == (16, 2)
    assert table.step == 2
    assert table.error == Fraction(4, 3)  # 2c/(1 − c²) at c = 1/2


def test_with_nothing_public_nothing_changes() -> None:
    policy = Policy(SecretGraph.complete(3), 10)
    found = calibrated(policy, ratio=3)
    assert found.error == found.plain_error == Fraction(2, 5)


def test_what_cannot_be_calibrated_is_refused() -> None:
    policy = Policy(SecretGraph.complete(3), 10, constraints=count([0], equals=3))
    with pytest.raises(InvalidInput, match="a count, a sum or a histogram"):
        calibrated(policy, MostCommonQuery(), ratio=2)


def test_a_predicate_makes_records_depend_on_each_other() -> None:
    # Of three records exactly two have flu: neighbours swap two records.
    policy = Policy(
        SecretGraph.complete(["cold", "flu"]), 3, predicate=lambda d: d.count("flu") == 2
    )
    found = calibrated(policy, ratio=2)
    assert found.steps == 2
    assert isinstance(found.mechanism, RandomizedResponse)
    assert privacy_level(found.mechanism.survey, policy).ratio <= 2
    assert "differ in up to 2 records" in str(found)


def test_the_epsilon_that_is_printed_keeps_the_promise() -> None:
    for ratio in (2, 3, "3/2", 7):
        policy = Policy(SecretGraph.complete(3), 5)
        found = calibrated(policy, ratio=ratio)
        printed = str(found).split("ε = ")[1].split()[0]
        assert PrivacyLevel(RandomizedResponse(3, epsilon=printed).ratio, None).holds(ratio=ratio)


def test_halves_have_no_noise_on_whole_numbers() -> None:
    # Neighbours are 1 apart at most, but 0 and 1/2 would have no output in common.
    halves = Policy(SecretGraph.complete([0, Fraction(1, 2), 1]), 3)
    with pytest.raises(InvalidNumber, match="needs whole numbers"):
        calibrated(halves, SumQuery(), ratio=2)
