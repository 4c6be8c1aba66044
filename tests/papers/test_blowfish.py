"""Blowfish policies and their adjacency graphs: [Edwards2021]_, Sections II and III.

Definition 2 of [Alvim2011b]_, the relation on answers, is here too.
"""

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest

from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from tests.second_routes.definition2 import minimally_secretly_different

Rows = dict[Any, list[Fraction]]


def policies(records: int, values: int, secrets: SecretGraph) -> list[Policy]:
    """All policies with these secrets: every non-empty set of databases."""
    rows = list(itertools.product(range(values), repeat=records))
    return [
        Policy(secrets, records, databases=some)
        for k in range(1, len(rows) + 1)
        for some in itertools.combinations(rows, k)
    ]


def test_680_of_the_2044_policies_on_two_records_of_three_values_are_not_symmetric() -> None:
    """E-D2: n = 2, |T| = 3, the secret graph up to isomorphism."""
    shapes = [SecretGraph(3, [(0, 1), (1, 2), (0, 2)][:k]) for k in range(4)]
    found = [
        policy.adjacency().is_symmetric for shape in shapes for policy in policies(2, 3, shape)
    ]
    assert len(found) == 2044
    assert found.count(False) == 680


def test_policies_of_one_record_are_always_symmetric() -> None:
    """E-D2: all secret graphs on 3 values and all sets of them."""
    for edges in itertools.product([False, True], repeat=3):
        secrets = SecretGraph(3, itertools.compress([(0, 1), (1, 2), (0, 2)], edges))
        for k in (1, 2, 3):
            for some in itertools.combinations(range(3), k):
                graph = Policy(secrets, databases=some).adjacency()
                assert graph.is_symmetric
                assert graph.explicit() == secrets.subgraph(some)


@pytest.mark.parametrize(("records", "values"), [(2, 2), (2, 3), (3, 2)])
def test_a_complete_secret_graph_is_always_symmetric(records: int, values: int) -> None:
    """E-D2: being between D and D′ is symmetric."""
    secrets = SecretGraph.complete(values)
    assert all(policy.adjacency().is_symmetric for policy in policies(records, values, secrets))


def test_theorem_4_an_unconstrained_policy_gives_the_cartesian_power() -> None:
    """E-T4. P3 □ P3 has 12 edges; all graphs on up to 3 values, up to 3 records, enumerated."""
    assert Policy(SecretGraph.line(3), 2).adjacency().size == 12
    for values, records in [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]:
        pairs = list(itertools.combinations(range(values), 2))
        for chosen in itertools.product([False, True], repeat=len(pairs)):
            secrets = SecretGraph(values, itertools.compress(pairs, chosen))
            policy = Policy(secrets, records)
            names = policy.databases()
            rows = [(name,) for name in names] if records == 1 else names
            expected = {
                (i, j)
                for i, j in minimally_secretly_different(rows, secrets)  # type: ignore[arg-type]
                if i < j
            }
            assert {(i, j) for i, j in policy.adjacency().edges.tolist()} == expected


def test_theorem_4_holds_for_records_with_their_own_values() -> None:
    """The proof needs only that one record can change alone; 100 policies, enumerated."""
    draw = random.Random(4)
    for _ in range(100):
        secrets = SecretGraph(
            4, [e for e in itertools.combinations(range(4), 2) if draw.random() < 0.5]
        )
        values = [draw.sample(range(4), draw.randint(1, 3)) for _ in range(3)]
        product = Policy(secrets, 3, values=values)
        listed = Policy(secrets, 3, databases=itertools.product(*map(sorted, values)))
        assert product.adjacency().explicit() == listed.adjacency().explicit()
        assert listed.adjacency().is_symmetric


def is_private(rows: Rows, arcs: set[tuple[Any, Any]], ratio: Fraction) -> bool:
    """Whether K(z|D) ≤ ratio · K(z|D′) for all D → D′."""
    return all(
        here <= ratio * there for d, e in arcs for here, there in zip(rows[d], rows[e], strict=True)
    )


def directions(policy: Policy) -> tuple[set[tuple[Any, Any]], set[tuple[Any, Any]]]:
    """The pairs of Definition 2 to the letter, and those of our graph in both directions."""
    graph = policy.adjacency()
    edges = graph.explicit().edge_pairs()
    union = {*edges, *((e, d) for d, e in edges)}
    return union - {(e, d) for d, e in graph.one_way}, union


def total_of_maxima(rows: Rows) -> Fraction:
    assert all(sum(row) == 1 for row in rows.values())
    return sum(map(max, zip(*rows.values(), strict=True)), Fraction(0))


def test_theorem_11_is_false_one_way_on_eleven_databases() -> None:
    """E-T11, erratum 2. One way, Σ max = 3/2 > (11/10)^4 although the diameter is 4."""
    pairs = [(a, b) for a in range(3, 8) for b in (0, 1)]
    policy = Policy(SecretGraph(8, [(0, 1)]), 2, databases=[(2, 0), *pairs])
    graph = policy.adjacency()
    assert set(graph.one_way) == {((2, 0), (a, 1)) for a in range(3, 8)}
    assert graph.component_diameters == {4: 1}

    ratio = Fraction(11, 10)
    rows: Rows = {(2, 0): [Fraction(1), *[Fraction(0)] * 5]}
    for a in range(3, 8):
        rest = [{0: ratio - 1, 1: 1 - 1 / ratio}, {0: 2 - ratio, 1: 1 / ratio}]
        for b in (0, 1):
            own = [rest[0][b] if k == a else Fraction(0) for k in range(3, 8)]
            rows[(a, b)] = [rest[1][b], *own]
    one_way, union = directions(policy)
    assert is_private(rows, one_way, ratio)
    assert not is_private(rows, union, ratio)
    assert total_of_maxima(rows) == Fraction(3, 2) > ratio**4


def test_theorem_11_is_false_one_way_on_eight_databases() -> None:
    """E-T11, erratum 2. One way, Σ max = 108/101 > (51/50)^3 although the diameter is 3."""
    texts = ["21", "20", "30", "00", "12", "02", "11", "31"]
    databases = [(int(text[0]), int(text[1])) for text in texts]
    policy = Policy(SecretGraph(4, [(0, 1)]), 2, databases=databases)
    graph = policy.adjacency()
    beside = {(0, 0): [(2, 1), (1, 2), (3, 1)], (1, 1): [(2, 0), (0, 2), (3, 0)]}
    assert set(graph.one_way) == {(d, e) for d, around in beside.items() for e in around}
    assert graph.component_diameters == {3: 1}

    # An output for 00, one for 11, and one for each of the six databases beside them.
    ratio, step = Fraction(51, 50), Fraction(1, 101)
    six = beside[0, 0] + beside[1, 1]
    rows: Rows = {
        (0, 0): [51 * step, 50 * step, *[Fraction(0)] * 6],
        (1, 1): [50 * step, 51 * step, *[Fraction(0)] * 6],
    }
    for near, far in zip(beside[0, 0], beside[1, 1], strict=True):
        for own, other, at in ((near, far, 0), (far, near, 1)):
            row = [50 * step / ratio] * 2
            row[at] = 50 * step
            row += [step if z == own else step / ratio if z == other else Fraction(0) for z in six]
            rows[own] = row
    one_way, union = directions(policy)
    assert is_private(rows, one_way, ratio)
    assert not is_private(rows, union, ratio)
    assert total_of_maxima(rows) == Fraction(108, 101) > ratio**3
