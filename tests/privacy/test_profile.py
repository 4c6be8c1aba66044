"""δ at every ratio: against all sets of outputs, all sequences of looks, and ratios one by one."""

import math
import random
from fractions import Fraction
from itertools import chain, combinations, pairwise, permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import sequential
from leaktight.errors import InvalidNumber, Mismatch, TooLarge
from leaktight.exact.numbers import fraction
from leaktight.exact.ratio import Ratio
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy import losses, profile
from leaktight.privacy.level import privacy_level
from leaktight.privacy.loss_grid import Detail
from leaktight.privacy.profile import privacy_profile
from tests.strategies.channels import channels
from tests.strategies.fractions import fractions

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
PAIR = SecretGraph.complete(2)
RATIOS = fractions(1, 20, max_denominator=6)


def by_sets(channel: Channel, graph: Graph, ratio: Fraction) -> Fraction:
    """The largest K(S|x) − λ·K(S|x′) over all neighbours and all sets of outputs."""
    sets = list(
        chain.from_iterable(
            combinations(channel.outputs, k) for k in range(len(channel.outputs) + 1)
        )
    )
    return max(
        sum(((Fraction(channel[a, z]) - ratio * Fraction(channel[b, z])) for z in s), Fraction(0))
        for x, y in graph.edge_pairs()
        for a, b in ((x, y), (y, x))
        for s in sets
    )


def after(channel: Channel, looks: int) -> Channel:
    """The channel whose outputs are all sequences of looks."""
    whole = channel
    for _ in range(looks - 1):
        whole = sequential(whole, channel)
    return whole


@given(channels(most=5), st.data())
def test_delta_is_the_largest_excess_of_any_set_of_outputs(
    channel: Channel, data: st.DataObject
) -> None:
    n = channel.shape[0]
    edges = [(i, j) for i in range(n) for j in range(i)]
    if not edges:
        return
    graph = Graph(n, data.draw(st.lists(st.sampled_from(edges), min_size=1)))
    whole = privacy_profile(channel, graph)
    for ratio in (Fraction(1), data.draw(RATIOS), Fraction(10**9)):
        found = whole.delta(ratio=ratio)
        assert found.is_exact
        assert found.upper == by_sets(channel, graph, ratio)
        if found.witness is not None:
            pair = Graph(n, [found.witness])
            assert by_sets(channel, pair, ratio) == found.upper


@given(channels(inputs=3), st.integers(2, 3), RATIOS)
@settings(max_examples=40)
def test_looks_are_those_of_all_sequences(channel: Channel, looks: int, ratio: Fraction) -> None:
    line = Graph(3, [(0, 1), (1, 2)])
    found = privacy_profile(channel, line, observations=looks).delta(ratio=ratio)
    expected = privacy_profile(after(channel, looks), line).delta(ratio=ratio)
    assert (found.lower, found.upper) == (expected.lower, expected.upper)


@given(channels(inputs=2, outputs=3), st.integers(2, 4), RATIOS)
@settings(max_examples=30)
def test_a_grid_encloses_what_is_told_apart_exactly(
    channel: Channel, looks: int, ratio: Fraction
) -> None:
    exact = privacy_profile(channel, PAIR, observations=looks).delta(ratio=ratio)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(losses, "_exponents", lambda _: None)
        patch.setattr(losses, "MOST_BITS", 0)
        patch.setattr(losses, "MOST_PRODUCTS", 1)
        patch.setattr(losses, "DETAIL", Detail(16.0, 2**14))
        near = privacy_profile(channel, PAIR, observations=looks)
        found = near.delta(ratio=ratio)
    assert found.lower <= exact.upper <= found.upper
    assert found.upper - found.lower < Fraction(1, 4)


@given(channels(inputs=2, outputs=4), st.integers(2, 6), st.integers(2, 400))
@settings(max_examples=40)
def test_numbers_of_looks_at_each_ratio_are_the_products_of_looks(
    channel: Channel, looks: int, digits: int
) -> None:
    """Three routes to the same corners; ratios that no float tells apart are told apart."""
    rows = [[fraction(p) for p in row] for row in channel.matrix.tolist()]
    little = Fraction(1, 10**digits)
    if min(rows[1][:2]) > little:
        rows[1][:2] = rows[1][0] + little, rows[1][1] - little
    wanted, ways = (
        None,
        list[dict[str, Any]]([{}, {"MOST_BITS": 0}, {"_exponents": lambda _: None}]),
    )
    for by in ways:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in by.items():
                patch.setattr(losses, name, value)
            found = privacy_profile(Channel(rows), PAIR, observations=looks)
        assert found.is_exact
        wanted = wanted or found.upper
        assert [corner for corner, _ in found.upper] == [corner for corner, _ in wanted]


