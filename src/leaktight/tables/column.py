"""Cells of a column, and the declared value of each.

The domain is declared by the policy and never read from the data. Texts are compared as they are,
whole numbers, decimals and dates by what they say.
"""

import unicodedata
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from leaktight.errors import InvalidInput
from leaktight.labels import Labels

if TYPE_CHECKING:
    import narwhals as nw

MOST_CUTS = 1000
"""The most cuts of a column."""


class ColumnKind(StrEnum):
    """What the declared values of a column are."""

    TEXT = "texts"
    WHOLE = "whole numbers"
    NUMBER = "numbers"
    TRUTH = "true or false"
    DATE = "dates"


_KINDS: tuple[tuple[ColumnKind, Any], ...] = (
    (ColumnKind.TEXT, str),
    (ColumnKind.TRUTH, bool | np.bool_),
    (ColumnKind.WHOLE, int | np.integer),
    (ColumnKind.NUMBER, int | float | Decimal | Fraction | np.number),
    (ColumnKind.DATE, date),
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its declared values, and how cells are read as one of them.

    With ``cuts`` the cells are numbers, or dates, and c cuts make c + 1 values: below the first,
    from the first on, and so on. ``clamp`` takes what is below the least declared number for it,
    and what is above the largest for that.
    """

    name: str
    values: Labels
    cuts: tuple[Any, ...] = ()
    clamp: bool = False

    def __post_init__(self) -> None:
        if self.cuts:
            if self.clamp:
                raise InvalidInput(f"the column {self.name!r} must have cuts or clamp, got both")
            numbers = all(isinstance(cut, int | float | Decimal) for cut in self.cuts)
            if not (numbers or self._of_dates) or any(
                b <= a for a, b in zip(self.cuts, self.cuts[1:], strict=False)
            ):
                raise InvalidInput(
                    f"cuts of the column {self.name!r} must be rising numbers, or rising dates"
                )
            if len(self.cuts) != len(self.values) - 1 or len(self.cuts) > MOST_CUTS:
                raise InvalidInput(
                    f"the column {self.name!r} has {len(self.values)} declared values, which need "
                    f"{len(self.values) - 1} cuts (at most {MOST_CUTS:,}), got {len(self.cuts)}"
                )
        elif self.clamp and self.kind not in (ColumnKind.WHOLE, ColumnKind.NUMBER):
            raise InvalidInput(f"only numbers can be clamped; {self.name!r} has {self.kind}")

    @property
    def _of_dates(self) -> bool:
        return all(isinstance(cut, date) and not isinstance(cut, datetime) for cut in self.cuts)

    @property
    def kind(self) -> ColumnKind:
        """What its cells must be."""
        if self.cuts:
            return ColumnKind.DATE if self._of_dates else ColumnKind.NUMBER
        for kind, types in _KINDS:
            if all(isinstance(value, types) for value in self.values):
                if kind is ColumnKind.DATE and any(isinstance(v, datetime) for v in self.values):
                    break
                return kind
        raise InvalidInput(
            f"the declared values of the column {self.name!r} must all be texts, or numbers, or "
            "dates, or true and false"
        )

    def read(self, place: str, dtype: "nw.dtypes.DType") -> "Cells":
        """Return how its cells are read, which a frame has as ``place``, and of this type."""
        import narwhals as nw

        cell, kind = nw.col(place), self.kind
        if kind is ColumnKind.TEXT and dtype in (nw.Categorical, nw.Enum):
            cell, dtype = cell.cast(nw.String), nw.String()
        self._expect(dtype)
        present = ~cell.is_null()
        if dtype.is_float():
            present = present & ~cell.is_nan()
        if self.cuts:
            cuts = [_literal(cut, dtype) for cut in self.cuts] if self._of_dates else self.cuts
            above = [(cell >= cut).cast(nw.Int64) for cut in cuts]
            band = nw.when(present).then(sum(above[1:], start=above[0])).otherwise(0)
            return Cells(self.name, band, present, dict(enumerate(self.values)))
        known = {_literal(value, dtype): value for value in self.values}
        known.pop(None, None)
        if not known:
            raise InvalidInput(
                f"no declared value of the column {self.name!r} can be in a column of {dtype}"
            )
        if self.clamp:
            least, most = (nw.lit(end(known), dtype) for end in (min, max))
            cell = nw.when(cell < least).then(least).otherwise(cell)
            cell = nw.when(cell > most).then(most).otherwise(cell)
        found = present & cell.is_in(list(known))
        first = next(iter(known))
        return Cells(
            self.name, nw.when(found).then(cell).otherwise(nw.lit(first, dtype)), found, known
        )

    def _expect(self, dtype: "nw.dtypes.DType") -> None:
        import narwhals as nw

        naive = isinstance(dtype, nw.Datetime) and dtype.time_zone is None
        fits = {
            ColumnKind.TEXT: dtype == nw.String,
            ColumnKind.TRUTH: dtype == nw.Boolean,
            ColumnKind.WHOLE: dtype.is_numeric(),
            ColumnKind.NUMBER: dtype.is_numeric(),
            ColumnKind.DATE: dtype == nw.Date or naive,
        }
        if not fits[self.kind]:
            raise InvalidInput(
                f"the column {self.name!r} must hold {self.kind}, as the policy declares, got "
                f"{dtype}; convert it first"
            )

    def near(self) -> dict[str, Hashable]:
        """Return how declared texts read in small letters, without spaces around, in each form."""
        forms: Sequence[Any] = ("NFC", "NFD", "NFKC", "NFKD")
        return {
            unicodedata.normalize(form, value.strip().lower()): value
            for value in self.values
            if isinstance(value, str)
            for form in forms
        }


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """How a column is read: the declared value of a cell, in the engine's terms, if it has one."""

    name: str
    value: "nw.Expr"
    """Of a cell that has none, any declared value."""
    found: "nw.Expr"
    known: dict[Any, Hashable]
    """The declared value for each value that the engine gives back."""


def _literal(value: Any, dtype: "nw.dtypes.DType") -> Any:
    """Return a declared value as a column of this type has it; None if it cannot."""
    import narwhals as nw

    if isinstance(value, date) and dtype != nw.Date:
        return datetime.combine(value, time())
    if isinstance(value, str | bool | np.bool_ | date):
        return bool(value) if isinstance(value, np.bool_) else value
    exact = Fraction(str(value))
    if dtype.is_integer():
        whole = exact.numerator if exact.denominator == 1 else None
        return whole if whole is not None and _fits(whole, dtype) else None
    if dtype.is_float():
        near = float(exact)
        return near if not isinstance(value, int) or Fraction(near) == exact else None
    return Decimal(str(value)) if not isinstance(value, Fraction) else None


def _fits(whole: int, dtype: Any) -> bool:
    """Say whether a whole number fits a type such as Int8 or UInt64."""
    name = str(dtype)
    bits = int("".join(filter(str.isdigit, name)) or 64)
    return (
        0 <= whole < 2**bits
        if name.startswith("U")
        else -(2 ** (bits - 1)) <= whole < 2 ** (bits - 1)
    )
