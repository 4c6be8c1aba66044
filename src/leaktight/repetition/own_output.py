"""A right guess if each secret has an output of its own.

So it is for randomised response: its own output is likelier for a secret than for all others, which
are alike. Then the best guess depends on the counts one by one: a secret is right if no other was
seen too often. Counts that are independent Poisson numbers, given their sum, are such counts. The
sum is singled out by a discrete Fourier transform, which takes some n^1.5 steps in place of as many
as there are types. The error is bounded in docs/proofs/own-output.md.
"""

import math
import sys
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from leaktight.exact.numbers import Array, rational, to_float
from leaktight.exact.rounding import precision
from leaktight.repetition.enclosure import Ends
from leaktight.repetition.rounds import Observations
from leaktight.repetition.types import BLOCK, Counts, Floats, Scaled

Complex: TypeAlias = npt.NDArray[np.complex128]

MOST_STEPS = 2**26
"""The most steps that are taken, about: seconds."""

MOST_OBSERVATIONS = 2**20
"""The most observations whose Poisson numbers are tabulated."""

UNLIKELY = 2.0**-64
"""Counts that are less likely than this are left out; the error allows for them."""

DEVIATIONS = 20
"""How many standard deviations of the sum the transform tells apart."""

LOWEST = -1200
"""No float reaches down to this power of 2."""

