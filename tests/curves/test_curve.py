"""Privacy curves against what they are by definition, and against known numbers."""

import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from scipy.optimize import linprog
from scipy.stats import norm

from leaktight.channels.channel import Channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import Polygon
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.numbers import rational
from leaktight.policies.secrets import SecretGraph

SMOOTH = {
    "gaussian": PrivacyCurve.gaussian("0.7"),
    "laplace": PrivacyCurve.laplace(ratio=3),
    "bounded range": PrivacyCurve.bounded_range(1),
    "sampled": PrivacyCurve.gaussian(1).subsampled("1/10"),
    "zCDP": PrivacyCurve.zcdp("1/2"),
}


def random_pairs(draw: random.Random, most: int = 3) -> list[tuple[fmpq, fmpq]]:
    kinds = [fmpq(0), fmpq(0), fmpq(1), fmpq(draw.randint(0, 7), 10), fmpq(1, 1000)]
    return [
        (1 + fmpq(draw.randint(0, 30), draw.randint(1, 9)), draw.choice(kinds))
        for _ in range(draw.randint(1, most))
    ]


def lowest(pairs: list[tuple[fmpq, fmpq]], a: fmpq) -> fmpq:
    """g(a) as the pairs say it, in both orders."""
    ahead = [delta + ratio * a for ratio, delta in pairs]
    return min([fmpq(1), *ahead, *(1 - (1 - delta - a) / ratio for ratio, delta in pairs)])


def test_a_polygon_is_the_least_of_its_lines_everywhere() -> None:
    draw = random.Random(1)
    for _ in range(200):
        pairs = random_pairs(draw)
        polygon = Polygon.of_pairs(pairs)
        assert polygon.is_symmetric
        assert Polygon.of_pairs(polygon.pairs) == polygon == Polygon.of_lines(polygon.lines)
        for _ in range(5):
            a, p = (fmpq(draw.randint(0, 60), 60) for _ in range(2))
            assert polygon.at(a) == lowest(pairs, a)
            assert polygon.after(polygon).at(a) == lowest(pairs, lowest(pairs, a))
            least = polygon.least(p)
            assert lowest(pairs, least) >= p
            assert least == 0 or lowest(pairs, least - fmpq(1, 10**9)) < p
            rise = 1 + fmpq(draw.randint(1, 60), 30)
            far = polygon.farthest(rise)
            assert lowest(pairs, far) == rise * far
            beyond = far + fmpq(1, 10**9)
            assert beyond > 1 or lowest(pairs, beyond) < rise * beyond


def test_the_profile_of_a_polygon_is_the_largest_difference() -> None:
    draw = random.Random(2)
    for _ in range(100):
        pairs = random_pairs(draw)
        polygon = Polygon.of_pairs(pairs)
        places = [a for a, _ in polygon.corners]
        for ratio in (fmpq(1, 3), fmpq(1), fmpq(3, 2), fmpq(7)):
            assert polygon.delta(ratio) == max(lowest(pairs, a) - ratio * a for a in places)


@pytest.mark.parametrize("name", SMOOTH)
def test_profile_and_trade_off_of_a_smooth_curve_say_the_same(name: str) -> None:
    """δ(λ) is the largest g(a) − λ·a, and g(a) the least δ(λ) + λ·a; both between polygons."""
    curve = SMOOTH[name]
    drawn = curve.polygons(8)
    places = [fmpq(k, 8) for k in range(9)] + [fmpq(1, 10**k) for k in (2, 4, 8)]
    ratios = [fmpq(k, 4) for k in (2, 4, 8, 60)]
    for ratio in ratios:
        low, high = curve.shape.profile(ratio)
        assert low <= high <= low + fmpq(1, 10**7)
        assert drawn.lower.delta(ratio) <= high
        assert low <= drawn.upper.delta(ratio)
        for a in places:
            assert curve.shape.detection(a)[0] - ratio * a <= high
    for a in places:
        low, high = curve.shape.detection(a)
        assert low <= high <= low + fmpq(1, 10**9)
        assert drawn.lower.at(a) <= high
        assert low <= drawn.upper.at(a)
    assert float(drawn.upper.delta(fmpq(1)) - drawn.lower.delta(fmpq(1))) < 0.1


