"""``explore``: the page on which a policy and an ε are tried."""

import click

from leaktight.commands.arguments import COUNT


@click.command()
@click.argument(
    "study",
    required=False,
    help="A study (.toml), a table (.csv, .parquet), or the address of a page.",
)
@click.option("--port", type=COUNT, help="Where the page is; 8440 if it is free.")
@click.option(
    "--browser/--no-browser",
    default=True,
    help="Open the page in a browser; its address is printed anyway.",
)
def explore(study: str | None, port: int | None, browser: bool) -> int:
    """Try a policy and an ε on a page in the browser.

    The page is for this machine alone, and runs no code that a study names. Of a table it asks
    which columns are secret, and makes a study.

    \b
    Example:
      leaktight explore examples/studies/salary.toml
      leaktight explore examples/tables/wages.csv
    """
    from leaktight.web.server import explore as shown

    shown(study, port, browser)
    return 0
