"""One table with every quirk, in every engine."""

import os
import unicodedata
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.parquet

CANARY = "CANARY-7731"
"""A cell that must never be seen anywhere."""

NAN = float("nan")
DECOMPOSED = unicodedata.normalize("NFD", "Zürich")
LARGE = 2**60 + 1
"""As a float it would be 2^60."""

ROWS: list[tuple[Any, ...]] = [
    # person, town, price, born, large, share, member, age
    ("p1", "Zürich", Decimal("1.50"), date(1999, 12, 31), LARGE, 0.1, True, 17),
    ("p2", DECOMPOSED, Decimal("2.25"), date(2000, 1, 1), LARGE - 1, NAN, False, -3),
    ("p3", "bern ", Decimal("1.50"), None, LARGE, None, True, 140),
    ("p4", "Bern", None, date(2000, 1, 1), LARGE, 0.1, None, 18),
    ("p5", None, Decimal("9.99"), date(2000, 1, 1), 0, 0.5, False, 65),
    ("p6", 'say "hi", Bob', Decimal("2.25"), date(1999, 12, 31), LARGE, 0.3, True, 64),
    ("p7", CANARY, Decimal("1.50"), date(1999, 12, 31), 1, 0.30000000000000004, True, 0),
    ("p7", "Bern", Decimal("1.50"), date(1999, 12, 31), LARGE, 0.5, False, 99),
]
NAMES = ("person", "town", "price", "born", "large", "share", "member", "age")


def arrow() -> Any:
    columns = list(map(list, zip(*ROWS, strict=True)))
    types = [
        pyarrow.string(),
        pyarrow.string(),
        pyarrow.decimal128(10, 2),
        pyarrow.date32(),
        pyarrow.int64(),
        pyarrow.float64(),
        pyarrow.bool_(),
        pyarrow.int16(),
    ]
    arrays = [pyarrow.array(c, t, from_pandas=False) for c, t in zip(columns, types, strict=True)]
    return pyarrow.table(arrays, names=list(NAMES))


def csv_file(folder: Path) -> Path:
    file = folder / "people.csv"

    def cell(value: Any) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if {'"', ","} & {*text} else text

    lines = [",".join(NAMES), *(",".join(map(cell, row)) for row in ROWS)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def parquet_file(folder: Path) -> Path:
    file = folder / "people.parquet"
    pyarrow.parquet.write_table(arrow(), file)
    return file


def spark_frame(folder: Path) -> Any:
    from tests.tables.spark import session

    return session().read.parquet(str(parquet_file(folder)))


def ibis_table(folder: Path) -> Any:
    import ibis

    return ibis.duckdb.connect().read_parquet(str(parquet_file(folder)))


ENGINES: dict[str, Callable[[Path], Any]] = {
    "csv": csv_file,
    "parquet": parquet_file,
    "duckdb": lambda folder: duckdb.connect().read_parquet(str(parquet_file(folder))),
    "pandas": lambda folder: arrow().to_pandas(),
    "pandas on arrow": lambda folder: arrow().to_pandas(types_mapper=pandas.ArrowDtype),
    "polars": lambda folder: polars.from_arrow(arrow()),
    "polars, lazy": lambda folder: polars.from_arrow(arrow()).lazy(),
    "pyarrow": lambda folder: arrow(),
}
if other := os.environ.get("LEAKTIGHT_ENGINE"):  # make test-spark, make test-ibis
    ENGINES = {other: {"spark": spark_frame, "ibis": ibis_table}[other]}
