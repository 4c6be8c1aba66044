"""Releases of a table: count, spend, draw, store, and only then show.

What a release will cost is on the disk before its noise is drawn, and its numbers are there before
anybody sees them. A release that was stopped in between is paid for, and nobody has seen it: asked
again under its name, it is drawn then. One that was stored is never drawn again.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import RatioLike
from leaktight.exact.shown import counted
from leaktight.policies.policy import Policy
from leaktight.tables.calibration import Allowance, Noise, allowance, calibrated
from leaktight.tables.ledger import Entry, Ledger, Stored
from leaktight.tables.origin import Origin
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.queries import Answer, Block, TableQuery, distinct, written_number
from leaktight.tables.reading import Outside, Reading
from leaktight.tables.rows import Counted, count_rows
from leaktight.tables.writing import canonical, digest


@dataclass(frozen=True, slots=True, eq=False)
class TableRelease:
    """Released numbers: what a ledger has, as an object of numbers with nothing left to compute."""

    entry: Entry
    ledger: Ledger
    noise: Noise
    answers: tuple[Answer, ...]
    stored: Stored
    """What the ledger keeps: the numbers of each block."""
    warnings: tuple[str, ...] = ()
    """What was noticed when the table was read."""
    is_new: bool = True
    """Whether it was drawn and paid for now, and not taken from the ledger."""

    @property
    def what(self) -> str:
        """What was published, in a few words."""
        numbers = sum(len(answer.numbers) for answer in self.answers)
        kinds = dict.fromkeys(own.told() for own in self.noise.noises if own is not None)
        noise = f"with exact {' and '.join(kinds)}" if kinds else "without noise"
        return f"{counted(numbers, 'number', 'numbers')} {noise}"

    @property
    def bare(self) -> list[str]:
        """The queries with numbers that are the same for both values of every secret pair."""
        return [answer.name for answer in self.answers if 0 in answer.noises]

    def asked(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was asked and published, as a record has it."""
        numbers = {"hash": numbers_digest(numbers_of(self.answers))}
        return {"queries": queries_of(self.noise), "numbers": numbers}

    def __repr__(self) -> str:
        told = ", ".join(f"{each.name!r}: {len(each.numbers):,}" for each in self.answers)
        return f"TableRelease({self.entry.name!r}; numbers of {told})"

    def __getitem__(self, query: str) -> Answer:
        """Return the numbers of a query, by its name."""
        for answer in self.answers:
            if answer.name == query:
                return answer
        names = [answer.name for answer in self.answers]
        raise InvalidInput(f"the release has no query {query!r}; there are {names}")


def queries_of(noise: Noise) -> list[dict[str, Any]]:
    """Return what is asked, and with which noise, as a record has it."""
    return [
        {
            "name": block.name,
            "kind": block.query.kind,
            "numbers": block.weights.size,
            "weights hash": block.weights.digest,
            **({} if own is None else own.to_dict()),
        }
        for block, own in zip(noise.blocks, noise.noises, strict=True)
    ]


def numbers_of(answers: Iterable[Answer]) -> list[list[str]]:
    """Return what was published as texts: query, cell and number."""
    return [
        [answer.name, label, cell_text(written_number(number))]
        for answer in answers
        for label, number in zip(answer.labels, answer.numbers, strict=True)
    ]


def cell_text(cell: Any) -> str:
    """Return a cell as CSV has it; Parquet has whole numbers of any size as floats."""
    if cell is None:
        return ""
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)


def numbers_digest(rows: list[list[str]]) -> str:
    """Return a name that no other numbers have."""
    return digest(canonical(rows))


