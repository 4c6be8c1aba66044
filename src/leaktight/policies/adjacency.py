"""Neighbouring databases, and how far apart the rest are.

An :class:`AdjacencyGraph` (Definition 3 of [Edwards2021]_) has a vertex for each database that
is possible under a policy. It is kept as a Cartesian product of graphs, so that a million
independent records cost no more than one.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpz_poly

from leaktight.errors import InvalidGraph, TooLarge, expect
from leaktight.exact.powers import LONGEST, Powers, as_powers
from leaktight.exact.shown import counted, one_line
from leaktight.labels import Labels
from leaktight.limits import allowed
from leaktight.policies.graph import MOST_DRAWN, Graph, Indices, product_edges
from leaktight.policies.space import Space

MOST_VERTICES = 2_000_000
"""The most databases that are listed one by one."""

MOST_EDGES = 50_000_000
"""The most pairs of neighbours that are listed one by one, in 800 MB."""

MOST_COUNTED_BITS = 2**32
"""The most bits that a list of exact counts may need."""


def _no_pairs() -> Indices:
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class AdjacencyGraph(Space):
    """The Cartesian product of ``factors``, each a graph and how often it is repeated.

    With no public constraints the factors are the records' secret graphs, and a vertex is the
    tuple of the records' values (Theorem 4 of [Edwards2021]_). Under constraints there is one
    factor, whose vertices are the possible databases. A database of one record is its value.

    Distances, diameter, radius and components are sums or products over the factors and never
    list the databases; ``vertices``, ``edges`` and ``components`` do, and refuse if they are too
    many.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> graph = AdjacencyGraph.of(SecretGraph.line(50), records=1_000_000)
    >>> graph
    AdjacencyGraph(1,000,000 records, about 10^1698970 vertices, about 10^1698976 …)
    >>> graph.diameter, graph.radius, graph.is_connected
    (49000000, 25000000, True)

    Under constraints the relation of Definition 2 may hold one way only. Two databases are
    neighbours here if it holds **either way**: read one way, Theorem 11 is false.
    ``is_symmetric`` tells whether it matters and ``one_way`` lists the pairs.
    """

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    factors: tuple[tuple[Graph, int], ...]
    records: int
    one_way_indices: Indices = field(default_factory=_no_pairs)
    """The pairs of positions (D, D′) with D → D′ but not D′ → D, in the sense of Definition 2."""

    def __post_init__(self) -> None:
        for graph, copies in self.factors:
            expect(graph, Graph, "a record's secrets are a Graph")
            expect(copies, int, "records are counted in whole numbers")
        if not self.factors or any(copies < 1 for _, copies in self.factors):
            raise InvalidGraph(
                "an adjacency graph needs factors, each at least once, got "
                f"multiplicities {[copies for _, copies in self.factors]}"
            )
        if not self.is_product and self._places != 1:
            raise InvalidGraph(
                f"{self.records} records need as many factors, or one of databases, "
                f"got {self._places}"
            )
        self.one_way_indices.flags.writeable = False

    def adjacency(self) -> "AdjacencyGraph":
        """Return itself."""
        return self

    @classmethod
    def of(cls, graph: Graph, records: int = 1) -> "AdjacencyGraph":
        """Return the adjacency graph of independent records with this secret graph.

        If every database is possible, two of them are neighbours exactly if they differ in one
        record, along an edge of its secret graph (Theorem 4 of [Edwards2021]_). For one record,
        it is the graph itself: every graph is an adjacency graph (Theorem 14).

        >>> AdjacencyGraph.of(Graph(3, [(0, 1), (1, 2)]), records=2).size
        12
        """
        return cls(((graph, records),), records)

    @classmethod
    def of_records(cls, graphs: Iterable[Graph]) -> "AdjacencyGraph":
        """Return the adjacency graph of independent records, each with its own secret graph.

        The proof of Theorem 4 of [Edwards2021]_ needs only that a database stays possible when
        one record takes the value that it has in another possible database.

        >>> AdjacencyGraph.of_records([Graph(2, [(0, 1)]), Graph(3)]).component_count
        3
        """
        listed = expect(graphs, Iterable, "graphs are listed, one for each record")
        factors = tuple((graph, len(list(run))) for graph, run in itertools.groupby(listed))
        return cls(factors, sum(copies for _, copies in factors))

    @property
    def is_product(self) -> bool:
        """Whether the records are independent: the product has one factor per record."""
        return self.records == self._places

    def without_one_way(self) -> "AdjacencyGraph":
        """Return the graph in which only those stay joined that are neighbours both ways."""
        if self.is_symmetric:
            return self
        ((graph, _),) = self.factors
        one_way = {frozenset(pair) for pair in self.one_way_indices.tolist()}
        mutual = [pair for pair in graph.edges.tolist() if frozenset(pair) not in one_way]
        return AdjacencyGraph(((Graph.from_indices(graph.vertices, mutual), 1),), self.records)

    # --- how many --------------------------------------------------------------------------

    @cached_property
    def order_factors(self) -> Powers:
        """The number of databases as a product of powers, at any number of records.

        >>> AdjacencyGraph.of(Graph(6, [(0, 1)]), records=10**9).order_factors
        Powers(6^1000000000)
        """
        return self._product(lambda graph: graph.order)

    @cached_property
    def order(self) -> int:
        """The number of databases, if it can be written out."""
        return int(self.order_factors.value)

    @property
    def size(self) -> int:
        """The number of pairs of neighbours, if it can be written out."""
        return sum(copies * g.size * (self.order // g.order) for g, copies in self.factors)

    @cached_property
    def component_count(self) -> int:
        """The number of connected components, if it can be written out."""
        return int(self._component_factors.value)

    @cached_property
    def _component_factors(self) -> Powers:
        return self._product(lambda graph: len(graph.components))

    @property
    def is_connected(self) -> bool:
        """Whether every database can be reached from every other."""
        return all(graph.is_connected for graph, _ in self.factors)

    # --- distances -------------------------------------------------------------------------

    @property
    def diameter(self) -> int | float:
        """The largest distance between two databases; ∞ if the graph is not connected."""
        return sum(copies * graph.diameter for graph, copies in self.factors)

    @property
    def radius(self) -> int | float:
        """The least distance within which one database reaches all; ∞ if none does.

        The eccentricity of a tuple is the sum of those of its places, and so is the least one.
        """
        return sum(copies * graph.radius for graph, copies in self.factors)

    @cached_property
    def component_diameters(self) -> Counter[int]:
        """How many components have each diameter.

        >>> two_sizes = Graph(5, [(0, 1), (2, 3), (3, 4)])
        >>> AdjacencyGraph.of(two_sizes, records=3).component_diameters
        Counter({4: 3, 5: 3, 3: 1, 6: 1})
        """
        return self._sums(lambda graph: graph.component_diameters)

    @cached_property
    def component_radii(self) -> Counter[int]:
        """How many components have each radius."""
        return self._sums(lambda graph: graph.component_radii)

    def degree(self, database: Hashable) -> int:
        """Return the number of neighbours of ``database``."""
        return sum(
            times * int(graph.degrees[graph.index(value)])
            for graph, part in self._split(database)
            for value, times in Counter(part).items()
        )

    def neighbours(self, database: Hashable) -> Labels:
        """Return the databases that differ from ``database`` in one step; no others are listed.

        >>> AdjacencyGraph.of(Graph(3, [(0, 1), (1, 2)]), records=2).neighbours((1, 0))
        ((0, 0), (1, 1), (2, 0))
        """
        if self._places == 1:
            return self.factors[0][0].neighbours(database)
        parts = self._split(database)
        self._refuse(self.degree(database) * self._places, MOST_EDGES, "value", "values")
        values = tuple(value for _, part in parts for value in part)
        found: list[tuple[int, int, Labels]] = []
        for place, graph in enumerate(self._repeated()):
            here = graph.index(values[place])
            for value in graph.neighbours(values[place]):
                changed = (*values[:place], value, *values[place + 1 :])
                # In the order of ``vertices``: what gets smaller early on comes first.
                rank = place - self._places if graph.index(value) < here else self._places - place
                found.append((rank, len(found), changed))
        return tuple(changed for _, _, changed in sorted(found, key=lambda one: one[:2]))

    def distance(self, a: Hashable, b: Hashable) -> int | float:
        """Return the number of steps from ``a`` to ``b``; ∞ if there is no way.

        >>> AdjacencyGraph.of(Graph(3, [(0, 1), (1, 2)]), records=2).distance((0, 2), (2, 1))
        3
        """
        return sum(
            times * graph.distance(u, v)
            for (graph, here), (_, there) in zip(self._split(a), self._split(b), strict=True)
            for (u, v), times in Counter(zip(here, there, strict=True)).items()
        )

    def distance_counts(self, database: Hashable, limit: int | None = None) -> tuple[int, ...]:
        """Return how many databases lie at distance 0, 1, 2, … from ``database``.

        With a ``limit``, counting stops at that distance.

        >>> bits = AdjacencyGraph.of(Graph(2, [(0, 1)]), records=4)
        >>> bits.distance_counts((0, 0, 0, 0))
        (1, 4, 6, 4, 1)
        """
        parts = [
            (graph.distances_from(value), times)
            for graph, part in self._split(database)
            for value, times in Counter(part).items()
        ]
        farthest = sum(times * int(distances.max()) for distances, times in parts)
        width = 1 + (farthest if limit is None else min(limit, farthest))
        if width * self.order_factors.bits > allowed(MOST_COUNTED_BITS):
            digits = self.order_factors.bits * math.log10(2)
            raise TooLarge(
                f"{width:,} exact counts of up to {digits:,.0f} digits would not fit in memory; "
                "give a smaller limit="
            )
        counts = fmpz_poly([1])
        for distances, times in parts:
            one = fmpz_poly(np.bincount(distances[distances >= 0]).tolist())
            counts = (counts * one.pow_trunc(times, width)).truncate(width)
        return tuple(int(counts[distance]) for distance in range(width))

    # --- both directions -------------------------------------------------------------------

    @property
    def is_symmetric(self) -> bool:
        """Whether Definition 2 of [Edwards2021]_ holds both ways wherever it holds."""
        return not len(self.one_way_indices)

    @property
    def one_way(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The pairs (D, D′) with D → D′ but not D′ → D, in the sense of Definition 2."""
        vertices = self.vertices if len(self.one_way_indices) else ()
        return tuple((vertices[i], vertices[j]) for i, j in self.one_way_indices.tolist())

    # --- one by one ------------------------------------------------------------------------

    @cached_property
    def vertices(self) -> Labels:
        """The databases, one by one."""
        if self._places == 1:
            return self.factors[0][0].vertices
        self._refuse(self.order_factors, MOST_VERTICES, "database", "databases")
        self._refuse(self.order * self._places, MOST_EDGES, "value", "values")
        return tuple(itertools.product(*(graph.vertices for graph in self._repeated())))

    @property
    def edges(self) -> Indices:
        """The pairs of neighbours, as sorted pairs of positions in ``vertices``."""
        return self.explicit().edges

    @property
    def components(self) -> tuple[Labels, ...]:
        """The connected components, each the tuple of its databases."""
        return self.explicit().components

    def explicit(self) -> Graph:
        """Return the same graph with its databases and neighbours listed one by one.

        >>> AdjacencyGraph.of(Graph(["no", "yes"], [("no", "yes")]), records=2).explicit()
        Graph(4 vertices, 4 edges: ('no', 'no')-('no', 'yes'), ('no', 'no')-('yes', 'n…)
        """
        return self._explicit

    @cached_property
    def _explicit(self) -> Graph:
        if self._places == 1:
            return self.factors[0][0]
        vertices = self.vertices
        self._refuse(self.size, MOST_EDGES, "pair of neighbours", "pairs of neighbours")
        return Graph.from_indices(vertices, product_edges(self._repeated()))

    # --- how it looks ----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AdjacencyGraph):
            return NotImplemented
        same = self.factors == other.factors and self.records == other.records
        return same and np.array_equal(self.one_way_indices, other.one_way_indices)

    def __hash__(self) -> int:
        return hash((self.factors, self.records))

    def __repr__(self) -> str:
        one_way = f", {len(self.one_way_indices):,} one way only" if not self.is_symmetric else ""
        each = sum(Fraction(copies * g.size, g.order) for g, copies in self.factors)
        edges = self.order_factors * Powers.of((each, 1)) if each else None
        return one_line(
            f"AdjacencyGraph({counted(self.records, 'record', 'records')}, "
            f"{self.order_factors.counted('vertex', 'vertices')}, "
            f"{edges.counted('edge', 'edges') if edges else '0 edges'}{one_way})"
        )

    def _repr_svg_(self) -> str | None:
        return self.explicit()._repr_svg_() if self.order_factors <= MOST_DRAWN else None

    # --- over the factors ------------------------------------------------------------------

    @cached_property
    def _places(self) -> int:
        return sum(copies for _, copies in self.factors)

    def _repeated(self) -> Iterable[Graph]:
        return itertools.chain.from_iterable(itertools.repeat(*factor) for factor in self.factors)

    def _split(self, database: Any) -> list[tuple[Graph, tuple[Hashable, ...]]]:
        """Return for each factor the values that ``database`` has in its places."""
        if self._places == 1:
            return [(self.factors[0][0], (database,))]
        if not isinstance(database, tuple | list) or len(database) != self._places:
            raise InvalidGraph(
                f"a database must be a tuple of {counted(self._places, 'value', 'values')}, "
                f"one per record, got {database!r:.80}"
            )
        values = iter(database)
        return [(graph, tuple(itertools.islice(values, copies))) for graph, copies in self.factors]

    def _product(self, number: Callable[[Graph], int]) -> Powers:
        """Return the product over the factors of a number, each as often as it is repeated."""
        return Powers.of(*((number(graph), copies) for graph, copies in self.factors))

    def _sums(self, numbers: Callable[[Graph], tuple[int, ...]]) -> Counter[int]:
        """Count the sums of one number per place, each from a component of its graph."""
        least = sum(copies * min(numbers(graph)) for graph, copies in self.factors)
        widest = sum(copies * max(numbers(graph)) for graph, copies in self.factors)
        digits = self._component_factors.bits + 1
        if (widest - least + 1) * digits > allowed(MOST_COUNTED_BITS) or digits > allowed(LONGEST):
            components = self._component_factors.counted("component", "components")
            raise TooLarge(
                f"{self.records:,} records have {components} of up to "
                f"{widest - least + 1:,} kinds, more than fit in memory; "
                "those of each factor are in factors"
            )
        total = fmpz_poly([1])
        for graph, copies in self.factors:
            found = np.array(numbers(graph))
            total *= fmpz_poly(np.bincount(found - found.min()).tolist()) ** copies
        return Counter(
            {least + more: int(total[more]) for more in range(len(total)) if total[more]}
        )

    def _refuse(self, count: int | Powers, most: int, one: str, many: str) -> None:
        if count > (most := allowed(most)):
            found = as_powers(count).counted(one, many)
            raise TooLarge(
                f"{self.records:,} records have {found}, and at most {most:,} "
                "are listed one by one; distances, diameters and components need no list"
            )
