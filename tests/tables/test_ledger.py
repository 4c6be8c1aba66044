"""The ledger: what was seen was paid for, whatever happens in between."""

import multiprocessing
import os
import random
import resource
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from functools import partial
from itertools import takewhile
from pathlib import Path
from tempfile import gettempdir

import pytest

from leaktight import Policy, SecretGraph, count
from leaktight.errors import InvalidFile, InvalidInput, LeaktightError, OverBudget
from leaktight.exact.ratio import Ratio
from leaktight.tables import Ledger, TableQuery, count_of, cumulative, histogram
from leaktight.tables.calibration import calibrated
from leaktight.tables.ledger import Entry, Stored
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.publishing import drawn, publish
from leaktight.tables.weights import Weights
from leaktight.tables.writing import read_protection, write_protection
from tests.tables.workers import (
    POLICY,
    QUESTION,
    TRUTH,
    Step,
    answer_first,
    from_table,
    keep_releasing,
    noise,
    right_order,
    spend_all,
)

ROUNDS = int(os.environ.get("LEAKTIGHT_KILLS", "6"))
"""How often processes are killed; make test-kill does it five hundred times."""

WHOLE_ROUNDS = int(os.environ.get("LEAKTIGHT_KILLS", "3"))
"""The same of whole releases, from a file, which take longer."""

FORK = multiprocessing.get_context("fork")
CLEAN = multiprocessing.get_context("forkserver")
"""Forks of a process in which no engine has started a thread."""
CLEAN.set_forkserver_preload(["duckdb", "narwhals._duckdb.dataframe", "tests.tables.workers"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "book.ledger"
    Ledger.create(file, POLICY, ratio=4 ** (10 * ROUNDS + 1000))
    return file


# --- killed at any instant -----------------------------------------------------------------


def killed(
    path: Path,
    step: Step,
    rounds: int,
    processes: int = 2,
    context: multiprocessing.context.ForkContext | multiprocessing.context.ForkServerContext = FORK,
) -> Path:
    """Let some processes release the same names, and kill all at some instant, so many times.

    It is some time after the ledger was written, or after one or two of their answers were seen.
    """
    shown, chance = path.with_name("shown"), random.Random(7)
    shown.touch()
    for i in range(rounds):
        seen, written = len(shown.read_text().splitlines()), path.stat().st_mtime_ns
        workers = [
            context.Process(target=keep_releasing, args=(path, shown, step, 10 * i, 10))
            for _ in range(processes)
        ]
        for worker in workers:
            worker.start()
        while len(shown.read_text().splitlines()) < seen + max(1, i % 3) and not (
            i % 3 == 0 and path.stat().st_mtime_ns > written
        ):
            assert any(worker.is_alive() for worker in workers)
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.05))
        for worker in workers:
            os.kill(worker.pid or 0, signal.SIGKILL)
            worker.join()
    return shown


def wrongs(path: Path, shown: Path) -> list[str]:
    """Return what was seen and not paid for, and what was drawn twice under one name."""
    ledger = Ledger.open(path)
    kept = {e.name: ledger.answer(e).numbers[0] for e in ledger.entries() if e.answered}
    seen = [line.rsplit(" ", 3) for line in shown.read_text().splitlines()]
    return [name for name, *numbers in seen if kept.get(name) != tuple(map(int, numbers))]


def test_whenever_processes_are_killed_what_was_seen_was_paid_for(path: Path) -> None:
    shown = killed(path, right_order, ROUNDS)
    assert shown.read_text()
    assert wrongs(path, shown) == []


def test_whenever_three_releases_of_a_table_are_killed_each_payment_has_one_draw(
    tmp_path: Path,
) -> None:
    """The budget is for some of the names alone; at last whoever is left asks for the others."""
    path, allowed = tmp_path / "book.ledger", WHOLE_ROUNDS + 2
    ledger, shown = Ledger.create(path, POLICY, ratio=4**allowed), tmp_path / "shown"
    rows = [value for value, n in zip("abc", TRUTH.counts, strict=True) for _ in range(n)]
    path.with_name("table.csv").write_text("\n".join(["value", *rows, ""]))
    from_table(ledger, "release 0", shown)
    assert killed(path, from_table, WHOLE_ROUNDS, processes=3, context=CLEAN) == shown
    seen = len(shown.read_text().splitlines())
    assert wrongs(path, shown) == []
    entries = ledger.entries()
    assert ledger.spent().largest == 4 ** len(entries) <= 4**allowed
    stopped = [entry.name for entry in entries if not entry.answered]
    told = f"{WHOLE_ROUNDS} times killed: {len(entries)} payments, {len(stopped)} not drawn yet"
    print(f"{told}, {seen} answers seen")
    for name in (*stopped, *(f"last {i}" for i in range(allowed - len(entries))), "too much"):
        from_table(ledger, name, shown)
    assert wrongs(path, shown) == []
    assert ledger.spent().largest == 4 ** len(ledger.entries()) == 4**allowed
    assert all(entry.answered for entry in ledger.entries())


