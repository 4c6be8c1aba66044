"""Who are neighbours, and how far apart are their answers? Definition 2, pair by pair."""

from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.second_routes import definition2

import leaktight as lt
from fuzz import direct, drawn
from fuzz.property import searched
from leaktight.policies import HistogramQuery, SumQuery, answer_graph, counting_query
from leaktight.worst_case.under_counts import worst_case_under_counts


def by_definition(policy: Any) -> Any:
    """The databases, as the policy names them, and the pairs of positions that are neighbours."""
    asked = direct.policy_of(policy)
    rows = direct.databases_of(policy)
    pairs = definition2.minimally_secretly_different(rows, asked.secrets)
    return [row[0] if policy[1] == 1 else row for row in rows], rows, pairs


@searched(policy=drawn.policy)
def neighbours(policy: Any) -> None:
    """Two databases that must not be told apart are no neighbours, or others are."""
    graph = direct.policy_of(policy).adjacency()
    names, _, pairs = by_definition(policy)
    assert sorted(graph.vertices, key=repr) == sorted(names, key=repr)
    found = {frozenset((graph.vertices[i], graph.vertices[j])) for i, j in graph.edges.tolist()}
    assert found == {frozenset((names[i], names[j])) for i, j in pairs}
    one_way = {(names[i], names[j]) for i, j in pairs if (j, i) not in pairs}
    assert set(graph.one_way) == one_way
    assert graph.is_symmetric == (not one_way)
    assert graph.order == len(names)
    assert graph.size == len(found)


@searched(policy=lambda d: drawn.policy(d, 27))
def distances(policy: Any) -> int:
    """Databases are said to be nearer or farther than any path between them."""
    graph = direct.policy_of(policy).adjacency()
    names, _, pairs = by_definition(policy)
    steps = {i: {j for p in pairs for i2, j in (p, p[::-1]) if i2 == i} for i in range(len(names))}
    for start in range(len(names)):
        away, layer, seen = {start: 0}, {start}, 0
        while layer:
            seen += 1
            layer = {j for i in layer for j in steps[i]} - away.keys()
            away |= dict.fromkeys(layer, seen)
        for end, name in enumerate(names):
            assert graph.distance(names[start], name) == away.get(end, float("inf"))
    return len(names) ** 2


@searched(
    order=lambda d: d.integer(2, 3),
    records=lambda d: d.integer(2, 4),
    counts=lambda d: [[d.integer(1, 6), d.integer(0, 2)] for _ in range(d.integer(1, 3))],
    database=lambda d: [d.below(3) for _ in range(4)],
)
def under_counts(order: int, records: int, counts: Any, database: Any) -> int:
    """Without a list, databases with public counts are said to be nearer or to leak less.

    A count is a set of values, by its bits, with a number, or a range, or public whatever it is.
    """
    true = [v % order for v in database[:records]]
    told = []
    for bits, kind in counts:
        some = [v for v in range(order) if bits >> v & 1] or [0]
        there = sum(v in some for v in true)
        given: list[dict[str, Any]] = [{"equals": there}, {"at_least": there}, {"published": True}]
        told.append(lt.count(some, **given[kind]))
    policy = lt.Policy(lt.SecretGraph.complete(order), records, constraints=told)
    public, graph = policy.public_counts, policy.adjacency()
    assert public is not None
    assert public.diameter is not None
    farthest = max(graph.explicit().component_diameters)
    assert public.diameter.attained <= farthest <= public.diameter.value
    found = worst_case_under_counts(policy, ratio=2)
    low, high = lt.worst_case_leakage(graph, ratio=2).bits_interval
    assert found.bits_interval[0] <= high + 2**-40
    assert low <= found.bits + 2**-40
    assert found.by_diameter is not None
    assert low <= min(found.by_diameter.bits, found.databases.bits) + 2**-40
    return 5


@searched(
    policy=lambda d: drawn.policy(d, 27),
    weights=lambda d: [d.integer(-3, 5) for _ in range(4)],
    kind=lambda d: d.below(4),
)
def answers(policy: Any, weights: Any, kind: int) -> int:
    """The answers of neighbours are farther apart than the sensitivity says, or not joined."""
    asked = direct.policy_of(policy)
    names, rows, pairs = by_definition(policy)
    some = [v for v in range(policy[0][0]) if weights[v] > 0] or [0]
    query: Any = (
        counting_query(some),
        lambda d: sum(weights[v] for v in ((d,) if policy[1] == 1 else d)),
        lambda d: tuple(sorted((d,) if policy[1] == 1 else d)),
        dict(zip(names, (weights[sum(row) % 4] for row in rows), strict=True)),
    )[kind]
    if kind == 0:
        said = [sum(v in some for v in row) for row in rows]
        if policy[1] == 1:
            query = dict(zip(names, said, strict=True)) if asked.is_constrained else query
    elif kind == 3:
        said = [query[name] for name in names]
    else:
        said = [query(name) for name in names]
    graph = answer_graph(asked, query)
    assert set(graph.vertices) == set(said)
    joined = {frozenset((said[i], said[j])) for i, j in pairs if said[i] != said[j]}
    assert {frozenset(pair) for pair in graph.edge_pairs()} == joined
    if kind == 2:
        return 1
    found = lt.sensitivity(asked, query)
    largest = max((abs(said[i] - said[j]) for i, j in pairs), default=0)
    assert found.attained <= largest <= found.value
    if found.witness is not None:
        others = [v for v, times in (found.rest or {}).items() for _ in range(times)]
        a, b = (names.index((*d, *others) if found.rest else d) for d in found.witness)
        assert {(a, b), (b, a)} & pairs
        assert abs(said[a] - said[b]) == found.attained
    return 2


@searched(
    places=lambda d: d.some(
        lambda e: e.pick(["0.1", "0.2", "0.3", "1", "2", "1/3", "0.7", "5"]), 1, 5
    ),
    distance=lambda d: d.pick(["0.1", "0.2", "1", "0", "0.5", "2", "4.7"]),
)
def thresholds(places: Any, distance: str) -> None:
    """Values at a distance of just the threshold are not joined, or farther ones are."""
    unique = list(dict.fromkeys(p for p in places if "/" not in p))
    if not unique:
        return
    graph = lt.SecretGraph.threshold(list(map(float, unique)), float(distance))
    expected = {
        frozenset((float(a), float(b)))
        for a, b in combinations(unique, 2)
        if abs(Fraction(a) - Fraction(b)) <= Fraction(distance)
    }
    assert {frozenset(pair) for pair in graph.edge_pairs()} == expected


@searched(
    values=lambda d: d.integer(1, 3), records=lambda d: d.integer(1, 3), cells=lambda d: d.below(8)
)
def linear_queries(values: int, records: int, cells: int) -> int:
    """A sum or a histogram is answered wrongly for some database."""
    from itertools import product

    chosen = tuple(v for v in range(values) if cells >> v & 1)
    for row in product(range(values), repeat=records):
        assert SumQuery()(row) == sum(row)
        assert HistogramQuery(chosen)(row) == tuple(row.count(v) for v in chosen)
    return 2 * values**records
