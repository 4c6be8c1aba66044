from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.noise_on_sums import histogram_sum_of_maxima, joint_sum_of_maxima
from leaktight.errors import InvalidInput, Mismatch
from leaktight.leakage.capacity import min_capacity
from leaktight.leakage.individual import individual_leakage
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.geometric import GeometricNoise, TruncatedGeometric
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    MostCommonQuery,
    SumQuery,
    counting_query,
)
from tests.strategies.channels import channels, distributions
from tests.strategies.graphs import constrained_policies, record_values, secret_graphs


def alternatives(policy: Policy) -> Iterator[list[tuple[Hashable, Any]]]:
    """Every record, and all others: the values that it may have, with the database of each."""
    databases: list[Any] = [d if policy.records > 1 else (d,) for d in policy.databases()]
    for record in range(policy.records):
        for rest in {(*d[:record], *d[record + 1 :]) for d in databases}:
            yield [(d[record], d) for d in databases if (*d[:record], *d[record + 1 :]) == rest]


def by_definition(
    policy: Policy, row: Callable[[Any], Mapping[Any, Fraction]], prior: Mapping[Any, Fraction]
) -> tuple[Fraction, Fraction]:
    """max over D⁻ of Σ_z max_v K(z|D⁻,v), and of Σ_z max_v π(v)·K(z|D⁻,v), loop by loop."""
    factor = after = Fraction(0)
    for found in alternatives(policy):
        rows = {v: row(database) for v, database in found}
        outputs = {z for each in rows.values() for z in each}
        most = (max(r.get(z, Fraction(0)) for r in rows.values()) for z in outputs)
        factor = max(factor, sum(most, Fraction(0)))
        if total := sum(prior[v] for v in rows):
            best = (max(prior[v] * r.get(z, Fraction(0)) for v, r in rows.items()) for z in outputs)
            after = max(after, sum(best, Fraction(0)) / total)
    return factor, after


def rows_of(channel: Channel) -> dict[Any, dict[Any, Fraction]]:
    return {x: {z: channel[x, z] for z in channel.outputs} for x in channel.inputs}  # type: ignore[misc]


def priors_on(policy: Policy) -> st.SearchStrategy[dict[Any, Fraction]]:
    values = policy.secrets.vertices
    return distributions(len(values)).map(
        lambda p: {v: Fraction(int(c.p), int(c.q)) for v, c in zip(values, p.array, strict=True)}
    )


def agrees(found_on: Any, policy: Policy, query: Any, row: Any, prior: Any) -> None:
    """What is found is what the definition says."""
    if not any(sum(prior[v] for v, _ in found) for found in alternatives(policy)):
        with pytest.raises(InvalidInput, match="rules out"):
            individual_leakage(found_on, policy, query, prior)
        return
    found = individual_leakage(found_on, policy, query, prior)
    assert (found.factor, found.after) == by_definition(policy, row, prior)


@given(st.data())
@settings(max_examples=60)
def test_a_query_on_any_policy_agrees_with_the_definition(data: st.DataObject) -> None:
    policy = data.draw(constrained_policies() | free_policies())
    values = policy.secrets.vertices
    queries: list[Any] = [counting_query(values[:1]), MostCommonQuery(), HistogramQuery(values)]
    query = data.draw(st.sampled_from(queries))
    databases = [d if policy.records > 1 else (d,) for d in policy.databases()]
    answers = list(dict.fromkeys(map(query, databases)))
    channel = Channel(data.draw(channels(inputs=len(answers))), answers)
    rows = rows_of(channel)
    agrees(channel, policy, query, lambda d: rows[query(d)], data.draw(priors_on(policy)))


@st.composite
def free_policies(draw: st.DrawFn) -> Policy:
    """Policies with nothing public but, now and then, what each record may be."""
    secrets = draw(secret_graphs(most=3))
    records = draw(st.integers(1, 3))
    domains = draw(st.none() | record_values(secrets, records))
    return Policy(secrets, records, values=domains)


@given(st.data())
@settings(max_examples=40)
def test_a_mechanism_on_databases_agrees_with_the_definition(data: st.DataObject) -> None:
    policy = data.draw(constrained_policies() | free_policies())
    databases = policy.databases()
    channel = Channel(data.draw(channels(inputs=len(databases))), databases)
    rows = rows_of(channel)
    single = policy.records == 1
    row = lambda d: rows[d[0] if single else d]  # noqa: E731
    agrees(channel, policy, None, row, data.draw(priors_on(policy)))


@given(st.data())
@settings(max_examples=40)
def test_a_mechanism_on_each_record_agrees_with_the_definition(data: st.DataObject) -> None:
    policy = data.draw(constrained_policies() | free_policies())
    assume(policy.records > 1)
    values = policy.secrets.vertices
    channel = Channel(data.draw(channels(inputs=len(values), outputs=2)), values)
    rows = rows_of(channel)

    def row(database: Any) -> dict[Any, Fraction]:
        return {
            seen: prod((rows[v][z] for v, z in zip(database, seen, strict=True)), start=Fraction(1))
            for seen in product(channel.outputs, repeat=policy.records)
        }

    prior = data.draw(priors_on(policy))
    agrees(channel, policy, None, row, prior)
    if not policy.is_constrained:
        both = parallel(*[channel] * policy.records)
        agrees(both, policy, None, row, prior)