@pytest.mark.parametrize("mu", [0.01, 0.5, 1, 3, 12])
def test_a_gaussian_curve_is_that_of_two_normal_distributions(mu: float) -> None:
    curve = PrivacyCurve.gaussian(mu)
    for alpha in (0, 1e-12, 0.01, 0.3, 0.5, 0.99, 1):
        found = curve.beta(alpha)
        truth = norm.cdf(norm.isf(alpha) - mu)
        assert float(found.lower) - 1e-14 <= truth <= float(found.upper) + 1e-14
    for epsilon in (0, 0.5, 3):
        truth = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(
            -mu / 2 - epsilon / mu
        )
        found = curve.delta(epsilon)
        assert found.lower <= found.upper
        assert float(found) == pytest.approx(truth, rel=1e-9, abs=1e-15)


def test_laplace_noise_has_the_trade_off_of_two_shifted_densities() -> None:
    """Compared with sums over a fine grid of outputs."""
    epsilon, step = 1.5, 1e-3
    outputs = np.arange(-20, 21, step)
    p, q = (np.exp(-epsilon * abs(outputs - at)) * step * epsilon / 2 for at in (0, 1))
    for loss in (0, 0.3, 1, 1.4):
        truth = np.maximum(p - math.exp(loss) * q, 0).sum()
        assert float(PrivacyCurve.laplace(1.5).delta(loss)) == pytest.approx(truth, abs=1e-3)


@pytest.mark.parametrize("steps", [1, 2, 3, 7])
def test_geometric_noise_has_the_profile_of_its_probabilities(steps: int) -> None:
    share = Fraction(1, 2)
    outputs = range(-80, 81 + steps)
    p = [(1 - share) / (1 + share) * share ** abs(k) for k in outputs]
    q = [(1 - share) / (1 + share) * share ** abs(k - steps) for k in outputs]
    curve = PrivacyCurve.discrete_laplace(ratio=2**steps, sensitivity=steps)
    for ratio in (1, Fraction(3, 2), 3, 2**steps):
        truth = sum(max(x - ratio * y, Fraction(0)) for x, y in zip(p, q, strict=True))
        found = curve.delta(ratio=ratio)
        assert found.is_exact
        assert abs(found.upper - truth) < Fraction(1, 2**70)
    near = PrivacyCurve.discrete_laplace(1, sensitivity=steps).delta(0)
    assert near.lower <= near.upper < near.lower + Fraction(1, 10**15)


def test_geometric_noise_of_sensitivity_1_is_as_telling_as_pure_privacy() -> None:
    assert PrivacyCurve.discrete_laplace(ratio=3) == PrivacyCurve.epsilon(ratio=3)


def test_randomised_response_has_the_curve_of_its_channel() -> None:
    for values, ratio in ((2, 3), (5, 2), (7, 10)):
        rows = [[ratio if x == y else 1 for y in range(values)] for x in range(values)]
        channel = Channel([[Fraction(k, ratio + values - 1) for k in row] for row in rows])
        found = PrivacyCurve.of(channel, SecretGraph.complete(values))
        assert found == PrivacyCurve.randomized_response(values, ratio=ratio)


def test_the_curve_of_a_channel_bounds_every_event_and_is_attained() -> None:
    draw = random.Random(3)
    for _ in range(20):
        rows = [[draw.randint(0, 5) for _ in range(3)] for _ in range(3)]
        rows = [[k + (not any(row)) for k in row] for row in rows]
        table = [[Fraction(k, sum(row)) for k in row] for row in rows]
        curve = PrivacyCurve.of(Channel(table), SecretGraph.complete(3))
        points = set()
        for x, y in itertools.permutations(range(3), 2):
            for event in itertools.product([0, 1], repeat=3):
                a, p = (
                    sum(k for k, kept in zip(table[i], event, strict=True) if kept) for i in (y, x)
                )
                assert p <= 1 - curve.beta(a).lower
                points.add((rational(a), rational(p)))
        assert curve.shape == type(curve.shape)(*[Polygon.hull(points)] * 2)


