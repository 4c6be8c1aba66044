"""How wide must the noise be, so that no secret pair is told apart by more than λ?

Geometric noise whose probabilities fall by the factor α_i < 1 per unit is added to number i. Then
the release's ratio for a secret pair (u, v) is exactly Π_i α_i^(−|W_ui − W_vi|): the proof is in
docs/proofs/tables.md. A query that has a share s of all shares gets a noise with which it alone
would cost λ^s, and if no pair pays for all of them at once, all noises are made smaller together.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, step_ratio
from leaktight.exact.rounding import log2, precision
from leaktight.labels import Labels
from leaktight.tables.budget import Paid
from leaktight.tables.noise import BlockNoise, GeometricStep
from leaktight.tables.protection import Protection
from leaktight.tables.queries import (
    Answer,
    Block,
    Expected,
    Part,
    TableQuery,
    blocks_of,
    distinct,
)
from leaktight.tables.weights import Weights

MOST_UNITS = 2**40
"""The most units, times rows, by which a secret pair may differ."""

EXACT_UNITS = 2**10
"""Up to so many units of a number, shares of ε are kept exactly."""

FINEST = 64
"""Beyond them, the query with the fewest has so many: shares are kept to 1%."""

LONGEST_STEP = 2**13
"""The longest step of a noise in bits; of longer ones the first 64 are taken, rounded down."""


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """The blocks of a release, the noise of each, whom it protects and what that costs."""

    protection: Protection
    blocks: tuple[Block, ...]
    noises: tuple[BlockNoise | None, ...]
    """That of each block; None if neighbours differ in nothing that is asked."""
    paid: Paid
    """What it costs: the noise of a block with u units costs no more per unit than r^u."""

    @property
    def step(self) -> Fraction:
        """r: a block with u units has noise with 1/α = r^u, or hardly less."""
        return self.paid.steps.value

    @property
    def level(self) -> Powers:
        """The largest ratio of a secret pair, exactly; under public counts, at most."""
        return self.paid.steps ** int(self.protection.exponents(self.paid).max(initial=0))

    def of(self, block: Block) -> list[BlockNoise | None]:
        """Return the noise of each number of a block; None where nothing is added.

        A number that is the same for both values of every secret pair needs no noise.
        """
        noise = self.noises[self.blocks.index(block)]
        if noise is None:
            return [None] * block.weights.size
        moved = block.weights.moved(self.protection.moves)
        return [noise if noisy else None for noisy in moved.tolist()]

    def parts(self, numbers: Iterable[Sequence[Any]]) -> list[tuple[TableQuery, list[Part]]]:
        """Return for each query the numbers of its blocks, with their noises."""
        found: dict[str, tuple[TableQuery, list[Part]]] = {}
        for block, own in zip(self.blocks, numbers, strict=True):
            _, parts = found.setdefault(block.query.name, (block.query, []))
            parts.append(Part(block, own, self.of(block)))
        return list(found.values())

    def answers(self, numbers: Iterable[Sequence[Any]]) -> tuple[Answer, ...]:
        """Return the answers that follow from the numbers of the blocks."""
        return tuple(each for q, parts in self.parts(numbers) for each in q.answers(parts))

    @property
    def expected(self) -> list[Expected]:
        """The errors that are expected, of each query."""
        nothing = [() for _ in self.blocks]
        return [each for q, parts in self.parts(nothing) for each in q.expected(parts)]


def calibrated(
    protection: Protection,
    queries: Iterable[TableQuery],
    ratio: Ratio,
    columns: Labels = (),
) -> Noise:
    """Return the noise that keeps every secret pair within ``ratio``, and uses it up.

    What can be asked in several ways, such as a histogram, plain or ordered, is asked in the one
    that would by itself have the smaller expected squared error.
    """

    def error(way: TableQuery) -> Fraction:
        found = _for_blocks(protection, [way], ratio, columns).expected
        return sum((each.cell for each in found), Fraction(0)) / len(found)

    taken = [
        ways[0] if len(ways := query.ways()) == 1 else min(ways, key=error)
        for query in distinct(queries)
    ]
    return _for_blocks(protection, taken, ratio, columns)


def _for_blocks(
    protection: Protection, queries: list[TableQuery], ratio: Ratio, columns: Labels
) -> Noise:
    blocks = tuple(blocks_of(queries, protection.values, protection.absent, columns))
    units = _units(protection, queries, blocks)
    shared = tuple((block.weights, u) for block, u in zip(blocks, units, strict=True))
    most = _most(protection, shared)
    if not most:
        return Noise(protection, blocks, (None,) * len(blocks), Paid(Powers.of(), shared))
    if ratio.lower == 1:
        raise InvalidNumber("a release needs an ε above 0: at ε = 0 no noise is wide enough")
    step = step_ratio(ratio.lower, most)
    noises = tuple(GeometricStep(_power(step, u)) for u in units)
    return Noise(protection, blocks, noises, Paid(Powers.of((step, 1)), shared))


def _most(protection: Protection, shared: Sequence[tuple[Weights, int]]) -> int:
    """Return the most units by which the answers of neighbours differ."""
    most = int(protection.exponents(Paid(Powers.of(), tuple(shared))).max(initial=0))
    if most > MOST_UNITS:
        raise InvalidNumber(
            f"neighbours differ by {most:,} units in all, and at most {MOST_UNITS:,} are possible; "
            "count in a larger unit"
        )
    return most


def _units(protection: Protection, queries: list[TableQuery], blocks: Sequence[Block]) -> list[int]:
    """Return for each block the whole number of units of the query that it is of.

    If neighbours differ by d in a query alone, its units are to those of others as share/d is.
    """
    wanted: list[Fraction] = []
    for query in queries:
        own = [(block.weights, 1) for block in blocks if block.query is query]
        apart = _most(protection, own) if len(queries) > 1 else 1
        wanted.append(Fraction(query.share, apart) if apart else Fraction(0))
    units = _whole([each for each in wanted if each])
    found = iter(units)
    of_query = {
        query.name: next(found) if w else 1 for query, w in zip(queries, wanted, strict=True)
    }
    return [of_query[block.query.name] for block in blocks]


def _whole(wanted: list[Fraction]) -> list[int]:
    """Return whole numbers that are to each other as those that are wanted, or nearly.

    >>> _whole([Fraction(1, 2), Fraction(3, 8)]), _whole([Fraction(1, 2), Fraction(1, 10**6 + 1)])
    ([4, 3], [32000032, 64])
    """
    common = math.lcm(*(each.denominator for each in wanted))
    units = [int(each * common) for each in wanted]
    least = math.gcd(*units)
    if not units or max(units) <= least * EXACT_UNITS:
        return [each // least for each in units]
    return [round(FINEST * each / min(wanted)) for each in wanted]


def _power(step: Fraction, units: int) -> Fraction:
    """Return r^units, or what is just below it if that is too long."""
    power = Powers.of((step, units))
    if power.length <= LONGEST_STEP:
        return power.value
    number = rational(step)
    # (r^u − 1) ≥ u·(r − 1): at least so far is the power from 1.
    places = 64 + max(0, -math.floor(log2((number - 1) * units)))
    with precision(2 * places + units.bit_length()):
        enclosure = (arb(number).log() * units).exp()
    with precision(places):
        found = fraction(enclosure.lower().fmpq())
    assert 1 < found <= power
    return found
