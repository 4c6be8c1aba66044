"""What a study says of a table and its release: read as it is meant, or refused by key."""

import re
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from leaktight.errors import LeaktightError
from leaktight.exact.ratio import Ratio
from leaktight.studies.keys import keys_of
from leaktight.studies.release import read_release
from leaktight.tables import count_of, cumulative, hierarchy, histogram, sum_of
from leaktight.tables.budget import Budget
from leaktight.tables.calibration import GaussianWithin, GeometricWithin
from leaktight.tables.measure import rho_below
from leaktight.tables.queries import KINDS

POLICY = '[policy]\nvalues = ["a", "b", "c"]\nsecrets = "line"\nrecords = 9\nabsent = "none"\n'
DATA = '[data]\nsource = "t.csv"\ncolumns = "v"\n'
RELEASE = '[release]\nledger = "l"\nratio = 2\n'
QUERY = '[[release.queries]]\nkind = "histogram"\n'
ROWS = POLICY + DATA + '[release]\nledger = "l"\nrows = true\noutput = "o.csv"\n'
WHOLE = POLICY + DATA + RELEASE + QUERY
GAUSS = 'noise = "gaussian"\n'

MISTAKES: dict[str, tuple[str, str]] = {
    "source": (WHOLE.replace('"t.csv"', "3"), "[data] source must be text"),
    "no source": (WHOLE.replace('source = "t.csv"\n', ""), "needs source"),
    "table": (WHOLE.replace(DATA, DATA + "table = 3\n"), "[data] table must be text"),
    "columns": (
        WHOLE.replace('"v"', "3"),
        "[data] columns must be text in quotes or a list, got 3",
    ),
    "column": (WHOLE.replace('"v"', "[3]"), "[data] columns must be texts, got 3"),
    "person": (WHOLE.replace(DATA, DATA + "person = 3\n"), "[data] person must be text"),
    "rows": (WHOLE.replace(DATA, DATA + "rows_per_person = 0\n"), "whole number from 1"),
    "keep": (WHOLE.replace(DATA, DATA + 'keep = "any"\n'), "known: first, last"),
    "keep alone": (WHOLE.replace(DATA, DATA + 'keep = "first"\n'), "needs a person column"),
    "outside": (WHOLE.replace(DATA, DATA + "outside = { v = {} }\n"), "[data] outside"),
    "undeclared": (WHOLE.replace(DATA, DATA + 'outside = "x"\n'), "[data]: outside must be"),
    "few cuts": (WHOLE.replace(DATA, DATA + "cuts = { v = [3] }\n"), "which need 2 cuts"),
    "falling cuts": (WHOLE.replace(DATA, DATA + "cuts = { v = [3, 2] }\n"), "rising numbers"),
    "cuts": (WHOLE.replace(DATA, DATA + "cuts = 3\n"), "[data] cuts must be a table"),
    "cut": (WHOLE.replace(DATA, DATA + "cuts = { v = 3 }\n"), "[data] cuts.v must be a list"),
    "clamp": (WHOLE.replace(DATA, DATA + "clamp = 3\n"), "[data] clamp must be a list"),
    "name": (WHOLE.replace(RELEASE, RELEASE + "name = 3\n"), "[release] name must be text"),
    "a field": (
        WHOLE.replace(RELEASE, RELEASE + 'name = "{week}"\n'),
        "[release] name may have {year}, {month}, {day} in it, got {week}",
    ),
    "queries": (POLICY + DATA + RELEASE + "queries = 3\n", "queries must be a list"),
    "no queries": (POLICY + DATA + RELEASE, "needs queries"),
    "not true": (POLICY + DATA + RELEASE + "rows = 3\n", "rows must be true or false, got 3"),
    "rows and queries": (WHOLE.replace(RELEASE, RELEASE + "rows = true\n"), "leave one out"),
    "rows and ε": (POLICY + DATA + RELEASE + "rows = true\n", "the ratio of [mechanism]"),
    "rows and keep": (ROWS.replace(DATA, DATA + 'person = "p"\nkeep = "first"\n'), "[data] keep"),
    "rows to nowhere": (ROWS.replace('output = "o.csv"\n', ""), "needs output"),
    "rows without a mechanism": (ROWS, "[release] rows needs a [mechanism]"),
    "query": (POLICY + DATA + RELEASE + "queries = [3]\n", "queries must be tables"),
    "ratio": (WHOLE.replace("ratio = 2", "ratio = 0"), "[release] ratio"),
    "epsilon": (WHOLE.replace("ratio = 2", 'epsilon = "x"'), "[release] epsilon"),
    "no epsilon": (WHOLE.replace("ratio = 2", ""), "needs epsilon or ratio"),
    "noise": (WHOLE.replace("ratio = 2", 'rho = 1\nnoise = "gausian"'), "did you mean 'gaussian'?"),
    "rho": (WHOLE.replace("ratio = 2", "rho = 1"), "[release] rho: rho and delta are for noise"),
    "delta": (WHOLE.replace("ratio = 2", GAUSS + "delta = 0.1"), "no ε alone: give rho"),
    "no rho": (WHOLE.replace("ratio = 2", GAUSS), "needs rho, or epsilon and delta"),
    "rows and noise": (ROWS + GAUSS, "the noise of rows is that of [mechanism]"),
    "rho of nothing": (WHOLE.replace("ratio = 2", GAUSS + "rho = 0"), "rho must be above 0"),
    "budget's key": (
        WHOLE.replace(RELEASE, RELEASE + "budget = { roh = 1 }\n"),
        "a budget is an ε, {rho = …} or {epsilon = …, delta = …}; this one has",
    ),
    "no budget": (WHOLE.replace(RELEASE, RELEASE + "budget = {}\n"), "this one is empty"),
    "ledger": (WHOLE.replace('"l"', "3"), "[release] ledger must be text"),
    "budget": (WHOLE.replace(RELEASE, RELEASE + "budget = 0\n"), "[release] budget"),
    "output": (WHOLE.replace(RELEASE, RELEASE + "output = 3\n"), "[release] output must be text"),
    "kind": (WHOLE.replace('"histogram"', '"histgram"'), "did you mean 'histogram'?"),
    "query's name": (WHOLE + "name = 3\n", "[release.queries] name must be text"),
    "by": (WHOLE + "by = 3\n", "[release.queries] by must be a list"),
    "groups": (WHOLE + "groups = 3\n", "[release.queries] groups must be a table"),
    "group": (WHOLE + "groups = { x = 3 }\n", "[release.queries] groups.x must be a list"),
    "values": (WHOLE + "values = [3]\n", "values of 'histogram' is for count"),
    "weights": (WHOLE.replace("histogram", "sum") + "weights = [3]\n", "must be pairs"),
    "fanout": (WHOLE.replace("histogram", "hierarchy") + "fanout = 1\n", "must be 2 or more"),
    "column of a mean": (WHOLE.replace("histogram", "mean") + "column = 3\n", "must be text"),
    "clamp of a mean": (
        WHOLE.replace("histogram", "mean") + "clamp = [8, 0]\n",
        "clamp of 'mean' must rise",
    ),
    "quantiles": (
        WHOLE.replace("histogram", "quantiles") + "quantiles = [1.5]\n",
        "must be numbers between 0 and 1",
    ),
    "error": (WHOLE + "error = 0\n", "the error of the query 'histogram' must be"),
    "share": (WHOLE + "share = 0\n", "[release.queries] share must be a whole number"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_by_its_key_in_one_line(tmp_path: Path, mistake: str) -> None:
    text, said = MISTAKES[mistake]
    file = tmp_path / "study.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(LeaktightError, match=re.escape(said)) as wrong:
        read_release(file)
    assert "\n" not in str(wrong.value)
    assert str(wrong.value).count(str(file)) == 1


def test_gaussian_noise_and_its_budgets_are_read(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    for cost, limit, rho, budget in (
        ('rho = "1/24"', '{ rho = "1/2" }', Fraction(1, 24), Budget.of(rho="1/2")),
        (
            'epsilon = 1\ndelta = "1e-6"',
            '{ epsilon = 3, delta = "1e-6" }',
            rho_below(Fraction(1), Fraction(1, 10**6)),
            Budget.of(epsilon=3, delta="1e-6"),
        ),
    ):
        told = f"{GAUSS}{cost}\nbudget = {limit}"
        file.write_text(WHOLE.replace("ratio = 2", told), "utf-8")
        read = read_release(file)
        assert (read.allowed, read.budget) == (GaussianWithin(rho), budget)
        noise = read.noise
        assert noise is not None
        assert noise.rho == rho


def test_every_key_has_a_mistake_of_its_own() -> None:
    tried = " ".join(text for text, _ in MISTAKES.values())
    for name in ("data", "release", "release.queries"):
        for key in keys_of(name):
            assert re.search(rf"\b{key} = ", tried), key


def test_what_is_read_is_what_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        """
        [policy]
        values = [1, 2, 3]
        secrets = "line"
        records = 9
        absent = "none"
        [data]
        source = "people.duckdb"
        table = "people"
        columns = ["v"]
        person = "id"
        rows_per_person = 2
        outside = "none"
        clamp = ["v"]
        [release]
        epsilon = "ln 2"
        budget = 0.5
        ledger = "book"
        output = "out.parquet"
        queries = [
          { name = "one", kind = "histogram", share = 3 },
          { name = "two", kind = "plain histogram", groups = { low = [1, 2] } },
          { name = "three", kind = "ordered histogram" },
          { name = "four", kind = "cumulative" },
          { name = "five", kind = "count", values = [3] },
          { name = "six", kind = "sum" },
          { name = "seven", kind = "sum", weights = [[1, 5], [2, 7]] },
          { name = "eight", kind = "hierarchy", fanout = 4 },
        ]
        """,
        "utf-8",
    )
    read = read_release(file)
    assert read.queries == (
        histogram("one", share=3),
        histogram("two", groups={"low": [1, 2]}, ordered=False),
        histogram("three", ordered=True),
        cumulative("four"),
        count_of("five", [3]),
        sum_of("six"),
        sum_of("seven", {1: 5, 2: 7}),
        hierarchy("eight", fanout=4),
    )
    assert (read.source, read.table) == (tmp_path / "people.duckdb", "people")
    assert (read.ledger, read.output) == (tmp_path / "book", tmp_path / "out.parquet")
    assert (read.absent, read.rows_per_person, read.name) == ("none", 2, "study")
    assert read.allowed == GeometricWithin(Ratio.of(2))
    assert read.budget == Budget.of(epsilon="1/2")
    assert read.reading.outside == "none"


def test_dates_and_cuts_are_read(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    text = WHOLE.replace('["a", "b", "c"]', "[2020-01-01, 2021-01-01, 2022-01-01]")
    file.write_text(text.replace(DATA, DATA + "cuts = { v = [1, 2.5] }\n"), "utf-8")
    read = read_release(file)
    assert read.policy.secrets.vertices[:2] == (date(2020, 1, 1), date(2021, 1, 1))
    assert read.reading.cuts == {"v": [1, 2.5]}


def test_the_keys_of_queries_are_those_of_their_kinds() -> None:
    own = {key for kind in KINDS.values() for key in kind.keys}
    assert set(keys_of("release.queries")) == {"name", "kind", "share", "error"} | own
    page = (Path(__file__).parents[2] / "docs" / "study.md").read_text("utf-8")
    assert all(f'"{kind}"' in page for kind in KINDS)
