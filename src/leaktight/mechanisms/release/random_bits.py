"""Events of exactly the probability p, from random bits.

By asking whether a uniform number U lies below p. U is never rounded: its binary digits are drawn
only until they decide. Say the first b digits are the integer u, so that u/2^b ≤ U ≤ (u+1)/2^b.
If u+1 ≤ p·2^b, then U < p; if u ≥ p·2^b, then not. Otherwise more digits are drawn. One value of u
in 2^b is undecided, and p may be any number that can be enclosed between rationals. So it is asked
too which of several sections of [0, 1] U lies in.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb

from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.rounding import precision

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Gives so many bytes, all of whose bits are fair and independent."""

Chance: TypeAlias = Callable[[int], tuple[int, int]]
"""A probability p: for b, two integers with low ≤ p·2^b ≤ high, less than 2 apart for large b."""

Cuts: TypeAlias = Callable[[int], tuple[Sequence[int], Sequence[int]]]
"""Numbers p_1 ≤ p_2 ≤ … from 0 to 1: for b, integers low_i ≤ p_i·2^b ≤ high_i, less than 2 apart
for large b; both rise with i."""

UNDECIDED = 128
"""Marks a number whose first byte does not tell which cuts it is above."""

BLOCK = 2**16
"""How many draws are made at a time: few enough to stay in the cache."""

MOST_DRAWN = 2**32
"""How many integers are drawn at once."""


def random_bytes(rng: np.random.Generator | None) -> RandomBytes:
    """Return where random bytes come from: the operating system if ``rng`` is None."""
    if rng is None:
        return os.urandom
    if isinstance(rng, np.random.Generator):
        return rng.bytes
    raise InvalidInput(
        "rng must be None, for the operating system's randomness, or for tests a numpy generator "
        f"such as numpy.random.default_rng(7), got {rng!r:.60}"
    )


def random_words(source: RandomBytes, count: int, word: str) -> npt.NDArray[Any]:
    """Return an array of so many random words: ``"<u4"`` are 32 bits, the same on all machines."""
    return np.frombuffer(source(count * np.dtype(word).itemsize), dtype=word)


def rational_chance(numerator: int, denominator: int) -> Chance:
    """Return a rational probability."""

    def enclose(bits: int) -> tuple[int, int]:
        low, rest = divmod(numerator << bits, denominator)
        return low, low + (rest > 0)

    return enclose


def cuts_of(balls: Iterable[arb], bits: int) -> tuple[list[int], list[int]]:
    """Return whole numbers below and above what balls enclose, in units of 2^−``bits``."""
    ends = [(ball.lower().fmpq(), ball.upper().fmpq()) for ball in balls]
    low = [int((low * 2**bits).floor()) for low, _ in ends]
    return low, [int((high * 2**bits).ceil()) for _, high in ends]


def enclosed(balls: Callable[[int], list[arb]], guard: int) -> Cuts:
    """Return the cuts that ``balls`` enclose, worked out with ``guard`` bits more than are asked.

    They are told with how many bits that is.
    """

    @cache
    def fine(bits: int) -> tuple[list[int], list[int]]:
        with precision(bits + guard):
            low, high = cuts_of(balls(bits + guard), bits)
        return sorted(low), sorted(high)

    @cache
    def enclose(bits: int) -> tuple[list[int], list[int]]:
        spare = -bits % 64  # fewer bits are read off 64
        low, high = fine(bits + spare)
        return [end >> spare for end in low], [-(-end >> spare) for end in high]

    return enclose


def expect_size(size: Any) -> None:
    """Refuse what does not say how many integers are drawn."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise InvalidNumber(f"size must say how many integers to draw, got {size!r:.60}")
    if size > MOST_DRAWN:
        raise TooLarge(f"at most {MOST_DRAWN:,} integers are drawn at once; draw them in parts")


def is_below(chance: Chance, word: int, bits: int, source: RandomBytes) -> bool:
    """Say whether a uniform number whose first ``bits`` binary digits are ``word`` is below p.

    >>> third = rational_chance(1, 3)
    >>> is_below(third, 0b00, 2, os.urandom), is_below(third, 0b10, 2, os.urandom)
    (True, False)
    >>> is_below(third, 0b01, 2, lambda count: bytes([0b01010100]))  # 0.0101010100… < 1/3
    True
    """
    while True:
        low, high = chance(bits)
        if word < low:
            return True
        if word >= high:
            return False
        word, bits = word << 8 | source(1)[0], bits + 8


def sections(cuts: Cuts, count: int, source: RandomBytes) -> npt.NDArray[np.uint8]:
    """Return how many of at most 127 cuts are at or below each of ``count`` uniform numbers.

    The first byte of each number is looked up in a table. The few numbers that may be above a cut
    or not take another byte, until all are decided.

    >>> quarters = lambda bits: ([2**bits // 4, 3 * 2**bits // 4],) * 2
    >>> sections(quarters, 3, lambda count: bytes([63, 64, 192]))
    array([0, 1, 2], dtype=uint8)
    """
    low, high = cuts(8)
    passed, perhaps = (np.searchsorted(ends, np.arange(256), "right") for ends in (high, low))
    table = np.where(passed < perhaps, passed + UNDECIDED, passed).astype(np.uint8)
    first = source(count)
    found = np.frombuffer(bytearray(first.translate(table.tobytes())), np.uint8)
    open_ = np.flatnonzero(found >= UNDECIDED)
    found[open_] -= UNDECIDED
    words, bits = np.frombuffer(first, np.uint8)[open_].astype(np.int64), 8
    while len(open_):
        if bits == 56:  # from here on Python's integers, which have no end
            words = words.astype(object)
        more = np.frombuffer(source(len(open_)), np.uint8)
        words, bits = words << 8 | more.astype(words.dtype), bits + 8
        least, most = (np.array([*ends, 1 << bits], words.dtype) for ends in cuts(bits))
        while (above := words >= most[found[open_]]).any():
            found[open_] += above
        undecided = words >= least[found[open_]]  # perhaps it is above the next cut
        open_, words = open_[undecided], words[undecided]
    return found
