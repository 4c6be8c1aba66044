"""How private is a channel? The definition, in fractions, for every kind of channel."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.policies import Metric
from leaktight.privacy import component_levels, distinguishability, privacy_profile

ENTRIES = drawn.WEIGHTS + drawn.EXTREME
FLOATS = ("1.0", "0", "0.25", "0.1", "1e-160", "1e-300", "5e-324", "0.30000000000000004", "1e100")


def on_graph(draw: Draw) -> Any:
    """A channel with common and extreme numbers, and a graph of its inputs."""
    return drawn.channel_on_graph(draw, ENTRIES)


def same_place(found: Any, channel: lt.Channel) -> None:
    """The witness has the ratio that is claimed."""
    if found.witness is None:
        assert found.ratio == 1
        return
    rows = direct.rows_of(channel)
    at = found.witness
    z = channel.outputs.index(at.output)
    above, below = (rows[channel.inputs.index(x)][z] for x in (at.input, at.neighbour))
    assert direct.ratio_of(above, below) == found.ratio


def agree(found: Any, true: Any, *, exactly: bool = False) -> None:
    """A ratio is what it should be, up to the rounding of floats if need be."""
    if exactly or math.inf in (found, true):
        assert found == true
    else:
        assert abs(Fraction(found) / Fraction(true) - 1) < Fraction(1, 2**35)


@searched(case=on_graph)
def of_exact_channels(case: Any) -> None:
    """A channel is said to be more or less private than it is, or its witness is none."""
    (n, edges), table = case
    rows = direct.normalised(table)
    channel = direct.channel_of(rows)
    found = lt.privacy_level(channel, direct.graph_of((n, edges)))
    assert found.ratio == direct.level(rows, edges)
    same_place(found, channel)


@searched(case=on_graph, order=lambda d: d.below(1000))
def of_inputs_in_another_order(case: Any, order: int) -> None:
    """Rows are compared with those of other inputs than the graph says."""
    (n, edges), table = case
    rows = direct.normalised(table)
    places = sorted(range(n), key=lambda i: math.sin(i + order))
    channel = direct.channel_of([rows[i] for i in places], inputs=places)
    assert lt.privacy_level(channel, direct.graph_of((n, edges))).ratio == direct.level(rows, edges)


@searched(case=lambda d: drawn.channel_on_graph(d, FLOATS, 4))
def of_float_channels(case: Any) -> None:
    """A ratio of floats is rounded, or hidden where floats vanish."""
    graph, written = case
    table = [list(map(float, row)) for row in written]
    exactly = [[Fraction(p) for p in row] for row in table]
    channel = lt.Channel.normalised(table)
    found = lt.privacy_level(channel, direct.graph_of(graph))
    assert found.ratio == direct.level(direct.rows_of(channel), graph[1])
    same_place(found, channel)
    # Dividing rows by their sums moves each entry by a few roundings at most.
    agree(found.ratio, direct.level([[p / sum(row) for p in row] for row in exactly], graph[1]))


@searched(case=lambda d: drawn.channel_on_graph(d, drawn.EXTREME, 3), at=lambda d: d.below(9))
def of_exact_numbers_among_floats(case: Any, at: int) -> None:
    """An exact number is rounded to 0 because a float stands beside it, and a ratio vanishes."""
    (n, edges), table = case
    rows = direct.normalised(table)
    mixed: list[list[Any]] = [[str(p) for p in row] for row in rows]
    i, j = at % n, at // n % len(rows[0])
    mixed[i][j] = float(rows[i][j])
    rows[i][j] = Fraction(mixed[i][j])
    channel = lt.Channel(mixed)
    found = lt.privacy_level(channel, direct.graph_of((n, edges))).ratio
    agree(found, direct.level(rows, edges))


@searched(
    first=lambda d: drawn.channel(d, ENTRIES, 2, 3),
    second=lambda d: drawn.table(d, 3, d.integer(1, 3), ENTRIES),
    floats=Draw.maybe,
)
def of_a_cascade(first: Any, second: Any, floats: bool) -> None:
    """What sees only an output has other probabilities than it should, or floats hide a ratio."""
    one = direct.normalised(first)
    two = direct.normalised(second[: len(one[0])])
    channel = direct.channel_of(one)
    made = (channel.float() if floats else channel).then(direct.channel_of(two))
    columns = list(zip(*two, strict=True))
    true = [[sum(p * q for p, q in zip(row, c, strict=True)) for c in columns] for row in one]
    found = lt.privacy_level(made, lt.SecretGraph.complete(len(one))).ratio
    agree(found, direct.level(true, direct.all_pairs(len(one))), exactly=not floats)


@searched(
    first=lambda d: drawn.channel(d, ENTRIES, 2, 3),
    second=lambda d: drawn.table(d, 3, d.integer(1, 3), ENTRIES),
    floats=Draw.maybe,
)
def of_two_looks(first: Any, second: Any, floats: bool) -> None:
    """Two channels, one after the other, have another level, or floats hide a ratio."""
    one = direct.normalised(first)
    two = direct.normalised(second[: len(one)])
    channel = direct.channel_of(one)
    made = lt.sequential(channel.float() if floats else channel, direct.channel_of(two))
    both = [[p * q for p, q in product(*rows)] for rows in zip(one, two, strict=True)]
    found = lt.privacy_level(made, lt.SecretGraph.complete(len(one))).ratio
    agree(found, direct.level(both, direct.all_pairs(len(one))), exactly=not floats)


@searched(tables=lambda d: d.some(lambda e: drawn.channel(e, ENTRIES, 1, 2), 1, 3))
def of_channels_in_parallel(tables: Any) -> None:
    """Channels side by side are less private than the worst of them, or more."""
    rows = [direct.normalised(table) for table in tables]
    side = lt.parallel(*map(direct.channel_of, rows))
    complete = [(len(each), direct.all_pairs(len(each))) for each in rows]
    values = [list(range(len(each))) for each in rows]
    policy = lt.Policy(lt.SecretGraph.complete(2), len(rows), values=values)
    tuples, edges = direct.product_edges(complete)
    whole = [
        [
            math.prod(cells, start=Fraction(1))
            for cells in product(*(rows[k][v] for k, v in enumerate(t)))
        ]
        for t in tuples
    ]
    expected = direct.level(whole, edges)
    assert lt.privacy_level(side, policy).ratio == expected
    assert lt.privacy_level(side.expand(), policy).ratio == expected


@searched(policy=lambda d: drawn.policy(d, 27), table=lambda d: drawn.channel(d, least=4))
def of_records_under_constraints(policy: Any, table: Any) -> None:
    """Each record is answered by itself, and what is public makes it less private than is said."""
    from tests.second_routes import definition2

    rows = direct.normalised(table)
    n, records = policy[0][0], policy[1]
    asked = direct.policy_of(policy)
    one = direct.channel_of(rows[:n])
    found = lt.privacy_level(lt.parallel(*[one] * records), asked).ratio
    named = direct.databases_of(policy)
    pairs = definition2.minimally_secretly_different(named, asked.secrets)
    whole = [
        [math.prod(c, start=Fraction(1)) for c in product(*(rows[v] for v in d))] for d in named
    ]
    assert found == direct.level(whole, list(pairs))


@searched(
    table=lambda d: drawn.channel(d, ENTRIES, 2, 3),
    n=lambda d: d.integer(1, 4),
    floats=Draw.maybe,
)
def of_repeated_channels(table: Any, n: int, floats: bool) -> None:
    """Several looks are less private than a look to the power of their number, or more."""
    rows = direct.normalised(table)
    graph = lt.SecretGraph.complete(len(rows))
    channel = direct.channel_of(rows)
    found = lt.privacy_level(lt.repeated(channel.float() if floats else channel, n), graph).ratio
    expected = direct.level(rows, direct.all_pairs(len(rows))) ** n
    agree(found, expected, exactly=not floats)


@searched(case=on_graph)
def in_words_and_as_epsilon(case: Any) -> int:
    """The ε that is said is less than what the channel has."""
    (n, edges), table = case
    rows = direct.normalised(table)
    found = lt.privacy_level(direct.channel_of(rows), direct.graph_of((n, edges)))
    if found.ratio == math.inf:
        assert found.epsilon == math.inf
        assert not found.holds(epsilon=700)
        return 2
    ratio = Fraction(found.ratio)
    if found.epsilon < 700:
        assert direct.exp_bounds(Fraction(found.epsilon))[1] >= ratio
    assert found.holds(ratio=ratio)
    assert ratio == 1 or not found.holds(ratio=1 + (ratio - 1) * Fraction(10**40 - 1, 10**40))
    said = float(repr(found).split("ε ≤ ")[1].split(";")[0].rstrip(")").replace(",", ""))
    assert said >= found.epsilon
    return 4


@searched(case=on_graph)
def of_all_pairs_and_of_parts(case: Any) -> int:
    """Two inputs are told apart better than the largest level, or a part has another one's."""
    (n, edges), table = case
    rows = direct.normalised(table)
    channel, graph = direct.channel_of(rows), direct.graph_of((n, edges))
    assert distinguishability(channel).ratio == direct.level(rows, direct.all_pairs(n))
    assert lt.breach_level(channel).ratio == direct.level(rows, direct.all_pairs(n))
    levels = component_levels(channel, graph)
    for part, found in levels.items():
        inside = [(i, j) for i, j in edges if i in part]
        assert found.ratio == direct.level(rows, inside)
    assert {i for part in levels for i in part} == set(range(n))
    return 2 + len(levels)


