"""``release`` and ``ledger``: a table with noise, and what is left of the budget."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import PATH, json_option
from leaktight.commands.output import (
    about_to_write,
    expect_page,
    print_json,
    spinner,
    write,
    write_page,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leaktight.studies.release import ReleaseStudy
    from leaktight.tables.attributes import AttributeOdds
    from leaktight.tables.per_row import RowsRelease
    from leaktight.tables.publishing import TableRelease
    from leaktight.tables.record import TableRecord

EQUALLY_LIKELY = (
    "A ledger has no prior: before, all values are taken to be equally likely. What a release "
    "prints, and its report, start from the prior of the study."
)
"""From which beliefs the odds of a ledger start."""


@click.command()
@click.argument("study", type=PATH, help="A study with [data] and [release].")
@click.option("--plan", is_flag=True, help="Show the expected errors; read and spend nothing.")
@click.option("--name", help="A name for this release.")
@click.option("--output", type=PATH, help="Where to write it.")
@click.option("--picture", type=PATH, help="Draw the histograms, .svg.")
@click.option("--again", is_flag=True, help="Show what was drawn under this name; read no table.")
@click.option("--report", type=PATH, help="Write a page for the officer, .html or .md.")
@json_option
def release(
    study: Path,
    plan: bool,
    name: str | None,
    output: Path | None,
    picture: Path | None,
    again: bool,
    report: Path | None,
    as_json: bool,
) -> int:
    """Release a table with noise, paid for from a ledger.

    Asked again under the same name, the same numbers come back and nothing is spent, unless the
    table is another one by now; that needs another name, such as "{year}-{month}" in the study.
    The ledger must be there: leaktight ledger FILE --new STUDY.toml makes it.

    \b
    Example:
      leaktight release examples/tables/wages.toml --plan
      leaktight ledger wages.ledger --new examples/tables/wages.toml
      leaktight release examples/tables/wages.toml --report wages.html
    """
    from leaktight.studies.release import read_release

    asked = read_release(study)
    named, target = name or asked.name, output or asked.output
    expect_page(report)
    if plan and report is not None:
        raise click.BadParameter("--plan releases nothing, of which --report could tell")
    about_to_write(report)
    page = None if report is None else (study, report)
    if asked.rows is not None:
        if plan or picture is not None:
            raise click.BadParameter("--plan and --picture are for queries; every row is published")
        return _rows(asked, named, target, again, as_json, page)
    if plan:
        return _planned(asked, study, named, as_json)
    return _answers(asked, named, target, picture, again, as_json, page)


def _write_officers_page(
    record: "TableRecord", asked: "ReleaseStudy", target: Path | None, page: tuple[Path, Path]
) -> None:
    """Write the page of a release, with the commands that make and check it."""
    from leaktight.reports.release import release_document
    from leaktight.tables.output import record_beside
    from leaktight.tables.statement import statement

    study, report = page
    entry, book = record.release.entry, record.release.ledger
    words = ["leaktight", "release", study.name, "--name", entry.name, "--again"]
    commands = [shlex.join([*words, "--report", report.name])]
    if target is not None:
        check = ["leaktight", "verify", record_beside(target).name, "--study", study.name]
        commands.append(shlex.join(check))
    commands.append(shlex.join(["leaktight", "ledger", Path(book.name).name]))
    write_page(report, release_document(record, statement(book), asked.title, commands))


@click.command()
@click.argument("file", help="A ledger: a file, or postgresql://…")
@click.option("--new", type=PATH, help="Make it, for the policy and budget of a study.")
@click.option("--expect", help="Refuse it if it was never in this state, which was noted before.")
@click.option("--move", help="Move it to another file, to postgresql://…, or back.")
@json_option
@click.option("--registry", is_flag=True, help="Print what OpenDP's registry of deployments asks.")
def ledger(
    file: str, new: Path | None, expect: str | None, move: str | None, as_json: bool, registry: bool
) -> int:
    """Show what was released from a ledger, and what is left.

    With --new it is made first, once, for the policy and the budget of a study. The last line is
    its state: noted elsewhere, --expect finds out if an older copy has come into its place. With
    --move it goes, with all that it holds, from a file to a server that a team shares, or back;
    nothing is spent any more from what stays behind.

    \b
    Example:
      leaktight ledger wages.ledger --new examples/tables/wages.toml
      leaktight ledger wages.ledger
      leaktight ledger wages.ledger --move postgresql://db.example.org/agency#wages
    """
    from leaktight.exact.shown import wrapped
    from leaktight.tables.ledger import Ledger, store_of
    from leaktight.tables.registry import registry_entry
    from leaktight.tables.statement import statement

    if new is not None:
        from leaktight.studies.release import read_release

        asked = read_release(new)
        if asked.budget is None:
            raise click.BadParameter(f"{new}: [release] needs budget, the ε of all releases")
        if _same_place(file) != _same_place(asked.ledger):
            raise click.BadParameter(
                f"{new}: [release] ledger is {store_of(asked.ledger).name}, not "
                f"{store_of(file).name}"
            )
        book = Ledger.create(
            asked.ledger,
            asked.policy,
            ratio=asked.budget.ratio,
            epsilon=asked.budget.epsilon,
            rho=None if asked.budget.delta is not None else asked.budget.rho,
            delta=asked.budget.delta,
            absent=asked.absent,
            rows_per_person=asked.rows_per_person,
            people=asked.people,
        )
    else:
        book = Ledger.open(file)
    if expect is not None:
        book.expect_state(expect)
    if move is not None:
        book = book.move(move)
    found = statement(book)
    if registry:
        print_json(registry_entry(found))
    elif as_json:
        print_json(found.to_dict())
    else:
        print(found.told)
        if found.odds is not None:
            print(wrapped(EQUALLY_LIKELY))
        _print_values(found.attributes)
        print(found.state)
    return 0


def _same_place(ledger: str | Path) -> Path | str:
    """Return the same for all names of one place: those of a file, or of a server's ledger."""
    from leaktight.tables.ledger import is_address, store_of

    return store_of(ledger).name if is_address(ledger) else Path(ledger).resolve()


