"""What the comparison reports when a contender fails, and how growth is fitted."""

import json
import pkgutil
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import cases, document, results
from benchmarks.case import same
from benchmarks.measure import WRONG, _compared, measure
from benchmarks.results import Row, Time

from tests import contenders


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(measure("tests.contenders", 0, contenders.CASES[0], quick=False))


def test_contenders_that_answer_are_timed(rows: list[Row]) -> None:
    for row in rows:
        for way in ("ours", "theirs", "limit"):
            assert row.times[way].runs == 3
            assert (row.times[way].seconds or 0) > 0
    assert [row.task for row in rows] == ["twice 1", "twice 2"]


def test_one_that_raises_dies_or_hangs_is_reported_as_such(rows: list[Row]) -> None:
    last = {way: time.failure for way, time in rows[1].times.items() if time.failure}
    assert last == {
        "raises": "ValueError: singular matrix at 1",
        "dies": "crashed, exit code 3 at 1",
        "hangs": "given up after 3 s at 2",
    }
    assert rows[0].times["hangs"].seconds is not None


def test_all_answers_must_agree() -> None:
    with pytest.raises(AssertionError):
        same({"ours": 2, "theirs": 3})


def test_a_wrong_answer_is_told_and_the_rest_is_measured() -> None:
    def refused(answers: object) -> str:
        raise AssertionError(answers)

    case = replace(contenders.CASES[0], agree=refused)
    assert _compared(case, {"ours": 2}).startswith(f"{WRONG}: {{'ours': 2}}")
    assert not _compared(case, {"theirs": 2})


def test_the_exponent_of_a_power_is_found(rows: list[Row]) -> None:
    def timed(n: int) -> Row:
        times = {"ours": Time(3e-6 * n**2), "theirs": Time(1e-6 * n**3)}
        return replace(rows[0], size=n, scale=float(n), times=times, limit="")

    found = results.exponents([timed(n) for n in (10, 100, 1000)])
    assert found == pytest.approx({"ours": 2, "theirs": 3})
    assert timed(10).ratio("theirs") == pytest.approx(10 / 3)


def test_the_files_hold_what_was_measured(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    results.write(rows)
    content = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert [row["task"] for row in content["rows"]] == ["twice 1", "twice 2"]
    table = (tmp_path / "table.md").read_text("utf-8")
    assert "hangs: given up after 3 s at 2" in table
    assert table.count("| twice ") == 2


def test_the_first_call_of_a_process_is_told_by_itself(rows: list[Row]) -> None:
    assert all(rows[0].times[way].cold for way in ("ours", "theirs", "limit"))
    assert all(rows[1].times[way].cold is None for way in ("ours", "theirs", "limit"))
    assert "ours" in rows[0].cells()[3]
    assert not rows[1].cells()[3]


def test_every_row_in_which_another_is_quicker_is_listed_with_the_reason(rows: list[Row]) -> None:
    def timed(case: str, ours: float, theirs: float) -> Row:
        times = {"ours": Time(ours), "theirs": Time(theirs), "limit": Time(1e-9)}
        return replace(rows[0], case=case, task=f"{case} {ours}", times=times, limit="limit")

    told = document.behind([timed("release", 2, 1), timed("release", 1, 2), timed("new", 4, 1)])
    assert told.startswith("In 2 of 3 rows another is quicker.")
    assert "| release 2 | 2 s | theirs 0.5× |" in told
    assert "release 1 |" not in told
    assert document.BEHIND["release"] in told
    assert f"- **New**: {document.UNKNOWN}." in told


def test_a_whole_run_is_written_between_the_marks_of_the_page_and_of_the_readme(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = [replace(rows[0], task=start) for start, _ in document.CHOSEN]
    for name in ("PAGE", "README"):
        copy = tmp_path / name
        copy.write_text(getattr(document, name).read_text("utf-8"), "utf-8")
        monkeypatch.setattr(document, name, copy)
    monkeypatch.setattr(document, "IMAGES", tmp_path)
    grown = [replace(row, case="repetition", task=f"grown {row.size}") for row in rows]
    document.write([*rows, *chosen, *grown], 60)
    page, readme = ((tmp_path / name).read_text("utf-8") for name in ("PAGE", "README"))
    assert page.split("<!-- tables -->")[1].count("| twice 2 |") == 1
    assert "it took 1 minutes" in page
    assert "## The page" in page
    assert all(start in readme for start, _ in document.CHOSEN)
    assert "## Learn more" in readme
    assert [path.name for path in tmp_path.glob("*.png")] == ["growth-repetition.png"]


def test_reasons_are_of_cases_that_there_are() -> None:
    known = {name for _, name, _ in pkgutil.iter_modules(cases.__path__)}
    assert set(document.BEHIND) <= known
    assert {case for case, _ in document.GROWTH.values()} <= known


@pytest.mark.parametrize(
    ("ratio", "digits", "shown"),
    [(15_678.9, 3, "15,700"), (0.012345, 3, "0.0123"), (234.5, 2, "230"), (1.0, 2, "1")],
)
def test_ratios_are_written_out(ratio: float, digits: int, shown: str) -> None:
    assert results.shown_ratio(ratio, digits) == shown
