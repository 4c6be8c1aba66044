import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

from leaktight.channels.channel import Channel
from leaktight.check import check
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.numbers import exact_array, fraction
from leaktight.exact.ratio import Ratio
from leaktight.leakage.capacity import min_capacity
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import Cover, DistanceMechanism, best_cover, coverage, weighting
from leaktight.worst_case.optimum import WorstCase, worst_case_leakage

RATIOS = [Fraction(1), Fraction(6, 5), Fraction(17, 10), Fraction(2), Fraction(3), Fraction(8)]
TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
FORK = Graph(5, [(0, 1), (1, 2), (2, 3), (2, 4)])
OTHER_TREE = Graph(5, [(0, 1), (1, 2), (1, 3), (2, 4)])
SPIDER = Graph(13, [(0, i) for i in range(1, 7)] + [(i, i + 6) for i in range(1, 7)])


def direct(graph: Graph, ratio: Fraction) -> float:
    """max Σ_j K_jj over private channels, by HiGHS on all n² variables: an independent route."""
    n, most = graph.order, float(ratio)
    arcs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    i, h = (np.repeat(arcs[:, k], n) for k in (0, 1))
    j = np.tile(np.arange(n), len(arcs))
    rows = np.arange(len(i))
    private = coo_array(
        (
            np.concatenate([np.ones(len(i)), np.full(len(i), -most)]),
            (np.concatenate([rows, rows]), np.concatenate([i * n + j, h * n + j])),
        ),
        shape=(len(i), n * n),
    )
    sums = coo_array((np.ones(n * n), (np.repeat(np.arange(n), n), np.arange(n * n))))
    found: Any = linprog(
        -np.eye(n).ravel(),
        A_ub=private.tocsr() if len(i) else None,  # type: ignore[call-overload]
        b_ub=np.zeros(len(i)) if len(i) else None,
        A_eq=sums.tocsr(),
        b_eq=np.ones(n),
    )
    return -float(found.fun)


def small_graphs(ratio: Fraction) -> Iterator[Graph]:
    """All graphs with up to five vertices, connected or not, and some of those with six.

    With each ratio others, so that all of them have their turn.
    """
    five, six = nx.graph_atlas_g()[1:53], nx.graph_atlas_g()[53:209]
    for graph in [*five, *six[RATIOS.index(ratio) :: len(RATIOS)]]:
        yield Graph.from_networkx(graph)


def check_everything(graph: Graph, ratio: Fraction) -> WorstCase:
    """exact ≤ cover ≤ radius ≤ diameter, and what the certificate and the mechanism say."""
    worst = worst_case_leakage(graph, ratio=ratio)
    assert worst.is_exact
    assert worst.lower == worst.upper
    assert check(worst.certificate) == [(1, worst.lower, worst.upper)]
    mechanism = worst.mechanism
    assert isinstance(mechanism, Channel)
    assert min_capacity(mechanism).factor == worst.lower
    assert privacy_level(mechanism, graph).ratio <= ratio
    assert worst.upper <= fraction(best_cover(graph, ratio)[0].bound) if ratio > 1 else True
    radii = sum(ratio**r for r in graph.component_radii)
    assert worst.upper <= radii <= sum(ratio**d for d in graph.component_diameters)
    return worst


@pytest.mark.parametrize("ratio", RATIOS)
def test_all_graphs_of_up_to_five_vertices_and_some_of_six(ratio: Fraction) -> None:
    for graph in small_graphs(ratio):
        worst = check_everything(graph, ratio)
        assert float(worst.upper) == pytest.approx(direct(graph, ratio), rel=1e-6)


@pytest.mark.parametrize("seed", range(200))
def test_random_graphs_connected_and_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(7, 26))
    pairs = np.argwhere(np.triu(rng.random((n, n)) < rng.choice([1.2, 2, 4]) / n, 1))
    graph, ratio = Graph.from_indices(n, pairs), Fraction(int(rng.integers(11, 80)), 10)
    worst = check_everything(graph, ratio)
    assert float(worst.upper) == pytest.approx(direct(graph, ratio), rel=1e-6)


