"""Disclosure control of one count: rounding, suppression, a cell key, top-coding.

Each says what is shown of a count, exactly, and from which count on everything repeats: the rows of
c and c + 1 are then those of c + ``period`` and c + 1 + ``period``, but for the names of outputs.
So what one person changes is known for any number of people after a few counts.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidDistribution, InvalidInput
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.shown import shown
from leaktight.mechanisms.mechanism import refuse_too_large
from leaktight.mechanisms.registry import Key, construction

SUPPRESSED = "suppressed"
"""What is shown of a count that is suppressed."""

LARGEST = 10**6
"""The largest base, threshold or table."""

Row = Mapping[Hashable, Fraction]
"""The chance of everything that may be shown of a count."""


class CountPerturbation(ABC):
    """What is shown in place of a count; subclasses are frozen sets of parameters."""

    __slots__ = ()

    @property
    def has_keys(self) -> bool:
        """Whether counts are perturbed by cell keys."""
        return False

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is, in a few words."""

    @property
    @abstractmethod
    def repeats_from(self) -> int:
        """The count from which on everything repeats."""

    @property
    @abstractmethod
    def period(self) -> int:
        """After how many it does."""

    @abstractmethod
    def row(self, count: int) -> Row:
        """Return what is shown of a count, and how likely."""

    def channel(self, people: int) -> Channel:
        """Return the channel from the counts 0 to ``people`` to what is shown.

        >>> Rounding(3).channel(4).matrix.tolist()
        [[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
        """
        return self.shown_of(range(people + 1))

    def shown_of(self, counts: Sequence[int]) -> Channel:
        """Return the channel from these counts to what is shown."""
        rows, seen = list[Row](), set[Hashable]()
        for count in counts:
            rows.append(self.row(count))
            seen.update(rows[-1])
            refuse_too_large(len(counts), len(seen), or_more=len(rows) < len(counts))
        outputs = sorted(seen, key=lambda z: (isinstance(z, str), z))
        matrix = [[row.get(z, Fraction(0)) for z in outputs] for row in rows]
        return Channel(matrix, counts, outputs)

    def mean_error(self, count: int) -> Fraction:
        """Return how far what is shown is from a count, on average over what is a number."""
        row = {z: p for z, p in self.row(count).items() if isinstance(z, int)}
        shown_at_all = sum(row.values())
        if not shown_at_all:
            raise InvalidInput(f"nothing is shown of {count:,}, so there is no error")
        return sum((p * abs(z - count) for z, p in row.items()), Fraction(0)) / shown_at_all

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"


BASE = Key("base", "whole number", "the multiples that are shown", is_needed=True)
RANDOM = Key(
    "random",
    "truth",
    "at random to one of the two beside the count, so that its mean is the count",
)


