"""Many records are known to within one bit, and what attains it is private and drawn exactly."""

import copy
import functools
import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.all_or_nothing import NO_ANSWER, AllOrNothing, Answering
from leaktight.channels.channel import Channel
from leaktight.check import Refuted, Unreadable, check, told
from leaktight.errors import Mismatch
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.release import sample
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import best_cover
from leaktight.worst_case.optimum import WorstCase, worst_case_leakage
from leaktight.worst_case.together import Packing, Together
from tests.second_routes.certificates import change
from tests.strategies.graphs import secret_graphs
from tests.worst_case.test_certificate import ODD, leaves

FORK = SecretGraph.from_edges(5, [(0, 1), (0, 3), (0, 4), (1, 2)])
STAR = SecretGraph.from_edges(4, [(0, 1), (0, 2), (0, 3)])
APART = SecretGraph.from_edges(7, [(0, 1), (0, 3), (0, 4), (1, 2), (5, 6)])
RATIOS = ["1.05", "3/2", "2", "5"]


def covers(graph: Graph, ratio: Fraction) -> tuple[list[Any], Fraction]:
    """The mechanisms that go with the best covers of the components, and what these sum to."""
    found = [best_cover(graph.subgraph(part), ratio) for part in graph.components]
    bound = sum(Fraction(int(cover.bound.p), int(cover.bound.q)) for cover, _ in found)
    return [mechanism for _, mechanism in found], Fraction(bound)


def together(ratio: Fraction, *kinds: tuple[SecretGraph, int]) -> Together:
    packings = [Packing.of(graph, n, covers(graph, ratio)[0]) for graph, n in kinds]
    return Together.of(tuple(packings))


def records_of(kinds: Sequence[tuple[SecretGraph, int]]) -> AdjacencyGraph:
    return AdjacencyGraph.of_records(graph for graph, n in kinds for _ in range(n))


@settings(max_examples=200, deadline=None)
@given(secret_graphs(least=2, most=5), st.integers(1, 3), st.sampled_from(RATIOS))
def test_the_interval_holds_the_worst_case_of_all_databases_and_is_narrow(
    graph: SecretGraph, n: int, text: str
) -> None:
    ratio, policy = Fraction(text), Policy(graph, records=n)
    found = worst_case_leakage(policy, ratio=ratio)
    exact = worst_case_leakage(policy.adjacency().explicit(), ratio=ratio)
    assert exact.is_exact
    assert found.lower <= exact.lower <= found.upper
    bound, parts = covers(graph, ratio)[1], len(graph.components)
    assert found.upper <= bound**n
    attained = (ratio * bound**n + parts**n) / (ratio + 1)
    assert attained * (1 - Fraction(1, 10**9)) <= found.lower


@pytest.mark.parametrize("text", RATIOS)
@pytest.mark.parametrize(
    "kinds",
    [[(FORK, 2)], [(STAR, 3)], [(APART, 2)], [(FORK, 1), (APART, 1)], [(STAR, 2), (FORK, 1)]],
)
def test_the_mechanism_is_private_and_attains_what_it_claims(
    kinds: list[tuple[SecretGraph, int]], text: str
) -> None:
    ratio = Fraction(text)
    found = together(ratio, *kinds)
    assert ratio / (ratio + 1) <= found.kept <= 1
    channel = found.mechanism.expand()
    graph = records_of(kinds).explicit()
    level = privacy_level(channel, graph)
    assert level.ratio <= ratio
    assert min_capacity(channel).factor == found.factors.value
    assert min_capacity(found.mechanism).factor == found.factors.value
    structural = privacy_level(found.mechanism, records_of(kinds))
    assert structural.attained <= level.ratio <= structural.ratio <= ratio
    assert found.kept <= found.share


def many(records: int, ratio: str = "11/10") -> WorstCase:
    found = worst_case_leakage(Policy(FORK, records=records), ratio=ratio)
    assert isinstance(found, WorstCase)
    return found


def test_a_million_records_are_known_to_within_one_bit() -> None:
    found = many(10**6)
    low, high = found.bits_interval
    assert 0 < high - low < 1
    assert found.together is not None
    (_, share, one), *kinds = check(found.certificate)
    assert [share, one] == [found.together.kept, Fraction(1)]
    assert sum(n for n, _, _ in kinds) == 10**6
    assert "10^" not in told(found.certificate, check(found.certificate))[-1]


def test_the_difference_stays_where_a_product_of_single_records_loses_more_and_more() -> None:
    widths = [high - low for low, high in (many(n, "3/2").bits_interval for n in (10, 1000, 10**5))]
    assert max(widths) < 0.7
    alone = 1000 * float(np.log2(1.7))
    assert many(1000, "3/2").bits_interval[0] > alone + 10


@pytest.mark.parametrize("records", [30, 10**6])
def test_a_changed_digit_is_refused(records: int) -> None:
    proof = json.dumps(many(records, "3/2").certificate)
    check(json.loads(proof))
    content = json.loads(proof)
    piece = content["pieces"][0]
    a, s = Fraction(piece["packing"][0]), Fraction(content["kept"])
    for path, value in [
        (("pieces", 0, "packing", 0), a + Fraction(1, 10**9)),
        (("pieces", 0, "packing", 0), -a - 1),
        (("kept",), s + Fraction(1, 10**9)),
        (("kept",), Fraction(11, 10)),
        (("share",), Fraction(content["share"]) + Fraction(1, 10**9)),
        (("pieces", 0, "upper"), Fraction(piece["upper"]) - Fraction(1, 10**9)),
        (("pieces", 0, "parts", 0, "cover", 0), Fraction(0)),
    ]:
        changed = json.loads(proof)
        at = changed
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = str(value)
        with pytest.raises((Refuted, Unreadable)):
            check(changed)


