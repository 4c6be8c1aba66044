"""Tumult Analytics: what a privacy budget promises. The package is ``tmlt.analytics``."""

from fractions import Fraction
from typing import Any

from leaktight.adapters.claims import claimed, exactly, pure_or_nothing
from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput

PACKAGE = "tmlt.analytics"


def from_tumult(budget: Any) -> PrivacyCurve:
    """Return what a budget of Tumult Analytics promises: pure ε, (ε, δ) or ρ-zCDP.

    :param budget: a ``PureDPBudget``, ``ApproxDPBudget`` or ``RhoZCDPBudget``.
    :raises InvalidInput: if it is none of them.

    Tumult's numbers are exact, and are taken so. Its protected change says who is a neighbour:
    ``AddOneRow`` and ``AddMaxRows`` are "add/remove".

    ::

        lt.curves.best_guess(lt.adapters.from_tumult(PureDPBudget(1)), values=6,
                             neighbours="add/remove")
    """
    kind = type(budget).__name__
    if kind not in ("PureDPBudget", "ApproxDPBudget", "RhoZCDPBudget"):
        raise InvalidInput(f"expected a budget of Tumult Analytics, got {kind}")
    if budget.is_infinite:
        return claimed(PrivacyCurve.pairs([(0, 1)]), "an infinite budget", PACKAGE)
    if kind == "PureDPBudget":
        return claimed(pure_or_nothing(_exact(budget.value)), f"ε = {budget.epsilon}", PACKAGE)
    if kind == "RhoZCDPBudget":
        rho = exactly(_exact(budget.value), "ρ")
        return claimed(PrivacyCurve.zcdp(rho), f"ρ = {budget.rho} (zCDP)", PACKAGE)
    epsilon, delta = map(_exact, budget.value)
    said = f"ε = {budget.epsilon}, δ = {budget.delta}"
    return claimed(pure_or_nothing(epsilon, delta), said, PACKAGE)


def _exact(number: Any) -> Fraction:
    """Return an ``ExactNumber`` as a fraction, rounded up if it is not rational."""
    expression = number.expr
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    return exactly(float(number.to_float(round_up=True)), "a budget")