def _answers(
    asked: "ReleaseStudy",
    name: str,
    target: Path | None,
    picture: Path | None,
    again: bool,
    as_json: bool,
    page: tuple[Path, Path] | None,
) -> int:
    """Answer the queries with noise."""
    from leaktight.exact.shown import wrapped
    from leaktight.tables.ledger import Ledger
    from leaktight.tables.output import expect_output, write_release
    from leaktight.tables.publishing import release as released
    from leaktight.tables.record import record_of

    allowed = asked.allowed
    assert allowed is not None  # there are queries
    if picture is not None and picture.suffix.lower() != ".svg":
        raise click.BadParameter(f"--picture must end in .svg, got {picture}")
    about_to_write(picture)
    if target is not None:
        expect_output(target, Ledger.open(asked.ledger), name)
    with spinner(as_json, "counting, and drawing noise", "what it promises") as progress:
        progress("counting, and drawing noise")
        done = released(
            asked.source,
            asked.policy,
            asked.queries,
            columns=asked.reading.columns,
            noise=allowed,
            keep=asked.reading.keep,
            absent=asked.absent,
            people=asked.people,
            **_told(asked, name, again),
        )
        progress("what it promises")
        record = record_of(done, asked.prior)
    if target is not None:
        write_release(done, record, target)
    if picture is not None:
        from leaktight.reports.released import released_chart

        write(picture, released_chart(done.answers))
    if page is not None:
        _write_officers_page(record, asked, target, page)
    if as_json:
        told = {"record": record.to_dict(), "numbers": _numbers(done), "new": done.is_new}
        print_json(told)
        return 0
    for warning in done.warnings:
        print(f"leaktight: {warning}", file=sys.stderr)
    print(f"{asked.title}\n")
    _print_table(done)
    print(f"\n{wrapped(str(record))}")
    _print_values(record.attributes)
    _print_age(done)
    if target is not None:
        _print_files(target)
    _print_page(page)
    return 0


def _print_values(attributes: "Sequence[AttributeOdds]") -> None:
    """Print the table of values that the page of a release has."""
    from leaktight.reports.release import by_value
    from leaktight.reports.text import plain_text

    if sections := tuple(by_value(attributes)):
        print(f"\n{plain_text(*sections)}")


def _print_page(page: tuple[Path, Path] | None) -> None:
    if page is not None:
        print(f"report: {page[1]}")


