from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import comb, pi, prod, sqrt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels import noise_on_sums
from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.leakage.individual import individual_leakage
from leaktight.leakage.uninformed import uninformed_guess
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.geometric import GeometricNoise, TruncatedGeometric
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.policies.constraint import Count, count
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    LinearQuery,
    MostCommonQuery,
    SumQuery,
    counting_query,
)
from tests.leakage.test_individual import free_policies, priors_on, rows_of
from tests.strategies.channels import channels
from tests.strategies.fractions import fractions
from tests.strategies.graphs import constrained_policies


def by_definition(
    policy: Policy, row: Any, prior: Mapping[Any, Fraction]
) -> tuple[Fraction, Fraction] | None:
    """The best guess of a record before and after, by all databases; None if none is possible."""
    databases: list[Any] = [d if policy.records > 1 else (d,) for d in policy.databases()]
    weights = {d: prod((prior[v] for v in d), start=Fraction(1)) for d in databases}
    total = sum(weights.values(), Fraction(0))
    if not total:
        return None
    found = []
    for record in range(policy.records):
        parts: dict[Any, dict[Any, Fraction]] = {}
        for d in databases:
            for z, p in row(d).items():
                cell = parts.setdefault(z, {})
                cell[d[record]] = cell.get(d[record], Fraction(0)) + weights[d] * p
        values = {d[record] for d in databases}
        shares = [[w for d, w in weights.items() if d[record] == v] for v in values]
        before = max(sum(share, Fraction(0)) for share in shares)
        after = sum((max(cell.values()) for cell in parts.values()), Fraction(0))
        found.append((after / total, before / total))
    after, before = max(found, key=lambda pair: pair[0])
    return before, after


@given(st.data())
@settings(max_examples=60)
def test_any_query_on_any_policy_agrees_with_the_definition(data: st.DataObject) -> None:
    policy = data.draw(constrained_policies() | free_policies())
    values = policy.secrets.vertices
    query: Any = data.draw(st.sampled_from([counting_query(values[:1]), MostCommonQuery()]))
    databases = [d if policy.records > 1 else (d,) for d in policy.databases()]
    answers = list(dict.fromkeys(map(query, databases)))
    channel = Channel(data.draw(channels(inputs=len(answers))), answers)
    prior, rows = data.draw(priors_on(policy)), rows_of(channel)
    expected = by_definition(policy, lambda d: rows[query(d)], prior)
    if expected is None:
        with pytest.raises(InvalidInput, match="rules out every database"):
            uninformed_guess(channel, policy, query, prior)
        return
    found = uninformed_guess(channel, policy, query, prior)
    assert found.is_exact
    assert found.upper == expected[1]
    if not policy.is_constrained and policy.values is None:
        assert found.before == expected[0]
        assert found.upper <= individual_leakage(channel, policy, query, prior).after


@given(st.data())
@settings(max_examples=40)
def test_answers_for_each_record_agree_with_the_definition(data: st.DataObject) -> None:
    policy = data.draw(constrained_policies() | free_policies())
    if policy.records == 1:
        return
    values = policy.secrets.vertices
    channel = Channel(data.draw(channels(inputs=len(values), outputs=2)), values)
    prior, rows = data.draw(priors_on(policy)), rows_of(channel)

    def row(database: Any) -> dict[Any, Fraction]:
        return {
            seen: prod((rows[v][z] for v, z in zip(database, seen, strict=True)), start=Fraction(1))
            for seen in product(channel.outputs, repeat=policy.records)
        }

    expected = by_definition(policy, row, prior)
    if expected is not None:
        assert uninformed_guess(channel, policy, None, prior).upper == expected[1]


def test_who_is_guessed_best_is_counted_among_all_records() -> None:
    """The third record is one of two values; the first two are alike."""
    secrets = SecretGraph.complete(["a", "b", "c"])
    policy = Policy(secrets, 3, values=[["a", "b", "c"], ["a", "b", "c"], ["a", "b"]])
    prior = {"a": "1/8", "b": "3/8", "c": "1/2"}
    found = uninformed_guess(Channel.no_interference(secrets.vertices), policy, prior=prior)
    assert (found.before, found.upper, found.record) == (Fraction(3, 4), Fraction(3, 4), 3)
    assert [other.upper for other in found.rest] == [Fraction(1, 2)]


def test_the_vote_tells_little_of_a_voter_if_nobody_is_known() -> None:
    policy = Policy(SecretGraph.complete(["Lyon", "Turin", "Graz"]), records=5)
    query = MostCommonQuery()
    best = optimal_mechanism(answer_graph(policy, query), ratio=3)
    found = uninformed_guess(best, policy, query)
    assert (found.before, found.lower, found.upper) == (
        Fraction(1, 3), Fraction(97, 243), Fraction(97, 243)
    )  # fmt: skip


