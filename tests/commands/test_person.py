"""What it means for a person, on the command line."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leaktight.channels.file import write_channel
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.secrets import SecretGraph
from leaktight.repetition.explanation import explain
from tests.commands.conftest import Run

STUDIES = Path(__file__).parents[2] / "examples" / "studies"


def test_explain_says_what_the_library_says(run: Run) -> None:
    found = run("explain", "complete:4", "--epsilon", "1", "--below", "3/4", "--what", "a band")
    assert found.code == 0
    told = explain(SecretGraph.complete(4), epsilon=1, below="3/4", what="a band")
    assert found.out == f"{told}\n"


def test_explain_takes_a_channel(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "coin.csv"
    write_channel(RandomizedResponse(["no", "yes"], ratio=2).channel, file)
    found = run("explain", str(file), "--observations", "3", "--json")
    chances = json.loads(found.out)["chances"]
    assert [(c["observations"], c["exact"]) for c in chances] == [(0, True), (1, True), (3, True)]
    assert [c["chance"] for c in chances] == pytest.approx([1 / 2, 2 / 3, 20 / 27])
    assert run("explain", str(file), "--ratio", "2").code == 2


def test_choose_shows_the_largest_and_what_it_costs(run: Run) -> None:
    found = run("choose", "complete:4", "--below", "1/2")
    assert found.code == 0
    assert found.out.startswith("ε = ln 3 ≈ 1.09861 keeps every guess at 50% or less")
    assert max(map(len, found.out.splitlines())) <= 80
    assert run("choose", "complete:4", "--below", "50%").out == found.out
    table = json.loads(run("choose", "complete:4", "--below", "1/2", "--json").out)
    assert (table["ratio"], table["exact"]) == ("3", True)
    chances = [row["chance"] for row in table["table"]]
    assert chances == sorted(chances)
    assert chances[2] == 0.5
    for row in table["table"]:  # the best mechanism is right as often as the best guess
        assert row["error"] == pytest.approx(1 - row["chance"])


def test_choose_answers_for_many_values_without_their_best_mechanism(run: Run) -> None:
    """A guess on a line of n values is right with the chance (n − (n − 2)·q)/(n·(1 + q))."""
    found = json.loads(run("choose", "line:300", "--below", "1/3", "--json").out)
    q = 1 / Fraction(found["ratio"])
    assert (300 - 298 * q) / (300 * (1 + q)) == Fraction(1, 3)
    assert [row["error"] for row in found["table"]] == [None] * 5
    told = run("choose", "line:300", "--below", "1/3").out
    assert "leaktight design finds the best mechanism" in " ".join(told.split())


def test_choose_keeps_its_word_after_several_looks(run: Run) -> None:
    found = json.loads(
        run("choose", "line:6", "--below", "2/5", "--observations", "3", "--json").out
    )
    assert found["table"][2]["chance"] <= 0.4
    assert Fraction(found["ratio"]) > 1


def test_choose_takes_the_prior_of_a_study(run: Run) -> None:
    def told(*words: str) -> list[tuple[Any, ...]]:
        found = json.loads(run("choose", *words, "--below", "1/2", "--json").out)
        return [(found["ratio"], *(row[key] for key in ("chance", "belief", "error")))
                for row in found["table"]]  # fmt: skip

    found = told(str(STUDIES / "salary.toml"))
    for prior in ("1/10,1/5,3/10,1/5,1/10,1/10", "10%,20%,30%,20%,10%,10%", "10,20,30,20,10,10"):
        assert found == told("line:6", "--prior", prior, "--gain", "distance")


def test_a_narrow_terminal_has_short_lines(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for words in (
        ["choose", "complete:4", "--below", "99/100", "--observations", "20"],
        ["explain", "complete:4", "--epsilon", "1", "--below", "3/4"],
        ["bound", "line:4", "--ratio", "2", "--records", "3"],
        ["audit", str(STUDIES / "salary.toml")],
    ):
        assert max(map(len, run(*words).out.splitlines())) <= 40, words


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (["choose", "complete:4", "--below", "1/5"], "above 25%, which no ε prevents"),
        (["choose", "complete:4", "--below", "much"], "expected a number"),
        (["choose", "complete:4", "--below", "1/2,1/3"], "expected one chance such as 1/2 or 50%"),
        (["choose", str(STUDIES / "hospital.toml"), "--below", "3/4"], "public constraints"),
        (["explain", "complete.txt"], "a graph is written like complete:6"),
        (["choose", "complete:4"], "--below"),
        (["explain", "complete:4"], "give one promise: --ratio, --epsilon"),
        (["explain", "nobody.csv"], "nobody.csv"),
        (["choose", "nobody.toml", "--below", "1/2"], "nobody.toml"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(run: Run, asked: list[str], line: str) -> None:
    found = run(*asked)
    assert found.code == 2
    assert line in found.err
    assert found.err.count("\n") == 1


def test_options_are_read_in_both_spellings(run: Run) -> None:
    asked = ["choose", "complete:4", "--below", "1/2", "--delta", "0.001"]
    british, american, neither = (
        run(*asked, word, "add/remove") for word in ("--neighbours", "--neighbors", "--nabers")
    )
    assert british.code == american.code == 0
    assert british.out == american.out != run(*asked, "--neighbors", "replace").out
    assert neither.code == 2


HIV = """
[policy]
values = ["negative", "positive"]

