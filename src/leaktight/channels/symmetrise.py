"""Channels made as symmetric as their graph, with nothing lost.

Two steps keep privacy on the graph and Σ_z max_x K(z|x), which is all that the worst case is
about. The first names each output by the input that it points to (Lemma 20 of [Edwards2021]_, as
Lemma 1 of [Alvim2011b]_). The second averages over pairs of vertices that are alike: the orbitals
of a group of automorphisms (Lemma 21 of [Edwards2021]_), or all pairs at the same distance in a
distance-regular graph (Lemma 2 of [Alvim2011b]_, for databases with all values adjacent).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.errors import InvalidGraph, expect
from leaktight.exact.matrix import sum_columns
from leaktight.exact.numbers import Array, kept
from leaktight.labels import alignment
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.policies.symmetry import AutomorphismGroup, distance_regularity


def diagonal_form(channel: Channel) -> Channel:
    """Merge the outputs that are likeliest under the same input, and name them by that input.

    The result K′ has an output for each input, K′(x|x) is the largest entry of its column, and
    Σ_z max_x K(z|x) is what it was (Lemma 20 of [Edwards2021]_). It is private wherever the
    channel is. An input that no output points to gets an output of probability 0, which meets
    K(z|x) ≤ λ K(z|x′) but not the quotient form of that condition.

    >>> diagonal_form(Channel([["1/2", "1/4", "1/4"], ["1/4", "3/8", "3/8"]]))
    exact channel, 2 inputs × 2 outputs
         0    1
    0  1/2  1/2
    1  1/4  3/4
    """
    rows = {x: i for i, x in enumerate(expect_channel(channel).inputs)}
    likeliest = channel.matrix.argmax(axis=0).tolist()
    for j, z in enumerate(channel.outputs):
        # An output that is named by one of its likeliest inputs keeps its name.
        own = rows.get(z)
        if own is not None and channel.matrix[own, j] == channel.matrix[likeliest[j], j]:
            likeliest[j] = own
    named = tuple(dict.fromkeys(likeliest))
    zero = fmpq(0) if channel.is_exact else 0.0
    matrix = np.full((len(rows), len(rows)), zero, dtype=channel.matrix.dtype)
    matrix[:, list(named)] = sum_columns(channel.matrix, likeliest, named)
    return Channel.trusted(channel.inputs, channel.inputs, matrix)


def symmetrise(channel: Channel, group: AutomorphismGroup) -> Channel:
    """Average the diagonal form of a channel over a group Γ of automorphisms of its graph.

    The result is K″(j|i), the mean of K′(σj|σi) over σ in Γ. It is private wherever the channel
    is, has its largest entries on the diagonal and the same Σ_z max_x K(z|x), and is constant on
    orbits (Lemma 21 of [Edwards2021]_). The mean over Γ is the mean over the orbital of (i, j), so
    Γ is not listed. The channel's inputs must be the graph's vertices, whose order is taken.

    With the powers of one automorphism that moves all vertices in one cycle, this is Lemma 5 of
    [Alvim2011b]_.

    >>> graph = Graph(2, [(0, 1)])
    >>> skew = Channel([["1/2", "1/4", "1/4"], ["1/4", "3/8", "3/8"]])
    >>> symmetrise(skew, AutomorphismGroup(graph, [{0: 1, 1: 0}]))
    exact channel, 2 inputs × 2 outputs
         0    1
    0  5/8  3/8
    1  3/8  5/8
    """
    group = expect(group, AutomorphismGroup, "automorphism_group(graph) finds that of a graph")
    return _averaged(channel, group.graph, group.orbital_labels)


def symmetrise_by_distance(channel: Channel, neighbours: Neighbours) -> Channel:
    """Average the diagonal form of a channel over the pairs at each distance.

    In a distance-regular graph each pair at distance d has the same number of neighbours one
    step on and one step back, so the averages inherit the privacy constraints, with no help from
    automorphisms. Lemma 2 of [Alvim2011b]_ is the case of databases with all values adjacent; its
    proof compares columns where it must compare rows.

    >>> ring = Graph(3, [(0, 1), (1, 2), (2, 0)])
    >>> symmetrise_by_distance(Channel([[1, 0], ["1/2", "1/2"], ["1/2", "1/2"]]), ring)
    exact channel, 3 inputs × 3 outputs
         0    1    2
    0  1/2  1/4  1/4
    1  1/4  1/2  1/4
    2  1/4  1/4  1/2
    """
    graph = adjacency_of(neighbours).explicit()
    verdict = distance_regularity(graph)
    if not verdict:
        raise InvalidGraph(
            f"averaging over distances needs a distance-regular graph, but this one is {verdict}; "
            "symmetrise(channel, automorphism_group(graph)) works for every graph"
        )
    # Pairs with no path between them have distance −1 and are one more class.
    return _averaged(channel, graph, graph.distances + 1)


def _averaged(channel: Channel, graph: Graph, classes: npt.NDArray[np.integer[Any]]) -> Channel:
    """Replace each entry of the diagonal form by the mean of its class."""
    vertices, inputs = graph.vertices, expect_channel(channel).inputs
    order = alignment(vertices, inputs, "the graph's vertices and the channel's inputs")
    matrix = diagonal_form(channel).matrix
    if order is not None:
        matrix = matrix[np.ix_(order, order)]
    return Channel.trusted(vertices, vertices, _class_means(matrix.ravel(), classes))


def _class_means(entries: Array, classes: npt.NDArray[np.integer[Any]]) -> Array:
    """Return in the shape of ``classes`` the mean of the entries of each class."""
    _, numbers, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    by_class = np.argsort(numbers.ravel(), kind="stable")
    starts = np.cumsum(sizes) - sizes
    sums = np.add.reduceat(entries[by_class], starts)
    means = kept(sums / sizes, sums)
    return means[numbers.reshape(classes.shape)]
