"""Leakage of all records together: by this mechanism, and by any that is as private."""

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.curves.worst_case import CurveWorstCase
from leaktight.errors import TooLarge
from leaktight.exact.bound import added
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import log2_interval
from leaktight.exact.shown import DIGITS, above
from leaktight.labels import parts
from leaktight.leakage.capacity import min_capacity
from leaktight.limits import allowed
from leaktight.policies.fibres import weights_of
from leaktight.policies.symmetric_query import linear_of
from leaktight.studies.answers import EpsilonPoint, Leakage, PublishedBound, WorstCaseFound
from leaktight.studies.study import Study
from leaktight.worst_case.optimum import WorstCase, worst_case_leakage
from leaktight.worst_case.published import LeakageBounds, leakage_bounds
from leaktight.worst_case.under_counts import WorstCaseUnderCounts, tied_by_counts

MOST_SWEPT = 40
"""The largest graph whose worst case is computed for many ε."""

SWEEP = 12
"""How many ε these are, up to twice the one that was asked for."""

LEAST_EPSILON = 0.1
"""What counts as the ε that was asked for if it is smaller."""


def each_record(study: Study, channel: Channel) -> Parallel:
    """Return a mechanism on each record, seen through the values that the record can have."""
    if study.policy.is_constrained or study.policy.metric is not None:
        return Parallel(((channel, study.policy.records),))
    kinds = study.policy.adjacency().factors
    return Parallel(tuple((channel.restrict(graph.vertices), n) for graph, n in kinds))


def about_all(study: Study) -> str:
    """Say what the worst case is about."""
    records = study.policy.records
    return "one value" if records == 1 else f"all {records:,} records together"


def leakage_of(study: Study) -> Leakage:
    """Return what the mechanism leaks of all records together, whatever was believed."""
    if study.channel is None and study.perturbed is not None:
        # No more than telling which count it is.
        return Leakage(about_all(study), log2_interval(study.policy.records + 1)[1], False)
    if study.channel is None:
        return _leakage_of_noise(study)
    if study.scope != "record":
        return Leakage(about_all(study), min_capacity(study.channel).bits, True)
    records = each_record(study, study.channel)
    if not study.policy.is_constrained:
        # The factor itself may have a hundred million digits.
        leaks = added((min_capacity(one).bits_interval, times) for one, times in records.factors)
        return Leakage(about_all(study), leaks[1], True)
    if study.policy.is_counted and not study.policy.is_listable:
        # Fewer databases leak no more than all.
        leaks = added([(min_capacity(study.channel).bits_interval, study.policy.records)])
        return Leakage(about_all(study), leaks[1], False)
    seen = records.expand().restrict(study.policy.databases())
    return Leakage(about_all(study), min_capacity(seen).bits, True)


def _leakage_of_noise(study: Study) -> Leakage:
    """Return 1 and a distance for each step between answers, in each coordinate; at most that."""
    assert study.noise is not None
    query = linear_of(study.query)
    assert query is not None
    weights = [w for _, kind in weights_of(study.policy, query) for w in kind]
    columns = list(zip(*map(parts, weights), strict=True))
    step, records = study.noise.shift_distance(1), study.policy.records
    factors = (1 + records * (max(column) - min(column)) * step for column in columns)
    _, bits = added((log2_interval(factor), 1) for factor in factors)
    free = study.policy.values is None and not study.policy.is_constrained
    runs = free and set(columns[0]) == set(range(min(columns[0]), max(columns[0]) + 1))
    return Leakage(about_all(study), bits, len(columns) == 1 and runs)


def worst_shown(
    about: str, worst: WorstCase | WorstCaseUnderCounts | CurveWorstCase
) -> WorstCaseFound:
    """Return the most that any mechanism leaks."""
    low, high = worst.bits_interval
    if isinstance(worst, WorstCaseUnderCounts | CurveWorstCase):
        factor = f"2^{above(high, DIGITS)}"
        return WorstCaseFound(
            about, low, high, worst.nats, worst.is_exact, factor, worst.route,
            worst.is_certified,
        )  # fmt: skip
    return WorstCaseFound(
        about, low, high, worst.upper_factors.nats, worst.is_exact, str(worst.upper_factors),
        worst.route, True,
    )  # fmt: skip


def bounds_shown(bounds: LeakageBounds) -> tuple[PublishedBound, ...]:
    """Return the published bounds, the tightest first."""
    return tuple(
        PublishedBound(b.source, b.form, b.assumes, b.bits, b.nats, str(b.factors))
        for b in bounds.bounds
    )


def by_epsilon(study: Study, ratio: Ratio) -> tuple[EpsilonPoint, ...]:
    """Return the worst case around the ε that was asked for."""
    policy, middle = study.policy, max(ratio.epsilon, LEAST_EPSILON)
    sweep = [round(2 * middle * k / SWEEP, 6) for k in range(1, SWEEP + 1)]
    sizes = [policy.secrets.order]
    if policy.metric is None and tied_by_counts(policy) is None:
        sizes = [factor.order for factor, _ in policy.adjacency().factors]
    if max(sizes) > allowed(MOST_SWEPT):
        raise TooLarge(f"for at most {allowed(MOST_SWEPT)} databases or values, got {max(sizes):,}")
    points = []
    for epsilon in sweep:
        found = worst_case_leakage(policy, epsilon=epsilon)
        table = leakage_bounds(policy, epsilon=epsilon)
        by_diameters = table.by_diameters
        points.append(
            EpsilonPoint(
                epsilon, found.bits, table.tightest.bits,
                None if by_diameters is None else by_diameters.bits,
            )
        )  # fmt: skip
    return tuple(points)
