"""Which private column is cheap at given prices, up to rounding? By minimum cuts.

This is the descent of ``flow`` in floating point: igraph finds on which
side of a minimum cut each vertex lies, some ten times as fast as a flow is found there. It
neither needs nor gives the flow that would prove anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.policies.graph import Graph, Indices

Floats: TypeAlias = npt.NDArray[np.float64]

NOTHING = 2.0**-40
"""The part of all goods that may be left over, by rounding, at the cheapest column."""


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """A network with an arc both ways for each edge, and arcs from a source and to a sink."""

    network: Any
    tails: Indices
    heads: Indices
    order: int

    @classmethod
    def of(cls, graph: Graph) -> "Cuts":
        """Return the network of a graph; the source and the sink are its last two vertices."""
        import igraph

        n, every = graph.order, np.arange(graph.order)
        arcs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
        out, into = np.stack([0 * every + n, every], 1), np.stack([every, 0 * every + n + 1], 1)
        network = igraph.Graph(n=n + 2, directed=True)
        network.add_edges(np.concatenate([arcs, out, into]))
        return cls(network, arcs[:, 0], arcs[:, 1], n)

    def descend(
        self,
        levels: Sequence[int],
        net: Callable[[Indices], Floats],
        root: int,
        most_steps: int,
    ) -> Indices:
        """Return the levels that ``most_steps`` lead to at most, as in ``flow.descend``.

        >>> path, prices = Graph(3, [(0, 1), (1, 2)]), np.array([0.0, -3.0, 1.0])
        >>> Cuts.of(path).descend([0, 1, 2], lambda g: prices * 2.0**-g, 0, most_steps=50)
        array([ 0, -1,  0])
        """
        now = np.array(levels)
        for _ in range(most_steps):
            goods = net(now)
            goods[root] = 0
            tight = now[self.heads] == now[self.tails] + 1
            given, wanted = np.maximum(-goods, 0), np.maximum(goods, 0)
            sign, moved = -1, self._stuck(tight, given, wanted, root, sign=-1)
            if not moved.any():
                sign, moved = 1, self._stuck(tight, given, wanted, root, sign=1)
            if not moved.any():
                break
            leaving = moved[self.tails] & ~moved[self.heads]
            apart = now[self.tails[leaving]] - now[self.heads[leaving]]
            now[moved] += sign * (1 - sign * apart).min()
        return now

    def _stuck(
        self, tight: npt.NDArray[np.bool_], given: Floats, wanted: Floats, root: int, sign: int
    ) -> npt.NDArray[np.bool_]:
        """Say which vertices cannot give all that they have (−1), or get what they want (1).

        The root takes, or gives, any amount.
        """
        goods = given if sign < 0 else wanted
        plenty, moved = 2 * (given.sum() + wanted.sum()), np.zeros(self.order, dtype=bool)
        if not goods.any():
            return moved
        ends = [given.copy(), wanted.copy()]
        ends[sign < 0][root] = plenty
        amounts = np.concatenate([np.where(tight, plenty, 0.0), *ends]).tolist()
        cut = self.network.mincut(self.order, self.order + 1, amounts)
        if cut.value < goods.sum() * (1 - NOTHING):
            side = cut.partition[sign > 0]
            moved[[v for v in side if v < self.order]] = True
        return moved
