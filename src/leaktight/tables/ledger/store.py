"""Where a ledger is kept: what a file and a server must both be able to do.

All of a ledger is rows of a few tables, and hashes that tie them together; what they mean is none
of a store's business. A store opens them as they are at one instant, or holds them alone and writes
all or nothing, and has what was written on the disk before it returns.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from leaktight.errors import InvalidFile
from leaktight.files import read_path
from leaktight.tables.writing import digest

if TYPE_CHECKING:
    from leaktight.tables.ledger.history import Contents

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

MOVED = ("CREATE TABLE moved (target TEXT, time TEXT)",)
"""What a ledger has that was moved elsewhere: it is read, and never written again."""

COPIED = {"head": 5, "weights": 4, "entry": 8, "answer": 3, "total": 4, "history": 2, "tip": 2}
"""All tables of a ledger in an order in which they can be filled, and their numbers of columns."""

WAIT = 60.0
"""How many seconds a release waits for another one that is writing."""


class Cursor(Protocol):
    """The rows that a command found."""

    def fetchone(self) -> Any:
        """Return the next row; None if there is none."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Tables(Protocol):
    """The tables of a ledger, opened: SQL with ``?`` for each value."""

    def execute(self, command: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run one command."""


class Store(Protocol):
    """A place for the tables of one ledger."""

    @property
    def name(self) -> str:
        """What a person calls it; without a password."""

    def expect_free(self) -> None:
        """Refuse a place where something is already."""

    def create(self, fill: Callable[[Tables], None]) -> None:
        """Make all tables, with what ``fill`` writes, at once; what is there is never touched."""

    def reading(self) -> AbstractContextManager[Tables]:
        """Open the tables as they are at one instant."""

    def expect_sound(self, opened: Tables) -> None:
        """Refuse tables that are damaged, as far as whoever keeps them can tell."""

    def writing(self) -> AbstractContextManager[Tables]:
        """Hold the tables alone. At the end all is on the disk or, after an error, nothing."""

    def has_history(self, opened: Tables) -> bool:
        """Whether the ledger keeps a history; an earlier version did not."""

    def add_history(self, opened: Tables) -> None:
        """Make the tables of a history."""

    def moved(self, opened: Tables) -> str:
        """Return where the ledger was moved to; empty if it was not."""

    def mark_moved(self, opened: Tables, target: str) -> None:
        """Write that the ledger is elsewhere from now on."""

    def known(self, opened: Tables) -> "Contents | None":
        """Return what was kept, unless somebody may have written since."""

    def keep(self, contents: "Contents", written: bool = False) -> None:
        """Keep what was verified, or was ``written`` just now, for all who open the ledger here."""

    def forget(self) -> None:
        """Know nothing, until something is kept."""

    @property
    def path(self) -> Path:
        """The file that it is; a server has none, and says so."""


def store_of(address: str | Path) -> Store:
    """Return the store of an address: a file's, or that of ``postgresql://…``.

    >>> store_of("patients.ledger").name
    'patients.ledger'
    >>> store_of("postgresql://ann:secret@db.example.org/agency#patients").name
    'postgresql://ann@db.example.org/agency#patients'
    """
    from leaktight.tables.ledger.file import FileStore
    from leaktight.tables.ledger.server import SCHEMES, ServerStore

    if not is_address(address):
        return FileStore(read_path(address))
    assert isinstance(address, str)
    scheme = address.partition("://")[0]
    if scheme not in SCHEMES:
        raise InvalidFile(f"a ledger is a file or postgresql://…, got {scheme:.20}://…")
    return ServerStore.at(address)


def is_address(place: str | Path) -> bool:
    """Say whether a text is the address of a server, and not the name of a file."""
    return isinstance(place, str) and "://" in place


def read_head(store: Store, opened: Tables) -> tuple[str, ...]:
    """Return who the ledger is: its identity, when it was made, budget, policy, and their hash."""
    rows = opened.execute("SELECT identity, made, budget, protection, chain FROM head").fetchall()
    if len(rows) == 1 and all(isinstance(cell, str) for cell in rows[0]):
        *head, chain = rows[0]
        if chain == digest(*head):
            return (*head, chain)
    raise InvalidFile(f"the ledger {store.name} was changed: its policy or its budget")


def now() -> str:
    """Return the time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
