"""Beliefs, all records and the least noise: against programs over all mechanisms."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.curves.calibration import calibrate
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import best_guess
from leaktight.curves.posterior import any_belief_chance, belief_at, belief_chance
from leaktight.curves.records import all_records
from leaktight.errors import InvalidInput, InvalidNumber
from tests.curves.programs import (
    Pairs,
    all_pairs,
    curve_of,
    direct,
    guessing,
    highest,
    instances,
    random_pairs,
    random_prior,
    slack,
)

INSTANCES = instances(25)


def chance_by_program(pairs: Pairs, prior: Fraction, reached: Fraction) -> float:
    """One output counts, on which the belief is t at least; a large penalty keeps it there."""
    best = 0.0
    for a in np.linspace(0, 1, 2001):
        p = min(1.0, *(float(d) + float(r) * a for r, d in pairs))
        p = min(p, *(1 - (1 - float(d) - a) / float(r) for r, d in pairs))
        if float(prior) * p >= float(reached) * (float(prior) * p + float(1 - prior) * a) - 1e-12:
            best = max(best, float(prior) * p + float(1 - prior) * a)
    return best


@pytest.mark.parametrize("seed", INSTANCES)
def test_the_chance_of_a_belief_is_that_of_the_best_event(seed: int) -> None:
    draw = random.Random(seed)
    prior, reached = sorted(draw.sample([Fraction(k, 20) for k in range(1, 20)], 2))
    pairs = random_pairs(draw)
    found = belief_chance(curve_of(pairs), prior, reached)
    assert found.is_exact
    near = chance_by_program(pairs, prior, reached)
    assert near <= float(found.upper) + 1e-9
    # between two points of the grid the chance grows by no more than a step at slope l
    assert float(found.upper) <= near + 0.02


def test_one_pair_has_the_closed_form_and_not_the_one_with_1() -> None:
    """a* = min(1/l, (λ − 1 + δ)/(λl − 1), δ/(l − λ)); with 1 for 1/l a chance would be 1.2."""
    draw = random.Random(1)
    for _ in range(100):
        ratio, delta = 1 + Fraction(draw.randint(0, 12), 4), Fraction(draw.randint(0, 10), 10)
        prior, reached = sorted(draw.sample([Fraction(k, 12) for k in range(1, 12)], 2))
        rise = reached * (1 - prior) / ((1 - reached) * prior)
        forms = [1 / rise, (ratio - 1 + delta) / (ratio * rise - 1)]
        forms += [delta / (rise - ratio)] if rise > ratio else []
        curve = PrivacyCurve.epsilon_delta(ratio=ratio, delta=delta)
        truth = (1 - prior) * min(forms) / (1 - reached)
        assert belief_chance(curve, prior, reached).upper == min(truth, Fraction(1))
    lopsided = PrivacyCurve.epsilon_delta(ratio=1, delta="0.8")
    assert belief_chance(lopsided, "1/2", "2/3").upper == Fraction(3, 4)


def any_by_program(pairs: Pairs, prior: list[Fraction], reached: Fraction) -> float:
    """Outputs B_x, on which x is believed with t at least, and one on which nothing is."""
    v = len(prior)
    arcs = all_pairs(v)
    m = v + 1
    size = v * m + len(arcs) * len(pairs) * m
    rows, limits = [], []
    for at, ((x, h), (ratio, delta)) in enumerate(itertools.product(arcs, pairs)):
        start = v * m + at * m
        for y in range(m):
            row = np.zeros(size)
            row[x * m + y], row[h * m + y], row[start + y] = 1, -float(ratio), -1
            rows.append(row)
            limits.append(0.0)
        row = np.zeros(size)
        row[start : start + m] = 1
        rows.append(row)
        limits.append(float(delta))
    for y in range(v):
        row = np.zeros(size)
        for x in range(v):
            row[x * m + y] = float(prior[x]) * (float(reached) - (x == y))
        rows.append(row)
        limits.append(0.0)
    sums = np.zeros((v, size))
    cost = np.zeros(size)
    for x in range(v):
        sums[x, x * m : x * m + m] = 1
        cost[x * m : x * m + v] = -float(prior[x])
    return highest(cost, np.array(rows), limits, sums)


@pytest.mark.parametrize("seed", INSTANCES)
def test_the_chance_of_any_belief_is_bounded_and_attained_for_equal_values(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(2, 4)
    pairs = random_pairs(draw, 2)
    prior = [Fraction(1, v)] * v if seed % 2 else random_prior(draw, v)
    top = max(prior)
    if top == 1:
        return
    reached = top + (1 - top) * Fraction(draw.randint(1, 9), 10)
    found = any_belief_chance(curve_of(pairs), v, prior, reached=reached)
    truth = any_by_program(pairs, prior, reached)
    assert float(found.lower) - 1e-7 <= truth <= float(found.upper) + 1e-7
    if seed % 2:
        assert float(found.upper) == pytest.approx(truth, abs=1e-7)


def test_no_belief_is_bounded_under_gaussian_noise_but_large_ones_are_rare() -> None:
    curve = PrivacyCurve.gaussian("0.5")
    assert belief_chance(curve, "0.01", "0.9").lower > 0
    belief = belief_at(curve, "0.01", "0.9999")
    assert belief.lower <= belief.upper < belief.lower + Fraction(1, 10**9)
    assert belief_chance(curve, "0.01", belief.upper).upper <= Fraction(1, 10000)
    assert belief_chance(curve, "0.01", belief.upper * Fraction(99, 100)).lower > Fraction(1, 10**4)
    said = "with a chance of at least 99.99% over the output, nobody whose belief in this value"
    assert str(belief).startswith(said)


def test_a_pure_promise_bounds_every_belief() -> None:
    belief = belief_at(PrivacyCurve.epsilon(ratio=2), "1/4", "0.999999")
    assert float(belief.upper) == pytest.approx(2 / 5)  # odds 1/3 become 2/3 at most


def test_a_belief_that_is_none_is_refused() -> None:
    for prior, reached in ((0, "1/2"), ("1/2", 1), ("-1", "1/2")):
        with pytest.raises(InvalidNumber, match="above 0 and below 1"):
            belief_chance(PrivacyCurve.epsilon(1), prior, reached)
    with pytest.raises(InvalidInput, match="symmetric"):
        belief_chance(PrivacyCurve.gaussian(1).subsampled("1/2"), "1/4", "1/2")


# --- all records ---------------------------------------------------------------------------


def whole_program(pairs: Pairs, priors: list[list[Fraction]]) -> float:
    rows = list(itertools.product(*(range(len(prior)) for prior in priors)))
    chances = [
        math.prod((prior[k] for prior, k in zip(priors, row, strict=True)), start=Fraction(1))
        for row in rows
    ]
    arcs = [
        (i, h)
        for i, h in all_pairs(len(rows))
        if sum(a != b for a, b in zip(rows[i], rows[h], strict=True)) == 1
    ]
    return direct(guessing(chances), arcs, pairs)


@pytest.mark.parametrize("seed", instances(12))
def test_all_records_under_one_pair_are_the_direct_program(seed: int) -> None:
    draw = random.Random(seed)
    priors = [random_prior(draw, draw.randint(1, 3)) for _ in range(2)]
    pair = random_pairs(draw, 1)[:1]
    found = all_records(curve_of(pair), product_distribution(*(Distribution(p) for p in priors)))
    assert float(found) == pytest.approx(whole_program(pair, priors), abs=slack(pair))


@pytest.mark.parametrize("seed", instances(12))
def test_equal_records_under_any_curve_are_the_direct_program(seed: int) -> None:
    draw = random.Random(seed)
    v, n = draw.choice([(2, 2), (2, 3), (3, 2)])
    pairs = random_pairs(draw)
    one = Distribution.uniform(v)
    found = all_records(curve_of(pairs), product_distribution(*[one] * n))
    truth = whole_program(pairs, [[Fraction(1, v)] * v] * n)
    assert found.is_exact
    assert float(found) == pytest.approx(truth, abs=1e-10)


@pytest.mark.parametrize("seed", instances(8))
def test_unequal_records_under_several_pairs_are_enclosed(seed: int) -> None:
    draw = random.Random(seed)
    priors, pairs = [random_prior(draw, 2), random_prior(draw, 3)], random_pairs(draw)
    found = all_records(curve_of(pairs), product_distribution(*(Distribution(p) for p in priors)))
    truth = whole_program(pairs, priors)
    assert float(found.lower) - 1e-9 <= truth <= float(found.upper) + 1e-9


# --- the least noise -----------------------------------------------------------------------


def test_the_least_noise_keeps_a_risk_and_a_little_less_does_not() -> None:
    found = calibrate(values=6, releases=12, below="1/3", sensitivity=3)
    assert best_guess(found.curve, 6).upper <= Fraction(1, 3)
    mu = 12**0.5 * 3 / float(found.sigma)
    more = PrivacyCurve.gaussian(Fraction(mu) * Fraction(10**5 + 1, 10**5))
    assert best_guess(more, 6).lower > Fraction(1, 3)


def test_the_noise_for_an_advantage_is_that_of_the_normal_distribution() -> None:
    found = calibrate(advantage="0.1")
    assert float(found.sigma) == pytest.approx(1 / (2 * norm.ppf(0.55)), rel=1e-6)
    assert found.curve.advantage.upper <= Fraction(1, 10)


@pytest.mark.parametrize("twentieths", range(1, 20))
def test_the_noise_keeps_an_advantage_to_the_last_digit(twentieths: int) -> None:
    limit = Fraction(twentieths, 20)
    assert calibrate(advantage=limit).curve.advantage.upper <= limit


def test_the_noise_for_a_pair_keeps_it() -> None:
    found = calibrate(delta=(1, "1e-5"))
    assert found.curve.delta(1).upper <= Fraction(1, 10**5)
    assert float(found.sigma) == pytest.approx(3.730632, abs=1e-4)  # of Balle and Wang's method


def test_a_risk_that_no_noise_keeps_is_refused() -> None:
    with pytest.raises(InvalidNumber, match="1/6 without any release"):
        calibrate(values=6, below="1/7")
    with pytest.raises(InvalidInput, match="exactly one of"):
        calibrate(values=6)
    with pytest.raises(InvalidInput, match="of which values"):
        calibrate(below="1/2")


@pytest.mark.parametrize("curve", [
    PrivacyCurve.gaussian("1/2"),
    PrivacyCurve.laplace("0.3"),
    PrivacyCurve.epsilon_delta("0.2", "1e-6"),
    PrivacyCurve.zcdp("0.05"),
])  # fmt: skip
def test_a_belief_in_values_some_steps_apart_is_that_of_a_group(curve: PrivacyCurve) -> None:
    for steps in (2, 3):
        found = belief_at(curve, "1/100", "0.999", steps=steps)
        whole = belief_at(PrivacyCurve(curve.group(steps).polygons(), ""), "1/100", "0.999")
        assert found.lower <= whole.upper
        assert whole.lower <= found.upper
        assert found.upper <= whole.upper + Fraction(1, 10**9)
    with pytest.raises(InvalidNumber, match="how many steps"):
        belief_at(curve, "1/100", "0.999", steps=0)
