"""What if? ``leaktight explore``: the page on which a policy and an ε are tried."""

from typing import Annotated

import typer


def explore(
    study: Annotated[
        str | None,
        typer.Argument(help="A study, a TOML file, or the address of a page that was mailed."),
    ] = None,
    port: Annotated[int | None, typer.Option(help="Where the page is; 8440 if it is free.")] = None,
    browser: Annotated[
        bool, typer.Option(help="Open the page in a browser; its address is printed anyway.")
    ] = True,
) -> int:
    """Try a policy and an ε on a page in the browser.

    The page is for this machine alone, and runs no code that a study names.

    \b
    Example:
      leaktight explore examples/studies/salary.toml
    """
    from leaktight.web.server import explore as shown

    shown(study, port, browser)
    return 0
