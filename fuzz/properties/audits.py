"""Does an audit say what is so? The whole way from a study to what is printed."""

import math
from fractions import Fraction
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.property import searched


@searched(case=lambda d: drawn.channel_on_graph(d, drawn.WEIGHTS, 3), ratio=drawn.ratio)
def verdicts(case: Any, ratio: str) -> int:
    """A mechanism is called private that is not, or an audit shows less than there is."""
    graph, table = case
    rows = direct.normalised(table)
    policy = lt.Policy(direct.graph_of(graph))
    found: Any = lt.audit(lt.Study(policy, direct.channel_of(rows), ratio=ratio, observations=2))
    level, asked = direct.level(rows, graph[1]), Fraction(ratio)
    assert found.holds == (level <= asked)
    assert found.verdict.line.startswith("PASS") == found.holds
    assert (found.privacy.level.ratio or math.inf) == level
    if level != math.inf:
        assert Fraction(found.privacy.level.epsilon) >= direct.logarithm(Fraction(level))
    worst = found.worst_case.bits - math.log2(direct.worst_case(graph[0], graph[1], asked))
    assert -1e-6 < worst < 1e-6 or not found.worst_case.is_exact
    told = found.person.informed
    assert told.factor == direct.sum_of_maxima(rows)
    assert Fraction(told.bits) >= direct.logarithm(told.factor) / direct.logarithm(Fraction(2))
    even = [Fraction(1, len(rows))] * len(rows)
    after = sum(max(p * k for p, k in zip(even, c, strict=True)) for c in zip(*rows, strict=True))
    assert told.after[0].value == after
    assert found.person.any_mechanism.after[0].value >= after or not found.holds
    return 8
