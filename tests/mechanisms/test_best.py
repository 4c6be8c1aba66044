"""The best private mechanism, against the direct linear program and closed forms."""

import contextlib
import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.check import Refuted, Unreadable, check
from leaktight.errors import InvalidGain, InvalidInput, Mismatch, TooLarge
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.leakage.utility import utility
from leaktight.leakage.vulnerability import posterior_risk, posterior_vulnerability
from leaktight.mechanisms.best import BestMechanism, optimal_mechanism
from leaktight.mechanisms.geometric import TruncatedGeometric
from leaktight.mechanisms.graph_exponential import GraphExponential, TightConstraints
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.mechanisms.planar import PlanarGeometric, PlanarLaplace
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.certificate import verify_certificate, write_certificate
from tests.strategies.channels import distributions
from tests.strategies.graphs import secret_graphs

Number = Fraction | int


def direct(graph: Graph, ratio: Fraction, prior: list[Fraction], gain: list[list[Any]]) -> Fraction:
    """The largest expected gain by the linear program over all entries, exactly."""
    n, m = graph.order, len(gain)
    cost = [-prior[i] * gain[w][i] for i in range(n) for w in range(m)]
    rows, columns = [i for i in range(n) for _ in range(m)], list(range(n * m))
    values: list[Any] = [1] * (n * m)
    lower: list[Any] = [1] * n
    upper: list[Any] = [1] * n
    arcs = [*graph.edges.tolist(), *graph.edges[:, ::-1].tolist()]
    for (i, h), w in itertools.product(arcs, range(m)):
        rows += [len(lower)] * 2
        columns += [i * m + w, h * m + w]
        values += [1, -ratio]
        lower.append(None)
        upper.append(0)
    answer = solve_exact(
        LinearProgram(cost, (rows, columns, values), row_lower=lower, row_upper=upper)
    )
    assert isinstance(answer, Optimum)
    return -Fraction(int(answer.value.p), int(answer.value.q))


def proved(best: BestMechanism) -> None:
    """Check the whole claim by the independent checker and by the exact verifier."""
    assert check(best.certificate) == [(1, best.utility, best.upper)]
    assert privacy_level(best.channel, best.graph).ratio <= best.ratio.lower
    assert best.guarantee.ratio <= best.ratio.lower
    value = (
        -posterior_risk(best.channel, best.prior, best.aim)
        if isinstance(best.aim, Loss)
        else posterior_vulnerability(best.channel, best.prior, best.aim)
    )
    assert best.utility <= value <= best.upper


@settings(max_examples=120)
@given(secret_graphs(most=4), st.data())
def test_it_is_the_optimum_of_the_direct_program(graph: SecretGraph, data: st.DataObject) -> None:
    prior = data.draw(distributions(graph.order))
    named = Distribution(list(prior.array), graph.vertices)
    number = st.sampled_from([Fraction(n, 3) for n in (0, 0, 3, 6, -3, 1)])
    row = st.lists(number, min_size=graph.order, max_size=graph.order)
    table = data.draw(st.lists(row, min_size=1, max_size=4))
    ratio = Fraction(data.draw(st.sampled_from(["1", "1.01", "3/2", "2", "5", "1000"])))
    gain = data.draw(st.booleans())
    aim = (Gain if gain else Loss)(table, inputs=graph.vertices)
    best = optimal_mechanism(graph, named, aim, ratio=ratio)
    proved(best)
    sign = 1 if gain else -1
    signed = [[sign * v for v in row] for row in table]
    weights = [Fraction(int(p.p), int(p.q)) for p in prior.array]
    assert best.utility == best.upper == direct(graph, ratio, weights, signed)


# --- irregular gains ---

ON_11 = [
    [-1, 0, 0, -5, -3, -4, -1, -2, -4, -4, 2],
    [-4, -5, 0, 3, 2, -4, 0, 2, 3, -1, -2],
    [3, -5, 3, 2, -5, -4, -4, -5, -4, 3, 3],
]
# fmt: off
ON_28 = [
    [-3, 4, -4, -1, -4, 2, 2, 2, 5, 1, -2, -4, 2, -5,
     1, 1, 4, -5, 2, -1, -2, 4, -4, 0, -5, -5, -5, 5],
    [3, -5, 1, 5, -2, 1, -5, 3, -2, 2, 2, 3, -2, 0,
     -2, 5, -2, 2, -1, -5, 1, 3, 5, -4, -3, 5, -1, -4],
]
# fmt: on


