"""The law of noise: how likely a sum of noises is in each of some cells.

Floats, rounded so that a chance that is returned is never too small: a proof is in
docs/proofs/means.md. The noises that there are have log-concave, symmetric probabilities, falling
from 0 on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np
import numpy.typing as npt

from leaktight.exact.numbers import rational
from leaktight.exact.rounding import float_below
from leaktight.tables.noise import BlockNoise

Floats = npt.NDArray[np.float64]

DEEP = 40.0
"""Noise beyond which it is e^−40 times as likely as 0 is left out."""

FINE = 500
"""The standard deviation of noise is so many cells, or fewer, as they are whole numbers."""

LONGEST = 2**22
"""The most cells of a sum; with more, cells are made wider."""

LEFT_OUT = 2.0**-40
"""What is further out than all but so little is left out, on either side."""

SLACK = 2.0**-24
"""More than rounding, and all noise that is left out, can come to."""


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """Cells [low, high] of whole numbers, rising, and the chance of each, at least.

    >>> from leaktight.tables.noise import GeometricStep
    >>> law = Law.of(GeometricStep(Fraction(2)), 1)
    >>> float(law.above(np.array([4.0]))[0]) - 1 / 24 < 2**-23
    True
    """

    low: Floats
    high: Floats
    mass: Floats
    tails: Floats
    """The chance of each cell and of all above it; 0 at the end."""

    @classmethod
    def of(cls, noise: BlockNoise | None, noises: int) -> "Law":
        """Return the law of the sum of so many noises; without any it is 0."""
        if noise is None or not noises:
            zero = np.zeros(1)
            return cls(zero, zero, np.ones(1), np.array([1.0, 0.0]))
        return _law(noise, noises)

    def above(self, least: Floats) -> Floats:
        """Return chances that the noise is some numbers or more, or somewhat too much."""
        near = np.ceil(least - LEFT_OUT * np.maximum(1, np.abs(least)))
        return self.tails[np.searchsorted(self.high, near)]


def chance_above(one: Law, other: Law, least: Callable[[Floats], Floats], kink: float) -> float:
    """Return the chance that noise of ``one`` law is ``least`` of the other's noise, or more.

    ``least`` is linear up to a ``kink`` and from there on; the chance is never too small.
    """
    ends = np.minimum(least(other.low), least(other.high))
    inside = (other.low <= kink) & (kink <= other.high)
    ends[inside] = np.minimum(ends[inside], least(np.array([kink]))[0])
    return min(1.0, float((other.mass * one.above(ends)).sum()) + SLACK)


def each_side(confidence: Fraction) -> float:
    """Return the chance that is left on either side of an interval, rounded down."""
    return float_below(rational((1 - confidence) / 2))


@lru_cache(maxsize=64)
def _law(noise: BlockNoise, noises: int) -> Law:
    from scipy.fft import irfft, next_fast_len, rfft

    reach = _reach(noise)
    spread = float(noise.variance) ** 0.5
    width = max(1, int(spread / FINE), ceil(2 * reach * noises / LONGEST))
    half = reach // width + 1
    starts = np.arange(-half, half + 1, dtype=np.float64) * width
    ends = noise.log_chances(starts), noise.log_chances(starts + (width - 1))
    # No cell has 0, the likeliest, between its ends: it is likeliest, and least likely, at an end.
    mass = np.exp(np.maximum(*ends)) / np.exp(np.minimum(*ends)).sum()
    if noises > 1:
        size = noises * (len(mass) - 1) + 1
        length = next_fast_len(size, real=True)
        total = mass.sum()
        mass = irfft(rfft(mass / total, length) ** noises, length)[:size] * total**noises
        mass = np.maximum(mass, 0.0)
    low = np.arange(len(mass), dtype=np.float64) * width - noises * half * width
    kept = (np.cumsum(mass) > LEFT_OUT) & (np.cumsum(mass[::-1])[::-1] > LEFT_OUT)
    low, mass = low[kept], mass[kept]
    tails = np.append(np.cumsum(mass[::-1])[::-1], 0.0)
    return Law(low, low + noises * (width - 1), mass, tails)


def _reach(noise: BlockNoise) -> int:
    """Return the least number that is e^−40 times as likely as 0, or less."""
    high = 1
    while noise.log_chances(np.array([float(high)]))[0] > -DEEP:
        high *= 2
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        if noise.log_chances(np.array([float(middle)]))[0] > -DEEP:
            low = middle
        else:
            high = middle
    return high
