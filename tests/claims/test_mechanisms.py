"""The mechanisms of the papers: [Edwards2021]_, [Alvim2011a]_, [Alvim2011b]_, [Barthe2011]_ and
[Boreale2012]_, with the numbers of their tables and what is wrong in them.
"""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize_scalar

from leaktight.capacity import min_capacity
from leaktight.channel import Channel
from leaktight.errors import InvalidGraph, InvalidNumber
from leaktight.gain import Gain
from leaktight.graph import Graph
from leaktight.leakage import posterior_vulnerability
from leaktight.mechanisms.blocks import BlockMechanism
from leaktight.mechanisms.even_ring import EvenRing
from leaktight.mechanisms.geometric import GeometricNoise, TruncatedGeometric
from leaktight.mechanisms.graph_exponential import GraphExponential, NormalisedExponential, decay
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.mechanisms.one_bit import OneBit
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.mechanisms.tight_constraints import TightConstraints
from leaktight.privacy import distinguishability, privacy_level
from leaktight.secrets import SecretGraph
from leaktight.worst_case.optimum import worst_case_leakage
from leaktight.worst_case.published import leakage_bounds
from leaktight.worst_case.vulnerability import worst_case_vulnerability
from tests.named_graphs import complete, cycle, path, petersen

CITIES = ["A", "B", "C", "D", "E", "F"]
LESS_AT_THE_ENDS = ["1/10", "1/5", "1/5", "1/5", "1/5", "1/10"]
MORE_AT_THE_ENDS = ["3/10", "1/10", "1/10", "1/10", "1/10", "3/10"]


def best_guess(graph: Graph, ratio: object = 2) -> Fraction:
    """The largest utility of a private mechanism under the uniform prior, by linear program."""
    return worst_case_vulnerability(graph, None, ratio).value  # type: ignore[arg-type]


# --- [Edwards2021] -------------------------------------------------------------------------


def test_theorem_15_the_blocks_are_private_and_leak_less_than_the_bound() -> None:
    """E-T15. n = 2, δ = 1: λ = 2, Σ = 8/3, Theorem 11 says 4; the optimum on the graph is 44/15."""
    blocks = BlockMechanism(2, ratio=2)
    assert privacy_level(blocks.channel, blocks.graph).ratio == 2
    assert min_capacity(blocks.channel).factor == Fraction(8, 3)
    [bound] = leakage_bounds(blocks.graph, ratio=2).named("diameters")
    assert bound.value == 4
    for n in (1, 2, 3):
        optimum = Fraction(4 * 2, 3 + 2) + (n - 1) * Fraction(2 * 2, 1 + 2)
        assert worst_case_leakage(BlockMechanism(n, ratio=2).graph, ratio=2).upper == optimum
    assert Fraction(8, 5) + Fraction(4, 3) == Fraction(44, 15)


def test_theorem_15_is_tight_only_as_epsilon_vanishes() -> None:
    """E-T15, erratum 7. ε(δ) is ln(1+δ), not 1+δ. The ratio tends to 1 if n > 1, to 2 if n = 1."""
    for n, limit in ((1, 2.0), (2, 1.0), (5, 1.0)):
        blocks = BlockMechanism(n, ratio="1.001")
        assert blocks.guarantee.epsilon == pytest.approx(math.log(1.001))
        leaks = min_capacity(blocks.channel).nats
        [bound] = leakage_bounds(blocks.graph, ratio="1.001").named("diameters")
        assert bound.nats / leaks == pytest.approx(limit, abs=2e-3)
    two = BlockMechanism(2, ratio="1.001")
    assert math.log(2.002) / min_capacity(two.channel).nats == pytest.approx(1.00072, abs=5e-6)


# --- [Alvim2011b] --------------------------------------------------------------------------


