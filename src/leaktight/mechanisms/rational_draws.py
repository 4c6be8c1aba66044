"""Exact draws, one by one: fair integers, and coins of rational bias.

All are decided by whole numbers, from random bytes; nothing is rounded.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.limits import allowed
from leaktight.mechanisms.release import random_bytes

MOST_DRAWN = 10**6
"""The most integers that are drawn one by one."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Draws from a source of random bytes.

    >>> Draws.of(np.random.default_rng(7)).coin(fmpq(1))
    True
    """

    source: Callable[[int], bytes]

    @classmethod
    def of(cls, rng: np.random.Generator | None) -> "Draws":
        """Draw from the operating system's randomness; for tests from a numpy generator."""
        return cls(random_bytes(rng))

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n − 1, all equally likely."""
        bits = (n - 1).bit_length()
        while True:
            word = int.from_bytes(self.source((bits + 7) // 8), "big") >> (-bits % 8)
            if word < n:
                return word

    def coin(self, chance: fmpq) -> bool:
        """Return True with a rational chance."""
        return self.below(int(chance.q)) < int(chance.p)

    def successes(self, draw: Callable[[], bool]) -> int:
        """Return how often a coin shows True before it first does not."""
        found = 0
        while draw():
            found += 1
        return found


def drawn(size: int, draw: Callable[[], int]) -> list[int]:
    """Return so many draws."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise InvalidNumber(f"size must say how many integers to draw, got {size!r:.60}")
    if size > allowed(MOST_DRAWN):
        raise TooLarge(
            f"at most {allowed(MOST_DRAWN):,} integers are drawn one by one, got {size:,}"
        )
    return [draw() for _ in range(size)]
