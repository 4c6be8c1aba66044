"""A ledger is verified again whenever somebody may have written into it, and only then."""

import multiprocessing
import os
import pickle
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars
import pytest

from leaktight import Policy, SecretGraph
from leaktight.errors import InvalidFile
from leaktight.tables import Ledger, histogram, publishing
from leaktight.tables.ledger import Entry, Stored
from leaktight.tables.ledger.entry import verified_entries
from leaktight.tables.ledger.watch import A_WHILE, MARKS, watch_of
from tests.tables.workers import QUESTION, noise

DRAWN = Stored(((1, 2, 3),), ())


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    policy = Policy(SecretGraph.line(["low", "middle", "high"]), records=60)
    return Ledger.create(tmp_path / "l", policy, ratio=2**100)


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many entries there were, each time that all were verified."""
    seen = list[int]()

    def counted(file: sqlite3.Connection, first: str) -> list[Entry]:
        entries = verified_entries(file, first)
        seen.append(len(entries))
        return entries

    monkeypatch.setattr("leaktight.tables.ledger.ledger.verified_entries", counted)
    return seen


def release(book: Ledger, name: str) -> None:
    assert book.store(book.spend(name, QUESTION, noise().paid), DRAWN) == DRAWN


def names(book: Ledger) -> list[str]:
    return [entry.name for entry in book.entries() if entry.answered]


def test_what_a_process_wrote_itself_is_not_verified_again(
    book: Ledger, verified: list[int]
) -> None:
    for i in range(12):
        release(book, f"r{i}")
        assert book.find(f"r{i}") == book.entries()[-1]
        assert book.find("nobody") is None
        assert Ledger.open(book.path).states() == book.states()
    assert verified == []
    watch_of.cache_clear()  # as in another process
    again = Ledger.open(book.path)
    assert verified == [12]
    assert (again.entries(), again.states()) == (book.entries(), book.states())
    assert len(book.states()) == 1 + 2 * 12
    assert verified == [12]


def test_what_another_process_writes_is_seen_and_verified_once(
    book: Ledger, verified: list[int]
) -> None:
    release(book, "ours")
    in_another_process(book)
    assert names(book) == names(Ledger.open(book.path)) == ["ours", "child"]
    assert verified == [2]
    release(book, "ours again")
    assert names(book) == names(Ledger.open(book.path)) == ["ours", "child", "ours again"]
    assert verified == [2]


def test_releases_in_turn_verify_once_whoever_opens_the_ledger(
    book: Ledger, verified: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of the ledger is verified when it is first opened, and its policy is not rebuilt."""
    watch_of.cache_clear()
    policies = list[str]()
    monkeypatch.setattr("leaktight.tables.ledger.ledger.read_protection", policies.append)
    table = polars.DataFrame({"band": ["low"] * 30 + ["middle"] * 20 + ["high"] * 10})
    for i in range(4):
        publishing.release(
            table,
            Policy(SecretGraph.line(["low", "middle", "high"]), records=60),
            [histogram("h")],
            name=f"r{i}",
            ledger=book.path,
            columns="band",
            ratio=2,
        )
    assert verified == [0]
    assert policies == []
    assert names(book) == ["r0", "r1", "r2", "r3"]


def test_a_release_that_fails_leaves_nothing_behind(book: Ledger) -> None:
    release(book, "one")
    with suppress(RuntimeError), book._writing() as (opened, _, _):
        opened.execute("DELETE FROM answer")
        raise RuntimeError
    assert names(book) == ["one"]
    release(book, "two")
    assert names(book) == names(Ledger.open(book.path)) == ["one", "two"]


CHANGES: dict[str, Callable[[Ledger], object]] = {
    "read": lambda book: book.entries(),
    "find": lambda book: book.find("one"),
    "state": lambda book: book.states(),
    "spend": lambda book: book.spend("two", QUESTION, noise().paid),
    "spent": lambda book: book.spent(),
}


@pytest.mark.parametrize("use", CHANGES)
def test_what_others_change_is_noticed_by_whatever_comes_next(book: Ledger, use: str) -> None:
    release(book, "one")
    with sqlite3.connect(book.path) as file:
        file.execute("UPDATE entry SET step = '1'")
    file.close()
    with pytest.raises(InvalidFile, match="changed at its entry 1"):
        CHANGES[use](book)


def test_what_is_written_past_sqlite_is_noticed(book: Ledger) -> None:
    release(book, "one")
    written = book.path.read_bytes()
    assert written.count(b'"queries"') == 1
    # Within the tick of the clock in which the release was written.
    book.path.write_bytes(written.replace(b'"queries"', b'"Queries"'))
    for use in (book.entries, lambda: Ledger.open(book.path)):
        with pytest.raises(InvalidFile, match="changed at its entry 1"):
            use()


def test_a_file_whose_time_is_of_this_tick_is_verified_again(
    book: Ledger, verified: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    release(book, "one")
    at = time.time_ns() // MARKS * MARKS + 1  # without the mark
    for age, expected in ((0, [1, 1]), (A_WHILE - 1, [1, 1]), (A_WHILE, [1])):
        monkeypatch.setattr("leaktight.tables.ledger.watch.time.time_ns", lambda age=age: at + age)
        os.utime(book.path, ns=(at, at))
        verified.clear()
        book.entries()
        book.entries()
        assert verified == expected


def test_another_file_in_its_place_is_noticed(book: Ledger, tmp_path: Path) -> None:
    release(book, "one")
    copy = tmp_path / "copy"
    copy.write_bytes(book.path.read_bytes())
    release(book, "two")
    copy.replace(book.path)
    assert names(book) == ["one"]


def in_child(book: Ledger) -> None:
    release(book, "child")


def in_another_process(book: Ledger) -> None:
    child = multiprocessing.get_context("fork").Process(target=in_child, args=(book,))
    child.start()
    child.join()
    assert child.exitcode == 0


def test_a_ledger_may_be_forked_and_pickled(book: Ledger, verified: list[int]) -> None:
    release(book, "parent")
    in_another_process(book)
    assert names(book) == ["parent", "child"]
    again = pickle.loads(pickle.dumps(book))
    assert again == book
    assert names(again) == ["parent", "child"]
    assert verified == [2]


def test_a_process_that_has_opened_a_ledger_ends_without_a_word(book: Ledger) -> None:
    script = "import sys; from leaktight.tables import Ledger; Ledger.open(sys.argv[1])"
    ended = subprocess.run(
        [sys.executable, "-c", script, book.path], capture_output=True, check=True
    )
    assert (ended.stdout, ended.stderr) == (b"", b"")
