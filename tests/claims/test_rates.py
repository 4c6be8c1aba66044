"""The papers' claims about rates of repeated observations (register K14)."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

import leaktight as lt
from leaktight.chernoff import chernoff_information, geometric_chernoff
from leaktight.rates import (
    average_breach_rate,
    breach_probability_rate,
    breach_rate,
    error_rate,
    membership_rate,
    neighbour_rate_bound,
    rate_bound,
    utility_rate,
)

TWO = lt.Channel([["4/5", "1/5"], ["3/10", "7/10"]])
THREE = lt.Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]])
RESPONSE = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]])


def counts(channel: lt.Channel, n: int) -> Iterator[list[Fraction]]:
    """The probability of k times the first of two outputs given each input, for each k, exactly."""
    p = [Fraction(channel[x, channel.outputs[0]]) for x in channel.inputs]
    for k in range(n + 1):
        ways = math.comb(n, k)
        yield [ways * a**k * (1 - a) ** (n - k) for a in p]


def slope(logs: dict[int, float]) -> float:
    """Bits per observation between two n, without the factor 1/√n of Chernoff's theorem."""
    (few, first), (many, second) = logs.items()
    return (first - second - math.log2(many / few) / 2) / (many - few)


def truncated(c: Fraction, top: int) -> lt.Channel:
    """The geometric mechanism on 0, …, top with what lies beyond added to the ends."""
    rows = []
    for i in range(top + 1):
        row = [(1 - c) / (1 + c) * c ** abs(i - j) for j in range(top + 1)]
        row[0], row[top] = c**i / (1 + c), c ** (top - i) / (1 + c)
        rows.append(row)
    return lt.Channel(rows)


def test_w_rate_chernoff_information() -> None:
    """W-rate (eq 6): (.8, .2), (.3, .7): .21090; (1, 0), (½, ½): 1; disjoint: ∞; no triangle."""
    assert round(chernoff_information(TWO.row(0), TWO.row(1)).bits, 5) == 0.2109
    one = chernoff_information([1, 0], ["1/2", "1/2"])
    assert one.lower == one.upper == 1
    assert chernoff_information([1, 0], [0, 1]).lower == math.inf
    left, middle, right = ["9/10", "1/10"], ["1/2", "1/2"], ["1/10", "9/10"]
    whole = chernoff_information(left, right)
    parts = chernoff_information(left, middle).upper + chernoff_information(middle, right).upper
    assert round(whole.bits, 5) == 0.73697
    assert round(parts, 5) == 0.32425
    assert whole.lower > parts


def test_w_rate_error_probability() -> None:
    """W-rate (eqs 7, 8): P_e^n ≐ 2^(−n·min C), here with P_e^n computed exactly."""
    for channel in (TWO, THREE):
        logs = {}
        for n in (300, 600):
            wrong = sum(
                (sum(chances) - max(chances) for chances in counts(channel, n)), Fraction(0)
            )
            logs[n] = lt.log2(wrong / len(channel.inputs))
        assert math.isclose(slope(logs), error_rate(channel).bits, abs_tol=1e-3)


def test_w_t6_rate_security_level() -> None:
    """W-D6, W-T6: the level is log2 max_y π_M/π_m; BSC(1/4): 1.5849625."""
    found = breach_rate(lt.Channel([["3/4", "1/4"], ["1/4", "3/4"]]))
    assert round(found.bits, 7) == 1.5849625
    assert (found.lower, found.upper) == lt.log2_interval(3)
    odds = [Fraction(1, 4) ** n / Fraction(3, 4) ** n for n in (10, 20)]
    assert math.isclose((lt.log2(odds[0]) - lt.log2(odds[1])) / 10, found.bits, rel_tol=1e-12)


@settings(max_examples=50)
@given(st.data())
def test_w_t6_no_posterior_approaches_1_faster(data: st.DataObject) -> None:
    """W-T6, with 0 < p(Q) < 1 (erratum 43): p(Qᶜ|yⁿ)/p(Q|yⁿ) ≥ (π_m/π_M)ⁿ·p(Qᶜ)/p(Q)."""
    row = st.lists(st.integers(1, 50), min_size=3, max_size=3)
    channel = lt.Channel.normalised([data.draw(row) for _ in range(3)])
    seen = data.draw(st.lists(st.sampled_from(channel.outputs), min_size=1, max_size=5))
    chance = [math.prod(Fraction(channel[x, z]) for z in seen) for x in channel.inputs]
    level = Fraction(lt.distinguishability(channel).ratio)
    inside, outside = chance[0], (chance[1] + chance[2]) / 2  # Q = {0}, the rest alike
    assert outside / inside >= level ** -len(seen)
    assert breach_rate(channel).upper >= lt.log2(level)


