"""Answer graphs: counting queries without a list against the same with one."""

import itertools
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph, InvalidInput, InvalidNumber, InvalidPolicy, Mismatch
from leaktight.policies.constraint import count
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.query import Sensitivity, answer_graph, sensitivity
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import MostCommonQuery, SumQuery, counting_query
from tests.strategies.fractions import fractions
from tests.strategies.graphs import record_values, secret_graphs


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


# --- sensitivity ---------------------------------------------------------------------------


@settings(deadline=None)
@given(secret_graphs(most=3), st.integers(1, 3), st.data())
def test_the_sensitivity_is_the_largest_difference_over_all_neighbours(
    secrets: SecretGraph, records: int, data: st.DataObject
) -> None:
    policy = Policy(secrets, records, values=data.draw(st.none() | record_values(secrets, records)))
    graph = policy.adjacency().explicit()
    numbers = fractions(-3, 3, max_denominator=4) | st.integers(-3, 3) | st.floats(-3, 3)
    table = {database: data.draw(numbers) for database in graph.vertices}
    found = sensitivity(policy, table)
    gaps = [abs(Fraction(table[a]) - Fraction(table[b])) for a, b in graph.edge_pairs()]
    assert found.value == max(gaps, default=0)
    if found.witness is None:
        assert found.value == 0
    else:
        a, b = found.witness
        assert b in graph.neighbours(a)
        assert abs(Fraction(table[a]) - Fraction(table[b])) == found.value


@settings(deadline=None)
@given(secret_graphs(most=3), st.integers(1, 3), st.data())
def test_a_counting_query_has_its_sensitivity_without_a_list(
    secrets: SecretGraph, records: int, data: st.DataObject
) -> None:
    policy = Policy(secrets, records, values=data.draw(st.none() | record_values(secrets, records)))
    query = counting_query(data.draw(st.lists(st.sampled_from(secrets.vertices), min_size=1)))
    found = sensitivity(policy, query)
    assert found.value == sensitivity(policy, lambda d: query((d,) if records == 1 else d)).value
    if found.witness is not None:
        a, b = found.witness
        assert policy.adjacency().distance(a, b) == 1
        assert abs(query((a,) if records == 1 else a) - query((b,) if records == 1 else b)) == 1


def test_constraints_may_raise_the_sensitivity() -> None:
    """If exactly one record is known to be 2, neighbours may change both records at once."""
    secrets, gap = SecretGraph.complete(3), lambda database: 5 * database[0] - 5 * database[1]
    assert sensitivity(Policy(secrets, 2), gap).value == 10
    found = sensitivity(Policy(secrets, 2, constraints=count([2], equals=1)), gap)
    assert found.value == 20
    assert found.witness == ((0, 2), (2, 0))


def test_a_sensitivity_reads_as_a_sentence_and_needs_numbers() -> None:
    line = SecretGraph.line([0, 10, 20])
    assert str(sensitivity(line, lambda x: x)) == "sensitivity 10: 0 against 10"
    assert str(sensitivity(line, lambda _: 1)) == "sensitivity 0: neighbours have the same answer"
    with pytest.raises(InvalidNumber, match="answers are numbers, got 'high'"):
        sensitivity(line, lambda _: "high")
    with pytest.raises(Mismatch, match="no record can have the value 7"):
        sensitivity(line, counting_query([7]))


@pytest.mark.parametrize("ask", [answer_graph, sensitivity])
def test_a_query_must_be_a_function_or_a_table(ask: Callable[..., object]) -> None:
    with pytest.raises(InvalidInput, match=r"must be a function .* got None"):
        ask(Policy(SecretGraph.complete(2), 2), None)
    with pytest.raises(InvalidGraph, match=r"a Policy, an AdjacencyGraph or a Graph .* got 3"):
        ask(3, sum)


def test_one_other_stays_and_two_others_stay() -> None:
    for others, end in ((1, "; 1 other stays"), (2, "; 2 others stay")):
        found = Sensitivity(Fraction(1), (("a",), ("b",)), {"c": others})
        assert str(found) == f"sensitivity 1: ('a',) against ('b',){end}"


def test_the_one_record_of_a_database_is_not_taken_apart() -> None:
    """A database of one record is its value: 12, and not what 12 is made of."""
    one = Policy(SecretGraph.complete([0, 5, 12]), 1)
    assert sensitivity(one, MostCommonQuery()).value == 12
    assert sensitivity(Policy(one.secrets, 1, databases=[0, 5]), MostCommonQuery()).value == 5


@pytest.mark.parametrize("values", [["a", "b"], [(0, 1), (1, 0)]])
@pytest.mark.parametrize("records", [1, 3])
def test_what_is_no_number_is_not_added_up(values: list[Hashable], records: int) -> None:
    policy = Policy(SecretGraph.complete(values), records)
    for ask in (answer_graph, sensitivity):
        with pytest.raises(InvalidInput, match="a sum needs values that are numbers, got "):
            ask(policy, SumQuery())
    assert SumQuery()((Fraction(1, 2), 1, 0.5)) == 2
