import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidDistribution, InvalidNumber, Mismatch
from leaktight.exact.rounding import log2_interval
from leaktight.repetition.rates import chernoff_information, geometric_chernoff
from leaktight.repetition.rates.chernoff import ChernoffInformation
from tests.strategies.channels import distributions

Row = list[Fraction]


def by_golden_section(p: Row, q: Row) -> tuple[Decimal, Decimal]:
    """C in bits and an s, by decimal numbers of 110 digits that know nothing about slopes."""
    with localcontext() as context:
        context.prec = 110
        both = [
            [Decimal(x.numerator) / x.denominator for x in pair]
            for pair in zip(p, q, strict=True)
            if all(pair)
        ]
        logs = [(a.ln(), b.ln()) for a, b in both]

        def sums(s: Decimal) -> Decimal:
            return sum(((s * a + (1 - s) * b).exp() for a, b in logs), Decimal(0))

        golden = (Decimal(5).sqrt() - 1) / 2
        low, high = Decimal(0), Decimal(1)
        left, right = 1 - golden, golden
        at_left, at_right = sums(left), sums(right)
        for _ in range(145):  # the interval shrinks to 10^-30, the value's error to 10^-60
            if at_left <= at_right:
                high, right, at_right = right, left, at_left
                left = high - golden * (high - low)
                at_left = sums(left)
            else:
                low, left, at_left = left, right, at_right
                right = low + golden * (high - low)
                at_right = sums(right)
        candidates = {s: sums(s) for s in (Decimal(0), Decimal(1), (low + high) / 2)}
        s = min(candidates, key=lambda s: candidates[s])
        return -candidates[s].ln() / Decimal(2).ln(), s


def contains(found: ChernoffInformation, bits: Decimal) -> bool:
    slack = abs(bits) * Decimal(10) ** -50 + Decimal(10) ** -100
    return Decimal(found.lower) - slack <= bits <= Decimal(found.upper) + slack


def is_tight(found: ChernoffInformation) -> bool:
    return found.upper <= math.nextafter(math.nextafter(found.lower, math.inf), math.inf)


def normalised(weights: list[Any]) -> Row:
    return [Fraction(w) / sum(map(Fraction, weights)) for w in weights]


def random_pair(draw: random.Random, kind: str) -> tuple[Row, Row]:
    size = draw.randint(3, 4)
    p = [Fraction(draw.randint(1, 10**6)) for _ in range(size)]
    q = [Fraction(draw.randint(1, 10**6)) for _ in range(size)]
    if kind == "zeros":
        q[0] = p[-1] = Fraction(0)
    elif kind == "near":
        tiny = Fraction(1, 10 ** draw.choice([3, 9, 15, 25]))
        q = [x * (1 + tiny * draw.randint(-9, 9)) for x in p]
        q[0] += tiny * q[0] / 3
    elif kind == "tiny":
        p[0], q[-1] = Fraction(1, 10 ** draw.randint(20, 300)), Fraction(1, 10**300)
    return normalised(p), normalised(q)


@pytest.mark.parametrize("kind", ["plain", "zeros", "near", "tiny"])
def test_the_enclosure_contains_the_value_computed_with_sixty_digits(kind: str) -> None:
    draw = random.Random(kind)
    for _ in range(26):
        p, q = random_pair(draw, kind)
        bits, s = by_golden_section(p, q)
        found = chernoff_information(p, q)
        assert contains(found, bits)
        assert is_tight(found)
        low, high = map(Decimal, found.minimiser)
        assert low - Decimal(10) ** -25 <= s <= high + Decimal(10) ** -25
        assert high - low < Decimal(10) ** -15


def test_floats_are_the_numbers_that_they_are_divided_by_their_sum() -> None:
    draw = random.Random(1)
    for _ in range(10):
        p, q = ([draw.random() ** 9 for _ in range(4)] for _ in range(2))
        p, q = [x / sum(p) for x in p], [x / sum(q) for x in q]
        bits, _ = by_golden_section(normalised(p), normalised(q))
        found = chernoff_information(p, q)
        assert contains(found, bits)
        assert is_tight(found)


@settings(max_examples=60)
@given(st.integers(2, 5).flatmap(lambda n: st.tuples(distributions(n), distributions(n))))
def test_it_is_symmetric_and_zero_only_for_equal_distributions(
    both: tuple[Distribution, Distribution],
) -> None:
    p, q = both
    one, other = chernoff_information(p, q), chernoff_information(q, p)
    assert one.lower <= other.upper
    assert other.lower <= one.upper
    assert (one.upper == 0) == (p == q)
    assert (one.lower == math.inf) == (not set(p.support) & set(q.support))
    assert is_tight(one)
    if one.minimiser[0] > 0:
        assert one.minimiser[0] + other.minimiser[0] <= 1
        assert one.minimiser[1] + other.minimiser[1] >= 1


