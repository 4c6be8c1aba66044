"""Which answers of a query must be hard to tell apart, and how far apart are they?

A query maps databases to answers. Two answers are neighbours if some neighbouring databases give
them: the relation on answers of Definition 2 of [Alvim2011b]_. A mechanism that only sees
the answer and is private for this graph is private for the databases.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from leaktight.errors import InvalidGraph, InvalidInput, InvalidNumber, Mismatch
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.shown import Told
from leaktight.labels import Labels, suggestion
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.one_record import one_record
from leaktight.policies.policy import Neighbours, Policy, adjacency_of
from leaktight.policies.symmetric_query import CountingQuery, Query, SymmetricQuery

# --- which answers are neighbours ----------------------------------------------------------


def answer_graph(neighbours: Neighbours, query: Query) -> Graph:
    """Return the graph of the query's answers.

    The answers are in increasing order, or in the order of the databases if they have none. A
    query that only counts is answered on independent records without listing the databases.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> binary = Policy(SecretGraph.complete(2), records=3)
    >>> answer_graph(binary, sum)
    Graph(4 vertices, 3 edges: 0-1, 1-2, 2-3)
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> answer_graph(Policy(SecretGraph.complete(50), 1000), counting_query([7])).diameter
    1000
    """
    graph = adjacency_of(neighbours)
    if isinstance(query, CountingQuery):
        _check_values(query, _values(neighbours, graph))
        if graph.is_product:
            return _counting_answers(graph, query)
    if isinstance(query, SymmetricQuery) and isinstance(neighbours, Policy):
        if not neighbours.is_constrained:
            return _symmetric_answers(neighbours, query)
        if neighbours.records == 1:  # a database of one record is its value
            single = query
            query = lambda value: single((value,))  # noqa: E731
    labels, pairs = _answered(graph.explicit(), query)
    return Graph.from_indices(labels, pairs[pairs[:, 0] != pairs[:, 1]])


def _symmetric_answers(policy: Policy, query: SymmetricQuery) -> Graph:
    """Return the answers on independent records: neighbours differ in one record, along an edge."""
    joined = dict[tuple[Hashable, Hashable], None]()
    answers = dict[Hashable, None]()
    edges = policy.secrets.edge_pairs()
    for one in one_record(policy, query):
        found = dict(zip(one.values, one.answers, strict=True))
        answers |= dict.fromkeys(one.answers)
        for a, b in edges:
            if a in found and b in found and found[a] != found[b]:
                joined[found[a], found[b]] = None
    labels = _in_order(list(answers))
    return Graph(labels, {frozenset(pair): pair for pair in joined}.values())


def _answered(graph: Graph, query: Query) -> tuple[list[Hashable], Indices]:
    """Return the distinct answers, and for each edge the positions of the answers of its ends."""
    answers = _answers(graph.vertices, query)
    labels = _in_order(answers)
    places = {answer: place for place, answer in enumerate(labels)}
    return labels, np.array([places[answer] for answer in answers], dtype=np.int64)[graph.edges]


def _counting_answers(graph: AdjacencyGraph, query: CountingQuery) -> Graph:
    """Return the answers on independent records.

    Records add up, so every number between the least and the largest is an answer. Neighbours
    differ in one record and their answers by at most one. If a secret edge of some record leads
    out of the counted set, the other records take every sum from the least answer to one below the
    largest, so each two successive answers are neighbours; if none does, no two are.
    """
    least = most = 0
    crossing = False
    for factor, copies in graph.factors:
        inside = np.array([value in query.values for value in factor.vertices])
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
    """The largest difference between the answers for neighbours, and where it is attained."""

    value: Fraction
    witness: tuple[Any, Any] | None
    """The two databases; None if all neighbours have the same answer."""

    def __str__(self) -> str:
        if self.witness is None:
            return "sensitivity 0: neighbours have the same answer"
        return f"sensitivity {self.value}: {self.witness[0]!r:.80} against {self.witness[1]!r:.80}"


def sensitivity(neighbours: Neighbours, query: Query) -> Sensitivity:
    """Return Δf, the largest |f(D) − f(D′)| over neighbours D ~ D′, with the two databases.

    Definition 3 of [Barthe2011]_, whose neighbours differ in one record, for the neighbours of any
    policy. Answers must be numbers; a float counts as the exact number that it is. A counting
    query on independent records is answered without listing the databases.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> income = Policy(SecretGraph.line([0, 10, 20]), records=2)
    >>> print(sensitivity(income, sum))
    sensitivity 10: (0, 0) against (0, 10)
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> sensitivity(Policy(SecretGraph.complete(50), 1000), counting_query([7])).value
    Fraction(1, 1)
    """
    graph = adjacency_of(neighbours)
    if isinstance(query, CountingQuery):
        _check_values(query, _values(neighbours, graph))
        if graph.is_product:
            return _counting_sensitivity(graph, query)
    listed = graph.explicit()
    labels, pairs = _answered(listed, query)
    numbers = [_number(answer) for answer in labels]
    distinct, first = np.unique(pairs, axis=0, return_index=True)
    gaps = [abs(numbers[j] - numbers[i]) for i, j in distinct.tolist()]
    if not any(gaps):
        return Sensitivity(Fraction(0), None)
    worst = max(range(len(gaps)), key=gaps.__getitem__)
    a, b = listed.edges[first[worst]].tolist()
    return Sensitivity(gaps[worst], (listed.vertices[a], listed.vertices[b]))


def _counting_sensitivity(graph: AdjacencyGraph, query: CountingQuery) -> Sensitivity:
    """Return 1 if a secret edge of some record leads out of the counted set, and 0 if none does."""
    before = 0
    for factor, copies in graph.factors:
        inside = np.array([value in query.values for value in factor.vertices])
        crossing = factor.edges[inside[factor.edges].sum(axis=1) == 1]
        if len(crossing):
            here, there = (factor.vertices[end] for end in crossing[0].tolist())
            if graph.records == 1:
                return Sensitivity(Fraction(1), (here, there))
            rest = [f.vertices[0] for f, times in graph.factors for _ in range(times)]
            a, b = ((*rest[:before], end, *rest[before + 1 :]) for end in (here, there))
            return Sensitivity(Fraction(1), (a, b))
        before += copies
    return Sensitivity(Fraction(0), None)


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
    if isinstance(neighbours, Policy):
        return neighbours.secrets.vertices
    seen = dict.fromkeys(value for factor, _ in graph.factors for value in factor.vertices)
    if graph.is_product:
        return tuple(seen)
    return tuple(dict.fromkeys(value for database in seen for value in database))  # type: ignore[attr-defined]


def _check_values(query: CountingQuery, known: Labels) -> None:
    for value in query.values.difference(known):
        raise Mismatch(f"no record can have the value {value!r}; {suggestion(value, known)}")
