"""The protocol of whatever is a channel on the records of a policy, however it is kept."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flint import fmpq

from leaktight.errors import InvalidChannel, InvalidInput

if TYPE_CHECKING:
    from leaktight.channels.channel import Channel
    from leaktight.channels.distribution import Distribution, ProductDistribution
    from leaktight.channels.views import AverageView, Views
    from leaktight.labels import Labels
    from leaktight.policies.policy import Policy
    from leaktight.policies.symmetric_query import Query

Belief = Mapping[Hashable, fmpq]
"""What is believed of one record's value."""


class Representation(ABC):
    """What is seen of the records of a policy: a matrix, noise on a sum, shuffled answers, ….

    Everything that is asked of one person is asked of these two.
    """

    __slots__ = ()

    @abstractmethod
    def views(self, policy: "Policy", query: "Query | None" = None) -> "Views":
        """Return what is seen of one record by somebody who knows all others."""

    @abstractmethod
    def average_views(
        self, policy: "Policy", query: "Query | None", belief: Belief
    ) -> "Iterator[AverageView]":
        """Yield what is seen of each kind of record by somebody who knows nobody."""

    def sum_of_maxima(self) -> Any:
        """Return Σ_z max_x K(z|x): by how much one guess gets likelier, at worst."""
        from leaktight.channels.channel import expect_channel

        return expect_channel(self).sum_of_maxima()

    def uniform(self) -> "Distribution | ProductDistribution":
        """Return the uniform prior of what is hidden."""
        from leaktight.channels.channel import expect_channel

        return expect_channel(self).uniform()


class ByChannel(Representation):
    """What is seen through the channel that something has."""

    __slots__ = ()

    @property
    def channel(self) -> Any:
        """What is seen of each input, exactly."""
        raise InvalidInput(f"expected a channel, or a mechanism that has one, got {self!r:.60}")

    def channel_on(self, inputs: "Labels") -> "Channel":
        """Return what is seen of each of some inputs."""
        found: Channel = self.channel.channel_on(inputs)
        return found

    def views(self, policy: "Policy", query: "Query | None" = None) -> "Views":
        """Return the views through its channel."""
        views: Views = self.channel.views(policy, query)
        return views

    def average_views(
        self, policy: "Policy", query: "Query | None", belief: Belief
    ) -> "Iterator[AverageView]":
        """Yield what is seen through its channel."""
        yield from self.channel.average_views(policy, query, belief)


def expect_representation(mechanism: Any) -> Representation:
    """Return a mechanism that says what is seen of one record."""
    if not isinstance(mechanism, Representation):
        raise InvalidChannel(
            f"expected a channel, or a mechanism that has one, got {mechanism!r:.60}; "
            "Channel(rows) makes one"
        )
    return mechanism
