import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Loss
from leaktight.errors import (
    InvalidChannel,
    InvalidDistribution,
    InvalidGain,
    InvalidNumber,
    Mismatch,
    Undecided,
)
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import distinguishability
from leaktight.repetition.rates import (
    average_breach_rate,
    breach_probability_rate,
    breach_rate,
    chernoff_information,
    error_rate,
    membership_rate,
    neighbour_rate_bound,
    rate_bound,
    utility_rate,
)
from leaktight.repetition.rates.rates import Rate
from tests.strategies.channels import channels, channels_and_priors

THREE = Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]], inputs=["a", "b", "c"])
EQUAL = Channel([["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]])  # 0 and 2 look alike

Logs = npt.NDArray[np.float64]


def count_logs(channel: Channel, n: int) -> Logs:
    """ln P(k times the first of two outputs | x) for each input and each k."""
    k = np.arange(n + 1)
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    p = channel.to_numpy()[:, :1]
    return np.asarray(choose + k * np.log(p) + (n - k) * np.log1p(-p))


def measured(log_excess: Any, n: int = 2000) -> float:
    """The slope in bits between n and 2n, without the 1/√n that goes with Chernoff's exponent."""
    slope = (log_excess(n) - log_excess(2 * n)) / n - math.log(2) / 2 / n
    return float(slope / math.log(2))


def log_excess_loss(channel: Channel, loss: Any, prior: Any, limit: float) -> Any:
    """ln of what the best guess loses after n observations above what is lost in the limit.

    The loss that remains whatever is guessed is taken off each class of equal rows beforehand, so
    that nothing cancels.
    """
    weights = np.array([float(Fraction(p)) for p in prior])
    table = np.array(loss, dtype=float)
    rows = [tuple(row) for row in channel.to_numpy()]
    excess = np.zeros((len(table), len(rows)))
    for row in set(rows):
        same = [x for x, other in enumerate(rows) if other == row]
        expected = table[:, same] @ weights[same]
        excess[:, same[0]] = expected - expected.min()
    assert math.isclose(sum_of_minima(table, weights, rows), limit, abs_tol=1e-12)

    def log_excess(n: int) -> float:
        logs = count_logs(channel, n)
        with np.errstate(divide="ignore"):
            terms = np.log(excess)[:, :, None] + logs[None]
        top = terms.max()
        return float(top + math.log(np.exp(terms - top).sum(axis=1).min(axis=0).sum()))

    return log_excess


def sum_of_minima(table: Any, weights: Any, rows: list[tuple[float, ...]]) -> float:
    classes = [[x for x, other in enumerate(rows) if other == row] for row in set(rows)]
    return float(sum((table[:, same] @ weights[same]).min() for same in classes))


def wrong(size: int) -> list[list[int]]:
    return [[int(w != x) for x in range(size)] for w in range(size)]


# --- what is learnt on average ---


def test_the_error_rate_is_what_many_observations_show() -> None:
    for channel in (THREE, THREE.restrict(["a", "c"]), THREE.float()):
        found = error_rate(channel)
        size = channel.shape[0]
        excess = log_excess_loss(channel, wrong(size), [Fraction(1, size)] * size, 0.0)
        assert found.limit == 0
        assert math.isclose(measured(excess), found.bits, abs_tol=2e-4)


@settings(max_examples=50)
@given(channels_and_priors())
def test_the_error_rate_is_the_least_over_different_rows(
    both: tuple[Channel, Distribution],
) -> None:
    channel, prior = both
    found = error_rate(channel, prior)
    rows = {x: channel.row(x) for x in prior.support}
    different = [(x, y) for x, y in combinations(rows, 2) if rows[x] != rows[y]]
    values = [chernoff_information(rows[x], rows[y]) for x, y in different]
    assert found.lower == min((c.lower for c in values), default=math.inf)
    assert found.upper == min((c.upper for c in values), default=math.inf)
    assert (found.pair is None) == (not different)
    assert found.pair is None or found.pair in different
    likeliest: dict[Distribution, Fraction] = {}
    for x, row in rows.items():
        likeliest[row] = max(likeliest.get(row, Fraction(0)), Fraction(prior[x]))
    assert found.limit == 1 - sum(likeliest.values())


def test_inputs_that_look_alike_leave_an_error() -> None:
    found = error_rate(EQUAL, ["1/2", "1/4", "1/4"])
    assert found.limit == Fraction(1, 4)
    assert found.pair == (0, 1)
    assert "1/4" in found.statement
    excess = log_excess_loss(EQUAL, wrong(3), ["1/2", "1/4", "1/4"], 0.25)
    assert math.isclose(measured(excess), found.bits, abs_tol=2e-4)
    constant = error_rate(Channel.no_interference(3))
    assert (constant.lower, constant.limit, constant.pair) == (math.inf, Fraction(2, 3), None)
    assert error_rate(Channel.identity(1)).limit == 0
    assert error_rate(Channel.identity(3)).lower == math.inf


def test_impossible_inputs_do_not_count() -> None:
    found = error_rate(THREE, {"a": "1/2", "c": "1/2"})
    assert found.pair == ("a", "c")
    alone = chernoff_information(THREE.row("a"), THREE.row("c"))
    assert (found.lower, found.upper) == (alone.lower, alone.upper)


def test_floating_point_rows_are_equal_up_to_rounding() -> None:
    rows = [[0.1 + 0.2, 0.7], [0.3, 0.7], [0.5, 0.5]]
    found = error_rate(Channel(rows), [0.5, 0.25, 0.25])
    assert found.pair == (0, 2)
    assert found.limit == 0.25
    assert isinstance(found.limit, float)


@pytest.mark.parametrize(
    ("subset", "prior"),
    [(["a"], ["1/3"] * 3), (["a", "c"], ["1/3"] * 3), (["b"], ["1/10", "1/5", "7/10"])],
)
def test_the_membership_rate_is_what_many_observations_show(
    subset: list[str], prior: list[str]
) -> None:
    found = membership_rate(THREE, subset, prior)
    loss = [[int((x in subset) != inside) for x in THREE.inputs] for inside in (True, False)]
    excess = log_excess_loss(THREE, loss, prior, 0.0)
    assert math.isclose(measured(excess), found.bits, abs_tol=2e-4)
    least = min(
        chernoff_information(THREE.row(x), THREE.row(y)).upper
        for x, y in combinations("abc", 2)
        if (x in subset) != (y in subset)
    )
    assert found.upper == least


def test_membership_of_inputs_that_look_alike() -> None:
    # 0 is in the set and 2 is not; the likelier of the two decides what is guessed for their row.
    found = membership_rate(EQUAL, [0], ["1/2", "1/4", "1/4"])
    assert found.limit == Fraction(1, 4)
    assert found.pair == (0, 1)
    never = membership_rate(EQUAL, [0], ["1/4", "1/4", "1/2"])
    assert (never.lower, never.limit) == (math.inf, Fraction(1, 4))
    as_good = membership_rate(EQUAL, [0], ["1/4", "1/2", "1/4"])  # both guesses for their row
    assert (as_good.lower, as_good.limit) == (math.inf, Fraction(1, 4))
    certain = membership_rate(EQUAL, [0, 1, 2])
    assert (certain.lower, certain.limit) == (math.inf, 0)


@settings(max_examples=50)
@given(channels(inputs=3, outputs=2), st.data())
def test_the_limit_of_the_loss_is_approached_from_above(
    channel: Channel, data: st.DataObject
) -> None:
    entries = st.lists(st.integers(0, 3), min_size=3, max_size=3)
    loss = Loss([data.draw(entries) for _ in range(3)])
    try:
        found = utility_rate(channel, loss)
    except Undecided:
        return
    lost = []
    for n in (1, 2, 5):
        table = Fraction(0)
        for seen in product(channel.outputs, repeat=n):
            chances = [
                math.prod((Fraction(channel[x, z]) for z in seen), start=Fraction(1, 3))
                for x in channel.inputs
            ]
            table += min(
                sum((Fraction(loss[w, x]) * chances[x] for x in range(3)), Fraction(0))
                for w in loss.guesses
            )
        lost.append(table)
    assert found.limit is not None
    assert lost == sorted(lost, reverse=True)
    assert lost[-1] >= found.limit
    if found.lower == math.inf:
        assert lost[0] == found.limit
    else:  # the excess is at most guesses·pairs·largest loss·2^(−nC)
        assert lost[-1] - Fraction(found.limit) <= 3 * 3 * 3 * Fraction(2 ** (-5 * found.lower))


def test_the_utility_rate_is_what_many_observations_show() -> None:
    squared = Loss.by_distance([0, 1, 2], lambda a, b: (a - b) ** 2 + 1)
    channel = Channel(THREE.matrix)
    found = utility_rate(channel, squared)
    excess = log_excess_loss(channel, squared.matrix.astype(float), ["1/3"] * 3, 1.0)
    assert found.limit == 1
    assert math.isclose(measured(excess), found.bits, abs_tol=2e-4)


def test_equal_rows_can_change_the_rate_of_the_loss() -> None:
    # Guess 1 is best whether the row is that of 0 and 2 or that of 1, so nothing is to be learnt.
    middle = Loss.by_distance([0, 1, 2], lambda a, b: {0: 0, 1: 1, 2: 3}[abs(a - b)])
    found = utility_rate(EQUAL, middle)
    assert (found.lower, found.limit, found.pair) == (math.inf, Fraction(2, 3), None)
    assert error_rate(EQUAL).upper < 0.1
    # With another prior the likelier of 0 and 2 is best for their row, and the rate is finite.
    uneven = utility_rate(EQUAL, middle, ["7/10", "1/5", "1/10"])
    assert uneven.pair == (0, 1)
    assert uneven.limit == Fraction(3, 10)


def test_ties_that_overlap_are_not_decided() -> None:
    channel = Channel([["1/2", "1/2"], ["1/3", "2/3"], ["1/4", "3/4"]])
    ring = Loss([[1, 0, 0], [0, 1, 0], [0, 0, 1]])  # any two inputs share a best guess, not three
    with pytest.raises(Undecided, match="equally good"):
        utility_rate(channel, ring)
    # If of two sets of best guesses that meet one contains the other, it is decided.
    assert utility_rate(channel, Loss([[0, 0, 1], [1, 0, 1], [1, 1, 0]])).pair == (1, 2)


def test_floating_point_losses_and_priors() -> None:
    exact = utility_rate(EQUAL, Loss([[0, 1, 3], [1, 0, 1], [3, 1, 0]]), ["7/10", "1/5", "1/10"])
    near = utility_rate(EQUAL, Loss([[0.0, 1, 3], [1, 0, 1], [3, 1, 0]]), [0.7, 0.2, 0.1])
    assert (near.lower, near.upper, near.pair) == (exact.lower, exact.upper, exact.pair)
    assert isinstance(near.limit, float)
    assert math.isclose(near.limit, 0.3)


@settings(max_examples=50)
@given(channels(most=5))
def test_the_average_breach_rate_is_the_largest_between_two_rows(channel: Channel) -> None:
    found = average_breach_rate(channel)
    pairs = list(combinations(channel.inputs, 2))
    values = [chernoff_information(channel.row(x), channel.row(y)) for x, y in pairs]
    assert found.lower == max((c.lower for c in values), default=0)
    assert found.upper == max((c.upper for c in values), default=0)
    if found.pair is None:
        assert found.upper == 0
    else:
        one, _ = found.pair
        rate = membership_rate(channel, [one], dict.fromkeys(found.pair, Fraction(1, 2)))
        assert rate.lower <= found.upper
        assert found.lower <= rate.upper


# --- what may be learnt at worst ---


@settings(max_examples=50)
@given(channels(most=4))
def test_the_breach_rate_is_attained_by_seeing_one_output_again_and_again(
    channel: Channel,
) -> None:
    found = breach_rate(channel)
    if found.pair is None:
        assert found.upper == 0
        assert len({channel.row(x) for x in channel.inputs}) == 1
        return
    x, y = found.pair
    ratios = [
        Fraction(channel[x, z]) / Fraction(channel[y, z]) if channel[y, z] else math.inf
        for z in channel.outputs
        if channel[x, z]
    ]
    assert max(ratios) == distinguishability(channel).ratio
    if math.inf in ratios:
        assert found.lower == math.inf
    else:
        # posterior odds of y after n times that output, from even ones: ratio^(−n)
        assert math.isclose(found.bits, math.log2(max(ratios)), rel_tol=1e-12)


def test_the_chance_of_a_breach_is_what_many_observations_show() -> None:
    prior, subset, ratio = ["1/5", "3/10", "1/2"], ["a", "b"], Fraction(3, 2)
    found = breach_probability_rate(THREE, subset, prior, ratio=ratio)
    assert found.limit == 1
    assert found.pair == ("b", "c")
    weights = np.array([0.2, 0.3, 0.5])

    def log_no_breach(n: int) -> float:
        logs = count_logs(THREE, n) + np.log(weights)[:, None]
        inside, outside = np.logaddexp(logs[0], logs[1]), logs[2]
        missed = inside <= np.log(ratio * 0.5) + np.logaddexp(inside, outside)
        assert missed.any()
        return float(np.logaddexp.reduce(inside[missed]))

    assert math.isclose(measured(log_no_breach), found.bits, abs_tol=1e-3)


def test_a_likely_set_is_never_breached() -> None:
    channel = Channel([["4/5", "1/5"], ["3/10", "7/10"]])
    for prior, ratio in ((["3/5", "2/5"], 2), (["1/2", "1/2"], 2), ([0.75, 0.25], "4/3")):
        found = breach_probability_rate(channel, [0], prior, ratio=ratio)
        assert (found.lower, found.limit, found.pair) == (math.inf, 0, None)
        assert "at least 1" in found.statement
        for k in range(8):  # λ·p(Q) ≥ 1 bounds every posterior
            chances = [Fraction(channel[x, 0]) ** k for x in (0, 1)]
            inside = Fraction(prior[0]) * chances[0]
            whole = inside + Fraction(prior[1]) * chances[1]
            assert inside / whole <= Fraction(ratio) * Fraction(prior[0])
    just_below = breach_probability_rate(channel, [0], ["3/5", "2/5"], ratio="166/100")
    assert just_below.limit == 1
    assert just_below.pair == (0, 1)


def test_a_breach_needs_what_the_theorem_needs() -> None:
    with pytest.raises(InvalidDistribution, match="strictly between 0 and 1, got 1"):
        breach_probability_rate(THREE, ["a", "b", "c"], ratio=2)
    with pytest.raises(InvalidDistribution, match="strictly between 0 and 1, got 0"):
        breach_probability_rate(THREE, [], ratio=2)
    with pytest.raises(InvalidDistribution, match="strictly between 0 and 1, got 0"):
        breach_probability_rate(THREE, ["a"], [0, "1/2", "1/2"], ratio=2)
    with pytest.raises(InvalidChannel, match="0 in the set and 2 outside"):
        breach_probability_rate(EQUAL, [0, 1], ["1/4", "1/4", "1/2"], ratio="3/2")
    assert breach_probability_rate(EQUAL, [0, 2], ["1/4", "1/2", "1/4"], ratio="3/2").limit == 1
    holed = Channel([[1, 0], ["1/2", "1/2"]])
    with pytest.raises(InvalidChannel, match="the probability of 1 given 0 is 0"):
        breach_probability_rate(holed, [0], ratio="3/2")
    unused = Channel([["1/3", "2/3", 0], ["1/2", "1/2", 0]])
    assert breach_probability_rate(unused, [0], ratio="3/2").limit == 1
    with pytest.raises(InvalidNumber, match="exactly one of"):
        breach_probability_rate(THREE, ["a"])
    with pytest.raises(Mismatch, match="no input 'd'"):
        breach_probability_rate(THREE, ["d"], ratio=2)


# --- what privacy says ---


@settings(max_examples=50)
@given(st.fractions(1, 40, max_denominator=50))
def test_randomised_response_attains_the_bound(ratio: Fraction) -> None:
    bound = rate_bound(ratio=ratio)
    rows = [[ratio / (1 + ratio), 1 / (1 + ratio)], [1 / (1 + ratio), ratio / (1 + ratio)]]
    attained = chernoff_information(*rows)
    assert attained.lower <= bound.upper
    assert bound.lower <= attained.upper


@settings(max_examples=50)
@given(channels(inputs=2, most=5))
def test_no_two_rows_are_told_apart_faster_than_their_ratio_allows(channel: Channel) -> None:
    ratio = distinguishability(channel).ratio
    if ratio < math.inf:
        found = chernoff_information(channel.row(0), channel.row(1))
        assert found.lower <= rate_bound(ratio=ratio).upper


def test_the_bound_at_the_edges() -> None:
    assert rate_bound(ratio=1).upper == 0
    assert rate_bound(epsilon=0).upper == 0
    large = rate_bound(epsilon=40)
    assert large.lower < large.upper
    assert math.isclose(large.bits, 20 / math.log(2) - 1, rel_tol=1e-12)
    small = rate_bound(epsilon="1/1000000")
    assert math.isclose(small.nats, 1e-12 / 8, rel_tol=1e-9)
    with pytest.raises(InvalidNumber, match="at least 1"):
        rate_bound(ratio="1/2")


@settings(max_examples=50)
@given(channels(most=4), st.data())
def test_privacy_on_a_graph_bounds_the_error_rate_if_neighbours_differ(
    channel: Channel, data: st.DataObject
) -> None:
    n = channel.shape[0]
    pairs = list(combinations(range(n), 2))
    edges = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    bound = neighbour_rate_bound(channel, Graph(n, edges))
    differ = [(x, y) for x, y in edges if channel.row(x) != channel.row(y)]
    if not differ:
        assert (bound.lower, bound.pair) == (math.inf, None)
        assert "no two neighbours" in bound.statement
    elif bound.pair is None:
        assert bound.lower == math.inf
    else:
        assert bound.pair in differ
        assert error_rate(channel).lower <= bound.upper


def test_a_policy_says_who_are_neighbours_whatever_the_order() -> None:
    line = SecretGraph.line(["c", "b", "a"])
    bound = neighbour_rate_bound(THREE, Policy(line))
    assert bound.pair is not None
    assert set(bound.pair) in ({"a", "b"}, {"b", "c"})
    assert (bound.lower, bound.upper) == (
        rate_bound(ratio="5/2").lower,
        rate_bound(ratio="5/2").upper,
    )
    with pytest.raises(Mismatch):
        neighbour_rate_bound(THREE, SecretGraph.line(4))


# --- how it reads ---


def test_a_rate_reads_as_a_number_and_as_a_sentence() -> None:
    found = error_rate(THREE)
    assert isinstance(found, Rate)
    assert found.lower <= float(found) <= found.upper
    assert math.isclose(found.nats, found.bits * math.log(2))
    assert repr(found) == (
        f"Rate({found.bits:.6g} bits by 'b' and 'c': "
        "the best guess of the input is wrong with probability 0 + 2^(−ρn))"
    )


def test_what_is_no_channel_or_no_loss_is_refused() -> None:
    rows: Any = [[1, 0], [0, 1]]
    for function in (error_rate, average_breach_rate, breach_rate):
        with pytest.raises(InvalidChannel, match="expected a Channel"):
            function(rows)
    loss: Any = [[0, 1], [1, 0]]
    with pytest.raises(InvalidGain, match="expected a Loss"):
        utility_rate(Channel(rows), loss)
    with pytest.raises(Mismatch, match="the loss and the inputs"):
        utility_rate(THREE, Loss([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))


def test_rows_of_floats_that_are_equal_when_divided_by_their_sums_are_equal() -> None:
    off = Channel([[0.5, 0.5], [0.5 + 4e-13, 0.5 + 4e-13]])
    assert (
        error_rate(off).lower
        == neighbour_rate_bound(off, SecretGraph.complete(2)).lower
        == math.inf
    )
    assert error_rate(off).limit == Fraction(1, 2)
