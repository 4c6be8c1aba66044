"""The worst case as a function of λ, and the decision of Theorem 6 of Barthe and Köpf."""

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpz_poly

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.algebraic import AlgebraicNumber, rational_between, roots_above_one
from leaktight.exact.ratio import Ratio
from leaktight.leakage.capacity import min_capacity
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import column_optimum, total_weight, weighting
from leaktight.worst_case.every_ratio import decide_bound
from leaktight.worst_case.every_ratio.function import WorstCaseFunction, worst_case_function
from leaktight.worst_case.every_ratio.piece import (
    balance,
    solve_polynomials,
    thin_out,
    weighting_pieces,
)
from tests.strategies.named_graphs import box, complete, cube, cycle, disjoint, path, petersen, star
from tests.worst_case.test_columns import direct_optimum, random_connected

TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
RATIOS = [Fraction(r) for r in ("1.03", "1.2", "1.45", "1.7", "2", "2.6", "3", "8")]


def check_continuous(function: WorstCaseFunction) -> None:
    """The pieces follow one another from 1 to infinity and agree where they meet."""
    assert function.pieces[0].lower == 1
    assert function.pieces[-1].upper is None
    assert function(1) >= 1
    for before, after in itertools.pairwise(function.pieces):
        assert before.upper == after.lower
        crossing = before.numerator * after.denominator - after.numerator * before.denominator
        assert after.lower in roots_above_one(crossing)


# --- formulas that are known ---


def test_the_tree_has_two_formulas() -> None:
    function = worst_case_function(TREE)
    assert function.break_points == (AlgebraicNumber.of(3),)
    assert repr(function).splitlines() == [
        "(λ^2 + 2λ − 1)/(λ + 1) for 1 ≤ λ ≤ 3",
        "(6λ − 4)/(λ + 1) for λ ≥ 3",
    ]
    assert function(2) == Fraction(7, 3)
    check_continuous(function)


def test_the_tree_agrees_with_the_direct_program_at_fifty_ratios() -> None:
    function, rng = worst_case_function(TREE), random.Random(50)
    for _ in range(50):
        ratio = Fraction(rng.randrange(1001, 6000), 1000)
        assert float(function(ratio)) == pytest.approx(direct_optimum(TREE, ratio), rel=1e-7)


@pytest.mark.parametrize("m", [1, 2, 3, 6, 12])
def test_a_path_has_one_formula(m: int) -> None:
    function = worst_case_function(path(m))
    assert len(function.pieces) == 1
    for ratio in RATIOS:
        assert function(ratio) == 1 + (m - 1) * (ratio - 1) / (ratio + 1)


@pytest.mark.parametrize("graph", [cycle(5), cycle(8), complete(6), petersen(), cube(4)])
def test_a_graph_that_looks_alike_from_everywhere_has_one_formula(graph: Graph) -> None:
    function = worst_case_function(graph)
    assert len(function.pieces) == 1
    counts = graph.distance_counts[0].tolist()
    for ratio in RATIOS:
        seen = sum(count / ratio**d for d, count in enumerate(counts))
        assert function(ratio) == graph.order / seen


@pytest.mark.parametrize("leaves", [2, 3, 5, 9])
def test_a_star_is_lambda_up_to_its_leaves_less_one(leaves: int) -> None:
    function = worst_case_function(star(leaves))
    for ratio in RATIOS:
        if ratio <= leaves - 1:
            assert function(ratio) == ratio
    check_continuous(function)


def test_break_points_may_be_irrational() -> None:
    graph = Graph(10, [(0, 1), (1, 2), (2, 3), (3, 4), (2, 5), (2, 6), (6, 7), (1, 8), (3, 9)])
    function = worst_case_function(graph)
    check_continuous(function)
    for ratio in RATIOS:
        assert function(ratio) == column_optimum(graph, ratio).value


