"""Geometric noise on the integers, drawn with nothing rounded or cut off.

Noise k has probability (1−c)/(1+c)·c^|k| with c = 1/λ. It is X or −1−X with the odds 1 to c, where
P(X = x) = (1−c)·c^x. The digits of X in base 16 are independent, and digit i is s with the odds
c^(m·s), m = 16^i. So random bits decide one digit after the other, by comparison with probabilities
that are enclosed as tightly as it takes (``random_bits.py``). The proof is in
docs/proofs/sampling.md.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.mechanisms.release.random_bits import (
    BLOCK,
    Cuts,
    RandomBytes,
    enclosed,
    expect_size,
    random_bytes,
    sections,
)

DIGIT = 4
"""How many binary digits are drawn at a time; 5 takes longer, except for very wide noise."""

LAST = 2**DIGIT - 1
"""The greatest digit."""

WIDTH = 62
"""Noise below 2^62 is kept in 64 bits."""


def geometric_noise(
    size: int,
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    rng: np.random.Generator | None = None,
) -> npt.NDArray[Any]:
    """Draw ``size`` integers k with P(k) = (1−c)/(1+c)·c^|k|, c = 1/λ, exactly, independently.

    Added to a count that differs by at most 1 between neighbours, one of them makes that count
    private at the ratio λ = e^ε. An irrational e^ε is rounded down, so that the noise is at least
    as wide as asked for. Random bits come from the operating system; for tests, ``rng`` may be a
    numpy generator. The integers are ``int64``, or Python's if one of them does not fit.

    >>> noise = geometric_noise(10_000, epsilon=1, rng=np.random.default_rng(7))
    >>> int((noise == 0).sum()) // 1000  # tenths; (1−c)/(1+c) is 46.2%
    4
    """
    expect_size(size)
    base = rational(Ratio.of(ratio, epsilon).lower)
    if base == 1:
        raise InvalidNumber("geometric noise needs an ε above 0: at ε = 0 none is wide enough")
    source = random_bytes(rng)
    excess = base - 1
    places = max(0, 4 + int(excess.q).bit_length() - int(excess.p).bit_length())
    lower = max(0, -(-places // DIGIT) - 1)
    digits, rest = [_digit(base, i) for i in range(lower)], _rest(base, lower)
    counts = [min(BLOCK, size - start) for start in range(0, size, BLOCK)]
    blocks = [_block(count, digits, rest, source) for count in counts]
    return np.concatenate([np.empty(0, dtype=np.int64), *blocks])


def _block(count: int, digits: Sequence[Cuts], rest: Cuts, source: RandomBytes) -> npt.NDArray[Any]:
    """Draw the sign and what is above the lowest digits of X, then these from the highest.

    What is above them is geometric. Given that it is at least LAST, it is LAST more than a number
    of the same distribution. As soon as it is known, so is whether X can be too long for 64 bits.
    """
    found = sections(rest, count, source)
    positive = found > LAST
    block: npt.NDArray[Any] = (found & LAST).astype(np.int64)
    more = np.flatnonzero(block == LAST)
    while len(more):
        again = sections(rest, len(more), source) & LAST
        block[more] += again
        more = more[again == LAST]
    if int(block.max() + 1) << DIGIT * len(digits) > 2**WIDTH:
        block = block.astype(object)
    for digit in reversed(digits):
        block <<= DIGIT
        block += sections(digit, count, source).astype(block.dtype)
    return np.where(positive, block, ~block)


def _digit(base: fmpq, i: int) -> Cuts:
    """Return the cuts at the probabilities that digit i of X is below 1, 2, …"""

    def balls() -> list[arb]:
        below = _below(base, i)
        return [p / below[-1] for p in below[:-1]]

    return _enclosed(balls, base)


def _rest(base: fmpq, i: int) -> Cuts:
    """Return the cuts between what is above digit i, up to LAST, for −1−X and then for X."""

    def balls() -> list[arb]:
        below, negative = _below(base, i)[:-1], 1 / (1 + arb(base))
        return [
            *(negative * p for p in below),
            negative,
            *(negative + (1 - negative) * p for p in below),
        ]

    return _enclosed(balls, base)


def _below(base: fmpq, i: int) -> list[arb]:
    """Return the probabilities that X is below s·m, m = 2^(DIGIT·i), for s = 1, …, LAST + 1."""
    odds = 1 / arb(base) ** (1 << DIGIT * i)
    return [1 - odds**s for s in range(1, LAST + 2)]


def _enclosed(balls: Callable[[], list[arb]], base: fmpq) -> Cuts:
    """Return the cuts that ``balls`` enclose."""
    guard = 64 + 2 * int((base - 1).q).bit_length()  # lost by the powers, and by 1 − c near 0
    return enclosed(lambda _: balls(), guard)
