"""How is an answer handed over: printed, or written to a file, and what is shown on the way?"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def print_json(content: Any) -> None:
    """Print what machines read."""
    print(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


def write(path: Path, text: str) -> None:
    """Write a text to a file."""
    from leaktight.errors import InvalidFile

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot be written: {wrong.strerror}") from None


def expect_writable(*paths: Path | None) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    from leaktight.errors import InvalidFile

    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise InvalidFile(f"{path} cannot be written: it is a folder")
        if not path.parent.is_dir():
            raise InvalidFile(f"{path} cannot be written: there is no folder {path.parent}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise InvalidFile(f"{path} cannot be written: permission denied")


def expect_different(*named: tuple[str, Path | None]) -> None:
    """Refuse to write one file twice, or over one that is read."""
    from leaktight.errors import InvalidFile

    seen: dict[Path, str] = {}
    for name, path in named:
        if path is not None:
            other = seen.setdefault(path.resolve(), name)
            if other != name:
                raise InvalidFile(f"{other} and {name} must be two files, got {path} for both")


@contextmanager
def spinner(silent: bool) -> Iterator[Callable[[str], object]]:
    """Show what is being computed, on a terminal."""
    if silent or not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda what: status.update(f"computing: {what}")
