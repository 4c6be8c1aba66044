"""Is whatever the checker accepts of a promise true? Changed proofs, and all mechanisms.

A certificate of a curve, of divergences, of tries, of who is present or of all records is changed;
if it is accepted, what it says must hold. Under pairs the best mechanism is that of a linear
program over all its entries; under divergences its own rows are looked at, and some mechanism that
keeps them must not be better than the bound.
"""

import json
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from scipy.optimize import linprog

import leaktight as lt
from fuzz.properties.certificates import changed, edits, judged
from fuzz.property import searched
from leaktight.channels.distribution import Distribution, product_distribution
from leaktight.check import ABSENT, DIVERGENCE, EDGES, EVERYONE, PRESENCE, TRIES, told
from leaktight.curves import PrivacyCurve, all_records, best_gain, best_guess, tree_guess
from leaktight.policies.graph import Graph

CLOSE = 1e-7
"""How far the linear program may be off."""

MOST = 10**6
"""The largest ratio that the linear program is asked about."""

ORDERS = (1, 1.0001, 1.01, 1.2, 1.5, 2, 3, 5, 8, 15, 40, 150)

PAIR = ("2", "1/10")
SEVERAL = (("2", "1/10"), ("3", "1/100"))


def _curve(*pairs: tuple[str, str]) -> PrivacyCurve:
    return PrivacyCurve.pairs([(f"ln {ratio}", delta) for ratio, delta in pairs])


def _coins(n: int) -> Any:
    return product_distribution(*[Distribution.uniform(2)] * n)


RHO, ORDER = PrivacyCurve.zcdp("1/10"), PrivacyCurve.renyi({2: "1/2", 5: 1})
UNEVEN = ["1/2", "1/4", "1/4"]
STAR, PATH = Graph(3, [(0, 1), (0, 2)]), Graph(3, [(0, 1), (1, 2)])
SOURCES: tuple[Callable[[], Any], ...] = (
    lambda: best_guess(_curve(*SEVERAL), 3, UNEVEN),
    lambda: best_gain(_curve(PAIR), PATH, None, lt.Gain([[1, 0, 2], [0, 1, 0]])),
    lambda: tree_guess({(0, 1): _curve(PAIR), (1, 2): _curve(*SEVERAL)}),
    lambda: best_gain(_curve(PAIR), STAR, None, lt.Gain.binary(range(3)), absent=0),
    lambda: best_guess(_curve(PAIR), 4, tries=2),
    lambda: best_guess(_curve(*SEVERAL), 3, UNEVEN, neighbours="add/remove", tries=2),
    lambda: best_guess(_curve(PAIR), 2, neighbours="add/remove", absent="1/3"),
    lambda: all_records(_curve(PAIR), _coins(2)),
    lambda: all_records(_curve(*SEVERAL), _coins(2)),
    lambda: all_records(RHO, _coins(2)),
    lambda: best_guess(RHO, 3),
    lambda: best_guess(ORDER, 3, UNEVEN),
    lambda: best_gain(RHO, PATH),
    lambda: best_gain(ORDER, STAR, None, lt.Gain.binary(range(3))),
    lambda: best_guess(ORDER, 4, tries=2),
    lambda: best_guess(RHO, 2, neighbours="add/remove"),
)
"""Whose certificates are changed: each kind of promise, of question, and of proof."""


@cache
def source(which: int) -> str:
    """Return a certificate that holds, as JSON."""
    return json.dumps(SOURCES[which]().certificate)


