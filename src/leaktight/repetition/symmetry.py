"""Questions that are alike, so that of each kind only one need be asked.

A symmetry takes secrets to secrets of the same weight and questions to questions, so that secrets
with one answer to a question are taken to the secrets with one answer to its image. It is proposed
by refining colours of a sparse part of the table, and counts only if the whole table agrees.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.exact.numbers import Array
from leaktight.policies.graph import linked
from leaktight.repetition.questions import BLOCK, Certain

Indices: TypeAlias = npt.NDArray[np.intp]
Colours: TypeAlias = npt.NDArray[np.uint64]

MOST_LINKS = 2**19
"""How many answers of single secrets are looked at to propose a symmetry."""

ENOUGH = 5
"""So many symmetries drawn at random are likely to make all others."""

IN_VAIN = 3
"""How often a symmetry is sought in vain before no more are."""

DEEPEST = 24
"""How many are told apart by hand before a proposal is given up."""


@dataclass(frozen=True, eq=False)
class Symmetries:
    """Some symmetries of questions, as permutations of the questions and their answers."""

    asked: Certain
    answers: Indices
    """The number of each answer (column) to each question (row), or -1 if nobody gives it."""
    elements: tuple[Indices, ...]

    @cached_property
    def representatives(self) -> Indices:
        """The first question of each kind."""
        return np.unique(_firsts(self.elements, len(self.asked.names)))

    def after(self, question: int, secret: int) -> "Symmetries | None":
        """Return symmetries that keep the answer of a secret to a question, if any are found."""
        return self.keeping(self.answers[question, self.asked.table[question, secret]])

    def keeping(self, point: int) -> "Symmetries | None":
        """Return symmetries that keep a question or an answer, if any are found."""
        still = np.arange(len(self.elements[0]))
        moving = tuple(each for each in self._keeping(point) if (each != still).any())
        return replace(self, elements=moving) if moving else None

    def _keeping(self, point: int) -> Iterator[Indices]:
        """Yield symmetries drawn at random, followed by others that take a point back to itself."""
        steps = [each for element in self.elements for each in (element, np.argsort(element))]
        by = np.full(len(steps[0]), -1)
        by[point] = len(steps)
        reached = np.array([point])
        while len(reached):
            found = []
            for i, step in enumerate(steps):
                new = step[reached]
                found.append(new[by[new] < 0])
                by[found[-1]] = i
            reached = np.concatenate(found)
        draw = np.random.default_rng(0)
        pool = [steps[i % len(steps)] for i in range(max(ENOUGH, len(steps)))]
        for turn in range(5 * len(pool)):
            i, j = draw.choice(len(pool), size=2, replace=False)
            pool[i] = pool[i][pool[j]]
            if turn >= 5 * len(pool) - ENOUGH:
                element = pool[i]
                while (image := element[point]) != point:
                    element = steps[by[image] ^ 1][element]
                yield element


def symmetries(asked: Certain, weights: Array) -> Symmetries | None:
    """Return symmetries of questions about weighted secrets, if any are found."""
    sizes = asked.sizes(asked.table)
    given = np.concatenate([[0], np.cumsum(sizes.ravel() > 0)])[:-1] + len(sizes)
    answers = np.where(sizes > 0, given.reshape(sizes.shape), -1)
    stakes = {weight: i for i, weight in enumerate(dict.fromkeys(weights.tolist()))}
    proposals = _Proposals(
        asked, answers, sizes, np.array([stakes[weight] for weight in weights.tolist()])
    )
    found = proposals.found()
    return Symmetries(asked, answers, found) if found else None


@dataclass(frozen=True, eq=False)
class _Proposals:
    """The graph of secrets, questions and their rarest answers, in which a symmetry is sought."""

    asked: Certain
    answers: Indices
    sizes: npt.NDArray[np.intp]
    """How many secrets give each answer (column) to each question (row)."""
    stakes: Indices
    """Which weight each secret has."""
    _bases: dict[int, list[Colours]] = field(default_factory=dict)

    @cached_property
    def firsts(self) -> Indices:
        """The first secret with each answer (column) to each question (row)."""
        kinds = range(self.sizes.shape[1])
        return np.stack([(self.asked.table == z).argmax(axis=1) for z in kinds], axis=1)

    @cached_property
    def links(self) -> Any:
        """Which secrets give an answer, and to which questions, as a matrix of ones; or None.

        The vertices are the secrets, the questions, and the groups of secrets that answer alike.
        """
        from scipy.sparse import coo_array

        largest = self.sizes == self.sizes.max(axis=1, keepdims=True)
        # What is said of all groups but one is said of that one.
        useful = (self.sizes > 0) & ~(largest & (largest.sum(axis=1, keepdims=True) == 1))
        groups = self._groups()
        first = np.unique(groups[useful], return_index=True)[1]
        each, times = np.unique(self.sizes[useful][first], return_counts=True)
        limit = int(np.searchsorted(np.cumsum(each * times), MOST_LINKS, side="right"))
        rare = useful & (self.sizes <= (each[limit - 1] if limit else 0))
        if not rare.any() or not rare.any(axis=1)[useful.any(axis=1)].all():
            return None
        count, secrets = self.asked.table.shape
        _, first, group = np.unique(groups[rare], return_index=True, return_inverse=True)
        rows, answers = np.nonzero(rare)
        ends = [(count + secrets + group, secrets + rows)]
        for z in range(self.sizes.shape[1]):
            these = first[answers[first] == z]
            i, who = np.nonzero(self.asked.table[rows[these]] == z)
            ends.append((count + secrets + group[these[i]], who))
        one, other = (np.concatenate(side) for side in zip(*ends, strict=True))
        order = count + secrets + len(first)
        both = np.concatenate([one, other]), np.concatenate([other, one])
        return coo_array((np.ones(2 * len(one), np.uint64), both), shape=(order, order)).tocsr()

    def _groups(self) -> npt.NDArray[np.float64]:
        """Return a number for each answer (column) to each question (row), by who gives it."""
        table = self.asked.table
        marks = np.random.default_rng(0).integers(2**30, size=table.shape[1]).astype(float)
        groups = np.zeros(self.sizes.shape)
        for start in range(0, len(table), size := max(1, BLOCK // table.shape[1])):
            rows = slice(start, start + size)
            for z in range(self.sizes.shape[1]):
                groups[rows, z] = (table[rows] == z) @ marks
        return groups

    def found(self) -> tuple[Indices, ...]:
        """Return symmetries drawn at random, enough of them or until sought in vain."""
        if self.links is None:
            return ()
        count, secrets = self.asked.table.shape
        kinds = np.full(self.links.shape[0], len(self.stakes) + 1, dtype=np.uint64)
        kinds[:secrets] = self.stakes
        kinds[secrets : secrets + count] = len(self.stakes)
        colours = self._refined(kinds)
        _, first, kind = np.unique(
            colours[secrets : secrets + count], return_index=True, return_inverse=True
        )
        alike = first[kind]
        several = np.flatnonzero(np.bincount(kind)[kind] > 1)
        draw = np.random.default_rng(0)
        found: list[Indices] = []
        vain = 0
        apart = np.flatnonzero(alike != np.arange(count))
        while len(several) and vain < IN_VAIN and (len(found) < ENOUGH or len(apart)):
            v = draw.choice(apart if len(apart) else several)
            element = self._symmetry(colours, secrets + alike[v], secrets + v, draw)
            if element is None:
                vain += 1
                continue
            found.append(element)
            apart = np.flatnonzero(alike != _firsts(found, count))
            if len(found) == DEEPEST:
                break
        return tuple(found)

    def _symmetry(
        self, colours: Colours, u: int, v: int, draw: np.random.Generator
    ) -> Indices | None:
        """Return a symmetry that takes u to v, if one is found by telling apart u, then others."""
        one = other = colours
        base = self._bases.setdefault(u, [])
        for depth in range(DEEPEST):
            if depth == len(base):
                base.append(self._told(one, u))
            one, other = base[depth], self._told(other, v)
            order, image = np.argsort(one, kind="stable"), np.argsort(other, kind="stable")
            if not np.array_equal(one[order], other[image]):
                return None
            taken = np.empty_like(order)
            taken[order] = image
            if (found := self._verified(taken)) is not None:
                return found
            each, sizes = np.unique(one, return_counts=True)
            if sizes.max() == 1:
                return None
            largest = each[sizes.argmax()]
            u = int(np.flatnonzero(one == largest)[0])
            v = draw.choice(np.flatnonzero(other == largest))
        return None

    def _told(self, colours: Colours, vertex: int) -> Colours:
        colours = colours.copy()
        colours[vertex] += np.uint64(1)
        return self._refined(colours)

    def _refined(self, colours: Colours) -> Colours:
        """Tell apart what has neighbours of different colours, until nothing more is."""
        count = 0
        while (now := int(np.count_nonzero(np.diff(np.sort(colours))))) >= count:
            count = now + 1
            colours = _mixed(colours + self.links @ _mixed(colours))
        return colours

    def _verified(self, taken: Indices) -> Indices | None:
        """Return what a permutation does to questions and answers, if it is a symmetry."""
        table = self.asked.table
        count, secrets = table.shape
        who, which = taken[:secrets], taken[secrets : secrets + count] - secrets
        if who.max() >= secrets or which.min() < 0 or which.max() >= count:
            return None
        given = self.sizes > 0
        kinds = given.sum(axis=1)
        if (self.stakes[who] != self.stakes).any() or (kinds[which] != kinds).any():
            return None
        renamed = table[which[:, None], who[self.firsts]]
        same_names = bool((renamed == np.arange(renamed.shape[1]))[given].all())
        size = 16
        start = 0
        while start < count:
            rows = slice(start, start + size)
            expected = table[rows]
            if not same_names:
                expected = np.take_along_axis(renamed[rows], expected.astype(np.intp), axis=1)
            if (table[which[rows]][:, who] != expected).any():
                return None
            start, size = start + size, max(1, BLOCK // secrets)
        onto = self.answers[which[:, None], renamed]
        return np.concatenate([which, onto[given]])


def _mixed(colours: Colours) -> Colours:
    """Return numbers that are different for different colours and look drawn at random."""
    mixed = (colours + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(32))


def _firsts(elements: Sequence[Indices], count: int) -> Indices:
    """Return for each of the first so many points the first to which the elements take it."""
    ends = np.concatenate([element[:count] for element in elements])
    starts = np.tile(np.arange(count), len(elements))
    _, first, kind = np.unique(linked(count, starts, ends), return_index=True, return_inverse=True)
    return first[kind]
