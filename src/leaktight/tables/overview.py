"""An overview of a table: its rows, and of each column its kind, how many values, and which.

It is for whoever holds the table and writes a study of it. What it shows is data: whoever sees the
values that were copied into a study sees that they occur.
"""

from dataclasses import dataclass
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaktight.errors import InvalidInput
from leaktight.tables.column import ColumnKind
from leaktight.tables.source import FROM_TEXT, columns_of, frame_of, guarded, place

if TYPE_CHECKING:
    import narwhals as nw

MOST_LISTED = 2000
"""The most values of a column that are listed."""

BANDS = 6
"""How many bands are proposed for numbers."""

READ_AS = (ColumnKind.WHOLE, ColumnKind.NUMBER, ColumnKind.DATE)
"""What the texts of a CSV file may be, if every one of them is."""


@dataclass(frozen=True, slots=True)
class ColumnOverview:
    """What is in a column."""

    name: str
    kind: ColumnKind
    missing: int
    """How many cells are empty."""
    distinct: int
    values: tuple[Any, ...]
    """All of them in order, if they are few; else none."""
    cuts: tuple[int | float, ...]
    """For numbers: round ones that part the rows into bands of about the same size."""


@dataclass(frozen=True, slots=True)
class TableOverview:
    """What is in a table."""

    rows: int
    columns: tuple[ColumnOverview, ...]


def overview(source: str | Path, table: str | None = None) -> TableOverview:
    """Look through a table once, and say what is in each column.

    :param source: a file that ends in .csv, .parquet or .duckdb.
    :param table: for a .duckdb file, the name of the table in it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "ward.csv"
    ...     _ = file.write_text("age,illness\\n31,flu\\n47,cold\\n52,flu\\n", "utf-8")
    ...     found = overview(file)
    >>> found.rows, [(column.name, str(column.kind), column.distinct) for column in found.columns]
    (3, [('age', 'whole numbers', 3), ('illness', 'texts', 2)])
    """
    if not isinstance(source, str | Path):
        raise InvalidInput(f"a table must be a file here, got {type(source).__name__}")
    names = [name for name in columns_of(source, table) if name]
    frame: Any = frame_of(source, dict.fromkeys(names), table)
    relation, kinds = frame.to_native(), list(map(_kind, frame.collect_schema().values()))
    may_be = [READ_AS if kind is ColumnKind.TEXT else () for kind in kinds]
    told = ["count(*)"]
    for i, readings in enumerate(may_be):
        told += [f"count({place(i)})", f"count(DISTINCT {place(i)})"]
        told += [f"count({FROM_TEXT[each].format(place(i))})" for each in readings]
    ((rows, *counts),) = guarded(lambda: relation.aggregate(", ".join(told)).fetchall())
    columns, counted = [], iter(counts)
    for i, name in enumerate(names):
        there, distinct, read = next(counted), next(counted), place(i)
        fits = [each for each in may_be[i] if next(counted) == there > 0]
        kind = fits[0] if fits else kinds[i]
        if fits:
            read = FROM_TEXT[kind].format(read)
        values = _values(relation, read) if distinct <= MOST_LISTED else ()
        parted = kind in (ColumnKind.WHOLE, ColumnKind.NUMBER) and distinct > 2 * BANDS
        cuts = _cuts(relation, read) if parted else ()
        columns.append(ColumnOverview(name, kind, rows - there, distinct, values, cuts))
    return TableOverview(rows, tuple(columns))


def _kind(dtype: "nw.dtypes.DType") -> ColumnKind:
    import narwhals as nw

    if dtype.is_integer():
        return ColumnKind.WHOLE
    if dtype.is_numeric():
        return ColumnKind.NUMBER
    return {nw.Boolean: ColumnKind.TRUTH, nw.Date: ColumnKind.DATE}.get(
        type(dtype), ColumnKind.TEXT
    )


def _values(relation: Any, read: str) -> tuple[Any, ...]:
    """Return the values of a column in order."""
    listed = relation.project(f"{read} AS value").filter("value IS NOT NULL").distinct()
    return tuple(value for (value,) in guarded(lambda: listed.order("value").fetchall()))


def _cuts(relation: Any, read: str) -> tuple[int | float, ...]:
    """Return round numbers near the quantiles: so coarse that they are no number of anybody."""
    shares = ", ".join(str(k / BANDS) for k in range(1, BANDS))
    asked = f"approx_quantile(CAST({read} AS DOUBLE), [{shares}]), min({read}), max({read})"
    ((quantiles, least, most),) = guarded(lambda: relation.aggregate(asked).fetchall())
    unit = 10 ** floor(log10((most - least) / BANDS))
    step = unit * next(each for each in (1, 2, 5, 10) if each * unit >= (most - least) / 4 / BANDS)
    found = sorted({round(cut / step) * step for cut in quantiles})
    inside = [cut for cut in found if least < cut <= most]
    return tuple(int(cut) if cut == int(cut) else float(f"{cut:.10g}") for cut in inside)
