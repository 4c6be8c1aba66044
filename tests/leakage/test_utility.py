"""What a release is worth to whoever makes the best of it."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Loss, Tries
from leaktight.errors import InvalidGain, Mismatch
from leaktight.leakage.utility import oblivious, utility
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from tests.strategies.channels import channels_and_priors, gains


@given(channels_and_priors(), st.data())
def test_no_other_remap_earns_more(pair: tuple[Channel, Distribution], data: st.DataObject) -> None:
    channel, prior = pair
    gain = data.draw(gains(channel.shape[0]))
    found = utility(channel, prior, gain)
    joint = {
        (x, z): Fraction(prior[x]) * Fraction(channel[x, z])
        for x, z in itertools.product(channel.inputs, channel.outputs)
    }
    values = [
        sum(joint[x, z] * Fraction(gain[w, x]) for (x, z) in joint for w in [remap[z]])
        for remap in (
            dict(zip(channel.outputs, chosen, strict=True))
            for chosen in itertools.product(gain.guesses, repeat=min(3, channel.shape[1]))
            if channel.shape[1] <= 3
        )
    ]
    assert all(found.value >= value for value in values)
    assert found.value == posterior_vulnerability(found.channel, prior, gain)


def test_an_output_that_the_prior_excludes_is_kept() -> None:
    channel = Channel([[1, 0], [0, 1]], ["a", "b"], ["x", "y"])
    found = utility(channel, [1, 0])
    assert found.remap == {"x": "a"}
    assert found.channel == Channel([[1], [1]], ["a", "b"], ["a"])


def test_a_loss_is_least_and_several_tries_are_tuples() -> None:
    noisy = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    assert utility(noisy, gain=Loss.zero_one([0, 1])).value == Fraction(1, 4)
    assert utility(noisy, gain=Tries(2)).remap == {0: (0, 1), 1: (1, 0)}


@given(st.data())
def test_private_on_the_answers_is_private_on_the_databases(data: st.DataObject) -> None:
    """Section 5 of [Alvim2011b]: the level is the same, since every edge comes from an edge."""
    policy = Policy(SecretGraph.complete([0, 1, 2]), records=2)
    answers = answer_graph(policy, sum)
    row = st.lists(st.integers(1, 9), min_size=3, max_size=3)
    weights = {answer: data.draw(row) for answer in answers.vertices}
    mechanism = Channel.normalised(weights)
    whole = oblivious(policy, sum, mechanism)
    assert privacy_level(whole, policy).ratio == privacy_level(mechanism, answers).ratio


def test_a_missing_answer_is_named() -> None:
    policy = Policy(SecretGraph.complete([0, 1]), records=2)
    with pytest.raises(Mismatch, match="not 2; there are 0, 1"):
        oblivious(policy, sum, Channel.identity(2))


@given(channels_and_priors(), st.data())
def test_a_remap_that_is_given_earns_what_its_guesses_do(
    pair: tuple[Channel, Distribution], data: st.DataObject
) -> None:
    channel, prior = pair
    gain = data.draw(gains(channel.shape[0]))
    guesses = st.sampled_from(gain.guesses)
    remap = {z: data.draw(guesses) for z in channel.outputs}
    found = utility(channel, prior, gain, remap)
    assert found.value == sum(
        (
            Fraction(prior[x]) * Fraction(channel[x, z]) * Fraction(gain[remap[z], x])
            for x in channel.inputs
            for z in channel.outputs
        ),
        Fraction(0),
    )
    assert found.value <= utility(channel, prior, gain).value
    assert found.channel == channel.merge(remap)


def test_what_a_remap_must_have() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    assert utility(coin, remap={0: 1, 1: 0}).value == Fraction(1, 3)
    with pytest.raises(Mismatch, match="but not for 1"):
        utility(coin, remap={0: 0})
    with pytest.raises(Mismatch, match="'x'"):
        utility(coin, remap={0: 0, 1: "x"})
    with pytest.raises(InvalidGain, match="several tries"):
        utility(coin, gain=Tries(2), remap={0: 0, 1: 1})
