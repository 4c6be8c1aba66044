"""What does [Alvim2011a] say of other entropies, and is it so?"""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate

from leaktight.channels import Channel
from leaktight.leakage import (
    conditional_guessing_entropy,
    conditional_marginal_guesswork,
    guessing_entropy,
    guessing_leakage,
    marginal_guesswork,
)
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import SEED, any_cases

SIGN = Erratum(
    50,
    "false",
    "leakage by guessing entropy and by marginal guesswork is said to be ensured not to be "
    "negative for deterministic channels, and only for them",
    "the text does not define them; if what is left is averaged over outputs, as for Shannon’s "
    "entropy, leakage by guessing entropy, which is concave, is never negative, and leakage by "
    "marginal guesswork can be negative for a deterministic channel",
)


def _guesses(weights: Sequence[Fraction]) -> Fraction:
    """Return Σ_i i·p_i with the likeliest first, for weights of any sum.

    >>> _guesses([Fraction(1, 4), Fraction(3, 4)])
    Fraction(5, 4)
    """
    return sum((i * p for i, p in enumerate(sorted(weights, reverse=True), 1)), Fraction(0))


def _tries(weights: Sequence[Fraction], chance: Fraction) -> int:
    """Return how many of the likeliest have at least that share of the sum.

    >>> _tries([Fraction(1, 4), Fraction(3, 4)], Fraction(4, 5))
    2
    """
    shares = accumulate(sorted(weights, reverse=True))
    return 1 + sum(share < chance * sum(weights) for share in shares)


@claim(
    "Q-sign",
    "For deterministic channels leakage is said not to be negative by any of four entropies, and "
    "for others only by Shannon's and min-entropy. If what is left is averaged over outputs, both "
    "halves are false.",
    Verdict.FALSE,
    SIGN,
    source="Section 1 of [Alvim2011a]",
)
def sign() -> Iterator[str]:
    """Random channels, each number by hand, too; one question for marginal guesswork."""
    tried, least, draw = 300, Fraction(1), random.Random(SEED)
    for channel, prior in any_cases(tried, 4, 3):
        p, chance = [Fraction(prior[x]) for x in channel.inputs], Fraction(draw.randint(1, 9), 10)
        rows = channel.fractions
        seen = [[row[z] * q for row, q in zip(rows, p, strict=True)] for z in range(len(rows[0]))]
        seen = [column for column in seen if sum(column) > 0]
        before, after = guessing_entropy(prior), conditional_guessing_entropy(channel, prior)
        by_hand = _guesses(p), sum(map(_guesses, seen), Fraction(0))
        expect((before, after), by_hand, "guessing entropy before and after")
        leaked = guessing_leakage(channel, prior)
        expect((leaked.before, leaked.after), by_hand, "the guesses that the leakage compares")
        tries = marginal_guesswork(prior, chance)
        left = conditional_marginal_guesswork(channel, prior, chance)
        tried_by_hand = sum((sum(column) * _tries(column, chance) for column in seen), Fraction(0))
        expect(
            (tries, left),
            (_tries(p, chance), tried_by_hand),
            f"marginal guesswork at {chance} before and after",
        )
        least = min(least, Fraction(before) - Fraction(after))
    demand(least >= 0, f"no leakage by guessing entropy may be negative, got {least}")
    yield f"guessing entropy, {tried} random channels: the least leakage is {least}"
    half, first = ["1/2", *["1/10"] * 5], Channel.deterministic(lambda x: x == 0, 6)
    before = marginal_guesswork(half, "1/2")
    after = conditional_marginal_guesswork(first, half, "1/2")
    expect((before, after), (1, 2), "the guesses that succeed with chance 1/2")
    yield f"marginal guesswork, chance 1/2, told if it is the first: {before} before, {after} after"
