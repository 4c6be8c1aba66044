"""Sums: what the numbers of a column, or whole weights of values, add up to."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from leaktight.errors import InvalidInput, InvalidNumber, expect
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.labels import Labels, positions
from leaktight.tables.queries.answer import Answer, Expected, counted_answer
from leaktight.tables.queries.query import (
    Block,
    ColumnQuery,
    Form,
    Part,
    Space,
    TableQuery,
    names,
)
from leaktight.tables.reading import Reading
from leaktight.tables.weights import LARGEST, Shape

Made = TypeVar("Made")

NUMBERS = int | float | Decimal | Fraction | np.integer | np.floating


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersQuery(ColumnQuery):
    """A question about the numbers of a column, or what they are brought to."""

    clamp: tuple[Fraction, ...] = ()
    """The least and the largest that anybody has; empty for those that are declared."""

    def __post_init__(self) -> None:
        super(NumbersQuery, self).__post_init__()
        object.__setattr__(self, "clamp", read_clamp(self.clamp, self.name))

    def expect_reading(self, reading: Reading) -> None:
        """Refuse numbers that are brought to bands: their names are no numbers of the table."""
        column = reading.columns[0] if self.column is None else self.column
        if column in reading.cuts:
            raise InvalidInput(
                f"the query {self.name!r} is about the numbers of {column!r}, which cuts bring to "
                "bands: their names would be taken for numbers; declare numbers and clamp others "
                "to them, or ask for a sum with weights, a number for each band"
            )

    def numbers(self, space: Space) -> list[Fraction]:
        """Return the number that each value counts as."""
        values = space.one_column(self.column, self.name)
        return clamped(numbers_of(values, self.name, self.kind), self.clamp)


@dataclass(frozen=True, slots=True, kw_only=True)
class SumOf(NumbersQuery):
    """What the numbers of a column add up to, in each of some groups."""

    kind: ClassVar[str] = "sum"
    keys: ClassVar[dict[str, Form]] = {
        "column": Form.NAME,
        "by": Form.NAMES,
        "clamp": Form.NUMBERS,
        "weights": Form.WEIGHTS,
    }

    weights: tuple[tuple[Hashable, int], ...] = ()
    """What each value adds; empty if it is the value itself."""

    def expect_reading(self, reading: Reading) -> None:
        """Refuse the same, unless it says what each band counts as."""
        if not self.weights:
            super(SumOf, self).expect_reading(reading)

    @classmethod
    def read(cls, **given: Any) -> Self:
        """Return the query that a study asks."""
        weights = dict(given.pop("weights", None) or {})
        return cls(weights=tuple(weights.items()), **given)

    def said(self) -> dict[str, Any]:
        """Return what is asked, as a ledger has it."""
        weights = [[repr(value), weight] for value, weight in self.weights]
        new = {} if self.column is None else {"column": self.column}
        if self.clamp:
            new["clamp"] = str(list(map(str, self.clamp)))
        return {"by": list(self.by), "weights": weights} | new

    def blocks(self, space: Space) -> list[Block]:
        """Return a number for each group, in units that make them whole."""
        amounts = self._amounts(space)
        unit = Fraction(1, lcm(*(amount.denominator for amount in amounts)))
        return [sums_block(space, self, self.name, self.by, amounts, unit)]

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the sums."""
        [part] = parts
        told = self.name, self.kind, part.block.cells
        return [counted_answer(*told, part.numbers, part.noisy, part.noise, part.block.unit)]

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return the error of a sum."""
        [part] = parts
        errors = part.variances
        cell = sum(errors, Fraction(0)) / len(errors) * part.block.unit**2
        return [Expected(self.name, self.kind, len(errors), cell)]

    def _amounts(self, space: Space) -> list[Fraction]:
        """Return what each value adds."""
        if not self.weights:
            return self.numbers(space)
        whose = space.values if self.column is None else space.column(self.column, self.name)
        given: dict[Any, Any] = dict(self.weights)
        positions(given, tuple(dict.fromkeys(whose)), f"value of {self.name!r}:")
        found = [given.get(each, 0) for each in whose]
        for weight in found:
            if isinstance(weight, bool) or not isinstance(weight, int | np.integer):
                raise InvalidNumber(
                    f"the weights of the sum {self.name!r} must be whole numbers, got "
                    f"{weight!r:.60}; count in a unit that makes them whole"
                )
        return clamped([Fraction(int(weight)) for weight in found], self.clamp)


def sum_of(
    name: str,
    weights: Mapping[Any, int] | None = None,
    *,
    column: str | None = None,
    by: Sequence[str] = (),
    clamp: Sequence[Number] = (),
    share: int = 1,
    error: Number | None = None,
) -> TableQuery:
    """Ask what the numbers of a column add up to.

    :param weights: whole numbers that values add in place of themselves; 0 where none is given.
    :param column: which of several columns is added up.
    :param by: the columns whose combinations are the groups that have a sum each.
    :param clamp: the least and the largest that one record may add, such as ``[0, 8]``.

    >>> sum_of("days", column="stay", by=["ward"], clamp=[0, 8]).kind
    'sum'
    """
    given = {"weights": weights, "column": column, "by": names(by), "clamp": clamp}
    return SumOf.read(name=name, share=share, error=error, **given)


def read_clamp(clamp: Sequence[Any], name: str) -> tuple[Fraction, ...]:
    """Return the ends between which numbers are brought, or none."""
    expect(clamp, Sequence, "clamp is [least, largest]")
    if not clamp:
        return ()
    if len(clamp) != 2:
        raise InvalidInput(f"clamp of {name!r} is [least, largest], got {len(clamp)} numbers")
    least, most = (fraction(as_printed(end)) for end in clamp)
    if not least < most:
        raise InvalidInput(f"clamp of {name!r} must rise, got {list(map(str, clamp))}")
    return least, most


def numbers_of(values: Labels, name: str, kind: str) -> list[Fraction]:
    """Return the declared values of a column as numbers; true is 1 and false 0."""
    found = []
    for value in values:
        if isinstance(value, bool | np.bool_):
            found.append(Fraction(int(value)))
        elif isinstance(value, NUMBERS):
            found.append(fraction(as_printed(value)))
        else:
            raise InvalidNumber(
                f"the {kind} {name!r} needs a number for each value, got {value!r:.60}; name a "
                "column of numbers, or, of a sum, give weights"
            )
    return found


def clamped(numbers: Sequence[Fraction], clamp: Sequence[Fraction]) -> list[Fraction]:
    """Return numbers that are no further out than the ends."""
    if not clamp:
        return list(numbers)
    return of_each(numbers, lambda each: min(max(each, clamp[0]), clamp[1]))


def of_each(numbers: Sequence[Fraction], made: Callable[[Fraction], Made]) -> list[Made]:
    """Return what is made of each number, made once of all that are equal.

    >>> of_each([Fraction(1), Fraction(2), Fraction(1)], lambda number: 2 * number)
    [Fraction(2, 1), Fraction(4, 1), Fraction(2, 1)]
    """
    ratios = [each.as_integer_ratio() for each in numbers]  # looked up far faster than fractions
    known = {ratio: made(each) for ratio, each in dict(zip(ratios, numbers, strict=True)).items()}
    return [known[ratio] for ratio in ratios]


def sums_block(
    space: Space,
    query: TableQuery,
    name: str,
    by: Sequence[str],
    amounts: Sequence[Fraction],
    unit: Fraction,
) -> Block:
    """Return a sum for each group, to which each value adds an amount, in whole units."""
    groups, places = space.groups(by, query.name)
    units = of_each(amounts, lambda amount: _whole(amount / unit, name))
    sums = [each * len(groups) + g for each, g in zip(units, places, strict=True)]
    return space.block(query, name, groups, Shape.SUM, sums, unit)


def _whole(amount: Fraction, name: str) -> int:
    assert amount.denominator == 1
    if abs(amount) > LARGEST:
        raise InvalidNumber(
            f"what one record adds to {name!r} must be at most {LARGEST:,} units, got {amount}; "
            "clamp it, or count in a larger unit"
        )
    return int(amount)
