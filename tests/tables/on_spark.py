"""What only a real Spark shows; ``make test-spark`` runs it, with the tests of rows."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from leaktight import Policy, RandomizedResponse, SecretGraph
from leaktight.errors import InvalidFile, InvalidInput
from leaktight.tables import (
    Ledger,
    Reading,
    histogram,
    mean_of,
    quantiles_of,
    release,
    release_rows,
    risk,
    sum_of,
)
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.rows import count_rows
from tests.tables.engines import CANARY, spark_frame
from tests.tables.spark import session

AGES = Policy(SecretGraph.line(range(-3, 141)), records=8)


def test_a_release_from_spark_is_an_object_of_numbers(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "l", AGES, epsilon=2000)
    done = release(
        spark_frame(tmp_path), AGES, [histogram("ages")],
        name="a", ledger=tmp_path / "l", columns="age", epsilon=2000,
    )  # fmt: skip
    answer = done["ages"]
    assert sum(answer.numbers) == 8
    assert all(type(number) is int for number in answer.numbers)


def test_spark_that_overflows_in_silence_is_refused(tmp_path: Path) -> None:
    frame = spark_frame(tmp_path)
    session().conf.set("spark.sql.ansi.enabled", "false")
    try:
        with pytest.raises(InvalidInput, match=r"spark\.sql\.ansi\.enabled"):
            count_rows(frame, PrivacyUnit(AGES), Reading(("age",)))
    finally:
        session().conf.set("spark.sql.ansi.enabled", "true")


def test_what_spark_says_of_a_cell_is_not_passed_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = spark_frame(tmp_path).where(f"town = '{CANARY}'")
    frame = one.selectExpr("cast(town as int) as age")
    with pytest.raises(Exception, match=CANARY):  # Spark itself says it
        frame.where("age = 0").collect()
    capsys.readouterr()
    for ask in (
        lambda: count_rows(frame, PrivacyUnit(AGES), Reading(("age",))),
        lambda: risk(frame, ["age"]),
    ):
        with pytest.raises(InvalidFile) as wrong:
            ask()
        error: BaseException | None = wrong.value
        while error is not None:
            assert CANARY not in str(error)
            error = error.__cause__ or error.__context__
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err


@pytest.mark.filterwarnings("ignore::FutureWarning:pyspark")
def test_every_row_is_drawn_once_and_written_once(tmp_path: Path) -> None:
    """What a frame with noise would draw anew each time it is looked at, is a file of numbers."""
    bands = ["young", "old"]
    policy = Policy(SecretGraph.complete(bands), records=8)
    Ledger.create(tmp_path / "l", policy, ratio=4)
    how = {"name": "a", "ledger": tmp_path / "l", "column": "age", "cuts": {"age": (18,)}}
    answer = RandomizedResponse(bands, ratio=2)
    for _ in range(2):
        done = release_rows(
            spark_frame(tmp_path), policy, answer, tmp_path / "out.parquet",
            **how,  # type: ignore[arg-type]
        )  # fmt: skip
    looks = [session().read.parquet(str(done.path)).collect() for _ in range(3)]
    assert looks[0] == looks[1] == looks[2]
    assert len(looks[0]) == done.rows == 8
    assert len(Ledger.open(tmp_path / "l").entries()) == 1


@pytest.mark.filterwarnings("ignore::FutureWarning:pyspark")
def test_rows_are_written_to_a_folder_of_any_name_for_its_owner(tmp_path: Path) -> None:
    bands = ["young", "old"]
    policy = Policy(SecretGraph.complete(bands), records=8)
    Ledger.create(tmp_path / "l", policy, ratio=4)
    folder = tmp_path / "v=b" / "x[1]*{a,b} #%41"
    folder.mkdir(parents=True)
    done = release_rows(
        spark_frame(tmp_path), policy, RandomizedResponse(bands, ratio=2), folder / "o?.parquet",
        name="a", ledger=tmp_path / "l", column="age", cuts={"age": (18,)},
    )  # fmt: skip
    assert done.rows == 8
    assert [file.name for file in folder.iterdir()] == ["o?.parquet"]
    assert {file.stat().st_mode & 0o777 for file in done.path.iterdir()} == {0o600}
    assert done.path.stat().st_mode & 0o777 == 0o700
    assert sorted(file.name for file in tmp_path.iterdir()) == ["l", "people.parquet", "v=b"]


def test_rows_of_spark_have_no_numbers_and_nothing_of_a_risk_stays_cached(tmp_path: Path) -> None:
    frame = spark_frame(tmp_path)
    with pytest.raises(InvalidInput, match="rows of Spark have no numbers"):
        risk(frame, ["town"], rows=True)
    found = risk(frame, ["town"], "member", later_releases=frame.where("age > 20"), person="age")
    assert (found.exposure.groups, found.releases[0].groups) == (7, 8)
    assert not [table.name for table in session().catalog.listTables() if "leaktight" in table.name]
    assert session()._jsparkSession.sharedState().cacheManager().isEmpty()
    assert session().sparkContext._jsc.getPersistentRDDs().isEmpty()


def test_spark_and_duckdb_publish_the_same_numbers(tmp_path: Path) -> None:
    """Four kinds of queries, with cuts, clamps and cells outside: from the same draws."""
    dice = np.random.default_rng(5)
    rows = [
        (str(dice.choice(["f", "m", "x"], p=[0.5, 0.49, 0.01])), int(dice.integers(0, 99)),
         int(dice.poisson(2)))
        for _ in range(500)
    ]  # fmt: skip
    file = tmp_path / "t.csv"
    file.write_text(
        "\n".join(["sex,age,stay", *(",".join(map(str, row)) for row in rows)]), "utf-8"
    )
    frame = session().createDataFrame(rows, "sex string, age int, stay int")
    values = product(["f", "m", "?"], ["young", "old"], range(5))
    policy = Policy(SecretGraph.add_remove(values), records=600)
    asked = [
        histogram("ages", by=["sex", "age"]),
        mean_of("stay", "stay", by=["sex"], clamp=[0, 4]),
        quantiles_of("stays", ["0.1", "0.5", "0.9"], "stay"),
        sum_of("days", column="stay", by=["age"]),
    ]
    found = []
    for i, source in enumerate((file, frame)):
        Ledger.create(tmp_path / f"{i}.ledger", policy, epsilon=1, people="change")
        done = release(
            source, policy, asked, name="a", ledger=tmp_path / f"{i}.ledger", epsilon=1,
            columns=["sex", "age", "stay"], people="change", outside={"sex": "?"},
            cuts={"age": [65]}, clamp=["stay"], rng=np.random.default_rng(7),
        )  # fmt: skip
        found.append([(a.cells, a.numbers, a.intervals()) for a in done.answers])
    assert found[0] == found[1]
