"""Bounds on the leakage, read side by side."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from html import escape

from leaktight.errors import TooLarge
from leaktight.exact.bound import InBits
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import above, in_bits, wrapped

DIAMETERS = "diameters"
"""How the form of Theorem 11 of [Edwards2021] begins; for other metrics than graphs it is ours."""


@dataclass(frozen=True, slots=True, repr=False)
class PublishedBound(InBits):
    """A number that Σ_z max_x K(z|x) of no private channel K exceeds, and who says so.

    ``factors`` is the number as a product of powers. For a ratio e^ε that is only enclosed it is
    computed at the upper end, where every bound is larger, so that it holds for ε itself.
    """

    source: str
    form: str
    assumes: str
    factors: Powers

    @property
    def value(self) -> Fraction:
        """The bound on Σ_z max_x K(z|x), written out; refused if that takes too much memory."""
        return self.factors.value

    @property
    def bits_interval(self) -> tuple[float, float]:
        """The bound on the leakage in bits, rounded down and up."""
        return self.factors.bits_interval

    @property
    def nats(self) -> float:
        """The bound on the leakage in nats, rounded up."""
        return self.factors.nats

    def __str__(self) -> str:
        return f"{self.source}: {self.form}"

    def __repr__(self) -> str:
        return f"PublishedBound({self}, {in_bits(self.bits, above)})"


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """A published bound that says nothing about this graph, and why."""

    source: str
    form: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.form}: {self.reason}"


@dataclass(frozen=True, slots=True, repr=False)
class LeakageBounds:
    """Bounds on the worst case of all λ-private channels on a graph, the smallest first.

    ``bounds`` are about the whole database, ``about_one_record`` about any one record if all
    others are known; the two are not to be compared. ``inapplicable`` has the rest. ``databases``
    is how many vertices the graph has, None if that is only bounded.
    """

    databases: Powers | None
    ratio: Ratio
    bounds: tuple[PublishedBound, ...]
    about_one_record: tuple[PublishedBound, ...]
    inapplicable: tuple[Inapplicable, ...]

    @property
    def tightest(self) -> PublishedBound:
        """The smallest bound."""
        return self.bounds[0]

    @property
    def by_diameters(self) -> PublishedBound | None:
        """The bound of Theorem 11 of [Edwards2021]_, by the diameters of the components."""
        return next((bound for bound in self.bounds if bound.form.startswith(DIAMETERS)), None)

    @property
    def utility(self) -> Fraction:
        """The most that the chance to guess the vertex right can be, all being equally likely.

        It is the tightest value divided by the number of vertices. On the answer graph of a
        query this bounds the utility of an oblivious mechanism for uniform answers: Theorem 3
        of [Alvim2011b]_, where that assumption is missing, and Theorem 3 of [Alvim2011a]_.
        """
        if self.databases is None:
            raise TooLarge("how many databases there are is only bounded, and so not their share")
        return (self.tightest.factors / self.databases).value

    def named(self, text: str) -> tuple[PublishedBound, ...]:
        """Return the bounds on the whole database whose source or form has ``text`` in it."""
        return tuple(bound for bound in self.bounds if text in str(bound))

    def __iter__(self) -> Iterator[PublishedBound]:
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds)

    def __repr__(self) -> str:
        return "\n".join(
            [
                wrapped(f"Bounds on the leakage at the ratio {_ratio(self.ratio)}"),
                *_lines(self.bounds, "all that is secret"),
                *_lines(self.about_one_record, "one record, if the others are known"),
                "* tightest",
                *(
                    wrapped(f"not applicable ({why}): {what}", "  ")
                    for why, what in self._reasons()
                ),
            ]
        )

    def _repr_html_(self) -> str:
        head = "<th>bits</th><th>Σ max</th><th>source</th><th>assumes</th>"
        parts = [
            f"<caption>Bounds on the leakage at the ratio {escape(_ratio(self.ratio))}</caption>"
        ]
        for bounds, about in (
            (self.bounds, "all that is secret"),
            (self.about_one_record, "one record, if the others are known"),
        ):
            if not bounds:
                continue
            parts.append(f"<tr><th colspan=4>about {about}</th></tr><tr>{head}</tr>")
            parts += [_html_row(bound, _mark(bound, bounds)) for bound in bounds]
        parts += [
            f"<tr><td colspan=3>{escape(what)}</td><td>not applicable: {escape(why)}</td></tr>"
            for why, what in self._reasons()
        ]
        return f"<table>{''.join(parts)}</table>"

    def _reasons(self) -> Iterator[tuple[str, str]]:
        """Yield each reason with all the bounds that it rules out."""
        grouped: dict[str, list[str]] = {}
        for one in self.inapplicable:
            grouped.setdefault(one.reason, []).append(f"{one.source}, {one.form}")
        return ((reason, "; ".join(sources)) for reason, sources in grouped.items())


def in_order(bounds: Iterable[PublishedBound]) -> tuple[PublishedBound, ...]:
    """Return the bounds from the smallest to the largest, equal ones as they came."""
    return tuple(sorted(bounds, key=lambda bound: bound.factors))


def _mark(bound: PublishedBound, bounds: tuple[PublishedBound, ...]) -> str:
    return "*" if bound.factors == bounds[0].factors else " "


def _lines(bounds: tuple[PublishedBound, ...], about: str) -> Iterator[str]:
    if not bounds:
        return
    rows = [("bits", "Σ max", " ", f"about {about}")]
    rows += [(_bits(b.bits), _number(b.factors), _mark(b, bounds), str(b)) for b in bounds]
    wide, wider = (max(len(row[column]) for row in rows) for column in (0, 1))
    for bits, number, mark, text in rows:
        start = f"{bits:>{wide}}  {number:>{wider}} {mark} "
        yield wrapped(text, " " * len(start), start=start)


def _html_row(bound: PublishedBound, mark: str) -> str:
    name = f"<b>{escape(str(bound))}</b>" if mark == "*" else escape(str(bound))
    return (
        f"<tr><td>{_bits(bound.bits)}</td><td>{_number(bound.factors)}</td>"
        f"<td>{name}</td><td>{escape(bound.assumes)}</td></tr>"
    )


def _bits(bits: float) -> str:
    """Four digits after the point, rounded up, so that what is printed is a bound too."""
    return f"{Decimal(bits).quantize(Decimal('0.0001'), ROUND_CEILING):,}"


def _number(number: Powers) -> str:
    """The number if it is short, its magnitude if a person can read it, else nothing."""
    if number.length <= 128 and len(text := str(number.value)) <= 10:
        return text
    return f"≈{above(2.0**number.bits, 4)}" if number.bits < 100 else ""


def _ratio(ratio: Ratio) -> str:
    text = str(ratio)
    return text if len(text) <= 50 else f"e^{above(ratio.epsilon)}"
