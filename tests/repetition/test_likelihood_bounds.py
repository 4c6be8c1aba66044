"""Pairs on a grid, and bounds on the error from pairs and triples."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import TooLarge
from leaktight.exact.numbers import exact_array, rational
from leaktight.exact.rounding import precision
from leaktight.repetition import likelihood_bounds, pair_error
from leaktight.repetition.likelihood_bounds import success_bounds
from leaktight.repetition.pair_error import BITS, TILTS, Pair
from leaktight.repetition.success import success_probability
from tests.repetition.test_success import random_rows

FOUR = Channel.normalised([[4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 3, 3]])


def pair_of(rows: Sequence[Sequence[object]], times: int, weights: tuple[object, object]) -> Pair:
    matrix = np.stack([exact_array(row) for row in rows])
    v, w = weights
    return Pair((rational(v), rational(w)), ((matrix, times),))


@pytest.mark.parametrize("points", [2**5, 2**9])
def test_bounds_contain_the_exact_value(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 random channels each on a coarse and a finer grid, with zeros and any prior."""
    monkeypatch.setattr(likelihood_bounds, "POINTS", points)
    rng = random.Random(points)
    for _ in range(100):
        rows = random_rows(rng, rng.randint(2, 5), rng.randint(2, 4))
        (prior,) = random_rows(rng, 1, len(rows))
        n = rng.choice([0, 1, 2, 5, 10, 20])
        exact = success_probability(Channel(rows), prior, n)
        found = success_bounds(Channel(rows), prior, n)
        assert found.method == "bounds"
        assert found.lower <= exact.lower <= found.upper
        assert found.error.lower <= exact.error.lower <= found.error.upper


def test_coefficients_are_rounded_to_the_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """With probabilities of only 10 bits the bounds are wide, but they are bounds."""
    monkeypatch.setattr(likelihood_bounds, "POINTS", 2**7)
    monkeypatch.setattr(pair_error, "ONE", 2**10)
    rng = random.Random(2)
    for _ in range(40):
        channel = Channel(random_rows(rng, 2, rng.randint(2, 4)))
        n = rng.choice([1, 3, 10])
        exact, found = success_probability(channel, n=n).error, success_bounds(channel, n=n).error
        assert found.lower <= exact.lower <= found.upper
        assert found.upper - found.lower < 0.2


def test_an_output_is_split_into_no_more_than_it_is() -> None:
    """Also where it lies on a grid point, up to the precision of the balls or exactly."""
    ratios = [Fraction(1), Fraction(3), Fraction(9), Fraction(1, 3), Fraction(22, 7)]
    weights = [Fraction(k, 40) for k in (3, 2, 1, 5, 1)]
    rows = [weights, [p * ratio / 2 for p, ratio in zip(weights, ratios, strict=True)]]
    pair = pair_of(rows, 5, (1, 1))
    with precision(BITS):
        grid = pair_error._Grid.of(pair, 20, 2**15)
        assert grid is not None
        assert grid is not None
        for at in range(5):
            column = pair.parts[0][0][:, at : at + 1]
            parts = {g: m / arb(grid.root) ** (20 * g) for g, m in grid.split(column).items()}
            over = sum(parts.values(), arb(0)) - column[0, 0]
            above = sum((m * arb(grid.root) ** (TILTS * g) for g, m in parts.items()), arb(0))
            assert not over > 0
            assert not above - column[1, 0] > 0


@pytest.mark.parametrize("n", [1, 7, 40])
def test_two_secrets_are_enclosed_tightly(n: int) -> None:
    for rows in ([[4, 3, 2], [1, 2, 3]], [[40, 3, 2, 7], [1, 20, 3, 7]], [[9, 1, 1], [1, 9, 0]]):
        channel = Channel.normalised(rows)
        exact = success_probability(channel, ["1/3", "2/3"], n).error.lower
        found = success_bounds(channel, ["1/3", "2/3"], n).error
        assert found.lower <= exact <= found.upper
        assert found.upper - found.lower <= exact / 1000


