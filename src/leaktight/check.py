"""Check a certificate, trusting nobody: only the standard library is used.

It runs by itself, without leaktight: ``python check.py CERTIFICATE.json``

Limits, so that no file keeps it busy: 2^27 bytes; 40,000 letters of a number; 1,000 digits of a
whole number such as the records; 10^7 steps, about a second, and 20 more for each letter. What
would take more is refused before it is computed.

A certificate of the *worst case* claims, for a graph (or several, one for each kind of record) and
a ratio λ, that some channel that is private at λ has Σ_z max_x K(z|x) = lower, and that none has
more than upper. What is checked, in exact arithmetic, for every piece of it:

1. The mechanism is a channel: entries of at least 0, rows that sum to 1.
2. It is private: K_iz ≤ λ·K_hz for both directions of every edge and every output z.
3. The sum of its column maxima is ``lower``; independent copies attain the power of it.
4. The parts are disjoint and hold every vertex. Restricted to a part, a private channel is private
   on the edges within it, and the column maxima are at most the sum of those of the parts. So the
   bounds of the parts add up. Each part has one of three proofs:

   - a *cover* b ≥ 0. If c is a private column and largest at j, then c_i ≥ λ^(−d(i,j))·c_j, hence
     Σ_i b_i·c_i ≥ (coverage of j)·c_j. Summed over the columns of a channel, whose rows sum to 1:
     the sum of the column maxima is at most Σ b / min coverage.
   - *prices* y with a flow f ≥ 0 for each vertex j: y − e_j − Σ f_ih·(λ·e_h − e_i) ≥ 0, over arcs
     i → h of the part. As (λ·e_h − e_i)·c ≥ 0 for private c, y·c ≥ c_j for every j, and the sum of
     the column maxima is at most Σ y.
   - *weights* w ≥ 1, if the edges within the part close no cycle. Merge the outputs with a common
     likeliest vertex, and let a_ij be the chance of outputs beyond the edge ij if the secret is i.
     Then K_ii = 1 − Σ_j a_ij, and 1 − a_ji ≤ λ·a_ij in both directions. So the sum of the column
     maxima is at most Σ w_i·K_ii = Σ w − Σ_ij (w_i·a_ij + w_j·a_ji) over the edges, and the least
     that an edge may take is min(w_i, w_j, (w_i + w_j)/(λ + 1)), at a corner of what is allowed.
     This, too, is a sum of prices y: p_ij·(λ·c_i − c_j) ≥ 0 for all arcs i → j towards the output,
     p_ij = min(w_j, max(0, (λ·w_i − w_j)/(λ² − 1))), leave y_i = w_i − Σ_j p_ji.

   If the edges of the whole graph close no cycle, the mechanism need not be written out: *steps*
   a_ij ≥ 0 with λ·a_ij + a_ji ≥ 1 in both directions of every edge, a_ij + a_ji ≤ 1, and
   Σ_j a_ij ≤ 1 at every vertex are enough. Let K_yy = 1 − Σ_j a_yj, and K_xy be K_yy times
   a_ij / (1 − a_ji), 0/0 = 0, for each step i → j on the path from x to y. From the leaves on, the
   outputs beyond ij have the chance a_ij at i and 1 − a_ji at j, so rows sum to 1, columns are
   largest at y, and neighbours differ there by (1 − a_ji) / a_ij, from 1 to λ.

5. The bounds of records multiply if all but one are covers, or prices b ≥ 0. With y prices of
   another graph and c private on their product, m_i = max_h c_ih is private, so that
   Σ_i b_i·(y·c_i) ≥ Σ_i b_i·m_i ≥ max c. So *one record of all* may be bounded by prices of which
   some are negative; in a piece of several it has parts of its own, ``once``.

A certificate of *records* claims the same of several that are answered together. Each record has a
*packing* a ≥ 0: R_i = Σ_j a_j·λ^(−d(i,j)) ≤ 1 for every vertex i. It is answered j with the chance
a_j·λ^(−d(i,j)), or not at all. All answers are kept with the chance s, if each record has one;
otherwise each gets the answer whose R is least in its component. What is kept is private, as each
a_j·λ^(−d(i,j)) is. What is not, 1 − s·Π R, is so if s·(λ·R_h − R_i) ≤ λ − 1 for all neighbours in
each graph, as the other R are at most 1. The column maxima sum to s·Π Σ a + Π T − s·Π M over the
records, T the number of components and M the sum of their least R. The ``share`` is that divided by
Π Σ a, or s, which is less.

A certificate of a *mechanism* claims that a channel whose outputs are guesses is private at λ and
earns ``utility`` on average under a prior and a gain, and that none earns more than ``upper``. Its
rows and its privacy are checked as above, its utility is summed up, and for every guess w a flow
f ≥ 0 must leave y − π∘g_w − Σ f_ih·(λ·e_h − e_i) ≥ 0: then no private column c earns more with
guess w than it costs, π∘g_w·c ≤ y·c, and the columns of a channel cost Σ y together.

A certificate of a *curve* claims the same of mechanisms that keep *pairs* (λ, δ): for neighbours
i, h in both orders and every set S of outputs, K(S|i) ≤ λ·K(S|h) + δ. There is a list of pairs that
the mechanism keeps, Σ_z max(0, K_iz − λ·K_hz) ≤ δ, and one for which nothing better is possible;
what was promised lies between them. With W_iz the prior times the gain, the bound has one of two
proofs:

- *multipliers* c_ez ≥ 0 for arcs e = i → h, each with a pair. Added to what a mechanism earns,
  c_ez·(t_ez − K_iz + λ_e·K_hz) ≥ 0 with Σ_z t_ez = δ_e, and as rows sum to 1, it earns at most
  Σ_e δ_e·max_z c_ez + Σ_i max_z (W_iz − Σ_{e out of i} c_ez + Σ_{e into i} λ_e·c_ez).
- *weights* w, 0 ≤ w ≤ prior, if all vertices are neighbours and the guess must be right. With
  p_x = K_xx and a_x the least K_zx, z ≠ x, p_x ≤ g(a_x), g the least of all lines δ + λ·a and
  1 − (1 − δ − a)/λ and of 1, and p_x + Σ_{z≠x} a_z ≤ 1. So with W = Σ w it earns at most
  W + Σ_x max_a ((π_x − w_x)·g(a) − (W − w_x)·a).

Of a *metric*, each edge has a length between two rationals, and two ratios: the first is at most
λ^length for the lower λ and length, the second at least that for the upper ones. They take the
place of λ above. The bounds of parts are then proved by prices, and a packing has rows: private
columns P_ij in place of a_j·λ^(−d(i,j)), R_i = Σ_j P_ij ≤ 1, and P_jj in place of a_j. As the
largest entry of a column is at least K(z|z), no less is attained than what is said above.

What is asked, but for the ratio, has a *digest*: the SHA-256 of the JSON text
{"graphs":[[vertices,edges,records],…]}, for a mechanism with "gain":{guess:{vertex:number}} and
"prior":{vertex:number}. The text is ASCII without spaces; keys, vertices, edges (as pairs of
vertices, and the ends of the length if there is one) and graphs are sorted, fractions in lowest
terms, the records of equal graphs added up.
"""

