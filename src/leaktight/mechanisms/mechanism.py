"""What does a mechanism promise?"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import LARGEST
from leaktight.errors import TooLarge
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import Told, above, counted, shown_above
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.privacy.level import PrivacyLevel, privacy_level


@dataclass(frozen=True, slots=True, repr=False)
class Guarantee(Told):
    """No output is more than ``ratio`` times as likely for one neighbour as for another.

    >>> print(Guarantee(Fraction(2), "values of a line of 4"))
    ε ≤ 0.693148 (ratio 2) for neighbouring values of a line of 4
    """

    ratio: Fraction
    neighbours: str
    """Whose neighbours, in words that follow "neighbouring"."""

    @property
    def epsilon(self) -> float:
        """ε = ln λ, rounded up."""
        return PrivacyLevel(self.ratio, None).epsilon

    def __str__(self) -> str:
        level = f"ε ≤ {above(self.epsilon)} (ratio {shown_above(self.ratio)})"
        return f"{level} for neighbouring {self.neighbours}"


class Mechanism(ABC):
    """A mechanism with its guarantee; subclasses are frozen sets of parameters."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is, in a few words."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What it promises; the channel's privacy level is never above it."""

    @property
    @abstractmethod
    def channel(self) -> Channel:
        """What is seen of each input, exactly."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}: {self.guarantee})"


def refuse_too_large(inputs: int, outputs: int) -> None:
    """Refuse to write out a channel with more entries than an array may hold."""
    if inputs * outputs > LARGEST:
        raise TooLarge(
            f"the channel has {counted(inputs, 'input', 'inputs')} and "
            f"{counted(outputs, 'output', 'outputs')}, more than {LARGEST:,} entries"
        )


def vertices_of(graph: Graph) -> str:
    """Say whose neighbours the guarantee on a graph is about."""
    return f"vertices of a graph of {graph.order:,}"


def guarantee_of(channel: Channel, metric: Metric, ratio: Ratio) -> Guarantee:
    """Return the level of a channel on a graph; for other metrics λ, which is λ^d at distance d."""
    if metric.unit != 1:
        return Guarantee(ratio.lower, f"values at a distance of 1, of {metric.order:,}")
    level = privacy_level(channel, metric).ratio
    assert isinstance(level, Fraction)
    return Guarantee(level, vertices_of(metric.graph))
