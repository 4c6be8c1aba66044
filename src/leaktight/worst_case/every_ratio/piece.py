"""Pieces: intervals of λ on which one formula gives the worst case.

At one ratio the exact optimum rests on n equations: columns that cost exactly 1, and prices that
these leave open. Solved with polynomials in λ instead of numbers they give weights, prices and
flows as rational functions. These prove the value wherever none of them is negative
(``docs/proofs/parametric.md``), so the formula holds up to the next root of a numerator.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_poly

from leaktight.exact.algebraic import (
    AlgebraicNumber,
    in_order,
    polynomial_text,
    rational_between,
    roots_above_one,
    sign_at,
)
from leaktight.exact.numbers import fraction, rational
from leaktight.policies.graph import Graph
from leaktight.worst_case.columns import ColumnOptimum, Flow

NONE = fmpz_poly([])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Piece:
    """V = numerator(λ)/denominator(λ) for all λ from ``lower`` to ``upper`` (None is infinity).

    The fraction is in lowest terms and its denominator positive there. ``is_weighting`` says that
    it is the closed form of a non-negative weighting, which the cover bound attains too.
    """

    lower: AlgebraicNumber
    upper: AlgebraicNumber | None
    numerator: fmpz_poly
    denominator: fmpz_poly
    is_weighting: bool = False

    @classmethod
    def of(
        cls,
        lower: AlgebraicNumber,
        upper: AlgebraicNumber | None,
        numerator: fmpz_poly,
        denominator: fmpz_poly,
        is_weighting: bool = False,
    ) -> "Piece":
        """Make a piece from any fraction.

        >>> Piece.of(AlgebraicNumber.of(2), None, fmpz_poly([2, 2]), fmpz_poly([2, 0, -2]))
        (−1)/(λ − 1) for λ ≥ 2
        """
        common = numerator.gcd(denominator)
        inside = rational(rational_between(lower, upper))
        if sign_at(denominator // common, inside) < 0:
            common = -common
        return cls(lower, upper, numerator // common, denominator // common, is_weighting)

    def __call__(self, ratio: Fraction) -> Fraction:
        """Return the value at a rational ratio."""
        at = rational(ratio)
        return fraction(self.numerator(at) / self.denominator(at))

    def __contains__(self, ratio: Fraction | AlgebraicNumber) -> bool:
        return self.lower <= ratio and (self.upper is None or self.upper >= ratio)

    def __repr__(self) -> str:
        formula = f"({polynomial_text(self.numerator)})/({polynomial_text(self.denominator)})"
        if self.denominator.is_one():
            formula = polynomial_text(self.numerator)
        end = (
            f"λ ≥ {self.lower!r}" if self.upper is None else f"{self.lower!r} ≤ λ ≤ {self.upper!r}"
        )
        return f"{formula} for {end}"

    @property
    def latex(self) -> str:
        r"""The formula and its interval, as a line of LaTeX's ``cases``.

        >>> Piece.of(AlgebraicNumber.of(2), None, fmpz_poly([-2, 4]), fmpz_poly([1, 1])).latex
        '\\dfrac{4\\lambda - 2}{\\lambda + 1} & \\lambda \\ge 2'
        """
        top, bottom = map(_latex, map(polynomial_text, (self.numerator, self.denominator)))
        formula = top if self.denominator.is_one() else rf"\dfrac{{{top}}}{{{bottom}}}"
        start, end = (_latex(repr(each)) for each in (self.lower, self.upper))
        upto = rf"\lambda \ge {start}"
        if self.upper is not None:
            upto = rf"{start} \le \lambda \le {end}"
        return f"{formula} & {upto}"


def _latex(text: str) -> str:
    """Return a polynomial or a number as LaTeX has it; exponents of several digits are grouped."""
    text = re.sub(r"\^(\d+)", r"^{\1}", text)
    text = text.replace("(root of", r"(\text{root of }")
    for sign, written in (("λ", r"\lambda"), ("−", "-"), ("≈", r"\approx ")):
        text = text.replace(sign, written)
    return text


# --- the weighting ---


def weighting_pieces(graph: Graph) -> list[Piece]:
    """Return where the weighting Σ_j λ^(−d(i,j)) w_j = 1 of a connected graph is non-negative.

    >>> weighting_pieces(Graph(4, [(0, 1), (0, 2), (0, 3)]))
    [(4λ − 2)/(λ + 1) for λ ≥ 2]
    """
    counts = graph.distance_counts
    if (counts == counts[0]).all():  # every vertex weighs 1/Σ n_d λ^(−d)
        size = fmpz_poly(counts[0, ::-1].tolist())
        whole = graph.order * _power(counts.shape[1] - 1)
        return [Piece.of(AlgebraicNumber.of(1), None, whole, size, is_weighting=True)]
    one = _power(0)
    weights = [(one, one)] * graph.order
    for block in graph.blocks():
        inside, scale = _block_weights(graph.subgraph(graph.vertices[i] for i in block))
        for i, weight in zip(block.tolist(), inside, strict=True):
            top, bottom = weights[i]
            weights[i] = _lowest(top * scale - bottom * (scale - weight), bottom * scale)
    whole, scale = reduce(
        lambda a, b: _lowest(a[0] * b[1] + b[0] * a[1], a[1] * b[1]), weights, (NONE, one)
    )
    return [
        Piece.of(lower, upper, whole, scale, is_weighting=True)
        for lower, upper in where_positive([w * s for w, s in weights], [s for _, s in weights])
    ]


def _block_weights(graph: Graph) -> tuple[list[fmpz_poly], fmpz_poly]:
    """Return the weighting of a block, as numerators and their denominator."""
    deepest = int(graph.distances.max())
    matrix = [[_power(deepest - d) for d in row] for row in graph.distances.tolist()]
    return solve_polynomials(matrix, [_power(deepest)] * graph.order)


def _lowest(numerator: fmpz_poly, denominator: fmpz_poly) -> tuple[fmpz_poly, fmpz_poly]:
    common = numerator.gcd(denominator)
    return numerator // common, denominator // common


def where_positive(
    conditions: Sequence[fmpz_poly], others: Iterable[fmpz_poly] = ()
) -> Iterator[tuple[AlgebraicNumber, AlgebraicNumber | None]]:
    """Yield the intervals above 1 between roots where no condition is negative.

    Roots of ``others`` end an interval as well.
    """
    distinct = {tuple(map(int, p.coeffs())): p for p in [*conditions, *others] if p}
    ends: list[AlgebraicNumber | None] = [
        AlgebraicNumber.of(1),
        *in_order(root for p in distinct.values() for root in roots_above_one(p)),
        None,
    ]
    for lower, upper in pairwise(ends):
        assert lower is not None
        at = rational(rational_between(lower, upper))
        if all(sign_at(p, at) >= 0 for p in conditions):
            yield lower, upper


def _power(exponent: int) -> fmpz_poly:
    return fmpz_poly([0] * exponent + [1])


# --- the basis of an optimum ---


def basis_pieces(best: ColumnOptimum) -> list[Piece]:
    """Return where the basis of an optimum stays optimal; nothing if it is degenerate.

    >>> from leaktight.worst_case.columns import column_optimum
    >>> star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    >>> basis_pieces(column_optimum(star, Fraction(3, 2)))
    [λ for 1 ≤ λ ≤ 2]
    """
    ratio, part = rational(best.ratio), best.part
    sizes = part.sizes.tolist()
    basis = _basis(best, ratio)
    if len(basis) < len(sizes):
        return []
    matrix = [row for row, _ in basis]
    prices, scale = solve_polynomials(matrix, [cost for _, cost in basis])
    transposed = [list(row) for row in zip(*matrix, strict=True)]
    weights, weight_scale = solve_polynomials(transposed, [fmpz_poly([size]) for size in sizes])
    used = int(np.count_nonzero(best.exact.weights)) if best.exact else 0
    if any(weights[used:]):  # of prices that are fixed
        return []
    conditions = [w * weight_scale for w in weights]
    each = [prices[k] for k in part.orbits]
    for root in part.guesses.tolist():
        amounts = _flow_amounts(best.flows[root], root, ratio, each, scale)
        if amounts is None:
            return []
        conditions += [amount * scale for amount in amounts]
    if any(sign_at(p, ratio) < 0 for p in conditions):
        return []
    return [
        Piece.of(lower, upper, sum(each, NONE), scale)
        for lower, upper in where_positive(conditions, [scale, weight_scale])
    ]


Equation = tuple[list[fmpz_poly], fmpz_poly]


def _basis(best: ColumnOptimum, ratio: fmpq) -> list[Equation]:
    """Choose independent equations: y·c = 1 for the columns in use, then prices that are fixed."""
    part, exact = best.part, best.exact
    if exact is None:
        return []
    equations: list[Equation] = []
    for levels in exact.levels[exact.weights > 0]:
        deepest = int(levels.max())
        terms = np.array([[_power(deepest - g) for g in levels.tolist()]], dtype=object)
        equations.append((part.gathered(terms)[0].tolist(), _power(deepest)))
    used, first = len(equations), np.unique(part.orbits, return_index=True)[1]
    prices = best.prices[first].tolist()
    for k in sorted(range(len(first)), key=lambda k: prices[k].height_bits()):
        row = [fmpz_poly([prices[k].q]) if k == o else NONE for o in range(len(first))]
        equations.append((row, fmpz_poly([prices[k].p])))
    numbers = [p(ratio) for row, _ in equations for p in row]
    table, rank = fmpq_mat(len(equations), len(first), numbers).transpose().rref()
    pivots = [next(k for k in range(len(equations)) if table[r, k]) for r in range(rank)]
    return [equations[k] for k in pivots] if pivots[:used] == list(range(used)) else []


def _flow_amounts(
    flow: Flow, root: int, ratio: fmpq, prices: Sequence[fmpz_poly], scale: fmpz_poly
) -> list[fmpz_poly] | None:
    """Return what flows on each arc and by how much the cost exceeds 1, up to powers of λ.

    The arcs are thinned out to a forest, on which the prices leave no choice. None if a tree
    without the root does not balance for all λ.
    """
    levels = [level - flow.levels[root] for level in flow.levels]
    deepest = max(levels)
    net = [y * _power(deepest - g) for y, g in zip(prices, levels, strict=True)]
    surplus = sum(net, NONE) - scale * _power(deepest)
    net[root] -= sum(net, NONE)
    carried = {(i, h): amount * ratio ** -levels[i] for i, h, amount in flow.arcs}
    amounts = balance(thin_out(carried), net)
    return None if amounts is None else [surplus, *amounts]


# --- equations with polynomials ---


def solve_polynomials(
    matrix: Sequence[Sequence[fmpz_poly]], right: Sequence[fmpz_poly]
) -> tuple[list[fmpz_poly], fmpz_poly]:
    """Return numerators and the common denominator of the x with M·x = ``right``.

    Elimination without fractions: every division leaves no remainder (Bareiss). The
    denominator is det M up to its sign; M must not be singular.

    >>> x = fmpz_poly([0, 1])
    >>> solve_polynomials([[x, fmpz_poly([1])], [fmpz_poly([1]), x]], [x, x])
    ([(-1)*x^2 + x, (-1)*x^2 + x], (-1)*x^2 + 1)
    """
    rows = [[*row, end] for row, end in zip(matrix, right, strict=True)]
    n = len(rows)
    last = _power(0)
    for k in range(n):
        pivot = min((i for i in range(k, n) if rows[i][k]), key=lambda i: rows[i][k].degree())
        rows[k], rows[pivot] = rows[pivot], rows[k]
        top = rows[k]
        for i in range(n):
            if i != k:
                row, factor = rows[i], rows[i][k]
                rows[i] = [
                    (top[k] * row[j] - factor * top[j]) // last if j > k or i < k else NONE
                    for j in range(n + 1)
                ]
        last = top[k]
    return [row[n] for row in rows], last


# --- the forest of a flow ---
# A flow whose arcs close a cycle, whatever their directions, can be shifted along it until one arc
# carries nothing. What is left determines the flow: a leaf needs its balance from its one arc.

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
