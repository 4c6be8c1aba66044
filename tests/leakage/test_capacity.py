import math
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.distribution import Distribution, ProductDistribution
from leaktight.channels.gain import Gain
from leaktight.errors import InvalidChannel, Mismatch
from leaktight.leakage.additive_capacity import (
    additive_bayes_capacity,
    additive_capacity,
    spanning_capacity,
)
from leaktight.leakage.capacity import (
    bayes_security,
    membership_capacity,
    min_capacity,
    risk_capacity,
)
from leaktight.leakage.vulnerability import g_leakage, min_entropy_leakage, risk_leakage
from tests.strategies.channels import channels, channels_and_priors, distributions, gains

Both = tuple[Channel, Distribution]


@given(channels_and_priors(), st.data())
def test_no_prior_and_no_gain_leaks_more_than_the_min_capacity(
    both: Both, data: st.DataObject
) -> None:
    channel, prior = both
    capacity = min_capacity(channel)
    gain = data.draw(gains(channel.shape[0]))
    assert g_leakage(channel, prior, gain).factor <= capacity.factor
    assert min_entropy_leakage(channel, capacity.prior).factor == capacity.factor


@given(channels_and_priors())
def test_the_risk_never_falls_by_more_than_its_capacity(both: Both) -> None:
    channel, prior = both
    capacity = risk_capacity(channel)
    assert risk_leakage(channel, prior).factor <= capacity.factor
    if len(channel.inputs) > 1:
        assert risk_leakage(channel, capacity.prior).factor == capacity.factor
    near = risk_capacity(channel.float()).factor
    assert 1 / near == pytest.approx(1 / float(capacity.factor), rel=1e-12, abs=1e-15)


@given(channels_and_priors(), st.data())
def test_membership_never_leaks_more_than_its_capacity(both: Both, data: st.DataObject) -> None:
    channel, prior = both
    subset = data.draw(st.sets(st.sampled_from(channel.inputs), min_size=1))
    capacity = membership_capacity(channel, subset)
    gain = Gain.membership(channel.inputs, subset)
    assert g_leakage(channel, prior, gain).factor <= capacity.factor
    if len(subset) < len(channel.inputs):
        assert g_leakage(channel, capacity.prior, gain).factor == capacity.factor
    else:
        assert capacity.factor == 1


def test_a_membership_that_cannot_be_asked() -> None:
    with pytest.raises(InvalidChannel, match="at least one input"):
        membership_capacity(Channel.identity(2), [])
    with pytest.raises(Mismatch, match="no input 5"):
        membership_capacity(Channel.identity(2), [5])


def test_capacities_in_bits_and_nats() -> None:
    assert float(min_capacity(Channel.identity(8))) == 3
    assert min_capacity(Channel.identity(8)).nats == math.nextafter(math.log(8), 3)
    told = risk_capacity(Channel.identity(3))
    assert told.factor == told.bits == told.nats == math.inf
    many = min_capacity(parallel(*[Channel.identity(2)] * 5))
    assert many.factor == 32
    assert isinstance(many.prior, ProductDistribution)
    assert many.prior.expand() == Distribution.uniform(
        parallel(*[Channel.identity(2)] * 5).expand().inputs
    )


# --- additive ---


@given(channels_and_priors(), st.data())
def test_no_vulnerability_within_0_and_1_grows_more_than_the_additive_capacity(
    both: Both, data: st.DataObject
) -> None:
    channel, prior = both
    capacity = additive_capacity(channel, prior)
    positive = data.draw(gains(channel.shape[0]))
    between = Gain(positive.matrix / max(positive.matrix.max(), 1))
    assert g_leakage(channel, prior, between).additive <= capacity
    attaining = attaining_gain(prior)
    assert g_leakage(channel, prior, attaining).additive == capacity


