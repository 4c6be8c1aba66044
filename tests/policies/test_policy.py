"""Policies: which databases are possible, and what is refused."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph, InvalidPolicy, TooLarge
from leaktight.policies.constraint import count
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import adjacency_of
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from tests.second_routes import definition2
from tests.strategies.graphs import constrained_policies, record_values, secret_graphs

ILLNESS = SecretGraph.complete(["none", "cold", "flu"])


@settings(max_examples=300, deadline=None)
@given(constrained_policies())
def test_the_adjacency_graph_is_that_of_the_definition_read_either_way(policy: Policy) -> None:
    joined, one_way = definition2.adjacency(policy)
    graph = policy.adjacency()
    assert {frozenset(edge) for edge in graph.explicit().edge_pairs()} == joined
    assert set(graph.one_way) == one_way
    assert graph.is_symmetric == (not one_way)
    assert graph.vertices == policy.databases()
    assert graph.records == policy.records
    assert policy.database_count == len(policy.databases())
    # Distances are only looked at once for databases that are rearrangements of each other.
    plain = Graph.from_indices(graph.vertices, graph.edges)
    assert graph.explicit().eccentricities.tolist() == plain.eccentricities.tolist()


@settings(deadline=None)
@given(secret_graphs(most=3), st.integers(1, 3), st.data())
def test_independent_records_give_the_product_that_enumeration_gives(
    secrets: SecretGraph, records: int, data: st.DataObject
) -> None:
    """Theorem 4, also for records with their own possible values."""
    values = data.draw(st.none() | record_values(secrets, records))
    policy = Policy(secrets, records, values=values)
    assert not policy.is_constrained
    joined, one_way = definition2.adjacency(policy)
    assert {frozenset(edge) for edge in policy.adjacency().explicit().edge_pairs()} == joined
    assert not one_way
    listed = Policy(secrets, records, databases=policy.databases())
    assert listed.adjacency().explicit() == policy.adjacency().explicit()


def test_constraints_values_and_predicate_hold_together() -> None:
    policy = Policy(
        ILLNESS,
        records=3,
        constraints=[count(["flu"], equals=1), count(["none"], at_most=1)],
        values={0: ["flu", "cold"]},
        predicate=lambda database: database[1] != "flu",
    )
    assert set(policy.databases()) == {
        d
        for d in itertools.product(ILLNESS.vertices, repeat=3)
        if d.count("flu") == 1 and d.count("none") <= 1 and d[0] != "none" and d[1] != "flu"
    }


def test_a_database_of_one_record_is_its_value_even_if_that_is_a_tuple() -> None:
    secrets = SecretGraph.grid(2, 2)
    assert Policy(secrets).databases() == ((0, 0), (0, 1), (1, 0), (1, 1))
    some = Policy(secrets, databases=[(0, 0), (1, 0)])
    assert some.adjacency().explicit().edge_pairs() == (((0, 0), (1, 0)),)
    one = Policy(secrets, predicate=lambda value: value == (1, 1))
    assert one.databases() == ((1, 1),)
    two = Policy(secrets, records=2, constraints=[count([(0, 0)], equals=2)])
    assert two.databases() == (((0, 0), (0, 0)),)


def test_databases_may_be_lists_arrays_or_texts() -> None:
    secrets = SecretGraph.complete(2)
    rows = [[0, 1], [1, 1]]
    assert Policy(secrets, 2, databases=rows).databases() == ((0, 1), (1, 1))
    assert Policy(secrets, 2, databases=np.array(rows)) == Policy(secrets, 2, databases=rows)
    texts = Policy(SecretGraph.complete(["0", "1"]), 2, databases=["01", "11"])
    assert texts.databases() == (("0", "1"), ("1", "1"))


def test_a_policy_without_secrets_has_no_neighbours() -> None:
    graph = Policy(Graph(3), 3, constraints=[count([0], equals=1)]).adjacency()
    assert graph.size == 0
    assert graph.component_count == graph.order == 3 * 2**2


def test_a_million_records_need_no_list_unless_they_are_constrained() -> None:
    assert Policy(ILLNESS, 10**6).adjacency().diameter == 10**6
    policy = Policy(ILLNESS, 10**6, constraints=[count(["flu"], equals=10)])
    with pytest.raises(TooLarge, match=r"up to 10\^\d+"):
        policy.adjacency()


def test_a_million_records_may_have_their_own_values() -> None:
    policy = Policy(ILLNESS, 10**6, values={7: ["flu"], 8: ["flu", "cold"]})
    assert policy.adjacency().order == 3 ** (10**6 - 2) * 2
    assert policy.adjacency().diameter == 10**6 - 1


def test_more_databases_than_fit_are_refused_with_their_number() -> None:
    # 60!/(30! 30!) = 118264581564861424
    half = Policy(SecretGraph.complete(2), 60, constraints=[count([1], equals=30)])
    assert half.database_count == 118264581564861424
    with pytest.raises(TooLarge, match=r"about 10\^17 databases"):
        half.databases()
    with pytest.raises(TooLarge, match="137,846,528,820 databases"):
        Policy(SecretGraph.complete(2), 40, constraints=[count([1], equals=20)]).adjacency()
    with pytest.raises(TooLarge, match=r"tried on each of about 10\^19"):
        Policy(ILLNESS, 40, predicate=any).databases()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"records": 0}, "records must be a whole number from 1 to 1,000,000,000, got 0"),
        ({"records": -3}, "records must be a whole number from 1 .*got -3"),
        ({"records": 2.0}, "records must .*got 2.0"),
        ({"records": True}, "records must .*got True"),
        ({"records": "3"}, "records must be a whole number .*got '3'"),
        ({"records": 10**20}, r"to 1,000,000,000, got 100000000000000000000"),
        ({"records": 10**9999}, r"to 1,000,000,000, got a huge one"),
        ({"constraints": 3}, "constraints must be a list of counts, got 3"),
        ({"values": "flu"}, "values= must be a list .*got 'flu'"),
        ({"values": 3}, "values= must be a list .*got 3"),
        ({"databases": 3}, "databases= must be a list of databases, got 3"),
        ({"predicate": 3}, "must be a function of a database, got 3"),
        ({"constraints": [count(["fluu"], equals=1)]}, "got 'fluu'; did you mean 'flu'"),
        ({"constraints": [count(["flu"], equals=3)]}, "more than the 2 records"),
        ({"constraints": ["flu"]}, "must be made by count"),
        (
            {"constraints": [count(["flu"], equals=2), count(["cold"], at_least=1)]},
            "none of 2 records has exactly 2 in {flu} and at least 1 in {cold}",
        ),
        ({"values": [["flu"]]}, "each of the 2 records, got 1"),
        ({"values": [["flu"], []]}, "record 1 must be at least one value, got none"),
        ({"values": [["flu"], ["cole"]]}, "record 1 must use .*did you mean 'cold'"),
        ({"values": ["flu", "cold"]}, "record 0 must be a list of values, got 'flu'"),
        ({"values": {2: ["flu"]}}, "records 0 to 1, got 2"),
        ({"values": [["flu"], 3]}, "record 1 must be a list of values, got 3"),
        ({"values": [["flu"], [["cold"]]]}, r"got \['cold'\]"),
        ({"databases": []}, "some database must be possible"),
        ({"databases": [("flu",)]}, "a tuple of 2 values"),
        ({"databases": [3]}, "a tuple of 2 values"),
        ({"databases": [("flu", "clod")]}, "got 'clod'; did you mean 'cold'"),
        ({"databases": [("flu", ["cold"])]}, "must use values of the secret graph"),
        ({"databases": [("flu", "cold")] * 2}, "listed once"),
        ({"databases": [("flu", "cold")], "predicate": any}, "must not be given with it"),
    ],
)
def test_a_policy_that_cannot_hold_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        Policy(ILLNESS, **{"records": 2, **arguments})


def test_a_predicate_that_rejects_everything_is_refused_when_it_is_tried() -> None:
    with pytest.raises(InvalidPolicy, match="rejects all 9"):
        Policy(ILLNESS, 2, predicate=lambda _: False).adjacency()


def test_secrets_must_be_a_graph() -> None:
    with pytest.raises(InvalidPolicy, match=r"SecretGraph\.complete"):
        Policy(["a", "b"])  # type: ignore[arg-type]


def test_policies_are_equal_if_they_say_the_same() -> None:
    one, other = (
        Policy(
            ILLNESS, 2, constraints=[count(["flu"], equals=1)], values=[["flu"], ["cold", "flu"]]
        )
        for _ in range(2)
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one != Policy(ILLNESS, 2)


def test_a_policy_says_what_is_public() -> None:
    policy = Policy(ILLNESS, 2, constraints=[count(["flu"], at_most=1)], values={0: ["flu"]})
    assert repr(policy) == (
        "Policy(3 values, 3 secret pairs, 2 records, at most 1 in {flu}, values per record)"
    )
    listed = Policy(ILLNESS, 1, databases=["flu"])
    assert repr(listed) == "Policy(3 values, 3 secret pairs, 1 record, 1 database)"


def test_a_single_constraint_needs_no_list() -> None:
    one = count(["flu"], equals=1)
    assert Policy(ILLNESS, 2, constraints=one) == Policy(ILLNESS, 2, constraints=[one])


def test_a_policy_an_adjacency_graph_and_a_graph_say_who_are_neighbours() -> None:
    policy = Policy(ILLNESS, 2)
    assert adjacency_of(policy) == adjacency_of(policy.adjacency()) == policy.adjacency()
    assert adjacency_of(ILLNESS).explicit() is ILLNESS
    with pytest.raises(InvalidGraph, match=r"a Policy, an AdjacencyGraph or a Graph .*got None"):
        adjacency_of(None)  # type: ignore[arg-type]
