"""Every published bound: that it holds, where it is attained, and where it does not apply."""

import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from leaktight.errors import InvalidNumber, Mismatch, TooLarge
from leaktight.exact.powers import Powers
from leaktight.mechanisms.best import worst_case_with_outputs
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.constraint import count
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.published import (
    LeakageBounds,
    hamming_code,
    leakage_bounds,
    repetition_code,
)
from leaktight.worst_case.published.bounds import PublishedBound
from tests.strategies.named_graphs import (
    box,
    complete,
    cube,
    cycle,
    disjoint,
    path,
    petersen,
    prism,
    star,
)

RATIOS = ["1", "1.2", "2", "5"]


def worst_case(graph: Graph, ratio: str) -> float:
    """The largest Σ_j K_jj over private channels, by a linear program of its own."""
    n, number = graph.order, float(ratio)
    rows = []
    for i, h in [*graph.edges.tolist(), *graph.edges[:, ::-1].tolist()]:
        for j in range(n):
            row = np.zeros((n, n))
            row[i, j], row[h, j] = 1, -number
            rows.append(row.ravel())
    solved = linprog(
        -np.eye(n).ravel(),
        A_ub=np.array(rows) if rows else None,
        b_ub=np.zeros(len(rows)) if rows else None,
        A_eq=np.kron(np.eye(n), np.ones(n)),
        b_eq=np.ones(n),
    )
    assert solved.fun is not None
    return -solved.fun


def only(bounds: LeakageBounds, text: str) -> PublishedBound:
    [found] = bounds.named(text)
    return found


def value(graph: Policy | AdjacencyGraph | Graph, text: str, ratio: int = 2) -> Fraction:
    return only(leakage_bounds(graph, ratio), text).value


SMALL = {
    "one vertex": Graph(1),
    "edgeless": Graph(3),
    "pair": complete(2),
    "triangle": complete(3),
    "path": path(4),
    "star": star(3),
    "pentagon": cycle(5),
    "hexagon": cycle(6),
    "cube": cube(3),
    "prism": prism(),
    "fork": Graph(5, [(0, 1), (1, 2), (2, 3), (2, 4)]),
    "path and pair": disjoint(path(3), complete(2)),
    "star and point": disjoint(star(3), Graph(1)),
    "two pairs": disjoint(complete(2), complete(2)),
}


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("name", SMALL)
def test_no_bound_is_below_the_worst_case(name: str, ratio: str) -> None:
    exact = worst_case(SMALL[name], ratio)
    bounds = leakage_bounds(SMALL[name], ratio)
    assert all(bound.value >= exact - 1e-7 for bound in bounds)
    assert all(bound.value >= exact - 1e-7 for bound in bounds.about_one_record)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize(("values", "records"), [(2, 2), (2, 3), (3, 2), (4, 2)])
def test_no_bound_for_several_records_is_below_the_worst_case(
    values: int, records: int, ratio: str
) -> None:
    policy = Policy(SecretGraph.complete(values), records)
    exact = worst_case(policy.adjacency().explicit(), ratio)
    bounds = leakage_bounds(policy, ratio)
    assert all(bound.value >= exact - 1e-7 for bound in bounds)
    assert float(bounds.tightest.value) == pytest.approx(exact, abs=1e-7)


def test_no_bound_is_below_the_worst_case_on_all_graphs_of_at_most_five_vertices() -> None:
    for found in nx.graph_atlas_g()[1:53]:
        graph = Graph.from_networkx(found)
        for ratio in ("1.2", "5"):
            exact = worst_case(graph, ratio)
            bounds = leakage_bounds(graph, ratio)
            assert all(bound.value >= exact - 1e-7 for bound in bounds), found.edges
            codes = bounds.named("small codes")
            radii, diameters = only(bounds, "radii"), only(bounds, "diameters")
            assert min(b.value for b in codes) <= radii.value <= diameters.value


# --- an instance that attains each bound ---------------------------------------------------

