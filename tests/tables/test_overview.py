"""What is in a table, before anything is said of it."""

from collections import Counter
from pathlib import Path

import pandas
import pytest

from leaktight.errors import InvalidFile
from leaktight.tables.column import ColumnKind
from leaktight.tables.overview import BANDS, MOST_LISTED, overview

WAGES = Path(__file__).parents[2] / "examples" / "tables" / "wages.csv"


def test_an_overview_counts_what_another_library_counts() -> None:
    found, frame = overview(WAGES), pandas.read_csv(WAGES)
    assert found.rows == len(frame)
    assert [column.name for column in found.columns] == list(frame.columns)
    for column in found.columns:
        assert column.distinct == frame[column.name].nunique()
        assert column.missing == frame[column.name].isna().sum()
        assert list(column.values) == sorted(frame[column.name].unique())


def test_cuts_are_round_numbers_that_part_the_rows_into_some_bands() -> None:
    (wage,) = (column for column in overview(WAGES).columns if column.name == "wage")
    assert 2 <= len(wage.cuts) < BANDS
    assert list(wage.cuts) == sorted(set(wage.cuts))
    wages = pandas.read_csv(WAGES)["wage"]
    bands = Counter(sum(one >= cut for cut in wage.cuts) for one in wages)
    assert len(bands) == len(wage.cuts) + 1  # nobody's band is empty
    assert max(bands.values()) < len(wages) / 2
    assert all(cut % 1000 == 0 for cut in wage.cuts)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_column_is_what_all_its_cells_are(tmp_path: Path, suffix: str) -> None:
    frame = pandas.DataFrame({
        "whole": [1, 2, 3], "number": [0.5, 1.5, 2.0], "text": ["a", "1", "b"],
        "day": pandas.to_datetime(["2024-01-01", "2024-01-02", "2024-01-02"]).date,
    })  # fmt: skip
    file = tmp_path / f"some{suffix}"
    if suffix == ".csv":
        frame.to_csv(file, index=False)
    else:
        frame.to_parquet(file)
    found = {column.name: column for column in overview(file).columns}
    kinds = {name: column.kind for name, column in found.items()}
    assert kinds == {"whole": ColumnKind.WHOLE, "number": ColumnKind.NUMBER,
                     "text": ColumnKind.TEXT, "day": ColumnKind.DATE}  # fmt: skip
    assert found["text"].values == ("1", "a", "b")
    assert [str(day) for day in found["day"].values] == ["2024-01-01", "2024-01-02"]


def test_many_values_are_counted_and_not_listed_and_none_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "ids.csv"
    lines = [f"{k},," for k in range(MOST_LISTED + 1)]
    file.write_text("\n".join(["id,empty,none", *lines]), "utf-8")
    found = {column.name: column for column in overview(file).columns}
    assert found["id"].distinct == MOST_LISTED + 1
    assert found["id"].values == ()
    assert found["empty"].missing == MOST_LISTED + 1
    assert (found["empty"].distinct, found["empty"].values, found["empty"].cuts) == (0, (), ())


def test_what_is_no_table_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.csv"
    file.write_text("a,b\n1,2\n3\n", "utf-8")
    with pytest.raises(InvalidFile, match="line 3: it has more or fewer cells"):
        overview(file)
