"""How wide must the noise be, so that no secret pair is told apart by more than λ?

Geometric noise whose probabilities fall by the factor α_i < 1 per unit is added to number i. Then
the release's ratio for a secret pair (u, v) is exactly Π_i α_i^(−|W_ui − W_vi|): the proof is in
docs/proofs/tables.md. All numbers of a query have the same 1/α_i = r^share, where r is the largest
rational of 64 bits that keeps every pair within λ.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from leaktight.errors import InvalidNumber
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, step_ratio
from leaktight.labels import Labels
from leaktight.tables.budget import Paid
from leaktight.tables.protection import Protection
from leaktight.tables.query import Block, Kind, TableQuery, blocks_of, distinct
from leaktight.tables.weights import Weights

MOST_UNITS = 2**40
"""The most units, times shares and rows, by which a secret pair may differ."""

MOST_CHOSEN = 4
"""For so many histograms all combinations of plain and ordered are compared; more are plain."""


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """The blocks of a release, the step r of their noise and whom it protects."""

    protection: Protection
    blocks: tuple[Block, ...]
    step: Fraction
    """r: number i has 1/α_i = r^share."""

    @property
    def paid(self) -> Paid:
        """What it costs."""
        return Paid(Powers.of((self.step, 1)), _shared(self.blocks))

    @property
    def level(self) -> Powers:
        """The largest ratio of a secret pair, exactly; under public counts, at most."""
        return Powers.of((self.step, int(self.protection.exponents(self.paid).max(initial=0))))

    def steps(self, block: Block) -> list[Fraction | None]:
        """Return 1/α of each number of a block; None where nothing is added.

        A number that is the same for both values of every secret pair needs no noise, and if r is
        1, none does: neighbours differ in nothing that is asked.
        """
        if self.step == 1:
            return [None] * block.weights.size
        fall = self.step**block.query.share
        moved = block.weights.moved(self.protection.moves)
        return [fall if noisy else None for noisy in moved.tolist()]


def _shared(blocks: Iterable[Block]) -> tuple[tuple[Weights, int], ...]:
    return tuple((block.weights, block.query.share) for block in blocks)


def calibrated(
    protection: Protection,
    queries: Iterable[TableQuery],
    ratio: Ratio,
    columns: Labels = (),
) -> Noise:
    """Return the noise that keeps every secret pair within ``ratio``, and uses it up.

    Histograms of which nothing is said are made plain or ordered, whichever gives the smaller
    expected squared error, averaged over the queries.
    """
    from leaktight.tables.plan import mean_error

    options = [
        _for_blocks(protection, chosen, ratio, columns) for chosen in _choices(distinct(queries))
    ]
    return options[0] if len(options) == 1 else min(options, key=mean_error)


def _for_blocks(
    protection: Protection, queries: list[TableQuery], ratio: Ratio, columns: Labels
) -> Noise:
    blocks = tuple(blocks_of(queries, protection.values, protection.absent, columns))
    most = int(protection.exponents(Paid(Powers.of(), _shared(blocks))).max(initial=0))
    if not most:
        return Noise(protection, blocks, Fraction(1))
    if ratio.lower == 1:
        raise InvalidNumber("a release needs an ε above 0: at ε = 0 no noise is wide enough")
    if most > MOST_UNITS:
        raise InvalidNumber(
            f"neighbours differ by {most:,} units in all, and at most {MOST_UNITS:,} are possible; "
            "count in a larger unit"
        )
    step = step_ratio(ratio.lower, most)
    return Noise(protection, blocks, step)


def _choices(queries: list[TableQuery]) -> Iterator[list[TableQuery]]:
    """Yield the queries with each histogram plain or ordered."""
    free = [i for i, query in enumerate(queries) if query.kind is Kind.HISTOGRAM]
    kinds = (Kind.PLAIN, Kind.ORDERED) if len(free) <= MOST_CHOSEN else (Kind.PLAIN,)
    for chosen in product(kinds, repeat=len(free)):
        made = list(queries)
        for i, kind in zip(free, chosen, strict=True):
            made[i] = replace(queries[i], kind=kind)
        yield made
