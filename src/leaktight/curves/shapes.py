"""Shapes of privacy curves: polygons, Gaussian and Laplace noise, bounded range, samples.

A shape encloses g(a) = 1 − f(a) and the profile δ(λ) = max g(a) − λ·a between rationals. What is
read off floats is a proposal only: a point to look at, which any other might replace.
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeAlias

from flint import arb, fmpq

from leaktight.curves.polygon import ONE, ZERO, Polygon
from leaktight.exact.numbers import rational, to_float
from leaktight.exact.rounding import precision

if TYPE_CHECKING:
    from leaktight.curves.renyi import Orders

Ends: TypeAlias = tuple[fmpq, fmpq]
"""Rationals below and above a number."""

WORK, KEPT = 224, 128
"""The bits with which a number is computed, and those that are kept of its ends."""


class Shape(ABC):
    """What a privacy curve is made of."""

    @property
    @abstractmethod
    def is_symmetric(self) -> bool:
        """Whether both orders of two neighbours are bounded alike."""

    @abstractmethod
    def detection(self, alpha: fmpq) -> Ends:
        """Return what encloses g(a), for a from 0 to 1."""

    @abstractmethod
    def near(self, alpha: float) -> float:
        """Propose g(a)."""

    @abstractmethod
    def profile(self, ratio: fmpq) -> Ends:
        """Return what encloses δ(λ), for λ > 0."""

    @abstractmethod
    def touched(self, ratio: float) -> float:
        """Propose where a line of the slope λ from above touches g."""

    @property
    def polygons(self) -> "Enclosed | None":
        """Itself, if it is polygons."""
        return None

    @property
    def smooth(self) -> "Smooth | None":
        """Itself, if its losses have a formula."""
        return None

    @property
    def gaussian(self) -> "Gaussian | None":
        """Itself, if it is Gaussian noise."""
        return None

    @property
    def divergences(self) -> "Orders | None":
        """The Rényi divergences that are promised: more than the curve that follows from them."""
        return None

    def drawn(self, lines: int) -> "Enclosed":
        """Return polygons around it: below lines that touch it, and through points on it."""
        slopes = [rational(s) for s in self._slopes(lines)]
        touching = [(slope, self.profile(slope)[1]) for slope in slopes]
        places = {rational(self.touched(to_float(slope))) for slope in slopes}
        points = [(a, self.detection(a)[0]) for a in places if 0 <= a <= 1]
        if not self.is_symmetric:
            return Enclosed(Polygon.hull(points), Polygon.of_lines(touching))
        return Enclosed(Polygon.around(points), Polygon.of_pairs(touching))

    def _slopes(self, lines: int) -> list[float]:
        """Propose slopes from 1 on, or around it, evenly in their logarithms."""
        most = 1.0
        small = rational(2.0**-16 / lines**2)
        while most < 700 and self.profile(rational(math.exp(most)))[1] > small:
            most *= 1.25
        while most > 2.0**-60 and self.profile(rational(math.exp(most / 1.25)))[1] <= small:
            most /= 1.25
        steps = [most * k / lines for k in range(lines + 1)]
        if not self.is_symmetric:
            steps += [-step for step in steps[1:]]
        return [math.exp(step) for step in steps]

    def grouped(self, steps: int) -> "Shape | None":
        """Return g∘…∘g, if it has a formula."""
        return None


class Smooth(Shape):
    """A shape whose profile is a formula, computed with as many bits as are asked for."""

    @property
    def smooth(self) -> "Smooth":
        """Itself."""
        return self

    @abstractmethod
    def delta(self, loss: arb) -> arb:
        """Return a ball around δ(e^loss), at the precision that is set."""

    @abstractmethod
    def point(self, loss: arb) -> tuple[arb, arb]:
        """Return balls around the point (a, p) where the slope falls below e^loss."""


@dataclass(frozen=True)
class Enclosed(Shape):
    """Two polygons between which a curve lies; the same one twice if it is exact."""

    lower: Polygon
    upper: Polygon

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether both polygons are."""
        return self.upper.is_symmetric and (self.is_exact or self.lower.is_symmetric)

    @property
    def polygons(self) -> "Enclosed":
        """Itself."""
        return self

    def drawn(self, lines: int) -> "Enclosed":
        """Itself."""
        return self

    @property
    def is_exact(self) -> bool:
        """Whether there is one polygon only."""
        return self.lower is self.upper

    def detection(self, alpha: fmpq) -> Ends:
        """Both polygons there."""
        return self.lower.at(alpha), self.upper.at(alpha)

    def near(self, alpha: float) -> float:
        """The upper polygon there."""
        return to_float(self.upper.at(rational(alpha)))

    def profile(self, ratio: fmpq) -> Ends:
        """Both polygons' profiles."""
        return self.lower.delta(ratio), self.upper.delta(ratio)

    def touched(self, ratio: float) -> float:
        """A corner of the lower polygon."""
        return self._places[bisect_left(self._falls, -ratio)]

    @cached_property
    def _falls(self) -> list[float]:
        return [-to_float(slope) for slope, _ in self.lower.lines]

    @cached_property
    def _places(self) -> list[float]:
        return [to_float(a) for a, _ in self.lower.corners]