def test_every_event_of_an_exponential_mechanism_has_bounded_odds() -> None:
    """The losses lie in an interval of length ε, so that g(a) = λa/(1 + (λ − 1)a) bounds all."""
    draw = random.Random(4)
    curve = PrivacyCurve.bounded_range(ratio=4)
    for _ in range(50):
        scores = [draw.randint(0, 3) for _ in range(4)]
        moved = [score + draw.choice([-1, 0, 1]) for score in scores]
        weights = [[Fraction(2) ** s for s in row] for row in (scores, moved)]  # λ^(u/2)
        p, q = ([w / sum(row) for w in row] for row in weights)
        for event in itertools.product([0, 1], repeat=4):
            a, b = (sum(k for k, kept in zip(row, event, strict=True) if kept) for row in (q, p))
            assert b <= 1 - curve.beta(a).lower


def renyi(order: float, p: list[float], q: list[float]) -> float:
    parts = [order * math.log(a) + (1 - order) * math.log(b) for a, b in zip(p, q, strict=True)]
    return (max(parts) + math.log(sum(math.exp(k - max(parts)) for k in parts))) / (order - 1)


def test_the_curve_of_zcdp_is_the_region_of_pairs_of_coins() -> None:
    """A point just below the curve keeps ρ·α at every order, one just above breaks it at one."""
    curve = PrivacyCurve.zcdp("0.3")
    orders = (1 + np.exp(np.linspace(-9, 8, 1000))).tolist()
    for a in (1e-6, 0.01, 0.2, 0.5, 0.9):
        low, high = map(float, curve.shape.detection(rational(a)))
        assert high - low < 1e-12
        for p, inside in ((a + (low - a) * 0.9999, True), (high + (1 - high) * 1e-4, False)):
            worst = max(
                max(renyi(o, [p, 1 - p], [a, 1 - a]), renyi(o, [a, 1 - a], [p, 1 - p])) - 0.3 * o
                for o in orders
            )
            assert (worst <= 0) == inside


def test_the_best_conversion_from_renyi_is_below_the_formula_and_above_gaussian_noise() -> None:
    zcdp, noise = PrivacyCurve.zcdp("1/2"), PrivacyCurve.gaussian(1)
    for epsilon in (0, 1, 2, 4):
        ratio = rational(math.exp(epsilon))
        low, high = zcdp.shape.profile(ratio)
        formula = zcdp.shape.formula(ratio)  # type: ignore[attr-defined]
        assert noise.shape.profile(ratio)[0] < low <= high <= formula
    some = PrivacyCurve.renyi({2: 1, 5: "2.5", 20: 10})  # ρ·α at some orders only
    assert some.delta(1).lower > zcdp.delta(1).upper


def test_no_pair_with_three_outputs_within_the_bounds_tells_more_than_coins() -> None:
    draw, curve = random.Random(5), PrivacyCurve.renyi({2: "0.5", 8: 1})
    limit = float(curve.delta(1))
    for _ in range(300):
        p, q = ([draw.random() ** 3 + 1e-9 for _ in range(3)] for _ in range(2))
        p, q = ([k / sum(row) for k in row] for row in (p, q))
        bounds = ((2, 0.5), (8, 1.0))
        if all(max(renyi(o, p, q), renyi(o, q, p)) <= limit_ for o, limit_ in bounds):
            assert sum(max(a - math.e * b, 0) for a, b in zip(p, q, strict=True)) <= limit


def test_epsilon_at_a_delta_is_where_the_profile_has_it() -> None:
    kinds = [curve for name, curve in SMOOTH.items() if name != "zCDP"]
    for curve in (*kinds, PrivacyCurve.pairs([(1, "1e-3"), (2, "1e-5")])):
        found = curve.epsilon_at("1e-4")
        assert found.lower <= found.upper <= found.lower + 1e-6
        assert curve.delta(Fraction(found.upper)).lower <= Fraction(1, 10**4)
        if found.lower > 0:
            assert curve.delta(Fraction(found.lower) * Fraction(99, 100)).upper > Fraction(1, 10**4)
    assert PrivacyCurve.epsilon_delta(1, "1e-3").epsilon_at("1e-4").upper == math.inf
    assert PrivacyCurve.gaussian(1).epsilon_at(1).upper == 0


