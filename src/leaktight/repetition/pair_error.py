"""The chance that two secrets are confused after many observations.

The error of a pair, Σ_y min(v·P(y), w·Q(y)), depends on the log-likelihood ratio alone, a sum of
independent ones. These are put on a grid in two ways. Outputs on the same grid point are *merged*:
that hides something, so the error grows. Or each output is *split* between the grid points around
it, its likelihood ratio kept on average: that tells more, so the error falls. Both are off by the
square of the grid's step only, and not at all if the ratios are powers of one number.

The distributions on the grid are powers of polynomials. They are tilted towards where the error
comes from, so that it is not tiny against the rest; their coefficients are whole numbers, rounded
up for the upper bound and down for the lower. All is proved in docs/proofs/repetition.md.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, repeat
from operator import mul
from typing import TypeAlias, TypeVar

import numpy as np
from flint import arb, fmpq, fmpz, fmpz_poly

from leaktight.exact.numbers import Array, rational
from leaktight.exact.rounding import precision
from leaktight.repetition.enclosure import Ends
from leaktight.repetition.types import Floats

POINTS = 2**15
"""How many points a fine grid has at most, about."""

COARSE = 2**10
"""How many a coarse one has: quick, and mostly as good."""

DEVIATIONS = 8
"""How many standard deviations the grid reaches to each side."""

TILTS = 64
"""Into how many steps the way from one distribution of a pair to the other is divided."""

ONE = 2**96
"""The whole number that stands for probability 1."""

BITS = 192
"""The precision of the balls that the coefficients are made of."""

DEEPEST = 2**16
"""Nothing smaller than 2 to minus this is told from 0."""

STEPS = 256
"""How many steps of the grid are tried for each output."""

MOST_LOG = 700.0
"""e to the power of this is still a float."""

HALVINGS = 30
"""How often the interval for the best tilt is halved."""

Whole = TypeVar("Whole", fmpz, fmpz_poly)

Masses: TypeAlias = dict[int, arb]
"""How much of a measure lies on each grid point."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two secrets of weights v and w, and the outputs that both of them can give.

    ``parts`` holds for each channel the exact probabilities P, Q of these outputs in two rows, and
    how often it is observed.
    """

    weights: tuple[fmpq, fmpq]
    parts: tuple[tuple[Array, int], ...]

    def tilt(self) -> int:
        """How many steps from P to Q make :meth:`chernoff` nearly as small as it can be."""
        v, w = self.weights
        parts = [(*_logs(matrix), n) for matrix, n in self.parts]
        start, low, high = _log(w / v), 0.0, 1.0
        for _ in range(HALVINGS):
            s = (low + high) / 2
            slope = start + sum(n * (_tilted(p, x, s) @ x) for p, x, n in parts)
            low, high = (low, s) if slope > 0 else (s, high)
        return min(max(round(low * TILTS), 1), TILTS - 1)

    def chernoff(self, tilt: int) -> arb:
        """A ball around v^(1−s)·w^s·Π_i (Σ_z P(z)^(1−s)·Q(z)^s)^n for s = tilt/TILTS.

        It bounds the error from above, as min(a, b) ≤ a^(1−s)·b^s.
        """
        bound = _between(*self.weights, tilt)
        for matrix, n in self.parts:
            bound *= sum((_between(p, q, tilt) for p, q in matrix.T), arb(0)) ** n
        return bound

    def error(self, tilt: int, points: int) -> Ends:
        """Numbers below and above the error of the pair, by a grid of so many points."""
        with precision(BITS):
            grid = _Grid.of(self, tilt, points)
            if grid is None:
                return fmpq(0), at_most(self.chernoff(tilt))
            split = grid.observed([(grid.split(matrix), n) for matrix, n in self.parts], up=False)
            merged = [
                grid.observed([(grid.merged(matrix, row), n) for matrix, n in self.parts], up=True)
                for row in (0, 1)
            ]
            return at_least(grid.below(split)), at_most(grid.above(*merged))


def at_most(ball: arb) -> fmpq:
    """Return a number that the ball does not exceed; however small, one of few digits."""
    return ball.upper().max(arb(2) ** -DEEPEST).fmpq()


def at_least(ball: arb) -> fmpq:
    """Return a number ≥ 0 that is not above the ball, if that is ≥ 0."""
    return ball.lower().fmpq() if ball > arb(2) ** -DEEPEST else fmpq(0)


def _between(p: fmpq | arb, q: fmpq | arb, tilt: int) -> arb:
    """Return p^(1−s)·q^s for s = tilt/TILTS."""
    return arb(p) * (arb(q) / arb(p)) ** (arb(tilt) / TILTS)


def _log(number: fmpq) -> float:
    return float(arb(number).log())


def _logs(matrix: Array) -> tuple[Floats, Floats]:
    """Return the logarithms of the first row, and of the second over the first."""
    return np.array([_log(p) for p in matrix[0]]), np.array([_log(q / p) for p, q in matrix.T])


def _tilted(logs: Floats, ratios: Floats, s: float) -> Floats:
    """Return P^(1−s)·Q^s as a distribution."""
    weights = np.exp(logs + s * ratios - (logs + s * ratios).max())
    return weights / weights.sum()


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """The likelihood ratios λ^g for whole g, where λ = σ^TILTS.

    The first measure of a pair is multiplied by σ^(tilt·g), the second by σ^((tilt − TILTS)·g):
    then both resemble P^(1−s)·Q^s.
    """

    weights: tuple[fmpq, fmpq]
    tilt: int
    root: fmpq
    """σ"""
    step: float
    """ln λ, nearly"""
    means: tuple[float, ...]
    """Where the tilted measure of each part lies on average."""
    half: int
    """How many points to each side of the average are kept."""

    @classmethod
    def of(cls, pair: Pair, tilt: int, points: int) -> "_Grid | None":
        """Choose a step with which the grid reaches far enough and the outputs lie near points.

        There is none if the likelihood ratios reach beyond all floats from point to point.
        """
        found = []
        for matrix, n in pair.parts:
            log, x = _logs(matrix)
            found.append((n, x, _tilted(log, x, tilt / TILTS)))
        means = [float(p @ x) for _, x, p in found]
        variance = sum(
            n * float(p @ (x - mean) ** 2) for (n, x, p), mean in zip(found, means, strict=True)
        )
        spreads = [float(np.ptp(x)) for _, x, _ in found]
        all_of_it = sum(n * spread for (n, _, _), spread in zip(found, spreads, strict=True))
        reach = min(all_of_it, DEVIATIONS * math.sqrt(variance) + max(spreads))
        logs = np.concatenate([x for _, x, _ in found])
        importance = np.concatenate([n * p for n, _, p in found])
        step = _step(logs, importance, 2 * reach / points)
        if step > MOST_LOG * TILTS:
            return None
        root = rational(math.exp(step / TILTS))
        centres = tuple(mean / step for mean in means)
        return cls(pair.weights, tilt, root, step, centres, math.ceil(reach / step) + 1)

    def merged(self, matrix: Array, row: int) -> Masses:
        """Put every output on the nearest point."""
        masses: Masses = {}
        points = [round(x / self.step) for x in _logs(matrix)[1].tolist()]
        for point, p in zip(points, matrix[row], strict=True):
            tilted = arb(p) * arb(self.root) ** ((self.tilt - TILTS * row) * point)
            masses[point] = masses.get(point, arb(0)) + tilted
        return masses

    def split(self, matrix: Array) -> Masses:
        """Divide every output between the two points around it, its ratio q/p kept on average.

        If balls cannot tell that it lies between them, take as much of it as can lie on one.
        """
        masses: Masses = {}
        for (p, q), x in zip(matrix.T, _logs(matrix)[1], strict=True):
            point = math.floor(x / self.step)
            low, high = (arb(self.root) ** (TILTS * g) for g in (point, point + 1))
            one, two = (high * p - q) / (high - low), (q - low * p) / (high - low)
            if not one > 0:
                one, two = arb(0), arb(p).min(q / high)
            elif not two > 0:
                one, two = arb(p).min(q / low), arb(0)
            for g, mass in ((point, one), (point + 1, two)):
                masses[g] = masses.get(g, arb(0)) + mass * arb(self.root) ** (self.tilt * g)
        return masses

    def observed(self, parts: list[tuple[Masses, int]], *, up: bool) -> "_Measure":
        """The measure of the sum of so many independent grid points of each part."""
        each = (
            _Measure.of(masses, mean, self.half, up=up).power(n)
            for (masses, n), mean in zip(parts, self.means, strict=True)
        )
        return reduce(_Measure.times, each)

    def below(self, split: "_Measure") -> arb:
        """Σ_g min(v, w·λ^g) of the split measure, its tilt taken off."""
        one, two = self._weights(split.first)
        masses = zip(split.poly.coeffs(), one, two, strict=False)
        return sum((mass * v.min(w) for mass, v, w in masses), arb(0)) * split.scale

    def above(self, first: "_Measure", second: "_Measure") -> arb:
        """Σ_g of the lesser of the merged measures, and the most that lies outside of the grid."""
        one, two = self._weights(first.first)
        masses = zip(first.poly.coeffs(), second.poly.coeffs(), one, two, strict=False)
        inside = sum(
            ((first.scale * p * v).min(second.scale * q * w) for p, q, v, w in masses), arb(0)
        )
        if not (first.outside and second.outside):
            return inside
        left, right = (
            weight * measure.scale * measure.outside
            for weight, measure in zip(self.weights, (first, second), strict=True)
        )
        return inside + _between(left, right, self.tilt)

    def _weights(self, point: int) -> tuple[Iterator[arb], Iterator[arb]]:
        """Yield what takes the tilt off the two measures, times v and w, from a point on."""
        return tuple(  # type: ignore[return-value]
            accumulate(repeat(arb(self.root) ** e), mul, initial=arb(self.root) ** (e * point) * v)
            for v, e in zip(self.weights, (-self.tilt, TILTS - self.tilt), strict=True)
        )


def _step(logs: Floats, importance: Floats, least: float) -> float:
    """Return a step between ``least`` and twice that, of which ``logs`` are nearly multiples.

    Each step that is tried has one of them as a multiple.
    """
    sizes = np.unique(np.abs(logs[logs != 0]))
    if least == 0:
        return float(sizes[0]) if sizes.size else 1.0
    fewest, most = np.ceil(sizes / least / 2), np.floor(sizes / least)
    multiples = np.floor(np.linspace(fewest, np.maximum(fewest, most), STEPS))
    steps = np.append((sizes / multiples)[multiples <= most], least)
    off = logs[:, None] - np.rint(logs[:, None] / steps) * steps
    return float(steps[(importance @ off**2).argmin()])


@dataclass(frozen=True, slots=True, eq=False)
class _Measure:
    """A measure on the grid: coefficient·scale on each point from ``first`` on.

    The coefficients are rounded, all up or all down. Those too far from the mean are left out.
    """

    poly: fmpz_poly
    first: int
    mean: float
    half: int
    scale: arb
    """What the coefficient 1 stands for."""
    total: fmpz
    """At least the sum of all coefficients, those left out too."""
    outside: fmpz
    """At least the sum of those left out. Both are only kept if ``up``."""
    up: bool

    @classmethod
    def of(cls, masses: Masses, mean: float, half: int, *, up: bool) -> "_Measure":
        """Round the masses on grid points."""
        first, scale = min(masses), sum(masses.values(), arb(0)).mid() / ONE
        coefficients = [fmpz(0)] * (max(masses) - first + 1)
        for point, mass in masses.items():
            end = (mass / scale).upper().ceil() if up else (mass / scale).lower().floor()
            coefficients[point - first] = max(end.fmpz(), fmpz(0))
        total = sum(coefficients, fmpz(0))
        return cls(fmpz_poly(coefficients), first, mean, half, scale, total, fmpz(0), up)

    def times(self, other: "_Measure") -> "_Measure":
        """The measure of a sum of two independent grid points."""
        first, mean = self.first + other.first, self.mean + other.mean
        poly = self._rounded(self.poly * other.poly)
        cut = max(0, round(mean) - self.half - first)
        kept = poly.right_shift(cut).truncate(2 * self.half + 1)
        outside = self._rounded(self.outside * other.total + self.total * other.outside)
        return _Measure(
            kept,
            first + cut,
            mean,
            self.half,
            self.scale * other.scale * ONE,
            self._rounded(self.total * other.total),
            outside + poly(1) - kept(1),
            self.up,
        )

    def power(self, n: int) -> "_Measure":
        """The measure of the sum of n independent grid points."""
        if n == 1:
            return self
        half = self.power(n // 2)
        double = half.times(half)
        return double.times(self) if n % 2 else double

    def _rounded(self, value: Whole) -> Whole:
        return -(-value // ONE) if self.up else value // ONE
