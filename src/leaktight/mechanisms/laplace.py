"""Laplace's noise where numbers are rounded.

Noise of Laplace's distribution with scale S/ε makes an answer of sensitivity S private
(Theorem 2 of [Barthe2011]_), but its floating-point form is not. Here the noisy answer is rounded
to a grid, and the chance of each grid point is an exact rational.
"""

from fractions import Fraction

from leaktight.exact.ratio import step_ratio
from leaktight.exact.shown import counted
from leaktight.mechanisms.line import LineMechanism
from leaktight.mechanisms.mechanism import Guarantee
from leaktight.mechanisms.registry import construction


@construction("rounded laplace", "line")
class RoundedLaplace(LineMechanism):
    """Laplace's noise on the points of a grid, rounded to the nearest; the ends take the rest.

    ``values`` are the points of the grid in their order, and ``sensitivity`` counts steps of the
    grid. Answers must be points of the grid: round them first. Answers that are S apart are then
    at most ⌈S/h⌉ steps of size h apart.

    With s = e^(−ε·h/(2S)), rounded up to a rational, noise of k steps has the probability
    ½(s^(2k−1) − s^(2k+1)), and 1 − s for k = 0. Cells beyond two points at a distance of S tell
    them apart by s^(−2S/h) = e^ε, all others by less: docs/proofs/mechanisms.md.

    >>> grid = ["0", "½", "1", "1½"]
    >>> RoundedLaplace(grid, ratio=16, sensitivity=2).channel
    exact channel, 4 inputs × 4 outputs
            0     ½     1    1½
     0    3/4  3/16  3/64  1/64
     ½    1/4   1/2  3/16  1/16
     1   1/16  3/16   1/2   1/4
    1½   1/64  3/64  3/16   3/4
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"Laplace's noise rounded to {counted(len(self.values), 'value', 'values')}"

    @property
    def half_step(self) -> Fraction:
        """1/s: by so much two points are told apart at most that are half a step apart."""
        return step_ratio(self.ratio, 2 * self.sensitivity)

    @property
    def guarantee(self) -> Guarantee:
        """What it has: less than asked if no output lies beyond two neighbours, as for two values.

        Then the ends, 1 − s/2 against ½·s^(2n−3), are worst.
        """
        level, n = self.half_step ** (2 * self.reach), len(self.values)
        if 1 < n == self.reach + 1:
            level = (2 - 1 / self.half_step) * self.half_step ** (2 * n - 3)
        return Guarantee(level, self._whose, lambda: self.graph)

    @property
    def step(self) -> Fraction:
        """s^−2: from 1 on, so much less likely is each step farther."""
        return self.half_step**2

    @property
    def centre(self) -> Fraction:
        """1 − s, the chance that nothing is added before it is cut off."""
        return 1 - 1 / self.half_step
