"""Why databases are neighbours, against the adjacency graph of the same policy."""

import random
from itertools import product

import pytest

from leaktight.errors import InvalidPolicy, Mismatch
from leaktight.policies import Policy, SecretGraph, count, secret_difference, total_difference
from leaktight.policies.graph import Graph
from tests.strategies.public_counts import random_counted_policy


def test_the_differences_have_the_record_and_both_values() -> None:
    joined = Graph(["a", "b", "c"], [("a", "b")])
    assert total_difference("aab", "bac") == {(0, "a", "b"), (2, "b", "c")}
    assert secret_difference("aab", "bac", joined) == {(0, "a", "b")}
    with pytest.raises(Mismatch, match="equally many records"):
        total_difference("aa", "a")


@pytest.mark.parametrize("seed", range(4))
def test_the_explanation_agrees_with_the_adjacency_graph(seed: int) -> None:
    rng = random.Random(seed)
    seen = set()
    for _ in range(12):
        if rng.random() < 0.5:
            policy = random_counted_policy(rng)
            if policy.database_count > 30:
                continue
        else:
            edges = [pair for pair in [(0, 1), (1, 2), (0, 2)] if rng.random() < 0.6]
            some = rng.sample(list(product(range(3), repeat=2)), rng.randint(2, 6))
            policy = Policy(Graph(3, edges), 2, databases=some)
        graph = policy.adjacency().explicit()
        joined = set(graph.edge_pairs())
        for one, other in product(graph.vertices, repeat=2):
            found = policy.explain_neighbours(one, other)
            assert bool(found) == ((one, other) in joined or (other, one) in joined)
            seen.add(bool(found))
    assert seen == {True, False}


def test_what_rules_neighbours_out_is_named() -> None:
    secrets = SecretGraph.complete(["flu", "cold", "none"])
    free = Policy(secrets, 10**5)
    healthy = ("none",) * 10**5
    two = ("flu", "cold", *healthy[2:])
    found = free.explain_neighbours(healthy, two)
    assert not found
    assert found.forth.closer == ("flu", *healthy[1:])
    assert free.explain_neighbours(healthy, ("flu", *healthy[1:]))
    known = Policy(secrets, 3, constraints=[count(["flu"], equals=1)])
    swapped = known.explain_neighbours(("flu", "cold", "none"), ("cold", "flu", "none"))
    assert swapped
    assert swapped.forth.total == swapped.forth.secret == {(0, "flu", "cold"), (1, "cold", "flu")}
    published = Policy(secrets, 2, constraints=[count(["flu"], published=True)])
    apart = published.explain_neighbours(("flu", "cold"), ("none", "cold"))
    assert not apart
    assert "is published and differs" in str(apart)
    line = Policy(SecretGraph.line(["low", "middle", "high"]))
    assert "changes no secret pair" in str(line.explain_neighbours("low", "high"))
    assert "they are the same" in str(line.explain_neighbours("low", "low"))


def test_only_possible_databases_are_compared() -> None:
    known = Policy(SecretGraph.complete(2), 2, constraints=[count([0], equals=1)])
    with pytest.raises(Mismatch, match="possible"):
        known.explain_neighbours((0, 0), (0, 1))
    with pytest.raises(InvalidPolicy, match="2 values"):
        known.explain_neighbours((0,), (0, 1))
    some = Policy(SecretGraph.complete(3), 2, values=[[0, 1], [1, 2]])
    with pytest.raises(Mismatch, match="record 1 may have"):
        some.explain_neighbours((0, 0), (0, 1))
