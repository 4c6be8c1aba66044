"""What any private mechanism earns at most, by a linear program over all its entries."""

import itertools
import os
import random
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from scipy.optimize import linprog
from scipy.sparse import coo_array

from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import Polygon
from leaktight.curves.shapes import Enclosed

Pairs = list[tuple[fmpq, fmpq]]


def instances(few: int) -> range:
    """Seeds of random instances: some, or as many as LEAKTIGHT_INSTANCES says (200 for a proof)."""
    return range(int(os.environ.get("LEAKTIGHT_INSTANCES", few)))


def direct(
    worth: np.ndarray,
    arcs: list[tuple[int, int]],
    pairs: Pairs | dict[tuple[int, int], Pairs],
) -> float:
    """Maximise Σ W·K over all K with Σ_y (K(y|x) − λ·K(y|x′))⁺ ≤ δ for each arc and pair."""
    v, m = worth.shape
    kinds = [(arc, p) for arc in arcs for p in (pairs[arc] if isinstance(pairs, dict) else pairs)]
    entries: list[tuple[int, int, float]] = []
    limits: list[float] = []
    for e, ((x, other), (ratio, delta)) in enumerate(kinds):
        slack = [v * m + e * m + y for y in range(m)]
        for y in range(m):
            row = len(limits)
            entries += [(row, x * m + y, 1.0), (row, other * m + y, -float(ratio))]
            entries.append((row, slack[y], -1.0))
            limits.append(0.0)
        entries += [(len(limits), at, 1.0) for at in slack]
        limits.append(float(delta))
    columns = v * m + len(kinds) * m
    sums = coo_array(
        (np.ones(v * m), (np.repeat(np.arange(v), m), np.arange(v * m))), shape=(v, columns)
    )
    rows, places, values = zip(*entries, strict=True) if entries else ((), (), ())
    cost = np.concatenate([-worth.ravel(), np.zeros(columns - v * m)])
    limited = coo_array((values, (rows, places)), shape=(len(limits), columns)) if limits else None
    return highest(cost, limited, limits or None, sums)


def highest(cost: Any, limited: Any, limits: Any, sums: Any) -> float:
    """Return the largest −c·x with rows of at most some limits, and others that sum to 1."""
    solver: Any = linprog
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    # Now and then HiGHS gives up at such tolerances by one way, and not by another.
    for method, presolve in itertools.product(("highs", "highs-ipm", "highs-ds"), (True, False)):
        best = solver(
            cost,
            A_ub=limited,
            b_ub=limits,
            A_eq=sums,
            b_eq=np.ones(sums.shape[0]),
            method=method,
            options=tight | {"presolve": presolve},
        )
        if best.status == 0:
            break
    assert best.status == 0, best.message
    return float(-best.fun)


def slack(pairs: Pairs) -> float:
    """How far the solver may be off: with ratios of 10⁸ it was wrong by 2·10⁻⁵, as proofs show."""
    return 1e-10 + 1e-12 * max(float(ratio) for ratio, _ in pairs)


def all_pairs(v: int) -> list[tuple[int, int]]:
    return list(itertools.permutations(range(v), 2))


def both(edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [arc for i, h in edges for arc in ((i, h), (h, i))]


def guessing(prior: list[Fraction]) -> np.ndarray:
    return np.diag([float(p) for p in prior])


def random_pairs(draw: random.Random, most: int = 3) -> Pairs:
    """Pure, approximate, δ = 1, λ = 1, several at once; or lines that touch a Gaussian curve."""
    if draw.random() < 0.2:
        mu = Fraction(draw.randint(2, 30), 10)
        return list(PrivacyCurve.gaussian(mu).polygons(3).upper.pairs)
    kinds = [fmpq(0), fmpq(0), fmpq(1), fmpq(draw.randint(0, 7), 10), fmpq(1, 1000)]
    return [
        (
            draw.choice([fmpq(1), 1 + fmpq(draw.randint(0, 30), draw.randint(1, 9))]),
            draw.choice(kinds),
        )
        for _ in range(draw.randint(1, most))
    ]


def random_prior(draw: random.Random, v: int) -> list[Fraction]:
    """Zeros and ties are common."""
    weights = [draw.choice([0, 1, 1, 2, draw.randint(0, 9)]) for _ in range(v)]
    weights[draw.randrange(v)] += 1
    return [Fraction(w, sum(weights)) for w in weights]


def curve_of(pairs: Pairs) -> PrivacyCurve:
    polygon = Polygon.of_pairs(pairs)
    return PrivacyCurve(Enclosed(polygon, polygon), "pairs")


def keeps(rows: Any, arcs: list[tuple[int, int]], curve: PrivacyCurve) -> bool:
    """Say whether every event has at most g(a), by all events."""
    outputs = range(len(rows[0]))
    for x, other in arcs:
        for event in itertools.product([0, 1], repeat=len(outputs)):
            p, a = (sum(rows[i][y] for y in outputs if event[y]) for i in (x, other))
            if p > 1 - curve.beta(min(a, Fraction(1))).lower:
                return False
    return True
