"""Numbers that floats cannot tell apart, or hold, decide nothing under public counts."""

import itertools
import random
from collections.abc import Sequence

import pytest
from flint import fmpq

from leaktight.channels import Channel, parallel
from leaktight.policies import Policy, SecretGraph, SumQuery, count, sensitivity
from leaktight.policies.public_counts import cycles, largest_change
from leaktight.policies.public_counts.cycles import heaviest_cycle
from leaktight.privacy import privacy_level
from tests.strategies.public_counts import random_counted_policy


def largest(policy: Policy, weights: Sequence[tuple[int, ...]]) -> int:
    """The largest sum of absolute changes, over all databases and their neighbours."""

    def answer(database: tuple[int, ...]) -> list[int]:
        return [sum(each) for each in zip(*(weights[v] for v in database), strict=True)]

    pairs = policy.adjacency().explicit().edge_pairs()
    gaps = ([abs(x - y) for x, y in zip(answer(a), answer(b), strict=True)] for a, b in pairs)  # type: ignore[arg-type]
    return max(map(sum, gaps), default=0)


@pytest.mark.parametrize("size", [10**8, 10**17, 10**320], ids=["e8", "e17", "e320"])
def test_sums_of_large_numbers_are_those_of_all_databases(size: int) -> None:
    rng = random.Random(size)
    for _ in range(40):
        policy = random_counted_policy(rng)
        assert policy.public_counts is not None
        width = rng.randint(1, 2)
        weights = [
            tuple(rng.randint(0, 2) * size + rng.randint(-9, 9) for _ in range(width))
            for _ in policy.secrets.vertices
        ]
        truth = largest(policy, weights)
        found = largest_change(policy.public_counts, [tuple(map(fmpq, row)) for row in weights])
        assert found.lower <= truth <= found.upper
        counts = policy.public_counts
        if counts.all_secret and counts.cells.are_equalities and counts.kinds.are_all:
            assert found.lower == found.upper == truth


@pytest.mark.parametrize("seed", range(4))
def test_sums_whose_difference_is_less_than_a_float_shows(seed: int) -> None:
    """Kinds of neighbours add up to 10¹⁸ and a little; the little decides which adds most."""
    rng = random.Random(seed)
    for _ in range(25):
        database = [rng.randrange(5) for _ in range(4)]
        some = [rng.sample(range(5), rng.randint(1, 4)) for _ in range(2)]
        told = [count(each, equals=sum(v in each for v in database)) for each in some]
        policy = Policy(SecretGraph.complete(5), 4, constraints=told)
        weights = [(rng.randint(0, 1) * 10**18 + rng.randint(-40, 40),) for _ in range(5)]
        assert policy.public_counts is not None
        found = largest_change(policy.public_counts, [(fmpq(w),) for (w,) in weights])
        assert found.lower == found.upper == largest(policy, weights)


@pytest.mark.parametrize("power", [1, 17, 310])
def test_ratios_of_any_size_are_those_of_all_databases(power: int) -> None:
    rng = random.Random(power)
    large = 10**power
    for _ in range(30):
        policy = random_counted_policy(rng)
        order = policy.secrets.order
        rows = [[rng.randint(1, 3) * large ** rng.randint(0, 1) + rng.randint(0, 2)
                 for _ in range(order)] for _ in range(order)]  # fmt: skip
        survey = parallel(*[Channel.normalised(rows)] * policy.records)
        level = privacy_level(survey, policy)
        truth = privacy_level(survey, policy.adjacency()).ratio
        assert level.attained <= truth <= level.ratio
        if level.is_exact:
            assert level.ratio == truth


def test_a_ratio_beyond_all_floats_is_not_taken_for_a_smaller_one() -> None:
    # Two cells: moves out of the first have the ratios 10³¹⁰, or 2·10³¹⁰ from another value.
    large = 10**310
    rows = [[2 * large, 1, 1], [1, large, large], [1, 1, large]]
    survey = parallel(*[Channel.normalised(rows)] * 3)
    policy = Policy(SecretGraph.complete(3), 3, constraints=count([0, 1], equals=2))
    level = privacy_level(survey, policy)
    assert level.is_exact
    assert level.ratio == privacy_level(survey, policy.adjacency()).ratio > large


@pytest.mark.parametrize("multiply", [False, True])
@pytest.mark.parametrize("size", [1, 10**9, 10**18, 10**330], ids=["1", "e9", "e18", "e330"])
def test_the_bound_on_cycles_holds_for_weights_of_any_size(
    size: int, multiply: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(size)
    for _ in range(12):
        cells = rng.randint(3, 6)
        weights = [
            [fmpq(rng.randint(1, 3) * size + rng.randint(0, 5)) for _ in range(cells)]
            for _ in range(cells)
        ]
        truth = max(
            _along(weights, cycle, multiply)
            for k in range(2, cells + 1)
            for cycle in itertools.permutations(range(cells), k)
        )
        assert heaviest_cycle(weights, multiply).weight == truth
        with monkeypatch.context() as patched:
            patched.setattr(cycles, "MOST_CELLS", 1)
            found = heaviest_cycle(weights, multiply)
        assert found.weight <= truth <= found.most
        if not multiply:  # the best assignment of successors, each by itself or another
            best = max(
                sum((fmpq(0) if i == j else weights[i][j] for i, j in enumerate(after)), fmpq(0))
                for after in itertools.permutations(range(cells))
            )
            assert best <= found.most <= best * (1 + fmpq(1, 2**40))
            assert size > 10**9 or found.most == best


def _along(weights: list[list[fmpq]], cycle: tuple[int, ...], multiply: bool) -> fmpq:
    total = fmpq(1 if multiply else 0)
    for i, j in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        total = total * weights[i][j] if multiply else total + weights[i][j]
    return total


def test_a_sum_over_many_cells_with_large_weights_is_enclosed() -> None:
    """Twelve cells of two values each, more than are gone through set by set."""
    rng = random.Random(3)
    weights = [tuple(rng.choice([0, 10**9, 10**12]) + rng.randint(0, 9) for _ in "ab")
               for _ in range(24)]  # fmt: skip
    told = [count([2 * i, 2 * i + 1], equals=3) for i in range(12)]
    policy = Policy(SecretGraph.complete(24), 36, constraints=told)
    assert policy.public_counts is not None
    found = largest_change(policy.public_counts, [tuple(map(fmpq, w)) for w in weights])
    pairs = [(weights[2 * i], weights[2 * i + 1]) for i in range(12)]
    # Each cell changes one record at most: what changes is a choice of u, v for each cell, so that
    # the signs of both coordinates decide.
    best = max(
        sum(abs(s * (a - c) + t * (b - d)) for (a, b), (c, d) in pairs)
        for s, t in ((1, 1), (1, -1))
    )
    assert found.lower <= best <= found.upper


def test_the_sensitivity_of_a_sum_is_right_to_the_last_digit() -> None:
    secrets = SecretGraph.complete([0, 10**17, 10**17 + 1, 2 * 10**17 + 3])
    policy = Policy(secrets, 4, constraints=count([0, 10**17], equals=2))
    named = Policy(SecretGraph.complete(4), 4, constraints=count([0, 1], equals=2))
    found = sensitivity(policy, SumQuery())
    assert found.value == largest(named, [(int(v),) for v in secrets.vertices])  # type: ignore[call-overload]
