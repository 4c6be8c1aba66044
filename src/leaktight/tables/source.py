"""Where is the table? In a file that DuckDB reads, or a frame of any library that narwhals knows.

What an engine says when it fails may hold cells of the table. So nothing of it is passed on but
the name of the error and, for a CSV file, the line.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from leaktight.errors import InvalidFile, InvalidInput, LeaktightError
from leaktight.labels import nearest, suggestion
from leaktight.tables.column import ColumnKind

if TYPE_CHECKING:
    import duckdb
    import narwhals as nw

    Frame = nw.LazyFrame[Any] | nw.DataFrame[Any]

FILES = (".csv", ".parquet", ".duckdb")

Done = TypeVar("Done")

FROM_TEXT = {
    ColumnKind.TEXT: "{0}",
    ColumnKind.WHOLE: "TRY_CAST(CASE WHEN regexp_full_match({0}, '[+-]?[0-9]+') "
    "THEN {0} END AS HUGEINT)",
    ColumnKind.NUMBER: "TRY_CAST(CASE WHEN regexp_full_match({0}, "
    "'[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?') THEN {0} END AS DOUBLE)",
    ColumnKind.TRUTH: "CASE lower({0}) WHEN 'true' THEN true WHEN 'false' THEN false END",
    ColumnKind.DATE: "TRY_CAST(CASE WHEN regexp_full_match({0}, "
    "'[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}') THEN {0} END AS DATE)",
}
"""How a cell of a CSV file is read as what the policy declares; what is none becomes NULL."""

FAULTS = {
    "This file is not utf-8 encoded": "not text in UTF-8; save it as UTF-8",
    "Expected Number of Columns": "it has more or fewer cells than the first line has names",
    "Value with unterminated quote": "a quotation mark is opened and not closed",
}
"""What DuckDB says of a line of a CSV file, and how it is told."""


def frame_of(
    source: Any,
    kinds: Mapping[str, ColumnKind | None],
    table: str | None = None,
    engine: "Callable[[], duckdb.DuckDBPyConnection] | None" = None,
) -> "Frame":
    """Return the columns of a table that are needed, as a frame of narwhals.

    ``source`` is a file that ends in .csv, .parquet or .duckdb (with the name of a ``table``), or
    a frame: pandas, polars, pyarrow, DuckDB, Ibis, Spark. In a CSV file everything is text, so
    ``kinds`` says how each column is read; None leaves it as it is. A file is read by a DuckDB of
    its own, or by the one that ``engine`` gives.
    """
    import narwhals as nw

    if isinstance(source, str | Path):
        native: Any = _file(Path(source), kinds, table, engine)
    else:
        native = source
    try:
        frame: Frame = nw.from_native(native)
    except TypeError:
        raise InvalidInput(
            "a table must be a file that ends in .csv, .parquet or .duckdb, or a frame of pandas, "
            f"polars, pyarrow, DuckDB, Ibis or Spark, got {type(source).__name__}"
        ) from None
    if frame.implementation.is_spark_like():
        _expect_strict(native)
    names = guarded(lambda: frame.collect_schema().names())
    for column in kinds:
        _known(column, names)
    chosen = frame.select(*kinds)
    if frame.implementation.is_pandas() and nw.Object in chosen.collect_schema().values():
        return nw.from_native(guarded(lambda: _of_objects(chosen.to_native())))
    return chosen


def rows_of(frame: "Frame") -> list[tuple[Any, ...]]:
    """Return the few rows of a frame of counts."""
    import narwhals as nw

    if isinstance(frame, nw.DataFrame):
        return list(frame.rows())
    native: Any = frame.to_native()
    if frame.implementation.is_duckdb():
        return native.fetchall()
    if frame.implementation.is_spark_like():
        with unlogged():
            return list(map(tuple, native.collect()))
    return list(frame.collect().rows())


def guarded(step: Callable[[], Done]) -> Done:
    """Run what an engine does; if it fails, say so without a word of what it says."""
    try:
        return step()
    except LeaktightError:
        raise
    except Exception as wrong:
        named, said = type(wrong).__name__, str(wrong)
    # Outside of the handler, so that nothing of the engine's error hangs on ours.
    line = re.search(r"CSV Error on Line: (\d+)", said)
    where = f", line {line[1]}" if line else ""
    known = next((why for sign, why in FAULTS.items() if line and sign in said), None)
    raise InvalidFile(
        f"the table cannot be read{where}: {known}"
        if known
        else f"the table cannot be read{where} ({named}); what the engine says is not shown, as it "
        "may hold cells of the table"
    )


def _file(
    path: Path,
    kinds: Mapping[str, ColumnKind | None],
    table: str | None,
    engine: "Callable[[], duckdb.DuckDBPyConnection] | None",
) -> Any:
    import duckdb

    if path.suffix.lower() not in FILES:
        raise InvalidFile(f"the file of a table must end in {', '.join(FILES)}, got {path}")
    if not path.is_file():
        raise InvalidFile(f"there is no file {path}")
    if (table is not None) != (path.suffix.lower() == ".duckdb"):
        raise InvalidFile(f"{path}: the name of a table is for a .duckdb file, and needed there")
    reader = duckdb.connect() if engine is None else engine()
    if path.suffix.lower() == ".csv":
        return _csv(path, kinds, reader)
    if path.suffix.lower() == ".parquet":
        return guarded(lambda: reader.read_parquet(str(path)))
    [(others,)] = reader.execute("SELECT count(*) FROM duckdb_databases()").fetchall()
    file, where = f"file{others}", str(path).replace("'", "''")
    guarded(lambda: reader.execute(f"ATTACH '{where}' AS {file} (READ_ONLY)"))
    names = [name for (name,) in reader.execute(f"SHOW TABLES FROM {file}").fetchall()]
    if table not in names:
        raise InvalidFile(f"{path}: there is no table {table!r}; {suggestion(table, names)}")
    return reader.table(f"{file}.{_quoted(str(table))}")


def _csv(
    path: Path, kinds: Mapping[str, ColumnKind | None], reader: "duckdb.DuckDBPyConnection"
) -> "duckdb.DuckDBPyRelation":
    """Read a CSV file as text, exactly as it is: nothing is guessed, and no line is left out."""
    names, delimiter = _header(path)
    relation = guarded(
        lambda: reader.read_csv(
            str(path),
            auto_detect=False,
            header=True,
            columns={name or f"\0{i}": "VARCHAR" for i, name in enumerate(names)},
            delimiter=delimiter,
            quotechar='"',
            escapechar='"',
            strict_mode=True,
            null_padding=False,
            na_values="",
            allow_quoted_nulls=False,
            ignore_errors=False,
        )
    )
    wanted = [
        f"{FROM_TEXT[kind or ColumnKind.TEXT].format(_quoted(name))} AS {_quoted(name)}"
        for name, kind in kinds.items()
        if _known(name, names)
    ]
    return guarded(lambda: relation.project(", ".join(wanted)))


def _header(path: Path) -> tuple[list[str], str]:
    """Return the names of the columns, and what stands between them.

    One may have none: so R and pandas write the numbers of rows.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            bare = re.sub(r'"[^"]*"', "", text.readline())
            delimiter = max(",;\t", key=bare.count)
            text.seek(0)
            names = next(csv.reader(text, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise InvalidFile(f"{path}: not text in UTF-8; save it as UTF-8") from None
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot be read: {wrong.strerror}") from None
    except csv.Error as wrong:
        raise InvalidFile(f"{path}, line 1: {wrong}") from None
    if not any(names):
        raise InvalidFile(f"{path}, line 1: expected the names of the columns, got none")
    named = [name for name in names if name]
    if twice := next((name for name in named if named.count(name) > 1), None):
        places = " and ".join(str(i + 1) for i, name in enumerate(names) if name == twice)
        raise InvalidFile(
            f"{path}, line 1: expected the names of the columns, each once, got one for the "
            f"columns {places}"
        )
    return names, delimiter


def _known(column: str, names: Iterable[str]) -> bool:
    """Refuse a column that is not there; names that are not near it may be cells of the data."""
    found = list(filter(None, names))
    if column not in found:
        near = nearest(column, found) or f"no name of its {len(found)} columns is near it"
        raise InvalidInput(f"the table has no column {column!r}; {near}")
    return True


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _of_objects(frame: Any) -> "duckdb.DuckDBPyRelation":
    """Return a pandas frame of Python objects, such as dates and decimals, with types."""
    import duckdb

    engine = duckdb.connect()
    engine.execute(f"SET pandas_analyze_sample = {max(1, len(frame))}")  # look at all of them
    return engine.from_df(frame)


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep pyspark from writing cells to its log; what the cluster logs is its own."""
    from pyspark.logger import PySparkLogger

    log = PySparkLogger.getLogger("SQLQueryContextLogger")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _expect_strict(native: Any) -> None:
    """Refuse Spark if what cannot be read as a number becomes NULL in silence."""
    session = native.sparkSession
    if session.conf.get("spark.sql.ansi.enabled") != "true":
        raise InvalidInput(
            "Spark must have spark.sql.ansi.enabled = true: without it, numbers overflow and texts "
            "are cast in silence"
        )
