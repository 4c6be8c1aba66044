"""The privacy profile δ(λ): how likely an output is more telling than ε allows.

A channel is (ε, δ)-private if K(S|x) ≤ λ·K(S|x′) + δ for all neighbours x ~ x′ and all sets S of
outputs. The least δ at λ = e^ε is the largest Σ_z max(0, K(z|x) − λ·K(z|x′)) [Balle2018]_: the
largest A − λB over the sets S with the chances A for x and B for x′. Only the corners of the convex
hull of these points matter, so the whole function is a few numbers. See ``docs/proofs/profile.md``.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber, TooLarge, is_whole
from leaktight.exact.bound import Bits, Chance
from leaktight.exact.hull import is_below, rising_hull
from leaktight.exact.numbers import Array, Number, exact_array, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import outward
from leaktight.limits import allowed
from leaktight.policies.neighbours import Neighbours
from leaktight.privacy.level import databases_of, rows_on
from leaktight.privacy.loss_grid import Corner
from leaktight.privacy.losses import Losses

Hull: TypeAlias = tuple[tuple[Corner, int], ...]
"""Corners from the left, each with the place of its pair of neighbours."""

MOST_ENTRIES = 2**21
"""The most neighbours times outputs that are compared; more takes many seconds."""


@dataclass(frozen=True, slots=True, repr=False)
class Delta(Chance[Fraction]):
    """The least δ at a ratio, and for which neighbours it is.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> privacy_profile(coin, SecretGraph.complete(2)).delta(ratio="3/2")
    Delta(δ = 1/6: 0 against 1)
    """

    witness: tuple[Hashable, Hashable] | None
    """The input whose outputs are likelier, and its neighbour; None if δ is 0."""

    def __str__(self) -> str:
        where = "" if self.witness is None else ": {!r} against {!r}".format(*self.witness)
        return f"δ {self.compared}{where}"


@dataclass(frozen=True, slots=True, repr=False)
class Divergence(Bits):
    """The largest Rényi divergence between neighbours, in bits; ``nats`` is what others use."""

    order: Fraction
    witness: tuple[Hashable, Hashable] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrivacyProfile:
    """How private a channel is at every ratio, after some looks at the same secret.

    ``corners`` are the chances of sets of outputs for a neighbour and for an input, as far as they
    matter; between them lies the trade-off between false positives and true positives.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> three = privacy_profile(coin, SecretGraph.complete(2), observations=3)
    >>> [str(three.delta(ratio=r).upper) for r in (1, 2, 4, 8)]
    ['13/27', '2/9', '4/27', '0']
    """

    pairs: tuple[tuple[Hashable, Hashable, Losses], ...]
    """Neighbours that are told apart best, somewhere, by one look."""
    observations: int
    lower: Hull
    upper: Hull
    """The same as the lower ones if they are exact."""

    def __repr__(self) -> str:
        looks = f" after {self.observations:,} looks" * (self.observations > 1)
        half = self.delta(ratio=1).compared
        return f"PrivacyProfile(δ(1) {half}{looks}; {len(self.upper)} corners)"

    @property
    def is_exact(self) -> bool:
        """Whether δ is exact at every ratio."""
        return self.lower is self.upper

    @property
    def trade_off(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The corners (false positive rate, false negative rate) below which no test of two gets.

        By Neyman and Pearson the best tests are those between them; the other corners of the
        polygon are (0, 1) and (1, 0).

        >>> from leaktight.policies.secrets import SecretGraph
        >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
        >>> [(str(a), str(b)) for a, b in privacy_profile(coin, SecretGraph.complete(2)).trade_off]
        [('0', '1'), ('1/3', '1/3'), ('1', '0')]
        """
        return tuple((fraction(b), fraction(1 - min(a, fmpq(1)))) for (b, a), _ in self.upper)

    def delta(self, ratio: RatioLike = None, epsilon: Number | None = None) -> Delta:
        """Return the least δ for which the channel is (ε, δ)-private.

        Where λ = e^ε is not rational, both ends are rounded outward.
        """
        asked = Ratio.of(ratio, epsilon)
        least, _ = _most(self.lower, rational(asked.upper))
        most, at = _most(self.upper, rational(asked.lower))
        witness = None if most == 0 else self.pairs[at][:2]
        least, most = min(least, fmpq(1)), min(most, fmpq(1))  # rows of floats may sum to more
        return Delta(fraction(least), fraction(most), witness)

    def divergence(self, order: Number) -> Divergence:
        """Return the largest Rényi divergence of an order above 1 between neighbours.

        That of n looks is n times that of one.

        >>> from leaktight.policies.secrets import SecretGraph
        >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
        >>> round(privacy_profile(coin, SecretGraph.complete(2)).divergence(2).nats, 6)
        0.405465
        """
        alpha = rational(order)
        if alpha <= 1:
            raise InvalidNumber(f"the order must be above 1, got {order}")
        best = Divergence(0.0, 0.0, fraction(alpha), None)
        for x, y, losses in self.pairs:
            low, high = _divergence(losses, alpha, self.observations)
            if high > best.upper:
                best = Divergence(max(low, best.lower), high, best.order, (x, y))
        return best


