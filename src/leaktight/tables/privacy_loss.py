"""What releases of the same weights cost, before it is said in what that is counted."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.errors import InvalidNumber
from leaktight.exact.powers import Powers
from leaktight.tables.weights import Places, Weights

LARGEST_SQUARE = 2**50
"""The largest sum of squares, times units, that is added up."""


@dataclass(frozen=True, slots=True, eq=False)
class PrivacyLoss:
    """What releases of the same weights cost, by whole numbers that depend on the pair.

    Geometric noise costs a pair the ratio r^e with e = Σ units·|W_u − W_v|. Gaussian noise costs it
    ρ·s of zCDP with s = Σ units·‖W_u − W_v‖², and no ratio: then r is 1.
    """

    steps: Powers
    """r: the step of a release or, of several, the product of their steps."""
    blocks: tuple[tuple[Weights, int], ...]
    """Each block of W, and its units."""
    rhos: tuple[tuple[Fraction, int], ...] = ()
    """ρ of Gaussian noise for s = 1, exactly, and how many releases have it."""

    @property
    def rho(self) -> Fraction:
        """ρ of all Gaussian noise for s = 1; 0 if all noise is geometric."""
        return sum((rho * times for rho, times in self.rhos), Fraction(0))

    def exponents(self, pairs: Places) -> Places:
        """Return e for each pair of values."""
        total = np.zeros(pairs.shape[:-1], dtype=np.int64)
        for weights, units in self.blocks:
            total += units * weights.distances(pairs)
        return total

    def squares(self, pairs: Places) -> Places:
        """Return s for each pair of values."""
        total, most = np.zeros(pairs.shape[:-1], dtype=np.int64), 0
        for weights, units in self.blocks:
            own = weights.squares(pairs)
            most += units * int(own.max(initial=0))
            if most > LARGEST_SQUARE:
                raise InvalidNumber(
                    f"squares of what neighbours differ by add up to more than {LARGEST_SQUARE:,}; "
                    "count in a larger unit"
                )
            total += units * own
        return total
