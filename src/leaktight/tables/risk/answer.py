"""Answers on the risk of a table: exact chances, and how many people have which."""

from fractions import Fraction

from msgspec import Struct

from leaktight.exact.matrix import html_rows
from leaktight.exact.shown import Told, counted, percent


class Exposure(Struct, frozen=True):
    """What somebody learns who knows some quasi-identifiers of a person."""

    quasi_identifiers: tuple[str, ...]
    groups: int
    """How many equivalence classes there are: groups of people alike in these columns."""
    smallest: int
    """How many people the smallest class has: k."""
    unique: int
    """How many people are alone in their class, and so are found for certain."""
    find: Fraction
    """The chance that a person's row is found."""
    guess: Fraction | None = None
    """The chance that a person's sensitive value is guessed."""
    certain: int | None = None
    """How many people have the same sensitive value as all others of their class."""


class Crowd(Struct, frozen=True):
    """How many classes have so many people, and so many with the most frequent value."""

    size: int
    most: int | None
    groups: int


class Worst(Struct, frozen=True):
    """A row of somebody who is at most risk, counted from 1, and the group it belongs to."""

    row: int
    size: int
    most: int | None
    alone: int | None = None
    """By how many combinations of fewer columns they are alone, of those that were looked at."""


class KnownShare(Struct, frozen=True):
    """What somebody learns who knows some columns of some people."""

    shares: tuple[tuple[tuple[str, ...], Fraction], ...]
    """Which columns are known of which share of people; of the others nothing."""
    find: Fraction
    guess: Fraction | None = None


class Changed(Struct, frozen=True):
    """What is left of the risk if columns are released otherwise."""

    what: str
    find: Fraction
    guess: Fraction | None
    guarantee: str
    ratio: Fraction | None = None
    """λ = e^ε of the column with noise; a column that is only coarser has no guarantee."""
    unique: int | None = None
    """How many people are still alone in their group; None where there is noise."""
    read: Fraction | None = None
    """The chance that a sensitive value with noise is guessed by somebody who has found the row,
    and knows of it only how frequent each value is. Without noise it would be 1."""


class Sampled(Struct, frozen=True):
    """What somebody finds who does not know who is in the sample (journalist), estimated."""

    population: float
    """How many people there are: as given, or the sum of the weights."""
    unique: Fraction | float
    """How many sample uniques are expected to be unique in the population; exact for a simple
    sample."""
    highest: float
    """The largest chance of a row to be found."""
    found: float
    """How many rows are expected to be found."""
    chance: float
    """The mean chance of a row to be found."""
    model: str
    """What is assumed."""


class Risk(Told, Struct, frozen=True):
    """What handing out a table risks, from :func:`risk`.

    ``find`` and ``guess`` are the chances before anything is seen, ``exposure`` has those after it.
    """

    rows: int
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    find: Fraction
    guess: Fraction | None
    exposure: Exposure
    crowds: tuple[Crowd, ...]
    """All groups, the smallest first."""
    worst: tuple[Worst, ...] = ()
    combinations: tuple[Exposure, ...] = ()
    """Fewer columns, the most telling of each number first."""
    releases: tuple[Exposure, ...] = ()
    """After each later release of the same people."""
    known_share: KnownShare | None = None
    changes: tuple[Changed, ...] = ()
    sampled: Sampled | None = None
    """The same for somebody who does not know who is in the table, if it is a sample."""

    def people(self, least: int, most: int | None = None) -> int:
        """How many people are in groups of so many."""
        return sum(
            crowd.size * crowd.groups
            for crowd in self.crowds
            if least <= crowd.size and (most is None or crowd.size <= most)
        )

    def _repr_html_(self) -> str:
        rows = [("to find a person's row", self.find, self.exposure.find)]
        if self.guess is not None and self.exposure.guess is not None:
            rows.append((f"to guess {', '.join(self.sensitive)}", self.guess, self.exposure.guess))
        cells = [(what, percent(one), percent(two)) for what, one, two in rows]
        return html_rows(str(self), ("The chance", "before", "after"), cells)

    def __str__(self) -> str:
        told = (
            f"{counted(self.rows, 'person', 'people')}, quasi-identifiers "
            f"{', '.join(self.quasi_identifiers)}: a row is "
            f"found with {percent(self.find)} before, {percent(self.exposure.find)} after; "
            f"{self.exposure.unique:,} unique"
        )
        if self.guess is None or self.exposure.guess is None:
            return told
        return (
            f"{told}; {', '.join(self.sensitive)} is guessed with {percent(self.guess)} before, "
            f"{percent(self.exposure.guess)} after"
        )
