"""Is it true? ``verify`` checks a certificate, ``reproduce`` the claims of the papers."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated

import typer

from leaktight.commands.arguments import JsonOption, claim_ids
from leaktight.commands.output import print_json


def verify(
    certificate: Annotated[Path, typer.Argument(help="A certificate, as JSON.")],
    as_json: JsonOption = False,
) -> int:
    """Check a certificate, trusting nothing but arithmetic.

    The exit code is 1 if it proves nothing.

    \b
    Example:
      leaktight verify best.json
    """
    from leaktight.check import main as check
    from leaktight.errors import InvalidFile

    if certificate.is_char_device():
        raise InvalidFile(f"{certificate} is a device; a certificate is a JSON file")
    with redirect_stdout(StringIO()) as said:
        code = check([str(certificate)])
    if code == 2:
        raise InvalidFile(said.getvalue())
    if as_json:
        print_json({"accepted": code == 0, "says": said.getvalue().splitlines()})
    else:
        print(said.getvalue(), end="")
    return code


def reproduce(
    claim: Annotated[
        str | None,
        typer.Argument(help="Such as E-T11; all if not given.", autocompletion=claim_ids),
    ] = None,
    figures: Annotated[Path | None, typer.Option(help="Draw the figures into this folder.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Check every claim of the five papers before your eyes.

    \b
    Example:
      leaktight reproduce E-T11
    """
    from leaktight.papers.claim import run
    from leaktight.papers.register import claims_named
    from leaktight.papers.show import detail, line, summary, to_dict

    chosen, outcomes = claims_named(claim), []
    width = get_terminal_size().columns if sys.stdout.isatty() else None
    for one in chosen:
        outcome = run(one)
        outcomes.append(outcome)
        if not as_json:
            print(detail(outcome) if claim else line(outcome, width), flush=True)
    if figures is not None:
        from leaktight.papers.figures import draw_all

        for path in draw_all(figures):
            print(f"drawn: {path}", file=sys.stderr)
    if as_json:
        print_json([to_dict(outcome) for outcome in outcomes])
    elif claim is None:
        print(summary(outcomes))
    return 0 if all(outcome.holds for outcome in outcomes) else 1
