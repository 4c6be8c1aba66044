"""Every row published with noise of its own: paid for, drawn once, and whole."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import numpy as np
import polars
import pytest

from leaktight import Channel, Policy, RandomizedResponse, SecretGraph
from leaktight.errors import (
    InvalidFile,
    InvalidInput,
    InvalidPolicy,
    LeaktightError,
    OverBudget,
    TooLarge,
)
from leaktight.tables import Ledger, RowsRelease, per_row, release_rows, statement
from leaktight.tables.draw import note_of
from leaktight.tables.ledger import Stored
from tests.tables.engines import ENGINES

KILLS = os.environ.get("LEAKTIGHT_KILLS", "6")
"""How many processes are killed at random moments; make test-kill kills 500."""

VOTES = ["no", 'may"be, not', "yes"]
POLICY = Policy(SecretGraph.line(VOTES), records=300)
TABLE = polars.DataFrame({"vote": VOTES * 100, "name": ["Ada", "Bob", "Eve"] * 100})
ANSWER = RandomizedResponse(VOTES, ratio=3)
HARDLY = RandomizedResponse(VOTES, ratio=10**30)
"""Whoever sees another answer than the true one has waited for long."""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    Ledger.create(tmp_path / "l", POLICY, ratio=10**100)
    return tmp_path / "l"


def published(book: Path, mechanism: Any = HARDLY, **how: Any) -> RowsRelease:
    asked: dict[str, Any] = {"name": "a", "output": "noisy.csv", "source": TABLE} | how
    source, output = asked.pop("source"), book.parent / asked.pop("output")
    return release_rows(source, POLICY, mechanism, output, ledger=book, column="vote", **asked)


def read(path: Path) -> list[str]:
    kind = "read_csv" if path.suffix == ".csv" else "read_parquet"
    with duckdb.connect() as engine:
        rows = getattr(engine, kind)(str(path)).fetchall()
    return [vote for (vote,) in rows]


@pytest.mark.parametrize("output", ["noisy.csv", "noisy.parquet"])
def test_rows_come_in_their_order_and_nothing_else_does(book: Path, output: str) -> None:
    done = published(book, output=output)
    assert read(done.path) == VOTES * 100
    assert done.rows == 300
    assert sorted(p.name for p in book.parent.iterdir()) == ["l", output]


@pytest.mark.filterwarnings("ignore:fetch_record_batch:DeprecationWarning")  # what Ibis 12 calls
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_publishes_the_same_rows(tmp_path: Path, engine: str) -> None:
    bands = ["young", "old"]
    policy = Policy(SecretGraph.complete(bands), records=8)
    Ledger.create(tmp_path / "l", policy, ratio=10**70)
    done = release_rows(
        ENGINES[engine](tmp_path), policy, RandomizedResponse(bands, ratio=10**30),
        tmp_path / "out.csv", name="a", ledger=tmp_path / "l", column="age",
        cuts={"age": (18,)}, rows_per_person=1,
    )  # fmt: skip
    assert read(done.path) == ["young", "young", "old", "old", "old", "old", "young", "old"]


def test_answers_have_the_probabilities_of_the_channel(book: Path) -> None:
    done = published(book, ANSWER, rng=np.random.default_rng(7))
    true = [a == b for a, b in zip(read(done.path), VOTES * 100, strict=True)]
    assert abs(np.mean(true) - 3 / 5) < 0.09


def test_it_costs_exactly_the_ratio_of_the_channel(tmp_path: Path) -> None:
    book = tmp_path / "l"
    Ledger.create(book, POLICY, ratio=9)
    assert published(book, ANSWER).ratio == 3
    published(book, ANSWER, name="b", output="b.csv")
    with pytest.raises(OverBudget):
        published(book, RandomizedResponse(VOTES, ratio="10001/10000"), name="c", output="c.csv")
    told = statement(Ledger.open(book))
    assert [pair.ratio for pair in told.pairs] == [9]
    assert told.odds is not None
    assert Fraction(9, 11) <= told.odds.after < 0.8182  # 9/(9 + 1 + 1)
    assert not (tmp_path / "c.csv").exists()


def test_asked_again_the_file_is_left_as_it_is(book: Path) -> None:
    first = published(book, ANSWER)
    rows = read(first.path)
    with pytest.raises(InvalidInput, match=r"and this is no such table.csv"):
        published(book, ANSWER, source="no such table.csv")
    again = published(book, ANSWER, source="no such table.csv", again=True)
    assert (read(again.path), again.rows) == (rows, 300)
    assert len(Ledger.open(book).entries()) == 1


def test_a_file_that_was_stored_but_not_moved_is_found(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("leaktight.tables.draw.take", stopped)
    with pytest.raises(KeyboardInterrupt):
        published(book, ANSWER)
    monkeypatch.undo()
    assert not book.with_name("noisy.csv").exists()
    assert len(read(published(book, ANSWER, source="no such table.csv", again=True).path)) == 300


def test_rows_that_were_never_drawn_are_not_shown_again(book: Path) -> None:
    with pytest.raises(InvalidInput, match="has no rows of a release"):
        published(book, ANSWER, again=True)
    assert Ledger.open(book).entries() == ()
    assert [p.name for p in book.parent.iterdir()] == ["l"]


def test_a_file_that_was_never_finished_is_drawn_anew(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "store", stopped)
    with pytest.raises(KeyboardInterrupt):
        published(book)
    monkeypatch.undo()
    assert read(published(book).path) == VOTES * 100
    assert len(Ledger.open(book).entries()) == 1
    assert sorted(p.name for p in book.parent.iterdir()) == ["l", "noisy.csv"]


# --- one draw for each payment -----------------------------------------------------------------


@pytest.mark.parametrize("how", [[], [KILLS]])
def test_whenever_processes_are_killed_there_is_one_draw_for_each_payment(
    tmp_path: Path, how: list[str]
) -> None:
    """At every step, and at random moments three that release the same rows."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.tables.killed_rows", str(tmp_path), *how],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["wrong"] == []
    assert told["kills"] >= int(how[0] if how else 12)
    if not how:
        assert {"a note", "a note, a draw", "a note, a draw, the output"} <= {*told["found"]}


