"""Discrete Gaussian noise on the integers, drawn with nothing rounded or cut off.

Noise k has a probability that is proportional to w(k) = e^(−k²/(2σ²)). With m a power of 2 that is
about σ/3, |k| = h·m + l, and w(k) = w(h·m)·e^(−n/(2σ²)) for n = l·(l + 2·h·m). So h is drawn by
w(h·m), l is m's share of random bits, and both are kept with the chance e^(−n/(2σ²)): that all
digits of n in base 16 are, each by itself, digit i, if it is s, with e^(−s·16^i/(2σ²)). The proof
is in docs/proofs/sampling.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from leaktight.exact.numbers import rational
from leaktight.mechanisms.release.random_bits import (
    BLOCK,
    Cuts,
    RandomBytes,
    enclosed,
    expect_size,
    is_below,
    random_bytes,
    sections,
)

DIGIT = 4
"""How many binary digits of n are decided at a time."""

LAST = 2**DIGIT - 1
"""The greatest digit."""

STEPS = 31
"""How many values of h have a section each; those beyond are drawn again, among themselves."""

RARE = 12
"""What is below 2^−12 in n/(2σ²) is decided for few, one by one."""

WIDTH = 62
"""Numbers below 2^62 are kept in 64 bits."""


def gaussian_noise(
    size: int, variance: Fraction, rng: np.random.Generator | None = None
) -> list[int]:
    """Draw ``size`` integers k with P(k) ∝ e^(−k²/(2σ²)), exactly and independently.

    ``variance`` is σ², above 0. Random bits come from the operating system; for tests, ``rng`` may
    be a numpy generator.

    >>> noise = gaussian_noise(10_000, Fraction(100), np.random.default_rng(7))
    >>> sum(abs(k) <= 10 for k in noise) // 1000  # tenths; 70.6%
    7
    """
    expect_size(size)
    source, shape = random_bytes(rng), _shape(variance)
    found: list[int] = []
    while len(found) < size:
        found += shape.proposed(min(BLOCK, size - len(found)), source).tolist()
    return found


@lru_cache(64)
def _shape(variance: Fraction) -> "_Shape":
    """Return all that is worked out of a variance, which many blocks of numbers share."""
    return _Shape.of(rational(variance))


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """How noise of one variance is drawn."""

    spread: fmpq
    """2σ²."""
    bits: int
    """m = 2^bits."""
    rare: int
    """The lowest ``rare`` bits of n are decided together."""
    steps: Callable[[int], Cuts]
    """The cuts between the values of h, from one of them on."""
    digit: Callable[[int], Cuts]
    """The cuts e^(−s·16^i/(2σ²)), s = 15, …, 1, of digit i above the lowest bits."""
    rest: Cuts
    """The cut below which whatever the lowest bits of n are is kept."""

    @classmethod
    def of(cls, variance: fmpq) -> "_Shape":
        spread = 2 * variance
        bits = max(0, math.isqrt(int(variance.floor())).bit_length() - 2)  # 2 ≤ σ/m < 4
        rare = max(0, int(spread.floor()).bit_length() - 1 - RARE)
        fall = fmpq(4**bits) / spread

        @cache
        def steps(first: int) -> Cuts:
            return enclosed(lambda prec: _chances(fall, first, prec), 64)

        @cache
        def digit(i: int) -> Cuts:
            unit = fmpq(1 << rare + DIGIT * i) / spread
            return enclosed(lambda _: [(-arb(unit * s)).exp() for s in range(LAST, 0, -1)], 64)

        rest = enclosed(lambda _: [(-arb(fmpq(1 << rare) / spread)).exp()], 64)
        return cls(spread, bits, rare, steps, digit, rest)

    def proposed(self, count: int, source: RandomBytes) -> npt.NDArray[Any]:
        """Propose so many, and return those that are kept."""
        h = self._steps(count, source)
        low = _random(count, self.bits + 1, source)
        positive, low = (low & 1).astype(bool), low >> 1
        if (2 * int(h.max(initial=0)) + 1) << 2 * self.bits > 2**WIDTH:
            h, low = h.astype(object), low.astype(object)
        high = h << self.bits
        k = high + low
        keep = positive | (k != 0)  # 0 has no sign, and would come twice as often
        if self.bits:
            keep &= self._kept(low * (low + 2 * high), source)
        return np.where(positive, k, -k)[keep.astype(bool)]

    def _steps(self, count: int, source: RandomBytes) -> npt.NDArray[Any]:
        """Draw h: if it has none of the sections, from there on."""
        h = sections(self.steps(0), count, source).astype(np.int64)
        first, more = STEPS, np.flatnonzero(h == STEPS)
        while len(more):
            h[more] += sections(self.steps(first), len(more), source)
            first += STEPS
            more = more[h[more] == first]
        return h

    def _kept(self, n: npt.NDArray[Any], source: RandomBytes) -> npt.NDArray[np.bool_]:
        """Say which are kept, each with the chance e^(−n/(2σ²))."""
        keep, left, i = np.ones(len(n), dtype=bool), n >> self.rare, 0
        while left.any():
            # As many cuts are at most U as keep digits above 15 minus that from being kept.
            above = sections(self.digit(i), len(n), source)
            keep &= above + (left & LAST).astype(np.uint8) <= LAST
            left, i = left >> DIGIT, i + 1
        if self.rare:
            for at in np.flatnonzero(sections(self.rest, len(n), source)):
                keep[at] &= self._rarely(int(n[at]) & (1 << self.rare) - 1, source)
        return keep

    def _rarely(self, low: int, source: RandomBytes) -> bool:
        """Say whether U < e^(−low/(2σ²)), given that it is at least what the highest would need."""

        def chance(_: int) -> list[arb]:
            least = (-arb(fmpq(1 << self.rare) / self.spread)).exp()
            return [((-arb(fmpq(low) / self.spread)).exp() - least) / (1 - least)]

        cuts = enclosed(chance, 64 + RARE)
        return is_below(lambda bits: (cuts(bits)[0][0], cuts(bits)[1][0]), 0, 0, source)


def _chances(fall: fmpq, first: int, prec: int) -> list[arb]:
    """Return the chances that h is below first + 1, first + 2, … if it is at least ``first``.

    Its weights are e^(−fall·h²). Those from h on are at most the first of them times
    1/(1 − e^(−2·fall·h)), since (h + i)² ≥ h² + 2·h·i.
    """
    sums, h = [arb(0)], first
    while True:
        weight = (-arb(fall * (h * h - first * first))).exp()
        if h > first + STEPS:
            rest = weight / (1 - (-arb(2 * fall * h)).exp())
            if rest < arb(2) ** -prec:
                break
        sums.append(sums[-1] + weight)
        h += 1
    whole = sums[-1] + rest.union(arb(0))
    return [part / whole for part in sums[1 : STEPS + 1]]


def _random(count: int, bits: int, source: RandomBytes) -> npt.NDArray[Any]:
    """Return so many numbers of so many random bits."""
    size = -(-bits // 8)
    if size > 7:
        drawn = source(count * size)
        parts = (drawn[at : at + size] for at in range(0, len(drawn), size))
        words = [int.from_bytes(part, "little") & (1 << bits) - 1 for part in parts]
        return np.array(words, dtype=object)
    width = 1 << (size - 1).bit_length()
    found = np.frombuffer(source(count * width), f"<u{width}").astype(np.int64)
    return found & (1 << bits) - 1
