"""The most that any private channel on a connected graph leaks, exactly or very nearly.

The worst case V, the largest Σ_z max_x K(z|x), is what the best channel earns whose guesses are the
vertices if a right guess earns 1 and all vertices count alike. Its prices y have Σ y_i = V, and a
flow for each vertex proves that no private column c costs less than its entry there. See
``docs/proofs/columns.md``.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.errors import InvalidGraph, InvalidNumber, TooLarge, Undecided
from leaktight.exact.numbers import Array, fraction, rational
from leaktight.limits import allowed
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.symmetry import automorphism_group
from leaktight.worst_case.columns.best import (
    Exact,
    lifted_columns,
    prices_claim,
    raised,
    solve_amid,
    solve_columns,
)
from leaktight.worst_case.columns.flow import Flow
from leaktight.worst_case.columns.pricing import pricing
from leaktight.worst_case.columns.search import Part, propose_columns

MOST_VERTICES = 300
"""The most vertices of a graph; more would take many minutes."""

MOST_BITS = 2**17
"""The most bits of the numbers in an exact solution."""

CLOSEST = 1 + fmpq(1, 2**12)
"""The least ratio at which floats tell columns apart; below, hardly any others matter."""

MOST_PIVOTS = 200
"""The most exact pivots in one round."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnOptimum:
    """The worst case V of a connected graph, with a channel that attains it and a proof.

    The proof is the price y of each vertex, and for each vertex a flow that shows that
    no private column c costs less than c_j there. If numbers would get too long, the channel has
    a little less than V and the prices sum to a little more.

    >>> path = Graph(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])
    >>> best = column_optimum(path, Fraction(2))
    >>> best.value, best.prices
    (Fraction(2, 1), array([2/3, 1/3, 1/3, 2/3], dtype=object))
    >>> best.matrix
    array([[2/3, 1/6, 1/12, 1/12],
           [1/3, 1/3, 1/6, 1/6],
           [1/6, 1/6, 1/3, 1/3],
           [1/12, 1/12, 1/6, 2/3]], dtype=object)
    """

    part: Part
    ratio: Fraction
    prices: Array
    flows: tuple[Flow, ...]
    exact: Exact | None
    lifted: Array | None
    """The channel, if the solution is not exact."""

    @property
    def matrix(self) -> Array:
        """The channel, with a column for each vertex."""
        if self.exact is None:
            assert self.lifted is not None
            return self.lifted
        return self.exact.matrix(self.part, rational(self.ratio))

    @property
    def value(self) -> Fraction:
        """What the channel has."""
        return self.bound if self.exact else fraction(self.matrix.max(axis=0).sum())

    @property
    def bound(self) -> Fraction:
        """What no private channel exceeds."""
        return fraction(self.prices.sum())

    def claim(self, at: Indices) -> dict[str, Any]:
        """Return the proof of the bound, with these numbers of the vertices."""
        return prices_claim(self.prices, self.flows, at)


def column_optimum(
    graph: Graph, ratio: Fraction, near: ColumnOptimum | None = None
) -> ColumnOptimum:
    """Return the worst case of a connected graph at a ratio above 1, proved.

    If it is known at a ratio nearby, the same columns are tried first.

    >>> tree = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    >>> best = column_optimum(tree, Fraction(2))
    >>> best.value, best.bound
    (Fraction(7, 3), Fraction(7, 3))
    """
    _check(graph, ratio)
    most = rational(ratio)
    part, way = near.part if near else _alike(graph), pricing(graph, most)
    tried = near.exact.levels if near and near.exact else None
    if tried is None and most >= CLOSEST:
        found = propose_columns(part, most, way, at_vertex=False)
        if _is_short(part, most, found[0]) and (exact := solve_amid(part, most, way, *found)):
            return ColumnOptimum(part, ratio, exact.prices, tuple(exact.flows), exact, None)
    if tried is None:
        enough = max(most, CLOSEST)
        tried, weights, floats = propose_columns(
            part, enough, pricing(graph, enough), at_vertex=True
        )
    if _is_short(part, most, tried):
        exact = solve_columns(part, most, way, tried, MOST_PIVOTS, rooted=True)
        if exact is not None:
            return ColumnOptimum(part, ratio, exact.prices, tuple(exact.flows), exact, None)
    if near or most < CLOSEST:
        tried, weights, floats = propose_columns(part, most, way, at_vertex=False)
    channel = lifted_columns(part, ratio, tried, weights, floats)
    bound = raised(part, channel.prices, way, rooted=True)
    if bound is None:
        raise Undecided(
            f"the worst case of a graph of {graph.order} vertices at the ratio {float(ratio):.6g} "
            "is not settled; the cover bound still holds"
        )
    return ColumnOptimum(part, ratio, bound[0], tuple(bound[1]), None, channel.matrix)


def _is_short(part: Part, ratio: fmpq, levels: Indices) -> bool:
    """Say whether the numbers of an exact solution are not too long."""
    return ratio.height_bits() * len(part.sizes) * (int(levels.max()) + 1) <= MOST_BITS


def _alike(graph: Graph) -> Part:
    """Return the graph where a right guess of any vertex earns 1."""
    earned = np.full((graph.order, graph.order), fmpq(0), dtype=object)
    np.fill_diagonal(earned, fmpq(1))
    return Part.under(automorphism_group(graph), earned)


def _check(graph: Graph, ratio: Fraction) -> None:
    if not graph.is_connected:
        raise InvalidGraph(
            f"the graph must be connected, got {len(graph.components)} components; "
            "the worst case is the sum of theirs"
        )
    if not ratio > 1:
        raise InvalidNumber(f"the ratio must be above 1, got {ratio}; at 1 the worst case is 1")
    if graph.order > allowed(MOST_VERTICES):
        raise TooLarge(
            f"columns are generated for at most {allowed(MOST_VERTICES)} vertices, got "
            f"{graph.order}; the cover bound works for more"
        )
