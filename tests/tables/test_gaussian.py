"""Gaussian noise and budgets in ρ: against enumeration of all neighbours, and exact sums."""

import os
import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from leaktight import Policy, SecretGraph
from leaktight.curves import PrivacyCurve
from leaktight.errors import InvalidFile, InvalidInput, InvalidNumber, InvalidPolicy, OverBudget
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.labels import Labels
from leaktight.policies.constraint import count
from leaktight.tables import (
    Budget,
    Ledger,
    TableQuery,
    count_of,
    cumulative,
    histogram,
    release,
    statement,
    sum_of,
)
from leaktight.tables.calibration import GaussianWithin, Noise, calibrated
from leaktight.tables.measure import CONCENTRATED, epsilon_above, rho_below
from leaktight.tables.noise import GaussianVariance, GeometricStep
from leaktight.tables.odds import odds
from leaktight.tables.privacy_unit import PrivacyUnit
from tests.tables.workers import QUESTION

POLICIES = int(os.environ.get("LEAKTIGHT_POLICIES", "60"))
"""How many random policies are enumerated."""


def questions(rng: random.Random, values: Labels) -> list[TableQuery]:
    """One to three queries of any kinds."""
    some = rng.sample(values, rng.randint(1, len(values)))
    options = [
        histogram("plain", ordered=False, share=rng.randint(1, 3)),
        histogram("ordered", ordered=True),
        histogram("cells", groups={"a": some}),
        cumulative("up to", share=rng.randint(1, 3)),
        count_of("some", some),
        sum_of("total", {v: rng.randint(-2, 5) for v in values}, share=rng.randint(1, 3)),
    ]
    return rng.sample(options, rng.randint(1, 3))


def secrets_of(rng: random.Random) -> SecretGraph:
    order = rng.randint(2, 4)
    pairs = [(u, v) for u in range(order) for v in range(u) if rng.random() < 0.7]
    return SecretGraph(range(order), pairs or [(0, 1)])


def answers(noise: Noise, database: tuple[Any, ...]) -> list[list[int]]:
    """The true numbers of each block."""
    values = noise.protection.values
    counts = np.array([sum(v == each for v in database) for each in values])
    return [block.weights.answers(counts) for block in noise.blocks]


def losses(noise: Noise, one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Fraction, Fraction]:
    """ρ and the ratio of two databases, number by number, from the noise of each."""
    rho, ratio = Fraction(0), Fraction(1)
    for block, a, b in zip(noise.blocks, answers(noise, one), answers(noise, other), strict=True):
        for own, x, y in zip(noise.of(block), a, b, strict=True):
            assert own is not None or x == y, "no noise where neighbours differ"
            if isinstance(own, GaussianVariance):
                rho += (x - y) ** 2 / (2 * own.sigma2)
            elif isinstance(own, GeometricStep):
                ratio *= own.step ** abs(x - y)
    return rho, ratio


def neighbours(policy: Policy) -> list[tuple[Any, Any]]:
    """All pairs of databases that are neighbours, by definition."""
    graph = policy.adjacency()
    listed = [d if policy.records > 1 else (d,) for d in graph.vertices]
    return [(listed[i], listed[j]) for i, j in graph.edges.tolist()]


@pytest.mark.parametrize("seed", range(POLICIES))
def test_the_stated_loss_is_that_of_the_worst_neighbours(seed: int) -> None:
    """Without public counts it is attained; with them it is never below, for either noise."""
    rng = random.Random(seed)
    secrets, records = secrets_of(rng), rng.randint(1, 3)
    constraints = []
    if rng.random() < 0.5:
        some = rng.sample(secrets.vertices, rng.randint(1, secrets.order - 1))
        constraints = [count(some, equals=rng.randint(0, records))]
    try:
        policy = Policy(secrets, records, constraints=constraints)
    except InvalidPolicy:  # no database has these counts
        return
    asked = questions(rng, secrets.vertices)
    limit = Fraction(rng.randint(1, 40), 8)
    protection, pairs = PrivacyUnit(policy), neighbours(policy)
    gaussian = calibrated(protection, asked, GaussianWithin(limit))
    worst = max((losses(gaussian, a, b)[0] for a, b in pairs), default=Fraction(0))
    assert worst <= gaussian.rho <= limit
    geometric = calibrated(protection, asked, Ratio.of(1 + limit))
    ratio = max((losses(geometric, a, b)[1] for a, b in pairs), default=Fraction(1))
    assert ratio <= geometric.level.value <= 1 + limit
    if not constraints:
        assert worst == gaussian.rho
        assert ratio == geometric.level.value
        if worst:
            assert worst == limit  # it is used up