def halved(content: Any, where: int) -> Any:
    """Return the content with an entry of some list there twice, its last numbers halved."""
    made = json.loads(json.dumps(content))
    lists = [each for each in _lists(made) if each and isinstance(each[0], list)]
    if lists:
        rows = lists[where % len(lists)]
        row = rows[where // len(lists) % len(rows)]
        if row and isinstance(row[-1], str):
            row[-1] = _half(row[-1])
        elif row and isinstance(row[-1], list):
            row[-1] = [_half(each) if isinstance(each, str) else each for each in row[-1]]
        rows.append(json.loads(json.dumps(row)))
    return made


def _half(written: str) -> str:
    return str(Fraction(written) / 2)


def _lists(content: Any) -> list[Any]:
    inside = content.values() if isinstance(content, dict) else content
    below = [each for one in inside if isinstance(one, dict | list) for each in _lists(one)]
    return [content, *below] if isinstance(content, list) else below


def best(worth: list[list[Fraction]], arcs: Iterable[tuple[int, int, Any]]) -> float | None:
    """Return what the best mechanism earns that keeps the pairs of each arc; None if none does."""
    n, m = len(worth), len(worth[0])
    kinds = [(i, h, r, d) for i, h, pairs in arcs for r, d in pairs]
    width = n * m + len(kinds) * m
    rows, limits = [], []
    for e, (i, h, ratio, delta) in enumerate(kinds):
        total = np.zeros(width)
        for z in range(m):
            row = np.zeros(width)
            row[i * m + z] += 1
            row[h * m + z] -= float(ratio)
            row[n * m + e * m + z] = -1
            total[n * m + e * m + z] = 1
            rows.append(row)
            limits.append(0.0)
        rows.append(total)
        limits.append(float(delta))
    sums = np.zeros((n, width))
    for i in range(n):
        sums[i, i * m : (i + 1) * m] = 1
    cost = np.zeros(width)
    cost[: n * m] = [-float(w) for row in worth for w in row]
    solver: Any = linprog
    limited = {"A_ub": np.array(rows), "b_ub": limits} if rows else {}
    found = solver(cost, **limited, A_eq=sums, b_eq=np.ones(n), bounds=(0, None), method="highs")
    if found.status == 2:
        return None
    assert found.status == 0, found.message
    return -float(found.fun)


def asked(content: Any) -> tuple[list[list[Fraction]], list[tuple[int, int]]]:
    """Return what each guess is worth at each secret, and who must not be told from whom."""
    kind = content["format"]
    if kind == TRIES:
        v = content["values"]
        sets = list(combinations(range(v), content["tries"]))
        return [[Fraction(i in s, v) for s in sets] for i in range(v)], list(
            permutations(range(v), 2)
        )
    if kind == PRESENCE:
        prior = [Fraction(p) for p in content["prior"]]
        v, away = len(prior), 1 - sum(prior, Fraction(0))
        sets = list(combinations(range(v), content["tries"]))
        table = [[p * (i in s) for s in sets] + [Fraction(0)] for i, p in enumerate(prior)]
        table.append([Fraction(0)] * len(sets) + [away])
        one_way = [(i, v) for i in range(v)]
        return table, one_way + [(v, i) for i in range(v)] * ("powers" in content)
    if kind == EVERYONE:
        priors = [
            [Fraction(p) for p in k["prior"]] for k in content["kinds"] for _ in range(k["records"])
        ]
        whole = list(product(*(range(len(p)) for p in priors)))
        table = [
            [
                Fraction(math.prod(p[x] for p, x in zip(priors, d, strict=True)) * (d == g))
                for g in whole
            ]
            for d in whole
        ]
        return table, [
            (i, h)
            for (i, a), (h, b) in permutations(enumerate(whole), 2)
            if sum(x != y for x, y in zip(a, b, strict=True)) == 1
        ]
    gains = [[Fraction(g) for g in row] for row in content["gain"]]
    table = [[Fraction(p) * g[i] for g in gains] for i, p in enumerate(content["prior"])]
    if kind == ABSENT:
        centre = content["absent"]
        return table, [(i, centre) for i in range(len(table)) if i != centre]
    return table, [arc for i, h in content["edges"] for arc in ((i, h), (h, i))]


def promised(
    content: Any, side: str, arcs: list[tuple[int, int]]
) -> list[tuple[int, int, list[tuple[Fraction, Fraction]]]]:
    """Return the pairs of one side for each arc."""
    key = f"{side} lines" if f"{side} lines" in content else f"{side} pairs"
    if content["format"] == EDGES:
        return [
            (*arc, [(Fraction(r), Fraction(d)) for r, d in pairs])
            for (i, h), pairs in zip(content["edges"], content[key], strict=True)
            for arc in ((i, h), (h, i))
        ]
    pairs = [(Fraction(r), Fraction(d)) for r, d in content[key]]
    return [(i, h, pairs) for i, h in arcs]


def divergence(one: Iterable[Fraction], other: Iterable[Fraction], order: float) -> float:
    """Return D_α of two rows, nearly."""
    terms = [(float(p), float(q)) for p, q in zip(one, other, strict=True) if p]
    if any(not q for _, q in terms):
        return math.inf
    if order == 1:
        return sum(p * math.log(p / q) for p, q in terms)
    top = max(order * math.log(p) + (1 - order) * math.log(q) for p, q in terms)
    total = sum(math.exp(order * math.log(p) + (1 - order) * math.log(q) - top) for p, q in terms)
    return (top + math.log(total)) / (order - 1)


def bounds_of(content: Any) -> list[tuple[float, float]]:
    """Return orders and what the divergences may be."""
    if "rho" in content:
        return [(a, float(Fraction(content["rho"])) * a) for a in ORDERS]
    return [(float(Fraction(a)), float(Fraction(g))) for a, g in content["bounds"]]


def keeps(content: Any, one: list[Fraction], other: list[Fraction]) -> bool:
    """Say whether two rows are within the divergences."""
    return all(divergence(one, other, a) <= g * (1 + CLOSE) + CLOSE for a, g in bounds_of(content))


def some_private(content: Any, worth: Any, arcs: Any) -> float:
    """Return what a mechanism with one ratio earns whose coin is within the divergences."""
    low, high = 1.0, 50.0
    for _ in range(40):
        middle = (low + high) / 2
        coin = [Fraction(middle / (1 + middle)), Fraction(1 / (1 + middle))]
        if all(divergence(coin, coin[::-1], a) <= g for a, g in bounds_of(content)):
            low = middle
        else:
            high = middle
    found = best(worth, [(i, h, [(low, 0)]) for i, h in arcs])
    assert found is not None
    return found


def is_true(content: Any, lower: Fraction, upper: Fraction) -> int:
    """What an accepted certificate says holds."""
    worth, arcs = asked(content)
    diverging = "rho" in content or "bounds" in content
    sides = {} if diverging else {s: promised(content, s, arcs) for s in ("lower", "upper")}
    steepest = max(
        (r for kept in sides.values() for *_, pairs in kept for r, _ in pairs), default=0
    )
    if len(worth) * len(worth[0]) > 100 or steepest > MOST:
        return 0
    if "mechanism" in content:
        rows = [[Fraction(p) for p in row] for row in content["mechanism"]]
        assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
        earned = sum(
            w * k for a, b in zip(worth, rows, strict=True) for w, k in zip(a, b, strict=True)
        )
        assert lower <= earned
        if content["format"] == DIVERGENCE:
            assert all(keeps(content, rows[i], rows[h]) for i, h in arcs)
        else:
            for i, h, pairs in sides["lower"]:
                for r, d in pairs:
                    over = (
                        max(p - r * q, Fraction(0)) for p, q in zip(rows[i], rows[h], strict=True)
                    )
                    assert sum(over) <= d
    elif not diverging:
        true = best(worth, sides["lower"])
        assert true is not None, "nobody keeps what the mechanism keeps"
        assert float(lower) <= true + CLOSE
    if diverging:
        assert float(upper) >= some_private(content, worth, arcs) - CLOSE
    else:
        true = best(worth, sides["upper"])
        assert true is None or float(upper) >= true - CLOSE
    return 2


@searched(
    which=lambda d: d.below(len(SOURCES)),
    changes=edits,
    split=lambda d: [d.below(5000) for _ in range(d.below(3))],
    less=lambda d: d.pick(("0", "1/100", "1/1000000")),
)
def changed_promises(which: int, changes: Any, split: Any, less: str) -> int:
    """A changed certificate of a promise is accepted, and what it says is false."""
    made = json.loads(source(which))
    if Fraction(less):
        made["upper"] = str(Fraction(made["upper"]) - Fraction(less))
    for where in split:
        made = halved(made, where)
    made = changed(made, changes if not split or less == "0" else [])
    proved = judged(made)
    if proved is None:
        return 1
    [(_, lower, upper)] = proved
    assert told(made, proved)[0].startswith("accepted")
    return 1 + is_true(made, lower, upper)
