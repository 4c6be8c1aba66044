"""The most records in which neighbours differ, where their kinds are too many to list.

If the counts are those of a table of b cells and one more, at most ⌊(b + 1)²/2⌋ change at once, and
so many do if each cell of the table has values that the one more counts and values that it does
not (docs/proofs/public-counts.md).
"""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
from flint import fmpz_mat

from leaktight.policies.public_counts.zero_sums import Table


def longest(vectors: Table, most: int, ends: Table | None = None) -> int:
    """Return a number of vectors that no minimal multiset of at most ``most`` exceeds.

    ``vectors`` have entries −1, 0 and 1. Those that add up to zero in some coordinates are cycles
    through as many points as these coordinates tell apart: through two for one coordinate, and if
    vectors lead from one of ``ends`` to another, through all ends for coordinates in which these
    are independent. Cycles through b points and one more coordinate: at most (b + 1)²/2. From there
    on, groups of at most l vectors have a next coordinate from −l to l, and at most 2l − 1 of them
    add up to zero without a part that does. For t more coordinates at once there are at most
    b(2tb + 1)^t, and for coordinates of rank r in all (2r + 1)^r; the least is taken.

    >>> longest(np.array([[1], [-1]]), 99), longest(np.array([[1, 1], [-1, 0], [0, -1]]), 99)
    (2, 4)
    """
    tell = vectors if ends is None else ends[1:] - ends[0]
    starts = [([q], 2) for q in range(vectors.shape[1])] if ends is None else _independent(ends)
    rank = _rank(tell)
    at_once = [length * (2 * (t := rank - _rank(tell[:, used])) * length + 1) ** t
               for used, length in starts]  # fmt: skip
    steinitz = (2 * rank + 1) ** rank
    return min(most, steinitz, *at_once, *(_longer(tell, most, *start) for start in starts))


def _longer(vectors: Table, most: int, used: list[int], length: int) -> int:
    """Return a length for all coordinates, from that of cycles in some that are used."""
    rank, steps = _rank(vectors[:, used]), 0
    for q in range(vectors.shape[1]):
        if length >= most:
            break
        if q not in used and (more := _rank(vectors[:, [*used, q]])) > rank:
            used = [*used, q]
            length = length * (2 * length - 1) if steps else (length + 1) ** 2 // 2
            rank, steps = more, steps + 1
    return length


def long_kind(ends: Table) -> Counter[tuple[int, int]]:
    """Return how often a move leads from one of ``ends`` to another in a long minimal multiset.

    Some coordinates tell b points apart, at each of which there are two ends that differ from each
    other alike, called low and high. One cycle climbs from low to high ends and another falls, with
    a point or a step in common. So often that they add up to zero, they are ⌊(b + 1)²/2⌋ moves.
    Nothing is returned if there are no two such points.

    >>> square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> sum(long_kind(square).values())
    4
    """
    ladders = [_ladder(ends, used) for used, _ in _independent(ends)]
    low, high = max(ladders, key=lambda ladder: len(ladder[0]))
    points, half = len(low), (len(low) + 1) // 2
    moves: Counter[tuple[int, int]] = Counter()
    if points < 2:
        return moves
    odd = points % 2 == 1
    for a, b in pairwise([*range(half), 0]):
        moves[low[a], high[b]] += half - 1 if odd else half + 1
    for a, b in pairwise([0, *range(half, points), half - 1 if odd else 0]):
        moves[high[a], low[b]] += half
    if odd:  # the second cycle comes home by the last step of the first
        moves[low[half - 1], high[0]] += half
    return moves


def _ladder(ends: Table, used: list[int]) -> tuple[list[int], list[int]]:
    """Return for each point that has both of two patterns the end with the one and the other."""
    rest = [q for q in range(ends.shape[1]) if q not in used]
    patterns: dict[bytes, dict[bytes, int]] = {}
    for i, row in enumerate(ends):
        patterns.setdefault(row[rest].tobytes(), {})[row[used].tobytes()] = i
    best = max(
        combinations(patterns.values(), 2),
        key=lambda two: len(two[0].keys() & two[1]),
        default=None,
    )
    if best is None:
        return [], []
    both = [point for point in best[0] if point in best[1]]
    return [best[0][point] for point in both], [best[1][point] for point in both]


def _independent(ends: Table) -> list[tuple[list[int], int]]:
    """Return sets of coordinates that tell ends apart independently, and how many they tell.

    Every coordinate is in one of them.
    """
    found: list[tuple[list[int], int]] = []
    every = range(ends.shape[1])
    while left := sorted(set(every).difference(*(used for used, _ in found))):
        used: list[int] = []
        number = 1
        for q in [*left, *every]:
            if q not in used:
                told = np.unique(ends[:, [*used, q]], axis=0)
                if _rank(np.column_stack([told, np.ones(len(told), dtype=np.int64)])) == len(told):
                    used.append(q)
                    number = len(told)
        found.append((used, number))
    return found


def _rank(rows: Table) -> int:
    return int(fmpz_mat(rows.tolist()).rank()) if rows.size else 0
