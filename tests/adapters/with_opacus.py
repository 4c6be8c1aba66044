"""The adapter with the real Opacus, which needs PyTorch: ``make test-opacus``."""

import math
import random
from fractions import Fraction

import pytest
from opacus.accountants import PRVAccountant, RDPAccountant
from opacus.accountants.gdp import GaussianAccountant

from leaktight.adapters import from_opacus
from leaktight.curves import PrivacyCurve
from leaktight.errors import InvalidInput
from tests.adapters.how_to import printed_and_promised

RUNS = [(1.0, 0.01, 100), (0.8, 0.05, 20), (4.0, 1.0, 10), (2.0, 0.2, 50)]
RANDOM = random.Random(4)
DRAWN = [
    (RANDOM.uniform(0.7, 6), 10 ** RANDOM.uniform(-3, -0.3), RANDOM.choice([1, 3, 10, 40, 200]))
    for _ in range(100)
]


@pytest.mark.parametrize(("noise", "rate", "steps"), RUNS)
def test_a_training_run_is_claimed_and_never_better_than_it_is(
    noise: float, rate: float, steps: int
) -> None:
    truth = PrivacyCurve.gaussian(1 / Fraction(noise)).subsampled(Fraction(rate)).power(steps)
    for accountant in (RDPAccountant(), PRVAccountant()):
        accountant.history = [(noise, rate, steps)]
        curve = from_opacus(accountant, deltas=(0.1, 1e-2, 1e-3, 1e-5))
        for delta in (1e-2, 1e-5):
            theirs = max(accountant.get_epsilon(delta=delta), 0)  # RDP's may be negative
            ours = curve.epsilon_at(delta)
            assert float(theirs) * 0.9 <= ours.upper <= float(theirs) + 1e-9
            assert truth.epsilon_at(delta).lower <= ours.upper
        assert f"by {type(accountant).__name__}, as claimed by opacus 1." in str(curve)


@pytest.mark.parametrize(("noise", "rate", "steps"), DRAWN)
def test_a_hundred_runs_are_read_on_the_safe_side(noise: float, rate: float, steps: int) -> None:
    """δ at each claimed ε, ε at each δ, and β by the claimed pairs; the truth is never above it."""
    accountant = RDPAccountant()
    accountant.history = [(noise, rate, steps)]
    deltas = (0.1, 1e-2, 1e-3, 1e-5)
    curve = from_opacus(accountant, deltas=deltas)
    claimed = [(max(float(accountant.get_epsilon(delta=d)), 0.0), d) for d in deltas]
    for epsilon, delta in claimed:
        assert curve.epsilon_at(delta).upper <= epsilon + 1e-9
        assert curve.delta(Fraction(epsilon)).upper <= Fraction(delta) * (1 + Fraction(1, 10**9))
    for alpha in (0.001, 0.05, 0.5):
        lines = [
            max(1 - d - math.exp(e) * alpha, math.exp(-e) * (1 - d - alpha), 0) for e, d in claimed
        ]
        assert float(curve.beta(Fraction(alpha)).lower) >= max(lines) - 1e-9
    if (noise, rate, steps) not in DRAWN[::5]:
        return  # the truth itself takes a second
    truth = PrivacyCurve.gaussian(1 / Fraction(noise)).subsampled(Fraction(rate)).power(steps)
    for epsilon, _ in claimed[1:3]:
        exact = truth.delta(Fraction(epsilon)).lower
        assert exact <= curve.delta(Fraction(epsilon)).upper
    assert curve.beta("0.05").lower <= truth.beta("0.05").upper


def test_a_limit_is_no_bound() -> None:
    accountant = GaussianAccountant()
    accountant.history = [(1.0, 0.01, 100)]
    with pytest.raises(InvalidInput, match="the ε of a limit"):
        from_opacus(accountant)
    with pytest.raises(InvalidInput, match="expected an accountant"):
        from_opacus(3)


def test_the_how_to_prints_what_it_says() -> None:
    printed, promised = printed_and_promised("Opacus")
    assert printed == promised
