"""Kinds of neighbours if counts are public, whatever the number of records.

From a database to a neighbour some records change, each by a *move* from a value u to a value v.
The *signature* of a move says by how much it changes each count. The signatures of the moves
between neighbours are a minimal multiset that adds up to zero, together with the *slack* that a
count between two limits leaves. There are finitely many, for any number of records
(docs/proofs/public-counts.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.policies.public_counts.cells import Cells, Table
from leaktight.policies.public_counts.circuits import circuits
from leaktight.policies.public_counts.cycles import logarithm, of_logarithm
from leaktight.policies.public_counts.groups import MOST_WEIGHT, Groups
from leaktight.policies.public_counts.longest import long_kind, longest
from leaktight.policies.public_counts.zero_sums import ZeroSums, zero_sums

MOST_SIGNATURES = 128
"""The most signatures whose minimal multisets are looked for."""

MOST_COUNTS = 128
"""The most counts, of sets that overlap, for which it is asked how long a kind can be."""

LONGEST = 1000
"""The most moves of a kind that is looked for as a circuit."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of neighbours of databases whose counts are public.

    A kind is a row of ``multisets``: how often each signature occurs, and how much of each slack. A
    single move within a cell changes no count, and is a kind of its own that is not listed.

    >>> Kinds(Cells.of(3, 100, [({i}, 33, 33) for i in range(2)])).multisets.sum(axis=1).tolist()
    [2, 2, 2, 3, 3]
    """

    cells: Cells

    @cached_property
    def signatures(self) -> Table:
        """The signatures of moves between cells, a row each."""
        return self._arcs[0]

    @cached_property
    def signature(self) -> Table:
        """For each two cells the row of their signature; −1 within a cell."""
        return self._arcs[1]

    @cached_property
    def _arcs(self) -> tuple[Table, Table]:
        table = self.cells.table
        cells = len(table)
        between = (table[None, :] - table[:, None]).reshape(cells * cells, -1)
        apart = np.flatnonzero(~np.eye(cells, dtype=bool).ravel())
        rows, which = np.unique(between[apart], axis=0, return_inverse=True)
        place = np.full(cells * cells, -1)
        place[apart] = which.ravel()
        return rows, place.reshape(cells, cells)

    @property
    def slack(self) -> Table:
        """By how much a count between two limits may change, up and down, a row each."""
        limits = self.cells.limits
        ranges = (limits[:, 0] < limits[:, 1]) & ~self.cells.told
        free = np.eye(len(limits), dtype=np.int64)[ranges]
        return np.concatenate([free, -free])

    @property
    def vectors(self) -> Table:
        """The signatures, and behind them the slack."""
        return np.concatenate([self.signatures, self.slack])

    @property
    def multisets(self) -> Table:
        """The kinds, one per row, the smaller ones first."""
        return self._found[0]

    @property
    def are_all(self) -> bool:
        """Whether all kinds are listed, and not only those of few moves and a long one."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[Table, bool]:
        vectors = self.vectors
        found = ZeroSums(np.zeros((0, len(vectors)), dtype=np.int64), False)
        if len(vectors) <= MOST_SIGNATURES:
            found = zero_sums(vectors)
        with_moves = found.multisets[:, : len(self.signatures)].any(axis=1)
        listed = found.multisets[with_moves].astype(np.int64)
        few = self.cells.table.shape[1] <= MOST_COUNTS
        if not found.is_complete and few and self.cells.are_equalities:
            long = np.zeros((1, len(vectors)), dtype=np.int64)
            for (i, j), times in long_kind(self.cells.table).items():
                long[0, self.signature[i, j]] += times
            equal = np.ones(len(vectors))
            listed = np.concatenate([listed, long[long.any(axis=1)], self.circuits(equal)])
        return listed, found.is_complete

    def circuits(self, weights: npt.NDArray[np.float64]) -> Table:
        """Return some kinds, not listed for being many, whose moves have large weights together."""
        found: Table = circuits(self.vectors, weights, min(self.cells.records, LONGEST))
        return found

    @property
    def moves(self) -> Table:
        """The number of moves of each kind."""
        found: Table = self.multisets[:, : len(self.signatures)].sum(axis=1)
        return found

    def shift(self, kind: Table) -> Table:
        """Return by how much a kind changes each count."""
        change: Table = -kind[len(self.signatures) :] @ self.slack
        return change

    @cached_property
    def most_moves(self) -> int:
        """A number of records that no two neighbours exceed in how many they change."""
        if not len(self.signatures):
            return 1
        if self.are_all:
            return int(max(self.moves, default=1))
        if self.cells.table.shape[1] > MOST_COUNTS:
            return self.cells.records
        ends = self.cells.table if self.cells.are_equalities else None
        general = longest(self.vectors, self.cells.records, ends)
        if self.groups is None:
            return general
        attained = min(general, int(max(self.moves, default=1)))
        return min(general, self.groups.most(self._weights([1] * len(self.signatures)), attained))

    @cached_property
    def groups(self) -> Groups | None:
        """Groups that kinds are made of; None if these are too many."""
        few = self.cells.table.shape[1] <= MOST_COUNTS
        return Groups.of(self.vectors) if few else None

    def most_added(self, weights: Sequence[fmpq], known: fmpq) -> fmpq | None:
        """Return a number that moves of these signatures, of one kind, do not exceed together.

        It is at least what is ``known`` to be attained. None if it would take too long.
        """
        unit = lcm(int(known.q), *(int(weight.q) for weight in weights))
        if self.groups is None or any(abs(w * unit) > MOST_WEIGHT for w in weights):
            return None
        whole = self._weights([int((weight * unit).p) for weight in weights])
        return fmpq(self.groups.most(whole, int((known * unit).p)), unit)

    def most_multiplied(self, weights: Sequence[fmpq], known: fmpq) -> fmpq | None:
        """Return a number that ratios of these signatures, of one kind, do not exceed multiplied.

        They are numbers from 1 up; their logarithms are added, rounded up.
        """
        sizes = [fmpq(logarithm(weight)) for weight in weights]
        together = self.most_added(sizes, fmpq(logarithm(known)))
        return None if together is None else of_logarithm(int(together.p))

    def _weights(self, of_signatures: Sequence[int]) -> Table:
        """Return weights of all vectors: slack has none."""
        return np.array([*of_signatures, *[0] * len(self.slack)], dtype=np.int64)
