"""What each move between two cells adds.

A level multiplies the ratios of the moves, a sensitivity adds up their changes. Of the moves from a
cell to another only the best matter: the best that is a secret pair, and the best that is not. But
where not all pairs are secrets, who is a neighbour depends on the values, and all moves may matter.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.policies.graph import Graph
from leaktight.policies.public_counts.cells import Cells

MOST_MOVES = 256
"""The most moves that are all tried where not all pairs are secrets."""


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
    options: tuple[tuple[tuple[Move, ...], ...], ...]
    """For each two cells the moves that are tried."""
    lists_all: bool
    """Whether no other move could lead to a neighbour where these do not."""
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
        complete = secrets.is_complete
        joined = set() if complete else set(map(tuple, secrets.arcs.tolist()))
        lists_all = complete or secrets.order**2 <= MOST_MOVES
        secret, other, every = list[Any](), list[Any](), list[Any]()
        for start in cells.members:
            rows: tuple[list[Any], ...] = ([], [], [])
            for end in cells.members:
                pairs = [(u, v) for u in start for v in end if u != v]
                hidden = pairs if complete else [pair for pair in pairs if pair in joined]
                open_ = [] if complete else [pair for pair in pairs if pair not in joined]
                found = [_move(best(hidden), True), _move(best(open_) if open_ else None, False)]
                moves = [move for move in found if move is not None]
                if lists_all and not complete:
                    each = [(pair, pair in joined) for pair in pairs]
                    tried = [_move(best([pair]), is_secret) for pair, is_secret in each]
                    moves = [move for move in tried if move is not None]
                for row, content in zip(rows, (*found, tuple(moves)), strict=True):
                    row.append(content)
            for table, row in zip((secret, other, every), rows, strict=True):
                table.append(tuple(row))
        return cls(tuple(secret), tuple(other), tuple(every), lists_all, multiply)

    @classmethod
    def by_scores(
        cls, cells: Cells, secrets: Graph, score: Callable[[Any, Any], npt.NDArray[np.int64]]
    ) -> "Gains":
        """Return what moves add, for many values: ``score`` has a row for each start, by arrays."""
        joined = None
        if not secrets.is_complete:
            from scipy.sparse import csr_array

            arcs = secrets.arcs
            shape = (secrets.order, secrets.order)
            joined = csr_array((np.ones(len(arcs), dtype=bool), (arcs[:, 0], arcs[:, 1])), shape)
        secret, other, every = list[Any](), list[Any](), list[Any]()
        places = [np.array(values) for values in cells.members]
        for start in places:
            rows: tuple[list[Any], ...] = ([], [], [])
            for end in places:
                scores = score(start, end)
                stays = start[:, None] == end[None]
                hidden = ~stays
                if joined is not None:
                    hidden &= joined[start][:, end].toarray()
                found = [
                    _best(scores, hidden, start, end, True),
                    _best(scores, ~hidden & ~stays, start, end, False),
                ]
                moves = tuple(move for move in found if move is not None)
                for row, content in zip(rows, (*found, moves), strict=True):
                    row.append(content)
            for table, row in zip((secret, other, every), rows, strict=True):
                table.append(tuple(row))
        lists_all = joined is None
        return cls(tuple(secret), tuple(other), tuple(every), lists_all, multiply=False)

    @property
    def crosses(self) -> bool:
        """Whether some secret pair joins two cells."""
        return any(
            move is not None
            for i, row in enumerate(self.secret)
            for j, move in enumerate(row)
            if i != j
        )

    @property
    def all_secret(self) -> bool:
        """Whether every move between cells is a secret pair."""
        return all(move is None for row in self.other for move in row)

    def total(self, weights: Iterable[Any]) -> Any:
        """Return what moves add together."""
        if self.multiply:
            return math.prod(weights, start=fmpq(1))
        return sum(weights, start=fmpq(0))

    def power(self, weight: Any, times: int) -> Any:
        """Return what so many moves add that each add the same."""
        return weight**times if self.multiply else weight * times


def _best(
    scores: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
    start: Any,
    end: Any,
    secret: bool,
) -> Move | None:
    """Return the best of the allowed moves."""
    if not allowed.any():
        return None
    i, j = np.unravel_index(int(np.where(allowed, scores, -(2**62)).argmax()), scores.shape)
    return Move(fmpq(int(scores[i, j])), int(start[i]), int(end[j]), secret)


def _move(found: tuple[Any, int, int] | None, is_secret: bool) -> Move | None:
    return None if found is None else Move(*found, is_secret)
