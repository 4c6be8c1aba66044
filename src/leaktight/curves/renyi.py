"""The curve of Rényi and zero-concentrated privacy: the best trade-off function that follows.

A promise bounds the Rényi divergence D_α by γ(α), for some orders or, as ρ-zCDP does, by ρ·α for
all of them. Two neighbours and an event are a pair of coins whose divergence is no larger, and each
pair of coins within the bounds keeps the promise itself; so the pairs (a, p) of coins within them
are all that tests reach, and no conversion is better. See ``docs/proofs/curves.md``.

Floats propose an order and a point; balls decide. That D_α ≤ ρ·α for all orders is decided on
intervals: (α − 1)·D_α is convex in α, so it is below its chords; ρ·α·(α − 1) is above its tangents.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from leaktight.curves.polygon import NOTHING, ONE, ZERO, Line, Polygon
from leaktight.curves.shapes import KEPT, WORK, Enclosed, Ends, Shape, ends
from leaktight.exact.numbers import Array, rational, to_float
from leaktight.exact.rounding import precision

FARTHEST, ORDERS = 2.0**16, 128
"""The largest order that is proposed where all are bounded, and how many are looked at."""

FAR, PLACES = 30.0, 96
"""How far to the left points are proposed, in logarithms, and how many."""

CLOSE = 0.5
"""Up to this α·|log P/Q|, sums are of small differences, not of chances near 1."""

ROUGHLY = -13
"""How far below a proposal, as a power of 4, points of a polygon are: its lines are rougher."""

SPARE = 150
"""With how many bits pairs that follow are rounded up, so that a checker of fewer digits agrees."""

MOST_SPANS = 4096
"""How many intervals of orders are looked at before a point counts as outside."""


class Point(NamedTuple):
    """A proposal: a pair of coins on the curve, and the order that binds there."""

    alpha: float
    power: float
    order: float


class Tangent(NamedTuple):
    """What proves a pair (λ, δ): an order, and the ratios p/a and (1 − p)/(1 − a) of a point."""

    order: fmpq
    steep: fmpq
    flat: fmpq


class Response(NamedTuple):
    """Ends of how often randomised response is right, and the order that excludes more."""

    low: fmpq
    high: fmpq
    order: fmpq


class Orders(Shape):
    """A promise about Rényi divergences, in both directions."""

    @property
    def divergences(self) -> "Orders":
        """Itself."""
        return self

    def drawn(self, lines: int) -> Enclosed:
        """Return polygons by pairs that follow, and by pairs of coins that keep it."""
        return Enclosed(
            Polygon.around(self.within(lines)), Polygon.of_pairs(self.lines(lines) or NOTHING)
        )

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the promise as a certificate has it."""

    @property
    def is_symmetric(self) -> bool:
        """Always."""
        return True

    @property
    @abstractmethod
    def looked_at(self) -> Array:
        """The orders at which a proposal is looked for; 1 is that of Kullback and Leibler."""

    @abstractmethod
    def near_bound(self, order: Array) -> Array:
        """Return γ nearly, at some orders."""

    closer: tuple[Array, ...] = ()
    """How far around one, in logarithms of α − 1, orders are looked at again, for many at once."""

    @abstractmethod
    def finer(self, order: float) -> Array:
        """Return the orders around one that are looked at again."""

    @abstractmethod
    def exactly(self, near: float) -> tuple[fmpq, fmpq]:
        """Return the order of a proposal and γ there."""

    @abstractmethod
    def holds(self, sums: "Sums") -> bool:
        """Say whether a pair of distributions is proved to be within the bounds."""

    def detection(self, alpha: fmpq) -> Ends:
        """The largest p of a pair of coins (a, p), by a proposal and what is proved around it."""
        return (alpha, alpha) if alpha in (0, 1) else self._largest(_Coins(alpha))[:2]

    def response(self, values: int, tries: int = 1) -> Response:
        """The largest p so that randomised response, right with the chance p, keeps the promise.

        It is how well anyone guesses one of so many equally likely values (Theorem 2 of the
        proofs): here nothing is lost by way of a trade-off function. For some tries it shows a set
        of so many values.
        """
        return self._largest(_Response(values, tries))

    def _largest(self, family: "_Family") -> Response:
        """Return ends of the largest p of a family of pairs, which grow apart with p."""
        near, worst = self._proposed(family, self._order_near(family.start))
        start, high, (order, bound) = to_float(family.least), ONE, self.exactly(worst)
        with precision(WORK):
            for step in (4.0**k for k in range(-25, 0)):
                p = rational(near) + rational(step * max(near - start, 2.0**-900))
                if p >= 1:
                    break
                if any(s.at(arb(order)) > arb(bound) for s in family.sums(p)):
                    high = p
                    break
        return Response(self._inside(family, near), high, order)

    def _inside(self, family: "_Family", near: float, first: int = -22) -> fmpq:
        """Return a p just below one that is proposed, proved to be within the bounds."""
        start = to_float(family.least)
        with precision(WORK):
            for step in (4.0**k for k in range(first, 0)):
                p = rational(near) - rational(step * (near - start))
                if p > family.least and all(map(self.holds, family.sums(p))):
                    return p
        return family.least

    def _proposed(self, family: "_Family", order: float | None = None) -> tuple[float, float]:
        """Propose the largest p within the bounds, and the order that binds, near one if given.

        At one order it is a root; then the order that it violates most takes its turn.
        """
        p, worst = 1.0, self.looked_at[len(self.looked_at) // 2] if order is None else order
        for stage in (*[self.looked_at] * (order is None), None, None, None):
            orders = self.finer(worst) if stage is None else stage
            limit = self.near_bound(orders)
            for _ in range(24):
                p = min(p, family.root(worst, float(self.near_bound(np.array([worst]))[0])))
                over = family.divergences(p, orders) - limit
                at = int(np.argmax(over))
                if float(orders[at]) == worst or over[at] <= 2.0**-50 * limit[at]:
                    break
                worst = float(orders[at])
        if order is not None:  # was it the right one?
            limit = self.near_bound(self.looked_at)
            if (family.divergences(p, self.looked_at) > limit * (1 + 2.0**-30)).any():
                return self._proposed(family)
        return p, worst

    # --- the profile -----------------------------------------------------------------------

    def near(self, alpha: float) -> float:
        """Propose g(a)."""
        if not 0 < alpha < 1:
            return alpha
        if (order := self._order_near(alpha)) is None:
            return self.point(alpha).power
        power = float(self._nearer(np.array([alpha]), np.array([[order]]))[0, 1])
        return power if power - alpha > 2.0**-12 * alpha else self.point(alpha).power

    def point(self, alpha: float) -> Point:
        """Propose the point at a place, and the order that binds there."""
        return Point(alpha, *self._proposed(_Coins(rational(alpha)), self._order_near(alpha)))

    @property
    def _points(self) -> Array:
        """Propose points to the left of the middle, the farthest first: rows (a, p, α, slope)."""
        return _points_of(self)

    def proposals(self, places: Array) -> Array:
        """Propose (p, α) for many places at once, which are to the left of the middle."""
        orders = np.tile(self.looked_at[self.looked_at > 1], (len(places), 1))
        p = _newton(places[:, None], orders, self.near_bound(orders))
        chosen = np.take_along_axis(orders, p.argmin(axis=1)[:, None], axis=1)
        return self._nearer(places, chosen)

    def _nearer(self, places: Array, orders: Array) -> Array:
        """Propose the same, by orders near one for each place."""
        a, chosen = places[:, None], orders
        p = _newton(a, chosen, self.near_bound(chosen))
        for spread in self.closer:
            orders = 1 + (chosen - 1) * np.exp(spread)
            p = _newton(a, orders, self.near_bound(orders))
            chosen = np.take_along_axis(orders, p.argmin(axis=1)[:, None], axis=1)
        return np.column_stack([places, p.min(axis=1), chosen[:, 0]])

    def _order_near(self, alpha: float | None) -> float | None:
        """Propose the order that binds at a place, if it is one between those that are known."""
        if alpha is None or not len(self._points):
            return None
        at = int(np.searchsorted(self._points[:, 0], alpha))
        order = float(self._points[at, 2]) if 0 < at < len(self._points) else 1.0
        return order if order > 1 + 2.0**-9 else None  # near 1, that of Kullback may bind

    @property
    def _middle(self) -> Point:
        """Propose the point with p = 1 − a."""
        return _middle_of(self)

    def touched(self, ratio: float) -> float:
        """Propose where the curve has the slope λ, between the points that are known."""
        if not len(self._points):
            return self._middle.alpha if ratio >= 1 else 1 - self._middle.power
        steep = max(ratio, 1 / ratio) if ratio > 0 else math.inf
        a, p, _, slopes = self._points.T
        at = 0 if ratio >= 1 else 1
        near = np.interp(-math.log(steep), -np.log(slopes), np.log(p if at else a))
        if steep <= slopes[-1]:
            return 1 - self._middle.power if at else self._middle.alpha
        return 1 - math.exp(near) if at else math.exp(near)

    def _touching(self, ratio: float) -> Point:
        """Propose the point to the left of the middle with the slope λ ≥ 1."""
        if _slope(self._middle) >= ratio:
            return self._middle
        last = math.log(self._middle.alpha)

        def over(x: float) -> float:
            return math.log(ratio / _slope(self.point(math.exp(x))))

        low, high = last - 200, last
        at = int(np.searchsorted(-self._points[:, 3], -ratio)) if len(self._points) else 0
        if 1 < at < len(self._points) - 1:
            ends = np.log(self._points[[at - 2, at + 1], 0]).tolist()
            if over(ends[0]) < 0 < over(ends[1]):
                low, high = ends
        return self.point(math.exp(_crossing(over, low, high)))

    def loss_at(self, delta: float) -> float:
        """Propose the ε ≥ 0 at which δ(e^ε) is this: that of a line through (0, δ)."""

        def over(x: float) -> float:
            a, p, _ = point = self.point(math.exp(x))
            return math.log(max(p - _slope(point) * a, 2.0**-1000) / delta)

        last = math.log(self._middle.alpha)
        a, p, _ = self.point(math.exp(_crossing(over, last - 200, last)))
        return math.log(max((p - delta) / a, 1.0))

    def profile(self, ratio: fmpq) -> Ends:
        """The largest p − λ·a: of a point below; above by tangents, or by the formula."""
        if ratio < 1:
            low, high = self.profile(1 / ratio)
            return 1 - ratio + ratio * low, 1 - ratio + ratio * high
        point = self._touching(to_float(ratio))
        alpha = rational(point.alpha)
        least = self.detection(alpha)[0] - ratio * alpha
        return max(least, ZERO), min(ONE, self._tangents(ratio, point), self.formula(ratio))

    def _tangents(self, ratio: fmpq, point: Point) -> fmpq:
        """Return a bound on p − λ·a by one tangent, or by two that meet in a corner.

        With λ = θ·s + (1 − θ)·t, p − λ·a is a mean of p − s·a and p − t·a.
        """
        slope = _slope(point)
        if point == self._middle and slope > to_float(ratio):
            steep = rational(slope)
            above = self._tangent(steep, point)  # and its reflection, of slope 1/s
            share = (ratio - 1 / steep) / (steep - 1 / steep)
            return share * above + (1 - share) * (1 - 1 / steep + above / steep)
        left, right = (self.point(point.alpha * (1 + side * 2.0**-30)) for side in (-1, 1))
        if left.order == right.order or not _slope(left) > to_float(ratio) > _slope(right):
            return self._tangent(ratio, point)
        steep, flat = (rational(_slope(Point(*point[:2], one.order))) for one in (left, right))
        if not steep > ratio > flat:
            return self._tangent(ratio, point)
        share = (ratio - flat) / (steep - flat)
        bounds = [
            self._tangent(s, Point(*point[:2], one.order))
            for s, one in ((steep, left), (flat, right))
        ]
        return share * bounds[0] + (1 - share) * bounds[1]

    def _tangent(self, ratio: fmpq, point: Point) -> fmpq:
        """Return a bound on p − λ·a over all coins within the bound at one order.

        F = Σ P^α·Q^(1−α) ≤ C (or F = D₁ ≤ γ) is convex in (a, p), so p − λ·a − κ·(F − C), κ ≥ 0, is
        concave and below its tangent at any point; κ makes that level in p. Where a > 1/λ,
        p − λ·a is negative, and so less than at (0, 0).
        """
        order, bound = self.exactly(point.order)
        alpha, power = rational(point.alpha), rational(point.power)
        if not 0 < alpha < power < 1:
            return ONE
        with precision(WORK):
            a, p, k = arb(alpha), arb(power), arb(order)
            up, down = p / a, (1 - p) / (1 - a)
            if order == 1:
                rise, fall = (up / down).log(), up - down
                excess = p * up.log() + (1 - p) * down.log() - arb(bound)
            else:
                rise = k * (up ** (k - 1) - down ** (k - 1))
                fall = (k - 1) * (up**k - down**k)
                excess = a * up**k + (1 - a) * down**k - (arb(order - 1) * arb(bound)).exp()
            if not rise > 0:
                return ONE
            slope = fall / rise - arb(ratio)
            best = p - arb(ratio) * a - excess / rise
            return ends((best + ((arb(1 / ratio) - a) * slope).max(-a * slope)).max(arb(0)))[1]

    def line(self, point: Point) -> tuple[Line, Tangent] | None:
        """Return a pair (λ, δ) that follows by the order of a point, and what proves it, if any.

        For s, t > 0, Σ P^α·Q^(1−α) of coins (a, p) is at least its tangents
        α·s^(α−1)·p − (α−1)·s^α·a + α·t^(α−1)·(1 − p) − (α−1)·t^α·(1 − a), as ``check.py`` proves.
        """
        if not 0 < point.alpha < point.power < 1:
            return None
        order, bound = self.exactly(point.order)
        up = rational(point.power / point.alpha)
        down = rational((1 - point.power) / (1 - point.alpha))
        with precision(WORK):
            s, t, k = arb(up), arb(down), arb(order)
            if order == 1:
                rise, steep = s.log() - t.log(), s - t
                parts = arb(bound) + t, -1 - t.log()
            else:
                high, low = s ** (k - 1), t ** (k - 1)
                rise, steep = k * (high - low), (k - 1) * (s * high - t * low)
                parts = (arb(order - 1) * arb(bound)).exp(), low * ((k - 1) * t - k)
            if not rise > 0:
                return None
            more = 1 + arb(2) ** -SPARE  # decimals have fewer digits
            pair = steep * more / rise, (parts[0] * more + parts[1]) / rise
        with precision(KEPT):
            ratio, delta = (end.upper().fmpq() for end in pair)
        if not (ratio >= 1 and delta < 1):
            return None
        return (ratio, max(delta, ZERO)), Tangent(order, up, down)

    def lines(self, count: int) -> dict[Line, Tangent]:
        """Return pairs that touch the curve at so many points, each with what proves it.

        The line of a corner's other side belongs to the next point, so that none is needed here.
        """
        return _lines_of(self, count)

    def lines_near(self, ratios: Iterable[float]) -> dict[Line, Tangent]:
        """Return pairs that touch the curve nearly where it has some slopes above 1."""
        return dict(filter(None, self.lines_at(self.touched(r) for r in ratios if r > 1)))

    def line_of_slope(self, ratio: float) -> tuple[Line, Tangent] | None:
        """Return a pair that touches the curve, or its reflection, just where it has a slope."""
        return self.line(self._touching(max(ratio, 1 / ratio)))

    def lines_at(self, places: Iterable[float]) -> list[tuple[Line, Tangent] | None]:
        """Return pairs that touch the curve nearly at some places to the left of the middle."""
        wanted = list(places)
        rows = self.proposals(np.array(wanted)).tolist() if wanted else []
        return [self.line(Point(*row)) for row in rows]

    def points(self, count: int) -> list[Point]:
        """Propose the middle, and points to the left of it."""
        middle = self._middle
        places = middle.alpha * np.exp(-24 * (np.arange(1, count) / count) ** 2)
        return [middle, *(Point(*row) for row in self.proposals(places).tolist())]

    def within(self, count: int) -> list[tuple[fmpq, fmpq]]:
        """Return points on the curve, or just below."""
        places = [(rational(point.alpha), point.power) for point in self.points(count)]
        return [(a, self._inside(_Coins(a), power, ROUGHLY)) for a, power in places]

    def formula(self, ratio: fmpq) -> fmpq:
        """Return the δ of Proposition 12 of [Canonne2020]_, at the best order that is proposed.

        e^((α−1)(γ(α)−ε))/α·(1 − 1/α)^(α−1) at any α > 1.
        """
        epsilon = math.log(to_float(ratio))
        orders = self.looked_at[self.looked_at > 1]
        for _ in range(2):
            sizes = (orders - 1) * (self.near_bound(orders) - epsilon + np.log1p(-1 / orders))
            order = float(orders[int(np.argmin(sizes - np.log(orders)))])
            orders = self.finer(order)
        chosen, bound = self.exactly(order)
        with precision(WORK):
            k = arb(chosen)
            size = (k - 1) * (arb(bound) - arb(ratio).log() + (1 - 1 / k).log())
            return ends(size.exp() / k)[1]


def _crossing(rise: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that rises from below 0 to above is 0, nearly."""
    from scipy.optimize import brentq

    return (
        float(brentq(rise, low, high, xtol=2.0**-48, disp=False))
        if rise(low) < 0 < rise(high)
        else high
    )


def _odds(p: float) -> float:
    return math.log(p) - math.log1p(-p) if p < 1 else 700.0


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > -700 else math.exp(odds)


def _slope(point: Point) -> float:
    """Return the slope of the curve of one order at a point on it."""
    a, p, order = point
    if not 0 < a < p < 1:
        return 1.0
    step, x = (p - a) / (a * (1 - a)), math.log1p((p - a) / (a * (1 - p)))  # of P/Q, and of its log
    if order == 1:
        return step / x
    return (order - 1) / order * (step / -math.expm1((1 - order) * x) + (1 - p) / (1 - a))


@lru_cache(maxsize=64)
def _middle_of(orders: Orders) -> Point:
    def over(x: float) -> float:
        return _odds(orders.point(_chance(x)).power) + x

    low, high, known = -60.0, 0.0, _points_of(orders)
    if len(known):
        near = _odds(float(known[-1, 0]))
        if over(near) < 0 < over(wider := min(near + 1.0, 0.0)):
            low, high = near, wider
    return orders.point(_chance(_crossing(over, low, high)))


@lru_cache(maxsize=64)
def _lines_of(orders: Orders, count: int) -> dict[Line, Tangent]:
    return dict(filter(None, map(orders.line, orders.points(count))))


@lru_cache(maxsize=64)
def _points_of(orders: Orders) -> Array:
    found = orders.proposals(np.exp(-math.log(2) - FAR * np.linspace(1, 0, PLACES) ** 2))
    found = found[(found[:, 0] < found[:, 1]) & (found[:, :2].sum(axis=1) <= 1)]
    return np.column_stack([found, [_slope(Point(*row)) for row in found.tolist()]])


def _newton(a: Array, orders: Array, bounds: Array) -> Array:
    """Return the largest p with D_α of coins within a bound, nearly, for many a and α at once.

    Σ P^α·Q^(1−α) is convex in p, and where its first part alone reaches e^((α−1)γ) p is too large.
    """
    less, last = orders - 1, 1 - 2.0**-40
    limit = less * bounds
    p = np.minimum(np.exp(np.minimum((limit + less * np.log(a)) / orders, 0.0)), last)
    first, second = less * np.log(a) + limit, less * np.log1p(-a) + limit
    for _ in range(16):
        one = np.exp(orders * np.log(p) - first)
        two = np.exp(orders * np.log1p(-p) - second)
        over, rise = one + two - 1, orders * (one / p - two / (1 - p))
        up, down = np.log1p((p - a) / a), np.log1p((a - p) / (1 - a))
        if (close := orders * np.maximum(up, -down) < CLOSE).any():  # sums would leave no digits
            up, down = np.where(close, up, 0.0), np.where(close, down, 0.0)
            more = a * (np.expm1(orders * up) - orders * np.expm1(up))
            more += (1 - a) * (np.expm1(orders * down) - orders * np.expm1(down))
            over = np.where(close, np.exp(-limit) * more + np.expm1(-limit), over)
            apart = np.expm1(less * up) - np.expm1(less * down)
            rise = np.where(close, np.exp(-limit) * orders * apart, rise)
        before, p = p, np.clip(p - over / np.maximum(rise, 2.0**-500), a, last)
        if (np.abs(before - p) <= 2.0**-40 * (p - a)).all():
            break
    return p


@dataclass(frozen=True)
class Renyi(Orders):
    """D_α ≤ γ(α) for each of some orders α > 1."""

    bounds: tuple[tuple[fmpq, fmpq], ...]

    def to_dict(self) -> dict[str, Any]:
        """Every order and its bound."""
        return {"bounds": [[str(order), str(bound)] for order, bound in self.bounds]}

    @property
    def looked_at(self) -> Array:
        """The orders of the promise."""
        return np.array([to_float(order) for order, _ in self.bounds])

    def near_bound(self, order: Array) -> Array:
        """Their bounds."""
        known = np.array([to_float(bound) for _, bound in self.bounds])
        return np.array(known[np.searchsorted(self.looked_at, order)])

    def finer(self, order: float) -> Array:
        """The same: there are no others."""
        return self.looked_at

    def exactly(self, near: float) -> tuple[fmpq, fmpq]:
        """The order that is nearest to this float."""
        return next(pair for pair in self.bounds if to_float(pair[0]) == near)

    def holds(self, sums: "Sums") -> bool:
        """Order by order."""
        return all(sums.at(arb(order)) <= arb(bound) for order, bound in self.bounds)


@dataclass(frozen=True)
class Concentrated(Orders):
    """D_α ≤ ρ·α for all orders α > 1, and so D₁ ≤ ρ: ρ-zCDP [Bun2016]_."""

    rho: fmpq
    closer = (np.linspace(-0.2, 0.2, 17), np.linspace(-0.03, 0.03, 17))

    def to_dict(self) -> dict[str, Any]:
        """ρ."""
        return {"rho": str(self.rho)}

    @property
    def looked_at(self) -> Array:
        """1, and orders that are evenly spread in the logarithm of α − 1."""
        spread = np.exp(np.linspace(math.log(2.0**-12), math.log(FARTHEST), ORDERS))
        return np.concatenate([[1.0], 1 + spread])

    def near_bound(self, order: Array) -> Array:
        """ρ·α."""
        return to_float(self.rho) * order

    def finer(self, order: float) -> Array:
        """Orders up to the next ones on both sides, narrower for one that was found so."""
        if order == 1:
            return np.concatenate([[1.0], 1 + np.linspace(0, 2.0**-11, 65)[1:]])
        step = math.log(FARTHEST * 2.0**12) / (ORDERS - 1)
        return 1 + (order - 1) * np.exp(step * np.linspace(-1, 1, 257) ** 3)

    def exactly(self, near: float) -> tuple[fmpq, fmpq]:
        """Every float is an order."""
        return rational(near), self.rho * rational(near)

    def holds(self, sums: "Sums") -> bool:
        """By chords and tangents, up to the order where ρ·α is more than the largest loss."""
        rho = arb(self.rho)
        last = arb((sums.largest / rho).upper())
        if not last > 1:
            return True
        spans, left = [(arb(1), arb(0), last, sums.log(last))], MOST_SPANS
        while spans:
            (start, low, stop, high), left = spans.pop(), left - 1
            at = (start + stop) / 2
            slope = rho * (2 * at - 1)
            line = rho * at * (at - 1) - slope * at
            if low <= line + slope * start and high <= line + slope * stop:
                continue
            if start == 1 and high <= rho * (stop - 1):  # the tangent at 1
                continue
            value = sums.log(at)
            if left < 0 or value > rho * at * (at - 1):
                return False
            spans += [(start, low, at, value), (at, value, stop, high)]
        return True


# --- pairs of distributions ----------------------------------------------------------------


@dataclass(frozen=True)
class Sums:
    """P and Q by the logarithms of their chances, each taken so many times."""

    logs: tuple[tuple[arb, arb, int], ...]

    @classmethod
    def of(cls, one: tuple[fmpq, ...], other: tuple[fmpq, ...], times: tuple[int, ...]) -> "Sums":
        """Take the logarithms at the precision that is set."""
        rows = zip(one, other, times, strict=True)
        return cls(tuple((arb(p).log(), arb(q).log(), n) for p, q, n in rows if n))

    @property
    def largest(self) -> arb:
        """The largest loss."""
        first, *rest = [p - q for p, q, _ in self.logs]
        for loss in rest:
            first = first.max(loss)
        return first

    def log(self, order: arb) -> arb:
        """Return log Σ P^α·Q^(1−α)."""
        parts = ((order * p + (1 - order) * q).exp() * n for p, q, n in self.logs)
        return sum(parts, arb(0)).log()

    def at(self, order: arb) -> arb:
        """Return D_α."""
        if order == 1:
            return sum((p.exp() * (p - q) * n for p, q, n in self.logs), arb(0))
        return self.log(order) / (order - 1)


class _Family(ABC):
    """Pairs of distributions that grow apart with p, from ``least`` to 1."""

    start: float | None = None
    """The place of a pair of coins."""

    @property
    @abstractmethod
    def least(self) -> fmpq:
        """The p at which both are the same."""

    @abstractmethod
    def chances(self, odds: float) -> list[tuple[float, float, float]]:
        """Return the logarithms of P and Q, and how often each, for p/(1 − p) = e^odds."""

    @abstractmethod
    def sums(self, p: fmpq) -> list[Sums]:
        """Return the pair, in both directions if they differ."""

    def divergences(self, p: float, orders: Array) -> Array:
        """Return D_α nearly, the larger of both directions."""
        rows = self.chances(_odds(p))
        one, other, times = (np.array(part) for part in zip(*rows, strict=True))
        return np.maximum(_near(one, other, times, orders), _near(other, one, times, orders))

    def root(self, order: float, limit: float) -> float:
        """Return the p at which D_α is the limit, nearly."""
        start = to_float(self.least)

        def over(odds: float) -> float:
            rows = self.chances(odds)
            back = [(q, p, n) for p, q, n in rows]
            return max(_divergence(rows, order), _divergence(back, order)) - limit

        return _chance(_crossing(over, _odds(start), 700.0))


@dataclass(frozen=True)
class _Coins(_Family):
    """Heads with the chance a, and with the chance p ≥ a."""

    alpha: fmpq

    @property
    def start(self) -> float:  # type: ignore[override]
        return to_float(self.alpha)

    @property
    def least(self) -> fmpq:
        return self.alpha

    def chances(self, odds: float) -> list[tuple[float, float, float]]:
        a = to_float(self.alpha)
        return [
            (-_softplus(-odds), math.log(a), 1.0),
            (-_softplus(odds), math.log1p(-a) if a < 1 else -700.0, 1.0),
        ]

    def sums(self, p: fmpq) -> list[Sums]:
        one, other = (p, 1 - p), (self.alpha, 1 - self.alpha)
        return [Sums.of(one, other, (1, 1)), Sums.of(other, one, (1, 1))]


@dataclass(frozen=True)
class _Response(_Family):
    """Two rows of randomised response on v values, or of sets of k of them.

    A set with x and not x′ has the chance A for x and B for x′, and the other way round; the chance
    of all others is the same.
    """

    values: int
    tries: int = 1

    @property
    def least(self) -> fmpq:
        return fmpq(self.tries, self.values)

    def chances(self, odds: float) -> list[tuple[float, float, float]]:
        v, k = self.values, self.tries
        right, wrong = -_softplus(-odds), -_softplus(odds)
        a, b = right + math.log((v - k) / (v - 1)), wrong + math.log(k / (v - 1))
        rest = (math.exp(wrong) * (v - 1 - k) + math.exp(right) * (k - 1)) / (v - 1)
        same = [(math.log(rest), math.log(rest), 1.0)] if rest > 0 else []
        return [(a, b, 1.0), (b, a, 1.0), *same]

    def sums(self, p: fmpq) -> list[Sums]:
        v, k = self.values, self.tries
        a, b = p * (v - k) / (v - 1), (1 - p) * k / (v - 1)
        rest = 1 - a - b
        return [Sums.of((a, b, rest or ONE), (b, a, rest or ONE), (1, 1, int(rest > 0)))]


def _softplus(x: float) -> float:
    """Return log(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _divergence(rows: list[tuple[float, float, float]], order: float) -> float:
    """Return D_α; by what is left when Σ (P − Q) = 0 is taken away, where P and Q are close."""
    if order * max(abs(p - q) for p, q, _ in rows) < CLOSE:
        losses = [(math.exp(q) * n, p - q) for p, q, n in rows]
        if order == 1:
            return math.fsum(w * (x * math.exp(x) - math.expm1(x)) for w, x in losses)
        more = math.fsum(w * (math.expm1(order * x) - order * math.expm1(x)) for w, x in losses)
        return math.log1p(more) / (order - 1)
    if order == 1:
        return math.fsum(math.exp(p) * (p - q) * n for p, q, n in rows)
    parts = [order * p + (1 - order) * q + math.log(n) for p, q, n in rows]
    top = max(parts)
    return (top + math.log(math.fsum(math.exp(part - top) for part in parts))) / (order - 1)


def _near(one: Array, other: Array, times: Array, orders: Array) -> Array:
    """Return D_α of each order."""
    parts = np.outer(orders, one) + np.outer(1 - orders, other) + np.log(times)
    top = parts.max(axis=1)
    logs = top + np.log(np.exp(parts - top[:, None]).sum(axis=1))
    weights, loss = np.exp(other) * times, one - other
    if (close := orders * np.abs(loss).max() < CLOSE).any():  # as above
        k = orders[close, None]
        logs[close] = np.log1p((np.expm1(k * loss) - k * np.expm1(loss)) @ weights)
    is_near = np.abs(loss).max() < CLOSE
    first = (
        weights @ (loss * np.exp(loss) - np.expm1(loss))
        if is_near
        else (np.exp(one) * loss * times).sum()
    )
    return np.where(orders == 1, first, logs / np.where(orders == 1, 1.0, orders - 1))
