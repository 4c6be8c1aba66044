"""Prices are proved on every kind of graph, or a column refutes them."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from leaktight.exact.numbers import exact_array, rational
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.worst_case.columns import Flow
from leaktight.worst_case.columns.pricing import Pricing, pricing, shortened, step_of
from tests.strategies.fractions import fractions
from tests.strategies.graphs import secret_graphs

CYCLE = Graph(5, [(i, (i + 1) % 5) for i in range(5)])
TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
COMPLETE = Graph(4, list(itertools.combinations(range(4), 2)))
RATIOS = ["2", "3/2", "101/100", "10000000000"]
ANY = fractions(-3, 3, max_denominator=20).map(rational)
MOSTLY_POSITIVE = fractions(-1, 3, max_denominator=20).map(rational)
FEW = fractions(-2, 2, max_denominator=6).map(rational)


def columns(graph: Graph, ratio: fmpq) -> list[list[fmpq]]:
    """Every extreme private column: levels that differ by at most one between neighbours."""
    reach = range(-graph.order, graph.order + 1)
    found = [
        levels
        for levels in itertools.product(reach, repeat=graph.order)
        if levels[0] == 0 and all(abs(levels[i] - levels[h]) <= 1 for i, h in graph.edges.tolist())
    ]
    return [[ratio**-g for g in levels] for levels in found]


def check(graph: Graph, ratio: fmpq, prices: list[fmpq], proof: Flow) -> None:
    """Verify what a proof says, from its definition."""
    left = list(prices)
    edges = {frozenset(edge) for edge in graph.edges.tolist()}
    if proof.cost >= 0:
        for i, h, amount in proof.arcs:
            assert amount > 0
            assert frozenset((i, h)) in edges
            left[h] -= ratio * amount
            left[i] += amount
        assert min(left) >= 0
    else:
        column = [ratio**-g for g in proof.levels]
        assert all(
            column[i] <= ratio * column[h] and column[h] <= ratio * column[i]
            for i, h in graph.edges.tolist()
        )
        assert exact_array(prices) @ exact_array(column) < 0


@pytest.mark.parametrize("graph", [CYCLE, TREE, COMPLETE, Graph(2, [(0, 1)])])
@pytest.mark.parametrize("ratio", RATIOS)
@given(data=st.data())
def test_a_proof_holds_whichever_way_it_ends(graph: Graph, ratio: str, data: st.DataObject) -> None:
    prices = data.draw(st.lists(ANY, min_size=graph.order, max_size=graph.order))
    exact = rational(ratio)
    check(graph, exact, prices, *pricing(graph, exact).prove(exact_array(prices)[None]))


@pytest.mark.parametrize("graph", [CYCLE, TREE, COMPLETE, Graph(2, [(0, 1)])])
@pytest.mark.parametrize("ratio", RATIOS)
@given(data=st.data())
def test_nothing_is_left_over_but_at_the_root_that_was_asked_for(
    graph: Graph, ratio: str, data: st.DataObject
) -> None:
    prices = data.draw(st.lists(MOSTLY_POSITIVE, min_size=graph.order, max_size=graph.order))
    root = data.draw(st.integers(0, graph.order - 1))
    (flow,) = pricing(graph, rational(ratio)).prove(exact_array(prices)[None], [root])
    check(graph, rational(ratio), prices, flow)
    if flow.cost >= 0:
        left = list(prices)
        for i, h, amount in flow.arcs:
            left[h] -= rational(ratio) * amount
            left[i] += amount
        assert left.pop(root) >= 0
        assert not any(left)


@given(secret_graphs(least=2, most=4), st.data())
def test_the_verdict_is_that_of_all_columns(graph: Graph, data: st.DataObject) -> None:
    if not graph.is_connected:
        return
    prices = data.draw(st.lists(FEW, min_size=graph.order, max_size=graph.order))
    ratio = rational(data.draw(st.sampled_from(RATIOS)))
    cheapest = min(exact_array(prices) @ exact_array(c) for c in columns(graph, ratio))
    assert (pricing(graph, ratio).prove(exact_array(prices)[None])[0].cost >= 0) == (cheapest >= 0)


@pytest.mark.parametrize("graph", [CYCLE, TREE, COMPLETE])
def test_the_search_in_floats_finds_a_column_of_negative_cost_if_there_is_one(graph: Graph) -> None:
    way: Pricing = pricing(graph, fmpq(2))
    rng = np.random.default_rng(1)
    prices = rng.integers(-8, 12, size=(200, graph.order)) / 4
    costs = (np.power(2.0, -way.cheapest(prices, np.zeros(prices.shape, np.int64))) * prices).sum(
        axis=1
    )
    truth = [
        proof.cost < 0 for proof in way.prove(exact_array(prices.ravel()).reshape(prices.shape))
    ]
    assert (costs < 0).tolist() == truth
    assert 20 < sum(truth) < 180


@pytest.mark.parametrize("ratio", [fmpq(11, 10), fmpq(2), fmpq(50)])
def test_the_search_in_floats_ends_at_the_cheapest_column_from_wherever_it_starts(
    ratio: fmpq,
) -> None:
    ladder = Graph(8, [(i, i + 2) for i in range(6)] + [(i, i + 1) for i in range(0, 8, 2)])
    rng = np.random.default_rng(2)
    prices = rng.integers(-8, 12, size=(50, 8)) / 4
    starts = [
        np.zeros((50, 8), np.int64),
        ladder.distances[rng.integers(0, 8, 50)].astype(np.int64),
    ]
    way, near = pricing(ladder, ratio), float(ratio.p) / float(ratio.q)
    for start in starts:
        levels = way.cheapest(prices, start)
        i, h = ladder.edges.T
        assert (np.abs(levels[:, i] - levels[:, h]) <= 1).all()
        for row, found in zip(prices, levels, strict=True):
            root = int(row.argmin())
            exact = way.prove(exact_array(row)[None])[0]
            scale = near ** float(found[root] - exact.levels[root])
            assert np.power(near, -found.astype(float)) @ row * scale == pytest.approx(
                float(exact.cost.p) / float(exact.cost.q) * near ** -float(exact.levels[root]),
                abs=2.0**-20,
            )


@pytest.mark.parametrize("above", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("side", [0, 3])
def test_columns_of_places_are_private_and_cost_what_the_program_of_all_pairs_says(
    above: float, side: int
) -> None:
    """The more prices are positive, the fewer arcs are looked at; on a grid not all pairs matter"""
    rng = np.random.default_rng(4)
    scattered = rng.integers(0, 100, size=(9, 2)) / 10
    grid = [(x, y) for x in range(side) for y in range(side)]
    graph = Metric.euclidean(grid or list(map(tuple, scattered.tolist()))).rounded()[0]
    farthest, n = float(graph.distances.max()), graph.order
    prices = rng.uniform(-1, 1, size=(20, n)) + above
    levels = graph.distances[rng.integers(0, n, 20)].astype(np.int64)
    ratio = 1 + rational(math.log(2) * 4 / farthest)  # whose digits are kept
    way, step = pricing(graph, ratio), step_of(ratio)
    for _ in range(50):
        levels = way.cheapest(prices, levels)
    (i, h), long = graph.arcs.T, np.tile(graph.lengths, 2)
    private = np.zeros((len(i), n))
    private[np.arange(len(i)), i], private[np.arange(len(i)), h] = 1, -np.exp(step * long)
    for row, found in zip(prices, levels, strict=True):
        assert (found[h] - found[i] <= long + 1).all()  # a unit for lengths that were rounded
        root = int(row.argmin())
        ends = [(1.0, 1.0) if j == root else (0.0, None) for j in range(n)]
        best = linprog(row, private, np.zeros(len(i)), bounds=ends).fun
        assert best is not None
        cost = np.exp(-step * (found - found[root])) @ row
        assert cost == pytest.approx(best, abs=2.0**-20)


@pytest.mark.parametrize("graph", [CYCLE, Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])])
def test_no_column_is_hidden_by_entries_that_are_huge_elsewhere(graph: Graph) -> None:
    ratio, rng = fmpq(10**10), np.random.default_rng(3)
    all_columns = [[c / max(column) for c in column] for column in columns(graph, ratio)]
    prices = rng.integers(-3, 8, size=(40, graph.order)) * 10.0 ** rng.integers(-12, 1, graph.order)
    levels = pricing(graph, ratio).cheapest(prices, np.zeros(prices.shape, np.int64))
    for row, found in zip(prices, levels, strict=True):
        i, h = graph.edges.T
        assert (np.abs(found[i] - found[h]) <= 1).all()
        least = min(float(c) for c in np.array(all_columns) @ exact_array(row))
        cost = float(np.power(1e10, -found.astype(float)) @ row)
        assert cost <= least + 1e-12 * np.abs(row).max()


def test_at_ratio_1_only_the_sum_of_the_prices_counts() -> None:
    assert pricing(CYCLE, fmpq(1)).prove(exact_array([3, -1, -1, -1, 0])[None])[0].cost == 0
    assert pricing(COMPLETE, fmpq(1)).prove(exact_array([3, -1, -1, -2])[None])[0].cost == -1


@given(st.fractions(), st.sampled_from([-1, 1]))
def test_numbers_are_shortened_to_the_side_that_was_asked_for(number: Fraction, sign: int) -> None:
    long = rational(number) + fmpq(1, 3**1000)
    short = shortened(long, sign, 500)
    assert short <= long if sign < 0 else short >= long
    assert abs(short - long) <= abs(long) / fmpq(2) ** 120
    digits = abs(int(short.p))
    assert (digits // (digits & -digits)).bit_length() <= 129
    assert shortened(rational(number), sign, 10**6) == rational(number)
