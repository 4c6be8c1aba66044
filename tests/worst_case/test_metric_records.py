"""Many records whose values have distances: known to within one bit, proved, and drawn."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.check import Refuted, Unreadable, check, digest
from leaktight.errors import InvalidGraph, InvalidPolicy
from leaktight.exact.ratio import Ratio
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.calibrated import calibrated
from leaktight.mechanisms.release import sample
from leaktight.policies.constraint import count
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import best_cover, best_metric_cover
from leaktight.worst_case.optimum import WorstCase, worst_case_leakage
from leaktight.worst_case.published import leakage_bounds
from leaktight.worst_case.together import Together
from tests.strategies.metrics import metrics

FORK = Metric.from_edges(5, [(0, 1, 1), (0, 3, "9/10"), (0, 4, 1), (1, 2, "11/10")])
"""Here prices are negative: no cover proves the worst case of one record."""


def squared(metric: Metric) -> Metric:
    """Two records, written out."""
    lengths = list(zip(metric.graph.edge_pairs(), metric.lower, strict=True))
    edges = [((a, c), (b, c), d) for (a, b), d in lengths for c in metric.values]
    edges += [((c, a), (c, b), d) for (a, b), d in lengths for c in metric.values]
    return Metric.from_edges(list(product(metric.values, repeat=2)), edges)


def many(records: int, epsilon: str = "3/10") -> WorstCase:
    found = worst_case_leakage(Policy(FORK, records), epsilon=epsilon)
    assert isinstance(found, WorstCase)
    return found


@settings(max_examples=25, deadline=None)
@given(metrics(most=4), st.sampled_from(["1/10", "7/10", "2"]))
def test_the_interval_of_two_records_holds_what_all_databases_have(
    metric: Metric, epsilon: str
) -> None:
    found = worst_case_leakage(Policy(metric, 2), epsilon=epsilon)
    assert found.lower <= found.upper
    if all(low == high for low, high in zip(metric.lower, metric.upper, strict=True)):
        listed = worst_case_leakage(squared(metric), epsilon=epsilon)
        assert found.lower <= listed.upper
        assert listed.lower <= found.upper
    s = 1 / (1 + math.exp(-float(Fraction(epsilon)) * min(map(float, metric.lower))))
    alone = float(worst_case_leakage(metric, epsilon=epsilon).upper)
    assert float(found.lower) >= max(alone**2, s * alone**2 + 1 - s) * (1 - 1e-9)
    assert check(found.certificate)


@pytest.mark.parametrize("epsilon", ["1/10", "3/10", "1/2"])
def test_answers_together_are_private_and_attain_what_is_claimed(epsilon: str) -> None:
    found = many(10**6, epsilon)
    assert found.together is not None
    low, high = found.bits_interval
    assert 0 < high - low < 1
    two = worst_case_leakage(squared(FORK), epsilon=epsilon)
    packing = found.together.packings[0]
    pair = Together.of((replace(packing, records=2),))
    channel = pair.mechanism.expand()
    assert privacy_level(channel, squared(FORK)).holds(epsilon=epsilon)
    assert pair.factors.value <= Fraction(min_capacity(channel).factor) <= two.upper
    assert len(sample(found.mechanism, [0] * 10**6)) == 10**6


def test_the_cover_of_a_metric_is_that_of_the_graph_where_lengths_are_one() -> None:
    tree = SecretGraph.from_edges(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    found = best_metric_cover(Metric.of(tree), Ratio.of(2))
    cover, _ = best_cover(tree, Fraction(2))
    assert math.isclose(float(found.prices.sum()), float(cover.bound), rel_tol=1e-9)
    assert math.isclose(float(found.value), 12 / 5, rel_tol=1e-9)


@pytest.mark.parametrize("records", [3, 60, 10**6])
def test_a_changed_digit_is_refused(records: int) -> None:
    found = many(records)
    proof = json.dumps(found.certificate)
    assert check(json.loads(proof))
    assert digest(found.certificate) == found.digest
    tiny = Fraction(1, 10**9)
    paths: list[tuple[tuple[Any, ...], Fraction]] = [
        (("pieces", 0, "parts", 0, "prices", 0), -tiny),
        (("pieces", 0, "once", "parts", 0, "prices", 0), -tiny),
        (("pieces", 0, "upper"), -tiny),
    ]
    if found.together is not None:
        paths += [
            (("kept",), tiny),
            (("share",), tiny),
            (("pieces", 0, "packing", 0, 0), tiny),
            (("pieces", 0, "packing", 0, 1), Fraction(-1)),
        ]
    for path, more in paths:
        changed: Any = json.loads(proof)
        at = changed
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = str(Fraction(at[path[-1]]) + more)
        with pytest.raises((Refuted, Unreadable)):
            check(changed)
    changed = json.loads(proof)
    piece = changed["pieces"][0]
    piece |= piece.pop("once")  # negative prices for all records
    with pytest.raises(Refuted, match="only one record may have a negative price"):
        check(changed)


@pytest.mark.parametrize("ratio", ["4", "9/4", "64"])
def test_powers_that_are_rational_are_proved(ratio: str) -> None:
    # 4^(1/2) = 2 and 64^(2/3) = 16: no rounding separates the ratio from the power.
    metric = Metric.from_edges(3, [(0, 1, "1/2"), (1, 2, "2/3")])
    for records in (1, 3):
        found = worst_case_leakage(Policy(metric, records), ratio=ratio)
        assert check(found.certificate)
    proof = json.loads(json.dumps(worst_case_leakage(metric, ratio=ratio).certificate))
    below, above = proof["pieces"][0]["ratios"][0]
    assert Fraction(below) == Fraction(above) == Fraction(ratio) ** Fraction(1, 2)
    for changed in ([str(Fraction(below) + Fraction(1, 10**70)), above],
                    [below, str(Fraction(above) - Fraction(1, 10**70))]):  # fmt: skip
        proof["pieces"][0]["ratios"][0] = changed
        with pytest.raises(Refuted, match="a ratio is"):
            check(proof)


def test_lengths_of_one_unit_are_the_graph_at_another_ratio() -> None:
    line = SecretGraph.line(4)
    halves = worst_case_leakage(Policy(Metric.of(line, "1/2"), 100), ratio=4)
    assert halves.upper_factors == worst_case_leakage(Policy(line, 100), ratio=2).upper_factors
    bounds = [leakage_bounds(Policy(m, 3), ratio=r).tightest.value
              for m, r in ((Metric.of(line, "1/2"), 4), (line, 2))]  # fmt: skip
    assert bounds[0] == bounds[1]
    assert Policy(Metric.of(line)) == Policy(line)


@settings(max_examples=20, deadline=None)
@given(metrics(most=4), st.integers(2, 4))
def test_published_bounds_of_several_records_are_not_below_what_is_attained(
    metric: Metric, records: int
) -> None:
    policy = Policy(metric, records)
    worst = worst_case_leakage(policy, epsilon="1/2")
    for bound in leakage_bounds(policy, epsilon="1/2").bounds:
        assert worst.lower_factors <= bound.factors


def test_where_a_metric_does_not_fit_one_line_says_so() -> None:
    policy = Policy(FORK, 3)
    assert repr(policy) == "Policy(5 values, 4 secret pairs with distances, 3 records)"
    with pytest.raises(InvalidPolicy, match="for a metric nothing may be public"):
        Policy(FORK, 3, constraints=[count([0], equals=1)])
    with pytest.raises(InvalidPolicy, match="3 records; give the metric of one"):
        optimal_mechanism(policy, epsilon=1)
    for refused in (policy.adjacency, lambda: calibrated(policy, epsilon=1)):
        with pytest.raises(InvalidGraph, match="by edges that count alike"):
            refused()
