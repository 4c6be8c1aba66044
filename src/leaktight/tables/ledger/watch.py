"""Whether anybody has written into the file of a ledger since it was read and verified.

All of a ledger is verified whenever it is not known to be what this process verified last, or wrote
itself. SQLite counts what is committed, by whomever, and a connection that stays open is told; what
is written past SQLite changes the file's times or its length. So a release takes as long after
100,000 others as after one, in an open ledger and in one that is opened again.

A file's times go by a clock that ticks every few milliseconds. So whoever commits sets them to the
nanosecond, with a mark, and they are not what any later write leaves. Times without it count if
they are of a while ago.
"""

import atexit
import os
import sqlite3
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from urllib.parse import quote

from leaktight.tables.ledger.history import Contents, tip_of

MARK, MARKS = 271_828, 10**6
"""The last digits of the nanoseconds at which one of us committed."""

A_WHILE = 10**8
"""So many nanoseconds ago, a tick of any clock is over."""

MOST_WATCHED = 16
"""So many ledgers are watched by a process."""


def address_of(path: Path) -> str:
    """Return how SQLite is told to open a file that is there."""
    return f"file:{quote(str(path.absolute()))}?mode=rw"


class Watch:
    """Who looks at a ledger's file between two uses of it, and keeps what is known of it.

    What is kept is used under a lock of SQLite that keeps others from writing. It belongs to one
    process: after a fork, or if it is sent to another, nothing is known.
    """

    __slots__ = ("_file", "_known", "_lock", "_of", "_stamp")

    def __init__(self) -> None:
        self._lock = Lock()
        self._file: sqlite3.Connection | None = None
        self._of: tuple[int, int, int] | None = None
        self._known: Contents | None = None
        self._stamp: tuple[int, ...] | None = None

    def known(self, path: Path) -> Contents | None:
        """Return what the ledger holds, unless somebody may have written since it was kept."""
        with self._lock:
            return self._known if self._known and self._look(path) == self._stamp else None

    def keep(self, path: Path, contents: Contents, written: bool) -> None:
        """Keep what was verified, or was written just now, if it is what the file ends with.

        Whoever writes a ledger changes its tip, and whoever swaps it leaves the tip of another.
        """
        with self._lock:
            if written:
                _mark(path)
            self._known, self._stamp = None, self._look(path)
            if self._file is None or self._stamp is None or not contents.states:
                return
            if not _is_settled(self._stamp[-2]):
                return
            with suppress(sqlite3.Error):
                if tip_of(self._file) == [(len(contents.states) - 1, contents.states[-1])]:
                    self._known = contents

    def forget(self) -> None:
        """Know nothing, until something is kept."""
        with self._lock:
            self._known = None

    def _look(self, path: Path) -> tuple[int, ...] | None:
        """Return what any change of the file changes; None if it cannot be told."""
        try:
            stat = path.stat()
            of = (os.getpid(), stat.st_dev, stat.st_ino)
            if self._file is None or of != self._of:
                self._close()
                self._file = sqlite3.connect(
                    address_of(path), uri=True, timeout=0, check_same_thread=False
                )
                self._of = of
            [(version,)] = self._file.execute("PRAGMA data_version")
            stat = path.stat()
        except (OSError, sqlite3.Error):  # such as that another one waits to write
            return None
        if (stat.st_dev, stat.st_ino) != of[1:]:
            return None
        return (version, *of, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)

    def _close(self) -> None:
        if self._file is not None and self._of is not None:
            if self._of[0] == os.getpid():
                self._file.close()
            else:
                _OF_PARENTS.append(self._file)
        self._file = None

    def __del__(self) -> None:
        self._close()

    def __reduce__(self) -> tuple[type["Watch"], tuple[()]]:
        return Watch, ()


@lru_cache(MOST_WATCHED)
def watch_of(path: Path) -> Watch:
    """Return who looks at the ledger of a path, for all who have opened it."""
    return Watch()


atexit.register(watch_of.cache_clear)  # while there still is what files are closed with


def _mark(path: Path) -> None:
    """Set the time of a file to the nanosecond; where that may not be, it is not known for now."""
    with suppress(OSError):
        at = time.time_ns() // MARKS * MARKS + MARK
        os.utime(path, ns=(path.stat().st_atime_ns, at))


def _is_settled(modified: int) -> bool:
    """Say whether whatever is written from now on leaves other times than these."""
    return modified % MARKS == MARK or not -A_WHILE < time.time_ns() - modified < A_WHILE


_OF_PARENTS: list[sqlite3.Connection] = []
"""Connections of the process that this one was forked from, which are not ours to close."""
