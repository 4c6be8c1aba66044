"""The privacy-based order: between which inputs is one channel less private than another?"""

import math
from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distance import multiplicative_distance
from leaktight.errors import InvalidChannel
from leaktight.exact.numbers import Value
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.privacy.order import privacy_refinement
from tests.channels.test_refinement import Pair, pairs


@settings(max_examples=100, deadline=None)
@given(pairs(), st.booleans())
def test_it_holds_exactly_if_every_pair_of_rows_is_no_farther_apart(
    pair: Pair, floats: bool
) -> None:
    a, b = (c.float() for c in pair) if floats else pair
    if len(a.inputs) == 1:
        return
    verdict = privacy_refinement(a, b)
    exact = a.exact(), b.exact()  # a float's own digits; only its rows are divided by their sums

    def ratios(x: Hashable, y: Hashable) -> tuple[Value, Value]:
        one, other = (multiplicative_distance(c.row(x), c.row(y)) for c in exact)
        return one, other

    if not floats:
        every = [ratios(x, y) for x, y in combinations(a.inputs, 2)]
        assert verdict.holds == all(after <= before for before, after in every)
        assert (verdict.ratio_a, verdict.ratio_b) == ratios(*verdict.pair)
        worst = max(1 if before == after else after / before for before, after in every)
        now = verdict.ratio_b / verdict.ratio_a if verdict.ratio_a != verdict.ratio_b else 1
        assert now == worst
    if verdict.ratio_b not in (1, math.inf):
        entries = [b[x, verdict.output] for x in verdict.pair]
        assert max(entries) == pytest.approx(float(verdict.ratio_b) * float(min(entries)))


def test_a_hair_more_is_more() -> None:
    coin = RandomizedResponse(range(2), ratio=2).channel
    more = RandomizedResponse(range(2), ratio="2000000000000000000001/1000000000000000000000")
    assert privacy_refinement(more.channel, coin)
    assert not privacy_refinement(coin, more.channel)
    assert privacy_refinement(coin, coin)


@pytest.mark.parametrize("digits", [17, 25])
def test_what_floats_cannot_tell_is_put_in_order(digits: int) -> None:
    """With 25 digits their logarithms are the same, and with 17 their order is that of rounding."""
    draw, tiny, told = Random(0), Fraction(1, 10**digits), {True: 0, False: 0}
    for _ in range(40):
        rows = [[Fraction(draw.randint(1, 10**6)) for _ in range(3)] for _ in range(4)]
        rows = [[entry / sum(row) for entry in row] for row in rows]
        moved = [
            [row[0] + tiny, row[1] - tiny, row[2]] if draw.random() < 0.5 else row for row in rows
        ]
        a, b = Channel(rows), Channel(moved)
        every = [
            tuple(multiplicative_distance(c.row(x), c.row(y)) for c in (a, b))
            for x, y in combinations(range(4), 2)
        ]
        verdict = privacy_refinement(a, b)
        assert verdict.holds == all(after <= before for before, after in every)
        assert verdict.ratio_b / verdict.ratio_a == max(after / before for before, after in every)
        told[verdict.holds] += 1
    assert min(told.values()) > 3


def test_one_input_has_no_order() -> None:
    with pytest.raises(InvalidChannel, match="two inputs"):
        privacy_refinement(Channel([[1]]), Channel([[1]]))
