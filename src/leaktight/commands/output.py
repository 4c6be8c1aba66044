"""How is an answer handed over: printed, or written to a file, and what is shown on the way?"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from leaktight.reports.document import Block, Document

PAGES = (".html", ".htm", ".md")
"""How the file of a report ends."""


def print_json(content: Any) -> None:
    """Print what machines read."""
    print(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


def show(*what: "Document | Block") -> None:
    """Print a document, or blocks of one."""
    from leaktight.reports.document import Document
    from leaktight.reports.text import plain_text, to_text

    for each in what:
        print(to_text(each) if isinstance(each, Document) else plain_text(each))


def write_page(path: Path, document: "Document") -> None:
    """Write a document as the file's name ends: Markdown, or HTML."""
    from leaktight.reports import to_html, to_markdown

    write(path, (to_markdown if path.suffix.lower() == ".md" else to_html)(document))


def write(path: Path, text: str) -> None:
    """Write a text to a file."""
    from leaktight.files import new_file

    with new_file(path) as file:
        file.write(text)


def about_to_write(*paths: Path | None) -> None:
    """Before anything is computed: refuse a file that cannot be written, and say what is lost."""
    from leaktight.files import expect_writable

    for path in paths:
        if path is not None:
            expect_writable(path)
            if path.is_file():
                print(f"leaktight: {path} is there already and will be replaced", file=sys.stderr)


def expect_page(report: Path | None) -> None:
    """Refuse a report in a form that there is none of."""
    if report is not None and report.suffix.lower() not in PAGES:
        raise typer.BadParameter(f"--report must end in .html or .md, got {report}")


def expect_different(*named: tuple[str, Path | None]) -> None:
    """Refuse to write one file twice, or over one that is read."""
    from leaktight.errors import InvalidFile

    seen: dict[Path, str] = {}
    for name, path in named:
        if path is not None:
            other = seen.setdefault(path.resolve(), name)
            if other != name:
                raise InvalidFile(f"{other} and {name} must be two files, got {path} for both")


def print_proof(certificate: Path | None) -> None:
    """Say where a certificate was written, and how it is checked."""
    if certificate is not None:
        print(f"certificate: {certificate}  (leaktight verify {certificate})")


@contextmanager
def spinner(silent: bool) -> Iterator[Callable[[str], object]]:
    """Show what is being computed, on a terminal."""
    if silent or not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda what: status.update(f"computing: {what}")
