"""Neighbours if counts are public, and how far apart they are."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

from leaktight.errors import Undecided
from leaktight.policies.graph import Graph
from leaktight.policies.public_counts.cells import Cells
from leaktight.policies.public_counts.cycles import cycle_with_one, heaviest_cycle
from leaktight.policies.public_counts.definition import Definition
from leaktight.policies.public_counts.gains import MOST_MOVES, Gains, Move
from leaktight.policies.public_counts.kinds import Kinds
from leaktight.policies.public_counts.search import Heaviest, Search, rest_of, sources_of

CYCLES = 6
"""From so many cells on, cycles are looked for as such and not listed."""


class Most(NamedTuple):
    """A largest number: it is at most ``value``, and as large as ``attained``."""

    attained: int
    value: int


@dataclass(frozen=True, eq=False)
class PublicCounts:
    """Databases whose counts are public, and who is a neighbour of whom."""

    cells: Cells
    secrets: Graph

    @property
    def is_possible(self) -> bool:
        """Whether some database agrees with the counts, as far as anyone knows."""
        try:
            return bool(self.cells.members) and self.cells.any is not None
        except Undecided:
            return True

    @property
    def possible_cells(self) -> list[tuple[int, ...]]:
        """The values of each cell that some record can have."""
        cells = range(len(self.cells.members))
        roomy = self.cells.find([1] * len(cells)) is not None
        return [
            values
            for i, values in enumerate(self.cells.members)
            if roomy or self.cells.find([int(i == j) for j in cells]) is not None
        ]

    @property
    def all_secret(self) -> bool:
        """Whether all pairs of values are secrets."""
        return self.secrets.is_complete

    @cached_property
    def crosses(self) -> bool:
        """Whether some secret pair joins two cells; if not, neighbours differ in one record."""
        cells = self.cells.cell_of
        pairs = self.secrets.edges.tolist()
        return any(u in cells and v in cells and cells[u] != cells[v] for u, v in pairs)

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of neighbours."""
        return Kinds(self.cells)

    @cached_property
    def definition(self) -> Definition:
        """Which neighbours of a kind are neighbours."""
        return Definition(self.kinds, self.secrets)

    @cached_property
    def reach(self) -> Most:
        """In how many records neighbours differ, at most."""
        if self.all_secret and (cycle_of := self.cells.on_cycles) is not None:
            there = [self.cells.members[i] for i in cycle_of]
            cycle = len(there) if len(there) > 1 else int(len(there[0]) > 1)
            return Most(cycle, cycle)

        def first(moves: Iterable[tuple[int, int]]) -> tuple[fmpq, int, int] | None:
            return next(((fmpq(1), u, v) for u, v in moves), None)

        def one(start: Any, end: Any) -> Any:
            return np.ones((len(start), len(end)), dtype=np.int64)

        if self.secrets.order**2 <= MOST_MOVES:
            gains = Gains.of(self.cells, self.secrets, first, multiply=False)
        else:
            gains = Gains.by_scores(self.cells, self.secrets, one)
        found = self.heaviest(gains)
        return Most(int(found.lower.p), int(found.upper.p))

    @property
    def is_connected(self) -> bool | None:
        """Whether every database can be reached from every other, from neighbour to neighbour.

        So it is if all pairs are secrets: between two databases that are no neighbours there is
        another, which differs from each in fewer records. Where a count is public whatever it is,
        databases that differ in it are not joined. None if it is not known.
        """
        if self.cells.told.any():
            return False
        return True if self.all_secret else None

    @cached_property
    def diameter(self) -> Most | None:
        """How many steps from neighbour to neighbour any two databases are apart, at most.

        It is known if all pairs are secrets: exactly for one count, and otherwise no more than a
        step for each record that changes within its cell and half a step for each other.

        >>> told = [({0}, 300, 300), ({1}, 500, 500), ({2}, 200, 200)]
        >>> everything = Graph(3, [(0, 1), (0, 2), (1, 2)])
        >>> PublicCounts(Cells.of(3, 1000, told[:1]), everything).diameter
        Most(attained=700, value=700)
        >>> PublicCounts(Cells.of(3, 1000, told), everything).diameter
        Most(attained=334, value=500)
        """
        if not self.all_secret:
            return None
        histogram = self.cells.any or ()
        records = self.cells.records
        there = [(len(v), n) for v, n in zip(self.cells.members, histogram, strict=True) if n]
        alone = [n for values, n in there if values == 1]
        if self.cells.only is not None:
            most = records - sum(alone) + min(sum(alone) // 2, sum(alone) - max(alone, default=0))
            if len(there) < 3:
                return Most(most, most)
        else:
            moves_alone = not self.cells.are_equalities or any(
                len(v) > 1 for v in self.cells.members
            )
            most = records if moves_alone else records // 2
        changed = records - max(0, 2 * max(alone, default=0) - records)
        return Most(min(most, -(-changed // max(1, self.reach.value))), most)

    def heaviest(self, gains: Gains) -> Heaviest:
        """Return the most that moves between neighbours add."""
        single = self._single(gains)
        if len(self.cells.members) < 2 or not gains.crosses:
            return single
        there = self.cells.on_cycles
        if there is not None and len(there) >= CYCLES and gains.all_secret:
            several = self._cycle(gains, there)
        elif there is not None and len(there) >= CYCLES and not self.kinds.are_all:
            several = self._cycle_with_others(gains, there)
        else:
            several = Search(self.definition, gains).best()
        if single.upper >= several.upper:
            return single
        lower = max(single, several, key=lambda found: found.lower)
        return Heaviest(lower.lower, several.upper, lower.moves, lower.rest)

    def _single(self, gains: Gains) -> Heaviest:
        """Return the best move within a cell, which changes no count."""
        neutral = gains.total(())
        found = [row[i] for i, row in enumerate(gains.secret)]
        for move in sorted(
            (m for m in found if m is not None), key=lambda m: m.weight, reverse=True
        ):
            if move.weight <= neutral:
                break
            moves = (move,)
            if (histogram := self.cells.find(sources_of(self.cells, moves))) is not None:
                return Heaviest(
                    move.weight, move.weight, moves, rest_of(self.cells, moves, histogram)
                )
        return Heaviest(neutral, neutral)

    def _cycle(self, gains: Gains, there: list[int]) -> Heaviest:
        """Return the best cycle through cells that have records."""
        weights = [
            [None if i == j else gains.secret[i][j].weight for j in there]  # type: ignore[union-attr]
            for i in there
        ]
        found = heaviest_cycle(weights, gains.multiply)
        steps = _steps([there[i] for i in found.cells])
        moves = tuple(move for i, j in steps if (move := gains.secret[i][j]) is not None)
        return self._fitted(found.weight, found.most, moves)

    def _cycle_with_others(self, gains: Gains, there: list[int]) -> Heaviest:
        """Bound all cycles of moves, secret pairs or not, and look for one with one secret pair.

        A simple cycle with one secret pair leads to a neighbour.
        """
        secret, other = (
            [[None if (m := table[i][j]) is None else m.weight for j in there] for i in there]
            for table in (gains.secret, gains.other)
        )
        either = [
            [
                max((w for w in pair if w is not None), default=None)
                for pair in zip(a, b, strict=True)
            ]
            for a, b in zip(secret, other, strict=True)
        ]
        upper = heaviest_cycle(either, gains.multiply).most
        found = cycle_with_one(secret, other, gains.multiply)
        if found is None:
            return Heaviest(gains.total(()), upper)
        first, *onward = _steps([there[i] for i in found.cells])
        moves = [gains.secret[first[0]][first[1]], *(gains.other[i][j] for i, j in onward)]
        return self._fitted(found.weight, upper, tuple(move for move in moves if move is not None))

    def _fitted(self, weight: Any, upper: Any, moves: tuple[Move, ...]) -> Heaviest:
        """Return moves along a cycle with how many other records have each value."""
        histogram = self.cells.only or self.cells.find(sources_of(self.cells, moves))
        assert histogram is not None
        return Heaviest(weight, upper, moves, rest_of(self.cells, moves, histogram))


def _steps(cycle: list[int]) -> list[tuple[int, int]]:
    return list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
