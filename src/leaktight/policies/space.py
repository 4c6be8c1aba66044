"""Spaces: what says who is a neighbour of whom, or how far apart two are.

A graph is a space whose edges are 1 long; a metric has lengths; a policy or an adjacency graph is
the product of the spaces of its records. Whoever needs edges that count alike asks for
:meth:`Space.adjacency`, which a metric refuses; whoever can do with lengths asks for the rest.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from leaktight.errors import InvalidGraph

if TYPE_CHECKING:
    from leaktight.exact.ratio import Ratio
    from leaktight.policies.adjacency import AdjacencyGraph
    from leaktight.policies.graph import Graph
    from leaktight.policies.metric import Metric
    from leaktight.policies.policy import Policy


class Space(ABC):
    """What a graph, a metric, an adjacency graph and a policy have in common."""

    @property
    def measured(self) -> "Metric | None":
        """How far apart the values of a record are; None if all edges count alike."""
        return None

    @property
    def policy(self) -> "Policy | None":
        """The policy that it is, whose records may be tied by what is public."""
        return None

    def expect_edges(self) -> None:
        """Refuse a metric, and a policy with one, where all neighbours must count alike."""
        if self.measured is not None:
            raise InvalidGraph(
                "here neighbours must be joined by edges that count alike, not by a metric; "
                f"the graph of the pairs that matter is .graph, got {self.measured!r:.80}"
            )

    @abstractmethod
    def adjacency(self) -> "AdjacencyGraph":
        """Return who is joined to whom by edges that count alike; lengths are refused."""

    def joined(self) -> "AdjacencyGraph":
        """Return who is joined to whom, however long the edges are."""
        return self.adjacency()

    def record_spaces(self) -> "tuple[tuple[Graph | Metric, int], ...]":
        """Return the space of each kind of independent records, and how many records have it.

        Under public constraints the records depend on each other: all databases are one space.
        """
        return self.adjacency().factors

    def as_metric(self) -> "Metric":
        """Return the distances of all that it joins."""
        from leaktight.policies.metric import Metric

        return Metric.of(self.adjacency().explicit())

    def in_edges(self, across: "Ratio") -> "tuple[Space, Ratio]":
        """Return edges of one length as edges that count alike, with the ratio for an edge.

        Another metric becomes a policy of one record, and all else stays as it is.
        """
        return self, across