# --- any graph ---


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_small_graphs_connected_or_not(n: int) -> None:
    pairs = list(itertools.combinations(range(n), 2))
    for k in range(len(pairs) + 1):
        for edges in itertools.combinations(pairs, k):
            graph = Graph(n, edges)
            function = worst_case_function(graph)
            check_continuous(function)
            assert function(1) == len(graph.components)
            parts = [graph.subgraph(vertices) for vertices in graph.components]
            for ratio in (Fraction("1.3"), Fraction("2.5")):
                assert function(ratio) == sum(column_optimum(p, ratio).value for p in parts)


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_agree_with_the_optimum_at_one_ratio(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(5, 12)
    graph = random_connected(n, rng.randrange(n // 2), rng)
    function = worst_case_function(graph)
    check_continuous(function)
    for _ in range(6):
        ratio = Fraction(rng.randrange(1001, 4000), 1000)
        assert function(ratio) == column_optimum(graph, ratio).value


@pytest.mark.parametrize(
    "graph",
    [
        box(path(3), path(4)),
        Graph(7, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)]),
        Graph(8, [(a, b) for a in range(3) for b in range(3, 8)]),
        Graph(13, [(0, leg) for leg in range(1, 7)] + [(leg, leg + 6) for leg in range(1, 7)]),
    ],
)
def test_symmetric_graphs_are_settled_though_their_optima_are_degenerate(graph: Graph) -> None:
    function = worst_case_function(graph)
    check_continuous(function)
    for ratio in RATIOS[1::2]:
        assert function(ratio) == column_optimum(graph, ratio).value


def test_components_add_on_the_common_refinement() -> None:
    both = worst_case_function(disjoint(TREE, star(3)))
    assert both.break_points == (AlgebraicNumber.of(2), AlgebraicNumber.of(3))
    for ratio in RATIOS:
        assert both(ratio) == worst_case_function(TREE)(ratio) + worst_case_function(star(3))(ratio)


# --- records ---


def test_records_multiply_where_the_weighting_is_never_negative() -> None:
    one, three = path(4), AdjacencyGraph.of(path(4), 3)
    for ratio in RATIOS:
        assert worst_case_function(three)(ratio) == worst_case_function(one)(ratio) ** 3


def test_records_are_listed_where_they_do_not_multiply() -> None:
    two = AdjacencyGraph.of(star(3), 2)
    function = worst_case_function(two)
    check_continuous(function)
    assert function("3/2") >= Fraction(9, 4)
    assert function(4) == worst_case_function(star(3))(4) ** 2
    with pytest.raises(TooLarge, match="at most 60, got 256 databases"):
        worst_case_function(AdjacencyGraph.of(star(3), 4))


def test_too_much_is_refused() -> None:
    with pytest.raises(TooLarge, match="has degree 1,000,000"):
        worst_case_function(AdjacencyGraph.of(complete(2), 10**6))
    with pytest.raises(TooLarge, match="at most 60 vertices, got 61"):
        worst_case_function(path(61))
    with pytest.raises(InvalidNumber, match="at least 1"):
        worst_case_function(path(3))("1/2")


# --- decisions ---


def power(base: list[int], exponent: int) -> list[int]:
    return [int(c) for c in (fmpz_poly(base) ** exponent).coeffs()]


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_the_formula_of_the_cube_is_the_worst_case(n: int) -> None:
    cubes = [AdjacencyGraph.of(complete(2), n)] + ([cube(n)] if n < 10 else [])
    for graph in cubes:
        decision = decide_bound(graph, power([0, 2], n), power([1, 1], n))
        assert decision
        assert decision.is_tight
        assert str(decision) == "a tight bound: the worst case at every ratio"


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_a_slightly_smaller_formula_is_refuted_by_a_channel(n: int) -> None:
    graph = AdjacencyGraph.of(complete(2), n)
    r = [c * 10**6 for c in power([0, 2], n)]
    decision = decide_bound(graph, r, [c * 10**6 + 1 for c in power([1, 1], n)])
    assert not decision
    assert not decision.is_tight
    found = decision.counterexample
    assert found is not None
    assert found.value > found.claimed
    assert privacy_level(found.channel, graph).ratio <= found.ratio
    assert min_capacity(found.channel).factor == found.value


def test_a_larger_formula_is_a_bound_that_is_not_tight() -> None:
    decision = decide_bound(cube(2), [0, 1], [1])
    assert decision
    assert not decision.is_tight
    assert decision.function(2) == Fraction(16, 9)


def test_a_formula_that_holds_for_small_ratios_only_is_refuted_above() -> None:
    """The tree's worst case passes 3 at λ = (1 + √17)/2, in its first piece."""
    found = decide_bound(TREE, [3], [1]).counterexample
    assert found is not None
    assert found.ratio**2 - found.ratio - 4 > 0
    assert found.value == worst_case_function(TREE)(found.ratio) > found.claimed == 3
    assert min_capacity(found.channel).factor == found.value


def test_a_formula_that_fails_on_a_narrow_interval_only_is_refuted() -> None:
    """λ + (λ − 2)²·10⁶ − 1/10⁶ over 1: below the star's worst case only near λ = 2."""
    million = 10**6
    r = [4 * million**2 - 1, million - 4 * million**2, million**2]
    decision = decide_bound(star(3), r, [million])
    assert decision.counterexample is not None
    assert abs(decision.counterexample.ratio - 2) < Fraction(1, 1000)


def test_a_denominator_with_a_root_is_refused() -> None:
    with pytest.raises(InvalidInput, match="denominator must be positive at every ratio"):
        decide_bound(path(2), [1], [-2, 1])


def test_theorem_6_of_barthe_and_koepf_with_its_formula_for_attained_corrected() -> None:
    """B-T6: the published EB accepts r/s if *some* entries of a private channel sum to it.

    Randomised response has the entries 1/(1+λ) twice, off the diagonal, so EB accepts
    2/(1+λ) as "attained for every ε". But every channel has Σ max ≥ 1 > 2/(1+λ).
    """
    bit = complete(2)
    for ratio in RATIOS:
        response = Channel(column_optimum(bit, ratio).matrix)
        assert response[0, 1] + response[1, 0] == 2 / (1 + ratio) < 1
    decision = decide_bound(bit, [2], [1, 1])
    assert not decision.is_bound
    assert not decision.is_tight


REACHED = {
    "a mixture with a constant channel": ([1, 3], [2, 2]),
    "a constant channel": ([1], [1]),
    "the worst case": ([0, 2], [1, 1]),
}


@pytest.mark.parametrize("case", REACHED)
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(9)])
def test_what_is_reached_is_leaked_by_a_private_channel(case: str, ratio: Fraction) -> None:
    r, s = REACHED[case]
    decision = decide_bound(complete(2), r, s)
    assert decision.is_reached
    channel = decision.channel(ratio)
    assert privacy_level(channel, complete(2)).ratio <= ratio
    claimed = sum(c * ratio**k for k, c in enumerate(r)) / sum(
        c * ratio**k for k, c in enumerate(s)
    )
    assert min_capacity(channel).factor == claimed


