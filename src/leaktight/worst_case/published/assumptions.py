"""Assumptions of the published bounds that hold for a graph."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from flint import fmpq, fmpz_poly

from leaktight.exact.powers import Powers
from leaktight.exact.shown import counted
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.symmetry import (
    DistanceDistribution,
    UnequalDistances,
    distance_distribution,
    distance_regularity,
)
from leaktight.worst_case.published.codes import CoveringCode, greedy_code, smallest_code

MOST_COUNTED = 2**24
"""The most bits that numbers may take which are added up exactly."""

MOST_GREEDY = 128
"""The most vertices of a graph for which a small covering code is looked for."""

MOST_SMALLEST = 32
"""The most vertices of a graph for which a smallest covering code is looked for."""

MOST_TURNED = 12
"""The most vertices of a graph for which one cycle of all of them is looked for."""

MOST_REGULAR = 256
"""The most vertices of a graph whose pairs are all looked at."""


@dataclass(frozen=True)
class Setting:
    """The graph and the ratio for which bounds are asked, and what decides which of them apply.

    What begins with ``no_`` is the reason why something does not hold, empty if it does.
    """

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    graph: AdjacencyGraph
    ratio: fmpq
    outputs: int | None = None

    @property
    def records(self) -> int:
        """The number of records."""
        return self.graph.records

    @property
    def values(self) -> int:
        """The number of values of the first record."""
        return self.graph.factors[0][0].order

    def over_factors(self, number: Callable[[Graph], Powers]) -> Powers:
        """Return the product of a number of each record's graph."""
        each = (number(graph) ** copies for graph, copies in self.graph.factors)
        return math.prod(each, start=Powers(()))

    @property
    def no_independence(self) -> str:
        """Why the records are not independent."""
        return "" if self.graph.is_product else "the records depend on each other"

    @property
    def no_clique(self) -> str:
        """Why not every two values of every record are joined."""
        for graph, _ in self.graph.factors if self.graph.is_product else ():
            for i in np.flatnonzero(graph.degrees < graph.order - 1)[:1]:
                far = graph.distances_from(graph.vertices[i])
                other = graph.vertices[int(np.flatnonzero((far < 0) | (far > 1))[0])]
                return f"{graph.vertices[i]!r} and {other!r} are not joined"
        return self.no_independence

    @property
    def no_power_of_clique(self) -> str:
        """Why the records are not all alike, with every two values joined."""
        orders = {graph.order for graph, _ in self.graph.factors}
        if not self.no_clique and len(orders) > 1:
            return f"some records have {min(orders)} values and others {max(orders)}"
        return self.no_clique

    @property
    def no_cube(self) -> str:
        """Why the databases are not all words of bits."""
        if not self.no_power_of_clique and self.values != 2:
            return f"a record has {counted(self.values, 'value', 'values')}, not 2"
        return self.no_power_of_clique

    @property
    def no_bit(self) -> str:
        """Why the database is not a single bit."""
        return self.no_cube or ("" if self.records == 1 else f"there are {self.records:,} records")

    @property
    def no_equal_distances(self) -> str:
        """Why some database sees other numbers of databases at some distance than another."""
        return next((str(seen) for seen in self._seen if not seen), "")

    @property
    def no_symmetry(self) -> str:
        """Why the graph is not known to be distance-regular or VT+, as [Alvim2011a]_ asks.

        A graph whose vertices an automorphism moves in one cycle is VT+, and so is a product of
        such graphs.
        """
        if not self.no_power_of_clique:
            return ""  # Proposition 4
        graphs = [graph for graph, _ in self.graph.factors]
        if self.records == 1 and graphs[0].order <= MOST_REGULAR and distance_regularity(graphs[0]):
            return ""
        known = all(_is_ring_or_clique(g) or _is_turned(g) for g in graphs)
        return "" if known else "it is not known to be distance-regular or VT+"

    @property
    def no_one_cycle(self) -> str:
        """Why no automorphism is known that moves all vertices in one cycle."""
        few = self.graph.order_factors <= MOST_TURNED
        known = few and _is_turned(self.graph.explicit())
        known = known or (self.records == 1 and _is_ring_or_clique(self.graph.factors[0][0]))
        return "" if known else "no automorphism is known that moves all in one cycle"

    @property
    def no_spheres(self) -> str:
        """Why the numbers of databases at each distance are not equal, or cannot be listed."""
        if self.no_equal_distances:
            return self.no_equal_distances
        farthest = sum(
            (len(seen.counts) - 1) * copies
            for seen, (_, copies) in zip(self._equal, self.graph.factors, strict=True)
        )
        if farthest * self.graph.order_factors.bits > MOST_COUNTED:
            return f"the exact counts at {farthest + 1:,} distances are too long to list"
        return self.too_long(farthest)

    @cached_property
    def spheres(self) -> list[int]:
        """How many databases are at distance 0, 1, 2, … from any one."""
        total = fmpz_poly([1])
        for seen, (_, copies) in zip(self._equal, self.graph.factors, strict=True):
            total *= fmpz_poly(list(seen.counts)) ** copies
        return [int(number) for number in total]

    def equal_distances_bound(self) -> Powers:
        """Return |X| / Σ_d n_d λ^−d."""
        bound = Powers(())
        for seen, (graph, copies) in zip(self._equal, self.graph.factors, strict=True):
            bound *= (Powers.of((graph.order, 1)) / self._at_inverse(seen.counts)) ** copies
        return bound

    def _at_inverse(self, counts: Iterable[int]) -> Powers:
        terms = [(number, distance) for distance, number in enumerate(counts) if number]
        return Powers.of_sum(1 / self.ratio, terms)

    @property
    def _equal(self) -> list[DistanceDistribution]:
        return [seen for seen in self._seen if isinstance(seen, DistanceDistribution)]

    @cached_property
    def _seen(self) -> list[DistanceDistribution | UnequalDistances]:
        return [distance_distribution(graph) for graph, _ in self.graph.factors]

    @property
    def no_small_code(self) -> str:
        """Why no small covering code is looked for."""
        largest = max(graph.order for graph, _ in self.graph.factors)
        return f"{largest:,} vertices are over {MOST_GREEDY}" if largest > MOST_GREEDY else ""

    def small_codes_bound(self, number: Callable[[CoveringCode], Powers]) -> Powers:
        """Return the least number of a product of small codes, one for each record.

        If there are few databases, codes that are no products are tried as well.
        """
        ways = (
            (min(map(number, codes)) ** copies for codes, copies in way)
            for way in self._small_codes
        )
        return min(math.prod(way, start=Powers(())) for way in ways)

    @cached_property
    def _small_codes(self) -> list[list[tuple[list[CoveringCode], int]]]:
        ways = [[(_small_codes(graph), copies) for graph, copies in self.graph.factors]]
        several = self.graph.is_product and self.records > 1
        if several and 1 < self.graph.order_factors <= MOST_GREEDY:
            ways.append([(_small_codes(self.graph.explicit()), 1)])
        return ways

    @property
    def no_outputs(self) -> str:
        """Why the number of outputs does not matter."""
        return "no limit on the number of outputs is given" if self.outputs is None else ""

    def too_long(self, exponent: int) -> str:
        """Why λ to this power cannot be written out."""
        if exponent * self.ratio.height_bits() <= MOST_COUNTED:
            return ""
        return f"λ^{exponent:,} is too long to write out"


