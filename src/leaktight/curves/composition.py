"""Composition of privacy curves: exactly, or on a grid of losses, from both sides.

Gaussian noise and Rényi divergences add up. Where all losses are multiples of one number, or few,
the composition is exact. Otherwise losses are put on a grid (``privacy/loss_grid.py``); a smooth
curve is drawn for it as finely as its losses need. See ``docs/proofs/curves.md``.
"""

from collections.abc import Iterable
from functools import reduce
from itertools import pairwise
from operator import add
from typing import TypeAlias

from flint import arb, fmpq, fmpz

from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import ONE, ZERO, Corner, Polygon
from leaktight.curves.renyi import Concentrated, Orders, Renyi
from leaktight.curves.shapes import (
    Enclosed,
    Gaussian,
    Shape,
    Smooth,
)
from leaktight.errors import InvalidInput, InvalidNumber, TooLarge, expect
from leaktight.exact.numbers import Number, as_printed, to_float
from leaktight.exact.rounding import precision
from leaktight.exact.shown import shown
from leaktight.privacy.loss_grid import (
    DROPPED,
    MOST_PLACES,
    WORK,
    Detail,
    Masses,
    Spread,
    Telling,
    chosen_step,
    losses_of,
    product,
    rounded_up,
)
from leaktight.privacy.losses import Losses

SHORT = fmpz(1) << 256

MOST_PRODUCTS, MOST_DIGITS = 2**14, 2**15
"""The most losses that are told apart one by one, and the most bits of an enclosed chance."""

DETAIL = Detail()
"""How fine the grid is if no width is asked for."""

WIDEST = 64
"""How many steps a cell has at most."""

LEAST = fmpq(1, 10**9)
"""From which δ on a width is kept that is asked for."""

FINER, ROUNDS = 64.0, 6
"""How many times as fine a grid may become, and how often a finer one is tried."""

Part = tuple[Shape, int]


def composed(
    parts: Iterable[tuple[PrivacyCurve, int]], width: Number | None = None
) -> PrivacyCurve:
    """Return the curve of releases each of which keeps a curve, so many times.

    :param width: by which share of it δ may be uncertain, wherever it is 10⁻⁹ or more.
    """
    listed = [(expect(c, PrivacyCurve, "compose takes curves"), n) for c, n in parts]
    said = "; ".join(f"{n} × ({c.says})" if n > 1 else c.says for c, n in listed)
    wanted = None if width is None else as_printed(width)
    if wanted is not None and not wanted > 0:
        raise InvalidNumber(f"the width must be above 0, got {width}")
    shapes = _gathered([(curve.shape, n) for curve, n in listed])
    if len(shapes) == 1 and shapes[0][1] == 1:
        return PrivacyCurve(shapes[0][0], said)
    known = [(_drawn(shape), n) for shape, n in shapes]
    whole = _exactly(known)
    if whole is None:
        whole = _on_grid(known) if wanted is None else _as_near(known, wanted)
    return PrivacyCurve(whole, said)


def _as_near(parts: list[Part], wanted: fmpq) -> Enclosed:
    """Refine the grid until δ is known as well as is asked for."""
    factor = 1.0
    for _ in range(ROUNDS):
        found = _on_grid(parts, DETAIL.finer(factor))
        if (reached := _width(found)) <= wanted:
            return found
        if factor >= FINER:
            break
        factor = min(factor * min(max(1.2 * to_float(reached / wanted) ** 0.5, 1.5), 16.0), FINER)
    raise TooLarge(
        f"a grid as fine as there is leaves δ uncertain by {to_float(reached):.2g} of it, and "
        f"{shown(wanted)} was asked for; ask for more"
    )


