"""The answer to a query: numbers, what each is about, and where the true ones lie."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, as_printed, fraction, rational, to_float
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import above, below, nearest
from leaktight.labels import Labels, parts
from leaktight.tables.noise import BlockNoise

# --- intervals of released numbers, exactly known, as the noise is ---------------------------


def read_confidence(confidence: Number) -> Fraction:
    """Return a confidence such as 0.95, exactly as it is written."""
    exact = fraction(as_printed(confidence))
    if not 0 < exact < 1:
        raise InvalidNumber(f"a confidence must be between 0 and 1, got {confidence}")
    return exact


def half_width(noise: BlockNoise | None, confidence: Fraction, noises: int = 1) -> int:
    """Return the least w so that the sum of so many noises is within ±w with at least this chance.

    It is 0 if nothing was added. Where a chance is known from above alone, as of Gaussian noise
    with a σ above 64, w may be 1 more.

    >>> from leaktight.tables.noise import GeometricStep
    >>> two = GeometricStep(Fraction(2))
    >>> half_width(two, Fraction(19, 20)), half_width(two, Fraction(19, 20), 2)
    (4, 6)
    """
    if noise is None or not noises:
        return 0
    chance = rational(1 - confidence)
    width = 1
    while noise.exceeds(width + 1, noises, chance):
        width *= 2
    low, high = width // 2, width
    while low < high:
        middle = (low + high) // 2
        if noise.exceeds(middle + 1, noises, chance):
            low = middle + 1
        else:
            high = middle
    return high


# --- answers ---------------------------------------------------------------------------------

Ends = tuple[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The numbers of one query, each with a cell that says what it is about.

    A count or a sum is a whole number, a mean a fraction, and a quantile a declared value; None
    where nobody seems to be there.
    """

    name: str
    kind: str
    cells: Labels
    numbers: tuple[Any, ...]
    noises: tuple[int, ...] = field(repr=False)
    """How many noises each number has: 0 if it is exact, 2 for a difference of two."""
    ends: Callable[[Fraction], list[Ends]] = field(repr=False)
    """The intervals at a confidence."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The cells as people write them: "female, 65+" for a combination."""
        return tuple(", ".join(map(str, parts(cell))) for cell in self.cells)

    @property
    def is_drawn(self) -> bool:
        """Whether it can be drawn: whether all that is told are numbers, and not values."""
        return all(
            isinstance(each, int | Fraction) and not isinstance(each, bool) for each in self.numbers
        )

    def intervals(self, confidence: Number = "0.95") -> list[Ends]:
        """Return for each number where the true one lies, with at least this chance each.

        The noise is known, so that of counts and sums this is exact. They are not cut off at 0.
        """
        return self.ends(read_confidence(confidence))


def written_number(number: Any, rounding: Callable[[Any], float] = to_float) -> Any:
    """Return a number of an answer as a file has it: whole, a float, text, or None.

    >>> written_number(Fraction(1, 4)), written_number(Fraction(4)), written_number("40-60k")
    (0.25, 4, '40-60k')
    """
    if isinstance(number, Fraction):
        return int(number) if number.denominator == 1 else rounding(rational(number))
    return number if isinstance(number, int | None) else str(number)


def counted_answer(
    name: str,
    kind: str,
    cells: Labels,
    numbers: Sequence[Any],
    noises: Sequence[int],
    noise: BlockNoise | None,
    unit: Fraction = Fraction(1),
) -> Answer:
    """Return whole numbers, each with some noises of one width, in some ``unit``."""

    def ends(confidence: Fraction) -> list[Ends]:
        widths = {n: half_width(noise, confidence, n) for n in set(noises)}
        return [
            (_worth(k - widths[n], unit), _worth(k + widths[n], unit))
            for k, n in zip(numbers, noises, strict=True)
        ]

    told = tuple(_worth(number, unit) for number in numbers)
    return Answer(name, kind, cells, told, tuple(noises), ends)


def _worth(number: Any, unit: Fraction) -> Any:
    return number if unit == 1 else number * unit


def shown_number(number: Any, rounding: Callable[[Any], str] | None = None) -> str:
    """Return a number of an answer as a person reads it.

    >>> shown_number(1234), shown_number(Fraction(10, 3)), shown_number("40-60k")
    ('1,234', '3.333', '40-60k')
    >>> shown_number(None)
    '–'
    """
    if number is None:
        return "–"
    if isinstance(number, bool) or not isinstance(number, int | Fraction):
        return str(number)
    if isinstance(number, int):
        return f"{number:,}"
    if number.denominator == 1:
        return f"{int(number):,}"
    return nearest(float(number)) if rounding is None else rounding(number)


def shown_interval(low: Any, high: Any) -> str:
    """Return an interval as a person reads it, rounded outward.

    >>> shown_interval(Fraction(1, 3), Fraction(2, 3)), shown_interval(-2, 5)
    ('0.333333 to 0.666667', '-2 to 5')
    """
    first = shown_number(low, lambda end: below(float_below(rational(end))))
    return f"{first} to {shown_number(high, lambda end: above(float_above(rational(end))))}"


OFF = "one number is off by ±{}"
"""What is told of errors, unless it is something else that is off."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected squared errors of a query: of one number, and of a run of neighbouring ones."""

    query: str
    kind: str
    numbers: int
    cell: Fraction
    """Of one number, averaged over all."""
    run: Fraction | None = None
    """Of the records in a run of neighbouring cells, averaged over all runs; None for a sum."""
    chosen: bool = True
    """Whether it is what :func:`release` would do."""
    told: str = OFF
    """What is off, in words."""
    way: str = ""
    """How it is asked, where there are several ways."""

    def __str__(self) -> str:
        how = self.kind if not self.way else f"{self.kind}, by {self.way}"
        told = f"{self.query} ({how}): {self.told.format(typical(self.cell))}"
        if self.run is not None and self.numbers > 1:
            told += f", a run of neighbouring ones by ±{typical(self.run)}"
        return told + (" ← taken" if self.chosen else "")

    @property
    def is_of_numbers(self) -> bool:
        """Whether the error is that of the numbers themselves."""
        return self.told == OFF

    def instead(self) -> "Expected":
        """Return it as what is not taken."""
        return replace(self, chosen=False)


def typical(error: Fraction) -> str:
    """Return the root of an expected square, as a person reads it."""
    return nearest(float(error) ** 0.5)
