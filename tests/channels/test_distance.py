import math
from collections.abc import Callable
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from leaktight.channels.channel import Channel
from leaktight.channels.distance import multiplicative_distance, total_variation
from leaktight.channels.distribution import Distribution
from leaktight.channels.kantorovich import kantorovich, multiplicative_kantorovich
from leaktight.channels.row_distance import RowDistance, largest_row_distance
from leaktight.errors import InvalidDistribution, InvalidInput, Mismatch
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import Value, fraction
from tests.strategies.channels import channels, distributions

Three = tuple[Distribution, Distribution, Distribution]


def triples(most: int = 5) -> st.SearchStrategy[Three]:
    return st.integers(1, most).flatmap(lambda n: st.tuples(*[distributions(n)] * 3))


def probability(p: Distribution, event: tuple[Any, ...]) -> Fraction:
    return sum((Fraction(p[v]) for v in event), Fraction(0))


# --- total variation ---


@given(triples())
def test_total_variation_is_the_largest_difference_of_an_event(three: Three) -> None:
    p, q, _ = three
    events = chain.from_iterable(combinations(p.values, k) for k in range(len(p) + 1))
    largest = max(abs(probability(p, event) - probability(q, event)) for event in events)
    assert total_variation(p, q) == largest


@given(triples())
def test_distances_obey_the_triangle(three: Three) -> None:
    p, q, r = three
    for distance in (total_variation, kantorovich):
        assert distance(p, p) == 0
        assert distance(p, q) == distance(q, p)
        assert distance(p, r) <= distance(p, q) + distance(q, r)
    assert multiplicative_distance(p, p) == 1
    assert multiplicative_distance(p, q) == multiplicative_distance(q, p)
    assert multiplicative_distance(p, r) <= _product(
        multiplicative_distance(p, q), multiplicative_distance(q, r)
    )


def _product(a: Fraction | float, b: Fraction | float) -> Fraction | float:
    return math.inf if math.inf in (a, b) else a * b


def test_distributions_are_matched_by_label() -> None:
    p = Distribution({"a": "1/4", "b": "3/4"})
    q = Distribution({"b": "3/4", "a": "1/4"})
    assert total_variation(p, q) == 0
    assert total_variation(p, ["3/4", "1/4"]) == Fraction(1, 2)
    with pytest.raises(Mismatch, match="must have the same labels, but 'a' is only in one"):
        total_variation(p, {"b": 1})
    with pytest.raises(Mismatch, match="as many probabilities as each other, got 2 and 3"):
        total_variation(p, ["1/3", "1/3", "1/3"])


def test_one_float_makes_a_float() -> None:
    found = total_variation(["1/4", "3/4"], [0.5, 0.5])
    assert isinstance(found, float)
    assert found == 0.25


def test_a_difference_of_tiny_probabilities_is_kept() -> None:
    tiny = Fraction(1, 10**400)
    assert total_variation([tiny, 1 - tiny], [0, 1]) == tiny
    assert multiplicative_distance([tiny, 1 - tiny], [2 * tiny, 1 - 2 * tiny]) == 2


@pytest.mark.parametrize("size", [1, 7, 1000, 2**16, 2**17 + 3])
def test_many_floats_are_added_to_the_last_digits(size: int) -> None:
    """The second route adds the exact values of the floats."""
    p, q = np.random.default_rng(size).dirichlet(np.ones(size), 2)
    pairs = zip(p, q, strict=True)
    exact = sum((abs(Fraction(a) - Fraction(b)) for a, b in pairs), Fraction(0)) / 2
    assert abs(Fraction(total_variation(p, q)) - exact) <= exact / 2**47


def test_values_are_compared_by_label_and_by_position() -> None:
    """Numbers that are labels by default, given ones that equal them, and others."""
    p = Distribution([0.25, 0.75])
    assert total_variation(p, Distribution([0.75, 0.25])) == 0.5
    assert total_variation(p, Distribution([0.75, 0.25], values=[1, 0])) == 0
    assert total_variation(p, {1.0: 0.75, 0.0: 0.25}) == 0
    with pytest.raises(Mismatch, match="but 0 is only in one"):
        total_variation(p, Distribution([0.75, 0.25], values=[1, 2]))


# --- the largest ratio ---


