"""Which tuples are neighbours, if their places are independent? Cartesian products of graphs."""

from collections.abc import Iterable

import numpy as np

from leaktight.graph import Graph, Indices


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
