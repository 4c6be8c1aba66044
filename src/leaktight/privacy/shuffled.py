"""The δ that shuffled answers need, whoever the others are.

Shuffling leaves the level of one answer as it is, since all may answer alike; but it makes the
histograms unlikely that tell that much. Σ_h max(0, P(h|v) − λ·P(h|w)) is what a guess between v
and w, of weight λ, is worth beyond always guessing w. The proof is in docs/proofs/shuffle.md.
"""

from fractions import Fraction

from flint import fmpq

from leaktight.channels.shuffled import Shuffled, ShuffledViews
from leaktight.errors import expect
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.policies.neighbours import Neighbours
from leaktight.privacy.level import databases_of
from leaktight.privacy.profile import Delta


def shuffled_delta(
    crowd: Shuffled,
    neighbours: Neighbours,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> Delta:
    """Return the least δ for which shuffled answers are (ε, δ)-private, whatever the others have.

    ``neighbours`` is a graph of the values of one person. Where λ = e^ε is not rational, both ends
    are rounded outward.

    >>> from leaktight.channels.channel import Channel
    >>> from leaktight.policies.secrets import SecretGraph
    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["no", "yes"])
    >>> answers = SecretGraph.complete(["no", "yes"])
    >>> for people in (1, 10, 50):
    ...     print(people, f"{float(shuffled_delta(Shuffled(coin, people), answers, ratio=2)):.6f}")
    1 0.250000
    10 0.018771
    50 0.000017
    """
    views = ShuffledViews(expect(crowd, Shuffled, "Shuffled(channel, people) makes one"))
    graph = databases_of(crowd.channel, neighbours)
    asked, names = Ratio.of(ratio, epsilon), graph.vertices
    best = Delta(Fraction(0), Fraction(0), None)
    for i, h in graph.arcs:
        lower, upper = (
            fraction(views.excess({names[i]: fmpq(1), names[h]: rational(end)}).size)
            for end in (asked.upper, asked.lower)
        )
        if upper > best.upper:
            best = Delta(max(lower, best.lower), upper, (names[i], names[h]))
    return best
