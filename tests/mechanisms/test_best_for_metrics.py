import copy
import math
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.gain import Gain, Loss, Tries
from leaktight.check import Refuted, check, digest
from leaktight.errors import InvalidGain, InvalidGraph, InvalidInput, TooLarge
from leaktight.exact.numbers import rational
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.best.repair import repair
from leaktight.mechanisms.best.tradeoff import least_leaking
from leaktight.policies.metric import Metric
from leaktight.policies.query import sensitivity
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.certificate import digest_of
from tests.second_routes.direct_program import best_by_definition
from tests.strategies.metrics import metrics

GRID = [(x, y) for x in range(4) for y in range(3)]
LOSS = Loss.by_distance(GRID, math.dist)
EPSILONS = st.sampled_from(["1/10", "7/10", "2"])


def is_private(channel: Channel, points: dict[Any, Any], epsilon: str) -> bool:
    """Compare all pairs for the real Euclidean distances, by interval arithmetic."""
    with ctx.workprec(300):
        for a, b in permutations(points, 2):
            square = sum((x - y) ** 2 for x, y in zip(points[a], points[b], strict=True))
            most = (arb(rational(epsilon)) * arb(square).sqrt()).exp()
            for z in channel.outputs:
                if not arb(rational(channel[a, z])) <= most * arb(rational(channel[b, z])):
                    return False
    return True


@settings(max_examples=60)
@given(metrics(), EPSILONS, st.data())
def test_what_is_earned_is_what_the_direct_program_says(
    metric: Metric, epsilon: str, data: st.DataObject
) -> None:
    n = metric.order
    row = st.lists(st.integers(-3, 5), min_size=n, max_size=n)
    table = data.draw(st.lists(row, min_size=2, max_size=n))
    gain = Gain(table, range(len(table)), metric.values)
    best = optimal_mechanism(metric, gain=gain, epsilon=epsilon)
    assert 0 <= best.gap < Fraction(1, 10**10)  # 2^−36 for each of a few inputs
    near = best_by_definition(metric, float(Fraction(epsilon)), np.array(table) / n)
    assert math.isclose(float(best.utility), near, rel_tol=1e-7, abs_tol=1e-7)
    assert privacy_level(best.channel, metric).holds(epsilon=epsilon)
    assert check(best.certificate) == [(1, best.utility, best.upper)]


@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7, unique=True),
    EPSILONS,
)
def test_mechanisms_are_private_for_the_real_distances(
    places: list[tuple[int, int]], epsilon: str
) -> None:
    points, metric = dict(enumerate(places)), Metric.euclidean(dict(enumerate(places)))
    loss = Loss.by_distance(points, lambda a, b: math.dist(points[a], points[b]))
    best = optimal_mechanism(metric, gain=loss, epsilon=epsilon)
    assert is_private(best.channel, points, epsilon)
    noise = np.random.default_rng(len(places)).normal(0, 1e-3, best.channel.shape)
    mended = repair(best.channel.float().matrix + noise, metric, epsilon=epsilon)
    assert is_private(mended.channel, points, epsilon)
    tight = privacy_level(best.channel, metric)
    assert not is_private(best.channel, points, str(Fraction(tight.epsilon * 0.999))) or (
        tight.ratio == 1
    )


@settings(max_examples=20)
@given(st.integers(2, 5), st.data())
def test_a_graph_as_a_metric_gives_the_graphs_own_numbers(n: int, data: st.DataObject) -> None:
    edges = [pair for pair in combinations(range(n), 2) if data.draw(st.booleans())]
    graph, ratio = SecretGraph.from_edges(n, edges), data.draw(st.sampled_from(["2", "3/2"]))
    one, other = (optimal_mechanism(each, ratio=ratio) for each in (graph, Metric.of(graph)))
    assert one.certificate == other.certificate
    assert one.digest == other.digest
    # Lengths of 2 are those of 1 at the ratio squared.
    squared = Fraction(ratio) ** 2
    long = optimal_mechanism(Metric.of(graph, length=2), ratio=ratio)
    assert long.utility == optimal_mechanism(graph, ratio=squared).utility
    assert check(long.certificate)[0][1:] == (long.utility, long.upper)


def test_whole_numbers_of_a_length_that_differ_are_the_best_too() -> None:
    """A path of lengths 1 and 2 at λ, against the exact program over all entries."""
    metric = Metric.from_edges(3, [(0, 1, 1), (1, 2, 2)])
    best = optimal_mechanism(metric, ratio=2)
    # w = (1/(1+q), 1/(1+q) + 1/(1+q²) − 1, 1/(1+q²)) is the weighting: q = 1/2
    weights = Fraction(2, 3) + Fraction(2, 3) + Fraction(4, 5) - 1 + Fraction(4, 5)
    assert best.utility <= weights / 3 <= best.upper
    assert best.gap < Fraction(1, 10**12)


def test_a_spanner_is_private_for_the_real_distances_and_bounds_the_best() -> None:
    metric = Metric.euclidean(GRID)
    best = optimal_mechanism(metric, gain=LOSS, epsilon=1)
    sparse = optimal_mechanism(metric.spanner("6/5"), gain=LOSS, epsilon=1)
    assert is_private(sparse.channel, dict(zip(GRID, GRID, strict=True)), "1")
    assert sparse.utility < best.utility <= best.upper < sparse.upper
    level = privacy_level(sparse.channel, metric)
    assert level.holds(epsilon=1)
    assert level.epsilon > 1 / 1.2