ATTAINED = [
    ("number of databases", Graph(3), 3),
    ("Theorem 11 of [Edwards2021]: diameters", Graph(3), 3),
    ("Theorem 11 of [Edwards2021]: radii (ours)", star(3), 2),
    ("Theorem 1 of [Alvim2011b]", complete(3), Fraction(3, 2)),
    ("Theorem 1 of [Alvim2011a]", petersen(), Fraction(5, 2)),
    ("Theorem 3 of [Alvim2011b]", cycle(5), 2),
    ("Theorem 3 of [Barthe2011]", complete(2), Fraction(4, 3)),
    ("Corollary 3 of [Barthe2011]: normalised (ours)", complete(3), Fraction(3, 2)),
    ("Theorem 4 of [Barthe2011]: small codes, normalised (ours)", star(3), 2),
    ("Corollary 4 of [Barthe2011]", Graph(3), 3),
]


@pytest.mark.parametrize(("name", "graph", "expected"), ATTAINED)
def test_the_bound_is_attained(name: str, graph: Graph, expected: Fraction) -> None:
    assert value(graph, name) == expected
    assert worst_case(graph, "2") == pytest.approx(float(expected), abs=1e-7)


def test_small_codes_attain_the_worst_case_of_a_star() -> None:
    """Theorem 4 of [Barthe2011] with the centre as its only word."""
    assert [b.value for b in leakage_bounds(star(3), 2).named("small codes")] == [2, 2]
    assert worst_case(star(3), "2") == pytest.approx(2)


def test_the_radius_bound_is_attained_by_a_spider_too() -> None:
    legs = [(0, i) for i in range(1, 7)] + [(i, i + 6) for i in range(1, 7)]
    spider = Graph(13, legs)
    assert value(spider, "radii") == 4
    assert value(spider, "diameters") == 16
    assert worst_case(spider, "2") == pytest.approx(4)


@pytest.mark.parametrize("ratio", ["1.2", "2", "5"])
def test_some_bounds_are_never_attained_if_there_is_an_edge_and_privacy_is_not_perfect(
    ratio: str,
) -> None:
    """No attaining instance with ε > 0 and an edge is known for these; the first has none."""
    for graph in (complete(2), complete(5), path(4), star(3), cycle(5), cube(3)):
        exact = worst_case(graph, ratio)
        bounds = leakage_bounds(graph, ratio)
        loose = ["diameters", "Lemma 4 of [Alvim2011b]: λ", "Corollary 4"]
        for bound in itertools.chain.from_iterable(map(bounds.named, loose)):
            assert bound.value > exact + 1e-3, (bound, graph)
    for records in (1, 2, 3):
        policy = Policy(SecretGraph.complete(2), records)
        exact = worst_case(policy.adjacency().explicit(), ratio)
        bounds = leakage_bounds(policy, ratio)
        for text in ("Corollary 2", "repetition code", "Hamming codes"):
            assert all(b.value > exact + 1e-3 for b in bounds.named(text) if "ours" not in b.form)


def test_perfect_privacy_leaks_nothing_and_most_bounds_say_so() -> None:
    bounds = leakage_bounds(Policy(SecretGraph.complete(2), records=4), epsilon=0)
    silent = {str(bound) for bound in bounds if bound.value == 1}
    assert {str(b) for b in bounds} - silent == {
        "number of databases: |X|",
        "Corollary 3 of [Barthe2011]: repetition code",
        "Theorem 4 of [Barthe2011]: Hamming codes",
        "Theorem 3 of [Alvim2011b]: |X|·α(c, n) (ours)",
    }
    assert all(b.bits == 0 for b in bounds if b.value == 1)


# --- products, components, sizes -----------------------------------------------------------


