"""The papers' claims about rates of repeated observations (register K14)."""

import math

import pytest

import leaktight as lt
from leaktight.repetition.rates import (
    average_breach_rate,
    breach_probability_rate,
    breach_rate,
    error_rate,
    membership_rate,
    neighbour_rate_bound,
)

TWO = lt.Channel([["4/5", "1/5"], ["3/10", "7/10"]])


def test_w_d6_d7_erratum_43_a_certain_set_has_no_rate() -> None:
    """W-D6, W-D7 (erratum 43): p(Q) = 1 would give every channel the level ∞."""
    with pytest.raises(lt.errors.InvalidDistribution):
        breach_probability_rate(TWO, [0, 1], ratio=2)
    assert membership_rate(TWO, [0, 1]).lower == math.inf
    assert breach_rate(TWO).upper < math.inf
    assert average_breach_rate(TWO).upper < math.inf


def test_w_t10_erratum_46_without_edges_privacy_says_nothing() -> None:
    """W-T10 (erratum 46): two isolated inputs, rows (.99, .01), (.01, .99): ρ = 2.329."""
    channel = lt.Channel([["99/100", "1/100"], ["1/100", "99/100"]])
    assert lt.privacy_level(channel, lt.Graph(2)).ratio == 1
    assert round(error_rate(channel).bits, 3) == 2.329
    verdict = neighbour_rate_bound(channel, lt.Graph(2))
    assert (verdict.upper, verdict.pair) == (math.inf, None)
    joined = neighbour_rate_bound(channel, lt.Graph(2, [(0, 1)]))
    assert joined.pair == (0, 1)
    assert error_rate(channel).lower <= joined.upper
