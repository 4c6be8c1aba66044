import math
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.channels.gain import Gain
from leaktight.errors import InvalidChannel, InvalidNumber, Mismatch
from leaktight.exact.rounding import ln_interval, log2_interval
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
    one_record_graph,
)
from leaktight.privacy.level import distinguishability, privacy_level
from tests.strategies.channels import channels, channels_and_priors, distributions, weights
from tests.strategies.fractions import fractions

Both = tuple[Channel, Distribution]
COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
NARROW = Fraction(1, 10**6)


def subsets(things: Any) -> list[tuple[Any, ...]]:
    """All sets of some things but the empty one."""
    every = list(things)
    sizes = range(1, len(every) + 1)
    return list(chain.from_iterable(combinations(every, k) for k in sizes))


def by_definition(channel: Channel, prior: Distribution, q: tuple[Any, ...], y: Any) -> Any:
    """p(Q), p(Q|y) and p(y), one entry at a time; None where they are not defined."""
    seen = {x: Fraction(prior[x]) * Fraction(channel[x, y]) for x in channel.inputs}
    before = sum((Fraction(prior[x]) for x in q), Fraction(0))
    if before == 0 or not any(seen.values()):
        return None
    return before, sum(seen[x] for x in q) / sum(seen.values()), sum(seen.values())


def ratio_of(before: Fraction, after: Fraction) -> Any:
    return math.inf if after == 0 else max(before / after, after / before)


def worst(channel: Channel, prior: Any, sets: Any = None) -> Any:
    """The largest ratio of a breach under one prior; 1 if there is none."""
    found = breaches(channel, prior, sets)
    return found[0].ratio if found else 1


# --- under one prior ---


@settings(max_examples=50)
@given(channels_and_priors(), st.sampled_from(["1", "3/2", "2", "10"]))
def test_all_breaches_of_all_sets_are_found_and_no_others(both: Both, limit: str) -> None:
    channel, prior = both
    found = breaches(channel, prior, subsets(channel.inputs), ratio=limit)
    expected = {}
    for q, y in product(subsets(channel.inputs), channel.outputs):
        if (numbers := by_definition(channel, prior, q, y)) is not None:
            before, after, _ = numbers
            if ratio_of(before, after) > Fraction(limit):
                expected[q, y] = numbers
    assert {(b.subset, b.output): (b.before, b.after, b.chance) for b in found} == expected
    order = [(b.ratio, b.chance) for b in found]
    assert order == sorted(order, reverse=True)


def test_the_sets_are_by_default_single_inputs_and_what_each_record_is() -> None:
    databases = [("no", "no"), ("no", "yes"), ("yes", "yes")]
    channel = Channel.identity(databases)
    events = {breach.event for breach in breaches(channel)}
    assert events == {
        *map(repr, databases),
        "record 0 is 'no'",
        "record 1 is 'yes'",
    }  # record 0 is 'yes', and record 1 is 'no', in one database only
    assert {breach.event for breach in breaches(Channel.identity(2))} == {"0", "1"}


def test_sets_may_have_names_and_repeat_their_inputs() -> None:
    channel = Channel([["1/2", "1/2"], ["1/4", "3/4"], [0, 1]], inputs=["a", "b", "c"])
    named = breaches(channel, sets={"vowel": ["a"], "not c": ["b", "a", "b"]})
    plain = breaches(channel, sets=[["a", "a"], ["b", "a"]])
    assert {b.event for b in named} == {"vowel", "not c"}
    assert {b.event for b in plain} == {"'a'", "'a' or 'b'"}
    assert [b.ratio for b in named] == [b.ratio for b in plain]
    assert {b.subset for b in named} == {("a",), ("a", "b")}


def test_what_is_impossible_or_certain_is_never_breached() -> None:
    channel = Channel([[1, 0, 0], [0, "1/2", "1/2"], [0, 0, 1]])
    found = breaches(channel, ["1/2", "1/2", 0], [[2], [0, 1], [0, 1, 2], []])
    assert found == ()
    assert breaches(Channel.no_interference(4)) == ()


