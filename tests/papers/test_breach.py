"""Privacy breaches: [Boreale2012]_, Sections 3 and 4, and Lemma 1 of [Barthe2011]_ (K13, K2)."""

import math
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.channels.gain import Gain
from leaktight.errors import InvalidChannel
from leaktight.leakage.capacity import min_capacity
from leaktight.leakage.vulnerability import g_leakage
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.average_breach import (
    average_breach_level,
    average_level_from_leakage,
    leakage_from_average_level,
)
from leaktight.privacy.breach import breaches, individual_sets
from leaktight.privacy.breach_level import (
    breach_level,
    independent_breach_level,
    individual_breach_level,
)
from leaktight.privacy.level import privacy_level
from tests.strategies.channels import channels, channels_and_priors, distributions

RESPONSE = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
BITS = SecretGraph.complete(2)
PAIRS = tuple(product((0, 1), repeat=2))

CIRCULANT = Channel(
    [[Fraction(1, 4 if (y - x) % 6 in (0, 1, 5) else 12) for y in range(6)] for x in range(6)]
)
"""Example 1: Y = X + ξ mod 6, ξ in {−1, 0, 1} or anything, with probability 1/2 each."""

Both = tuple[Channel, Distribution]


def example_2(corner: str) -> list[list[str]]:
    return [
        ["2/3", "1/6", "1/12", corner, "1/48", "1/48"],
        ["1/3", "1/3", "1/6", "1/12", "1/24", "1/24"],
        ["1/6", "1/6", "1/3", "1/6", "1/12", "1/12"],
        ["1/12", "1/12", "1/6", "1/3", "1/6", "1/6"],
    ]


def survey(people: int) -> Channel:
    return parallel(*[RESPONSE] * people).expand()


@settings(max_examples=50)
@given(channels_and_priors(), st.data())
def test_w_d2_w_t1_the_level_is_the_largest_ratio_in_a_column(
    both: Both, data: st.DataObject
) -> None:
    """W-D2, W-R1, W-T1: ε-secure iff log2 max_y π_M/π_m ≤ ε; columns of zeros are skipped."""
    channel, prior = both
    columns = [[Fraction(channel[x, y]) for x in channel.inputs] for y in channel.outputs]
    quotients = [max(c) / min(c) if min(c) else math.inf for c in columns if max(c) > 0]
    level = breach_level(channel)
    assert level.ratio == max(quotients)
    q = data.draw(st.sets(st.sampled_from(channel.inputs), min_size=1))
    assert all(breach.ratio <= level.ratio for breach in breaches(channel, prior, [q]))


def test_w_t1_the_supremum_is_approached_and_not_attained() -> None:
    """W-T1: 3 on the matrix of Example 1, by priors on two inputs; so "≤" is right."""
    level = breach_level(CIRCULANT)
    found = [breaches(CIRCULANT, level.prior(Fraction(1, 10**k)))[0].ratio for k in range(1, 9)]
    assert found == sorted(found)
    assert all(3 - Fraction(3, 10**k) <= ratio < 3 for k, ratio in enumerate(found, 1))


def test_w_ex1_the_ratio_is_3_and_the_level_log2_of_it() -> None:
    """W-Ex1, corrected (erratum 39): ε = log2 3 = 1.585, not 3.0012, which is .25/.0833."""
    assert breach_level(CIRCULANT).ratio == 3
    assert breach_level(CIRCULANT).bits == math.log2(3)
    assert round(0.25 / 0.0833, 4) == 3.0012
    halves = [[Fraction(1, 3 if (y - x) % 6 in (0, 5) else 12) for y in range(6)] for x in range(6)]
    assert breach_level(Channel(halves)).ratio == 4  # what the text's ξ ∈ {−1/2, 1/2} gives


def test_w_ex1_the_average_level() -> None:
    """W-D3, W-T2 on the matrix of Example 1: l = 1, level log2 3/2 = .584963."""
    level = average_breach_level(CIRCULANT)
    assert level.factor == Fraction(3, 2)
    assert round(level.bits, 6) == 0.584963


