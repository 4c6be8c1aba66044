"""Max-case refinement and left factorisation: every verdict has a witness that anyone can check."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.refinement.mixtures import (
    Mixing,
    Mixture,
    left_factorisation,
    max_case_refinement,
)
from leaktight.channels.refinement.refinement import refinement
from leaktight.errors import InvalidChannel, Mismatch, Undecided
from leaktight.exact.numbers import exact_array, fraction
from leaktight.leakage.per_output import max_case_leakage
from leaktight.privacy.order import privacy_refinement
from tests.channels.test_refinement import Pair, pairs
from tests.strategies.channels import channels, distributions, gains


def is_witnessed(points: Channel, corners: Channel, verdict: Mixing) -> bool:
    """Check the witness of an exact verdict by its definition."""
    if isinstance(verdict, Mixture):
        return verdict.weights.matrix.min() >= 0 and verdict.weights.then(corners) == points
    assert 0 <= verdict.gain.matrix.min() <= verdict.gain.matrix.max() <= 1
    payoff = verdict.gain.matrix[0]
    others = max(row @ payoff for row in corners.matrix)
    row = points.matrix[points.inputs.index(verdict.label)]
    return fraction(row @ payoff - others) == verdict.advantage > 0


@settings(max_examples=80, deadline=None)
@given(pairs())
def test_every_max_case_verdict_has_a_witness(pair: Pair) -> None:
    a, b = pair
    verdict = max_case_refinement(a, b)
    assert is_witnessed(b.reverse(), a.reverse(), verdict)
    if not isinstance(verdict, Mixture):
        after_b, after_a = (max_case_leakage(c, None, verdict.gain).after for c in (b, a))
        assert after_b - after_a == verdict.advantage


@settings(max_examples=60, deadline=None)
@given(pairs(most=4), st.data())
def test_the_orders_imply_each_other_in_turn(pair: Pair, data: st.DataObject) -> None:
    a, b = pair
    if refinement(a, b):
        assert max_case_refinement(a, b)
    if max_case_refinement(a, b):
        if len(a.inputs) > 1:
            assert privacy_refinement(a, b)
        prior = data.draw(distributions(a.shape[0]))
        gain = data.draw(gains(a.shape[0]))
        after_b, after_a = (max_case_leakage(c, prior, gain).after for c in (b, a))
        assert after_b <= after_a


def test_the_max_case_order_holds_where_refinement_does_not() -> None:
    # A shows everything, but rarely; B always shows a little.
    a = Channel([["9/10", "1/10", 0], ["9/10", 0, "1/10"]])
    b = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    assert not refinement(a, b)
    assert max_case_refinement(a, b)
    assert not max_case_refinement(b, a)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_left_factor_is_found_or_refuted(data: st.DataObject) -> None:
    b = data.draw(channels(most=4))
    if data.draw(st.booleans()):
        a = data.draw(channels(outputs=b.shape[0], most=4)).then(b)
        assert left_factorisation(a, b)
    else:
        a = data.draw(channels(outputs=b.shape[1], most=4))
    assert is_witnessed(a, b, left_factorisation(a, b))


def test_labels_are_matched() -> None:
    coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["-", "+"])
    turned = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["yes", "no"], ["+", "-"])
    assert left_factorisation(turned, coin).weights["no", "no"] == 1  # type: ignore[union-attr]
    assert max_case_refinement(turned, coin).weights["+", "+"] == 1  # type: ignore[union-attr]
    with pytest.raises(Mismatch, match="outputs"):
        left_factorisation(coin, Channel.identity(2))
    with pytest.raises(InvalidChannel, match="expected a Channel"):
        max_case_refinement(coin, [[1]])  # type: ignore[arg-type]


def test_floats_are_settled_only_beyond_their_errors() -> None:
    a = Channel.random(6, 8, seed=1)
    b = a.then(Channel.random(8, 5, seed=2))
    holds = max_case_refinement(a, b)
    assert isinstance(holds, Mixture)
    assert np.abs(holds.weights.matrix @ a.reverse().matrix - b.reverse().matrix).max() < 1e-9
    other = max_case_refinement(b, a)
    assert not isinstance(other, Mixture)
    assert isinstance(other.advantage, float)
    coin = Channel([[0.75, 0.25], [0.25, 0.75]])
    with pytest.raises(Undecided, match="not settled"):
        left_factorisation(Channel([[0.75 + 3e-9, 0.25 - 3e-9], [0.25, 0.75]]), coin)
    tiny = Fraction(3, 10**30)
    beyond = left_factorisation(
        Channel([[Fraction(3, 4) + tiny, Fraction(1, 4) - tiny]]), coin.exact()
    )
    assert not isinstance(beyond, Mixture)
    assert beyond.advantage == tiny


@pytest.mark.parametrize("beyond", [0, 1, 2])
def test_what_floats_cannot_tell_from_a_mixture_is_told(beyond: int) -> None:
    rows = [["1/2", "1/3", "1/6"], ["1/7", "5/7", "1/7"], ["2/9", "1/9", "2/3"]]
    corners = Channel(rows)
    for tiny in (Fraction(0), Fraction(1, 10**30)):
        weights = [Fraction(1, 3) + tiny / 2, Fraction(2, 3) + tiny / 2]
        weights.insert(beyond, -tiny)
        table = exact_array(weights) @ corners.matrix
        assert bool(left_factorisation(Channel([table]), corners)) == (tiny == 0)
