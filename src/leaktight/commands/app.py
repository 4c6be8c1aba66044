"""What can be asked on the command line?

Exit codes: 0 if all is well, 1 if a policy or a claim is violated, 2 on bad input, with one line.
"""

import os
import sys
from typing import Annotated, NoReturn

import typer

from leaktight.commands.channel import repeat, sample
from leaktight.commands.explore import explore
from leaktight.commands.graph import bound, decide, design
from leaktight.commands.measure import compare, estimate, leak, program
from leaktight.commands.person import choose, explain
from leaktight.commands.proof import reproduce, verify
from leaktight.commands.risk import risk
from leaktight.commands.study import audit
from leaktight.commands.table import ledger, release

CLOSED = 141
"""The exit code if nobody reads the answer, as a shell has it for a closed pipe."""

STOPPED = 130
"""The exit code if the user stops a command, as a shell has it."""

LONGEST = 400
"""The most letters of a line that says what is wrong; of a longer one the middle is left out."""

app = typer.Typer(
    name="leaktight",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (
    audit, explore, explain, choose, bound, design, decide, repeat, leak, program, compare,
    estimate, release, ledger, risk, verify, sample, reproduce,
):  # fmt: skip
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        from leaktight import __version__

        print(f"leaktight {__version__}")
        raise typer.Exit


@app.callback()
def version_option(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """How much does a release of data leak? Exact answers, with proofs."""


def main() -> NoReturn:
    """Run a command; whatever is wrong with its input is said in one line."""
    from typer.exceptions import TyperException

    from leaktight.errors import LeaktightError

    if sys.stdout is None:  # it was closed before the start
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # λ and ε must not stop a terminal that has none
            stream.reconfigure(errors="replace")
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="leaktight", standalone_mode=False)
        sys.stdout.flush()
    except LeaktightError as wrong:
        _fail(str(wrong))
    except TyperException as wrong:
        asked = getattr(wrong, "ctx", None)  # which command it was, if it came as far as one
        _fail(f"{wrong.format_message()} ({asked.command_path if asked else 'leaktight'} --help)")
    except MemoryError:
        _fail("there is not enough memory for this; ask for something smaller")
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (nobody reads what is left)
        sys.exit(CLOSED)
    except SystemExit as left:  # typer leaves with 1 if nobody reads, which would be a violation
        sys.exit(CLOSED if isinstance(left.__context__, BrokenPipeError) else left.code)
    except OSError as wrong:
        _fail(f"{wrong.filename or 'the output'} cannot be used: {wrong.strerror}")
    except typer.Abort:
        sys.exit(STOPPED)
    sys.exit(code or 0)


def _fail(text: str) -> NoReturn:
    line = " ".join(text.split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    print(f"leaktight: {line}", file=sys.stderr)
    sys.exit(2)