@pytest.mark.parametrize(
    ("graph", "ratio", "value"),
    [
        (SecretGraph.line(4), "2", "2"),
        (Graph(4, [(0, 1), (0, 2), (0, 3)]), "2", "2"),
        (SPIDER, "2", "4"),
        (TREE, "2", "7/3"),
        (FORK, "7/4", "89/44"),
        (Graph(5, [(0, 1), (1, 2), (3, 4)]), "2", "3"),
        (Graph(7), "3", "7"),
        (Graph(1), "3", "1"),
        (TREE, "1", "1"),
        (Graph(5, [(0, 1), (1, 2), (3, 4)]), "1", "2"),
    ],
)
def test_the_numbers_of_the_register(graph: Graph, ratio: str, value: str) -> None:
    assert check_everything(graph, Fraction(ratio)).upper == Fraction(value)


def test_the_best_cover_is_not_always_the_worst_case() -> None:
    for graph, ratio, value in ((TREE, "2", "12/5"), (FORK, "7/4", "635/308")):
        cover, mechanism = best_cover(graph, Fraction(ratio))
        assert fraction(cover.bound) >= Fraction(value)
        assert float(fraction(cover.bound)) == pytest.approx(float(Fraction(value)), rel=1e-9)
        assert mechanism.value < cover.bound


def test_the_dual_of_the_path_is_its_weighting() -> None:
    weights = weighting(SecretGraph.line(4), Fraction(2))
    assert weights is not None
    assert weights.tolist() == exact_array(["2/3", "1/3", "1/3", "2/3"]).tolist()
    assert Cover.of(SecretGraph.line(4), Fraction(2), weights).bound == 2


def test_records_multiply() -> None:
    hamming = worst_case_leakage(Policy(SecretGraph.complete(3), records=2), ratio=2)
    assert hamming.upper == Fraction(9, 4)
    whole = worst_case_leakage(
        Policy(SecretGraph.complete(3), records=2).adjacency().explicit(), ratio=2
    )
    assert whole.upper == Fraction(9, 4)
    for records, bits in ((10, 5.4806), (100, 54.8059)):
        cube = worst_case_leakage(Policy(SecretGraph.complete(2), records=records), epsilon=1)
        assert cube.is_exact
        assert round(cube.bits, 4) == bits


def test_two_records_of_a_tree_are_an_interval_that_holds_the_truth() -> None:
    """The exact value for two records is 1.335684, above the square 1.334324."""
    two = Policy(OTHER_TREE, records=2)
    worst = worst_case_leakage(two, epsilon="0.1")
    assert not worst.is_exact
    assert round(float(worst.lower), 6) == 1.334324
    assert round(float(worst.upper), 6) == 1.337056  # V·C, below C² = 1.339794
    true = direct(two.adjacency().explicit(), Ratio.of(epsilon="0.1").lower)
    assert round(true, 6) == 1.335684
    assert worst.lower < true < worst.upper


def test_records_of_two_kinds_are_not_the_product_of_their_worst_cases() -> None:
    """289/100 is the square of one record's worst case, 3789/1300 that of both."""
    tree = Graph(5, [(0, 1), (0, 3), (0, 4), (1, 2)])
    other = Graph(list("abcde"), [("a", "b"), ("a", "d"), ("a", "e"), ("b", "c")])
    both = AdjacencyGraph.of_records([tree, other])
    worst, true = worst_case_leakage(both, ratio="3/2"), Fraction(3789, 1300)
    assert worst_case_leakage(both.explicit(), ratio="3/2").upper == true
    assert worst.lower == Fraction(289, 100) < true < worst.upper
    assert not worst.is_exact
    assert "between" in repr(worst)


def random_graph(rng: np.random.Generator) -> Graph:
    n = int(rng.integers(2, 6))
    return Graph.from_indices(n, np.argwhere(np.triu(rng.random((n, n)) < 0.6, 1)))


