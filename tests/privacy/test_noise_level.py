"""How private noise on a sum is, and that it is refused where a sum is not of whole numbers."""

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.mechanisms import GeometricNoise, RoundedLaplace, calibrated
from leaktight.policies import (
    HistogramQuery,
    Policy,
    SecretGraph,
    SumQuery,
    answer_graph,
    count,
    counting_query,
    sensitivity,
)
from leaktight.privacy import noise_level, privacy_level


@pytest.mark.parametrize("values", [[0, 1], [0, 1, 3], [-2, 5]])
def test_the_level_is_that_of_the_noise_cut_off_beyond_all_answers(values: list[int]) -> None:
    policy, noise = Policy(SecretGraph.line(values), records=2), GeometricNoise(ratio=2)
    answers = answer_graph(policy, sum)
    cut_off = noise.truncated(2 * min(values), 2 * max(values)).channel.restrict(answers.vertices)
    assert noise_level(noise, policy, SumQuery()).ratio == privacy_level(cut_off, answers).ratio


@pytest.mark.parametrize("records", [1, 2, 3, 4])
def test_noise_that_is_cut_off_at_an_answer_is_not_said_to_attain_its_level(records: int) -> None:
    """Laplace's noise on one bit tells 0 from 1 by less than beyond both, where nothing is seen."""
    policy, ill = Policy(SecretGraph.complete(2), records), counting_query([1])
    noise = RoundedLaplace(range(records + 1), ratio=3)
    true = privacy_level(noise.channel, answer_graph(policy, ill)).ratio
    level = noise_level(noise, policy, ill)
    assert level.attained <= true <= level.ratio
    assert (true < level.ratio) == (records == 1)
    assert level.is_exact == (records > 2)


@pytest.mark.parametrize("told", [(), (count([0], equals=1),)])
def test_sums_of_other_than_whole_numbers_are_refused(told: tuple[object, ...]) -> None:
    # Noise on whole numbers would tell 0 from 1/2 with certainty.
    halves = SecretGraph.complete([0, Fraction(1, 2), 1])
    policy = Policy(halves, records=3, constraints=told)  # type: ignore[arg-type]
    with pytest.raises(InvalidNumber, match="needs whole numbers, got 1/2"):
        noise_level(GeometricNoise(ratio=2), policy, SumQuery())


def test_the_cells_of_a_histogram_count_each() -> None:
    bands = Policy(SecretGraph.complete(["low", "high"]), records=1000)
    level = noise_level(GeometricNoise(ratio=3), bands, HistogramQuery(("low", "high")))
    assert level.ratio == 9
    assert level.witness is not None
    assert {level.witness.input, level.witness.neighbour} == {"low", "high"}


def test_databases_that_are_listed_are_neighbours_as_they_are() -> None:
    both = Policy(SecretGraph.complete(["no", "yes"]), 2, databases=[("no",) * 2, ("yes",) * 2])
    level = noise_level(GeometricNoise(ratio=2), both, counting_query(["yes"]))
    assert level.ratio == 4  # the two answers are 2 apart
    assert level.witness is not None
    assert {level.witness.input, level.witness.neighbour} == {("no",) * 2, ("yes",) * 2}


def _public(rng: random.Random) -> Policy:
    """Return a policy of few records that depend on each other, by something else than counts."""
    values = rng.sample(range(6), rng.randint(2, 3))
    n = rng.randint(1, 3)
    pairs = list(itertools.combinations(values, 2))
    secrets = SecretGraph(values, rng.sample(pairs, rng.randint(1, len(pairs))))
    every = list(itertools.product(values, repeat=n))
    databases = rng.sample(every, rng.randint(2, min(8, len(every))))
    named: list[Any] = databases if n > 1 else [d[0] for d in databases]
    kind = rng.choice(["databases", "predicate", "values"])
    if kind == "databases":
        return Policy(secrets, n, databases=named)
    if kind == "predicate":
        return Policy(secrets, n, predicate=lambda d: d in named)
    known = [rng.sample(values, rng.randint(1, len(values))) for _ in range(n)]
    held = sum(domain[0] == values[0] for domain in known)
    return Policy(secrets, n, values=known, constraints=count([values[0]], equals=held))


def _whole(policy: Policy, database: Any) -> tuple[Any, ...]:
    return (database,) if policy.records == 1 else database


def test_the_level_is_that_of_the_neighbours_whatever_is_public() -> None:
    rng = random.Random(26)
    seen = set[object]()
    for _ in range(150):
        policy = _public(rng)
        values = policy.secrets.vertices
        query = rng.choice([SumQuery(), counting_query(values[:1]), HistogramQuery(values[:2])])
        # Independently: each pair of neighbours, answered by adding up, by the law of the noise.
        gaps = [0]
        for a, b in policy.adjacency().explicit().edge_pairs():
            sums = [_sum(query, _whole(policy, database)) for database in (a, b)]
            gaps.append(sum(abs(x - y) for x, y in zip(*sums, strict=True)))
        assert noise_level(GeometricNoise(ratio=2), policy, query).ratio == 2 ** max(gaps)
        assert sensitivity(policy, query).value == max(gaps)
        seen.add((max(gaps), policy.records))
        found = calibrated(policy, query, ratio=5)
        assert noise_level(found.mechanism, policy, query).ratio <= 5  # type: ignore[arg-type]
        assert found.steps == max(1, *gaps)
        each = calibrated(policy, ratio=5)
        ends = [map(_whole, (policy,) * 2, e) for e in policy.adjacency().explicit().edge_pairs()]
        moves = max((sum(x != y for x, y in zip(a, b, strict=True)) for a, b in ends), default=0)
        assert policy.reach.value == moves
        assert each.steps == max(1, moves)
        assert each.step**moves <= 5  # each record that changes is told apart so well
    assert len(seen) > 10


def _sum(query: Any, database: tuple[Any, ...]) -> tuple[int, ...]:
    if isinstance(query, SumQuery):
        return (sum(database),)
    if isinstance(query, HistogramQuery):
        return tuple(database.count(cell) for cell in query.cells)
    return (sum(value in query.values for value in database),)


def test_what_is_too_large_to_list_is_refused() -> None:
    policy = Policy(SecretGraph.complete(2), 40, predicate=lambda d: sum(d) == 20)
    with pytest.raises(TooLarge):
        noise_level(GeometricNoise(ratio=2), policy, SumQuery())
    with pytest.raises(TooLarge):
        calibrated(policy, ratio=2)
