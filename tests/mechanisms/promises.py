"""What every mechanism must keep, and the ratios at which it is asked to."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from leaktight.privacy.level import privacy_level
from tests.strategies.fractions import fractions

RATIOS = st.one_of(
    fractions(1, 6, max_denominator=12),
    st.sampled_from([Fraction(1), Fraction(2), Fraction(10**9), 1 + Fraction(1, 10**12)]),
)
"""From no difference at all to nearly none, and ε of 20."""


def kept_promise(mechanism: Any, asked: Fraction) -> Fraction:
    """Check that rows sum to 1 and that the level is within the guarantee; return the level."""
    matrix = mechanism.channel.matrix
    assert mechanism.channel.is_exact
    assert matrix.min() >= 0
    assert (matrix.sum(axis=1) == 1).all()
    level = privacy_level(mechanism.channel, mechanism.graph).ratio
    assert isinstance(level, Fraction)
    assert level <= mechanism.guarantee.ratio <= asked
    return level
