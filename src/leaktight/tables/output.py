"""Files of released numbers, with their record beside them."""

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidFile, TooLarge, Undecided, expect
from leaktight.exact.numbers import Number
from leaktight.exact.rounding import float_above, float_below
from leaktight.files import expect_writable, new_file, new_path, read_path
from leaktight.tables.consistent import Consistent, consistent
from leaktight.tables.ledger import Ledger
from leaktight.tables.publishing import TableRelease
from leaktight.tables.queries import written_number
from leaktight.tables.record import TableRecord
from leaktight.tables.source import engine_for, names_of, whole_name
from leaktight.tables.writing import canonical

COLUMNS = ("query", "cell", "number", "low", "high", "fitted")
"""The numbers as released, where the true ones lie with 95%, and those of a consistent table."""

OUTPUTS = (".csv", ".json", ".parquet")


def table_of(release: TableRelease, confidence: Number = "0.95") -> list[tuple[Any, ...]]:
    """Return the numbers of a release, in rows of :data:`COLUMNS`."""
    fit = _fit(release)
    rows: list[tuple[Any, ...]] = []
    for answer in release.answers:
        fitted = [None] * len(answer.cells) if fit is None else fit[answer.name]
        for label, number, (low, high), near in zip(
            answer.labels, answer.numbers, answer.intervals(confidence), fitted, strict=True
        ):
            ends = written_number(low, float_below), written_number(high, float_above)
            near = float(near) if isinstance(near, int | Fraction) else near
            fitting = near if isinstance(near, float) else written_number(near)
            rows.append((answer.name, label, written_number(number), *ends, fitting))
    return rows


def _fit(release: TableRelease) -> Consistent | None:
    try:
        return consistent(release)
    except (TooLarge, Undecided):
        return None


def record_beside(path: str | Path) -> Path:
    """Return where the record of an output is."""
    return Path(path).with_name(Path(path).name + ".release.json")


def expect_output(path: str | Path, book: Ledger, name: str) -> None:
    """Before anything is spent: refuse a file that cannot be written, or that is not this one's.

    What was written from another ledger, or from an entry that this one has lost, shows that the
    ledger was swapped for another one or for an old copy.
    """
    target, beside = Path(path), record_beside(path)
    if target.suffix.lower() not in OUTPUTS:
        raise InvalidFile(f"the output must end in {', '.join(OUTPUTS)}, got {target}")
    expect_writable(target)
    expect_writable(beside)
    if not beside.exists():
        if target.exists():
            raise InvalidFile(f"{target} is there already, and no release; name another output")
        return
    try:
        noted = json.loads(beside.read_text(encoding="utf-8"))
        written, chain = noted["ledger"]["identity"], noted["ledger"]["chain"]
        other = noted["name"]
    except (ValueError, KeyError, TypeError):
        raise InvalidFile(f"{beside} is no record of a release; name another output") from None
    if written != book.identity:
        raise InvalidFile(f"{target} was released from another ledger than {book.name}")
    if chain not in {entry.chain for entry in book.entries()}:
        raise InvalidFile(
            f"the ledger {book.name} does not know the release {other!r} that is in {target}: it "
            "is an old copy, or was changed"
        )
    if other != name:
        raise InvalidFile(f"{target} has the release {other!r}; name another output for {name!r}")


def write_record(record: TableRecord, path: str | Path) -> None:
    """Write the record of an output beside it."""
    expect(record, TableRecord, "make it by record_of(…)")
    with new_file(record_beside(path)) as note:
        note.write(json.dumps(record.to_dict(), ensure_ascii=False, indent=1) + "\n")


def write_release(release: TableRelease, record: TableRecord, path: str | Path) -> None:
    """Write the numbers of a release as CSV, JSON or Parquet, and its record beside them."""
    target = read_path(path)
    rows = table_of(expect(release, TableRelease, "give what release(…) returns"))
    write_record(record, target)
    if target.suffix.lower() == ".parquet":
        _parquet(rows, target)
        return
    with new_file(target) as file:
        if target.suffix.lower() == ".json":
            file.writelines(_json_lines(rows))
        else:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(COLUMNS)
            lines.writerows(rows)


def _json_lines(rows: list[tuple[Any, ...]]) -> Iterator[str]:
    yield "[\n"
    for i, row in enumerate(rows, 1):
        one = canonical(dict(zip(COLUMNS, row, strict=True)))
        yield f" {one}{',' if i < len(rows) else ''}\n"
    yield "]\n"


def _stored(column: list[Any]) -> str:
    """Return the type of a column: of whole numbers, of numbers, or of texts."""
    if any(isinstance(each, str) for each in column):
        return "VARCHAR"
    return "DOUBLE" if any(isinstance(each, float) for each in column) else "HUGEINT"


def _parquet(rows: list[tuple[Any, ...]], target: Path) -> None:
    kinds = ["VARCHAR", "VARCHAR", *(_stored([row[i] for row in rows]) for i in (2, 3, 4))]
    kinds.append("VARCHAR" if _stored([row[5] for row in rows]) == "VARCHAR" else "DOUBLE")
    with new_path(target) as new:
        text = new.with_name("rows.csv")
        with text.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        [whole, name, *_] = names_of([text])
        with engine_for([whole, name, whole_name(new)]) as engine:
            table = engine.read_csv(
                name,
                auto_detect=False,
                header=False,
                columns=dict(zip(COLUMNS, kinds, strict=True)),
                delimiter=",",
                quotechar='"',
                escapechar='"',
                hive_partitioning=False,
            )
            table.write_parquet(whole_name(new), use_tmp_file=False)
