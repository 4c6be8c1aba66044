"""Which bound holds for all private channels at once, and when does a channel attain it?

Let q = 1/λ and d the distance of the graph, q^∞ = 0. A *cover* is b ≥ 0 with
Σ_i b_i·q^d(i,j) ≥ 1 for every vertex j: no private channel has Σ_z max_x K(z|x) > Σ b. If the
*weighting* w, the solution of Σ_j q^d(i,j)·w_j = 1, is non-negative, then K_ij = w_j·q^d(i,j) is
a private channel that attains Σ w. Both are proved in docs/proofs/cover-bound.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpq_mat

from leaktight.channel import Channel
from leaktight.exact import Array, exact_array, float_array, rational
from leaktight.graph import Graph
from leaktight.linear_program import LinearProgram, Optimum, solve, solve_inside
from leaktight.orbits import Points
from leaktight.symmetry import automorphism_group

MOST_UNKNOWNS = 150
"""The most orbits of vertices for which a weighting is solved for exactly."""

MOST_BY_SIMPLEX = 400
"""The most orbits for which the best cover is sought at a vertex; beyond, interior points do."""

UNIT = 2**40
"""What floating point proposes is rounded to multiples of 1/UNIT."""


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Weights b ≥ 0 on the vertices, and the ``bound`` Σ b / min coverage that they give.

    Dividing by the least coverage makes a cover of any b, so that an approximate b still gives a
    bound; it is computed exactly.
    """

    weights: Array
    bound: fmpq

    @classmethod
    def of(cls, graph: Graph, ratio: Fraction, weights: Array) -> "Cover":
        """Return the bound that some weights give.

        >>> from leaktight.secrets import SecretGraph
        >>> Cover.of(SecretGraph.line(4), Fraction(2), exact_array([1, 1, 1, 1])).bound
        32/15
        """
        return cls(weights, weights.sum() / coverage(graph, ratio, weights).min())


@dataclass(frozen=True, slots=True, eq=False)
class DistanceMechanism:
    """The private channel K_ij = s·a_j·q^d(i,j), what is left of each row joined to one output.

    s ≤ 1 is the largest scale at which what is left, 1 − s·Σ_j a_j·q^d(i,j), is itself a private
    column. It joins the output where it is largest, so the sum of the column maxima is
    s·Σ a + the largest remainder.
    """

    graph: Graph
    ratio: Fraction
    weights: Array
    scale: fmpq
    remainder: Array

    @classmethod
    def of(cls, graph: Graph, ratio: Fraction, weights: Array) -> "DistanceMechanism":
        """Return the mechanism for non-negative weights a that are not all 0."""
        used, most = coverage(graph, ratio, weights), rational(ratio)
        arcs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
        steep = (most * used[arcs[:, 1]] - used[arcs[:, 0]]).max(initial=fmpq(0))
        limits = [1 / used.max(), *([(most - 1) / steep] if steep > 0 else [])]
        scale = min(limits)
        return cls(graph, ratio, weights, scale, 1 - scale * used)

    @property
    def value(self) -> fmpq:
        """The sum of the column maxima."""
        return self.scale * self.weights.sum() + self.remainder.max()

    def channel(self) -> Channel:
        """The mechanism itself, its outputs named like its inputs."""
        matrix = _powers(self.graph, self.ratio)[self.graph.distances + 1] * self.weights
        matrix = matrix * self.scale
        matrix[:, int(self.remainder.argmax())] += self.remainder
        return Channel(matrix, self.graph.vertices, self.graph.vertices)


def coverage(graph: Graph, ratio: Fraction, weights: Array) -> Array:
    """Return Σ_i b_i·q^d(i,j) for each vertex j, exactly.

    >>> from leaktight.secrets import SecretGraph
    >>> coverage(SecretGraph.line(4), Fraction(2), exact_array(["2/3", "1/3", "1/3", "2/3"]))
    array([1, 1, 1, 1], dtype=object)
    """
    powers = _powers(graph, ratio)
    if (weights == weights[0]).all():
        counts, which = np.unique(graph.distance_counts, axis=0, return_inverse=True)
        used = [exact_array(row.tolist()) @ powers[1:] for row in counts]
        return weights[0] * exact_array(used)[which.ravel()]
    units = weights * UNIT
    if any(unit.q != 1 for unit in units) or units.sum() >= 2**53:
        return np.array([powers[row + 1] @ weights for row in graph.distances])
    # Whole numbers below 2^53 are added without rounding in floating point.
    whole, width = float_array(units), len(powers)
    sums = (np.bincount(row + 1, whole, minlength=width) for row in graph.distances)
    return np.array([exact_array(map(int, row)) @ powers for row in sums]) / UNIT


