"""Scripts with which a shell completes words, shown or installed."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

STARTED = {"bash": ".bashrc", "zsh": ".zshrc"}
"""What a shell reads when it starts, in the home of its user; fish has a folder of its own."""


def script(shell: str) -> str:
    """Return what completes words in a shell; in that of the user if it has no name."""
    shell = _named(shell)
    found = get_completion_class(shell)
    if found is None:
        raise click.BadParameter(
            f"completion is for bash, zsh or fish, as in --show-completion bash, got {shell[:60]!r}"
        )
    from leaktight.commands.app import COMPLETE, app

    return found(app, {}, "leaktight", COMPLETE).source()


def install(shell: str) -> str:
    """Write the script where a shell finds it, and say where that is."""
    shell = _named(shell)
    text, home = script(shell), Path.home()
    if shell == "fish":
        place = home / ".config" / "fish" / "completions" / "leaktight.fish"
    else:
        place = home / ".local" / "share" / "leaktight" / f"complete.{shell}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    if shell in STARTED:
        read, line = home / STARTED[shell], f". {place}\n"
        before = read.read_text("utf-8") if read.exists() else ""
        if line not in before:
            with read.open("a", encoding="utf-8") as file:
                file.write(f"\n{line}")
    return f"completion for {shell} is in {place}; start the shell again"


def _named(shell: str) -> str:
    return shell or Path(os.environ.get("SHELL", "")).name