class Formula(Smooth):
    """What is common to shapes whose profile is a formula for λ ≥ 1 and symmetric."""

    @property
    def is_symmetric(self) -> bool:
        """Always: noise is as likely to one side as to the other."""
        return True

    @abstractmethod
    def grouped(self, steps: int) -> "Smooth":
        """Return g∘…∘g: all these are shifts, g(a) = F(F⁻¹(a) + t), and shifts add up."""

    def delta(self, loss: arb) -> arb:
        """Return a ball around δ(e^loss), of any sign of the loss."""
        if loss >= 0:
            return self.above(loss)
        ratio = loss.exp()
        return 1 - ratio + ratio * self.above(-loss)

    @abstractmethod
    def above(self, loss: arb) -> arb:
        """Return a ball around δ(e^loss) for a loss of at least 0."""

    def near(self, alpha: float) -> float:
        """Nothing is quicker than the bound itself."""
        return to_float(self.detection(rational(alpha))[1])

    def profile(self, ratio: fmpq) -> Ends:
        """The formula, rounded outward."""
        with precision(WORK):
            found = self.delta(arb(ratio).log() if ratio != 1 else arb(0))
        return ends(found)


def ends(ball: arb) -> Ends:
    """Return rationals below and above a probability that is enclosed."""
    with precision(KEPT):
        low, high = ball.lower().fmpq(), ball.upper().fmpq()
    return max(low, ZERO), min(high, ONE)


@dataclass(frozen=True)
class Gaussian(Formula):
    """Normal noise whose shift is μ standard deviations: g(a) = Φ(Φ⁻¹(a) + μ) [Dong2022]_."""

    square: fmpq
    """μ², which adds up when such noise is composed."""

    @property
    def gaussian(self) -> "Gaussian":
        """Itself."""
        return self

    def grouped(self, steps: int) -> "Gaussian":
        """The shift grows with the steps."""
        return Gaussian(self.square * steps**2)

    def above(self, loss: arb) -> arb:
        """Φ(−ε/μ + μ/2) − λ·Φ(−ε/μ − μ/2), of Theorem 8 of [Balle2018a]_."""
        mu = arb(self.square).sqrt()
        return _phi(mu / 2 - loss / mu) - loss.exp() * _phi(-mu / 2 - loss / mu)

    def point(self, loss: arb) -> tuple[arb, arb]:
        """Φ(−ε/μ ∓ μ/2)."""
        mu = arb(self.square).sqrt()
        return _phi(-mu / 2 - loss / mu), _phi(mu / 2 - loss / mu)

    def detection(self, alpha: fmpq) -> Ends:
        """What the points on both sides of a have; there is one near it for each float."""
        if alpha == 0 or alpha == 1:
            return alpha, alpha
        near = _NORMAL.inv_cdf(min(max(to_float(alpha), _TINY), 1 - 2**-53))
        low, high = self._beside(alpha, near, -1), self._beside(alpha, near, 1)
        return (ZERO if low is None else low), (ONE if high is None else high)

    def _beside(self, alpha: fmpq, near: float, side: int) -> fmpq | None:
        """Return a bound on g(a) by that of a point beside a; None if there is no such float."""
        with precision(WORK):
            step = 2.0**-52 * max(1.0, abs(near))
            while step < 64:
                z = arb(near + side * step)
                if (_phi(z) <= arb(alpha)) if side < 0 else (_phi(z) >= arb(alpha)):
                    return ends(_phi(z + arb(self.square).sqrt()))[side > 0]
                step *= 4
        return None

    def touched(self, ratio: float) -> float:
        """Φ(−ε/μ − μ/2)."""
        mu = math.sqrt(to_float(self.square))
        return _NORMAL.cdf(-math.log(ratio) / mu - mu / 2) if ratio > 0 else 1.0


