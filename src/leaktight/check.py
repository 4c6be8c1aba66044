"""Check a certificate, trusting nobody: only the standard library is used.

This file can be run by itself, without leaktight:

    python check.py CERTIFICATE.json

A certificate of the *worst case* claims, for a graph (or several, one for each kind of record) and
a ratio λ, that some channel that is private at λ has Σ_z max_x K(z|x) = lower, and that none has
more than upper. What is checked, in exact rational arithmetic, for every piece of it:

1. The mechanism is a channel: entries of at least 0, rows that sum to 1.
2. It is private: K_iz ≤ λ·K_hz for both directions of every edge and every output z.
3. The sum of its column maxima is ``lower``.
4. The parts are disjoint and hold every vertex. Restricted to a part, a private channel is private
   on the edges within it, and the column maxima are at most the sum of those of the parts. So the
   bounds of the parts add up. Each part has one of two proofs:

   - a *cover* b ≥ 0. If c is a private column and largest at j, then c_i ≥ λ^(−d(i,j))·c_j, hence
     Σ_i b_i·c_i ≥ (coverage of j)·c_j. Summed over the columns of a channel, whose rows sum to 1:
     the sum of the column maxima is at most Σ b / min coverage.
   - *prices* y with a flow f ≥ 0 for each vertex j: y − Σ f_ih·(λ·e_h − e_i) = s·e_j, s ≥ 1, over
     arcs i → h of the part. As (λ·e_h − e_i)·c ≥ 0 for private c, y·c ≥ c_j for every j, and the
     sum of the column maxima is at most Σ y.

5. A piece that stands for several independent records is bounded by covers only: products of
   covers are covers of the product graph, so its bound is a power; and so is what independent
   copies of its mechanism attain.

A certificate of a *mechanism* claims that a channel whose outputs are guesses is private at λ and
earns ``utility`` on average under a prior and a gain, and that none earns more than ``upper``. Its
rows and its privacy are checked as above, its utility is summed up, and for every guess w a flow
f ≥ 0 must leave y − π∘g_w − Σ f_ih·(λ·e_h − e_i) ≥ 0: then no private column c earns more with
guess w than it costs, π∘g_w·c ≤ y·c, and the columns of a channel cost Σ y together.
"""

import json
import re
import sys
from collections import deque
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

Neighbours = list[set[int]]
Proved = tuple[int, Fraction, Fraction]

WORST_CASE, MECHANISM = FORMATS = "leaktight worst case 1", "leaktight mechanism 1"

SHORT = 40
"""The most letters of a number that is shown as it is; a longer one stays in the file."""


class Refuted(Exception):
    """What the certificate claims does not follow from it."""


def number(written: Any) -> Fraction:
    """Read a whole number or a fraction such as "-3/4"; nothing else is one."""
    if not isinstance(written, str) or not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", written):
        raise ValueError(f"expected a number such as '3/4', got {written!r:.40}")
    return Fraction(written)


def demand(condition: bool, message: str) -> None:
    """Refuse the certificate unless a condition holds."""
    if not condition:
        raise Refuted(message)


def check_edges(edges: list[list[int]], n: int) -> Neighbours:
    """Return the neighbours of each vertex."""
    neighbours: Neighbours = [set() for _ in range(n)]
    for i, h in edges:
        demand(0 <= i < n and 0 <= h < n and i != h, f"edge {i}-{h} is none of the graph")
        neighbours[i].add(h)
        neighbours[h].add(i)
    return neighbours


def check_mechanism(
    rows: list[list[Fraction]], neighbours: Neighbours, ratio: Fraction
) -> Fraction:
    """Return the sum of the column maxima of a private channel."""
    demand(len(rows) == len(neighbours), "the mechanism must have a row for each vertex")
    demand(all(len(row) == len(rows[0]) for row in rows), "its rows must be equally long")
    for i, row in enumerate(rows):
        demand(min(row) >= 0 and sum(row) == 1, f"row {i} of the mechanism is no distribution")
        for h in neighbours[i]:
            for z, (here, there) in enumerate(zip(row, rows[h], strict=True)):
                demand(here <= ratio * there, f"output {z} tells {i} from {h} too well")
    return sum(map(max, zip(*rows, strict=True)), Fraction(0))


