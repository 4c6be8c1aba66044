"""What a command loads: a small question waits for no large library, and for little of our own."""

import subprocess
import sys

import pytest

HEAVY = {"igraph", "matplotlib", "networkx", "scipy", "jinja2", "duckdb", "narwhals", "pandas"}
VALIDATORS = {"msgspec", "attr", "pydantic"}


def loaded(command: str) -> list[str]:
    """Return the modules that are there when a command ends."""
    program = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from leaktight_command import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, *command.split()], capture_output=True, text=True
    )
    assert run.returncode in (0, 1)  # 1: the audit says that too much leaks
    return run.stderr.split()


@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("explain complete:6 --epsilon 1", 112),
        ("explain cycle:7 --ratio 3/2", 112),
        ("choose complete:4 --below 1/2", 115),
        ("bound line:4 --records 100 --ratio 2", 115),
        ("bound edges:0-1,1-2,1-4,1-5,2-3 --ratio 2", 115),
        ("bound --help", 7),
    ],
)
def test_a_small_question_loads_little(command: str, most: int) -> None:
    names = loaded(command)
    assert (HEAVY | VALIDATORS).isdisjoint(names)
    assert sum(name.startswith("leaktight.") for name in names) <= most


@pytest.mark.parametrize("study", ["hospital", "vote", "salary", "wages"])
def test_an_audit_of_a_small_study_loads_no_large_library(study: str) -> None:
    names = loaded(f"audit examples/studies/{study}.toml")
    assert HEAVY.isdisjoint(names)
    assert sum(name.startswith("leaktight.") for name in names) <= 240


def test_the_best_mechanism_on_a_map_loads_nothing_that_draws() -> None:
    names = loaded("audit examples/studies/places.toml")
    assert (HEAVY - {"scipy"}).isdisjoint(names)
