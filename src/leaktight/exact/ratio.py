"""The ratio λ = e^ε: how much likelier an output may be for one neighbour than for another.

A :class:`Ratio` is a rational, or two rationals that enclose it.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational as RationalNumber
from typing import TypeAlias

from flint import arb, fmpq, fmpz

from leaktight.errors import InvalidNumber, expect
from leaktight.exact.bound import Bound
from leaktight.exact.numbers import Number, as_printed, fraction, rational, to_float
from leaktight.exact.rounding import ln, log2, precision
from leaktight.exact.shown import shown, shown_above

LARGEST_EPSILON = 10**6
"""The largest ε whose e^ε is enclosed."""


@dataclass(frozen=True, slots=True, repr=False)
class Ratio(Bound[Fraction]):
    """The privacy ratio λ = e^ε ≥ 1, between two rationals that are equal if it is rational.

    A mechanism is built for ``lower`` and a bound computed for ``upper``, so that both hold for
    the ε that was asked for.

    >>> Ratio.of(epsilon="ln(3/2)").lower
    Fraction(3, 2)
    >>> one = Ratio.of(epsilon=1)
    >>> one.is_exact, float(one.lower), one.epsilon
    (False, 2.718281828459045, 1.0)
    """

    def __post_init__(self) -> None:
        for end in (self.lower, self.upper):
            expect(end, RationalNumber, "Ratio.of(ratio=…) or Ratio.of(epsilon=…) reads one")
        if not 1 <= self.lower <= self.upper:
            raise InvalidNumber(
                f"the ratio e^ε must be at least 1 (ε at least 0), got {shown(self.lower)}"
            )

    @classmethod
    def of(cls, ratio: "RatioLike" = None, epsilon: Number | None = None) -> "Ratio":
        """Read λ from ``ratio``, or from ``epsilon``: a number, ``"ln 2"``, or ``"2 bits"``.

        A ``Ratio`` stays what it is. A float is taken as the decimal number that it prints as:
        ``epsilon=0.1`` is ε = 1/10. In bits, as [Boreale2012]_ has it, ε = log2 λ.

        >>> Ratio.of(epsilon="2 bits").lower, Ratio.of(epsilon="ln(3/2)").lower
        (Fraction(4, 1), Fraction(3, 2))
        """
        if (ratio is None) == (epsilon is None):
            raise InvalidNumber("give exactly one of ratio= and epsilon=")
        if isinstance(ratio, Ratio):
            return ratio
        if ratio is not None:
            exact = fraction(as_printed(ratio))
            return cls(exact, exact)
        logarithm = r"\s*ln\s*(?:\(([^()]+)\)|([^()]+))\s*"
        if isinstance(epsilon, str) and (match := re.fullmatch(logarithm, epsilon)):
            return cls.of(ratio=match[1] or match[2])
        if isinstance(epsilon, str) and (match := re.fullmatch(r"\s*(.+?)\s*bits?\s*", epsilon)):
            bits = _checked(as_printed(match[1]), epsilon)
            return cls(Fraction(2), Fraction(2)).over(fraction(bits), fraction(bits))
        return cls(*_enclose_exp(_checked(as_printed(epsilon), epsilon)))

    @property
    def epsilon(self) -> float:
        """ε = ln λ as a float."""
        return ln((self.lower + self.upper) / 2)

    def over(self, lower: Fraction, upper: Fraction) -> "Ratio":
        """Return λ^d for a distance d between ``lower`` and ``upper``.

        >>> Ratio.of(2).over(Fraction(3), Fraction(3)).lower
        Fraction(8, 1)
        >>> root = Ratio.of(2).over(Fraction(1, 2), Fraction(1, 2))
        >>> root.lower**2 < 2 < root.upper**2, float(root.upper - root.lower) < 1e-18
        (True, True)
        """
        if lower == upper == 1:
            return self
        low, high = (
            _power(end, exponent) for end, exponent in ((self.lower, lower), (self.upper, upper))
        )
        return Ratio(low[0], high[1])

    def allows(self, value: Fraction | float) -> bool:
        """Say whether ``value`` ≤ λ, for a λ that is only enclosed on the safe side.

        >>> Ratio.of(epsilon=1).allows(Fraction(27, 10)), Ratio.of(epsilon=1).allows(3)
        (True, False)
        """
        return value <= self.lower

    def to_dict(self) -> dict[str, str]:
        """Both ends, as a certificate has them."""
        return {
            "lower ratio": str(rational(self.lower)),
            "upper ratio": str(rational(self.upper)),
        }

    def __str__(self) -> str:
        """The ratio is rounded up, like one that is found, so that the two compare as they are."""
        number = shown_above(self.upper)
        if self.is_exact and not number.startswith("≈"):
            return f"{number} (ε = {logarithm(self.upper)})"
        return f"{number} (ε {'≈' if self.is_exact else '='} {self.epsilon:.6g})"


def _checked(exponent: fmpq, given: object) -> fmpq:
    """Return an ε, after a look at its size."""
    if exponent < 0:
        raise InvalidNumber(f"ε must be at least 0, got {given}")
    if exponent > LARGEST_EPSILON:
        raise InvalidNumber(f"ε must be at most a million, got {given}")
    return exponent


def logarithm(ratio: Fraction) -> str:
    """Return ln λ as it is written.

    >>> logarithm(Fraction(3)), logarithm(Fraction(3, 2))
    ('ln 3', 'ln(3/2)')
    """
    return f"ln {ratio}" if ratio.denominator == 1 else f"ln({ratio})"


RatioLike: TypeAlias = Number | Ratio | None
"""What may be given as ``ratio=``; None where ``epsilon=`` is given instead."""


def _enclose_exp(exponent: fmpq) -> tuple[Fraction, Fraction]:
    """Return rationals below and above e^x; their distance from 1 has 64 significant bits."""
    bits = 64 if exponent == 0 else 64 + max(0, -math.floor(log2(exponent)))
    with precision(2 * bits):
        enclosure = arb(exponent).exp()
    with precision(bits):
        low, high = enclosure.lower().fmpq(), enclosure.upper().fmpq()
    return fraction(low), fraction(high)


LARGEST_EXPONENT = 10_000
"""The largest ε times a distance: e to it has 4,300 digits."""

LONGEST_POWER = 256
"""The most bits of a power that is kept as it is."""


def _power(base: Fraction, exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals below and above a power of a number from 1: itself if it is short."""
    if base == 1:
        return base, base
    number, times = rational(base), rational(exponent)
    root = _root(number, exponent.denominator)
    if root is not None and root.height_bits() * times.p <= LONGEST_POWER:
        exact = fraction(root ** int(times.p))
        return exact, exact
    with precision(128):
        size = (arb(number).log() * arb(times)).upper().fmpq()
    if size > LARGEST_EXPONENT:
        raise InvalidNumber(
            f"ε times a distance may be at most {LARGEST_EXPONENT:,}, got {to_float(size):.6g}; "
            "what is so far apart hides nothing: leave it out, or take another unit"
        )
    bits = 64 + max(0, -math.floor(log2(size)))
    with precision(2 * bits + max(0, math.floor(log2(size)))):
        enclosure = (arb(number).log() * arb(times)).exp()
    with precision(bits):
        return fraction(enclosure.lower().fmpq()), fraction(enclosure.upper().fmpq())


