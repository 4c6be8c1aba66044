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

Where *each edge* has its own pairs, multipliers prove the same with those of their arcs. On a
forest *weights* w of at least the prior do: with a_ij the chance under i of a guess beyond j,
K_ii = 1 − Σ_j a_ij, so a right guess earns at most Σ w_i·K_ii = Σ w − Σ (w_i·a_ij + w_j·a_ji) over
the edges, and as 1 − a_ji ≤ g(a_ij), an edge takes no less than at a corner of g.

If each vertex is bounded against one who is *absent* only, and in this order, there are *lines* in
place of pairs: K(S|i) ≤ λ·K(S|absent) + δ for any λ, δ ≥ 0, and multipliers of these arcs alone.
How often who is *present* has one of k values that are guessed needs no mechanism: if a_x is how
often x is among them for who is absent, Σ a ≤ k, and x is right with at most g(a_x), g the least of
the lines and 1. It is so often: q shows sets with these chances, and the row of x is q, with those
sets that hold x made g(a_x)/a_x times as likely: two ratios, so that it is as telling as a coin.
So Σ π_x·g(a_x) is attained, with what is left of one try for being absent; and for a *price* ν of
at least the chance of that, k·ν + Σ_x max_a (π_x·g(a) − ν·a) is not exceeded. Under divergences the
*powers* of the coins are written in place of g(a_x), and pairs with tangents in place of lines.

A certificate of *divergences* claims it of mechanisms with D_α(K_i ‖ K_h) ≤ γ(α) for neighbours in
both orders and some orders α > 1, or ρ·α for all. Logarithms are decimals rounded to both sides.
That the mechanism keeps ρ·α is decided on intervals of orders: log Σ P^α·Q^(1−α) is convex, so
below its chords, and ρ·α·(α − 1) above its tangents; beyond the largest loss over ρ, nothing is
left. What is above has one of two proofs:

- *tangents* α, s > t > 0 for each pair. An event is a pair of coins (a, p) whose divergence is no
  larger, and y^α·x^(1−α) ≥ α·s^(α−1)·y − (α − 1)·s^α·x for all s > 0. So with C = e^((α−1)·γ),
  α·s^(α−1)·p − (α − 1)·s^α·a + α·t^(α−1)·(1 − p) − (α − 1)·t^α·(1 − a) ≤ C: p ≤ λ·a + δ with
  λ = (α − 1)(s^α − t^α)/r, δ = (C − α·t^(α−1) + (α − 1)·t^α)/r and r = α·(s^(α−1) − t^(α−1)); for
  α = 1 in the limit λ = (s − t)/r, δ = (γ − 1 − ln t + t)/r, r = ln s − ln t. Pairs prove as above.
- an *order*, if all vertices are neighbours and equally likely. Renaming the vertices at random
  makes a mechanism that is as often right, treats all alike, and keeps the divergences, as do its
  mixtures with guessing blindly: so if it were right more often than ``upper``, randomised response
  that is right so often would keep them; at this order it does not.

A certificate of *tries* claims how often one of v equally likely values, all neighbours, is among k
that are guessed. By the same argument a mechanism shows sets of k values, all with the true one
equally likely. Sets with x and not x′ have the chances p·(v − k)/(v − 1) and (1 − p)·k/(v − 1), and
no event is more telling: it keeps pairs if these do, and p ≤ (λ·k + (v − 1)·δ)/(λ·k + v − k), or 1.

A certificate of *all records* claims how often all of several independent records are guessed,
where neighbours differ in one.

- One pair: δ + (1 − δ)·Π U, U = max_k λ·Π_k/(λ + k − 1) with Π_k the k largest chances of a record.
  Publish all with the chance δ, or answer each on its k likeliest values. Not more: for the last
  record there are u, c ≥ 0 with Σ u = U, λ·c_yx ≤ u_x and u_y + Σ_{x≠y} c_yx = π_y. So with z the
  others, Σ_y π_y·K(y, z|y, z) ≤ Σ_x u_x·K(z is guessed|x, z) + δ·(1 − U), which sums up to
  W_n ≤ U·W_{n−1} + δ·(1 − U).
- Equal records of v equally likely values: by symmetry the chance k_w of an answer depends on how
  many records w are wrong in it. Two neighbours have C(n−1, w)·(v − 1)^w answers with w wrong for
  the one and w + 1 for the other, and as many the other way round: so pairs are checked, or bounded
  by *multipliers* c ≥ 0 for each pair and step, k_0 ≤ Σ δ·max c + max_w (what is left of k_w)/(how
  many answers have w). The *distances* are k_0, k_1, ….
- The same, *chained*: if the first n − 1 are right with at most r, all are with
  p ≤ g((r − p)/(v − 1)), so that p ≤ (δ·(v − 1) + λ·r)/(v − 1 + λ) for every pair.
- Under divergences, pairs have tangents, and the mechanism is private at a λ whose coin keeps them:
  two rows that are private at λ are made of the two sides of that coin.

Of a *metric*, each edge has a length between two rationals, and two ratios: the first is at most
λ^length for the lower λ and length, the second at least that for the upper ones. They take the
place of λ above. The bounds of parts are then proved by prices, and a packing has rows: private
columns P_ij in place of a_j·λ^(−d(i,j)), R_i = Σ_j P_ij ≤ 1, and P_jj in place of a_j. As the
largest entry of a column is at least K(z|z), no less is attained than what is said above.

