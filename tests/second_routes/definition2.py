"""Definition 2 of [Edwards2021]_ to the letter: the slow second route."""

from collections.abc import Sequence
from typing import Any

from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy

Database = tuple[Any, ...]


def total_difference(d: Database, e: Database) -> frozenset[tuple[int, Any, Any]]:
    return frozenset((i, u, v) for i, (u, v) in enumerate(zip(d, e, strict=True)) if u != v)


def secret_difference(d: Database, e: Database, secrets: Graph) -> frozenset[tuple[int, Any, Any]]:
    joined = secrets.edge_pairs()
    return frozenset(
        (i, u, v) for i, u, v in total_difference(d, e) if (u, v) in joined or (v, u) in joined
    )


def minimal_from(d: Database, databases: Sequence[Database], secrets: Graph) -> set[int]:
    """The positions of the D′ with D → D′, by a loop over all pairs (D′, D″)."""
    s = [secret_difference(d, e, secrets) for e in databases]
    t = [total_difference(d, e) for e in databases]
    n = range(len(databases))
    return {
        e
        for e in n
        if s[e] and not any(s[f] and (s[f] < s[e] or (s[f] == s[e] and t[f] < t[e])) for f in n)
    }


def minimally_secretly_different(
    databases: Sequence[Database], secrets: Graph
) -> set[tuple[int, int]]:
    """The pairs of positions (D, D′) with D → D′."""
    return {(i, j) for i, d in enumerate(databases) for j in minimal_from(d, databases, secrets)}


def adjacency(policy: Policy) -> tuple[set[frozenset[Any]], set[tuple[Any, Any]]]:
    """The neighbours read in either direction, and the one-way pairs, by name."""
    names = policy.databases()
    rows: list[Any] = [(name,) for name in names] if policy.records == 1 else list(names)
    pairs = minimally_secretly_different(rows, policy.secrets)
    return (
        {frozenset((names[i], names[j])) for i, j in pairs},
        {(names[i], names[j]) for i, j in pairs if (j, i) not in pairs},
    )