def weighting(graph: Graph, ratio: Fraction) -> Array | None:
    """Return the weighting of a connected graph if it is non-negative, and None if not.

    It is None too if it is not unique, or if there are too many unknowns, one for each orbit of
    vertices.

    >>> from leaktight.secrets import SecretGraph
    >>> weighting(SecretGraph.line(4), Fraction(2))
    array([2/3, 1/3, 1/3, 2/3], dtype=object)
    """
    counts = graph.distance_counts
    if (counts == counts[0]).all():
        alike = 1 / coverage(graph, ratio, exact_array([1] * graph.order))[0]
        return np.full(graph.order, alike, dtype=object)
    orbits, tables = _orbit_distances(graph)
    floats = (tables @ float_array(_powers(graph, ratio)[1:])).reshape(len(tables), -1)
    try:
        estimate = np.linalg.solve(floats, np.ones(len(floats)))
    except np.linalg.LinAlgError:
        return None
    if len(floats) > MOST_UNKNOWNS or estimate.min() < -(2.0**-20) * np.abs(estimate).max():
        return None
    powers = _powers(graph, ratio)[1:]
    k = len(floats)
    entries = exact_array(exact_array(map(int, cell)) @ powers for row in tables for cell in row)
    try:
        solved = fmpq_mat(k, k, entries).solve(fmpq_mat(k, 1, [1] * k)).entries()
    except ZeroDivisionError:
        return None
    return exact_array(solved)[orbits] if min(solved) >= 0 else None


def best_cover(graph: Graph, ratio: Fraction) -> tuple[Cover, DistanceMechanism]:
    """Return nearly the best cover of a graph, and a private channel from the dual solution.

    A linear program with a variable for each orbit of vertices proposes both; the bound and the
    channel that are returned are exact.

    >>> from leaktight.secrets import SecretGraph
    >>> cover, mechanism = best_cover(SecretGraph.line(3), Fraction(2))
    >>> round(float(cover.bound), 9), round(float(mechanism.value), 9)
    (1.666666667, 1.666666667)
    """
    orbits, tables = _orbit_distances(graph)
    sizes = np.bincount(orbits).astype(float)
    floats = (tables @ float_array(_powers(graph, ratio)[1:])).reshape(len(tables), -1)
    rows, columns = np.divmod(np.arange(floats.size), len(floats))
    program = LinearProgram(sizes, (rows, columns, floats.ravel()), row_lower=np.ones(len(floats)))
    answer = solve(program) if len(floats) <= MOST_BY_SIMPLEX else solve_inside(program)
    if isinstance(answer, Optimum):
        cover, packing = answer.x[orbits], (answer.y / sizes)[orbits]
    else:
        cover = packing = np.ones(graph.order)
    return (
        Cover.of(graph, ratio, _rounded(cover)),
        DistanceMechanism.of(graph, ratio, _rounded(packing)),
    )


def _rounded(weights: npt.NDArray[np.float64]) -> Array:
    """Return non-negative multiples of 1/UNIT near the weights, not all of them 0."""
    units = np.rint(np.maximum(weights, 0) * UNIT)
    if not units.any():
        units[:] = UNIT
    return exact_array(map(int, units)) / UNIT


def _powers(graph: Graph, ratio: Fraction) -> Array:
    """Return 0, 1, q, q², … up to the largest distance: position d + 1 is q^d, 0 is q^∞."""
    q = 1 / rational(ratio)
    return exact_array([0, *(q**d for d in range(int(graph.eccentricities.max()) + 1))])


def _orbit_distances(graph: Graph) -> tuple[Points, npt.NDArray[np.float64]]:
    """Return the orbit of each vertex, and how many of orbit b lie at distance d from orbit a."""
    orbits = automorphism_group(graph).orbit_labels
    _, first = np.unique(orbits, return_index=True)
    k, width = len(first), int(graph.eccentricities.max()) + 1
    tables: npt.NDArray[np.float64] = np.zeros((k, k, width))
    for a, vertex in enumerate(first):
        row = graph.distances[vertex]
        reached = row >= 0
        np.add.at(tables[a], (orbits[reached], row[reached]), 1)
    return orbits, tables
