"""Quantiles: the least value up to which a share q of the records is, in each of some groups.

They follow from numbers of records up to each value, which cost little where only neighbouring
values are secret pairs, or from a histogram, where somebody who comes or goes changes one cell.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from leaktight.errors import InvalidInput, InvalidNumber, expect
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.exact.shown import percent_as_given
from leaktight.labels import Labels
from leaktight.tables.law import Floats, Law, chance_above, each_side
from leaktight.tables.noise import BlockNoise
from leaktight.tables.queries.answer import Answer, Ends, Expected
from leaktight.tables.queries.query import (
    Block,
    ColumnQuery,
    Form,
    Part,
    Space,
    TableQuery,
    names,
)
from leaktight.tables.weights import Shape

MOST_VALUES = 1000
"""The most values of a column that is ranked."""

MOST_BLOCKS = 200
"""The most groups whose records are counted up, each by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles(ColumnQuery):
    """The least value up to which a share of the records is, in the order of the policy."""

    kind: ClassVar[str] = "quantiles"
    keys: ClassVar[dict[str, Form]] = {
        "column": Form.NAME,
        "by": Form.NAMES,
        "quantiles": Form.NUMBERS,
    }

    names_of_ways: ClassVar[tuple[str, ...]] = ("numbers up to each value", "a histogram")

    quantiles: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        super(Quantiles, self).__post_init__()
        read = tuple(fraction(as_printed(each)) for each in self.quantiles)
        if not read or not all(0 < each < 1 for each in read):
            raise InvalidNumber(
                f"the quantiles of {self.name!r} must be numbers between 0 and 1, such as 0.5, got "
                f"{list(map(str, self.quantiles))!s:.60}"
            )
        object.__setattr__(self, "quantiles", read)

    def said(self) -> dict[str, Any]:
        """Return what is asked, as a ledger has it."""
        asked = list(map(str, self.quantiles))
        return {"column": self.column, "by": list(self.by), "quantiles": asked, "way": self.way}

    def blocks(self, space: Space) -> list[Block]:
        """Return a block for each group."""
        own = space.one_column(self.column, self.name)
        values = tuple(dict.fromkeys(own))
        rank = {value: i for i, value in enumerate(values)}
        groups, places = space.groups(self.by, self.name)
        if len(groups) > MOST_BLOCKS or len(values) > MOST_VALUES:
            raise InvalidInput(
                f"quantiles are of at most {MOST_VALUES:,} values in {MOST_BLOCKS} groups, got "
                f"{len(values):,} in {len(groups):,} for {self.name!r}; cut the column into bands"
            )
        shape, nowhere = (
            (Shape.HISTOGRAM, -1) if self.taken == 1 else (Shape.CUMULATIVE, len(values))
        )
        found = []
        for g, group in enumerate(groups):
            ranks = [rank[v] if at == g else nowhere for v, at in zip(own, places, strict=True)]
            name = f"{self.name}, {group}" if self.by else self.name
            found.append(replace(space.block(self, name, values, shape, ranks), group=group))
        return found

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the quantiles of each group."""
        found = [
            _Quantile(_Ranks.of(part, self.taken == 1), q) for part in parts for q in self.quantiles
        ]
        values = parts[0].block.cells

        def ends(confidence: Fraction) -> list[Ends]:
            pairs = (each.interval(confidence) for each in found)
            return [(values[first], values[last]) for first, last in pairs]

        told = tuple(None if (at := each.place) is None else values[at] for each in found)
        noises = tuple(max(each.ranks.noisy) for each in found)
        return [Answer(self.name, self.kind, self._cells(parts), told, noises, ends)]

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return by how many people a rank is off."""
        errors = []
        for part in parts:
            ranks = _Ranks.of(part, self.taken == 1)
            own = Fraction(0) if ranks.noise is None else ranks.noise.variance
            for q in self.quantiles:
                for n, w, m, v in map(_Quantile(ranks, q).weighed, range(max(1, ranks.size - 1))):
                    errors.append(own * (n * w**2 + m * v**2) / q.denominator**2)
        cell = sum(errors, Fraction(0)) / len(errors)
        told = "ranks are off by ±{} people"
        count = len(parts) * len(self.quantiles)
        return [Expected(self.name, self.kind, count, cell, told=told, way=self.way)]

    def _cells(self, parts: Sequence[Part]) -> Labels:
        """Return the cells: groups, shares, or both."""
        groups = [part.block.group for part in parts]
        shares = [percent_as_given(q) for q in self.quantiles]
        if len(shares) == 1:
            return tuple(groups)
        if not self.by:
            return tuple(shares)
        named = [group if isinstance(group, tuple) else (group,) for group in groups]
        return tuple((*group, share) for group in named for share in shares)


