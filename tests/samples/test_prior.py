"""The likeliest prior of what was seen: the bound holds, and other routes lead there too."""

import math

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, LeaktightError, Mismatch
from leaktight.exact.rounding import precision
from leaktight.samples.prior import estimate_prior
from tests.strategies.channels import channels, distributions

COIN = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["-", "+"])


def log_likelihood(channel: Channel, prior: np.ndarray, counts: list[int]) -> arb:
    """Nats for each observation, of floats as the numbers that they are."""
    total = arb(0)
    for column, count in zip(channel.exact().matrix.T, counts, strict=True):
        if count:
            mean = sum((arb(k) * arb(float(p)) for k, p in zip(column, prior, strict=True)), arb(0))
            total += arb(count) * mean.log()
    return total / sum(counts)


def iterated(channel: Channel, counts: list[int], turns: int) -> np.ndarray:
    """A second route: the iterative Bayesian update itself."""
    matrix, shares = channel.to_numpy(), np.array(counts) / sum(counts)
    prior = np.full(len(matrix), 1 / len(matrix))
    for _ in range(turns):
        mean = prior @ matrix
        prior = prior * (matrix @ np.where(mean > 0, shares / np.where(mean > 0, mean, 1), 0))
    return prior / prior.sum()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_prior_is_likelier_by_more_than_the_gap(data: st.DataObject) -> None:
    channel = data.draw(channels(most=4))
    possible = channel.matrix.max(axis=0) > 0
    counts = [data.draw(st.integers(0, 50)) if there else 0 for there in possible]
    if not any(counts):
        return
    found = estimate_prior(channel, counts)
    assert found.gap < 1e-8
    others = [data.draw(distributions(channel.shape[0])).float().array for _ in range(5)]
    with precision(200):
        reached = log_likelihood(channel, found.prior.array, counts)
        for other in [*others, iterated(channel, counts, 300)]:
            mean = other @ channel.to_numpy()
            if all(mean[np.array(counts) > 0] > 0):
                assert log_likelihood(channel, other, counts) - reached <= found.gap


def test_shares_that_a_prior_explains_are_explained() -> None:
    # Three answers with two thirds of the truth kept: the shares are solved for the prior.
    channel = Channel([["2/3", "1/6", "1/6"], ["1/6", "2/3", "1/6"], ["1/6", "1/6", "2/3"]])
    found = estimate_prior(channel, [400, 300, 300])
    assert found.prior.array == pytest.approx([7 / 15, 4 / 15, 4 / 15], abs=1e-7)
    # All that differs is at the edge: nobody said the third.
    edge = estimate_prior(Channel.identity(3), [10, 30, 0])
    assert edge.prior.array == pytest.approx([0.25, 0.75, 0], abs=1e-8)


def test_standard_errors_are_those_of_a_coin() -> None:
    found = estimate_prior(COIN, {"-": 600, "+": 400})
    # The share of − has variance 0.24/1000, and the prior is twice it less a constant.
    assert found.errors == pytest.approx([2 * math.sqrt(0.24 / 1000)] * 2, rel=1e-6)


def test_standard_errors_are_how_far_repeated_estimates_spread() -> None:
    rng = np.random.default_rng(7)
    channel = Channel.random(4, 6, seed=5)
    truth = np.array([0.3, 0.3, 0.2, 0.2])
    shares = truth @ channel.matrix
    n = 10**8  # far from the edge
    drawn = rng.multinomial(n, shares / shares.sum(), size=200)
    priors = np.array([estimate_prior(channel, each.tolist()).prior.array for each in drawn])
    assert np.array(estimate_prior(channel, drawn[0].tolist()).errors) == pytest.approx(
        priors.std(axis=0), rel=0.2
    )


def test_what_a_channel_does_not_determine_has_no_standard_error() -> None:
    blind = Channel([["1/2", "1/2"], ["1/2", "1/2"], [0, 1]])
    found = estimate_prior(blind, [30, 70])
    assert [math.isinf(error) for error in found.errors] == [True, True, False]
    assert found.prior.array[2] == pytest.approx(0.4, abs=1e-6)
    alone = estimate_prior(Channel([[1]]), [5])
    assert alone.errors == (0.0,)
    assert alone.gap < 1e-12


@pytest.mark.parametrize(
    ("counts", "said", "error"),
    [
        ([1], "2 counts", Mismatch),
        ([1, -1], "whole number", InvalidInput),
        ([1, 0.5], "whole number", InvalidInput),
        ([0, 0], "at least one observation", InvalidInput),
        ({"?": 3}, "'\\?'", LeaktightError),
        (3, "a count for each output", InvalidInput),
    ],
)
def test_wrong_counts_are_refused(counts: object, said: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=said):
        estimate_prior(COIN, counts)  # type: ignore[arg-type]


def test_what_cannot_have_been_seen_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no input can give it"):
        estimate_prior(Channel([["1/2", "1/2", 0]]), [1, 1, 1])


def test_columns_below_the_usual_floats_are_estimated_like_larger_ones() -> None:
    tiny = estimate_prior(Channel([[1e-310, 1.0], [5e-310, 1.0]]), [10, 20])
    small = estimate_prior(Channel([[1e-30, 1.0], [5e-30, 1.0]]), [10, 20])
    assert tiny.gap < 1e-9
    assert np.allclose(tiny.prior.array, small.prior.array, atol=1e-9)
