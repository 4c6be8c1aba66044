"""How is a number, or a label, said on a page?

What is measured is rounded to the nearest, an upper bound up and a lower bound down.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any, TypeAlias

from leaktight.figure import short_label

Cell: TypeAlias = str | int | float | None
"""What stands in a table."""

DIGITS, BOUND_DIGITS, MOST_DIGITS = 4, 6, 17
"""How many digits a number has on a page, how many a bound, and how many a float."""

SHORT, LONGEST = 16, 60
"""The most letters of an exact number, and of a label, in a sentence."""


class AtMost(float):
    """An upper bound."""


class AtLeast(float):
    """A lower bound."""


def rounded(value: Cell) -> str:
    """Return a number as a page shows it; text stays.

    >>> rounded(0.7776075), rounded(AtMost(0.7776075)), rounded(736965.59), rounded(100)
    ('0.7776', '0.777608', '736,966', '100')
    >>> rounded("4/3"), rounded(None)
    ('4/3', '–')
    """
    if isinstance(value, AtMost):
        return _digits(value, BOUND_DIGITS, ROUND_CEILING)
    if isinstance(value, AtLeast):
        return _digits(value, BOUND_DIGITS, ROUND_FLOOR)
    if isinstance(value, float):
        return _digits(value, DIGITS, ROUND_HALF_EVEN)
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else value


def _digits(value: float, digits: int, rounding: str) -> str:
    written = Decimal(float.__repr__(value))
    if 1000 <= abs(written) < 2**40:
        return f"{int(written.to_integral_value(rounding)):,}"
    return f"{float(Context(digits, rounding).plus(written)):.{digits}g}"


def apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with four digits, or with as many as tell them apart.

    >>> apart(0.6931471, 0.6931472), apart(0.5, 0.25)
    (('0.6931471', '0.6931472'), ('0.5', '0.25'))
    """
    pairs = [(f"{one:.{d}g}", f"{other:.{d}g}") for d in range(DIGITS, MOST_DIGITS + 1)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def exactly(number: dict[str, Any]) -> str:
    """Return a number of the facts: exactly if that is short, else rounded.

    >>> exactly({"exact": "4/3", "float": 1.3333333}), exactly({"exact": None, "float": 0.25})
    ('4/3', '0.25')
    """
    exact: str | None = number["exact"]
    return exact if exact is not None and len(exact) <= SHORT else rounded(number["float"])


def bits(amount: float) -> str:
    """Return an amount of information with its unit."""
    number = rounded(amount)
    return f"{number} {'bit' if number == '1' else 'bits'}"


def quoted(label: str) -> str:
    """Return a label as it stands in a sentence."""
    return f"“{short_label(label, LONGEST)}”"
