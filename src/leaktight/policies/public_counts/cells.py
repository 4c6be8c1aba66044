"""Cells: values that no public count tells apart, and how many records can have each.

Values that the same counts count form a *cell*. What the counts say about a database is said about
its *histogram*, the number of records in each cell, so that the number of records is one of the
numbers in a few equations and no more. Cells, not values, are the unknowns.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpq_mat, nmod_mat

from leaktight.errors import TooLarge, Undecided
from leaktight.exact.linear_program import LinearProgram, solve_exact

Table: TypeAlias = npt.NDArray[np.int64]
Histogram: TypeAlias = tuple[int, ...]
"""How many records are in each cell."""

MOST_BRANCHES = 64
"""The most linear programs that are solved to find one histogram of whole numbers."""

FEW_HISTOGRAMS = 1000
"""Of so many histograms all are listed."""

PRIME = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of some values, and what is public of how many records are in each.

    ``table`` says which count (column) counts which cell (row), and ``limits`` between which two
    numbers the counts lie. Cells that cannot have a record are left out.

    >>> cells = Cells.of(5, 3, [({0, 2, 3}, 2, 2), ({2, 4}, 1, 1)])
    >>> cells.members
    ((0, 3), (1,), (2,), (4,))
    >>> cells.find([1, 0, 0, 1]), cells.find([0, 1, 0, 1])
    ((2, 0, 0, 1), None)
    """

    records: int
    members: tuple[tuple[int, ...], ...]
    """The values of each cell."""
    table: Table
    limits: Table
    """The least and the most of each count, one row each."""
    told: npt.NDArray[np.bool_]
    """Whether a count is public whatever it is between these: then neighbours have it alike."""

    @classmethod
    def of(
        cls,
        order: int,
        records: int,
        counts: Iterable[tuple[AbstractSet[int], int, int]],
        told: Iterable[AbstractSet[int]] = (),
    ) -> "Cells":
        """Sort the values 0 … order − 1 into cells; a count has a set, a least and a most.

        Of ``told`` sets the count is public, whatever it is.
        """
        limited = [
            (values, least, min(most, records)) for values, least, most in counts
            if least > 0 or most < records
        ]  # fmt: skip
        impossible = set[int]().union(*(values for values, _, most in limited if most == 0))
        limited += [(values, 0, records) for values in told]
        counted = np.zeros((order, len(limited)), dtype=np.int64)
        for column, (values, _, _) in enumerate(limited):
            counted[list(values), column] = 1
        kept: dict[bytes, list[int]] = {}
        for value in range(order):
            if value not in impossible:
                kept.setdefault(counted[value].tobytes(), []).append(value)
        table = counted[[values[0] for values in kept.values()]]
        # A count of all values, or of none, tells no two of them apart; of none it must be 0.
        constant = (table == table[:1]).all(axis=0)
        limits = np.array([limit[1:] for limit in limited], dtype=np.int64).reshape(-1, 2)
        whatever = (limits[:, 0] == 0) & (limits[:, 1] == records)
        void = any(
            not least <= records * int(table[0, q] if len(table) else 0) <= most
            for q, (least, most) in enumerate(limits.tolist())
            if constant[q]
        )
        members = () if void else tuple(map(tuple, kept.values()))
        kept_counts = table[: len(members), ~constant], limits[~constant], whatever[~constant]
        return cls(records, members, *kept_counts)

    @cached_property
    def cell_of(self) -> dict[int, int]:
        """The cell of each value that a record can have."""
        return {value: i for i, values in enumerate(self.members) for value in values}

    @property
    def are_equalities(self) -> bool:
        """Whether every count is one number, known or not, that neighbours have alike."""
        return bool((self.told | (self.limits[:, 0] == self.limits[:, 1])).all())

    def counts(self, histogram: Sequence[int] | Table) -> Table:
        """Return what is counted in a histogram."""
        found: Table = np.asarray(histogram, dtype=np.int64) @ self.table
        return found

    # --- which histograms agree ------------------------------------------------------------

    @cached_property
    def only(self) -> Histogram | None:
        """The only histogram, if the counts determine it whatever they are; None if not.

        So it is if no count is a range, and the rows of the table are affinely independent: for a
        whole histogram, for disjoint sets, for sets of which each two are disjoint or one within
        the other.
        """
        return self.any if self._has_cycles and not self.told.any() else None

    @cached_property
    def on_cycles(self) -> list[int] | None:
        """Cells such that neighbours differ by any simple cycle of these; None if it is not so."""
        if (only := self.only) is not None:
            return [i for i, records in enumerate(only) if records]
        every = range(len(self.members))
        if self._has_cycles and self.find([1] * len(every)) is not None:
            return list(every)
        return None

    @property
    def _has_cycles(self) -> bool:
        return bool(self.members) and self.are_equalities and self._is_independent

    @cached_property
    def any(self) -> Histogram | None:
        """Some histogram that agrees with the counts; None if there is none."""
        return self.find([0] * len(self.members))

    @cached_property
    def _is_independent(self) -> bool:
        if len(self.members) > self.table.shape[1] + 1:
            return False
        rows = np.column_stack([self.table, np.ones(len(self.members), dtype=np.int64)]).tolist()
        # Independent modulo a prime is independent; the converse is asked of rationals.
        if nmod_mat(len(rows), len(rows[0]), [x for row in rows for x in row], PRIME).rank() == len(
            rows
        ):
            return True
        return bool(fmpq_mat(rows).rank() == len(rows))

    def find(
        self, at_least: Sequence[int], shift: Sequence[int] | None = None,
        fixed: Sequence[int | None] | None = None,
    ) -> Histogram | None:  # fmt: skip
        """Return a histogram with at least so many records in each cell; None if there is none.

        With a ``shift``, the counts agree with the limits also after they change by so much;
        ``fixed`` are numbers that some of the counts must be.
        """
        low, high = self.limits.T.astype(object) if len(self.limits) else ([], [])
        for q, change in enumerate(() if shift is None else shift):
            low[q], high[q] = max(low[q], low[q] - change), min(high[q], high[q] - change)
        for q, number in enumerate(() if fixed is None else fixed):
            if number is not None:
                low[q], high[q] = max(low[q], number), min(high[q], number)
        if not self.members or any(a > b for a, b in zip(low, high, strict=True)):
            return None
        if comb(self.records + len(self.members) - 1, self.records) <= FEW_HISTOGRAMS:
            counted = self._few @ self.table
            agree = ((counted >= low) & (counted <= high)).all(axis=1)
            fits = np.flatnonzero(agree & (self._few >= at_least).all(axis=1))
            return tuple(self._few[fits[0]].tolist()) if len(fits) else None
        return self._whole(list(at_least), [None] * len(self.members), list(low), list(high))

    def most(self, heights: Sequence[fmpq]) -> fmpq | None:
        """Return a number that Σ heights·histogram does not exceed; None if none was found.

        It is the largest over histograms of real numbers that agree with the counts.

        >>> cells = Cells.of(3, 9, [({0, 1}, 5, 5), ({1, 2}, 6, 6)])
        >>> cells.members, cells.most([fmpq(1), fmpq(2), fmpq(0)])
        (((0,), (1,), (2,)), 7)
        """
        cells, counts = np.nonzero(self.table)
        every = np.arange(len(self.members))
        total = np.full(len(every), self.table.shape[1])
        low, high = self.limits.T.tolist() if len(self.limits) else ([], [])
        program = LinearProgram(
            [-height for height in heights],
            (
                np.concatenate([counts, total]),
                np.concatenate([cells, every]),
                [1] * (len(cells) + len(every)),
            ),
            row_lower=[*low, self.records],
            row_upper=[*high, self.records],
        )
        try:
            found = solve_exact(program)
        except Undecided:
            return None
        return None if found.contradiction is not None else -found.settled().value

    @cached_property
    def _few(self) -> Table:
        """All histograms that agree with the counts, if they are few."""
        found = list(self._walk(FEW_HISTOGRAMS * len(self.members)))
        return np.array(found, dtype=np.int64).reshape(-1, len(self.members))

    def histograms(self, most: int) -> Iterator[Histogram]:
        """Yield all histograms that agree with the counts; at most so many are looked at."""
        return iter([self.only]) if self.only is not None else self._walk(most)

    def _walk(self, most: int) -> Iterator[Histogram]:
        cells, looked_at = range(len(self.members)), 0
        last = [int(np.flatnonzero(column).max(initial=-1)) for column in self.table.T]
        started: list[tuple[Histogram, int, Table]] = [
            ((), self.records, np.zeros(self.table.shape[1], dtype=np.int64))
        ]
        while started:
            so_far, left, counted = started.pop()
            looked_at += 1
            if looked_at > most:
                raise TooLarge(
                    f"more than {most:,} histograms of {self.records:,} records may agree with the "
                    "counts, too many to go through; sensitivity needs no list"
                )
            i = len(so_far)
            still = left * self.table[i:].any(axis=0)  # so much may be counted from here on
            if (counted > self.limits[:, 1]).any() or (counted + still < self.limits[:, 0]).any():
                continue
            if i in cells:
                rest = self._room(i, left, counted, last)
                started += [((*so_far, n), left - n, counted + n * self.table[i]) for n in rest]
            else:
                yield so_far

    def _room(self, i: int, left: int, counted: Table, last: Sequence[int]) -> range:
        """Return how many of the records that are left may be in a cell, by the counts it is in.

        What a count still lacks must come from the last of its cells.
        """
        counts = np.flatnonzero(self.table[i]).tolist()
        most = min([left, *(int(self.limits[q, 1] - counted[q]) for q in counts)])
        least = max([0, *(int(self.limits[q, 0] - counted[q]) for q in counts if last[q] == i)])
        return range(max(least, left) if i + 1 == len(self.members) else least, most + 1)

    def _whole(
        self, least: list[Any], most: list[Any], low: list[Any], high: list[Any]
    ) -> Histogram | None:
        """Solve for real numbers, and branch where one is not whole."""
        cells, counts = np.nonzero(self.table)
        every = np.arange(len(self.members))
        waiting, solved = [(least, most)], 0
        while waiting:
            least, most = waiting.pop()
            if any(b is not None and b < a for a, b in zip(least, most, strict=True)):
                continue
            solved += 1
            if solved > MOST_BRANCHES:
                raise Undecided(
                    f"no histogram of {self.records:,} records was found, nor shown not to be"
                )
            total = np.full(len(every), self.table.shape[1])
            found = solve_exact(
                LinearProgram(
                    [0] * len(every),
                    (
                        np.concatenate([counts, total]),
                        np.concatenate([cells, every]),
                        [1] * (len(cells) + len(every)),
                    ),
                    row_lower=[*low, self.records],
                    row_upper=[*high, self.records],
                    lower=least,
                    upper=most,
                )
            )
            if found.contradiction is not None:
                continue
            numbers = found.settled().x
            broken = [i for i, number in enumerate(numbers) if fmpq(number).q != 1]
            if not broken:
                return tuple(int(number.p) for number in numbers)
            i = broken[0]
            floor = int(numbers[i].p // numbers[i].q)
            waiting.append((least, [*most[:i], floor, *most[i + 1 :]]))
            waiting.append(([*least[:i], floor + 1, *least[i + 1 :]], most))
        return None