@pytest.mark.parametrize(("table", "ratio"), [(ON_11, 100), (ON_28, 10)])
def test_gains_that_rise_and_fall_along_a_line_have_their_best_mechanism(
    table: list[list[int]], ratio: int
) -> None:
    line = SecretGraph.line(len(table[0]))
    best = optimal_mechanism(line, None, Gain(table), ratio=ratio)
    proved(best)
    even = [Fraction(1, line.order)] * line.order
    assert best.utility == best.upper == direct(line, Fraction(ratio), even, table)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ratio", [3, 8, 10**4])
@pytest.mark.parametrize("shape", [SecretGraph.line, SecretGraph.cycle])
def test_columns_alone_come_as_near_as_the_plain_program(
    seed: int, ratio: int, shape: Callable[[int], SecretGraph]
) -> None:
    rng = np.random.default_rng(seed)
    graph = shape(int(rng.integers(8, 31)))
    gain = Gain(rng.integers(-5, 6, (int(rng.integers(2, 4)), graph.order)).tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.worst_case.columns.best.MOST_DIRECT", 0)
        best = optimal_mechanism(graph, None, gain, ratio=ratio)
    proved(best)
    assert best.gap <= abs(best.utility) / 10**9
    if graph.order * len(gain.guesses) <= 60:
        assert (
            best.utility <= optimal_mechanism(graph, None, gain, ratio=ratio).utility <= best.upper
        )


def estimated(graph: Graph, ratio: float, earned: Any) -> float:
    """The largest expected gain by the linear program over all entries, by SciPy."""
    from scipy.optimize import linprog

    m, n = earned.shape
    arcs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    rows = np.zeros((len(arcs) * m, n * m))
    for k, ((i, h), w) in enumerate(itertools.product(arcs.tolist(), range(m))):
        rows[k, i * m + w], rows[k, h * m + w] = 1, -ratio
    sums = np.kron(np.eye(n), np.ones(m))
    found = linprog(-earned.T.ravel(), rows, np.zeros(len(rows)), sums, np.ones(n))
    assert found.status == 0
    assert found.fun is not None
    return -float(found.fun)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 7), st.data())
def test_few_guesses_on_any_graph_agree_with_another_solver(n: int, data: st.DataObject) -> None:
    parents = [data.draw(st.integers(0, i - 1)) for i in range(1, n)]
    extra = data.draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=3))
    edges = [(p, i + 1) for i, p in enumerate(parents)] + [(a, b) for a, b in extra if a != b]
    graph, number = Graph(n, edges), st.integers(-5, 5)
    row = st.lists(number, min_size=n, max_size=n)
    table = np.array(data.draw(st.lists(row, min_size=2, max_size=4)))
    ratio = data.draw(st.sampled_from(["1.1", "3/2", "3", "10"]))
    best = optimal_mechanism(graph, None, Gain(table.tolist()), ratio=ratio)
    proved(best)
    assert best.is_optimal
    expected = estimated(graph, float(Fraction(ratio)), table / n)
    assert float(best.utility) == pytest.approx(expected, abs=1e-6)


CASES = {
    "line": SecretGraph.line(20),
    "complete": SecretGraph.complete(12),
    "grid": SecretGraph.grid(4, 4),
    "tree": Graph(25, list(networkx.random_labeled_tree(25, seed=2).edges)),
    "ring": SecretGraph.cycle(15),
    "two parts": Graph(12, [(0, 1), (1, 2), (2, 3), (5, 6), (6, 7), (7, 5), (8, 9)]),
    "dense": Graph(14, list(networkx.gnp_random_graph(14, 0.5, seed=3).edges)),
}


def skewed(graph: Graph) -> Distribution:
    return Distribution.from_counts({v: (i + 1) ** 2 for i, v in enumerate(graph.vertices)})


def hops(a: Any, b: Any, graph: Graph) -> int:
    return min(graph.order, graph.distance(a, b))  # type: ignore[return-value]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "8"])
