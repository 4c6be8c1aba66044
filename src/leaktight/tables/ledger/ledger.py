"""Ledgers: what has been released, at what cost, and what is left.

It is made once, with a policy and a budget. A release first writes what it will spend, and only
then draws; the answer is written too before anybody sees it. So whatever happens in between, what
was seen was paid for.
"""

import dataclasses
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from leaktight.errors import InvalidFile, InvalidInput, OverBudget, TooLarge
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import RatioLike
from leaktight.labels import pair_named
from leaktight.policies.policy import Policy
from leaktight.tables.accountant import Accountant
from leaktight.tables.budget import Budget, told_left, told_lost
from leaktight.tables.ledger.entry import (
    Entry,
    Stored,
    read_answer,
    read_weights,
    verified_entries,
    write_answer,
)
from leaktight.tables.ledger.history import Contents, append, begin, verified_states
from leaktight.tables.ledger.store import COPIED, Store, Tables, now, read_head, store_of
from leaktight.tables.measure import PURE, Charges, Measure, Terms
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.weights import Places
from leaktight.tables.writing import canonical, digest, read_protection, write_protection

# --- the running total of all releases -------------------------------------------------------
# It is kept with the link of the last entry that it covers, and a hash. If they do not match, it
# is added up anew: it saves time, and nothing rests on it that the entries do not say.

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
    return dataclasses.replace(total, terms=held.terms)


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


# --- ledgers ---------------------------------------------------------------------------------

