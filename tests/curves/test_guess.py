"""The best guess under a curve: against the program over all mechanisms, and known numbers."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from leaktight.check import Refuted, check
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import Kind, _rows, best_guess
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.numbers import rational
from tests.curves.programs import (
    all_pairs,
    both,
    curve_of,
    direct,
    guessing,
    instances,
    keeps,
    random_pairs,
    random_prior,
)

INSTANCES = instances(25)


def test_six_values_have_the_numbers_of_the_handbook() -> None:
    """One of six values: 35.2% and 42.2% if it is replaced, 45.3% and 51.3% if it is removed."""
    pure, noise = PrivacyCurve.epsilon(1), PrivacyCurve.gaussian(1)
    found = [
        float(best_guess(curve, 6, neighbours=how))
        for curve in (pure, noise)
        for how in ("replace", "add/remove")
    ]
    assert [round(p, 3) for p in found] == [0.352, 0.453, 0.422, 0.513]


@pytest.mark.parametrize("seed", INSTANCES)
def test_the_best_guess_of_any_prior_is_that_of_the_direct_program(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(2, 5)
    pairs, prior = random_pairs(draw), random_prior(draw, v)
    curve = curve_of(pairs)
    found = best_guess(curve, v, prior)
    truth = direct(guessing(prior), all_pairs(v), pairs)
    assert found.is_exact
    assert float(found) == pytest.approx(truth, abs=1e-10)
    if found.mechanism is not None:
        rows = [[found.mechanism[x, y] for y in range(v)] for x in range(v)]
        assert keeps(rows, all_pairs(v), curve)
        assert sum(p * rows[x][x] for x, p in enumerate(prior)) == found.lower
        assert check(found.certificate) == [(1, found.lower, found.upper)]


def test_what_is_left_of_rows_goes_to_the_value_of_the_largest_place() -> None:
    """Every feasible (p, a) is realised so, and not if it goes to any other value."""
    draw, broken = random.Random(7), 0
    for _ in range(len(INSTANCES)):
        curve, v = curve_of(random_pairs(draw)), draw.randint(3, 4)
        places = [Fraction(draw.randint(0, 9), 40) for _ in range(v)]
        spare = 1 - sum(places)
        points = {
            Fraction(x + 1, 100): (a, min(1 - curve.beta(a).upper, a + spare))
            for x, a in enumerate(places)
        }
        chances = [rational(p) for p in points]
        kinds = [Kind(p, 1) for p in chances]
        made = _rows(chances, kinds, [(rational(a), rational(p)) for a, p in points.values()])
        rows = [[Fraction(int(k.p), int(k.q)) for k in row] for row in made]
        assert keeps(rows, all_pairs(v), curve)
        for star in range(v):
            other = []
            for x, (a, p) in enumerate(points.values()):
                row = list(places)
                row[x] += p - a
                row[star] += spare - (p - a)
                other.append(row)
            broken += not keeps(other, all_pairs(v), curve)
    assert broken


@pytest.mark.parametrize("seed", INSTANCES)
def test_one_pair_has_a_closed_form(seed: int) -> None:
    """δ + (1 − δ)·max_k λ·Π_k/(λ + k − 1), Π_k the k largest priors."""
    draw = random.Random(seed)
    v, ratio = draw.randint(1, 7), 1 + Fraction(draw.randint(0, 30), 7)
    delta = draw.choice([Fraction(0), Fraction(1), Fraction(draw.randint(0, 9), 10)])
    prior = random_prior(draw, v)
    top = sorted(prior, reverse=True)
    best = max(ratio * sum(top[:k]) / (ratio + k - 1) for k in range(1, v + 1))
    curve = PrivacyCurve.epsilon_delta(delta=delta, ratio=ratio)
    assert best_guess(curve, v, prior).upper == delta + (1 - delta) * best


@pytest.mark.parametrize("seed", INSTANCES)
def test_several_tries_are_those_of_the_direct_program(seed: int) -> None:
    """For equally likely values; the guesses are all sets of so many values."""
    draw = random.Random(seed)
    v = draw.randint(2, 5)
    tries, pairs = draw.randint(1, v), random_pairs(draw)
    sets = list(itertools.combinations(range(v), tries))
    worth = np.array([[(x in chosen) / v for chosen in sets] for x in range(v)])
    truth = direct(worth, all_pairs(v), pairs)
    found = best_guess(curve_of(pairs), v, tries=tries)
    assert found.is_exact
    assert float(found) == pytest.approx(truth, abs=1e-10)


def test_several_tries_are_not_what_single_events_would_allow() -> None:
    """p = g((k − p)/(v − 1)) is too much, and so is δ + (1 − δ) times what pure ε allows."""
    assert best_guess(PrivacyCurve.epsilon(ratio=3), 4, tries=2).upper == Fraction(3, 4)
    found = best_guess(PrivacyCurve.epsilon_delta(ratio=2, delta="0.3"), 4, tries=2).upper
    assert found == Fraction(49, 60) > Fraction(3, 10) + Fraction(7, 10) * Fraction(2, 3)


@pytest.mark.parametrize("seed", INSTANCES)
def test_several_tries_of_unequal_values_are_bounded(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(2, 5)
    tries, pairs, prior = draw.randint(1, v), random_pairs(draw), random_prior(draw, v)
    sets = list(itertools.combinations(range(v), tries))
    worth = np.array([[(x in chosen) * float(prior[x]) for chosen in sets] for x in range(v)])
    found = best_guess(curve_of(pairs), v, prior, tries=tries)
    truth = direct(worth, all_pairs(v), pairs)
    most = max(float(ratio) for ratio, _ in pairs)
    assert float(found.lower) - 1e-10 <= truth <= float(found) + 1e-10
    assert float(found) - float(found.lower) <= 1e-8 * most
    if found.certificate is not None:
        check(found.certificate)


def test_too_many_sets_are_bounded_from_both_sides() -> None:
    prior = [Fraction(k, 78) for k in range(1, 13)]
    found = best_guess(PrivacyCurve.gaussian(1), 12, prior, tries=3)
    assert found.before < found.upper < 1
    assert not found.is_exact
    assert found.certificate is None


@pytest.mark.parametrize("seed", INSTANCES)
def test_add_and_remove_is_the_direct_program_of_a_star(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(1, 5)
    pairs, prior = random_pairs(draw), random_prior(draw, v)
    absent = draw.choice([Fraction(0), Fraction(draw.randint(0, 8), 8)])
    curve = curve_of(pairs)
    found = best_guess(curve, v, prior, neighbours="add/remove", absent=absent)
    arcs = both([(0, x + 1) for x in range(v)])
    whole = [absent, *((1 - absent) * p for p in prior)]
    assert found.is_exact
    assert float(found) == pytest.approx(direct(guessing(whole), arcs, pairs), abs=1e-10)
    if found.mechanism is not None:
        names = found.mechanism.inputs
        rows = [[found.mechanism[x, y] for y in names] for x in names]
        assert keeps(rows, arcs, curve)
        assert sum(p * rows[x][x] for x, p in enumerate(whole)) == found.lower


@pytest.mark.parametrize("seed", INSTANCES)
def test_several_tries_about_who_may_be_removed_are_the_direct_program(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(1, 4)
    tries, pairs, prior = draw.randint(1, v), random_pairs(draw), random_prior(draw, v)
    sets = list(itertools.combinations(range(v), tries))
    worth = np.zeros((v + 1, len(sets)))
    worth[1:] = [[(x in chosen) * float(prior[x]) for chosen in sets] for x in range(v)]
    arcs = both([(0, x + 1) for x in range(v)])
    found = best_guess(curve_of(pairs), v, prior, neighbours="add/remove", tries=tries)
    assert found.is_exact
    assert float(found) == pytest.approx(direct(worth, arcs, pairs), abs=1e-10)


@pytest.mark.parametrize(
    "curve",
    [
        PrivacyCurve.gaussian(1),
        PrivacyCurve.laplace(1),
        PrivacyCurve.bounded_range(2),
        PrivacyCurve.gaussian("0.1"),
    ],
    ids=str,
)
def test_smooth_curves_lie_between_the_programs_of_their_polygons(curve: PrivacyCurve) -> None:
    prior = [Fraction(k, 20) for k in (9, 5, 3, 3, 0)]
    drawn = curve.polygons(12)
    arcs = both([(0, x + 1) for x in range(5)])
    for how, edges, worth in (
        ("replace", all_pairs(5), guessing(prior)),
        ("add/remove", arcs, guessing([Fraction(0), *prior])),
    ):
        found = best_guess(curve, 5, prior, neighbours=how)
        low, high = (direct(worth, edges, list(side.pairs)) for side in (drawn.lower, drawn.upper))
        assert low - 1e-9 <= float(found.upper)
        assert float(found.lower) <= high + 1e-9
        assert found.upper - found.lower < Fraction(1, 10**8)
        if found.certificate is not None:
            assert check(found.certificate) == [(1, found.lower, found.upper)]


def test_a_promise_about_divergences_is_better_than_its_curve() -> None:
    """Randomised response that keeps ρ-zCDP, as a table of such numbers has it."""
    table = {("0.1", 2): 0.61087, ("0.1", 10): 0.20471, ("0.5", 3): 0.61761, ("0.5", 10): 0.37016}
    for (rho, v), truth in table.items():
        found = best_guess(PrivacyCurve.zcdp(rho), v)
        assert float(found.lower) <= float(found.upper) <= float(found.lower) + 1e-9
        assert round(float(found), 5) == truth
    one = best_guess(PrivacyCurve.zcdp("0.5"), 3).upper
    drawn = PrivacyCurve.zcdp("0.5").polygons(16)
    assert one < best_guess(PrivacyCurve(drawn, "its curve"), 3).lower


def test_more_is_guessed_if_only_presence_is_hidden() -> None:
    for curve in (PrivacyCurve.epsilon(1), PrivacyCurve.epsilon_delta("0.3", "0.1")):
        hidden, removed = (best_guess(curve, 4, neighbours=n) for n in ("replace", "add/remove"))
        assert hidden.upper < removed.lower


def test_a_sampled_curve_is_about_who_is_present_only() -> None:
    curve = PrivacyCurve.gaussian(1).subsampled("1/10")
    found = best_guess(curve, 6, neighbours="add/remove")
    truth = Fraction(9, 10) / 6 + (1 - PrivacyCurve.gaussian(1).beta(Fraction(1, 6)).lower) / 10
    assert float(found) == pytest.approx(float(truth), abs=1e-12)
    with pytest.raises(InvalidInput, match="add/remove"):
        best_guess(curve, 6)
    assert best_guess(curve.symmetric(), 6).upper < found.upper + Fraction(1, 100)


def test_what_is_no_question_is_refused() -> None:
    curve = PrivacyCurve.epsilon(1)
    with pytest.raises(InvalidInput, match="'replace' or 'add/remove'"):
        best_guess(curve, 3, neighbours="swap")
    with pytest.raises(InvalidNumber, match="tries must be a whole number from 1 to 3, got"):
        best_guess(curve, 3, tries=4)
    with pytest.raises(InvalidInput, match="guessed once"):
        best_guess(curve, 3, absent="1/2")


# --- certificates --------------------------------------------------------------------------


def test_a_certificate_with_a_digit_to_the_wrong_side_is_refused() -> None:
    proof = best_guess(PrivacyCurve.gaussian(1), 4, ["1/2", "1/4", "1/8", "1/8"]).certificate
    assert proof is not None
    low, high = (Fraction(proof[key]) for key in ("lower", "upper"))
    tiny = Fraction(1, 10**30)
    for change in (
        {"lower": str(low + tiny)},
        {"upper": str(high - tiny)},
        {"lower pairs": [[ratio, "0"] for ratio, _ in proof["lower pairs"]]},
        {"upper pairs": [[r, str(Fraction(d) + tiny)] for r, d in proof["upper pairs"]]},
        {"prior": ["1/2", "1/4", "1/4", "0"]},
        {"edges": proof["edges"][1:]},
        {"weights": ["1", *proof["weights"][1:]]},
        {"gain": [["2", *row[1:]] for row in proof["gain"]]},
    ):
        with pytest.raises(Refuted):
            check(proof | change)
    worse = {"lower": str(low - tiny), "upper": str(high + tiny)}
    assert check(proof | worse) == [(1, low - tiny, high + tiny)]


def test_any_weights_prove_no_less_than_the_truth() -> None:
    draw = random.Random(11)
    for _ in range(40):
        v = draw.randint(2, 4)
        pairs, prior = random_pairs(draw), random_prior(draw, v)
        found = best_guess(curve_of(pairs), v, prior)
        if found.certificate is None:
            continue
        weights = [str(p * Fraction(draw.randint(0, 8), 8)) for p in prior]
        less = str(found.upper - Fraction(1, 10**12))
        with pytest.raises(Refuted, match="not excluded"):
            check(found.certificate | {"weights": weights, "upper": less})
        assert check(found.certificate | {"weights": weights, "upper": "1"})


def test_weights_of_a_wrong_ratio_are_those_of_a_closed_form() -> None:
    """At one pair, (λ + (v − 1)·δ)/(λ + v − 1) is proved by equal weights."""
    curve = PrivacyCurve.epsilon_delta(ratio=3, delta="1/10")
    proof = best_guess(curve, 5).certificate
    assert proof is not None
    assert check(proof)[0][2] == (3 + 4 * Fraction(1, 10)) / 7
