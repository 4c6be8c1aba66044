import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import repeated
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidInput, InvalidNumber, InvalidPolicy, TooLarge
from leaktight.exact.numbers import public
from leaktight.exact.ratio import Ratio
from leaktight.leakage.hyper import hyper
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.policies.constraint import count
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.repetition.adversary import Adversary, ChannelAdversary
from leaktight.repetition.attacker import (
    GraphAdversary,
    attacker_on,
    largest_n,
)
from leaktight.worst_case.optimum import worst_case_leakage
from tests.strategies.channels import channels_and_priors, distributions
from tests.strategies.graphs import secret_graphs

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
RATIOS = st.sampled_from(["1", "11/10", "3/2", "2", "5"])


def telling(graph: Graph, vertex: Any, ratio: str) -> Channel:
    """A private channel whose first output tells as much for this vertex as any may."""
    likely = [
        0 if d < 0 else Fraction(1, 10) * Fraction(ratio) ** -int(d)
        for d in graph.distances_from(vertex)
    ]
    channel = Channel([[c, 1 - c] for c in likely], graph.vertices)
    assert privacy_level(channel, graph).holds(ratio=ratio)
    return channel


# --- a guess ---


@given(
    st.fractions("1/100", "99/100", max_denominator=100),
    RATIOS,
    st.integers(1, 4),
    st.integers(1, 3),
)
def test_a_channel_attains_the_bound_on_a_guess(p: Fraction, ratio: str, n: int, d: int) -> None:
    most = Fraction(ratio) ** d
    channel = Channel([["1/2", "1/2"], [Fraction(1, 2) / most, 1 - Fraction(1, 2) / most]])
    after = hyper(repeated(channel, n), [p, 1 - p]).posterior((n, 0))[0]
    found = attacker_on(p, ratio=ratio, distance=d).chance(n)
    assert (found.value, found.is_exact) == (after, False)


def test_no_release_changes_nothing() -> None:
    for secret in ("1/4", SecretGraph.complete(4)):
        before = attacker_on(secret, ratio=2).chance(0)
        assert (before.observations, before.value, before.is_exact) == (0, Fraction(1, 4), True)


def test_a_ratio_that_is_only_enclosed_is_rounded_up() -> None:
    with localcontext(prec=60):
        power = Decimal(2).exp()
        true = Fraction(power / (3 + power))
    for secret in ("1/4", SecretGraph.complete(4)):
        found = attacker_on(secret, epsilon=1).chance(2).value
        assert true < found < true * (1 + Fraction(1, 2**55))


def test_a_long_power_is_rounded_up() -> None:
    ratio = Fraction(1_000_001, 1_000_000)
    found = attacker_on("1/4", ratio=ratio).chance(1000).value
    exact = ratio**1000 / (3 + ratio**1000)
    assert exact < found < exact * (1 + Fraction(1, 2**60))


# --- a vertex of a graph ---


@pytest.mark.parametrize("values", [1, 2, 4, 9])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_on_a_complete_graph_there_is_a_closed_form(values: int, n: int) -> None:
    guesser = attacker_on(SecretGraph.complete(values), ratio=3)
    assert isinstance(guesser, GraphAdversary)
    closed = Fraction(3**n, values - 1 + 3**n)
    assert guesser.chance(n).value == guesser.belief(n).value == closed


@settings(max_examples=40)
@given(secret_graphs(most=4), RATIOS, st.integers(1, 2), st.data())
def test_no_mechanism_beats_the_bound_on_a_graph(
    graph: SecretGraph, ratio: str, n: int, data: st.DataObject
) -> None:
    drawn = Distribution(data.draw(distributions(graph.order)).array, graph.vertices)
    mechanism = worst_case_leakage(graph, ratio=ratio).mechanism
    assert isinstance(mechanism, Channel)
    some = telling(graph, data.draw(st.sampled_from(graph.vertices)), ratio)
    for prior in (Distribution.uniform(graph.vertices), drawn):
        guesser = attacker_on(graph, prior, ratio=ratio)
        assert isinstance(guesser, GraphAdversary)
        chance, belief = guesser.chance(n).value, guesser.belief(n).value
        assert chance <= belief
        for channel in (repeated(mechanism, n), repeated(some, n)):
            assert posterior_vulnerability(channel, prior) <= chance
            assert public(hyper(channel, prior).inner.max()) <= belief
    assert posterior_vulnerability(mechanism) == attacker_on(graph, ratio=ratio).chance(1).value


