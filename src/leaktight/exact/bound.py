"""Numbers proved to lie between two ends: how they are rounded, shown and exported.

A :class:`Bound` has two proved ends, a unit, which is its class, and the side that is safe: what
limits a leak is told by its upper end, what an attacker needs at least by its lower one. It alone
rounds such a number, always outward. What is proved on one side only has an infinite other end, so
that no lower bound passes for an upper one. A result that is a number with a witness is a subclass,
whose fields are the witness.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from flint import arb, fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Value, rational
from leaktight.exact.rounding import float_above, float_below, ln_interval, log2_interval, outward
from leaktight.exact.shown import (
    Told,
    above,
    around,
    below,
    in_bits,
    one_line,
    percent,
    percent_above,
    shown,
    shown_above,
    shown_below,
)

Side: TypeAlias = Literal["upper", "lower"]
"""Which end of a bound a claim may rest on."""

N = TypeVar("N", covariant=True)

MOST_BITS = 100
"""The longest numerator or denominator that JSON and LaTeX get as it is."""


@dataclass(frozen=True, slots=True, repr=False)
class Bound(Told, Generic[N]):
    """A number that is proved to lie between ``lower`` and ``upper``; as a float, the safe end.

    >>> third = Bound(Fraction(1, 3), Fraction(1, 3))
    >>> near = Bound(0.33, 0.34)
    >>> third, near, Bound(0.33, 0.34, side="lower"), near.text
    (Bound(1/3), Bound(≤ 0.34), Bound(≥ 0.33), '0.33 to 0.34')
    >>> third.is_exact, float(third), near.to_json()
    (True, 0.33333333333333337, {'unit': '', 'lower': 0.33, 'upper': 0.34, 'exact': None})
    """

    lower: N
    upper: N
    side: Side = field(default="upper", kw_only=True, repr=False)
    unit: ClassVar[str] = ""

    def __post_init__(self) -> None:
        low, high = self._ends
        if not low <= high:
            raise InvalidNumber(
                f"a lower end must not exceed the upper one, got {shown(low)} and {shown(high)}"
            )

    @property
    def _ends(self) -> tuple[Any, Any]:
        return self.lower, self.upper

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the number itself; floats are proved around it, or estimates."""
        low, high = self._ends
        return bool(low == high) and (not isinstance(low, float) or math.isinf(low))

    @property
    def gap(self) -> N:
        """How far apart the ends are."""
        low, high = self._ends
        return high - low

    @property
    def safe(self) -> N:
        """The end that a claim may rest on."""
        return self.upper if self.side == "upper" else self.lower

    @property
    def interval(self) -> tuple[float, float]:
        """Floats below and above both ends."""
        low, high = self._ends
        return (
            low if isinstance(low, float) else float_below(rational(low)),
            high if isinstance(high, float) else float_above(rational(high)),
        )

    def __float__(self) -> float:
        return self.interval[self.side == "upper"]

    # --- how it is shown ---------------------------------------------------------------------

    @property
    def text(self) -> str:
        """Both ends: the number if it is exact, or six of its digits, or from where to where."""
        low, high = self._ends
        if self.is_exact:
            return shown(low)
        near = {f"{end:.6g}" for end in self.interval}
        if len(near) == 1:
            return f"≈{near.pop()}"
        return f"{_down(low).removeprefix('≈')} to {_up(high).removeprefix('≈')}"

    @property
    def compared(self) -> str:
        """The safe end with its sign.

        >>> Bound(Fraction(1, 6), Fraction(1, 6)).compared, Bound(0.1, 0.2).compared
        ('= 1/6', '≤ 0.2')
        """
        low, high = self._ends
        sign, text = ("≤", _up(high)) if self.side == "upper" else ("≥", _down(low))
        if self.is_exact and not text.startswith("≈"):
            return f"= {text}"
        return f"{sign} {text.removeprefix('≈')}"

    @property
    def end(self) -> str:
        """The safe end alone."""
        return self.compared[2:]

    def latex(self) -> str:
        r"""Return it as LaTeX writes it, between dollars.

        >>> print(Bound(Fraction(1, 3), Fraction(1, 3)).latex(), Bits(0.5, 0.75).latex())
        \frac{1}{3} \le 0.75\text{ bits}
        """
        sign, number = self.compared[0], self.end
        if sign == "=" and "/" in number:
            number = r"\frac{{{}}}{{{}}}".format(*number.split("/"))
        start = {"=": "", "≤": r"\le ", "≥": r"\ge "}[sign]
        unit = rf"\text{{ {self.unit}}}" if self.unit else ""
        return f"{start}{number}{unit}".replace("inf", r"\infty")

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it: ends as floats, rounded outward; infinite ones are null.

        ``exact`` is the number as text, unless it is not known exactly or long.
        """
        low, high = (end if math.isfinite(end) else None for end in self.interval)
        number = rational(self.lower) if self.is_exact and low is not None else None
        text = None if number is None or number.height_bits() > MOST_BITS else str(number)
        return {"unit": self.unit, "lower": low, "upper": high, "exact": text}

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return self.compared.removeprefix("= ") + unit

    def _repr_html_(self) -> str:
        from leaktight.exact.matrix import html_rows

        others = ((each.name, getattr(self, each.name)) for each in fields(self)[2:] if each.repr)
        rows = [(name, one_line(_said(value))) for name, value in others if value is not None]
        return html_rows(type(self).__name__, [], [("value", self.text), *rows])


def _up(end: Value | int) -> str:
    return above(end) if isinstance(end, float) else shown_above(end)


def _down(end: Value | int) -> str:
    return below(end) if isinstance(end, float) else shown_below(end)


def _said(value: object) -> str:
    return shown(value) if isinstance(value, Fraction) else str(value)


# --- units -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Chance(Bound[N]):
    """A probability.

    >>> Chance(Fraction(1, 3), Fraction(2, 5)), Chance(Fraction(1, 3), Fraction(2, 5)).percent
    (Chance(≤ 2/5), '40%')
    """

    @property
    def percent(self) -> str:
        """The upper end in percent: to the nearest if both ends show the same, else rounded up."""
        low, high = map(Fraction, self._ends)
        near = percent(high)
        return near if percent(low) == near else percent_above(high)


@dataclass(frozen=True, slots=True, repr=False)
class Epsilon(Bound[float]):
    """An ε = ln λ; infinite if there is none.

    >>> Epsilon(0.5, 1.25)
    Epsilon(ε ≤ 1.25)
    """

    unit: ClassVar[str] = "nats"

    def __str__(self) -> str:
        return f"ε {self.compared}"


@dataclass(frozen=True, slots=True, repr=False)
class Count(Bound[int | float]):
    """A whole number, or infinity.

    >>> Count(1000, 2000, side="lower"), Count(1000, 2000).text
    (Count(≥ 1,000), '1,000 to 2,000')
    """

    @property
    def text(self) -> str:
        """Both ends, or one if they are the same."""
        return f"{self.upper:,}" if self.is_exact else f"{self.lower:,} to {self.upper:,}"

    @property
    def compared(self) -> str:
        """The safe end with its sign."""
        sign = "=" if self.is_exact else "≤" if self.side == "upper" else "≥"
        return f"{sign} {self.safe:,}"


class InBits(ABC):
    """An amount of information; where a float is asked for, it is its ``bits``.

    ``bits`` and ``nats`` are rounded up, never the middle: what they say, nothing exceeds.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def bits_interval(self) -> tuple[float, float]:
        """Floats below and above the number of bits."""

    @property
    def bits(self) -> float:
        """The number of bits, rounded up."""
        return self.bits_interval[1]

    @property
    def nats(self) -> float:
        """The number of nats, rounded up."""
        bits = self.bits
        return outward(lambda: arb(bits) * arb.const_log2())[1] if math.isfinite(bits) else bits

    @property
    def in_bits(self) -> "Bits":
        """The number of bits by itself, with both ends."""
        return Bits(*self.bits_interval)

    def __float__(self) -> float:
        return self.bits


