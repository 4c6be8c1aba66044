"""The odds of each value, from a channel or from whatever is private."""

from collections.abc import Hashable, Iterable

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Number
from leaktight.exact.ratio import RatioLike
from leaktight.labels import positions
from leaktight.leakage.value_odds import ValueTable
from leaktight.repetition.attacker import Secret, attacker_on


def value_odds(
    secret: Secret,
    prior: PriorLike = None,
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    values: Iterable[Hashable] | None = None,
    observations: int = 1,
) -> ValueTable:
    """Return how far the belief in each value can rise, those that rise by most first.

    :param secret: a channel; or a graph, a metric or a policy, whatever mechanism is private on it.
    :param prior: how likely each value is beforehand; all alike if it is not given.
    :param ratio: λ of each release, or give ``epsilon``; for a channel neither.
    :param values: the values that are asked about, in this order; all if not given.
    :param observations: how many releases are seen, of which each is private at λ; of a channel
        there is one.

    Values that are impossible beforehand stay so, and are left out. Under a guarantee the belief in
    x becomes at most π_x/Σ_h π_h·λ^(−n·d(x, h)), which some mechanism attains.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> test = SecretGraph.complete(["negative", "positive"])
    >>> value_odds(test, ["0.99", "0.01"], epsilon=2)
    value     before          after   factor
    positive      1%     at most 7%  ≤ ×6.95
    negative     99%  at most 99.9%  ≤ ×1.01
    """
    attacker = attacker_on(secret, prior, ratio, epsilon)
    found = attacker.odds_of_values(observations)
    if not found:
        raise InvalidInput(
            "each value has its odds under pure ε, or if the mechanism is known: give ratio= or "
            "epsilon= and a graph, or a channel"
        )
    if values is None:
        return ValueTable.ranked(found)
    possible = tuple(odds.value for odds in found)
    return ValueTable(found[k] for k in positions(values, possible, "possible value"))
