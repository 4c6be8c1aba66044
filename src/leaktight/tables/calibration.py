"""Noise wide enough that no secret pair is told apart by more than is allowed.

Geometric noise whose probabilities fall by the factor α_i < 1 per unit is added to number i. Then
the release's ratio for a secret pair (u, v) is exactly Π_i α_i^(−|W_ui − W_vi|). With discrete
Gaussian noise its ρ is Σ_i (W_ui − W_vi)²/(2σ_i²). The proofs are in docs/proofs/tables.md. A query
that has a share s of all shares gets a noise with which it alone would cost λ^s, or s·ρ, and if no
pair pays for all of them at once, all noises are made smaller together.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
from leaktight.tables.accountant import Accountant
from leaktight.tables.budget import read_epsilon_delta, read_rho
from leaktight.tables.measure import CONCENTRATED, Lost, rho_below
from leaktight.tables.noise import BlockNoise, GaussianVariance, GeometricStep
from leaktight.tables.privacy_loss import PrivacyLoss, expect_units
from leaktight.tables.privacy_unit import PrivacyUnit
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

Shared: TypeAlias = tuple[tuple[Weights, int], ...]
"""Blocks of W, and the units of each."""

BITS = 128
"""With so many bits a step is rounded for which an error is asked."""

EXACT_UNITS = 2**10
"""Up to so many units of a number, shares of ε are kept exactly."""

FINEST = 64
"""Beyond them, the query with the fewest has so many: shares are kept to 1%."""

LONGEST_STEP = 2**13
"""The longest step of a noise in bits; of longer ones the first 64 are taken, rounded down."""


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """The blocks of a release, the noise of each, whom it protects and what that costs."""

    protection: PrivacyUnit
    blocks: tuple[Block, ...]
    noises: tuple[BlockNoise | None, ...]
    """That of each block; None if neighbours differ in nothing that is asked."""
    paid: PrivacyLoss
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
        found = Accountant.of(self.protection.accounts, charges, CONCENTRATED).largest
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

    def apart(self, protection: PrivacyUnit, shared: Shared) -> int:
        """Return the most units by which the answers of neighbours differ."""

    def noises(self, shared: Shared, most: int) -> tuple[tuple[BlockNoise, ...], PrivacyLoss]:
        """Return the noise of each block if neighbours differ by ``most`` units, and its cost."""

    @property
    def limit(self) -> Fraction:
        """The ε or ρ that is allowed, rounded down."""

    def rate(self, variance: Fraction) -> Fraction:
        """Return what noise with so small a variance costs for each unit, rounded up."""

    def at_rates(
        self, shared: Shared, rates: Sequence[Fraction], unit: Fraction
    ) -> tuple[tuple[BlockNoise, ...], PrivacyLoss]:
        """Return the noise of blocks that cost so much per unit, paid in whole ``unit``s of it."""

    def allows(self, paid: PrivacyLoss, most: int) -> bool:
        """Say, exactly, whether so many units may be paid."""


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

    def apart(self, protection: PrivacyUnit, shared: Shared) -> int:
        """Return the largest Σ units·|change|."""
        return int(protection.exponents(PrivacyLoss(Powers.of(), shared)).max(initial=0))

    def noises(self, shared: Shared, most: int) -> tuple[tuple[BlockNoise, ...], PrivacyLoss]:
        """Return noise with r^(units), where r^most ≤ λ."""
        step = step_ratio(self.ratio.lower, most)
        each = tuple(GeometricStep(_power(step, units)) for _, units in shared)
        return each, PrivacyLoss(Powers.of((step, 1)), shared)

    @property
    def limit(self) -> Fraction:
        """ln λ, rounded down."""
        with precision(BITS):
            return fraction(arb(rational(self.ratio.lower)).log().lower().fmpq())

    def rate(self, variance: Fraction) -> Fraction:
        """Return ln(1/α), rounded up, where 2α/(1 − α)² is the variance."""
        with precision(BITS):
            v = arb(rational(variance))
            found = (1 + (1 + (1 + 2 * v).sqrt()) / v).log() * (1 + arb(2) ** (32 - BITS))
            return fraction(found.upper().fmpq())

    def at_rates(
        self, shared: Shared, rates: Sequence[Fraction], unit: Fraction
    ) -> tuple[tuple[BlockNoise, ...], PrivacyLoss]:
        """Return noise with steps e^rate, rounded by next to nothing, and r just above e^unit."""
        with precision(BITS):
            balls = [arb(rational(rate)).exp() for rate in rates]
            steps = [fraction(ball.lower().fmpq()) for ball in balls]
            base = steps[0]
            if any(units > 1 for _, units in shared):
                base = fraction(arb(rational(unit)).exp().upper().fmpq())
        assert all(Powers.of((base, u)) >= own for own, (_, u) in zip(steps, shared, strict=True))
        return tuple(map(GeometricStep, steps)), PrivacyLoss(Powers.of((base, 1)), shared)

    def allows(self, paid: PrivacyLoss, most: int) -> bool:
        """Say whether r^most ≤ λ."""
        return paid.steps**most <= self.ratio.lower


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

    def apart(self, protection: PrivacyUnit, shared: Shared) -> int:
        """Return the largest Σ units·change²."""
        return int(protection.squares(PrivacyLoss(Powers.of(), shared)).max(initial=0))

    def noises(self, shared: Shared, most: int) -> tuple[tuple[BlockNoise, ...], PrivacyLoss]:
        """Return noise whose ρ for one unit is ρ/most, exactly."""
        each = self.rho / most
        own = tuple(GaussianVariance(1 / (2 * each * units)) for _, units in shared)
        return own, PrivacyLoss(Powers.of(), shared, ((each, 1),))

    @property
    def limit(self) -> Fraction:
        """ρ."""
        return self.rho

    def rate(self, variance: Fraction) -> Fraction:
        """Return 1/(2σ²)."""
        return 1 / (2 * variance)

    def at_rates(
        self, shared: Shared, rates: Sequence[Fraction], unit: Fraction
    ) -> tuple[tuple[BlockNoise, ...], PrivacyLoss]:
        """Return noise with σ² = 1/(2·rate)."""
        assert all(rate <= unit * units for rate, (_, units) in zip(rates, shared, strict=True))
        own = tuple(GaussianVariance(1 / (2 * rate)) for rate in rates)
        return own, PrivacyLoss(Powers.of(), shared, ((unit, 1),))

    def allows(self, paid: PrivacyLoss, most: int) -> bool:
        """Say whether ρ·most is within the limit."""
        return paid.rho * most <= self.rho


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


UNSAID: dict[str, dict[str, Number]] = {"geometric": {"epsilon": 40}, "gaussian": {"rho": 1000}}
"""What a release may cost if nothing is said, and each query says which error it may have."""

NOISES = {"geometric": _geometric, "gaussian": _gaussian}
"""The kinds of noise, each with what reads how much a release with it may cost."""


def allowance(
    noise: str | Allowance = "geometric",
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    queries: Iterable[TableQuery] = (),
) -> Allowance:
    """Return how much a release may cost, and with which noise: "geometric" or "gaussian".

    If nothing is said, and all ``queries`` say which error they may have, it is what that costs.

    >>> allowance("gaussian", rho="1/24").told(), allowance(epsilon=1).told()
    ('ρ = 1/24', 'ε = 1')
    """
    if not isinstance(noise, str):
        return noise
    if noise not in NOISES:
        raise InvalidInput(f"noise must be {' or '.join(NOISES)}, got {noise!r:.40}")
    asked = list(queries)
    errors = bool(asked) and all(query.error is not None for query in asked)
    if errors and all(each is None for each in (ratio, epsilon, rho, delta)):
        return allowance(noise, **UNSAID[noise])  # type: ignore[arg-type]
    return NOISES[noise](ratio, epsilon, rho, delta)


def calibrated(
    protection: PrivacyUnit,
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
        if way.error is not None:  # then that which costs less
            return _alone(protection, way, allowance, columns)[1]
        found = _for_blocks(protection, [way], allowance, columns).expected
        return sum((each.cell for each in found), Fraction(0)) / len(found)

    taken = [
        ways[0] if len(ways := query.ways()) == 1 else min(ways, key=error)
        for query in distinct(queries)
    ]
    if any(query.error is not None for query in taken):
        return _with_errors(protection, taken, allowance, columns)
    return _for_blocks(protection, taken, allowance, columns)


def _alone(
    protection: PrivacyUnit, query: TableQuery, allowance: Allowance, columns: Labels
) -> tuple[Fraction, Fraction, Fraction]:
    """Return what a query costs per unit if it has an error, what in all, and its units alone.

    The squared error of its numbers is so many times the variance of the noise of its blocks.
    """
    blocks = tuple(blocks_of([query], protection.values, protection.absent, columns))
    shared = tuple((block.weights, 1) for block in blocks)
    apart = Fraction(_most(allowance, protection, shared))
    if query.error is None or not apart:
        return Fraction(0), Fraction(0), apart
    one = GaussianVariance(Fraction(1))
    tried = Noise(protection, blocks, (one,) * len(blocks), PrivacyLoss(Powers.of(), shared))
    times = max(each.cell for each in tried.expected)
    if not times:
        raise InvalidNumber(f"the query {query.name!r} has no error to ask for; give it a share")
    rate = allowance.rate(query.error**2 / times)
    return rate, rate * apart, apart


def _with_errors(
    protection: PrivacyUnit, queries: list[TableQuery], allowance: Allowance, columns: Labels
) -> Noise:
    """Return the noise of a release in which some queries have an error in place of a share.

    What they leave of the allowance is for the others, by their shares.
    """
    blocks = tuple(blocks_of(queries, protection.values, protection.absent, columns))
    alone = {query.name: _alone(protection, query, allowance, columns) for query in queries}
    shares = {q.name: q.share for q in queries if q.error is None and alone[q.name][2]}
    fixed = {name: rate for name, (rate, _, _) in alone.items() if rate}
    left = allowance.limit - sum(cost for _, cost, _ in alone.values()) if shares else Fraction(0)
    left = max(left, allowance.limit / 1000)  # errors that no pair pays for at once may fit yet
    for _ in range(64):
        rates = dict(fixed)
        for name, share in shares.items():
            rates[name] = left * share / sum(shares.values()) / alone[name][2]
        if not rates:
            break
        unit = max(rates.values())
        if len(set(rates.values())) > 1:
            unit = min(rates.values()) / FINEST
        units = {name: math.ceil(rate / unit) for name, rate in rates.items()}
        own = tuple((block.weights, units.get(block.query.name, 1)) for block in blocks)
        noisy = [block.query.name in rates for block in blocks]
        shared = tuple(each for each, used in zip(own, noisy, strict=True) if used)
        each = [rates[block.query.name] for block in blocks if block.query.name in rates]
        noises, paid = allowance.at_rates(shared, each, unit)
        if allowance.allows(paid, _most(allowance, protection, shared)):
            found = iter(noises)
            all_noises = tuple(next(found) if used else None for used in noisy)
            return Noise(protection, blocks, all_noises, replace(paid, blocks=own))
        if not shares:
            break
        left *= Fraction(31, 32)
    if not fixed and not shares:
        nothing = tuple((block.weights, 1) for block in blocks)
        return Noise(protection, blocks, (None,) * len(blocks), PrivacyLoss(Powers.of(), nothing))
    asked = ", ".join(repr(q.name) for q in queries if q.error is not None)
    raise InvalidNumber(
        f"the errors of {asked} cost more than {allowance.told()}, which this release may cost; "
        "ask for larger errors, or allow more"
    )


def _for_blocks(
    protection: PrivacyUnit, queries: list[TableQuery], allowance: Allowance, columns: Labels
) -> Noise:
    blocks = tuple(blocks_of(queries, protection.values, protection.absent, columns))
    units = _units(protection, queries, blocks, allowance)
    shared = tuple((block.weights, u) for block, u in zip(blocks, units, strict=True))
    most = _most(allowance, protection, shared)
    if not most:
        return Noise(protection, blocks, (None,) * len(blocks), PrivacyLoss(Powers.of(), shared))
    allowance.expect()
    noises, paid = allowance.noises(shared, most)
    return Noise(protection, blocks, noises, paid)


def _most(allowance: Allowance, protection: PrivacyUnit, shared: Shared) -> int:
    return expect_units(allowance.apart(protection, shared))


def _units(
    protection: PrivacyUnit,
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
