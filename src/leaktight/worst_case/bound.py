"""The worst case as a bound: two ends that may be too long to be written out."""

from fractions import Fraction
from typing import TYPE_CHECKING

from leaktight.exact.bound import InBits
from leaktight.exact.matrix import html_rows
from leaktight.exact.powers import Powers, PowerSum
from leaktight.exact.shown import Told, above, below, in_bits


class WorstCaseBound(Told, InBits):
    """The largest Σ_z max_x K(z|x) over all channels that keep a promise, between two numbers.

    Some such channel attains the lower end, and none exceeds the upper one. ``lower_factors`` and
    ``upper_factors`` are the ends, however many records there are.
    """

    __slots__ = ()

    @property
    def is_certified(self) -> bool:
        """Whether there is a certificate."""
        return True

    if TYPE_CHECKING:

        @property
        def lower_factors(self) -> Powers | PowerSum:
            """What some channel attains."""

        @property
        def upper_factors(self) -> Powers | PowerSum:
            """What none exceeds."""

        @property
        def is_exact(self) -> bool:
            """Whether nothing but rounding separates the ends."""

        @property
        def route(self) -> str:
            """How it was found."""

        @property
        def promise(self) -> str:
            """What the channels keep."""

    @property
    def lower(self) -> Fraction:
        """What some channel attains; refused if it is too long to write out."""
        return self.lower_factors.value

    @property
    def upper(self) -> Fraction:
        """What none exceeds; refused if it is too long to write out."""
        return self.upper_factors.value

    @property
    def bits_interval(self) -> tuple[float, float]:
        """Both ends in bits, rounded outward; the upper one is a guarantee."""
        return self.lower_factors.bits_interval[0], self.upper_factors.bits_interval[1]

    @property
    def nats(self) -> float:
        """The upper end in nats, rounded up."""
        return self.upper_factors.nats

    @property
    def text(self) -> str:
        """The number of bits, or between which numbers it is."""
        low, high = self.bits_interval
        how = "exactly" if self.is_exact else f"between {below(low)} and"
        return f"{how} {in_bits(high, above)}"

    def __str__(self) -> str:
        return f"{self.text} at {self.promise}; {self.route}"

    def _repr_html_(self) -> str:
        rows = [
            ("leakage", self.text),
            ("Σ max", self.upper_factors.shown()),
            ("promise", self.promise),
            ("found by", self.route),
        ]
        return html_rows("What any private mechanism leaks at worst", [], rows)
