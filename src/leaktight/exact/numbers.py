"""Numbers kept so that a claim about privacy is never approximate.

Exact numbers are ``flint.fmpq`` inside and ``fractions.Fraction`` at the public edge.
"""

import math
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import starmap
from numbers import Rational as RationalNumber
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from leaktight.errors import InvalidNumber

Number: TypeAlias = int | float | str | Fraction | Decimal
"""What a user may write for a number; a ``float`` is approximate, everything else exact."""

Value: TypeAlias = Fraction | float
"""A number as users see it: exact, or a float."""

Array: TypeAlias = npt.NDArray[Any]
"""An array of ``float64``, or of objects that are ``fmpq``."""

SMALLEST = 2.0**-1022
"""The smallest positive float that has all its digits."""


def rational(value: object) -> fmpq:
    """Return the exact number that ``value`` says; a float stands for its exact binary value.

    >>> rational("1/3") + rational("0.25")
    7/12
    """
    return (_READ.get(type(value)) or _reader(type(value), value))(value)


def _reader(kind: type, value: object) -> Callable[[Any], fmpq]:
    """Return how numbers of a kind that is seldom met are read."""
    for known, read in _READ.items():
        if issubclass(kind, known):
            return read
    raise InvalidNumber(f"expected a number such as 1, '1/3' or '0.25', got {value!r}")


def _of_float(value: Any) -> fmpq:
    if not math.isfinite(value):
        raise InvalidNumber(f"a number must be finite, got {value!r}")
    return fmpq(*value.as_integer_ratio())


def _of_parts(value: Any) -> fmpq:
    return fmpq(int(value.numerator), int(value.denominator))


_READ: dict[type, Callable[[Any], fmpq]] = {
    fmpq: lambda value: value,
    int: lambda value: fmpq(int(value)),
    fmpz: fmpq,
    Fraction: lambda value: fmpq(value.numerator, value.denominator),
    str: lambda value: _parse(value),
    float: _of_float,
    np.float64: _of_float,
    np.floating: _of_float,
    Decimal: lambda value: _parse(str(value)),
    RationalNumber: _of_parts,
    np.integer: _of_parts,
}
"""How each kind of number is read."""


def as_printed(value: object) -> fmpq:
    """Return the number that was written; a float stands for the decimal number it prints as.

    >>> as_printed(0.1), rational(0.1) == as_printed(0.1)
    (1/10, False)
    """
    return rational(repr(float(value)) if isinstance(value, float | np.floating) else value)


SHORT = 40
"""Texts of fewer letters are read by Python: quicker, but no more than 4300 digits."""

_FRACTION = re.compile(r"([+-]?\d+)/(\d+)", re.ASCII)
_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?", re.ASCII)


def _parse(text: str) -> fmpq:
    """Read a fraction or a decimal number of any length; ``Fraction`` stops at 4300 digits."""
    above, _, below = text.partition("/")
    if above.isdigit() and below.isdigit() and text.isascii() and len(text) < SHORT:
        try:
            return fmpq(int(above), int(below))
        except ZeroDivisionError:
            raise InvalidNumber(f"the denominator must not be 0, got {text!r}") from None
    written = text.strip()
    if match := _FRACTION.fullmatch(written):
        if not match[2].strip("0"):
            raise InvalidNumber(f"the denominator must not be 0, got {text!r}")
        if len(written) < SHORT:
            return fmpq(int(match[1]), int(match[2]))
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
    """Return an entry of an exact array, such as a channel's matrix, as a ``Fraction``.

    >>> fraction(rational("2/6"))
    Fraction(1, 3)
    """
    try:
        if value.height_bits() < LONG:
            return Fraction(int(value.p), int(value.q))
        return Fraction(_LowestTerms(value))  # type: ignore[call-overload]
    except AttributeError:
        raise InvalidNumber(f"expected an exact number, got {value!r:.60}") from None


def public(value: Any) -> Value:
    """Return a number of an :data:`Array` as users see it: a ``Fraction`` or a ``float``."""
    return fraction(value) if isinstance(value, fmpq) else float(value)


def is_exact(array: Array) -> bool:
    """Say whether the numbers of ``array`` are exact rationals."""
    return array.dtype.hasobject


