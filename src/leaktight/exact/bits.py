"""How many bits is it, so that no leak looks smaller than it is?

``bits`` and ``nats`` are rounded up, never the middle of an enclosure: what they say, nothing
exceeds. ``bits_interval`` has both ends.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb, fmpq

from leaktight.exact.numbers import Value, rational
from leaktight.exact.rounding import float_above, float_below, ln_interval, log2_interval, outward


class InBits(ABC):
    """An amount of information; where a float is asked for, it is its ``bits``."""

    __slots__ = ()

    @property
    @abstractmethod
    def bits_interval(self) -> tuple[float, float]:
        """Floats below and above the number of bits."""

    @property
    def bits(self) -> float:
        """The number of bits, rounded up."""
        return self.bits_interval[1]

    @property
    def nats(self) -> float:
        """The number of nats, rounded up."""
        bits = self.bits
        return outward(lambda: arb(bits) * arb.const_log2())[1] if math.isfinite(bits) else bits

    def __float__(self) -> float:
        return self.bits


class OfFactor(InBits):
    """What has a ``factor``, whose logarithm is the amount."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def factor(self) -> Value:
            """A field, or a property, of what has it."""

    @property
    def bits_interval(self) -> tuple[float, float]:
        """Floats below and above log2 of the factor."""
        infinite = self.factor == math.inf
        return (math.inf, math.inf) if infinite else log2_interval(self.factor)

    @property
    def nats(self) -> float:
        """ln of the factor, rounded up."""
        return math.inf if self.factor == math.inf else ln_interval(self.factor)[1]


class Between(InBits):
    """A number of bits that is proved to lie between ``lower`` and ``upper``."""

    __slots__ = ()
    lower: float
    upper: float

    @property
    def bits_interval(self) -> tuple[float, float]:
        """The two ends."""
        return self.lower, self.upper


class FactorBetween(InBits):
    """A factor that is proved to lie between the rationals ``lower`` and ``upper``."""

    __slots__ = ()
    lower: Fraction
    upper: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the factor itself."""
        return self.lower == self.upper

    @property
    def bits_interval(self) -> tuple[float, float]:
        """Both ends in bits, rounded outward."""
        return log2_interval(self.lower)[0], log2_interval(self.upper)[1]


def added(intervals: Iterable[tuple[tuple[float, float], int]]) -> tuple[float, float]:
    """Return floats below and above a sum of enclosed numbers, each taken so many times.

    >>> added([((0.1, 0.2), 2), ((0.5, 0.5), 1)])
    (0.7, 0.9)
    """
    lower = upper = fmpq(0)
    for (low, high), times in intervals:
        if math.isinf(high):
            return (low, high)
        lower, upper = lower + times * rational(low), upper + times * rational(high)
    return float_below(lower), float_above(upper)
