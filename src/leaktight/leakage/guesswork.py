"""Guesswork, and Huffman's questions: how many guesses, or questions, it takes.

Guesses name one value at a time; questions may ask whether the secret is in any set.
"""

from dataclasses import dataclass

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, known
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, Value, public, rational
from leaktight.leakage.groups import Groups, Tree, huffman
from leaktight.leakage.joint import joint_of_one
from leaktight.leakage.vulnerability import Leakage


def guessing_entropy(prior: PriorLike) -> Value:
    """Return how many guesses it takes on average to hit the secret, likeliest values first.

    >>> guessing_entropy(["1/2", "1/4", "1/4"])
    Fraction(7, 4)
    """
    return public(Groups.cut(known(prior).array).guesses())


def conditional_guessing_entropy(channel: Channel, prior: PriorLike = None) -> Value:
    """Return how many guesses it takes on average after the observation."""
    return public(joint_of_one(channel, prior).guesses())


def guessing_leakage(channel: Channel, prior: PriorLike = None) -> Leakage:
    """Return by how much the observation lowers the expected number of guesses."""
    seen = joint_of_one(channel, prior)
    return Leakage.of_loss(Groups.cut(seen.prior.array).guesses(), seen.guesses())


def marginal_guesswork(prior: PriorLike, chance: Number) -> int:
    """Return how many guesses are right with at least a chance: marginal guesswork [Pliam2000]_.

    >>> marginal_guesswork(["1/2", "1/4", "1/8", "1/8"], "3/4")
    2
    """
    return _guesses(known(prior), chance)


def conditional_marginal_guesswork(
    channel: Channel, prior: PriorLike = None, chance: Number = "1/2"
) -> Value:
    """Return how many guesses, on average over the outputs, are right with at least a chance.

    It may grow by looking, even at a function of the secret.

    >>> told = Channel.deterministic(lambda x: x > 0, 6)
    >>> prior = ["1/2", "1/10", "1/10", "1/10", "1/10", "1/10"]
    >>> marginal_guesswork(prior, "1/2"), conditional_marginal_guesswork(told, prior, "1/2")
    (1, Fraction(2, 1))
    """
    return public(joint_of_one(channel, prior).mean(lambda belief: _guesses(belief, chance)))


def _guesses(belief: Distribution, chance: Number) -> int:
    enough = rational(chance)
    if not 0 < enough <= 1:
        raise InvalidNumber(f"a chance must be above 0 and at most 1, got {chance}")
    if enough == 1:
        return len(belief.support)
    ranked = np.sort(belief.exact().array)[::-1]
    return 1 + int(np.count_nonzero(np.cumsum(ranked) < enough))


@dataclass(frozen=True, slots=True)
class Questions:
    """Yes-or-no questions that find a secret in the least expected number."""

    tree: Tree
    """A value, or a pair of trees: what is left after yes, and after no."""
    expected: Value
    """The expected number of questions."""


def questions(prior: PriorLike) -> Questions:
    """Return the best yes-or-no questions about a secret: Huffman's tree.

    The expected number is at least Shannon's entropy and less than one above it.

    >>> best = questions({"flu": "1/2", "cold": "1/4", "none": "1/4"})
    >>> best.tree, best.expected
    ((('none', 'cold'), 'flu'), Fraction(3, 2))
    """
    tree, expected = huffman(known(prior))
    return Questions(tree, public(expected))


def conditional_questions(channel: Channel, prior: PriorLike = None) -> Value:
    """Return the expected number of yes-or-no questions that are left after looking.

    >>> conditional_questions(Channel.deterministic(lambda x: x % 2, 4))
    Fraction(1, 1)
    """
    return public(joint_of_one(channel, prior).questions())
