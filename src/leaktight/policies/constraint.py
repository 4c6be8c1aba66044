"""Public counts, and the databases that agree with them.

A :class:`Count` says how many records have a value in a set. Databases that satisfy several of
them are counted and listed without walking through all of T^n: record by record, all that
matters about the records so far is how many of them each constraint has counted.
"""

import math
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidPolicy, TooLarge, expect_list, expect_whole, renamed
from leaktight.exact.powers import Powers
from leaktight.labels import Labels
from leaktight.limits import allowed

MOST_STATES = 100_000
"""The most states (record, counts so far) that are walked through: less than a second's work."""

MOST_BITS = 2**31
"""The most bits of all numbers together by which databases are counted: a second's work, too."""

State: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """The number of records with a value in ``values`` is between ``least`` and ``most``."""

    values: Labels
    least: int = 0
    most: int | None = None
    """None if there is no upper bound."""
    name: str = ""
    """Whom it counts, in words that follow "with"."""
    is_published: bool = False
    """Whether the number itself is public, whatever it is: databases that differ in it may be
    told apart."""

    def __post_init__(self) -> None:
        for bound in (self.least, self.most):
            if bound is not None:
                expect_whole(bound, "a count", 0, error=InvalidPolicy)
        if self.most is not None and self.least > self.most:
            raise InvalidPolicy(
                f"a count must leave some number, got at least {self.least} and at most {self.most}"
            )

    def of(self, database: Iterable[Hashable]) -> int:
        """Return how many records of a database it counts.

        >>> Count(("flu", "cold")).of(["flu", "none", "cold"])
        2
        """
        return sum(value in self.values for value in database)

    def __str__(self) -> str:
        whom = f"with {self.name}" if self.name else f"in {{{', '.join(map(str, self.values))}}}"
        if self.is_published:
            return f"how many there are {whom}"
        if self.least == self.most:
            return f"exactly {self.least:,} {whom}"
        if self.most is None:
            return f"at least {self.least:,} {whom}"
        if self.least == 0:
            return f"at most {self.most:,} {whom}"
        return f"{self.least:,} to {self.most:,} {whom}"


@renamed(told="published")
def count(
    values: Iterable[Hashable],
    *,
    equals: int | None = None,
    at_most: int | None = None,
    at_least: int | None = None,
    published: bool = False,
    name: str = "",
) -> Count:
    """Say how many records have a value in ``values``; ``name`` says whom that counts.

    ``published=True`` says that the number is public, whatever it is: a promise then holds for all
    that it might be.

    >>> print(count(["flu"], equals=2), "/", count(["flu", "cold"], at_least=1, at_most=3))
    exactly 2 in {flu} / 1 to 3 in {flu, cold}
    >>> print(count(["flu"], published=True))
    how many there are in {flu}
    """
    if published and not (equals is at_most is at_least is None):
        raise InvalidPolicy("give either published=True, or the numbers, not both")
    if equals is not None and (at_most is not None or at_least is not None):
        raise InvalidPolicy("give either equals=, or at_most= and at_least=, not both")
    if equals is None and at_most is None and at_least is None and not published:
        raise InvalidPolicy(
            "a count needs equals=, at_most= or at_least=, or published=True, got none of them"
        )
    if equals is not None:
        at_most = at_least = equals
    wanted = read_values(values, "what is counted")
    return Count(wanted, 0 if at_least is None else at_least, at_most, name, bool(published))


def read_values(values: Iterable[Hashable], what: str) -> Labels:
    """Return a list of values as a tuple; a text is one value and no list of them.

    >>> read_values("flu", "what is counted")
    Traceback (most recent call last):
    leaktight.errors.InvalidPolicy: what is counted must be a list of values, got 'flu'
    """
    read = tuple(expect_list(values, f"{what} must be a list of values", InvalidPolicy))
    if not read:
        raise InvalidPolicy(f"{what} must be at least one value, got none")
    return read


