"""Numbers and labels as a page says them."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from leaktight.exact.numbers import rational, to_float
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import Probability, above, below, nearest, shown_above
from leaktight.reports.figure import short_label
from leaktight.studies.answers import NOT_ASKED, Answers, Skipped
from leaktight.studies.audit import PARTS

Cell: TypeAlias = str | int | float | None
"""What stands in a table."""

MOST_SAID = 30.0
"""The most bits that are said as odds."""

SMALLEST = Fraction(1, 2**1000)
"""What is smaller, or larger than its inverse, is written as a power of 2."""

SHORT, LONGEST = 16, 60
"""The most letters of an exact number, and of a label, in a sentence."""


UNSEEN = dict.fromkeys(
    [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
    "�",
)
"""Characters that a page cannot show, or that turn the text around them."""


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


def exactly(number: Fraction, kind: type[float] = float) -> str:
    """Return a number exactly if that is short, else rounded as its kind is.

    >>> exactly(Fraction(4, 3)), exactly(Fraction(2 * 10**20 + 1, 10**20), AtMost)
    ('4/3', '2.00001')
    >>> exactly(Fraction(3) ** 1000, AtMost)  # 2^1584.9625…, more than any float
    '≈2^1584.97'
    """
    near = if_short(number, SHORT)
    if near is not None:
        return near
    if not SMALLEST < abs(number) < 1 / SMALLEST:
        return shown_above(number)
    return rounded(kind(_outward(number, kind)))


def _outward(number: Fraction, kind: type[float]) -> float:
    """Return a float that is on the safe side of a number if it is a bound, and printed so, too."""
    exact = rational(number)
    if kind is AtMost:
        return math.nextafter(float_above(exact), math.inf)
    if kind is AtLeast:
        return math.nextafter(float_below(exact), -math.inf)
    return to_float(exact)


def if_short(number: Fraction | None, longest: int = LONGEST // 2) -> str | None:
    """Return a number exactly, if that is short."""
    if number is None or max(number.numerator, number.denominator).bit_length() > 4 * longest:
        return None
    text = str(number)
    return text if len(text) <= longest else None


def chance(found: Probability) -> str:
    """Return a chance as it stands in a table; a bound says that it is one.

    >>> chance(Probability(1, Fraction(1, 3), True)), chance(Probability(1, Fraction(1, 3), False))
    ('33.3%', '≤ 33.4%')
    >>> chance(Probability(1, Fraction(99999, 100000), False))
    '≤ 100%'
    """
    said = found.percent.replace("more than ", "> ").replace("less than ", "< ")
    return said if found.is_exact else f"≤ {said}"


def bits(amount: float) -> str:
    """Return an amount of information with its unit."""
    number = rounded(amount)
    return f"{number} {'bit' if number == '1' else 'bits'}"


def as_odds(leaked: float) -> str:
    """Say what an amount of bits is worth to one who guesses; nothing if it is too much to say.

    >>> as_odds(2.0)
    'what was guessed right in 1 of 1,000 cases may be guessed right in 1 of 250'
    """
    if not leaked <= MOST_SAID:
        return ""
    cases = max(10**3, 10 ** math.ceil((leaked + 2) * math.log10(2)))
    # A little less than the quotient of floats, so that no risk looks smaller than it is.
    after = max(1, math.floor(cases / 2**leaked * (1 - 2.0**-40) + 2.0**-30))
    return f"what was guessed right in 1 of {cases:,} cases may be guessed right in 1 of {after:,}"


def as_private(answers: Answers) -> str:
    """Say how private other mechanisms are that this one is compared with."""
    return "as private as asked" if answers.question.asked is not None else "as private as this one"


def away(answers: Answers) -> str:
    """Say how far apart the worst two values are, where that counts."""
    found, apart = answers.privacy, answers.policy.distances
    if not found or found.level.distance is None or apart is None:
        return ""
    return f", {rounded(found.level.distance)} {apart.unit}".rstrip() + " away"


def quoted(label: str) -> str:
    """Return a label as it stands in a sentence."""
    return f"“{short_label(label, LONGEST)}”"


def missing(answers: Answers, *, later: bool = False) -> Iterator[tuple[str, str]]:
    """Yield what was not computed, and why, each reason once; what was not asked is not missing."""
    reasons: dict[str, list[str]] = {}
    for part in PARTS:
        if part.title is None or (part.is_later and not later):
            continue
        found = part.of(answers)
        if isinstance(found, Skipped) and found not in NOT_ASKED:
            reasons.setdefault(found.why, []).append(part.title)
    yield from ((", ".join(parts), why) for why, parts in reasons.items())