@construction("rounding", "counts", BASE, RANDOM, has_distances=True)
@dataclass(frozen=True, slots=True, repr=False)
class Rounding(CountPerturbation):
    """Counts are rounded to multiples of ``base``.

    Deterministic, to the nearest, a half up; or at ``random`` to one of the two multiples beside
    it, so that the mean is the count.

    >>> Rounding(5).row(8), Rounding(3, random=True).row(4)
    ({10: Fraction(1, 1)}, {3: Fraction(2, 3), 6: Fraction(1, 3)})
    """

    base: int
    random: bool = False

    def __post_init__(self) -> None:
        _expect_count(self.base, "the base of rounding", 1)

    @property
    def name(self) -> str:
        """What it is."""
        if self.random:
            return f"random rounding to base {self.base:,}"
        return f"rounding to the nearest {self.base:,}"

    @property
    def repeats_from(self) -> int:
        """From 0 on."""
        return 0

    @property
    def period(self) -> int:
        """The base."""
        return self.base

    def row(self, count: int) -> Row:
        """Return what is shown of a count."""
        below, rest = divmod(count, self.base)
        if not self.random:
            return {self.base * ((2 * count + self.base) // (2 * self.base)): Fraction(1)}
        if not rest:
            return {count: Fraction(1)}
        up = Fraction(rest, self.base)
        return {self.base * below: 1 - up, self.base * (below + 1): up}


@dataclass(frozen=True, slots=True, repr=False)
class Suppression(CountPerturbation):
    """Counts of ``at_most`` or fewer are not shown; others are, or what ``then`` makes of them.

    With ``zero_shown`` 0 is shown, as many offices do.

    >>> small = Suppression(7, then=Rounding(5))
    >>> small.row(7), small.row(8)
    ({'suppressed': Fraction(1, 1)}, {10: Fraction(1, 1)})
    """

    at_most: int
    then: CountPerturbation | None = None
    zero_shown: bool = False

    def __post_init__(self) -> None:
        _expect_count(self.at_most, "the largest count that is suppressed", 0)
        if self.then is not None and not isinstance(self.then, CountPerturbation):
            raise InvalidInput(f"then must be such as Rounding(5), got {self.then!r:.60}")

    @property
    def has_keys(self) -> bool:
        """Whether what is not suppressed is perturbed by cell keys."""
        return self.then is not None and self.then.has_keys

    @property
    def name(self) -> str:
        """What it is."""
        small = f"counts of {'1 to ' * self.zero_shown}{self.at_most:,} suppressed"
        if not self.zero_shown:
            small = f"counts of {self.at_most:,} or fewer suppressed"
        return small if self.then is None else f"{small}, {self.then.name}"

    @property
    def repeats_from(self) -> int:
        """After the last that is suppressed."""
        return max(self.at_most + 1, 0 if self.then is None else self.then.repeats_from)

    @property
    def period(self) -> int:
        """That of what is done to the others."""
        return 1 if self.then is None else self.then.period

    def row(self, count: int) -> Row:
        """Return what is shown of a count."""
        if count <= self.at_most and (count or not self.zero_shown):
            return {SUPPRESSED: Fraction(1)}
        return {count: Fraction(1)} if self.then is None else self.then.row(count)


@construction(
    "suppression",
    "counts",
    Key("at_most", "whole number", "the largest count that is not shown", is_needed=True),
    replace(BASE, is_needed=False),
    RANDOM,
    Key("zero_shown", "truth", "whether 0 is shown all the same"),
    has_distances=True,
)
def _suppression(
    at_most: int, base: int | None = None, random: bool = False, zero_shown: bool = False
) -> Suppression:
    then = None if base is None else Rounding(base, random)
    return Suppression(at_most, then, zero_shown)


@construction(
    "top-coding",
    "counts",
    Key("most", "whole number", "the largest number that is shown", is_needed=True),
    has_distances=True,
)
@dataclass(frozen=True, slots=True, repr=False)
class TopCoding(CountPerturbation):
    """Numbers above ``most`` are shown as ``most``.

    >>> TopCoding(3).row(7)
    {3: Fraction(1, 1)}
    """

    most: int

    def __post_init__(self) -> None:
        _expect_count(self.most, "the largest number that is shown", 0)

    @property
    def name(self) -> str:
        """What it is."""
        return f"top-coded at {self.most:,}"

    @property
    def repeats_from(self) -> int:
        """From the largest on, all are alike."""
        return self.most

    @property
    def period(self) -> int:
        """1."""
        return 1

    def row(self, count: int) -> Row:
        """Return what is shown of a count."""
        return {min(count, self.most): Fraction(1)}


@construction(
    "cell key",
    "counts",
    Key(
        "ptable",
        "list of tables",
        'for the counts 0, 1, … the chance of each change, `{ "-1" = "1/2", "1" = "1/2" }`; the '
        "last row is for all larger counts",
        is_needed=True,
    ),
    has_distances=True,
)
@dataclass(frozen=True, slots=True, repr=False)
class CellKey(CountPerturbation):
    """Each record has a random key, and the keys of a cell's records choose what is added.

    ``ptable`` has for each count 0, 1, … the chance of each change; its last row is for all larger
    counts. Keys are uniform on [0, 1) and added modulo 1, so that the same records always show the
    same, and a cell with one record more or less has a fresh key. What follows is for somebody who
    does not know the keys.

    >>> key = CellKey([{0: 1}, {-1: "1/2", 1: "1/2"}, {-1: "1/4", 0: "1/2", 1: "1/4"}])
    >>> key.row(1), key.row(9)[9], key.variance(9)
    ({0: Fraction(1, 2), 2: Fraction(1, 2)}, Fraction(1, 2), Fraction(1, 2))
    """

    ptable: tuple[tuple[tuple[int, Fraction], ...], ...]

    def __init__(self, ptable: Sequence[Mapping[int, Number]]) -> None:
        if not isinstance(ptable, Sequence) or not 1 <= len(ptable) <= LARGEST:
            raise InvalidInput(f"a ptable has a row for each count from 0 on, got {ptable!r:.60}")
        rows = tuple(_changes(count, row) for count, row in enumerate(ptable))
        if len(rows[0]) > 1:
            raise InvalidInput("row 0 of a ptable must be certain: a cell of nobody has no key")
        object.__setattr__(self, "ptable", rows)

    @property
    def has_keys(self) -> bool:
        """Counts are."""
        return True

    @property
    def name(self) -> str:
        """What it is."""
        most = max(abs(change) for row in self.ptable for change, _ in row)
        return f"cell key, changes of up to {most:,}"

    @property
    def repeats_from(self) -> int:
        """The last row of the table."""
        return len(self.ptable) - 1

    @property
    def period(self) -> int:
        """1."""
        return 1

    def changes(self, count: int) -> tuple[tuple[int, Fraction], ...]:
        """Return what may be added to a count, in order, and how likely."""
        return self.ptable[min(count, len(self.ptable) - 1)]

    def row(self, count: int) -> Row:
        """Return what is shown of a count."""
        return {count + change: chance for change, chance in self.changes(count)}

    def variance(self, count: int) -> Fraction:
        """Return the variance of what is added to a count."""
        mean = sum(p * change for change, p in self.changes(count))
        return sum((p * (change - mean) ** 2 for change, p in self.changes(count)), Fraction(0))


def _changes(count: int, row: Any) -> tuple[tuple[int, Fraction], ...]:
    if not isinstance(row, Mapping) or not all(type(change) is int for change in row):
        raise InvalidInput(
            f'row {count} of a ptable must be such as {{-1: "1/4", 0: "1/2", 1: "1/4"}}, got '
            f"{row!r:.60}"
        )
    found = sorted((change, fraction(rational(p))) for change, p in row.items())
    kept = tuple((change, p) for change, p in found if p)
    if any(p < 0 for _, p in kept) or sum(p for _, p in kept) != 1:
        raise InvalidDistribution(
            f"row {count} of a ptable must have chances that sum to 1, got "
            f"{shown(sum((p for _, p in kept), Fraction(0)))}"
        )
    if count + kept[0][0] < 0:
        raise InvalidInput(f"row {count} of a ptable must not make a count negative")
    return kept


def _expect_count(given: Any, what: str, least: int) -> None:
    if type(given) is not int or not least <= given <= LARGEST:
        raise InvalidInput(
            f"{what} must be a whole number from {least} to {LARGEST:,}, got {given!r:.60}"
        )
