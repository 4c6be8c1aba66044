"""How private is noise on a count, a sum or a histogram, however many records there are?

A record that changes from u to v moves the answer by w_u − w_v. Noise that falls off by a factor r
with each step tells two answers apart by r for each step between them, and by no more: an output
beyond both attains it. Coordinates have noise of their own, so their ratios multiply.
"""

from collections.abc import Hashable
from fractions import Fraction

from flint import arb, fmpq

from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import precision
from leaktight.leakage.noise_on_sums import Noise
from leaktight.policies.one_record import whole_weights
from leaktight.policies.policy import Policy
from leaktight.policies.query import Sensitivity, sensitivity
from leaktight.policies.symmetric_query import LinearQuery
from leaktight.privacy.level import PrivacyLevel, Witness

MOST_BITS = 2**16
"""The longest ratio that is not rounded."""


def noise_level(noise: Noise, policy: Policy, query: LinearQuery) -> PrivacyLevel:
    """Return the least ratio at which noise on sums of whole numbers is private, and where.

    The records are independent but for public counts, the noise geometric or Laplace's rounded, and
    not cut off where an answer can be. The witness has two values of a record, whoever the others
    are, or of several that change at once because counts are public. A ratio that would be very
    long is rounded up in its thousandth bit.

    >>> from leaktight.mechanisms.geometric import GeometricNoise
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import HistogramQuery
    >>> bands = Policy(SecretGraph.complete(["low", "high"]), records=1_000_000)
    >>> noise_level(GeometricNoise(ratio=2), bands, HistogramQuery(("low", "high"))).ratio
    Fraction(4, 1)
    """
    expect(policy, Policy, "Policy(graph, records) makes one")
    expect(query, LinearQuery, "counting_query(values) makes one")
    if not hasattr(noise, "tail"):
        raise InvalidInput(f"expected noise such as GeometricNoise(epsilon=1), got {noise!r:.60}")
    known = None if policy.public_counts is None else _under_counts(policy, query)
    gap, pair = widest_gap(policy, query) if known is None else (int(known.value), known.witness)
    step = rational(noise.tail(1)) / rational(noise.tail(2))
    if not gap or step == 1:
        return PrivacyLevel(Fraction(1), None)
    ratio = step**gap if gap * step.height_bits() <= MOST_BITS else _power_above(step, gap)
    witness = None
    if pair is not None:
        rest = None if known is None else known.rest
        witness = Witness(pair[0], pair[1], "beyond both answers", rest=rest)
    least = None
    if known is not None and not known.is_exact:
        least = fraction(step ** min(int(known.attained), MOST_BITS // step.height_bits()))
    return PrivacyLevel(fraction(ratio), witness, least=least)


def _power_above(step: fmpq, gap: int) -> fmpq:
    """Return a number of few bits that is just above the power."""
    with precision(MOST_BITS // 64):
        return (arb(step) ** gap).upper().fmpq()


def widest_gap(policy: Policy, query: LinearQuery) -> tuple[int, tuple[Hashable, Hashable] | None]:
    """Return by how many steps the answer moves at most from a database to a neighbour.

    Steps in all coordinates count. The records are independent, and the two values are given, or
    those of all records that change at once because counts are public.
    """
    if policy.public_counts is not None:
        found = _under_counts(policy, query)
        return int(found.value), found.witness
    best: tuple[int, tuple[Hashable, Hashable] | None] = 0, None
    for graph, _ in policy.adjacency().factors:
        steps = {value: whole_weights(query, value) for value in graph.vertices}
        for a, b in graph.edge_pairs():
            gap = sum(abs(x - y) for x, y in zip(steps[a], steps[b], strict=True))
            best = (gap, (a, b)) if gap > best[0] else best
    return best


def _under_counts(policy: Policy, query: LinearQuery) -> Sensitivity:
    for value in policy.secrets.vertices:
        whole_weights(query, value)
    return sensitivity(policy, query)
