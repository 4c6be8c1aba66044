"""Multisets of vectors that add up to zero, with no part that does.

They are the minimal non-zero solutions of Σ x_σ·σ = 0 in whole numbers x ≥ 0, the Hilbert basis of
these solutions, and finitely many. [Contejean1994]_ finds them by adding a vector to a sum only if
it points back: ⟨sum, σ⟩ < 0. No order of adding is tried twice.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Table: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.int16]

MOST_SUMS = 50_000
"""The most sums of one length that are kept."""

MOST_COMPARISONS = 5 * 10**7
"""The most comparisons of a sum with a solution: a second or two."""

MOST_TIMES = 15
"""The most often that a vector may be taken."""

GUARDS = np.uint64(sum(16 << 5 * digit for digit in range(12)))


@dataclass(frozen=True, slots=True, eq=False)
class ZeroSums:
    """The minimal multisets that add up to zero, a row each; all of them if ``is_complete``."""

    multisets: Table
    is_complete: bool


def zero_sums(vectors: Table) -> ZeroSums:
    """Return the minimal multisets of non-zero ``vectors``, a row each, that add up to zero.

    If there are too many, those of up to some length are returned.

    >>> found = zero_sums(np.array([[1], [-1], [2]]))
    >>> found.multisets.tolist(), found.is_complete
    ([[1, 1, 0], [0, 2, 1]], True)
    """
    number = len(vectors)
    found = [np.zeros((0, number), dtype=np.int16)]
    multisets, sums = np.eye(number, dtype=np.int16), vectors
    closed = np.tri(number, k=-1, dtype=bool)  # what may not be added any more
    compared = 0
    while True:
        onward = (sums @ vectors.T < 0) & ~closed
        start, added = np.nonzero(onward)
        if not len(start):
            return ZeroSums(np.concatenate(found), True)
        if len(start) > MOST_SUMS:
            return ZeroSums(np.concatenate(found), False)
        closed = closed[start] | (onward[start] & (np.arange(number) < added[:, None]))
        multisets, sums = multisets[start], sums[start] + vectors[added]
        multisets[np.arange(len(start)), added] += 1
        if multisets.max() > MOST_TIMES:
            return ZeroSums(np.concatenate(found), False)
        minimal, steps = _minimal(multisets, added, np.concatenate(found))
        if (compared := compared + steps) > MOST_COMPARISONS:
            return ZeroSums(np.concatenate(found), False)
        zero = ~sums.any(axis=1)
        found.append(multisets[minimal & zero])
        kept = minimal & ~zero
        multisets, sums, closed = multisets[kept], sums[kept], closed[kept]


def _minimal(multisets: Table, added: Table, found: Table) -> tuple[npt.NDArray[np.bool_], int]:
    """Say of each multiset whether no solution lies in it, and how many were compared.

    Before the last vector was added none did, so that one which does has it just as often.
    """
    minimal, steps = np.ones(len(multisets), dtype=bool), 0
    times = multisets[np.arange(len(added)), added]
    packed, solutions = _packed(multisets) | GUARDS, _packed(found)
    for vector, often in {*zip(added.tolist(), times.tolist(), strict=True)}:
        grown = np.flatnonzero((added == vector) & (times == often))
        with_it = solutions[found[:, vector] == often]
        steps += len(with_it) * len(grown)
        if steps > MOST_COMPARISONS:
            break
        for some in range(0, len(grown), 1 + 2**18 // (1 + with_it.size)):
            here = grown[some : some + 1 + 2**18 // (1 + with_it.size)]
            # A guard bit stays where no digit of the difference is negative.
            lies = (packed[here, None] - with_it) & GUARDS == GUARDS
            minimal[here] &= ~lies.all(axis=2).any(axis=1)
    return minimal, steps


def _packed(multisets: Table) -> npt.NDArray[np.uint64]:
    """Write multiplicities below 16 into words, five bits to each."""
    words = -(-multisets.shape[1] // 12)
    digits = np.zeros((len(multisets), 12 * words), dtype=np.uint64)
    digits[:, : multisets.shape[1]] = multisets
    places = np.uint64(5) * np.arange(12, dtype=np.uint64)
    packed: npt.NDArray[np.uint64] = (digits.reshape(-1, words, 12) << places).sum(axis=2)
    return packed
