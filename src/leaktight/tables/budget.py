"""How much may be spent, what does a release cost, and how much is left?"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import ln, outward, precision
from leaktight.exact.shown import above, below, shown
from leaktight.tables.weights import Places, Weights

CRUMB = 2.0**-20
"""Of ε that is left, less than this is called none."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The largest ratio that any secret pair may have after all releases together.

    It is a rational ratio λ, or a rational ε. Then e^ε is no rational number (but for ε = 0), so
    that it is always decided, by logarithms that are enclosed tightly enough, on which side of it
    a product of rationals lies.

    >>> third = Budget.of(epsilon="1/3")
    >>> third.allows(Powers.of((Fraction(4, 3), 1))), third.allows(Powers.of((Fraction(7, 5), 1)))
    (True, False)
    >>> Budget.of(ratio=8).allows(Powers.of((Fraction(2), 3)))
    True
    """

    ratio: Fraction | None
    epsilon: Fraction | None

    @classmethod
    def of(cls, ratio: RatioLike = None, epsilon: Number | None = None) -> "Budget":
        """Read it from ``ratio``, or from ``epsilon``: a number, or such as ``"ln 2"``."""
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
        name, _, number = text.partition(" ")
        exact = fraction(rational(number))
        return cls(exact, None) if name == "ratio" else cls(None, exact)

    def allows(self, spent: Powers) -> bool:
        """Say, exactly, whether so much may be spent."""
        if self.ratio is not None:
            return spent <= self.ratio
        assert self.epsilon is not None
        bits = 128
        while True:
            with precision(bits):
                left = arb(rational(self.epsilon)) - _logarithm(spent)
                if left > 0 or left < 0:
                    return bool(left > 0)
            bits *= 2

    def left(self, spent: Powers) -> float:
        """Return the ε that is left, rounded down, and never below 0."""
        low, _ = outward(lambda: self._ln() - _logarithm(spent))
        return max(0.0, low)

    @property
    def nats(self) -> float:
        """ε, rounded to the nearest."""
        return ln(self.ratio) if self.ratio is not None else float(self.epsilon or 0)

    def _ln(self) -> arb:
        if self.ratio is not None:
            return arb(rational(self.ratio)).log()
        return arb(rational(self.epsilon))

    def __str__(self) -> str:
        name, number = ("epsilon", self.epsilon) if self.ratio is None else ("ratio", self.ratio)
        return f"{name} {rational(number)}"

    def told(self) -> str:
        """Say it as a person reads it."""
        return f"ε = {f'ln {shown(self.ratio)}' if self.ratio is not None else shown(self.epsilon)}"


def _logarithm(number: Powers) -> arb:
    return sum((e * arb(rational(base)).log() for base, e in number.factors), start=arb(0))


@dataclass(frozen=True, slots=True, eq=False)
class Paid:
    """What releases of the same weights cost, by whole numbers that depend on the pair.

    Geometric noise costs a pair the ratio r^e with e = Σ units·|W_u − W_v|. Gaussian noise costs it
    ρ·s of zCDP with s = Σ units·‖W_u − W_v‖², and no ratio: then r is 1.
    """

    steps: Powers
    """r: the step of a release or, of several, the product of their steps."""
    blocks: tuple[tuple[Weights, int], ...]
    """Each block of W, and its units."""
    rho: Fraction = Fraction(0)
    """ρ of Gaussian noise for s = 1, exactly; 0 if the noise is geometric."""

    def exponents(self, pairs: Places) -> Places:
        """Return e for each pair of values."""
        total = np.zeros(pairs.shape[:-1], dtype=np.int64)
        for weights, units in self.blocks:
            total += units * weights.distances(pairs)
        return total

    def squares(self, pairs: Places) -> Places:
        """Return s for each pair of values."""
        total = np.zeros(pairs.shape[:-1], dtype=np.int64)
        for weights, units in self.blocks:
            total += units * weights.squares(pairs)
        return total


def told_epsilon(ratio: Powers) -> str:
    """Return the ε of a ratio, rounded up, as a person reads it."""
    return above(max(0.0, ratio.nats))


def told_left(epsilon: float) -> str:
    """Return the ε that is left, rounded down, as a person reads it; a crumb buys nothing.

    >>> told_left(1 / 3), told_left(1.031e-19)
    ('0.333333', '0')
    """
    return below(epsilon) if epsilon >= CRUMB else "0"
