"""Bounds for all private channels at once, and when a channel attains them.

Let q = 1/λ and d the distance of the graph, q^∞ = 0. A *cover* is b ≥ 0 with
Σ_i b_i·q^d(i,j) ≥ 1 for every vertex j: no private channel has Σ_z max_x K(z|x) > Σ b. If the
*weighting* w, the solution of Σ_j q^d(i,j)·w_j = 1, is non-negative, then K_ij = w_j·q^d(i,j) is
a private channel that attains Σ w. Both are proved in docs/proofs/cover-bound.md.

Where edges have lengths, a cover is proved by flows, as prices are: for each j the weights are
carried along shortest paths to j, and each edge takes its share. What attains nearly as much for
many records is a packing. See docs/proofs/metrics.md.
"""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat, fmpq_poly, fmpz

from leaktight.exact.linear_program import LinearProgram, solve, solve_inside
from leaktight.exact.numbers import Array, exact_array, float_array, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import float_below, precision
from leaktight.exact.threads import one_thread
from leaktight.policies.graph import Graph, Indices, product_factors
from leaktight.policies.metric import Metric
from leaktight.policies.symmetry import Points, automorphism_group, distance_distribution
from leaktight.worst_case.columns.best import Found
from leaktight.worst_case.columns.flow import Arcs, Flow
from leaktight.worst_case.columns.lifting import in_units, lift
from leaktight.worst_case.columns.pricing import Floats

MOST_UNKNOWNS = 150
"""The most orbits of vertices for which a weighting is solved for exactly."""

FINE = 2**80
"""What is carried along an edge is rounded down to a multiple of 1/FINE."""

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
    def of(
        cls, graph: Graph, ratio: Fraction, weights: Array, orbits: Points | None = None
    ) -> "Cover":
        """Return the bound that some weights give; see ``coverage`` for ``orbits``.

        >>> from leaktight.policies.secrets import SecretGraph
        >>> Cover.of(SecretGraph.line(4), Fraction(2), exact_array([1, 1, 1, 1])).bound
        32/15
        """
        return cls(weights, total_weight(weights) / coverage(graph, ratio, weights, orbits).min())

    def claim(self, at: Indices) -> dict[str, Any]:
        """Return the proof of the bound, with these numbers of the vertices."""
        return {"vertices": at.tolist(), "cover": [str(b) for b in self.weights]}


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
    def of(
        cls, graph: Graph, ratio: Fraction, weights: Array, orbits: Points | None = None
    ) -> "DistanceMechanism":
        """Return the mechanism for non-negative weights a that are not all 0."""
        used = coverage(graph, ratio, weights, orbits)
        scale = largest_scale(graph, rational(ratio), used, 1 / used.max())
        return cls(graph, ratio, weights, scale, 1 - scale * used)

    @property
    def value(self) -> fmpq:
        """The sum of the column maxima."""
        return self.scale * total_weight(self.weights) + self.remainder.max()

    @property
    def is_weighting(self) -> bool:
        """Whether it is K_ij = a_j·q^d(i,j), and nothing is left of the rows."""
        return bool(self.scale == 1 and not self.remainder.any())

    @property
    def matrix(self) -> Array:
        """Its rows, with an output for each vertex."""
        matrix: Array = decay(self.graph, self.ratio) * (self.weights * self.scale)
        matrix[:, int(self.remainder.argmax())] += self.remainder
        return matrix


def largest_scale(graph: Graph, ratio: fmpq | Array, used: Array, most: fmpq) -> fmpq:
    """Return the largest s up to ``most`` at which what is left, 1 − s·R, is a private column.

    It is if s·(λ·R_h − R_i) ≤ λ − 1 for all neighbours i, h. The ratio λ is that of all edges, or
    there is one for each.
    """
    (tails, heads), each = graph.arcs.T, np.array(ratio, dtype=object)
    across = np.tile(np.broadcast_to(each, graph.size), 2)
    if isinstance(ratio, fmpq):
        near = float_array(used)
        gaps = near[heads] - float(1 / ratio) * near[tails]
        # Rounding cannot hide the steepest arc from a margin that is so much wider.
        top = gaps >= gaps.max(initial=0.0) - 2.0**-40 * near.max()
        tails, heads, across = tails[top], heads[top], across[top]
    steep = zip(across, across * used[heads] - used[tails], strict=True)
    return min([most, *((r - 1) / s for r, s in set(steep) if s > 0)])


