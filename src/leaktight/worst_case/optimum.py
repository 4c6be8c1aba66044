"""The worst case of any private mechanism: the largest Σ_z max_x K(z|x), exact and proved.

The answer comes with a mechanism that attains the lower end and a certificate of both ends. It is
put together from pieces: independent records multiply, and those that are alike are settled once
(``records``). Of several records all but one are bounded by covers, and
answered together where that attains more (``together``). The laws are proved in
docs/proofs/cover-bound.md.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, overload

from leaktight.channels.all_or_nothing import AllOrNothing
from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.exact.numbers import Number
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space, in_edges
from leaktight.policies.policy import Policy
from leaktight.policies.real import RealPolicy
from leaktight.worst_case.bound import WorstCaseBound
from leaktight.worst_case.certificate import digest_of_records
from leaktight.worst_case.real import RealWorstCase, real_worst_case
from leaktight.worst_case.records import RecordKind
from leaktight.worst_case.together import Together
from leaktight.worst_case.under_counts import (
    WorstCaseUnderCounts,
    tied_by_counts,
    worst_case_under_counts,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WorstCase(WorstCaseBound):
    """The largest Σ_z max_x K(z|x) over all private channels, between two exact numbers.

    ``lower`` is attained by ``mechanism``; ``upper`` is proved by the certificate. For a rational
    ratio they are equal if ``is_exact``. For a ratio that is only enclosed, as e^ε, ``is_exact``
    says that they are the worst cases at the two ends of the enclosure.
    """

    graph: AdjacencyGraph
    ratio: Ratio
    pieces: tuple[RecordKind, ...]
    together: Together | None = None
    """How several records are answered, if not independently."""

    @property
    def lower_factors(self) -> Powers:
        """The lower end as a product of powers, however many records there are."""
        if self.together is not None:
            return self.together.factors
        return Powers.of(*((piece.lower, piece.records) for piece in self.pieces))

    @property
    def upper_factors(self) -> Powers:
        """The upper end as a product of powers, however many records there are."""
        return math.prod((piece.upper_factors for piece in self.pieces), start=Powers.of())

    @property
    def is_exact(self) -> bool:
        """Whether nothing but the rounding of e^ε separates the two ends."""
        return all(piece.is_exact for piece in self.pieces)

    @property
    def promise(self) -> str:
        """What is private."""
        return f"ratio {self.ratio}"

    @property
    def route(self) -> str:
        """How it was found."""
        routes = {route for piece in self.pieces for route in piece.routes}
        routes |= {"packing"} if self.together else set()
        parts = max(len(piece.parts) for piece in self.pieces)
        records = sum(piece.records for piece in self.pieces)
        steps = [*(["product of records"] * (records > 1)), *(["components"] * (parts > 1))]
        return ", ".join([*steps, *sorted(routes)])

    @property
    def digest(self) -> str:
        """The digest of the graph and the records, as the checker shows it of the certificate."""
        return digest_of_records((piece.space, piece.records) for piece in self.pieces)

    @property
    def mechanism(self) -> Channel | Parallel | AllOrNothing:
        """A private channel that attains the lower end; several records are not multiplied out."""
        if self.together is not None:
            return self.together.mechanism
        channels = tuple((piece.channel(), piece.records) for piece in self.pieces)
        if len(channels) == 1 and channels[0][1] == 1:
            return channels[0][0]
        return Parallel(channels)

    @property
    def certificate(self) -> dict[str, Any]:
        """Everything that proves both ends, as plain JSON, for :mod:`leaktight.check`.

        >>> from leaktight.policies.secrets import SecretGraph
        >>> proof = worst_case_leakage(SecretGraph.line(2), ratio=2).certificate
        >>> proof["pieces"][0]["mechanism"], proof["pieces"][0]["parts"]
        ([['2/3', '1/3'], ['1/3', '2/3']], [{'vertices': [0, 1], 'cover': ['2/3', '2/3']}])
        """
        from leaktight.check import RECORDS, WORST_CASE

        if self.together is not None:
            bounds = [piece.bounded() for piece in self.pieces]
            return {"format": RECORDS} | self.ratio.to_dict() | self.together.certificate(bounds)
        pieces = [piece.attained() | piece.bounded() for piece in self.pieces]
        return {"format": WORST_CASE} | self.ratio.to_dict() | {"pieces": pieces}


@overload
def worst_case_leakage(
    neighbours: AdjacencyGraph | Graph | Metric,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> WorstCase: ...
@overload
def worst_case_leakage(
    neighbours: Policy, ratio: RatioLike = None, epsilon: Number | None = None
) -> WorstCase | WorstCaseUnderCounts: ...
@overload
def worst_case_leakage(
    neighbours: RealPolicy, ratio: RatioLike = None, epsilon: Number | None = None
) -> RealWorstCase: ...
@overload
def worst_case_leakage(
    neighbours: Space, ratio: RatioLike = None, epsilon: Number | None = None
) -> WorstCase | RealWorstCase | WorstCaseUnderCounts: ...
def worst_case_leakage(
    neighbours: Space, ratio: RatioLike = None, epsilon: Number | None = None
) -> WorstCase | RealWorstCase | WorstCaseUnderCounts:
    """Return the largest leakage of any mechanism that is private, with mechanism and proof.

    The largest min-entropy leakage over all private channels and all priors is the logarithm of
    the largest Σ_z max_x K(z|x). A million independent records cost no more than one. Under public
    counts that leave too many databases to list, the answer is a
    :class:`~leaktight.worst_case.WorstCaseUnderCounts`: bits, and no mechanism. For a
    :class:`Metric`, λ is the ratio at a distance of 1. Powers of λ are then rounded, unless all
    edges are of one rational length, so that the two ends differ by some 10⁻¹² and ``is_exact``
    does not hold; the certificate proves both. For an interval and other real values the answer is
    in closed form.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> worst = worst_case_leakage(SecretGraph.line(4), ratio=2)
    >>> worst
    WorstCase(exactly 1 bit at ratio 2 (ε = ln 2); weighting)
    >>> worst.lower, worst.upper, worst.is_exact
    (Fraction(2, 1), Fraction(2, 1), True)
    >>> worst_case_leakage(Metric.euclidean([(0, 0), (3, 0), (0, 4)]), ratio=2)
    WorstCase(between 1.39057 and 1.39058 bits at ratio 2 (ε = ln 2); columns of a metric)
    >>> from leaktight.policies.real import Interval
    >>> worst_case_leakage(Interval(0, 100), epsilon="0.1")
    RealWorstCase(exactly 6 = 1 + εL/2, 2.58497 bits)
    >>> from leaktight.policies.constraint import count
    >>> flu = count(["flu"], equals=300)
    >>> ward = Policy(SecretGraph.complete(["flu", "cold", "none"]), 1000, constraints=[flu])
    >>> worst_case_leakage(ward, ratio=2)
    WorstCaseUnderCounts(exactly 408.035 bits at ratio 2 (ε = ln 2); weighting)
    """
    if isinstance(neighbours, RealPolicy):
        found = real_worst_case(neighbours, ratio, epsilon)
        if neighbours.finite is None:
            return found
        part = worst_case_leakage(neighbours.finite, ratio, epsilon)
        return replace(found, lower=found.lower * part.lower, upper=found.upper * part.upper)
    known, asked = in_edges(neighbours, Ratio.of(ratio, epsilon))
    if (tied := tied_by_counts(known)) is not None:
        return worst_case_under_counts(tied, asked)
    kinds, graph = known.record_spaces(), known.joined()
    pieces = [RecordKind.of(space, asked, records) for space, records in kinds]
    if sum(records for _, records in kinds) == 1:
        return WorstCase(graph, asked, tuple(pieces))
    covered = [piece.covered() for piece in pieces]
    worst = WorstCase(graph, asked, _multiplied(pieces, covered))
    packings = tuple(one for piece in covered if (one := piece.packing()))
    if worst.is_exact or len(packings) < len(covered):
        return worst
    together = Together.of(packings)
    return replace(worst, together=together) if together.factors > worst.lower_factors else worst


def _multiplied(pieces: list[RecordKind], covered: list[RecordKind]) -> tuple[RecordKind, ...]:
    """Bound all records by covers but one, for which other proofs gain most."""
    gains = [cover.upper / piece.upper for cover, piece in zip(covered, pieces, strict=True)]
    most = max(range(len(gains)), key=lambda k: gains[k])
    if gains[most] > 1:
        best, cover = pieces[most], covered[most]
        best = best if best.records == 1 else replace(cover, once=best.above)
        return (*covered[:most], best, *covered[most + 1 :])
    return tuple(covered)
