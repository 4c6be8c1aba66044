"""What does [Boreale2012]_ say about breaches and differential privacy, and does it hold?

Its Section 4: the inputs are databases of bits, neighbours if they differ in one of them.
"""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import TypeAlias

from leaktight.channels import Channel, parallel
from leaktight.exact import Ratio, log2
from leaktight.policies import Policy, SecretGraph
from leaktight.privacy import (
    breach_level,
    breaches,
    independent_breach_level,
    individual_breach_level,
    individual_sets,
    privacy_level,
)
from leaktight_papers.boreale2012.beliefs import GAP, after_each, belief, column_ratio, worst_move
from leaktight_papers.boreale2012.breaches import four_rows
from leaktight_papers.claim import Erratum, Verdict, claim, demand
from leaktight_papers.evidence import RESPONSE, drawn_channel, drawn_prior

Database: TypeAlias = tuple[int, ...]


def _survey(people: int) -> Channel:
    """Randomised response of each of some people; the inputs are databases of bits."""
    return parallel(*[RESPONSE] * people).expand()


def _individuals(channel: Channel) -> list[list[Database]]:
    """List the sets Q_i = {x : x_i = 1} of databases of bits."""
    databases: tuple[Database, ...] = channel.inputs  # type: ignore[assignment]
    return [[x for x in databases if x[i]] for i in range(len(databases[0]))]


@claim(
    "W-D4",
    "ε-differentially private means |log2 p(y|x)/p(y|x′)| ≤ ε for neighbours x, x′ and each y; "
    "here ε counts bits, and 0 against 0 is fine.",
)
def differential_privacy() -> Iterator[str]:
    """Randomised response in both units; random channels on two bits by hand."""
    level = breach_level(RESPONSE)
    demand((level.ratio, level.bits) == (2, 1), f"randomised response has {level}")
    demand(round(level.nats, 6) == 0.693147, f"it must have .693147 nats, got {level.nats}")
    zeros = Channel([["2/3", "1/3", 0], ["1/3", "2/3", 0]])
    ratio = privacy_level(zeros, SecretGraph.complete(2)).ratio
    demand(ratio == 2, f"a column of zeros must not matter, got {ratio}")
    one_bit = Ratio.of(epsilon="1 bits")
    both = privacy_level(RESPONSE, SecretGraph.complete(2)).epsilon_bits, one_bit.lower
    demand(both[0] == 1 and both[1] == 2, f"ε must be 1 bit, and λ 2, got {both}")
    yield f"randomised response 2/3: ε = {level.bits:g} in bits, {level.nats:.6f} in base e"
    draw, bits, compared = random.Random(8), Policy(SecretGraph.complete(2), 2), 0
    edges = bits.adjacency().explicit().edge_pairs()
    for _ in range(20):
        channel = drawn_channel(bits.databases(), 3, draw)
        most = max(column_ratio(channel.restrict(pair)) for pair in edges)
        found = privacy_level(channel, bits).ratio
        demand(found == most, f"{found}, by hand {most}")
        compared += 1
    yield f"{compared} random channels on {{0, 1}}²: the largest ratio over {len(edges)} edges"


@claim(
    "W-T3",
    "On databases of bits, a mechanism is ε-secure exactly if for no individual i and under no "
    "prior the set Q_i = {x : x_i = 1} is an ε-breach.",
)
def security_of_individuals() -> Iterator[str]:
    """Priors on two databases, for every individual; random priors stay below."""
    draw, tried = random.Random(9), 0
    for people in (1, 2, 3):
        databases = list(product((0, 1), repeat=people))
        for _ in range(5):
            channel, near = drawn_channel(databases, 3, draw), Fraction(0)
            level = column_ratio(channel)
            for subset in _individuals(channel):
                for x, other in product(subset, [x for x in databases if x not in subset]):
                    found = worst_move(channel, {x: GAP, other: 1 - GAP}, subset)
                    near = max(near, Fraction(found))
                spread = worst_move(channel, drawn_prior(databases, draw), subset)
                demand(spread < level, f"Q_i is breached by {spread}, level {level}")
            demand((1 - 9 * GAP * level) * level <= near < level, f"{near} is not near {level}")
            one, any_set = individual_breach_level(channel).ratio, breach_level(channel).ratio
            demand(one == any_set == level, f"levels {one}, {any_set}, by hand {level}")
            tried += 1
    yield f"{tried} random channels, 1 to 3 people: breaches of a Q_i come near the level"
    bits = individual_breach_level(_survey(2)).bits, breach_level(_survey(2)).bits
    demand(bits == (2, 2), f"{bits} bits")
    yield f"two randomised responses: {bits[0]:g} bits for an individual, {bits[1]:g} for any set"