def test_the_gap_is_tiny_for_an_epsilon_whose_ratio_is_not_rational(
    name: str, epsilon: str
) -> None:
    graph = CASES[name]
    distance = Loss.by_distance(graph.vertices, lambda a, b: hops(a, b, graph))
    for prior in (None, skewed(graph)):
        for aim in (distance, None):
            best = optimal_mechanism(graph, prior, aim, epsilon=epsilon)
            proved(best)
            assert 0 <= best.gap <= abs(best.utility) / 10**6


@pytest.mark.parametrize("epsilon", ["0", "1e-12", "1e-6", "40", "ln 3"])
def test_extreme_privacy_levels_are_solved_too(epsilon: str) -> None:
    for graph in (CASES["line"], CASES["tree"], CASES["grid"], CASES["complete"]):
        best = optimal_mechanism(graph, skewed(graph), epsilon=epsilon)
        proved(best)
        assert best.gap <= best.utility / 10**6


@pytest.mark.parametrize("epsilon", ["1e-50", "1e-9", "1e-6", "40"])
@pytest.mark.parametrize("name", CASES)
def test_no_bound_is_above_what_each_input_earns_at_its_best_guess(name: str, epsilon: str) -> None:
    graph, rng = CASES[name], np.random.default_rng(7)
    few = Gain(rng.integers(-5, 6, (3, graph.order)).tolist(), inputs=graph.vertices)
    for aim in (Gain.binary(graph.vertices), few):
        prior = skewed(graph)
        best = optimal_mechanism(graph, prior, aim, epsilon=epsilon)
        proved(best)
        matrix = [[Fraction(str(g)) for g in row] for row in aim.matrix]
        shares = [Fraction(str(p)) for p in prior.exact().array]
        most = sum(p * max(column) for p, *column in zip(shares, *matrix, strict=True))
        assert best.utility <= best.upper <= most
        spread = max(abs(g) for row in matrix for g in row)
        assert best.gap <= spread * graph.order / 10**6


def test_at_epsilon_0_the_best_guess_of_the_prior_is_released() -> None:
    best = optimal_mechanism(SecretGraph.line(3), ["1/4", "1/2", "1/4"], epsilon=0)
    assert best.channel == Channel([[1], [1], [1]], outputs=[1])
    assert best.is_optimal
    assert best.utility == Fraction(1, 2)


def truncated_geometric(n: int, ratio: Fraction) -> Channel:
    """Two-sided geometric noise with everything beyond the ends collected there."""
    q = 1 / ratio
    rows = []
    for i in range(n):
        inside = [(1 - q) / (1 + q) * q ** abs(i - j) for j in range(n)]
        inside[0], inside[-1] = q**i / (1 + q), q ** (n - 1 - i) / (1 + q)
        rows.append(inside)
    return Channel(rows)


@pytest.mark.parametrize("skew", [False, True])
@pytest.mark.parametrize("power", [0, 1, 2])
@pytest.mark.parametrize("ratio", [Fraction(2), Fraction(11, 10)])
def test_on_a_line_the_truncated_geometric_mechanism_is_optimal(
    skew: bool, power: int, ratio: Fraction
) -> None:
    """Theorem 3.1 of [Ghosh2009]: for every prior and every loss that grows with distance."""
    n = 9
    line = SecretGraph.line(n)
    loss = Loss.by_distance(range(n), lambda a, b: abs(a - b) ** power if a != b else 0)
    prior = skewed(line) if skew else None
    best = optimal_mechanism(line, prior, loss, ratio=ratio)
    proved(best)
    assert best.is_optimal
    assert best.loss == posterior_risk(truncated_geometric(n, ratio), prior, loss)


@pytest.mark.parametrize("n", [2, 3, 10, 60])
def test_on_a_complete_graph_randomised_response_is_optimal(n: int) -> None:
    best = optimal_mechanism(SecretGraph.complete(n), ratio=3)
    proved(best)
    assert best.utility == best.upper == Fraction(3, n + 2)


def test_a_symmetric_problem_has_a_symmetric_answer() -> None:
    cube = networkx.convert_node_labels_to_integers(networkx.hypercube_graph(5))
    graph = Graph(32, list(cube.edges))
    best = optimal_mechanism(graph, gain=Loss.by_distance(range(32), graph.distance), ratio=2)
    proved(best)
    assert best.is_optimal
    assert len({tuple(sorted(map(str, row))) for row in best.channel.matrix}) == 1
    assert best.loss == Fraction(5, 3)  # each bit is wrong with chance 1/3


