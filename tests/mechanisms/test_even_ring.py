from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, InvalidNumber
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.mechanisms.even_ring import EvenRing
from leaktight.mechanisms.graph_exponential import GraphExponential
from leaktight.privacy.level import privacy_level
from tests.mechanisms.promises import kept_promise
from tests.strategies.named_graphs import cycle


def doubled(n: int, ratio: Fraction) -> Channel:
    """Remark 1 as it stands, private or not."""
    rows = [[ratio ** -min(abs(i - j), n - abs(i - j)) for j in range(n)] for i in range(n)]
    for i, row in enumerate(rows):
        row[(i + n // 2) % n] *= 2
    return Channel.normalised(rows)


@given(st.integers(2, 6), st.fractions(1, 5, max_denominator=20))
def test_it_is_made_exactly_where_it_is_private(half: int, ratio: Fraction) -> None:
    channel = doubled(2 * half, ratio)
    level = privacy_level(channel, cycle(2 * half)).ratio
    if ratio**2 >= 2:
        mechanism = EvenRing(2 * half, ratio=ratio)
        assert mechanism.channel == channel
        assert kept_promise(mechanism, ratio) == level == ratio
    else:
        assert level > ratio
        with pytest.raises(InvalidNumber, match=r"only if λ² ≥ 2, .*GraphExponential"):
            EvenRing(2 * half, ratio=ratio)


@given(st.integers(2, 6), st.fractions(Fraction(3, 2), 5, max_denominator=20))
def test_the_graph_exponential_is_better(half: int, ratio: Fraction) -> None:
    ring = EvenRing(2 * half, ratio=ratio)
    better = posterior_vulnerability(GraphExponential(ring.graph, ratio=ratio).channel)
    assert posterior_vulnerability(ring.channel) < better


@pytest.mark.parametrize("values", [1, 2, 3, 5])
def test_a_ring_must_be_even(values: int) -> None:
    with pytest.raises(InvalidGraph, match=rf"from 4 up, got {values}; GraphExponential"):
        EvenRing(values, ratio=2)


def test_its_name() -> None:
    seasons = EvenRing(["winter", "spring", "summer", "autumn"], ratio=2)
    assert seasons.name == "ring of 4 values with doubled opposite"
    assert str(seasons.guarantee).endswith("neighbouring values of a ring of 4")
