"""How is a number, or a label, said on a page?"""

from typing import Any, TypeAlias

from leaktight.exact.shown import above, below, nearest
from leaktight.reports.figure import short_label

Cell: TypeAlias = str | int | float | None
"""What stands in a table."""

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
        return above(value)
    if isinstance(value, AtLeast):
        return below(value)
    if isinstance(value, float):
        return nearest(value)
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else value


def exactly(number: dict[str, Any], kind: type[float] = float) -> str:
    """Return a number of the facts: exactly if that is short, else rounded as its kind is.

    >>> exactly({"exact": "4/3", "float": 1.3333333}), exactly({"exact": None, "float": 0.25})
    ('4/3', '0.25')
    >>> exactly({"exact": None, "float": 2.00000001}, AtMost)
    '2.00001'
    """
    exact: str | None = number["exact"]
    if exact is not None and len(exact) <= SHORT:
        return exact
    return "–" if number["float"] is None else rounded(kind(number["float"]))


def bits(amount: float) -> str:
    """Return an amount of information with its unit."""
    number = rounded(amount)
    return f"{number} {'bit' if number == '1' else 'bits'}"


def as_private(facts: dict[str, Any]) -> str:
    """Say how private other mechanisms are that this one is compared with."""
    return "as private as asked" if facts["asked"] is not None else "as private as this one"


def quoted(label: str) -> str:
    """Return a label as it stands in a sentence."""
    return f"“{short_label(label, LONGEST)}”"