def test_ruling_a_set_out_is_an_infinite_breach() -> None:
    channel = Channel([["1/2", "1/2", 0], [1, 0, 0]], outputs=["both", "first", "never"])
    out = breaches(channel, ["1/5", "4/5"], ratio=1000)
    assert [(b.event, b.output, b.ratio, b.bits) for b in out] == [
        ("1", "first", math.inf, math.inf)
    ]
    rise = breaches(channel, ["1/5", "4/5"], [[0]])[0]
    assert [rise.before, rise.after, rise.chance] == [Fraction(1, 5), 1, Fraction(1, 10)]
    assert rise.bits_interval == log2_interval(5)
    assert str(rise) == "0: 1/5 before, 1 after output 'first', which has probability 1/10"


def test_a_level_may_be_given_as_epsilon() -> None:
    prior = ["1/4", "3/4"]
    assert [b.ratio for b in breaches(COIN, prior, [[0]])] == [Fraction(7, 4), Fraction(8, 5)]
    assert len(breaches(COIN, prior, epsilon="ln 8/5")) == 1  # 8/5 is not above 8/5
    assert len(breaches(COIN, prior, epsilon="ln 7/4")) == 0
    assert len(breaches(COIN, prior, epsilon="0.5")) == 1  # e^0.5 = 1.648…
    assert len(breaches(COIN, prior, epsilon=0)) == 4


def test_floats_count_as_the_exact_numbers_that_they_are() -> None:
    found = breaches(Channel([[0.75, 0.25], [0.25, 0.75]]), [0.5, 0.5])
    assert {(b.before, b.after) for b in found} == {
        (Fraction(1, 2), Fraction(3, 4)),
        (Fraction(1, 2), Fraction(1, 4)),
    }
    assert all(isinstance(b.after, Fraction) for b in found)


def test_breaches_that_cannot_be_asked_for() -> None:
    with pytest.raises(Mismatch, match="no input 5"):
        breaches(COIN, sets=[[0], [5]])
    with pytest.raises(Mismatch, match="expected a list of inputs, got 0"):
        breaches(COIN, sets=[0])  # type: ignore[list-item]
    with pytest.raises(InvalidNumber, match="exactly one of"):
        breaches(COIN, ratio=2, epsilon=1)
    with pytest.raises(InvalidNumber, match="at least 1"):
        breaches(COIN, ratio="1/2")
    with pytest.raises(InvalidChannel, match=r"use \.expand"):
        breaches(parallel(COIN, COIN))  # type: ignore[arg-type]
    with pytest.raises(Mismatch, match="one probability per input, got 3 for 2"):
        breaches(COIN, ["1/3", "1/3", "1/3"])


# --- under all priors ---


@settings(max_examples=50)
@given(channels_and_priors())
def test_no_breach_exceeds_the_level(both: Both) -> None:
    channel, prior = both
    level = breach_level(channel)
    assert worst(channel, prior, subsets(channel.inputs)) <= level.ratio
    assert level.ratio == distinguishability(channel).ratio


@settings(max_examples=50)
@given(channels(), st.fractions("1/1000", 1, max_denominator=1000))
def test_the_prior_comes_as_near_as_asked(channel: Channel, gap: Fraction) -> None:
    level = breach_level(channel)
    prior = level.prior(gap)
    assert prior.values == channel.inputs
    found = breaches(channel, prior, [level.subset])
    if level.witness is None:
        assert level.ratio == 1
        assert found == ()
    elif level.ratio == math.inf:
        assert level.witness.output in [b.output for b in found if b.ratio == math.inf]
    else:
        rises = [b.ratio for b in found if b.output == level.witness.output]
        assert (1 - gap) * level.ratio <= max(rises, default=1) < level.ratio


def test_the_ratio_under_the_prior_is_what_was_promised() -> None:
    channel = Channel([["9/10", "1/10"], ["1/10", "9/10"]])
    level = breach_level(channel)
    assert (level.ratio, level.bits, level.nats) == (9, log2_interval(9)[1], ln_interval(9)[1])
    [rise] = [b for b in breaches(channel, level.prior(NARROW), [[0]]) if b.after > b.before]
    assert rise.ratio == (1 - NARROW) * 9
    assert level.prior(1) == Distribution(["1/2", "1/2"])


@settings(max_examples=50)
@given(channels(most=4))
def test_the_level_in_floats_is_that_of_the_exact_numbers(channel: Channel) -> None:
    near = breach_level(channel.float())
    exact = breach_level(channel)
    if exact.ratio == math.inf:
        assert near.ratio == math.inf
    else:
        assert float(near.ratio) == pytest.approx(float(exact.ratio), rel=1e-12)


