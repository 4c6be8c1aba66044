import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.gain import Loss
from leaktight.errors import TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.rounding import precision
from leaktight.leakage.vulnerability import posterior_risk, posterior_vulnerability
from leaktight.mechanisms.geometric import TruncatedGeometric
from leaktight.mechanisms.planar import PlanarGeometric, PlanarLaplace
from leaktight.policies.secrets import SecretGraph
from tests.mechanisms.promises import RATIOS, kept_promise
from tests.strategies.fractions import fractions

SIDES = st.integers(1, 4)


def is_private_in_the_plane(channel: Channel, ratio: Fraction) -> bool:
    """K(z|x) ≤ λ^|x−x′|·K(z|x′), entry by entry, in ball arithmetic with 400 bits."""
    with precision(400):
        occurs = channel.matrix.max(axis=0) > 0
        logs = [[arb(p).log() for p in row[occurs]] for row in channel.matrix]
        epsilon = arb(rational(ratio)).log()
        points: list[tuple[int, int]] = list(channel.inputs)  # type: ignore[arg-type]
        pairs = product(zip(points, logs, strict=True), repeat=2)
        return all(
            here - there <= epsilon * arb((a - c) ** 2 + (b - d) ** 2).sqrt()
            for ((a, b), row), ((c, d), other) in pairs
            if (a, b) != (c, d)
            for here, there in zip(row, other, strict=True)
        )


# --- along the streets ---------------------------------------------------------------------


@given(SIDES, SIDES, RATIOS)
@settings(max_examples=40)
def test_the_geometric_is_as_private_as_asked(m: int, n: int, ratio: Fraction) -> None:
    mechanism = PlanarGeometric(m, n, ratio=ratio)
    level = kept_promise(mechanism, ratio)
    assert level == (ratio if m * n > 1 else 1)
    one, other = TruncatedGeometric(m, ratio=ratio), TruncatedGeometric(n, ratio=ratio)
    product_of_sides = np.kron(one.channel.matrix, other.channel.matrix)
    assert (mechanism.channel.matrix == product_of_sides).all()


def test_its_points_are_those_of_the_grid() -> None:
    city = PlanarGeometric(["north", "south"], 3, ratio=2)
    assert city.graph == SecretGraph.grid(["north", "south"], 3)
    assert city.channel.inputs == city.graph.vertices
    assert city.name == "planar geometric on a 2×3 grid"
    assert str(city.guarantee).endswith("neighbouring points of a 2×3 grid")


# --- straight ------------------------------------------------------------------------------


@given(SIDES, SIDES, fractions(Fraction(21, 20), 30, max_denominator=20))
@settings(max_examples=25)
@example(4, 4, Fraction(1001, 1000))
@example(3, 4, Fraction(10**9))
def test_the_laplace_is_private_in_the_plane(m: int, n: int, ratio: Fraction) -> None:
    mechanism = PlanarLaplace(m, n, ratio=ratio)
    level = kept_promise(mechanism, ratio)
    assert is_private_in_the_plane(mechanism.channel, ratio)
    if m * n > 1:
        assert math.log(level) > 0.99 * math.log(ratio)


def test_the_check_of_the_plane_can_fail() -> None:
    grid = PlanarGeometric(2, 2, ratio=2)
    assert not is_private_in_the_plane(grid.channel, Fraction(2))
    assert is_private_in_the_plane(grid.channel, Fraction(3))


@pytest.mark.parametrize(("side", "ratio"), [(5, 2), (5, 5), (7, 3)])
def test_it_serves_better_than_noise_along_the_streets(side: int, ratio: int) -> None:
    """Streets are at most √2 times as long, so the ratio λ^(1/√2) on them is λ in the plane."""
    laplace = PlanarLaplace(side, side, ratio=ratio).channel
    streets = PlanarGeometric(side, side, ratio=str(ratio ** (1 / math.sqrt(2)))).channel.exact()
    far = Loss.by_distance(laplace.inputs, math.dist)
    assert posterior_risk(laplace.float(), None, far) < posterior_risk(streets.float(), None, far)
    assert posterior_vulnerability(laplace) > posterior_vulnerability(streets)


def test_it_is_nearly_the_weighting() -> None:
    """Where λ^(−d) has a non-negative weighting, no private channel is likelier to be right."""
    side, ratio = 5, 3.0
    points = list(product(range(side), repeat=2))
    table = ratio ** -np.array([[math.dist(x, z) for z in points] for x in points])
    weights = np.linalg.solve(table, np.ones(side**2))
    assert weights.min() > 0
    channel = PlanarLaplace(side, side, ratio=3).channel
    right = float(posterior_vulnerability(channel))
    assert 0.98 * weights.sum() < right * side**2 <= weights.sum()


def test_at_ratio_1_nothing_is_seen_and_next_to_1_next_to_nothing() -> None:
    nothing = PlanarLaplace(3, 2, epsilon=0)
    assert kept_promise(nothing, Fraction(1)) == 1
    ratio = 1 + Fraction(1, 10**30)
    hardly = PlanarLaplace(2, 3, ratio=ratio)
    kept_promise(hardly, ratio)
    assert is_private_in_the_plane(hardly.channel, ratio)


def test_one_point_and_too_many() -> None:
    assert PlanarLaplace(1, 1, ratio=2).channel.matrix.tolist() == [[1]]
    assert PlanarLaplace(1, 2, ratio=2).name == "planar Laplace on a 1×2 grid"
    with pytest.raises(TooLarge, match=r"40,000 inputs"):
        _ = PlanarLaplace(200, 200, ratio=2).channel
