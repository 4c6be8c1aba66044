"""Discrete Gaussian noise: P(k) ∝ e^(−k²/(2σ²)) on the whole numbers, drawn exactly.

It keeps ρ = Δ²/(2σ²) of zero-concentrated privacy (Theorem 4 of [Canonne2020]_), and no ε at all:
P(k)/P(k − Δ) grows without end. Its probabilities are irrational, and come between two rationals.
"""

import math
from fractions import Fraction

import numpy as np
from attrs import frozen
from flint import arb, fmpq

from leaktight.channels.additive_noise import UnboundedNoise
from leaktight.channels.channel import Channel
from leaktight.curves import PrivacyCurve
from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.rounding import precision
from leaktight.exact.shown import shown
from leaktight.limits import allowed
from leaktight.mechanisms.line import read_sensitivity
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.mechanisms.registry import Key, construction
from leaktight.mechanisms.release import gaussian_noise

BITS = 128
"""How exactly probabilities are enclosed."""

MOST_TERMS = 2**16
"""The most probabilities that are added up."""


@construction(
    "discrete gaussian",
    "numbers",
    Key("rho", "number", "ρ of zCDP that it keeps; it has no ε"),
    Key("variance", "number", "σ², instead of `rho`"),
)
@frozen(init=False, repr=False)
class DiscreteGaussian(Mechanism, UnboundedNoise):
    """Discrete Gaussian noise for answers of some ``sensitivity`` Δ.

    - ``rho``: ρ of zCDP that it keeps between answers that differ by at most Δ; or
    - ``variance``: σ², the number in the exponent; the noise has just about this variance.
    - ``sensitivity``: how far apart the answers of neighbours are, a whole number.

    >>> noise = DiscreteGaussian(rho="1/8", sensitivity=3)
    >>> noise.variance, noise.promise
    (Fraction(36, 1), PrivacyCurve(ρ = 0.125 (zCDP)))
    >>> low, high = noise.pmf_interval(0)
    >>> round(float(low), 6), high - low < Fraction(1, 10**30)
    (0.06649, True)
    """

    variance: Fraction
    sensitivity: int

    def __init__(
        self,
        rho: Number | None = None,
        variance: Number | None = None,
        sensitivity: int = 1,
    ) -> None:
        given = rho if variance is None else variance
        if given is None or (rho is not None and variance is not None):
            raise InvalidInput("discrete Gaussian noise needs rho or variance, one of them")
        number, steps = fraction(as_printed(given)), read_sensitivity(sensitivity)
        if number <= 0:
            which = "rho" if variance is None else "variance"
            raise InvalidNumber(f"{which} must be above 0, got {given}")
        self.__attrs_init__(steps**2 / (2 * number) if variance is None else number, steps)

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"discrete Gaussian noise, σ² = {shown(self.variance)}"

    def __repr__(self) -> str:
        return f"DiscreteGaussian({self.name}: {self.promise})"

    # --- what it promises ---

    @property
    def rho(self) -> Fraction:
        """ρ = Δ²/(2σ²)."""
        return self.sensitivity**2 / (2 * self.variance)

    @property
    def promise(self) -> PrivacyCurve:
        """ρ-zCDP, for answers that differ by at most the sensitivity."""
        return PrivacyCurve.zcdp(self.rho)

    @property
    def guarantee(self) -> Guarantee:
        """ρ-zCDP, and none of ε: whatever the ratio, some output far out exceeds it."""
        whose = f"answers that differ by at most {self.sensitivity}"
        return Guarantee(self.promise, whose, lambda: whose)

    def shift_ratio(self, shift: int) -> Fraction | float:
        """Return ∞: P(k)/P(k − s) = e^((s² − 2ks)/(2σ²)) grows without end as −k·s does."""
        return math.inf if shift else Fraction(1)

    @property
    def worst_output(self) -> str:
        """Nowhere: the farther out, the more it tells."""
        return "ever farther out, without end"

    def output_beyond(self, ratio: Number, shift: int) -> int:
        """Return an output k with P(k)/P(k − shift) above a ratio: where no such promise holds.

        >>> DiscreteGaussian(variance=4).output_beyond(100, shift=1)
        -18
        """
        if not shift:
            raise InvalidInput("answers that are the same are never told apart")
        with precision(BITS):
            needed = arb(rational(ratio)).log() * 2 * rational(self.variance) - shift**2
            steps = int((needed.upper().fmpq() / (2 * abs(shift))).floor()) + 1
        return -steps if shift > 0 else steps

    # --- the probabilities ---

    @property
    def channel(self) -> Channel:
        """Not finite, and not rational."""
        raise TooLarge(
            "discrete Gaussian noise has infinitely many outputs, each of which tells something "
            "else, and irrational probabilities; pmf_interval encloses them"
        )

    def truncated(self, least: int, most: int) -> Channel:
        """Not rational."""
        return self.channel

    def pmf_interval(self, k: int) -> tuple[Fraction, Fraction]:
        """Return two rationals between which P(k) lies."""
        with precision(BITS + 64):
            return _ends(self._weight(k) / self._total())

    def tail_interval(self, k: int) -> tuple[Fraction, Fraction]:
        """Return two rationals between which the chance of ``k`` or more lies."""
        if k <= 0:
            low, high = self.tail_interval(1 - k)
            return 1 - high, 1 - low
        if k > allowed(MOST_TERMS):
            raise TooLarge(f"at most {allowed(MOST_TERMS):,} probabilities are added up, got {k:,}")
        with precision(BITS + 64):
            total = self._total()
            below = sum((self._weight(i) for i in range(1, k)), self._weight(0) / 2)
            low, high = _ends(arb(fmpq(1, 2)) - below / total)
        return max(low, Fraction(0)), high

    def pmf(self, k: int) -> Fraction:
        """Not rational: see :meth:`pmf_interval`."""
        raise InvalidInput("the probabilities are irrational; pmf_interval encloses them")

    def tail(self, k: int) -> Fraction:
        """Not rational: see :meth:`tail_interval`."""
        raise InvalidInput("the probabilities are irrational; tail_interval encloses them")

    def _weight(self, k: int) -> arb:
        return (-arb(k * k / rational(2 * self.variance))).exp()

    def _total(self) -> arb:
        """Enclose Σ_k e^(−k²/(2σ²)) = √(2πσ²)·Σ_k e^(−2π²σ²k²), by Poisson's summation formula.

        Of either sum, with q = e^(−1/(2σ²)) or e^(−2π²σ²), the terms beyond m are at most
        2·q^(m²)/(1 − q^m) together, since k² ≥ m² + (k − m)·m.
        """
        spread = rational(2 * self.variance)
        if self.variance < 1:
            return _theta((-1 / arb(spread)).exp())
        pi = arb.pi()
        return (pi * arb(spread)).sqrt() * _theta((-(pi**2) * arb(spread)).exp())

    @property
    def is_unimodal(self) -> bool:
        """e^(−k²/(2σ²)) falls with |k|."""
        return True

    def shift_distance(self, gap: int) -> Fraction:
        """Return just above the total variation distance from the same noise, shifted."""
        below, above = (self.tail_interval(k)[0] for k in (gap // 2 + 1, gap - gap // 2))
        return 1 - below - above

    @property
    def mean_size(self) -> Fraction:
        """Just above Σ_k |k|·P(k).

        The terms beyond m ≥ σ fall, and are no more than ∫ x·e^(−x²/(2σ²)) = σ²·e^(−m²/(2σ²)).
        """
        most = 16 * (math.isqrt(int(self.variance)) + 1)
        if most > allowed(MOST_TERMS):
            raise TooLarge(
                f"at most {allowed(MOST_TERMS):,} probabilities are added up, got {most:,}"
            )
        with precision(BITS + 64):
            sizes = sum((k * self._weight(k) for k in range(1, most + 1)), arb(0))
            rest = rational(self.variance) * self._weight(most)
            return _ends(2 * (sizes + rest) / self._total())[1]

    # --- draws ---

    def draw(self, size: int, rng: np.random.Generator | None = None) -> list[int]:
        """Draw so many integers, exactly and independently.

        Nothing is rounded; the proof is in docs/proofs/sampling.md. Random bits come from the
        operating system; for tests, ``rng`` may be a numpy generator.

        >>> found = DiscreteGaussian(variance=100).draw(1000, np.random.default_rng(7))
        >>> sum(abs(k) <= 10 for k in found) // 100  # tenths; 70.6%
        7
        """
        return gaussian_noise(size, self.variance, rng)


def _theta(q: arb) -> arb:
    """Enclose 1 + 2·Σ_{k≥1} q^(k²) for 0 < q ≤ e^(−1/2)."""
    found, k = arb(1), 1
    while not (rest := 2 * q ** (k * k) / (1 - q**k)) < arb(2) ** -(BITS + 64):
        found += 2 * q ** (k * k)
        k += 1
    return found + rest.union(arb(0))


def _ends(ball: arb) -> tuple[Fraction, Fraction]:
    return fraction(ball.lower().fmpq()), fraction(ball.upper().fmpq())
