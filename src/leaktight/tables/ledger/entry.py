"""What does a ledger say of one release?

Entries are chained by hashes: one that was changed or taken out is found.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leaktight.errors import InvalidFile
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.powers import Powers
from leaktight.tables.weights import CHANGED, Weights
from leaktight.tables.writing import canonical, digest


@dataclass(frozen=True, slots=True)
class Entry:
    """A release in a ledger: what it asked, what it cost, and whether its numbers were drawn."""

    number: int
    name: str
    time: str
    question: str
    """What was asked, as JSON."""
    step: Fraction
    blocks: tuple[tuple[str, int], ...]
    """For each block the digest of its weights, and its share."""
    exponent: int
    """The largest e of any secret pair: it costs that pair r^e, where r is the step."""
    chain: str = ""
    answered: bool = False
    """If not, nobody has seen any numbers."""

    @property
    def queries(self) -> list[str]:
        """The names of what was asked."""
        return [query["name"] for query in json.loads(self.question)["queries"]]

    @property
    def cost(self) -> Powers:
        """What it costs the pair that pays most for it."""
        return Powers.of((self.step, self.exponent))

    def row(self) -> tuple[Any, ...]:
        """Return it as a row of its table, without the link of the chain."""
        blocks = canonical([list(block) for block in self.blocks])
        step = str(rational(self.step))
        return (self.number, self.name, self.time, self.question, step, blocks, self.exponent)

    def link(self, before: str) -> str:
        """Return its link of the chain."""
        return digest(before, *map(str, self.row()))


def read_entries(file: sqlite3.Connection, name: str | None = None) -> Iterator[Entry]:
    """Yield the entries, the first first, or that of a name alone."""
    where, named = ("", ()) if name is None else ("WHERE name = ?", (name,))
    for number, called, time, question, step, blocks, most, chain, answered in file.execute(
        "SELECT entry.*, answer.number IS NOT NULL FROM entry LEFT JOIN answer USING (number) "
        f"{where} ORDER BY number",
        named,
    ):
        try:
            used = tuple((str(name), int(share)) for name, share in json.loads(blocks))
            exactly = fraction(rational(step))
        except (ValueError, TypeError, ZeroDivisionError):
            raise InvalidFile(f"the ledger was changed at its entry {number}") from None
        yield Entry(number, called, time, question, exactly, used, most, chain, bool(answered))


def verified_entries(file: sqlite3.Connection, first: str) -> list[Entry]:
    """Return the entries; those that were changed or taken out are refused."""
    last, found = first, []
    for number, entry in enumerate(read_entries(file), 1):
        last = entry.link(last)
        if entry.number != number or entry.chain != last:
            raise InvalidFile(f"the ledger was changed at its entry {number}")
        found.append(entry)
    if file.execute(
        "SELECT 1 FROM answer WHERE number NOT IN (SELECT number FROM entry)"
    ).fetchone():
        raise InvalidFile("the ledger was changed: it has an answer without an entry")
    return found


@dataclass(frozen=True, slots=True)
class Stored:
    """What a ledger keeps of a release that was drawn."""

    numbers: tuple[tuple[int, ...], ...]
    """The numbers of each block."""
    schema: tuple[tuple[str, str], ...]
    """The columns that were read, and their types."""
    file: str = ""
    """The hash of the file, where every row was published."""


def write_answer(file: sqlite3.Connection, entry: Entry, stored: Stored) -> None:
    """Keep the numbers of an entry."""
    text = canonical({"numbers": stored.numbers, "schema": stored.schema, "file": stored.file})
    row = (entry.number, zlib.compress(text.encode()), digest(entry.chain, text))
    file.execute("INSERT INTO answer VALUES (?, ?, ?)", row)


def read_answer(file: sqlite3.Connection, entry: Entry) -> Stored:
    """Return the numbers of an entry, which must be as they were stored."""
    try:
        [(content, link)] = file.execute(
            "SELECT numbers, chain FROM answer WHERE number = ?", (entry.number,)
        ).fetchall()
        text = zlib.decompress(content).decode()
        if link != digest(entry.chain, text):
            raise ValueError
        content = json.loads(text)
        numbers, schema = (tuple(map(tuple, content[key])) for key in ("numbers", "schema"))
        return Stored(numbers, schema, str(content["file"]))
    except (ValueError, TypeError, KeyError, zlib.error):
        raise InvalidFile(f"the ledger was changed at the answer {entry.number}") from None


def read_weights(file: sqlite3.Connection, name: str) -> Weights:
    """Return the weights of a digest."""
    found = file.execute(
        "SELECT shape, size, places FROM weights WHERE digest = ?", (name,)
    ).fetchone()
    if found is None:
        raise InvalidFile(CHANGED)
    shape, size, places = found
    return Weights.unpacked(shape, size, places, name)
