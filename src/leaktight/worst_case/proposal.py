"""Which columns does the worst channel likely consist of? A search in floating point.

The program of the columns found so far gives prices, and at these the cheapest columns that cost
less than 1 are the next to be added. Left to itself this jumps about, since few columns leave the
prices nearly free. So the prices stay in a box around the best that are known to be feasible: at
first those of the cover bound, later any that were better once divided by their least cost. The
box grows whenever it holds nothing better.

Nothing here is claimed: what comes out is looked at exactly in :mod:`leaktight.worst_case.columns`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.exact import TOLERANCES
from leaktight.graph import Graph
from leaktight.linear_program import LinearProgram, Optimum, propose, solve
from leaktight.worst_case.flow import Neighbours, descend, neighbour_lists

Levels: TypeAlias = tuple[int, ...]
Floats: TypeAlias = npt.NDArray[np.float64]

MOST_ROUNDS = 400
"""How often columns are added before exact arithmetic takes over."""

MOST_STEPS = 50
"""How often the levels of one column are changed at the same prices."""

LARGEST_POWER = 900
"""The largest power of 2 that a power of the ratio may reach."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Columns, given by their levels, and for each vertex the cheapest one seen from it."""

    columns: list[Levels]
    cheapest: list[Levels]


def propose_columns(graph: Graph, ratio: Fraction) -> Proposal:
    """Return columns among which those of the worst channel are likely to be.

    >>> star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    >>> sorted(propose_columns(star, Fraction(2)).columns)
    [(0, 0, 0, 0), (1, 0, 0, 0), (1, 0, 2, 2), (1, 2, 0, 2), (1, 2, 2, 0)]
    """
    distances = [tuple(row) for row in graph.distances.tolist()]
    # Above some ratio the worst case hardly changes its form, and floats overflow.
    largest = Fraction(2) ** (LARGEST_POWER // max(1, int(graph.eccentricities.max())))
    search = _Search(float(min(ratio, largest)), neighbour_lists(graph), distances)
    search.add(search.cheapest)
    best = search.prices(np.zeros(graph.order), None)
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
    return Proposal(search.tight(lower, upper), search.cheapest)


@dataclass(slots=True)
class _Search:
    """The columns so far, and where the search from each vertex stands."""

    ratio: float
    neighbours: Neighbours
    cheapest: list[Levels]
    columns: dict[Levels, None] = field(default_factory=dict)

    def add(self, columns: Sequence[Levels]) -> bool:
        """Add columns; say whether some are new."""
        before = len(self.columns)
        for levels in columns:
            least = min(levels)
            self.columns[tuple(g - least for g in levels)] = None
        return len(self.columns) > before

    def program(self, lower: Floats, upper: Floats | None) -> LinearProgram:
        """Prices of least sum at which no column so far costs less than 1."""
        entries = np.power(self.ratio, -np.array(list(self.columns), dtype=np.float64))
        rows, places = np.indices(entries.shape)
        return LinearProgram(
            np.ones(entries.shape[1]),
            (rows.ravel(), places.ravel(), entries.ravel()),
            row_lower=np.ones(len(entries)),
            lower=lower,
            upper=upper,
        )

    def prices(self, lower: Floats, upper: Floats | None) -> Floats:
        """The solution; the middle of the box is feasible up to rounding."""
        best = solve(self.program(lower, upper))
        if isinstance(best, Optimum):
            return best.x
        return (lower + (lower if upper is None else upper)) / 2

    def tight(self, lower: Floats, upper: Floats) -> list[Levels]:
        """The columns that determine the solution, and the constant one.

        With no others the exact solution is at the same prices. The constant column alone makes a
        channel, so that there is one.
        """
        basis = propose(self.program(lower, upper))
        binding = ~basis.basic[len(lower) :]
        chosen = [levels for levels, binds in zip(self.columns, binding, strict=True) if binds]
        return list(dict.fromkeys([*chosen, (0,) * len(lower)]))

    def price(self, prices: Floats) -> tuple[list[Levels], float]:
        """The cheapest column from each vertex if it costs less than 1, and the least cost."""
        deepest = max(map(max, self.columns))
        powers = [self.ratio**-g for g in range(-deepest, deepest + 1)]
        known = prices.tolist()

        def net(levels: Sequence[int]) -> list[float]:
            return [y * powers[g + deepest] for y, g in zip(known, levels, strict=True)]

        found, least = list[Levels](), 1.0
        for root, start in enumerate(self.cheapest):
            levels, _ = descend(self.neighbours, start, net, root, MOST_STEPS)
            self.cheapest[root] = tuple(levels)
            cost = sum(net(levels))
            least = min(least, cost)
            if cost < 1 - TOLERANCES.entry:
                found.append(self.cheapest[root])
        return found, least