@given(
    st.integers(2, 12),
    fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
    st.sampled_from(["1000000001/1000000000", "11/10", "2", "50"]),
)
def test_floats_enclose_what_exact_numbers_say(n: int, share: Fraction, ratio: str) -> None:
    """A noisy count, convolved in floats, against the channel on all counts."""
    policy = Policy(SecretGraph.complete(["no", "yes"]), n)
    query, prior = counting_query(["yes"]), {"no": 1 - share, "yes": share}
    mechanism = TruncatedGeometric(range(n + 1), ratio=ratio)
    exact = uninformed_guess(mechanism, policy, query, prior)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noise_on_sums, "MOST_EXACT", 1)
        found = uninformed_guess(GeometricNoise(ratio=ratio), policy, query, prior)
    assert found.lower <= exact.upper <= found.upper
    assert found.upper - found.lower < 1e-12


def test_a_noisy_count_of_a_million_is_enclosed() -> None:
    """One more or less among so many is hardly seen: the prior is all that a guess can use."""
    wages = Policy(SecretGraph.complete(6), 1_000_000)
    found = uninformed_guess(GeometricNoise(epsilon=1), wages, counting_query([5]))
    assert found.before == Fraction(1, 6)
    assert 1 / 6 <= found.lower <= found.upper < 1 / 6 + 1e-3
    # With equal chances for both, the guess gains half the distance between shifted counts, which
    # is at most the largest probability of a count: C(2m, m)/4^m ≤ 1/√(π·m) for 2m = n.
    halves = Policy(SecretGraph.complete(2), 1_000_000)
    even = uninformed_guess(GeometricNoise(epsilon=1), halves, counting_query([1]))
    assert 1 / 2 < even.lower <= 1 / 2 + 1 / (2 * sqrt(pi * 500_000))


def test_a_mechanism_on_other_answers_is_refused() -> None:
    """Also if it adds geometric noise, and whether or not it is written out."""
    for records in (10, 100):
        policy = Policy(SecretGraph.complete(2), records)
        for seen in (range(records), ["none", *range(1, records + 1)]):
            noise = TruncatedGeometric(list(seen), ratio=2)
            with pytest.raises(Mismatch, match="must see every answer, not so"):
                uninformed_guess(noise, policy, counting_query([1]))
            with pytest.raises(Mismatch, match="must see every answer, not so"):
                individual_leakage(noise, policy, counting_query([1]))


def test_noise_by_places_is_not_taken_for_noise_by_units() -> None:
    """On 0, 10, 20, … the noise moves by places: a value of 10 is one step away, not ten."""
    policy = Policy(SecretGraph.complete([0, 10]), 3)
    noise = TruncatedGeometric([0, 10, 20, 30], ratio=2)
    assert individual_leakage(noise, policy, SumQuery()).factor == Fraction(4, 3)
    assert not noise.adds_to(policy, SumQuery())


@pytest.mark.parametrize("records", [1, 2, 3])
def test_noise_that_is_cut_off_at_the_answers_is_its_channel(records: int) -> None:
    """Also where nobody leaves room beyond what one record adds."""
    policy, prior = Policy(SecretGraph.complete([0, 2]), records), {0: "2/5", 2: "3/5"}
    for kind in (TruncatedGeometric, RoundedLaplace):
        noise = kind(range(2 * records + 1), ratio=3)
        found = individual_leakage(noise, policy, SumQuery(), prior)
        listed = individual_leakage(noise.channel, policy, SumQuery(), prior)
        assert (found.factor, found.after) == (listed.factor, listed.after)


def test_what_takes_too_long_is_refused() -> None:
    policy = Policy(SecretGraph.complete(3), 1000)
    with pytest.raises(TooLarge, match="500,500 combinations of the values of 999 records"):
        uninformed_guess(Channel.identity([0, 1, 2, "tie"]), policy, MostCommonQuery())
    with pytest.raises(TooLarge, match="of which at most 262,144 are gone through"):
        uninformed_guess(Channel.identity([0, 1]), policy, lambda records: records[0])
    large = Policy(SecretGraph.complete([0, 10**6]), 50)
    with pytest.raises(TooLarge, match="the sum of 49 others takes"):
        uninformed_guess(Channel.identity(2), large, SumQuery())


# --- public counts ---------------------------------------------------------------------------


