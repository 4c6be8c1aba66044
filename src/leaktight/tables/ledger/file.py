"""How is a ledger kept in an SQLite file, so that what is written is on the disk?

A rollback journal with ``synchronous=EXTRA``: when COMMIT returns, the entry and the folder's
entries are on the disk. (With a write-ahead log, a second file would have to stay beside it.)
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from leaktight.errors import InvalidFile
from leaktight.tables.writing import digest

APPLICATION = 0x6C65616B
"""How SQLite knows whose file it is: "leak"."""

FORMAT = 3
"""The version of the tables."""

WITHOUT_HISTORY = 2
"""The version before, which is read as it is, and becomes this one when it is written."""

WAIT = 60.0
"""How many seconds a release waits for another one that is writing."""

TABLES = (
    "CREATE TABLE head (identity TEXT, made TEXT, budget TEXT, protection TEXT, chain TEXT)",
    "CREATE TABLE weights (digest TEXT PRIMARY KEY, shape TEXT, size INTEGER, places BLOB)",
    "CREATE TABLE entry (number INTEGER PRIMARY KEY, name TEXT UNIQUE, time TEXT, question TEXT, "
    "step TEXT, blocks TEXT, exponent INTEGER, chain TEXT)",
    "CREATE TABLE answer (number INTEGER PRIMARY KEY REFERENCES entry (number), numbers BLOB, "
    "chain TEXT)",
    "CREATE TABLE total (number INTEGER, steps TEXT, numbers BLOB, chain TEXT)",
)

HISTORY = (
    "CREATE TABLE history (place INTEGER PRIMARY KEY, link TEXT)",
    "CREATE TABLE tip (places INTEGER, digest TEXT)",
)

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


def address_of(path: Path) -> str:
    """Return how SQLite is told to open a file that is there."""
    return f"file:{quote(str(path.absolute()))}?mode=rw"


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
    for table in TABLES:
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


def format_of(file: sqlite3.Connection) -> int:
    """Return the version of the tables of a ledger."""
    return int(file.execute("PRAGMA user_version").fetchone()[0])


def expect_tables(path: Path, file: sqlite3.Connection) -> None:
    """Refuse a file whose tables are not those of a ledger, and nothing else."""
    known = {WITHOUT_HISTORY: TABLES, FORMAT: TABLES + HISTORY}.get(format_of(file))
    if file.execute("PRAGMA application_id").fetchone() != (APPLICATION,) or known is None:
        raise InvalidFile(f"{path} is no ledger of this version of leaktight")
    made = file.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    if sorted(made) != sorted((table,) for table in known):
        raise InvalidFile(f"the ledger {path} was changed: its tables are not those of a ledger")


def expect_sound(path: Path, file: sqlite3.Connection) -> None:
    """Refuse a file whose pages are damaged, or whose indices do not agree with its tables."""
    if file.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        raise InvalidFile(f"the ledger {path} is damaged; go back to a copy of it")


def read_head(path: Path, file: sqlite3.Connection) -> tuple[str, ...]:
    """Return who the ledger is: its identity, when it was made, budget, policy, and their hash."""
    rows = file.execute("SELECT identity, made, budget, protection, chain FROM head").fetchall()
    if len(rows) != 1 or not all(isinstance(cell, str) for cell in rows[0]):
        raise InvalidFile(f"the ledger {path} was changed: its policy or its budget")
    *head, chain = rows[0]
    if chain != digest(*head):
        raise InvalidFile(f"the ledger {path} was changed: its policy or its budget")
    return (*head, chain)


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


def now() -> str:
    """Return the time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
