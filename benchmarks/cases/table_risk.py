"""What handing out a table risks: finding a row and guessing a secret, after one release and two.

bvmlib does it on a pandas frame in memory. Both of its attacks are asked here, for one table and
for two in turn; it takes no missing values, so there are none. Chances are compared exactly: as
numbers of rows, which its floats still say. The last case is ours alone: how cost grows with rows
and with the number of combinations of columns.
"""

import contextlib
import io
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks.case import Case
from leaktight.tables import risk

KNOWN = ["zip", "age", "sex", "birthday", "job"]
ONCE, TWICE = ["age", "sex", "job"], ["birthday", "job"]
SECRET = "diagnosis"
FOLDER = TemporaryDirectory(prefix="leaktight-")


class People(NamedTuple):
    """Two releases of the same people, some of whom are missing in the second."""

    rows: int
    first: Any
    second: Any


@cache
def columns(n: int, seed: int) -> dict[str, Any]:
    """Columns as a register has them: few sexes, many towns, some frequent and some rare."""
    rng = np.random.default_rng(seed)
    return {
        "id": np.arange(n),
        "zip": (10_000 * rng.random(n) * rng.random(n)).astype(int),
        "age": rng.integers(0, 100, n),
        "sex": rng.integers(0, 2, n),
        "birthday": rng.integers(0, 366, n),
        "job": rng.integers(0, 50, n),
        "diagnosis": (100 * rng.random(n) * rng.random(n)).astype(int),
    }


def frames(n: int) -> People:
    """Return both releases as pandas frames; the second has another job, and nine of ten people."""
    import pandas

    first = pandas.DataFrame(columns(n, 1))
    second = first.assign(job=columns(n, 2)["job"])[first["id"] % 10 > 0]
    return People(n, first, second[["id", *TWICE]])


def ours_once(people: People) -> tuple[Fraction, Fraction | None]:
    """Count with DuckDB."""
    found = risk(people.first, ONCE, SECRET, combinations=0)
    return found.exposure.find, found.exposure.guess


def ours_twice(people: People) -> tuple[Fraction, Fraction | None]:
    """Count with DuckDB, the second release joined by person."""
    found = risk(
        people.first, TWICE, SECRET, combinations=0, later_releases=people.second, person="id"
    ).releases[-1]
    return found.find, found.guess


def _rows(people: People, found: Any) -> tuple[Fraction, Fraction]:
    """Return chances as fractions of rows: bvmlib's floats are within one part in 10^12 of them."""
    chances = []
    for table in ("re_id", "att_inf"):
        rows = float(found[table]["Posterior"].iloc[0]) * people.rows
        assert abs(rows - round(rows)) * 10**6 < 1
        chances.append(Fraction(round(rows), people.rows))
    return chances[0], chances[1]


def bvmlib_once(people: People) -> tuple[Fraction, Fraction]:
    """Let bvmlib go through the sorted rows."""
    from bvmlib.bvm import BVM

    with contextlib.redirect_stdout(io.StringIO()):
        asked = BVM(people.first)
        asked.qids(list(ONCE))
        asked.sensitive([SECRET])
        return _rows(people, asked.assess())


def bvmlib_twice(people: People) -> tuple[Fraction, Fraction]:
    """Let bvmlib join the releases as texts and go through the sorted rows."""
    from bvmlib.bvm import BVMLongitudinal

    with contextlib.redirect_stdout(io.StringIO()):
        asked = BVMLongitudinal([people.first, people.second], ["id", "id"])
        asked.worth_assignment = None  # which it forgets, and then asks for
        asked.qids([TWICE, TWICE])
        asked.sensitive([SECRET])
        return _rows(people, asked.assess())


@cache
def file(n: int) -> Path:
    """Write the first release as a Parquet file, without a person."""
    import duckdb

    path = Path(FOLDER.name, f"people{n}.parquet")
    people = {name: column for name, column in columns(n, 1).items() if name != "id"}
    with duckdb.connect() as engine:
        engine.register("people", people)
        engine.execute(f"COPY people TO '{path}' (FORMAT parquet)")
    columns.cache_clear()
    return path


def combined(most: int) -> Any:
    """Return a way that looks at all combinations of up to so many columns."""

    def way(path: Path) -> int:
        return len(risk(path, KNOWN, SECRET, combinations=most).combinations)

    return way


def counted(answers: Mapping[str, int]) -> str:
    """Demand as many combinations as there are."""
    assert set(answers.items()) <= {
        ("leaktight", 0),
        ("5 combinations", 5),
        ("15 combinations", 15),
        ("30 combinations", 30),
    }, answers
    return "all combinations"


CASES = (
    Case(
        task="risk of a table of {n} people: a row found, a secret guessed",
        sizes=(10_000, 100_000, 1_000_000),
        prepare=frames,
        ways={"leaktight": ours_once, "bvmlib": bvmlib_once},
        scale_name="people",
        rounds=3,
        patience=60,
    ),
    Case(
        task="the same after two releases of {n} people",
        sizes=(10_000, 100_000),
        prepare=frames,
        ways={"leaktight": ours_twice, "bvmlib": bvmlib_twice},
        scale_name="people",
        rounds=3,
        patience=60,
    ),
    Case(
        task="risk of a Parquet file of {n} people, 5 known columns",
        sizes=(100_000, 1_000_000, 10_000_000),
        prepare=file,
        ways={
            "leaktight": combined(0),
            "5 combinations": combined(1),
            "15 combinations": combined(2),
            "30 combinations": combined(4),
        },
        agree=counted,
        scale_name="people",
        rounds=1,
        patience=240,
        note="nearly all people are unique, which costs most; each combination is grouped by "
        "itself, so that time grows with their number and with how fine they are",
    ),
)