def total_weight(weights: Array) -> fmpq:
    """Return Σ w. Many weights are equal if the graph is symmetric, and long if it is large.

    >>> total_weight(exact_array(["2/3", "1/3", "1/3", "2/3"]))
    2
    """
    each = Counter(weights.tolist()).items()
    return sum((weight * times for weight, times in each), fmpq(0))


def coverage(graph: Graph, ratio: Fraction, weights: Array, orbits: Points | None = None) -> Array:
    """Return Σ_i b_i·q^d(i,j) for each vertex j, exactly.

    For weights that are equal on the ``orbits`` of vertices, one j of each is looked at.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> coverage(SecretGraph.line(4), Fraction(2), exact_array(["2/3", "1/3", "1/3", "2/3"]))
    array([1, 1, 1, 1], dtype=object)
    """
    powers, common = _powers(graph, ratio)
    alike = weights[0] > 0 and (weights == weights[0]).all()
    unit = weights[0] if alike else fmpq(1, math.lcm(*{int(weight.q) for weight in weights}))
    units = weights / unit
    if orbits is None:
        rows, orbits = iter(graph.distances), np.arange(graph.order, dtype=np.int32)
    else:
        first = np.unique(orbits, return_index=True)[1]
        rows = (graph.distances_from(graph.vertices[i]) for i in first)
    if units.sum() >= 2**53:
        return np.array([powers[row + 1] @ weights for row in rows])[orbits] / common
    # Whole numbers below 2^53 are added without rounding in floating point. From one vertex to the
    # next often only few sums change.
    whole, before = float_array(units), np.zeros(len(powers))
    used, summed, known = [], fmpz(0), dict[fmpz, fmpq]()
    numerators = np.array([power.p for power in powers], dtype=object)
    for row in rows:
        seen = np.asarray(np.bincount(row + 1, whole, minlength=len(powers)), dtype=np.float64)
        at = np.flatnonzero(seen != before)
        more = (seen - before)[at].astype(np.int64).tolist()
        summed = sum(map(mul, numerators[at].tolist(), more), summed)
        if summed not in known:
            known[summed] = fmpq(summed * unit.p, common.p * unit.q)
        used.append(known[summed])
        before = seen
    return np.array(used)[orbits]


