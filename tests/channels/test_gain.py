from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.aim import aim_of
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss, Tries
from leaktight.errors import InvalidGain, Mismatch, TooLarge
from leaktight.exact.numbers import exact_array, fraction
from leaktight.leakage.vulnerability import posterior_vulnerability, vulnerability
from leaktight.policies.metric import Metric
from tests.strategies.channels import channels, distributions, gains


def test_the_usual_gains_and_losses() -> None:
    assert Gain.binary(["a", "b"])["a", "b"] == 0
    assert Loss.zero_one(["a", "b"])["a", "b"] == 1
    near = Gain.by_distance([0, 1, 4], lambda a, b: abs(a - b))
    assert [near[0, x] for x in (0, 1, 4)] == [1, Fraction(3, 4), 0]
    assert Gain.by_distance(["only"], lambda a, b: 0)["only", "only"] == 1
    coarse = Loss.by_distance([0, 1, 4], lambda w, x: abs(w - x), guesses=[0, 4])
    assert coarse.matrix.shape == (2, 3)
    diagonal = Metric.euclidean([(0, 0), (1, 1), (3, 4)])
    far = Loss.by_distance(diagonal.values, diagonal.distance)
    assert far == aim_of("distance", diagonal)
    assert far[(0, 0), (3, 4)] == 5
    assert 0 <= far[(0, 0), (1, 1)] ** 2 - 2 < Fraction(1, 10**9)
    assert Gain.by_distance(diagonal.values, diagonal.distance)[(0, 0), (3, 4)] == 0
    inside = Gain.membership(["a", "b", "c"], ["a"])
    assert [inside[True, x] for x in "abc"] == [1, 0, 0]
    assert [inside[False, x] for x in "abc"] == [0, 1, 1]
    assert Gain({"bet": {"a": 2}, "pass": {"a": 1, "b": 1}})["bet", "b"] == 0


@given(distributions(3), st.data())
def test_expected_gain_is_the_sum_over_inputs(prior: Distribution, data: st.DataObject) -> None:
    gain = data.draw(gains(3))
    found = gain.expected(prior.array[:, None], (0, 1, 2))
    for row, guess in zip(found, gain.guesses, strict=True):
        assert fraction(row[0]) == sum(gain[guess, x] * p for x, p in prior.items())


def test_a_gain_goes_by_the_labels_of_the_inputs() -> None:
    gain = Gain([[1, 0]], ["bet"], ["yes", "no"])
    joint = exact_array(["1/4", "3/4"])[:, None]
    assert gain.expected(joint, ("no", "yes"))[0, 0] == joint[1, 0]
    assert np.allclose(gain.expected(np.array([[0.25], [0.75]]), ("no", "yes")), 0.75)
    with pytest.raises(Mismatch, match="'maybe' is only in one"):
        gain.expected(joint, ("no", "maybe"))


def test_it_is_shown_as_a_table_and_compared_by_value() -> None:
    gain = Gain.binary(["a", "b"])
    assert repr(gain).splitlines()[1:] == ["   a  b", "a  1  0", "b  0  1"]
    assert "<td>1</td>" in gain._repr_html_()
    assert gain == Gain([[1, 0], [0, 1]], ["a", "b"], ["a", "b"])
    assert gain != Loss([[1, 0], [0, 1]], ["a", "b"], ["a", "b"])
    assert len({gain, Gain.binary(["a", "b"])}) == 1


def test_what_is_no_gain_is_refused() -> None:
    with pytest.raises(InvalidGain, match="at least one try"):
        Tries(0)
    with pytest.raises(InvalidGain, match="must not be negative"):
        Loss.by_distance([0, 1], lambda a, b: a - b)
    with pytest.raises(InvalidGain, match="finite"):
        Gain([[float("inf")]])
    with pytest.raises(InvalidGain, match="one label for each guess, got 1 for 2"):
        Gain([[1], [0]], ["a"])
    with pytest.raises(InvalidGain, match="row 1 of the gain must have 2 entries"):
        Gain([[1, 0], [0]])
    with pytest.raises(Mismatch, match="no input 'd'"):
        Gain.membership(["a", "b", "c"], "d")


@given(st.data())
def test_strategies_are_worth_before_what_the_gain_is_after(data: st.DataObject) -> None:
    channel = data.draw(channels(most=3))
    gain, prior = data.draw(gains(channel.shape[0])), data.draw(distributions(channel.shape[0]))
    before = Gain.of_strategies(channel, gain)
    assert vulnerability(prior, before) == posterior_vulnerability(channel, prior, gain)


def test_too_many_strategies_are_not_listed() -> None:
    with pytest.raises(TooLarge, match="10 guesses for each of 10 outputs"):
        Gain.of_strategies(Channel.identity(10))
    with pytest.raises(InvalidGain, match="needs a gain"):
        Gain.of_strategies(Channel.identity(2), Loss.zero_one([0, 1]))
