"""Graphs of neighbours, and how far apart the rest are.

A :class:`Graph` is finite, simple, labelled and undirected. Secret graphs, adjacency graphs and
the answer graphs of queries are all such graphs. What it knows is computed once, when first
asked for; what takes long in a large graph is left to igraph and scipy.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidGraph, TooLarge, expect
from leaktight.exact.shown import counted, one_line
from leaktight.labels import Labels, listed_labels, suggestion
from leaktight.policies.graph.igraph import bare_graph
from leaktight.policies.graph.search import (
    all_distances,
    biconnected,
    bounded_eccentricities,
    forest_distances,
    linked,
)
from leaktight.policies.space import Space

if TYPE_CHECKING:
    import igraph
    import networkx

    from leaktight.policies.adjacency import AdjacencyGraph

Kept = TypeVar("Kept", bound=np.generic)

Vertices: TypeAlias = int | np.integer[Any] | Iterable[Hashable]
"""Distinct hashable things, or n for the numbers 0, …, n−1."""

Indices: TypeAlias = npt.NDArray[np.int64]

MOST_DISTANCES = 2**15
"""The most vertices for which all distances are held at once, in 2 GB as 16-bit numbers."""

FEW = 128
"""The most vertices whose distances are all computed at once: it takes a few milliseconds."""

MANY = 4096
"""The same where there are no cycles."""

MOST_DRAWN, MOST_LINES = 400, 2000
"""The largest numbers of vertices and edges that are shown as a picture."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Graph(Space):
    """A finite simple graph (V, E) with labelled vertices.

    ``vertices`` are any distinct hashable things, or a number n for 0, …, n−1. ``edges`` is
    given as pairs of vertices and kept as sorted pairs of their positions, each edge once.
    Two graphs are equal if they list the same vertices in the same order and have the same edges.

    >>> graph = Graph(["a", "b", "c", "d"], [("a", "b"), ("c", "b"), ("b", "c")])
    >>> graph
    Graph(4 vertices, 2 edges: 'a'-'b', 'b'-'c')
    >>> graph.distance("a", "c"), graph.components
    (2, (('a', 'b', 'c'), ('d',)))
    """

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    vertices: Labels
    alike: Indices | None = None
    """A number per vertex, if known: an automorphism takes each vertex to any of its number."""
    kinds: Indices | None = None
    """A number per edge, if not all are 1 long: those of one kind are of the same length."""

    def __init__(
        self,
        vertices: Vertices,
        edges: Iterable[tuple[Hashable, Hashable]] = (),
    ) -> None:
        self._set("vertices", listed_labels(vertices, "vertex", InvalidGraph))
        listed = expect(edges, Iterable, "edges are a list of pairs of vertices")
        pairs = [self._read_edge(edge) for edge in listed]
        self._set("edges", _read_only(read_edges(pairs, self.vertices)))

    @classmethod
    def from_indices(
        cls,
        vertices: Vertices,
        pairs: npt.NDArray[np.integer[Any]] | Sequence[tuple[int, int]],
        alike: Indices | None = None,
    ) -> Self:
        """Make a graph from edges given as pairs of positions in ``vertices``.

        Vertices that are known to be ``alike`` are looked at once: see the attribute.

        >>> Graph.from_indices(["low", "high"], [(1, 0)])
        Graph(2 vertices, 1 edge: 'low'-'high')
        """
        graph = cls.__new__(cls)
        graph._set("vertices", listed_labels(vertices, "vertex", InvalidGraph))
        graph._set("edges", _read_only(read_edges(pairs, graph.vertices)))
        graph._set("alike", alike)
        return graph

    @classmethod
    def all_joined(cls, vertices: Vertices) -> Self:
        """Join every two vertices; the edges are listed only if they are asked for.

        >>> Graph.all_joined(10**5).size, Graph.all_joined(3).edges.tolist()
        (4999950000, [[0, 1], [0, 2], [1, 2]])
        """
        graph = cls.__new__(cls)
        graph._set("vertices", listed_labels(vertices, "vertex", InvalidGraph))
        graph._set("size", graph.order * (graph.order - 1) // 2)
        graph._set("alike", np.zeros(graph.order, np.int64))
        return graph

    @classmethod
    def from_networkx(cls, graph: "networkx.Graph") -> Self:
        """Make a graph from an undirected networkx graph; parallel edges count once."""
        if not hasattr(graph, "nodes"):
            raise InvalidGraph(f"expected a networkx graph, got {graph!r:.60}")
        if graph.is_directed():
            raise InvalidGraph(
                "the networkx graph must be undirected, got a directed one; "
                "graph.to_undirected() joins what is joined in either direction"
            )
        return cls(graph.nodes, graph.edges())

    @classmethod
    def from_igraph(cls, graph: "igraph.Graph") -> Self:
        """Make a graph from an undirected igraph graph, named by its "name" attribute if any."""
        if not hasattr(graph, "vs"):
            raise InvalidGraph(f"expected an igraph graph, got {graph!r:.60}")
        if graph.is_directed():
            raise InvalidGraph(
                "the igraph graph must be undirected, got a directed one; "
                "graph.as_undirected() joins what is joined in either direction"
            )
        named = "name" in graph.vs.attributes()
        return cls.from_indices(graph.vs["name"] if named else graph.vcount(), graph.get_edgelist())

    def to_networkx(self) -> "networkx.Graph":
        """Return the same graph as a networkx graph."""
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(self.vertices)
        graph.add_edges_from(self.edge_pairs())
        return graph

    def to_igraph(self) -> "igraph.Graph":
        """Return the same graph as an igraph graph, the vertices in its "name" attribute."""
        import igraph

        graph = igraph.Graph(self.order, self.edges)
        graph.vs["name"] = self.vertices
        return graph

    # --- what was given --------------------------------------------------------------------

    @property
    def order(self) -> int:
        """The number of vertices."""
        return len(self.vertices)

    @cached_property
    def edges(self) -> Indices:
        """The pairs of positions that are joined: every pair, unless others were given."""
        return _read_only(np.stack(np.triu_indices(self.order, k=1), axis=1))

    @cached_property
    def size(self) -> int:
        """The number of edges."""
        return len(self.edges)

    def index(self, vertex: Hashable) -> int:
        """Return the position of ``vertex``."""
        try:
            return self._positions[vertex]
        except (KeyError, TypeError):
            raise InvalidGraph(
                f"{vertex!r} is not a vertex of the graph; {suggestion(vertex, self.vertices)}"
            ) from None

    def edge_pairs(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """Return the edges as pairs of vertices.

        >>> Graph(["a", "b"], [("b", "a")]).edge_pairs()
        (('a', 'b'),)
        """
        return tuple((self.vertices[i], self.vertices[j]) for i, j in self.edges.tolist())

    def neighbours(self, vertex: Hashable) -> tuple[Hashable, ...]:
        """Return the vertices that an edge joins to ``vertex``."""
        at = self.index(vertex)
        starts, ends = self._joined
        return tuple(self.vertices[j] for j in ends[starts[at] : starts[at + 1]].tolist())

    @property
    def graph(self) -> "Graph":
        """Itself: the pairs that matter in a space whose edges are 1 long."""
        return self

    @property
    def is_complete(self) -> bool:
        """Whether every two vertices are joined."""
        return 2 * self.size == self.order * (self.order - 1)

    @property
    def lengths(self) -> Indices:
        """The length of each edge, which is 1."""
        return np.ones(self.size, dtype=np.int64)

    @cached_property
    def degrees(self) -> Indices:
        """The number of neighbours of each vertex."""
        if self.is_complete:
            return _read_only(np.full(self.order, self.order - 1))
        return _read_only(np.bincount(self.edges.ravel(), minlength=self.order))

    def subgraph(self, vertices: Iterable[Hashable]) -> "Graph":
        """Return the graph on some of the vertices, with the edges between them.

        >>> Graph(4, [(0, 1), (1, 2), (2, 3)]).subgraph([3, 1, 0])
        Graph(3 vertices, 1 edge: 0-1)
        """
        kept = np.zeros(self.order, dtype=bool)
        kept[[self.index(vertex) for vertex in vertices]] = True
        inside = self.edges[kept[self.edges].all(axis=1)]
        places = np.cumsum(kept) - 1
        return Graph.from_indices([self.vertices[i] for i in np.flatnonzero(kept)], places[inside])

    # --- components ------------------------------------------------------------------------

    @cached_property
    def component_labels(self) -> Indices:
        """For each vertex the number of its component; components count from the first vertex."""
        if self.is_complete:
            return _read_only(np.zeros(self.order, dtype=np.int64))
        return _read_only(linked(self.order, *self.edges.T).astype(np.int64))

    @cached_property
    def components(self) -> tuple[tuple[Hashable, ...], ...]:
        """The connected components, each the tuple of its vertices."""
        return gathered(self.vertices, self.component_labels)

    @property
    def is_connected(self) -> bool:
        """Whether every vertex can be reached from every other."""
        return not self.component_labels.any()

    def blocks(self) -> list[Indices]:
        """Return the largest sets of vertices, by position, that no one vertex cuts apart.

        Each edge lies in one of them, and two of them have at most one vertex in common. A vertex
        without edges is in none.

        >>> [block.tolist() for block in Graph(4, [(0, 1), (1, 2), (0, 2), (2, 3)]).blocks()]
        [[2, 3], [0, 1, 2]]
        """
        if self.size == self.order - len(self.components):  # a forest
            return list(self.edges)
        if self.is_complete:
            return [np.arange(self.order)]
        starts, ends = self._joined
        joined = [part.tolist() for part in np.split(ends, starts[1:-1])]
        return [np.sort(np.array(block, dtype=np.int64)) for block in biconnected(joined)]

    @cached_property
    def component_diameters(self) -> tuple[int, ...]:
        """For each component the largest distance between two of its vertices."""
        widest = np.zeros(len(self.components), dtype=np.int64)
        np.maximum.at(widest, self.component_labels, self.eccentricities)
        return tuple(widest.tolist())

    @cached_property
    def component_radii(self) -> tuple[int, ...]:
        """For each component the least distance within which one vertex reaches all of it."""
        nearest = np.full(len(self.components), self.order, dtype=np.int64)
        np.minimum.at(nearest, self.component_labels, self.eccentricities)
        return tuple(nearest.tolist())

    @property
    def diameter(self) -> int | float:
        """The largest distance between two vertices; ∞ if the graph is not connected."""
        return self.component_diameters[0] if self.is_connected else math.inf

    @property
    def radius(self) -> int | float:
        """The least eccentricity of a vertex; ∞ if the graph is not connected."""
        return self.component_radii[0] if self.is_connected else math.inf

    # --- distances -------------------------------------------------------------------------

    def distance(self, a: Hashable, b: Hashable) -> int | float:
        """Return the number of edges on a shortest path; ∞ if there is none."""
        steps = int(self.distances_from(a)[self.index(b)])
        return math.inf if steps < 0 else steps

    def distances_from(self, vertex: Hashable) -> Indices:
        """Return the distance from ``vertex`` to every vertex, −1 where there is no path.

        >>> Graph(4, [(0, 1), (1, 2)]).distances_from(0)
        array([ 0,  1,  2, -1])
        """
        return self._steps_from([self.index(vertex)])

    @cached_property
    def distances(self) -> npt.NDArray[np.int16]:
        """All distances, a square array with −1 where there is no path."""
        if self.order > MOST_DISTANCES:
            raise TooLarge(
                f"all distances between {self.order} vertices would take "
                f"{2 * self.order**2 / 1e9:.0f} GB, and the limit is {MOST_DISTANCES} vertices; "
                "distances_from(vertex) gives those from one vertex"
            )
        if self.order <= FEW:
            table = all_distances(self.order, self.edges, self.lengths).astype(np.int16)
            return _read_only(table)
        if self.is_complete:
            return _read_only(1 - np.eye(self.order, dtype=np.int16))
        if self._is_forest:
            starts, ends = (each.tolist() for each in self._joined)
            around = [ends[a:b] for a, b in pairwise(starts)]
            return _read_only(forest_distances(around))
        table = np.empty((self.order, self.order), dtype=np.int16)
        for start in range(0, self.order, 256):
            sources = range(start, min(start + 256, self.order))
            rows = np.array(self.bare_igraph.distances(sources))
            table[start : start + 256] = np.where(np.isinf(rows), -1, rows)
        return _read_only(table)

    @cached_property
    def eccentricities(self) -> Indices:
        """For each vertex the distance to the farthest vertex of its component.

        >>> Graph.from_indices(10**5, [(i, i + 1) for i in range(10**5 - 1)]).eccentricities.min()
        np.int64(50000)
        """
        if self.is_complete:
            return _read_only(np.full(self.order, min(1, self.size)))
        if self.order <= FEW or (self.order <= MANY and self._is_forest):
            return _read_only(self.distances.max(axis=1).astype(np.int64))
        if self.alike is not None:
            _, first, which = np.unique(self.alike, return_index=True, return_inverse=True)
            farthest = np.array(self.bare_igraph.eccentricity(first.tolist()), dtype=np.int64)
            return _read_only(farthest[which])
        farthest, unsettled = bounded_eccentricities(self.component_labels, self._steps_from)
        if len(unsettled):
            farthest[unsettled] = self.bare_igraph.eccentricity(unsettled.tolist())
        return _read_only(farthest)

    @cached_property
    def distance_counts(self) -> Indices:
        """Row per vertex: how many vertices lie at distance 0, 1, 2, … from it.

        >>> Graph(4, [(0, 1), (1, 2)]).distance_counts
        array([[1, 1, 1],
               [1, 2, 0],
               [1, 1, 1],
               [1, 0, 0]])
        """
        width = int(self.eccentricities.max()) + 1
        # Distances are shifted by one, so that −1 (no path) falls in a column that is cut off.
        counts = [np.bincount(row + 1, minlength=width + 1)[1:] for row in self.distances]
        return _read_only(np.array(counts))

    def adjacency(self) -> "AdjacencyGraph":
        """Return the adjacency graph of one record (Theorem 14 of [Edwards2021]_)."""
        from leaktight.policies.adjacency import AdjacencyGraph

        return AdjacencyGraph.of(self)

    # --- how it looks ----------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self.vertices == other.vertices and np.array_equal(self.edges, other.edges)

    def __hash__(self) -> int:
        return hash((self.vertices, self.edges.tobytes()))

    def __repr__(self) -> str:
        shown = [f"{self.vertices[i]!r}-{self.vertices[j]!r}" for i, j in self.edges[:8].tolist()]
        listed = ": " + ", ".join(shown) if shown else ""
        more = ", …" if self.size > len(shown) else ""
        return one_line(
            f"{type(self).__name__}({counted(self.order, 'vertex', 'vertices')}, "
            f"{counted(self.size, 'edge', 'edges')}{listed}{more})"
        )

    @property
    def is_drawable(self) -> bool:
        """Whether a picture of it can be read."""
        return self.order <= MOST_DRAWN and self.size <= MOST_LINES

    def _repr_svg_(self) -> str | None:
        """Draw the graph for a notebook; a large one is left to ``repr``."""
        if not self.is_drawable:
            return None
        from leaktight.policies.graph.picture import svg

        return svg(self.vertices, self.edges)

    # --- how it is made --------------------------------------------------------------------

    @cached_property
    def arcs(self) -> Indices:
        """The edges, as positions, in both directions: all of them, then all the other way."""
        return _read_only(np.concatenate([self.edges, self.edges[:, ::-1]]))

    @cached_property
    def _is_forest(self) -> bool:
        return self.size == self.order - len(self.components)

    @cached_property
    def bare_igraph(self) -> Any:
        """The same graph as igraph has it, without names."""
        graph = bare_graph()(n=self.order)
        graph.add_edges(self.edges)  # twice as quick as giving them above
        return graph

    @cached_property
    def _joined(self) -> tuple[Indices, Indices]:
        """Where the neighbours of each vertex start, and these, in increasing order."""
        starts = np.concatenate([[0], np.cumsum(self.degrees)])
        return starts, self.arcs[np.lexsort(self.arcs.T[::-1]), 1]

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {vertex: position for position, vertex in enumerate(self.vertices)}

    def _steps_from(self, sources: Indices | Sequence[int]) -> Indices:
        """Return the distance of each vertex from the nearest source, −1 if there is no path."""
        if self.order <= FEW:
            near = self.distances[sources].astype(np.int64)
            nearest = np.where(near < 0, self.order, near).min(axis=0)
            return np.where(nearest == self.order, -1, nearest)
        if self.is_complete:
            steps = np.ones(self.order, dtype=np.int64)
            steps[sources] = 0
            return steps
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        starts, ends = self._joined
        ones, shape = np.ones(len(ends), dtype=np.int8), (self.order, self.order)
        joined = csr_array((ones, ends, starts), shape)
        far = dijkstra(joined, indices=sources, unweighted=True, min_only=True)
        return np.where(np.isinf(far), -1, far).astype(np.int64)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _read_edge(self, edge: tuple[Hashable, Hashable]) -> tuple[int, int]:
        try:
            a, b = edge
        except (TypeError, ValueError):
            raise InvalidGraph(f"an edge must be a pair of vertices, got {edge!r}") from None
        return self.index(a), self.index(b)


def gathered(vertices: Labels, labels: npt.NDArray[np.integer[Any]]) -> tuple[Labels, ...]:
    """Return the vertices with each label 0, 1, … in turn.

    >>> gathered(("a", "b", "c"), np.array([0, 1, 0]))
    (('a', 'c'), ('b',))
    """
    members: list[list[Hashable]] = [[] for _ in range(int(labels.max()) + 1)]
    for vertex, label in zip(vertices, labels.tolist(), strict=True):
        members[label].append(vertex)
    return tuple(map(tuple, members))


def _read_only(array: npt.NDArray[Kept]) -> npt.NDArray[Kept]:
    array.flags.writeable = False
    return array


def read_edges(pairs: Any, vertices: Labels) -> npt.NDArray[np.int64]:
    """Return the edges of a simple graph, given as pairs of positions in ``vertices``.

    >>> read_edges([(2, 0), (0, 1), (0, 2)], ("a", "b", "c")).tolist()
    [[0, 1], [0, 2]]
    """
    order, ends = len(vertices), np.asarray(pairs)
    if ends.size == 0:
        ends = np.empty((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise InvalidGraph(
            f"edges must be pairs of positions, got an array of shape {ends.shape} "
            f"and type {ends.dtype}"
        )
    outside = ends[(ends < 0) | (ends >= order)]
    if outside.size:
        raise InvalidGraph(f"an edge must join positions 0 to {order - 1}, got {outside[0]}")
    loops = ends[ends[:, 0] == ends[:, 1], 0]
    if loops.size:
        vertex = vertices[loops[0]]
        raise InvalidGraph(f"an edge must join two different vertices, got a loop at {vertex!r}")
    low, high = np.minimum(*ends.T), np.maximum(*ends.T)
    codes = low.astype(np.int64) * order + high
    if not (np.diff(codes) > 0).all():
        codes = np.unique(codes)
    return np.stack(np.divmod(codes, order), axis=1)
