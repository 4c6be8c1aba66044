"""Intervals: the chances of one noise and of a difference of two, by adding them up."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber
from leaktight.tables.noise import GeometricStep
from leaktight.tables.queries.answer import half_width, read_confidence
from tests.strategies.fractions import fractions

TWO = GeometricStep(Fraction(2))
STEPS = fractions(Fraction(5, 4), 9, max_denominator=8)


def within(step: Fraction, width: int, noises: int) -> Fraction:
    """Return the chance to be within ±width, of all that can be at most 60 away from it."""
    c, far = 1 / step, 60 + width
    chance = {k: (1 - c) / (1 + c) * c ** abs(k) for k in range(-far, far + 1)}
    if noises == 1:
        return sum((p for k, p in chance.items() if abs(k) <= width), Fraction(0))
    total = Fraction(0)
    for k, p in chance.items():
        total += p * sum(chance.get(k + d, Fraction(0)) for d in range(-width, width + 1))
    return total


@settings(max_examples=30)
@given(STEPS, st.sampled_from(["0.5", "0.9", "0.99"]), st.sampled_from([1, 2]))
def test_a_half_width_is_the_least_that_has_its_chance(
    step: Fraction, confidence: str, noises: int
) -> None:
    level = Fraction(confidence)
    width = half_width(GeometricStep(step), level, noises)
    rest = Fraction(1, 10**5) if noises == 2 else Fraction(0)  # of the sums that are cut off
    assert within(step, width, noises) + rest >= level
    if width:
        assert within(step, width - 1, noises) < level


def test_noise_of_a_very_small_epsilon_has_a_width_too() -> None:
    step = 1 + Fraction(1, 10**6)
    width = half_width(GeometricStep(step), Fraction(19, 20))
    assert 2_990_000 < width < 3_000_000  # ln 20 · 10^6


def test_what_has_no_noise_is_exact() -> None:
    assert half_width(None, Fraction(1, 2)) == half_width(TWO, Fraction(1, 2), 0) == 0


def test_a_confidence_is_read_as_it_is_written() -> None:
    assert read_confidence(0.95) == read_confidence("0.95") == Fraction(19, 20)
    for wrong in (0, 1, "1.5"):
        with pytest.raises(InvalidNumber, match="between 0 and 1"):
            read_confidence(wrong)
