"""A team's ledger on a real PostgreSQL server; ``make test-postgres`` runs it."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest

from leaktight.errors import InvalidFile, OverBudget
from leaktight.tables import Ledger, statement
from leaktight.tables.ledger import Stored
from leaktight.tables.ledger.entry import verified_entries
from leaktight.tables.publishing import publish
from tests.tables.postgres import PASSWORD, Server, running_server
from tests.tables.workers import (
    POLICY,
    QUESTION,
    TRUTH,
    Step,
    answer_first,
    keep_releasing,
    killed_before_drawing,
    killed_before_storing,
    killed_while_writing,
    noise,
    right_order,
    spend_all,
)

ROUNDS = int(os.environ.get("LEAKTIGHT_KILLS", "6"))
"""How often four processes are killed; make test-postgres KILLS=200 does it two hundred times."""

RACERS = 8

FORK = multiprocessing.get_context("fork")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


NAMES = (f"book{i}" for i in count())


@pytest.fixture
def address(server: Server) -> str:
    place = server.address(next(NAMES))
    Ledger.create(place, POLICY, ratio=4**1000)
    return place


# --- killed at any instant -----------------------------------------------------------------


def places(server: Server, address: str) -> int:
    """How much was written into a ledger."""
    [(found,)] = server.sql(f"SELECT places FROM {address.partition('#')[2]}.tip")
    return int(found)


def killed(server: Server, address: str, step: Step, rounds: int, shown: Path) -> None:
    """Let four processes release the same names, and kill all at some instant, so many times."""
    chance = random.Random(7)
    shown.touch()
    for i in range(rounds):
        seen, written = len(shown.read_text().splitlines()), places(server, address)
        workers = [
            FORK.Process(target=keep_releasing, args=(address, shown, step, 10 * i, 10))
            for _ in range(4)
        ]
        for worker in workers:
            worker.start()
        while len(shown.read_text().splitlines()) < seen + max(1, i % 3) and not (
            i % 3 == 0 and places(server, address) > written
        ):
            assert any(worker.is_alive() for worker in workers)
        time.sleep(chance.uniform(0, 0.05))
        for worker in workers:
            os.kill(worker.pid or 0, signal.SIGKILL)
            worker.join()


def wrongs(address: str, shown: Path) -> list[str]:
    """Return what was seen and not paid for, and what was drawn twice under one name."""
    ledger = Ledger.open(address)
    kept = {e.name: ledger.answer(e).numbers[0] for e in ledger.entries() if e.answered}
    seen = [line.rsplit(" ", 3) for line in shown.read_text().splitlines()]
    return [name for name, *numbers in seen if kept.get(name) != tuple(map(int, numbers))]


@pytest.mark.parametrize("noise_in", ["epsilon", "rho"])
def test_whenever_four_processes_are_killed_what_was_seen_was_paid_for(
    server: Server, tmp_path: Path, noise_in: str
) -> None:
    """The budget is for half of the names, so that refusals are among what is interrupted."""
    address, shown, allowed = server.address(next(NAMES)), tmp_path / "shown", 5 * ROUNDS
    budget: dict[str, Any] = {"ratio": 4**allowed}
    if noise_in == "rho":
        budget = {"rho": Fraction(allowed, 4)}
    ledger = Ledger.create(address, POLICY, **budget)
    killed(server, address, within_budget, ROUNDS, shown)
    assert wrongs(address, shown) == []
    entries = ledger.entries()
    assert len(entries) <= allowed
    spent = Fraction(len(entries), 4) if noise_in == "rho" else 4 ** len(entries)
    assert ledger.spent().largest == spent
    unseen = [entry.name for entry in entries if not entry.answered]
    seen = shown.read_text().splitlines()
    print(f"{ROUNDS} kills of 4: {len(entries)} paid, {len(unseen)} not drawn, {len(seen)} seen")
    for name in unseen:
        right_order(ledger, name, shown)
    assert wrongs(address, shown) == []
    assert len(ledger.entries()) == len(entries)


def within_budget(ledger: Ledger, name: str, shown: Path) -> None:
    """Release a name, or the first one again if the budget does not allow another."""
    try:
        right_order(ledger, name, shown)
    except OverBudget:
        right_order(ledger, "release 0", shown)


def test_with_the_answer_first_the_same_test_fails(
    server: Server, address: str, tmp_path: Path
) -> None:
    killed(server, address, answer_first, 6, tmp_path / "shown")
    assert wrongs(address, tmp_path / "shown") != []


@pytest.mark.parametrize("killed_there", [killed_before_drawing, killed_before_storing])
def test_a_release_that_was_killed_is_paid_once_and_drawn_when_asked_again(
    address: str, killed_there: object
) -> None:
    worker = FORK.Process(target=killed_there, args=(address, "stopped"))  # type: ignore[arg-type]
    worker.start()
    worker.join()
    assert worker.exitcode == -signal.SIGKILL
    ledger = Ledger.open(address)
    [entry] = ledger.entries()
    assert not entry.answered
    first = publish(ledger, "stopped", QUESTION, noise(), TRUTH)
    again = publish(ledger, "stopped", QUESTION, noise(), TRUTH)
    assert first.answers[0].numbers == again.answers[0].numbers
    assert ledger.spent().largest == 4


def test_whoever_is_killed_while_writing_leaves_nothing_and_holds_nobody_up(address: str) -> None:
    worker = FORK.Process(target=killed_while_writing, args=(address,))
    worker.start()
    worker.join()
    assert worker.exitcode == -signal.SIGKILL
    assert Ledger.open(address).spend("next", QUESTION, noise().paid).number == 1


BUDGETS: list[tuple[dict[str, Any], Fraction]] = [
    ({"ratio": 4**RACERS - 1}, Fraction(4 ** (RACERS - 1))),
    ({"rho": Fraction(RACERS, 4) - Fraction(1, 10**30)}, Fraction(RACERS - 1, 4)),
    ({"rho": Fraction(RACERS - 1, 4)}, Fraction(RACERS - 1, 4)),
]


@pytest.mark.parametrize(("budget", "spent"), BUDGETS)
def test_eight_processes_at_once_spend_exactly_what_is_left(
    server: Server, budget: dict[str, Any], spent: Fraction
) -> None:
    address = server.address(next(NAMES))
    Ledger.create(address, POLICY, **budget)
    with FORK.Manager() as manager:
        barrier = manager.Barrier(RACERS)
        with FORK.Pool(RACERS) as pool:
            jobs = [(address, barrier, worker, RACERS) for worker in range(RACERS)]
            done = pool.starmap(spend_all, jobs)
    assert sum(done) == RACERS - 1  # the last one is refused, whoever it is
    assert Ledger.open(address).spent().largest == spent


# --- the server stops ----------------------------------------------------------------------


def test_a_server_that_restarts_keeps_what_was_paid_and_nothing_else(
    server: Server, address: str
) -> None:
    ledger = Ledger.open(address)
    kept = ledger.store(ledger.spend("before", QUESTION, noise().paid), Stored(((1, 2, 3),), ()))
    states = ledger.states()
    writing = ledger.place.writing()
    opened = writing.__enter__()
    opened.execute("UPDATE tip SET places = 7")
    server.crash()
    try:
        with pytest.raises(InvalidFile, match="cannot be read: the server cannot be reached"):
            ledger.entries()
    finally:
        server.start()
    with pytest.raises(InvalidFile, match="cannot be written: the server"):
        writing.__exit__(None, None, None)
    assert ledger.states() == states
    [entry] = ledger.entries()
    assert ledger.answer(entry) == kept
    assert ledger.spend("after", QUESTION, noise().paid).number == 2


# --- who may do what -----------------------------------------------------------------------


def test_a_user_who_may_only_read_sees_all_and_spends_nothing(server: Server, address: str) -> None:
    ledger = Ledger.open(address)
    ledger.spend("one", QUESTION, noise().paid)
    schema = ledger.place.name.partition("#")[2]
    server.sql(
        f"CREATE USER auditor PASSWORD '{PASSWORD}'",
        f"GRANT USAGE ON SCHEMA {schema} TO auditor",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO auditor",
    )
    seen = Ledger.open(server.address(schema, user="auditor"))
    assert str(statement(seen)).split("\n")[1:] == str(statement(ledger)).split("\n")[1:]
    with pytest.raises(InvalidFile, match="this user may not do that") as wrong:
        seen.spend("two", QUESTION, noise().paid)
    assert PASSWORD not in str(wrong.value)
    assert len(ledger.entries()) == 1


def test_no_message_has_a_password_in_it(server: Server) -> None:
    for address, said in (
        (server.address("x", password="wrong-" + PASSWORD), "does not take this user"),
        (server.address("x", user="nobody"), "does not take this user"),
        (server.address("x").replace("/postgres?", "/nowhere?"), "no such database"),
        (server.address("x").replace(str(server.folder), "/no/such"), "cannot be reached"),
        (f"postgresql://owner:{PASSWORD}@/postgres?nonsense=1", "address cannot be read"),
        (server.address("nothing"), "there is no ledger"),
        (server.address("not a name"), "has letters, digits and _"),
    ):
        with pytest.raises(InvalidFile, match=said) as wrong:
            Ledger.open(address)
        assert PASSWORD not in str(wrong.value)
        assert "\n" not in str(wrong.value)
    assert PASSWORD not in repr(Ledger.create(server.address(next(NAMES)), POLICY, ratio=2))


# --- what somebody changed -----------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE {}.entry SET exponent = 1",
        "DELETE FROM {}.answer",
        "DELETE FROM {}.answer; DELETE FROM {}.entry",
        "UPDATE {}.head SET budget = 'ratio 1000'",
        "INSERT INTO {}.history VALUES (3, 'x')",
    ],
)
def test_a_row_that_somebody_changed_is_noticed(server: Server, address: str, change: str) -> None:
    ledger = Ledger.open(address)
    ledger.store(ledger.spend("one", QUESTION, noise().paid), Stored(((1, 2, 3),), ()))
    server.sql(*change.format(*[address.partition("#")[2]] * 2).split(";"))
    for use in (ledger.entries, lambda: Ledger.open(address)):
        with pytest.raises(InvalidFile, match=r"changed|swapped"):
            use()


def test_all_is_verified_again_only_if_somebody_else_has_written(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes alone verifies once; what another one wrote is verified, once, and counted."""
    ledger = Ledger.open(address)
    verified = list[int]()

    def counted(*given: Any) -> Any:
        found = verified_entries(*given)
        verified.append(len(found))
        return found

    monkeypatch.setattr("leaktight.tables.ledger.ledger.verified_entries", counted)
    for i in range(5):
        publish(ledger, f"own {i}", QUESTION, noise(), TRUTH)
    assert verified == []
    assert len(Ledger.open(address).entries()) == 5
    assert verified == []

    def another() -> None:  # each thread knows what it has seen itself
        publish(Ledger.open(address), "another", QUESTION, noise(), TRUTH)

    thread = Thread(target=another)
    thread.start()
    thread.join()
    assert verified == [5]
    assert ledger.spent().largest == 4**6
    publish(ledger, "own again", QUESTION, noise(), TRUTH)
    assert verified == [5, 6]
    assert len(Ledger.open(address).entries()) == 7
    assert verified == [5, 6]
    assert [entry.number for entry in ledger.entries()] == list(range(1, 8))


