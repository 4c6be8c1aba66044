"""A table of densities is judged for all real inputs, against all pairs of a fine grid."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput
from leaktight.mechanisms.clamped import ClampedLaplace
from leaktight.policies.metric import Metric
from leaktight.policies.real import Interval
from leaktight.privacy.level import privacy_level


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_no_two_real_inputs_differ_more_and_some_come_near(data: st.DataObject) -> None:
    inside = data.draw(st.lists(st.integers(1, 7), unique=True, max_size=3))
    places = [0, *sorted(inside), 8]
    row = st.lists(st.integers(1, 9), min_size=3, max_size=3)
    table = Channel.normalised([data.draw(row) for _ in places], places)
    level = privacy_level(table, Interval(0, 8))
    at, entries = np.linspace(0, 8, 8001), table.matrix.astype(float)
    between = np.stack([np.interp(at, places, column) for column in entries.T], axis=1)
    slopes = np.abs(np.diff(np.log(between), axis=0)).max() / 0.001
    assert slopes <= level.epsilon * (1 + 1e-9)
    assert level.epsilon <= slopes * 1.02 + 1e-12
    listed = privacy_level(table, Metric.from_function(places, lambda a, b: abs(a - b)))
    assert listed.epsilon <= level.epsilon * (1 + 1e-12)


def test_the_level_is_known_where_the_slope_is() -> None:
    table = Channel([["1/4", "3/4"], ["1/2", "1/2"]], [0, 10])
    level = privacy_level(table, Interval(0, 10))  # (2 − 1)/10
    assert math.isclose(level.epsilon, 0.1, rel_tol=1e-15)
    assert level.holds(epsilon="0.1000001")
    assert not level.holds(epsilon="0.0999999")
    assert str(level.witness) == "output 0 of 10 against 0"
    assert privacy_level(Channel([["1/2", "1/2"]] * 2, [0, 10]), Interval(0, 10)).epsilon == 0
    zero = privacy_level(Channel([[0, 1], ["1/2", "1/2"]], [0, 10]), Interval(0, 10))
    assert zero.epsilon == math.inf


def test_a_fine_table_of_clamped_noise_loses_little() -> None:
    ages = Interval(0, 10)
    found = [privacy_level(ClampedLaplace(ages, epsilon=1, cells=cells).channel, ages).epsilon
             for cells in (10, 100)]  # fmt: skip
    assert 1 < found[1] < 1.06 < found[0]


@pytest.mark.parametrize(
    ("inputs", "line"),
    [(["a", "b"], "must be numbers of Interval"), ([0, 5], "must begin and end where Interval")],
)
def test_inputs_that_do_not_fill_the_interval_are_refused(inputs: list[object], line: str) -> None:
    table = Channel([["1/4", "3/4"], ["1/2", "1/2"]], inputs)
    with pytest.raises(InvalidInput, match=line):
        privacy_level(table, Interval(0, Fraction(10)))


def test_a_number_that_is_given_twice_is_refused() -> None:
    rows = [["1/4", "3/4"], ["1/2", "1/2"], ["1/3", "2/3"], ["1/2", "1/2"]]
    with pytest.raises(InvalidInput, match="two of them are the same"):
        privacy_level(Channel(rows, [0, 0.5, "1/2", 1]), Interval(0, 1))
