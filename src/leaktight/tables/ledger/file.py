"""Ledgers in SQLite files, where what is written is on the disk.

A rollback journal with ``synchronous=EXTRA``: when COMMIT returns, the entry and the folder's
entries are on the disk. (With a write-ahead log, a second file would have to stay beside it.)
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from leaktight.errors import InvalidFile
from leaktight.files import sync_folder, take
from leaktight.tables.ledger.history import Contents
from leaktight.tables.ledger.store import HISTORY, MOVED, TABLES, WAIT, Tables, now
from leaktight.tables.ledger.watch import Watch, address_of, watch_of

APPLICATION = 0x6C65616B
"""How SQLite knows whose file it is: "leak"."""

FORMAT = 3
"""The version of the tables."""

WITHOUT_HISTORY = 2
"""The version before, which is read as it is, and becomes this one when it is written."""

ELSEWHERE = 4
"""The version of a ledger that was moved."""

VERSIONS = {WITHOUT_HISTORY: TABLES, FORMAT: TABLES + HISTORY, ELSEWHERE: TABLES + HISTORY + MOVED}
"""Which tables each version has."""

CAUSES = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it, or its folder, may only be read",
    sqlite3.SQLITE_CANTOPEN: "it, or its folder, cannot be opened",
    sqlite3.SQLITE_BUSY: f"another release has been writing for {WAIT:.0f} seconds",
    sqlite3.SQLITE_CORRUPT: "it is damaged; go back to a copy of it",
    sqlite3.SQLITE_NOTADB: "it is no ledger",
    sqlite3.SQLITE_IOERR: "the disk does not take or give what it should",
    sqlite3.SQLITE_PERM: "permission denied",
    sqlite3.SQLITE_PROTOCOL: "its file system has no locks that work",
    sqlite3.SQLITE_NOLFS: "its file system has no files of this length",
}


def connect(path: Path) -> sqlite3.Connection:
    """Open a file that is there. What a killed process left half written is undone first.

    What was left is in a journal beside it, under its name. A file of two names would have two.
    """
    if (names := path.stat().st_nlink) > 1:
        raise InvalidFile(
            f"the ledger {path} has {names} names (hard links), and what is written under one is "
            "not safe under the other; remove all but one"
        )
    return sqlite3.connect(address_of(path), uri=True, timeout=WAIT, isolation_level=None)


def new_tables(path: Path) -> sqlite3.Connection:
    """Make a file that its owner alone may read and write, with the tables of a ledger."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    file = connect(path)
    set_up(file)
    file.execute("BEGIN IMMEDIATE")
    file.execute(f"PRAGMA application_id={APPLICATION}")
    file.execute(f"PRAGMA user_version={FORMAT}")
    for table in TABLES + HISTORY:
        file.execute(table)
    return file


LOCKED = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1], uri=True, timeout=0, isolation_level=None)
try:
    file.execute("BEGIN IMMEDIATE")
    print("free")
except sqlite3.OperationalError:
    print("locked")
"""
"""What another process finds. A lock holds between processes: one alone cannot try it."""


def expect_locks(address: str) -> None:
    """Refuse a file system on which two processes could write at once."""
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as file:
        file.execute("BEGIN IMMEDIATE")
        words = [sys.executable, "-I", "-S", "-c", LOCKED, address]
        tried = subprocess.run(words, capture_output=True, text=True, check=False)
    if tried.stdout.strip() != "locked":
        raise InvalidFile(
            "a ledger cannot be made here: its file system has no locks that work, so that two "
            "releases at once might spend the same; keep it on a disk of this computer"
        )


def set_up(file: sqlite3.Connection) -> None:
    """Have everything on the disk before COMMIT returns."""
    for wanted, value in (("journal_mode", "delete"), ("synchronous", 3), ("fullfsync", 1)):
        file.execute(f"PRAGMA {wanted}={value}")
        if file.execute(f"PRAGMA {wanted}").fetchone() != (value,):
            raise InvalidFile(f"SQLite must have {wanted} = {value} for a ledger, and has not")


def format_of(file: Tables) -> int:
    """Return the version of the tables of a ledger."""
    return int(file.execute("PRAGMA user_version").fetchone()[0])


def expect_tables(path: Path, file: sqlite3.Connection) -> None:
    """Refuse a file whose tables are not those of a ledger, and nothing else."""
    known = VERSIONS.get(format_of(file))
    if file.execute("PRAGMA application_id").fetchone() != (APPLICATION,) or known is None:
        raise InvalidFile(f"{path} is no ledger of this version of leaktight")
    made = file.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    if sorted(made) != sorted((table,) for table in known):
        raise InvalidFile(f"the ledger {path} was changed: its tables are not those of a ledger")


@contextmanager
def told(path: Path, what: str) -> Iterator[None]:
    """Say in one line what is wrong with the file."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as wrong:  # SQLite may quote what is no text
        code = getattr(wrong, "sqlite_errorcode", None) or 0
        cause = CAUSES.get(code & 0xFF, "it is no ledger, or damaged")
        raise InvalidFile(f"the ledger {path} cannot {what}: {cause}") from None
    except OSError as wrong:
        raise InvalidFile(f"the ledger {path} cannot {what}: {wrong.strerror}") from None