def _width(found: Enclosed) -> fmpq:
    """Return by which share δ is uncertain at most, between bends of the upper polygon."""
    slopes = [slope for slope, _ in found.upper.lines if slope >= 1]
    between = [(one + other) / 2 for one, other in pairwise([*slopes, ONE])]
    widths = list[fmpq]()
    for slope in between[:: max(1, len(between) // 256)]:
        low, high = found.profile(slope)
        if high >= LEAST:
            widths.append((high - low) / high)
    return max(widths, default=ZERO)


def _gathered(parts: list[Part]) -> list[Part]:
    """Put together what has a formula: Gaussian noise, and Rényi divergences."""
    noise = [(s.gaussian, n) for s, n in parts if s.gaussian is not None]
    orders = [(s.divergences, n) for s, n in parts if s.divergences is not None]
    rest = [(s, n) for s, n in parts if s.divergences is None and s.gaussian is None]
    if noise:
        rest.append((Gaussian(reduce(add, (s.square * n for s, n in noise))), 1))
    if orders:
        rest.append((_added(orders), 1))
    return rest


def _added(parts: list[tuple[Orders, int]]) -> Orders:
    """Return the sum of bounds, at the orders for which all have one."""
    spread = sum((s.rho * n for s, n in parts if isinstance(s, Concentrated)), ZERO)
    tables = [(dict(s.bounds), n) for s, n in parts if isinstance(s, Renyi)]
    if not tables:
        return Concentrated(spread)
    common = sorted(set.intersection(*(set(table) for table, _ in tables)))
    if not common:
        raise InvalidInput("Rényi divergences add up at the same order, but no order is common")
    sums = [(o, sum((table[o] * n for table, n in tables), spread * o)) for o in common]
    return Renyi(tuple(sums))


def _drawn(shape: Shape) -> Shape:
    """Return a shape that is a polygon or has a formula for its losses."""
    return shape if shape.polygons or shape.smooth else PrivacyCurve(shape, "").polygons()


def _exactly(parts: list[Part]) -> Enclosed | None:
    """Return the product of polygons, if the losses of it can be told apart."""
    shapes = [(shape.polygons, n) for shape, n in parts if shape.polygons is not None]
    if len(shapes) < len(parts):
        return None
    symmetric = all(shape.is_symmetric for shape, _ in shapes)
    exact = all(shape.is_exact for shape, _ in shapes)
    if not exact and sum(n * _digits(shape.upper) for shape, n in shapes) > MOST_DIGITS:
        return None
    upper = _product([(shape.upper, n) for shape, n in shapes])
    if upper is None:
        return None
    if exact:
        made = _polygon(upper, symmetric)
        return Enclosed(made, made)
    lower = _product([(shape.lower, n) for shape, n in shapes])
    if lower is None:
        return None
    below = [(_short(a, True), _short(p, False)) for a, p in lower]
    over = [(_short(a, False), _short(p, True)) for a, p in upper]
    return Enclosed(_polygon(below, symmetric), _polygon(over, symmetric))


def _product(parts: list[tuple[Polygon, int]]) -> list[Corner] | None:
    """Return the corners of a product, or None if its losses cannot be told apart."""
    if len(parts) == 1:
        return Losses.of(*parts[0][0].masses()).exact_corners(parts[0][1])
    whole: Losses | None = None
    for polygon, times in parts:
        one = Losses.of(*polygon.masses())
        for _ in range(times):
            if whole is not None and len(whole.ratios) * len(one.ratios) > MOST_PRODUCTS:
                return None
            whole = one if whole is None else whole * one
    return None if whole is None else whole.exact_corners()


def _digits(polygon: Polygon) -> int:
    return max(int(p.q).bit_length() for _, p in polygon.corners)


def _short(number: fmpq, up: bool) -> fmpq:
    """Return a chance with so many bits after the point, rounded to a side."""
    whole = (number * SHORT).ceil() if up else (number * SHORT).floor()
    return fmpq(whole, SHORT)


def _polygon(corners: list[Corner], symmetric: bool) -> Polygon:
    return Polygon.around(corners) if symmetric else Polygon.hull(corners)


# --- on a grid -----------------------------------------------------------------------------


def _on_grid(parts: list[Part], detail: Detail = DETAIL) -> Enclosed:
    step = chosen_step([_spread(shape, n) for shape, n in parts], detail)
    sides = [(_masses(shape, step, detail), n) for shape, n in parts]
    low = product((below, n) for (below, _), n in sides).corners(step, detail.corners)
    high = product((above, n) for (_, above), n in sides).corners(step, detail.corners)
    below = [(min(a, ONE), min(p, ONE)) for a, p in low]
    above = Polygon.hull((min(a, ONE), min(p, ONE)) for a, p in high)
    if not all(shape.is_symmetric for shape, _ in parts):
        return Enclosed(Polygon.hull(below), above)
    return Enclosed(Polygon.around(below), Polygon.of_pairs(above.pairs))


def _telling(polygon: Polygon) -> Telling:
    """Return the outputs of a pair that a polygon belongs to."""
    rows = list(zip(*polygon.masses(), strict=True))
    certain = sum((p for p, q in rows if q == 0), ZERO)
    return Telling([(p, q) for p, q in rows if q > 0 and p > 0], certain)


def _spread(shape: Shape, times: int) -> Spread:
    return losses_of(_telling(PrivacyCurve(shape, "").polygons(64).lower), times)


_Sides: TypeAlias = tuple[Masses, Masses]
"""What is below and above."""


def _masses(shape: Shape, step: fmpq, detail: Detail) -> _Sides:
    if (both := shape.polygons) is not None:
        return _telling(both.lower).merged(step), _telling(both.upper).split(step)
    assert shape.smooth is not None
    with precision(WORK):
        return _Table(shape.smooth, step, detail).masses()


class _Table:
    """Points of a smooth curve at places of a grid, in half steps, closer where it matters."""

    def __init__(self, shape: Smooth, step: fmpq, detail: Detail) -> None:
        self.light, self.alike = 0.5 / detail.steps**2, 0.0625 / detail.steps**2
        self.shape, self.step, self.half = shape, step, arb(step) / 2
        self.points = dict[int, tuple[arb, arb]]()

    def at(self, half: int) -> tuple[arb, arb]:
        """Return the point (a, p) of a loss in half steps."""
        if half not in self.points:
            self.points[half] = self.shape.point(self.half * half)
        return self.points[half]

    def masses(self) -> _Sides:
        """Return both sides: lines between places above, chords between all points below."""
        places = self._places()
        return self._below(), self._above(places)

    def _places(self) -> list[int]:
        """Choose places: a cell is halved while it adds too much to δ there, or to all in all."""
        stop = self._reach(1)
        start = -stop if self.shape.is_symmetric else -self._reach(-1)
        found, cells = [start], [(k, k + WIDEST) for k in range(start, stop, WIDEST)][::-1]
        while cells:
            low, high = cells.pop()
            middle = (low + high) // 2
            self.at(low + high)
            if high - low > 1 and self._is_coarse(low, high):
                cells += [(middle, high), (low, middle)]
            else:
                found.append(high)
        return found

    def _reach(self, side: int) -> int:
        """Return how many steps, in whole cells, it takes until hardly anything is left."""
        limit, cells = arb(2) ** -DROPPED, 1
        while cells * WIDEST < MOST_PLACES:
            _, p = self.shape.point(self.half * (2 * side * cells * WIDEST))
            if (p if side > 0 else 1 - p) < limit:
                break
            cells *= 2
        low, high = cells // 2, cells
        while high - low > 1:
            middle = (low + high) // 2
            _, p = self.shape.point(self.half * (2 * side * middle * WIDEST))
            low, high = (low, middle) if (p if side > 0 else 1 - p) < limit else (middle, high)
        return high * WIDEST

    def _is_coarse(self, low: int, high: int) -> bool:
        """Say, nearly, whether a line over this cell would be too far above δ."""
        (a, p), (b, q), (c, r) = (self.at(k) for k in (2 * low, low + high, 2 * high))
        width = high - low
        if float((p - r).mid()) * width**2 > self.light:
            return True
        left, middle, right = ((self.half * k).exp() for k in (2 * low, low + high, 2 * high))
        d, e = p - left * a, r - right * c
        line = d + (e - d) * (middle - left) / (right - left)
        delta = q - middle * b
        seen = delta if low >= 0 else delta - 1 + middle
        return float((line - delta).mid()) > self.alike * float(seen.mid())

    def _above(self, places: list[int]) -> Masses:
        """Split all losses at once: between two places δ becomes a line in λ.

        Where a line bends, Q has the change of slope, and P that times λ. Beyond the last place
        what is left counts as infinite, and before the first one the line goes on to δ(0) = 1.
        """
        ratios = [(self.half * (2 * j)).exp() for j in places]
        points = [self.at(2 * j) for j in places]
        deltas = [p - ratio * a for ratio, (a, p) in zip(ratios, points, strict=True)]
        slopes = [(deltas[0] - 1) / ratios[0]]
        slopes += [
            (deltas[j + 1] - deltas[j]) / (ratios[j + 1] - ratios[j])
            for j in range(len(places) - 1)
        ]
        slopes.append(arb(0))
        chances = {place: ratios[j] * (slopes[j + 1] - slopes[j]) for j, place in enumerate(places)}
        return rounded_up(chances, deltas[-1])

    def _below(self) -> Masses:
        """Return the polygon through all points, which is below the curve, on the grid."""
        found = list[Corner]()
        for half in sorted(self.points, reverse=True):
            a, p = self.points[half]
            most, least = a.upper().fmpq(), p.lower().fmpq()
            if 0 <= most <= 1 and 0 <= least <= 1:
                found.append((most, least))
        return _telling(Polygon.hull(found)).merged(self.step)
