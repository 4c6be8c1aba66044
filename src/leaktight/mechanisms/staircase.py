"""Staircase noise: the least noise, on average, that is private for a sensitivity above 1.

[Geng2016]_: P(k) = a·c^h(k) with c = 1/λ, where h(k) counts the stairs r, r + Δ, r + 2Δ, … that |k|
has passed. A shift by at most Δ passes one of them at most, so that the noise is private; and among
all noise that is, some r makes Σ|k|·P(k) least. At Δ = 1 it is geometric noise.
"""

from fractions import Fraction

import numpy as np
from attrs import frozen
from flint import fmpq

from leaktight.channels.additive_noise import UnboundedNoise
from leaktight.channels.channel import Channel
from leaktight.channels.noise_on_sums import places_seen
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.numbers import Number, exact_array, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.mechanisms.line import read_sensitivity
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.mechanisms.rational_draws import Draws, drawn
from leaktight.mechanisms.registry import construction


@construction("staircase", "numbers")
@frozen(init=False, repr=False)
class StaircaseNoise(Mechanism, UnboundedNoise):
    """Staircase noise on all whole numbers, for answers of some ``sensitivity`` Δ.

    - ``ratio`` or ``epsilon``: λ = e^ε, rounded down to a rational.
    - ``sensitivity``: how far apart the answers of neighbours are, a whole number.
    - ``width``: r, how many numbers from 0 on are likeliest, from 1 to Δ; by default the one for
      which the noise is least on average.

    >>> noise = StaircaseNoise(ratio=4, sensitivity=3)
    >>> noise.width, [str(noise.pmf(k)) for k in range(6)]
    (1, ['1/3', '1/12', '1/12', '1/12', '1/48', '1/48'])
    >>> noise.shift_ratio(3), noise.shift_ratio(4)
    (Fraction(4, 1), Fraction(16, 1))
    >>> from leaktight.mechanisms.geometric import GeometricNoise
    >>> float(noise.mean_size), round(float(GeometricNoise(ratio=4, sensitivity=3).mean_size), 4)
    (2.0, 2.0889)
    """

    ratio: Fraction
    sensitivity: int
    width: int

    def __init__(
        self,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        sensitivity: int = 1,
        width: int | None = None,
    ) -> None:
        below, steps = Ratio.of(ratio, epsilon).lower, read_sensitivity(sensitivity)
        if below == 1:
            raise InvalidNumber(
                "staircase noise needs a ratio above 1 (ε above 0): at 1 it would be uniform on "
                "all whole numbers"
            )
        if width is not None and (read_sensitivity(width) > steps):
            raise InvalidNumber(f"width must be from 1 to the sensitivity, {steps}, got {width}")
        self.__attrs_init__(below, steps, width or _least_noise(rational(below), steps))

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return "staircase noise on the whole numbers"

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained."""
        whose = f"answers that differ by at most {self.sensitivity}"
        return Guarantee(self.ratio, whose, lambda: whose)

    @property
    def channel(self) -> Channel:
        """Not finite: :meth:`truncated` gives the channel on some answers, with nothing lost."""
        raise TooLarge(
            "staircase noise has infinitely many outputs; .truncated(least, most) puts those "
            "together that tell the same of the answers between, which loses nothing"
        )

    def truncated(self, least: int, most: int) -> Channel:
        """Return what is seen of the answers from ``least`` to ``most``."""
        answers = range(least, most + 1)
        names, rows = places_seen(self, answers, str)
        matrix = exact_array([p for row in rows for p in row]).reshape(len(answers), -1)
        return Channel.trusted(tuple(answers), tuple(names), matrix)

    # --- the probabilities ---

    @property
    def _fall(self) -> fmpq:
        return 1 / rational(self.ratio)

    @property
    def _top(self) -> fmpq:
        """P(0): all numbers together have Σ_k c^h(k) = 2·(r + Δ·c/(1 − c)) − 1 times as much."""
        return 1 / (2 * _stairs(self._fall, self.sensitivity, self.width) - 1)

    def _passed(self, k: int) -> int:
        """Return h(k), how many stairs |k| has passed."""
        return (abs(k) + self.sensitivity - self.width) // self.sensitivity

    def pmf(self, k: int) -> Fraction:
        """Return the chance that ``k`` is added."""
        return fraction(self._top * self._fall ** self._passed(k))

    def tail(self, k: int) -> Fraction:
        """Return the chance that ``k`` or more is added."""
        if k <= 0:
            return 1 - self.tail(1 - k)
        stairs, c = self._passed(k), self._fall
        here = self.width + stairs * self.sensitivity - k  # up to the next stair
        return fraction(self._top * c**stairs * (here + self.sensitivity * c / (1 - c)))

    def shift_ratio(self, shift: int) -> Fraction:
        """Return λ to the power of ⌈|shift|/Δ⌉: so many stairs are passed from r − 1 on."""
        return self.ratio ** -(-abs(shift) // self.sensitivity)

    @property
    def is_unimodal(self) -> bool:
        """Stairs go down alone."""
        return True

    @property
    def period(self) -> int:
        """Δ steps, for one stair."""
        return self.sensitivity

    def repeated(self, k: int) -> Fraction:
        """Return Σ_j P(k + j·Δ) over j ≥ 0, for k ≥ 0."""
        return self.pmf(k) / (1 - 1 / self.ratio)

    @property
    def mean_size(self) -> Fraction:
        """Σ_k |k|·P(k)."""
        return fraction(_mean(self._fall, self.sensitivity, self.width))

    def draw(self, size: int, rng: np.random.Generator | None = None) -> list[int]:
        """Draw so many integers, exactly and independently.

        Random bits come from the operating system; for tests, ``rng`` may be a numpy generator.
        """
        draws, c = Draws.of(rng), self._fall
        top = self.width / _stairs(c, self.sensitivity, self.width)

        def one() -> int:
            while True:
                if draws.coin(top):
                    size = draws.below(self.width)
                else:
                    stairs = draws.successes(lambda: draws.coin(c))
                    start = self.width + stairs * self.sensitivity
                    size = start + draws.below(self.sensitivity)
                if draws.coin(fmpq(1, 2)):
                    return size
                if size:  # 0 has no sign, and would come twice as often
                    return -size

        return drawn(size, one)


def _stairs(c: fmpq, delta: int, width: int) -> fmpq:
    """Return Σ_{k≥0} c^h(k): the first stair is r wide, and all others Δ."""
    return width + delta * c / (1 - c)


def _mean(c: fmpq, delta: int, width: int) -> fmpq:
    """Return Σ_k |k|·P(k): stair j ≥ 1 begins at r + (j − 1)·Δ and is Δ wide."""
    first, rest = fmpq(width * (width - 1), 2), fmpq(delta * (2 * width + delta - 1), 2)
    each = first + rest * c / (1 - c) + delta**2 * c**2 / (1 - c) ** 2
    return 2 * each / (2 * _stairs(c, delta, width) - 1)


def _least_noise(ratio: fmpq, delta: int) -> int:
    """Return the r for which the noise is least on average.

    The mean is a convex function of r over one that is linear and positive, so it falls until it
    rises.
    """
    low, high = 1, delta
    while low < high:
        middle = (low + high) // 2
        if _mean(1 / ratio, delta, middle) <= _mean(1 / ratio, delta, middle + 1):
            high = middle
        else:
            low = middle + 1
    return low