@pytest.mark.parametrize("ratio", [1, 2, "7/3"])
def test_a_product_has_the_same_bounds_as_its_list_of_databases(ratio: int | str) -> None:
    mixed = AdjacencyGraph.of_records([disjoint(path(3), complete(2)), complete(2)])
    both = [leakage_bounds(graph, ratio) for graph in (mixed, mixed.explicit())]
    for text in ("number of databases", "diameters", "radii"):
        assert only(both[0], text).value == only(both[1], text).value
    even = AdjacencyGraph.of(cycle(4), 2)
    both = [leakage_bounds(graph, ratio) for graph in (even, even.explicit())]
    for text in ("Theorem 1 of [Alvim2011a]", "Theorem 3 of [Alvim2011b]", "Corollary 4"):
        assert only(both[0], text).value == only(both[1], text).value


def test_a_million_records_are_bounded_as_one_is() -> None:
    policy = Policy(SecretGraph.threshold(50, 3), records=1_000_000)
    leakage_bounds(policy, 2)  # what is imported when first needed
    bounds = leakage_bounds(policy, epsilon=1)
    text = str(bounds)
    assert max(map(len, text.splitlines())) <= 80
    assert only(bounds, "diameters").bits == pytest.approx(17_000_000 / math.log(2))
    assert only(bounds, "radii").bits == pytest.approx(9_000_000 / math.log(2))
    with pytest.raises(TooLarge, match="bits"):
        _ = only(bounds, "diameters").value


def test_a_billion_records_are_bounded_by_logarithms() -> None:
    bounds = leakage_bounds(Policy(SecretGraph.complete(6), records=10**9), ratio=2, outputs=5)
    # (vλ/(v − 1 + λ))^u with v = 6 values, λ = 2 and u = 10^9 records.
    assert only(bounds, "(vλ/(v−1+λ))^u").factors == Powers.of((Fraction(12, 7), 10**9))
    assert only(bounds, "number of databases").factors == Powers.of((6, 10**9))
    reasons = {one.form: one.reason for one in bounds.inapplicable}
    assert reasons["|X|·α(c, n)"].startswith("the exact counts at 1,000,000,001 distances")
    assert max(map(len, str(bounds).splitlines())) <= 80


def test_an_edgeless_secret_graph_protects_nothing() -> None:
    bounds = leakage_bounds(Policy(SecretGraph(3), records=2), ratio=2)
    assert {bound.value for bound in bounds} == {9}
    assert {bound.value for bound in bounds.about_one_record} == {3}


@pytest.mark.parametrize(("ratio", "epsilon"), [(2**5000, None), (None, 40), (None, 0)])
def test_extreme_ratios_give_bounds(ratio: int | None, epsilon: int | None) -> None:
    policy = Policy(SecretGraph.complete(3), records=3)
    bounds = leakage_bounds(policy, ratio, epsilon)
    assert 1 <= bounds.tightest.value <= 27
    assert max(len(line) for line in str(bounds).splitlines()) <= 80


def test_a_bound_for_e_to_the_epsilon_is_rounded_up() -> None:
    bound = only(leakage_bounds(complete(2), epsilon=1), "Theorem 3 of [Barthe2011]")
    below, above = Fraction("2.718281828459045"), Fraction("2.718281828459046")
    assert 2 * below / (1 + below) < bound.value < 2 * above / (1 + above)
    assert bound.bits >= math.log2(bound.value)
    assert bound.nats == pytest.approx(bound.bits * math.log(2))


# --- what applies --------------------------------------------------------------------------


def reasons(bounds: LeakageBounds) -> dict[str, str]:
    return {f"{one.source}: {one.form}": one.reason for one in bounds.inapplicable}


