"""What has been released, at what cost, and what is left? A ledger.

It is made once, with a policy and a budget. A release first writes what it will spend, and only
then draws; the answer is written too before anybody sees it. So whatever happens in between, what
was seen was paid for.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

from leaktight.errors import InvalidFile, InvalidInput, OverBudget
from leaktight.exact.numbers import Number
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import RatioLike
from leaktight.files import read_path, sync_folder, take
from leaktight.policies.policy import Policy
from leaktight.tables.budget import Budget, Paid, told_epsilon
from leaktight.tables.ledger.entry import (
    Entry,
    Stored,
    read_answer,
    read_entries,
    verified_entries,
    write_answer,
)
from leaktight.tables.ledger.file import (
    connect,
    expect_sound,
    make_tables,
    now,
    set_up,
    told,
)
from leaktight.tables.ledger.total import Total, costs_of, paid_by, read_total
from leaktight.tables.protection import Protection
from leaktight.tables.spent import Costs, Spent
from leaktight.tables.weights import Places
from leaktight.tables.writing import digest, read_protection, write_protection


@dataclass(frozen=True, slots=True)
class Ledger:
    """An open ledger: who is protected, how much may be spent, and the file that knows the rest.

    >>> from tempfile import TemporaryDirectory
    >>> from leaktight.policies.secrets import SecretGraph
    >>> with TemporaryDirectory() as folder:
    ...     policy = Policy(SecretGraph.line(["low", "middle", "high"]), records=100)
    ...     ledger = Ledger.create(Path(folder) / "wages.ledger", policy, epsilon=1)
    ...     print(ledger.budget.told(), len(ledger.entries()))
    ε = 1 0
    """

    path: Path
    identity: str
    made: str
    budget: Budget
    protection: Protection
    chain: str

    @classmethod
    def create(
        cls,
        path: str | Path,
        policy: Policy,
        *,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        absent: Any = None,
        rows_per_person: int = 1,
    ) -> "Ledger":
        """Make a new ledger for a policy, with a budget; a file that is there is never touched.

        ``absent`` is the value of who is not in the table, if the number of rows is private, and
        ``rows_per_person`` the most rows that one person may have.
        """
        target = read_path(path)
        budget = Budget.of(ratio, epsilon)
        whom = Protection(policy, absent, rows_per_person).expect_secrets()
        protection = write_protection(whom)
        head = (token_hex(16), now(), str(budget), protection)
        if target.exists() or target.is_symlink():
            raise InvalidFile(f"{target} is there already; a ledger is made only once")
        with told(target, "be made"), TemporaryDirectory(dir=target.parent) as folder:
            new = Path(folder) / "new"
            with closing(sqlite3.connect(new, isolation_level=None)) as file:
                set_up(file)
                file.execute("BEGIN IMMEDIATE")
                make_tables(file)
                file.execute("INSERT INTO head VALUES (?, ?, ?, ?, ?)", (*head, digest(*head)))
                file.execute("COMMIT")
            take(new, target)  # fails if a file has come there meanwhile
            sync_folder(target.parent)
        return cls.open(target)

    @classmethod
    def open(cls, path: str | Path) -> "Ledger":
        """Read a ledger; one that is damaged, or that somebody changed, is refused."""
        file = read_path(path)
        if not file.exists():
            raise InvalidFile(
                f"there is no ledger {file}; it is made once, by leaktight ledger {file} --new "
                "STUDY.toml or Ledger.create"
            )
        if not file.is_file():
            raise InvalidFile(f"{file} is no file; a ledger is one")
        with told(file, "be read"), closing(connect(file)) as opened:
            expect_sound(file, opened)
            [(*head, chain)] = opened.execute("SELECT * FROM head").fetchall()
            if chain != digest(*head):
                raise InvalidFile(f"the ledger {file} was changed: its policy or its budget")
            verified_entries(opened, chain)
        identity, made, budget, protection = head
        return cls(file, identity, made, Budget.read(budget), read_protection(protection), chain)

    # --- what it says ----------------------------------------------------------------------

    def entries(self) -> tuple[Entry, ...]:
        """Return all releases, the first first."""
        with self._reading() as opened:
            return tuple(read_entries(opened))

    def find(self, name: str) -> Entry | None:
        """Return the release of this name, if there is one."""
        with self._reading() as opened:
            return next(read_entries(opened, name), None)

    def answer(self, entry: Entry) -> Stored:
        """Return the numbers of a release, as they are on the disk."""
        with self._reading() as opened:
            return read_answer(opened, entry)

    def paid(self) -> Iterator[Paid]:
        """Yield what releases cost, those of the same weights together."""
        with self._reading() as opened:
            yield from paid_by(opened, read_entries(opened))

    def spent(self) -> Spent:
        """Return what all releases together cost each secret pair."""
        with self._reading() as opened:
            entries = list(read_entries(opened))
            return self._spent(read_total(opened, self.protection, entries), entries)

    def _spent(
        self, total: Total, entries: list[Entry], opened: sqlite3.Connection | None = None
    ) -> Spent:
        def exactly(cases: Places) -> Costs:
            yield from ((Powers.of((r, 1)), e[cases]) for r, e in total.exponents.items())
            if rest := [e for e in entries if e.step != 1 and e.step not in total.exponents]:
                with self._reading() if opened is None else nullcontext(opened) as file:
                    yield from costs_of(file, self.protection, rest, cases)

        return Spent(total.near, total.terms, exactly)

    # --- what is written -------------------------------------------------------------------

    def spend(self, name: str, question: str, paid: Paid) -> Entry:
        """Write what a release will cost, unless there is one of this name; then return that.

        When this returns, the entry is on the disk. A budget that does not allow it, a name that
        was used for another question and a ledger that was swapped meanwhile are refused.
        """
        with self._writing() as (opened, before):
            known = next((entry for entry in before if entry.name == name), None)
            if known is None:
                self._insert(opened, before, name, question, paid)
            else:
                self.expect_same(known, question)
        found = self.find(name)
        if found is None:  # the file is another one by now
            raise InvalidFile(f"{self.path} was swapped while it was written; nothing was drawn")
        return found

    def store(self, entry: Entry, drawn: Stored) -> Stored:
        """Write the numbers of a release, unless it has some; return those that are on the disk."""
        with self._writing() as (opened, entries):
            if not entries[entry.number - 1].answered:
                write_answer(opened, entry, drawn)
        return self.answer(entry)

    def expect_same(self, entry: Entry, question: str) -> None:
        """Refuse a name that was used for another question."""
        if entry.question != question:
            raise InvalidInput(
                f"the ledger {self.path} has another release called {entry.name!r}, of "
                f"{entry.time}; ask the same again, or choose another name"
            )

    def expect(self, protection: Protection) -> None:
        """Refuse to spend for another policy than the ledger was made for."""
        ours, theirs = (json.loads(write_protection(p)) for p in (self.protection, protection))
        if other := [name for name in ours if ours[name] != theirs[name]]:
            raise InvalidInput(
                f"the ledger {self.path} was made for another policy, with other "
                f"{', '.join(other)}; what was spent under one says nothing of the other, which "
                "needs a ledger of its own"
            )

    def _insert(
        self,
        opened: sqlite3.Connection,
        before: list[Entry],
        name: str,
        question: str,
        paid: Paid,
    ) -> None:
        for weights, _ in paid.blocks:
            opened.execute(
                "INSERT OR IGNORE INTO weights VALUES (?, ?, ?, ?)",
                (weights.digest, str(weights.shape), weights.size, weights.packed()),
            )
        blocks = tuple((weights.digest, share) for weights, share in paid.blocks)
        exponents = self.protection.exponents(paid)
        most = int(exponents.max(initial=0))
        new = Entry(len(before) + 1, name, now(), question, paid.steps.value, blocks, most)
        new = replace(new, chain=new.link(before[-1].chain if before else self.chain))
        known = read_total(opened, self.protection, before)
        total = known.plus(paid.steps, exponents)
        after = self._spent(total, [*before, new], opened)
        if not after.within(self.budget):
            raise OverBudget(self._too_much(name, self._spent(known, before, opened), after))
        opened.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*new.row(), new.chain))
        total.write(opened, new)

    def _too_much(self, name: str, before: Spent, after: Spent) -> str:
        worst = after.worst or 0
        u, v = self.protection.cases[worst]
        return (
            f"the release {name!r} would bring the pair {u!r:.40}, {v!r:.40} to ε ≤ "
            f"{told_epsilon(after.ratio(worst))}, and the budget of {self.path} is "
            f"{self.budget.told()}; that pair has ε = {self.budget.left(before.ratio(worst)):.4g} "
            "left"
        )

    # --- the file --------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with told(self.path, "be read"), closing(connect(self.path)) as opened:
            self._expect_itself(opened)
            yield opened

    @contextmanager
    def _writing(self) -> Iterator[tuple[sqlite3.Connection, list[Entry]]]:
        """Hold the ledger alone, with all its entries, and write all or nothing."""
        with told(self.path, "be written"), closing(connect(self.path)) as opened:
            set_up(opened)
            opened.execute("BEGIN IMMEDIATE")
            try:
                self._expect_itself(opened)
                yield opened, verified_entries(opened, self.chain)
                opened.execute("COMMIT")
            finally:
                if opened.in_transaction:
                    opened.execute("ROLLBACK")

    def _expect_itself(self, opened: sqlite3.Connection) -> None:
        [(chain,)] = opened.execute("SELECT chain FROM head").fetchall()
        if chain != self.chain:
            raise InvalidFile(f"{self.path} was swapped for another ledger; nothing was drawn")
