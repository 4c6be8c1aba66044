"""What does [Edwards2021]_ say about leakage, and how tight are its bounds?"""

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction

from leaktight.channels import Channel
from leaktight.exact import Ratio, ln, log2
from leaktight.leakage import (
    conditional_renyi_entropy,
    min_capacity,
    min_entropy_leakage,
    posterior_vulnerability,
    renyi_entropy,
)
from leaktight.policies import (
    AdjacencyGraph,
    Graph,
    Policy,
    SecretGraph,
    distance_regularity,
    vertex_transitivity,
)
from leaktight.privacy import privacy_level
from leaktight.worst_case import leakage_bounds, worst_case_leakage
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.edwards2021.blocks import block_channel, block_graph
from leaktight_papers.evidence import (
    TWO,
    Arcs,
    disjoint,
    largest_sum,
    listed,
    optimum,
    radii_and_diameters,
    small_graphs,
    sum_of_maxima,
)

ONE_WAY = Erratum(
    2,
    "false",
    "Theorem 11 with Definitions 2 and 6 to the letter, where D → D′ may hold one way only",
    "it holds if privacy is asked for both ways, as equation (1) of the paper does",
)
RADII = Erratum(
    3,
    "improvable",
    "the exponents are diameters, and the proof symmetrises the channel first",
    "radii will do and nothing need be symmetrised; diameters are attained at no ε > 0 if some "
    "component has an edge",
)
NO_LOGARITHM = Erratum(
    5,
    "typo",
    "leakage is said to be equal to the sum of the column maxima",
    "it is the logarithm of that sum",
)
TIGHTNESS = Erratum(
    7,
    "typo",
    "the proof ends with ε(δ) = 1 + δ",
    "ε(δ) = ln(1 + δ), as it says before",
)


def _bound(source: Policy | AdjacencyGraph | Graph, form: str, ratio: Fraction = TWO) -> Fraction:
    """Return Theorem 11 of a graph, with “diameters” or “radii”."""
    return leakage_bounds(source, ratio).named(f"[Edwards2021]: {form}")[0].value


@claim(
    "E-L7",
    "Under the uniform prior on ℓ inputs H∞(X|Z) = −log(Σ_z max_x K(z|x) / ℓ), and the leakage is "
    "the logarithm of Σ_z max_x K(z|x).",
    Verdict.CORRECTED,
    NO_LOGARITHM,
)
def lemma_7() -> Iterator[str]:
    """By entropies, by vulnerability and by the entries themselves."""
    flip = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    leak, total = min_entropy_leakage(flip), sum_of_maxima(flip)
    demand(leak.factor == total == Fraction(3, 2), f"Σ max = {total}, factor {leak.factor}")
    entropies = renyi_entropy(["1/2", "1/2"], math.inf) - conditional_renyi_entropy(flip)
    demand(round(leak.nats, 6) == 0.405465, f"must be 0.405465 nats, got {leak.nats}")
    demand(round(leak.bits, 6) == 0.584963, f"must be 0.584963 bits, got {leak.bits}")
    demand(round(entropies, 6) == 0.584963, f"must be as many by entropies, got {entropies}")
    yield f"flip with 1/4: Σ max = {total}, leakage {leak.nats:.6f} nats = {leak.bits:.6f} bits"
    draw, tried = random.Random(7), 40
    for _ in range(tried):
        rows = [[draw.randint(0, 9) for _ in range(3)] + [1] for _ in range(draw.randint(1, 5))]
        channel = Channel.normalised(rows)
        total, inputs = sum_of_maxima(channel), len(rows)
        chance, factor = posterior_vulnerability(channel), min_entropy_leakage(channel).factor
        demand(chance == total / inputs, f"Σ max = {total} for {inputs} inputs, chance {chance}")
        demand(factor == total, f"Σ max = {total}, the leakage has the factor {factor}")
    yield f"{tried} random channels: the chance of a right guess is Σ max / ℓ, exactly"


