"""The command that protects a table."""

import csv
import json
from pathlib import Path

import pytest

from tests.commands.conftest import Run

PATIENTS = Path(__file__).parents[2] / "examples" / "tables" / "patients.csv"
ASKED = ("protect", str(PATIENTS), "--quasi-identifiers", "zip,age,sex", "--sensitive", "diagnosis")


def test_a_plan_shows_the_best_and_writes_nothing(run: Run) -> None:
    before = sorted(Path().iterdir())
    found = run(*ASKED, "--at-least-k", "5", "--suppress", "2%", "--plan")
    assert found.code == 0
    assert "The best 5, by entropy" in found.out
    assert "has no privacy guarantee" in found.out
    assert max(map(len, found.out.splitlines())) <= 80
    assert sorted(Path().iterdir()) == before


def test_what_is_written_keeps_what_was_asked(run: Run) -> None:
    levels = ("--recode", "zip=prefix:2/drop", "--recode", "sex=keep")
    Path("ages.csv").write_text("".join(f"{a};{a // 20};{a // 40};*\n" for a in range(120)))
    found = run(
        *ASKED, "--at-least-k", "5", *levels, "--hierarchy", "age=ages.csv", "--suppress", "0.05",
        "--output", "safe.csv", "--leave-out", "id", "--json",
    )  # fmt: skip
    assert found.code == 0
    told = json.loads(found.out)
    assert told["levels"][0] == ["first 2 of zip", "without zip"]
    assert (told["levels"][2], told["left_out"]) == ([], ["id"])
    known = ("--quasi-identifiers", "zip,age,sex", "--sensitive", "diagnosis")
    again = json.loads(run("risk", "safe.csv", *known, "--json").out)
    assert again["exposure"]["smallest"] == told["plans"][0]["risk"]["k"] >= 5
    assert json.loads(Path("safe.csv.protect.json").read_text("utf-8"))["asked"] == told["asked"]


def test_an_id_that_is_written_is_pointed_out(run: Run) -> None:
    found = run(*ASKED, "--below", "10%", "--output", "safe.parquet")
    assert "id is different in most rows" in found.out
    assert "written: safe.parquet" in found.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what the table must keep"),
        (("--at-least-k", "500"), "400 rows of 400 (100%)"),
        (("--at-least-k", "5", "--plan", "--output", "x.csv"), "--plan writes nothing"),
        (("--at-least-k", "5", "--output", "x.txt"), "must end in .csv, .parquet"),
        (("--at-least-k", "5", "--output", str(PATIENTS)), "must be two files"),
        (("--at-least-k", "5", "--recode", "zip"), "--recode must be such as"),
        (("--at-least-k", "5", "--recode", "zip=shift:2"), "--recode must be such as"),
        (("--at-least-k", "5", "--recode", "zip=epsilon:1"), "the levels of 'zip' must be"),
        (("--at-least-k", "5", "--hierarchy", "zip"), "--hierarchy must be such as"),
        (("--at-least-k", "5", "--hierarchy", "zip=none.csv"), "a value in each line"),
        (("--at-least-k", "5", "--count", "sex"), "--count must be such as"),
        (("--at-least-k", "5", "--mean", "age:"), "--mean must be such as"),
        (("--at-least-k", "5", "--mean", ":sex=F"), "--mean must be such as"),
        (("--t-closeness", "x"), "x"),
        (("--at-least-k", "5", "--loss", "much"), "loss must be one of"),
    ],
)
def test_bad_input_gets_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    found = run(*ASKED, *words)
    assert found.code == 2
    assert said in found.err
    assert found.err.count("\n") == 1


def test_counts_and_means_are_shown_before_and_after(run: Run) -> None:
    asked = ("--count", "sex=F", "--mean", "age:sex=F", "--population", "4000")
    said = run(*ASKED, "--at-least-k", "5", "--recode", "sex=keep", *asked)
    assert said.code == 0
    with PATIENTS.open(encoding="utf-8", newline="") as text:
        women = [float(row["age"]) for row in csv.DictReader(text) if row["sex"] == "F"]
    flat = " ".join(said.out.split())
    assert f"rows with sex = F {len(women)} {len(women)} +0.0%" in flat
    assert f"mean age where sex = F {sum(women) / len(women):.4g} " in flat
    assert "worst chance if the sample is not known (journalist)" in flat
    assert "weight 1/F" in flat
