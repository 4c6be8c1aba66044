"""Mechanisms that fall off with the distance of a graph: K(z|x) = w_z·λ^(−d(x,z)) and its kin.

Where every vertex sees equally many others at each distance, one w makes all rows sum to 1, and
no private channel leaks more or serves better (Theorem 4 of [Alvim2011b]_, Theorem 4 of
[Alvim2011a]_). Elsewhere (8) of [Alvim2011a]_ is no channel, though the text says that it always
is, and dividing its rows by their sums costs privacy: on a path of 3 at λ = 2 the ratio is 16/7.
With the weighting of the graph, the solution of Σ_z λ^(−d(x,z))·w_z = 1, every column is as steep
as allowed.
"""

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np
from attrs import field, frozen
from flint import fmpq, fmpq_mat

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, TooLarge
from leaktight.exact.matrix import sum_columns
from leaktight.exact.numbers import Array, Number, exact_array, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import counted, shown
from leaktight.labels import alignment
from leaktight.limits import allowed
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large, vertices_of
from leaktight.mechanisms.registry import construction
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.policies.symmetry import automorphism_group
from leaktight.worst_case.columns import MOST_UNKNOWNS, coverage, decay


def row_sums(graph: Graph, ratio: Fraction) -> Array:
    """Return Σ_j λ^(−d(i,j)) for each vertex i."""
    return coverage(graph, ratio, exact_array([1] * graph.order))


@frozen(init=False, repr=False)
class FallingOff(Mechanism):
    """λ^(−d(x,z)) times ``weights``: one for each output, or one for each row."""

    kind: ClassVar[str]
    graph: Graph
    ratio: Fraction
    on: Graph
    """The graph whose distances are used."""
    weights: Array = field(eq=False)

    @abstractmethod
    def __init__(self) -> None: ...

    def _of(self, graph: Graph, ratio: Fraction, on: Graph, weights: Array) -> None:
        weights.flags.writeable = False
        self.__attrs_init__(graph, ratio, on, weights)

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"{self.kind} on {counted(self.graph.order, 'vertex', 'vertices')}"

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained by every edge with a positive weight at one of its ends."""
        return Guarantee(self.ratio, vertices_of(self.graph), lambda: self.graph)

    @property
    def channel(self) -> Channel:
        """What is seen of each vertex; an output of weight 0 never occurs."""
        refuse_too_large(self.on.order, self.on.order)
        matrix = decay(self.on, self.ratio) * self.weights
        return Channel(matrix, self.on.vertices, self.on.vertices)


@construction("graph exponential", "graph")
class GraphExponential(FallingOff):
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

    __slots__ = ()
    kind = "graph exponential"

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
        self._of(here, below, there, 1 / sums)


@construction("tight constraints", "graph")
class TightConstraints(FallingOff):
    """K(z|x) = w_z·λ^(−d(x,z)), w the weighting of the graph, where it is not negative.

    It leaks the most that is possible, Σ w (docs/proofs/cover-bound.md). On a line it is the
    truncated geometric, on a complete graph randomised response, and where all rows of λ^(−d)
    have the same sum it is the :class:`GraphExponential`.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> TightConstraints(SecretGraph.line(["low", "middle", "high"]), ratio=2).channel
    exact channel, 3 inputs × 3 outputs
            low  middle  high
       low  2/3     1/6   1/6
    middle  1/3     1/3   1/3
      high  1/6     1/6   2/3
    """

    __slots__ = ()
    kind = "tight constraints"

    def __init__(
        self, graph: Neighbours, ratio: RatioLike = None, epsilon: Number | None = None
    ) -> None:
        here, below = adjacency_of(graph).explicit(), Ratio.of(ratio, epsilon).lower
        self._of(here, below, here, _weighting(here, below))


class NormalisedExponential(FallingOff):
    """λ^(−d(x,z)) with each row divided by its sum: a channel on every graph, but less private.

    (8) of [Alvim2011a]_ as it is often mended. The sums of neighbours may differ by up to a factor
    λ, so the level is between λ and λ², and ``guarantee`` says which, exactly. To stay within a
    ratio, ask for its root, or take :class:`~leaktight.mechanisms.TightConstraints`.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> blurred = NormalisedExponential(SecretGraph.line(3), ratio=2)
    >>> blurred.guarantee.ratio
    Fraction(16, 7)
    """

    __slots__ = ()
    kind = "normalised exponential"

    def __init__(
        self, graph: Neighbours, ratio: RatioLike = None, epsilon: Number | None = None
    ) -> None:
        here, below = adjacency_of(graph).explicit(), Ratio.of(ratio, epsilon).lower
        self._of(here, below, here, 1 / row_sums(here, below)[:, None])

    @property
    def guarantee(self) -> Guarantee:
        """λ times the largest ratio of the sums of two neighbours; attained.

        Column x of neighbours x and x′ has K(x|x)/K(x|x′) = λ·sum(x′)/sum(x), and no other column
        of the two has more.
        """
        ends = self.weights[self.graph.edges, 0]
        steepest = (ends.max(axis=1) / ends.min(axis=1)).max(initial=fmpq(1))
        level = rational(self.ratio) * steepest if len(ends) else fmpq(1)
        return Guarantee(fraction(level), vertices_of(self.graph), lambda: self.graph)


def _weighting(graph: Graph, ratio: Fraction) -> Array:
    """Return the weighting, or say why there is none that is not negative.

    Unlike ``cover.weighting``, no float decides that it is negative.
    """
    sums = row_sums(graph, ratio)
    if (sums == sums[0]).all():
        return np.full(graph.order, 1 / sums[0], dtype=object)
    out = "worst_case_leakage(graph, …).mechanism is a private channel that leaks most"
    orbits = automorphism_group(graph).orbit_labels
    labels, first = np.unique(orbits, return_index=True)
    if (k := len(labels)) > allowed(MOST_UNKNOWNS):
        raise TooLarge(
            f"the graph has {k:,} kinds of vertices, and a weighting is solved for up to "
            f"{allowed(MOST_UNKNOWNS)}; {out}"
        )
    table = sum_columns(decay(graph, ratio)[first], orbits.tolist(), tuple(labels.tolist()))
    try:
        solved = fmpq_mat(k, k, table.ravel().tolist()).solve(fmpq_mat(k, 1, [1] * k)).entries()
    except ZeroDivisionError:
        raise InvalidGraph(
            f"the weighting must be unique, but its equations are dependent at ratio "
            f"{shown(ratio)}; {out}"
        ) from None
    least = min(range(k), key=solved.__getitem__)
    if solved[least] < 0:
        raise InvalidGraph(
            f"the weighting must not be negative, got {shown(solved[least])} at "
            f"{graph.vertices[first[least]]!r}; {out}"
        )
    return exact_array(solved)[orbits]


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
