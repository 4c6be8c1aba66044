"""How uncertain is a secret, before and after an observation? Section 2 of [Alvim2011a]."""

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, TypeAlias

from leaktight.channels import Channel, Distribution
from leaktight.exact import log2
from leaktight.leakage import (
    cachin_entropy,
    conditional_entropy,
    conditional_renyi_entropy,
    hyper,
    questions,
    renyi_entropy,
    shannon_entropy,
    vulnerability,
)
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import RESPONSE, SEED, any_cases, any_prior

CLOSE = 2.0**-40
"""How far a sum of floats may be from a number that is correctly rounded."""

SKEWED = Distribution(["9/10", "1/10"])
FLIP = Channel([["4/5", "1/5"], ["1/5", "4/5"]])
"""A bit that is flipped with chance 1/5."""

# --- Shannon's adversary -------------------------------------------------------------------

Depths: TypeAlias = dict[str, int]
"""How many questions it takes to be sure of each value."""

EXAMPLE = {
    **dict.fromkeys("ab", Fraction(1, 4)),
    **dict.fromkeys("cd", Fraction(1, 8)),
    **dict.fromkeys("efgh", Fraction(1, 16)),
}
"""The distribution of Example 3."""


def strategies(values: Sequence[str], even: dict[str, Fraction] | None = None) -> Iterator[Depths]:
    """Yield the number of questions for each value, for every tree of questions with two answers.

    Given probabilities, only those that split what is left as evenly as can be.

    >>> list(strategies("ab"))
    [{'a': 1, 'b': 1}]
    >>> len(list(strategies("abcd"))), len(list(strategies("abcde")))
    (15, 105)
    """
    if len(values) == 1:
        yield {values[0]: 0}
        return
    first, *others = values
    splits = [
        ([first, *some], [x for x in others if x not in some])
        for size in range(len(others))
        for some in combinations(others, size)
    ]
    if even is not None:
        half = sum((even[x] for x in values), Fraction(0)) / 2
        gaps = [abs(sum((even[x] for x in yes), -half)) for yes, _ in splits]
        splits = [split for split, gap in zip(splits, gaps, strict=True) if gap == min(gaps)]
    for yes, no in splits:
        for one, other in product(strategies(yes, even), strategies(no, even)):
            yield {x: depth + 1 for x, depth in (one | other).items()}


def expected(depths: Depths, p: dict[str, Fraction]) -> Fraction:
    """Return E n_σ, the expected number of questions.

    >>> expected({"a": 1, "b": 1}, {"a": Fraction(1, 3), "b": Fraction(2, 3)})
    Fraction(1, 1)
    """
    return sum((p[x] * depth for x, depth in depths.items()), Fraction(0))


def is_at_most(p: dict[str, Fraction], number: Fraction) -> bool:
    """Say whether H(X) ≤ L, exactly: Π p^(−pN) ≤ 2^(LN) for a common denominator N.

    >>> is_at_most(EXAMPLE, Fraction(11, 4)), is_at_most(EXAMPLE, Fraction(2749, 1000))
    (True, False)
    """
    whole = math.lcm(number.denominator, *(x.denominator for x in p.values()))
    powers = (Fraction(1 / x) ** int(x * whole) for x in p.values() if x > 0)
    return math.prod(powers) <= 2 ** int(number * whole)


def _likely(values: str, draw: random.Random) -> dict[str, Fraction]:
    """Draw positive probabilities."""
    counts = [draw.randint(1, 9) for _ in values]
    return {x: Fraction(count, sum(counts)) for x, count in zip(values, counts, strict=True)}


@claim(
    "Q-D1",
    "Shannon's adversary asks whether the secret is in a set, again and again, and wants to need "
    "few questions on average. To halve the probability as evenly as can be is not always best.",
)
def shannons_adversary() -> Iterator[str]:
    """All trees of questions against Huffman's, and the most even ones."""
    draw, count, trees = random.Random(SEED), 40, list(strategies("abcde"))
    for _ in range(count):
        p = _likely("abcde", draw)
        best = min(expected(depths, p) for depths in trees)
        asked = questions(p)
        by_tree = expected(leaves(asked.tree), p)
        expect((asked.expected, by_tree), (best, best), f"the questions of Huffman's tree for {p}")
    yield f"{count} random priors of 5 values: the best of all {len(trees)} trees is Huffman's"
    p = dict(zip("abcd", map(Fraction, ("3/8", "3/8", "1/8", "1/8")), strict=True))
    best = min(expected(depths, p) for depths in strategies("abcd"))
    even = min(expected(depths, p) for depths in strategies("abcd", p))
    expect((best, even), (Fraction(15, 8), 2), "questions at best, and with even splits,")
    expect(questions(p).expected, best, "the questions of Huffman's tree")
    yield f"({', '.join(map(str, p.values()))}): {best} questions at best, {even} if split evenly"


TREE = (("a", "b"), (("c", "d"), (("e", "f"), ("g", "h"))))
"""The questions of Figure 2: a pair is a question, a letter is a secret."""