def read_numbers(values: Iterable[object]) -> Array:
    """Read a row of numbers: exact if all of them are, ``float64`` otherwise.

    >>> read_numbers([1, "1/3"])
    array([1, 1/3], dtype=object)
    >>> read_numbers([1, 0.5])
    array([1. , 0.5])

    Exact numbers beside floats become floats by :func:`kept_float`.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidNumber("every number must be there, got an array with masked entries")
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return float64(values)
    row = values.tolist() if isinstance(values, np.ndarray) else list(values)
    kinds = set(map(type, row))
    if kinds <= {float, np.float64}:
        return np.array(row, dtype=np.float64)
    if kinds == {fmpq}:
        return objects(row)
    if kinds == {Fraction}:
        return objects(starmap(fmpq, map(Fraction.as_integer_ratio, row)))
    if kinds <= {int, str}:  # few of which differ, often
        known = {v: rational(v) for v in set(row)}
        return objects(map(known.__getitem__, row))
    if any(issubclass(kind, float | np.floating) for kind in kinds):
        return np.array([kept_float(v) for v in row], dtype=np.float64)
    return exact_array(row)


def exact_array(values: Iterable[object]) -> Array:
    """Return an array of ``fmpq``, of the shape of an array that is given, otherwise flat."""
    flat = values.ravel() if isinstance(values, np.ndarray) else values
    array = objects([v if type(v) is fmpq else rational(v) for v in flat])
    return array.reshape(values.shape) if isinstance(values, np.ndarray) else array


def objects(values: Iterable[object]) -> Array:
    """Return a flat array of any objects, such as ``fmpz``, none of which is taken apart."""
    return np.fromiter(values, dtype=object)


LONG = 256
"""The bits of a number from which it is quicker to look whether it was converted already."""


def float_array(array: Array) -> npt.NDArray[np.float64]:
    """Return ``array`` with every number rounded to the nearest float."""
    if not is_exact(array):
        return array
    flat = array.ravel().tolist()
    if all(v.height_bits() < LONG for v in flat[:: len(flat) // 16 + 1]):
        try:
            return array.astype(np.float64)
        except OverflowError:
            return np.array(list(map(to_float, flat))).reshape(array.shape)
    # Mechanisms repeat a few long numbers a million times, as the same objects.
    near = {key: to_float(v) for key, v in dict(zip(map(id, flat), flat, strict=True)).items()}
    return np.array([near[id(v)] for v in flat], dtype=np.float64).reshape(array.shape)


def largest(array: Array) -> Any:
    """Return the largest of some numbers from 0 up; floats say which it may be.

    >>> largest(exact_array(["1/3", "1/2", "1/4"]))
    1/2
    """
    near = float_array(array)
    return max(array[near >= (1 - 2.0**-40) * near.max()].tolist())


def float64(array: Array) -> npt.NDArray[np.float64]:
    """Return a copy of an array of floats of any size, in the same memory order."""
    with np.errstate(over="ignore"):
        near = np.array(array, dtype=np.float64)
    return kept(near, near != array)


def kept_float(value: object) -> float:
    """Return the float nearest to a number, which must not vanish or lose digits by its size.

    >>> kept_float("1/4"), kept_float(0)
    (0.25, 0.0)
    >>> kept_float(fmpq(1, 10**400))
    Traceback (most recent call last):
    leaktight.errors.InvalidNumber: a number is too small for a float; use .exact(), or only texts
    """
    if isinstance(value, float):
        return value
    number = rational(value)
    near = to_float(number)
    if abs(near) < SMALLEST and rational(near) != number:
        raise _too_small(value if isinstance(value, str) else "a number")
    return near


def kept_floats(array: Array) -> npt.NDArray[np.float64]:
    """Return ``array`` with :func:`kept_float` of every number."""
    if not is_exact(array):
        return array
    flat = [kept_float(v) for v in array.ravel()]
    return np.array(flat, dtype=np.float64).reshape(array.shape)


def kept(numbers: Array, *factors: Array) -> Array:
    """Return what was computed in floats, unless some of it vanished or lost digits by its size.

    Below 2^-1022 a float has few digits or none, and two of them a ratio that is not that of the
    numbers they stand for. So a float there must be a true 0: one of its ``factors`` is 0.

    >>> small = np.array([0.0, 1e-200])
    >>> kept(small * 1e-100, small)
    array([0.e+000, 1.e-300])
    >>> kept(small * small, small, small)
    Traceback (most recent call last):
    leaktight.errors.InvalidNumber: a number is too small for a float; use .exact(), or only texts
    """
    if is_exact(numbers) or numbers.min(initial=1.0) >= SMALLEST:
        return numbers
    lost = np.abs(numbers) < SMALLEST
    for factor in factors:
        lost &= factor != 0
    if lost.any():
        raise _too_small("a number")
    return numbers


def _too_small(what: str) -> InvalidNumber:
    """Return the refusal: a ratio to this number, so a privacy level, would be lost."""
    return InvalidNumber(f"{what:.40} is too small for a float; use .exact(), or only texts")


def whole_numbers(array: Array) -> tuple[Array, fmpq]:
    """Return exact probabilities as whole numbers over a common denominator, and one over that.

    They sum to at most 1, so the numbers fit into ``int64``, even if each is multiplied by its
    place; where the denominator is too large for that, the array itself and 1 are returned.

    >>> whole_numbers(exact_array(["1/2", "1/3", "1/6"]))
    (array([3, 2, 1]), 1/6)
    """
    # Most priors repeat a few numbers, as the same objects.
    keys = np.fromiter(map(id, array), np.int64, len(array))
    first, which = np.zeros(1, np.intp), np.zeros(len(array), np.intp)
    if (keys != keys[0]).any():  # not uniform
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    distinct = array[first]
    below = 1
    for denominator in {int(v.q) for v in distinct}:
        below = math.lcm(below, denominator)
        if below * (len(array) + 1) >= 2**63:
            return array, fmpq(1)
    return np.array([int(v.p) * (below // int(v.q)) for v in distinct])[which], fmpq(1, below)


def over_common(numbers: Array) -> tuple[Array, fmpz]:
    """Return exact numbers as ``fmpz`` over their least common denominator, and that.

    >>> over_common(exact_array(["1/2", "1/3"]))
    (array([3, 2], dtype=object), 6)
    """
    below = reduce(fmpz.lcm, (v.q for v in numbers.flat), fmpz(1))
    above = objects(v.p * (below // v.q) for v in numbers.flat)
    return above.reshape(numbers.shape), below


def total(numbers: Array) -> Any:
    """Return the sum of a flat array: exact, or correctly rounded for floats."""
    return numbers.sum() if is_exact(numbers) else math.fsum(numbers.tolist())


BEYOND = "the product of so many floats is beyond the floats; use .exact()"


def product_of_powers(factors: Iterable[tuple[Any, int]]) -> Any:
    """Return Π base^times of exact numbers or floats; floats must not overflow or vanish."""
    powers = list(factors)
    if any(isinstance(base, float) for base, _ in powers):
        powers = [(float(base), times) for base, times in powers]
    try:
        whole = math.prod(base**times for base, times in powers)
    except OverflowError:
        whole = math.inf
    if isinstance(whole, float) and not SMALLEST < whole < math.inf:
        raise InvalidNumber(BEYOND)
    return whole


VERY_LONG = 2048
"""From so many bits on, the first bits of a number are looked at before it is divided out."""


def _nearest_of_long(value: fmpq) -> float | None:
    """Return the float nearest to a long number, if its first 128 bits tell which it is."""
    above, below = value.p, value.q
    if is_negative := above < 0:
        above = -above
    cuts = [max(0, part.bit_length() - 128) for part in (above, below)]
    p, q = int(above >> cuts[0]), int(below >> cuts[1])
    least, most = p / (q + 1), (p + 1) / q  # the number is between these, times a power of 2
    scale = cuts[0] - cuts[1]
    if least != most or abs(scale) > 700:
        return None
    return math.ldexp(-least if is_negative else least, scale)


def to_float(value: fmpq) -> float:
    """Return the float nearest to ``value``; beyond the largest float, infinity."""
    if value.height_bits() > VERY_LONG and (near := _nearest_of_long(value)) is not None:
        return near
    try:
        return float(value)  # correctly rounded: the true division of two integers
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def natural_log(value: fmpq) -> float:
    """Return the natural logarithm of a positive number of any size, to float precision.

    >>> natural_log(fmpq(2) ** -10**4) / natural_log(fmpq(2))
    -10000.0
    """
    return math.log(int(value.p)) - math.log(int(value.q))