@claim(
    "E-R8",
    "Floating point turns small probabilities into 0, which no ε forgives; channels must be "
    "discrete and their numbers exact.",
)
def remark_8() -> Iterator[str]:
    """Randomised response at ε = 800, as floats and exactly."""
    pair, small = SecretGraph.complete(2), math.exp(-800)
    demand(small == 0, f"exp(−800) must vanish as a float, got {small}")
    floats = privacy_level(Channel([[1 - small, small], [small, 1 - small]]), pair)
    demand(floats.ratio == math.inf, f"the ratio of floats must be infinite, got {floats.ratio}")
    asked = Ratio.of(epsilon=800).lower
    exact = privacy_level(Channel.normalised([[asked, 1], [1, asked]]), pair)
    found = f"≈2^{log2(exact.ratio):.2f}"
    demand(exact.ratio == asked > 10**347, f"e^800 must be the ratio, got {found}")
    yield f"ε = 800: with floats e^−ε = {small}, ratio {floats.ratio}; exactly {found}"


@claim(
    "E-T9",
    "Under the uniform prior on ℓ databases H∞(X|Z) ≥ −log(Σ_t e^(ε·d_t) / ℓ), d_t the diameters "
    "of the components of the adjacency graph; their radii do as well.",
    Verdict.HOLDS,
    RADII,
)
def theorem_9() -> Iterator[str]:
    """The chance of a right guess under the worst mechanism, and both bounds; random graphs."""
    draw, tried, sharp = random.Random(9), 25, 0
    for _ in range(tried):
        n, ratio = draw.randint(1, 7), 1 + Fraction(draw.randint(0, 12), 4)
        pairs = [pair for pair in itertools.combinations(range(n), 2) if draw.random() < 0.4]
        graph = Graph(n, pairs)
        worst = worst_case_leakage(graph, ratio)
        radii, diameters = radii_and_diameters(graph, ratio)
        bounds = [_bound(graph, form, ratio) for form in ("radii", "diameters")]
        expect(bounds, [radii, diameters], f"both bounds of {graph!r} at λ = {ratio}")
        for piece in worst.pieces[:1]:
            chance = Fraction(posterior_vulnerability(piece.channel())) * n
            demand(chance <= radii <= diameters, f"{graph!r} at {ratio}: {chance} > {radii}")
            sharp += radii < diameters
    graph = disjoint(SecretGraph.line(3), SecretGraph.complete(2))
    channel = worst_case_leakage(graph, TWO).pieces[0].channel()
    demand(privacy_level(channel, graph).ratio <= TWO, "the worst mechanism is not private")
    chance = Fraction(posterior_vulnerability(channel))
    found = [chance * graph.order, *radii_and_diameters(graph, TWO)]
    demand(found == [3, 4, 6], f"must be 3, 4 and 6, got {found}")
    demand(found[1:] == [_bound(graph, form) for form in ("radii", "diameters")], "bounds differ")
    demand(optimum(graph, TWO) == found[0], "two routes differ")
    yield f"P3 + K2, λ = 2: a right guess has chance {chance}, so Σ max = {found[0]}"
    yield f"radii allow {found[1]}, diameters {found[2]}"
    yield f"{tried} random graphs and λ: a guess within both; radii smaller in {sharp}"


@claim(
    "E-T11",
    "Under any prior a channel that is private both ways leaks at most ln Σ_t e^(ε·d_t) nats, d_t "
    "the diameters of the components of the adjacency graph; their radii do as well.",
    Verdict.CORRECTED,
    ONE_WAY,
    RADII,
)
def theorem_11() -> Iterator[str]:
    """Every graph of up to five vertices: its worst case by two routes, and random priors."""
    draw, tried, sharp = random.Random(11), 0, 0
    for graph in small_graphs(5):
        worst = worst_case_leakage(graph, TWO)
        both = [worst.lower, worst.upper, optimum(graph, TWO)]
        demand(len(set(both)) == 1, f"the routes to the worst case of {graph} differ: {both}")
        radii, diameters = radii_and_diameters(graph, TWO)
        demand(worst.upper <= radii <= diameters, f"{graph}: {worst.upper} > {radii}")
        prior = [draw.randint(0, 9) for _ in graph.vertices[1:]] + [1]
        channel = worst.pieces[0].channel()
        leak = min_entropy_leakage(channel, [Fraction(p, sum(prior)) for p in prior])
        demand(leak.factor <= worst.upper, f"{graph} leaks {leak.factor} under {prior}")
        alone = worst_case_leakage(graph, ratio=1).upper
        demand(alone == len(graph.components), f"{graph} at λ = 1: {alone}")
        tried, sharp = tried + 1, sharp + (radii < diameters)
    yield f"{tried} graphs, λ = 1 and 2: worst case ≤ radii ≤ diameters; radii smaller in {sharp}"
    worst = worst_case_leakage(SecretGraph.complete(10), TWO)
    nats, epsilon = ln(worst.upper), ln(TWO)
    demand(nats <= epsilon < worst.bits, f"{nats} nats, {worst.bits} bits against ε = {epsilon}")
    yield f"K10, ε = ln 2 ≈ {epsilon:.3f}: {nats:.3f} nats ≤ ε·d, but {worst.bits:.3f} bits"


