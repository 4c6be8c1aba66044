"""Adaptive attackers, who choose what to ask after seeing the answers before.

Of n questions, each may depend on the answers so far (a decision tree), or all are chosen
beforehand. Then the secret is guessed. To try a password is such a question, and to open with the
n-th try is to guess right after n − 1.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import comb
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Chance
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.shown import counted, percent
from leaktight.repetition.questions import BLOCK, Asked, Left, Questions, read_questions
from leaktight.repetition.symmetry import Symmetries

MOST = 2**30
"""How many answers are looked at before the best is no longer searched for, some ten seconds."""

AT_FIRST = 2**26
"""How many answers are looked at before it is asked which questions are alike."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Where questions end: the likeliest secret."""

    asks: ClassVar = False
    guess: Hashable
    chance: Fraction
    """How likely it is right, given the answers so far."""

    @property
    def after(self) -> Mapping[Hashable, "Ask | Guess"]:
        """Nothing: questions end."""
        return {}

    def step(self) -> str:
        """Say what to do."""
        return f"guess {self.guess!r:.40}, right with {percent(self.chance)}"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, and what to do after each answer."""

    asks: ClassVar = True
    question: Hashable
    after: Mapping[Hashable, "Ask | Guess"]

    def step(self) -> str:
        """Say what to do next."""
        return f"ask {self.question!r:.40}"


Tree: TypeAlias = Ask | Guess


@dataclass(frozen=True, slots=True, repr=False)
class Attack(Chance[Fraction]):
    """The chance that the best attacker guesses right, and what an attacker may ask.

    Who asks as said here attains ``lower``.
    """

    questions: int
    tree: Tree
    """What to ask first, what after each answer, and what to guess."""

    def __str__(self) -> str:
        return f"right {self.text} after {counted(self.questions, 'question', 'questions')}"


class Found(NamedTuple):
    """The value of what was found, and what no attacker exceeds, in units of the weights."""

    value: Any
    bound: Any
    tree: Tree


def best_attack(
    questions: Questions, n: int, prior: PriorLike = None, *, adaptive: bool = True
) -> Attack:
    """Return the best n questions about a secret, each chosen after the answers before.

    ``questions`` has a channel for each, all on the same secrets; or it is a numpy array with the
    answer to each question (row) for each secret (column). If not ``adaptive``, all are chosen
    beforehand. Of questions that a symmetry takes to one another, one is tried. What is too large
    to be searched is bounded: by what is found by taking the most telling question next, and by
    docs/proofs/adaptive.md.

    A lock of three digits is tried, and tells only whether it opens:

    >>> pins = np.eye(1000, dtype=bool)
    >>> two = best_attack(pins, 2)
    >>> two
    Attack(right 3/1000 after 2 questions)
    >>> refused_twice = two.tree.after[False].after[False]
    >>> refused_twice
    Guess(guess=2, chance=Fraction(1, 998))
    """
    if not isinstance(n, int | np.integer) or n < 0:
        raise InvalidNumber(f"there must be a whole number of questions, got {n!r:.60}")
    asked = read_questions(questions)
    asked.expect_few(int(n))
    asked, left, unit = asked.possible(prior_on(prior, asked.secrets).exact().array)
    found = _adaptive(asked, left, int(n)) if adaptive else _Beforehand(asked).best(left, int(n))
    lower, upper = (fraction(rational(end) * unit) for end in (found.value, found.bound))
    return Attack(lower, upper, int(n), found.tree)


def _guess(asked: Asked, left: Left) -> Guess:
    secrets, weights = left
    chance = rational(weights.max()) / rational(weights.sum())
    return Guess(asked.secrets[secrets[weights.argmax()]], fraction(chance))


def _adaptive(asked: Asked, left: Left, n: int) -> Found:
    """Return the best n questions, each chosen after the answers before."""
    found = _Search(asked, min(MOST, AT_FIRST)).best(left, n)
    if found.value == found.bound or MOST <= AT_FIRST:
        return found
    return _Search(asked, MOST).best(left, n, asked.symmetries(left[1]))


class _Search:
    """A search for the best next question, of as many as can be looked at."""

    def __init__(self, asked: Asked, most: int) -> None:
        self.asked = asked
        self.most = most
        self.spent = 0
        self.known: dict[Any, Found] = {}

    def best(
        self, left: Left, n: int, alike: Symmetries | None = None, after: int | None = None
    ) -> Found:
        """Return the best n questions for what is left over, and a guess.

        Symmetries are those from before the answer to the question ``after``.
        """
        secrets, weights = left
        if n == 0 or len(secrets) == 1:
            return Found(weights.max(), weights.max(), _guess(self.asked, left))
        key = n, secrets.tobytes(), self.asked.drawn(weights)
        if key not in self.known:
            if alike and after is not None:
                alike = self._still(alike, after, left, n)
            self.known[key] = self._searched(left, n, alike)
        return self.known[key]

    def _still(self, alike: Symmetries, after: int, left: Left, n: int) -> Symmetries | None:
        """Return symmetries of what is left over, if they are sooner found than done without."""
        if len(self.asked.names) ** n * len(left[0]) < BLOCK:
            return None
        self.spent += BLOCK // 4
        return alike.after(after, left[0][0])

    def _searched(self, left: Left, n: int, alike: Symmetries | None) -> Found:
        questions = alike.representatives if alike else np.arange(len(self.asked.names))
        worth, sizes = self.asked.values(left, questions)
        self.spent += len(worth) * len(left[0])
        bound = self.asked.bound(left, n)
        best = Found(left[1].max(), left[1].max(), _guess(self.asked, left))
        order = np.argsort(sizes, kind="stable")
        order = order[np.argsort(-worth[order], kind="stable")]
        for q in questions[order].tolist():
            if best.value >= bound or (n == 1 and best.tree.asks):
                return best  # the last question is the one after which a guess is worth most
            if self.spent > self.most and best.tree.asks:
                return best._replace(bound=bound)
            parts = dict(self.asked.split(q, left))
            if len(parts) == 1 and self.asked.tells_by_parts:
                continue  # it tells nothing
            if sum(self.asked.bound(part, n - 1) for part in parts.values()) <= best.value:
                continue
            after = {z: self.best(part, n - 1, alike, q) for z, part in parts.items()}
            value = sum(each.value for each in after.values())
            limit = sum(each.bound for each in after.values())
            tree = best.tree
            if value > best.value:
                named = {answer: each.tree for answer, each in after.items()}
                tree = Ask(self.asked.names[q], named)
            best = Found(max(value, best.value), max(limit, best.bound), tree)
        return best


class _Beforehand:
    """A search for the best questions that are asked whatever the answers."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    def best(self, left: Left, n: int) -> Found:
        """Return the best n questions to ask in any case, and a guess."""
        bound = self.asked.bound(left, n)
        chosen, value = self._greedy(left, n)
        if value < bound:
            few = MOST // 2**3 // (n * (len(left[0]) + 2**12))
            every = list(islice(self._choices(n, self._alike(left, n, few)), few + 1))
            if len(every) <= few:
                values = ((self._value(left, questions), questions) for questions in every)
                value, chosen = max(values, key=lambda found: found[0])
                bound = value
        return Found(value, bound, self._tree(left, list(chosen)))

    def _alike(self, left: Left, n: int, few: int) -> Symmetries | None:
        """Return symmetries, if there are too many choices to do without."""
        many = comb(len(self.asked.names) + n - 1, n) > few > 0
        return self.asked.symmetries(left[1]) if many else None

    def _choices(
        self, n: int, alike: Symmetries | None, least: int = 0
    ) -> Iterator[tuple[int, ...]]:
        """Yield n questions in all ways, up to their order or up to symmetry."""
        if n == 0:
            yield ()
            return
        for q in alike.representatives if alike else range(least, len(self.asked.names)):
            others = self._choices(n - 1, alike and alike.keeping(q), 0 if alike else q)
            yield from ((int(q), *other) for other in others)

    def _greedy(self, left: Left, n: int) -> tuple[tuple[int, ...], Any]:
        chosen: list[int] = []
        groups, every = [left], np.arange(len(self.asked.names))
        for _ in range(n):
            worth, sizes = zip(*(self.asked.values(group, every) for group in groups), strict=True)
            order = np.argsort(sum(sizes), kind="stable")
            chosen.append(int(order[np.argmax(sum(worth)[order])]))
            groups = [part for group in groups for _, part in self.asked.split(chosen[-1], group)]
        return tuple(chosen), sum(weights.max() for _, weights in groups)

    def _value(self, left: Left, chosen: tuple[int, ...]) -> Any:
        groups = [left]
        for q in chosen:
            groups = [part for group in groups for _, part in self.asked.split(q, group)]
        return sum(weights.max() for _, weights in groups)

    def _tree(self, left: Left, chosen: list[int]) -> Tree:
        if not chosen:
            return _guess(self.asked, left)
        first, *others = chosen
        parts = self.asked.split(first, left)
        return Ask(self.asked.names[first], {z: self._tree(part, others) for z, part in parts})
