"""The page of items is what the register gives, and every call and command on it runs."""

import sys
from pathlib import Path
from typing import Any

import pytest

from leaktight.channels import write_channel
from leaktight.commands.app import main
from leaktight_papers import constructions
from leaktight_papers.calls import CALLS, COMMANDS, SETUP
from leaktight_papers.claim import run
from leaktight_papers.items import items, items_page
from leaktight_papers.register import REGISTER
from leaktight_papers.show import detail, to_dict
from tests.papers.test_register import PAPERS

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    made: dict[str, Any] = {}
    exec(SETUP, made)
    return made


def test_the_page_in_the_docs_is_what_the_register_gives() -> None:
    """If it fails: ``python -m leaktight_papers.items docs/papers.md``."""
    assert PAGE.read_text(encoding="utf-8") == items_page(items())


def test_every_item_of_the_papers_has_a_call() -> None:
    assert {id for ids in PAPERS.values() for id in ids.split()} == set(CALLS)
    assert set(COMMANDS) <= set(CALLS)


@pytest.mark.parametrize("id", CALLS)
def test_the_call_runs(id: str, names: dict[str, Any]) -> None:
    assert eval(CALLS[id], names) is not None


@pytest.mark.parametrize("id", COMMANDS)
def test_the_command_runs(
    id: str,
    names: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_channel(names["rows"], "rows.csv")
    monkeypatch.setattr(sys, "argv", COMMANDS[id].split())
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    assert capsys.readouterr().out


def test_reproduce_shows_the_call() -> None:
    outcome = run(REGISTER["E-T11-dual"])
    assert "call:" not in detail(outcome)
    outcome = run(REGISTER["B-Fig2"])
    assert f"call: {CALLS['B-Fig2']}\ntype: {COMMANDS['B-Fig2']}\n" in detail(outcome)
    assert to_dict(outcome)["call"] == CALLS["B-Fig2"]


def test_constructions_are_public_by_their_names() -> None:
    for name in constructions.__all__:
        assert callable(getattr(constructions, name))
        assert getattr(constructions, name).__doc__
