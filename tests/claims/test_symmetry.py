"""Claims about automorphisms, symmetric graphs and symmetrised channels."""

import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import networkx
import numpy as np
import pytest

from leaktight.adjacency import AdjacencyGraph
from leaktight.channel import Channel
from leaktight.graph import Graph
from leaktight.regularity import (
    DistanceDistribution,
    DistanceIrregularity,
    IntersectionArray,
    distance_distribution,
    distance_regularity,
    vertex_transitivity,
)
from leaktight.sharply_transitive import (
    CountingObstruction,
    SharplyTransitiveSet,
    sharply_transitive_set,
)
from leaktight.symmetrise import diagonal_form, symmetrise, symmetrise_by_distance
from leaktight.symmetry import AutomorphismGroup, automorphism_group
from leaktight.wreath import WreathGroup
from tests.named_graphs import (
    box,
    chang,
    complement,
    complete,
    cycle,
    disjoint,
    hamming,
    line_graph,
    path,
    paw,
    petersen,
    prism,
    star,
    triangular,
)
from tests.test_sharply_transitive import check as check_sharply_transitive
from tests.test_symmetrise import check_kept, is_private, private_channel, rows_of, sum_of_maxima

small = [star(3), path(3), cycle(5), star(4), paw(), disjoint(path(3), path(2))]


def as_set(permutations: Any) -> set[tuple[int, ...]]:
    return {tuple(map(int, p)) for p in permutations}


# --- Edwards et al. ------------------------------------------------------------------------


@pytest.mark.parametrize("graph", small)
def test_lemmas_16_and_17(graph: Graph) -> None:
    """For Γ ≤ Aut and σ ∈ Γ_{u→v}: Γ_{u→v} = σΓ_u = Γ_vσ. (Printed "Γ ∈ Aut".)"""
    group = automorphism_group(graph)
    for u, v in product(graph.vertices, repeat=2):
        coset = as_set(group.taking(u, v))
        for sigma in group.taking(u, v):
            assert as_set(sigma[gamma] for gamma in group.taking(u, u)) == coset
            assert as_set(gamma[sigma] for gamma in group.taking(v, v)) == coset


@pytest.mark.parametrize("graph", small)
def test_lemmas_18_and_19(graph: Graph) -> None:
    """If v ∈ Γ(u), then |Γ_{u→v}| = |Γ_u| = |Γ| / |Γ(u)| = |Γ_v|."""
    group = automorphism_group(graph)
    for orbit in group.orbits:
        for u, v in product(orbit, repeat=2):
            assert len(group.taking(u, v)) == len(group.taking(u, u)) == len(group.taking(v, v))
            assert len(group.taking(u, v)) == group.order / len(orbit) == group.stabiliser_order(u)


def test_lemma_18_needs_a_common_orbit() -> None:
    """Printed without v ∈ Γ(u) it is false: an end and the middle of a path give 0, 1 and 2."""
    group = automorphism_group(path(3))
    assert len(group.taking(0, 1)) == 0
    assert (group.stabiliser_order(0), group.stabiliser_order(1)) == (1, 2)


def test_lemma_20() -> None:
    """Columns with a common likeliest row merge; Σ max and privacy stay."""
    channel = Channel([["1/2", "1/4", "1/4"], ["1/4", "3/8", "3/8"]])
    form = diagonal_form(channel)
    assert rows_of(form) == [[Fraction(1, 2)] * 2, [Fraction(1, 4), Fraction(3, 4)]]
    assert sum_of_maxima(rows_of(form)) == Fraction(5, 4)
    assert is_private(rows_of(form), path(2), Fraction(2))
    assert not is_private(rows_of(form), path(2), Fraction(2) - Fraction(1, 10**6))


def test_lemma_21() -> None:
    """The diagonal (1/2, 3/4) becomes (5/8, 5/8) and Σ max stays 5/4."""
    channel = Channel([["1/2", "1/4", "1/4"], ["1/4", "3/8", "3/8"]])
    after = symmetrise(channel, automorphism_group(path(2)))
    assert (after[0, 0], after[1, 1]) == (Fraction(5, 8), Fraction(5, 8))
    assert sum_of_maxima(rows_of(after)) == Fraction(5, 4)


@pytest.mark.parametrize("graph", [path(4), paw(), disjoint(path(2), path(2)), star(4)])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3, 2), Fraction(3)])
def test_lemmas_20_and_21_on_random_channels(graph: Graph, ratio: Fraction) -> None:
    """Both transformations give a channel, keep privacy and Σ max; maxima on the diagonal."""
    rng = random.Random(21)
    for outputs in (2, graph.order, graph.order + 3):
        channel = private_channel(graph, outputs, ratio, rng)
        check_kept(channel, diagonal_form(channel), graph, ratio)
        after = symmetrise(channel, automorphism_group(graph))
        check_kept(channel, after, graph, ratio)
        for orbit in automorphism_group(graph).orbits:
            assert len({after[v, v] for v in orbit}) == 1


