"""Decisions about a formula: a bound at every ε, the worst case itself, what some channel leaks.

Theorem 6 of [Barthe2011]_ says that two questions about a rational function r(λ)/s(λ) of λ = e^ε
are decidable for the cube {0, 1}^n, by formulas over the reals with (2^n)^m cases: whether it
bounds what every private channel leaks, and whether at every λ some private channel leaks just as
much. Here the worst case V is known as a function of λ for any graph, so that signs of polynomials
in one variable decide: the first holds iff r/s ≥ V, the second iff 1 ≤ r/s ≤ V. Their formula for
the second accepts any entries of a channel, not only the largest of each column, and so
2/(1 + λ) < 1 for n = 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq_poly, fmpz_poly

from leaktight.channels.all_or_nothing import NO_ANSWER
from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.errors import InvalidInput, InvalidNumber, expect_list
from leaktight.exact.algebraic import (
    AlgebraicNumber,
    in_order,
    rational_between,
    roots_above_one,
    sign_at,
)
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.ratio import Ratio
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
class Unreached(Told):
    """A ratio at which no private channel leaks what a formula says: it is below 1, or too much."""

    ratio: Fraction
    claimed: Fraction
    most: Fraction
    """The worst case at this ratio."""

    def __str__(self) -> str:
        ratio, claimed = shown(self.ratio), shown(self.claimed)
        between = f"Σ max from 1 to {shown(self.most)}"
        return f"at the ratio {ratio} private channels have {between}, and not {claimed}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundDecision(Told):
    """What r(λ)/s(λ) is to the private channels of a graph, for all λ ≥ 1 at once.

    ``is_bound``: no private channel leaks more, at any λ; otherwise there is a ``counterexample``.
    ``is_reached``: at every λ some private channel leaks just as much, and :meth:`channel` shows
    it; otherwise ``unreached`` says where none does. ``is_tight``: both, so that it is the worst
    case.
    A decision is true in an ``if`` if it is a bound.
    """

    graph: AdjacencyGraph
    numerator: fmpz_poly
    denominator: fmpz_poly
    function: WorstCaseFunction
    counterexample: Counterexample | None
    unreached: Unreached | None

    @property
    def is_bound(self) -> bool:
        """Whether no private channel leaks more, at any ratio: question 1 of Theorem 6."""
        return self.counterexample is None

    @property
    def is_reached(self) -> bool:
        """Whether some private channel leaks just as much, at every ratio: question 2."""
        return self.unreached is None

    @property
    def is_tight(self) -> bool:
        """Whether it is the worst case, at every ratio."""
        return self.is_bound and self.is_reached

    def __bool__(self) -> bool:
        return self.is_bound

    def unreached_at(self, ratio: Number) -> Unreached | None:
        """Say why no private channel has Σ max = r(λ)/s(λ) at one ratio; None if one has.

        >>> from leaktight.policies.graph import Graph
        >>> print(decide_bound(Graph(2, [(0, 1)]), [2], [1, 1]).unreached_at(2))
        at the ratio 2 private channels have Σ max from 1 to 4/3, and not 2/3
        """
        at = Ratio.of(ratio).lower
        claimed, most = _value(self.numerator, self.denominator, at), self.function(at)
        return None if 1 <= claimed <= most else Unreached(at, claimed, most)

    def channel(self, ratio: Number) -> Channel:
        """Return a private channel with Σ_z max_x K(z|x) = r(λ)/s(λ) at one ratio.

        It is a mechanism that leaks most, used with a chance of t = (r/s − 1)/(V − 1), and one
        output more for when it is not used.

        >>> from leaktight.policies.graph import Graph
        >>> decision = decide_bound(Graph(["no", "yes"], [("no", "yes")]), [1, 3], [2, 2])
        >>> print(decision.channel(2))
        exact channel, 2 inputs × 3 outputs
              no  yes  no answer
         no  1/3  1/6        1/2
        yes  1/6  1/3        1/2
        """
        if (unreached := self.unreached_at(ratio)) is not None:
            raise InvalidInput(f"no private channel: {unreached}")
        at = Ratio.of(ratio).lower
        claimed, most = _value(self.numerator, self.denominator, at), self.function(at)
        worst = _optimal_channel(self.graph, at)
        best = worst if isinstance(worst, Channel) else worst.expand()
        used = rational(Fraction(0) if most == 1 else (claimed - 1) / (most - 1))
        nothing = np.full((len(best.inputs), 1), 1 - used, dtype=object)
        matrix = np.hstack([best.matrix * used, nothing])
        return Channel(matrix, best.inputs, (*best.outputs, NO_ANSWER))

    def __str__(self) -> str:
        if self.is_tight:
            return "a tight bound: the worst case at every ratio"
        bound = "a bound" if self.counterexample is None else f"not a bound: {self.counterexample}"
        reached = (
            "reached by some private channel at every ratio"
            if self.unreached is None
            else f"not reached: {self.unreached}"
        )
        return f"{bound}\n{reached}"


def decide_bound(
    neighbours: Neighbours, numerator: Iterable[Number], denominator: Iterable[Number]
) -> BoundDecision:
    """Decide for all λ ≥ 1 whether r(λ)/s(λ) bounds, or equals, what private channels leak.

    :param neighbours: a graph or a policy.
    :param numerator: the coefficients of r, the constant one first. A float stands for the decimal
        number it prints as.
    :param denominator: those of s, which must be positive for λ ≥ 1, or InvalidInput is raised.

    For two databases 2λ/(1 + λ) is the worst case; 2/(1 + λ) is below 1; (1 + 3λ)/(2 + 2λ) is no
    bound, but some mechanism leaks as much at every ratio.

    >>> from leaktight.policies.graph import Graph
    >>> bit = Graph(["no", "yes"], [("no", "yes")])
    >>> print(decide_bound(bit, [0, 2], [1, 1]))
    a tight bound: the worst case at every ratio
    >>> print(decide_bound(bit, [2], [1, 1]))
    not a bound: at the ratio 2 a private channel has 4/3, more than 2/3
    not reached: at the ratio 2 private channels have Σ max from 1 to 4/3, and not 2/3
    >>> print(decide_bound(bit, [1, 3], [2, 2]))
    not a bound: at the ratio 2 a private channel has 4/3, more than 7/6
    reached by some private channel at every ratio
    """
    above, below = _polynomial(numerator, "numerator"), _polynomial(denominator, "denominator")
    r, s = above.numer() * below.denom(), below.numer() * above.denom()
    if not s(1) > 0 or roots_above_one(s):
        raise InvalidInput(
            f"the denominator must be positive at every ratio from 1 on, got {s.coeffs() or [0]}"
        )
    graph = adjacency_of(neighbours)
    function = worst_case_function(graph)
    exceeded = _first_negative((r * p.denominator - s * p.numerator, p) for p in function.pieces)
    missed = _first_negative((r - s, p) for p in function.pieces)
    if missed is None:
        missed = _first_negative((s * p.numerator - r * p.denominator, p) for p in function.pieces)
    return BoundDecision(
        graph,
        r,
        s,
        function,
        None if exceeded is None else _counterexample(graph, exceeded, r, s, function),
        None if missed is None else Unreached(missed, _value(r, s, missed), function(missed)),
    )


def _polynomial(coefficients: Iterable[Number], name: str) -> fmpq_poly:
    must = f"the {name} must be a list of coefficients, the constant one first"
    return fmpq_poly([as_printed(c) for c in expect_list(coefficients, must, InvalidNumber)])


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


def _first_negative(polynomials: Iterable[tuple[fmpz_poly, Piece]]) -> Fraction | None:
    """Return a ratio at which one of the polynomials is negative, each on its piece."""
    found = (_negative(polynomial, piece) for polynomial, piece in polynomials)
    return next((ratio for ratio in found if ratio is not None), None)


def _value(r: fmpz_poly, s: fmpz_poly, ratio: Fraction) -> Fraction:
    return fraction(r(rational(ratio)) / s(rational(ratio)))


def _counterexample(
    graph: AdjacencyGraph, ratio: Fraction, r: fmpz_poly, s: fmpz_poly, function: WorstCaseFunction
) -> Counterexample:
    channel = _optimal_channel(graph, ratio)
    return Counterexample(ratio, _value(r, s, ratio), function(ratio), channel)


def _optimal_channel(graph: AdjacencyGraph, ratio: Fraction) -> Channel | Parallel:
    """Return a private channel that leaks most at a ratio, exactly."""
    worst = worst_case_leakage(graph, ratio=ratio)
    if not worst.is_exact:
        worst = worst_case_leakage(graph.explicit(), ratio=ratio)
    channel = worst.mechanism
    assert isinstance(channel, Channel | Parallel)  # it is exact, so that records are independent
    return channel
