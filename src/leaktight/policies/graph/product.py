"""Cartesian products of graphs: tuples whose places are independent."""

from collections.abc import Iterable

import numpy as np

from leaktight.policies.graph.graph import Graph, Indices
from leaktight.policies.graph.search import linked

MOST_WEDGES = 2**20
"""The most pairs of edges with a vertex in common that are looked at to find factors."""


def product_edges(graphs: Iterable[Graph]) -> Indices:
    """Return the edges of the Cartesian product, on tuples in the order of ``itertools.product``.

    Two tuples are joined if they differ in one place only, along an edge of that place's graph.

    >>> product_edges([Graph(2, [(0, 1)]), Graph(2, [(0, 1)])]).tolist()
    [[0, 2], [1, 3], [0, 1], [2, 3]]
    """
    order, edges = 1, np.empty((0, 2), dtype=np.int64)
    for graph in graphs:
        n = graph.order
        along_old = edges[:, None, :] * n + np.arange(n)[None, :, None]
        along_new = np.arange(order)[:, None, None] * n + graph.edges[None, :, :]
        edges = np.concatenate([along_old.reshape(-1, 2), along_new.reshape(-1, 2)])
        order *= n
    return edges


def strong_product_edges(graphs: Iterable[Graph]) -> Indices:
    """Return the edges of the strong product, on tuples in the order of ``itertools.product``.

    Two tuples are joined if in every place they agree or are joined there.

    >>> strong_product_edges([Graph(2, [(0, 1)]), Graph(2, [(0, 1)])]).tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    """
    steps = np.zeros((1, 2), dtype=np.int64)  # of both ends: the same place, or along an arc
    for graph in graphs:
        stay = np.repeat(np.arange(graph.order)[:, None], 2, axis=1)
        own = np.concatenate([stay, graph.arcs])
        steps = (steps[:, None, :] * graph.order + own[None, :, :]).reshape(-1, 2)
    up = steps[steps[:, 0] < steps[:, 1]]
    return up[np.lexsort(up.T[::-1])]


def product_factors(graph: Graph) -> list[tuple[Graph, Indices]]:
    """Return graphs whose Cartesian product a connected graph is, and each vertex's place in them.

    The graph alone if it is no product, or none is found. What is found is a product, since it is
    checked: two edges at a vertex that lie in no square without chords, or in several, belong to
    one factor, and so do opposite edges of such a square. That need not be all.

    >>> edge, path = Graph(2, [(0, 1)]), Graph(3, [(0, 1), (1, 2)])
    >>> grid = Graph.from_indices(6, product_edges([edge, path]))
    >>> [(factor.size, places.tolist()) for factor, places in product_factors(grid)]
    [(2, [0, 1, 2, 0, 1, 2]), (1, [0, 0, 0, 1, 1, 1])]
    """
    alone = [(graph, np.arange(graph.order))]
    labels = _parallel_edges(graph)
    classes = int(labels.max(initial=0)) + 1
    if classes == 1:
        return alone
    factors, codes = list[tuple[Graph, Indices]](), np.zeros(graph.order, dtype=np.int64)
    order, size = 1, 0
    for label in range(classes):
        others = Graph.from_indices(graph.order, graph.edges[labels != label])
        places = others.component_labels
        ends = places[graph.edges[labels == label]]
        if (ends[:, 0] == ends[:, 1]).any():
            return alone
        factor = Graph.from_indices(int(places.max()) + 1, ends)
        factors.append((factor, places))
        order, size = order * factor.order, size + factor.size * (graph.order // factor.order)
        if order > graph.order:
            return alone
        codes = codes * factor.order + places
    # Every edge changes its own place and no other, so it is one of the product. Then the graph is
    # the product if it has as many vertices, no two of them with the same places, and edges.
    same = graph.order == order == len(np.unique(codes)) and graph.size == size
    return factors if same else alone


def _parallel_edges(graph: Graph) -> Indices:
    """Number the edges so that those that must belong to the same factor have the same number."""
    n, degrees = graph.order, graph.degrees
    if int((degrees * (degrees - 1) // 2).sum()) > MOST_WEDGES:
        return np.zeros(graph.size, dtype=np.int64)
    one, other, v, w = _wedges(graph)
    # The wedges over the same two ends v < w lie together: their centres are the common neighbours.
    pairs, start, count = np.unique(v * n + w, return_index=True, return_counts=True)
    joined = np.isin(pairs, graph.edges @ [n, 1])
    square = (count == 2) & ~joined
    same = np.repeat(~square, count)
    first, second = start[square], start[square] + 1
    here = np.concatenate([one[same], one[first], other[first]])
    there = np.concatenate([other[same], other[second], one[second]])
    return linked(graph.size, here, there).astype(np.int64)


def _wedges(graph: Graph) -> tuple[Indices, Indices, Indices, Indices]:
    """Return the pairs of edges (v, u), (w, u) with v < w, and v and w, in the order of (v, w)."""
    arcs = graph.arcs
    number = np.tile(np.arange(graph.size), 2)
    ranked = np.lexsort(arcs.T)
    tails, number = arcs[ranked, 0], number[ranked]
    ends = np.cumsum(graph.degrees)
    # From each arc into u, one wedge for each arc into u that comes after it.
    after = np.repeat(ends, graph.degrees) - np.arange(len(arcs)) - 1
    a = np.repeat(np.arange(len(arcs)), after)
    b = a + 1 + np.arange(len(a)) - np.repeat(np.cumsum(after) - after, after)
    order = np.lexsort((tails[b], tails[a]))
    a, b = a[order], b[order]
    return number[a], number[b], tails[a], tails[b]
