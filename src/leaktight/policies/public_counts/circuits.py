"""Circuits: kinds whose vectors satisfy one linear relation, and no others.

A circuit of rank r has r + 1 different vectors, each taken as often as the determinant of the
others says, without what these have in common. Long ones are looked for by exchanging one vector at
a time. Floats propose; a circuit is returned if it is one in whole numbers.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from flint import fmpz_mat

from leaktight.exact.threads import one_thread
from leaktight.policies.public_counts.cells import Table

MOST_EXCHANGES = 800
"""The most exchanges that are tried."""

MOST_SOLVED = 2 * 10**6
"""The most entries of the systems of equations that are solved, one after the other."""

MOST_TIMES = 10**6
"""The most often that a vector is taken."""

MOST_VECTORS = 512
"""Of so many vectors all are tried; of more the heaviest, and a sample of the others."""


@one_thread()
def circuits(vectors: Table, weights: npt.NDArray[np.float64], most: int) -> Table:
    """Return circuits of at most ``most`` vectors, a row each, whose weights grow from row to row.

    >>> moves = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1], [1, 0], [-1, 0], [0, 1], [0, -1]])
    >>> circuits(moves, np.ones(8), 99)[-1].sum().item()
    4
    """
    some = np.random.default_rng(0).permutation(len(vectors))
    heavy = some[np.argsort(-weights[some], kind="stable")[: MOST_VECTORS // 2]]
    some = np.append(heavy, some[~np.isin(some, heavy)][: MOST_VECTORS - len(heavy)])
    grown = list(_grown(vectors[some], weights[some], most))
    found = np.zeros((len(grown), len(vectors)), dtype=np.int64)
    found[:, some] = np.array(grown, dtype=np.int64).reshape(len(grown), len(some))
    return found[np.array([is_circuit(vectors, row) for row in found], dtype=bool)]


def is_circuit(vectors: Table, times: Table) -> bool:
    """Say whether so many of each vector add up to zero, and satisfy no other relation."""
    used = np.flatnonzero(times)
    if not len(used) or (times < 0).any() or np.gcd.reduce(times[used]) != 1:
        return False
    some = fmpz_mat(vectors[used].tolist())
    total = fmpz_mat([times[used].tolist()]) * some
    return bool(some.rank() == len(used) - 1) and not any(total.entries())


def _grown(vectors: Table, weights: npt.NDArray[np.float64], most: int) -> Iterator[Table]:
    """Propose multisets of rising weight: from random vectors on, one is exchanged for the best."""
    independent = _independent(vectors) if vectors.size else []
    number, rank = len(vectors), len(independent)
    if number <= rank or not rank:
        return
    floats = vectors[:, independent].astype(float)
    random, best = np.random.default_rng(0), 0.0
    left = min(MOST_EXCHANGES, MOST_SOLVED // (number * rank))
    while left > 0:
        chosen, reached, kept = random.choice(number, rank + 1, replace=False), 0.0, 0
        while kept <= rank and left > 0:
            left, kept = left - 1, kept + 1
            rest = np.delete(chosen, left % (rank + 1))
            times, often = _closing(floats, rest)
            if not often:
                continue
            sizes = times.sum(axis=0) + often
            fits = (times >= 0).all(axis=0) & (times.max(axis=0) <= MOST_TIMES)
            common = np.gcd(np.gcd.reduce(times, axis=0), often)
            added = np.where(
                fits & (sizes <= most * common),
                (weights[rest] @ times + weights * often) / common,
                -np.inf,
            )
            last = int(random.choice(np.flatnonzero(added == added.max())))
            if added[last] <= reached:
                continue
            chosen, reached, kept = np.append(rest, last), float(added[last]), 0
            if reached > best:
                best = reached
                row = np.zeros(number, dtype=np.int64)
                row[rest] = times[:, last] // common[last]
                row[last] += often // common[last]
                yield row


def _closing(floats: npt.NDArray[np.float64], rest: Table) -> tuple[Table, int]:
    """Return how often some vectors are taken with each vector so that they add up to zero.

    The other number is how often that vector is taken; it is 0 if some are not independent.
    """
    matrix = floats[rest].T
    often = round(abs(float(np.linalg.det(matrix))))
    if not 0 < often <= MOST_TIMES:
        return np.zeros((len(rest), len(floats)), dtype=np.int64), 0
    times = -np.linalg.solve(matrix, floats.T) * often
    return np.rint(times.clip(-(2.0**40), 2.0**40)).astype(np.int64), often


def _independent(vectors: Table) -> list[int]:
    """Return coordinates that are independent and determine all others."""
    reduced, _, rank = fmpz_mat(vectors.tolist()).rref()
    rows = reduced.tolist()[:rank]
    return [next(q for q, entry in enumerate(row) if entry != 0) for row in rows]