OURS: dict[str, tuple[Space, str, bool]] = {
    "bits: Theorem 4 speaks of them": (Policy(SecretGraph.complete(2), 4), "small codes", False),
    "three values: Theorem 4 does not": (Policy(SecretGraph.complete(3), 2), "small codes", True),
    "a path": (path(4), "small codes", True),
    "three values, repeated": (Policy(SecretGraph.complete(3), 2), "repetition code", True),
    "bits, repeated": (Policy(SecretGraph.complete(2), 3), "repetition code", False),
    "a limit, not a bound": (Policy(SecretGraph.complete(2), 3), "Ball_d", True),
    "a ring turns": (cycle(7), "α(c, n)", False),
    "four databases of two bits are a ring": (Policy(SecretGraph.complete(2), 2), "α(c, n)", False),
    "two and three values turn as six": (box(complete(2), complete(3)), "α(c, n)", False),
    "no turn moves nine": (Policy(SecretGraph.complete(3), 2), "α(c, n)", True),
    "no turn moves eight": (cube(3), "α(c, n)", True),
    "Petersen's graph does not turn": (petersen(), "α(c, n)", True),
    "but is distance-regular": (petersen(), "Σ n_d λ^−d", False),
    "a prism is VT+": (prism(), "Σ n_d λ^−d", False),
    "so are products of rings": (AdjacencyGraph.of_records([cycle(5), cycle(4)]), "Σ n_d", False),
    "records of one size": (Policy(SecretGraph.complete(3), 4), "(vλ/(v−1+λ))^u", False),
    "of two sizes": (AdjacencyGraph.of_records([complete(2), complete(3)]), "(vλ/", True),
    "places": (Metric.euclidean({"a": (0, 0), "b": (1, 0), "c": (0, 2)}), "diameters", True),
}


@pytest.mark.parametrize("case", OURS)
def test_what_a_paper_does_not_say_is_marked_as_ours(case: str) -> None:
    neighbours, form, ours = OURS[case]
    [first] = [b for b in leakage_bounds(neighbours, 2) if form in b.form and "norm" not in b.form]
    assert first.form.endswith("(ours)") is ours


def test_given_codes_are_ours_but_for_bits() -> None:
    for values, ours in ((2, False), (3, True)):
        policy = Policy(SecretGraph.complete(values), 2)
        word = [(0, 0)]
        before = {str(bound) for bound in leakage_bounds(policy, 2)}
        after = {str(bound) for bound in leakage_bounds(policy, 2, codes=[word])} - before
        assert {"(ours)" in form for form in after if "norm" not in form} == {ours}


def test_what_does_not_apply_says_why() -> None:
    line = reasons(leakage_bounds(Policy(SecretGraph.line(["low", "mid", "high"])), 2))
    assert line["Theorem 1 of [Alvim2011b]: (vλ/(v−1+λ))^u"] == "'low' and 'high' are not joined"
    assert (
        "1 vertex at distance 1 from 'low', but 2 from 'mid'"
        in (line["Theorem 1 of [Alvim2011a]: |X| / Σ n_d λ^−d"])
    )
    three = reasons(leakage_bounds(Policy(SecretGraph.complete(3), 2), 2))
    assert three["Corollary 2 of [Barthe2011]: code of one word"] == "a record has 3 values, not 2"
    assert three["number of outputs: r"] == "no limit on the number of outputs is given"
    two = reasons(leakage_bounds(Policy(SecretGraph.complete(2), 2), 2))
    assert two["Theorem 3 of [Barthe2011]: 2λ/(λ+1)"] == "there are 2 records"


def test_under_constraints_records_depend_on_each_other() -> None:
    policy = Policy(SecretGraph.complete(2), 4, constraints=[count([1], equals=1)])
    bounds = leakage_bounds(policy, 2)
    assert not bounds.about_one_record
    assert "depend" in reasons(bounds)["Theorem 2 of [Alvim2011b]: λ"]
    assert bounds.tightest.value == Fraction(8, 5)  # the four databases are all neighbours


def test_records_with_different_numbers_of_values_multiply() -> None:
    policy = Policy(SecretGraph.complete(3), 2, values=[[0, 1], [0, 1, 2]])
    bounds = leakage_bounds(policy, 2)
    assert bounds.tightest.value == Fraction(4, 3) * Fraction(3, 2)
    assert "some records have 2 values and others 3" in reasons(bounds).values()


# --- codes and outputs ---------------------------------------------------------------------


