import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from leaktight.errors import InvalidInput
from leaktight.exact.numbers import rational
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.clamped import ClampedLaplace
from leaktight.policies.real import Interval
from leaktight.privacy.level import privacy_level

AGES = Interval(0, 100)


def chances(mechanism: ClampedLaplace, x: float, epsilon: float) -> list[float]:
    """The probability of each output by the distribution function of Laplace's noise."""

    def below(t: float) -> float:
        gap = epsilon * (t - x)
        return math.exp(gap) / 2 if gap < 0 else 1 - math.exp(-gap) / 2

    middle = [
        float(a + b) / 2 for a, b in zip(mechanism.outputs, mechanism.outputs[1:], strict=False)
    ]
    ends = [0.0, *map(below, middle), 1.0]
    return np.diff(ends).tolist()


@pytest.mark.parametrize("x", ["0", "50", "33.3", "97"])
def test_a_million_draws_have_the_chances_of_laplace(x: str) -> None:
    mechanism = ClampedLaplace(AGES, epsilon="0.1", cells=40)
    drawn = mechanism.draw([x] * 250_000, np.random.default_rng(18))
    counts = Counter(drawn)
    seen = [counts[z] for z in mechanism.outputs]
    expected = 250_000 * np.array(chances(mechanism, float(x), 0.1))
    assert chisquare(seen, expected).pvalue > 1e-4


@given(st.fractions(0, 100, max_denominator=50), st.integers(1, 60))
def test_on_the_grid_and_off_it_the_same_noise_is_rounded(x: Fraction, cells: int) -> None:
    mechanism = ClampedLaplace(AGES, epsilon="0.05", cells=cells)
    width = Fraction(100, cells)
    place = x / width + Fraction(1, 2)
    k = math.floor(place)
    low, high = mechanism._cuts(place - k)(64)
    down, leave = (float(Fraction(end, 2**64)) for end in low)
    assert all(b - a < 2 for a, b in zip(low, high, strict=True))
    rest = float(place - k) * float(width)
    assert math.isclose(down, math.exp(-0.05 * rest) / 2, rel_tol=1e-12)
    assert math.isclose(leave - down, math.exp(-0.05 * (float(width) - rest)) / 2, rel_tol=1e-12)


def test_the_channel_on_the_grid_is_private_and_leaks_what_is_said() -> None:
    mechanism = ClampedLaplace(AGES, epsilon="0.1", cells=20)
    channel = mechanism.channel
    assert privacy_level(channel, AGES.grid(21)).holds(epsilon="0.1")
    assert min_capacity(channel).factor == mechanism.leakage
    near = [float(channel[Fraction(35), z]) for z in channel.outputs]
    assert np.allclose(near, chances(mechanism, 35.0, 0.1), rtol=1e-12)


@pytest.mark.parametrize("cells", [1, 10, 1000])
def test_what_rounding_loses_goes_to_nothing(cells: int) -> None:
    mechanism = ClampedLaplace(AGES, epsilon="0.1", cells=cells)
    assert 0 < mechanism.lost <= Fraction(100, cells) * Fraction(1, 100) * 13
    assert math.isclose(float(mechanism.leakage + mechanism.lost), 6, rel_tol=1e-15)


def test_the_rate_of_the_noise_is_rounded_down() -> None:
    mechanism = ClampedLaplace(AGES, epsilon="0.1", cells=7)
    with ctx.workprec(300):
        rate = 2 * arb(mechanism._half_step).log() / arb(rational(Fraction(100, 7)))
        assert rate < arb(rational("0.1"))
        assert rate > arb(rational("0.1")) * (1 - arb(2) ** -60)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="in Interval"):
        ClampedLaplace(AGES, epsilon=1).draw(101)
    with pytest.raises(InvalidInput, match="an ε above 0"):
        ClampedLaplace(AGES, epsilon=0)
    with pytest.raises(InvalidInput, match="expected an Interval"):
        ClampedLaplace((0, 1), epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="how many"):
        ClampedLaplace(AGES, epsilon=1, cells=0)
