"""Levels of channels on each record: in parallel, or answered together or not at all.

Where the records are independent, neighbours differ in one of them, and all together are as private
as the worst of them (Lemma 4 of [Barthe2011]_). Under public constraints neighbours may differ in
several records, and the ratios of these multiply.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.all_or_nothing import NO_ANSWER, AllOrNothing, Answering
from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel, Runs, pair_runs
from leaktight.channels.move_ratios import MoveRatios
from leaktight.errors import Mismatch
from leaktight.exact.numbers import public, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import log2
from leaktight.labels import positions
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space, joined_by, record_spaces, space_of
from leaktight.policies.policy import Policy
from leaktight.policies.public_counts import PublicCounts
from leaktight.privacy.level import PrivacyLevel, Witness, exceeds, privacy_level

BLOCK = 2**18
"""How many pairs of databases are looked at together."""


def parallel_level(channel: Parallel, neighbours: Space) -> PrivacyLevel:
    """Return the level of channels in parallel; ``privacy_level`` comes here for them."""
    policy = space_of(neighbours).policy
    if policy is not None and (counts := policy.public_counts) is not None:
        _check_records(channel, policy.records, policy)
        return _counted_level(channel, policy, counts)
    records, factors = _independent(neighbours)
    _check_records(channel, records, neighbours)
    if factors is not None:
        return _independent_level(pair_runs(channel.factors, factors))
    return _joint_level(channel, joined_by(neighbours).explicit())


def all_or_nothing_level(records: AllOrNothing, neighbours: Space) -> PrivacyLevel:
    """Return the level of records answered together; ``privacy_level`` comes here for them.

    K(z|x) = s·Π P(z_k|x_k) + [z = z*]·(1 − s·Π R(x_k)), with P the chances of one record's answers,
    R their sums and z* the fixed answers, the same for neighbours. These differ in one record, so
    that the first term changes by a ratio of P's and the second by at most one of 1 − s·R, as if
    all other records had R = 1. The level is attained, if the answers that are kept have it; what
    is not kept is only bounded.
    """
    total, factors = _independent(neighbours)
    if factors is None:
        listed = joined_by(neighbours).explicit().vertices
        return privacy_level(records.expand().restrict(listed), neighbours)
    if len(records) != total:
        raise Mismatch(f"{records!r}, need a policy of as many, got {neighbours!r:.80}")
    each = pair_runs(records.factors, factors)
    if len(records) == 1 or not all(_is_fixed(one, secrets) for one, secrets, _ in each):
        return privacy_level(records.expand(), neighbours)
    attained, bound = (
        _independent_level((_seen(one, records.kept, rest), secrets, n) for one, secrets, n in each)
        for rest in (False, True)
    )
    if not records.kept or not all(_has_others(one) for one, _ in records.factors):
        attained = PrivacyLevel(Fraction(1), None)
    if not exceeds(bound, attained):
        return attained
    share = bound.distance / attained.distance
    return replace(bound, least=Ratio.of(attained.ratio).over(share, share).lower)


def _independent(neighbours: Space) -> tuple[int, Runs | None]:
    """Return how many records there are, and what is secret of each; None if they depend on each
    other.
    """
    graph = joined_by(neighbours)
    return graph.records, record_spaces(neighbours) if graph.is_product else None


def _check_records(channel: Parallel, records: int, got: object) -> None:
    if records != len(channel):
        raise Mismatch(
            f"{len(channel)} channels in parallel need a policy of as many records, got {got!r}"
        )


def _independent_level(
    records: Iterable[tuple[Channel, Graph | Metric, int]],
) -> PrivacyLevel:
    """Return the worst level of records that are independent; distances of records add up."""
    worst, record = PrivacyLevel(Fraction(1), None), 0
    for one, secrets, times in records:
        level = privacy_level(one, secrets)
        if level.witness is not None and exceeds(level, worst):
            worst = replace(level, witness=replace(level.witness, record=record))
        record += times
    return worst


def _counted_level(channel: Parallel, policy: Policy, counts: PublicCounts) -> PrivacyLevel:
    """Return the level under public counts, by the kinds of neighbours.

    Counts do not tell records apart, so a record that changes may be any that has the best channel
    for it, if there are enough of them.
    """
    each = Counter[int]()
    for one, times in channel.factors:
        each[id(one)] += times
    distinct = list({id(one): one for one, _ in channel.factors}.values())
    values = policy.secrets.vertices
    known = MoveRatios.of(distinct, values)
    found, ratio = known.largest(counts)
    moves = found.moves if len(distinct) == 1 or len(found.moves) <= min(each.values()) else ()
    attained = known.along(moves)
    if attained < ratio and policy.is_listable:
        return _joint_level(channel, policy.adjacency().explicit())
    witness = None
    if moves:
        witness = Witness(
            tuple(values[move.source] for move in moves),
            tuple(values[move.target] for move in moves),
            tuple(known.outputs[move.source][move.target] for move in moves),
            rest={values[value]: times for value, times in (found.rest or {}).items()},
        )
    return PrivacyLevel(ratio, witness, least=None if attained == ratio else attained)


def _joint_level(channel: Parallel, graph: Graph) -> PrivacyLevel:
    """Return the level where neighbours differ in several records, as under public constraints.

    The outputs of the records are independent, so the worst output of two databases is worst in
    every record, and the ratio is the product of theirs. Floats propose which pairs are worst.
    """
    each = [one for one, times in channel.factors for _ in range(times)]
    columns = [
        np.array(positions(values, one.inputs, "input"))
        for one, values in zip(each, zip(*graph.vertices, strict=True), strict=True)
    ]
    ratios, tables = _ratio_tables(each, columns, graph)
    logs = np.array([math.inf if ratio == math.inf else log2(ratio) for ratio in ratios])
    best: Any = fmpq(1)
    most, at = 0.0, None
    for start in range(0, len(graph.arcs), BLOCK):
        arcs = graph.arcs[start : start + BLOCK]
        pairs = zip(tables, columns, strict=True)
        parts = np.stack([table[tuple(column[arcs].T)] for table, column in pairs], axis=1)
        sums = logs[parts].sum(axis=1)
        most = max(most, sums.max())
        near = np.flatnonzero(sums >= most * (1 - 4 * len(each) * 2.0**-52))
        if most == math.inf:
            best, at = most, arcs[near[0]]
            break
        parts = np.sort(parts[near], axis=1)
        while len(near):
            ratio = math.prod((ratios[part] for part in parts[0]), start=fmpq(1))
            if ratio > best:
                best, at = ratio, arcs[near[0]]
            other = (parts != parts[0]).any(axis=1)  # the same ratios have the same product
            near, parts = near[other], parts[other]
    if at is None:
        return PrivacyLevel(Fraction(1), None)
    here, there = (graph.vertices[place] for place in at)
    places = zip(each, columns, strict=True)
    outputs = tuple(_worst_output(one, *column[at])[1] for one, column in places)
    return PrivacyLevel(public(best), Witness(here, there, outputs))


def _ratio_tables(
    each: list[Channel], columns: list[Indices], graph: Graph
) -> tuple[list[Any], list[Indices]]:
    """Return the ratios that occur, and for each record which of them two of its values have."""
    numbers, known, tables = dict[Any, int](), dict[tuple[int, int, int], Any](), []
    for one, column in zip(each, columns, strict=True):
        table = np.zeros((len(one.inputs), len(one.inputs)), dtype=np.int64)
        for start in range(0, len(graph.arcs), BLOCK):
            table[tuple(column[graph.arcs[start : start + BLOCK]].T)] = 1
        for a, b in np.argwhere(table).tolist():
            key = id(one), a, b
            if key not in known:
                known[key] = _worst_output(one, a, b)[0]
            table[a, b] = numbers.setdefault(known[key], len(numbers))
        tables.append(table)
    return list(numbers), tables


def _worst_output(channel: Channel, a: int, b: int) -> tuple[Any, Hashable]:
    """Return the largest K(z|x)/K(z|y) of two rows over the outputs z of x, exactly, and that z."""
    ratios = [
        (rational(p) / rational(q) if q else math.inf, z)
        for p, q, z in zip(channel.matrix[a], channel.matrix[b], channel.outputs, strict=True)
        if p
    ]
    infinite = [pair for pair in ratios if pair[0] == math.inf]
    return infinite[0] if infinite else max(ratios, key=lambda pair: pair[0])


# --- answered together or not at all --------------------------------------------------------


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


def _is_fixed(one: Answering, secrets: Graph | Metric) -> bool:
    """Say whether neighbours have the same fixed answer."""
    fixed = dict(zip(one.channel.inputs, one.instead, strict=True))
    return all(fixed[a] == fixed[b] for a, b in secrets.graph.edge_pairs())


def _has_others(one: Answering) -> bool:
    """Say whether some input may have another answer than the fixed one."""
    rows: Iterable[tuple[object, np.ndarray]] = zip(one.instead, one.channel.matrix, strict=True)
    return any(
        p > 0 and z is not NO_ANSWER and z != fixed
        for fixed, row in rows
        for z, p in zip(one.channel.outputs, row, strict=True)
    )