def release(
    source: Any,
    policy: Policy,
    queries: Iterable[TableQuery],
    *,
    name: str,
    ledger: str | Path,
    columns: Sequence[str] | str,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | Allowance = "geometric",
    table: str | None = None,
    person: str | None = None,
    rows_per_person: int = 1,
    keep: str | None = None,
    absent: Hashable | None = None,
    people: str | None = None,
    outside: Outside = None,
    cuts: Mapping[str, Sequence[Any]] | None = None,
    clamp: Sequence[str] = (),
    again: bool = False,
    rng: np.random.Generator | None = None,
) -> TableRelease:
    """Release noisy answers to some queries about a table, paid for from a ledger.

    ``source`` is a file that ends in .csv, .parquet or .duckdb, or a frame of pandas, polars,
    pyarrow, DuckDB, Ibis or Spark. ``columns`` hold the values of the policy: one, or several if
    its values are tuples. What the rows must be is told in :class:`Reading`. The noise is drawn
    exactly: geometric, and so wide that all queries together are private at the ratio, or with
    ``noise="gaussian"`` discrete Gaussian, within ``rho`` of zCDP, or ``epsilon`` and ``delta``.
    The ledger must have been made for this policy, by :meth:`Ledger.create`, and for the same
    ``people``: "change" (add/remove) if others may be in the next table, or "fixed" (replace).

    Asked again under the same ``name``, the same numbers come back, and nothing is spent. A file
    of another name, or one that was written since, is refused then: its numbers would not be those.
    With ``again`` the numbers that were drawn come back in any case, and the source is not looked
    at.

    >>> import polars
    >>> from tempfile import TemporaryDirectory
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.tables.queries import count_of, histogram
    >>> wages = polars.DataFrame({"band": ["low"] * 70 + ["middle"] * 20 + ["high"] * 10})
    >>> policy = Policy(SecretGraph.line(["low", "middle", "high"]), records=100)
    >>> asked = [histogram("by band"), count_of("well paid", ["high"])]
    >>> with TemporaryDirectory() as folder:
    ...     book = Path(folder) / "wages.ledger"
    ...     _ = Ledger.create(book, policy, ratio=16)
    ...     how = {"name": "2024", "ledger": book, "columns": "band", "ratio": 16}
    ...     done = release(wages, policy, asked, **how)
    ...     again = release(wages, policy, asked, **how)
    >>> done["by band"].numbers == again["by band"].numbers, len(done["by band"].numbers)
    (True, 3)
    >>> str(done.noise.level), done["by band"].kind
    ('16', 'ordered histogram')
    """
    expect(columns, Iterable, "name the columns that hold the values")
    named = (columns,) if isinstance(columns, str) else tuple(columns)
    reading = Reading(named, person, keep, outside, dict(cuts or {}), tuple(clamp))
    protection = PrivacyUnit(policy, absent, rows_per_person, people)
    asked = distinct(queries)
    costs: dict[str, Any] = {"ratio": ratio, "epsilon": epsilon, "rho": rho, "delta": delta}
    allowed = allowance(noise, queries=asked, **costs)
    made = calibrated(protection, asked, allowed, named)
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"a release needs a name of its own, got {name!r:.60}")
    book = Ledger.open(ledger, protection)
    question = question_of(made, reading, rng is not None)
    known = book.find(name)
    if known is not None:
        book.expect_same(known, question)
        if known.answered:
            stored = book.answer(known)
            if not again and stored.origin is not None:
                stored.origin.expect(Origin.of(source), name, known.time)
            return _told(known, book, made, stored, is_new=False)
    if again:
        raise InvalidInput(f"the ledger {book.name} has no numbers of a release {name!r} to show")
    for query in asked:
        query.expect_reading(reading)
    origin = Origin.of(source)  # before it is read: what is written meanwhile is noticed next time
    counts = count_rows(source, protection, reading, table)
    return publish(book, name, question, made, counts, origin, rng)


def publish(
    book: Ledger,
    name: str,
    question: str,
    noise: Noise,
    counts: Counted,
    origin: Origin | None = None,
    rng: np.random.Generator | None = None,
) -> TableRelease:
    """Spend, draw, store, and return what was stored: in this order, each on the disk first."""
    entry = book.spend(name, question, noise.paid)
    numbers = drawn(noise, counts, rng)
    stored = book.store(entry, Stored(numbers, counts.schema, origin=origin))
    return _told(entry, book, noise, stored, counts.warnings)


def drawn(
    noise: Noise, counts: Counted, rng: np.random.Generator | None
) -> tuple[tuple[int, ...], ...]:
    """Return the true numbers of each block with noise that was drawn for them alone."""
    return tuple(_drawn(block, noise, counts, rng) for block in noise.blocks)


def question_of(noise: Noise, reading: Reading, seeded: bool = False) -> str:
    """Return what is asked: queries as they are calibrated, and how rows are read."""
    queries = {block.query.name: block.query.to_dict() for block in noise.blocks}
    paid, units = noise.paid, [units for _, units in noise.paid.blocks]
    return canonical(
        {
            "queries": list(queries.values()),
            **_base(paid),
            **({} if set(units) == {1} else {"units": units}),
            "rows": reading.to_dict(),
            "randomness": "a generator for tests" if seeded else "the operating system",
        }
    )


def _base(paid: PrivacyLoss) -> dict[str, str]:
    """Return what the units of each block are of: ρ of Gaussian noise, or the step of geometric."""
    if paid.rhos:
        return {"rho": str(rational(paid.rho))}
    return {"step": str(rational(paid.steps.value))}


def _drawn(
    block: Block, noise: Noise, counts: Counted, rng: np.random.Generator | None
) -> tuple[int, ...]:
    """Return the true numbers of a block with their noise."""
    noises = noise.of(block)
    true = block.weights.answers(counts.counts)
    noisy = [i for i, each in enumerate(noises) if each is not None]
    if noisy and (own := noises[noisy[0]]) is not None:
        for i, extra in zip(noisy, own.draw(len(noisy), rng), strict=True):
            true[i] += extra
    return tuple(true)


def _told(
    entry: Entry,
    book: Ledger,
    noise: Noise,
    stored: Stored,
    warnings: tuple[str, ...] = (),
    is_new: bool = True,
) -> TableRelease:
    answers = noise.answers(stored.numbers)
    return TableRelease(entry, book, noise, answers, stored, warnings, is_new)
