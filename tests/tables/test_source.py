"""A name of a file is that file, and a name of a column that column, whatever is in them."""

import os
import sqlite3
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from leaktight import Policy, RandomizedResponse, SecretGraph
from leaktight.errors import InvalidFile, InvalidInput, LeaktightError
from leaktight.tables import (
    Ledger,
    Reading,
    histogram,
    plan,
    record_of,
    release,
    release_rows,
    risk,
    write_release,
)
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.risk import Change
from leaktight.tables.rows import count_rows
from leaktight.tables.source import engine_for
from tests.tables.engines import ENGINES

LETTERS = ("a", "b")


def protected(rows: int, values: tuple[Any, ...] = LETTERS, **how: Any) -> PrivacyUnit:
    return PrivacyUnit(Policy(SecretGraph.complete(values), rows), **how)


def counted(source: Any, column: str, rows: int, table: str | None = None, **how: Any) -> list[int]:
    found = count_rows(source, protected(rows), Reading((column,), **how), table)
    return found.counts.tolist()


# --- files ---------------------------------------------------------------------------------


def written(file: Path, column: str, cells: list[Any]) -> Path:
    """Write a table of one column, as the end of the file's name says."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".csv":
        file.write_text("\n".join([column, *map(str, cells)]) + "\n")
    else:
        pyarrow.parquet.write_table(pyarrow.table({column: cells}), file.absolute())
    return file


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("asked", "beside"),
    [
        ("wages[1]", "wages1"),
        ("w*", "wages"),
        ("wage?", "wages"),
        ("**", "wages"),
        ("[!a]", "b"),
        ("w[[]1]", "w[1]"),
        ("{a,b}", "a"),
        ("it's", "its"),
        ("v=b/wages", "v=b/other"),
        ("x[1]/y*", "x1/y"),
        ("~/wages", "wages"),
        ("file:wages", "wages"),
    ],
)
def test_a_file_is_read_and_no_other_whatever_its_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str, beside: str, suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path(beside + suffix), "v", ["b", "b", "b"])
    file = written(Path(asked + suffix), "v", ["a", "a", "b"])
    for name in (file, str(file), file.absolute()):
        assert counted(name, "v", 3) == [2, 1]
        assert risk(name, ["v"]).exposure.groups == 2
    policy = protected(3).policy
    Ledger.create("l", policy, ratio=10**40)
    out = Path(f"out[1]{suffix}")
    written(Path(f"out1{suffix}"), "v", ["a"] * 5)
    sure = RandomizedResponse(LETTERS, ratio=10**30)
    done = release_rows(file, policy, sure, out, name="r", ledger="l", column="v")
    assert done.rows == 3
    reader: Any = pandas.read_csv if suffix == ".csv" else pandas.read_parquet
    assert reader(done.path)["v"].tolist() == ["a", "a", "b"]


def test_a_name_that_the_engine_cannot_be_told_is_refused(tmp_path: Path) -> None:
    for name in ("x*\\y.csv", "x\\*.parquet"):
        written(tmp_path / name.replace("\\", ""), "v", ["a", "b"])
        file = written(tmp_path / name, "v", ["a", "b"])
        with pytest.raises(InvalidFile, match="there is a backslash in it; rename it"):
            counted(file, "v", 2)
    assert counted(written(tmp_path / "x\\y.csv", "v", ["a", "b"]), "v", 2) == [1, 1]
    (tmp_path / "x").mkdir()
    for name in ("x/y.duckdb", "z.duckdb"):
        with duckdb.connect(str(tmp_path / name)) as database:
            database.execute("CREATE TABLE t AS SELECT 'a' AS v")
    (tmp_path / "z.duckdb").rename(tmp_path / "x\\y.duckdb")
    with pytest.raises(InvalidFile, match="there is a backslash in it; rename it"):
        counted(tmp_path / "x\\y.duckdb", "v", 1, table="t")


def test_a_table_of_a_duckdb_file_is_found_whatever_its_path_is(tmp_path: Path) -> None:
    for name in ("w[1]*", "it's", "v=b", "a:b"):
        file = tmp_path / f"{name}.duckdb"
        with duckdb.connect(str(file)) as database:
            database.execute("CREATE TABLE t AS SELECT unnest(['a', 'b', 'b']) AS v")
        assert counted(file, "v", 3, table="t") == [1, 2]
        assert risk(file, ["v"], table="t").rows == 3


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_numbers_are_written_to_a_file_of_any_name_for_its_owner(
    tmp_path: Path, suffix: str
) -> None:
    policy, book = protected(3).policy, tmp_path / "l"
    Ledger.create(book, policy, ratio=4)
    source = polars.DataFrame({"v": ["a", "a", "b"]})
    how: dict[str, Any] = {"name": "h", "ledger": book, "columns": "v"}
    done = release(source, policy, [histogram("h")], **how, ratio=4)
    out = tmp_path / "x[1]" / f"out*{suffix}"
    (tmp_path / "x1").mkdir()
    out.parent.mkdir()
    write_release(done, record_of(done), out)
    with out.open("rb") as file:
        readers: dict[str, Any] = {
            ".csv": pandas.read_csv, ".json": pandas.read_json, ".parquet": pandas.read_parquet
        }  # fmt: skip
        assert readers[suffix](file)["number"].tolist() == [*done["h"].numbers]
    assert {file.stat().st_mode & 0o777 for file in out.parent.iterdir()} == {0o600}
    assert len(os.listdir(out.parent)) == 2


def test_the_column_of_a_folder_that_looks_like_a_partition_is_none(tmp_path: Path) -> None:
    for suffix in (".csv", ".parquet"):
        file = written(tmp_path / f"w=b/t{suffix}", "v", ["a", "a", "a"])
        with pytest.raises(InvalidInput, match="no column 'w'"):
            counted(file, "w", 3)


# --- what a file of others may do ------------------------------------------------------------


def test_a_view_of_a_file_reads_that_file_alone(tmp_path: Path) -> None:
    others = written(tmp_path / "others.csv", "v", ["a", "b"])
    file = tmp_path / "theirs.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute("CREATE TABLE t AS SELECT unnest(['a', 'a', 'b']) AS v")
        database.execute("CREATE VIEW own AS SELECT * FROM t")
        database.execute(f"CREATE VIEW spying AS SELECT * FROM read_csv('{others}')")
        database.execute(f"CREATE VIEW listing AS SELECT file AS v FROM glob('{tmp_path}/*')")
        database.execute("CREATE TABLE frame AS SELECT 'a' AS v")
        database.execute("CREATE VIEW looking AS SELECT * FROM frame")
        database.execute("DROP TABLE frame")
    frame = polars.DataFrame({"v": ["a", "b"]})  # what a view must not see
    assert len(frame) == 2
    assert counted(file, "v", 3, table="own") == [2, 1]
    for view in ("spying", "listing", "looking"):
        with pytest.raises(InvalidFile, match="the table cannot be read"):
            counted(file, "v", 2, table=view)
        with pytest.raises(InvalidFile, match="the table cannot be read"):
            risk(file, ["v"], table=view)


def test_a_file_of_another_database_loads_no_extension(tmp_path: Path) -> None:
    file = tmp_path / "sqlite.duckdb"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE t (v TEXT)")
    with pytest.raises(InvalidFile, match=r"the table cannot be read \(IOException\)"):
        counted(file, "v", 1, table="t")
    settings = ("autoload_known_extensions", "autoinstall_known_extensions")
    engine = engine_for([str(file)])
    assert [engine.execute(f"SELECT current_setting('{s}')").fetchone() for s in settings] == [
        (False,), (False,),
    ]  # fmt: skip


def test_what_does_not_fit_into_memory_goes_where_nobody_else_may_look(tmp_path: Path) -> None:
    engine = engine_for([], memory_limit="30MB", threads=1)
    [folder] = engine.execute("SELECT current_setting('temp_directory')").fetchone() or ()
    assert Path(folder).stat().st_mode & 0o777 == 0o700
    engine.execute("CREATE TABLE t AS SELECT hash(range) AS h FROM range(5_000_000)")
    assert os.listdir(folder)
    assert engine.execute("SELECT count(*) FROM t").fetchone() == (5_000_000,)
    engine.close()
    assert not os.listdir(folder)


# --- columns -------------------------------------------------------------------------------

HOSTILE = [
    "*", "n", "value 0", "found 0", "place", "code", "c0", "c1", "s0", "person", "line", "a.b",
    'q"x', "`t`", "select", "^.*$", "#1", "ü", " x", "a,b", "it's; --", "\\", "CASE", "Case", "$1",
]  # fmt: skip
"""Names of columns that mean something to some engine, or to us."""

PAIRS = list(zip(HOSTILE[len(HOSTILE) // 2 :], HOSTILE, strict=False))

CELLS = ["a", "b", "b", "a", "b"]
WHOSE = [1, 2, 3, 4, 4]


def made(engine: str, folder: Path, columns: dict[str, list[Any]]) -> Any:
    """Return a table with some columns, in an engine."""
    if engine == "duckdb":  # of a relation, whose names may be alike
        told = [f"unnest(${i}) AS \"{c.replace(chr(34), chr(34) * 2)}\"" for i, c in
                enumerate(columns, 1)]  # fmt: skip
        return duckdb.connect().sql(f"SELECT {', '.join(told)}", params=[*columns.values()])
    if engine == "csv":
        pandas.DataFrame(columns).to_csv(folder / "t.csv", index=False)
        return folder / "t.csv"
    if engine == "parquet":
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / "t.parquet")
        return folder / "t.parquet"
    if engine == "spark":
        from tests.tables.spark import session

        names = list(columns)
        rows = list(zip(*columns.values(), strict=True))
        return session().createDataFrame(rows, [f"_{i}" for i in range(len(names))]).toDF(*names)
    makers: dict[str, Any] = {
        "pyarrow": pyarrow.table,
        "polars": polars.DataFrame,
        "polars, lazy": polars.LazyFrame,
        "pandas": pandas.DataFrame,
    }
    return makers[engine](columns)


OTHERS = ["csv", "parquet", "duckdb", "pyarrow", "polars", "polars, lazy", "pandas"]
if os.environ.get("LEAKTIGHT_ENGINE") == "spark":
    OTHERS = ["spark"]


@pytest.mark.parametrize("engine", OTHERS)
def test_columns_with_any_name_are_counted_as_others(tmp_path: Path, engine: str) -> None:
    """As the value, and as the person, each beside a decoy with every other name."""
    decoys = {name: [f"{name} {i}" for i in range(5)] for name in HOSTILE}
    for value, person in PAIRS[:5]:
        source = made(engine, tmp_path, {**decoys, value: CELLS, person: WHOSE})
        reading = Reading((value,), person=person)
        with pytest.raises(InvalidInput, match="1 person has more than 1 row"):
            count_rows(source, protected(5), reading)
        counts = count_rows(source, protected(5, rows_per_person=2), reading).counts
        assert counts.tolist() == [2, 3], (value, person)
        last = Reading((value,), person=person, keep="last")
        assert count_rows(source, protected(4), last).counts.tolist() == [1, 3], (value, person)


@pytest.mark.parametrize("engine", OTHERS)
def test_columns_with_any_name_have_the_risk_of_others(tmp_path: Path, engine: str) -> None:
    for name, whose in PAIRS[::6]:
        source = made(engine, tmp_path, {whose: [1, 2, 3, 4, 5], "else": [0] * 5, name: CELLS})
        changes = [Change.drop(name), Change.prefix(name, 1), Change.randomize(name, 3)]
        found = risk(source, [name], "else", changes=changes, later_releases=[source], person=whose)
        assert (found.exposure.groups, found.releases[0].groups) == (2, 2), (name, whose)
        assert found.changes[0].find == Fraction(1, 5)
        if engine != "spark":
            worst = risk(source, [name], whose, rows=True)
            assert worst.exposure.guess == Fraction(2, 5), (name, whose)
            assert [row.row for row in worst.worst] == [1, 4, 2, 3, 5]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_column_with_any_name_is_planned_released_and_written(tmp_path: Path, name: str) -> None:
    policy = protected(5).policy
    Ledger.create(tmp_path / "l", policy, ratio=10**300)
    asked = [histogram("h", by=(name,))]
    assert plan(policy, asked, ratio=2, columns=(name,))[0].numbers == 2
    source = made("csv", tmp_path, {"x": [0] * 5, name: CELLS})
    how: dict[str, Any] = {"ledger": tmp_path / "l"}
    done = release(source, policy, asked, **how, name="h", columns=name, ratio=10**20)
    assert done["h"].numbers == (2, 3)
    sure = RandomizedResponse(LETTERS, ratio=10**30)
    for suffix, reader in ((".csv", pandas.read_csv), (".parquet", pandas.read_parquet)):
        file = tmp_path / f"out{suffix}"
        rows = release_rows(source, policy, sure, file, **how, name=suffix, column=name)
        assert reader(rows.path).to_dict("list") == {name: CELLS}


def test_columns_that_differ_only_in_case_are_told_apart(tmp_path: Path) -> None:
    columns = {"v": ["a", "a", "a"], "V": ["b", "b", "a"], "V_1": ["b", "b", "b"]}
    for engine in OTHERS:
        source = made(engine, tmp_path, columns)
        if engine == "duckdb" and source.columns != list(columns):
            continue  # before 2, a relation names such columns anew, as everybody sees
        assert [counted(source, name, 3) for name in columns] == [[3, 0], [1, 2], [0, 3]], engine
        assert risk(source, ["V"], "V_1").exposure.groups == 2


def test_a_name_that_two_columns_have_and_the_empty_one_are_refused(tmp_path: Path) -> None:
    twice = duckdb.sql("SELECT 'a' AS v, 'b' AS v")
    with pytest.raises(InvalidInput, match="has 2 columns called 'v'"):
        counted(twice, "v", 1)
    frame = pandas.DataFrame([["a", "b"]], columns=["v", "v"])
    with pytest.raises(InvalidInput, match="name of their own"):
        counted(frame, "v", 1)
    with pytest.raises(LeaktightError, match="no column ''"):
        counted(polars.DataFrame({"": ["a"]}), "", 1)
    for wrong in ("a\0b", "\ud800"):
        with pytest.raises(InvalidInput, match="names of columns"):
            Reading((wrong,))
        with pytest.raises(InvalidInput, match="names of columns"):
            Reading(("v",), person=wrong)


def test_a_parquet_file_with_columns_in_columns_is_read_by_its_own_names(tmp_path: Path) -> None:
    inside = [{"v": "b", "w": [{"x": 1}]}] * 3
    table = pyarrow.table({"s": inside, "l": [["b"], [], ["a"]], "v": ["a", "a", "b"]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    assert counted(tmp_path / "t.parquet", "v", 3) == [2, 1]


def test_a_release_that_was_joined_has_a_name_that_no_column_has() -> None:
    first = polars.DataFrame({"zip": [1, 1, 2, 2], "zip, release 2": [1, 2, 1, 2], "p": range(4)})
    then = first.with_columns(zip=polars.Series([5, 5, 5, 5]))
    found = risk(first, ["zip", "zip, release 2"], later_releases=[then], person="p").releases[0]
    assert found.groups == 4
    assert len({*found.quasi_identifiers}) == 4


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "csv"])
def test_decimals_are_clamped_in_every_engine(tmp_path: Path, engine: str) -> None:
    values = (Decimal("2.25"), Decimal("2.5"), Decimal("3"))
    protection = protected(8, values)
    reading = Reading(("price",), clamp=("price",), outside=Decimal("2.5"))
    found = count_rows(ENGINES[engine](tmp_path), protection, reading)
    # 1.50 four times and 2.25 twice, one missing, 9.99 once.
    assert found.counts.tolist() == [6, 1, 1]


def test_what_cannot_be_decoded_hangs_on_no_error(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes("v\nCanary\xff\n".encode("latin-1"))
    with pytest.raises(InvalidFile, match="not text in UTF-8") as wrong:
        counted(file, "v", 1)
    assert wrong.value.__context__ is None
    assert wrong.value.__cause__ is None
