"""What does [Alvim2011a] say of other entropies, and is it so?"""

from collections.abc import Iterator
from fractions import Fraction

from leaktight.channels import Channel
from leaktight.leakage import (
    conditional_guessing_entropy,
    conditional_marginal_guesswork,
    guessing_entropy,
    marginal_guesswork,
)
from leaktight.papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight.papers.evidence import any_cases

SIGN = Erratum(
    50,
    "false",
    "leakage by guessing entropy can be negative for a probabilistic channel, and leakage by "
    "marginal guesswork cannot for a deterministic one",
    "guessing entropy is concave, so that its leakage is never negative; that of marginal "
    "guesswork, averaged over outputs, can be negative for a deterministic channel",
)


@claim(
    "Q-sign",
    "For deterministic channels leakage is said not to be negative by any of four entropies, and "
    "for others only by Shannon's and min-entropy. Both halves are false.",
    Verdict.FALSE,
    SIGN,
    source="Section 1 of [Alvim2011a]",
)
def sign() -> Iterator[str]:
    """Random channels for guessing entropy; one question for marginal guesswork."""
    tried, least = 500, Fraction(1)
    for channel, prior in any_cases(tried, 4, 3):
        after = conditional_guessing_entropy(channel, prior)
        least = min(least, Fraction(guessing_entropy(prior)) - Fraction(after))
    demand(least >= 0, f"no leakage by guessing entropy may be negative, got {least}")
    yield f"guessing entropy, {tried} random channels: the least leakage is {least}"
    half, first = ["1/2", *["1/10"] * 5], Channel.deterministic(lambda x: x == 0, 6)
    before = marginal_guesswork(half, "1/2")
    after = conditional_marginal_guesswork(first, half, "1/2")
    expect((before, after), (1, 2), "the guesses that succeed with chance 1/2")
    yield f"marginal guesswork, chance 1/2, told if it is the first: {before} before, {after} after"
