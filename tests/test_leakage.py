import math
from fractions import Fraction
from itertools import combinations, product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.capacity import min_capacity
from leaktight.channel import Channel
from leaktight.composition import parallel
from leaktight.distribution import Distribution, product_distribution
from leaktight.errors import InvalidChannel, InvalidDistribution, InvalidGain, InvalidNumber
from leaktight.gain import Gain, Loss, Tries
from leaktight.hyper import hyper
from leaktight.leakage import (
    g_leakage,
    min_entropy_leakage,
    posterior_risk,
    posterior_vulnerability,
    risk,
    risk_leakage,
    strategy,
    vulnerability,
)
from tests.strategies import channels, channels_and_priors, distributions, gains

Both = tuple[Channel, Distribution]


def best_remap(channel: Channel, prior: Distribution, gain: Gain) -> Fraction:
    """The posterior vulnerability by trying every function from outputs to guesses."""
    return max(
        sum(
            (
                Fraction(prior[x] * channel[x, z] * gain[w, x])
                for z, w in zip(channel.outputs, remap, strict=True)
                for x in channel.inputs
            ),
            Fraction(0),
        )
        for remap in product(gain.guesses, repeat=len(channel.outputs))
    )


@settings(max_examples=50)
@given(channels(most=3), st.data())
def test_posterior_vulnerability_is_the_best_over_all_remaps(
    channel: Channel, data: st.DataObject
) -> None:
    prior = data.draw(distributions(channel.shape[0]))
    gain = data.draw(gains(channel.shape[0]))
    assert posterior_vulnerability(channel, prior, gain) == best_remap(channel, prior, gain)
    binary = Gain.binary(channel.inputs)
    assert posterior_vulnerability(channel, prior) == best_remap(channel, prior, binary)


@given(channels_and_priors(), st.data())
def test_observing_never_lowers_a_vulnerability(both: Both, data: st.DataObject) -> None:
    channel, prior = both
    gain = data.draw(gains(channel.shape[0]))
    leak = g_leakage(channel, prior, gain)
    assert leak.after >= leak.before
    assert leak.additive == leak.after - leak.before
    if leak.before:
        assert leak.factor == leak.after / leak.before
    loss = Loss(gain.matrix, gain.guesses, gain.inputs)
    assert risk_leakage(channel, prior, loss).additive >= 0


@given(channels_and_priors())
def test_the_posteriors_average_to_the_prior_and_give_the_vulnerability(both: Both) -> None:
    channel, prior = both
    after = hyper(channel, prior)
    assert (after.inner @ after.outer.array == prior.array).all()
    assert (after.inner.sum(axis=0) == 1).all()
    average = sum(
        (Fraction(p) * Fraction(vulnerability(after.posterior(z))) for z, p in after.outer.items()),
        Fraction(0),
    )
    assert posterior_vulnerability(channel, prior) == average


@given(channels_and_priors(), st.integers(1, 6))
def test_several_tries_are_the_gain_over_all_subsets(both: Both, k: int) -> None:
    channel, prior = both
    inputs = channel.inputs
    subsets = list(combinations(inputs, min(k, len(inputs))))
    explicit = Gain.from_function(lambda guess, x: int(x in guess), inputs, subsets)
    assert vulnerability(prior, Tries(k)) == vulnerability(prior, explicit)
    by_tries = posterior_vulnerability(channel, prior, Tries(k))
    assert by_tries == posterior_vulnerability(channel, prior, explicit)
    as_floats = posterior_vulnerability(channel.float(), prior, Tries(k))
    assert math.isclose(as_floats, by_tries, rel_tol=1e-12)


@given(channels_and_priors(), st.data())
def test_floats_agree_with_exact_numbers(both: Both, data: st.DataObject) -> None:
    channel, prior = both
    gain = data.draw(gains(channel.shape[0]))
    for aim in (None, gain):
        exact = posterior_vulnerability(channel, prior, aim)
        near = posterior_vulnerability(channel.float(), prior.float(), aim)
        assert isinstance(exact, Fraction)
        assert isinstance(near, float)
        assert math.isclose(exact, near, rel_tol=1e-13, abs_tol=1e-300)


