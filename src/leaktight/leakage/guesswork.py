"""Guesswork, and Huffman's questions: how many guesses, or questions, it takes.

Guesses name one value at a time; questions may ask whether the secret is in any set.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import Distribution, PriorLike, known, prior_on
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, Value, is_exact, kept, public, rational, total
from leaktight.leakage.groups import Groups
from leaktight.leakage.hyper import posteriors
from leaktight.leakage.vulnerability import Leakage, joint

Tree: TypeAlias = Hashable | tuple["Tree", "Tree"]
"""A value, or a question: the tree if it is yes and the tree if it is no."""


def guessing_entropy(prior: PriorLike) -> Value:
    """Return how many guesses it takes on average to hit the secret, likeliest values first.

    >>> guessing_entropy(["1/2", "1/4", "1/4"])
    Fraction(7, 4)
    """
    return public(Groups.cut(known(prior).array).guesses())


def conditional_guessing_entropy(channel: Channel, prior: PriorLike = None) -> Value:
    """Return how many guesses it takes on average after the observation."""
    return public(_expected(channel, prior_on(prior, expect_channel(channel).inputs)))


def guessing_leakage(channel: Channel, prior: PriorLike = None) -> Leakage:
    """Return by how much the observation lowers the expected number of guesses."""
    belief = prior_on(prior, expect_channel(channel).inputs)
    return Leakage.of_loss(Groups.cut(belief.array).guesses(), _expected(channel, belief))


def _expected(channel: Channel, belief: Distribution) -> Any:
    if isinstance(channel, Deterministic):
        return Groups.of(channel, belief).guesses()
    joined = joint(channel, belief)
    if is_exact(joined):
        return Groups.of_joint(joined).guesses()
    ranked = np.sort(joined, axis=0)[::-1]
    return total((np.arange(1, len(ranked) + 1)[:, None] * ranked).sum(axis=0))


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
    return _mean(channel, prior, lambda belief: _guesses(belief, chance))


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
    tree, expected = _huffman(known(prior))
    return Questions(tree, public(expected))


def _huffman(belief: Distribution) -> tuple[Tree, Any]:
    """Return the tree, and the sum of the weights of its questions.

    Of equal weights, all are paired before a larger one is looked at, so they are kept together.
    """
    groups = Groups.cut(belief.array)
    waiting: dict[Any, list[Tree]] = {}
    for i, weight in zip(groups.inputs.tolist(), groups.weights.tolist(), strict=True):
        waiting.setdefault(weight, []).append(belief.values[i])
    smallest = list(waiting)
    heapify(smallest)
    asked: list[Any] = []

    def ask(weight: Any, trees: list[Tree]) -> None:
        asked.extend([weight] * len(trees))
        if weight not in waiting:
            waiting[weight] = []
            heappush(smallest, weight)
        waiting[weight] += trees

    alone: tuple[Any, Tree] | None = None
    while smallest:
        weight = heappop(smallest)
        trees = waiting.pop(weight)
        if alone is not None:
            ask(alone[0] + weight, [(trees[0], alone[1])])
            trees = trees[1:]
        if len(trees) > 1:
            ask(2 * weight, [(yes, no) for no, yes in zip(trees[::2], trees[1::2], strict=False)])
        alone = (weight, trees[-1]) if len(trees) % 2 else None
    assert alone is not None
    return alone[1], groups.chance(np.array(asked)) if asked else belief.array[0] * 0


def conditional_questions(channel: Channel, prior: PriorLike = None) -> Value:
    """Return the expected number of yes-or-no questions that are left after looking.

    >>> conditional_questions(Channel.deterministic(lambda x: x % 2, 4))
    Fraction(1, 1)
    """
    if isinstance(channel, Deterministic):
        return _mean(channel, prior, lambda belief: _huffman(belief)[1])
    belief = prior_on(prior, expect_channel(channel).inputs)
    joined = kept(joint(channel, belief), belief.array[:, None], channel.matrix)
    return public(Groups.of_joint(joined).questions())


def _mean(channel: Channel, prior: PriorLike, of: Callable[[Distribution], Any]) -> Value:
    """Return the mean, over the outputs, of a number that each posterior has."""
    belief = prior_on(prior, expect_channel(channel).inputs)
    return public(total(np.array([p * of(after) for p, after in posteriors(channel, belief)])))
