"""Likelihoods of types for classes of secrets, in floats that never vanish.

The numbers are fractions in [1/2, 1) with whole exponents of their own, made by multiplication
alone, without logarithms. They keep their digits however many observations there are. The error
of each is bounded in docs/proofs/repetition.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from leaktight.repetition.types.type_classes import Counts, Floats, Lines, TypeClasses

PRECISION = 128
"""The bits to which a product of many factors is kept before it is rounded to a float."""

STRIDE = 16
"""How many numbers of a table are made from one that is kept so."""

NEVER = -(2**40)
"""The exponent of a probability that is 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Numbers fraction·2^exponent, the fraction 0 or in [1/2, 1)."""

    fraction: Floats
    exponent: Counts

    def __getitem__(self, key: Any) -> "Scaled":
        return Scaled(self.fraction[key], self.exponent[key])

    def __mul__(self, other: "Scaled") -> "Scaled":
        fraction, shift = np.frexp(self.fraction * other.fraction)
        return Scaled(fraction, self.exponent + other.exponent + shift)

    def inverse(self) -> "Scaled":
        """1 divided by the numbers."""
        fraction, shift = np.frexp(1 / self.fraction)
        return Scaled(fraction, shift - self.exponent)

    @classmethod
    def series(cls, p: int, q: int, n: int) -> "Scaled":
        """Return (p/q)^k/k! for k = 0, …, n.

        Every STRIDE-th number comes from whole numbers of PRECISION bits, the others by
        multiplication from there.
        """
        if not p:
            return cls(np.array([0.5] + [0.0] * n), np.array([1] + [NEVER] * n))
        values, exponents = [], []
        value, exponent = 1 << PRECISION, -PRECISION
        stride, power_of_2 = _mantissa(p**STRIDE, q**STRIDE)
        room = (n + STRIDE).bit_length() * STRIDE
        for k in range(0, n + 1, STRIDE):
            values.append(float(value))
            exponents.append(exponent)
            value = (value * stride << room) // prod(range(k + 1, k + STRIDE + 1))
            extra = value.bit_length() - PRECISION
            value, exponent = value >> extra, exponent + extra - room + power_of_2
        power = p.bit_length() - q.bit_length()
        base = (p << max(-power, 0)) / (q << max(power, 0))
        steps = np.arange(len(values) * STRIDE, dtype=float).reshape(-1, STRIDE)
        steps[:, 0], steps[:, 1:] = values, base / steps[:, 1:]
        fraction, shift = np.frexp(np.cumprod(steps, axis=1))
        exponent_of = np.array(exponents)[:, None] + power * np.arange(STRIDE) + shift
        return cls(fraction.ravel()[: n + 1], exponent_of.ravel()[: n + 1])


def _mantissa(p: int, q: int) -> tuple[int, int]:
    """Return m and e with m·2^e ≤ p/q < (m + 1)·2^e, m of 2·PRECISION bits or one more."""
    power = p.bit_length() - q.bit_length() - 2 * PRECISION
    return (p << max(-power, 0)) // (q << max(power, 0)), power


@dataclass(frozen=True, slots=True, eq=False)
class Likelihoods:
    """The probability of every type for every class, in floating point."""

    tables: tuple[Scaled, ...]
    """For each output p^k/k!: a row per class, a column per count k."""
    factorials: tuple[Scaled, ...]
    """For each part 1/k!, a column per k."""

    @classmethod
    def of(cls, types: TypeClasses) -> "Likelihoods":
        """Make the tables for so many observations; they serve for fewer, too."""
        tables = []
        for column, n in zip(types.matrix.T, types.times, strict=True):
            rows = [Scaled.series(int(p.p), int(p.q), n) for p in column]
            tables.append(
                Scaled(np.array([r.fraction for r in rows]), np.array([r.exponent for r in rows]))
            )
        factorials = (Scaled.series(1, 1, n) for _, n in types.parts)
        return cls(tuple(tables), tuple(factorials))

    def on(self, lines: Lines, times: Iterable[int]) -> Scaled:
        """The probabilities of the types on some lines: an array of classes × lines × (r + 1).

        The fractions are in [1/4, 1), or 0. ``times`` says how often each part is observed.
        """
        *rest, one, other = self.tables
        scalars = (f[n : n + 1] for f, n in zip(self.factorials, times, strict=True))
        ways = reduce(Scaled.__mul__, scalars).inverse()
        columns = (table[:, lines.counts[:, j]] for j, table in enumerate(rest))
        prefix = reduce(Scaled.__mul__, columns, ways[None, :])
        series = one[:, : lines.r + 1] * other[:, lines.r :: -1]
        return Scaled(
            prefix.fraction[:, :, None] * series.fraction[:, None, :],
            prefix.exponent[:, :, None] + series.exponent[:, None, :],
        )
