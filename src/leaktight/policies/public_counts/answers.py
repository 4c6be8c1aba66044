"""Neighbouring answers of a query that only counts, if counts are public.

Databases are gone through as histograms of *types*: values of one cell that the query treats
alike. A kind of neighbours leads from every histogram into which it fits to another. A count on
cells whose numbers are known needs no list at all.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Any

import numpy as np

from leaktight.errors import TooLarge
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.policies.graph import Graph
from leaktight.policies.public_counts.cells import Table
from leaktight.policies.public_counts.counts import PublicCounts

MOST_HISTOGRAMS = 200_000
"""The most histograms that are gone through."""

MOST_EFFECTS = 20_000
"""The most ways in which a kind of neighbours can change a histogram."""

MOST_STEPS = 10**8
"""The most numbers that are compared to find which change fits into which histogram."""

MOST_ANSWERS = 10**6
"""The most answers that are listed."""


def counted_answers(counts: PublicCounts, counted_values: frozenset[int]) -> Graph | None:
    """Return the answers of a count where the public counts determine each cell; None if not.

    A cell with values that are counted and others may change the answer by one, up or down, and
    neighbours change one record in any of the cells at once: docs/proofs/public-counts.md.
    """
    only = counts.cells.only
    if only is None or not counts.all_secret:
        return None
    inside = [
        (sum(value in counted_values for value in values), len(values))
        for values in counts.cells.members
    ]
    least = sum(n for n, (some, every) in zip(only, inside, strict=True) if some == every)
    mixed = [n for n, (some, every) in zip(only, inside, strict=True) if 0 < some < every and n]
    if sum(mixed) * len(mixed) > allowed(MOST_ANSWERS):
        raise TooLarge(
            f"the count takes {counted(sum(mixed) + 1, 'value', 'values')}, each with up to "
            f"{2 * len(mixed)} neighbours: too many to list; sensitivity needs no list"
        )
    answers = np.arange(sum(mixed) + 1)
    pairs = [np.stack([answers[:-d], answers[d:]], axis=1) for d in range(1, len(mixed) + 1)]
    edges = np.concatenate([np.empty((0, 2), dtype=np.int64), *pairs])
    return Graph.from_indices(range(least, least + sum(mixed) + 1), edges)


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of a query on histograms of types."""

    counts: PublicCounts
    types: tuple[tuple[int, tuple[int, ...]], ...]
    """The cell and the values of each type."""
    answer: Callable[[dict[int, int]], Hashable]
    """The answer if so many records have each value."""

    def pairs(self) -> tuple[list[Hashable], list[tuple[int, int]]]:
        """Return the answer of each histogram, and which histograms are neighbours."""
        histograms = self._histograms
        firsts = [values[0] for _, values in self.types]
        answers = [
            self.answer({v: n for v, n in zip(firsts, row, strict=True) if n})
            for row in histograms.tolist()
        ]
        if len(histograms) * len(self._effects) * len(firsts) > allowed(MOST_STEPS):
            raise TooLarge(
                f"{len(histograms):,} histograms and {len(self._effects):,} ways to change them "
                "are too many to compare; fewer records, or fewer values"
            )
        place = {row.tobytes(): i for i, row in enumerate(histograms)}
        found = set[tuple[int, int]]()
        for sources, change in self._effects:
            fits = np.flatnonzero((histograms >= sources).all(axis=1))
            for i, row in zip(fits.tolist(), histograms[fits] + change, strict=True):
                found.add((i, place[row.tobytes()]))
        return answers, sorted(found)

    @cached_property
    def _histograms(self) -> Table:
        """All histograms of types that agree with the counts."""
        size = self.counts.cells.records
        number = 0
        found: list[Sequence[Any]] = []
        each = [[t for t, (cell, _) in enumerate(self.types) if cell == i] for i in self._cells]
        for histogram in self.counts.cells.histograms(MOST_HISTOGRAMS):
            number += prod(comb(n + len(t) - 1, n) for n, t in zip(histogram, each, strict=True))
            if number > allowed(MOST_HISTOGRAMS):
                raise TooLarge(
                    f"more than {allowed(MOST_HISTOGRAMS):,} histograms of {size:,} records agree "
                    "with the counts, too many to go through; sensitivity needs no list"
                )
            spread = [_compositions(n, len(t)) for n, t in zip(histogram, each, strict=True)]
            for parts in product(*spread):
                row = [0] * len(self.types)
                for places, part in zip(each, parts, strict=True):
                    for t, n in zip(places, part, strict=True):
                        row[t] = n
                found.append(row)
        return np.array(found, dtype=np.int64).reshape(-1, len(self.types))

    @property
    def _cells(self) -> range:
        return range(len(self.counts.cells.members))

    @cached_property
    def _effects(self) -> list[tuple[Table, Table]]:
        """The ways in which neighbours change a histogram: where records leave, and the change."""
        kinds = self.counts.kinds
        options: list[list[tuple[int, int]]] = [[] for _ in kinds.signatures]
        found = dict[tuple[tuple[int, ...], tuple[int, ...]], None]()
        for t, (i, _) in enumerate(self.types):
            for s, (j, _) in enumerate(self.types):
                if i != j:
                    options[kinds.signature[i, j]].append((t, s))
                elif s != t:
                    found[self._effect([(t, s)])] = None
        ways = 0
        for kind in kinds.multisets:
            used = [(options[s], int(kind[s])) for s in np.flatnonzero(kind[: len(options)])]
            ways += prod(comb(len(moves) + times - 1, times) for moves, times in used)
            if ways > allowed(MOST_EFFECTS):
                raise TooLarge(
                    f"neighbours change a histogram in more than {allowed(MOST_EFFECTS):,} ways; "
                    "sensitivity needs no list"
                )
            groups = [combinations_with_replacement(moves, times) for moves, times in used]
            for chosen in product(*groups):
                found[self._effect([move for some in chosen for move in some])] = None
        return [(np.array(sources), np.array(change)) for sources, change in found]

    def _effect(self, moves: list[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        leave, enter = [0] * len(self.types), [0] * len(self.types)
        for source, target in moves:
            leave[source] += 1
            enter[target] += 1
        return tuple(leave), tuple(b - a for a, b in zip(leave, enter, strict=True))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write a total as so many numbers from 0 up, large ones first."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _compositions(total - first, parts - 1):
            yield first, *rest
