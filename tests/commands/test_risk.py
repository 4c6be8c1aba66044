"""What handing out a table risks, on the command line, as JSON and as a page."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from tests.commands.conftest import Run
from tests.tables.engines import CANARY

PATIENTS = Path(__file__).parent.parent.parent / "examples" / "tables" / "patients.csv"
PEOPLE = [line.split(",") for line in PATIENTS.read_text("utf-8").splitlines()[1:]]
ASKED = ("risk", str(PATIENTS), "--quasi-identifiers", "zip,age,sex", "--sensitive", "diagnosis")


def test_chances_before_and_after_are_printed(run: Run) -> None:
    said = run(*ASKED)
    assert (said.code, said.err) == (0, "")
    groups = Counter(tuple(one[1:4]) for one in PEOPLE)
    alone = sum(size == 1 for size in groups.values())
    assert (
        f"{alone} of 400 people are unique on the quasi-identifiers zip, age, sex (k = 1)"
        in " ".join(said.out.split())
    )
    assert f"to find a person's row   0.25%  {100 * len(groups) / 400:.1f}%" in said.out
    assert "All 6 combinations of up to 2 of the 3 quasi-identifiers." in said.out
    assert "Who is at most risk" not in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_json_has_the_exact_numbers(run: Run) -> None:
    said = run(*ASKED, "--combinations", "0", "--json", "--rows")
    found = json.loads(said.out)
    groups = Counter(tuple(one[1:4]) for one in PEOPLE)
    assert Fraction(found["exposure"]["find"]["exact"]) == Fraction(len(groups), 400)
    first = [i for i, one in enumerate(PEOPLE, 1) if groups[tuple(one[1:4])] == 1][:10]
    assert [one["row"] for one in found["worst"]] == first
    assert found["combinations"] == []


def test_everything_can_be_asked_at_once_and_is_on_a_page(run: Run) -> None:
    Path("later.csv").write_text(PATIENTS.read_text("utf-8").replace(",F,", ",M,"))
    words = (
        *ASKED, "--try", "zip=prefix:2+age=bands:40,65", "--try", "zip=ratio:3", "--try",
        "diagnosis=epsilon:1", "--try", "sex=drop", "--known-share", "zip+age=50%",
        "--later-release", "later.csv", "--person", "id", "--rows",
    )  # fmt: skip
    for name in ("risk.html", "risk.md"):
        said = run(*words, "--report", name)
        assert said.code == 0, said.err
        assert f"report: {name}" in said.out
        page = Path(name).read_text("utf-8")
        for title in (
            "How many people are alike", "Which columns tell most", "After several releases",
            "If some columns of some people are known", "What would help", "Who is at most risk",
        ):  # fmt: skip
            assert title in said.out
            assert title in page
        assert "A table that is only coarser has no privacy guarantee" in page
        assert "leaktight risk" in page
    assert "<svg" in Path("risk.html").read_text("utf-8")
    assert max(map(len, said.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--try", "zip"), "--try must be such as"),
        (("--try", "zip=prefix:x"), "whole number"),
        (("--try", "age=bands:1,x"), "a cut of 'age' is a number or a date"),
        (("--try", "zip=bands:1"), "cannot be read as one"),
        (("--known-share", "zip"), "--known-share must be such as"),
        (("--report", "page.pdf"), "must end in .html or .md"),
        (("--report", str(PATIENTS)), "must end in .html or .md"),
        (("--combinations", "-1"), "0 or more"),
        (("--later-release", str(PATIENTS)), "need person"),
        (("--person", "nobody"), "has no column 'nobody'"),
    ],
)
def test_bad_input_gets_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    Path("codes.csv").write_text(f"zip,age,sex,diagnosis\n{CANARY},1,F,flu\n")
    source = "codes.csv" if "zip=bands:1" in words else str(PATIENTS)
    found = run("risk", source, *ASKED[2:], *words)
    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1
    assert CANARY not in found.err + found.out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--known", "--quasi-identifiers"),
        ("--secret", "--sensitive"),
        ("--partly", "--known-share"),
        ("--then", "--later-release"),
    ],
)
def test_an_old_option_says_its_new_name(run: Run, old: str, new: str) -> None:
    said = run(*ASKED, old, "zip")
    assert (said.code, said.out) == (2, "")
    assert said.err == f"leaktight: {old} is {new} now (leaktight risk --help)\n"
