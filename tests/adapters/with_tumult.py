"""The adapter with the real Tumult Analytics, which wants an older numpy: ``make test-tumult``."""

import math
import random
from fractions import Fraction

import pytest
from tmlt.analytics import ApproxDPBudget, PureDPBudget, RhoZCDPBudget

from leaktight.adapters import from_tumult
from leaktight.curves import PrivacyCurve
from leaktight.errors import InvalidInput
from tests.adapters.how_to import printed_and_promised

RANDOM = random.Random(9)
DRAWN = [10 ** RANDOM.uniform(-3, 1.2) for _ in range(100)]


@pytest.mark.parametrize("number", [0, 1, 2, 0.1, 0.3, 1e-9, 2.63, *DRAWN])
def test_budgets_are_read_exactly(number: float) -> None:
    """Tumult takes a float as what it is, to the last digit."""
    exact = Fraction(number)
    assert from_tumult(PureDPBudget(number)) == PrivacyCurve.epsilon(exact)
    assert from_tumult(RhoZCDPBudget(number)) == PrivacyCurve.zcdp(exact)
    both = from_tumult(ApproxDPBudget(number, 0.01))
    assert both == PrivacyCurve.epsilon_delta(exact, Fraction(0.01))


@pytest.mark.parametrize("number", DRAWN)
def test_what_follows_is_never_on_the_unsafe_side(number: float) -> None:
    """δ(ε), ε(δ) and β(α) of pure and (ε, δ)-budgets by their closed forms, from the safe side."""
    delta = RANDOM.choice([0.0, 1e-6, 0.01])
    budget = ApproxDPBudget(number, delta) if delta else PureDPBudget(number)
    curve = from_tumult(budget)
    ratio = math.exp(number)
    for share in (0.0, 0.5, 0.9):
        # g(a) = min(λa + δ, 1 − (1 − δ − a)/λ) has its corner at a = (1 − δ)/(1 + λ).
        asked = share * number
        true = ((ratio - math.exp(asked)) * (1 - delta)) / (1 + ratio) + delta
        found = curve.delta(Fraction(asked))
        assert true * (1 - 1e-12) <= float(found.upper) <= true * (1 + 1e-6) + 1e-12
    assert float(curve.epsilon_at(Fraction(delta)).upper) >= number * (1 - 1e-15)
    assert float(curve.epsilon_at(Fraction(delta)).upper) == pytest.approx(number, rel=1e-9)
    for alpha in (0.001, 0.1, 0.4):
        true = max(1 - delta - ratio * alpha, (1 - delta - alpha) / ratio, 0)
        found = curve.beta(Fraction(alpha))
        assert float(found.lower) <= true * (1 + 1e-12) + 1e-15
        assert float(found.lower) == pytest.approx(true, rel=1e-6, abs=1e-9)


def test_sums_and_shares_of_budgets_are_budgets() -> None:
    third = from_tumult(PureDPBudget(1) / 3)
    assert Fraction(1 / 3) <= Fraction(third.epsilon_at(0).upper)
    assert "as claimed by tmlt.analytics 0." in str(third)


def test_an_infinite_budget_promises_nothing() -> None:
    for budget in (PureDPBudget.inf(), ApproxDPBudget.inf(), RhoZCDPBudget.inf()):
        assert from_tumult(budget).advantage.upper == 1
    with pytest.raises(InvalidInput, match="expected a budget"):
        from_tumult(1.0)


def test_the_how_to_prints_what_it_says() -> None:
    printed, promised = printed_and_promised("Tumult Analytics")
    assert printed == promised
