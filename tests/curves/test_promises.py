"""Forms that look right and are not, stars and trees, and releases together: by second routes."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpz, fmpz_poly

from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.channels.gain import Gain
from leaktight.curves import (
    PrivacyCurve,
    all_records,
    best_gain,
    best_guess,
    cover_bound,
    expected_belief,
    tree_guess,
)
from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.loss_grid import Detail, Masses, Telling, enclosed
from tests.curves.programs import both, curve_of, direct, guessing, instances, keeps, random_pairs

# --- forms that are wrong ----------------------------------------------------------------------


def star(leaves: int) -> Graph:
    return Graph(leaves + 1, [(0, x) for x in range(1, leaves + 1)])


def test_not_every_tree_attains_what_a_path_does() -> None:
    """1 + (v − 1)·TV is too much for a star with more than 1/c leaves, c = 1/(λ + 1)."""
    curve = PrivacyCurve.epsilon(ratio=2)
    form = (1 + 5 * curve.advantage.upper) / 6
    found = best_gain(curve, star(5))
    assert found.upper < form
    assert float(found) == pytest.approx(
        direct(guessing([Fraction(1, 6)] * 6), both(star_edges(5)), [(fmpq(2), fmpq(0))])
    )
    path = best_gain(curve, SecretGraph.line(6))
    assert path.upper == form


def star_edges(leaves: int) -> list[tuple[int, int]]:
    return [(0, x) for x in range(1, leaves + 1)]


def test_a_degree_says_nothing_where_the_curve_has_the_slope_1() -> None:
    """λ = 1, δ = 1/10 on a star with three leaves attains it, though 3·c > 1."""
    curve = PrivacyCurve.epsilon_delta(ratio=1, delta="1/10")
    assert best_gain(curve, star(3)).upper == (1 + 3 * Fraction(1, 10)) / 4


def test_delta_does_not_mix_with_what_pure_privacy_allows_on_every_graph() -> None:
    """A star with v > 1 + λ leaves, all alike: (λ + v·δ)/(v + 1)."""
    ratio, delta, v = 2, Fraction(1, 10), 5
    found = best_gain(PrivacyCurve.epsilon_delta(ratio=ratio, delta=delta), star(v))
    pure = best_gain(PrivacyCurve.epsilon(ratio=ratio), star(v))
    assert found.upper == (ratio + v * delta) / (v + 1)
    assert found.upper > delta + (1 - delta) * pure.upper


def test_what_is_guessed_may_rise_by_more_than_delta_between_ends_of_a_path() -> None:
    """λ = 1: (1 + m·δ)/2, so that m·η/2 is added by η."""
    for steps in (1, 3, 4):
        prior = [Fraction(1, 2), *[Fraction(0)] * (steps - 1), Fraction(1, 2)]
        curve = PrivacyCurve.epsilon_delta(ratio=1, delta="1/10")
        found = best_gain(curve, SecretGraph.line(steps + 1), prior)
        assert found.upper == (1 + Fraction(steps, 10)) / 2


def test_zero_concentrated_privacy_is_not_that_of_gaussian_noise() -> None:
    """ρ-zCDP allows more than μ = √(2ρ), which is one way to keep it."""
    for v in (2, 10):
        zcdp, noise = (
            best_guess(c, v) for c in (PrivacyCurve.zcdp("0.5"), PrivacyCurve.gaussian(1))
        )
        assert zcdp.lower > noise.upper + Fraction(1, 100)


def test_records_together_are_guessed_more_often_than_one_by_one() -> None:
    """Ten bits under μ = 1: about 0.1189 by many tangents, and not 0.025 as one by one."""
    coin = Distribution.uniform(2)
    found = all_records(PrivacyCurve.gaussian(1), product_distribution(*[coin] * 10))
    single = best_guess(PrivacyCurve.gaussian(1), 2).upper ** 10
    assert float(found.lower) <= 0.1190
    assert 0.1188 <= float(found.upper) <= 0.11935  # and not 0.1235, as few lines would say
    assert found.lower > 4 * single


def test_many_records_have_a_bound_for_any_curve() -> None:
    """The chain of records, where the program with a number for each distance is too large."""
    coin, curve = Distribution.uniform(2), PrivacyCurve.gaussian(1)
    few = all_records(curve, product_distribution(*[coin] * 20))
    many = all_records(curve, product_distribution(*[coin] * 100))
    assert few.lower <= few.upper
    assert many.upper < few.upper
    drawn = curve.polygons(24).upper
    p, q = 0.0, 1.0
    for _ in range(100):  # p = g((q − p)/(v − 1)), by halving
        low, high = 0.0, q
        for _ in range(60):
            p = (low + high) / 2
            low, high = (p, high) if p < float(drawn.at(_near(q - p))) else (low, p)
        q = p
    assert float(many.upper) == pytest.approx(q, rel=1e-9)


def _near(value: float) -> fmpq:
    return fmpq(*value.as_integer_ratio())


def test_a_cover_at_one_pair_is_not_the_truth_of_a_curve() -> None:
    """On a cycle of five the best pair of a Gaussian curve says more than there is."""
    curve, cycle = PrivacyCurve.gaussian(1), SecretGraph.cycle(5)
    found = best_gain(curve, cycle)
    pairs = list(curve.polygons(40).upper.pairs)
    arcs = [(int(i), int(j)) for i, j in cycle.arcs]
    truth = direct(guessing([Fraction(1, 5)] * 5), arcs, pairs)
    assert float(found.lower) <= truth + 1e-9
    assert truth * 1.001 < float(cover_bound(curve, cycle))


def test_a_long_cycle_tells_hardly_more_than_delta() -> None:
    """λ = 1, δ = 1/100: near δ, and not √δ as single outputs and distances would say."""
    curve, cycle = PrivacyCurve.epsilon_delta(ratio=1, delta="1/100"), SecretGraph.cycle(12)
    found = best_gain(curve, cycle)
    arcs = [(int(i), int(j)) for i, j in cycle.arcs]
    truth = direct(guessing([Fraction(1, 12)] * 12), arcs, [(fmpq(1), fmpq(1, 100))])
    assert float(found.lower) - 1e-9 <= truth <= float(found.upper) + 1e-9
    assert float(found.upper) < 1 / 12 + 0.02


# --- stars and trees -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", instances(12))
def test_samples_are_answered_for_any_gain(seed: int) -> None:
    """Only who is present against who is absent is bounded, by all lines of the curve."""
    draw = random.Random(seed)
    n, m = draw.randint(3, 5), draw.randint(1, 4)
    prior = [Fraction(draw.randint(1, 5)) for _ in range(n)]
    prior = [p / sum(prior) for p in prior]
    curve = curve_of(random_pairs(draw)).subsampled(Fraction(draw.randint(1, 9), 10))
    table = [[Fraction(draw.randint(0, 3)) for _ in range(n)] for _ in range(m)]
    found = best_gain(curve, star(n - 1), prior, Gain(table), absent=0)
    lines = [line for line in curve.polygons().upper.lines if line[0] > 0]
    worth = np.array([[float(prior[x] * row[x]) for row in table] for x in range(n)])
    truth = direct(worth, [(x, 0) for x in range(1, n)], lines)
    assert float(found) == pytest.approx(truth, abs=1e-8)
    assert found.is_exact
    assert found.mechanism is not None
    rows = [[Fraction(found.mechanism[x, y]) for y in range(m)] for x in range(n)]
    for x, event in itertools.product(range(1, n), itertools.product([0, 1], repeat=m)):
        p, a = (sum(q for q, e in zip(rows[i], event, strict=True) if e) for i in (x, 0))
        assert p <= 1 - curve.beta(a).lower


def test_a_star_agrees_with_the_best_guess_of_a_sample() -> None:
    curve = PrivacyCurve.gaussian(1).subsampled("1/10")
    prior = ["0", "1/2", "1/4", "1/4"]
    found = best_gain(curve, star(3), prior, absent=0)
    near = best_guess(curve, 3, prior[1:], neighbours="add/remove")
    assert found.lower <= near.upper
    assert near.lower <= found.upper < found.lower + Fraction(1, 500)


def test_who_is_absent_must_be_the_centre() -> None:
    with pytest.raises(InvalidInput, match="joined to all other vertices"):
        best_gain(PrivacyCurve.epsilon(1), SecretGraph.line(4), absent=0)
    with pytest.raises(InvalidInput, match="joined to all other vertices"):
        best_gain(PrivacyCurve.epsilon(1), SecretGraph.complete(4), absent=0)
    with pytest.raises(InvalidInput, match="absent= on a star"):
        best_gain(PrivacyCurve.epsilon(1).subsampled("1/2"), star(3))


@pytest.mark.parametrize("seed", instances(12))
def test_a_tree_has_a_mechanism_that_keeps_the_curve_of_each_edge(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randint(2, 5)
    edges = [(draw.randrange(x), x) for x in range(1, n)]
    curves = {edge: curve_of(random_pairs(draw)) for edge in edges}
    found = tree_guess(curves, vertices=range(n))
    assert found.mechanism is not None
    rows = [[Fraction(found.mechanism[x, y]) for y in range(n)] for x in range(n)]
    assert all(sum(row) == 1 for row in rows)
    assert all(keeps(rows, both([edge]), curve) for edge, curve in curves.items())
    assert sum(rows[x][x] for x in range(n)) / n == found.lower == found.upper
    same = dict.fromkeys(edges, curves[edges[0]])
    if n > 2:
        assert (
            tree_guess(same, None, range(n)).upper
            == best_gain(curves[edges[0]], Graph(n, edges)).upper
        )


def test_what_is_no_tree_is_refused() -> None:
    curve = PrivacyCurve.epsilon(1)
    with pytest.raises(InvalidInput, match="must make a tree"):
        tree_guess({(0, 1): curve, (1, 2): curve, (2, 0): curve})
    with pytest.raises(InvalidInput, match="must make a tree"):
        tree_guess({(0, 1): curve, (1, 0): curve})
    with pytest.raises(InvalidInput, match="no direction"):
        tree_guess({(0, 1): curve.subsampled("1/2")})


def test_a_large_torus_is_a_product_of_cycles() -> None:
    """δ + (1 − δ)·Π 1/Z over the factors, on a thousand vertices."""
    curve = PrivacyCurve.epsilon_delta(ratio=3, delta="1/50")
    torus = SecretGraph.product(SecretGraph.cycle(31), SecretGraph.cycle(33))
    whole = math.prod(1 + 2 * sum(Fraction(1, 3**j) for j in range(1, k + 1)) for k in (15, 16))
    assert best_gain(curve, torus).upper == Fraction(1, 50) + Fraction(49, 50) / whole


def test_the_average_belief_is_that_of_the_pair_that_the_curve_belongs_to() -> None:
    for mu in ("0.3", "1", "2"):
        found = expected_belief(PrivacyCurve.gaussian(mu), "1/3")
        z = np.linspace(-12, 12, 200001)
        p = np.exp(-((z - float(mu)) ** 2) / 2) / math.sqrt(2 * math.pi)
        q = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        truth = float(np.trapezoid(p * p / (p + 2 * q), z))
        assert float(found.lower) <= truth + 1e-7
        assert truth <= float(found.upper) + 1e-7
        assert found.upper - found.lower < Fraction(1, 1000)


# --- releases together -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", instances(40))
def test_a_grid_of_any_fineness_encloses_all_sequences(seed: int) -> None:
    """Infinite losses, rows that miss 1, few places and few corners: always on the right side."""
    draw = random.Random(seed)
    parts, p, q = list[tuple[Telling, int]](), np.ones(1), np.ones(1)
    for _ in range(draw.randint(1, 2)):
        rows = [(draw.choice([0, 1, 2, 30]), draw.choice([0, 1, 3, 20])) for _ in range(3)]
        sums = [max(sum(column), 1) + draw.randint(0, 1) for column in zip(*rows, strict=True)]
        shares = [(fmpq(a, sums[0]), fmpq(b, sums[1])) for a, b in rows]
        outputs = sorted([(a, b) for a, b in shares if a and b], key=lambda r: -r[0] / r[1])
        times = draw.randint(1, 3)
        parts.append((Telling(outputs, sum((a for a, b in shares if b == 0), fmpq(0))), times))
        for _ in range(times):
            p = np.outer(p, [float(a) for a, _ in shares]).ravel()
            q = np.outer(q, [float(b) for _, b in shares]).ravel()
    detail = Detail(draw.choice([2.0, 16.0]), draw.choice([2**8, 2**14]), draw.choice([8, 2**11]))
    low, high = enclosed(parts, detail)
    seen = [a / b for a, b in zip(p, q, strict=True) if a > 0 < b]
    for ratio in (0.1, 1.0, 2.5, *seen[:20]):
        truth = float(np.maximum(p - ratio * q, 0).sum())
        least, most = (max(float(b) - ratio * float(a) for a, b in side) for side in (low, high))
        assert least - 1e-11 <= truth <= most + 1e-11


def test_masses_are_rounded_to_their_side() -> None:
    """Chances that are no multiple of the unit, squared: never less than the truth above."""
    telling = Telling([(fmpq(2, 3), fmpq(1, 3)), (fmpq(1, 3), fmpq(2, 3))], fmpq(0))
    step = fmpq(1, 7)
    unit = fmpq(1, 2**128)
    for masses, sign in ((telling.split(step), 1), (telling.merged(step), -1)):
        assert isinstance(masses, Masses)
        twice = masses.power(2)
        one = [fmpq(c) * unit for c in masses.chances.coeffs()]
        truth = [fmpq(0)] * (2 * len(one) - 1)
        for (i, a), (j, b) in itertools.product(enumerate(one), repeat=2):
            truth[i + j] += a * b
        shift = twice.first - 2 * masses.first
        for k, chance in enumerate(twice.chances.coeffs()):
            assert sign * (fmpq(chance) * unit - truth[k + shift]) >= 0


def test_one_infinite_loss_of_two_is_infinite() -> None:
    """With a chance of 1/2 each, and of 3/4 together; both at once count, too."""
    half = fmpz(1) << 127
    for up in (True, False):
        masses = Masses(up, 0, fmpz_poly([half]), half)
        infinite = (masses * masses).infinite
        assert 4 * infinite == 6 * half + 4 * up


def test_a_curve_is_as_near_as_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    curve = PrivacyCurve.laplace("0.2")
    for width in ("1e-2", "1e-3"):
        found = curve.power(60, width=width)
        for epsilon in (0, 1, 3):
            delta = found.delta(epsilon)
            assert 0 < delta.lower <= delta.upper <= delta.lower * (1 + 2 * Fraction(width))
    with pytest.raises(InvalidNumber, match="width must be above 0"):
        curve.power(3, width=0)
    monkeypatch.setattr("leaktight.curves.composition.FINER", 1.0)
    with pytest.raises(TooLarge, match="ask for more"):
        curve.power(3, width="1e-30")


def test_sampled_gaussian_noise_composes_as_its_density_does() -> None:
    """Twenty steps at the rate 1/10: losses on a fine grid, convolved by a Fourier transform."""
    steps, rate = 20, 0.1
    h, size = 2e-4, 2**18
    edges = h * (np.arange(-size // 2, size // 2 + 1) - 0.5)
    inside = (np.exp(edges) - 1 + rate) / rate
    z = np.where(inside > 0, np.log(np.maximum(inside, 1e-300)) + 0.5, -40.0)
    normal = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))
    mass = np.diff((1 - rate) * normal(z) + rate * normal(z - 1))
    whole = np.fft.irfft(np.fft.rfft(np.roll(mass, -size // 2)) ** steps, size)
    losses = h * np.fft.fftfreq(size, 1 / size)
    found = PrivacyCurve.gaussian(1).subsampled("1/10").power(steps)
    low, high = found.shape.profile(fmpq(*math.exp(0.5).as_integer_ratio()))
    truth = float((whole * np.maximum(1 - np.exp(0.5 - losses), 0)).sum())
    assert float(low) * (1 - 1e-4) <= truth <= float(high) * (1 + 1e-4)
    assert float(high) < float(low) * 1.01