@searched(
    table=lambda d: drawn.channel(d, ENTRIES, 2),
    places=lambda d: d.some(lambda e: e.below(9), 4, 4),
)
def for_a_distance(table: Any, places: Any) -> None:
    """The rate at which a distance hides inputs is too small, so that ε is too."""
    rows = direct.normalised(table)
    own = range(len(rows))
    apart_by = lambda a, b: abs(places[a] - places[b])  # noqa: E731
    found = lt.privacy_level(direct.channel_of(rows), Metric.from_function(own, apart_by))
    for i, j in direct.all_pairs(len(rows)):
        ratio, apart = direct.level(rows, [(i, j)]), abs(places[i] - places[j])
        if ratio == math.inf or (apart == 0 and ratio > 1):
            assert found.epsilon == math.inf
        elif found.epsilon * apart < 10**5:
            assert direct.exp_bounds(Fraction(found.epsilon) * apart)[1] >= ratio


@searched(
    case=lambda d: drawn.channel_on_graph(d, ENTRIES, 3),
    looks=lambda d: d.integer(1, 3),
    ratios=lambda d: d.some(drawn.ratio, 1, 3),
)
def with_a_delta(case: Any, looks: int, ratios: Any) -> int:
    """An output is more telling than ε allows, and likelier so than δ says."""
    (n, edges), table = case
    rows = direct.normalised(table)
    profile = privacy_profile(direct.channel_of(rows), direct.graph_of((n, edges)), looks)
    seen = [
        [math.prod(cells, start=Fraction(1)) for cells in product(row, repeat=looks)]
        for row in rows
    ]
    for ratio in map(Fraction, ratios):
        true = max(
            (
                sum(max(Fraction(0), p - ratio * q) for p, q in zip(seen[a], seen[b], strict=True))
                for i, j in edges
                for a, b in ((i, j), (j, i))
            ),
            default=Fraction(0),
        )
        found = profile.delta(ratio=ratio)
        assert found.lower <= true <= found.upper
        assert looks > 1 or found.is_exact
    return len(ratios)
