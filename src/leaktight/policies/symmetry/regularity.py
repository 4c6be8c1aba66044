"""Regularity: graphs that look the same from every vertex.

Three ways to ask: do the automorphisms carry every vertex to every other, do the intersection
numbers depend on the distance alone, has every vertex equally many others at each distance? The
first and the second each imply the third, which is all that the closed form of Theorem 1 of
[Alvim2011a]_ needs. Each verdict is true or false in an ``if`` and carries what shows it. A
fourth, VT+, which only [Alvim2011a]_ asks, is in ``leaktight_papers``.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leaktight.exact.shown import counted
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.policies.symmetry.automorphisms import automorphism_group

# --- vertex-transitive ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VertexTransitivity:
    """Whether all vertices are alike, shown by the orbits of the automorphism group."""

    orbits: tuple[tuple[Hashable, ...], ...]

    def __bool__(self) -> bool:
        return len(self.orbits) == 1

    def __str__(self) -> str:
        if self:
            return "vertex-transitive: the automorphisms carry every vertex to every other"
        (u, *_), (v, *_) = self.orbits[:2]
        return f"not vertex-transitive: no automorphism takes {u!r} to {v!r}"


def vertex_transitivity(neighbours: Neighbours) -> VertexTransitivity:
    """Say whether the automorphisms carry every vertex to every other.

    >>> print(vertex_transitivity(Graph("a b c".split(), [("a", "b"), ("b", "c")])))
    not vertex-transitive: no automorphism takes 'a' to 'b'
    """
    return VertexTransitivity(automorphism_group(neighbours).orbits)


# --- distance-regular ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntersectionArray:
    """The numbers {b_0, …, b_{D−1}; c_1, …, c_D} of a distance-regular graph of diameter D.

    Of the neighbours of a vertex at distance i, b_i are one farther away and c_i one nearer.
    """

    b: tuple[int, ...]
    c: tuple[int, ...]

    @property
    def sphere_sizes(self) -> tuple[int, ...]:
        """How many vertices lie at distance 0, …, D from any one."""
        sizes = [1]
        for farther, nearer in zip(self.b, self.c, strict=True):
            sizes.append(sizes[-1] * farther // nearer)
        return tuple(sizes)

    def __bool__(self) -> Literal[True]:
        return True

    def __str__(self) -> str:
        b, c = (", ".join(map(str, numbers)) for numbers in (self.b, self.c))
        return f"distance-regular: {{{b}; {c}}}"


@dataclass(frozen=True, slots=True)
class DistanceIrregularity:
    """Two pairs of vertices at the same distance whose second vertices see different numbers."""

    distance: int
    pairs: tuple[tuple[Hashable, Hashable], tuple[Hashable, Hashable]]
    farther: tuple[int, int]
    """For each pair (v, w), how many neighbours of w are farther from v than w is."""
    nearer: tuple[int, int]
    """For each pair (v, w), how many neighbours of w are nearer to v than w is."""

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        seen = [
            f"{w!r} has {counted(b, 'neighbour', 'neighbours')} farther from {v!r} and {c} nearer"
            for (v, w), b, c in zip(self.pairs, self.farther, self.nearer, strict=True)
        ]
        return f"not distance-regular: at distance {self.distance}, {seen[0]}, but {seen[1]}"


def distance_regularity(neighbours: Neighbours) -> IntersectionArray | DistanceIrregularity:
    """Say whether b_i and c_i depend on the distance alone (Definition 8 of [Alvim2011a]_).

    The printed definition has x for v; both numbers count neighbours of w by their distance from
    v. A graph that is not connected may satisfy it too: its components then have the same array.

    >>> print(distance_regularity(Graph(5, [(i, (i + 1) % 5) for i in range(5)])))
    distance-regular: {2, 1; 1, 1}
    >>> print(distance_regularity(Graph(3, [(0, 1), (1, 2)])))
    not distance-regular: at distance 0, 0 has 1 neighbour farther from 0 and 0 nearer, but
    1 has 2 neighbours farther from 1 and 0 nearer
    """
    graph = adjacency_of(neighbours).explicit()
    lengths = graph.distances[0]
    reached, firsts = np.unique(lengths, return_index=True)
    firsts = firsts[reached >= 0]
    expected = _farther_and_nearer(graph, 0)[:, firsts]
    # What lies beyond the first vertex's sight has nothing to agree with. But then some vertex
    # on the way disagrees, and the nearest that does is shown.
    known = np.pad(expected, ((0, 0), (0, graph.order)), constant_values=-1)
    for v, lengths in enumerate(graph.distances):
        numbers = _farther_and_nearer(graph, v)
        differ = np.flatnonzero((numbers != known[:, lengths]).any(axis=0) & (lengths >= 0))
        if len(differ):
            w = differ[np.argmin(lengths[differ])]
            i, names = int(lengths[w]), graph.vertices
            farther, nearer = np.stack([expected[:, i], numbers[:, w]], axis=1).tolist()
            pairs = (names[0], names[firsts[i]]), (names[v], names[w])
            return DistanceIrregularity(i, pairs, tuple(farther), tuple(nearer))
    return IntersectionArray(tuple(expected[0, :-1].tolist()), tuple(expected[1, 1:].tolist()))


def _farther_and_nearer(graph: Graph, v: int) -> Indices:
    """Count for each vertex its neighbours that are farther from v than it is, and nearer."""
    tails, heads = graph.arcs.T
    steps = graph.distances[v, heads] - graph.distances[v, tails]
    return np.stack([np.bincount(tails[steps == s], minlength=graph.order) for s in (1, -1)])


# --- equal distance distribution -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DistanceDistribution:
    """The numbers n_0, n_1, … of vertices at each distance, the same from every vertex."""

    counts: tuple[int, ...]

    def __bool__(self) -> Literal[True]:
        return True

    def __str__(self) -> str:
        numbers = ", ".join(map(str, self.counts))
        return f"equal distances: {numbers} vertices at distances 0, 1, … from each vertex"


@dataclass(frozen=True, slots=True)
class UnequalDistances:
    """Two vertices that have different numbers of vertices at some distance."""

    vertices: tuple[Hashable, Hashable]
    distance: int
    counts: tuple[int, int]

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        (u, v), (here, there) = self.vertices, self.counts
        return (
            f"unequal distances: {counted(here, 'vertex', 'vertices')} at distance "
            f"{self.distance} from {u!r}, but {there} from {v!r}"
        )


def distance_distribution(neighbours: Neighbours) -> DistanceDistribution | UnequalDistances:
    """Say whether every vertex has the same number n_d of vertices at each distance d.

    Then the worst case of a ratio λ is |V| / Σ n_d λ^(−d), whether or not the graph has any
    symmetry: Theorem 1 of [Alvim2011a]_ assumes more than its proof needs. Vertices that cannot
    be reached are not counted.

    >>> print(distance_distribution(Graph(4, [(0, 1), (2, 3)])))
    equal distances: 1, 1 vertices at distances 0, 1, … from each vertex
    >>> print(distance_distribution(Graph(3, [(0, 1), (1, 2)])))
    unequal distances: 1 vertex at distance 1 from 0, but 2 from 1
    """
    graph = adjacency_of(neighbours).explicit()
    names, degrees = graph.vertices, graph.degrees
    for v in np.flatnonzero(degrees != degrees[0])[:1]:
        return UnequalDistances((names[0], names[v]), 1, (int(degrees[0]), int(degrees[v])))
    if graph.alike is not None and (graph.alike == graph.alike[0]).all():
        reached = graph.distances_from(names[0])
        return DistanceDistribution(tuple(np.bincount(reached[reached >= 0]).tolist()))
    counts = graph.distance_counts
    differ = counts != counts[0]
    if not differ.any():
        return DistanceDistribution(tuple(counts[0].tolist()))
    v, d = (int(at) for at in np.argwhere(differ)[0])
    return UnequalDistances((names[0], names[v]), d, (int(counts[0, d]), int(counts[v, d])))
