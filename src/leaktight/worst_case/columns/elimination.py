"""Many symmetric matrices of one sparse pattern, that of a graph, solved together.

The vertices are put in an order in which few entries fill in, by nested dissection
[George1973]_: a layer of vertices at one distance from another vertex separates those nearer from
those farther, each side is dissected likewise, and the layer is eliminated after both. A step
eliminates a group of vertices from all matrices at once, in a front of the group and what it is
then joined to. A graph that no layer divides is one group, and its matrices are inverted whole.
"""

from typing import NamedTuple

import numpy as np

from leaktight.exact.threads import one_thread
from leaktight.policies.graph import Graph, Indices
from leaktight.worst_case.columns.pricing import Floats

UNDIVIDED = 32
"""The most vertices that are eliminated together without a look for a layer that divides them."""

LEAST_SIDE = 0.2
"""The least part of the vertices on either side of a layer that divides them."""

MOST_SEPARATING = 0.35
"""The most of the vertices that a layer may have, to be worth it."""

SMALL = 64
"""The order up to which all matrices are inverted at once."""


class Group(NamedTuple):
    """Vertices that are eliminated together, in a front with the later ones they are joined to."""

    start: int
    """How many vertices are eliminated before."""
    end: int
    later: Indices
    """The places of the others in the front, in the order of elimination."""
    first: int
    """The number of the first group below this one; all between are below it, too."""
    children: tuple[tuple[int, Indices], ...]
    """The groups next below, and where in this front the others of theirs are."""
    entries: tuple[Indices, Indices, Indices]
    """The arcs whose entries come in here, and their rows and columns in the front."""


class Dissection:
    """In which order the vertices of a connected graph are eliminated, and where its arcs come in.

    >>> edges = np.array([[i, i + 1] for i in range(98)])
    >>> path = Dissection(Graph.from_indices(99, edges), *edges.T)
    >>> [group.end - group.start for group in path.groups]
    [24, 24, 1, 24, 24, 1, 1]
    """

    def __init__(self, graph: Graph, tails: Indices, heads: Indices) -> None:
        owns, lasts, firsts = list[Indices](), list[set[int]](), list[int]()
        joined = graph.distances == 1

        def divide(inside: Indices) -> int:
            first = len(owns)
            own, sides = _layer(graph.distances[:, inside].astype(np.intp), inside)
            below = [divide(side) for side in sides if len(side)]
            near = joined[own].any(axis=0)
            near[inside] = False
            last = set(np.flatnonzero(near).tolist()).union(*(lasts[group] for group in below))
            owns.append(own)
            lasts.append(last.difference(own.tolist()))
            firsts.append(first)
            return len(owns) - 1

        divide(np.arange(graph.order))
        self.vertices = np.concatenate(owns)
        place = np.argsort(self.vertices)
        ends = np.cumsum([len(own) for own in owns])
        number = np.repeat(np.arange(len(owns)), np.diff(ends, prepend=0))
        here, there = place[tails], place[heads]
        comes_in = np.minimum(number[here], number[there])
        self.groups: list[Group] = []
        above = dict[int, list[int]]()
        for group, (end, last) in enumerate(zip(ends.tolist(), lasts, strict=True)):
            later, start = np.sort(place[list(last)]), end - len(owns[group])
            front = np.append(np.arange(start, end), later)
            children = tuple(
                (child, np.searchsorted(front, self.groups[child].later))
                for child in above.pop(group, [])
            )
            if len(later):
                above.setdefault(int(number[later[0]]), []).append(group)
            mine = np.flatnonzero(comes_in == group)
            rows, columns = (np.searchsorted(front, each[mine]) for each in (here, there))
            entries = mine, rows, columns
            self.groups.append(Group(start, end, later, firsts[group], children, entries))

    @property
    def entries(self) -> int:
        """How many entries the fronts of one matrix have."""
        return sum((group.end - group.start + len(group.later)) ** 2 for group in self.groups)


def _layer(far: Indices, inside: Indices) -> tuple[Indices, list[Indices]]:
    """Return a small layer that separates the rest into two sides, or all and no sides."""
    count = len(inside)
    if count <= UNDIVIDED:
        return inside, []
    sizes = np.zeros((len(far), int(far.max()) + 1), dtype=np.intp)
    np.add.at(sizes, (np.arange(len(far))[:, None], far), 1)
    nearer = np.cumsum(sizes, axis=1) - sizes
    least = np.minimum(nearer, count - nearer - sizes)
    worth = (least >= LEAST_SIDE * count) & (sizes > 0) & (sizes <= MOST_SEPARATING * count)
    if not worth.any():
        return inside, []
    smallest = np.where(worth, sizes * count - least, count**2)  # and of such the most even
    center, layer = np.unravel_index(smallest.argmin(), sizes.shape)
    here = far[center]
    return inside[here == layer], [inside[here < layer], inside[here > layer]]


