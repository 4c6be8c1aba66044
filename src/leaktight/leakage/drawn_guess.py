"""Chance that a guess drawn by the belief is right: the Gini, or quadratic, vulnerability."""

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.leakage.groups import Groups
from leaktight.leakage.registry import leakage_measure
from leaktight.leakage.vulnerability import Leakage, joint


@leakage_measure("a guess drawn by the belief is right (Gini)")
def drawn_guess_leakage(channel: Channel, prior: PriorLike = None) -> Leakage:
    """Return how likely two values drawn by a belief agree, before and after an observation.

    Before it is Σ p², 1 less Gini's impurity; after it is the mean of the same over the posteriors.

    >>> leak = drawn_guess_leakage(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    >>> leak.before, leak.after
    (Fraction(1, 2), Fraction(5, 9))
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    if isinstance(channel, Deterministic):
        left = (weights for _, _, weights in Groups.of(channel, belief).split())
        after = sum((weights**2).sum() / weights.sum() for weights in left)
    else:
        both = joint(channel, belief)
        seen = both.sum(axis=0)
        possible = np.flatnonzero(seen > 0)
        after = ((both[:, possible] ** 2).sum(axis=0) / seen[possible]).sum()
    return Leakage.of_gain((belief.array**2).sum(), after)
