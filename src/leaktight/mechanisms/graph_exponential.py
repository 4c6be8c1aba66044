"""Which mechanism falls off with the distance of a graph? K(z|x) = c·λ^(−d(x,z)) and its kin.

Where every vertex sees equally many others at each distance, one c makes all rows sum to 1, and
no private channel leaks more or serves better (Theorem 4 of [Alvim2011b]_, Theorem 4 of
[Alvim2011a]_). Elsewhere (8) of [Alvim2011a]_ is no channel, though the text says that it always
is, and dividing its rows by their sums costs privacy: on a path of 3 at λ = 2 the ratio is 16/7.
"""

from fractions import Fraction

import numpy as np
from attrs import frozen
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph
from leaktight.exact.numbers import Array, Number, exact_array, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import counted, shown
from leaktight.labels import alignment
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large, vertices_of
from leaktight.mechanisms.registry import construction
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.worst_case.columns import coverage


def decay(graph: Graph, ratio: Fraction) -> Array:
    """Return λ^(−d(i,j)) for all vertices i and j, 0 where there is no path.

    >>> decay(Graph(3, [(0, 1)]), Fraction(2))
    array([[1, 1/2, 0],
           [1/2, 1, 0],
           [0, 0, 1]], dtype=object)
    """
    refuse_too_large(graph.order, graph.order)
    q = 1 / rational(ratio)
    powers = [q**d for d in range(int(graph.eccentricities.max()) + 1)]
    return exact_array([*powers, 0])[graph.distances]  # no path is −1, the last


def row_sums(graph: Graph, ratio: Fraction) -> Array:
    """Return Σ_j λ^(−d(i,j)) for each vertex i."""
    return coverage(graph, ratio, exact_array([1] * graph.order))


@construction("graph exponential", "graph")
@frozen(init=False, repr=False)
class GraphExponential(Mechanism):
    """K(z|x) = c·λ^(−d(x,z)) on a graph where all rows have the same sum 1/c.

    So it is on complete graphs, cycles, databases of independent records, and wherever every
    vertex sees equally many others at each distance. It then leaks the most that is possible, and
    under the uniform prior a guess of the true vertex succeeds as often as possible.

    On another graph, give with ``on=`` one that has these edges and more: what is private there is
    private here too, though seldom the best (Remark 2 of [Alvim2011b]_).

    >>> from leaktight.leakage.vulnerability import posterior_vulnerability
    >>> from leaktight.policies.secrets import SecretGraph
    >>> ring = SecretGraph.cycle(7)
    >>> posterior_vulnerability(GraphExponential(ring, ratio=2).channel)
    Fraction(4, 11)
    >>> GraphExponential(SecretGraph.line(7), ratio=2, on=ring)
    GraphExponential(graph exponential on 7 vertices: ε ≤ 0.693148 (ratio 2) for neighbouring
    vertices of a graph of 7)
    """

    graph: Graph
    ratio: Fraction
    on: Graph
    """The graph whose distances are used."""

    def __init__(
        self,
        graph: Neighbours,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        *,
        on: Neighbours | None = None,
    ) -> None:
        here, below = adjacency_of(graph).explicit(), Ratio.of(ratio, epsilon).lower
        there = here if on is None else _richer(here, adjacency_of(on).explicit())
        sums = row_sums(there, below)
        if unlike := np.flatnonzero(sums != sums[0]).tolist():
            u, v = there.vertices[0], there.vertices[unlike[0]]
            raise InvalidGraph(
                f"Σ λ^(−d) must be the same from every vertex, got {shown(sums[0])} from {u!r} "
                f"and {shown(sums[unlike[0]])} from {v!r}; take TightConstraints(graph, …), or "
                "with on= a graph that has more edges and the same view from every vertex"
            )
        self.__attrs_init__(here, below, there)

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"graph exponential on {counted(self.graph.order, 'vertex', 'vertices')}"

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained by every edge."""
        return Guarantee(self.ratio, vertices_of(self.graph), lambda: self.graph)

    @property
    def channel(self) -> Channel:
        """What is seen of each vertex."""
        matrix = decay(self.on, self.ratio) / row_sums(self.on, self.ratio)[0]
        return Channel.trusted(self.on.vertices, self.on.vertices, matrix)


@frozen(init=False, repr=False)
class NormalisedExponential(Mechanism):
    """λ^(−d(x,z)) with each row divided by its sum: a channel on every graph, but less private.

    (8) of [Alvim2011a]_ as it is often mended. The sums of neighbours may differ by up to a factor
    λ, so the level is between λ and λ², and ``guarantee`` says which, exactly. To stay within a
    ratio, ask for its root, or take :class:`~leaktight.mechanisms.TightConstraints`.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> blurred = NormalisedExponential(SecretGraph.line(3), ratio=2)
    >>> blurred.guarantee.ratio
    Fraction(16, 7)
    """

    graph: Graph
    ratio: Fraction

    def __init__(
        self, graph: Neighbours, ratio: RatioLike = None, epsilon: Number | None = None
    ) -> None:
        self.__attrs_init__(adjacency_of(graph).explicit(), Ratio.of(ratio, epsilon).lower)

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"normalised exponential on {counted(self.graph.order, 'vertex', 'vertices')}"

    @property
    def guarantee(self) -> Guarantee:
        """λ times the largest ratio of the sums of two neighbours; attained.

        Column x of neighbours x and x′ has K(x|x)/K(x|x′) = λ·sum(x′)/sum(x), and no other column
        of the two has more.
        """
        ends = row_sums(self.graph, self.ratio)[self.graph.edges]
        steepest = (ends.max(axis=1) / ends.min(axis=1)).max(initial=fmpq(1))
        level = rational(self.ratio) * steepest if len(ends) else fmpq(1)
        return Guarantee(fraction(level), vertices_of(self.graph), lambda: self.graph)

    @property
    def channel(self) -> Channel:
        """What is seen of each vertex."""
        matrix = decay(self.graph, self.ratio) / row_sums(self.graph, self.ratio)[:, None]
        return Channel.trusted(self.graph.vertices, self.graph.vertices, matrix)


def _richer(graph: Graph, other: Graph) -> Graph:
    """Return the other graph if it has the same vertices and all edges of the first."""
    alignment(graph.vertices, other.vertices, "the graph and that of on=")
    joined = set(map(frozenset, other.edge_pairs()))
    for a, b in graph.edge_pairs():
        if frozenset((a, b)) not in joined:
            raise InvalidGraph(
                f"the graph of on= must have all edges of the other, got none from {a!r} to {b!r}"
            )
    return other
