"""Public margins of cross tables: how many people change at once, and by how much a cell."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.move_ratios import MoveRatios
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.margin import margin
from leaktight.policies.policy import Policy
from leaktight.policies.public_counts.counts import PublicCounts
from leaktight.policies.query import sensitivity
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import CountingQuery
from leaktight.privacy.level import privacy_level


def cross_table(*sizes: int, each: int) -> Policy:
    """People of whom the margins are public, with so many of them for each cell."""
    people = list(itertools.product(*map(range, sizes)))
    records = each * len(people)
    tables = [
        count
        for a, size in enumerate(sizes)
        for count in margin(people, a, dict.fromkeys(range(size), records // size))
    ]
    return Policy(SecretGraph.complete(people), records, constraints=tables)


def counts_of(policy: Policy) -> PublicCounts:
    assert policy.public_counts is not None
    return policy.public_counts


def assert_neighbours(here: Any, there: Any) -> None:
    """No proper part of the changes keeps both margins, by going through all parts."""
    signatures = np.array(
        [
            [int(b[a] == v) - int(w[a] == v) for a in (0, 1) for v in range(3)]
            for w, b in zip(here, there, strict=True)
        ]
    )
    parts = (np.arange(2 ** len(here))[:, None] >> np.arange(len(here))) & 1
    keeps = ~(parts @ signatures).any(axis=1)
    assert np.flatnonzero(keeps).tolist() == [0, len(parts) - 1]


def test_three_by_three() -> None:
    policy = cross_table(3, 3, each=30)
    assert counts_of(policy).reach == (15, 15)
    channel = RandomizedResponse(policy.secrets.vertices, ratio=2, records=policy.records)
    level = privacy_level(channel.survey, policy)
    assert level.is_exact
    assert level.ratio == 2**15
    assert level.witness is not None
    here: Any = level.witness.input
    there: Any = level.witness.neighbour
    changed = [(a, b) for a, b in zip(here, there, strict=True) if a != b]
    assert len(changed) == 15
    assert_neighbours(*zip(*changed, strict=True))


def test_a_cell_of_three_by_three_changes_by_five() -> None:
    found = sensitivity(cross_table(3, 3, each=30), CountingQuery(frozenset({(0, 0)})))
    assert found.is_exact
    assert found.value == 5
    assert found.witness is not None
    here: Any = found.witness[0]
    there: Any = found.witness[1]
    assert abs(Counter(there)[0, 0] - Counter(here)[0, 0]) == 5
    assert_neighbours(here, there)


@pytest.mark.parametrize(("sizes", "longest", "cell"), [((4, 4), 54, 13), ((5, 5), 180, 31)])
def test_larger_tables_have_both_ends(sizes: tuple[int, int], longest: int, cell: int) -> None:
    """Known kinds from below; from above the records, and what a cell can hold at all."""
    policy = cross_table(*sizes, each=30)
    reach = counts_of(policy).reach
    assert longest <= reach.attained <= reach.value <= policy.records
    found = sensitivity(policy, CountingQuery(frozenset({(0, 0)})))
    assert found.least is not None
    assert cell <= found.least <= found.value <= policy.records // sizes[0]


def test_few_people_bound_all() -> None:
    reach = counts_of(cross_table(3, 3, each=1)).reach
    assert 0 < reach.attained <= reach.value <= 9


def test_one_row_is_a_histogram() -> None:
    assert counts_of(cross_table(1, 5, each=4)).reach == (5, 5)
    assert counts_of(cross_table(4, 1, each=4)).reach == (4, 4)


def test_a_cell_holds_no_more_than_its_margins() -> None:
    """Rows of 3, 50 and 37 people: the cells of the first have at most 3, whatever the columns."""
    people = list(itertools.product(range(3), range(4)))
    tables = [
        *margin(people, 0, {0: 3, 1: 50, 2: 37}),
        *margin(people, 1, {0: 30, 1: 20, 2: 20, 3: 20}),
    ]
    policy = Policy(SecretGraph.complete(people), 90, constraints=tables)
    found = sensitivity(policy, CountingQuery(frozenset({(0, 0)})))
    assert found.value <= 3


@pytest.mark.parametrize("seed", range(8))
def test_what_moves_of_a_kind_add_or_multiply_is_bounded(seed: int) -> None:
    """Against all kinds of a table of two rows and three columns, which are listed."""
    kinds = counts_of(cross_table(2, 3, each=9)).kinds
    assert kinds.are_all
    rng = np.random.default_rng(seed)
    pairs = rng.integers(1, 9, size=(len(kinds.signatures), 2)).tolist()
    ratios = [fmpq(max(pair), min(pair)) for pair in pairs]
    signed = [fmpq(a - 4, b) for a, b in pairs]
    rows = kinds.multisets.tolist()
    product = max(
        math.prod((r**n for r, n in zip(ratios, row, strict=True)), start=fmpq(1)) for row in rows
    )
    added = max(sum((w * n for w, n in zip(signed, row, strict=True)), fmpq(0)) for row in rows)
    for known in (fmpq(1), product):
        bound = kinds.most_multiplied(ratios, known)
        assert bound is not None
        assert product <= bound
        assert bound < product * product
    most = kinds.most_added(signed, fmpq(0))
    assert most is not None
    assert max(added, 0) <= most < 2 * max(added, 1)


def test_weights_too_large_to_add_are_not_bounded() -> None:
    kinds = counts_of(cross_table(2, 3, each=9)).kinds
    assert kinds.most_added([fmpq(2**50)] * len(kinds.signatures), fmpq(0)) is None
    assert kinds.most_multiplied([fmpq(2**300)] * len(kinds.signatures), fmpq(1)) is None


def test_a_level_of_unlike_ratios_is_known_to_a_hair() -> None:
    """Moves between rows tell more than those between columns: no power of the largest ratio."""
    policy = cross_table(3, 3, each=30)
    people: Any = policy.secrets.vertices

    def row(u: Any) -> list[Fraction]:
        weights = [Fraction(1, 3 ** abs(u[0] - z[0]) * 2 ** abs(u[1] - z[1])) for z in people]
        return [weight / sum(weights) for weight in weights]

    channel = Channel([row(u) for u in people], people, people)
    found, level = MoveRatios.of([channel], people).largest(counts_of(policy))
    assert found.lower <= fmpq(level.numerator, level.denominator)
    assert level < Fraction(int(found.lower.p), int(found.lower.q)) * Fraction(1000001, 1000000)
