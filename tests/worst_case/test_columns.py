"""The exact worst case of one connected graph, by column generation."""

import itertools
import random
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.check import check
from leaktight.errors import InvalidGraph, InvalidNumber, TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.ratio import Ratio
from leaktight.leakage.capacity import min_capacity
from leaktight.policies.graph import Graph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import ColumnOptimum, cheapest_column, column_optimum, worst
from leaktight.worst_case.optimum import worst_case_leakage
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
    graph, ratio, n = best.part.graph, rational(best.ratio), best.part.graph.order
    arcs = {(i, h) for i, h in graph.edges.tolist()} | {(h, i) for i, h in graph.edges.tolist()}
    channel = Channel(best.matrix, graph.vertices)
    assert privacy_level(channel, graph).ratio <= best.ratio
    assert min_capacity(channel).factor == best.value == best.bound
    assert best.prices.sum() == rational(best.bound)
    assert len(best.flows) == n
    for root, flow in enumerate(best.flows):
        left = list(best.prices)
        for i, h, value in flow.arcs:
            assert (i, h) in arcs
            assert value > 0
            left[h] -= ratio * value
            left[i] += value
        assert left.pop(root) >= 1
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
    assert best.prices.tolist() == [fmpq(2, 3), fmpq(1, 3), fmpq(1, 3), fmpq(2, 3)]
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
    assert fmpq(-1, 3) in best.prices.tolist()
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
        assert float(best.value) == pytest.approx(direct_optimum(best.part.graph, ratio), rel=1e-7)


# --- extremes and mistakes ---


@pytest.mark.parametrize("epsilon", ["1e-6", "0.001", "5", "40"])
def test_any_epsilon_is_settled_exactly(epsilon: str) -> None:
    rng = random.Random(1)
    for n in (5, 12, 30):
        best = column_optimum(random_connected(n, 2, rng), Ratio.of(epsilon=epsilon).lower)
        check_proof(best)


def test_a_huge_ratio_or_a_long_path_overflows_nothing() -> None:
    for graph, epsilon in ((path(5), 1000), (path(60), 40), (star(20), 100)):
        found = worst_case_leakage(graph, epsilon=epsilon)
        assert found.is_exact
        check(found.certificate)
    best = column_optimum(path(6), Ratio.of(epsilon=1000).lower)
    assert best.value <= 1 + 5 * (best.ratio - 1) / (best.ratio + 1) <= best.bound
    assert best.bound - best.value < Fraction(1, 10**9)


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


# --- many symmetries ---


def spider(legs: int, length: int) -> Graph:
    """A centre with so many paths of this length."""
    ends = [(0, 1 + i * length) for i in range(legs)]
    steps = [
        (1 + i * length + j, 2 + i * length + j) for i in range(legs) for j in range(length - 1)
    ]
    return Graph(1 + legs * length, ends + steps)


@pytest.mark.parametrize("ratio", [Fraction(11, 10), Fraction(2), Fraction(9)])
@pytest.mark.parametrize(
    "graph",
    [
        *(spider(legs, length) for legs, length in ((3, 2), (6, 2), (5, 3), (4, 4))),
        *(Graph.from_networkx(nx.balanced_tree(k, 2)) for k in (2, 3)),
        Graph.from_networkx(nx.lollipop_graph(5, 3)),
        Graph.from_networkx(nx.complete_bipartite_graph(2, 6)),
        cycle(7),
        complete(6),
    ],
)
def test_symmetric_graphs_are_solved_by_orbits_and_proved_everywhere(
    graph: Graph, ratio: Fraction
) -> None:
    best = column_optimum(graph, ratio)
    assert len(best.part.sizes) < graph.order
    check_proof(best)
    assert float(best.value) == pytest.approx(direct_optimum(graph, ratio), rel=1e-7)


def test_a_large_symmetric_graph_is_settled_exactly() -> None:
    found = worst_case_leakage(spider(100, 2), ratio=2)
    assert found.upper == 4  # the radius bound λ²
    assert check(found.certificate) == [(1, Fraction(4), Fraction(4))]


# --- another way to the same ---


@pytest.mark.parametrize("n", [7, 12, 18])
def test_prices_amid_the_best_and_prices_at_a_vertex_prove_the_same(n: int) -> None:
    rng = random.Random(n)
    for ratio in (Fraction("1.2"), Fraction(2), Fraction(5)):
        graph = random_connected(n, rng.randrange(n), rng)
        amid = column_optimum(graph, ratio)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(worst, "solve_amid", lambda *args: None)
            vertex = column_optimum(graph, ratio)
        check_proof(amid)
        check_proof(vertex)
        assert amid.value == vertex.value


# --- numbers that would be too long ---


def test_where_numbers_would_be_too_long_both_ends_are_proved_and_close() -> None:
    rng = random.Random(4)
    tree = random_connected(12, 3, rng)
    exact = column_optimum(tree, Fraction(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worst, "MOST_BITS", 0)
        near = column_optimum(tree, Fraction(2))
        claimed = worst_case_leakage(tree, ratio=2)
    assert near.value <= exact.value <= near.bound
    assert near.bound - near.value < Fraction(1, 10**9)
    assert check(claimed.certificate) == [(1, near.value, near.bound)]
