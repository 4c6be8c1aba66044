"""How does a matrix that is almost private become one that is, exactly?

An LP solver, or whoever rounds, leaves entries that break K_ij ≤ λ·K_hj by a little, and rows that
sum to 1 almost. In whole numbers of a small unit:

1. Every entry is raised to the largest of its neighbours' divided by λ and rounded up, and so on
   until nothing changes. Each column is then private, and where it had a 0 among positive
   entries it has at least one unit.
2. All entries are divided by the same D, and what is left of each row, 1 − (row sum)/D, joins one
   output. D is the least number at which what is left is itself a private column.

A sum of private columns is private, so the result is, with the denominator D in all entries. See
``docs/proofs/repair.md``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidChannel
from leaktight.exact.matrix import read_table
from leaktight.exact.numbers import Array, Number, exact_array, float_array, fraction, is_exact
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.labels import alignment, read_labels
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, vertices_of
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Neighbours, adjacency_of
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import neighbour_lists

BITS = 62
"""The unit is 2^−62, so that the common denominator fits into 64 bits, unless λ is near 1."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Repaired(Mechanism):
    """A private channel near a matrix that was not quite one."""

    channel: Channel = field()
    guarantee: Guarantee = field()
    moved: Fraction
    """The most probability that was moved in a row: half the sum of the changes."""

    @property
    def name(self) -> str:
        """What it is."""
        return f"repaired matrix of {self.channel.shape[0]} inputs"


def repair(
    rows: Any,
    neighbours: Neighbours,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> Repaired:
    """Return a channel that is exactly private, close to a matrix that is almost.

    ``rows`` is a channel or a table, floats or exact. A negative entry counts as 0, and rows are
    divided by their sums. How much changed is in ``moved``: of the order of what was wrong, times
    λ/(λ − 1).

    >>> from leaktight.policies.secrets import SecretGraph
    >>> solved = [[0.6666667, 0.3333333], [0.3333333, 0.6666667]]
    >>> made = repair(solved, SecretGraph.complete(2), ratio=2)
    >>> privacy_level(made.channel, SecretGraph.complete(2)).ratio <= 2
    True
    >>> 0 < made.moved < Fraction(1, 10**6)
    True
    """
    graph, most = adjacency_of(neighbours).explicit(), Ratio.of(ratio, epsilon).lower
    matrix, outputs = _read(rows, graph)
    known = exact_array(np.maximum(matrix, 0).ravel()).reshape(matrix.shape)
    sums = known.sum(axis=1)
    if not sums.all():
        raise InvalidChannel("every row must have a positive entry")
    units = in_units(known / sums[:, None], most)
    made = private_matrix(units, graph, most, lambda left: int(units.sum(axis=0).argmax()))
    channel = Channel(made, graph.vertices, outputs)
    before = exact_array(matrix.ravel()).reshape(matrix.shape)
    moved = abs(made - before).sum(axis=1).max() / 2
    level = privacy_level(channel, graph).ratio
    assert isinstance(level, Fraction)
    return Repaired(channel, Guarantee(level, vertices_of(graph)), fraction(moved))


def _read(rows: Any, graph: Graph) -> tuple[Array, tuple[Any, ...]]:
    """Return the matrix, its rows in the order of the vertices, and the names of its columns."""
    if isinstance(rows, Channel):
        matrix, inputs, outputs = rows.matrix, rows.inputs, rows.outputs
    else:
        matrix, given, named = read_table(rows, None, None, "matrix", InvalidChannel)
        inputs = graph.vertices if given is None else tuple(given)
        outputs = read_labels(named, matrix.shape[1], "output", InvalidChannel)
        if not is_exact(matrix) and not np.isfinite(matrix).all():
            raise InvalidChannel("every entry of the matrix must be a finite number")
    if len(inputs) != len(matrix):
        raise InvalidChannel(
            f"the matrix must have a row for each of {len(inputs)} vertices, got {len(matrix)}"
        )
    order = alignment(graph.vertices, inputs, "the graph's vertices and the rows")
    return matrix if order is None else matrix[order], outputs


def in_units(matrix: Array, ratio: Fraction) -> Array:
    """Return the entries as whole numbers of a unit that is small against λ − 1 and 1/λ."""
    beyond = 0 if ratio == 1 else max(1 / (ratio - 1), ratio - 1).__floor__().bit_length()
    bits = BITS + beyond
    unit = fmpq(2) ** bits
    units = np.empty(matrix.size, dtype=object)
    if is_exact(matrix):
        units[:] = [int((unit * v).floor()) for v in matrix.ravel()]
    else:
        pairs = (float(v).as_integer_ratio() for v in matrix.ravel())
        units[:] = [(p << bits) // q for p, q in pairs]
    return units.reshape(matrix.shape)


def private_matrix(
    units: Array, graph: Graph, ratio: Fraction, join: Callable[[npt.NDArray[np.float64]], int]
) -> Array:
    """Return an exact matrix that is private at a ratio, from entries in whole units.

    ``join`` gets what is left of each row and says which column takes it.
    """
    lifted = _lift(units, graph, ratio)
    sums = lifted.sum(axis=1)
    p, q = ratio.numerator, ratio.denominator
    whole = sums.max()
    if p > q and len(graph.edges):
        i, h = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
        # left_i ≤ λ·left_h with left = D − sums
        whole = max(whole, -((-(p * sums[h] - q * sums[i]).max()) // (p - q)))
    left = whole - sums
    shares = float_array(exact_array(map(int, left)) / int(whole))
    lifted[:, join(shares)] += left
    entries = exact_array(map(int, lifted.ravel()))
    return (entries / int(whole)).reshape(lifted.shape)


def _lift(units: Array, graph: Graph, ratio: Fraction) -> Array:
    """Raise entries until every column is private, the largest first."""
    p, q = ratio.numerator, ratio.denominator
    near = neighbour_lists(graph)
    lifted = units.copy()
    for z, column in enumerate(units.T.tolist()):
        waiting = [(-value, i) for i, value in enumerate(column) if value > 0]
        heapify(waiting)
        while waiting:
            value, i = heappop(waiting)
            if -value < column[i]:
                continue
            least = -((value * q) // p)
            for h in near[i]:
                if column[h] < least:
                    column[h] = least
                    heappush(waiting, (-least, h))
        lifted[:, z] = column
    return lifted
