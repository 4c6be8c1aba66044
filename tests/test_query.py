"""Answer graphs: counting queries without a list against the same with one."""

import itertools
from collections.abc import Hashable
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.constraint import count
from leaktight.errors import InvalidGraph, InvalidPolicy, Mismatch
from leaktight.graph import Graph
from leaktight.policy import Policy
from leaktight.query import answer_graph, counting_query
from leaktight.secrets import SecretGraph
from tests.graph_strategies import record_values, secret_graphs


@settings(deadline=None)
@given(secret_graphs(most=3), st.integers(1, 3), st.data())
def test_a_counting_query_on_independent_records_needs_no_list(
    secrets: SecretGraph, records: int, data: st.DataObject
) -> None:
    values = data.draw(st.none() | record_values(secrets, records))
    policy = Policy(secrets, records, values=values)
    query = counting_query(data.draw(st.lists(st.sampled_from(secrets.vertices), min_size=1)))
    listed = answer_graph(policy, lambda d: query((d,) if records == 1 else d))
    assert answer_graph(policy, query) == listed


def test_a_million_records_have_a_counting_query() -> None:
    policy = Policy(SecretGraph.line(["low", "middle", "high"]), 10**6)
    answers = answer_graph(policy, counting_query(["high"]))
    assert answers.vertices == tuple(range(10**6 + 1))
    assert answers.size == 10**6
    assert (answers.edges[:, 1] - answers.edges[:, 0] == 1).all()


def test_answers_that_no_secret_separates_are_not_neighbours() -> None:
    policy = Policy(SecretGraph.partition([["a", "b"], ["c", "d"]]), 5)
    assert answer_graph(policy, counting_query(["a", "b"])) == Graph(6)
    assert answer_graph(policy, counting_query(["a"])).size == 5


def test_a_counting_query_under_constraints_follows_the_listed_databases() -> None:
    """With a public number of flu cases, the others are counted by those not counted."""
    secrets = SecretGraph.complete(["none", "cold", "flu"])
    policy = Policy(secrets, 3, constraints=[count(["flu"], equals=1)])
    assert answer_graph(policy, counting_query(["flu"])) == Graph([1])
    colds = answer_graph(policy, counting_query(["cold"]))
    assert colds == Graph(3, [(0, 1), (1, 2)])
    assert answer_graph(policy.adjacency(), counting_query(["cold"])) == colds


def test_a_query_may_be_a_table() -> None:
    policy = Policy(SecretGraph.line(3), 1)
    table = {0: "small", 1: "small", 2: "large"}
    assert answer_graph(policy, table).edge_pairs() == (("large", "small"),)
    with pytest.raises(Mismatch, match="got none for 2"):
        answer_graph(policy, {0: "small", 1: "small"})


def test_answers_without_an_order_come_as_the_databases_do() -> None:
    answers = answer_graph(Policy(SecretGraph.line(3), 1), [("b",), None, 1].__getitem__)
    assert answers.vertices == (("b",), None, 1)


def test_answers_and_counted_values_are_checked() -> None:
    policy = Policy(SecretGraph.complete(["cold", "flu"]), 2)
    with pytest.raises(InvalidGraph, match="hashable"):
        answer_graph(policy, lambda database: cast(Hashable, [database]))
    with pytest.raises(Mismatch, match="'fluu'; did you mean 'flu'"):
        answer_graph(policy, counting_query(["fluu"]))
    with pytest.raises(Mismatch, match="'fluu'"):
        answer_graph(policy.adjacency(), counting_query(["fluu"]))
    with pytest.raises(InvalidPolicy, match="must be a list of values, got 'flu'"):
        counting_query("flu")


def test_a_counting_query_counts() -> None:
    query = counting_query([1, 2])
    for database in itertools.product(range(3), repeat=3):
        assert query(database) == 3 - database.count(0)
