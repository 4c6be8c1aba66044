"""Trade-offs between what a user and what an attacker gains."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidGain, InvalidNumber, Mismatch, TooLarge
from leaktight.leakage.vulnerability import posterior_vulnerability, vulnerability
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.best.tradeoff import TradeOff, least_leaking, most_useful
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from tests.strategies.channels import distributions
from tests.strategies.fractions import fractions

FOUR = Distribution.uniform(range(4))
DISTANCE = Loss.by_distance(range(4), lambda a, b: abs(a - b))


def earned(channel: Channel, prior: Distribution, aim: Gain | Loss) -> Fraction:
    """The expected gain or loss of taking each output at its word, from the definition."""
    total = Fraction(0)
    for x in channel.inputs:
        for w in channel.outputs:
            value = Fraction(prior[x]) * Fraction(channel[x, w]) * Fraction(aim[w, x])
            total += value
    return total


def test_what_is_claimed_is_what_the_channel_does() -> None:
    prior = Distribution(["1/2", "1/4", "1/8", "1/8"])
    for loss in ("0", "1/4", "1/2", "3/4"):
        found = least_leaking(prior, DISTANCE, loss)
        assert found.loss == earned(found.channel, prior, DISTANCE) <= Fraction(loss)
        assert found.vulnerability == posterior_vulnerability(found.channel, prior)
        assert found.bound == found.vulnerability


@settings(max_examples=40)
@given(distributions(3), fractions(0, 1, max_denominator=8))
def test_the_two_questions_are_each_others_inverse(prior: Distribution, loss: Fraction) -> None:
    aim = Loss.by_distance(range(3), lambda a, b: abs(a - b))
    least = least_leaking(prior, aim, loss)
    back = most_useful(prior, aim, least.vulnerability)
    assert back.bound == back.utility
    assert back.loss <= loss
    assert least_leaking(prior, aim, back.loss).vulnerability == least.vulnerability


def test_no_loss_shows_everything_and_any_loss_may_show_nothing() -> None:
    assert least_leaking(FOUR, DISTANCE, 0).vulnerability == 1
    assert least_leaking(FOUR, DISTANCE, 3).vulnerability == vulnerability(FOUR)


def test_with_a_private_channel_it_meets_the_optimal_mechanism() -> None:
    line = SecretGraph.line(4)
    best = optimal_mechanism(line, gain=DISTANCE, ratio=2)
    found = most_useful(FOUR, DISTANCE, 1, neighbours=line, ratio=2)
    assert found.utility == best.utility
    assert privacy_level(found.channel, line).ratio <= 2
    tighter = least_leaking(FOUR, DISTANCE, best.loss, neighbours=line, ratio=2)
    assert tighter.loss == best.loss
    assert tighter.vulnerability <= posterior_vulnerability(best.channel, FOUR)


@pytest.mark.parametrize("epsilon", ["1", "0.1", "ln 2"])
def test_it_is_private_for_vertices_in_any_order(epsilon: str) -> None:
    line = SecretGraph.from_edges([2, 0, 3, 1], [(0, 1), (1, 2), (2, 3)])
    for found in (
        most_useful(FOUR, DISTANCE, 1, neighbours=line, epsilon=epsilon),
        least_leaking(FOUR, DISTANCE, "3/2", neighbours=line, epsilon=epsilon),
    ):
        assert privacy_level(found.channel, line).holds(epsilon=epsilon)


def test_an_attacker_may_have_a_gain_of_his_own() -> None:
    half = Gain.membership(range(4), [2, 3])
    found = least_leaking(FOUR, DISTANCE, "1/2", attacker=half)
    assert found.vulnerability == posterior_vulnerability(found.channel, FOUR, half)
    assert found.vulnerability <= least_leaking(FOUR, DISTANCE, "1/4", attacker=half).vulnerability


def test_a_gain_is_asked_for_at_least() -> None:
    guess = Gain.binary(range(4))
    found = least_leaking(FOUR, guess, "5/8")
    assert found.utility == Fraction(5, 8) == found.vulnerability
    assert isinstance(found, TradeOff)
    assert repr(found) == "TradeOff(utility 5/8, vulnerability 5/8)"


def test_what_cannot_be_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidNumber, match="the expected loss cannot be -1"):
        least_leaking(FOUR, DISTANCE, -1)
    with pytest.raises(InvalidNumber, match="gains 1/4 with nothing released"):
        most_useful(FOUR, DISTANCE, "1/5")
    with pytest.raises(InvalidNumber, match="needs neighbours="):
        least_leaking(FOUR, DISTANCE, 1, ratio=2)
    with pytest.raises(InvalidGain, match="expected a Gain or a Loss"):
        least_leaking(FOUR, "distance", 1)  # type: ignore[arg-type]
    with pytest.raises(Mismatch, match="same labels"):
        least_leaking(FOUR, DISTANCE, 1, attacker=Gain.binary(list("abcd")))
    with pytest.raises(InvalidGain, match="must be a Gain, got loss"):
        least_leaking(FOUR, DISTANCE, 1, attacker=Loss.zero_one(range(4)))  # type: ignore[arg-type]
    many = Loss.by_distance(range(80), lambda a, b: abs(a - b))
    with pytest.raises(TooLarge, match="80 × 80"):
        least_leaking(Distribution.uniform(range(80)), many, 1)
