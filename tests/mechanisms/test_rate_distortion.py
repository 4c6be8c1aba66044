"""The least information at a loss: closed forms, another solver, and both bounds."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidGain, InvalidNumber, TooLarge
from leaktight.exact.numbers import exact_array, rational
from leaktight.leakage.entropy import mutual_information, shannon_entropy
from leaktight.mechanisms.best.rate_distortion import _Task, rate_distortion
from tests.strategies.channels import distributions
from tests.strategies.fractions import fractions


def entropy(p: float) -> float:
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def blahut(prior: np.ndarray, losses: np.ndarray, slope: float) -> tuple[float, float]:
    """A second route: Blahut's iteration, which returns a loss and the least rate there."""
    powers = np.exp(-slope * losses)
    weights = np.full(losses.shape[1], 1 / losses.shape[1])
    for _ in range(2000):
        weights = weights * (prior @ (powers / (powers @ weights)[:, None])) + 1e-200
    channel = powers * weights
    channel /= channel.sum(axis=1, keepdims=True)
    rate = (prior[:, None] * channel * np.log2(channel / (prior @ channel))).sum()
    return float((prior[:, None] * channel * losses).sum()), float(rate)


@pytest.mark.parametrize("p", ["1/2", "2/5", "1/10"])
@pytest.mark.parametrize("most", ["0", "1/100", "1/20", "3/40"])
def test_a_bit_that_may_be_wrong(p: str, most: str) -> None:
    prior = Distribution([Fraction(p), 1 - Fraction(p)])
    found = rate_distortion(prior, Loss.zero_one([0, 1]), most)
    loss = float(Fraction(most))
    expected = entropy(float(Fraction(p))) - (entropy(loss) if loss else 0)
    assert found.lower - 1e-12 <= expected <= found.upper + 1e-12
    assert found.upper - found.lower < 1e-8
    assert found.loss == Fraction(most)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_the_bounds_hold_and_the_channel_is_as_asked(data: st.DataObject) -> None:
    n, guesses = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    prior = data.draw(distributions(n))
    row = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    loss = Loss([data.draw(row) for _ in range(guesses)])
    least = sum(p * min(loss.matrix[:, x]) for x, p in enumerate(prior.array))
    most = least + rational(data.draw(fractions(0, 2, max_denominator=20)))
    found = rate_distortion(prior, loss, most)
    guess = [loss.guesses.index(z) for z in found.channel.outputs]
    spent = (prior.array[:, None] * found.channel.matrix * loss.matrix[guess].T).sum()
    assert spent == rational(found.loss) <= most
    assert mutual_information(found.channel, prior) <= found.upper
    assert found.lower <= found.upper < found.lower + 1e-7
    # No slope of another solver leads below the lower bound.
    losses = np.array([[float(v) for v in row] for row in loss.matrix]).T
    for slope in (0.3, 2.0):
        at, rate = blahut(prior.float().array, losses, slope)
        if at <= float(most):
            assert rate >= found.lower - 1e-9


@pytest.mark.parametrize("slope", [0.2, 1.0, 3.0])
def test_weights_that_are_not_the_best_prove_less(slope: float) -> None:
    """Whatever weights are proposed, what they prove is true."""
    prior, rng = Distribution.from_counts([1, 2, 3, 4]), np.random.default_rng(1)
    loss = Loss.by_distance(range(4), lambda a, b: abs(a - b))
    task = _Task(prior.exact(), exact_array(loss.matrix).T)
    best = task.at(slope)
    most = Fraction(best.loss)  # where the slope proves all that there is
    least = rate_distortion(prior, loss, most).upper
    assert task.proved(best, rational(most)) > least - 1e-6
    for _ in range(10):
        weights = best.weights * rng.uniform(0.2, 1, 4)
        assert task.proved(replace(best, weights=weights), rational(most)) <= least


@pytest.mark.parametrize("slope", [0.2, 1.0, 3.0])
def test_it_goes_through_the_points_of_blahut(slope: float) -> None:
    prior = Distribution.from_counts([1, 2, 3, 4, 5])
    loss = Loss.by_distance(range(5), lambda a, b: abs(a - b))
    at, rate = blahut(prior.float().array, loss.matrix.astype(float), slope)
    found = rate_distortion(prior, loss, at)
    assert found.lower - 1e-7 <= rate <= found.upper + 1e-7


def test_the_ends() -> None:
    prior = Distribution.from_counts({"a": 1, "b": 2, "c": 5})
    loss = Loss.zero_one(prior.values)
    nothing = rate_distortion(prior, loss, "3/8")
    assert (nothing.lower, nothing.upper, nothing.channel.outputs) == (0.0, 0.0, ("c",))
    assert rate_distortion(prior, loss, 5).loss == Fraction(3, 8)
    everything = rate_distortion(prior, loss, 0)
    assert everything.lower <= shannon_entropy(prior) <= everything.upper
    with pytest.raises(InvalidNumber, match="at best"):
        rate_distortion(prior, Loss([[1, 2, 3]], inputs=prior.values), 2)
    with pytest.raises(InvalidGain, match="expected a Loss"):
        rate_distortion(prior, Gain.binary(prior.values), 1)  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="300 × 300"):
        rate_distortion(None, Loss.zero_one(range(300)), 1)


def test_a_loss_just_above_the_least_is_not_taken_for_it() -> None:
    """A third guess loses a little for both: mixed with the truth, it tells half as much."""
    tiny = Fraction(5e-324)
    loss = Loss([[0, 1], [1, 0], [tiny, tiny]], ["no", "yes", "either"], ["no", "yes"])
    found = rate_distortion(["1/2", "1/2"], loss, tiny / 2)
    assert found.lower <= 0.5 <= found.upper  # 1 bit with a chance of 1/2, else none
    with pytest.raises(InvalidNumber):
        rate_distortion(["1/2", "1/2"], Loss([[0, 1], [1, 0], [Fraction(1, 10**400)] * 2],
                        ["no", "yes", "either"], ["no", "yes"]), 0)  # fmt: skip
