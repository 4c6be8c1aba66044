"""The summary fits a terminal, words first, and rounds no risk away."""

from pathlib import Path
from typing import Any

import pytest

from leaktight.reports.terminal import summary, verdict
from leaktight.studies.answers import facts
from leaktight.studies.audit import audit
from leaktight.studies.study import read_study

NOISY = '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\nratio = 2\n'
STUDIES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))


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
    assert lines[2:4] == [
        "PRIVATE as asked: randomised response on 2 values has ε = 1.099, at most",
        "ε = 1.099.",
    ]
    assert "leakage        0.584963 bits: a guess is right 50% → 75%" in lines
    most = "as private as asked leaks at most 0.584963 bits about one value;"
    assert any(line.startswith(f"any mechanism  {most}") for line in lines)


def test_two_levels_that_round_alike_are_told_apart(tmp_path: Path) -> None:
    text = (
        '[policy]\nvalues = 2\n[mechanism]\nkind = "randomised response"\nratio = "{}"\n'
        "[question]\nratio = 2"
    )
    close = verdict(found(tmp_path, text.format("2.000001")))
    assert close.startswith("NOT PRIVATE")
    assert "ε = 0.6931477, more than ε = 0.6931472" in close  # 0.69314768…, 0.69314718…
    hair = verdict(found(tmp_path, text.format("2." + "0" * 30 + "1")))
    assert "a larger ε than asked, if only by a hair" in hair


def test_without_a_mechanism_the_policy_answers(tmp_path: Path) -> None:
    answers = found(tmp_path, "[policy]\nvalues = 2\n[question]\nratio = 3")
    assert verdict(answers) == "No mechanism is given: this is what any may tell."
    noisy = NOISY + "[question]\nratio = 3"
    unknown = found(tmp_path, noisy) | {"privacy": None, "holds": None}
    assert verdict(unknown) == "How private it is could not be computed."
    assert "any mechanism  as private as asked leaks at most" in summary(answers)


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


def test_no_epsilon_is_printed_below_the_true_one(tmp_path: Path) -> None:
    """ln 2 = 0.69314…: a mechanism with that ε is not private at 0.6931."""
    assert verdict(found(tmp_path, NOISY)).endswith("is private at ε = 0.6932.")
    asked = verdict(found(tmp_path, NOISY + "[question]\nratio = 2"))
    assert asked.endswith("has ε = 0.6932, at most ε = 0.6932.")
    more = verdict(found(tmp_path, NOISY + '[question]\nratio = "3/2"'))
    assert more.endswith("has ε = 0.6932, more than ε = 0.4055.")  # ln 3/2 = 0.405465…
    told = verdict(found(tmp_path, NOISY + "[question]\nepsilon = 1"))
    assert told.endswith("has ε = 0.6932, at most ε = 1.")


def test_what_is_guaranteed_at_worst_is_rounded_up(tmp_path: Path) -> None:
    """Two coins leak 2·log2(4/3) = 0.8300749985… bits at worst, one 0.4150374992…"""
    text = NOISY.replace("values = 2", "values = 2\nrecords = 2")
    lines = summary(found(tmp_path, text)).splitlines()
    assert any(line.startswith("at worst ") and "0.415038 bits" in line for line in lines)
    assert "               0.830075 bits about all 2 records together" in lines


def test_rows_say_what_they_are_about() -> None:
    hospital, vote = (
        " ".join(summary(facts(audit(read_study(path)))).split())
        for path in STUDIES
        if path.stem in ("hospital", "vote")
    )
    assert "0.584963 bits about one record by its answer alone, under any prior" in hospital
    assert "a guess is right 66.7% → 66.7%, by one answer alone" in hospital
    assert "0.857981 bits about all 3 records together" in hospital
    assert "as private as asked leaks at most 0.777608 bits about all 3 records" in hospital
    assert "at worst 1 bit about the answer" in vote
    assert "as private as asked leaks at most 4.23999 bits about all 5 records" in vote


def test_without_a_question_others_are_as_private_as_this_one(tmp_path: Path) -> None:
    text = " ".join(summary(found(tmp_path, NOISY)).split())
    assert "from any mechanism as private as this one Guessing" in text
    assert "any mechanism as private as this one leaks at most" in text


def test_the_figures_of_one_answer_are_called_so_beside_those_of_all() -> None:
    """The chances are those of tests/test_audit.py, where they are found by brute force."""
    [hospital] = [path for path in STUDIES if path.stem == "hospital"]
    text = " ".join(summary(facts(audit(read_study(hospital)))).split())
    alone = text.index("Guessing what one patient has, from that record's answer alone: 66.7% bef")
    every = text.index("Guessing what one patient has, from all 3 answers, each seen once: 66.7% b")
    assert alone < text.index("about 87.8% after 20") < every
    assert "with a chance of 3.6%: 'flu' in record 1 rises from 66.7% to 85.7%" in text[every:]


def test_one_number_has_the_same_digits_in_every_row(tmp_path: Path) -> None:
    """With the uniform prior a symmetric mechanism leaks log2(11/5) = 1.13750352… bits."""
    rows = ["11/15", "2/15", "2/15"]
    matrix = ", ".join(str([rows[k - shift] for k in range(3)]) for shift in range(3))
    text = f'[policy]\nvalues = 3\n[mechanism]\nkind = "matrix"\nrows = [{matrix}]'
    shown = [line.split()[2 if line.startswith("at worst") else 1]
             for line in summary(found(tmp_path, text)).splitlines()
             if line.startswith(("leakage ", "at worst "))]  # fmt: skip
    assert shown == ["1.13751", "1.13751"]


def test_the_certificate_is_named_with_what_it_proves(tmp_path: Path) -> None:
    answers = found(tmp_path, NOISY)
    assert "certificate" not in summary(answers)
    answers["certificate"] = {"file": "my proof.json", "proves": "the worst case"}
    *_, blank, name, proves, check = summary(answers).splitlines()
    assert (blank, name) == ("", "certificate: my proof.json")
    assert proves == "  It proves the worst case."
    assert check == "  leaktight verify 'my proof.json'"
