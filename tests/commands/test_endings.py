"""However a command ends, its exit code says which way, and nothing is left half done."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leaktight.commands import app
from leaktight.commands.output import Work
from tests.commands.conftest import Run

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "examples" / "studies"
BOUND = ("bound", "complete:6", "--ratio", "2")
QUICK, WRONG = ("--version",), ("--wrong",)


def start(
    *words: str, before: str = "", shell: str = 'exec "$0" "$@"', **given: Any
) -> "subprocess.Popen[str]":
    """Start a command in a process of its own, after some Python, by a line of a shell."""
    run = f"{before}\nfrom leaktight_command import main\nmain()"
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | given
    command = ["sh", "-c", shell, sys.executable, "-c", run, *words]
    return subprocess.Popen(command, text=True, encoding="utf-8", **given)


# --- mistakes of ours ------------------------------------------------------------------------


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every command that asks for a graph meet a mistake of ours."""

    def apart_of(text: str) -> None:
        raise AssertionError(f"the cell 'cancer' of {text}")

    monkeypatch.setattr("leaktight.policies.text.apart_of", apart_of)


@pytest.mark.usefixtures("broken")
def test_a_mistake_of_ours_is_no_verdict_and_quotes_no_data(run: Run) -> None:
    said = run(*BOUND)
    assert (said.code, said.out, said.err.count("\n")) == (app.DEFECT, "", 1)
    assert said.code not in (0, 1, 2)
    assert "AssertionError at graph.py:" in said.err
    assert "LEAKTIGHT_TRACEBACK=1" in said.err
    assert "report it with this line" in said.err
    assert "cancer" not in said.err


@pytest.mark.usefixtures("broken")
def test_a_developer_sees_where_a_mistake_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAKTIGHT_TRACEBACK", "1")
    said = run(*BOUND)
    assert said.code == app.DEFECT
    assert "Traceback" in said.err
    assert "the cell 'cancer' of complete:6" in said.err


def test_an_end_of_input_within_a_command_is_a_mistake_of_ours(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def apart_of(text: str) -> None:
        raise EOFError

    monkeypatch.setattr("leaktight.policies.text.apart_of", apart_of)
    assert run(*BOUND).code == app.DEFECT


def test_what_has_no_certificate_says_so(run: Run) -> None:
    said = run("audit", str(STUDIES / "agency.toml"), "--certificate", "c.json")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "a certificate has nothing to prove: of too many databases" in said.err
    assert not Path("c.json").exists()


# --- nobody reads, nothing can be written ----------------------------------------------------


def test_a_reader_who_has_read_enough_ends_a_command(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with start(*QUICK, stdout=writer) as process:
        os.close(writer)
        assert process.communicate()[1] == ""
    assert process.returncode == app.CLOSED


FULL = Path("/dev/full")
CLOSED_STREAMS = {
    "no output": (">&-", QUICK, 0),
    "no errors": ("2>&-", WRONG, 2),
    "neither": (">&- 2>&-", WRONG, 2),
}


@pytest.mark.parametrize("name", CLOSED_STREAMS)
def test_closed_streams_do_not_change_the_exit_code(name: str) -> None:
    close, words, code = CLOSED_STREAMS[name]
    with start(*words, shell=f'exec "$0" "$@" {close}') as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (code, "", "")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is full")
def test_a_full_disk_is_said_in_one_line() -> None:
    with FULL.open("w") as full, start(*QUICK, stdout=full) as process:
        _, err = process.communicate()
    assert err == "leaktight: the output cannot be used: No space left on device\n"
    assert process.returncode == 2
    with FULL.open("w") as full, start(*WRONG, stderr=full) as process:
        process.communicate()
    assert process.returncode == 2


# --- Ctrl-C ----------------------------------------------------------------------------------

MOMENTS = {
    "before the package is imported": "leaktight",
    "before the commands are imported": "click",
    "while the command is imported": "leaktight.commands.graph",
    "while an answer is computed": "leaktight.worst_case.optimum",
}
INTERRUPT = """
import os, signal, sys
class Stop:
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Stop())
"""


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_command_is_stopped_at_any_moment_without_a_traceback(moment: str) -> None:
    with start(*BOUND, before=INTERRUPT.format(name=MOMENTS[moment])) as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (app.STOPPED, "", "")


def test_a_command_is_stopped_while_it_leaves() -> None:
    leave = "import atexit, os, signal\natexit.register(os.kill, os.getpid(), signal.SIGINT)"
    with start(*QUICK, before=leave) as process:
        out, err = process.communicate()
    assert (process.returncode, err) == (app.STOPPED, "")
    assert out.startswith("leaktight ")  # all of the answer was there


def test_what_runs_in_the_background_is_not_stopped_by_a_key() -> None:
    stop = INTERRUPT.format(name="click")
    with start(*QUICK, before=stop, shell='trap "" INT; exec "$0" "$@"') as process:
        out, _ = process.communicate()
    assert (process.returncode, out[:10]) == (0, "leaktight ")


def test_a_stopped_command_leaves_no_half_file(tmp_path: Path) -> None:
    stop = """
import os, signal
sync = os.fsync
os.fsync = lambda file: (sync(file), os.kill(os.getpid(), signal.SIGINT))
"""
    words = ("design", "line:3", "--ratio", "2", "--output", "m.csv", "--certificate", "c.json")
    with start(*words, before=stop, cwd=tmp_path) as process:
        assert process.communicate() == ("", "")
    assert process.returncode == app.STOPPED
    assert list(tmp_path.iterdir()) == []


def test_whoever_stops_an_audit_is_told_what_was_finished(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        '[policy]\nvalues = 4\n[mechanism]\nkind = "best"\n[question]\nepsilon = 1\n', "utf-8"
    )
    stop = """
import os, signal
from importlib import import_module
audit = import_module("leaktight.studies.audit")
def stopped(*_):
    os.kill(os.getpid(), signal.SIGINT)
parts = {part.name: part for part in audit.PARTS}
object.__setattr__(parts["worst case"], "compute", stopped)
"""
    with start("audit", "study.toml", before=stop, cwd=tmp_path) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (app.STOPPED, "")
    assert re.fullmatch(
        r"leaktight: stopped after \d+ s at worst case; finished: privacy, all others known, "
        r"any mechanism.*; no answer was written\n",
        err,
    )


def test_what_is_left_is_shown_while_one_waits() -> None:
    shown: list[str] = []
    work = Work(shown.append, ["one", "two", "three", "four", "five"])
    assert work.stopped() is None  # nothing was done, and nobody has waited
    work("one")
    work("two")
    work.at("round 3")
    work("five")
    assert shown == [
        "computing: one (1 of 5); left: two, three, four, …",
        "computing: two (2 of 5); left: three, four, five",
        "computing: two (2 of 5), round 3; left: three, four, five",
        "computing: five (5 of 5)",
    ]
    assert work.stopped() == (
        "stopped after 0 s at five; finished: one, two; no answer was written"
    )


def test_what_waits_for_an_earlier_part_is_not_finished() -> None:
    work = Work(lambda what: None, ["one", "two", "three"])
    for part in ("one", "three", "two"):
        work(part)
    assert (work.stopped() or "").startswith("stopped after 0 s at two; finished: one;")


def test_limits_that_are_raised_by_no_number_are_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAKTIGHT_LIMITS", "lots")
    code, out, err = run("design", "line:3", "--epsilon", "1", "--output", "best.csv")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "leaktight: LEAKTIGHT_LIMITS must be a whole number from 1 to 32, got 'lots'"
    ]
