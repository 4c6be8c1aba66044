"""Observations: counts of pairs of a secret and an output."""

import csv
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidFile, InvalidInput, Mismatch, TooLarge, is_list, without_data
from leaktight.exact.matrix import read_table, text_table
from leaktight.exact.numbers import Array, exact_array, is_exact
from leaktight.exact.shown import counted, shown
from leaktight.files import expect_commas, read_path
from leaktight.labels import Labels, nearest, read_labels
from leaktight.limits import allowed

Counts: TypeAlias = npt.NDArray[np.int64]

LARGEST_TABLE = 2**22
"""The most entries of a table that is written out; the counts themselves need no table."""

MOST_SAMPLES = 10**9
"""The most samples; what draws random halves of them takes no more."""


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Observations:
    """How often each output was seen of each secret, from one secret and one output per sample.

    The two sequences may be lists, numpy arrays or columns of a pandas table. Only the pairs that
    occur are kept, so that millions of different outputs are no trouble. What is estimated from
    the counts assumes that the samples were drawn independently.

    >>> seen = Observations(["no", "no", "yes", "no"], ["-", "+", "+", "-"])
    >>> seen
    4 samples, 2 secrets × 2 outputs
         +  -
     no  1  2
    yes  1  0
    >>> seen.prior()["no"], seen.channel()["no", "-"]
    (Fraction(3, 4), Fraction(2, 3))
    """

    secrets: Labels
    outputs: Labels
    rows: Counts
    """For each pair that occurs, by output and then by secret, the position of its secret."""
    columns: Counts
    """For each pair that occurs, the position of its output."""
    counts: Counts
    """For each pair that occurs, how often it does."""

    def __init__(self, secrets: Iterable[Hashable], outputs: Iterable[Hashable]) -> None:
        rows, row_labels = numbered(secrets, "secret")
        columns, column_labels = numbered(outputs, "output")
        if len(rows) != len(columns):
            raise Mismatch(
                "there must be an output for each secret, "
                f"got {len(rows):,} secrets and {len(columns):,} outputs"
            )
        if not len(rows):
            raise InvalidInput("there must be at least one sample, got none")
        keys, counts = _tally(columns * len(row_labels) + rows)
        self._set(row_labels, column_labels, keys, counts)

    @classmethod
    def from_counts(
        cls,
        table: Any,
        secrets: Iterable[Hashable] | None = None,
        outputs: Iterable[Hashable] | None = None,
    ) -> "Observations":
        """Take over a table of counts, a row for each secret, as ``Channel`` takes its rows.

        >>> Observations.from_counts({"no": {"-": 2, "+": 1}, "yes": {"+": 1}}).total
        4
        """
        table, secrets, outputs = read_table(table, secrets, outputs, "counts", InvalidInput)
        rows = read_labels(secrets, table.shape[0], "secret", InvalidInput)
        columns = read_labels(outputs, table.shape[1], "output", InvalidInput)
        numbers = _whole(table, rows, columns)
        empty = np.flatnonzero(numbers.sum(axis=1) == 0)
        if len(empty):
            raise InvalidInput(
                f"every secret must have samples, got none of {rows[empty[0]]!r}; leave it out"
            )
        flat = numbers.T.ravel()
        keys = np.flatnonzero(flat)
        made = cls.__new__(cls)
        made._set(rows, columns, keys, flat[keys])
        return made

    def _set(self, secrets: Labels, outputs: Labels, keys: Counts, counts: Counts) -> None:
        if int(counts.sum()) > MOST_SAMPLES:
            raise TooLarge(f"there are {int(counts.sum()):,} samples, more than {MOST_SAMPLES:,}")
        columns, rows = np.divmod(keys, len(secrets))
        for name, array in (("rows", rows), ("columns", columns), ("counts", counts)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "secrets", secrets)
        object.__setattr__(self, "outputs", outputs)

    @property
    def total(self) -> int:
        """The number of samples."""
        return int(self.counts.sum())

    @property
    def secret_totals(self) -> Counts:
        """How many samples there are of each secret, at least 1."""
        return self.per_secret(self.counts)

    def per_secret(self, numbers: Array) -> Counts:
        """Return for each secret the sum of ``numbers``, integers for the pairs that occur."""
        totals = np.zeros(len(self.secrets), dtype=np.int64)
        np.add.at(totals, self.rows, numbers)
        return totals

    @property
    def table(self) -> Counts:
        """The counts written out, a row for each secret and a column for each output."""
        size = len(self.secrets) * len(self.outputs)
        if size > allowed(LARGEST_TABLE):
            raise TooLarge(
                f"the table would have {size:,} entries, more than {allowed(LARGEST_TABLE):,}; "
                "give outputs that are alike the same label, such as a rounded number"
            )
        table = np.zeros((len(self.secrets), len(self.outputs)), dtype=np.int64)
        table[self.rows, self.columns] = self.counts
        return table

    def prior(self) -> Distribution:
        """The share of each secret among the samples, exactly: an estimate of the prior."""
        return Distribution.from_counts(self.secret_totals, self.secrets)

    def channel(self) -> Channel:
        """The frequencies of the outputs of each secret, exactly: an estimate of the channel."""
        table, totals = self.table, self.secret_totals
        matrix = np.full(table.shape, fmpq(0), dtype=object)
        cells = zip(self.rows.tolist(), self.counts.tolist(), strict=True)
        matrix[self.rows, self.columns] = exact_array(fmpq(n, int(totals[x])) for x, n in cells)
        return Channel.trusted(self.secrets, self.outputs, matrix)

    def __repr__(self) -> str:
        secrets = counted(len(self.secrets), "secret", "secrets")
        outputs = counted(len(self.outputs), "output", "outputs")
        title = f"{counted(self.total, 'sample', 'samples')}, {secrets} × {outputs}"
        if len(self.secrets) * len(self.outputs) > LARGEST_TABLE:
            return title
        return f"{title}\n{text_table(self.table, self.secrets, self.outputs)}"


