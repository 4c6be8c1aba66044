"""Which private channel has every column as steep as allowed?

K(z|x) = w_z·λ^(−d(x,z)) with the weighting w of the graph, the solution of Σ_z λ^(−d(x,z))·w_z = 1.
"""

from fractions import Fraction

import numpy as np
from attrs import field, frozen
from flint import fmpq_mat

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, TooLarge
from leaktight.exact.matrix import sum_columns
from leaktight.exact.numbers import Array, Number, exact_array
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import counted, shown
from leaktight.mechanisms.graph_exponential import decay, row_sums
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, vertices_of
from leaktight.mechanisms.registry import construction
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.policies.symmetry import automorphism_group
from leaktight.worst_case.columns import MOST_UNKNOWNS


@construction("tight constraints", "graph")
@frozen(init=False, repr=False)
class TightConstraints(Mechanism):
    """K(z|x) = w_z·λ^(−d(x,z)), w the weighting of the graph, where it is not negative.

    It leaks the most that is possible, Σ w (docs/proofs/cover-bound.md). On a line it is the
    truncated geometric, on a complete graph randomised response, and where all rows of λ^(−d)
    have the same sum it is the :class:`~leaktight.mechanisms.GraphExponential`.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> TightConstraints(SecretGraph.line(["low", "middle", "high"]), ratio=2).channel
    exact channel, 3 inputs × 3 outputs
            low  middle  high
       low  2/3     1/6   1/6
    middle  1/3     1/3   1/3
      high  1/6     1/6   2/3
    """

    graph: Graph
    ratio: Fraction
    weights: Array = field(eq=False)

    def __init__(
        self, graph: Neighbours, ratio: RatioLike = None, epsilon: Number | None = None
    ) -> None:
        here, below = adjacency_of(graph).explicit(), Ratio.of(ratio, epsilon).lower
        weights = _weighting(here, below)
        weights.flags.writeable = False
        self.__attrs_init__(here, below, weights)

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"tight constraints on {counted(self.graph.order, 'vertex', 'vertices')}"

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained by every edge with a positive weight at one of its ends."""
        return Guarantee(self.ratio, vertices_of(self.graph), lambda: self.graph)

    @property
    def channel(self) -> Channel:
        """What is seen of each vertex; an output of weight 0 never occurs."""
        matrix = decay(self.graph, self.ratio) * self.weights
        return Channel(matrix, self.graph.vertices, self.graph.vertices)


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
    if (k := len(labels)) > MOST_UNKNOWNS:
        raise TooLarge(
            f"the graph has {k:,} kinds of vertices, and a weighting is solved for up to "
            f"{MOST_UNKNOWNS}; {out}"
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
