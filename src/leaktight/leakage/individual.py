"""What does a release tell of one person?

The *informed* attacker knows all others, D⁻, and sees K(z|D⁻, v) of the person's value v: the main
goal of section 4.1 of [Alvim2011b]_. Whatever they believed of the person, one guess becomes
likelier by at most the largest Σ_z max_v K(z|D⁻, v) over all persons and all D⁻.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.shuffled import Shuffled
from leaktight.errors import InvalidInput, Mismatch, TooLarge, expect
from leaktight.exact.bits import OfFactor
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import Array, Value, exact_array, float_array, fraction, to_float
from leaktight.exact.shown import Probability, in_bits, percent, shown
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import Labels
from leaktight.leakage.noise_on_sums import added_noise, listless_noise
from leaktight.leakage.noisy_record import WHOEVER, NoisyRecord
from leaktight.leakage.shuffled import ShuffledRecord
from leaktight.policies.one_record import OneRecord, cells_of, one_record, weights_of
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import LinearQuery, Query


@dataclass(frozen=True, slots=True, repr=False)
class IndividualLeakage(OfFactor):
    """How much likelier one guess about one person becomes, if all others are known.

    ``factor`` is the largest over all persons, all others and all priors; ``others`` says where.
    Under the ``prior`` the chance of a right guess is ``before`` and at most ``after``, for the
    others for whom it is largest. ``presence`` is the factor of guessing whether the person is
    there at all, and ``value`` of what they have, given that they are; they are None if everybody
    is there.
    """

    factor: Value
    others: str
    prior: Distribution
    before: Value
    after: Value
    value: Value | None = None
    presence: Value | None = None

    def __str__(self) -> str:
        return (
            f"one guess about one person: {percent(Fraction(self.before))} before, "
            f"{Probability(1, Fraction(self.after), False)} after, all others known"
        )

    def __repr__(self) -> str:
        return (
            f"IndividualLeakage(factor {shown(self.factor)}, {in_bits(self.bits)}; "
            f"{shown(self.before)} before, {shown(self.after)} after)"
        )


def individual_leakage(
    mechanism: Any,
    policy: Policy,
    query: Query | None = None,
    prior: PriorLike = None,
    *,
    absent: Hashable | None = None,
) -> IndividualLeakage:
    """Return what a mechanism tells of one person to somebody who knows all others.

    The mechanism is a channel, or has one: on the answers of ``query``; without a query, on the
    databases, or on the value of each record by itself. Noise that is added to a sum, a count or
    each cell of a histogram needs no channel, and then the number of records does not matter.
    Answers that are ``Shuffled`` are kept as counts.
    ``prior`` is about one record's value, uniform if it is not given; ``absent`` is the value that
    says that the record is not there.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"])
    >>> asked = Policy(SecretGraph.complete(["no", "yes"]), records=1_000_000)
    >>> individual_leakage(coin, asked)
    IndividualLeakage(factor 4/3, 0.415037 bits; 1/2 before, 2/3 after)
    """
    policy = expect(policy, Policy, "Policy(graph) makes one")
    belief = prior_on(prior, policy.secrets.vertices).exact()
    if absent is not None and absent not in belief.values:
        raise Mismatch(f"absent must be a value of the policy, got {absent!r}")
    seen = _seen(mechanism, policy, query)
    factor, others = seen.worst(belief.values)
    chances = dict(zip(belief.values, belief.array, strict=True))
    found = IndividualLeakage(factor, others, belief, *seen.guess(chances))
    if absent is None:
        return found
    there = [v for v in belief.values if v != absent]
    presence = max((seen.worst([absent, v])[0] for v in there), default=Fraction(1))
    return replace(found, value=seen.worst(there)[0], presence=presence)


def individual_channels(
    mechanism: Any, policy: Policy, query: Query | None = None
) -> Iterator[tuple[Channel, str]]:
    """Yield K_{D⁻}, from one record's value to what is seen, and who the others are, for all D⁻.

    Those that are the same are told once. Outputs of noise on a sum that tell the same are one.

    >>> from leaktight.mechanisms.geometric import GeometricNoise
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> ill = Policy(SecretGraph.complete(["no", "yes"]), records=1_000_000)
    >>> [(channel, _)] = individual_channels(GeometricNoise(ratio=2), ill, counting_query(["yes"]))
    >>> channel.matrix.tolist()
    [[2/3, 1/3], [1/3, 2/3]]
    """
    return _seen(mechanism, expect(policy, Policy, "Policy(graph) makes one"), query).channels()


class _Seen(Protocol):
    """What is seen of one record, over all that the others may be."""

    def channels(self) -> Iterator[tuple[Channel, str]]:
        """Yield what is seen of each value, and who the others are."""

    def worst(self, values: Collection[Hashable]) -> tuple[Fraction, str]:
        """Return the largest Σ_z max_v K(z|D⁻, v) over these values, and who the others are.

        It is 1 if no record can have any of them.
        """

    def guess(self, prior: Mapping[Hashable, fmpq]) -> tuple[Fraction, Fraction]:
        """Return the chance of a right guess before and after, where the latter is largest."""


def _seen(mechanism: Any, policy: Policy, query: Query | None) -> _Seen:
    """Return what a mechanism shows: noise where a sum is taken, and otherwise its channel."""
    noise = added_noise(mechanism, policy, query)
    if noise is not None and isinstance(query, LinearQuery):
        return NoisyRecord(noise, query, tuple(weights_of(policy, query)))
    if listless_noise(mechanism, policy, query) is not None and not policy.is_listable:
        raise TooLarge(
            "what noise tells somebody who knows all others is known if public counts are single "
            "numbers; with ranges all databases would be listed, and these are too many"
        )
    if isinstance(mechanism, Shuffled):
        return ShuffledRecord.of(mechanism, policy)
    if isinstance(mechanism, Parallel):
        return _Rows.of([one for one, _ in mechanism.factors], _own_values(policy))
    channel = channel_behind(mechanism)
    values = policy.secrets.vertices
    if query is None and policy.records > 1 and set(channel.inputs) == set(values):
        return _Rows.of([channel], _own_values(policy))
    return _Rows.of([channel], list(one_record(policy, query)))


def channel_behind(mechanism: Any) -> Channel:
    """Return the channel that a mechanism is, or has."""
    channel = mechanism if isinstance(mechanism, Channel) else getattr(mechanism, "channel", None)
    if not isinstance(channel, Channel):
        raise InvalidInput(
            f"expected a channel, or a mechanism that has one, got {mechanism!r:.60}"
        )
    return channel


def _own_values(policy: Policy) -> list[OneRecord]:
    """Return what a record answers by itself: its value, among those that the others leave."""
    if not policy.is_constrained:
        domains = {policy.secrets.vertices} if policy.values is None else set(policy.values)
        return [OneRecord(domain, domain, WHOEVER) for domain in domains]
    if policy.is_counted:
        return [OneRecord(cell, cell, _left(cell)) for cell in cells_of(policy)]
    found = {one.values: one for one in one_record(policy)}
    return [OneRecord(values, values, one.others) for values, one in found.items()]


def _left(values: Labels) -> str:
    """Say which values the others and the counts leave."""
    one = values[0]
    told = f"({', '.join(map(str, one))})" if isinstance(one, tuple) else str(one)
    more = "nothing else" if len(values) == 1 else f"{len(values) - 1} more"
    return f"the others and the counts leave {told:.60} and {more}"


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of a channel, exact and as floats, and which of them are seen of one record."""

    exact: Array
    floats: Array
    outputs: Labels
    places: tuple[tuple[OneRecord, tuple[int, ...]], ...]
    """For each D⁻ the row of each value."""

    @classmethod
    def of(cls, channels: Sequence[Channel], ones: Iterable[OneRecord]) -> "_Rows":
        """Stand the channels one above the other; each record is seen through each of them."""
        distinct = list({id(channel): channel.exact() for channel in channels}.values())
        width = max(channel.shape[1] for channel in distinct)
        blocks = [_widened(channel.matrix, width) for channel in distinct]
        places, start = [], 0
        ones = list(ones)
        for channel in distinct:
            row = {x: start + i for i, x in enumerate(channel.inputs)}
            for one in ones:
                for answer in one.answers:
                    if answer not in row:
                        raise Mismatch(f"the mechanism must see every answer, not so {answer!r}")
                places.append((one, tuple(row[answer] for answer in one.answers)))
            start += len(channel.inputs)
        matrix = np.concatenate(blocks)
        outputs = max((channel.outputs for channel in distinct), key=len)
        return cls(matrix, float_array(matrix), outputs, tuple(places))

    def channels(self) -> Iterator[tuple[Channel, str]]:
        """Yield what is seen of each value, and who the others are."""
        found = {(one.values, rows): one for one, rows in self.places}
        for (values, rows), one in found.items():
            yield Channel.trusted(values, self.outputs, self.exact[list(rows)]), one.others

    def worst(self, values: Collection[Hashable]) -> tuple[Fraction, str]:
        """Return the largest Σ_z max_v K(z|D⁻, v) over these values, and who the others are."""
        kept = set(values)
        options = [
            (one, {row: fmpq(1) for v, row in zip(one.values, rows, strict=True) if v in kept})
            for one, rows in self.places
        ]
        possible = [(one, rows) for one, rows in options if rows]
        if not possible:
            return Fraction(1), WHOEVER
        size, one = self._largest(possible)
        return fraction(size), one.others

    def guess(self, prior: Mapping[Hashable, fmpq]) -> tuple[Fraction, Fraction]:
        """Return the chance of a right guess before and after, where the latter is largest."""
        options = []
        for one, rows in self.places:
            if total := sum((prior[v] for v in one.values), fmpq(0)):
                best: dict[int, fmpq] = {}
                for v, row in zip(one.values, rows, strict=True):
                    best[row] = max(best.get(row, fmpq(0)), prior[v] / total)
                options.append((one, best))
        if not options:
            raise InvalidInput("the prior rules out every value that a record may have")
        after, one = self._largest(options)
        chances = [prior[v] for v in one.values]
        return fraction(max(chances) / sum(chances, fmpq(0))), fraction(after)

    def _largest(
        self, options: Sequence[tuple[OneRecord, dict[int, fmpq]]]
    ) -> tuple[fmpq, OneRecord]:
        """Return the largest Σ_z max_i weight_i·K(z|i); floats propose, exact numbers decide."""
        near = []
        for _, weights in options:
            scale = np.array([to_float(weight) for weight in weights.values()])[:, None]
            near.append((scale * self.floats[list(weights)]).max(axis=0).sum())
        enough = max(near) * (1 - TOLERANCES.entry)
        found: dict[Any, tuple[fmpq, OneRecord]] = {}
        for size, (one, weights) in zip(near, options, strict=True):
            key = tuple(weights.items())
            if size >= enough and key not in found:
                scale = exact_array(weights.values())[:, None]
                most = column_maxima(scale * self.exact[list(weights)]).sum()
                found[key] = (most, one)
        return max(found.values(), key=lambda each: each[0])


def _widened(matrix: Array, width: int) -> Array:
    """Return the matrix with columns of zeros, so that it has so many."""
    wide = np.full((len(matrix), width), fmpq(0), dtype=object)
    wide[:, : matrix.shape[1]] = matrix
    return wide
