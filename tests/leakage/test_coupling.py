"""How many others a coupling must change, against all databases that agree with the counts."""

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from leaktight.leakage.under_counts import Coupling
from leaktight.policies import Policy, SecretGraph, count


@pytest.mark.parametrize("d", [3, 4])
def test_all_others_may_have_to_change(d: int) -> None:
    """d sets, values 1 − e_i, 1 and 0, d records and counts d − 1: m = d − 1."""
    values = [tuple(int(i != j) for j in range(d)) for i in range(d)] + [(1,) * d, (0,) * d]
    told = [count([v for v in values if v[j]], equals=d - 1) for j in range(d)]
    policy = Policy(SecretGraph.complete(values), d, constraints=told)
    possible = [
        database for database in product(values, repeat=d)
        if all(sum(v[j] for v in database) == d - 1 for j in range(d))
    ]  # fmt: skip
    others = {u: {tuple(sorted(rest)) for first, *rest in possible if first == u} for u in values}
    # Each value of a person leaves one histogram of the others: there is no choice of a coupling.
    assert all(len(found) == 1 for found in others.values())
    apart = max(
        sum((Counter(*others[u]) - Counter(*others[v])).values()) for u in values for v in values
    )
    coupling = Coupling.of(policy, None)
    assert coupling.others == apart == d - 1
    # The two databases are neighbours all the same.
    assert coupling.steps == 1
    here, there = tuple(values[:d]), (*((1,) * d for _ in range(d - 1)), (0,) * d)
    assert there in policy.adjacency().explicit().neighbours(here)


def apart(policy: Policy) -> list[tuple[int, int]]:
    """The distance of databases in the graph of all, and the steps, for what may be coupled."""
    coupling, graph = Coupling.of(policy, None), policy.adjacency()
    values = policy.secrets.vertices
    cell = {values[v]: i for i, cell in enumerate(coupling.cells) for v in cell}
    found, databases = [], list[Any](graph.vertices)
    for here, there in product(databases, repeat=2):
        cells = [(cell[u], cell[v]) for u, v in zip(here, there, strict=True)]
        (i, j), others = cells[0], cells[1:]
        stay = all(u == v or a != b for (a, b), u, v in zip(cells, here, there, strict=True))
        change = np.zeros(len(coupling.cells), dtype=int)
        for a, b in others:
            change[b] += 1
            change[a] -= 1
        direct = sum(a != b for a, b in others) == np.abs(change).sum() // 2
        if i != j and stay and direct:  # nobody takes a way round
            steps = coupling._steps(i, j, tuple(change.tolist()))
            found.append((int(graph.distance(here, there)), steps))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_no_databases_so_coupled_are_more_steps_apart(seed: int) -> None:
    chosen = Random(seed)
    values, n = range(chosen.randint(3, 5)), chosen.randint(2, 4)
    some = tuple(chosen.choice(values) for _ in range(n))
    sets = [{v for v in values if chosen.random() < 0.6} for _ in range(chosen.randint(1, 3))]
    told = [count(s, equals=sum(v in s for v in some)) for s in sets if s]
    found = apart(Policy(SecretGraph.complete(len(values)), n, constraints=told))
    assert all(distance <= steps for distance, steps in found)


def test_some_are_two_steps_apart() -> None:
    """Two bits with public counts: 00 and 11 may become 01 and 10 beside the person's own move."""
    values = list(product((0, 1), repeat=2))
    told = [count([v for v in values if v[bit]], equals=2) for bit in (0, 1)]
    found = apart(Policy(SecretGraph.complete(values), 5, constraints=told))
    assert {*found} == {(1, 1), (2, 2)}
