"""The neighbours between which the moves add the most.

Every kind of neighbours has a best choice of moves that fit into a database that agrees with the
counts. The best over all kinds is at least the truth, because every neighbour is of some kind. It
is the truth where the databases found are neighbours by Definition 2 of [Edwards2021]_: always, if
all pairs of values are secrets and the counts are single numbers.
"""

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.errors import Undecided
from leaktight.exact.bound import Bound
from leaktight.exact.numbers import to_float
from leaktight.exact.rounding import log2
from leaktight.policies.public_counts.cells import Cells, Histogram
from leaktight.policies.public_counts.definition import Definition
from leaktight.policies.public_counts.gains import Gains, Move

MOST_CHOICES = 400
"""The most choices of moves that are tried on databases."""

MOST_OPTIONS = 2000
"""The most choices of moves of one kind that are ranked."""

MOST_EXCHANGED = 8
"""The most moves of a kind that are exchanged for the next best, if not all kinds are listed."""

ROUNDING = 2.0**-52
"""By so much of its size a float is off that was rounded once or twice."""


@dataclass(frozen=True, slots=True, repr=False)
class Heaviest(Bound[Any]):
    """The most that the moves between neighbours add.

    ``moves`` add ``lower``; with ``rest``, how many other records have each value, they lead from a
    database to a neighbour. There are no neighbours if there are no moves.
    """

    moves: tuple[Move, ...] = ()
    rest: Mapping[int, int] | None = None


def sources_of(cells: Cells, moves: Sequence[Move]) -> Histogram:
    """Return how many moves start in each cell."""
    each = Counter(cells.cell_of[move.source] for move in moves)
    return tuple(each[i] for i in range(len(cells.members)))


def rest_of(cells: Cells, moves: Sequence[Move], histogram: Histogram) -> dict[int, int]:
    """Return values for the records that do not move: where it can be, those that move have."""
    first = {cells.cell_of[move.source]: move.source for move in reversed(moves)}
    stay = np.subtract(histogram, sources_of(cells, moves)).tolist()
    return {
        first.get(i, values[0]): times
        for i, (values, times) in enumerate(zip(cells.members, stay, strict=True))
        if times
    }