def test_columns_of_zeros_are_skipped_and_one_input_is_safe() -> None:
    assert breach_level(Channel([["1/2", 0, "1/2"], ["1/4", 0, "3/4"]])).ratio == 2
    alone = breach_level(Channel([["1/2", "1/2"]]))
    assert (alone.ratio, alone.bits, alone.witness) == (1, 0, None)
    assert alone.prior("1/2") == Distribution([1])
    assert alone.holds(ratio=1)


def test_a_channel_is_secure_at_its_level_and_not_below() -> None:
    level = breach_level(COIN)
    assert level.holds(ratio=2)
    assert not level.holds(ratio="1999999/1000000")
    assert level.holds(epsilon="ln 2")
    assert repr(level) == "BreachLevel(ratio 2, 1 bit; worst: output 0 of 0 against 1)"
    infinite = breach_level(Channel.identity(2))
    assert (infinite.bits, infinite.nats) == (math.inf, math.inf)
    assert infinite.subset == (1,)


@pytest.mark.parametrize("gap", [0, -1, 2, "1001/1000"])
def test_a_gap_that_is_none(gap: Any) -> None:
    with pytest.raises(InvalidNumber, match="gap must be above 0 and at most 1"):
        breach_level(COIN).prior(gap)


# --- one person ---


