"""The worst case of a tree: a linear program with two variables for each edge.

On a tree, what a private mechanism tells is settled by the chances a_ij that the output lies on j's
side of the edge ij if the secret is i. The largest Σ_z max_x K(z|x) is the largest
Σ_i (1 − Σ_j a_ij) with λ·a_ij + a_ji ≥ 1 in both directions of every edge and Σ_j a_ij ≤ 1 at every
vertex. Weights w ≥ 1 on the vertices bound it by Σ_i w_i − Σ_ij min(w_i, w_j, (w_i + w_j)/(λ + 1)).
Both are proved in ``docs/proofs/trees.md``.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.errors import InvalidGraph, InvalidNumber
from leaktight.exact.linear_program import LinearProgram, solve_exact
from leaktight.exact.numbers import Array, exact_array, fraction, rational
from leaktight.policies.graph import Graph, Indices

MOST_IN_TREE = 20_000
"""The most vertices of a tree; so many take some seconds."""

MOST_PIVOTS = 100
"""The most exact pivots after the solver's proposal."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeOptimum:
    """The worst case of a tree, with a mechanism that attains it and weights that prove it.

    ``steps`` has for each edge ij the chances a_ij and a_ji of outputs on the other side.

    >>> tree = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    >>> best = tree_optimum(tree, Fraction(2))
    >>> best.value, best.bound, best.weights
    (Fraction(7, 3), Fraction(7, 3), array([1, 2, 1, 1, 1, 1], dtype=object))
    """

    graph: Graph
    ratio: Fraction
    steps: Array
    weights: Array

    @property
    def value(self) -> Fraction:
        """What the mechanism has."""
        return fraction(self._left().sum())

    @property
    def bound(self) -> Fraction:
        """What no private channel exceeds."""
        one, other = self.weights[self.graph.edges.T]
        amid = (one + other) / (1 + rational(self.ratio))
        least = np.minimum(np.minimum(one, other), amid)
        return fraction(self.weights.sum() - least.sum())

    @property
    def prices(self) -> Array:
        """Prices y with Σ y = bound, such that y·c ≥ max c for every private column c."""
        most, prices = rational(self.ratio), self.weights.copy()
        for i, k in self.graph.arcs.tolist():
            own, other = self.weights[i], self.weights[k]
            prices[i] -= min(own, max(fmpq(0), (most * other - own) / (most**2 - 1)))
        return prices

    @property
    def matrix(self) -> Array:
        """The mechanism: for each step i → j from the secret to the output, a_ij / (1 − a_ji)."""
        n = self.graph.order
        out, back = self.steps.T
        forth = [a / (1 - b) if a else a for a, b in zip(out, back, strict=True)]
        hence = [b / (1 - a) if b else b for a, b in zip(out, back, strict=True)]
        along = dict(zip(map(tuple, self.graph.arcs.tolist()), [*forth, *hence], strict=True))
        matrix = exact_array([0] * (n * n)).reshape(n, n)
        matrix[0, 0], known = fmpq(1), [0]
        for parent, child in self._outward():
            matrix[known, child] = matrix[known, parent] * along[parent, child]
            matrix[child, known] = along[child, parent] * matrix[parent, known]
            matrix[child, child] = fmpq(1)
            known.append(child)
        return matrix * self._left()

    def claim(self, at: Indices) -> dict[str, Any]:
        """Return the proof of the bound, with these numbers of the vertices."""
        return {"vertices": at.tolist(), "weights": [str(w) for w in self.weights]}

    def _left(self) -> Array:
        """Return K(i|i) = 1 − Σ_j a_ij for each vertex i."""
        left = exact_array([1] * self.graph.order)
        np.subtract.at(left, self.graph.edges, self.steps)
        return left

    def _outward(self) -> list[tuple[int, int]]:
        """Return the edges from parent to child, as they are met on the way from the first."""
        near: list[list[int]] = [[] for _ in range(self.graph.order)]
        for i, j in self.graph.arcs.tolist():
            near[i].append(j)
        found, seen = list[tuple[int, int]](), {0}
        queue = [0]
        for i in queue:
            fresh = [j for j in near[i] if j not in seen]
            found += [(i, j) for j in fresh]
            seen.update(fresh)
            queue += fresh
        return found


def tree_optimum(graph: Graph, ratio: Fraction) -> TreeOptimum:
    """Return the worst case of a tree at a ratio above 1, proved.

    With c = 1/(λ + 1), a_ij = a_ji = c is best on each edge by itself. An i with more than λ + 1
    neighbours must take t_ij from some, a_ij = c − t_ij, and then a_ji = c + λ·t_ij: the program
    moves as little as possible.

    >>> star = Graph(6, [(0, i) for i in range(1, 6)])
    >>> tree_optimum(star, Fraction(2)).value
    Fraction(2, 1)
    """
    if not (graph.is_connected and graph.size == graph.order - 1):
        raise InvalidGraph(f"the graph must be a tree, got {graph!r}")
    if not ratio > 1:
        raise InvalidNumber(f"the ratio must be above 1, got {ratio}; at 1 the worst case is 1")
    most, arcs = rational(ratio), graph.arcs
    equal, count = 1 / (1 + most), len(arcs)
    moves = np.arange(count)
    program = LinearProgram(
        [most - 1] * count,
        (arcs.T.ravel(), np.tile(moves, 2), [fmpq(1)] * count + [-most] * count),
        row_lower=[int(degree) * equal - 1 for degree in graph.degrees],
        upper=[equal] * count,
    )
    # All may go to one vertex, so there is an optimum.
    best = solve_exact(program, MOST_PIVOTS).settled(f"the worst case of {graph!r} is not settled")
    forth, hence = best.x.reshape(2, -1)
    steps = np.stack([equal - forth + most * hence, equal - hence + most * forth], axis=1)
    return TreeOptimum(graph, ratio, steps, 1 + best.y)
