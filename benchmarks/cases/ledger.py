"""One more release from a ledger that has many: paid for, drawn, and kept before anybody sees it.

The limit is SQLite alone: two rows that are written to the disk one after the other.
"""

import shutil
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case
from leaktight.exact.ratio import Ratio
from leaktight.tables import Ledger, histogram
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.publishing import publish
from leaktight.tables.rows import Counted

FOLDER = TemporaryDirectory(prefix="leaktight-")
POLICY = lt.Policy(lt.SecretGraph.complete(["a", "b", "c"]), records=60)
TRUTH = Counted(np.array([10, 20, 30]), ())
QUESTION = '{"queries":[{"name":"h"}]}'
BUDGET = 2**20_000


class Given(NamedTuple):
    """An open ledger, what is drawn, and a file of SQLite with as many rows."""

    ledger: Ledger
    noise: Noise
    rows: Path


@cache
def noise() -> Noise:
    """The noise of one release."""
    return calibrated(PrivacyUnit(POLICY), [histogram("h", ordered=False)], Ratio.of(2))


@cache
def written(n: int) -> tuple[Path, Path]:
    """Make a ledger with so many releases, and a file of SQLite with as many rows."""
    path, rows = Path(FOLDER.name, f"{n}.ledger"), Path(FOLDER.name, f"{n}.sqlite")
    ledger = Ledger.create(path, POLICY, ratio=BUDGET)
    for number in range(n):
        publish(ledger, f"release {number}", QUESTION, noise(), TRUTH)
    with closing(sqlite3.connect(rows)) as file:
        file.execute("CREATE TABLE rows (name TEXT PRIMARY KEY, numbers TEXT)")
        file.executemany("INSERT INTO rows VALUES (?, '10 20 30')", ((str(i),) for i in range(n)))
        file.commit()
    return path, rows


def prepare(n: int) -> Given:
    """Copy both, and open the ledger, which is verified then."""
    copies = [Path(FOLDER.name, f"copy{each.suffix}") for each in written(n)]
    for each, copy in zip(written(n), copies, strict=True):
        shutil.copyfile(each, copy)
    ledger = Ledger.open(copies[0])
    publish(ledger, "the first", QUESTION, noise(), TRUTH)
    return Given(ledger, noise(), copies[1])


def ours(given: Given) -> int:
    """Publish once more."""
    found = publish(given.ledger, "one more", QUESTION, given.noise, TRUTH)
    return len(found.answers[0].numbers)


def sqlite(given: Given) -> int:
    """Write two rows, each safely."""
    with closing(sqlite3.connect(given.rows)) as file:
        for name in ("paid", "drawn"):
            file.execute("INSERT INTO rows VALUES (?, '10 20 30')", (name,))
            file.commit()
    return 3


CASES = (
    Case(
        task="one more release from an open ledger that has {n}",
        sizes=(100, 1000, 3000),
        prepare=prepare,
        ways={"leaktight": ours, "SQLite": sqlite},
        limit="SQLite",
        rounds=5,
        patience=120,
        quick=1,
        scale_name="releases",
        note="ours also sees that nobody else has written, and draws the noise",
    ),
)
