"""Which private column costs least at given prices, and what proves it?

A column c of a private channel on a connected graph has c_i ≤ λ·c_h for all neighbours. At prices
a, which may be negative, some private column costs a·c < 0, or a flow f ≥ 0 on arcs i → h with
a − Σ f_ih·(λ·e_h − e_i) ≥ 0 proves that none does, since (λ·e_h − e_i)·c ≥ 0. On trees and on
complete graphs both are found at once. On other graphs columns are improved by minimum cuts, and
``flow`` proves them.

``cheapest`` works in floating point for many prices at a time and only proposes. ``prove`` is
exact. See ``docs/proofs/design.md``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from leaktight.exact.numbers import Array, float_array, to_float
from leaktight.policies.graph import Graph, Indices
from leaktight.worst_case.columns.flow import cheapest_column, descend, neighbour_lists

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Arcs: TypeAlias = tuple[tuple[int, int, fmpq], ...]
"""For each arc i → h that is used: i, h and the amount f_ih > 0."""

ENOUGH = 128
"""How many bits of an amount are kept where it would get much longer than the prices are."""

MOST_TOGETHER = 40
"""The most binary digits of λ^d, d the farthest distance, with which columns are cut together."""

MOST_STEPS = 50
"""How often the levels of one column are changed at the same prices."""

LEAST_GAIN = 2.0**-44
"""What a change of levels must gain, in units of what the column costs and earns in all."""

LARGEST = 2.0**900
"""The largest number that the ratio, or a power of it, may be in floating point."""


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """A private column λ^(−``levels``) of negative cost, or the arcs that show that there is none.

    There is none if ``cost``, what this column costs or a little less, is at least 0.
    """

    cost: fmpq
    levels: tuple[int, ...]
    arcs: Arcs


class Pricing(Protocol):
    """How to find the cheapest private column on one kind of graph, at one ratio."""

    @property
    def ratio(self) -> fmpq:
        """The ratio λ."""

    def cheapest(self, prices: Floats, start: Indices) -> Indices:
        """Return for each row of prices the levels of a column that costs little.

        The search starts from the private column with the levels in the same row of ``start``.
        """

    def prove(self, prices: Array) -> list[Proof]:
        """Return for each row a column of negative cost, or the proof that there is none."""


def pricing(graph: Graph, ratio: fmpq) -> Pricing:
    """Return the best way for a connected graph.

    >>> path = pricing(Graph(3, [(0, 1), (1, 2)]), fmpq(2))
    >>> path.prove(np.array([[fmpq(1), fmpq(-1), fmpq(2)]]))
    [Proof(cost=1, levels=(0, 1, 2), arcs=((1, 2, 1),))]
    """
    n = graph.order
    if graph.size == n - 1 or ratio == 1:  # at λ = 1 columns are constant; any tree shows it
        return _Tree.of(graph, ratio)
    if graph.size == n * (n - 1) // 2:
        return _Complete(ratio)
    return _AnyGraph(graph, ratio)


# --- trees ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """From the leaves to the root: what the best column of each branch costs, if it is 1 below."""

    order: tuple[int, ...]
    parent: tuple[int, ...]
    ratio: fmpq

    @classmethod
    def of(cls, graph: Graph, ratio: fmpq) -> "_Tree":
        neighbours = neighbour_lists(graph)
        order, parent = [0], [0] * graph.order
        seen = {0}
        for v in order:
            for u in neighbours[v]:
                if u not in seen:
                    seen.add(u)
                    parent[u] = v
                    order.append(u)
        return cls(tuple(order), tuple(parent), ratio)

    def cheapest(self, prices: Floats, start: Indices) -> Indices:
        ratio, costs = min(to_float(self.ratio), LARGEST), prices.copy()
        with np.errstate(over="ignore"):
            for v in self.order[:0:-1]:
                cost = costs[:, v]
                costs[:, self.parent[v]] += np.where(cost >= 0, cost / ratio, cost * ratio)
        levels = np.zeros(prices.shape, dtype=np.int64)
        for v in self.order[1:]:
            levels[:, v] = levels[:, self.parent[v]] + np.where(costs[:, v] >= 0, 1, -1)
        return levels

    def prove(self, prices: Array) -> list[Proof]:
        return [self._prove(row) for row in prices.tolist()]

    def _prove(self, prices: Sequence[fmpq]) -> Proof:
        costs, arcs = list(prices), list[tuple[int, int, fmpq]]()
        longest = 3 * max(price.height_bits() for price in prices) + ENOUGH
        for v in self.order[:0:-1]:
            u = self.parent[v]
            if costs[v] >= 0:
                amount = shortened(costs[v] / self.ratio, -1, longest)
                arcs.append((u, v, amount))
                costs[u] += amount
            else:
                amount = shortened(-costs[v], 1, longest)
                arcs.append((v, u, amount))
                costs[u] -= self.ratio * amount
        levels = [0] * len(costs)
        for v in self.order[1:]:
            levels[v] = levels[self.parent[v]] + (1 if costs[v] >= 0 else -1)
        return Proof(costs[self.order[0]], tuple(levels), tuple(arc for arc in arcs if arc[2]))


def shortened(amount: fmpq, sign: int, longest: int) -> fmpq:
    """Return a number as it is, or if it has too many bits, rounded down (−1) or up (1)."""
    if amount.height_bits() <= longest:
        return amount
    p, q = amount.p, amount.q
    shift = ENOUGH - p.height_bits() + q.height_bits()
    p, q = (p << shift, q) if shift >= 0 else (p, q << -shift)
    whole = p // q if sign < 0 else -(-p // q)
    return fmpq(whole, fmpz(1) << shift) if shift >= 0 else fmpq(whole << -shift)


# --- complete graphs -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Complete:
    """Every entry is 1 or λ: λ, at level −1, where the price is negative."""

    ratio: fmpq

    def cheapest(self, prices: Floats, start: Indices) -> Indices:
        return -(prices < 0).astype(np.int64)

    def prove(self, prices: Array) -> list[Proof]:
        return [self._prove(row) for row in prices.tolist()]

    def _prove(self, prices: Sequence[fmpq]) -> Proof:
        levels = tuple(-int(price < 0) for price in prices)
        cost = sum((self.ratio * a if a < 0 else a for a in prices), fmpq(0))
        arcs, free = [], [(h, a) for h, a in enumerate(prices) if a > 0]
        for i, price in enumerate(prices):
            owed = -price  # f_ih = owed in all, for which h pays λ times as much
            while owed > 0 and free:
                h, most = free.pop()
                amount = min(owed, most / self.ratio)
                arcs.append((i, h, amount))
                owed -= amount
                if (rest := most - self.ratio * amount) > 0:
                    free.append((h, rest))
        return Proof(cost, levels, tuple(arcs))


# --- other graphs --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _AnyGraph:
    """Minimum cuts from any column; the cone has no vertex but 0, so the root can be any."""

    graph: Graph
    ratio: fmpq

    def cheapest(self, prices: Floats, start: Indices) -> Indices:
        deepest = int(self.graph.eccentricities.max())
        # Above some ratio the best columns hardly change, and floats overflow.
        ratio = min(to_float(self.ratio), LARGEST ** (1 / max(1, deepest)))
        if deepest * math.log2(ratio) > MOST_TOGETHER:
            return self._one_by_one(prices, ratio, deepest)
        roots = np.argmin(prices, axis=1)
        found = start - np.take_along_axis(start, roots[:, None], axis=1)
        tails, heads = np.concatenate([self.graph.edges, self.graph.edges[:, ::-1]]).T
        left = np.arange(len(prices))  # the rows whose columns can still be improved
        for _ in range(MOST_STEPS):
            levels = found[left]
            net = prices[left] * np.power(ratio, -levels)
            net[np.arange(len(left)), roots[left]] -= net.sum(axis=1)  # what the root would take
            tight = levels[:, heads] == levels[:, tails] + 1
            raised = _cheapest_closed(net, tight, tails, heads)
            gained = -(net * raised).sum(axis=1)
            better = gained > LEAST_GAIN * np.abs(net).sum(axis=1)
            left, levels, raised = left[better], levels[better], raised[better]
            if not len(left):
                break
            # c_i ≤ λ·c_h says g_i ≥ g_h − 1: the set moves until the first such arc is tight.
            leaving = raised[:, tails] & ~raised[:, heads]
            room = np.where(leaving, 1 + levels[:, tails] - levels[:, heads], 2 * deepest + 2)
            levels = levels - raised * room.min(axis=1, keepdims=True)
            found[left] = levels - np.take_along_axis(levels, roots[left][:, None], axis=1)
        return found

    def _one_by_one(self, prices: Floats, ratio: float, deepest: int) -> Indices:
        """Descend by flows of Python's, which tell amounts of any size from nothing."""
        neighbours = neighbour_lists(self.graph)
        powers = [ratio**-g for g in range(-deepest, deepest + 1)]
        found = np.empty(prices.shape, dtype=np.int64)
        for w, row in enumerate(prices.tolist()):

            def net(levels: Sequence[int], row: list[float] = row) -> list[float]:
                return [a * powers[g + deepest] for a, g in zip(row, levels, strict=True)]

            root = int(np.argmin(row))
            start = self.graph.distances[root].tolist()
            found[w], _ = descend(neighbours, start, net, root, MOST_STEPS)
        return found

    def prove(self, prices: Array) -> list[Proof]:
        floats = float_array(prices)
        start = self.graph.distances[floats.argmin(axis=1)].astype(np.int64)
        near = self.cheapest(floats, start).tolist()
        return [self._prove(*both) for both in zip(prices.tolist(), near, strict=True)]

    def _prove(self, prices: Sequence[fmpq], near: Sequence[int]) -> Proof:
        root = min(range(len(prices)), key=lambda i: prices[i])
        start = [level - near[root] for level in near]
        flow = cheapest_column(self.graph, self.ratio, prices, root, start)
        arcs = zip(flow.arcs.tolist(), flow.values, strict=True)
        return Proof(flow.cost, flow.levels, tuple((i, h, amount) for (i, h), amount in arcs))


def _cheapest_closed(net: Floats, tight: Flags, tails: Indices, heads: Indices) -> Flags:
    """Return for each row a set of vertices of least ``net`` that no tight arc leaves.

    It is one side of a minimum cut; one graph has the vertices of all rows.
    """
    import igraph

    rows, n = net.shape
    row, arc = np.nonzero(tight)
    flat = net.ravel()
    givers, takers = np.flatnonzero(flat < 0), np.flatnonzero(flat > 0)
    source, sink = rows * n, rows * n + 1
    arcs = [
        np.stack([row * n + tails[arc], row * n + heads[arc]], axis=1),
        np.stack([np.full_like(givers, source), givers], axis=1),
        np.stack([takers, np.full_like(takers, sink)], axis=1),
    ]
    unlimited = np.full(len(arc), 1 + np.abs(flat).sum())
    network = igraph.Graph(rows * n + 2, np.concatenate(arcs), directed=True)
    capacity = np.concatenate([unlimited, -flat[givers], flat[takers]])
    side = np.zeros(rows * n + 2, dtype=bool)
    side[network.maxflow(source, sink, capacity.tolist()).partition[0]] = True
    return side[: rows * n].reshape(rows, n)
