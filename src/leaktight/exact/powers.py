"""Numbers like λ^17,000,000, exactly: products of powers of rationals.

A bound for n independent records is an n-th power, far too long to be written out. Kept as a
product, its logarithm and its order among others are found without multiplying.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any

from flint import arb, ctx, fmpq, fmpq_poly, fmpz

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.bound import InBits
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import nearest_float, outward
from leaktight.exact.shown import MAGNITUDE, counted, shown_above
from leaktight.limits import allowed

LONGEST = 2**27
"""The longest number that is multiplied out, in 16 MB."""

WRITTEN = 100
"""The longest that is written out, in bits, if it is shorter than its factors are."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Powers(InBits):
    """The positive number Π base^exponent, exact and never multiplied out unless asked for.

    >>> million = Powers.of((Fraction(4, 3), 1_000_000))
    >>> million.bits_interval
    (415037.4992788438, 415037.49927884387)
    >>> (million / Powers.of((Fraction(4, 3), 999_998))).value
    Fraction(16, 9)
    >>> million > 2**415_037
    True
    """

    factors: tuple[tuple[Fraction, int], ...]

    def __post_init__(self) -> None:
        for base, exponent in self.factors:
            if not base > 0:
                raise InvalidNumber(f"a power needs a base above 0, got ({base})^{exponent}")

    @classmethod
    def of(cls, *factors: tuple[Any, int]) -> "Powers":
        """Return the product of powers of positive rationals, equal bases joined."""
        joined: dict[Fraction, int] = {}
        for given, exponent in factors:
            base = given if isinstance(given, Fraction) else fraction(rational(given))
            joined[base] = joined.get(base, 0) + exponent
        return cls(tuple((base, e) for base, e in joined.items() if e and base != 1))

    @classmethod
    def of_sum(cls, base: Any, terms: Iterable[tuple[Any, int]]) -> "Powers":
        """Return Σ c·base^e over the ``terms`` (c, e), with the least power taken out.

        >>> print(Powers.of_sum(2, [(1, 1_000_000), (3, 1_000_001)]))
        2^1000000 · 7
        """
        totals: dict[int, fmpq] = {}
        for coefficient, exponent in terms:
            totals[exponent] = totals.get(exponent, fmpq(0)) + rational(coefficient)
        least, most = min(totals), max(totals)
        rest = fmpq_poly([totals.get(e, 0) for e in range(least, most + 1)])
        return cls.of((base, least), (rest(rational(base)), 1))

    def __mul__(self, other: "Powers") -> "Powers":
        return Powers.of(*self.factors, *other.factors)

    def __pow__(self, exponent: int) -> "Powers":
        return Powers.of(*((base, e * exponent) for base, e in self.factors))

    def __truediv__(self, other: "Powers") -> "Powers":
        return self * other**-1

    @property
    def length(self) -> int:
        """How many bits the numerator and the denominator have at most."""
        sizes = ((max(b.numerator, b.denominator).bit_length(), abs(e)) for b, e in self.factors)
        return sum(size * times for size, times in sizes)

    @property
    def value(self) -> Fraction:
        """The number itself, if it can be written out."""
        if self.length > allowed(LONGEST):
            raise TooLarge(
                f"the number has up to {counted(self.length, 'bit', 'bits')}, more than "
                f"{allowed(LONGEST):,}; its logarithm .bits and its .factors are at hand"
            )
        return fraction(math.prod((rational(b) ** e for b, e in self.factors), start=fmpq(1)))

    def counted(self, one: str, many: str) -> str:
        """Return a whole number with its noun, as a person reads it, never written out.

        >>> Powers.of((6, 2)).counted("vertex", "vertices")
        '36 vertices'
        >>> Powers.of((6, 10**9)).counted("vertex", "vertices")
        'about 10^778151250 vertices'
        """
        if self < MAGNITUDE:
            return counted(int(self.value), one, many)
        return f"about 10^{nearest_float(lambda: self._ln() / arb(10).log()):.0f} {many}"

    @property
    def bits_interval(self) -> tuple[float, float]:
        """log2 of the number, rounded down and up."""
        return outward(self._log2)

    @property
    def nats(self) -> float:
        """The natural logarithm of the number, rounded up."""
        return outward(self._ln)[1]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Powers | Fraction | int):
            return NotImplemented
        if not isinstance(other, Powers) and other <= 0:
            return False
        return (self / as_powers(other))._side() == 0

    def __lt__(self, other: "Powers | Fraction | int") -> bool:
        if not isinstance(other, Powers) and other <= 0:
            return False
        return (self / as_powers(other))._side() < 0

    def __hash__(self) -> int:
        """Hash the logarithm, rounded so coarsely that equal numbers agree."""
        with ctx.workprec(256):
            return hash(float(self._log2().mid()))

    def __str__(self) -> str:
        # Python refuses to write integers of more than 4300 digits; flint does not.
        return self._joined(lambda base: str(rational(base)))

    def __repr__(self) -> str:
        return f"Powers({self.shown()})"

    def shown(self) -> str:
        """Return it as a person reads it, rounded up, short however long its bases are."""
        return self._joined(shown_above)

    def _joined(self, text: Callable[[Fraction], str]) -> str:
        bases = [(text(base) if e == 1 else _base(text(base)), e) for base, e in self.factors]
        joined = " · ".join(f"{base}^{e}" if e != 1 else base for base, e in bases) or "1"
        if self.length > WRITTEN:
            return joined
        return min(str(self.value), joined, key=len)

    def _ln(self) -> arb:
        return sum((e * arb(rational(b)).log() for b, e in self.factors), start=arb(0))

    def _log2(self) -> arb:
        return sum((e * arb(rational(b)).log_base(2) for b, e in self.factors), start=arb(0))

    def _side(self) -> int:
        """Return −1, 0 or 1 as the number is below, equal to or above 1.

        If it is not 1, its logarithm shows the side at some precision.
        """
        bits = 128
        while True:
            with ctx.workprec(bits):
                log = self._log2()
                if log < 0 or log > 0:
                    return 1 if log > 0 else -1
            if bits == 128 and not self._coprime():
                return 0
            bits *= 2

    def _coprime(self) -> dict[int, int]:
        """Return the same number as integer bases without common divisors, and exponents not 0.

        The number is 1 only if there are none.
        """
        settled: dict[int, int] = {}
        waiting = [(fmpz(b.numerator), e) for b, e in self.factors]
        waiting += [(fmpz(b.denominator), -e) for b, e in self.factors]
        while waiting:
            base, exponent = waiting.pop()
            if base == 1 or not exponent:
                continue
            for known in settled:
                if (common := base.gcd(known)) != 1:
                    (rest, here), (left, there) = _split(base, common), _split(fmpz(known), common)
                    times = settled.pop(known)
                    waiting += [(rest, exponent), (left, times)]
                    waiting.append((common, exponent * here + times * there))
                    break
            else:
                settled[int(base)] = exponent
        return settled