def test_a_finer_grid_is_closer() -> None:
    row = ["1/2", "1/3", "1/6"]
    channel = Channel([row, ["1/3", "1/6", "1/2"]])
    exact = privacy_profile(channel, PAIR, observations=12).delta(ratio=8)
    assert exact.is_exact
    widths = []
    for places in (2**12, 2**16):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(losses, "MOST_BITS", 0)
            patch.setattr(losses, "MOST_PRODUCTS", 16)
            patch.setattr(losses, "DETAIL", Detail(1.0, places))
            found = privacy_profile(channel, PAIR, observations=12).delta(ratio=8)
        assert found.lower < exact.lower < found.upper
        widths.append((exact.upper - found.lower, found.upper - exact.upper))
    assert all(fine < coarse / 8 for fine, coarse in zip(widths[1], widths[0], strict=True))


def test_randomised_responses_of_ratio_two() -> None:
    three = privacy_profile(COIN, PAIR, observations=3)
    values = [three.delta(ratio=r).upper for r in (1, 2, 4, 8)]
    assert values == [Fraction(13, 27), Fraction(2, 9), Fraction(4, 27), 0]
    ten = privacy_profile(COIN, PAIR, observations=10)
    assert ten.delta(ratio=16).upper == Fraction(4816, 19683)


def test_a_thousand_looks_by_the_binomial_distribution() -> None:
    found = privacy_profile(COIN, PAIR, observations=1000).delta(ratio=2**40)
    expected = sum(
        (
            max(
                Fraction(0),
                Fraction(math.comb(1000, k) * (2**k - 2**40 * 2 ** (1000 - k)), 3**1000),
            )
            for k in range(1001)
        ),
        Fraction(0),
    )
    assert found.is_exact
    assert found.upper == expected


@given(channels(inputs=3))
def test_nothing_is_left_at_the_privacy_level_and_something_below_it(channel: Channel) -> None:
    line = Graph(3, [(0, 1), (1, 2)])
    level, whole = privacy_level(channel, line), privacy_profile(channel, line)
    if level.ratio == math.inf:
        assert whole.delta(ratio=10**12).upper > 0
        assert whole.divergence(2).bits == math.inf
    else:
        assert whole.delta(ratio=level.ratio).upper == 0
        assert whole.divergence(50).nats <= level.epsilon * (1 + 2.0**-40)
        if level.ratio > 1:
            assert whole.delta(ratio=(level.ratio + 1) / 2).upper > 0


@given(channels(inputs=2), st.integers(2, 5))
def test_the_divergence_of_whole_orders_is_that_of_the_sum(channel: Channel, order: int) -> None:
    found = privacy_profile(channel, PAIR, observations=3).divergence(order)
    sums = list[float]()
    for a, b in ((0, 1), (1, 0)):
        pairs = [(Fraction(channel[a, z]), Fraction(channel[b, z])) for z in channel.outputs]
        if any(p and not q for p, q in pairs):
            sums.append(math.inf)
            continue
        total = sum((p**order / q ** (order - 1) for p, q in pairs if p), Fraction(0))
        sums.append(3 * math.log2(total) / (order - 1))
    assert found.bits == pytest.approx(max(sums), abs=1e-9)


def test_no_test_gets_below_the_trade_off() -> None:
    """All randomised tests are mixtures of sets; each set is on or above the polygon."""
    channel = Channel([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]])
    corners = privacy_profile(channel, PAIR).trade_off
    for kept in chain.from_iterable(combinations(range(3), k) for k in range(4)):
        alarm = sum((Fraction(channel[1, z]) for z in kept), Fraction(0))
        miss = 1 - sum((Fraction(channel[0, z]) for z in kept), Fraction(0))
        for (a, b), (c, d) in pairwise(corners):
            if a <= alarm <= c:
                assert (miss - b) * (c - a) >= (d - b) * (alarm - a)
    expected = [("0", "1"), ("1/6", "1/2"), ("1/2", "1/6"), ("1", "0")]
    assert [(str(alarm), str(miss)) for alarm, miss in corners] == expected


def test_an_epsilon_that_is_not_rational_is_rounded_outward() -> None:
    found = privacy_profile(COIN, PAIR).delta(epsilon="0.5")
    at = Ratio.of(epsilon="0.5")
    ends = [Fraction(2, 3) - r * Fraction(1, 3) for r in (at.upper, at.lower)]
    assert [found.lower, found.upper] == ends
    assert float(found) >= found.upper


