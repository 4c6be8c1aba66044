import math
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.channels.gain import Loss
from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Bound
from leaktight.exact.numbers import fraction
from leaktight.exact.rounding import log2
from leaktight.leakage.entropy import (
    EntropyEstimate,
    cachin_entropy,
    conditional_entropy,
    conditional_renyi_entropy,
    joint_entropy,
    mutual_information,
    renyi_entropy,
    renyi_leakage,
    shannon_entropy,
    shannon_leakage,
)
from leaktight.leakage.guesswork import (
    conditional_guessing_entropy,
    guessing_entropy,
    guessing_leakage,
)
from leaktight.leakage.hyper import hyper
from leaktight.leakage.vulnerability import (
    min_entropy_leakage,
    posterior_risk,
    posterior_vulnerability,
    risk,
)
from tests.strategies.channels import channels, channels_and_priors, distributions

Both = tuple[Channel, Distribution]
ORDERS: list[int | float | str] = [0, "1/10", "1/2", "9/10", 1, "11/10", 2, 7, math.inf]


def decimal_arimoto(joint: list[list[Fraction]], order: Fraction) -> Decimal:
    """Arimoto's conditional entropy in bits by the standard library's decimals."""
    getcontext().prec = 50
    columns = [[Decimal(p.numerator) / p.denominator for p in c if p] for c in joint]
    two = Decimal(2).ln()
    if order == 1:
        total = sum((p * (p / sum(c)).ln() for c in columns if c for p in c), Decimal(0))
        return -total / two
    alpha = Decimal(order.numerator) / order.denominator
    norms = [
        (sum(((p.ln() * alpha).exp() for p in c), Decimal(0)).ln() / alpha).exp()
        for c in columns
        if c
    ]
    return alpha / (1 - alpha) * sum(norms, Decimal(0)).ln() / two


def joint_columns(channel: Channel, prior: Distribution) -> list[list[Fraction]]:
    return [[Fraction(prior[x] * channel[x, z]) for x in channel.inputs] for z in channel.outputs]


@settings(max_examples=60)
@given(channels_and_priors(), st.sampled_from(["1/10", "1/2", "1", "11/10", "3"]))
def test_every_order_is_correctly_rounded(both: Both, order: str) -> None:
    channel, prior = both
    true = decimal_arimoto(joint_columns(channel, prior), Fraction(order))
    found = conditional_renyi_entropy(channel, prior, order)
    assert abs(Decimal(found) - true) <= Decimal(math.ulp(found)) / 2 + Decimal("1e-40")


@settings(max_examples=60)
@given(channels_and_priors(), st.sampled_from(ORDERS))
def test_floats_agree_with_exact_numbers(both: Both, order: float | str) -> None:
    channel, prior = both
    floats = channel.float(), prior.float()
    for exact, near in (
        (renyi_entropy(prior, order), renyi_entropy(floats[1], order)),
        (conditional_renyi_entropy(*both, order), conditional_renyi_entropy(*floats, order)),
        (cachin_entropy(*both, order), cachin_entropy(*floats, order)),
        (renyi_leakage(*both, order).bits, renyi_leakage(*floats, order).bits),
        (mutual_information(*both), mutual_information(*floats)),
    ):
        assert math.isclose(exact, near, rel_tol=1e-9, abs_tol=1e-11)


@given(channels_and_priors(), st.sampled_from(ORDERS))
def test_observing_never_raises_arimotos_entropy(both: Both, order: float | str) -> None:
    leak = renyi_leakage(*both, order)
    assert leak.after <= leak.before
    assert leak.bits >= 0


@given(channels_and_priors())
def test_entropy_falls_with_its_order(both: Both) -> None:
    entropies = [conditional_renyi_entropy(*both, order) for order in ORDERS]
    for high, low in pairwise(entropies):
        assert low <= high * (1 + 1e-15)


@given(channels_and_priors())
def test_order_infinity_is_smiths_min_entropy(both: Both) -> None:
    assert conditional_renyi_entropy(*both) == -log2(posterior_vulnerability(*both)) + 0.0
    assert renyi_leakage(*both).bits == min_entropy_leakage(*both).bits


@given(channels_and_priors())
def test_mutual_information_is_symmetric_and_what_entropy_loses(both: Both) -> None:
    channel, prior = both
    leak = shannon_leakage(channel, prior)
    assert math.isclose(leak.bits, leak.before - leak.after, abs_tol=1e-14)
    joint = np.array(
        [[fraction(p * k) for k in row] for p, row in zip(prior.array, channel.matrix, strict=True)]
    )
    outputs = joint.sum(axis=0)
    seen = np.flatnonzero(outputs > 0)
    backward = Channel([joint[:, z] / outputs[z] for z in seen])
    swapped = mutual_information(backward, [outputs[z] for z in seen])
    assert math.isclose(leak.bits, swapped, rel_tol=1e-15, abs_tol=0)


