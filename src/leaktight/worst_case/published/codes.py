"""Few databases that are near to all others.

A covering code is a set C of vertices, the codewords, such that every vertex w is within distance
R of one of them. Then no private channel has Σ_z max_x K(z|x) above |C|·λ^R: Theorem 4 of
[Barthe2011]_, there for {0, 1}^n. It holds on every graph, component by component, and so does
the sharper |C| / min_w Σ_{c∈C} λ^−d(c,w), which weighs in codewords that are farther away: weights
b ≥ 0 on the vertices bound the leakage by Σ b as soon as Σ_c b_c λ^−d(c,w) ≥ 1 for every w.
"""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpz_poly

from leaktight.errors import InvalidInput, Mismatch, Undecided, expect, expect_whole
from leaktight.exact.linear_program import LinearProgram, solve_whole
from leaktight.exact.numbers import rational
from leaktight.exact.powers import Powers
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.neighbours import adjacency_of
from leaktight.policies.secrets import SecretGraph

MOST_CHECKS = 10
"""The most check bits of a Hamming code, whose words then have 1,023 bits."""

View: TypeAlias = tuple[tuple[int, int], ...]
"""How many codewords a vertex sees at which distance, as pairs (distance, number)."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A connected component and the ``size`` codewords in it, as its vertices see them.

    ``views`` need not list a vertex that sees no fewer codewords, no farther away, than another.
    """

    size: int
    views: tuple[View, ...]

    @property
    def radius(self) -> int:
        """The least R such that every vertex has a codeword within distance R."""
        return max(min(distance for distance, _ in view) for view in self.views)

    def least_coverage(self, ratio: Any) -> Powers:
        """Return the least Σ_c λ^−d(c,w) over the vertices w."""
        sums = (
            Powers.of_sum(1 / rational(ratio), [(number, distance) for distance, number in view])
            for view in self.views
        )
        return min(sums)


@dataclass(frozen=True, slots=True)
class CoveringCode:
    """Codewords that come near to every vertex of ``graph``.

    A code is a product of codes, each on some of the records and repeated a number of times;
    ``parts`` has for each the components of its graph. ``first * second`` is the code of all
    words that start with one of ``first`` and go on with one of ``second``.

    >>> hamming = hamming_code(3)
    >>> hamming
    CoveringCode(Hamming(7,4) code: 16 words within distance 1)
    >>> hamming.bound(2).value, hamming.normalised_bound(2).value
    (Fraction(32, 1), Fraction(1024, 135))
    >>> hamming * repetition_code(3)
    CoveringCode(Hamming(7,4) × repetition code: 32 words within distance 2)
    """

    graph: AdjacencyGraph
    name: str
    parts: tuple[tuple[tuple[Covered, ...], int], ...]

    @property
    def size(self) -> int:
        """The number of codewords, if it can be written out."""
        return int(self._size_factors.value)

    @property
    def _size_factors(self) -> Powers:
        sizes = ((sum(covered.size for covered in part), n) for part, n in self.parts)
        return Powers.of(*sizes)

    @property
    def radius(self) -> int:
        """The least R such that every vertex has a codeword within distance R."""
        return sum(n * max(covered.radius for covered in part) for part, n in self.parts)

    def bound(self, ratio: Any) -> Powers:
        """Return Σ |C|·λ^R over the components, which no private channel exceeds."""
        total = Powers(())
        for part, copies in self.parts:
            total *= Powers.of_sum(ratio, [(c.size, c.radius) for c in part]) ** copies
        return total

    def normalised_bound(self, ratio: Any) -> Powers:
        """Return Σ |C| / min_w Σ_c λ^−d(c,w) over the components; never above :meth:`bound`."""
        total = Powers(())
        for part, copies in self.parts:
            each = [Powers.of((c.size, 1)) / c.least_coverage(ratio) for c in part]
            one = each[0] if len(each) == 1 else Powers.of((sum(p.value for p in each), 1))
            total *= one**copies
        return total

    def __mul__(self, other: "CoveringCode") -> "CoveringCode":
        graph = AdjacencyGraph(
            self.graph.factors + other.graph.factors, self.graph.records + other.graph.records
        )
        name = f"{self.name.removesuffix(' code')} × {other.name}"
        return CoveringCode(graph, name, self.parts + other.parts)

    def __pow__(self, copies: int) -> "CoveringCode":
        expect_whole(copies, "the number of copies")
        if copies == 1:
            return self
        factors = self.graph.factors
        if len(factors) == 1:
            ((graph, times),) = factors
            factors = ((graph, times * copies),)
        else:
            factors *= copies
        parts = tuple((part, n * copies) for part, n in self.parts)
        name = f"({self.name.removesuffix(' code')})^{copies} code"
        return CoveringCode(AdjacencyGraph(factors, self.graph.records * copies), name, parts)

    def covers(self, graph: AdjacencyGraph) -> bool:
        """Say whether ``graph`` is the code's own up to the names of the values."""
        return _shape(self.graph) == _shape(graph)

    def __repr__(self) -> str:
        words = self._size_factors.counted("word", "words")
        return f"CoveringCode({self.name}: {words} within distance {self.radius:,})"


