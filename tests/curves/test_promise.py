"""Promises: read in one place, kept or broken by a channel, and their worst cases on any graph."""

import math
import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from flint import fmpq
from scipy.stats import norm

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.check import Refuted, check
from leaktight.curves import (
    CurveWorstCase,
    PrivacyCurve,
    all_records,
    best_gain,
    best_guess,
    calibrate,
    channel_keeps,
    keeps,
    promise_of,
    worst_case_leakage,
)
from leaktight.errors import InvalidInput, InvalidPolicy, LeaktightError, TooLarge
from leaktight.exact.ratio import Ratio
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.constraint import count
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.real import Interval
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case import worst_case_leakage as of_ratio
from tests.curves.programs import instances

# --- reading -------------------------------------------------------------------------------------


def test_pure_epsilon_is_a_ratio_and_everything_else_a_curve() -> None:
    assert promise_of(epsilon="ln 2") == Ratio.of(2)
    assert promise_of(2, delta=0) == Ratio.of(2)
    assert promise_of(2, delta="0.1") == PrivacyCurve.epsilon_delta(ratio=2, delta="0.1")
    assert promise_of(rho=1) == PrivacyCurve.zcdp(1)
    assert promise_of(mu="1/2") == PrivacyCurve.gaussian("1/2")
    curve = PrivacyCurve.laplace(1)
    assert promise_of(curve=curve) is curve


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "got none"),
        ({"ratio": 2, "epsilon": 1}, "got ratio= and epsilon="),
        ({"delta": "0.1"}, "got delta="),
        ({"rho": 1, "mu": 1}, "got rho= and mu="),
        ({"ratio": 2, "mu": 1}, "got ratio= and mu="),
        ({"delta": "0.1", "rho": 1}, "got delta= and rho="),
        ({"rho": -1}, "at least 0, got -1"),
        ({"ratio": 2, "delta": 2}, "from 0 to 1, got 2"),
        ({"curve": 3}, "PrivacyCurve.epsilon"),
        ({"mu": "much"}, "expected a number"),
    ],
)
def test_a_wrong_promise_is_refused_in_one_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(LeaktightError) as wrong:
        promise_of(**given)
    assert said in str(wrong.value)
    assert "\n" not in str(wrong.value)


# --- keeping -------------------------------------------------------------------------------------


def rows(seed: int) -> list[list[Fraction]]:
    """Three rows of three outputs, all of them positive."""
    drawn = random.Random(seed)
    made = [[Fraction(drawn.randint(1, 9)) for _ in range(3)] for _ in range(3)]
    return [[x / sum(row) for x in row] for row in made]


def hockey_stick(p: list[Fraction], q: list[Fraction], ratio: Fraction) -> Fraction:
    """δ at a ratio by the definition."""
    return sum((max(a - ratio * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))


@pytest.mark.parametrize("seed", instances(20))
def test_a_pair_is_kept_if_no_event_says_otherwise(seed: int) -> None:
    matrix = rows(seed)
    ratio = Fraction(random.Random(seed).randint(10, 40), 10)
    pairs = [(a, b) for a in matrix for b in matrix if a is not b]
    most = max(hockey_stick(a, b, ratio) for a, b in pairs)
    graph, channel = SecretGraph.complete(3), Channel(matrix)
    exact = PrivacyCurve.epsilon_delta(ratio=ratio, delta=most)
    assert channel_keeps(channel, graph, exact).holds is True
    if most > 0:
        less = PrivacyCurve.epsilon_delta(ratio=ratio, delta=most * Fraction(999, 1000))
        found = channel_keeps(channel, graph, less)
        assert found.holds is False
        assert found.chance is not None
        assert found.other is not None
        events = [s for k in range(4) for s in combinations(range(3), k)]
        told = {(sum(b[z] for z in s), sum(a[z] for z in s)) for s in events for a, b in pairs}
        assert (found.other, found.chance) in told


def renyi(p: list[Fraction], q: list[Fraction], order: float) -> float:
    """D_α in floats, by the definition."""
    terms = (float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True))
    return math.log(sum(terms)) / (order - 1)


