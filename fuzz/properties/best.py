"""Which mechanism is best? The linear program of all channels, solved by scipy, and fractions."""

from fractions import Fraction
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.channels import Gain, Loss
from leaktight.check import check
from leaktight.mechanisms import least_leaking, most_useful, worst_case_with_outputs


def gains(draw: Draw, size: int, least: int = -5) -> Any:
    """What one to four guesses earn for so many inputs."""
    return [[draw.integer(least, 5) for _ in range(size)] for _ in range(draw.integer(1, 4))]


def question(draw: Draw, most: int = 5) -> Any:
    """A graph, a prior on its vertices and a gain."""
    graph = drawn.graph(draw, 1, most)
    return [graph, drawn.prior(draw, graph[0]), gains(draw, graph[0])]


def weighed(prior: Any, table: Any) -> Any:
    """What each guess earns at each input, times its chance."""
    chances = [Fraction(p) / sum(map(Fraction, prior)) for p in prior]
    return chances, [[p * g for p, g in zip(chances, row, strict=True)] for row in table]


def earned(channel: lt.Channel, weights: Any) -> Fraction:
    """What a channel earns if each output is taken at its word."""
    rows = direct.rows_of(channel)
    return sum(
        (
            weights[w][i] * row[z]
            for i, row in enumerate(rows)
            for z, w in enumerate(channel.outputs)
        ),
        Fraction(0),
    )


@searched(case=question, ratio=drawn.ratio, loss=Draw.maybe)
def is_private_and_best(case: Any, ratio: str, loss: bool) -> None:
    """The best mechanism is not private, earns less than it says, or less than another."""
    (n, edges), prior, table = case
    chances, weights = weighed(prior, table)
    aim = Loss([[-g for g in row] for row in table]) if loss else Gain(table)
    found = lt.optimal_mechanism(
        direct.graph_of((n, edges)), [str(p) for p in chances], aim, ratio=ratio
    )
    assert direct.level(direct.rows_of(found.channel), edges) <= Fraction(ratio)
    assert found.utility == earned(found.channel, weights) <= found.upper
    [(_, lower, upper)] = check(found.certificate)
    assert (lower, upper) == (found.utility, found.upper)
    true = direct.best_gain(n, edges, Fraction(ratio), weights)
    assert direct.near(found.utility, true)
    assert direct.near(found.upper, true)
    assert found.upper <= sum(max(row[i] for row in weights) for i in range(n))


@searched(
    size=lambda d: d.integer(6, 14),
    table=lambda d: [[d.integer(-5, 3) for _ in range(14)] for _ in range(d.integer(2, 3))],
    ratio=lambda d: d.pick(["2", "3", "5", "10", "100", "10000"]),
)
def on_lines_with_any_gain(size: int, table: Any, ratio: str) -> None:
    """With irregular gains on a line, the best mechanism is not the best."""
    edges = [[i, i + 1] for i in range(size - 1)]
    _, weights = weighed(["1"] * size, [row[:size] for row in table])
    found = lt.optimal_mechanism(
        lt.SecretGraph.line(size), gain=Gain([row[:size] for row in table]), ratio=ratio
    )
    assert direct.level(direct.rows_of(found.channel), edges) <= Fraction(ratio)
    assert found.utility == earned(found.channel, weights) <= found.upper
    assert found.gap <= Fraction(1, 10**9) * max(Fraction(1), abs(found.upper))
    assert direct.near(found.utility, direct.best_gain(size, edges, Fraction(ratio), weights))


@searched(
    case=question, epsilon=lambda d: d.pick(["1e-6", "1e-9", "1e-50", "50", "1", "100", "700"])
)
def at_extreme_epsilons(case: Any, epsilon: str) -> None:
    """Where ε is tiny or huge, a bound is worse than trivial, or the mechanism is not private."""
    (n, edges), prior, table = case
    chances, weights = weighed(prior, table)
    found = lt.optimal_mechanism(
        direct.graph_of((n, edges)), [str(p) for p in chances], Gain(table), epsilon=epsilon
    )
    assert (
        direct.level(direct.rows_of(found.channel), edges)
        <= direct.exp_bounds(Fraction(epsilon))[1]
    )
    assert found.utility == earned(found.channel, weights) <= found.upper
    assert found.upper <= sum(max(row[i] for row in weights) for i in range(n))
    if len(direct.graph_of((n, edges)).components) == 1:
        nothing = max(sum(row) for row in weights)
        most = (
            direct.exp_bounds(Fraction(epsilon) * (n - 1))[1]
            if float(Fraction(epsilon)) < 1
            else None
        )
        span = sum(max(map(abs, row)) for row in weights)
        assert most is None or found.upper <= nothing + 2 * span * n * (most - 1) + Fraction(
            1, 10**9
        )
    check(found.certificate)


