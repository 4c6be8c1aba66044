"""Rows become counts: the same from every engine, and nothing else leaves it."""

import warnings
from collections.abc import Callable, Hashable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars
import pytest

from leaktight import Policy, SecretGraph
from leaktight.errors import InvalidFile, InvalidInput, LeaktightError
from leaktight.labels import Labels
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.reading import Reading
from leaktight.tables.rows import count_rows
from tests.tables.engines import CANARY, ENGINES, LARGE, NAMES, ROWS, csv_file, parquet_file


@pytest.fixture(params=ENGINES)
def people(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return ENGINES[request.param](tmp_path)


def protected(values: Labels, records: int = len(ROWS), **how: Any) -> PrivacyUnit:
    return PrivacyUnit(Policy(SecretGraph.complete(values), records), **how)


def counts(source: Any, values: Labels, column: str, records: int = 8, **how: Any) -> list[int]:
    reading = Reading((column,), **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return count_rows(source, protected(values, records), reading).counts.tolist()


def by_hand(values: Labels, column: str, other: Hashable) -> list[int]:
    cells = [row[NAMES.index(column)] for row in ROWS]
    read = [cell if cell in values else other for cell in cells]
    return [read.count(value) for value in values]


@pytest.mark.parametrize(
    ("column", "values", "other"),
    [
        ("town", ("Bern", "Zürich", 'say "hi", Bob', "other"), "other"),
        ("large", (LARGE, LARGE - 1, -1), -1),
        ("price", (Decimal("1.50"), Decimal("2.25"), Decimal("0")), Decimal("0")),
        ("share", (0.1, 0.3, 0.5, -1.0), -1.0),
        ("born", (date(1999, 12, 31), date(2000, 1, 1), date(1900, 1, 1)), date(1900, 1, 1)),
        ("age", (17, 18, 64, 65, -1), -1),
    ],
)
def test_every_engine_counts_as_one_counts_by_hand(
    people: Any, column: str, values: Labels, other: Hashable
) -> None:
    assert counts(people, values, column, outside=other) == by_hand(values, column, other)


@pytest.mark.parametrize("file", [csv_file, parquet_file])
@pytest.mark.parametrize(
    ("values", "how"),
    [
        (("Bern", "Zürich", "other"), {"columns": ("town",), "outside": "other"}),
        ((17, 18, 64, 65, -1), {"columns": ("age",), "outside": -1}),
        (tuple(range(100)), {"columns": ("age",), "clamp": ("age",)}),
        (("low", "high"), {"columns": ("share",), "cuts": {"share": (0.2,)}, "outside": "low"}),
        (("Bern", "zürich", "Basel"), {"columns": ("town",)}),
    ],
)
def test_rows_that_are_alike_are_counted_together_as_one_by_one(
    file: Callable[[Path], Path], values: Labels, how: dict[str, Any], tmp_path: Path
) -> None:
    """A file of which few rows differ is grouped as it is, and what is refused is refused alike."""

    def told() -> object:
        try:
            found = count_rows(path, protected(values), Reading(**how))
        except InvalidInput as refused:
            return str(refused)
        return found.counts.tolist(), found.schema, found.warnings

    path, said = file(tmp_path), []
    for most in (5000, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("leaktight.tables.source.MOST_ALIKE", most)
            said.append(told())
    assert said[0] == said[1]


def test_truth_values_are_counted_and_a_missing_one_is_no_false(people: Any) -> None:
    secrets = SecretGraph.complete([False, True]).with_absent("absent")
    protection = PrivacyUnit(Policy(secrets, 8), absent="absent")
    found = count_rows(people, protection, Reading(("member",), outside="absent"))
    assert found.counts.tolist() == [3, 4, 0]


def test_numbers_are_cut_into_bands_and_clamped_as_declared(people: Any) -> None:
    bands = ("child", "adult", "pensioner")
    assert counts(people, bands, "age", cuts={"age": (18, 65)}) == [3, 2, 3]
    ages = tuple(range(100))
    found = counts(people, ages, "age", clamp=("age",))
    assert [found[a] for a in (0, 17, 18, 64, 65, 99)] == [2, 1, 1, 1, 1, 2]
    assert sum(found) == 8


def test_several_columns_are_counted_together(people: Any) -> None:
    secrets = SecretGraph.product(
        SecretGraph.line([date(1999, 12, 31), date(2000, 1, 1)]), SecretGraph.line(["young", "old"])
    ).with_absent("absent")
    reading = Reading(("born", "age"), outside="absent", cuts={"age": (65,)})
    found = count_rows(people, PrivacyUnit(Policy(secrets, 9), absent="absent"), reading)
    assert found.counts.tolist() == [3, 1, 2, 1, 0]


def test_other_cells_of_several_columns_get_a_value_that_each_column_has(people: Any) -> None:
    towns, ages = ["Bern", "Zürich", "?"], ["young", "old", "?"]
    both = SecretGraph.product(SecretGraph.complete(towns), SecretGraph.line(ages))
    protection = PrivacyUnit(Policy(both, len(ROWS)))
    found = count_rows(
        people, protection, Reading(("town", "age"), outside="?", cuts={"age": (65,)})
    )
    at_town, at_age = NAMES.index("town"), NAMES.index("age")
    read: list[Hashable] = [
        (
            row[at_town] if row[at_town] in towns else "?",
            "?" if row[at_age] is None else "young" if row[at_age] < 65 else "old",
        )
        for row in ROWS
    ]
    assert found.counts.tolist() == [read.count(value) for value in protection.values]
    with pytest.raises(InvalidInput, match="of the column 'town'; give each its own by column"):
        count_rows(people, protection, Reading(("town", "age"), outside="old"))


def test_other_cells_of_a_column_get_a_value_of_that_column_alone(people: Any) -> None:
    towns, ages = ["Bern", "elsewhere"], ["young", "old", "unknown"]
    both = SecretGraph.product(SecretGraph.complete(towns), SecretGraph.line(ages))
    protection = PrivacyUnit(Policy(both, len(ROWS)))

    def reading(outside: Any) -> Reading:
        return Reading(("town", "age"), outside=outside, cuts={"age": (65,)})

    found = count_rows(people, protection, reading({"town": "elsewhere", "age": "unknown"}))
    at_town, at_age = NAMES.index("town"), NAMES.index("age")
    read: list[Hashable] = [
        (
            "Bern" if row[at_town] == "Bern" else "elsewhere",
            "unknown" if row[at_age] is None else "young" if row[at_age] < 65 else "old",
        )
        for row in ROWS
    ]
    assert found.counts.tolist() == [read.count(value) for value in protection.values]
    with pytest.raises(InvalidInput, match="none of the 2 declared values in the column 'town'"):
        count_rows(people, protection, reading({"age": "unknown"}))
    with pytest.raises(InvalidInput, match="a declared value of the column 'town'"):
        count_rows(people, protection, reading({"town": "?", "age": "unknown"}))
    with pytest.raises(InvalidInput, match="outside must be of"):
        reading({"twon": "elsewhere"})


# --- what is refused, before anything is spent -----------------------------------------------


def refused(source: Any, values: Labels, column: str, **how: Any) -> str:
    """Return what is said, which names no cell of the data, nor does anything that hangs on it."""
    with pytest.raises(LeaktightError) as wrong:
        counts(source, values, column, **how)
    said = str(wrong.value)
    assert "\n" not in said
    error: BaseException | None = wrong.value
    while error is not None:
        assert CANARY not in str(error)
        error = error.__cause__ or error.__context__
    return said


def test_cells_without_a_declared_value_are_counted_and_near_misses_named(people: Any) -> None:
    said = refused(people, ("Bern", "Zürich"), "town")
    assert said.startswith("5 rows have none of the 2 declared values in the column 'town'")
    assert "differ only in case, spaces or Unicode form from 'Bern', 'Zürich'" in said
    said = refused(people, (0.1, 0.3, 0.5), "share")
    assert said.startswith("3 rows have none of the 3 declared values in the column 'share'")


def test_a_column_of_another_type_is_refused_in_a_typed_table(tmp_path: Path) -> None:
    typed = next(iter(ENGINES)) if "csv" not in ENGINES else "parquet"
    people = ENGINES[typed](tmp_path)
    assert "must hold whole numbers" in refused(people, (1, 2), "town")
    assert "must hold texts" in refused(people, ("1", "2"), "age")
    assert "must hold dates" in refused(people, (date(1999, 1, 1),), "age")


def test_a_person_with_more_rows_than_declared_is_refused(people: Any) -> None:
    ages = tuple(range(-3, 141))
    said = refused(people, ages, "age", person="person")
    assert said.startswith("1 person has more than 1 row (up to 2)")
    protection = protected(ages, rows_per_person=2)
    found = count_rows(people, protection, Reading(("age",), person="person"))
    assert found.counts.sum() == 8


@pytest.mark.parametrize(("keep", "left"), [("first", 0), ("last", 99)])
def test_one_row_of_each_person_is_kept_by_a_rule_about_that_person(
    people: Any, keep: str, left: int
) -> None:
    ages = tuple(range(-3, 141))
    found = counts(people, ages, "age", records=7, person="person", keep=keep)
    assert {age: n for age, n in zip(ages, found, strict=True) if n} == dict.fromkeys(
        (17, -3, 140, 18, 65, 64, left), 1
    )


def test_a_row_that_has_a_value_is_kept_before_one_that_has_none(people: Any) -> None:
    towns = ("Bern", "other")
    found = counts(people, towns, "town", records=7, person="person", keep="first", outside="other")
    assert found == [2, 5]  # of p7, Bern


def test_rows_of_nobody_are_refused(people: Any) -> None:
    said = refused(people, tuple(range(-3, 141)), "age", person="town")
    assert said == "1 row has nobody in the person column 'town'"
    said = refused(people, tuple(range(-3, 141)), "age", person="town", keep="first")
    assert said == "1 row has nobody in the person column 'town'"


def test_the_table_must_have_as_many_records_as_the_policy_says(people: Any) -> None:
    ages = tuple(range(-3, 141))
    assert "there are 9 records, and the table has 8" in refused(people, ages, "age", records=9)
    absent = Policy(SecretGraph.complete(ages).with_absent("absent"), 7)
    with pytest.raises(InvalidInput, match="at most 7 records, absent ones included"):
        count_rows(people, PrivacyUnit(absent, "absent"), Reading(("age",)))


def test_a_column_that_is_not_there_is_named(people: Any) -> None:
    assert "no column 'tonw'; did you mean 'town'?" in refused(people, ("a",), "tonw")


def test_a_file_without_names_shows_no_cell(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("Canary,1001\nMiller,1002\n")
    said = refused(file, ("a",), "diagnosis")
    assert "no column 'diagnosis'; no name of its 2 columns is near it" in said
    assert "Canary" not in said


# --- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"town,age\nBern,1\n{CANARY},2,3\n", "line 3: it has more or fewer cells than"),
        (f'town,age\nBern,1\n"{CANARY},2\n', "line 3: a quotation mark is opened and not"),
        (f"town,age\nBern,1\n{CANARY}\n", "line 3: it has more or fewer cells than"),
        ("town,,town\nBern,1,2\n", "each once, got one for the columns 1 and 3"),
        ("", "names of the columns, got none"),
        (",\n1,2\n", "names of the columns, got none"),
        (f"town,age\n{CANARY}\xff,1\n".encode("latin-1"), "not text in UTF-8"),
        (
            f"town,age\n{'Bern,1' * 9999}\n{CANARY}\xff,1\n".encode("latin-1"),
            "line 2: it has more or fewer cells than",
        ),
        (
            b"town,age\n" + b"Bern,1\n" * 9999 + f"{CANARY}\xff,1\n".encode("latin-1"),
            "line 10001: not text in UTF-8",
        ),
    ],
)
def test_a_csv_file_that_is_none_is_refused_by_line(
    tmp_path: Path, content: str | bytes, said: str
) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert said in refused(file, ("Bern",), "town", records=1)


@pytest.mark.parametrize(
    "content",
    [
        '"",town,\n1,Bern,x\n2,Chur,y\n',  # as R and pandas write the numbers of rows
        "age,town\r1,Bern\r2,Chur\r",
        '"age, in years";town\n1;Bern\n2;Chur\n',
        '"age\n(years)",town\n1,Bern\n2,Chur\n',
    ],
)
def test_a_csv_file_as_programs_write_it_is_read(tmp_path: Path, content: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(content, newline="")
    assert counts(file, ("Bern", "Chur"), "town", records=2) == [1, 1]


def test_csv_cells_are_read_as_what_the_policy_declares(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text('\ufeffn;d;t;e\n007;2020-01-31;TRUE;""\n7.6;31.1.2020;yes;x\n+7;;false;\n')
    assert counts(file, (7, 0), "n", records=3, outside=0) == [2, 1]
    assert counts(file, (7.6, 7, 0), "n", records=3) == [1, 2, 0]
    day = date(2020, 1, 31)
    assert counts(file, (day, date(1900, 1, 1)), "d", records=3, outside=date(1900, 1, 1)) == [1, 2]
    assert counts(file, ("", "x", "?"), "e", records=3, outside="?") == [1, 1, 1]
    assert counts(file, ("007", "7.6", "+7"), "n", records=3) == [1, 1, 1]


def test_decimal_commas_are_refused_with_how_numbers_are_written(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("wage;town\n20,5;Bern\n30,5;Chur\n")
    said = refused(file, ("low", "high"), "wage", records=2, cuts={"wage": (25,)})
    assert "2 rows have none" in said
    assert "numbers such as 1234.5" in said


def test_a_table_of_a_duckdb_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "t.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute('CREATE TABLE "my people" AS SELECT range AS n FROM range(5)')
    reading = Reading(("n",))
    found = count_rows(file, protected(tuple(range(5)), 5), reading, table="my people")
    assert found.counts.tolist() == [1] * 5
    with pytest.raises(InvalidFile, match="there is no table 'people'; did you mean"):
        count_rows(file, protected((0, 1), 5), reading, table="people")


@pytest.mark.parametrize("name", ["none.csv", "people.xlsx", "none.duckdb"])
def test_a_file_that_is_not_there_or_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidFile):
        count_rows(tmp_path / name, protected((0, 1)), Reading(("n",)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": ()},
        {"columns": ("a", "a")},
        {"columns": ("a",), "cuts": {"b": (1,)}},
        {"columns": ("a",), "keep": "first"},
        {"columns": ("a",), "person": "p", "keep": "any"},
        {"columns": ("a",), "person": "a"},
    ],
)
def test_rules_that_cannot_be_meant_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Reading(**wrong)


def test_declared_values_of_mixed_kinds_and_wrong_cuts_are_refused() -> None:
    frame = polars.DataFrame({"n": [1, 2]})
    assert "must all be texts, or numbers" in refused(frame, (1, "2"), "n", records=2)
    assert "need 1 cuts" in refused(frame, ("a", "b"), "n", records=2, cuts={"n": (1, 2)})
    assert "rising" in refused(frame, ("a", "b", "c"), "n", records=2, cuts={"n": (2, 1)})
    assert "only numbers can be clamped" in refused(frame, ("a",), "n", records=2, clamp=("n",))
    with pytest.raises(InvalidInput, match="a table must be a file"):
        counts(42, (1,), "n", records=2)


def test_all_columns_and_their_faults_are_told_at_once(tmp_path: Path) -> None:
    """Two columns, a person with two rows, a combination: how many of each, and no cell."""
    file = tmp_path / "t.csv"
    lines = ["secret9,f,3", "b,M,4", "b,,x", "c,f,7", "d,f,", "e,m,3"]
    file.write_text("\n".join(["id,sex,n", *lines]), "utf-8")
    values = [("f", 3), ("f", 4), ("m", 4)]
    protected = PrivacyUnit(Policy(SecretGraph.complete(values), 6))
    with pytest.raises(InvalidInput) as wrong:
        count_rows(file, protected, Reading(("sex", "n"), person="id"))
    said = str(wrong.value)
    assert "1 person has more than 1 row (up to 2)" in said
    assert "2 rows have none of the 2 declared values in the column 'sex', 1 of them no" in said
    assert "differ only in case, spaces or Unicode form from 'm'" in said
    assert "3 rows have none of the 2 declared values in the column 'n', 2 of them no num" in said
    assert "1 row has a combination of values that the policy does not declare" in said
    assert "secret9" not in said
    assert "7" not in said
    file.write_text("\n".join(["id,sex,n", *lines[1:], *lines[1:]]), "utf-8")
    with pytest.raises(InvalidInput, match=r"4 rows have none .* 'sex', 2 of them no value .* 6"):
        count_rows(file, protected, Reading(("sex", "n")))


def test_rows_that_are_outside_are_counted() -> None:
    people = polars.DataFrame({"town": ["Bern", "Thun", "Basel", None, "Bern"]})
    graph = SecretGraph.complete(["Bern", "Thun", "?"])
    found = count_rows(people, PrivacyUnit(Policy(graph, 5)), Reading(("town",), outside="?"))
    assert found.counts.tolist() == [2, 1, 2]
    assert found.warnings == (
        "2 of 5 rows were outside the declared values of the column 'town' and are counted as '?'",
    )


def test_dates_are_cut_into_bands(tmp_path: Path) -> None:
    days = [date(2024, 1, 31), date(2024, 2, 1), date(2024, 12, 31), date(2025, 1, 1)]
    file = tmp_path / "t.csv"
    file.write_text("day\n" + "\n".join(map(str, days)), "utf-8")
    cuts = (date(2024, 2, 1), date(2025, 1, 1))
    bands = ("January", "2024", "later")
    for table in (polars.DataFrame({"day": days}), file):
        assert counts(table, bands, "day", records=4, cuts={"day": cuts}) == [1, 2, 1]
    times = polars.DataFrame({"day": [datetime(2024, 2, 1), datetime(2024, 1, 31, 23, 59)]})
    assert counts(times, bands, "day", records=2, cuts={"day": cuts}) == [1, 1, 0]
