"""A damaged or changed ledger is refused in one line, or says what it said before."""

import gzip
import os
import random
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leaktight import Policy, SecretGraph
from leaktight.errors import InvalidFile, InvalidInput
from leaktight.exact.ratio import Ratio
from leaktight.tables import Ledger, TableQuery, count_of, cumulative, histogram, statement
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.ledger import Stored
from leaktight.tables.ledger.entry import write_answer
from leaktight.tables.ledger.file import expect_locks
from leaktight.tables.ledger.watch import address_of
from leaktight.tables.odds import odds
from leaktight.tables.privacy_unit import PrivacyUnit
from tests.tables.workers import QUESTION
from tests.tables.workers import noise as three_values

FLIPS = int(os.environ.get("LEAKTIGHT_FLIPS", "150"))
"""How many bits are flipped, one at a time; make test-kill flips four thousand."""

LINE = Policy(SecretGraph.line(["low", "middle", "high"]), records=60)
ASKED: list[tuple[str, TableQuery, int, bool]] = [
    ("2021", histogram("h", ordered=False), 4, True),
    ("stopped", cumulative("c"), 3, False),
    ("2022", cumulative("c"), 3, True),
    ("2023", count_of("some", ["low", "high"]), 5, True),
    ("never seen", histogram("h", ordered=False), 4, False),
]
"""The releases: name, question, ratio, and whether it was answered."""

MORE = "2024"


