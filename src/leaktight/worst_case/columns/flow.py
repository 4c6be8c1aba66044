"""The private column that is cheapest at given prices, and the flow that proves it.

A column c of a channel on a connected graph is private at the ratio λ if c_i ≤ λ·c_h for all
neighbours i, h. Given a price y_i of every vertex and one vertex, the root j, we look for the
private column with c_j = 1 of least cost y·c. It has the form c_i = λ^(−g_i) with integer
*levels* g, g_j = 0, and neighbours differ by at most one.

An arc i → h between neighbours is *tight* if g_h = g_i + 1, that is c_i = λ·c_h. If goods can
flow along tight arcs such that every vertex but the root receives y_i·c_i on balance, no private
column is cheaper (``docs/proofs/columns.md``). If not, the vertices at which the flow is stuck
form a set that is better raised or lowered as a whole. So :func:`descend` ends at the cheapest
column with the flow that proves it, without a tolerance.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from flint import fmpq, fmpz

from leaktight.policies.graph import Graph

Neighbours: TypeAlias = tuple[tuple[int, ...], ...]
Arcs: TypeAlias = tuple[tuple[int, int, fmpq], ...]
"""For each arc i → h that is used: i, h and the amount f_ih > 0."""
Received: TypeAlias = list[dict[int, Any]]
"""For each vertex h what flows to it from its neighbours i along tight arcs i → h."""


def neighbour_lists(graph: Graph) -> Neighbours:
    """Return the positions of the neighbours of each vertex.

    >>> neighbour_lists(Graph(3, [(0, 1), (1, 2)]))
    ((1,), (0, 2), (1,))
    """
    lists: list[list[int]] = [[] for _ in graph.vertices]
    for i, h in graph.edges.tolist():
        lists[i].append(h)
        lists[h].append(i)
    return tuple(map(tuple, lists))


# --- one set of levels ---------------------------------------------------------------------


class Stuck(NamedTuple):
    """Vertices of which all should rise (−1) or all sink (1): it lowers the cost."""

    vertices: set[int]
    sign: int


def route(
    neighbours: Neighbours, levels: Sequence[int], net: Sequence[Any], root: int
) -> Received | Stuck:
    """Return a flow on tight arcs by which every vertex but the root gets ``net`` on balance.

    On the path 0 - 1 - 2 vertex 1 has 3 to give, 2 wants 1, and the root takes what is left.

    >>> path = ((1,), (0, 2), (1,))
    >>> route(path, [0, -1, 0], [0, -3, 1], root=0)
    [{1: 2}, {}, {1: 1}]
    >>> route(path, [0, 1, 2], [0, -3, 1], root=0)
    Stuck(vertices={1, 2}, sign=-1)
    """
    onward = [[h for h in near if levels[h] == levels[i] + 1] for i, near in enumerate(neighbours)]
    received: Received = [{} for _ in neighbours]
    wanted = list(net)
    wanted[root] = 0
    stuck = set[int]()
    for giver in range(len(wanted)):
        while wanted[giver] < 0 and giver not in stuck:
            came_from, taker = _search(giver, root, onward, received, wanted)
            if taker is None:
                stuck.update(came_from)
                break
            most = -wanted[giver] if taker == root else min(-wanted[giver], wanted[taker])
            amount = _send(came_from, taker, levels, received, most)
            wanted[giver] += amount
            if taker != root:
                wanted[taker] -= amount
    if stuck:
        return Stuck(stuck, -1)
    _serve(root, onward, received, wanted)
    while any(amount > 0 for amount in wanted):
        came_from, taker = _search(root, root, onward, received, wanted)
        if taker is None:
            return Stuck(set(range(len(wanted))) - set(came_from), 1)
        wanted[taker] -= _send(came_from, taker, levels, received, wanted[taker])
    return received


def _search(
    giver: int, root: int, onward: list[list[int]], received: Received, wanted: list[Any]
) -> tuple[dict[int, int], int | None]:
    """Find who can take more from ``giver``, through tight arcs and what can be taken back."""
    came_from = {giver: giver}
    queue = [giver]
    for v in queue:
        if v != giver and (v == root or wanted[v] > 0):
            return came_from, v
        for h in onward[v]:
            if h not in came_from:
                came_from[h] = v
                queue.append(h)
        for i in received[v]:
            if i not in came_from:
                came_from[i] = v
                queue.append(i)
    return came_from, None


def _send(
    came_from: dict[int, int], taker: int, levels: Sequence[int], received: Received, most: Any
) -> Any:
    """Send up to ``most`` along the path that was found; return how much went."""
    steps = []
    while (before := came_from[taker]) != taker:
        steps.append((before, taker))
        taker = before
    amount = min([most, *(received[a][b] for a, b in steps if levels[b] < levels[a])])
    for a, b in steps:
        if levels[b] > levels[a]:
            received[b][a] = received[b].get(a, 0) + amount
        elif received[a][b] > amount:
            received[a][b] -= amount
        else:
            del received[a][b]
    return amount


def _serve(root: int, onward: list[list[int]], received: Received, wanted: list[Any]) -> None:
    """Give from the root what is wanted wherever tight arcs lead, along a tree."""
    parent = {root: root}
    queue = [root]
    for v in queue:
        for h in onward[v]:
            if h not in parent:
                parent[h] = v
                queue.append(h)
    passing: dict[int, Any] = {}
    for v in reversed(queue[1:]):
        amount = wanted[v] + passing.get(v, 0)
        wanted[v] = 0
        if amount > 0:
            i = parent[v]
            received[v][i] = received[v].get(i, 0) + amount
            passing[i] = passing.get(i, 0) + amount


# --- the cheapest column -------------------------------------------------------------------


def descend(
    neighbours: Neighbours,
    levels: Sequence[int],
    net: Callable[[Sequence[int]], Sequence[Any]],
    root: int,
) -> tuple[list[int], Received]:
    """Return the levels of the cheapest column and the flow that proves it.

    ``net`` gives y_i·c_i at some levels, up to a common factor.
    """
    now = list(levels)
    while True:
        found = route(neighbours, now, net(now), root)
        if not isinstance(found, Stuck):
            return now, found
        moved, sign = found
        # c_i ≤ λ·c_h says g_i ≥ g_h − 1: the set moves until the first such arc is tight.
        reach = min(
            1 - sign * (now[v] - now[u]) for v in moved for u in neighbours[v] if u not in moved
        )
        for v in moved:
            now[v] += sign * reach


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """A private column λ^(−``levels``), and if it costs at least 0, the proof that all do.

    The proof is f ≥ 0 on ``arcs`` i → h such that y − Σ f_ih·(λ·e_h − e_i) is at least 0: every
    term of the sum has a product with c that is at least 0. What is left over is at the root
    alone, the ``cost``, unless amounts were rounded.
    """

    cost: fmpq
    """y·c for the cheapest private column with c_j = 1, j the root, or a little less."""
    levels: tuple[int, ...]
    amounts: tuple[tuple[int, int, Any], ...]
    """For each arc that is used i, h and f_ih, in a unit that depends on the level of i."""
    units: Mapping[int, fmpq]

    @property
    def arcs(self) -> Arcs:
        """The arcs with their amounts."""
        if not self.units:
            return self.amounts
        return tuple((i, h, f * self.units[self.levels[i]]) for i, h, f in self.amounts)

    def times(self, unit: fmpq) -> "Flow":
        """The same for prices in another unit."""
        arcs = tuple((i, h, amount * unit) for i, h, amount in self.arcs)
        return Flow(self.cost * unit, self.levels, arcs, {})

    def moved(self, image: Sequence[int]) -> "Flow":
        """The same where an automorphism takes each vertex to its image."""
        levels = dict(zip(image, self.levels, strict=True))
        amounts = tuple((image[i], image[h], amount) for i, h, amount in self.amounts)
        return replace(self, levels=tuple(map(levels.__getitem__, sorted(levels))), amounts=amounts)


def cheapest_column(
    graph: Graph, ratio: fmpq, prices: Iterable[fmpq], root: int, start: Sequence[int]
) -> Flow:
    """Return the private column of least cost with c_j = 1 at the root j, proved by its flow.

    ``start`` are the levels of any private column with level 0 at the root.

    >>> path = Graph(4, [(0, 1), (1, 2), (2, 3)])
    >>> prices = [fmpq(2, 3), fmpq(1, 3), fmpq(1, 3), fmpq(2, 3)]
    >>> flow = cheapest_column(path, fmpq(2), prices, 1, [1, 0, 1, 2])
    >>> flow.cost, flow.arcs
    (1, ((1, 0, 1/3), (1, 2, 1/3), (2, 3, 1/3)))
    """
    column = _Integers.of(ratio, prices, int(graph.eccentricities[root]))
    levels, received = descend(neighbour_lists(graph), start, column.net, root)
    used = tuple((i, h, amount) for h, come in enumerate(received) for i, amount in come.items())
    units = {g: column.unit * ratio**g for g in set(levels)}
    return Flow(sum(column.net(levels), fmpz(0)) * column.unit, tuple(levels), used, units)


@dataclass(frozen=True, slots=True, eq=False)
class _Integers:
    """Prices and powers of λ as integers: prices[i]·powers[g + deepest]·unit = y_i·λ^(−g)."""

    prices: list[fmpz]
    powers: list[fmpz]
    deepest: int
    unit: fmpq

    @classmethod
    def of(cls, ratio: fmpq, prices: Iterable[fmpq], deepest: int) -> "_Integers":
        prices = list(prices)
        common = fmpz(1)
        for price in prices:
            common = common.lcm(price.q)
        powers = [ratio.q**g * ratio.p ** (2 * deepest - g) for g in range(2 * deepest + 1)]
        unit = fmpq(1, common * powers[deepest])
        return cls([y.p * (common // y.q) for y in prices], powers, deepest, unit)

    def net(self, levels: Sequence[int]) -> list[fmpz]:
        """y_i·c_i for each vertex, in the common unit."""
        return [y * self.powers[g + self.deepest] for y, g in zip(self.prices, levels, strict=True)]
