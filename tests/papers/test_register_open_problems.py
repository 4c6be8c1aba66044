"""What a program can say about the problems that the papers leave open, it says."""

import dataclasses
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.papers.claim import Verdict, run
from leaktight.papers.evidence import both_ways, largest_sum
from leaktight.papers.ours import open_problems
from leaktight.papers.ours.two_outputs import two_outputs, with_two_outputs
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetry import sharply_transitive_set
from leaktight.privacy.average_breach import average_breach_level
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.optimum import worst_case_leakage
from tests.strategies.graphs import secret_graphs

CLAIMS = open_problems.CLAIMS


def failure(id: str) -> str:
    [found] = [run(claim).failure for claim in CLAIMS if claim.id == id]
    assert found is not None
    return found


def test_every_open_problem_of_the_register_is_a_claim_in_its_order() -> None:
    assert [claim.id for claim in CLAIMS] == [f"O-{k}" for k in range(1, 11)]
    assert {claim.verdict for claim in CLAIMS} == {Verdict.HOLDS}


# --- two outputs ---------------------------------------------------------------------------


@settings(max_examples=50)
@given(secret_graphs(least=1, most=7), st.fractions(1, 9, max_denominator=9))
def test_two_outputs_attain_the_formula_privately(graph: SecretGraph, ratio: Fraction) -> None:
    assume(graph.is_connected)
    channel = two_outputs(graph, ratio)
    assert privacy_level(channel, graph).ratio <= ratio
    assert min_capacity(channel).factor == with_two_outputs(int(graph.diameter), ratio)


@settings(max_examples=20)
@given(secret_graphs(least=2, most=5), st.fractions(1, 5, max_denominator=4), st.data())
def test_no_two_outputs_leak_more_than_the_formula(
    graph: SecretGraph, ratio: Fraction, data: st.DataObject
) -> None:
    assume(graph.is_connected)
    vertex = st.integers(0, graph.order - 1)
    one, other = data.draw(vertex), data.draw(vertex)
    found = largest_sum(graph.order, both_ways(graph), ratio, [one, other])
    assert found == with_two_outputs(int(graph.distances[one, other]), ratio)
    assert found <= with_two_outputs(int(graph.diameter), ratio)


def test_two_outputs_on_one_vertex_tell_nothing() -> None:
    assert with_two_outputs(0, Fraction(3)) == 1
    assert two_outputs(Graph(1), Fraction(3)).shape == (1, 2)


# --- claims can fail -----------------------------------------------------------------------


def test_problem_1_fails_if_the_worst_case_is_overestimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def steeper(graph: Graph, ratio: Any) -> Any:
        return worst_case_leakage(graph, ratio=ratio * Fraction(101, 100))

    monkeypatch.setattr(open_problems, "worst_case_leakage", steeper)
    assert failure("O-1").startswith("2 points: not")


def test_problem_3_fails_with_the_formula_of_odd_diameters_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def odd(diameter: int, ratio: Fraction) -> Fraction:
        return with_two_outputs(diameter | 1, ratio)

    monkeypatch.setattr(open_problems, "with_two_outputs", odd)
    assert "3/2, by the formula 5/3" in failure("O-3")


def test_problem_4_fails_if_randomised_response_is_too_private(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def timid(values: int, ratio: Fraction, records: int) -> Any:
        return RandomizedResponse(values, ratio=(1 + ratio) / 2, records=records)

    monkeypatch.setattr(open_problems, "RandomizedResponse", timid)
    assert failure("O-4").startswith("1 randomised responses have")


def test_problem_6_fails_if_the_level_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def halved(channel: Channel) -> Any:
        level = average_breach_level(channel)
        return dataclasses.replace(level, factor=(1 + Fraction(level.factor)) / 2)

    monkeypatch.setattr(open_problems, "average_breach_level", halved)
    assert "Σ max" in failure("O-6")


def test_problem_10_fails_if_every_graph_is_called_sharply_transitive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ring = sharply_transitive_set(SecretGraph.cycle(5))
    monkeypatch.setattr(open_problems, "sharply_transitive_set", lambda graph: ring)
    assert failure("O-10").startswith("T(6) must not be VT+")
