"""Rows of a table answered through a channel, without all of them at once.

Rows are read in batches, each is answered, and the answers go into a file; nothing else of them is
kept. Where Spark has the table, Spark draws and writes.
"""

from collections.abc import Hashable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidPolicy, TooLarge
from leaktight.files import PRIVATE
from leaktight.mechanisms.release import sample
from leaktight.tables.column import Cells
from leaktight.tables.draw import parts_of
from leaktight.tables.persons import MOST_KEPT
from leaktight.tables.source import engine_for, unlogged, whole_name
from leaktight.tables.weights import Places

if TYPE_CHECKING:
    from leaktight.tables.source import Frame

BATCH = 2**18
"""How many rows are read at once."""

MOST_AT_ONCE = 2**25
"""How many rows are read at once, at most, from an engine that gives no batches."""

MEMORY = "512MB"
"""What the engine that writes the file may use."""


def expect_readable(frame: "Frame", cells: Cells, rows: int) -> None:
    """Refuse too many values, and more rows than are read at once if there are no batches."""
    if len(cells.known) > MOST_KEPT:
        raise InvalidPolicy(f"rows are published for at most {MOST_KEPT:,} values")
    if rows > MOST_AT_ONCE and not _gives_batches(frame):
        raise TooLarge(
            f"the table has {rows:,} rows, and {frame.implementation.name} gives them all at once "
            f"here, which is done for at most {MOST_AT_ONCE:,}; install pyarrow, and give a "
            "Parquet file or a DuckDB table"
        )


def answer_rows(
    frame: "Frame",
    cells: Cells,
    channel: Channel,
    part: Path,
    outside: Hashable | None,
    rng: np.random.Generator | None,
) -> int:
    """Draw an output for each row into the file ``part``, and return how many there were."""
    coded = _coded(frame, cells, {value: i for i, value in enumerate(channel.inputs)}, outside)
    numbered = Channel.trusted(
        tuple(range(len(channel.inputs))), tuple(range(len(channel.outputs))), channel.matrix
    )
    if frame.implementation.is_spark_like():
        with unlogged():
            return _on_spark(coded.to_native(), numbered, cells.name, channel.outputs, part)
    drawn = (sample(numbered, codes, rng) for codes in _batches(coded))
    return _write(drawn, cells.name, channel.outputs, part)


def _coded(
    frame: "Frame", cells: Cells, place: dict[Hashable, int], outside: Hashable | None
) -> "Frame":
    """Return a frame of the numbers of the values."""
    import narwhals as nw

    read = frame.select(cells.value.alias("value"), cells.found.alias("found"))
    code = sum(
        (
            (nw.col("value") == engine).cast(nw.Int64) * place[value]
            for engine, value in cells.known.items()
        ),
        start=nw.lit(0),
    )
    elsewhere = place[outside] if outside is not None else -1
    return read.select(nw.when(nw.col("found")).then(code).otherwise(elsewhere).alias("code"))


def _batches(coded: "Frame") -> Iterator[Places]:
    """Yield the numbers of the values, in the order of the table."""
    import narwhals as nw

    native: Any = coded.to_native()
    kind = coded.implementation
    if isinstance(coded, nw.DataFrame) or not _gives_batches(coded):
        if kind.is_duckdb():
            codes: Any = native.fetchnumpy()["code"]
        else:
            whole = coded if isinstance(coded, nw.DataFrame) else coded.collect()
            codes = whole["code"].to_numpy()
        readings: Any = ({"code": codes[i : i + BATCH]} for i in range(0, len(codes), BATCH))
    elif kind.is_ibis():
        readings = native.to_pyarrow_batches(chunk_size=BATCH)
    elif kind.is_polars():
        readings = native.collect_batches(chunk_size=BATCH)
    else:
        import pyarrow

        readings = pyarrow.RecordBatchReader.from_stream(native)
    for batch in readings:
        yield np.asarray(batch["code"], dtype=np.int64)


def _gives_batches(frame: "Frame") -> bool:
    """Say whether rows come in batches, or are in memory as it is."""
    import narwhals as nw

    kind = frame.implementation
    if kind.is_duckdb():
        return find_spec("pyarrow") is not None
    if kind.is_polars():
        return isinstance(frame, nw.DataFrame) or hasattr(frame.to_native(), "collect_batches")
    return isinstance(frame, nw.DataFrame) or kind.is_ibis() or kind.is_spark_like()


def _write(answers: Iterator[Places], column: str, outputs: Sequence[Hashable], part: Path) -> int:
    """Write a file of one column; the engine looks the outputs up by their number."""
    kind = "FORMAT parquet" if part.suffix == ".parquet" else "FORMAT csv, HEADER"
    named = '"' + column.replace('"', '""') + '"'
    whole = all(isinstance(output, int) for output in outputs)
    labels = [output if whole else str(output) for output in outputs]
    name, rows = whole_name(part), 0
    where = name.replace("'", "''")
    part.touch(PRIVATE, exist_ok=False)
    with engine_for([name], memory_limit=MEMORY, temp_directory=str(part.parent)) as engine:
        engine.execute("CREATE TABLE answer (code INTEGER)")
        for drawn in answers:
            engine.register("drawn", {"code": drawn.astype(np.int32)})
            engine.execute("INSERT INTO answer SELECT code FROM drawn")
            rows += len(drawn)
        engine.execute("SET VARIABLE labels = ?", [labels])
        engine.execute(
            f"COPY (SELECT getvariable('labels')[code + 1] AS {named} FROM answer) "
            f"TO '{where}' ({kind}, USE_TMP_FILE false)"
        )
    return rows


def _on_spark(
    native: Any, channel: Channel, column: str, outputs: Sequence[Hashable], part: Path
) -> int:
    """Let Spark draw and write once; what is counted is what was written.

    It is not read back by Spark, for which the path would be a pattern.
    """
    from pyarrow.parquet import read_metadata

    labels = np.array(list(map(str, outputs)), dtype=object)

    def answer(batches: Iterator[Any]) -> Iterator[Any]:
        import pandas

        for batch in batches:
            yield pandas.DataFrame({column: labels[sample(channel, batch["code"].to_numpy())]})

    field = "`" + column.replace("`", "``") + "` string"
    native.mapInPandas(answer, field).write.mode("error").parquet(f"file://{whole_name(part)}")
    rows = 0
    for file in parts_of(part):
        with file.open("rb") as opened:
            rows += read_metadata(opened).num_rows
    return rows
