"""How often is an attacker right whose guesses are given, whether or not they are the best?"""

from collections.abc import Callable, Hashable, Mapping
from math import comb, factorial, prod
from typing import Any, TypeAlias

from flint import fmpq, fmpz

from leaktight.channels.channel import expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.numbers import exact_array
from leaktight.repetition.enclosure import SuccessProbability
from leaktight.repetition.types.type_classes import compositions

Strategy: TypeAlias = Callable[[Mapping[Hashable, int]], Hashable]
"""The guess for how often each output was seen."""

MOST_GUESSES = 200_000
"""The most different observations for which a strategy is asked, in a few seconds."""


def success_of_strategy(
    channel: Any, prior: PriorLike, n: int, strategy: Strategy
) -> SuccessProbability:
    """Return Σ_t C(t)·p(w)·Π_z K(z|w)^t(z) over all types t, w the guess for t.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> success_of_strategy(coin, None, 3, lambda seen: int(seen[1] == 3))  # only if all say so
    SuccessProbability(right 17/27, wrong 10/27 after 3 observations; types)
    """
    seen = expect_channel(channel)
    if not seen.is_exact:
        raise InvalidInput("for guesses that are given the channel must be exact: .exact()")
    if not callable(strategy):
        raise InvalidInput(f"a strategy is a function of the counts seen, got {strategy!r:.60}")
    types = comb(n + len(seen.outputs) - 1, n)
    if types > MOST_GUESSES:
        raise TooLarge(
            f"{types:,} different observations are too many to ask a strategy for each, at most "
            f"{MOST_GUESSES:,}; without one the best guesses are taken"
        )
    belief = prior_on(prior, seen.inputs).exact().array
    rows, place = exact_array(seen.matrix), {x: i for i, x in enumerate(seen.inputs)}
    right = fmpq(0)
    for counts in compositions(n, len(seen.outputs)).tolist():
        guess = strategy(dict(zip(seen.outputs, counts, strict=True)))
        if guess not in place:
            raise Mismatch(f"a guess must be one of the inputs, got {guess!r:.40}")
        sequences = fmpz(factorial(n) // prod(map(factorial, counts)))
        chances = (p**times for p, times in zip(rows[place[guess]], counts, strict=True))
        right += sequences * belief[place[guess]] * prod(chances, start=fmpq(1))
    return SuccessProbability.of_error((1 - right, 1 - right), n, "types", True)
