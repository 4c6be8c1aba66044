"""Making a channel symmetric keeps its row sums, its privacy and Σ max."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.symmetrise import diagonal_form, symmetrise, symmetrise_by_distance
from leaktight.errors import InvalidGraph, Mismatch
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.symmetry import AutomorphismGroup, automorphism_group, vertex_transitivity
from tests.policies.test_automorphisms import graphs
from tests.strategies.channels import channels
from tests.strategies.named_graphs import (
    box,
    chang,
    complete,
    cube,
    cycle,
    disjoint,
    path,
    paw,
    petersen,
    prism,
    star,
)

Rows = list[list[Fraction]]


def rows_of(channel: Channel) -> Rows:
    return [[Fraction(int(p.p), int(p.q)) for p in row] for row in channel.matrix]


def sum_of_maxima(rows: Rows) -> Fraction:
    return sum((max(column) for column in zip(*rows, strict=True)), Fraction(0))


def is_private(rows: Rows, graph: Graph, ratio: Fraction) -> bool:
    return all(
        p <= ratio * q and q <= ratio * p
        for i, h in graph.edges.tolist()
        for p, q in zip(rows[i], rows[h], strict=True)
    )


def private_channel(graph: Graph, outputs: int, ratio: Fraction, rng: random.Random) -> Channel:
    """A random channel that is private on ``graph`` by construction, tight on many edges.

    Each column is the largest of functions that fall by ``ratio`` along edges. What is missing
    from the row sums becomes one more column; the scale keeps its ratio within ``ratio`` too.
    """
    n, lengths = graph.order, graph.distances.tolist()
    peaks = [[rng.choice([0, rng.randint(1, 50)]) for _ in range(n)] for _ in range(outputs - 1)]
    columns = [
        [
            max(Fraction(peak[h]) / ratio**d for h, d in enumerate(lengths[i]) if d >= 0)
            for i in range(n)
        ]
        for peak in peaks
    ]
    sums = [sum(column[i] for column in columns) for i in range(n)]
    low, high = min(sums), max(sums)
    even = ratio == 1 or low == high  # then each component needs no more than one scale
    scale = 1 / Fraction(2 * max(high, 1)) if even else (ratio - 1) / (ratio * high - low)
    rows = [[scale * c[i] for c in columns] + [1 - scale * sums[i]] for i in range(n)]
    assert is_private(rows, graph, ratio)
    return Channel(rows, inputs=graph.vertices, outputs=[f"z{j}" for j in range(outputs)])


def check_kept(before: Channel, after: Channel, graph: Graph, ratio: Fraction) -> None:
    rows = rows_of(after)
    assert after.inputs == after.outputs == graph.vertices
    assert all(sum(row) == 1 for row in rows)
    assert is_private(rows, graph, ratio)
    assert sum_of_maxima(rows) == sum_of_maxima(rows_of(before))
    assert all(max(column) == column[j] for j, column in enumerate(zip(*rows, strict=True)))


ten_graphs = [
    path(4),
    paw(),
    disjoint(path(2), path(2)),
    star(4),
    cycle(5),
    petersen(),
    prism(),
    box(path(3), path(3)),
    disjoint(path(3), complete(2)),
    cube(3),
]


@pytest.mark.parametrize("graph", ten_graphs)
def test_symmetrising_random_private_channels_keeps_everything_exactly(graph: Graph) -> None:
    rng = random.Random(graph.order * 100 + graph.size)
    group = automorphism_group(graph)
    label = group.orbital_labels.ravel().tolist()
    for _ in range(10):
        ratio = rng.choice([Fraction(3, 2), Fraction(2), Fraction(17, 5)])
        channel = private_channel(graph, rng.choice([2, graph.order, graph.order + 3]), ratio, rng)
        check_kept(channel, diagonal_form(channel), graph, ratio)
        after = symmetrise(channel, group)
        check_kept(channel, after, graph, ratio)
        entries = list(zip(label, after.matrix.ravel().tolist(), strict=True))
        assert all(dict(entries)[orbital] == entry for orbital, entry in entries)


@given(graphs(), st.data())
def test_averaging_over_orbitals_is_averaging_over_the_group(
    graph: Graph, data: st.DataObject
) -> None:
    channel = data.draw(channels(inputs=graph.order))
    group = automorphism_group(graph)
    matrix, n = rows_of(diagonal_form(channel)), graph.order
    mean = [
        [sum(matrix[g[i]][g[j]] for g in group.elements.tolist()) / group.order for j in range(n)]
        for i in range(n)
    ]
    assert rows_of(symmetrise(channel, group)) == mean


@given(channels())
def test_the_diagonal_form_is_a_channel_with_the_same_maxima(channel: Channel) -> None:
    form = diagonal_form(channel)
    assert form.is_exact
    assert Channel(form) == form  # checked again: non-negative rows that sum to 1
    assert sum_of_maxima(rows_of(form)) == sum_of_maxima(rows_of(channel))
    assert diagonal_form(form) == form


def test_the_diagonal_form_keeps_a_name_that_fits_and_pads_with_nothing() -> None:
    tied = Channel([["1/2", "1/2"], ["1/2", "1/2"]], inputs=["a", "b"], outputs=["b", "c"])
    form = diagonal_form(tied)
    assert form["a", "b"] == Fraction(1, 2)
    assert form["a", "a"] == Fraction(1, 2)
    never = diagonal_form(Channel([[1], [1], [1]], inputs=["a", "b", "c"]))["a", "c"]
    assert never == 0
    assert isinstance(never, Fraction)


def test_floats_stay_floats() -> None:
    channel = Channel.random(8, 5, seed=1)
    after = symmetrise(channel, automorphism_group(cube(3)))
    assert not after.is_exact
    assert np.allclose(after.matrix.sum(axis=1), 1)
    assert np.isclose(np.trace(after.matrix), channel.matrix.max(axis=0).sum())
    exact = symmetrise(channel.exact(), automorphism_group(cube(3)))
    assert np.allclose(after.matrix, exact.to_numpy())


def test_inputs_are_matched_by_name() -> None:
    graph = Graph(["a", "b", "c"], [("a", "b"), ("b", "c")])
    rows = {"c": ["1/2", "1/2"], "a": ["1/4", "3/4"], "b": ["1/3", "2/3"]}
    flip = automorphism_group(graph)
    ordered = Channel({x: rows[x] for x in "abc"})
    assert symmetrise(Channel(rows), flip) == symmetrise(ordered, flip)
    with pytest.raises(Mismatch, match="the graph's vertices and the channel's inputs"):
        symmetrise(Channel([[1], [1], [1]]), flip)


def test_a_smaller_group_averages_less() -> None:
    channel = private_channel(cycle(6), 6, Fraction(2), random.Random(3))
    none = AutomorphismGroup(cycle(6), [])
    assert symmetrise(channel, none) == diagonal_form(channel)
    half = AutomorphismGroup(cycle(6), [lambda v: (v + 3) % 6])
    after = symmetrise(channel, half)
    check_kept(channel, after, cycle(6), Fraction(2))
    assert after[0, 0] == after[3, 3] != after[1, 1]


def test_averaging_over_distances_needs_no_automorphisms() -> None:
    graph = chang()
    assert not vertex_transitivity(graph)
    channel = private_channel(graph, 30, Fraction(2), random.Random(5))
    after = symmetrise_by_distance(channel, graph)
    check_kept(channel, after, graph, Fraction(2))
    assert len(set(after.matrix.ravel().tolist())) == 3  # distances 0, 1 and 2


def test_averaging_over_distances_works_across_components() -> None:
    graph = disjoint(cycle(4), cycle(4))
    channel = private_channel(graph, 9, Fraction(3), random.Random(7))
    check_kept(channel, symmetrise_by_distance(channel, graph), graph, Fraction(3))


def test_averaging_over_distances_is_refused_where_it_would_be_wrong() -> None:
    with pytest.raises(InvalidGraph, match=r"not distance-regular: .*; symmetrise\("):
        symmetrise_by_distance(Channel.identity(3), path(3))


def test_averaging_over_distances_takes_a_policy() -> None:
    policy = Policy(Graph(2, [(0, 1)]), 2)
    channel = Channel([[1, 0], [1, 0], [0, 1], [0, 1]], policy.databases())
    listed = symmetrise_by_distance(channel, policy.adjacency().explicit())
    assert symmetrise_by_distance(channel, policy) == listed
    assert symmetrise_by_distance(channel, policy.adjacency()) == listed
