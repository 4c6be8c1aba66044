"""The questions that are left after looking: for all outputs at a time, and one after the other."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight import Channel, Distribution, posterior_vulnerability, vulnerability
from leaktight.channels import Tries
from leaktight.leakage import (
    conditional_guessing_entropy,
    conditional_questions,
    guessing_entropy,
    questions,
)
from leaktight.leakage.hyper import hyper
from tests.strategies.channels import channels


@given(channels(), st.data())
def test_questions_of_all_outputs_are_those_of_each(channel: Channel, data: st.DataObject) -> None:
    """Huffman's tree for each posterior, where the numbers fit into words and where they do not."""
    n = len(channel.inputs)
    parts = data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any))
    long = data.draw(st.sampled_from([Fraction(0), Fraction(1, 3**60)]))
    whole = sum(parts) + n * long
    prior = Distribution([(Fraction(p) + long) / whole for p in parts], channel.inputs)
    after = hyper(channel, prior)
    each = [(after.outer[z], after.posterior(z)) for z in after.outer.values]
    asked = conditional_questions(channel, prior)
    guessed = conditional_guessing_entropy(channel, prior)
    tried = posterior_vulnerability(channel, prior, Tries(2))
    assert asked == sum(p * questions(left).expected for p, left in each)
    assert guessed == sum(p * guessing_entropy(left) for p, left in each)
    assert tried == sum(p * vulnerability(left, Tries(2)) for p, left in each)


def test_questions_in_floats_are_near_the_exact_ones() -> None:
    channel = Channel(np.random.default_rng(1).dirichlet(np.full(40, 0.2), 30))
    exactly = conditional_questions(channel.exact())
    assert conditional_questions(channel) == pytest.approx(float(exactly), rel=1e-12)
