"""Where a ledger is kept: what is told of places, and moves from one to another."""

import sys
from pathlib import Path

import pytest

from leaktight.errors import InvalidFile, InvalidInput, OverBudget
from leaktight.tables import Ledger
from leaktight.tables.ledger import is_address, store_of
from leaktight.tables.publishing import publish
from tests.tables.workers import POLICY, QUESTION, TRUTH, noise


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql://ann:pw@db/agency", "postgresql://ann@db/agency#leaktight"),
        ("postgres://db:5433/agency#patients", "postgresql://db:5433/agency#patients"),
        ("postgresql://db/a?password=pw&host=/run", "postgresql://db/a?host=/run#leaktight"),
        ("postgresql://a:p%40w@b@db/x?sslpassword=pw", "postgresql://a@db/x#leaktight"),
    ],
)
def test_a_place_is_named_without_its_password(address: str, name: str) -> None:
    assert store_of(address).name == name
    assert "pw" not in repr(store_of(address))


def test_a_windows_path_is_a_file_and_another_scheme_is_refused() -> None:
    assert not is_address(r"C:\patients.ledger")
    with pytest.raises(InvalidFile, match="a file or postgresql://…, got mysql://"):
        store_of("mysql://root:pw@db/x")
    with pytest.raises(InvalidFile, match="cannot be read"):
        store_of("postgresql://[db/x")
    with pytest.raises(InvalidFile, match="letters, digits and _"):
        store_of('postgresql://db/x#a"; DROP SCHEMA public')


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InvalidInput, match=r"pip install 'leaktight\[postgres\]'"):
        Ledger.open("postgresql://db/agency")


def test_rows_are_released_with_a_ledger_that_is_a_file() -> None:
    with pytest.raises(InvalidFile, match="is on a server, and rows are released with"):
        _ = store_of("postgresql://db/agency").path


def held(ledger: Ledger) -> tuple[object, ...]:
    answers = [ledger.answer(entry) for entry in ledger.entries() if entry.answered]
    return ledger.identity, ledger.entries(), ledger.states(), answers, ledger.spent().largest


def test_a_ledger_that_was_moved_is_read_as_before_and_spends_no_more(tmp_path: Path) -> None:
    first = Ledger.create(tmp_path / "first", POLICY, ratio=16)
    publish(first, "one", QUESTION, noise(), TRUTH)
    before = held(first)
    second = first.move(tmp_path / "second")
    assert held(second) == before
    for closed in (first, Ledger.open(tmp_path / "first")):
        assert held(closed) == before
        with pytest.raises(InvalidFile, match=r"was moved to .*second; spend there"):
            closed.spend("two", QUESTION, noise().paid)
        with pytest.raises(InvalidFile, match=r"was moved to .*second already"):
            closed.move(tmp_path / "third")
    second.spend("two", QUESTION, noise().paid)
    with pytest.raises(OverBudget):
        second.spend("three", QUESTION, noise().paid)


def test_a_ledger_moves_only_where_nothing_is(tmp_path: Path) -> None:
    ledger, other = (Ledger.create(tmp_path / name, POLICY, ratio=16) for name in ("one", "other"))
    with pytest.raises(InvalidFile, match="is there already"):
        ledger.move(other.path)
    ledger.spend("still", QUESTION, noise().paid)