import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from operator import le, mul
from typing import Any, NamedTuple, TypeAlias

MOST_BYTES, MOST_LETTERS, MOST_DIGITS = 2**27, 40_000, 1_000
STEPS, STEPS_PER_LETTER = 10**7, 20


def either(shape: dict[str, Any], *others: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of what has the keys of one of some shapes."""
    return shape | ({"or": either(*others)} if others else {})


# What a certificate looks like: [x] is a list, (x, y) a list of just these.
GRAPH: dict[str, Any] = {"vertices": [str], "edges": [(int, int)]}
LENGTHS: dict[str, Any] = {"lengths": [(str, str)], "ratios": [(str, str)]}
PRICES: dict[str, Any] = {"prices": [str], "flows": [[(int, int, str)]]}
PART = either(
    *({"vertices": [int]} | proof for proof in ({"cover": [str]}, {"weights": [str]}, PRICES))
)
BOUND: dict[str, Any] = {"parts": [PART], "upper": str}
ONCE, KIND = {"once": BOUND}, {"records": int} | GRAPH | BOUND
PIECE, PACKED = KIND | {"mechanism": [[str]], "lower": str}, KIND | {"packing": [str]}
STEPPED = KIND | {"steps": [(str, str)], "lower": str}
FAR, SPREAD = PIECE | LENGTHS, KIND | LENGTHS | {"packing": [[str]]}
BEST = {"prior": [str], "guesses": [str], "gain": [[str]], "outputs": [int], "mechanism": [[str]]}
BEST |= GRAPH | PRICES | {"utility": str, "upper": str}
PAIRS = {"format": str, "lower pairs": [(str, str)], "upper pairs": [(str, str)]}
PAIRS |= GRAPH | {"prior": [str], "guesses": [str], "gain": [[str]], "mechanism": [[str]]}
PAIRS |= {"lower": str, "upper": str}
RATIOS = {"format": str, "lower ratio": str, "upper ratio": str}
TOGETHER = RATIOS | {"kept": str, "share": str}
WORST_CASE, RECORDS = "leaktight worst case 1", "leaktight records 1"
MECHANISM, CURVE = "leaktight mechanism 1", "leaktight curve 1"
FORMATS: dict[str, Any] = {
    WORST_CASE: RATIOS
    | {"pieces": [either(PIECE, PIECE | ONCE, FAR, FAR | ONCE, STEPPED, STEPPED | ONCE)]},
    RECORDS: TOGETHER | {"pieces": [either(PACKED, PACKED | ONCE, SPREAD, SPREAD | ONCE)]},
    MECHANISM: either(RATIOS | BEST, RATIOS | BEST | LENGTHS),
    CURVE: either(PAIRS | {"weights": [str]}, PAIRS | {"multipliers": [(int, int, int, [str])]}),
}

SHORT, FEW, WIDTH = 40, 400, 80
"""The most letters of a number, and of what is asked, that are shown as they are; and of a line."""

DOWN, UP = (Context(60, side, MIN_EMIN, MAX_EMAX) for side in (ROUND_FLOOR, ROUND_CEILING))

Proved: TypeAlias = tuple[int, Fraction, Fraction]


class Refuted(Exception):
    """What the certificate claims does not follow from it."""


class Unreadable(Exception):
    """This is no certificate, or one beyond the limits."""


def demand(condition: bool, message: str) -> None:
    """Refuse the certificate unless a condition holds."""
    if not condition:
        raise Refuted(message)


# --- what is written -----------------------------------------------------------------------


def loaded(path: str) -> Any:
    """Read a JSON file in which each key is there once."""
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise Unreadable(f"it has more than {MOST_BYTES:,} bytes")
        return json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_int=whole)
    except ValueError:
        raise Unreadable("it is not a JSON file") from None
    except RecursionError:
        raise Unreadable("its lists are nested too deeply") from None


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys differ."""
    if len(found := dict(pairs)) < len(pairs):
        raise Unreadable("a key is there twice")
    return found


def whole(digits: str) -> int:
    """Read a whole number."""
    if len(digits) > MOST_DIGITS:
        raise Unreadable(f"a whole number has more than {MOST_DIGITS:,} digits")
    return int(digits)


def letters(content: Any, shape: Any, key: str) -> int:
    """Return how long a content of some shape is."""
    kind = type(content)
    if kind is shape:
        return len(content) + 1 if kind is str else 1
    if kind is list and type(shape) is list:
        return 1 + sum(letters(each, shape[0], key) for each in content)
    if kind is list and type(shape) is tuple and len(content) == len(shape):
        return sum(letters(each, shape[k], key) for k, each in enumerate(content))
    if kind is dict and type(shape) is dict:
        while shape.keys() - {"or"} != content.keys() and "or" in shape:
            shape = shape["or"]
        one = {key: shape[key] for key in shape if key != "or"}
        for wrong in sorted(one.keys() ^ content.keys()):
            has = "no" if wrong in one else "the unknown key"
            raise Unreadable(f"it has {has} {wrong[:SHORT]!r}")
        return sum(letters(content[key], one[key], key) for key in one)
    raise Unreadable(f"in {key!r}, a {kind.__name__} is not what is expected")


class Reader:
    """Reads numbers, and counts what is left to be computed, in steps of some 0.1 µs."""

    def __init__(self, letters: int) -> None:
        self.left = STEPS + STEPS_PER_LETTER * letters

    def spend(self, times: int, bits: int = 0, others: int = 0) -> None:
        """Count so many operations on two numbers of so many bits."""
        self.left -= times + (times * bits * others >> 16)
        if self.left < 0:
            raise Unreadable("to check it would take longer than its length allows")

    def number(self, written: str) -> Fraction:
        """Read one number."""
        return Fraction(*self.pair(written))

    def pair(self, written: str) -> tuple[int, int]:
        """Read a whole number or a fraction such as "-3/4"; nothing else is one."""
        if len(written) > MOST_LETTERS:
            raise Unreadable(f"a number has more than {MOST_LETTERS:,} letters")
        if not (found := re.fullmatch(r"(-?)([0-9]+)(?:/(0*[1-9][0-9]*))?", written)):
            raise Unreadable(f"expected a number such as '3/4', got {written[:SHORT]!r}")
        self.spend(2, 4 * len(written), 4 * len(written))
        return int(found[1] + "1") * long(found[2]), long(found[3] or "1")

    def table(self, written: list[str]) -> tuple[list[int], int]:
        """Read numbers over one denominator, if that is not too long for so many."""
        known = {text: self.pair(text) for text in dict.fromkeys(written)}
        longest, unit = max(512, size(part for pair in known.values() for part in pair)), 1
        for q in {q for _, q in known.values()}:
            self.spend(1, unit.bit_length(), q.bit_length())
            grown = math.lcm(unit, q)
            self.spend(len(written), grown.bit_length() - unit.bit_length(), longest)
            unit = grown
        self.spend(len(written))
        return [p * (unit // q) for p, q in map(known.__getitem__, written)], unit


def long(digits: str) -> int:
    """Read digits by halves: Python refuses to read more than 4300 at once."""
    if (half := len(digits) // 2) < 2000:
        return int(digits)
    return long(digits[:-half]) * 10**half + long(digits[-half:])


def size(values: Iterable[int]) -> int:
    """Return how many bits the longest number has."""
    return max((value.bit_length() for value in values), default=0)


# --- what is proved ------------------------------------------------------------------------


def settings(graph: dict[str, Any], ends: list[Fraction], reader: Reader) -> "list[Setting]":
    """Return the neighbours of each vertex of a simple graph, with the ratios at both ends."""
    n, edges, parts = len(graph["vertices"]), graph["edges"], [e.as_integer_ratio() for e in ends]
    demand(0 < n == len(set(graph["vertices"])), "the vertices must have different names")
    found = [Setting([{} for _ in range(n)], q, end, "lengths" in graph, reader)
             for (_, q), end in zip(parts, ends, strict=True)]  # fmt: skip
    ratios = [[p for p, _ in parts]] * len(edges)
    if "lengths" in graph:
        ratios, unit = stretched(graph, ends, reader)
        found = [setting._replace(unit=unit) for setting in found]
    for (i, h), each in zip(edges, ratios, strict=True):
        demand(0 <= i < n and 0 <= h < n and i != h, f"edge {i}-{h} is none of the graph")
        demand(h not in found[0].near[i], f"edge {i}-{h} is there twice")
        for (near, *_), ratio in zip(found, each, strict=True):
            near[i][h] = near[h][i] = ratio
    return found


def stretched(
    graph: dict[str, Any], ends: list[Fraction], reader: Reader
) -> tuple[list[list[int]], int]:
    """Return the ratios at both ends of each edge, over one denominator, if they fit its length."""
    lengths, ratios = graph["lengths"], graph["ratios"]
    demand(len(lengths) == len(ratios) == len(graph["edges"]), "every edge must have a length")
    values, unit = reader.table([ratio for pair in ratios for ratio in pair])
    known: dict[tuple[str, ...], bool] = {}
    for pair, written in zip(lengths, ratios, strict=True):
        if (key := (*pair, *written)) not in known:
            (low, high), (below, above) = (map(reader.number, texts) for texts in (pair, written))
            demand(0 < low <= high, "a length must be above 0, the lower end first")
            demand(is_power(below, ends[0], low, DOWN), "a ratio is above that of its length")
            demand(is_power(above, ends[1], high, UP), "a ratio is below that of its length")
            reader.spend(1000)
            known[key] = True
    return [[*pair] for pair in zip(values[::2], values[1::2], strict=True)], unit


def is_power(value: Fraction, base: Fraction, exponent: Fraction, side: Context) -> bool:
    """Say whether a number from 1 is at most (DOWN) or at least (UP) a power of another."""
    p, q = exponent.as_integer_ratio()
    bits = p * size(base.as_integer_ratio()), q * size(value.as_integer_ratio())
    if max(bits) <= 4 * MOST_DIGITS:  # both to the power of q
        powers = max(value, Fraction(0)) ** q, base**p
        return powers[0] <= powers[1] if side is DOWN else powers[0] >= powers[1]
    other = UP if side is DOWN else DOWN
    log = side.multiply(side.divide(*map(Decimal, exponent.as_integer_ratio())), ln(base, side))
    return value >= 1 and (ln(value, other) <= log if side is DOWN else ln(value, other) >= log)


class Setting(NamedTuple):
    """The neighbours of each vertex, each with its ratio times ``unit``, and what reads numbers."""

    near: list[dict[int, int]]
    unit: int
    ratio: Fraction
    has_lengths: bool
    reader: Reader

    def mechanism(self, rows: list[list[str]], least: int = 1) -> tuple[list[list[int]], int]:
        """Return rows of private columns that sum to 1, or to 0 at least, and in which unit."""
        demand(len(rows) == len(self.near), "the mechanism must have a row for each vertex")
        width = len(rows[0])
        demand(all(len(row) == width for row in rows), "its rows must be equally long")
        values, unit = self.reader.table([entry for row in rows for entry in row])
        matrix = [values[i * width : (i + 1) * width] for i in range(len(rows))]
        for i, row in enumerate(matrix):
            fits = min(row, default=-1) >= 0 and least * unit <= sum(row) <= unit
            demand(fits, f"row {i} is no distribution")
        longest = size((self.unit, *(p for others in self.near for p in others.values())))
        kinds = sum(len(set(others.values())) for others in self.near)
        self.reader.spend((1 + kinds) * width, unit.bit_length(), longest)
        self.reader.spend(sum(map(len, self.near)) * width // 4, unit.bit_length(), 16)
        low = [[self.unit * entry for entry in row] for row in matrix]
        for h, others in enumerate(self.near):
            for p in set(others.values()):
                high = [p * entry for entry in matrix[h]]
                for i in (i for i, ratio in others.items() if ratio == p):
                    private = all(map(le, low[i], high))
                    demand(private, f"the mechanism tells {i} from {h} too well")
        return matrix, unit

    def bound(self, claim: dict[str, Any]) -> tuple[bool, Fraction]:
        """Return whether a price is negative, and the bound on one record: the sum of its parts."""
        held = sorted(i for part in claim["parts"] for i in part["vertices"])
        demand(held == list(range(len(self.near))), "the parts must hold every vertex once")
        total, negative = Fraction(0), False
        for part in claim["parts"]:
            vertices = part["vertices"]
            demand(bool(vertices), "a part must hold a vertex")
            if "cover" in part:
                demand(not self.has_lengths, "a cover needs edges of one length")
                more = self.cover(vertices, part["cover"])
            elif "weights" in part:
                some, more = self.weights(vertices, part["weights"])
                negative |= some
            else:
                self.reader.spend(len(vertices) ** 2)
                ones = [[int(i == j) for i in vertices] for j in vertices]
                more = self.prices(vertices, part, ones, 1)
                negative |= any(y.startswith("-") for y in part["prices"])
            self.reader.spend(1, size(total.as_integer_ratio()), size(more.as_integer_ratio()))
            total += more
        expect("bound", total, self.reader.number(claim["upper"]))
        return negative, total

    def cover(self, vertices: list[int], written: list[str]) -> Fraction:
        """Return the bound that a cover gives."""
        values, _, covered, whole = self.coverage(vertices, written)
        demand(min(covered) > 0, "a cover must reach every vertex")
        return Fraction(sum(values) * whole, min(covered))

    def weights(self, vertices: list[int], written: list[str]) -> tuple[bool, Fraction]:
        """Return whether a price is negative, and the bound that weights on a forest give."""
        self.forest(vertices)
        values, unit = self.reader.table(written)
        demand(len(values) == len(vertices), "each vertex must have a weight")
        demand(min(values) >= unit, "a weight must be at least 1")
        (p, q), at = self.ratio.as_integer_ratio(), dict(zip(vertices, values, strict=True))
        self.reader.spend(8 * len(values), size(values), 2 * size((p, q)))
        total = sum(values) * (p + q)
        prices = [w * (p * p - q * q) for w in values]
        for k, i in enumerate(vertices):
            for j in self.near[i].keys() & at.keys():
                w, other = at[i], at[j]
                if i < j:
                    total -= min((p + q) * w, (p + q) * other, q * (w + other))
                prices[k] -= min((p * p - q * q) * w, max(0, q * (p * other - q * w)))
        return p == q or min(prices) < 0, Fraction(total, (p + q) * unit)

    def steps(self, edges: list[list[int]], written: list[list[str]]) -> Fraction:
        """Return the sum of the column maxima of the mechanism that steps on a forest make."""
        self.forest(range(len(self.near)))
        values, unit = self.reader.table([a for pair in written for a in pair])
        demand(len(written) == len(edges), "each edge must have its steps")
        (p, q), left = self.ratio.as_integer_ratio(), [unit] * len(self.near)
        self.reader.spend(4 * len(values), size((unit, *values)), size((p, q)))
        for (i, h), a, b in zip(edges, values[::2], values[1::2], strict=True):
            demand(min(a, b) >= 0 and a + b <= unit, f"the steps from {i} to {h} are no chances")
            private = min(p * a + q * b, q * a + p * b) >= q * unit
            demand(private, f"the mechanism tells {i} from {h} too well")
            left[i] -= a
            left[h] -= b
        demand(min(left) >= 0, "the steps from a vertex are more than all")
        return Fraction(sum(left), unit)

    def forest(self, vertices: Iterable[int]) -> None:
        """See that the edges within a part close no cycle."""
        whole, edges = set(vertices), 0
        waiting = set(whole)
        self.reader.spend(4 * sum(len(self.near[i]) + 1 for i in whole))
        demand(not self.has_lengths, "weights and steps need edges of one length")
        while waiting:
            found = [waiting.pop()]
            for i in found:
                fresh = [h for h in self.near[i] if h in waiting]
                waiting.difference_update(fresh)
                found += fresh
                edges += len(fresh)
        joined = sum(h in whole for i in whole for h in self.near[i])
        demand(joined == 2 * edges, "a part with weights or steps must have no cycle")

    def packing(self, written: list[Any], kept: Fraction) -> list[Fraction]:
        """Return Σ a, how many components there are, and the sum of their least coverages."""
        vertices, (s, t), q = list(range(len(self.near))), kept.as_integer_ratio(), self.unit
        if self.has_lengths:
            rows, unit = self.mechanism(written, 0)
            demand(len(rows[0]) == len(rows), "a packing must have an answer for each vertex")
            values, covered, whole = [rows[i][i] for i in vertices], list(map(sum, rows)), unit
        else:
            values, unit, covered, whole = self.coverage(vertices, written)
            whole *= unit
        demand(max(covered) <= whole, "a packing must not cover a vertex more than once")
        longest = size((s, t, q, *(p for others in self.near for p in others.values())))
        self.reader.spend(2 * sum(map(len, self.near)), size((whole, s, t)), longest)
        for h, others in enumerate(self.near):
            for i, p in others.items():
                private = s * (p * covered[h] - q * covered[i]) <= t * (p - q) * whole
                demand(private, f"what is not kept tells {i} from {h} too well")
        waiting, least, count = set(vertices), 0, 0
        while waiting:
            found = [waiting.pop()]
            for i in found:
                found += (fresh := waiting & self.near[i].keys())
                waiting -= fresh
            least, count = least + min(covered[i] for i in found), count + 1
        return [Fraction(sum(values), unit), Fraction(count), Fraction(least, whole)]

    def coverage(self, vertices: list[int], written: list[str]) -> tuple[Any, int, list[int], int]:
        """Return weights, in a unit, and what they cover of each vertex in units of 1/p^D, p^D."""
        values, unit = self.reader.table(written)
        demand(len(values) == len(vertices), "each vertex must have a weight")
        demand(min(values) >= 0, "a weight must not be negative")
        weight = dict(zip(vertices, values, strict=True))
        self.reader.spend(len(vertices) ** 2, size(values), 512)
        sums = [self.by_distance(j, weight) for j in vertices]
        (p, q), farthest = self.ratio.as_integer_ratio(), max(map(len, sums)) - 1
        bits = farthest * p.bit_length()
        self.reader.spend(len(vertices) * (farthest + 1), bits, size(values) + p.bit_length())
        powers = [p**farthest]
        for _ in range(farthest):
            powers.append(powers[-1] // p * q)
        return values, unit, [sum(map(mul, row, powers)) for row in sums], powers[0]

    def by_distance(self, start: int, weight: dict[int, int]) -> list[int]:
        """Return how much weight is at distance 0, 1, 2, … within a part."""
        seen, layer, sums = {start}, {start}, []
        while layer:
            sums.append(sum(weight[i] for i in layer))
            if len(seen) == len(weight):
                break
            self.reader.spend(sum(len(self.near[i]) for i in layer))
            layer = {h for i in layer for h in self.near[i] if h in weight} - seen
            seen |= layer
        return sums

    def prices(
        self, vertices: list[int], written: dict[str, Any], targets: list[list[int]], unit: int
    ) -> Fraction:
        """Return the bound that prices give; a flow shows that they pay for each target."""
        prices, flows, n = written["prices"], written["flows"], len(vertices)
        at = {i: k for k, i in enumerate(vertices)}
        demand(len(prices) == n and len(flows) == len(targets), "prices or flows are missing")
        for i, h, _ in (arc for flow in flows for arc in flow):
            demand(i in at and h in at and h in self.near[i], f"arc {i}-{h} is none of the part")
        values, common = self.reader.table([*prices, *(arc[2] for flow in flows for arc in flow)])
        demand(min(values[n:], default=0) >= 0, "a flow must not be negative")
        bits, amounts = max(map(size, targets)) + size((*values, common)), iter(values[n:])
        longest, q = size(p for i in vertices for p in self.near[i].values()), self.unit
        self.reader.spend(4 * (n * len(flows) + len(values)), bits, max(longest, size((q, unit))))
        for k, (target, flow) in enumerate(zip(targets, flows, strict=True)):
            left = [q * (y * unit - t * common) for y, t in zip(values, target, strict=False)]
            for i, h, _ in flow:
                amount = unit * next(amounts)
                left[at[h]] -= self.near[i][h] * amount
                left[at[i]] += q * amount
            demand(min(left) >= 0, f"flow {k} proves too little")
        return Fraction(sum(values[:n]), common)


def expect(what: str, found: Fraction, claimed: Fraction) -> None:
    """Refuse another number than what was found."""
    texts = (exact(value) or f"about {rounded(value, DOWN, 9)}" for value in (found, claimed))
    demand(found == claimed, f"the {what} is {', not '.join(texts)}" if found != claimed else "")


def check_pieces(content: dict[str, Any], ends: list[Fraction], reader: Reader) -> list[Proved]:
    """Return what is attained and not exceeded by each kind of record."""
    found, counted, powers = list[Proved](), 0, [Fraction(1)] * 3
    kept, share = (reader.number(content.get(key, "1")) for key in ("kept", "share"))
    demand(0 <= kept <= 1, "what is kept must be a chance")
    for piece in content["pieces"]:
        (below, above), n = settings(piece, ends, reader), piece["records"]
        demand(n >= 1, "records must be a whole number above 0")
        if "packing" in piece:
            bases = below.packing(piece["packing"], kept)
            if share != kept:
                longest = sum(size(base.as_integer_ratio()) for base in bases)
                reader.spend(1, n * longest, n * longest)
                powers = [power * base**n for power, base in zip(powers, bases, strict=True)]
            lower = bases[0]
        else:
            if "steps" in piece:
                lower = below.steps(piece["edges"], piece["steps"])
            else:
                rows, _ = below.mechanism(piece["mechanism"])
                lower = Fraction(sum(map(max, zip(*rows, strict=True))), sum(rows[0]))
            expect("sum of the mechanism's column maxima", lower, reader.number(piece["lower"]))
        kinds = [(n - ("once" in piece), piece)]
        kinds += [(1, piece["once"])] if "once" in piece else []
        demand(kinds[0][0] >= 1, "one of several records is bounded once")
        for times, claim in kinds:
            negative, upper = above.bound(claim)
            counted += times * negative
            found.append((times, lower, upper))
    demand(bool(found), "there must be at least one piece")
    demand(counted <= 1, "only one record may have a negative price")
    if share != kept:
        whole, parts, least = powers
        expect("share", kept + (parts - kept * least) / whole, share)
    return [*([(1, share, Fraction(1))] if "share" in content else []), *found]


def check_best(claim: dict[str, Any], ends: list[Fraction], reader: Reader) -> Proved:
    """Return what a mechanism earns and what none exceeds."""
    below, above = settings(claim, ends, reader)
    n, guesses, outputs = len(claim["vertices"]), claim["guesses"], claim["outputs"]
    demand(0 < len(guesses) == len(set(guesses)), "the guesses must have different names")
    chances, unit = reader.table(claim["prior"])
    demand(sum(chances) == unit and min(chances) >= 0, "the prior must sum to 1")
    demand(len(claim["gain"]) == len(guesses), "each guess must earn something")
    fits = all(len(row) == n for row in (chances, *claim["gain"]))
    demand(fits, "prior and gain must have a number for each vertex")
    values, common = reader.table([g for row in claim["gain"] for g in row])
    reader.spend(len(values), size(values), unit.bit_length())
    earned = [list(map(mul, chances, values[w * n : (w + 1) * n])) for w in range(len(guesses))]
    columns = list(zip(*below.mechanism(claim["mechanism"])[0], strict=True))
    whole = sum(column[0] for column in columns)
    demand(len(outputs) == len(columns), "each output must be a guess")
    demand(all(0 <= w < len(guesses) for w in outputs), "each output must be one of the guesses")
    reader.spend(n * len(outputs), max(map(size, earned)), whole.bit_length())
    sums = (sum(map(mul, earned[w], c)) for w, c in zip(outputs, columns, strict=True))
    utility = Fraction(sum(sums), unit * common * whole)
    expect("utility", utility, reader.number(claim["utility"]))
    upper = above.prices(list(range(n)), claim, earned, unit * common)
    expect("sum of the prices", upper, reader.number(claim["upper"]))
    return 1, utility, upper


def check_curve(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return what a mechanism that keeps some pairs earns, and what none exceeds."""
    n, guesses = len(claim["vertices"]), claim["guesses"]
    demand(0 < n == len(set(claim["vertices"])), "the vertices must have different names")
    demand(0 < len(guesses) == len(set(guesses)), "the guesses must have different names")
    arcs = {(i, h) for edge in claim["edges"] for i, h in (edge, edge[::-1])}
    demand(all(0 <= i < n and i != h for i, h in arcs), "an edge is none of the graph")
    chances = [reader.number(text) for text in claim["prior"]]
    demand(sum(chances) == 1 and min(chances) >= 0, "the prior must sum to 1")
    demand(len(claim["gain"]) == len(guesses), "each guess must earn something")
    fits = all(len(row) == n for row in (chances, *claim["gain"]))
    demand(fits, "prior and gain must have a number for each vertex")
    gain = [[reader.number(text) for text in row] for row in claim["gain"]]
    below, above = (pairs_of(claim[key], reader) for key in ("lower pairs", "upper pairs"))
    lower = kept_pairs(claim["mechanism"], len(guesses), n, arcs, below, reader)
    reader.spend(n * len(guesses), 512, 512)
    worth = [[p * g[i] for g in gain] for i, p in enumerate(chances)]
    earned = sum(sum(map(mul, *rows)) for rows in zip(worth, lower, strict=True))
    if "weights" in claim:
        single = all(g[i] == (w == i) for w, g in enumerate(gain) for i in range(n))
        everywhere = len(arcs) == n * (n - 1) and len(guesses) == n and single
        demand(everywhere, "weights bound a right guess where all are neighbours")
        bound = weighted(chances, claim["weights"], above, reader)
    else:
        bound = multiplied(worth, claim["multipliers"], above, arcs, reader)
    ends = [reader.number(claim[key]) for key in ("lower", "upper")]
    demand(ends[0] <= earned, "the mechanism earns less than is claimed")
    demand(bound <= ends[1], "more than is claimed is not excluded")
    return 1, ends[0], ends[1]


def pairs_of(written: list[list[str]], reader: Reader) -> list[tuple[Fraction, Fraction]]:
    """Return pairs (λ, δ)."""
    found = [(reader.number(ratio), reader.number(delta)) for ratio, delta in written]
    demand(all(r >= 1 and 0 <= d <= 1 for r, d in found), "a pair needs λ ≥ 1 and a chance δ")
    return found


def kept_pairs(
    rows: list[list[str]],
    width: int,
    n: int,
    arcs: set[tuple[int, int]],
    pairs: list[tuple[Fraction, Fraction]],
    reader: Reader,
) -> list[list[Fraction]]:
    """Return the rows of a mechanism that keeps all pairs."""
    demand(len(rows) == n, "the mechanism must have a row for each vertex")
    demand(all(len(row) == width for row in rows), "it must have an output for each guess")
    values, unit = reader.table([entry for row in rows for entry in row])
    matrix = [values[i * width : (i + 1) * width] for i in range(n)]
    for i, row in enumerate(matrix):
        demand(min(row) >= 0 and sum(row) == unit, f"row {i} is no distribution")
    for ratio, delta in pairs:
        (p, q), (a, b) = ratio.as_integer_ratio(), delta.as_integer_ratio()
        reader.spend(len(arcs) * width, unit.bit_length(), size((p, q)))
        for i, h in arcs:
            over = sum(max(q * x - p * y, 0) for x, y in zip(matrix[i], matrix[h], strict=True))
            demand(over * b <= a * q * unit, f"the mechanism tells {i} from {h} too well")
    return [[Fraction(x, unit) for x in row] for row in matrix]


def multiplied(
    worth: list[list[Fraction]],
    written: list[tuple[int, int, int, list[str]]],
    pairs: list[tuple[Fraction, Fraction]],
    arcs: set[tuple[int, int]],
    reader: Reader,
) -> Fraction:
    """Return the bound of some multipliers."""
    left, bound = [list(row) for row in worth], Fraction(0)
    for i, h, k, numbers in written:
        demand((i, h) in arcs and 0 <= k < len(pairs), "a multiplier has no edge, or no pair")
        demand(len(numbers) == len(worth[0]), "a multiplier is missing")
        c, (ratio, delta) = [reader.number(text) for text in numbers], pairs[k]
        demand(min(c) >= 0, "a multiplier must not be negative")
        reader.spend(8 * len(c), 512, size(ratio.as_integer_ratio()) + 64)
        bound += delta * max(c)
        for z, each in enumerate(c):
            if each:
                left[i][z] -= each
                left[h][z] += ratio * each
    return bound + sum(map(max, left))


def weighted(
    prior: list[Fraction],
    written: list[str],
    pairs: list[tuple[Fraction, Fraction]],
    reader: Reader,
) -> Fraction:
    """Return the bound of some weights."""
    w = [reader.number(text) for text in written]
    demand(len(w) == len(prior), "each vertex must have a weight")
    fits = all(0 <= one <= chance for one, chance in zip(w, prior, strict=True))
    demand(fits, "a weight must be from 0 to the prior")
    reader.spend(len(w) * (len(pairs) + 8) * 16, 512, 512)
    whole, corners = sum(w, Fraction(0)), envelope(pairs)
    known: dict[tuple[Fraction, Fraction], Fraction] = {}
    for one, chance in zip(w, prior, strict=True):
        if (one, chance) not in known:
            sums = ((chance - one) * p - (whole - one) * a for a, p in corners)
            known[one, chance] = max(sums)
    return whole + sum(known[pair] for pair in zip(w, prior, strict=True))


def envelope(pairs: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Return the corners on [0, 1] of the least of all lines of some pairs, and of 1."""
    lines = [(Fraction(0), Fraction(1))]
    for ratio, delta in pairs:
        lines += [(ratio, delta), (1 / ratio, 1 - (1 - delta) / ratio)]
    kept: list[tuple[Fraction, Fraction]] = []
    for slope, height in sorted(lines, key=lambda line: (-line[0], line[1])):
        if kept and kept[-1][0] == slope:
            continue
        while kept and height <= kept[-1][1]:
            kept.pop()
        while len(kept) > 1 and crossing((slope, height), kept[-1]) <= crossing(kept[-1], kept[-2]):
            kept.pop()
        kept.append((slope, height))
    places = [Fraction(0), Fraction(1)]
    places += [crossing(*both) for both in pairwise(kept)]
    return [(a, min(d + s * a for s, d in kept)) for a in places if a <= 1]


def crossing(one: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]) -> Fraction:
    """Return where two lines meet."""
    return (other[1] - one[1]) / (one[0] - other[0])


def check(content: Any) -> list[Proved]:
    """Return (records, lower, upper), whose powers multiply, or raise Refuted or Unreadable.

    Of a mechanism it is what it earns, and what none exceeds.
    """
    kind = content.get("format") if type(content) is dict else None
    if type(kind) is not str or kind not in FORMATS:
        raise Unreadable(f"its format must be one of {', '.join(map(repr, FORMATS))}")
    reader = Reader(letters(content, FORMATS[kind], "it"))
    if kind == CURVE:
        return [check_curve(content, reader)]
    ends = ratios(content)
    demand(1 <= ends[0] <= ends[1], "the ratios must be at least 1, the lower one first")
    if kind == MECHANISM:
        return [check_best(content, ends, reader)]
    return check_pieces(content, ends, reader)


def ratios(content: dict[str, Any]) -> list[Fraction]:
    """Return the ratio of the mechanism and that of the bound."""
    reader = Reader(MOST_LETTERS)
    return [reader.number(content[key]) for key in ("lower ratio", "upper ratio")]


# --- what is said --------------------------------------------------------------------------


def digest(asked: dict[str, Any]) -> str:
    """Return the digest of what a certificate, or those of its keys that say so, ask."""
    return hashlib.sha256(question(asked).encode("ascii")).hexdigest()


def question(asked: dict[str, Any]) -> str:
    """Return what is asked as one text."""
    graphs: Counter[str] = Counter()
    for piece in asked.get("pieces", [asked]):
        names = piece["vertices"]
        pairs = (sorted((names[i], names[h])) for i, h in piece["edges"])
        lengths = (
            [*map(lowest, pair)] for pair in piece.get("lengths", [()] * len(piece["edges"]))
        )
        edges = sorted(pair + ends for pair, ends in zip(pairs, lengths, strict=True))
        graphs[json.dumps([sorted(names), edges])] += piece.get("records", 1)
    found: dict[str, Any] = {"graphs": [[*json.loads(g), graphs[g]] for g in sorted(graphs)]}
    if "prior" in asked:
        rows = [map(lowest, row) for row in (asked["prior"], *asked["gain"])]
        prior, *gain = (dict(zip(asked["vertices"], row, strict=True)) for row in rows)
        found |= {"prior": prior, "gain": dict(zip(asked["guesses"], gain, strict=True))}
    return json.dumps(found, sort_keys=True, separators=(",", ":"))


def lowest(written: str) -> str:
    """Return a number in lowest terms."""
    parts = Reader(MOST_LETTERS).number(written).as_integer_ratio()
    return "/".join(f"{Decimal(part):f}" for part in parts).removesuffix("/1")


def told(content: dict[str, Any], proved: list[Proved]) -> list[str]:
    """Say what is proved, at which ratio and of what, in lines: the reader must compare it."""
    best, asked = content["format"] in (MECHANISM, CURVE), question(content)
    (_, lower, upper), pieces = proved[0], content.get("pieces", [])
    records = sum(piece["records"] for piece in pieces)
    what = f"the worst case of {f'{records:,} records' if records > 1 else 'one secret'}"
    if best:
        near = f"a mechanism within {rounded(upper - lower, UP, 2)} of the best"
        what = "the best mechanism" if lower == upper else near
    at = pairs_told(content) if content["format"] == CURVE else ratio_of(*ratios(content))
    lines = [f"accepted: {what}, at {at}"]
    for graph in content.get("pieces", [content]):
        times = f"{graph['records']:,} × " if graph.get("records", 1) > 1 else ""
        how = " with lengths, λ for a length of 1" if "lengths" in graph else ""
        lines += [f"for {times}{len(graph['vertices'])} vertices, {len(graph['edges'])} edges{how}"]
    if len(asked) <= FEW:
        whole = f"what is asked: {asked}"
        lines += [whole[k : k + WIDTH] for k in range(0, len(whole), WIDTH)]
    return [
        *lines,
        f"its digest: {digest(content)}",
        f"{'earned on average' if best else 'attained'}: {amount_of(best, proved, DOWN)}",
        f"not exceeded: {amount_of(best, proved, UP)}",
    ]


def pairs_told(content: dict[str, Any]) -> str:
    """Return the pairs that the mechanism keeps, and those for which the bound holds."""
    reader, texts = Reader(MOST_LETTERS * len(content["upper pairs"])), []
    for key, side in (("lower pairs", DOWN), ("upper pairs", UP)):
        pairs = [[reader.number(text) for text in pair] for pair in content[key][:3]]
        said = [f"({rounded(r, side, 6)}, {rounded(d, side, 6)})" for r, d in pairs]
        more = ["…"] * (len(content[key]) > 3)
        texts.append(f"{key} (λ, δ) {', '.join(said + more)}")
    return "; ".join(texts)


def ratio_of(below: Fraction, above: Fraction) -> str:
    """Return λ and ε, or what encloses them."""
    ratio = f"a ratio from {rounded(below, DOWN, 6)} to {rounded(above, UP, 6)}"
    if below == above and exact(above):
        ratio = f"the ratio {above}"
    low, high = ln(below, UP), ln(above, DOWN)
    for digits in range(1, 16):
        if low <= (epsilon := Context(digits).plus(low)) <= high:
            return f"{ratio} (ε = {rounded(epsilon, UP, digits)})"
    ends = rounded(ln(below, DOWN), DOWN, 6), rounded(ln(above, UP), UP, 6)
    return f"{ratio} (ε from {ends[0]} to {ends[1]})"


def amount_of(best: bool, proved: list[Proved], side: Context) -> str:
    """Return what is earned or leaked, rounded to the safe side unless it is short."""
    how, powers, bits = "at most" if side is UP else "at least", Counter[Fraction](), Decimal(0)
    for n, lower, upper in proved:
        powers[upper if side is UP else lower] += n
    for value, n in powers.items():
        if best:
            return exact(value) or f"{how} {rounded(value, side, 9)}"
        bits = side.fma(log2(value, side), n, bits)
    texts = (f"({exact(v)})^{n}" if n > 1 else exact(v) for v, n in powers.items() if v != 1)
    factors = " · ".join(texts) or "1"
    short = all(map(exact, powers)) and len(factors) <= SHORT
    number = rounded(bits, side, 6)
    unit = "bit" if number == "1" else "bits"
    return f"{how} {number} {unit}{f', a factor of {factors}' if short else ''}"


def log2(value: Fraction, side: Context) -> Decimal:
    """Return the logarithm of a number, rounded to a side unless it is whole."""
    if value < 1:
        return -log2(1 / value, DOWN if side is UP else UP)
    if value == 1 << (exponent := value.numerator.bit_length() - 1):
        return Decimal(exponent)
    return side.divide(ln(value, side), ln(Fraction(2), DOWN if side is UP else UP))


def ln(value: Fraction, side: Context) -> Decimal:
    """Return ln of a number of at least 1, rounded to a side: x − x²/2 ≤ ln(1 + x) ≤ x."""
    if (x := value - 1) < Fraction(1, 10**20):
        bound = x if side is UP else x - x * x / 2
        return side.divide(*map(Decimal, bound.as_integer_ratio()))
    near = side.ln(side.divide(*map(Decimal, value.as_integer_ratio())))
    return side.next_plus(near) if side is UP else side.next_minus(near)  # ln is to the nearest


def exact(value: Fraction) -> str:
    """Return a number as it is, and nothing if it is long."""
    text = str(value) if size(value.as_integer_ratio()) < 4 * SHORT else ""
    return text if len(text) <= SHORT else ""


def rounded(value: Fraction | Decimal, side: Context, digits: int) -> str:
    """Return a number with few digits, rounded to a side, as people write it."""
    context = Context(digits, side.rounding, MIN_EMIN, MAX_EMAX)
    bare = context.divide(*map(Decimal, value.as_integer_ratio())).normalize(context)
    return f"{bare:,f}" if -5 <= bare.adjusted() <= 12 else f"{bare:e}"


def main(arguments: list[str]) -> int:
    """Check a file and say what is proved; return the exit code."""
    if len(arguments) != 1:
        print("usage: python check.py CERTIFICATE.json")
        return 2
    try:
        content = loaded(arguments[0])
        print("\n".join(told(content, check(content))))
    except Refuted as wrong:
        print(f"refuted: {wrong}")
        return 1
    except (Unreadable, OSError) as wrong:
        print(complaint(arguments[0], wrong))
        return 2
    return 0


def complaint(path: object, wrong: Exception) -> str:
    """Say in words why a file is no certificate."""
    if isinstance(wrong, OSError):
        missing = isinstance(wrong, FileNotFoundError)
        return f"there is no file {path}" if missing else f"{path} cannot be read: {wrong.strerror}"
    return f"{path} is no certificate: {wrong}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