@pytest.mark.parametrize("seed", instances(12))
def test_zcdp_is_kept_if_no_divergence_says_otherwise(seed: int) -> None:
    matrix = rows(seed)
    orders = [1 + 10 ** (k / 40 - 4) for k in range(240)]
    rho = max(renyi(a, b, o) / o for a in matrix for b in matrix if a is not b for o in orders)
    graph, channel = SecretGraph.complete(3), Channel(matrix)
    assert channel_keeps(channel, graph, PrivacyCurve.zcdp(f"{rho * 1.01:.9f}")).holds is True
    assert channel_keeps(channel, graph, PrivacyCurve.zcdp(f"{rho * 0.99:.9f}")).holds is False
    order = 5
    bound = max(renyi(a, b, order) for a in matrix for b in matrix if a is not b)
    for factor, holds in ((1.001, True), (0.999, False)):
        curve = PrivacyCurve.renyi({order: f"{bound * factor:.9f}"})
        assert channel_keeps(channel, graph, curve).holds is holds


def test_a_curve_that_follows_from_zcdp_is_not_zcdp() -> None:
    """The best guess under the curve is larger than that under ρ-zCDP: its mechanism is not one."""
    curve = PrivacyCurve.zcdp("0.5")
    drawn = PrivacyCurve(curve.polygons(64), "its lines")
    mechanism = best_guess(drawn, 3).mechanism
    assert mechanism is not None
    assert keeps(PrivacyCurve.of(mechanism, SecretGraph.complete(3)), drawn).holds is not False
    assert channel_keeps(mechanism, SecretGraph.complete(3), curve).holds is False
    with pytest.raises(InvalidInput, match="do not follow from a curve"):
        keeps(drawn, curve)


def test_an_output_that_rules_an_input_out_breaks_every_divergence() -> None:
    certain = Channel([[1, 0], ["1/2", "1/2"]])
    graph = SecretGraph.complete(2)
    assert channel_keeps(certain, graph, PrivacyCurve.zcdp(100)).holds is False
    assert channel_keeps(certain, graph, PrivacyCurve.epsilon_delta(ratio=2, delta="1/2"))
    same = Channel([[1], [1]])
    assert channel_keeps(same, graph, PrivacyCurve.zcdp(0))
    assert channel_keeps(same, graph, PrivacyCurve.gaussian(0))


def test_what_is_too_near_is_not_decided() -> None:
    """e^ε is only enclosed, and the mechanism lies between the ends."""
    ratio = Ratio.of(epsilon=1)
    middle = (ratio.lower + ratio.upper) / 2
    coin = RandomizedResponse(2, ratio=middle).channel
    assert channel_keeps(coin, SecretGraph.complete(2), PrivacyCurve.epsilon(1)).holds is None
    assert not channel_keeps(coin, SecretGraph.complete(2), PrivacyCurve.epsilon(1))


# --- worst cases ---------------------------------------------------------------------------------

GRAPHS = {
    "complete": SecretGraph.complete(4),
    "line": SecretGraph.line(4),
    "cycle": SecretGraph.cycle(5),
    "star": SecretGraph.from_edges(range(6), [(0, k) for k in range(1, 6)]),
    "two parts": SecretGraph.partition([["a", "b"], ["c", "d", "e"]]),
    "one": SecretGraph.complete(1),
}
PROMISES: dict[str, dict[str, Any]] = {
    "pair": {"ratio": 2, "delta": "1/10"},
    "mu": {"mu": 1},
    "rho": {"rho": "1/2"},
    "pairs": {"curve": PrivacyCurve.pairs([("ln 3", "1/100"), ("ln 2", "1/10")])},
    "everything": {"ratio": 1, "delta": 1},
    "nothing": {"mu": 0},
}


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_worst_case_of_one_record_is_the_best_guess_times_the_secrets(
    name: str, promise: str
) -> None:
    graph = GRAPHS[name]
    worst = worst_case_leakage(graph, **PROMISES[promise])
    assert isinstance(worst, CurveWorstCase)
    guess = best_gain(worst.curve, graph)
    assert (worst.lower, worst.upper) == (guess.lower * graph.order, guess.upper * graph.order)
    low, high = worst.bits_interval
    assert 0 <= low <= math.log2(worst.upper) + 1e-12
    assert high >= math.log2(worst.lower) - 1e-12
    if promise == "everything":
        assert worst.upper == graph.order
    if promise == "nothing":
        assert float(worst.upper) == pytest.approx(len(graph.components), rel=1e-12)


