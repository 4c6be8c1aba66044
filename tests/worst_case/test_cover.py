"""Weightings by blocks and factors, against the equations that define them."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from leaktight.exact.numbers import Array, exact_array, fraction, rational
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetry import automorphism_group
from leaktight.worst_case.columns import (
    Cover,
    DistanceMechanism,
    coverage,
    coverage_below,
    total_weight,
    weighting,
)
from leaktight.worst_case.optimum import worst_case_leakage
from tests.strategies.fractions import fractions
from tests.strategies.graphs import secret_graphs

RATIOS = [Fraction(r) for r in ("1.05", "3/2", "2", "3", "8", "1e400")]
SHORT = fractions(0, 3, max_denominator=7)
LONG = st.integers(0, 3 * 10**30).map(lambda k: Fraction(k, 10**30))
connected = secret_graphs(most=8).filter(lambda graph: graph.is_connected)


def by_definition(graph: Graph, ratio: Fraction) -> Array | None:
    """Solve Σ_j λ^(−d(i,j))·w_j = 1 for all i; None if that is not unique or not w ≥ 0."""
    n, q = graph.order, 1 / rational(ratio)
    table = fmpq_mat(n, n, [q ** int(d) for d in graph.distances.ravel()])
    try:
        solved = table.solve(fmpq_mat(n, 1, [1] * n)).entries()
    except ZeroDivisionError:
        return None
    return exact_array(solved) if min(solved) >= 0 else None


def same(ours: Array | None, theirs: Array | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return np.array_equal(ours, theirs)


@given(connected, st.sampled_from(RATIOS))
def test_the_weighting_solves_its_equations(graph: Graph, ratio: Fraction) -> None:
    assert same(weighting(graph, ratio), by_definition(graph, ratio))


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(
    "graph",
    [
        SecretGraph.grid(3, 4),
        SecretGraph.grid(2, 3, 2),
        SecretGraph.product(SecretGraph.cycle(5), SecretGraph.line(3)),
        SecretGraph.product(SecretGraph.line(3).with_absent("-"), SecretGraph.complete(3)),
        SecretGraph.threshold(range(9), distance=3),
        Graph.from_networkx(nx.barbell_graph(4, 3)),
        Graph.from_networkx(nx.lollipop_graph(5, 3)),
        Graph.from_networkx(nx.windmill_graph(3, 4)),
        Graph.from_networkx(nx.ladder_graph(5)),
        Graph.from_networkx(nx.petersen_graph()),
        Graph.from_networkx(nx.cubical_graph()),
        Graph.from_networkx(nx.wheel_graph(7)),
        Graph.from_networkx(nx.balanced_tree(3, 2)),
    ],
    ids=repr,
)
def test_blocks_and_factors_give_the_weighting(graph: Graph, ratio: Fraction) -> None:
    ours = weighting(graph, ratio)
    assert same(ours, by_definition(graph, ratio))
    if ours is not None:
        assert (coverage(graph, ratio, ours) == 1).all()
        attained = DistanceMechanism.of(graph, ratio, ours).value
        assert attained == ours.sum()
        assert worst_case_leakage(graph, ratio).lower == fraction(attained)


def test_a_tree_has_the_weighting_of_its_degrees() -> None:
    tree, q = Graph.from_networkx(nx.balanced_tree(2, 9)), fmpq(1, 3)
    ours = weighting(tree, Fraction(3))
    assert ours is not None
    assert ours.tolist() == [(1 - (degree - 1) * q) / (1 + q) for degree in tree.degrees.tolist()]
    assert weighting(tree, Fraction(19, 10)) is None  # a vertex with three neighbours


def test_large_graphs_with_a_structure_need_no_table_of_distances() -> None:
    q = Fraction(1, 2)
    line = SecretGraph.line(50_000)
    assert worst_case_leakage(line, ratio=2).upper == (2 + 49_998 * (1 - q)) / (1 + q)
    grid = SecretGraph.grid(100, 150)
    sides = [(2 + (n - 2) * (1 - q)) / (1 + q) for n in (100, 150)]
    assert worst_case_leakage(grid, ratio=2).upper == sides[0] * sides[1]
    ring = SecretGraph.cycle(20_001)
    around = 3 - q**9999  # 1 + 2·(q + q² + … + q^10000)
    assert worst_case_leakage(ring, ratio=2).upper == 20_001 / around
    for graph in (line, grid, ring):
        assert "distances" not in graph.__dict__


@given(connected, st.data())
def test_what_is_left_of_the_rows_is_private_however_steep(
    graph: Graph, data: st.DataObject
) -> None:
    some = st.lists(SHORT | LONG, min_size=graph.order, max_size=graph.order).filter(any)
    weights, ratio = exact_array(data.draw(some)), data.draw(st.sampled_from(RATIOS))
    made = DistanceMechanism.of(graph, ratio, weights)
    used, most = coverage(graph, ratio, weights), rational(ratio)
    slopes = [most * used[h] - used[i] for a, b in graph.edges for i, h in ((a, b), (b, a))]
    limits = [1 / used.max(), *((most - 1) / slope for slope in slopes if slope > 0)]
    assert made.scale == min(limits)
    assert total_weight(weights) == weights.sum()


@given(connected, st.sampled_from(RATIOS), st.data())
def test_what_is_covered_is_that_of_the_definition_also_by_orbits(
    graph: SecretGraph, ratio: Fraction, data: st.DataObject
) -> None:
    orbits = automorphism_group(graph).orbit_labels
    count = int(orbits.max()) + 1
    each = data.draw(
        st.lists(data.draw(st.sampled_from([SHORT, LONG])), min_size=count, max_size=count)
    )
    weights = exact_array(each)[orbits]
    q = 1 / rational(ratio)
    expected = [
        sum((q ** int(d) * b for d, b in zip(row, weights, strict=True)), fmpq(0))
        for row in graph.distances
    ]
    assert coverage(graph, ratio, weights).tolist() == expected
    assert coverage(graph, ratio, weights, orbits).tolist() == expected


EXTREME = [Fraction(1001, 1000), Fraction(2), Fraction(10**9), Fraction(10**400)]


@given(connected, st.sampled_from(EXTREME), st.data())
def test_what_is_covered_quickly_is_never_more_and_hardly_less(
    graph: SecretGraph, ratio: Fraction, data: st.DataObject
) -> None:
    tiny = st.sampled_from([Fraction(0), Fraction(1, 10**400), Fraction(1, 10**320)])
    some = tiny | SHORT | LONG
    weights = exact_array(
        data.draw(st.lists(some, min_size=graph.order, max_size=graph.order).filter(any))
    )
    exact = coverage(graph, ratio, weights)
    near = coverage_below(graph, rational(ratio), weights)
    assert (near <= exact).all()
    assert (near >= weights).all()
    large = fmpq(1, 10**200)  # of smaller sums floats keep few digits
    lost = [1 - low / most for low, most in zip(near, exact, strict=True) if most > large]
    assert all(each < fmpq(1, 10**9) for each in lost)


@given(connected, st.sampled_from(RATIOS[:5]), st.data())
def test_any_weights_bound_the_worst_case_by_their_least_coverage(
    graph: SecretGraph, ratio: Fraction, data: st.DataObject
) -> None:
    some = st.lists(SHORT | LONG, min_size=graph.order, max_size=graph.order).filter(any)
    weights = exact_array(data.draw(some))
    bound = Cover.of(graph, ratio, weights).bound
    assert bound == weights.sum() / min(coverage(graph, ratio, weights))
    assert fraction(bound) >= worst_case_leakage(graph, ratio=ratio).lower
