from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidNumber
from leaktight.exact.ratio import Ratio
from leaktight.leakage.hyper import hyper
from leaktight.privacy.level import distinguishability
from leaktight.privacy.posterior_range import breaching_ratio, posterior_range
from tests.strategies.channels import channels_and_priors
from tests.strategies.fractions import fractions

CHANCES = fractions(0, 1, max_denominator=50)


@given(channels_and_priors(), st.data())
def test_no_belief_leaves_its_range(
    pair: tuple[Channel, Distribution], data: st.DataObject
) -> None:
    channel, prior = pair
    level = distinguishability(channel).ratio
    if not isinstance(level, Fraction):
        return
    chosen = data.draw(st.sets(st.sampled_from(channel.inputs)))
    after = hyper(channel, prior)
    before = sum((Fraction(prior[x]) for x in chosen), Fraction(0))
    found = posterior_range(before, ratio=level)
    for z in after.outer.values:
        belief = sum((Fraction(after.posterior(z)[x]) for x in chosen), Fraction(0))
        assert found.lower <= belief <= found.upper


@given(CHANCES, fractions(1, 50, max_denominator=9))
def test_randomised_response_attains_both_ends(chance: Fraction, ratio: Fraction) -> None:
    coin = Channel([[ratio / (1 + ratio), 1 / (1 + ratio)], [1 / (1 + ratio), ratio / (1 + ratio)]])
    found, after = posterior_range(chance, ratio=ratio), hyper(coin, [chance, 1 - chance])
    beliefs = [Fraction(after.posterior(z)[0]) for z in after.outer.values]
    assert (min(beliefs), max(beliefs)) == (found.lower, found.upper)


@given(CHANCES, CHANCES)
def test_a_breach_is_reached_at_the_ratio_and_not_below(low: Fraction, high: Fraction) -> None:
    if not 0 < low < high < 1:
        with pytest.raises(InvalidNumber, match="larger one below 1"):
            breaching_ratio(low, high)
        return
    ratio = breaching_ratio(low, high)
    assert posterior_range(low, ratio=ratio).upper == high
    assert posterior_range(low, ratio=(1 + ratio) / 2).upper < high


def test_ends_are_rounded_outward_and_chances_checked() -> None:
    at = Ratio.of(epsilon=1)
    found = posterior_range("1/2", epsilon=1)
    assert found.upper == at.upper / (1 + at.upper) > at.lower / (1 + at.lower)
    assert found.lower == 1 / (1 + at.upper)
    with pytest.raises(InvalidNumber, match="from 0 to 1, got 2"):
        posterior_range(2, ratio=3)
