from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.mechanisms.exponential import ExponentialMechanism
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.query import sensitivity
from leaktight.policies.secrets import SecretGraph
from tests.mechanisms.promises import RATIOS, kept_promise
from tests.strategies.fractions import fractions
from tests.strategies.graphs import secret_graphs
from tests.strategies.named_graphs import complete, path

ABC = ["a", "b", "c"]
Scores = list[list[Fraction]]


@st.composite
def scored(draw: st.DrawFn) -> tuple[SecretGraph, Scores]:
    """A graph, and scores of up to four outputs for each of its vertices."""
    graph = draw(secret_graphs(least=2, most=4))
    score = st.sampled_from([Fraction(k, 6) for k in range(-6, 13)])
    outputs = draw(st.integers(2, 4))
    row = st.lists(score, min_size=outputs, max_size=outputs)
    return graph, draw(st.lists(row, min_size=graph.order, max_size=graph.order))


def changes(graph: Graph, scores: Scores) -> list[list[Fraction]]:
    """For each edge, by how much the score of each output changes."""
    rows = [(scores[i], scores[j]) for i, j in graph.edges.tolist()]
    return [[a - b for a, b in zip(one, other, strict=True)] for one, other in rows]


@given(scored(), RATIOS)
@settings(max_examples=60)
def test_it_is_as_private_as_asked(instance: tuple[SecretGraph, Scores], ratio: Fraction) -> None:
    graph, scores = instance
    moved = changes(graph, scores)
    spread = max((max(change) - min(change) for change in moved), default=Fraction(0))
    outputs = range(len(scores[0]))
    if spread == 0:
        with pytest.raises(InvalidInput, match=r"nothing is to be hidden: .*deterministic"):
            ExponentialMechanism(graph, outputs, scores, ratio=ratio)
        return
    mechanism = ExponentialMechanism(graph, outputs, scores, ratio=ratio)
    kept_promise(mechanism, ratio)
    assert mechanism.spread == spread <= 2 * max(abs(by) for change in moved for by in change)
    assert mechanism.guarantee.ratio * (1 + Fraction(1, 2**40)) > ratio


@given(scored(), fractions(1, 6, max_denominator=12))
@settings(max_examples=40)
def test_it_is_the_exponential_of_the_scores(
    instance: tuple[SecretGraph, Scores], ratio: Fraction
) -> None:
    """The other route: floating-point exponentials."""
    graph, scores = instance
    spread = max((max(c) - min(c) for c in changes(graph, scores)), default=Fraction(0))
    if spread == 0:
        return
    channel = ExponentialMechanism(graph, range(len(scores[0])), scores, ratio=ratio).channel
    weights = float(ratio) ** (np.array(scores, dtype=float) / float(spread))
    assert np.allclose(channel.to_numpy(), weights / weights.sum(axis=1, keepdims=True))


def test_the_spread_attains_the_ratio() -> None:
    """Two outputs that move apart: P(w|x) is nearly 0 at first, so the sums hardly change."""
    scores = [[0, 20, 0], [1, 20, -1]]
    tight = ExponentialMechanism(complete(2), ABC, scores, ratio=4)
    assert tight.spread == 2
    assert Fraction(399, 200) < kept_promise(tight, Fraction(4)) <= 4


def test_scores_that_move_together_need_half_the_noise() -> None:
    votes = Policy(SecretGraph.complete(2), records=3)
    one_sided = ExponentialMechanism(
        votes, ["none", "some"], lambda x, w: sum(x) if w == "some" else 1, ratio=2
    )
    assert one_sided.spread == sensitivity(votes, sum).value == 1
    assert one_sided.channel[(1, 1, 1), "some"] == Fraction(4, 5)


def test_a_constant_for_an_input_changes_nothing() -> None:
    graph = path(3)
    scores = [[0, 1, 2], [1, 1, 1], [5, 4, 3]]
    moved = [[score + 7 * i for score in row] for i, row in enumerate(scores)]
    one, other = (ExponentialMechanism(graph, ABC, s, ratio=3) for s in (scores, moved))
    assert one.channel == other.channel


@pytest.mark.parametrize(
    "table",
    [
        [[0, "1/2"], ["1/2", 0]],
        [[0.0, 0.5], [0.5, 0]],
        np.array([[0, 0.5], [0.5, 0]]),
        {"b": {"z": 0, "y": 0.5}, "a": {"y": 0, "z": 0.5}},
        lambda x, w: Fraction(int((x, w) in {("a", "z"), ("b", "y")}), 2),
    ],
)
def test_scores_are_read_from_every_notation(table: Any) -> None:
    graph = SecretGraph.complete(["a", "b"])
    channel = ExponentialMechanism(graph, ["y", "z"], table, ratio=4).channel
    same = Channel([["1/3", "2/3"], ["2/3", "1/3"]], ["a", "b"], ["y", "z"])
    assert channel == same


def test_bad_input() -> None:
    graph = SecretGraph.complete(["a", "b"])
    with pytest.raises(InvalidInput, match=r"row for each of the 2 inputs .* got \(3, 2\)"):
        ExponentialMechanism(graph, ["y", "z"], [[0, 1]] * 3, ratio=2)
    with pytest.raises(InvalidInput, match=r"input 'a' must have a score for output 'z'"):
        ExponentialMechanism(graph, ["y", "z"], {"a": {"y": 1}, "b": {"y": 1, "z": 2}}, ratio=2)
    with pytest.raises(Mismatch, match=r"there is no column"):
        ExponentialMechanism(
            graph, ["y", "z"], {"a": {"y": 1, "x": 1}, "b": {"y": 1, "z": 2}}, ratio=2
        )
    with pytest.raises(InvalidInput, match=r"must hold numbers"):
        ExponentialMechanism(graph, ["y", "z"], [["much", 1], [1, 2]], ratio=2)
    with pytest.raises(InvalidInput, match=r"'y' twice"):
        ExponentialMechanism(graph, ["y", "y"], [[0, 1], [1, 0]], ratio=2)
    with pytest.raises(TooLarge, match=r"at most 16,384 units, got .* round them"):
        ExponentialMechanism(graph, ["y", "z"], [[0, 1], ["1/1000001", 0]], ratio=2)


def test_its_name() -> None:
    mechanism = ExponentialMechanism(complete(2), ABC, [[0, 1, 2], [2, 1, 0]], ratio=16)
    assert mechanism.name == "exponential mechanism on 3 outputs"
    assert mechanism.unit == 1
    assert mechanism.spread == 4
    assert mechanism.step == 2
