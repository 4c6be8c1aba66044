"""``protect``: a table made safe enough to be handed out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaktight.commands.arguments import JsonOption, read_chance
from leaktight.commands.output import about_to_write, expect_different, print_json, show, spinner
from leaktight.commands.risk import read_change, read_names

if TYPE_CHECKING:
    from leaktight.tables.microdata import Statistic
    from leaktight.tables.risk import Change

PLANS = 5
"""How many recodings a plan has."""


def protect(
    table: Annotated[Path, typer.Argument(help="A .csv, .parquet or .duckdb file.")],
    quasi_identifiers: Annotated[
        str, typer.Option(help="Columns that somebody may know, such as zip,age,sex.")
    ],
    sensitive: Annotated[str, typer.Option(help="Columns that must not be learnt.")] = "",
    at_least_k: Annotated[
        int | None, typer.Option(help="Rows alike in the quasi-identifiers: k-anonymity.")
    ] = None,
    l_diversity: Annotated[
        int | None, typer.Option(help="Distinct sensitive values among rows alike.")
    ] = None,
    t_closeness: Annotated[
        str | None, typer.Option(help="The most total variation of a class, such as 0.3.")
    ] = None,
    below: Annotated[
        str | None, typer.Option(help="A row is found with less than this, such as 20%.")
    ] = None,
    guessed_below: Annotated[
        str | None, typer.Option(help="The sensitive value is guessed with less than this.")
    ] = None,
    suppress: Annotated[
        str, typer.Option(help="The largest share of rows that may be left out, such as 1%.")
    ] = "0",
    recode: Annotated[
        list[str] | None,
        typer.Option(
            help="What may be done to a column, level by level: zip=prefix:3/prefix:2/drop, "
            "age=every:5/every:10, age=bands:18,65, sex=keep."
        ),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(help="Levels from a file, a value and its groups in each line: town=t.csv."),
    ] = None,
    loss: Annotated[
        str, typer.Option(help="What is made least: entropy, granularity or cells.")
    ] = "entropy",
    counts: Annotated[
        list[str] | None,
        typer.Option("--count", help="A count to show before and after: sex=F+smoker=yes."),
    ] = None,
    means: Annotated[
        list[str] | None,
        typer.Option("--mean", help="A mean to show before and after: age, or age:sex=F."),
    ] = None,
    population: Annotated[
        int | None, typer.Option(help="Of how many people the table is a simple random sample.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help=f"Show the best {PLANS}; nothing is written.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write the protected table, .csv or .parquet.")
    ] = None,
    leave_out: Annotated[
        str, typer.Option(help="Other columns that are not written, such as id,name.")
    ] = "",
    name: Annotated[
        str | None, typer.Option("--table", help="The table of a .duckdb file.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Recode a table with least loss, to keep k, l, t or a chance.

    Bands, prefixes, groups and leaving out are combined over all quasi-identifiers, and classes
    are counted where the table is; rows that are still alone may be left out (--suppress). What is
    found is the best of all combinations.

    \b
    Example:
      leaktight protect examples/tables/patients.csv --sensitive diagnosis \\
        --quasi-identifiers zip,age,sex --at-least-k 5 --suppress 2% --plan
    """
    from leaktight.reports.protect import protect_document
    from leaktight.tables.microdata import protect as protected
    from leaktight.tables.microdata import record_of

    if plan and output is not None:
        raise typer.BadParameter("--plan writes nothing; leave it out, or --output")
    expect_different(("the table", table), ("--output", output))
    about_to_write(output)
    columns = read_names(quasi_identifiers)
    with spinner(as_json) as progress:
        found = protected(
            table, columns, read_names(sensitive), at_least_k=at_least_k, l_diversity=l_diversity,
            t_closeness=_chance(t_closeness), below=_chance(below),
            guessed_below=_chance(guessed_below), suppress=read_chance(suppress),
            recodings={**dict(map(_levels, recode or [])), **dict(map(_file, hierarchy or []))},
            loss=loss, plans=PLANS if plan else 1, population=population,
            statistics=[*map(_count, counts or []), *map(_mean, means or [])],
            output=output, leave_out=read_names(leave_out), table=name, progress=progress,
        )  # fmt: skip
    if as_json:
        print_json({"format": "leaktight protect 1", "table": table.name, **record_of(found)})
        return 0
    title = f"{table.name}: {', '.join(columns)} protected"
    show(protect_document(found, title, None if output is None else str(output)))
    return 0


def _count(text: str) -> "Statistic":
    from leaktight.tables.microdata import Statistic

    return Statistic.count(_conditions(text, "--count must be such as sex=F+smoker=yes"))


def _mean(text: str) -> "Statistic":
    from leaktight.tables.microdata import Statistic

    column, told, where = text.partition(":")
    wrong = "--mean must be such as age or age:sex=F"
    if not column.strip():
        raise typer.BadParameter(f"{wrong}, got {text[:60]!r}")
    return Statistic.mean(column.strip(), _conditions(where, wrong) if told else None)


def _conditions(text: str, wrong: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split("+")]
    if not all(column.strip() and told for column, told, _ in pairs):
        raise typer.BadParameter(f"{wrong}, got {text[:60]!r}")
    return {column.strip(): value.strip() for column, _, value in pairs}


def _chance(text: str | None) -> Any:
    return None if text is None else read_chance(text)


def _levels(text: str) -> "tuple[str, list[Change]]":
    column, told, levels = (part.strip() for part in text.rpartition("="))
    if not told or not column:
        raise typer.BadParameter(
            f"--recode must be such as zip=prefix:3/prefix:2/drop, got {text[:60]!r}"
        )
    if levels == "keep":
        return column, []
    return column, [read_change(f"{column}={level}", "--recode") for level in levels.split("/")]


def _file(text: str) -> tuple[str, Path]:
    column, told, path = (part.strip() for part in text.partition("="))
    if not told or not column or not path:
        raise typer.BadParameter(f"--hierarchy must be such as town=towns.csv, got {text[:60]!r}")
    return column, Path(path)
