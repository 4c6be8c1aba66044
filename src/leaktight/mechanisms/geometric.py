"""The geometric mechanism, noise on whole numbers, and its truncation.

The noise k has probability (1−c)/(1+c)·c^|k|, so that answers that differ by one step are told
apart by a factor 1/c at most. On a line of answers, collecting at its ends what falls beyond
loses nothing: the outputs beyond an end have equal posteriors. So the strict inequality in
Corollary 1 of [Boreale2012]_ is an equality.
"""

from fractions import Fraction

from attrs import frozen

from leaktight.channels.additive_noise import GeometricTails, UnboundedNoise
from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.numbers import Number
from leaktight.exact.ratio import Ratio, RatioLike, step_ratio
from leaktight.exact.shown import counted
from leaktight.mechanisms.line import LineMechanism, read_sensitivity
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.mechanisms.registry import construction


@construction("geometric", "numbers")
@frozen(init=False, repr=False)
class GeometricNoise(Mechanism, GeometricTails, UnboundedNoise):
    """Two-sided geometric noise on all whole numbers, for answers of some ``sensitivity``.

    c is 1/λ for sensitivity 1, and otherwise a rational just above its root, so that answers that
    differ by the sensitivity are within the ratio. At ratio 1 the noise would be uniform on all
    whole numbers, which is no distribution.

    >>> noise = GeometricNoise(ratio=2)
    >>> [str(noise.pmf(k)) for k in (-1, 0, 1, 2)]
    ['1/6', '1/3', '1/6', '1/12']
    >>> noise.tail(3)
    Fraction(1, 12)
    >>> noise.truncated(0, 2).channel
    exact channel, 3 inputs × 3 outputs
         0    1    2
    0  2/3  1/6  1/6
    1  1/3  1/3  1/3
    2  1/6  1/6  2/3
    """

    ratio: Fraction
    sensitivity: int

    def __init__(
        self,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        sensitivity: int = 1,
    ) -> None:
        below = Ratio.of(ratio, epsilon).lower
        if below == 1:
            raise InvalidNumber(
                "geometric noise needs a ratio above 1 (ε above 0): at 1 it would be uniform on "
                "all whole numbers; TruncatedGeometric has a limit there"
            )
        self.__attrs_init__(below, read_sensitivity(sensitivity))

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return "geometric noise on the whole numbers"

    @property
    def step(self) -> Fraction:
        """1/c: by so much are two answers told apart that differ by 1."""
        return step_ratio(self.ratio, self.sensitivity)

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained, up to the rounding of ``step``."""
        whose = f"answers that differ by at most {self.sensitivity}"
        return Guarantee(self.ratio, whose, lambda: whose)

    @property
    def channel(self) -> Channel:
        """Not finite: :meth:`truncated` gives the channel on some answers, with nothing lost."""
        raise TooLarge(
            "geometric noise has infinitely many outputs; .truncated(least, most) collects those "
            "beyond the least and the most answer at the ends, which loses nothing"
        )

    def truncated(self, least: int, most: int) -> "TruncatedGeometric":
        """Return the same noise on the answers from ``least`` to ``most``."""
        return TruncatedGeometric(
            range(least, most + 1), ratio=self.ratio, sensitivity=self.sensitivity
        )

    @property
    def centre(self) -> Fraction:
        """(1 − c)/(1 + c), the chance that nothing is added."""
        return (self.step - 1) / (self.step + 1)


@construction("truncated geometric", "line")
class TruncatedGeometric(LineMechanism):
    """Geometric noise on a line of values; what falls beyond an end is collected there.

    Values at most ``sensitivity`` places apart are neighbours: 1 for a line, all places for a
    complete graph. On a line no private mechanism serves anyone better, whatever the prior and
    whatever loss grows with the distance ([Ghosh2009]_). At ratio 1 each end has probability 1/2,
    the limit.

    >>> TruncatedGeometric(["low", "middle", "high"], ratio=2).channel
    exact channel, 3 inputs × 3 outputs
            low  middle  high
       low  2/3     1/6   1/6
    middle  1/3     1/3   1/3
      high  1/6     1/6   2/3
    >>> six = TruncatedGeometric(list("ABCDEF"), ratio=2, sensitivity=5)
    >>> float(six.step), six.guarantee.ratio <= 2
    (1.148698354997035, True)
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"truncated geometric on {counted(len(self.values), 'value', 'values')}"

    @property
    def step(self) -> Fraction:
        """1/c: by so much are two values told apart that are next to each other."""
        return step_ratio(self.ratio, self.sensitivity)

    @property
    def guarantee(self) -> Guarantee:
        """``step`` to the power of the places that neighbours are apart; attained."""
        return Guarantee(self.step**self.reach, self._whose, lambda: self.graph)

    @property
    def centre(self) -> Fraction:
        """(1 − c)/(1 + c), the chance that nothing is added before it is cut off."""
        return (self.step - 1) / (self.step + 1)
