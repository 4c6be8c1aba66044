"""What could any private mechanism leak? The linear program of all channels, solved by scipy."""

from fractions import Fraction
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.check import check
from leaktight.worst_case import WorstCase, WorstCaseUnderCounts


def holds_together(found: WorstCase | WorstCaseUnderCounts, ratio: Fraction) -> None:
    """The mechanism is private and attains the lower end, and a stranger accepts the proof."""
    assert isinstance(found, WorstCase)
    mechanism = found.mechanism
    channel = mechanism if isinstance(mechanism, lt.Channel) else mechanism.expand()
    graph = found.graph.explicit()
    assert channel.inputs == graph.vertices
    rows = direct.rows_of(channel)
    assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
    assert direct.level(rows, graph.edges.tolist()) <= ratio
    assert direct.sum_of_maxima(rows) == found.lower
    assert found.lower <= found.upper
    proved = check(found.certificate)
    assert found.bits_interval[0] <= found.bits_interval[1]
    lower, upper = Fraction(1), Fraction(1)
    for records, low, high in proved:
        lower, upper = lower * low**records, upper * high**records
    assert (lower, upper) == (found.lower, found.upper)


def around(found: WorstCase | WorstCaseUnderCounts, true: float) -> None:
    """Both ends agree with what a solver finds."""
    assert found.lower <= Fraction(true) or direct.near(found.lower, true)
    assert found.upper >= Fraction(true) or direct.near(found.upper, true)
    assert not found.is_exact or direct.near(found.upper, true)


@searched(graph=lambda d: drawn.graph(d, 1, 7), ratio=drawn.ratio)
def of_one_graph(graph: Any, ratio: str) -> None:
    """A worst case is too small or too large, its mechanism not private, or its proof none."""
    found = lt.worst_case_leakage(direct.graph_of(graph), ratio=ratio)
    holds_together(found, Fraction(ratio))
    assert found.lower == found.upper
    around(found, direct.worst_case(graph[0], graph[1], Fraction(ratio)))


@searched(graph=lambda d: drawn.graph(d, 1, 5), epsilon=drawn.epsilon)
def at_an_epsilon(graph: Any, epsilon: str) -> None:
    """The bound is computed for less than e^ε, or the mechanism built for more."""
    found = lt.worst_case_leakage(direct.graph_of(graph), epsilon=epsilon)
    low, high = direct.epsilon_bounds(epsilon)
    holds_together(found, high)
    for end, value in ((found.ratio.lower, found.lower), (found.ratio.upper, found.upper)):
        assert value == lt.worst_case_leakage(direct.graph_of(graph), ratio=end).upper
    assert found.ratio.lower <= high
    assert found.ratio.upper >= low


@searched(graph=lambda d: drawn.graph(d, 2, 6), ratio=lambda d: d.pick(drawn.NEAR_ONE))
def near_ratio_one(graph: Any, ratio: str) -> None:
    """So near to 1 that floats see nothing, what is exact is wrong all the same."""
    on, limit = direct.graph_of(graph), Fraction(ratio)
    found = lt.worst_case_leakage(on, ratio=ratio)
    holds_together(found, limit)
    parts = len(on.components)
    assert found.lower >= parts + bool(graph[1]) * (2 * limit / (1 + limit) - 1)
    assert found.upper <= parts * limit ** (graph[0] - 1)
    assert lt.worst_case_function(on)(ratio) == found.upper == found.lower


@searched(
    kinds=lambda d: d.some(lambda e: drawn.graph(e, 1, 3), 2, 3),
    ratio=drawn.ratio,
)
def of_several_records(kinds: Any, ratio: str) -> None:
    """Records of several kinds leak more than is said, or less; or a forged product is accepted."""
    kinds = kinds[:2] if max(n for n, _ in kinds) > 2 else kinds
    tuples, edges = direct.product_edges(kinds)
    joined = lt.policies.AdjacencyGraph.of_records(map(direct.graph_of, kinds))
    found = lt.worst_case_leakage(joined, ratio=ratio)
    holds_together(found, Fraction(ratio))
    around(found, direct.worst_case(len(tuples), edges, Fraction(ratio)))


@searched(
    graph=lambda d: drawn.graph(d, 2, 6), records=lambda d: d.integer(2, 40), ratio=drawn.ratio
)
def of_many_records(graph: Any, records: int, ratio: str) -> int:
    """Of many records the ends cross what one record, or its cover, to their power leaves."""
    policy = lt.Policy(direct.graph_of(graph), records)
    found = lt.worst_case_leakage(policy, ratio=ratio)
    lower, upper = Fraction(1), Fraction(1)
    for times, low, high in check(found.certificate):
        lower, upper = lower * low**times, upper * high**times
    one = lt.worst_case_leakage(direct.graph_of(graph), ratio=ratio).lower
    assert lower <= found.lower <= found.upper == upper
    assert upper >= one**records
    assert lower >= one**records or lower >= one  # attained by one record after the other
    cover = Fraction(direct.best_cover(graph[0], graph[1], Fraction(ratio)))
    assert lower <= (cover * (1 + direct.CLOSE)) ** records
    return 4


