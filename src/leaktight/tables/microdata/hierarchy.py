"""Generalisation hierarchies: what may be done to a column, each level coarser than the one before.

For every level the engine keeps which value goes where, and what is lost by it, in whole numbers:
how many other values a cell might be, and how many bits it still tells, in units of 2⁻²⁰.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidFile, InvalidInput
from leaktight.tables.column import ColumnKind
from leaktight.tables.risk.change import Change
from leaktight.tables.risk.coded import Coded, Values, numbers
from leaktight.tables.source import FROM_TEXT

UNIT = 2**20
"""How many units a bit has."""

BANDS = 20
"""A column of numbers has at first about so many bands, if nothing else is said."""

LETTERS = range(4, 13)
"""How long a code is of which fewer letters may be shown, if nothing else is said."""

MOST_LEVELS = 12

MOSTLY = 0.8
"""If such a share of values has one form, and others have not, it is said."""


@dataclass(frozen=True, slots=True)
class Level:
    """A column as it is, or coarser."""

    change: Change | None
    values: Values | None
    """What is shown, numbered; None where nothing is left."""
    leaves: int
    """Over all rows, how many other values the cell might be."""
    bits: int
    """Over all rows, what the cell still tells."""
    stats: str
    """The table with both, for each number."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The levels of a column, the first as it is."""

    column: str
    levels: tuple[Level, ...]
    codes: str
    """The table with the numbers that a value has at each level."""
    note: str = ""
    """Why nothing fits that would leave something of it, if few values are to blame."""

    @property
    def words(self) -> tuple[str, ...]:
        """What may be done."""
        return tuple(str(level.change) for level in self.levels[1:])

    @property
    def leaves(self) -> int:
        """Of a cell that is not shown, how many other values it might be."""
        first = self.levels[0].values
        assert first is not None
        return first.size - 1


def hierarchy_of(table: Coded, column: str, given: Any = None) -> Hierarchy:
    """Return the levels of a column: those given, of a file, or such as fit what it holds."""
    changes = list(_given(column, given) if given is not None else _automatic(table, column))
    first = table.columns[column]
    told = [table.engine.keep(each.shown(table), is_list=True) for each in changes if _stays(each)]
    levels = [first]
    for name in told:
        listed = table.engine.keep(numbers(f"SELECT DISTINCT shown AS value FROM {name}"))
        [(size,)] = table.engine.rows(f"SELECT COUNT(*) FROM {listed}")
        levels.append(Values(f"{first.place}g{len(levels)}", size, listed, first.kind))
    joined = "".join(
        f" JOIN {name} AS t{i} ON t{i}.code = listed.code JOIN {values.listed} AS v{i} "
        f"ON t{i}.shown IS NOT DISTINCT FROM v{i}.value"
        for i, (name, values) in enumerate(zip(told, levels[1:], strict=True), 1)
    )
    chosen = [f"v{i}.code AS {values.place}" for i, values in enumerate(levels[1:], 1)]
    codes = table.engine.keep(
        f"SELECT {', '.join([f'listed.code AS {first.place}', *chosen])} FROM {first.listed} "
        f"AS listed{joined}"
    )
    if given is None:  # what is not coarser than the level before is no level
        coarser = [
            i
            for i in range(1, len(levels))
            if 1 < levels[i].size < min(values.size for values in levels[:i])
        ]
        changes = [changes[i - 1] for i in coarser] + changes[len(levels) - 1 :]
        levels = [levels[i] for i in (0, *coarser)]
    _expect_nested(table, column, codes, levels)
    counts = table.engine.keep(
        f"SELECT {first.place}, {table.counting} AS n FROM {table.name} GROUP BY {first.place}"
    )
    kept: list[tuple[Change | None, Values | None]] = [(None, first)]
    kept += zip(changes, [*levels[1:], *([None] * (len(changes) + 1 - len(levels)))], strict=True)
    return Hierarchy(
        column,
        tuple(_level(table, codes, counts, first, change, values) for change, values in kept),
        codes,
        _odd(table, column) if given is None and changes == [Change.drop(column)] else "",
    )


def _stays(change: Change) -> bool:
    return not change.is_drop