def test_a_trade_off_holds_for_a_metric() -> None:
    points = [(0, 0), (0, 1), (1, 0), (2, 2)]
    metric, loss = Metric.euclidean(points), Loss.by_distance(points, math.dist)
    best = optimal_mechanism(metric, gain=loss, epsilon=1)
    enough = best.loss + Fraction(1, 100)
    found = least_leaking(None, loss, enough, neighbours=metric, epsilon=1)
    assert found.loss <= enough
    assert is_private(found.channel, dict(zip(points, points, strict=True)), "1")
    free = least_leaking(None, loss, enough)
    assert free.vulnerability <= found.vulnerability


def test_a_changed_digit_is_refused() -> None:
    metric = Metric.euclidean([(0, 0), (0, 1), (1, 0), (2, 3)])
    proof = optimal_mechanism(metric, epsilon=1).certificate
    check(proof)
    assert digest(proof) == digest_of(metric, optimal_mechanism(metric, epsilon=1).prior,
                                      Gain.binary(metric.values))  # fmt: skip

    def changed(place: str, edge: int, end: int, by: fmpq) -> dict[str, Any]:
        other = copy.deepcopy(proof)
        pair = other[place][edge]
        pair[end] = str(rational(pair[end]) + by)
        return other

    tiny = fmpq(1, 2**50)
    with pytest.raises(Refuted, match="a ratio is above that of its length"):
        check(changed("ratios", 1, 0, tiny))
    with pytest.raises(Refuted, match="a ratio is below that of its length"):
        check(changed("ratios", 1, 1, -tiny))
    with pytest.raises(Refuted, match="the lower end first"):
        check(changed("lengths", 1, 0, fmpq(9)))
    lower = [[str(rational(low) - tiny), high] for low, high in proof["ratios"]]
    with pytest.raises(Refuted, match="too well"):
        check(proof | {"ratios": lower})
    higher = [[low, str(rational(high) + tiny)] for low, high in proof["ratios"]]
    with pytest.raises(Refuted, match="proves too little"):
        check(proof | {"ratios": higher})
    shorter = changed("lengths", 1, 0, -tiny)
    with pytest.raises(Refuted, match="a ratio is above that of its length"):
        check(shorter)
    assert digest(shorter) != digest(proof)
    with pytest.raises(Refuted, match="every edge must have a length"):
        check(proof | {"lengths": proof["lengths"][1:]})


@settings(max_examples=15)
@given(metrics(most=5), EPSILONS, st.integers(1, 3))
def test_several_tries_name_the_best_sets(metric: Metric, epsilon: str, k: int) -> None:
    n = metric.order
    best = optimal_mechanism(metric, gain=Tries(k), epsilon=epsilon)
    sets = list(combinations(range(n), min(k, n)))
    table = np.array([[int(x in chosen) for x in range(n)] for chosen in sets])
    outputs: Any = best.channel.outputs
    assert all(len(output) == min(k, n) for output in outputs)
    near = best_by_definition(metric, float(Fraction(epsilon)), table / n)
    assert math.isclose(float(best.utility), near, rel_tol=1e-7)
    by_guessing = posterior_vulnerability(best.channel, gain=Tries(k))
    assert by_guessing >= best.utility


def test_a_gain_may_be_a_table_or_a_function() -> None:
    line = SecretGraph.line(["a", "b", "c"])
    table = [[2, 1, 0], [0, 1, 0], [0, 1, 2]]
    ways: list[Any] = [
        Gain(table, line.vertices, line.vertices),
        table,
        np.array(table),
        {
            guess: dict(zip("abc", row, strict=True))
            for guess, row in zip("abc", table, strict=True)
        },
        dict(zip("abc", table, strict=True)),
        lambda w, x: table["abc".index(w)]["abc".index(x)],
    ]
    found = [optimal_mechanism(line, gain=way, ratio=2) for way in ways]
    assert {best.digest for best in found} == {found[0].digest}
    assert optimal_mechanism(line, gain=table[:2], ratio=2).aim.guesses == (0, 1)
    with pytest.raises(InvalidGain, match="expected a Gain"):
        optimal_mechanism(line, gain=7, ratio=2)
    with pytest.raises(TooLarge, match="sets of 20"):
        optimal_mechanism(SecretGraph.line(40), gain=Tries(20), ratio=2)


def test_a_gain_may_be_named_as_in_a_study() -> None:
    metric = Metric.euclidean([(0, 0), (3, 4), (3, 0)])
    by_name = optimal_mechanism(metric, gain="distance", epsilon="1/10")
    loss = Loss(metric.distances, metric.values, metric.values)
    assert by_name.loss == optimal_mechanism(metric, gain=loss, epsilon="1/10").loss
    line = SecretGraph.line([0, 1, 3])
    squared = Loss.by_distance(line.vertices, lambda a, b: (a - b) ** 2)
    named = optimal_mechanism(line, gain="squared", ratio=2)
    assert named.channel == optimal_mechanism(line, gain=squared, ratio=2).channel
    with pytest.raises(InvalidInput, match="gain must be one of guess, distance"):
        optimal_mechanism(line, gain="distanse", ratio=2)


def test_functions_of_graphs_alone_say_so() -> None:
    with pytest.raises(InvalidGraph, match="not by a metric"):
        sensitivity(Metric.euclidean(GRID), len)  # type: ignore[arg-type]