def test_w_d6_d7_erratum_43_a_certain_set_has_no_rate() -> None:
    """W-D6, W-D7 (erratum 43): p(Q) = 1 would give every channel the level ∞."""
    with pytest.raises(lt.InvalidDistribution):
        breach_probability_rate(TWO, [0, 1], ratio=2)
    assert membership_rate(TWO, [0, 1]).lower == math.inf
    assert breach_rate(TWO).upper < math.inf
    assert average_breach_rate(TWO).upper < math.inf


@pytest.mark.parametrize(
    ("channel", "subset", "prior", "rate"),
    [
        (TWO, [0], ["2/5", "3/5"], 0.2109),
        (THREE, [0], ["1/5", "3/10", "1/2"], 0.07611),
        (THREE, [0, 1], ["1/5", "1/5", "3/5"], 0.03076),
    ],
)
def test_w_t7_probability_of_a_breach(
    channel: lt.Channel, subset: list[int], prior: list[str], rate: float
) -> None:
    """W-T7: both halves have the rate C = min C(p_x, p_x′): .21090, .07611, .03076."""
    found = breach_probability_rate(channel, subset, prior, ratio="3/2")
    assert abs(found.bits - rate) < 1e-5
    weights = np.array([float(Fraction(p)) for p in prior])
    level = math.log(1.5) + math.log(weights[subset].sum())
    missed: list[dict[int, float]] = [{}, {}]
    for n in (4000, 16000):  # so many, as the threshold falls between two whole numbers
        k = np.arange(n + 1)
        ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        p = channel.to_numpy()[:, :1]
        joint = np.log(weights)[:, None] + ways + k * np.log(p) + (n - k) * np.log1p(-p)
        inside = np.logaddexp.reduce(joint[subset])
        outside = np.logaddexp.reduce(np.delete(joint, subset, axis=0))
        after = inside - np.logaddexp(inside, outside)
        none = inside[after <= level], outside[after >= level - 2 * math.log(1.5)]
        for half, chances in zip(missed, none, strict=True):
            half[n] = float(np.logaddexp.reduce(chances)) / math.log(2)
    for half in missed:
        assert math.isclose(slope(half), found.bits, abs_tol=3e-4)


def test_w_t7_erratum_44_a_likely_set_is_never_breached() -> None:
    """W-T7 (erratum 44): p(Q) = .6, ε = 1 (base 2): Pr(Breach) = 0 for all n."""
    found = breach_probability_rate(TWO, [0], ["3/5", "2/5"], ratio=2)
    assert found.limit == 0
    for n in (1, 5, 40):
        for chances in counts(TWO, n):
            inside, outside = Fraction(3, 5) * chances[0], Fraction(2, 5) * chances[1]
            assert inside / (inside + outside) <= 2 * Fraction(3, 5)


def test_w_t8_rate_a_security_level() -> None:
    """W-D7, W-T8: the level is max C; a prior on the two inputs attains it, none exceeds it."""
    channel = lt.Channel([["3/5", "2/5"], ["9/20", "11/20"], ["3/10", "7/10"]])
    found = average_breach_rate(channel)
    assert found.pair == (0, 2)
    logs = {}
    for n in (400, 800):
        logs[n] = lt.log2(sum((min(c[0], c[2]) for c in counts(channel, n)), Fraction(0)))
    assert math.isclose(slope(logs), found.bits, abs_tol=1e-3)
    draw = random.Random(8)
    for subset in ([0], [1], [2], [0, 1], [0, 2]):
        weights = [draw.randint(1, 9) for _ in range(3)]
        assert membership_rate(channel, subset, lt.Distribution.from_counts(weights)).lower <= (
            found.upper
        )


def test_w_t8_erratum_45_equal_mean_rows_do_not_hide_a_set() -> None:
    """W §5.2 (erratum 45): p(·|Q) = p(·|Qᶜ), yet P_succ = 1/2, 3/4, 7/8, 15/16: rate 1."""
    channel, prior = lt.Channel([[1, 0], [0, 1], ["1/2", "1/2"]]), ["1/4", "1/4", "1/2"]
    found = membership_rate(channel, [0, 1], prior)
    assert (found.lower, found.upper, found.limit) == (1, 1, 0)
    for n, expected in ((1, "1/2"), (2, "3/4"), (3, "7/8"), (4, "15/16")):
        right = Fraction(0)
        for y in product((0, 1), repeat=n):
            one, two, three = (
                math.prod((Fraction(channel[x, z]) for z in y), start=Fraction(1)) for x in range(3)
            )
            right += max((one + two) / 4, three / 2)
        assert right == Fraction(expected)