@st.composite
def counted_policies(draw: st.DrawFn, least: int = 1) -> Policy:
    """Records whose counts are public: numbers or ranges, of sets that may overlap."""
    order = draw(st.integers(2, 4))
    records = draw(st.integers(least, {2: 5, 3: 4, 4: 3}[order]))
    database = draw(st.lists(st.integers(0, order - 1), min_size=records, max_size=records))
    told: list[Count] = []
    for _ in range(draw(st.integers(1, 2))):
        some = draw(st.sets(st.integers(0, order - 1), min_size=1, max_size=order - 1))
        number = sum(v in some for v in database)
        low, high = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)) | st.just((0, 0)))
        told.append(count(some, at_least=max(0, number - low), at_most=number + high))
    return Policy(SecretGraph.complete(order), records, constraints=told)


def noisy_row(noise: GeometricNoise, query: Any, policy: Policy) -> Any:
    """What is seen of a database with noise on its answer, as far as it can be; the rest is one."""
    far = max(abs(query(d)) for d in product(policy.secrets.vertices, repeat=policy.records)) + 1

    def row(database: Any) -> dict[int, Fraction]:
        answer = query(database)
        seen = {z: noise.pmf(z - answer) for z in range(1 - far, far)}
        return seen | {far: noise.tail(far - answer), -far: noise.tail(far + answer)}

    return row


