import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidNumber
from leaktight.leakage.entropy import shannon_entropy
from leaktight.leakage.groups import Tree
from leaktight.leakage.guesswork import (
    conditional_marginal_guesswork,
    conditional_questions,
    marginal_guesswork,
    questions,
)
from leaktight.leakage.hyper import hyper
from tests.strategies.channels import channels_and_priors, distributions
from tests.strategies.fractions import fractions

PRIORS = st.integers(1, 5).flatmap(distributions)


@given(PRIORS, fractions("1/20", 1, max_denominator=20))
def test_guesses_are_those_of_the_best_order(prior: Distribution, chance: Fraction) -> None:
    def needed(order: tuple[int, ...]) -> int:
        return next(
            k
            for k in range(1, len(prior) + 1)
            if sum((Fraction(prior[x]) for x in order[:k]), Fraction(0)) >= chance
        )

    assert marginal_guesswork(prior, chance) == min(map(needed, permutations(range(len(prior)))))


def depths(tree: Tree, depth: int = 0) -> dict[object, int]:
    if not isinstance(tree, tuple):
        return {tree: depth}
    return {**depths(tree[0], depth + 1), **depths(tree[1], depth + 1)}


def fewest(chances: list[Fraction]) -> Fraction:
    """The least expected number of questions, over all ways to split the values in two."""
    if len(chances) == 1:
        return Fraction(0)
    splits = range(1, 2 ** (len(chances) - 1))
    return sum(chances, Fraction(0)) + min(
        fewest([p for i, p in enumerate(chances) if s >> i & 1])
        + fewest([p for i, p in enumerate(chances) if not s >> i & 1])
        for s in splits
    )


@given(PRIORS)
def test_no_questions_are_fewer_than_huffmans(prior: Distribution) -> None:
    found = questions(prior)
    asked = depths(found.tree)
    assert set(asked) == set(prior.support)
    expected = sum((Fraction(prior[v]) * k for v, k in asked.items()), Fraction(0))
    assert found.expected == expected == fewest([Fraction(prior[v]) for v in prior.support])
    entropy = shannon_entropy(prior)
    assert entropy - 2**-40 <= found.expected < entropy + 1


@given(channels_and_priors())
def test_after_looking_it_is_the_mean_over_posteriors(pair: tuple[Channel, Distribution]) -> None:
    channel, prior = pair
    after = hyper(channel, prior)
    outer = {z: Fraction(after.outer[z]) for z in after.outer.values}
    assert conditional_questions(channel, prior) == sum(
        (p * questions(after.posterior(z)).expected for z, p in outer.items()), Fraction(0)
    )
    assert conditional_questions(channel, prior) <= questions(prior).expected
    assert conditional_marginal_guesswork(channel, prior, "1/3") == sum(
        (p * marginal_guesswork(after.posterior(z), "1/3") for z, p in outer.items()), Fraction(0)
    )
    near = conditional_questions(channel.float(), prior.float())
    assert math.isclose(near, conditional_questions(channel, prior), abs_tol=2**-40)


def test_a_chance_must_be_one() -> None:
    for wrong in (0, "11/10", -1):
        with pytest.raises(InvalidNumber, match="above 0 and at most 1"):
            marginal_guesswork([1], wrong)