def test_w_t8_erratum_45_with_equal_rows_the_limit_is_not_1() -> None:
    """W §5.2 (erratum 45): p(·|Q) ≠ p(·|Qᶜ) but equal rows inside and outside: the limit is 3/4."""
    channel = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"], ["1/3", "2/3"]])
    found = membership_rate(channel, [0, 1], ["1/4", "1/4", "1/2"])
    assert found.limit == Fraction(1, 4)


def test_w_t9_rate_of_utility() -> None:
    """W-Ex3, W-T9: loss (i − j)² + 1: U_n ≐ 1 + 2^(−n·.030764), with the most likely input too."""
    squared = lt.Loss.by_distance(range(3), lambda a, b: (a - b) ** 2 + 1)
    found = utility_rate(THREE, squared)
    assert round(found.bits, 6) == 0.030764
    assert found.limit == 1
    logs = {}
    for n in (400, 800):
        excess = Fraction(0)
        for chances in counts(THREE, n):
            guess = max(range(3), key=chances.__getitem__)
            excess += sum((chances[x] * (x - guess) ** 2 for x in range(3)), Fraction(0)) / 3
        logs[n] = lt.log2(excess)
    assert math.isclose(slope(logs), found.bits, abs_tol=2e-3)


def test_w_ex3_binary_loss_is_the_error_probability() -> None:
    """W-Ex3: 0/1 loss is P_e^n; randomised response, n = 3: 7/27."""
    wrong = sum((min(chances) for chances in counts(RESPONSE, 3)), Fraction(0)) / 2
    assert wrong == Fraction(7, 27)
    zero_one = utility_rate(RESPONSE, lt.Loss.zero_one([0, 1]))
    plain = error_rate(RESPONSE)
    assert (zero_one.lower, zero_one.upper) == (plain.lower, plain.upper)


def test_w_t9_footnote_4_equal_rows_change_the_rate_too() -> None:
    """W fn 4 (new erratum): with equal rows not only U_R changes; here U_n is constant."""
    channel = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]])
    cost = {0: 0, 1: 1, 2: 3}
    loss = lt.Loss.by_distance(range(3), lambda a, b: cost[abs(a - b)])
    for n in (1, 3, 9, 21):
        lost = Fraction(0)
        for chances in counts(channel, n):
            guess = max(range(3), key=chances.__getitem__)  # a fixed most likely input: 0 or 1
            lost += sum((chances[x] * cost[abs(x - guess)] for x in range(3)), Fraction(0)) / 3
        assert lost == 1
    assert round(error_rate(channel).bits, 3) == 0.085
    assert utility_rate(channel, loss).lower == math.inf


@pytest.mark.parametrize(("epsilon", "rate"), [(0.5, 0.021553), (1, 0.084963), (2, 0.321928)])
def test_w_t10_sharp_bound_on_the_rate(epsilon: float, rate: float) -> None:
    """W-T10, sharpened: ρ ≤ ε/2 + log2((1 + 2^(−ε))/2) ≤ ε; .021553, .084963, .321928."""
    ratio = Fraction(2**epsilon)
    bound = rate_bound(ratio=ratio)
    assert round(bound.bits, 6) == rate
    assert math.isclose(bound.bits, epsilon / 2 + math.log2((1 + 2**-epsilon) / 2), rel_tol=1e-12)
    assert bound.upper <= epsilon
    rows = lt.Channel.normalised([[ratio, 1], [1, ratio]])
    response = chernoff_information(rows.row(0), rows.row(1))
    assert response.lower <= bound.upper
    assert bound.lower <= response.upper


@settings(max_examples=50)
@given(st.data(), st.sampled_from([0.5, 1, 2]), st.integers(2, 5))
def test_w_t10_no_close_pair_exceeds_the_bound(
    data: st.DataObject, epsilon: float, size: int
) -> None:
    """W-T10: rows within 2^ε of each other have C at most the bound."""
    ratio = Fraction(2**epsilon)
    weights = data.draw(st.lists(st.integers(1, 100), min_size=size, max_size=size))
    q = [Fraction(w, sum(weights)) for w in weights]
    tilts = data.draw(st.lists(st.fractions(0, 1), min_size=size, max_size=size))
    p = [x * (1 / ratio + t * (ratio - 1 / ratio)) for x, t in zip(q, tilts, strict=True)]
    # Mixed with the least or the most that the ratio allows, it sums to 1.
    total = sum(p, Fraction(0))
    if total > 1:
        low = [x / ratio for x in q]
        share = (total - 1) / (total - 1 / ratio)
        p = [(1 - share) * x + share * y for x, y in zip(p, low, strict=True)]
    elif total < 1:
        high = [x * ratio for x in q]
        share = (1 - total) / (ratio - total)
        p = [(1 - share) * x + share * y for x, y in zip(p, high, strict=True)]
    assert lt.multiplicative_distance(p, q) <= ratio
    assert chernoff_information(p, q).lower <= rate_bound(ratio=ratio).upper


