"""How is geometric noise on the integers drawn, with nothing rounded or cut off?

Noise k has probability (1−c)/(1+c)·c^|k| with c = 1/λ. It is X or −1−X with the odds 1 to c, where
P(X = x) = (1−c)·c^x. The binary digits of X are independent, and digit i is 1 with the odds c^m,
m = 2^i. So each digit is decided by comparing random bits with a probability that is enclosed as
tightly as it takes (``random_bits.py``). The proof is in docs/proofs/sampling.md.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact import Number, precision, rational
from leaktight.random_bits import BLOCK, Chance, RandomBytes, are_below, random_bytes
from leaktight.ratio import Ratio


def geometric_noise(
    size: int,
    *,
    ratio: Number | None = None,
    epsilon: Number | None = None,
    rng: np.random.Generator | None = None,
) -> npt.NDArray[Any]:
    """Draw ``size`` integers k with P(k) = (1−c)/(1+c)·c^|k|, c = 1/λ, exactly, independently.

    Added to a count that differs by at most 1 between neighbours, one of them makes that count
    private at the ratio λ = e^ε. An irrational e^ε is rounded down, so that the noise is at least
    as wide as asked for. Random bits come from the operating system; for tests, ``rng`` may be a
    numpy generator. The integers are ``int64``, or Python's where ε is so small that they may not
    fit.

    >>> noise = geometric_noise(10_000, epsilon=1, rng=np.random.default_rng(7))
    >>> int((noise == 0).sum()) // 100  # per cent; (1−c)/(1+c) is 46.2%
    46
    """
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise InvalidNumber(f"size must say how many integers to draw, got {size!r:.60}")
    base = rational(Ratio.of(ratio, epsilon).lower)
    if base == 1:
        raise InvalidNumber("geometric noise needs an ε above 0: at ε = 0 none is wide enough")
    source = random_bytes(rng)
    excess = base - 1
    places = max(0, 4 + int(excess.q).bit_length() - int(excess.p).bit_length())
    sign, digits = _digit(base, 0), [_digit(base, i) for i in range(places)]
    beyond = _enclosed(lambda: 1 / arb(base) ** (1 << places), places)
    # With 40 places, the chance that 63 bits are too few is below 2^(−2^23).
    noise = np.empty(size, dtype=np.int64 if places <= 40 else object)
    for start in range(0, size, BLOCK):
        block = noise[start : start + BLOCK]
        block[:] = 0
        _add_geometric(block, digits, beyond, source)
        negative = are_below(sign, len(block), source)
        block[negative] = -1 - block[negative]
    return noise


def _add_geometric(
    block: npt.NDArray[Any], digits: Sequence[Chance], beyond: Chance, source: RandomBytes
) -> None:
    """Add X to each number: its lowest digits, and the others as a geometric number again.

    With j digits drawn, the rest is at least 1 with the chance λ^(−2^j), here below 1/9. Given
    that, it is 1 more than a number of the same distribution.
    """
    for i, digit in enumerate(digits):
        block += are_below(digit, len(block), source).astype(block.dtype) << i
    more = np.arange(len(block))
    while len(more := more[are_below(beyond, len(more), source)]):
        block[more] += 1 << len(digits)


def _digit(base: fmpq, i: int) -> Chance:
    """Return the probability that digit i of X is 1."""
    return _enclosed(lambda: 1 / (1 + arb(base) ** (1 << i)), i)


def _enclosed(ball: Callable[[], arb], guard: int) -> Chance:
    """Return the probability that ``ball`` encloses; it loses about ``guard`` bits."""

    @cache
    def enclose(bits: int) -> tuple[int, int]:
        with precision(bits + guard + 64):
            enclosure = ball()
            low, high = enclosure.lower().fmpq(), enclosure.upper().fmpq()
        return int((low * 2**bits).floor()), int((high * 2**bits).ceil())

    return enclose