@pytest.mark.parametrize("seed", range(POLICIES))
def test_geometric_noise_costs_the_divergence_of_what_is_seen(seed: int) -> None:
    """ρ is the divergence of Kullback and Leibler, summed up over outputs: never less is stated."""
    rng = random.Random(1000 + seed)
    secrets = secrets_of(rng)
    rows = rng.randint(1, 2)
    protection = PrivacyUnit(Policy(secrets, rows), None, rows)
    asked = questions(rng, secrets.vertices)
    noise = calibrated(protection, asked, Ratio.of(Fraction(rng.choice([3, 8, 100]), 2)))
    charges = list(CONCENTRATED.charges(protection, noise.paid))
    stated = [
        sum((float(CONCENTRATED.total(terms)) * int(e[i]) for terms, e in charges), 0.0)
        for i in range(len(protection.pairs))
    ]
    found = list[float]()
    for u, v in protection.pairs.tolist():
        one, other = ((secrets.vertices[x],) * rows for x in (u, v))
        total = 0.0
        for block, a, b in zip(
            noise.blocks, answers(noise, one), answers(noise, other), strict=True
        ):
            for own, x, y in zip(noise.of(block), a, b, strict=True):
                if isinstance(own, GeometricStep):
                    total += divergence(float(own.step), abs(x - y))
        found.append(total)
    for most, truth in zip(stated, found, strict=True):
        assert truth <= most * (1 + 1e-9)
        assert most <= truth * (1 + 2e-6) + 1e-12
    assert float(noise.rho) == pytest.approx(max(stated, default=0))


def divergence(step: float, shift: int) -> float:
    """Σ p(k)·ln(p(k)/p(k − shift)), added up."""
    far = 60 + int(60 / np.log(step))
    k = np.arange(-far, far + 1)
    chance = (1 - 1 / step) / (1 + 1 / step) * step ** -np.abs(k).astype(float)
    return float((chance * np.log(step) * (np.abs(k - shift) - np.abs(k))).sum())


def test_a_person_with_several_rows_pays_the_square(tmp_path: Path) -> None:
    """Rows that move along different pairs never lose more than what is stated."""
    secrets = SecretGraph.line(3)
    protection = PrivacyUnit(Policy(secrets, 2), None, 2)
    noise = calibrated(
        protection, [sum_of("s"), histogram("h", ordered=False)], GaussianWithin(Fraction(1))
    )
    joined = {(u, v) for u, v in product(range(3), repeat=2) if abs(u - v) <= 1}
    worst = max(
        losses(noise, one, other)[0]
        for one, other in product(product(range(3), repeat=2), repeat=2)
        if set(zip(one, other, strict=True)) <= joined
    )
    assert worst == noise.rho == 1
    single = calibrated(PrivacyUnit(Policy(secrets, 2)), [sum_of("s")], GaussianWithin(Fraction(1)))
    double = calibrated(protection, [sum_of("s")], GaussianWithin(Fraction(1)))
    one, two = single.noises[0], double.noises[0]
    assert isinstance(one, GaussianVariance)
    assert isinstance(two, GaussianVariance)
    assert two.sigma2 == 4 * one.sigma2


def test_gaussian_noise_wins_where_one_person_changes_many_numbers() -> None:
    ages = Policy(SecretGraph.complete(20), 1000)
    asked = [cumulative("up to")]
    geometric = calibrated(PrivacyUnit(ages), asked, Ratio.of(epsilon=1))
    gaussian = calibrated(PrivacyUnit(ages), asked, GaussianWithin(geometric.rho))
    assert gaussian.rho == geometric.rho
    one, other = gaussian.noises[0], geometric.noises[0]
    assert one is not None
    assert other is not None
    assert one.variance < other.variance
    assert gaussian.noises[0] == GaussianVariance(Fraction(19) / (2 * geometric.rho))


# --- budgets -------------------------------------------------------------------------------

PEOPLE = Policy(SecretGraph.complete(["a", "b", "c"]), records=60)
TABLE = polars.DataFrame({"value": ["a"] * 10 + ["b"] * 20 + ["c"] * 30})


def gaussian(rho: str, policy: Policy = PEOPLE) -> Noise:
    return calibrated(
        PrivacyUnit(policy), [histogram("h", ordered=False)], GaussianWithin(Fraction(rho))
    )


