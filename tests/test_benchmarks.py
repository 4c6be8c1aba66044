"""What the comparison reports when a contender fails, and how growth is fitted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import results
from benchmarks.case import same
from benchmarks.measure import measure
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
