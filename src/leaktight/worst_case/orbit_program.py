"""What is the worst case of a graph with many symmetries? One variable per orbit of pairs.

Averaging over automorphisms keeps a channel private and its sum of column maxima, once these are
on the diagonal (Lemmas 20 and 21 of [Edwards2021]_). So the largest Σ_j K_jj is found among the
channels that are constant on the orbits of pairs, and the dual prices are constant on the orbits
of vertices. They are then proved on the whole graph, by a flow for each vertex.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import TooLarge, Undecided
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import Array, exact_array, fraction, rational
from leaktight.policies.graph import Graph
from leaktight.policies.symmetry import Points, automorphism_group
from leaktight.worst_case.columns import Flow, cheapest_column

MOST_ORBITALS = 60
"""The most orbits of pairs for which the program is solved."""


@dataclass(frozen=True, slots=True, eq=False)
class OrbitOptimum:
    """The worst case of a connected graph, with a channel that attains it and a proof.

    ``entries`` has the probability K_ij for each orbit of pairs, ``orbitals`` the orbit of each
    pair. The prices of the vertices (``dual``) sum to the value; ``flows`` prove them.
    """

    graph: Graph
    value: Fraction
    entries: Array
    orbitals: Points
    dual: Array
    flows: tuple[Flow, ...]

    def channel(self) -> Channel:
        """Return the channel, its outputs named like its inputs."""
        return Channel(self.entries[self.orbitals], self.graph.vertices, self.graph.vertices)


def orbit_optimum(graph: Graph, ratio: Fraction) -> OrbitOptimum:
    """Return the worst case of a connected graph at a ratio above 1, through its symmetry.

    >>> legs = [(0, i) for i in range(1, 7)] + [(i, i + 6) for i in range(1, 7)]
    >>> orbit_optimum(Graph(13, legs), Fraction(2)).value
    Fraction(4, 1)
    """
    group = automorphism_group(graph)
    orbitals, orbits = group.orbital_labels, group.orbit_labels
    count = int(orbitals.max()) + 1
    if count > MOST_ORBITALS:
        raise TooLarge(f"the graph has {count:,} orbits of pairs, more than {MOST_ORBITALS:,}")
    most, steps = rational(ratio), group.orbital_steps
    steps = steps[steps[:, 0] != steps[:, 1]]  # K ≤ λ·K always holds
    _, first = np.unique(orbits, return_index=True)
    sums = np.array([np.bincount(orbitals[i], minlength=count) for i in first])
    row, column = np.nonzero(sums)
    step, k = np.arange(len(steps)), len(first)
    program = LinearProgram(
        (-np.bincount(np.diag(orbitals), minlength=count)).tolist(),
        (
            [*row, *(k + step), *(k + step)],
            [*column, *steps[:, 0], *steps[:, 1]],
            [*sums[row, column].tolist(), *[1] * len(steps), *[-most] * len(steps)],
        ),
        row_lower=[*[1] * k, *[None] * len(steps)],
        row_upper=[*[1] * k, *[0] * len(steps)],
    )
    best = solve_exact(program)
    if not isinstance(best, Optimum):
        raise Undecided("there is a private channel on every graph; this cannot be")
    sizes = exact_array(np.bincount(orbits).tolist())
    prices = (-best.y[:k] / sizes)[orbits]
    starts = graph.distances.tolist()
    flows = tuple(cheapest_column(graph, most, prices, j, starts[j]) for j in range(graph.order))
    if any(flow.cost < 1 for flow in flows):
        raise Undecided("the prices of the orbits are not proved on the graph")
    return OrbitOptimum(graph, fraction(-best.value), best.x, orbitals, prices, flows)
