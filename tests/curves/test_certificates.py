"""Certificates of promises: accepted when true, refused after a change, never below the truth."""

import copy
import itertools
import random
from fractions import Fraction
from typing import Any

import pytest

import leaktight as lt
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.check import Refuted, Unreadable, check, digest, told
from leaktight.curves import (
    CurveWorstCase,
    PrivacyCurve,
    all_records,
    best_gain,
    best_guess,
    tree_guess,
)
from leaktight.exact.numbers import rational
from leaktight.policies.graph import Graph
from tests.curves.programs import (
    all_pairs,
    curve_of,
    direct,
    guessing,
    instances,
    random_pairs,
    random_prior,
)

COUNT = len(instances(6))

TINY = Fraction(1, 10**15)
CURVES = {
    "ρ": PrivacyCurve.zcdp("1/2"),
    "small ρ": PrivacyCurve.zcdp("1/100"),
    "large ρ": PrivacyCurve.zcdp("2.63"),
    "Rényi": PrivacyCurve.renyi({2: "0.5", 10: 3}),
}


def accepted(found: Any) -> dict[str, Any]:
    """See that a certificate proves both ends, and no more than it says."""
    proof: dict[str, Any] = found.certificate
    [(records, lower, upper)] = check(proof)
    assert records == 1
    assert told(proof, [(records, lower, upper)])
    near = 1e-6 if "powers" in proof else 1e-9  # its lines are not quite those of the answer
    assert abs(lower - found.lower) <= near
    assert abs(upper - found.upper) <= near
    assert lower <= found.upper
    assert found.lower <= upper
    decided = "order" in proof or "tries" in proof  # the end itself is what is checked
    digit = Fraction(1, 10**8) if decided else TINY
    for key, step in (("lower", digit), ("upper", -digit)):
        wrong = proof | {key: str(Fraction(proof[key]) + step)}
        with pytest.raises(Refuted):
            check(wrong)
        assert digest(wrong) == digest(proof)
    return proof


def scrambled(proof: dict[str, Any], key: str, draw: random.Random) -> dict[str, Any]:
    """Return a certificate whose numbers of a proof are others, at least 0."""
    changed = copy.deepcopy(proof)
    for row in changed[key]:
        numbers = row[-1] if isinstance(row[-1], list) else None
        factors = (str(Fraction(draw.randint(0, 8), 4)) for _ in itertools.count())
        if numbers is None:
            row[-1] = str(Fraction(row[-1]) * Fraction(next(factors)))
        else:
            row[-1] = [
                str(Fraction(c) * Fraction(f)) for c, f in zip(numbers, factors, strict=False)
            ]
    return changed


def proves_less(proof: dict[str, Any], truth: Fraction) -> bool:
    """Say whether less than what is attained would be proved."""
    try:
        check(proof | {"upper": str(truth - Fraction(1, 10**9))})
    except Refuted:
        return False
    return True


def random_tree(draw: random.Random, n: int) -> list[tuple[int, int]]:
    return [(draw.randrange(i), i) for i in range(1, n)]