def coverage_below(graph: Graph, ratio: fmpq, weights: Array) -> Array:
    """Return nearly Σ_i b_i·q^d(i,j) for each vertex j, and never more: quickly, for large graphs.

    Powers and weights are rounded down to floats, and a margin is left for the rounding of sums.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> line = SecretGraph.line(4)
    >>> near = coverage_below(line, fmpq(3), exact_array(["1/4"] * 4))
    >>> exact = coverage(line, Fraction(3), exact_array(["1/4"] * 4))
    >>> [bool(low <= each < low * (1 + fmpq(1, 10**12))) for low, each in zip(near, exact)]
    [True, True, True, True]
    """
    powers = [0.0, 1.0]  # q^∞ and q^0
    with precision(64):
        q = 1 / arb(ratio)
        while len(powers) <= graph.eccentricities.max() + 1 and powers[-1]:
            powers.append(float_below((q ** (len(powers) - 1)).lower().fmpq()))
    table = np.zeros(max(len(powers), int(graph.eccentricities.max()) + 2))
    table[: len(powers)] = powers
    kept = np.nextafter(float_array(weights), 0.0)
    pieces = np.array_split(graph.distances, max(1, graph.order // 256))
    summed = np.concatenate([table[rows + 1] @ kept for rows in pieces])
    summed[summed < 2.0**-900] = 0.0  # where floats lose digits by their size
    sure = exact_array((summed * (1 - (graph.order + 8) * 2.0**-52)).tolist())
    return np.maximum(sure, weights)


def weighting(graph: Graph, ratio: Fraction) -> Array | None:
    """Return the weighting of a connected graph if it is non-negative, and None if not.

    It is put together from those of the graph's blocks, and these from those of their factors
    (docs/proofs/weighting.md), so that a tree or a grid needs no distances. It is None too if it
    is not unique, or if there are too many unknowns, one for each orbit of a block's vertices.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> weighting(SecretGraph.line(4), Fraction(2))
    array([2/3, 1/3, 1/3, 2/3], dtype=object)
    """
    blocks, q = graph.blocks(), 1 / rational(ratio)
    if len(blocks) == 1 and graph.order > 3:
        return _of_block(graph, ratio)
    weights = exact_array([1] * graph.order)
    for block in blocks:
        inside: Any = 1 / (1 + (len(block) - 1) * q)
        if len(block) > 3:  # of two or three vertices every two are joined
            inside = _of_block(graph.subgraph(graph.vertices[i] for i in block), ratio)
            if inside is None:
                return None
        weights[block] -= 1 - inside
    return weights if weights.min() >= 0 else None


def _of_block(graph: Graph, ratio: Fraction) -> Array | None:
    """Return the weighting of a graph that no vertex cuts apart, if it is non-negative."""
    factors = product_factors(graph) if graph.alike is None else []
    if len(factors) > 1:
        product = exact_array([1] * graph.order)
        for factor, places in factors:
            weights = weighting(factor, ratio)
            if weights is None:
                return None
            product *= weights[places]
        return product
    if seen := distance_distribution(graph):
        around = fmpq_poly(list(seen.counts))(1 / rational(ratio))
        return np.full(graph.order, 1 / around, dtype=object)
    return _by_orbits(graph, ratio)


@one_thread()
def _by_orbits(graph: Graph, ratio: Fraction) -> Array | None:
    """Return the solution of a system with an unknown for each orbit, if it is non-negative."""
    orbits = automorphism_group(graph).orbit_labels
    k = int(orbits.max()) + 1
    if k > MOST_UNKNOWNS:
        return None
    powers, common = _powers(graph, ratio)
    floats = _orbit_sums(graph, orbits, _near_powers(graph, ratio))
    try:
        estimate = np.linalg.solve(floats, np.ones(k))
    except np.linalg.LinAlgError:
        return None
    if estimate.min() < -(2.0**-20) * np.abs(estimate).max():
        return None
    exact = fmpq_mat(k, k, _orbit_sums(graph, orbits, powers).ravel().tolist())
    try:
        solved = exact.solve(fmpq_mat(k, 1, [common] * k)).entries()
    except ZeroDivisionError:
        return None
    return exact_array(solved)[orbits] if min(solved) >= 0 else None


def best_cover(graph: Graph, ratio: Fraction) -> tuple[Cover, DistanceMechanism]:
    """Return nearly the best cover of a graph, and a private channel from the dual solution.

    A linear program with a variable for each orbit of vertices proposes both; the bound and the
    channel that are returned are exact.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> cover, mechanism = best_cover(SecretGraph.line(3), Fraction(2))
    >>> round(float(cover.bound), 9), round(float(mechanism.value), 9)
    (1.666666667, 1.666666667)
    """
    orbits = automorphism_group(graph).orbit_labels
    sizes = np.bincount(orbits).astype(float)
    floats = _orbit_sums(graph, orbits, _near_powers(graph, ratio))
    cover, packing = (_rounded(each)[orbits] for each in _proposed(floats, sizes))
    return (
        Cover.of(graph, ratio, cover, orbits),
        DistanceMechanism.of(graph, ratio, packing, orbits),
    )


def best_metric_cover(metric: Metric, ratio: Ratio) -> Found:
    """Return nearly the best cover as prices with flows, and the best packing as the matrix.

    The distances must be finite. The rows of a packing sum to at most 1, its columns are private.

    >>> star = Metric.from_edges(4, [(0, 1, 1), (0, 2, 1), (0, 3, "3/2")])
    >>> found = best_metric_cover(star, Ratio.of(2))
    >>> round(float(found.prices.sum()), 9), round(float(found.value), 9)    # 1 + Σ tanh(ε·l/2)
    (2.144258917, 2.144258917)
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    n, (below, above) = metric.order, metric.ratios(ratio)
    lengths, ends = float_array(metric.upper), metric.graph.edges.T
    table = csr_array((lengths, (ends[0], ends[1])), shape=(n, n))
    distances, before = dijkstra(table, directed=False, return_predecessors=True)
    near = np.exp(-ratio.epsilon * distances)
    cover, packing = _proposed(near, np.ones(n))
    prices = _rounded(cover)
    across = dict(zip(map(tuple, metric.graph.edges.tolist()), above, strict=True))
    across |= {(h, i): most for (i, h), most in across.items()}
    carried = [_carried(prices, before[j], np.argsort(-distances[j]), across) for j in range(n)]
    least = min(reached for reached, _ in carried)
    scale = fmpq((FINE / least).ceil(), FINE)
    flows = tuple(Flow(fmpq(0), (0,) * n, arcs, {}).times(scale) for _, arcs in carried)
    units = lift(in_units(near * np.maximum(packing, 0), below), metric.graph, below)
    matrix = exact_array(map(int, units.ravel())).reshape(n, n) / int(units.sum(axis=1).max())
    return Found(matrix, matrix.trace(), prices * scale, flows)


def _carried(
    prices: Array, before: Array, order: Array, across: dict[tuple[int, int], fmpq]
) -> tuple[fmpq, Arcs]:
    """Return what reaches the last vertex of the order from all others, and along which arcs."""
    held, arcs = prices.tolist(), list[tuple[int, int, fmpq]]()
    *others, last = order.tolist()
    for h in others:
        i = int(before[h])
        amount = fmpq((held[h] * FINE / across[i, h]).floor(), FINE)
        held[i] += amount
        arcs.append((i, h, amount))
    return held[last], tuple(arcs)


def _proposed(powers: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return nearly the best cover and packing, given the sums of λ^(−d) over orbits."""
    rows, columns = np.divmod(np.arange(powers.size), len(powers))
    program = LinearProgram(sizes, (rows, columns, powers.ravel()), row_lower=np.ones(len(powers)))
    answer = solve(program) if len(powers) <= MOST_BY_SIMPLEX else solve_inside(program)
    if (best := answer.optimum) is None:
        return np.ones(len(powers)), np.ones(len(powers))
    return best.x, best.y / sizes


def _rounded(weights: Floats) -> Array:
    """Return non-negative multiples of 1/UNIT near the weights, not all of them 0."""
    units = np.rint(np.maximum(weights, 0) * UNIT)
    if not units.any():
        units[:] = UNIT
    return exact_array(map(int, units)) / UNIT


def _powers(graph: Graph, ratio: Fraction) -> tuple[Array, fmpq]:
    """Return 0, 1, q, q², … up to the largest distance as integers, and their denominator.

    Position d + 1 is q^d, and 0 is q^∞.
    """
    farthest = int(graph.eccentricities.max())
    p, q = fmpz(ratio.numerator), fmpz(ratio.denominator)
    steps = range(farthest + 1)
    return exact_array([0, *(q**d * p ** (farthest - d) for d in steps)]), fmpq(p**farthest)


def decay(graph: Graph, ratio: Fraction) -> Array:
    """Return λ^(−d(i,j)) for all vertices i and j, 0 where there is no path.

    >>> decay(Graph(3, [(0, 1)]), Fraction(2))
    array([[1, 1/2, 0],
           [1/2, 1, 0],
           [0, 0, 1]], dtype=object)
    """
    powers, common = _powers(graph, ratio)
    return (powers / common)[graph.distances + 1]


def _near_powers(graph: Graph, ratio: Fraction) -> Floats:
    """Return 0, 1, q, q², … in floating point, up to any distance that may occur."""
    return np.concatenate([[0.0], float(1 / ratio) ** np.arange(graph.order)])


def _orbit_sums(graph: Graph, orbits: Points, powers: Array) -> Array:
    """Return Σ powers[d(a, v) + 1] over the vertices v of each orbit, a row for each orbit of a."""
    _, first = np.unique(orbits, return_index=True)
    sums = np.zeros((len(first), len(first)), dtype=powers.dtype)
    for row, vertex in zip(sums, first, strict=True):
        np.add.at(row, orbits, powers[graph.distances_from(graph.vertices[vertex]) + 1])
    return sums
