"""Means: what the numbers of a column are on average, in each of some groups.

Whoever is in a group has a value x from a to b there. Two sums, A of x − a and B of b − x, have the
mean a + (b − a)·A/(A + B). One record adds b − a to both together, whatever its value is: so they
are better than a sum and a count with half of ε each, by a half of the variance. Where how many are
in each group is the same for all neighbours, the count is exact and free, and one sum is better.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar

import numpy as np

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number
from leaktight.tables.law import Floats, Law, chance_above, each_side
from leaktight.tables.noise import BlockNoise
from leaktight.tables.queries.answer import Answer, Ends, Expected
from leaktight.tables.queries.query import Block, Form, Part, Space, TableQuery, names
from leaktight.tables.queries.sum import NumbersQuery, of_each, sums_block

GRID = 2**20
"""An end of an interval is a multiple of so small a part of the range, rounded outward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanOf(NumbersQuery):
    """What the numbers of a column are on average, in each of some groups."""

    kind: ClassVar[str] = "mean"
    keys: ClassVar[dict[str, Form]] = {
        "column": Form.NAME,
        "by": Form.NAMES,
        "clamp": Form.NUMBERS,
    }

    names_of_ways: ClassVar[tuple[str, ...]] = ("two sums", "a sum and a count")

    def said(self) -> dict[str, Any]:
        """Return what is asked, as a ledger has it."""
        ends = list(map(str, self.clamp))
        return {"column": self.column, "by": list(self.by), "clamp": ends, "way": self.way}

    def blocks(self, space: Space) -> list[Block]:
        """Return two blocks, with a number for each group."""
        numbers = self.numbers(space)
        low, high = min({*numbers}), max({*numbers})
        if low == high:
            raise InvalidNumber(f"the mean {self.name!r} is of one number alone, {low}")
        if self.taken == 1:
            middle = (low + high) / 2
            parts = {
                "sum": of_each(numbers, lambda x: x - middle),
                "count": [Fraction(1)] * len(numbers),
            }
        else:
            parts = {
                "above": of_each(numbers, lambda x: x - low),
                "below": of_each(numbers, lambda x: high - x),
            }
        return [
            replace(
                sums_block(space, self, f"{self.name}, {each}", self.by, amounts, _unit(amounts)),
                ends=(low, high),
            )
            for each, amounts in parts.items()
        ]

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the means, each within the range of the values."""
        groups = [self._group(parts, i) for i in range(len(parts[0].numbers))]
        one, other = parts
        noises = [a + b for a, b in zip(one.noisy, other.noisy, strict=True)]

        def ends(confidence: Fraction) -> list[Ends]:
            return [group.interval(confidence) for group in groups]

        told = tuple(group.mean for group in groups)
        return [Answer(self.name, self.kind, one.block.cells, told, tuple(noises), ends)]

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return the error of a mean times how many have it, where it is largest."""
        one, other = parts
        low, high = one.block.ends
        errors = []
        for first, second in zip(one.variances, other.variances, strict=True):
            if self.taken == 1:  # the mean is furthest from the middle at an end
                far = (high - low) / 2
                errors.append(first * one.block.unit**2 + second * far**2)
            else:  # at one end one of the two sums alone counts
                errors.append(max(first, second) * one.block.unit**2)
        cell = sum(errors, Fraction(0)) / len(errors)
        told = "of n people it is off by ±{}/n"
        return [Expected(self.name, self.kind, len(errors), cell, None, told=told, way=self.way)]

    def _group(self, parts: Sequence[Part], i: int) -> "_Group":
        one, other = parts
        noises = [part.noises[i] for part in parts]
        unit = one.block.unit
        kind = _BySumAndCount if self.taken == 1 else _ByTwoSums
        return kind(*one.block.ends, unit, one.numbers[i], other.numbers[i], *noises)


@dataclass(frozen=True, slots=True, eq=False)
class _Group(ABC):
    """What was released of a group: two numbers with noise, and between which ends the mean is."""

    low: Fraction
    high: Fraction
    unit: Fraction
    one: Any
    other: Any
    noise: BlockNoise | None
    other_noise: BlockNoise | None

    @property
    def laws(self) -> tuple[Law, Law]:
        """The laws of the two noises."""
        return Law.of(self.noise, 1), Law.of(self.other_noise, 1)

    @property
    @abstractmethod
    def mean(self) -> Fraction | None:
        """The mean that the two numbers have; None if nobody seems to be there."""

    @abstractmethod
    def interval(self, confidence: Fraction) -> Ends:
        """Return where the mean of a group that is not empty lies, with at least this chance."""


