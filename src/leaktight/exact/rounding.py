"""Rounding to a known side, and floats between which a logarithm lies.

Logarithms come out correctly rounded, or as an interval rounded outward.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

from flint import arb, ctx, fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import rational, to_float


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


def log2(value: object) -> float:
    """Return the binary logarithm of a positive rational, correctly rounded.

    >>> log2("4/3")
    0.4150374992788438
    >>> log2(2**5000), log2("1e-400")
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
