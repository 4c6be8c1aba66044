"""Mechanisms, and what they promise."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import LARGEST
from leaktight.channels.representation import ByChannel
from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import Told, above, counted, shown_above
from leaktight.limits import allowed
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space, record_spaces
from leaktight.privacy.level import PrivacyLevel, privacy_level
from leaktight.worst_case.certificate import digest_of_records


@dataclass(frozen=True, slots=True, repr=False)
class Guarantee(Told):
    """What holds of every two neighbours: a ratio λ = e^ε, or any promise as a curve.

    Of a ratio, no output is more than λ times as likely for one neighbour as for another.
    Two guarantees about the same neighbours add up to that of both outputs together, also if the
    second mechanism was chosen in the light of the first output: ratios multiply, curves compose.

    >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
    >>> one, two = (RandomizedResponse(["no", "yes"], ratio=r).guarantee for r in (2, "3/2"))
    >>> print(one + two)
    ε ≤ 1.09862 (ratio 3) for neighbouring values
    >>> noisy = Guarantee(PrivacyCurve.gaussian("1/2"), "values", one.relation)
    >>> print(noisy + noisy)
    2 × (μ = 0.5 (Gaussian)) for neighbouring values
    """

    promise: Fraction | PrivacyCurve
    """λ, or a curve for (ε, δ), ρ, μ or any other promise."""
    neighbours: str
    """Whose neighbours, in words that follow "neighbouring"."""
    relation: Callable[[], Space | str] | None = field(default=None, compare=False)
    """Who they are: gives the graph, metric or policy, or a text that no others have."""

    @property
    def digest(self) -> str | None:
        """The digest of who the neighbours are; None if it was not said.

        It is that of their worst case, unless records differ: then their order is part of it.
        """
        if self.relation is None:
            return None
        who = self.relation()
        if not isinstance(who, str):
            digests = [digest_of_records([kind]) for kind in record_spaces(who)]
            if len(digests) == 1:
                return digests[0]
            who = " ".join(digests)
        return sha256(who.encode()).hexdigest()

    def __add__(self, other: "Guarantee") -> "Guarantee":
        if not isinstance(other, Guarantee):
            return NotImplemented
        digests = self.digest, other.digest
        if None in digests or digests[0] != digests[1]:
            raise Mismatch(
                "guarantees add up only for the same neighbours, of the same values; one is about "
                f"neighbouring {self.neighbours:.60}, the other about {other.neighbours:.60}"
            )
        if isinstance(self.promise, Fraction) and isinstance(other.promise, Fraction):
            return replace(self, promise=self.promise * other.promise)
        if self.curve == other.curve:
            return replace(self, promise=self.curve.power(2))
        return replace(self, promise=self.curve.compose(other.curve))

    @property
    def ratio(self) -> Fraction:
        """λ = e^ε; refused if pure ε is not what is promised."""
        if isinstance(self.promise, PrivacyCurve):
            raise InvalidInput(
                f"pure ε is not promised here, but {self.promise}: see .curve, whose "
                ".epsilon_at(delta) is the least ε at a δ"
            )
        return self.promise

    @property
    def epsilon(self) -> float:
        """ε = ln λ, rounded up; refused if pure ε is not what is promised."""
        return PrivacyLevel(self.ratio, None).epsilon

    @property
    def curve(self) -> PrivacyCurve:
        """The same as a curve, for whatever takes any promise.

        >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
        >>> RandomizedResponse(["no", "yes"], ratio=3).guarantee.curve.advantage
        Chance(1/2)
        """
        if isinstance(self.promise, PrivacyCurve):
            return self.promise
        return PrivacyCurve.epsilon(ratio=self.promise)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; a ratio is an exact fraction as text, any other promise in words."""
        said: dict[str, Any] = {"promise": str(self.promise)}
        if isinstance(self.promise, Fraction):
            said = {"ratio": str(self.promise), "epsilon": self.epsilon}
        return said | {"neighbours": self.neighbours, "neighbours digest": self.digest}

    def __str__(self) -> str:
        level = str(self.promise)
        if isinstance(self.promise, Fraction):
            level = f"ε ≤ {above(self.epsilon)} (ratio {shown_above(self.ratio)})"
        return f"{level} for neighbouring {self.neighbours}"


class Mechanism(ByChannel):
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


def refuse_too_large(inputs: int, outputs: int, most: int = LARGEST, or_more: bool = False) -> None:
    """Refuse to write out a channel with more entries than an array may hold.

    With ``or_more`` the outputs are those that were found so far.
    """
    if inputs * outputs > (most := allowed(most)):
        found = f"{counted(outputs, 'output', 'outputs')}{' or more' * or_more}"
        raise TooLarge(
            f"the channel has {counted(inputs, 'input', 'inputs')} and {found}, "
            f"more than {most:,} entries"
        )


def vertices_of(graph: Graph) -> str:
    """Say whose neighbours the guarantee on a graph is about."""
    return f"vertices of a graph of {graph.order:,}"


def guarantee_of(channel: Channel, metric: Metric, ratio: Ratio) -> Guarantee:
    """Return the level of a channel on a graph; for other metrics λ, which is λ^d at distance d."""
    if metric.unit != 1:
        whose = f"values at a distance of 1, of {metric.order:,}"
        return Guarantee(ratio.lower, whose, lambda: metric)
    level = privacy_level(channel, metric).ratio
    assert isinstance(level, Fraction)
    return Guarantee(level, vertices_of(metric.graph), lambda: metric)