@dataclass(frozen=True)
class CountedDatabases:
    """The databases whose record i takes a value of ``domains[i]`` and that satisfy all counts.

    Values are whole numbers. A count is a set of values with the least and the most number of
    records that have one of them.

    >>> two_of_three = CountedDatabases([(0, 1)] * 3, [({1}, 2, 2)])
    >>> two_of_three.number
    3
    >>> two_of_three.rows().tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    domains: Sequence[tuple[int, ...]]
    counts: Sequence[tuple[AbstractSet[int], int, int]]

    @property
    def is_countable(self) -> bool:
        """Whether there are few enough states to count the databases exactly."""
        return bool(self._layers)

    @property
    def is_possible(self) -> bool:
        """Whether there is a database, if they are few enough to be counted."""
        return bool(self._layers[-1])

    @cached_property
    def number(self) -> int:
        """How many databases there are."""
        if all(least <= 0 and most >= len(self.domains) for _, least, most in self.counts):
            return self._unlimited
        if not self.is_countable or self._work > allowed(MOST_BITS):
            raise TooLarge(
                f"{len(self.domains):,} records are too many to count the databases that agree "
                f"with the constraints; there may be up to 10^{self.magnitude:.0f}"
            )
        (ways,) = deque(self._ways_from_the_last(), maxlen=1)
        return ways.get(self._start, 0)

    @property
    def _unlimited(self) -> int:
        """How many databases there are if no count excludes one."""
        sizes = Counter(map(len, self.domains))
        return int(Powers.of(*sizes.items()).value)

    @property
    def _work(self) -> float:
        """How many bits all numbers have at most by which databases are counted."""
        return sum(map(len, self._layers)) * self.magnitude * math.log2(10)

    @cached_property
    def magnitude(self) -> float:
        """The common logarithm of a number that is at least as large as that of the databases."""
        domains = Counter(self.domains)
        everything = sum(n * math.log10(len(domain)) for domain, n in domains.items())
        if len(domains) > 1:
            return everything
        return min([everything, *(self._magnitude_of(*count) for count in self.counts)])

    def rows(self) -> npt.NDArray[np.integer[Any]]:
        """Return the databases in lexicographic order, one per row."""
        at = np.zeros(len(self._ways[0]), dtype=np.int64)
        steps = []
        for record, domain in enumerate(self.domains):
            values = sorted(domain)
            here, there = self._ways[record], self._ways[record + 1]
            numbers = {state: number for number, state in enumerate(there)}
            # The number of the state that a value leads to, −1 if it cannot be completed.
            leads = [
                [numbers.get(self._after(state, self._kind(value)), -1) for value in values]
                for state in here
            ]
            to = np.array(leads, dtype=np.int64).reshape(len(here), len(values))[at]
            start, chosen = np.nonzero(to >= 0)
            at = to[start, chosen]
            steps.append((start, np.array(values)[chosen]))
        largest = max(map(max, self.domains))
        rows = np.empty((len(at), len(steps)), dtype=np.min_scalar_type(largest))
        end = np.arange(len(at))
        for record in reversed(range(len(steps))):
            start, value = steps[record]
            rows[:, record] = value[end]
            end = start[end]
        return rows

    @cached_property
    def _kinds(self) -> dict[tuple[int, ...], Counter[State]]:
        """For each domain, how many of its values are counted by which counts."""
        return {domain: Counter(map(self._kind, domain)) for domain in set(self.domains)}

    @cached_property
    def _layers(self) -> list[set[State]]:
        """The states before each record and after the last; none if they are too many."""
        n, width = len(self.domains), len(self.counts)
        least, most = (
            np.array([min(count[i], n + 1) for count in self.counts], np.int64) for i in (1, 2)
        )
        ends = np.where(most < n, most + 1, least)
        states = np.zeros((1, width), dtype=np.int64)
        found, walked = [states], 0
        for left, domain in zip(reversed(range(n)), self.domains, strict=True):
            kinds = np.array(list(self._kinds[domain]), dtype=np.int64)
            after = np.minimum(states[:, None] + kinds, ends)
            states = _distinct(after.reshape(len(states) * len(kinds), width), ends)
            walked += len(states)
            if walked > MOST_STATES:
                return []
            states = states[((least - left <= states) & (states <= most)).all(axis=1)]
            found.append(states)
        return [set(map(tuple, layer.tolist())) for layer in found]

    @cached_property
    def _ways(self) -> list[dict[State, int]]:
        """For each layer, in how many ways each of its states can be completed, if in any."""
        return list(self._ways_from_the_last())[::-1]

    def _ways_from_the_last(self) -> Iterator[dict[State, int]]:
        """Yield the ways of each layer, of which only the last is needed for the next."""
        ways = dict.fromkeys(self._layers[-1], 1)
        yield ways
        for layer, domain in zip(self._layers[-2::-1], reversed(self.domains), strict=True):
            totals = {
                state: sum(
                    times * ways.get(self._after(state, kind), 0)
                    for kind, times in self._kinds[domain].items()
                )
                for state in layer
            }
            ways = {state: total for state, total in totals.items() if total}
            yield ways

    @property
    def _start(self) -> State:
        return (0,) * len(self.counts)

    def _kind(self, value: int) -> State:
        """Say of each count whether it counts the value."""
        return tuple(int(value in counted) for counted, _, _ in self.counts)

    def _after(self, state: State, kind: State) -> State:
        """Add a record; beyond its largest bound a count need not go on."""
        return tuple(
            min(so_far + one, most + 1 if most < len(self.domains) else least)
            for so_far, one, (_, least, most) in zip(state, kind, self.counts, strict=True)
        )

    def _magnitude_of(self, counted: AbstractSet[int], least: int, most: int) -> float:
        """Bound Σ_k (n choose k) s^k (m − s)^(n − k) by its largest term and the number of terms.

        s of the m values are counted.
        """
        n, m = len(self.domains), len(self.domains[0])
        s = len(counted & set(self.domains[0]))
        most = min(most, n)
        if s in (0, m):
            return n * math.log10(m) if least <= n * s // m <= most else 0.0
        k = max(least, min(most, (n + 1) * s // m))
        largest = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        largest += k * math.log(s) + (n - k) * math.log(m - s)
        return (largest + math.log(most - least + 1)) / math.log(10)


def _distinct(states: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the rows that differ, none of which exceeds ``ends`` or is negative."""
    if not states.size:
        return states[:1]
    if ends.min() < 0 or math.prod((ends + 1).tolist()) >= 2**62:
        return np.unique(states, axis=0)
    sizes = tuple((ends + 1).tolist())
    numbers = np.unique(np.ravel_multi_index(tuple(states.T), sizes))
    return np.stack(np.unravel_index(numbers, sizes), axis=1)