@searched(policy=lambda d: drawn.policy(d, 16), ratio=drawn.ratio)
def of_policies(policy: Any, ratio: str) -> None:
    """What is public changes the neighbours, and the worst case does not follow."""
    from tests.second_routes import definition2

    asked = direct.policy_of(policy)
    found = lt.worst_case_leakage(asked, ratio=ratio)
    holds_together(found, Fraction(ratio))
    named = direct.databases_of(policy)
    edges = [list(p) for p in definition2.minimally_secretly_different(named, asked.secrets)]
    around(found, direct.worst_case(len(named), edges, Fraction(ratio)))


@searched(policy=lambda d: drawn.policy(d, 9), ratio=drawn.ratio, outputs=lambda d: d.below(5))
def published_bounds(policy: Any, ratio: str, outputs: int) -> int:
    """A bound that is said to apply is exceeded by a private mechanism."""
    asked = direct.policy_of(policy)
    graph = asked.adjacency().explicit()
    edges = graph.edges.tolist()
    size = graph.order
    unit = [[Fraction(int(i == w)) for i in range(size)] for w in range(size)]
    if outputs and size <= 6:
        from itertools import combinations

        few = min(outputs, size)
        true = max(
            direct.best_gain(size, edges, Fraction(ratio), [unit[w] for w in some])
            for some in combinations(range(size), few)
        )
        found = lt.leakage_bounds(asked, ratio=ratio, outputs=outputs)
    else:
        true = direct.best_gain(size, edges, Fraction(ratio), unit)
        found = lt.leakage_bounds(asked, ratio=ratio)
    for bound in found.bounds:
        assert bound.value >= Fraction(true) or direct.near(bound.value, true), bound
    return len(found.bounds)


@searched(graph=lambda d: drawn.graph(d, 1, 6), ratios=lambda d: d.some(drawn.ratio, 1, 4))
def for_every_ratio(graph: Any, ratios: Any) -> int:
    """The formula for all ratios says another number than the worst case at one of them."""
    on = direct.graph_of(graph)
    function = lt.worst_case_function(on)
    for ratio in ratios:
        assert function(ratio) == lt.worst_case_leakage(on, ratio=ratio).upper
        assert direct.near(function(ratio), direct.worst_case(graph[0], graph[1], Fraction(ratio)))
    ends = [piece.upper for piece in function.pieces]
    assert ends[-1] is None
    assert [piece.lower for piece in function.pieces[1:]] == ends[:-1]
    return 2 * len(ratios)


def value(coefficients: list[Fraction], x: Fraction) -> Fraction:
    """What a polynomial is at x."""
    return sum((c * x**k for k, c in enumerate(coefficients)), Fraction(0))


def formula(draw: Draw) -> Any:
    """How a piece of the true function is changed: coefficients to add, and a factor."""
    return [draw.integer(-2, 2) for _ in range(4)], draw.pick(["1", "1001/1000", "999/1000", "2"])


@searched(graph=lambda d: drawn.graph(d, 1, 5), change=formula, piece=lambda d: d.below(3))
def decided_formulas(graph: Any, change: Any, piece: int) -> int:
    """A formula that some mechanism exceeds is called a bound, or one that none does is refuted."""
    on = direct.graph_of(graph)
    pieces = lt.worst_case_function(on).pieces
    chosen = pieces[piece % len(pieces)]
    above, below = (
        [Fraction(int(c)) for c in p.coeffs()] for p in (chosen.numerator, chosen.denominator)
    )
    added, factor = change
    width = max(len(above), len(added))
    above = [
        Fraction(a + b) * Fraction(factor)
        for a, b in zip(
            above + [0] * (width - len(above)), added + [0] * (width - len(added)), strict=True
        )
    ]
    found = lt.decide_bound(on, [str(c) for c in above], [str(c) for c in below])
    if (shown := found.counterexample) is not None:
        assert isinstance(shown.channel, lt.Channel)
        rows = direct.rows_of(shown.channel)
        assert direct.level(rows, graph[1]) <= shown.ratio
        assert direct.sum_of_maxima(rows) == shown.value > shown.claimed
        assert shown.claimed == value(above, shown.ratio) / value(below, shown.ratio)
        return 1
    tried = [Fraction(p, 20) for p in (20, 21, 23, 26, 30, 35, 40, 50, 60, 80, 120, 200, 2000)]
    for ratio in tried:
        true = lt.worst_case_leakage(on, ratio=ratio).lower
        claimed = value(above, ratio) / value(below, ratio)
        assert claimed == true if found.is_tight else claimed >= true
    return len(tried)
