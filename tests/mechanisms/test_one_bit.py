from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber
from leaktight.mechanisms.one_bit import OneBit
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.privacy.level import privacy_level
from tests.mechanisms.promises import RATIOS, kept_promise
from tests.strategies.named_graphs import complete


@given(
    st.fractions(0, 1, max_denominator=30),
    st.fractions(1, 4, max_denominator=12),
    st.sampled_from([0, 1]),
)
def test_it_is_made_exactly_where_it_is_private(p: Fraction, ratio: Fraction, bit: int) -> None:
    rows = [[p, 1 - p], [p * ratio, 1 - p * ratio]]
    matrix = rows if bit else rows[::-1]
    private = p * ratio <= 1 and privacy_level(Channel(matrix), complete(2)).ratio <= ratio
    if private:
        mechanism = OneBit(p, ratio=ratio, likelier=bit)
        assert mechanism.channel == Channel(matrix)
        assert kept_promise(mechanism, ratio) == (ratio if p else 1)
    else:
        with pytest.raises(InvalidNumber, match=r"p must be at most 1/\(λ \+ 1\)"):
            OneBit(p, ratio=ratio, likelier=bit)


@given(RATIOS)
def test_the_largest_p_is_randomised_response(ratio: Fraction) -> None:
    likeliest = OneBit(1 / (ratio + 1), ratio=ratio, likelier=0).channel
    assert likeliest == RandomizedResponse(2, ratio=ratio).channel


def test_bad_input_and_names() -> None:
    with pytest.raises(InvalidNumber, match=r"p must be a probability, got -1/2"):
        OneBit("-1/2", ratio=2)
    with pytest.raises(InvalidNumber, match=r"must be 0 or 1, got 2"):
        OneBit("1/4", ratio=2, likelier=2)
    assert OneBit("1/4", ratio=2).name == "one bit of one bit, p = 1/4"
    assert str(OneBit("1/4", ratio=2).guarantee).endswith("for neighbouring bits")
