"""Pairs of databases that are alike, if every record has the same symmetry.

Of n independent records with secret graph G, each record's values may be relabelled by Aut(G)
and the records may change places (Theorem 22 and Remark 23 of [Edwards2021]_). Together these
are the wreath product Aut(G) wr S_n. Two databases are then told apart from others only by *how
many* records show each orbital of G, so the orbits of pairs are counted, and listed, from G alone.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from flint import fmpz

from leaktight.errors import TooLarge
from leaktight.exact.powers import LONGEST
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import Neighbours, adjacency_of
from leaktight.policies.symmetry.automorphisms import AutomorphismGroup, automorphism_group

Counts: TypeAlias = tuple[tuple[int, ...], ...]
"""For each factor, how many of its places show each of its orbitals."""

MOST_ORBITALS = 1_000_000
"""The most orbits of pairs that are listed one by one."""


@dataclass(frozen=True, slots=True)
class PairOrbit:
    """An orbit of ordered pairs of databases."""

    counts: Counts
    size: int
    """How many ordered pairs of databases it has."""
    distance: int | float
    """The distance between the two databases of each pair; ∞ if there is no path."""


@dataclass(frozen=True, slots=True)
class WreathGroup:
    """The product over the factors of Γ wr S_n: a group for each place, and places exchanged.

    It is a group of automorphisms, but not always all of them: the square of the 4-cycle is the
    4-cube, which has 384 where this group has 128.

    >>> from leaktight.policies.policy import Policy
    >>> bits = WreathGroup.of(Policy(Graph(2, [(0, 1)]), records=1000))
    >>> bits.orbit_count, bits.orbital_count
    (1, 1001)
    """

    factors: tuple[tuple[AutomorphismGroup, int], ...]

    @classmethod
    def of(cls, neighbours: Neighbours) -> "WreathGroup":
        """Return the group with all automorphisms of each factor; equal factors change places."""
        places: Counter[Graph] = Counter()
        for factor, copies in adjacency_of(neighbours).factors:
            places[factor] += copies
        return cls(tuple((automorphism_group(factor), n) for factor, n in places.items()))

    @property
    def order(self) -> int:
        """The number of automorphisms in the group, if it can be written out."""
        length = sum(n * (group.order.bit_length() + n.bit_length()) for group, n in self.factors)
        if length > allowed(LONGEST):
            raise TooLarge(
                f"the number of automorphisms has up to {counted(length, 'bit', 'bits')}, more "
                f"than {allowed(LONGEST):,}; the group of a record, and how many there are, are in "
                ".factors"
            )
        size = fmpz(1)
        for group, n in self.factors:
            size *= fmpz(group.order) ** n * fmpz.fac_ui(fmpz(n))
        return int(size)

    @property
    def orbit_count(self) -> int:
        """The number of orbits of databases."""
        return math.prod(_multisets(int(g.orbit_labels.max()) + 1, n) for g, n in self.factors)

    @property
    def orbital_count(self) -> int:
        """The number of orbits of ordered pairs of databases."""
        return math.prod(_multisets(int(g.orbital_labels.max()) + 1, n) for g, n in self.factors)

    def orbitals(self) -> Iterator[PairOrbit]:
        """List the orbits of ordered pairs of databases.

        >>> from leaktight.policies.policy import Policy
        >>> bits = WreathGroup.of(Policy(Graph(2, [(0, 1)]), records=3))
        >>> for orbit in bits.orbitals():
        ...     print(orbit.counts, orbit.size, orbit.distance)
        ((3, 0),) 8 0
        ((2, 1),) 24 1
        ((1, 2),) 24 2
        ((0, 3),) 8 3
        """
        if self.orbital_count > allowed(MOST_ORBITALS):
            raise TooLarge(
                f"at most {allowed(MOST_ORBITALS):,} orbits of pairs are listed, but this group "
                f"has {counted(self.orbital_count, 'orbit', 'orbits')}; orbital_count only counts "
                "them"
            )
        parts = [list(_orbitals_of_power(group, n)) for group, n in self.factors]
        for chosen in itertools.product(*parts):
            yield PairOrbit(
                counts=tuple(counts for orbit in chosen for counts in orbit.counts),
                size=math.prod(orbit.size for orbit in chosen),
                distance=sum(orbit.distance for orbit in chosen),
            )

    def steps(self, counts: Counts) -> Iterator[Counts]:
        """List the orbitals of (h, j), over the neighbours h of i, for (i, j) in an orbital.

        >>> from leaktight.policies.policy import Policy
        >>> bits = WreathGroup.of(Policy(Graph(2, [(0, 1)]), records=3))
        >>> list(bits.steps(((2, 1),)))
        [((1, 2),), ((3, 0),)]
        """
        for k, ((group, _), places) in enumerate(zip(self.factors, counts, strict=True)):
            for here, there in group.orbital_steps.tolist():
                if not places[here] or here == there:
                    continue
                moved = list(places)
                moved[here] -= 1
                moved[there] += 1
                yield (*counts[:k], tuple(moved), *counts[k + 1 :])


def _multisets(kinds: int, size: int) -> int:
    return math.comb(kinds + size - 1, size)


def _orbitals_of_power(group: AutomorphismGroup, n: int) -> Iterator[PairOrbit]:
    """List the orbitals of Γ wr S_n: each says how many of the n places show each orbital of Γ."""
    labels = group.orbital_labels
    _, firsts, sizes = np.unique(labels, return_index=True, return_counts=True)
    lengths = group.graph.distances.ravel()[firsts].tolist()
    # Stars and bars: the gaps between the bars say how many places each orbital gets.
    for bars in itertools.combinations(range(n + len(sizes) - 1), len(sizes) - 1):
        ends = (-1, *bars, n + len(sizes) - 1)
        counts = tuple(b - a - 1 for a, b in itertools.pairwise(ends))[::-1]
        yield PairOrbit(
            counts=(counts,),
            size=_arrangements(counts) * math.prod(map(pow, sizes.tolist(), counts)),
            distance=sum(
                times * (math.inf if length < 0 else length)
                for times, length in zip(counts, lengths, strict=True)
                if times
            ),
        )


def _arrangements(counts: tuple[int, ...]) -> int:
    """Return in how many orders ``counts`` things of each kind can stand: a multinomial."""
    return math.prod(map(math.comb, itertools.accumulate(counts), counts))
