"""Promises beside riskcal, dp_accounting and OpenDP: the same numbers, or tighter ones.

``python -m benchmarks.peers.promises`` draws 200 promises and prints a table. Where a peer's number
is exact, ours must enclose it; where it is a bound, ours must not be above it, and how far below is
printed. ``docs/results.md`` has the table.
"""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from leaktight.curves import PrivacyCurve, best_guess

PROMISES = 200
FLOATS = 1e-7
"""How far a peer that computes in floats, or by roots, may be off."""


NEARLY = 1e-4
"""A bound that is above ours by so little counts as the same."""

LEAST = 1e-9
"""Below this, numbers are compared but no ratio is taken: floats have no digits there."""


@dataclass
class Row:
    """What was compared: how often, and how far a peer's bound is above ours."""

    what: str
    peer: str
    exact: bool
    """Whether the peer's number is meant to be exact."""
    above: list[float] = field(default_factory=list)
    """Theirs over ours, less 1."""

    def add(self, low: float, high: float, theirs: float) -> None:
        """Compare our ends with a peer's number."""
        slack = FLOATS * max(1.0, abs(theirs))
        assert low <= theirs + slack, (self, low, theirs)
        if self.exact:
            assert theirs <= high + slack, (self, high, theirs)
        self.above.append(theirs / high - 1 if high > LEAST else 0.0)

    def __str__(self) -> str:
        most, mean = max(self.above), sum(self.above) / len(self.above)
        size = f"{100 * mean:.2g}% above ours on average, {100 * most:.2g}% at most"
        same = most < NEARLY
        kind = "exact" if self.exact else "a bound"
        size = "the same" if self.exact or same else size
        return f"| {self.what} | {self.peer} | {len(self.above)} | {kind} | {size} |"


def ends(found: Any) -> tuple[float, float]:
    """Return both ends as floats."""
    return float(found.lower), float(found.upper)


def drawn(count: int = PROMISES) -> Iterator[tuple[str, Any]]:
    """Yield promises: (ε, δ), μ, ρ and Laplace noise."""
    draw = random.Random(0)
    for k in range(count):
        match k % 4:
            case 0:
                delta = draw.choice(["0", "1e-6", "1e-3", "0.1"])
                yield "(ε, δ)", (f"{draw.randint(1, 400)}/100", delta)
            case 1:
                yield "μ", f"{draw.randint(5, 300)}/100"
            case 2:
                yield "ρ", f"{draw.randint(1, 300)}/100"
            case _:
                yield "Laplace", f"{draw.randint(5, 300)}/100"


def compared() -> list[Row]:
    """Compare all of them."""
    from dp_accounting.pld import privacy_loss_distribution as pld
    from riskcal import analysis

    rows = dict[tuple[str, str, bool], Row]()

    def row(what: str, peer: str, exact: bool) -> Row:
        return rows.setdefault((what, peer, exact), Row(what, peer, exact))

    draw, to_delta = random.Random(1), _opendp()
    beta: Callable[[float], Any]
    for kind, number in drawn():
        alpha, epsilon = draw.randint(1, 60) / 100, draw.randint(0, 30) / 10
        values = draw.choice([2, 3, 6, 20])
        if kind == "(ε, δ)":
            size, delta = float(Fraction(number[0])), float(number[1])
            curve = PrivacyCurve.epsilon_delta(*number)
            advantage = analysis.get_advantage_from_adp(size, delta)
            row("advantage of (ε, δ)", "riskcal", True).add(*ends(curve.advantage), advantage)
            beta = partial(analysis.get_beta_from_adp, size, delta)
            row("β(α) of (ε, δ)", "riskcal", True).add(
                *ends(_beta(curve, alpha)), float(beta(alpha))
            )
        elif kind == "μ":
            mu = float(Fraction(number))
            curve = PrivacyCurve.gaussian(number)
            advantage = analysis.get_advantage_from_gdp(mu)
            row("advantage of μ", "riskcal", True).add(*ends(curve.advantage), float(advantage))
            beta = partial(analysis.get_beta_from_gdp, mu)
            row("β(α) of μ", "riskcal", True).add(*ends(_beta(curve, alpha)), float(beta(alpha)))
            noise = pld.from_gaussian_mechanism(1 / mu)
            told = noise.get_delta_for_epsilon(epsilon)
            row("δ(ε) of μ", "dp_accounting", False).add(*ends(_delta(curve, epsilon)), told)
        elif kind == "ρ":
            rho = float(Fraction(number))
            curve = PrivacyCurve.zcdp(number)
            advantage = analysis.get_advantage_from_zcdp(rho)
            row("advantage of ρ", "riskcal", False).add(*ends(curve.advantage), float(advantage))
            beta = partial(analysis.get_beta_from_zcdp, rho)
            found = curve.beta(Fraction(str(alpha)))  # a larger β is the better bound here
            theirs = float(beta(alpha))
            row("1 − β(α) of ρ", "riskcal", False).add(
                1 - float(found.upper), 1 - float(found.lower), 1 - theirs
            )
            row("δ(ε) of ρ", "OpenDP", False).add(
                *ends(_delta(curve, epsilon + rho)), to_delta(rho, epsilon + rho)
            )
        else:
            size = float(Fraction(number))
            curve = PrivacyCurve.laplace(number)
            noise = pld.from_laplace_mechanism(1 / size)
            told = noise.get_delta_for_epsilon(epsilon)
            row("δ(ε) of Laplace", "dp_accounting", False).add(*ends(_delta(curve, epsilon)), told)
            beta = partial(analysis.get_beta_from_pld, noise)
            low, high = ends(_beta(curve, alpha))
            told = 1 - float(beta(alpha))
            row("1 − β(α) of Laplace", "riskcal", False).add(1 - high, 1 - low, told)
        # riskcal's rule for one of v values is 1 − f(1/v), which is that of add/remove
        rule = 1 - float(beta(1 / values))
        removed = best_guess(curve, values, neighbours="add/remove")
        exact = kind in ("(ε, δ)", "μ")
        row(f"one of v values, add/remove, {kind}", "riskcal", exact).add(*ends(removed), rule)
        replaced = best_guess(curve, values)
        row(f"one of v values, replace, {kind}", "riskcal", False).add(*ends(replaced), rule)
    return list(rows.values())


def _beta(curve: PrivacyCurve, alpha: float) -> Any:
    return curve.beta(Fraction(str(alpha)))


def _delta(curve: PrivacyCurve, epsilon: float) -> Any:
    return curve.delta(Fraction(str(epsilon)))


def _opendp() -> Callable[[float, float], float]:
    """Return OpenDP's δ of ρ at ε."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def delta(rho: float, epsilon: float) -> float:
        noise = dp.m.make_gaussian(*space, scale=math.sqrt(1 / (2 * rho)))
        profile = dp.c.make_zCDP_to_approxDP(noise).map(1.0)
        return float(profile.delta(epsilon))

    return delta


def main() -> None:
    """Print the table."""
    print(
        "| what | peer | promises | theirs is | by |", "| --- | --- | --- | --- | --- |", sep="\n"
    )
    for row in compared():
        print(row)


if __name__ == "__main__":
    main()
