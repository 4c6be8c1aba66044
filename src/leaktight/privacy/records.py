"""How private are channels in parallel, one for each record?

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

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel, pair_runs
from leaktight.channels.move_ratios import MoveRatios
from leaktight.errors import Mismatch
from leaktight.exact.numbers import public, rational
from leaktight.exact.rounding import log2
from leaktight.labels import positions
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Apart, adjacency_of
from leaktight.policies.policy import Policy
from leaktight.policies.public_counts import PublicCounts
from leaktight.privacy.level import PrivacyLevel, Witness, exceeds, privacy_level

BLOCK = 2**18
"""How many pairs of databases are looked at together."""


def parallel_level(channel: Parallel, neighbours: Apart) -> PrivacyLevel:
    """Return the level of channels in parallel; ``privacy_level`` comes here for them."""
    if isinstance(neighbours, Metric):
        if neighbours.unit != 1:
            raise Mismatch(
                "the channels of several records need a policy of as many, Policy(metric, "
                "records), got a metric"
            )
        neighbours = neighbours.graph
    if isinstance(neighbours, Policy):
        metric, counts = neighbours.metric, neighbours.public_counts
        if metric is not None or counts is not None:
            _check_records(channel, neighbours.records, neighbours)
        if metric is not None:
            return _independent_level((one, metric, times) for one, times in channel.factors)
        if counts is not None:
            return _counted_level(channel, neighbours, counts)
    graph = adjacency_of(neighbours)
    _check_records(channel, graph.records, graph)
    if graph.is_product:
        return _independent_level(pair_runs(channel.factors, graph.factors))
    return _joint_level(channel, graph.explicit())


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
