"""The private column that costs least at given prices, with its proof.

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
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from leaktight.exact.numbers import Array, float_array, to_float
from leaktight.policies.graph import Graph, Indices, bare_graph
from leaktight.progress import tell
from leaktight.worst_case.columns.flow import (
    Flow,
    Neighbours,
    cheapest_column,
    neighbour_lists,
)

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

ENOUGH = 128
"""How many bits of an amount are kept where it would get much longer than the prices are."""

MOST_TOGETHER = 40
"""The most binary digits of λ^d, d the farthest distance, with which columns are cut together."""

MOST_STEPS = 50
"""How often the levels of one column are changed at the same prices."""

FEW_STEPS = 8
"""The same where edges have lengths: the next search begins where this one ends."""

MOST_SEEN = 60
"""How many bits below the largest entry of a column others are told apart on trees."""

MOST_COSTS = 2**22
"""The most costs that are kept at a time on trees."""

LEAST_GAIN = 2.0**-44
"""What a change of levels must gain, in units of what the column costs and earns in all."""

BEYOND = 2**62
"""Farther than any levels are apart."""

LARGEST = 2.0**900
"""The largest number that the ratio, or a power of it, may be in floating point."""


class Pricing(Protocol):
    """How to find the cheapest private column on one kind of graph, at one ratio."""

    @property
    def ratio(self) -> fmpq:
        """The ratio λ."""

    def cheapest(self, prices: Floats, start: Indices) -> Indices:
        """Return for each row of prices the levels of a column that costs little.

        The search starts from the private column with the levels in the same row of ``start``.
        """

    def prove(self, prices: Array, roots: Sequence[int] | None = None) -> list[Flow]:
        """Return for each row a column of negative cost, or the proof that there is none.

        If there are ``roots``, one for each row, nothing is left over anywhere else.
        """


def step_of(ratio: fmpq) -> float:
    """Return ln λ in floating point, accurate also if λ is near 1."""
    return math.log1p(min(to_float(ratio - 1), LARGEST))


def pricing(graph: Graph, ratio: fmpq) -> Pricing:
    """Return the best way for a connected graph.

    >>> path = pricing(Graph(3, [(0, 1), (1, 2)]), fmpq(2))
    >>> path.prove(np.array([[fmpq(1), fmpq(-1), fmpq(2)]]))
    [Flow(cost=1, levels=(0, 1, 2), amounts=((1, 2, 1),), units={})]
    """
    n = graph.order
    if graph.lengths.max(initial=1) > 1:
        return _AnyGraph(graph, ratio)
    if graph.size == n - 1 or ratio == 1:  # at λ = 1 columns are constant; any tree shows it
        return _Tree(neighbour_lists(graph), int(graph.eccentricities.max()), ratio)
    if graph.is_complete:
        return _Complete(ratio)
    return _AnyGraph(graph, ratio)


# --- trees ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """From the leaves to the root: what the best column of each branch costs."""

    neighbours: Neighbours
    deepest: int
    ratio: fmpq

    def _from(self, root: int) -> tuple[list[int], list[int]]:
        """Return the vertices, each after its parent, and the parents."""
        order, parent, seen = [root], [root] * len(self.neighbours), {root}
        for v in order:
            for u in self.neighbours[v]:
                if u not in seen:
                    seen.add(u)
                    parent[u] = v
                    order.append(u)
        return order, parent

    def cheapest(self, prices: Floats, start: Indices) -> Indices:
        ratio = min(to_float(self.ratio), LARGEST)
        deepest = min(self.deepest, 1 + int(MOST_SEEN / math.log2(ratio)))
        powers = np.power(ratio, -np.arange(deepest + 1.0))
        together = max(1, MOST_COSTS // (prices.shape[1] * len(powers)))
        parts = [prices[k : k + together] for k in range(0, len(prices), together)]
        return np.vstack([self._cheapest(part, powers) for part in parts])

    def _cheapest(self, prices: Floats, powers: Floats) -> Indices:
        """Return the levels of columns of least cost among those whose entries are at most 1.

        With an entry fixed instead, columns that are large elsewhere would hide all others.
        """
        order, parent = self._from(0)
        costs, rows, last = prices.T[:, :, None] * powers, np.arange(len(prices)), len(powers) - 1
        for v in order[:0:-1]:
            below, above = costs[v], costs[parent[v]]
            above[:, 1:-1] += np.minimum(below[:, :-2], below[:, 2:])
            above[:, 0] += below[:, 1]
            above[:, -1] += below[:, -2]
        levels = np.empty(prices.shape, dtype=np.int64)
        levels[:, 0] = costs[0].argmin(axis=1)
        for v in order[1:]:
            at = levels[:, parent[v]]
            up, down = np.abs(at - 1), np.where(at == last, last - 1, at + 1)
            levels[:, v] = np.where(costs[v, rows, up] < costs[v, rows, down], up, down)
        return levels

    def prove(self, prices: Array, roots: Sequence[int] | None = None) -> list[Flow]:
        if roots is None:
            return [self._prove(row, 0, ENOUGH) for row in prices.tolist()]
        return [self._prove(row, j, None) for row, j in zip(prices.tolist(), roots, strict=True)]

    def _prove(self, prices: Sequence[fmpq], root: int, enough: int | None) -> Flow:
        """Return the cheapest column; if ``enough`` bits are, long amounts are rounded."""
        order, parent = self._from(root)
        costs, arcs = list(prices), list[tuple[int, int, fmpq]]()
        longest = enough and 3 * max(price.height_bits() for price in prices) + enough
        for v in order[:0:-1]:
            u = parent[v]
            if costs[v] >= 0:
                amount = shortened(costs[v] / self.ratio, -1, longest)
                arcs.append((u, v, amount))
                costs[u] += amount
            else:
                amount = shortened(-costs[v], 1, longest)
                arcs.append((v, u, amount))
                costs[u] -= self.ratio * amount
        levels = [0] * len(costs)
        for v in order[1:]:
            levels[v] = levels[parent[v]] + (1 if costs[v] >= 0 else -1)
        return Flow(costs[root], tuple(levels), tuple(arc for arc in arcs if arc[2]), {})


def shortened(amount: fmpq, sign: int, longest: int | None) -> fmpq:
    """Return a number as it is, or if it has too many bits, rounded down (−1) or up (1)."""
    if longest is None or amount.height_bits() <= longest:
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

    def prove(self, prices: Array, roots: Sequence[int] | None = None) -> list[Flow]:
        at: Sequence[int | None] = [None] * len(prices) if roots is None else roots
        return [self._prove(row, root) for row, root in zip(prices.tolist(), at, strict=True)]

    def _prove(self, prices: Sequence[fmpq], root: int | None) -> Flow:
        levels = tuple(-int(price < 0) for price in prices)
        cost = sum((self.ratio * a if a < 0 else a for a in prices), fmpq(0))
        free = [(h, a) for h, a in enumerate(prices) if a > 0]
        free.sort(key=lambda each: each[0] != root)  # the last to pay
        arcs = []
        for i, price in enumerate(prices):
            owed = -price  # f_ih = owed in all, for which h pays λ times as much
            while owed > 0 and free:
                h, most = free.pop()
                amount = min(owed, most / self.ratio)
                arcs.append((i, h, amount))
                owed -= amount
                if (rest := most - self.ratio * amount) > 0:
                    free.append((h, rest))
        if root is not None:  # what is left is 1/λ of it there
            arcs += [(root, h, rest / self.ratio) for h, rest in free if h != root]
        return Flow(cost, levels, tuple(arcs), {})


# --- other graphs --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _AnyGraph:
    """Minimum cuts from any column; the cone has no vertex but 0, so the root can be any."""

    graph: Graph
    ratio: fmpq

    def cheapest(self, prices: Floats, start: Indices) -> Indices:
        deepest, lengths = int(self.graph.eccentricities.max()), self.graph.lengths
        # Above some ratio the best columns hardly change, and floats overflow.
        step = min(step_of(self.ratio), math.log(LARGEST) / max(1, deepest))
        if deepest * step > MOST_TOGETHER * math.log(2) and lengths.max() == 1:
            return self._by_layers(prices, math.exp(step), deepest)
        n, roots = self.graph.order, np.argmin(prices, axis=1)
        arcs = self._arcs(prices, roots)
        found = _hung(start - np.take_along_axis(start, roots[:, None], axis=1), arcs)
        left = np.arange(len(prices))  # the rows whose columns can still be improved
        for _ in range(MOST_STEPS if lengths.max() == 1 else FEW_STEPS):
            tell(f"{len(left):,} of {len(prices):,} columns left to price")
            levels = found[left]
            net = prices[left] * np.exp(-step * levels)
            net[np.arange(len(left)), roots[left]] -= net.sum(axis=1)  # what the root would take
            ends = arcs.ends(n)
            free = arcs.long + levels.ravel()[ends[0]] - levels.ravel()[ends[1]]
            tight = free == 0
            raised = _cheapest_closed(net, ends[0][tight], ends[1][tight])
            gained = -(net * raised).sum(axis=1)
            better = gained > LEAST_GAIN * np.abs(net).sum(axis=1)
            if not better.any():
                break
            raised[~better] = False
            levels -= _reach(raised, ends, free)
            levels -= np.take_along_axis(levels, roots[left][:, None], axis=1)
            found[left], left, arcs = levels, left[better], arcs.of(better)
        return _hung(found, self._arcs(prices, roots))

    def _arcs(self, prices: Floats, roots: Indices) -> "_RowArcs":
        """Return the arcs that matter to each row.

        An entry at a positive price is as low as those at negative ones let it, along shortest
        paths. Where these are few, there are no more arcs than from them to all vertices.
        """
        n, (tails, heads) = self.graph.order, self.graph.arcs.T
        wanted = prices < 0
        wanted[np.arange(len(prices)), roots] = True
        if n * np.count_nonzero(wanted) >= len(tails) * len(prices):
            each, every = len(tails), np.arange(len(prices))
            long = np.tile(self.graph.lengths, 2)
            tail, head, length = (np.tile(arc, len(prices)) for arc in (tails, heads, long))
            return _RowArcs(np.repeat(every, each), tail, head, length, None)
        row, tail = (np.repeat(each, n) for each in np.nonzero(wanted))
        head = np.tile(np.arange(n), len(row) // n)
        there = tail != head
        row, tail, head = row[there], tail[there], head[there]
        long = self.graph.distances[tail, head].astype(np.int64)
        return _RowArcs(row, tail, head, long, ~wanted)

    def _by_layers(self, prices: Floats, ratio: float, deepest: int) -> Indices:
        """Return columns of least cost among those whose entries are at most 1, by one cut each.

        Each vertex of the graph has one for each level that it may exceed: which of them it does
        is chosen. Whoever exceeds a level exceeds the next, and so do the neighbours.
        """
        n, layers = self.graph.order, min(deepest, 1 + int(MOST_SEEN / math.log2(ratio)))
        steps, every = -np.diff(np.power(ratio, -np.arange(layers + 1.0))), np.arange(n * layers)
        own = np.stack([np.arange(n)] * 2, axis=1)
        both = np.concatenate([self.graph.arcs, own])
        lower, upper = (both[:, [k]] * layers + np.arange(k, layers - 1 + k) for k in (0, 1))
        source, sink = np.full_like(every, n * layers), np.full_like(every, n * layers + 1)
        tails = np.concatenate([lower.ravel(), source, every])
        heads = np.concatenate([upper.ravel(), every, sink])
        ends = np.stack([tails, heads], axis=1)
        network = bare_graph()(n=n * layers + 2, edges=ends, directed=True)
        found = np.empty(prices.shape, dtype=np.int64)
        for w, row in enumerate(prices):
            net = np.outer(row, steps).ravel()
            unlimited = np.full(lower.size, 1 + np.abs(net).sum())
            capacity = np.concatenate([unlimited, np.maximum(-net, 0), np.maximum(net, 0)])
            side = np.ones(n * layers + 2, dtype=np.int64)
            side[network.mincut(n * layers, n * layers + 1, capacity.tolist())[2]] = 0
            found[w] = side[:-2].reshape(n, layers).sum(axis=1)
        return found

    def prove(self, prices: Array, roots: Sequence[int] | None = None) -> list[Flow]:
        floats, rows = float_array(prices), prices.tolist()
        at = [min(range(len(row)), key=row.__getitem__) for row in rows] if roots is None else roots
        near = self.cheapest(floats, self.graph.distances[list(at)].astype(np.int64))
        near -= np.take_along_axis(near, np.array(at)[:, None], axis=1)
        return [
            cheapest_column(self.graph, self.ratio, row, root, start)
            for row, root, start in zip(rows, at, near.tolist(), strict=True)
        ]


class _RowArcs(NamedTuple):
    """The arcs i → h of many rows, with their lengths l: c_i ≤ λ^l·c_h in each row."""

    row: Indices
    tail: Indices
    head: Indices
    long: Indices
    hanging: Flags | None
    """The vertices of each row that no arc leaves, if it is not all arcs of a graph."""

    def of(self, rows: Flags) -> "_RowArcs":
        """Those of some rows, which are numbered anew."""
        if rows.all():
            return self
        kept, number = np.flatnonzero(rows[self.row]), np.cumsum(rows) - 1
        hanging = None if self.hanging is None else self.hanging[rows]
        row, tail, head, long = (each[kept] for each in self[:4])
        return _RowArcs(number[row], tail, head, long, hanging)

    def ends(self, order: int) -> tuple[Indices, Indices]:
        """Where they begin and end, if the vertices of all rows are numbered on."""
        start = self.row * order
        return start + self.tail, start + self.head


def _hung(levels: Indices, arcs: _RowArcs) -> Indices:
    """Return levels with the entries that no arc leaves as low as the others let them."""
    if arcs.hanging is None:
        return levels
    tails, heads = arcs.ends(levels.shape[1])
    lowest = np.full(levels.size, BEYOND)
    np.minimum.at(lowest, heads, levels.ravel()[tails] + arcs.long)
    return np.where(arcs.hanging, lowest.reshape(levels.shape), levels)


def _cheapest_closed(net: Floats, tails: Indices, heads: Indices) -> Flags:
    """Return for each row a set of vertices of least ``net`` that no tight arc leaves.

    It is one side of a minimum cut; one graph has the vertices of all rows, and its tight arcs.
    """
    flat = net.ravel()
    # What costs something, and may only be raised with one other, is raised if that one is.
    entered, left = (np.bincount(each, minlength=flat.size) for each in (heads, tails))
    hangs = ((left == 0) & (entered == 1) & (flat >= 0))[heads]
    hanging, holders, kept = heads[hangs], tails[hangs], np.stack([tails, heads], axis=1)[~hangs]
    joint = flat + np.bincount(holders, flat[hanging], flat.size)
    joint[hanging] = 0
    asked = joint != 0
    asked[kept] = True
    joint, kept = joint[asked], (np.cumsum(asked) - 1)[kept]
    givers, takers = np.flatnonzero(joint < 0), np.flatnonzero(joint > 0)
    source, sink = joint.size, joint.size + 1
    arcs = [
        kept,
        np.stack([np.full_like(givers, source), givers], axis=1),
        np.stack([takers, np.full_like(takers, sink)], axis=1),
    ]
    unlimited = np.full(len(kept), 1 + np.abs(joint).sum())
    network = bare_graph()(n=joint.size + 2, edges=np.concatenate(arcs), directed=True)
    capacity = np.concatenate([unlimited, -joint[givers], joint[takers]])
    side = np.zeros(joint.size + 2, dtype=bool)
    side[network.mincut(source, sink, capacity.tolist())[2]] = True
    raised = np.zeros(flat.size, dtype=bool)
    raised[asked] = side[:-2]
    raised[hanging] = raised[holders]
    return raised.reshape(net.shape)


def _reach(raised: Flags, ends: tuple[Indices, Indices], free: Indices) -> Indices:
    """Return how far down the levels of the raised vertices can go, 0 for others.

    c_i ≤ λ^l·c_h says g_i ≥ g_h − l: a set moves until the first such arc out of it is tight. All
    that is raised may move as one; what tight arcs do not join may move farther, each by itself.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    flat = raised.ravel()
    within = np.flatnonzero(flat[ends[0]])
    tails, heads, free = ends[0][within], ends[1][within], free[within]
    tight = (tails[free == 0], heads[free == 0])
    joined = coo_array((np.ones(len(tight[0]), dtype=np.int8), tight), (flat.size, flat.size))
    label = connected_components(joined, directed=False)[1]
    together, leaving = np.full(len(raised), BEYOND), ~flat[heads]
    np.minimum.at(together, tails[leaving] // raised.shape[1], free[leaving])
    alone, apart = np.full(int(label.max()) + 1, BEYOND), label[tails] != label[heads]
    np.minimum.at(alone, label[tails[apart]], free[apart])
    reach = np.maximum(alone[label].reshape(raised.shape), together[:, None])
    return np.where(raised & (reach < BEYOND), reach, 0)  # what costs nothing may stay
