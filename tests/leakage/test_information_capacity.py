import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.distribution import Distribution, ProductDistribution
from leaktight.errors import InvalidNumber
from leaktight.exact.rounding import log2_interval
from leaktight.exact.tolerances import TOLERANCES
from leaktight.leakage.entropy import mutual_information, renyi_leakage
from leaktight.leakage.information_capacity import renyi_capacity, shannon_capacity
from leaktight.leakage.vulnerability import min_entropy_leakage
from tests.strategies.channels import channels, channels_and_priors


def entropy(p: float) -> float:
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


@pytest.mark.parametrize(
    ("channel", "capacity"),
    [
        (Channel([[0.9, 0.1], [0.1, 0.9]]), 1 - entropy(0.1)),  # binary symmetric
        (Channel([["3/4", "1/4", 0], [0, "1/4", "3/4"]]), 0.75),  # erasure
        (Channel([[1, 0], ["1/2", "1/2"]]), math.log2(5 / 4)),  # the Z channel
        (Channel.identity(7), math.log2(7)),
        (Channel.no_interference(5), 0.0),
        (Channel.identity(1), 0.0),
        # a noisy typewriter with four keys: two of them can be told apart
        (Channel.normalised([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 1]]), 1.0),
    ],
)
def test_known_capacities_are_enclosed(channel: Channel, capacity: float) -> None:
    for kind in (channel, channel.float()):
        found = shannon_capacity(kind)
        assert found.lower - 1e-15 <= capacity <= found.upper + 1e-15
        assert found.gap <= 2 * TOLERANCES.capacity_gap


@settings(max_examples=50)
@given(channels_and_priors(), st.sampled_from(["1/3", 1, "3/2", 5]))
def test_no_prior_leaks_more_than_the_capacity(
    both: tuple[Channel, Distribution], order: int | str
) -> None:
    channel, prior = both
    capacity = renyi_capacity(channel, order)
    assert renyi_leakage(channel, prior, order).bits <= capacity.upper
    attained = renyi_leakage(channel, capacity.prior, order).bits
    assert math.isclose(attained, capacity.lower, abs_tol=1e-12, rel_tol=1e-9)
    assert capacity.gap <= 1e-8


@settings(max_examples=50)
@given(channels(most=6), st.sampled_from(["1/2", 1, 2]))
def test_float_and_exact_enclosures_overlap(channel: Channel, order: int | str) -> None:
    exact, near = renyi_capacity(channel, order), renyi_capacity(channel.float(), order)
    assert exact.lower <= near.upper
    assert near.lower <= exact.upper


def blahut_arimoto(matrix: npt.NDArray[np.float64], steps: int) -> tuple[float, float]:
    """The textbook iteration, an independent route: bounds on the capacity in bits."""
    prior = np.full(len(matrix), 1 / len(matrix))
    for _ in range(steps):
        output = prior @ matrix
        terms = np.where(matrix > 0, matrix * np.log2(np.where(matrix > 0, matrix, 1) / output), 0)
        divergences = terms.sum(axis=1)
        prior = prior * np.exp2(divergences)
        prior_weight = prior.sum()
        prior /= prior_weight
    return float(np.log2(prior_weight)), float(divergences.max())


def test_large_channels_of_every_shape_are_enclosed_tightly() -> None:
    for inputs, outputs in ((150, 150), (2000, 8), (8, 2000)):
        channel = Channel.random(inputs, outputs, seed=inputs)
        found = shannon_capacity(channel)
        assert 0 < found.gap <= 1e-8
        assert 0 <= mutual_information(channel, found.prior) - found.lower <= 1e-11
        below, above = blahut_arimoto(channel.to_numpy(), 2000)
        assert found.lower <= above
        assert below <= found.upper
        assert above - below < 0.01  # so the comparison says something


def test_inputs_that_repeat_or_mix_others_change_nothing() -> None:
    base = Channel.random(5, 6, seed=2).to_numpy()
    mixed = np.vstack([base, base, base.mean(axis=0)])
    few, many = shannon_capacity(Channel(base)), shannon_capacity(Channel(mixed))
    assert many.lower <= few.upper
    assert few.lower <= many.upper


def test_capacity_rises_with_its_order_up_to_the_min_capacity() -> None:
    channel = Channel.random(6, 5, seed=4)
    bits = [renyi_capacity(channel, order).bits for order in ("1/10", "1/2", 1, 2, 10, 100)]
    assert bits == sorted(bits)
    assert bits[-1] <= min_entropy_leakage(channel).bits
    assert math.isclose(
        renyi_capacity(channel, 1.000001).bits, shannon_capacity(channel).bits, rel_tol=1e-4
    )


def test_channels_in_parallel_add_up() -> None:
    z, coin = Channel([[1, 0], ["1/2", "1/2"]]), Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    together = shannon_capacity(parallel(z, z, coin))
    whole = shannon_capacity(parallel(z, z, coin).expand())
    assert together.lower <= whole.upper
    assert whole.lower <= together.upper
    assert isinstance(together.prior, ProductDistribution)
    crowd = shannon_capacity(parallel(*[z] * 10**6))
    low, high = log2_interval(Fraction(5, 4))
    assert crowd.lower <= 10**6 * high
    assert crowd.upper >= 10**6 * low


@given(channels(most=4), st.sampled_from(["1/500", "1/20", "1/3", 1, "1001/1000", 3, 70, 900]))
def test_a_float_enclosure_contains_that_of_the_exact_channel(
    channel: Channel, order: int | str
) -> None:
    """The two are proved in different ways: rounding margins and ball arithmetic."""
    near = renyi_capacity(channel.float(), order)
    true = renyi_capacity(channel.float().exact(), order)
    assert near.lower <= true.upper
    assert true.lower <= near.upper
    assert true.lower <= true.upper


def test_numbers_at_the_end_of_the_range_give_an_enclosure() -> None:
    assert shannon_capacity(Channel([[0.5, 0.5, 0], [0.5, 0.5, 1e-320], [0.9, 0.1, 0]])).upper < 1
    tiny = Fraction(1, 10**400)
    faint = Channel([[tiny, "1/2", Fraction(1, 2) - tiny], [0, "1/2", "1/2"]])
    for order in ("1/2", 1, 2):
        found = renyi_capacity(faint, order)
        assert 0 <= found.lower <= found.upper < 1e-9
    same = renyi_capacity(Channel([[1.0]] * 6), 1.0000001)
    assert same.lower == same.upper == 0
    assert renyi_capacity(Channel.identity(4).float(), "0.001").upper >= 2


def test_orders_without_a_capacity_are_refused() -> None:
    with pytest.raises(InvalidNumber, match="use min_capacity"):
        renyi_capacity(Channel.identity(2), math.inf)
    with pytest.raises(InvalidNumber, match=r"from 0\.001 to 1000\.0, got 0"):
        renyi_capacity(Channel.identity(2), 0)


def test_an_enclosure_is_a_number_of_bits() -> None:
    found = shannon_capacity(Channel.identity(4))
    assert math.isclose(float(found), 2)
    assert math.isclose(found.nats, math.log(4))
