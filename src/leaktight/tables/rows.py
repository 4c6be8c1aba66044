"""How many records have each value? Counted by the engine that has the table; only counts leave it.

What must hold is checked before anything is spent: each cell has a declared value, each person as
many rows as declared, and the table as many records as the policy says.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidInput, Mismatch
from leaktight.exact.shown import counted
from leaktight.labels import Labels
from leaktight.tables.calibration import Protection
from leaktight.tables.column import Cells, Column, ColumnKind
from leaktight.tables.source import frame_of, guarded, rows_of

if TYPE_CHECKING:
    from leaktight.tables.source import Frame

KEEP = ("first", "last")

MOST_KEPT = 1000
"""The most values if one row of each person is kept."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows of a table become records with values of a policy.

    ``outside`` is the declared value of cells that have none of the others, or are missing; if it
    is the policy's absent value, such rows are left out. ``person`` is the column that says whose
    a row is; with ``keep`` only one row of each person counts, the one whose value is declared
    first, or last. ``cuts`` and ``clamp`` are by column, see :class:`Column`.
    """

    columns: tuple[str, ...]
    person: str | None = None
    keep: str | None = None
    outside: Hashable | None = None
    cuts: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    clamp: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise InvalidInput(f"columns must be named, each once, got {list(self.columns)}")
        for column in (*self.cuts, *self.clamp):
            if column not in self.columns:
                raise InvalidInput(f"cuts and clamp are for {list(self.columns)}, got {column!r}")
        if self.keep is not None and (self.keep not in KEEP or self.person is None):
            raise InvalidInput('keep must be "first" or "last", and needs a person column')
        if self.person in self.columns:
            raise InvalidInput(f"the column {self.person!r} cannot be both a person and a value")

    def to_dict(self) -> dict[str, Any]:
        """The rules as a ledger has them."""
        return {
            "columns": list(self.columns),
            "person": self.person,
            "keep": self.keep,
            "outside": None if self.outside is None else repr(self.outside),
            "cuts": {column: list(map(str, cuts)) for column, cuts in self.cuts.items()},
            "clamp": list(self.clamp),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """How many records have each value of the policy, and what was noticed on the way."""

    counts: npt.NDArray[np.int64]
    schema: tuple[tuple[str, str], ...]
    """The columns that were read, and their types."""
    warnings: tuple[str, ...] = ()


def count_rows(
    source: Any, protection: Protection, reading: Reading, table: str | None = None
) -> Counted:
    """Count the records of a table by their value.

    >>> import polars
    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> asked = Policy(SecretGraph.complete(["no", "yes"]), records=3)
    >>> answers = polars.DataFrame({"answer": ["yes", "no", "yes"]})
    >>> count_rows(answers, Protection(asked), Reading(("answer",))).counts
    array([1, 2])
    """
    columns = _columns(protection, reading)
    kinds: dict[str, ColumnKind | None] = {column.name: column.kind for column in columns}
    if reading.person is not None:
        kinds[reading.person] = None
    frame = frame_of(source, kinds, table)
    schema = guarded(frame.collect_schema)
    cells = [column.read(schema[column.name]) for column in columns]
    if reading.person is not None and reading.keep is None:
        _check_persons(frame, reading.person, protection.rows_per_person)
    taken = _kept(frame, cells, protection, reading) if reading.keep else _grouped(frame, cells)
    counts, outside = _added_up(taken, cells, protection, reading)
    warnings = _near_misses(frame, columns, cells, outside) if any(outside) else []
    total = int(counts.sum())
    refused = [(column, n) for column, n in zip(columns, outside, strict=True) if n]
    if refused and not _goes_somewhere(columns, protection, reading):
        column, number = refused[0]
        near = f" ({'; '.join(warnings)})" if warnings else ""
        raise InvalidInput(
            f"{counted(number, 'row has', 'rows have')} none of the "
            f"{counted(len(column.values), 'declared value', 'declared values')} in the column "
            f"{column.name!r}, or no value at all{near}; say with outside= where they belong, or "
            "clamp numbers"
        )
    _check_total(total, protection)
    kept = tuple((name, str(schema[name])) for name in kinds)
    return Counted(counts, kept, tuple(warnings))


def _columns(protection: Protection, reading: Reading) -> list[Column]:
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
        cuts = tuple(reading.cuts.get(name, ()))
        if reading.outside is not None and cuts:
            own = tuple(v for v in own if v != reading.outside)
        found.append(Column(name, own, cuts, name in reading.clamp))
    return found


def _grouped(frame: "Frame", cells: list[Cells]) -> Iterator[tuple[Any, ...]]:
    """Yield for each combination of values, and of whether they were found, how many rows."""
    import narwhals as nw

    names = [f"value {i}" for i in range(len(cells))] + [f"found {i}" for i in range(len(cells))]
    read = [each.value for each in cells] + [each.found for each in cells]
    table = frame.select(*(e.alias(name) for e, name in zip(read, names, strict=True)))
    yield from guarded(lambda: rows_of(table.group_by(*names).agg(nw.len().alias("n"))))


def _added_up(
    rows: Iterator[tuple[Any, ...]], cells: list[Cells], protection: Protection, reading: Reading
) -> tuple[npt.NDArray[np.int64], list[int]]:
    """Return how many records have each value, and how many cells of each column have none."""
    counts = np.zeros(len(protection.values), dtype=np.int64)
    outside = [0] * len(cells)
    place = {value: i for i, value in enumerate(protection.values)}
    for *read, n in rows:
        own, found = read[: len(cells)], read[len(cells) :]
        for i, ok in enumerate(found):
            outside[i] += 0 if ok else int(n)
        if all(found) or reading.outside is None:
            named = [each.known[v] for each, v in zip(cells, own, strict=True)]
        elif reading.outside == protection.absent:
            continue
        else:
            named = [
                each.known[v] if ok else reading.outside
                for each, v, ok in zip(cells, own, found, strict=True)
            ]
        whole = named[0] if len(named) == 1 else tuple(named)
        if whole not in place:
            raise InvalidInput(
                f"{counted(int(n), 'row has', 'rows have')} a combination of values that the "
                "policy does not declare"
            )
        counts[place[whole]] += int(n)
    return counts, outside


def _goes_somewhere(columns: list[Column], protection: Protection, reading: Reading) -> bool:
    """Say whether cells without a declared value were given one."""
    if reading.outside is None:
        return False
    if reading.outside == protection.absent:
        return True
    if len(columns) == 1:
        known = reading.outside in protection.values
    else:
        known = all(reading.outside in column.values for column in columns)
    if not known:
        raise InvalidInput(f"outside must be a declared value, got {reading.outside!r:.60}")
    return True


def _check_total(total: int, protection: Protection) -> None:
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


# --- whose rows they are -------------------------------------------------------------------


def _check_persons(frame: "Frame", person: str, allowed: int) -> None:
    """Refuse a person with more rows than are paid for, and rows of nobody."""
    import narwhals as nw

    whose = nw.col(person)
    rows = frame.group_by(person).agg(nw.len().alias("n"))
    many = rows.select(
        (nw.col("n") > allowed).cast(nw.Int64).sum().alias("many"),
        nw.col("n").max().alias("most"),
    )
    nobody = frame.select(whose.is_null().cast(nw.Int64).sum().alias("nobody"))
    _expect_somebody(guarded(lambda: rows_of(nobody))[0][0], person)
    [(over, most)] = guarded(lambda: rows_of(many))
    if over:
        raise InvalidInput(
            f"{counted(int(over), 'person has', 'persons have')} more than "
            f"{counted(allowed, 'row', 'rows')} (up to {int(most):,}) by the column {person!r}; "
            "rows_per_person pays for more, keep counts one row of each"
        )


def _expect_somebody(nobody: Any, person: str) -> None:
    if nobody:
        raise InvalidInput(
            f"{counted(int(nobody), 'row has', 'rows have')} nobody in the person column {person!r}"
        )


def _kept(
    frame: "Frame", cells: list[Cells], protection: Protection, reading: Reading
) -> Iterator[tuple[Any, ...]]:
    """Yield how many persons have which value, if one row of each is kept.

    Which one it is depends on that person's rows alone, so that nobody else's change can change it.
    """
    import narwhals as nw

    person = str(reading.person)
    size = 1
    place: Any = None
    for each in cells:
        options = list(each.known)
        if size * (len(options) + 1) > MOST_KEPT:
            raise InvalidInput(f"keep is for at most {MOST_KEPT:,} values")
        # Cells without a declared value come last, and are taken only if there is no other.
        own = sum(
            ((each.value == option).cast(nw.Int64) * i for i, option in enumerate(options)),
            start=nw.lit(0),
        )
        if reading.keep == "last":
            own = len(options) - 1 - own
        own = nw.when(each.found).then(own).otherwise(len(options))
        place = own if place is None else place * (len(options) + 1) + own
        size *= len(options) + 1
    chosen = frame.select(nw.col(person), place.alias("place"))
    nobody = frame.select(nw.col(person).is_null().cast(nw.Int64).sum().alias("nobody"))
    _expect_somebody(guarded(lambda: rows_of(nobody))[0][0], person)
    one = chosen.group_by(person).agg(nw.col("place").min().alias("place"))
    for code, n in guarded(lambda: rows_of(one.group_by("place").agg(nw.len().alias("n")))):
        own, found = [], []
        rest = int(code)
        for each in reversed(cells):
            options = list(each.known)
            rest, at = divmod(rest, len(options) + 1)
            found.append(at < len(options))
            at = min(at, len(options) - 1)
            own.append(options[len(options) - 1 - at if reading.keep == "last" else at])
        yield (*reversed(own), *reversed(found), n)


# --- near misses ---------------------------------------------------------------------------


def _near_misses(
    frame: "Frame", columns: list[Column], cells: list[Cells], outside: list[int]
) -> list[str]:
    """Name the declared texts that some cells without a value nearly are; never a cell."""
    import narwhals as nw

    told = []
    for column, read, number in zip(columns, cells, outside, strict=True):
        if not number or column.kind is not ColumnKind.TEXT:
            continue
        near = column.near()
        plain = nw.col(column.name).cast(nw.String).str.strip_chars().str.to_lowercase()
        rest = frame.filter(~read.found).select(plain.alias("plain"))
        alike = (
            rest.filter(nw.col("plain").is_in(list(near)))
            .group_by("plain")
            .agg(nw.len().alias("n"))
        )
        found = {near[text] for text, _ in guarded(lambda alike=alike: rows_of(alike))}  # type: ignore[misc]
        if found:
            names = ", ".join(repr(v) for v in column.values if v in found)
            told.append(
                f"in the column {column.name!r} some differ only in case, spaces or Unicode form "
                f"from {names}"
            )
    return told