def meanwhile(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Let something happen after rows were drawn, before anybody knows of them."""
    draw = per_row.answer_rows

    def answered(*given: Any) -> int:
        monkeypatch.setattr(per_row, "answer_rows", draw)
        rows = draw(*given)
        work()
        return rows

    monkeypatch.setattr(per_row, "answer_rows", answered)


def test_two_that_release_the_same_rows_have_one_draw_and_one_file(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    other = Thread(target=lambda: found.append(published(book, ANSWER)))
    meanwhile(monkeypatch, other.start)
    first = published(book, ANSWER)
    other.join()
    assert [(done.path, done.stored) for done in found] == [(first.path, first.stored)]
    assert len(Ledger.open(book).entries()) == 1
    assert sorted(os.listdir(book.parent)) == ["l", "noisy.csv"]


@pytest.mark.parametrize("output", ["noisy.csv", "other.csv"])
def test_whoever_comes_while_rows_are_drawn_and_cannot_wait_is_refused(
    book: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    def late() -> None:
        with pytest.raises(InvalidFile, match="another process is releasing the rows 'a'"):
            published(book, ANSWER, output=output)

    monkeypatch.setattr("leaktight.tables.draw.WAIT", -1)
    meanwhile(monkeypatch, late)
    published(book, ANSWER)
    assert sorted(os.listdir(book.parent)) == ["l", "noisy.csv"]


def test_only_the_owner_may_read_what_is_drawn(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes: list[int] = []

    def look() -> None:
        [folder] = book.parent.glob(".leaktight-*.part")
        modes.extend(p.stat().st_mode & 0o777 for p in (folder, *folder.iterdir()))
        modes.append(note_of(Ledger.open(book), "a").stat().st_mode & 0o777)

    meanwhile(monkeypatch, look)
    done = published(book, ANSWER)
    assert modes == [0o700, 0o600, 0o600]
    assert done.path.stat().st_mode & 0o777 == 0o600


def test_what_was_drawn_is_destroyed_if_the_release_fails(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise KeyboardInterrupt

    meanwhile(monkeypatch, fail)
    with pytest.raises(KeyboardInterrupt):
        published(book)
    assert os.listdir(book.parent) == ["l"]
    with pytest.raises(InvalidFile, match="there is no folder"):
        published(book, output="none/noisy.csv")
    assert os.listdir(book.parent) == ["l"]


def stopped(book: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> Path:
    """Stop a release at a step, and return the folder of what was drawn."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(at, stop)
        with pytest.raises(KeyboardInterrupt):
            published(book, ANSWER)
    [folder] = book.parent.glob(".leaktight-*.part")
    return folder


def test_a_draw_that_nobody_knows_is_destroyed_even_if_the_next_call_is_refused(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(book, monkeypatch, "leaktight.tables.per_row.Ledger.store")
    with pytest.raises(InvalidFile, match="there is no file"):
        published(book, ANSWER, source="none.csv")
    assert os.listdir(book.parent) == ["l"]


def test_a_draw_is_found_from_another_output_and_waits_for_one_of_its_kind(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (stopped(book, monkeypatch, "leaktight.tables.draw.take") / "rows.csv").read_text()
    with pytest.raises(InvalidFile, match=r"a file that ends in \.csv"):
        published(book, ANSWER, output="noisy.parquet")
    book.with_name("there.csv").write_text("something else")
    with pytest.raises(InvalidFile, match="is not the file that was released"):
        published(book, ANSWER, output="there.csv")
    (book.parent / "folder").mkdir()
    assert published(book, ANSWER, output="folder/rows.csv").path.read_text() == rows
    assert sorted(os.listdir(book.parent)) == ["folder", "l", "there.csv"]


def test_a_note_that_leads_elsewhere_destroys_nothing(book: Path) -> None:
    note, kept = note_of(Ledger.open(book), "a"), book.with_name("precious")
    kept.mkdir()
    link = book.with_name(f".leaktight-{'0' * 16}.part")
    link.symlink_to(kept)
    for said in ("precious\n", f"{link.name}\n"):
        note.write_text(said)
        with pytest.raises(InvalidFile, match="which is no folder of ours"):
            published(book)
        assert kept.is_dir()
    note.unlink()
    note.symlink_to(kept / "planted")
    with pytest.raises(InvalidFile, match="cannot be locked"):
        published(book)
    assert not os.listdir(kept)
    assert not Ledger.open(book).entries()


def test_a_note_that_was_taken_away_while_it_was_opened_is_no_lock(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever locks it then would hold a file that nobody else can find."""
    note, lock, looks = note_of(Ledger.open(book), "a"), fcntl.flock, []

    def flock(opened: int, how: int) -> None:
        looks.append(opened)
        if len(looks) == 1:
            note.unlink()
        lock(opened, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    meanwhile(monkeypatch, lambda: looks.append(note.stat().st_size))
    published(book)
    assert len(looks) == 3
    assert sorted(os.listdir(book.parent)) == ["l", "noisy.csv"]


def test_where_locks_do_nothing_a_second_draw_is_destroyed(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first() -> None:
        ledger = Ledger.open(book)
        [entry] = ledger.entries()
        ledger.store(entry, Stored(((300,),), (), "0" * 64))

    meanwhile(monkeypatch, first)
    with pytest.raises(InvalidFile, match="is not the file that was released"):
        published(book)
    assert os.listdir(book.parent) == ["l"]


def test_a_link_at_the_output_is_not_followed_and_nothing_is_spent(book: Path) -> None:
    theirs = book.with_name("theirs.csv")
    book.with_name("noisy.csv").symlink_to(theirs)
    with pytest.raises(InvalidFile, match="is there already"):
        published(book)
    assert not theirs.exists()
    assert not Ledger.open(book).entries()


def test_a_file_that_is_gone_or_was_changed_is_not_drawn_again(book: Path) -> None:
    done = published(book)
    done.path.write_text("vote\nyes\n")
    with pytest.raises(InvalidFile, match="is not the file that was released as 'a'"):
        published(book)
    done.path.unlink()
    with pytest.raises(InvalidFile, match="another draw would cost again"):
        published(book)


def test_what_cannot_be_published_is_refused_and_costs_nothing(book: Path) -> None:
    sure = Channel.identity(VOTES)
    other = RandomizedResponse(["no", "yes"], ratio=3)
    book.with_name("there.csv").write_text("")
    for how, said in (
        ({"mechanism": sure}, "rules a value out for certain"),
        ({"mechanism": other}, "must have the same labels"),
        ({"mechanism": ANSWER.channel.float()}, "only exact probabilities"),
        ({"output": "there.csv"}, "is there already"),
        ({"output": "there.txt"}, "must end in .csv or .parquet"),
        ({"source": TABLE.head(299)}, "there are 300 records, and the table has 299"),
        ({"rows_per_person": 2}, "another policy"),
    ):
        with pytest.raises(LeaktightError, match=said):
            published(book, **how)
    assert Ledger.open(book).entries() == ()
    published(book)
    with pytest.raises(InvalidInput, match="another release called 'a'"):
        published(book, ANSWER)


def test_an_undeclared_value_for_other_cells_is_refused_before_anything_is_spent(
    book: Path,
) -> None:
    with pytest.raises(InvalidInput, match="outside must be a declared value, got 'perhaps'"):
        published(book, outside="perhaps")
    assert not Ledger.open(book).entries()


@pytest.mark.parametrize("arrow", [True, False])
def test_many_batches_come_in_their_order(
    book: Path, monkeypatch: pytest.MonkeyPatch, arrow: bool
) -> None:
    """From DuckDB as Arrow gives them, and without pyarrow from all codes at once."""
    monkeypatch.setattr("leaktight.tables.per_row.BATCH", 7)
    if not arrow:
        monkeypatch.setattr("leaktight.tables.per_row.find_spec", lambda name: None)
    file = book.with_name("votes.parquet")
    TABLE.write_parquet(file)
    for i, source in enumerate([file, TABLE, polars.scan_parquet(file)]):
        done = published(book, source=source, name=str(i), output=f"{i}.csv")
        assert read(done.path) == VOTES * 100


def test_more_rows_than_are_read_at_once_are_refused_where_there_are_no_batches(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaktight.tables.per_row.MOST_AT_ONCE", 299)
    file = book.with_name("votes.parquet")
    TABLE.write_parquet(file)
    published(book, source=file)
    monkeypatch.setattr("leaktight.tables.per_row.find_spec", lambda name: None)
    with pytest.raises(TooLarge, match=r"300 rows, .* at most 299; install pyarrow"):
        published(book, source=file, name="b", output="b.csv")
    assert len(Ledger.open(book).entries()) == 1
    published(book, name="c", output="c.csv")  # in memory as it is


def test_too_many_values_are_refused_before_anything_is_spent(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaktight.tables.per_row.MOST_KEPT", 2)
    with pytest.raises(InvalidPolicy, match="at most 2 values"):
        published(book)
    assert not Ledger.open(book).entries()
