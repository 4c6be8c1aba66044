"""Numbers written with few digits, so that no risk looks smaller than it is.

What is measured is rounded to the nearest, an upper bound up and a lower bound down. An ε is an
upper bound: what is private at ε is private at any larger one, but at no smaller one. Of
percentages, only 1 is 100% and only 0 is 0%; what is at most something may be at most 100%.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from flint import fmpq

from leaktight.exact.numbers import rational
from leaktight.exact.rounding import float_above, float_below, log2_interval

DIGITS, BOUND_DIGITS, MOST_DIGITS = 4, 6, 17
"""How many digits a number has in a text, how many a bound, and how many a float."""

CLOSE = Fraction(1, 10**9)
"""How near to a number of six digits both ends of an interval are that is written around it."""

WIDTH, NARROWEST = 80, 24
"""How many letters a line of text has, and how many on the narrowest terminal."""


MAGNITUDE = 10**15
"""From here on a person reads how many digits a count has, not which."""


def width() -> int:
    """Return how many letters a line has; fewer if the terminal is narrow."""
    return max(NARROWEST, min(WIDTH, get_terminal_size((WIDTH, 24)).columns))


def wrapped(text: str, indent: str = "", *, start: str = "", room: int | None = None) -> str:
    """Return a text in lines: ``start`` before the first, ``indent`` before the others."""
    whole = re.sub("ε ([=≤]) ", "ε\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
    filled = fill(
        whole,
        width() if room is None else room,
        initial_indent=start,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return filled.replace("\N{NO-BREAK SPACE}", " ")


def one_line(text: str) -> str:
    """Cut what stands in brackets, so that the text fits in a line.

    >>> one_line(f"Graph({'a' * 100})")[-4:]
    'aa…)'
    """
    return text if len(text) <= WIDTH else text[: WIDTH - 2] + "…)"


class Told:
    """What is told by a sentence; at a prompt, too, so that no number has hundreds of digits."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


def nearest(value: float, digits: int = DIGITS) -> str:
    """Return a number rounded to the nearest.

    >>> nearest(0.7776075), nearest(736965.59)
    ('0.7776', '736,966')
    """
    return _rounded(_as_printed(value), digits, ROUND_HALF_EVEN)


def above(value: float, digits: int = BOUND_DIGITS) -> str:
    """Return an upper bound, rounded up.

    >>> above(0.7776075), above(0.6931471805599453, 4), above(100.0)
    ('0.777608', '0.6932', '100')
    """
    return _rounded(_as_printed(value), digits, ROUND_CEILING)


def below(value: float, digits: int = BOUND_DIGITS) -> str:
    """Return a lower bound, rounded down."""
    return _rounded(_as_printed(value), digits, ROUND_FLOOR)


def around(low: float, high: float) -> str | None:
    """Return two ends as a number and how far they are from it at most, if that is very little.

    Rounded outward they would seem farther apart than they are.

    >>> around(4 * 10**9 - 1, 4 * 10**9), around(1.390575, 1.390576)
    ('4,000,000,000 ± 1', None)
    """
    middle = nearest(low / 2 + high / 2, BOUND_DIGITS)
    number = Fraction(middle.replace(",", ""))
    off = max(Fraction(high) - number, number - Fraction(low))
    if low == high or not 0 < off <= abs(number) * CLOSE:
        return None
    return f"{middle} ± {above(float_above(rational(off)), 1)}"