@given(channels_and_priors())
def test_risk_is_what_is_left_of_vulnerability(both: Both) -> None:
    channel, prior = both
    assert risk(prior) == 1 - vulnerability(prior)
    assert posterior_risk(channel, prior) == 1 - posterior_vulnerability(channel, prior)
    zero_one = Loss.zero_one(channel.inputs)
    assert posterior_risk(channel, prior, zero_one) == posterior_risk(channel, prior)


@given(channels_and_priors(), st.data())
def test_the_strategy_earns_the_vulnerability(both: Both, data: st.DataObject) -> None:
    channel, prior = both
    gain = data.draw(gains(channel.shape[0]))
    loss = Loss(gain.matrix, gain.guesses, gain.inputs)
    for aim, value in (
        (gain, posterior_vulnerability(channel, prior, gain)),
        (loss, posterior_risk(channel, prior, loss)),
        (None, posterior_vulnerability(channel, prior)),
    ):
        guesses = strategy(channel, prior, aim)
        payoff = Gain.binary(channel.inputs) if aim is None else aim
        earned = sum(
            (
                Fraction(prior[x] * channel[x, z] * payoff[w, x])
                for z, w in guesses.items()
                for x in channel.inputs
            ),
            Fraction(0),
        )
        assert earned == value


def test_the_strategy_for_several_tries_lists_the_likeliest_first() -> None:
    channel = Channel([["1/2", "1/2"], [1, 0], [0, 1]], ["a", "b", "c"], ["x", "y"])
    prior = {"a": "1/2", "b": "3/8", "c": "1/8"}
    assert strategy(channel, prior, Tries(2)) == {"x": ("b", "a"), "y": ("a", "c")}


@settings(max_examples=40)
@given(st.lists(channels(most=3), min_size=1, max_size=3), st.data())
def test_channels_in_parallel_need_no_product(factors: list[Channel], data: st.DataObject) -> None:
    priors = product_distribution(*(data.draw(distributions(c.shape[0])) for c in factors))
    side_by_side = parallel(*factors)
    short = min_entropy_leakage(side_by_side, priors)
    long = min_entropy_leakage(side_by_side.expand(), priors.expand())
    assert short == long
    assert min_entropy_leakage(side_by_side) == min_entropy_leakage(side_by_side.expand())
    two = Tries(2)
    assert g_leakage(side_by_side, priors, two) == g_leakage(
        side_by_side.expand(), priors.expand(), two
    )


def test_a_million_channels_in_parallel_leak_exactly() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    leak = min_entropy_leakage(parallel(*[coin] * 10**6))
    assert leak.factor == Fraction(4, 3) ** 10**6
    assert math.isclose(leak.bits, 10**6 * math.log2(4 / 3), rel_tol=1e-14)


def test_an_exact_prior_and_a_float_channel_give_floats() -> None:
    coin = Channel([[0.75, 0.25], [0.25, 0.75]])
    leak = min_entropy_leakage(coin, ["1/2", "1/2"])
    assert (leak.before, leak.after, leak.factor) == (0.5, 0.75, 1.5)
    assert isinstance(leak.before, float)
    assert min_entropy_leakage(coin).factor == 1.5
    assert risk_leakage(coin).factor == 2


def test_many_floats_in_parallel_are_refused_before_they_vanish() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    few = min_entropy_leakage(parallel(*[coin.float()] * 900))
    assert math.isclose(few.bits, 900 * math.log2(4 / 3), rel_tol=1e-12)
    for n in (1100, 2000, 100_000):
        with pytest.raises(InvalidNumber, match=r"beyond the floats; use .exact\(\)"):
            min_entropy_leakage(parallel(*[coin.float()] * n))
        with pytest.raises(InvalidNumber, match="beyond the floats"):
            min_capacity(parallel(*[Channel.identity(2).float()] * n))
    assert min_entropy_leakage(parallel(*[coin.float().exact()] * 2000)).bits > 830


