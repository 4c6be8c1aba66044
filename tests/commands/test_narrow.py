"""On a terminal of any width every command answers."""

import shutil
from pathlib import Path

import pytest

from tests.commands.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMANDS = (
    f"audit {EXAMPLES}/studies/vote.toml",
    "bound line:4 --records 100 --ratio 2",
    "bound interval:0:100 --epsilon 0.1",
    "design line:3 --ratio 2 --output m.csv --certificate d.json",
    "verify d.json",
    "decide complete:2 0,2 1,1",
    "repeat coin.csv --observations 1,10 --below 0.99",
    "leak coin.csv --prior 9/10,1/10",
    "compare coin.csv coin.csv",
    "explain complete:4 --epsilon 1",
    "choose complete:2 --prior 1/3,2/3 --below 3/4",
    "sample coin.csv yes",
    f"risk {EXAMPLES}/tables/patients.csv --quasi-identifiers zip,age,sex --sensitive diagnosis",
    "release wages/wages.toml --plan",
    "release wages/wages.toml",
    "ledger wages/wages.ledger",
    "release --help",
)


@pytest.mark.parametrize("columns", [1, 24])
def test_every_command_answers_on_a_narrow_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shutil.copytree(EXAMPLES / "tables", "wages")
    assert run("ledger", "wages/wages.ledger", "--new", "wages/wages.toml").code == 0
    for words in COMMANDS:
        said = run(*words.split())
        assert said.code == 0, (words, said.err)
        assert said.out, words
