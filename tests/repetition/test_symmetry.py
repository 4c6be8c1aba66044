"""Questions that are alike: symmetries by their definition, and what is searched with them."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.distribution import Distribution
from leaktight.repetition import adaptive
from leaktight.repetition.adaptive import Ask, Guess, Tree, best_attack
from leaktight.repetition.questions import Certain, read_questions
from leaktight.repetition.symmetry import Symmetries, symmetries


def checker(digits: int, values: int, *, timed: bool = False) -> Any:
    """Say how many digits, or first digits, of each guess (row) are right for each code."""
    codes = np.array(list(product(range(values), repeat=digits)))
    right = codes[:, None, :] == codes[None, :, :]
    return (right.cumprod(axis=2) if timed else right).sum(axis=2)


@st.composite
def alike(draw: st.DrawFn) -> tuple[Any, list[int]]:
    """Draw the turns of some questions, their answers renamed and all shuffled; and weights."""
    size = draw(st.integers(2, 6))
    shapes = draw(st.lists(st.lists(st.integers(0, 2), min_size=size, max_size=size), min_size=1))
    rows = [np.roll(shape, turn) for shape in shapes[:2] for turn in range(size)]
    rows = [np.array(draw(st.permutations(range(3))))[row] for row in draw(st.permutations(rows))]
    weights = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size).filter(any))
    if draw(st.booleans()):
        weights = [1] * size
    return np.array(rows)[:, draw(st.permutations(range(size)))], weights


def profiles(table: Any, weights: list[int], left: list[int]) -> Counter[Any]:
    return Counter((weights[x], *table[:, x].tolist()) for x in left)


def is_symmetry(found: Symmetries, element: Any, weights: list[int], left: list[int]) -> bool:
    """Whether some permutation of what is left has the answers of each secret renamed."""
    table = found.asked.table
    count = len(table)
    back = {int(number): z for row in found.answers for z, number in enumerate(row) if number >= 0}
    image = table.copy()
    for q in range(count):
        for x in range(table.shape[1]):
            image[element[q], x] = back[element[found.answers[q, table[q, x]]]]
    return profiles(image, weights, left) == profiles(table, weights, left)


@settings(max_examples=60)
@given(alike())
def test_symmetries_are_symmetries_of_what_is_left(case: tuple[Any, list[int]]) -> None:
    table, weights = case
    asked = read_questions(table)
    assert isinstance(asked, Certain)
    found = symmetries(asked, np.array(weights, dtype=object))
    left = list(range(len(weights)))
    for q in range(2):
        if found is None:
            return
        assert len(found.representatives) < len(table)
        assert all(is_symmetry(found, element, weights, left) for element in found.elements)
        x = left[-1]
        left = [y for y in left if asked.table[q, y] == asked.table[q, x]]
        found = found.after(q, x)


def test_all_codes_are_alike_and_then_only_their_distances_count() -> None:
    """The group of a checker of digits is that of the Hamming graph."""
    for timed in (False, True):
        asked = read_questions(checker(3, 4, timed=timed))
        assert isinstance(asked, Certain)
        found = symmetries(asked, np.ones(64, dtype=object))
        assert found is not None
        assert found.representatives.tolist() == [0]
    asked = read_questions(checker(3, 4))
    assert isinstance(asked, Certain)
    found = symmetries(asked, np.ones(64, dtype=object))
    assert found is not None
    after = found.after(0, 63)
    assert after is not None
    assert after.representatives.tolist() == [0, 1, 5, 21]


def test_nothing_is_alike_by_chance() -> None:
    """No symmetry is found where none is, of questions or of weights."""
    drawn = np.random.default_rng(0).integers(3, size=(40, 40))
    for table, weights in ((drawn, [1] * 40), (np.eye(4, dtype=int), [1, 2, 3, 4])):
        asked = read_questions(table)
        assert isinstance(asked, Certain)
        assert symmetries(asked, np.array(weights, dtype=object)) is None


def earned(tree: Tree, table: Any, weights: Any, left: list[int]) -> Any:
    if isinstance(tree, Guess):
        assert tree.guess in left
        return weights[tree.guess]
    assert isinstance(tree, Ask)
    groups: dict[Any, list[int]] = {}
    for x in left:
        groups.setdefault(table[tree.question][x], []).append(x)
    return sum(earned(tree.after[z], table, weights, group) for z, group in groups.items())


@settings(max_examples=60, deadline=None)
@given(alike(), st.integers(1, 3))
def test_a_search_with_symmetries_finds_the_best(case: tuple[Any, list[int]], n: int) -> None:
    """Every tree there is, and every choice beforehand, against one question of each kind."""
    table, weights = case

    def by_definition(left: list[int], n: int) -> int:
        if n == 0:
            return max((weights[x] for x in left), default=0)
        each = ([[x for x in left if row[x] == z] for z in range(3)] for row in table)
        return max(sum(by_definition(part, n - 1) for part in parts) for parts in each)

    def beforehand(questions: tuple[int, ...]) -> int:
        seen: dict[Any, int] = {}
        for x, weight in enumerate(weights):
            answers = tuple(table[q, x] for q in questions)
            seen[answers] = max(seen.get(answers, 0), weight)
        return sum(seen.values())

    prior = Distribution.from_counts(weights)
    possible = [x for x, weight in enumerate(weights) if weight]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive, "AT_FIRST", 0)
        patch.setattr(adaptive, "BLOCK", 0)
        patch.setattr(adaptive, "comb", lambda *_: 2**60)
        chosen = best_attack(table, n, prior)
        fixed = best_attack(table, n, prior, adaptive=False)
    for found in (chosen, fixed):
        assert found.is_exact
        assert earned(found.tree, table, weights, possible) == found.lower * sum(weights)
    assert chosen.lower * sum(weights) == by_definition(possible, n)
    every = product(range(len(table)), repeat=n)
    assert fixed.lower * sum(weights) == max(map(beforehand, every))


@pytest.mark.parametrize("timed", [False, True])
def test_three_digits_of_seven_values(timed: bool) -> None:
    """Against a search that is told which codes are alike, up to the last question."""
    table = checker(3, 7, timed=timed)

    def answers(left: Any) -> int:
        return max(sum((table[:, left] == z).any(axis=1).astype(int) for z in range(4)))

    def groups(q: int, left: Any) -> list[Any]:
        return [left[table[q, left] == z] for z in set(table[q, left].tolist())]

    others = (0, 1, 7, 49, 8, 50, 56, 57)
    parts = groups(0, np.arange(343))
    best = sum(max(sum(map(answers, groups(q, part))) for q in others) for part in parts)
    three = best_attack(table, 3)
    assert (three.lower, three.upper) == (Fraction(best, 343), Fraction(best, 343))
    assert best_attack(table, 3, adaptive=False).is_exact
