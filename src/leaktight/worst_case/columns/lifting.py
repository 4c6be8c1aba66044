"""Columns that are almost private, made into a channel that is, exactly.

An LP solver leaves entries that break K_ij ≤ λ·K_hj by a little, and rows that sum to 1 almost.
λ is one number, or there is one for each edge. In whole numbers of a small unit:

1. Every entry is raised to the largest of its neighbours' divided by λ and rounded up, and so on
   until nothing changes. Each column is then private, and where it had a 0 among positive
   entries it has at least one unit.
2. All entries are divided by the same D, and what is left of each row, 1 − (row sum)/D, joins one
   output. D is the least number at which what is left is itself a private column.

A sum of private columns is private, so the result is, with the denominator D in all entries. See
``docs/proofs/repair.md``.
"""

from collections.abc import Callable
from fractions import Fraction
from heapq import heapify, heappop, heappush

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.exact.numbers import Array, exact_array, float_array, fraction, is_exact, objects
from leaktight.policies.graph import Graph

BITS = 62
"""The unit is 2^−62, so that the common denominator fits into 64 bits, unless λ is near 1."""


def in_units(matrix: Array, ratio: Fraction | Array) -> Array:
    """Return the entries as whole numbers of a unit that is small against λ − 1 and 1/λ."""
    each = [ratio] if isinstance(ratio, Fraction) else [fraction(r) for r in ratio] or [Fraction(2)]
    least, most = min(each), max(each)
    beyond = 0 if least == 1 else max(1 / (least - 1), most - 1).__floor__().bit_length()
    bits = BITS + beyond
    unit = fmpq(2) ** bits
    if is_exact(matrix):
        units = objects(int((unit * v).floor()) for v in matrix.ravel())
    else:
        pairs = (float(v).as_integer_ratio() for v in matrix.ravel())
        units = objects((p << bits) // q for p, q in pairs)
    return units.reshape(matrix.shape)


def private_matrix(
    units: Array,
    graph: Graph,
    ratio: Fraction | Array,
    join: Callable[[npt.NDArray[np.float64]], int],
) -> Array:
    """Return an exact matrix that is private at a ratio, from entries in whole units.

    ``join`` gets what is left of each row and says which column takes it.
    """
    parts, lifted = _parts(graph, ratio), lift(units, graph, ratio)
    sums = lifted.sum(axis=1)
    whole = sums.max()
    if graph.size and all(p > q for p, q in parts):
        (i, h), (p, q) = graph.arcs.T, np.array(parts * 2, dtype=object).T
        # left_i ≤ λ·left_h with left = D − sums
        whole = max(whole, (-(-(p * sums[h] - q * sums[i]) // (p - q))).max())
    left = whole - sums
    shares = float_array(exact_array(map(int, left)) / int(whole))
    lifted[:, join(shares)] += left
    entries = exact_array(map(int, lifted.ravel()))
    return (entries / int(whole)).reshape(lifted.shape)


def _parts(graph: Graph, ratio: Fraction | Array) -> list[tuple[int, int]]:
    """Return numerator and denominator of λ for each edge."""
    if isinstance(ratio, Fraction):
        return [(ratio.numerator, ratio.denominator)] * graph.size
    return [(int(r.p), int(r.q)) for r in ratio]


def lift(units: Array, graph: Graph, ratio: Fraction | Array) -> Array:
    """Raise entries, whole numbers of a unit, until every column is private, the largest first."""
    near: list[list[tuple[int, int, int]]] = [[] for _ in graph.vertices]
    for (i, h), (p, q) in zip(graph.edges.tolist(), _parts(graph, ratio), strict=True):
        near[i].append((h, p, q))
        near[h].append((i, p, q))
    lifted = units.copy()
    for z, column in enumerate(units.T.tolist()):
        waiting = [(-value, i) for i, value in enumerate(column) if value > 0]
        heapify(waiting)
        while waiting:
            value, i = heappop(waiting)
            if -value < column[i]:
                continue
            for h, p, q in near[i]:
                if column[h] < (least := -((value * q) // p)):
                    column[h] = least
                    heappush(waiting, (-least, h))
        lifted[:, z] = column
    return lifted
