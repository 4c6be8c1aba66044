"""Trees: the program over edges, the program over columns, and a checker that trusts neither."""

import random
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.check import check
from leaktight.errors import InvalidGraph, InvalidNumber
from leaktight.exact.numbers import fraction, rational
from leaktight.leakage import min_capacity
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy import privacy_level
from leaktight.worst_case.columns import column_optimum, tree_optimum
from leaktight.worst_case.optimum import worst_case_leakage
from tests.strategies.fractions import fractions

RATIOS = fractions(Fraction(21, 20), 6, max_denominator=20)


@st.composite
def trees(draw: st.DrawFn, most: int = 12) -> Graph:
    n = draw(st.integers(2, most))
    return Graph(n, [(draw(st.integers(0, v - 1)), v) for v in range(1, n)])


def random_tree(n: int, hubs: int) -> Graph:
    rng = random.Random(n + hubs)
    return Graph.from_indices(n, [(rng.randrange(max(1, v // hubs)), v) for v in range(1, n)])


@settings(max_examples=60, deadline=None)
@given(trees(), RATIOS)
def test_edges_and_columns_agree_and_the_mechanism_attains_it(tree: Graph, ratio: Fraction) -> None:
    best = tree_optimum(tree, ratio)
    assert best.value == best.bound == column_optimum(tree, ratio).value
    channel = Channel(best.matrix, tree.vertices)
    assert privacy_level(channel, tree).ratio <= ratio
    assert min_capacity(channel).factor == best.value


@settings(max_examples=60, deadline=None)
@given(trees(), RATIOS, st.data())
def test_prices_pay_for_every_vertex_as_the_proof_says(
    tree: Graph, ratio: Fraction, data: st.DataObject
) -> None:
    best, most = tree_optimum(tree, ratio), rational(ratio)
    assert fraction(best.prices.sum()) == best.bound
    levels = data.draw(st.lists(st.integers(-1, 1), min_size=tree.order, max_size=tree.order))
    column = [fmpq(1)] * tree.order
    for parent, child in best._outward():  # any private column whose steps are -1, 0 or 1
        column[child] = column[parent] * most ** levels[child]
    assert sum(y * c for y, c in zip(best.prices, column, strict=True)) >= max(column)


@settings(max_examples=30, deadline=None)
@given(trees(), RATIOS, st.data())
def test_any_weights_bound_it(tree: Graph, ratio: Fraction, data: st.DataObject) -> None:
    best = worst_case_leakage(tree, ratio=ratio)
    written = st.lists(st.integers(1, 5), min_size=tree.order, max_size=tree.order)
    weights, proof, total = data.draw(written), best.certificate, Fraction(0)
    part = {"vertices": list(range(tree.order)), "weights": [*map(str, weights)]}
    for i, j in tree.edges.tolist():
        total -= min(weights[i], weights[j], (weights[i] + weights[j]) / (1 + ratio))
    total += sum(weights)
    proof["pieces"][0] |= {"parts": [part], "upper": str(total)}
    assert check(proof) == [(1, best.upper, total)]
    assert total >= best.upper


@pytest.mark.parametrize("hubs", [1, 10])
def test_a_tree_of_a_thousand_values_is_exact_and_its_certificate_short(hubs: int) -> None:
    tree = random_tree(1000, hubs)
    worst = worst_case_leakage(tree, ratio=2)
    assert worst.is_exact
    assert worst.route == "tree"
    proof = worst.certificate
    assert check(proof) == [(1, worst.lower, worst.upper)]
    assert "mechanism" not in proof["pieces"][0]


def test_a_star_attains_the_radius_bound_and_spiders_that_of_their_bodies() -> None:
    star = Graph(50, [(0, leaf) for leaf in range(1, 50)])
    assert tree_optimum(star, Fraction(3, 2)).value == Fraction(3, 2)
    legs = [(0, 1 + leg) for leg in range(6)] + [(1 + leg, 7 + leg) for leg in range(6)]
    assert tree_optimum(Graph(13, legs), Fraction(2)).value == 4


def test_forests_have_steps_and_other_graphs_beside_a_tree_a_mechanism() -> None:
    tree = [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)]
    forest = worst_case_leakage(Graph(9, [*tree, (6, 7)]), ratio=2)
    assert forest.lower == Fraction(7, 3) + Fraction(4, 3) + 1  # the tree, an edge, a vertex
    assert check(forest.certificate) == [(1, forest.lower, forest.upper)]
    assert "steps" in forest.certificate["pieces"][0]
    beside = worst_case_leakage(Graph(9, [*tree, (6, 7), (7, 8), (6, 8)]), ratio=2)
    assert beside.lower == Fraction(7, 3) + Fraction(3, 2)
    assert check(beside.certificate) == [(1, beside.lower, beside.upper)]
    assert "mechanism" in beside.certificate["pieces"][0]


def test_records_of_a_tree_are_bounded_by_covers_but_one() -> None:
    tree = Graph(5, [(0, 1), (1, 2), (1, 3), (2, 4)])
    policy = Policy(SecretGraph.from_indices(5, tree.edges), records=3)
    worst = worst_case_leakage(policy, epsilon="0.1")
    kinds = check(worst.certificate)
    attained = proved = Fraction(1)
    for times, lower, upper in kinds:
        attained, proved = attained * lower**times, proved * upper**times
    assert (attained, proved) == (worst.lower, worst.upper)


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(InvalidGraph, match="must be a tree"):
        tree_optimum(Graph(3, [(0, 1), (1, 2), (0, 2)]), Fraction(2))
    with pytest.raises(InvalidGraph, match="must be a tree"):
        tree_optimum(Graph(4, [(0, 1), (2, 3)]), Fraction(2))
    with pytest.raises(InvalidNumber, match="above 1"):
        tree_optimum(Graph(2, [(0, 1)]), Fraction(1))
