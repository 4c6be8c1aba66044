"""Answers of a query that must be hard to tell apart, and how far apart they are.

A query maps databases to answers. Two answers are neighbours if some neighbouring databases give
them: the relation on answers of Definition 2 of [Alvim2011b]_. A mechanism that only sees
the answer and is private for this graph is private for the databases.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from leaktight.errors import InvalidGraph, InvalidInput, InvalidNumber, Mismatch
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.shown import Told, counted
from leaktight.labels import Labels, parts
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.fibres import fibres
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.neighbours import Neighbours, adjacency_of, space_of
from leaktight.policies.policy import Policy
from leaktight.policies.public_counts import (
    Answers,
    PublicCounts,
    counted_answers,
    largest_change,
)
from leaktight.policies.symmetric_query import (
    LinearQuery,
    Query,
    SumQuery,
    SymmetricQuery,
    linear_of,
    symmetric_of,
)

MOST_SHOWN = 1000
"""The most records of which a witness shows all; of more, those that change and how many stay."""


# --- which answers are neighbours ----------------------------------------------------------


def answer_graph(neighbours: Neighbours, query: Query) -> Graph:
    """Return the graph of the query's answers.

    The answers are in increasing order, or in the order of the databases if they have none. A
    query that only counts is answered without listing databases on independent records, and by
    their histograms where counts are public.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> binary = Policy(SecretGraph.complete(2), records=3)
    >>> answer_graph(binary, sum)
    Graph(4 vertices, 3 edges: 0-1, 1-2, 2-3)
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> answer_graph(Policy(SecretGraph.complete(50), 1000), counting_query([7])).diameter
    1000
    """
    counting, policy = SumQuery() if query is sum else query, space_of(neighbours).policy
    symmetric = symmetric_of(counting)
    if policy is not None and symmetric is not None:
        found = _answers_under_counts(policy, symmetric)
        if found is not None:
            return found
    graph, symmetric = adjacency_of(neighbours), symmetric_of(query)
    if symmetric is not None and symmetric.counted is not None:
        symmetric.expect_values(_values(neighbours, graph))
        if graph.is_product:
            return _counting_answers(graph, symmetric.counted)
    if symmetric is not None and policy is not None:
        if not policy.is_constrained:
            return _symmetric_answers(policy, symmetric)
        query = _of_database(policy, symmetric)
    labels, pairs = _answered(graph.explicit(), query)
    return Graph.from_indices(labels, pairs[pairs[:, 0] != pairs[:, 1]])


def _of_database(policy: Policy, query: SymmetricQuery) -> Query:
    """Return a query as a function of a database, which for one record is its value."""
    return query if policy.records > 1 else lambda value: query((value,))


def _symmetric_answers(policy: Policy, query: SymmetricQuery) -> Graph:
    """Return the answers on independent records: neighbours differ in one record, along an edge."""
    joined = dict[tuple[Hashable, Hashable], None]()
    answers = dict[Hashable, None]()
    edges = policy.secrets.edge_pairs()
    for one in fibres(policy, query):
        found = dict(zip(one.values, one.answers, strict=True))
        answers |= dict.fromkeys(one.answers)
        for a, b in edges:
            if a in found and b in found and found[a] != found[b]:
                joined[found[a], found[b]] = None
    labels = _in_order(list(answers))
    return Graph(labels, {frozenset(pair): pair for pair in joined}.values())


def _answers_under_counts(policy: Policy, query: SymmetricQuery) -> Graph | None:
    """Return the answers by histograms, if the kinds of neighbours tell who is whose neighbour."""
    counts = policy.public_counts
    if counts is None:
        return None
    values = policy.secrets.vertices
    query.expect_values(values)
    if query.counted is not None:
        inside = frozenset(map(policy.secrets.index, query.counted))
        if (found := counted_answers(counts, inside)) is not None:
            return found
    if not (counts.all_secret and counts.cells.are_equalities and counts.kinds.are_all):
        return None
    types: dict[tuple[int, Hashable], list[int]] = {}
    for value, cell in counts.cells.cell_of.items():
        types.setdefault((cell, query.alike(values[value])), []).append(value)
    histograms = Answers(
        counts,
        tuple((cell, tuple(some)) for (cell, _), some in types.items()),
        lambda times: query.of_counts({values[value]: n for value, n in times.items()}),
    )
    answers, pairs = histograms.pairs()
    labels, ends = _placed(answers, np.array(pairs, dtype=np.int64).reshape(-1, 2))
    return Graph.from_indices(labels, np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]]), axis=0))


def _answered(graph: Graph, query: Query) -> tuple[list[Hashable], Indices]:
    """Return the distinct answers, and for each edge the positions of the answers of its ends."""
    return _placed(_answers(graph.vertices, query), graph.edges)


def _placed(answers: list[Hashable], pairs: Indices) -> tuple[list[Hashable], Indices]:
    """Return the distinct answers, and for each pair the positions of the answers of its ends."""
    labels = _in_order(answers)
    places = {answer: place for place, answer in enumerate(labels)}
    return labels, np.array([places[answer] for answer in answers], dtype=np.int64)[pairs]


def _counting_answers(graph: AdjacencyGraph, counted: frozenset[Hashable]) -> Graph:
    """Return the answers on independent records.

    Records add up, so every number between the least and the largest is an answer. Neighbours
    differ in one record and their answers by at most one. If a secret edge of some record leads
    out of the counted set, the other records take every sum from the least answer to one below the
    largest, so each two successive answers are neighbours; if none does, no two are.
    """
    least = most = 0
    crossing = False
    for factor, copies in graph.factors:
        inside = np.array([value in counted for value in factor.vertices])
        least += copies * bool(inside.all())
        most += copies * bool(inside.any())
        ends = inside[factor.edges]
        crossing |= bool((ends[:, 0] != ends[:, 1]).any())
    steps = np.arange(most - least) if crossing else np.empty(0, dtype=np.int64)
    return Graph.from_indices(range(least, most + 1), np.stack([steps, steps + 1], axis=1))


def _answers(databases: Labels, query: Query) -> list[Hashable]:
    if not isinstance(query, Mapping):
        if not callable(query):
            raise InvalidInput(
                f"a query must be a function of a database or a table of answers, got {query!r:.80}"
            )
        return [query(database) for database in databases]
    for database in databases:
        if database not in query:
            raise Mismatch(
                f"the table of answers must have all databases, got none for {database!r}"
            )
    return [query[database] for database in databases]


def _in_order(answers: list[Hashable]) -> list[Hashable]:
    try:
        distinct = list(dict.fromkeys(answers))
    except TypeError:
        raise InvalidGraph(
            "an answer must be hashable, such as a number, a text or a tuple of them"
        ) from None
    try:
        return sorted(distinct)  # type: ignore[type-var]
    except TypeError:
        return distinct


# --- how far apart they are ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Sensitivity(Told):
    """The largest difference between the answers for neighbours, and where it is attained.

    Under public counts that leave more kinds of neighbours than can be gone through, it is only
    proved that no neighbours differ by more than ``value``.
    """

    value: Fraction
    witness: tuple[Any, Any] | None
    """The two databases; None if all neighbours have the same answer."""
    rest: Mapping[Hashable, int] | None = None
    """How many records, beside those of the witness, have each value; None if it is all."""
    least: Fraction | None = None
    """The difference at the witness, if it is below ``value``; None if ``value`` is attained."""

    @property
    def attained(self) -> Fraction:
        """The difference at the witness."""
        return self.value if self.least is None else self.least

    @property
    def is_exact(self) -> bool:
        """Whether ``value`` is attained, and not only proved to be enough."""
        return self.least is None

    def __str__(self) -> str:
        size = f"{self.value}" if self.is_exact else f"between {self.attained} and {self.value}"
        if self.witness is None:
            same = ": neighbours have the same answer" if self.is_exact else ""
            return f"sensitivity {size}{same}"
        told = f"sensitivity {size}: {self.witness[0]!r:.80} against {self.witness[1]!r:.80}"
        stay = sum((self.rest or {}).values())
        return f"{told}; {counted(stay, 'other stays', 'others stay')}" if stay else told


def sensitivity(neighbours: Neighbours, query: Query) -> Sensitivity:
    """Return Δf, the largest |f(D) − f(D′)| over neighbours D ~ D′, with the two databases.

    Definition 3 of [Barthe2011]_, whose neighbours differ in one record, for the neighbours of any
    policy. Answers must be numbers, or tuples of numbers, whose differences are added up; a float
    counts as the exact number that it is. A linear query (a count, a sum, a histogram) is answered
    without listing databases on independent records, and where counts are public
    (docs/proofs/public-counts.md).

    >>> from leaktight.policies.secrets import SecretGraph
    >>> income = Policy(SecretGraph.line([0, 10, 20]), records=2)
    >>> print(sensitivity(income, sum))
    sensitivity 10: (0, 0) against (10, 0)
    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.symmetric_query import HistogramQuery
    >>> values = ["flu", "cold", "cough", "none"]
    >>> told = count(["flu", "cold"], equals=9)
    >>> known = Policy(SecretGraph.complete(values), 10**6, constraints=told)
    >>> print(sensitivity(known, HistogramQuery(tuple(values))))
    sensitivity 4: ('flu', 'cough') against ('none', 'cold'); 999,998 others stay
    """
    listed_databases = isinstance(neighbours, Graph) and isinstance(neighbours.vertices[0], tuple)
    query = SumQuery() if query is sum and not listed_databases else query
    policy, linear, symmetric = space_of(neighbours).policy, linear_of(query), symmetric_of(query)
    if policy is not None and linear is not None:
        linear.expect_values(policy.secrets.vertices)
        if (counts := policy.public_counts) is not None:
            found = _sensitivity_under_counts(policy, counts, linear)
            if found.is_exact or not policy.is_listable:
                return found
    graph = adjacency_of(neighbours)
    if linear is not None and graph.is_product:
        linear.expect_values(_values(neighbours, graph))
        return _linear_sensitivity(graph, linear)
    listed = graph.explicit()
    if policy is not None and symmetric is not None:
        query = _of_database(policy, symmetric)
    labels, pairs = _answered(listed, query)
    numbers = [_numbers(answer) for answer in labels]
    distinct, first = np.unique(pairs, axis=0, return_index=True)
    gaps = [_apart(numbers[i], numbers[j]) for i, j in distinct.tolist()]
    if not any(gaps):
        return Sensitivity(Fraction(0), None)
    worst = max(range(len(gaps)), key=gaps.__getitem__)
    a, b = listed.edges[first[worst]].tolist()
    return Sensitivity(gaps[worst], (listed.vertices[a], listed.vertices[b]))


def _sensitivity_under_counts(
    policy: Policy, counts: PublicCounts, query: LinearQuery
) -> Sensitivity:
    """Return the sensitivity by the kinds of neighbours."""
    values = policy.secrets.vertices
    weights = [tuple(map(rational, _numbers(query.weight(value)))) for value in values]
    found = largest_change(counts, weights)
    least, most = fraction(found.lower), fraction(found.upper)
    if not found.moves or not least:
        return Sensitivity(most, None, least=None if least == most else least)
    pair = (
        tuple(values[move.source] for move in found.moves),
        tuple(values[move.target] for move in found.moves),
    )
    rest = {values[value]: times for value, times in (found.rest or {}).items()}
    return Sensitivity(most, pair, rest, None if least == most else least)


def _linear_sensitivity(graph: AdjacencyGraph, query: LinearQuery) -> Sensitivity:
    """Return the largest change along a secret edge of some record; all others stay."""
    best, at = Fraction(0), None
    before = 0
    for factor, copies in graph.factors:
        weights = [_numbers(query.weight(value)) for value in factor.vertices]
        for i, j in factor.edges.tolist():
            if (gap := _apart(weights[i], weights[j])) > best:
                best, at = gap, (before, factor, factor.vertices[i], factor.vertices[j])
        before += copies
    if at is None:
        return Sensitivity(Fraction(0), None)
    place, own, here, there = at
    if graph.records == 1:
        return Sensitivity(best, (here, there))
    if graph.records > MOST_SHOWN:
        rest = Counter[Hashable]()
        for factor, copies in graph.factors:
            rest[factor.vertices[0]] += copies
        rest[own.vertices[0]] -= 1
        return Sensitivity(best, ((here,), (there,)), rest)
    others = [f.vertices[0] for f, times in graph.factors for _ in range(times)]
    a, b = ((*others[:place], end, *others[place + 1 :]) for end in (here, there))
    return Sensitivity(best, (a, b))


def _apart(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> Fraction:
    """Return the sum of the absolute differences."""
    if len(a) != len(b):
        raise InvalidNumber("answers that are tuples must all be as long")
    return sum((abs(x - y) for x, y in zip(a, b, strict=True)), Fraction(0))


def _numbers(answer: Any) -> tuple[Fraction, ...]:
    """Return the numbers of an answer: itself, or those of a tuple."""
    return tuple(map(_number, parts(answer)))


def _number(answer: Hashable) -> Fraction:
    try:
        return fraction(rational(answer))
    except InvalidNumber:
        raise InvalidNumber(
            f"a query has a sensitivity if its answers are numbers, got {answer!r:.80}"
        ) from None


# --- values that are counted ---------------------------------------------------------------


def _values(neighbours: Neighbours, graph: AdjacencyGraph) -> Labels:
    """Return the values that a record can have."""
    if neighbours.policy is not None:
        return neighbours.policy.secrets.vertices
    seen = dict.fromkeys(value for factor, _ in graph.factors for value in factor.vertices)
    if graph.is_product:
        return tuple(seen)
    return tuple(dict.fromkeys(value for database in seen for value in database))  # type: ignore[attr-defined]