def test_proposition_1_with_the_right_constant() -> None:
    """A-P1. u = 2, v = 3, λ = 2: α = 1/4, rows sum to 1, Σ = 9/4, the bound of Theorem 1."""
    survey = RandomizedResponse(3, ratio=2, records=2)
    assert survey.truth**2 == survey.channel[(0, 0), (0, 0)] == Fraction(1, 4)
    assert min_capacity(survey.channel).factor == Fraction(9, 4)
    assert privacy_level(survey.channel, survey.graph).ratio == 2


@pytest.mark.parametrize(("u", "v", "printed"), [(1, 2, 0.6226), (2, 3, 4.6797)])
def test_proposition_1_as_printed_is_no_channel(u: int, v: int, printed: float) -> None:
    """A-P1, erratum 14. With B(u, v, ε) for α, a number of bits, rows sum to .6226 and 4.6797."""
    bits = u * math.log2(v * 2 / (v - 1 + 2))
    whole = float(decay(GraphExponential(databases(u, v), ratio=2).on, Fraction(2))[0].sum())
    assert bits * whole == pytest.approx(printed, abs=5e-5)


def databases(u: int, v: int) -> Graph:
    return RandomizedResponse(v, ratio=1, records=u).graph.explicit()


def test_example_1_has_the_printed_exponents() -> None:
    """A-Ex1, A-Fig4, erratum 15. All 81 exponents are right; a is 1/4 at λ = 2, not 3/2."""
    names = ["aa", "ab", "ac", "ba", "ca", "bb", "bc", "cb", "cc"]
    printed = [
        "011112222", "101221212", "110222121", "122011122", "122102211",
        "212120112", "221121021", "212211201", "221212110",
    ]  # fmt: skip
    survey = RandomizedResponse(["a", "b", "c"], ratio=2, records=2)
    channel = survey.channel
    for x, row in zip(names, printed, strict=True):
        for z, exponent in zip(names, row, strict=True):
            assert channel[tuple(x), tuple(z)] == Fraction(1, 4) / 2 ** int(exponent)
    assert Fraction(3 * 2, 2 + 2) == Fraction(3, 2) > 1


def test_theorem_4_on_odd_rings_and_cliques() -> None:
    """A-T4. α = 1/2, 2/5, 4/11 on rings of 3, 5, 7, and 2/3, 1/2, 2/7 on cliques of 2, 3, 6."""
    rings = {3: Fraction(1, 2), 5: Fraction(2, 5), 7: Fraction(4, 11)}
    cliques = {2: Fraction(2, 3), 3: Fraction(1, 2), 6: Fraction(2, 7)}
    cases = [(cycle(n), alpha) for n, alpha in rings.items()]
    cases += [(complete(n), alpha) for n, alpha in cliques.items()]
    for graph, alpha in cases:
        channel = GraphExponential(graph, ratio=2).channel
        assert channel[0, 0] == posterior_vulnerability(channel) == alpha == best_guess(graph)
        assert privacy_level(channel, graph).ratio == 2


