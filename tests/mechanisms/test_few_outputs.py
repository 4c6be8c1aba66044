from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact import log2_interval
from leaktight.leakage.capacity import min_capacity
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.mechanisms.best import optimal_mechanism, worst_case_with_outputs
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import counting_query
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.optimum import worst_case_leakage
from tests.strategies.channels import distributions


def direct(graph: Graph, prior: list[Fraction], ratio: Fraction) -> float:
    """max Σ_j π_j·K_jj over private channels, a row per constraint: an independent route."""
    n = graph.order
    rows = []
    for i, h in [*graph.edges.tolist(), *graph.edges[:, ::-1].tolist()]:
        for j in range(n):
            row = np.zeros((n, n))
            row[i, j], row[h, j] = 1, -float(ratio)
            rows.append(row.ravel())
    sums = np.kron(np.eye(n), np.ones(n))
    found: Any = linprog(
        -np.diag([float(p) for p in prior]).ravel(),
        A_ub=np.array(rows) if rows else None,
        b_ub=np.zeros(len(rows)) if rows else None,
        A_eq=sums,
        b_eq=np.ones(n),
    )
    return -float(found.fun)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(1, 5))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    return Graph(n, draw(st.lists(st.sampled_from(pairs), max_size=7)) if pairs else [])


@settings(max_examples=40)
@given(graphs(), st.data())
def test_it_is_attained_private_and_what_the_direct_program_says(
    graph: Graph, data: st.DataObject
) -> None:
    prior = data.draw(distributions(graph.order))
    ratio = data.draw(st.sampled_from([Fraction(1), Fraction(6, 5), Fraction(2), Fraction(7)]))
    best = optimal_mechanism(graph, prior, ratio=ratio)
    assert posterior_vulnerability(best.channel, prior) == best.utility
    assert privacy_level(best.channel, graph).ratio <= ratio
    assert sum(map(Fraction, map(str, best.prices))) == best.utility
    numbers = [Fraction(p) for _, p in prior.items()]
    assert float(best.utility) == pytest.approx(direct(graph, numbers, ratio), rel=1e-6, abs=1e-9)


def test_the_uniform_prior_gives_the_worst_case() -> None:
    for graph in (SecretGraph.line(4), SecretGraph.cycle(5), Graph(5, [(0, 1), (1, 2), (3, 4)])):
        uniform = optimal_mechanism(graph, None, ratio=2)
        assert uniform.utility == worst_case_leakage(graph, ratio=2).upper / graph.order


def test_the_utilities_of_the_papers() -> None:
    """A-T3, A-R1, A-R2, A-Ex2, A-Ex3, Q-T3: C5 2/5, path 4/9 > ring 8/21 > clique 2/7; 8/25."""
    for graph, value in (
        (SecretGraph.cycle(5), "2/5"),
        (SecretGraph.line(6), "4/9"),
        (SecretGraph.cycle(6), "8/21"),
        (SecretGraph.complete(6), "2/7"),
    ):
        assert optimal_mechanism(graph, ratio=2).utility == Fraction(value)
    prior = ["1/10", "1/5", "1/5", "1/5", "1/5", "1/10"]
    assert optimal_mechanism(SecretGraph.complete(6), prior, ratio=2).utility == Fraction(8, 25)
    skewed = ["9/10", "1/40", "1/40", "1/40", "1/40"]
    assert optimal_mechanism(SecretGraph.cycle(5), skewed, ratio=2).utility >= Fraction(9, 10)


def test_the_answers_of_a_counting_query() -> None:
    voters = Policy(SecretGraph.complete(["yes", "no"]), records=5)
    answers = answer_graph(voters, counting_query(["yes"]))
    assert optimal_mechanism(answers, ratio=2).utility == Fraction(4, 9)


@pytest.mark.parametrize(
    ("bits", "values", "outputs", "value"),
    [(2, 2, 2, "3/2"), (2, 3, 3, "2"), (1, 2, 4, "4/3"), (2, 2, 4, "16/9"), (3, 2, 1, "1")],
)
def test_few_outputs(bits: int, values: int, outputs: int, value: str) -> None:
    """A-P2: (2,2,2) exactly 3/2 below the bound 8/5; (2,3,3) exactly 2; (1,2,4) 4/3 above 8/7."""
    policy = Policy(SecretGraph.complete(values), records=bits)
    best = worst_case_with_outputs(policy, outputs, ratio=2)
    assert best.lower == best.upper == Fraction(value)
    assert min_capacity(best.channel).factor == best.lower
    assert best.bits == log2_interval(Fraction(value))[1]
    assert not hasattr(best, "utility")
    assert best.channel.shape[1] <= outputs


def test_what_is_too_much_or_nothing_is_refused() -> None:
    with pytest.raises(TooLarge, match="too many to try"):
        worst_case_with_outputs(SecretGraph.line(30), 15, ratio=2)
    for outputs in (0, 2.5, True, "2"):
        with pytest.raises(InvalidNumber, match="outputs must be a whole number from 1 up, got"):
            worst_case_with_outputs(SecretGraph.line(3), outputs, ratio=2)  # type: ignore[arg-type]
