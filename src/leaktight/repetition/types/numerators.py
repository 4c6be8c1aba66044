"""Likelihoods of types for classes of secrets, in whole numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain
from math import factorial, prod

import numpy as np
from flint import fmpz

from leaktight.exact.numbers import Array, objects
from leaktight.repetition.types.type_classes import Counts, Lines, TypeClasses


@dataclass(frozen=True, slots=True, eq=False)
class Numerators:
    """Every probability as a whole number over the least denominator of its row."""

    numerators: Array
    """For each class (row) and output (column), an ``fmpz``."""
    denominators: Array
    """For each class (row) and part (column)."""
    times: tuple[int, ...]
    """How often each part is observed."""

    @classmethod
    def of(cls, types: TypeClasses) -> "Numerators":
        """Put each row of each channel over its least common denominator."""
        rows = [
            [reduce(fmpz.lcm, (p.q for p in row), fmpz(1)) for row in matrix]
            for matrix, _ in types.parts
        ]
        denominators = objects(chain.from_iterable(rows)).reshape(len(rows), -1).T
        part = np.repeat(np.arange(len(rows)), [matrix.shape[1] for matrix, _ in types.parts])
        pairs = zip(types.matrix.flat, denominators[:, part].flat, strict=True)
        numerators = objects(p.p * (d // p.q) for p, d in pairs)
        times = tuple(n for _, n in types.parts)
        return cls(numerators.reshape(-1, len(part)), denominators, times)

    @property
    def bits(self) -> int:
        """About how many bits the longest numerators of types have."""
        lengths = np.array([[int(d.bit_length()) for d in row] for row in self.denominators])
        return int((lengths @ np.array(self.times)).max())

    def whole(self) -> Array:
        """For each class, the product of the denominators of all observations."""
        return (self.denominators ** np.array(self.times, dtype=object)).prod(axis=1)

    def common(self) -> Array:
        """The least common denominators of each part."""
        return objects(reduce(fmpz.lcm, column) for column in self.denominators.T)

    def sequences(self, counts: Counts) -> Array:
        """The numerators of one sequence of each type, for all classes over the same denominator.

        That is the product of the common denominators of all observations. A row per class.
        """
        times = np.array(self.times, dtype=object)
        factors = ((self.common() // self.denominators) ** times).prod(axis=1)
        rows = [
            reduce(np.multiply, map(_powers, row, counts.T), factor)
            for row, factor in zip(self.numerators, factors, strict=True)
        ]
        return np.array(rows)

    def ways(self, counts: Counts) -> Array:
        """How many sequences have each of some types, or share the counts of each line.

        The counts of each row are those of all outputs, or those of a line and then its r.
        """
        whole = fmpz(prod(map(factorial, self.times)))
        listed = counts.ravel().tolist()
        factorials = {k: fmpz(factorial(k)) for k in set(listed)}
        return whole // objects([factorials[k] for k in listed]).reshape(counts.shape).prod(axis=1)

    def prefixes(self, lines: Lines, wanted: list[int]) -> dict[int, Array]:
        """The numerators that the types of each line share, for each class that is wanted."""
        ways = self.ways(np.pad(lines.counts, ((0, 0), (0, 1)), constant_values=lines.r))
        return {
            c: reduce(np.multiply, map(_powers, self.numerators[c], lines.counts.T), ways)
            for c in wanted
        }

    def running_sums(self, c: int, r: int, before: Array | None) -> Array:
        """The sums of the first 0, 1, …, r + 1 terms of the binomial series of a line.

        They obey Pascal's rule, so those of r − 1 observations make them quickly.
        """
        a, b = self.numerators[c, -2:]
        if before is None or len(before) != r + 1:
            return objects([fmpz(0), *accumulate(_binomial(a, b, r))])
        padded = np.append(before, before[-1:])
        return np.append(before[:1], a * padded[:-1] + b * padded[1:])


def _binomial(a: fmpz, b: fmpz, r: int) -> Iterator[fmpz]:
    """Yield C(r, t)·a^t·b^(r−t) for t = 0, …, r, each made of the one before."""
    if not b:
        return iter([fmpz(0)] * r + [a**r])
    steps = ((a * (r - t), b * (t + 1)) for t in range(r))
    return accumulate(steps, lambda term, step: term * step[0] // step[1], initial=b**r)


def _powers(base: fmpz, exponents: Counts) -> Array:
    """Return a number to every exponent, each power computed once."""
    listed = exponents.tolist()
    powers = {k: base**k for k in set(listed)}
    return objects([powers[k] for k in listed])