def leaves(tree: Any, depth: int = 0) -> Depths:
    """Return how deep each letter of a tree is.

    >>> leaves(("a", ("b", "c")))
    {'a': 1, 'b': 2, 'c': 2}
    """
    if isinstance(tree, str):
        return {tree: depth}
    return leaves(tree[0], depth + 1) | leaves(tree[1], depth + 1)


@claim(
    "Q-Ex3",
    "For probabilities 1/4, 1/4, 1/8, 1/8 and four of 1/16 the secret is found with 11/4 questions "
    "on average. That is Σ p·n; with −log2 p for n it is Shannon's entropy.",
    Verdict.CORRECTED,
    Erratum(
        38,
        "typo",
        "Entropy is said to arise with log2 p in place of n, and the sum ends at p(f).",
        "It arises with −log2 p, and the sum goes on to p(h).",
    ),
)
def eight_secrets() -> Iterator[str]:
    """The expectation, the entropy, and both misprints."""
    depths = leaves(TREE)
    expect((depths["a"], depths["e"]), (2, 4), "the questions for a and e")
    asked, least = expected(depths, EXAMPLE), questions(EXAMPLE).expected
    expect((asked, least), (Fraction(11, 4), asked), "E n, which is the least,")
    entropy = shannon_entropy(list(EXAMPLE.values()))
    expect(entropy, asked, "the entropy")
    yield f"E n = {asked} = H(X) = {entropy:g}, no strategy needs less"
    printed = sum(p * Fraction(log2(p)) for p in EXAMPLE.values())
    cut = sum(EXAMPLE[x] * depths[x] for x in "abcdef")
    expect((printed, cut), (-asked, Fraction(9, 4)), "Σ p·log2 p, and the sum up to f")
    yield f"as printed: Σ p·log2 p = {printed}, and the sum up to f is {cut}"


@claim(
    "Q-Fig2",
    "A tree of questions for Example 3. Every question halves the probability, so no strategy is "
    "better.",
    Verdict.DRAWING,
)
def search_tree() -> Iterator[str]:
    """The mass on both sides of every question, drawn and by the library, and Kraft's sum."""

    def mass(tree: Any) -> Iterator[tuple[Fraction, Fraction]]:
        if not isinstance(tree, str):
            yes, no = (sum(EXAMPLE[x] for x in leaves(side)) for side in tree)
            yield Fraction(yes), Fraction(no)
            yield from (pair for side in tree for pair in mass(side))

    best = questions(EXAMPLE)
    for tree in (TREE, best.tree):
        halves = list(mass(tree))
        demand(all(yes == no for yes, no in halves), f"every question must halve, got {halves}")
        expect(leaves(tree), leaves(TREE), "how deep each letter is")
    expect(best.expected, expected(leaves(TREE), EXAMPLE), "the least number of questions")
    kraft = sum(Fraction(1, 2**depth) for depth in leaves(TREE).values())
    expect(kraft, 1, "Kraft's sum")
    yield f"{len(halves)} questions, each with equal sides; Kraft's sum Σ 2^(−n) is {kraft}"


# --- entropies -----------------------------------------------------------------------------


def in_bits(probabilities: Iterable[Fraction | float]) -> float:
    """Return −Σ p log2 p by floats.

    >>> in_bits([Fraction(1, 2), Fraction(1, 2)])
    1.0
    """
    return 0.0 - math.fsum(float(p) * math.log2(p) for p in probabilities if p > 0)


