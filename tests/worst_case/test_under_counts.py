"""The worst case under public counts, against that of all databases."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.powers import Powers
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.optimum import worst_case_leakage
from leaktight.worst_case.published import leakage_bounds
from leaktight.worst_case.under_counts import (
    WorstCaseUnderCounts,
    database_count,
    worst_case_under_counts,
)
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
        attained, bound = found.bits_interval
        assert attained <= high + NEAR
        assert low <= bound + NEAR
        assert found.lower <= worst_case_leakage(policy, ratio).upper
        assert found.upper >= worst_case_leakage(policy, ratio).lower
        assert found.databases >= policy.database_count
        assert policy.public_counts is not None
        number = database_count(policy.public_counts)
        assert number is None or number == policy.database_count
        if found.is_exact:
            assert attained <= bound <= attained + NEAR
            assert abs(bound - high) <= NEAR
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
    assert abs(found.bits - math.log2(number / total)) < NEAR
    many = Policy(SecretGraph.complete(3), 10**8, constraints=count([0], equals=20_000))
    found = worst_case_under_counts(many, ratio=3)
    assert found.is_exact
    # Nearly all records choose between two values: each leaks log2 of 2/(1 + 1/3).
    assert 10**8 * math.log2(1.5) < found.bits < 10**8 * math.log2(1.5) + 10**6


@pytest.mark.parametrize("records", [30, 10**6])
def test_more_records_leak_more_and_never_more_than_the_papers_allow(records: int) -> None:
    third = records // 3
    told = [count([i], equals=third) for i in range(3)]
    policy = Policy(SecretGraph.complete(3), 3 * third, constraints=told)
    found = worst_case_under_counts(policy, ratio=2)
    assert found.by_diameter is not None
    assert (
        0 < found.bits_interval[0] < found.bits < min(found.by_diameter.bits, found.databases.bits)
    )
    larger = worst_case_under_counts(policy, ratio=3)
    assert found.bits < larger.bits


@pytest.mark.parametrize("records", [200, 10**6])
def test_one_call_answers_any_number_of_records(records: int) -> None:
    """So many have one of two values: |X|/Σ_x C(m, x)·C(n − m, x)·q^x, a hypergeometric sum."""
    some = 90
    policy = Policy(SecretGraph.complete(2), records, constraints=count([0], equals=some))
    found = worst_case_leakage(policy, ratio=2)
    assert isinstance(found, WorstCaseUnderCounts)
    assert found.is_exact
    moved = (math.comb(some, x) * math.comb(records - some, x) for x in range(some + 1))
    total = sum((ways * Fraction(1, 2**x) for x, ways in enumerate(moved)), Fraction(0))
    assert found.lower <= math.comb(records, some) / total <= found.upper
    assert math.isclose(found.lower, found.upper, rel_tol=NEAR)
    bounds = leakage_bounds(policy, ratio=2, outputs=2**40)
    assert [bound.source for bound in bounds] == [
        "number of outputs",
        "Theorem 11 of [Edwards2021]",
        "number of databases",
    ]
    assert bounds.by_diameters is not None
    assert bounds.by_diameters.factors == Powers.of((2, some))  # each moves in a step
    with pytest.raises(TooLarge, match="fewer records have both"):
        _ = found.mechanism


def test_the_share_of_databases_is_not_said_where_their_number_is_bounded_only() -> None:
    some = Policy(SecretGraph.complete(3), 5000, constraints=count([0], at_least=20))
    with pytest.raises(TooLarge, match="only bounded"):
        _ = leakage_bounds(some, ratio=2).utility
    known = Policy(SecretGraph.complete(3), 5000, constraints=count([0], equals=20))
    bounds = leakage_bounds(known, ratio=2)
    assert bounds.databases == math.comb(5000, 20) * 2**4980
    assert 0 < bounds.utility < 1


def test_without_counts_it_is_not_asked() -> None:
    with pytest.raises(InvalidInput, match="public counts"):
        worst_case_under_counts(Policy(SecretGraph.complete(3), 10), ratio=2)