def apart(one: float, other: float) -> tuple[str, str]:
    """Return two upper bounds with four digits, or with as many as tell them apart.

    >>> apart(0.6931471, 0.6931472), apart(0.5, 0.25)
    (('0.6931471', '0.6931472'), ('0.5', '0.25'))
    """
    pairs = [(above(one, d), above(other, d)) for d in range(DIGITS, MOST_DIGITS + 1)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def _as_printed(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _rounded(exactly: Decimal, digits: int, rounding: str) -> str:
    if 10 ** (digits - 1) <= abs(exactly) < 2**40:
        return f"{int(exactly.to_integral_value(rounding)):,}"
    return f"{float(Context(digits, rounding).plus(exactly)):.{digits}g}"


def shown(value: Any) -> str:
    """Return a number as a person reads it, short however long it is.

    >>> shown(Fraction(4, 3)), shown(Fraction(4, 3) ** 50), shown(Fraction(4, 3) ** 10**6)
    ('4/3', '≈1.76578e+06', '≈2^415037')
    """
    if not isinstance(value, fmpq | Fraction | int):
        return f"{value:.6g}"
    return _short(rational(value), "{:.6g}".format)


def shown_above(value: Fraction | float) -> str:
    """Return a number that nothing exceeds: exactly if it is short, else rounded up.

    >>> shown_above(Fraction(4, 3)), shown_above(Fraction(4, 3) ** 50), shown_above(1 - 2.0**-50)
    ('4/3', '≈1,765,781', '≈1')
    """
    if value == math.inf:
        return str(value)
    return _short(
        rational(value), lambda near: _rounded(Decimal(near), BOUND_DIGITS, ROUND_CEILING)
    )


def shown_below(value: Fraction | float) -> str:
    """Return a number of at least 0 that is reached: exactly if it is short, else rounded down.

    >>> shown_below(Fraction(4, 3)), shown_below(Fraction(4, 3) ** 50)
    ('4/3', '≈1,765,780')
    >>> shown_below(Fraction(2, 3) ** 10**5), shown_above(Fraction(2, 3) ** 10**5)  # 2^−58496.25…
    ('≈2^-58496.3', '≈2^-58496.2')
    """
    if value == math.inf:
        return str(value)
    return _short(
        rational(value),
        lambda near: _rounded(Decimal(near), BOUND_DIGITS, ROUND_FLOOR),
        float_below,
        0,
    )


def _short(
    number: fmpq,
    write: Callable[[float], str],
    near: Callable[[fmpq], float] = float_above,
    end: int = 1,
) -> str:
    """Return a number exactly, or with few digits; as a power of 2 if a float cannot have it."""
    size = abs(number)
    if size.height_bits() <= 40:
        return str(number)
    if fmpq(1, 2**1000) < size < 2**1000:
        return f"≈{write(near(number))}"
    return f"≈{'-' if number < 0 else ''}2^{write(log2_interval(size)[end])}"


def equal_to(text: str) -> str:
    """Return a number after what it is equal to, or near.

    >>> "λ " + equal_to(shown(Fraction(4, 3))), "λ " + equal_to(shown(Fraction(4, 3) ** 50))
    ('λ = 4/3', 'λ ≈ 1.76578e+06')
    """
    return f"≈ {text[1:]}" if text.startswith("≈") else f"= {text}"


def in_bits(amount: float, write: Callable[[float], str] = "{:.6g}".format) -> str:
    """Return an amount of information with its unit.

    >>> in_bits(1.0), in_bits(0.4150374992788438), in_bits(0.4150374992788438, above)
    ('1 bit', '0.415037 bits', '0.415038 bits')
    """
    number = write(amount)
    return f"{number} {'bit' if number == '1' else 'bits'}"


def counted(count: int | float, one: str, many: str) -> str:
    """Return a number with its noun, as a person reads it: beyond 10^15 only its magnitude.

    >>> counted(1, "edge", "edges"), counted(12870, "edge", "edges")
    ('1 edge', '12,870 edges')
    >>> counted(50**1000, "vertex", "vertices")
    'about 10^1699 vertices'
    """
    if count < MAGNITUDE:
        return f"{count:,} {one if count == 1 else many}"
    return f"about 10^{math.log10(count):.0f} {many}"


# --- probabilities --------------------------------------------------------------------------

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
        if not self.is_exact and self.percent == "100%" and self.value < 1:
            return "possibly more than 99.9%"
        if not self.is_exact:
            return f"at most {self.percent}"
        if not self.percent[0].isdigit():  # "more than" or "less than" something
            return self.percent
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
    """Return a bound on a probability in percent, rounded up; it is a number, never "more than".

    >>> [percent_above(Fraction(p)) for p in ("1/4", "1/3", "1/7000", "9999/10000")]
    ['25%', '33.4%', '0.015%', '100%']
    """
    decimals = _decimals(value)
    return _plain(math.ceil(value * 10 ** (decimals + 2)), decimals)


def percent_or_fraction(value: Fraction) -> str:
    """Return a chance as a percentage if that is all of it: a rounded one would be another.

    >>> percent_or_fraction(Fraction(3, 4)), percent_or_fraction(Fraction(4, 9))
    ('75%', '4/9')
    """
    told = str(Probability(0, value, True))
    return told.removeprefix("exactly ") if told.startswith("exactly") else shown(value)


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
    return _plain(units, decimals)


def _plain(units: int, decimals: int) -> str:
    whole, rest = divmod(units, 10**decimals)
    return f"{whole}.{rest:0{decimals}}".rstrip("0").rstrip(".") + "%"
