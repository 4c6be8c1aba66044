"""Plans: expected errors as they are by adding them up, and the better way is taken."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph
from leaktight.exact.ratio import Ratio
from leaktight.tables import cumulative, hierarchy, histogram, plan, sum_of
from leaktight.tables.calibration import allowance, calibrated
from leaktight.tables.noise import GeometricStep
from leaktight.tables.plan import other_noise
from leaktight.tables.privacy_unit import PrivacyUnit
from tests.strategies.graphs import secret_graphs


def test_the_noise_has_the_variance_that_is_planned_with() -> None:
    c = 1 / Fraction(3, 2)
    added = sum((1 - c) / (1 + c) * c ** abs(k) * k**2 for k in range(-200, 201))
    assert float(added) == pytest.approx(float(GeometricStep(Fraction(3, 2)).variance), rel=1e-12)


@given(secret_graphs(least=2, most=6), st.sampled_from(["plain histogram", "ordered histogram"]))
def test_the_expected_error_of_a_run_is_the_average_over_all_runs(
    secrets: SecretGraph, kind: str
) -> None:
    """The noise of each run is a sum over noisy numbers; errors of independent noises add up."""
    assume(secrets.size)
    policy = Policy(secrets, 9)
    query = histogram("h", ordered=kind == "ordered histogram")
    noise = calibrated(PrivacyUnit(policy), [query], Ratio.of(4))
    [(_, [part])] = noise.parts([()])
    errors = part.variances
    order = secrets.order
    weights = []
    for a, b in combinations_with_replacement(range(order), 2):
        if kind == "plain histogram":
            weights.append([int(a <= i <= b) for i in range(order)])
        else:
            weights.append([(i == b) - (i == a - 1) for i in range(order)])
    runs = [sum(w**2 * e for w, e in zip(row, errors, strict=True)) for row in weights]
    [found] = plan(policy, [query], ratio=4)
    assert found.run == sum(runs, Fraction(0)) / len(runs)
    cells = [
        r
        for r, (a, b) in zip(runs, combinations_with_replacement(range(order), 2), strict=True)
        if a == b
    ]
    assert found.cell == sum(cells, Fraction(0)) / order


def test_101_ages_with_least_squares_on_the_plain_histogram() -> None:
    """The three numbers of a plan: 566 plain, 280 after least squares, 7.84 ordered."""
    ages = Policy(SecretGraph.line(101), 1000)
    ordered, plain = plan(ages, [histogram("ages")], epsilon="ln 2")
    assert (ordered.kind, ordered.chosen, plain.chosen) == ("ordered histogram", True, False)
    assert round(float(ordered.run or 0), 2) == 7.84
    assert round(float(plain.run or 0)) == 566
    # All cells together are the public number of records: the mean noise is taken off each.
    centred = np.eye(101) - 1 / 101
    runs = [
        centred[a : b + 1, a : b + 1].sum() for a, b in combinations_with_replacement(range(101), 2)
    ]
    assert round(float(plain.cell) * float(np.mean(runs))) == 280


def test_where_all_values_are_joined_the_plain_histogram_is_taken() -> None:
    everybody = Policy(SecretGraph.complete(20), 1000)
    first, second = plan(everybody, [histogram("ages")], epsilon=1)
    assert (first.kind, first.chosen) == ("plain histogram", True)
    assert (second.kind, second.chosen) == ("ordered histogram", False)
    assert first.cell < second.cell


def test_every_query_and_every_level_is_told() -> None:
    policy = Policy(SecretGraph.line(8), 10)
    found = plan(policy, [hierarchy("tree", fanout=4), cumulative("up to")], ratio=2)
    assert [each.query for each in found] == ["tree, runs of 1", "tree, runs of 4", "up to"]
    assert str(found[-1]).startswith("up to (cumulative): one number is off by ±")


def test_where_the_other_noise_is_not_possible_none_is_told() -> None:
    """Squares of such weights are too long for Gaussian noise; geometric noise takes them."""
    wages = Policy(SecretGraph.complete([0, 5_000_000]), records=9)
    asked = [sum_of("s"), histogram("h")]
    assert other_noise(PrivacyUnit(wages), asked, allowance(epsilon=1)) is None
    small = other_noise(PrivacyUnit(wages), [histogram("h")], allowance("gaussian", rho="1/8"))
    assert small is not None
    assert (small.noise, small.better) == ("geometric noise", ("h",))
