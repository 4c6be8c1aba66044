"""Engines that count: DuckDB or Spark, in the same SQL; any other frame goes to DuckDB.

What is kept on the way stays in the engine, and is dropped at the end. Only counts leave it.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from leaktight.errors import InvalidFile, InvalidInput
from leaktight.tables.source import (
    columns_of,
    engine_for,
    frame_of,
    guarded,
    names_of,
    rows_of,
    unlogged,
    whole_name,
)

if TYPE_CHECKING:
    import narwhals as nw

    from leaktight.tables.source import Frame

SOURCE = f"leaktight_{token_hex(8)}"
"""What the table that is read is called in a question: no view of the user's is called so."""

MEMORY = "600MB"
"""How much memory a DuckDB of our own takes.

What is more goes to a folder that nobody else may read, and that is removed at the end.
"""


PART = 2**18
"""How many rows Spark groups in one task."""


class Engine(ABC):
    """An engine that counts."""

    text: str
    """The type that texts are cast to."""

    def __init__(self) -> None:
        self._kept: list[str] = []

    def spread(self, keys: Sequence[str], rows: int) -> str:
        """Return the hint that puts rows together by keys of which there are many."""
        return ""

    def looked_up(self, lists: Sequence[str]) -> str:
        """Return the hint that lists are short enough to be looked up wherever a row is."""
        return ""

    def quoted(self, text: str) -> str:
        """Return a text as it is written in a question."""
        return "'" + text.replace("'", "''") + "'"

    def named(self, column: str) -> str:
        """Return the name of a column as it is written in a question."""
        return '"' + column.replace('"', '""') + '"'

    def write(self, question: str, source: "Frame", path: Path) -> None:
        """Write the answer to a question about a table to a new file, .csv or .parquet."""
        native = source.to_native()
        guarded(lambda: self._write(question, native, path))

    def keep(self, question: str, source: "Frame | None" = None, *, is_list: bool = False) -> str:
        """Return the name of a table with the answer, which stays in the engine.

        A list has few rows, and is asked for together with others that come from the same table.
        """
        name = f"leaktight_{token_hex(8)}"
        native = None if source is None else source.to_native()
        guarded(lambda: self._keep(name, question, native, is_list))
        self._kept.append(name)
        return name

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        """Return the few rows of an answer."""
        return guarded(lambda: self._rows(question))

    def close(self) -> None:
        """Drop what was kept."""
        for name in self._kept:
            with suppress(Exception):
                self._drop(name)

    @abstractmethod
    def _keep(self, name: str, question: str, source: Any, is_list: bool) -> None: ...

    @abstractmethod
    def _rows(self, question: str) -> list[tuple[Any, ...]]: ...

    @abstractmethod
    def _write(self, question: str, source: Any, path: Path) -> None: ...

    @abstractmethod
    def _drop(self, name: str) -> None: ...


class DuckDB(Engine):
    """The DuckDB that a relation belongs to; its connection, if it is our own, is asked itself."""

    text = "VARCHAR"

    def __init__(self, relation: Any, own: Any = None) -> None:
        super().__init__()
        self._relation = relation
        self._own = own
        self._light: Any = None

    def _asked(self) -> Any:
        """Return something of the same connection by which to ask what is kept.

        By the relation itself, DuckDB would look at its file again for each question. Nobody tells
        the connection of a user's relation.
        """
        if self._light is None:
            one = self._relation.query(SOURCE, "SELECT 1 AS one")
            self._light = one.materialize() if hasattr(one, "materialize") else one
        return self._light

    def _keep(self, name: str, question: str, source: Any, is_list: bool) -> None:
        told = f"CREATE TEMP TABLE {name} AS {question}"
        if source is None and self._own is not None:
            self._own.execute(told)
        else:
            asked = self._asked() if source is None else source
            asked.query(SOURCE, told)

    def _rows(self, question: str) -> list[tuple[Any, ...]]:
        if self._own is not None:
            return self._own.execute(question).fetchall()
        return self._asked().query(SOURCE, question).fetchall()

    def _write(self, question: str, source: Any, path: Path) -> None:
        kind = "FORMAT csv, HEADER true" if path.suffix == ".csv" else "FORMAT parquet"
        where = self.quoted(whole_name(path))
        source.query(SOURCE, f"COPY ({question}) TO {where} ({kind}, USE_TMP_FILE false)")

    def _drop(self, name: str) -> None:
        self._asked().query(SOURCE, f"DROP TABLE {name}")

    def close(self) -> None:
        """Drop what was kept, and the view that DuckDB before 2 makes of what is asked.

        Nothing of a DuckDB of our own has to be: it is closed.
        """
        import duckdb

        if self._own is not None:
            return
        super().close()
        if duckdb.__version__ < "2":
            with suppress(Exception):
                self._relation.query(SOURCE, f"DROP VIEW IF EXISTS {SOURCE}")


