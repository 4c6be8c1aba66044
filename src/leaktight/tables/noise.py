"""The noise of each block of a release, and how far from 0 it may be.

The numbers of a block all have noise of one kind and width, each drawn for itself. Geometric noise
whose probabilities fall by α per unit is k or more away from 0 with the chance 2α^k/(1 + α), and a
discrete Gaussian has P(k) ∝ e^(−k²/(2σ²)). Sums of several are in docs/proofs/tables.md.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Chance
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import ln, precision
from leaktight.mechanisms.discrete_gaussian import DiscreteGaussian
from leaktight.mechanisms.release import geometric_noise

BITS = 256
"""With so many bits a chance is enclosed."""

MORE_BITS = 1024
"""If they do not tell, with so many; after that, exactly."""

MOST_ADDED = 64
"""For σ up to this the chances of Gaussian noise are added up; beyond it, they are integrals."""


class BlockNoise(Hashable, Protocol):
    """The noise of each number of a block, drawn exactly and for it alone."""

    @property
    def variance(self) -> Fraction:
        """The expected square of one noise, or just above it."""

    def draw(self, size: int, rng: np.random.Generator | None = None) -> list[int]:
        """Draw so many; random bits come from the operating system unless ``rng`` is given."""

    def beyond(self, k: int, noises: int = 1) -> Chance[Fraction]:
        """Return the chance that the sum of so many is k or more away from 0, k ≥ 1."""

    def exceeds(self, k: int, noises: int, chance: fmpq) -> bool:
        """Say whether that chance is above another one; in doubt, yes."""

    def log_chances(self, at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return ln(P(k)/P(0)) for some numbers k: concave, symmetric, and falling from 0 on."""

    def to_dict(self) -> dict[str, str]:
        """What it is, exactly, as JSON has it."""

    def told(self) -> str:
        """What it is, in a few words."""