@given(triples())
def test_a_ratio_bounds_every_event(three: Three) -> None:
    p, q, _ = three
    ratio = multiplicative_distance(p, q)
    events = chain.from_iterable(combinations(p.values, k) for k in range(1, len(p) + 1))
    seen = [(probability(p, e), probability(q, e)) for e in events]
    ratios = [max(a, b) / min(a, b) if min(a, b) else math.inf for a, b in seen if max(a, b)]
    assert ratio == max(ratios)


def test_zero_against_zero_is_no_difference() -> None:
    assert multiplicative_distance([1, 0], [1, 0]) == 1
    assert multiplicative_distance([1.0, 0.0], [0.5, 0.5]) == math.inf
    assert multiplicative_distance([1 - 5e-324, 5e-324], [0.5, 0.5]) == math.inf


# --- Kantorovich ---


@settings(max_examples=60)
@given(triples())
def test_on_the_line_the_quick_way_is_the_linear_program(three: Three) -> None:
    p, q, _ = three
    assert kantorovich(p, q) == kantorovich(p, q, lambda a, b: abs(a - b))


@settings(max_examples=60)
@given(triples())
def test_for_distance_1_it_is_the_total_variation(three: Three) -> None:
    p, q, _ = three
    assert kantorovich(p, q, lambda a, b: int(a != b)) == total_variation(p, q)
    floats = kantorovich(p.float(), q.float(), lambda a, b: int(a != b))
    assert floats == pytest.approx(float(total_variation(p, q)), abs=1e-8)


def test_for_equal_masses_it_is_the_best_matching() -> None:
    """The second route tries every matching."""
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 30, (10, 10)).tolist()
    p = ["1/5"] * 5 + [0] * 5
    q = [0] * 5 + ["1/5"] * 5
    best = min(
        sum(matrix[i][j] for i, j in enumerate(order)) for order in permutations(range(5, 10))
    )
    assert kantorovich(p, q, matrix) == Fraction(best, 5)


def test_a_distance_may_be_a_function_a_mapping_or_a_matrix() -> None:
    p, q = Distribution({"a": 1, "b": 0, "c": 0}), Distribution({"a": 0, "b": "1/2", "c": "1/2"})
    by_pair: dict[Any, Any] = {("a", "b"): 1, ("c", "a"): "5/2", ("b", "c"): 7}
    rows: list[list[Any]] = [[0, 1, "5/2"], [1, 0, 7], ["5/2", 7, 0]]

    def function(a: str, b: str) -> Any:
        return rows["abc".index(a)]["abc".index(b)]

    for distance in (by_pair, rows, np.array(rows, dtype=object), function):
        assert kantorovich(p, q, distance) == Fraction(7, 4)


def test_the_line_takes_values_in_any_order_and_spacing() -> None:
    p = Distribution({10: "1/2", Fraction(1, 2): "1/2", -3: 0})
    q = Distribution({-3: 1, 10: 0, Fraction(1, 2): 0})
    assert kantorovich(p, q) == Fraction(33, 4)
    assert kantorovich({0.5: 1, 2.0: 0}, {0.5: 0, 2.0: 1}) == 1.5


def test_a_large_transport_is_exact() -> None:
    rng = np.random.default_rng(1)
    p, q = (Distribution.from_counts(rng.integers(0, 50, 60).tolist()) for _ in range(2))
    assert kantorovich(p, q, lambda a, b: abs(a - b)) == kantorovich(p, q)


def transport(p: Distribution, q: Distribution, ground: list[list[Any]]) -> Fraction:
    """A second route: the whole linear program, with all that stays where it is, exactly."""
    n = len(p)
    routes = [(i, j) for i in range(n) for j in range(n)]
    entries = [*((i, at) for at, (i, _) in enumerate(routes))]
    entries += [(n + j, at) for at, (_, j) in enumerate(routes) if j < n - 1]
    rows, columns = zip(*entries, strict=True)
    amounts = [*p.array, *q.array[:-1]]
    program = LinearProgram(
        [ground[i][j] for i, j in routes],
        (rows, columns, [1] * len(rows)),
        row_lower=amounts,
        row_upper=amounts,
    )
    answer = solve_exact(program)
    assert isinstance(answer, Optimum)
    return fraction(answer.value)


