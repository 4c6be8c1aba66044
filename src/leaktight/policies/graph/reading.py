"""Which edges are meant, and do they make a simple graph?"""

from typing import Any

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidGraph
from leaktight.labels import Labels


def read_edges(pairs: Any, vertices: Labels) -> npt.NDArray[np.int64]:
    """Return the edges of a simple graph, given as pairs of positions in ``vertices``.

    >>> read_edges([(2, 0), (0, 1), (0, 2)], ("a", "b", "c")).tolist()
    [[0, 1], [0, 2]]
    """
    order, ends = len(vertices), np.asarray(pairs)
    if ends.size == 0:
        ends = np.empty((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise InvalidGraph(
            f"edges must be pairs of positions, got an array of shape {ends.shape} "
            f"and type {ends.dtype}"
        )
    outside = ends[(ends < 0) | (ends >= order)]
    if outside.size:
        raise InvalidGraph(f"an edge must join positions 0 to {order - 1}, got {outside[0]}")
    loops = ends[ends[:, 0] == ends[:, 1], 0]
    if loops.size:
        vertex = vertices[loops[0]]
        raise InvalidGraph(f"an edge must join two different vertices, got a loop at {vertex!r}")
    low, high = np.minimum(*ends.T), np.maximum(*ends.T)
    codes = low.astype(np.int64) * order + high
    if not (np.diff(codes) > 0).all():
        codes = np.unique(codes)
    return np.stack(np.divmod(codes, order), axis=1)