def test_zeros_and_equal_rows() -> None:
    certain = privacy_profile(Channel([[1, 0], ["1/2", "1/2"]]), PAIR, observations=2)
    assert certain.delta(ratio=10**6).upper == Fraction(3, 4)  # seen unless both are output 0
    assert certain.delta(ratio=10**6).witness == (1, 0)
    nothing = privacy_profile(Channel.no_interference(2), PAIR, observations=100)
    assert nothing.delta(ratio=1).upper == 0
    assert nothing.delta(ratio=1).witness is None
    assert privacy_profile(COIN, Graph(2, [])).delta(ratio=1).upper == 0


def test_rows_of_floats_count_as_they_are_after_several_looks_too() -> None:
    """0.1 + 0.2 + 0.7 is not 1 in binary; nothing is divided by it, also where Q has a zero."""
    rows = [[0.1, 0.2, 0.7], [0.3, 0.7, 0.0]]
    found = privacy_profile(Channel(rows), PAIR, observations=3).delta(ratio=2)
    exact = [[Fraction(p) for p in row] for row in rows]
    assert sum(exact[0]) != 1
    expected = max(
        sum(
            max(Fraction(0), math.prod(p[z] for z in seen) - 2 * math.prod(q[z] for z in seen))
            for seen in product(range(3), repeat=3)
        )
        for p, q in (exact, exact[::-1])
    )
    assert found.lower == found.upper == expected


def test_rows_of_floats_above_1_leave_no_more_than_all() -> None:
    """0.1 + 0.9 is above 1 in binary, and so is the 80th power of it."""
    found = privacy_profile(Channel([[0.1, 0.9], [0.9, 0.1]]), PAIR, observations=80)
    assert found.delta(ratio=2).lower == found.delta(ratio=2).upper == 1


@pytest.mark.parametrize("digits", [30, 80, 400])
def test_rows_that_differ_by_less_than_balls_see_are_put_on_a_grid(digits: int) -> None:
    """After n looks δ(1) is at least that of one, and at most n times that."""
    p, little = [Fraction(k, 8) for k in (2, 1, 4, 1)], Fraction(1, 10**digits)
    q = [p[0] - little, p[1], p[2], p[3] + little]
    found = privacy_profile(Channel([p, q]), PAIR, observations=200).delta(ratio=1)
    assert not found.is_exact
    assert found.lower <= 200 * little
    assert little <= found.upper < Fraction(1, 10**25)


@pytest.mark.parametrize("digits", [30, 80, 400])
def test_ratios_that_are_next_to_nothing_are_put_on_a_grid(digits: int) -> None:
    """An output that is next to impossible for one of two is certain knowledge in the limit."""
    little = Fraction(1, 10**digits)
    rows = [["1/4", "1/2", "1/4"], [little, "1/3", Fraction(2, 3) - little]]
    found, limit = (
        privacy_profile(Channel([rows[0], row]), PAIR, observations=200).delta(ratio=2)
        for row in (rows[1], [0, "1/3", "2/3"])
    )
    assert not found.is_exact
    assert found.lower - Fraction(1, 10**20) <= limit.upper
    assert found.upper + Fraction(1, 10**20) >= limit.lower


def test_pairs_that_are_left_out_tell_less_after_any_looks() -> None:
    """Floats, whose rows sum to other numbers than 1, against all sequences of looks."""
    rng = random.Random(5)
    left_out = 0
    for _ in range(40):
        rows = [[rng.random() for _ in range(3)] for _ in range(4)]
        rows = [[p / sum(row) for p in row] for row in rows]
        rows[2] = [(3 * p + q) / 4 for p, q in zip(rows[0], rows[1], strict=True)]
        exact = [[Fraction(p) for p in row] for row in rows]
        line = SecretGraph.complete(4)
        found = privacy_profile(Channel(rows), line, observations=2)
        left_out += len(found.pairs) < 12
        for ratio in (Fraction(1), Fraction(3, 2), Fraction(4)):
            expected = max(
                sum(
                    max(Fraction(0), p[y] * p[z] - ratio * q[y] * q[z])
                    for y, z in product(range(3), repeat=2)
                )
                for p, q in permutations(exact, 2)
            )
            assert found.delta(ratio=ratio).lower == found.delta(ratio=ratio).upper == expected
    assert left_out > 20


def test_what_is_refused() -> None:
    with pytest.raises(InvalidNumber, match="whole number from 1, got 0"):
        privacy_profile(COIN, PAIR, observations=0)
    with pytest.raises(InvalidNumber, match="above 1, got 1"):
        privacy_profile(COIN, PAIR).divergence(1)
    with pytest.raises(Mismatch, match="an input for each database"):
        privacy_profile(COIN, SecretGraph.complete(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(profile, "MOST_ENTRIES", 3)
        with pytest.raises(TooLarge, match="at most 3 entries of neighbours, got 4"):
            privacy_profile(Channel([["1/2", "1/2"], ["1/3", "2/3"]]), PAIR)
