"""Searches of small graphs, in plain Python and numpy.

Loading a library for graphs takes longer than searching a small one, or most questions about it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Kept = TypeVar("Kept", np.int64, np.float64)
Indices = npt.NDArray[np.int64]

FEW_LINKS = 2**12
"""The most points and links between them that are gone through one by one."""


def linked(count: int, here: npt.NDArray[Any], there: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Number the sets of the points 0, …, count − 1 that links from ``here`` to ``there`` join.

    The sets count in the order of their first points.

    >>> linked(5, np.array([4, 2]), np.array([1, 4]))
    array([0, 1, 1, 2, 1], dtype=int32)
    """
    if count + len(here) > FEW_LINKS:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ones = np.ones(len(here), dtype=np.int8)
        joined = coo_array((ones, (here, there)), shape=(count, count))
        labels: npt.NDArray[np.int32] = connected_components(joined, directed=False)[1]
        return labels
    first = list(range(count))  # an earlier point of the same set, or itself

    def root(point: int) -> int:
        while first[point] != point:
            first[point] = point = first[first[point]]
        return point

    for a, b in zip(here.tolist(), there.tolist(), strict=True):
        low, high = sorted((root(a), root(b)))
        first[high] = low
    names: dict[int, int] = {}
    return np.array([names.setdefault(root(p), len(names)) for p in range(count)], dtype=np.int32)


def all_distances(order: int, edges: Indices, lengths: Indices) -> Indices:
    """Return all distances along edges of whole lengths, −1 where there is no path.

    >>> all_distances(4, np.array([[0, 1], [1, 2]]), np.array([2, 3]))
    array([[ 0,  2,  5, -1],
           [ 2,  0,  3, -1],
           [ 5,  3,  0, -1],
           [-1, -1, -1,  0]])
    """
    nowhere = int(lengths.sum()) + 1
    table = shortest(np.full((order, order), nowhere, dtype=np.int64), edges, lengths)
    table[table >= nowhere] = -1
    return table


def shortest(
    table: npt.NDArray[Kept], edges: Indices, lengths: npt.NDArray[Kept]
) -> npt.NDArray[Kept]:
    """Put all distances into a square ``table`` that is larger than any of them everywhere.

    Each vertex in turn is tried as a detour of all pairs.

    >>> shortest(np.full((3, 3), np.inf), np.array([[0, 1]]), np.array([0.5]))
    array([[0. , 0.5, inf],
           [0.5, 0. , inf],
           [inf, inf, 0. ]])
    """
    low, high = edges.T
    table[low, high] = table[high, low] = lengths
    np.fill_diagonal(table, 0)
    for by in range(len(table)):
        np.minimum(table, table[:, by, None] + table[by], out=table)
    return table


def forest_distances(joined: Sequence[Sequence[int]]) -> npt.NDArray[np.int16]:
    """Return all distances in a graph without cycles, −1 where there is no path.

    ``joined`` has the neighbours of each vertex. What was reached before a vertex is one step
    further from it than from the neighbour it was reached by.

    >>> forest_distances([[1], [0, 2], [1], []])
    array([[ 0,  1,  2, -1],
           [ 1,  0,  1, -1],
           [ 2,  1,  0, -1],
           [-1, -1, -1,  0]], dtype=int16)
    """
    order = len(joined)
    table = np.full((order, order), -1, dtype=np.int16)
    np.fill_diagonal(table, 0)
    reached, walk, end = [False] * order, np.empty(order, dtype=np.intp), 0
    for root in range(order):
        if reached[root]:
            continue
        reached[root], start = True, end
        walk[end], end = root, end + 1
        waiting = [(root, vertex) for vertex in joined[root]]
        while waiting:
            by, vertex = waiting.pop()
            reached[vertex], before = True, walk[start:end]
            table[vertex, before] = table[before, vertex] = table[by, before] + 1
            walk[end], end = vertex, end + 1
            waiting += [(vertex, other) for other in joined[vertex] if other != by]
    return table


def biconnected(joined: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the largest sets of at least two vertices that no one vertex cuts apart.

    ``joined`` has the neighbours of each vertex. A vertex that no later one can go round, on a
    walk as deep as it goes, ends a set ([Hopcroft1973]_).

    >>> list(biconnected([[1, 2], [0, 2], [0, 1, 3], [2]]))
    [[3, 2], [2, 1, 0]]
    """
    when, reach = [-1] * len(joined), [0] * len(joined)
    clock = 0
    for start in range(len(joined)):
        if when[start] >= 0:
            continue
        when[start] = reach[start] = clock
        clock += 1
        path, seen = [(start, iter(joined[start]))], [start]
        while path:
            at, ahead = path[-1]
            for vertex in ahead:
                if when[vertex] < 0:
                    when[vertex] = reach[vertex] = clock
                    clock += 1
                    path.append((vertex, iter(joined[vertex])))
                    seen.append(vertex)
                    break
                reach[at] = min(reach[at], when[vertex])
            else:
                path.pop()
                if not path:
                    continue
                before = path[-1][0]
                reach[before] = min(reach[before], reach[at])
                if reach[at] >= when[before]:
                    block = [seen.pop()]
                    while block[-1] != at:
                        block.append(seen.pop())
                    yield [*block, before]


PROBED = 16
"""One in so many vertices may be a source from which all eccentricities are bounded."""


def bounded_eccentricities(
    labels: Indices, steps_from: Callable[[Indices], Indices]
) -> tuple[Indices, Indices]:
    """Return lower bounds on all eccentricities, and where they may be less than that.

    A vertex at d steps from a source of eccentricity e has one of at least max(d, e − d) and at
    most e + d ([Takes2013]_). The sources are, by turns, those of the least lower and of the
    largest upper bound, one in each component that is not settled. ``labels`` are the components,
    and ``steps_from`` the distances from some sources to all vertices, −1 for no path.
    """
    order = len(labels)
    lower, upper = np.zeros(order, dtype=np.int64), np.full(order, order)
    unsettled = np.arange(order)
    for probe in range(order // PROBED):
        bound = -upper[unsettled] if probe % 2 else lower[unsettled]
        ranked = unsettled[np.lexsort((bound, labels[unsettled]))]
        _, first = np.unique(labels[ranked], return_index=True)
        steps = steps_from(ranked[first])
        farthest = np.full(int(labels.max()) + 1, -1)
        np.maximum.at(farthest, labels, steps)
        there = np.where(steps < 0, order, farthest[labels] + steps)
        lower = np.maximum(lower, np.maximum(steps, farthest[labels] - steps))
        upper = np.minimum(upper, there)
        unsettled = np.flatnonzero(lower < upper)
        if not len(unsettled):
            break
    return lower, unsettled