@settings(max_examples=50)
@given(channels_and_priors(), st.data())
def test_w_t2_no_prior_and_no_set_exceed_the_average_level(both: Both, data: st.DataObject) -> None:
    """W-D3, W-T2: ε-A-secure iff log2(1 + l/2) ≤ ε; the uniform two-point prior attains it."""
    channel, prior = both
    rows = [[Fraction(channel[x, y]) for y in channel.outputs] for x in channel.inputs]
    l1 = max(sum(abs(a - b) for a, b in zip(p, q, strict=True)) for p in rows for q in rows)
    level = average_breach_level(channel)
    assert level.factor == 1 + l1 / 2
    q = data.draw(st.sets(st.sampled_from(channel.inputs), min_size=1))
    assert g_leakage(channel, prior, Gain.membership(channel.inputs, q)).factor <= level.factor
    two = Gain.membership(channel.inputs, [level.pair[0]])
    assert g_leakage(channel, level.prior, two).factor == level.factor <= 2


def test_w_d4_differential_privacy_in_bits_and_nats() -> None:
    """W-D4: randomised response 2/3 has ε = 1 in bits, .693147 in nats. 0/0 is no violation."""
    level = breach_level(RESPONSE)
    assert (level.bits, round(level.nats, 6)) == (1, 0.693147)
    assert breach_level(Channel([["2/3", "1/3", 0], ["1/3", "2/3", 0]])).ratio == 2


@settings(max_examples=50)
@given(st.integers(1, 3), st.data())
def test_w_t3_security_is_security_of_every_individual(people: int, data: st.DataObject) -> None:
    """W-T3, W-R2: on {0, 1}^n, ε-secure iff no Q_i, nor its complement, is an ε-breach."""
    databases = list(product((0, 1), repeat=people))
    drawn = data.draw(channels(inputs=len(databases)))
    channel = Channel(drawn.matrix, databases)
    level = individual_breach_level(channel)
    assert level.ratio == breach_level(channel).ratio
    prior = data.draw(distributions(len(databases))).array
    contains = [[x for x in databases if x[i] == 1] for i in range(people)]
    both = [*contains, *([x for x in databases if x not in q] for q in contains)]
    assert all(b.ratio <= level.ratio for b in breaches(channel, prior, both))
    if level.ratio == math.inf:
        assert breaches(channel, level.prior(1), both)[0].ratio == math.inf
    elif level.ratio > 1:  # Q_i itself comes as near as one likes, rising or falling
        gap = Fraction(1, 10**6)
        priors = level.prior(gap), swapped(level.prior(gap))
        near = [b for p in priors for b in breaches(channel, p, [contains[level.record]])]
        assert max(b.ratio for b in near) >= (1 - gap) * level.ratio


def swapped(prior: Distribution) -> Distribution:
    """The same prior on two inputs, their probabilities exchanged."""
    one, other = prior.support
    shares = {one: prior[other], other: prior[one]}
    return Distribution([shares.get(x, 0) for x in prior.values], prior.values)


def test_w_t3_two_randomised_responses() -> None:
    """W-T3 on RR²: 2 bits both ways."""
    assert breach_level(survey(2)).bits == individual_breach_level(survey(2)).bits == 2


@pytest.mark.parametrize("people", [1, 2, 3])
def test_w_t4_privacy_of_n_records_allows_n_times_the_level(people: int) -> None:
    """W-T4, corrected (erratum 41): for n ≥ 2, ε-DP but Q_i-breaches near nε; n = 1 coincides.

    RR³: DP ratio 2, worst 8, and a Q_i is breached by nearly 8.
    """
    channel, policy = survey(people), Policy(BITS, people)
    private = privacy_level(Channel(channel.matrix, policy.databases()), policy)
    level = individual_breach_level(channel)
    assert private.ratio == 2
    assert breach_level(channel).ratio == level.ratio == 2**people
    assert (private.ratio == level.ratio) == (people == 1)
    near = breaches(channel, level.prior("1/100000000"), individual_sets(channel.inputs))[0]
    assert people - 0.0000001 < near.bits < people


