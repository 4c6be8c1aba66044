"""Is a graph VT+: are there |V| automorphisms that take each vertex once to every vertex?

Definition 9 of [Alvim2011a]_ asks for more than one orbit: for a *sharply transitive* set of
automorphisms. The edges of K6 (the line graph T(6)) are carried to one another but have no such
set. To bound leakage it is not needed, since averaging over all automorphisms (Lemma 21 of
[Edwards2021]_) does as well: one orbit is enough.

The search goes from cheap to dear: a subgroup that is sharply transitive itself, as every Cayley
graph has; a counting argument against any set; then all sets, as an exact cover. What these do
not settle is :class:`~leaktight.errors.Undecided`.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpz, nmod_mat

from leaktight.errors import Undecided
from leaktight.policies import AutomorphismGroup, Graph, automorphism_group

Indices: TypeAlias = npt.NDArray[np.int64]
"""Positions of vertices."""

MOST_LISTED = 2**22
"""The most images of vertices that are listed."""

EFFORT = 10**9
"""How many images of vertices the search through all sets compares before it gives up."""

TRIES = 20_000
"""How many subgroups are tried."""

MOST_COUNTED = 256
"""The most vertices for which a counting argument or an exact cover is sought."""

SAMPLES = 2_000
"""How many automorphisms of a group too large to list are tried for each vertex."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SharplyTransitiveSet:
    """As many automorphisms as vertices, of which exactly one takes u to v, for all u and v."""

    graph: Graph
    automorphisms: Indices
    """One per row: the position that each position goes to. Every column is a permutation too."""

    @property
    def is_group(self) -> bool:
        """Whether the set is a group; then the graph is a Cayley graph."""
        rows = {row.tobytes() for row in self.automorphisms}
        return all(a[b].tobytes() in rows for a in self.automorphisms for b in self.automorphisms)

    def __bool__(self) -> Literal[True]:
        return True

    def __str__(self) -> str:
        return f"VT+: {self.graph.order} automorphisms take each vertex once to every vertex"

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class NoTransitivity:
    """Two vertices such that no automorphism takes one to the other."""

    vertices: tuple[Hashable, Hashable]

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        u, v = self.vertices
        return f"not VT+: no automorphism takes {u!r} to {v!r}"


@dataclass(frozen=True, slots=True)
class CountingObstruction:
    """A set C and weights such that every image of C weighs a multiple of a prime p.

    A sharply transitive set takes each vertex of C once to every vertex. So the images of C under
    it weigh |C| · Σ weights together, but that is no multiple of p. With p = 2 the weights are a
    set B: every image of C meets it in an even number of vertices, although |B| |C| is odd.
    """

    prime: int
    moved: tuple[Hashable, ...]
    """The set C."""
    weights: tuple[tuple[Hashable, int], ...]
    """The vertices whose weight is not 0, with their weights between 1 and p − 1."""

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        weighed = ", ".join(f"{v!r}" if w == 1 else f"{v!r} ({w} times)" for v, w in self.weights)
        whole = len(self.moved) * sum(weight for _, weight in self.weights)
        return (
            f"not VT+: every image of {{{', '.join(map(repr, self.moved))}}} meets {{{weighed}}} "
            f"a multiple of {self.prime} times, but a sharply transitive set would make it {whole} "
            "times in all"
        )


@dataclass(frozen=True, slots=True)
class ExhaustedSearch:
    """All ways to choose automorphisms were tried, and none is sharply transitive."""

    automorphisms: int
    nodes: int
    """How many partial choices were looked at."""

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        return (
            f"not VT+: no choice among the {self.automorphisms} automorphisms is sharply "
            f"transitive ({self.nodes} partial choices searched)"
        )


Verdict: TypeAlias = SharplyTransitiveSet | NoTransitivity | CountingObstruction | ExhaustedSearch