class OfFactor(InBits):
    """What has a ``factor``, whose logarithm is the amount."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def factor(self) -> Value:
            """A field, or a property, of what has it."""

    @property
    def bits_interval(self) -> tuple[float, float]:
        """Floats below and above log2 of the factor."""
        infinite = self.factor == math.inf
        return (math.inf, math.inf) if infinite else log2_interval(self.factor)

    @property
    def nats(self) -> float:
        """ln of the factor, rounded up."""
        return math.inf if self.factor == math.inf else ln_interval(self.factor)[1]


@dataclass(frozen=True, slots=True, repr=False)
class Bits(InBits, Bound[float]):
    """A number of bits.

    >>> Bits(0.25, 0.5), Bits(1.0, 1.0).text, Bits(0.25, 0.5).nats
    (Bits(0.25 to 0.5 bits), '1 bit', 0.3465735902799727)
    """

    unit: ClassVar[str] = "bits"

    @property
    def bits_interval(self) -> tuple[float, float]:
        """The two ends."""
        return self.lower, self.upper

    @property
    def text(self) -> str:
        """Both ends with their unit, or one if they are written alike."""
        low, high = _down(self.lower), _up(self.upper)
        if low != high and math.isfinite(self.upper) and (near := around(*self._ends)):
            return f"{near} bits"
        return in_bits(self.upper, above) if low == high else f"{low} to {high} bits"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class Factor(InBits, Bound[Fraction]):
    """By how much something is multiplied; as an amount of information its logarithm counts.

    >>> doubled = Factor(Fraction(2), Fraction(2))
    >>> doubled, doubled.bits, doubled.bits_interval
    (Factor(exactly 2, 1 bit), 1.0, (1.0, 1.0))
    """

    @property
    def bits_interval(self) -> tuple[float, float]:
        """Both ends in bits, rounded outward."""
        ends = [log2_interval(e) if e < math.inf else (math.inf,) * 2 for e in self._ends]
        return ends[0][0], ends[1][1]

    @property
    def nats(self) -> float:
        """ln of the upper end, rounded up."""
        return ln_interval(self.upper)[1] if self.upper < math.inf else math.inf

    def said(self, formula: str = "") -> str:
        """Return the factor, by which formula it is, and its bits."""
        how = "exactly " if self.is_exact else "" if formula else "at most "
        equal = f" = {formula}" if formula else ""
        return f"{how}{shown_above(self.upper)}{equal}, {in_bits(self.bits, above)}"

    def __str__(self) -> str:
        return self.said()


def added(intervals: Iterable[tuple[tuple[float, float], int]]) -> tuple[float, float]:
    """Return floats below and above a sum of enclosed numbers, each taken so many times.

    >>> added([((0.1, 0.2), 2), ((0.5, 0.5), 1)])
    (0.7, 0.9)
    """
    lower = upper = fmpq(0)
    for (low, high), times in intervals:
        if math.isinf(high):
            return (low, high)
        lower, upper = lower + times * rational(low), upper + times * rational(high)
    return float_below(lower), float_above(upper)