@lru_cache(maxsize=16)  # codes do not depend on ε, and bounds are asked for at many
def _small_codes(graph: Graph) -> list[CoveringCode]:
    """Return for each radius the smallest code that is found."""
    find = smallest_code if graph.order <= MOST_SMALLEST else greedy_code
    return [find(graph, radius) for radius in range(max(graph.component_radii) + 1)]


def _is_ring_or_clique(graph: Graph) -> bool:
    """Whether a turn moves all vertices in one cycle because all or two neighbours are joined."""
    degrees = set(graph.degrees.tolist())
    return degrees == {graph.order - 1} or (degrees == {2} and graph.is_connected)


def _is_turned(graph: Graph) -> bool:
    """Whether some order of a few vertices makes neighbours a matter of their distance in it.

    The first vertex stays first. The next one is joined to those before it as the ones between
    are to the first, so that only its being joined to the first is free.
    """
    n, joined = graph.order, graph.distances == 1
    if n > MOST_TURNED:
        return False

    def goes_on(order: list[int]) -> bool:
        k = len(order)
        if k == n:
            return all(joined[0, order[i]] == joined[0, order[n - i]] for i in range(1, n))
        return any(
            goes_on([*order, v])
            for v in range(n)
            if v not in order
            and all(joined[v, order[i]] == joined[0, order[k - i]] for i in range(1, k))
        )

    return goes_on([0])