@pytest.mark.parametrize("seed", range(COUNT))
def test_trees_with_a_curve_for_each_edge(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randint(2, 6)
    edges = random_tree(draw, n)
    prior = random_prior(draw, n)
    pairs = {edge: random_pairs(draw) for edge in edges}
    found = tree_guess({e: curve_of(p) for e, p in pairs.items()}, prior, range(n))
    proof = accepted(found)
    for _ in range(3):
        more = [str(Fraction(w) + Fraction(draw.randint(0, 3), 7)) for w in proof["forest"]]
        assert not proves_less(proof | {"forest": more}, found.lower)
    below = [str(Fraction(w) - Fraction(1, 1000)) for w in map(str, prior)]
    with pytest.raises(Refuted, match="at least the prior"):
        check(proof | {"forest": below})


@pytest.mark.parametrize("seed", range(COUNT))
def test_distances_with_one_delta_are_the_direct_program(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(2, 4)
    points = draw.sample([(x, y) for x in range(3) for y in range(3)], v)
    metric = lt.Metric.manhattan(points)
    ratio, delta = 1 + Fraction(draw.randint(0, 8), 4), draw.choice(["0", "1/10", "1/1000", "1"])
    prior = random_prior(draw, v)
    found = best_gain(PrivacyCurve.epsilon_delta(ratio=ratio, delta=delta), metric, prior)
    far = {(i, j): sum(abs(a - b) for a, b in zip(points[i], points[j], strict=True))
           for i, j in all_pairs(v)}  # fmt: skip
    pairs = {arc: [(rational(ratio) ** d, rational(delta))] for arc, d in far.items()}
    truth = direct(guessing(prior), all_pairs(v), pairs)
    assert abs(float(found.lower) - truth) <= 1e-9
    assert abs(float(found.upper) - truth) <= 1e-9
    proof = accepted(found)
    if ratio > 1:
        assert not proves_less(scrambled(proof, "multipliers", draw), found.lower)


def test_distances_are_enclosed_at_any_size_and_refused_where_nothing_is_proved() -> None:
    pair = PrivacyCurve.epsilon_delta("1/2", "1/100")
    grid = lt.Metric.euclidean([(x, y) for x in range(6) for y in range(6)])
    whole = best_gain(pair, grid)
    assert 0 < whole.lower <= whole.upper < 1
    few = best_gain(pair, lt.Metric.euclidean([(0, 0), (3, 4)]))
    two = best_guess(PrivacyCurve.epsilon_delta("5/2", "1/100"), 2)
    assert abs(few.upper - two.upper) < 1e-9
    worst = lt.worst_case_leakage(
        lt.Metric.euclidean([(0, 0), (3, 4)]), epsilon="1/2", delta="1/100"
    )
    assert abs(worst.upper - 2 * two.upper) < 1e-9
    for curve in (PrivacyCurve.gaussian(1), PrivacyCurve.zcdp(1)):
        with pytest.raises(lt.errors.InvalidInput, match="with distances"):
            best_gain(curve, grid)


def test_a_forest_with_a_cycle_is_refused() -> None:
    curve = PrivacyCurve.epsilon(ratio=2)
    proof = accepted(tree_guess({(0, 1): curve, (1, 2): curve}))
    edges = {"edges": [[0, 1], [1, 2], [0, 2]]}
    pairs = {key: proof[key] + proof[key][:1] for key in ("lower pairs", "upper pairs")}
    with pytest.raises(Refuted, match=r"tells|cycle"):
        check(proof | edges | pairs)


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_star_with_any_gain_and_a_curve_of_one_order(seed: int) -> None:
    draw = random.Random(seed)
    leaves, guesses = draw.randint(1, 4), draw.randint(1, 4)
    curve = curve_of(random_pairs(draw))
    if seed % 2:
        curve = curve.subsampled(Fraction(draw.randint(1, 9), 10))
    star = Graph(leaves + 1, [(0, i) for i in range(1, leaves + 1)])
    table = [[draw.randint(0, 4) for _ in range(leaves + 1)] for _ in range(guesses)]
    gain = lt.Gain(table, range(guesses), range(leaves + 1))
    found = best_gain(curve, star, random_prior(draw, leaves + 1), gain, absent=0)
    proof = accepted(found)
    for _ in range(3):
        assert not proves_less(scrambled(proof, "multipliers", draw), found.lower)


@pytest.mark.parametrize("seed", range(COUNT))
def test_who_is_present_in_several_tries(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(2, 6)
    away = draw.choice(["0", "1/3"])
    tries = 1 if away != "0" else draw.randint(1, v)
    curve = [curve_of(random_pairs(draw)), PrivacyCurve.gaussian("0.7"), PrivacyCurve.zcdp("1/2"),
             PrivacyCurve.gaussian(1).subsampled("1/10")][seed % 4]  # fmt: skip
    found = best_guess(
        curve, v, random_prior(draw, v), neighbours="add/remove", tries=tries, absent=away
    )
    if found.certificate is None:
        return
    proof = accepted(found)
    for factor in (Fraction(1, 2), Fraction(9, 10), Fraction(3, 2)):
        price = max(Fraction(proof["price"]) * factor, Fraction(away))
        assert not proves_less(proof | {"price": str(price)}, found.lower)


@pytest.mark.parametrize("seed", range(COUNT))
def test_several_tries_of_equally_likely_values(seed: int) -> None:
    draw = random.Random(seed)
    v = draw.randint(2, 9)
    tries = draw.randint(1, v - 1)
    smooth = [PrivacyCurve.gaussian(1), PrivacyCurve.laplace(1), *CURVES.values()]
    curve = curve_of(random_pairs(draw)) if seed % 2 else draw.choice(smooth)
    if tries > 1:
        accepted(best_guess(curve, v, tries=tries))


@pytest.mark.parametrize("seed", range(COUNT))
def test_all_records_under_one_pair_or_several(seed: int) -> None:
    draw = random.Random(seed)
    if seed % 2:
        coin = Distribution.uniform(draw.randint(2, 3))
        records = product_distribution(*[coin] * draw.randint(1, 4))
    else:
        priors = [random_prior(draw, draw.randint(1, 3)) for _ in range(draw.randint(1, 3))]
        records = product_distribution(*map(Distribution, priors))
    found = all_records(curve_of(random_pairs(draw)), records)
    proof = accepted(found)
    if "multipliers" in proof:
        for _ in range(3):
            assert not proves_less(scrambled(proof, "multipliers", draw), found.lower)


def test_all_records_under_smooth_curves_and_many_of_them() -> None:
    coin = Distribution.uniform(2)
    for curve in (PrivacyCurve.gaussian(1), PrivacyCurve.zcdp("1/2")):
        for n in (3, 70):
            proof = accepted(all_records(curve, product_distribution(*[coin] * n)))
            assert ("chain" in proof) == (n > 64)
    chain = [str(Fraction(proof["chain"][0]) - TINY), *proof["chain"][1:]]
    with pytest.raises(Refuted, match="does not follow"):
        check(proof | {"chain": chain})


@pytest.mark.parametrize("name", CURVES)
def test_divergences_on_complete_graphs_trees_stars_and_others(name: str) -> None:
    curve, draw = CURVES[name], random.Random(name)
    accepted(best_guess(curve, 6))
    accepted(best_guess(curve, 4, ["1/2", "1/4", "1/8", "1/8"]))
    prior = [Fraction(k, 21) for k in range(1, 7)]
    proof = accepted(best_guess(curve, 6, prior))
    less = [str(Fraction(w) * Fraction(2, 3)) for w in proof["weights"]]
    assert not proves_less(proof | {"weights": less}, Fraction(proof["lower"]))
    path = accepted(best_gain(curve, Graph(4, [(0, 1), (1, 2), (2, 3)])))
    assert "forest" in path
    star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    gain = lt.Gain([[0, 1, 0, 2], [1, 0, 3, 0]], range(2), range(4))
    proof = accepted(best_gain(curve, star, None, gain, absent=0))
    assert not proves_less(scrambled(proof, "multipliers", draw), Fraction(proof["lower"]))
    cycle = Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    proof = accepted(best_gain(curve, cycle, None, lt.Gain.binary(range(4))))
    assert not proves_less(scrambled(proof, "multipliers", draw), Fraction(proof["lower"]))


@pytest.mark.parametrize("name", CURVES)
def test_any_tangent_proves_no_more_than_the_curve_allows(name: str) -> None:
    """For random orders and ratios, the pair of a tangent is above all coins within the bounds."""
    from leaktight.check import Divergences, Reader

    curve, draw = CURVES[name], random.Random(name)
    shape: Any = curve.shape
    promise = Divergences(shape.to_dict(), Reader(10**6))
    orders = [Fraction(str(a)) for a, _ in getattr(shape, "bounds", [])]
    for _ in range(30):
        order = draw.choice(orders or [Fraction(draw.randint(100, 900), 100)])
        t = Fraction(draw.randint(1, 99), 100)
        s = 1 + Fraction(draw.randint(1, 900), 100)
        ratio, delta = promise.pair(order, s, t)
        for a in (Fraction(1, 10**4), Fraction(1, 50), Fraction(1, 3)):
            low = 1 - curve.beta(a).upper
            assert low <= ratio * a + delta


def test_a_tangent_that_proves_less_than_its_pair_is_refused() -> None:
    proof = best_guess(CURVES["ρ"], 4, ["1/2", "1/4", "1/8", "1/8"]).certificate
    assert proof is not None
    pairs = [
        [ratio, str(Fraction(delta) - Fraction(1, 10**12))] for ratio, delta in proof["upper pairs"]
    ]
    with pytest.raises(Refuted, match="proves less"):
        check(proof | {"upper pairs": pairs})
    smaller = proof | {"rho": "499/1000"}
    with pytest.raises(Refuted, match="too well"):
        check(smaller)
    larger = proof | {"rho": "501/1000"}
    with pytest.raises(Refuted, match="proves less"):
        check(larger)


def broken(content: Any, draw: random.Random) -> Any:
    """Return a content in which one thing is another."""
    if isinstance(content, dict) and content:
        key = draw.choice(sorted(content))
        return content | {key: broken(content[key], draw)}
    if isinstance(content, list) and content and draw.random() < 0.9:
        at = draw.randrange(len(content))
        return [*content[:at], broken(content[at], draw), *content[at + 1 :]]
    others: list[Any] = [
        "0",
        "-1",
        "1",
        "2",
        "1/3",
        "1/1000000000",
        "10" * 40,
        "",
        0,
        1,
        -1,
        9,
        [],
        {},
    ]
    return draw.choice(others)


def test_whatever_is_written_is_accepted_or_refused_in_words() -> None:
    draw, rho = random.Random(5), CURVES["ρ"]
    pair, coin = PrivacyCurve.epsilon_delta(ratio=2, delta="1/10"), Distribution.uniform(2)
    records = product_distribution(coin, coin)
    several = PrivacyCurve.pairs([("ln 2", "1/10"), ("ln 3", "1/100")])
    star, gain = Graph(3, [(0, 1), (0, 2)]), lt.Gain.binary(range(3))
    found: list[Any] = [
        best_guess(rho, 3), best_guess(rho, 2, ["1/3", "2/3"]), best_guess(rho, 4, tries=2),
        best_guess(pair, 4, tries=2), best_guess(pair, 3, neighbours="add/remove", tries=2),
        best_guess(rho, 2, neighbours="add/remove"), all_records(pair, records),
        all_records(several, records), all_records(rho, records),
        tree_guess({(0, 1): pair, (1, 2): several}), best_gain(pair, star, None, gain, absent=0),
    ]  # fmt: skip
    for one in found:
        accepted(one)
        for _ in range(min(4 * COUNT, 40)):
            try:
                proved = check(broken(one.certificate, draw))
            except (Refuted, Unreadable):
                continue
            assert proved[0][1] <= proved[0][2]


@pytest.mark.parametrize("lengths", [(1, 1, 1, 1), (1, 2, 1, 3), (1, 1, 1, None)])
def test_distances_of_one_each_bound_all_pairs_too(lengths: tuple[int | None, ...]) -> None:
    """(ε·d, δ) holds for any two values, not along edges alone, where δ would add up."""
    ends = [(0, 1), (0, 2), (0, 4), (3, 4)]
    roads = [(*pair, d) for pair, d in zip(ends, lengths, strict=True) if d is not None]
    metric, pair = lt.Metric.from_edges(5, roads), (Fraction(3, 2), Fraction(1, 10))
    far: dict[tuple[int, int], int] = {arc: d for i, j, d in roads for arc in ((i, j), (j, i))}
    for k, i, j in itertools.product(range(5), repeat=3):
        if i != j and (i, k) in far and (k, j) in far:
            far[i, j] = min(far[i, k] + far[k, j], far.get((i, j), 99))
    pairs = {arc: [(rational(pair[0]) ** d, rational(pair[1]))] for arc, d in far.items()}
    truth = 5 * direct(guessing([Fraction(1, 5)] * 5), list(pairs), pairs)
    found = lt.worst_case_leakage(metric, ratio=pair[0], delta=pair[1])
    assert isinstance(found, CurveWorstCase)
    assert float(found.lower) == pytest.approx(truth, abs=1e-9)
    assert float(found.upper) == pytest.approx(truth, abs=1e-9)
    check(found.certificate)


# --- forged ----------------------------------------------------------------------------------


def test_a_multiplier_in_pieces_costs_no_less() -> None:
    """One coin within (1, 1/2) is guessed with 3/4 at most; δ pays for the largest multiplier."""
    proof: dict[str, Any] = {
        "format": "leaktight all records 1", "kinds": [{"prior": ["1/2", "1/2"], "records": 1}],
        "lower pairs": [["1", "1/2"]], "upper pairs": [["1", "1/2"]], "distances": ["3/4", "1/4"],
        "lower": "3/4", "upper": "3/4", "multipliers": [[0, 0, 0, "1/2"]],
    }  # fmt: skip
    check(proof)
    pieces = {"multipliers": [[0, 0, 0, "1/20"]] * 10}
    with pytest.raises(Refuted, match="multiplier is there twice"):
        check(proof | pieces | {"lower": "1/2", "upper": "21/40"})


@pytest.mark.parametrize("name", CURVES)
def test_an_edge_that_is_there_twice_is_refused(name: str) -> None:
    """What a tree takes from the bound, it would take twice."""
    proof = accepted(best_gain(CURVES[name], Graph(3, [(0, 1), (1, 2)])))
    assert "forest" in proof
    for doubled in (proof["edges"] * 2, [*proof["edges"], proof["edges"][0][::-1]]):
        with pytest.raises(Refuted, match="edge is there twice"):
            check(proof | {"edges": doubled, "lower": "1/3", "upper": "1/3"})


def test_an_order_that_is_there_twice_is_refused() -> None:
    """The mechanism would keep the last one alone."""
    proof = accepted(best_guess(PrivacyCurve.renyi({2: 3}), 4, tries=2))
    with pytest.raises(Refuted, match="order is there twice"):
        check(proof | {"bounds": [["2", "1/100"], ["2", "3"]]})


def test_a_line_that_nobody_keeps_attains_nothing() -> None:
    proof: dict[str, Any] = {
        "format": "leaktight presence 1", "prior": ["1/2", "1/2"], "tries": 1, "price": "1/2",
        "lower": "1/4", "upper": "1", "places": ["1/2", "1/2"],
        "lower lines": [["0", "1/4"]], "upper lines": [["0", "1/2"]],
    }  # fmt: skip
    with pytest.raises(Refuted, match="no mechanism keeps"):
        check(proof)
    check(proof | {"lower lines": [["1", "1/4"]], "upper lines": [["1", "1/2"]]})


@pytest.mark.parametrize("share", ["0", "1/3"])
def test_records_that_answer_nothing_are_refused(share: str) -> None:
    proof: dict[str, Any] = {
        "format": "leaktight records 1", "lower ratio": "2", "upper ratio": "2",
        "kept": "0", "share": share,
        "pieces": [{"records": 2, "vertices": ["a", "b"], "edges": [[0, 1]], "upper": "4/3",
                    "parts": [{"vertices": [0, 1], "cover": ["1", "1"]}], "packing": ["0", "0"]}],
    }  # fmt: skip
    with pytest.raises(Refuted, match=r"must answer|above 0"):
        check(proof)
