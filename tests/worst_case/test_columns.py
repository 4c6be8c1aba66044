"""The exact worst case of one connected graph, by column generation."""

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from leaktight.errors import InvalidGraph, InvalidNumber, TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.ratio import Ratio
from leaktight.leakage.capacity import min_capacity
from leaktight.policies.graph import Graph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import (
    ColumnOptimum,
    cheapest_column,
    column_optimum,
    neighbour_lists,
)
from leaktight.worst_case.columns.cuts import Cuts
from leaktight.worst_case.columns.flow import descend
from tests.strategies.named_graphs import complete, cycle, path, star

RATIOS = [Fraction(r) for r in ("1.05", "1.2", "1.7", "2", "3", "8")]
TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])


def direct_optimum(graph: Graph, ratio: Fraction) -> float:
    """max Σ_j K_jj over all private channels with an output per vertex, by SciPy."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, eye_array, kron, vstack

    n = graph.order
    arcs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    k = np.arange(len(arcs))
    # Solved for Z with K_ij = λ^(−d(i,j))·Z_ij: HiGHS drops entries that are far below 1.
    scale = float(ratio) ** -graph.distances.astype(float)
    blocks = []
    for j in range(n):
        entry = np.concatenate([scale[arcs[:, 0], j], -float(ratio) * scale[arcs[:, 1], j]])
        largest = np.tile(scale[arcs[:, 0], j], 2)
        at = (np.tile(k, 2), arcs.T.ravel() * n + j)
        blocks.append(coo_array((entry / largest, at), shape=(len(arcs), n * n)))
    rows: Any = kron(eye_array(n), np.ones((1, n))).tocsr() * scale.ravel()
    limits: Any = vstack(blocks)
    found = linprog(
        -np.eye(n).ravel(),
        A_ub=limits,
        b_ub=np.zeros(n * len(arcs)),
        A_eq=rows,
        b_eq=np.ones(n),
        method="highs-ds",
    )
    assert found.status == 0
    assert found.fun is not None
    return -float(found.fun)


def check_proof(best: ColumnOptimum) -> None:
    """Everything that a stranger would check, in rationals."""
    graph, ratio, n = best.graph, rational(best.ratio), best.graph.order
    arcs = {(i, h) for i, h in graph.edges.tolist()} | {(h, i) for i, h in graph.edges.tolist()}
    assert (best.weights > 0).all()
    assert (best.exponents[np.arange(len(best.peaks)), best.peaks] == 0).all()
    assert best.exponents.min() == 0
    channel = best.channel()
    assert privacy_level(channel, graph).ratio <= best.ratio
    assert min_capacity(channel).factor == best.value
    assert best.dual.sum() == rational(best.value)
    assert [flow.root for flow in best.flows] == list(range(n))
    for flow in best.flows:
        left = list(best.dual)
        left[flow.root] -= flow.cost
        assert flow.cost >= 1
        for (i, h), value in zip(flow.arcs.tolist(), flow.values, strict=True):
            assert (i, h) in arcs
            assert value > 0
            left[h] -= ratio * value
            left[i] += value
        assert not any(left)


def connected_graphs(n: int) -> list[Graph]:
    pairs = list(itertools.combinations(range(n), 2))
    subsets = itertools.chain.from_iterable(
        itertools.combinations(pairs, k) for k in range(n - 1, len(pairs) + 1)
    )
    graphs = (Graph(n, edges) for edges in subsets)
    return [graph for graph in graphs if graph.is_connected]


def up_to_isomorphism(graphs: list[Graph]) -> list[Graph]:
    kept: dict[tuple[tuple[int, int], ...], Graph] = {}
    for graph in graphs:
        form = graph.to_igraph()
        relabelled = form.permute_vertices(form.canonical_permutation())
        kept[tuple(sorted(tuple(sorted(edge)) for edge in relabelled.get_edgelist()))] = graph
    return list(kept.values())


def random_connected(n: int, extra: int, rng: random.Random) -> Graph:
    edges = [(rng.randrange(v), v) for v in range(1, n)]
    for _ in range(extra):
        a, b = rng.sample(range(n), 2)
        edges.append((a, b))
    return Graph(n, edges)


# --- numbers that are known ---


def test_the_path_of_four_has_worst_case_two() -> None:
    best = column_optimum(path(4), Fraction(2))
    assert best.value == 2
    assert best.dual.tolist() == [fmpq(2, 3), fmpq(1, 3), fmpq(1, 3), fmpq(2, 3)]
    check_proof(best)


def test_the_star_attains_the_radius_bound() -> None:
    assert column_optimum(star(3), Fraction(2)).value == 2


def test_the_spider_with_six_legs_attains_the_radius_bound() -> None:
    legs = [(0, 1 + leg) for leg in range(6)] + [(1 + leg, 7 + leg) for leg in range(6)]
    best = column_optimum(Graph(13, legs), Fraction(2))
    assert best.value == 4
    check_proof(best)


def test_a_tree_needs_a_negative_price() -> None:
    best = column_optimum(TREE, Fraction(2))
    assert best.value == Fraction(7, 3)
    assert fmpq(-1, 3) in best.dual.tolist()
    check_proof(best)


def test_the_fork_is_below_its_cover_bound() -> None:
    fork = Graph(5, [(0, 1), (1, 2), (2, 3), (2, 4)])
    assert column_optimum(fork, Fraction(7, 4)).value == Fraction(89, 44)


def test_a_tree_at_a_tenth() -> None:
    tree = Graph(5, [(0, 1), (1, 2), (1, 3), (2, 4)])
    ratio = Ratio.of(epsilon="0.1")
    low, high = (column_optimum(tree, end).value for end in (ratio.lower, ratio.upper))
    assert round(float(low), 6) == round(float(high), 6) == 1.155129


@pytest.mark.parametrize("ratio", RATIOS)
def test_closed_forms(ratio: Fraction) -> None:
    q = 1 / ratio
    assert column_optimum(path(7), ratio).value == 1 + 6 * (ratio - 1) / (ratio + 1)
    assert column_optimum(complete(6), ratio).value == 6 / (1 + 5 * q)
    assert column_optimum(cycle(6), ratio).value == 6 / (1 + 2 * q + 2 * q**2 + q**3)


def test_a_single_vertex_leaks_nothing() -> None:
    best = column_optimum(Graph(["only"]), Fraction(3))
    assert best.value == 1
    check_proof(best)


# --- against the direct linear program ---


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_agrees_with_the_direct_program_on_all_small_graphs(n: int) -> None:
    for graph in up_to_isomorphism(connected_graphs(n)):
        for ratio in RATIOS:
            best = column_optimum(graph, ratio)
            check_proof(best)
            assert float(best.value) == pytest.approx(direct_optimum(graph, ratio), rel=1e-7)


def test_agrees_with_the_direct_program_on_graphs_of_six_vertices() -> None:
    rng = random.Random(6)
    for number in range(24):
        graph = random_connected(6, rng.randrange(4), rng)
        best = column_optimum(graph, RATIOS[number % 6])
        check_proof(best)
        assert float(best.value) == pytest.approx(direct_optimum(graph, best.ratio), rel=1e-7)


@pytest.mark.parametrize("n", [7, 10, 14, 19, 25])
def test_agrees_with_the_direct_program_on_random_graphs(n: int) -> None:
    rng = random.Random(n)
    for ratio in (Fraction("1.2"), Ratio.of(epsilon=1).lower, Fraction(2), Fraction(3)):
        best = column_optimum(random_connected(n, rng.randrange(n), rng), ratio)
        check_proof(best)
        assert float(best.value) == pytest.approx(direct_optimum(best.graph, ratio), rel=1e-7)


# --- extremes and mistakes ---


@pytest.mark.parametrize("epsilon", ["1e-6", "0.001", "5", "40"])
def test_any_epsilon_is_settled_exactly(epsilon: str) -> None:
    rng = random.Random(1)
    for n in (5, 12, 30):
        best = column_optimum(random_connected(n, 2, rng), Ratio.of(epsilon=epsilon).lower)
        check_proof(best)


def test_a_huge_ratio_or_a_long_path_overflows_nothing() -> None:
    for graph, epsilon in ((path(5), 1000), (path(60), 40), (star(20), 100)):
        check_proof(column_optimum(graph, Ratio.of(epsilon=epsilon).lower))


def test_the_cheapest_column_is_found_from_any_start() -> None:
    prices = [fmpq(0), fmpq(2), fmpq(-1, 3), fmpq(2, 3), fmpq(0), fmpq(0)]
    for root in range(6):
        rows = TREE.distances.tolist()
        started = [(rows[root]), [0] * 6]
        costs = {cheapest_column(TREE, fmpq(2), prices, root, start).cost for start in started}
        assert len(costs) == 1
        assert costs.pop() >= 1


def test_the_flow_of_prices_that_are_too_low_names_the_cheap_column() -> None:
    prices = [fmpq(1, 2)] * 4
    flow = cheapest_column(path(4), fmpq(2), prices, 0, [0, 1, 2, 3])
    assert flow.cost == fmpq(15, 16)
    assert flow.levels == (0, 1, 2, 3)


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(InvalidGraph, match="must be connected, got 2 components"):
        column_optimum(Graph(2), Fraction(2))
    with pytest.raises(InvalidNumber, match="must be above 1, got 1"):
        column_optimum(path(2), Fraction(1))
    with pytest.raises(TooLarge, match="at most 300 vertices, got 301"):
        column_optimum(path(301), Fraction(2))


@pytest.mark.parametrize("seed", range(30))
def test_cuts_lead_to_columns_as_cheap_as_flows_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    joined = [(int(rng.integers(i)), i) for i in range(1, n)]
    graph = Graph(n, joined + [(i, (i + 5) % n) for i in range(n) if i != (i + 5) % n])
    prices, ratio = rng.normal(0.3, 1, n), 1 + float(rng.exponential())
    cuts, lists = Cuts.of(graph), neighbour_lists(graph)

    def net(levels: Any) -> Any:
        return prices * ratio ** -np.asarray(levels, dtype=float)

    for root in range(n):
        start = graph.distances[root].tolist()
        levels, _ = descend(lists, start, lambda g: net(g).tolist(), root, most_steps=500)
        ours = cuts.descend(start, net, root, most_steps=500)
        assert ours[root] == 0
        assert (np.abs(ours[graph.edges[:, 0]] - ours[graph.edges[:, 1]]) <= 1).all()
        assert net(ours).sum() == pytest.approx(net(levels).sum(), rel=1e-9, abs=1e-9)