def sharply_transitive_set(graph: Graph, effort: int = EFFORT) -> Verdict:
    """Find a sharply transitive set of automorphisms, or say why there is none.

    >>> print(sharply_transitive_set(Graph(6, [(0, 1), (1, 2), (3, 4), (4, 5)])))
    not VT+: no automorphism takes 0 to 1
    >>> sharply_transitive_set(Graph(3, [(0, 1), (1, 2), (2, 0)])).automorphisms
    array([[0, 1, 2],
           [1, 2, 0],
           [2, 0, 1]])
    """
    group = automorphism_group(graph)
    if len(group.orbits) > 1:
        return NoTransitivity((group.orbits[0][0], group.orbits[1][0]))
    stabiliser = automorphism_group(graph, colours={graph.vertices[0]: "fixed"})
    if stabiliser.order * graph.order <= MOST_LISTED:
        found = _regular_subgroup(_carriers(group), stabiliser.elements)
    else:
        found = _one_orbit(_sample(group))
        if found is None:
            found = _regular_subgroup(_carriers(group), _sample(stabiliser))
    if found is not None:
        return SharplyTransitiveSet(graph, found)
    few = graph.order <= MOST_COUNTED
    listed = few and group.order * graph.order <= MOST_LISTED
    verdict: Verdict | None = _obstruction(group, stabiliser.order) if few else None
    if verdict is None and listed:
        verdict = _exact_cover(group, effort)
    if verdict is None:
        stop = f"trying all sets stopped at effort={effort}" if listed else "all sets are too many"
        raise Undecided(
            f"whether {graph.order} of the {group.order} automorphisms form a sharply transitive "
            f"set was not settled: no group was found among them, no counting argument against it, "
            f"and {stop}. Bounds on leakage do not need one: see distance_distribution"
        )
    return verdict


# --- elements ------------------------------------------------------------------------------


def _carriers(group: AutomorphismGroup) -> Indices:
    """Return for each vertex v an automorphism that takes the first vertex to v."""
    n = group.graph.order
    found = {0: np.arange(n)}
    queue = [0]
    for v in queue:
        for generator in group.generators:
            if (w := int(generator[v])) not in found:
                found[w] = generator[found[v]]
                queue.append(w)
    return np.array([found[v] for v in range(n)])


def _sample(group: AutomorphismGroup) -> Indices:
    """Return random elements of a group, by product replacement."""
    rng = np.random.default_rng(0)
    pool = np.resize(group.generators, (max(10, len(group.generators)), group.graph.order))
    drawn = []
    for step in range(20 * len(pool) + SAMPLES):
        a, b = rng.choice(len(pool), 2, replace=False)
        pool[a] = pool[a][pool[b]]
        if step >= 20 * len(pool):
            drawn.append(pool[a].copy())
    return np.array(drawn)


# --- a sharply transitive subgroup ---------------------------------------------------------


def _one_orbit(elements: Indices) -> Indices | None:
    """Return the powers of an element that moves all vertices in one cycle."""
    n = elements.shape[1]
    rows, at = np.arange(len(elements)), np.zeros(len(elements), dtype=np.int64)
    for _ in range(n - 1):
        at = elements[rows, at]
        rows, at = rows[at != 0], at[at != 0]
    if not len(rows):
        return None
    powers = [np.arange(n)]
    for _ in range(n - 1):
        powers.append(elements[rows[0]][powers[-1]])
    return np.array(powers)


def _regular_subgroup(carriers: Indices, fixing: Indices) -> Indices | None:
    """Search for a subgroup with exactly one element that takes the first vertex to each vertex.

    Every such element is a carrier after an automorphism that fixes the first vertex.
    """
    n = len(carriers)
    left = iter(range(TRIES))

    def extend(generators: list[Indices], members: dict[int, Indices]) -> dict[int, Indices] | None:
        if len(members) == n:
            return members
        v = next(v for v in range(n) if v not in members)
        candidates = carriers[v][fixing]
        for member in members.values():  # two elements of the subgroup never agree
            candidates = candidates[(candidates != member).all(axis=1)]
        for candidate in candidates:
            if next(left, None) is None:
                return None
            larger = _semiregular([*generators, candidate])
            if larger and (found := extend([*generators, candidate], larger)):
                return found
        return None

    found = extend([], {0: np.arange(n)})
    return None if found is None else np.array([found[v] for v in range(n)])


def _semiregular(generators: list[Indices]) -> dict[int, Indices] | None:
    """Return the group by where the first vertex goes, if only the identity fixes a vertex."""
    identity = np.arange(len(generators[0]))
    members = {0: identity}
    queue = [identity]
    for element in queue:
        for generator in generators:
            product = generator[element]
            known = members.setdefault(int(product[0]), product)
            if known is product:
                if (product == identity).any():
                    return None
                queue.append(product)
            elif (known != product).any():
                return None
    return members


# --- a counting argument -------------------------------------------------------------------


