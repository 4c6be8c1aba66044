"""The risk of a table: every engine counts what one counts by hand, and what channels tell."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leaktight as lt
from leaktight.errors import InvalidFile, InvalidInput, LeaktightError, TooLarge
from leaktight.tables import Change, Exposure, Risk, risk
from leaktight.tables.risk.engine import Engine
from leaktight.tables.risk.sampled import found_in, found_in_sample
from tests.tables.engines import CANARY, ENGINES, NAMES, ROWS

Row = tuple[Any, ...]

COLUMNS = ("a", "b", "c", "s")
cells = st.sampled_from([None, "x", "xy", "yz"])
numbers = st.sampled_from([None, 1, 2, 3])
tables = st.lists(st.tuples(cells, numbers, cells, cells), min_size=1, max_size=12)


def frame(rows: Sequence[Row], names: Sequence[str] = COLUMNS) -> polars.DataFrame:
    kinds = {"b": polars.Int64, "person": polars.Int64}
    schema = {name: kinds.get(name, polars.String) for name in names}
    return polars.DataFrame([list(c) for c in zip(*rows, strict=True)], schema=schema)


def by_hand(views: Sequence[Any], secrets: Sequence[Any]) -> tuple[Fraction, Fraction, int, int]:
    """Chances of finding and guessing, how many are alone, how many secrets are certain."""
    rows = list(zip(views, secrets, strict=True))
    groups = {view: [s for v, s in rows if v == view] for view in views}
    most = sum(max(Counter(own).values()) for own in groups.values())
    return (
        Fraction(len(groups), len(rows)),
        Fraction(most, len(rows)),
        sum(len(own) == 1 for own in groups.values()),
        sum(len(own) for own in groups.values() if len({*own}) == 1),
    )


def told(found: Exposure) -> tuple[Fraction, Fraction | None, int, int | None]:
    return found.find, found.guess, found.unique, found.certain


def vulnerabilities(
    views: Sequence[dict[Any, Fraction]], secrets: Sequence[Any]
) -> tuple[Any, Any]:
    """The same by channels: each row is an input, and ``views`` are the rows of the matrix."""
    outputs = list(dict.fromkeys(z for view in views for z in view))
    matrix = [[view.get(z, 0) for z in outputs] for view in views]
    channel = lt.Channel(matrix, outputs=[str(k) for k in range(len(outputs))])
    people = range(len(views))
    options = range(len({*secrets}))
    names = list(dict.fromkeys(secrets))
    gain = lt.Gain([[int(secrets[x] == names[w]) for x in people] for w in options])
    prior = lt.Distribution.uniform(len(views))
    return (
        lt.leakage.posterior_vulnerability(channel, prior),
        lt.leakage.posterior_vulnerability(channel, prior, gain),
    )


@given(tables)
@settings(max_examples=10, deadline=None)
def test_every_combination_is_as_counted_by_hand_and_as_channels_tell(rows: list[Row]) -> None:
    found = risk(frame(rows), ["a", "b", "c"], "s", combinations=2)
    assert len(found.combinations) == 6
    secrets = [row[3] for row in rows]
    for one in (found.exposure, *found.combinations):
        views = [tuple(row[COLUMNS.index(name)] for name in one.quasi_identifiers) for row in rows]
        assert told(one) == by_hand(views, secrets)
        assert one.smallest == min(Counter(views).values())
        told_by_channel = vulnerabilities([{view: Fraction(1)} for view in views], secrets)
        assert (one.find, one.guess) == told_by_channel
    assert {one.quasi_identifiers for one in found.combinations} == {
        chosen for size in (1, 2) for chosen in combinations("abc", size)
    }
    assert (found.find, found.guess) == by_hand([0] * len(rows), secrets)[:2]
    assert sum(crowd.size * crowd.groups for crowd in found.crowds) == len(rows) == found.rows
    assert found.people(1, 1) == found.exposure.unique


@given(tables, st.sampled_from(["1", "3/2", "7"]), st.integers(0, 2))
@settings(max_examples=10, deadline=None)
def test_noise_on_a_known_column_is_as_channels_tell(
    rows: list[Row], ratio: str, spare: int
) -> None:
    values = list(dict.fromkeys(row[0] for row in rows)) + [("spare", k) for k in range(spare)]
    noise = lt.RandomizedResponse(range(len(values)), ratio=ratio).channel.matrix
    change = Change.randomize("a", ratio=ratio, values=len(values))
    [found] = risk(frame(rows), ["a", "b", "c"], "s", combinations=0, changes=[change]).changes
    views = [
        {(z, *row[1:3]): Fraction(str(noise[values.index(row[0]), z])) for z in range(len(values))}
        for row in rows
    ]
    assert (found.find, found.guess) == vulnerabilities(views, [row[3] for row in rows])
    assert found.ratio == Fraction(ratio)


@given(tables, st.sampled_from(["1", "3/2", "7"]))
@settings(max_examples=10, deadline=None)
def test_noise_on_a_secret_is_as_channels_tell(rows: list[Row], ratio: str) -> None:
    values = list(dict.fromkeys(row[3] for row in rows))
    noise = lt.RandomizedResponse(range(len(values)), ratio=ratio).channel.matrix
    views = [
        {z: Fraction(str(noise[values.index(row[3]), z])) for z in range(len(values))}
        for row in rows
    ]
    together = [
        {(z, row[2]): chance for z, chance in view.items()}
        for view, row in zip(views, rows, strict=True)
    ]
    for secret, seen, wanted in (
        ("s", views, [row[3] for row in rows]),
        (["s", "c"], together, [(row[3], row[2]) for row in rows]),
    ):
        change = Change.randomize("s", ratio=ratio)
        [found] = risk(frame(rows), ["a", "b"], secret, combinations=0, changes=[change]).changes
        assert found.read == vulnerabilities(seen, wanted)[1]
        assert found.guess is None


def prefix(text: str | None, letters: int) -> str | None:
    return None if text is None else text[:letters]


@given(tables)
@settings(max_examples=10, deadline=None)
def test_what_is_coarser_or_left_out_is_as_counted_by_hand(rows: list[Row]) -> None:
    changes: list[tuple[Any, Callable[[Row], Row]]] = [
        (Change.drop("a"), lambda r: (r[1], r[2])),
        (Change.prefix("a", 1), lambda r: (prefix(r[0], 1), r[1], r[2])),
        (Change.prefix("b", 5), lambda r: r[:3]),
        (Change.bands("b", [1.5, 3]), lambda r: (r[0], r[1] and (r[1] >= 1.5) + (r[1] >= 3), r[2])),
        (
            [Change.prefix("a", 1), Change.drop("b"), Change.prefix("c", 1)],
            lambda r: (prefix(r[0], 1), prefix(r[2], 1)),
        ),
    ]
    secrets = [row[3] for row in rows]
    asked = [change for change, _ in changes]
    found = risk(frame(rows), ["a", "b", "c"], "s", combinations=0, changes=asked).changes
    for (_, view), one in zip(changes, found, strict=True):
        find, guess, unique, _ = by_hand([view(row) for row in rows], secrets)
        assert (one.find, one.guess, one.unique) == (find, guess, unique)
        assert one.ratio is None
        assert "no privacy guarantee" in one.guarantee


@given(tables, st.data())
@settings(max_examples=10, deadline=None)
def test_releases_in_turn_are_as_counted_by_hand(rows: list[Row], data: Any) -> None:
    """Whoever is missing in a later release is told apart from those with missing values."""
    people = [(i, *row) for i, row in enumerate(rows)]
    shown = data.draw(st.lists(st.tuples(st.booleans(), cells), min_size=12, max_size=12))
    later = [(i, a, 1) for i, (there, a) in enumerate(shown) if there] or [(99, "x", 1)]
    names = ["person", *COLUMNS]
    found = risk(
        frame(people, names), ["a", "b"], "s",
        later_releases=[frame(later, ["person", "a", "b"]), frame(people, names)], person="person",
    )  # fmt: skip
    seen = {i: (a, b) for i, a, b in later}
    secrets = [row[3] for row in rows]
    once = [row[:2] for row in rows]
    twice = [(view, seen.get(i)) for i, view in enumerate(once)]
    assert told(found.exposure) == by_hand(once, secrets)
    assert [told(one) for one in found.releases] == [by_hand(twice, secrets)] * 2


@given(tables, st.sampled_from(["0", "1/3", "1/2"]))
@settings(max_examples=10, deadline=None)
def test_who_knows_some_columns_of_some_people_sees_a_mixture(rows: list[Row], share: str) -> None:
    found = risk(
        frame(rows), ["a", "b", "c"], "s", combinations=0,
        known_share={("a", "b"): share, ("c",): "1/2"},
    ).known_share  # fmt: skip
    assert found is not None
    rest = Fraction(1, 2) - Fraction(share)
    views = [
        {(0, *row[:2]): Fraction(share), (1, row[2]): Fraction(1, 2), (2,): rest} for row in rows
    ]
    assert (found.find, found.guess) == vulnerabilities(views, [row[3] for row in rows])


# --- engines ---------------------------------------------------------------------------------


@pytest.fixture(params=ENGINES)
def people(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return ENGINES[request.param](tmp_path)


@pytest.mark.filterwarnings("ignore::FutureWarning:pyspark")
def test_every_engine_counts_as_one_counts_by_hand(people: Any) -> None:
    known, secret = ["town", "price", "born", "member"], "share"
    found = risk(
        people, known, secret, combinations=4,
        changes=[
            Change.prefix("town", 1), Change.prefix("born", 4), Change.bands("price", [2]),
            Change.bands("born", [date(2000, 1, 1)]), Change.randomize("town", epsilon=1),
        ],
    )  # fmt: skip
    at = {name: [row[NAMES.index(name)] for row in ROWS] for name in NAMES}
    if not isinstance(people, Path) or people.suffix != ".csv":  # there it is the text nan
        at["share"] = [None if share != share else share for share in at["share"]]
    secrets = at[secret]
    for one in (found.exposure, *found.combinations):
        assert told(one) == by_hand(
            list(zip(*(at[n] for n in one.quasi_identifiers), strict=True)), secrets
        )
    assert len(found.combinations) == 14
    coarse: list[tuple[str, Callable[[Any], Any]]] = [
        ("town", lambda v: v and v[:1]),
        ("born", lambda v: v and v.year),
        ("price", lambda v: v and v >= 2),
        ("born", lambda v: v and v >= date(2000, 1, 1)),
    ]
    for change, (column, cut) in zip(found.changes[:4], coarse, strict=True):
        views = list(zip(*(map(cut, at[n]) if n == column else at[n] for n in known), strict=True))
        assert (change.find, change.guess) == by_hand(views, secrets)[:2]
    without = next(
        one for one in found.combinations if one.quasi_identifiers == ("price", "born", "member")
    )
    assert without.find < found.changes[4].find < found.exposure.find


def test_nothing_of_a_table_is_left_in_an_engine_or_changed() -> None:
    engine = duckdb.connect()
    engine.execute("CREATE TABLE people AS SELECT range % 5 AS age, range AS id FROM range(20)")
    before = engine.sql("SELECT name FROM (SHOW ALL TABLES)").fetchall()
    found = risk(engine.table("people"), ["age"], changes=[Change.bands("age", [2])])
    assert (found.find, found.exposure.find) == (Fraction(1, 20), Fraction(1, 4))
    assert engine.sql("SELECT name FROM (SHOW ALL TABLES)").fetchall() == before


def test_files_of_all_kinds_can_be_releases_of_the_same_people(tmp_path: Path) -> None:
    base = tmp_path / "base.duckdb"
    with duckdb.connect(str(base)) as engine:
        engine.execute(
            "CREATE TABLE t AS SELECT CAST(range AS VARCHAR) AS id, 'x' AS a FROM range(4)"
        )
    text, packed = tmp_path / "a.csv", tmp_path / "b.parquet"
    text.write_text("id,a\n0,x\n1,y\n2,y\n3,z\n")
    frame([("0", "x"), ("1", "y"), ("2", "x")], ["id", "a"]).write_parquet(packed)
    found = risk(base, ["a"], table="t", later_releases=[text, packed], person="id")
    assert [one.groups for one in (found.exposure, *found.releases)] == [1, 3, 4]
    with pytest.raises(InvalidInput, match="one engine"):
        risk(
            text,
            ["a"],
            later_releases=duckdb.connect().sql("SELECT '0' AS id, 'x' AS a"),
            person="id",
        )
    other = pandas.DataFrame({"id": [0, 1], "a": ["x", "y"]})
    with pytest.raises(InvalidInput, match="one type in all releases"):
        risk(text, ["a"], later_releases=other, person="id")


def test_rows_are_named_only_if_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("a,s\nx,1\ny,1\nx,2\nz,1\nx,1\ny,2\n")
    assert risk(file, ["a"], "s").worst == ()
    found = risk(file, ["a"], "s", rows=True)
    assert [(one.row, one.size, one.most) for one in found.worst] == [
        (4, 1, 1), (2, 2, 1), (6, 2, 1), (1, 3, 2), (3, 3, 2), (5, 3, 2),
    ]  # fmt: skip


def test_keys_of_many_columns_do_not_overflow() -> None:
    rows = 1000
    columns = {f"c{k}": [i * (k + 1) % rows for i in range(rows)] for k in range(9)}
    found = risk(polars.DataFrame(columns), list(columns), combinations=1)
    assert found.exposure.unique == rows
    assert [one.groups for one in found.combinations].count(rows) == len(
        [k for k in range(9) if math.gcd(k + 1, rows) == 1]
    )


def test_a_table_of_many_that_are_alike_is_the_same_when_it_is_collapsed() -> None:
    rows = [(a, b, c, a) for a in ("x", "xy") for b in (1, 2) for c in ("x", None)] * 7
    rows += [("x", 1, None, "xy")]
    changes = [Change.randomize("a", ratio=2), Change.prefix("a", 1)]
    found = risk(frame(rows), ["a", "b", "c"], "s", combinations=2, changes=changes)
    secrets = [row[3] for row in rows]
    for one in found.combinations:
        views = [tuple(row[COLUMNS.index(name)] for name in one.quasi_identifiers) for row in rows]
        assert told(one) == by_hand(views, secrets)
    few = [(a, b, c, str(i % 2)) for i, (a, b, c, _) in enumerate(rows)]
    assert found.changes[1].find == by_hand([(r[0][:1], *r[1:3]) for r in few], secrets)[0]


# --- what is refused -------------------------------------------------------------------------

THREE = frame([("x", 1, "y", "z")] * 3)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"quasi_identifiers": []}, "names of columns"),
        ({"quasi_identifiers": ["a", "a"]}, "each once"),
        ({"quasi_identifiers": [3]}, "names of columns"),
        ({"quasi_identifiers": ["nowhere"]}, "has no column 'nowhere'"),
        ({"sensitive": "a"}, "both a quasi-identifier and sensitive"),
        ({"combinations": -1}, "0 or more"),
        ({"later_releases": THREE}, "need person"),
        ({"person": "a"}, "both a person"),
        ({"person": "c"}, "1 person has more by the column 'c'"),
        ({"known_share": {("s",): 1}}, "about quasi-identifiers"),
        ({"known_share": {("a",): "2/3", ("b",): "1/2"}}, "at most 1"),
        ({"known_share": 3}, "shares such as"),
        ({"changes": [3]}, "a change is such as"),
        ({"changes": [Change.drop("s")]}, "'s' is neither"),
        ({"changes": [[Change.drop("a"), Change.prefix("a", 1)]]}, "different columns"),
        ({"changes": [Change.bands("a", [1])]}, "2 values of the column 'a' cannot be read"),
        ({"changes": [Change.prefix("f", 1)], "quasi_identifiers": ["f"]}, "'f' holds Float64"),
        ({"changes": [Change.randomize("a", ratio=2, values=1)]}, "at most the 1 values"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(how: dict[str, Any], said: str) -> None:
    table = frame([("x", 1, "y", "z"), ("y", 2, "y", None)]).with_columns(f=polars.lit(0.5))
    asked: dict[str, Any] = {"quasi_identifiers": ["a", "b"], "sensitive": "s"} | how
    with pytest.raises(LeaktightError, match=said):
        risk(table, **asked)


def test_a_table_without_rows_and_too_many_combinations_are_refused() -> None:
    with pytest.raises(InvalidInput, match="must have rows"):
        risk(frame([("x", 1, "y", "z")]).clear(), ["a"])
    with pytest.raises(TooLarge, match="616,665 combinations of up to 10 of 20 columns"):
        risk(THREE, [f"c{k}" for k in range(20)], combinations=10)


@pytest.mark.parametrize("wrong", [[], [2, 1], ["x"], "12", [True, 2], [1] * 2000])
def test_wrong_cuts_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="must be rising numbers"):
        Change.bands("a", wrong)


def test_no_cell_is_in_an_error(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(f"id,town\n1,{CANARY}\n1,{CANARY}\n,x\n2,{CANARY},{CANARY}\n")
    whole = tmp_path / "whole.csv"
    whole.write_text(f"id,town\n{CANARY},{CANARY}\n{CANARY},{CANARY}\n")
    refused: list[tuple[Path, dict[str, Any]]] = [
        (file, {"quasi_identifiers": ["town"]}),
        (whole, {"quasi_identifiers": ["town"], "person": "id"}),
        (whole, {"quasi_identifiers": ["town"], "changes": [Change.bands("town", [1])]}),
    ]
    for source, how in refused:
        with pytest.raises((InvalidFile, InvalidInput)) as wrong:
            risk(source, **how)
        error: BaseException | None = wrong.value
        while error is not None:
            assert CANARY not in str(error)
            error = error.__cause__ or error.__context__


def test_an_answer_is_told_in_a_sentence() -> None:
    found = risk(THREE, ["a"], "s")
    assert isinstance(found, Risk)
    assert repr(found) == (
        "Risk(3 people, quasi-identifiers a: a row is found with 33.3% before, 33.3% after; "
        "0 unique; s is guessed with 100% before, 100% after)"
    )


def test_a_table_with_other_rows_when_it_is_read_again_is_refused() -> None:
    changing = duckdb.connect().sql("SELECT CAST(random() * 1e15 AS BIGINT) AS a FROM range(100)")
    with pytest.raises(InvalidFile, match="other rows when it was read again"):
        risk(changing, ["a"], combinations=0, rows=True)
    assert risk(changing, ["a"], combinations=0).rows == 100  # which is read once


@settings(max_examples=4)
@given(tables)
def test_rows_that_are_alike_are_counted_once_or_each_with_the_same_answer(rows: list[Row]) -> None:
    """Groups of values as they are, or of the numbers of all rows: two routes."""
    some = [Change.prefix("c", 1), [Change.prefix("a", 1), Change.drop("b")]]
    for known, wanted, asked in (
        (["a", "b", "c"], "s", {"combinations": 2, "changes": some}),
        (["a", "b", "c"], "s", {"combinations": 0, "changes": some[:1]}),
        (["a", "c"], ["s", "b"], {"combinations": 0, "known_share": {("a",): "1/2"}}),
        (["a", "c"], (), {"combinations": 1}),
    ):
        once = risk(frame(rows), known, wanted, **asked)
        each = risk(frame(rows), known, wanted, rows=True, **asked)
        assert once == msgspec.structs.replace(each, worst=())


def test_a_table_is_read_once_however_much_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    scans = list[str]()
    keep = Engine.keep

    def counted(self: Engine, question: str, source: Any = None, **how: Any) -> str:
        scans.extend([question] * (source is not None and "LIMIT" not in question))
        return keep(self, question, source, **how)

    monkeypatch.setattr(Engine, "keep", counted)
    risk(THREE, ["a"], "s", changes=[Change.drop("a"), Change.prefix("a", 1)])
    assert len(scans) == 1
    risk(THREE, ["a"], "s", rows=True)
    assert len(scans) == 3
    many = polars.DataFrame({"a": range(6000), "b": [0, 1] * 3000})  # of which none are alike
    scans.clear()
    found = risk(many, ["a", "b"])
    assert len(scans) == 2
    scans.clear()
    assert risk(many, ["a", "b"], combinations=0).exposure == found.exposure
    assert len(scans) == 1


@pytest.mark.parametrize(("size", "people"), [(1, 84.5), (2, 110), (3, 3.5), (7, 900), (40, 41)])
def test_the_individual_risk_is_the_mean_over_populations(size: int, people: float) -> None:
    """E(1/F) by summing over F, where F − f is negative binomial with π = f/F̂."""
    share = size / people
    chance, total = share**size, 0.0
    for more in range(200_000):
        total += chance / (size + more)
        chance *= (1 - share) * (size + more) / (more + 1)
    assert found_in(size, people) == pytest.approx(total, rel=1e-9)
    assert share / size <= found_in(size, people) <= 1 / size


def test_the_large_classes_of_a_sample_are_bounded() -> None:
    assert found_in(200, 4000) == pytest.approx(found_in(201, 4020), rel=0.02)
    assert found_in(201, 201) == 1 / 201


@pytest.mark.parametrize("people", [1, 2, 5, 9, 14])
def test_a_simple_sample_is_judged_as_bayes_has_it(people: int) -> None:
    """P(F | f) from hypergeometric samples and weights 1/F before, for every n and f."""
    for rows in range(1, people + 1):
        for size in range(1, rows + 1):
            weights = {
                there: Fraction(comb(there, size) * comb(people - there, rows - size), there)
                for there in range(size, people + 1)
            }
            total = sum(weights.values())
            found = sum(weight / there for there, weight in weights.items()) / total
            assert found_in_sample(size, rows, people) == pytest.approx(float(found), rel=1e-14)
            if size == 1:
                assert weights[1] / total == Fraction(rows, people)


def test_a_simple_sample_of_many_is_as_the_limit_has_it() -> None:
    for size in (1, 2, 30, 200):
        many = found_in_sample(size, 3 * 10**8, 10**9)
        assert many == pytest.approx(found_in(size, size / 0.3), rel=1e-7)
    assert found_in_sample(201, 10**6, 10**7) >= found_in_sample(202, 10**6, 10**7)
    assert found_in_sample(200, 10**6, 10**7) <= 0.1 / 199  # E(1/(F − 1))
    assert found_in_sample(200, 10**9 - 1, 10**9) == pytest.approx(1 / 200)
    assert found_in_sample(900, 900, 901) == 1 / 900


def test_the_individual_risk_is_that_of_sdcmicro_s_published_example() -> None:
    """``francdat`` and what its pages print for freqCalc and indivRisk (sdcMicro 5.7.9)."""
    keys = [(1, 2, 5, 1), (1, 2, 1, 1), (1, 2, 1, 1), (3, 3, 1, 5), (4, 3, 1, 4), (4, 3, 1, 1),
            (6, 2, 1, 5), (1, 2, 5, 1)]  # fmt: skip
    weights = [18.0, 45.5, 39.0, 17.0, 541.0, 8.0, 5.0, 92.0]
    published = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948,
                 0.01714426]  # fmt: skip
    people = {key: sum(w for k, w in zip(keys, weights, strict=True) if k == key) for key in keys}
    own = [found_in(keys.count(key), people[key]) for key in keys]
    assert own == pytest.approx(published, abs=5e-9)
    columns = {f"Key{i + 1}": list(cells) for i, cells in enumerate(zip(*keys, strict=True))}
    frame = polars.DataFrame({**columns, "w": weights})
    found = risk(frame, list(columns), weights="w", combinations=0)
    assert found.exposure.unique == 4  # "4 obs. violate 2-anonymity"
    assert found.sampled is not None
    assert found.sampled.population == 765.5
    assert found.sampled.found == pytest.approx(sum(published), abs=5e-8)
    assert found.sampled.highest == pytest.approx(max(published), abs=5e-9)


def test_weights_that_are_equal_are_nearly_a_simple_sample() -> None:
    rows = [(z, w) for z, size in (("a", 1), ("b", 1), ("c", 3)) for w in [20] * size]
    people = polars.DataFrame({"zip": [z for z, _ in rows], "w": [w for _, w in rows]})
    simple = risk(people, ["zip"], population=100).sampled
    weighted = risk(people, ["zip"], weights="w").sampled
    assert simple is not None
    assert weighted is not None
    assert simple.population == 100
    assert simple.unique == Fraction(2, 20)
    assert weighted.unique == pytest.approx(2 / 20)
    assert simple.highest == found_in_sample(1, 5, 100)
    assert weighted.found == pytest.approx(2 * found_in(1, 20) + 3 * found_in(3, 60))
    assert simple.found == pytest.approx(weighted.found, rel=0.05)
    assert "weight 1/F" in simple.model
    assert "negative binomial" in weighted.model
    everybody = risk(people, ["zip"], population=5).sampled
    assert everybody is not None
    assert everybody.found == 3
    for wrong, said in (
        ({"population": 4}, "at least the 5 people"),
        ({"population": 9, "weights": "w"}, "not both"),
        ({"weights": "zip"}, "another column"),
    ):
        with pytest.raises(InvalidInput, match=said):
            risk(people, ["zip"], **wrong)
    with pytest.raises(InvalidInput, match="at least 1, and 1 value of 'w' is not"):
        risk(people.with_columns(w=polars.lit(0)), ["zip"], weights="w")


def test_the_riskiest_rows_come_first() -> None:
    rows = [("x", 1, "p"), ("x", 2, "p"), ("y", 1, "p"), ("y", 2, "p"), ("z", 9, "q")]
    people = polars.DataFrame(rows, schema=["a", "b", "c"], orient="row")
    found = risk(people, ["a", "b", "c"], combinations=1, rows=True)
    assert [(one.row, one.size, one.alone) for one in found.worst] == [
        (5, 1, 3), (1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 0),
    ]  # fmt: skip
    assert "to find a person&#x27;s row" in found._repr_html_()
    with pytest.raises(InvalidInput, match="got 40 after 65"):
        Change.bands("b", [18, 65, 40])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("known", "quasi_identifiers"),
        ("secret", "sensitive"),
        ("partly", "known_share"),
        ("then", "later_releases"),
    ],
)
def test_an_old_argument_says_its_new_name(old: str, new: str) -> None:
    with pytest.raises(TypeError, match=f"no argument {old}=; it is {new}= now"):
        risk(THREE, **{"quasi_identifiers": ["a"], old: ["b"]})  # type: ignore[arg-type]
