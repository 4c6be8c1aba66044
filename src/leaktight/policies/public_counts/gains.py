"""What does each move between two cells add?

A level multiplies the ratios of the moves, a sensitivity adds up their changes. Of the moves from a
cell to another only the best matter: the best that is a secret pair, and the best that is not.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from flint import fmpq

from leaktight.policies.graph import Graph
from leaktight.policies.public_counts.cells import Cells


class Move(NamedTuple):
    """A record's change from a value to another, and what it adds."""

    weight: Any
    source: int
    target: int
    is_secret: bool


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """For each two cells the best ``secret`` and the best other move, None where there is none."""

    secret: tuple[tuple[Move | None, ...], ...]
    other: tuple[tuple[Move | None, ...], ...]
    multiply: bool
    """Whether what moves add is multiplied, or else added."""

    @classmethod
    def of(
        cls,
        cells: Cells,
        secrets: Graph,
        best: Callable[[Iterable[tuple[int, int]]], tuple[Any, int, int] | None],
        *,
        multiply: bool,
    ) -> "Gains":
        """Ask for the best move, with its weight, among those between each two cells.

        ``best`` gets moves as pairs of values.
        """
        complete = is_complete(secrets)
        edges = [] if complete else secrets.edges.tolist()
        joined = {(a, b) for edge in edges for a, b in (edge, edge[::-1])}
        tables = []
        for is_secret in (True, False):
            rows = []
            for start in cells.members:
                row: list[Move | None] = []
                for end in cells.members:
                    found = None
                    if is_secret or not complete:
                        found = best(
                            (u, v)
                            for u in start
                            for v in end
                            if u != v and (complete or ((u, v) in joined) == is_secret)
                        )
                    row.append(None if found is None else Move(*found, is_secret))
                rows.append(tuple(row))
            tables.append(tuple(rows))
        return cls(tables[0], tables[1], multiply)

    @property
    def all_secret(self) -> bool:
        """Whether every move between cells is a secret pair."""
        return all(move is None for row in self.other for move in row)

    def options(self, i: int, j: int) -> list[Move]:
        """Return the moves from cell i to cell j that matter, the best first."""
        found = [m for m in (self.other[i][j], self.secret[i][j]) if m is not None]
        if len(found) == 2 and found[1].weight > found[0].weight:
            found.reverse()
        return found

    def total(self, weights: Iterable[Any]) -> Any:
        """Return what moves add together."""
        if self.multiply:
            return math.prod(weights, start=fmpq(1))
        return sum(weights, start=fmpq(0))

    def power(self, weight: Any, times: int) -> Any:
        """Return what so many moves add that each add the same."""
        return weight**times if self.multiply else weight * times


def is_complete(graph: Graph) -> bool:
    """Say whether all pairs of values are secrets."""
    return bool(graph.size == graph.order * (graph.order - 1) // 2)
