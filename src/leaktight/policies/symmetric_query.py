"""Which queries depend only on how many records have each value?

Their answers on n records follow from counts, so that nobody needs to list databases. A *linear*
query adds up a weight for each record: a count, a sum, a histogram.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from leaktight.errors import InvalidInput
from leaktight.labels import Labels
from leaktight.policies.constraint import read_values

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


class LinearQuery(SymmetricQuery):
    """A query that adds up a whole number, or a tuple of them, for each record."""

    __slots__ = ()

    @abstractmethod
    def weight(self, value: Hashable) -> Any:
        """Return what a record with this value adds to the answer."""


@dataclass(frozen=True, slots=True)
class CountingQuery(LinearQuery):
    """How many records have a value in ``values``?

    >>> counting_query(["flu", "cold"])(("flu", "none", "flu"))
    2
    """

    values: frozenset[Hashable]

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
        return value

    def of_counts(self, counts: Mapping[Hashable, int]) -> Any:
        """Return the sum."""
        numbers: Mapping[Any, int] = counts
        return sum(value * times for value, times in numbers.items())


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
