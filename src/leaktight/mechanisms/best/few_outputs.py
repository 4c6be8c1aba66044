"""The most that any private mechanism with few outputs leaks.

Columns that are largest at the same vertex can be merged, so a mechanism with r outputs is one that
guesses among r vertices, and its Σ_z max_x K(z|x) is the number of vertices times the chance that
the guess is right if all are alike. So it is the best mechanism for each set of r guesses.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb

from leaktight.channels.channel import Channel
from leaktight.channels.gain import Gain
from leaktight.errors import InvalidNumber, TooLarge, is_whole
from leaktight.exact.bound import Factor
from leaktight.exact.numbers import Number
from leaktight.exact.ratio import RatioLike
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.mechanisms.best.best import BestMechanism, optimal_mechanism
from leaktight.policies.neighbours import Neighbours, adjacency_of

MOST_SETS = 2000
"""The most sets of vertices that are tried for a number of outputs."""


@dataclass(frozen=True, slots=True, repr=False)
class WorstCaseWithOutputs(Factor):
    """The most that private channels with few outputs leak, and one that leaks ``lower`` of it.

    The factor is the largest Σ_z max_x K(z|x) over private channels with so many outputs.
    """

    mechanism: BestMechanism
    """The mechanism that guesses among the best set of vertices, with the proof for that set."""

    @property
    def channel(self) -> Channel:
        """A private channel with so many outputs that has the factor ``lower``."""
        return self.mechanism.channel


def worst_case_with_outputs(
    neighbours: Neighbours,
    outputs: int,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> WorstCaseWithOutputs:
    """Return the largest Σ_z max_x K(z|x) of private channels with so many outputs, and one.

    All sets of vertices are tried, and no private channel with so many outputs has more than the
    largest ``upper`` among them.

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> two_bits = Policy(SecretGraph.complete(2), records=2)
    >>> worst_case_with_outputs(two_bits, 2, ratio=2)
    WorstCaseWithOutputs(exactly 3/2, 0.584963 bits)
    """
    graph = adjacency_of(neighbours).explicit()
    if not is_whole(outputs, 1):
        raise InvalidNumber(f"outputs must be a whole number from 1 up, got {outputs!r:.60}")
    n, size = graph.order, min(outputs, graph.order)
    if comb(n, size) > allowed(MOST_SETS):
        raise TooLarge(
            f"{counted(comb(n, size), 'set', 'sets')} of {size} vertices are too many "
            f"to try, the most are {allowed(MOST_SETS):,}"
        )
    alike = Gain(
        [[n * (i == w) for i in range(n)] for w in range(n)], graph.vertices, graph.vertices
    )
    tried = (
        optimal_mechanism(graph, None, alike, ratio, epsilon, outputs=chosen)
        for chosen in combinations(graph.vertices, size)
    )
    best = max(tried, key=lambda one: one.upper)
    return WorstCaseWithOutputs(best.utility, best.upper, best)
