"""How are numbers kept so that a claim about privacy is never approximate?

Exact numbers are ``flint.fmpq`` inside and ``fractions.Fraction`` at the public edge. Logarithms
come out correctly rounded, or as an interval rounded outward. The few tolerances of the package
are the fields of :data:`TOLERANCES`.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational as RationalNumber
from threading import RLock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, ctx, fmpq, fmpz

from leaktight.errors import InvalidNumber

Number: TypeAlias = int | float | str | Fraction | Decimal
"""What a user may write for a number; a ``float`` is approximate, everything else exact."""

Value: TypeAlias = Fraction | float
"""A number as users see it: exact, or a float."""

Array: TypeAlias = npt.NDArray[Any]
"""An array of ``float64``, or of objects that are ``fmpq``."""


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The only tolerances of the package. None of them decides a claim about privacy."""

    total: float = 1e-12
    """How far floating-point probabilities may sum from 1 by rounding."""

    proportional: float = 1e-13
    """How far, relatively, floats may differ by rounding that were computed in different ways."""

    entry: float = 1e-9
    """How far two floating-point probabilities may differ and count as the same number."""

    solver: float = 1e-10
    """How far the LP solver may let a constraint be violated; HiGHS knows no smaller number."""

    capacity_gap: float = 1e-9
    """The width in bits at which the iteration for a capacity stops."""


TOLERANCES = Tolerances()


# --- rationals -----------------------------------------------------------------------------


def rational(value: object) -> fmpq:
    """Return the exact number that ``value`` says; a float stands for its exact binary value.

    >>> rational("1/3") + rational("0.25")
    7/12
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, int | fmpz):
        return fmpq(int(value))
    if isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise InvalidNumber(f"a number must be finite, got {value!r}")
        return fmpq(*float(value).as_integer_ratio())
    if isinstance(value, str):
        return _parse(value)
    if isinstance(value, Decimal):
        return _parse(str(value))
    if isinstance(value, RationalNumber | np.integer):
        return fmpq(int(value.numerator), int(value.denominator))
    raise InvalidNumber(f"expected a number such as 1, '1/3' or '0.25', got {value!r}")


def as_printed(value: object) -> fmpq:
    """Return the number that was written; a float stands for the decimal number it prints as.

    >>> as_printed(0.1), rational(0.1) == as_printed(0.1)
    (1/10, False)
    """
    return rational(repr(float(value)) if isinstance(value, float | np.floating) else value)


_FRACTION = re.compile(r"([+-]?\d+)/(\d+)")
_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?")


def _parse(text: str) -> fmpq:
    """Read a fraction or a decimal number of any length; ``Fraction`` stops at 4300 digits."""
    written = text.strip()
    if match := _FRACTION.fullmatch(written):
        if not match[2].strip("0"):
            raise InvalidNumber(f"the denominator must not be 0, got {text!r}")
        return fmpq(fmpz(match[1].removeprefix("+")), fmpz(match[2]))
    match = _DECIMAL.fullmatch(written)
    if not match or not (match[2] or match[3]):
        raise InvalidNumber(f"expected a number such as '1/3' or '0.25', got {text[:40]!r}")
    exponent = int(match[4] or 0)
    if abs(exponent) > 10**6:
        raise InvalidNumber(f"an exponent must be at most a million, got {text[:40]!r}")
    after = match[3] or ""
    digits = fmpq(fmpz(match[2] + after)) * fmpq(10) ** (exponent - len(after))
    return -digits if match[1] == "-" else digits


@RationalNumber.register
class _LowestTerms:
    """A number that ``Fraction`` takes over as it is: its own gcd takes seconds for (4/3)^10^6."""

    __slots__ = ("denominator", "numerator")

    def __init__(self, value: fmpq) -> None:
        self.numerator, self.denominator = int(value.p), int(value.q)


def fraction(value: fmpq) -> Fraction:
    """Return ``value`` as the standard library's ``Fraction``."""
    return Fraction(_LowestTerms(value))  # type: ignore[call-overload]


def public(value: Any) -> Value:
    """Return a number of an :data:`Array` as users see it: a ``Fraction`` or a ``float``."""
    return fraction(value) if isinstance(value, fmpq) else float(value)


def shown(value: Any) -> str:
    """Return a number as a person reads it, short however long it is.

    >>> shown(Fraction(4, 3)), shown(Fraction(4, 3) ** 50), shown(Fraction(4, 3) ** 10**6)
    ('4/3', '≈1.76578e+06', '≈2^415037')
    """
    if not isinstance(value, fmpq | Fraction | int):
        return f"{value:.6g}"
    number = rational(value)
    if number.height_bits() <= 40:
        return str(number)
    near = abs(to_float(number))
    if number != 0 and not 2.0**-1000 < near < 2.0**1000:
        return f"≈{'-' if number < 0 else ''}2^{log2(abs(number)):.6g}"
    return f"≈{to_float(number):.6g}"


def is_exact(array: Array) -> bool:
    """Say whether the numbers of ``array`` are exact rationals."""
    return array.dtype == object


