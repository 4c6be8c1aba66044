"""Kinds of neighbours under public counts, against Definition 2 on all databases."""

import random
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel, parallel
from leaktight.channels.move_ratios import MoveRatios
from leaktight.errors import InvalidPolicy
from leaktight.exact.numbers import fraction
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.public_counts import Cells, Kinds, cells, cycles, gains
from leaktight.policies.public_counts import counts as counts_module
from leaktight.policies.public_counts.cycles import heaviest_cycle
from leaktight.policies.query import answer_graph, sensitivity
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    MostCommonQuery,
    SumQuery,
    SymmetricQuery,
    counting_query,
)
from leaktight.privacy.level import privacy_level
from tests.strategies.public_counts import apart, random_counted_policy, random_response


def agree(policy: Policy, database: tuple[Hashable, ...]) -> bool:
    """Say whether a database has the public counts."""
    return all(
        one.least <= sum(v in one.values for v in database)
        <= (policy.records if one.most is None else one.most)
        for one in policy.constraints
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_levels_are_those_of_all_databases_on_600_policies(seed: int) -> None:
    rng = random.Random(seed)
    wide = 0
    for _ in range(50):
        policy = random_counted_policy(rng, told=seed > 9)
        response = random_response(rng, policy)
        survey = parallel(*[response] * policy.records)
        truth = privacy_level(survey, policy.adjacency()).ratio
        counts = policy.public_counts
        assert counts is not None
        ratios = MoveRatios.of([response], policy.secrets.vertices)
        found, upper = ratios.largest(counts)
        assert ratios.along(found.moves) <= truth <= upper
        wide += ratios.along(found.moves) < upper
        if counts.all_secret and counts.cells.are_equalities:
            assert truth == upper == ratios.along(found.moves)
        level = privacy_level(survey, policy)
        assert level.is_exact
        assert level.ratio == truth
        if level.witness is not None and level.witness.rest is not None:
            here: tuple[int, ...] = level.witness.input  # type: ignore[assignment]
            there: tuple[int, ...] = level.witness.neighbour  # type: ignore[assignment]
            stay = tuple(v for v, n in level.witness.rest.items() for _ in range(n))
            first, second = (*here, *stay), (*there, *stay)
            assert len(first) == policy.records
            assert agree(policy, first)
            assert agree(policy, second)
            assert first in policy.adjacency().neighbours(second)
    assert wide <= 2


@pytest.mark.parametrize("seed", range(5))
def test_sensitivities_and_answers_are_those_of_all_databases(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        policy = random_counted_policy(rng, told=seed > 3)
        values = range(policy.secrets.order)
        some = tuple(rng.sample(values, rng.randint(1, len(values))))
        graph = policy.adjacency().explicit()
        queries: list[SymmetricQuery] = [
            HistogramQuery(tuple(values)), HistogramQuery(some), SumQuery(), counting_query(some),
            MostCommonQuery(),
        ]  # fmt: skip
        for query in queries:
            databases: tuple[Any, ...] = graph.vertices
            answers = [query(database) for database in databases]
            edges = {(answers[i], answers[j]) for i, j in graph.edges.tolist()}
            found = answer_graph(policy, query)
            assert set(found.vertices) == set(answers)
            assert {frozenset(pair) for pair in found.edge_pairs()} == {
                frozenset(pair) for pair in edges if pair[0] != pair[1]
            }
            if not isinstance(query, MostCommonQuery):
                truth = max((apart(a, b) for a, b in edges), default=Fraction(0))
                most = sensitivity(policy, query)
                assert most.is_exact
                assert most.value == truth
                if most.witness is not None:
                    assert apart(query(most.witness[0]), query(most.witness[1])) == truth


def test_whole_numbers_and_lists_find_the_same_histograms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(0)
    for _ in range(60):
        policy = random_counted_policy(rng)
        few = policy.public_counts
        assert few is not None
        least = [rng.randint(0, 2) for _ in few.cells.members]
        shift = [rng.randint(-1, 1) for _ in few.cells.limits]
        listed = few.cells.find(least, shift)
        with monkeypatch.context() as patched:
            patched.setattr(cells, "FEW_HISTOGRAMS", 0)
            solved = few.cells.find(least, shift)
        assert (listed is None) == (solved is None)
        for histogram in (listed, solved):
            if histogram is not None:
                assert sum(histogram) == policy.records
                assert all(a >= b for a, b in zip(histogram, least, strict=True))
                counted = few.cells.counts(histogram)
                for after in (counted, counted + shift):
                    assert (after >= few.cells.limits[:, 0]).all()
                    assert (after <= few.cells.limits[:, 1]).all()


@pytest.mark.parametrize("most", [0, 256])
def test_that_some_values_are_no_neighbours_says_nothing_of_others(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The likeliest moves between two cells lead to no neighbour, and others do."""
    monkeypatch.setattr(gains, "MOST_MOVES", most)
    rows = [[5, 5, 4, 2], [5, 5, 2, 3], [4, 2, 2, 4], [3, 2, 3, 5]]
    response = Channel.normalised(rows)
    secrets = SecretGraph.from_indices(4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)])
    policy = Policy(secrets, 4, constraints=count([1, 3], equals=1))
    truth = privacy_level(parallel(*[response] * 4), policy.adjacency()).ratio
    assert truth == Fraction(75, 13)
    counts = policy.public_counts
    assert counts is not None
    found, upper = MoveRatios.of([response], secrets.vertices).largest(counts)
    assert fraction(found.lower) <= truth <= upper
    assert privacy_level(parallel(*[response] * 4), policy).ratio == truth


@pytest.mark.parametrize("seed", range(2))
def test_how_far_databases_are_apart_is_enclosed(seed: int) -> None:
    rng = random.Random(seed)
    exact = 0
    for _ in range(80):
        policy = random_counted_policy(rng)
        counts = policy.public_counts
        assert counts is not None
        if not counts.all_secret:
            assert counts.diameter is None
            assert counts.is_connected is None
            continue
        graph, found = policy.adjacency(), counts.diameter
        assert graph.is_connected
        assert counts.is_connected
        assert found is not None
        assert found.attained <= graph.diameter <= found.value
        exact += found.attained == found.value
    assert exact > 10


# --- the numbers that were promised ------------------------------------------------------------


def everything_public(values: int, records: int) -> Policy:
    shares = [records // values + (i < records % values) for i in range(values)]
    told = [count([i], equals=share) for i, share in enumerate(shares)]
    return Policy(SecretGraph.complete(values), records, constraints=told)


@pytest.mark.parametrize("records", [21_638, 10**9])
def test_three_public_counts_triple_epsilon_for_any_number_of_records(records: int) -> None:
    asked = RandomizedResponse(3, epsilon=1, records=records)
    level = privacy_level(asked.survey, everything_public(3, records))
    assert level.is_exact
    assert level.ratio == asked.ratio**3
    assert level.witness is not None
    changed: Any = level.witness.input
    assert sorted(changed) == [0, 1, 2]
    assert sum(level.witness.rest.values()) == records - 3  # type: ignore[union-attr]


@pytest.mark.parametrize("values", [2, 5, 6, 7, 40])
def test_a_public_histogram_takes_lambda_to_the_number_of_values(values: int) -> None:
    asked = RandomizedResponse(values, ratio=2, records=1000)
    assert privacy_level(asked.survey, everything_public(values, 1000)).ratio == 2**values
    some = [count([i], equals=500 if i < 2 else 0) for i in range(values)]
    policy = Policy(SecretGraph.complete(values), 1000, constraints=some)
    assert privacy_level(asked.survey, policy).ratio == 4


@pytest.mark.parametrize("complete", [True, False])
def test_one_public_count_on_96_values_doubles_epsilon(complete: bool) -> None:
    sides = [SecretGraph.complete(k) for k in (4, 4, 6)]
    secrets = SecretGraph.product(*sides)
    secrets = SecretGraph.complete(secrets.vertices) if complete else secrets
    asked = RandomizedResponse(secrets.vertices, epsilon=1, records=10**5)
    told = [value for value in secrets.vertices if value[0] == 1]  # type: ignore[index]
    for number, power in ((20_000, 2), (0, 1), (10**5, 1)):
        policy = Policy(secrets, 10**5, constraints=count(told, equals=number))
        level = privacy_level(asked.survey, policy)
        assert level.is_exact
        assert level.ratio == asked.ratio**power


def test_the_bound_in_print_is_too_small() -> None:
    values = [(a, b) for a in range(2) for b in range(3)]
    told = count([v for v in values if v[0] == 0], equals=2)
    for records, number in ((3, 2), (10**6, 12_345)):
        told = count([v for v in values if v[0] == 0], equals=number)
        policy = Policy(SecretGraph.complete(values), records, constraints=told)
        assert sensitivity(policy, HistogramQuery(tuple(values))).value == 4  # not 2·max(|Q|, 1)


def test_the_trap() -> None:
    secrets = SecretGraph.from_edges(5, [(0, 1)])
    told = [count([0, 2, 3], equals=2), count([2, 4], equals=1)]
    policy = Policy(secrets, 3, constraints=told)
    found = sensitivity(policy, HistogramQuery((0, 1, 2, 3, 4)))
    assert found.value == 6
    assert sensitivity(policy.adjacency(), HistogramQuery((0, 1, 2, 3, 4))).value == 6
    assert apart((2, 0, 0, 0, 1), (0, 1, 1, 1, 0)) == 6  # from (0, 0, 4) to (2, 1, 3)


def test_two_public_margins() -> None:
    values = [(a, b, c) for a in "fm" for b in range(3) for c in range(4)]
    told = [count([v for v in values if v[0] == "f"], equals=51_000)]
    told += [count([v for v in values if v[1] == b], equals=30_000 + b) for b in range(2)]
    policy = Policy(SecretGraph.complete(values), 100_000, constraints=told)
    asked = RandomizedResponse(values, ratio=2, records=100_000)
    level = privacy_level(asked.survey, policy)
    assert level.is_exact
    assert level.ratio == 2**8
    assert sensitivity(policy, HistogramQuery(tuple(values))).value == 16
    assert sensitivity(policy, counting_query([v for v in values if v[2] == 0])).value == 8


def test_where_kinds_are_too_many_there_is_a_safe_bound() -> None:
    values = [(a, b) for a in range(3) for b in range(4)]
    told = [count([v for v in values if v[0] == a], equals=300) for a in range(2)]
    told += [count([v for v in values if v[1] == b], equals=200) for b in range(3)]
    policy = Policy(SecretGraph.complete(values), 1000, constraints=told)
    asked = RandomizedResponse(values, ratio=2, records=1000)
    level = privacy_level(asked.survey, policy)
    assert not level.is_exact
    assert 2**3 <= level.attained < level.ratio <= 2**1000


def test_a_range_never_has_two_moves_that_cancel() -> None:
    policy = Policy(SecretGraph.complete(2), 10**6, constraints=count([1], at_least=3, at_most=9))
    asked = RandomizedResponse(2, ratio=2, records=10**6)
    level = privacy_level(asked.survey, policy)
    assert level.is_exact
    assert level.ratio == 2
    tight = Policy(SecretGraph.complete(2), 10**6, constraints=count([1], equals=3))
    assert privacy_level(asked.survey, tight).ratio == 4


def test_channels_of_their_own_for_each_record() -> None:
    weak, strong = RandomizedResponse(2, ratio=2).channel, RandomizedResponse(2, ratio=3).channel
    policy = Policy(SecretGraph.complete(2), 1000, constraints=count([1], equals=400))
    mixed = Parallel(((weak, 500), (strong, 500)))
    assert privacy_level(mixed, policy).ratio == 9
    single = privacy_level(Parallel(((weak, 999), (strong, 1))), policy)
    assert not single.is_exact
    assert single.ratio == 9
    few = Policy(SecretGraph.complete(2), 3, constraints=count([1], equals=1))
    assert privacy_level(Parallel(((weak, 2), (strong, 1))), few).ratio == 6


def test_what_is_seen_with_certainty_is_infinite() -> None:
    rows = Channel([[1, 0], ["1/2", "1/2"]])
    policy = Policy(SecretGraph.complete(2), 10**6, constraints=count([1], equals=3))
    level = privacy_level(Parallel(((rows, 10**6),)), policy)
    assert level.ratio == float("inf")
    assert level.is_exact


def test_counts_that_contradict_each_other_are_refused_at_any_size() -> None:
    told = [count([0], equals=10), count([0, 1], equals=5)]
    with pytest.raises(InvalidPolicy, match="some database must be possible"):
        Policy(SecretGraph.complete(3), 10**8, constraints=told)
    odd = [count([0, 1], equals=5), count([1, 2], equals=5), count([0, 2], equals=5)]
    with pytest.raises(InvalidPolicy):  # 15/2 records would do
        Policy(SecretGraph.complete(4), 10**8, constraints=odd)


@pytest.mark.parametrize("values", [8, 30])
def test_incomplete_secrets_with_many_known_cells(values: int) -> None:
    """All counts of a line are public: a cycle with one secret pair goes through all values."""
    shares = [1000] * values
    told = [count([i], equals=n) for i, n in enumerate(shares)]
    policy = Policy(SecretGraph.line(values), sum(shares), constraints=told)
    asked = RandomizedResponse(values, ratio=2, records=sum(shares))
    level = privacy_level(asked.survey, policy)
    assert level.is_exact
    assert level.ratio == 2**values
    assert level.witness is not None
    here: Any = level.witness.input
    there: Any = level.witness.neighbour
    assert sorted(here) == sorted(there) == list(range(values))
    assert sum(abs(a - b) == 1 for a, b in zip(here, there, strict=True)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_cycles_with_one_secret_pair_are_between_neighbours(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the listing of kinds cut short, both ends still enclose what all databases say."""
    rng = random.Random(seed)
    monkeypatch.setattr(counts_module, "CYCLES", 2)
    monkeypatch.setattr(Kinds, "are_all", False)
    for _ in range(10):
        values = rng.randint(3, 4)
        pairs = [(a, b) for b in range(values) for a in range(b)]
        secrets = SecretGraph.from_indices(
            values, rng.sample(pairs, rng.randint(1, len(pairs) - 1))
        )
        shares = [rng.randint(0, 2) for _ in range(values)]
        if sum(shares) < 2:
            continue
        told = [count([i], equals=n) for i, n in enumerate(shares)]
        policy = Policy(secrets, sum(shares), constraints=told)
        response = random_response(rng, policy)
        truth = privacy_level(parallel(*[response] * policy.records), policy.adjacency()).ratio
        ratios = MoveRatios.of([response], policy.secrets.vertices)
        assert policy.public_counts is not None
        found, upper = ratios.largest(policy.public_counts)
        assert ratios.along(found.moves) <= truth <= upper


# --- cycles ------------------------------------------------------------------------------------


def all_cycles(weights: list[list[fmpq]]) -> fmpq:
    """The heaviest product over all simple cycles, one by one."""
    best = fmpq(0)

    def extend(path: list[int], product: fmpq) -> None:
        nonlocal best
        if len(path) > 1:
            best = max(best, product * weights[path[-1]][path[0]])
        for after in range(len(weights)):
            if after not in path and after > path[0]:
                extend([*path, after], product * weights[path[-1]][after])

    for first in range(len(weights)):
        extend([first], fmpq(1))
    return best


@pytest.mark.parametrize("cells_", [2, 3, 5, 6])
def test_the_heaviest_cycle_is_that_of_all(cells_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(cells_)
    for _ in range(8):
        weights = [[fmpq(rng.randint(4, 12), 4) for _ in range(cells_)] for _ in range(cells_)]
        truth = all_cycles(weights)
        found = heaviest_cycle(weights, multiply=True)
        assert found.weight == found.most == truth
        with monkeypatch.context() as patched:
            patched.setattr(cycles, "MOST_CELLS", 1)
            bounded = heaviest_cycle(weights, multiply=True)
        assert bounded.weight <= truth <= bounded.most


def test_cells_whose_weights_are_products_need_no_search() -> None:
    rng = random.Random(1)
    out, into = ([fmpq(rng.randint(1, 9), 3) for _ in range(6)] for _ in range(2))
    weights = [[a * b for b in into] for a in out]
    assert heaviest_cycle(weights, multiply=True).weight == all_cycles(weights)


def test_cells_are_values_that_no_count_tells_apart() -> None:
    found = Cells.of(6, 10, [({0, 1}, 4, 4), ({0, 1, 2}, 7, 7), ({5}, 0, 0), ({3}, 0, 10)])
    assert found.members == ((0, 1), (2,), (3, 4))
    assert found.only == (4, 3, 3)  # one set within the other
    assert Cells.of(3, 10, [({0, 1}, 4, 4), ({1, 2}, 7, 7)]).only == (3, 1, 6)
    assert Cells.of(4, 10, [({0, 1}, 4, 4), ({1, 2}, 7, 7)]).only is None
