"""The most that any mechanism leaks which keeps a promise: Σ_z max_x K(z|x), on any graph.

It is the number of secrets times the best guess if all are equally likely, as for one channel its
capacity is that of the uniform prior. Pure ε is the worst case of the room above. For a curve, one
record is answered by the best guess on its graph, and independent records by a cover at one pair
(λ, δ) of the curve: a cover of each record is one of all (Theorem 9 of ``docs/proofs/curves.md``).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import Any, overload

from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.channels.gain import Gain
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.graphs import BestGain, best_gain
from leaktight.curves.polygon import ONE, ZERO, Line, Polygon
from leaktight.curves.promise import Promise, promise_of
from leaktight.curves.records import all_records
from leaktight.errors import InvalidInput, InvalidPolicy, TooLarge, Undecided
from leaktight.exact.numbers import Number, fraction, rational, to_float
from leaktight.exact.powers import Powers, PowerSum
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import space_of
from leaktight.policies.policy import Policy
from leaktight.policies.real import RealPolicy
from leaktight.policies.space import Space
from leaktight.worst_case.bound import WorstCaseBound
from leaktight.worst_case.columns import best_cover, coverage, total_weight, weighting
from leaktight.worst_case.optimum import WorstCase
from leaktight.worst_case.optimum import worst_case_leakage as worst_case_of_ratio
from leaktight.worst_case.real import RealWorstCase
from leaktight.worst_case.under_counts import WorstCaseUnderCounts, tied_by_counts

LINES = 24
"""With how many lines a smooth curve is drawn where one of its pairs is chosen."""

MOST_SOLVED = 40
"""The largest graph on which a best guess is solved for; that of a larger one is bounded."""

MOST_ALONE = 12
"""The largest graph of one of several records on which a best guess is solved for."""

MOST_BY_DISTANCE = 16
"""The most equal records for which the program with one number for each distance is solved."""


@dataclass(frozen=True, eq=False, repr=False)
class CurveWorstCase(WorstCaseBound):
    """The worst case over all channels that keep a curve."""

    graph: AdjacencyGraph
    curve: PrivacyCurve
    route: str
    lower_factors: PowerSum
    upper_factors: PowerSum
    found: BestGain | None = None
    has_distances: bool = False

    @cached_property
    def bits_interval(self) -> tuple[float, float]:
        """Both ends in bits, rounded outward; the upper one is a guarantee."""
        return super().bits_interval

    @property
    def promise(self) -> str:
        """What is kept."""
        return str(self.curve)

    @property
    def is_exact(self) -> bool:
        """Whether nothing but rounding separates the two ends: twelve digits agree."""
        low, high = self.bits_interval
        return high - low <= 2.0**-40 * max(high, 1.0)

    @property
    def is_certified(self) -> bool:
        """Whether there is a certificate: for one record, or several of values all neighbours."""
        alone = sum(n for _, n in self.graph.factors) == 1
        if self.has_distances:
            return self.found is not None and self.found.mechanism is not None
        return alone or all(one.is_complete for one, _ in self.graph.factors)

    @property
    def mechanism(self) -> Channel:
        """A mechanism that attains the lower end, for one record."""
        found = _proved(self).mechanism
        assert found is not None
        return found

    @property
    def certificate(self) -> dict[str, Any]:
        """What proves how often everything is guessed, for one record or several complete ones.

        >>> from leaktight.check import check
        >>> from leaktight.policies.secrets import SecretGraph
        >>> [(records, lower, upper)] = check(
        ...     worst_case_leakage(SecretGraph.complete(4), ratio=2, delta="1/10").certificate
        ... )
        >>> str(lower), str(upper)
        ('23/50', '23/50')
        """
        factors = self.graph.factors
        if sum(n for _, n in factors) > 1 and self.is_certified:
            kinds = ((Distribution.uniform(one.order), n) for one, n in factors)
            each = (prior for prior, n in kinds for _ in range(n))
            return all_records(self.curve, product_distribution(*each)).certificate
        if (found := _proved(self).certificate) is None:
            raise Undecided("so large a divergence excludes nothing: there is nothing to certify")
        return found


def _proved(worst: CurveWorstCase) -> BestGain:
    """Return the best guess of one record with its mechanism and what proves it."""
    factors = worst.graph.factors
    if sum(n for _, n in factors) > 1:
        raise TooLarge(
            "of several records under a curve there is no mechanism, and a certificate only if "
            "all values of a record are neighbours; one record has both"
        )
    if worst.has_distances and not worst.is_certified:
        raise TooLarge("of so many values with distances there is a bound, and no certificate")
    if worst.found is not None and worst.found.certificate is not None:
        return worst.found
    graph = factors[0][0]
    return best_gain(worst.curve, graph, None, Gain.binary(graph.vertices))


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
    neighbours: Space,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    *,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> WorstCase | RealWorstCase | WorstCaseUnderCounts | CurveWorstCase: ...
def worst_case_leakage(
    neighbours: Space,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    *,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> WorstCase | RealWorstCase | WorstCaseUnderCounts | CurveWorstCase:
    """Return the largest leakage of any mechanism that keeps a promise.

    For pure ε it is :func:`leaktight.worst_case.worst_case_leakage`: exact, with mechanism and
    proof. For (ε, δ), ρ-zCDP, μ-Gaussian privacy or any curve it is the same question about all
    mechanisms that keep that: exact on complete graphs and trees, and for (ε, δ) wherever the
    graph has a weighting; otherwise between two ends, of which the upper is safe.

    :param neighbours: a graph, a policy, for (ε, δ) also a metric, where any two values at a
        distance d are (ε·d, δ)-private, and for pure ε real values.
    :param ratio: λ = e^ε, or ``epsilon`` in its place; ``delta`` beside either is (ε, δ).
    :param rho: ρ of zero-concentrated privacy; ``mu``: of Gaussian privacy; ``curve``: any other.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> worst_case_leakage(SecretGraph.line(4), ratio=2)
    WorstCase(exactly 1 bit at ratio 2 (ε = ln 2); weighting)
    >>> worst_case_leakage(SecretGraph.complete(6), mu=1)
    CurveWorstCase(exactly 1.33981 bits at μ = 1 (Gaussian); best guess)
    >>> worst_case_leakage(Policy(SecretGraph.line(4), 1_000_000), ratio=2, delta="0.001")
    CurveWorstCase(exactly 1,999,991 bits at λ = 2, δ = 0.001; cover)
    """
    if (delta, rho, mu, curve) == (None,) * 4:
        who: Any = neighbours
        return worst_case_of_ratio(who, ratio, epsilon)
    promise = promise_of(ratio, epsilon, delta=delta, rho=rho, mu=mu, curve=curve)
    return worst_case(neighbours, promise)


def worst_case(
    neighbours: Space, promise: Promise
) -> WorstCase | RealWorstCase | WorstCaseUnderCounts | CurveWorstCase:
    """Return the same for a promise that was read."""
    if isinstance(promise, Ratio):
        return worst_case_of_ratio(neighbours, promise)
    if not promise.is_symmetric:
        raise InvalidInput("neighbours have no direction here: give curve.symmetric()")
    metric = space_of(neighbours).measured
    alone = metric is not None and (metric.unit != 1 or promise.pair)
    if metric is not None and alone and neighbours.joined().records == 1:
        return _of_metric(metric, promise)
    graph = in_steps(neighbours)
    [(first, n), *others] = graph.factors
    if n == 1 and not others and (first.is_complete or first.order <= MOST_SOLVED):
        return _of_one(graph, promise)
    return _of_many(graph, promise)


def in_steps(neighbours: Space) -> AdjacencyGraph:
    """Return who is a neighbour of whom; refuse distances, and databases that are not listed."""
    metric = neighbours.measured
    if metric is not None and metric.unit != 1:
        raise InvalidPolicy(
            "with distances pure ε alone is proved here: give ratio= or epsilon=, or a graph of "
            "values that are neighbours"
        )
    if tied_by_counts(neighbours) is not None:
        raise TooLarge(
            "under public counts a curve needs a list of all databases, and these are too many; "
            "take fewer records, or pure ε: ratio= or epsilon="
        )
    return neighbours.joined()


def _of_one(graph: AdjacencyGraph, curve: PrivacyCurve) -> CurveWorstCase:
    """Return the number of secrets times the best guess, if all are equally likely."""
    [(one, _)] = graph.factors
    try:
        found = best_gain(curve, one)
    except (TooLarge, Undecided):
        return _of_many(graph, curve)
    ends = (found.lower, found.upper)
    lower, upper = (PowerSum(((end * one.order, Powers.of()),)) for end in ends)
    return CurveWorstCase(graph, curve, "best guess", lower, upper, found)


def _of_metric(metric: Metric, curve: PrivacyCurve) -> CurveWorstCase:
    """Return the same where any two values at a distance d are (ε·d, δ)-private."""
    try:
        found = best_gain(curve, metric)
    except InvalidInput:
        raise InvalidPolicy(
            "with distances pure ε and (ε, δ) alone are proved: give ratio= or epsilon=, with "
            "delta= perhaps, or a graph of values that are neighbours"
        ) from None
    ends = (found.lower, found.upper)
    lower, upper = (PowerSum(((end * metric.order, Powers.of()),)) for end in ends)
    route = "cover" if found.mechanism is None else "program over distances"
    graph = AdjacencyGraph.of(found.graph, 1)
    return CurveWorstCase(graph, curve, route, lower, upper, found, has_distances=True)


def _of_many(graph: AdjacencyGraph, curve: PrivacyCurve) -> CurveWorstCase:
    """Bound by a cover at one pair of the curve, and by what is within the curve."""
    kinds = list(graph.factors)
    if (exact := _by_distance(kinds, curve)) is not None:
        return CurveWorstCase(graph, curve, "program over distances", *exact)
    drawn = curve.polygons(LINES)
    upper = _covered(_best_pair(drawn.upper.pairs, kinds), kinds)
    lowers = [_attained(pair, kinds) for pair in _within(drawn.lower)]
    if len(drawn.lower.pairs) > 1 and all(one.order <= MOST_ALONE for one, _ in kinds):
        alone = [(best_gain(curve, one).lower * one.order, n) for one, n in kinds]
        lowers.append(PowerSum(((Fraction(1), Powers.of(*alone)),)))  # each record by itself
    lower = max(lowers, key=lambda each: each.bits_interval)
    return CurveWorstCase(graph, curve, "cover", lower, upper)


def _by_distance(
    kinds: list[tuple[Graph, int]], curve: PrivacyCurve
) -> tuple[PowerSum, PowerSum] | None:
    """Theorem 10 beyond one pair: equal records, all of whose values are neighbours."""
    [(one, n), *others] = kinds
    few = not others and n <= MOST_BY_DISTANCE and one.is_complete
    if not few or len(curve.polygons(LINES).upper.pairs) == 1:
        return None
    uniform = Distribution.uniform(one.order)
    found = all_records(curve, product_distribution(*repeat(uniform, n)))
    whole = Powers.of((one.order, n))
    return PowerSum(((found.lower, whole),)), PowerSum(((found.upper, whole),))


def _within(polygon: Polygon) -> list[Line]:
    """Return pairs (λ, δ) whose promise is within the polygon: what keeps them keeps it, too."""
    if len(polygon.pairs) == 1:
        return [polygon.pairs[0]]
    apart = polygon.delta(ONE)
    pure = [((1 + apart) / (1 - apart), ZERO)] if apart < 1 else []
    return [(ONE, polygon.at(ZERO)), *pure]


def _best_pair(pairs: Any, kinds: list[tuple[Graph, int]]) -> Line:
    """Propose the pair whose bound is least."""
    few = sorted(pairs, key=lambda pair: to_float(pair[0]))
    if len(few) == 1:
        return few[0]
    return min(few, key=lambda pair: _covered(pair, kinds).bits)


def _covered(pair: Line, kinds: list[tuple[Graph, int]]) -> PowerSum:
    """Return (1 − δ)·Π Σu + δ·Π Σcov, for covers u of each record with cov ≥ 1."""
    ratio, delta = pair
    costs = [(*_cover(one, fraction(ratio)), n) for one, n in kinds]
    return _terms(
        (1 - delta, [(cost, n) for cost, _, n in costs]),
        (delta, [(size, n) for _, size, n in costs]),
    )


def _cover(graph: Graph, ratio: Fraction) -> tuple[fmpq, fmpq]:
    """Return Σ u and Σ cov of a cover of one record, over its components."""
    cost = size = ZERO
    for part in _components(graph):
        weights = weighting(part, ratio)
        if weights is not None:
            cost, size = cost + total_weight(weights), size + part.order
            continue
        cover = best_cover(part, ratio)[0]
        seen = coverage(part, ratio, cover.weights)
        cost += total_weight(cover.weights) / seen.min()
        size += total_weight(seen) / seen.min()
    return rational(cost), rational(size)


def _attained(pair: Line, kinds: list[tuple[Graph, int]]) -> PowerSum:
    """Return δ·Π v + (1 − δ)·Σ max: publish all with the chance δ, else be private at λ."""
    ratio, delta = fraction(pair[0]), pair[1]
    pure = [(_reached(one, ratio), n) for one, n in kinds]
    return _terms((1 - delta, pure), (delta, [(fmpq(one.order), n) for one, n in kinds]))


def _reached(graph: Graph, ratio: Fraction) -> fmpq:
    """Return what a mechanism attains on one record that is private at a ratio."""
    total = ZERO
    for part in _components(graph):
        weights = weighting(part, ratio)
        if weights is None:
            total += rational(best_cover(part, ratio)[1].value)
        else:
            total += rational(total_weight(weights))
    return total


def _components(graph: Graph) -> list[Graph]:
    if graph.is_connected:
        return [graph]
    return [graph.subgraph(part) for part in graph.components]


def _terms(*terms: tuple[fmpq, list[tuple[fmpq, int]]]) -> PowerSum:
    return PowerSum(tuple((fraction(c), Powers.of(*powers)) for c, powers in terms if c > 0))
