"""Budgets, and what is left of them: in ε, in ρ of zCDP, or in ε and δ."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import float_above, float_below, ln, outward, precision
from leaktight.exact.shown import above, below, shown
from leaktight.tables.measure import CONCENTRATED, PURE, Lost, Measure, epsilon_above, rho_below

CRUMB = 2.0**-20
"""Of ε that is left, less than this is called none; of ρ, its square."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that any secret pair may lose by all releases together.

    It is a rational ratio λ, a rational ε, or a rational ρ of zCDP. If it is an ε, e^ε is no
    rational number (but for ε = 0), so that it is always decided, by logarithms that are enclosed
    tightly enough, on which side of it a product of rationals lies. An ε with a δ is kept as a ρ
    that implies them.

    >>> third = Budget.of(epsilon="1/3")
    >>> third.allows(Powers.of((Fraction(4, 3), 1))), third.allows(Powers.of((Fraction(7, 5), 1)))
    (True, False)
    >>> Budget.of(ratio=8).allows(Powers.of((Fraction(2), 3)))
    True
    >>> Budget.of(rho="1/2").allows(Fraction(1, 2)), str(Budget.of(rho="1/2"))
    (True, 'rho = 1/2')
    >>> Budget.of(epsilon=3, delta="1e-6").told()
    'ε = 3, δ = 1/1000000, by ρ ≤ 0.185069'
    """

    ratio: Fraction | None
    epsilon: Fraction | None
    rho: Fraction | None = None
    delta: Fraction | None = None

    @classmethod
    def of(
        cls,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
    ) -> "Budget":
        """Read it from ``ratio``, ``epsilon``, ``rho``, or ``epsilon`` and ``delta``.

        ε is a number, or such as ``"ln 2"``.
        """
        if rho is not None:
            if ratio is not None or epsilon is not None or delta is not None:
                raise InvalidNumber(
                    "a budget is in rho, or in epsilon, perhaps with delta: not both"
                )
            return cls(None, None, read_rho(rho))
        if delta is not None:
            if epsilon is None or ratio is not None:
                raise InvalidNumber("a budget with delta needs epsilon, and no ratio")
            amount, chance = read_epsilon_delta(epsilon, delta)
            return cls(None, amount, rho_below(amount, chance), chance)
        read = Ratio.of(ratio, epsilon)
        if read.upper == 1:
            raise InvalidNumber("a budget needs an ε above 0: with ε = 0 nothing can be released")
        if read.is_exact:
            return cls(read.lower, None)
        if epsilon is None:
            raise InvalidNumber(
                "a budget must be known exactly: give epsilon=, or a rational ratio="
            )
        return cls(None, fraction(as_printed(epsilon)))

    @classmethod
    def read(cls, text: str) -> "Budget":
        """Return what ``str`` wrote."""
        if "=" in text:  # in ρ, which earlier versions cannot read, and must not
            parts = dict(part.split(" = ") for part in text.split(", "))
            exact = {name: fraction(rational(number)) for name, number in parts.items()}
            return cls(None, exact.get("epsilon"), exact["rho"], exact.get("delta"))
        name, _, number = text.partition(" ")
        given = fraction(rational(number))
        return cls(given, None) if name == "ratio" else cls(None, given)

    @property
    def measure(self) -> Measure:
        """In what losses are added up."""
        return PURE if self.rho is None else CONCENTRATED

    def allows(self, spent: Lost) -> bool:
        """Say, exactly, whether so much may be spent."""
        if self.rho is not None:
            assert isinstance(spent, Fraction)
            return spent <= self.rho
        assert isinstance(spent, Powers)
        if self.ratio is not None:
            return spent <= self.ratio
        bits = 128
        while True:
            with precision(bits):
                left = arb(rational(self.epsilon)) - _logarithm(spent)
                if left > 0 or left < 0:
                    return bool(left > 0)
            bits *= 2

    def left(self, spent: Lost) -> float:
        """Return the ε or ρ that is left, rounded down, and never below 0."""
        if self.rho is not None:
            assert isinstance(spent, Fraction)
            return max(0.0, float_below(rational(self.rho - spent)))
        assert isinstance(spent, Powers)
        low, _ = outward(lambda: self._ln() - _logarithm(spent))
        return max(0.0, low)

    @property
    def near(self) -> float:
        """ε or ρ, rounded to the nearest."""
        if self.rho is not None:
            return float(self.rho)
        return ln(self.ratio) if self.ratio is not None else float(self.epsilon or 0)

    def _ln(self) -> arb:
        if self.ratio is not None:
            return arb(rational(self.ratio)).log()
        return arb(rational(self.epsilon))

    def __str__(self) -> str:
        if self.rho is None:
            name, number = (
                ("epsilon", self.epsilon) if self.ratio is None else ("ratio", self.ratio)
            )
            return f"{name} {rational(number)}"
        told = [("epsilon", self.epsilon), ("delta", self.delta), ("rho", self.rho)]
        return ", ".join(f"{name} = {rational(n)}" for name, n in told if n is not None)

    def told(self) -> str:
        """Say it as a person reads it."""
        if self.rho is not None:
            if self.delta is None:
                return f"ρ = {shown(self.rho)}"
            limit = below(float_below(rational(self.rho)))
            return f"ε = {shown(self.epsilon)}, δ = {shown(self.delta)}, by ρ ≤ {limit}"
        return f"ε = {f'ln {shown(self.ratio)}' if self.ratio is not None else shown(self.epsilon)}"


def read_rho(rho: Number) -> Fraction:
    """Return a ρ, exactly as it is written."""
    exact = fraction(as_printed(rho))
    if not exact > 0:
        raise InvalidNumber(f"rho must be above 0, got {rho}")
    return exact


def read_epsilon_delta(epsilon: Number, delta: Number) -> tuple[Fraction, Fraction]:
    """Return an ε and a δ, exactly as they are written."""
    amount, chance = fraction(as_printed(epsilon)), fraction(as_printed(delta))
    if not amount > 0:
        raise InvalidNumber(f"epsilon must be above 0, got {epsilon}")
    if not 0 < chance < 1:
        raise InvalidNumber(f"delta must be between 0 and 1, got {delta}")
    return amount, chance


def _logarithm(number: Powers) -> arb:
    return sum((e * arb(rational(base)).log() for base, e in number.factors), start=arb(0))


def told_lost(lost: Lost) -> str:
    """Return an ε or a ρ with its sign, rounded up, as a person reads it."""
    if isinstance(lost, Powers):
        return f"ε ≤ {told_epsilon(lost)}"
    return f"ρ ≤ {above(amount_above(lost))}"


USUAL_DELTA = Fraction(1, 10**6)
"""The δ for which the ε of a ρ is told if nothing else is said."""


def told_approximate(rho: Fraction, delta: Fraction | None = None) -> str:
    """Return what a ρ means in ε and δ.

    >>> told_approximate(Fraction(1, 8), Fraction(1, 1000))
    '(ε ≤ 1.5461, δ = 0.001)'
    """
    chance = delta or USUAL_DELTA
    return f"(ε ≤ {above(epsilon_above(rho, chance))}, δ = {float(chance):g})"


def amount_above(lost: Lost) -> float:
    """Return an ε or a ρ, rounded up."""
    return max(0.0, lost.nats) if isinstance(lost, Powers) else float_above(rational(lost))


def promised(lost: Lost) -> str:
    """Return what is promised at a cost, as the end of a sentence about neighbours."""
    if isinstance(lost, Powers):
        return f"no outcome becomes more than e^ε times as likely, {told_lost(lost)}"
    return (
        f"outcomes differ by no more than zero-concentrated privacy (zCDP) with {told_lost(lost)} "
        f"allows, which is {told_approximate(lost)}"
    )


def lost_to_dict(lost: Lost) -> dict[str, Any]:
    """Return a cost as JSON has it: exactly, as text, and rounded up."""
    if isinstance(lost, Powers):
        return {"ratio": str(lost), "epsilon": max(0.0, lost.nats)}
    return {
        "rho": str(rational(lost)),
        "epsilon": epsilon_above(lost, USUAL_DELTA),
        "delta": float(USUAL_DELTA),
    }


def told_epsilon(ratio: Powers) -> str:
    """Return the ε of a ratio, rounded up, as a person reads it."""
    return above(max(0.0, ratio.nats))


def told_left(left: float, measure: Measure = PURE) -> str:
    """Return what is left, rounded down, as a person reads it; a crumb buys nothing.

    >>> told_left(1 / 3), told_left(1.031e-19)
    ('ε = 0.333333', 'ε = 0')
    """
    crumb = CRUMB if measure is PURE else CRUMB**2
    return f"{measure.symbol} = {below(left) if left >= crumb else '0'}"
