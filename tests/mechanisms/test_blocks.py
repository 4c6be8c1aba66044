from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.blocks import BlockMechanism
from tests.mechanisms.promises import RATIOS, kept_promise


@given(st.integers(1, 5), RATIOS)
def test_level_and_leakage_are_those_of_the_theorem(n: int, ratio: Fraction) -> None:
    mechanism = BlockMechanism(n, ratio=ratio)
    assert kept_promise(mechanism, ratio) == ratio
    assert min_capacity(mechanism.channel).factor == 4 * n * ratio / (2 + 2 * ratio)


def test_its_graph_is_a_clique_and_edges() -> None:
    graph = BlockMechanism(3, ratio=2).graph
    assert graph.components == ((1, 2, 3, 4), (5, 6), (7, 8))
    assert graph.size == 6 + 2
    assert BlockMechanism(1, ratio=2).name == "blocks on K4"
    assert BlockMechanism(3, ratio=2).name == "blocks on K4 and 2 × K2"


def test_bad_input() -> None:
    with pytest.raises(InvalidNumber, match=r"whole number of components from 1 up, got 0"):
        BlockMechanism(0, ratio=2)
    with pytest.raises(TooLarge, match=r"2,000,002 inputs"):
        _ = BlockMechanism(10**6, ratio=2).channel
