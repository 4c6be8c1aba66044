import math
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel, sequential
from leaktight.errors import Mismatch
from leaktight.exact.rounding import ln_interval
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.average_breach import average_breach_level
from leaktight.privacy.breach_level import breach_level
from leaktight.privacy.level import (
    PrivacyLevel,
    component_levels,
    distinguishability,
    privacy_level,
)
from leaktight.privacy.profile import privacy_profile
from tests.strategies.channels import channels
from tests.strategies.graphs import constrained_policies

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])


def by_definition(channel: Channel, graph: Graph) -> Fraction | float:
    """The largest ratio over both directions of every edge, one entry after the other."""
    worst: Fraction | float = Fraction(1)
    for x, y in graph.edge_pairs():
        for a, b in ((x, y), (y, x)):
            for z in channel.outputs:
                above, below = Fraction(channel[a, z]), Fraction(channel[b, z])
                if below:
                    worst = max(worst, above / below)
                elif above:
                    worst = math.inf
    return worst


def check_witness(channel: Channel, graph: Graph, level: PrivacyLevel) -> None:
    if level.ratio == 1:
        assert level.witness is None
        return
    assert level.witness is not None
    x, y, z = level.witness.input, level.witness.neighbour, level.witness.output
    assert graph.distance(x, y) == 1
    above, below = Fraction(channel[x, z]), Fraction(channel[y, z])
    assert level.ratio == (above / below if below else math.inf)


@st.composite
def graphs(draw: st.DrawFn, order: int) -> Graph:
    pairs = [(i, j) for i in range(order) for j in range(i)]
    return Graph(order, draw(st.lists(st.sampled_from(pairs), max_size=8)) if pairs else [])


@given(channels(most=5), st.data())
def test_the_level_is_the_largest_ratio_and_has_a_witness(
    channel: Channel, data: st.DataObject
) -> None:
    graph = data.draw(graphs(channel.shape[0]))
    for kind in (channel, channel.float()):
        level = privacy_level(kind, graph)
        assert level.ratio == by_definition(kind, graph)
        check_witness(kind, graph, level)
        assert level.holds(ratio=10**9) == (level.ratio <= 10**9)
        if level.ratio < math.inf:
            assert level.holds(ratio=level.ratio)
            assert level.epsilon >= ln_interval(level.ratio)[1]
            assert level.holds(epsilon=level.epsilon)


@given(channels(most=5))
def test_complete_graphs_and_all_pairs_take_a_short_cut_to_the_same(channel: Channel) -> None:
    complete = SecretGraph.complete(channel.shape[0])
    for kind in (channel, channel.float()):
        expected = by_definition(kind, complete)
        assert privacy_level(kind, complete).ratio == expected
        assert distinguishability(kind).ratio == expected


def test_a_float_ratio_is_not_rounded() -> None:
    third = 1 / 3
    channel = Channel([[third, 1 - third], [0.1, 0.9]])
    edge = SecretGraph.complete(2)
    level = privacy_level(channel, edge)
    assert level.ratio == Fraction(third) / Fraction(0.1)
    assert level.holds(ratio=level.ratio)
    assert not level.holds(ratio=level.ratio - Fraction(1, 10**40))
    exactly_three = Channel([[0.75, 0.25], [0.25, 0.75]])
    assert privacy_level(exactly_three, edge).ratio == 3


def test_no_tolerance_turns_not_private_into_private() -> None:
    hair = Fraction(1, 10**60)
    channel = Channel([[Fraction(2, 3) + hair, Fraction(1, 3) - hair], ["1/3", "2/3"]])
    level = privacy_level(channel, SecretGraph.complete(2))
    assert level.ratio == 2 / (1 - 3 * hair) > 2
    assert not level.holds(epsilon="ln 2")
    assert level.epsilon >= math.log(2)


def test_a_zero_against_a_positive_entry_is_infinite_and_against_a_zero_is_nothing() -> None:
    edge = SecretGraph.complete(2)
    for channel in (Channel([[0, 1], ["1/2", "1/2"]]), Channel([[0.0, 1.0], [0.5, 0.5]])):
        level = privacy_level(channel, edge)
        assert level.ratio == math.inf
        assert level.epsilon == math.inf
        assert not level.holds(epsilon=1000)
        assert level.witness is not None
        assert (level.witness.input, level.witness.neighbour, level.witness.output) == (1, 0, 0)
    both_zero = Channel([[0, "1/3", "2/3"], [0, "2/3", "1/3"]])
    assert privacy_level(both_zero, edge).ratio == 2


