"""A ledger on a PostgreSQL server, which people on several machines share.

Whoever writes locks the one row of ``head`` first, so that one writes at a time and sees what all
others have written; COMMIT returns when it is on the server's disk. A client that is killed, or
that is not heard of any more, leaves nothing half written. What a read finds is one instant's.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from leaktight.errors import InvalidFile, InvalidInput
from leaktight.tables.ledger.history import Contents
from leaktight.tables.ledger.store import HISTORY, MOVED, TABLES, WAIT, Cursor, Tables, now
from leaktight.tables.ledger.watch import MOST_WATCHED

if TYPE_CHECKING:
    import psycopg

SCHEMES = ("postgresql", "postgres")

USUAL_NAME = "leaktight"
"""The schema of a ledger whose address names none."""

SHOWN = ("host", "port", "service")
"""What is shown of the parameters of an address."""

VERSION = 1
"""The version of the tables on a server."""

READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
"""One instant, for as long as it takes."""

WRITE = (
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    f"SET LOCAL lock_timeout = '{WAIT:.0f}s'",
    f"SET LOCAL idle_in_transaction_session_timeout = '{WAIT:.0f}s'",
    "SELECT 1 FROM head FOR UPDATE",
)
"""Alone: what others committed before the row was free is seen by every command after it."""

CAUSES = {
    "28P01": "the server does not take this user with this password",
    "28000": "the server does not let this user in",
    "3D000": "there is no such database",
    "42501": "this user may not do that; ask the owner of the ledger",
    "25006": "the server, or this user's sessions, may only be read",
    "55P03": f"another release has been writing for {WAIT:.0f} seconds",
    "53100": "the server's disk is full",
    "57P03": "the server is starting or stopping; ask again",
    "42P07": "somebody else is making it",
    "23505": "somebody else is making it",
    "42P01": "its tables are not those of a ledger",
    "42703": "its tables are not those of a ledger",
}


STAMPED = ("head", "weights", "entry", "answer", "history", "tip", "moved")
"""The tables of which any change is noticed; the running total is checked by its own hash."""


class _Seen(local):
    """What a thread has verified, and the stamp of the tables when it looked at them last."""

    def __init__(self) -> None:
        self.kept: tuple[tuple[Any, ...], Contents | None] = ((), None)
        self.now: tuple[Any, ...] = ()


@lru_cache(MOST_WATCHED)
def _seen_at(address: str, schema: str) -> _Seen:
    """Return what is known of a ledger, for all who have opened it."""
    return _Seen()


def _stamp(opened: Tables) -> tuple[Any, ...]:
    """Return what any change of a row changes: how many there are, and by which transactions.

    It is added up by the server, so that all entries need not be sent and verified again.
    """
    each = (f"SELECT '{t}', count(*), sum(xmin::text::bigint) FROM {t}" for t in STAMPED)
    return tuple(sorted(map(tuple, opened.execute(" UNION ALL ".join(each)))))


@dataclass(frozen=True, slots=True)
class ServerStore:
    """A ledger in a schema of a PostgreSQL database."""

    name: str
    """The address without password."""
    schema: str
    address: str = field(repr=False)
    """How psycopg is told to connect; it may have a password."""

    @property
    def _seen(self) -> "_Seen":
        return _seen_at(self.address, self.schema)

    @classmethod
    def at(cls, address: str) -> "ServerStore":
        """Read ``postgresql://USER@HOST/DATABASE#NAME``; several ledgers fit into a database."""
        try:
            parts = urlsplit(address)
            named = _without_password(parts)
        except ValueError:
            raise InvalidFile(
                "the address of a ledger on a server is postgresql://USER@HOST/DATABASE#NAME, and "
                "this one cannot be read"
            ) from None
        schema = unquote(parts.fragment) or USUAL_NAME
        if not (schema.isidentifier() and schema.isascii()) or len(schema) > 63:
            raise InvalidFile(
                f"a ledger's name in a database has letters, digits and _, got {schema!r:.60}"
            )
        return cls(named, schema, parts._replace(scheme="postgresql", fragment="").geturl())

    @property
    def path(self) -> Path:
        """There is none."""
        raise InvalidFile(
            f"the ledger {self.name} is on a server, and rows are released with one that is a "
            "file: who stops while drawing leaves a note beside it"
        )

    def expect_free(self) -> None:
        """Refuse a name under which a ledger is there."""
        with self._session("be looked for") as opened:
            if self._is_there(opened):
                raise InvalidFile(f"{self.name} is there already; a ledger is made only once")

    def create(self, fill: Callable[[Tables], None]) -> None:
        """Make all tables and what they hold in one transaction."""
        with self._session("be made") as opened, opened.transaction(("BEGIN",)):
            _expect_durable(self, opened)
            opened.execute(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"')
            opened.execute(f'SET LOCAL search_path TO "{self.schema}"')
            opened.execute("CREATE TABLE about (application TEXT, version INTEGER)")
            opened.execute("INSERT INTO about VALUES ('leaktight', ?)", (VERSION,))
            for table in TABLES + HISTORY + MOVED:
                opened.execute(table.replace("INTEGER", "BIGINT").replace("BLOB", "BYTEA"))
            fill(opened)

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open the tables as they are at one instant."""
        with self._session("be read") as opened:
            opened.execute(READ)
            self._expect_tables(opened)
            yield opened

    def expect_sound(self, opened: Tables) -> None:
        """The server sees to its own disk."""

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Hold the tables alone, and write all or nothing."""
        with self._session("be written") as opened:
            self._expect_tables(opened)
            with opened.transaction(WRITE):
                _expect_durable(self, opened)
                yield opened
                self._seen.now = _stamp(opened)  # what others will see

    def has_history(self, opened: Tables) -> bool:
        """Every ledger on a server keeps one."""
        return True

    def add_history(self, opened: Tables) -> None:
        """Nothing is to be done."""

    def moved(self, opened: Tables) -> str:
        """Return where the ledger was moved to."""
        found = opened.execute("SELECT target FROM moved").fetchone()
        return "" if found is None else str(found[0])

    def mark_moved(self, opened: Tables, target: str) -> None:
        """Write where it is from now on."""
        opened.execute("INSERT INTO moved VALUES (?, ?)", (target, now()))

    def known(self, opened: Tables) -> Contents | None:
        """Return what was kept, unless any row was written, changed or taken out since."""
        self._seen.now = _stamp(opened)
        of, contents = self._seen.kept
        return contents if of == self._seen.now else None

    def keep(self, contents: Contents, written: bool = False) -> None:
        """Keep what was verified, or was written just now, as of when it was looked at last."""
        self._seen.kept = (self._seen.now, contents)

    def forget(self) -> None:
        """Know nothing, until something is kept."""
        self._seen.kept = ((), None)

    def _is_there(self, opened: "Session") -> bool:
        [(found,)] = opened.execute("SELECT to_regclass(?)", (f'"{self.schema}".head',)).fetchall()
        return found is not None

    def _expect_tables(self, opened: "Session") -> None:
        if not self._is_there(opened):
            raise InvalidFile(
                f"there is no ledger {self.name}; it is made once, by leaktight ledger "
                f"'{self.name}' --new STUDY.toml or Ledger.create"
            )
        about = opened.execute("SELECT application, version FROM about").fetchall()
        if about != [("leaktight", VERSION)]:
            raise InvalidFile(f"{self.name} is no ledger of this version of leaktight")

    @contextmanager
    def _session(self, what: str) -> Iterator["Session"]:
        """Connect, and say in one line what is wrong."""
        try:
            import psycopg
        except ImportError:
            raise InvalidInput(
                "a ledger on a server needs psycopg: pip install 'leaktight[postgres]'"
            ) from None
        connect = partial(psycopg.connect, connect_timeout=int(WAIT), client_encoding="utf8")
        try:
            with connect(self.address, autocommit=True) as connection:
                connection.execute(f'SET search_path TO "{self.schema}"'.encode())
                yield Session(connection)
        except psycopg.Error as wrong:
            raise InvalidFile(f"the ledger {self.name} cannot {what}: {_cause(wrong)}") from None
        except UnicodeError:
            raise InvalidFile(
                f"the ledger {self.name} cannot {what}: it takes text alone"
            ) from None


@dataclass(frozen=True, slots=True)
class Session:
    """A connection, to which one command after the other is given."""

    connection: "psycopg.Connection[Any]"

    def execute(self, command: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run one command, with ``?`` for each value."""
        return self.connection.execute(command.replace("?", "%s").encode(), values or None)

    @contextmanager
    def transaction(self, begin: Sequence[str]) -> Iterator[None]:
        """Commit what is done inside; after an error the connection goes, and all with it."""
        for command in begin:
            self.execute(command)
        yield
        ended = self.connection.execute("COMMIT")
        if ended.statusmessage != "COMMIT":
            raise InvalidFile("the server did not commit; nothing was written")


def _expect_durable(store: ServerStore, opened: Session) -> None:
    """Refuse a server that may forget what it said it had written; wait for its disk."""
    [(disk,)] = opened.execute("SHOW fsync").fetchall()
    if disk != "on":
        raise InvalidFile(
            f"the ledger {store.name} cannot be written: its server has fsync = {disk}, and may "
            "lose what was paid; it must be on"
        )
    [(waits,)] = opened.execute("SHOW synchronous_commit").fetchall()
    if waits == "off":
        opened.execute("SET LOCAL synchronous_commit = on")


def _without_password(parts: SplitResult) -> str:
    """Return an address as it may be shown."""
    user, _, host = parts.netloc.rpartition("@")
    user = user.partition(":")[0]
    shown = [(key, value) for key, value in parse_qsl(parts.query) if key in SHOWN]
    place = f"{user}@{host}" if user else host
    query = f"?{urlencode(shown, safe='/')}" if shown else ""
    return f"postgresql://{place}{parts.path}{query}#{unquote(parts.fragment) or USUAL_NAME}"


def _cause(wrong: "psycopg.Error") -> str:
    """Return what went wrong in words that have neither data nor a password."""
    if (state := wrong.sqlstate) is not None:
        return CAUSES.get(state, f"the server refuses it ({type(wrong).__name__}, {state})")
    said = str(wrong)
    if type(wrong).__name__ == "ProgrammingError":
        return "its address cannot be read"
    if "password" in said or "authentication" in said:
        return CAUSES["28P01"]
    if "does not exist" in said:
        return "there is no such database or user"
    return "the server cannot be reached, or the connection was lost; ask again"
