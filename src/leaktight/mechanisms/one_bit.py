"""What can be said of one bit with one bit? The canonical channels of [Barthe2011]_."""

from dataclasses import dataclass
from fractions import Fraction

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import shown
from leaktight.mechanisms.mechanism import Guarantee, Mechanism
from leaktight.policies.secrets import SecretGraph


@dataclass(frozen=True, slots=True, init=False, repr=False)
class OneBit(Mechanism):
    """C(ε, p): output 0 has probability p for one bit, and λ·p for the ``likelier`` one.

    Figure 1 of [Barthe2011]_: C1 if output 0 is likelier for bit 1, C2 if for bit 0. It is private
    exactly if p ≤ 1/(λ + 1) (Lemma 6, for ε > 0; at ε = 0 both rows are equal and any p will do).
    At p = 1/(λ + 1) it is randomised response and leaks most.

    >>> OneBit("1/4", ratio=2).channel
    exact channel, 2 inputs × 2 outputs
         0    1
    0  1/4  3/4
    1  1/2  1/2
    >>> OneBit("2/5", ratio=2)
    Traceback (most recent call last):
    leaktight.errors.InvalidNumber: p must be at most 1/(λ + 1) = 1/3 to be private at λ = 2,
    got 2/5; at 1/3 it leaks most
    """

    p: Fraction
    ratio: Fraction
    likelier: int

    def __init__(
        self,
        p: Number,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        likelier: int = 1,
    ) -> None:
        chance, below = fraction(rational(p)), Ratio.of(ratio, epsilon).lower
        most = 1 / (below + 1) if below > 1 else Fraction(1)
        if not 0 <= chance <= 1:
            raise InvalidNumber(f"p must be a probability, got {shown(chance)}")
        if chance > most:
            raise InvalidNumber(
                f"p must be at most 1/(λ + 1) = {shown(most)} to be private at λ = "
                f"{shown(below)}, got {shown(chance)}; at {shown(most)} it leaks most"
            )
        if likelier not in (0, 1):
            raise InvalidNumber(f"the likelier bit must be 0 or 1, got {likelier!r:.60}")
        object.__setattr__(self, "p", chance)
        object.__setattr__(self, "ratio", below)
        object.__setattr__(self, "likelier", int(likelier))

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"one bit of one bit, p = {shown(self.p)}"

    @property
    def graph(self) -> SecretGraph:
        """The two bits, neighbours."""
        return SecretGraph.complete(2)

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained if p > 0."""
        return Guarantee(self.ratio, "bits")

    @property
    def channel(self) -> Channel:
        """What is seen of each bit."""
        rows = [[self.p, 1 - self.p], [self.ratio * self.p, 1 - self.ratio * self.p]]
        return Channel(rows if self.likelier else rows[::-1])