@given(secret_graphs(), RATIOS, st.integers(1, 3), st.data())
def test_some_outcome_leaves_the_largest_belief(
    graph: SecretGraph, ratio: str, n: int, data: st.DataObject
) -> None:
    prior = Distribution(data.draw(distributions(graph.order)).array, graph.vertices)
    found = [
        hyper(repeated(telling(graph, vertex, ratio), n), prior).posterior((n, 0))[vertex]
        for vertex in prior.support
    ]
    assert max(found) == GraphAdversary(graph, prior, Ratio.of(ratio)).belief(n).value


@pytest.mark.parametrize("graph", [SecretGraph.complete(50), SecretGraph.line(50)])
def test_a_large_graph_is_bounded_by_a_cover(graph: SecretGraph) -> None:
    uniform = attacker_on(graph, ratio=2)
    assert isinstance(uniform, GraphAdversary)
    worst = worst_case_leakage(graph, ratio=2)
    assert isinstance(worst.mechanism, Channel)
    assert worst.upper <= 50 * uniform.chance(1).value < worst.upper * (1 + Fraction(1, 10**6))
    prior = Distribution.from_counts([2] + [1] * 49)
    bound = attacker_on(graph, prior, ratio=2).chance(1).value
    assert posterior_vulnerability(worst.mechanism, prior) <= bound
    assert bound <= Fraction(2, 51) * worst.upper * (1 + Fraction(1, 10**6))


def test_after_very_many_releases_a_bound_is_left_below_1() -> None:
    for graph in (SecretGraph.complete(5), SecretGraph.line(30), SecretGraph.line(60)):
        guesser = attacker_on(graph, epsilon=1)
        assert isinstance(guesser, GraphAdversary)
        for n in (200, 5000):
            chance, belief = guesser.chance(n).value, guesser.belief(n).value
            assert 1 - Fraction(1, 2**200) < chance <= belief < 1


def test_a_very_large_ratio_under_another_prior() -> None:
    prior = Distribution.from_counts(range(1, 21))
    guesser = attacker_on(SecretGraph.line(20), prior, epsilon=100)
    assert isinstance(guesser, GraphAdversary)
    assert 1 - Fraction(1, 2**100) < guesser.chance(1).value <= guesser.belief(1).value < 1


def test_values_that_are_no_secrets_are_told_apart() -> None:
    guesser = attacker_on(SecretGraph(["a", "b", "c"]), ratio=2)
    assert isinstance(guesser, GraphAdversary)
    assert guesser.chance(1).value == guesser.belief(1).value == 1


def test_what_a_record_of_a_policy_is() -> None:
    line = SecretGraph.line(4)
    one = attacker_on(line, ratio=2)
    assert attacker_on(Policy(line, records=10**6), ratio=2) == one
    whole = Policy(SecretGraph.complete(2), records=2).adjacency()
    assert attacker_on(whole, ratio=2).chance(1).value == Fraction(4, 9)  # (2/3)²
    same = Policy(line, records=3, values=[[0, 1, 2, 3]] * 3)
    assert attacker_on(same, ratio=2).chance(1) == one.chance(1)


# --- the input of a channel ---


@settings(max_examples=40)
@given(channels_and_priors(), st.integers(1, 3))
def test_repeated_observations_of_a_channel(both: tuple[Channel, Distribution], n: int) -> None:
    channel, prior = both
    found = attacker_on(channel, prior).chance(n)
    second = posterior_vulnerability(repeated(channel, n), prior)
    assert found.value >= second
    assert float(found.value) == pytest.approx(float(second), rel=1e-9)
    if found.is_exact:
        assert found.value == second


def test_a_channel_in_floats_is_taken_as_it_is() -> None:
    found = attacker_on(Channel([[0.75, 0.25], [0.25, 0.75]])).chance(1)
    assert (found.value, found.is_exact) == (Fraction(3, 4), True)


def test_inputs_with_equal_rows_are_never_told_apart() -> None:
    channel = Channel([["1/2", "1/2"], ["1/2", "1/2"], ["1/4", "3/4"]])
    attacker = attacker_on(channel, ["1/2", "1/4", "1/4"])
    assert attacker.in_the_end() == Fraction(3, 4)
    assert attacker_on(channel, ["1/2", "1/2", 0]).in_the_end() == Fraction(1, 2)


# --- how many are safe ---


def counted_up(attacker: Adversary, limit: Fraction) -> int:
    n = 0
    while attacker.chance(n + 1).value < limit:
        n += 1
    return n


@settings(max_examples=25)
@given(
    st.sampled_from(["1/1000", "1/4", SecretGraph.line(3), SecretGraph.complete(5)]),
    st.sampled_from(["6/5", "2"]),
    st.fractions("11/20", "99/100", max_denominator=100),
)
def test_as_many_releases_as_counting_up_finds(secret: Any, ratio: str, limit: Fraction) -> None:
    assert largest_n(secret, limit, ratio=ratio) == counted_up(
        attacker_on(secret, ratio=ratio), limit
    )


