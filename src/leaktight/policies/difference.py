"""Databases that are minimally secretly different.

Definition 2 of [Edwards2021]_, for a list of possible databases. From D to D′, the changes are
the pairs (record, new value) in which they differ; those whose old and new value the secret graph
joins are the secret changes. D → D′ holds if there are secret changes, and no possible D″ has
secret changes that are a proper part of them, or the same secret changes and a proper part of all
changes. So, seen from D, each D′ is a set of (record, new value), and the question is which sets
are minimal for inclusion: first by their secret changes, then, among those, by all changes.

The sets are rows of bits. Records that can be exchanged without leaving the possible databases
are found first: databases that are such rearrangements of each other have the same neighbours up
to the rearrangement, so the question is asked once for all of them.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.errors import TooLarge
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.policies.graph import Graph, Indices

Rows: TypeAlias = npt.NDArray[np.integer[Any]]
"""Databases, one per row, as the positions of the records' values in the secret graph."""

Bits: TypeAlias = npt.NDArray[np.uint64]
"""Sets, one per row, 64 possible members to a word."""

MOST_STEPS = 3 * 10**9
"""The most words of bits that are looked at: some ten minutes of work."""

MOST_WORDS = 10**8
"""The most words of bits that the databases may fill, in 800 MB."""

MOST_PAIRS = 40_000_000
"""The most pairs D → D′ that are listed, in about 2 GB."""