@searched(
    graph=lambda d: drawn.graph(d, 1, 5), outputs=lambda d: d.integer(1, 3), ratio=drawn.ratio
)
def with_few_outputs(graph: Any, outputs: int, ratio: str) -> None:
    """A mechanism of few outputs leaks more than the most that such a one is said to."""
    from itertools import combinations

    n, edges = graph
    unit = [[Fraction(int(i == w)) for i in range(n)] for w in range(n)]
    found = worst_case_with_outputs(direct.graph_of(graph), outputs, ratio=ratio)
    true = max(
        direct.best_gain(n, edges, Fraction(ratio), [unit[w] for w in some])
        for some in combinations(range(n), min(n, outputs))
    )
    assert direct.near(found.upper, true)
    assert direct.sum_of_maxima(direct.rows_of(found.channel)) >= found.lower
    assert direct.near(found.lower, true)


@searched(
    case=lambda d: question(d, 3),
    enough=lambda d: d.below(101),
    private=Draw.maybe,
    ratio=drawn.ratio,
)
def trade_offs(case: Any, enough: int, private: bool, ratio: str) -> int:
    """Another channel leaks less or is more useful, or this one is not private."""
    (n, edges), prior, table = case
    table = [[g + 5 for g in row] for row in table]
    chances, weights = weighed(prior, table)
    graph = direct.graph_of((n, edges))
    how: dict[str, Any] = {"neighbours": graph, "ratio": ratio} if private else {}
    most, least = sum(max(r[i] for r in weights) for i in range(n)), max(map(sum, weights))
    wanted = least + (most - least) * Fraction(enough, 100)
    belief = [str(p) for p in chances]
    found = least_leaking(belief, Gain(table), str(wanted), **how)
    rows = direct.rows_of(found.channel)
    assert found.utility == earned(found.channel, weights) >= wanted
    columns = zip(*rows, strict=True)
    seen = sum(max(p * k for p, k in zip(chances, c, strict=True)) for c in columns)
    assert found.vulnerability == found.bound == seen
    assert not private or direct.level(rows, edges) <= Fraction(ratio)
    back = most_useful(belief, Gain(table), str(found.vulnerability), **how)
    assert back.utility >= found.utility
    assert back.vulnerability <= found.vulnerability
    assert not private or direct.level(direct.rows_of(back.channel), edges) <= Fraction(ratio)
    best = lt.optimal_mechanism(graph, belief, Gain(table), ratio=ratio)
    assert not private or back.utility <= best.upper
    return 5


@searched(
    case=lambda d: drawn.channel_on_graph(d, drawn.WEIGHTS),
    noise=lambda d: d.some(lambda e: e.integer(-9, 9), 4, 4),
    ratio=drawn.ratio,
)
def repaired_matrices(case: Any, noise: Any, ratio: str) -> None:
    """What was mended is not private, is no channel, or was moved by more than is said."""
    (n, edges), table = case
    rows = [
        [
            max(p + Fraction(noise[(i + z) % 4], 10**7), Fraction(-1, 10**9))
            for z, p in enumerate(row)
        ]
        for i, row in enumerate(direct.normalised(table))
    ]
    floats = [[float(p) for p in row] for row in rows]
    made = lt.repair(floats, direct.graph_of((n, edges)), ratio=ratio)
    found = direct.rows_of(made.channel)
    assert all(sum(row) == 1 and min(row) >= 0 for row in found)
    assert direct.level(found, edges) <= made.guarantee.ratio <= Fraction(ratio)
    moved = [
        sum(abs(p - Fraction(q)) for p, q in zip(a, b, strict=True)) / 2
        for a, b in zip(found, floats, strict=True)
    ]
    assert made.moved == max(moved)