class Search:
    """The best choice of moves over all kinds."""

    def __init__(self, definition: Definition, gains: Gains) -> None:
        self.definition, self.gains = definition, gains
        self.kinds, self.cells = definition.kinds, definition.kinds.cells
        self.options: list[list[Move]] = [[] for _ in self.kinds.signatures]
        for (i, j), place in np.ndenumerate(self.kinds.signature):
            if place >= 0:
                self.options[place] += gains.options[i][j]
        for each in self.options:
            each.sort(key=lambda move: (move.weight, not move.is_secret), reverse=True)
        self.tried = 0
        self.neutral = gains.total(())
        weights = [abs(each[0].weight) for each in self.options if each]
        self.unit = max([weight for weight in weights if weight], default=fmpq(1))
        self.exact = gains.all_secret and self.cells.are_equalities
        self.fits: dict[Any, Histogram | None] = {}

    def best(self) -> Heaviest:
        """Go through the kinds, those that promise most first."""
        upper, best = self.neutral, Heaviest(self.neutral, self.neutral)
        for kind, size in self._promising():
            reached = self._size(best.lower)
            if size < reached - abs(reached) * ROUNDING:
                break
            promise = self._promise(kind)
            if promise is None or promise <= best.lower:
                continue
            most, found = self._of_kind(kind, promise, best.lower)
            best = best if found is None else found
            upper = max(upper, most)
        if not self.kinds.are_all:
            best = max(best, self._there_and_back(), key=lambda found: found.lower)
            upper = max(upper, self._without_kinds(best.lower))
        return Heaviest(best.lower, upper, best.moves, best.rest)

    def _without_kinds(self, known: Any) -> Any:
        """Return more than any moves add, if not all kinds are listed."""
        most = max((move.weight for each in self.options for move in each), default=self.neutral)
        several = self.gains.power(max(most, self.neutral), self.kinds.most_moves)
        # A signature that no move has is in no kind of moves, whatever it is said to add.
        weights = [each[0].weight if each else self.neutral for each in self.options]
        if several <= known or len(set(weights)) == 1:
            return several
        kinds = self.kinds
        bound = kinds.most_multiplied if self.gains.multiply else kinds.most_added
        together = bound(weights, max(known, self.neutral))
        return several if together is None else min(several, together)

    def _there_and_back(self) -> Heaviest:
        """Return the best two moves between two cells, one of them along no secret if need be."""
        best, gains = Heaviest(self.neutral, self.neutral), self.gains
        home = gains.secret if gains.all_secret else gains.other
        for i, row in enumerate(gains.secret):
            for j, go in enumerate(row):
                back = home[j][i]
                if i != j and go is not None and back is not None:
                    weight = gains.total([go.weight, back.weight])
                    if weight > best.lower:
                        _, found = self._judged((go, back), weight)
                        best = found if found is not None else best
        return best

    def _size(self, weight: Any) -> float:
        """Return a weight as a float, rounded: its logarithm, or its share of the largest move."""
        return log2(weight) if self.gains.multiply else to_float(weight / self.unit)

    def _promising(self) -> Iterator[tuple[Any, float]]:
        """Yield the kinds with a float that is no less than what their moves add, largest first.

        A sum of n products of floats is off by less than (n + 4) roundings of the sum of their
        sizes, and by no more than 2^−900 for what is too small to be a float.
        """
        empty = np.array([not each for each in self.options], dtype=bool)
        best = np.array([self._size(each[0].weight) if each else 0.0 for each in self.options])
        kinds = self.kinds.multisets
        if not self.kinds.are_all and self.exact and np.unique(best).size > 1:
            slack = np.zeros(kinds.shape[1] - len(best))
            kinds = np.concatenate([kinds, self.kinds.circuits(np.append(best, slack))])
        moves = kinds[:, : len(best)]
        sizes = moves @ best
        sizes += (len(best) + 4) * ROUNDING * (moves @ np.abs(best)) + 2.0**-900
        order = np.argsort(-sizes, kind="stable")
        for row in order[~moves[order][:, empty].any(axis=1)].tolist():
            yield kinds[row], float(sizes[row])

    def _promise(self, kind: Any) -> Any | None:
        """Return the most that moves of a kind add, if all fit; None if none can be secret."""
        used = np.flatnonzero(kind[: len(self.options)])
        if not all(self.options[s] for s in used):
            return None
        total = self.gains.total(
            self.gains.power(self.options[s][0].weight, int(kind[s])) for s in used
        )
        if any(self.options[s][0].is_secret for s in used):
            return total
        with_secret = [
            self._exchanged(total, self.options[s][0], move)
            for s in used
            for move in self.options[s]
            if move.is_secret
        ]
        return max(with_secret, default=None)

    def _exchanged(self, total: Any, before: Move, after: Move) -> Any:
        if self.gains.multiply:
            return total / before.weight * after.weight
        return total - before.weight + after.weight

    # --- one kind --------------------------------------------------------------------------

    def _of_kind(self, kind: Any, promise: Any, known: Any) -> tuple[Any, Heaviest | None]:
        """Return what moves of a kind add at most, and the best that are neighbours, if better."""
        reached = None
        for weight, moves in self._choices(kind):
            self.tried += 1
            if weight is None or self.tried > MOST_CHOICES:
                return promise if reached is None else reached, None
            if weight <= known:
                break
            state, found = self._judged(moves, weight)
            if state == "no":
                continue
            reached = weight if reached is None else reached
            if found is not None:
                return reached, found
        return known if reached is None else reached, None

    def _judged(self, moves: tuple[Move, ...], weight: Any) -> tuple[str, Heaviest | None]:
        """Say whether moves lead from a database to a neighbour, nowhere, or nobody knows."""
        definition = self.definition
        shift = sum(
            (definition.signature(move) for move in moves), np.zeros_like(self.cells.table[0])
        )
        sources = sources_of(self.cells, moves)
        try:
            histogram = self._fit(sources, tuple(shift.tolist()))
        except Undecided:
            return "unknown", None
        if histogram is None:
            return "no", None
        if self.exact:
            return "yes", self._found(moves, weight, histogram)
        if not definition.settles(moves):
            return "unknown", None
        histograms = [histogram]
        if not self.cells.are_equalities:
            starts = self._starts(moves, shift)
            if starts is None:
                return "unknown", None
            try:
                tried = [self.cells.find(sources, shift.tolist(), start) for start in starts]
            except Undecided:
                return "unknown", None
            histograms = [some for some in tried if some is not None]
            if not histograms:
                return "no", None
        for some in histograms:
            rest = rest_of(self.cells, moves, some)
            if self._is_neighbour(moves, rest, self.cells.counts(some)):
                return "yes", self._found(moves, weight, some)
        # What is shown of these values is not shown of others between the same cells.
        never = self.gains.lists_all and not self._is_neighbour(moves, {}, None)
        return ("no" if never else "unknown"), None

    def _starts(self, moves: tuple[Move, ...], shift: Any) -> Any:
        """Return where counts must be so that no part of the moves agrees, from either end."""
        here = self.definition.starts(moves)
        if self.gains.all_secret or here is None:
            return here
        there = self.definition.starts(_back(moves))
        return (
            None
            if there is None
            else [
                *here,
                *(
                    tuple(
                        None if c is None else c - d
                        for c, d in zip(start, shift.tolist(), strict=True)
                    )
                    for start in there
                ),
            ]
        )

    def _is_neighbour(self, moves: tuple[Move, ...], rest: Mapping[int, int], counts: Any) -> bool:
        """Say whether Definition 2 holds from either end."""
        definition = self.definition
        before = Counter(rest) + Counter(move.source for move in moves)
        if definition.is_minimal(moves, before, counts):
            return True
        back = _back(moves)
        after = Counter(rest) + Counter(move.target for move in moves)
        shift = sum(definition.signature(move) for move in moves)
        return definition.is_minimal(back, after, None if counts is None else counts + shift)

    def _found(self, moves: tuple[Move, ...], weight: Any, histogram: Histogram) -> Heaviest:
        return Heaviest(weight, weight, moves, rest_of(self.cells, moves, histogram))

    def _fit(self, sources: Histogram, shift: tuple[int, ...]) -> Histogram | None:
        """Return a histogram into which the moves fit."""
        if any(shift):
            return self._asked(sources, shift)
        room = self._asked((self.kinds.most_moves,) * len(sources), shift)
        return room if room is not None else self._asked(sources, shift)

    def _asked(self, sources: Histogram, shift: tuple[int, ...]) -> Histogram | None:
        key = sources, shift
        if key not in self.fits:
            self.fits[key] = self.cells.find(sources, shift)
        return self.fits[key]

    def _choices(self, kind: Any) -> Iterator[tuple[Any, tuple[Move, ...]]]:
        """Yield the choices of moves for a kind with a secret pair, the best first.

        The last has the weight None if there are more than are looked at.
        """
        signatures = [
            s for s in kind[: len(self.options)].nonzero()[0].tolist() for _ in range(kind[s])
        ]
        start = (0,) * len(signatures)
        waiting, seen = [self._entry(signatures, start)], {start}
        for _ in range(MOST_OPTIONS):
            if not waiting:
                return
            _, secrets, at, weight, moves = heapq.heappop(waiting)
            if secrets:
                yield weight, moves
            if len(signatures) > MOST_EXCHANGED and not self.kinds.are_all:
                break
            for place, option in enumerate(at):
                # Of several moves with one signature, the order does not matter.
                alike = place + 1 < len(at) and signatures[place + 1] == signatures[place]
                most = at[place + 1] if alike else len(self.options[signatures[place]]) - 1
                after = (*at[:place], option + 1, *at[place + 1 :])
                if option < most and after not in seen:
                    seen.add(after)
                    heapq.heappush(waiting, self._entry(signatures, after))
        yield None, ()

    def _entry(self, signatures: Sequence[int], at: tuple[int, ...]) -> tuple[Any, ...]:
        moves = tuple(self.options[s][option] for s, option in zip(signatures, at, strict=True))
        weight = self.gains.total(move.weight for move in moves)
        # Among equals those with the fewest secret pairs come first: one is always a neighbour.
        rank = 1 / weight if self.gains.multiply else -weight
        return rank, sum(move.is_secret for move in moves), at, weight, moves


def _back(moves: Sequence[Move]) -> list[Move]:
    return [Move(m.weight, m.target, m.source, m.is_secret) for m in moves]
