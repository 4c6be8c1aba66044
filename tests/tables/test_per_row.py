"""Every row published with noise of its own: paid for, drawn once, and whole."""

from fractions import Fraction
from pathlib import Path
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
from leaktight.tables import Ledger, RowsRelease, release_rows, statement
from tests.tables.engines import ENGINES

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
    source, output = asked.pop("source"), book.with_name(asked.pop("output"))
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
    assert [pair.ratio.value for pair in told.pairs] == [9]
    assert told.odds is not None
    assert Fraction(9, 11) <= told.odds.after < 0.8182  # 9/(9 + 1 + 1)
    assert not (tmp_path / "c.csv").exists()


def test_asked_again_the_file_is_left_as_it_is(book: Path) -> None:
    first = published(book, ANSWER)
    rows = read(first.path)
    again = published(book, ANSWER, source="no such table.csv")
    assert (read(again.path), again.rows) == (rows, 300)
    assert len(Ledger.open(book).entries()) == 1


def test_a_file_that_was_stored_but_not_moved_is_found(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt):
        published(book, ANSWER)
    monkeypatch.undo()
    assert not book.with_name("noisy.csv").exists()
    assert len(read(published(book, ANSWER, source="no such table.csv").path)) == 300


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
    monkeypatch.setattr("leaktight.tables.row_answers.BATCH", 7)
    if not arrow:
        monkeypatch.setattr("leaktight.tables.row_answers.find_spec", lambda name: None)
    file = book.with_name("votes.parquet")
    TABLE.write_parquet(file)
    for i, source in enumerate([file, TABLE, polars.scan_parquet(file)]):
        done = published(book, source=source, name=str(i), output=f"{i}.csv")
        assert read(done.path) == VOTES * 100


def test_more_rows_than_are_read_at_once_are_refused_where_there_are_no_batches(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaktight.tables.row_answers.MOST_AT_ONCE", 299)
    file = book.with_name("votes.parquet")
    TABLE.write_parquet(file)
    published(book, source=file)
    monkeypatch.setattr("leaktight.tables.row_answers.find_spec", lambda name: None)
    with pytest.raises(TooLarge, match=r"300 rows, .* at most 299; install pyarrow"):
        published(book, source=file, name="b", output="b.csv")
    assert len(Ledger.open(book).entries()) == 1
    published(book, name="c", output="c.csv")  # in memory as it is


def test_too_many_values_are_refused_before_anything_is_spent(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaktight.tables.row_answers.MOST_KEPT", 2)
    with pytest.raises(InvalidPolicy, match="at most 2 values"):
        published(book)
    assert not Ledger.open(book).entries()