@pytest.mark.parametrize("seed", range(60))
def test_any_product_holds_what_the_direct_program_finds(seed: int) -> None:
    """Records alike, of two kinds and interleaved, against all databases listed one by one."""
    rng = np.random.default_rng(seed)
    one, other = OTHER_TREE if seed % 3 else random_graph(rng), random_graph(rng)
    graphs = [[one, other], [one, one], [other, Graph(2, [(0, 1)]), other]][seed % 3]
    if np.prod([graph.order for graph in graphs]) > 30:
        graphs = graphs[:2]
    ratio = Fraction(int(rng.integers(11, 50)), 10)
    product = AdjacencyGraph.of_records(graphs)
    worst, true = worst_case_leakage(product, ratio=ratio), direct(product.explicit(), ratio)
    assert float(worst.lower) <= true * (1 + 1e-7)
    assert true <= float(worst.upper) * (1 + 1e-7)
    if worst.is_exact:
        assert worst.lower == worst.upper
    found = check(worst.certificate)
    assert math.prod(lower**n for n, lower, _ in found) == worst.lower
    assert math.prod(upper**n for n, _, upper in found) == worst.upper
    covers = [fraction(best_cover(graph, ratio)[0].bound) for graph in graphs]
    assert float(worst.upper) <= float(math.prod(covers)) * (1 + 1e-9)


def test_prices_that_are_nowhere_negative_are_a_cover() -> None:
    """The star has V = λ up to 2, by a cover of its centre, though its weighting is negative."""
    star = Policy(Graph(4, [(0, 1), (0, 2), (0, 3)]), records=3)
    worst = worst_case_leakage(star, ratio="11/10")
    assert worst.is_exact
    assert worst.upper == Fraction(11, 10) ** 3


def test_the_record_whose_prices_gain_most_is_proved_by_them() -> None:
    """Only one may be; and where one alone has no exact cover, the product is exact."""
    line, most = Graph(["a", "b"], [("a", "b")]), Fraction(3, 2)
    exact = worst_case_leakage(AdjacencyGraph.of_records([line, TREE, line]), ratio=2)
    assert exact.is_exact
    assert exact.upper == Fraction(4, 3) ** 2 * Fraction(7, 3)
    two_legs = Graph(7, [(0, 1), (0, 2), (0, 3), (3, 4), (0, 5), (5, 6)])
    graphs = [Graph(5, [(0, 1), (0, 3), (0, 4), (1, 2)]), two_legs]
    covers = [fraction(best_cover(g, most)[0].bound) for g in graphs]
    values = [worst_case_leakage(g, ratio=most).upper for g in graphs]
    assert covers[0] > values[0] + Fraction(1, 100)
    assert covers[1] > values[1] + Fraction(1, 100)
    ends = [covers[0] * values[1], values[0] * covers[1]]
    for order in (graphs, graphs[::-1]):
        found = worst_case_leakage(AdjacencyGraph.of_records(order), ratio=most)
        assert found.upper == min(ends) < max(ends)


def test_a_million_records_cost_no_more_than_one() -> None:
    secrets = SecretGraph.threshold(50, distance=3)
    exact = worst_case_leakage(Policy(secrets, records=10**6), ratio=2)
    assert exact.is_exact
    ((records, lower, upper),) = check(exact.certificate)
    assert (records, lower) == (10**6, upper)
    assert exact.bits == pytest.approx(10**6 * np.log2(float(upper)), rel=1e-12)
    apart = worst_case_leakage(Policy(secrets, records=10**6), ratio="11/10")
    assert not apart.is_exact
    low, high = apart.bits_interval
    assert low < high < low * 1.01
    assert "between" in repr(apart)


def test_epsilon_40_and_a_ratio_that_is_only_enclosed() -> None:
    worst = worst_case_leakage(TREE, epsilon=40)
    assert worst.is_exact
    assert worst.lower <= worst.upper < 6
    assert worst.bits_interval[0] > 2.58496
    assert check(worst.certificate)[0][1:] == (worst.lower, worst.upper)
    mechanism = worst.mechanism
    assert isinstance(mechanism, Channel)
    assert privacy_level(mechanism, TREE).holds(epsilon=40)