@pytest.mark.parametrize(("n", "r", "s"), [(1, [2], [1, 1]), (2, [0, 1], [1]), (2, [0, 5], [0, 4])])
def test_what_is_not_reached_is_below_one_or_above_the_worst_case(
    n: int, r: list[int], s: list[int]
) -> None:
    decision = decide_bound(AdjacencyGraph.of(complete(2), n), r, s)
    assert not decision.is_reached
    found = decision.unreached
    assert found is not None
    assert found.most == (2 * found.ratio / (1 + found.ratio)) ** n
    assert not 1 <= found.claimed <= found.most
    with pytest.raises(InvalidInput, match="no private channel"):
        decision.channel(found.ratio)


def test_random_formulas_are_decided_as_samples_of_ratios_say() -> None:
    """r/s between 1 and V at all of many ratios, if and (here) only if it is reached."""
    draw, counts = random.Random(6), Counter[bool]()
    ratios = [1 + Fraction(k, 40) ** 3 for k in range(200)]
    for _ in range(150):
        n = draw.choice([1, 2])
        s = power([1, 1], n)
        r = [draw.randrange(0, 4) for _ in range(n + 1)]
        scale = draw.choice([1, sum(r) or 1])
        r, s = [c * sum(s) for c in r], [c * scale for c in s]  # often 1 at λ = 1
        decision = decide_bound(AdjacencyGraph.of(complete(2), n), r, s)
        sampled = True
        for ratio in ratios:
            claimed = sum(c * ratio**k for k, c in enumerate(r)) / sum(
                c * ratio**k for k, c in enumerate(s)
            )
            most = (2 * ratio / (1 + ratio)) ** n
            sampled &= 1 <= claimed <= most
            assert not decision.is_bound or claimed >= most
        assert decision.is_reached == sampled
        counts[decision.is_reached] += 1
    assert min(counts[True], counts[False]) > 10


# --- what it rests on ---


def test_algebraic_numbers_are_compared_exactly() -> None:
    near = fmpz_poly([-2 * 10**40 - 1, 0, 10**40])
    (root,), (other,) = roots_above_one(fmpz_poly([-2, 0, 1])), roots_above_one(near)
    assert root < other
    assert root != other
    assert root == roots_above_one(fmpz_poly([-2, 0, 1]) * fmpz_poly([-3, 1]))[0]
    assert root < rational_between(root, other) < other
    assert float(root) == 2**0.5


