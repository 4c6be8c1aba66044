"""Minimal secret difference of two databases of which only histograms are known.

Definition 2 of [Edwards2021]_ asks whether from D₁ some possible D₃ has secret changes that are a
proper part of those to D₂, or the same and a proper part of all changes. A part of the moves to D₂
may do, or a part of its secret moves together with moves along pairs that are no secrets. Of these
a kind of neighbours is enough (docs/proofs/public-counts.md), so that finitely many are tried.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from leaktight.policies.graph import Graph
from leaktight.policies.public_counts.cells import Table
from leaktight.policies.public_counts.gains import Move
from leaktight.policies.public_counts.kinds import Kinds

MOST_PARTS = 2**12
"""The most parts of a set of moves that are tried."""

MOST_STARTS = 4000
"""The most numbers that the counts may be before the moves, near their limits, that are tried."""


@dataclass(frozen=True, eq=False)
class Definition:
    """Definition 2 for databases whose counts are public, by the kinds of their neighbours."""

    kinds: Kinds
    secrets: Graph

    def settles(self, moves: Sequence[Move]) -> bool:
        """Say whether so many moves can be looked at part by part, and all kinds are known."""
        return self.kinds.are_all and 2 ** len(moves) <= MOST_PARTS

    def is_minimal(
        self, moves: Sequence[Move], values: Mapping[int, int], counts: Table | None
    ) -> bool:
        """Say whether from a database with so many records of each value no D₃ comes first.

        ``counts`` are those of the database; None if it is not known where between their limits
        they lie, and only what agrees wherever they do is looked at.
        """
        return not self._part_agrees(moves, counts) and not self._other_agrees(
            moves, values, counts
        )

    def signature(self, move: Move) -> Table:
        """Return by how much a move changes each count."""
        table = self.kinds.cells.table
        found: Table = (
            table[self.kinds.cells.cell_of[move.target]]
            - table[self.kinds.cells.cell_of[move.source]]
        )
        return found

    def _agree(self, counts: Table | None, changes: Table) -> npt.NDArray[np.bool_]:
        """Say of each change whether the counts agree with the limits after it."""
        found: npt.NDArray[np.bool_]
        if counts is None:
            found = (changes == 0).all(axis=1)
            return found
        low, high = self.kinds.cells.limits.T
        after = counts + changes
        found = ((low <= after) & (after <= high)).all(axis=1)
        return found & ~changes[:, self.kinds.cells.told].any(axis=1)

    def _part_agrees(self, moves: Sequence[Move], counts: Table | None) -> bool:
        """Say whether a proper part of the moves with a secret pair leads to a database."""
        parts = _parts(len(moves))
        secret = np.array([move.is_secret for move in moves])
        parts = parts[(parts @ secret > 0) & (parts.sum(axis=1) < len(moves))]
        changes = parts @ np.array([self.signature(move) for move in moves])
        return bool(self._agree(counts, changes).any())

    def _other_agrees(
        self, moves: Sequence[Move], values: Mapping[int, int], counts: Table | None
    ) -> bool:
        """Say whether part of the secret moves, with others along no secrets, makes a kind."""
        secret = [move for move in moves if move.is_secret]
        if len(secret) == 1:
            return False
        there = [value for value, times in values.items() if times]
        open_ = {s: [v for v in there if v in by] for s, by in enumerate(self._sources)}
        usable = np.array([bool(open_[s]) for s in range(len(self._sources))])
        kinds = self.kinds.multisets
        width = len(self._sources)
        possible = self._agree(counts, np.array([self.kinds.shift(kind) for kind in kinds]))
        kinds = kinds[possible, :width]
        for part in _parts(len(secret))[1:-1]:
            taken = [move for move, chosen in zip(secret, part, strict=True) if chosen]
            used = np.bincount([self._place(move) for move in taken], minlength=width)
            rest = kinds[(kinds >= used).all(axis=1)] - used
            rest = rest[~(rest[:, ~usable]).any(axis=1)]
            left = Counter(values)
            left.subtract(Counter(move.source for move in taken))
            for each in rest:
                wanted = [s for s in each.nonzero()[0].tolist() for _ in range(each[s])]
                if _matched(wanted, open_, left):
                    return True
        return False

    def _place(self, move: Move) -> int:
        return int(
            self.kinds.signature[
                self.kinds.cells.cell_of[move.source], self.kinds.cells.cell_of[move.target]
            ]
        )

    @cached_property
    def _sources(self) -> list[set[int]]:
        """For each signature the values that have a move with it along no secret pair."""
        joined = set(map(tuple, self.secrets.arcs.tolist()))
        found: list[set[int]] = [set() for _ in self.kinds.signatures]
        for u, i in self.kinds.cells.cell_of.items():
            for v, j in self.kinds.cells.cell_of.items():
                if i != j and (u, v) not in joined:
                    found[self.kinds.signature[i, j]].add(u)
        return found

    def starts(self, moves: Sequence[Move]) -> list[tuple[int | None, ...]] | None:
        """Return numbers of the counts before the moves at which no part of the moves agrees.

        None is any number. Where all pairs are secrets, the moves lead to a neighbour there and
        nowhere else. There is no answer if these would be too many to try.
        """
        changes = np.array([self.signature(move) for move in moves])
        parts = _parts(len(moves))[1:-1]
        secret = np.array([move.is_secret for move in moves])
        sums = parts[parts @ secret > 0] @ changes
        total = changes.sum(axis=0)
        options: list[list[int | None]] = []
        told = self.kinds.cells.told
        for q, (low, high) in enumerate(self.kinds.cells.limits.tolist()):
            if low == high or told[q]:
                options.append([None if told[q] else low])
                continue
            least, most = low - min(0, int(total[q])), high - max(0, int(total[q]))
            down, up = (int(f(sums[:, q], initial=0)) for f in (np.min, np.max))
            near = {
                *range(least, min(most, low - down) + 1),
                *range(max(least, high - up), most + 1),
            }
            options.append([None, *sorted(near)])
        if np.prod([float(len(option)) for option in options]) > MOST_STARTS:
            return None
        limits = self.kinds.cells.limits
        found = []
        for start in product(*options):
            known = np.array([number is not None for number in start])
            counts = np.array([0 if number is None else number for number in start])
            after = counts + sums
            outside = ((after < limits[:, 0]) | (after > limits[:, 1])) & known
            outside |= told & (sums != 0)
            if outside.any(axis=1).all():
                found.append(start)
        return found


def _parts(number: int) -> Table:
    """Return all subsets, the empty one first and the whole last."""
    found: Table = (np.arange(2**number)[:, None] >> np.arange(number)) & 1
    return found


def _matched(wanted: list[int], open_: Mapping[int, list[int]], left: Mapping[int, int]) -> bool:
    """Say whether each wanted signature can have a record of its own to start from."""
    taken: dict[tuple[int, int], int] = {}

    def place(item: int, tried: set[tuple[int, int]]) -> bool:
        for value in open_[wanted[item]]:
            for copy in range(min(left[value], len(wanted))):
                slot = value, copy
                if slot not in tried:
                    tried.add(slot)
                    if slot not in taken or place(taken[slot], tried):
                        taken[slot] = item
                        return True
        return False

    return all(place(item, set()) for item in range(len(wanted)))
