"""Metrics: the nearer two secrets are, the harder they must be to tell apart.

A channel is private for a metric d at λ if K(z|x) ≤ λ^d(x,x′)·K(z|x′) for all x, x′: the
d-privacy of [Chatzikokolakis2013]_, the geo-indistinguishability of [Andres2013]_ on a map. Edges
of a graph are replaced by lengths: a graph is the metric that counts its edges.

Not all pairs matter. If a third value k lies between i and j, d(i,k) + d(k,j) = d(i,j), what is
asked of i, k and of k, j implies what is asked of i, j. The pairs without a value between them are
the edges of ``Metric.graph``.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import product as tuples
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.errors import InvalidGraph, InvalidNumber, TooLarge, expect
from leaktight.exact.numbers import (
    Array,
    Number,
    as_printed,
    exact_array,
    float_array,
    fraction,
)
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import counted, one_line
from leaktight.limits import allowed
from leaktight.policies.graph import (
    FEW,
    MOST_DRAWN,
    Graph,
    Indices,
    Vertices,
    all_distances,
    shortest,
)
from leaktight.policies.metric.lengths import (
    CLOSE,
    Lengths,
    Points,
    along_axes,
    on_globe,
    pairs_that_matter,
    positive,
    read_pairs,
    read_points,
    read_table,
    straight,
)
from leaktight.policies.space import Space

if TYPE_CHECKING:
    from leaktight.policies.adjacency import AdjacencyGraph

MOST_VALUES = 1000
"""The most values between all of which distances are computed."""

FINEST = 2.0**50
"""The longest distance in units of which lengths are whole numbers."""

EARTH = 6371.0088
"""The mean radius of the Earth in kilometres [Moritz2000]_."""


@dataclass(frozen=True, eq=False, repr=False)
class Metric(Space):
    """Values, the pairs of them that matter, and how far apart each pair is.

    ``graph`` joins the pairs without a value between them. The length of each edge lies between
    ``lower`` and ``upper``, which are equal if it is rational; all other distances are sums along
    shortest paths. A mechanism is built for the lower lengths and a bound for the upper ones, so
    that both hold for the real distances.

    >>> square = Metric.euclidean([(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)])
    >>> square
    Metric(5 values, 9 of 10 pairs matter)
    >>> square.distance((0, 0), (0, 1))
    (Fraction(1, 1), Fraction(1, 1))
    >>> low, high = square.distance((0, 0), (2, 2))
    >>> low**2 < 8 < high**2, high - low < Fraction(1, 10**20)
    (True, True)
    """

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    graph: Graph
    lower: Array
    upper: Array
    is_closed: bool = False
    """Whether distances were given that exceed others in sum, and were replaced by them."""
    places: npt.NDArray[np.float64] | None = None
    """Where the values stand on a map, east and north, if they are points of a plane or a globe."""

    # --- how it is made --------------------------------------------------------------------

    @classmethod
    def of(cls, graph: Graph, length: Number = 1) -> "Metric":
        """Return the metric that counts the edges of a graph, each of the same length.

        >>> Metric.of(Graph(3, [(0, 1), (1, 2)])).distance(0, 2)
        (Fraction(2, 1), Fraction(2, 1))
        """
        expect(graph, Graph, "Graph(vertices, edges) makes one")
        each = positive(length, *graph.vertices[:1] * 2)
        lengths = np.full(graph.size, each, dtype=object)
        made = cls(graph, lengths, lengths)
        if graph.size:
            made.__dict__["unit"] = fraction(each)
        return made

    @classmethod
    def from_edges(
        cls, values: Vertices, edges: Iterable[tuple[Hashable, Hashable, Number]]
    ) -> "Metric":
        """Return the lengths of shortest paths along edges (a, b, length); ∞ where there is none.

        >>> roads = Metric.from_edges(["a", "b", "c"], [("a", "b", 2), ("b", "c", "1/2")])
        >>> roads.distance("a", "c")[0]
        Fraction(5, 2)
        """
        bare, lengths = Graph(values), dict[tuple[int, int], Any]()
        for edge in expect(edges, Iterable, "edges are a list of (a, b, length)"):
            try:
                a, b, length = edge
            except (TypeError, ValueError):
                raise InvalidGraph(
                    f"an edge must be two values and a length, got {edge!r:.60}"
                ) from None
            i, j = sorted((bare.index(a), bare.index(b)))
            found = positive(length, a, b)
            lengths[i, j] = min(found, lengths.get((i, j), found))
        graph = Graph.from_indices(bare.vertices, list(lengths))
        each = exact_array(lengths[i, j] for i, j in graph.edges.tolist())
        return cls(graph, each, each)

    @classmethod
    def from_table(cls, table: Any, values: Vertices | None = None) -> "Metric":
        """Return the distances in a square table, or in one by pairs of values.

        A float is taken as the decimal number that it prints as. Distances that break the triangle
        inequality are closed by shortest paths, which makes them smaller, and ``is_closed`` says
        so.

        >>> Metric.from_table([[0, 1, 3], [1, 0, 1], [3, 1, 0]])
        Metric(3 values, 2 of 3 pairs matter, closed by shortest paths)
        """
        if isinstance(table, Mapping):
            given = dict.fromkeys(v for pair in table for v in pair) if values is None else values
            names = Graph(given).vertices
            return cls._from_lengths(names, read_pairs(names, table))
        rows = [
            list(expect(row, Iterable, "a table is a list of rows"))
            for row in expect(table, Iterable, "a table is a list of rows")
        ]
        names = Graph(len(rows) if values is None else values).vertices
        if len(rows) != len(names) or any(len(row) != len(names) for row in rows):
            raise InvalidNumber(f"the distances of {len(names)} values must be a square table")
        return cls._from_lengths(names, read_table(names, lambda i, j: rows[i][j]))

    @classmethod
    def from_function(cls, values: Vertices, distance: Callable[[Any, Any], Any]) -> "Metric":
        """Return the distances that a function of two values gives.

        >>> Metric.from_function([1, 4, 9], lambda a, b: abs(a - b))
        Metric(3 values, 2 of 3 pairs matter)
        """
        if not callable(distance):
            raise InvalidNumber(
                f"a distance must be a function of two values, got {distance!r:.60}"
            )
        names: Sequence[Any] = Graph(values).vertices
        lengths = read_table(names, lambda i, j: distance(names[i], names[j]))
        return cls._from_lengths(names, lengths)

    @classmethod
    def euclidean(cls, points: Points) -> "Metric":
        """Return straight distances in the plane, in space, or in any number of dimensions.

        ``points`` are tuples of numbers, which are the values, or coordinates by value.

        >>> Metric.euclidean([(x, y) for x in range(4) for y in range(4)])
        Metric(16 values, 86 of 120 pairs matter)
        """
        return cls._from_points(points, straight)

    @classmethod
    def manhattan(cls, points: Points) -> "Metric":
        """Return distances along streets: the sum of what each coordinate differs by.

        >>> Metric.manhattan([(x, y) for x in range(4) for y in range(4)])
        Metric(16 values, 24 of 120 pairs matter)
        """
        return cls._from_points(points, along_axes)

    @classmethod
    def haversine(cls, places: Points, radius: Number = EARTH) -> "Metric":
        """Return great-circle distances between (latitude, longitude) in degrees.

        They are in kilometres unless another radius is given.

        >>> cities = {"Paris": (48.8566, 2.3522), "Lyon": (45.764, 4.8357)}
        >>> round(float(Metric.haversine(cities).distance("Paris", "Lyon")[0]))
        391
        """
        around = positive(radius, "the centre", "the globe")
        metric = cls._from_points(places, lambda rows: on_globe(rows, around))
        assert metric.places is not None
        north, east = metric.places.T
        flat = np.stack([east * np.cos(np.radians(north.mean())), north], axis=1)
        return replace(metric, places=flat)

    @classmethod
    def product(cls, *metrics: "Metric") -> "Metric":
        """Return tuples of values, one of each metric, as far apart as these are together.

        >>> streets = [Metric.of(Graph(3, [(0, 1), (1, 2)]), length=d) for d in (1, 2)]
        >>> Metric.product(*streets).distance((0, 0), (2, 1))[0]
        Fraction(4, 1)
        """
        sizes = [expect(one, Metric, "Metric.of(graph) makes one").order for one in metrics]
        places = np.arange(math.prod(sizes)).reshape(sizes)
        edges, ends = list[Indices](), (list[Array](), list[Array]())
        for axis, one in enumerate(metrics):
            flat = np.moveaxis(places, axis, 0).reshape(one.order, -1)
            edges += [flat[pair].T for pair in one.graph.edges]
            for kept, lengths in zip(ends, (one.lower, one.upper), strict=True):
                kept += [np.repeat(length, flat.shape[1]) for length in lengths]
        joined = np.concatenate([*edges, np.zeros((0, 2), dtype=np.int64)])
        order = np.lexsort(joined.T[::-1])
        graph = Graph.from_indices(list(tuples(*(m.values for m in metrics))), joined[order])
        low, high = (exact_array(np.concatenate([*kept, []])[order]) for kept in ends)
        return cls(graph, low, high, any(one.is_closed for one in metrics))

    @classmethod
    def _from_points(cls, points: Points, measure: Callable[[Array], Lengths]) -> "Metric":
        values, rows = read_points(points)
        vertices = Graph(values).vertices
        _refuse_too_many(len(vertices))
        places = float_array(rows) if rows.shape[1] == 2 else None
        return replace(cls._from_lengths(vertices, measure(rows)), places=places)

    @classmethod
    def _from_lengths(cls, values: Sequence[Hashable], lengths: Lengths) -> "Metric":
        """Keep the pairs that matter."""
        _refuse_too_many(len(values))
        graph = Graph.from_indices(values, pairs_that_matter(values, lengths))
        low, high = (exact_array(end[tuple(graph.edges.T)]) for end in lengths[:2])
        return cls(graph, low, high, lengths.is_closed)

    # --- what it is ------------------------------------------------------------------------

    @property
    def values(self) -> tuple[Hashable, ...]:
        """The values between which distances are."""
        return self.graph.vertices

    @property
    def order(self) -> int:
        """How many values there are."""
        return self.graph.order

    def distance(self, a: Hashable, b: Hashable) -> tuple[Fraction, Fraction]:
        """Return the distance of two values, rounded down and up: equal ends if it is rational."""
        start, end = self.graph.index(a), self.graph.index(b)
        ends = [self._shortest(start, lengths)[end] for lengths in (self.lower, self.upper)]
        if None in ends:
            raise InvalidNumber(f"{a!r} and {b!r} are at an infinite distance")
        low, high = map(fraction, ends)
        return low, high

    @cached_property
    def distances(self) -> Array:
        """All distances, a square array of exact numbers, rounded up; None where one is infinite.

        >>> Metric.manhattan([(0, 0), (1, 2)]).distances.tolist()
        [[0, 3], [3, 0]]
        """
        table = np.empty((self.order, self.order), dtype=object)
        for start in range(self.order):
            table[start] = self._shortest(start, self.upper)
        return table

    @property
    def nearest(self) -> Fraction:
        """The distance of the two values that are nearest, rounded down; 0 if none has one."""
        return fraction(min(self.lower, default=fmpq(0)))

    @property
    def farthest(self) -> Fraction:
        """The largest distance that is finite, rounded up."""
        return fraction(max(d for d in self.distances.ravel() if d is not None))

    def _shortest(self, start: int, lengths: Array) -> list[Any]:
        """Return the lengths of shortest paths to all values, exactly; None where there is none.

        Floats tell which edges no shortest path takes.
        """
        near, (tails, heads) = self._near[start], self.graph.arcs.T
        there = near[tails] + np.tile(float_array(self.upper), 2)
        onward: dict[int, list[tuple[int, Any]]] = {}
        for arc in np.flatnonzero(there <= near[heads] * (1 + CLOSE)).tolist():
            onward.setdefault(int(tails[arc]), []).append(
                (int(heads[arc]), lengths[arc % self.graph.size])
            )
        best: list[Any] = [None] * self.order
        waiting = [(fmpq(0), start)]
        best[start] = fmpq(0)
        while waiting:
            length, i = heappop(waiting)
            if length > best[i]:
                continue
            for h, more in onward.get(i, ()):
                if best[h] is None or length + more < best[h]:
                    best[h] = length + more
                    heappush(waiting, (best[h], h))
        return best

    @cached_property
    def unit(self) -> Fraction | None:
        """The length of every edge, if that is one rational number."""
        if self.graph.size == 0:
            return Fraction(1)
        first = self.lower[0]
        same = all(x == first for x in self.lower) and all(x == first for x in self.upper)
        return fraction(first) if same else None

    def ratios(self, ratio: Ratio) -> tuple[Array, Array]:
        """Return λ^length for each edge, rounded down and up.

        >>> Metric.of(Graph(2, [(0, 1)]), length=3).ratios(Ratio.of(2))
        (array([8], dtype=object), array([8], dtype=object))
        """
        known = {ends: ratio.over(*map(fraction, ends)) for ends in dict.fromkeys(self._ends)}
        each = [known[ends] for ends in self._ends]
        return exact_array(r.lower for r in each), exact_array(r.upper for r in each)

    def reaches(self) -> list[Fraction]:
        """Return for each value how far the farthest of its component is, rounded up.

        >>> Metric.from_edges(3, [(0, 1, 1), (1, 2, 2)]).reaches() == [3, 2, 3]
        True
        """
        found = []
        for vertex, row in zip(self.values, self._near, strict=True):
            # Sums of floats are off by far less than this.
            there = np.isfinite(row)
            close = there & (row >= row.max(where=there, initial=0.0) * (1 - CLOSE))
            ends = [self.values[j] for j in np.flatnonzero(close)]
            found.append(max(self.distance(vertex, end)[1] for end in ends))
        return found

    @cached_property
    def _near(self) -> npt.NDArray[np.float64]:
        """All distances in floating point, ∞ where there is no path."""
        lengths, order = float_array(self.upper), self.order
        if order <= FEW:
            return shortest(np.full((order, order), np.inf), self.graph.edges, lengths)
        return np.array(self.graph.bare_igraph.distances(weights=lengths))

    def rounded(self) -> tuple[Graph, Fraction]:
        """Return the graph with lengths in whole numbers of a small unit, and this unit."""
        near, number = float_array(self.upper), dict[Any, int]()
        kinds = [number.setdefault(ends, len(number)) for ends in self._ends]
        table = self._near
        unit = table.max(where=np.isfinite(table), initial=near.max(initial=0.0)) / FINEST or 1.0
        long = np.rint(near / unit).astype(np.int64)
        return _LongGraph.of(self.graph, long, np.array(kinds, dtype=np.int64)), Fraction(unit)

    def restricted(self, values: Iterable[Hashable]) -> "Metric":
        """Return a component of it, or some of them."""
        kept = self.graph.subgraph(values)
        stays = np.array([v in kept._positions for v in self.values])
        inside = stays[self.graph.edges].all(axis=1)
        places = None if self.places is None else self.places[stays]
        return Metric(kept, self.lower[inside], self.upper[inside], self.is_closed, places)

    def with_edges(self, kept: Iterable[int]) -> "Metric":
        """Return it along some of its edges alone: a bound for these is one for all."""
        chosen = np.array(list(kept), dtype=np.intp)
        graph = Graph.from_indices(self.values, self.graph.edges[chosen])
        return Metric(graph, self.lower[chosen], self.upper[chosen], self.is_closed, self.places)

    def spanner(self, factor: Number) -> "Metric":
        """Return fewer edges, along which no distance is more than ``factor`` times as long.

        A mechanism is then built for lengths divided by the factor, and stays private for the real
        distances; a bound is computed for the real lengths of the edges that are left. The edges
        are chosen from the shortest on [Althofer1993]_.

        >>> grid = Metric.euclidean([(x, y) for x in range(6) for y in range(6)])
        >>> grid, grid.spanner("5/4")
        (Metric(36 values, 418 of 630 pairs matter), Metric(36 values, 110 of 630 pairs matter))
        """
        stretch = as_printed(factor)
        if not stretch > 1:
            raise InvalidNumber(f"the factor of a spanner must be above 1, got {factor}")
        lengths = float_array(self.upper)
        # Sums of floats are off by far less than what is taken off the factor here.
        most = float(stretch) * (1 - CLOSE)
        reached = np.full((self.order, self.order), np.inf)
        np.fill_diagonal(reached, 0.0)
        kept = []
        for e in np.argsort(lengths, kind="stable").tolist():
            i, j = self.graph.edges[e]
            if reached[i, j] > most * lengths[e]:
                kept.append(e)
                for a, b in ((i, j), (j, i)):
                    np.minimum(reached, (reached[:, [a]] + lengths[e]) + reached[b], out=reached)
        kept.sort()
        fewer = self.with_edges(kept)
        return Metric(fewer.graph, fewer.lower / stretch, fewer.upper, self.is_closed, self.places)

    # --- as a space ------------------------------------------------------------------------

    @property
    def measured(self) -> "Metric":
        """Itself."""
        return self

    def adjacency(self) -> "AdjacencyGraph":
        """Refuse: its edges do not count alike."""
        self.expect_edges()
        raise AssertionError

    def joined(self) -> "AdjacencyGraph":
        """Return the graph of the pairs that matter."""
        return self.graph.adjacency()

    def record_spaces(self) -> "tuple[tuple[Graph | Metric, int], ...]":
        """Return itself, or its graph if that says the same."""
        return ((self.graph if self.unit == 1 else self, 1),)

    def as_metric(self) -> "Metric":
        """Return itself."""
        return self

    def in_edges(self, across: Ratio) -> tuple[Space, Ratio]:
        """Return the policy of one record."""
        from leaktight.policies.policy import Policy

        return Policy(self).in_edges(across)

    def _repr_svg_(self) -> str | None:
        """Draw a map of the points, or the graph if the values are no points of a plane."""
        if self.places is None or self.order > MOST_DRAWN:
            return self.graph._repr_svg_()
        from leaktight.policies.graph.picture import svg

        return svg(self.values, self.graph.edges[:0], self.places)

    def __repr__(self) -> str:
        pairs = self.order * (self.order - 1) // 2
        closed = ", closed by shortest paths" if self.is_closed else ""
        return one_line(
            f"Metric({counted(self.order, 'value', 'values')}, "
            f"{self.graph.size:,} of {counted(pairs, 'pair matters', 'pairs matter')}{closed})"
        )

    @cached_property
    def _ends(self) -> list[tuple[Any, Any]]:
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))


def _refuse_too_many(values: int) -> None:
    if values > allowed(MOST_VALUES):
        raise TooLarge(
            f"distances between all pairs are computed for at most {allowed(MOST_VALUES):,} "
            f"values, got {values:,}; Metric.from_edges takes the lengths of edges alone"
        )


@dataclass(frozen=True, init=False, eq=False, repr=False)
class _LongGraph(Graph):
    """A graph whose edges have whole lengths, and distances along them."""

    long: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, graph: Graph, long: Indices, kinds: Indices) -> "_LongGraph":
        """Give lengths to the edges of a graph."""
        made = cls.from_indices(graph.vertices, graph.edges)
        made._set("long", long)
        made._set("kinds", kinds)
        return made

    @property
    def lengths(self) -> Indices:
        """The length of each edge."""
        return self.long

    @cached_property
    def distances(self) -> npt.NDArray[np.int64]:  # type: ignore[override]
        """All distances, a square array with −1 where there is no path."""
        if self.order <= FEW:
            return all_distances(self.order, self.edges, self.long)
        table = np.array(self.bare_igraph.distances(weights=self.long.tolist()))
        return np.where(np.isinf(table), -1, table).astype(np.int64)

    @cached_property
    def eccentricities(self) -> Indices:
        """For each vertex the distance to the farthest vertex of its component."""
        farthest: Indices = self.distances.max(axis=1)
        return farthest

    def _steps_from(self, sources: Indices | Sequence[int]) -> Indices:
        """Return the length of the way to each vertex from the nearest source, −1 if none."""
        ways = self.distances[sources]
        nearest: Indices = np.where(ways < 0, np.iinfo(np.int64).max, ways).min(axis=0)
        return np.where(nearest == np.iinfo(np.int64).max, -1, nearest)