def test_ratios_that_are_powers_of_one_number_lose_nothing() -> None:
    """Randomized response: the log-likelihood ratios of a pair are −ε, 0 and ε."""
    channel = Channel.normalised([[3, 1, 1], [1, 3, 1]])
    for n in (10, 100):
        exact, found = success_probability(channel, n=n).error, success_bounds(channel, n=n).error
        assert found.lower <= exact.lower <= found.upper
        assert found.upper - found.lower <= exact.lower / 10**9


def test_a_finer_grid_gives_closer_bounds() -> None:
    """The loss falls like the square of the step: by 16 for a grid four times as fine."""
    pair = pair_of([["0.4", "0.3", "0.2", "0.1"], ["0.15", "0.2", "0.3", "0.35"]], 200, (1, 1))
    tilt, widths = pair.tilt(), []
    for points in (2**9, 2**13):
        low, high = pair.error(tilt, points)
        widths.append((high - low) / high)
    assert widths[1] * 64 < widths[0]


@pytest.mark.parametrize("tilt", [1, 20, 32, TILTS - 1])
def test_any_tilt_gives_bounds(tilt: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that is far off, so that what matters lies outside of the grid."""
    monkeypatch.setattr(pair_error, "DEVIATIONS", 2)
    channel = Channel.normalised([[4, 3, 2], [1, 2, 3]])
    pair = pair_of(channel.matrix.tolist(), 60, ("1/2", "1/2"))
    exact = rational(success_probability(channel, n=60).error.lower)
    low, high = pair.error(tilt, 2**9)
    assert 0 <= low <= exact <= high
    assert exact <= pair.chernoff(tilt).upper().fmpq()


def test_the_tilt_makes_chernoffs_bound_small() -> None:
    pair = pair_of([["0.7", "0.2", "0.1"], ["0.1", "0.2", "0.7"]], 30, ("1/10", "9/10"))
    best = min(range(1, TILTS), key=lambda s: float(pair.chernoff(s).mid()))
    assert abs(pair.tilt() - best) <= 1


def test_several_channels_are_seen_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likelihood_bounds, "POINTS", 2**10)
    one, other = Channel.normalised([[3, 1], [1, 2]]), Channel.normalised([[1, 1, 3], [2, 1, 1]])
    seen = [(one, 12), (other, 9)]
    exact, found = success_probability(seen), success_bounds(seen)
    assert found.error.lower <= exact.error.lower <= found.error.upper
    assert found.error.upper < 1.01 * found.error.lower


def test_pairs_that_share_no_output_are_not_confused() -> None:
    channel = Channel([["1/2", "1/2", 0, 0], [0, 0, "1/2", "1/2"], ["1/4", "3/4", 0, 0]])
    exact, found = success_probability(channel, n=6), success_bounds(channel, n=6)
    assert found.error.lower <= exact.error.lower <= found.error.upper
    assert found.error.upper < 1.001 * found.error.lower
    apart = success_bounds(Channel.identity(3), n=2)
    assert apart.error.lower == apart.error.upper == 0


def test_an_erasure_leaves_an_error_of_half_its_probability() -> None:
    """Common support of one output, equally likely for both: all of them must be erased."""
    erasure = Channel([["3/4", 0, "1/4"], [0, "3/4", "1/4"]])
    found = success_bounds(erasure, n=20)
    assert found.error.lower <= Fraction(1, 2 * 4**20) <= found.error.upper
    assert found.error.upper <= found.error.lower * (1 + 1e-12)


def test_well_separated_secrets_are_bounded_tightly_by_triples() -> None:
    """Ten secrets: the union bound is nearly attained, and the triples prove it."""
    ten = Channel.normalised([[3 if i == j else 1 for j in range(10)] for i in range(10)])
    found = success_bounds(ten, n=1000)
    assert found.error.upper < 1.001 * found.error.lower
    assert 0 < found.error.lower < 1e-20


def test_without_triples_a_tree_still_bounds_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likelihood_bounds, "MOST_TRIPLES", 0)
    monkeypatch.setattr(likelihood_bounds, "POINTS", 2**9)
    found = success_bounds(FOUR, n=30).error
    exact = success_probability(FOUR, n=30).error.lower
    assert found.lower <= exact <= found.upper
    assert found.upper < 1.5 * 1.01 * found.lower  # at most half the number of secrets


def test_pairs_beyond_the_hardest_are_bounded_roughly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likelihood_bounds, "MOST_PAIRS", 1)
    found = success_bounds(FOUR, n=30).error
    exact = success_probability(FOUR, n=30).error.lower
    assert 0 < found.lower <= exact <= found.upper < 1


def test_sums_of_pairs_and_triples_bound_what_is_left_of_the_largest() -> None:
    """The inequalities of docs/proofs/repetition.md, on random numbers."""
    rng = random.Random(1)
    for _ in range(300):
        w = [Fraction(rng.randint(0, 9)) for _ in range(rng.randint(2, 6))]
        left = sum(w) - max(w)
        pairs = sum(min(pair) for pair in combinations(w, 2))
        triples = sum(min(triple) for triple in combinations(w, 3))
        tree = list(range(len(w)))
        rng.shuffle(tree)
        edges = [(tree[k], tree[rng.randrange(k)]) for k in range(1, len(w))]
        assert max(sum(min(w[a], w[b]) for a, b in edges), pairs - triples) <= left <= pairs


def test_probabilities_far_below_the_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likelihood_bounds, "POINTS", 2**9)
    tiny = Fraction(1, 10**400)
    channel = Channel([[1 - tiny, tiny], [2 * tiny, 1 - 2 * tiny]])
    exact, found = success_probability(channel, n=4), success_bounds(channel, n=4)
    assert found.lower <= exact.lower <= found.upper
    rare = Channel([[tiny, 1 - tiny, 0], [2 * tiny, 0, 1 - 2 * tiny]])
    assert success_bounds(rare, n=2).lower >= 1 - 1e-15


def test_any_number_of_observations_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likelihood_bounds, "POINTS", 2**9)
    rows = Channel.normalised(np.arange(1, 21).reshape(2, 10))
    for n in (10**6, 10**12):
        found = success_bounds(rows, n=n)
        assert found.error.lower == 0
        assert found.error.upper <= 1e-300
        assert found.lower == 1 - 2.0**-53
        assert found.upper == 1


def test_no_observation_is_exact_and_too_many_secrets_are_refused() -> None:
    assert success_bounds(FOUR, ["1/2", "1/4", "1/4"], 0).lower == Fraction(1, 2)
    with pytest.raises(TooLarge, match="simulate_success"):
        success_bounds(Channel.random(101, 3, seed=1), n=9)


def test_chernoffs_bound_is_a_ball_around_the_number() -> None:
    pair = pair_of([["1/2", "1/2"], ["1/8", "7/8"]], 2, ("1/4", "1/4"))
    middle = pair.chernoff(TILTS // 2)  # Bhattacharyya: (√(1/16) + √(7/16))²/4
    assert middle.overlaps((arb(fmpq(1, 16)).sqrt() + arb(fmpq(7, 16)).sqrt()) ** 2 / 4)


def test_ratios_beyond_all_floats_and_observations_beyond_all_counting_are_bounded() -> None:
    tiny = Fraction(1, 10**400)
    rows = [[tiny, 1 - tiny], [Fraction(1, 2), Fraction(1, 2)]]
    for n in (10**15, 10**30):
        assert success_bounds(Channel(rows), n=n).error.upper < 1e-300
    with pytest.raises(TooLarge, match=r"10\^300 times at most"):
        success_bounds(Channel(rows), n=10**400)