@dataclass(frozen=True, slots=True, kw_only=True)
class Median(Quantiles):
    """The least value up to which half of the records are."""

    kind: ClassVar[str] = "median"
    keys: ClassVar[dict[str, Form]] = {"column": Form.NAME, "by": Form.NAMES}

    quantiles: tuple[Fraction, ...] = (Fraction(1, 2),)


@dataclass(frozen=True, slots=True, eq=False)
class _Ranks:
    """How many records are up to each value, of a group, and how many noises these numbers have."""

    numbers: tuple[Any, ...]
    noisy: tuple[int, ...]
    """How many noises are in the number up to each value."""
    noise: BlockNoise | None
    shared: bool
    """Whether a noise is in all numbers from its value on, as in a histogram."""

    @classmethod
    def of(cls, part: Part, shared: bool) -> "_Ranks":
        numbers, noisy = list(part.numbers), part.noisy
        if shared:
            for each in (numbers, noisy):
                for i in range(1, len(each)):
                    each[i] += each[i - 1]
        return cls(tuple(numbers), tuple(noisy), part.noise, shared)

    @property
    def size(self) -> int:
        return len(self.noisy)


@dataclass(frozen=True, slots=True, eq=False)
class _Quantile:
    """A quantile q = a/b of a group: D(v) = b·C(v) − a·N is below 0 before it, and not at it."""

    ranks: _Ranks
    share: Fraction

    def above(self, v: int) -> Any:
        """Return D with its noise at a value."""
        numbers = self.ranks.numbers
        return self.share.denominator * numbers[v] - self.share.numerator * numbers[-1]

    def weighed(self, v: int) -> tuple[int, int, int, int]:
        """Return of how many noises, with which weights, the noise of D at a value is a sum."""
        a, b, noisy = self.share.numerator, self.share.denominator, self.ranks.noisy
        if self.ranks.shared or v == self.ranks.size - 1:
            return noisy[v], b - a, (noisy[-1] - noisy[v]) * self.ranks.shared, a
        return noisy[v], b, noisy[-1], a

    @property
    def place(self) -> int | None:
        """Where the quantile seems to be: between where D is first not below 0, and last below."""
        if self.ranks.numbers[-1] <= 0:
            return None
        signs = [self.above(v) >= 0 for v in range(self.ranks.size)]
        first = signs.index(True)
        last = self.ranks.size - signs[::-1].index(False) if not all(signs) else 0
        return min((first + last) // 2, self.ranks.size - 1)

    def interval(self, confidence: Fraction) -> tuple[int, int]:
        """Return where it lies, in a group that is not empty, with at least this chance.

        If it is v, then D(v) ≥ 0 and D(v − 1) ≤ −1: each is refuted with at most half the rest.
        """
        beyond = each_side(confidence)
        end = self.ranks.size - 1
        first, last = 0, end
        while first < end and self._refuted(first, -self.above(first), beyond):
            first += 1
        while last > 0 and self._refuted(last - 1, self.above(last - 1) + 1, beyond):
            last -= 1
        told = [first, last] if self.place is None else [first, last, self.place]
        return min(told), max(told)

    def _refuted(self, v: int, least: int, beyond: float) -> bool:
        """Say whether the noise of D at v is hardly ever as large as that."""
        if least <= 0:
            return False
        n, weight, m, other = self.weighed(v)
        noise = self.ranks.noise
        if noise is None or not n + m:
            return True
        if float(noise.variance) * (n * weight**2 + m * other**2) <= 0.99 * beyond * least**2:
            return True  # by Chebyshev's inequality

        def needed(z: Floats) -> Floats:
            return (least - other * z) / weight

        return chance_above(Law.of(noise, n), Law.of(noise, m), needed, float("inf")) <= beyond


def quantiles_of(
    name: str,
    quantiles: Sequence[Number],
    column: str | None = None,
    *,
    by: Sequence[str] = (),
    share: int = 1,
    error: Number | None = None,
) -> TableQuery:
    """Ask for the least values up to which some shares of the records are, in each group.

    :param quantiles: the shares, such as ``[0.1, 0.5, 0.9]``.
    :param column: which of several columns it is about; its values are in the policy's order.
    :param by: the columns whose combinations are the groups that have quantiles each.
    :param error: by how many people a rank may be off, as a standard deviation.

    >>> quantiles_of("ages", [0.1, 0.5, 0.9], "age").kind
    'quantiles'
    """
    expect(quantiles, Iterable, "list the shares, as in [0.1, 0.5, 0.9]")
    told = {"column": column, "by": names(by), "quantiles": tuple(quantiles)}
    return Quantiles.read(name=name, share=share, error=error, **told)


def median_of(
    name: str,
    column: str | None = None,
    *,
    by: Sequence[str] = (),
    share: int = 1,
    error: Number | None = None,
) -> TableQuery:
    """Ask for the least value up to which half of the records are, in each group.

    It is as :func:`quantiles_of` with 0.5.

    >>> median_of("age").kind
    'median'
    """
    return Median.read(name=name, column=column, by=names(by), share=share, error=error)
