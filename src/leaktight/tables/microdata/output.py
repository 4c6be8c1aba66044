"""A protected table written to a file, by the engine, and looked at again before it is there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidFile, InvalidInput
from leaktight.tables.microdata.answer import Disclosure
from leaktight.tables.microdata.classes import Lattice
from leaktight.tables.microdata.hierarchy import Hierarchy, Level
from leaktight.tables.microdata.limits import Limits
from leaktight.tables.microdata.search import Node
from leaktight.tables.risk.coded import coded
from leaktight.tables.risk.engine import SOURCE, Sources
from leaktight.tables.source import place

OUTPUTS = (".csv", ".parquet")


def record_beside(path: str | Path) -> Path:
    """Return where the record of a protected table is."""
    return Path(path).with_name(Path(path).name + ".protect.json")


def expect_table(path: Path) -> None:
    """Refuse an output that is no table."""
    if path.suffix.lower() not in OUTPUTS:
        raise InvalidFile(f"the output must end in {', '.join(OUTPUTS)}, got {path}")


@dataclass(frozen=True, slots=True)
class Written:
    """Which columns were written as they are, which were not, and which tell who somebody is."""

    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    telling: tuple[str, ...]


def write_protected(
    sources: Sources,
    source: Any,
    table: str | None,
    lattice: Lattice,
    node: Node,
    leave_out: Sequence[str],
    path: Path,
) -> Written:
    """Write a table with the recoding of a node, without the rows that it leaves out.

    Rows are sorted by all that is written, so that their order tells nothing more.
    """
    engine, levels = lattice.table.engine, lattice.levels(node)
    names = sources.columns(source, table)
    known = {each.column: i for i, each in enumerate(lattice.hierarchies)}
    if unknown := [name for name in leave_out if name not in names]:
        raise InvalidInput(f"the table has no column {unknown[0]!r} to leave out")
    if both := [name for name in leave_out if name in (*known, *lattice.sensitive)]:
        raise InvalidInput(f"{both[0]!r} is a quasi-identifier or sensitive, and stays")
    written = [name for name in names if name and name not in leave_out]
    frame = sources.frame(source, written, table)
    chosen = [
        f"shown{known[name]}.shown" if name in known else f"source.{place(at)}"
        for at, name in enumerate(written)
    ]
    joined = "".join(
        f" JOIN {shown_values(each, level)} AS shown{i} ON source."
        f"{place(written.index(each.column))} IS NOT DISTINCT FROM shown{i}.value"
        for i, (each, level) in enumerate(zip(lattice.hierarchies, levels, strict=True))
    )
    bad, same = bad_classes(lattice, node, "shown")
    told = ", ".join(
        f"{cell} AS {engine.named(name)}" for cell, name in zip(chosen, written, strict=True)
    )
    order = ", ".join(map(str, range(1, len(written) + 1)))
    question = (
        f"SELECT {told} FROM {SOURCE} AS source{joined} LEFT JOIN {bad} AS bad ON {same} "
        f"WHERE bad.n IS NULL ORDER BY {order}"
    )
    engine.write(question, frame, path)
    kept = tuple(name for name in written if name not in known)
    others = [name for name in kept if name not in lattice.sensitive]
    return Written(
        kept,
        tuple(name or "(no name)" for name in names if name not in written),
        tuple(_telling(path, others)),
    )


def bad_classes(lattice: Lattice, node: Node, shown: str) -> tuple[str, str]:
    """Return the table of classes that a node leaves out, and how rows are told that are there.

    ``shown`` is what the tables of shown values are called, but for their number.
    """
    levels = lattice.levels(node)
    keys = [(v.values.place if v.values else "0", f"g{i}") for i, v in enumerate(levels)]
    bad = lattice.table.engine.keep(
        f"SELECT * FROM ({lattice.classes(node, keys)}) AS sized WHERE NOT ({lattice.good})"
    )
    return bad, " AND ".join(f"bad.g{i} = {shown}{i}.code" for i in range(len(levels)))


def shown_values(each: Hierarchy, level: Level) -> str:
    """Return the table of values, what is shown for each, and its number."""
    first = each.levels[0].values
    assert first is not None
    if level.values is None:
        return f"(SELECT value, '*' AS shown, 0 AS code FROM {first.listed})"
    if level.values is first:
        return f"(SELECT value, value AS shown, code FROM {first.listed})"
    return (
        f"(SELECT fine.value AS value, coarse.value AS shown, coarse.code AS code FROM "
        f"{first.listed} AS fine JOIN {each.codes} AS codes ON fine.code = codes.{first.place} "
        f"JOIN {level.values.listed} AS coarse ON codes.{level.values.place} = coarse.code)"
    )


def disclosure_of(path: Path, columns: Sequence[str], sensitive: tuple[str, ...]) -> Disclosure:
    """Return the risk of a file that was written."""
    sources = Sources((path,))
    try:
        frame = sources.frame(path, [*columns, *sensitive])
        assert sources.engine is not None
        table = coded(sources.engine, frame, [*columns, *sensitive])
        plain = [Hierarchy(c, (Level(None, table.columns[c], 0, 0, ""),), "") for c in columns]
        return Lattice(table, plain, sensitive, Limits()).disclosure()
    finally:
        sources.close()


def _telling(path: Path, columns: Sequence[str]) -> list[str]:
    """Return the columns of a file that are different in most rows."""
    if not columns:
        return []
    sources = Sources((path,))
    try:
        frame = sources.frame(path, list(columns))
        assert sources.engine is not None
        kept = sources.engine.keep(f"SELECT * FROM {SOURCE}", frame)
        counts = ", ".join(f"COUNT(DISTINCT {place(i)})" for i in range(len(columns)))
        [(rows, *many)] = sources.engine.rows(f"SELECT COUNT(*), {counts} FROM {kept}")
        return [
            name
            for name, number in zip(columns, many, strict=True)
            if number > 1 and 2 * number > rows
        ]
    finally:
        sources.close()
