"""Files that are there whole or not at all.

Everything that leaktight writes goes through :func:`new_file`, or :func:`new_path` where an engine
writes: it is written beside its place, brought to the disk, and then takes its place in one step.
Whoever looks, or whatever stops the program, finds the file that was there before or the new one,
never a part. A new file may be read by its owner alone, and no link is followed.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import TextIO

from leaktight.errors import InvalidFile

PRIVATE = 0o600
"""Who may read a new file: its owner."""


def read_path(path: str | Path) -> Path:
    """Return where a file is."""
    try:
        return Path(path)
    except TypeError:
        raise InvalidFile(f"a file is named by a text or a Path, got {path!r:.60}") from None


def expect_writable(path: str | Path) -> None:
    """Refuse a file that cannot be written, before anything is computed for it."""
    target = read_path(path)
    with _said(target):
        if target.is_dir():
            raise OSError(0, "it is a folder")
        if target.is_symlink() and not _is_device(target):
            raise OSError(0, "it is a link, which is not followed; name the file itself")
        if not target.parent.is_dir():
            raise OSError(0, f"there is no folder {target.parent}")
        if target.exists() and not os.access(target, os.W_OK):
            raise OSError(0, "permission denied")
        if not _is_device(target) and not os.access(target.parent, os.W_OK):
            raise OSError(0, f"nothing can be written into the folder {target.parent}")


def expect_commas(header: Sequence[str], where: str = "") -> None:
    """Refuse the first line of a CSV file whose cells seem to be kept apart by something else."""
    if len(header) == 1 and (mark := re.search("[;\t|]", header[0])):
        raise InvalidFile(
            f"{where}cells must be separated by commas, this file seems to use {mark[0]!r}"
        )


@contextmanager
def new_file(
    path: str | Path, *, encoding: str = "utf-8", replace: bool = True
) -> Iterator[TextIO]:
    """Give a text file to write to, which is at ``path`` once all is written, and not before.

    A file that is there is replaced, and keeps its permissions; with ``replace=False`` it stays,
    and that is an error. A new one may be read by its owner alone. Of two that belong together,
    the second is written inside the first: ``with new_file(b)`` within ``with new_file(a)``. Then b
    takes its place first, and a only if b did. What a system refuses is said of the innermost file,
    so a is written, and flushed, before b is opened. Ends of lines are written as they are.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     page = Path(folder) / "page.md"
    ...     with new_file(page) as file:
    ...         _ = file.write("# Report")
    ...         page.exists()
    ...     page.read_text()
    False
    '# Report'
    """
    target = read_path(path)
    expect_writable(target)
    if _is_device(target):
        with _said(target), target.open("w", encoding=encoding, newline="") as file:
            yield file
        return
    beside = target.with_name(f".{target.name[:40]}.{token_hex(8)}.part")
    with _said(target):
        try:
            with open(beside, "x", encoding=encoding, newline="", opener=_opened) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if replace:
                _replace(beside, target)
            else:
                take(beside, target)
            sync_folder(target.parent)
        finally:
            beside.unlink(missing_ok=True)


@contextmanager
def new_path(path: str | Path) -> Iterator[Path]:
    """Give a path for an engine to write to, whose file is at ``path`` once the engine is done.

    It is in a folder that nobody else may look into. A file that is there is replaced.
    """
    target = read_path(path)
    expect_writable(target)
    with _said(target), TemporaryDirectory(dir=target.parent, prefix=".leaktight-") as folder:
        beside = Path(folder) / f"new{target.suffix}"
        yield beside
        beside.chmod(PRIVATE)
        sync_file(beside)
        _replace(beside, target)
        sync_folder(target.parent)


def _opened(path: str, flags: int) -> int:
    """Open a new file for its owner alone."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), PRIVATE)


def _replace(beside: Path, place: Path) -> None:
    """Put a file where another may be, whose permissions it keeps if that was ours."""
    with suppress(FileNotFoundError):
        there = place.lstat()
        if stat.S_ISREG(there.st_mode) and there.st_uid == beside.stat().st_uid:
            beside.chmod(there.st_mode & 0o777)
    beside.replace(place)  # a link that came there meanwhile is replaced, not what it points to


def _is_device(path: Path) -> bool:
    """Say whether something is a terminal, a pipe or the like, which is not replaced."""
    if path.parts[:2] == ("/", "dev"):  # where links such as /dev/stdout belong to the system
        return True
    return not path.is_symlink() and path.exists() and not path.is_file()


def take(beside: Path, place: Path) -> None:
    """Move a file to where none may be."""
    try:
        place.hardlink_to(beside)  # fails if there is one, even one of this moment
    except FileExistsError:
        raise
    except OSError:  # a disk without links
        if os.path.lexists(place):
            raise FileExistsError(0, "File exists") from None
        beside.rename(place)


def sync_file(path: Path) -> None:
    """Bring a file that something else has written to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where a system can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be written, and why."""
    try:
        yield
    except OSError as wrong:
        raise InvalidFile(f"{path} cannot be written: {wrong.strerror or wrong}") from None
