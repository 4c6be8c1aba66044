"""Processes that release from one ledger, and are killed."""

import os
import signal
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from leaktight import Policy, SecretGraph
from leaktight.errors import OverBudget
from leaktight.exact.ratio import Ratio
from leaktight.tables.calibration import GaussianWithin, Noise, calibrated
from leaktight.tables.ledger import Ledger, Stored
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.publishing import drawn, publish, release
from leaktight.tables.queries import histogram
from leaktight.tables.rows import Counted

POLICY = Policy(SecretGraph.complete(["a", "b", "c"]), records=60)
TRUTH = Counted(np.array([10, 20, 30]), ())
QUESTION = '{"queries":[{"name":"h"}]}'

Step = Callable[[Ledger, str, Path], None]


def noise(ratio: int = 4) -> Noise:
    return calibrated(PrivacyUnit(POLICY), [histogram("h", ordered=False)], Ratio.of(ratio))


def noise_for(ledger: Ledger) -> Noise:
    """The noise that its budget is in: geometric at the ratio 4, or Gaussian with ρ = 1/4."""
    if ledger.budget.rho is None:
        return noise()
    asked = [histogram("h", ordered=False)]
    return calibrated(PrivacyUnit(POLICY), asked, GaussianWithin(Fraction(1, 4)))


def show(shown: Path, name: str, numbers: tuple[int, ...]) -> None:
    """What somebody has seen: one write, which a kill leaves whole or out."""
    handle = os.open(shown, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{name} {' '.join(map(str, numbers))}\n".encode())
    os.close(handle)


def right_order(ledger: Ledger, name: str, shown: Path) -> None:
    done = publish(ledger, name, QUESTION, noise_for(ledger), TRUTH)
    show(shown, name, done.answers[0].numbers)


def answer_first(ledger: Ledger, name: str, shown: Path) -> None:
    """The wrong order: the numbers are seen before they are paid for."""
    [numbers] = drawn(noise(), TRUTH, None)
    show(shown, name, numbers)
    entry = ledger.spend(name, QUESTION, noise().paid)
    ledger.store(entry, Stored((numbers,), ()))


def from_table(ledger: Ledger, name: str, shown: Path) -> None:
    """Release the histogram of a CSV file; what the budget does not allow is not released.

    Then the first release is asked for again, which everybody has paid for.
    """
    table = ledger.path.with_name("table.csv")
    how: dict[str, Any] = {"ledger": ledger.path, "columns": "value", "ratio": 4}
    asked = [histogram("h", ordered=False)]
    try:
        done = release(table, POLICY, asked, name=name, **how)
    except OverBudget:
        name = "release 0"
        done = release(table, POLICY, asked, name=name, **how)
    show(shown, name, done.answers[0].numbers)


def killed_before_drawing(path: str | Path, name: str) -> None:
    """Pay, and be killed before anything is drawn."""
    Ledger.open(path).spend(name, QUESTION, noise().paid)
    os.kill(os.getpid(), signal.SIGKILL)


def killed_before_storing(path: str | Path, name: str) -> None:
    """Pay, draw, and be killed before what was drawn is stored; nobody has seen it."""
    Ledger.open(path).spend(name, QUESTION, noise().paid)
    drawn(noise(), TRUTH, None)
    os.kill(os.getpid(), signal.SIGKILL)


def killed_while_writing(path: str | Path) -> None:
    """Be killed with the ledger held alone, and a row written that is not committed."""
    with Ledger.open(path).place.writing() as opened:
        opened.execute("DELETE FROM head")
        os.kill(os.getpid(), signal.SIGKILL)


def keep_releasing(path: str | Path, shown: Path, step: Step, first: int, names: int) -> None:
    """Release names one after the other, each of which another process may release too."""
    ledger = Ledger.open(path)
    for i in range(first, first + names):
        step(ledger, f"release {i}", shown)


def spend_all(path: str | Path, barrier: object, worker: int, names: int) -> int:
    """Wait for the others, then release until the budget is spent; return how many it were."""
    barrier.wait()  # type: ignore[attr-defined]
    ledger, done = Ledger.open(path), 0
    for i in range(names):
        try:
            ledger.spend(f"{worker}.{i}", QUESTION, noise_for(ledger).paid)
            done += 1
        except OverBudget:
            break
    return done
