"""A file is there whole or not at all: with a full disk, and if the program is killed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidFile
from leaktight.files import expect_writable, new_file, new_path
from leaktight.mechanisms.release import release_csv

STEPS = """
import os, pathlib, signal, sys
from leaktight.channels.channel import Channel
from leaktight.channels.file import write_channel
from leaktight.mechanisms.release import release_csv

masked = Channel({"no": {"?": 1}, "yes": {"?": 1}})

def write():
    release_csv(masked, "told.csv", "released.csv", "answer")

def overwrite():
    write_channel(masked, "old.csv")

def killed_at(step, work):
    "Do it in a process that is killed before its step-th step towards the disk; say whether it was"
    child = os.fork()
    if child == 0:
        left = [step]
        def dying(call):
            def step(*given, **named):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*given, **named)
            return step
        for place, name in [(os, "fsync"), (os, "open"), (pathlib.Path, "open"),
                            (pathlib.Path, "replace"), (pathlib.Path, "hardlink_to"),
                            (pathlib.Path, "unlink"), (pathlib.Path, "chmod")]:
            setattr(place, name, dying(getattr(place, name)))
        work()
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0

step = 1
while killed_at(step, write):
    there = [pathlib.Path(name).exists() for name in ("released.csv", "released.csv.release.json")]
    print(*there, pathlib.Path("released.csv").read_text() == "answer\\n" + "?\\n" * 9999
          if there[0] else "")
    for path in pathlib.Path().glob("released.csv*"):
        path.unlink()
    step += 1
step = 1
while killed_at(step, overwrite):
    print(pathlib.Path("old.csv").read_text() in ("old", "exact,?\\nno,1\\nyes,1\\n"))
    pathlib.Path("old.csv").write_text("old")
    step += 1
"""
"""Kills a release, and the writing of a channel, at every step; says what is found after each."""


def ran(code: str, folder: Path) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def write(path: Path, text: str, meanwhile: Callable[[], object], *, replace: bool = True) -> None:
    """Write a file, while something else happens."""
    with new_file(path, replace=replace) as file:
        file.write(text)
        meanwhile()


def test_a_file_comes_into_being_whole(tmp_path: Path) -> None:
    place = tmp_path / "page.md"
    seen = []
    write(place, "new", lambda: seen.append(place.exists()))
    assert seen == [False]
    with pytest.raises(ZeroDivisionError):
        write(place, "half", lambda: 1 / 0)
    assert place.read_text() == "new"
    assert os.listdir(tmp_path) == ["page.md"]


def test_a_new_file_is_its_owners_and_a_replaced_one_keeps_its_permissions(tmp_path: Path) -> None:
    place = tmp_path / "page.md"
    modes = []
    for mode in (None, 0o640):
        if mode is not None:
            place.chmod(mode)
        with new_file(place) as file:
            [part] = tmp_path.glob(".*.part")
            modes.append(part.stat().st_mode & 0o777)
            file.write("new")
        modes.append(place.stat().st_mode & 0o777)
    assert modes == [0o600, 0o600, 0o600, 0o640]
    with new_path(tmp_path / "engine.parquet") as new:
        assert new.parent.stat().st_mode & 0o777 == 0o700
        new.write_text("by an engine")
    assert (tmp_path / "engine.parquet").stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["engine.parquet", "page.md"]


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("there", [True, False])
def test_a_link_at_an_output_is_not_followed(tmp_path: Path, there: bool, replace: bool) -> None:
    """Neither one that was there, nor one that came while the file was written."""
    theirs, link, place = (tmp_path / name for name in ("theirs", "link.md", "page.md"))
    if there:
        theirs.write_text("theirs")
    link.symlink_to(theirs)
    with pytest.raises(InvalidFile, match="it is a link, which is not followed"):
        write(link, "new", lambda: None, replace=replace)
    with pytest.raises(InvalidFile, match="it is a link, which is not followed"), new_path(link):
        pass
    if replace:
        write(place, "new", lambda: place.symlink_to(theirs))
        assert place.read_text() == "new"
        assert not place.is_symlink()
    else:
        with pytest.raises(InvalidFile, match="File exists"):
            write(place, "new", lambda: place.symlink_to(theirs), replace=False)
    assert theirs.exists() == there
    assert not there or theirs.read_text() == "theirs"


def test_a_link_to_what_is_no_file_is_not_followed_either(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "page.md").symlink_to(tmp_path / "pipe")
    with pytest.raises(InvalidFile, match="it is a link"):
        write(tmp_path / "page.md", "new", lambda: None)


def test_a_file_that_must_not_be_there_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "page.md"
    with pytest.raises(InvalidFile, match="File exists"):
        write(place, "new", lambda: place.write_text("somebody was quicker"), replace=False)
    assert place.read_text() == "somebody was quicker"
    assert os.listdir(tmp_path) == ["page.md"]


@pytest.mark.parametrize("name", ["x" * 300, "folder", "none/page.md", "page.md/page.md"])
def test_what_cannot_be_written_is_said_before_the_work(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "page.md").touch()
    with pytest.raises(InvalidFile, match="cannot be written: "):
        expect_writable(tmp_path / name)


def test_what_is_no_file_is_written_to_and_not_replaced() -> None:
    with new_file("/dev/null") as file:
        file.write("gone")
    assert Path("/dev/null").is_char_device()


def test_a_full_disk_leaves_the_old_file_and_no_release(tmp_path: Path) -> None:
    (tmp_path / "told.csv").write_text("answer\n" + "yes\n" * 9999)
    (tmp_path / "old.csv").write_text("old")
    full = """
import resource
from leaktight.channels.channel import Channel
from leaktight.channels.file import write_channel
from leaktight.errors import InvalidFile
from leaktight.mechanisms.release import release_csv

resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for work in (
    lambda: release_csv(Channel.identity(["no", "yes"]), "told.csv", "released.csv", "answer"),
    lambda: write_channel(Channel.identity(100), "old.csv"),
):
    try:
        work()
    except InvalidFile as wrong:
        print(wrong)
"""
    assert ran(full, tmp_path).splitlines() == [
        "released.csv cannot be written: File too large",
        "old.csv cannot be written: File too large",
    ]
    assert sorted(os.listdir(tmp_path)) == ["old.csv", "told.csv"]
    assert (tmp_path / "old.csv").read_text() == "old"


def test_killed_at_any_step_there_is_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    """And a release that is there has its record, and all its rows."""
    (tmp_path / "told.csv").write_text("answer\n" + "yes\n" * 9999)
    (tmp_path / "old.csv").write_text("old")
    seen = ran(STEPS, tmp_path).splitlines()
    assert {*seen} == {"False False ", "False True ", "True True True", "True"}


def test_of_two_releases_at_once_one_remains_with_its_record(tmp_path: Path) -> None:
    told, out = tmp_path / "told.csv", tmp_path / "out.csv"
    told.write_text("answer\nyes\n")
    coin = Channel.identity(["no", "yes"])
    with pytest.raises(InvalidFile, match="File exists"):
        write(out, "late", lambda: release_csv(coin, told, out, "answer"), replace=False)
    assert out.read_text() == "answer\nyes\n"
    assert (tmp_path / "out.csv.release.json").exists()
