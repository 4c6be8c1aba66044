"""Real algebraic numbers, held exactly: where a polynomial changes its sign.

An :class:`AlgebraicNumber` is a root of an irreducible integer polynomial between two rationals
that enclose no other of its roots. flint isolates the roots; bisection tells any two apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, lru_cache, total_ordering
from typing import Any

from flint import fmpq, fmpz_poly

from leaktight.exact.bound import Bound
from leaktight.exact.numbers import fraction, rational, to_float


@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AlgebraicNumber(Bound[Fraction]):
    """The root of ``polynomial`` between ``lower`` and ``upper``, equal if it is rational.

    ``polynomial`` is irreducible, its coefficients given from the constant one.

    >>> root = roots_above_one(fmpz_poly([-2, 0, 1]))[0]
    >>> root, root > Fraction(7, 5), root < 2
    (1.41421 (root of λ^2 − 2), True, True)
    """

    polynomial: tuple[int, ...]

    @classmethod
    def of(cls, value: Fraction | int) -> "AlgebraicNumber":
        """A rational number as an algebraic one."""
        exact = Fraction(value)
        return cls(exact, exact, (-exact.numerator, exact.denominator))

    @property
    def is_rational(self) -> bool:
        """Whether the number is rational, and so equal to ``lower`` and ``upper``."""
        return len(self.polynomial) == 2

    def halved(self) -> "AlgebraicNumber":
        """The same number between rationals half as far apart."""
        if self.is_rational:
            return self
        middle = (self.lower + self.upper) / 2
        polynomial = fmpz_poly(list(self.polynomial))
        below = polynomial(rational(middle)) * polynomial(rational(self.upper)) > 0
        lower, upper = (self.lower, middle) if below else (middle, self.upper)
        return AlgebraicNumber(lower, upper, self.polynomial)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AlgebraicNumber | Fraction | int):
            return NotImplemented
        return _compare(self, other) == 0

    def __lt__(self, other: "AlgebraicNumber | Fraction | int") -> bool:
        return _compare(self, other) < 0

    def __hash__(self) -> int:
        return hash(self.polynomial)

    def __float__(self) -> float:
        number = self
        while not number.is_rational and float(number.lower) != float(number.upper):
            number = number.halved()
            if number.upper - number.lower < number.lower / 2**60:
                break
        return to_float(rational((number.lower + number.upper) / 2))

    def __repr__(self) -> str:
        if self.is_rational:
            return str(self.lower)
        return f"{float(self):.6g} (root of {polynomial_text(fmpz_poly(list(self.polynomial)))})"


def _compare(a: AlgebraicNumber, b: AlgebraicNumber | Fraction | int) -> int:
    if not isinstance(b, AlgebraicNumber):
        b = AlgebraicNumber.of(b)
    if a.polynomial == b.polynomial and (a.is_rational or _same_root(a, b)):
        return 0
    while not (a.upper < b.lower or b.upper < a.lower):
        a, b = a.halved(), b.halved()
    return -1 if a.upper < b.lower else 1


def _same_root(a: AlgebraicNumber, b: AlgebraicNumber) -> bool:
    """Whether the common part of two isolating intervals of one polynomial holds a root."""
    lower, upper = max(a.lower, b.lower), min(a.upper, b.upper)
    polynomial = fmpz_poly(list(a.polynomial))
    return lower < upper and bool(polynomial(rational(lower)) * polynomial(rational(upper)) < 0)


def roots_above_one(polynomial: fmpz_poly) -> list[AlgebraicNumber]:
    """Return the real roots above 1 of a polynomial that is not 0, in order, each once.

    >>> roots_above_one(fmpz_poly([-3, 1]) * fmpz_poly([-2, 0, 1]) ** 2)
    [1.41421 (root of λ^2 − 2), 3]
    """
    _, factors = polynomial.factor()
    found = [root for factor, _ in factors for root in _roots(tuple(map(int, factor.coeffs())))]
    return sorted(found)


def in_order(numbers: Iterable[AlgebraicNumber]) -> list[AlgebraicNumber]:
    """Return distinct numbers in increasing order."""
    kept: list[AlgebraicNumber] = []
    for number in sorted(numbers, key=cmp_to_key(_compare)):
        if not kept or kept[-1] != number:
            kept.append(number)
    return kept


@lru_cache(maxsize=4096)
def _roots(coefficients: tuple[int, ...]) -> tuple[AlgebraicNumber, ...]:
    """The roots above 1 of an irreducible polynomial."""
    polynomial = fmpz_poly(list(coefficients))
    signs = [c > 0 for c in polynomial(fmpz_poly([1, 1])).coeffs() if c]
    if len(set(signs)) < 2:  # Descartes' rule for the polynomial moved by 1
        return ()
    if polynomial.degree() == 1:
        root = Fraction(-coefficients[0], coefficients[1])
        return (AlgebraicNumber(root, root, coefficients),)
    found = []
    isolated: Any = polynomial.complex_roots()
    for root, _ in isolated:
        if root.imag == 0:
            low, high = (fraction(e.fmpq()) for e in (root.real.lower(), root.real.upper()))
            number = AlgebraicNumber(low, high, coefficients)
            if number > 1:
                found.append(number)
    return tuple(found)


def rational_between(lower: AlgebraicNumber, upper: AlgebraicNumber | None) -> Fraction:
    """Return a rational of few digits strictly between two numbers; None is infinity.

    >>> root = roots_above_one(fmpz_poly([-2, 0, 1]))[0]
    >>> rational_between(AlgebraicNumber.of(1), root), rational_between(root, None)
    (Fraction(4, 3), Fraction(2, 1))
    """
    if upper is None:
        return Fraction(int(lower.upper) + 1)
    while not lower.upper < upper.lower:
        lower, upper = lower.halved(), upper.halved()
    middle = (lower.upper + upper.lower) / 2
    size = 1
    while not lower.upper < (near := middle.limit_denominator(size)) < upper.lower:
        size += 1 + size // 4
    return near


def polynomial_text(polynomial: fmpz_poly) -> str:
    """Write a polynomial in λ as a person does.

    >>> polynomial_text(fmpz_poly([1, -3, 0, 2]))
    '2λ^3 − 3λ + 1'
    """
    terms = list[str]()
    for power, c in reversed(list(enumerate(map(int, polynomial.coeffs())))):
        if c:
            symbol = "" if power == 0 else "λ" if power == 1 else f"λ^{power}"
            size = str(abs(c)) if abs(c) != 1 or not symbol else ""
            sign = ("−" if c < 0 else "") if not terms else (" − " if c < 0 else " + ")
            terms.append(f"{sign}{size}{symbol}")
    return "".join(terms) or "0"


def sign_at(polynomial: fmpz_poly, ratio: fmpq) -> int:
    """Return the sign of a polynomial at a rational: −1, 0 or 1."""
    value = polynomial(ratio)
    return (value > 0) - (value < 0)
