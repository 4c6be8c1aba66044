"""A column of a file released, and all else copied to the byte."""

import codecs
import csv
import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidFile, Mismatch, without_data
from leaktight.files import expect_commas, expect_writable, new_file, read_path
from leaktight.labels import Labels, first_few, nearest
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.mechanisms.release.draw import sample
from leaktight.mechanisms.release.release import ReleaseRecord, applied, recorded
from leaktight.policies.neighbours import Space

_CELL = r'(?>"[^"]*(?:""[^"]*)*"|[^,\r\n]*)'
"""A cell of a line that is known to be CSV: in quotes, or up to the next comma."""


@without_data()
def release_csv(
    mechanism: Mechanism | Channel,
    source: str | Path,
    target: str | Path,
    column: str,
    *,
    neighbours: Space | None = None,
    rng: np.random.Generator | None = None,
) -> ReleaseRecord:
    """Copy a CSV file, with one column of answers replaced by what :func:`release` draws for them.

    The first line names the columns. An answer is the text of an input's label. All else is copied
    to the byte, and nothing is promised about it. The record is written beside the target too, as
    ``target`` + ``.release.json``, and is there whenever the target is. Neither file may be there
    already: to release the same answers again adds to their ε.

    >>> from tempfile import TemporaryDirectory
    >>> masked = Channel({"no": {"?": 1}, "yes": {"?": 1}})
    >>> with TemporaryDirectory() as folder:
    ...     told, told_not = Path(folder) / "told.csv", Path(folder) / "told-not.csv"
    ...     _ = told.write_text("street,answer\\nElm Street,yes\\nOak Street,no\\n")
    ...     record = release_csv(masked, told, told_not, "answer")
    ...     print(told_not.read_text())
    street,answer
    Elm Street,?
    Oak Street,?
    <BLANKLINE>
    """
    read, written = read_path(source), read_path(target)
    beside = written.with_name(written.name + ".release.json")
    for file in (written, beside):
        expect_writable(file)
        if file.exists():
            raise InvalidFile(
                f"{file} is there already, and to release the same answers again adds to their ε; "
                "remove it or name another target"
            )
    name, channel, guarantee = applied(mechanism, neighbours)
    inputs, outputs = _texts(channel.inputs, "input"), _texts(channel.outputs, "output")
    encoding = _encoding(read)
    header, answers = _read_column(read, encoding, column, inputs)
    in_file = Channel.trusted(tuple(inputs), tuple(map(_quoted, outputs)), channel.matrix)
    drawn = sample(in_file, answers, rng)
    record = recorded(name, guarantee, len(answers), rng, column)
    with new_file(written, encoding=encoding, replace=False) as table:
        table.writelines(_replaced(read, encoding, header, column, drawn))
        table.flush()
        with new_file(beside, replace=False) as note:  # which is there before the table
            note.write(record.to_json())
    return record


def _texts(labels: Labels, what: str) -> list[str]:
    """Return how labels read in a file."""
    known: dict[str, Hashable] = {}
    for label in labels:
        if known.setdefault(str(label), label) != label:
            raise Mismatch(
                f"{what}s must differ as text in a file, but {label!r} and {known[str(label)]!r} "
                "read alike; Channel(channel, inputs=…, outputs=…) gives new labels"
            )
    return list(known)


def _read_column(
    file: Path, encoding: str, column: str, inputs: list[str]
) -> tuple[list[str], list[str]]:
    """Return the names of the columns, and the answers in one of them."""
    lines = _cells(file, encoding)
    _, header = next(lines, (1, []))
    if not header:
        raise InvalidFile(f"{file}, line 1: expected the names of the columns, got nothing")
    if column not in header:
        expect_commas(header, f"{file}, line 1: ")
        raise InvalidFile(
            f"{file}, line 1: there is no column {column!r}; "
            + (nearest(column, header) or "no name of a column is near it")
        )
    if header.count(column) > 1:
        raise InvalidFile(f"{file}, line 1: only one column may be called {column!r}")
    at, width, known, answers = header.index(column), len(header), set(inputs), list[str]()
    for number, cells in lines:
        if not cells:
            if width > 1:
                continue
            cells = [""]  # an empty answer, if there is one column
        if len(cells) != width:
            raise InvalidFile(
                f"{file}, line {number}: expected {width} cells like line 1, got {len(cells)}"
            )
        if cells[at] not in known:
            raise InvalidFile(
                f"{file}, line {number}, column {column!r}: the cell is no input of the channel; "
                f"{first_few(inputs)}"
            )
        answers.append(cells[at])
    return header, answers


def _cells(file: Path, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line of a CSV file and its number; a blank one has no cells."""
    with file.open(newline="", encoding=encoding) as text:
        reader, number = csv.reader(text, strict=True), 1
        try:
            for cells in reader:
                yield number, cells
                number = reader.line_num + 1
        except UnicodeDecodeError:
            raise InvalidFile(f"{file}, from line {number}: not CSV in UTF-8") from None
        except csv.Error as wrong:
            raise InvalidFile(f"{file}, from line {number}: not CSV: {wrong}") from None


def _replaced(
    file: Path, encoding: str, header: list[str], column: str, cells: Iterable[str]
) -> Iterator[str]:
    """Yield the lines of a CSV file that was read, with other ``cells`` in a column.

    All else stays to the byte. A line without quotes is split at its commas, which is quick.
    """
    at, alone, drawn = header.index(column), len(header) == 1, iter(cells)
    place = re.compile(rf"((?:{_CELL},){{{at}}}){_CELL}")
    with file.open(newline="", encoding=encoding) as text:
        yield _whole(next(text), text)
        for line in text:
            if '"' in line:
                line = _whole(line, text)
                yield place.sub(lambda found: found[1] + next(drawn), line, count=1)
                continue
            parts = line.split(",", at + 1)
            if alone or len(parts) > 1:  # it is not blank
                end = parts[at][len(parts[at].rstrip("\r\n")) :]
                parts[at] = next(drawn) + end
            yield ",".join(parts)


def _whole(line: str, others: Iterator[str]) -> str:
    """Return a line with those after it that belong to it: cells in quotes may go over several."""
    taken: list[str] = []

    def noted() -> Iterator[str]:
        for one in chain([line], others):
            taken.append(one)
            yield one

    next(csv.reader(noted()))
    return "".join(taken)


def _encoding(file: Path) -> str:
    """Return UTF-8, with a byte order mark if the file has one."""
    try:
        with file.open("rb") as raw:
            return "utf-8-sig" if raw.read(3) == codecs.BOM_UTF8 else "utf-8"
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {file}") from None
    except OSError as wrong:
        raise InvalidFile(f"{file} cannot be read: {wrong.strerror}") from None


def _quoted(text: str) -> str:
    """Return a cell; in quotes if it could be taken for something else."""
    return '"' + text.replace('"', '""') + '"' if not text or re.search('[,"\r\n]', text) else text
