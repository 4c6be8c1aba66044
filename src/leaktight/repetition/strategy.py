"""Attackers whose guesses are given, whether or not they are the best."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from math import comb, factorial, prod
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq, fmpz

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.gain import Loss
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.numbers import Array, exact_array
from leaktight.labels import positions
from leaktight.repetition.enclosure import Enclosed, SuccessProbability, enclosed
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
    seen = _exact(channel)
    if not callable(strategy):
        raise InvalidInput(f"a strategy is a function of the counts seen, got {strategy!r:.60}")
    place, right = {x: i for i, x in enumerate(seen.inputs)}, fmpq(0)
    for counts, joint in _types(seen, prior, n):
        guess = strategy(counts)
        if guess not in place:
            raise Mismatch(f"a guess must be one of the inputs, got {guess!r:.40}")
        right += joint[place[guess]]
    return SuccessProbability.of_error((1 - right, 1 - right), n, "types", True)


def loss_of_guesses(
    channel: Any, loss: Loss, prior: PriorLike, n: int, guess: Strategy | None
) -> Enclosed:
    """Return U_n, what given guesses lose, or, without them, those of the likeliest input.

    Equation 10 of [Boreale2012]_. Of inputs that are equally likely the first is guessed.

    >>> from leaktight.channels.channel import Channel
    >>> rows = Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]])
    >>> squared = Loss.by_distance(range(3), lambda a, b: (a - b) ** 2)
    >>> loss_of_guesses(rows, squared, None, 1, None)
    Enclosed(1 after 1 observation; types)
    """
    seen = _exact(channel)
    costs = loss.matrix[:, positions(seen.inputs, loss.inputs, "input of the loss")]
    place, lost = {w: i for i, w in enumerate(loss.guesses)}, fmpq(0)
    for counts, joint in _types(seen, prior, n):
        likeliest = seen.inputs[int(np.argmax(joint))]
        guessed = likeliest if guess is None else guess(counts)
        if guessed not in place:
            raise Mismatch(f"a guess must be one of the loss's, got {guessed!r:.40}")
        lost += (exact_array(costs[place[guessed]]) * joint).sum()
    return enclosed((lost, lost), n, "types", loss.is_exact)


def _exact(channel: Any) -> Channel:
    seen = expect_channel(channel)
    if not seen.is_exact:
        raise InvalidInput("for guesses that are given the channel must be exact: .exact()")
    return seen


def _types(seen: Channel, prior: PriorLike, n: int) -> Iterator[tuple[dict[Hashable, int], Array]]:
    """Yield how often each output was seen, with how likely that is together with each input."""
    types = comb(n + len(seen.outputs) - 1, n)
    if types > MOST_GUESSES:
        raise TooLarge(
            f"{types:,} different observations are too many to ask a strategy for each, at most "
            f"{MOST_GUESSES:,}; without one the best guesses are taken"
        )
    belief, rows = prior_on(prior, seen.inputs).exact().array, exact_array(seen.matrix)
    for counts in compositions(n, len(seen.outputs)).tolist():
        sequences = fmpz(factorial(n) // prod(map(factorial, counts)))
        joint = sequences * belief
        for z, times in enumerate(counts):
            joint = joint * rows[:, z] ** times
        yield dict(zip(seen.outputs, counts, strict=True)), joint