class _ByTwoSums(_Group):
    __slots__ = ()

    @property
    def mean(self) -> Fraction | None:
        total = Fraction(self.one) + self.other
        if total <= 0:
            return None
        share = min(max(Fraction(self.one) / total, Fraction(0)), Fraction(1))
        return self.low + (self.high - self.low) * share

    def interval(self, confidence: Fraction) -> Ends:
        beyond = each_side(confidence)
        law, other = self.laws
        first = _least_share(self.one, self.other, law, other, beyond)
        last = GRID - _least_share(self.other, self.one, other, law, beyond)
        step = (self.high - self.low) / GRID
        return _around(self.mean, self.low + first * step, self.low + last * step)


class _BySumAndCount(_Group):
    __slots__ = ()

    @property
    def mean(self) -> Fraction | None:
        if self.other <= 0:
            return None
        middle = (self.low + self.high) / 2
        return min(max(middle + self.unit * self.one / self.other, self.low), self.high)

    def interval(self, confidence: Fraction) -> Ends:
        beyond = each_side(confidence)
        far = float((self.high - self.low) / 2 / self.unit)
        first, last = (
            _least_ratio(sign * self.one, self.other, *self.laws, beyond, far) for sign in (1, -1)
        )
        step = (self.high - self.low) / GRID
        return _around(self.mean, self.low + first * step, self.high - last * step)


def _around(mean: Fraction | None, first: Fraction, last: Fraction) -> Ends:
    """Return the interval with the mean that is told in it, even if the noise is unlikely."""
    if mean is None:
        return min(first, last), max(first, last)
    return min(first, mean), max(last, mean)


def _least_share(one: int, other: int, law: Law, other_law: Law, beyond: float) -> int:
    """Return the last i for which A/(A + B) < i/GRID is refuted, or 0.

    With ρ = i/(GRID − i), the chance of A − Z ≤ ρ·(B − Z') for any smaller ρ is at most that for
    ρ and Z' ≤ B, and that for 0 and Z' > B.
    """

    def refuted(i: int) -> bool:
        ratio = i / (GRID - i)

        def least(z: Floats) -> Floats:
            return one - np.where(z <= other, ratio, 0.0) * (other - z)

        return chance_above(law, other_law, least, float(other)) <= beyond

    return _last(refuted, GRID)


def _least_ratio(one: int, other: int, law: Law, other_law: Law, beyond: float, far: float) -> int:
    """Return the last i for which S/N < −far + 2·far·i/GRID is refuted, or 0."""

    def refuted(i: int) -> bool:
        ratio = -far + 2 * far * i / GRID

        def least(z: Floats) -> Floats:
            return one - np.where(z <= other, ratio, -far) * (other - z)

        return chance_above(law, other_law, least, float(other)) <= beyond

    return _last(refuted, GRID)


def _last(refuted: Callable[[int], bool], end: int) -> int:
    """Return the last number below ``end`` that is refuted, as all before it are; else 0."""
    low, high = 0, end
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def _unit(amounts: Sequence[Fraction]) -> Fraction:
    """Return the largest unit of which all amounts are whole numbers."""
    few = {*amounts}
    whole = lcm(*(amount.denominator for amount in few))
    return Fraction(gcd(*(int(amount * whole) for amount in few)), whole)


def mean_of(
    name: str,
    column: str | None = None,
    *,
    by: Sequence[str] = (),
    clamp: Sequence[Number] = (),
    share: int = 1,
    error: Number | None = None,
) -> TableQuery:
    """Ask what the numbers of a column are on average, in each group.

    :param column: which of several columns it is about.
    :param by: the columns whose combinations are the groups that have a mean each.
    :param clamp: the least and the largest that one record may have, such as ``[0, 8]``.
    :param error: a standard deviation: a mean of n people is off by at most ``error``/n.

    >>> mean_of("stay", "days", by=["ward"], clamp=[0, 8]).kind
    'mean'
    """
    told = {"column": column, "by": names(by), "clamp": clamp}
    return MeanOf.read(name=name, share=share, error=error, **told)
