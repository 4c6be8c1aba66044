"""The protection of microdata: the recoding of least loss that keeps what is asked."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import msgspec

from leaktight.errors import InvalidFile, InvalidInput, is_whole
from leaktight.exact.numbers import Number
from leaktight.exact.shown import counted, percent
from leaktight.files import expect_writable, new_file, new_path, read_path
from leaktight.tables.microdata.answer import Protected
from leaktight.tables.microdata.classes import MEASURES, Lattice
from leaktight.tables.microdata.hierarchy import expect_columns, hierarchy_of
from leaktight.tables.microdata.limits import Limits
from leaktight.tables.microdata.output import (
    disclosure_of,
    expect_table,
    record_beside,
    write_protected,
)
from leaktight.tables.microdata.search import Judged, Node, search
from leaktight.tables.microdata.statistics import Statistic, Statistics, columns_of
from leaktight.tables.risk import Change
from leaktight.tables.risk.coded import coded
from leaktight.tables.risk.engine import Sources
from leaktight.tables.risk.groups import grouped
from leaktight.tables.risk.question import names_of_columns
from leaktight.tables.risk.sampled import expect_population

FORMAT = "leaktight protect 1"


def protect(
    source: Any,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    at_least_k: int | None = None,
    l_diversity: int | None = None,
    t_closeness: Number | None = None,
    below: Number | None = None,
    guessed_below: Number | None = None,
    suppress: Number = 0,
    recodings: "Mapping[str, Sequence[Change] | Change | str | Path] | None" = None,
    loss: str = "entropy",
    plans: int = 1,
    population: int | None = None,
    statistics: Sequence[Statistic] = (),
    output: str | Path | None = None,
    leave_out: Sequence[str] = (),
    table: str | None = None,
    progress: Callable[[str], object] = lambda what: None,
) -> Protected:
    """Return the recoding of least loss with which a table keeps what is asked, and write it.

    Every combination of the levels of all quasi-identifiers is a candidate. Whoever has no loss
    smaller, or cannot keep what is asked as a coarser one does not, is not looked at; what is found
    is the optimum over all. Classes are counted by DuckDB, or Spark if the frame is there.

    A coarser table has no privacy guarantee: the numbers are for somebody who knows just the
    quasi-identifiers.

    :param source: a file or a frame, as for :func:`risk`.
    :param quasi_identifiers: the columns that somebody may know of a person.
    :param sensitive: the columns that must not be learnt; they are written as they are.
    :param at_least_k: every equivalence class must have so many rows (k-anonymity).
    :param l_diversity: every class must have so many distinct values of each sensitive column.
    :param t_closeness: in no class may the total variation between a sensitive column there and in
        the table be larger.
    :param below: the chance that a row is found, on average (the marketer's risk), must be below.
    :param guessed_below: the chance that the sensitive values are guessed must be below.
    :param suppress: the largest share of rows that may be left out: those of classes with less
        than k or l.
    :param recodings: for a column its levels, each coarser than the one before, or a file with a
        value and its groups in each line; no levels, ``[]``, leave it as it is. Without, there are
        bands for numbers, prefixes for codes, months and years for dates, and leaving it out.
    :param loss: what is made least: ``entropy``, ``granularity`` or ``cells``; see :class:`Loss`.
    :param plans: how many of the best are wanted.
    :param population: of how many people the table is a simple random sample; with it the
        journalist's risk is shown, by the model of :class:`Sampled`.
    :param statistics: counts and means to be shown before and after, such as
        ``Statistic.mean("age", {"sex": "F"})``. A recoded cell counts for each value of the table
        that it may stand for, in equal parts.
    :param output: a new .csv or .parquet file, with a record of what was done beside it.
    :param leave_out: other columns that are not written, such as names of persons.
    :param progress: is told what is done.
    :raises InvalidInput: if no combination of the levels keeps what is asked; it says what is
        missing at the coarsest.

    >>> import polars
    >>> people = polars.DataFrame({"zip": ["8001", "8002", "8003", "9001", "9002"],
    ...                            "age": [21, 24, 38, 60, 65], "ill": ["a", "b", "a", "a", "c"]})
    >>> bands = [Change.every("age", 10), Change.every("age", 20), Change.drop("age")]
    >>> print(protect(people, ["zip", "age"], "ill", at_least_k=2, recodings={"age": bands}))
    first 3 of zip + age in bands of 20: k = 1 before, 2 after; a row is found with 100% before,
    40% after; ill guessed with 100% before, 60% after; 58.2% of the entropy is lost
    """
    columns = names_of_columns(quasi_identifiers, "quasi_identifiers")
    wanted = names_of_columns(sensitive, "sensitive", least=0)
    if both := {*columns} & {*wanted}:
        raise InvalidInput(f"{min(both)!r} cannot be both a quasi-identifier and sensitive")
    limits = Limits.of(at_least_k, l_diversity, t_closeness, below, guessed_below, suppress, wanted)
    given = expect_columns(recodings, columns)
    if loss not in MEASURES:
        raise InvalidInput(f"loss must be one of {', '.join(MEASURES)}, got {loss!r:.60}")
    if not is_whole(plans, 1):
        raise InvalidInput(f"plans is how many are wanted, 1 or more, got {plans!r:.60}")
    left = names_of_columns(leave_out, "leave_out", least=0)
    if wrong := [each for each in statistics if not isinstance(each, Statistic)]:
        raise InvalidInput(f'statistics are such as Statistic.mean("age"), got {wrong[0]!r:.60}')
    if output is not None:
        expect_table(read_path(output))
        expect_writable(record_beside(output))
    with ExitStack() as stack:
        record = new = None
        if output is not None:
            record = stack.enter_context(new_file(record_beside(output)))
            new = stack.enter_context(new_path(output))
        sources = Sources((source,) if new is None else (source, new))
        stack.callback(sources.close)
        progress("reading the table")
        frame = sources.frame(source, [*columns, *wanted], table)
        assert sources.engine is not None
        people = coded(sources.engine, frame, [*columns, *wanted]).collapsed()
        ladders = [hierarchy_of(people, column, given.get(column)) for column in columns]
        if population is not None:
            expect_population(population, people.rows)
        lattice = Lattice(people, ladders, wanted, limits, population)
        before = lattice.disclosure()
        found = search(
            lattice.heights,
            lambda node: lattice.bound(node, loss),
            _telling(lattice, loss, progress),
            plans,
        )
        if not found.best:
            raise InvalidInput(_why_not(lattice))
        protected = Protected(
            quasi_identifiers=columns,
            sensitive=wanted,
            asked=tuple(limits.words()),
            measure=loss,
            levels=tuple(each.words for each in ladders),
            nodes=prod(height + 1 for height in lattice.heights),
            looked=found.looked,
            before=before,
            guess=grouped(people, (), wanted).exposure.guess if wanted else None,
            plans=tuple(lattice.plan(node) for _, node in found.best),
            notes=tuple(each.note for each in ladders if each.note),
        )
        if statistics:
            progress("counting what was chosen")
            protected = _with_statistics(protected, sources, source, table, lattice, statistics)
        if new is None or record is None:
            return protected
        progress("writing the table")
        node = found.best[0][1]
        written = write_protected(sources, source, table, lattice, node, left, new)
        progress("looking at what was written")
        _expect_same(protected, disclosure_of(new, columns, wanted))
        protected = msgspec.structs.replace(
            protected, kept=written.kept, left_out=written.left_out, telling=written.telling
        )
        noted = {"format": FORMAT, **record_of(protected)}
        record.write(json.dumps(noted, ensure_ascii=False, indent=1) + "\n")
        return protected


def _with_statistics(
    found: Protected,
    sources: Sources,
    source: Any,
    table: str | None,
    lattice: Lattice,
    asked: Sequence[Statistic],
) -> Protected:
    """Add counts and means, as they are and as each plan gives them."""
    columns = columns_of(found.quasi_identifiers, asked)
    chosen = Statistics(lattice, asked, sources.frame(source, columns, table))
    return msgspec.structs.replace(
        found,
        statistics=tuple(zip(map(repr, asked), chosen.before(), strict=True)),
        plans=tuple(
            msgspec.structs.replace(plan, statistics=chosen.at(plan.levels)) for plan in found.plans
        ),
    )


def record_of(found: Protected) -> dict[str, Any]:
    """Return what was done as JSON has it; chances are exact, as texts."""
    return msgspec.to_builtins(found, enc_hook=str)


def _telling(
    lattice: Lattice, loss: str, progress: Callable[[str], object]
) -> Callable[[Node], Judged]:
    """Return how a node is judged, with a word on how far it is."""
    looked = 0

    def judge(node: Node) -> Judged:
        nonlocal looked
        looked += 1
        progress(f"recoding {looked:,}, at levels {', '.join(map(str, node))}")
        return lattice.judge(node, loss)

    return judge


def _why_not(lattice: Lattice) -> str:
    """Say what is missing at the coarsest recoding."""
    out, rows = lattice.counted(lattice.heights).out, lattice.table.rows
    asked = ", ".join(lattice.limits.words())
    if out > lattice.limits.suppress * rows or out == rows:
        many = f"{counted(out, 'row', 'rows')} of {rows:,} ({percent(Fraction(out, rows))})"
        return (
            f"no combination of the levels keeps {asked}: even at the coarsest, {many} would have "
            "to be left out; allow more, or give coarser levels"
        )
    return f"no combination of the levels keeps {asked}; ask for less, or give coarser levels"


def _expect_same(found: Protected, written: Any) -> None:
    """Refuse a file whose risk is not what was computed."""
    mine, theirs = (
        (one.rows, one.classes, one.k, one.unique, one.l, one.guess)
        for one in (found.best.risk, written)
    )
    if mine != theirs:
        raise InvalidFile(
            "what was written is not as it was computed, and was removed: the table changed "
            "meanwhile; write it to a file, and protect that"
        )
