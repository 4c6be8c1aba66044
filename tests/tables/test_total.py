"""The running total of a ledger saves time, and decides nothing that the entries do not say."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from leaktight import Policy, SecretGraph, count
from leaktight.errors import OverBudget
from leaktight.exact.ratio import Ratio
from leaktight.tables import (
    Ledger,
    Statement,
    TableQuery,
    count_of,
    cumulative,
    histogram,
    statement,
    sum_of,
)
from leaktight.tables.calibration import calibrated
from leaktight.tables.ledger import ledger as total
from leaktight.tables.privacy_unit import PrivacyUnit
from tests.tables.workers import QUESTION

LINE = Policy(SecretGraph.line(6), 10)
ASKED: list[tuple[TableQuery, int | str]] = [
    (cumulative("c"), 3),
    (count_of("some", [0, 1]), "3/2"),
    (histogram("h", ordered=False), 4),
    (sum_of("s", {v: v * v for v in range(6)}), "7/5"),
    (count_of("most", [2, 3, 4]), "3/2"),
    (cumulative("c"), "11/10"),
]


def spend_all(ledger: Ledger) -> list[Fraction]:
    """Release everything, and return by fractions what each pair has paid."""
    protection = ledger.protection
    paid = [Fraction(1)] * protection.accounts
    for i, (query, ratio) in enumerate(ASKED):
        made = calibrated(protection, [query], Ratio.of(ratio))
        ledger.spend(str(i), QUESTION, made.paid)
        units = protection.exponents(made.paid).tolist()
        paid = [ratio * made.step**e for ratio, e in zip(paid, units, strict=True)]
    return paid


@pytest.fixture(params=[10**6, 10, 1])
def ledger(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Ledger:
    """A ledger that keeps the exponents of all steps, of two, or of one."""
    monkeypatch.setattr(total, "MOST_NUMBERS", request.param)
    return Ledger.create(tmp_path / "l", LINE, ratio=10**9)


def changed(ledger: Ledger, command: str) -> None:
    with closing(sqlite3.connect(ledger.path)) as file, file:
        file.execute(command)
    file.close()


CHANGES: dict[str, Callable[[Ledger], None]] = {
    "as it is": lambda _: None,
    "gone": lambda ledger: changed(ledger, "DELETE FROM total"),
    "emptied": lambda ledger: changed(ledger, "UPDATE total SET numbers = zeroblob(9)"),
    "lost": lambda ledger: changed(ledger, "UPDATE total SET steps = NULL, numbers = NULL"),
    "a text": lambda ledger: changed(ledger, "UPDATE total SET numbers = 'none'"),
    "of fewer releases": lambda ledger: changed(ledger, "UPDATE total SET number = 2"),
    "of other steps": lambda ledger: changed(ledger, "UPDATE total SET steps = '[]'"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_pairs_have_paid_is_the_product_whatever_became_of_the_total(
    ledger: Ledger, change: Callable[[Ledger], None]
) -> None:
    expected = spend_all(ledger)
    change(ledger)
    spent = ledger.spent()
    assert [spent.lost(pair) for pair in range(5)] == expected
    assert spent.largest == max(expected)
    told = statement(ledger)
    assert [kind.ratio for kind in told.pairs] == sorted(set(expected), reverse=True)
    assert sum(kind.alike for kind in told.pairs) == 5
    assert told.others == 0


@pytest.mark.parametrize("change", ["as it is", "gone"])
def test_a_budget_is_used_up_exactly_whatever_became_of_the_total(
    ledger: Ledger, tmp_path: Path, change: str
) -> None:
    whole = 2 * max(spend_all(ledger))
    last = calibrated(PrivacyUnit(LINE), [cumulative("last")], Ratio.of(2))
    for less in (Fraction(0), Fraction(1, 10**30)):
        other = Ledger.create(tmp_path / str(less).replace("/", "-"), LINE, ratio=whole - less)
        spend_all(other)
        CHANGES[change](other)
        if less:
            with pytest.raises(OverBudget):
                other.spend("last", QUESTION, last.paid)
        else:
            other.spend("last", QUESTION, last.paid)
            assert other.spent().largest == whole


def test_under_public_counts_there_is_one_account(tmp_path: Path) -> None:
    public = Policy(SecretGraph.complete(range(3)), 9, constraints=[count([0], equals=3)])
    ledger = Ledger.create(tmp_path / "l", public, ratio=100)
    made = calibrated(ledger.protection, [histogram("h", ordered=False)], Ratio.of(4))
    for name in ("one", "two"):
        ledger.spend(name, QUESTION, made.paid)
    assert ledger.spent().largest == made.level.value**2
    changed(ledger, "DELETE FROM total")
    assert ledger.spent().largest == made.level.value**2
    assert "who knows all others may know the person from the public counts" in str(
        statement(ledger)
    ).replace("\n", " ")


def test_only_so_many_kinds_of_pairs_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l", LINE, ratio=10**9)
    expected = spend_all(ledger)
    monkeypatch.setattr(sys.modules[Statement.__module__], "MOST_LISTED", 2)
    told = statement(ledger)
    assert [kind.ratio for kind in told.pairs] == sorted(set(expected), reverse=True)[:2]
    assert told.others + sum(kind.alike for kind in told.pairs) == 5
    assert "with less" in str(told)


def test_where_odds_would_take_long_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "l", LINE, ratio=10**9)
    spend_all(ledger)
    assert "a guess about one person" in str(statement(ledger))
    monkeypatch.setattr("leaktight.tables.odds.MOST_PLACES", 20)
    assert "not told: too many different things" in str(statement(ledger))