@functools.cache
def proof_of_two() -> str:
    found = worst_case_leakage(Policy(STAR, records=2), ratio="3/2")
    assert isinstance(found, WorstCase)
    forced = replace(found, together=together(Fraction(3, 2), (STAR, 2)))
    return json.dumps(forced.certificate)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_changed_certificate_of_records_is_refused_or_proves_what_it_then_says(
    data: st.DataObject,
) -> None:
    proof = json.loads(proof_of_two())
    assert check(proof)
    places = [path for path in leaves(proof) if path]
    near = st.sampled_from(["1/3", "3/4", "9/10", "1", "2", "-1/2", "7/5", 1, 3])
    for _ in range(data.draw(st.integers(1, 2))):
        change(proof, *data.draw(st.sampled_from(places)), copy.deepcopy(data.draw(ODD | near)))
        places = [path for path in leaves(proof) if path]
    try:
        proved = check(proof)
    except (Refuted, Unreadable):
        return
    assert told(proof, proved)[0].startswith("accepted: ")
    if sum(piece["records"] for piece in proof["pieces"]) <= 2:
        graphs = [
            Graph.from_indices(piece["vertices"], piece["edges"])
            for piece in proof["pieces"]
            for _ in range(piece["records"])
        ]
        graph = AdjacencyGraph.of_records(graphs).explicit()
        ends = [Fraction(proof[key]) for key in ("lower ratio", "upper ratio")]
        lower, upper = (math.prod(each[k] ** each[0] for each in proved) for k in (1, 2))
        assert lower <= worst_case_leakage(graph, ratio=ends[0]).upper
        assert worst_case_leakage(graph, ratio=ends[1]).lower <= upper


def test_a_database_is_drawn_with_the_probabilities_of_the_channel_written_out() -> None:
    found = together(Fraction(2), (FORK, 1), (STAR, 1)).mechanism
    channel, rng, draws = found.expand(), np.random.default_rng(5), 3_000
    seen = Counter(sample(found, (2, 1), rng) for _ in range(draws))
    row = {z: float(channel[(2, 1), z]) for z in channel.outputs}
    assert set(seen) <= {z for z, p in row.items() if p}
    off = sum((seen[z] - draws * p) ** 2 / (draws * p) for z, p in row.items() if p)
    assert off < len(row) + 6 * (2 * len(row)) ** 0.5


def test_a_long_database_is_drawn_without_being_written_out() -> None:
    found = many(100_000).mechanism
    assert isinstance(found, AllOrNothing)
    answers = sample(found, np.arange(100_000) % 5, np.random.default_rng(1))
    assert len(answers) == 100_000
    assert set(answers) <= set(FORK.vertices)
    with pytest.raises(Mismatch, match="must have 100,000 records, got 2"):
        sample(found, [0, 1])
    with pytest.raises(Mismatch, match="a value for each record"):
        sample(found, "ab")


def test_records_of_several_kinds_in_any_order_are_answered_together() -> None:
    orders = list(itertools.permutations([(FORK, 200), (STAR, 300), (APART, 100)]))
    found = [
        worst_case_leakage(records_of(order), ratio="6/5").bits_interval for order in orders[:2]
    ]
    assert found[0] == pytest.approx(found[1])
    assert found[0][1] - found[0][0] < 1


@settings(max_examples=60, deadline=None)
@given(st.data(), secret_graphs(least=2, most=4), st.sampled_from(["0", "1/3", "9/10", "1"]))
def test_records_answered_together_are_judged_as_if_written_out(
    data: st.DataObject, graph: SecretGraph, kept: str
) -> None:
    """Any answers, with any fixed one in each component, private or not."""
    n, part = graph.order, st.integers(0, 4)
    rows = [data.draw(st.lists(part, min_size=n, max_size=n)) for _ in range(n)]
    matrix = [[Fraction(p, 5 * n) for p in row] for row in rows]
    full = [[*row, 1 - sum(row)] for row in matrix]
    fixed = data.draw(st.lists(st.sampled_from(graph.vertices), min_size=n, max_size=n))
    labels = graph.component_labels.tolist()
    one = Answering(
        Channel(full, graph.vertices, (*graph.vertices, NO_ANSWER)),
        tuple(fixed[label] for label in labels),
    )
    both = AllOrNothing(((one, 2),), Fraction(kept))
    written = both.expand()
    policy = Policy(graph, records=2)
    level, whole = privacy_level(both, policy), privacy_level(written, policy)
    assert level.attained <= whole.ratio <= level.ratio
    assert min_capacity(both).factor == min_capacity(written).factor


def test_a_million_records_have_the_level_that_they_were_made_for() -> None:
    found = many(10**6)
    level = privacy_level(found.mechanism, Policy(FORK, records=10**6))
    assert (level.ratio, level.is_exact) == (Fraction(11, 10), True)
    assert level.witness is not None
    with pytest.raises(Mismatch, match="need a policy of as many"):
        privacy_level(found.mechanism, Policy(FORK, records=7))
    thousand = many(2000)
    assert thousand.together is not None
    assert Fraction(min_capacity(thousand.mechanism).factor) >= thousand.lower
