"""Adjacency graphs of policies: which databases are neighbours, given what is public?

Under constraints the neighbours are the minimally secretly different databases (Definition 2 of
[Edwards2021]), and every pair must be compared with the others. No package does it, so the peers
are the definition in plain Python, and in numpy as one product of matrices for each database. The
limit is the memory: a copy of the edges that are found.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

import leaktight as lt
from benchmarks.case import Case, NotTried
from benchmarks.inputs import Indices


class Given(NamedTuple):
    """A policy, its databases as positions of values, and the edges that are to be found."""

    policy: lt.Policy
    rows: Indices
    secret: Any
    edges: Indices
    buffer: Indices


def prepared(make: Callable[[int], lt.Policy]) -> Callable[[int], Given]:
    """Make the input of a case from its policy."""

    @cache
    def known(n: int) -> tuple[Indices, Indices, Any]:
        policy = make(n)
        values = range(policy.secrets.order)
        joined = set(map(frozenset, policy.secrets.edge_pairs()))
        secret = np.array([[frozenset((u, v)) in joined for v in values] for u in values])
        return np.array(policy.databases()), policy.adjacency().explicit().edges, secret

    def prepare(n: int) -> Given:
        rows, edges, secret = known(n)
        return Given(make(n), rows, secret, edges, np.empty_like(edges))

    return prepare


def ours(given: Given) -> int:
    """Return the checksum of our edges."""
    return checksum(given.policy.adjacency().explicit().edges)


def checksum(edges: Indices) -> int:
    """Return a number that tells lists of edges apart, small enough to be sent."""
    return crc32(np.ascontiguousarray(edges, dtype=np.int64).tobytes())


def by_definition(given: Given) -> int:
    """Go through all databases D″ for all pairs (D, D′), in Python's sets."""
    rows = given.rows.tolist()
    found = set()
    for i, d in enumerate(rows):
        total = [{(k, v) for k, v in enumerate(e) if v != d[k]} for e in rows]
        secret = [{(k, v) for k, v in t if given.secret[d[k], v]} for t in total]
        some = [j for j, s in enumerate(secret) if s]
        for e in some:
            s, t = secret[e], total[e]
            if not any(secret[f] < s or (secret[f] == s and total[f] < t) for f in some):
                found.add((min(i, e), max(i, e)))
    return checksum(np.array(sorted(found)))


def in_numpy(given: Given) -> int:
    """Compare all pairs (D′, D″) for each D at once: A ⊆ B where none of A is outside of B."""
    rows, values = given.rows, len(given.secret)
    found = set()
    for i, d in enumerate(rows):
        changed = rows != d
        places = np.arange(rows.shape[1]) * values + rows
        at = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)
        total, secret = np.zeros((2, len(rows), rows.shape[1] * values), dtype=np.float32)
        total[at[changed], places[changed]] = 1
        hidden = given.secret[d, rows]
        secret[at[hidden], places[hidden]] = 1
        some = np.flatnonzero(secret.any(axis=1))
        total, secret = total[some], secret[some]
        within = secret @ (1 - secret).T == 0
        smaller = total @ (1 - total).T == 0
        less = within & (~within.T | (smaller & ~smaller.T))
        found |= {(min(i, e), max(i, e)) for e in some[~less.any(axis=0)].tolist()}
    return checksum(np.array(sorted(found)))


def copied(given: Given) -> None:
    """Write down the edges that others have found."""
    np.copyto(given.buffer, given.edges)


def same_edges(answers: Mapping[str, Any]) -> str:
    """Demand that all have found the same edges."""
    found = {way: answer for way, answer in answers.items() if way != "memory"}
    assert len(set(found.values())) == 1, found
    return "the same edges" if len(found) > 1 else "the others are too slow to compare"


def known_positives(k: int) -> lt.Policy:
    """2k binary records, of which k are known to be positive."""
    positive = lt.count([1], equals=k)
    return lt.Policy(lt.SecretGraph.complete(2), 2 * k, constraints=[positive])


