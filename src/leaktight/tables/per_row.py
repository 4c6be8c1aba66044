"""Every row of a table published, each with noise of its own, and paid for.

The answer of each row is drawn by itself, from a channel on the values. What it costs is on the
disk before anything is drawn; the file is whole, on the disk and known to the ledger by its hash
before it takes its place. A file that was never finished was seen by nobody: it is destroyed, and
drawn anew. So there is one draw for each payment, see :mod:`leaktight.tables.draw`.
"""

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidChannel, InvalidFile, InvalidInput, InvalidPolicy, TooLarge
from leaktight.exact.powers import Powers
from leaktight.exact.shown import counted
from leaktight.files import PRIVATE, expect_writable, read_path
from leaktight.labels import alignment
from leaktight.limits import allowed
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.mechanisms.release import sample
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.tables.column import Cells
from leaktight.tables.draw import drawing, hash_of, note_of, parts_of, settled
from leaktight.tables.ledger import Entry, Ledger, Stored
from leaktight.tables.origin import Origin
from leaktight.tables.persons import MOST_KEPT
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.reading import Outside, Reading
from leaktight.tables.rows import count_rows, declared_columns
from leaktight.tables.source import engine_for, frame_of, guarded, place, unlogged, whole_name
from leaktight.tables.weights import Places, Shape, Weights
from leaktight.tables.writing import canonical, digest

if TYPE_CHECKING:
    from leaktight.tables.source import Frame