def test_theorem_22() -> None:
    """If I = T^n and φ_i ∈ Aut(G), then (φ_1, …, φ_n) is an automorphism of the databases."""
    graph = AdjacencyGraph.of(path(3), 2).explicit()
    images = automorphism_group(path(3)).elements.tolist()
    maps = [
        AutomorphismGroup(graph, [lambda d, a=a, b=b: (a[d[0]], b[d[1]])])  # type: ignore[misc]
        for a, b in product(images, repeat=2)
    ]
    assert len({tuple(m.generators[0].tolist()) for m in maps}) == 4


@pytest.mark.parametrize(
    ("graph", "relabelled", "with_exchange", "everything"),
    [
        (complete(3), 36, 72, 72),
        (path(3), 4, 8, 8),
        (cycle(4), 64, 128, 384),
        (cycle(5), 100, 200, 200),
    ],
)
def test_remark_23(graph: Graph, relabelled: int, with_exchange: int, everything: int) -> None:
    """Exchanging records gives more automorphisms than Theorem 22; even so C4□C4 has others."""
    squared = AdjacencyGraph.of(graph, 2)
    explicit = squared.explicit()
    exchange = AutomorphismGroup(explicit, [lambda d: (d[1], d[0])])
    assert exchange.order == 2
    assert automorphism_group(graph).order ** 2 == relabelled
    assert WreathGroup.of(squared).order == with_exchange
    assert automorphism_group(explicit).order == everything


def test_remark_23_without_edges() -> None:
    """A graph without edges: (|T|^n)! automorphisms."""
    assert automorphism_group(AdjacencyGraph.of(Graph(2), 3).explicit()).order == 40320


@pytest.mark.parametrize("m", [3, 4, 5])
def test_example_24(m: int) -> None:
    """|Aut(C_m)| = 2m for m ≥ 3, and Aut(K_m) is Sym(m)."""
    assert automorphism_group(cycle(m)).order == 2 * m
    assert automorphism_group(complete(4)).order == 24
    assert automorphism_group(complete(2)).order == 2  # where 2m would be 4


# --- Alvim et al., the trade-off -----------------------------------------------------------


@pytest.mark.parametrize(("values", "records"), [(2, 2), (3, 2), (2, 3)])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(17, 10), Fraction(3)])
def test_lemma_2_of_the_trade_off(values: int, records: int, ratio: Fraction) -> None:
    """On Val^u the mean over each distance keeps privacy and Σ max; the diagonal is constant."""
    graph = hamming(records, values)
    channel = private_channel(graph, graph.order + 1, ratio, random.Random(2))
    after = symmetrise_by_distance(channel, graph)
    check_kept(channel, after, graph, ratio)
    assert len({after[v, v] for v in graph.vertices}) == 1
    assert after == symmetrise(channel, automorphism_group(graph))
    # The formula as printed: 1/(n |B|) times the sum over all pairs at the distance of (h, k).
    matrix, lengths, n = rows_of(diagonal_form(channel)), graph.distances, graph.order
    for h, k in product(range(n), repeat=2):
        border = int((lengths[h] == lengths[h, k]).sum())
        pairs = np.argwhere(lengths == lengths[h, k]).tolist()
        mean = sum(matrix[i][j] for i, j in pairs) / (n * border)
        assert after[graph.vertices[h], graph.vertices[k]] == mean


def test_the_proof_of_lemma_2_compares_columns_where_it_cannot() -> None:
    """K_ij ≤ λ K_ij′ for adjacent columns fails on a private channel: 9/10 against 1/10."""
    channel = Channel([["9/10", "1/10"], ["8/10", "2/10"]])
    rows = rows_of(channel)
    assert is_private(rows, path(2), Fraction(2))
    assert rows[0][0] > 2 * rows[0][1]


@pytest.mark.parametrize("n", [3, 5, 6, 7])
def test_lemma_5_of_the_trade_off(n: int) -> None:
    """M′_hk = 1/n Σ_i M_{σ^i h, σ^i k} for an automorphism σ with one orbit."""
    graph = cycle(n)
    turn = AutomorphismGroup(graph, [lambda v: (v + 1) % n])
    channel = private_channel(graph, n + 2, Fraction(2), random.Random(n))
    after = symmetrise(channel, turn)
    check_kept(channel, after, graph, Fraction(2))
    matrix = rows_of(diagonal_form(channel))
    for h, k in product(range(n), repeat=2):
        assert after[h, k] == sum(matrix[(h + i) % n][(k + i) % n] for i in range(n)) / n


