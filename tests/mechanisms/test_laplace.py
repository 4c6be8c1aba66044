import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import TooLarge
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.policies.secrets import SecretGraph
from tests.mechanisms.promises import RATIOS, kept_promise


@given(st.integers(1, 7), RATIOS, st.integers(1, 8))
def test_the_guarantee_is_what_it_has(n: int, ratio: Fraction, s: int) -> None:
    mechanism = RoundedLaplace(n, ratio=ratio, sensitivity=s)
    assert kept_promise(mechanism, ratio) == mechanism.guarantee.ratio
    assert mechanism.graph == SecretGraph.threshold(range(n), distance=s)


@pytest.mark.parametrize(("n", "s"), [(2, 1), (5, 1), (6, 3), (4, 4)])
def test_it_is_the_rounded_density(n: int, s: int) -> None:
    """The other route: the distribution function of Laplace's noise of scale s/ε."""
    epsilon = 0.7

    def below(t: float) -> float:
        half = math.exp(-abs(t) * epsilon / s) / 2
        return half if t < 0 else 1 - half

    channel = RoundedLaplace(n, epsilon=epsilon, sensitivity=s).channel
    for x in range(n):
        for z in range(n):
            upper = 1.0 if z == n - 1 else below(z - x + 0.5)
            lower = 0.0 if z == 0 else below(z - x - 0.5)
            assert float(channel[x, z]) == pytest.approx(upper - lower, abs=1e-12)


def test_two_values_have_less_than_asked() -> None:
    two = RoundedLaplace(2, ratio=4)
    assert two.channel == Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    assert two.guarantee.ratio == 3
    assert RoundedLaplace(3, ratio=4).guarantee.ratio == 4
    assert RoundedLaplace(1, ratio=4).guarantee.ratio == 1


def test_its_name_and_its_limits() -> None:
    assert RoundedLaplace(1, ratio=4).name == "Laplace's noise rounded to 1 value"
    even = RoundedLaplace(3, epsilon=0).channel
    assert [even[x, z] for x in range(3) for z in range(3)] == [
        Fraction(1, 2),
        0,
        Fraction(1, 2),
    ] * 3
    with pytest.raises(TooLarge, match=r"1,000,000 inputs"):
        _ = RoundedLaplace(10**6, ratio=2).channel
