from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leaktight.leakage.capacity import min_capacity
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight_papers.evidence import optimum
from leaktight_papers.ours.two_outputs import two_outputs, with_two_outputs
from tests.strategies.fractions import fractions
from tests.strategies.graphs import secret_graphs


@settings(max_examples=50)
@given(secret_graphs(least=1, most=7), fractions(1, 9, max_denominator=9))
def test_two_outputs_attain_the_formula_privately(graph: SecretGraph, ratio: Fraction) -> None:
    assume(graph.is_connected)
    channel = two_outputs(graph, ratio)
    assert privacy_level(channel, graph).ratio <= ratio
    assert min_capacity(channel).factor == with_two_outputs(int(graph.diameter), ratio)


@settings(max_examples=20)
@given(secret_graphs(least=2, most=5), fractions(1, 5, max_denominator=4), st.data())
def test_no_two_outputs_leak_more_than_the_formula(
    graph: SecretGraph, ratio: Fraction, data: st.DataObject
) -> None:
    assume(graph.is_connected)
    vertex = st.integers(0, graph.order - 1)
    one, other = data.draw(vertex), data.draw(vertex)
    found = optimum(graph, ratio, [one, other])
    assert found == with_two_outputs(int(graph.distances[one, other]), ratio)
    assert found <= with_two_outputs(int(graph.diameter), ratio)


def test_two_outputs_on_one_vertex_tell_nothing() -> None:
    assert with_two_outputs(0, Fraction(3)) == 1
    assert two_outputs(Graph(1), Fraction(3)).shape == (1, 2)