What is asked, but for the ratio, has a *digest*: the SHA-256 of the JSON text
{"graphs":[[vertices,edges,records],…]}, for a mechanism with "gain":{guess:{vertex:number}} and
"prior":{vertex:number}; without a graph {"tries":k,"values":v}, {"present":[chances],"tries":k} or
{"records":[[[chances],records],…]}. The text is ASCII without spaces; keys, vertices, edges (as
pairs of vertices, and the ends of the length if there is one), chances and graphs are sorted,
fractions in lowest terms, the records of equal graphs added up.
"""

import hashlib
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
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
GUESSED: dict[str, Any] = {key: PAIRS[key] for key in PAIRS if not key.endswith("pairs")}
BY_EDGE = GUESSED | {"lower pairs": [[(str, str)]], "upper pairs": [[(str, str)]]}
ONE_WAY = GUESSED | {"absent": int, "lower lines": [(str, str)], "upper lines": [(str, str)]}
MULTIPLIERS: dict[str, Any] = {"multipliers": [(int, int, int, [str])]}
TANGENTS = {"upper pairs": [(str, str)], "tangents": [(str, str, str)]}
ORDERS: tuple[dict[str, Any], ...] = ({"rho": str}, {"bounds": [(str, str)]})
DIVERGING = [
    GUESSED | orders | proof
    for orders in ORDERS
    for proof in (
        {"order": str},
        *(TANGENTS | more for more in ({"weights": [str]}, {"forest": [str]}, MULTIPLIERS)),
    )
]
TRIED: dict[str, Any] = {"format": str, "values": int, "tries": int, "lower": str, "upper": str}
BOTH: dict[str, Any] = {"lower pairs": [(str, str)], "upper pairs": [(str, str)]}
PRESENT: dict[str, Any] = {"format": str, "prior": [str], "tries": int, "lower": str, "upper": str}
PRESENT |= {"places": [str], "price": str}
LINES: dict[str, Any] = {"lower lines": [(str, str)], "upper lines": [(str, str)]}
EVERYBODY = [
    {"format": str, "kinds": [{"prior": [str], "records": int}], "lower": str, "upper": str}
    | below | above
    for below in (
        BOTH | {"within": (str, str)},
        BOTH | {"distances": [str]},
        *(TANGENTS | orders | {"within": (str, str)} for orders in ORDERS),
    )
    for above in ({"pair": int}, {"chain": [str]}, {"multipliers": [(int, int, int, str)]})
]  # fmt: skip
RATIOS = {"format": str, "lower ratio": str, "upper ratio": str}
TOGETHER = RATIOS | {"kept": str, "share": str}
WORST_CASE, RECORDS = "leaktight worst case 1", "leaktight records 1"
MECHANISM, CURVE = "leaktight mechanism 1", "leaktight curve 1"
EDGES, ABSENT = "leaktight curves of edges 1", "leaktight absent 1"
DIVERGENCE, TRIES = "leaktight divergences 1", "leaktight tries 1"
PRESENCE, EVERYONE = "leaktight presence 1", "leaktight all records 1"
FORMATS: dict[str, Any] = {
    WORST_CASE: RATIOS
    | {"pieces": [either(PIECE, PIECE | ONCE, FAR, FAR | ONCE, STEPPED, STEPPED | ONCE)]},
    RECORDS: TOGETHER | {"pieces": [either(PACKED, PACKED | ONCE, SPREAD, SPREAD | ONCE)]},
    MECHANISM: either(RATIOS | BEST, RATIOS | BEST | LENGTHS),
    CURVE: either(PAIRS | {"weights": [str]}, PAIRS | MULTIPLIERS),
    EDGES: either(BY_EDGE | {"forest": [str]}, BY_EDGE | MULTIPLIERS),
    ABSENT: ONE_WAY | MULTIPLIERS,
    DIVERGENCE: either(*DIVERGING),
    TRIES: either(TRIED | BOTH, *(TRIED | orders | {"order": str} for orders in ORDERS)),
    PRESENCE: either(
        PRESENT | LINES,
        *(PRESENT | TANGENTS | orders | {"powers": [str]} for orders in ORDERS),
    ),
    EVERYONE: either(*EVERYBODY),
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
        demand(sum(values) > 0, "a packing must answer something")
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
    demand(0 <= kept <= 1 and share > 0, "what is kept must be a chance, and the share above 0")
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


Pairs: TypeAlias = list[tuple[Fraction, Fraction]]
Arcs: TypeAlias = dict[tuple[int, int], Pairs]


class Guessed:
    """What is asked of one secret: who are neighbours, the prior, and what a guess earns."""

    def __init__(self, claim: dict[str, Any], reader: Reader) -> None:
        n, guesses = len(claim["vertices"]), claim["guesses"]
        demand(0 < n == len(set(claim["vertices"])), "the vertices must have different names")
        demand(0 < len(guesses) == len(set(guesses)), "the guesses must have different names")
        self.edges = [(i, h) for i, h in claim["edges"]]
        self.arcs = {(i, h) for edge in self.edges for i, h in (edge, edge[::-1])}
        demand(all(0 <= i < n and i != h for i, h in self.arcs), "an edge is none of the graph")
        demand(2 * len(self.edges) == len(self.arcs), "an edge is there twice")
        self.prior = [reader.number(text) for text in claim["prior"]]
        demand(sum(self.prior) == 1 and min(self.prior) >= 0, "the prior must sum to 1")
        demand(len(claim["gain"]) == len(guesses), "each guess must earn something")
        fits = all(len(row) == n for row in (self.prior, *claim["gain"]))
        demand(fits, "prior and gain must have a number for each vertex")
        gain = [[reader.number(text) for text in row] for row in claim["gain"]]
        reader.spend(n * len(guesses), 512, 512)
        self.worth = [[p * g[i] for g in gain] for i, p in enumerate(self.prior)]
        right = all(g[i] == (w == i) for w, g in enumerate(gain) for i in range(n))
        self.is_right = right and len(guesses) == n
        self.is_complete = len(self.arcs) == n * (n - 1)

    def rows(self, written: list[list[str]], reader: Reader) -> tuple[list[list[int]], int]:
        """Return the rows of a mechanism with an output for each guess, and in which unit."""
        width = len(self.worth[0])
        demand(len(written) == len(self.prior), "the mechanism must have a row for each vertex")
        demand(all(len(row) == width for row in written), "it must have an output for each guess")
        values, unit = reader.table([entry for row in written for entry in row])
        matrix = [values[i * width : (i + 1) * width] for i in range(len(written))]
        for i, row in enumerate(matrix):
            demand(min(row) >= 0 and sum(row) == unit, f"row {i} is no distribution")
        return matrix, unit

    def earned(self, rows: list[list[int]], unit: int) -> Fraction:
        """Return what a mechanism earns on average."""
        sums = (sum(map(mul, *both)) for both in zip(self.worth, rows, strict=True))
        return sum(sums, Fraction(0)) / unit


def ends_of(claim: dict[str, Any], earned: Fraction, bound: Fraction) -> Proved:
    """Return the ends that are claimed, if no more is earned or excluded."""
    reader = Reader(MOST_LETTERS)
    lower, upper = (reader.number(claim[key]) for key in ("lower", "upper"))
    demand(lower <= earned, "the mechanism earns less than is claimed")
    demand(bound <= upper, "more than is claimed is not excluded")
    return 1, lower, upper


def check_curve(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return what a mechanism that keeps some pairs earns, and what none exceeds."""
    asked = Guessed(claim, reader)
    below, above = (pairs_of(claim[key], reader) for key in ("lower pairs", "upper pairs"))
    rows, unit = asked.rows(claim["mechanism"], reader)
    kept_pairs(rows, unit, dict.fromkeys(asked.arcs, below), reader)
    if "weights" in claim:
        bound = weighted(asked, claim["weights"], above, reader)
    else:
        arcs = dict.fromkeys(asked.arcs, above)
        bound = multiplied(asked.worth, claim["multipliers"], arcs, reader)
    return ends_of(claim, asked.earned(rows, unit), bound)


