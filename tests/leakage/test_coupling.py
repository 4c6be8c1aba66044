"""How many others a coupling must change, against all databases that agree with the counts."""

from collections import Counter
from itertools import product

import pytest

from leaktight.leakage.coupling import Coupling
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
    assert coupling.steps == d // 2
    # The two databases are neighbours all the same.
    here, there = tuple(values[:d]), (*((1,) * d for _ in range(d - 1)), (0,) * d)
    assert there in policy.adjacency().explicit().neighbours(here)