@st.composite
def database_channels(draw: st.DrawFn, most: int = 7) -> Channel:
    """Channels on some of the databases of up to three records of up to three values."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    every = list(product(*(range(size) for size in sizes)))
    some = draw(st.lists(st.sampled_from(every), min_size=1, max_size=most, unique=True))
    drawn = draw(channels(inputs=len(some)))
    return Channel(drawn.matrix, some)


@st.composite
def priors_with_an_independent_record(
    draw: st.DrawFn, databases: list[Any]
) -> tuple[int, dict[Any, Fraction]]:
    """A record i and a prior p_i(x_i)·q(the rest) on some of the databases."""
    i = draw(st.integers(0, len(databases[0]) - 1))
    one = draw(st.sampled_from(databases))
    values = [d[i] for d in databases if (d[:i], d[i + 1 :]) == (one[:i], one[i + 1 :])]
    rests = [
        (start, end)
        for start, end in dict.fromkeys((d[:i], d[i + 1 :]) for d in databases)
        if all((*start, v, *end) in databases for v in values)
    ]
    p, q = draw(distributions(len(values))), draw(distributions(len(rests)))
    return i, {
        (*start, v, *end): Fraction(p[a]) * Fraction(q[b])
        for a, v in enumerate(values)
        for b, (start, end) in enumerate(rests)
    }


@settings(max_examples=50)
@given(database_channels(), st.data())
def test_no_record_is_breached_beyond_the_level(channel: Channel, data: st.DataObject) -> None:
    prior = data.draw(distributions(len(channel.inputs)))
    level = individual_breach_level(channel)
    assert level.ratio == breach_level(channel).ratio
    assert worst(channel, prior.array, individual_sets(channel.inputs)) <= level.ratio


@settings(max_examples=50)
@given(database_channels(), st.data())
def test_an_independent_record_is_not_breached_beyond_its_level(
    channel: Channel, data: st.DataObject
) -> None:
    record, prior = data.draw(priors_with_an_independent_record(list(channel.inputs)))
    sets = individual_sets(channel.inputs)
    own = {event: q for event, q in sets.items() if event.startswith(f"record {record} ")}
    level = independent_breach_level(channel)
    assert worst(channel, prior, own) <= level.ratio <= individual_breach_level(channel).ratio


@settings(max_examples=50)
@given(st.lists(channels(inputs=2, outputs=2), min_size=1, max_size=3), st.data())
def test_a_product_of_priors_breaches_no_record_beyond_its_level(
    factors: list[Channel], data: st.DataObject
) -> None:
    channel = parallel(*factors).expand()
    each = [data.draw(distributions(2)) for _ in factors]
    prior = product_distribution(*each)
    level = independent_breach_level(channel)
    assert worst(channel, prior, individual_sets(channel.inputs)) <= level.ratio
    assert level.ratio == max(distinguishability(factor).ratio for factor in factors)
    assert individual_breach_level(channel).ratio == math.prod(
        distinguishability(factor).ratio for factor in factors
    )


@settings(max_examples=50)
@given(database_channels())
def test_both_individual_levels_are_approached(channel: Channel) -> None:
    for level in (individual_breach_level(channel), independent_breach_level(channel)):
        if level.witness is None:
            assert level.ratio == 1
            continue
        event = f"record {level.record} is {level.value!r}"
        assert individual_sets(channel.inputs)[event] == level.subset
        found = worst(channel, level.prior(NARROW), {event: level.subset})
        assert found >= (1 - NARROW) * level.ratio
    if level.witness is not None:  # of the independent one
        one, other = level.prior(NARROW).support
        differ = [i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]  # type: ignore[call-overload]
        assert differ == [level.record]


@pytest.mark.parametrize(("values", "records"), [(2, 3), (3, 2), (4, 1)])
def test_neighbours_differ_in_one_record(values: int, records: int) -> None:
    policy = Policy(SecretGraph.complete(values), records)
    databases = tuple(product(range(values), repeat=records))
    graph = one_record_graph(databases)
    assert graph.order == policy.adjacency().order
    assert graph.edges.tolist() == policy.adjacency().explicit().edges.tolist()


def test_the_level_of_a_policy_is_the_independent_one() -> None:
    channel = parallel(COIN, COIN).expand()
    policy = Policy(SecretGraph.complete(2), records=2)
    assert privacy_level(channel, policy).ratio == independent_breach_level(channel).ratio == 2


def test_values_that_are_equal_are_one_value() -> None:
    sets = individual_sets([(0, 1), (1, True), (2, 3)])
    assert sets["record 1 is 1"] == ((0, 1), (1, True))


def test_inputs_that_are_no_databases() -> None:
    for inputs in (["a", "b"], [(0, 1), (0,)], [(), (1,)], [(0, 1), "ab"], ["ab", (0, 1)]):
        channel = Channel(COIN.matrix, inputs)
        for ask in (individual_breach_level, independent_breach_level):
            with pytest.raises(Mismatch, match="each input must be a database"):
                ask(channel)
        assert len({breach.event for breach in breaches(channel)}) == 2
    with pytest.raises(Mismatch, match=r"got \(\)"):
        individual_sets([])
    with pytest.raises(InvalidChannel, match=r"use \.expand"):
        individual_breach_level(parallel(COIN, COIN))  # type: ignore[arg-type]


# --- on average ---


@settings(max_examples=40)
@given(channels_and_priors())
def test_no_membership_leaks_more_than_the_average_level(both: Both) -> None:
    channel, prior = both
    level = average_breach_level(channel)
    for q in subsets(channel.inputs):
        assert g_leakage(channel, prior, Gain.membership(channel.inputs, q)).factor <= level.factor


@settings(max_examples=50)
@given(channels())
def test_the_uniform_prior_on_two_inputs_attains_the_average_level(channel: Channel) -> None:
    level = average_breach_level(channel)
    member = Gain.membership(channel.inputs, [level.pair[0]])
    assert g_leakage(channel, level.prior, member).factor == level.factor
    assert level.bits == g_leakage(channel, level.prior, member).bits
    assert len(level.pair) == min(2, len(channel.inputs))


@settings(max_examples=50)
@given(channels(most=6))
def test_leakage_and_average_level_enclose_each_other(channel: Channel) -> None:
    n = len(channel.inputs)
    level, capacity = average_breach_level(channel).factor, min_capacity(channel).factor
    least, most = leakage_from_average_level(level, n)
    assert least <= capacity <= most
    least, most = average_level_from_leakage(capacity, n)
    assert least <= level <= most


def spread(n: int, t: Fraction) -> Channel:
    """Every row but the first moves t of its mass to an output of its own."""
    return Channel({x: {0: 1 - t, x: t} if x else {0: 1} for x in range(n)})


def two_rows(n: int, t: Fraction) -> Channel:
    return Channel([[1, 0]] + [[1 - t, t]] * (n - 1))


def disjoint(n: int, c: Fraction) -> Channel:
    """As many certain rows as fit below c, then one for the rest."""
    k = math.floor(c)
    rows: list[dict[int, Any]] = [{x: 1} for x in range(k)]
    rows += [{k: c - k, 0: 1 - c + k}] * (n > k) + [{0: 1}] * (n - k - 1)
    return Channel(dict(enumerate(rows)))


@given(st.integers(2, 6), fractions(0, 1, max_denominator=20))
def test_both_ends_of_the_leakage_are_attained(n: int, t: Fraction) -> None:
    for channel in (spread(n, t), two_rows(n, t)):
        assert average_breach_level(channel).factor == 1 + t
    ends = min_capacity(two_rows(n, t)).factor, min_capacity(spread(n, t)).factor
    assert ends == leakage_from_average_level(1 + t, n)


@given(st.data(), st.integers(2, 6))
def test_both_ends_of_the_average_level_are_attained(data: st.DataObject, n: int) -> None:
    c = data.draw(st.fractions(1, n, max_denominator=20))
    low = spread(n, (c - 1) / (n - 1))
    high = two_rows(n, c - 1) if c <= 2 else disjoint(n, c)
    assert min_capacity(low).factor == min_capacity(high).factor == c
    ends = average_breach_level(low).factor, average_breach_level(high).factor
    assert ends == average_level_from_leakage(c, n)


def test_one_input_leaks_nothing() -> None:
    assert set(leakage_from_average_level(1, inputs=1)) == {1}
    assert set(average_level_from_leakage(1, inputs=1)) == {1}
    alone = average_breach_level(Channel([["1/2", "1/2"]]))
    assert (alone.factor, alone.bits, alone.pair) == (1, 0, (0,))
    assert repr(alone) == "AverageBreachLevel(factor 1, 0 bits)"


def test_an_average_level_in_floats() -> None:
    level = average_breach_level(COIN.float())
    assert level.factor == pytest.approx(4 / 3, rel=1e-15)
    assert level.prior == Distribution(["1/2", "1/2"])


def test_factors_that_no_channel_has() -> None:
    with pytest.raises(InvalidNumber, match="of 3 inputs must be from 1 to 2, got 5/2"):
        leakage_from_average_level("5/2", inputs=3)
    with pytest.raises(InvalidNumber, match="of 1 inputs must be from 1 to 1"):
        leakage_from_average_level("3/2", inputs=1)
    with pytest.raises(InvalidNumber, match="of 3 inputs must be from 1 to 3, got 4"):
        average_level_from_leakage(4, inputs=3)
    with pytest.raises(InvalidNumber, match="whole number of inputs"):
        average_level_from_leakage(1, inputs=0)


@given(weights(4))
def test_equal_rows_are_never_breached(row: list[int]) -> None:
    channel = Channel.normalised([row] * 3)
    assert breach_level(channel).ratio == average_breach_level(channel).factor == 1
    assert breaches(channel, ["1/2", "1/4", "1/4"], subsets(range(3))) == ()


@settings(max_examples=40)
@given(channels_and_priors(), st.sampled_from(["1", "3/2", "2"]))
def test_breaches_are_filtered_and_sorted_as_exact_numbers_say(
    case: tuple[Channel, Distribution], ratio: str
) -> None:
    """Floats decide what is clear; here all is decided by fractions."""
    channel, prior = case
    for kind in (channel, channel.float()):
        exact = kind.exact()
        expected = []
        for x, before in prior.exact().items():
            for z in exact.outputs:
                chance = sum(p * exact[y, z] for y, p in prior.exact().items())
                if before > 0 and chance > 0:
                    after = before * exact[x, z] / chance
                    size = max(after / before, before / after) if after else math.inf
                    if size > Fraction(ratio):
                        expected.append((size, chance))
        sets = [[x] for x in channel.inputs]
        found = [(b.ratio, b.chance) for b in breaches(kind, prior, sets, ratio=ratio)]
        assert found == sorted(expected, reverse=True)


def test_breaches_beyond_the_floats_and_too_close_for_them() -> None:
    tiny = Fraction(1, 10**400)
    rare = Channel([[tiny, 1 - tiny], [2 * tiny, 1 - 2 * tiny], [tiny * tiny, 1 - tiny * tiny]])
    found = breaches(rare, [tiny, tiny, 1 - 2 * tiny])
    ratios = [breach.ratio for breach in found]
    assert ratios == sorted(ratios, reverse=True)
    assert all(ratio > 1 for ratio in ratios)
    assert len(set(ratios)) > 3
    assert breaches(rare, [tiny, tiny, 1 - 2 * tiny], ratio=ratios[2]) == found[:2]
    close = Fraction(1, 2) + tiny
    level = Channel([[close, 1 - close], ["1/2", "1/2"]])
    worst = breaches(level)[0].ratio
    assert 1 < worst < 1 + 2 * tiny
    assert len(breaches(level, ratio=worst)) < len(breaches(level))
