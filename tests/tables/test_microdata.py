"""Protected microdata: the optimum of the lattice by hand, and the file that is written."""

import csv
import json
import math
import random
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import polars
import pytest

from leaktight.errors import InvalidFile, InvalidInput, LeaktightError
from leaktight.tables import Change, Protected, Statistic, protect, risk
from leaktight.tables.microdata.search import Judged, search
from leaktight.tables.risk.sampled import found_in_sample
from tests.tables.engines import CANARY, ENGINES

Row = tuple[Any, ...]
UNIT = 2**20
NAMES = ("zip", "age", "sex", "ill", "job")

LEVELS: dict[str, list[tuple[Change | None, Callable[[Any], Any]]]] = {
    "zip": [
        (None, lambda v: v),
        (Change.prefix("zip", 2), lambda v: v and v[:2]),
        (Change.prefix("zip", 1), lambda v: v and v[:1]),
        (Change.drop("zip"), lambda v: 0),
    ],
    "age": [
        (None, lambda v: v),
        (Change.every("age", 10), lambda v: None if v is None else v // 10),
        (Change.bands("age", [30, 50]), lambda v: None if v is None else (v >= 30) + (v >= 50)),
        (Change.drop("age"), lambda v: 0),
    ],
    "sex": [(None, lambda v: v), (Change.drop("sex"), lambda v: 0)],
}


def table(rng: random.Random) -> list[Row]:
    """People, some of whom are alike and some of whose cells are missing."""
    rows = rng.randint(1, 40)
    zips = rng.sample(["811", "812", "821", "823", "910", "911", None], rng.randint(1, 5))
    ages = rng.sample([None, 3, 22, 25, 29, 31, 33, 45, 58, 61], rng.randint(1, 6))
    sick = rng.sample(["flu", "none", "cold", None], rng.randint(1, 4))
    return [
        (rng.choice(zips), rng.choice(ages), rng.choice("FM"), rng.choice(sick), rng.choice("xyz"))
        for _ in range(rows)
    ]


def frame(rows: Sequence[Row]) -> polars.DataFrame:
    schema = {name: polars.Int64 if name == "age" else polars.String for name in NAMES}
    return polars.DataFrame([list(c) for c in zip(*rows, strict=True)], schema=schema)


def bits(number: int, rows: int) -> int:
    return round(UNIT * (math.log(rows) - math.log(number)) / math.log(2))


def by_hand(rows: list[Row], node: Sequence[int], asked: dict[str, Any]) -> dict[str, Any] | None:
    """Everything about a node, by listing the rows; None if it does not keep what is asked."""
    k, least = asked.get("at_least_k", 1), asked.get("l_diversity", 1)
    sensitive = [NAMES.index(name) for name in asked["sensitive"]]
    maps = [LEVELS[name][at][1] for name, at in zip(NAMES, node, strict=False)]
    views = [tuple(f(row[i]) for i, f in enumerate(maps)) for row in rows]
    classes: dict[Any, list[int]] = {}
    for i, view in enumerate(views):
        classes.setdefault(view, []).append(i)
    good = {
        view: own
        for view, own in classes.items()
        if len(own) >= k and all(len({rows[i][s] for i in own}) >= least for s in sensitive)
    }
    kept = [i for own in good.values() for i in own]
    out = [i for i in range(len(rows)) if views[i] not in good]
    if not kept or Fraction(len(out), len(rows)) > Fraction(asked.get("suppress", 0)):
        return None
    found = Fraction(len(good), len(kept))
    far: list[Fraction] = [Fraction(0)]
    if "below" in asked and not found < Fraction(asked["below"]):
        return None
    secrets = [tuple(row[s] for s in sensitive) for row in rows]
    guess = Fraction(
        sum(max(Counter(secrets[i] for i in own).values()) for own in good.values()), len(kept)
    )
    if "guessed_below" in asked and not guess < Fraction(asked["guessed_below"]):
        return None
    for s in sensitive:
        whole = Counter(rows[i][s] for i in kept)
        for own in good.values():
            here = Counter(rows[i][s] for i in own)
            parts = (Fraction(here[v], len(own)) - Fraction(n, len(kept)) for v, n in whole.items())
            far.append(sum(map(abs, parts), Fraction(0)) / 2)
    t = max(far)
    if "t_closeness" in asked and t > Fraction(asked["t_closeness"]):
        return None
    lost = total = changed = 0
    coarse = Fraction(0)
    for j, f in enumerate(maps):
        fine, merged = Counter(row[j] for row in rows), Counter(f(row[j]) for row in rows)
        leaves = Counter(f(value) for value in fine)
        total += sum(n * bits(n, len(rows)) for n in fine.values())
        for i, row in enumerate(rows):
            gone = views[i] not in good
            tells = 0 if gone else bits(merged[f(row[j])], len(rows))
            lost += bits(fine[row[j]], len(rows)) - tells
            if len(fine) > 1:
                coarse += 1 if gone else Fraction(leaves[f(row[j])] - 1, len(fine) - 1)
            changed += gone or node[j] > 0
    size = 3 * len(rows)
    return {
        "entropy": Fraction(lost, total or 1),
        "granularity": coarse / size,
        "cells": Fraction(changed, size),
        "out": len(out),
        "k": min(map(len, good.values())),
        "l": min(len({rows[i][s] for i in own}) for own in good.values() for s in sensitive),
        "t": t,
        "guess": guess,
        "found": found,
        "unique": sum(len(own) == 1 for own in good.values()),
        "squares": sum(len(own) ** 2 for own in good.values()) + len(out) * len(rows),
    }


def drawn(rng: random.Random) -> dict[str, Any]:
    asked: dict[str, Any] = {"sensitive": rng.choice([["ill"], ["ill", "job"]])}
    for name, choices in (
        ("at_least_k", [2, 3, 5]), ("l_diversity", [2, 3]), ("t_closeness", ["1/2", "0.3"]),
        ("below", ["1/2", "0.2"]), ("guessed_below", ["0.9", "2/3"]),
        ("suppress", ["0.1", "1/3", "1/2"]),
    ):  # fmt: skip
        if rng.random() < (0.8 if name == "at_least_k" else 0.35):
            asked[name] = rng.choice(choices)
    return asked if {*asked} - {"sensitive", "suppress"} else {**asked, "at_least_k": 2}


def compare(seed: int) -> bool:
    """Whether a table could be protected; what is found is the best of all by hand."""
    rng = random.Random(seed)
    rows, asked = table(rng), drawn(rng)
    measure = rng.choice(["entropy", "granularity", "cells"])
    recodings = {name: [one for one, _ in LEVELS[name][1:] if one] for name in NAMES[:3]}
    nodes = product(*(range(len(LEVELS[name])) for name in NAMES[:3]))
    every = {node: one for node in nodes if (one := by_hand(rows, node, asked)) is not None}
    try:
        found = protect(frame(rows), NAMES[:3], loss=measure, plans=3, recodings=recodings, **asked)
    except InvalidInput:
        assert not every
        return False
    best = sorted(one[measure] for one in every.values())[:3]
    assert [getattr(plan.loss, measure) for plan in found.plans] == best
    assert found.nodes == 4 * 4 * 2 >= found.looked
    for plan in found.plans:
        one = every[plan.levels]
        assert (plan.loss.entropy, plan.loss.granularity, plan.loss.cells) == (
            one["entropy"], one["granularity"], one["cells"],
        )  # fmt: skip
        assert (plan.suppressed, plan.risk.k, plan.risk.l, plan.risk.unique) == (
            one["out"], one["k"], one["l"], one["unique"],
        )  # fmt: skip
        assert (plan.risk.guess, plan.risk.marketer) == (one["guess"], one["found"])
        assert plan.loss.discernibility == one["squares"]
        assert plan.risk.t == pytest.approx(float(one["t"]))
    return True


@pytest.mark.parametrize("start", range(0, 24, 8))
def test_what_is_found_is_the_best_of_the_lattice_by_hand(start: int) -> None:
    done = [compare(seed) for seed in range(start, start + 8)]
    assert any(done)


def part(rows: list[Row], at: int, node: Sequence[int], cell: Any, value: Any) -> Fraction:
    """Which part of a recoded cell counts for a value of its column."""
    recoded = LEVELS[NAMES[at]][node[at]][1] if at < 3 else lambda v: v
    alike = {v for row in rows if recoded(v := row[at]) == recoded(cell)}
    return Fraction(value in alike, len(alike))


@pytest.mark.parametrize("seed", range(12))
def test_counts_and_means_are_what_equal_parts_of_recoded_cells_give(seed: int) -> None:
    rng = random.Random(seed)
    rows = table(rng)
    recodings = {name: [one for one, _ in LEVELS[name][1:] if one] for name in NAMES[:3]}
    someone = next((row for row in rows if row[0] and row[3]), None)
    asked = [Statistic.mean("age"), Statistic.count({"sex": rows[0][2]})]
    wanted: list[tuple[str | None, dict[int, Any]]] = [("age", {}), (None, {2: rows[0][2]})]
    if someone is not None:
        asked.append(Statistic.count({"zip": someone[0], "ill": someone[3]}))
        asked.append(Statistic.mean("age", {"zip": someone[0], "sex": someone[2]}))
        wanted.append((None, {0: someone[0], 3: someone[3]}))
        wanted.append(("age", {0: someone[0], 2: someone[2]}))
    found = protect(
        frame(rows), NAMES[:3], "ill", below=1, at_least_k=2, suppress="2/3", plans=9,
        recodings=recodings, statistics=asked,
    )  # fmt: skip
    for plan in (None, *found.plans):
        node = plan.levels if plan else (0, 0, 0)
        views = [tuple(LEVELS[NAMES[j]][node[j]][1](row[j]) for j in range(3)) for row in rows]
        sizes = Counter(views)
        kept = [r for r, v in zip(rows, views, strict=True) if plan is None or sizes[v] >= 2]
        told = plan.statistics if plan else [value for _, value in found.statistics]
        for (column, where), value in zip(wanted, told, strict=True):
            total = weight = Fraction(0)
            for row in kept:
                own = math.prod(
                    (part(rows, at, node, row[at], v) for at, v in where.items()), start=Fraction(1)
                )
                if column is None:
                    weight += own
                    continue
                recoded = LEVELS["age"][node[1]][1]
                ages = {v for r in rows if recoded(v := r[1]) == recoded(row[1]) and v is not None}
                if ages:
                    weight += own
                    total += own * Fraction(sum(ages), len(ages))
            if column is None:
                assert value == pytest.approx(float(weight))
            else:
                assert value == (pytest.approx(float(total / weight)) if weight else None)


def test_statistics_that_cannot_be_are_refused() -> None:
    for asked, said in (
        ("age", "such as Statistic.mean"),
        (Statistic.mean("diagnosis"), "of the column 'diagnosis' cannot be read as one"),
        (Statistic.mean("sex"), "2 values of the column 'sex' cannot be read as one"),
        (Statistic.count({"sex": "X"}), "no row has sex = X"),
        (Statistic.count({"nowhere": 1}), "has no column 'nowhere'"),
    ):
        with pytest.raises(InvalidInput, match=said):
            protect(PATIENTS, ["sex"], at_least_k=2, statistics=[asked])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="a count is of values"):
        Statistic.count({})
    with pytest.raises(InvalidInput, match="a mean is of a column"):
        Statistic.mean(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="at least the 400 people"):
        protect(PATIENTS, ["sex"], at_least_k=2, population=399)


