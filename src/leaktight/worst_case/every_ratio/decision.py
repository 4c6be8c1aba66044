"""Is a formula a bound on the leakage of every private mechanism, at every ε?

Theorem 6 of [Barthe2011]_ says that this is decidable for the cube {0, 1}^n and rational
functions r(λ)/s(λ) of λ = e^ε, by a formula over the reals with (2^n)^m cases. Here the worst
case is known as a function of λ for any graph, so that signs of polynomials in one variable decide.
Their formula for "attained" accepts any entries of a channel, not only the largest in each column,
and so accepts 2/(1 + λ) for n = 1, which is no bound at all; the worst case itself does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq_poly, fmpz_poly

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.algebraic import (
    AlgebraicNumber,
    in_order,
    rational_between,
    roots_above_one,
    sign_at,
)
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.shown import Told, apart, shown
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.worst_case.every_ratio.function import WorstCaseFunction, worst_case_function
from leaktight.worst_case.every_ratio.piece import Piece
from leaktight.worst_case.optimum import worst_case_leakage


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counterexample(Told):
    """A ratio at which a private channel leaks more than a formula says."""

    ratio: Fraction
    claimed: Fraction
    value: Fraction
    """Σ_z max_x K(z|x) of the channel, the worst case."""
    channel: Channel | Parallel

    def __str__(self) -> str:
        ratio, found, claimed = map(shown, (self.ratio, self.value, self.claimed))
        if found == claimed:
            found, claimed = apart(float(self.value), float(self.claimed))
        return f"at the ratio {ratio} a private channel has {found}, more than {claimed}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundDecision(Told):
    """Whether r(λ)/s(λ) bounds the worst case for every λ ≥ 1, and equals it for every λ ≥ 1.

    A decision is true in an ``if`` if it is a bound; otherwise it carries a counterexample.
    """

    function: WorstCaseFunction
    is_attained: bool
    counterexample: Counterexample | None

    @property
    def is_bound(self) -> bool:
        """Whether no private channel leaks more, at any ratio."""
        return self.counterexample is None

    def __bool__(self) -> bool:
        return self.is_bound

    def __str__(self) -> str:
        if self.counterexample is not None:
            return f"not a bound: {self.counterexample}"
        return "a bound, attained at every ratio" if self.is_attained else "a bound"


def decide_bound(
    neighbours: Neighbours, numerator: Iterable[Number], denominator: Iterable[Number]
) -> BoundDecision:
    """Decide whether r(λ)/s(λ) is at least the worst case at every λ ≥ 1, and equal to it.

    The coefficients of r and s are given from the constant one; s must be positive for λ ≥ 1. A
    float stands for the decimal number it prints as. For two databases 2λ/(1 + λ) is attained;
    2/(1 + λ) is no bound.

    >>> from leaktight.policies.graph import Graph
    >>> bit = Graph(["no", "yes"], [("no", "yes")])
    >>> print(decide_bound(bit, [0, 2], [1, 1]))
    a bound, attained at every ratio
    >>> print(decide_bound(bit, [2], [1, 1]))
    not a bound: at the ratio 2 a private channel has 4/3, more than 2/3
    """
    above, below = _polynomial(numerator, "numerator"), _polynomial(denominator, "denominator")
    r, s = above.numer() * below.denom(), below.numer() * above.denom()
    if not s(1) > 0 or roots_above_one(s):
        raise InvalidInput(
            f"the denominator must be positive at every ratio from 1 on, got {s.coeffs() or [0]}"
        )
    graph = adjacency_of(neighbours)
    function = worst_case_function(graph)
    for piece in function.pieces:
        excess = r * piece.denominator - s * piece.numerator
        if (ratio := _negative(excess, piece)) is not None:
            return BoundDecision(function, False, _counterexample(graph, ratio, r, s, piece))
    attained = all(r * p.denominator == s * p.numerator for p in function.pieces)
    return BoundDecision(function, attained, None)


def _polynomial(coefficients: Iterable[Number], name: str) -> fmpq_poly:
    if isinstance(coefficients, str | bytes) or not isinstance(coefficients, Iterable):
        raise InvalidNumber(
            f"the {name} must be a list of coefficients, the constant one first, "
            f"got {coefficients!r:.60}"
        )
    return fmpq_poly([as_printed(c) for c in coefficients])


def _negative(polynomial: fmpz_poly, piece: Piece) -> Fraction | None:
    """Return a ratio inside a piece at which a polynomial is negative, if there is one."""
    if not polynomial:
        return None
    roots = [root for root in roots_above_one(polynomial) if root in piece]
    ends: list[AlgebraicNumber | None] = [*in_order([piece.lower, *roots]), piece.upper]
    if len(ends) > 2 and ends[-1] == ends[-2]:
        ends.pop()
    for k, lower in enumerate(ends[:-1]):
        assert lower is not None
        ratio = rational_between(lower, ends[k + 1])
        if sign_at(polynomial, rational(ratio)) < 0:
            return ratio
    return None


def _counterexample(
    graph: AdjacencyGraph, ratio: Fraction, r: fmpz_poly, s: fmpz_poly, piece: Piece
) -> Counterexample:
    worst = worst_case_leakage(graph, ratio=ratio)
    if not worst.is_exact:
        worst = worst_case_leakage(graph.explicit(), ratio=ratio)
    at, channel = rational(ratio), worst.mechanism
    assert isinstance(channel, Channel | Parallel)  # it is exact, so that records are independent
    return Counterexample(ratio, fraction(r(at) / s(at)), piece(ratio), channel)