def test_numbers_far_beyond_the_floats_are_compared() -> None:
    tiny = Fraction(1, 10**400)
    channel = Channel([[tiny, 1 - tiny], [3 * tiny, 1 - 3 * tiny]])
    assert privacy_level(channel, SecretGraph.complete(2)).ratio == 3
    subnormal = Channel([[5e-324, 1.0], [1e-300, 1.0]])
    level = privacy_level(subnormal, SecretGraph.complete(2))
    assert level.ratio == Fraction(1e-300) / Fraction(5e-324)


def test_long_fractions_that_logarithms_cannot_tell_apart_are_compared_exactly() -> None:
    """Entries near 1/2 with numerators of thousands of bits: their ratios agree to 10^-900."""
    big = 10**1000
    rows = [[Fraction(big + k, 2 * big + 7), Fraction(big + 7 - k, 2 * big + 7)] for k in range(4)]
    channel = Channel(rows)
    line = SecretGraph.line(4)
    assert privacy_level(channel, line).ratio == by_definition(channel, line)


def test_of_ratios_nearer_than_logarithms_can_tell_the_largest_is_found() -> None:
    """40 outputs with ratios from 2 in steps of 10^-17; logarithms are off by some 10^-15."""
    below = [Fraction(1, 200 + 7 * k) for k in range(40)]
    above = [(2 + Fraction(k, 10**17)) * q for k, q in enumerate(below)]
    for rows in ([above, below], [above[::-1], below[::-1]]):
        channel = Channel([[*row, 1 - sum(row)] for row in [*rows, rows[1]]])
        level = privacy_level(channel, SecretGraph.line(3))
        assert level.ratio == 2 + Fraction(39, 10**17)
        everyone = privacy_level(channel, SecretGraph.complete(3))  # column by column
        assert everyone.ratio == level.ratio


def test_equal_rows_and_isolated_inputs_are_perfectly_private() -> None:
    assert privacy_level(Channel.no_interference(5), SecretGraph.line(5)).ratio == 1
    alone = privacy_level(Channel.identity(3), Graph(3))
    assert (alone.ratio, alone.epsilon, alone.witness) == (1, 0.0, None)
    assert alone.holds(epsilon=0)
    assert privacy_level(Channel.identity(1), Graph(1)).ratio == 1


def test_each_component_has_its_own_level() -> None:
    rows = [["1/2", "1/2"], ["1/4", "3/4"], ["9/10", "1/10"], ["3/10", "7/10"], [0, 1]]
    levels = component_levels(Channel(rows), Graph(5, [(0, 1), (2, 3)]))
    assert {c: level.ratio for c, level in levels.items()} == {(0, 1): 2, (2, 3): 7, (4,): 1}
    whole = privacy_level(Channel(rows), Graph(5, [(0, 1), (2, 3)]))
    assert whole.ratio == max(level.ratio for level in levels.values())


def test_inputs_go_by_label_and_must_be_the_databases() -> None:
    line = SecretGraph.line(["a", "b", "c"])
    rows = {"c": ["1/7", "6/7"], "a": ["4/7", "3/7"], "b": ["2/7", "5/7"]}
    level = privacy_level(Channel(rows), line)
    assert level.ratio == 2
    check_witness(Channel(rows), line, level)
    with pytest.raises(Mismatch, match="'a' is only in one"):
        privacy_level(Channel.identity(3), line)
    with pytest.raises(Mismatch, match="one channel for each record, use parallel"):
        privacy_level(COIN, Policy(SecretGraph.complete(2), records=200))
    two = Policy(SecretGraph.complete(["no", "yes"]), records=2)
    response = Channel(COIN, ["no", "yes"])
    assert privacy_level(parallel(response, response).expand(), two).ratio == 2


def test_plain_differential_privacy_does_not_survive_public_constraints() -> None:
    """Databases {00, 11}: randomised response squared is ln 2-private, but has ratio 4 there."""
    secrets = SecretGraph.complete(2)
    squared = parallel(COIN, COIN).expand()
    assert privacy_level(squared, Policy(secrets, records=2)).ratio == 2
    public = Policy(secrets, records=2, databases=[(0, 0), (1, 1)])
    assert privacy_level(squared.restrict([(0, 0), (1, 1)]), public.adjacency()).ratio == 4
    assert privacy_level(parallel(COIN, COIN), public).ratio == 4