def distances(start: int, neighbours: Neighbours, inside: set[int]) -> dict[int, int]:
    """Return the distance from a vertex to all that can be reached inside a part."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        i = waiting.popleft()
        for h in neighbours[i] & inside:
            if h not in found:
                found[h] = found[i] + 1
                waiting.append(h)
    return found


def check_cover(
    vertices: list[int], weights: list[Fraction], neighbours: Neighbours, ratio: Fraction
) -> Fraction:
    """Return the bound that a cover gives."""
    demand(len(weights) == len(vertices), "a cover must have a weight for each vertex")
    demand(min(weights) >= 0, "a cover must not be negative")
    inside, weight = set(vertices), dict(zip(vertices, weights, strict=True))
    least = min(
        sum(
            (weight[i] / ratio**d for i, d in distances(j, neighbours, inside).items()), Fraction(0)
        )
        for j in vertices
    )
    demand(least > 0, "a cover must reach every vertex")
    return sum(weights, Fraction(0)) / least


def check_prices(
    vertices: list[int],
    prices: list[Fraction],
    flows: list[list[tuple[int, int, str]]],
    neighbours: Neighbours,
    ratio: Fraction,
) -> Fraction:
    """Return the bound that prices give whose flows prove them."""
    demand(len(prices) == len(flows) == len(vertices), "each vertex must have a price and a flow")
    inside = set(vertices)
    for j, flow in zip(vertices, flows, strict=True):
        left = dict(zip(vertices, prices, strict=True))
        for i, h, written in flow:
            demand(i in inside and h in neighbours[i] & inside, f"arc {i}-{h} is none of the part")
            amount = number(written)
            demand(amount >= 0, f"the flow on arc {i}-{h} is negative")
            left[h] -= ratio * amount
            left[i] += amount
        demand(left.pop(j) >= 1, f"the flow for vertex {j} proves too little")
        demand(not any(left.values()), f"the flow for vertex {j} does not add up")
    return sum(prices, Fraction(0))


def check_part(
    part: dict[str, Any], neighbours: Neighbours, ratio: Fraction, records: int
) -> Fraction:
    """Return the bound on one part."""
    vertices = part["vertices"]
    if "cover" in part:
        return check_cover(vertices, [number(b) for b in part["cover"]], neighbours, ratio)
    demand(records == 1, "several records need a cover: other proofs do not multiply")
    prices = [number(y) for y in part["prices"]]
    return check_prices(vertices, prices, part["flows"], neighbours, ratio)


def check_piece(piece: dict[str, Any], below: Fraction, above: Fraction) -> Proved:
    """Return what one kind of record attains and what bounds it."""
    n, records = len(piece["vertices"]), piece["records"]
    demand(isinstance(records, int) and records >= 1, "records must be a whole number above 0")
    neighbours = check_edges(piece["edges"], n)
    rows = [[number(p) for p in row] for row in piece["mechanism"]]
    lower = check_mechanism(rows, neighbours, below)
    demand(lower == number(piece["lower"]), f"the mechanism attains {lower}, not the claimed")
    held = sorted(i for part in piece["parts"] for i in part["vertices"])
    demand(held == list(range(n)), "the parts must hold every vertex once")
    bounds = [check_part(part, neighbours, above, records) for part in piece["parts"]]
    upper = sum(bounds, Fraction(0))
    demand(upper == number(piece["upper"]), f"the proof gives {upper}, not the claimed bound")
    return records, lower, upper


def check_best(claim: dict[str, Any], below: Fraction, above: Fraction) -> Proved:
    """Return what a mechanism earns and what none exceeds."""
    n, guesses = len(claim["vertices"]), len(claim["guesses"])
    neighbours = check_edges(claim["edges"], n)
    prior = [number(p) for p in claim["prior"]]
    demand(len(prior) == n and min(prior) >= 0 and sum(prior) == 1, "the prior must sum to 1")
    demand(len(claim["gain"]) == len(claim["flows"]) == guesses, "each guess needs gain and flow")
    demand(all(len(row) == n for row in claim["gain"]), "each guess must earn at each vertex")
    earned = [[p * number(g) for p, g in zip(prior, row, strict=True)] for row in claim["gain"]]
    rows = [[number(p) for p in row] for row in claim["mechanism"]]
    check_mechanism(rows, neighbours, below)
    outputs = claim["outputs"]
    demand(len(outputs) == len(rows[0]), "each output must be a guess")
    demand(all(0 <= w < guesses for w in outputs), "each output must be one of the guesses")
    utility = sum(
        (earned[w][i] * p for i, row in enumerate(rows) for w, p in zip(outputs, row, strict=True)),
        Fraction(0),
    )
    demand(utility == number(claim["utility"]), f"the mechanism earns {utility}, not the claimed")
    prices = [number(y) for y in claim["prices"]]
    demand(len(prices) == n, "each vertex must have a price")
    for w, flow in enumerate(claim["flows"]):
        left = [y - g for y, g in zip(prices, earned[w], strict=True)]
        for i, h, written in flow:
            demand(h in neighbours[i], f"arc {i}-{h} is none of the graph")
            amount = number(written)
            demand(amount >= 0, f"the flow on arc {i}-{h} is negative")
            left[h] -= above * amount
            left[i] += amount
        demand(min(left) >= 0, f"the flow for guess {w} proves too little")
    upper = sum(prices, Fraction(0))
    demand(upper == number(claim["upper"]), f"the prices sum to {upper}, not the claimed bound")
    return 1, utility, upper


def check(certificate: dict[str, Any]) -> list[Proved]:
    """Return (records, lower, upper) for each piece, or raise ``Refuted``.

    A mechanism is one piece: what it earns, and what none exceeds.
    """
    kind = certificate.get("format")
    demand(kind in FORMATS, "this is no such certificate")
    below, above = number(certificate["lower ratio"]), number(certificate["upper ratio"])
    demand(1 <= below <= above, "the ratios must be at least 1, the lower one first")
    if kind == MECHANISM:
        return [check_best(certificate, below, above)]
    demand(bool(certificate["pieces"]), "there must be at least one piece")
    return [check_piece(piece, below, above) for piece in certificate["pieces"]]


UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What goes wrong with a file that is no certificate."""