def _obstruction(group: AutomorphismGroup, stabiliser_order: int) -> CountingObstruction | None:
    """Search for a set C and weights b mod p, orthogonal to every image of C but not to V.

    Only primes that divide |Γ_v| can serve: all automorphisms together take each vertex |Γ_v|
    times to each, so |Γ_v| · |C| · Σ b is a multiple of p in any case.
    """
    few = _sample(group)[-2:]
    for prime, _ in fmpz(stabiliser_order).factor():
        for chosen in _cliques(group.graph):
            # Two random elements rule most sets out, at less cost than all the generators.
            if len(chosen) % prime == 0 or _weights(few, chosen, int(prime)) is None:
                continue
            weights = _weights(group.generators, chosen, int(prime))
            if weights is not None:
                names = group.graph.vertices
                return CountingObstruction(
                    prime=int(prime),
                    moved=tuple(names[v] for v in sorted(chosen)),
                    weights=tuple((names[v], w) for v, w in enumerate(weights) if w),
                )
    return None


def _cliques(graph: Graph) -> Iterator[set[int]]:
    """Return some maximal cliques and independent sets, one of each size that turned up."""
    adjacent = np.zeros((graph.order, graph.order), dtype=bool)
    adjacent[tuple(graph.edges.T)] = True
    adjacent |= adjacent.T
    rng = np.random.default_rng(0)
    sizes = set()
    for relation in (adjacent, ~adjacent & ~np.eye(graph.order, dtype=bool)):
        for _ in range(32):
            clique, common = {0}, relation[0].copy()
            while common.any():
                v = int(rng.choice(np.flatnonzero(common)))
                clique.add(v)
                common &= relation[v]
            if (size := len(clique)) not in sizes:
                sizes.add(size)
                yield clique


def _weights(generators: Indices, chosen: set[int], p: int) -> list[int] | None:
    """Return the lightest b found with b · gC = 0 mod p for all g but Σ b ≠ 0 mod p."""
    n = generators.shape[1]
    start = [int(v in chosen) for v in range(n)]
    span, rank = nmod_mat(1, n, start, p), 1
    while True:
        rows = [[int(x) for x in row] for row in span.tolist()[:rank]]
        images = [[row[v] for v in g] for row in rows for g in generators.tolist()]
        span, larger = nmod_mat(rows + images, p).rref()
        if larger == rank:  # closed under the generators, so under the group
            break
        rank = larger
    reduced = np.array([[int(x) for x in row] for row in span.tolist()[:rank]])
    pivots = (reduced != 0).argmax(axis=1)
    best: Indices | None = None
    for free in np.setdiff1d(np.arange(n), pivots):
        b = np.zeros(n, dtype=np.int64)
        b[free] = 1
        b[pivots] = -reduced[:, free] % p
        if b.sum() % p and (best is None or np.count_nonzero(b) < np.count_nonzero(best)):
            best = b
    return None if best is None else best.tolist()


# --- all sets ------------------------------------------------------------------------------


def _exact_cover(
    group: AutomorphismGroup, effort: int
) -> SharplyTransitiveSet | ExhaustedSearch | None:
    """Choose automorphisms that cover each pair (u, v) once; None if effort runs out.

    The identity can be taken as chosen: if S is sharply transitive, so is s⁻¹S.
    """
    n = group.graph.order
    cells = np.arange(n) * n
    nodes = compared = 0

    def extend(chosen: list[Indices], left: Indices, uncovered: Indices) -> list[Indices] | None:
        nonlocal nodes, compared
        nodes += 1
        compared += left.size
        if len(chosen) == n or compared > effort:
            return chosen
        counts = np.bincount((cells + left).ravel(), minlength=n * n)
        u, v = divmod(int(uncovered[np.argmin(counts[uncovered])]), n)
        for element in left[left[:, u] == v]:
            apart = left[(left != element).all(axis=1)]
            rest = np.setdiff1d(uncovered, cells + element, assume_unique=True)
            if found := extend([*chosen, element], apart, rest):
                return found
        return None

    identity = np.arange(n)
    moving = group.elements[(group.elements != identity).all(axis=1)]
    found = extend([identity], moving, np.setdiff1d(np.arange(n * n), cells + identity))
    if found is None:
        return ExhaustedSearch(group.order, nodes)
    return SharplyTransitiveSet(group.graph, np.array(found)) if len(found) == n else None