def circulants(n: int) -> list[Graph]:
    steps, around = range(1, n // 2 + 1), range(n)
    chosen = [s for size in steps for s in combinations(steps, size)]
    return [Graph(n, [(i, (i + k) % n) for i in around for k in s]) for s in chosen]


def test_theorem_4_has_fewer_cases_than_the_text_says() -> None:
    """A-T4, erratum 21. For 3, …, 13 answers c ≥ 2 takes 1,1,2,1,2,1,3,1,2,1,4 values.

    The text has ⌊|Y|/2⌋ − 1 of them; and c = 1 is possible for two answers.
    """

    def cases(n: int) -> int:
        borders = (set(g.distance_counts[0][1:].tolist()) for g in circulants(n) if g.is_connected)
        return len({min(sizes) for sizes in borders if len(sizes) == 1})

    assert [cases(n) for n in range(3, 14)] == [1, 1, 2, 1, 2, 1, 3, 1, 2, 1, 4]
    assert [n // 2 - 1 for n in range(3, 14)] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert complete(2).distance_counts[0].tolist() == [1, 1]
    assert GraphExponential(complete(2), ratio=2).channel[0, 0] == Fraction(2, 3)


def test_remark_1_is_legal_but_not_optimal() -> None:
    """A-R1, erratum 22. 6-ring, λ = 2: doubled 4/11, undoubled and optimal 8/21."""
    ring = EvenRing(6, ratio=2)
    assert privacy_level(ring.channel, ring.graph).ratio == 2
    assert posterior_vulnerability(ring.channel) == Fraction(4, 11)
    undoubled = GraphExponential(ring.graph, ratio=2)
    assert privacy_level(undoubled.channel, ring.graph).ratio == 2
    assert posterior_vulnerability(undoubled.channel) == Fraction(8, 21) == best_guess(ring.graph)


@pytest.mark.parametrize("ratio", ["11/10", "7/5", "3/2", "2", "5"])
def test_remark_1_needs_a_ratio_whose_square_is_2(ratio: str) -> None:
    """A-R1. Rings of 4, 6, 8: private exactly if λ² ≥ 2; at 7/5 it is not."""
    number = Fraction(ratio)
    for n in (4, 6, 8):
        rows = [[number ** -min(abs(i - j), n - abs(i - j)) for j in range(n)] for i in range(n)]
        for i, row in enumerate(rows):
            row[(i + n // 2) % n] *= 2
        level = privacy_level(Channel.normalised(rows), cycle(n)).ratio
        if number**2 >= 2:
            assert EvenRing(n, ratio=ratio).channel == Channel.normalised(rows)
            assert level == number
        else:
            assert level == 2 / number > number
            with pytest.raises(InvalidNumber, match="λ² ≥ 2"):
                EvenRing(n, ratio=ratio)


def test_remark_2_adds_adjacencies_at_the_cost_of_utility() -> None:
    """A-R2. 6 answers, λ = 2: path 4/9 > ring 8/21 > clique 2/7, all private on the path."""
    line, utilities = path(6), [Fraction(4, 9), Fraction(8, 21), Fraction(2, 7)]
    mechanisms = [
        TightConstraints(line, ratio=2),
        GraphExponential(line, ratio=2, on=cycle(6)),
        GraphExponential(line, ratio=2, on=complete(6)),
    ]
    for mechanism, graph, utility in zip(
        mechanisms, (line, cycle(6), complete(6)), utilities, strict=True
    ):
        assert posterior_vulnerability(mechanism.channel) == utility == best_guess(graph)
        assert privacy_level(mechanism.channel, line).ratio == 2 == mechanism.guarantee.ratio


def enclosed_geometric() -> tuple[Channel, Channel]:
    """Table 1's M1 for rational steps below and above 2^(1/5)."""
    below = TruncatedGeometric(CITIES, ratio=2, sensitivity=5)
    step = below.step + Fraction(1, 2**60)
    assert below.step**5 < 2 < step**5
    assert privacy_level(below.channel, complete_cities()).ratio == below.guarantee.ratio < 2
    return below.channel, TruncatedGeometric(CITIES, ratio=step).channel


def complete_cities() -> Graph:
    return SecretGraph.complete(CITIES)


@pytest.mark.parametrize(
    ("prior", "geometric", "clique"),
    [
        (None, 0.2243366, Fraction(2, 7)),
        (LESS_AT_THE_ENDS, 0.2415224, Fraction(2, 7)),
        (MORE_AT_THE_ENDS, 0.3884, Fraction(12, 35)),
    ],
)
def test_example_2_utilities(prior: list[str] | None, geometric: float, clique: Fraction) -> None:
    """A-Ex2, A-Tab1, errata 23 and 24. .2243366, and .2415224 where the text has .2412.

    "Even for non-uniform distributions, our mechanism still provides better utility" is false:
    under (.3, .1, .1, .1, .1, .3) M1 has .3884 and M2 .3429.
    """
    below, above = (posterior_vulnerability(channel, prior) for channel in enclosed_geometric())
    digits = 4 if geometric == 0.3884 else 7
    assert round(float(below), digits) == round(float(above), digits) == geometric
    assert below < above < below + Fraction(1, 2**50)
    ours = posterior_vulnerability(GraphExponential(complete_cities(), ratio=2).channel, prior)
    assert ours == clique
    assert (below > ours) == (prior is MORE_AT_THE_ENDS)


def test_example_2_has_a_better_mechanism_for_its_prior() -> None:
    """A-Ex2. Under (.1, .2, .2, .2, .2, .1) the best utility is .32, above M2's 2/7."""
    best = worst_case_vulnerability(complete_cities(), LESS_AT_THE_ENDS, ratio=2).value
    assert best == Fraction(8, 25) > Fraction(2, 7)


def test_example_2_with_a_gain_that_knows_distances() -> None:
    """A-Ex2. Gain 1 − |y − y′|/5, uniform: M1 .71845 > M2 .71429."""
    place = {city: i for i, city in enumerate(CITIES)}
    gain = Gain.by_distance(CITIES, lambda a, b: abs(place[a] - place[b]))
    for channel in enclosed_geometric():
        assert round(float(posterior_vulnerability(channel, None, gain)), 5) == 0.71845
    clique = GraphExponential(complete_cities(), ratio=2).channel
    assert posterior_vulnerability(clique, None, gain) == Fraction(5, 7)


def test_tables_1_and_4_to_the_last_digit() -> None:
    """A-Tab1, Q-Tab4, erratum 23. Four entries are printed as .053; they are .05245."""
    printed = {
        "A": [0.535, 0.060, 0.052, 0.046, 0.040, 0.267],
        "B": [0.465, 0.069, 0.060, 0.053, 0.046, 0.307],
        "C": [0.405, 0.060, 0.069, 0.060, 0.053, 0.353],
        "D": [0.353, 0.053, 0.060, 0.069, 0.060, 0.405],
        "E": [0.307, 0.046, 0.053, 0.060, 0.069, 0.465],
        "F": [0.267, 0.040, 0.046, 0.052, 0.060, 0.535],
    }
    wrong = set()
    for channel in enclosed_geometric():
        for x, row in printed.items():
            for z, entry in zip(CITIES, row, strict=True):
                if round(float(channel[x, z]), 3) != entry:
                    wrong.add((x, z, entry, round(float(channel[x, z]), 5)))
    pairs = [("B", "D"), ("C", "E"), ("D", "B"), ("E", "C")]
    assert wrong == {(x, z, 0.053, 0.05245) for x, z in pairs}
    rounded = Channel.normalised({x: [str(p) for p in row] for x, row in printed.items()})
    assert pytest.approx(2.0037, abs=5e-5) == 0.535 / 0.267
    assert privacy_level(rounded, complete_cities()).ratio > 2
    ours = GraphExponential(complete_cities(), ratio=2).channel
    assert all(ours[x, z] == Fraction(2 if x == z else 1, 7) for x in CITIES for z in CITIES)


def test_table_2_exactly() -> None:
    """A-Ex3, A-Tab2. M1 has 4/9, optimal on the line; M2 has 4/11; M1 has ratio 32 on a ring."""
    below = TruncatedGeometric(6, ratio=2)
    rows = [
        ["2/3", "1/6", "1/12", "1/24", "1/48", "1/48"],
        ["1/3", "1/3", "1/6", "1/12", "1/24", "1/24"],
        ["1/6", "1/6", "1/3", "1/6", "1/12", "1/12"],
    ]
    assert below.channel == Channel([*rows, *(row[::-1] for row in rows[::-1])])
    assert privacy_level(below.channel, path(6)).ratio == 2
    assert (
        privacy_level(below.channel, cycle(6)).ratio
        == 32
        == (distinguishability(below.channel).ratio)
    )
    assert posterior_vulnerability(below.channel) == Fraction(4, 9) == best_guess(path(6))
    ring = EvenRing(6, ratio=2)
    first = ["4/11", "2/11", "1/11", "1/11", "1/11", "2/11"]
    assert ring.channel == Channel([first[-i:] + first[:-i] for i in range(6)])
    assert posterior_vulnerability(ring.channel) == Fraction(4, 11)
    assert privacy_level(ring.channel, path(6)).ratio <= 2


# --- [Alvim2011a] --------------------------------------------------------------------------


def test_theorem_4_of_the_notes_attains_theorem_3() -> None:
    """Q-T4. 1/Σ n_d e^(−εd): 8/21 on the 6-ring, 1/4 on Petersen's graph, both optimal."""
    for graph, utility in ((cycle(6), Fraction(8, 21)), (petersen(), Fraction(1, 4))):
        channel = GraphExponential(graph, ratio=2).channel
        assert posterior_vulnerability(channel) == utility
        assert worst_case_leakage(graph, ratio=2).upper == graph.order * utility


def test_definition_8_is_not_always_a_channel() -> None:
    """Q (8), erratum 37. On a path of 3 at λ = 2, with c = 1/Σ n_d·λ^(−d) seen from an end, rows
    sum to 1, 8/7, 1; divided by their sums, they have the ratio 16/7.
    """
    line = path(3)
    sums = decay(line, Fraction(2)).sum(axis=1)
    assert [str(whole / sums[0]) for whole in sums] == ["1", "8/7", "1"]
    with pytest.raises(InvalidGraph, match="got 7/4 from 0 and 2 from 1"):
        GraphExponential(line, ratio=2)
    divided = NormalisedExponential(line, ratio=2)
    assert privacy_level(divided.channel, line).ratio == Fraction(16, 7)
    assert divided.guarantee.ratio == Fraction(16, 7)


# --- [Barthe2011] --------------------------------------------------------------------------


def test_theorem_2_holds_for_rounded_noise() -> None:
    """B-T2. ε = .7, rounded to quarters, sensitivity 1: the ratio is e^.7 = 2.01375, never more."""
    noise = RoundedLaplace([Fraction(k, 4) for k in range(13)], epsilon="0.7", sensitivity=4)
    level = privacy_level(noise.channel, noise.graph)
    assert level.holds(epsilon="0.7")
    assert float(level.ratio) == pytest.approx(math.exp(0.7), rel=1e-15)
    assert round(float(level.ratio), 5) == 2.01375


def test_figure_1_and_lemma_5() -> None:
    """B-Fig1, B-L5, erratum 28. C1(ln 2, 1/4); no C(ε, p) has rows (0, 1) and (1/2, 1/2)."""
    assert OneBit("1/4", ratio=2).channel == Channel([["1/4", "3/4"], ["1/2", "1/2"]])
    assert OneBit("1/4", ratio=2, likelier=0).channel == Channel([["1/2", "1/2"], ["1/4", "3/4"]])
    lopsided = Channel([[0, 1], ["1/2", "1/2"]])
    assert privacy_level(lopsided, complete(2)).ratio == math.inf
    even = Channel([["1/3", "2/3"], ["1/3", "2/3"]])  # only with ε = 0
    assert OneBit("1/3", epsilon=0).channel == even


def test_lemma_6() -> None:
    """B-L6. C(ln 2, p) is private at p = 1/3 and not at 1/3 + 1/100; at ε = 0 any p will do."""
    third = OneBit("1/3", ratio=2)
    assert privacy_level(third.channel, third.graph).ratio == 2
    more = Fraction(1, 3) + Fraction(1, 100)
    beyond = Channel([[more, 1 - more], [2 * more, 1 - 2 * more]])
    assert privacy_level(beyond, complete(2)).ratio > 2
    with pytest.raises(InvalidNumber, match=r"at most 1/\(λ \+ 1\) = 1/3"):
        OneBit(more, ratio=2)
    constant = OneBit("3/4", epsilon=0)
    assert privacy_level(constant.channel, constant.graph).ratio == 1


def test_theorem_5_and_corollary_5() -> None:
    """B-T5, B-C5. Randomised response leaks n·log2(2λ/(λ+1)): 64/27 for n = 3, λ = 2, the optimum.

    It is unbounded: at ε = .1 it takes 114 records to leak more than 8 bits.
    """
    three = RandomizedResponse(2, ratio=2, records=3)
    assert min_capacity(three.survey).factor == Fraction(64, 27)
    assert worst_case_leakage(three.graph, ratio=2).upper == Fraction(64, 27)
    bits = [
        min_capacity(RandomizedResponse(2, epsilon="0.1", records=n).survey).bits
        for n in (113, 114)
    ]
    assert bits[0] < 8 < bits[1]


# --- [Boreale2012] -------------------------------------------------------------------------


def chernoff(p: npt.NDArray[np.float64], q: npt.NDArray[np.float64]) -> float:
    """−min over t of log2 Σ p^t·q^(1−t), by a numerical search."""
    found = minimize_scalar(
        lambda t: np.log2(np.sum(p**t * q ** (1 - t))), bounds=(0, 1), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    return -float(found.fun)


def rows_of_noise(noise: GeometricNoise, n: int) -> npt.NDArray[np.float64]:
    """The noisy answers of 0, …, n on the whole numbers, as far as they matter."""
    chances = {k: float(noise.probability(k)) for k in range(-330, 331)}
    return np.array([[chances[y - x] for y in range(-320, 321)] for x in range(n + 1)])


@pytest.mark.parametrize("c", ["1/4", "1/2", "9/10"])
def test_theorem_11_gives_the_rate_of_geometric_noise(c: str) -> None:
    """W-T11. ρ = log2(1+c) − ½·log2 c − 1, the least over pairs, for N = 1, 2, 3, 5."""
    rho = math.log2(1 + Fraction(c)) - math.log2(Fraction(c)) / 2 - 1
    noise = GeometricNoise(ratio=1 / Fraction(c))
    for n in (1, 2, 3, 5):
        rows = rows_of_noise(noise, n)
        rates = [chernoff(p, q) for p, q in combinations(rows, 2)]
        assert min(rates) == pytest.approx(rho, abs=1e-9)
    if c == "1/2":
        rates = [chernoff(rows[0], rows[d]) for d in (1, 2, 3, 4)]
        assert rates == pytest.approx([0.085, 0.263, 0.5, 0.778], abs=5e-4)
        assert rho == pytest.approx(0.0849625, abs=5e-8)


@pytest.mark.parametrize("c", ["1/4", "1/2", "9/10"])
def test_corollary_1_is_an_equality_for_the_geometric_mechanism(c: str) -> None:
    """W-C1, erratum 47. Truncation loses nothing: beyond an end all likelihood ratios are equal."""
    noise = GeometricNoise(ratio=1 / Fraction(c))
    for n in (1, 2, 3, 5):
        for i, j in combinations(range(n + 1), 2):
            ratios = {noise.probability(y - i) / noise.probability(y - j) for y in range(-9, 1)}
            assert len(ratios) == 1
        truncated = noise.truncated(0, n).channel.to_numpy()
        whole = rows_of_noise(noise, n)
        for i, j in combinations(range(n + 1), 2):
            kept = chernoff(truncated[i], truncated[j])
            assert kept == pytest.approx(chernoff(whole[i], whole[j]), abs=1e-9)


def test_corollary_1_is_strict_if_more_is_merged() -> None:
    """W-C1. Merging the outputs 0 and 1 as well leaves .0276 of .0850 at c = 1/2."""
    channel = TruncatedGeometric(4, ratio=2).channel
    merged = channel.merge({0: 1}).to_numpy()
    rates = [chernoff(p, q) for p, q in combinations(merged, 2)]
    assert min(rates) == pytest.approx(0.0276, abs=5e-5)
