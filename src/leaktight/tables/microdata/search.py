"""The search for the recoding of least loss in a lattice, with pruning by monotonicity.

A node has a level for each column, 0 as it is. Whatever merges classes merges them further up, so
that two things are known without a look: a node below a hopeless one is hopeless, and a node loses
at least its ``bound``, which grows upwards. What is found is the optimum over the whole lattice.
"""

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from leaktight.errors import TooLarge
from leaktight.limits import allowed

MOST_NODES = 200_000
"""The most nodes of a lattice."""

Node = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of a node after a look at its classes."""

    hopeful: bool
    """Whether this node, or one below it, may meet what is asked."""
    loss: Fraction | None
    """What it loses, if it meets what is asked."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The best nodes with their loss, the best first, and how many were looked at."""

    best: tuple[tuple[Fraction, Node], ...]
    looked: int


def search(
    heights: Sequence[int],
    bound: Callable[[Node], Fraction],
    judge: Callable[[Node], Judged],
    count: int = 1,
) -> Searched:
    """Return the ``count`` nodes of least loss among those that meet what is asked.

    ``heights`` are the highest levels. ``bound`` must grow with each level, and be at most the
    loss; whenever ``judge`` says of a node that it is not hopeful, no node below it may be. Of
    nodes that lose the same, any may be found.

    >>> search([2, 2], lambda n: Fraction(sum(n)), lambda n: Judged(n[1] > 0, Fraction(sum(n))
    ...                                                             if n[1] > 0 else None)).best
    ((Fraction(1, 1), (0, 1)),)
    """
    return _Search(heights, bound, judge, count).run()


class _Search:
    def __init__(
        self,
        heights: Sequence[int],
        bound: Callable[[Node], Fraction],
        judge: Callable[[Node], Judged],
        count: int,
    ) -> None:
        shape = tuple(height + 1 for height in heights)
        if prod(shape) > allowed(MOST_NODES):
            raise TooLarge(
                f"there are {prod(shape):,} ways to combine the recodings, more than "
                f"{allowed(MOST_NODES):,}; give fewer levels to some columns"
            )
        self._bound, self._judge, self._count = bound, judge, count
        self._done = np.zeros(shape, dtype=bool)  # judged, or below a hopeless one
        self._best: list[tuple[Fraction, Node]] = []
        self._looked = 0

    def run(self) -> Searched:
        nodes = ((self._bound(node), sum(node), node) for node in np.ndindex(self._done.shape))
        for least, _, node in sorted(nodes):
            if self._is_worse(least):
                break
            if not self._done[node]:
                self._bisect(list(self._path(node)))
        return Searched(tuple(self._best), self._looked)

    def _is_worse(self, loss: Fraction) -> bool:
        return len(self._best) == self._count and loss >= self._best[-1][0]

    def _path(self, node: Node) -> Iterator[Node]:
        """Yield a node and others above it that may be among the best, the cheapest step first."""
        while True:
            yield node
            above = [
                (*node[:i], level + 1, *node[i + 1 :])
                for i, level in enumerate(node)
                if level + 1 < self._done.shape[i]
            ]
            open_ones = [
                (least, other)
                for least, other in ((self._bound(o), o) for o in above if not self._done[o])
                if not self._is_worse(least)
            ]
            if not open_ones:
                return
            node = min(open_ones)[1]

    def _bisect(self, path: list[Node]) -> None:
        """Find the end of the hopeless ones on a path; what is below each is hopeless too."""
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._is_hopeful(path[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def _is_hopeful(self, node: Node) -> bool:
        judged = self._judge(node)
        self._looked += 1
        self._done[node] = True
        if not judged.hopeful:
            self._done[tuple(slice(level + 1) for level in node)] = True
        if judged.loss is not None and not self._is_worse(judged.loss):
            insort(self._best, (judged.loss, node))
            del self._best[self._count :]
        return judged.hopeful
