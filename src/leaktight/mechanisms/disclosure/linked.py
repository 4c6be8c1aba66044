"""Linked tables: totals beside parts, and tables with and without a small area, as one channel."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from flint import fmpz_mat

from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.numbers import Number, Value
from leaktight.leakage.uninformed import UninformedGuess
from leaktight.limits import allowed
from leaktight.mechanisms.disclosure.odds import (
    Counted,
    CountOdds,
    Pair,
    binomial,
    enclosed,
    expect_people,
    guessed,
    level_of,
    worst_guess,
)
from leaktight.mechanisms.disclosure.perturbation import (
    CellKey,
    CountPerturbation,
    Row,
    Suppression,
)

MOST_STATES = 2**16
"""The most combinations of counts that are gone through."""


@dataclass(frozen=True, slots=True, repr=False)
class LinkedCounts:
    """Counts of areas and of sums of areas, all published, each perturbed.

    ``areas`` says how many people live in each; ``published`` has for each number the areas that
    it is about. Rounding draws anew for each number. Cell keys hang together: the key of a sum is
    the sum of keys, and whoever is in several numbers has one key.

    >>> from leaktight.mechanisms.disclosure.perturbation import Rounding
    >>> both = LinkedCounts({"town": 20, "hamlet": 1}, [["town"], ["town", "hamlet"]], Rounding(3))
    >>> both.odds("hamlet").informed
    Fraction(1, 1)
    """

    areas: Mapping[str, int]
    published: tuple[frozenset[str], ...]
    mechanism: CountPerturbation

    def __init__(
        self,
        areas: Mapping[str, int],
        published: Sequence[Sequence[str]],
        mechanism: CountPerturbation,
    ) -> None:
        if not isinstance(areas, Mapping) or not areas:
            raise InvalidInput(f'areas must be such as {{"town": 20}}, got {areas!r:.60}')
        for people in areas.values():
            expect_people(people, 0)
        if not isinstance(mechanism, CountPerturbation):
            raise InvalidInput(f"expected such as Rounding(5), got {mechanism!r:.60}")
        if isinstance(mechanism, Suppression) and mechanism.has_keys:
            raise InvalidInput("cell keys of linked tables are gone through without suppression")
        if isinstance(published, str) or any(isinstance(each, str) for each in published):
            raise InvalidInput("published has a list of areas for each number")
        sets = tuple(frozenset(each) for each in published)
        unknown = [area for each in sets for area in each if area not in areas]
        if not sets or unknown or not all(sets):
            found = f"got {unknown[0]!r:.60}" if unknown else "got none"
            raise InvalidInput(f"each number must be about some of the areas, {found}")
        for name, value in (
            ("areas", dict(areas)), ("published", sets), ("mechanism", mechanism),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    def row(self, counts: Sequence[int]) -> Row:
        """Return what is shown of the counts of the areas, and how likely."""
        there = dict(zip(self.areas, counts, strict=True))
        if isinstance(self.mechanism, CellKey):
            return _by_keys(self.mechanism, self.published, there)
        sums = [sum(there[area] for area in each) for each in self.published]
        return _together([self.mechanism.row(number) for number in sums])

    def odds(self, area: str, prior: Number = Fraction(1, 2)) -> CountOdds:
        """Return what all numbers together tell of somebody who lives in an area.

        Of many people, floats enclose what somebody guesses who knows nobody.

        :raises TooLarge: if the areas have more than 65,536 combinations of likely counts.
        """
        if area not in self.areas:
            raise InvalidInput(f"there is no area {area!r:.60}")
        share = expect_people(self.areas[area], prior)
        at = list(self.areas).index(area)
        # An area's count may be lower by a period, as long as all sums with it still repeat.
        last = self.mechanism.repeats_from + self.mechanism.period
        pairs: list[Pair] = [
            (counts, more, self.row(counts), self.row(more))
            for counts in self._counts(at, last)
            for more in (_one_more(counts, at),)
        ]
        informed, others = worst_guess(pairs, share)
        before = max(share, 1 - share)
        after = self._uninformed(at, share)
        return CountOdds(level_of(pairs), before, informed, others, UninformedGuess(*after, before))

    def _counts(self, at: int, last: int) -> Iterable[tuple[int, ...]]:
        """Return how many others are counted in each area, without the person."""
        most = [min(people - (i == at), last) for i, people in enumerate(self.areas.values())]
        _refuse_many(number + 1 for number in most)
        return product(*(range(number + 1) for number in most))

    def _uninformed(self, at: int, share: Fraction) -> tuple[Value, Value]:
        """Enclose the best guess of somebody who knows nobody: exactly, if states are few."""
        most = [people - (i == at) for i, people in enumerate(self.areas.values())]
        weights = 1 - share, share
        if prod(number + 1 for number in most) > MOST_STATES:
            others = [Counted.of(number, share) for number in most]
            _refuse_many(map(len, others))
            states = (tuple(zip(*state, strict=True)) for state in product(*others))
            rows = (
                (self.row(counts), self.row(_one_more(counts, at)), prod(chances))
                for counts, chances in states
            )
            return enclosed(rows, weights, others)
        exact = [binomial(number, share) for number in most]
        absent: dict[Hashable, Fraction] = defaultdict(Fraction)
        present: dict[Hashable, Fraction] = defaultdict(Fraction)
        for counts in product(*(range(number + 1) for number in most)):
            weight = prod((exact[i][c] for i, c in enumerate(counts)), start=Fraction(1))
            for seen, own in ((absent, counts), (present, _one_more(counts, at))):
                for z, p in self.row(own).items() if weight else ():
                    seen[z] += weight * p
        after = guessed(absent, present, weights)
        return after, after

    def __repr__(self) -> str:
        return f"LinkedCounts({len(self.published)} numbers, {self.mechanism.name})"


def _refuse_many(numbers: Iterable[int]) -> None:
    """Refuse more combinations of counts than are gone through."""
    if (states := prod(numbers)) > allowed(MOST_STATES):
        raise TooLarge(
            f"{states:,} combinations of counts of the areas, and at most {allowed(MOST_STATES):,} "
            "are gone through; take areas together"
        )


def _one_more(counts: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*counts[:at], counts[at] + 1, *counts[at + 1 :])


def _together(rows: Sequence[Row]) -> Row:
    """Return what is shown by numbers that are drawn independently."""
    found: dict[Hashable, Fraction] = {(): Fraction(1)}
    for row in rows:
        found = {(*_tuple(z), y): p * q for z, p in found.items() for y, q in row.items()}
    return found


def _tuple(seen: Hashable) -> tuple[Hashable, ...]:
    assert isinstance(seen, tuple)
    return seen


# --- cell keys -------------------------------------------------------------------------------


def _by_keys(
    mechanism: CellKey, published: Sequence[frozenset[str]], counts: Mapping[str, int]
) -> Row:
    """Return what is shown of numbers whose keys are sums of the areas' keys, modulo 1.

    An area with nobody has no key. Numbers about the same people are the same.
    """
    there = [frozenset(area for area in each if counts[area]) for each in published]
    cells = list(dict.fromkeys(there))
    sizes = [sum(counts[area] for area in each) for each in cells]
    found: dict[Hashable, Fraction] = defaultdict(Fraction)
    for outcome, chance in _joint(mechanism, cells, sizes):
        found[tuple(outcome[cells.index(each)] for each in there)] += chance
    return found


def _joint(
    mechanism: CellKey, cells: Sequence[frozenset[str]], sizes: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield what different cells show together."""
    parts = [_intervals(mechanism, size) for size in sizes]
    keyed = [i for i, cell in enumerate(cells) if cell]
    triple = _sum_of_two([cells[i] for i in keyed])
    for choice in product(*parts):
        shown = tuple(number for number, _ in choice)
        bounds = [choice[i][1] for i in keyed]
        if triple is None:
            chance = prod((high - low for low, high in bounds), start=Fraction(1))
        else:
            one, two, both = (bounds[i] for i in triple)
            chance = _area(one, two, both) + _area(one, two, (both[0] + 1, both[1] + 1))
        if chance:
            yield shown, chance