@given(
    st.sampled_from(["1", "3/2", "2", "9"]),
    st.integers(1, 4),
    st.lists(st.integers(-3, 6), min_size=1, max_size=4, unique=True),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_noise_on_a_sum_is_its_channel_without_the_channel(
    ratio: str, records: int, values: list[int], data: st.DataObject
) -> None:
    """The formulas, against the channel on all answers that the noise is cut off at."""
    policy = Policy(SecretGraph.complete(values), records)
    query = data.draw(st.sampled_from([SumQuery(), counting_query(values[:1])]))
    kind = data.draw(st.sampled_from([TruncatedGeometric, RoundedLaplace]))
    prior = data.draw(priors_on(policy))
    databases: Any = policy.databases()
    answers = [query(d if records > 1 else (d,)) for d in databases]
    # So much wider than the answers that nothing is cut off that any formula distinguishes.
    mechanism = kind(range(min(answers) - 2, max(answers) + 3), ratio=ratio, sensitivity=2)
    noisy = individual_leakage(mechanism, policy, query, prior)
    listed = individual_leakage(mechanism.channel, policy, query, prior)
    assert (noisy.factor, noisy.before, noisy.after) == (listed.factor, listed.before, listed.after)


@given(st.sampled_from(["3/2", "2", "9"]), st.integers(1, 4), st.booleans())
def test_the_formula_for_a_histogram_is_the_sum_over_all_patterns(
    ratio: str, cells: int, absent: bool
) -> None:
    noise = GeometricNoise(ratio=ratio, sensitivity=2)
    weights = [tuple(int(i == k) for i in range(cells)) for k in range(cells)]
    weights += [(0,) * cells] * absent
    found = joint_sum_of_maxima(noise, weights)
    assert histogram_sum_of_maxima(noise, cells, absent) == found
    alpha = 1 / noise.step
    if absent:
        assert found == 1 / alpha - (1 / alpha - 1) / (1 + alpha) ** cells
    else:
        assert found == (1 - (1 - alpha) / (1 + alpha) ** (cells - 1)) / alpha


def test_the_formula_for_a_histogram_is_that_of_its_channel() -> None:
    """Two cells, one of them a person's: noise cut off beyond all that matters changes nothing."""
    noise = GeometricNoise(ratio=4, sensitivity=2)
    one = noise.truncated(0, 1).channel
    rows = parallel(one, one).expand().restrict([(0, 1), (1, 0)])
    assert histogram_sum_of_maxima(noise, 2, absent=False) == min_capacity(rows).factor


def test_the_vote_tells_of_one_voter() -> None:
    """Five voters, three cities: a vote that turns the result is found out in 5 of 9 cases."""
    policy = Policy(SecretGraph.complete(["Lyon", "Turin", "Graz"]), records=5)
    query = MostCommonQuery()
    best = optimal_mechanism(answer_graph(policy, query), ratio=3)
    found = individual_leakage(best, policy, query)
    assert (found.factor, found.before, found.after) == (
        Fraction(5, 3),
        Fraction(1, 3),
        Fraction(5, 9),
    )
    assert str(found) == (
        "one guess about one person: 33.3% before, at most 55.6% after, all others known"
    )


@pytest.mark.parametrize("records", [1, 595, 1_000_000])
def test_a_noisy_count_tells_of_one_person_the_same_among_any_number(records: int) -> None:
    wages = Policy(SecretGraph.complete(6), records)
    for ratio in (Fraction(2), Fraction(7, 2)):
        found = individual_leakage(GeometricNoise(ratio=ratio), wages, counting_query([5]))
        assert found.factor == 2 * ratio / (1 + ratio)
        assert found.after == found.factor / 6


def test_presence_and_value_are_told_apart() -> None:
    """A count of those who are ill tells as much of who is there as of who is ill."""
    secrets = SecretGraph.complete(["ill", "well"]).with_absent("away")
    policy = Policy(secrets, records=100)
    noise = GeometricNoise(ratio=2)
    found = individual_leakage(noise, policy, counting_query(["ill"]), absent="away")
    assert found.value == found.presence == found.factor == Fraction(4, 3)
    counted = individual_leakage(noise, policy, counting_query(["ill", "well"]), absent="away")
    assert (counted.value, counted.presence) == (1, Fraction(4, 3))
    with pytest.raises(Mismatch, match="absent must be a value of the policy, got 'gone'"):
        individual_leakage(noise, policy, counting_query(["ill"]), absent="gone")


def test_nothing_is_told_of_what_nobody_can_be() -> None:
    """If all are known to be away, or one to be ill, presence and value are no secrets."""
    secrets = SecretGraph.complete(["ill", "well"]).with_absent("away")
    for possible in ("away", "ill"):
        known = Policy(secrets, records=1, constraints=[count([possible], equals=1)])
        response = RandomizedResponse(secrets.vertices, ratio=2).channel
        for release in ((response,), (GeometricNoise(ratio=2), counting_query(["ill"]))):
            found = individual_leakage(release[0], known, *release[1:], absent="away")
            assert (found.factor, found.value, found.presence, found.after) == (1, 1, 1, 1)


def test_what_does_not_fit_is_said() -> None:
    policy = Policy(SecretGraph.complete(2), records=2)
    with pytest.raises(InvalidInput, match="expected a channel"):
        individual_leakage("noise", policy)
    with pytest.raises(Mismatch, match="must see every answer, not so 2"):
        individual_leakage(Channel.identity(2), policy, SumQuery())
