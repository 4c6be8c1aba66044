"""Noise on whole numbers by definition: chances that repeat, by a factor, beyond some point.

The noise of the library is described here once more, in its own words, beside two kinds that a user
may bring: uniform and staircase noise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import leaktight as lt
from leaktight.channels.additive_noise import AdditiveNoise
from leaktight.mechanisms import Guarantee, Mechanism, RoundedLaplace, StaircaseNoise


@dataclass(frozen=True, slots=True)
class Shape:
    """Symmetric noise: P(k + period) = fall·P(k) for k ≥ start ≥ 0."""

    chance: Callable[[int], Fraction]
    start: int
    period: int
    fall: Fraction
    ends: tuple[int, int] | None = None
    """Where noisy answers are cut off, if they are."""

    def tail(self, k: int) -> Fraction:
        """Return the chance of k or more."""
        if k <= 0:
            return 1 - self.tail(1 - k)
        first = max(k, self.start)
        listed = sum((self.chance(j) for j in range(k, first)), Fraction(0))
        period = sum((self.chance(j) for j in range(first, first + self.period)), Fraction(0))
        return listed + period / (1 - self.fall)

    def seen(self, answer: int, least: int, most: int) -> dict[Any, Fraction]:
        """Return how likely each output is, for answers from ``least`` to ``most``.

        Outputs whose chances are proportional, whatever the answer is, are one.
        """
        if self.ends is not None:
            low, high = self.ends
            inside = {z: self.chance(abs(z - answer)) for z in range(low + 1, high)}
            return inside | {low: self.tail(answer - low), high: self.tail(high - answer)}
        beyond = max(1, self.start) + self.period  # both sides have a period of their own
        low, high = least - beyond + 1, most + beyond - 1
        found = {z: self.chance(abs(z - answer)) for z in range(low, high + 1)}
        for k in range(self.period):
            found[low + k] /= 1 - self.fall
            found[high - k] /= 1 - self.fall
        return found


def shape_of(noise: Any) -> Shape | None:
    """Return the noise that a mechanism adds to whole numbers; None if it does not."""
    if isinstance(noise, Own):
        return noise.shape
    ends = None
    if isinstance(noise, lt.TruncatedGeometric | RoundedLaplace):
        if not all(isinstance(value, int) for value in noise.values):
            return None
        places: Any = noise.values
        ends = min(places), max(places)
        if noise.values != tuple(range(ends[0], ends[1] + 1)):
            return None
    if isinstance(noise, lt.GeometricNoise | lt.TruncatedGeometric):
        c = 1 / noise.step
        return Shape(lambda k: (1 - c) / (1 + c) * c**k, 0, 1, c, ends)
    if isinstance(noise, StaircaseNoise):
        c, steps, first = 1 / noise.ratio, noise.sensitivity, noise.width
        one = [1] * first + [c] * (steps - first)  # one period, from 0 on
        whole = 2 * sum(one) / (1 - c) - 1
        return Shape(lambda k: c ** (k // steps) * one[k % steps] / whole, 0, steps, c)
    if isinstance(noise, RoundedLaplace):
        s = 1 / noise.half_step
        return Shape(
            lambda k: 1 - s if k == 0 else (s ** (2 * k - 1) - s ** (2 * k + 1)) / 2,
            1,
            1,
            s**2,
            ends,
        )
    return None


class Own(Mechanism):
    """Noise that a user brings: a mechanism of their own, that says its tails."""

    def __init__(self, name: str, shape: Shape, least: int, most: int) -> None:
        self.shape, self.least, self.most = shape, least, most
        self._name = name

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return self._name

    @property
    def guarantee(self) -> Guarantee:
        """Something that it promises; nobody looks at it."""
        return Guarantee(Fraction(10**6), "answers that differ by 1")

    @property
    def channel(self) -> lt.Channel:
        """What is seen of each answer."""
        answers = range(self.least, self.most + 1)
        rows = [self.shape.seen(answer, self.least, self.most) for answer in answers]
        named = list(rows[0])
        return lt.Channel([[str(row[z]) for z in named] for row in rows], list(answers), named)

    def tail(self, k: int) -> Fraction:
        """Return the chance that ``k`` or more is added."""
        return self.shape.tail(k)


class OwnAdditive(Own, AdditiveNoise):
    """The same, that says also how well it tells two answers apart."""

    def pmf(self, k: int) -> Fraction:
        """Return the chance that ``k`` is added."""
        return self.shape.chance(abs(k))

    def shift_ratio(self, shift: int) -> Fraction | float:
        """Return the largest ratio over all outputs, which repeat beyond both answers."""
        ends = min(0, shift), max(0, shift)
        here, there = (self.shape.seen(answer, *ends) for answer in (0, shift))
        if any(here[z] and not there[z] for z in here):
            return math.inf
        return max(here[z] / there[z] for z in here if there[z])


def uniform(least: int, most: int, kind: type[Own] = Own) -> Own:
    """Noise that is equally likely from −2 to 2: what it can reach tells answers apart."""
    shape = Shape(lambda k: Fraction(1, 5) if k <= 2 else Fraction(0), 3, 1, Fraction(0))
    return kind("uniform noise", shape, least, most)


def staircase(least: int, most: int, kind: type[Own] = Own) -> Own:
    """Noise that is as likely for two steps, and then four times less likely."""
    scale = Fraction(1, 1 + 2 * (1 + 2 * Fraction(1, 4) / (1 - Fraction(1, 4))))
    shape = Shape(lambda k: scale * Fraction(1, 4) ** (k // 2), 2, 2, Fraction(1, 4))
    return kind("staircase noise", shape, least, most)