@settings(max_examples=60, deadline=None)
@given(triples(4), st.data())
def test_what_both_have_stays_only_if_no_way_round_is_shorter(
    three: Three, data: st.DataObject
) -> None:
    """Distances of any kind: with short cuts, with a cost of staying, and metrics."""
    p, q, _ = three
    sizes: list[Any] = [1, Fraction(1, 7), 2**61, 2**62, 2**70]
    scale = data.draw(st.sampled_from(sizes))
    entry = st.one_of(st.just(0), st.integers(0, 3), st.integers(5, 9))
    ground = [[data.draw(entry) * scale for _ in p.values] for _ in p.values]
    if data.draw(st.booleans()):
        for i in range(len(p)):
            ground[i][i] = 0 * scale
    if data.draw(st.booleans()):
        for k, i, j in product(range(len(p)), repeat=3):
            ground[i][j] = min(ground[i][j], ground[i][k] + ground[k][j])
    exact = transport(p, q, ground)
    assert kantorovich(p, q, ground) == exact
    rough = kantorovich(p.float(), q.float(), ground)
    assert rough == pytest.approx(float(exact), abs=1e-8 * float(scale))


def test_little_to_move_is_as_accurate_as_much() -> None:
    nudge = 2.0**-40
    p, q = [0.25 + nudge, 0.5, 0.25 - nudge], [0.25, 0.5 - nudge, 0.25 + nudge]
    ground = [[0, 1, 1.5], [1, 0, 1], [1.5, 1, 0]]
    assert kantorovich(p, q, ground) == pytest.approx(2.5 * nudge, rel=1e-9)


def test_where_there_is_nothing_to_move_there_is_no_work() -> None:
    assert kantorovich(["1/3", "2/3"], ["1/3", "2/3"], lambda a, b: abs(a - b)) == 0
    assert kantorovich([0.25, 0.75], [0.25, 0.75], lambda a, b: abs(a - b)) == 0.0
    assert kantorovich([1], [1], [[0]]) == 0
    assert kantorovich([1], [1], [[3]]) == 3


@pytest.mark.parametrize(
    ("distance", "error", "message"),
    [
        (None, InvalidInput, "without a distance the values must be numbers"),
        ({("a", "c"): 1}, Mismatch, "how far 'a' is from 'b', but has no such pair"),
        ([[0, 1, 2]], Mismatch, "between 2 values must be as many rows and columns, got 1 × 3"),
        ([[0, -1], [1, 0]], InvalidInput, "must be finite and at least 0, got -1 from 'a' to 'b'"),
        ([[0, math.nan], [1, 0]], InvalidInput, "must be finite and at least 0, got nan"),
        ([[0, 1], [math.inf, 0]], InvalidInput, "at least 0, got inf from 'b' to 'a'"),
        ([["zero", 1], [1, 0]], InvalidInput, "expected a number"),
    ],
)
def test_bad_distances_are_refused(distance: Any, error: type[InvalidInput], message: str) -> None:
    p = Distribution({"a": "1/2", "b": "1/2"})
    with pytest.raises(error, match=message):
        kantorovich(p, [1, 0], distance)


def test_what_is_no_distribution_is_refused() -> None:
    with pytest.raises(InvalidDistribution, match="must sum to 1"):
        total_variation([1, 1], [1, 0])


# --- rows of a channel ---


@settings(max_examples=60)
@given(channels())
def test_the_farthest_rows_are_found(channel: Channel) -> None:
    rows = [channel.row(x) for x in channel.inputs]
    for distance in (total_variation, multiplicative_distance, kantorovich):
        found = largest_row_distance(channel, distance)
        pairs = list(combinations(rows, 2)) or [(rows[0], rows[0])]
        assert found.value == max(distance(p, q) for p, q in pairs)
        x, y = found.pair
        assert distance(channel.row(x), channel.row(y)) == found.value
        rough = largest_row_distance(channel.float(), distance)
        assert float(rough.value) == pytest.approx(float(found.value))


def test_any_other_distance_can_be_asked_for() -> None:
    channel = Channel([[1, 0, 0], [0, 1, 0], [0, 0, 1]], inputs=["a", "b", "c"])

    def squared(p: Distribution, q: Distribution) -> Fraction | float:
        return kantorovich(p, q, lambda i, j: (i - j) ** 2)

    assert largest_row_distance(channel, squared) == RowDistance(Fraction(4), ("a", "c"))


def test_a_tie_is_broken_by_exact_numbers() -> None:
    """The two distances differ by less than floats can see."""
    tiny = Fraction(1, 2**80)
    rows = [["1/2", "1/2"], ["1/4", "3/4"], [Fraction(3, 4) + tiny, Fraction(1, 4) - tiny]]
    channel = Channel([*rows, [Fraction(1, 4) - 2 * tiny, Fraction(3, 4) + 2 * tiny]])
    assert largest_row_distance(channel) == RowDistance(Fraction(1, 2) + 3 * tiny, (2, 3))


