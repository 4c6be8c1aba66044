"""How far may a released number be from the truth? Exactly known: the noise is.

Geometric noise is k or more away from 0 with the chance 2α^k/(1 + α), k ≥ 1. The difference of two
is d with the chance ((1−α)/(1+α))²·α^|d|·(|d| + (1+α²)/(1−α²)).
"""

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.rounding import precision

PRECISIONS = (256, 1024)
"""With so many bits a chance is compared; if they do not tell, exactly."""


def read_confidence(confidence: Number) -> Fraction:
    """Return a confidence such as 0.95, exactly as it is written."""
    exact = fraction(as_printed(confidence))
    if not 0 < exact < 1:
        raise InvalidNumber(f"a confidence must be between 0 and 1, got {confidence}")
    return exact


def half_width(step: Fraction | None, confidence: Fraction, noises: int = 1) -> int:
    """Return the least w so that the noise is within ±w with at least this chance.

    It is that of one number with 1/α = ``step``, or of the difference of two with noise of their
    own; 0 if nothing was added.

    >>> half_width(Fraction(2), Fraction(19, 20)), half_width(Fraction(2), Fraction(19, 20), 2)
    (4, 6)
    """
    if step is None or not noises:
        return 0
    chance = rational(1 - confidence)
    width = 1
    while _is_beyond(step, width, noises, chance):
        width *= 2
    low, high = width // 2, width
    while low < high:
        middle = (low + high) // 2
        if _is_beyond(step, middle, noises, chance):
            low = middle + 1
        else:
            high = middle
    return high


def _is_beyond(step: Fraction, width: int, noises: int, chance: fmpq) -> bool:
    """Say whether the noise is beyond ±width with more than this chance."""
    beyond = _beyond_one if noises == 1 else _beyond_two
    alpha = rational(1 / step)
    for bits in PRECISIONS:
        with precision(bits):
            gap = beyond(arb(alpha), width + 1) - arb(chance)
            if gap > 0 or gap < 0:
                return bool(gap > 0)
    return bool(beyond(alpha, width + 1) > chance)


def _beyond_one(alpha: Any, k: int) -> Any:
    """Return the chance that noise is k or more away from 0, k ≥ 1."""
    return 2 * alpha**k / (1 + alpha)


def _beyond_two(alpha: Any, k: int) -> Any:
    """Return the chance that the difference of two noises is k or more away from 0, k ≥ 1."""
    rest = alpha**k * (k + (1 + alpha**2) / (1 - alpha**2)) / (1 - alpha)
    rest += alpha ** (k + 1) / (1 - alpha) ** 2
    return 2 * ((1 - alpha) / (1 + alpha)) ** 2 * rest