@claim(
    "E-T11-oneway",
    "If K(z|D) ≤ e^ε·K(z|D′) is only asked where D → D′, the bound of Theorem 11 is false; with "
    "both ways wherever one holds, or only where both hold, it is true.",
    Verdict.FALSE,
    ONE_WAY,
    source="Theorem 11 of [Edwards2021], with Definitions 2 and 6 to the letter",
)
def one_way() -> Iterator[str]:
    """The largest sum under the constraints of one direction, by linear program."""
    for policy, ratio, expected in (
        (_spokes(5), Fraction(11, 10), Fraction(3, 2)),
        (EIGHT, Fraction(51, 50), Fraction(108, 101)),
    ):
        graph = policy.adjacency()
        one = arrows(graph)
        mutual = Graph(graph.order, {(i, j) for i, j in one if (j, i) in one})
        bound, found = _bound(graph, "diameters", ratio), largest_sum(graph.order, one, ratio)
        demand(found == expected > bound, f"{expected} must be above {bound}, got {found}")
        yield f"{graph.order} databases, λ = {ratio}: {found} > {bound} = λ^{graph.diameter}"
        either = optimum(graph.explicit(), ratio)
        demand(either <= bound, f"asked either way: {either} > {bound}")
        least, allowed = optimum(mutual, ratio), radii_and_diameters(mutual, ratio)[1]
        demand(least <= allowed, f"asked where both hold: {least} > {allowed}")
        near = f"{float(either):.4f} ≤ {float(bound):.4f}"
        yield f"asked either way {near}; where both hold {float(least):.2f} ≤ {float(allowed):.2f}"
    values = []
    for k in range(1, 6):
        graph = _spokes(k).adjacency()
        values.append(largest_sum(graph.order, arrows(graph), Fraction(11, 10)))
        demand(values[-1] == 1 + Fraction(k, 10), f"{k} pairs must give 1 + k(λ − 1): {values}")
    yield f"the first with 1 to {k} pairs: {listed(values)}, that is 1 + k(λ − 1)"


WORDS = ("21", "20", "30", "00", "12", "02", "11", "31")
EIGHT = Policy(SecretGraph(4, [(0, 1)]), 2, databases=[tuple(map(int, w)) for w in WORDS])
"""Eight databases on which Theorem 11 fails one way."""


def _spokes(k: int) -> Policy:
    """The database 20 and k pairs a0, a1 that only 0 and 1 in the second record tell apart."""
    pairs = [(a, b) for a in range(3, 3 + k) for b in (0, 1)]
    return Policy(SecretGraph(8, [(0, 1)]), 2, databases=[(2, 0), *pairs])


def arrows(graph: AdjacencyGraph) -> Arcs:
    """Return the pairs D → D′ of Definition 2.

    >>> arrows(Policy(SecretGraph(3, [(0, 1)]), 2, databases=[(0, 0), (0, 1), (2, 0)]).adjacency())
    [(0, 1), (1, 0), (2, 1)]
    """
    back = {(j, i) for i, j in graph.one_way_indices.tolist()}
    return [(i, j) for i, j in graph.explicit().arcs.tolist() if (i, j) not in back]


THRESHOLDS = tuple(SecretGraph.threshold([1, 2, 3, 4], theta) for theta in (1, 2, 3))
"""The secret graphs of Figure 1."""