@settings(max_examples=60)
@given(st.integers(2, 5).flatmap(lambda n: st.tuples(distributions(n), distributions(n))))
def test_it_is_at_least_every_value_and_at_most_every_divergence(
    both: tuple[Distribution, Distribution],
) -> None:
    p, q = (x.float().array for x in both)
    common = (p > 0) & (q > 0)
    found = chernoff_information(*both)
    for s in np.linspace(0, 1, 9):
        value = (p[common] ** s * q[common] ** (1 - s)).sum()
        if value > 0:
            assert -math.log2(value) <= found.upper + 1e-12
    for one, other in ((p, q), (q, p)):
        if (common == (one > 0)).all():
            divergence = (one[common] * np.log2(one[common] / other[common])).sum()
            assert found.lower <= divergence + 1e-12


@pytest.mark.parametrize(
    ("p", "q", "mass", "s"),
    [
        ([1, 0], ["1/2", "1/2"], "1/2", 0),
        (["1/2", "1/2"], [1, 0], "1/2", 1),
        (["1/4", "3/4", 0], [0, "1/8", "7/8"], "1/8", 0),
        (["1/2", "1/2"], ["1/2", "1/2"], 1, 0),
        (["1/2", "1/4", "1/4", 0], ["1/2", "1/4", 0, "1/4"], "3/4", 0),  # any s is as good
    ],
)
def test_a_minimum_at_an_end_is_the_logarithm_of_the_mass_that_is_shared(
    p: list[Any], q: list[Any], mass: Any, s: int
) -> None:
    found = chernoff_information(p, q)
    assert found.minimiser == (s, s)
    assert (found.lower, found.upper) == log2_interval(1 / Fraction(mass))


def test_powers_of_two_are_exact() -> None:
    assert chernoff_information([1, 0], ["1/2", "1/2"]).lower == 1
    assert chernoff_information([1, 0], ["1/2", "1/2"]).upper == 1


def test_a_minimum_exactly_at_the_end_is_still_enclosed_tightly() -> None:
    # g′(0) = ¼·ln 2 + ¼·ln ½ = 0, which no ball can tell from a small number
    found = chernoff_information(["1/2", "1/8", "3/8", 0], ["1/4", "1/4", 0, "1/2"])
    assert found.lower <= 1 <= found.upper
    assert is_tight(found)
    assert found.minimiser[0] == 0


@pytest.mark.parametrize("digits", [20, 100, 150])
def test_rows_that_are_nearly_equal_on_what_they_share(digits: int) -> None:
    tiny = Fraction(1, 10**digits)
    q = [Fraction(1, 3), Fraction(1, 6), Fraction(1, 2), Fraction(0)]
    for a, b in product((1, -1, 2, -2), repeat=2):
        p = [q[0] + a * tiny, q[1] + b * tiny, Fraction(0), Fraction(1, 2) - (a + b) * tiny]
        found = chernoff_information(p, q)
        # The mass that both share is the value at an end: ½ or ½ + (a + b)·tiny.
        assert found.lower <= 1 <= math.nextafter(found.upper, 2)
        assert is_tight(found)


def test_nearly_equal_distributions_have_a_small_positive_value() -> None:
    # ln(1 − x²)/−2 for p = ½ ± x against ½ ± 0, up to higher powers: x²/2 nats
    for digits in (10, 100, 150):
        x = Fraction(1, 10**digits)
        found = chernoff_information([Fraction(1, 2) + x, Fraction(1, 2) - x], ["1/2", "1/2"])
        assert math.isclose(found.nats, float(x * x) / 2, rel_tol=1e-12)
        assert is_tight(found)
    below = Fraction(1, 10**300)
    found = chernoff_information([Fraction(1, 2) + below, Fraction(1, 2) - below], ["1/2", "1/2"])
    assert found.lower == 0
    assert found.upper == 5e-324


def test_the_triangle_inequality_fails() -> None:
    left, middle, right = ["9/10", "1/10"], ["1/2", "1/2"], ["1/10", "9/10"]
    whole = chernoff_information(left, right)
    parts = chernoff_information(left, middle).upper + chernoff_information(middle, right).upper
    assert whole.lower > parts
    assert round(whole.bits, 5) == 0.73697
    assert round(parts, 5) == 0.32425


@settings(max_examples=60)
@given(distributions(3), distributions(3))
def test_two_observations_count_twice(p: Distribution, q: Distribution) -> None:
    once = chernoff_information(p, q)
    twice = chernoff_information(
        np.multiply.outer(p.array, p.array).ravel(), np.multiply.outer(q.array, q.array).ravel()
    )
    assert twice.lower <= 2 * once.upper
    assert 2 * once.lower <= twice.upper