def read_numbers(values: Iterable[object]) -> Array:
    """Read a row of numbers: exact if all of them are, ``float64`` otherwise.

    >>> read_numbers([1, "1/3"])
    array([1, 1/3], dtype=object)
    >>> read_numbers([1, 0.5])
    array([1. , 0.5])
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidNumber("every number must be there, got an array with masked entries")
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return values.astype(np.float64)
    row = values.tolist() if isinstance(values, np.ndarray) else list(values)
    kinds = set(map(type, row))
    if kinds <= {float, np.float64}:
        return np.array(row, dtype=np.float64)
    if any(issubclass(kind, float | np.floating) for kind in kinds):
        numbers = [v if isinstance(v, float) else to_float(rational(v)) for v in row]
        return np.array(numbers, dtype=np.float64)
    return exact_array(row)


def exact_array(values: Iterable[object]) -> Array:
    """Return a flat array of ``fmpq``."""
    numbers = [v if isinstance(v, fmpq) else rational(v) for v in values]
    array = np.empty(len(numbers), dtype=object)
    array[:] = numbers
    return array


def float_array(array: Array) -> npt.NDArray[np.float64]:
    """Return ``array`` with every number rounded to the nearest float."""
    if not is_exact(array):
        return array
    flat = [to_float(v) for v in array.ravel()]
    return np.array(flat, dtype=np.float64).reshape(array.shape)


def total(numbers: Array) -> Any:
    """Return the sum of a flat array: exact, or correctly rounded for floats."""
    return numbers.sum() if is_exact(numbers) else math.fsum(numbers.tolist())


# --- floats, rounded as asked --------------------------------------------------------------


def to_float(value: fmpq) -> float:
    """Return the float nearest to ``value``; beyond the largest float, infinity."""
    try:
        return float(value)  # correctly rounded: the true division of two integers
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def float_below(value: fmpq) -> float:
    """Return the largest float that is at most ``value``."""
    near = to_float(value)
    if near == -math.inf or (near != math.inf and rational(near) <= value):
        return near
    return math.nextafter(near, -math.inf)


def float_above(value: fmpq) -> float:
    """Return the smallest float that is at least ``value``."""
    return 0.0 - float_below(-value)


_PRECISION = RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute balls with so many bits; flint keeps the precision for all threads together."""
    with _PRECISION, ctx.workprec(bits):
        yield


def nearest_float(ball: Callable[[], arb]) -> float:
    """Return the float nearest to the number that ``ball`` encloses ever more tightly.

    ``ball`` is evaluated at growing precision until both ends of the enclosure round alike. A
    number exactly between two floats would never get there, so the precision is capped where
    the choice between the two no longer matters.
    """
    for bits in _growing():
        with precision(bits):
            enclosure = ball()
            if not enclosure.is_finite():
                continue
            low, high = to_float(enclosure.lower().fmpq()), to_float(enclosure.upper().fmpq())
        if low == high or bits >= 4096:
            return low + 0.0  # 0.0 rather than -0.0
    raise AssertionError("unreachable")


def outward(ball: Callable[[], arb]) -> tuple[float, float]:
    """Return two floats that enclose the number that ``ball`` encloses, at most two ulps apart.

    Only a number that is 0, or too near to it to be told apart, may be enclosed less tightly.
    """
    for bits in _growing():
        with precision(bits):
            enclosure = ball()
            if not enclosure.is_finite():
                continue
            low = float_below(enclosure.lower().fmpq())
            high = float_above(enclosure.upper().fmpq())
        if high <= math.nextafter(math.nextafter(low, math.inf), math.inf) or bits >= 4096:
            return low, high
    raise AssertionError("unreachable")


def _growing() -> Iterator[int]:
    """Yield precisions that double; a ball that is infinite at all of them is refused."""
    bits = 128
    while bits <= 2**16:
        yield bits
        bits *= 2
    raise InvalidNumber("the number cannot be computed: it is too large or too close to a limit")


# --- numbers in sentences ------------------------------------------------------------------


def counted(count: int | float, one: str, many: str) -> str:
    """Return a number with its noun, as a person reads it: beyond 10^15 only its magnitude.

    >>> counted(1, "edge", "edges"), counted(12870, "edge", "edges")
    ('1 edge', '12,870 edges')
    >>> counted(50**1000, "vertex", "vertices")
    'about 10^1699 vertices'
    """
    if count < 10**15:
        return f"{count:,} {one if count == 1 else many}"
    return f"about 10^{math.log10(count):.0f} {many}"


# --- logarithms ----------------------------------------------------------------------------


def log2(value: object) -> float:
    """Return the binary logarithm of a positive rational, correctly rounded.

    >>> log2("4/3")
    0.4150374992788438
    >>> log2(2**5000), log2(Fraction(1, 10**400))
    (5000.0, -1328.771237954945)
    """
    number = _positive(value)
    return nearest_float(lambda: arb(number).log_base(2))


def ln(value: object) -> float:
    """Return the natural logarithm of a positive rational, correctly rounded.

    >>> ln(2)
    0.6931471805599453
    """
    number = _positive(value)
    return nearest_float(lambda: arb(number).log())


def log2_interval(value: object) -> tuple[float, float]:
    """Return floats below and above the binary logarithm of a positive rational."""
    number = _positive(value)
    return outward(lambda: arb(number).log_base(2))


def ln_interval(value: object) -> tuple[float, float]:
    """Return floats below and above the natural logarithm of a positive rational."""
    number = _positive(value)
    return outward(lambda: arb(number).log())


def _positive(value: object) -> fmpq:
    number = rational(value)
    if number <= 0:
        raise InvalidNumber(f"a logarithm needs a number above 0, got {number}")
    return number
