from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.refinement.separation import separation
from leaktight.exact.tolerances import TOLERANCES
from leaktight.leakage.vulnerability import posterior_vulnerability
from tests.strategies.channels import channels


@given(st.data())
def test_what_is_found_is_a_prior_and_a_gain_that_prefer_b(data: st.DataObject) -> None:
    a = data.draw(channels())
    n = a.shape[0]
    b = data.draw(channels(inputs=n))
    row = st.lists(st.floats(-1, 1), min_size=n, max_size=n)
    weights = data.draw(st.lists(row, min_size=1, max_size=4))
    found = separation(a, b, np.array(weights), ("v", "w", "x", "y"))
    if found is None:
        return
    after_b, after_a = (posterior_vulnerability(c, found.prior, found.gain) for c in (b, a))
    assert found.advantage == after_b - after_a > 0
    assert found.gain.matrix.min() >= 0
    assert found.gain.matrix.max() <= 1


def test_weights_that_prefer_nothing_separate_nothing() -> None:
    a, b = Channel.identity(2), Channel.no_interference(2)
    assert separation(a, b, np.eye(2), ("x", "y")) is None
    assert separation(b, a, np.zeros((2, 2)), ("x", "y")) is None


def test_weights_are_rounded_for_people_to_read() -> None:
    a, b = Channel.no_interference(3), Channel.identity(3)
    found = separation(a, b, np.array([[1, -0.4999, -0.5001], [0, 0, 0]]), ("x", "y"))
    assert found is not None
    assert dict(found.prior.items()) == {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}


def test_an_advantage_that_errors_of_the_entries_can_make_is_none() -> None:
    """Just below the threshold of two outputs on either side, and just above."""
    noise = 4 * TOLERANCES.entry
    a = Channel([[0.5, 0.5], [0.5, 0.5]])
    for change, seen in ((0.9 * noise, False), (1.1 * noise, True)):
        b = Channel([[0.5 + change, 0.5 - change], [0.5 - change, 0.5 + change]])
        found = separation(a, b, np.eye(2), ("x", "y"))
        assert (found is not None) is seen
        if found is not None:
            assert found.advantage == pytest.approx(change)