@pytest.mark.parametrize("limit", ["2/3", "3/4", "4/5", "9/10"])
def test_as_many_observations_as_counting_up_finds(limit: str) -> None:
    weak = Channel([["5/8", "3/8"], ["3/8", "5/8"]])
    n = largest_n(weak, limit)
    assert isinstance(n, int)
    chances = [posterior_vulnerability(repeated(weak, k)) for k in (n, n + 1) if k]
    assert chances[-1] >= Fraction(limit)
    assert all(chance < Fraction(limit) for chance in chances[:-1])


def test_below_means_below() -> None:
    # 3·(1/4)/(1 + 2·(1/4)) = 1/2 exactly.
    assert largest_n("1/4", "1/2", ratio=3) == 0
    assert largest_n("1/4", "500001/1000000", ratio=3) == 1
    assert largest_n("1/4", "1/2", ratio="1.7320508") == 2  # below the root of 3
    assert largest_n("1/4", "1/2", ratio="1.7320509") == 1
    assert largest_n("1/4", "1/2", ratio="1.7320509", distance=2) == 0


def test_a_billion_releases_are_counted_at_once() -> None:
    assert largest_n("1/4", "1/2", epsilon="0.000000001") == math.floor(math.log(3) * 10**9)
    assert largest_n("1/4", "1/2", epsilon="0.000000001", distance=2) == math.floor(
        math.log(3) / 2 * 10**9
    )


def test_some_secrets_stay_safe_for_ever() -> None:
    assert largest_n("1/4", "1/3", ratio=1) == math.inf
    assert largest_n(SecretGraph.complete(4), "1/3", epsilon=0) == math.inf
    assert largest_n(Channel.no_interference(4), "1/3") == math.inf
    halves = Channel([["1/2", "1/2"], ["1/2", "1/2"], ["1/4", "3/4"]])
    assert largest_n(halves, "2/3") == math.inf  # it tends to 2/3 and never gets there
    split = Channel([[1, 0], [1, 0], [0, 1]])
    assert largest_n(split, "2/3") == 0  # and here it is there at once
    assert largest_n(split, "7/10") == math.inf
    # At ratio 1 components are told apart by one release, and nothing else is by more.
    groups = SecretGraph.partition([[0, 1], [2, 3]])
    assert largest_n(groups, "2/3", ratio=1) == math.inf
    assert largest_n(groups, "1/2", ratio=1) == 0


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InvalidNumber, match="above 1/4, the chance before any observation"):
        largest_n("1/4", "1/4", ratio=2)
    with pytest.raises(InvalidNumber, match="and below 1, got 1"):
        largest_n("1/4", 1, ratio=2)
    with pytest.raises(InvalidNumber, match=r"SecretGraph\.complete"):
        attacker_on(4, ratio=2)
    with pytest.raises(InvalidNumber, match="between 0 and 1, got 0"):
        attacker_on(0, ratio=2)
    with pytest.raises(InvalidNumber, match="distance is a whole number from 1 up, got 0"):
        attacker_on("1/4", ratio=2, distance=0)
    with pytest.raises(InvalidNumber, match="give exactly one of ratio= and epsilon="):
        attacker_on("1/4")
    with pytest.raises(InvalidNumber, match="a channel tells how private it is"):
        attacker_on(COIN, ratio=2)
    with pytest.raises(InvalidNumber, match="give no distance="):
        attacker_on(SecretGraph.line(2), ratio=2, distance=2)
    with pytest.raises(InvalidNumber, match="give no prior="):
        attacker_on("1/4", ["1/2", "1/2"], ratio=2)
    with pytest.raises(InvalidInput, match="a secret must be a Channel, a graph"):
        attacker_on([1, 2], ratio=2)  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="nothing is left to hide"):
        attacker_on("1/4", ratio=3).chance(10**7)


def test_policies_that_have_no_single_kind_of_record() -> None:
    line = SecretGraph.line(3)
    with pytest.raises(InvalidPolicy, match=r"give policy\.adjacency\(\)"):
        attacker_on(Policy(line, 2, constraints=[count([0], equals=1)]), ratio=2)
    with pytest.raises(InvalidPolicy, match="got 2 kinds of records"):
        attacker_on(Policy(line, 2, values=[[0, 1], [0, 1, 2]]), ratio=2)


def test_an_observer_is_one_of_a_channel() -> None:
    assert isinstance(attacker_on(COIN), ChannelAdversary)
