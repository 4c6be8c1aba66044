"""Who is a neighbour of whom, of whatever says it: a policy, a graph or a metric."""

from typing import TypeAlias

from leaktight.errors import InvalidGraph
from leaktight.exact.ratio import Ratio
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.space import Space as Space

Neighbours: TypeAlias = Policy | AdjacencyGraph | Graph
"""What says which things are neighbours."""


def space_of(given: object) -> Space:
    """Return what says who is a neighbour, or say what does."""
    if isinstance(given, Space):
        return given
    raise InvalidGraph(
        f"a Policy, an AdjacencyGraph or a Graph must say what is joined, got {given!r:.80}"
    )


def record_spaces(space: Space) -> tuple[tuple[Graph | Metric, int], ...]:
    """Return the space of each kind of independent records, and how many records have it.

    >>> record_spaces(Policy(Graph(3, [(0, 1)]), records=5))
    ((Graph(3 vertices, 1 edge: 0-1), 5),)
    """
    return space_of(space).record_spaces()


def joined_by(space: Space) -> AdjacencyGraph:
    """Return who is joined to whom, however long the edges are.

    >>> joined_by(Metric.of(Graph(2, [(0, 1)]), length=3)).size
    1
    """
    return space_of(space).joined()


def metric_of(space: Space) -> Metric:
    """Return a metric as it is, or that which counts the edges of a policy's adjacency graph.

    >>> metric_of(Graph(3, [(0, 1), (1, 2)])).unit
    Fraction(1, 1)
    """
    return space_of(space).as_metric()


def in_edges(space: Space, ratio: Ratio) -> tuple[Space, Ratio]:
    """Return a metric whose edges are all of one length as its graph, with the ratio for an edge.

    >>> policy, ratio = in_edges(Metric.of(Graph(2, [(0, 1)]), length=3), Ratio.of(2))
    >>> policy.measured is None, ratio.upper
    (True, Fraction(8, 1))
    """
    return space_of(space).in_edges(ratio)


def adjacency_of(space: Space) -> AdjacencyGraph:
    """Return the adjacency graph of a policy; a graph is that of one record.

    >>> adjacency_of(Policy(Graph(2, [(0, 1)]), records=3)).order, adjacency_of(Graph(5)).order
    (8, 5)
    """
    return space_of(space).adjacency()