def test_w_t10_erratum_46_without_edges_privacy_says_nothing() -> None:
    """W-T10 (erratum 46): two isolated inputs, rows (.99, .01), (.01, .99): ρ = 2.329."""
    channel = lt.Channel([["99/100", "1/100"], ["1/100", "99/100"]])
    assert lt.privacy_level(channel, lt.Graph(2)).ratio == 1
    assert round(error_rate(channel).bits, 3) == 2.329
    verdict = neighbour_rate_bound(channel, lt.Graph(2))
    assert (verdict.upper, verdict.pair) == (math.inf, None)
    joined = neighbour_rate_bound(channel, lt.Graph(2, [(0, 1)]))
    assert joined.pair == (0, 1)
    assert error_rate(channel).lower <= joined.upper


@pytest.mark.parametrize("c", ["1/4", "1/2", "9/10"])
@pytest.mark.parametrize("top", [1, 2, 3, 5])
def test_w_t11_and_w_c1_geometric_mechanism_truncated_or_not(c: str, top: int) -> None:
    """W-T11: ρ = log2(1+c) − ½log2 c − 1 for N ≥ 1. W-C1 (erratum 47): truncation has the same."""
    base = Fraction(c)
    channel = truncated(base, top)
    for i, j in combinations(range(top + 1), 2):
        cut = chernoff_information(channel.row(i), channel.row(j))
        whole = geometric_chernoff(base, j - i)
        assert abs(cut.bits - whole.bits) < 1e-14 * whole.bits + 1e-16
        assert cut.lower <= whole.upper
        assert whole.lower <= cut.upper
    rate, formula = error_rate(channel), geometric_chernoff(base)
    assert rate.pair is not None
    assert rate.lower <= formula.upper
    assert formula.lower <= rate.upper
    plain = math.log2(1 + base) - math.log2(base) / 2 - 1
    assert math.isclose(formula.bits, plain, rel_tol=1e-9)
    level = lt.privacy_level(channel, lt.SecretGraph.line(top + 1)).ratio
    assert level == 1 / base
    bound = rate_bound(ratio=level)
    assert bound.lower <= formula.upper
    assert formula.lower <= bound.upper


def test_w_c1_with_one_step_is_randomised_response() -> None:
    """W-C1, N = 1, symbolically: rows (1, c)/(1+c), (c, 1)/(1+c), so g(½) = 2√c/(1+c)."""
    for c in (Fraction(1, 4), Fraction(9, 16), Fraction(16, 25)):
        root = Fraction(math.isqrt(c.numerator), math.isqrt(c.denominator))
        assert truncated(c, 1) == lt.Channel.normalised([[1, c], [c, 1]])
        assert (1 - c) / (1 + c) * root * (0 + 2 / (1 - c)) == 2 * root / (1 + c)
        exact = lt.log2_interval((1 + c) / (2 * root))
        found = geometric_chernoff(c)
        assert exact[0] <= found.upper
        assert found.lower <= exact[1]


def test_w_r4_distances_and_the_rate_at_epsilon_1() -> None:
    """W-R4: ε = 1 (base 2): .0849625 ≈ .085; at c = ½, d = 1..4: .085, .263, .5, .778."""
    assert round(geometric_chernoff("1/2").bits, 7) == 0.0849625
    near = [round(geometric_chernoff("1/2", d).bits, 3) for d in (1, 2, 3, 4)]
    assert near == [0.085, 0.263, 0.5, 0.778]
    assert round(geometric_chernoff(math.exp(-1)).bits, 5) == 0.17329
    j = np.arange(-1200, 1200)
    p, q = (0.5 ** np.abs(j - i) / 3 for i in (0, 1))
    assert round(-math.log2(np.sqrt(p * q).sum()), 7) == 0.0849625


def test_w_c1_cutting_off_more_loses() -> None:
    """W-C1: strict loss needs over-truncation, e.g. merging y ≤ 1 at c = ½: .0276."""
    channel = truncated(Fraction(1, 2), 2).merge({0: 1})
    assert round(error_rate(channel).bits, 4) == 0.0276
    assert error_rate(channel).upper < geometric_chernoff("1/2").lower