def _print_age(done: "TableRelease | RowsRelease") -> None:
    """Say so if a release was not drawn now."""
    from leaktight.exact.shown import wrapped

    if not done.is_new:
        origin = done.stored.origin
        source = "" if origin is None else f" from {origin}"
        print(wrapped(f"Drawn on {done.entry.time}{source}; nothing was spent now."))


def _rows(
    asked: "ReleaseStudy",
    name: str,
    target: Path | None,
    again: bool,
    as_json: bool,
    page: tuple[Path, Path] | None,
) -> int:
    """Publish every row, each drawn by itself."""
    from leaktight.exact.shown import wrapped
    from leaktight.tables.ledger import Ledger
    from leaktight.tables.output import expect_output, record_beside, write_record
    from leaktight.tables.per_row import release_rows
    from leaktight.tables.record import record_of

    assert asked.rows is not None
    assert target is not None  # what read_release sees to
    book, columns = Ledger.open(asked.ledger), asked.reading.columns
    if book.find(name) is None or record_beside(target).exists():
        expect_output(target, book, name)
    if len(columns) != 1:
        raise click.BadParameter(f"rows are published of one column, got {list(columns)}")
    with spinner(as_json, "answering every row", "what it promises") as progress:
        progress("answering every row")
        done = release_rows(
            asked.source,
            asked.policy,
            asked.rows,
            target,
            column=columns[0],
            **_told(asked, name, again),
        )
        progress("what it promises")
        record = record_of(done, asked.prior)
    write_record(record, target)
    if page is not None:
        _write_officers_page(record, asked, target, page)
    if as_json:
        print_json({"record": record.to_dict(), "new": done.is_new})
        return 0
    print(f"{asked.title}\n\n{wrapped(str(record))}")
    _print_values(record.attributes)
    _print_age(done)
    _print_files(target)
    _print_page(page)
    return 0


def _told(asked: "ReleaseStudy", name: str, again: bool) -> dict[str, Any]:
    """Return what is told of either release: its name, who pays, and how rows are read."""
    return {
        "name": name,
        "again": again,
        "ledger": asked.ledger,
        "table": asked.table,
        "person": asked.reading.person,
        "rows_per_person": asked.rows_per_person,
        "outside": asked.reading.outside,
        "cuts": asked.reading.cuts,
        "clamp": asked.reading.clamp,
    }


def _planned(asked: "ReleaseStudy", study: Path, name: str, as_json: bool) -> int:
    from leaktight.exact.shown import wrapped
    from leaktight.studies.planning import release_plan

    found = release_plan(asked, study, name)
    if as_json:
        print_json(found.to_dict())
        return 0 if found.fits is not False else 1
    print(wrapped(f"{asked.title}: {found.allowed}, nothing is read or spent"))
    print("± is the standard deviation of what a number is off\n")
    for each in found.expected:
        print(wrapped(str(each), "  "))
    print()
    for line in (f"It would cost {found.cost}. {found.left}", *found.explained):
        print(wrapped(line))
    if found.other is not None:
        print("\n".join(wrapped(line, "  ") for line in str(found.other).splitlines()))
    return 0 if found.fits is not False else 1


def _numbers(done: "TableRelease") -> list[dict[str, Any]]:
    from leaktight.tables.output import COLUMNS, table_of

    return [dict(zip(COLUMNS, row, strict=True)) for row in table_of(done)]


def _print_files(target: Path) -> None:
    from leaktight.tables.output import record_beside

    print(f"\n{target}, with its record {record_beside(target).name}")


def _print_table(done: "TableRelease") -> None:
    from leaktight.tables.queries import shown_interval, shown_number

    rows = [("query", "cell", "number", "true one, 95%")]
    for answer in done.answers:
        for label, number, ends, noise in zip(
            answer.labels, answer.numbers, answer.intervals(), answer.noises, strict=True
        ):
            between = shown_interval(*ends) if noise else "exactly"
            rows.append((answer.name, label, shown_number(number), between))
    wide = [max(len(row[i]) for row in rows) for i in (0, 1)]
    for query, cell, number, between in rows:
        print(f"{query:<{wide[0]}}  {cell:<{wide[1]}}  {number:>10}  {between}")