def noise_of(query: TableQuery, ratio: int) -> Noise:
    return calibrated(PrivacyUnit(LINE), [query], Ratio.of(ratio))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a ledger with three answered releases, and two that were stopped."""
    path = tmp_path_factory.mktemp("whole") / "l"
    ledger = Ledger.create(path, LINE, ratio=10**6)
    for i, (name, query, ratio, answered) in enumerate(ASKED):
        noise = noise_of(query, ratio)
        entry = ledger.spend(name, QUESTION, noise.paid)
        if answered:
            ledger.store(entry, Stored(((i, 2 * i, 7),), (("wage", "Int64"),)))
    return path.read_bytes()


def said(path: Path) -> tuple[Any, ...]:
    """Return all that a ledger says, and what it says after one more release."""
    ledger = Ledger.open(path)
    entries = ledger.entries()
    spent = ledger.spent()
    before = (
        ledger.identity,
        ledger.budget,
        ledger.protection.values,
        ledger.protection.pairs.tolist(),
        entries,
        [ledger.answer(entry) for entry in entries if entry.answered],
        [spent.lost(pair) for pair in range(spent.pairs)],
        odds(ledger.protection, ledger.paid()),
    )
    entry = ledger.spend(MORE, QUESTION, noise_of(cumulative("c"), 2).paid)
    kept = ledger.store(entry, Stored(((1, 2, 3),), ()))
    again = Ledger.open(path)
    after = [again.spent().lost(pair) for pair in range(spent.pairs)]
    return (*before, kept, len(again.entries()), after)


def expect_refused_or_right(path: Path, expected: tuple[Any, ...], how: str) -> bool:
    """Return whether the ledger was refused; if it was not, it must be right."""
    try:
        found = said(path)
    except InvalidFile:  # which is one line, whatever it says
        return True
    except Exception as wrong:
        raise AssertionError(f"{how}: {wrong!r}") from wrong
    assert found == expected, how
    return False


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    file = tmp_path / "l"
    file.write_bytes(whole)
    return file


@pytest.fixture
def expected(whole: bytes, tmp_path: Path) -> tuple[Any, ...]:
    file = tmp_path / "sound"
    file.write_bytes(whole)
    found = said(file)
    # 4 for the plain histogram, 3 for the cumulative one, 5 for the count; each twice but the last.
    assert found[6] == [Fraction(4 * 3 * 3 * 5 * 4)] * 2
    assert found[-1] == [Fraction(4 * 3 * 3 * 5 * 4 * 2)] * 2
    assert [entry.answered for entry in found[4]] == [answered for *_, answered in ASKED]
    assert [each.numbers for each in found[5]] == [((0, 0, 7),), ((2, 4, 7),), ((3, 6, 7),)]
    return found


def test_whichever_bit_is_flipped_a_ledger_is_refused_or_right(
    path: Path, whole: bytes, expected: tuple[Any, ...]
) -> None:
    """Half of the flips are in bytes that are not 0, which most of an SQLite file is."""
    chance, refused = random.Random(26), 0
    written = [at for at, byte in enumerate(whole) if byte]
    for i in range(FLIPS):
        at = chance.choice(written) if i % 2 else chance.randrange(len(whole))
        bit = chance.randrange(8)
        flipped = bytearray(whole)
        flipped[at] ^= 1 << bit
        path.write_bytes(flipped)
        refused += expect_refused_or_right(path, expected, f"bit {bit} of byte {at}")
    print(f"{FLIPS:,} bits flipped: {refused:,} times refused, otherwise right")
    assert FLIPS / 20 < refused < FLIPS


LOST = (
    "DELETE FROM answer",
    "DELETE FROM answer WHERE number = 1",
    "DELETE FROM answer WHERE number = 4",
    "DELETE FROM entry",
    "DELETE FROM entry WHERE number = 5",
    "DELETE FROM entry WHERE number > 2",
    "DELETE FROM history",
    "DELETE FROM history WHERE place = (SELECT max(place) FROM history)",
    "DELETE FROM tip",
    "DELETE FROM head",
    "DELETE FROM weights",
    "DROP TABLE answer",
    "DROP TABLE history",
    "DROP TABLE tip",
    "UPDATE answer SET number = 2 WHERE number = 1",
    "UPDATE answer SET numbers = (SELECT numbers FROM answer WHERE number = 1)",
    "UPDATE answer SET numbers = NULL",
    "UPDATE answer SET chain = NULL",
    "UPDATE answer SET chain = 7",
    "UPDATE entry SET step = '1'",
    "UPDATE entry SET exponent = 'two'",
    "UPDATE entry SET exponent = NULL",
    "UPDATE entry SET blocks = '[]'",
    "UPDATE entry SET blocks = 7",
    "UPDATE entry SET name = x'ff' WHERE number = 2",
    "UPDATE entry SET name = CAST(x'ff' AS TEXT) WHERE number = 1",
    "UPDATE entry SET number = 50 WHERE number = 5",
    "UPDATE entry SET chain = NULL",
    "UPDATE history SET link = NULL",
    "UPDATE history SET place = 90 WHERE place = 1",
    "UPDATE tip SET places = 3",
    "UPDATE tip SET digest = NULL",
    "UPDATE head SET budget = 'ratio 99999999'",
    "UPDATE head SET protection = NULL",
    "UPDATE head SET protection = '{}'",
    "UPDATE head SET made = 7",
    "INSERT INTO head SELECT * FROM head",
    "INSERT INTO tip SELECT * FROM tip",
    "INSERT INTO history VALUES (100, 'x')",
    "INSERT INTO answer SELECT 2, numbers, chain FROM answer WHERE number = 1",
    "CREATE TRIGGER again AFTER INSERT ON answer BEGIN DELETE FROM answer; END",
    "CREATE TABLE more (number INTEGER)",
    "ALTER TABLE answer RENAME TO kept",
    "ALTER TABLE entry ADD COLUMN more TEXT",
    "PRAGMA user_version = 2",
    "PRAGMA application_id = 2",
    "UPDATE weights SET places = NULL",
    "UPDATE weights SET size = 'three', shape = x'00'",
)
KEPT = (
    "VACUUM",
    "REINDEX",
    "DELETE FROM total",
    "UPDATE total SET numbers = zeroblob(9), number = 'x'",
    "INSERT INTO total SELECT 0, '[]', x'', '' FROM head",
)


def edited(path: Path, command: str) -> None:
    file = sqlite3.connect(path, isolation_level=None)
    file.execute(command)
    file.close()


@pytest.mark.parametrize("command", LOST)
def test_what_is_changed_or_taken_out_by_sql_is_refused(
    path: Path, expected: tuple[Any, ...], command: str
) -> None:
    edited(path, command)
    assert expect_refused_or_right(path, expected, command)


@pytest.mark.parametrize("command", KEPT)
def test_what_nothing_rests_on_may_be_changed(
    path: Path, expected: tuple[Any, ...], command: str
) -> None:
    edited(path, command)
    assert not expect_refused_or_right(path, expected, command)


def test_an_index_that_does_not_agree_with_its_table_is_refused(path: Path, whole: bytes) -> None:
    """A name stands in the table, where its hash protects it, and in the index of names."""
    places = [at for at in range(len(whole)) if whole[at : at + 10] == b"never seen"]
    assert len(places) == 2
    refused = []
    for at in places:
        path.write_bytes(whole[:at] + b"never sees" + whole[at + 10 :])
        with pytest.raises(InvalidFile) as wrong:
            Ledger.open(path)
        refused.append("damaged; go back to a copy" in str(wrong.value))
    assert all(refused)


def test_what_sqlite_quotes_may_be_no_text(path: Path, whole: bytes) -> None:
    name = b"tabletotaltotal"
    assert whole.count(name) == 1
    path.write_bytes(whole.replace(name, b"tabletota\xectotal"))
    with pytest.raises(InvalidFile, match="cannot be read: it is no ledger, or damaged"):
        Ledger.open(path)


def test_what_changes_after_a_ledger_was_opened_is_found_when_it_is_written(path: Path) -> None:
    ledger = Ledger.open(path)
    edited(path, "CREATE TRIGGER again AFTER INSERT ON answer BEGIN DELETE FROM answer; END")
    with pytest.raises(InvalidFile, match="its tables are not those of a ledger"):
        ledger.spend(MORE, QUESTION, noise_of(cumulative("c"), 2).paid)


def test_nothing_is_not_the_name_none(path: Path) -> None:
    """Both are written alike, so that the hash of an entry does not tell them apart."""
    ledger = Ledger.open(path)
    ledger.spend("None", QUESTION, noise_of(cumulative("c"), 2).paid)
    edited(path, "UPDATE entry SET name = NULL WHERE name = 'None'")
    with pytest.raises(InvalidFile, match="changed at its entry 6"):
        ledger.find("None")


# --- what was answered stays answered ------------------------------------------------------


def test_a_release_that_was_stopped_is_drawn_later_and_then_for_good(path: Path) -> None:
    """A crash between paying and storing leaves an entry without an answer, and nothing else."""
    ledger = Ledger.open(path)
    stopped = ledger.find("stopped")
    assert stopped is not None
    assert not stopped.answered
    before = ledger.states()
    ledger.store(stopped, Stored(((9, 9, 9),), ()))
    assert ledger.states()[:-1] == before
    edited(path, "DELETE FROM answer WHERE number = 2")
    with pytest.raises(InvalidFile, match="1 of its entries or answers are missing"):
        Ledger.open(path)
    with pytest.raises(InvalidFile, match="1 of its entries or answers are missing"):
        ledger.store(stopped, Stored(((8, 8, 8),), ()))


def test_an_answer_that_is_not_in_the_history_is_refused_however_well_it_is_made(
    path: Path,
) -> None:
    stopped = Ledger.open(path).find("stopped")
    assert stopped is not None
    file = sqlite3.connect(path, isolation_level=None)
    write_answer(file, stopped, Stored(((9, 9, 9),), ()))
    file.close()
    with pytest.raises(InvalidFile, match="changed at the answer 2"):
        Ledger.open(path)


def test_an_answer_is_not_stored_for_an_entry_that_the_ledger_has_no_more(
    path: Path, whole: bytes
) -> None:
    ledger = Ledger.open(path)
    entry = ledger.spend(MORE, QUESTION, noise_of(cumulative("c"), 2).paid)
    path.write_bytes(whole)
    for other in ("nothing instead", "another of this number"):
        with pytest.raises(InvalidFile, match="swapped: it has no entry '2024' any more"):
            ledger.store(entry, Stored((), ()))
        with pytest.raises(InvalidFile, match="swapped: it has no entry '2024' any more"):
            ledger.answer(entry)
        ledger.spend(other, QUESTION, noise_of(cumulative("c"), 2).paid)


def test_each_thing_that_is_written_leads_to_a_state_which_depends_on_all_before(
    path: Path, whole: bytes, tmp_path: Path
) -> None:
    ledger = Ledger.open(path)
    states = ledger.states()
    assert len(states) == len(set(states)) == 1 + len(ASKED) + 3
    entry = ledger.spend(MORE, QUESTION, noise_of(cumulative("c"), 2).paid)
    paid = ledger.states()
    ledger.store(entry, Stored(((1, 2, 3),), ()))
    drawn = ledger.states()
    assert (drawn[:-1], paid[:-1]) == (paid, states)
    for noted in (states[-1], drawn[-1], drawn[-1][:16], states[0]):
        ledger.expect_state(noted)
    with pytest.raises(InvalidInput, match="at least 16 digits"):
        ledger.expect_state(drawn[-1][:15])
    path.write_bytes(whole)  # an older copy: sound, and two states behind
    old = Ledger.open(path)
    old.expect_state(states[-1])
    for noted in (paid[-1], drawn[-1][:16]):
        with pytest.raises(InvalidFile, match=r"never in the state .* an older copy, or another"):
            old.expect_state(noted)


# --- ledgers of the version before ---------------------------------------------------------

BEFORE = Path(__file__).parent / "ledgers" / "format-2.ledger.gz"
"""Made by the version before, ratio 4**5: three answered releases at 4 each, and one stopped."""


@pytest.fixture
def before(tmp_path: Path) -> Path:
    file = tmp_path / "before.ledger"
    file.write_bytes(gzip.decompress(BEFORE.read_bytes()))
    return file


def test_a_ledger_of_the_version_before_is_read_as_it_is(before: Path) -> None:
    written = before.read_bytes()
    ledger = Ledger.open(before)
    drawn = {e.name: ledger.answer(e).numbers for e in ledger.entries() if e.answered}
    assert drawn == {"2021": ((10, 20, 25),), "2022": ((11, 21, 31),), "2023": ((14, 23, 29),)}
    assert [e.name for e in ledger.entries() if not e.answered] == ["stopped"]
    assert ledger.spent().largest == 4**4
    assert ledger.states() == ()
    assert "No state: an earlier version made this ledger" in str(statement(ledger))
    with pytest.raises(InvalidFile, match="never in the state"):
        ledger.expect_state("0" * 64)
    assert before.read_bytes() == written


def test_a_ledger_of_the_version_before_notices_what_is_missing_once_it_is_written(
    before: Path,
) -> None:
    ledger = Ledger.open(before)
    ledger.spend("2024", QUESTION, three_values().paid)
    assert len(ledger.states()) == 1 + 5 + 3
    again = Ledger.open(before)
    assert again.spent().largest == 4**5
    assert [again.answer(e).numbers for e in again.entries() if e.answered] == [
        ((10, 20, 25),),
        ((11, 21, 31),),
        ((14, 23, 29),),
    ]
    entry = again.find("stopped")
    assert entry is not None
    assert again.store(entry, Stored(((1, 2, 3),), ())).numbers == ((1, 2, 3),)
    edited(before, "DELETE FROM answer WHERE number = 1")
    with pytest.raises(InvalidFile, match="missing"):
        Ledger.open(before)


def test_a_release_that_a_ledger_of_the_version_before_cannot_pay_leaves_it_as_it_is(
    before: Path,
) -> None:
    from leaktight.errors import OverBudget

    written = before.read_bytes()
    with pytest.raises(OverBudget):
        Ledger.open(before).spend("2024", QUESTION, three_values(17).paid)
    assert before.read_bytes() == written


# --- the file ------------------------------------------------------------------------------


def test_a_ledger_of_two_names_is_refused_under_both(path: Path, tmp_path: Path) -> None:
    ledger, other = Ledger.open(path), tmp_path / "other"
    other.hardlink_to(path)
    late: list[Callable[[], object]] = [
        lambda: Ledger.open(path),
        lambda: Ledger.open(other),
        lambda: ledger.spend(MORE, QUESTION, noise_of(cumulative("c"), 2).paid),
    ]
    for refused in late:
        with pytest.raises(InvalidFile, match=r"has 2 names \(hard links\)"):
            refused()
    other.unlink()
    assert len(Ledger.open(path).entries()) == len(ASKED)


def test_a_link_to_a_ledger_is_followed(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path)
    Ledger.open(link).spend(MORE, QUESTION, noise_of(cumulative("c"), 2).paid)
    assert len(Ledger.open(path).entries()) == len(ASKED) + 1


def test_where_locks_do_not_hold_no_ledger_is_made(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite can do without locks: then another process finds the file free, as on such a disk."""
    expect_locks(address_of(path))
    with pytest.raises(InvalidFile, match="no locks that work"):
        expect_locks(f"{address_of(path)}&vfs=unix-none")
    monkeypatch.setattr(
        "leaktight.tables.ledger.file.address_of", lambda new: f"{address_of(new)}&vfs=unix-none"
    )
    target = tmp_path / "new.ledger"
    with pytest.raises(InvalidFile, match="no locks that work"):
        Ledger.create(target, LINE, ratio=2)
    assert not target.exists()


def test_a_new_ledger_is_for_its_owner_alone_and_one_that_is_there_keeps_its_rights(
    tmp_path: Path,
) -> None:
    target = tmp_path / "l"
    before = os.umask(0)
    try:
        ledger = Ledger.create(target, LINE, ratio=100)
        assert target.stat().st_mode & 0o777 == 0o600
        assert list(tmp_path.iterdir()) == [target]
        target.chmod(0o640)
        ledger.spend(MORE, QUESTION, noise_of(cumulative("c"), 2).paid)
        assert target.stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)