LEAST_DIGITS = 16
"""The fewest digits of a state by which it is known."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """An open ledger: who is protected, how much may be spent, and the store that knows the rest.

    >>> from tempfile import TemporaryDirectory
    >>> from leaktight.policies.secrets import SecretGraph
    >>> with TemporaryDirectory() as folder:
    ...     policy = Policy(SecretGraph.line(["low", "middle", "high"]), records=100)
    ...     ledger = Ledger.create(Path(folder) / "wages.ledger", policy, epsilon=1)
    ...     print(ledger.budget.told(), len(ledger.entries()))
    ε = 1 0
    """

    place: Store
    identity: str
    made: str
    budget: Budget
    protection: PrivacyUnit
    chain: str

    @property
    def name(self) -> str:
        """Where it is, as a person writes it: a file, or a server's address without password."""
        return self.place.name

    @property
    def path(self) -> Path:
        """The file that it is; one on a server has none."""
        return self.place.path

    @classmethod
    def create(
        cls,
        path: str | Path,
        policy: Policy,
        *,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        absent: Any = None,
        rows_per_person: int = 1,
        people: str | None = None,
    ) -> "Ledger":
        """Make a new ledger for a policy, with a budget; one that is there is never touched.

        ``path`` is a file, or ``postgresql://USER@HOST/DATABASE#NAME``, where a team shares one.
        The budget is ``epsilon`` or ``ratio``, or for Gaussian noise ``rho`` of zCDP, or
        ``epsilon`` and ``delta``.
        ``absent`` is the value of who is not in the table, if the number of rows is private, and
        ``rows_per_person`` the most rows that one person may have. ``people="change"``, with a
        policy of :meth:`SecretGraph.add_remove`, is for a series of tables, such as one each month,
        with other people in each.
        """
        store = store_of(path)
        budget = Budget.of(ratio, epsilon, rho, delta)
        whom = PrivacyUnit(policy, absent, rows_per_person, people).expect_secrets()
        head = (token_hex(16), now(), str(budget), write_protection(whom))
        store.expect_free()

        chain = digest(*head)

        def fill(opened: Tables) -> None:
            opened.execute("INSERT INTO head VALUES (?, ?, ?, ?, ?)", (*head, chain))
            begin(opened, chain, [])

        store.create(fill)
        store.keep(Contents.of([], [chain]), written=True)
        return cls.open(path, whom)

    @classmethod
    def open(cls, path: str | Path, protection: PrivacyUnit | None = None) -> "Ledger":
        """Read a ledger; one that is damaged, or that somebody changed, is refused.

        With ``protection``, so is one that was made for another policy.
        One of the version before, which could not notice that something is missing, is read as it
        is, and keeps a history from the first time that something is written into it.
        """
        store = store_of(path)
        with store.reading() as opened:
            identity, made, budget, written, chain = read_head(store, opened)
            known = protection is not None and write_protection(protection) == written
            whom = protection if known and protection else read_protection(written)
            ledger = cls(store, identity, made, Budget.read(budget), whom, chain)
            ledger._verified(opened, opening=True)
        if protection is not None and not known:
            ledger.expect(protection)
        return ledger

    def move(self, path: str | Path) -> "Ledger":
        """Move it, from a file to a server or back, with all that it holds, and return it there.

        What stays behind can be read, and nothing is spent from it any more. It is closed before
        anything is written elsewhere, so that no two ledgers ever spend one budget; a move that was
        stopped in between is finished by asking for it again.
        """
        target = store_of(path)
        target.expect_free()
        with self.place.reading() as opened:
            elsewhere = self.place.moved(opened)
        if elsewhere not in ("", target.name):
            raise InvalidFile(f"the ledger {self.name} was moved to {elsewhere} already")
        if not elsewhere:
            with self._writing() as (opened, _, _):
                self.place.mark_moved(opened, target.name)
        with self._reading() as (opened, _):
            target.create(lambda new: _copy(opened, new))
        return Ledger.open(path)

    # --- what it says ----------------------------------------------------------------------

    def entries(self) -> tuple[Entry, ...]:
        """Return all releases, the first first."""
        with self._reading() as (_, held):
            return tuple(held.entries)

    def find(self, name: str) -> Entry | None:
        """Return the release of this name, if there is one."""
        with self._reading() as (_, held):
            return held.names.get(name)

    def answer(self, entry: Entry) -> Stored:
        """Return the numbers of a release, as they are on the disk."""
        with self._reading() as (opened, held):
            return read_answer(opened, self._own(held, entry))

    def paid(self) -> Iterator[PrivacyLoss]:
        """Yield what releases cost, those of the same weights together."""
        with self._reading() as (opened, held):
            entries = tuple(held.entries)
            opened.execute("COMMIT")  # weights never change, so that nobody need wait
            yield from paid_by(opened, entries)

    def spent(self, measure: Measure | None = None) -> Accountant:
        """Return what all releases together cost each secret pair, in any measure.

        In ε it is without what Gaussian noise costs, which is not finite.
        """
        own = self.budget.measure
        with self._reading() as (opened, held):
            entries = list(held.entries)
            read = read_total if measure in (None, own) else added_up
            return self._spent(read(opened, self.protection, held, measure or own), entries)

    def states(self) -> tuple[str, ...]:
        """Return the state after each entry and each answer that was written, the first empty.

        The last one stands for all that the ledger holds. Whoever notes it elsewhere can find out
        later, by :meth:`expect_state`, that an older copy has come into the ledger's place. One of
        the version before has none until something is written into it.
        """
        with self._reading() as (_, held):
            return tuple(held.states)

    def expect_state(self, noted: str) -> None:
        """Refuse a ledger that was never in the state that was noted, or its first digits."""
        if not isinstance(noted, str) or len(noted) < LEAST_DIGITS:
            raise InvalidInput(f"a state has at least {LEAST_DIGITS} digits, got {noted!r:.60}")
        if not any(state.startswith(noted.lower()) for state in self.states()):
            raise InvalidFile(
                f"the ledger {self.name} was never in the state {noted:.64}: it is an older copy, "
                "or another ledger"
            )

    def _spent(
        self, total: Total, entries: list[Entry], opened: Tables | None = None
    ) -> Accountant:
        def exactly(cases: Places) -> Charges:
            known, measure, others = total.exponents, total.measure, entries
            yield from ((((key, 1),), e[cases]) for key, e in known.items())
            if not total.rest.any():  # all keys are among those above
                return
            if measure is PURE:
                others = [e for e in entries if e.step != 1 and e.step not in known]
            with nullcontext((opened, None)) if opened else self._reading() as (file, _):
                charges = costs_of(file, self.protection, others, cases, measure)
                for terms, times in charges:
                    if rest := tuple(term for term in terms if term[0] not in known):
                        yield rest, times

        return Accountant(total.near, total.terms, exactly, total.measure)

    # --- what is written -------------------------------------------------------------------

    def spend(self, name: str, question: str, paid: PrivacyLoss) -> Entry:
        """Write what a release will cost, unless there is one of this name; then return that.

        When this returns, the entry is on the disk. A budget that does not allow it, a name that
        was used for another question and a ledger that was swapped meanwhile are refused.
        """
        measure = self.budget.measure
        if paid.rho and measure is PURE:
            raise InvalidInput(
                f"the budget of {self.name} is in ε, which Gaussian noise does not keep; release "
                'with noise = "geometric", or from a ledger with a budget in rho'
            )
        # All of it before anybody has to wait.
        units = self.protection.squares(paid) if paid.rho else self.protection.exponents(paid)
        charges = list(measure.charges(self.protection, paid))
        most = int(units.max(initial=0))
        with self._writing() as (opened, held, written):
            known = held.names.get(name)
            if known is None:
                new = self._insert(opened, held, name, question, paid, most, charges)
                written.append((new, new.chain))
            else:
                self.expect_same(known, question)
        found = self.find(name)
        if found is None:  # the file is another one by now
            raise InvalidFile(f"{self.name} was swapped while it was written; nothing was drawn")
        return found

    def store(self, entry: Entry, drawn: Stored) -> Stored:
        """Write the numbers of a release, unless it has some; return those that are on the disk."""
        with self._writing() as (opened, held, written):
            if not self._own(held, entry).answered:
                link = write_answer(opened, entry, drawn)
                append(opened, link)
                written.append((replace(entry, answer=link), link))
        return self.answer(entry)

    def expect_same(self, entry: Entry, question: str) -> None:
        """Refuse a name that was used for another question."""
        if entry.question != question:
            raise InvalidInput(
                f"the ledger {self.name} has another release called {entry.name!r}, of "
                f"{entry.time}; ask the same again, or choose another name"
            )

    def expect(self, protection: PrivacyUnit) -> None:
        """Refuse to spend for another policy than the ledger was made for."""
        ours, theirs = (json.loads(write_protection(p)) for p in (self.protection, protection))
        if other := [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]:
            raise InvalidInput(
                f"the ledger {self.name} was made for another policy, with other "
                f"{', '.join(other)}; what was spent under one says nothing of the other, which "
                "needs a ledger of its own"
            )

    def _insert(
        self,
        opened: Tables,
        held: Contents,
        name: str,
        question: str,
        paid: PrivacyLoss,
        most: int,
        charges: list[tuple[Terms, Places]],
    ) -> Entry:
        before = held.entries
        for weights, _ in paid.blocks:
            opened.execute(
                "INSERT INTO weights VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (weights.digest, str(weights.shape), weights.size, weights.packed()),
            )
        blocks = tuple((weights.digest, units) for weights, units in paid.blocks)
        step = paid.steps.value
        new = Entry(len(before) + 1, name, now(), question, step, blocks, most, paid.rho)
        new = replace(new, chain=new.link(before[-1].chain if before else self.chain))
        known = read_total(opened, self.protection, held, self.budget.measure)
        total = known.plus(charges)
        after = self._spent(total, [*before, new], opened)
        if not after.within(self.budget):
            raise OverBudget(self._too_much(name, self._spent(known, before, opened), after))
        opened.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*new.row(), new.chain))
        append(opened, new.chain)
        total.write(opened, new)
        return new

    def _too_much(self, name: str, before: Accountant, after: Accountant) -> str:
        worst = after.worst or 0
        return (
            f"the release {name!r} would bring the privacy loss of "
            f"{pair_named(self.protection.cases[worst])} to {told_lost(after.lost(worst))}, and "
            f"the budget of {self.name} is {self.budget.told()}, of which "
            f"{told_left(self.budget.left(before.lost(worst)), after.measure)} is left"
        )

    # --- the store -------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[tuple[Tables, Contents]]:
        """Open the ledger as it is at one instant, with all that it holds."""
        with self.place.reading() as opened:
            yield opened, self._verified(opened)

    @contextmanager
    def _writing(self) -> Iterator[tuple[Tables, Contents, list[tuple[Entry, str]]]]:
        """Hold the ledger alone, with all that it holds, and write all or nothing.

        Entries that are new, or answered now, are listed with the links that are written for them.
        """
        written: list[tuple[Entry, str]] = []
        with self.place.writing() as opened:
            held = self._verified(opened)
            if elsewhere := self.place.moved(opened):
                raise InvalidFile(f"the ledger {self.name} was moved to {elsewhere}; spend there")
            if not self.place.has_history(opened):
                self.place.add_history(opened)
                begin(opened, self.chain, held.entries)
                held = self._verified(opened)
            self.place.forget()  # until what is written now is on the disk
            yield opened, held, written
        for entry, link in written:
            held.put(entry, link)
        self.place.keep(held, written=True)

    def _verified(self, opened: Tables, opening: bool = False) -> Contents:
        """Return what the ledger that this is holds, of which nothing is missing."""
        if read_head(self.place, opened)[-1] != self.chain:
            raise InvalidFile(f"{self.name} was swapped for another ledger; nothing was drawn")
        if (known := self.place.known(opened)) is not None:
            return known
        if opening:
            self.place.expect_sound(opened)
        entries = verified_entries(opened, self.chain)
        history = self.place.has_history(opened)
        found = Contents.of(
            entries, verified_states(opened, self.chain, entries) if history else []
        )
        self.place.keep(found)
        return found

    def _own(self, held: Contents, entry: Entry) -> Entry:
        """Return an entry as the ledger has it now."""
        for own in held.entries[entry.number - 1 : entry.number]:
            if own.chain == entry.chain:
                return own
        raise InvalidFile(f"{self.name} was swapped: it has no entry {entry.name!r:.60} any more")


def _copy(opened: Tables, new: Tables) -> None:
    """Write all that a ledger holds into the tables of a new one, as it is."""
    for table, columns in COPIED.items():
        marks = ", ".join("?" * columns)
        for row in opened.execute(f"SELECT * FROM {table}"):
            new.execute(f"INSERT INTO {table} VALUES ({marks})", tuple(row))