def test_the_search_finds_the_optimum_and_looks_at_few() -> None:
    rng = random.Random(5)
    for _ in range(60):
        heights = [rng.randint(0, 4) for _ in range(rng.randint(1, 4))]
        steps = [[0, *(rng.randint(0, 5) for _ in range(height))] for height in heights]
        pairs = [[rng.randint(0, height) for height in heights] for _ in range(rng.randint(0, 4))]

        def bound(node: Sequence[int], steps: list[list[int]] = steps) -> Fraction:
            return Fraction(sum(sum(s[: at + 1]) for s, at in zip(steps, node, strict=True)))

        def judge(node: Sequence[int], pairs: Any = pairs, bound: Any = bound) -> Judged:
            """Everything above any of the pairs is good; by suppression it costs up to 3 more."""
            good = any(all(a >= b for a, b in zip(node, low, strict=True)) for low in pairs)
            return Judged(good, bound(node) + hash(tuple(node)) % 4 if good else None)

        nodes = list(product(*(range(height + 1) for height in heights)))
        all_of_them = sorted(loss for node in nodes if (loss := judge(node).loss) is not None)
        for count in (1, 3):
            found = search(heights, bound, judge, count)
            assert [loss for loss, _ in found.best] == all_of_them[:count]
            assert found.looked <= len(nodes)

    def high(node: Sequence[int]) -> Judged:
        return Judged(min(node) > 5, Fraction(sum(node)) if min(node) > 5 else None)

    found = search([9] * 4, lambda node: Fraction(sum(node)), high)
    assert found.best == ((Fraction(24), (6, 6, 6, 6)),)
    assert found.looked < 500  # of 10,000


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