_NORMAL, _TINY = NormalDist(), 2.0**-1022


def _phi(z: arb) -> arb:
    return (-z / arb(2).sqrt()).erfc() / 2


@dataclass(frozen=True)
class Laplace(Formula):
    """Laplace noise of scale 1/ε for a shift of 1, Λ = e^ε (Proposition A.6 of [Dong2022]_)."""

    least: fmpq
    most: fmpq
    """Rationals below and above Λ."""

    def grouped(self, steps: int) -> "Laplace":
        """The shift grows with the steps, and so does ε."""
        return Laplace(*_powers(self.least, self.most, steps))

    def above(self, loss: arb) -> arb:
        """1 − √(λ/Λ), for Λ as a ball."""
        return _cut(1 - (loss / 2).exp() / _within(self.least, self.most).sqrt())

    def point(self, loss: arb) -> tuple[arb, arb]:
        """1/(2√(λΛ)) and 1 − √(λ/Λ)/2, the ends where there is no such slope."""
        most = _within(self.least, self.most)
        if loss >= most.log():
            return arb(0), arb(0)
        if loss < -most.log():
            return arb(1), arb(1)
        root = (loss / 2).exp()
        return 1 / (2 * root * most.sqrt()), 1 - root / (2 * most.sqrt())

    def detection(self, alpha: fmpq) -> Ends:
        """It grows with Λ."""
        return self._at(alpha, self.least), self._at(alpha, self.most)

    @staticmethod
    def _at(alpha: fmpq, ratio: fmpq) -> fmpq:
        if 2 * ratio * alpha <= 1:
            return ratio * alpha
        return 1 - (1 / (4 * ratio * alpha) if 2 * alpha <= 1 else (1 - alpha) / ratio)

    def touched(self, ratio: float) -> float:
        """1/(2√(λΛ)), between the ends of the middle part."""
        most = to_float(self.most)
        if not 1 / most <= ratio <= most:
            return 0.0 if ratio > most else 1.0
        return 1 / (2 * math.sqrt(ratio * most))