def check_edges(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return the same where each edge has its own pairs."""
    asked, sides = Guessed(claim, reader), list[Arcs]()
    for key in ("lower pairs", "upper pairs"):
        demand(len(claim[key]) == len(asked.edges), "every edge must have its pairs")
        pairs = [pairs_of(written, reader) for written in claim[key]]
        sides.append({arc: each for (i, h), each in zip(asked.edges, pairs, strict=True)
                      for arc in ((i, h), (h, i))})  # fmt: skip
    rows, unit = asked.rows(claim["mechanism"], reader)
    kept_pairs(rows, unit, sides[0], reader)
    if "forest" in claim:
        bound = along_edges(asked, claim["forest"], sides[1], reader)
    else:
        bound = multiplied(asked.worth, claim["multipliers"], sides[1], reader)
    return ends_of(claim, asked.earned(rows, unit), bound)


def along_edges(asked: Guessed, written: list[str], arcs: Arcs, reader: Reader) -> Fraction:
    """Return the bound of weights of at least the prior, on a forest."""
    w, n = [reader.number(text) for text in written], len(asked.prior)
    demand(asked.is_right, "weights bound a right guess")
    demand(len(w) == n, "each vertex must have a weight")
    fits = all(one >= chance for one, chance in zip(w, asked.prior, strict=True))
    demand(fits, "a weight must be at least the prior")
    near: list[dict[int, int]] = [{} for _ in range(n)]
    for i, h in asked.arcs:
        near[i][h] = 1
    Setting(near, 1, Fraction(1), False, reader).forest(range(n))
    bound = sum(w, Fraction(0))
    for i, h in asked.edges:
        reader.spend(32 * len(arcs[i, h]), 512, 512)
        bound -= min(w[i] * a + w[h] * (1 - p) for a, p in envelope(arcs[i, h]))
    return bound


def check_absent(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return the same where each vertex is bounded against one who is absent, and in one order."""
    asked, centre, sides = Guessed(claim, reader), claim["absent"], list[Arcs]()
    n = len(asked.prior)
    demand(0 <= centre < n, "who is absent must be a vertex")
    arcs = [(i, centre) for i in range(n) if i != centre]
    star = asked.arcs == {arc for i, h in arcs for arc in ((i, h), (h, i))}
    demand(star, "who is absent must be joined to all others, and these to nobody else")
    for key in ("lower lines", "upper lines"):
        sides.append(dict.fromkeys(arcs, lines_of(claim[key], reader)))
    rows, unit = asked.rows(claim["mechanism"], reader)
    kept_pairs(rows, unit, sides[0], reader)
    bound = multiplied(asked.worth, claim["multipliers"], sides[1], reader)
    return ends_of(claim, asked.earned(rows, unit), bound)


def pairs_of(written: list[list[str]], reader: Reader) -> Pairs:
    """Return pairs (λ, δ)."""
    found = [(reader.number(ratio), reader.number(delta)) for ratio, delta in written]
    demand(all(r >= 1 and 0 <= d <= 1 for r, d in found), "a pair needs λ ≥ 1 and a chance δ")
    return found


def lines_of(written: list[list[str]], reader: Reader) -> Pairs:
    """Return lines (slope, height) that bound one order of neighbours."""
    lines = pairs_read(written, reader)
    demand(all(r >= 0 and d >= 0 for r, d in lines), "a line must not fall or be negative")
    return lines


def kept_pairs(rows: list[list[int]], unit: int, arcs: Arcs, reader: Reader) -> None:
    """See that the rows of a mechanism keep all pairs of each arc."""
    for (i, h), pairs in arcs.items():
        for ratio, delta in pairs:
            (p, q), (a, b) = ratio.as_integer_ratio(), delta.as_integer_ratio()
            reader.spend(len(rows[i]), unit.bit_length(), size((p, q)))
            over = sum(max(q * x - p * y, 0) for x, y in zip(rows[i], rows[h], strict=True))
            demand(over * b <= a * q * unit, f"the mechanism tells {i} from {h} too well")


def multiplied(
    worth: list[list[Fraction]],
    written: list[tuple[int, int, int, list[str]]],
    arcs: Arcs,
    reader: Reader,
) -> Fraction:
    """Return the bound of some multipliers."""
    left, bound = [list(row) for row in worth], Fraction(0)
    for i, h, k, numbers in written:
        fits = (i, h) in arcs and 0 <= k < len(arcs[i, h])
        demand(fits, "a multiplier has no edge, or no pair")
        demand(len(numbers) == len(worth[0]), "a multiplier is missing")
        c, (ratio, delta) = [reader.number(text) for text in numbers], arcs[i, h][k]
        demand(min(c) >= 0, "a multiplier must not be negative")
        reader.spend(8 * len(c), 512, size(ratio.as_integer_ratio()) + 64)
        bound += delta * max(c)
        for z, each in enumerate(c):
            if each:
                left[i][z] -= each
                left[h][z] += ratio * each
    return bound + sum(map(max, left))


def weighted(asked: Guessed, written: list[str], pairs: Pairs, reader: Reader) -> Fraction:
    """Return the bound of some weights."""
    everywhere = asked.is_complete and asked.is_right
    demand(everywhere, "weights bound a right guess where all are neighbours")
    w, prior = [reader.number(text) for text in written], asked.prior
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


def envelope(pairs: Pairs) -> Pairs:
    """Return the corners on [0, 1] of the least of all lines of some pairs, and of 1."""
    ahead = [(1 / ratio, 1 - (1 - delta) / ratio) for ratio, delta in pairs]
    return corners(pairs + ahead)


def corners(lines: Pairs) -> Pairs:
    """Return the corners on [0, 1] of the least of all lines (slope, height), and of 1."""
    kept: Pairs = []
    for slope, height in sorted(
        [(Fraction(0), Fraction(1)), *lines], key=lambda line: (-line[0], line[1])
    ):
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


# --- divergences -----------------------------------------------------------------------------


class Divergences:
    """A promise D_α ≤ γ(α) in both orders of neighbours: ρ·α for all α ≥ 1, or some α > 1."""

    def __init__(self, claim: dict[str, Any], reader: Reader) -> None:
        self.reader = reader
        self.rho = reader.number(claim["rho"]) if "rho" in claim else None
        self.bounds = dict(pairs_read(claim.get("bounds", []), reader))
        demand(len(self.bounds) == len(claim.get("bounds", [])), "an order is there twice")
        demand(self.rho is None or self.rho > 0, "ρ must be above 0")
        demand(all(a > 1 and g >= 0 for a, g in self.bounds.items()), "an order must be above 1")
        demand(self.rho is not None or bool(self.bounds), "a divergence must be bounded")

    def bound(self, order: Fraction) -> Fraction:
        """Return γ at an order of the promise."""
        if self.rho is not None:
            demand(order >= 1, "an order must be at least 1")
            return self.rho * order
        demand(order in self.bounds, "the promise has no such order")
        return self.bounds[order]

    def power(self, sums: "Moments", order: Fraction, side: Context) -> Fraction:
        """Return log Σ P^α·Q^(1−α), rounded to a side."""
        self.reader.spend(500 * (len(sums) + 1))
        logs = [(n, Fraction(p[side is UP]), Fraction(q[side is DOWN])) for p, q, n in sums]
        total = Decimal(0)
        for n, p, q in logs:
            total = side.fma(exp_of(order * p + (1 - order) * q, side), n, total)
        return Fraction(log_of(Fraction(total), side))

    def kept(self, sums: "Moments") -> bool:
        """Say whether all divergences of two distributions are proved to be within the bounds."""
        if self.rho is None:
            return all(self.power(sums, a, UP) <= (a - 1) * g for a, g in self.bounds.items())
        rho, largest = self.rho, max(Fraction(p[1]) - Fraction(q[0]) for p, q, _ in sums)
        last = Fraction(math.ceil(largest / rho * 2**20), 2**20)
        if last <= 1:
            return True
        spans = [(Fraction(1), Fraction(0), last, self.power(sums, last, UP))]
        while spans:
            start, low, stop, high = spans.pop()
            bent = ((stop - start) / 2) ** 2
            if all(
                value <= rho * (at * (at - 1) - bent) for at, value in ((start, low), (stop, high))
            ):
                continue
            if start == 1 and high <= rho * (stop - 1):
                continue
            at = (start + stop) / 2
            value = self.power(sums, at, UP)
            if value > rho * at * (at - 1):
                return False
            spans += [(start, low, at, value), (at, value, stop, high)]
        return True

    def exceeded(self, sums: "Moments", order: Fraction) -> bool:
        """Say whether the divergence of two distributions is proved to be larger at an order."""
        bound = self.bound(order)
        if order > 1:
            return self.power(sums, order, DOWN) > (order - 1) * bound
        self.reader.spend(500 * len(sums))
        total = Fraction(0)  # P ≥ e^ln P, and a loss below 0 takes the larger one
        for p, q, n in sums:
            loss = Fraction(p[0]) - Fraction(q[1])
            total += n * loss * Fraction(exp_of(Fraction(p[loss < 0]), DOWN if loss >= 0 else UP))
        return total > bound

    def pair(self, order: Fraction, s: Fraction, t: Fraction) -> tuple[Fraction, Fraction]:
        """Return rationals above the λ and δ of a tangent: see the head of this file."""
        demand(s > t > 0, "a tangent needs two ratios, the larger one first")
        self.reader.spend(10_000)
        bound = self.bound(order)
        if order == 1:
            rise = Fraction(log_of(s, DOWN)) - Fraction(log_of(t, UP))
            rest = bound - 1 - Fraction(log_of(t, DOWN)) + t
            steep = s - t
        else:
            logs = [[Fraction(log_of(x, side)) for side in (DOWN, UP)] for x in (s, t)]
            (one, most), (least, two) = (
                [
                    Fraction(exp_of((order - 1) * log, side))
                    for log, side in zip(both, (DOWN, UP), strict=True)
                ]
                for both in logs
            )
            rise, steep = order * (one - two), (order - 1) * (s * most - t * least)
            size = (order - 1) * t - order
            rest = Fraction(exp_of((order - 1) * bound, UP)) + max(size * least, size * two)
        demand(rise > 0, "a tangent needs two ratios that are farther apart")
        return steep / rise, max(rest / rise, Fraction(0))


Moments: TypeAlias = list[tuple[tuple[Decimal, Decimal], tuple[Decimal, Decimal], int]]
"""Ends of the logarithms of the chances of each output, and how many have these."""


def moments_of(one: Iterable[Fraction], other: Iterable[Fraction]) -> Moments:
    """Return two distributions by their logarithms; what the first one excludes does not count."""
    counts = Counter((p, q) for p, q in zip(one, other, strict=True) if p)
    demand(all(q > 0 for _, q in counts), "an output tells for sure, which no divergence allows")
    return [
        ((log_of(p, DOWN), log_of(p, UP)), (log_of(q, DOWN), log_of(q, UP)), n)
        for (p, q), n in counts.items()
    ]


def pairs_read(written: list[list[str]], reader: Reader) -> Pairs:
    """Return pairs of numbers."""
    return [(reader.number(one), reader.number(other)) for one, other in written]


def check_divergences(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return what a mechanism within some divergences earns, and what none exceeds."""
    asked, promise = Guessed(claim, reader), Divergences(claim, reader)
    rows, unit = asked.rows(claim["mechanism"], reader)
    known: set[Any] = set()
    for i, h in asked.arcs:
        reader.spend(20 * len(rows[i]), unit.bit_length(), 16)
        both = frozenset(Counter(zip(rows[i], rows[h], strict=True)).items())
        if rows[i] == rows[h] or both in known:
            continue
        known.add(both)
        reader.spend(2000 * len(rows[i]), unit.bit_length(), 16)
        chances = ([Fraction(x, unit) for x in rows[k]] for k in (i, h))
        demand(promise.kept(moments_of(*chances)), f"the mechanism tells {i} from {h} too well")
    if "order" in claim:
        fair = asked.is_complete and asked.is_right and len(set(asked.prior)) == 1 < len(rows)
        demand(fair, "an order bounds a right guess of equally likely vertices that are neighbours")
        bound = answered(promise, claim, len(rows), 1, reader)
    else:
        pairs = followed(promise, claim, reader)
        arcs = dict.fromkeys(asked.arcs, pairs)
        if "weights" in claim:
            bound = weighted(asked, claim["weights"], pairs, reader)
        elif "forest" in claim:
            bound = along_edges(asked, claim["forest"], arcs, reader)
        else:
            bound = multiplied(asked.worth, claim["multipliers"], arcs, reader)
    return ends_of(claim, asked.earned(rows, unit), bound)


def followed(promise: Divergences, claim: dict[str, Any], reader: Reader) -> Pairs:
    """Return pairs, each of which follows from a tangent."""
    pairs = pairs_of(claim["upper pairs"], reader)
    demand(len(pairs) == len(claim["tangents"]), "every pair must have a tangent")
    for (ratio, delta), written in zip(pairs, claim["tangents"], strict=True):
        least = promise.pair(*map(reader.number, written))
        demand(ratio >= least[0] and delta >= least[1], "a tangent proves less than its pair")
    return pairs


def answered(
    promise: Divergences, claim: dict[str, Any], values: int, tries: int, reader: Reader
) -> Fraction:
    """Return the chance with which no mechanism is right, as one that shows sets is too telling."""
    upper = reader.number(claim["upper"])
    if upper >= 1:
        return Fraction(1)
    demand(upper * values >= tries, "a guess is right more often without anything")
    over = promise.exceeded(shown_sets(upper, values, tries), reader.number(claim["order"]))
    demand(over, "more than is claimed is not excluded")
    return upper


def shown_sets(chance: Fraction, values: int, tries: int) -> Moments:
    """Return two rows that show sets of some values, which hold the true one with a chance."""
    one, two = chance * (values - tries) / (values - 1), (1 - chance) * tries / (values - 1)
    return moments_of([one, two, 1 - one - two], [two, one, 1 - one - two])


# --- several tries, several records ----------------------------------------------------------


def check_tries(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return how often a value is among some that are guessed, all equally likely."""
    v, k = claim["values"], claim["tries"]
    demand(1 <= k < v, "there must be fewer tries than values, and at least one")
    lower = reader.number(claim["lower"])
    demand(lower * v >= k and lower <= 1, "a guess is right more often without anything, or never")
    if "order" in claim:
        promise = Divergences(claim, reader)
        demand(promise.kept(shown_sets(lower, v, k)), "the mechanism tells too well")
        return ends_of(claim, lower, answered(promise, claim, v, k, reader))
    below, above = (pairs_of(claim[key], reader) for key in ("lower pairs", "upper pairs"))
    one, two = lower * (v - k) / (v - 1), (1 - lower) * k / (v - 1)
    demand(all(one <= r * two + d for r, d in below), "the mechanism tells too well")
    return ends_of(
        claim,
        lower,
        min([Fraction(1), *((r * k + (v - 1) * d) / (r * k + v - k) for r, d in above)]),
    )


def check_presence(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return how often the value of who is present is among some that are guessed."""
    prior, k = [reader.number(text) for text in claim["prior"]], claim["tries"]
    away = 1 - sum(prior, Fraction(0))
    demand(min(prior, default=Fraction(-1)) >= 0 and away >= 0, "the prior must sum to 1 at most")
    demand(1 <= k <= len(prior), "there must be a try, and no more than values")
    demand(k == 1 or away == 0, "who may be absent is guessed once")
    places, price = [reader.number(text) for text in claim["places"]], reader.number(claim["price"])
    fits = len(places) == len(prior) and all(0 <= a <= 1 for a in places) and sum(places) <= k
    demand(fits, "each value needs a chance, and all of them no more than the tries")
    demand(price >= away, "the price must be at least the chance of being absent")
    powers, ends = coins(claim, places, reader)
    reader.spend(16 * len(prior) * (len(ends) + 2), 512, 512)
    earned, bound = away * (k - sum(places, Fraction(0))), k * price
    for chance, power in zip(prior, powers, strict=True):
        earned += chance * power
        bound += max(chance * p - price * at for at, p in ends)
    return ends_of(claim, earned, bound)


def coins(
    claim: dict[str, Any], places: list[Fraction], reader: Reader
) -> tuple[list[Fraction], Pairs]:
    """Return how likely each place may be for who has its value, and corners above all that may."""
    if "powers" not in claim:
        below, above = (lines_of(claim[key], reader) for key in ("lower lines", "upper lines"))
        demand(all(r + d >= 1 for r, d in below), "no mechanism keeps a line that ends below 1")
        reader.spend(8 * (len(places) + len(above)) * (len(below) + len(above) + 2), 512, 512)
        return [min([Fraction(1), *(r * a + d for r, d in below)]) for a in places], corners(above)
    promise, powers = Divergences(claim, reader), [reader.number(p) for p in claim["powers"]]
    fits = len(powers) == len(places) and all(0 <= p <= 1 for p in powers)
    demand(fits, "each place needs its power")
    for a, p in {*zip(places, powers, strict=True)}:
        both = ([a, 1 - a], [p, 1 - p])
        kept = a == p or all(promise.kept(moments_of(*two)) for two in (both, both[::-1]))
        demand(kept, "a coin tells too well")
    return powers, envelope(followed(promise, claim, reader))


def check_everyone(claim: dict[str, Any], reader: Reader) -> Proved:
    """Return how often all records are guessed at once."""
    promise = Divergences(claim, reader) if "tangents" in claim else None
    above = pairs_of(claim["upper pairs"], reader)
    if promise is not None:
        above = followed(promise, claim, reader)
    below = pairs_of(claim.get("lower pairs", []), reader)
    kinds = list[tuple[list[Fraction], int]]()
    for kind in claim["kinds"]:
        prior, n = [reader.number(text) for text in kind["prior"]], kind["records"]
        fits = sum(prior) == 1 and min(prior) >= 0 and n >= 1
        demand(fits, "the prior must sum to 1, and there must be a record")
        kinds.append((prior, n))
    demand(bool(kinds), "there must be a record")
    if "within" in claim:
        pair = pairs_of([claim["within"]], reader)[0]
        corners = envelope([pair])
        fits = all(p <= r * a + d for a, p in corners for r, d in below)
        demand(fits, "the pair of the mechanism is not within what it keeps")
        if promise is not None:
            demand(pair[1] == 0, "what tells for sure is within no divergence")
            coin = [pair[0] / (1 + pair[0]), 1 / (1 + pair[0])]
            kept = pair[0] == 1 or promise.kept(moments_of(coin, coin[::-1]))
            demand(kept, "the mechanism tells records too well")
        earned = all_right(pair, kinds, reader)
    else:
        earned = by_distance(claim["distances"], below, *alike(kinds), reader)
    if "pair" in claim:
        demand(0 <= claim["pair"] < len(above), "there is no such pair")
        bound = all_right(above[claim["pair"]], kinds, reader)
    elif "chain" in claim:
        bound = chained(
            [reader.number(text) for text in claim["chain"]], above, *alike(kinds), reader
        )
    else:
        bound = over_distances(claim["multipliers"], above, *alike(kinds), reader)
    return ends_of(claim, earned, bound)


def alike(kinds: list[tuple[list[Fraction], int]]) -> tuple[int, int]:
    """Return how many records and values there are, which are all alike."""
    v = len(kinds[0][0])
    demand(all(prior == [Fraction(1, v)] * v for prior, _ in kinds), "records must be alike")
    return sum(n for _, n in kinds), v


def all_right(
    pair: tuple[Fraction, Fraction], kinds: list[tuple[list[Fraction], int]], reader: Reader
) -> Fraction:
    """Return δ + (1 − δ)·Π max_k λ·Π_k/(λ + k − 1) over the records."""
    (ratio, delta), whole = pair, Fraction(1)
    for prior, n in kinds:
        best = total = Fraction(0)
        reader.spend(4 * len(prior), 512, 512)
        for k, chance in enumerate(sorted(prior, reverse=True)):
            total += chance
            best = max(best, ratio * total / (ratio + k))
        longest = n * size(best.as_integer_ratio())
        reader.spend(1, longest, longest)
        whole *= best**n
    return delta + (1 - delta) * whole


def by_distance(written: list[str], pairs: Pairs, n: int, v: int, reader: Reader) -> Fraction:
    """Return the chance of no wrong record, of answers that depend on how many are wrong."""
    demand(len(written) == n + 1, "each number of wrong records must have a chance")
    k = [reader.number(text) for text in written]
    demand(min(k) >= 0, "a chance must not be negative")
    nil, times = Fraction(0), [math.comb(n, w) * (v - 1) ** w for w in range(n + 1)]
    each = [math.comb(n - 1, w) * (v - 1) ** w for w in range(n)]
    reader.spend(8 * (n + 1) * (len(pairs) + 1), 512 + size(times), 512 + size(times))
    demand(sum(map(mul, times, k)) == 1, "the chances of all answers must sum to 1")
    for ratio, delta in pairs:
        more = [(a - ratio * b, b - ratio * a) for a, b in pairwise(k)]
        over = sum(n * (max(x, nil) + max(y, nil)) for n, (x, y) in zip(each, more, strict=True))
        demand(over <= delta, "the mechanism tells records too well")
    return k[0]


def over_distances(
    written: list[tuple[int, int, int, str]], pairs: Pairs, n: int, v: int, reader: Reader
) -> Fraction:
    """Return the bound of multipliers for pairs and steps from w wrong records to one more."""
    longest = 512 + n * (v + 1).bit_length()
    reader.spend(8 * n + 8, longest, longest)
    left, most = [Fraction(w == 0) for w in range(n + 1)], [Fraction(0)] * len(pairs)
    once = len({(k, w, back) for k, w, back, _ in written}) == len(written)
    demand(once, "a multiplier is there twice")  # the largest is paid for, not all of them
    for k, w, back, text in written:
        fits = 0 <= k < len(pairs) and 0 <= w < n and back in (0, 1)
        demand(fits, "a multiplier has no pair, or no step")
        c = reader.number(text)
        demand(c >= 0, "a multiplier must not be negative")
        reader.spend(8, longest, longest)
        most[k] = max(most[k], c)
        c *= math.comb(n - 1, w) * (v - 1) ** w
        left[w + back] -= c
        left[w + 1 - back] += pairs[k][0] * c
    ends = (each / (math.comb(n, w) * (v - 1) ** w) for w, each in enumerate(left))
    return max(ends) + sum(delta * c for (_, delta), c in zip(pairs, most, strict=True))


def chained(steps: list[Fraction], pairs: Pairs, n: int, v: int, reader: Reader) -> Fraction:
    """Return the last of n bounds, each of which follows from the one before."""
    demand(len(steps) == n, "each record must have a bound")
    reader.spend(n * (8 * len(pairs) + 8), 512, 512)
    before = Fraction(1)
    for step in steps:
        least = min([before, *((d * (v - 1) + r * before) / (v - 1 + r) for r, d in pairs)])
        demand(step >= least, "a bound does not follow from the one before")
        before = step
    return before


def log_of(value: Fraction, side: Context) -> Decimal:
    """Return ln of a positive number, rounded to a side."""
    return ln(value, side) if value >= 1 else side.minus(ln(1 / value, DOWN if side is UP else UP))


def exp_of(value: Fraction, side: Context) -> Decimal:
    """Return e to a number, rounded to a side."""
    if abs(value) > 10**9:
        raise Unreadable("a divergence or an order is too large")
    near = side.exp(side.divide(*map(Decimal, value.as_integer_ratio())))  # to the nearest
    return side.next_plus(near) if side is UP else side.next_minus(near)


OF_PROMISES: dict[str, Callable[[dict[str, Any], Reader], Proved]] = {
    CURVE: check_curve,
    EDGES: check_edges,
    ABSENT: check_absent,
    DIVERGENCE: check_divergences,
    TRIES: check_tries,
    PRESENCE: check_presence,
    EVERYONE: check_everyone,
}


def check(content: Any) -> list[Proved]:
    """Return (records, lower, upper), whose powers multiply, or raise Refuted or Unreadable.

    Of a mechanism it is what it earns, and what none exceeds.
    """
    kind = content.get("format") if type(content) is dict else None
    if type(kind) is not str or kind not in FORMATS:
        raise Unreadable(f"its format must be one of {', '.join(map(repr, FORMATS))}")
    reader = Reader(letters(content, FORMATS[kind], "it"))
    if kind in OF_PROMISES:
        return [OF_PROMISES[kind](content, reader)]
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
    if "vertices" not in asked and "pieces" not in asked:
        return json.dumps(without_graph(asked), sort_keys=True, separators=(",", ":"))
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


def without_graph(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what is asked of values that are all neighbours, and of records that have these."""
    if "values" in asked:
        return {"tries": asked["tries"], "values": asked["values"]}
    if "tries" in asked:
        return {"present": sorted(map(lowest, asked["prior"])), "tries": asked["tries"]}
    kinds: Counter[str] = Counter()
    for kind in asked["kinds"]:
        kinds[json.dumps(sorted(map(lowest, kind["prior"])))] += kind["records"]
    return {"records": [[json.loads(prior), kinds[prior]] for prior in sorted(kinds)]}


def lowest(written: str) -> str:
    """Return a number in lowest terms."""
    parts = Reader(MOST_LETTERS).number(written).as_integer_ratio()
    return "/".join(f"{Decimal(part):f}" for part in parts).removesuffix("/1")


def told(content: dict[str, Any], proved: list[Proved]) -> list[str]:
    """Say what is proved, at which ratio and of what, in lines: the reader must compare it."""
    kind, asked = content["format"], question(content)
    best = kind == MECHANISM or kind in OF_PROMISES
    (_, lower, upper), pieces = proved[0], content.get("pieces", [])
    records = sum(piece["records"] for piece in pieces)
    what = f"the worst case of {f'{records:,} records' if records > 1 else 'one secret'}"
    if best:
        near = f"a mechanism within {rounded(upper - lower, UP, 2)} of the best"
        what = "the best mechanism" if lower == upper else near
    at = promise_told(content) if kind in OF_PROMISES else ratio_of(*ratios(content))
    lines = [f"accepted: {what}, at {at}"]
    for graph in content.get("pieces", [content] if "vertices" in content else []):
        times = f"{graph['records']:,} × " if graph.get("records", 1) > 1 else ""
        how = " with lengths, λ for a length of 1" if "lengths" in graph else ""
        lines += [f"for {times}{len(graph['vertices'])} vertices, {len(graph['edges'])} edges{how}"]
    for each in content.get("kinds", []):
        lines += [f"for {each['records']:,} records of {len(each['prior'])} values, all guessed"]
    if kind == PRESENCE:
        lines += [f"for {content['tries']:,} of {len(content['prior']):,} values, or being absent"]
    if kind == TRIES:
        lines += [f"for {content['tries']:,} of {content['values']:,} equally likely values"]
    if kind == ABSENT:
        lines += [f"of who is present, against {content['vertices'][content['absent']][:SHORT]!r}"]
    if len(asked) <= FEW:
        whole = f"what is asked: {asked}"
        lines += [whole[k : k + WIDTH] for k in range(0, len(whole), WIDTH)]
    return [
        *lines,
        f"its digest: {digest(content)}",
        f"{'earned on average' if best else 'attained'}: {amount_of(best, proved, DOWN)}",
        f"not exceeded: {amount_of(best, proved, UP)}",
    ]


def promise_told(content: dict[str, Any]) -> str:
    """Return what the mechanism keeps, and for what the bound holds."""
    reader, texts = Reader(MOST_LETTERS), []
    if "rho" in content:
        return f"ρ = {exact(rho := reader.number(content['rho'])) or rounded(rho, DOWN, 9)} (zCDP)"
    if "bounds" in content:
        some = [(exact(reader.number(a)), exact(reader.number(g))) for a, g in content["bounds"]]
        return ", ".join(
            f"D_{a or '…'} ≤ {g or '…'}" for a, g in some[:3] + [("…", "…")] * (len(some) > 3)
        )
    name = "lines" if "lower lines" in content else "pairs"
    for side, context in (("lower", DOWN), ("upper", UP)):
        listed = content[f"{side} {name}"]
        edgewise = content["format"] == EDGES
        groups = listed if edgewise else [listed]
        said = [pairs_told(group, context) for group in groups[:3]] + ["…"] * (len(groups) > 3)
        by = " by edge" * edgewise
        texts.append(f"{side} {name}{by} (λ, δ) {' | '.join(said)}")
    return "; ".join(texts)


def pairs_told(written: list[list[str]], side: Context) -> str:
    """Return the first of some pairs."""
    reader = Reader(MOST_LETTERS * len(written))
    pairs = [[reader.number(text) for text in pair] for pair in written[:3]]
    said = [f"({rounded(r, side, 6)}, {rounded(d, side, 6)})" for r, d in pairs]
    return ", ".join(said + ["…"] * (len(written) > 3))


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
        return side.minus(log2(1 / value, DOWN if side is UP else UP))
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
