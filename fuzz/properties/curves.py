"""What does a promise let anyone learn? A program over all mechanisms, with every event in it."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
from flint import fmpq
from tests.curves.programs import Pairs, both, curve_of, direct, guessing, keeps

import leaktight as lt
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.channels.distribution import product_distribution
from leaktight.check import Refuted, check
from leaktight.curves import (
    PrivacyCurve,
    all_records,
    any_belief_chance,
    belief_chance,
    best_gain,
    best_guess,
    cover_bound,
    expected_belief,
    tree_guess,
)
from leaktight.curves.polygon import Polygon
from leaktight.curves.shapes import Enclosed
from leaktight.policies.graph import Graph
from leaktight.privacy.loss_grid import Detail, Telling, enclosed

TOLERANCE = 1e-9
"""How far the solver may be off at a tolerance of 1e-10, for each unit of the largest ratio."""

RATIOS = ("2", "1", "3", "3/2", "7/5", "10", "3000", "101/100", "13/11")
DELTAS = ("0", "0", "1", "1/10", "1/1000", "7/10", "1/3")
WEIGHTS = ("1", "0", "1", "2", "3", "7")


def promise(draw: Draw) -> Any:
    """Up to three pairs (λ, δ), or lines that touch the curve of Gaussian noise."""
    if draw.below(5) == 4:
        return f"{draw.integer(1, 30)}/10"
    return draw.some(lambda d: [d.pick(RATIOS), d.pick(DELTAS)], 1, 3)


def pairs_of(drawn: Any) -> Pairs:
    """Return a drawn promise as pairs."""
    if isinstance(drawn, str):
        return list(PrivacyCurve.gaussian(drawn).polygons(3).upper.pairs)
    return [(_number(ratio), _number(delta)) for ratio, delta in drawn]


def _number(text: str) -> fmpq:
    return fmpq(*Fraction(text).as_integer_ratio())


def weights(draw: Draw) -> Any:
    """Two to five weights, zeros and ties among them."""
    return draw.some(lambda d: d.pick(WEIGHTS), 2, 5)


def prior_of(drawn: Any) -> list[Fraction]:
    """Return weights as a prior; all alike if they are all 0."""
    found = [Fraction(w) for w in drawn]
    total = sum(found)
    return [w / total for w in found] if total else [Fraction(1, len(found))] * len(found)


def tree(draw: Draw) -> Any:
    """The parents of two to six vertices."""
    return [draw.below(i) for i in range(1, draw.integer(2, 6))]


def slack(pairs: Sequence[tuple[fmpq, fmpq]]) -> float:
    """Return how far the solver may be off."""
    return TOLERANCE * max([10.0, *(float(ratio) for ratio, _ in pairs)])


def near(found: float, truth: float, pairs: Sequence[tuple[fmpq, fmpq]] = ()) -> None:
    """Both are the same up to what the solver may be off."""
    assert abs(found - truth) <= slack(pairs), (found, truth)


def rows_of(channel: Any) -> list[list[Fraction]]:
    """Return the rows of a mechanism."""
    return [[Fraction(int(p.p), int(p.q)) for p in row] for row in channel.matrix]


@searched(promised=promise, given=weights)
def the_best_guess(promised: Any, given: Any) -> int:
    """A guess is right more often than is said, or never so often, or its certificate is wrong."""
    pairs, prior = pairs_of(promised), prior_of(given)
    v, arcs = len(prior), both(list(combinations(range(len(prior)), 2)))
    curve = curve_of(pairs)
    found = best_guess(curve, v, prior)
    truth = direct(guessing(prior), arcs, pairs)
    near(float(found.upper), truth, pairs)
    near(float(found.lower), truth, pairs)
    if found.mechanism is None:
        return 2
    rows = rows_of(found.mechanism)
    assert keeps(rows, arcs, curve)
    assert sum(p * rows[x][x] for x, p in enumerate(prior)) >= found.lower
    assert found.certificate is not None
    _refused(found.certificate, found.lower, found.upper)
    return 6


def _refused(proof: dict[str, Any], low: Fraction, high: Fraction) -> None:
    """A certificate is accepted as it is, and refused with a digit on the wrong side."""
    assert check(proof) == [(1, low, high)]
    for change in ({"lower": str(low + Fraction(1, 10**40))}, {"upper": str(Fraction(0))}):
        try:
            check(proof | change)
        except Refuted:
            continue
        raise AssertionError(f"accepted: {change}")


@searched(promised=promise, values=lambda d: d.integer(2, 8))
def of_equal_values(promised: Any, values: int) -> None:
    """Randomised response is not the best mechanism for equal values, or another p is."""
    pairs = pairs_of(promised)
    found = best_guess(curve_of(pairs), values)
    forms = [(r + (values - 1) * d) / (r + values - 1) for r, d in pairs]
    near(float(found), min(float(form) for form in forms), pairs)


@searched(promised=promise, given=weights, tries=lambda d: d.integer(1, 5), equal=Draw.maybe)
def in_several_tries(promised: Any, given: Any, tries: int, equal: bool) -> None:
    """Some tries are right more often than is said; or less, where values are alike."""
    pairs, prior = pairs_of(promised), prior_of(["1"] * len(given) if equal else given)
    v = len(prior)
    k = min(tries, v)
    sets = list(combinations(range(v), k))
    worth = np.array([[(x in chosen) * float(prior[x]) for chosen in sets] for x in range(v)])
    truth = direct(worth, both(list(combinations(range(v), 2))), pairs)
    found = best_guess(curve_of(pairs), v, prior, tries=k)
    assert float(found.lower) - slack(pairs) <= truth <= float(found.upper) + slack(pairs)
    if equal:
        near(float(found.upper), truth, pairs)


@searched(
    promised=promise, given=weights, away=lambda d: d.pick(("0", "1/2", "1/9", "1")),
    tries=lambda d: d.integer(1, 3),
)  # fmt: skip
def of_who_may_be_absent(promised: Any, given: Any, away: str, tries: int) -> None:
    """Who may be removed is guessed more often than is said, or never so often."""
    pairs, prior = pairs_of(promised), prior_of(given)
    v = len(prior)
    k = min(tries, v) if away == "0" else 1
    sets = [(-1,), *combinations(range(v), k)]
    whole = [Fraction(away), *((1 - Fraction(away)) * p for p in prior)]
    worth = np.array([[(x - 1 in s) * float(p) for s in sets] for x, p in enumerate(whole)])
    truth = direct(worth, both([(0, x + 1) for x in range(v)]), pairs)
    found = best_guess(
        curve_of(pairs), v, prior, neighbours="add/remove", tries=k, absent=Fraction(away)
    )
    near(float(found.upper), truth, pairs)
    near(float(found.lower), truth, pairs)


@searched(
    promised=promise,
    given=weights,
    earned=lambda d: d.some(lambda e: e.some(lambda f: f.below(4), 6, 6), 1, 4),
    rate=lambda d: d.pick(("1", "1/2", "1/10", "9/10")),
)
def of_samples_for_any_gain(promised: Any, given: Any, earned: Any, rate: str) -> int:
    """What is gained of a sample, with a curve of one order, is another number."""
    pairs, prior = pairs_of(promised), prior_of(given)
    n = len(prior)
    curve = curve_of(pairs).subsampled(rate)
    lines = [line for line in curve.polygons().upper.lines if line[0] > 0]
    graph = Graph(n, [(0, x) for x in range(1, n)])
    table = [[Fraction(e) for e in row[:n]] for row in earned]
    found = best_gain(curve, graph, prior, lt.Gain(table), absent=0)
    worth = np.array([[float(prior[x] * row[x]) for row in table] for x in range(n)])
    near(float(found), direct(worth, [(x, 0) for x in range(1, n)], lines), lines)
    assert found.mechanism is not None
    rows = rows_of(found.mechanism)
    assert all(sum(row) == 1 for row in rows)
    for x, event in product(range(1, n), product([0, 1], repeat=len(table))):
        p, a = (sum(q for q, e in zip(rows[i], event, strict=True) if e) for i in (x, 0))
        assert p <= 1 - curve.beta(a).lower
    gained = sum(
        prior[x] * g * rows[x][y] for y, row in enumerate(table) for x, g in enumerate(row)
    )
    assert gained == found.lower
    return 3


@searched(parents=tree, promised=lambda d: d.some(promise, 5, 5), given=weights)
def on_trees_with_a_curve_for_each_edge(parents: Any, promised: Any, given: Any) -> int:
    """On a tree a guess is right more often than is said, or no mechanism attains it."""
    n = len(parents) + 1
    prior = prior_of((given + ["1"] * n)[:n])
    edges = [(parent, x + 1) for x, parent in enumerate(parents)]
    kept = {edge: pairs_of(p) for edge, p in zip(edges, promised, strict=False)}
    found = tree_guess({e: curve_of(p) for e, p in kept.items()}, prior, range(n))
    near(float(found), _mixed(guessing(prior), kept), [p for ps in kept.values() for p in ps])
    assert found.mechanism is not None
    rows = rows_of(found.mechanism)
    assert all(min(row) >= 0 and sum(row) == 1 for row in rows)
    assert all(keeps(rows, both([edge]), curve_of(p)) for edge, p in kept.items())
    assert sum(p * rows[x][x] for x, p in enumerate(prior)) == found.lower
    return 3


def _mixed(worth: Any, kept: dict[tuple[int, int], Pairs]) -> float:
    """Solve the program where each edge has pairs of its own."""
    from scipy.sparse import coo_array
    from tests.curves.programs import highest

    v, m = worth.shape
    entries, limits, columns = list[tuple[int, int, float]](), list[float](), v * m
    for edge, pairs in kept.items():
        for (x, other), (ratio, delta) in product(both([edge]), pairs):
            for y in range(m):
                entries += [(len(limits), x * m + y, 1.0), (len(limits), columns + y, -1.0)]
                entries.append((len(limits), other * m + y, -float(ratio)))
                limits.append(0.0)
            entries += [(len(limits), columns + y, 1.0) for y in range(m)]
            limits.append(float(delta))
            columns += m
    rows, places, values = zip(*entries, strict=True)
    limited = coo_array((values, (rows, places)), shape=(len(limits), columns))
    sums = coo_array(
        (np.ones(v * m), (np.repeat(np.arange(v), m), np.arange(v * m))), shape=(v, columns)
    )
    cost = np.concatenate([-worth.ravel(), np.zeros(columns - v * m)])
    return highest(cost, limited, limits, sums)


@searched(promised=promise, steps=lambda d: d.integer(1, 4), share=lambda d: d.integer(1, 7))
def of_two_at_a_distance(promised: Any, steps: int, share: int) -> None:
    """Two secrets at a distance are told apart better than is said, or never so well."""
    pairs = pairs_of(promised)
    prior = [Fraction(0)] * (steps + 2)
    prior[0], prior[steps] = Fraction(share, 8), Fraction(8 - share, 8)
    edges = [(i, i + 1) for i in range(steps + 1)]
    found = best_gain(curve_of(pairs), Graph(steps + 2, edges), prior)
    near(float(found), direct(guessing(prior), both(edges), pairs), pairs)


REGULAR = {
    "cycle of 5": lt.SecretGraph.cycle(5),
    "cycle of 6": lt.SecretGraph.cycle(6),
    "grid": lt.SecretGraph.grid(2, 3),
    "prism": lt.SecretGraph.product(lt.SecretGraph.cycle(3), lt.SecretGraph.complete(2)),
    "cube": lt.SecretGraph.product(*[lt.SecretGraph.complete(2)] * 3),
    "torus": lt.SecretGraph.product(lt.SecretGraph.cycle(3), lt.SecretGraph.cycle(3)),
}


@searched(
    name=lambda d: d.pick(tuple(REGULAR)), ratio=lambda d: d.pick(RATIOS[:6]),
    delta=lambda d: d.pick(DELTAS),
)  # fmt: skip
def on_regular_graphs(name: str, ratio: str, delta: str) -> None:
    """On a cycle, a grid, a torus or a cube the weighting gives another value."""
    graph = REGULAR[name]
    found = best_gain(PrivacyCurve.epsilon_delta(delta=delta, ratio=ratio), graph)
    prior = [Fraction(1, graph.order)] * graph.order
    arcs = [(int(i), int(j)) for i, j in graph.arcs]
    pairs = [(_number(ratio), _number(delta))]
    truth = direct(guessing(prior), arcs, pairs)
    assert float(found.lower) - slack(pairs) <= truth <= float(found.upper) + slack(pairs)
    assert ratio == "1" or abs(float(found) - truth) <= slack(pairs)


@searched(
    size=lambda d: d.integer(3, 5), chosen=lambda d: d.below(2**10), promised=promise,
    given=weights, factors=lambda d: d.some(lambda e: e.below(9), 6, 6),
)  # fmt: skip
def on_any_graph(size: int, chosen: int, promised: Any, given: Any, factors: Any) -> int:
    """On a graph more is guessed than is proved, or multipliers prove less than the truth."""
    edges = [e for k, e in enumerate(combinations(range(size), 2)) if chosen >> k & 1]
    prior = prior_of((given + ["1"] * size)[:size])
    pairs, graph = pairs_of(promised), Graph(size, edges)
    curve, gain = curve_of(pairs), lt.Gain.binary(range(size))
    truth = direct(guessing(prior), both(edges), pairs)
    found, proved = best_gain(curve, graph, prior), best_gain(curve, graph, prior, gain)
    for each in (found, proved):
        assert float(each.lower) - slack(pairs) <= truth <= float(each.upper) + slack(pairs)
    assert truth <= float(cover_bound(curve, graph, prior)) + slack(pairs)
    proof = proved.certificate
    assert proof is not None
    _refused(proof, proved.lower, proved.upper)
    changed = [
        [i, j, k, [str(Fraction(c) * Fraction(f, 4)) for c, f in zip(cs, factors, strict=False)]]
        for i, j, k, cs in proof["multipliers"]
    ]
    less = {"multipliers": changed, "upper": str(proved.lower - Fraction(1, 10**12))}
    try:
        check(proof | less)
    except Refuted:
        return 6
    raise AssertionError("multipliers prove less than a mechanism attains")


@searched(
    promised=promise, first=weights, second=lambda d: d.some(lambda e: e.pick(WEIGHTS), 2, 3),
    alike=Draw.maybe,
)  # fmt: skip
def of_all_records(promised: Any, first: Any, second: Any, alike: bool) -> None:
    """All records are guessed more often than is said; or less, for one pair or equal records."""
    pairs = pairs_of(promised)
    one, two = (prior_of(w[:3]) for w in ((["1"] * 3, ["1"] * 3) if alike else (first, second)))
    names = list(product(range(len(one)), range(len(two))))
    prior = [one[i] * two[j] for i, j in names]
    edges = [
        (s, t)
        for (s, x), (t, y) in combinations(enumerate(names), 2)
        if (x[0] == y[0]) != (x[1] == y[1])
    ]
    records = product_distribution(*(lt.Distribution([str(p) for p in w]) for w in (one, two)))
    curve = curve_of(pairs)
    found = all_records(curve, records)
    truth = direct(guessing(prior), both(edges), pairs)
    assert float(found.lower) - slack(pairs) <= truth <= float(found.upper) + slack(pairs)
    if alike or len(curve.polygons().upper.pairs) == 1:
        near(float(found.upper), truth, pairs)


@searched(promised=promise, given=weights, more=lambda d: d.pick(("1/100", "1/10", "1/1000")))
def of_a_little_more(promised: Any, given: Any, more: str) -> int:
    """δ that grows by η lets a guess about one value be right by more than η more often."""
    prior, eta = prior_of(given), _number(more)
    pairs = pairs_of(promised)
    wider = [(r, min(d + eta, fmpq(1))) for r, d in pairs]
    for how in ("replace", "add/remove"):
        one, other = (
            best_guess(curve_of(p), len(prior), prior, neighbours=how).upper for p in (pairs, wider)
        )
        assert one <= other <= one + Fraction(more)
    return 2


@searched(
    promised=promise, start=lambda d: d.integer(1, 18), reached=lambda d: d.integer(1, 19),
    given=weights,
)  # fmt: skip
def of_beliefs(promised: Any, start: int, reached: int, given: Any) -> int:
    """A belief becomes strong more often than is said, or never so often."""
    from scipy.optimize import linprog

    pairs, curve = pairs_of(promised), curve_of(pairs_of(promised))
    low = Fraction(start, 20)
    high = low + (1 - low) * Fraction(reached, 20)
    rise = high * (1 - low) / ((1 - high) * low)
    rows, limits = [[float(rise), -1.0]], [0.0]
    for ratio, delta in pairs:
        rows += [[-float(ratio), 1.0], [-1.0, float(ratio)]]
        limits += [float(delta), float(delta + ratio - 1)]
    solver: Any = linprog
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    cost = [-float(1 - low), -float(low)]
    best = solver(cost, A_ub=rows, b_ub=limits, bounds=[(0, 1)] * 2, method="highs", options=tight)
    found = belief_chance(curve, low, high)
    assert found.is_exact
    near(float(found.upper), float(-best.fun), pairs)
    prior = prior_of(given)
    stop = max(prior) + (1 - max(prior)) * Fraction(reached, 20)
    if stop == 1:
        return 1
    from tests.curves.test_posterior import any_by_program

    any_found = any_belief_chance(curve, len(prior), prior, reached=stop)
    truth = any_by_program(pairs, prior, stop)
    assert float(any_found.lower) - 1e-6 <= truth <= float(any_found.upper) + 1e-6
    return 2


@searched(promised=promise, start=lambda d: d.integer(1, 19), cuts=lambda d: d.some(
    lambda e: [e.below(20), e.below(20)], 1, 4))  # fmt: skip
def of_the_average_belief(promised: Any, start: int, cuts: Any) -> int:
    """A pair of rows within the promise has a stronger belief in the truth on average."""
    curve, prior = curve_of(pairs_of(promised)), Fraction(start, 20)
    most = expected_belief(curve, prior)
    points = [(fmpq(a, 20), fmpq(p, 20)) for a, p in cuts]
    inside = [(a, min(max(a, p), curve.polygons().upper.at(a))) for a, p in points]
    rows = zip(*Polygon.hull(inside).masses(), strict=True)
    seen = [(Fraction(int(p.p), int(p.q)), Fraction(int(q.p), int(q.q))) for p, q in rows]
    mean = sum(prior * p**2 / (prior * p + (1 - prior) * q) for p, q in seen if p)
    assert mean <= most.upper
    rows = zip(*curve.polygons().upper.masses(), strict=True)  # the pair that attains it
    kept = [(Fraction(int(p.p), int(p.q)), Fraction(int(q.p), int(q.q))) for p, q in rows]
    assert sum(prior * p**2 / (prior * p + (1 - prior) * q) for p, q in kept if p) == most.upper
    return 2


@searched(
    tables=lambda d: d.some(
        lambda e: e.some(lambda f: [f.below(9), f.pick((1, 0, 2, 5, 7))], 1, 3), 1, 2
    ),
    times=lambda d: d.integer(1, 3),
    steps=lambda d: d.pick((16.0, 2.0, 5.0)),
    places=lambda d: d.pick((2**12, 2**8, 2**15)),
    corners=lambda d: d.pick((2**11, 8, 64)),
    asked=lambda d: d.some(lambda e: e.integer(1, 400), 3, 3),
)  # fmt: skip
def of_releases_on_a_grid(
    tables: Any, times: int, steps: float, places: int, corners: int, asked: Any
) -> int:
    """Releases together tell more than the upper end of a grid says, or less than the lower."""
    parts, p, q = [], np.ones(1), np.ones(1)
    for table in tables:
        sums = [max(sum(column), 1) for column in zip(*table, strict=True)]
        rows = [(fmpq(a, sums[0]), fmpq(b, sums[1])) for a, b in table]
        outputs = sorted([(a, b) for a, b in rows if a and b], key=lambda r: -r[0] / r[1])
        certain = sum((a for a, b in rows if b == 0), fmpq(0))
        parts.append((Telling(outputs, certain), times))
        for _ in range(times):
            p = np.outer(p, [float(a) for a, _ in rows]).ravel()
            q = np.outer(q, [float(b) for _, b in rows]).ravel()
    low, high = enclosed(parts, Detail(steps, places, corners))
    seen = [float(a / b) for a, b in zip(p, q, strict=True) if b > 0 < a][:9]
    for ratio in [*(k / 40 for k in asked), *seen]:
        truth = float(np.maximum(p - ratio * q, 0).sum())
        least, most = (max(float(b) - ratio * float(a) for a, b in side) for side in (low, high))
        assert least - 1e-11 <= truth <= most + 1e-11, ratio
    return len(asked) + len(seen)


@searched(
    rho=lambda d: d.pick(("1/2", "1/10", "2", "1/100", "263/100")),
    a=lambda d: d.integer(1, 99),
    rows=lambda d: d.some(lambda e: [e.integer(1, 20), e.integer(1, 20)], 2, 4),
)
def of_concentrated_privacy(rho: str, a: int, rows: Any) -> int:
    """A pair of rows within the divergences is told apart better than the curve says."""
    curve, most = PrivacyCurve.zcdp(rho), float(Fraction(rho))
    sums = [sum(column) for column in zip(*rows, strict=True)]
    p, q = ([row[i] / sums[i] for row in rows] for i in (0, 1))
    orders = 1 + np.exp(np.linspace(-8, 7, 400))
    share = 1.0
    while share > 1e-3 and not _within(p, q, orders, most * (1 - 1e-9)):
        share /= 2
        p, q = ([(k + 1 / len(row)) / 2 for k in row] for row in (p, q))
    if not _within(p, q, orders, most * (1 - 1e-9)):
        return 0
    for ratio in (1.0, 1.5, 4.0):
        told = sum(max(x - ratio * y, 0) for x, y in zip(p, q, strict=True))
        assert told <= float(curve.delta(ratio=Fraction(ratio)).upper) + 1e-6
    alpha = Fraction(a, 100)
    beta = curve.beta(alpha)
    coin = 1 - float(beta.upper)
    heads, tails = [coin, 1 - coin], [float(alpha), 1 - float(alpha)]
    assert _within(heads, tails, orders, most * (1 + 1e-6))
    return 4


def _within(p: list[float], q: list[float], orders: Any, rho: float) -> bool:
    """Say whether both divergences are at most ρ times the order, at many orders."""
    for one, other in ((p, q), (q, p)):
        parts = np.outer(orders, np.log(one)) + np.outer(1 - orders, np.log(other))
        top = parts.max(axis=1)
        sums = top + np.log(np.exp(parts - top[:, None]).sum(axis=1))
        if (sums > rho * orders * (orders - 1)).any():
            return False
    return True


@searched(epsilon=lambda d: d.pick(("1", "1/10", "3", "ln 2")), a=lambda d: d.integer(0, 100))
def of_noise_and_ranges(epsilon: str, a: int) -> int:
    """A test of Laplace noise, or of the exponential mechanism, beats the curve, or never does."""
    size = math.log(2) if epsilon == "ln 2" else float(Fraction(epsilon))
    alpha, most = a / 100, math.exp(size)
    laplace = PrivacyCurve.laplace(epsilon).beta(Fraction(a, 100))
    if alpha * most < 0.5:
        power = alpha * most
    else:
        power = 1 - 1 / (4 * most * alpha) if alpha <= 0.5 else 1 - (1 - alpha) / most
    near(1 - float(laplace.lower), power)
    ranged = PrivacyCurve.bounded_range(epsilon).beta(Fraction(a, 100))
    near(1 - float(ranged.lower), most * alpha / (1 + (most - 1) * alpha))
    polygon = PrivacyCurve.epsilon(epsilon).polygons().upper
    shape = PrivacyCurve(Enclosed(polygon, polygon), "").subsampled("1/10").shape
    mixed = 0.9 * alpha + 0.1 * float(polygon.at(fmpq(a, 100)))
    near(float(shape.detection(fmpq(a, 100))[1]), mixed)
    return 3
