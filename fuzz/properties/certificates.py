"""Is whatever the checker accepts true? Changed proofs, and the linear program behind them.

A changed certificate may be refused in one line, or accepted; then what it says must hold for the
graphs and the ratios that it names.
"""

import copy
import json
from fractions import Fraction
from functools import cache
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.check import MECHANISM, Refuted, Unreadable, check, digest, question, told
from leaktight.policies import Metric

TREE = (5, [[0, 1], [0, 3], [0, 4], [1, 2]])
SOURCES: tuple[tuple[Any, str, Any], ...] = (
    ([(2, [[0, 1]])], "2", None),
    ([(3, [[0, 1], [1, 2]])], "3/2", None),
    ([(4, [[0, 1], [0, 2], [0, 3]])], "3/2", None),
    ([TREE], "3/2", None),
    ([(2, [[0, 1]])] * 2, "2", None),
    ([(4, [[0, 1], [0, 2], [0, 3]])] * 2, "3/2", None),
    ([(2, [[0, 1]]), (4, [[0, 1], [0, 2], [0, 3]])], "3/2", None),
    ([(3, [[0, 1]])], "2", None),
    ([(5, [[0, 1], [1, 2], [1, 3], [2, 4]])] * 2, "11/10", None),
    ([(3, [[0, 1], [1, 2]])], "2", [[1, 0, 0], [0, 2, 0], [0, 0, 1]]),
    ([(3, [[0, 1], [1, 2]])], "3", [[-1, 0, 3], [2, -2, 0]]),
    ([(3, [[0, 1, 2], [1, 2, 1]])], "3/2", None),
    ([(3, [[0, 1, "1/2"], [1, 2, 1]])], "3/2", None),
)
"""Of which questions certificates are changed: graphs of records, a ratio, and a gain if any.

Edges with a third number, a length, are those of a metric.
"""

NUMBERS = (
    "0",
    "1",
    "2",
    "1/2",
    "2/3",
    "-1/3",
    "3/2",
    "7/3",
    "0/1",
    "1/0",
    "٣",
    "1e3",
    "",
    " 1",
    "-0",
)
OTHERS: tuple[Any, ...] = (0, 1, -1, 2, True, None, 1.5, [], {}, [0, 1], "x", 10**30)


@cache
def source(which: int) -> str:
    """Return a certificate that holds, as JSON."""
    graphs, ratio, gains = SOURCES[which]
    if gains is not None:
        best = lt.optimal_mechanism(direct.graph_of(graphs[0]), gain=lt.Gain(gains), ratio=ratio)
        return json.dumps(best.certificate)
    if len(graphs[0][1][0]) == 3:
        metric = Metric.from_edges(graphs[0][0], [tuple(edge) for edge in graphs[0][1]])
        return json.dumps(lt.worst_case_leakage(metric, ratio=ratio).certificate)
    joined = lt.policies.AdjacencyGraph.of_records([direct.graph_of(g) for g in graphs])
    return json.dumps(lt.worst_case_leakage(joined, ratio=ratio).certificate)