Interval = tuple[Fraction, Fraction]


def _intervals(mechanism: CellKey, size: int) -> list[tuple[int, Interval]]:
    """Return what is shown for keys in which interval."""
    found, low = [], Fraction(0)
    for change, chance in mechanism.changes(size):
        found.append((size + change, (low, low + chance)))
        low += chance
    return found


def _sum_of_two(cells: Sequence[frozenset[str]]) -> tuple[int, int, int] | None:
    """Return which cell is the sum of which two; None if all keys are independent."""
    if len(cells) == 3:
        for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            if not cells[i] & cells[j] and cells[i] | cells[j] == cells[k]:
                return i, j, k
    names = sorted(frozenset().union(*cells))
    matrix = fmpz_mat([[int(name in cell) for name in names] for cell in cells] or [[1]])
    form = matrix.snf()
    if len(cells) > len(names) or any(form[i, i] != 1 for i in range(len(cells))):
        raise TooLarge(
            "the keys of these numbers hang together in a way that is not gone through; publish "
            "two areas and their sum, or numbers that are no sums of each other"
        )
    return None


def _area(one: Interval, two: Interval, both: Interval) -> Fraction:
    """Return P(x in one, y in two, x + y in both) for independent uniform x and y.

    The area below x + y = s in a corner at a + b is (s − a − b)²/2, and corners alternate.

    >>> half = Fraction(0), Fraction(1, 2)
    >>> _area(half, half, half)
    Fraction(1, 8)
    """

    def below(s: Fraction) -> Fraction:
        return sum(
            (
                (-1) ** (i + j) * max(s - one[i] - two[j], Fraction(0)) ** 2 / 2
                for i in (0, 1)
                for j in (0, 1)
            ),
            Fraction(0),
        )

    return below(both[1]) - below(both[0])