@settings(max_examples=50)
@given(st.data())
def test_w_t4_security_implies_differential_privacy(data: st.DataObject) -> None:
    """W-T4: the level on neighbours is at most the level; it is at least its n-th root."""
    drawn = data.draw(channels(inputs=4))
    level = breach_level(drawn).ratio
    private = independent_breach_level(Channel(drawn.matrix, PAIRS)).ratio
    assert private <= level <= private**2


def test_w_ex2_the_row_sums_to_1_with_1_24() -> None:
    """W-Ex2 (erratum 40): with 1/64 row 0 sums to 187/192; with 1/24 to 1."""
    with pytest.raises(InvalidChannel, match="must sum to 1, got 187/192"):
        Channel(example_2("1/64"))
    assert Channel(example_2("1/24")).shape == (4, 6)


def test_w_ex2_is_not_private_at_1_whatever_the_order_of_the_databases() -> None:
    """W-Ex2 (erratum 40): the least neighbour ratio over all 24 labellings is 4, so ε = 2.

    Not 2-secure either: the worst ratio is 8. Ratio 2 holds on the line of the rows only.
    """
    rows = Channel(example_2("1/24")).matrix
    levels = [independent_breach_level(Channel(rows, order)) for order in permutations(PAIRS)]
    by_hand = [
        max(
            Fraction(int(rows[i, y].p), int(rows[i, y].q))
            / Fraction(int(rows[j, y].p), int(rows[j, y].q))
            for i, j in product(range(4), repeat=2)
            for y in range(6)
            if sum(a != b for a, b in zip(order[i], order[j], strict=True)) == 1
        )
        for order in permutations(PAIRS)
    ]
    assert [level.ratio for level in levels] == by_hand
    assert min(by_hand) == 4
    worst = breach_level(Channel(rows))
    assert (worst.ratio, worst.bits) == (8, 3)
    assert privacy_level(Channel(rows), SecretGraph.line(4)).ratio == 2


@settings(max_examples=50)
@given(st.data())
def test_w_t5_privacy_is_security_under_independent_priors(data: st.DataObject) -> None:
    """W-T5: ε-DP iff no Q_i is an ε-breach for priors p_i(x_i)·q(rest), or for product priors."""
    channel = Channel(data.draw(channels(inputs=4)).matrix, PAIRS)
    level = independent_breach_level(channel)
    p, q = data.draw(distributions(2)), data.draw(distributions(2))
    for b in breaches(channel, product_distribution(p, q), individual_sets(PAIRS)):
        assert b.ratio <= level.ratio
    if level.ratio not in (1, math.inf):
        near = breaches(channel, level.prior("1/1000000"), [level.subset])[0]
        assert near.ratio >= level.ratio * Fraction(999999, 1000000)
        assert len({x[1 - level.record] for x in level.prior("1/2").support}) == 1  # type: ignore[index]


@settings(max_examples=50)
@given(channels_and_priors())
def test_a_certain_set_is_never_breached(both: Both) -> None:
    """Errata 42, 43: for Q = X, or p(Q) = 1, the posterior is 1 whatever is seen."""
    channel, prior = both
    assert breaches(channel, prior, [channel.inputs, prior.support]) == ()


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("t", ["0", "1/3", "1/2", "1"])
def test_open_problem_6_average_level_and_leakage(n: int, t: str) -> None:
    """W §7(i): 1 + t ≤ 2^ML ≤ 1 + (|X| − 1)·t, t = 2^level − 1; tight for all |X| and t.

    |X| = 3, t = 1/3: from 4/3 to 5/3.
    """
    part = Fraction(t)
    two = Channel([[1, 0]] + [[1 - part, part]] * (n - 1))
    star = Channel({x: {0: 1 - part, x: part} if x else {0: 1} for x in range(n)})
    assert average_breach_level(two).factor == average_breach_level(star).factor == 1 + part
    ends = leakage_from_average_level(1 + part, n)
    assert ends == (1 + part, 1 + (n - 1) * part)
    assert ends == (min_capacity(two).factor, min_capacity(star).factor)
    least, most = average_level_from_leakage(ends[1], n)
    assert least == 1 + part <= most
    assert leakage_from_average_level("4/3", 3) == (Fraction(4, 3), Fraction(5, 3))