class Factors:
    """Positive definite matrices, one for each guess, factored along a dissection.

    Entries are given on the ``diagonal``, a row for each matrix, and ``across`` arcs, both ways, a
    column for each; all others are 0. A ``LinAlgError`` says that a matrix is not positive
    definite, up to rounding.

    >>> ends = np.array([0, 1]), np.array([1, 0])
    >>> way = Dissection(Graph(2, [(0, 1)]), *ends)
    >>> two = Factors(way, np.array([[2.0, 1.0]]), np.array([[1.0], [1.0]]))
    >>> two.solved(np.array([[1.0, 0.0]])).round(9), two.sum_of_inverses().round(9)
    (array([[ 1., -1.]]), array([[ 1., -1.],
           [-1.,  2.]]))
    """

    def __init__(self, way: Dissection, diagonal: Floats, across: Floats) -> None:
        self._way, count = way, len(diagonal)
        self._unit = _unit(diagonal[:, way.vertices])
        self._inverses, self._across = list[Floats](), list[Floats]()
        left = list[Floats]()
        for group in way.groups:
            size, width = group.end - group.start, group.end - group.start + len(group.later)
            front = np.zeros((count, width, width))
            mine, rows, columns = group.entries
            places = np.append(np.arange(group.start, group.end), group.later)
            unit = self._unit[:, places]
            front[:, rows, columns] = across[mine].T * unit[:, rows] * unit[:, columns]
            own = np.arange(size)
            front[:, own, own] = 1.0
            for child, at in group.children:
                front[:, at[:, None], at] -= left[child]
                left[child] = np.zeros(0)
            inverse, beside = inverted(front[:, :size, :size]), front[:, :size, size:]
            self._inverses.append(inverse)
            self._across.append(inverse @ beside)
            left.append(beside.transpose(0, 2, 1) @ self._across[-1] - front[:, size:, size:])

    def solved(self, right: Floats) -> Floats:
        """Return what each matrix takes to its row of ``right``."""
        order, groups = self._way.vertices, self._way.groups
        rest = (right[:, order] * self._unit)[:, :, None]
        found = np.empty_like(rest)
        for group, inverse, across in zip(groups, self._inverses, self._across, strict=True):
            own = rest[:, group.start : group.end]
            found[:, group.start : group.end] = inverse @ own
            rest[:, group.later] -= across.transpose(0, 2, 1) @ own
        for group, across in zip(reversed(groups), reversed(self._across), strict=True):
            found[:, group.start : group.end] -= across @ found[:, group.later]
        answer = np.empty_like(right)
        answer[:, order] = found[:, :, 0] * self._unit
        return answer

    def sum_of_inverses(self) -> Floats:
        """Return the sum of the inverses of all matrices."""
        order = self._way.vertices
        total = np.zeros((len(order), len(order)))
        for number, group in enumerate(self._way.groups):
            start, inverse = self._way.groups[group.first].start, self._inverses[number]
            if group.first == number:
                unit = self._unit[:, start : group.end]
                here = np.einsum("wij,wi,wj->ij", inverse, unit, unit, optimize=False)
                total[start : group.end, start : group.end] += here
                continue
            rows = self._rows(number, start)
            both = (each.transpose(1, 0, 2) for each in (rows @ inverse, rows))
            first, second = (each.reshape(group.end - start, -1) for each in both)
            total[start : group.end, start : group.end] += first @ second.T
        found = np.empty_like(total)
        found[np.ix_(order, order)] = total
        return found

    def _rows(self, number: int, start: int) -> Floats:
        """Return what eliminating all below a group has made of its columns of the unit matrix."""
        group = self._way.groups[number]
        size, unit = group.end - group.start, self._unit[:, start : group.end]
        rows = np.zeros((len(unit), group.end - start, size))
        rows[:, -size:] = np.eye(size)
        for below in range(number - 1, group.first - 1, -1):
            lower = self._way.groups[below]
            inside = lower.later < group.end
            across, later = self._across[below][:, :, inside], lower.later[inside] - start
            rows[:, lower.start - start : lower.end - start] = -across @ rows[:, later]
        rows *= unit[:, :, None]
        return rows


def inverted(matrices: Floats) -> Floats:
    """Return the inverses of positive definite matrices.

    Large ones are inverted by Cholesky's method: halves of them, which numpy multiplies more
    quickly, lose digits that the last steps need.

    >>> inverted(np.array([[[2.0, 1.0], [1.0, 1.0]]])).round(9)
    array([[[ 1., -1.],
            [-1.,  2.]]])
    """
    unit = _unit(np.einsum("wii->wi", matrices))
    found: Floats = unit[:, :, None] * matrices * unit[:, None, :]
    if matrices.shape[1] <= SMALL:
        found = np.asarray(np.linalg.inv(found), dtype=np.float64)
    else:
        from scipy.linalg.lapack import dpotrf, dpotri

        with one_thread():  # of a library that may be loaded only now
            for each in found:
                upper, wrong = dpotrf(each.T, lower=0, clean=1, overwrite_a=1)
                if wrong:
                    raise np.linalg.LinAlgError("a matrix is not positive definite, up to rounding")
                half = dpotri(upper, lower=0, overwrite_c=1)[0]
                each[:] = half + np.triu(half, 1).T
    found *= unit[:, :, None]
    found *= unit[:, None, :]
    return found


def _unit(diagonal: Floats) -> Floats:
    """Return what makes the diagonal 1, multiplied from both sides."""
    if not (diagonal > 0).all():
        raise np.linalg.LinAlgError("a matrix is not positive definite, up to rounding")
    return np.asarray(1 / np.sqrt(diagonal), dtype=np.float64)
