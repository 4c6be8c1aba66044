"""Which bound holds for many records whose values have distances, and what comes near it?

A cover, b ≥ 0 with Σ_i b_i·e^(−ε·d(i,j)) ≥ 1 for every j, bounds one record, and the product of
covers bounds several. It is proved by flows, as prices are: for each j the weights are carried
along shortest paths to j, and each edge takes its share. What attains nearly as much for many
records is a packing. See docs/proofs/metrics.md.
"""

import numpy as np
from flint import fmpq

from leaktight.exact.linear_program import LinearProgram, Optimum, solve
from leaktight.exact.numbers import Array, exact_array, float_array
from leaktight.exact.ratio import Ratio
from leaktight.policies.metric import Metric
from leaktight.worst_case.columns.best import Found
from leaktight.worst_case.columns.cover import rounded
from leaktight.worst_case.columns.flow import Arcs, Flow
from leaktight.worst_case.columns.lifting import in_units, lift

FINE = 2**80
"""What is carried along an edge is rounded down to a multiple of 1/FINE."""


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
    rows, columns = np.divmod(np.arange(n * n), n)
    program = LinearProgram(np.ones(n), (rows, columns, near.ravel()), row_lower=np.ones(n))
    answer = solve(program)
    cover = packing = np.ones(n)
    if isinstance(answer, Optimum):
        cover, packing = answer.x, answer.y
    prices = rounded(cover)
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
