"""Ways to release a column otherwise: in bands, shortened, grouped, left out, or with noise.

What is coarser has no privacy guarantee; randomised response has one, for its column.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from leaktight.errors import InvalidInput, InvalidNumber, is_whole
from leaktight.exact.numbers import Number
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import above, counted
from leaktight.tables.column import MOST_CUTS, ColumnKind
from leaktight.tables.risk.coded import Coded, numbers, whole
from leaktight.tables.source import FROM_TEXT

DECIMALS = 6
"""An irrational ratio is rounded down to so many decimals, which is more private."""

LARGEST_RATIO = 10**9

SHORT = 100
"""A ratio with such a denominator is shown as its ε."""


@dataclass(frozen=True, slots=True)
class Change:
    """How a column is released otherwise.

    >>> Change.bands("age", [18, 65]), Change.prefix("zip", 3), Change.drop("sex")
    (age in 3 bands, first 3 of zip, without sex)
    >>> Change.every("age", 10), Change.groups("town", {"Bern": "west", "Chur": "east"})
    (age in bands of 10, town in 2 groups)
    >>> Change.randomize("zip", epsilon="ln 3")
    randomised response on zip, λ = 3
    """

    column: str
    cuts: tuple[Any, ...] = ()
    letters: int | None = None
    ratio: Fraction | None = None
    values: int | None = None
    width: Decimal | None = None
    grouped: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise InvalidInput(f"a change is of a column, got {self.column!r:.60}")

    @classmethod
    def bands(cls, column: str, cuts: Sequence[Any]) -> "Change":
        """Numbers, or dates, become bands: below the first cut, from the first on, and so on."""
        kinds = (int | float | Decimal, date)
        listed = tuple(cuts) if isinstance(cuts, Sequence) and not isinstance(cuts, str) else ()
        alike = any(
            all(isinstance(cut, kind) and not isinstance(cut, bool) for cut in listed)
            for kind in kinds
        )
        if (
            not 1 <= len(listed) <= MOST_CUTS
            or not alike
            or any(not a < b for a, b in pairwise(listed))
        ):
            raise InvalidInput(
                f"cuts of {column!r:.60} must be rising numbers or dates, at most {MOST_CUTS:,}"
                f"{_offender(listed)}"
            )
        return cls(column, cuts=listed)

    @classmethod
    def every(cls, column: str, width: int | float | Decimal | str) -> "Change":
        """Numbers become bands of a width: with 10, … 10 to below 20, 20 to below 30, …

        The lowest and the highest band are open, so that they do not tell the extremes.
        """
        try:
            exact = Decimal(str(width))
        except ArithmeticError:
            exact = Decimal(0)
        if isinstance(width, bool) or not exact.is_finite() or exact <= 0:
            raise InvalidInput(f"bands of {column!r:.60} have a width above 0, got {width!r:.60}")
        return cls(column, width=exact.normalize())

    @classmethod
    def groups(cls, column: str, mapping: Mapping[str, str]) -> "Change":
        """Each value becomes the name of its group, as a classification has it.

        Values are compared as texts, and all of the table must have a group.
        """
        pairs = tuple(mapping.items()) if isinstance(mapping, Mapping) else ()
        if not pairs or not all(isinstance(name, str) for pair in pairs for name in pair):
            raise InvalidInput(f'groups of {column!r:.60} must be such as {{"Bern": "west"}}')
        return cls(column, grouped=pairs)

    @classmethod
    def prefix(cls, column: str, letters: int) -> "Change":
        """Only the first letters of a code are left; of a date, 4 are the year and 7 the month."""
        if not is_whole(letters, 1):
            raise InvalidInput(f"a prefix of {column!r:.60} has letters, 1 or more")
        return cls(column, letters=letters)

    @classmethod
    def drop(cls, column: str) -> "Change":
        """The column is left out."""
        return cls(column)

    @classmethod
    def randomize(
        cls,
        column: str,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        values: int | None = None,
    ) -> "Change":
        """Each cell is answered by randomised response: truly, or λ times less likely by another.

        ``values`` says how many values are declared; without it those of the table count. An
        irrational λ is rounded down to a short one.
        """
        exact = Ratio.of(ratio, epsilon).lower
        if exact > LARGEST_RATIO:
            raise InvalidNumber(f"a ratio of more than {LARGEST_RATIO:,} is no protection")
        if max(exact.numerator, exact.denominator) > LARGEST_RATIO:
            unit = 10 ** max(0, DECIMALS - max(0, len(str(int(exact))) - 3))
            exact = Fraction(int(exact * unit), unit)
        if values is not None and (not isinstance(values, int) or values < 1):
            raise InvalidInput(f"there are as many values as are declared, got {values!r:.60}")
        return cls(column, ratio=exact, values=values)

    @property
    def is_drop(self) -> bool:
        """Whether the column is left out."""
        return not self.is_coarser and self.ratio is None

    @property
    def is_coarser(self) -> bool:
        """Whether the column stays, with values that tell less."""
        return bool(self.cuts or self.letters or self.width or self.grouped)

    def applied(self, table: Coded) -> Coded:
        """Return the table with the coarser column."""
        old = table.columns[self.column]
        told = table.engine.keep(self.shown(table), is_list=True)
        listed = table.engine.keep(
            numbers(f"SELECT DISTINCT shown AS value FROM {told}"), is_list=True
        )
        [(size,)] = table.engine.rows(f"SELECT COUNT(*) FROM {listed}")
        others = [v.place for v in table.columns.values() if v is not old] + ["n"] * table.weighted
        chosen = [*(f"fine.{place}" for place in others)]
        chosen.append(f"CAST(coarse.code AS {whole(size)}) AS {old.place}")
        name = (
            f"(SELECT {', '.join(chosen)} FROM {table.name} AS fine JOIN {told} AS told "
            f"ON fine.{old.place} = told.code JOIN {listed} AS coarse "
            f"ON told.shown IS NOT DISTINCT FROM coarse.value)"
        )
        changed = replace(old, size=size, listed=listed)
        columns = {**table.columns, self.column: changed}
        return replace(table, name=name, columns=columns, is_distinct=False)

    def shown(self, table: Coded) -> str:
        """Return the question for the number of each value, and what is shown in its place.

        What is missing stays so, unless the column is left out.
        """
        listed = table.columns[self.column].listed
        if self.grouped:
            pairs = self._pairs(table)
            cell = f"CAST(listed.value AS {table.engine.text})"
            return (
                f"SELECT listed.code, pairs.name AS shown FROM {listed} AS listed LEFT JOIN "
                f"{pairs} AS pairs ON {cell} = pairs.value"
            )
        return f"SELECT listed.code, {self._told(table)} AS shown FROM {listed} AS listed"

    def _told(self, table: Coded) -> str:
        """Return what is told of a value, in SQL."""
        import narwhals as nw

        kind = table.columns[self.column].kind
        if self.letters is not None:
            if kind.is_float() or kind.is_nested() or kind == nw.Boolean:
                raise InvalidInput(
                    f"a prefix is for texts, whole numbers and dates; {self.column!r} holds {kind}"
                )
            first = f"SUBSTRING(CAST(listed.value AS {table.engine.text}), 1, {self.letters})"
            return first if kind.is_temporal() else f"{first} || '*'"  # NULL stays NULL
        if self.is_drop:
            return "'*'"
        cell = self._cell(table, isinstance(next(iter(self.cuts), None), date))
        cuts = self.cuts or self._steps(table, cell)
        if not cuts:
            return f"CASE WHEN {cell} IS NOT NULL THEN '*' END"
        told = [f"DATE '{cut:%Y-%m-%d}'" if isinstance(cut, date) else str(cut) for cut in cuts]
        whole = kind.is_integer() or (not isinstance(cuts[0], date) and self._is_whole(table, cell))
        names = _names_of_bands(cuts, whole)
        above = " ".join(
            f"WHEN {cell} >= {cut} THEN '{name}'"
            for cut, name in zip(reversed(told), reversed(names[1:]), strict=True)
        )
        return f"CASE {above} WHEN {cell} IS NOT NULL THEN '{names[0]}' END"

    def _cell(self, table: Coded, dated: bool) -> str:
        """Return how a value is compared with a cut."""
        import narwhals as nw

        kind = table.columns[self.column].kind
        if kind == nw.String and table.engine.text == "VARCHAR":  # a CSV file has only texts
            cell = FROM_TEXT[ColumnKind.DATE if dated else ColumnKind.NUMBER].format("listed.value")
            self._expect_all(table, cell)
            return cell
        if not (kind.is_temporal() if dated else kind.is_numeric()):
            wanted = "dates" if dated else "numbers"
            raise InvalidInput(f"cuts are for {wanted}; {self.column!r} holds {kind}")
        return "listed.value"

    def _is_whole(self, table: Coded, cell: str) -> bool:
        """Say whether all values are whole numbers, which may be texts."""
        if cell == "listed.value":
            return False
        [(broken,)] = table.engine.rows(
            f"SELECT COUNT(*) FROM {table.columns[self.column].listed} AS listed "
            f"WHERE {cell} <> FLOOR({cell})"
        )
        return not broken

    def _steps(self, table: Coded, cell: str) -> tuple[int | Decimal, ...]:
        """Return the multiples of the width that have values on both sides."""
        assert self.width is not None
        [(low, high)] = table.engine.rows(
            f"SELECT MIN({cell}), MAX({cell}) FROM {table.columns[self.column].listed} AS listed"
        )
        if low is None:
            return ()
        width = Fraction(self.width)
        first, last = math.floor(Fraction(low) / width) + 1, math.floor(Fraction(high) / width)
        if last - first >= MOST_CUTS:
            raise InvalidInput(
                f"bands of {self.width} make more than {MOST_CUTS:,} of {self.column!r:.60}; "
                "choose wider ones"
            )
        steps = [self.width * at for at in range(first, last + 1)]
        return tuple(int(step) if step == int(step) else step for step in steps)

    def _pairs(self, table: Coded) -> str:
        """Return the table of values and groups, after a look whether each value has one."""
        quote = table.engine.quoted
        rows = ", ".join(f"({quote(value)}, {quote(name)})" for value, name in self.grouped)
        pairs = table.engine.keep(
            f"SELECT * FROM (VALUES {rows}) AS pairs(value, name)", is_list=True
        )
        cell = f"CAST(listed.value AS {table.engine.text})"
        [(without,)] = table.engine.rows(
            f"SELECT COUNT(*) FROM {table.columns[self.column].listed} AS listed LEFT JOIN {pairs} "
            f"AS pairs ON {cell} = pairs.value WHERE listed.value IS NOT NULL AND "
            "pairs.value IS NULL"
        )
        if without:
            raise InvalidInput(
                f"every value must have a group, and {counted(without, 'value', 'values')} of the "
                f"column {self.column!r} {'has' if without == 1 else 'have'} none"
            )
        return pairs

    def _expect_all(self, table: Coded, cell: str) -> None:
        [(wrong,)] = table.engine.rows(
            f"SELECT COUNT(*) FROM {table.columns[self.column].listed} AS listed "
            f"WHERE listed.value IS NOT NULL AND ({cell}) IS NULL"
        )
        if wrong:
            raise InvalidInput(
                f"cuts need numbers or dates, and {counted(wrong, 'value', 'values')} of the "
                f"column {self.column!r} cannot be read as one"
            )

    def __repr__(self) -> str:
        if self.cuts:
            return f"{self.column} in {len(self.cuts) + 1} bands"
        if self.width is not None:
            return f"{self.column} in bands of {self.width:f}"
        if self.grouped:
            names = {name for _, name in self.grouped}
            return f"{self.column} in {counted(len(names), 'group', 'groups')}"
        if self.letters is not None:
            return f"first {self.letters} of {self.column}"
        if self.ratio is not None:
            short = self.ratio.denominator < SHORT
            level = f"λ = {self.ratio}" if short else f"ε = {above(Ratio.of(self.ratio).epsilon)}"
            return f"randomised response on {self.column}, {level}"
        return f"without {self.column}"


def _offender(cuts: tuple[Any, ...]) -> str:
    """Say which cut is the first that cannot be.

    >>> _offender((18, 65, 40)), _offender((18, "x"))
    (', got 40 after 65', ", got 'x'")
    """
    for cut in cuts:
        if isinstance(cut, bool) or not isinstance(cut, int | float | Decimal | date):
            return f", got {cut!r:.40}"
    for one, two in pairwise(cuts):
        if isinstance(one, date) != isinstance(two, date) or not one < two:
            return f", got {two} after {one}"
    return ""


def _names_of_bands(cuts: Sequence[Any], is_whole: bool) -> list[str]:
    """Return what bands are called: whole numbers by both ends, others up to the next.

    >>> _names_of_bands([18, 65], True), _names_of_bands([18, 65], False)
    (['<18', '18-64', '>=65'], ['<18', '[18, 65)', '>=65'])
    """
    whole = is_whole and all(isinstance(cut, int) and cut >= 0 for cut in cuts)
    inner = [f"{a}-{b - 1}" if whole else f"[{a}, {b})" for a, b in pairwise(cuts)]
    return [f"<{cuts[0]}", *inner, f">={cuts[-1]}"]