def _shape(graph: AdjacencyGraph) -> list[tuple[tuple[int, bytes], int]]:
    each = [((factor.order, factor.edges.tobytes()), times) for factor, times in graph.factors]
    runs = itertools.groupby(each, key=lambda one: one[0])
    return [(shape, sum(times for _, times in run)) for shape, run in runs]


# --- codes of many records -----------------------------------------------------------------


def repetition_code(records: int, values: int = 2) -> CoveringCode:
    """Return the words that have the same value in all records, every two values joined.

    A database sees a word at the number of records with another value. Σ_c λ^−d(c,w) is convex
    in the numbers of records with each value, and symmetric, so it is least where these are as
    equal as can be; there also the nearest word is farthest away.

    >>> repetition_code(10)
    CoveringCode(repetition code: 2 words within distance 5)
    """
    expect_whole(records, "records")
    expect_whole(values, "values")
    each, more = divmod(records, values)
    seen = Counter({records - each - 1: more}) + Counter({records - each: values - more})
    covered = Covered(values, (tuple(sorted(seen.items())),))
    graph = AdjacencyGraph.of(SecretGraph.complete(values), records)
    return CoveringCode(graph, "repetition code", (((covered,), 1),))


def hamming_code(checks: int) -> CoveringCode:
    """Return the binary Hamming code of length n = 2^checks − 1, perfect with radius 1.

    By MacWilliams' identity a vertex at distance 1 from the code sees the codewords with weights
    ((1+x)^n − (1−x)^((n+1)/2) (1+x)^((n−1)/2)) / (n+1); a codeword, with n in place of −1, sees
    more of them for every x in [0, 1].

    >>> [str(hamming_code(checks)) for checks in (2, 4)]
    ['CoveringCode(Hamming(3,1) code: 2 words within distance 1)',
    'CoveringCode(Hamming(15,11) code: 2,048 words within distance 1)']
    """
    expect_whole(checks, "checks")
    if checks > MOST_CHECKS:
        raise InvalidInput(f"a Hamming code has 1 to {MOST_CHECKS} check bits here, got {checks}")
    n = 2**checks - 1
    more, less = fmpz_poly([1, 1]), fmpz_poly([1, -1])
    weights = (more**n - less ** ((n + 1) // 2) * more ** ((n - 1) // 2)) / (n + 1)
    view = tuple((d, int(weights[d])) for d in range(n + 1) if weights[d])
    covered = Covered(2 ** (n - checks), (view,))
    graph = AdjacencyGraph.of(SecretGraph.complete(2), n)
    return CoveringCode(graph, f"Hamming({n},{n - checks}) code", (((covered,), 1),))


def hamming_blocks(records: int) -> tuple[CoveringCode, ...]:
    """Return the codes of bits made of equal Hamming codes, a repetition code on what is left.

    >>> hamming_blocks(10)
    (CoveringCode((Hamming(3,1))^3 × repetition code: 16 words within distance 3),
     CoveringCode(Hamming(7,4) × repetition code: 32 words within distance 2))
    """
    codes = []
    for checks in range(2, min(MOST_CHECKS, (records + 1).bit_length() - 1) + 1):
        blocks, left = divmod(records, 2**checks - 1)
        code = hamming_code(checks) ** blocks
        codes.append(code * repetition_code(left) if left else code)
    return tuple(codes)


# --- codes of listed graphs ----------------------------------------------------------------


def covering_code(
    graph: Graph | AdjacencyGraph, words: Iterable[Hashable], name: str = "given code"
) -> CoveringCode:
    """Return the code with these codewords; each component of the graph must have one.

    >>> star = Graph(["hub", "a", "b", "c"], [("hub", "a"), ("hub", "b"), ("hub", "c")])
    >>> covering_code(star, ["hub"]).bound(2).value
    Fraction(2, 1)
    """
    listed = adjacency_of(graph).explicit()
    chosen = np.array(
        sorted({listed.index(word) for word in expect(words, Iterable, "words are listed")}),
        dtype=np.int64,
    )
    missed = np.setdiff1d(listed.component_labels, listed.component_labels[chosen])
    if len(missed):
        vertex = listed.components[missed[0]][0]
        raise Mismatch(
            f"a covering code must have a word in every component, got none reaching {vertex!r}"
        )
    distances = np.array([listed.distances_from(listed.vertices[i]) for i in chosen])
    covered = []
    for label in range(len(listed.components)):
        there = listed.component_labels == label
        inside = distances[np.ix_(there[chosen], there)]
        views = np.unique(np.sort(inside, axis=0), axis=1).T.tolist()
        counts = tuple(tuple(sorted(Counter(view).items())) for view in views)
        covered.append(Covered(len(inside), counts))
    return CoveringCode(graph.adjacency(), name, ((tuple(covered), 1),))


def greedy_code(graph: Graph, radius: int) -> CoveringCode:
    """Return a code of this radius, each word the one that covers most of what is left."""
    near = _near(graph, radius)
    words, left = [], np.ones(graph.order, dtype=bool)
    while left.any():
        words.append(int(near[:, left].sum(axis=1).argmax()))
        left &= ~near[words[-1]]
    return covering_code(graph, _named(graph, words), "greedy code")


def smallest_code(graph: Graph, radius: int) -> CoveringCode:
    """Return a smallest code of this radius, by integer programming.

    That no code is smaller is the solver's word. That it covers the graph, which is all that a
    bound needs, is computed from its words.

    >>> cube = AdjacencyGraph.of(SecretGraph.complete(2), 3).explicit()
    >>> smallest_code(cube, radius=1)
    CoveringCode(smallest code: 2 words within distance 1)
    """
    near, ones = _near(graph, radius), np.ones(graph.order)
    if radius == 0:
        return covering_code(graph, graph.vertices, "smallest code")
    rows, columns = np.nonzero(near)
    cover = (rows, columns, np.ones(len(rows)))
    try:
        words = np.flatnonzero(solve_whole(LinearProgram(ones, cover, row_lower=ones, upper=ones)))
    except Undecided:
        return greedy_code(graph, radius)
    if not near[words].any(axis=0).all():
        return greedy_code(graph, radius)
    return covering_code(graph, _named(graph, words), "smallest code")


def _near(graph: Graph, radius: int) -> npt.NDArray[np.bool_]:
    radius = expect_whole(radius, "the radius", 0)
    expect(graph, Graph, "policy.adjacency().explicit() is that of a policy")
    return (graph.distances >= 0) & (graph.distances <= radius)


def _named(graph: Graph, words: Sequence[int] | Indices) -> list[Hashable]:
    return [graph.vertices[i] for i in words]