@claim(
    "W-R2",
    "In an ε-secure mechanism on databases of bits, the complement of Q_i is no ε-breach either.",
)
def security_of_complements() -> Iterator[str]:
    """Both sets under random priors and under those that come near the level."""
    draw, tried = random.Random(10), 0
    for _ in range(10):
        channel = drawn_channel(product((0, 1), repeat=2), 3, draw)
        level = breach_level(channel)
        for prior in (drawn_prior(channel.inputs, draw), belief(level.prior(GAP))):
            for subset in _individuals(channel):
                rest = [x for x in channel.inputs if x not in subset]
                possible = [q for q in (subset, rest) if any(prior[x] for x in q)]
                moves = [worst_move(channel, prior, q) for q in possible]
                demand(max(moves) < level.ratio, f"breached by {moves}, level {level.ratio}")
                tried += len(moves)
    yield f"{tried} sets Q_i and complements: none is breached by the level of the channel"


@claim(
    "W-T4",
    "ε-security implies ε-differential privacy. For each n ≥ 2 a mechanism on n bits is ε-private "
    "but has breaches of individuals of levels as near to nε as one likes.",
)
def privacy_is_weaker() -> Iterator[str]:
    """Randomised responses of one to three people; random channels on two bits."""
    for people in (1, 2, 3):
        channel, policy = _survey(people), Policy(SecretGraph.complete(2), people)
        private = privacy_level(Channel(channel.matrix, policy.databases()), policy).ratio
        level = individual_breach_level(channel)
        demand(private == 2, f"{people} responses have the ratio {private}")
        demand(level.ratio == column_ratio(channel) == 2**people, f"the level is {level.ratio}")
        demand((level.ratio > private) == (people > 1), f"{level.ratio} against {private}")
        sets = individual_sets(channel.inputs)
        by_hand = {frozenset(subset) for subset in _individuals(channel)}
        demand(by_hand <= set(map(frozenset, sets.values())), f"no Q_i among {list(sets)}")
        near = breaches(channel, level.prior(GAP), sets)[0].bits
        demand(people * (1 - GAP) < near < people, f"a breach of {near} bits is not near {people}")
        yield f"randomised response of {people}: ratio {private}, breaches of {near:.9f} bits"
    draw, tried = random.Random(11), 0
    for _ in range(40):
        channel = drawn_channel(product((0, 1), repeat=2), 3, draw)
        secure, private = breach_level(channel).ratio, independent_breach_level(channel).ratio
        demand(private <= secure <= private**2, f"private {private}, secure {secure}")
        tried += 1
    yield f"{tried} random channels on 2 bits: private ≤ secure ≤ private², as ratios"


