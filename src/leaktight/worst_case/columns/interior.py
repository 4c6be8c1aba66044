"""Prices that the best mechanism likely has: interior points, in floating point.

The program over all entries: a private column c_w for each guess w, that is s = λ·c_h − c_i ≥ 0
for every arc i → h, such that the columns sum to 1, and W·c is largest. Its dual prices y come with
flows f ≥ 0 on the arcs that prove them, and s·f = 0 at the optimum. A step of Newton's method, as
[Mehrotra1992]_ takes it, needs the inverse of a matrix for each guess, all of the pattern of the
graph (``elimination``).

Some twenty to seventy steps come near the optimum, more where a graph is less regular. They do not
end at a vertex. Columns are generated from there (``search``), in few rounds since the prices are
amid all that are best. The interior points of HiGHS took at least 2.4 times as long on grids of 64
and 100 vertices and a tree of 100, at ε = 0.1.
"""

from dataclasses import dataclass

import numpy as np

from leaktight.policies.graph import Graph, Indices
from leaktight.progress import tell
from leaktight.worst_case.columns.elimination import Dissection, Factors, inverted
from leaktight.worst_case.columns.pricing import Floats

MOST_STEPS = 200
"""How many steps are taken at most."""

WORSE = 2.0
"""At how many times the least that was left to gain floats are at their end."""

NEAR = 2.0**-34
"""How near to the optimum is enough, in units of the largest gain."""

SHORT_OF_THE_EDGE = 0.99
"""How much of the way to the first bound is gone."""

REFINEMENTS = 3
"""How often the equations of a step are solved for what is left: inverses lose digits."""

USED = 2.0**-10
"""How likely a guess must be, compared to the likeliest, for its column to be taken apart."""

APART = 2.0**-10
"""How far apart levels must be to count as different."""