@settings(max_examples=60)
@given(distributions(4), distributions(4), st.fractions("1/100", "99/100"))
def test_merging_outputs_loses_nothing_if_their_ratio_is_the_same(
    p: Distribution, q: Distribution, share: Fraction
) -> None:
    found = chernoff_information(p, q)
    p_row, q_row = ([Fraction(share) for _, share in x.items()] for x in (p, q))
    split = [[*row[:-1], row[-1] * share, row[-1] * (1 - share)] for row in (p_row, q_row)]
    same = chernoff_information(*split)
    assert (same.lower, same.upper) == (found.lower, found.upper)
    merged = chernoff_information(*([row[0] + row[1], *row[2:]] for row in (p_row, q_row)))
    assert merged.lower <= found.upper


def test_thousands_of_outputs() -> None:
    from scipy.optimize import minimize_scalar

    rows = Channel.random(2, 3000, seed=5)
    found = chernoff_information(rows.row(0), rows.row(1))
    p, q = rows.matrix
    least = minimize_scalar(
        lambda s: (p**s * q ** (1 - s)).sum(), bounds=(0, 1), method="bounded"
    ).fun
    assert math.isclose(found.bits, -math.log2(least), rel_tol=1e-9)
    assert is_tight(found)


def test_labels_are_matched_and_positions_are_not() -> None:
    one = Distribution({"a": "4/5", "b": "1/5"})
    other = Distribution({"b": "7/10", "a": "3/10"})
    assert chernoff_information(one, other) == chernoff_information(
        ["4/5", "1/5"], ["3/10", "7/10"]
    )
    assert chernoff_information(one, {"b": "1/5", "a": "4/5"}).upper == 0
    with pytest.raises(Mismatch, match="'b' is only in one"):
        chernoff_information(one, {"a": "1/2", "c": "1/2"})
    with pytest.raises(Mismatch, match="got 2 and 3"):
        chernoff_information(one, ["1/3", "1/3", "1/3"])
    with pytest.raises(InvalidDistribution, match="sum to 1"):
        chernoff_information(one, ["1/3", "1/3"])


def test_it_reads_as_a_number_of_bits() -> None:
    found = chernoff_information(["4/5", "1/5"], ["3/10", "7/10"])
    assert found.lower <= float(found) == found.bits <= found.upper
    assert math.isclose(found.nats, found.bits * math.log(2))
    assert chernoff_information([1, 0], [0, 1]).nats == math.inf


@pytest.mark.parametrize("c", ["1/4", "1/2", "9/10", "99/100"])
@pytest.mark.parametrize("distance", [1, 2, 3, 4, 7])
def test_the_geometric_closed_form_is_the_sum_over_the_integers(c: str, distance: int) -> None:
    base = float(Fraction(c))
    j = np.arange(-6000, 6000)
    p, q = ((1 - base) / (1 + base) * base ** np.abs(j - i) for i in (0, distance))
    found = geometric_chernoff(c, distance)
    assert math.isclose(found.bits, -math.log2(np.sqrt(p * q).sum()), rel_tol=1e-9)
    assert is_tight(found)
    for s in (0.3, 0.45, 0.55, 0.7):  # and ½ is where it is least
        assert -math.log2((p**s * q ** (1 - s)).sum()) < found.lower


@settings(max_examples=60)
@given(st.fractions("1/1000", "999/1000"), st.integers(1, 4))
def test_truncating_the_geometric_distributions_changes_nothing(c: Fraction, distance: int) -> None:
    top = distance + 1
    rows = []
    for i in (0, distance):
        row = [(1 - c) / (1 + c) * c ** abs(i - j) for j in range(top + 1)]
        row[0], row[top] = c**i / (1 + c), c ** (top - i) / (1 + c)
        rows.append(row)
    truncated, whole = chernoff_information(*rows), geometric_chernoff(c, distance)
    assert truncated.lower <= whole.upper
    assert whole.lower <= truncated.upper
    assert geometric_chernoff(c, distance).lower < geometric_chernoff(c, distance + 1).upper


def test_extreme_geometric_distributions() -> None:
    assert geometric_chernoff("1/2", 0).upper == 0
    assert is_tight(geometric_chernoff(Fraction(1, 10**400)))
    nearly_flat = geometric_chernoff(1 - Fraction(1, 10**100))
    assert math.isclose(nearly_flat.nats, 1e-200 / 8, rel_tol=1e-12)
    assert is_tight(nearly_flat)
    assert math.isclose(geometric_chernoff("1/2", 10**9).bits, 5e8 - math.log2(1 + 1e9 / 3))


@pytest.mark.parametrize("c", [0, 1, -1, "3/2"])
def test_the_base_of_a_geometric_distribution_lies_between_0_and_1(c: Any) -> None:
    with pytest.raises(InvalidNumber, match="strictly between 0 and 1"):
        geometric_chernoff(c)


@pytest.mark.parametrize("distance", [-1, 0.5, "1"])
def test_a_distance_is_a_whole_number(distance: Any) -> None:
    with pytest.raises(InvalidNumber, match="whole number"):
        geometric_chernoff("1/2", distance)