def read_observations(path: str | Path, secret: str, output: str) -> Observations:
    """Read the two columns of a CSV file that the names in its first line call so.

    The labels are the texts of the cells.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "runs.csv"
    ...     _ = file.write_text("run,key,time\\n1,a,20\\n2,b,30\\n3,a,20\\n")
    ...     read_observations(file, secret="key", output="time")
    3 samples, 2 secrets × 2 outputs
       20  30
    a   2   0
    b   0   1
    """
    secrets, outputs = read_columns(path, secret, output)
    try:
        return Observations(secrets, outputs)
    except InvalidInput as wrong:
        raise InvalidFile(f"{path}: {wrong}") from None


@without_data()
def read_columns(path: str | Path, *names: str) -> tuple[list[str], ...]:
    """Return the cells of some columns of a CSV file, by their names."""
    source = read_path(path)
    try:
        with source.open(newline="", encoding="utf-8-sig") as file:
            return _columns(csv.reader(file), *names)
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {source}") from None
    except UnicodeDecodeError:
        raise InvalidFile(f"{source} must be a readable text file in UTF-8") from None
    except OSError as wrong:
        raise InvalidFile(f"{source} must be a readable text file: {wrong}") from None
    except (csv.Error, InvalidInput) as wrong:
        raise InvalidFile(f"{source}: {wrong}") from None


def _columns(lines: Any, *names: str) -> tuple[list[str], ...]:
    header = tuple(cell.strip() for cell in next(lines, ()))
    expect_commas(header)
    at = [_place(name, header) for name in names]
    found: tuple[list[str], ...] = tuple([] for _ in names)
    for line in lines:
        if not line:
            continue
        for name, place, cells in zip(names, at, found, strict=True):
            cell = line[place].strip() if place < len(line) else ""
            if not cell:
                raise InvalidFile(
                    f"line {lines.line_num}, column {name!r}: a value must be there, got none; "
                    "delete the line, or write a word such as none if nothing was seen"
                )
            cells.append(cell)
    return found