@dataclass(frozen=True, slots=True)
class FileStore:
    """A ledger in a file of SQLite."""

    path: Path

    @property
    def _watch(self) -> Watch:
        return watch_of(self.path.absolute())

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    def expect_free(self) -> None:
        """Refuse a file that is there."""
        if self.path.exists() or self.path.is_symlink():
            raise InvalidFile(f"{self.path} is there already; a ledger is made only once")

    def create(self, fill: Callable[[Tables], None]) -> None:
        """Make the file, whole, in a folder where two processes cannot write at once."""
        target = self.path
        with told(target, "be made"), TemporaryDirectory(dir=target.parent) as folder:
            new = Path(folder) / "new"
            with closing(new_tables(new)) as file:
                fill(file)
                file.execute("COMMIT")
            expect_locks(address_of(new))
            take(new, target)  # fails if a file has come there meanwhile
            sync_folder(target.parent)

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open the file as it is at one instant."""
        if not self.path.exists():
            raise InvalidFile(
                f"there is no ledger {self.path}; it is made once, by leaktight ledger "
                f"{self.path} --new STUDY.toml or Ledger.create"
            )
        if not self.path.is_file():
            raise InvalidFile(f"{self.path} is no file; a ledger is one")
        with told(self.path, "be read"), closing(connect(self.path)) as opened:
            opened.execute("BEGIN")
            expect_tables(self.path, opened)
            yield opened

    def expect_sound(self, opened: Tables) -> None:
        """Refuse a file whose pages are damaged, or whose indices do not agree with its tables."""
        if opened.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise InvalidFile(f"the ledger {self.path} is damaged; go back to a copy of it")

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Hold the file alone, and write all or nothing."""
        with told(self.path, "be written"), closing(connect(self.path)) as opened:
            set_up(opened)
            opened.execute("BEGIN IMMEDIATE")
            try:
                expect_tables(self.path, opened)
                yield opened
                opened.execute("COMMIT")
            finally:
                if opened.in_transaction:
                    opened.execute("ROLLBACK")

    def has_history(self, opened: Tables) -> bool:
        """Whether it is of a version that keeps one."""
        return format_of(opened) != WITHOUT_HISTORY

    def add_history(self, opened: Tables) -> None:
        """Bring a file of the version before to this one."""
        for table in HISTORY:
            opened.execute(table)
        opened.execute(f"PRAGMA user_version={FORMAT}")

    def moved(self, opened: Tables) -> str:
        """Return where the ledger was moved to."""
        if format_of(opened) != ELSEWHERE:
            return ""
        return str(opened.execute("SELECT target FROM moved").fetchone()[0])

    def mark_moved(self, opened: Tables, target: str) -> None:
        """Write where it is from now on; an earlier version of leaktight refuses the file then."""
        for table in MOVED:
            opened.execute(table)
        opened.execute("INSERT INTO moved VALUES (?, ?)", (target, now()))
        opened.execute(f"PRAGMA user_version={ELSEWHERE}")

    def known(self, opened: Tables) -> Contents | None:
        """Return what was kept, unless the file may have changed since."""
        return self._watch.known(self.path)

    def keep(self, contents: Contents, written: bool = False) -> None:
        """Keep what the file holds."""
        self._watch.keep(self.path, contents, written)

    def forget(self) -> None:
        """Know nothing."""
        self._watch.forget()
