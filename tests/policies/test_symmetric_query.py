"""Which counts of the others matter, against all that there are."""

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import combinations_with_replacement

import pytest

from leaktight.errors import TooLarge
from leaktight.policies.fibres import fibres
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import MostCommonQuery, all_counts

Answers = tuple[Hashable, ...]


def every_count(values: tuple[str, ...], records: int) -> list[Counter[str]]:
    return [Counter(some) for some in combinations_with_replacement(values, records)]


def answers(values: tuple[str, ...], others: Iterable[Hashable]) -> Answers:
    """What most records have, for each value of one record more."""
    found: list[Hashable] = []
    for value in values:
        first, *rest = Counter([*others, value]).most_common()
        found.append("tie" if rest and rest[0][1] == first[1] else first[0])
    return tuple(found)


@pytest.mark.parametrize("values", [("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")])
@pytest.mark.parametrize("records", range(10))
def test_all_counts_are_all_there_are(values: tuple[str, ...], records: int) -> None:
    found = list(all_counts(values, records))
    assert len(found) == len(every_count(values, records))
    assert all(count in found for count in every_count(values, records))


@pytest.mark.parametrize("values", [("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")])
@pytest.mark.parametrize("records", range(12))
def test_who_leads_decides_all_that_one_more_vote_can_do(
    values: tuple[str, ...], records: int
) -> None:
    most, kinds = MostCommonQuery().kinds_of_others(values, records)
    listed = list(kinds)
    assert len(listed) <= most <= len(every_count(values, records))
    assert all(sum(counts.values()) == records for counts in listed)
    found = {answers(values, Counter(counts).elements()) for counts in listed}
    assert found == {answers(values, some.elements()) for some in every_count(values, records)}


@pytest.mark.parametrize("records", [100, 10**9])
def test_a_vote_among_any_number_is_of_as_many_kinds(records: int) -> None:
    """Of four cities 11 sets can lead together; one leads alone with 8 sets of others behind it."""
    cities = Policy(SecretGraph.complete(4), records)
    kinds = list(fibres(cities, MostCommonQuery()))
    assert len(kinds) <= 11 + 4 * 8
    # One vote turns any result into any other: two cities that lead together wait for it, or one
    # leads by one vote.
    graph = answer_graph(cities, MostCommonQuery())
    assert set(graph.vertices) == {0, 1, 2, 3, "tie"}
    assert graph.size == 10


def test_a_vote_of_too_many_kinds_is_refused() -> None:
    with pytest.raises(TooLarge, match="fewer records, or fewer values"):
        next(fibres(Policy(SecretGraph.complete(40), 100), MostCommonQuery()))
