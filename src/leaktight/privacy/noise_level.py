"""How private is noise on a count, a sum or a histogram, however many records there are?

A record that changes from u to v moves the answer by w_u − w_v. Noise that falls off by a factor r
with each step tells two answers apart by r for each step between them, and by no more: an output
beyond both attains it. Coordinates have noise of their own, so their ratios multiply.
"""

from collections.abc import Hashable
from fractions import Fraction

from leaktight.errors import TooLarge
from leaktight.exact.numbers import fraction, rational
from leaktight.leakage.noise_on_sums import Noise
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import LinearQuery
from leaktight.privacy.level import PrivacyLevel, Witness

MOST_BITS = 2**16
"""The longest ratio that is written out."""


def noise_level(noise: Noise, policy: Policy, query: LinearQuery) -> PrivacyLevel:
    """Return the least ratio at which noise on sums of whole numbers is private, and where.

    The records are independent, the noise geometric or Laplace's rounded, and not cut off where
    an answer can be. The witness has two values of a record, whoever the others are.

    >>> from leaktight.mechanisms.geometric import GeometricNoise
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import HistogramQuery
    >>> bands = Policy(SecretGraph.complete(["low", "high"]), records=1_000_000)
    >>> noise_level(GeometricNoise(ratio=2), bands, HistogramQuery(("low", "high"))).ratio
    Fraction(4, 1)
    """
    gap, pair = widest_gap(policy, query)
    step = rational(noise.tail(1)) / rational(noise.tail(2))
    if gap * step.height_bits() > MOST_BITS:
        raise TooLarge(
            f"neighbouring answers are {gap:,} steps apart, so that the ratio has more than "
            f"{MOST_BITS:,} bits; count in a larger unit"
        )
    if not gap or pair is None or step == 1:
        return PrivacyLevel(Fraction(1), None)
    return PrivacyLevel(fraction(step**gap), Witness(*pair, "beyond both answers"))


def widest_gap(policy: Policy, query: LinearQuery) -> tuple[int, tuple[Hashable, Hashable] | None]:
    """Return by how many steps the answer moves at most if one record changes to a neighbour.

    Steps in all coordinates count. The records are independent, and the two values are given.
    """
    gaps = (
        (_gap(query, a, b), (a, b))
        for graph, _ in policy.adjacency().factors
        for a, b in graph.edge_pairs()
    )
    return max(gaps, key=lambda found: found[0], default=(0, None))


def _gap(query: LinearQuery, a: Hashable, b: Hashable) -> int:
    one, other = (w if isinstance(w, tuple) else (w,) for w in map(query.weight, (a, b)))
    return sum(abs(int(x) - int(y)) for x, y in zip(one, other, strict=True))
