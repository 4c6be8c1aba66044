"""Running a command as a user does, and seeing what it leaves behind."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from leaktight.commands.app import main


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run a command in a folder with a few files in it."""
    monkeypatch.chdir(tmp_path)
    Path("coin.csv").write_text("answer,-,+\nno,2/3,1/3\nyes,1/3,2/3\n")
    Path("people.csv").write_text("name,answer\nAda,yes\nBob,no\n")
    Path("junk.json").write_bytes(bytes(range(128, 256)))
    Path("deep.json").write_text("[" * 100_000)
    Path("empty.toml").write_text("")
    Path("policy.toml").write_text("[policy]\nvalues = 3\n")
    Path("folder").mkdir()

    def ran(*words: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["leaktight", *words])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return Said(left.value.code, said.out, said.err)

    return ran
