"""The level of noise on a count, a sum or a histogram, however many records there are.

Neighbours move the answer by some shift in each coordinate, and noise says how well it tells a
shift apart: ``AdditiveNoise.shift_ratio``. Coordinates have noise of their own, so their ratios
multiply. Noise whose tails are geometric tells answers apart by one factor for each step between
them, so that only the largest sum of shifts matters; of other noise all shifts are gone through.
"""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from flint import arb, fmpq

from leaktight.channels.additive_noise import AdditiveNoise
from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import precision
from leaktight.policies.fibres import whole_weights
from leaktight.policies.policy import Policy
from leaktight.policies.query import Sensitivity, sensitivity
from leaktight.policies.symmetric_query import LinearQuery
from leaktight.privacy.level import PrivacyLevel, Witness

MOST_BITS = 2**16
"""The longest ratio that is not rounded."""


Shift: TypeAlias = tuple[int, ...]
"""By how much a coordinate of the answer moves, for each of them."""


def noise_level(noise: AdditiveNoise, policy: Policy, query: LinearQuery) -> PrivacyLevel:
    """Return the least ratio at which noise on sums of whole numbers is private, and where.

    It is that of the neighbours of the policy, whatever is public. Of noise that is cut off where
    an answer can be, and is not geometric, it is only proved to be enough. The witness has two
    values of a record, whoever the others are, if the records are independent; those of the
    records that change at once, if counts are public; and otherwise two databases. A ratio that
    would be very long is rounded up in its thousandth bit.

    - ``noise``: an :class:`AdditiveNoise`, for all coordinates alike and independent.
    - ``policy``: anything public may make records depend on each other. For other noise than with
      geometric tails, as for a predicate or a list of databases, these are listed, and `TooLarge`
      is raised if they are too many.

    >>> from leaktight.mechanisms.geometric import GeometricNoise
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import HistogramQuery
    >>> bands = Policy(SecretGraph.complete(["low", "high"]), records=1_000_000)
    >>> noise_level(GeometricNoise(ratio=2), bands, HistogramQuery(("low", "high"))).ratio
    Fraction(4, 1)
    """
    expect(policy, Policy, "Policy(graph, records) makes one")
    expect(query, LinearQuery, "counting_query(values) makes one")
    if not isinstance(noise, AdditiveNoise):
        raise InvalidInput(
            "expected AdditiveNoise, such as GeometricNoise(epsilon=1), which says how well it "
            f"tells answers apart, got {noise!r:.60}; a channel has a privacy_level"
        )
    if (step := noise.constant_ratio) is not None:
        found = _by_steps(rational(step), policy, query)
    else:
        found = _by_shifts(noise, policy, query)
    if _hides_ends(noise, policy, query) and found.ratio != 1:
        # Cutting off only hides, and so the ratio is enough; but nobody may see it.
        return replace(found, witness=None, least=Fraction(1))
    return found


def _hides_ends(noise: AdditiveNoise, policy: Policy, query: LinearQuery) -> bool:
    """Say whether noise that is not geometric may be cut off where an answer can be."""
    if noise.places is None or noise.is_geometric:
        return False
    return not noise.adds_to(policy, query)


def _by_steps(step: fmpq, policy: Policy, query: LinearQuery) -> PrivacyLevel:
    """Return the level of noise that tells answers apart by a factor for each step."""
    known = _under_constraints(policy, query) if policy.is_constrained else None
    gap, pair = widest_gap(policy, query) if known is None else (int(known.value), known.witness)
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

    Steps in all coordinates count. Two values are given if the records are independent; those of
    all records that change at once if counts are public; and otherwise two databases.
    """
    if policy.is_constrained:
        found = _under_constraints(policy, query)
        return int(found.value), found.witness
    best: tuple[int, tuple[Hashable, Hashable] | None] = 0, None
    for shift, pair in _shifts(policy, query):
        if (gap := sum(map(abs, shift))) > best[0]:
            best = gap, pair
    return best


def _under_constraints(policy: Policy, query: LinearQuery) -> Sensitivity:
    for value in policy.secrets.vertices:
        whole_weights(query, value)
    return sensitivity(policy, query)


def _by_shifts(noise: AdditiveNoise, policy: Policy, query: LinearQuery) -> PrivacyLevel:
    """Return the level of any noise: that of the shift which it tells apart best."""
    best, pair = PrivacyLevel(Fraction(1), None), dict[Shift, tuple[Hashable, Hashable]]()
    for shift, (a, b) in _shifts(policy, query):
        pair.setdefault(shift, (a, b))
        pair.setdefault(tuple(-d for d in shift), (b, a))
    for shift, (a, b) in pair.items():
        if (ratio := noise.shifts_ratio(shift)) > best.ratio:
            best = PrivacyLevel(ratio, Witness(a, b, noise.worst_output))
    return best


def _shifts(
    policy: Policy, query: LinearQuery
) -> Iterator[tuple[Shift, tuple[Hashable, Hashable]]]:
    """Yield by how much the answer moves between neighbours, and which they are."""
    if policy.is_constrained:
        graphs = [policy.adjacency().explicit()]
    else:
        graphs = [graph for graph, _ in policy.adjacency().factors]
    for graph in graphs:
        steps: dict[Any, Shift] = {}
        for one in graph.vertices:
            values: Any = one if policy.is_constrained and policy.records > 1 else (one,)
            each = (whole_weights(query, value) for value in values)
            steps[one] = tuple(map(sum, zip(*each, strict=True)))
        for a, b in graph.edge_pairs():
            yield tuple(x - y for x, y in zip(steps[a], steps[b], strict=True)), (a, b)
