"""The mechanisms that only a paper needs, for more numbers than its claim tries."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidInput
from leaktight.leakage import min_capacity, posterior_vulnerability
from leaktight.mechanisms import GraphExponential
from leaktight.policies import SecretGraph
from leaktight.privacy import privacy_level
from leaktight_papers.alvim2011b.utility import doubled_ring
from leaktight_papers.barthe2011.bit import canonical
from leaktight_papers.edwards2021.blocks import block_channel, block_graph
from tests.mechanisms.promises import RATIOS
from tests.strategies.fractions import fractions


@given(st.integers(1, 5), RATIOS)
def test_blocks_have_the_level_and_the_leakage_of_theorem_15(n: int, ratio: Fraction) -> None:
    channel, graph = block_channel(n, ratio), block_graph(n)
    assert privacy_level(channel, graph).ratio == ratio
    assert min_capacity(channel).factor == 4 * n * ratio / (2 + 2 * ratio)
    assert (graph.order, graph.size) == (2 * n + 2, 6 + n - 1)


@given(st.integers(2, 6), fractions(1, 5, max_denominator=20))
def test_a_doubled_ring_is_private_if_the_square_of_the_ratio_is_2(
    half: int, ratio: Fraction
) -> None:
    channel, ring = doubled_ring(2 * half, ratio), SecretGraph.cycle(2 * half)
    level = privacy_level(channel, ring).ratio
    if ratio**2 < 2:
        assert level > ratio
    else:
        best = posterior_vulnerability(GraphExponential(ring, ratio=ratio).channel)
        assert level == ratio
        assert posterior_vulnerability(channel) < best


@pytest.mark.parametrize("answers", [0, 2, 5])
def test_a_ring_that_cannot_be_doubled_is_refused(answers: int) -> None:
    with pytest.raises(InvalidInput, match="even number of answers"):
        doubled_ring(answers, 2)


def test_constructions_take_numbers_as_the_library_does() -> None:
    assert doubled_ring(4, "3/2") == doubled_ring(4, Fraction(3, 2))
    assert canonical("1/4", 2) == canonical(Fraction(1, 4), Fraction(2))
    assert block_channel(2, "3/2") == block_channel(2, Fraction(3, 2))


@given(
    fractions(0, 1, max_denominator=30),
    fractions(1, 4, max_denominator=12),
    st.sampled_from([0, 1]),
)
def test_one_bit_is_private_up_to_the_p_of_randomised_response(
    share: Fraction, ratio: Fraction, bit: int
) -> None:
    p = share / ratio
    level = privacy_level(canonical(p, ratio, bit), SecretGraph.complete(2)).ratio
    assert (level <= ratio) == (p <= 1 / (ratio + 1) or ratio == 1)
