"""The running total of all releases, so that a new one need not read them all.

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

from leaktight.errors import TooLarge
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.powers import Powers
from leaktight.tables.ledger.entry import Entry, read_weights
from leaktight.tables.ledger.history import Contents
from leaktight.tables.ledger.store import Tables
from leaktight.tables.measure import PURE, Charges, Measure
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.weights import Places
from leaktight.tables.writing import canonical, digest

MOST_NUMBERS = 2**20
"""The most exponents that are kept; beyond them, logarithms alone."""

LARGEST_TOTAL = 2**62
"""The largest number of times that a key is paid."""

WEIGHTS_AT_HAND = 16
"""Blocks of weights that several releases have in common often stand together."""


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """How often each case has paid the first few keys, and what it paid for others, nearly."""

    measure: Measure
    exponents: dict[Fraction, Places]
    rest: npt.NDArray[np.float64]
    terms: int = 0

    def plus(self, charges: Charges) -> "Total":
        """Return it with one more release, or with several of the same weights."""
        known, rest, terms = dict(self.exponents), self.rest, self.terms
        for keys, exponents in charges:
            more = 0 if rest.any() else max(1, MOST_NUMBERS // max(1, len(rest)))
            other = []
            for key, times in keys:
                if key in known or len(known) < more:
                    known[key] = _sum(known.get(key), times, exponents)
                else:
                    other.append((key, times))
            rest = rest + exponents * self.measure.near(tuple(other)) if other else rest
            terms += 1
        return Total(self.measure, known, rest, terms)

    @property
    def near(self) -> npt.NDArray[np.float64]:
        """What each case has paid, nearly."""
        near = self.rest.copy()
        for key, exponents in self.exponents.items():
            near += exponents * self.measure.near(((key, 1),))
        return near

    def write(self, file: Tables, last: Entry) -> None:
        """Keep it as that of all entries up to ``last``."""
        steps = canonical([str(rational(step)) for step in self.exponents])
        arrays = [e.astype("<i8").tobytes() for e in self.exponents.values()]
        numbers = zlib.compress(b"".join([*arrays, self.rest.astype("<f8").tobytes()]), 1)
        file.execute("DELETE FROM total")
        row = (last.number, steps, numbers, _link(last, steps, numbers))
        file.execute("INSERT INTO total VALUES (?, ?, ?, ?)", row)


def read_total(file: Tables, protection: PrivacyUnit, held: Contents, measure: Measure) -> Total:
    """Return the total of all entries, which is added up anew if what is kept is not that."""
    cases, entries = protection.accounts, held.entries
    found = file.execute("SELECT number, steps, numbers, chain FROM total").fetchone()
    if found is not None and entries:
        number, steps, numbers, chain = found
        readable = isinstance(steps, str) and isinstance(numbers, bytes)
        if readable and (number, chain) == (len(entries), _link(entries[-1], steps, numbers)):
            names = [fraction(rational(step)) for step in json.loads(steps)]
            content = zlib.decompress(numbers)
            exact = np.frombuffer(content, "<i8", len(names) * cases).reshape(len(names), cases)
            rest = np.frombuffer(content, "<f8", offset=exact.nbytes)
            known = dict(zip(names, exact, strict=True))
            return Total(measure, known, rest, held.terms)
    return added_up(file, protection, held, measure)


def added_up(file: Tables, protection: PrivacyUnit, held: Contents, measure: Measure) -> Total:
    """Return what all entries cost, in any measure, from what they say."""
    total = Total(measure, {}, np.zeros(protection.accounts))
    cases = np.arange(protection.accounts)
    total = total.plus(costs_of(file, protection, held.entries, cases, measure))
    return replace(total, terms=held.terms)


def _sum(before: Places | None, times: int, exponents: Places) -> Places:
    """Return what is paid with some more; in 64 bits, or not at all."""
    most = times * int(exponents.max(initial=0))
    most += 0 if before is None else int(before.max(initial=0))
    if most >= LARGEST_TOTAL:
        raise TooLarge("the releases are too many, or of too large a unit, to be added up")
    return times * exponents if before is None else before + times * exponents


def _link(last: Entry, steps: str, numbers: bytes) -> str:
    return digest(last.chain, steps, sha256(numbers).hexdigest())


def costs_of(
    file: Tables,
    protection: PrivacyUnit,
    entries: Iterable[Entry],
    cases: Places,
    measure: Measure,
) -> Charges:
    """Yield what entries cost some of the cases; those of the same weights are taken together."""
    if protection.alike and measure is PURE:  # what the worst pair pays is written in the entries
        cost = Powers.of(*((entry.step, entry.exponent) for entry in entries))
        yield cost.factors, np.ones(len(cases), dtype=np.int64)
        return
    for paid in paid_by(file, entries):
        yield from measure.charges(protection, paid, cases)


def paid_by(file: Tables, entries: Iterable[Entry]) -> Iterator[PrivacyLoss]:
    """Yield what entries cost, those of the same weights together."""
    weights = lru_cache(WEIGHTS_AT_HAND)(lambda name: read_weights(file, name))
    alike: dict[tuple[tuple[str, int], ...], list[Entry]] = {}
    for entry in entries:
        alike.setdefault(entry.blocks, []).append(entry)
    for blocks, own in alike.items():
        known = tuple((weights(name), units) for name, units in blocks)
        steps = Powers.of(*Counter(entry.step for entry in own).items())
        yield PrivacyLoss(
            steps, known, tuple(Counter(entry.rho for entry in own if entry.rho).items())
        )