def places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the ways to everything in a JSON content."""
    found = [path] if path else []
    keys = (
        content
        if isinstance(content, dict)
        else range(len(content))
        if isinstance(content, list)
        else ()
    )
    for key in keys:
        found += places(content[key], (*path, key))
    return found


def changed(content: Any, edits: Any) -> Any:
    """Return the content with some places changed: put, moved, doubled, swapped or left out."""
    made = copy.deepcopy(content)
    for where, how, other, value in edits:
        ways = places(made)
        *way, key = ways[where % len(ways)]
        inside = made
        for step in way:
            inside = inside[step]
        if how == "put":
            inside[key] = value
        elif how == "leave out":
            del inside[key]
        elif how == "double" and isinstance(inside, list):
            inside.insert(key, copy.deepcopy(inside[key]))
        elif how == "copy":
            *away, last = ways[other % len(ways)]
            there = made
            for step in away:
                there = there[step]
            inside[key] = copy.deepcopy(there[last])
        elif how == "swap" and isinstance(inside, list):
            at = other % len(inside)
            inside[key], inside[at] = inside[at], inside[key]
        elif (
            how == "add" and isinstance(inside[key], str) and inside[key].replace("/", "").isdigit()
        ):
            inside[key] = str(
                Fraction(inside[key]) + Fraction(value if isinstance(value, int) else 1, 7)
            )
    return made


def edits(draw: Draw) -> Any:
    """One to three changes."""
    hows = ("put", "copy", "double", "leave out", "swap", "add")
    return [
        [
            draw.below(5000),
            draw.pick(hows),
            draw.below(5000),
            draw.pick((draw.pick(NUMBERS), draw.pick(NUMBERS), draw.pick(OTHERS))),
        ]
        for _ in range(draw.integer(1, 3))
    ]


def judged(content: Any) -> list[Any] | None:
    """Return what is proved, or nothing if it is refused; no other error may come."""
    try:
        return check(content)
    except (Refuted, Unreadable) as refused:
        assert str(refused)
        assert "\n" not in str(refused)
        return None


def ratios(graph: Any, ratio: Fraction, end: int) -> list[Fraction]:
    """The ratio of each edge: λ to the power of its length, nearly, if it has one."""
    if "lengths" not in graph:
        return [ratio] * len(graph["edges"])
    powers = [direct.logarithm(ratio) * Fraction(pair[end]) for pair in graph["lengths"]]
    return [direct.exp_bounds(power)[1] for power in powers]


def is_private(rows: Any, graph: Any, ratio: Fraction) -> None:
    """Every edge is within its ratio."""
    for edge, most in zip(graph["edges"], ratios(graph, ratio, 0), strict=True):
        assert direct.level(rows, [edge]) <= most


def is_true(content: Any, proved: Any) -> None:
    """What an accepted certificate says holds, by the linear program and in fractions."""
    low, high = Fraction(content["lower ratio"]), Fraction(content["upper ratio"])
    assert 1 <= low <= high
    if content["format"] == MECHANISM:
        n = len(content["vertices"])
        chances = [Fraction(p) for p in content["prior"]]
        assert sum(chances) == 1
        weights = [
            [p * Fraction(g) for p, g in zip(chances, row, strict=True)] for row in content["gain"]
        ]
        rows = [[Fraction(p) for p in row] for row in content["mechanism"]]
        assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
        is_private(rows, content, low)
        [(_, utility, upper)] = proved
        assert utility == sum(
            weights[w][i] * row[z]
            for i, row in enumerate(rows)
            for z, w in enumerate(content["outputs"])
        )
        true = direct.best_gain(n, content["edges"], ratios(content, high, 1), weights)
        assert upper >= Fraction(true) or direct.near(upper, true)
        return
    parts = []
    for piece in content["pieces"]:
        if "mechanism" in piece:  # or the records are answered together
            rows = [[Fraction(p) for p in row] for row in piece["mechanism"]]
            assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
            is_private(rows, piece, low)
        parts += [(len(piece["vertices"]), piece["edges"])] * min(piece["records"], 3)
        if "lengths" in piece:
            size = len(piece["vertices"])
            unit = [[Fraction(int(i == w)) for i in range(size)] for w in range(size)]
            true = direct.best_gain(size, piece["edges"], ratios(piece, high, 1), unit)
            assert proved[0][2] >= Fraction(true) or direct.near(proved[0][2], true)
            return
    lower, upper = Fraction(1), Fraction(1)
    for records, below, above in proved:
        lower, upper = lower * below ** min(records, 9), upper * above ** min(records, 9)
    size = 1
    kept: list[Any] = []
    for part in parts:  # the worst case of some of the records is at most that of all
        if size * part[0] <= 30:
            size, kept = size * part[0], [*kept, part]
    tuples, edges = direct.product_edges(kept)
    true = direct.worst_case(len(tuples), edges, high)
    if all(piece["records"] <= 3 for piece in content["pieces"]):
        assert upper >= Fraction(true) or direct.near(upper, true)
        if kept == parts:
            assert lower <= Fraction(true) or direct.near(lower, true)


@searched(which=lambda d: d.below(len(SOURCES)), changes=edits)
def changed_by_structure(which: int, changes: Any) -> int:
    """A changed certificate is accepted, and what it says is false."""
    content = json.loads(source(which))
    made = changed(content, changes)
    proved = judged(made)
    if proved is None:
        return 1
    is_true(made, proved)
    lines = told(made, proved)
    assert lines[0].startswith("accepted")
    if question(made) != question(content):
        assert digest(made) != digest(content)
    return 2


@searched(
    which=lambda d: d.below(len(SOURCES)),
    at=lambda d: d.some(
        lambda e: [e.below(20000), e.below(3), e.pick('0123456789/-"[]{},: e.xn')], 1, 3
    ),
)
def changed_by_letter(which: int, at: Any) -> int:
    """A certificate with other letters is accepted and false, or ends in an error."""
    text = source(which)
    for place, how, letter in at:
        k = place % len(text)
        text = text[:k] + (
            letter + text[k:] if how == 1 else text[k + 1 :] if how == 2 else letter + text[k + 1 :]
        )
    try:
        content = json.loads(text)
    except ValueError:
        return 1
    proved = judged(content)
    if proved is not None:
        is_true(content, proved)
    return 1


@searched(
    graphs=lambda d: [drawn.graph(d, 1, 3) for _ in range(d.integer(1, 2))],
    ratio=drawn.ratio,
    covers=lambda d: [d.pick(("0", "1", "1/2", "2/3", "3/4", "1/3", "2")) for _ in range(6)],
    prices=lambda d: [d.pick(("0", "1", "1/2", "2/3", "-1/3", "1/3", "2")) for _ in range(6)],
    flow=lambda d: [d.pick(("0", "1/3", "1/2", "1", "1/6")) for _ in range(6)],
    priced=Draw.maybe,
)
def forged(graphs: Any, ratio: str, covers: Any, prices: Any, flow: Any, priced: bool) -> int:
    """A certificate made of anything at hand is accepted, and its bound is exceeded."""
    pieces = []
    for at, (n, edges) in enumerate(graphs):
        even = [["1"] for _ in range(n)]
        part: dict[str, Any] = {"vertices": list(range(n)), "cover": covers[at * 3 : at * 3 + n]}
        if priced and at == 0:
            arcs = [[i, j, flow[k % 6]] for k, (i, j) in enumerate(edges)]
            part = {"vertices": list(range(n)), "prices": prices[:n], "flows": [arcs] * n}
        bound: dict[str, Any] = {"parts": [part], "upper": "1"}
        pieces.append(
            {"records": 1, "vertices": [str(i) for i in range(n)], "edges": edges}
            | {"mechanism": even, "lower": "1"} | bound
        )  # fmt: skip
    content = {
        "format": "leaktight worst case 1",
        "lower ratio": ratio,
        "upper ratio": ratio,
        "pieces": pieces,
    }
    for piece in pieces:  # the checker itself says what the bound would be
        for _ in range(2):
            try:
                check(content | {"pieces": [piece]})
            except Refuted as refused:
                words = str(refused).split(",")[0].split()
                if str(refused).startswith("the bound is"):
                    piece["upper"] = words[-1]
                continue
    proved = judged(content)
    if proved is None:
        return 1
    is_true(content, proved)
    return 2