def check_size(databases: int, records: int, values: int) -> None:
    """Refuse a number of databases that could not be compared."""
    words = databases * -(-records * values // 64)
    if words > allowed(MOST_WORDS) or databases * records**2 > allowed(MOST_STEPS):
        raise TooLarge(
            f"{counted(databases, 'database', 'databases')} of {records:,} records on {values:,} "
            "values are too many to compare; list fewer, or leave the records independent"
        )


@dataclass(frozen=True, slots=True)
class Differences:
    """Which of a list of databases are minimally secretly different."""

    pairs: Indices
    """The pairs of positions (D, D′) with D → D′."""

    alike: Indices
    """A number per database, the same for those that are rearrangements of each other."""

    def either_way(self) -> tuple[Indices, Indices]:
        """Return the pairs joined in either direction, and those with one direction only.

        >>> databases = np.array([[0, 0], [0, 1], [2, 0]])
        >>> joined, one_way = minimal_differences(databases, Graph(3, [(0, 1)])).either_way()
        >>> joined.tolist(), one_way.tolist()
        ([[0, 1], [1, 2]], [[2, 1]])
        """
        order = len(self.alike)
        codes = np.minimum(*self.pairs.T) * order + np.maximum(*self.pairs.T)
        joined, times = np.unique(codes, return_counts=True)
        one_way = self.pairs[np.isin(codes, joined[times == 1])]
        one_way = one_way[np.lexsort(one_way.T[::-1])]
        return np.stack(np.divmod(joined, order), axis=1), one_way


def minimal_differences(
    databases: Rows, secrets: Graph, told: Sequence[AbstractSet[int]] = ()
) -> Differences:
    """Return the pairs (D, D′) with D → D′; the databases must be distinct.

    Of ``told`` sets of values it is public how many records have one, so that databases which
    differ in it are as if the other were not possible.

    >>> databases = np.array([[0, 0], [0, 1], [2, 0]])
    >>> sorted(minimal_differences(databases, Graph(3, [(0, 1)])).pairs.tolist())
    [[0, 1], [1, 0], [2, 1]]
    """
    if told:
        return _by_counts(databases, secrets, told)
    count = len(databases)
    listing = Listing.of(databases)
    changes = Changes.of(databases, secrets)
    arrangement, alike = listing.rearrangements()
    ranked = np.argsort(alike, kind="stable")
    groups = np.split(ranked, np.flatnonzero(np.diff(alike[ranked])) + 1)
    steps = len(groups) * changes.reached.size
    if steps > allowed(MOST_STEPS):
        raise TooLarge(
            f"{count:,} databases, of which {len(groups):,} are no rearrangements of each "
            f"other, would take {steps:.0e} comparisons, and the limit is {allowed(MOST_STEPS):.0e}"
        )
    found, pairs = 0, []
    for members in groups:
        first = members[0]
        neighbours = databases[changes.minimal_from(first)]
        found += len(members) * len(neighbours)
        if found > allowed(MOST_PAIRS):
            raise TooLarge(
                f"the {count:,} databases have more than {allowed(MOST_PAIRS):,} pairs of "
                "neighbours, too many to list"
            )
        # The place that comes k-th in the first database's order comes k-th in a member's order.
        arranged = neighbours[:, arrangement[first]].astype(np.uint64)
        reached = listing.find((listing.weights[arrangement[members]] @ arranged.T).ravel())
        pairs.append(np.stack([np.repeat(members, len(neighbours)), reached], axis=1))
    return Differences(np.concatenate(pairs), alike)


def _by_counts(databases: Rows, secrets: Graph, told: Sequence[AbstractSet[int]]) -> Differences:
    """Compare those databases with each other that have the same counts."""
    counts = np.stack([np.isin(databases, sorted(some)).sum(axis=1) for some in told], axis=1)
    group = np.unique(counts, axis=0, return_inverse=True)[1].ravel()
    pairs, alike = list[Indices](), np.zeros(len(databases), dtype=np.int64)
    for g in range(int(group.max()) + 1):
        members = np.flatnonzero(group == g)
        found = minimal_differences(databases[members], secrets)
        pairs.append(members[found.pairs])
        alike[members] = found.alike + alike.max() + 1
    return Differences(np.concatenate(pairs), alike)


@dataclass(frozen=True, slots=True)
class Changes:
    """What changes from one database to every other, as sets of (record, new value)."""

    reached: Bits
    """For each database the set of its own (record, value)."""

    secret: Bits
    """For each database the (record, value) whose value is joined to the record's own."""

    @classmethod
    def of(cls, databases: Rows, secrets: Graph) -> "Changes":
        """Write databases as sets."""
        own = np.eye(secrets.order, dtype=bool)
        joined = np.zeros_like(own)
        joined[tuple(secrets.edges.T)] = True
        return cls(_packed(databases, own), _packed(databases, joined | joined.T))

    def minimal_from(self, start: int) -> Indices:
        """Return the positions of the D′ with D → D′ for the database D at ``start``."""
        secretly = self.reached & self.secret[start]
        different = np.flatnonzero(secretly.any(axis=1))
        different = different[minimal(secretly[different])]
        # Where one set of changes is a proper part of another, their secret changes are the same,
        # as the definition asks: the one's are part of the other's, and those are minimal.
        changed = self.reached[different] & ~self.reached[start]
        if np.array_equal(changed, secretly[different]):
            return different
        return different[minimal(changed)]


def _packed(databases: Rows, sets: npt.NDArray[np.bool_]) -> Bits:
    """Replace each record's value v by row v of ``sets``, and pack what follows into words."""
    count, records = databases.shape
    width = records * sets.shape[1]
    words = -(-width // 64)
    packed = np.zeros((count, 8 * words), dtype=np.uint8)
    for start in range(0, count, 4096):
        bits = sets[databases[start : start + 4096]].reshape(-1, width)
        packed[start : start + 4096, : -(-width // 8)] = np.packbits(bits, axis=1)
    return packed.view(np.uint64)


def minimal(sets: Bits) -> npt.NDArray[np.bool_]:
    """Say of each set whether no other of the sets is a proper part of it.

    >>> minimal(np.array([[0b011], [0b001], [0b110], [0b001]], dtype=np.uint64))
    array([False,  True,  True,  True])
    """
    sizes = np.bitwise_count(sets).sum(axis=1)
    kept = np.ones(len(sets), dtype=bool)
    for size in range(1, int(sizes.max(initial=0))):
        # Sets of one size are no proper parts of each other; the larger ones are tried.
        level, larger = kept & (sizes == size), np.flatnonzero(kept & (sizes > size))
        if level.any() and len(larger):
            parts = np.unique(sets[level], axis=0)
            kept[larger[_contains_any(sets[larger], parts)]] = False
    return kept


def _contains_any(sets: Bits, parts: Bits) -> npt.NDArray[np.bool_]:
    """Say of each set whether one of ``parts``, all of one size, lies in it."""
    if np.bitwise_count(parts[0]).sum() == 1:
        single: npt.NDArray[np.bool_] = (sets & np.bitwise_or.reduce(parts)).any(axis=1)
        return single
    contains = np.zeros(len(sets), dtype=bool)
    left = np.arange(len(sets))
    # Laid over each other, the words of a part still lie in those of the set: a quick first test.
    folded_parts, folded_sets = (
        np.bitwise_or.reduce(parts, axis=1),
        np.bitwise_or.reduce(sets, axis=1),
    )
    step = max(1, 2**18 // len(sets))
    for start in range(0, len(parts), step):
        chunk = slice(start, start + step)
        likely = (folded_parts[chunk, None] & ~folded_sets[left]) == 0
        part, at = np.divmod(np.flatnonzero(likely), len(left))
        inside = ~(parts[chunk][part] & ~sets[left[at]]).any(axis=1)
        contains[left[at[inside]]] = True
        left = left[~contains[left]]
        if not len(left):
            break
    return contains


@dataclass(frozen=True, slots=True)
class Listing:
    """Databases that can be found again by a code, linear in their values."""

    databases: Rows
    weights: npt.NDArray[np.uint64]
    codes: npt.NDArray[np.uint64]
    ranked: Indices
    """The positions of the databases in the order of their codes."""
    sorted_codes: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, databases: Rows) -> "Listing":
        """Give each database a code of its own: Σ weight · value modulo 2^64."""
        rng = np.random.default_rng(0)
        while True:
            weights: npt.NDArray[np.uint64] = rng.integers(
                2**64, size=databases.shape[1:], dtype=np.uint64
            )
            codes = databases.astype(np.uint64) @ weights
            ranked = np.argsort(codes)
            if (np.diff(codes[ranked]) > 0).all():
                return cls(databases, weights, codes, ranked, codes[ranked])

    def find(self, codes: npt.NDArray[np.uint64]) -> Indices:
        """Return the positions of the databases with these codes; any if there is none."""
        ranks = np.searchsorted(self.sorted_codes, codes)
        return self.ranked[np.minimum(ranks, len(self.ranked) - 1)]

    def rearrangements(self) -> tuple[Indices, Indices]:
        """Return an order of each database's records, and numbers for what they then read.

        Taken in this order, two databases read the same exactly if one becomes the other by
        exchanging exchangeable records; then they have the same number.
        """
        classes = self._exchangeable()
        keys = classes * (int(self.databases.max()) + 1) + self.databases
        order = np.argsort(keys, axis=1, kind="stable")
        read = np.take_along_axis(keys, order, axis=1)
        _, alike = np.unique(read, axis=0, return_inverse=True)
        return order, alike.ravel()

    def _exchangeable(self) -> Indices:
        """Return for each record a number, the same for records that can be exchanged.

        If i and j can be exchanged, and j and k, then so can i and k.
        """
        classes: list[int] = []
        for record in range(self.databases.shape[1]):
            like = (i for i, c in enumerate(classes) if i == c and self._can_exchange(i, record))
            classes.append(next(like, record))
        return np.array(classes, dtype=np.int64)

    def _can_exchange(self, i: int, j: int) -> bool:
        """Say whether exchanging records i and j turns each database into a listed one."""
        # A few databases often settle it.
        for some in (slice(256), slice(None)):
            exchanged = self.databases[some].copy()
            exchanged[:, [i, j]] = exchanged[:, [j, i]]
            moved = (exchanged[:, i].astype(np.int64) - exchanged[:, j]).view(np.uint64)
            codes = self.codes[some] + moved * (self.weights[[i]] - self.weights[[j]])
            if not np.array_equal(self.databases[self.find(codes)], exchanged):
                return False
        return True
