"""What is the worst case of one connected graph, exactly? By column generation.

A private channel is a sum of columns x_k·λ^(−g_k) with x_k > 0 and levels g_k that differ by at
most one between neighbours, least level 0; the worst case V is the largest Σ x_k for which they
sum to 1 in every row. Its dual prices y have Σ y_i = V and y·c ≥ max c for every private column c.

If the weighting of the graph is non-negative, it is both x and y. If not: there are too many
columns to list, so a search in floating point proposes the few that matter
(``proposal``). Their program is solved exactly, and a flow for each
vertex proves that no private column costs less than its entry there; if one does, it is added,
and so on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, InvalidNumber, TooLarge, Undecided
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import Array, exact_array, fraction, rational
from leaktight.policies.graph import Graph, Indices
from leaktight.worst_case.columns.cover import weighting
from leaktight.worst_case.columns.flow import Flow, cheapest_column
from leaktight.worst_case.columns.proposal import Levels, propose_columns

MOST_VERTICES = 300
"""The most vertices of a graph; more would take many minutes."""

MOST_EXACT_ROUNDS = 40
"""How often columns are added exactly before the worst case counts as undecided."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnOptimum:
    """The worst case V of a connected graph, with a channel that attains it and a proof.

    The channel is the sum of the columns ``weights``[k]·λ^(−``exponents``[k]). The proof is the
    price y of each vertex (``dual``), which sum to V, and for each vertex a flow that shows that
    no private column c costs less than c_j there.

    >>> path = Graph(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])
    >>> best = column_optimum(path, Fraction(2))
    >>> best.value, best.dual
    (Fraction(2, 1), array([2/3, 1/3, 1/3, 2/3], dtype=object))
    >>> best.channel()
    exact channel, 4 inputs × 4 outputs
          a    b    c     d
    a   2/3  1/6  1/12  1/12
    b   1/3  1/3  1/6   1/6
    c   1/6  1/6  1/3   1/3
    d  1/12 1/12  1/6   2/3
    """

    graph: Graph
    ratio: Fraction
    value: Fraction
    exponents: Indices
    """A row for each column: the level of each vertex; the least is 0."""
    peaks: Indices
    """For each column a vertex of level 0, where the column is largest."""
    weights: Array
    dual: Array
    flows: tuple[Flow, ...]
    unused: Indices
    """Other columns of the last program, of weight 0, as rows of levels."""

    def channel(self) -> Channel:
        """Return the channel, one output for each vertex that is the peak of a column."""
        powers = exact_array(rational(self.ratio) ** -g for g in range(self.exponents.max() + 1))
        columns = self.weights[:, None] * powers[self.exponents]
        outputs = np.unique(self.peaks)
        matrix = np.stack([columns[self.peaks == j].sum(axis=0) for j in outputs], axis=1)
        labels = tuple(self.graph.vertices[j] for j in outputs)
        return Channel(matrix, self.graph.vertices, labels)


def column_optimum(graph: Graph, ratio: Fraction) -> ColumnOptimum:
    """Return the worst case of a connected graph at a ratio above 1, exact and proved.

    Every number is decided exactly, however large or small the ratio. See
    ``docs/proofs/columns.md``.

    >>> tree = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    >>> column_optimum(tree, Fraction(2)).value
    Fraction(7, 3)
    """
    _check(graph, ratio)
    exact = rational(ratio)
    if (weights := weighting(graph, ratio)) is not None:
        levels = graph.distances.astype(np.int64)
        flows = _flows(graph, exact, weights, levels.tolist())
        return _proved(graph, ratio, levels, weights, weights, flows)
    proposal = propose_columns(graph, ratio)
    columns = proposal.columns
    for _ in range(MOST_EXACT_ROUNDS):
        levels, weights, prices = _optimum(columns, exact)
        flows = _flows(graph, exact, prices, proposal.cheapest)
        cheaper = {_from_zero(flow.levels) for flow in flows if flow.cost < 1}
        if not cheaper:
            return _proved(graph, ratio, levels, weights, prices, flows)
        columns = [*columns, *cheaper]
    raise Undecided(
        f"the worst case of a graph of {graph.order} vertices at the ratio {float(ratio):.6g} is "
        f"not settled after {MOST_EXACT_ROUNDS} exact rounds; the cover bound still holds"
    )


def _check(graph: Graph, ratio: Fraction) -> None:
    if not graph.is_connected:
        raise InvalidGraph(
            f"the graph must be connected, got {len(graph.components)} components; "
            "the worst case is the sum of theirs"
        )
    if not ratio > 1:
        raise InvalidNumber(f"the ratio must be above 1, got {ratio}; at 1 the worst case is 1")
    if graph.order > MOST_VERTICES:
        raise TooLarge(
            f"columns are generated for at most {MOST_VERTICES} vertices, got {graph.order}; "
            "the cover bound works for more"
        )


def _flows(
    graph: Graph, ratio: fmpq, prices: Array, starts: Iterable[Sequence[int]]
) -> tuple[Flow, ...]:
    return tuple(cheapest_column(graph, ratio, prices, j, start) for j, start in enumerate(starts))


def _proved(
    graph: Graph,
    ratio: Fraction,
    levels: Indices,
    weights: Array,
    prices: Array,
    flows: tuple[Flow, ...],
) -> ColumnOptimum:
    used = weights > 0
    return ColumnOptimum(
        graph=graph,
        ratio=ratio,
        value=fraction(prices.sum()),
        exponents=levels[used],
        peaks=levels[used].argmin(axis=1),
        weights=weights[used],
        dual=prices,
        flows=flows,
        unused=levels[~used],
    )


def _from_zero(levels: Sequence[int]) -> Levels:
    least = min(levels)
    return tuple(g - least for g in levels)


def _optimum(columns: Sequence[Levels], ratio: fmpq) -> tuple[Indices, Array, Array]:
    """Return the columns with their weights, and the prices, of the exact program."""
    levels = np.array(columns, dtype=np.int64)
    powers = exact_array(ratio**-g for g in range(levels.max() + 1))
    count, n = levels.shape
    rows, places = np.indices(levels.shape)
    entries = (rows.ravel(), places.ravel(), powers[levels].ravel())
    best = solve_exact(LinearProgram([1] * n, entries, row_lower=[1] * count, lower=[None] * n))
    if not isinstance(best, Optimum):
        raise Undecided("the columns sum to no channel; this cannot be")
    return levels, best.y, best.x
