"""Privacy curves: what a promise of any kind leaves to whoever tells two neighbours apart.

A promise is that no event S has a chance of more than g(a) for one neighbour if it has the chance a
for the other: K(S|x) ≤ g(K(S|x′)). The trade-off function of [Dong2022]_ is f = 1 − g, and the
same is said by its profile δ(λ) = max g(a) − λ·a: (ε, δ(e^ε))-privacy for all ε. Pure ε, (ε, δ),
Gaussian noise, ρ-zCDP and Rényi privacy are such curves, or imply one.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.curves.polygon import ONE, ZERO, Corner, Polygon
from leaktight.curves.renyi import Concentrated, Orders, Renyi
from leaktight.curves.shapes import (
    WORK,
    BoundedRange,
    Enclosed,
    Gaussian,
    Laplace,
    Sampled,
    Shape,
    ends,
)
from leaktight.errors import InvalidInput, InvalidNumber, TooLarge, expect, expect_whole
from leaktight.exact.bound import Chance, Epsilon
from leaktight.exact.numbers import Number, as_printed, fraction, rational, to_float
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import ln_interval, precision
from leaktight.exact.shown import Told, shown
from leaktight.limits import allowed

if TYPE_CHECKING:
    from leaktight.policies.neighbours import Neighbours

LINES = 256
"""With how many lines and points a smooth curve is drawn where a polygon is needed."""

LARGEST_LOSS = 700.0
"""The largest ε that is looked for where δ is given; e to it is a float."""


@dataclass(frozen=True, repr=False)
class PrivacyCurve(Told):
    """A promise of any kind as the function g = 1 − f, and as the profile δ(ε).

    >>> census = PrivacyCurve.zcdp("2.63")
    >>> print(f"{float(census.advantage.lower):.6f}, {float(census.advantage.upper):.6f}")
    0.898378, 0.898378
    >>> pure = PrivacyCurve.epsilon(ratio=3)
    >>> pure.beta("1/10"), pure.advantage, pure.power(2).advantage
    (Chance(7/10), Chance(1/2), Chance(1/2))

    Every number is exact where the curve is a polygon of rationals, and enclosed elsewhere.
    """

    shape: Shape
    says: str = field(compare=False)
    """The promise in words, such as "ε = 1" or "μ = 1 (Gaussian)"."""

    def __str__(self) -> str:
        return self.says

    # --- promises --------------------------------------------------------------------------

    @classmethod
    def epsilon(cls, epsilon: Number | None = None, *, ratio: RatioLike = None) -> "PrivacyCurve":
        """Pure ε-differential privacy.

        >>> PrivacyCurve.epsilon("ln 2").delta(0)
        Chance(1/3)
        """
        return cls.epsilon_delta(epsilon, 0, ratio=ratio)

    @classmethod
    def epsilon_delta(
        cls, epsilon: Number | None = None, delta: Number = 0, *, ratio: RatioLike = None
    ) -> "PrivacyCurve":
        """(ε, δ)-differential privacy, by ``epsilon`` or ``ratio``.

        >>> PrivacyCurve.epsilon_delta("ln 3", "1e-6").delta("ln 3")
        Chance(1/1000000)
        """
        return cls.pairs([(Ratio.of(ratio, epsilon), delta)])

    @classmethod
    def pairs(cls, pairs: Iterable[tuple[Number | Ratio, Number]]) -> "PrivacyCurve":
        """(ε, δ) for each of several pairs at once; for ε, a :class:`Ratio` may stand.

        >>> PrivacyCurve.pairs([(1, 0), ("0.5", "0.1")]).advantage.upper < Fraction(2, 5)
        True
        """
        read = list[tuple[Ratio, fmpq]]()
        for epsilon, delta in pairs:
            ratio = epsilon if isinstance(epsilon, Ratio) else Ratio.of(epsilon=epsilon)
            read.append((ratio, _chance(delta, "δ")))
        if not read:
            raise InvalidInput("a promise needs at least one pair (ε, δ), got none")
        said = "; ".join(_pair_said(ratio, delta) for ratio, delta in read)
        low = Polygon.of_pairs((rational(ratio.lower), delta) for ratio, delta in read)
        high = Polygon.of_pairs((rational(ratio.upper), delta) for ratio, delta in read)
        return cls(_enclosed(low, high), said)

    @classmethod
    def gaussian(cls, mu: Number) -> "PrivacyCurve":
        """μ-Gaussian privacy: normal noise of standard deviation sensitivity/μ.

        >>> float(PrivacyCurve.gaussian(1).advantage)
        0.38292492254802624
        """
        shift = _amount(mu, "μ")
        return cls(Gaussian(shift**2), f"μ = {_short(shift)} (Gaussian)")._unless(shift == 0)

    @classmethod
    def zcdp(cls, rho: Number) -> "PrivacyCurve":
        """ρ-zero-concentrated privacy, by the best curve that follows from it."""
        amount = _amount(rho, "ρ")
        return cls(Concentrated(amount), f"ρ = {_short(amount)} (zCDP)")._unless(amount == 0)

    @classmethod
    def renyi(cls, bounds: Mapping[Any, Any]) -> "PrivacyCurve":
        """Rényi privacy: a bound in nats for each of some orders above 1.

        >>> PrivacyCurve.renyi({2: "0.5", 10: 3}).delta(epsilon=2).upper < Fraction(1, 20)
        True
        """
        read = list[tuple[fmpq, fmpq]]()
        for order, bound in expect(bounds, Mapping, "write {order: bound}").items():
            if (alpha := as_printed(order)) <= 1:
                raise InvalidNumber(f"an order must be above 1, got {order}")
            read.append((alpha, _amount(bound, f"the bound at order {order}")))
        if not read:
            raise InvalidInput("Rényi privacy needs a bound for at least one order, got none")
        said = ", ".join(f"D_{shown(a)} ≤ {shown(bound)}" for a, bound in sorted(read))
        none = any(bound == 0 for _, bound in read)
        return cls(Renyi(tuple(sorted(read))), f"{said} (Rényi)")._unless(none)

    @classmethod
    def laplace(cls, epsilon: Number | None = None, *, ratio: RatioLike = None) -> "PrivacyCurve":
        """Laplace noise of scale sensitivity/ε.

        >>> PrivacyCurve.laplace(ratio=4).advantage
        Chance(1/2)
        """
        asked = Ratio.of(ratio, epsilon)
        ends = rational(asked.lower), rational(asked.upper)
        return cls(Laplace(*ends), f"Laplace noise, {_ratio_said(asked)}")

    @classmethod
    def discrete_laplace(
        cls, epsilon: Number | None = None, sensitivity: int = 1, *, ratio: RatioLike = None
    ) -> "PrivacyCurve":
        """Geometric noise on whole numbers, of scale sensitivity/ε.

        For a sensitivity of 1 it is as telling as anything that is ε-private.

        >>> PrivacyCurve.discrete_laplace(ratio=4, sensitivity=2).advantage
        Chance(1/2)
        """
        steps = expect_whole(sensitivity, "the sensitivity")
        asked = Ratio.of(ratio, epsilon)
        said = f"geometric noise, {_ratio_said(asked)}"
        step = asked.over(Fraction(1, steps), Fraction(1, steps))
        low, high = rational(step.lower), rational(step.upper)
        if low == high:
            polygon = Polygon.around(_cumulated(1 / low, steps))
            return cls(Enclosed(polygon, polygon), said)
        with precision(WORK):
            share = (1 / arb(low)).union(1 / arb(high))
            corners = [(ends(a), ends(p)) for a, p in _cumulated(share, steps)]
        below = Polygon.around((a[1], p[0]) for a, p in corners)
        over = Polygon.around((a[0], p[1]) for a, p in corners)
        return cls(Enclosed(below, over), said)

    @classmethod
    def randomized_response(
        cls, values: int, epsilon: Number | None = None, *, ratio: RatioLike = None
    ) -> "PrivacyCurve":
        """Randomised response on some values: the truth is λ times as likely as each other one.

        >>> PrivacyCurve.randomized_response(4, ratio=3).advantage
        Chance(1/3)
        """
        count = expect_whole(values, "how many values there are")
        asked = Ratio.of(ratio, epsilon)
        low, high = (
            Polygon.around([(1 / (end + count - 1), end / (end + count - 1))] if count > 1 else [])
            for end in map(rational, (asked.lower, asked.upper))
        )
        return cls(
            _enclosed(low, high), f"randomised response on {count} values, {_ratio_said(asked)}"
        )

    @classmethod
    def bounded_range(
        cls, epsilon: Number | None = None, *, ratio: RatioLike = None
    ) -> "PrivacyCurve":
        """Losses in an interval of length ε, as the exponential mechanism exp(ε·u/2) has them.

        Strictly better than ε-privacy, unless ε is 0.

        >>> PrivacyCurve.bounded_range(ratio=4).advantage
        Chance(≤ 0.333334)
        """
        asked = Ratio.of(ratio, epsilon)
        bounds = rational(asked.lower), rational(asked.upper)
        return cls(BoundedRange(*bounds), f"bounded range, {_ratio_said(asked)}")

    @classmethod
    def of(cls, channel: Channel, neighbours: "Neighbours") -> "PrivacyCurve":
        """What a channel promises to neighbours, of whichever it protects least at each point.

        >>> from leaktight.policies.secrets import SecretGraph
        >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
        >>> PrivacyCurve.of(coin, SecretGraph.complete(2)) == PrivacyCurve.epsilon("ln 2")
        True
        """
        from leaktight.privacy.profile import privacy_profile

        found = privacy_profile(channel.exact(), neighbours)
        polygon = Polygon.around(corner for corner, _ in found.upper)
        return cls(Enclosed(polygon, polygon), "what the channel promises")

    @classmethod
    def from_points(cls, points: Iterable[tuple[Number, Number]]) -> "PrivacyCurve":
        """No test has a false negative rate β below the polygon at a false positive rate α.

        The polygon goes through the points (α, β), (0, 1) and (1, 0), in both orders of neighbours.

        >>> PrivacyCurve.from_points([("1/3", "1/3")]) == PrivacyCurve.epsilon("ln 2")
        True
        """
        corners = list[Corner]()
        for alpha, beta in points:
            a, b = _chance(alpha, "α"), _chance(beta, "β")
            if a + b > 1:
                raise InvalidNumber(f"a point must have α + β ≤ 1, got ({alpha}, {beta})")
            corners.append((a, 1 - b))
        one = Polygon.hull(corners)
        other = Polygon.hull((1 - p, 1 - a) for a, p in one.corners)
        polygon = one if one == other else one.meet(other)
        return cls(Enclosed(polygon, polygon), f"a polygon of {len(corners)} points")

    @classmethod
    def from_profile(
        cls, profile: Callable[[Any], Any], epsilons: Iterable[Number]
    ) -> "PrivacyCurve":
        """(ε, profile(ε)) for each of some ε, as an accountant's function says.

        What the function returns is the promise: it must not be less than the truth.

        >>> PrivacyCurve.from_profile(lambda e: "0.1", ["ln 2", 1]).delta("ln 2")
        Chance(1/10)
        """
        listed = list(epsilons)
        curve = cls.pairs((e, fraction(min(max(rational(profile(e)), ZERO), ONE))) for e in listed)
        return cls(curve.shape, f"a profile at {len(listed)} values of ε")

    def _unless(self, nothing: bool) -> "PrivacyCurve":
        """Return perfect privacy, which is a polygon, if nothing at all is learnt."""
        flat = Polygon.of_pairs([(ONE, ZERO)])
        return PrivacyCurve(Enclosed(flat, flat), self.says) if nothing else self

    # --- what it says ------------------------------------------------------------------------

    @property
    def is_symmetric(self) -> bool:
        """Whether both orders of two neighbours are bounded alike; not so after sampling."""
        return self.shape.is_symmetric

    @property
    def divergences(self) -> Orders | None:
        """The Rényi divergences that are promised: more than the curve that follows from them."""
        return self.shape.divergences

    @property
    def pair(self) -> Enclosed | None:
        """The polygons of (ε, δ) alone, of which it is known what it means at a distance."""
        both = self.shape.polygons
        return both if both and len(both.lower.pairs) == len(both.upper.pairs) == 1 else None

    def delta(self, epsilon: Number | None = None, *, ratio: RatioLike = None) -> Chance[Fraction]:
        """Return the least δ at ε that the promise implies, for both orders of neighbours."""
        asked = Ratio.of(ratio, epsilon)
        low = self.profile(rational(asked.upper))[0]
        high = self.profile(rational(asked.lower))[1]
        return Chance(fraction(min(low, ONE)), fraction(min(high, ONE)))

    def profile(self, ratio: fmpq) -> tuple[fmpq, fmpq]:
        """Return what encloses δ(λ) of both orders, for λ > 0."""
        low, high = self.shape.profile(ratio)
        if self.is_symmetric:
            return low, high
        back = [1 - ratio + ratio * end for end in self.shape.profile(1 / ratio)]
        return max(low, back[0]), max(high, back[1])

    def epsilon_at(self, delta: Number) -> Epsilon:
        """Return the least ε at which the promise implies δ.

        >>> PrivacyCurve.gaussian(1).epsilon_at("1e-6")
        Epsilon(ε ≤ 4.88656)
        """
        wanted = _chance(delta, "δ")
        if (both := self.shape.polygons) is not None:
            low, high = (
                _steepest(polygon, wanted, self.is_symmetric)
                for polygon in (both.lower, both.upper)
            )
            return Epsilon(_ln(low)[0], _ln(high)[1])
        if self._delta_at(0.0)[1] <= wanted:
            return Epsilon(0.0, 0.0)
        if (last := self._delta_at(LARGEST_LOSS))[1] > wanted:
            return Epsilon(LARGEST_LOSS if last[0] > wanted else 0.0, math.inf)
        near = self._proposed(wanted)
        steps = [near * 2.0**k for k in range(-44, 12, 4)]
        over = (near + step for step in steps if self._delta_above(near + step) <= wanted)
        under = (near - s for s in steps if s > near or self._delta_at(near - s)[0] > wanted)
        return Epsilon(max(next(under), 0.0), next(over))

    def _proposed(self, delta: fmpq) -> float:
        """Propose the ε at which the profile has δ > 0, or where it ends."""
        from scipy.optimize import brentq

        if self.divergences is not None and delta:
            return self.divergences.loss_at(to_float(delta))
        wanted = math.log(to_float(delta)) if delta else -LARGEST_LOSS

        def over(epsilon: float) -> float:
            found = to_float(self._delta_above(epsilon))
            return (math.log(found) if found > 0 else -LARGEST_LOSS) - wanted

        most = 1.0
        while most < LARGEST_LOSS and over(most) > 0:
            most *= 2
        return float(brentq(over, 0.0, min(most, LARGEST_LOSS), xtol=2.0**-45, rtol=2.0**-45))

    def _delta_above(self, epsilon: float) -> fmpq:
        asked = Ratio.of(epsilon=fraction(rational(epsilon)))
        return self.profile(rational(asked.lower))[1]

    def _delta_at(self, epsilon: float) -> tuple[fmpq, fmpq]:
        asked = Ratio.of(epsilon=fraction(rational(epsilon)))
        return self.profile(rational(asked.upper))[0], self.profile(rational(asked.lower))[1]

    def beta(self, alpha: Number) -> Chance[Fraction]:
        """Return f(α): the least false negative rate of tests with a false positive rate of α.

        Of a curve that is not symmetric it is that of the test whether somebody is present.
        """
        low, high = self.shape.detection(_chance(alpha, "α"))
        return Chance(fraction(1 - high), fraction(1 - low), side="lower")

    @property
    def advantage(self) -> Chance[Fraction]:
        """δ at ε = 0: how much more often than not a test of two neighbours is right, at most."""
        return self.delta(ratio=1)

    def polygons(self, lines: int = LINES) -> Enclosed:
        """Return polygons that enclose the curve; exact ones are the curve itself."""
        return _drawn(self.shape, expect_whole(lines, "the number of lines"))

    # --- what follows from it ----------------------------------------------------------------

    def group(self, size: int) -> "PrivacyCurve":
        """The promise for neighbours that differ in so many steps, which is the best possible.

        >>> PrivacyCurve.epsilon(ratio=2).group(2).delta(ratio=1)
        Chance(1/2)
        """
        steps = expect_whole(size, "the size of a group")
        if steps == 1:
            return self
        said = f"{self.says}, for {steps} steps"
        if (grouped := self.shape.grouped(steps)) is not None:
            return PrivacyCurve(grouped, said)
        whole = drawn = self.polygons()
        for _ in range(steps - 1):
            exact = whole.is_exact and drawn.is_exact
            upper = whole.upper.after(drawn.upper)
            if len(upper.corners) > allowed(MOST_CORNERS):
                raise TooLarge(
                    f"a group of {steps} has a polygon of more than {allowed(MOST_CORNERS):,} "
                    "corners; take polygons(lines=…) of fewer lines, or a smaller group"
                )
            whole = Enclosed(upper if exact else whole.lower.after(drawn.lower), upper)
        return PrivacyCurve(whole, said)

    def subsampled(self, rate: Number) -> "PrivacyCurve":
        """The promise if each person takes part with the chance q only (Poisson), add/remove.

        >>> sampled = PrivacyCurve.epsilon(ratio=3).subsampled("1/10")
        >>> sampled.delta(ratio="6/5"), sampled.is_symmetric
        (Chance(0), False)
        """
        share = _chance(rate, "the sampling rate")
        said = f"{self.says}, sampled at the rate {shown(share)}"
        if not self.is_symmetric:
            raise InvalidInput(
                "a curve that is sampled must be symmetric; sample once, then compose"
            )
        if share == 0:
            return PrivacyCurve(self.shape, said)._unless(True)
        if self.shape.smooth is not None:
            return PrivacyCurve(Sampled(self.shape.smooth, share), said)
        drawn = self.polygons()
        upper = drawn.upper.sampled(share)
        lower = upper if drawn.is_exact else drawn.lower.sampled(share)
        return PrivacyCurve(Enclosed(lower, upper), said)

    def min(self, other: "PrivacyCurve") -> "PrivacyCurve":
        """The promise that both hold of the same release.

        >>> both = PrivacyCurve.epsilon(ratio=3).min(PrivacyCurve.epsilon_delta(0, "1/4"))
        >>> both.advantage, both.delta(ratio=3)
        (Chance(1/4), Chance(0))
        """
        one, two = self.polygons(), expect(other, PrivacyCurve, "min takes a curve").polygons()
        upper = one.upper.meet(two.upper)
        exact = one.is_exact and two.is_exact
        lower = upper if exact else one.lower.meet(two.lower)
        return PrivacyCurve(Enclosed(lower, upper), f"{self.says}, and {other.says}")

    def symmetric(self) -> "PrivacyCurve":
        """The promise for both orders of neighbours: the least symmetric curve above it."""
        if self.is_symmetric:
            return self
        drawn = self.polygons()
        upper = Polygon.around(drawn.upper.corners)
        lower = upper if drawn.is_exact else Polygon.around(drawn.lower.corners)
        return PrivacyCurve(Enclosed(lower, upper), self.says)

    def compose(self, *others: "PrivacyCurve", width: Number | None = None) -> "PrivacyCurve":
        """The promise of all of them together, each perhaps chosen in the light of what was seen.

        :param width: by which share of it δ may be uncertain, wherever it is 10⁻⁹ or more; a few
            hundredths if it is not given, and nothing where the composition is exact.

        >>> PrivacyCurve.gaussian(3).compose(PrivacyCurve.gaussian(4)) == PrivacyCurve.gaussian(5)
        True
        """
        from leaktight.curves.composition import composed

        return composed([(self, 1), *((other, 1) for other in others)], width)

    def power(self, times: int, *, width: Number | None = None) -> "PrivacyCurve":
        """The promise of so many releases, each of which keeps this one.

        :param width: as for :meth:`compose`.

        >>> PrivacyCurve.epsilon(ratio=2).power(2).delta(ratio=1)
        Chance(1/3)
        """
        from leaktight.curves.composition import composed

        return composed([(self, expect_whole(times, "how many releases there are"))], width)


MOST_CORNERS = 2**14
"""The most corners of the polygon of a group."""


@lru_cache(maxsize=64)
def _drawn(shape: Shape, lines: int) -> Enclosed:
    """Draw a shape, once."""
    return shape.drawn(lines)


def _enclosed(low: Polygon, high: Polygon) -> Enclosed:
    return Enclosed(high if low == high else low, high)


def _chance(value: Number, what: str) -> fmpq:
    """Read a number from 0 to 1; a float counts as the decimal that it prints as."""
    number = as_printed(value)
    if not 0 <= number <= 1:
        raise InvalidNumber(f"{what} must be from 0 to 1, got {value}")
    return number


def _amount(value: Number, what: str) -> fmpq:
    number = as_printed(value)
    if number < 0:
        raise InvalidNumber(f"{what} must be at least 0, got {value}")
    return number


def _ratio_said(ratio: Ratio) -> str:
    if ratio.is_exact:
        return f"λ = {shown(ratio.upper)}"
    return f"ε = {ratio.epsilon:.6g}"


def _pair_said(ratio: Ratio, delta: fmpq) -> str:
    return _ratio_said(ratio) + (f", δ = {_short(delta)}" if delta else "")


def _short(delta: fmpq) -> str:
    text = f"{to_float(delta):.6g}"
    return text if rational(text) == delta else shown(delta)


def _cumulated(share: Any, steps: int) -> list[tuple[Any, Any]]:
    """Return the corners of geometric noise with the ratio q between steps, after ``steps``."""
    p, a = 1 / (1 + share), share**steps / (1 + share)
    corners = [(a, p)]
    for j in range(1, steps):
        p += (1 - share) / (1 + share) * share**j
        a += (1 - share) / (1 + share) * share ** (steps - j)
        corners.append((a, p))
    return corners


def _steepest(polygon: Polygon, delta: fmpq, is_symmetric: bool) -> fmpq | None:
    """Return the least λ ≥ 1 with δ(λ) ≤ δ, or None if there is none."""
    corners = list(polygon.corners)
    if not is_symmetric:
        corners += [(1 - p, 1 - a) for a, p in corners]
    if any(a == 0 and p > delta for a, p in corners):
        return None
    return max([ONE, *((p - delta) / a for a, p in corners if a > 0)])


def _ln(ratio: fmpq | None) -> tuple[float, float]:
    return (math.inf, math.inf) if ratio is None else ln_interval(ratio)
