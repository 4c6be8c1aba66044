"""Tables for papers and notebooks: every entry arrives, as LaTeX and in a frame."""

import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain
from leaktight.errors import InvalidInput
from leaktight.leakage import measures, worst_measures
from leaktight.policies.secrets import SecretGraph
from leaktight.reports import Table, table
from leaktight.tables import Answer
from leaktight.worst_case.optimum import worst_case_leakage
from leaktight.worst_case.published import leakage_bounds
from tests.studies.examples import TELLS_ALL, example, written

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])


def cells(latex: str) -> list[list[str]]:
    """Read a LaTeX table as a person does."""
    lines = [line for line in latex.splitlines() if line.endswith(r"\\")]
    return [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in lines]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_of_any_library_has_the_entries_of_the_channel(backend: str) -> None:
    frame: Any = table(COIN).to_frame(backend)
    columns = {
        "pandas": lambda: frame.to_dict("list"),
        "polars": lambda: frame.to_dict(as_series=False),
        "pyarrow": lambda: frame.to_pydict(),
    }[backend]()
    assert columns == {"input": ["no", "yes"], "-": [2 / 3, 1 / 3], "+": [1 / 3, 2 / 3]}


def test_a_frame_that_nobody_makes_is_refused_in_a_line() -> None:
    with pytest.raises(InvalidInput, match=r'made by "pandas", "polars" or "pyarrow"'):
        table(COIN).to_frame("excel")


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), min_size=1, max_size=4))
def test_no_label_breaks_the_lines_of_a_latex_table(rows: list[list[str]]) -> None:
    latex = Table(("a", "b"), tuple(map(tuple, rows))).to_latex()
    body = latex.partition("\\midrule\n")[2].partition("\n\\bottomrule")[0]
    assert body.count(r" \\") == len(rows)
    plain = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}|\\dots\{\}|\$\\?[\w-]+\$", "", body)
    assert not set("%$#_{}~^") & set(plain)
    assert plain.count("&") == len(rows)


def test_what_is_tabular_becomes_a_table() -> None:
    assert table(COIN).rows[0] == ("no", Fraction(2, 3), Fraction(1, 3))
    assert table(Gain([[1, 0], [0, "1/2"]], ["x", "y"])).rows[1] == ("y", 0, Fraction(1, 2))
    assert table(Distribution({"a": "1/4", "b": "3/4"})).rows[1] == ("b", Fraction(3, 4))
    many = table(measures(COIN))
    assert many.head == ("name", "before", "after", "bits")
    assert [row[0] for row in many.rows] == [each.name for each in measures(COIN)]
    assert table(list(worst_measures(COIN))).rows[0][1] == Fraction(4, 3)
    bounds = leakage_bounds(SecretGraph.line(4), ratio=2)
    found = table(bounds)
    assert [row[0] for row in found.rows] == [
        b.source for b in (*bounds.bounds, *bounds.about_one_record)
    ]
    numbers = Answer("ill", "count", ("yes",), (7,), (0,), lambda _: [(7, 7)])
    assert table(numbers).rows == (("ill", "yes", 7, 7, 7),)


def test_an_audit_is_a_table_of_who_guesses_right() -> None:
    found = table(example("vote"))
    assert found.head == ("who", "before", "after 1", "after 12", "is exact")
    informed: Any = example("vote").person.informed
    assert found.rows[0][1:4] == (informed.before, *(p.value for p in informed.after))
    assert found.rows[1][3] is None
    assert [row[-1] for row in found.rows] == [True, True, False]


def test_long_fractions_are_rounded_and_short_ones_are_not() -> None:
    rows = ((Fraction(1, 3), Fraction(10**20 + 1, 3 * 10**20)), (0.5, None))
    assert cells(Table(("a", "b"), rows).to_latex())[1:] == [["1/3", "0.3333"], ["0.5", "--"]]
    assert table(COIN).to_latex().startswith("\\begin{tabular}{lrr}\n\\toprule\n")


@pytest.mark.parametrize("wrong", [None, 3, "text", [], [1, 2], [COIN, COIN], object()])
def test_what_is_no_table_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="a table is made of a channel"):
        table(wrong)


class Shown(HTMLParser):
    """The texts of what a notebook shows, which has neither colours nor styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_notebook_shows_an_audit_a_worst_case_and_a_table() -> None:
    audit = Shown(example("vote")._repr_html_()).texts
    assert audit[0] == f"{example('vote').title}: {example('vote').verdict.line}"
    assert "33.3% before" in audit
    assert "about 55.6% after 1, about 88.6% after 12" in audit
    assert Shown(written(TELLS_ALL)._repr_html_()).texts
    worst = Shown(worst_case_leakage(SecretGraph.line(4), ratio=2)._repr_html_()).texts
    assert "exactly 1 bit" in worst
    assert worst[worst.index("Σ max") + 1] == "2"
    assert Shown(table(COIN)._repr_html_()).texts[-3:] == ["yes", "1/3", "2/3"]
    assert Shown(COIN._repr_html_()).texts[0] == "exact channel, 2 inputs × 2 outputs"
