"""An attacker who chooses: the best questions, against all that can be asked."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import sequential
from leaktight.channels.distribution import Distribution
from leaktight.channels.program.chance import Chance
from leaktight.channels.program.program import channel_of
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch, TooLarge
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.repetition import adaptive
from leaktight.repetition.adaptive import Ask, Attack, Guess, Tree, best_attack
from tests.strategies.channels import channels, distributions


def by_definition(weights: list[Any], asked: list[Channel], n: int) -> Any:
    """Try every question at every step."""
    if n == 0:
        return max(weights)
    found = []
    for channel in asked:
        left = [[w * channel[x, z] for x, w in enumerate(weights)] for z in channel.outputs]
        found.append(sum((by_definition(each, asked, n - 1) for each in left), Fraction(0)))
    return max(found)


def played(tree: Tree, weights: list[Any], asked: Mapping[Any, Channel]) -> Any:
    """Return how often who follows the tree guesses right; check what it says on the way."""
    if isinstance(tree, Guess):
        whole = sum(weights)
        right = weights[int(str(tree.guess))]
        assert whole == 0 or right == tree.chance * whole
        return right
    right = Fraction(0)
    for z in asked[tree.question].outputs:
        left = [w * asked[tree.question][x, z] for x, w in enumerate(weights)]
        if any(left):
            right += played(tree.after[z], left, asked)
    return right


@settings(max_examples=40)
@given(st.data())
def test_the_best_tree_is_that_of_the_definition(data: st.DataObject) -> None:
    """Functions of the secret and channels with noise, any prior."""
    size, n = data.draw(st.integers(1, 5)), data.draw(st.integers(0, 2))
    if data.draw(st.booleans()):
        answers = st.lists(st.integers(0, 2), min_size=size, max_size=size)
        tables = data.draw(st.lists(answers, min_size=1, max_size=4))
        asked = {q: Channel.deterministic(np.array(t), size) for q, t in enumerate(tables)}
    else:
        one = channels(size, 2)
        asked = dict(enumerate(data.draw(st.lists(one, min_size=1, max_size=2))))
    prior = data.draw(distributions(size))
    weights = [prior[x] for x in range(size)]
    chosen = best_attack(asked, n, prior)
    assert chosen.is_exact
    assert chosen.lower == by_definition(weights, list(asked.values()), n)
    assert chosen.lower == played(chosen.tree, weights, asked)
    fixed = best_attack(asked, n, prior, adaptive=False)
    assert fixed.lower <= chosen.lower
    assert fixed.lower == played(fixed.tree, weights, asked)
    every = combinations_with_replacement(asked.values(), n)
    assert fixed.is_exact
    assert fixed.lower == max(_beforehand(each, prior) for each in every)


def _beforehand(asked: tuple[Channel, ...], prior: Distribution) -> Any:
    together = Channel.no_interference(prior.values)
    for channel in asked:
        together = sequential(together, channel)
    return posterior_vulnerability(together, prior)


def digits_right(digits: int, values: int) -> Any:
    """Say how many digits of each guess (row) are right for each code (column)."""
    codes = np.array(list(product(range(values), repeat=digits)))
    return (codes[:, None, :] == codes[None, :, :]).sum(axis=2)


@pytest.mark.parametrize(("digits", "values", "n"), [(2, 3, 1), (2, 3, 2), (2, 4, 2), (3, 2, 3)])
def test_a_checker_that_counts_right_digits(digits: int, values: int, n: int) -> None:
    """The number of leaves, by every tree there is."""
    table = digits_right(digits, values)

    def leaves(left: list[int], n: int) -> int:
        if n == 0:
            return 1
        return max(
            sum(leaves([x for x in left if row[x] == z], n - 1) for z in {row[x] for x in left})
            for row in table.tolist()
        )

    found = best_attack(table, n)
    assert found.is_exact
    assert found.lower == Fraction(leaves(list(range(len(table))), n), len(table))


def test_what_is_too_large_to_search_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    table = digits_right(3, 3)
    exact = best_attack(table, 3)
    fixed = best_attack(table, 3, adaptive=False)
    assert exact.is_exact
    assert fixed.is_exact
    monkeypatch.setattr(adaptive, "MOST", 0)
    for bounded, best in (
        (best_attack(table, 3), exact),
        (best_attack(table, 3, adaptive=False), fixed),
    ):
        assert not bounded.is_exact
        assert bounded.lower <= best.lower <= bounded.upper < 2
        codes = dict(enumerate(Channel.deterministic(row, 27) for row in table))
        assert played(bounded.tree, [Fraction(1, 27)] * 27, codes) == bounded.lower


def test_four_digits_that_open_or_not() -> None:
    """Three tries and a guess: 4/10000; two tries and a guess open by the third: 3/10000."""
    pins = np.eye(10_000, dtype=bool)
    three = best_attack(pins, 3)
    assert (three.lower, three.upper) == (Fraction(4, 10_000), Fraction(4, 10_000))
    left: Tree = three.tree
    for _ in range(3):
        assert isinstance(left, Ask)
        opened = left.after[True]
        assert isinstance(opened, Guess)
        assert opened.chance == 1
        left = left.after[False]
    assert isinstance(left, Guess)
    assert left.chance == Fraction(1, 9997)
    assert best_attack(pins[:100, :100], 2).lower == Fraction(3, 100)


def test_the_password_checker_of_example_1() -> None:
    """[Alvim2011a]: a wrong try excludes a password; whoever times it learns a prefix.

    With three bits, the first wrong digit leaves 4, 2 or 1 passwords or none: 4 of 8 are guessed
    after one try, 3 + 2 + 1 + 1 of 8 after two, and all after three.
    """
    words = ["".join(bits) for bits in product("01", repeat=3)]

    def timed(typed: str) -> Channel:
        def check(password: str, chance: Chance) -> str:
            for x, k in zip(typed, password, strict=True):
                chance.observe("iteration")
                if x != k:
                    return "Fail"
            return "OK"

        return channel_of(check, words)

    plain = {typed: Channel.deterministic({p: p == typed for p in words}, words) for typed in words}
    timing = {typed: timed(typed) for typed in words}
    assert [best_attack(plain, n).lower * 8 for n in range(4)] == [1, 2, 3, 4]
    assert [best_attack(timing, n).lower * 8 for n in range(4)] == [1, 4, 7, 8]
    first = best_attack(timing, 1).tree
    assert isinstance(first, Ask)
    assert len(first.after) == 4


def test_asking_again_averages_noise_away() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    assert best_attack({"answer": coin}, 3).lower == Fraction(20, 27)
    assert repr(best_attack({"answer": coin}, 1)) == "Attack(right 2/3 after 1 question)"


def test_wrong_questions_are_refused() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    with pytest.raises(InvalidInput, match="must have an order"):
        best_attack(np.array([[1, "a"], [None, 2]], dtype=object), n=1)
    with pytest.raises(InvalidInput, match="a channel for each question"):
        best_attack({}, 1)
    with pytest.raises(Mismatch, match="the same secrets, but not 'b'"):
        best_attack({"a": coin, "b": Channel.identity(3)}, 1)
    with pytest.raises(InvalidNumber, match="whole number of questions"):
        best_attack({"a": coin}, -1)
    with pytest.raises(TooLarge, match="more than"):
        best_attack({"a": coin}, 40)
    assert isinstance(best_attack({"a": coin}, 0), Attack)
