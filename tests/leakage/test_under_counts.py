"""One person under public counts, against all databases."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.channels.move_ratios import MoveRatios
from leaktight.errors import InvalidInput, Undecided
from leaktight.exact.numbers import fraction
from leaktight.leakage import published_counts, under_counts
from leaktight.leakage.under_counts import Coupling, margin_leakage, posterior_bound
from leaktight.mechanisms.geometric import GeometricNoise
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies import average_fibre
from leaktight.policies.constraint import Count, count
from leaktight.policies.margin import margin
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import MostCommonQuery, SumQuery, counting_query
from leaktight.privacy.level import privacy_level


def beliefs(rng: random.Random, values: int) -> list[Fraction]:
    weights = [rng.randint(1, 4) for _ in range(values)]
    return [Fraction(weight, sum(weights)) for weight in weights]


def given_value(
    policy: Policy, prior: dict[Any, Fraction], channel: Channel
) -> tuple[dict[Any, Fraction], dict[Any, dict[tuple[Any, ...], Fraction]]]:
    """P(v) and P(z|v) of the first record given the counts, over all databases and outputs."""
    chance: dict[Any, Fraction] = {}
    seen: dict[Any, dict[tuple[Any, ...], Fraction]] = {}
    for database in policy.databases():
        whole: tuple[Any, ...] = database  # type: ignore[assignment]
        weight = math.prod((prior[v] for v in whole), start=Fraction(1))
        v = whole[0]
        chance[v] = chance.get(v, Fraction(0)) + weight
        row = seen.setdefault(v, {})
        for z in itertools.product(channel.outputs, repeat=len(whole)):
            p = math.prod(
                (Fraction(channel[x, y]) for x, y in zip(whole, z, strict=True)), start=weight
            )
            row[z] = row.get(z, Fraction(0)) + p
    total = sum(chance.values())
    return (
        {v: p / total for v, p in chance.items()},
        {v: {z: p / chance[v] for z, p in row.items()} for v, row in seen.items() if chance[v]},
    )


def largest_odds(seen: dict[Any, dict[tuple[Any, ...], Fraction]]) -> Fraction:
    """The largest P(z|u)/P(z|v)."""
    return max(row[z] / other[z] for row in seen.values() for other in seen.values() for z in row)


def disjoint(rng: random.Random) -> Iterator[tuple[int, int, list[Count]]]:
    """Values, records, and counts on disjoint sets that some database has."""
    for _ in range(14):
        values, records = rng.randint(2, 3), rng.randint(2, 4)
        database = [rng.randrange(values) for _ in range(records)]
        places = [rng.randrange(3) for _ in range(values)]
        sets = [[v for v in range(values) if places[v] == part] for part in range(2)]
        yield (
            values,
            records,
            [count(some, equals=sum(v in some for v in database)) for some in sets if some],
        )


def test_the_odds_about_one_person_move_no_more_than_those_who_change_places() -> None:
    rng = random.Random(7)
    attained = 0
    for values, records, counts in disjoint(rng):
        if not counts:
            continue
        policy = Policy(SecretGraph.complete(values), records, constraints=counts)
        prior = dict(enumerate(beliefs(rng, values)))
        rows = [[rng.randint(1, 4) for _ in range(2)] for _ in range(values)]
        channel = Channel.normalised(rows)
        chances, seen = given_value(policy, prior, channel)
        found = posterior_bound(channel, policy, prior=list(prior.values()))
        truth = largest_odds(seen)
        assert truth <= found.ratio
        attained += truth == found.ratio
        assert found.before == max(chances.values())
        level = privacy_level(Parallel(((channel, records),)), policy).ratio
        assert found.ratio <= level  # two records change; neighbours may change more
        assert posterior_bound(level, policy, prior=list(prior.values())).ratio == level
        after = max(
            chances[v] * seen[v][z] / sum(chances[w] * seen[w][z] for w in seen)
            for v in seen for z in seen[v]
        )  # fmt: skip
        assert after <= found.after
    assert attained


def test_margins_that_are_independent() -> None:
    values = [(a, b) for a in range(2) for b in range(2)]
    counts = [
        count([v for v in values if v[0]], equals=1),
        count([v for v in values if v[1]], equals=2),
    ]
    policy = Policy(SecretGraph.complete(values), 3, constraints=counts)
    one, other = [Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 4), Fraction(3, 4)]
    prior = {(a, b): one[a] * other[b] for a, b in values}
    for channel in (
        RandomizedResponse(values, ratio=2).channel,
        Channel.normalised([[1, 4], [2, 3], [3, 3], [5, 1]], values),
    ):
        chances, seen = given_value(policy, prior, channel)
        found = posterior_bound(channel, policy, prior=prior)
        assert largest_odds(seen) <= found.ratio
        assert found.before == max(chances.values())
        assert found.others == 2
    response = RandomizedResponse(values, ratio=2, records=3)
    assert posterior_bound(response.response, policy, prior=prior).ratio == 8
    assert privacy_level(response.survey, policy).ratio == 8
    many = Policy(SecretGraph.complete(values), 10**6, constraints=[
        count(one.values, equals=300_000) for one in counts
    ])  # fmt: skip
    asked = RandomizedResponse(values, ratio=2, records=10**6)
    assert privacy_level(asked.survey, many).ratio == 16
    assert posterior_bound(asked.response, many, prior=prior).ratio == 8
    three = [(a, b) for a in range(3) for b in range(3)]
    tables = [
        *margin(three, 0, {0: 300, 1: 300, 2: 400}),
        *margin(three, 1, {0: 500, 1: 300, 2: 200}),
    ]
    dependent = Policy(SecretGraph.complete(three), 1000, constraints=tables)
    correlated = {v: Fraction(1 + (v[0] == v[1]), 12) for v in three}
    with pytest.raises(Undecided, match="depend on each other"):
        posterior_bound(RandomizedResponse(three, ratio=2).channel, dependent, prior=correlated)


def overlapping(rng: random.Random) -> Iterator[tuple[Policy, list[Fraction]]]:
    """Counts on any sets that some database has, and a prior."""
    for _ in range(60):
        values = rng.randint(3, 5)
        records = rng.randint(2, 5 if values == 3 else 3)
        database = [rng.randrange(values) for _ in range(records)]
        sets = [rng.sample(range(values), rng.randint(1, values - 1)) for _ in range(3)]
        counts = [count(some, equals=sum(v in some for v in database)) for some in sets]
        policy = Policy(SecretGraph.complete(values), records, constraints=counts)
        yield policy, beliefs(rng, values)


def test_a_coupling_bounds_the_odds_where_counts_overlap() -> None:
    rng = random.Random(11)
    attained = 0
    for policy, prior in overlapping(rng):
        rows = [[rng.randint(1, 4) for _ in range(2)] for _ in prior]
        channel = Channel.normalised(rows)
        chances, seen = given_value(policy, dict(enumerate(prior)), channel)
        found = Coupling.of(policy, prior)
        assert [fraction(p) for p in found.given()] == [
            chances.get(v, Fraction(0)) for v in range(len(prior))
        ]
        truth = largest_odds(seen)
        bound = found.ratio(MoveRatios.of([channel], policy.secrets.vertices).ratios)
        assert truth <= bound
        attained += truth == bound
        level = privacy_level(Parallel(((channel, policy.records),)), policy).ratio
        assert truth <= level**found.steps
        odds = posterior_bound(channel, policy, prior=prior)
        assert truth <= odds.ratio
    assert attained


def test_no_coupling_changes_fewer_than_the_one_that_is_found() -> None:
    """By Strassen's theorem: some set of histograms is likelier than all that are near to it."""
    rng = random.Random(5)
    shown = 0
    for policy, prior in overlapping(rng):
        found = Coupling.of(policy, prior)
        if not found.others:
            continue
        sides = [
            {h: w / sum(each.values()) for h, w in each.items()} for each in found.weights if each
        ]
        for one, other in itertools.permutations(sides, 2):
            for size in range(1, min(len(one), 8) + 1):
                for some in itertools.combinations(one, size):
                    near = [
                        h for h in other
                        if any(
                            sum(abs(a - b) for a, b in zip(h, g, strict=True))
                            <= 2 * (found.others - 1)
                            for g in some
                        )
                    ]  # fmt: skip
                    shown += sum(one[g] for g in some) > sum(other[h] for h in near)
                    if shown:
                        break
                if shown:
                    break
        assert shown
        shown = 0


