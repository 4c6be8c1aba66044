"""Answers as they are handed over: printed, or written to a file, with progress on the way."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from leaktight.reports.document import Block, Document

PAGES = (".html", ".htm", ".md")
"""How the file of a report ends."""


def print_json(content: Any) -> None:
    """Print what machines read."""
    print(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


def float_up(value: Fraction) -> float:
    """Return the least float that is not below a number."""
    from leaktight.exact.numbers import rational
    from leaktight.exact.rounding import float_above

    return float_above(rational(value))


def float_down(value: Fraction) -> float:
    """Return the largest float that is not above a number."""
    return -float_up(-value)


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
        raise click.BadParameter(f"--report must end in .html or .md, got {report}")


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


PATIENCE = 2.0
"""After so many seconds Ctrl-C says what was done, even if nothing was finished."""


class Work:
    """What is being computed, what was finished, and what is left."""

    def __init__(self, show: Callable[[str], object], parts: Iterable[str] = ()) -> None:
        self.show, self.began = show, monotonic()
        self.finished: list[str] = []
        self.now: str | None = None
        self.all = list(parts)

    def __call__(self, what: str) -> None:
        """Say what is computed from now on; what was before is finished."""
        if self.now is not None:
            self.finished.append(self.now)
        self.now = what
        self.at("")

    def at(self, how_far: str) -> None:
        """Show what is computed, how far it is, and what is left."""
        what = self.now or "the beginning"
        left = self.all[self.all.index(what) + 1 :] if what in self.all else []
        then = f"; left: {', '.join(left[:3])}{', …' * (len(left) > 3)}" if left else ""
        place = f" ({self.all.index(what) + 1} of {len(self.all)})" if what in self.all else ""
        self.show(f"computing: {what}{place}{how_far and f', {how_far}'}{then}")

    def stopped(self) -> str | None:
        """Say what was done when somebody stopped it; nothing if it was nothing."""
        seconds = monotonic() - self.began
        later = self.all[self.all.index(self.now) :] if self.now in self.all else []
        finished = [each for each in self.finished if each not in later]  # who asked for this waits
        if not finished and seconds < PATIENCE:
            return None
        done = f"finished: {', '.join(finished)}" if finished else "nothing was finished"
        at = "" if self.now is None else f" at {self.now}"
        return f"stopped after {seconds:.0f} s{at}; {done}; no answer was written"


@contextmanager
def spinner(silent: bool, *parts: str) -> Iterator[Work]:
    """Show what is being computed, for how long and what is left, on a terminal.

    Whoever stops it is told what was finished.

    :param silent: whether nothing is shown
    :param parts: what will be computed, in this order
    """
    from leaktight.progress import listening

    shown = not silent and sys.stderr.isatty()
    with _status() if shown else nullcontext(_unheard) as show:
        work = Work(show, parts)
        try:
            with listening(work.at):
                yield work
        except KeyboardInterrupt:
            if said := work.stopped():
                print(f"leaktight: {said}", file=sys.stderr, flush=True)
            raise


def _unheard(what: str) -> None:
    pass


@contextmanager
def _status() -> Iterator[Callable[[str], object]]:
    """Show a line with a clock on a terminal, which goes away at the end."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=None)
        yield lambda what: progress.update(task, description=what)
