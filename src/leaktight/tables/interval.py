"""Intervals of released numbers, exactly known, as the noise is."""

from fractions import Fraction

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.tables.noise import BlockNoise


def read_confidence(confidence: Number) -> Fraction:
    """Return a confidence such as 0.95, exactly as it is written."""
    exact = fraction(as_printed(confidence))
    if not 0 < exact < 1:
        raise InvalidNumber(f"a confidence must be between 0 and 1, got {confidence}")
    return exact


def half_width(noise: BlockNoise | None, confidence: Fraction, noises: int = 1) -> int:
    """Return the least w so that the sum of so many noises is within ±w with at least this chance.

    It is 0 if nothing was added. Where a chance is known from above alone, as of Gaussian noise
    with a σ above 64, w may be 1 more.

    >>> from leaktight.tables.noise import GeometricStep
    >>> two = GeometricStep(Fraction(2))
    >>> half_width(two, Fraction(19, 20)), half_width(two, Fraction(19, 20), 2)
    (4, 6)
    """
    if noise is None or not noises:
        return 0
    chance = rational(1 - confidence)
    width = 1
    while noise.exceeds(width + 1, noises, chance):
        width *= 2
    low, high = width // 2, width
    while low < high:
        middle = (low + high) // 2
        if noise.exceeds(middle + 1, noises, chance):
            low = middle + 1
        else:
            high = middle
    return high
