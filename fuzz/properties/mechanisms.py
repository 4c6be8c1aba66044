"""Does every mechanism keep its promise? Its channel, entry by entry, in fractions."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight import mechanisms


def keeps(mechanism: Any, asked: Fraction, edges: Any = None) -> None:
    """The channel is one, and as private as promised and as asked."""
    channel = mechanism.channel
    rows = direct.rows_of(channel)
    graph = mechanism.graph.explicit() if hasattr(mechanism.graph, "explicit") else mechanism.graph
    assert channel.inputs == graph.vertices
    assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
    found = direct.level(rows, graph.edges.tolist() if edges is None else edges)
    assert found <= mechanism.guarantee.ratio <= asked


def most_of(given: Any) -> Fraction:
    """The ratio that is asked for, or one just above."""
    return (
        Fraction(given["ratio"]) if "ratio" in given else direct.epsilon_bounds(given["epsilon"])[1]
    )


def asked(draw: Draw) -> Any:
    """A ratio or an ε; not so large that powers take long."""
    if draw.maybe():
        return {"ratio": draw.pick((drawn.ratio(draw), draw.pick(drawn.NEAR_ONE)))}
    return {"epsilon": drawn.epsilon(draw)}


@searched(values=lambda d: d.integer(1, 4), records=lambda d: d.integer(1, 2), given=asked)
def randomised_response(values: int, records: int, given: Any) -> None:
    """Randomised response tells two databases apart better than it promises."""
    keeps(lt.RandomizedResponse(values, records=records, **given), most_of(given))


@searched(values=lambda d: d.integer(1, 7), sensitivity=lambda d: d.integer(1, 4), given=asked)
def truncated_geometric(values: int, sensitivity: int, given: Any) -> None:
    """Noise on a line tells values apart that are as far apart as its sensitivity."""
    edges = [(i, j) for i, j in direct.all_pairs(values) if i - j <= sensitivity]
    keeps(lt.TruncatedGeometric(values, sensitivity=sensitivity, **given), most_of(given), edges)


@searched(values=lambda d: d.integer(1, 6), sensitivity=lambda d: d.integer(1, 4), given=asked)
def rounded_laplace(values: int, sensitivity: int, given: Any) -> None:
    """Rounded Laplace noise tells more than its guarantee says."""
    edges = [(i, j) for i, j in direct.all_pairs(values) if i - j <= sensitivity]
    made = mechanisms.RoundedLaplace(values, sensitivity=sensitivity, **given)
    keeps(made, most_of(given), edges)


@searched(sensitivity=lambda d: d.integer(1, 5), given=asked, k=lambda d: d.integer(-9, 9))
def geometric_noise(sensitivity: int, given: Any, k: int) -> None:
    """Noise on whole numbers falls faster than it may, or its tails are not what they sum to."""
    noise = lt.GeometricNoise(sensitivity=sensitivity, **given)
    assert noise.step**sensitivity <= noise.guarantee.ratio <= most_of(given)
    assert noise.pmf(k) <= noise.step * noise.pmf(k + 1)
    assert noise.pmf(k + 1) <= noise.step * noise.pmf(k)
    assert noise.tail(k) - noise.tail(k + 1) == noise.pmf(k)
    assert noise.tail(-k) + noise.tail(k + 1) == 1


@searched(graph=lambda d: drawn.graph(d, 1, 6), given=asked, kind=lambda d: d.below(3))
def on_graphs(graph: Any, given: Any, kind: int) -> None:
    """A mechanism that falls off with the distance tells neighbours apart too well."""
    on = direct.graph_of(graph)
    if kind == 2:  # it says itself that it is less private than asked
        made = mechanisms.NormalisedExponential(on, **given)
        keeps(made, most_of(given) ** 2, graph[1])
        return
    kinds = mechanisms.TightConstraints, mechanisms.GraphExponential
    keeps(kinds[kind](on, **given), most_of(given), graph[1])


@searched(
    graph=lambda d: drawn.graph(d, 2, 4),
    scores=lambda d: [[d.integer(-3, 3) for _ in range(3)] for _ in range(4)],
    unit=lambda d: d.pick(["1", "1/3", "0.1"]),
    given=asked,
)
def exponential_mechanism(graph: Any, scores: Any, unit: str, given: Any) -> None:
    """The choice among outputs tells neighbours apart by more than it promises."""
    table = [[str(s * Fraction(unit)) for s in row] for row in scores[: graph[0]]]
    made = mechanisms.ExponentialMechanism(direct.graph_of(graph), 3, table, **given)
    keeps(made, most_of(given), graph[1])


@searched(
    rows=lambda d: d.integer(1, 3),
    columns=lambda d: d.integer(1, 3),
    ratio=lambda d: d.pick(["2", "3/2", "5", "1001/1000", "50"]),
)
def on_maps(rows: int, columns: int, ratio: str) -> None:
    """A place on a map is told from another by more than λ to the power of their distance."""
    points = list(product(range(rows), range(columns)))
    city = mechanisms.PlanarGeometric(rows, columns, ratio=ratio)
    keeps(city, Fraction(ratio))
    table = direct.rows_of(city.channel)
    for i, j in direct.all_pairs(len(points)):
        apart = sum(abs(a - b) for a, b in zip(points[i], points[j], strict=True))
        assert direct.level(table, [(i, j)]) <= Fraction(ratio) ** apart
    straight = mechanisms.PlanarLaplace(rows, columns, ratio=ratio)
    keeps(straight, Fraction(ratio))
    table = direct.rows_of(straight.channel)
    for i, j in direct.all_pairs(len(points)):
        squared = sum((a - b) ** 2 for a, b in zip(points[i], points[j], strict=True))
        told = direct.logarithm(Fraction(direct.level(table, [(i, j)])))
        most = direct.logarithm(Fraction(ratio)) * Fraction(direct.LONG.sqrt(Decimal(squared)))
        assert told <= most + Fraction(1, 10**300)
