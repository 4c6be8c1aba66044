"""Policies with public counts, small enough to list all databases."""

import itertools
import random
from fractions import Fraction
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidPolicy
from leaktight.policies.constraint import count
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph

MOST_RECORDS = {2: 6, 3: 5, 4: 4}


def random_counted_policy(rng: random.Random, told: bool = False) -> Policy:
    """Up to 4 values, 6 records, 3 counts; any secret graph, equalities and ranges.

    If ``told``, some counts are public whatever they are.
    """
    while True:
        values = rng.randint(2, 4)
        records = rng.randint(2, MOST_RECORDS[values])
        pairs = list(itertools.combinations(range(values), 2))
        edges = pairs if rng.random() < 0.4 else rng.sample(pairs, rng.randint(1, len(pairs)))
        counts = []
        for _ in range(rng.randint(1, 3)):
            some = rng.sample(range(values), rng.randint(1, values))
            least = rng.randint(0, records)
            if told and rng.random() < 0.5:
                counts.append(count(some, published=True))
            elif rng.random() < 0.6:
                counts.append(count(some, equals=least))
            else:
                counts.append(count(some, at_least=least, at_most=rng.randint(least, records)))
        try:
            return Policy(
                SecretGraph.from_indices(range(values), edges), records, constraints=counts
            )
        except InvalidPolicy:
            continue


def random_response(rng: random.Random, policy: Policy) -> Channel:
    """What is seen of one record: randomised response, or anything; now and then with a zero."""
    size = policy.secrets.order
    if rng.random() < 0.4:
        rows = [[3 if x == z else 1 for z in range(size)] for x in range(size)]
    else:
        least = 0 if rng.random() < 0.2 else 1
        rows = [[rng.randint(least, 5) for _ in range(size)] for _ in range(size)]
        rows = [row if any(row) else [1] * size for row in rows]
    return Channel.normalised(rows)


def apart(a: Any, b: Any) -> Fraction:
    """The sum of the absolute differences of two answers."""
    one, other = (x if isinstance(x, tuple) else (x,) for x in (a, b))
    return sum(
        (abs(Fraction(x) - Fraction(y)) for x, y in zip(one, other, strict=True)), Fraction()
    )
