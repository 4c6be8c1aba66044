"""What does [Edwards2021]_ say about automorphisms and symmetrised channels, and does it hold?"""

import itertools
import math
import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from leaktight.channels import Channel, diagonal_form, symmetrise
from leaktight.leakage import min_capacity
from leaktight.mechanisms import optimal_mechanism
from leaktight.policies import (
    AdjacencyGraph,
    AutomorphismGroup,
    Graph,
    Policy,
    SecretGraph,
    WreathGroup,
    automorphism_group,
)
from leaktight.privacy import privacy_level
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import (
    SKEW,
    demand_kept,
    disjoint,
    listed,
    optimum,
    private_channel,
    small_graphs,
    sum_of_maxima,
)

SUBGROUP = Erratum(8, "typo", "Γ ∈ Aut(X, ~)", "Γ ≤ Aut(X, ~): a subgroup")
RIGHT_COSET = Erratum(
    8, "typo", "Γ ∈ Aut(X, ~); the proof says γ∘σ ∈ Γ_v", "Γ ≤ Aut(X, ~): a subgroup; γ∘σ ∈ Γ_{u→v}"
)
ONE_ORBIT = Erratum(
    8,
    "false",
    "|Γ_{u→v}| = |Γ_u| = |Γ_v| for all u and v",
    "if v is in the orbit of u; otherwise Γ_{u→v} is empty",
)
STAR, PATH = Graph(4, [(0, 1), (0, 2), (0, 3)]), SecretGraph.line(3)


def _groups() -> Iterator[tuple[Graph, AutomorphismGroup]]:
    """List all automorphisms of every graph of up to 5 vertices, and the turns of two cycles."""
    for graph in small_graphs(5):
        yield graph, automorphism_group(graph)
    for m in (5, 6):
        ring = SecretGraph.cycle(m)
        yield ring, AutomorphismGroup(ring, [{i: (i + 1) % m for i in range(m)}])


def _pairs_in_orbits(group: AutomorphismGroup) -> Iterator[tuple[Any, Any]]:
    for orbit in group.orbits:
        yield from itertools.product(orbit, repeat=2)


def _as_set(permutations: Iterable[Any]) -> set[tuple[int, ...]]:
    return {tuple(map(int, p)) for p in permutations}


@claim(
    "E-L16",
    "For a group Γ of automorphisms and any σ in it that takes u to v, those that take u to v are "
    "the left coset σΓ_u of the stabiliser of u.",
    Verdict.HOLDS,
    SUBGROUP,
)
def lemma_16() -> Iterator[str]:
    """On every pair of vertices in one orbit, for every σ; the groups by trying permutations."""
    seen = cosets = 0
    for graph, group in _groups():
        if group.order == automorphism_group(graph).order:
            edges = {frozenset(edge) for edge in graph.edges.tolist()}
            kept = {
                p
                for p in itertools.permutations(range(graph.order))
                if {frozenset((p[i], p[j])) for i, j in edges} == edges
            }
            demand(kept == _as_set(group.elements), f"the automorphisms of {graph} differ")
        for u, v in _pairs_in_orbits(group):
            coset, fixing = group.taking(u, v), group.taking(u, u)
            for sigma in coset:
                same = _as_set(sigma[fixing]) == _as_set(coset)
                demand(same, f"σΓ_u is another set for {u} → {v} on {graph}")
            cosets += 1
        seen += 1
    size = len(automorphism_group(STAR).taking(1, 2))
    demand(size == 2, f"two automorphisms of the star must take leaf 1 to leaf 2, got {size}")
    yield f"star of 3: cosets of {size}; {seen} groups, {cosets} pairs (u, v): all as claimed"


