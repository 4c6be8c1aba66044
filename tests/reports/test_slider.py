"""The slider: what a page computes from its formulas is the worst case, at every ε."""

import json
import math
import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.mechanisms.best import optimal_mechanism
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.repetition.explanation import explain
from leaktight.reports.slider import slider
from leaktight.studies import Skipped, Study
from leaktight.studies.every_epsilon import MOST_VALUES, EveryEpsilon, every_epsilon
from leaktight.worst_case.optimum import worst_case_leakage
from tests.reports.test_page import page_of
from tests.strategies.graphs import secret_graphs
from tests.studies.examples import example, hostile

TREE = SecretGraph.from_edges(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
"""Its worst case has three pieces."""


def embedded(page: str) -> Any:
    """Return what the script of a page reads."""
    [data] = re.findall(r'<script type="application/json">(.*?)</script>', page, re.S)
    return json.loads(data)


def computed(known: Any, epsilon: float) -> float:
    """Return what the script computes, step by step as it does: N(q)/D(q) by Horner's rule."""
    ratio = math.exp(epsilon)
    piece = next(p for p in known["pieces"] if p["upper"] is None or ratio <= p["upper"])

    def value(coefficients: list[float]) -> float:
        total = 0.0
        for c in reversed(coefficients):
            total = total / ratio + c
        return total

    return value(piece["numerator"]) / value(piece["denominator"])


@pytest.mark.parametrize("name", ["locations", "salary", "vote", "wages"])
def test_the_page_computes_the_worst_case_at_every_epsilon(name: str) -> None:
    known, secrets = embedded(page_of(name)), example(name).study.policy.secrets
    for epsilon in (*(stop["epsilon"] for stop in known["stops"]), 1e-3, 0.123, 0.77, 5.0, 30.0):
        worst = worst_case_leakage(secrets, epsilon=epsilon)
        assert computed(known, epsilon) == pytest.approx(float(worst.upper), rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(secret_graphs(most=5), st.floats(0.01, 3))
def test_the_formulas_in_a_page_are_the_worst_case_of_any_graph(
    secrets: SecretGraph, epsilon: float
) -> None:
    found = every_epsilon(Study(Policy(secrets), epsilon=1, observations=1))
    assert isinstance(found, EveryEpsilon)
    worst = worst_case_leakage(secrets, epsilon=epsilon)
    assert computed(embedded(slider(found)), epsilon) == pytest.approx(float(worst.upper), rel=1e-9)
    assert found(epsilon) == pytest.approx(float(worst.upper), rel=1e-9)


def test_pieces_follow_one_another() -> None:
    found = every_epsilon(Study(Policy(TREE), ratio=2))
    assert isinstance(found, EveryEpsilon)
    ends = [piece.upper for piece in found.pieces]
    assert len(ends) > 1
    assert ends[-1] is None
    assert sorted(end for end in ends if end is not None) == ends[:-1]
    for one, other in pairwise(found.pieces):
        assert one.upper is not None
        assert one(one.upper) == pytest.approx(other(one.upper))
    assert found(math.log(2)) == pytest.approx(7 / 3)  # the cover is 12/5


def test_chances_and_mechanisms_are_those_of_the_library_at_each_stop() -> None:
    study = example("salary").study
    found, known = every_epsilon(study), embedded(page_of("salary"))
    assert isinstance(found, EveryEpsilon)
    assert any(stop.epsilon == found.asked == 1 for stop in found.stops)
    for stop, shown in zip(found.stops[::5], known["stops"][::5], strict=True):
        told = explain(study.policy, study.prior, epsilon=stop.epsilon, observations=12)
        assert stop.after == told.after
        assert [each["near"] for each in shown["after"]] == [float(p.value) for p in told.after]
        best = optimal_mechanism(study.graph, study.prior, study.aim, epsilon=stop.epsilon)
        exact = {
            (x, z): float(Fraction(best.channel[x, z]))
            for x in best.channel.inputs
            for z in best.channel.outputs
        }
        for x, row in zip(study.graph.vertices, shown["best"], strict=True):
            for z, entry in zip(study.graph.vertices, row, strict=True):
                assert entry == pytest.approx(exact.get((x, z), 0.0), rel=1e-3)


def test_a_chance_that_is_not_computed_is_bounded_by_that_of_a_larger_epsilon() -> None:
    """So the script shows the next one: chances grow with ε."""
    for name in ("salary", "vote"):
        for k in (0, 1):
            chances = [stop["after"][k]["near"] for stop in embedded(page_of(name))["stops"]]
            assert chances == sorted(chances)


def test_without_the_script_nothing_of_it_is_seen() -> None:
    assert '<section id="every-epsilon" class="epsilon-slider" hidden>' in page_of("salary")


def test_labels_end_no_element() -> None:
    found = every_epsilon(hostile().study)
    assert isinstance(found, EveryEpsilon)
    part = slider(found)
    assert part.count("<script") == part.count("</script>") == 1
    assert "<b>who</b>" not in part


def test_what_cannot_be_had_in_a_few_seconds_is_left_out_with_a_word() -> None:
    many = every_epsilon(Study(Policy(SecretGraph.line(MOST_VALUES + 1)), epsilon=1))
    assert isinstance(many, Skipped)
    assert many.why == f"for at most {MOST_VALUES} values, got {MOST_VALUES + 1}"
    assert isinstance(every_epsilon(example("hospital").study), Skipped)
    far = Study(Policy(Metric.euclidean([(0, 0), (0, 3), (4, 0)])), epsilon=1)
    assert isinstance(every_epsilon(far), Skipped)
    near = every_epsilon(Study(Policy(Metric.euclidean([(0, 0), (0, 1), (0, 2)])), epsilon=1))
    assert isinstance(near, EveryEpsilon)  # it counts steps along a line


@pytest.mark.parametrize("name", ["locations", "salary", "vote"])
def test_a_page_with_a_slider_stays_small(name: str) -> None:
    assert len(page_of(name).encode()) < 250_000
