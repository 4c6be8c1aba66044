"""How much could any private mechanism leak about real values? In closed form.

On [0, L] the measure w = ½δ_0 + ½δ_L + (ε/2)dx has ∫e^(−ε|x−y|)w(dy) = 1 for every x. It is a
cover, so V ≤ 1 + εL/2; and e^(−ε|x−z|)w(dz), Laplace's noise clamped to the interval, is private
and attains it. Boxes multiply. On a circle w is uniform. Where edges of a tree meet, the
weighting is negative, and prices prove another formula. See docs/proofs/real-values.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from leaktight.errors import Undecided
from leaktight.exact.bits import InBits
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import log2_interval, precision
from leaktight.exact.shown import above, shown
from leaktight.policies.real import Box, Circle, Interval, RealPolicy, Tree

BITS = 128
"""The precision of a closed form."""


@dataclass(frozen=True, slots=True, repr=False)
class RealWorstCase(InBits):
    """The largest ∫ sup_x K(dz|x) over all private channels, between two rationals.

    They are equal where the closed form is rational, as 1 + εL/2 is for a rational ε. ``lower`` is
    attained, or approached, by private channels, and none exceeds ``upper``.
    """

    policy: RealPolicy
    lower: Fraction
    upper: Fraction
    formula: str

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the worst case itself."""
        return self.lower == self.upper

    @property
    def bits_interval(self) -> tuple[float, float]:
        """Both ends in bits, rounded outward."""
        return log2_interval(self.lower)[0], log2_interval(self.upper)[1]

    def __repr__(self) -> str:
        how = "exactly " if self.is_exact else ""
        value = shown(self.upper)
        return f"RealWorstCase({how}{value} = {self.formula}, {above(self.bits)} bits)"


def real_worst_case(
    policy: RealPolicy, ratio: RatioLike = None, epsilon: Number | None = None
) -> RealWorstCase:
    """Return the worst case of real values; ``worst_case_leakage`` comes here for them.

    >>> real_worst_case(Interval(0, 100), epsilon="0.1")
    RealWorstCase(exactly 6 = 1 + εL/2, 2.58497 bits)
    """
    ends, formula = _epsilon(ratio, epsilon), _formula(policy)
    if ends[0] == 0:
        return RealWorstCase(policy, Fraction(1), Fraction(1), formula)
    if isinstance(policy, Interval | Box):
        sides = (policy,) if isinstance(policy, Interval) else policy.sides
        low, high = (fmpq(1), fmpq(1))
        for side in sides:
            half = rational(side.length) / 2
            low, high = low * (1 + ends[0] * half), high * (1 + ends[1] * half)
        return RealWorstCase(policy, fraction(low), fraction(high), formula)
    value = _on_circle(policy) if isinstance(policy, Circle) else _on_tree(policy, ends[0])
    with precision(BITS):
        balls = [value(arb(end)) for end in ends]
        low, high = balls[0].lower().fmpq(), balls[1].upper().fmpq()
    return RealWorstCase(policy, fraction(low), fraction(high), formula)


def _epsilon(ratio: RatioLike, epsilon: Number | None) -> tuple[fmpq, fmpq]:
    """Return rationals below and above ε: itself if it is written as a number."""
    asked = Ratio.of(ratio, epsilon)
    try:
        exact = as_printed(epsilon)
        return exact, exact
    except ValueError:  # ln 2, or a ratio
        with precision(BITS):
            ends = (arb(rational(end)).log() for end in (asked.lower, asked.upper))
            low, high = ends
            return max(low.lower().fmpq(), fmpq(0)), high.upper().fmpq()


def _formula(policy: RealPolicy) -> str:
    if isinstance(policy, Interval):
        return "1 + εL/2"
    if isinstance(policy, Box):
        return "Π(1 + εL/2)"
    return "εc/(2(1 − e^(−εc/2)))" if isinstance(policy, Circle) else "the closed form of trees"


def _on_circle(circle: Circle) -> Callable[[arb], arb]:
    half = rational(circle.circumference) / 2
    return lambda e: e * half / -(-e * half).expm1()


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
