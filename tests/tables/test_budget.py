"""Budgets and what pairs have paid: exact numbers decide."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidNumber
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.tables.accountant import Accountant
from leaktight.tables.budget import Budget
from tests.strategies.fractions import fractions

STEPS = fractions(1, 3, max_denominator=50).filter(lambda step: step > 1)
Releases = list[tuple[list[Fraction], list[int]]]
"""The steps of releases of the same weights, and what each pair is apart in these."""
PAID = st.lists(
    st.tuples(
        st.lists(STEPS, min_size=1, max_size=3),
        st.lists(st.integers(0, 5), min_size=4, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


def products(paid: Releases) -> list[Fraction]:
    found = [Fraction(1)] * 4
    for steps, exponents in paid:
        for step in steps:
            found = [ratio * step**e for ratio, e in zip(found, exponents, strict=True)]
    return found


@pytest.mark.parametrize("at_once", [2**23, 8, 1])
@given(PAID, st.integers(-1, 1))
def test_whether_all_pairs_are_within_a_budget_is_decided_exactly(
    at_once: int, paid: Releases, beyond: int
) -> None:
    truth = products(paid)
    costs = [(tuple((step, 1) for step in steps), np.array(e)) for steps, e in paid]
    spent = Accountant.of(4, costs)
    with patch("leaktight.tables.accountant.MOST_AT_ONCE", at_once):
        assert [spent.lost(i) for i in range(4)] == truth
        assert truth[spent.worst or 0] == max(truth)
        kinds = {i: lost for alike, lost in spent.kinds(np.arange(4)) for i in alike}
        assert kinds == dict(enumerate(truth))
        limit = max(truth) + Fraction(beyond, 10**40)  # far below what floats tell apart
        if limit > 1:
            assert spent.within(Budget.of(ratio=limit)) == (max(truth) <= limit)


@given(st.fractions(Fraction(1, 100), 20, max_denominator=100))
def test_an_epsilon_is_decided_on_both_sides_of_its_irrational_ratio(epsilon: Fraction) -> None:
    budget, around = Budget.of(epsilon=epsilon), Ratio.of(epsilon=epsilon)
    assert budget.allows(Powers.of((around.lower, 1)))
    assert not budget.allows(Powers.of((around.upper, 1)))


def test_budgets_are_written_and_read_again() -> None:
    for budget in (Budget.of(ratio="3/2"), Budget.of(epsilon="0.1"), Budget.of(epsilon="ln 2")):
        assert Budget.read(str(budget)) == budget
    assert Budget.of(epsilon=0.1).epsilon == Fraction(1, 10)
    assert Budget.of(epsilon="ln 2").told() == "ε = ln 2"


def test_what_is_left_is_rounded_down_and_never_negative() -> None:
    budget = Budget.of(ratio=8)
    assert budget.left(Powers.of((2, 3))) == 0
    assert budget.left(Powers.of((2, 9))) == 0
    assert 0.6931471 < budget.left(Powers.of((2, 2))) <= 0.6931471805599453


def test_a_budget_of_nothing_is_refused() -> None:
    for wrong in ({"epsilon": 0}, {"ratio": 1}):
        with pytest.raises(InvalidNumber, match="above 0"):
            Budget.of(**wrong)


def test_without_secret_pairs_everything_is_within() -> None:
    nothing = Accountant.of(0, [(((Fraction(2), 1),), np.zeros(0, dtype=np.int64))])
    assert nothing.within(Budget.of(ratio=2))
    assert nothing.worst is None