def test_a_budget_in_rho_ends_exactly(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l", PEOPLE, rho="1/2")
    how: dict[str, Any] = {"ledger": tmp_path / "l", "columns": "value", "noise": "gaussian"}
    for month in range(12):
        done = release(TABLE, PEOPLE, [histogram("h")], name=f"{month}", rho="1/24", **how)
    assert done.noise.noises == (GaussianVariance(Fraction(24)),)
    assert ledger.spent().largest == Fraction(1, 2)
    with pytest.raises(
        OverBudget, match=r"ρ ≤ 0.54166[67], and the budget .* is ρ = 1/2, of which ρ = 0 is left"
    ):
        release(TABLE, PEOPLE, [histogram("h")], name="13", rho="1/24", **how)
    with pytest.raises(OverBudget):
        release(TABLE, PEOPLE, [histogram("h")], name="13", rho=Fraction(1, 10**9), **how)
    again = release(TABLE, PEOPLE, [histogram("h")], name="3", rho="1/24", **how)
    assert not again.is_new
    told = statement(Ledger.open(tmp_path / "l"))
    [pair] = told.pairs
    assert (pair.lost, pair.rho, pair.ratio, pair.left) == (Fraction(1, 2), Fraction(1, 2), None, 0)
    assert "no ε; ε ≤ " in str(told)


def test_in_an_epsilon_ledger_gaussian_noise_is_refused(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l", PEOPLE, epsilon=1)
    with pytest.raises(InvalidInput, match=r"is in ε.*geometric.*budget in rho"):
        ledger.spend("one", QUESTION, gaussian("1/8").paid)
    assert ledger.entries() == ()


def test_noises_mix_in_a_ledger_of_rho(tmp_path: Path) -> None:
    """Geometric noise of a histogram: two numbers with ln 2·tanh(ln 2/2) = ln 2/3 each."""
    ledger = Ledger.create(tmp_path / "l", PEOPLE, rho=1)
    ledger.spend("one", QUESTION, gaussian("1/4").paid)
    geometric = calibrated(PrivacyUnit(PEOPLE), [histogram("h", ordered=False)], Ratio.of(4))
    ledger.spend("two", QUESTION, geometric.paid)
    expected = Fraction(1, 4) + geometric.rho
    assert float(geometric.rho) == pytest.approx(2 * np.log(2) / 3)
    assert ledger.spent().largest == expected
    with pytest.raises(OverBudget):
        ledger.spend("three", QUESTION, gaussian("1/3").paid)
    rest = 1 - expected
    ledger.spend("three", QUESTION, gaussian(str(rest)).paid)
    assert ledger.spent().largest == 1
    told = statement(ledger)
    assert told.pairs[0].ratio is None
    assert told.to_dict()["pairs"][0]["rho"] == "1"


def test_pairs_pay_for_what_tells_them_apart(tmp_path: Path) -> None:
    parts = Policy(SecretGraph.partition([["a", "b"], ["c", "d"]]), records=9)
    ledger = Ledger.create(tmp_path / "l", parts, rho="1/2")
    for name, cell in (("one", "a"), ("two", "c")):
        made = calibrated(
            PrivacyUnit(parts), [count_of("n", [cell])], GaussianWithin(Fraction(1, 2))
        )
        ledger.spend(name, QUESTION, made.paid)
    spent = ledger.spent()
    assert [spent.lost(i) for i in range(2)] == [Fraction(1, 2)] * 2
    own = [histogram("h", groups={1: "ab", 2: "cd"}, ordered=False)]
    exact = calibrated(PrivacyUnit(parts), own, GaussianWithin(Fraction(1)))
    assert exact.of(exact.blocks[0]) == [None, None]
    ledger.spend("parts", QUESTION, exact.paid)  # costs nothing
    with pytest.raises(OverBudget):
        ledger.spend("more", QUESTION, gaussian("1/99", parts).paid)


@pytest.mark.parametrize("kept", [10**6, 1])
def test_the_total_is_what_the_entries_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    """Both noises, sums of many sizes, the same and other weights; with and without the total."""
    import sqlite3
    from contextlib import closing

    monkeypatch.setattr("leaktight.tables.ledger.ledger.MOST_NUMBERS", kept)
    line = Policy(SecretGraph.line(6), 10)
    ledger, protection = Ledger.create(tmp_path / "l", line, rho=10**9), PrivacyUnit(line)
    asked: list[tuple[list[TableQuery], Any]] = [
        ([cumulative("c")], GaussianWithin(Fraction(1, 3))),
        ([sum_of("s", {v: v * v for v in range(6)}), cumulative("c")], Ratio.of(3)),
        ([sum_of("s", {v: v * v for v in range(6)}), cumulative("c")], GaussianWithin(Fraction(2))),
        ([cumulative("c")], GaussianWithin(Fraction(1, 7))),
        ([cumulative("c")], Ratio.of("11/10")),
        ([cumulative("c")], GaussianWithin(Fraction(1, 3))),
    ]
    expected = [Fraction(0)] * 5
    for i, (queries, allowed) in enumerate(asked):
        made = calibrated(protection, queries, allowed)
        ledger.spend(str(i), QUESTION, made.paid)
        for terms, times in CONCENTRATED.charges(protection, made.paid):
            each = CONCENTRATED.total(terms)
            expected = [a + each * int(e) for a, e in zip(expected, times, strict=True)]
    for _ in range(2):
        spent = Ledger.open(tmp_path / "l").spent()
        assert [spent.lost(i) for i in range(5)] == expected
        assert spent.largest == max(expected)
        with closing(sqlite3.connect(ledger.path)) as file, file:
            file.execute("DELETE FROM total")
    whole = max(expected)
    for limit in (whole, whole - Fraction(1, 10**40)):
        assert spent.within(Budget.of(rho=limit)) == (limit == whole)


def test_under_public_counts_and_with_people_who_change_there_is_one_account(
    tmp_path: Path,
) -> None:
    public = Policy(SecretGraph.complete(range(3)), 9, constraints=[count([0], equals=3)])
    changing = Policy(SecretGraph.add_remove(range(3)), records=9)
    for name, policy, people in (("public", public, None), ("changing", changing, "change")):
        ledger = Ledger.create(tmp_path / name, policy, rho=9, people=people)
        asked = [histogram("h", ordered=False), sum_of("s", {1: 2, 2: 5})]
        expected = Fraction(0)
        allowances: list[Any] = [GaussianWithin(Fraction(1)), Ratio.of(3), Ratio.of(3)]
        for i, allowed in enumerate(allowances):
            made = calibrated(ledger.protection, asked, allowed)
            ledger.spend(str(i), QUESTION, made.paid)
            expected += made.rho
        spent = Ledger.open(tmp_path / name).spent()
        assert spent.pairs == 1
        assert spent.largest == expected
        assert ledger.spent(CONCENTRATED).largest == expected
        assert statement(ledger).odds is None
        assert "not told" in str(statement(ledger))


@pytest.mark.parametrize("sigma2", [Fraction(1, 2), Fraction(3), Fraction(40)])
@pytest.mark.parametrize("prior", [None, {"a": "1/2", "b": "1/3", "c": "1/6"}])
def test_no_guess_is_right_more_often_than_is_told(sigma2: Fraction, prior: Any) -> None:
    """The best guess from the noisy number itself, over all outcomes, in floats."""
    policy = Policy(SecretGraph.complete(["a", "b", "c"]), records=5)
    weights = {"a": 0, "b": 1, "c": 3}
    noise = calibrated(
        PrivacyUnit(policy), [sum_of("s", weights)], GaussianWithin(9 / (2 * sigma2))
    )
    assert noise.noises == (GaussianVariance(sigma2),)
    for times in (1, 3):
        found = odds(noise.protection, times * [noise.paid], prior)
        assert found is not None
        assert found.on_average
        belief = np.array([float(Fraction((prior or {}).get(v, "1/3"))) for v in "abc"])
        k = np.arange(-60, 64)
        chance = np.exp(-((k[None, :] - np.array([[0], [1], [3]])) ** 2) / (2 * float(sigma2)))
        chance = chance / chance.sum(axis=1, keepdims=True)
        if times == 1:
            truth = (belief[:, None] * chance).max(axis=0).sum()
            assert float(found.before) < truth <= float(found.after)
        assert "on average over what may come out" in str(found)
    rows = PrivacyUnit(policy, None, 2)
    assert odds(rows, [noise.paid]) is None
    parts = Policy(SecretGraph.partition([["a", "b"], ["c"]]), records=5)
    exact = [count_of("n", ["c"]), count_of("m", ["a"])]
    bare = calibrated(PrivacyUnit(parts), exact, GaussianWithin(Fraction(1)))
    told = odds(bare.protection, [bare.paid])
    assert told is not None
    assert told.after == 1  # the count of c has no noise


def test_a_series_of_the_same_question_is_a_series(tmp_path: Path) -> None:
    """Where people change, values may change with them: of two releases no odds are told."""
    policy = Policy(SecretGraph.add_remove(["a", "b"]), records=9)
    protection = PrivacyUnit(policy, people="change")
    for allowed in (GaussianWithin(Fraction(1, 8)), Ratio.of(2)):
        made = calibrated(protection, [histogram("h", ordered=False)], allowed)
        ledger = Ledger.create(tmp_path / str(bool(made.paid.rhos)), policy, rho=9, people="change")
        ledger.spend("one", QUESTION, made.paid)
        assert statement(ledger).odds is not None
        ledger.spend("two", QUESTION, made.paid)
        assert statement(ledger).odds is None


def test_an_epsilon_and_a_delta_are_kept_by_rho(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "l", PEOPLE, epsilon=3, delta="1e-6")
    rho = ledger.budget.rho
    assert rho is not None
    assert PrivacyCurve.zcdp(rho).delta(3).lower <= Fraction(1, 10**6)
    assert PrivacyCurve.zcdp(rho * Fraction(1001, 1000)).delta(3).lower > Fraction(1, 10**6)
    assert Ledger.open(tmp_path / "l").budget == ledger.budget
    ledger.spend("one", QUESTION, gaussian(str(rho)).paid)
    with pytest.raises(OverBudget, match="ε = 3, δ = 1/1000000, by ρ ≤"):
        ledger.spend("two", QUESTION, gaussian("1e-9").paid)


@pytest.mark.parametrize("rho", ["1e-6", "0.01", "0.13", "2", "50"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "0.1"])
def test_what_a_rho_means_is_proved_by_its_curve(rho: str, delta: str) -> None:
    found = epsilon_above(Fraction(rho), Fraction(delta))
    curve = PrivacyCurve.zcdp(rho).delta(Fraction(found))  # enclosed by other means, to 1e-4
    assert curve.lower <= Fraction(delta)
    assert curve.upper <= Fraction(delta) * Fraction(10001, 10000)
    if 0.01 <= float(rho) <= 2 and delta == "1e-6":  # where it is used, it is hardly more
        assert curve.lower >= Fraction(delta) * Fraction(999, 1000)
    assert rho_below(Fraction(found), Fraction(delta)) <= Fraction(rho) * Fraction(1000001, 1000000)


def test_budgets_are_written_and_read_again() -> None:
    for budget in (Budget.of(rho="1/3"), Budget.of(epsilon=3, delta="1e-6")):
        assert Budget.read(str(budget)) == budget
        assert "=" in str(budget)  # which an earlier version cannot read as an ε
    for wrong in (
        {"rho": 0},
        {"rho": 1, "epsilon": 1},
        {"delta": "0.1"},
        {"epsilon": 1, "delta": 1},
    ):
        with pytest.raises(InvalidNumber):
            Budget.of(**wrong)


def test_what_is_asked_of_either_noise_is_said(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "l", PEOPLE, rho=1)
    how: dict[str, Any] = {"ledger": tmp_path / "l", "columns": "value", "name": "a"}
    for given, said in (
        ({"noise": "gaussian", "epsilon": 1}, "no ε alone: give rho"),
        ({"rho": 1}, 'rho and delta are for noise = "gaussian"'),
        ({"noise": "laplace", "epsilon": 1}, "geometric or gaussian"),
    ):
        with pytest.raises(InvalidInput, match=said):
            release(TABLE, PEOPLE, [histogram("h")], **how, **given)


def test_a_gaussian_entry_that_was_changed_is_found(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    ledger = Ledger.create(tmp_path / "l", PEOPLE, rho=1)
    ledger.spend("one", QUESTION, gaussian("1/4").paid)
    for change in ("step = 'gaussian, rho 1/999'", "step = '1'", "exponent = 1", "blocks = '[]'"):
        copy = tmp_path / f"copy {change[:6]} {len(change)}"
        copy.write_bytes((tmp_path / "l").read_bytes())
        with closing(sqlite3.connect(copy)) as file, file:
            file.execute(f"UPDATE entry SET {change}")
        with pytest.raises(InvalidFile, match="changed at its entry 1"):
            Ledger.open(copy)


def test_large_weights_are_refused_and_never_overflow() -> None:
    secrets = SecretGraph.complete(["a", "b"])
    large = [sum_of("s", {"a": 2**31 - 1})]
    with pytest.raises(InvalidNumber, match="larger unit"):
        calibrated(PrivacyUnit(Policy(secrets, 3)), large, GaussianWithin(Fraction(1)))
    many = PrivacyUnit(Policy(secrets, 3), None, 10**6)
    with pytest.raises(InvalidNumber, match="larger unit"):
        calibrated(many, [sum_of("s", {"a": 2**19})], GaussianWithin(Fraction(1)))
    made = calibrated(PrivacyUnit(Policy(secrets, 3)), large, Ratio.of(4))
    assert 0 < made.rho < Fraction(1)
    assert isinstance(made.cost, Powers)
