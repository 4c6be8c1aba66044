"""How is every row of a table published, each with noise of its own, and paid for?

The answer of each row is drawn by itself, from a channel on the values. What it costs is on the
disk before anything is drawn; the file is whole, on the disk and known to the ledger by its hash
before it takes its place. A file that was never finished was seen by nobody, and is drawn anew.
"""

import glob
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidChannel, InvalidFile, InvalidPolicy
from leaktight.exact.powers import Powers
from leaktight.files import read_path, sync_folder
from leaktight.labels import alignment
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.tables.budget import Paid
from leaktight.tables.ledger import Entry, Ledger, Stored
from leaktight.tables.protection import Protection
from leaktight.tables.reading import Outside, Reading
from leaktight.tables.row_answers import answer_rows, expect_readable
from leaktight.tables.rows import count_rows, declared_columns
from leaktight.tables.source import frame_of, guarded
from leaktight.tables.weights import Shape, Weights
from leaktight.tables.writing import canonical, digest

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

    @property
    def rows(self) -> int:
        """How many rows were answered."""
        return self.stored.numbers[0][0]


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
    rng: np.random.Generator | None = None,
) -> RowsRelease:
    """Publish a column, each row drawn through a channel on the values, paid for from a ledger.

    The output has that column alone, in the order of the table: a .csv or .parquet file or, from
    Spark, a folder of Parquet files that ends in .parquet. Every pair of values pays the largest
    ratio that the channel has for any two of them. The number of rows is seen, so the policy may
    have no value for absent records.

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
    protection = Protection(policy, None, rows_per_person)
    if protection.counts is not None:
        raise InvalidPolicy("rows are published one by one only where no counts are public")
    channel = _channel(mechanism, protection)
    ratio = _ratio(channel)
    places = np.arange(len(protection.values), dtype=np.int64)
    paid = Paid(Powers.of((ratio, 1)), ((Weights(Shape.ROWS, places, 0), 1),))
    book = Ledger.open(ledger)
    book.expect(protection)
    question = _question(column, channel, reading, rng is not None)
    known = book.find(name)
    if known is not None:
        book.expect_same(known, question)
        if known.answered:
            return _again(known, book, target, ratio)
    if target.exists():
        raise InvalidFile(f"{target} is there already; name another output")
    counted = count_rows(source, protection, reading, table)
    [declared] = declared_columns(protection, reading)
    frame = frame_of(source, {column: declared.kind}, table)
    cells = guarded(lambda: declared.read(frame.collect_schema()[column]))
    rows = int(counted.counts.sum())
    expect_readable(frame, cells, rows)
    entry = book.spend(name, question, paid)
    suffix = target.suffix.lower()
    part = target.with_name(f"{_beside(target, entry)}.{token_hex(8)}.part{suffix}")
    other = reading.elsewhere(column)
    drawn = guarded(lambda: answer_rows(frame, cells, channel, part, other, rng))
    if drawn != rows:
        _remove(part)
        raise InvalidFile(f"the table had {rows:,} rows when they were checked, and now {drawn:,}")
    stored = Stored(((rows,),), counted.schema, _hash(part))
    book.store(entry, stored)  # unless another process was first: then its file is the one
    return _again(entry, book, target, ratio)


def _channel(mechanism: Mechanism | Channel, protection: Protection) -> Channel:
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


# --- the file ----------------------------------------------------------------------------------


def _beside(target: Path, entry: Entry) -> str:
    """Return how the names of files begin that were drawn for an entry."""
    return f".{target.name[:40]}.{entry.chain[:16]}"


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part)
    else:
        part.unlink(missing_ok=True)


def _hash(path: Path) -> str:
    """Return the hash of a file, or of the files of a folder."""
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name.startswith("part-"))
        return sha256("".join(map(_hash, files)).encode()).hexdigest()
    found = sha256()
    with path.open("rb") as file:
        while block := file.read(2**20):
            found.update(block)
    return found.hexdigest()


def _again(entry: Entry, book: Ledger, target: Path, ratio: Fraction) -> RowsRelease:
    """Return the release that the ledger knows, its file in its place."""
    stored = book.answer(entry)
    for part in target.parent.glob(f"{glob.escape(_beside(target, entry))}.*.part.*"):
        if not target.exists() and _hash(part) == stored.file:
            part.rename(target)
            sync_folder(target.parent)
        else:
            _remove(part)
    if not target.exists() or _hash(target) != stored.file:
        raise InvalidFile(
            f"{target} is not the file that was released as {entry.name!r}, and another draw would "
            "cost again; choose another name, or bring it back"
        )
    return RowsRelease(entry, book, target, stored, ratio)