UNIT = 2.0**-53
"""How far, relatively, one rounding of a float can be off."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnOutput:
    """Classes of secrets, each with an output that is ``own`` likely for it, ``other`` for others.

    Another output may be equally likely for all.
    """

    weights: Array
    own: fmpq
    other: fmpq
    n: int

    @classmethod
    def of(cls, seen: Observations) -> "OwnOutput | None":
        """Return the observations as such, if they are of this kind."""
        if len(seen.parts) != 1 or len(seen) < 2:
            return None
        matrix, n = seen.parts[0]
        telling = matrix[:, [not (column == column[0]).all() for column in matrix.T]]
        place = telling.argmax(axis=1)
        if telling.shape[1] != len(seen) or len(set(place.tolist())) != len(seen):
            return None
        telling = telling[:, place]
        own, other = telling[0, 0], telling[0, 1]
        alike = np.where(np.eye(len(seen), dtype=np.bool_), own, other)
        if not own > other > 0 or not (telling == alike).all() or n > MOST_OBSERVATIONS:
            return None
        found = cls(seen.best, own, other, n)
        return found if found.steps <= MOST_STEPS else None

    @property
    def _groups(self) -> list[tuple[fmpq, int]]:
        """The different weights, and how many classes have each."""
        listed = self.weights.tolist()
        return [(weight, listed.count(weight)) for weight in dict.fromkeys(listed)]

    @property
    def steps(self) -> int:
        """How many steps :meth:`success` takes, about."""
        kept = DEVIATIONS * math.sqrt(self.n * to_float(self.own)) + 2 * DEVIATIONS
        return int(len(self._groups) ** 2 * kept * DEVIATIONS * math.sqrt(self.n))

    def success(self) -> Ends:
        """Numbers below and above Σ_c w_c·P_c(c is guessed)."""
        classes, n = len(self.weights), self.n
        rest = 1 - self.own - (classes - 1) * self.other
        own, others, common = (_Poisson.of(n * p, n) for p in (self.own, self.other, rest))
        size = own.table.size + 2 * math.ceil(DEVIATIONS / 2 * (math.sqrt(n) + 2))
        size += size % 2
        shares = self._shares(own, others, common, size)
        right = zip(self._groups, shares, strict=True)
        value = sum((w * rational(float(own.table @ share)) for (w, _), share in right), fmpq(0))
        mean, last = to_float(n * (1 - self.own)), n - own.first
        wrapped = _tail(mean, last - own.table.size + 1 + size) + _tail(mean, last - size)
        terms = classes * (others.table.size + 128) + common.table.size + own.table.size + size
        rounding = 2 * terms * UNIT
        lost = own.outside + (classes - 1) * others.outside + common.outside
        off = rational(2 * (wrapped + rounding + lost))
        with precision(128):
            scale = own.scale * others.scale ** (classes - 1) * common.scale
            factor = arb(n + 1).gamma() / arb(n) ** n / scale
            low, high = (factor * (value + sign * off) for sign in (-1, 1))
            limit = self.weights.sum()
            return max(low.lower().fmpq(), fmpq(0)), min(high.upper().fmpq(), limit)

    def _shares(
        self, own: "_Poisson", others: "_Poisson", common: "_Poisson", size: int
    ) -> list[Floats]:
        """For each group and count m of the own output, the probability that this guess is right.

        It is summed over the classes of the group, and is that of n observations in all.
        """
        counts = own.first + np.arange(own.table.size)
        groups, sums = self._groups, [np.zeros(counts.size) for _ in self._groups]
        caps = [[self._cap(i, j) for j in range(len(groups))] for i in range(len(groups))]
        roots = np.exp(2j * np.pi * np.arange(size) / size)
        height = max(1, BLOCK // max(counts.size, others.table.size))
        for start in range(0, size // 2 + 1, height):
            at = np.arange(start, min(start + height, size // 2 + 1))[:, None]
            upto = np.pad(np.cumsum(others.terms(roots, at), axis=1), ((0, 0), (1, 0)))
            # The second half of the transform is the conjugate of the first.
            both = np.where(at % (size // 2) == 0, 1, 2) * roots[at * (counts - self.n) % size]
            both *= common.terms(roots, at).sum(axis=1, keepdims=True)
            for i, (_, alike) in enumerate(groups):
                less, equal = (others.at_most(counts - k, upto) for k in (1, 0))
                product = both * _ties(less, equal, alike)[0]
                for j, (_, many) in enumerate(groups):
                    if j != i:
                        product *= _power(others.at_most(counts + caps[i][j], upto), many)
                sums[i] += product.real.sum(axis=0)
        return [share / size for share in sums]

    def _cap(self, i: int, j: int) -> int:
        """How much oftener than its own output those of group j may be seen, if i is guessed.

        Of equally good guesses, the group that stands first is taken.
        """
        (ours, _), (theirs, _) = self._groups[i], self._groups[j]
        cap, is_power = _whole_log(ours / theirs, self.own / self.other)
        return min(max(cap - (j < i and is_power), -self.n - 1), self.n + 1)


def _whole_log(ratio: fmpq, base: fmpq) -> tuple[int, bool]:
    """Return the largest k with base^k ≤ ratio, and whether the two are equal; base > 1.

    Balls decide, of more and more bits. Equal numbers, which they cannot tell apart, have about k
    times as many digits as the base, so that k is small.
    """
    bits = 64
    while True:
        with precision(bits):
            log = arb(ratio).log() / arb(base).log()
            low, high = (end.floor() for end in (log.lower(), log.upper()))
        if high.is_finite():
            k = int(high.fmpz())
            if abs(k) <= ratio.height_bits() and base**k == ratio:
                return k, True
            if low == high:
                return k, False
        bits *= 2


def _ties(less: Complex, equal: Complex, many: int) -> tuple[Complex, Complex, Complex]:
    """Return Σ_i less^i·equal^(many−1−i) over 0 ≤ i < many, and both to the power of ``many``.

    Of the i-th of equally good guesses, those before it must be worse, and those after not better.
    """
    if many == 1:
        return np.ones_like(less), less, equal
    whole, one, other = _ties(less, equal, many // 2)
    whole, one, other = whole * (one + other), one * one, other * other
    return (whole * less + other, one * less, other * equal) if many % 2 else (whole, one, other)


def _power(base: Complex, k: int) -> Complex:
    """Return a power by multiplication alone, whose roundings are known."""
    if k == 1:
        return base
    half = _power(base, k // 2)
    return half * half * base if k % 2 else half * half


def _tail(mean: float, x: int) -> float:
    """Bound the chance that a Poisson number is x or farther from its mean on that side."""
    mean = max(mean, sys.float_info.min)
    if x <= 0:
        return math.exp(-mean) if x == 0 else 0.0
    return math.exp(x - mean - x * math.log(x / mean))


@dataclass(frozen=True, slots=True, eq=False)
class _Poisson:
    """The chances rate^k/k!·scale of a Poisson number for all k ≤ n that are not too unlikely."""

    table: Floats
    first: int
    """The k that the table begins with."""
    outside: float
    """About what was left out."""
    scale: arb
    """A float near e^(−rate)."""

    @classmethod
    def of(cls, rate: fmpq, n: int) -> "_Poisson":
        """Make the table; what is beyond n cannot occur."""
        powers = Scaled.series(int(rate.p), int(rate.q), n)
        with precision(53):
            scale = (-arb(rate)).exp().mid()
        mantissa, exponent = scale.man_exp()
        powers_of_2 = np.maximum(powers.exponent + int(exponent), LOWEST).astype(np.int32)
        chances = np.ldexp(powers.fraction * float(mantissa), powers_of_2)
        kept = np.flatnonzero(chances >= UNLIKELY)
        inside = slice(kept[0], kept[-1] + 1)
        outside = float(chances[: inside.start].sum() + chances[inside.stop :].sum())
        return cls(chances[inside], int(kept[0]), outside, scale)

    def terms(self, roots: Complex, at: Counts) -> Complex:
        """The terms of the transform: a row for each place."""
        return self.table * roots[at * (self.first + np.arange(self.table.size)) % len(roots)]

    def at_most(self, caps: Counts, upto: Complex) -> Complex:
        """The transform of the numbers up to each cap, by the sums of the first terms."""
        return upto[:, np.clip(caps - self.first + 1, 0, self.table.size)]