def test_codes_may_be_words_or_products_of_known_codes() -> None:
    policy = Policy(SecretGraph.complete(["no", "yes"]), records=7)
    ends = [("no",) * 7, ("yes",) * 7]
    bounds = leakage_bounds(policy, 2, codes=[hamming_code(3), ends])
    assert [b.value for b in bounds.named("Hamming(7,4)")] == [Fraction(1024, 135), 32]
    assert [b.value for b in bounds.named("given code")] == [Fraction(32, 3), 16]
    with pytest.raises(Mismatch, match="cover the graph"):
        leakage_bounds(policy, 2, codes=[repetition_code(6)])


def test_a_connected_graph_with_few_outputs_leaks_less() -> None:
    bounds = leakage_bounds(complete(3), 2, outputs=3)
    assert only(bounds, "r outputs (ours)").value == Fraction(3, 2) == bounds.tightest.value
    assert leakage_bounds(Graph(3), 2, outputs=2).tightest.value == 2  # say which of two, or not
    pair = leakage_bounds(path(4), 2, outputs=2)
    assert only(pair, "number of outputs").value == 2
    assert only(pair, "r outputs (ours)").value == Fraction(16, 9)
    with pytest.raises(InvalidNumber, match="outputs= must be a whole number from 1 up, got 0"):
        leakage_bounds(path(4), 2, outputs=0)


def test_proposition_2_is_as_printed_and_not_offered_where_it_is_false() -> None:
    """The formula of [Alvim2011b]_ holds for up to |X| outputs; beyond, it says 8/7 for 4/3."""

    def printed(records: int, outputs: int, ratio: int) -> Fraction:
        bits = Policy(SecretGraph.complete(2), records)
        table = leakage_bounds(bits, ratio, outputs=outputs)
        return next(b.value for b in table.named("Proposition 2") if "ours" not in b.form)

    assert printed(3, 4, 2) == Fraction(4 * 8, 9 - 4 + 8)
    assert printed(2, 3, 1) == Fraction(3, 2)
    bits = leakage_bounds(Policy(SecretGraph.complete(2)), 2, outputs=4)
    assert "false for more outputs" in reasons(bits)["Proposition 2 of [Alvim2011b]: r outputs"]


# --- the table -----------------------------------------------------------------------------


def test_the_table_is_sorted_and_marks_the_tightest() -> None:
    bounds = leakage_bounds(Policy(SecretGraph.complete(2), 3), 2, outputs=4)
    values = [bound.value for bound in bounds]
    assert values == sorted(values)
    assert len(bounds) == len(values)
    lines = str(bounds).splitlines()
    assert max(map(len, lines)) <= 80
    marked = [line for line in lines if " * " in line]
    assert any("16/7" in line and "records that agree" in line for line in marked)
    assert not any(" 8 " in line for line in marked)
    html = bounds._repr_html_()
    assert html.count("<tr>") == html.count("</tr>")
    assert "<b>Proposition 2 of [Alvim2011b]: r outputs, by records" in html


@pytest.mark.parametrize(("values", "records", "outputs"), [(2, 3, 4), (3, 2, 3)])
def test_the_bound_by_records_that_agree_is_attained(
    values: int, records: int, outputs: int
) -> None:
    policy = Policy(SecretGraph.complete(values), records)
    bounds = leakage_bounds(policy, 2, outputs=outputs)
    best = worst_case_with_outputs(policy, outputs, ratio=2)
    assert only(bounds, "records that agree").value == best.lower == best.upper


@pytest.mark.parametrize("ratio", ["1", "11/10", "2", "50"])
def test_the_bound_by_records_that_agree_is_never_above_the_others(ratio: str) -> None:
    """docs/proofs/few-outputs.md: against Proposition 2, Theorem 1, r and r within the diameter."""
    for values, records, outputs in itertools.product((2, 3, 5), (1, 2, 7), (1, 2, 3, 8, 40)):
        bounds = leakage_bounds(
            Policy(SecretGraph.complete(values), records), ratio, outputs=outputs
        )
        assert only(bounds, "records that agree").value == bounds.tightest.value