@pytest.mark.parametrize("records", [1, 2, 7, 40])
@pytest.mark.parametrize("values", [2, 5])
def test_records_under_a_pair_have_the_closed_form(records: int, values: int) -> None:
    """v^n·(δ + (1 − δ)·(λ/(λ + v − 1))^n): Theorem 10."""
    delta, ratio = Fraction(1, 100), Fraction(3)
    policy = Policy(SecretGraph.complete(values), records)
    worst = worst_case_leakage(policy, ratio=ratio, delta=delta)
    assert isinstance(worst, CurveWorstCase)
    chance = delta + (1 - delta) * (ratio / (ratio + values - 1)) ** records
    assert worst.lower == worst.upper == chance * values**records


def test_records_on_a_line_have_the_closed_form_at_any_size() -> None:
    """A line has a weighting, so that its powers have one: Corollary 9a."""
    ratio, delta = Fraction(2), Fraction(1, 1000)
    one = of_ratio(SecretGraph.line(4), ratio).upper
    worst = worst_case_leakage(Policy(SecretGraph.line(4), 6), ratio=ratio, delta=delta)
    assert isinstance(worst, CurveWorstCase)
    assert worst.upper == worst.lower == delta * 4**6 + (1 - delta) * one**6
    million = worst_case_leakage(Policy(SecretGraph.line(4), 10**6), ratio=ratio, delta=delta)
    assert million.bits == pytest.approx(2 * 10**6 + math.log2(0.001), rel=1e-12)


@pytest.mark.parametrize("promise", ["pair", "mu", "pairs"])
def test_small_products_lie_between_the_ends(promise: str) -> None:
    """The product graph written out, and its program, is a second route."""
    line = SecretGraph.line(2)
    square = worst_case_leakage(Policy(line, 2).adjacency().explicit(), **PROMISES[promise])
    product = worst_case_leakage(Policy(line, 2), **PROMISES[promise])
    slack = 1e-3  # smooth curves are drawn by different lines
    assert product.bits_interval[0] <= square.bits_interval[1] + slack
    assert square.bits_interval[0] <= product.bits_interval[1] + slack


def test_equal_records_under_a_smooth_curve_are_solved_by_distances() -> None:
    curve = PrivacyCurve.gaussian(1)
    worst = worst_case_leakage(Policy(SecretGraph.complete(3), 3), curve=curve)
    assert isinstance(worst, CurveWorstCase)
    uniform = Distribution.uniform(3)
    chance = all_records(curve, product_distribution(uniform, uniform, uniform))
    assert worst.route == "program over distances"
    assert worst.lower <= chance.upper * 27
    assert chance.lower * 27 <= worst.upper