def _level(
    table: Coded,
    codes: str,
    counts: str,
    first: Values,
    change: Change | None,
    values: Values | None,
) -> Level:
    """Count what is lost at a level."""
    place = "0" if values is None else f"codes.{values.place}"
    group = "" if values is None else f" GROUP BY {place}"
    stats = table.engine.keep(
        f"SELECT code, n, leaves - 1 AS leaves, CAST(ROUND({UNIT} * (LN({table.rows}) - "
        f"LN(CAST(n AS DOUBLE))) / LN(2)) AS BIGINT) AS bits FROM (SELECT {place} AS code, "
        f"CAST(SUM(n) AS BIGINT) AS n, COUNT(*) AS leaves FROM {codes} AS codes JOIN {counts} AS "
        f"counts ON codes.{first.place} = counts.{first.place}{group}) AS summed"
    )
    [(leaves, bits)] = table.engine.rows(f"SELECT SUM(n * leaves), SUM(n * bits) FROM {stats}")
    return Level(change, values, int(leaves), int(bits), stats)


def _expect_nested(table: Coded, column: str, codes: str, levels: Sequence[Values]) -> None:
    """Refuse a level that is not coarser than the one before."""
    for at, (fine, coarse) in enumerate(pairwise(levels[1:]), 1):
        [(split,)] = table.engine.rows(
            f"SELECT COUNT(*) FROM (SELECT {fine.place} FROM {codes} GROUP BY {fine.place} "
            f"HAVING COUNT(DISTINCT {coarse.place}) > 1) AS split"
        )
        if split:
            raise InvalidInput(
                f"each level of {column!r} must only merge what the one before shows, and level "
                f"{at + 1} splits some of level {at}; use cuts that the finer level has, too"
            )


def _given(column: str, given: Any) -> Iterator[Change]:
    """Yield the levels that somebody wants."""
    if isinstance(given, str | Path):
        given = list(read_hierarchy(column, Path(given)))
    listed = list(given) if isinstance(given, list | tuple) else [given]
    if len(listed) > MOST_LEVELS:
        raise InvalidInput(f"{column!r} has more than {MOST_LEVELS} levels; give fewer")
    for at, each in enumerate(listed, 1):
        if not isinstance(each, Change) or each.column != column or each.ratio is not None:
            raise InvalidInput(
                f'the levels of {column!r} must be such as Change.prefix("{column}", 3), Change.'
                f'every("{column}", 10) or Change.drop("{column}"), got {each!r:.60}'
            )
        if each.is_drop and at < len(listed):
            raise InvalidInput(f"nothing comes after {each!r}: it must be the last level")
        yield each


