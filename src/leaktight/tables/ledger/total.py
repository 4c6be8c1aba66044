"""What have all releases cost so far? A running total, so that a new one need not read them all.

It is kept with the link of the last entry that it covers, and a hash. If they do not match, it is
added up anew: it saves time, and nothing rests on it that the entries do not say.
"""

import json
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
from leaktight.exact.powers import Powers
from leaktight.exact.rounding import ln
from leaktight.tables.budget import Paid
from leaktight.tables.ledger.entry import Entry, read_weights
from leaktight.tables.ledger.store import Tables
from leaktight.tables.protection import Protection
from leaktight.tables.spent import Costs
from leaktight.tables.weights import Places
from leaktight.tables.writing import canonical, digest

MOST_NUMBERS = 2**20
"""The most exponents that are kept; beyond them, logarithms alone."""

WEIGHTS_AT_HAND = 16
"""Blocks of weights that several releases have in common often stand together."""


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """For each case its exponents of the first few steps, and of other steps their logarithms."""

    exponents: dict[Fraction, Places]
    rest: npt.NDArray[np.float64]
    terms: int = 0

    def plus(self, steps: Powers, exponents: Places) -> "Total":
        """Return it with one more release, or with several of the same weights."""
        known, other = dict(self.exponents), []
        more = 0 if self.rest.any() else max(1, MOST_NUMBERS // max(1, len(self.rest)))
        for step, times in steps.factors:
            if step in known or len(known) < more:
                known[step] = known.get(step, 0) + times * exponents
            else:
                other.append((step, times))
        rest = self.rest + exponents * Powers.of(*other).nats if other else self.rest
        return Total(known, rest, self.terms + 1)

    @property
    def near(self) -> npt.NDArray[np.float64]:
        """The logarithms of what each case has paid, nearly."""
        near = self.rest.copy()
        for step, exponents in self.exponents.items():
            near += exponents * ln(step)
        return near

    def write(self, file: Tables, last: Entry) -> None:
        """Keep it as that of all entries up to ``last``."""
        steps = canonical([str(rational(step)) for step in self.exponents])
        arrays = [e.astype("<i8").tobytes() for e in self.exponents.values()]
        numbers = zlib.compress(b"".join([*arrays, self.rest.astype("<f8").tobytes()]), 1)
        file.execute("DELETE FROM total")
        row = (last.number, steps, numbers, _link(last, steps, numbers))
        file.execute("INSERT INTO total VALUES (?, ?, ?, ?)", row)


def read_total(file: Tables, protection: Protection, entries: list[Entry]) -> Total:
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
    for steps, exponents in costs_of(file, protection, entries, np.arange(cases)):
        total = total.plus(steps, exponents)
    return replace(total, terms=len(entries))


def _link(last: Entry, steps: str, numbers: bytes) -> str:
    return digest(last.chain, steps, sha256(numbers).hexdigest())


def costs_of(
    file: Tables, protection: Protection, entries: Iterable[Entry], cases: Places
) -> Costs:
    """Yield what entries cost some of the cases; those of the same weights are taken together."""
    if protection.alike:
        cost = Powers.of(*((entry.step, entry.exponent) for entry in entries))
        yield cost, np.ones(len(cases), dtype=np.int64)
        return
    for paid in paid_by(file, entries):
        yield paid.steps, protection.exponents(paid, cases)


def paid_by(file: Tables, entries: Iterable[Entry]) -> Iterator[Paid]:
    """Yield what entries cost, those of the same weights together."""
    weights = lru_cache(WEIGHTS_AT_HAND)(lambda name: read_weights(file, name))
    alike: dict[tuple[tuple[str, int], ...], list[Fraction]] = {}
    for entry in entries:
        alike.setdefault(entry.blocks, []).append(entry.step)
    for blocks, steps in alike.items():
        known = tuple((weights(name), share) for name, share in blocks)
        yield Paid(Powers.of(*Counter(steps).items()), known)
