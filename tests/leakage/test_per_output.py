from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Tries
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import float_array
from leaktight.leakage.capacity import min_capacity
from leaktight.leakage.entropy import renyi_leakage
from leaktight.leakage.hyper import hyper
from leaktight.leakage.per_output import max_case_leakage, pointwise_leakage
from leaktight.leakage.vulnerability import g_leakage, vulnerability
from tests.strategies.channels import channels_and_priors, gains


@pytest.mark.parametrize("gain", [None, Tries(1), Gain([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])])
def test_an_output_too_rare_for_floats_is_not_lost(gain: Gain | Tries | None) -> None:
    told, prior = Channel([[1.0, 0.0], [1.0, 0.0], [1.0, 1e-200]]), [0.5, 0.5, 1e-200]
    with pytest.raises(InvalidNumber, match=r"\.exact\(\)"):
        max_case_leakage(told, prior, gain)  # output 1 tells the third input for certain
    with pytest.raises(InvalidNumber, match=r"\.exact\(\)"):
        renyi_leakage(told, prior, 0)


@pytest.mark.parametrize(
    "channel",
    [Channel([["1/2", "1/2"], ["1/4", "3/4"]]), Channel.deterministic(lambda x: x, 2)],
)
def test_a_gain_of_floats_has_the_max_case_of_the_same_fractions(channel: Channel) -> None:
    of_floats = max_case_leakage(channel, ["1/3", "2/3"], Gain([[0.5, 0.0], [0.0, 1.5]]))
    exact = max_case_leakage(channel, ["1/3", "2/3"], Gain([["1/2", 0], [0, "3/2"]]))
    assert (of_floats.before, of_floats.after) == (float(exact.before), float(exact.after))


@given(channels_and_priors(), st.data())
def test_the_max_case_is_the_largest_vulnerability_of_a_posterior(
    pair: tuple[Channel, Distribution], data: st.DataObject
) -> None:
    channel, prior = pair
    gain = data.draw(st.sampled_from([None, Tries(2)]) | gains(channel.shape[0]))
    after = hyper(channel, prior)
    found = max_case_leakage(channel, prior, gain)
    assert found.before == vulnerability(prior, gain)
    assert found.after == max(vulnerability(after.posterior(z), gain) for z in after.outer.values)
    assert found.after >= g_leakage(channel, prior, gain).after


@given(channels_and_priors(), st.data())
def test_no_gain_grows_more_at_an_output_than_its_pointwise_leakage(
    pair: tuple[Channel, Distribution], data: st.DataObject
) -> None:
    channel, prior = pair
    told, after = pointwise_leakage(channel, prior), hyper(channel, prior)
    gain = data.draw(gains(channel.shape[0]))
    before = vulnerability(prior, gain)
    for each in told:
        posterior = after.posterior(each.output)
        assert vulnerability(posterior, gain) <= each.factor * before
        only = Gain([[int(x == each.input) for x in channel.inputs]], ["it"], channel.inputs)
        assert vulnerability(posterior, only) == each.factor * vulnerability(prior, only)
    assert [each.factor for each in told] == sorted((e.factor for e in told), reverse=True)


@given(channels_and_priors())
def test_the_mean_of_pointwise_leakage_is_the_capacity(pair: tuple[Channel, Distribution]) -> None:
    channel, prior = pair
    if len(prior.support) < len(prior):
        return
    outer = hyper(channel, prior).outer
    mean = sum(
        (Fraction(outer[each.output]) * each.factor for each in pointwise_leakage(channel, prior)),
        Fraction(0),
    )
    assert mean == min_capacity(channel).factor


@given(channels_and_priors())
def test_a_float_channel_is_measured_under_an_exact_prior(
    pair: tuple[Channel, Distribution],
) -> None:
    channel, prior = pair
    floats = Channel(float_array(channel.matrix), channel.inputs, channel.outputs)
    near = {each.output: each.factor for each in pointwise_leakage(floats, prior)}
    for each in pointwise_leakage(channel, prior):
        assert near[each.output] == pytest.approx(float(each.factor))
