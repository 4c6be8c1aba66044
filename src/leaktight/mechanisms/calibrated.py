"""Mechanisms strong enough that what is public does not undo their promise, and the cost.

Plain differential privacy protects a record that changes alone. Where counts are public, or more,
neighbours differ in several records at once, or in an answer by more. If at most k records change,
and each is told apart by a ratio λ^(1/k) at most, the promise λ holds again.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import Number
from leaktight.exact.ratio import Ratio, RatioLike, step_ratio
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import below, percent
from leaktight.mechanisms.geometric import GeometricNoise
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.fibres import whole_weights
from leaktight.policies.policy import Policy
from leaktight.policies.query import sensitivity
from leaktight.policies.symmetric_query import linear_of


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A mechanism that keeps its promise although counts are public, and what that costs.

    ``steps`` is how many records, or units of an answer, neighbours differ in at most, and
    ``plain_steps`` how many it would be with nothing public. The ``error`` of randomised response
    is the chance that an answer is not true, that of noise its mean absolute size; with nothing
    public it would be ``plain_error``.
    """

    mechanism: RandomizedResponse | GeometricNoise
    steps: int
    plain_steps: int
    error: Fraction
    plain_error: Fraction

    @property
    def step(self) -> Fraction:
        """The ratio by which one record, or one unit of an answer, may be told apart."""
        if isinstance(self.mechanism, GeometricNoise):
            return self.mechanism.step
        return self.mechanism.ratio

    @property
    def epsilon(self) -> float:
        """ε of one record, or one unit of an answer, rounded down."""
        return ln_interval(self.step)[0]

    def __str__(self) -> str:
        if isinstance(self.mechanism, RandomizedResponse):
            return (
                f"neighbours differ in up to {self.steps:,} records: ε = {below(self.epsilon)} for "
                f"each record keeps the promise; {percent(self.error)} of the answers are then not "
                f"true, and {percent(self.plain_error)} would be with nothing public"
            )
        return (
            f"neighbours' answers differ by up to {self.steps:,}: the noise is then "
            f"{float(self.error):.3g} on average, and {float(self.plain_error):.3g} with nothing "
            "public"
        )


def calibrated(
    policy: Policy,
    query: Any = None,
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> Calibrated:
    """Return a mechanism that is private for the neighbours of a policy, whatever is public.

    Without a query it is randomised response on each record; for a count, a sum of whole numbers or
    a histogram it is geometric noise, on each cell of its own. Where counts are public the number
    of records does not matter, and if the kinds of neighbours are too many to go through, it is
    made for more than all. Under a predicate, a list of databases, or counts with values of each
    record the databases are listed; `TooLarge` is raised if they are too many.

    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.secrets import SecretGraph
    >>> told = [count([i], equals=250) for i in range(4)]
    >>> policy = Policy(SecretGraph.complete(4), 1000, constraints=told)
    >>> found = calibrated(policy, ratio=16)
    >>> found.mechanism.ratio, found.error, found.plain_error
    (Fraction(2, 1), Fraction(3, 5), Fraction(3, 19))
    >>> from leaktight.privacy.level import privacy_level
    >>> privacy_level(found.mechanism.survey, policy).ratio
    Fraction(16, 1)
    """
    asked = Ratio.of(ratio, epsilon)
    expect(policy, Policy, "Policy(graph, records) makes one").expect_edges()
    alone = Policy(policy.secrets)
    if query is None:
        steps = max(1, policy.reach.value)
        values = policy.secrets.vertices
        each = RandomizedResponse(values, step_ratio(asked.lower, steps), records=policy.records)
        plain = RandomizedResponse(values, asked)
        return Calibrated(each, steps, 1, 1 - each.truth, 1 - plain.truth)
    if (linear := linear_of(query)) is None:
        raise InvalidInput(
            f"noise is calibrated for a count, a sum or a histogram, got {query!r:.60}; without a "
            "query it is randomised response"
        )
    for value in policy.secrets.vertices:
        whole_weights(linear, value)
    steps, plain_steps = (max(1, int(sensitivity(each, linear).value)) for each in (policy, alone))
    noise, less = (GeometricNoise(asked, sensitivity=each) for each in (steps, plain_steps))
    return Calibrated(noise, steps, plain_steps, noise.mean_size, less.mean_size)
