"""The adapter with the real Tumult Analytics, which wants an older numpy: ``make test-tumult``."""

from fractions import Fraction

import pytest
from tmlt.analytics import ApproxDPBudget, PureDPBudget, RhoZCDPBudget

from leaktight.adapters import from_tumult
from leaktight.curves import PrivacyCurve
from leaktight.errors import InvalidInput
from tests.adapters.how_to import printed_and_promised


@pytest.mark.parametrize("number", [0, 1, 2, 0.1, 0.3, 1e-9, 2.63])
def test_budgets_are_read_exactly(number: float) -> None:
    """Tumult takes a float as what it is, to the last digit."""
    exact = Fraction(number)
    assert from_tumult(PureDPBudget(number)) == PrivacyCurve.epsilon(exact)
    assert from_tumult(RhoZCDPBudget(number)) == PrivacyCurve.zcdp(exact)
    both = from_tumult(ApproxDPBudget(number, 0.01))
    assert both == PrivacyCurve.epsilon_delta(exact, Fraction(0.01))


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
