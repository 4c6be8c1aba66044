"""Counts of the records with each value, by the engine that has the table.

What must hold is checked before anything is spent: each cell has a declared value, each person as
many rows as declared, and the table as many records as the policy says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidInput, Mismatch
from leaktight.exact.shown import counted
from leaktight.labels import Labels
from leaktight.tables.column import Cells, Column, ColumnKind
from leaktight.tables.persons import kept, wrong_persons
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.reading import Reading
from leaktight.tables.source import ROWS, frame_of, guarded, place, rows_of

if TYPE_CHECKING:
    from leaktight.tables.source import Frame


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """How many records have each value of the policy, and what was noticed on the way."""

    counts: npt.NDArray[np.int64]
    schema: tuple[tuple[str, str], ...]
    """The columns that were read, and their types."""
    warnings: tuple[str, ...] = ()


def count_rows(
    source: Any, protection: PrivacyUnit, reading: Reading, table: str | None = None
) -> Counted:
    """Count the records of a table by their value.

    >>> import polars
    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> asked = Policy(SecretGraph.complete(["no", "yes"]), records=3)
    >>> answers = polars.DataFrame({"answer": ["yes", "no", "yes"]})
    >>> count_rows(answers, PrivacyUnit(asked), Reading(("answer",))).counts
    array([1, 2])
    """
    columns = declared_columns(protection, reading)
    kinds: dict[str, ColumnKind | None] = {column.name: column.kind for column in columns}
    if reading.person is not None:
        kinds[reading.person] = None
    frame = frame_of(source, kinds, table, together=reading.person is None)
    schema = guarded(frame.collect_schema)
    cells = guarded(
        lambda: [column.read(place(i), schema[place(i)]) for i, column in enumerate(columns)]
    )
    problems = []
    if reading.person is not None and reading.keep is None:
        whose = place(len(columns))
        problems += wrong_persons(frame, whose, reading.person, protection.rows_per_person)
    taken = kept(frame, cells, reading) if reading.keep else _grouped(frame, cells)
    found = _added_up(taken, cells, protection, reading)
    near = _near_misses(frame, columns, cells, found.outside) if any(found.outside) else {}
    is_csv = isinstance(source, str | Path) and Path(source).suffix.lower() == ".csv"
    problems += _refused(frame, columns, found, reading, near, is_csv)
    if problems:
        raise InvalidInput("; ".join(problems))
    _check_total(int(found.counts.sum()), protection)
    _check_counts(found.counts, protection)
    types = tuple((name, str(schema[place(i)])) for i, name in enumerate(kinds))
    told = [*near.values(), *_elsewhere(columns, found, protection, reading)]
    return Counted(found.counts, types, tuple(told))


IN_TEXT = {
    ColumnKind.WHOLE: "no number (a CSV file has numbers such as 1234)",
    ColumnKind.NUMBER: "no number (a CSV file has numbers such as 1234.5)",
    ColumnKind.DATE: "no date (a CSV file has dates such as 2024-12-31)",
    ColumnKind.TRUTH: "neither true nor false",
}
"""What a text is that cannot be read as what is declared; it may be empty, too."""


def _refused(
    frame: "Frame",
    columns: list[Column],
    found: "_Found",
    reading: Reading,
    near: dict[str, str],
    is_csv: bool,
) -> list[str]:
    """Say what is wrong in each column, and with how many rows; never which."""
    refused = [
        (i, column, n)
        for i, (column, n) in enumerate(zip(columns, found.outside, strict=True))
        if n and reading.elsewhere(column.name) is None
    ]
    missing = _missing(frame, [i for i, _, _ in refused]) if refused and not reading.keep else {}
    told = []
    for i, column, n in refused:
        text = (
            f"{counted(n, 'row has', 'rows have')} none of the "
            f"{counted(len(column.values), 'declared value', 'declared values')} in the column "
            f"{column.name!r}"
        )
        if empty := missing.get(i, 0):
            none = IN_TEXT.get(column.kind, "no value at all") if is_csv else "no value at all"
            text += f", {empty:,} of them {none}"
        if column.name in near:
            text += f" ({near[column.name]})"
        told.append(text)
    if told:
        told.append(
            "outside says where they belong, clamp brings numbers to the ends, cuts to bands"
        )
    if found.undeclared:
        told.append(
            f"{counted(found.undeclared, 'row has', 'rows have')} a combination of values that "
            "the policy does not declare"
        )
    return told


def _missing(frame: "Frame", places: list[int]) -> dict[int, int]:
    """Return how many cells of some columns have no value at all."""
    import narwhals as nw

    rows = nw.col(ROWS) if ROWS in guarded(frame.collect_schema) else 1
    empty = [
        (nw.col(place(i)).is_null().cast(nw.Int64) * rows).sum().alias(f"empty {i}") for i in places
    ]
    [row] = guarded(lambda: rows_of(frame.select(*empty)))
    return {i: int(n or 0) for i, n in zip(places, row, strict=True)}


def _elsewhere(
    columns: list[Column], found: "_Found", protection: PrivacyUnit, reading: Reading
) -> list[str]:
    """Say how many rows were outside, and what became of them."""
    out = reading.leaves_out(protection.absent)
    one, many = ("person", "persons") if reading.keep else ("row", "rows")
    told = []
    for column, n in zip(columns, found.outside, strict=True):
        if n:
            where = "left out" if out else f"counted as '{reading.elsewhere(column.name)}'"
            was, now = ("was", "is") if n == 1 else ("were", "are")
            told.append(
                f"{n:,} of {counted(found.rows, one, many)} {was} outside the declared values of "
                f"the column {column.name!r} and {now} {where}"
            )
    return told


def declared_columns(protection: PrivacyUnit, reading: Reading) -> list[Column]:
    """Return the columns with their declared values."""
    values = [v for v in protection.values if protection.absent is None or v != protection.absent]
    width = len(reading.columns)
    if width > 1 and not all(isinstance(v, tuple) and len(v) == width for v in values):
        raise Mismatch(
            f"{width} columns need a policy whose values are tuples of {width}, such as "
            "SecretGraph.product makes"
        )
    declared: list[Labels] = (
        [tuple(values)]
        if width == 1
        else [tuple(dict.fromkeys(v[i] for v in values)) for i in range(width)]  # type: ignore[index]
    )
    found = []
    for name, own in zip(reading.columns, declared, strict=True):
        cuts, other = tuple(reading.cuts.get(name, ())), reading.elsewhere(name)
        if not (other is None or other in own or reading.leaves_out(protection.absent)):
            where = f" of the column {name!r}; give each its own by column" if width > 1 else ""
            raise InvalidInput(f"outside must be a declared value{where}, got {other!r:.60}")
        if other is not None and cuts:
            own = tuple(v for v in own if v != other)
        found.append(Column(name, own, cuts, name in reading.clamp))
    return found


def _grouped(frame: "Frame", cells: list[Cells]) -> Iterator[tuple[Any, ...]]:
    """Yield for each combination of values, and of whether they were found, how many rows."""
    import narwhals as nw

    names = [f"value {i}" for i in range(len(cells))] + [f"found {i}" for i in range(len(cells))]
    read = [each.value for each in cells] + [each.found for each in cells]
    told = [e.alias(name) for e, name in zip(read, names, strict=True)]
    alike = ROWS in guarded(frame.collect_schema)
    table = guarded(lambda: frame.select(*told, *[ROWS] * alike))
    number = nw.col(ROWS).sum() if alike else nw.len()
    yield from guarded(lambda: rows_of(table.group_by(*names).agg(number.alias("n"))))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """How many records have each value, and what is in no declared one."""

    counts: npt.NDArray[np.int64]
    outside: list[int]
    """How many cells of each column have none of the declared values."""
    undeclared: int
    """How many rows have values that are declared, but not together."""
    rows: int


def _added_up(
    rows: Iterator[tuple[Any, ...]], cells: list[Cells], protection: PrivacyUnit, reading: Reading
) -> _Found:
    """Add up what the engine has counted."""
    counts = np.zeros(len(protection.values), dtype=np.int64)
    outside = [0] * len(cells)
    position = {value: i for i, value in enumerate(protection.values)}
    undeclared = total = 0
    for *read, n in rows:
        total += int(n)
        own, found = read[: len(cells)], read[len(cells) :]
        for i, ok in enumerate(found):
            outside[i] += 0 if ok else int(n)
        if not all(found) and reading.leaves_out(protection.absent):
            continue
        named = [
            each.known[v] if ok or (other := reading.elsewhere(each.name)) is None else other
            for each, v, ok in zip(cells, own, found, strict=True)
        ]
        whole = named[0] if len(named) == 1 else tuple(named)
        if whole in position:
            counts[position[whole]] += int(n)
        else:
            undeclared += int(n)
    return _Found(counts, outside, undeclared, total)


def _check_counts(counts: npt.NDArray[np.int64], protection: PrivacyUnit) -> None:
    """Refuse a table that is not as the public counts say."""
    policy = protection.policy
    for one in policy.constraints:
        there = int(sum(counts[policy.secrets.index(value)] for value in set(one.values)))
        if there < one.least or (one.most is not None and there > one.most):
            raise InvalidInput(f"the policy says {one}, and the table has {there:,}")


def _check_total(total: int, protection: PrivacyUnit) -> None:
    records = protection.policy.records
    if protection.absent is None and total != records:
        raise InvalidInput(
            f"the policy says that there are {counted(records, 'record', 'records')}, and the "
            f"table has {total:,}; correct the policy, or, if their number is private, give it a "
            "value for absent records"
        )
    if total > records:
        raise InvalidInput(
            f"the policy allows for at most {counted(records, 'record', 'records')}, absent ones "
            f"included, and the table has {total:,}"
        )


# --- near misses ---------------------------------------------------------------------------


def _near_misses(
    frame: "Frame", columns: list[Column], cells: list[Cells], outside: list[int]
) -> dict[str, str]:
    """Name the declared texts that some cells without a value nearly are; never a cell."""
    import narwhals as nw

    told = {}
    for i, (column, read, number) in enumerate(zip(columns, cells, outside, strict=True)):
        if not number or column.kind is not ColumnKind.TEXT:
            continue
        near = column.near()
        plain = nw.col(place(i)).cast(nw.String).str.strip_chars().str.to_lowercase()
        rest = frame.filter(~read.found).select(plain.alias("plain"))
        alike = (
            rest.filter(nw.col("plain").is_in(list(near)))
            .group_by("plain")
            .agg(nw.len().alias("n"))
        )
        found = {near[text] for text, _ in guarded(lambda alike=alike: rows_of(alike))}  # type: ignore[misc]
        if found:
            names = ", ".join(repr(v) for v in column.values if v in found)
            told[column.name] = (
                f"in the column {column.name!r} some differ only in case, spaces or Unicode form "
                f"from {names}"
            )
    return told