def test_a_group_is_what_a_chain_of_neighbours_reaches() -> None:
    """Pure ε and two steps: 0.75 against 0.80 by 2ε, for two equally likely values."""
    pair = PrivacyCurve.epsilon(ratio=2).group(2)
    assert (1 + pair.advantage.upper) / 2 == Fraction(3, 4)
    assert pair.advantage.upper < PrivacyCurve.epsilon(ratio=4).advantage.upper
    assert PrivacyCurve.gaussian(1).group(3) == PrivacyCurve.gaussian(3)
    chain = PrivacyCurve.laplace(ratio=2).group(2)
    assert (
        chain.advantage.lower <= chain.advantage.upper <= chain.advantage.lower + Fraction(1, 100)
    )


@pytest.mark.parametrize("steps", [2, 3, 7])
@pytest.mark.parametrize("kind", [PrivacyCurve.laplace, PrivacyCurve.bounded_range])
def test_shifts_add_up_in_a_group(kind: Callable[..., PrivacyCurve], steps: int) -> None:
    """g∘…∘g at points, and by polygons, is the curve of the whole shift."""
    for curve in (kind("0.7"), kind(ratio="3/2"), kind(0)):
        whole, drawn = curve.group(steps), PrivacyCurve(curve.polygons(64), "").group(steps)
        for a in (fmpq(0), fmpq(1, 1000), fmpq(1, 7), fmpq(1, 2), fmpq(9, 10), fmpq(1)):
            low = high = a
            for _ in range(steps):
                low, high = curve.shape.detection(low)[0], curve.shape.detection(high)[1]
            found = whole.shape.detection(a)
            assert found[0] <= high
            assert low <= found[1]
            assert found[1] - found[0] <= fmpq(1, 2**60)
            assert drawn.shape.detection(a)[0] <= found[1]
            assert found[0] <= drawn.shape.detection(a)[1]


@pytest.mark.parametrize("rho", ["1e-16", "1e-12", "1e-4", "100", "1e6"])
def test_divergences_of_any_size_have_a_curve(rho: str) -> None:
    """Binary pairs of a tiny or a huge ρ do not stop the search, and lie below √(ρ/2)."""
    curve = PrivacyCurve.zcdp(rho)
    found = curve.advantage
    assert 0 <= found.lower <= found.upper <= 1
    pinsker = math.sqrt(float(Fraction(rho)) / 2)
    assert found.upper <= pinsker * (1 + 1e-6)
    assert found.lower >= min(pinsker, 0.5) * (1 - 1e-4)  # and nearly reach it while ρ is tiny
    drawn = curve.polygons(16)
    assert drawn.lower.delta(fmpq(2)) <= drawn.upper.delta(fmpq(2))


def test_sampling_mixes_what_is_seen_with_nothing() -> None:
    whole, part = PrivacyCurve.epsilon_delta("ln 3", "1/10"), Fraction(1, 5)
    sampled = whole.subsampled(part)
    for a in (0, Fraction(1, 7), Fraction(1, 2), 1):
        seen, hidden = 1 - sampled.beta(a).upper, (1 - part) * a
        assert seen == hidden + part * (1 - whole.beta(a).upper)
    smooth = PrivacyCurve.gaussian(1).subsampled(part)
    drawn = PrivacyCurve(PrivacyCurve.gaussian(1).polygons(), "").subsampled(part)
    for ratio in (1, Fraction(6, 5), 2):
        assert drawn.delta(ratio=ratio).lower <= smooth.delta(ratio=ratio).upper
        assert smooth.delta(ratio=ratio).lower <= drawn.delta(ratio=ratio).upper
    with pytest.raises(InvalidInput, match="symmetric"):
        sampled.subsampled(part)


def test_both_promises_together_bound_a_test_by_the_lesser() -> None:
    one, two = PrivacyCurve.epsilon("ln 3"), PrivacyCurve.epsilon_delta(0, "1/3")
    for a in (0, Fraction(1, 9), Fraction(1, 3), Fraction(3, 4)):
        assert one.min(two).beta(a).upper == max(one.beta(a).upper, two.beta(a).upper)


def test_points_of_a_curve_that_is_not_symmetric_bound_both_orders() -> None:
    curve = PrivacyCurve.from_points([("1/10", "1/10")])
    assert curve.is_symmetric
    lopsided = PrivacyCurve.from_points([("1/10", "1/2")])
    assert lopsided.is_symmetric
    assert lopsided.beta("1/10").upper == Fraction(41, 50)  # of f and its inverse the larger


MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: PrivacyCurve.epsilon(-1), "ε must be at least 0"),
    (lambda: PrivacyCurve.epsilon_delta(1, "1.5"), "δ must be from 0 to 1, got 1.5"),
    (lambda: PrivacyCurve.gaussian(-1), "μ must be at least 0"),
    (lambda: PrivacyCurve.renyi({1: 1}), "an order must be above 1"),
    (lambda: PrivacyCurve.renyi({}), "at least one order"),
    (lambda: PrivacyCurve.pairs([]), "at least one pair"),
    (lambda: PrivacyCurve.from_points([("1/2", "3/4")]), "α . β ≤ 1"),
    (lambda: PrivacyCurve.epsilon(1).group(0), "a whole number from 1"),
    (lambda: PrivacyCurve.epsilon(1).power(True), "a whole number from 1"),
]


@pytest.mark.parametrize(("mistake", "said"), MISTAKES)
def test_a_promise_that_is_none_is_refused(mistake: Callable[[], Any], said: str) -> None:
    with pytest.raises((InvalidInput, InvalidNumber), match=said):
        mistake()


def test_nothing_is_learnt_where_nothing_is_promised_to_be() -> None:
    for curve in (
        PrivacyCurve.gaussian(0),
        PrivacyCurve.zcdp(0),
        PrivacyCurve.epsilon(0),
        PrivacyCurve.laplace(0),
        PrivacyCurve.bounded_range(0),
        PrivacyCurve.gaussian(1).subsampled(0),
    ):
        assert curve.advantage.upper == 0, curve
        assert curve.beta("1/3").upper == Fraction(2, 3)


# --- composition ---------------------------------------------------------------------------


def best_test(p: np.ndarray, q: np.ndarray, ratio: float) -> float:
    return float(np.maximum(p - ratio * q, 0).sum())


def test_pure_releases_compose_as_pairs_of_coins() -> None:
    """Kairouz, Oh and Viswanath: the composition of ε-private releases is that of coins."""
    for n in (1, 2, 5, 20):
        curve = PrivacyCurve.epsilon("ln 2").power(n)
        counts = np.arange(n + 1)
        ways = np.array([math.comb(n, int(k)) for k in counts], dtype=float)
        p, q = ways * 2.0**counts / 3.0**n, ways * 2.0 ** (n - counts) / 3.0**n
        for ratio in (1, 1.5, 3, 10):
            found = curve.delta(ratio=ratio)
            assert found.is_exact
            assert float(found) == pytest.approx(best_test(p, q, ratio), abs=1e-12)


def product(p: list[Any], q: list[Any], times: int) -> tuple[np.ndarray, np.ndarray]:
    one, other = np.array([1.0]), np.array([1.0])
    for _ in range(times):
        one = np.outer(one, [float(k) for k in p]).ravel()
        other = np.outer(other, [float(k) for k in q]).ravel()
    return one, other


def test_different_promises_compose_to_the_product_of_their_pairs() -> None:
    draw = random.Random(6)
    for _ in range(20):
        parts = [Polygon.of_pairs(random_pairs(draw, 2)) for _ in range(2)]
        curves = [_curve(part) for part in parts]
        whole = curves[0].compose(curves[1])
        p, q = np.array([1.0]), np.array([1.0])
        for part in parts:
            rows = part.masses()
            p = np.outer(p, [float(k) for k in rows[0]]).ravel()
            q = np.outer(q, [float(k) for k in rows[1]]).ravel()
        for ratio in (1, 1.5, 4):
            truth = best_test(p, q, ratio)
            assert float(whole.delta(ratio=ratio)) == pytest.approx(truth, abs=1e-12)


def _curve(polygon: Polygon) -> PrivacyCurve:
    from leaktight.curves.shapes import Enclosed

    return PrivacyCurve(Enclosed(polygon, polygon), "a polygon")


def test_the_grid_encloses_the_composition_of_gaussian_noise() -> None:
    """The answer is known, so the grid can be compared with it from both sides."""
    from leaktight.curves.composition import _on_grid
    from leaktight.curves.shapes import Gaussian

    for times, mu in ((3, fmpq(1)), (40, fmpq(1, 4))):
        found = PrivacyCurve(_on_grid([(Gaussian(mu**2), times)]), "")
        truth = PrivacyCurve(Gaussian(mu**2 * times), "")
        for epsilon in (0, 1, 3, 8):
            near, exact = found.delta(epsilon), truth.delta(epsilon)
            assert near.lower <= exact.upper
            assert exact.lower <= near.upper
            assert near.upper - near.lower <= exact.upper / 20


