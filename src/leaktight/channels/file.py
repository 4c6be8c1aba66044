"""Files of channels: CSV and JSON, without loss of exact values or labels.

A CSV file has the outputs in its first line and an input at the start of each other line. The
first cell says ``exact`` or ``float``; files from elsewhere may have anything there. Exact
numbers are written as fractions, floats with all their digits. Labels are written as plain text
where that is unambiguous, otherwise as JSON: ``1``, ``"1"``, ``["a", 1]`` for the tuple ("a", 1).
In JSON a function, which shows each input one output, has no matrix: ``shows`` is for each input
the place of its output, from 0.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.deterministic import Deterministic
from leaktight.errors import InvalidChannel, InvalidFile, InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.numbers import SMALLEST, kept_float, kept_floats, rational
from leaktight.exact.tolerances import TOLERANCES
from leaktight.files import expect_commas, new_file, read_path
from leaktight.labels import read_labels
from leaktight.limits import allowed

FORMAT = "leaktight channel"

LARGEST_CSV = 2**22
"""How many numbers a CSV file may have of a channel that .json has with one for each input."""


def write_channel(channel: Channel, path: str | Path) -> None:
    """Write a channel to a file that ends in .csv or .json; one that is there is replaced.

    Labels may be text, numbers, True, False, None and tuples of them.
    """
    write = _write_json if channel_suffix(path) == ".json" else _write_csv
    with new_file(path) as file:
        write(expect_channel(channel), file)


def read_channel(path: str | Path) -> Channel:
    """Read a channel from a file that ends in .csv or .json.

    Labels that read as JSON are taken as such: ``1``, ``true`` and ``["a", 1]`` become 1, True and
    ("a", 1). Numbers such as ``1/3``, ``0.25`` and ``1`` are exact. If the rows of a CSV file that
    does not say ``exact`` sum to 1 only up to rounding, as when a program printed floats, it is
    read as floats.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "coin.csv"
    ...     _ = file.write_text("answer,-,+\\nno,2/3,1/3\\nyes,1/3,2/3\\n")
    ...     read_channel(file)
    exact channel, 2 inputs × 2 outputs
           -    +
     no  2/3  1/3
    yes  1/3  2/3
    """
    source = read_path(path)
    read = _read_json if channel_suffix(path) == ".json" else _read_csv
    try:
        with source.open(newline="", encoding="utf-8-sig") as file:
            text = file.read()
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {source}") from None
    except UnicodeDecodeError:
        raise InvalidFile(f"{source} must be a readable text file in UTF-8") from None
    except OSError as wrong:
        raise InvalidFile(f"{source} must be a readable text file: {wrong}") from None
    try:
        return read(text)
    except (InvalidInput, csv.Error) as wrong:
        raise InvalidFile(f"{source}: {wrong}{_if_bare(text)}") from None
    except RecursionError:
        raise InvalidFile(f"{source}: lists are nested too deeply") from None


def _if_bare(text: str) -> str:
    """Say what a file lacks that has nothing but a matrix, as numpy.savetxt writes it."""
    with suppress(ValueError):
        first = map(float, text.partition("\n")[0].split(","))
        if abs(sum(first) - 1) <= TOLERANCES.total:
            return (
                " (the first line must name the outputs, and each other line begin with its input; "
                "for a matrix alone, Channel(numpy.loadtxt(file, delimiter=',')) reads it)"
            )
    return ""


def channel_suffix(path: str | Path) -> str:
    """Return .csv or .json; a channel's file has no other ending."""
    suffix = read_path(path).suffix.lower()
    if suffix not in (".csv", ".json"):
        raise InvalidFile(f"the name of a channel's file must end in .csv or .json, got {path}")
    return suffix


# --- CSV -----------------------------------------------------------------------------------


def _write_csv(channel: Channel, file: TextIO) -> None:
    if channel.function is not None and math.prod(channel.shape) > allowed(LARGEST_CSV):
        x, z = channel.shape
        raise TooLarge(
            f"a CSV file would have {x:,} × {z:,} numbers, and may have {allowed(LARGEST_CSV):,}; "
            "a name that ends in .json has one for each input"
        )
    lines = csv.writer(file, lineterminator="\n")
    kind = "exact" if channel.is_exact else "float"
    lines.writerow([kind, *map(_label_text, channel.outputs)])
    for label, row in zip(channel.inputs, channel.matrix, strict=True):
        numbers = row if channel.is_exact else map(_float, row.tolist())
        lines.writerow([_label_text(label), *map(str, numbers)])


def _read_csv(text: str) -> Channel:
    reader = csv.reader(io.StringIO(text, newline=""))
    lines = [(reader.line_num, line) for line in reader if line]
    if lines:
        expect_commas(lines[0][1])
    if len(lines) < 2 or len(lines[0][1]) < 2:
        raise InvalidFile("a channel's file needs a line of outputs and a line for each input")
    (_, header), *body = lines
    for number, line in body:
        if len(line) != len(header):
            raise InvalidFile(
                f"line {number} must have {len(header)} cells like line 1, got {len(line)}"
            )
    outputs, inputs = ([_read_label(c) for c in s] for s in (header[1:], [r[0] for _, r in body]))
    kind = header[0].strip()
    if kind != "float":
        matrix = np.array([_read_cells(rational, n, line, outputs) for n, line in body])
        miss = np.abs(matrix.sum(axis=1) - 1).max()
        rounded = kind != "exact" and 0 < miss <= rational(TOLERANCES.total)
        return Channel(kept_floats(matrix) if rounded else matrix, inputs, outputs)
    rows = [_read_cells(_read_float, number, line, outputs) for number, line in body]
    return Channel(np.array(rows), inputs, outputs)


