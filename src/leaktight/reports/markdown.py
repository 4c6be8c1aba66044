"""The writer for Markdown: the words and numbers of a document, without pictures."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from leaktight.reports.document import (
    Advice,
    Block,
    Code,
    Document,
    Facts,
    Guessing,
    Notes,
    Paragraph,
    Section,
    Table,
    Verdict,
)
from leaktight.reports.wording import UNSEEN, rounded

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
"""What Markdown may take for more than a letter."""


def to_markdown(document: Document) -> str:
    """Return a document as Markdown.

    >>> print(to_markdown(Document("A vote", (Verdict("PASS: 1 < 2."), Code(("leaktight",))))))
    # A vote
    <BLANKLINE>
    PASS: 1 \\< 2.
    <BLANKLINE>
        leaktight
    <BLANKLINE>
    """
    parts = [f"# {plain(document.title)}", *_parts(document.blocks)]
    return "\n\n".join(parts).translate(UNSEEN) + "\n"


def plain(text: str) -> str:
    """Escape what Markdown would not show as it is."""
    return MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def _parts(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind in WRITERS:
            yield from WRITERS[block.kind](block)


def _section(section: Section) -> Iterator[str]:
    yield f"## {plain(section.title)}"
    yield from _parts(section.blocks)


def _verdict(block: Verdict) -> Iterator[str]:
    if block.headline:
        yield f"**{plain(block.headline)}**"
    yield plain(block.line)


def _advice(block: Advice) -> Iterator[str]:
    yield f"**{plain(block.name)}.** {plain(block.text)}"
    if block.line:
        yield "In the study:"
        yield f"    {block.line}"


def _paragraph(block: Paragraph) -> Iterator[str]:
    yield plain(block.text)


def _notes(block: Notes) -> Iterator[str]:
    yield from (f"> **Take care.** {plain(line)}" for line in block.lines)


def _facts(block: Facts) -> Iterator[str]:
    yield from _table(Table(("what", "value"), block.rows))


def _code(block: Code) -> Iterator[str]:
    yield "\n".join(f"    {' '.join(line.split())}" for line in block.lines)


def _guessing(found: Guessing) -> Iterator[str]:
    if not found.guessers:
        return
    rows = [[plain(one.who), *map(plain, one.chances)] for one in found.guessers]
    yield _grid(list(map(plain, (found.what, *found.when))), rows, "---:")
    for one in found.guessers:
        if one.text:
            yield f"**{plain(one.name)}.** {' '.join(map(plain, one.text))}"
        if one.values is not None:
            yield from _table(one.values)


def _table(table: Table) -> Iterator[str]:
    rows = [[plain(rounded(cell)) for cell in row] for row in table.rows]
    yield _grid(list(map(plain, table.head)), rows, "---")


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]], side: str) -> str:
    lines = [head, ["---", *([side] * (len(head) - 1))], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


WRITERS: dict[str, Callable[[Any], Iterator[str]]] = {
    "paragraph": _paragraph,
    "verdict": _verdict,
    "advice": _advice,
    "notes": _notes,
    "facts": _facts,
    "code": _code,
    "guessing": _guessing,
    "table": _table,
    "section": _section,
}