@claim(
    "E-Ex12",
    "For T = [4] the bound grows more slowly for a larger threshold θ; it is far above the worst "
    "case, which for two records is the square of that for one.",
)
def example_12() -> Iterator[str]:
    """One record by definition, two by their graph of 16 databases."""
    single = [optimum(secrets, TWO) for secrets in THRESHOLDS]
    demand(single == [2, Fraction(12, 7), Fraction(8, 5)], f"got the worst cases {listed(single)}")
    bounds, radii = (
        [_bound(secrets, form) for secrets in THRESHOLDS] for form in ("diameters", "radii")
    )
    demand(bounds + radii == [8, 4, 2, 4, 2, 2], f"got the bounds {bounds} and {radii}")
    yield f"θ = 1, 2, 3, λ = 2, one record: worst case {listed(single)}"
    yield f"diameters say {listed(bounds)}; radii {listed(radii)}"
    ratios = (Ratio.of(epsilon="0.1").lower, TWO, Ratio.of(epsilon=1).lower)
    for secrets, ratio in itertools.product(THRESHOLDS, ratios):
        one = optimum(secrets, ratio)
        two = worst_case_leakage(Policy(secrets, 2).adjacency().explicit(), ratio)
        demand(two.lower == two.upper == one**2, f"two records: {two}, one: {one}")
        demand(math.isclose(two.bits, 2 * log2(one)), f"{two.bits} bits, by hand {2 * log2(one)}")
    yield f"two records: the squares of these, at {len(ratios)} ratios"


@claim(
    "E-Fig2",
    "For T = [4] and θ = 1, 2, 3 the bound is 3ε, 2ε, ε nats per record, a straight line in the "
    "number of records; for large ε it is above n·ln 4, which always holds. The text names neither "
    "the ε of the figure nor its unit.",
)
def figure_2() -> Iterator[str]:
    """The slopes; then on which side of n·ln 4 the curves are just below and above."""
    slopes, ends = [], []
    for secrets in THRESHOLDS:
        lines = [
            leakage_bounds(Policy(secrets, n), epsilon="0.1").named("diameters")[0].nats / n
            for n in (1, 10, 100)
        ]
        demand(max(lines) - min(lines) < 2.0**-40, f"no straight line: {lines}")
        slopes.append(round(10 * lines[0]))
        demand(abs(10 * lines[0] - slopes[-1]) < 2.0**-40, f"a slope of {10 * lines[0]}·ε")
        ends.append(ln(4) / secrets.diameter)
        for factor, above in (("0.999", False), ("1.001", True)):
            epsilon = str(Fraction(factor) * Fraction(ends[-1]))
            table = leakage_bounds(Policy(secrets, 100), epsilon=epsilon)
            curve, trivial = table.named("diameters")[0], table.named("number of databases")[0]
            demand((curve.bits > trivial.bits) is above, f"{curve.bits} at ε = {epsilon}")
    demand(slopes == [3, 2, 1], f"slopes {slopes}·ε")
    yield f"θ = 1, 2, 3: slopes of {listed(slopes)} times ε, in nats, from 1 to 100 records"
    rounded = [round(end, 4) for end in ends]
    demand(rounded == [0.4621, 0.6931, 1.3863], f"above n·ln 4 from ε = {rounded}")
    yield f"they pass n·ln 4 at ε = {listed(rounded)}"


@claim("E-Fig3", "A complete graph on four vertices and n − 1 separate pairs.", Verdict.DRAWING)
def figure_3() -> Iterator[str]:
    """Components, diameters and degrees, for n up to 4."""
    for n in range(1, 5):
        graph = AdjacencyGraph.of(block_graph(n))
        degrees = sorted({graph.degree(vertex) for vertex in graph.vertices})
        demand(graph.component_diameters == {1: n}, f"diameters {graph.component_diameters}")
        demand(graph.order == 2 * n + 2, f"{graph.order} vertices")
        demand(degrees == ([1, 3] if n > 1 else [3]), f"degrees {degrees}")
        if n == 2:
            yield f"n = 2: {graph.component_count} components, degrees {listed(degrees)}"