def _float(number: float) -> float | str:
    """Return a float as a file has it: the exact fraction where its decimals would lose digits."""
    return number if number == 0 or number >= SMALLEST else str(rational(number))


def _read_float(text: str) -> float:
    """Read a number as the nearest float, which must not vanish."""
    with suppress(ValueError):
        if (near := float(text)) >= SMALLEST:
            return near
    return kept_float(text)


def _read_cells(
    read: Callable[[str], Any], number: int, line: list[str], outputs: list[Hashable]
) -> list[Any]:
    """Read the numbers of a line, or say in which cell one is wrong."""
    found = []
    for cell, output in zip(line[1:], outputs, strict=True):
        try:
            found.append(read(cell))
        except InvalidNumber as wrong:
            raise InvalidFile(f"line {number}, output {output!r}: {wrong}") from None
    return found


def _label_text(label: Hashable) -> str:
    """Return plain text for a text that cannot be taken for anything else, otherwise JSON."""
    plain = isinstance(label, str) and label.isprintable() and label == label.strip()
    if isinstance(label, str) and plain and _read_label(label) == label:
        return label
    return json.dumps(_plain(label), ensure_ascii=False)


def _read_label(cell: str) -> Hashable:
    try:
        return _hashable(json.loads(cell, parse_constant=_no_constant))
    except ValueError:
        return cell.strip()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is a name here, not a number")


# --- JSON ----------------------------------------------------------------------------------


def _write_json(channel: Channel, file: TextIO) -> None:
    content = {
        "format": FORMAT,
        "numbers": "exact" if channel.is_exact else "float",
        "inputs": [_plain(label) for label in channel.inputs],
        "outputs": [_plain(label) for label in channel.outputs],
    }
    if (function := channel.function) is not None:
        content["shows"] = function.seen.tolist()
        file.write(json.dumps(content, ensure_ascii=False) + "\n")
        return
    written = str if channel.is_exact else _float
    content["matrix"] = [list(map(written, row.tolist())) for row in channel.matrix]
    file.write(json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _read_json(text: str) -> Channel:
    try:
        content = json.loads(text, parse_float=_Written)
    except ValueError as wrong:
        raise InvalidFile(f"not JSON: {wrong}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidFile(f'expected an object with "format": "{FORMAT}"')
    rest = "shows" if "shows" in content and "matrix" not in content else "matrix"
    for key in ("inputs", "outputs", rest):
        if not isinstance(content.get(key), list):
            raise InvalidFile(f'"{key}" must be a list, got {content.get(key)!r}')
    inputs, outputs = (list(map(_hashable, content[key])) for key in ("inputs", "outputs"))
    if rest == "shows":
        return _read_function(inputs, outputs, content["shows"])
    rows = [list(map(_entry, row)) if isinstance(row, list) else row for row in content["matrix"]]
    channel = Channel(rows, inputs, outputs)
    if channel.is_exact != (content.get("numbers") == "exact"):
        raise InvalidFile('"numbers" must be "exact" for fractions in quotes, "float" for floats')
    return channel


def _read_function(inputs: list[Hashable], outputs: list[Hashable], shows: list[Any]) -> Channel:
    rows, columns = (
        read_labels(labels, len(labels), what, InvalidChannel)
        for labels, what in ((inputs, "input"), (outputs, "output"))
    )
    places = range(len(columns))
    if not rows or len(shows) != len(rows):
        raise InvalidFile(
            f'"shows" must have the place of an output for each input, got {len(shows):,} for '
            f"{len(rows):,}"
        )
    for place in shows:
        if type(place) is not int or place not in places:
            raise InvalidFile(
                f'"shows" must have whole numbers from 0 to {len(columns) - 1}, got {place!r:.40}'
            )
    return Deterministic(rows, columns, np.array(shows, dtype=np.intp))


class _Written(str):
    """A JSON number that is not whole, as it was written."""


def _entry(number: Any) -> Any:
    return _read_float(number) if isinstance(number, _Written) else number


def _plain(label: Hashable) -> Any:
    """Return a label as JSON has it; a tuple becomes a list."""
    if isinstance(label, tuple):
        return [_plain(part) for part in label]
    if (
        label is None
        or isinstance(label, str | int)
        or (isinstance(label, float) and math.isfinite(label))
    ):
        return label
    raise InvalidFile(
        f"a label in a file must be text, a finite number, True, False, None or a tuple of them, "
        f"got {label!r}; Channel(channel, inputs=…, outputs=…) gives new labels"
    )


def _hashable(value: Any) -> Hashable:
    """Return a label as it was; only tuples are written as lists."""
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        raise InvalidFile(f"a label must not be an object, got {value!r}")
    return float(value) if isinstance(value, _Written) else value
