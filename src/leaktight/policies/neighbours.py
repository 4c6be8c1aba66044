"""Spaces: what says who is a neighbour of whom, or how far apart two are.

A graph is a space whose edges are 1 long; a metric has lengths; a policy or an adjacency graph is
the product of the spaces of its records.
"""

from typing import TypeAlias

from leaktight.errors import InvalidGraph, InvalidPolicy
from leaktight.exact.ratio import Ratio
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy, expect_graph

Neighbours: TypeAlias = Policy | AdjacencyGraph | Graph
"""What says which things are neighbours."""

Space: TypeAlias = Neighbours | Metric
"""What says which things are neighbours, or how far apart they are."""


def record_spaces(space: Space) -> tuple[tuple[Graph | Metric, int], ...]:
    """Return the space of each kind of independent records, and how many records have it.

    Under public constraints the records depend on each other: all databases are one space.

    >>> record_spaces(Policy(Graph(3, [(0, 1)]), records=5))
    ((Graph(3 vertices, 1 edge: 0-1), 5),)
    """
    known = Policy(space) if isinstance(space, Metric) else space
    if isinstance(known, Policy) and known.metric is not None:
        return ((known.metric, known.records),)
    return adjacency_of(known).factors


def joined_by(space: Space) -> AdjacencyGraph:
    """Return who is joined to whom, however long the edges are.

    >>> joined_by(Metric.of(Graph(2, [(0, 1)]), length=3)).size
    1
    """
    known = Policy(space) if isinstance(space, Metric) else space
    if isinstance(known, Policy) and known.metric is not None:
        return AdjacencyGraph.of(known.secrets, known.records)
    return adjacency_of(known)


def metric_of(neighbours: Space) -> Metric:
    """Return a metric as it is, or that which counts the edges of a policy's adjacency graph.

    >>> metric_of(Graph(3, [(0, 1), (1, 2)])).unit
    Fraction(1, 1)
    """
    if isinstance(neighbours, Metric):
        return neighbours
    if isinstance(neighbours, Policy) and neighbours.metric is not None:
        if neighbours.records > 1:
            raise InvalidPolicy(
                "here the values of one record may have distances, got "
                f"{neighbours.records:,} records; give the metric of one"
            )
        return neighbours.metric
    return Metric.of(adjacency_of(neighbours).explicit())


def in_edges(neighbours: Space, ratio: Ratio) -> tuple[Neighbours, Ratio]:
    """Return a metric whose edges are all of one length as its graph, with the ratio for an edge.

    Another metric becomes a policy of one record, and all else stays as it is.

    >>> policy, ratio = in_edges(Metric.of(Graph(2, [(0, 1)]), length=3), Ratio.of(2))
    >>> policy.metric is None, ratio.upper
    (True, Fraction(8, 1))
    """
    known = Policy(neighbours) if isinstance(neighbours, Metric) else neighbours
    if isinstance(known, Policy) and known.metric is not None and (unit := known.metric.unit):
        return Policy(known.secrets, known.records), ratio.over(unit, unit)
    return known, ratio


def adjacency_of(neighbours: Neighbours) -> AdjacencyGraph:
    """Return the adjacency graph of a policy; a graph is that of one record.

    >>> adjacency_of(Policy(Graph(2, [(0, 1)]), records=3)).order, adjacency_of(Graph(5)).order
    (8, 5)
    """
    if isinstance(neighbours, Policy):
        return neighbours.adjacency()
    if isinstance(neighbours, Graph):
        return AdjacencyGraph.of(neighbours)
    if isinstance(neighbours, AdjacencyGraph):
        return neighbours
    expect_graph(neighbours)
    raise InvalidGraph(
        f"a Policy, an AdjacencyGraph or a Graph must say what is joined, got {neighbours!r:.80}"
    )