def _place(name: str, header: Labels) -> int:
    """Return where a column is; the first line may be no header, and then it is not quoted."""
    if name not in header:
        near = nearest(name, header) or "no name of a column is near it"
        raise InvalidFile(f"there is no column {name!r}; {near}")
    return header.index(name)


# --- counting ------------------------------------------------------------------------------


def numbered(values: Any, what: str) -> tuple[Counts, Labels]:
    """Return the position of each value's label, and the labels."""
    if not is_list(values):
        kind = type(values).__name__
        raise InvalidInput(f"expected one {what} for each sample, got one of the type {kind}")
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if isinstance(array, np.ndarray):
        if array.ndim != 1:
            raise InvalidInput(f"the {what}s must be one row, got an array of {array.ndim} axes")
        if np.ma.is_masked(array):
            raise InvalidInput(f"every {what} must be there, got an array with masked entries")
        if array.dtype.kind in "iu" and len(array):
            return _numbered_integers(array)
    sequence = array.tolist() if isinstance(array, np.ndarray) else list(array)
    try:
        labels = list(dict.fromkeys(sequence))
    except TypeError:
        raise InvalidInput(f"a {what} must be hashable; make lists tuples") from None
    for label in labels:
        if _is_missing(label):
            at = next(i for i, value in enumerate(sequence) if value is label)
            raise InvalidInput(
                f"sample {at}: the {what} must be there, got {label}; leave such samples out, or "
                "give them a label of their own"
            )
    # Ties between guesses go by position, which must not depend on the order of the samples.
    try:
        labels.sort()
    except TypeError:
        labels.sort(key=lambda label: (type(label).__name__, repr(label)))
    number = {label: i for i, label in enumerate(labels)}
    codes = np.fromiter(map(number.__getitem__, sequence), dtype=np.int64, count=len(sequence))
    return codes, tuple(labels)


def _numbered_integers(array: Any) -> tuple[Counts, Labels]:
    """Number integers in their order, without sorting them if they are close together."""
    low, high = int(array.min()), int(array.max())
    if high - low > 4 * len(array) + 1024:
        different, codes = np.unique(array, return_inverse=True)
        return codes.astype(np.int64), tuple(different.tolist())
    wide = array if array.dtype.kind == "u" else array.astype(np.int64)
    codes = (wide - low).astype(np.int64)
    present = np.bincount(codes) > 0
    if present.all():
        return codes, tuple(range(low, high + 1))
    return (np.cumsum(present) - 1)[codes], tuple(low + i for i in np.flatnonzero(present).tolist())


def _is_missing(label: Hashable) -> bool:
    """Say whether a label stands for nothing: None, or one that does not equal itself."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA does not say whether it equals itself
        return True


def _tally(keys: Counts) -> tuple[Counts, Counts]:
    """Return the different keys in their order, and how often each occurs."""
    if int(keys.max()) > 4 * len(keys) + LARGEST_TABLE:
        different, counts = np.unique(keys, return_counts=True)
        return different, counts.astype(np.int64)
    counts = np.bincount(keys)
    different = np.flatnonzero(counts)
    return different, counts[different]


def _whole(table: Array, rows: Labels, columns: Labels) -> Counts:
    """Return a table of counts as integers, or say which is none."""
    if is_exact(table):
        fine = np.array([n.q == 1 and 0 <= n <= MOST_SAMPLES for n in table.ravel()])
    else:
        flat = table.ravel()
        fine = (flat >= 0) & (flat <= MOST_SAMPLES) & (flat == np.floor(flat))
    if not fine.all():
        i, j = divmod(int(np.argmin(fine)), table.shape[1])
        raise InvalidInput(
            f"the count of output {columns[j]!r} for secret {rows[i]!r} must be a whole number "
            f"from 0 to {MOST_SAMPLES:,}, got {shown(table[i, j])}"
        )
    return np.array([int(n) for n in table.ravel()], dtype=np.int64).reshape(table.shape)
