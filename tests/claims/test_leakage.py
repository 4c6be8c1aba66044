"""The papers' claims about channels, leakage, entropy and composition (register K1, K3, K4)."""

import math
from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

import leaktight as lt
from tests.strategies import channels, channels_and_priors, distributions

RESPONSE = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]])
STRINGS = ["".join(bits) for bits in product("01", repeat=3)]
PASSWORD = "110"

Both = tuple[lt.Channel, lt.Distribution]


def binary_symmetric(flip: str) -> lt.Channel:
    p = Fraction(flip)
    return lt.Channel([[1 - p, p], [p, 1 - p]])


def check(typed: str) -> str:
    return "OK" if typed == PASSWORD else "Fail"


def check_counting(typed: str) -> object:
    wrong = [i for i, (a, b) in enumerate(zip(typed, PASSWORD, strict=True), 1) if a != b]
    return ("Fail", wrong[0]) if wrong else "OK"


def dining_pair(heads: Fraction) -> lt.Channel:
    """Two nodes share a coin that is 0 with probability ``heads``; the sender adds its bit."""
    rows: dict[object, dict[str, Fraction]] = {}
    for sender, bit in product("ab", (0, 1)):
        row: dict[str, Fraction] = {}
        for coin, chance in ((0, heads), (1, 1 - heads)):
            a, b = coin, coin  # what each declares, before the sender adds its bit
            if sender == "a":
                a ^= bit
            else:
                b ^= bit
            row[f"{a}{b}"] = row.get(f"{a}{b}", Fraction(0)) + chance
        rows[sender, bit] = row
    return lt.Channel(rows)


def test_e_l7_leakage_under_the_uniform_prior_is_the_log_of_the_sum_of_column_maxima() -> None:
    """E-L7, corrected (erratum 5): the log of the sum. BSC(1/4): 3/2, 0.405465 nats."""
    leak = lt.min_entropy_leakage(binary_symmetric("1/4"))
    assert leak.factor == Fraction(3, 2)
    assert leak.nats == lt.ln("3/2")
    assert round(leak.nats, 6) == 0.405465
    assert round(leak.bits, 6) == 0.584963


def test_e_r8_exact_numbers_do_not_underflow() -> None:
    """E-R8: exp(−800) is 0 as a float, which would make the ratio infinite."""
    assert math.exp(-800) == 0
    assert lt.Ratio.of(epsilon=800).lower > 10**347


@given(channels_and_priors())
def test_a_cinf_no_prior_leaks_more_than_the_capacity(both: Both) -> None:
    """A-Cinf, B-D1, B-T1, corrected (erratum 12): C∞ = log2 Σ_z max_x K, at the uniform prior."""
    channel, prior = both
    capacity = lt.min_capacity(channel)
    assert 1 <= lt.min_entropy_leakage(channel, prior).factor <= capacity.factor
    assert lt.min_entropy_leakage(channel).factor == capacity.factor
    assert lt.min_capacity(lt.Channel.identity(2)).bits == 1


def test_a_cinf_zero_leakage_does_not_mean_independence() -> None:
    """A §2.2 "iff independent" (erratum 13): prior (9/10, 1/10), BSC(1/5) leaks nothing."""
    channel = binary_symmetric("1/5")
    assert lt.min_entropy_leakage(channel, ["9/10", "1/10"]).factor == 1
    assert lt.mutual_information(channel, ["9/10", "1/10"]) > 0.1


def test_a_fig2_an_oblivious_mechanism_is_the_query_then_the_noise() -> None:
    """A-Fig2: f = [0, 0, 1] followed by randomised response."""
    query = lt.Channel.deterministic([0, 0, 1].__getitem__, range(3))
    noisy = query.then(RESPONSE)
    assert noisy.row(0) == noisy.row(1) == RESPONSE.row(0)
    assert noisy.row(2) == RESPONSE.row(1)


@given(channels_and_priors())
def test_b_l2_leakage_bounds_the_expected_posterior(both: Both) -> None:
    """B-L2: E_y[max_x P(x|y)] ≤ 2^ML · max_x P(x) for every prior."""
    channel, prior = both
    after = lt.hyper(channel, prior)
    expected = sum(
        Fraction(p) * max(Fraction(q) for _, q in after.posterior(z).items())
        for z, p in after.outer.items()
    )
    assert expected <= lt.min_capacity(channel).factor * lt.vulnerability(prior)


@given(st.data())
def test_b_l3_sequential_composition_adds_leakage_at_most(data: st.DataObject) -> None:
    """B-D4, B-L3: ML(C1 + C2) ≤ ML(C1) + ML(C2), the second maximum over (y1, x)."""
    first = data.draw(channels(inputs=3, outputs=2))
    second = {y: data.draw(channels(inputs=3, outputs=3)) for y in first.outputs}
    whole = lt.min_capacity(lt.sequential(first, second)).factor
    rows = {(y, x): second[y].row(x).array for y in first.outputs for x in first.inputs}
    assert whole <= lt.min_capacity(first).factor * lt.min_capacity(lt.Channel(rows)).factor


