import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from leaktight.channels.gain import Loss
from leaktight.check import Refuted, check, digest
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.ratio import Ratio
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.policies.metric import Metric
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case import records
from leaktight.worst_case.columns import search
from leaktight.worst_case.optimum import worst_case_leakage
from leaktight.worst_case.published import leakage_bounds
from tests.second_routes.direct_program import best_by_definition
from tests.strategies.metrics import metrics

EPSILONS = st.sampled_from(["1/10", "7/10", "2"])
CORNER = Metric.euclidean([(0, 0), (3, 0), (0, 4)])


def similarities(metric: Metric, epsilon: float) -> Any:
    apart = [[float(metric.distance(a, b)[0]) for b in metric.values] for a in metric.values]
    return np.exp(-epsilon * np.array(apart))


@settings(max_examples=200, deadline=None)
@given(metrics(), EPSILONS)
def test_the_worst_case_is_that_of_the_direct_program(metric: Metric, epsilon: str) -> None:
    worst, rate = worst_case_leakage(metric, epsilon=epsilon), float(Fraction(epsilon))
    assert 0 <= worst.upper - worst.lower < Fraction(1, 10**11)
    near = best_by_definition(metric, rate, np.eye(metric.order))
    assert math.isclose(float(worst.upper), near, rel_tol=1e-7)
    channel: Any = worst.mechanism
    assert privacy_level(channel, metric).holds(epsilon=epsilon)
    assert min_capacity(channel).factor == worst.lower
    assert check(worst.certificate) == [(1, worst.lower, worst.upper)]


@settings(max_examples=60)
@given(metrics(), EPSILONS)
def test_it_is_the_magnitude_or_at_least_half_the_cover(metric: Metric, epsilon: str) -> None:
    """V = Σ w if the weighting is non-negative; s·C + 1 − s ≤ V ≤ C with s = 1/(1 + e^(−εδ))."""
    rate = float(Fraction(epsilon))
    worst, table = (
        float(worst_case_leakage(metric, epsilon=epsilon).upper),
        similarities(metric, rate),
    )
    weights = np.linalg.solve(table, np.ones(metric.order))
    if weights.min() >= 0:
        assert math.isclose(worst, weights.sum(), rel_tol=1e-9)
    cover: Any = linprog(np.ones(metric.order), A_ub=-table, b_ub=-np.ones(metric.order)).fun
    scale = 1 / (1 + math.exp(-rate * min(map(float, metric.lower))))
    assert (cover + 1) / 2 <= (scale * cover + 1 - scale) * (1 + 1e-12)
    assert scale * cover + 1 - scale <= worst * (1 + 1e-9)
    assert worst <= cover * (1 + 1e-9)


@settings(max_examples=30)
@given(metrics(), EPSILONS)
def test_the_bounds_of_the_papers_hold_for_metrics(metric: Metric, epsilon: str) -> None:
    worst = worst_case_leakage(metric, epsilon=epsilon)
    table = leakage_bounds(metric, epsilon=epsilon)
    assert all(worst.lower_factors <= bound.factors for bound in table.bounds)
    assert all(worst.bits <= bound.bits * (1 + 1e-9) for bound in table.bounds)  # both are rounded
    if metric.unit is None:
        apart, rate = -np.log(similarities(metric, 1.0)), float(Fraction(epsilon))
        ends = [math.exp(rate * pick(apart.max(axis=1))) for pick in (min, max)]
        found = [float(bound.value) for bound in table.bounds]
        assert np.allclose(sorted(found), sorted([metric.order, *ends]), rtol=1e-9)