@claim(
    "W-Ex2",
    "With 1/24 for 1/64, the 4 × 6 matrix on {0, 1}² is ε-private for ε = 2 bits at best, however "
    "the rows are named, and not 2-secure, as one ratio is 8.",
    Verdict.CORRECTED,
    Erratum(
        40,
        "false",
        "The matrix is said to be private with ε = 1; its first row, in the text that we have, has "
        "1/64.",
        "ε is 2 on {0, 1}², however the rows are named, and 1 only on a line of four; 1/24 makes "
        "the row sum to 1.",
    ),
)
def not_private_with_one_bit() -> Iterator[str]:
    """Both corners; all 24 ways to name the rows."""
    sums = [sum(map(Fraction, four_rows(corner)[0])) for corner in ("1/64", "1/24")]
    demand(sums == [Fraction(187, 192), 1], f"the first row sums to {sums}")
    yield f"the first row sums to {sums[0]} with 1/64, to {sums[1]} with 1/24"
    channel, levels = Channel(four_rows("1/24")), []
    pairs = list(product((0, 1), repeat=2))
    for names in permutations(pairs):
        named = Channel(channel.matrix, names)
        by_hand = max(
            column_ratio(named.restrict([x, y]))
            for x, y in combinations(pairs, 2)
            if sum(a != b for a, b in zip(x, y, strict=True)) == 1
        )
        found = independent_breach_level(named).ratio
        demand(found == by_hand, f"{names}: ratio {found}, by hand {by_hand}")
        levels.append(found)
    demand(min(levels) == 4, f"the least ratio between neighbours is {min(levels)}")
    line, worst = privacy_level(channel, SecretGraph.line(4)).ratio, breach_level(channel).ratio
    demand((line, worst) == (2, 8), f"{line} on a line, {worst} at worst")
    least = min(levels)
    yield f"{len(levels)} namings on {{0, 1}}²: the least ratio is {least}, ε = {log2(least):g}"
    yield f"on a line of four rows: ratio {line}; between any two rows: {worst} > {least}"


@claim(
    "W-T5",
    "On databases of bits, ε-differential privacy is the same as: no Q_i is an ε-breach under "
    "priors that hold record i independent of the rest; and the same under product priors.",
)
def independent_records() -> Iterator[str]:
    """Priors of both kinds stay below the level; product priors on two databases come near."""
    draw, tried = random.Random(12), 0
    for people in (2, 3):
        databases = list(product((0, 1), repeat=people))
        for _ in range(6):
            channel, near = drawn_channel(databases, 3, draw), Fraction(0)
            level = privacy_level(channel, Policy(SecretGraph.complete(2), people)).ratio
            found = independent_breach_level(channel).ratio
            demand(found == level, f"{found}, private at {level}")
            one = [drawn_prior((0, 1), draw) for _ in range(people)]
            spread = {
                x: math.prod((p[b] for p, b in zip(one, x, strict=True)), start=Fraction(1))
                for x in databases
            }
            for i, subset in enumerate(_individuals(channel)):
                rest = drawn_prior(product((0, 1), repeat=people - 1), draw)
                tied = {x: one[i][x[i]] * rest[x[:i] + x[i + 1 :]] for x in databases}
                moves = [worst_move(channel, prior, subset) for prior in (spread, tied)]
                demand(max(moves) <= level, f"Q_i is breached by {moves}, private at {level}")
                for x in subset:
                    other = (*x[:i], 0, *x[i + 1 :])
                    two = worst_move(channel, {x: GAP, other: 1 - GAP}, subset)
                    near = max(near, Fraction(two))
            demand((1 - 9 * GAP * level) * level <= near < level, f"{near} is not near {level}")
            tried += 1
    yield f"{tried} random channels on 2 or 3 bits: independent priors come near ε, never above"
    twice = _survey(2)
    first = _individuals(twice)[0]
    ends = worst_move(twice, {(1, 1): GAP, (0, 0): 1 - GAP}, first)
    private = independent_breach_level(twice).ratio
    demand(private == 2 and ends > 3, f"private at {private}, tied records give {ends}")
    yield f"two responses, records always equal: a Q_i-breach of {float(ends):.6f} > {private}"
    skew = Channel([["1/10", "9/10"], ["2/5", "3/5"]], [(0,), (1,)])
    level, rises, falls = independent_breach_level(skew).ratio, [], []
    for share in (GAP, 1 - GAP):
        after = after_each(skew, {(0,): 1 - share, (1,): share}, [(1,)])
        rises.append(float(max(after) / share))
        falls.append(float(share / min(after)))
    demand(level == 4 and max(falls) < 2, f"ratio {level}, falls by {falls}")
    demand(max(rises) > 3.99, f"the bit must rise by nearly 4, got {rises}")
    yield f"rows (1/10, 9/10), (2/5, 3/5): Q_i rises by {max(rises):.4f}, falls by {max(falls):.4f}"
