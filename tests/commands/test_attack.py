"""``leaktight attack``, as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Run

SURVEY = """
from random import Random
rng = Random(1)

def coin(truth):
    print("noise")
    return truth if rng.random() < 0.75 else not truth

def noisy(values):
    return [value + rng.randint(-2, 2) for value in values]

def word(text):
    return text * rng.randint(1, 2)

def broken(value):
    return 1 / value
"""

COIN = ("attack", "survey:coin", "--inputs", "True", "False")


@pytest.fixture(autouse=True)
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("survey.py").write_text(SURVEY, "utf-8")


def test_a_promise_that_is_kept_exits_with_0_and_one_that_is_not_with_1(run: Run) -> None:
    asked = (*COIN, "--samples", "8000", "--seed", "1")
    kept = run(*asked, "--epsilon", "ln 3")
    assert kept.code == 0
    assert kept.out.startswith(
        "not refuted: λ = 3 (which does not prove it)\n  event    the output"
    )
    broken = run(*asked, "--epsilon", "0.5")
    assert broken.code == 1
    assert "REFUTED: ε = 0.5" in broken.out
    assert "with 99.9% confidence" in broken.out
    assert all(len(line) <= 80 for line in broken.out.splitlines())


@pytest.mark.parametrize(("promise", "unit"), [("--rho", "ρ"), ("--mu", "μ"), ("--epsilon", "ε")])
def test_machines_read_the_same(run: Run, promise: str, unit: str) -> None:
    asked = (*COIN, "--samples", "8000", "--seed", "1", "--json")
    found = run(*asked, promise, "0.05")
    told = json.loads(found.out)
    assert found.code == 1
    assert told["refuted"] is True
    assert told["proved"]["parameter"] == unit
    assert told["proved"]["at least"] > 0.05
    assert told["chance at least"] > told["chance allowed"]


def test_inputs_are_literals_or_texts(run: Run) -> None:
    lists = run("attack", "survey:noisy", "--inputs", "[0, 0]", "[0, 3]", "--epsilon", "1")
    assert lists.code == 1
    assert run("attack", "survey:word", "--inputs", "a", "b", "--epsilon", "1").code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("attack survey:coin --inputs 0 1", "give one promise"),
        ("attack survey:coin --inputs 0 1 --epsilon 1 --rho 1", "got epsilon= and rho="),
        ("attack survey:con --inputs 0 1 --epsilon 1", "did you mean 'coin'"),
        ("attack nothing:here --inputs 0 1 --epsilon 1", "must be module:function"),
        ("attack survey:broken --inputs 0 1 --epsilon 1", "raised ZeroDivisionError"),
        ("attack survey:coin --inputs 0 1 --epsilon 1 --budget soon", "a time such as"),
        ("attack survey:coin --inputs 0 1 --epsilon 1 --samples few", "expected a whole number"),
        ("attack survey:coin --epsilon 1", "Missing option"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(run: Run, words: str, said: str) -> None:
    found = run(*words.split())
    assert found.code == 2
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1
