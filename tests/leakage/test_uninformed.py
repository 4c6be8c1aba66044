from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.leakage import noise_on_sums, uninformed
from leaktight.leakage.individual import individual_leakage
from leaktight.leakage.uninformed import uninformed_guess
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.geometric import GeometricNoise, TruncatedGeometric
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import MostCommonQuery, SumQuery, counting_query
from tests.leakage.test_individual import free_policies, priors_on, rows_of
from tests.strategies.channels import channels
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
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
    st.sampled_from(["1000000001/1000000000", "11/10", "2", "50"]),
)
def test_floats_enclose_what_exact_numbers_say(n: int, share: Fraction, ratio: str) -> None:
    """A noisy count, convolved in floats, against the channel on all counts."""
    policy = Policy(SecretGraph.complete(["no", "yes"]), n)
    query, prior = counting_query(["yes"]), {"no": 1 - share, "yes": share}
    mechanism = TruncatedGeometric(range(n + 1), ratio=ratio)
    exact = uninformed_guess(mechanism, policy, query, prior)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uninformed, "MOST_EXACT", 1)
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
    # is at most the largest probability of a count: about 1/√(2π·n/4).
    halves = Policy(SecretGraph.complete(2), 1_000_000)
    even = uninformed_guess(GeometricNoise(epsilon=1), halves, counting_query([1]))
    most = Fraction(comb(999_999, 499_999), 2**999_999)
    assert Fraction(1, 2) < even.lower
    assert Fraction(even.lower) <= Fraction(1, 2) + most / 2


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
    assert noise_on_sums.added_noise(noise, policy, SumQuery()) is None


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
    policy = Policy(SecretGraph.complete(3), 300)
    with pytest.raises(TooLarge, match="45,150 combinations of the others with what is seen"):
        uninformed_guess(Channel.identity([0, 1, 2, "tie"]), policy, MostCommonQuery())
    with pytest.raises(TooLarge, match="combinations are gone through"):
        uninformed_guess(Channel.identity([0, 1]), policy, lambda records: records[0])
    large = Policy(SecretGraph.complete([0, 10**6]), 50)
    with pytest.raises(TooLarge, match="the sum of 49 others takes"):
        uninformed_guess(Channel.identity(2), large, SumQuery())
