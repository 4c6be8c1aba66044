"""Which private channel earns most if edges have lengths, and what proves it?

A private column has c_i ≤ λ_ih·c_h with a ratio λ_ih = e^(ε·d(i,h)) for each edge. Columns are
proposed as on a graph (``search``), with lengths in whole numbers of a unit that is 2^−50 of the
largest distance. What is returned is exact: the channel is lifted until it is private for lengths
rounded down, and prices are raised until flows on arcs prove them for lengths rounded up. See
``docs/proofs/metrics.md``.
"""

from fractions import Fraction

import numpy as np
from flint import fmpq

from leaktight.exact.numbers import Array, exact_array, float_array, rational
from leaktight.exact.ratio import Ratio
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.metric import Metric
from leaktight.worst_case.columns.best import (
    Bound,
    Found,
    best_channel,
    least_bound,
    lifted,
    near_channel,
)
from leaktight.worst_case.columns.flow import Arcs, Flow
from leaktight.worst_case.columns.lifting import in_units, private_matrix
from leaktight.worst_case.columns.pricing import Floats, Pricing, pricing, step_of
from leaktight.worst_case.columns.search import MOST_RESOLVED, Part, propose_columns

MOST_TIMES = 20
"""How often the search for the cheapest columns is begun again where it ended."""

FAR = fmpq(2) ** MOST_RESOLVED
"""A ratio that ties two values to each other so little that they are looked at one by one."""

LEAST_SENT = 2.0**-60
"""The least amount of a flow, in units of the prices, that is kept."""


def best_for_metric(metric: Metric, ratio: Ratio, earned: Array) -> Found:
    """Return the best channel for a metric all of whose distances are finite.

    It is private for lengths and a ratio rounded down, and the prices bound for those rounded up.

    >>> line = Metric.from_edges(3, [(0, 1, 1), (1, 2, "1/2")])
    >>> best = best_for_metric(line, Ratio.of(4), exact_array([1, 0, 0, 0, 0, 1]).reshape(2, 3))
    >>> float(best.value), float(best.prices.sum() - best.value) < 1e-12
    (1.6999999999999997, True)
    """
    alike = (earned == earned[0]).all()  # whatever is guessed
    if (length := metric.unit) is not None or ratio.upper == 1 or alike:
        return best_channel(metric.graph, ratio.over(*[length or Fraction(1)] * 2), earned)
    below, above = metric.ratios(ratio)
    if (near := below <= FAR).sum() < metric.graph.size:
        short = metric.with_edges(np.flatnonzero(near))
        if len(short.graph.components) > 1:
            return _far_apart(metric, short, ratio, earned)
    unit = abs(earned).max() or fmpq(1)
    graph, small = metric.rounded()
    step, part = rational(ratio.over(small, small).lower), Part.of(graph, earned / unit)
    way = pricing(graph, step)
    levels, weights, floats = propose_columns(part, step, way, at_vertex=False)
    channel = near_channel(part, step_of(step), levels, weights)
    matrix = lifted(part, below, channel, floats).matrix
    value = part.earns(matrix)
    proved = lambda part, prices: _proved(part, way, float_array(prices), above)  # noqa: E731
    prices, flows = least_bound(part, value, floats, proved)
    return Found(matrix, value * unit, prices * unit, tuple(flow.times(unit) for flow in flows))


def _far_apart(metric: Metric, short: Metric, ratio: Ratio, earned: Array) -> Found:
    """Join the best channels of groups of values that are far from each other.

    ``short`` has the edges inside the groups alone. Prices that hold along fewer edges hold along
    all, so that those of the groups stand side by side. The channels do too, and are lifted until
    they are private between the groups as well: what that costs is about 1/FAR.
    """
    matrix = np.full((metric.order, len(earned)), fmpq(0), dtype=object)
    prices = np.full(metric.order, fmpq(0), dtype=object)
    arcs: list[list[tuple[int, int, fmpq]]] = [[] for _ in earned]
    for group in short.graph.components:
        at = np.array([metric.graph.index(value) for value in group])
        found = best_for_metric(short.restricted(group), ratio, earned[:, at])
        matrix[at], prices[at] = found.matrix, found.prices
        for w, flow in enumerate(found.flows):
            arcs[w] += [(int(at[i]), int(at[h]), amount) for i, h, amount in flow.arcs]
    below, floats = metric.ratios(ratio)[0], float_array(earned / (abs(earned).max() or fmpq(1)))
    join = lambda left: int((floats @ left).argmax())  # noqa: E731
    private = private_matrix(in_units(matrix, below), metric.graph, below, join)
    value = sum(map(np.dot, earned, private.T), fmpq(0))
    flows = (Flow(fmpq(0), (0,) * metric.order, tuple(each), {}) for each in arcs)
    return Found(private, value, prices, tuple(flows))


def _proved(part: Part, way: Pricing, prices: Floats, above: Array) -> Bound:
    """Return prices raised until flows prove them, and the flows of all guesses."""
    graph, step = part.graph, step_of(way.ratio)
    reduced = prices - part.floats[part.guesses]
    levels = graph.distances[part.floats[part.guesses].argmax(axis=1)].astype(np.int64)
    for _ in range(MOST_TIMES):
        before, levels = levels, way.cheapest(reduced, levels)
        if np.array_equal(levels, before):
            break
    arcs = (_routed(graph, step, row, at) for row, at in zip(reduced, levels, strict=True))
    flows = part.everywhere([Flow(fmpq(0), (0,) * graph.order, each, {}) for each in arcs])
    exact, lacking = exact_array(prices.tolist()), fmpq(0)
    ratio = dict(zip(map(tuple, graph.arcs.tolist()), np.tile(above, 2), strict=True))
    for row, flow in zip(part.earned, flows, strict=True):
        left = (exact - row).tolist()
        for i, h, amount in flow.arcs:
            left[h] -= ratio[i, h] * amount
            left[i] += amount
        lacking = max(lacking, -min(left))
    return exact + lacking, flows


def _routed(graph: Graph, step: float, prices: Floats, levels: Indices) -> Arcs:
    """Return a flow on tight arcs that gives every vertex but one what it costs, nearly.

    What flows into a vertex h is wanted below it, where entries are at most c_h. So no arc needs
    more room than c_h times all prices, and small amounts keep their digits.
    """
    import igraph

    (tails, heads), long = graph.arcs.T, np.tile(graph.lengths, 2)
    tight = np.flatnonzero(levels[heads] == levels[tails] + long)
    tails, heads, column = tails[tight], heads[tight], np.exp(-step * (levels - levels.min()))
    net, root = prices * column, int(prices.argmin())
    net[root] -= net.sum()
    givers, takers = np.flatnonzero(net < 0), np.flatnonzero(net > 0)
    n, most = graph.order, 1 + np.abs(prices).sum()
    network = igraph.Graph(
        n + 2,
        np.stack(
            [
                np.concatenate([tails, np.full_like(givers, n), takers]),
                np.concatenate([heads, givers, np.full_like(takers, n + 1)]),
            ],
            axis=1,
        ),
        directed=True,
    )
    capacity = np.concatenate([most * column[heads], -net[givers], net[takers]])
    sent = np.array(network.maxflow(n, n + 1, capacity.tolist()).flow)[: len(tight)]
    there = column[tails] > 0  # what is below all floats is sent nothing
    amounts = np.divide(sent, column[tails], out=np.zeros_like(sent), where=there).tolist()
    arcs = zip(tails.tolist(), heads.tolist(), amounts, strict=True)
    return tuple((i, h, rational(amount)) for i, h, amount in arcs if amount > LEAST_SENT)
