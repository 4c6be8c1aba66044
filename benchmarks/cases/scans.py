"""Counting the rows of a file, as ``release`` does, and the groups that ``risk`` looks for.

The limit is DuckDB's own GROUP BY on the same file, which checks nothing: neither that every cell
has a declared value nor that the table has as many records as declared.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

import leaktight as lt
from benchmarks.case import Case
from leaktight.tables import risk
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.reading import Reading
from leaktight.tables.rows import count_rows

FOLDER = TemporaryDirectory(prefix="leaktight-")
REGIONS, WAGES = ("north", "south", "east", "west"), ("low", "mid", "high", "top")
KNOWN = ("zip", "age", "region")


@cache
def file(n: int, ending: str) -> Path:
    """Write people with a region, an age, a band of wages and one of 10,000 towns."""
    path = Path(FOLDER.name, f"people{n}.{ending}")
    with duckdb.connect() as engine:
        engine.execute("SELECT setseed(0.5)")
        engine.execute(
            "COPY (SELECT i AS id, "
            f"{list(REGIONS)}[1 + CAST(floor(random() * 4) AS INT)] AS region, "
            "CAST(floor(random() * 100) AS INT) AS age, "
            f"{list(WAGES)}[1 + CAST(floor(random() * 4) AS INT)] AS wage, "
            f"CAST(floor(random() * 10000) AS INT) AS zip FROM range({n}) r(i)) TO '{path}'"
        )
    return path


def ours(path: Path) -> list[int]:
    """Count regions and bands of wages together, as a release does."""
    rows = int(path.stem.removeprefix("people"))
    secrets = lt.SecretGraph.product(*(lt.SecretGraph.complete(v) for v in (REGIONS, WAGES)))
    found = count_rows(
        path, PrivacyUnit(lt.Policy(secrets, rows)), Reading(("region", "wage"))
    ).counts
    return sorted(found.tolist())


def engine(question: str) -> Callable[[Path], Any]:
    """Return what asks a DuckDB that is opened for it."""

    def way(path: Path) -> Any:
        with duckdb.connect() as opened:
            return opened.execute(question.format(f"'{path}'")).fetchall()

    return way


def grouped(path: Path) -> list[int]:
    """Let DuckDB group the columns as they are."""
    found = engine("SELECT count(*) FROM {} GROUP BY region, wage")(path)
    return sorted(n for (n,) in found)


def found_rows(path: Path) -> int:
    """Return how many rows are found by who knows three columns of all, as ``risk`` says."""
    found = risk(path, list(KNOWN), "wage", combinations=0).exposure.find
    return int(found * int(path.stem.removeprefix("people")))


def groups(path: Path) -> int:
    """Let DuckDB count the groups: in each, one row is found."""
    known = ", ".join(KNOWN)
    question = f"SELECT count(*) FROM (SELECT {known} FROM {{}} GROUP BY {known})"
    return int(engine(question)(path)[0][0])


def guessed(path: Path) -> int:
    """Let DuckDB count the groups by how many they are and share a secret, as ``risk`` does."""
    known = ", ".join(KNOWN)
    question = (
        f"SELECT sum(c) FROM (SELECT n, m, count(*) AS c FROM (SELECT {known}, sum(n) AS n, max(n) "
        f"AS m FROM (SELECT {known}, wage, count(*) AS n FROM {{}} GROUP BY {known}, wage) "
        f"GROUP BY {known}) GROUP BY n, m)"
    )
    return int(engine(question)(path)[0][0])


def alike(answers: Mapping[str, Any]) -> str:
    """Demand the same numbers."""
    assert len({str(answer) for answer in answers.values()}) == 1, answers
    return "the same numbers"


def case(task: str, ending: str, ways: Mapping[str, Any], note: str) -> Case:
    """Return a case on files of one kind."""
    return Case(
        task=task.format(kind={"csv": "CSV", "parquet": "Parquet"}[ending], n="{n}"),
        sizes=(100_000, 1_000_000, 10_000_000),
        prepare=lambda n: file(n, ending),
        ways=ways,
        agree=alike,
        limit="DuckDB",
        scale_name="rows",
        rounds=3,
        patience=120,
        note=note,
    )


CASES = (
    *(
        case(
            "count {n} rows of a {kind} file by two columns, 16 values, for a release",
            ending,
            {"leaktight": ours, "DuckDB": grouped},
            "opening an engine that reads no other file, and looking at the first rows, takes some "
            "20 ms whatever the size",
        )
        for ending in ("csv", "parquet")
    ),
    *(
        case(
            "risk of {n} rows of a {kind} file, 3 known columns and a secret",
            ending,
            {"leaktight": found_rows, "DuckDB, with the secret": guessed, "DuckDB": groups},
            "the risk also says who is alone with a secret, which needs the groups by secret as "
            "well as those without: the second column",
        )
        for ending in ("csv", "parquet")
    ),
)
