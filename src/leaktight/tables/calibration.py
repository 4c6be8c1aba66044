"""How wide must the noise be, so that no secret pair is told apart by more than is allowed?

Geometric noise whose probabilities fall by the factor α_i < 1 per unit is added to number i. Then
the release's ratio for a secret pair (u, v) is exactly Π_i α_i^(−|W_ui − W_vi|). With discrete
Gaussian noise its ρ is Σ_i (W_ui − W_vi)²/(2σ_i²). The proofs are in docs/proofs/tables.md. A query
that has a share s of all shares gets a noise with which it alone would cost λ^s, or s·ρ, and if no
pair pays for all of them at once, all noises are made smaller together.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from flint import arb

from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, RatioLike, step_ratio
from leaktight.exact.rounding import log2, precision
from leaktight.exact.shown import above, shown
from leaktight.labels import Labels
from leaktight.tables.budget import read_epsilon_delta, read_rho
from leaktight.tables.measure import CONCENTRATED, Lost, rho_below
from leaktight.tables.noise import BlockNoise, GaussianVariance, GeometricStep
from leaktight.tables.paid import Paid
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
from leaktight.tables.spent import Spent
from leaktight.tables.weights import Weights

Shared: TypeAlias = tuple[tuple[Weights, int], ...]
"""Blocks of W, and the units of each."""

MOST_UNITS = 2**50
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
        """The largest ratio of a secret pair, exactly; under public counts, at most.

        Gaussian noise has none.
        """
        if self.paid.rhos:
            raise InvalidInput("Gaussian noise keeps no ratio; it has rho")
        return self.paid.steps ** int(self.protection.exponents(self.paid).max(initial=0))

    @property
    def rho(self) -> Fraction:
        """The largest ρ of a secret pair: of Gaussian noise exactly, of geometric at most.

        Under public counts, at most.
        """
        charges = CONCENTRATED.charges(self.protection, self.paid)
        found = Spent.of(self.protection.accounts, charges, CONCENTRATED).largest
        assert isinstance(found, Fraction)
        return found

    @property
    def cost(self) -> Lost:
        """What it costs in its own measure: the level, or ρ."""
        return self.rho if self.paid.rhos else self.level

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


class Allowance(Protocol):
    """How much a release may cost, and with which noise it keeps to that."""

    def told(self) -> str:
        """Say how much, as a person reads it."""

    @property
    def promise(self) -> Ratio | PrivacyCurve:
        """What is promised."""

    def expect(self) -> None:
        """Refuse an allowance with which no noise is wide enough."""

    def apart(self, protection: Protection, shared: Shared) -> int:
        """Return the most units by which the answers of neighbours differ."""

    def noises(self, shared: Shared, most: int) -> tuple[tuple[BlockNoise, ...], Paid]:
        """Return the noise of each block if neighbours differ by ``most`` units, and its cost."""


@dataclass(frozen=True, slots=True)
class GeometricWithin:
    """Geometric noise with which no ratio is above λ."""

    ratio: Ratio

    def told(self) -> str:
        """Say the ε."""
        return f"ε = {above(self.ratio.epsilon)}"

    @property
    def promise(self) -> Ratio:
        """The ratio."""
        return self.ratio

    def expect(self) -> None:
        """Refuse λ = 1."""
        if self.ratio.lower == 1:
            raise InvalidNumber("a release needs an ε above 0: at ε = 0 no noise is wide enough")

    def apart(self, protection: Protection, shared: Shared) -> int:
        """Return the largest Σ units·|change|."""
        return int(protection.exponents(Paid(Powers.of(), shared)).max(initial=0))

    def noises(self, shared: Shared, most: int) -> tuple[tuple[BlockNoise, ...], Paid]:
        """Return noise with r^(units), where r^most ≤ λ."""
        step = step_ratio(self.ratio.lower, most)
        each = tuple(GeometricStep(_power(step, units)) for _, units in shared)
        return each, Paid(Powers.of((step, 1)), shared)


@dataclass(frozen=True, slots=True)
class GaussianWithin:
    """Discrete Gaussian noise with which no ρ is above a limit: σ² = 1/(2·ρ·units)."""

    rho: Fraction

    def told(self) -> str:
        """Say the ρ."""
        return f"ρ = {shown(self.rho)}"

    @property
    def promise(self) -> PrivacyCurve:
        """ρ-zCDP."""
        return PrivacyCurve.zcdp(self.rho)

    def expect(self) -> None:
        """Refuse ρ = 0."""
        if not self.rho > 0:
            raise InvalidNumber("a release needs a ρ above 0: at ρ = 0 no noise is wide enough")

    def apart(self, protection: Protection, shared: Shared) -> int:
        """Return the largest Σ units·change²."""
        return int(protection.squares(Paid(Powers.of(), shared)).max(initial=0))

    def noises(self, shared: Shared, most: int) -> tuple[tuple[BlockNoise, ...], Paid]:
        """Return noise whose ρ for one unit is ρ/most, exactly."""
        each = self.rho / most
        own = tuple(GaussianVariance(1 / (2 * each * units)) for _, units in shared)
        return own, Paid(Powers.of(), shared, ((each, 1),))


def _geometric(
    ratio: RatioLike, epsilon: Number | None, rho: Number | None, delta: Number | None
) -> Allowance:
    if rho is not None or delta is not None:
        raise InvalidInput(
            'rho and delta are for noise = "gaussian"; geometric noise takes epsilon or ratio'
        )
    return GeometricWithin(Ratio.of(ratio, epsilon))


def _gaussian(
    ratio: RatioLike, epsilon: Number | None, rho: Number | None, delta: Number | None
) -> Allowance:
    if rho is not None and ratio is None and epsilon is None and delta is None:
        return GaussianWithin(read_rho(rho))
    if rho is not None or ratio is not None or epsilon is None or delta is None:
        raise InvalidInput(
            "Gaussian noise has no ε alone: give rho (of zCDP), or epsilon and delta, and no more"
        )
    return GaussianWithin(rho_below(*read_epsilon_delta(epsilon, delta)))


NOISES = {"geometric": _geometric, "gaussian": _gaussian}
"""The kinds of noise, each with what reads how much a release with it may cost."""


def allowance(
    noise: str | Allowance = "geometric",
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
) -> Allowance:
    """Return how much a release may cost, and with which noise: "geometric" or "gaussian".

    >>> allowance("gaussian", rho="1/24").told(), allowance(epsilon=1).told()
    ('ρ = 1/24', 'ε = 1')
    """
    if not isinstance(noise, str):
        return noise
    if noise not in NOISES:
        raise InvalidInput(f"noise must be {' or '.join(NOISES)}, got {noise!r:.40}")
    return NOISES[noise](ratio, epsilon, rho, delta)


def calibrated(
    protection: Protection,
    queries: Iterable[TableQuery],
    allowed: Ratio | Allowance,
    columns: Labels = (),
) -> Noise:
    """Return the noise that keeps every secret pair within what is allowed, and uses it up.

    For a ratio it is geometric. What can be asked in several ways, such as a histogram, plain or
    ordered, is asked in the one that would by itself have the smaller expected squared error.
    """

    allowance = GeometricWithin(allowed) if isinstance(allowed, Ratio) else allowed

    def error(way: TableQuery) -> Fraction:
        found = _for_blocks(protection, [way], allowance, columns).expected
        return sum((each.cell for each in found), Fraction(0)) / len(found)

    taken = [
        ways[0] if len(ways := query.ways()) == 1 else min(ways, key=error)
        for query in distinct(queries)
    ]
    return _for_blocks(protection, taken, allowance, columns)


def _for_blocks(
    protection: Protection, queries: list[TableQuery], allowance: Allowance, columns: Labels
) -> Noise:
    blocks = tuple(blocks_of(queries, protection.values, protection.absent, columns))
    units = _units(protection, queries, blocks, allowance)
    shared = tuple((block.weights, u) for block, u in zip(blocks, units, strict=True))
    most = _most(allowance, protection, shared)
    if not most:
        return Noise(protection, blocks, (None,) * len(blocks), Paid(Powers.of(), shared))
    allowance.expect()
    noises, paid = allowance.noises(shared, most)
    return Noise(protection, blocks, noises, paid)


def _most(allowance: Allowance, protection: Protection, shared: Shared) -> int:
    most = allowance.apart(protection, shared)
    if most > MOST_UNITS:
        raise InvalidNumber(
            f"neighbours differ by {most:,} units in all, and at most {MOST_UNITS:,} are possible; "
            "count in a larger unit"
        )
    return most


def _units(
    protection: Protection,
    queries: list[TableQuery],
    blocks: Sequence[Block],
    allowance: Allowance,
) -> list[int]:
    """Return for each block the whole number of units of the query that it is of.

    If neighbours differ by d in a query alone, its units are to those of others as share/d is.
    """
    wanted: list[Fraction] = []
    for query in queries:
        own = tuple((block.weights, 1) for block in blocks if block.query is query)
        apart = _most(allowance, protection, own) if len(queries) > 1 else 1
        wanted.append(Fraction(query.share, apart) if apart else Fraction(0))
    found = iter(_whole([each for each in wanted if each]))
    asked = zip(queries, wanted, strict=True)
    units = {query.name: next(found) if each else 1 for query, each in asked}
    return [units[block.query.name] for block in blocks]


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
