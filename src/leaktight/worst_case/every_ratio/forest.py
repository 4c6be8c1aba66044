"""Which arcs of a flow are enough? Those of a forest, on which the balances leave no choice.

A flow whose arcs close a cycle, whatever their directions, can be shifted along it until one arc
carries nothing. What is left determines the flow: a leaf needs its balance from its one arc.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

Arc: TypeAlias = tuple[int, int]


def thin_out(amounts: dict[Arc, Any]) -> list[Arc]:
    """Return arcs of a forest that carry a flow with the same balances.

    Two units go from 0 to 3 by way of 1, three by way of 2; all five can go by way of 1.

    >>> thin_out({(0, 1): 2, (1, 3): 2, (0, 2): 3, (2, 3): 3})
    [(0, 1), (1, 3)]
    """
    forest: dict[Arc, Any] = {}
    near: dict[int, set[int]] = {}
    for (i, h), amount in amounts.items():
        while path := _path(near, i, h):
            # Send it along the path instead, as far as the arcs against it carry something.
            against = [(b, a) for a, b in path if (b, a) in forest]
            moved = min([amount, *(forest[arc] for arc in against)])
            amount -= moved
            for a, b in path:
                if (b, a) in forest:
                    forest[b, a] -= moved
                else:
                    forest[a, b] += moved
            for a, b in [arc for arc in against if not forest[arc]]:
                del forest[a, b]
                near[a].discard(b)
                near[b].discard(a)
            if not amount:
                break
        if amount:
            forest[i, h] = amount
            near.setdefault(i, set()).add(h)
            near.setdefault(h, set()).add(i)
    return list(forest)


def _path(near: dict[int, set[int]], start: int, end: int) -> list[Arc]:
    """Return the steps from start to end in a forest, none if they are in different trees."""
    came_from = {start: start}
    queue = [start]
    for v in queue:
        for u in near.get(v, ()):
            if u not in came_from:
                came_from[u] = v
                queue.append(u)
    steps = list[Arc]()
    if end in came_from:
        while end != start:
            steps.append((came_from[end], end))
            end = came_from[end]
    return steps


def balance(forest: Sequence[Arc], net: Sequence[Any]) -> list[Any] | None:
    """Return what each arc of a forest carries if the vertices receive ``net`` on balance.

    The order is that in which the leaves are cut off. None if a tree as a whole is off balance.

    >>> balance([(0, 2), (2, 3)], [-5, 0, 2, 3])
    [3, 5]
    >>> balance([(0, 2)], [-5, 1, 5])
    """
    left = list(net)
    near: list[dict[int, int]] = [{} for _ in left]
    for i, h in forest:
        near[i][h], near[h][i] = -1, 1
    amounts = []
    leaves = [v for v, ends in enumerate(near) if len(ends) == 1]
    for v in reversed(leaves):
        while len(near[v]) == 1:
            ((u, sign),) = near[v].items()
            amounts.append(sign * left[v])
            left[u] += left[v]
            left[v] -= left[v]
            del near[u][v]
            near[v].clear()
            v = u
    return None if any(left) else amounts
