"""How much could any private mechanism leak that has few outputs?

Columns that are largest at the same vertex can be merged, so a mechanism with r outputs is one that
guesses among r vertices, and its Σ_z max_x K(z|x) is the number of vertices times the chance that
the guess is right if all are alike. So it is the best mechanism for each set of r guesses.
"""

from itertools import combinations
from math import comb

from leaktight.channels.gain import Gain
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.numbers import Number
from leaktight.exact.ratio import RatioLike
from leaktight.exact.shown import counted
from leaktight.mechanisms.best.best import BestMechanism, optimal_mechanism
from leaktight.policies.neighbours import Neighbours, adjacency_of

MOST_SETS = 2000
"""The most sets of vertices that are tried for a number of outputs."""


def worst_case_with_outputs(
    neighbours: Neighbours,
    outputs: int,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> BestMechanism:
    """Return the private channel with so many outputs that has the largest Σ_z max_x K(z|x).

    That sum is its ``utility``; all sets of vertices are tried, and no private channel with so many
    outputs has more than the largest ``upper`` among them, which it has.

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> two_bits = Policy(SecretGraph.complete(2), records=2)
    >>> worst_case_with_outputs(two_bits, 2, ratio=2).upper
    Fraction(3, 2)
    """
    graph = adjacency_of(neighbours).explicit()
    if not isinstance(outputs, int) or isinstance(outputs, bool) or outputs < 1:
        raise InvalidNumber(f"outputs must be a whole number from 1 up, got {outputs!r:.60}")
    n, size = graph.order, min(outputs, graph.order)
    if comb(n, size) > MOST_SETS:
        raise TooLarge(
            f"{counted(comb(n, size), 'set', 'sets')} of {size} vertices are too many "
            f"to try, the most are {MOST_SETS:,}"
        )
    alike = Gain(
        [[n * (i == w) for i in range(n)] for w in range(n)], graph.vertices, graph.vertices
    )
    tried = (
        optimal_mechanism(graph, None, alike, ratio, epsilon, outputs=chosen)
        for chosen in combinations(graph.vertices, size)
    )
    return max(tried, key=lambda best: best.upper)