def step_ratio(ratio: Fraction, steps: int | Fraction, bits: int = 64) -> Fraction:
    """Return a rational r ≥ 1 with r^steps ≤ ``ratio``: the root itself if it is rational.

    Otherwise it is the root rounded down, with so many bits of its distance from 1.

    >>> step_ratio(Fraction(9, 4), 2), float(step_ratio(Fraction(2), 5))
    (Fraction(3, 2), 1.148698354997035)
    >>> step_ratio(Fraction(2), 5) ** 5 <= 2
    True
    """
    power = 1 / Fraction(steps)
    number = rational(ratio)
    if (root := _root(number, power.denominator)) is not None:
        return fraction(root) ** power.numerator
    exponent = rational(power)
    # ln λ ≥ (λ − 1)/λ: at least so far is the root from 1.
    places = bits + max(0, -math.floor(log2((number - 1) / number * exponent)))
    with precision(2 * places):
        enclosure = (arb(number).log() * arb(exponent)).exp()
    with precision(places):
        return fraction(enclosure.lower().fmpq())


def _root(number: fmpq, degree: int) -> fmpq | None:
    """Return the root of a number from 1 on, if it is rational."""
    if degree > number.height_bits() and number != 1:
        return None
    roots = [fmpz(part).root(degree) for part in (number.p, number.q)]
    found = fmpq(*roots)
    return found if found**degree == number else None
