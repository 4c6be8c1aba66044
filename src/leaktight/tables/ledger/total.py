"""What have all releases cost so far? A running total, so that a new one need not read them all.

It is kept with the link of the last entry that it covers, and a hash. If they do not match, it is
added up anew: it saves time, and nothing rests on it that the entries do not say.
"""

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import ln
from leaktight.tables.budget import Paid
from leaktight.tables.ledger.entry import Entry, read_weights
from leaktight.tables.protection import Protection
from leaktight.tables.spent import Costs
from leaktight.tables.weights import Places
from leaktight.tables.writing import canonical, digest

MOST_NUMBERS = 2**20
"""The most exponents that are kept; beyond them, logarithms alone."""

WEIGHTS_AT_HAND = 16
"""Releases of the same weights and other steps often stand together."""


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """For each case its exponents of the first few steps, and of other steps their logarithms."""

    exponents: dict[Fraction, Places]
    rest: npt.NDArray[np.float64]
    terms: int = 0

    def plus(self, step: Fraction, exponents: Places) -> "Total":
        """Return it with one more release."""
        known, terms = self.exponents, self.terms + 1
        if step == 1:
            return replace(self, terms=terms)
        if step in known:
            return Total(known | {step: known[step] + exponents}, self.rest, terms)
        if not known or (len(known) + 1) * len(self.rest) <= MOST_NUMBERS:
            return Total(known | {step: exponents}, self.rest, terms)
        return Total(known, self.rest + exponents * ln(step), terms)

    @property
    def near(self) -> npt.NDArray[np.float64]:
        """The logarithms of what each case has paid, nearly."""
        near = self.rest.copy()
        for step, exponents in self.exponents.items():
            near += exponents * ln(step)
        return near

    def write(self, file: sqlite3.Connection, last: Entry) -> None:
        """Keep it as that of all entries up to ``last``."""
        steps = canonical([str(rational(step)) for step in self.exponents])
        arrays = [e.astype("<i8").tobytes() for e in self.exponents.values()]
        numbers = zlib.compress(b"".join([*arrays, self.rest.astype("<f8").tobytes()]), 1)
        file.execute("DELETE FROM total")
        row = (last.number, steps, numbers, _link(last, steps, numbers))
        file.execute("INSERT INTO total VALUES (?, ?, ?, ?)", row)


def read_total(file: sqlite3.Connection, protection: Protection, entries: list[Entry]) -> Total:
    """Return the total of all entries, which is added up anew if what is kept is not that."""
    cases = protection.accounts
    found = file.execute("SELECT number, steps, numbers, chain FROM total").fetchone()
    if found is not None and entries:
        number, steps, numbers, chain = found
        readable = isinstance(steps, str) and isinstance(numbers, bytes)
        if readable and (number, chain) == (len(entries), _link(entries[-1], steps, numbers)):
            names = [fraction(rational(step)) for step in json.loads(steps)]
            content = zlib.decompress(numbers)
            exact = np.frombuffer(content, "<i8", len(names) * cases).reshape(len(names), cases)
            rest = np.frombuffer(content, "<f8", offset=exact.nbytes)
            return Total(dict(zip(names, exact, strict=True)), rest, number)
    total = Total({}, np.zeros(cases))
    for step, exponents in costs_of(file, protection, entries, np.arange(cases)):
        total = total.plus(step, exponents)
    return replace(total, terms=len(entries))


def _link(last: Entry, steps: str, numbers: bytes) -> str:
    return digest(last.chain, steps, sha256(numbers).hexdigest())


def costs_of(
    file: sqlite3.Connection, protection: Protection, entries: Iterable[Entry], cases: Places
) -> Costs:
    """Yield what entries cost some of the cases; those that cost the same are taken together."""
    if protection.counts is not None:
        for entry in entries:
            yield entry.step, np.array([entry.exponent])[cases]
        return
    for paid, times in paid_by(file, entries):
        yield paid.step, times * protection.exponents(paid, cases)


def paid_by(file: sqlite3.Connection, entries: Iterable[Entry]) -> Iterator[tuple[Paid, int]]:
    """Yield what entries cost, and how many cost the same."""
    weights = lru_cache(WEIGHTS_AT_HAND)(lambda name: read_weights(file, name))
    alike = Counter((entry.step, entry.blocks) for entry in entries)
    for (step, blocks), times in alike.items():
        yield Paid(step, tuple((weights(name), share) for name, share in blocks)), times
