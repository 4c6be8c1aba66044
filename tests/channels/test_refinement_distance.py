"""The additive refinement metric: shown from both sides, and by another solver."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.refinement.distance import RefinementDistance, refinement_distance
from leaktight.channels.refinement.refinement import refinement
from leaktight.errors import TooLarge
from leaktight.exact.numbers import rational
from leaktight.leakage.vulnerability import posterior_vulnerability
from tests.channels.test_refinement import Pair, pairs
from tests.strategies.channels import distributions


def by_gains(a: Channel, b: Channel, prior: Distribution) -> float:
    """A second route: the best admissible gain itself, a row for each output of b, by scipy.

    Its variables are π(x)·g(z, x), at most π(x), so that tiny chances do not make large numbers.
    """
    pi = prior.float().array
    k, m = a.shape[1], b.shape[1]
    seen, wanted = a.to_numpy(), b.to_numpy()
    cost = np.concatenate([-wanted.T.ravel(), np.ones(k)])  # −Σ b_z·g_z + Σ t_y
    rows = [
        np.concatenate([np.eye(m)[z][:, None] * seen[:, y], -np.eye(k)[y]], axis=None)
        for y in range(k)
        for z in range(m)
    ]
    least = [None if chance else 0 for chance in pi]
    bounds = [*zip(least, pi, strict=True)] * m + [(0, None)] * k
    found = linprog(cost, A_ub=np.array(rows), b_ub=np.zeros(k * m), bounds=bounds)
    assert found.fun is not None
    return -float(found.fun)


def check(a: Channel, b: Channel, prior: Distribution, found: RefinementDistance) -> None:
    """Check both witnesses by their definition."""
    last = b.shape[1]
    assert found.gain.matrix.max() <= 1
    assert not found.gain.matrix[last].any()
    after_b, after_a = (posterior_vulnerability(c, prior, found.gain) for c in (b, a))
    assert after_b - after_a == found.lower
    remap = found.remap.matrix
    assert remap.min() >= 0
    assert (remap.sum(axis=1) == 1).all()
    made = a.then(found.remap).matrix
    possible = prior.array > 0
    assert (made[possible, :last] <= b.matrix[possible]).all()
    assert (prior.array * made[:, last]).sum() == rational(found.upper)


@settings(max_examples=40, deadline=None)
@given(pairs(most=4), st.data())
def test_the_distance_is_shown_from_both_sides(pair: Pair, data: st.DataObject) -> None:
    a, b = pair
    prior = data.draw(distributions(a.shape[0]))
    found = refinement_distance(a, b, prior)
    check(a, b, prior, found)
    assert found.lower == found.upper
    assert float(found.upper) == pytest.approx(by_gains(a, b, prior), abs=1e-7)
    if all(prior.array > 0):
        assert (found.upper == 0) == bool(refinement(a, b))


def test_from_nothing_to_everything_is_the_additive_capacity() -> None:
    # After nothing an attacker only has the prior, so the distance is 1 − Σ_z min_x B(z|x).
    b = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    assert refinement_distance(Channel.no_interference(2), b).upper == Fraction(1, 3)
    assert refinement_distance(b, Channel.no_interference(2)).upper == 0
    assert refinement_distance(Channel.no_interference(3), Channel.identity(3)).upper == 1


def test_floats_are_enclosed() -> None:
    a, b = Channel.random(5, 6, seed=1), Channel.random(5, 4, seed=2)
    found, exact = refinement_distance(a, b), refinement_distance(a.exact(), b.exact())
    assert found.lower <= exact.lower == exact.upper <= found.upper
    assert found.upper - found.lower < 1e-9
    for seed in range(
        8
    ):  # what makes up the channel is not too much of any output, to the last digit
        a, b = (Channel.random(4, 5, seed=seed + start) for start in (10, 20))
        made = a.exact().then(refinement_distance(a, b).remap).matrix
        assert (made[:, :5] <= b.exact().matrix).all()


def test_what_is_too_large_is_refused() -> None:
    many = Channel.no_interference(2, Distribution.uniform(1024))
    with pytest.raises(TooLarge, match="1,024 outputs"):
        refinement_distance(many, many)
