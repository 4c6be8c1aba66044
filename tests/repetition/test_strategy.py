"""Guesses that are given: against all sequences written out, and against the best ones."""

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest

from leaktight.channels.channel import Channel
from leaktight.channels.gain import Loss
from leaktight.errors import InvalidInput, LeaktightError, Mismatch, TooLarge
from leaktight.repetition.success import expected_loss, success_probability

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
FOUR = Channel.normalised([[4, 3, 2, 0], [1, 2, 3, 4], [2, 2, 3, 3]])


@pytest.mark.parametrize("n", [0, 1, 3, 4])
def test_any_guesses_are_right_as_often_as_over_all_sequences(n: int) -> None:
    draw, prior = random.Random(n), [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    table = {
        frozenset(Counter(seen).items()): draw.randrange(3) for seen in product(range(4), repeat=n)
    }

    def guess(counts: Mapping[Any, int]) -> int:
        return table[frozenset((z, times) for z, times in counts.items() if times)]

    by_hand = Fraction(0)
    for seen in product(range(4), repeat=n):
        x = table[frozenset(Counter(seen).items())]
        by_hand += prior[x] * prod((Fraction(FOUR[x, z]) for z in seen), start=Fraction(1))
    found = success_probability(FOUR, prior, n, strategy=guess)
    assert found.is_exact
    assert (found.lower, found.error.lower) == (by_hand, 1 - by_hand)


def test_the_best_guesses_are_as_good_as_when_none_are_given_and_others_worse() -> None:
    best = success_probability(COIN, n=5)
    majority = success_probability(COIN, n=5, strategy=lambda seen: int(seen[1] > seen[0]))
    first = success_probability(COIN, n=5, strategy=lambda seen: 0)
    assert majority.lower == best.lower
    assert first.lower == Fraction(1, 2) < best.lower


def test_a_prior_of_floats_is_divided_by_its_sum_here_too() -> None:
    chances = [0.09120222323242, 0.48692369463444435, 0.4218740821331358]
    total = sum(map(Fraction, chances))
    assert total != 1
    prior = dict(enumerate(chances))
    found = success_probability(FOUR, prior, 0, strategy=lambda seen: 1)
    best = success_probability(FOUR, prior, 0)
    assert found.lower == Fraction(chances[1]) / total
    assert best.lower <= found.lower <= best.upper


@pytest.mark.parametrize(
    ("channel", "n", "strategy", "error", "words"),
    [
        (COIN, 1, lambda seen: "heads", Mismatch, "one of the inputs, got 'heads'"),
        (COIN.float(), 1, lambda seen: 0, InvalidInput, "must be exact"),
        (COIN, 1, {0: 0}, InvalidInput, "function of the counts seen"),
        (FOUR, 200, lambda seen: 0, TooLarge, "1,373,701 different observations"),
        (COIN, -1, lambda seen: 0, LeaktightError, "whole number of times"),
    ],
)
def test_what_is_no_strategy_gets_one_line(
    channel: Channel, n: int, strategy: Any, error: type[LeaktightError], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        success_probability(channel, None, n, strategy)
    assert "\n" not in str(caught.value)


def test_the_loss_of_given_guesses_is_that_of_all_sequences() -> None:
    """Equation 10 of [Boreale2012], term by term; the likeliest guess, and one that is given."""
    prior = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    rows = [[Fraction(k, 6) for k in row] for row in ([3, 2, 1], [1, 1, 4], [2, 2, 2])]
    squared = Loss.by_distance(range(3), lambda a, b: (a - b) ** 2 + 1)
    for n in (1, 2, 3):
        likeliest = given = Fraction(0)
        for seen in product(range(3), repeat=n):
            joint = [p * prod(row[z] for z in seen) for p, row in zip(prior, rows, strict=True)]
            guess = joint.index(max(joint))
            likeliest += sum(p * ((guess - x) ** 2 + 1) for x, p in enumerate(joint))
            most = min(2, seen.count(2))
            given += sum(p * ((most - x) ** 2 + 1) for x, p in enumerate(joint))
        channel = Channel(rows)
        assert expected_loss(channel, squared, prior, n, guess="likeliest").lower == likeliest
        assert (
            expected_loss(channel, squared, prior, n, lambda seen: min(2, seen[2])).lower == given
        )
        assert expected_loss(channel, squared, prior, n).upper <= min(likeliest, given)
    with pytest.raises(LeaktightError, match="'best', 'likeliest' or a function"):
        expected_loss(channel, squared, guess="first")  # type: ignore[arg-type]
    with pytest.raises(LeaktightError, match="one of the loss's"):
        expected_loss(channel, squared, guess=lambda seen: 7)
