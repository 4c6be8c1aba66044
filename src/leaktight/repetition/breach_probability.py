"""The chance that many observations change a belief by more than a factor."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidDistribution
from leaktight.exact.numbers import Array, Number, exact_array, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import shown
from leaktight.labels import positions
from leaktight.repetition.enclosure import Ends, EventProbability
from leaktight.repetition.rounds import Observations, Observed, observe
from leaktight.repetition.types import Method, Stakes, TypeClasses, sum_over_types


@dataclass(frozen=True, slots=True)
class BreachProbability:
    """How likely the belief that the secret is in a set Q moves by more than a ratio.

    ``raised`` is the probability of p(Q|y) > ratio·p(Q) if the secret is in Q, and ``lowered``
    that of p(Q|y) < p(Q)/ratio if it is not. Their ``complement`` is the probability that the
    breach fails.
    """

    raised: EventProbability
    lowered: EventProbability


def breach_probability(
    channel: Observed,
    secrets: Iterable[Hashable],
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    prior: PriorLike = None,
    n: int = 1,
) -> BreachProbability:
    """Return how likely n observations breach a set of secrets at a ratio λ, either way.

    Theorem 7 of [Boreale2012]_, where λ is 2^ε; here λ is ``ratio`` or e^``epsilon``. The theorem
    says that both probabilities tend to 1, but a belief cannot grow beyond 1: if p(Q)·λ ≥ 1,
    ``raised`` is 0 for every n.

    >>> from leaktight.channels.channel import Channel
    >>> rows = Channel([["4/5", "1/5"], ["3/10", "7/10"]])
    >>> found = breach_probability(rows, [0], ratio="3/2", n=5)
    >>> found.raised
    EventProbability(2304/3125 after 5 observations; types)
    >>> found.raised.complement.lower
    Fraction(821, 3125)
    >>> breach_probability(rows, [0], ratio=2, prior=["3/5", "2/5"], n=100).raised.lower
    Fraction(0, 1)
    """
    level = Ratio.of(ratio, epsilon)
    seen = observe(channel, prior).rounds(n)
    inside = np.isin(seen.support, positions(secrets, seen.inputs, "input"))
    believed = seen.prior[inside].sum() if inside.any() else fmpq(0)
    if not 0 < believed < 1:
        raise InvalidDistribution(
            f"the set must have a probability above 0 and below 1, got {shown(believed)}; "
            "otherwise no observation changes it"
        )
    q, rest = (
        seen.by_class((seen.prior * exact_array(part.tolist()))[None, :])[0]
        for part in (inside, ~inside)
    )
    # A larger ratio makes both breaches less likely.
    ratios = [rational(r) for r in dict.fromkeys((level.upper, level.lower))]
    raised = [(max(1 - r * believed, fmpq(0)) * q, r * believed * rest) for r in ratios]
    lowered = [(believed * rest, (r - believed) * q) for r in ratios]
    return BreachProbability(
        _event(seen, raised, q / believed), _event(seen, lowered, rest / (1 - believed))
    )


def _event(seen: Observations, costs: list[tuple[Array, Array]], masses: Array) -> EventProbability:
    """Return the probability under ``masses`` that the first cost exceeds the second.

    If there are two pairs of costs, the truth is between the two probabilities.
    """
    found = [_chances(seen, no, yes, masses) for no, yes in costs]
    (own, other, method), (last_own, last_other, _) = found[0], found[-1]
    return EventProbability.with_complement(
        (own[0], last_own[1]), (last_other[0], other[1]), seen.total, method, seen.is_exact
    )


def _chances(seen: Observations, no: Array, yes: Array, masses: Array) -> tuple[Ends, Ends, Method]:
    """Enclose the probabilities that the first cost exceeds the second, and that it does not."""
    if not no.any():
        return (fmpq(0), fmpq(0)), (fmpq(1), fmpq(1)), "types"
    types, costs, nothing = TypeClasses.of(seen.parts), np.stack([no, yes]), 0 * masses
    event, failure = np.stack([nothing, masses]), np.stack([masses, nothing])
    low, high, method = sum_over_types(types, Stakes(costs, event), seen.is_exact)
    if low == high:
        return (low, high), (1 - high, 1 - low), method
    left, right, _ = sum_over_types(types, Stakes(costs, failure), False)  # it may be tiny
    return (low, high), (left, right), method