HISTOGRAMS = {24: (1, 1, 1, 1), 180: (2, 2, 1, 1), 2520: (2, 2, 2, 2), 7560: (3, 2, 2, 2)}
"""Public histograms of four values, by the number of databases that have them."""


def histogram(secrets: lt.SecretGraph) -> Callable[[int], lt.Policy]:
    """Records on four values whose histogram is public."""

    def policy(n: int) -> lt.Policy:
        times = HISTOGRAMS[n]
        public = [lt.count([value], equals=k) for value, k in enumerate(times)]
        return lt.Policy(secrets, sum(times), constraints=public)

    return policy


@cache
def listed(n: int) -> list[tuple[int, ...]]:
    """Random databases of 8 records on 4 values, with no symmetry to use."""
    codes = np.random.default_rng(3).choice(4**8, n, replace=False)
    return [tuple(code // 4**k % 4 for k in range(8)) for code in codes.tolist()]


def random_list(secrets: lt.SecretGraph) -> Callable[[int], lt.Policy]:
    """A policy that lists its databases."""
    return lambda n: lt.Policy(secrets, 8, databases=listed(n))


def shape(policy: lt.Policy) -> tuple[Any, ...]:
    """How wide is the graph of independent records?"""
    graph = policy.adjacency()
    return graph.diameter, graph.radius, graph.component_count


def in_networkx(policy: lt.Policy) -> tuple[Any, ...]:
    """Answer the same from the product, written out."""
    import networkx

    if policy.secrets.order**policy.records > 10**6:
        raise NotTried("the product is too large to be written out")
    line = networkx.path_graph(policy.secrets.order)
    graph = networkx.path_graph(1)
    for _ in range(policy.records):
        graph = networkx.cartesian_product(graph, line)
    farthest = networkx.eccentricity(graph).values()
    return max(farthest), min(farthest), networkx.number_connected_components(graph)


WAYS = {"leaktight": ours, "plain Python": by_definition, "numpy": in_numpy, "memory": copied}


def family(task: str, sizes: tuple[int, ...], make: Callable[[int], lt.Policy]) -> Case:
    """Compare on policies of growing size, counted in databases."""
    return Case(
        task=f"neighbours, {task}",
        sizes=sizes,
        prepare=prepared(make),
        ways=WAYS,
        agree=same_edges,
        limit="memory",
        quick=1,
        rounds=3,
        patience=4,
        scale_name="databases",
    )


CASES = (
    Case(
        task="neighbours, 2·{n} binary records of which {n} are positive",
        sizes=(3, 4, 5, 6, 7),
        prepare=prepared(known_positives),
        ways=WAYS,
        agree=same_edges,
        limit="memory",
        quick=2,
        rounds=3,
        patience=4,
        scale=lambda k: math.comb(2 * k, k),
        scale_name="databases",
    ),
    family(
        "public histogram of {n} databases, all values secret",
        tuple(HISTOGRAMS),
        histogram(lt.SecretGraph.complete(4)),
    ),
    family(
        "public histogram of {n} databases, values in a line",
        tuple(HISTOGRAMS),
        histogram(lt.SecretGraph.line(4)),
    ),
    family(
        "{n} random databases, all values secret",
        (60, 125, 500),
        random_list(lt.SecretGraph.complete(4)),
    ),
    family(
        "{n} random databases, values in a line",
        (60, 125, 500),
        random_list(lt.SecretGraph.line(4)),
    ),
    Case(
        task="diameter, radius and components of {n} independent records on a line of 10",
        sizes=(1, 2, 3, 4, 1000, 10**6),
        prepare=lambda n: lt.Policy(lt.SecretGraph.line(10), n),
        ways={"leaktight": shape, "networkx": in_networkx},
        patience=4,
        scale_name="records",
        note="the product is never written out, so that the number of records does not matter",
    ),
)
