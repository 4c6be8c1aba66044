"""Privacy losses of a pair of rows, and of n looks.

An output z tells P from Q by its ratio P(z)/Q(z), and outputs of equal ratio tell the same. From
look to look ratios multiply. If all are powers of one number, as for most mechanisms, the chances
of n looks are the coefficients of a polynomial's n-th power. Otherwise the numbers of looks at each
ratio are told apart, or, if they are too many, losses are put on a grid. See
``docs/proofs/profile.md``.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import TypeAlias

from flint import arb, fmpq, fmpz, fmpz_poly

from leaktight.exact.numbers import natural_log
from leaktight.exact.rounding import nearest_float
from leaktight.privacy.loss_grid import Corner, Detail, Telling, enclosed

MOST_PRODUCTS = 2**16
"""The most products of ratios that are told apart one by one."""

MOST_BITS = 2**24
"""The most bits that the chances of all types of looks have together."""

DETAIL = Detail(steps=12.0)
"""How fine the grid is for ratios that are too many."""

MOST_ROOT = 64
"""The highest power to which ratios are raised to see whether all are powers of one number."""


Corners: TypeAlias = tuple[list[Corner], list[Corner]]
"""Corners below and above those of a pair; the same twice if they are exact."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The chances of each ratio under P and Q, and that of outputs which Q never has.

    >>> coin = Losses.of([fmpq(2, 3), fmpq(1, 3)], [fmpq(1, 3), fmpq(2, 3)])
    >>> (coin * coin).ratios
    {4: (4/9, 1/9), 1: (4/9, 4/9), 1/4: (1/9, 4/9)}
    """

    ratios: dict[fmpq, tuple[fmpq, fmpq]]
    certain: fmpq

    @classmethod
    def of(cls, one: Iterable[fmpq], other: Iterable[fmpq]) -> "Losses":
        """Return the losses of one row against the other."""
        certain, pairs = fmpq(0), list[tuple[fmpq, fmpq]]()
        for p, q in zip(one, other, strict=True):
            if q == 0:
                certain += p
            elif p > 0:
                pairs.append((p, q))
        return cls(_gathered(pairs), certain)

    def __hash__(self) -> int:
        return hash((frozenset(self.ratios.items()), self.certain))

    def __mul__(self, other: "Losses") -> "Losses":
        """The losses of a look at each of two pairs."""
        ones, others = self.ratios.values(), other.ratios.values()
        pairs = ((p * r, q * s) for p, q in ones for r, s in others)
        whole, finite = self._whole() * other._whole(), self._finite() * other._finite()
        return Losses(_gathered(pairs), whole - finite)

    def _finite(self) -> fmpq:
        """The chance under P of what Q has, too; a row of floats may miss 1 a little."""
        return sum((p for p, _ in self.ratios.values()), fmpq(0))

    def _whole(self) -> fmpq:
        return self.certain + self._finite()

    def corners(self, n: int = 1) -> Corners:
        """Return the chances under Q and P of the sets {ratio ≥ r} of n looks, from the top."""
        exact = self.exact_corners(n)
        if exact is not None:
            return exact, exact
        ranked = sorted(self.ratios.items(), reverse=True)
        telling = Telling([pair for _, pair in ranked], self.certain)
        return enclosed([(telling, n)], DETAIL)

    def exact_corners(self, n: int = 1) -> list[Corner] | None:
        """Return the corners of n looks; None if their ratios are too many to be told apart."""
        certain = self._certain(n)
        if not self.ratios:
            return [(fmpq(0), certain)]
        places = _exponents(list(self.ratios))
        if places is not None:
            return self._added(self._lattice(places, n), n)
        if math.comb(n + len(self.ratios) - 1, n) * self._bits(n) <= MOST_BITS:
            return self._added(self._types(n), n)
        whole = self._power(n)
        if whole is None:
            return None
        ranked = sorted(whole.ratios.items(), reverse=True)
        return _corners((pair for _, pair in ranked), certain)

    def _certain(self, n: int) -> fmpq:
        """Return the chance that one of n looks shows what Q never has."""
        return self._whole() ** n - self._finite() ** n

    def _power(self, n: int) -> "Losses | None":
        """Return the losses of n looks; None if they are too many to be told apart."""
        block, whole, kinds = self, None, len(self.ratios)
        most = math.comb(n // 2 + kinds - 1, kinds - 1) ** 2
        if most > MOST_PRODUCTS and len((self * self).ratios) == math.comb(kinds + 1, 2):
            return None  # no two products are the same
        while n:
            if n & 1:
                if whole is not None and whole._times(block) > MOST_PRODUCTS:
                    return None
                whole = block if whole is None else whole * block
            n >>= 1
            if n:
                if block._times(block) > MOST_PRODUCTS:
                    return None
                block = block * block
        return whole

    def _times(self, other: "Losses") -> int:
        return len(self.ratios) * len(other.ratios)

    def _parts(self) -> list[int]:
        """Return into how many parts the unit is cut under P and under Q, for whole numbers."""
        chances = zip(*self.ratios.values(), strict=True)
        return [math.lcm(*(int(chance.q) for chance in side)) for side in chances]

    def _bits(self, n: int) -> int:
        """Return how many bits the chance of a type of n looks has, about."""
        return n * max(self._parts()).bit_length()

    def _lattice(self, places: dict[fmpq, int], n: int) -> Iterable[tuple[fmpz, fmpz]]:
        """Return the chances of n looks under P and under Q, in parts, the largest ratio first."""
        least, sides = min(places.values()), list[list[fmpz]]()
        for side, parts in enumerate(self._parts()):
            one = [fmpz(0)] * (max(places.values()) - least + 1)
            for r, place in places.items():
                one[place - least] += (self.ratios[r][side] * parts).p
            many = (fmpz_poly(one) ** n).coeffs()
            sides.append(many[::-1])
        return zip(*sides, strict=True)

    def _types(self, n: int) -> Iterable[tuple[fmpz, fmpz]]:
        """Return the same for each number of looks at each ratio."""
        found = list[tuple[float, fmpq, fmpz, fmpz]]()  # ln r nearly, r, and chances
        begun = [(n, 0.0, fmpq(1), fmpz(1), fmpz(1))]  # the same after how many looks are left
        (p_parts, q_parts), kinds = self._parts(), len(self.ratios)
        for kind, (r, (p, q)) in enumerate(self.ratios.items(), 1):
            log, one, other = natural_log(r), p * p_parts, q * q_parts
            powers = [(k * log, r**k, one.p**k, other.p**k) for k in range(n + 1)]
            more = list[tuple[int, float, fmpq, fmpz, fmpz]]()
            for left, near, ratio, a, b in begun:
                for k in range(left if kind == kinds else 0, left + 1):
                    ways = math.comb(left, k)
                    step, rise, c, d = powers[k]
                    after = near + step, ratio * rise, a * ways * c, b * ways * d
                    if k == left:
                        found.append(after)
                    else:
                        more.append((left - k, *after))
            begun = more
        found.sort(key=lambda each: each[0], reverse=True)  # nearly, so that little is left to do
        found.sort(key=lambda each: each[1], reverse=True)
        return ((a, b) for *_, a, b in found)

    def _added(self, chances: Iterable[tuple[fmpz, fmpz]], n: int) -> list[Corner]:
        """Return what chances of n looks, in parts, add up to, from the most telling."""
        p_parts, q_parts = (fmpz(parts) ** n for parts in self._parts())
        certain, above, below = self._certain(n), fmpz(0), fmpz(0)
        corners = [(fmpq(0), certain)]
        for a, b in chances:
            if a or b:
                above, below = above + a, below + b
                corners.append((fmpq(below, q_parts), certain + fmpq(above, p_parts)))
        return corners


def _gathered(pairs: Iterable[tuple[fmpq, fmpq]]) -> dict[fmpq, tuple[fmpq, fmpq]]:
    """Return pairs of chances by their ratio."""
    found = dict[tuple[int, int], tuple[fmpq, fmpq]]()
    for p, q in pairs:
        r = p / q
        key = int(r.p), int(r.q)  # the hash of a fraction costs an inverse
        before = found.get(key)
        found[key] = (p, q) if before is None else (before[0] + p, before[1] + q)
    return {fmpq(*key): pair for key, pair in found.items()}


def _corners(chances: Iterable[tuple[fmpq, fmpq]], certain: fmpq) -> list[Corner]:
    """Return what the chances under P and Q add up to, from the most telling."""
    told = [(p, q) for p, q in chances if p or q]
    below = accumulate((q for _, q in told), initial=fmpq(0))
    above = accumulate((p for p, _ in told), initial=certain)
    return list(zip(below, above, strict=True))


def _exponents(ratios: list[fmpq]) -> dict[fmpq, int] | None:
    """Return whole numbers e, larger for larger ratios, so that each is b^e for one b; or None."""
    base = max(ratios, key=lambda r: max(r, 1 / r))
    if base == 1:
        return dict.fromkeys(ratios, 0)
    base, powers = max(base, 1 / base), {}
    for r in ratios:
        share = nearest_float(partial(_share, r, base))
        power = Fraction(share).limit_denominator(MOST_ROOT)
        if r**power.denominator != base**power.numerator:
            return None
        powers[r] = power
    unit = math.lcm(*(power.denominator for power in powers.values()))
    return {r: int(power * unit) for r, power in powers.items()}


def _share(ratio: fmpq, base: fmpq) -> arb:
    return arb(ratio).log() / arb(base).log()