def test_outputs_can_be_restricted() -> None:
    line = SecretGraph.line(5)
    loss = Loss.by_distance(range(5), lambda a, b: abs(a - b))
    best = optimal_mechanism(line, gain=loss, ratio=2, outputs=[4, 0])
    proved(best)
    assert set(best.channel.outputs) == {0, 4}
    table = [[-loss[w, i] for i in range(5)] for w in (4, 0)]
    assert best.utility == direct(line, Fraction(2), [Fraction(1, 5)] * 5, table)


def test_guesses_may_be_others_than_the_inputs() -> None:
    line = SecretGraph.line(["a", "b", "c"])
    gain = Gain([[1, 1, 0], [0, 1, 1]], ["left", "right"], ["a", "b", "c"])
    best = optimal_mechanism(line, gain=gain, ratio=2)
    proved(best)
    assert best.channel.outputs == ("left", "right")
    table = [[Fraction(1), Fraction(1), Fraction(0)], [Fraction(0), Fraction(1), Fraction(1)]]
    assert best.utility == direct(line, Fraction(2), [Fraction(1, 3)] * 3, table)


def test_inputs_are_matched_by_name() -> None:
    line = SecretGraph.line(["a", "b", "c"])
    gain = Gain([[5, 0, 0], [0, 1, 1]], ["w", "v"], ["c", "b", "a"])
    best = optimal_mechanism(line, {"b": "1/2", "a": "1/4", "c": "1/4"}, gain, ratio=2)
    proved(best)
    table = [[Fraction(0), Fraction(0), Fraction(5)], [Fraction(1), Fraction(1), Fraction(0)]]
    prior = [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    assert best.utility == direct(line, Fraction(2), prior, table)


def test_floats_count_as_the_numbers_that_they_are() -> None:
    best = optimal_mechanism(SecretGraph.line(3), [0.25, 0.5, 0.25], ratio=2)
    assert best.prior.is_exact
    assert best.is_optimal


def test_impossible_requests_are_refused_in_one_line() -> None:
    line = SecretGraph.line(3)
    with pytest.raises(InvalidGain, match="expected a Gain, a Loss, Tries, a table or a function"):
        optimal_mechanism(line, gain=2, ratio=2)
    with pytest.raises(InvalidGain, match="at least one output"):
        optimal_mechanism(line, ratio=2, outputs=[])
    with pytest.raises(Mismatch, match="no guess 7"):
        optimal_mechanism(line, ratio=2, outputs=[7])
    with pytest.raises(Mismatch, match="same labels"):
        optimal_mechanism(line, gain=Gain.binary(["a", "b", "c"]), ratio=2)
    with pytest.raises(TooLarge, match="2,000 × 2,000"):
        optimal_mechanism(SecretGraph.line(2000), ratio=2)


def test_its_picture_in_words() -> None:
    distance = Loss.by_distance(range(3), lambda a, b: abs(a - b))
    best = optimal_mechanism(SecretGraph.line(3), gain=distance, epsilon=1)
    near = truncated_geometric(3, best.ratio.lower)
    assert f"loss ≈{float(posterior_risk(near, None, distance)):.6g}," in repr(best)
    assert "of the best, at ratio" in repr(best)


RING = SecretGraph.cycle(5)
FORGERIES: dict[str, tuple[Any, ...]] = {
    "more is earned": ("utility", "3/7"),
    "less is possible": ("upper", "1/3"),
    "a lower price": ("prices", 0, "1/100"),
    "a flow against its arc": ("flows", 0, 0, 2, "-1"),
    "a flow off the graph": ("flows", 0, 0, [0, 2, "1"]),
    "too much flow": ("flows", 0, 0, 2, "5"),
    "a row that does not sum to 1": ("mechanism", 0, 0, "1/2"),
    "a negative probability": ("mechanism", 0, ["-1/5", "3/5", "1/5", "1/5", "1/5"]),
    "a row that is told apart": ("mechanism", 0, ["1", "0", "0", "0", "0"]),
    "a missing row": ("mechanism", []),
    "a smaller ratio": ("lower ratio", "3/2"),
    "a larger ratio above": ("upper ratio", "3"),
    "ratios out of order": ("upper ratio", "3/2"),
    "another gain": ("gain", 0, 0, "2"),
    "a prior beyond 1": ("prior", 0, "2/5"),
    "an output that is no guess": ("outputs", 0, 7),
    "fewer guesses": ("guesses", ["0"]),
    "an edge left out": ("edges", [[0, 1], [1, 2], [2, 3], [3, 4]]),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_is_refuted(name: str) -> None:
    proof = json.loads(json.dumps(optimal_mechanism(RING, ratio=2).certificate))
    assert check(proof) == [(1, Fraction(2, 5), Fraction(2, 5))]
    *path, last, value = FORGERIES[name]
    at = proof
    for step in path:
        at = at[step]
    at[last] = value
    with pytest.raises((Refuted, Unreadable)):
        check(proof)


@pytest.mark.parametrize("number", ["1e400", "1e99999999", "nan", "Infinity", 3, 0.5, True, None])
def test_numbers_of_a_certificate_are_fractions(number: Any) -> None:
    proof = json.loads(json.dumps(optimal_mechanism(RING, ratio=2).certificate))
    proof["flows"][0][0][2] = number
    with pytest.raises(Unreadable):
        check(proof)


def test_a_certificate_with_huge_numbers_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "huge.json"
    best = optimal_mechanism(SecretGraph.line(3), epsilon=15000)
    write_certificate(best, file)
    assert verify_certificate(file) == [(1, best.utility, best.upper)]


def test_dual_prices_bound_every_random_private_channel() -> None:
    graph = CASES["dense"]
    best = optimal_mechanism(graph, skewed(graph), ratio=2)
    rng = np.random.default_rng(5)
    for _ in range(50):
        levels = [graph.distances[int(v)] for v in rng.integers(0, graph.order, 6)]
        columns = np.power(2.0, -np.array(levels)).T * rng.random(6)
        # what is left of each row is spread evenly, scaled so that it stays private
        columns /= 3 * columns.sum(axis=1).max()
        left = 1 - columns.sum(axis=1)
        channel = Channel(np.column_stack([columns, left]), graph.vertices)
        if privacy_level(channel, graph).ratio <= 2:
            assert posterior_vulnerability(channel, skewed(graph)) <= float(best.upper) + 1e-12


def constructions(graph: SecretGraph, epsilon: str) -> list[Mechanism]:
    """Every construction that is legal on a graph."""
    n = graph.order
    made: list[Mechanism] = []
    for make in (
        lambda: TightConstraints(graph, epsilon=epsilon),
        lambda: GraphExponential(graph, epsilon=epsilon),
        lambda: GraphExponential(graph, epsilon=epsilon, on=SecretGraph.complete(graph.vertices)),
        lambda: RandomizedResponse(graph.vertices, epsilon=epsilon),
        lambda: TruncatedGeometric(graph.vertices, epsilon=epsilon, sensitivity=n - 1),
        lambda: RoundedLaplace(graph.vertices, epsilon=epsilon, sensitivity=n - 1),
        lambda: TruncatedGeometric(graph.vertices, epsilon=epsilon),
        lambda: PlanarGeometric(4, 4, epsilon=epsilon),
        lambda: PlanarLaplace(4, 4, epsilon=epsilon),
    ):
        with contextlib.suppress(InvalidInput):
            mechanism = make()
            with contextlib.suppress(Mismatch):
                if privacy_level(mechanism.channel, graph).holds(epsilon=epsilon):
                    made.append(mechanism)
    return made


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("name", ["line", "complete", "grid", "ring", "even ring"])
def test_no_construction_is_more_useful(name: str, epsilon: str) -> None:
    graph = SecretGraph.cycle(8) if name == "even ring" else CASES[name]
    assert isinstance(graph, SecretGraph)
    distance = Loss.by_distance(graph.vertices, graph.distance)
    mechanisms = constructions(graph, epsilon)
    assert len(mechanisms) >= 3
    for prior in (None, skewed(graph)):
        for aim in (None, distance):
            best = optimal_mechanism(graph, prior, aim, epsilon=epsilon)
            for mechanism in mechanisms:
                worth = utility(mechanism.channel, prior, aim).value
                assert (-worth if aim else worth) <= best.upper


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_a_hundred_inputs_are_proved_too(epsilon: str) -> None:
    line = SecretGraph.line(100)
    distance = Loss.by_distance(line.vertices, lambda a, b: abs(a - b))
    for graph, aim in ((line, distance), (SecretGraph.complete(100), None)):
        for prior in (None, skewed(graph)):
            best = optimal_mechanism(graph, prior, aim, epsilon=epsilon)
            assert privacy_level(best.channel, graph).holds(epsilon=epsilon)
            assert best.gap <= abs(best.utility) / 10**6


@pytest.mark.parametrize("unit", ["1e-15", "1e-9", "1e20", "1e300"])
def test_the_unit_of_the_gain_does_not_matter(unit: str) -> None:
    graph = CASES["tree"]
    distance = Loss.by_distance(graph.vertices, graph.distance)
    scaled = Loss(
        [[Fraction(v) * Fraction(unit) for v in map(str, row)] for row in distance.matrix],
        graph.vertices,
        graph.vertices,
    )
    best = optimal_mechanism(graph, skewed(graph), scaled, epsilon=1)
    proved(best)
    assert best.gap <= abs(best.utility) / 10**6


def test_parts_of_no_weight_and_gains_of_nothing_are_no_trouble() -> None:
    star = Graph(9, [(0, i) for i in range(1, 7)] + [(7, 8)])
    best = optimal_mechanism(star, [0] * 7 + ["1/2"] * 2, ratio=2)
    proved(best)
    assert best.utility == Fraction(2, 3)
    nothing = optimal_mechanism(RING, gain=Gain([[0] * 5, [0] * 5]), ratio=2)
    assert nothing.utility == nothing.upper == 0


@pytest.mark.parametrize("epsilon", ["25", "40", "100"])
def test_a_complete_graph_is_solved_well_at_large_epsilon(epsilon: str) -> None:
    graph = CASES["complete"]
    distance = Loss.by_distance(graph.vertices, lambda a, b: abs(a - b))
    best = optimal_mechanism(graph, skewed(graph), distance, epsilon=epsilon)
    proved(best)
    assert best.gap <= best.loss / 10**6


def test_large_complete_graphs_are_solved_inside() -> None:
    graph = SecretGraph.complete(60)
    distance = Loss.by_distance(graph.vertices, lambda a, b: abs(a - b))
    best = optimal_mechanism(graph, skewed(graph), distance, epsilon=1)
    proved(best)
    assert best.gap <= best.loss / 10**6


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_a_grid_with_few_guesses_in_use_is_proved_without_a_gap_to_speak_of(epsilon: str) -> None:
    k = 5
    edges = [(i, i + 1) for i in range(k * k) if i % k < k - 1]
    grid = Graph(k * k, edges + [(i, i + k) for i in range(k * k - k)])
    weights = [(i + 1) ** 2 for i in range(k * k)]
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    squared = Loss.by_distance(
        grid.vertices, lambda i, j: (i % k - j % k) ** 2 + (i // k - j // k) ** 2
    )
    best = optimal_mechanism(grid, prior, squared, epsilon=epsilon)
    proved(best)
    assert best.gap < Fraction(1, 2**36)


def test_the_bound_is_close_even_where_hardly_anything_may_be_told() -> None:
    ring = SecretGraph.cycle(20)
    weights = [(i + 1) ** 2 for i in range(20)]
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    squared = Loss.by_distance(ring.vertices, lambda i, j: min((i - j) % 20, (j - i) % 20) ** 2)
    best = optimal_mechanism(ring, prior, squared, epsilon="0.000001")
    proved(best)
    assert best.gap < Fraction(1, 2**30)


@pytest.mark.parametrize("epsilon", ["2", "5/2", "4"])
def test_few_guesses_on_small_graphs_are_proved_without_a_gap_to_speak_of(epsilon: str) -> None:
    """Prices that suffice for the cheapest column may lack for another of a smaller sum."""
    graphs = (Graph(4, [(0, 1), (1, 2), (0, 2), (2, 3)]), SecretGraph.grid(2, 3))
    rng = np.random.default_rng(8)
    for _ in range(15):
        for graph in graphs:
            weights, table = rng.integers(1, 9, graph.order), rng.integers(0, 5, (2, graph.order))
            prior = Distribution.from_counts(
                dict(zip(graph.vertices, weights.tolist(), strict=True))
            )
            gain = Gain(table.tolist(), ["a", "b"], graph.vertices)
            best = optimal_mechanism(graph, prior, gain, epsilon=epsilon)
            assert best.gap <= best.utility / 10**9
