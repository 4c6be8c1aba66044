"""Which answers of a query must be hard to tell apart?

A query maps databases to answers. Two answers are neighbours if some neighbouring databases give
them: the relation on answers of Definition 2 of [Alvim2011b]_. A mechanism that only sees
the answer and is private for this graph is private for the databases.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from leaktight.adjacency import AdjacencyGraph
from leaktight.constraint import read_values
from leaktight.errors import InvalidGraph, Mismatch
from leaktight.graph import Graph
from leaktight.labels import Labels, suggestion
from leaktight.policy import Policy


@dataclass(frozen=True, slots=True)
class CountingQuery:
    """How many records have a value in ``values``?

    >>> counting_query(["flu", "cold"])(("flu", "none", "flu"))
    2
    """

    values: frozenset[Hashable]

    def __call__(self, records: Iterable[Hashable]) -> int:
        """Return the answer for a database, given as the values of its records."""
        return sum(value in self.values for value in records)


Query: TypeAlias = Callable[[Any], Hashable] | Mapping[Any, Hashable]
"""A function of a database, such as a counting query, or a table of answers."""


def counting_query(values: Iterable[Hashable]) -> CountingQuery:
    """Return the query that counts the records with a value in ``values``."""
    return CountingQuery(frozenset(read_values(values, "what is counted")))


def answer_graph(source: Policy | AdjacencyGraph | Graph, query: Query) -> Graph:
    """Return the graph of the query's answers.

    The answers are in increasing order, or in the order of the databases if they have none. A
    counting query on independent records is answered without listing the databases.

    >>> from leaktight.secrets import SecretGraph
    >>> binary = Policy(SecretGraph.complete(2), records=3)
    >>> answer_graph(binary, sum)
    Graph(4 vertices, 3 edges: 0-1, 1-2, 2-3)
    >>> answer_graph(Policy(SecretGraph.complete(50), 1000), counting_query([7])).diameter
    1000
    """
    graph = _adjacency(source)
    if isinstance(query, CountingQuery):
        _check_values(query, _values(source, graph))
        if graph.is_product:
            return _counting_answers(graph, query)
    listed = graph.explicit()
    answers = _answers(listed.vertices, query)
    labels = _in_order(answers)
    places = {answer: place for place, answer in enumerate(labels)}
    answered = np.array([places[answer] for answer in answers], dtype=np.int64)
    pairs = answered[listed.edges]
    return Graph.from_indices(labels, pairs[pairs[:, 0] != pairs[:, 1]])


def _adjacency(source: Policy | AdjacencyGraph | Graph) -> AdjacencyGraph:
    if isinstance(source, Policy):
        return source.adjacency()
    return AdjacencyGraph.of(source) if isinstance(source, Graph) else source


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


def _values(source: Policy | AdjacencyGraph | Graph, graph: AdjacencyGraph) -> Labels:
    """Return the values that a record can have."""
    if isinstance(source, Policy):
        return source.secrets.vertices
    seen = dict.fromkeys(value for factor, _ in graph.factors for value in factor.vertices)
    if graph.is_product:
        return tuple(seen)
    return tuple(dict.fromkeys(value for database in seen for value in database))  # type: ignore[attr-defined]


def _check_values(query: CountingQuery, known: Labels) -> None:
    for value in query.values.difference(known):
        raise Mismatch(f"no record can have the value {value!r}; {suggestion(value, known)}")
