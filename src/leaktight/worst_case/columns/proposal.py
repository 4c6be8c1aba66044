"""Which columns does the worst channel likely consist of? A search in floating point.

The program of the columns found so far gives prices, and at these the cheapest columns that cost
less than 1 are the next to be added. Left to itself this jumps about, since few columns leave the
prices nearly free. So the prices stay in a box around the best that are known to be feasible: at
first those of the cover bound, later any that were better once divided by their least cost. The
box grows whenever it holds nothing better.

Nothing here is claimed: what comes out is looked at exactly in ``columns``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from leaktight.errors import Undecided
from leaktight.exact.linear_program import GrowingProgram
from leaktight.exact.tolerances import TOLERANCES
from leaktight.policies.graph import Graph, Indices
from leaktight.worst_case.columns.cuts import Cuts, Floats
from leaktight.worst_case.columns.flow import Neighbours, descend, neighbour_lists

Levels: TypeAlias = tuple[int, ...]

MOST_ROUNDS = 400
"""How often columns are added before exact arithmetic takes over."""

MOST_STEPS = 50
"""How often the levels of one column are changed at the same prices."""

LARGEST_POWER = 900
"""The largest power of 2 that a power of the ratio may reach."""

LARGEST_BY_CUTS = 2.0**40
"""How much larger one entry of a column may be than another where minimum cuts are used."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Columns, given by their levels, and for each vertex the cheapest one seen from it."""

    columns: list[Levels]
    cheapest: list[Levels]


def propose_columns(graph: Graph, ratio: Fraction) -> Proposal:
    """Return columns among which those of the worst channel are likely to be.

    >>> star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    >>> columns = propose_columns(star, Fraction(2)).columns
    >>> set(columns) >= {(1, 0, 2, 2), (1, 2, 0, 2), (1, 2, 2, 0)}
    True
    """
    distances = [tuple(row) for row in graph.distances.tolist()]
    # Above some ratio the worst case hardly changes its form, and floats overflow.
    farthest = max(1, int(graph.eccentricities.max()))
    near = float(min(ratio, Fraction(2) ** (LARGEST_POWER // farthest)))
    cuts = Cuts.of(graph) if near**farthest < LARGEST_BY_CUTS else None
    program = GrowingProgram(np.ones(graph.order), math.inf)
    search = _Search(near, neighbour_lists(graph), cuts, distances, program)
    search.add(search.cheapest)
    best = search.prices(np.zeros(graph.order), np.full(graph.order, math.inf))
    search.add([(0,) * graph.order])
    reach = best.sum() / graph.order
    for _ in range(MOST_ROUNDS):
        lower, upper = best - reach, best + reach
        prices = search.prices(lower, upper)
        cheapest, cost = search.price(prices)
        known = not search.add(cheapest)
        if known and ((lower < prices) & (prices < upper)).all():
            break
        if cost > 0 and best.sum() - prices.sum() / cost > (best.sum() - prices.sum()) / 2:
            best = prices / cost
        if known:
            reach *= 2
    return Proposal(search.tight(), search.cheapest)


@dataclass(slots=True)
class _Search:
    """The columns so far, and where the search from each vertex stands."""

    ratio: float
    neighbours: Neighbours
    cuts: Cuts | None
    """None if entries differ so much that rounding would hide the small ones."""
    cheapest: list[Levels]
    program: GrowingProgram
    """Prices of least sum at which no column so far costs less than 1."""
    columns: dict[Levels, None] = field(default_factory=dict)

    def add(self, columns: Sequence[Levels]) -> bool:
        """Add columns; say whether some are new."""
        shifted = dict.fromkeys(tuple(g - min(levels) for g in levels) for levels in columns)
        new = [levels for levels in shifted if levels not in self.columns]
        if new:
            self.columns.update(dict.fromkeys(new))
            entries = np.power(self.ratio, -np.array(new, dtype=np.float64))
            self.program.add(entries, np.ones(len(new)))
        return bool(new)

    def prices(self, lower: Floats, upper: Floats) -> Floats:
        """The solution in a box, of which the middle is feasible up to rounding."""
        self.program.within(lower, upper)
        try:
            return self.program.solve().x
        except Undecided:
            return np.where(np.isfinite(upper), (lower + upper) / 2, lower)

    def tight(self) -> list[Levels]:
        """The columns that determine the solution, and the constant one.

        With no others the exact solution is at the same prices. The constant column alone makes a
        channel, so that there is one.
        """
        known = list(self.columns)
        chosen = [known[k] for k in self.program.binding()]
        return list(dict.fromkeys([*chosen, (0,) * len(known[0])]))

    def price(self, prices: Floats) -> tuple[list[Levels], float]:
        """The cheapest column from each vertex if it costs less than 1, and the least cost."""
        deepest = max(map(max, self.columns))
        powers = np.power(self.ratio, -np.arange(-deepest, deepest + 1.0))

        def net(levels: Indices) -> Floats:
            return prices * powers[levels + deepest]

        def listed(levels: Sequence[int]) -> list[float]:
            return net(np.array(levels)).tolist()

        found, least = list[Levels](), 1.0
        for root, start in enumerate(self.cheapest):
            if self.cuts is None:
                levels, _ = descend(self.neighbours, start, listed, root, MOST_STEPS)
            else:
                levels = self.cuts.descend(start, net, root, MOST_STEPS).tolist()
            self.cheapest[root] = tuple(levels)
            cost = float(net(np.array(levels)).sum())
            least = min(least, cost)
            if cost < 1 - TOLERANCES.entry:
                found.append(self.cheapest[root])
        return found, least
