"""What a command loads: a small question waits for no large library."""

import subprocess
import sys

import pytest

HEAVY = {"igraph", "matplotlib", "networkx", "scipy", "jinja2", "duckdb", "narwhals", "pandas"}


@pytest.mark.parametrize(
    "command",
    [
        "explain complete:6 --epsilon 1",
        "explain cycle:7 --ratio 3/2",
        "choose complete:4 --below 1/2",
        "bound line:4 --records 100 --ratio 2",
        "audit examples/studies/hospital.toml",
        "audit examples/studies/vote.toml",
        "audit examples/studies/salary.toml",
        "bound edges:0-1,1-2,1-4,1-5,2-3 --ratio 2",
    ],
)
def test_a_small_question_loads_no_large_library(command: str) -> None:
    program = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from leaktight_command import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, *command.split()], capture_output=True, text=True
    )
    assert run.returncode in (0, 1)  # 1: the audit says that too much leaks
    loaded = run.stderr.split()
    assert HEAVY.isdisjoint(loaded)
    assert len(loaded) < 720
