"""The writer for terminals: a document as text of at most 80 columns."""

from collections.abc import Callable, Iterator
from typing import Any

from leaktight.exact.shown import NARROWEST, width, wrapped
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
from leaktight.reports.wording import Cell, rounded

CLOSE = ("paragraph", "verdict", "advice")
"""The blocks before which there is no empty line, and after which none is before a note."""

LEAST_ROOM = 12
"""The fewest letters that names have beside their numbers in a table."""


def to_text(document: Document) -> str:
    """Return a document as text; what needs a page, such as a chart, is left out.

    >>> blocks = Verdict("PASS: all is well."), Notes(("Mind the gap.",))
    >>> print(to_text(Document("A vote", blocks)))
    A vote
    ======
    PASS: all is well.
    ! Mind the gap.
    """
    title = _paragraph(document.title)
    lines, before = [*title, "=" * max(map(len, title))], "verdict"
    for block in document.blocks:
        own = list(_lines(block))
        if own:
            close = block.kind in CLOSE or (block.kind == "notes" and before in CLOSE)
            lines += own if close else ["", *own]
            before = block.kind
    return "\n".join(lines)


def plain_text(*blocks: Block) -> str:
    """Return blocks as text, without a heading and without empty lines between them."""
    return "\n".join(line for block in blocks for line in _lines(block))


def _lines(block: Block) -> Iterator[str]:
    if block.kind in WRITERS:
        yield from WRITERS[block.kind](block)


def _section(section: Section) -> Iterator[str]:
    """Yield a heading and what is below it, without empty lines."""
    yield section.title
    for block in section.blocks:
        yield from _lines(block)


def _verdict(block: Verdict) -> list[str]:
    return _paragraph(block.line)


def _advice(block: Advice) -> list[str]:
    line = f" In the study: {block.line}" if block.line else ""
    return _paragraph(f"{block.name}: {block.text}{line}")


def _sentences(block: Paragraph) -> list[str]:
    return _paragraph(block.text, block.indent)


def _notes(block: Notes) -> list[str]:
    return [line for told in block.lines for line in _paragraph(f"! {told}", "  ")]


def _code(block: Code) -> list[str]:
    return [f"  {line}" for line in block.lines]


def _facts(block: Facts) -> Iterator[str]:
    wide = max((len(name) for name, _ in block.rows), default=0)
    for name, value in block.rows:
        yield from _paragraph(f"{name:<{wide}}  {value}", " " * (wide + 2))


def _table(table: Table) -> Iterator[str]:
    """Yield a table in lines: numbers to the right, names in the room that is left."""
    cells = [table.head, *(tuple(map(_short, row)) for row in table.rows)]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = width() - 2 - sum(wide[1:]) - 2 * (len(wide) - 1)
    narrow = room < min(wide[0], LEAST_ROOM)  # a name stands above its numbers then
    for row in cells:
        rest = "".join(f"  {cell:>{w}}" for cell, w in zip(row[1:], wide[1:], strict=True))
        if narrow:
            yield from (f"  {line}" for line in _paragraph(row[0], "  ", width() - 2))
            yield from [rest.rstrip()] * bool(rest.strip())
            continue
        *above, last = wrapped(row[0], "  ", room=room).splitlines() or [""]
        yield from (f"  {line}" for line in above)
        yield f"  {last:<{min(wide[0], room)}}{rest}".rstrip()


def _short(cell: Cell) -> str:
    return rounded(cell).replace("less than ", "< ").replace("more than ", "> ")


def _guessing(found: Guessing) -> Iterator[str]:
    """Yield a table of who guesses right before and after, and then what it rests on."""
    if not found.guessers:
        return
    columns = list(zip(found.when, *(one.chances for one in found.guessers), strict=True))
    widths = [max(map(len, column)) for column in columns]
    room = width() - sum(widths) - 2 * len(widths)
    head = _paragraph(found.what, "  ", max(room, NARROWEST // 2))
    names = max([len(head[-1]), *(len(one.who) + 2 for one in found.guessers)])
    yield from head[:-1]
    for name, cells in [
        (head[-1], found.when),
        *((f"  {g.who}", g.chances) for g in found.guessers),
    ]:
        row = "".join(f"  {cell:>{wide}}" for cell, wide in zip(cells, widths, strict=True))
        if names + len(row) <= width():
            yield f"{name:<{names}}{row}"
        else:
            yield from [*_paragraph(name, "  "), row]
    for one in found.guessers:
        if one.text:
            yield from ["", *_paragraph(f"{one.name}:")]
        for sentence in one.text:
            yield from _paragraph(f"  {sentence}", "  ")
        if one.values is not None:
            yield from _table(one.values)


def _paragraph(words: str, indent: str = "", room: int | None = None) -> list[str]:
    return wrapped(words, indent, room=room).splitlines()


WRITERS: dict[str, Callable[[Any], Any]] = {
    "paragraph": _sentences,
    "verdict": _verdict,
    "advice": _advice,
    "notes": _notes,
    "facts": _facts,
    "code": _code,
    "guessing": _guessing,
    "table": _table,
    "section": _section,
}