@claim(
    "E-L17",
    "For a group Γ of automorphisms and any σ in it that takes u to v, those that take u to v are "
    "the right coset Γ_vσ of the stabiliser of v.",
    Verdict.HOLDS,
    RIGHT_COSET,
)
def lemma_17() -> Iterator[str]:
    """On every pair of vertices in one orbit; and the misprint, where u differs from v."""
    cosets = misprinted = 0
    for graph, group in _groups():
        for u, v in _pairs_in_orbits(group):
            coset, fixing = group.taking(u, v), group.taking(v, v)
            for sigma in coset:
                found = _as_set(fixing[:, sigma])
                demand(found == _as_set(coset), f"Γ_vσ is another set for {u} → {v} on {graph}")
                misprinted += not found <= _as_set(fixing)
            cosets += 1
    yield f"{cosets} pairs (u, v): all as claimed; Γ_vσ ⊆ Γ_v, as printed, fails {misprinted} times"


@claim(
    "E-L18",
    "If v is in the orbit Γ(u), then |Γ_{u→v}| = |Γ_u| = |Γ_v| = |Γ| / |Γ(u)|.",
    Verdict.CORRECTED,
    ONE_ORBIT,
)
def lemma_18() -> Iterator[str]:
    """On every pair of vertices in one orbit; and an end and the middle of a path."""
    pairs = 0
    for graph, group in _groups():
        for orbit in group.orbits:
            for u, v in itertools.product(orbit, repeat=2):
                sizes = {len(group.taking(a, b)) for a, b in ((u, v), (u, u), (v, v))}
                expected = {group.order // len(orbit), group.stabiliser_order(u)}
                demand(sizes == expected and len(sizes) == 1, f"{graph}: {sizes}, {expected}")
                pairs += 1
    yield f"{pairs} pairs in one orbit: all as claimed"
    group = automorphism_group(PATH)
    across = [len(group.taking(u, v)) for u, v in ((0, 1), (0, 0), (1, 1))]
    demand(across == [0, 1, 2], f"must be 0, 1 and 2, got {across}")
    for u, size in ((0, across[1]), (1, across[2])):
        fixing = automorphism_group(PATH, colours={u: "fixed"}).order
        demand(fixing == size, f"{size} automorphisms fix {u}, by its colour {fixing}")
    yield f"not otherwise: u the end, v the middle of a path of 3: {', '.join(map(str, across))}"


@claim(
    "E-L19",
    "If some automorphism in Γ takes u to v, then u and v are fixed by equally many.",
    Verdict.HOLDS,
    SUBGROUP,
)
def lemma_19() -> Iterator[str]:
    """On every pair of vertices, wherever there is such an automorphism."""
    pairs = 0
    for graph, group in _groups():
        for u, v in itertools.product(graph.vertices, repeat=2):
            if len(group.taking(u, v)):
                fixing = [len(group.taking(w, w)) for w in (u, v)]
                demand(fixing[0] == fixing[1], f"{graph}: {u} and {v} are fixed by {fixing}")
                pairs += 1
    fixing = [len(automorphism_group(STAR).taking(leaf, leaf)) for leaf in (1, 2)]
    demand(fixing == [2, 2], f"leaves of the star are fixed by {fixing}")
    yield f"leaves of a star of 3: {fixing[0]} = {fixing[1]}; {pairs} pairs: all as claimed"


def _random_channels() -> Iterator[tuple[Graph, Fraction, Channel]]:
    draw = random.Random(20)
    paw = Graph(4, [(0, 1), (1, 2), (2, 0), (2, 3)])
    wide = Graph(5, [(0, leaf) for leaf in range(1, 5)])
    graphs = (SecretGraph.line(4), paw, disjoint(*[SecretGraph.complete(2)] * 2), wide)
    for graph, ratio in itertools.product(graphs, map(Fraction, ("1", "3/2", "3"))):
        for outputs in (2, graph.order, graph.order + 3):
            yield graph, ratio, private_channel(graph, ratio, outputs, draw)


@claim(
    "E-L20",
    "Merging the outputs that are likeliest under the same input gives a square channel, private "
    "as before, with column maxima on the diagonal and the same sum; missing outputs get zeros.",
)
def lemma_20() -> Iterator[str]:
    """A small channel and 36 random ones."""
    pair = SecretGraph.complete(2)
    form = diagonal_form(SKEW)
    demand(form == Channel([["1/2", "1/2"], ["1/4", "3/4"]]), f"got {form}")
    demand_kept(SKEW, form, pair, Fraction(2))
    level, total = privacy_level(form, pair).ratio, min_capacity(form).factor
    demand((level, total) == (2, Fraction(5, 4)), f"must be 2 and 5/4, got {level} and {total}")
    yield f"two merged outputs of three: ratio {level}, Σ max = {total} as before"
    tried = empty = 0
    for graph, ratio, channel in _random_channels():
        form = diagonal_form(channel)
        demand_kept(channel, form, graph, ratio)
        tried, empty = tried + 1, empty + bool((form.matrix == 0).all(axis=0).any())
    demand(tried == 36, f"{tried} channels tried")
    yield f"{tried} random channels: all kept; {empty} get a column of zeros, 0 ≤ λ·0 but not 0/0"


@claim(
    "E-L21",
    "If K is private with column maxima on the diagonal, so is the mean of K(σj|σi) over a group "
    "of automorphisms σ; the sum of the maxima stays, and the diagonal is constant on orbits.",
)
def lemma_21() -> Iterator[str]:
    """The mean over all elements against the library's over orbitals; and what it is good for."""
    swap = automorphism_group(SecretGraph.complete(2))
    after = symmetrise(SKEW, swap)
    before = diagonal_form(SKEW).matrix.diagonal().tolist()
    diagonal = after.matrix.diagonal().tolist()
    found = listed(before), listed(diagonal)
    expect(found, ("1/2, 3/4", "5/8, 5/8"), "the diagonal before and after")
    demand_kept(SKEW, after, swap.graph, Fraction(2))
    yield f"diagonal {found[0]} becomes {found[1]}, Σ max = {min_capacity(after).factor}"
    tried = 0
    for graph, ratio, channel in _random_channels():
        group, form = automorphism_group(graph), diagonal_form(channel).matrix
        after = symmetrise(channel, group)
        demand_kept(channel, after, graph, ratio)
        mean = np.mean([form[np.ix_(sigma, sigma)] for sigma in group.elements], axis=0)
        demand(np.array_equal(mean, after.matrix), f"the means over {group} differ")
        for orbit in group.orbits:
            demand(len({after[v, v] for v in orbit}) == 1, f"the diagonal varies on {orbit}")
        tried += 1
    yield f"{tried} random channels: all kept; over the group and over orbits the same"
    for graph in (STAR, SecretGraph.cycle(6), SecretGraph.line(5)):
        group = automorphism_group(graph)
        after = symmetrise(optimal_mechanism(graph, ratio=2).channel, group)
        expect(sum_of_maxima(after), optimum(graph, 2), f"Σ max on {graph}, constant on orbits,")
        orbits = group.orbital_labels.ravel().tolist()
        values = len(set(zip(orbits, after.matrix.ravel(), strict=True)))
        expect(values, max(orbits) + 1, "the values, one for each orbit,")
    ring = automorphism_group(SecretGraph.cycle(6))
    count, pairs = int(ring.orbital_labels.max()) + 1, ring.orbital_labels.size
    yield f"so a linear program needs a variable per orbit: {count} in place of {pairs} for C6"


@claim(
    "E-T22",
    "If every database is possible, relabelling each record by an automorphism of the secret graph "
    "is an automorphism of the adjacency graph.",
)
def theorem_22() -> Iterator[str]:
    """Every such map, edge by edge; and one that leaves a constrained set of databases."""
    secrets = maps = 0
    for graph in small_graphs(4):
        images = automorphism_group(graph).elements.tolist()
        squared = Policy(graph, 2).adjacency().explicit()
        edges: set[frozenset[Any]] = {frozenset(edge) for edge in squared.edge_pairs()}
        for a, b in itertools.product(images, repeat=2):
            moved = {frozenset((a[u], b[v]) for u, v in edge) for edge in edges}
            demand(moved == edges, f"{a} and {b} on two records of {graph}")
            maps += 1
        secrets += 1
    single = len(automorphism_group(PATH).elements) ** 2
    demand(single == 4, f"a path of 3 must give 4 maps for two records, got {single}")
    yield f"a path of 3, two records: {single} maps; {maps} maps over {secrets} secret graphs"
    possible = {(0, 0), (0, 1), (2, 0)}
    outside = {(a, 1 - b) for a, b in possible} - possible
    demand(outside == {(2, 1)}, f"outside: {outside}")
    yield f"not so if I = {{00, 01, 20}}: exchanging 0 and 1 in record 2 leads to {outside}"


@claim(
    "E-R23",
    "Exchanging records is an automorphism too, so that Theorem 22 does not give all of them. Both "
    "together do not always give all either.",
)
def remark_23() -> Iterator[str]:
    """Orders counted by the graph library, and by listing what the maps generate."""
    expected = {
        "K3": (SecretGraph.complete(3), 36, 72, 72),
        "P3": (PATH, 4, 8, 8),
        "C4": (SecretGraph.cycle(4), 64, 128, 384),
        "C5": (SecretGraph.cycle(5), 100, 200, 200),
    }
    lines = []
    for name, (graph, *numbers) in expected.items():
        squared = AdjacencyGraph.of(graph, 2)
        explicit, images = squared.explicit(), automorphism_group(graph).elements.tolist()
        relabelled: list[Any] = [lambda d, p=p: (p[d[0]], d[1]) for p in images]
        relabelled += [lambda d, p=p: (d[0], p[d[1]]) for p in images]
        exchanged = [*relabelled, lambda d: (d[1], d[0])]
        everything = automorphism_group(explicit)
        found = [
            AutomorphismGroup(explicit, relabelled).order,
            AutomorphismGroup(explicit, exchanged).order,
            everything.order,
        ]
        demand(found == numbers, f"{name}: must be {numbers}, got {found}")
        demand(WreathGroup.of(squared).order == found[1], f"{name}: {WreathGroup.of(squared)}")
        demand(len(everything.elements) == found[2], f"{name}: {len(everything.elements)} listed")
        lines.append(f"{name} {found[0]}, {found[1]}, {found[2]}")
    yield "two records relabelled; exchanged too; all automorphisms:"
    yield "; ".join(lines)
    empty = automorphism_group(AdjacencyGraph.of(Graph(2), 3).explicit()).order
    demand(empty == math.factorial(2**3), f"without edges: {empty}")
    yield f"two values that are not joined, three records: {empty} = (2³)!"


@claim(
    "E-Ex24",
    "A cycle of m ≥ 3 values has 2m automorphisms, turns and reflections; a complete graph has all "
    "m! permutations.",
)
def example_24() -> Iterator[str]:
    """The automorphisms found, against turns and reflections, and against all permutations."""
    orders = []
    for m in range(3, 8):
        found = _as_set(automorphism_group(SecretGraph.cycle(m)).elements)
        dihedral = {tuple((s * i + k) % m for i in range(m)) for s in (1, -1) for k in range(m)}
        demand(found == dihedral, f"m = {m}: {found}")
        orders.append(len(found))
    demand(orders[:3] == [6, 8, 10], f"orders {orders}")
    yield f"cycles of 3 to 7: {', '.join(map(str, orders))} automorphisms"
    clique = _as_set(automorphism_group(SecretGraph.complete(4)).elements)
    demand(clique == set(itertools.permutations(range(4))), f"K4: {len(clique)}")
    small = [automorphism_group(SecretGraph.complete(m)).order for m in (1, 2)]
    demand((len(clique), small) == (24, [1, 2]), f"K4: {len(clique)}; one and two values: {small}")
    yield f"K4: {len(clique)}; but one value has {small[0]} and two have {small[1]}, not 2m"
