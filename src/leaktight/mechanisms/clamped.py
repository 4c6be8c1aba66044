"""Real numbers published so that nearby numbers are hard to tell apart.

Laplace's noise is added and what leaves the interval is clamped to its ends. No mechanism that is
as private leaks more (docs/proofs/real-values.md): whoever wants to publish as much as ε allows,
takes this one. A real output cannot be printed, so it is rounded to a grid.
"""

from collections.abc import Hashable
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber, InvalidPolicy, is_list
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import precision
from leaktight.exact.shown import shown
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.mechanisms.release.noise import geometric_noise
from leaktight.mechanisms.release.random_bits import Cuts, cuts_of, random_bytes, sections
from leaktight.policies.real import Interval, expect_count


@frozen(init=False, repr=False, slots=False)
class ClampedLaplace(Mechanism):
    """Laplace's noise on a number of an interval, clamped to it and rounded to a grid.

    The noise has the density (ε/2)·e^(−ε|t|), and the outputs are the ends of so many equal
    ``cells``. Rounding happens after the noise and knows nothing of the input, so that privacy
    holds for *all* numbers of the interval, not only for those of the grid. Inputs must not be
    rounded first, which would tell apart numbers that are near but on two sides of a boundary.
    What is drawn is exactly that, without a float: see :meth:`draw`. ε is rounded down by some
    2^−64 of it, so that e^(−ε·h/2), h the width of a cell, is rational.

    ``channel`` has the outputs for inputs on the grid. It is what ``RoundedLaplace`` makes there.

    >>> ages = ClampedLaplace(Interval(0, 100), epsilon="0.1", cells=200)
    >>> print(ages.guarantee)
    ε ≤ 0.1 (ratio ≈1.10518) for neighbouring numbers at a distance of 1
    >>> 0 <= ages.draw("33.3") <= 100
    True
    >>> round(float(ages.leakage), 6), round(float(ages.lost), 6)  # of the most, 1 + εL/2 = 6
    (5.938018, 0.061982)
    """

    interval: Interval
    ratio: Ratio
    cells: int

    def __init__(
        self,
        interval: Interval,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        cells: int = 1024,
    ) -> None:
        if not isinstance(interval, Interval):
            raise InvalidPolicy(f"expected an Interval to clamp to, got {interval!r:.60}")
        asked = Ratio.of(ratio, epsilon)
        if asked.lower == 1:
            raise InvalidNumber("Laplace's noise needs an ε above 0: at ε = 0 none is wide enough")
        self.__attrs_init__(interval, asked, expect_count(cells, 1))

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        low, high = shown(self.interval.low), shown(self.interval.high)
        return f"Laplace's noise clamped to {low} to {high}"

    @property
    def guarantee(self) -> Guarantee:
        """λ for numbers at a distance of 1, and λ^d for those at distance d."""
        whose, within = "numbers at a distance of 1", self.interval
        return Guarantee(self.ratio.lower, whose, lambda: f"{whose} in {within.low}, {within.high}")

    @cached_property
    def outputs(self) -> tuple[Fraction, ...]:
        """The points of the grid."""
        return tuple(self.interval.low + i * self._width for i in range(self.cells + 1))

    @property
    def channel(self) -> Channel:
        """What is seen of each point of the grid."""
        return RoundedLaplace(self.outputs, ratio=fraction(self._half_step**2)).channel

    @property
    def leakage(self) -> Fraction:
        """Σ_z sup_x K(z|x) = 1 + cells·(1 − e^(−εh/2)), over all numbers x of the interval."""
        return 1 + self.cells * fraction(1 - 1 / self._half_step)

    @property
    def lost(self) -> Fraction:
        """How much less than 1 + εL/2, the most of any private channel, that is; rounded up."""
        half = rational(self.interval.length) / 2
        with precision(128):
            most = 1 + arb(rational(self.ratio.upper)).log() * half
            return fraction(most.upper().fmpq()) - self.leakage

    def draw(self, values: Any, rng: np.random.Generator | None = None) -> Any:
        """Draw an output for one number, or a list of them for each of many.

        With u = (x − low)/h + ½ = k + r, 0 ≤ r < 1, the output is k cells from the lowest unless
        the noise reaches beyond the cell: above with probability ½e^(−εh(1−r)), below with
        ½e^(−εhr). By how many cells more is geometric, as noise forgets how far it has come.
        These probabilities are compared with random bits digit by digit, as many as it takes. The
        bits come from the operating system; for tests, ``rng`` may be a numpy generator.
        """
        if is_list(values):
            given = values.tolist() if isinstance(values, np.ndarray) else list(values)
            return [self.outputs[i] for i in self._drawn(given, rng).tolist()]
        return self.outputs[int(self._drawn([values], rng)[0])]

    def _place(self, value: object) -> Fraction:
        """Return u, in cells; a number that is somebody's is not quoted."""
        number = None
        with suppress(InvalidNumber):
            number = fraction(as_printed(value))
        if number is None or not self.interval.low <= number <= self.interval.high:
            raise InvalidNumber(f"a number must be in {self.interval}, got something else")
        return (number - self.interval.low) / self._width + Fraction(1, 2)

    def _drawn(
        self, values: list[Hashable], rng: np.random.Generator | None
    ) -> npt.NDArray[np.int64]:
        """Return the numbers of the outputs."""
        source, found = random_bytes(rng), np.empty(len(values), dtype=np.int64)
        where: dict[Hashable, list[int]] = {}
        for position, value in enumerate(values):
            where.setdefault(value, []).append(position)
        beyond = geometric_noise(len(values), ratio=fraction(self._half_step**2), rng=rng)
        beyond = np.where(beyond >= 0, beyond, ~beyond)  # geometric, whatever the sign
        for value, at in where.items():
            place = self._place(value)
            k = place.numerator // place.denominator
            side = sections(self._cuts(place - k), len(at), source)
            far = np.minimum(beyond[at], self.cells + 1).astype(np.int64) + 1
            found[at] = k + np.where(side == 0, -far, np.where(side == 1, far, 0))
        return np.clip(found, 0, self.cells)

    def _cuts(self, rest: Fraction) -> Cuts:
        """Return the probability to leave a cell downwards, and that to leave it at all."""
        step, r = self._half_step**2, rational(rest)

        def enclose(bits: int) -> tuple[list[int], list[int]]:
            with precision(bits + 64):
                down, up = (((-arb(step).log() * t).exp() / 2) for t in (arb(r), arb(1 - r)))
                return cuts_of((down, down + up), bits)

        return enclose

    @property
    def _width(self) -> Fraction:
        return self.interval.length / self.cells

    @cached_property
    def _half_step(self) -> fmpq:
        """e^(εh/2), rounded down."""
        half = self._width / 2
        return rational(self.ratio.over(half, half).lower)
