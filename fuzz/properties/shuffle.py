"""What do shuffled answers tell of one person? All answers that people may give, in fractions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod
from typing import Any

from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.channels import Shuffled
from leaktight.leakage import individual_leakage
from leaktight.policies import Graph, Policy, SecretGraph
from leaktight.privacy import shuffled_delta


def shuffled(draw: Draw) -> Any:
    """How each value is answered, how many people there are, and a ratio."""
    return [drawn.channel(draw, drawn.WEIGHTS, 2, 3), draw.integer(1, 3), drawn.ratio(draw)]


@searched(case=shuffled)
def told_by_a_crowd(case: Any) -> int:
    """A histogram of answers tells more of one person, or needs more δ, than is said."""
    table, people, ratio = case
    rows = direct.normalised(table)
    values, answers, limit = range(len(rows)), range(len(rows[0])), Fraction(ratio)
    most: Any = Fraction(0)
    delta: Any = Fraction(0)
    for others in combinations_with_replacement(values, people - 1):
        seen: list[Counter[Any]] = [Counter() for _ in values]
        for v, given in product(values, product(answers, repeat=people)):
            chance = prod(rows[x][z] for x, z in zip((v, *others), given, strict=True))
            seen[v][tuple(sorted(given))] += chance
        shown: set[Any] = set().union(*seen)
        most = max(most, sum((max(row[h] for row in seen) for h in shown), Fraction(0)))
        for one, other in ((seen[0], seen[-1]), (seen[-1], seen[0])):
            apart = [one[h] - limit * other[h] for h in shown]
            delta = max(delta, sum((p for p in apart if p > 0), Fraction(0)))
    crowd = Shuffled(direct.channel_of(rows), people)
    policy = Policy(SecretGraph.complete(len(rows)), records=people)
    assert individual_leakage(crowd, policy).factor == most
    ends = Graph(len(rows), [(0, len(rows) - 1)] if len(rows) > 1 else [])
    assert shuffled_delta(crowd, ends, ratio=ratio).upper == delta
    return 2
