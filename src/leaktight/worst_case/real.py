"""The worst case about real values, in closed form.

On [0, L] the measure w = ½δ_0 + ½δ_L + (ε/2)dx has ∫e^(−ε|x−y|)w(dy) = 1 for every x. It is a
cover, so V ≤ 1 + εL/2; and e^(−ε|x−z|)w(dz), Laplace's noise clamped to the interval, is private
and attains it. Boxes multiply. On a circle w is uniform. Where edges of a tree meet, the
weighting is negative, and prices prove another formula. See docs/proofs/real-values.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import prod
from typing import TypeAlias

from flint import arb, fmpq

from leaktight.errors import InvalidPolicy, Undecided
from leaktight.exact.bound import Factor
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import precision
from leaktight.policies.real import Box, Circle, Interval, RealPolicy, Tree

BITS = 128
"""The precision of a closed form."""


@dataclass(frozen=True, slots=True, repr=False)
class RealWorstCase(Factor):
    """The largest ∫ sup_x K(dz|x) over all private channels, between two rationals.

    They are equal where the closed form is rational, as 1 + εL/2 is for a rational ε. ``lower`` is
    attained, or approached, by private channels, and none exceeds ``upper``.
    """

    formula: str
    policy: RealPolicy

    def __str__(self) -> str:
        return self.said(self.formula)


def real_worst_case(
    policy: RealPolicy, ratio: RatioLike = None, epsilon: Number | None = None
) -> RealWorstCase:
    """Return the worst case of real values; ``worst_case_leakage`` comes here for them.

    >>> real_worst_case(Interval(0, 100), epsilon="0.1")
    RealWorstCase(exactly 6 = 1 + εL/2, 2.58497 bits)
    """
    formula, low, high = _closed_form(policy, _epsilon(ratio, epsilon))
    return RealWorstCase(low, high, formula, policy)


ClosedForm: TypeAlias = tuple[str, Fraction, Fraction]
"""A formula, and its values at both ends of ε."""


@singledispatch
def _closed_form(policy: RealPolicy, ends: tuple[fmpq, fmpq]) -> ClosedForm:
    raise InvalidPolicy(f"no closed form is known for {policy!r:.60}; a .grid of it is a metric")


@_closed_form.register
def _of_interval(interval: Interval, ends: tuple[fmpq, fmpq]) -> ClosedForm:
    low, high = (fraction(1 + end * rational(interval.length) / 2) for end in ends)
    return "1 + εL/2", low, high


@_closed_form.register
def _of_circle(circle: Circle, ends: tuple[fmpq, fmpq]) -> ClosedForm:
    half = rational(circle.circumference) / 2
    return _enclosed("εc/(2(1 − e^(−εc/2)))", lambda e: e * half / -(-e * half).expm1(), ends)


@_closed_form.register
def _of_tree(tree: Tree, ends: tuple[fmpq, fmpq]) -> ClosedForm:
    value = _on_tree(tree, ends[0]) if ends[1] else arb.exp
    return _enclosed("the closed form of trees", value, ends)


def _enclosed(formula: str, value: Callable[[arb], arb], ends: tuple[fmpq, fmpq]) -> ClosedForm:
    with precision(BITS):
        balls = [value(arb(end)) if end else arb(1) for end in ends]
        return formula, fraction(balls[0].lower().fmpq()), fraction(balls[1].upper().fmpq())


@_closed_form.register
def _of_box(box: Box, ends: tuple[fmpq, fmpq]) -> ClosedForm:
    """Multiply the worst cases of the sides; only one may be proved by prices, the others cover."""
    sides = [_closed_form(side, ends) for side in box.real]
    priced = sum(isinstance(side, Tree) for side in box.real) + (box.finite is not None)
    if priced > 1 and ends[1]:
        raise Undecided(
            "worst cases multiply where all sides but one have covers, as intervals and circles "
            f"do; got {priced} others in {box!r:.80}. A grid of it is a metric, which is settled"
        )
    factors = [f"Π({each})" for each in dict.fromkeys(formula for formula, *_ in sides)]
    return (
        "·".join(factors + ["V"] * (box.finite is not None)),
        prod((low for _, low, _ in sides), start=Fraction(1)),
        prod((high for *_, high in sides), start=Fraction(1)),
    )


def _epsilon(ratio: RatioLike, epsilon: Number | None) -> tuple[fmpq, fmpq]:
    """Return rationals below and above ε: itself if it is written as a number."""
    asked = Ratio.of(ratio, epsilon)
    try:
        exact = as_printed(epsilon)
        return exact, exact
    except ValueError:  # ln 2, or a ratio
        with precision(BITS):
            low, high = (arb(rational(end) - 1).log1p() for end in (asked.lower, asked.upper))
            return low.lower().fmpq(), high.upper().fmpq()


def _on_tree(tree: Tree, epsilon: fmpq) -> Callable[[arb], arb]:
    """Return the formula that holds: of a star with short legs, or of edges long enough."""
    graph, lengths = tree.metric.graph, tree.metric.lower
    degrees, leg = graph.degrees, lengths[0]
    if tree.metric.unit is not None and degrees.max() == graph.size > 2:
        legs = graph.size
        if _sign(lambda: arb(epsilon) * leg - _log_half(legs)) < 0:
            return lambda e: (e * leg).exp()
    else:
        for (i, j), length in zip(graph.edges.tolist(), lengths, strict=True):
            ends = [k for k in (int(degrees[i]), int(degrees[j])) if k > 2]
            if _sign(lambda: arb(epsilon) * length - sum(map(_log_half, ends), arb(0))) <= 0:  # noqa: B023
                raise Undecided(
                    "the worst case is known where ε times each edge is at least Σ ln(k/2) over "
                    f"its ends where k edges meet; the edge from {graph.vertices[i]!r} to "
                    f"{graph.vertices[j]!r} is shorter. A grid of it is a metric, which is settled"
                )
    total = rational(tree.length)
    return lambda e: (
        1 + e * total / 2 - sum((times * _bend(k) for k, times in tree.branches.items()), arb(0))
    )


def _log_half(k: int) -> arb:
    return arb(fmpq(k, 2)).log()


def _bend(k: int) -> arb:
    """Return φ(k) = (k/2)·ln(k/2) − k/2 + 1: what a point is short of where k edges meet."""
    half = fmpq(k, 2)
    return arb(half) * _log_half(k) - arb(half - 1)


def _sign(ball: Callable[[], arb]) -> int:
    """Return −1 where a number is surely below 0, 1 above, and 0 if 128 bits do not tell."""
    with precision(BITS):
        value = ball()
        return 1 if value > 0 else -1 if value < 0 else 0
