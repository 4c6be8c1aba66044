"""How is a probability said, so that no risk sounds smaller than it is?

A bound is rounded up, what is known exactly to the nearest. Only 1 is 100% and only 0 is 0%.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

MOST_DECIMALS = 5
"""The most decimals of a percentage: below 1% there are two digits, above it one decimal."""


@dataclass(frozen=True, slots=True)
class Probability:
    """How likely something is after so many observations: exactly, or at most.

    >>> print(Probability(0, Fraction(1, 4), True), Probability(0, Fraction(1, 3), True))
    exactly 25% about 33.3%
    >>> print(Probability(1, Fraction(1, 3), False))
    at most 33.4%
    """

    observations: int
    value: Fraction
    is_exact: bool

    @property
    def percent(self) -> str:
        """The number alone, rounded up if it is a bound."""
        return percent(self.value) if self.is_exact else percent_above(self.value)

    def __str__(self) -> str:
        if not self.percent[0].isdigit():  # "more than" or "less than" something
            return self.percent if self.is_exact else f"possibly {self.percent}"
        if not self.is_exact:
            return f"at most {self.percent}"
        told = Fraction(self.percent.removesuffix("%")) / 100
        return f"{'exactly' if told == self.value else 'about'} {self.percent}"


def percent(value: Fraction) -> str:
    """Return a probability in percent, rounded to the nearest.

    >>> [percent(Fraction(p)) for p in ("1/4", "1/3", "1/7000", "9999/10000", "1/10000000000")]
    ['25%', '33.3%', '0.014%', 'more than 99.9%', 'less than 0.00001%']
    """
    decimals = _decimals(value)
    return _written(math.floor(value * 10 ** (decimals + 2) + Fraction(1, 2)), decimals, value)


def percent_above(value: Fraction) -> str:
    """Return a bound on a probability in percent, rounded up.

    >>> [percent_above(Fraction(p)) for p in ("1/4", "1/3", "1/7000", "9999/10000")]
    ['25%', '33.4%', '0.015%', 'more than 99.9%']
    """
    decimals = _decimals(value)
    return _written(math.ceil(value * 10 ** (decimals + 2)), decimals, value)


def percent_as_given(value: Fraction) -> str:
    """Return a probability that somebody chose, such as a confidence, with all its digits.

    >>> percent_as_given(Fraction(19, 20)), percent_as_given(Fraction(9999, 10000))
    ('95%', '99.99%')
    """
    return f"{float(100 * value):.10g}%"


def _decimals(value: Fraction) -> int:
    """Return how many decimals of a percentage are shown."""
    decimals = 1
    while decimals < MOST_DECIMALS and value * 10 ** (decimals + 1) < 1:
        decimals += 1
    return decimals


def _written(units: int, decimals: int, value: Fraction) -> str:
    """Write so many units of the last decimal, but never 0% or 100% for what is between them."""
    if units == 0 < value:
        return f"less than 0.{'0' * (decimals - 1)}1%"
    if units == 10 ** (decimals + 2) and value < 1:
        return "more than 99.9%"
    whole, rest = divmod(units, 10**decimals)
    return f"{whole}.{rest:0{decimals}}".rstrip("0").rstrip(".") + "%"