def test_one_row_has_no_distance() -> None:
    channel = Channel([["1/2", "1/2"]], inputs=["only"])
    assert largest_row_distance(channel) == RowDistance(Fraction(0), ("only", "only"))


def test_all_pairs_of_300_rows_take_a_moment() -> None:
    channel = Channel.random(300, 300, seed=0)
    found = largest_row_distance(channel)
    matrix = channel.matrix
    x, y = found.pair
    assert found.value == total_variation(channel.row(x), channel.row(y))
    assert found.value >= np.abs(matrix[:, None] - matrix[:50]).sum(axis=2).max() / 2 - 1e-12


# --- the multiplicative Kantorovich distance ---


def transported(p: list[float], q: list[float], ratio: Callable[[int, int], float]) -> float:
    """A second route: the transport of [Chatzikokolakis2014], by scipy, one way.

    Mass x_ij may go from i to j at the price of its ratio, and be lent to any value; the least
    factor z of q that pays for it all.
    """
    n = len(p)
    there = np.zeros((2 * n, n * n + n + 1))
    for i in range(n):
        for j in range(n):
            if ratio(i, j) < math.inf:
                there[i, i * n + j] = 1
                there[n + j, i * n + j] = ratio(i, j)
        there[[i, n + i], n * n + i] = -1
        there[n + i, -1] = -q[i]
    cost = np.append(np.zeros(n * n + n), 1)
    found = linprog(cost, A_eq=there[:n], b_eq=p, A_ub=there[n:], b_ub=np.zeros(n))
    return math.inf if found.fun is None else float(found.fun)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_best_test_function_and_the_cheapest_transport_agree(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 4))
    p, q = data.draw(distributions(n)), data.draw(distributions(n))
    levels: list[Any] = [1, 2, "3/2", 4, math.inf]
    drawn = {(i, j): data.draw(st.sampled_from(levels)) for i in range(n) for j in range(i + 1, n)}

    def ratio(i: int, j: int) -> float:
        level = 1 if i == j else drawn[min(i, j), max(i, j)]
        return math.inf if level == math.inf else float(Fraction(level))

    found = multiplicative_kantorovich(p, q, drawn)
    a, b = p.float().array.tolist(), q.float().array.tolist()
    other = max(transported(a, b, ratio), transported(b, a, ratio))
    assert float(found) == pytest.approx(other, rel=1e-6)
    assert 1 <= found <= multiplicative_distance(p, q)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_private_mechanism_tells_two_beliefs_apart_no_better(data: st.DataObject) -> None:
    channel = data.draw(channels(most=4))
    p, q = (data.draw(distributions(channel.shape[0])) for _ in range(2))

    def ratio(a: int, b: int) -> Value:
        return multiplicative_distance(channel.row(a), channel.row(b))

    after = [Channel([d.array], outputs=channel.inputs).then(channel).row(0) for d in (p, q)]
    assert multiplicative_distance(*after) <= multiplicative_kantorovich(p, q, ratio)


def test_the_ends_of_the_multiplicative_kantorovich_distance() -> None:
    p, q = ["1/2", "1/2", 0], ["1/4", "3/4", 0]
    assert multiplicative_kantorovich(p, q, {}) == multiplicative_distance(p, q) == 2
    assert multiplicative_kantorovich(p, q, lambda a, b: 1) == 1
    # A chain of promises holds between its ends.
    chain = {(0, 1): 2, (1, 2): 3}
    assert multiplicative_kantorovich([1, 0, 0], [0, 0, 1], chain) == 6
    assert multiplicative_kantorovich([1, 0], [0, 1], {}) == math.inf
    up = multiplicative_kantorovich([0.1, 0.9], [0.9, 0.1], {(0, 1): "4/3"})
    assert isinstance(up, float)
    assert up == pytest.approx((0.9 * 4 + 0.1 * 3) / (0.1 * 4 + 0.9 * 3), rel=1e-12)
    for wrong in ({(0, 1): "1/2"}, {(0, 1): -math.inf}, lambda a, b: math.nan):
        with pytest.raises(InvalidInput):
            multiplicative_kantorovich([1, 0], [0, 1], wrong)
    with pytest.raises(InvalidInput, match="mapping of pairs"):
        multiplicative_kantorovich([1, 0], [0, 1], 3)  # type: ignore[arg-type]