@claim(
    "E-Fig4",
    "A cycle and a complete graph on m values; their diameters are ⌊m/2⌋ and 1, for m ≥ 3.",
    Verdict.DRAWING,
)
def figure_4() -> Iterator[str]:
    """The diameters of both."""
    cycles = [SecretGraph.cycle(m).diameter for m in range(3, 8)]
    cliques = [SecretGraph.complete(m).diameter for m in range(3, 8)]
    demand(cycles == [m // 2 for m in range(3, 8)], f"diameters of cycles {cycles}")
    demand(set(cliques) == {1}, f"diameters of complete graphs {cliques}")
    yield f"m = 3 to 7: diameters {listed(cycles)} of cycles, {listed(cliques)} of cliques"


@claim(
    "E-Ex13",
    "For n records with a cycle of m ≥ 3 values the adjacency graph has diameter n⌊m/2⌋ and the "
    "bound is εn⌊m/2⌋ nats; with all of m ≥ 2 values joined, n and εn.",
)
def example_13() -> Iterator[str]:
    """Diameters from the definition of distance; the worst case per record beside the bound."""
    single, bounds = [], []
    for m in range(3, 8):
        ring, clique = SecretGraph.cycle(m), SecretGraph.complete(m)
        for n in (1, 2, 1000):
            wide, near = (Policy(graph, n).adjacency().diameter for graph in (ring, clique))
            demand((wide, near) == (n * (m // 2), n), f"m = {m}, n = {n}: {wide} and {near}")
        three = [_bound(Policy(graph, 3), "diameters") for graph in (ring, clique)]
        demand(three == [2 ** (3 * (m // 2)), 2**3], f"m = {m}, three records: {three}")
        square = Policy(ring, 2).adjacency().explicit()
        demand(int(square.distances.max()) == 2 * (m // 2), f"{square} by its distances")
        single.append(optimum(ring, TWO))
        bounds.append(radii_and_diameters(ring, TWO)[1])
        demand(worst_case_leakage(ring, TWO).upper == single[-1], f"two routes differ at m = {m}")
    expected = [Fraction(3, 2), Fraction(16, 9), TWO, Fraction(16, 7), Fraction(28, 11)]
    demand(single == expected, f"worst cases {listed(single)}")
    yield f"cycles of 3 to 7, λ = 2: per record at worst {listed(single)}; bound {listed(bounds)}"
    alone = Policy(SecretGraph.complete(1), 5).adjacency().diameter
    demand(alone == 0, f"K1 must have diameter 0, got {alone}")
    yield f"m = 1 is left out: K1 has diameter {alone}"


@claim(
    "E-T15",
    "On K4 and n − 1 > 0 copies of K2 there are mechanisms with ε = ln(1 + δ) for which the bound "
    "of Theorem 11 divided by the leakage tends to 1 as δ → 0.",
    Verdict.HOLDS,
    TIGHTNESS,
)
def theorem_15() -> Iterator[str]:
    """The blocks themselves, the worst case on their graph, and the quotient for small δ."""
    for n, ratio in itertools.product((1, 2, 3), (Fraction(11, 10), TWO)):
        graph, blocks, delta = block_graph(n), block_channel(n, ratio), ratio - 1
        leaked, at = min_capacity(blocks).factor, f"n = {n}, δ = {delta}:"
        expect(privacy_level(blocks, graph).ratio, ratio, f"{at} the level")
        expect(leaked, 4 * n * ratio / (4 + 2 * delta), f"{at} the leakage")
        formula = 4 * ratio / (3 + ratio) + (n - 1) * 2 * ratio / (1 + ratio)
        expect(worst_case_leakage(graph, ratio).upper, formula, f"{at} the worst case")
    graph = block_graph(2)
    leaked = min_capacity(block_channel(2, TWO)).factor
    found = [leaked, optimum(graph, TWO), _bound(graph, "diameters")]
    demand(found == [Fraction(8, 3), Fraction(44, 15), 4], f"n = 2, δ = 1: {listed(found)}")
    yield f"n = 2, δ = 1: it leaks {found[0]}, the worst case is {found[1]}, the bound {found[2]}"
    demand(not vertex_transitivity(graph), "the graph must not be vertex-transitive")
    demand(not distance_regularity(graph), "the graph must not be distance-regular")

    near, quotients = Fraction("1.001"), []
    for n in (2, 5, 1):
        bound = _bound(block_graph(n), "diameters", near)
        quotients.append(ln(bound) / min_capacity(block_channel(n, near)).nats)
    two, five, one = quotients
    demand(round(two, 5) == 1.00072, f"n = 2 must give 1.00072, got {two}")
    demand((round(five, 2), round(one, 2)) == (1, 2), f"must be near 1 and 2: {five} and {one}")
    yield f"δ = 1/1000: bound / leakage = {two:.5f}, {five:.5f}, {one:.3f} for n = 2, 5, 1"
    values = (2, 10, 50)
    wide = [worst_case_leakage(Policy(SecretGraph.complete(v), 2), TWO).upper for v in values]
    demand(wide == [Fraction(2 * v, v + 1) ** 2 for v in values], f"two records: {listed(wide)}")
    shown = listed(f"{float(value):.3f}" for value in wide)
    yield f"λ = 2, two records of {listed(values)} values: worst case {shown}; bound {TWO**2}"
