"""The examples run, and print what their text promises; so does the README."""

import csv
import re
import runpy
import sys
from pathlib import Path

import pytest

from leaktight.commands.app import main
from leaktight.tables import Ledger

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PROMISES = {
    "audit_black_box": "second version: ε = 1 is refuted: ε is at least 1.",
    "broken_mechanisms": "sparse vector without noise on answers (Algorithm 5): refuted, ε ≥ ",
    "crowds": "6 members: whoever is seen is the initiator with chance 1/2,",
    "dc_net": "a ring of 5, coins 1/2: the sender is guessed with chance 1/5 before, 1/5 after",
    "is_rounding_enough": "rounded to the nearest 5 (off by 1.20): 54.8%, 100.0%, 60.0%; ε = inf",
    "noisy_max": "the winner, ties by chance: ratio 488/173,",
    "password_checker": "answer and time: guessed with chance 1/8 before, 1/2 after",
    "public_counts": "with it: 4 because of",
    "repeated_survey": "after   1 answers: 75.0% if both are alike, 99.00% if one is rare",
    "sparse_vector": "noiseless, noise up to ±3, 2 questions: ratio inf, more than 16",
}


def test_every_example_has_a_promise() -> None:
    assert {example.stem for example in EXAMPLES} == set(PROMISES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_it_promises(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(example), run_name="__main__")
    assert PROMISES[example.stem] in capsys.readouterr().out


def test_the_readme_shows_what_an_audit_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    [(command, shown)] = re.findall(r"^\$ (leaktight .*)\n((?s:.*?))…\n```", readme, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    monkeypatch.setattr(sys, "argv", command.split())
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.startswith(shown)
    assert Path("page.html").exists()


def test_a_year_of_releases_ends_in_december(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Twelve months are published, all is spent, and the next January is refused."""
    monkeypatch.setattr(sys, "argv", ["run.py", str(tmp_path)])
    ran = runpy.run_path(str(ROOT / "examples" / "year" / "run.py"), run_name="__main__")
    said = capsys.readouterr()
    assert "2027-01 is refused" in said.out
    assert said.out.count(" is refused") == 1
    assert "would bring the privacy loss of neighbours under the public counts" in said.err
    assert "of 4,406 rows was outside the declared values of the column 'diagnosis'" in said.err
    months = sorted(path.stem for path in tmp_path.glob("202?-??.csv"))
    assert months == [f"2026-{month:02}" for month in range(1, 13)]
    book = Ledger.open(tmp_path / "year.ledger")
    assert book.budget.left(book.spent().largest) < 2**-20
    asked = [["patients by diagnosis", "patients by sex and age", "mean stay by diagnosis"]]
    assert [entry.queries for entry in book.entries()] == asked * 12
    held = total = 0
    patients = ran["write"].__globals__["patients"]
    for month in (1, 12):
        people = [
            (*row[1:4], row[4].replace("unclear", "other"), row[5]) for row in patients(month)
        ]
        with (tmp_path / f"2026-{month:02}.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                stays = [min(p[4], 8) for p in people if p[3] == row["cell"]]
                true = {
                    "patients by diagnosis": len(stays),
                    "mean stay by diagnosis": sum(stays) / max(1, len(stays)),
                }.get(row["query"])
                if true is not None:
                    total += 1
                    held += float(row["low"]) <= true <= float(row["high"])
    assert total == 20
    assert held >= 14  # 95% each: fewer are seen once in a million times