def test_little_information_is_as_accurate_as_much() -> None:
    nudge = 2.0**-20
    channel = Channel([[0.5 + nudge, 0.5 - nudge], [0.5 - nudge, 0.5 + nudge]])
    exact = mutual_information(channel.exact())
    assert 0 < exact < 1e-11
    assert math.isclose(mutual_information(channel), exact, rel_tol=1e-9)


@pytest.mark.parametrize("nudge", [2.0**-24, 2.0**-12, 2.0**-6, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("shape", [(1, 3), (2, 5), (5, 2), (4, 9)])
def test_floats_are_accurate_from_near_independence_on(
    nudge: float, shape: tuple[int, int]
) -> None:
    """Little information and much are computed in two ways; exact numbers judge both."""
    rng = np.random.default_rng(7)
    column = rng.random(shape[1])
    channel = Channel.normalised(column * (1 - nudge) + nudge * rng.random(shape) ** 4)
    prior = Distribution(rng.dirichlet(np.ones(shape[0])))
    exact = channel.exact(), prior.exact()
    found = mutual_information(channel, prior)
    assert math.isclose(found, mutual_information(*exact), rel_tol=1e-9, abs_tol=2.0**-100)
    left = conditional_entropy(channel, prior)
    assert math.isclose(left, conditional_entropy(*exact), rel_tol=1e-13)


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_float_channels_are_what_entropies_lose(order: Literal["C", "F"]) -> None:
    """More than one block of rows, with zeros, rows and columns that never occur."""
    rng = np.random.default_rng(8)
    weights = rng.random((300, 257)) * (rng.random((300, 257)) < 0.7)
    weights[:, 5] = 0
    weights[3] = 0
    weights[3, 5] = 1
    prior = rng.dirichlet(np.ones(300))
    prior[3] = 0
    prior /= prior.sum()
    channel = Channel(np.array(weights / weights.sum(axis=1, keepdims=True), order=order))
    joined = prior[:, None] * channel.matrix
    h_joint, h_outputs, h_inputs = (
        -sum(p * math.log2(p) for p in numbers if p > 0)
        for numbers in (joined.ravel(), joined.sum(axis=0), prior)
    )
    assert conditional_entropy(channel, prior) == pytest.approx(h_joint - h_outputs, rel=1e-12)
    lost = h_inputs + h_outputs - h_joint
    assert mutual_information(channel, prior) == pytest.approx(lost, rel=1e-12)


def test_quotients_beyond_the_floats_do_no_harm() -> None:
    """The first row over the mean is more than the largest float."""
    channel = Channel([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    prior = Distribution([5e-324, 1.0])
    assert 0 <= mutual_information(channel, prior) < 1e-300
    assert 0 <= conditional_entropy(channel, prior) < 1e-300
    tiny = Channel([[1.0, 5e-324], [0.5, 0.5]])
    assert mutual_information(tiny) == pytest.approx(mutual_information(tiny.exact()))


def test_independence_gives_exactly_nothing() -> None:
    same = Channel([["1/3", "2/3"], ["1/3", "2/3"]])
    for order in ORDERS:
        assert renyi_leakage(same, ["1/7", "6/7"], order).bits == 0
    assert mutual_information(same, ["1/7", "6/7"]) == 0
    assert mutual_information(Channel.identity(3), [1, 0, 0]) == 0


def test_certainty_has_no_entropy_and_doubt_has_all() -> None:
    for order in ORDERS:
        assert renyi_entropy([1, 0], order) == 0
        assert renyi_entropy([1.0, 0.0], order) == 0
        assert renyi_entropy(["1/8"] * 8, order) == 3
        assert conditional_renyi_entropy(Channel.identity(4), None, order) == 0
        assert conditional_renyi_entropy(Channel.no_interference(4), None, order) == 2
    assert shannon_leakage(Channel.identity(4)).multiplicative == math.inf
    assert shannon_leakage(Channel.no_interference(4)).multiplicative == 1
    assert shannon_leakage(Channel.no_interference(1)).multiplicative == 1
    assert shannon_leakage(Channel.identity(4)).factor == 4
    assert math.isclose(shannon_leakage(Channel.identity(4)).nats, math.log(4))
    assert float(shannon_leakage(Channel.identity(4))) == 2


@settings(max_examples=30)
@given(st.lists(channels(most=3), min_size=1, max_size=3), st.data(), st.sampled_from(ORDERS))
def test_entropies_of_independent_secrets_add(
    factors: list[Channel], data: st.DataObject, order: float | str
) -> None:
    priors = product_distribution(*(data.draw(distributions(c.shape[0])) for c in factors))
    together, whole = parallel(*factors), parallel(*factors).expand()
    for short, long in (
        (renyi_entropy(priors, order), renyi_entropy(priors.expand(), order)),
        (
            conditional_renyi_entropy(together, priors, order),
            conditional_renyi_entropy(whole, priors, order),
        ),
        (renyi_leakage(together, priors, order).bits, renyi_leakage(whole, priors, order).bits),
        (mutual_information(together, priors), mutual_information(whole, priors)),
        (conditional_entropy(together), conditional_entropy(whole)),
    ):
        assert math.isclose(short, long, rel_tol=1e-14, abs_tol=1e-15)


@given(channels_and_priors())
def test_the_number_of_guesses_is_a_loss_over_orders_of_guessing(both: Both) -> None:
    channel, prior = both
    orders = list(permutations(channel.inputs))
    tries = Loss.from_function(lambda order, x: order.index(x) + 1, channel.inputs, orders)
    assert guessing_entropy(prior) == risk(prior, tries)
    assert conditional_guessing_entropy(channel, prior) == posterior_risk(channel, prior, tries)
    leak = guessing_leakage(channel, prior)
    assert leak.additive == leak.before - leak.after >= 0


def test_extreme_orders_neither_overflow_nor_vanish() -> None:
    channel = Channel.random(20, 30, seed=5)
    at_infinity = conditional_renyi_entropy(channel)
    assert math.isclose(conditional_renyi_entropy(channel, None, 10**5), at_infinity, rel_tol=1e-3)
    near_zero = conditional_renyi_entropy(channel, None, "1/100000")
    assert math.isclose(near_zero, math.log2(20), rel_tol=1e-3)
    near_one = conditional_renyi_entropy(channel, None, 1 + 1e-9)
    assert math.isclose(near_one, conditional_entropy(channel), rel_tol=1e-8)


def test_an_order_below_zero_is_refused() -> None:
    with pytest.raises(InvalidNumber, match="at least 0, got -1"):
        renyi_entropy([1], -1)
    with pytest.raises(InvalidNumber):
        renyi_entropy([1], math.nan)


def test_entropy_of_a_tiny_probability_does_not_vanish() -> None:
    tiny = Fraction(1, 10**400)
    assert shannon_entropy([tiny, 1 - tiny]) == 0.0  # about 1e-397, below every float
    assert renyi_entropy([tiny, 1 - tiny], 0) == 1


@given(channels_and_priors())
def test_the_joint_entropy_keeps_the_chain_rule(pair: tuple[Channel, Distribution]) -> None:
    channel, prior = pair
    whole = joint_entropy(channel, prior)
    rows = sum(float(prior[x]) * shannon_entropy(channel.row(x)) for x in channel.inputs)
    assert whole == pytest.approx(shannon_entropy(prior) + rows, abs=1e-9)
    seen = shannon_entropy(hyper(channel, prior).outer)
    assert whole == pytest.approx(seen + conditional_entropy(channel, prior), abs=1e-9)


@pytest.mark.parametrize("order", [0, "1/2", 1, 2, math.inf])
def test_what_floats_lose_is_an_estimate_and_no_bound(order: Literal[0, "1/2", 1, 2]) -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    exact = renyi_leakage(coin, ["1/4", "3/4"], order)
    assert isinstance(exact, Bound)
    both = product_distribution(*[Distribution(["1/4", "3/4"])] * 2)
    for told, times in (
        (renyi_leakage(coin.float(), ["1/4", "3/4"], order), 1),
        (renyi_leakage(coin, [0.25, 0.75], order), 1),
        (renyi_leakage(parallel(coin, coin.float()), both, order), 2),
    ):
        assert isinstance(told, EntropyEstimate)
        assert not isinstance(told, Bound)
        assert "≈" in str(told)
        assert math.isclose(told.bits, times * exact.bits, abs_tol=1e-12)
        assert math.isclose(told.nats, times * exact.nats, abs_tol=1e-12)
        assert math.isclose(told.before, times * exact.before)


def test_an_entropy_of_nothing_has_no_sign() -> None:
    sure = Channel(np.repeat(np.eye(4) / 2, 2, axis=1))
    left = [renyi_leakage(sure, order=alpha).after for alpha in (0.5, 1, 2, math.inf)]
    assert [math.copysign(1, each) for each in left if each == 0] == [1, 1, 1, 1]