@dataclass(frozen=True)
class BoundedRange(Formula):
    """Losses within an interval of length ε, Λ = e^ε: g(a) = Λa/(1 + (Λ − 1)a).

    No event has odds more than Λ times as large: see ``docs/proofs/curves.md``. Such is the
    exponential mechanism [Durfee2019]_.
    """

    least: fmpq
    most: fmpq

    def grouped(self, steps: int) -> "BoundedRange":
        """Odds grow by Λ with each step; it is a shift of the logistic distribution."""
        return BoundedRange(*_powers(self.least, self.most, steps))

    def above(self, loss: arb) -> arb:
        """(√Λ − √λ)²/(Λ − 1), as (√Λ − √λ)·(1 − √(λ/Λ))·Λ/((Λ − 1)·√Λ)."""
        if self.most == 1:
            return arb(0)
        root = _within(self.least, self.most).sqrt()
        return _cut(root - (loss / 2).exp()) ** 2 / _within(self.least - 1, self.most - 1)

    def point(self, loss: arb) -> tuple[arb, arb]:
        """(√(Λ/λ) − 1)/(Λ − 1), and Λ·a/(1 + (Λ − 1)·a)."""
        if self.most == 1:
            return (arb(0), arb(0)) if loss >= 0 else (arb(1), arb(1))
        most, less = _within(self.least, self.most), _within(self.least - 1, self.most - 1)
        a = _cut((most.sqrt() * (-loss / 2).exp() - 1) / less).min(arb(1))
        return a, most * a / (1 + less * a)

    def detection(self, alpha: fmpq) -> Ends:
        """It grows with Λ."""
        low, high = (end * alpha / (1 + (end - 1) * alpha) for end in (self.least, self.most))
        return low, high

    def touched(self, ratio: float) -> float:
        """(√(Λ/λ) − 1)/(Λ − 1)."""
        most = to_float(self.most)
        if most in (1, math.inf) or ratio <= 0:
            return 0.0 if ratio > 1 else 1.0
        return min(max((math.sqrt(most / ratio) - 1) / (most - 1), 0.0), 1.0)


def _powers(least: fmpq, most: fmpq, steps: int) -> Ends:
    """Return rationals below and above Λ^steps, short ones where they are not exact."""
    if least == most and steps * least.height_bits() <= WORK:
        return least**steps, most**steps
    with precision(WORK):
        low, high = arb(least) ** steps, arb(most) ** steps
    with precision(KEPT):
        return max(low.lower().fmpq(), ONE), high.upper().fmpq()


def _within(least: fmpq, most: fmpq) -> arb:
    """Return a ball around all numbers between two rationals."""
    return arb(least).union(arb(most))


def _cut(ball: arb) -> arb:
    """Return a ball around max(0, x)."""
    return ball.max(arb(0))


@dataclass(frozen=True)
class Sampled(Smooth):
    """(1 − q)·a + q·g(a): whoever is present takes part with the chance q, add/remove."""

    whole: Smooth
    rate: fmpq

    @property
    def is_symmetric(self) -> bool:
        """Only if everyone takes part."""
        return self.rate == 1

    def delta(self, loss: arb) -> arb:
        """q·δ((λ − 1 + q)/q), or 1 − λ if λ ≤ 1 − q."""
        ratio, rate = loss.exp(), arb(self.rate)
        left = ratio - 1 + rate
        if left > 0:
            return rate * self.whole.delta((left / rate).log())
        if left <= 0:
            return 1 - ratio
        return (1 - ratio).union(rate)  # δ is between 1 − λ and q here

    def point(self, loss: arb) -> tuple[arb, arb]:
        """That of the whole where it is steeper."""
        left = (loss.exp() - 1 + arb(self.rate)) / arb(self.rate)
        if not left > 0:
            return arb(1), arb(1)
        a, p = self.whole.point(left.log())
        return a, (1 - arb(self.rate)) * a + arb(self.rate) * p

    def profile(self, ratio: fmpq) -> Ends:
        """The same, rounded outward."""
        left = ratio - 1 + self.rate
        if left <= 0:
            return 1 - ratio, 1 - ratio
        low, high = self.whole.profile(left / self.rate)
        return self.rate * low, self.rate * high

    def detection(self, alpha: fmpq) -> Ends:
        """That of the whole, mixed with a."""
        low, high = self.whole.detection(alpha)
        rest = (1 - self.rate) * alpha
        return rest + self.rate * low, rest + self.rate * high

    def near(self, alpha: float) -> float:
        """That of the whole, mixed with a."""
        rate = to_float(self.rate)
        return (1 - rate) * alpha + rate * self.whole.near(alpha)

    def touched(self, ratio: float) -> float:
        """Where the whole is touched by a steeper line."""
        rate = to_float(self.rate)
        return self.whole.touched((ratio - 1 + rate) / rate)