def attaining_gain(prior: Distribution) -> Gain:
    """Guess "it is not w": 1 if right, 1 − 1/π(w) if it is; certain inputs pay 0."""
    inputs = prior.values
    guesses = [w for w in inputs if prior[w] > 0]
    return Gain.from_function(
        lambda w, x: 1 - (1 / Fraction(prior[w]) if w == x else 0), inputs, guesses
    )


@given(channels_and_priors(), st.data())
def test_no_gain_that_spans_1_grows_more_than_the_spanning_capacity(
    both: Both, data: st.DataObject
) -> None:
    channel, prior = both
    capacity = spanning_capacity(channel, prior)
    drawn = data.draw(gains(channel.shape[0]))
    spans = drawn.matrix.max(axis=1) - drawn.matrix.min(axis=1)
    spanning = Gain(drawn.matrix / max(spans.max(), 1))
    assert g_leakage(channel, prior, spanning).additive <= capacity
    # Bets for and against every set of inputs attain it.
    sets = chain.from_iterable(
        combinations(channel.inputs, k) for k in range(len(channel.inputs) + 1)
    )
    bets = Gain.from_function(
        lambda bet, x: 1 + int(x in bet) - sum(Fraction(prior[w]) for w in bet),
        channel.inputs,
        list(sets),
    )
    assert g_leakage(channel, prior, bets).additive == capacity
    near = spanning_capacity(channel.float(), prior.float())
    assert near == pytest.approx(float(capacity), abs=1e-14)


def all_uniform(channel: Channel) -> Fraction:
    """The additive leakage under the best prior that is uniform on some inputs."""
    n = len(channel.inputs)
    subsets = chain.from_iterable(combinations(range(n), k) for k in range(1, n + 1))
    return max(
        Fraction(
            min_entropy_leakage(channel, [Fraction(int(x in s), len(s)) for x in range(n)]).additive
        )
        for s in subsets
    )


@settings(max_examples=60)
@given(channels(most=5), st.data())
def test_the_additive_bayes_capacity_is_enclosed(channel: Channel, data: st.DataObject) -> None:
    found = additive_bayes_capacity(channel)
    assert min_entropy_leakage(channel, found.prior).additive == found.lower
    best = all_uniform(channel)
    assert found.lower <= best <= found.upper
    prior = data.draw(distributions(channel.shape[0]))
    assert min_entropy_leakage(channel, prior).additive <= best  # as docs/proofs says
    floats = additive_bayes_capacity(channel.float())
    assert floats.lower <= float(best) + 1e-12
    assert floats.upper >= float(best) - 1e-12


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_enclosure_is_tight_for_the_identity(n: int) -> None:
    found = additive_bayes_capacity(Channel.identity(n))
    assert found.lower == 1 - Fraction(1, n)
    assert found.upper - found.lower < Fraction(1, 10**12)


def test_a_large_channel_is_enclosed_without_the_linear_program() -> None:
    channel = Channel.random(200, 150, seed=3)
    found = additive_bayes_capacity(channel)
    prior = np.random.default_rng(1).dirichlet(np.ones(200))
    assert 0 < min_entropy_leakage(channel, prior).additive <= found.upper
    assert found.lower < found.upper < 1


@given(channels_and_priors())
def test_no_prior_keeps_less_of_the_risk_than_bayes_security(
    pair: tuple[Channel, Distribution],
) -> None:
    channel, prior = pair
    kept = bayes_security(channel)
    leak = risk_leakage(channel, prior)
    assert leak.after >= kept.value * leak.before
    if len(kept.pair) == 2:
        worst = risk_leakage(channel.restrict(kept.pair))
        assert worst.after == kept.value * worst.before


def test_security_prints_short_however_long_its_fraction_is() -> None:
    rows = [["1/3", "2/3"], [Fraction(1, 3**40), 1 - Fraction(1, 3**40)]]
    assert repr(bayes_security(Channel(rows))) == "BayesSecurity(≈0.666667, at the inputs (0, 1))"
