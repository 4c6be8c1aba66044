"""Leakage about one person.

The *informed* attacker knows all others, D⁻, and sees K(z|D⁻, v) of the person's value v: the main
goal of section 4.1 of [Alvim2011b]_. Whatever they believed of the person, one guess becomes
likelier by at most the largest Σ_z max_v K(z|D⁻, v) over all persons and all D⁻.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.representation import expect_representation
from leaktight.channels.views import WHOEVER, Views
from leaktight.errors import InvalidInput, Mismatch, expect
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Value, fraction
from leaktight.exact.shown import Probability, in_bits, percent, shown
from leaktight.labels import Labels
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query


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
    views = expect_representation(mechanism).views(policy, query)
    factor, others = _worst(views, belief.values)
    chances = dict(zip(belief.values, belief.array, strict=True))
    found = IndividualLeakage(factor, others, belief, *_guess(views, chances))
    if absent is None:
        return found
    there = [v for v in belief.values if v != absent]
    presence = max((_worst(views, [absent, v])[0] for v in there), default=Fraction(1))
    return replace(found, value=_worst(views, there)[0], presence=presence)


def _worst(views: Views, values: Collection[Hashable]) -> tuple[Fraction, str]:
    """Return the largest Σ_z max_v K(z|D⁻, v) over these values, and who the others are.

    It is 1 if no record can have any of them.
    """
    kept = set(values)
    found = views.largest(lambda own: {v: fmpq(1) for v in own if v in kept})
    return (Fraction(1), WHOEVER) if found is None else (fraction(found.size), found.others)


def _guess(views: Views, prior: Mapping[Hashable, fmpq]) -> tuple[Fraction, Fraction]:
    """Return the chance of a right guess before and after, where the latter is largest."""

    def given(values: Labels) -> dict[Hashable, fmpq]:
        total = sum((prior[v] for v in values), fmpq(0))
        return {v: prior[v] / total for v in values} if total else {}

    found = views.largest(given)
    if found is None:
        raise InvalidInput("the prior rules out every value that a record may have")
    return fraction(max(given(found.values).values())), fraction(found.size)


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
    policy = expect(policy, Policy, "Policy(graph) makes one")
    return iter(expect_representation(mechanism).views(policy, query))