PATIENTS = Path(__file__).parents[2] / "examples" / "tables" / "patients.csv"


def written(tmp_path: Path, kind: str, **asked: Any) -> tuple[Path, Protected]:
    target = tmp_path / f"safe.{kind}"
    found = protect(PATIENTS, ["zip", "age", "sex"], "diagnosis", output=target, **asked)
    return target, found


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_risk_of_what_is_written_is_what_was_asked(tmp_path: Path, kind: str) -> None:
    target, found = written(tmp_path, kind, at_least_k=5, l_diversity=2, suppress="0.05")
    after = risk(target, ["zip", "age", "sex"], "diagnosis", combinations=0)
    assert after.exposure.smallest == found.best.risk.k >= 5
    assert after.rows == 400 - found.best.suppressed >= 380
    assert (after.exposure.find, after.exposure.guess) == (
        found.best.risk.marketer, found.best.risk.guess,
    )  # fmt: skip
    assert (found.before.k, found.before.unique) == (1, risk(
        PATIENTS, ["zip", "age", "sex"], combinations=0).exposure.unique)  # fmt: skip
    assert found.kept == ("id", "diagnosis")
    assert found.telling == ("id",)
    record = tmp_path / f"safe.{kind}.protect.json"
    noted = json.loads(record.read_text("utf-8"))
    assert noted["plans"][0]["risk"]["k"] == found.best.risk.k
    for path in (target, record):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([target.name, record.name])