def test_with_the_answer_first_the_same_test_fails(path: Path) -> None:
    assert wrongs(path, killed(path, answer_first, ROUNDS)) != []


def test_an_entry_without_an_answer_is_drawn_when_it_is_asked_for_again(path: Path) -> None:
    ledger = Ledger.open(path)
    entry = ledger.spend("stopped", QUESTION, noise().paid)
    assert not entry.answered
    first = publish(ledger, "stopped", QUESTION, noise(), TRUTH)
    again = publish(ledger, "stopped", QUESTION, noise(), TRUTH)
    assert first.answers[0].numbers == again.answers[0].numbers
    assert len(ledger.entries()) == 1


def test_the_numbers_that_leave_are_those_of_the_ledger_not_those_just_drawn(path: Path) -> None:
    ledger = Ledger.open(path)
    entry = ledger.spend("twice", QUESTION, noise().paid)
    kept = ledger.store(entry, Stored(((1, 2, 3),), ()))
    assert ledger.store(entry, Stored(((4, 5, 6),), ())) == kept
    assert kept.numbers == ((1, 2, 3),)


def test_four_processes_at_once_spend_exactly_the_budget(tmp_path: Path) -> None:
    file = tmp_path / "race.ledger"
    Ledger.create(file, POLICY, ratio=4**7)
    with FORK.Manager() as manager:
        barrier = manager.Barrier(4)
        with FORK.Pool(4) as pool:
            done = pool.starmap(spend_all, [(file, barrier, worker, 7) for worker in range(4)])
    assert sum(done) == 7
    spent = Ledger.open(file).spent()
    assert spent.lost(spent.worst or 0) == 4**7


# --- the budget ----------------------------------------------------------------------------


def test_a_release_beyond_the_budget_is_refused_and_costs_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l", POLICY, ratio=17)
    ledger.spend("one", QUESTION, noise().paid)
    ledger.spend("two", QUESTION, noise().paid)
    with pytest.raises(OverBudget, match=r"a – b to ε ≤ 4\.15889.*ln 17.*0\.0606246 is left"):
        ledger.spend("three", QUESTION, noise().paid)
    assert [entry.name for entry in ledger.entries()] == ["one", "two"]


