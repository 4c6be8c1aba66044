"""Distances of a linear query's answers for neighbours, if counts are public.

A move from u to v changes the answer by W_v − W_u. The largest |Σ (W_v − W_u)| over the moves
between neighbours is a sum over moves again once the sign of every coordinate is fixed, so that
all that matters is which signs to try: for a histogram, if all pairs are secrets, those of cells of
which only one value is counted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

from flint import fmpq

from leaktight.policies.public_counts.counts import PublicCounts
from leaktight.policies.public_counts.gains import Gains
from leaktight.policies.public_counts.search import Heaviest

Weights: TypeAlias = Sequence[tuple[fmpq, ...]]
"""What a record with each value adds to each coordinate of the answer."""

MOST_SIGNS = 10
"""The most coordinates of which both signs are tried."""


FEW_SIGNS = 8
"""So many signs are tried one by one even where kinds are too many to list."""


def largest_change(counts: PublicCounts, weights: Weights) -> Heaviest:
    """Return the largest sum of absolute changes between neighbours, with the moves that make it.

    >>> from leaktight.policies.public_counts.cells import Cells
    >>> from leaktight.policies.graph import Graph
    >>> two = Cells.of(3, 100, [({0, 1}, 40, 40)])
    >>> everything = Graph(3, [(0, 1), (0, 2), (1, 2)])
    >>> cells = [(fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)), (fmpq(0), fmpq(0))]
    >>> largest_change(PublicCounts(two, everything), cells).upper
    2
    """
    signs = _signs(counts, weights)
    if signs is None or (len(signs) > FEW_SIGNS and _are_kinds_too_many(counts)):
        found = counts.heaviest(_apart(counts, weights))
        return replace(found, lower=_change(found, weights))
    tried = [_largest_with(counts, weights, sign) for sign in signs]
    best = max(tried, key=lambda found: found.lower)
    return replace(best, upper=max(found.upper for found in tried))


def _are_kinds_too_many(counts: PublicCounts) -> bool:
    """Say whether kinds are neither cycles nor listed, so that each sign takes its time."""
    return counts.crosses and counts.cells.on_cycles is None and not counts.kinds.are_all


def _largest_with(counts: PublicCounts, weights: Weights, signs: Sequence[int]) -> Heaviest:
    """Return the largest sum of all coordinates with these signs: no more than the sum can vary."""
    found = counts.heaviest(_signed(counts, weights, signs))
    if found.lower == found.upper:
        return found
    heights = _heights(weights, signs)
    of_cells = [[heights[value] for value in values] for values in counts.cells.members]
    most = counts.cells.most([max(each) for each in of_cells])
    least = counts.cells.most([-min(each) for each in of_cells])
    if most is None or least is None:
        return found
    return replace(found, upper=max(found.lower, min(found.upper, most + least)))


def _heights(weights: Weights, signs: Sequence[int]) -> list[fmpq]:
    """Return what each value adds to the sum of all coordinates, with these signs."""
    return [sum((s * w for s, w in zip(signs, row, strict=True)), fmpq(0)) for row in weights]


def _change(found: Heaviest, weights: Weights) -> fmpq:
    """Return the sum of the absolute changes of all coordinates."""
    changes = [
        [b - a for a, b in zip(weights[move.source], weights[move.target], strict=True)]
        for move in found.moves
    ]
    return sum((abs(sum(each, fmpq(0))) for each in zip(*changes, strict=True)), fmpq(0))


def _apart(counts: PublicCounts, weights: Weights) -> Gains:
    """Return what each move changes by itself: together they change no more."""

    def best(moves: Iterable[tuple[int, int]]) -> tuple[Any, int, int] | None:
        found = (
            (sum((abs(b - a) for a, b in zip(weights[u], weights[v], strict=True)), fmpq(0)), u, v)
            for u, v in moves
        )
        return max(found, key=lambda move: move[0], default=None)

    return Gains.of(counts.cells, counts.secrets, best, multiply=False)


def _signed(counts: PublicCounts, weights: Weights, signs: Sequence[int]) -> Gains:
    """Return what each move adds to the sum of all coordinates, with these signs."""
    heights = _heights(weights, signs)

    def best(moves: Iterable[tuple[int, int]]) -> tuple[Any, int, int] | None:
        found = ((heights[v] - heights[u], u, v) for u, v in moves)
        return max(found, key=lambda move: move[0], default=None)

    return Gains.of(counts.cells, counts.secrets, best, multiply=False)


@dataclass(frozen=True, slots=True)
class _Coordinates:
    """For a histogram, which coordinate each value has; None if it has none."""

    of_value: tuple[int | None, ...]

    @classmethod
    def of(cls, weights: Weights) -> "_Coordinates | None":
        """Read a histogram: every coordinate counts one value."""
        places = [[i for i, w in enumerate(row) if w] for row in weights]
        used = [i for some in places for i in some]
        ones = all(w in (0, 1) for row in weights for w in row)
        if not ones or len(set(used)) < len(used) or any(len(some) > 1 for some in places):
            return None
        return cls(tuple(some[0] if some else None for some in places))


def _signs(counts: PublicCounts, weights: Weights) -> list[tuple[int, ...]] | None:
    """Return signs of the coordinates of which one set is best; None if these are too many."""
    width = len(weights[0])
    histogram = _Coordinates.of(weights) if counts.all_secret else None
    if width == 1 or histogram is None:
        # Neighbours are so both ways, so that of all signs and their opposites one is enough.
        return _both(range(1, width), [1] * width) if width <= MOST_SIGNS else None
    fixed, open_ = [1] * width, []
    for values in counts.cells.members:
        told = [c for v in values if (c := histogram.of_value[v]) is not None]
        if len(told) > 1:
            fixed[told[0]] = -1
        elif told:
            open_.append(told[0])
    if counts.cells.on_cycles is not None:
        # A cycle leaves every cell as often as it enters it, so one sign is as good as the other.
        return [tuple(fixed)]
    return _both(open_, fixed) if len(open_) <= MOST_SIGNS else None


def _both(places: Iterable[int], fixed: list[int]) -> list[tuple[int, ...]]:
    """Return all signs of some coordinates."""
    some = list(places)
    found = []
    for signs in product((1, -1), repeat=len(some)):
        here = list(fixed)
        for place, sign in zip(some, signs, strict=True):
            here[place] = sign
        found.append(tuple(here))
    return found