@dataclass(frozen=True, slots=True)
class PowerSum(InBits):
    """The number Σ c·(a product of powers), each c above 0, if it is from 1 up.

    >>> half = PowerSum(((Fraction(1, 2), Powers.of((2, 10))), (Fraction(1, 2), Powers.of((3, 2)))))
    >>> half.value, half.shown()
    (Fraction(1033, 2), '1/2 · 1024 + 1/2 · 9')
    """

    terms: tuple[tuple[Fraction, Powers], ...]

    @property
    def value(self) -> Fraction:
        """The number itself, if it can be written out."""
        return sum((c * powers.value for c, powers in self.terms), Fraction(0))

    @property
    def bits_interval(self) -> tuple[float, float]:
        """log2 of the number, rounded down and up, however long its powers are."""
        low, high = outward(lambda: self._ball().log() / arb.const_log2())
        return max(low, 0.0), max(high, 0.0)

    def _ball(self) -> arb:
        total = arb(0)
        for c, powers in self.terms:
            product = arb(rational(c))
            for base, exponent in powers.factors:
                product *= arb(rational(base)) ** exponent
            total += product
        return total

    def shown(self) -> str:
        """Return it as a person reads it, rounded up."""
        each = ((shown_above(c), powers.shown()) for c, powers in self.terms)
        return " + ".join(product if c == "1" else f"{c} · {product}" for c, product in each)


def _base(text: str) -> str:
    return text if text.isdigit() else f"({text})"


def as_powers(number: Powers | Fraction | int) -> Powers:
    """Return a positive number as a product of powers."""
    return number if isinstance(number, Powers) else Powers.of((number, 1))


def _split(number: fmpz, divisor: fmpz) -> tuple[fmpz, int]:
    """Return r and k with number = r·divisor^k and the largest k, in about log k divisions."""
    times, powers = 0, [divisor]
    while number % powers[-1] == 0:
        powers.append(powers[-1] ** 2)
    for k, power in reversed(list(enumerate(powers))):
        if number % power == 0:
            number, times = number // power, times + 2**k
    return number, times
