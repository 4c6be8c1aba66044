"""What does an attacker believe after an observation? Bayes' rule, entry by entry.

A second route beside what ``privacy`` computes.
"""

import math
import random
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, TypeAlias

from leaktight.channels import Channel, Distribution
from leaktight_papers.evidence import drawn_channel, drawn_prior

Belief: TypeAlias = Mapping[Any, Fraction]
"""The probability of each possible input."""

GAP = Fraction(1, 10**8)
"""How little an attacker believes of what is breached nearly as much as it can be."""


def belief(prior: Distribution) -> dict[Any, Fraction]:
    """Return an exact prior as a dictionary.

    >>> belief(Distribution(["1/3", "2/3"]))
    {0: Fraction(1, 3), 1: Fraction(2, 3)}
    """
    return {x: Fraction(p) for x, p in prior.items()}


def proper_sets(inputs: Sequence[Hashable]) -> list[tuple[Hashable, ...]]:
    """List the sets of inputs that are neither empty nor everything.

    >>> proper_sets("abc")
    [('a',), ('b',), ('c',), ('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    return [some for k in range(1, len(inputs)) for some in combinations(inputs, k)]


def drawn_sets(seed: int, inputs: int) -> Iterator[tuple[Channel, Belief, tuple[Hashable, ...]]]:
    """Draw 20 channels with three outputs, and a prior for each; list all proper sets of inputs.

    >>> len(list(drawn_sets(1, 3)))
    120
    """
    draw = random.Random(seed)
    for _ in range(20):
        channel, prior = drawn_channel(range(inputs), 3, draw), drawn_prior(range(inputs), draw)
        yield from ((channel, prior, subset) for subset in proper_sets(channel.inputs))


def after_each(channel: Channel, prior: Belief, subset: Iterable[Hashable]) -> list[Fraction]:
    """Return p(Q|y) for each output y that can occur, by Bayes' rule.

    >>> from leaktight_papers.evidence import RESPONSE
    >>> after_each(RESPONSE, {0: Fraction(1, 3), 1: Fraction(2, 3)}, [0])
    [Fraction(1, 2), Fraction(1, 5)]
    """
    inside, found = set(subset), []
    for y in channel.outputs:
        joint = {x: p * Fraction(channel[x, y]) for x, p in prior.items()}
        if seen := sum(joint.values()):
            found.append(Fraction(sum(p for x, p in joint.items() if x in inside)) / seen)
    return found


def worst_move(channel: Channel, prior: Belief, subset: Iterable[Hashable]) -> Fraction | float:
    """Return the largest of p(Q|y)/p(Q) and p(Q)/p(Q|y) over all outputs y.

    >>> from leaktight_papers.evidence import RESPONSE
    >>> worst_move(RESPONSE, {0: Fraction(1, 3), 1: Fraction(2, 3)}, [0])
    Fraction(5, 3)
    """
    inside = set(subset)
    before = Fraction(sum(p for x, p in prior.items() if x in inside))
    after = after_each(channel, prior, inside)
    return max(max(p / before, before / p) if p else math.inf for p in after)


def column_ratio(channel: Channel) -> Fraction | float:
    """Return max_y π_M/π_m, columns of zeros aside.

    >>> from leaktight_papers.evidence import RESPONSE
    >>> column_ratio(RESPONSE)
    Fraction(2, 1)
    """
    columns = [[Fraction(channel[x, y]) for x in channel.inputs] for y in channel.outputs]
    return max(max(c) / min(c) if min(c) else math.inf for c in columns if max(c))