def test_b_l3_two_randomised_responses() -> None:
    """B-L3: RR + RR has Σ max 4/3, below (4/3)² = 16/9."""
    assert lt.min_capacity(lt.sequential(RESPONSE, RESPONSE)).factor == Fraction(4, 3)


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


def test_q_tab2_password_checker() -> None:
    """Q-Ex1, Q-Tab2: Σ max 2 and 4 (1 and 2 bits); Shannon 0.543564 and 1.75 bits."""
    plain = lt.Channel.deterministic(check, STRINGS)
    counting = lt.Channel.deterministic(check_counting, STRINGS)
    assert set(counting.outputs) == {("Fail", 1), ("Fail", 2), ("Fail", 3), "OK"}
    assert lt.min_capacity(plain).bits == 1
    assert lt.min_capacity(counting).bits == 2
    assert round(lt.mutual_information(plain), 6) == 0.543564
    assert lt.mutual_information(counting) == 1.75


def test_q_tab3_two_node_dining_cryptographers() -> None:
    """Q-Ex5, Q-Tab3: Σ max 2 (1 bit) with a fair coin, 7/3 (log2 7/3 bits) with p(0) = 2/3."""
    fair, biased = dining_pair(Fraction(1, 2)), dining_pair(Fraction(2, 3))
    assert fair[("a", 1), "10"] == Fraction(1, 2)
    assert biased[("a", 1), "10"] == Fraction(2, 3)
    assert biased[("b", 1), "10"] == Fraction(1, 3)
    assert biased.row(("a", 0)) == biased.row(("b", 0))
    assert lt.min_capacity(fair).bits == 1
    assert lt.min_capacity(biased).factor == Fraction(7, 3)
    assert lt.min_capacity(biased).bits == lt.log2("7/3")


def test_q_d1_to_d6_entropies() -> None:
    """Q-P1: H(.4, .3, .3) = 1.570951 ≤ 1.6. Q-D3, Q-D6: RR: 0.918296, 0.081704 bits. Q-D4."""
    assert round(lt.shannon_entropy(["2/5", "3/10", "3/10"]), 6) == 1.570951
    assert lt.shannon_entropy(["1/8"] * 8) == 3
    assert round(lt.conditional_entropy(RESPONSE), 6) == 0.918296
    assert round(lt.mutual_information(RESPONSE), 6) == 0.081704
    assert round(lt.renyi_entropy(["9/10", "1/10"], math.inf), 6) == 0.152003


def test_q_d4_cachins_form_leaks_a_negative_amount() -> None:
    """Prior (.9, .1), BSC(.2): Cachin's 0.167185 exceeds 0.152003; Smith's leakage is 0."""
    channel, prior = binary_symmetric("1/5"), ["9/10", "1/10"]
    before = lt.renyi_entropy(prior, math.inf)
    assert round(lt.cachin_entropy(channel, prior), 6) == 0.167185
    assert before - lt.cachin_entropy(channel, prior) < 0
    assert lt.min_entropy_leakage(channel, prior).bits == 0


@given(channels(most=4))
def test_q_p2_p3_capacity_is_zero_exactly_if_all_rows_are_equal(channel: lt.Channel) -> None:
    """Q-P2; Q-P3 with its converse (erratum 33): C∞ = 0 iff equal rows, log2|X| iff disjoint."""
    equal = all(channel.row(x) == channel.row(channel.inputs[0]) for x in channel.inputs)
    disjoint = bool(((channel.matrix > 0).sum(axis=0) <= 1).all())
    factor = lt.min_capacity(channel).factor
    assert (factor == 1) == equal
    assert (factor == len(channel.inputs)) == disjoint
    shannon = lt.shannon_capacity(channel)
    if equal:
        assert shannon.lower == 0
        assert shannon.upper < 1e-9
    if disjoint:
        assert abs(shannon.bits - math.log2(len(channel.inputs))) < 1e-9


@given(channels_and_priors(), st.data())
def test_q_p5_utility_is_the_expected_success_of_the_best_remap(
    both: Both, data: st.DataObject
) -> None:
    """Q-P5: U = Σ_z max_y p(y)p(z|y) = 2^(−H∞(Y|Z)), at least what any other guess earns."""
    channel, prior = both
    best = lt.posterior_vulnerability(channel, prior)
    guess = data.draw(st.tuples(*[st.sampled_from(channel.inputs)] * len(channel.outputs)))
    earned = sum(
        Fraction(prior[w] * channel[w, z]) for w, z in zip(guess, channel.outputs, strict=True)
    )
    assert earned <= best
    assert lt.conditional_renyi_entropy(channel, prior) == 0.0 - lt.log2(best)


@given(distributions(3))
def test_w_d1_a_channel_may_be_degenerate(p: lt.Distribution) -> None:
    """W-D1 asks for distinct, positive rows; nothing here needs that."""
    same = lt.Channel([p.array, p.array])
    assert lt.min_capacity(same).factor == 1
    assert same.reduced().shape == (2, 1)