def test_a_tree_without_a_weighting_is_bounded_from_both_sides() -> None:
    tree = SecretGraph.from_edges(range(6), [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    worst = worst_case_leakage(Policy(tree, 3), ratio=2, delta="1/100")
    assert isinstance(worst, CurveWorstCase)
    alone = of_ratio(tree, 2).lower
    assert not worst.is_exact
    assert worst.lower <= worst.upper
    assert worst.upper >= Fraction(1, 100) * 6**3 + Fraction(99, 100) * alone**3


def test_pure_epsilon_is_answered_as_before() -> None:
    for graph in GRAPHS.values():
        assert worst_case_leakage(graph, ratio=2).upper == of_ratio(graph, 2).upper
        assert worst_case_leakage(graph, ratio=2, delta=0).upper == of_ratio(graph, 2).upper
    real = worst_case_leakage(Interval(0, 100), epsilon="0.1")
    assert real.upper == 6


@pytest.mark.parametrize("promise", ["pair", "mu", "pairs"])
@pytest.mark.parametrize("name", ["complete", "line", "cycle", "two parts"])
def test_certificates_are_accepted_and_refused_after_a_change(name: str, promise: str) -> None:
    worst = worst_case_leakage(GRAPHS[name], **PROMISES[promise])
    assert isinstance(worst, CurveWorstCase)
    certificate = worst.certificate
    [(records, lower, upper)] = check(certificate)
    order = GRAPHS[name].order
    assert records == 1
    assert lower * order <= worst.upper
    assert upper * order >= worst.lower
    assert float(upper - lower) < 0.01
    for key, by in (("lower", "1/1000"), ("upper", "-1/100")):
        changed = str(fmpq(*map(int, str(Fraction(certificate[key]) + Fraction(by)).split("/"))))
        with pytest.raises(Refuted):
            check(certificate | {key: changed})


def test_what_has_no_certificate_says_so() -> None:
    several = worst_case_leakage(Policy(SecretGraph.line(3), 2), ratio=2, delta="1/10")
    assert isinstance(several, CurveWorstCase)
    assert not several.is_certified
    with pytest.raises(TooLarge, match="one record has both"):
        _ = several.certificate


@pytest.mark.parametrize("records", [1, 2, 5])
@pytest.mark.parametrize("promise", [{"rho": "1/2"}, {"mu": 1}, {"ratio": 2, "delta": "1/10"}])
def test_records_of_values_that_are_all_neighbours_are_certified(
    promise: dict[str, Any], records: int
) -> None:
    worst = worst_case_leakage(Policy(SecretGraph.complete(3), records), **promise)
    assert isinstance(worst, CurveWorstCase)
    assert worst.is_certified
    [(_, lower, upper)] = check(worst.certificate)
    attained, most = worst.bits_interval
    assert math.log2(lower * 3**records) <= most
    assert attained <= math.log2(upper * 3**records) + 1e-12
    assert math.log2(upper * 3**records) <= most + 1e-9


@pytest.mark.parametrize(
    ("who", "kind"),
    [
        (Metric.euclidean([(0, 0), (3, 4)]), InvalidPolicy),
        (Policy(Metric.euclidean([(0, 0), (3, 4)]), 3), InvalidPolicy),
        (Interval(0, 1), InvalidPolicy),
        (
            Policy(SecretGraph.complete(2), 300, constraints=[count([0], equals=150)]),
            TooLarge,
        ),
    ],
)
@pytest.mark.parametrize("promise", PROMISES)
def test_what_is_not_proved_is_refused_with_the_way_out(
    who: Any, kind: type[LeaktightError], promise: str
) -> None:
    if isinstance(who, Metric) and promise in ("pair", "everything", "nothing"):
        found = worst_case_leakage(who, **PROMISES[promise])
        assert isinstance(found, CurveWorstCase)
        assert check(found.certificate)[0][2] * 2 == found.upper
        return
    with pytest.raises(kind) as wrong:
        worst_case_leakage(who, **PROMISES[promise])
    assert "ratio= or epsilon=" in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_a_sampled_curve_has_no_worst_case_on_a_graph() -> None:
    sampled = PrivacyCurve.gaussian(1).subsampled("1/10")
    with pytest.raises(InvalidInput, match=r"curve\.symmetric"):
        worst_case_leakage(SecretGraph.complete(3), curve=sampled)


# --- noise from a risk ---------------------------------------------------------------------------


def test_noise_from_error_rates_is_that_of_the_normal_distribution() -> None:
    """β(α) = Φ(Φ⁻¹(1 − α) − μ)."""
    found = calibrate(errors=("0.05", "0.8"), sensitivity=3, releases=4)
    shift = norm.ppf(0.95) - norm.ppf(0.8)
    assert float(found.sigma) == pytest.approx(3 * 2 / shift, rel=1e-6)
    assert found.curve.beta("0.05").lower >= Fraction(4, 5)


def test_noise_from_a_belief_keeps_it_and_twice_as_far_apart_needs_twice_as_much() -> None:
    found = calibrate(belief=("0.01", "0.02", "0.999"))
    odds = (0.02 / 0.98) / (0.01 / 0.99)
    mu = 1 / float(found.sigma)

    def over(a: float) -> float:
        return float(norm.cdf(norm.ppf(a) + mu)) - odds * a

    low, high = 1e-12, 0.5  # the largest a with g(a) ≥ l·a
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if over(middle) >= 0 else (low, middle)
    assert 0.99 * low / 0.98 == pytest.approx(0.001, rel=1e-4)
    apart = calibrate(belief=("0.01", "0.02", "0.999"), neighbours="add/remove")
    assert float(apart.sigma) == pytest.approx(2 * float(found.sigma), rel=1e-6)


@pytest.mark.parametrize(
    "given",
    [
        {"errors": ("0.5", "0.6")},
        {"errors": (0, "0.6")},
        {"belief": ("0.1", "0.05", "0.9")},
        {"belief": ("0.1", "0.2", 1)},
        {"advantage": 2},
        {"advantage": "0.1", "neighbours": "near"},
        {"advantage": "0.1", "below": "0.1"},
        {},
    ],
)
def test_a_wrong_risk_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(LeaktightError) as wrong:
        calibrate(**given)
    assert "\n" not in str(wrong.value)
