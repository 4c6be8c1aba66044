"""Losses on a grid: what many releases tell together, from both sides.

The loss of an output is log P/Q, and losses of independent releases add up. On a grid of step h the
chances of their sum are the coefficients of a product of polynomials. Upwards each loss is split
between its two neighbours on the grid, downwards δ is replaced by a convex function below it that
bends on the grid only; both errors fall with h². Chances are whole numbers in units of 2^−128, so
that each rounding is to a known side. See ``docs/proofs/profile.md``.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import NamedTuple, TypeAlias

import numpy as np
from flint import arb, fmpq, fmpz, fmpz_poly

from leaktight.exact.numbers import to_float
from leaktight.exact.rounding import precision

Corner: TypeAlias = tuple[fmpq, fmpq]
"""How likely a set of outputs is under Q, and how likely under P."""

Output: TypeAlias = tuple[fmpq, fmpq]
"""The chances of an output under P and under Q, the latter above 0."""

BITS, VALUE_BITS, WORK = 128, 160, 256
"""The bits of a chance on the grid, those of a value of δ, and those of balls."""

UNIT, VALUE = fmpz(1) << BITS, fmpz(1) << VALUE_BITS

LEAST = fmpq(1, 2**256)
"""Outputs that are less likely are left out below δ, and tell for certain above it."""

DROPPED = 88
"""What is less likely than 2 to minus this, at either end, is moved to where it does no harm."""

MOST_PLACES = 2**20
"""How many places a grid has at most, however fine it is asked for."""

FINEST = 2.0**-120
"""The least step: with smaller ones no more is seen, as chances are in units of 2^−128."""

FEW = 16
"""Up to how many losses a release has such as should lie on the grid."""


class Detail(NamedTuple):
    """How fine a grid is."""

    steps: float = 16.0
    """How many steps it has in the least standard deviation of a loss, if there is room."""
    places: int = 2**17
    """How many places in all at most, about; it has a thirty-second of them at least."""
    corners: int = 2**11
    """How many corners of what is composed are kept, about."""

    def finer(self, factor: float) -> "Detail":
        """Return a grid that is so many times as fine."""
        places = min(int(self.places * factor), MOST_PLACES)
        return Detail(self.steps * factor, places, math.ceil(self.corners * factor))


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
        mine, theirs = self.chances(1), other.chances(1)
        crossed = self.infinite * (theirs + other.infinite) + mine * other.infinite
        product = self.chances * other.chances
        chances, infinite = product // UNIT, crossed >> BITS
        if self.up:  # all are at least 0, so that one more is up
            chances, infinite = chances + _ones(product.length()), infinite + 1
        return _trimmed(self.up, self.first + other.first, chances, infinite)

    def power(self, times: int) -> "Masses":
        """The chances of so many releases."""
        whole = self
        for digit in f"{times:b}"[1:]:
            whole = whole * whole
            if digit == "1":
                whole = whole * self
        return whole

    def corners(self, step: fmpq, most: int) -> list[Corner]:
        """Return the chances under Q and P of the losses from a place on, for some places.

        Upwards the losses between those places are split between them. Q is rounded against P.
        """
        every = 1 + self.chances.length() // most
        with precision(WORK):
            h, stride, polynomial = arb(step), every, self.chances
            if self.up and every > 1:
                h, stride, polynomial = h * every, 1, _coarser(polynomial, every, h)
            chances = polynomial.coeffs()
            ratio = (-arb(step) * self.first - h * (len(chances) - 1)).exp()
            back = h.exp()
            a, p = arb(0), self.infinite
            sums = [(a, p)]
            for at, chance in zip(reversed(range(len(chances))), reversed(chances), strict=True):
                p += chance
                a += ratio * chance
                ratio *= back
                if at % stride == 0:
                    sums.append((a, p))
        with precision(BITS):
            return [(_end(a, not self.up), fmpq(p, UNIT)) for a, p in sums]


def _ones(length: int) -> fmpz_poly:
    return fmpz_poly([1] * length)


def _trimmed(up: bool, first: int, chances: fmpz_poly, infinite: fmpz) -> Masses:
    """Move what is hardly ever seen: up to the first place or to infinity, or drop it."""
    length, limit = chances.length(), fmpz(1) << (BITS - DROPPED)
    start, low = _hardly(chances, range(length), limit)
    back, high = _hardly(chances, range(length - 1, start, -1), limit)
    chances = chances.truncate(length - back).right_shift(start)
    if up:
        chances, infinite = chances + low, infinite + high
    return Masses(up, first + start, chances, infinite)


def _hardly(chances: fmpz_poly, places: range, limit: fmpz) -> tuple[int, fmpz]:
    """Return how many of the first chances, but not all, sum to a limit at most, and their sum."""
    total, before = fmpz(0), fmpz(0)
    for count, place in enumerate(places):
        before = total
        total += chances[place]
        if total > limit:
            return count, before
    return max(len(places) - 1, 0), before


def _coarser(chances: fmpz_poly, every: int, h: arb) -> fmpz_poly:
    """Split chances between the places of a grid that is so many times as coarse."""
    listed, whole = chances.coeffs(), 1 - (-h * every).exp()
    found = fmpz_poly(listed[::every])
    for k in range(1, every):
        share = _units((1 - (-h * k).exp()) / whole)
        mine = fmpz_poly(listed[k::every])
        ones = _ones(len(listed[k::every]))
        higher = mine * share // UNIT + ones
        found += higher.left_shift(1) + (mine - higher + 2 * ones)
    return found


def _units(chance: arb) -> fmpz:
    """Return an enclosed chance in units, rounded up."""
    most = (chance * arb(UNIT)).upper().ceil().unique_fmpz()
    assert most is not None
    return max(most, fmpz(0))


def _floor(value: arb, unit: fmpz) -> fmpz:
    least = (value * arb(unit)).lower().floor().unique_fmpz()
    assert least is not None
    return least


def _end(a: arb, up: bool) -> fmpq:
    """Return an end of a chance in units, as a rational of few bits."""
    scaled = a / arb(UNIT)
    return (scaled.upper() if up else scaled.lower()).fmpq()


# --- one release ---------------------------------------------------------------------------


class Telling(NamedTuple):
    """A release by its outputs, the most telling first, and the chance of what Q never has."""

    outputs: Sequence[Output]
    certain: fmpq

    def likely(self) -> "Telling":
        """Return it without what is next to impossible under P."""
        return Telling([(p, q) for p, q in self.outputs if p >= LEAST], self.certain)

    def split(self, step: fmpq) -> Masses:
        """Split each loss between its neighbours on the grid; P and Q keep their chances."""
        certain = sum((p for p, _ in self.outputs if p < LEAST), self.certain)
        with precision(WORK):
            h, found = arb(step), dict[int, arb]()
            for p, q in self.likely().outputs:
                low, high = _between(_loss(p, q) / h)
                least, most = (h * low).exp(), (h * high).exp()
                higher = most * (arb(p) - least * arb(q)) / (most - least)
                found[high] = found.get(high, arb(0)) + higher
                found[low] = found.get(low, arb(0)) + arb(p) - higher
            return rounded_up(found, arb(certain))

    def merged(self, step: fmpq) -> Masses:
        """Replace δ by a convex function below it that bends on the grid only.

        Over a cell in which δ bends, the line between its values at the ends is above it by a
        gap γ at most. So the values are lowered by γ, or, where the end to the right is not, the
        end to the left is as high as the bends in between allow; then the lower hull is taken.
        """
        likely = self.likely()
        with precision(WORK):
            h = arb(step)
            values = _values_below(likely, h)
            return _hull_below(values, sum((arb(q) for _, q in likely.outputs), arb(0)), h)


def _loss(p: fmpq, q: fmpq) -> arb:
    """Return ln p/q, as sharp as balls are however near to 1 or to 0 the ratio is."""
    return arb((p - q) / q).log1p() if 2 * abs(p - q) < q else arb(p / q).log()


def rounded_up(found: dict[int, arb], infinite: arb) -> Masses:
    """Return chances at some places of the grid, rounded up."""
    first = min(found, default=0)
    chances = [fmpz(0)] * (max(found, default=-1) + 1 - first)
    for place, chance in found.items():
        chances[place - first] = _units(chance)
    return _trimmed(True, first, fmpz_poly(chances), _units(infinite))


def _between(ball: arb) -> tuple[int, int]:
    """Return whole numbers between which the enclosed one surely lies."""
    low, high = ball.lower().floor().unique_fmpz(), ball.upper().floor().unique_fmpz()
    assert low is not None
    assert high is not None
    return int(low), int(high) + 1


class _Cell(NamedTuple):
    """Two places of the grid with δ there, and the bends (λ, δ) between them."""

    low: int
    high: int
    ends: tuple[arb, arb]
    deltas: tuple[arb, arb]
    bends: list[tuple[arb, arb]]

    def gap(self) -> arb:
        """Return how much the line between both ends is above δ, at most."""
        (left, right), (d, e) = self.ends, self.deltas
        slope = (e - d) / (right - left)
        most = arb(0)
        for ratio, delta in self.bends:
            most = most.max(d + slope * (ratio - left) - delta)
        return arb(most.upper())

    def left(self, right_value: arb) -> arb:
        """Return the value at the left end from which a line to the right one stays below δ."""
        (left, right), least = self.ends, self.deltas[0]
        for ratio, delta in self.bends:
            if ratio < right:
                least = least.min(
                    right_value + (delta - right_value) * (right - left) / (right - ratio)
                )
            else:  # as high as the right end itself, or not known to be lower
                least = least.min(right_value)
        return least


def _cells(telling: Telling, h: arb) -> list[_Cell]:
    """Return the cells in which δ bends, from the right."""
    found, p_sum, q_sum = list[_Cell](), arb(telling.certain), arb(0)
    groups = dict[tuple[int, int], list[Output]]()
    for p, q in telling.outputs:
        groups.setdefault(_between(_loss(p, q) / h), []).append((p, q))
    for low, high in sorted(groups, reverse=True):
        assert not found or high <= found[-1].low, "a loss is too near to a place of the grid"
        left, right = (h * low).exp(), (h * high).exp()
        top = p_sum - right * q_sum
        bends = list[tuple[arb, arb]]()
        for p, q in groups[low, high]:
            ratio = arb(p / q)
            bends.append((ratio, p_sum - ratio * q_sum))
            p_sum, q_sum = p_sum + arb(p), q_sum + arb(q)
        found.append(_Cell(low, high, (left, right), (p_sum - left * q_sum, top), bends))
    return found


def _values_below(telling: Telling, h: arb) -> dict[int, fmpz]:
    """Return values at places of the grid, from the right, so that lines between are below δ."""
    cells = _cells(telling, h)
    certain = (telling.certain * VALUE).floor()
    if not cells:
        return {0: certain}
    values = {cells[0].low: certain}
    lowered = False
    gaps = [cell.gap() for cell in cells]
    for k, cell in enumerate(cells[1:], 1):
        if cell.high not in values:
            values[cell.high] = _floor(cell.deltas[1] - gaps[k], VALUE)
            lowered = True
            if values[cell.high] <= certain:  # flat from here on: δ is nowhere less
                values, lowered = {cell.high: certain}, False
        more = k + 1 < len(cells) and cells[k + 1].high == cell.low
        following = gaps[k + 1] if more else arb(0)
        if lowered:
            least = cell.deltas[0] - gaps[k].max(following)
        else:
            right_value = arb(values[cell.high]) / arb(VALUE)
            least = cell.left(right_value).min(cell.deltas[0] - following)
        values[cell.low], lowered = _floor(least, VALUE), True
        if values[cell.low] <= certain:
            values, lowered = {cell.low: certain}, False
    return values


def _hull_below(values: dict[int, fmpz], q_sum: arb, h: arb) -> Masses:
    """Return the masses of the lower hull of values at places of the grid, rounded down.

    Before the first place the function has the slope −Q, and after the last one it is constant.
    """
    kept = list[tuple[int, arb, fmpz, arb]]()  # place, λ, value, slope before it
    lead = -arb((q_sum).lower())
    for place, value in sorted(values.items()):
        ratio = (h * place).exp()
        while kept:
            _, left, before, steep = kept[-1]
            slope = arb(value - before) / (ratio - left) / arb(VALUE)
            if slope > steep:
                break
            assert slope <= steep, "a bend is too small to be seen"
            kept.pop()
        kept.append((place, ratio, value, slope if kept else lead))
    first = kept[0][0]
    chances = [fmpz(0)] * (kept[-1][0] + 1 - first)
    for k, (place, ratio, _, steep) in enumerate(kept):
        after = kept[k + 1][3] if k + 1 < len(kept) else arb(0)
        chances[place - first] = max(_floor(ratio * (after - steep), UNIT), fmpz(0))
    infinite = kept[-1][2] >> (VALUE_BITS - BITS)
    return _trimmed(False, first, fmpz_poly(chances), infinite)


# --- the step ------------------------------------------------------------------------------


class Spread(NamedTuple):
    """The losses of a release, each with its chance under P, and how many such there are."""

    losses: list[tuple[float, float]]
    times: int


def losses_of(telling: Telling, times: int) -> Spread:
    """Return losses and chances nearly."""
    with precision(64):
        seen = [(float(_loss(p, q)), to_float(p)) for p, q in telling.likely().outputs]
    return Spread(seen, times)


def chosen_step(releases: Iterable[Spread], detail: Detail) -> fmpq:
    """Choose a step: fine for the losses of each release, but not too many in all.

    Where releases have few losses, these lie on the grid, or nearly, if any such grid will do.
    """
    listed = [one for one in releases if one.losses]
    least, whole, widest = math.inf, 0.0, 0.0
    for losses, times in listed:
        mean = math.fsum(p * x for x, p in losses)
        spread = math.sqrt(max(math.fsum(p * (x - mean) ** 2 for x, p in losses), 0.0))
        whole += times * spread**2
        widest = max(widest, *(abs(x) for x, _ in losses))
        if spread > 0:
            least = min(least, spread)
    if least == math.inf:  # one loss at most, and perhaps certainty
        least = widest or 1.0
    room = 2 * (12 * math.sqrt(whole) + 2 * widest) / detail.places
    size = max(min(least / detail.steps, 32 * room or math.inf), room)
    return _near(max(_aligned(listed, size, room) or size, FINEST))


def _near(step: float) -> fmpq:
    return fmpq(*step.as_integer_ratio())


def _aligned(releases: list[Spread], size: float, room: float) -> float:
    """Return a step on whose grid the losses of releases lie that have few; 0 if there are none."""
    atoms = list[tuple[float, float, float, bool]]()
    smooth = 0.0
    for losses, times in releases:
        most = max(p for _, p in losses)
        limit = 0.0 if len(losses) <= FEW else max(most / 2, 1 / 8)
        places = sorted({x for x, _ in losses} | {0.0})
        smooth += times * (len(losses) > FEW)
        for x, p in losses:
            if p >= limit and x != 0:
                others = [abs(x - y) for y in places if y != x]
                atoms.append((x, times * p, min(others), x == places[-1]))
    if not atoms:
        return 0.0
    base = max(abs(x) for x, *_ in atoms)
    last = max(math.floor(base / room), 1) if room > 0 else 2**12
    counts = np.arange(1, max(min(3 * math.ceil(base / size), last, 2**12), 1) + 1)
    steps = base * (1 - 2.0**-48) / counts
    cost = smooth * steps**2
    for x, weight, apart, is_top in atoms:
        share = (x / steps) % 1.0
        cost += weight * (share if is_top else share * (1 - share)) * steps * max(apart, size)
    good = np.nonzero(cost <= sum(times for _, times in releases) * size**2 / 8)[0]
    return float(steps[good[0] if len(good) else np.argmin(cost)])


# --- all together --------------------------------------------------------------------------


def product(parts: Iterable[tuple[Masses, int]]) -> Masses:
    """Return the masses of releases, each so many times."""
    return reduce(mul, (masses.power(times) for masses, times in parts))


def enclosed(
    parts: Sequence[tuple[Telling, int]], detail: Detail
) -> tuple[list[Corner], list[Corner]]:
    """Return corners below and above those of all releases together."""
    step = chosen_step((losses_of(telling, times) for telling, times in parts), detail)
    low = product((telling.merged(step), times) for telling, times in parts)
    high = product((telling.split(step), times) for telling, times in parts)
    return low.corners(step, detail.corners), high.corners(step, detail.corners)