def test_the_grid_encloses_the_composition_of_other_pairs() -> None:
    """Atoms, infinite losses and pairs that are not symmetric, against all sequences of outputs."""
    from leaktight.curves.composition import _on_grid
    from leaktight.curves.shapes import Enclosed

    draw = random.Random(7)
    for k in range(12):
        points = [(fmpq(draw.randint(k % 3, 13), 20), fmpq(draw.randint(0, 19), 20)) for _ in "abc"]
        polygon = Polygon.hull([(a, max(a, p)) for a, p in points])
        found = PrivacyCurve(_on_grid([(Enclosed(polygon, polygon), 3)]), "")
        rows = polygon.masses()
        p, q = product(*rows, 3)
        kinks = {round(x / y, 9) for x, y in zip(p, q, strict=True) if y and 1 <= x / y < 50}
        for ratio in (1, 1.5, 4, *kinks):
            truth = max(best_test(p, q, ratio), best_test(q, p, ratio))
            near = found.delta(ratio=ratio)
            assert float(near.lower) - 1e-12 <= truth <= float(near.upper) + 1e-12
            assert near.upper - near.lower < Fraction(1, 20)


def test_laplace_noise_composes_between_ends_that_are_near() -> None:
    found = PrivacyCurve.laplace(ratio=2).power(3)
    # three shifted densities on a grid of outputs, compared with an integral
    step = 0.02
    x = np.arange(-12, 13, step)
    epsilon = math.log(2)
    p = np.exp(-epsilon * abs(x)) * epsilon / 2 * step
    losses = np.round(epsilon * (abs(x - 1) - abs(x)) / 0.001).astype(int)
    chances = np.bincount(losses - losses.min(), weights=p)
    first = losses.min()
    total = np.convolve(np.convolve(chances, chances), chances)
    at = (np.arange(len(total)) + 3 * first) * 0.001
    for epsilon_ in (0.0, 0.5, 1.5):
        truth = (total * np.maximum(1 - np.exp(epsilon_ - at), 0)).sum()
        near = found.delta(epsilon_)
        assert float(near.lower) - 5e-3 <= truth <= float(near.upper) + 5e-3
        assert float(near.upper - near.lower) < 0.01 * float(near.upper)


def test_divergences_and_gaussian_noise_add_up() -> None:
    zcdp = PrivacyCurve.zcdp
    assert zcdp("0.1").compose(zcdp("0.2"), zcdp("0.3")) == zcdp("0.6")
    some = PrivacyCurve.renyi({2: 1, 3: 2})
    assert some.compose(PrivacyCurve.renyi({3: 1, 4: 5})) == PrivacyCurve.renyi({3: 3})
    assert some.compose(zcdp("0.5")) == PrivacyCurve.renyi({2: 2, 3: "3.5"})
    with pytest.raises(InvalidInput, match="no order is common"):
        some.compose(PrivacyCurve.renyi({5: 1}))
    noise = PrivacyCurve.gaussian("0.1").power(100)
    assert noise == PrivacyCurve.gaussian(1)


def test_a_direct_program_finds_the_same_region() -> None:
    """The largest p of an event with the chance a, over all pairs of coins that keep the pairs."""
    draw = random.Random(8)
    for _ in range(20):
        pairs = random_pairs(draw)
        a = draw.randint(0, 10) / 10
        rows, limits = [], []
        for ratio, delta in pairs:
            steep, d = float(ratio), float(delta)
            rows += [[1.0], [steep]]
            limits += [d + steep * a, steep - 1 + d + a]
        best = linprog([-1.0], A_ub=rows, b_ub=limits, bounds=[(0, 1)])
        curve = PrivacyCurve.pairs([(_ratio(r), Fraction(int(d.p), int(d.q))) for r, d in pairs])
        assert 1 - float(curve.beta(a).lower) == pytest.approx(-float(best.fun or 0), abs=1e-10)


def _ratio(value: fmpq) -> Any:
    from leaktight.exact.ratio import Ratio

    return Ratio.of(ratio=Fraction(int(value.p), int(value.q)))
