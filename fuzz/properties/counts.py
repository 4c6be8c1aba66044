"""What is told under public counts, of one person? All databases, one by one, in fractions."""

from fractions import Fraction
from itertools import product
from math import inf
from typing import Any
from unittest.mock import patch

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.channels import noise_on_sums
from leaktight.leakage import margin_leakage, posterior_bound, published_counts
from leaktight.leakage.uninformed import UninformedGuess, uninformed_guess
from leaktight.policies import MostCommonQuery, SumQuery, counting_query


def counted(draw: Draw) -> Any:
    """A graph, a number of records, some counts that a database has, and a prior.

    A count is its values, how much lower and higher it may be, and whether it is published.
    """
    on = drawn.graph(draw, 2, 4)
    records = draw.integer(1, max(k for k in range(1, 7) if on[0] ** k <= 256))
    database = [draw.below(on[0]) for _ in range(records)]
    counts = []
    for _ in range(draw.integer(1, 3)):
        some, told = draw.subset(on[0]), draw.below(3) == 2
        room = [0, 0] if told or draw.maybe() else [draw.below(3), draw.below(3)]
        number = sum(v in some for v in database)
        counts.append([some, max(0, number - room[0]), min(records, number + room[1]), told])
    return [on, records, counts, drawn.prior(draw, on[0])]


def read(case: Any) -> Any:
    """The policy, the databases that agree with its named counts, their chances, and a prior."""
    (order, edges), records, counts, prior = case
    public = [
        lt.count(some, published=True) if told else lt.count(some, at_least=low, at_most=high)
        for some, low, high, told in counts
    ]
    policy = lt.Policy(lt.Graph(order, edges), records, constraints=public)
    weights = [Fraction(p) for p in prior]
    chances = [p / sum(weights) for p in weights]
    databases = [
        d
        for d in product(range(order), repeat=records)
        if all(told or low <= sum(v in some for v in d) <= high for some, low, high, told in counts)
    ]
    each = [_product(chances[v] for v in d) for d in databases]
    return policy, databases, each, [str(p) for p in chances]


def _product(numbers: Any) -> Fraction:
    found = Fraction(1)
    for number in numbers:
        found *= number
    return found


def _query(kind: Any) -> Any:
    if isinstance(kind, list):
        return counting_query(kind)
    return SumQuery() if kind == "sum" else MostCommonQuery()


def _guessed(
    databases: list[Any], chances: list[Fraction], rows: list[list[Fraction]]
) -> tuple[Fraction, Fraction]:
    """The best guess of the first record before and after; all records are alike."""
    values = sorted({d[0] for d in databases})
    table = [[Fraction(0)] * len(rows[0]) for _ in values]
    for d, p, row in zip(databases, chances, rows, strict=True):
        part = table[values.index(d[0])]
        for z, seen in enumerate(row):
            part[z] += p * seen
    total = sum(chances, Fraction(0))
    after = sum((max(column) for column in zip(*table, strict=True)), Fraction(0))
    return max(sum(part, Fraction(0)) for part in table) / total, after / total


def _enclosed(found: UninformedGuess, true: tuple[Fraction, Fraction]) -> None:
    assert found.before == true[0]
    assert Fraction(found.lower) <= true[1] <= Fraction(found.upper)
    assert not found.is_exact or found.upper == true[1]
    assert Fraction(found.upper) - Fraction(found.lower) < Fraction(1, 10**11)
    assert Fraction(found.upper) >= found.before


@searched(
    case=counted,
    of=lambda d: d.subset(4),
    ratio=lambda d: d.pick(("2", "3/2", "10", "1001/1000")),
)
def noise_under_counts(case: Any, of: list[int], ratio: str) -> int:
    """A noisy count under public counts tells more of one person, by either route, than is said."""
    policy, databases, chances, prior = read(case)
    of = [v for v in of if v < policy.secrets.order] or [0]
    noise, query = lt.GeometricNoise(ratio=ratio), counting_query(of)
    compared = 0
    for most in (64, 1):  # in rationals, and in floats as for many records
        with patch.object(noise_on_sums, "MOST_EXACT", most):
            found = uninformed_guess(noise, policy, query, prior)
        answers = [sum(v in of for v in d) for d in databases]
        n = policy.records
        rows = [
            [noise.tail(1 + a), *(noise.pmf(z - a) for z in range(n + 1)),
             noise.tail(n + 1 - a)]
            for a in answers
        ]  # fmt: skip
        _enclosed(found, _guessed(databases, chances, rows))
        compared += 1
    return compared


def released(draw: Draw) -> Any:
    """Counts, a query, and a table of weights with a row for each answer."""
    case = counted(draw)
    kind = draw.pick(("sum", "most common", "count"))
    asked: Any = draw.subset(case[0][0]) if kind == "count" else kind
    return [case, asked, drawn.table(draw, 19, draw.integer(1, 3))]


@searched(case=released)
def answers_under_counts(case: Any) -> int:
    """A channel on answers under public counts tells more, or makes odds larger, than is said."""
    counts, kind, table = case
    policy, databases, chances, prior = read(counts)
    query = _query(kind)
    answers = list(dict.fromkeys(map(query, product(range(counts[0][0]), repeat=policy.records))))
    weights = direct.normalised([table[i % len(table)] for i in range(len(answers))])
    shown = dict(zip(answers, weights, strict=True))
    channel = direct.channel_of(weights, inputs=answers)
    compared = 0
    if not any(one.is_published for one in policy.constraints):
        found = uninformed_guess(channel, policy, query, prior)
        _enclosed(found, _guessed(databases, chances, [shown[query(d)] for d in databases]))
        compared += 1
    odds = posterior_bound(channel, policy, query, prior)
    # Of counts that are published, every result by itself.
    told = [one.values for one in policy.constraints if one.is_published]
    results: dict[Any, Any] = {}
    for d, p in zip(databases, chances, strict=True):
        seen = results.setdefault(tuple(sum(v in some for v in d) for some in told), {})
        part = seen.setdefault(d[0], [Fraction(0)] * len(table[0]))
        for z, q in enumerate(shown[query(d)]):
            part[z] += p * q
    for seen in results.values():
        own = {v: sum(part) for v, part in seen.items() if any(part)}
        for u, v, z in product(own, own, range(len(table[0]))):
            a, b = seen[u][z] * own[v], seen[v][z] * own[u]
            assert odds.ratio == inf or a <= Fraction(odds.ratio) * b
            compared += 1
    return compared


@searched(case=counted)
def published_counts_tell(case: Any) -> int:
    """Counts that are published tell more on average, the named ones given, than is said."""
    policy, databases, chances, prior = read(case)
    compared = 0
    for most in (64, 0):
        with patch.object(published_counts, "MOST_EXACT", most):
            found = margin_leakage(policy, prior)
        if found.are_named:
            before, after = _guessed(databases, chances, [[Fraction(1)]] * len(databases))
            assert found.after == before == after
        else:
            told = [one.values for one in policy.constraints if one.is_published]
            results = [tuple(sum(v in some for v in d) for some in told) for d in databases]
            names = sorted(set(results))
            rows = [[Fraction(int(each == name)) for name in names] for each in results]
            before, after = _guessed(databases, chances, rows)
            assert found.average is not None
            assert found.average[0] <= after <= found.average[1] == found.after
            assert found.after >= before
        compared += 1
    return compared