[mechanism]
kind = "randomised response"
epsilon = 2

[question]
epsilon = 2
prior = { negative = "0.99", positive = "0.01" }
sensitive = ["positive"]
"""


def test_a_rare_value_has_its_own_odds_everywhere(run: Run) -> None:
    Path("hiv.toml").write_text(HIV)
    after = math.exp(2) / 100 / (1 + (math.exp(2) - 1) / 100)
    audit = json.loads(run("audit", "hiv.toml", "--json").out)["person"]
    for who in ("informed", "any_mechanism"):
        first = audit[who]["values"][0]
        assert first["value"] == "positive"
        assert math.isclose(first["after"]["near"], after, rel_tol=1e-12)
    said = " ".join(run("audit", "hiv.toml").out.split())
    assert "positive 1% 6.9% ×6.95 12.7%" in said
    graph = ("edges:negative-positive", "--prior", "99%,1%", "--epsilon", "2")
    told = json.loads(run("explain", *graph, "--sensitive", "positive", "--json").out)
    assert told["values"][0]["value"] == "positive"
    assert math.isclose(told["values"][0]["after"], after, rel_tol=1e-12)
    page = run("audit", "hiv.toml", "--report", "page.html")
    assert page.code == 0, page.err
    row = re.sub(r"\s*<[^>]*>\s*", " ", Path("page.html").read_text("utf-8"))
    assert re.search(r"positive +1% +6\.9% +×6\.95 +12\.7%", row)


def test_choose_keeps_the_belief_in_a_value_small(run: Run) -> None:
    Path("hiv.toml").write_text(HIV)
    by_value = json.loads(
        run("choose", "hiv.toml", "--value", "positive", "--below", "5%", "--json").out
    )
    assert by_value["ratio"] == str(Fraction(5, 95) / Fraction(1, 99))  # odds after over before
    row = next(row for row in by_value["table"] if row["epsilon"] == by_value["epsilon"])
    assert (row["value"], row["belief"]) == ("positive", 0.05)
    twice = json.loads(run("choose", "hiv.toml", "--factor", "2", "--json").out)
    assert twice["ratio"] == str(Fraction(2, 98) / Fraction(1, 99))
    told = run("choose", "hiv.toml", "--below", "0.995").out
    assert "at most 66.8%" in told  # of "positive", while the best guess is about "negative"
    assert max(map(len, told.splitlines())) <= 80
    test = json.loads(run("choose", "complete:6", "--advantage", "10%", "--json").out)
    assert test["ratio"] == str(Fraction(110, 90))
