"""What does a release tell of one person? All databases, one by one, in fractions."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.leakage import uninformed_guess
from leaktight.policies import counting_query


def question(draw: Draw) -> Any:
    """A policy, what its records see, and a prior on a record's value."""
    policy = drawn.policy(draw, 9)
    on = draw.pick(("database", "record", "count"))
    rows = {"database": 9, "record": 3, "count": 4}[on]
    return [policy, on, drawn.table(draw, rows, draw.integer(1, 3)), drawn.prior(draw, 4)]


def released(case: Any) -> Any:
    """The policy, the mechanism and query, the databases, what is seen of each, and the chances."""
    policy, on, table, prior = case
    size, records = policy[0][0], policy[1]
    asked = direct.policy_of(policy)
    databases = direct.databases_of(policy)
    names = [d[0] if records == 1 else d for d in databases]
    table = direct.normalised(table)
    counted = [v for v in range(size) if v % 2 == 0]
    query: Any = None
    if on == "database" or (on == "record" and records == 1):
        rows = [table[i % len(table)] for i in range(len(databases))]
        channel = direct.channel_of(rows, inputs=names)
    elif on == "record":
        one = [table[v % len(table)] for v in range(size)]
        rows = [[_product(c) for c in product(*(one[v] for v in d))] for d in databases]
        channel = direct.channel_of(one)
    else:
        query = counting_query(counted)
        answers = [sum(v in counted for v in d) for d in databases]
        shown = [table[k % len(table)] for k in range(records + 1)]
        rows = [shown[k] for k in answers]
        channel = direct.channel_of(shown, inputs=range(records + 1))
        if records == 1:
            query = dict(zip(names, answers, strict=True))
    weights = [Fraction(p) for p in prior[:size]]
    weights[0] += not any(weights)
    return asked, channel, query, databases, rows, [p / sum(weights) for p in weights]


def _product(numbers: Any) -> Fraction:
    found = Fraction(1)
    for number in numbers:
        found *= number
    return found


@searched(case=question)
def all_others_known(case: Any) -> int:
    """Somebody who knows all others guesses one person better than is said."""
    asked, channel, query, databases, rows, chances = released(case)
    factors, guesses = [], []
    for record in range(asked.records):
        groups: dict[Any, list[int]] = {}
        for at, d in enumerate(databases):
            groups.setdefault((*d[:record], *d[record + 1 :]), []).append(at)
        for alike in groups.values():
            factors.append(direct.sum_of_maxima([rows[i] for i in alike]))
            own = [chances[databases[i][record]] for i in alike]
            if whole := sum(own):
                columns = zip(*(rows[i] for i in alike), strict=True)
                after = sum(max(p * k for p, k in zip(own, c, strict=True)) for c in columns)
                guesses.append(after / whole)
    prior = {v: str(p) for v, p in enumerate(chances)}
    found = lt.individual_leakage(channel, asked, query, prior)
    assert found.factor == max(factors)
    assert found.after == max(guesses)
    return 2


@searched(case=question)
def nobody_known(case: Any) -> int:
    """Somebody who knows nobody guesses one person better than is said, or another one."""
    asked, channel, query, databases, rows, chances = released(case)
    weights = [_product(chances[v] for v in d) for d in databases]
    found = uninformed_guess(channel, asked, query, {v: str(p) for v, p in enumerate(chances)})
    guesses = []
    for record in range(asked.records):
        values = sorted({d[record] for d in databases})
        table = [
            [
                sum(
                    w * row[z]
                    for w, row, d in zip(weights, rows, databases, strict=True)
                    if d[record] == v
                )
                for v in values
            ]
            for z in range(len(rows[0]))
        ]
        after = sum(max(column) for column in table) / sum(weights)
        guesses.append((after, max(sum(c) for c in zip(*table, strict=True)) / sum(weights)))
    assert Fraction(found.lower) <= max(guesses)[0] <= Fraction(found.upper)
    whose = guesses if found.record is None else [guesses[found.record - 1]]
    assert not found.is_exact or set(whose) == {(found.upper, found.before)} == {max(guesses)}
    return 2


@searched(
    records=lambda d: d.integer(1, 6),
    ratio=lambda d: d.pick(("2", "3/2", "10", "1001/1000")),
    share=lambda d: d.integer(1, 9),
)
def noisy_counts(records: int, ratio: str, share: int) -> int:
    """A noisy count of a few records tells more of one person than is said."""
    policy, noise, query, prior = asked_to_count(records, ratio, share)
    q, p = Fraction(10 - share, 10), Fraction(share, 10)
    found = lt.individual_leakage(noise, policy, query, prior)
    assert found.factor == 2 / (1 + 1 / Fraction(ratio))
    guess = uninformed_guess(noise, policy, query, prior)
    true = guessed_by_count(records, 1 / Fraction(ratio), q, p)
    assert Fraction(guess.lower) <= true <= Fraction(guess.upper)
    return 2


@searched(
    records=lambda d: d.integer(65, 90),
    ratio=lambda d: d.pick(("2", "3/2", "10", "1001/1000")),
    share=lambda d: d.integer(1, 9),
)
def noisy_counts_of_many(records: int, ratio: str, share: int) -> None:
    """A noisy count of many records, enclosed in floats, tells more of one person than is said."""
    policy, noise, query, prior = asked_to_count(records, ratio, share)
    guess = uninformed_guess(noise, policy, query, prior)
    with localcontext(Context(prec=60)):
        fall = (
            Decimal(1) / Decimal(float(Fraction(ratio)))
            if "/" not in ratio
            else (Decimal(ratio.partition("/")[2]) / Decimal(ratio.partition("/")[0]))
        )
        q, p = Decimal(10 - share) / 10, Decimal(share) / 10
        true = Fraction(guessed_by_count(records, fall, q, p))
    slack = Fraction(1, 10**50)
    assert Fraction(guess.lower) <= true + slack
    assert Fraction(guess.upper) >= true - slack


def asked_to_count(records: int, ratio: str, share: int) -> Any:
    """A policy of yes and no, geometric noise, the number of yes, and a prior."""
    policy = lt.Policy(lt.SecretGraph.complete(2), records)
    prior = [f"{10 - share}/10", f"{share}/10"]
    return policy, lt.GeometricNoise(ratio=ratio), counting_query([1]), prior


def guessed_by_count(n: int, c: Any, q: Any, p: Any) -> Any:
    """The chance of the best guess of one of n records, each 1 with chance p, by their noisy sum.

    Outputs below 0 tell the same as 0, and those above n as n.
    """
    others = [comb(n - 1, k) * p**k * q ** (n - 1 - k) for k in range(n)]
    powers = [c**k for k in range(n + 1)]
    total = c * 0
    for z in range(n + 1):
        scale = 1 if z in (0, n) else 1 - c
        shown = [scale / (1 + c) * powers[abs(z - count)] for count in range(n + 1)]
        total += max(
            q * sum(s * shown[k] for k, s in enumerate(others)),
            p * sum(s * shown[k + 1] for k, s in enumerate(others)),
        )
    return total
