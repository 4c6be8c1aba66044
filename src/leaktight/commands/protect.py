"""``protect``: a table made safe enough to be handed out."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaktight.commands.arguments import CHANCE, COUNT, NAMES, PATH, json_option
from leaktight.commands.output import about_to_write, expect_different, print_json, show, spinner
from leaktight.commands.risk import (
    population_option,
    quasi_identifiers_option,
    read_change,
    table_argument,
    table_option,
)

if TYPE_CHECKING:
    from leaktight.tables.microdata import Statistic
    from leaktight.tables.risk import Change

PLANS = 5
"""How many recodings a plan has."""


@click.command()
@table_argument
@quasi_identifiers_option
@click.option("--sensitive", type=NAMES, default="", help="Columns that must not be learnt.")
@click.option("--at-least-k", type=COUNT, help="Rows alike in the quasi-identifiers: k-anonymity.")
@click.option("--l-diversity", type=COUNT, help="Distinct sensitive values among rows alike.")
@click.option(
    "--t-closeness", type=CHANCE, help="The most total variation of a class, such as 0.3."
)
@click.option("--below", type=CHANCE, help="A row is found with less than this, such as 20%.")
@click.option(
    "--guessed-below", type=CHANCE, help="The sensitive value is guessed with less than this."
)
@click.option(
    "--suppress",
    type=CHANCE,
    default="0",
    help="The largest share of rows that may be left out, such as 1%.",
)
@click.option(
    "--recode",
    multiple=True,
    help="What may be done to a column, level by level: zip=prefix:3/prefix:2/drop, "
    "age=every:5/every:10, age=bands:18,65, sex=keep.",
)
@click.option(
    "--hierarchy",
    multiple=True,
    help="Levels from a file, a value and its groups in each line: town=t.csv.",
)
@click.option(
    "--loss", default="entropy", help="What is made least: entropy, granularity or cells."
)
@click.option(
    "--count", "counts", multiple=True, help="A count to show before and after: sex=F+smoker=yes."
)
@click.option(
    "--mean", "means", multiple=True, help="A mean to show before and after: age, or age:sex=F."
)
@population_option
@click.option("--plan", is_flag=True, help="Show the best 5; nothing is written.")
@click.option("--output", type=PATH, help="Write the protected table, .csv or .parquet.")
@click.option(
    "--leave-out",
    type=NAMES,
    default="",
    help="Other columns that are not written, such as id,name.",
)
@table_option
@json_option
def protect(
    table: Path,
    quasi_identifiers: list[str],
    sensitive: list[str],
    at_least_k: int | None,
    l_diversity: int | None,
    t_closeness: Fraction | None,
    below: Fraction | None,
    guessed_below: Fraction | None,
    suppress: Fraction,
    recode: tuple[str, ...],
    hierarchy: tuple[str, ...],
    loss: str,
    counts: tuple[str, ...],
    means: tuple[str, ...],
    population: int | None,
    plan: bool,
    output: Path | None,
    leave_out: list[str],
    name: str | None,
    as_json: bool,
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
        raise click.BadParameter("--plan writes nothing; leave it out, or --output")
    expect_different(("the table", table), ("--output", output))
    about_to_write(output)
    with spinner(as_json) as progress:
        found = protected(
            table, quasi_identifiers, sensitive, at_least_k=at_least_k, l_diversity=l_diversity,
            t_closeness=t_closeness, below=below,
            guessed_below=guessed_below, suppress=suppress,
            recodings={**dict(map(_levels, recode)), **dict(map(_file, hierarchy))},
            loss=loss, plans=PLANS if plan else 1, population=population,
            statistics=[*map(_count, counts), *map(_mean, means)],
            output=output, leave_out=leave_out, table=name, progress=progress,
        )  # fmt: skip
    if as_json:
        print_json({"format": "leaktight protect 1", "table": table.name, **record_of(found)})
        return 0
    title = f"{table.name}: {', '.join(quasi_identifiers)} protected"
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
        raise click.BadParameter(f"{wrong}, got {text[:60]!r}")
    return Statistic.mean(column.strip(), _conditions(where, wrong) if told else None)


def _conditions(text: str, wrong: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split("+")]
    if not all(column.strip() and told for column, told, _ in pairs):
        raise click.BadParameter(f"{wrong}, got {text[:60]!r}")
    return {column.strip(): value.strip() for column, _, value in pairs}


def _levels(text: str) -> "tuple[str, list[Change]]":
    column, told, levels = (part.strip() for part in text.rpartition("="))
    if not told or not column:
        raise click.BadParameter(
            f"--recode must be such as zip=prefix:3/prefix:2/drop, got {text[:60]!r}"
        )
    if levels == "keep":
        return column, []
    return column, [read_change(f"{column}={level}", "--recode") for level in levels.split("/")]


def _file(text: str) -> tuple[str, Path]:
    column, told, path = (part.strip() for part in text.partition("="))
    if not told or not column or not path:
        raise click.BadParameter(f"--hierarchy must be such as town=towns.csv, got {text[:60]!r}")
    return column, Path(path)