@given(st.data())
@settings(max_examples=60)
def test_noise_on_a_count_or_a_sum_is_conditioned_on_the_public_counts(data: st.DataObject) -> None:
    policy = data.draw(counted_policies(2))
    prior = data.draw(priors_on(policy))
    values = policy.secrets.vertices
    query = data.draw(
        st.sampled_from([SumQuery()])
        | st.sets(st.sampled_from(values), min_size=1).map(counting_query)
    )
    noise = GeometricNoise(ratio=data.draw(st.sampled_from(["2", "11/10", "50"])))
    expected = by_definition(policy, noisy_row(noise, query, policy), prior)
    for most in (64, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(noise_on_sums, "MOST_EXACT", most)
            if expected is None:
                with pytest.raises(InvalidInput, match="rules out every database"):
                    uninformed_guess(noise, policy, query, prior)
                continue
            found = uninformed_guess(noise, policy, query, prior)
        if most == 64:
            assert (found.before, found.lower, found.upper) == (expected[0], *expected[1:] * 2)
        else:
            assert found.before == expected[0]
            assert found.before <= found.lower or found.before - found.lower < 1e-15
            assert found.lower <= expected[1] <= found.upper
            assert found.upper - found.lower < 1e-12


@given(st.data())
@settings(max_examples=60)
def test_a_channel_on_answers_is_conditioned_on_the_public_counts(data: st.DataObject) -> None:
    policy = data.draw(counted_policies())
    prior = data.draw(priors_on(policy))
    values = policy.secrets.vertices
    query: Any = data.draw(
        st.sampled_from([
            counting_query(values[:1]), SumQuery(), Halves(), HistogramQuery(values),
            MostCommonQuery(),
        ])
    )  # fmt: skip
    databases = product(values, repeat=policy.records)
    answers = list(dict.fromkeys(map(query, databases)))
    rows = data.draw(
        st.lists(
            st.tuples(*[st.integers(0, 3)] * 3).filter(any),
            min_size=len(answers),
            max_size=len(answers),
        )
    )
    channel = Channel.normalised(rows, answers)
    seen = rows_of(channel)
    expected = by_definition(policy, lambda d: seen[query(d)], prior)
    if expected is not None:
        found = uninformed_guess(channel, policy, query, prior)
        assert (found.before, found.upper) == expected
        assert found.before <= found.upper


class Halves(LinearQuery):
    """A sum of numbers that are not whole."""

    __slots__ = ()

    def weight(self, value: Any) -> Fraction:
        return Fraction(value, 2)

    def of_counts(self, counts: Mapping[Any, int]) -> Fraction:
        return sum((self.weight(v) * n for v, n in counts.items()), Fraction(0))


def test_a_sum_of_numbers_that_are_not_whole_is_not_cut_off() -> None:
    """Of one half and 1 among two records: the sum, shown as it is, tells both if they agree."""
    policy = Policy(SecretGraph.complete([1, 2]), 2)
    found = uninformed_guess(Channel.identity([1, Fraction(3, 2), 2]), policy, Halves())
    assert (found.before, found.upper) == (Fraction(1, 2), Fraction(3, 4))


HEALTH = SecretGraph.complete(["flu", "cold", "none"])


@pytest.mark.parametrize("records", [3, 64, 65, 100, 2_000, 1_000_000, 1_000_000_000])
@pytest.mark.parametrize("prior", [None, ["9/10", "1/20", "1/20"]])
def test_a_value_that_nobody_has_is_as_if_there_were_none(
    records: int, prior: list[str] | None
) -> None:
    told = Policy(HEALTH, records, constraints=count(["flu"], equals=0))
    without = Policy(SecretGraph.complete(["cold", "none"]), records)
    noise, query = GeometricNoise(ratio=2), counting_query(["cold"])
    found = uninformed_guess(noise, told, query, prior)
    expected = uninformed_guess(noise, without, query)
    assert found.before == expected.before == Fraction(1, 2)
    assert (found.lower, found.upper) == (expected.lower, expected.upper)


def guessed_in_cells(records: int, ill: int, fall: Fraction) -> tuple[Fraction, Fraction]:
    """The guess if ``ill`` have flu, and the others a cold, counted, or none, one as likely.

    Of the others' count C, both binomial: with flu P(C) on n − ill, and otherwise one fewer.
    """
    well = records - ill

    def seen(many: int, more: int) -> list[Fraction]:
        """The chances of the outputs 0 or less, 1 … records − 1, records or more."""
        chances = [Fraction(comb(many, k), 2**many) for k in range(many + 1)]
        ends = {0: 1 / (1 + fall), records: 1 / (1 + fall)}
        scales = [ends.get(z, (1 - fall) / (1 + fall)) for z in range(records + 1)]
        return [
            scale * sum(p * fall ** abs(z - k - more) for k, p in enumerate(chances))
            for z, scale in enumerate(scales)
        ]

    shares = Fraction(ill, records), Fraction(well, 2 * records), Fraction(well, 2 * records)
    tables = [seen(well, 0), seen(well - 1, 1), seen(well - 1, 0)]
    after = sum(
        max(share * table[z] for share, table in zip(shares, tables, strict=True))
        for z in range(records + 1)
    )
    return max(shares), Fraction(after)


@pytest.mark.parametrize(("records", "ill"), [(64, 20), (65, 20), (66, 22), (100, 35)])
def test_at_any_number_of_records_the_guess_is_that_of_the_formula(records: int, ill: int) -> None:
    before, after = guessed_in_cells(records, ill, Fraction(1, 2))
    policy = Policy(HEALTH, records, constraints=count(["flu"], equals=ill))
    found = uninformed_guess(GeometricNoise(ratio=2), policy, counting_query(["cold"]))
    assert found.before == before
    assert found.lower <= after <= found.upper
    assert found.upper - found.lower < 1e-11
    assert found.is_exact == (records <= 64)


@pytest.mark.parametrize("records", [64, 65, 2_000])
def test_of_a_range_of_counts_each_is_as_likely_as_it_was(records: int) -> None:
    """A count of the same set as the public range tells, exactly, which of these it is, hardly."""
    policy = Policy(HEALTH, records, constraints=count(["flu"], at_least=1, at_most=2))
    found = uninformed_guess(GeometricNoise(ratio=2), policy, counting_query(["flu"]))
    one, two = (comb(records, k) * 2 ** (records - k) for k in (1, 2))
    ill = Fraction(one + 2 * two, records * (one + two))
    assert found.before == (1 - ill) / 2
    assert found.before - Fraction(1, 10**15) <= found.lower <= found.upper
    assert found.upper < found.before + Fraction(1, 10**6)  # no output makes flu the likeliest


def test_what_is_known_of_the_count_tells_nothing_more() -> None:
    for records in (60, 70, 1_000_000):
        policy = Policy(HEALTH, records, constraints=count(["flu"], equals=30))
        found = uninformed_guess(GeometricNoise(ratio=2), policy, counting_query(["flu"]))
        share = max(Fraction(30, records), Fraction(records - 30, 2 * records))
        assert (found.before, found.lower, found.upper) == (share, share, share)


def test_too_many_histograms_are_refused() -> None:
    noise, query = GeometricNoise(ratio=2), counting_query(["cold"])
    policy = Policy(HEALTH, 1_000_000, constraints=count(["flu"], at_least=1))
    with pytest.raises(TooLarge, match="single numbers of sets that do not overlap leave one"):
        uninformed_guess(noise, policy, query)
    three = [(a, b) for a in range(3) for b in range(3)]
    tables = [count([v for v in three if v[k] == i], equals=100) for k in (0, 1) for i in (0, 1)]
    crossed = Policy(SecretGraph.complete(three), 300, constraints=tables)
    with pytest.raises(TooLarge, match="histograms of 300 records"):
        uninformed_guess(noise, crossed, counting_query([(0, 0)]))
