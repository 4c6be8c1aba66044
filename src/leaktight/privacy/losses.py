"""How telling are the outputs of one row against another? The losses of a pair, and of n looks.

An output z tells P from Q by its ratio P(z)/Q(z), and outputs of equal ratio tell the same. From
look to look ratios multiply. If all are powers of one number, as for most mechanisms, the chances
of n looks are the coefficients of a polynomial's n-th power. Otherwise the ratios are told apart
one by one, or, if they are too many, put on a grid. See ``docs/proofs/profile.md``.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

from flint import arb, arb_poly, fmpq, fmpz, fmpz_poly

from leaktight.exact.rounding import nearest_float, precision

Corner: TypeAlias = tuple[fmpq, fmpq]
"""How likely a set of outputs is under Q, and how likely under P."""

MOST_PRODUCTS = 2**18
"""The most products of ratios that are told apart one by one."""

MOST_ROOT = 64
"""The highest power to which ratios are raised to see whether all are powers of one number."""

GRID = 2**16
"""How many ratios the grid has for n looks, at most."""

BITS = 192
"""The bits with which chances on the grid are enclosed."""


class Corners(NamedTuple):
    """Corners between which those of a pair lie; the same twice if they are exact."""

    lower: list[Corner]
    upper: list[Corner]


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
            return Corners(exact, exact)
        looks, certain = self._blocks(n), self._certain(n)
        return Corners(_gridded(looks, certain, False), _gridded(looks, certain, True))

    def exact_corners(self, n: int = 1) -> list[Corner] | None:
        """Return the corners of n looks; None if their ratios are too many to be told apart."""
        certain = self._certain(n)
        if not self.ratios:
            return [(fmpq(0), certain)]
        places = _exponents(list(self.ratios))
        if places is not None:
            return _corners(zip(*self._lattice(places, n), strict=True), certain)
        looks = self._blocks(n)
        if len(looks) > 1:
            return None
        ranked = sorted(looks[0].ratios.items(), reverse=True)
        return _corners((pair for _, pair in ranked), certain)

    def _certain(self, n: int) -> fmpq:
        """Return the chance that one of n looks shows what Q never has."""
        return self._whole() ** n - self._finite() ** n

    def _blocks(self, n: int) -> list["Losses"]:
        """Return losses whose product is that of n looks, as few as can be told apart exactly."""
        block, size, whole = self, 1, list[Losses]()
        while n:
            if n & size:
                n -= size
                if whole and whole[-1]._times(block) <= MOST_PRODUCTS:
                    whole[-1] *= block
                else:
                    whole.append(block)
            if n and block._times(block) <= MOST_PRODUCTS:
                block, size = block * block, 2 * size
            elif n:
                return whole + [block] * (n // size)
        return whole

    def _times(self, other: "Losses") -> int:
        return len(self.ratios) * len(other.ratios)

    def _lattice(self, places: dict[fmpq, int], n: int) -> Iterator[list[fmpq]]:
        """Yield the chances of n looks under P and under Q, the largest ratio first."""
        least = min(places.values())
        for side in (0, 1):
            chances = [self.ratios[r][side] for r in places]
            whole = math.lcm(*(int(chance.q) for chance in chances))
            one = [fmpz(0)] * (max(places.values()) - least + 1)
            for r, chance in zip(places, chances, strict=True):
                one[places[r] - least] += (chance * whole).p
            many, all_parts = (fmpz_poly(one) ** n).coeffs(), fmpz(whole) ** n
            yield [fmpq(chance, all_parts) for chance in reversed(many)]


def _gathered(pairs: Iterable[tuple[fmpq, fmpq]]) -> dict[fmpq, tuple[fmpq, fmpq]]:
    """Return pairs of chances by their ratio."""
    found: dict[fmpq, tuple[fmpq, fmpq]] = {}
    for p, q in pairs:
        r = p / q
        before = found.get(r, (fmpq(0), fmpq(0)))
        found[r] = (before[0] + p, before[1] + q)
    return found


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


# --- on a grid -----------------------------------------------------------------------------


def _gridded(looks: list[Losses], certain: fmpq, up: bool) -> list[Corner]:
    """Return corners of looks with ratios on a grid: surely at least, or at most, as telling.

    Upwards each ratio is split between its neighbours on the grid, so that P and Q keep their
    chances. Downwards it becomes the one below, at which Q has more.
    """
    with precision(BITS):
        step = arb((sum(map(_width, looks), arb(0)) / GRID).upper())
        first, whole = 0, arb_poly([1])
        for losses, times in Counter(looks).items():
            start, one = _on_grid(losses, step, up)
            first, whole = first + times * start, whole * one**times
        chances = [_end(p, up) for p in whole.coeffs()]
        ratio, back = (-step * (first + len(chances) - 1)).exp(), step.exp()
        others = list[fmpq]()
        for p in reversed(chances):
            others.append(_end(arb(p) * ratio, not up))
            ratio *= back
    return _corners(zip(reversed(chances), others, strict=True), certain)


def _width(losses: Losses) -> arb:
    return arb(max(losses.ratios) / min(losses.ratios)).log()


def _on_grid(losses: Losses, step: arb, up: bool) -> tuple[int, arb_poly]:
    """Return the first place on the grid, and the chances under P from there."""
    places = {r: _between(arb(r).log() / step) for r in losses.ratios}
    start = min(low for low, _ in places.values())
    chances = [arb(0)] * (max(high for _, high in places.values()) - start + 1)
    for r, (p, q) in losses.ratios.items():
        low, high = places[r]
        if up:
            least, most = (step * low).exp(), (step * high).exp()
            higher = most * (arb(p) - least * arb(q)) / (most - least)
            chances[high - start] += higher
            chances[low - start] += arb(p) - higher
        else:
            chances[low - start] += arb(p)
    return start, arb_poly(chances)


def _between(ball: Any) -> tuple[int, int]:
    """Return whole numbers between which the enclosed one surely lies."""
    low, high = ball.lower().floor().unique_fmpz(), ball.upper().floor().unique_fmpz()
    return int(low), int(high) + 1


def _end(ball: Any, up: bool) -> fmpq:
    """Return the upper end, or the lower one but at least 0."""
    return ball.upper().fmpq() if up else max(ball.lower().fmpq(), fmpq(0))