# --- rows of a table answered through a channel, without all of them at once -----------------
# Rows are read in batches, each is answered, and the answers go into a file; nothing else of them
# is kept. Where Spark has the table, Spark draws and writes.

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
    if rows > allowed(MOST_AT_ONCE) and not _gives_batches(frame):
        raise TooLarge(
            f"the table has {rows:,} rows, and {frame.implementation.name} gives them all at once "
            f"here, which is done for at most {allowed(MOST_AT_ONCE):,}; install pyarrow, and give "
            "a Parquet file or a DuckDB table"
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


# --- releases of rows ------------------------------------------------------------------------

SUFFIXES = (".csv", ".parquet")


@dataclass(frozen=True, slots=True, eq=False)
class RowsRelease:
    """A file in which every row of a column was answered through a channel."""

    entry: Entry
    ledger: Ledger
    path: Path
    stored: Stored
    """What the ledger keeps: the number of rows, and the hash of the file."""
    ratio: Fraction
    """The largest ratio of any two values, for one row."""
    is_new: bool = True
    """Whether it was drawn and paid for now, and not before."""

    @property
    def rows(self) -> int:
        """How many rows were answered."""
        return self.stored.numbers[0][0]

    @property
    def what(self) -> str:
        """What was published, in a few words."""
        rows = counted(self.rows, "row", "rows")
        return f"{rows}, each answered by itself, with exact probabilities"

    @property
    def bare(self) -> list[str]:
        """No query is without noise."""
        return []

    def asked(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was asked and published, as a record has it."""
        file = {"rows": self.rows, "hash": self.stored.file}
        return {"queries": question["queries"], "file": file}


def release_rows(
    source: Any,
    policy: Policy,
    mechanism: Mechanism | Channel,
    output: str | Path,
    *,
    name: str,
    ledger: str | Path,
    column: str,
    table: str | None = None,
    person: str | None = None,
    rows_per_person: int = 1,
    outside: Outside = None,
    cuts: Mapping[str, Sequence[Any]] | None = None,
    clamp: Sequence[str] = (),
    again: bool = False,
    rng: np.random.Generator | None = None,
) -> RowsRelease:
    """Publish a column, each row drawn through a channel on the values, paid for from a ledger.

    The output has that column alone, in the order of the table: a .csv or .parquet file or, from
    Spark, a folder of Parquet files that ends in .parquet. Every pair of values pays the largest
    ratio that the channel has for any two of them. The number of rows is seen, so the policy may
    have no value for absent records. What is asked again is as in
    :func:`leaktight.tables.release`.

    >>> import polars
    >>> from tempfile import TemporaryDirectory
    >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
    >>> votes = polars.DataFrame({"vote": ["yes", "no"] * 50})
    >>> policy = Policy(SecretGraph.complete(["no", "yes"]), records=100)
    >>> with TemporaryDirectory() as folder:
    ...     book = Path(folder) / "votes.ledger"
    ...     _ = Ledger.create(book, policy, ratio=3)
    ...     answers = RandomizedResponse(["no", "yes"], ratio=3)
    ...     done = release_rows(votes, policy, answers, Path(folder) / "noisy.csv",
    ...                         name="2024", ledger=book, column="vote")
    ...     done.rows, done.ratio, len(done.path.read_text().split())
    (100, Fraction(3, 1), 101)
    """
    target = read_path(output)
    if target.suffix.lower() not in SUFFIXES:
        raise InvalidFile(f"the output must end in {' or '.join(SUFFIXES)}, got {target}")
    reading = Reading((column,), person, None, outside, dict(cuts or {}), tuple(clamp))
    protection = PrivacyUnit(policy, None, rows_per_person)
    if protection.counts is not None:
        raise InvalidPolicy("rows are published one by one only where no counts are public")
    channel = _channel(mechanism, protection)
    ratio = _ratio(channel)
    places = np.arange(len(protection.values), dtype=np.int64)
    paid = PrivacyLoss(Powers.of((ratio, 1)), ((Weights(Shape.ROWS, places, 0), 1),))
    book = Ledger.open(ledger, protection)
    question = _question(column, channel, reading, rng is not None)
    asked = _Asked(book, name, question, target, ratio, None if again else Origin.of(source))
    if not note_of(book, name).exists() and (known := asked.answered()):
        return asked.told(known)
    with drawing(book, name) as draw:
        if known := asked.answered():  # by another process, or one that was stopped
            draw.finish(target, book.answer(known).file)
            return asked.told(known)
        if asked.origin is None:
            raise InvalidInput(f"the ledger {book.name} has no rows of a release {name!r} to show")
        draw.destroy()  # what a process that was stopped had drawn, and nobody has seen
        if os.path.lexists(target):
            raise InvalidFile(f"{target} is there already; name another output")
        expect_writable(target)
        counted = count_rows(source, protection, reading, table)
        [declared] = declared_columns(protection, reading)
        frame = frame_of(source, {column: declared.kind}, table)
        cells = guarded(lambda: declared.read(place(0), frame.collect_schema()[place(0)]))
        rows = int(counted.counts.sum())
        expect_readable(frame, cells, rows)
        entry = book.spend(name, question, paid)
        part = draw.begin(target)
        other = reading.elsewhere(column)
        try:
            drawn = guarded(lambda: answer_rows(frame, cells, channel, part, other, rng))
            _expect_all(rows, drawn)
            found = guarded(lambda: settled(part))
        except BaseException:
            draw.destroy()  # nobody has seen it, nor will
            raise
        stored = book.store(entry, Stored(((rows,),), counted.schema, found, asked.origin))
        draw.finish(target, stored.file)
        return asked.told(entry, is_new=True)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A release that was asked for, and what the ledger knows of it."""

    book: Ledger
    name: str
    question: str
    target: Path
    ratio: Fraction
    origin: Origin | None
    """What it is asked of; None if that is not to be looked at."""

    def answered(self) -> Entry | None:
        """Return what the ledger has, if it is the same and its rows were drawn."""
        known = self.book.find(self.name)
        if known is None:
            return None
        self.book.expect_same(known, self.question)
        return known if known.answered else None

    def told(self, entry: Entry, is_new: bool = False) -> RowsRelease:
        """Return the release that the ledger knows, whose file must be in its place."""
        stored = self.book.answer(entry)
        if stored.origin is not None and self.origin is not None:
            stored.origin.expect(self.origin, entry.name, entry.time)
        if not self.target.exists() or hash_of(self.target) != stored.file:
            raise InvalidFile(
                f"{self.target} is not the file that was released as {entry.name!r}, and another "
                "draw would cost again; choose another name, or bring it back"
            )
        return RowsRelease(entry, self.book, self.target, stored, self.ratio, is_new)


def _expect_all(rows: int, drawn: int) -> None:
    if drawn != rows:
        raise InvalidFile(f"the table had {rows:,} rows when they were checked, and now {drawn:,}")


def _channel(mechanism: Mechanism | Channel, protection: PrivacyUnit) -> Channel:
    """Return the channel, its inputs in the order of the policy's values."""
    channel = mechanism if isinstance(mechanism, Channel) else mechanism.channel
    if not channel.is_exact:
        raise InvalidChannel("only exact probabilities can be drawn exactly; channel.exact()")
    alignment(protection.values, channel.inputs, "the policy and the channel")
    return channel.restrict(protection.values)


def _ratio(channel: Channel) -> Fraction:
    level = privacy_level(channel, SecretGraph.complete(channel.inputs))
    if not isinstance(level.ratio, Fraction):
        raise InvalidPolicy(
            f"some outcome rules a value out for certain ({level.witness}); a channel that is "
            "published row by row must leave every value possible"
        )
    return level.ratio


def _question(column: str, channel: Channel, reading: Reading, seeded: bool) -> str:
    entries = canonical([list(map(str, row)) for row in channel.matrix.tolist()])
    return canonical(
        {
            "queries": [{"name": f"each row of {column}", "channel": digest(entries)}],
            "outputs": list(map(str, channel.outputs)),
            "rows": reading.to_dict(),
            "randomness": "a generator for tests" if seeded else "the operating system",
        }
    )