def test_graphs_have_their_own_numbers() -> None:
    tree = SecretGraph.from_edges(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    worst = worst_case_leakage(Metric.of(tree), ratio=2)
    assert (worst.upper, worst.is_exact) == (Fraction(7, 3), True)
    assert worst.certificate == worst_case_leakage(tree, ratio=2).certificate
    assert worst_case_leakage(Metric.of(tree, length="1/2"), ratio=4).upper == Fraction(7, 3)


def test_a_weighted_tree_has_the_sum_of_its_tanh() -> None:
    """V = 1 + Σ tanh(ε·l/2) if Σ 1/(1 + e^(−ε·l)) ≥ k − 1 at every vertex of degree k."""
    edges = [("a", "b", 2.0), ("b", "c", 2.5), ("b", "d", 3.0), ("d", "e", 1.0)]
    tree = Metric.from_edges(list("abcde"), edges)
    for _, near in (("b", (2, 2.5, 3)), ("d", (3, 1))):
        assert sum(1 / (1 + math.exp(-length)) for length in near) >= len(near) - 1
    expected = 1 + sum(math.tanh(length / 2) for _, _, length in edges)
    assert math.isclose(float(worst_case_leakage(tree, epsilon=1).upper), expected, rel_tol=1e-12)


def test_it_may_fall_when_values_are_added() -> None:
    leaves = worst_case_leakage(Metric.of(SecretGraph.complete(100), length=2), ratio=3)
    assert leaves.upper == Fraction(25, 3)
    star = Metric.from_edges(101, [(0, leaf, 1) for leaf in range(1, 101)])
    assert worst_case_leakage(star, ratio=3).upper <= 3


@pytest.mark.parametrize("epsilon", ["1e-30", "1e-6", "50", "0"])
def test_the_ends_of_epsilon(epsilon: str) -> None:
    far = Metric.euclidean([(0, 0), (1, 0), (0, 1), (5, 7), (100, 3)])
    worst = worst_case_leakage(far, epsilon=epsilon)
    channel: Any = worst.mechanism
    assert privacy_level(channel, far).holds(epsilon=epsilon)
    assert 1 <= worst.lower <= worst.upper <= 5
    assert worst.upper - worst.lower < Fraction(1, 10**12)
    check(worst.certificate)


def test_what_is_too_far_apart_is_refused() -> None:
    with pytest.raises(
        InvalidNumber, match=r"ε times a distance may be at most 10,000, got 2e\+09"
    ):
        worst_case_leakage(Metric.from_edges(3, [(0, 1, 1), (1, 2, 10**9)]), epsilon=2)


def test_components_add() -> None:
    pairs = Metric.from_edges(5, [(0, 1, 1), (2, 3, "3/2")])
    worst = worst_case_leakage(pairs, epsilon=1)
    expected = 2 / (1 + math.exp(-1)) + 2 / (1 + math.exp(-1.5)) + 1
    assert math.isclose(float(worst.upper), expected, rel_tol=1e-12)
    check(worst.certificate)
    assert "components" in worst.route


def test_a_changed_certificate_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    worst = worst_case_leakage(CORNER, epsilon=1)
    proof = worst.certificate
    assert digest(proof) == worst.digest != worst_case_leakage(CORNER.graph, epsilon=1).digest
    piece = proof["pieces"][0]
    covered = piece | {"parts": [{"vertices": [0, 1, 2], "cover": ["1", "1", "1"]}], "upper": "3"}
    with pytest.raises(Refuted, match="a cover needs edges of one length"):
        check(proof | {"pieces": [covered]})
    price = [str(Fraction(piece["parts"][0]["prices"][0]) - Fraction(1, 2**40))]
    part = piece["parts"][0] | {"prices": price + piece["parts"][0]["prices"][1:]}
    with pytest.raises(Refuted, match="proves too little"):
        check(proof | {"pieces": [piece | {"parts": [part]}]})
    monkeypatch.setattr(records, "MOST_VALUES", 2)
    with pytest.raises(TooLarge, match="at most 2 values, got 3"):
        worst_case_leakage(CORNER, epsilon=1)


POINTS = [
    (round(2 * math.sin(k * k) ** 2, 3), round(2 * math.cos(3 * k) ** 2, 3)) for k in range(30)
]
"""Points of a square whose side is 2, no two of which are the same."""


def test_a_value_far_from_all_others_adds_one() -> None:
    near = worst_case_leakage(Metric.euclidean(POINTS[:12]), epsilon=1)
    far = worst_case_leakage(Metric.euclidean([(900, 900), *POINTS[:12]]), epsilon=1)
    assert far.lower <= far.upper <= far.lower * (1 + Fraction(1, 10**9))
    assert near.lower + 1 <= far.upper
    assert far.lower <= near.upper + 1
    check(far.certificate)


def test_groups_that_are_far_apart_are_joined_by_a_private_mechanism() -> None:
    far = [(1000 + x, y) for x, y in POINTS[:5]]
    metric = Metric.euclidean([*POINTS[5:10], *far, (500, 0)])
    loss = Loss.by_distance(metric.values, lambda a, b: math.dist(a, b))
    best = optimal_mechanism(metric, None, loss, epsilon=1)
    assert best.gap < 1e-9
    assert privacy_level(best.channel, metric).holds(Ratio.of(epsilon=1))


def test_many_near_values_are_settled_in_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_ROUNDS", 60)
    found = worst_case_leakage(Metric.euclidean(POINTS), epsilon="1/16")
    assert found.lower <= found.upper <= found.lower * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("seed", [2, 4])
def test_a_far_place_takes_no_more_rounds_than_the_others(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Columns cheaper by rounding alone were added until 500 rounds were over: 10 to 40 s."""
    drawn, rounds = random.Random(seed), list[str]()
    monkeypatch.setattr(search, "tell", rounds.append)  # of each round
    near = [(round(drawn.random(), 3), round(drawn.random(), 3)) for _ in range(30)]
    metric = Metric.euclidean([*near, (200, 50)])
    loss = Loss.by_distance(metric.values, lambda a, b: math.dist(a, b))
    best = optimal_mechanism(metric, None, loss, epsilon="1/8")
    assert 0 < len(rounds) < 40
    assert best.gap < 1e-9
    assert privacy_level(best.channel, metric).holds(Ratio.of(epsilon="1/8"))
