"""The worst case at every ε: a piecewise rational function of λ = e^ε.

Where the weighting of a connected graph is non-negative it gives the formula. Elsewhere the
exact optimum at one ratio does, together with the interval on which its basis stays optimal; the
gaps that are left are filled in the same way until λ ≥ 1 is covered. The worst case is continuous
in λ, so the ends of the pieces belong to both sides. Components add up, and the weightings of
independent records multiply. See ``docs/proofs/parametric.md``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any, overload

import numpy as np
from flint import fmpz_poly

from leaktight.errors import InvalidNumber, TooLarge, Undecided
from leaktight.exact.algebraic import AlgebraicNumber, in_order, rational_between
from leaktight.exact.numbers import Array, Number
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.policies.symmetry import automorphism_group
from leaktight.progress import tell
from leaktight.worst_case.columns import column_optimum
from leaktight.worst_case.every_ratio.piece import Piece, basis_pieces, weighting_pieces

MOST_VERTICES = 60
"""The largest component whose equations are solved with polynomials."""

MOST_WORK = 2 * 10**7
"""The most gaps that are filled, times the fourth power of the number of orbits: some 20 s."""

MOST_DEGREE = 20_000
"""The largest degree of a product over records."""

MOST_TRIES = 40
"""How many ratios are tried within one gap before it counts as undecided."""

Function = tuple[Piece, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WorstCaseFunction:
    """The worst case Σ_z max_x K(z|x) over all private channels, for every ratio λ ≥ 1.

    ``pieces`` follow one another from 1 to infinity. Called with a rational ratio it gives the
    exact worst case; with a list or an array, that of each, for a picture as an array of floats.

    >>> star = worst_case_function(Graph(4, [(0, 1), (0, 2), (0, 3)]))
    >>> star
    λ for 1 ≤ λ ≤ 2
    (4λ − 2)/(λ + 1) for λ ≥ 2
    >>> star("3/2"), star(5), star.break_points
    (Fraction(3, 2), Fraction(3, 1), (2,))
    >>> star([1, "3/2", 5])
    array([1. , 1.5, 3. ])
    """

    pieces: Function

    @overload
    def __call__(self, ratio: Number | Ratio) -> Fraction: ...
    @overload
    def __call__(self, ratio: list[Any] | tuple[Any, ...] | Array) -> Array: ...
    def __call__(self, ratio: Any) -> Fraction | Array:
        """Return the worst case at a rational ratio, or at each of some.

        Of a ratio that is only enclosed, such as e, it is that of its upper end.
        """
        if isinstance(ratio, list | tuple | np.ndarray):
            return np.array([float(self(each)) for each in ratio])
        read = Ratio.of(ratio)
        return self.piece_at(read.upper)(read.upper)

    def piece_at(self, ratio: Fraction) -> Piece:
        """Return the piece that holds at a ratio."""
        for piece in self.pieces:
            if ratio in piece:
                return piece
        raise InvalidNumber(f"the ratio must be at least 1, got {ratio}")

    @property
    def break_points(self) -> tuple[AlgebraicNumber, ...]:
        """Where one formula gives way to the next."""
        return tuple(piece.lower for piece in self.pieces[1:])

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.pieces))

    def _repr_latex_(self) -> str:
        rows = r" \\ ".join(piece.latex for piece in self.pieces)
        return rf"$\displaystyle V(\lambda) = \begin{{cases}} {rows} \end{{cases}}$"


def worst_case_function(neighbours: Neighbours) -> WorstCaseFunction:
    """Return the worst case of a policy or graph as a function of the ratio, every piece proved.

    Records multiply where their weightings are non-negative for every ratio.

    >>> from leaktight.policies.policy import Policy
    >>> worst_case_function(Policy(Graph(2, [(0, 1)]), records=3))
    (8λ^3)/(λ^3 + 3λ^2 + 3λ + 1) for λ ≥ 1
    """
    graph = adjacency_of(neighbours)
    parts = [(_of_graph(factor), copies) for factor, copies in graph.factors]
    if sum(copies for _, copies in graph.factors) == 1:
        return parts[0][0]
    if all(piece.is_weighting for function, _ in parts for piece in function.pieces):
        return _product(parts)
    if graph.order > allowed(MOST_VERTICES):
        raise TooLarge(
            f"the worst case of one record is not the closed form of a weighting at every ratio, "
            f"so that all databases must be looked at: at most {allowed(MOST_VERTICES)}, got "
            f"{counted(graph.order, 'database', 'databases')}"
        )
    return _of_graph(graph.explicit())


def _of_graph(graph: Graph) -> WorstCaseFunction:
    return WorstCaseFunction(_sum(map(_connected, _components(graph))))


def _components(graph: Graph) -> Iterator[Graph]:
    if graph.is_connected:
        return iter([graph])
    return map(graph.subgraph, graph.components)


# --- one component -------------------------------------------------------------------------


def _connected(graph: Graph) -> Function:
    counts = graph.distance_counts
    if graph.order > allowed(MOST_VERTICES) and not (counts == counts[0]).all():
        raise TooLarge(
            f"all ratios at once are solved for components of at most {allowed(MOST_VERTICES)} "
            f"vertices, got {graph.order}; worst_case_leakage gives one ratio"
        )
    pieces, filled = weighting_pieces(graph), 0
    orbits = len(np.unique(automorphism_group(graph).orbit_labels))
    while gap := _first_gap(pieces):
        if (filled := filled + 1) * orbits**4 > allowed(MOST_WORK):
            raise TooLarge(
                f"the worst case of a component of {graph.order} vertices needs more than "
                f"{filled - 1} proofs for all ratios, and there is a gap after "
                f"{float(gap[0].lower):.6g}; worst_case_leakage settles any one ratio exactly"
            )
        tell(f"left: λ above {float(gap[0].lower):.5g}")
        pieces += _fill(graph, *gap)
    return _joined(pieces)


def _first_gap(
    pieces: Iterable[Piece],
) -> tuple[AlgebraicNumber, AlgebraicNumber | None] | None:
    """Return the first interval above 1 that no piece covers."""
    reached = AlgebraicNumber.of(1)
    for piece in sorted(pieces, key=lambda piece: piece.lower):
        if piece.lower > reached:
            return reached, piece.lower
        if piece.upper is None:
            return None
        reached = max(reached, piece.upper)
    return reached, None


def _fill(graph: Graph, lower: AlgebraicNumber, upper: AlgebraicNumber | None) -> list[Piece]:
    """Return pieces that cover some of a gap."""
    for ratio in _ratios(lower, upper):
        found = basis_pieces(column_optimum(graph, ratio))
        if any(ratio in piece for piece in found):
            return found
    end = "∞" if upper is None else repr(upper)
    raise Undecided(
        f"no formula was found between the ratios {lower!r} and {end}, for a component of "
        f"{graph.order} vertices: the optimum is degenerate at {MOST_TRIES} ratios; "
        "worst_case_leakage gives one ratio"
    )


def _ratios(lower: AlgebraicNumber, upper: AlgebraicNumber | None) -> Iterator[Fraction]:
    """Yield ratios in a gap, nearer and nearer to its lower end."""
    for _ in range(MOST_TRIES):
        ratio = rational_between(lower, upper)
        yield ratio
        upper = AlgebraicNumber.of(ratio)


def _joined(pieces: Iterable[Piece]) -> Function:
    """Cut overlaps off, and join neighbours with the same formula."""
    kept: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.lower):
        if kept:
            last = kept[-1]
            if last.upper is None or (piece.upper is not None and piece.upper <= last.upper):
                continue
            if (last.numerator, last.denominator) == (piece.numerator, piece.denominator):
                same = last.is_weighting and piece.is_weighting
                kept[-1] = replace(last, upper=piece.upper, is_weighting=same)
                continue
            piece = replace(piece, lower=last.upper)
        kept.append(piece)
    return tuple(kept)


# --- several -------------------------------------------------------------------------------


def _sum(functions: Iterable[Function]) -> Function:
    return reduce(_add, functions)


def _add(first: Function, second: Function) -> Function:
    ends: list[AlgebraicNumber | None] = [
        *in_order(piece.lower for piece in first + second),
        None,
    ]
    pieces = []
    for lower, upper in pairwise(ends):
        assert lower is not None
        at = rational_between(lower, upper)
        a, b = (next(piece for piece in each if at in piece) for each in (first, second))
        numerator = a.numerator * b.denominator + b.numerator * a.denominator
        denominator = a.denominator * b.denominator
        by_weighting = a.is_weighting and b.is_weighting
        pieces.append(Piece.of(lower, upper, numerator, denominator, by_weighting))
    return _joined(pieces)


def _product(parts: Iterable[tuple[WorstCaseFunction, int]]) -> WorstCaseFunction:
    """Multiply functions of which each is one formula."""
    numerator, denominator = fmpz_poly([1]), fmpz_poly([1])
    for function, copies in parts:
        piece = function.pieces[0]
        degree = copies * max(piece.numerator.degree(), piece.denominator.degree())
        if degree > allowed(MOST_DEGREE):
            raise TooLarge(
                f"the formula for {copies:,} records has degree {degree:,}, and the limit is "
                f"{allowed(MOST_DEGREE):,}; it is the power of that for one record"
            )
        numerator *= piece.numerator**copies
        denominator *= piece.denominator**copies
    one = AlgebraicNumber.of(1)
    return WorstCaseFunction((Piece.of(one, None, numerator, denominator, is_weighting=True),))
