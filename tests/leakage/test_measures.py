"""Every measure of leakage has the same methods, and is in the table of all."""

from hypothesis import given, settings

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.leakage.measures import measures, worst_measures
from leaktight.leakage.registry import leakage_measures
from tests.strategies.channels import channels_and_priors


@given(channels_and_priors())
@settings(max_examples=40)
def test_every_measure_has_the_same_methods(drawn: tuple[Channel, Distribution]) -> None:
    """The number before is that of a channel that tells nothing, whatever the measure."""
    channel, prior = drawn
    rows = measures(channel, prior)
    assert [row.name for row in rows] == list(leakage_measures())
    for row in rows:
        one = leakage_measures()[row.name]
        assert one.prior(prior) == row.before
        assert one.posterior(channel, prior) == row.after


@given(channels_and_priors())
@settings(max_examples=40)
def test_no_prior_leaks_more_than_a_capacity(drawn: tuple[Channel, Distribution]) -> None:
    channel, prior = drawn
    for one in leakage_measures().values():
        if one.capacity is not None:
            bits = one.leakage(channel, prior).bits
            assert bits is not None
            assert bits <= one.capacity(channel).bits + 1e-9
    assert len(worst_measures(channel)) == 3
