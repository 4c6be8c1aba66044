"""How is a number written with few digits, so that no risk looks smaller than it is?

What is measured is rounded to the nearest, an upper bound up and a lower bound down. An ε is an
upper bound: what is private at ε is private at any larger one, but at no smaller one.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

DIGITS, BOUND_DIGITS, MOST_DIGITS = 4, 6, 17
"""How many digits a number has in a text, how many a bound, and how many a float."""


def nearest(value: float, digits: int = DIGITS) -> str:
    """Return a number rounded to the nearest.

    >>> nearest(0.7776075), nearest(736965.59)
    ('0.7776', '736,966')
    """
    return _written(value, digits, ROUND_HALF_EVEN)


def above(value: float, digits: int = BOUND_DIGITS) -> str:
    """Return an upper bound, rounded up.

    >>> above(0.7776075), above(0.6931471805599453, 4), above(100.0)
    ('0.777608', '0.6932', '100')
    """
    return _written(value, digits, ROUND_CEILING)


def below(value: float, digits: int = BOUND_DIGITS) -> str:
    """Return a lower bound, rounded down."""
    return _written(value, digits, ROUND_FLOOR)


def apart(one: float, other: float) -> tuple[str, str]:
    """Return two upper bounds with four digits, or with as many as tell them apart.

    >>> apart(0.6931471, 0.6931472), apart(0.5, 0.25)
    (('0.6931471', '0.6931472'), ('0.5', '0.25'))
    """
    pairs = [(above(one, d), above(other, d)) for d in range(DIGITS, MOST_DIGITS + 1)]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def _written(value: float, digits: int, rounding: str) -> str:
    exactly = Decimal(repr(float(value)))
    if 10 ** (digits - 1) <= abs(exactly) < 2**40:
        return f"{int(exactly.to_integral_value(rounding)):,}"
    return f"{float(Context(digits, rounding).plus(exactly)):.{digits}g}"
