"""The worst case under public counts, against that of all databases."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from leaktight.errors import InvalidInput
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.optimum import worst_case_leakage
from leaktight.worst_case.under_counts import worst_case_under_counts
from tests.strategies.public_counts import random_counted_policy

NEAR = 2.0**-40


@pytest.mark.parametrize("seed", range(3))
def test_it_encloses_what_all_databases_say(seed: int) -> None:
    rng = random.Random(seed)
    exact = 0
    for _ in range(60):
        policy = random_counted_policy(rng)
        if policy.database_count > 40:
            continue
        ratio = Fraction(rng.randint(5, 20), 4)
        found = worst_case_under_counts(policy, ratio)
        low, high = worst_case_leakage(policy, ratio).bits_interval
        assert found.lower <= high + NEAR
        assert low <= found.upper + NEAR
        assert found.databases >= math.log2(policy.database_count) - NEAR
        if found.is_exact:
            assert found.lower <= found.upper <= found.lower + NEAR
            assert abs(found.upper - high) <= NEAR
            exact += 1
    assert exact > 5


def test_one_count_is_exact_for_any_number_of_records() -> None:
    """|X| over Σ q^d with d = x + y, by the records that change, against each database in turn."""
    n, m, q = 7, 3, Fraction(1, 3)
    policy = Policy(SecretGraph.complete(3), n, constraints=count([0], equals=m))
    first = (0,) * m + (1,) * (n - m)
    total, number = Fraction(0), 0
    for other in itertools.product(range(3), repeat=n):
        if other.count(0) == m:
            changed = [(a, b) for a, b in zip(first, other, strict=True) if a != b]
            across = sum(0 in pair for pair in changed)
            total += q ** (across // 2 + len(changed) - across)
            number += 1
    found = worst_case_under_counts(policy, ratio=3)
    assert found.is_exact
    assert abs(found.upper - math.log2(number / total)) < NEAR
    many = Policy(SecretGraph.complete(3), 10**8, constraints=count([0], equals=20_000))
    found = worst_case_under_counts(many, ratio=3)
    assert found.is_exact
    # Nearly all records choose between two values: each leaks log2 of 2/(1 + 1/3).
    assert 10**8 * math.log2(1.5) < found.upper < 10**8 * math.log2(1.5) + 10**6


@pytest.mark.parametrize("records", [30, 10**6])
def test_more_records_leak_more_and_never_more_than_the_papers_allow(records: int) -> None:
    third = records // 3
    told = [count([i], equals=third) for i in range(3)]
    policy = Policy(SecretGraph.complete(3), 3 * third, constraints=told)
    found = worst_case_under_counts(policy, ratio=2)
    assert found.by_diameter is not None
    assert 0 < found.lower < found.upper < min(found.by_diameter, found.databases)
    larger = worst_case_under_counts(policy, ratio=3)
    assert found.upper < larger.upper


def test_without_counts_it_is_not_asked() -> None:
    with pytest.raises(InvalidInput, match="public counts"):
        worst_case_under_counts(Policy(SecretGraph.complete(3), 10), ratio=2)
