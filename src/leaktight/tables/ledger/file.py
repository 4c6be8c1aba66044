"""How is a ledger kept in an SQLite file, so that what is written is on the disk?

A rollback journal with ``synchronous=EXTRA``: when COMMIT returns, the entry and the folder's
entries are on the disk. (With a write-ahead log, a second file would have to stay beside it.)
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from leaktight.errors import InvalidFile

APPLICATION = 0x6C65616B
"""How SQLite knows whose file it is: "leak"."""

FORMAT = 2
"""The version of the tables."""

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

CAUSES = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it, or its folder, may only be read",
    sqlite3.SQLITE_CANTOPEN: "it, or its folder, cannot be opened",
    sqlite3.SQLITE_BUSY: f"another release has been writing for {WAIT:.0f} seconds",
    sqlite3.SQLITE_CORRUPT: "it is damaged; go back to a copy of it",
    sqlite3.SQLITE_NOTADB: "it is no ledger",
    sqlite3.SQLITE_IOERR: "the disk does not take or give what it should",
    sqlite3.SQLITE_PERM: "permission denied",
}


def connect(path: Path) -> sqlite3.Connection:
    """Open a file that is there. What a killed process left half written is undone first."""
    address = f"file:{quote(str(path.absolute()))}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=WAIT, isolation_level=None)


def set_up(file: sqlite3.Connection) -> None:
    """Have everything on the disk before COMMIT returns."""
    for wanted, value in (("journal_mode", "delete"), ("synchronous", 3), ("fullfsync", 1)):
        file.execute(f"PRAGMA {wanted}={value}")
        if file.execute(f"PRAGMA {wanted}").fetchone() != (value,):
            raise InvalidFile(f"SQLite must have {wanted} = {value} for a ledger, and has not")


def make_tables(file: sqlite3.Connection) -> None:
    """Make the tables of a new ledger."""
    file.execute(f"PRAGMA application_id={APPLICATION}")
    file.execute(f"PRAGMA user_version={FORMAT}")
    for table in TABLES:
        file.execute(table)


def expect_sound(path: Path, file: sqlite3.Connection) -> None:
    """Refuse a file that is no ledger, or whose pages are damaged.

    Weights and answers, which may be long, are checked by their hashes when they are read.
    """
    marks = ("application_id", "user_version")
    found = [file.execute(f"PRAGMA {mark}").fetchone()[0] for mark in marks]
    if found != [APPLICATION, FORMAT]:
        raise InvalidFile(f"{path} is no ledger of this version of leaktight")
    for table in ("head", "entry", "total"):
        if file.execute(f"PRAGMA quick_check({table})").fetchone() != ("ok",):
            raise InvalidFile(f"the ledger {path} is damaged; go back to a copy of it")


@contextmanager
def told(path: Path, what: str) -> Iterator[None]:
    """Say in one line what is wrong with the file."""
    try:
        yield
    except sqlite3.Error as wrong:
        code = getattr(wrong, "sqlite_errorcode", None) or 0
        cause = CAUSES.get(code & 0xFF, "it is no ledger, or damaged")
        raise InvalidFile(f"the ledger {path} cannot {what}: {cause}") from None
    except OSError as wrong:
        raise InvalidFile(f"the ledger {path} cannot {what}: {wrong.strerror}") from None


def now() -> str:
    """Return the time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