def test_a_large_graph_gets_an_interval() -> None:
    rng = np.random.default_rng(5)
    points = rng.random((110, 2))
    close = ((points[:, None] - points) ** 2).sum(axis=2) < 0.015
    graph = Graph.from_indices(110, np.argwhere(np.triu(close, 1)))
    worst = worst_case_leakage(graph, ratio=2)
    low, high = worst.bits_interval
    assert 0 < low <= high
    assert check(worst.certificate)[0][1:] == (worst.lower, worst.upper)


def test_a_mechanism_that_is_too_large_is_not_written_out() -> None:
    cube = Policy(SecretGraph.complete(2), records=12).adjacency().explicit()
    worst = worst_case_leakage(cube, ratio=2)
    assert worst.upper == Fraction(4, 3) ** 12
    with pytest.raises(TooLarge, match="too many to write"):
        _ = worst.mechanism


def test_any_weights_give_a_bound_and_a_private_channel() -> None:
    rng = np.random.default_rng(8)
    for graph in (TREE, FORK, SPIDER, SecretGraph.cycle(7)):
        truth = worst_case_leakage(graph, ratio="5/3").upper
        weights = exact_array(rng.integers(1, 9, graph.order).tolist())
        assert fraction(Cover.of(graph, Fraction(5, 3), weights).bound) >= truth
        mechanism = DistanceMechanism.of(graph, Fraction(5, 3), weights)
        assert (
            fraction(mechanism.value)
            == min_capacity(Channel(mechanism.matrix, graph.vertices)).factor
            <= truth
        )
        assert privacy_level(Channel(mechanism.matrix, graph.vertices), graph).ratio <= Fraction(
            5, 3
        )


def test_coverage_is_the_same_by_every_route() -> None:
    for graph in (TREE, SecretGraph.cycle(6), Graph(4, [(0, 1)])):
        for numbers in (["1/3"] * graph.order, list(range(1, graph.order + 1))):
            weights = exact_array(numbers)
            expected = [
                sum(
                    fraction(weights[i]) / 3 ** graph.distance(i, j)
                    for i in range(graph.order)
                    if graph.distance(i, j) < graph.order
                )
                for j in range(graph.order)
            ]
            assert [fraction(c) for c in coverage(graph, Fraction(3), weights)] == expected


def test_a_ratio_below_one_is_refused() -> None:
    with pytest.raises(InvalidNumber, match="at least 1"):
        worst_case_leakage(TREE, ratio="1/2")


def test_a_ratio_that_floats_hardly_tell_from_1_is_settled() -> None:
    edges = [(2, 3), (0, 4), (0, 1), (1, 4), (1, 5), (2, 4), (4, 5), (0, 2), (1, 3)]
    ratio = 1 + Fraction(1, 10**9)
    worst = worst_case_leakage(Graph(6, edges), ratio)
    assert check(worst.certificate) == [(1, worst.lower, worst.upper)]
    # Between one vertex and its farthest, three steps away, and the covers of radius 2.
    assert 2 * ratio / (1 + ratio) <= worst.upper <= ratio**2


def test_an_interval_beside_an_exact_component_is_no_exact_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tree is bounded by its cover alone, 12/5, and is 7/3; a vertex by itself is exact."""
    monkeypatch.setattr("leaktight.worst_case.records.MOST_WORK", 0)
    monkeypatch.setattr("leaktight.worst_case.records.MOST_IN_TREE", 0)
    both = SecretGraph.from_edges(7, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    worst = worst_case_leakage(both, ratio=2)
    assert worst.lower < worst.upper
    assert not worst.is_exact
    assert worst.lower <= 1 + Fraction(7, 3) <= worst.upper


def test_both_ends_of_what_is_only_enclosed_are_rounded_outward() -> None:
    """The tree of DESIGN.md, of which n records are known to within one bit only."""
    tree = SecretGraph.from_edges(5, [(0, 1), (1, 2), (1, 3), (2, 4)])
    worst = worst_case_leakage(Policy(tree, records=4_000_000), epsilon="0.1")
    low, high = (int(n.replace(",", "")) for n in re.findall(r"\d[\d,]{5,}", repr(worst)))
    assert low <= worst.bits_interval[0] <= worst.bits_interval[1] <= high
    assert low < high
