"""What releases of the same weights cost, before it is said in what that is counted."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.errors import InvalidNumber
from leaktight.exact.powers import Powers
from leaktight.tables.weights import Places, Weights

LARGEST_SQUARE = 2**50
"""The largest sum of squares, times units, that is added up."""

MOST_UNITS = 2**50
"""The most units, times rows, by which neighbours may differ."""


def expect_units(most: int) -> int:
    """Return by how many units neighbours differ, if they can be added up in 64 bits."""
    if most > MOST_UNITS:
        raise InvalidNumber(
            f"neighbours differ by {most:,} units in all, and at most {MOST_UNITS:,} are possible; "
            "count in a larger unit, or ask for errors that are less far apart"
        )
    return most


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
        return self._added(pairs, Weights.distances, expect_units)

    def squares(self, pairs: Places) -> Places:
        """Return s for each pair of values."""

        def expect(most: int) -> None:
            if most > LARGEST_SQUARE:
                raise InvalidNumber(
                    f"squares of what neighbours differ by add up to more than {LARGEST_SQUARE:,}; "
                    "count in a larger unit"
                )

        return self._added(pairs, Weights.squares, expect)

    def _added(
        self,
        pairs: Places,
        apart: Callable[[Weights, Places], Places],
        expect: Callable[[int], object],
    ) -> Places:
        """Add up units times what each block has for each pair.

        ``expect`` is told what no sum exceeds before any is taken, as they are of 64 bits.
        """
        total, most = np.zeros(pairs.shape[:-1], dtype=np.int64), 0
        for weights, units in self.blocks:
            own = apart(weights, pairs)
            if own.any():
                most += units * int(own.max())
                expect(most)
                total += units * own
        return total