def test_a_ledger_is_made_only_once(address: str) -> None:
    with pytest.raises(InvalidFile, match="is there already; a ledger is made only once"):
        Ledger.create(address, POLICY, ratio=2)


def test_a_server_that_may_forget_is_refused(server: Server) -> None:
    server.sql("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
    try:
        until(lambda: server.sql("SHOW fsync") == [("off",)])
        with pytest.raises(InvalidFile, match="fsync = off, and may lose what was paid"):
            Ledger.create(server.address(next(NAMES)), POLICY, ratio=2)
    finally:
        server.sql("ALTER SYSTEM RESET fsync", "SELECT pg_reload_conf()")
        until(lambda: server.sql("SHOW fsync") == [("on",)])


def until(happened: object) -> None:
    """Look until a server has read its settings, which it does by itself."""
    while not happened():  # type: ignore[operator]
        time.sleep(0.01)


# --- from a file to a server, and back -----------------------------------------------------


def held(ledger: Ledger) -> tuple[object, ...]:
    answers = [ledger.answer(entry) for entry in ledger.entries() if entry.answered]
    return ledger.identity, ledger.entries(), ledger.states(), answers, ledger.spent().largest


def test_a_ledger_moves_to_a_server_and_back_with_all_that_it_holds(
    server: Server, tmp_path: Path
) -> None:
    first = Ledger.create(tmp_path / "first", POLICY, ratio=4**3)
    publish(first, "one", QUESTION, noise(), TRUTH)
    first.spend("stopped", QUESTION, noise().paid)
    before = held(first)
    second = first.move(server.address(next(NAMES)))
    assert held(second) == before
    third = second.move(tmp_path / "third")
    assert held(third) == before
    for closed in (first, second, Ledger.open(tmp_path / "first")):
        assert held(closed) == before
        with pytest.raises(InvalidFile, match=r"was moved to .*; spend there"):
            closed.spend("more", QUESTION, noise().paid)
    publish(third, "stopped", QUESTION, noise(), TRUTH)
    third.spend("last", QUESTION, noise().paid)
    with pytest.raises(OverBudget):
        third.spend("too much", QUESTION, noise().paid)


def test_a_move_that_was_stopped_is_finished_and_goes_nowhere_else(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.create(tmp_path / "first", POLICY, ratio=4**3)
    publish(ledger, "one", QUESTION, noise(), TRUTH)
    before, target = held(ledger), server.address(next(NAMES))

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("leaktight.tables.ledger.ledger._copy", stopped)
        with pytest.raises(KeyboardInterrupt):
            ledger.move(target)
    with pytest.raises(InvalidFile, match=r"was moved to .*; spend there"):
        ledger.spend("two", QUESTION, noise().paid)
    with pytest.raises(InvalidFile, match=r"was moved to .* already"):
        ledger.move(tmp_path / "elsewhere")
    assert held(ledger.move(target)) == before


# --- from the command line -----------------------------------------------------------------


def test_a_study_names_a_server_and_the_commands_use_it(server: Server, tmp_path: Path) -> None:
    address = server.address(next(NAMES)).replace(f":{PASSWORD}", "")
    tables = Path(__file__).parent.parent.parent / "examples" / "tables"
    study = (tables / "wages.toml").read_text("utf-8")
    (tmp_path / "wages.toml").write_text(
        study.replace('ledger = "wages.ledger"', f'ledger = "{address}"'), "utf-8"
    )
    (tmp_path / "wages.csv").write_bytes((tables / "wages.csv").read_bytes())

    def run(*words: str) -> str:
        said = subprocess.run(
            [sys.executable, "-m", "leaktight", *words],
            cwd=tmp_path,
            env={**os.environ, "PGPASSWORD": PASSWORD},
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.returncode == 0, said.stderr
        return " ".join(said.stdout.split())

    run("ledger", address, "--new", "wages.toml")
    assert "all releases of the ledger together: ε ≤ 1 of ε = 2" in run("release", "wages.toml")
    assert "nothing was spent now" in run("release", "wages.toml")
    for shown in (run("ledger", address), run("ledger", address, "--move", "wages.ledger")):
        assert "ε ≤ 1 spent (ρ ≤ 0." in shown
        assert "ε = 1 left" in shown


def test_the_tables_are_in_a_schema_that_others_do_not_see(server: Server, address: str) -> None:
    server.sql(f"CREATE USER stranger PASSWORD '{PASSWORD}'")
    name = address.partition("#")[2]
    with pytest.raises(InvalidFile, match="may not do that"):
        Ledger.open(server.address(name, user="stranger"))
    with (
        psycopg.connect(server.address(name, user="stranger").partition("#")[0]) as other,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        other.execute(f"SELECT * FROM {name}.answer".encode())
