"""Sources of tables: files that DuckDB reads, and frames that narwhals knows.

A file is opened by its name alone: what would be a pattern to the engine, or a partition, is none
here, and a DuckDB of our own opens no other file than those it was made for. Columns are found by
their position, and have names of ours from then on, so that no name of the user's can mean
anything to an engine.

What an engine says when it fails may hold cells of the table. So nothing of it is passed on but
the name of the error and, for a CSV file, the line.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
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

ROWS = "rows"
"""The column that says how many rows are alike."""

SAMPLE, MOST_ALIKE = 20_000, 5_000
"""Rows of a file are put together if, of the first so many, no more than that are different."""


def place(at: int) -> str:
    """Return what the column at a position is called in a frame of :func:`frame_of`."""
    return f"c{at}"


def frame_of(
    source: Any,
    kinds: Mapping[str, ColumnKind | None],
    table: str | None = None,
    engine: "Callable[[], duckdb.DuckDBPyConnection] | None" = None,
    *,
    together: bool = False,
) -> "Frame":
    """Return the columns of a table that are needed, as a frame of narwhals.

    ``source`` is a file that ends in .csv, .parquet or .duckdb (with the name of a ``table``), or
    a frame: pandas, polars, pyarrow, DuckDB, Ibis, Spark. In a CSV file everything is text, so
    ``kinds`` says how each column is read; None leaves it as it is. A file is read by a DuckDB of
    its own, or by the one that ``engine`` gives. The columns come in the order of ``kinds``, and
    are called as :func:`place` says, whatever their names are in the table.

    ``together`` allows to return rows that are alike once, with a column :data:`ROWS` that says how
    many they are. So it is with a file in which few differ: it is gone through once, as fast as its
    engine does, and what a cell stands for is worked out for few.
    """
    import narwhals as nw

    if isinstance(source, str | Path):
        path = Path(source)
        reader = _reader(path, table, engine)
        native, names = _file(path, table, reader)
        cells = _cells(native, [_position(column, names) for column in kinds])
        if together:
            cells = guarded(lambda: _together(cells, reader))
        return nw.from_native(guarded(lambda: _read(cells, kinds) if _is_csv(path) else cells))
    frame = _framed(source)
    if frame.implementation.is_spark_like():
        _expect_strict(source)
    there = guarded(lambda: _names(frame))
    chosen = guarded(lambda: _chosen(frame, [_position(column, there) for column in kinds]))
    if frame.implementation.is_pandas() and nw.Object in chosen.collect_schema().values():
        return nw.from_native(guarded(lambda: _of_objects(chosen.to_native(), engine)))
    return chosen


def _cells(relation: "duckdb.DuckDBPyRelation", positions: list[int]) -> "duckdb.DuckDBPyRelation":
    """Return the columns of a file at some positions, with names of ours."""
    told = ", ".join(f"#{at + 1} AS {place(i)}" for i, at in enumerate(positions))
    return guarded(lambda: relation.project(told))


def _together(
    cells: "duckdb.DuckDBPyRelation", reader: "duckdb.DuckDBPyConnection"
) -> "duckdb.DuckDBPyRelation":
    """Return rows that are alike once, if few of the first ones differ: then it is quick."""
    names, table = ", ".join(cells.columns), f"alike_{token_hex(8)}"
    [(differ,)] = cells.limit(SAMPLE).aggregate(f"count(DISTINCT row({names}))").fetchall()
    if differ > MOST_ALIKE:
        return cells
    cells.aggregate(f"{names}, count(*) AS {ROWS}", names).create(table)
    return reader.table(table)


def _read(
    cells: "duckdb.DuckDBPyRelation", kinds: Mapping[str, ColumnKind | None]
) -> "duckdb.DuckDBPyRelation":
    """Return texts as what the policy declares."""
    forms = [FROM_TEXT[kind or ColumnKind.TEXT] for kind in kinds.values()]
    read = [f"{form.format(place(i))} AS {place(i)}" for i, form in enumerate(forms)]
    return cells.project(", ".join(read + cells.columns[len(forms) :]))


def _framed(native: Any) -> "Frame":
    """Return a frame of any library as one of narwhals."""
    import narwhals as nw

    try:
        return nw.from_native(native)
    except TypeError:
        raise InvalidInput(
            "a table must be a file that ends in .csv, .parquet or .duckdb, or a frame of pandas, "
            f"polars, pyarrow, DuckDB, Ibis or Spark, got {type(native).__name__}"
        ) from None
    except nw.exceptions.NarwhalsError:
        raise InvalidInput("the columns of a table must each have a name of their own") from None


def columns_of(
    source: Any,
    table: str | None = None,
    engine: "Callable[[], duckdb.DuckDBPyConnection] | None" = None,
) -> list[str]:
    """Return the names of all columns of a table; one may have none."""
    if not isinstance(source, str | Path):
        frame = _framed(source)
        return guarded(lambda: _names(frame))
    if _is_csv(Path(source)) and Path(source).is_file():
        return _header(Path(source))[0]
    return _file(Path(source), table, _reader(Path(source), table, engine))[1]


def _names(frame: "Frame") -> list[str]:
    """Return the names of all columns, of which DuckDB and Spark may have some twice."""
    kind, native = frame.implementation, frame.to_native()
    if kind.is_duckdb() or kind.is_spark_like():
        return list(native.columns)
    return frame.collect_schema().names()


def _chosen(frame: "Frame", positions: list[int]) -> "Frame":
    """Return the columns at some positions, with names of ours.

    DuckDB and Spark, for which a name may be an expression, or that of two columns that differ in
    case, are told the positions themselves.
    """
    import narwhals as nw

    native: Any = frame.to_native()
    if frame.implementation.is_duckdb():
        told = ", ".join(f"#{at + 1} AS {place(i)}" for i, at in enumerate(positions))
        return nw.from_native(native.project(told))
    if frame.implementation.is_spark_like():
        # Of a frame that is joined to itself, a column may be there twice, so that all are named.
        named = native.toDF(*(f"s{at}" for at in range(len(native.columns))))
        read = named.select(*(f"s{at}" for at in positions))
        return nw.from_native(read.toDF(*map(place, range(len(positions)))))
    return frame.select(*(nw.nth(at).alias(place(i)) for i, at in enumerate(positions)))


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


def engine_for(
    names: Iterable[str], **config: str | int | float | bool | list[str]
) -> "duckdb.DuckDBPyConnection":
    """Return a DuckDB that opens no other file than those of some names.

    It loads no extension, looks at no variable of Python, and what does not fit into memory goes
    to a folder that nobody else may read. So a view in somebody's .duckdb file reads that alone.
    """
    import duckdb

    engine = duckdb.connect(config={"temp_directory": _spilled().name, **CLOSED, **config})
    engine.execute("SET allowed_paths = ?", [list(names)])
    engine.execute("SET enable_external_access = false")
    return engine


def names_of(sources: Iterable[Any]) -> list[str]:
    """Return the names of the files among some sources, as an engine asks for them."""
    found = []
    for source in sources:
        if isinstance(source, str | Path):
            name = whole_name(Path(source))
            found += [name, _escaped(name), f"{name}.wal"]
    return found


CLOSED = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
"""What a DuckDB of our own does not do."""


@cache
def _spilled() -> TemporaryDirectory[str]:
    """Make a folder for what does not fit into memory; it goes when the program ends."""
    return TemporaryDirectory(prefix="leaktight-")


def whole_name(path: Path) -> str:
    """Return the whole name of a file, which is no home, address or flag to anybody."""
    return (path.parent.resolve() / path.name).as_posix()


def _escaped(name: str) -> str:
    """Return the pattern that only the file of this name matches."""
    if not re.search(r"[*?[]", name):
        return name
    _expect_plain(name)
    return re.sub(r"([*?[])", r"[\1]", name)


def _expect_plain(name: str) -> None:
    """Refuse a backslash where it would be read as a mark of a pattern, or of a folder."""
    if "\\" in name:
        raise InvalidFile(
            f"{name}: DuckDB cannot be told this path, as there is a backslash in it; rename it"
        )


def _is_csv(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def _reader(
    path: Path, table: str | None, engine: "Callable[[], duckdb.DuckDBPyConnection] | None"
) -> "duckdb.DuckDBPyConnection":
    """Return the DuckDB that reads a file, if it can be one of a table."""
    if path.suffix.lower() not in FILES:
        raise InvalidFile(f"the file of a table must end in {', '.join(FILES)}, got {path}")
    if not path.is_file():
        raise InvalidFile(f"there is no file {path}")
    if (table is not None) != (path.suffix.lower() == ".duckdb"):
        raise InvalidFile(f"{path}: the name of a table is for a .duckdb file, and needed there")
    return engine_for(names_of([path])) if engine is None else engine()


def _file(
    path: Path, table: str | None, reader: "duckdb.DuckDBPyConnection"
) -> "tuple[duckdb.DuckDBPyRelation, list[str]]":
    """Return what is in a file, of a CSV file as text, and the names of its columns there."""
    if _is_csv(path):
        return _csv(path, reader)
    if path.suffix.lower() == ".parquet":
        return guarded(lambda: _parquet(path, reader))
    _expect_plain(whole_name(path))
    # No view can name a file whose name is drawn by chance, not even one of another such file.
    file, where = f"file_{token_hex(8)}", whole_name(path).replace("'", "''")
    guarded(lambda: reader.execute(f"ATTACH '{where}' AS {file} (READ_ONLY, TYPE duckdb)"))
    names = [name for (name,) in reader.execute(f"SHOW TABLES FROM {file}").fetchall()]
    if table not in names:
        raise InvalidFile(f"{path}: there is no table {table!r}; {suggestion(table, names)}")
    found = guarded(lambda: reader.sql(f"SELECT * FROM {file}.{_quoted(str(table))}"))
    return found, found.columns


def _parquet(
    path: Path, reader: "duckdb.DuckDBPyConnection"
) -> "tuple[duckdb.DuckDBPyRelation, list[str]]":
    """Read a Parquet file; DuckDB would rename columns that differ only in case."""
    where = _escaped(whole_name(path))
    relation = reader.read_parquet(where, hive_partitioning=False)
    schema = reader.execute(
        "SELECT name, coalesce(num_children, 0) FROM parquet_schema(?)", [where]
    ).fetchall()
    names, inside = [], 0
    for name, children in schema[1:]:  # depth first, after the root
        if not inside:
            names.append(name)
        inside = max(0, inside - 1) + children
    if len(names) != len(relation.columns):
        raise InvalidFile(f"{path}: its columns cannot be told apart")
    return relation, names


def _csv(
    path: Path, reader: "duckdb.DuckDBPyConnection"
) -> "tuple[duckdb.DuckDBPyRelation, list[str]]":
    """Read a CSV file as text, exactly as it is: nothing is guessed, and no line is left out."""
    names, delimiter = _header(path)
    relation = guarded(
        lambda: reader.read_csv(
            _escaped(whole_name(path)),
            auto_detect=False,
            header=True,
            columns={f"s{i}": "VARCHAR" for i in range(len(names))},
            delimiter=delimiter,
            quotechar='"',
            escapechar='"',
            strict_mode=True,
            null_padding=False,
            na_values="",
            allow_quoted_nulls=False,
            ignore_errors=False,
            hive_partitioning=False,
        )
    )
    return relation, names


def _header(path: Path) -> tuple[list[str], str]:
    """Return the names of the columns, and what stands between them.

    One may have none: so R and pandas write the numbers of rows.
    """
    names: list[str] | None
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            bare = re.sub(r'"[^"]*"', "", text.readline())
            delimiter = max(",;\t", key=bare.count)
            text.seek(0)
            names = next(csv.reader(text, delimiter=delimiter), [])
    except UnicodeDecodeError:
        names = None
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot be read: {wrong.strerror}") from None
    except csv.Error as wrong:
        raise InvalidFile(f"{path}, line 1: {wrong}") from None
    if names is None:  # outside of the handler: that error has what could not be decoded, cells
        raise InvalidFile(f"{path}: not text in UTF-8; save it as UTF-8")
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


def _position(column: str, names: list[str]) -> int:
    """Return where a column is; names that are not near one that is not there may be cells."""
    found = list(filter(None, names))
    if column not in found:
        near = nearest(column, found) or f"no name of its {len(found)} columns is near it"
        raise InvalidInput(f"the table has no column {column!r}; {near}")
    if names.count(column) > 1:
        raise InvalidInput(f"the table has {names.count(column)} columns called {column!r}")
    return names.index(column)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _of_objects(
    frame: Any, engine: "Callable[[], duckdb.DuckDBPyConnection] | None"
) -> "duckdb.DuckDBPyRelation":
    """Return a pandas frame of Python objects, such as dates and decimals, with types."""
    reader = engine_for([]) if engine is None else engine()
    reader.execute(f"SET pandas_analyze_sample = {max(1, len(frame))}")  # look at all of them
    return reader.from_df(frame)


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