def test_other_columns_are_as_they_were_and_the_order_tells_nothing(tmp_path: Path) -> None:
    target, found = written(tmp_path, "csv", at_least_k=5, suppress="0.1")
    before = {row["id"]: row for row in read(PATIENTS)}
    after = read(target)
    assert len(after) == 400 - found.best.suppressed
    assert list(after[0]) == list(read(PATIENTS)[0])
    for row in after:
        assert row["diagnosis"] == before[row["id"]]["diagnosis"]
        assert row["sex"] in ("*", before[row["id"]]["sex"])
    assert after == sorted(after, key=lambda row: (int(row["id"]), *row.values()))
    target, found = written(tmp_path, "csv", at_least_k=5, leave_out=["id"])
    assert list(read(target)[0]) == ["zip", "age", "sex", "diagnosis"]
    assert (found.left_out, found.telling) == (("id",), ())


def test_what_cannot_be_kept_says_what_is_missing_and_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="even at the coarsest, 400 rows of 400"):
        written(tmp_path, "csv", at_least_k=401)
    with pytest.raises(InvalidInput, match="keeps t ≤ 0;"):
        written(tmp_path, "csv", t_closeness=0, recodings={"sex": [], "age": [], "zip": []})
    with pytest.raises(InvalidFile, match=r"must end in \.csv, \.parquet"):
        written(tmp_path, "txt", at_least_k=2)
    with pytest.raises(InvalidInput, match="no column 'nobody' to leave out"):
        written(tmp_path, "csv", at_least_k=2, leave_out=["nobody"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "say what the table must keep"),
        ({"at_least_k": 0}, "at_least_k must be a whole number, 1 or more, got 0"),
        ({"at_least_k": 2, "suppress": 1}, "below 1"),
        ({"t_closeness": "3/2"}, "t_closeness must be between 0 and 1, got 3/2"),
        ({"at_least_k": 2, "loss": "much"}, "loss must be one of entropy, granularity, cells"),
        ({"at_least_k": 2, "plans": 0}, "1 or more, got 0"),
        ({"at_least_k": 2, "recodings": {"job": []}}, "'job' is none"),
        (
            {"at_least_k": 2, "recodings": {"sex": [Change.drop("sex"), Change.prefix("sex", 1)]}},
            "must be the last level",
        ),
        (
            {
                "at_least_k": 2,
                "recodings": {"age": [Change.every("age", 10), Change.every("age", 15)]},
            },
            "level 2 splits some of level 1",
        ),
        (
            {"at_least_k": 2, "recodings": {"sex": [Change.groups("sex", {"F": "x"})]}},
            "every value must have a group, and 1 value of the column 'sex' has none",
        ),
    ],
)
def test_a_question_that_cannot_be_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(LeaktightError) as wrong:
        protect(PATIENTS, ["zip", "age", "sex"], "diagnosis", **asked)
    assert said in str(wrong.value)


