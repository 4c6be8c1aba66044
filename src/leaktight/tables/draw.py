"""Draws of rows until they are released, one for each payment.

A draw is made in a folder beside its output that nobody else may look into. Before there is
anything in it, a note beside the ledger says where it is. The note is locked by whoever draws, and
the lock goes with the process: whoever comes next, after a kill, finds the note and then finishes
the draw, if the ledger has its hash, or destroys it before there is another one.
"""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from leaktight.errors import InvalidFile
from leaktight.files import PRIVATE, sync_file, sync_folder, take
from leaktight.tables.ledger import Ledger
from leaktight.tables.writing import digest

WAIT = 60.0
"""How many seconds a release waits for another one of the same rows."""

PAUSE = 0.02
"""How many seconds pass between two looks at a lock."""


def note_of(book: Ledger, name: str) -> Path:
    """Return where the note of a release is, if it is being drawn or was interrupted."""
    own = digest(book.identity, name)[:16]
    return book.path.with_name(f".{book.path.name[:40]}.{own}.draw")


@contextmanager
def drawing(book: Ledger, name: str) -> Iterator["Draw"]:
    """Hold the note of a release alone, for as long as it takes to draw."""
    note = note_of(book, name)
    opened = _locked(note, name)
    draw = Draw(note, opened)
    try:
        yield draw
    finally:
        try:
            if draw.folder is None:
                note.unlink()
        finally:
            os.close(opened)  # which unlocks it


def _locked(note: Path, name: str) -> int:
    """Return the note, opened and locked; one that another process took away meanwhile is not."""
    try:
        import fcntl
    except ImportError:
        raise InvalidFile("rows are released only where files can be locked, with fcntl") from None
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    until = time.monotonic() + WAIT
    while True:
        with _said(note, "be locked"):
            opened = os.open(note, flags, PRIVATE)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_there(note, opened):
                return opened
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(opened)
                raise InvalidFile(
                    f"another process is releasing the rows {name!r}; ask again when it has ended"
                ) from None
            time.sleep(PAUSE)
        except OSError as wrong:
            os.close(opened)
            raise InvalidFile(f"{note} cannot be locked: {wrong.strerror}") from None
        os.close(opened)


def _is_there(note: Path, opened: int) -> bool:
    """Say whether a note that was opened still has its name."""
    try:
        there = note.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(opened))


@dataclass(slots=True)
class Draw:
    """The folder of a draw, which the note knows; this process alone has it."""

    note: Path
    opened: int

    @property
    def folder(self) -> Path | None:
        """Where something was, or is being, drawn; None if nothing is."""
        said = os.pread(self.opened, 2**16, 0).decode("utf-8", "surrogateescape")
        if not said.endswith("\n"):  # nothing was drawn before it was written whole
            return None
        folder = self.note.parent / said[:-1]
        if not os.path.lexists(folder):
            return None
        there = folder.lstat()
        ours = there.st_uid == os.fstat(self.opened).st_uid and not folder.is_symlink()
        if not ours or not re.fullmatch(r"\.leaktight-[0-9a-f]{16}\.part", folder.name):
            raise InvalidFile(
                f"{self.note} says that rows were drawn in {folder}, which is no folder of ours; "
                "find out why, and remove it"
            )
        return folder

    @property
    def rows(self) -> Path | None:
        """The file of a draw, which may not be whole."""
        folder = self.folder
        return None if folder is None else next(folder.glob("rows.*"), None)

    def begin(self, target: Path) -> Path:
        """Return where rows for an output are to be written, after the note of it is on the disk.

        What was drawn before must have been destroyed.
        """
        beside = target.parent.resolve() / f".leaktight-{token_hex(8)}.part"
        said = os.path.relpath(beside, self.note.parent.resolve()) + "\n"
        with _said(beside, "be written"):
            os.ftruncate(self.opened, 0)
            os.pwrite(self.opened, said.encode("utf-8", "surrogateescape"), 0)
            os.fsync(self.opened)
            sync_folder(self.note.parent)
            beside.mkdir(0o700)
        return beside / f"rows{target.suffix.lower()}"

    def finish(self, target: Path, known: str) -> None:
        """Bring the draw whose hash the ledger has to its place; any other is destroyed.

        Where something else is in its place, it stays where it is.
        """
        rows = self.rows
        if rows is not None and hash_of(rows) == known:
            if not os.path.lexists(target):
                if rows.suffix != target.suffix.lower():
                    raise InvalidFile(
                        f"{target}: the rows were drawn for a file that ends in {rows.suffix}, "
                        "and wait for such a name"
                    )
                with _said(target, "be written"):
                    _brought(rows, target)
            elif hash_of(target) != known:
                return
        self.destroy()

    def destroy(self) -> None:
        """Take away what was drawn."""
        folder = self.folder
        if folder is not None:
            with _said(folder, "be removed"):
                shutil.rmtree(folder)
                sync_folder(folder.parent)


def settled(rows: Path) -> str:
    """Bring rows to the disk, where nobody but the owner may read them, and return their hash."""
    for file in rows.iterdir() if rows.is_dir() else [rows]:
        file.chmod(PRIVATE)
        sync_file(file)
    if rows.is_dir():
        rows.chmod(0o700)
        sync_folder(rows)
    sync_folder(rows.parent)
    return hash_of(rows)


def _brought(rows: Path, target: Path) -> None:
    """Move rows to their place."""
    if rows.is_dir():
        rows.rename(target)
    else:
        take(rows, target)
    sync_folder(target.parent)


def hash_of(path: Path) -> str:
    """Return the hash of a file, or of the files of a folder."""
    if path.is_dir():
        return sha256("".join(map(hash_of, parts_of(path))).encode()).hexdigest()
    found = sha256()
    with _said(path, "be read"), path.open("rb") as file:
        while block := file.read(2**20):
            found.update(block)
    return found.hexdigest()


def parts_of(folder: Path) -> list[Path]:
    """Return the files with rows in a folder that Spark wrote."""
    return sorted(file for file in folder.iterdir() if file.name.startswith("part-"))


@contextmanager
def _said(path: Path, what: str) -> Iterator[None]:
    """Say in one line what is wrong with a file."""
    try:
        yield
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot {what}: {wrong.strerror or wrong}") from None
