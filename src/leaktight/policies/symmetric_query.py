"""Queries that depend only on how many records have each value.

Their answers on n records follow from counts, so that nobody needs to list databases. A *linear*
query adds up a weight for each record: a count, a sum, a histogram.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from numbers import Number
from typing import Any, TypeAlias

from flint import fmpq

from leaktight.errors import InvalidInput, Mismatch
from leaktight.exact.numbers import rational
from leaktight.labels import Labels, suggestion
from leaktight.policies.constraint import read_values

Counts: TypeAlias = dict[Hashable, int]
"""How many records have each value, without the values that none has."""

Query: TypeAlias = Callable[[Any], Hashable] | Mapping[Any, Hashable]
"""A function of a database, such as a counting query, or a table of answers."""


class SymmetricQuery(ABC):
    """A query of which only matters how many records have each value."""

    __slots__ = ()

    @abstractmethod
    def of_counts(self, counts: Mapping[Hashable, int]) -> Any:
        """Return the answer if so many records have each value."""

    def __call__(self, records: Iterable[Hashable]) -> Any:
        """Return the answer for a database, given as the values of its records."""
        return self.of_counts(Counter(records))

    def kinds_of_others(self, values: Labels, others: int) -> tuple[int, Iterator[Counts]]:
        """Return at most how many counts of other records matter, and these counts.

        Of counts with the same answers, whatever value one record more has, one is enough.
        Here they are all that there are.
        """
        return comb(others + len(values) - 1, others), all_counts(values, others)

    def adds_whole_numbers(self, values: Iterable[Hashable]) -> bool:
        """Say whether each of these values of a record adds one whole number to the answer."""
        return False

    def alike(self, value: Hashable) -> Hashable:
        """Return what is the same for values that the answer never tells apart: here the value."""
        return value

    @property
    def counted(self) -> frozenset[Hashable] | None:
        """The values that it counts; None if it is no count."""
        return None

    def expect_values(self, known: Labels) -> None:
        """Refuse to count a value that no record can have."""
        for value in (self.counted or frozenset()).difference(known):
            raise Mismatch(f"no record can have the value {value!r}; {suggestion(value, known)}")


def symmetric_of(query: Query | None) -> SymmetricQuery | None:
    """Return a query of which only counts matter; None for any other."""
    return query if isinstance(query, SymmetricQuery) else None


def counted_by(query: Query | None) -> frozenset[Hashable] | None:
    """Return the values that a query counts; None for whatever is no count."""
    symmetric = symmetric_of(query)
    return None if symmetric is None else symmetric.counted


def answered(query: Query | None) -> Callable[[Any], Hashable]:
    """Return a query as a function of all records as a tuple; None is answered by the database.

    The database of one record is its value.

    >>> answered(None)(("flu",)), answered({("a", "b"): 7})(("a", "b"))
    ('flu', 7)
    """
    if query is None:
        return _database
    if (symmetric := symmetric_of(query)) is not None:
        return symmetric
    if isinstance(query, Mapping):
        return lambda records: query[_database(records)]
    return lambda records: query(_database(records))


def _database(records: Any) -> Any:
    return records[0] if len(records) == 1 else records


def all_counts(values: Labels, records: int) -> Iterator[Counts]:
    """Yield how many of so many records may have each value, without those that none has.

    >>> list(all_counts(("no", "yes"), 2))
    [{'no': 2}, {'no': 1, 'yes': 1}, {'yes': 2}]
    """
    if len(values) == 1 or not records:
        yield {values[0]: records} if records else {}
        return
    for first in range(records, -1, -1):
        for rest in all_counts(values[1:], records - first):
            yield {values[0]: first, **rest} if first else rest


class LinearQuery(SymmetricQuery):
    """A query that adds up a whole number, or a tuple of them, for each record."""

    __slots__ = ()

    @abstractmethod
    def weight(self, value: Hashable) -> Any:
        """Return what a record with this value adds to the answer."""

    def adds_whole_numbers(self, values: Iterable[Hashable]) -> bool:
        """Say whether each of these values of a record adds one whole number to the answer."""
        weights = map(self.weight, values)
        return all(not isinstance(w, tuple | str) and rational(w).q == 1 for w in weights)

    def alike(self, value: Hashable) -> Hashable:
        """Return the weight of a value."""
        weight: Hashable = self.weight(value)
        return weight


def linear_of(query: Query | None) -> LinearQuery | None:
    """Return a query that adds up a weight for each record; None for any other."""
    return query if isinstance(query, LinearQuery) else None


@dataclass(frozen=True, slots=True)
class CountingQuery(LinearQuery):
    """How many records have a value in ``values``?

    >>> counting_query(["flu", "cold"])(("flu", "none", "flu"))
    2
    """

    values: frozenset[Hashable]

    @property
    def counted(self) -> frozenset[Hashable]:
        """The values."""
        return self.values

    def weight(self, value: Hashable) -> int:
        """Return 1 if the value is counted, and otherwise 0."""
        return int(value in self.values)

    def of_counts(self, counts: Mapping[Hashable, int]) -> int:
        """Return how many records are counted."""
        return sum(times for value, times in counts.items() if value in self.values)


def counting_query(values: Iterable[Hashable]) -> CountingQuery:
    """Return the query that counts the records with a value in ``values``.

    >>> counting_query(["flu"])(("flu", "cold", "flu"))
    2
    """
    return CountingQuery(frozenset(read_values(values, "what is counted")))


@dataclass(frozen=True, slots=True)
class SumQuery(LinearQuery):
    """What do the values of all records add up to?

    >>> SumQuery()((10, 20, 20))
    50
    """

    def weight(self, value: Hashable) -> Any:
        """Return the value itself, a number."""
        if isinstance(value, Number | fmpq):
            return value
        raise InvalidInput(f"a sum needs values that are numbers, got {value!r:.60}; count them")

    def of_counts(self, counts: Mapping[Hashable, int]) -> Any:
        """Return the sum."""
        return sum(self.weight(value) * times for value, times in counts.items())


@dataclass(frozen=True, slots=True)
class HistogramQuery(LinearQuery):
    """How many records have each of some values?

    >>> HistogramQuery(("flu", "cold"))(("flu", "none", "flu"))
    (2, 0)
    """

    cells: Labels

    def __post_init__(self) -> None:
        if len(set(self.cells)) < len(self.cells):
            raise InvalidInput("each cell of a histogram must be a value of its own")

    def weight(self, value: Hashable) -> tuple[int, ...]:
        """Return 1 for the cell of the value, and 0 for all others."""
        return tuple(int(cell == value) for cell in self.cells)

    def of_counts(self, counts: Mapping[Hashable, int]) -> tuple[int, ...]:
        """Return the counts in the order of the cells."""
        return tuple(counts.get(cell, 0) for cell in self.cells)


@dataclass(frozen=True, slots=True)
class MostCommonQuery(SymmetricQuery):
    """Which value do most records have? If several do, it is a ``"tie"``.

    >>> MostCommonQuery()(("Graz", "Lyon", "Graz")), MostCommonQuery()(("Graz", "Lyon"))
    ('Graz', 'tie')
    """

    def of_counts(self, counts: Mapping[Hashable, int]) -> Hashable:
        """Return the value that is most frequent, or a tie."""
        most = max(counts.values())
        first = [value for value, times in counts.items() if times == most]
        return first[0] if len(first) == 1 else "tie"

    def kinds_of_others(self, values: Labels, others: int) -> tuple[int, Iterator[Counts]]:
        """Return counts by who leads, and by who is one behind a single leader.

        With one record more a leader wins. Who is one behind ties with the leaders; who is
        further behind leaves it as it is, won by a single leader or a tie of several. So neither
        the number of records nor how far somebody is behind matters.

        >>> MostCommonQuery().kinds_of_others(("a", "b", "c", "d"), 10**6)[0]
        43
        """
        every, k = comb(others + len(values) - 1, others), len(values)
        kinds = 2**k - 1 - k + k * 2 ** (k - 1)
        if kinds < every:
            return kinds, _led(values, others)
        return every, all_counts(values, others)


def _led(values: Labels, records: int) -> Iterator[Counts]:
    """Yield counts for each set of leaders, and each set of values one behind a single leader."""
    for size in range(1, len(values) + 1):
        for leaders in combinations(values, size):
            behind = tuple(value for value in values if value not in leaders)
            if size > 1:
                yield from _leading(leaders, (), behind, 1, records)
                continue
            for nearer in range(len(behind) + 1):
                for near in combinations(behind, nearer):
                    far = tuple(value for value in behind if value not in near)
                    yield from _leading(leaders, near, far, 2, records)


def _leading(
    leaders: Labels, near: Labels, far: Labels, distance: int, records: int
) -> Iterator[Counts]:
    """Yield counts in which the leaders have equally many, ``near`` one less, if there are any.

    The others are at least ``distance`` behind. Only the largest number that leaders can have is
    tried: with less of them more is left for the others, each of whom may have less.
    """
    most, left = divmod(records + len(near), len(leaders) + len(near))
    room = most - distance
    if (near and most < 1) or (far and room < 0) or left > room * len(far):
        return
    counts = dict.fromkeys(leaders, most) | dict.fromkeys(near, most - 1)
    for value in far:
        counts[value] = min(left, room)
        left -= counts[value]
    yield {value: times for value, times in counts.items() if times}