def test_channels_in_parallel_are_as_private_as_the_worst() -> None:
    worse = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    secrets = SecretGraph.complete(2)
    together = parallel(*[COIN] * 10**6)
    assert privacy_level(together, Policy(secrets, records=10**6)).ratio == 2
    level = privacy_level(parallel(COIN, COIN, worse, COIN), Policy(secrets, records=4))
    assert level.ratio == 3
    assert level.witness is not None
    assert level.witness.record == 2
    assert "record 2" in str(level.witness)
    with pytest.raises(Mismatch, match="3 channels in parallel need a policy"):
        privacy_level(parallel(COIN, COIN, worse), Policy(secrets, records=2))


@settings(max_examples=40)
@given(channels(inputs=2, outputs=3), channels(inputs=3, outputs=2))
def test_b_l4_parallel_composition_takes_the_larger_ratio(a: Channel, b: Channel) -> None:
    """Lemma 4 of Barthe and Köpf, privacy half, against the product."""
    left, right = SecretGraph.complete(2), SecretGraph.line(3)
    grid = SecretGraph.product(left, right)
    whole = privacy_level(parallel(a, b).expand(), grid).ratio
    assert whole == max(privacy_level(a, left).ratio, privacy_level(b, right).ratio)


@settings(max_examples=40)
@given(st.data())
def test_b_l3_sequential_composition_multiplies_ratios_at_most(data: st.DataObject) -> None:
    """Lemma 3 of Barthe and Köpf, privacy half: the second is private for every first output."""
    line = SecretGraph.line(3)
    first = data.draw(channels(inputs=3, outputs=2))
    second = {y: data.draw(channels(inputs=3, outputs=2)) for y in first.outputs}
    whole = privacy_level(sequential(first, second), line).ratio
    ratios = [privacy_level(second[y], line).ratio for y in first.outputs]
    assert whole <= privacy_level(first, line).ratio * max(ratios)


@settings(max_examples=40)
@given(channels(inputs=4, outputs=3), channels(inputs=3, outputs=2))
def test_post_processing_never_raises_the_ratio(channel: Channel, after: Channel) -> None:
    line = SecretGraph.line(4)
    before = privacy_level(channel, line).ratio
    assert privacy_level(channel.then(after), line).ratio <= before


# --- the weighted form ---


@settings(max_examples=60)
@given(channels(inputs=4, outputs=3), st.data())
def test_the_level_for_a_metric_is_the_largest_log_ratio_per_distance_of_all_pairs(
    channel: Channel, data: st.DataObject
) -> None:
    places = st.tuples(st.integers(0, 9), st.integers(0, 9))
    points = data.draw(st.lists(places, min_size=4, max_size=4, unique=True))
    for metric in (Metric.manhattan, Metric.euclidean):
        made, worst = metric(dict(enumerate(points))), 0.0
        for i, j in product(range(4), repeat=2):
            for z in channel.outputs:
                above, below = Fraction(channel[i, z]), Fraction(channel[j, z])
                if above > below:
                    log = ln_interval(above / below)[1] if below else math.inf
                    worst = max(worst, log / float(made.distance(i, j)[0]))
        for kind in (channel, channel.float()):
            level = privacy_level(kind, made)
            assert (level.witness is None) == (worst == 0)
            if worst == math.inf:
                assert level.epsilon == math.inf
            else:
                assert math.isclose(level.epsilon, worst, rel_tol=1e-9, abs_tol=1e-9)
                assert level.holds(epsilon=level.epsilon)
                assert not worst or not level.holds(epsilon=level.epsilon * (1 - 1e-9))


def test_a_graph_and_the_metric_that_counts_its_edges_have_the_same_level() -> None:
    line = SecretGraph.line(30)
    q = 0.8
    i = np.arange(30)
    matrix = q ** np.abs(i[:, None] - i) * (1 - q) / (1 + q)
    matrix[:, 0], matrix[:, -1] = q**i / (1 + q), q ** (29 - i) / (1 + q)
    channel = Channel(matrix)
    on_edges = privacy_level(channel, line)
    assert privacy_level(channel, Metric.of(line)) == on_edges
    assert privacy_level(channel, Metric.from_table(line.distances)) == on_edges
    halved = privacy_level(channel, Metric.of(line, length="1/2"))
    assert (halved.ratio, halved.distance) == (on_edges.ratio, Fraction(1, 2))
    assert math.isclose(halved.epsilon, 2 * on_edges.epsilon, rel_tol=1e-15)


