"""The odds of each value, and the ε that keeps them small, against definitions."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch
from leaktight.leakage.hyper import hyper
from leaktight.mechanisms.graph_exponential import TightConstraints
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.repetition.choosing import largest_ratio_of_beliefs
from leaktight.repetition.explanation import explain
from leaktight.repetition.value_odds import value_odds
from tests.strategies.channels import channels_and_priors

HIV = SecretGraph.complete(["negative", "positive"])
RARE = ["0.99", "0.01"]


@given(channels_and_priors())
def test_of_a_channel_they_are_the_largest_posteriors(both: tuple[Channel, Distribution]) -> None:
    channel, prior = both[0].exact(), both[1].exact()
    seen = hyper(channel, prior)
    outputs = [
        z for z in channel.outputs if any(prior[x] * channel[x, z] > 0 for x in channel.inputs)
    ]
    found = value_odds(channel, prior)
    assert {odds.value for odds in found} == {x for x in channel.inputs if prior[x] > 0}
    for odds in found:
        posteriors = [seen.posterior(z)[odds.value] for z in outputs]
        assert odds.after == max(posteriors)
        assert odds.before == prior[odds.value]
        chance = sum(Fraction(prior[x]) * Fraction(channel[x, odds.output]) for x in channel.inputs)
        assert odds.chance == chance
        assert odds.after == Fraction(prior[odds.value] * channel[odds.value, odds.output]) / chance
    assert [odds.factor for odds in found] == sorted((o.factor for o in found), reverse=True)


@settings(max_examples=60)
@given(
    st.integers(2, 5),
    st.data(),
    st.sampled_from(["3/2", "2", "5"]),
    st.integers(1, 3),
)
def test_under_a_guarantee_no_private_column_raises_a_belief_more(
    n: int, data: Any, ratio: str, releases: int
) -> None:
    edges = data.draw(st.sets(st.sampled_from([(i, j) for j in range(n) for i in range(j)])))
    graph = SecretGraph(n, sorted(edges))
    weights = data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any))
    prior = [Fraction(w, sum(weights)) for w in weights]
    power = Fraction(ratio) ** releases
    for odds in value_odds(graph, prior, ratio=ratio, observations=releases):
        # The column λ^(−n·d(x, ·)) is private and attains it; none falls faster.
        column = [
            Fraction(0) if (d := graph.distances[odds.value, h]) < 0 else power ** -int(d)
            for h in range(n)
        ]
        assert odds.after == prior[odds.value] / sum(map(Fraction.__mul__, prior, column))
        assert odds.chance is None


def test_hiv_at_epsilon_2() -> None:
    positive, negative = value_odds(HIV, RARE, epsilon=2)
    assert (positive.value, negative.value) == ("positive", "negative")
    assert round(float(positive.after), 4) == 0.0695  # e²·0.01/(1 + (e² − 1)·0.01)
    told = " ".join(str(explain(HIV, RARE, epsilon=2)).split())
    assert "positive 1% → at most 7% (×6.95)" in told
    named = explain(SecretGraph.complete(6), epsilon=1, sensitive=[4]).values
    assert named[0].value == 4
    assert "4 16.7% → at most 35.3%" in str(
        explain(SecretGraph.complete(6), epsilon=1, sensitive=[4])
    )


def test_equally_likely_values_are_not_told_one_by_one() -> None:
    assert "By value" not in str(explain(SecretGraph.complete(6), epsilon=1))


def test_a_metric_bounds_them_and_some_mechanism_comes_near() -> None:
    line = Metric.from_function([0, 1, 3], lambda a, b: abs(a - b))
    prior = ["0.7", "0.2", "0.1"]
    for odds, graph_odds in zip(
        sorted(value_odds(line, prior, ratio=2), key=lambda o: o.value),
        (
            Fraction(7, 10) / (Fraction(7, 10) + Fraction(2, 10) / 2 + Fraction(1, 10) / 8),
            Fraction(2, 10) / (Fraction(7, 10) / 2 + Fraction(2, 10) + Fraction(1, 10) / 4),
            Fraction(1, 10) / (Fraction(7, 10) / 8 + Fraction(2, 10) / 4 + Fraction(1, 10)),
        ),
        strict=True,
    ):
        assert graph_odds <= odds.after < graph_odds * (1 + Fraction(1, 10**9))


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(2, 5), st.integers(1, 3))
def test_the_epsilon_for_a_value_is_the_closed_form(percent: int, times: int, looks: int) -> None:
    p = Fraction(percent, 100)
    limit = min(times * p, (1 + p) / 2)
    prior = [1 - p, p]
    found = largest_ratio_of_beliefs(HIV, prior, value="positive", below=limit, observations=looks)
    exact = limit * (1 - p) / (p * (1 - limit))  # the odds of the limit over those before
    assert found.ratio**looks <= exact < (found.ratio * (1 + Fraction(1, 10**5))) ** looks
    assert found.chance <= limit
    by_factor = largest_ratio_of_beliefs(HIV, prior, value="positive", factor=limit / p)
    assert (
        by_factor.ratio == largest_ratio_of_beliefs(HIV, prior, value="positive", below=limit).ratio
    )


def test_any_value_is_the_one_that_grows_most() -> None:
    prior = ["0.9", "0.09", "0.01"]
    graph = SecretGraph.line(3)
    every = largest_ratio_of_beliefs(graph, prior, factor=3).ratio
    each = [largest_ratio_of_beliefs(graph, prior, value=v, factor=3).ratio for v in (1, 2)]
    assert every == min(each)
    assert max(o.factor for o in value_odds(graph, prior, ratio=every)) <= 3


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(InvalidInput, match="under pure ε, or if the mechanism is known"):
        value_odds("1/100", epsilon=1)
    with pytest.raises(Mismatch, match="possible value"):
        value_odds(HIV, [1, 0], epsilon=1, values=["positive"])
    with pytest.raises(InvalidInput, match="one of below= and factor="):
        largest_ratio_of_beliefs(HIV, RARE, value="positive")
    with pytest.raises(InvalidNumber, match="above 1%, which no ε prevents"):
        largest_ratio_of_beliefs(HIV, RARE, value="positive", below="0.005")
    with pytest.raises(InvalidNumber, match="above 1, which no ε prevents"):
        largest_ratio_of_beliefs(HIV, RARE, factor="1/2")
    with pytest.raises(Mismatch, match="positiv"):
        largest_ratio_of_beliefs(HIV, RARE, value="positiv", factor=2)


def test_a_policy_has_the_odds_of_one_record() -> None:
    policy = Policy(HIV, records=1000)
    assert value_odds(policy, RARE, ratio=3) == value_odds(HIV, RARE, ratio=3)


def test_a_mechanism_stays_within_what_any_may_tell() -> None:
    graph = SecretGraph.line(4)
    prior = ["0.5", "0.3", "0.15", "0.05"]
    own = value_odds(TightConstraints(graph, ratio=2).channel, prior)
    any_ = {odds.value: odds.after for odds in value_odds(graph, prior, ratio=2)}
    assert all(odds.after <= any_[odds.value] for odds in own)
