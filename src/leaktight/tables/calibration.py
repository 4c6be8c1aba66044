"""How wide must the noise be, so that no secret pair is told apart by more than λ?

Geometric noise whose probabilities fall by the factor α_i < 1 per unit is added to number i. Then
the release's ratio for a secret pair (u, v) is exactly Π_i α_i^(−|W_ui − W_vi|): the proof is in
docs/proofs/tables.md. All numbers of a query have the same 1/α_i = r^share, where r is the largest
rational of 64 bits that keeps every pair within λ.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidInput, InvalidNumber, InvalidPolicy
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, step_ratio
from leaktight.labels import Labels
from leaktight.policies.policy import Policy
from leaktight.tables.budget import Paid
from leaktight.tables.query import Block, Kind, TableQuery, blocks_of
from leaktight.tables.weights import Weights

MOST_UNITS = 2**40
"""The most units, times shares and rows, by which a secret pair may differ."""

MOST_CHOSEN = 4
"""For so many histograms all combinations of plain and ordered are compared; more are plain."""


@dataclass(frozen=True, slots=True)
class Protection:
    """Whose values are protected: a policy, the value of who is not there, and rows per person.

    With nothing public but the number of records. If a person may have several rows, their values
    may change along a secret pair each, so every ratio is paid that many times.
    """

    policy: Policy
    absent: Hashable | None = None
    rows_per_person: int = 1

    def __post_init__(self) -> None:
        policy = self.policy
        if not isinstance(policy, Policy):
            raise InvalidPolicy(f"a release needs a Policy, got {policy!r:.60}")
        if policy.is_constrained or policy.values is not None:
            raise InvalidPolicy(
                "a table is released under a policy with nothing public but the number of records, "
                f"got {policy!r}: under public counts a person's neighbours may be told apart more "
                "than the noise allows for"
            )
        if self.absent is not None and self.absent not in policy.secrets.vertices:
            raise InvalidPolicy(f"absent must be a value of the policy, got {self.absent!r:.60}")
        rows = self.rows_per_person
        if isinstance(rows, bool) or not isinstance(rows, int) or not 0 < rows <= 10**6:
            raise InvalidNumber(
                f"rows_per_person must be a whole number from 1 to a million, got {rows!r:.60}"
            )

    @property
    def values(self) -> Labels:
        """The values that a record may have."""
        return self.policy.secrets.vertices

    @property
    def pairs(self) -> npt.NDArray[np.int64]:
        """The secret pairs, as positions of values."""
        return self.policy.secrets.edges


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
        return Paid(self.step, _shared(self.blocks))

    @property
    def level(self) -> Powers:
        """The largest ratio of a secret pair, exactly."""
        pairs, rows = self.protection.pairs, self.protection.rows_per_person
        return Powers.of((self.step, rows * int(self.paid.exponents(pairs).max(initial=0))))

    def steps(self, block: Block) -> list[Fraction | None]:
        """Return 1/α of each number of a block; None where nothing is added.

        A number that is the same for both values of every secret pair needs no noise.
        """
        fall = self.step**block.query.share
        moved = block.weights.moved(self.protection.pairs)
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
        _for_blocks(protection, chosen, ratio, columns)
        for chosen in _choices(list(queries) if not isinstance(queries, TableQuery) else [queries])
    ]
    return options[0] if len(options) == 1 else min(options, key=mean_error)


def _for_blocks(
    protection: Protection, queries: list[TableQuery], ratio: Ratio, columns: Labels
) -> Noise:
    blocks = tuple(blocks_of(queries, protection.values, protection.absent, columns))
    units = Paid(Fraction(1), _shared(blocks)).exponents(protection.pairs)
    most = int(units.max(initial=0))
    if not most:
        return Noise(protection, blocks, Fraction(1))
    if ratio.lower == 1:
        raise InvalidNumber("a release needs an ε above 0: at ε = 0 no noise is wide enough")
    if most * protection.rows_per_person > MOST_UNITS:
        raise InvalidNumber(
            f"a secret pair differs by {most * protection.rows_per_person:,} units in all, and at "
            f"most {MOST_UNITS:,} are possible; count in a larger unit"
        )
    step = step_ratio(ratio.lower, most * protection.rows_per_person)
    return Noise(protection, blocks, step)


def _choices(queries: list[TableQuery]) -> Iterator[list[TableQuery]]:
    """Yield the queries with each histogram plain or ordered."""
    if any(not isinstance(query, TableQuery) for query in queries):
        raise InvalidInput("queries must be made by histogram(name) or one of its kind")
    free = [i for i, query in enumerate(queries) if query.kind is Kind.HISTOGRAM]
    kinds = (Kind.PLAIN, Kind.ORDERED) if len(free) <= MOST_CHOSEN else (Kind.PLAIN,)
    for chosen in product(kinds, repeat=len(free)):
        made = list(queries)
        for i, kind in zip(free, chosen, strict=True):
            made[i] = replace(queries[i], kind=kind)
        yield made