def test_tables_that_depend_on_each_other_are_known_where_histograms_are_few() -> None:
    values = [(a, b) for a in range(2) for b in range(2)]
    told = [*margin(values, 0, {0: 14, 1: 16}), *margin(values, 1, {0: 11, 1: 19})]
    policy = Policy(SecretGraph.complete(values), 30, constraints=told)
    prior = {v: Fraction(1 + 2 * (v[0] == v[1]), 8) for v in values}
    found = posterior_bound(RandomizedResponse(values, ratio=2).channel, policy, prior=prior)
    assert found.others == 2
    assert found.ratio == 8
    assert "another counts" not in found.assumes
    assert posterior_bound(3, policy, prior=prior).ratio == 3
    assert found.before == margin_leakage(policy, prior).after > Fraction(16 * 19, 30 * 30)


@pytest.mark.parametrize(
    ("rows", "columns"), [((2, 1), (1, 2)), ((2, 2), (1, 1, 2)), ((3, 1), (2, 2))]
)
def test_two_tables_that_depend_on_each_other(
    rows: tuple[int, int], columns: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One table has two categories: by conditional Bernoulli trials, whatever is believed."""
    rng = random.Random(sum(rows) + len(columns))
    values = [(a, b) for a in range(2) for b in range(len(columns))]
    told = [*margin(values, 0, dict(enumerate(rows))), *margin(values, 1, dict(enumerate(columns)))]
    policy = Policy(SecretGraph.complete(values), sum(rows), constraints=told)
    monkeypatch.setattr(under_counts, "MOST_HISTOGRAMS", 0)
    for _ in range(3):
        prior = dict(zip(values, beliefs(rng, len(values)), strict=True))
        channel = Channel.normalised([[rng.randint(1, 4) for _ in "ab"] for _ in values], values)
        chances, seen = given_value(policy, prior, channel)
        found = posterior_bound(channel, policy, prior=prior)
        assert largest_odds(seen) <= found.ratio
        assert max(chances.values()) <= found.before
        level = privacy_level(Parallel(((channel, sum(rows)),)), policy).ratio
        assert largest_odds(seen) <= level
        assert posterior_bound(level, policy, prior=prior).ratio == level
        if not found.is_exact:
            assert found.others == 3
            with pytest.raises(Undecided, match="only bounded"):
                margin_leakage(policy, prior)


def test_a_bound_on_what_counts_tell_is_near_for_many_records() -> None:
    values = [(a, b) for a in range(2) for b in range(3)]
    told = [
        *margin(values, 0, {0: 51_203, 1: 48_797}),
        *margin(values, 1, {0: 27_450, 1: 44_110, 2: 28_440}),
    ]
    policy = Policy(SecretGraph.complete(values), 100_000, constraints=told)
    # Believed as independent but for a hair: hardly more likely than if they were.
    prior = [Fraction(1, 6)] * 6
    prior[0] += Fraction(1, 10**6)
    prior[5] -= Fraction(1, 10**6)
    found = posterior_bound(3, policy, prior=prior)
    assert not found.is_exact
    assert found.ratio == 3
    apart = Fraction(51_203 * 44_110, 100_000**2)
    assert apart - Fraction(1, 10**4) < found.before < apart + Fraction(1, 500)


def test_it_fails_where_the_assumption_does() -> None:
    # A range: two records, at least one of them 1, each with chance 1/2. Both ways it is above λ.
    lam = Fraction(3)
    policy = Policy(SecretGraph.complete(2), 2, constraints=count([1], at_least=1))
    even = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    _, seen = given_value(policy, even, RandomizedResponse(2, ratio=3).channel)
    assert max(seen[0][z] / seen[1][z] for z in seen[0]) == 2 * lam**2 / (1 + lam)
    assert max(seen[1][z] / seen[0][z] for z in seen[0]) == lam * (1 + lam) / 2
    assert privacy_level(RandomizedResponse(2, ratio=3, records=2).survey, policy).ratio == lam
    with pytest.raises(Undecided, match="one number"):
        posterior_bound(lam, policy)
    # Records that copy each other: databases 00 and 11 differ in both, and what is seen of both
    # tells of one person: λ².
    copied = Policy(SecretGraph.complete(2), 2, databases=[(0, 0), (1, 1)])
    with pytest.raises(Undecided):
        posterior_bound(lam, copied)


def test_only_where_all_pairs_are_secrets_does_a_level_tell_of_one_person() -> None:
    policy = Policy(SecretGraph.line(3), 100, constraints=count([1], equals=40))
    with pytest.raises(Undecided, match="not all pairs"):
        posterior_bound(2, policy)
    assert posterior_bound(RandomizedResponse(3, ratio=2).channel, policy).ratio == 4


def test_what_counts_tell_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    for values, records, counts in disjoint(rng):
        if not counts:
            continue
        policy = Policy(SecretGraph.complete(values), records, constraints=counts)
        prior = beliefs(rng, values)
        found = margin_leakage(policy, prior)
        results: dict[tuple[int, ...], dict[int, Fraction]] = {}
        most: dict[tuple[int, ...], Fraction] = {}
        for database in itertools.product(range(values), repeat=records):
            told = tuple(sum(v in one.values for v in database) for one in counts)
            weight = math.prod((prior[v] for v in database), start=Fraction(1))
            chances = results.setdefault(told, {})
            chances[database[0]] = chances.get(database[0], Fraction(0)) + weight
            most[told] = max(most.get(told, Fraction(0)), weight)
        here = results[tuple(one.least for one in counts)]
        assert found.before == max(prior)
        assert found.after == max(here.values()) / sum(here.values())
        truth = sum(max(chances.values()) for chances in results.values())
        assert found.average == (truth, truth)
        with monkeypatch.context() as patched:
            patched.setattr(published_counts, "MOST_EXACT", 0)
            enclosed = margin_leakage(policy, prior).average
        assert enclosed is not None
        assert enclosed[0] <= truth <= enclosed[1]
        unnamed = [count(one.values, published=True) for one in counts]
        not_named = Policy(SecretGraph.complete(values), records, constraints=unnamed)
        whatever = margin_leakage(not_named, prior)
        assert whatever.after == truth
        assert not whatever.are_named
        assert found.factor == whatever.factor == len(results)


def told_on_average(policy: Policy, prior: Sequence[Fraction]) -> tuple[Fraction, Fraction] | None:
    """The best guess given the named counts, and on average over the others, by all databases."""
    named = [one for one in policy.constraints if not one.is_published]
    told = [one for one in policy.constraints if one.is_published]
    results: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for database in itertools.product(range(len(prior)), repeat=policy.records):
        if all(sum(v in one.values for v in database) == one.least for one in named):
            result = tuple(sum(v in one.values for v in database) for one in told)
            chances = results.setdefault(result, dict.fromkeys(range(len(prior)), Fraction(0)))
            chances[database[0]] += math.prod((prior[v] for v in database), start=Fraction(1))
    total = sum(sum(chances.values()) for chances in results.values())
    if not total:
        return None
    before = max(sum(chances[v] for chances in results.values()) for v in range(len(prior)))
    after = sum(max(chances.values()) for chances in results.values())
    return Fraction(before) / total, Fraction(after) / total


def test_named_counts_are_what_they_are_where_others_are_published() -> None:
    rng = random.Random(23)
    exact = enclosed = 0
    for _ in range(250):
        values, records = rng.randint(2, 4), rng.randint(1, 4)
        database = [rng.randrange(values) for _ in range(records)]
        told = []
        for _ in range(rng.randint(1, 3)):
            some = rng.sample(range(values), rng.randint(1, values - 1))
            number = sum(v in some for v in database)
            told.append(
                count(some, published=True) if rng.random() < 0.5 else count(some, equals=number)
            )
        prior = beliefs(rng, values)
        if rng.random() < 0.3:
            prior = [Fraction(0), *(p / (1 - prior[0]) for p in prior[1:])]
        policy = Policy(SecretGraph.complete(values), records, constraints=told)
        if not 0 < sum(one.is_published for one in told) < len(told):
            continue
        truth = told_on_average(policy, prior)
        for most in (64, 0):
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(published_counts, "MOST_EXACT", most)
                try:
                    found = margin_leakage(policy, prior)
                except Undecided:
                    continue
                except InvalidInput:
                    assert truth is None or not all(prior)
                    continue
            assert truth is not None
            assert found.before == max(prior)
            if found.are_named:  # what is published is also named, so that nothing is left open
                assert found.after == truth[0] == truth[1]
                continue
            assert found.average is not None
            assert found.average[0] <= truth[1] <= found.average[1]
            assert truth[0] <= found.after
            exact += found.average == (truth[1], truth[1])
            enclosed += found.average[0] < found.average[1]
    assert exact > 30
    assert enclosed > 30


def test_a_count_that_is_named_is_not_averaged_over() -> None:
    told = [count([1], equals=9), count([0], published=True)]
    found = margin_leakage(Policy(SecretGraph.complete(3), 10, constraints=told))
    assert found.after == Fraction(9, 10)  # whoever the tenth is
    assert posterior_bound(
        RandomizedResponse(3, ratio=2).channel,
        Policy(SecretGraph.complete(3), 10, constraints=told),
    ).before == Fraction(9, 10)
    # The same set named and published: it is known.
    both = [count([1], published=True), count([1], equals=9)]
    known = margin_leakage(Policy(SecretGraph.complete(3), 10, constraints=both))
    assert known.after == Fraction(9, 10)


def test_a_range_that_leaves_every_number_is_no_count() -> None:
    """It was once taken for its least number: that nobody has the value."""
    ranges = count([0], at_most=4), count([0], at_least=0), count([1, 2], at_most=9)
    tells = count([0], published=True), count([0], equals=1)
    for vacuous, told, records in itertools.product(ranges, tells, (1, 4)):
        one = Policy(SecretGraph.complete(3), records, constraints=told)
        both = Policy(SecretGraph.complete(3), records, constraints=[vacuous, told])
        assert margin_leakage(both) == margin_leakage(one)


def test_of_people_nearly_all_ill_a_published_margin_tells_the_rest() -> None:
    """A guess of ill and sex is right with 0.998 times E max(X, 1 − X), X the share of one sex."""
    people = [(ill, sex) for ill in ("ill", "well") for sex in ("f", "m")]
    told = [
        count([v for v in people if v[0] == "ill"], equals=998),
        *(count([v for v in people if v[1] == sex], published=True) for sex in ("f", "m")),
    ]
    found = margin_leakage(Policy(SecretGraph.complete(people), 1000, constraints=told))
    mean = Fraction(sum(math.comb(1000, k) * max(k, 1000 - k) for k in range(1001)), 2**1000 * 1000)
    truth = Fraction(998, 1000) * mean
    assert found.average is not None
    assert found.average[0] <= truth <= found.average[1] == found.after
    assert found.after < truth + Fraction(1, 50)
    # That so many are ill is known, also if how many are is published as well.
    again = [count(told[0].values, published=True), *told]
    assert margin_leakage(Policy(SecretGraph.complete(people), 1000, constraints=again)) == found


def test_counts_of_0_might_have_been_others() -> None:
    policy = Policy(SecretGraph.complete(2), 2, constraints=count([0], equals=0))
    assert margin_leakage(policy).factor == 3
    # That nobody has 0 or 1 tells all here, but 107/169 on average over what might have been.
    prior = dict(enumerate(Fraction(p, 13) for p in (2, 1, 5, 5)))
    sets, results = ((0, 3), (0, 1), (1, 2)), dict[Any, dict[int, Fraction]]()
    told = [count(some, equals=k) for some, k in zip(sets, (1, 0, 1), strict=True)]
    for a, b in itertools.product(range(4), repeat=2):
        chances = results.setdefault(tuple((a in some) + (b in some) for some in sets), {})
        chances[a] = chances.get(a, Fraction(0)) + prior[a] * prior[b]
    found = margin_leakage(Policy(SecretGraph.complete(4), 2, constraints=told), prior)
    truth = sum(max(chances.values()) for chances in results.values())
    assert found.average is not None
    assert found.average[0] <= truth <= found.average[1]
    assert found.factor == len(results)


def test_counts_that_the_prior_rules_out_are_refused() -> None:
    policy = Policy(SecretGraph.complete(3), 3, constraints=count([2], equals=1))
    prior = {0: Fraction(2, 3), 1: Fraction(1, 3), 2: Fraction(0)}
    for ask in (margin_leakage, lambda *each: posterior_bound(2, each[0], prior=each[1])):
        with pytest.raises(InvalidInput, match="rules out every database"):
            ask(policy, prior)


@pytest.mark.parametrize("records", [1, 2, 4])
def test_what_two_tables_tell_on_average_whatever_they_say(records: int) -> None:
    values = [(a, b) for a in range(2) for b in range(2)]
    one, other = [Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 4), Fraction(3, 4)]
    prior = {(a, b): one[a] * other[b] for a, b in values}
    told = [*margin(values, 0), *margin(values, 1)]
    policy = Policy(SecretGraph.complete(values), records, constraints=told)
    results: dict[tuple[int, ...], dict[Any, Fraction]] = {}
    for database in itertools.product(values, repeat=records):
        tables = (sum(v[0] for v in database), sum(v[1] for v in database))
        weight = math.prod((prior[v] for v in database), start=Fraction(1))
        chances = results.setdefault(tables, {})
        chances[database[0]] = chances.get(database[0], Fraction(0)) + weight
    truth = sum(max(chances.values()) for chances in results.values())
    found = margin_leakage(policy, prior)
    assert found.average is not None
    assert found.average[0] <= truth <= found.average[1] == found.after
    assert found.factor == len(results)
    # The odds move by no more than for tables that are named, on average from there on.
    asked = RandomizedResponse(values, ratio=2)
    odds = posterior_bound(asked.channel, policy, prior=prior)
    assert odds.ratio == 8
    assert odds.before == found.after
    many = Policy(SecretGraph.complete(values), 10**6, constraints=told)
    assert margin_leakage(many, prior).after < Fraction(1, 2) + Fraction(1, 500)


def test_how_many_results_counts_have_is_what_they_tell_of_all() -> None:
    told = [count([i], equals=10**8) for i in range(9)]
    policy = Policy(SecretGraph.complete(10), 10**9, constraints=told)
    found = margin_leakage(policy)
    assert found.factor == math.comb(10**9 + 9, 9)
    assert 250 < found.bits < 255


def test_noise_on_a_count_moves_the_odds_no_more_than_those_who_change_places() -> None:
    """Three records on three values, one count public; noise on another count, cut off far away."""
    prior = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    policy = Policy(SecretGraph.complete(3), 3, constraints=count([0], equals=1))
    noise, query = GeometricNoise(ratio=2), counting_query([0, 1])
    chance: dict[int, Fraction] = {}
    seen: dict[int, dict[int, Fraction]] = {}
    databases: tuple[Any, ...] = policy.databases()
    for database in databases:
        weight = math.prod((prior[v] for v in database), start=Fraction(1))
        chance[database[0]] = chance.get(database[0], Fraction(0)) + weight
        row = seen.setdefault(database[0], {})
        for z in range(-6, 10):
            p = weight * noise.pmf(z - query(database))
            row[z] = row.get(z, Fraction(0)) + p
    truth = max(
        (seen[u][z] / chance[u]) / (seen[v][z] / chance[v]) for u in seen for v in seen for z in row
    )
    found = posterior_bound(noise, policy, query, prior)
    assert 1 < truth <= found.ratio
    assert found.before == max(chance.values()) / sum(chance.values())


def test_a_channel_on_answers_is_seen_through_the_query() -> None:
    """One of four has 0; a sum of 6 says that all others have 2, which so is 75% likely."""
    policy = Policy(SecretGraph.complete(3), 4, constraints=count([0], equals=1))
    seen = [max(2, s) - 2 for s in range(9)]  # 3 to 8 exactly, and all below as one
    shown = Channel([[int(z == at) for z in range(7)] for at in seen])
    found = posterior_bound(shown, policy, SumQuery())
    assert (found.ratio, found.before, found.after) == (math.inf, Fraction(3, 8), Fraction(3, 4))


def test_odds_by_answers_agree_with_all_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly where the answers are gone through, and no less where only their ratio is known."""
    rng = random.Random(41)
    for policy, prior in overlapping(rng):
        values = policy.secrets.vertices
        query: Any = rng.choice(
            [SumQuery(), counting_query(rng.sample(range(len(prior)), 2)), MostCommonQuery()]
        )
        answers = list(dict.fromkeys(map(query, itertools.product(values, repeat=policy.records))))
        channel = Channel.normalised(
            [[rng.randint(0, 3), rng.randint(1, 3), 1] for _ in answers], answers
        )
        chance: dict[Any, Fraction] = {}
        seen: dict[Any, list[Fraction]] = {}
        databases: tuple[Any, ...] = policy.databases()
        for d in databases:
            weight = math.prod((prior[v] for v in d), start=Fraction(1))
            chance[d[0]] = chance.get(d[0], Fraction(0)) + weight
            row = seen.setdefault(d[0], [Fraction(0)] * 3)
            for z, output in enumerate(channel.outputs):
                row[z] += weight * Fraction(channel[query(d), output])
        ratio = max(
            math.inf if a[z] and not b[z] else (a[z] / chance[u]) / (b[z] / chance[v])
            for u, a in seen.items() for v, b in seen.items() for z in range(3) if a[z]
        )  # fmt: skip
        columns = [column for column in zip(*seen.values(), strict=True) if any(column)]
        after = max(max(column) / sum(column) for column in columns)
        found = posterior_bound(channel, policy, query, prior)
        assert (found.ratio, found.after) == (ratio, after)
        assert found.before == max(chance.values()) / sum(chance.values()) <= after
        with monkeypatch.context() as patched:
            patched.setattr(average_fibre, "MOST_STEPS", 0)
            bounded = posterior_bound(channel, policy, query, prior)
        assert ratio <= bounded.ratio
        assert after <= bounded.after


def test_the_ratio_of_answers_is_known_for_many_records() -> None:
    policy = Policy(SecretGraph.complete(3), 300, constraints=count([0], equals=100))
    noise = GeometricNoise(ratio=2).truncated(0, 300).channel
    found = posterior_bound(noise, policy, counting_query([1]))
    assert (found.ratio, found.before) == (2, Fraction(1, 3))
    # Not all pairs are secrets: of a line it is not known.
    line = Policy(SecretGraph.line(3), 300, constraints=count([0], equals=100))
    with pytest.raises(Undecided, match="not all pairs"):
        posterior_bound(noise, line, counting_query([1]))
