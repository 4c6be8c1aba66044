"""The best guess and gain on graphs: against the program over all mechanisms."""

import random
from fractions import Fraction

import numpy as np
import pytest

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.check import Refuted, check
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.graphs import best_gain, cover_bound
from leaktight.curves.keeping import channel_keeps
from leaktight.errors import InvalidGain, InvalidInput
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.secrets import SecretGraph
from tests.curves.programs import (
    both,
    curve_of,
    direct,
    guessing,
    instances,
    random_pairs,
    random_prior,
    slack,
)

INSTANCES = instances(20)


def tree(draw: random.Random, v: int) -> list[tuple[int, int]]:
    return [(draw.randrange(x), x) for x in range(1, v)]


def arcs_of(graph: Graph) -> list[tuple[int, int]]:
    return both([(int(i), int(h)) for i, h in graph.edges.tolist()])


@pytest.mark.parametrize("seed", INSTANCES)
def test_a_tree_is_the_direct_program(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(3, 6)
    edges, pairs, prior = tree(draw, v), random_pairs(draw), random_prior(draw, v)
    if seed % 4 == 0:  # a forest
        edges.pop()
    found = best_gain(curve_of(pairs), Graph(v, edges), prior)
    assert found.is_exact
    assert float(found) == pytest.approx(direct(guessing(prior), both(edges), pairs), abs=1e-10)


def test_not_every_tree_attains_what_its_paths_do() -> None:
    """A path has (1 + (k − 1)·TV)/k; a star with more than 1/c leaves has less."""
    curve = PrivacyCurve.epsilon(ratio=2)
    path, star = Graph(5, [(k, k + 1) for k in range(4)]), Graph(6, [(0, k) for k in range(1, 6)])
    assert best_gain(curve, path).upper == (1 + 4 * Fraction(1, 3)) / 5
    assert best_gain(curve, star).upper < (1 + 5 * Fraction(1, 3)) / 6
    # the star with v > 1 + λ leaves, all alike: (λ + v·δ)/(v + 1), more than δ + (1 − δ)·V(0)
    some = PrivacyCurve.epsilon_delta(ratio=2, delta="1/10")
    assert best_gain(some, star).upper == (2 + 5 * Fraction(1, 10)) / 6


@pytest.mark.parametrize("seed", INSTANCES)
def test_two_secrets_are_as_far_apart_as_their_path_is_long(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(4, 7)
    edges = sorted({*tree(draw, v), (0, v - 1), (1, 2)})
    graph, pairs = Graph(v, edges), random_pairs(draw)
    prior = [Fraction(0)] * v
    share = Fraction(draw.randint(1, 7), 8)
    prior[0], prior[v - 2] = share, 1 - share
    found = best_gain(curve_of(pairs), graph, prior)
    assert float(found) == pytest.approx(direct(guessing(prior), arcs_of(graph), pairs), abs=1e-10)


@pytest.mark.parametrize(
    "graph",
    [
        SecretGraph.cycle(5),
        SecretGraph.cycle(6),
        SecretGraph.grid(2, 3),
        SecretGraph.product(SecretGraph.cycle(3), SecretGraph.complete(2)),
        SecretGraph.product(*[SecretGraph.complete(2)] * 3),
    ],
    ids=["C5", "C6", "grid", "prism", "cube"],
)
@pytest.mark.parametrize(("ratio", "delta"), [("3", "0"), ("3/2", "1/10"), ("9", "1/100")])
def test_graphs_with_a_weighting_are_exact(graph: Graph, ratio: str, delta: str) -> None:
    curve = PrivacyCurve.epsilon_delta(ratio=ratio, delta=delta)
    found = best_gain(curve, graph)
    uniform = [Fraction(1, graph.order)] * graph.order
    truth = direct(guessing(uniform), arcs_of(graph), [curve.polygons().upper.pairs[0]])
    assert found.is_exact
    assert float(found) == pytest.approx(truth, abs=1e-10)
    if graph.order in (5, 8):  # the same from each vertex: δ + (1 − δ)/Z
        whole = sum(Fraction(ratio) ** -int(d) for d in graph.distances[0])
        assert found.upper == Fraction(delta) + (1 - Fraction(delta)) / whole


@pytest.mark.parametrize("seed", INSTANCES)
def test_any_graph_and_gain_is_enclosed_and_certified(seed: int) -> None:
    draw = random.Random(seed)
    v, m = draw.randint(2, 5), draw.randint(1, 4)
    edges = sorted({*tree(draw, v), *tree(draw, v)})
    graph, pairs, prior = Graph(v, edges), random_pairs(draw, 2), random_prior(draw, v)
    table = [[Fraction(draw.randint(0, 4), 4) for _ in range(v)] for _ in range(m)]
    found = best_gain(curve_of(pairs), graph, prior, Gain(table))
    worth = np.array([[float(prior[x] * row[x]) for row in table] for x in range(v)])
    truth = direct(worth, arcs_of(graph), pairs)
    off = 10 * slack(pairs)
    assert float(found.lower) - off <= truth <= float(found.upper) + off
    assert float(found.upper - found.lower) < 1e-6 + off
    assert found.certificate is not None
    assert check(found.certificate) == [(1, found.lower, found.upper)]


@pytest.mark.parametrize("seed", INSTANCES)
def test_any_multipliers_prove_no_less_than_the_truth(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(3, 5)
    edges = sorted({*tree(draw, v), *tree(draw, v)})
    gain = Gain.binary(range(v))
    found = best_gain(curve_of(random_pairs(draw, 2)), Graph(v, edges), None, gain)
    proof = found.certificate
    assert proof is not None
    changed = [
        [i, h, k, [str(Fraction(c) * Fraction(draw.randint(0, 8), 4)) for c in numbers]]
        for i, h, k, numbers in proof["multipliers"]
    ]
    assert check(proof | {"multipliers": changed, "upper": str(v)})
    less = {"multipliers": changed, "upper": str(found.lower - Fraction(1, 10**9))}
    with pytest.raises(Refuted, match="not excluded"):
        check(proof | less)
    for wrong in (
        {"lower": str(found.lower + Fraction(1, 10**30))},
        {"upper": str(found.upper - Fraction(1, 10**30))},
        {"multipliers": [[0, 0, 0, ["1"] * v]]},
        {"multipliers": [[*edges[0], 0, ["-1"] * v]]},
    ):
        with pytest.raises(Refuted):
            check(proof | wrong)


@pytest.mark.parametrize("seed", INSTANCES)
def test_a_flow_cover_bounds_every_graph(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(3, 6)
    edges = sorted({*tree(draw, v), *tree(draw, v)})
    graph, pairs, prior = Graph(v, edges), random_pairs(draw, 2), random_prior(draw, v)
    truth = direct(guessing(prior), arcs_of(graph), pairs)
    assert truth <= float(cover_bound(curve_of(pairs), graph, prior)) + 1e-9


def test_a_flow_cover_is_not_the_truth_where_priors_are_0() -> None:
    path = Graph(3, [(0, 1), (1, 2)])
    curve, prior = PrivacyCurve.epsilon(ratio=2), ["1/2", 0, "1/2"]
    assert best_gain(curve, path, prior).upper == Fraction(3, 4)
    assert float(cover_bound(curve, path, prior)) == pytest.approx(0.8)


def test_smooth_curves_on_graphs_are_enclosed() -> None:
    curve = PrivacyCurve.gaussian(1)
    for graph in (SecretGraph.line(4), SecretGraph.cycle(5)):
        found = best_gain(curve, graph)
        drawn = curve.polygons(40)
        prior = [Fraction(1, graph.order)] * graph.order
        low, high = (
            direct(guessing(prior), arcs_of(graph), list(side.pairs))
            for side in (drawn.lower, drawn.upper)
        )
        assert float(found.lower) - 1e-9 <= high
        assert low <= float(found.upper) + 1e-9
        assert found.upper - found.lower < Fraction(1, 100)


def test_what_does_not_fit_is_refused() -> None:
    curve, line = PrivacyCurve.epsilon(1), SecretGraph.line(3)
    with pytest.raises(InvalidGain, match="at least 0"):
        best_gain(curve, line, gain=Gain([[-1, 0, 0]]), absent=1)
    with pytest.raises(InvalidInput, match="symmetric"):
        best_gain(PrivacyCurve.gaussian(1).subsampled("1/2"), line)


@pytest.mark.parametrize("seed", instances(6))
def test_a_loss_is_a_negative_gain(seed: int) -> None:
    draw = random.Random(seed)
    pairs, prior = random_pairs(draw, 2), random_prior(draw, 4)
    edges = [(0, 1), (1, 2), (2, 3), (3, 0)]
    table = [[draw.randint(-3, 5) for _ in range(4)] for _ in range(3)]
    graph, names = Graph(4, edges), ["a", "b", "c"]
    for aim, sign in ((Loss(table, names), -1), (Gain(table, names), 1)):
        found = best_gain(curve_of(pairs), graph, prior, aim)
        worth = sign * np.array(table, dtype=float).T * np.array([[float(p)] for p in prior])
        truth = direct(worth, both(edges), pairs)
        off = 100 * slack(pairs)
        assert float(found.upper) >= truth - off
        assert float(found.lower) <= truth + off
        assert float(found.upper - found.lower) < 1e-7 + off
        assert found.certificate is not None
        assert check(found.certificate)[0][1:] == (found.lower, found.upper)


@pytest.mark.parametrize(
    "curve", [PrivacyCurve.zcdp("1/2"), PrivacyCurve.renyi({2: "1/2", 8: 2})], ids=str
)
def test_what_attains_an_end_keeps_the_divergences_and_not_only_their_curve(
    curve: PrivacyCurve,
) -> None:
    """A curve follows from divergences, and not the other way round: see test_promise."""
    steep = Gain([[4, 1, 0, 0], [0, 3, 1, 2], [1, 0, 5, 1]])
    star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    prior = ["0.4", "0.3", "0.2", "0.1"]
    cases = [
        (best_gain(curve, SecretGraph.cycle(5)), None, SecretGraph.cycle(5)),
        (best_gain(curve, SecretGraph.complete(4), prior), prior, SecretGraph.complete(4)),
        (best_gain(curve, SecretGraph.line(4), prior), prior, SecretGraph.line(4)),
        (best_gain(curve, star, prior, steep, absent=0), prior, star),
    ]
    for found, before, graph in cases:
        assert found.mechanism is not None
        assert channel_keeps(found.mechanism, graph, curve).holds
        assert found.lower <= found.upper
        if found.graph is not star:
            known = Distribution(before or [Fraction(1, graph.order)] * graph.order)
            assert posterior_vulnerability(found.mechanism, known) >= found.lower


@pytest.mark.parametrize("name", ["guess", "distance", "difference", "squared"])
def test_a_gain_may_be_named_as_in_a_study(name: str) -> None:
    """The best mechanism of another program earns as much."""
    line, pure = SecretGraph.line([0, 1, 2, 3]), PrivacyCurve.epsilon(ratio=2)
    prior = ["1/2", "1/4", "1/8", "1/8"]
    best = optimal_mechanism(line, prior, name, ratio=2).utility
    found = best_gain(pure, line, prior, name)
    assert found.lower <= (best if name == "guess" else -abs(best)) <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**6)


def test_a_named_distance_is_exact_or_refused() -> None:
    curve = PrivacyCurve.epsilon_delta(ratio=2, delta="1/10")
    streets = Metric.manhattan([(0, 0), (1, 1), (2, 0)])
    written = Loss.by_distance(streets.values, lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1]))
    named, listed = (best_gain(curve, streets, gain=each) for each in ("distance", written))
    assert (named.lower, named.upper) == (listed.lower, listed.upper)
    with pytest.raises(InvalidInput, match="needs distances that are rational"):
        best_gain(curve, Metric.euclidean([(0, 0), (1, 1)]), gain="distance")
    with pytest.raises(InvalidInput, match="gain must be one of"):
        best_gain(curve, SecretGraph.line(3), gain="distances")
    with pytest.raises(InvalidGain, match=r"Loss\.by_distance\(graph\.vertices, graph\.distance\)"):
        posterior_vulnerability(Channel.identity([0, 1]), None, "distance")
