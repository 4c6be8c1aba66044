"""Is it true? ``verify`` checks a certificate, ``reproduce`` the claims of the papers."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from leaktight.arguments import JsonOption, claim_ids
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
        raise InvalidFile(f"{certificate}: {said.getvalue()}")
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
    from leaktight.claims.claim import run
    from leaktight.claims.register import claims_named
    from leaktight.claims.show import detail, line, to_dict

    chosen, outcomes = claims_named(claim), []
    for one in chosen:
        outcome = run(one)
        outcomes.append(outcome)
        if not as_json:
            print(detail(outcome) if claim else line(outcome), flush=True)
    if figures is not None:
        from leaktight.claims.figures import draw_all

        for path in draw_all(figures):
            print(f"drawn: {path}", file=sys.stderr)
    failed = [outcome for outcome in outcomes if not outcome.holds]
    if as_json:
        print_json([to_dict(outcome) for outcome in outcomes])
    elif claim is None:
        seconds = sum(outcome.seconds for outcome in outcomes)
        print(f"{len(outcomes)} claims in {seconds:.0f} s, {len(failed)} not as stated")
    return 1 if failed else 0