def test_two_halves_of_an_epsilon_fit_into_it_exactly_and_nothing_more(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l", POLICY, epsilon=1)
    half = calibrated(PrivacyUnit(POLICY), [cumulative("c")], Ratio.of(epsilon="1/2"))
    ledger.spend("one", QUESTION, half.paid)
    ledger.spend("two", QUESTION, half.paid)
    least = calibrated(PrivacyUnit(POLICY), [cumulative("c")], Ratio.of(epsilon="1e-15"))
    with pytest.raises(OverBudget):
        ledger.spend("three", QUESTION, least.paid)


def test_each_pair_pays_for_what_tells_it_apart_and_for_nothing_else(tmp_path: Path) -> None:
    towns = Policy(SecretGraph.complete(["Bern", "Thun", "Basel", "Muttenz"]), 100)
    ledger = Ledger.create(tmp_path / "l", towns, ratio=16)
    protection = PrivacyUnit(towns)
    for name, cells in (("east", ["Bern", "Thun"]), ("west", ["Basel", "Muttenz"])):
        query = histogram(name, groups={cell: [cell] for cell in cells}, ordered=False)
        ledger.spend(name, QUESTION, calibrated(protection, [query], Ratio.of(16)).paid)
    spent = ledger.spent()
    paid = {pair: spent.lost(i) for i, pair in enumerate(towns.secrets.edge_pairs())}
    assert paid["Bern", "Thun"] == paid["Basel", "Muttenz"] == 16  # its own part alone
    assert paid["Bern", "Basel"] == 16  # 4 for each part


def test_costs_multiply_pair_by_pair_as_fractions_do(tmp_path: Path) -> None:
    line = Policy(SecretGraph.line(4), 10)
    ledger = Ledger.create(tmp_path / "l", line, ratio=10**9)
    protection, expected = PrivacyUnit(line), [Fraction(1)] * 3
    asked: list[tuple[TableQuery, int | str]]
    asked = [(cumulative("c"), 3), (count_of("some", [0, 1]), "3/2"), (histogram("h"), 5)]
    for i, (query, ratio) in enumerate(asked * 2):
        made = calibrated(protection, [query], Ratio.of(ratio))
        ledger.spend(str(i), QUESTION, made.paid)
        for pair, units in enumerate(made.paid.exponents(protection.pairs).tolist()):
            expected[pair] *= made.step**units
    spent = ledger.spent()
    assert [spent.lost(pair) for pair in range(3)] == expected
    assert spent.lost(spent.worst or 0) == max(expected)


# --- what is refused -----------------------------------------------------------------------


def one_line(refused: Callable[[], object], kind: type[LeaktightError], said: str) -> None:
    with pytest.raises(kind, match=said) as wrong:
        refused()
    assert "\n" not in str(wrong.value)


def test_a_changed_policy_is_refused(path: Path) -> None:
    ledger = Ledger.open(path)
    other = Policy(SecretGraph.line(["a", "b", "c"]), records=60)
    for wrong, what in (
        (PrivacyUnit(other), "pairs"),
        (PrivacyUnit(POLICY, rows_per_person=2), "rows per person"),
        (PrivacyUnit(POLICY, absent="a"), "absent"),
        (PrivacyUnit(Policy(POLICY.secrets, records=61)), "records"),
    ):
        said = f"another policy, with other {what};"
        one_line(partial(ledger.expect, wrong), InvalidInput, said)


def test_a_name_is_for_one_question_only(path: Path) -> None:
    ledger = Ledger.open(path)
    ledger.spend("2024", QUESTION, noise().paid)
    one_line(
        lambda: ledger.spend("2024", "{}", noise().paid), InvalidInput, "another release called"
    )


def test_a_swapped_ledger_is_refused(path: Path, tmp_path: Path) -> None:
    ledger, other = Ledger.open(path), tmp_path / "other.ledger"
    Ledger.create(other, POLICY, ratio=4**1000)
    shutil.copy(other, path)
    one_line(lambda: ledger.spend("a", QUESTION, noise().paid), InvalidFile, "swapped")
    one_line(ledger.spent, InvalidFile, "swapped")


def test_a_ledger_that_is_swapped_while_it_is_written_is_found_out_before_anything_is_drawn(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, older = Ledger.open(path), tmp_path / "older"
    shutil.copy(path, older)
    insert = Ledger._insert

    def swapped(*args: object) -> Entry:
        made = insert(*args)  # type: ignore[arg-type]
        shutil.copy(older, tmp_path / "new")
        (tmp_path / "new").replace(path)
        return made

    monkeypatch.setattr(Ledger, "_insert", swapped)
    one_line(lambda: ledger.spend("a", QUESTION, noise().paid), InvalidFile, "swapped|disk|damaged")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE entry SET step = '1'", "changed at its entry 1"),
        ("UPDATE entry SET name = 'x' WHERE number = 2", "changed at its entry 2"),
        ("DELETE FROM entry WHERE number = 1", "changed at its entry 1"),
        ("UPDATE head SET budget = 'ratio 99'", "changed: its policy or its budget"),
        ("INSERT INTO answer VALUES (9, '', '')", "answer without an entry"),
        ("PRAGMA user_version = 7", "no ledger of this version"),
    ],
)
def test_a_ledger_that_somebody_changed_is_refused(path: Path, change: str, said: str) -> None:
    ledger = Ledger.open(path)
    for name in ("one", "two"):
        publish(ledger, name, QUESTION, noise(), TRUTH)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(change)
    file.close()
    one_line(lambda: Ledger.open(path), InvalidFile, said)


def changed(path: Path, command: str, *cells: object) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(command, cells)
    file.close()


