"""From a table to its release."""

from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from leaktight import Policy, SecretGraph
from leaktight.errors import InvalidInput, InvalidPolicy, LeaktightError
from leaktight.policies.constraint import count
from leaktight.tables import (
    Ledger,
    TableRelease,
    consistent,
    count_of,
    cumulative,
    hierarchy,
    histogram,
    mean_of,
    plan,
    record_of,
    release,
    statement,
    sum_of,
)

BANDS = ["low", "middle", "high", "top"]
POLICY = Policy(SecretGraph.line(BANDS), records=100)
TABLE = polars.DataFrame({"band": ["low"] * 40 + ["middle"] * 30 + ["high"] * 20 + ["top"] * 10})
ASKED = [
    histogram("by band"),
    histogram("plainly", ordered=False),
    cumulative("up to"),
    count_of("well paid", ["high", "top"]),
    sum_of("points", {"middle": 1, "high": 2, "top": 3}),
    hierarchy("tree"),
]
TRUTH = {
    "by band": (40, 30, 20, 10),
    "plainly": (40, 30, 20, 10),
    "up to": (40, 70, 90, 100),
    "well paid": (30,),
    "points": (100,),
    "tree, runs of 1": (40, 30, 20, 10),
    "tree, runs of 2": (70, 30),
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    Ledger.create(tmp_path / "book.ledger", POLICY, epsilon=10**5)
    return tmp_path / "book.ledger"


def released(book: Path, name: str = "a", **how: Any) -> TableRelease:
    asked: dict[str, Any] = {
        "epsilon": 50_000,
        "ledger": book,
        "columns": "band",
        "name": name,
    } | how
    return release(asked.pop("source", TABLE), POLICY, asked.pop("queries", ASKED), **asked)


def test_with_hardly_any_noise_every_query_has_the_true_answer(book: Path) -> None:
    done = released(book)
    assert {answer.name: answer.numbers for answer in done.answers} == TRUTH
    assert done["up to"].noises == (1, 1, 1, 0)
    assert done["by band"].noises == (1, 2, 2, 1)


def test_one_of_several_columns_is_counted_up(tmp_path: Path) -> None:
    sexes, ages = ["f", "m"], ["young", "middle", "old"]
    policy = Policy(SecretGraph.product(*map(SecretGraph.complete, (sexes, ages))), records=6)
    Ledger.create(tmp_path / "book", policy, epsilon=10**5)
    table = {"sex": list("ffmmmm"), "age": ["old", "young", "old", "middle", "young", "old"]}
    how: dict[str, Any] = {"name": "a", "ledger": tmp_path / "book", "epsilon": 10**5}
    asked = [cumulative("up to", by=["age"]), histogram("sexes", by=["sex"])]
    done = release(polars.DataFrame(table), policy, asked, columns=["sex", "age"], **how)
    assert done["up to"].cells == ("young", "middle", "old")
    assert done["up to"].numbers == (2, 3, 6)
    assert done["up to"].noises == (1, 1, 0)
    assert [int(n) for n in consistent(done)["up to"]] == [2, 3, 6]


def test_a_policy_that_hides_nothing_has_neither_plan_nor_ledger(tmp_path: Path) -> None:
    nothing = Policy(SecretGraph.threshold([10, 20, 30], distance=5), records=6)
    with pytest.raises(InvalidPolicy, match="this one has none"):
        Ledger.create(tmp_path / "book", nothing, epsilon=1)
    with pytest.raises(InvalidPolicy, match="this one has none"):
        plan(nothing, [histogram("h")], epsilon=1)


def test_intervals_hold_the_truth_as_often_as_they_say(book: Path) -> None:
    rng = np.random.default_rng(7)
    inside = []
    for i in range(25):
        done = released(book, str(i), epsilon=5, queries=ASKED[:4], rng=rng)
        for answer in done.answers:
            for (low, high), true in zip(answer.intervals("0.9"), TRUTH[answer.name], strict=True):
                inside.append(low <= true <= high)
    assert np.mean(inside) >= 0.86


def test_a_release_asked_again_does_not_even_read_the_table(book: Path) -> None:
    first = released(book)
    with pytest.raises(InvalidInput, match=r"drawn on .* from a frame, and this is no such.csv"):
        released(book, source="no such.csv")
    again = released(book, source="no such.csv", again=True)
    assert (first.is_new, again.is_new) == (True, False)
    assert [a.numbers for a in first.answers] == [a.numbers for a in again.answers]
    assert again.stored.schema == first.stored.schema == (("band", "String"),)
    assert len(Ledger.open(book).entries()) == 1


def test_another_question_under_a_name_that_is_used_is_refused(book: Path) -> None:
    released(book)
    for other in (
        {"queries": ASKED[:1]},
        {"epsilon": 1},
        {"outside": "low"},
        {"rng": np.random.default_rng(7)},
    ):
        with pytest.raises(InvalidInput, match="another release called 'a'"):
            released(book, **other)


def test_nothing_is_spent_when_the_table_is_refused(book: Path) -> None:
    wrong = polars.DataFrame({"band": ["low"] * 99 + ["lowest"]})
    with pytest.raises(LeaktightError):
        released(book, source=wrong)
    assert Ledger.open(book).entries() == ()


@pytest.mark.parametrize("ask", [sum_of, mean_of])
def test_names_of_bands_are_not_taken_for_numbers_of_the_table(tmp_path: Path, ask: Any) -> None:
    """Bands 0, 1000 and 2000 are where incomes begin; these add up to more than the names."""
    policy = Policy(SecretGraph.complete([0, 1000, 2000]), records=3)
    people = polars.DataFrame({"income": [1999, 1500, 2700]})
    book = tmp_path / "incomes.ledger"
    Ledger.create(book, policy, epsilon=10**5)
    how: dict[str, Any] = {"name": "a", "ledger": book, "columns": "income", "epsilon": 50_000}
    how["cuts"] = {"income": [1000, 2000]}
    with pytest.raises(InvalidInput, match="which cuts bring to bands"):
        release(people, policy, [ask("pay")], **how)
    assert not Ledger.open(book).entries()
    worth = sum_of("pay", {0: 500, 1000: 1500, 2000: 2500})
    assert release(people, policy, [worth], **how)["pay"].numbers == (5500,)


def test_empty_cells_get_noise_too(book: Path) -> None:
    alone = polars.DataFrame({"band": ["low"] * 100})
    rng = np.random.default_rng(7)
    drawn = [released(book, str(i), source=alone, epsilon=1, rng=rng) for i in range(5)]
    assert {n for done in drawn for n in done["plainly"].numbers[1:]} > {0}


def test_queries_that_cannot_be_meant_are_refused(book: Path) -> None:
    for wrong, said in (
        ([], "needs queries"),
        ([histogram("a"), count_of("a", ["low"])], "'a' twice"),
        ([count_of("a", ["lwo"])], "did you mean 'low'"),
        ([count_of("a", [])], "must count some value"),
        ([sum_of("a")], "needs a number for each value, got .low."),
        ([histogram("a", by=["age"])], "asks for the column .age., and the columns"),
        ([histogram("a", groups={"x": ["low"], "y": ["low"]})], "must be in one group"),
    ):
        with pytest.raises(InvalidInput, match=said):
            released(book, queries=wrong)
    with pytest.raises(InvalidInput, match="has no query 'x'"):
        released(book)["x"]
    with pytest.raises(InvalidInput, match="needs a name"):
        released(book, name=" ")


def test_columns_make_products_and_histograms_by_some_of_them(tmp_path: Path) -> None:
    secrets = SecretGraph.product(SecretGraph.complete(["f", "m"]), SecretGraph.line([20, 30, 40]))
    policy = Policy(secrets, 5)
    people = polars.DataFrame({"sex": list("ffmmm"), "age": [20, 30, 20, 20, 40]})
    Ledger.create(tmp_path / "l", policy, epsilon=10**5)
    queries = [histogram("age", by=["age"]), histogram("all"), histogram("sex", by=["sex"])]
    done = release(
        people, policy, queries, name="a", ledger=tmp_path / "l",
        columns=["sex", "age"], epsilon=10**5,
    )  # fmt: skip
    assert done["age"].cells == (20, 30, 40)
    assert done["age"].numbers == (3, 1, 1)
    assert done["sex"].numbers == (2, 3)
    assert dict(zip(done["all"].cells, done["all"].numbers, strict=True))["m", 20] == 2


def test_under_public_counts_releases_add_up_for_all(tmp_path: Path) -> None:
    """Everybody knows how many are well paid: who moves into a band must be made up for."""
    known = Policy(POLICY.secrets, 100, constraints=[count(["high", "top"], equals=30)])
    book = tmp_path / "l"
    Ledger.create(book, known, ratio=2**40)
    how: dict[str, Any] = {"ledger": book, "columns": "band"}
    done = release(TABLE, known, [histogram("h", ordered=False)], name="a", ratio=2**20, **how)
    free = release(TABLE, known, [count_of("known", ["high", "top"])], name="b", ratio=2, **how)
    assert free["known"].numbers == (30,)
    assert free.noise.level.value == 1
    told = statement(Ledger.open(book))
    assert [pair.ratio for pair in told.pairs] == [done.noise.level.value]
    assert done.noise.level.value <= 2**20
    assert done.noise.step < 2**10  # more than one record moves
    assert told.odds is None
    assert "under the public counts" in str(told)
    assert "so that the public counts stay the same" in str(record_of(done))
    with pytest.raises(InvalidInput, match="was made for another policy"):
        release(TABLE, POLICY, ASKED, name="c", ratio=2, **how)
    wrong = TABLE.with_columns(band=polars.lit("low"))
    with pytest.raises(InvalidInput, match=r"exactly 30 in \{high, top\}, and the table has 0"):
        release(wrong, known, ASKED, name="c", ratio=2, **how)