class Spark(Engine):
    """A session of Spark."""

    text = "STRING"

    def __init__(self, session: Any) -> None:
        super().__init__()
        self._session = session
        self._lists: list[Any] = []

    def spread(self, keys: Sequence[str], rows: int) -> str:
        """Move rows once: what is grouped by more than these keys is then where it belongs."""
        return f"/*+ REPARTITION({1 + rows // PART}, {', '.join(keys)}) */ "

    def looked_up(self, lists: Sequence[str]) -> str:
        """Send the lists to the rows: Spark, which does not know them, would move the rows."""
        return f"/*+ BROADCAST({', '.join(lists)}) */ " if lists else ""

    def _keep(self, name: str, question: str, source: Any, is_list: bool) -> None:
        if source is not None:
            source.createOrReplaceTempView(SOURCE)
        asked = self._asked(question)
        if is_list:  # from a cache, Spark would not know it again among others of its table
            with unlogged():
                asked = asked.localCheckpoint()
            self._lists.append(asked)
        else:
            asked = asked.cache()
        asked.createOrReplaceTempView(name)

    def _rows(self, question: str) -> list[tuple[Any, ...]]:
        import narwhals as nw

        return rows_of(nw.from_native(self._asked(question)))

    def quoted(self, text: str) -> str:
        """Return a text as it is written in a question, where a backslash is a mark of its own."""
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def named(self, column: str) -> str:
        """Return the name of a column as it is written in a question."""
        return "`" + column.replace("`", "``") + "`"

    def _write(self, question: str, source: Any, path: Path) -> None:
        source.createOrReplaceTempView(SOURCE)
        folder = path.with_name("parts")
        written = self._asked(question).coalesce(1).write
        with unlogged():
            if path.suffix == ".csv":
                written.csv(folder.as_uri(), header=True, escape='"', emptyValue='""')
            else:
                written.parquet(folder.as_uri())
        [part] = folder.glob(f"part-*{path.suffix}")  # elsewhere, if Spark is not on this machine
        part.rename(path)

    def _drop(self, name: str) -> None:
        self._session.catalog.uncacheTable(name)
        self._session.catalog.dropTempView(name)
        self._session.catalog.dropTempView(SOURCE)

    def close(self) -> None:
        """Drop what was kept, the lists too."""
        super().close()
        for kept in self._lists:
            with suppress(Exception):  # Spark Connect drops them when nobody has them any more
                kept._jdf.queryExecution().analyzed().rdd().unpersist(False)

    def _asked(self, question: str) -> Any:
        with unlogged():
            return self._session.sql(question)


class Sources:
    """Frames of one engine: the one that has the first of them."""

    def __init__(self, sources: Sequence[Any] = ()) -> None:
        """Have a DuckDB of our own open the files among some sources, and no other."""
        self.engine: Engine | None = None
        self._sources = sources
        self._folder: TemporaryDirectory[str] | None = None
        self._own: Any = None

    def frame(self, source: Any, columns: list[str], table: str | None = None) -> "Frame":
        """Return columns of a table, in the engine, by position; NaN is a missing value."""
        frame = frame_of(source, dict.fromkeys(columns), table, engine=self._duckdb)
        if frame.implementation.is_spark_like():
            found: Engine = Spark(frame.to_native().sparkSession)
        else:
            is_theirs = frame.implementation.is_duckdb() and not isinstance(source, str | Path)
            if not frame.implementation.is_duckdb():
                frame = guarded(lambda: self._handed_over(frame))
            found = DuckDB(frame.to_native(), None if is_theirs else self._duckdb())
        if self.engine is None:
            self.engine = found
        elif type(self.engine) is not type(found) or not self._knows(frame):
            raise InvalidInput(
                "all tables must be in one engine: files and frames in memory, one connection of "
                "DuckDB, or one session of Spark"
            )
        return _without_nan(frame)

    def columns(self, source: Any, table: str | None = None) -> list[str]:
        """Return the names of all columns of a table."""
        return columns_of(source, table, engine=self._duckdb)

    def _knows(self, frame: "Frame") -> bool:
        """Say whether what is kept of a frame is in the engine of the others."""
        assert self.engine is not None
        try:
            kept = self.engine.keep(f"SELECT 1 AS one FROM {SOURCE} LIMIT 1", frame)
            self.engine.rows(f"SELECT one FROM {kept}")
        except InvalidFile:
            return False
        return True

    def close(self) -> None:
        """Drop what was kept."""
        if self.engine is not None:
            self.engine.close()
        if self._own is not None:
            self._own.close()
        if self._folder is not None:
            self._folder.cleanup()

    def _duckdb(self) -> Any:
        """Return a DuckDB of our own."""
        if self._own is None:
            self._folder = TemporaryDirectory(prefix="leaktight-")
            self._own = engine_for(
                names_of(self._sources), memory_limit=MEMORY, temp_directory=self._folder.name
            )
        return self._own

    def _handed_over(self, frame: "Frame") -> "nw.LazyFrame[Any]":
        import narwhals as nw

        read = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        native: Any = read.to_native()
        own = self._duckdb()
        handed = own.from_df(native) if read.implementation.is_pandas() else own.from_arrow(native)
        return nw.from_native(handed)


def _without_nan(frame: "Frame") -> "Frame":
    import narwhals as nw

    read = [
        nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name)
        for name, kind in guarded(frame.collect_schema).items()
        if kind.is_float()
    ]
    return frame.with_columns(*read) if read else frame
