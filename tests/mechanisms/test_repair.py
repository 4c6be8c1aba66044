"""What leaves the repair is private, exactly, and near to what went in."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.gain import Loss
from leaktight.errors import InvalidChannel, Mismatch
from leaktight.exact.numbers import float_array
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.best.repair import repair
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from tests.strategies.graphs import secret_graphs


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_nearly_private_matrices_are_repaired(seed: int) -> None:
    """100 for each seed: an optimum with noise up to 10^-7 and its smallest entry lost."""
    rng = np.random.default_rng(seed)
    graphs = [
        SecretGraph.line(5),
        SecretGraph.cycle(6),
        SecretGraph.complete(4),
        SecretGraph.grid(2, 3),
        Graph(5, [(0, 1), (1, 2), (3, 4)]),
    ]
    for graph in graphs:
        ratio = Fraction(int(rng.integers(11, 40)), 10)
        best = optimal_mechanism(graph, ratio=ratio)
        clean = float_array(best.channel.matrix)
        noise = rng.uniform(-1e-7, 1e-7, size=(20, *clean.shape))
        for noisy in clean + noise:
            noisy[np.unravel_index(noisy.argmin(), noisy.shape)] *= 1 - 1e-7
            made = repair(noisy, graph, ratio=ratio)
            assert privacy_level(made.channel, graph).ratio <= ratio
            assert made.guarantee.ratio <= ratio
            lost = best.utility - posterior_vulnerability(made.channel)
            assert made.moved <= Fraction(1, 10**5)
            assert lost <= Fraction(1, 10**5)


@given(secret_graphs(most=4), st.data())
def test_any_matrix_becomes_a_private_channel(graph: SecretGraph, data: st.DataObject) -> None:
    outputs = data.draw(st.integers(1, 4))
    entry = st.sampled_from([0.0, 0.0, 1e-30, 0.1, 0.5, 1.0, -0.01])
    row = st.lists(entry, min_size=outputs, max_size=outputs).filter(lambda r: max(r) > 0.01)
    rows = [data.draw(row) for _ in graph.vertices]
    ratio = data.draw(st.sampled_from(["1", "1.000000001", "3/2", "2", "1e17"]))
    made = repair(rows, graph, ratio=ratio)
    assert (made.channel.matrix.sum(axis=1) == 1).all()
    assert privacy_level(made.channel, graph).ratio == made.guarantee.ratio
    assert made.guarantee.ratio <= Fraction(ratio)


def test_a_private_channel_hardly_moves() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["no", "yes"])
    made = repair(coin, SecretGraph.complete(["no", "yes"]), ratio=2)
    assert made.moved < Fraction(1, 2**60)
    assert made.channel.outputs == ("no", "yes")


def test_rows_are_matched_by_name_and_the_change_is_told() -> None:
    line = SecretGraph.line(["a", "b", "c"])
    made = repair({"c": [0.0, 1.0], "a": [1.0, 0.0], "b": [0.5, 0.5]}, line, ratio=2)
    assert made.channel["a", 0] > made.channel["c", 0]
    assert made.moved > Fraction(1, 10)
    assert "repaired" in made.name


def test_all_entries_have_one_denominator_of_64_bits() -> None:
    noisy = np.full((20, 20), 0.02) + 0.6 * np.eye(20)
    made = repair(noisy, SecretGraph.line(20), epsilon=1)
    assert max(int(p.q).bit_length() for p in made.channel.matrix.ravel()) <= 64


def test_at_epsilon_0_every_row_becomes_the_same() -> None:
    made = repair([[0.5, 0.5], [0.4, 0.6]], SecretGraph.complete(2), epsilon=0)
    assert (made.channel.matrix[0] == made.channel.matrix[1]).all()


def test_bad_matrices_are_refused_in_one_line() -> None:
    line = SecretGraph.line(2)
    with pytest.raises(InvalidChannel, match="a row for each of 2 vertices, got 3"):
        repair([[1.0], [1.0], [1.0]], line, ratio=2)
    with pytest.raises(InvalidChannel, match="finite"):
        repair([[1.0, float("nan")], [1.0, 0.0]], line, ratio=2)
    with pytest.raises(InvalidChannel, match="positive entry"):
        repair([[0.0, 0.0], [1.0, 0.0]], line, ratio=2)
    with pytest.raises(Mismatch, match="same labels"):
        repair(Channel([[1], [1]], ["x", "y"]), line, ratio=2)


def test_utility_lost_is_of_the_order_of_the_noise() -> None:
    line = SecretGraph.line(20)
    distance = Loss.by_distance(line.vertices, lambda a, b: abs(a - b))
    best = optimal_mechanism(line, gain=distance, epsilon=1)
    for size in (1e-5, 1e-7, 1e-9):
        rng = np.random.default_rng(0)
        clean = best.channel.to_numpy()
        noisy = repair(clean + rng.uniform(-size, size, clean.shape), line, epsilon=1)
        # 20 columns, whose noise changes each row by 20·size; the loss is at most 19.
        assert noisy.moved <= 100 * Fraction(size)
