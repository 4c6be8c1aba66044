"""Graphs and policies that are valid by construction."""

import itertools
from functools import cache
from typing import Any

from hypothesis import strategies as st

from leaktight.policies.constraint import Count, count
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph

KINDS = st.sampled_from(["any", "any", "any", "none", "all"])


@cache  # or each would be made and looked through anew whenever it is drawn from
def some_pairs(n: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Any pairs of n vertices."""
    return st.lists(st.sampled_from([*itertools.combinations(range(n), 2)]), unique=True)


@st.composite
def secret_graphs(draw: st.DrawFn, least: int = 1, most: int = 5) -> SecretGraph:
    """Graphs on the letters a, b, …: connected or not, without edges, or complete."""
    n = draw(st.integers(least, most))
    kind = draw(KINDS)
    pairs = [*itertools.combinations(range(n), 2)]
    if kind == "any" and pairs:
        pairs = draw(some_pairs(n))
    return SecretGraph.from_indices(list("abcdefgh")[:n], [] if kind == "none" else pairs)


@st.composite
def record_values(draw: st.DrawFn, secrets: SecretGraph, records: int) -> list[list[Any]]:
    """A non-empty set of values for each record."""
    domain = st.lists(st.sampled_from(secrets.vertices), min_size=1, unique=True)
    return draw(st.lists(domain, min_size=records, max_size=records))


@st.composite
def counts_of(draw: st.DrawFn, secrets: SecretGraph, database: tuple[Any, ...]) -> list[Count]:
    """One to three count constraints that ``database`` satisfies."""
    constraints = []
    for _ in range(draw(st.integers(1, 3))):
        values = draw(st.lists(st.sampled_from(secrets.vertices), min_size=1, unique=True))
        true = sum(value in values for value in database)
        least, most = draw(st.integers(0, true)), draw(st.integers(true, len(database)))
        constraints.append(
            draw(
                st.sampled_from(
                    [
                        count(values, equals=true),
                        count(values, at_least=least),
                        count(values, at_most=most),
                        count(values, at_least=least, at_most=most),
                    ]
                )
            )
        )
    return constraints


@st.composite
def constrained_policies(draw: st.DrawFn) -> Policy:
    """Policies with up to 4 values and 4 records, constrained in each of the ways there are."""
    secrets = draw(secret_graphs(most=4))
    records = draw(st.integers(1, {1: 4, 2: 4, 3: 3, 4: 2}[secrets.order]))
    domains = draw(st.none() | record_values(secrets, records))
    rows = list(itertools.product(*(domains or [list(secrets.vertices)] * records)))
    chosen = draw(st.lists(st.sampled_from(rows), min_size=1, max_size=20, unique=True))
    named = [row[0] for row in chosen] if records == 1 else chosen
    way = draw(st.sampled_from(["listed", "predicate", "counts", "counts and predicate"]))
    if way == "listed":
        return Policy(secrets, records, databases=named)
    constraints = draw(counts_of(secrets, chosen[0])) if "counts" in way else []
    predicate = (lambda database: database in named) if "predicate" in way else None
    return Policy(secrets, records, values=domains, constraints=constraints, predicate=predicate)