def privacy_profile(
    channel: Channel, neighbours: Neighbours, observations: int = 1
) -> PrivacyProfile:
    """Return the least δ at every ratio, after independent looks at the same secret.

    Exact for one look; for several if their ratios can be told apart, as those of randomised
    response, of geometric noise and of whatever has few outputs; otherwise δ is enclosed.
    Floats count as the exact numbers that they are.
    """
    if not is_whole(observations, 1):
        raise InvalidNumber(f"observations must be a whole number from 1, got {observations!r}")
    graph = databases_of(channel, neighbours)
    arcs = np.array(graph.arcs)
    matrix = rows_on(channel, graph)
    arcs = arcs[_distinct(matrix, arcs)]
    if len(arcs) * matrix.shape[1] > allowed(MOST_ENTRIES):
        raise TooLarge(
            f"a profile compares at most {allowed(MOST_ENTRIES):,} entries of neighbours, got "
            f"{len(arcs) * matrix.shape[1]:,}; channel.restrict(…) takes some inputs"
        )
    rows = [exact_array(row) for row in matrix]
    found = {Losses.of(rows[i], rows[h]): (int(i), int(h)) for i, h in arcs[::-1]}
    names = graph.vertices
    pairs = [(names[i], names[h], losses) for losses, (i, h) in reversed(found.items())]
    if observations > 1:
        pairs = _undominated(pairs)
    curves = [losses.corners(observations) for _, _, losses in pairs]
    lower, upper = (_hull(curve[side] for curve in curves) for side in (0, 1))
    if all(below is above for below, above in curves):
        lower = upper
    return PrivacyProfile(tuple(pairs), observations, lower, upper)


def _distinct(matrix: Array, arcs: Array) -> Array:
    """Return the places of arcs so that each has other pairs of entries, in any order."""
    names: dict[object, int] = {}
    codes = np.empty(matrix.shape, dtype=np.int64)
    for at, value in np.ndenumerate(matrix):
        codes[at] = names.setdefault(value, len(names))
    entries = np.sort(codes[arcs[:, 0]] * len(names) + codes[arcs[:, 1]], axis=1)
    return np.sort(np.unique(entries, axis=0, return_index=True)[1])


def _undominated(
    pairs: list[tuple[Hashable, Hashable, Losses]],
) -> list[tuple[Hashable, Hashable, Losses]]:
    """Return the pairs that no other one tells apart at least as well by every test.

    If δ of one look is at most another's for all λ ≥ 0, it is so after any number of looks, too:
    section 2 of docs/proofs/profile.md, for rows that need not sum to 1.
    """
    curves = [_hull([losses.corners()[1]]) for _, _, losses in pairs]
    kept = list[int]()
    for i, curve in sorted(enumerate(curves), key=lambda each: -_most(each[1], fmpq(1))[0]):
        if not any(_is_above(curves[k], curve) for k in kept):
            kept.append(i)
    return [pairs[i] for i in sorted(kept)]


def _is_above(one: Hull, other: Hull) -> bool:
    """Say whether no corner of the other hull is above the first."""
    places = [corner[0] for corner, _ in one]
    for (b, a), _ in other:
        at = bisect_right(places, b)
        left = one[at - 1][0]
        if at == len(one):
            if a > left[1]:
                return False
        elif not is_below(left, (b, a), one[at][0]):
            return False
    return True


def _divergence(losses: Losses, order: fmpq, looks: int) -> tuple[float, float]:
    """Return floats below and above n·log2(Σ P^α·Q^(1−α))/(α − 1)."""
    if losses.certain > 0:
        return math.inf, math.inf

    def ball() -> arb:
        mean = sum((p * arb(r) ** arb(order - 1) for r, (p, _) in losses.ratios.items()), arb(0))
        return looks * mean.log_base(2) / (order - 1)

    low, high = outward(ball)
    return max(low, 0.0), max(high, 0.0)


def _most(corners: Hull, ratio: fmpq) -> tuple[fmpq, int]:
    """Return the largest A − λB, to which it rises from the left, and the place of its pair."""

    def rises_no_more(i: int) -> bool:
        (b, a), (d, c) = corners[i][0], corners[i + 1][0]
        return bool(c - a <= ratio * (d - b))

    (b, a), at = corners[bisect_left(range(len(corners) - 1), True, key=rises_no_more)]
    return a - ratio * b, at


def _hull(curves: Iterable[list[Corner]]) -> Hull:
    """Return the corners, from the left, of the least concave function above all curves."""
    points = [((fmpq(0), fmpq(0)), 0)]
    points += [(corner, at) for at, curve in enumerate(curves) for corner in curve]
    return tuple(points[i] for i in rising_hull([corner for corner, _ in points]))