def test_polynomial_equations_are_solved_as_at_each_number() -> None:
    rng = random.Random(0)
    rows = [[fmpz_poly([rng.randrange(-3, 4) for _ in range(3)]) for _ in range(4)] for _ in "abcd"]
    right = [fmpz_poly([rng.randrange(5)]) for _ in range(4)]
    numerators, denominator = solve_polynomials(rows, right)
    for row, end in zip(rows, right, strict=True):
        assert sum(p * x for p, x in zip(row, numerators, strict=True)) == end * denominator


def test_thinning_out_a_flow_keeps_its_balances() -> None:
    rng = random.Random(1)
    for _ in range(50):
        arcs = {(i, h): rng.randrange(1, 9) for i in range(4) for h in range(4, 9)}
        net = [sum(a * ((h == v) - (i == v)) for (i, h), a in arcs.items()) for v in range(9)]
        forest = thin_out(arcs)
        assert len(forest) <= 8
        amounts = balance(forest, net)
        assert amounts is not None
        assert min(amounts) > 0


# --- what is asked, and how ---


def test_coefficients_are_never_cut_to_whole_numbers() -> None:
    bit = path(2)  # the worst case is 2λ/(1 + λ)
    for more in (1.9, "1.9", Fraction(19, 10), "19/10"):
        assert not decide_bound(bit, [0, 2], [more, more])
        assert not decide_bound(bit, [0, more], [1, 1])
        assert decide_bound(bit, [0, more], [0.95, "19/20"]).is_tight
    assert decide_bound(bit, [0, 2], [0.9, 1])
    assert decide_bound(bit, [0, "2/3"], ["1/3", "1/3"]).is_tight
    found = decide_bound(bit, [0, "1.9"], [1, 1]).counterexample
    assert found is not None
    assert found.claimed == Fraction(19, 10) * found.ratio / (1 + found.ratio)


@pytest.mark.parametrize("wrong", ["12", b"12", 5, [float("nan")], [None], ["λ"], [float("inf")]])
def test_what_is_no_list_of_numbers_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match=r"list of coefficients|number"):
        decide_bound(path(2), wrong, [1, 1])
    with pytest.raises(InvalidInput, match=r"list of coefficients|number"):
        decide_bound(path(2), [0, 2], wrong)


def test_a_policy_is_taken_as_everywhere_else() -> None:
    policy = Policy(SecretGraph.complete(2), records=2)
    assert repr(worst_case_function(policy)) == repr(worst_case_function(policy.adjacency()))
    assert decide_bound(policy, [0, 0, 4], [1, 2, 1]).is_tight
    with pytest.raises(InvalidInput, match="must say what is joined, got 5"):
        worst_case_function(5)  # type: ignore[arg-type]


def test_what_would_take_too_many_proofs_is_refused_with_the_way_out() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.worst_case.every_ratio.function.MOST_WORK", 100)
        with pytest.raises(TooLarge, match="worst_case_leakage settles any one ratio"):
            worst_case_function(TREE)


@pytest.mark.parametrize("seed", range(4))
def test_weightings_put_together_from_blocks_solve_the_whole_system(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(5, 9)
    edges = [(i, rng.randrange(i)) for i in range(1, n)]
    graph = Graph(n, [*edges, *([(0, n - 1)] if (n - 1, 0) not in edges else [])])
    for piece in weighting_pieces(graph):
        ratio = rational_between(piece.lower, piece.upper)
        weights = weighting(graph, ratio)
        assert weights is not None
        assert piece(ratio) == Fraction(str(total_weight(weights)))


def test_it_takes_many_ratios_at_once_and_is_written_in_latex() -> None:
    star = worst_case_function(SecretGraph.from_edges([*"abcd"], [("a", x) for x in "bcd"]))
    ratios = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7)]
    assert star(ratios).tolist() == [float(star(each)) for each in ratios]
    assert star(np.array([1.5, 7.0])).tolist() == star(["3/2", 7]).tolist()
    assert star._repr_latex_() == (
        r"$\displaystyle V(\lambda) = \begin{cases} \lambda & 1 \le \lambda \le 2 \\ "
        r"\dfrac{4\lambda - 2}{\lambda + 1} & \lambda \ge 2 \end{cases}$"
    )


def test_of_a_ratio_that_is_enclosed_it_is_not_below_the_worst_case() -> None:
    line = worst_case_function(SecretGraph.line(4))
    e = Ratio.of(epsilon=1)
    assert e.lower < e.upper
    assert line(e) == line(e.upper) > line(e.lower)