def test_changed_answers_are_found_when_they_are_read(path: Path) -> None:
    ledger = Ledger.open(path)
    done = publish(ledger, "one", QUESTION, noise(), TRUTH)
    for command in ("UPDATE answer SET numbers = x'00'", "UPDATE answer SET chain = ''"):
        changed(path, command)
        one_line(lambda: ledger.answer(done.entry), InvalidFile, "changed at the answer 1")


def test_changed_weights_are_found_when_they_are_read(path: Path) -> None:
    ledger = Ledger.open(path)
    publish(ledger, "one", QUESTION, noise(), TRUTH)
    paid = noise().blocks[0].weights
    free = Weights.unpacked(str(paid.shape), paid.size, paid.packed(), paid.digest)
    free.places[:] = 0  # no pair would pay anything
    changed(path, "UPDATE weights SET places = ?", free.packed())
    one_line(lambda: list(ledger.paid()), InvalidFile, "weights of an entry are missing or others")


@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_damaged_ledger_is_refused(path: Path, keep: int) -> None:
    ledger = Ledger.open(path)
    publish(ledger, "one", QUESTION, noise(), TRUTH)
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])
    one_line(lambda: Ledger.open(path), InvalidFile, "ledger")
    path.write_bytes(whole[:keep] + random.Random(7).randbytes(len(whole) - keep))
    one_line(lambda: Ledger.open(path), InvalidFile, "ledger")


def test_what_is_no_ledger_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no ledger " * 1000)
    one_line(lambda: Ledger.open(text), InvalidFile, "cannot be read: it is no ledger")
    one_line(lambda: Ledger.open(tmp_path), InvalidFile, "is no file")
    one_line(lambda: Ledger.open(tmp_path / "none"), InvalidFile, "there is no ledger")
    one_line(lambda: Ledger.create(text, POLICY, epsilon=1), InvalidFile, "made only once")
    nowhere = tmp_path / "none" / "l"
    one_line(lambda: Ledger.create(nowhere, POLICY, epsilon=1), InvalidFile, "cannot be made")


def in_child(work: Callable[[], None]) -> str:
    """Run something in a process of its own, and return what it says."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            work()
            said = "done"
        except LeaktightError as wrong:
            said = f"{type(wrong).__name__}: {wrong}"
        except BaseException as wrong:
            said = f"unexpected {wrong!r}"
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def test_on_a_full_disk_nothing_is_seen_that_was_not_stored(path: Path) -> None:
    """A process may write no file longer than this one: as if the disk were full."""
    ledger = Ledger.open(path)
    size = path.stat().st_size

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))
        publish(ledger, "full", QUESTION, noise(), TRUTH)

    said = in_child(full)
    assert said.startswith("InvalidFile: the ledger")
    assert "cannot be written: the disk" in said
    assert Ledger.open(path).entries() == ()


def test_a_ledger_that_may_only_be_read_is_refused(path: Path) -> None:
    ledger = Ledger.open(path)

    def as_nobody() -> None:
        if os.geteuid() == 0:
            os.seteuid(65534)
        publish(ledger, "read", QUESTION, noise(), TRUTH)

    for folder in takewhile(lambda each: each != Path(gettempdir()), path.parents):
        folder.chmod(0o755)  # or nobody would not even find the file
    path.chmod(0o444)
    said = in_child(as_nobody)
    path.chmod(0o644)
    assert "cannot be written: it, or its folder, may only be read" in said
    assert Ledger.open(path).entries() == ()


def test_a_draw_is_the_truth_with_exact_noise_of_the_stated_width() -> None:
    """Of many draws, the chance of no noise is (1−c)/(1+c), and nothing is cut off at 0."""
    import numpy as np

    made, rng = noise(), np.random.default_rng(7)
    off = np.array([drawn(made, TRUTH, rng)[0] for _ in range(600)]) - TRUTH.counts
    assert made.step == 2
    assert abs((off == 0).mean() - 1 / 3) < 0.04
    assert abs(off.var() - 4) < 0.6
    assert off.min() < -10


def test_a_ledger_keeps_that_a_count_is_public_whatever_it_is() -> None:
    secrets = SecretGraph.complete(["flu", "cold", "none"])
    for told in (count(["flu"], published=True), count(["flu"], equals=2)):
        policy = Policy(secrets, 10, constraints=[told])
        read = read_protection(write_protection(PrivacyUnit(policy, None, 1))).policy
        assert read.constraints == policy.constraints
        assert read.public_counts.reach == policy.public_counts.reach == (2, 2)  # type: ignore[union-attr]
