"""Entries of a ledger, one for each release.

Entries are chained by hashes: one that was changed is found. That none is missing, nor an answer,
is for the history.
"""

import json
import zlib
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from msgspec import Struct

from leaktight.errors import InvalidFile
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.powers import Powers
from leaktight.tables.ledger.store import Tables
from leaktight.tables.measure import Lost
from leaktight.tables.origin import Origin
from leaktight.tables.weights import CHANGED, Weights
from leaktight.tables.writing import canonical, digest


class Entry(Struct, frozen=True):
    """A release in a ledger: what it asked, what it cost, and whether its numbers were drawn."""

    number: int
    name: str
    time: str
    question: str
    """What was asked, as JSON."""
    step: Fraction
    """r of geometric noise; 1 if the noise is Gaussian."""
    blocks: tuple[tuple[str, int], ...]
    """For each block the digest of its weights, and its units."""
    exponent: int
    """The largest e of any secret pair: it costs that pair r^e, or of Gaussian noise e times ρ."""
    rho: Fraction = Fraction(0)
    """ρ of Gaussian noise for e = 1; 0 if the noise is geometric."""
    chain: str = ""
    answer: str = ""
    """The hash of its numbers; empty if none were drawn."""

    @property
    def answered(self) -> bool:
        """Whether its numbers were drawn; if not, nobody has seen any."""
        return bool(self.answer)

    @property
    def queries(self) -> list[str]:
        """The names of what was asked."""
        return [query["name"] for query in json.loads(self.question)["queries"]]

    @property
    def cost(self) -> Lost:
        """What it costs the pair that pays most for it: the ratio, or ρ of Gaussian noise."""
        return self.rho * self.exponent if self.rho else Powers.of((self.step, self.exponent))

    def row(self) -> tuple[Any, ...]:
        """Return it as a row of its table, without the link of the chain."""
        blocks = canonical([list(block) for block in self.blocks])
        step = f"{GAUSSIAN}{rational(self.rho)}" if self.rho else str(rational(self.step))
        return (self.number, self.name, self.time, self.question, step, blocks, self.exponent)

    def link(self, before: str) -> str:
        """Return its link of the chain."""
        return digest(before, *map(str, self.row()))


GAUSSIAN = "gaussian, rho "
"""What stands before ρ where geometric noise has its step."""

MOST_ALIKE = 256
"""How many different steps and blocks are kept: those of many releases are the same."""

COLUMNS = (int, str, str, str, str, str, int, str)
"""What the columns of an entry hold."""


def verified_entries(file: Tables, first: str) -> list[Entry]:
    """Return the entries, the first first; those that were changed are refused."""
    answers = dict(file.execute("SELECT number, chain FROM answer"))
    last, found = first, []
    for place, row in enumerate(
        file.execute(
            "SELECT number, name, time, question, step, blocks, exponent, chain FROM entry "
            "ORDER BY number"
        ),
        1,
    ):
        if tuple(map(type, row)) != COLUMNS or row[0] != place:
            raise _changed(place)
        _, name, time, question, step, blocks, exponent, chain = row
        last = digest(last, str(place), name, time, question, step, blocks, str(exponent))
        if chain != last:
            raise _changed(place)
        answered = place in answers
        answer = answers.pop(place, "")
        if answered and not (isinstance(answer, str) and answer):
            raise InvalidFile(f"the ledger was changed at the answer {place}")
        found.append(_read(row, answer))
    if answers:
        raise InvalidFile("the ledger was changed: it has an answer without an entry")
    return found


def _read(row: tuple[Any, ...], answer: str) -> Entry:
    number, name, time, question, step, blocks, exponent, chain = row
    try:
        used, (exactly, rho) = _blocks(blocks), _step(step)
    except (ValueError, TypeError, ZeroDivisionError):
        raise _changed(number) from None
    return Entry(number, name, time, question, exactly, used, exponent, rho, chain, answer)


@lru_cache(MOST_ALIKE)
def _blocks(written: str) -> tuple[tuple[str, int], ...]:
    return tuple((str(name), int(share)) for name, share in json.loads(written))


@lru_cache(MOST_ALIKE)
def _step(written: str) -> tuple[Fraction, Fraction]:
    """Return the step of geometric noise, and ρ of Gaussian noise: one of them is nothing."""
    if written.startswith(GAUSSIAN):
        return Fraction(1), fraction(rational(written.removeprefix(GAUSSIAN)))
    return fraction(rational(written)), Fraction(0)


def _changed(number: int) -> InvalidFile:
    return InvalidFile(f"the ledger was changed at its entry {number}")


@dataclass(frozen=True, slots=True)
class Stored:
    """What a ledger keeps of a release that was drawn."""

    numbers: tuple[tuple[int, ...], ...]
    """The numbers of each block."""
    schema: tuple[tuple[str, str], ...]
    """The columns that were read, and their types."""
    file: str = ""
    """The hash of the file, where every row was published."""
    origin: Origin | None = None
    """What it was drawn from; None of an earlier version."""


def write_answer(file: Tables, entry: Entry, stored: Stored) -> str:
    """Keep the numbers of an entry, and return their hash."""
    content = {"numbers": stored.numbers, "schema": stored.schema, "file": stored.file}
    if stored.origin is not None:
        content["origin"] = stored.origin.to_list()
    text = canonical(content)
    link = digest(entry.chain, text)
    row = (entry.number, zlib.compress(text.encode()), link)
    file.execute("INSERT INTO answer VALUES (?, ?, ?)", row)
    return link


def read_answer(file: Tables, entry: Entry) -> Stored:
    """Return the numbers of an entry, which must be as they were stored."""
    try:
        [(content,)] = file.execute(
            "SELECT numbers FROM answer WHERE number = ?", (entry.number,)
        ).fetchall()
        text = zlib.decompress(content).decode()
        if entry.answer != digest(entry.chain, text):
            raise ValueError
        content = json.loads(text)
        numbers, schema = (tuple(map(tuple, content[key])) for key in ("numbers", "schema"))
        origin = Origin(*content["origin"]) if "origin" in content else None
        return Stored(numbers, schema, str(content["file"]), origin)
    except (ValueError, TypeError, KeyError, zlib.error):
        raise InvalidFile(f"the ledger was changed at the answer {entry.number}") from None


def read_weights(file: Tables, name: str) -> Weights:
    """Return the weights of a digest."""
    found = file.execute(
        "SELECT shape, size, places FROM weights WHERE digest = ?", (name,)
    ).fetchone()
    if found is None:
        raise InvalidFile(CHANGED)
    shape, size, places = found
    return Weights.unpacked(shape, size, places, name)
