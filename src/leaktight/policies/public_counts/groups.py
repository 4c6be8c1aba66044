"""Groups of moves that keep all counts but one, and what a kind made of them adds at most.

A kind falls into groups: minimal multisets that add up to zero in all coordinates but the last,
where what is left is their *label*. Where a kind falls into the most groups, and of such ways into
groups with the least squares of labels, no two groups can exchange parts that bring their labels
nearer: they are *tight*. What a kind adds is then at most what two tight groups add that are taken
so often that their labels cancel (docs/proofs/public-counts.md, section 2).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations_with_replacement, product
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpz_mat

from leaktight.exact.threads import one_thread
from leaktight.policies.public_counts.zero_sums import Table, zero_sums

MOST_GROUPS = 40_000
"""The most groups that are listed."""

MOST_MEMBERS = 12
"""The most vectors of a group: all its parts are looked at."""

MOST_VECTORS = 128
"""The most vectors of which groups are made."""

MOST_ENTRIES = 2**25
"""The most entries of what is compared of all groups."""

MOST_TRIED = 400
"""The most pairs of groups of which all parts are compared."""

BLOCKS = 16
"""In so many blocks groups of one label are compared, those that add the most first."""

MOST_WEIGHT = 2**40
"""The largest weight of a vector, so that what is added up stays below 2^62."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of vectors: minimal multisets of sum zero in all coordinates but the last.

    >>> groups = Groups.of(np.array([[3], [-2]]))
    >>> groups.labels.tolist(), groups.most(np.array([1, 1]))
    ([3, -2], 5)
    """

    members: Table
    """The vectors of each group, a row each, by their places; behind them, one past the last."""
    labels: Table
    """What each group adds up to in the last coordinate."""
    codes: Table
    """A whole number for each vector, and 0 behind them. Sums of a group's codes tell its sums."""
    span: int
    """A code is so often that of all coordinates but the last, and the last one."""

    @classmethod
    def of(cls, vectors: Table) -> "Groups | None":
        """List the groups of non-zero ``vectors``; None if there are too many."""
        if not 0 < len(vectors) <= MOST_VECTORS:
            return None
        vectors = _told_by_fewest(np.asarray(vectors, dtype=np.int64))
        rest, last = vectors[:, :-1], vectors[:, -1]
        keys, place = np.unique(rest, axis=0, return_inverse=True)
        moving = np.flatnonzero(keys.any(axis=1))
        kinds = zero_sums(keys[moving].astype(np.int64))
        longest = int(kinds.multisets.sum(axis=1).max(initial=1))
        if not kinds.is_complete or longest > MOST_MEMBERS:
            return None
        with_key = [np.flatnonzero(place.ravel() == key).tolist() for key in range(len(keys))]
        alone = [[i] for i in np.flatnonzero(~rest.any(axis=1)).tolist()]
        used = [
            [(with_key[moving[s]], int(kind[s])) for s in np.flatnonzero(kind)]
            for kind in kinds.multisets
        ]
        ways = (prod(comb(len(some) + n - 1, n) for some, n in kind) for kind in used)
        if len(alone) + sum(ways) > MOST_GROUPS:
            return None
        lists = [*alone, *chain.from_iterable(map(_chosen, used))]
        members = np.full((len(lists), longest), len(vectors))
        for row, group in zip(members, lists, strict=True):
            row[: len(group)] = group
        reach = longest * int(np.abs(vectors).max())
        radix, span = 2 * reach + 1, 4 * reach + 1
        if radix ** rest.shape[1] * span >= 2**62:
            return None
        codes = np.zeros(len(vectors) + 1, dtype=np.int64)
        for coordinate in rest.T:
            codes[:-1] = codes[:-1] * radix + coordinate
        codes[:-1] = codes[:-1] * span + last
        return cls(members, np.append(last, 0)[members].sum(axis=1), codes, span)

    @one_thread()
    def most(self, weights: Table, known: int = 0) -> int:
        """Return a number that the weights of no kind's vectors exceed, and at least ``known``.

        No pair of groups is looked at that adds no more than what is known.
        """
        added = np.append(weights, 0)[self.members].sum(axis=1)
        best = int(max(0, known, added[self.labels == 0].max(initial=0)))
        left = MOST_TRIED
        for up, down, first, second in self._sides(added):
            if first * int(added[up[0]]) + second * int(added[down[0]]) <= best:
                continue
            higher, lower = self._exchanged(up, down)
            several = -(-len(up) // BLOCKS)
            for start in range(0, len(up), several):
                needed = best - first * int(added[up[start]])
                number = int((second * added[down] > needed).sum())
                # Sums of fewer than 2^24 ones are exact as floats, and zero only where none is.
                common = higher[start : start + several] @ lower[:, :number]
                here, there = np.divmod(np.flatnonzero(common == 0), max(1, number))
                here, there = up[start + here], down[there]
                totals = first * added[here] + second * added[there]
                for pair in np.argsort(-totals, kind="stable").tolist():
                    if totals[pair] <= best:
                        break
                    left -= 1
                    if left < 0 or self._are_tight(here[pair], there[pair]):
                        best = int(totals[pair])
        return best

    def _sides(self, added: Table) -> list[tuple[Table, Table, int, int]]:
        """Return groups of one label up and one down, and how often each is taken to cancel.

        Two labels of the same size cancel, taken once. What adds the most comes first.
        """
        largest = np.argsort(-added, kind="stable")
        of_label = {int(p): largest[self.labels[largest] == p] for p in np.unique(self.labels)}
        sides = [
            (of_label[p], of_label[-q], *((1, 1) if p == q else (q, p)))
            for p in of_label
            for q in (-label for label in of_label if label < 0)
            if p > 0
        ]
        return sorted(
            sides, key=lambda s: -(s[2] * int(added[s[0][0]]) + s[3] * int(added[s[1][0]]))
        )

    @cached_property
    def _features(self) -> npt.NDArray[np.bool_]:
        """Whether each group has a part with the sum of a certain vector, and with a certain label.

        That is some of what two groups can exchange, by which most pairs are told not to be tight.
        """
        labels = (self.codes + self.span // 2) % self.span - self.span // 2
        singles = np.unique((self.codes - labels) // self.span)
        singles = singles[singles != 0]
        width = 2 * int(np.abs(labels).max(initial=0)) * self.members.shape[1] + 1
        singles = singles[: MOST_ENTRIES // (1 + width * len(self.members))]
        found = np.zeros((len(self.members), len(singles), width), dtype=bool)
        sizes = (self.members < len(self.codes) - 1).sum(axis=1)
        for size in np.unique(sizes).tolist():
            here = np.flatnonzero(sizes == size)
            for start in range(0, len(here), several := max(1, MOST_ENTRIES >> 3 + size)):
                some = here[start : start + several]
                codes, sums = self._parts(self.members[some, :size])
                place = np.searchsorted(singles, codes).clip(max=max(0, len(singles) - 1))
                is_single = singles[place] == codes if len(singles) else np.zeros_like(codes, bool)
                at = np.flatnonzero(is_single)
                place, sums = place.ravel()[at], sums.ravel()[at]
                found[some[at >> size], place, sums + width // 2] = True
        return found

    def _parts(self, members: Table) -> tuple[Table, Table]:
        """Return for all parts of groups the codes without labels, and the labels."""
        sums = np.zeros((len(members), 1), dtype=np.int64)
        for vector in members.T:
            sums = np.concatenate([sums, sums + self.codes[vector][:, None]], axis=1)
        labels = (sums + self.span // 2) % self.span - self.span // 2
        return (sums - labels) // self.span, labels

    def _exchanged(self, up: Table, down: Table) -> tuple[Any, Any]:
        """Return tables whose product is zero for groups not told to exchange parts.

        The first has the features of groups ``up`` that are higher by what brings labels nearer.
        """
        features, apart = self._features, int(self.labels[up[0]] - self.labels[down[0]])
        of_up, of_down = features[up], features[down]
        higher = np.zeros_like(of_up)
        for by in range(1, min(apart, features.shape[2])):
            higher[:, :, :-by] |= of_up[:, :, by:]
        first, second = higher.reshape(len(up), -1), of_down.reshape(len(down), -1)
        used = first.any(axis=0) & second.any(axis=0)
        return first[:, used].astype(np.float32), second[:, used].T.astype(np.float32)

    def _are_tight(self, up: int, down: int) -> bool:
        """Say whether no parts of two groups, alike but for labels, bring these nearer."""
        here, there = (self._parts(self.members[[group]]) for group in (up, down))
        first, second = (
            np.unique((codes * self.span + labels)[codes != 0]) for codes, labels in (here, there)
        )
        apart = int(self.labels[up] - self.labels[down])
        return not any(np.isin(first - by, second).any() for by in range(1, apart))


def _told_by_fewest(vectors: Table) -> Table:
    """Return coordinates that determine all others, last one without which vectors are fewest."""
    reduced, _, rank = fmpz_mat(vectors.tolist()).rref()
    rows = reduced.tolist()[:rank]
    used = [next(q for q, entry in enumerate(row) if entry != 0) for row in rows]
    without = [len(np.unique(vectors[:, [p for p in used if p != q]], axis=0)) for q in used]
    last = used[int(np.argmin(without))]
    found: Table = vectors[:, [*(q for q in used if q != last), last]]
    return found


def _chosen(kind: Sequence[tuple[list[int], int]]) -> Iterator[list[int]]:
    """Yield the choices of vectors for a kind, so many of each list."""
    for choice in product(*(combinations_with_replacement(some, n) for some, n in kind)):
        yield [i for each in choice for i in each]