# --- Alvim et al., the notes ---------------------------------------------------------------


def test_definition_8() -> None:
    """Petersen is distance-regular with {3, 2; 1, 1}; the prism is not."""
    assert distance_regularity(petersen()) == IntersectionArray((3, 2), (1, 1))
    assert isinstance(distance_regularity(prism()), DistanceIrregularity)


def test_definition_9_holds_for_petersen_although_it_is_no_cayley_graph() -> None:
    """Ten automorphisms take each vertex once to each; no group of order 10 does.

    A group of order 10 has an element of order 2, which here would have to move every vertex.
    """
    found = sharply_transitive_set(petersen())
    assert isinstance(found, SharplyTransitiveSet)
    check_sharply_transitive(petersen(), found)
    identity = np.arange(10)
    everything = automorphism_group(petersen()).elements
    assert len(everything) == 120
    involutions = [g for g in everything if (g[g] == identity).all() and (g != identity).any()]
    assert all((g == identity).any() for g in involutions)


def test_definition_9_is_stricter_than_vertex_transitivity() -> None:
    """T(6): every image of a star meets a triangle in 0 or 2 edges, yet 15 is odd."""
    graph = triangular(6)
    assert vertex_transitivity(graph)
    assert isinstance(sharply_transitive_set(graph), CountingObstruction)
    everything = automorphism_group(graph).elements
    assert len(everything) == 720
    triangle = {graph.index(e) for e in combinations(range(3), 2)}
    star_of_0 = [graph.index((0, leaf)) for leaf in range(1, 6)]
    met = {len(triangle & set(image)) for image in everything[:, star_of_0].tolist()}
    assert met == {0, 2}


@pytest.mark.parametrize("graph", [line_graph(petersen()), box(triangular(6), complete(2))])
def test_two_more_graphs_with_one_orbit_are_not_vt_plus(graph: Graph) -> None:
    """L(Petersen) and T(6)□K2 are vertex-transitive and have no sharply transitive set."""
    assert vertex_transitivity(graph)
    assert not sharply_transitive_set(graph)


def test_all_vertex_transitive_graphs_of_up_to_seven_vertices_are_vt_plus() -> None:
    """There are 1, 2, 2, 4, 3, 8, 4 of them on 1, …, 7 vertices."""
    counts = [0] * 8
    for drawn in networkx.graph_atlas_g()[1:]:
        graph = Graph.from_networkx(drawn)
        if vertex_transitivity(graph):
            counts[graph.order] += 1
            found = sharply_transitive_set(graph)
            assert isinstance(found, SharplyTransitiveSet)
            check_sharply_transitive(graph, found)
    assert counts[1:] == [1, 2, 2, 4, 3, 8, 4]


def test_neither_distance_regular_nor_vt_plus_contains_the_other() -> None:
    """The prism is VT+ and not distance-regular; the Chang graph the other way round."""
    assert sharply_transitive_set(prism())
    assert not distance_regularity(prism())
    assert distance_regularity(chang()) == IntersectionArray((12, 5), (1, 4))
    assert not vertex_transitivity(chang())


@pytest.mark.parametrize(("records", "values"), [(1, 3), (2, 2), (2, 3), (3, 2)])
def test_proposition_4(records: int, values: int) -> None:
    """Val^Ind is distance-regular, b_i = (u − i)(v − 1) and c_i = i, and VT+."""
    graph = hamming(records, values)
    b = tuple((records - i) * (values - 1) for i in range(records))
    assert distance_regularity(graph) == IntersectionArray(b, tuple(range(1, records + 1)))
    found = sharply_transitive_set(graph)
    assert isinstance(found, SharplyTransitiveSet)
    check_sharply_transitive(graph, found)


@pytest.mark.parametrize(
    ("graph", "worst"),
    [
        (petersen(), Fraction(5, 2)),
        (complement(disjoint(cycle(3), cycle(4))), Fraction(2)),
        (disjoint(complete(2), complete(2)), Fraction(8, 3)),
    ],
)
def test_theorem_1_needs_only_equal_distances(graph: Graph, worst: Fraction) -> None:
    """|V| / Σ n_d λ^(−d) at λ = 2, attained by the channel α λ^(−d(x, z))."""
    found = distance_distribution(graph)
    assert isinstance(found, DistanceDistribution)
    whole = sum(count / Fraction(2) ** d for d, count in enumerate(found.counts))
    assert graph.order / whole == worst
    lengths = graph.distances.tolist()
    rows = [[0 if d < 0 else 1 / (whole * 2**d) for d in row] for row in lengths]
    channel = Channel(rows, inputs=graph.vertices)
    assert is_private(rows_of(channel), graph, Fraction(2))
    assert sum_of_maxima(rows_of(channel)) == worst
