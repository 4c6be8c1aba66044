"""The mechanisms of the papers: [Edwards2021]_, [Alvim2011a]_, [Alvim2011b]_, [Barthe2011]_ and
[Boreale2012]_, with the numbers of their tables and what is wrong in them.
"""

import math
from fractions import Fraction

import pytest

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, InvalidNumber
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.even_ring import EvenRing
from leaktight.mechanisms.graph_exponential import GraphExponential, NormalisedExponential, decay
from leaktight.mechanisms.one_bit import OneBit
from leaktight.mechanisms.tight_constraints import TightConstraints
from leaktight.policies.graph import Graph
from leaktight.privacy.level import privacy_level
from tests.strategies.named_graphs import complete, cycle, path


def best_guess(graph: Graph, ratio: int = 2) -> Fraction:
    """The largest utility of a private mechanism under the uniform prior, by linear program."""
    return optimal_mechanism(graph, ratio=ratio).utility


# --- [Edwards2021] -------------------------------------------------------------------------


# --- [Alvim2011b] --------------------------------------------------------------------------


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


# --- [Alvim2011a] --------------------------------------------------------------------------


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


# --- [Boreale2012] -------------------------------------------------------------------------
