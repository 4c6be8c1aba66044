"""The joint distribution without its zeros: what each output leaves over.

An input of a deterministic channel has its prior probability at one output and 0 at all others, so
that a million inputs are a million numbers, whatever they show.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from leaktight.channels.distribution import Distribution
from leaktight.exact.numbers import Array, is_exact, rational, total, whole_numbers

Indices = npt.NDArray[np.intp]

Tree: TypeAlias = Hashable | tuple["Tree", "Tree"]
"""A value, or a question: the tree if it is yes and the tree if it is no."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The inputs that can occur, each with one output, and how likely the two are together."""

    weights: Array
    """How likely each is, in units."""
    unit: Any
    """What a weight of 1 stands for: an ``fmpq``, or 1.0 of floats."""
    group: Indices
    """To which group each belongs, from 0 up."""
    inputs: Indices
    """Which of the probabilities that were given each is."""
    outputs: Indices
    """Which output each group belongs to."""

    @classmethod
    def cut(cls, probabilities: Array, seen: Indices | None = None) -> "Groups":
        """Cut probabilities into groups, given the output of each; by default it is the same."""
        exact = is_exact(probabilities)
        weights, unit = whole_numbers(probabilities) if exact else (probabilities, 1.0)
        inputs = np.flatnonzero(weights)
        found = np.zeros(len(inputs), np.intp) if seen is None else seen[inputs]
        occurs = np.bincount(found) > 0
        group = (np.cumsum(occurs) - 1)[found]
        return cls(weights[inputs], unit, group, inputs, np.flatnonzero(occurs))

    @classmethod
    def of_joint(cls, joined: Array) -> "Groups":
        """The columns of a joint distribution."""
        outputs, inputs = np.nonzero(joined.T)
        return cls.cut(joined[inputs, outputs], outputs)

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities are exact."""
        return isinstance(self.unit, fmpq)

    def sizes(self) -> Indices:
        """How many inputs each group has."""
        return np.bincount(self.group)

    def sums(self) -> Array:
        """How likely each output is, in units."""
        return self._gathered(np.add)

    def maxima(self) -> Array:
        """How likely the best guess for each output is, together with it, in units."""
        return self._gathered(np.maximum)

    def _gathered(self, how: np.ufunc) -> Array:
        gathered = np.zeros(len(self.outputs), self.weights.dtype)
        how.at(gathered, self.group, self.weights)
        return gathered

    def chance(self, weights: Array) -> Any:
        """Return the sum of some weights, or of multiples of them, as a probability."""
        return rational(weights.sum()) * self.unit if self.is_exact else total(weights)

    def ranked(self) -> tuple[Indices, Indices]:
        """Return the order by group, in each the likeliest first, and where each group begins."""
        falling = np.argsort(-self.weights, kind="stable")
        order = falling[np.argsort(self.group[falling], kind="stable")]
        return order, np.cumsum(self.sizes()) - self.sizes()

    def tried(self, first: int, end: int | None = None) -> Any:
        """Return the chance that the guesses from the first up to the end, best first, are right.

        The guesses for each output have the numbers 0, 1, …
        """
        if first == 0 and end == 1:
            return self.chance(self.maxima())
        order, ranks = self._ranks()
        return self.chance(self.weights[order[(ranks >= first) & (ranks < (end or len(ranks)))]])

    def share(self, k: int) -> Any:
        """Return the chance that one of k guesses is right after the output that suits best."""
        order, ranks = self._ranks()
        chosen = order[ranks < k]
        tops, sums = np.zeros(len(self.outputs), self.weights.dtype), self.sums()
        np.add.at(tops, self.group[chosen], self.weights[chosen])
        if not self.is_exact:
            return (tops / sums).max()
        distinct = set(zip(tops.tolist(), sums.tolist(), strict=True))
        return max(rational(top) / rational(whole) for top, whole in distinct)

    def guesses(self) -> Any:
        """Return how many guesses hit the secret on average, the likeliest first."""
        order, ranks = self._ranks()
        return self.chance((ranks + 1) * self.weights[order])

    def questions(self) -> Any:
        """Return how many yes-or-no questions find the secret on average, the best for each group.

        The two least of what is left are joined until all are, for all groups at a time. What is
        joined grows, so that the least is the first of the rest or of what was joined
        ([vanLeeuwen1976]_).
        """
        order, ranks = self._ranks()
        sizes, group = self.sizes(), self.group[order]
        most = self._beyond()
        single = np.full((int(sizes.max()) + 2, len(sizes)), most, self.weights.dtype)
        single[sizes[group] - 1 - ranks, group] = self.weights[order]
        joined = np.full_like(single, most)
        next_single, next_joined = np.zeros((2, len(sizes)), np.intp)
        asked = [self.weights[:0]]
        for step in range(int(sizes.max()) - 1):
            left = np.flatnonzero(sizes > step + 1)
            both = []
            for _ in range(2):
                one, other = single[next_single[left], left], joined[next_joined[left], left]
                is_single = (one <= other).astype(bool)
                both.append(np.where(is_single, one, other))
                next_single[left] += is_single
                next_joined[left] += ~is_single
            joined[step, left] = both[0] + both[1]
            asked.append(joined[step, left])
        return self.chance(np.concatenate(asked))

    def _beyond(self) -> Any:
        """Return a weight that is larger than any sum."""
        if self.weights.dtype == object:
            return fmpq(2)
        return 2**62 if self.is_exact else np.inf

    def _ranks(self) -> tuple[Indices, Indices]:
        order, starts = self.ranked()
        return order, np.arange(len(order)) - np.repeat(starts, self.sizes())

    def split(self) -> Iterator[tuple[int, Indices, Array]]:
        """Yield each output, the inputs that it leaves over, and how likely each is with it.

        The likeliest comes first.
        """
        order, starts = self.ranked()
        inputs, chances = self.inputs[order], self.weights[order]
        if self.is_exact:
            distinct, which = np.unique(chances, return_inverse=True)
            chances = np.array([rational(w) * self.unit for w in distinct], dtype=object)[which]
        ends = [*starts[1:].tolist(), len(order)]
        for z, start, end in zip(self.outputs.tolist(), starts.tolist(), ends, strict=True):
            yield z, inputs[start:end], chances[start:end]

    def kinds(self) -> Iterator[tuple[int, Array, Indices]]:
        """Yield how many groups have the same probabilities, these, and how often each is there.

        The likeliest comes first. Of a uniform prior there are as many kinds as sizes of groups.
        """
        order, starts = self.ranked()
        distinct, which = np.unique(self.weights[order], return_inverse=True)
        ends = [*starts[1:].tolist(), len(order)]
        spans = zip(starts.tolist(), ends, strict=True)
        times = Counter(which[start:end].tobytes() for start, end in spans)
        if self.is_exact:
            distinct = np.array([rational(w) * self.unit for w in distinct], dtype=object)
        for kind, count in times.items():
            of, often = np.unique(np.frombuffer(kind, dtype=which.dtype), return_counts=True)
            yield count, distinct[of[::-1]], often[::-1]

    # --- Arimoto's entropies in bits ---

    def shannon(self) -> arb:
        """Enclose H(X|Z), of exact probabilities."""
        return self._surprise(self.weights) - self.shown()

    def shown(self) -> arb:
        """Enclose H(Z), of exact probabilities."""
        return self._surprise(self.sums())

    def told(self) -> float:
        """Return H(Z) of floats: what a function of the secret tells."""
        sums = np.sort(self.sums())
        others = sums[:-1]
        # The likeliest output may have probability 1 up to rounding: the others tell how far off.
        nats = math.fsum(-others * np.log(others)) - sums[-1] * math.log1p(-math.fsum(others))
        return float(nats) / math.log(2) + 0.0

    def left(self) -> float:
        """Return Shannon's H(X|Z) of floats, a sum of terms that are not negative."""
        sums = self.sums()[self.group]
        return math.fsum(self.weights * np.log2(np.maximum(sums / self.weights, 1)))

    def _surprise(self, weights: Array) -> arb:
        """Enclose −Σ p log2 p, with each p once."""
        distinct, times = np.unique(weights, return_counts=True)
        chances = (rational(w) * self.unit for w in distinct)
        pairs = zip(chances, times.tolist(), strict=True)
        return sum((-arb(p * n) * arb(p).log_base(2) for p, n in pairs), arb(0))

    def renyi(self, alpha: fmpq) -> arb:
        """Enclose H_α(X|Z) for an order other than 0, 1 and ∞, of exact probabilities."""
        power, mean = arb(alpha), arb(0)
        for times, chances, often in self.kinds():
            powers = (n * arb(p) ** power for p, n in zip(chances, often.tolist(), strict=True))
            mean += times * sum(powers, arb(0)) ** (1 / power)
        return power / (1 - power) * mean.log_base(2)


def huffman(belief: Distribution) -> tuple[Tree, Any]:
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