def test_of_nearly_equal_rates_the_larger_is_found_exactly() -> None:
    """The first pair has ln 2 for 1, the second ln 4 and a little more for 2."""
    little = Fraction(1, 2**80)
    other = 4 * (1 + little)
    rows = [
        [Fraction(2, 3), Fraction(1, 3), 0, 0],
        [Fraction(1, 3), Fraction(2, 3), 0, 0],
        [0, 0, other / (1 + other), 1 / (1 + other)],
        [0, 0, 1 / (1 + other), other / (1 + other)],
    ]
    apart = Metric.from_edges(4, [(0, 1, 1), (2, 3, 2)])
    level = privacy_level(Channel(rows), apart)
    assert (level.ratio, level.distance) == (other, Fraction(2))
    assert level.witness is not None
    assert {level.witness.input, level.witness.neighbour} == {2, 3}


def test_at_an_infinite_distance_nothing_is_asked_and_nothing_else_is_hidden() -> None:
    rows = [[1, 0, 0], [0, "1/1001", "1000/1001"], [0, "1000/1001", "1/1001"]]
    channel, graph = Channel(rows), Graph(3, [(1, 2)])
    level = privacy_level(channel, Metric.from_function(graph.vertices, graph.distance))
    assert level == privacy_level(channel, Metric.of(graph)) == privacy_level(channel, graph)
    assert math.isclose(level.epsilon, math.log(1000), rel_tol=1e-12)


@given(st.integers(2, 400), st.integers(1, 399))
def test_epsilon_is_rounded_up_also_as_it_is_printed(a: int, b: int) -> None:
    if a > b:
        level = PrivacyLevel(Fraction(a, b), None)
        assert level.holds(epsilon=level.epsilon)
        assert level.holds(epsilon=repr(level.epsilon))


@settings(max_examples=60)
@given(constrained_policies(), st.data())
def test_channels_in_parallel_under_constraints_equal_their_product(
    policy: Policy, data: st.DataObject
) -> None:
    if policy.records == 1:
        return
    n = policy.secrets.order
    rows = st.lists(st.integers(0, 3), min_size=2, max_size=2).filter(any)
    tables = [
        Channel.normalised([data.draw(rows) for _ in range(n)], policy.secrets.vertices)
        for _ in range(2)
    ]
    each = [tables[i % 2] for i in range(policy.records)]
    graph = policy.adjacency()
    whole = parallel(*each).expand().restrict(graph.vertices)
    with patch("leaktight.privacy.records.BLOCK", data.draw(st.sampled_from([3, 2**18]))):
        level = privacy_level(parallel(*each), policy)
    assert level.ratio == privacy_level(whole, graph).ratio
    if level.witness is not None and level.witness.rest is None:
        x, y, z = level.witness.input, level.witness.neighbour, level.witness.output
        above, below = Fraction(whole[x, z]), Fraction(whole[y, z])
        assert above / below == level.ratio if below else level.ratio == math.inf


@pytest.mark.parametrize("more", range(1, 10**6, 123_457))
def test_what_no_breach_exceeds_is_printed_no_smaller_than_it_is(more: int) -> None:
    """A ratio of 42 bits, and its logarithm, are rounded up where they are shown."""
    p = Fraction(10**12 + more * 10**4 + 1, 10**13)
    coin = Channel([[1 - p, p], [p, 1 - p]])
    for level, size in (
        (breach_level(coin), (1 - p) / p),
        (average_breach_level(coin), 1 + (1 - 2 * p)),
    ):
        number = repr(level).split("≈")[1].split(",")[0]
        bits = repr(level).split(", ")[1].split(" bit")[0]
        assert Fraction(number) >= size
        assert float(bits) >= math.log2(size)
    profile = repr(privacy_profile(coin, SecretGraph.complete(2)))
    shown = profile.split("δ(1) ")[1].split(";")[0]
    assert shown.startswith("≤ ")
    assert Fraction(shown.removeprefix("≤ ")) >= 1 - 2 * p


def test_a_function_of_many_inputs_is_distinguished_without_its_matrix() -> None:
    """131,072 × 65,536 entries would not fit; small ones agree with theirs."""
    level = distinguishability(Channel.deterministic(lambda x: x // 2, range(2**17)))
    assert (level.ratio, str(level.witness)) == (math.inf, "output 0 of 0 against 2")
    for outputs in ([0, 0, 0], [1, 1, 2], [2, 0, 1], [5]):
        function = Channel.deterministic(dict(enumerate(outputs)), range(len(outputs)))
        found = distinguishability(function)
        written = distinguishability(Channel(function.matrix, function.inputs, function.outputs))
        assert found.ratio == written.ratio
        assert (found.witness is None) == (written.witness is None)
        if found.witness is not None:
            at = found.witness
            assert function[at.input, at.output] == 1
            assert function[at.neighbour, at.output] == 0
