"""The summary fits a terminal, words first, and rounds no risk away."""

from pathlib import Path
from typing import Any

import pytest

from leaktight.audit import audit
from leaktight.facts import facts
from leaktight.study import read_study
from leaktight.terminal import summary, verdict

STUDIES = sorted((Path(__file__).parent.parent / "examples" / "studies").glob("*.toml"))


def found(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return facts(audit(read_study(path)))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_the_examples_fit_a_terminal(path: Path) -> None:
    answers = facts(audit(read_study(path)))
    lines = summary(answers).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    assert lines[0] == answers["title"]
    assert "PRIVATE as asked" in lines[2]


def test_long_texts_are_wrapped(tmp_path: Path) -> None:
    answers = found(
        tmp_path,
        f'title = "{"long " * 50}"\n[policy]\nvalues = ["{"x" * 300}", "y"]\n'
        '[mechanism]\nkind = "randomised response"\n[question]\nratio = 2',
    )
    assert max(map(len, summary(answers).splitlines())) <= 80
    assert "\n" not in verdict(answers)


def test_words_come_first_and_numbers_last(tmp_path: Path) -> None:
    text = '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\n[question]\nratio = 3'
    lines = summary(found(tmp_path, text)).splitlines()
    assert lines[2] == (
        "PRIVATE as asked: randomised response on 2 values has ε = 1.099, at most ε ="
    )
    assert "leakage        0.584963 bits: a guess is right 50% → 75%" in lines
    assert any("no mechanism leaks more than 0.584963 bits, and some" in line for line in lines)


def test_two_levels_that_round_alike_are_told_apart(tmp_path: Path) -> None:
    text = (
        '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\nratio = "{}"\n'
        "[question]\nratio = 2"
    )
    close = verdict(found(tmp_path, text.format("2.000001")))
    assert close.startswith("NOT PRIVATE")
    assert "ε = 0.69314768, more than ε = 0.69314718" in close
    hair = verdict(found(tmp_path, text.format("2." + "0" * 30 + "1")))
    assert "an ε above 0.6931, if only by a hair" in hair


def test_without_a_mechanism_the_policy_answers(tmp_path: Path) -> None:
    answers = found(tmp_path, "[policy]\nvalues = 2\n[question]\nratio = 3")
    assert verdict(answers) == "No mechanism is given: this is what any may tell."
    assert "as private" in summary(answers)


def test_no_epsilon_at_all_is_said(tmp_path: Path) -> None:
    rows = '[policy]\nvalues = 2\n[mechanism]\nkind = "matrix"\nrows = [[1, 0], [0, 1]]\n'
    assert verdict(found(tmp_path, rows)) == "The given matrix is private at no ε."
    assert verdict(found(tmp_path, rows + "[question]\nratio = 9")) == (
        "NOT PRIVATE as asked: the given matrix is private at no ε."
    )


def test_bounds_are_rounded_up(tmp_path: Path) -> None:
    answers = found(tmp_path, "[policy]\nvalues = 3\n[question]\nratio = 2")
    answers["worst case"]["upper bits"] = 1.2345671
    answers["published bounds"] = [{"bits": 1.2345671, "source": "a paper"}]
    assert summary(answers).count("1.23457 bits") == 2
    answers["worst case"]["upper bits"] = 1.2345601
    assert "1.23457 bits" in summary(answers)
