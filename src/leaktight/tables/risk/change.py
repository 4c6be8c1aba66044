"""What would help? A column in bands, shortened, left out, or with noise.

What is coarser has no privacy guarantee; randomised response has one, for its column.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from leaktight.errors import InvalidInput, InvalidNumber
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
    >>> Change.randomize("zip", epsilon="ln 3")
    randomised response on zip, λ = 3
    """

    column: str
    cuts: tuple[Any, ...] = ()
    letters: int | None = None
    ratio: Fraction | None = None
    values: int | None = None

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
            )
        return cls(column, cuts=listed)

    @classmethod
    def prefix(cls, column: str, letters: int) -> "Change":
        """Only the first letters of a code are left; of a date, 4 are the year and 7 the month."""
        if not isinstance(letters, int) or isinstance(letters, bool) or letters < 1:
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
        return not self.cuts and self.letters is None and self.ratio is None

    def applied(self, table: Coded) -> Coded:
        """Return the table with the coarser column."""
        old = table.columns[self.column]
        told = self._told(table)
        listed = table.engine.keep(
            numbers(f"SELECT DISTINCT {told} AS value FROM {old.listed} AS listed")
        )
        [(size,)] = table.engine.rows(f"SELECT COUNT(*) FROM {listed}")
        others = [v.place for v in table.columns.values() if v is not old] + ["n"] * table.weighted
        chosen = [*(f"fine.{place}" for place in others)]
        chosen.append(f"CAST(coarse.code AS {whole(size)}) AS {old.place}")
        name = (
            f"(SELECT {', '.join(chosen)} FROM {table.name} AS fine JOIN {old.listed} AS listed "
            f"ON fine.{old.place} = listed.code JOIN {listed} AS coarse "
            f"ON {told} IS NOT DISTINCT FROM coarse.value)"
        )
        changed = replace(old, size=size, listed=listed)
        return replace(table, name=name, columns={**table.columns, self.column: changed})

    def _told(self, table: Coded) -> str:
        """Return what is told of a value, in SQL."""
        import narwhals as nw

        kind = table.columns[self.column].kind
        if self.letters is not None:
            if kind.is_float() or kind.is_nested() or kind == nw.Boolean:
                raise InvalidInput(
                    f"a prefix is for texts, whole numbers and dates; {self.column!r} holds {kind}"
                )
            return f"SUBSTRING(CAST(listed.value AS {table.engine.text}), 1, {self.letters})"
        cell, dated = "listed.value", isinstance(self.cuts[0], date)
        if kind == nw.String and table.engine.text == "VARCHAR":  # a CSV file has only texts
            cell = FROM_TEXT[ColumnKind.DATE if dated else ColumnKind.NUMBER].format(cell)
            self._expect_all(table, cell)
        elif not (kind.is_temporal() if dated else kind.is_numeric()):
            wanted = "dates" if dated else "numbers"
            raise InvalidInput(f"cuts are for {wanted}; {self.column!r} holds {kind}")
        cuts = [f"DATE '{cut:%Y-%m-%d}'" if dated else str(cut) for cut in self.cuts]
        above = " + ".join(f"CASE WHEN {cell} >= {cut} THEN 1 ELSE 0 END" for cut in cuts)
        return f"CASE WHEN {cell} IS NOT NULL THEN {above} END"

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
        if self.letters is not None:
            return f"first {self.letters} of {self.column}"
        if self.ratio is not None:
            short = self.ratio.denominator < SHORT
            level = f"λ = {self.ratio}" if short else f"ε = {above(Ratio.of(self.ratio).epsilon)}"
            return f"randomised response on {self.column}, {level}"
        return f"without {self.column}"
