"""``risk``: who is found in a table that is handed out."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaktight.commands.arguments import (
    COUNT,
    NAMES,
    PATH,
    json_option,
    read_chance,
    read_count,
    report_option,
)
from leaktight.commands.output import (
    about_to_write,
    expect_different,
    expect_page,
    print_json,
    show,
    spinner,
    write_page,
)

if TYPE_CHECKING:
    from fractions import Fraction

    from leaktight.tables.risk import Change

table_argument = click.argument("table", type=PATH, help="A .csv, .parquet or .duckdb file.")
table_option = click.option("--table", "name", help="The table of a .duckdb file.")
quasi_identifiers_option = click.option(
    "--quasi-identifiers",
    type=NAMES,
    required=True,
    help="Columns that somebody may know, such as zip,age,sex.",
)
population_option = click.option(
    "--population", type=COUNT, help="Of how many people the table is a simple random sample."
)
"""What ``protect`` is told of a table, too."""


@click.command()
@table_argument
@quasi_identifiers_option
@click.option("--sensitive", type=NAMES, default="", help="The column they want, or several.")
@click.option(
    "--combinations",
    type=COUNT,
    default=2,
    help="The most quasi-identifiers that are looked at together.",
)
@click.option(
    "--try",
    "tried",
    multiple=True,
    help="What would help: zip=prefix:3, age=bands:18,65, age=every:10, sex=drop, "
    "zip=epsilon:1; several at once with +.",
)
@click.option(
    "--known-share",
    multiple=True,
    help="Columns that are known of a share of people only: zip+age=1/2.",
)
@click.option(
    "--later-release", type=PATH, multiple=True, help="A later release of the same people."
)
@click.option("--person", help="The column that says whose a row is, for --later-release.")
@table_option
@click.option("--rows", is_flag=True, help="Name the ten rows at most risk, by number.")
@population_option
@click.option("--weights", help="The column that says how many people a row stands for.")
@click.option(
    "--synthetic", type=PATH, help="A synthetic table made from this one: what does it tell?"
)
@click.option("--holdout", type=PATH, help="Rows of others, not used for --synthetic.")
@report_option
@json_option
def risk(
    table: Path,
    quasi_identifiers: list[str],
    sensitive: list[str],
    combinations: int,
    tried: tuple[str, ...],
    known_share: tuple[str, ...],
    later_release: tuple[Path, ...],
    person: str | None,
    name: str | None,
    rows: bool,
    population: int | None,
    weights: str | None,
    synthetic: Path | None,
    holdout: Path | None,
    report: Path | None,
    as_json: bool,
) -> int:
    """Say who is found in a table that is handed out as it is.

    And what is learnt of them: the chances before and after. Only counts leave the engine that
    reads it; a missing value is a value of its own.

    \b
    Example:
      leaktight risk examples/tables/patients.csv --quasi-identifiers zip,age,sex \\
        --sensitive diagnosis --try zip=prefix:2+age=bands:40,65
    """
    from leaktight.reports.risk import risk_document
    from leaktight.studies.schema import to_json
    from leaktight.tables.risk import count_combinations
    from leaktight.tables.risk import risk as assessed

    if synthetic is not None:
        return _synthetic(table, synthetic, holdout, quasi_identifiers, sensitive, as_json)
    if holdout is not None:
        raise click.BadParameter("--holdout is for --synthetic")
    expect_page(report)
    for path in (table, *later_release):
        expect_different(("a table", path), ("--report", report))
    about_to_write(report)
    columns = quasi_identifiers
    count_combinations(len(columns), combinations)
    with spinner(as_json) as progress:
        found = assessed(
            table, columns, sensitive, table=name, combinations=combinations,
            known_share=dict(map(_share, known_share)) if known_share else None,
            later_releases=list(later_release), person=person,
            changes=[[read_change(part) for part in each.split("+")] for each in tried],
            rows=rows, population=population, weights=weights, progress=progress,
        )  # fmt: skip
    title = f"{table.name}: quasi-identifiers {', '.join(columns)}"
    if report is not None:
        words = shlex.join(["leaktight", *sys.argv[1:]])
        write_page(report, risk_document(found, title, words))
    if as_json:
        print_json({"format": "leaktight risk 2", "table": table.name, **to_json(found)})
        return 0
    show(risk_document(found, title))
    if report is not None:
        print(f"\nreport: {report}")
    return 0


def _synthetic(
    table: Path,
    synthetic: Path,
    holdout: Path | None,
    columns: list[str],
    sensitive: list[str],
    as_json: bool,
) -> int:
    """Say what a synthetic table tells of the people it was made from."""
    from leaktight.reports.risk import synthetic_document
    from leaktight.studies.schema import to_json
    from leaktight.tables import synthetic_risk

    with spinner(as_json) as progress:
        found = synthetic_risk(
            synthetic, table, columns, sensitive,
            holdout=holdout, progress=progress,
        )  # fmt: skip
    if as_json:
        print_json({"format": "leaktight synthetic 2", "table": table.name, **to_json(found)})
        return 0
    show(*synthetic_document(found))
    return 0


def _share(text: str) -> "tuple[tuple[str, ...], Fraction]":
    names, told, share = text.rpartition("=")
    if not told:
        raise click.BadParameter(f"--known-share must be such as zip+age=1/2, got {text[:60]!r}")
    return tuple(name.strip() for name in names.split("+")), read_chance(share)


def read_change(text: str, option: str = "--try") -> "Change":
    """Return what may be done to a column."""
    from leaktight.tables.risk import Change

    column, told, how = (part.strip() for part in text.rpartition("="))
    kind, _, value = how.partition(":")
    if told and column:
        match kind:
            case "drop" if not value:
                return Change.drop(column)
            case "prefix":
                return Change.prefix(column, read_count(value))
            case "bands":
                return Change.bands(column, [_cut(column, part) for part in value.split(",")])
            case "every":
                return Change.every(column, value)
            case "epsilon":
                return Change.randomize(column, epsilon=value)
            case "ratio":
                return Change.randomize(column, ratio=value)
    raise click.BadParameter(
        f"{option} must be such as zip=prefix:3, age=bands:18,65, age=every:10, sex=drop, "
        f"zip=epsilon:1 or zip=ratio:3, got {text[:60]!r}"
    )


def _cut(column: str, text: str) -> Any:
    """Return a number or a date."""
    from datetime import date
    from decimal import Decimal

    for kind in (int, Decimal, date.fromisoformat):
        try:
            return kind(text.strip())
        except (ValueError, ArithmeticError):
            continue
    raise click.BadParameter(
        f"a cut of {column!r:.60} is a number or a date such as 2000-01-31, got {text[:60]!r}"
    )