def test_a_limit_on_sensitive_values_needs_them() -> None:
    for asked in ({"l_diversity": 2}, {"t_closeness": "1/2"}, {"guessed_below": "1/2"}):
        with pytest.raises(InvalidInput, match="need sensitive"):
            protect(PATIENTS, ["zip"], **asked)
    with pytest.raises(InvalidInput, match="both a quasi-identifier and sensitive"):
        protect(PATIENTS, ["zip"], "zip", at_least_k=2)


def test_a_hierarchy_comes_from_a_file(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("town,sex\nBern,F\nThun,F\nChur,F\nChur,M\nArosa,M\n,F\n,F\n", "utf-8")
    towns = tmp_path / "towns.csv"
    towns.write_text("Bern;west;*\nThun;west;*\nChur;east;*\nArosa;it's east;*\n", "utf-8")
    found = protect(
        people, ["town", "sex"], at_least_k=2, suppress="3/7", plans=5,
        recodings={"town": towns, "sex": []}, output=tmp_path / "safe.csv",
    )  # fmt: skip
    assert found.levels == (("town in 3 groups", "without town"), ())
    without = next(plan for plan in found.plans if plan.levels == (2, 0))
    assert (without.suppressed, without.risk.k, without.risk.classes) == (0, 2, 2)
    west = next(plan for plan in found.plans if plan.levels == (1, 0))
    assert (west.suppressed, west.risk.k) == (3, 2)
    towns.write_text("Bern;west\nThun\n", "utf-8")
    with pytest.raises(InvalidFile, match="a value in each line"):
        protect(people, ["town"], at_least_k=2, recodings={"town": towns})


def test_levels_that_nobody_gave_fit_what_a_column_holds(tmp_path: Path) -> None:
    rows = [
        f"80{i:02},{i},19{50 + i // 10}-0{1 + i % 3}-0{1 + i % 9},w{i},{i % 2},{i / 10}"
        for i in range(40)
    ]
    file = tmp_path / "all.csv"
    file.write_text("\n".join(["zip,age,born,word,flag,share", *rows, ",,,,,"]), "utf-8")
    columns = ["zip", "age", "born", "word", "flag", "share"]
    found = protect(file, columns, at_least_k=41)
    told = dict(zip(columns, found.levels, strict=True))
    assert told["zip"] == ("first 3 of zip", "first 2 of zip", "without zip")  # one is missing
    assert told["age"][:3] == ("age in bands of 2", "age in bands of 4", "age in bands of 8")
    assert told["born"] == ("first 7 of born", "first 4 of born", "without born")
    assert told["word"] == ("without word",)
    assert told["flag"] == ("without flag",)
    assert told["share"][0] == "share in bands of 0.2"
    assert found.best.risk.classes == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_protects_alike(engine: str, tmp_path: Path) -> None:
    people = ENGINES[engine](tmp_path)
    target = tmp_path / "safe.parquet"
    levels = {
        "town": [Change.prefix("town", 1), Change.drop("town")],
        "born": [Change.prefix("born", 4), Change.drop("born")],
        "age": [Change.bands("age", [18, 65]), Change.drop("age")],
    }
    found = protect(
        people, ["town", "born", "age"], "member", at_least_k=2, recodings=levels, plans=4,
        suppress="1/4", output=target, leave_out=["person", "share", "large"], population=80,
        statistics=[
            Statistic.count({"member": True}), Statistic.count({"town": "Bern", "member": False}),
            Statistic.mean("age"), Statistic.mean("price", {"born": "1999-12-31"}),
        ],
    )  # fmt: skip
    if engine != "csv":  # where a truth is the text True
        assert found.statistics[0] == ("rows with member = true", 4)
        assert found.statistics[1][1] == 1
    assert found.statistics[2][1] == pytest.approx((17 - 3 + 140 + 18 + 65 + 64 + 99) / 8)
    assert found.statistics[3][1] == pytest.approx((1.5 + 2.25 + 1.5 + 1.5) / 4)
    assert found.before.journalist == found_in_sample(1, 8, 80)
    assert found.best.risk.journalist == found_in_sample(found.best.risk.k, 8, 80)
    assert [plan.levels for plan in found.plans][:1] == [found.best.levels]
    assert (found.before.k, found.before.rows) == (1, 8)
    again = risk(target, ["town", "born", "age"], "member", combinations=0)
    assert again.exposure.smallest == found.best.risk.k >= 2
    text = duckdb.read_parquet(str(target)).fetchall()
    assert len(text) == 8 - found.best.suppressed
    assert CANARY not in repr(found)


def test_nothing_is_left_in_an_engine() -> None:
    engine = duckdb.connect()
    engine.execute("CREATE TABLE people AS SELECT range % 5 AS age, range AS id FROM range(20)")
    before = engine.sql("SELECT name FROM (SHOW ALL TABLES)").fetchall()
    found = protect(engine.table("people"), ["age"], at_least_k=5)
    assert found.best.risk.k >= 5
    assert engine.sql("SELECT name FROM (SHOW ALL TABLES)").fetchall() == before


def test_on_a_real_table_the_optimum_is_that_of_all_nodes() -> None:
    """20,190 rows, five quasi-identifiers: every node is grouped by polars, beside the search."""
    people = polars.read_csv(PATIENTS.with_name("health-insurance.csv"))
    columns = ["coinsurance", "deductible", "diseases", "limited", "health"]
    found = protect(people, columns, "visits", at_least_k=5)
    levels = []
    for column, words in zip(columns, found.levels, strict=True):
        widths = [float(word.rpartition(" of ")[2]) for word in words if "bands" in word]
        coarse = [(people[column] / width).floor().alias(column) for width in widths]
        levels.append([people[column], *coarse, polars.Series(column, [0] * len(people))])
    total, told = 0, []
    for shown in levels:
        counts = [series.value_counts()["count"].to_list() for series in shown]
        told.append([sum(n * bits(n, len(people)) for n in own) for own in counts])
        total += told[-1][0]
    best = None
    for node in product(*(range(len(shown)) for shown in levels)):
        chosen = polars.DataFrame([shown[at] for shown, at in zip(levels, node, strict=True)])
        if min(chosen.group_by(polars.all()).len()["len"]) >= 5:
            kept = sum(own[at] for own, at in zip(told, node, strict=True))
            best = max(best or 0, kept)
    assert best is not None
    assert found.best.loss.entropy == 1 - Fraction(best, total)
    assert found.nodes == math.prod(map(len, levels)) > found.looked


def test_a_column_that_only_odd_values_keep_from_being_coarser_says_so(tmp_path: Path) -> None:
    for odd, said in (
        (["nowhere"], "1 of its 21 values is no code of 4 letters and digits; mend it"),
        (["nowhere", "n/a"], "2 of its 22 values are no code of 4 letters and digits; mend them"),
        ([], None),
        ([f"t{'x' * n}" for n in range(12)], None),  # no form of which there are most
    ):
        rows = [*(str(8000 + i) for i in range(20)), *odd]
        (tmp_path / "t.csv").write_text("zip\n" + "".join(f"{v}\n" * 2 for v in rows))
        found = protect(tmp_path / "t.csv", "zip", at_least_k=3)
        assert (found.levels[0] == ("without zip",)) == bool(odd)
        assert not any(value in str(found.notes) for value in odd)
        if said is None:
            assert found.notes == ()
        else:
            assert found.notes == (
                f"zip can only be left out: {said}, or say what may be done to the column "
                "(recodings, --recode, --hierarchy)",
            )
