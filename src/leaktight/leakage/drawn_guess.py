"""Chance that a guess drawn by the belief is right: the Gini, or quadratic, vulnerability."""

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike
from leaktight.leakage.joint import joint_of_one
from leaktight.leakage.registry import leakage_measure
from leaktight.leakage.vulnerability import Leakage


@leakage_measure("a guess drawn by the belief is right (Gini)")
def drawn_guess_leakage(channel: Channel, prior: PriorLike = None) -> Leakage:
    """Return how likely two values drawn by a belief agree, before and after an observation.

    Before it is Σ p², 1 less Gini's impurity; after it is the mean of the same over the posteriors.

    >>> leak = drawn_guess_leakage(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    >>> leak.before, leak.after
    (Fraction(1, 2), Fraction(5, 9))
    """
    seen = joint_of_one(channel, prior)
    return Leakage.of_gain((seen.prior.array**2).sum(), seen.agreement())