def read_hierarchy(column: str, path: Path) -> Iterator[Change]:
    """Yield the levels of a file: a value in each line, then its groups, the finest first.

    Cells are kept apart by ; or by commas, and there is no first line with names. Such files are
    in use with ARX. A last level in which all are alike is the column left out.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            mark = ";" if ";" in text.readline() else ","
            text.seek(0)
            lines = [line for line in csv.reader(text, delimiter=mark) if line]
    except (OSError, UnicodeDecodeError, csv.Error):
        lines = []
    if not lines or len({*map(len, lines)}) != 1 or len(lines[0]) < 2:
        raise InvalidFile(
            f"{path} must have a value in each line, then its groups, as many in each, such as "
            "8001;80*;8*;*"
        )
    values = [line[0] for line in lines]
    if len({*values}) < len(values):
        raise InvalidFile(f"{path} must have each value once")
    for groups in list(zip(*lines, strict=True))[1:]:
        if len({*groups}) == 1:
            yield Change.drop(column)
            return
        yield Change.groups(column, dict(zip(values, groups, strict=True)))


def _automatic(table: Coded, column: str) -> Iterator[Change]:
    """Yield levels that fit what a column holds; where there is no order, it is left out or not."""
    import narwhals as nw

    values = table.columns[column]
    kind, cell = values.kind, "listed.value"
    if kind == nw.String and table.engine.text == "VARCHAR":
        length = _length(table, values)
        if length in LETTERS:
            yield from (Change.prefix(column, n) for n in range(length - 1, 0, -1))
        elif _all(table, values, FROM_TEXT[ColumnKind.DATE].format(cell)):
            yield from (Change.prefix(column, n) for n in (7, 4))
        elif _all(table, values, number := FROM_TEXT[ColumnKind.NUMBER].format(cell)):
            yield from _bands(table, column, number)
    elif kind.is_temporal() and kind not in (nw.Time, nw.Duration):
        yield from (Change.prefix(column, n) for n in ((10, 7, 4) if kind != nw.Date else (7, 4)))
    elif kind.is_numeric():
        yield from _bands(table, column, cell)
    yield Change.drop(column)


def _length(table: Coded, values: Values) -> int:
    """Return how long all values are, if these are codes with digits; otherwise 0."""
    [(least, most, plain)] = table.engine.rows(
        "SELECT MIN(LENGTH(value)), MAX(LENGTH(value)), COUNT(CASE WHEN NOT regexp_full_match("
        f"value, '[A-Za-z]*[0-9][A-Za-z0-9]*') THEN 1 END) FROM {values.listed}"
    )
    return least if least == most and not plain and least else 0


def _all(table: Coded, values: Values, cell: str) -> bool:
    [(wrong, right)] = table.engine.rows(
        f"SELECT COUNT(CASE WHEN listed.value IS NOT NULL AND ({cell}) IS NULL THEN 1 END), "
        f"COUNT({cell}) FROM {values.listed} AS listed"
    )
    return bool(right) and not wrong


def _odd(table: Coded, column: str) -> str:
    """Say how many values keep a column of codes, dates or numbers from being shown coarser."""
    import narwhals as nw

    values = table.columns[column]
    if values.kind != nw.String or table.engine.text != "VARCHAR":
        return ""
    shapes = [
        (f"code of {length} letters and digits", many)
        for length, many in table.engine.rows(
            f"SELECT LENGTH(value), COUNT(*) FROM {values.listed} WHERE regexp_full_match(value, "
            f"'[A-Za-z]*[0-9][A-Za-z0-9]*') AND LENGTH(value) BETWEEN {LETTERS[0]} AND "
            f"{LETTERS[-1]} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1"
        )
    ]
    for what, kind in (("date", ColumnKind.DATE), ("number", ColumnKind.NUMBER)):
        read = FROM_TEXT[kind].format("listed.value")
        [(many,)] = table.engine.rows(f"SELECT COUNT({read}) FROM {values.listed} AS listed")
        shapes.append((what, many))
    [(whole,)] = table.engine.rows(f"SELECT COUNT(value) FROM {values.listed}")
    what, most = max(shapes, key=lambda shape: shape[1])
    if not MOSTLY * whole <= most < whole:
        return ""
    one = whole - most == 1
    return (
        f"{column} can only be left out: {whole - most:,} of its {whole:,} values "
        f"{'is' if one else 'are'} no {what}; mend {'it' if one else 'them'}, or say what may be "
        "done to the column (recodings, --recode, --hierarchy)"
    )


def _bands(table: Coded, column: str, cell: str) -> Iterator[Change]:
    """Yield bands of a round width, of twice as much, and so on."""
    values = table.columns[column]
    [(span,)] = table.engine.rows(
        f"SELECT CAST(MAX({cell}) - MIN({cell}) AS DOUBLE) FROM {values.listed} AS listed"
    )
    if not span or values.size <= 2:
        return
    width = _round_above(Decimal(span) / BANDS)
    while width < Decimal(span):
        yield Change.every(column, width)
        width *= 2


def _round_above(least: Decimal) -> Decimal:
    """Return the next of …, 1, 2, 5, 10, 20, 50, …

    >>> _round_above(Decimal("4.5")), _round_above(Decimal("0.06"))
    (Decimal('5'), Decimal('0.1'))
    """
    power = Decimal(1).scaleb(least.adjusted())
    return next(
        number for each in (1, 2, 5, 10) if (number := +(each * power).normalize()) >= least
    )


def expect_columns(recodings: Mapping[str, Any] | None, columns: Sequence[str]) -> dict[str, Any]:
    """Refuse levels of a column that is not asked about."""
    if recodings is not None and not isinstance(recodings, Mapping):
        raise InvalidInput(
            f'recodings must be such as {{"zip": [Change.prefix("zip", 3)]}}, got {recodings!r:.60}'
        )
    found = dict(recodings or {})
    if unknown := [name for name in found if name not in columns]:
        raise InvalidInput(f"recodings are of quasi-identifiers; {unknown[0]!r} is none")
    return found
