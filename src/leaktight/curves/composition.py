"""Composition of privacy curves: exactly, or on a grid of losses, from both sides.

The loss of an output is log P/Q, and losses of independent releases add up. Where all are multiples
of one number, or few, the composition is exact. Otherwise they are put on a grid of step h: upwards
each is split between its neighbours on the grid, downwards outputs are merged until they lie on it;
so P and Q keep their chances, and the error falls with h². Chances are whole numbers in units of
2^−128, and are multiplied as polynomials with whole coefficients. See ``docs/proofs/curves.md``.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from flint import arb, fmpq, fmpz, fmpz_poly

from leaktight.curves.curve import LARGEST_LOSS, PrivacyCurve
from leaktight.curves.polygon import ONE, ZERO, Corner, Polygon
from leaktight.curves.renyi import Concentrated, Orders, Renyi
from leaktight.curves.shapes import (
    BoundedRange,
    Enclosed,
    Gaussian,
    Laplace,
    Sampled,
    Shape,
    Smooth,
)
from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import rational, to_float
from leaktight.exact.rounding import precision
from leaktight.privacy.losses import Losses

BITS, WORK = 128, 256
"""The bits of a chance on the grid, and those with which it is computed."""

UNIT, SHORT = fmpz(1) << BITS, fmpz(1) << 256

DROPPED = 88
"""What is less likely than 2 to minus this, at either end, is moved to where it does no harm."""

FINEST, MOST_ATOMS = 24, 2**16
"""How many steps the grid has in the least standard deviation of a loss, and in all, at most."""

MOST_LINES = 2**12
"""How many lines, or corners, of what is composed are kept."""

MIXED = fmpq(1, 2**32)
"""How much of nothing is mixed in below, so that losses ±ε lie on the grid."""

MOST_PRODUCTS = 2**15
"""The most losses that are told apart one by one."""

Part = tuple[Shape, int]


def composed(parts: Iterable[tuple[PrivacyCurve, int]]) -> PrivacyCurve:
    """Return the curve of releases each of which keeps a curve, so many times."""
    listed = [(expect(c, PrivacyCurve, "compose takes curves"), n) for c, n in parts]
    said = "; ".join(f"{n} × ({c.says})" if n > 1 else c.says for c, n in listed)
    shapes = _gathered([(curve.shape, n) for curve, n in listed])
    if len(shapes) == 1 and shapes[0][1] == 1:
        return PrivacyCurve(shapes[0][0], said)
    known = [(_drawn(shape), n) for shape, n in shapes]
    whole = _exactly(known)
    return PrivacyCurve(_on_grid(known) if whole is None else whole, said)


def _gathered(parts: list[Part]) -> list[Part]:
    """Put together what has a formula: Gaussian noise, and Rényi divergences."""
    noise = [(s, n) for s, n in parts if isinstance(s, Gaussian)]
    orders = [(s, n) for s, n in parts if isinstance(s, Orders)]
    rest = [(s, n) for s, n in parts if not isinstance(s, Gaussian | Orders)]
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
    smooth = isinstance(shape, Enclosed | Gaussian | Laplace | BoundedRange | Sampled)
    return shape if smooth else PrivacyCurve(shape, "").polygons()


def _exactly(parts: list[Part]) -> Enclosed | None:
    """Return the product of polygons, if the losses of it can be told apart."""
    shapes = [(shape, n) for shape, n in parts if isinstance(shape, Enclosed)]
    if len(shapes) < len(parts):
        return None
    symmetric = all(shape.is_symmetric for shape, _ in shapes)
    upper = _product([(shape.upper, n) for shape, n in shapes])
    if upper is None:
        return None
    if all(shape.is_exact for shape, _ in shapes):
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


def _short(number: fmpq, up: bool) -> fmpq:
    """Return a chance with so many bits after the point, rounded to a side."""
    whole = (number * SHORT).ceil() if up else (number * SHORT).floor()
    return fmpq(whole, SHORT)


def _polygon(corners: list[Corner], symmetric: bool) -> Polygon:
    return Polygon.around(corners) if symmetric else Polygon.hull(corners)


# --- on a grid -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Masses:
    """Chances under P at the losses first·h, (first + 1)·h, …, and at an infinite loss.

    They are rounded up or down, in units of 2^−128.
    """

    up: bool
    first: int
    chances: fmpz_poly
    infinite: fmpz

    def __mul__(self, other: "Masses") -> "Masses":
        mine, theirs = (sum(m.chances.coeffs(), fmpz(0)) for m in (self, other))
        crossed = self.infinite * (theirs + other.infinite) + mine * other.infinite
        product = self.chances * other.chances
        return replace(
            self,
            first=self.first + other.first,
            chances=fmpz_poly([_cut(c, self.up) for c in product.coeffs()]),
            infinite=_cut(crossed, self.up),
        ).trimmed()

    def trimmed(self) -> "Masses":
        """Move what is hardly ever seen: up to the end or to infinity, or drop it."""
        chances, limit = self.chances.coeffs(), fmpz(1) << (BITS - DROPPED)
        start, low = 0, fmpz(0)
        while start < len(chances) - 1 and low + chances[start] <= limit:
            low, start = low + chances[start], start + 1
        stop, high = len(chances), fmpz(0)
        while stop > start + 1 and high + chances[stop - 1] <= limit:
            high, stop = high + chances[stop - 1], stop - 1
        kept = chances[start:stop]
        if self.up and kept:
            kept[0] += low
        infinite = self.infinite + (high if self.up else 0)
        return Masses(self.up, self.first + start, fmpz_poly(kept), infinite)

    def power(self, times: int) -> "Masses":
        """The chances of so many releases."""
        whole, block = None, self
        while times:
            if times & 1:
                whole = block if whole is None else whole * block
            times >>= 1
            if times:
                block = block * block
        assert whole is not None
        return whole

    def sums(self, step: fmpq) -> list[tuple[int, fmpq, fmpq]]:
        """Return places of the grid with the chances under Q and P of the losses from there on.

        A few thousand are kept; Q is rounded against P.
        """
        found = [(self.first + self.chances.length(), ZERO, _least_one(self.infinite))]
        chances = self.chances.coeffs()
        every = max(1, len(chances) // MOST_LINES)
        with precision(WORK):
            h = arb(step)
            ratio, back = (-h * (self.first + len(chances) - 1)).exp(), h.exp()
            a, p = arb(0), self.infinite
            for at in range(len(chances) - 1, -1, -1):
                p += chances[at]
                a += arb(chances[at]) * ratio
                ratio *= back
                if at % every == 0:
                    place = min(_end(a, not self.up), ONE)
                    found.append((self.first + at, place, _least_one(p)))
        return found

    def lines(self, step: fmpq) -> list[Corner]:
        """Return slopes λ, each half a step before a loss of the grid, and δ there."""
        found = list[Corner]()
        for place, a, p in self.sums(step):
            loss = to_float(step) * (place - 0.5)
            if abs(loss) < LARGEST_LOSS:
                ratio = rational(math.exp(loss))
                found.append((ratio, max(p - ratio * a, ZERO)))
        return found


def _least_one(chance: fmpz) -> fmpq:
    return min(fmpq(chance, UNIT), ONE)


def _end(a: arb, up: bool) -> fmpq:
    """Return an end of a chance in units, as a rational of few bits."""
    scaled = a / arb(UNIT)
    with precision(BITS):
        return (scaled.upper() if up else scaled.lower()).fmpq()


def _cut(number: fmpz, up: bool) -> fmpz:
    """Divide by the unit, and round."""
    return -(-number >> BITS) if up else number >> BITS


def _on_grid(parts: list[Part]) -> Enclosed:
    step = _step(parts)
    lower, upper = (
        reduce(Masses.__mul__, (_masses(shape, step, up).power(n) for shape, n in parts))
        for up in (False, True)
    )
    below, above = [(a, p) for _, a, p in lower.sums(step)], upper.lines(step)
    if not all(shape.is_symmetric for shape, _ in parts):
        return Enclosed(Polygon.hull(below), Polygon.of_lines(above))
    steep = [line for line in above if line[0] >= 1]
    return Enclosed(Polygon.around(below), Polygon.of_pairs(steep or [(ONE, ONE)]))


def _step(parts: list[Part]) -> fmpq:
    """Choose the step: fine for the losses of each release, but not too many in all."""
    least, whole, widest = math.inf, 0.0, 0.0
    for shape, times in parts:
        lower = PrivacyCurve(shape, "").polygons(64).lower
        seen = [(to_float(p), to_float(p / q)) for p, q in zip(*lower.masses(), strict=True) if q]
        losses = [(p, math.log(r)) for p, r in seen if p > 0 and r > 0]
        mean = math.fsum(p * loss for p, loss in losses)
        spread = math.sqrt(max(math.fsum(p * (loss - mean) ** 2 for p, loss in losses), 0.0))
        whole += times * spread**2
        widest = max(widest, *(abs(loss) for _, loss in losses), 0.0)
        if spread > 0:
            least = min(least, spread)
    if least == math.inf:  # one loss at most, and perhaps certainty
        least = widest or 1.0
    room = 2 * (12 * math.sqrt(whole) + 2 * widest) / MOST_ATOMS
    size = max(least / FINEST, room)
    atoms = [shape.least for shape, _ in parts if isinstance(shape, Laplace) and shape.least > 1]
    if atoms:  # a grid on which ±ε lies, hardly nearer to 0
        with precision(WORK):
            loss = arb(max(atoms)).log() * (1 - arb(MIXED))
            return (loss / math.ceil(to_float(loss.lower().fmpq()) / size)).mid().fmpq()
    return fmpq(*(2.0 ** (math.floor(math.log2(size) * 4) / 4)).as_integer_ratio())


def _masses(shape: Shape, step: fmpq, up: bool) -> Masses:
    with precision(WORK):
        if isinstance(shape, Enclosed):
            polygon = shape.upper if up else shape.lower
            return _split(polygon, step) if up else _merged(polygon, step)
        assert isinstance(shape, Gaussian | Laplace | BoundedRange | Sampled)
        if up:
            return _interpolated(shape, step)
        return _merged(_traced(shape, step).sampled(1 - MIXED), step)


def _rounded(first: int, chances: list[arb], infinite: arb) -> Masses:
    """Return chances that are enclosed, rounded up."""
    whole = [_units(chance) for chance in (*chances, infinite)]
    return Masses(True, first, fmpz_poly(whole[:-1]), whole[-1]).trimmed()


def _units(chance: arb) -> fmpz:
    most = (chance * arb(UNIT)).upper().ceil().unique_fmpz()
    assert most is not None
    return max(most, fmpz(0))


def _interpolated(shape: Smooth, step: fmpq) -> Masses:
    """Split all losses at once: the profile between two points of the grid becomes a line in λ.

    Where a line bends, Q has the change of slope, and P that times λ. Beyond the last point what
    is left counts as infinite, and before the first one the line goes on to δ(0) = 1.
    """
    h = arb(step)
    stop = _reach(shape, h, 1)
    start = -stop if shape.is_symmetric else -_reach(shape, h, -1)
    losses = [h * j for j in range(start, stop + 1)]
    ratios = [loss.exp() for loss in losses]
    deltas = [shape.delta(loss) for loss in losses]
    slopes = [(deltas[0] - 1) / ratios[0]]
    slopes += [
        (deltas[j + 1] - deltas[j]) / (ratios[j + 1] - ratios[j]) for j in range(len(losses) - 1)
    ]
    slopes.append(arb(0))
    chances = [ratios[j] * (slopes[j + 1] - slopes[j]) for j in range(len(losses))]
    return _rounded(start, chances, deltas[-1])


def _reach(shape: Smooth, h: arb, side: int) -> int:
    """Return how many steps it takes until hardly anything is left."""
    limit, steps = arb(2) ** -DROPPED, 1
    while steps < MOST_ATOMS:
        _, p = shape.point(h * side * steps)
        if (p if side > 0 else 1 - p) < limit:
            break
        steps *= 2
    low, high = steps // 2, steps
    while high - low > 1:
        middle = (low + high) // 2
        _, p = shape.point(h * side * middle)
        low, high = (low, middle) if (p if side > 0 else 1 - p) < limit else (middle, high)
    return high + 1


def _traced(shape: Smooth, step: fmpq) -> Polygon:
    """Return the polygon through points of the curve, two for each step."""
    h = arb(step) / 2
    stop = 2 * _reach(shape, arb(step), 1)
    start = -stop if shape.is_symmetric else -2 * _reach(shape, arb(step), -1)
    points = list[Corner]()
    for j in range(stop, start - 1, -1):
        a, p = shape.point(h * j)
        low, high = _end(p * arb(UNIT), False), _end(a * arb(UNIT), True)
        if 0 <= high <= 1 and 0 <= low <= 1:
            points.append((high, low))
    return Polygon.hull(points)


def _split(polygon: Polygon, step: fmpq) -> Masses:
    """Split each loss between its neighbours on the grid, so that P and Q keep their chances."""
    h, infinite, found = arb(step), arb(0), dict[int, arb]()
    for p, q in zip(*polygon.masses(), strict=True):
        if q == 0:
            infinite += arb(p)
        elif p > 0:
            low, high = _between(arb(p / q).log() / h)
            least, most = (h * low).exp(), (h * high).exp()
            higher = most * (arb(p) - least * arb(q)) / (most - least)
            found[high] = found.get(high, arb(0)) + higher
            found[low] = found.get(low, arb(0)) + arb(p) - higher
    first = min(found, default=0)
    chances = [found.get(j, arb(0)) for j in range(first, max(found, default=-1) + 1)]
    return _rounded(first, chances, infinite)


def _between(ball: arb) -> tuple[int, int]:
    """Return whole numbers between which the enclosed one surely lies."""
    low, high = ball.lower().floor().unique_fmpz(), ball.upper().floor().unique_fmpz()
    assert low is not None
    assert high is not None
    return int(low), int(high) + 1


def _merged(polygon: Polygon, step: fmpq) -> Masses:
    """Merge outputs from the most telling on, so that what is merged lies on the grid.

    What remains of a cell [jh, (j + 1)h) takes in at most half of the next one, as long as the
    ratio of the chances is e^(jh) at least; then it counts as just that.
    """
    h, infinite = arb(step), ZERO
    cells = dict[int, list[Corner]]()
    for p, q in zip(*polygon.masses(), strict=True):
        if q == 0:
            infinite += p
        elif p > 0:
            cells.setdefault(_between(arb(p / q).log() / h)[0], []).append((p, q))
    if not cells:
        return Masses(False, 0, fmpz_poly([]), _floor(infinite))
    first, last = min(cells), max(cells)
    chances = [fmpz(0)] * (last - first + 1)
    for j in range(last, first - 1, -1):
        kept = cells.get(j, [])
        if not kept:
            continue
        ratio = _end((h * j).exp() * arb(UNIT), True)
        p, q = (sum(part, ZERO) for part in zip(*kept, strict=True))
        following = cells.get(j - 1, [])
        p += _taken(p - ratio * q, ratio, following)
        chances[j - first] = _floor(p)
    return Masses(False, first, fmpz_poly(chances), _floor(infinite)).trimmed()


def _taken(surplus: fmpq, ratio: fmpq, cell: list[Corner]) -> fmpq:
    """Take from the head of a cell what a surplus p − λ·q pays for, at most half; return its P."""
    taken, budget = ZERO, sum((p for p, _ in cell), ZERO) / 2
    while cell and surplus > 0 and budget > 0:
        p, q = cell[0]
        share = min(ONE, budget / p, surplus / (ratio * q - p) if ratio * q > p else ONE)
        if share < 1:
            share = fmpq((share * 2**64).floor(), fmpz(1) << 64)
        taken, budget = taken + share * p, budget - share * p
        surplus += share * (p - ratio * q)
        if share == 1:
            cell.pop(0)
            continue
        cell[0] = ((1 - share) * p, (1 - share) * q)
        break
    return taken


def _floor(chance: fmpq) -> fmpz:
    return (chance * UNIT).floor()