def test_a_loss_is_no_gain_and_a_gain_no_loss() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    with pytest.raises(InvalidGain, match="expected a Gain, Tries or None"):
        g_leakage(coin, gain=Loss.zero_one([0, 1]))  # type: ignore[arg-type]
    with pytest.raises(InvalidGain, match="expected a Loss or None"):
        risk_leakage(coin, loss=Gain.binary([0, 1]))  # type: ignore[arg-type]
    with pytest.raises(InvalidGain, match="whole number"):
        Tries(1.5)  # type: ignore[arg-type]


def test_a_tiny_risk_does_not_cancel() -> None:
    channel, prior = Channel([[1.0, 1e-17], [0.0, 1.0]]), [1.0, 1e-17]
    leak = risk_leakage(channel, prior)
    assert leak.before == 1e-17
    assert leak.factor >= 1


def test_what_is_no_channel_is_refused_with_a_way_out() -> None:
    rows = [["2/3", "1/3"], ["1/3", "2/3"]]
    two = parallel(Channel(rows), Channel(rows))
    for measure in (min_entropy_leakage, min_capacity, hyper, strategy, posterior_risk):
        with pytest.raises(InvalidChannel, match=r"Channel\(rows\) makes one"):
            measure(rows)  # type: ignore[arg-type]
    for measure in (hyper, strategy, posterior_risk):
        with pytest.raises(InvalidChannel, match=r"use .expand\(\)"):
            measure(two)  # type: ignore[arg-type]


def test_results_are_shown_short_however_long_their_numbers_are() -> None:
    leak = min_entropy_leakage(parallel(*[Channel([["2/3", "1/3"], ["1/3", "2/3"]])] * 10**5))
    assert "factor ≈2^41503.7, 41503.7 bits" in repr(leak)
    assert len(repr(leak)) < 100


@pytest.mark.parametrize("shape", [(300, 1000), (1200, 1000), (7, 160_000)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_float_channels_agree_with_plain_numpy(
    shape: tuple[int, int], order: Literal["C", "F"]
) -> None:
    channel = Channel(np.array(Channel.random(*shape, seed=7).matrix, order=order))
    prior = np.random.default_rng(8).dirichlet(np.ones(shape[0]))
    plain = (prior[:, None] * channel.matrix).max(axis=0).sum()
    assert math.isclose(posterior_vulnerability(channel, prior), plain, rel_tol=1e-13)
    plain = channel.matrix.max(axis=0).sum()
    assert math.isclose(float(min_capacity(channel).factor), plain, rel_tol=1e-13)


@settings(max_examples=50)
@given(channels_and_priors(), st.data())
def test_a_gain_is_matched_by_label_and_may_be_of_other_numbers(
    both: Both, data: st.DataObject
) -> None:
    channel, prior = both
    gain = data.draw(gains(len(prior)))
    turned = Gain(gain.matrix[:, ::-1], gain.guesses, gain.inputs[::-1])
    found = posterior_vulnerability(channel, prior, gain)
    assert found == best_remap(channel, prior, gain)
    assert found == posterior_vulnerability(channel, prior, turned)
    rough = Gain(gain.matrix.astype(float), gain.guesses, gain.inputs)
    for c, p, g in ((channel.float(), prior, gain), (channel, prior, rough)):
        value = posterior_vulnerability(c, p, g)
        assert isinstance(value, float)
        assert value == pytest.approx(float(found))


def test_a_factor_that_is_no_number() -> None:
    certain = Distribution.point(0, [0, 1])
    assert risk_leakage(Channel.identity(2), certain).factor == 1
    assert risk_leakage(Channel.identity(2)).factor == math.inf
    assert risk_leakage(Channel.identity(2)).bits == math.inf
    assert risk_leakage(Channel.identity(2)).nats == math.inf
    with pytest.raises(InvalidGain, match="at least 0"):
        g_leakage(Channel.identity(2), None, Gain([[-1, -1]]))
    with pytest.raises(InvalidDistribution, match="must be given"):
        vulnerability(None)