@claim(
    "Q-D2",
    "Shannon's entropy −Σ p log2 p is least, 0, if one value is certain, and greatest, log2 of the "
    "number of values, if all are equally likely.",
)
def entropy() -> Iterator[str]:
    """The formula on random priors, and both ends."""
    draw, count = random.Random(SEED), 100
    for n in range(2, 7):
        most, certain = shannon_entropy(Distribution.uniform(n)), Distribution.point(0, range(n))
        expect((most, shannon_entropy(certain)), (log2(n), 0), f"the ends for {n} values")
        for _ in range(count // 5):
            prior = any_prior(n, draw)
            found, chances = shannon_entropy(prior), [p for _, p in prior.items()]
            demand(abs(found - in_bits(chances)) < CLOSE, f"H must be the sum, got {found}")
            expect(found == 0, len(prior.support) == 1, "H = 0 for one certain value alone,")
            expect(found == most, len(set(chances)) == 1, "H = log2 n for equal chances alone,")
            demand(0 <= found <= most, f"H must be between 0 and {most}, got {found}")
    yield f"{count} random priors of 2 to 6 values: 0 ≤ H ≤ log2 n, the ends only where said"
    eight = shannon_entropy(Distribution.uniform(8))
    expect(eight, 3, "the entropy of 8 equally likely values")
    yield f"8 equally likely values: {eight:g} bits"


@claim(
    "Q-P1",
    "No strategy of questions needs fewer than H(X) on average. Some strategy needs exactly H(X) "
    "if all probabilities are powers of 2.",
)
def fewest_questions() -> Iterator[str]:
    """All strategies against the entropy, compared as whole numbers."""
    draw, count, trees = random.Random(SEED), 20, list(strategies("abcde"))
    for _ in range(count):
        p = _likely("abcde", draw)
        for depths in trees:
            demand(is_at_most(p, expected(depths, p)), f"{depths} must need at least H(X) for {p}")
    yield f"{count} random priors, {len(trees)} strategies each: H(X) ≤ E n every time, exactly"
    for depths in trees:
        p = {x: Fraction(1, 2**depth) for x, depth in depths.items()}
        needed = expected(depths, p)
        expect((questions(p).expected, needed), (needed,) * 2, f"questions for {p}")
        expect(shannon_entropy(list(p.values())), needed, f"H(X) for {p}")
    yield f"{len(trees)} priors that are powers of 2: H(X) is attained"
    p = dict(zip("abc", map(Fraction, ("2/5", "3/10", "3/10")), strict=True))
    bits, best = shannon_entropy(list(p.values())), questions(p).expected
    expect((round(bits, 6), best), (1.570951, Fraction(8, 5)), "H(X) and the fewest questions")
    yield f"({', '.join(map(str, p.values()))}): H(X) = {bits:.6f} ≤ {best}, the best E n"


@claim(
    "Q-D3",
    "Conditional entropy, the posteriors' entropy on average, is between 0 and H(X): 0 exactly if "
    "the output determines the secret, H(X) exactly if the two are independent.",
)
def conditional() -> Iterator[str]:
    """The formula on random channels and priors, and both ends."""
    count, ends = 150, [0, 0]
    for channel, prior in any_cases(count, 3, 3):
        after, before = hyper(channel, prior), shannon_entropy(prior)
        found = conditional_entropy(channel, prior)
        beliefs = [(p, after.posterior(z)) for z, p in after.outer.items()]
        mean = math.fsum(float(p) * in_bits(q for _, q in belief.items()) for p, belief in beliefs)
        demand(abs(found - mean) < CLOSE, f"H(X|Y) must be the mean {mean}, got {found}")
        demand(0 <= found <= before, f"H(X|Y) must be between 0 and {before}, got {found}")
        sure = all(len(belief.support) == 1 for _, belief in beliefs)
        same = all(belief == prior for _, belief in beliefs)
        expect((found == 0, found == before), (sure, same or before == 0), "what the ends say")
        ends[0] += sure
        ends[1] += same
    yield f"{count} random cases: 0 ≤ H(X|Y) ≤ H(X); at the ends {ends[0]} and {ends[1]}, as said"
    bits = conditional_entropy(RESPONSE)
    expect(round(bits, 6), 0.918296, "H(X|Y) of randomised response 2/3")
    yield f"randomised response 2/3, uniform prior: H(X|Y) = {bits:.6f}"


@claim(
    "Q-D4",
    "The adversary with one try succeeds with chance max p, and −log2 max p is min-entropy, the "
    "limit of Rényi's log2(Σ p^α)/(1 − α). Left by an observation, in Smith's form it never rises; "
    "in Cachin's, a mean of logs, it can.",
)
def one_try() -> Iterator[str]:
    """Rényi's entropies near ∞, and both conditional forms on random channels."""
    bits, far = renyi_entropy(SKEWED, math.inf), renyi_entropy(SKEWED, 1000)
    expect((round(bits, 6), vulnerability(SKEWED)), (0.152003, Fraction(9, 10)), "H∞ and max p")
    demand(bits <= far <= bits * 1000 / 999 + CLOSE, f"H of order 1000 must be near, got {far}")
    yield f"(9/10, 1/10): H∞ = {bits:.6f}, of order 1000 {far:.6f}"
    count, higher = 200, 0
    for channel, prior in any_cases(count, 3, 3):
        for order in (Fraction(1, 2), Fraction(2), Fraction(7, 2)):
            powers = math.fsum(float(p) ** float(order) for _, p in prior.items() if p > 0)
            found, formula = renyi_entropy(prior, order), math.log2(powers) / float(1 - order)
            demand(abs(found - formula) < CLOSE, f"H of order {order}: {formula}, got {found}")
        before = renyi_entropy(prior, math.inf)
        after = conditional_renyi_entropy(channel, prior)
        demand(after <= before, f"Smith's form must be at most {before}, got {after}")
        higher += cachin_entropy(channel, prior) > before
    yield f"{count} random cases, H of orders ½, 2, 3½ by formula; Cachin's form rises in {higher}"
    cachin, smith = cachin_entropy(FLIP, SKEWED), conditional_renyi_entropy(FLIP, SKEWED)
    expect((round(cachin, 6), smith), (0.167185, bits), "both forms for a bit flipped with 1/5")
    yield f"flipped with 1/5: Cachin's form {cachin:.6f} > {bits:.6f}, Smith's is {smith:.6f}"
