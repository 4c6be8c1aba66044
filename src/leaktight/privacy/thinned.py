"""How private are records that are answered together or not at all?

K(z|x) = s·Π P(z_k|x_k) + [z = z*]·(1 − s·Π R(x_k)), with P the chances of one record's answers, R
their sums and z* the fixed answers, the same for neighbours. These differ in one record, so that
the first term changes by a ratio of P's and the second by at most one of 1 − s·R, as if all other
records had R = 1.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.channels.composition import pair_runs
from leaktight.channels.thinned import NO_ANSWER, Answering, Thinned
from leaktight.errors import Mismatch
from leaktight.exact.numbers import rational
from leaktight.exact.ratio import Ratio
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Apart, adjacency_of
from leaktight.policies.policy import Policy
from leaktight.privacy.level import PrivacyLevel, exceeds, privacy_level


def thinned_level(records: Thinned, neighbours: Apart) -> PrivacyLevel:
    """Return the level of records answered together; ``privacy_level`` comes here for them.

    It is attained, if the answers that are kept have it; what is not kept is only bounded.
    """
    if isinstance(neighbours, Policy) and neighbours.metric is not None:
        total, factors = neighbours.records, ((neighbours.metric, neighbours.records),)
    else:
        graph = adjacency_of(neighbours)  # type: ignore[arg-type]
        total, factors = graph.records, graph.factors  # type: ignore[assignment]
        if not graph.is_product:
            return privacy_level(records.expand().restrict(graph.explicit().vertices), neighbours)
    if len(records) != total:
        raise Mismatch(f"{records!r}, need a policy of as many, got {neighbours!r:.80}")
    if len(records) == 1 or not all(
        _is_fixed(*pair) for pair in pair_runs(records.factors, factors)
    ):
        return privacy_level(records.expand(), neighbours)
    worst = attained = PrivacyLevel(Fraction(1), None)
    first = 0
    for one, secrets, times in pair_runs(records.factors, factors):
        for rest in (True, False):
            level = privacy_level(_seen(one, records.kept, rest), secrets)
            if level.witness is not None:
                level = replace(level, witness=replace(level.witness, record=first))
            worst = level if exceeds(level, worst) else worst
            attained = level if not rest and exceeds(level, attained) else attained
        first += times
    if not records.kept or not all(_has_others(one) for one, _ in records.factors):
        attained = PrivacyLevel(Fraction(1), None)
    if not exceeds(worst, attained):
        return attained
    share = worst.distance / attained.distance
    return replace(worst, least=Ratio.of(attained.ratio).over(share, share).lower)


def _seen(one: Answering, kept: Fraction, rest: bool) -> Channel:
    """Return the answers of one record, and with the rest also how likely none is kept."""
    given = [k for k, z in enumerate(one.channel.outputs) if z is not NO_ANSWER]
    answers = one.channel.matrix[:, given]
    names = tuple(one.channel.outputs[k] for k in given)
    if not rest:
        return Channel.trusted(one.channel.inputs, names, answers)
    none = 1 - rational(kept) * answers.sum(axis=1)
    return Channel.trusted(
        one.channel.inputs, (*names, NO_ANSWER), np.column_stack([answers, none])
    )


def _is_fixed(one: Answering, secrets: Graph | Metric, times: int) -> bool:
    """Say whether neighbours have the same fixed answer."""
    fixed = dict(zip(one.channel.inputs, one.instead, strict=True))
    graph = secrets.graph if isinstance(secrets, Metric) else secrets
    return all(fixed[a] == fixed[b] for a, b in graph.edge_pairs())


def _has_others(one: Answering) -> bool:
    """Say whether some input may have another answer than the fixed one."""
    rows: Iterable[tuple[object, np.ndarray]] = zip(one.instead, one.channel.matrix, strict=True)
    return any(
        p > 0 and z is not NO_ANSWER and z != fixed
        for fixed, row in rows
        for z, p in zip(one.channel.outputs, row, strict=True)
    )
