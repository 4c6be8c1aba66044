"""The command line: which commands there are, and how each ends.

Exit codes: 0 if all is well, 1 if a policy or a claim is violated, and for nothing else; 2 on bad
input, with one line; 70 on a mistake of leaktight's own; 130 if the user stops it, 141 if nobody
reads the answer.
"""

import os
import platform
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

import click

from leaktight.errors import LeaktightError, spelling

COMMANDS = {
    "audit": "study", "explore": "explore", "explain": "person", "choose": "person",
    "bound": "graph", "design": "graph", "decide": "graph", "repeat": "channel", "leak": "measure",
    "program": "measure", "compare": "measure", "estimate": "measure", "attack": "attack",
    "release": "table", "ledger": "table", "risk": "risk", "protect": "protect",
    "verify": "proof", "sample": "channel", "reproduce": "proof",
}  # fmt: skip
"""The commands, in the order of the help, and the module of each, loaded when it is asked for."""

WRONG, DEFECT, STOPPED, CLOSED = 2, 70, 130, 141
"""The exit codes for bad input, for a mistake of ours (as in sysexits.h), if the user stops a
command, and if nobody reads the answer (as a shell has them)."""

TRACEBACK = "LEAKTIGHT_TRACEBACK"
"""The environment variable with which a mistake of ours shows all that is known of it."""

COMPLETE = "_LEAKTIGHT_COMPLETE"
"""The environment variable with which a shell asks for words."""

LONGEST = 400
"""The most letters of a line that says what is wrong; of a longer one the middle is left out."""

RENAMED = {
    "risk": {
        "--known": "--quasi-identifiers",
        "--secret": "--sensitive",
        "--partly": "--known-share",
        "--then": "--later-release",
    }
}
"""What options of a command were called before."""


Function = TypeVar("Function", bound=Callable[..., Any])


class Commands(click.Group):
    """The commands, of which each is loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = getattr(
            import_module(f"leaktight.commands.{COMMANDS[cmd_name]}"), cmd_name
        )
        return found


def _version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from leaktight import __version__

        print(f"leaktight {__version__}")
        ctx.exit()


def _completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    if shell is not None:
        from leaktight.commands.completion import install, script

        print(install(shell) if param.name == "install_completion" else script(shell))
        ctx.exit()


def _eager(name: str, text: str, **more: Any) -> Callable[[Function], Function]:
    """Return an option that is answered before any command."""
    return click.option(name, is_eager=True, expose_value=False, help=text, **more)


SHELL: dict[str, Any] = {
    "is_flag": False, "flag_value": "", "metavar": "[SHELL]", "callback": _completion
}  # fmt: skip
"""What an option for completion has: bash, zsh or fish, or the shell of the user."""


@click.command(
    cls=Commands,
    name="leaktight",
    context_settings={
        "show_default": True, "max_content_width": 80, "token_normalize_func": spelling
    },
)  # fmt: skip
@_eager("--version", "Print the version.", is_flag=True, callback=_version)
@_eager("--install-completion", "Install completion for this shell, or for that one.", **SHELL)
@_eager("--show-completion", "Print what completes words in this shell, or in that.", **SHELL)
def app() -> None:
    """How much does a release of data leak? Exact answers, with proofs."""


def main() -> NoReturn:
    """Run a command; whatever is wrong with its input is said in one line."""
    _open_streams()
    try:
        words = sys.argv[1:] or ["--help"]
        if COMPLETE in os.environ:
            app.main(prog_name="leaktight", complete_var=COMPLETE)
        with app.make_context("leaktight", words) as context:  # main would write to stderr, too
            code = app.invoke(context) or 0
        sys.stdout.flush()
    except BaseException as wrong:
        code = _told(wrong)
    for stream in (sys.stdout, sys.stderr):
        _close(stream)
    sys.exit(code)


def _open_streams() -> None:
    """Give a stream that was closed somewhere to go, and one with few letters other ones."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):  # λ and ε must not stop a terminal that has none
            stream.reconfigure(errors="replace")


def _close(stream: TextIO) -> None:
    """Write what is left; if nobody takes it, it goes nowhere, or Python would leave with 120."""
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _told(wrong: BaseException) -> int:
    """Say in one line why a command ended, and return its exit code."""
    match wrong:
        case LeaktightError():
            return _said(str(wrong))
        case click.ClickException():
            asked = getattr(wrong, "ctx", None)  # which command it was, if it came as far as one
            command = asked.command_path if asked else "leaktight"
            why = wrong.format_message()
            old = str(getattr(wrong, "option_name", ""))
            if asked and (new := RENAMED.get(asked.command.name, {}).get(old)):
                why = f"{old} is {new} now"
            return _said(f"{why} ({command} --help)")
        case MemoryError():
            return _said("there is not enough memory for this; ask for something smaller")
        case click.exceptions.Exit():
            return wrong.exit_code
        case KeyboardInterrupt():
            return STOPPED
        case BrokenPipeError():
            return CLOSED
        case OSError():
            why = wrong.strerror or type(wrong).__name__
            return _said(f"{wrong.filename or 'the output'} cannot be used: {why}")
        case SystemExit(code=int(code)):
            return code
    return _said(_defect(wrong), DEFECT)


def _defect(wrong: BaseException) -> str:
    """Say where a mistake of ours is; what it says itself may be somebody's data, and is left out.

    >>> try:
    ...     int("secret")
    ... except ValueError as wrong:
    ...     "ValueError" in _defect(wrong), "secret" in _defect(wrong)
    (True, False)
    """
    from leaktight import __version__

    if os.environ.get(TRACEBACK):
        traceback.print_exception(wrong)
    frames = traceback.extract_tb(wrong.__traceback__)
    own = Path(__file__).parents[1]
    ours = [frame for frame in frames if own in Path(frame.filename).parents] or frames
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
    return (
        f"a mistake of leaktight's own, {type(wrong).__name__} at {place}, and no answer; please "
        f"report it with this line, the command and its input, if that may be seen "
        f"(leaktight {__version__}, Python {platform.python_version()}, {platform.system()}; "
        f"{TRACEBACK}=1 shows where it was, with data of yours perhaps)"
    )


def _said(text: str, code: int = WRONG) -> int:
    """Say one line, if anybody reads it, and return an exit code."""
    line = " ".join(text.split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    with suppress(OSError):
        print(f"leaktight: {line}", file=sys.stderr, flush=True)
    return code