def main(arguments: list[str]) -> int:
    """Check a file and say what is proved; return the exit code."""
    sys.set_int_max_str_digits(0)
    if len(arguments) != 1:
        print("usage: python check.py CERTIFICATE.json")
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            content = json.load(file)
        lines = told(content, check(content))
    except Refuted as wrong:
        print(f"refuted: {shortened(str(wrong), 120)}")
        return 1
    except UNREADABLE as wrong:
        print(complaint(arguments[0], wrong))
        return 2
    print("\n".join(lines))
    return 0


def complaint(path: object, wrong: Exception) -> str:
    """Say in words why a file is no certificate."""
    if isinstance(wrong, FileNotFoundError):
        return f"there is no file {path}"
    if isinstance(wrong, OSError):
        return f"{path} cannot be read: {wrong.strerror}"
    why = f"something in it is not as it must be: {shortened(str(wrong), 120)}"
    if isinstance(wrong, json.JSONDecodeError | UnicodeDecodeError):
        why = "it is not a JSON file"
    elif isinstance(wrong, RecursionError):
        why = "its lists are nested too deeply"
    elif isinstance(wrong, KeyError):
        why = f"it has no {wrong}"
    return f"{path} is no certificate: {why}"


def told(content: dict[str, Any], proved: list[Proved]) -> list[str]:
    """Say what is proved, at which ratio and about which graphs: the reader must compare them."""
    best = content["format"] == MECHANISM
    records, (_, lower, upper) = sum(piece[0] for piece in proved), proved[0]
    if not best:
        what = f"the worst case of {f'{records:,} records' if records > 1 else 'one secret'}"
    elif lower == upper:
        what = "the best mechanism"
    else:
        what = f"a mechanism within {rounded(upper - lower, 2, ROUND_CEILING)} of the best"
    graphs = zip([content] if best else content["pieces"], proved, strict=True)
    below, above = [(v, n) for n, v, _ in proved], [(v, n) for n, _, v in proved]
    return [
        f"accepted: {what}, at the ratio {ratio_of(content)}",
        f"for {' and '.join(graph_of(graph, piece[0]) for graph, piece in graphs)}",
        f"{'earned on average' if best else 'attained'}: {amount_of(best, below, ROUND_FLOOR)}",
        f"not exceeded: {amount_of(best, above, ROUND_CEILING)}",
    ]


