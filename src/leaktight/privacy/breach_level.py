"""The most that one observation changes any belief, whatever was believed before.

The level of a channel is the least ratio that no breach exceeds, under no prior (Definition 2 of
[Boreale2012]_): max_y π_M/π_m, the largest over the smallest entry of a column. For databases it
is also what one person must fear from an attacker who may know how the records are tied together.
From one to whom they are independent, the person must fear the level of differential privacy.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import Distribution, prior_on
from leaktight.errors import InvalidNumber
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Number, Value, rational
from leaktight.exact.shown import above, in_bits, shown, shown_above
from leaktight.labels import Labels
from leaktight.policies.graph import Graph
from leaktight.privacy.breach import expect_databases
from leaktight.privacy.level import PrivacyLevel, distinguishability, privacy_level


@dataclass(frozen=True, slots=True, repr=False)
class BreachLevel(PrivacyLevel, OfFactor):
    """The least ``ratio`` that no breach exceeds, with the two inputs and the output that tell why.

    No breach reaches a finite ratio, but some come as near as one likes: see :meth:`prior`. So the
    channel is secure *at* its level, and ``holds(ratio=…)`` decides whether it is at another.
    """

    inputs: Labels

    @property
    def factor(self) -> Value:
        """The ratio, whose logarithm [Boreale2012]_ calls the level."""
        return self.ratio

    @property
    def _member(self) -> Hashable:
        """The input in Q: it becomes likelier or, at ratio ∞, impossible."""
        if self.witness is None:
            return self.inputs[0]
        return self.witness.neighbour if self.ratio == math.inf else self.witness.input

    @property
    def subset(self) -> Labels:
        """The set Q that is breached."""
        return (self._member,)

    def prior(self, gap: Number) -> Distribution:
        """Return a prior under which Q is breached by at least (1 − ``gap``) times the ratio.

        The two inputs share all probability: Q has t = gap/((1 − gap)·(ratio − 1)) of it, at most
        one half, and is multiplied by ratio/(1 + t·(ratio − 1)). At ratio ∞ every prior that holds
        both possible rules Q out.

        >>> from leaktight.privacy.breach import breaches
        >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=["no", "yes"])
        >>> level = breach_level(coin)
        >>> level.prior("1/100")
        Distribution({'no': 1/99, 'yes': 98/99})
        >>> breaches(coin, level.prior("1/100"))[0].ratio
        Fraction(197, 99)
        """
        part = rational(gap)
        if not 0 < part <= 1:
            raise InvalidNumber(f"the gap must be above 0 and at most 1, got {shown(part)}")
        if self.witness is None:
            return prior_on(None, self.inputs)
        weight = fmpq(1, 2)
        if self.ratio != math.inf and part < 1:
            weight = min(weight, part / ((1 - part) * (rational(self.ratio) - 1)))
        shares = {self.witness.input: weight, self.witness.neighbour: 1 - weight}
        return prior_on(shares, self.inputs)

    def __repr__(self) -> str:
        worst = "" if self.witness is None else f"; worst: {self.witness}"
        size = f"ratio {shown_above(self.ratio)}, {in_bits(self.bits, above)}"
        return f"{type(self).__name__}({size}{worst})"


def breach_level(channel: Channel) -> BreachLevel:
    """Return the least ratio that no breach exceeds, under any prior.

    Theorem 1 of [Boreale2012]_: it is the largest ratio of two entries of a column; columns of
    zeros are skipped. It is ``distinguishability``, the privacy level if all inputs are
    neighbours; so it is at least the level on any graph, and on a connected one at most that to
    the power of the diameter.

    >>> level = breach_level(Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=["no", "yes"]))
    >>> level.ratio, level.bits, level.subset
    (Fraction(2, 1), 1.0, ('no',))
    >>> level.holds(ratio=2)
    True
    """
    level = distinguishability(channel)
    return BreachLevel(level.ratio, level.witness, channel.inputs)


@dataclass(frozen=True, slots=True, repr=False)
class IndividualBreachLevel(BreachLevel):
    """The least ``ratio`` that no breach exceeds of what one record is, and whose record it is."""

    record: int
    """The person's place in the databases, from 0."""

    @property
    def value(self) -> Hashable:
        """What the record becomes likelier to be or, at ratio ∞, cannot be any more."""
        return cast(Labels, self._member)[self.record]

    @property
    def subset(self) -> Labels:
        """The set Q = {x : x_i = v} that is breached."""
        databases = expect_databases(self.inputs)
        return tuple(x for x in databases if x[self.record] == self.value)


def individual_breach_level(channel: Channel) -> IndividualBreachLevel:
    """Return the least ratio that no breach of one person's record exceeds, under any prior.

    It is the level of the channel: two databases differ in some record, and to an attacker who has
    ruled out all others, telling them apart is telling that record. Theorem 3 of [Boreale2012]_
    says so for all databases of bits. It holds for any set of databases, as is shown in
    docs/proofs/individual-breach.md.

    >>> from leaktight.channels.composition import parallel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> three = parallel(coin, coin, coin).expand()
    >>> individual_breach_level(three).ratio, independent_breach_level(three).ratio
    (Fraction(8, 1), Fraction(2, 1))
    """
    inputs = expect_databases(expect_channel(channel).inputs)
    return _individual(distinguishability(channel), inputs)


def independent_breach_level(channel: Channel) -> IndividualBreachLevel:
    """Return the least ratio that no breach of one person's record exceeds, if it is independent.

    The priors are those under which the person's record is independent of all others, or all
    records of each other. It is the privacy level if databases that differ in one record are
    neighbours: differential privacy protects from attackers who know nothing that ties records
    together. Theorem 5 of [Boreale2012]_ says so for all databases of bits. It holds for any set of
    databases, as is shown in docs/proofs/individual-breach.md.

    >>> skewed = Channel([["1/10", "9/10"], ["2/5", "3/5"]], inputs=[("no",), ("yes",)])
    >>> level = independent_breach_level(skewed)
    >>> level.ratio, level.record, level.subset
    (Fraction(4, 1), 0, (('yes',),))
    """
    inputs = expect_databases(expect_channel(channel).inputs)
    return _individual(privacy_level(channel, one_record_graph(inputs)), inputs)


def one_record_graph(databases: tuple[Labels, ...]) -> Graph:
    """Return the graph that joins the databases that differ in exactly one record.

    >>> one_record_graph(((0, 0), (0, 1), (1, 1))).edge_pairs()
    (((0, 0), (0, 1)), ((0, 1), (1, 1)))
    """
    groups: dict[tuple[int, Labels], list[int]] = {}
    for at, database in enumerate(databases):
        for i in range(len(database)):
            rest = (*database[:i], *database[i + 1 :])
            groups.setdefault((i, rest), []).append(at)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    return Graph.from_indices(databases, pairs)


def _individual(level: PrivacyLevel, inputs: tuple[Labels, ...]) -> IndividualBreachLevel:
    record = 0
    if level.witness is not None:
        pair = cast(tuple[Labels, Labels], (level.witness.input, level.witness.neighbour))
        record = next(i for i, (a, b) in enumerate(zip(*pair, strict=True)) if a != b)
    return IndividualBreachLevel(level.ratio, level.witness, inputs, record)