class Arcs:
    """The arcs i → h of a connected graph, each edge both ways, and D with (D·c)_ih = λ·c_h − c_i.

    Arcs are sorted by h, so that sums over those into a vertex, and out of it, are sums of slices.
    """

    __slots__ = ("_back", "_heads", "_starts", "_tails", "_way", "ratio")

    def __init__(self, graph: Graph, ratio: float) -> None:
        self._tails, self._heads = graph.arcs[np.lexsort(graph.arcs.T)].T
        self._back = np.lexsort((self._heads, self._tails))  # from an arc to the one that returns
        self._starts = np.flatnonzero(np.diff(self._heads, prepend=-1))
        self.ratio = ratio
        self._way = Dissection(graph, self._tails, self._heads)

    def __len__(self) -> int:
        return len(self._heads)

    @property
    def entries(self) -> int:
        """How many numbers are kept of the matrix of each guess."""
        return len(self) + self._way.entries

    def slacks(self, columns: Floats) -> Floats:
        """Return D·c for each row c, as a column."""
        entries = np.ascontiguousarray(columns.T)
        found: Floats = entries[self._heads]
        found *= self.ratio
        found -= entries[self._tails]
        return found

    def costs(self, flows: Floats) -> Floats:
        """Return Dᵀ·f for each column f, as a row."""
        return self._at_heads(self.ratio * flows - flows[self._back])

    def hessians(self, scale: Floats) -> Factors:
        """Return Dᵀ·diag(scale)·D for each column of scales, factored."""
        returning = scale[self._back]
        diagonal = self._at_heads(self.ratio**2 * scale + returning)
        return Factors(self._way, diagonal, -self.ratio * (scale + returning))

    def _at_heads(self, numbers: Floats) -> Floats:
        found: Floats = np.add.reduceat(numbers, self._starts, axis=0)
        return found.T


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Columns with their slacks s > 0, and prices, by orbit, with flows f > 0.

    A column has a row for each guess; slacks and flows have one for each arc, which is quick to
    gather.
    """

    columns: Floats
    slacks: Floats
    prices: Floats
    flows: Floats

    def moved(self, step: "Point", part: float) -> "Point":
        """As far along the step as s and f stay positive, or ``part`` of the way there."""
        first, second = (
            min(1.0, part / max(float((-way / now).max()), part))
            for way, now in ((step.slacks, self.slacks), (step.flows, self.flows))
        )
        return Point(
            self.columns + first * step.columns,
            self.slacks + first * step.slacks,
            self.prices + second * step.prices,
            self.flows + second * step.flows,
        )


def interior_point(arcs: Arcs, earned: Floats, orbits: Indices) -> tuple[Floats, Floats]:
    """Return the columns of the guesses, and a price for each orbit of inputs; an estimate.

    ``earned`` has a row for each guess, of one guess for each orbit.

    >>> arcs = Arcs(Graph(2, [(0, 1)]), 2.0)
    >>> columns, prices = interior_point(arcs, np.eye(2) / 2, np.arange(2))
    >>> columns.round(6), prices.round(6)
    (array([[0.666667, 0.333333],
           [0.333333, 0.666667]]), array([0.333333, 0.333333]))
    """
    guesses, order = earned.shape
    sizes = np.bincount(orbits).astype(np.float64)
    columns = np.full((guesses, order), 1 / guesses)
    spread = float(earned.max() - earned.min())
    now = Point(
        columns,
        arcs.slacks(columns),
        np.full(len(sizes), earned.max() + spread),
        np.full((len(arcs), guesses), spread / (1 - 1 / arcs.ratio) / order),
    )
    best, least = now, np.inf
    for step in range(MOST_STEPS):
        lacking = now.prices[orbits] - earned - arcs.costs(now.flows)
        short: Floats = sizes - np.bincount(orbits, now.columns.sum(axis=0))
        far = float((now.slacks * now.flows).sum() + order * np.abs(lacking).max())
        far += float(np.abs(short).sum())
        tell(f"step {step + 1}, {far:.1e} left to gain")
        if far < least:
            best, least = now, far
        if not NEAR <= far < WORSE * least:
            break
        try:
            now = _step(now, arcs, orbits, lacking, short)
        except np.linalg.LinAlgError:
            break
    return best.columns, best.prices


def _step(now: Point, arcs: Arcs, orbits: Indices, lacking: Floats, short: Floats) -> Point:
    """Go towards s·f = 0, and having seen how far that leads, towards a common s·f > 0."""
    scale = now.flows / now.slacks
    hessians = arcs.hessians(scale)
    order = np.argsort(orbits, kind="stable")
    starts = np.flatnonzero(np.diff(orbits[order], prepend=-1))
    total = hessians.sum_of_inverses()[np.ix_(order, order)]
    total = np.add.reduceat(np.add.reduceat(total, starts, axis=0), starts, axis=1)
    (inverse,) = inverted(total[None])

    def towards(change: Floats) -> Point:
        """The step that changes s·f by ``change`` and mends what is lacking, to first order."""
        right = arcs.costs(change / now.slacks) - lacking
        columns, prices = np.zeros_like(now.columns), np.zeros_like(now.prices)
        for _ in range(REFINEMENTS):
            rest = right - prices[orbits] - arcs.costs(scale * arcs.slacks(columns))
            first = hessians.solved(rest)
            summed = np.bincount(orbits, (first + columns).sum(axis=0))
            more = inverse @ (summed - short)
            columns += first - hessians.solved(np.broadcast_to(more[orbits], first.shape))
            prices += more
        slacks = arcs.slacks(columns)
        return Point(columns, slacks, prices, change / now.slacks - scale * slacks)

    products = now.slacks * now.flows
    straight = towards(-products)
    reached = now.moved(straight, 1.0)
    mean = products.mean()
    aim = mean * ((reached.slacks * reached.flows).mean() / mean) ** 3
    return now.moved(towards(aim - products - straight.slacks * straight.flows), SHORT_OF_THE_EDGE)


def taken_apart(columns: Floats, ratio: float) -> Indices:
    """Return the levels of columns λ^(−g) of which private columns, nearly, are sums.

    If levels t of a column are not whole, those of its parts are t rounded up from any fraction.

    >>> taken_apart(np.array([[1.0, 0.75, 0.5]]), 2.0)
    array([[0, 0, 1],
           [0, 1, 1]])
    """
    most = columns.max(axis=1)
    found = [np.zeros((0, columns.shape[1]), dtype=np.int64)]
    for column, top in zip(columns, most, strict=True):
        if top < USED * most.max():
            continue
        levels = np.log(top / column) / np.log(ratio)
        parts = np.sort(levels % 1)
        gaps = np.diff(parts, append=parts[0] + 1)
        starts = (parts + gaps / 2)[gaps > APART]
        whole = np.ceil(levels - starts[:, None]).astype(np.int64)
        found.append(whole - whole.min(axis=1, keepdims=True))
    return np.unique(np.vstack(found), axis=0)