@dataclass(frozen=True, slots=True)
class GeometricStep:
    """Two-sided geometric noise: each unit further from 0 is 1/α = ``step`` times less likely.

    >>> noise = GeometricStep(Fraction(2))
    >>> noise.variance, noise.beyond(4).percent
    (Fraction(4, 1), '8.3%')
    """

    step: Fraction

    def __post_init__(self) -> None:
        if not self.step > 1:
            raise InvalidNumber(f"the step of geometric noise must be above 1, got {self.step}")

    @property
    def variance(self) -> Fraction:
        """2α/(1 − α)²."""
        return 2 * self.step / (self.step - 1) ** 2

    def draw(self, size: int, rng: np.random.Generator | None = None) -> list[int]:
        """Draw so many."""
        return list(map(int, geometric_noise(size, ratio=self.step, rng=rng).tolist()))

    def beyond(self, k: int, noises: int = 1) -> Chance[Fraction]:
        """Return the chance that the sum of so many is k or more away from 0, k ≥ 1."""
        return _chance(lambda: self._beyond(arb(rational(1 / self.step)), k, noises))

    def exceeds(self, k: int, noises: int, chance: fmpq) -> bool:
        """Say, exactly, whether the chance is above another one."""
        alpha = rational(1 / self.step)
        for bits in (BITS, MORE_BITS):
            with precision(bits):
                gap = self._beyond(arb(alpha), k, noises) - arb(chance)
                if gap > 0 or gap < 0:
                    return bool(gap > 0)
        return bool(self._beyond(alpha, k, noises) > chance)

    @staticmethod
    def _beyond(alpha: Any, k: int, noises: int) -> Any:
        """Return 2·Σ_{d≥k} P(d), by sums T(m) of C(n−1+d, m)·α^d over d ≥ k."""
        n, square = noises, alpha * alpha
        sums = [alpha**k / (1 - alpha)]
        for m in range(1, n):
            sums.append((math.comb(n - 1 + k, m) * alpha**k + alpha * sums[-1]) / (1 - alpha))
        total, weight = 0 * alpha, 1 / (1 - square) ** n
        for i in range(n):
            total += math.comb(n - 1 + i, i) * weight * sums[n - 1 - i]
            weight *= square / (1 - square)
        return 2 * (1 - alpha) ** (2 * n) * total

    def log_chances(self, at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return −|k|·ln(1/α)."""
        return -np.abs(at) * ln(self.step)

    def to_dict(self) -> dict[str, str]:
        """What it is, exactly, as JSON has it."""
        return {"alpha": str(1 / rational(self.step))}

    def told(self) -> str:
        """What it is, in a few words."""
        return "geometric noise"


@dataclass(frozen=True, slots=True)
class GaussianVariance:
    """Discrete Gaussian noise, P(k) ∝ e^(−k²/(2σ²)); ``sigma2`` is σ².

    >>> noise = GaussianVariance(Fraction(4))
    >>> noise.variance, noise.beyond(4).percent
    (Fraction(4, 1), '7.7%')
    """

    sigma2: Fraction

    def __post_init__(self) -> None:
        if not self.sigma2 > 0:
            raise InvalidNumber(f"the variance of noise must be above 0, got {self.sigma2}")

    @property
    def variance(self) -> Fraction:
        """σ²: the variance is less, but by next to nothing ([Canonne2020]_)."""
        return self.sigma2

    def draw(self, size: int, rng: np.random.Generator | None = None) -> list[int]:
        """Draw so many."""
        return DiscreteGaussian(variance=self.sigma2).draw(size, rng)

    def beyond(self, k: int, noises: int = 1) -> Chance[Fraction]:
        """Return the chance that the sum of so many is k or more away from 0, k ≥ 1.

        Of one or two it is enclosed, or at most a little above it. Of more it is at most
        2·e^(−k²/(2nσ²)): the noise is sub-Gaussian.
        """
        if noises > 2:
            spread = 2 * noises * rational(self.sigma2)
            return _chance(lambda: arb(0).union(2 * (-arb(k * k) / spread).exp()))
        if noises * self.sigma2 <= MOST_ADDED**2:
            return _chance(lambda: self._added(k, noises))
        return _chance(lambda: arb(0).union(self._integral(k, noises)))

    def exceeds(self, k: int, noises: int, chance: fmpq) -> bool:
        """Say whether the chance is above another one; in doubt, yes."""
        return self.beyond(k, noises).upper > fraction(chance)

    def _added(self, k: int, noises: int) -> arb:
        """Return 1 − Σ_{|d|<k} P(d), where P(d) ∝ e^(−d²/(2nσ²)), of two by the parity of d.

        Of two, j and d − j have e^(−d²/(4σ²))·e^(−(j − d/2)²/σ²), added up over j.
        """
        sigma2 = rational(self.sigma2)
        parts = [arb(1)] * 2 if noises == 1 else [_theta(sigma2, half) for half in (0, 1)]
        within = arb(0)
        for d in range(k):
            within += (2 if d else 1) * parts[d % 2] * (-arb(d * d) / (2 * noises * sigma2)).exp()
        return 1 - within / _theta(2 * sigma2) ** noises

    def _integral(self, k: int, noises: int) -> arb:
        """Return what is at least the chance: erfc((k − ½)/√(2nσ²)), times what is next to 1.

        On either side of its inflection e^(−x²/s) at d is no more, or no less, than its integral
        from d − ½ to d + ½: as is needed there.
        """
        spread = 2 * noises * rational(self.sigma2)
        tail = ((k - arb(fmpq(1, 2))) / arb(spread).sqrt()).erfc() + _excess(spread)
        return tail if noises == 1 else (1 + _excess(rational(self.sigma2))) * tail

    def log_chances(self, at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return −k²/(2σ²)."""
        return -(at**2) / (2 * float(self.sigma2))

    def to_dict(self) -> dict[str, str]:
        """What it is, exactly, as JSON has it."""
        return {"variance": str(rational(self.sigma2))}

    def told(self) -> str:
        """What it is, in a few words."""
        return "discrete Gaussian noise"


def _chance(ball: Callable[[], arb]) -> Chance[Fraction]:
    """Return a chance that a ball encloses."""
    with precision(BITS):
        found = ball()
        low, high = (fraction(end.fmpq()) for end in (found.lower(), found.upper()))
    return Chance(min(max(low, Fraction(0)), Fraction(1)), min(max(high, Fraction(0)), Fraction(1)))


def _theta(spread: fmpq, half: int = 0) -> arb:
    """Enclose Σ e^(−(j + half/2)²/s) over all whole j, s being the ``spread``.

    From s = 1 on it is √(πs)·(1 + 2·Σ_{j≥1} (±1)^j·e^(−π²sj²)), by Poisson's summation formula.
    """
    if spread >= 1:
        q, sign = (-(arb.pi() ** 2) * spread).exp(), -1 if half else 1
        rest, centre, scale = _series(lambda j: sign**j * q ** (j * j), q), 1, arb.pi() * spread
        return (centre + 2 * rest) * scale.sqrt()
    q = (-1 / arb(spread)).exp()
    if half:
        return 2 * q ** fmpq(1, 4) * (1 + _series(lambda j: q ** (j * (j + 1)), q))
    return 1 + 2 * _series(lambda j: q ** (j * j), q)


def _series(term: Callable[[int], arb], q: arb) -> arb:
    """Enclose Σ_{j≥1} of terms whose sizes are at most q^(j²), q ≤ e^(−1)."""
    found, j = arb(0), 1
    while not (rest := q ** (j * j) / (1 - q)) < arb(2) ** -(2 * BITS):
        found += term(j)
        j += 1
    return found + rest.union(-rest)


def _excess(spread: fmpq) -> arb:
    """Return what Σ e^(−j²/s) is above √(πs), relatively and at most, for s ≥ 1."""
    q = (-(arb.pi() ** 2) * spread).exp()
    return 2 * q / (1 - q)
