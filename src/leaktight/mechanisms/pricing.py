"""Which private column costs least at given prices, and what proves it?

A column c of a private channel on a connected graph has c_i ≤ λ·c_h for all neighbours. At prices
a, which may be negative, some private column costs a·c < 0, or a flow f ≥ 0 on arcs i → h with
a − Σ f_ih·(λ·e_h − e_i) ≥ 0 proves that none does, since (λ·e_h − e_i)·c ≥ 0. On trees and on
complete graphs both are found at once; on other graphs by :mod:`leaktight.worst_case.flow`.

``cheapest`` works in floating point for many prices at a time and only proposes. ``prove`` is
exact. See ``docs/proofs/design.md``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from leaktight.exact import to_float
from leaktight.graph import Graph, Indices
from leaktight.worst_case.flow import cheapest_column, descend, neighbour_lists

Floats: TypeAlias = npt.NDArray[np.float64]
Arcs: TypeAlias = tuple[tuple[int, int, fmpq], ...]
"""For each arc i → h that is used: i, h and the amount f_ih > 0."""

ENOUGH = 128
"""How many bits of an amount are kept where it would get much longer than the prices are."""

MOST_STEPS = 50
"""How often the levels of one column are changed at the same prices."""

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

    def cheapest(self, prices: Floats) -> Indices:
        """Return for each row of prices the levels of a column that costs little."""

    def prove(self, prices: Sequence[fmpq]) -> Proof:
        """Return a column of negative cost, or the proof that there is none."""


def pricing(graph: Graph, ratio: fmpq) -> Pricing:
    """Return the best way for a connected graph.

    >>> path = pricing(Graph(3, [(0, 1), (1, 2)]), fmpq(2))
    >>> path.prove([fmpq(1), fmpq(-1), fmpq(2)])
    Proof(cost=1, levels=(0, 1, 2), arcs=((1, 2, 1),))
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

    def cheapest(self, prices: Floats) -> Indices:
        ratio, costs = min(to_float(self.ratio), LARGEST), prices.copy()
        with np.errstate(over="ignore"):
            for v in self.order[:0:-1]:
                cost = costs[:, v]
                costs[:, self.parent[v]] += np.where(cost >= 0, cost / ratio, cost * ratio)
        levels = np.zeros(prices.shape, dtype=np.int64)
        for v in self.order[1:]:
            levels[:, v] = levels[:, self.parent[v]] + np.where(costs[:, v] >= 0, 1, -1)
        return levels

    def prove(self, prices: Sequence[fmpq]) -> Proof:
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

    def cheapest(self, prices: Floats) -> Indices:
        return -(prices < 0).astype(np.int64)

    def prove(self, prices: Sequence[fmpq]) -> Proof:
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

    def cheapest(self, prices: Floats) -> Indices:
        neighbours = neighbour_lists(self.graph)
        deepest = int(self.graph.eccentricities.max())
        # Above some ratio the best columns hardly change, and floats overflow.
        ratio = min(to_float(self.ratio), LARGEST ** (1 / max(1, deepest)))
        powers = [ratio**-g for g in range(-deepest, deepest + 1)]
        found = np.empty(prices.shape, dtype=np.int64)
        for w, row in enumerate(prices.tolist()):

            def net(levels: Sequence[int], row: list[float] = row) -> list[float]:
                return [a * powers[g + deepest] for a, g in zip(row, levels, strict=True)]

            root = int(np.argmin(row))
            start = self.graph.distances[root].tolist()
            found[w], _ = descend(neighbours, start, net, root, MOST_STEPS)
        return found

    def prove(self, prices: Sequence[fmpq]) -> Proof:
        root = min(range(len(prices)), key=lambda i: prices[i])
        start = self.graph.distances[root].tolist()
        flow = cheapest_column(self.graph, self.ratio, prices, root, start)
        arcs = zip(flow.arcs.tolist(), flow.values, strict=True)
        return Proof(flow.cost, flow.levels, tuple((i, h, amount) for (i, h), amount in arcs))
