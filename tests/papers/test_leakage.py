"""The papers' claims about channels, leakage, entropy and composition (register K1, K3, K4)."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import leaktight as lt
from tests.strategies.channels import channels, distributions

RESPONSE = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]])


@given(st.lists(channels(most=3), min_size=2, max_size=3))
def test_b_l4_parallel_composition_adds_leakage_exactly(factors: list[lt.Channel]) -> None:
    """B-D5, B-L4: ML(C1 × C2) = ML(C1) + ML(C2)."""
    side_by_side = lt.parallel(*factors)
    product_of_each = math.prod(Fraction(lt.min_capacity(c).factor) for c in factors)
    assert lt.min_capacity(side_by_side).factor == product_of_each
    assert lt.min_capacity(side_by_side.expand()).factor == product_of_each


def test_b_t5_n_randomised_responses_leak_n_times_as_much() -> None:
    """B-T5, B-C5: n·log2(2λ/(λ+1)) bits, unbounded in n; n = 3, λ = 2: 64/27."""
    assert lt.min_capacity(lt.parallel(*[RESPONSE] * 3)).factor == Fraction(64, 27)
    assert lt.min_capacity(lt.parallel(*[RESPONSE] * 10**5)).bits > 41_000


@given(distributions(3))
def test_w_d1_a_channel_may_be_degenerate(p: lt.Distribution) -> None:
    """W-D1 asks for distinct, positive rows; nothing here needs that."""
    same = lt.Channel([p.array, p.array])
    assert lt.min_capacity(same).factor == 1
    assert same.reduced().shape == (2, 1)
