from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.repetition.choosing import largest_ratio_below
from leaktight.worst_case.optimum import worst_case_leakage
from tests.strategies.fractions import fractions
from tests.strategies.graphs import secret_graphs


@given(st.integers(2, 30), fractions(Fraction(1, 40), Fraction(39, 40), max_denominator=40))
@settings(max_examples=30)
def test_all_values_alike_have_a_formula(values: int, below: Fraction) -> None:
    """λ/(λ + v − 1) = p at λ = p·(v − 1)/(1 − p), a fraction that is found itself."""
    graph = SecretGraph.complete(values)
    if below <= Fraction(1, values):
        with pytest.raises(InvalidNumber, match="which no ε prevents"):
            largest_ratio_below(graph, below)
        return
    found = largest_ratio_below(graph, below)
    assert found.is_exact
    assert found.ratio == below * (values - 1) / (1 - below)
    assert found.chance == below


@given(secret_graphs(least=2, most=5), st.fractions(Fraction(1, 5), Fraction(9, 10)))
@settings(max_examples=30)
def test_it_is_safe_and_nearly_the_largest(graph: SecretGraph, below: Fraction) -> None:
    if len(graph.components) / graph.order >= below:
        return
    found = largest_ratio_below(graph, below)
    assert worst_case_leakage(graph, found.ratio).upper / graph.order <= below
    more = 1 + (found.ratio - 1) * (1 + Fraction(1, 2**20))
    assert worst_case_leakage(graph, more).lower / graph.order > below


def test_several_looks_share_the_ratio() -> None:
    once = largest_ratio_below(SecretGraph.complete(6), "4/9")
    twice = largest_ratio_below(SecretGraph.complete(6), "4/9", observations=2)
    assert once.ratio == 4
    assert twice.ratio == 2
    assert twice.is_exact
    thrice = largest_ratio_below(SecretGraph.complete(6), "4/9", observations=3)
    assert thrice.ratio**3 < 4 < (thrice.ratio + Fraction(1, 2**60)) ** 3
    assert not thrice.is_exact
    assert str(thrice) == "ε up to 0.462098 for each of 3 looks keeps every guess below 4/9"


def test_the_words_say_whether_it_is_reached() -> None:
    policy = Policy(SecretGraph.complete(4), records=1_000_000)
    assert str(largest_ratio_below(policy, "1/2")) == (
        "ε = ln 3 ≈ 1.09861 keeps every guess at 50% or less, and every smaller ε below it"
    )


def test_what_cannot_be_chosen_is_said() -> None:
    with pytest.raises(InvalidInput, match="expected a graph, a metric or a policy"):
        largest_ratio_below("1/4", "1/2")
    with pytest.raises(InvalidNumber, match="give no ratio"):
        largest_ratio_below(Channel.identity(2), "1/2")
    with pytest.raises(InvalidNumber, match="observations must be a whole number"):
        largest_ratio_below(SecretGraph.complete(2), "3/4", observations=0)
    apart = SecretGraph.partition([["a", "b"], ["c"]])
    with pytest.raises(InvalidNumber, match=r"above 66.7%, which no ε prevents"):
        largest_ratio_below(apart, "3/5")


@pytest.mark.parametrize("values", [3, 40, 41, 150])
def test_a_line_of_any_length_has_a_formula(values: int) -> None:
    """(nλ − n + 2)/(λ + 1)/n = 1/2 at λ = 3 − 4/n."""
    found = largest_ratio_below(SecretGraph.line(values), "1/2")
    assert (found.ratio, found.is_exact) == (3 - Fraction(4, values), True)


def test_what_is_only_bounded_is_not_called_reached() -> None:
    """A large tree has no weighting, and its cover is not attained."""
    broom = SecretGraph.from_edges(
        range(60), [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3), *((3, k) for k in range(6, 60))]
    )
    found = largest_ratio_below(broom, "1/2")
    assert not found.is_exact
    assert worst_case_leakage(broom, found.ratio).upper / 60 <= Fraction(1, 2)


def test_the_largest_ratio_for_a_metric_is_that_at_a_distance_of_one() -> None:
    line = SecretGraph.line(5)
    twice = largest_ratio_below(Metric.of(line, length=2), "1/2")
    once = largest_ratio_below(line, "1/2")
    assert 0 <= once.epsilon - 2 * twice.epsilon < 1e-6
    corner = Metric.euclidean([(0, 0), (3, 0), (0, 4)])
    found = largest_ratio_below(corner, "1/2")
    assert worst_case_leakage(corner, found.ratio).upper <= Fraction(3, 2)
    assert worst_case_leakage(corner, found.ratio * Fraction(1001, 1000)).lower > Fraction(3, 2)