def graph_of(graph: dict[str, Any], records: int) -> str:
    """Describe a graph; a name can print nothing but itself."""
    names = shortened(", ".join(map(str, graph["vertices"])), 40)
    shown = "".join(letter if letter.isprintable() else "?" for letter in names)
    times = f"{records:,} × " if records > 1 else ""
    return f"{times}{len(graph['vertices'])} vertices ({shown}), {len(graph['edges'])} edges"


def ratio_of(content: dict[str, Any]) -> str:
    """Return λ, and ε with few digits, rounded up unless the first 15 digits are as few."""
    below, above = number(content["lower ratio"]), number(content["upper ratio"])
    exact = below == above and len(str(above)) <= SHORT
    epsilon = Context(6, ROUND_CEILING).plus(Context(15).plus(logarithm([(above, 1)])))
    return f"{above if exact else f'about {rounded(above, 6)}'} (ε about {plain(epsilon)})"


def amount_of(best: bool, factors: list[tuple[Fraction, int]], rounding: str) -> str:
    """Return what is earned or leaked: as it is if that is short, and rounded to the safe side."""
    how = "at most" if rounding == ROUND_CEILING else "at least"
    exact = " · ".join(f"({value})^{n}" if n > 1 else str(value) for value, n in factors)
    if best:
        return exact if len(exact) <= SHORT else f"{how} {rounded(factors[0][0], 9, rounding)}"
    bits = Context(60).divide(logarithm(factors), logarithm([(Fraction(2), 1)]))
    factor = f", a factor of {exact}" if len(exact) <= SHORT else ""
    return f"{how} {plain(Context(6, rounding).plus(bits))} bits{factor}"


def logarithm(factors: list[tuple[Fraction, int]]) -> Decimal:
    """Return ln of a product of powers, to far more digits than are shown."""
    many, total = Context(100), Decimal(0)
    for value, n in factors:
        one, other = (many.ln(Decimal(part)) for part in value.as_integer_ratio())
        total = many.fma(many.subtract(one, other), n, total)
    return total


def rounded(value: Fraction, digits: int, rounding: str | None = None) -> str:
    """Return a number with few digits, to the nearest unless a side is given."""
    context = Context(digits, rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return plain(context.divide(*map(Decimal, value.as_integer_ratio())))


def plain(short: Decimal) -> str:
    """Return a number of few digits as people write it, without zeros at its end."""
    bare = short.normalize(Context(Emin=MIN_EMIN, Emax=MAX_EMAX))
    return f"{bare:,f}" if -5 <= bare.adjusted() <= 12 else f"{bare:e}"


def shortened(text: str, most: int) -> str:
    """Return a long text up to some length."""
    return text if len(text) <= most else f"{text[:most]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
