"""Shuffled answers: the histogram by every order of answers, and by the formulas."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels import shuffled
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.shuffled import Shuffled
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch, TooLarge
from leaktight.leakage.individual import individual_channels, individual_leakage
from leaktight.leakage.uninformed import uninformed_guess
from leaktight.leakage.vulnerability import min_entropy_leakage, posterior_vulnerability
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import distinguishability, privacy_level
from leaktight.privacy.profile import privacy_profile
from leaktight.privacy.shuffled import shuffled_delta
from tests.strategies.channels import channels, distributions
from tests.strategies.fractions import fractions

COIN = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["no", "yes"])


def by_definition(channel: Channel, database: tuple[Any, ...]) -> Any:
    """Go through all answers that people may give."""
    found: Any = Counter()
    for answers in product(channel.outputs, repeat=len(database)):
        histogram = tuple(answers.count(z) for z in channel.outputs)
        found[histogram] += prod(channel[x, z] for x, z in zip(database, answers, strict=True))
    return found


def policy_of(crowd: Shuffled) -> Policy:
    return Policy(SecretGraph.complete(crowd.channel.inputs), records=crowd.people)


@settings(max_examples=30)
@given(st.data())
def test_histograms_are_those_of_all_answers(data: st.DataObject) -> None:
    channel = data.draw(channels(data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))))
    n = data.draw(st.integers(1, 3))
    others = data.draw(st.lists(st.sampled_from(channel.inputs), min_size=n - 1, max_size=n - 1))
    crowd = Shuffled(channel, n)
    seen = crowd.of_one(Counter(others))
    prior = data.draw(distributions(len(channel.inputs)))
    mean: dict[Any, Any] = {v: Counter() for v in channel.inputs}
    for database in product(channel.inputs, repeat=n):
        row = by_definition(channel, database)
        assert dict(crowd.expand().row(database).items()) == {h: row[h] for h in seen.outputs}
        if Counter(database[1:]) == Counter(others):
            assert dict(seen.row(database[0]).items()) == {h: row[h] for h in seen.outputs}
        for h, p in row.items():
            mean[database[0]][h] += p * prod(prior[v] for v in database[1:])
    uninformed = crowd.of_one(prior)
    for v in channel.inputs:
        assert dict(uninformed.row(v).items()) == {h: mean[v][h] for h in uninformed.outputs}


@settings(max_examples=20)
@given(st.data())
def test_leakage_is_that_of_the_channel_from_databases(data: st.DataObject) -> None:
    """The same functions, told only the whole matrix."""
    channel = data.draw(channels(data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))))
    crowd = Shuffled(channel, data.draw(st.integers(1, 3)))
    policy, prior = policy_of(crowd), data.draw(distributions(len(channel.inputs)))
    whole = crowd.expand()
    if crowd.people == 1:
        whole = Channel(whole, policy.databases())
    ours, theirs = (individual_leakage(each, policy, prior=prior) for each in (crowd, whole))
    assert (ours.factor, ours.before, ours.after) == (theirs.factor, theirs.before, theirs.after)
    known = dict(individual_channels(crowd, policy))
    assert max(min_entropy_leakage(each).factor for each in known) == ours.factor
    ours_too, theirs_too = (uninformed_guess(each, policy, prior=prior) for each in (crowd, whole))
    assert (ours_too.before, ours_too.upper) == (theirs_too.before, theirs_too.upper)


@settings(max_examples=20)
@given(st.data())
def test_pruning_by_floats_loses_nothing(data: st.DataObject) -> None:
    """All others, extreme or not, against those that are left to be looked at."""
    channel = data.draw(channels(data.draw(st.integers(2, 3)), 2))
    crowd = Shuffled(channel, data.draw(st.integers(2, 5)))
    policy, prior = policy_of(crowd), data.draw(distributions(len(channel.inputs)))
    every = dict(individual_channels(crowd, policy))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shuffled, "FEW", 0)
        found = individual_leakage(crowd, policy, prior=prior)
    assert found.factor == max(min_entropy_leakage(each).factor for each in every)
    assert found.after == max(posterior_vulnerability(each, prior) for each in every)


@settings(max_examples=20)
@given(channels(2, 2), st.integers(1, 3))
def test_shuffling_leaves_the_level_as_it_is(channel: Channel, n: int) -> None:
    crowd = Shuffled(channel, n)
    policy = policy_of(crowd)
    whole = Channel(crowd.expand(), policy.adjacency().explicit().vertices)
    assert privacy_level(whole, policy).ratio == distinguishability(channel).ratio


def test_known_numbers() -> None:
    """Two people: one of 'yes' is known, so P(h|no) = (3, 10, 3)/16, P(h|yes) = (9, 6, 1)/16."""
    crowd = Shuffled(COIN, 2)
    found = individual_leakage(crowd, policy_of(crowd))
    assert found.factor == Fraction(9 + 10 + 3, 16)
    assert found.others in ("the others are 1 × no", "the others are 1 × yes")
    # Nobody known: P(h|no) = (2, 8, 6)/16, P(h|yes) = (6, 8, 2)/16.
    assert uninformed_guess(crowd, policy_of(crowd)).upper == Fraction(6 + 8 + 6, 32)


def test_a_thousand_people() -> None:
    """Nobody known: 1/2 + δ/2 times the mean distance from even, over n: E|2h − n|/n."""
    n = 1000
    crowd = Shuffled(COIN, n)
    policy = policy_of(crowd)
    informed, uninformed = individual_leakage(crowd, policy), uninformed_guess(crowd, policy)
    assert isinstance(uninformed.upper, Fraction)
    # E|2h − n| of n fair coins is n·C(n, n/2)/2^n, and δ is 1/2.
    middle = Fraction(1)
    for i in range(1, n // 2 + 1):
        middle = middle * (n // 2 + i) / (4 * i)
    assert uninformed.upper == Fraction(1, 2) + Fraction(1, 4) * middle
    assert uninformed.upper < informed.after < 1
    assert (
        informed.factor
        < individual_leakage(Shuffled(COIN, 500), policy_of(Shuffled(COIN, 500))).factor
    )


def test_delta_falls_with_the_crowd() -> None:
    pair = Graph(["no", "yes"], [("no", "yes")])
    deltas = []
    for n in (1, 11, 101):
        seen = Shuffled(COIN, n).of_one({"no": n // 2, "yes": n // 2})
        deltas.append(privacy_profile(seen, pair).delta(ratio=2).upper)
        assert distinguishability(seen).ratio == 3
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[0] == Fraction(3, 4) - 2 * Fraction(1, 4)
    assert deltas[-1] < Fraction(1, 10**6)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidNumber, match="whole number of people"):
        Shuffled(COIN, 0)
    with pytest.raises(InvalidInput, match="there are 2 others, got the values of 1"):
        Shuffled(COIN, 3).of_one({"no": 1})
    with pytest.raises(InvalidInput, match="whole number"):
        Shuffled(COIN, 3).of_one({"no": 3, "yes": -1})
    with pytest.raises(Mismatch, match="no value 'maybe'"):
        Shuffled(COIN, 2).of_one({"maybe": 1})
    with pytest.raises(Mismatch, match="a person must be a record"):
        individual_leakage(Shuffled(COIN, 3), policy_of(Shuffled(COIN, 2)))
    with pytest.raises(TooLarge, match="histograms, too many"):
        Shuffled(RandomizedResponse(range(9), ratio=2).channel, 1000).of_one()
    with pytest.raises(TooLarge, match="databases are too many"):
        Shuffled(COIN, 100).expand()
    with pytest.raises(TooLarge, match="too many to go through all others"):
        individual_leakage(Shuffled(COIN, 9000), policy_of(Shuffled(COIN, 9000)))
    crowd = Shuffled(RandomizedResponse(3, ratio=2).channel, 50)
    with pytest.raises(TooLarge, match="of the others"):
        individual_leakage(crowd, policy_of(crowd))
    assert isinstance(Shuffled(COIN, 2).of_one(Distribution.uniform(["no", "yes"])), Channel)


@settings(max_examples=25)
@given(st.data())
def test_delta_is_that_of_the_channel_from_databases(data: st.DataObject) -> None:
    """All others there are, at any ratio, with and without pruning by floats."""
    channel = data.draw(channels(data.draw(st.integers(2, 3)), 2))
    crowd = Shuffled(channel, data.draw(st.integers(1, 4)))
    graph = Graph(3 if len(channel.inputs) == 3 else 2, [(0, 1)])
    ratio = data.draw(fractions(1, 8, max_denominator=12))
    every = [each for each, _ in individual_channels(crowd, policy_of(crowd))]
    expected = max(privacy_profile(each, graph).delta(ratio=ratio).upper for each in every)
    for few in (0, 64):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(shuffled, "FEW", few)
            found = shuffled_delta(crowd, graph, ratio=ratio)
        assert found.is_exact
        assert found.upper == expected
    assert (found.witness is None) == (expected == 0)


def test_an_irrational_ratio_encloses_delta() -> None:
    answers = SecretGraph.complete(["no", "yes"])
    found = shuffled_delta(Shuffled(COIN, 20), answers, epsilon="1/2")
    below, above = (
        shuffled_delta(Shuffled(COIN, 20), answers, ratio=r).upper for r in ("1.7", "1.6")
    )
    assert below < found.lower <= found.upper < above
    assert float(found.upper - found.lower) < 1e-12
