"""Breaches: observations that change what is believed of the secret, and by how much.

A breach is a set Q of inputs and an output y after which Q is much likelier, or much less likely,
than before: p(Q|y)/p(Q) or its inverse exceeds a ratio (Definition 2 and Remark 1 of
[Boreale2012]_, where the level is the ratio's binary logarithm). Everything here is exact; a
floating-point channel or prior counts as the exact numbers that it has.
"""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import TypeAlias, TypeGuard

from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import Mismatch, expect
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Number, Value, fraction, rational, to_float
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import Told, shown
from leaktight.labels import Labels, positions

Sets: TypeAlias = Mapping[str, Iterable[Hashable]] | Iterable[Iterable[Hashable]]
"""Sets of inputs; a mapping says in words what each of them means."""

UNSURE = 2.0**-40
"""Ratios in floats that differ by less than such a part are compared exactly."""

SMALL = 2.0**-900
"""Probabilities and ratios below this, or above its inverse, are left to exact numbers."""


@dataclass(frozen=True, slots=True, repr=False)
class Breach(Told, OfFactor):
    """What one output tells of one set of inputs: its probability ``before`` and ``after``."""

    event: str
    """What the set means, in words."""
    subset: Labels
    """The inputs that it consists of."""
    output: Hashable
    before: Fraction
    after: Fraction
    chance: Fraction
    """How likely the output is."""

    @property
    def ratio(self) -> Value:
        """How many times likelier or less likely the set has become; ∞ if it is ruled out."""
        low, high = sorted((self.before, self.after))
        return high / low if low else math.inf

    @property
    def factor(self) -> Value:
        """The ratio, whose logarithm [Boreale2012]_ calls the level of the breach."""
        return self.ratio

    def __str__(self) -> str:
        return (
            f"{self.event}: {shown(self.before)} before, {shown(self.after)} after output "
            f"{self.output!r}, which has probability {shown(self.chance)}"
        )


def breaches(
    channel: Channel,
    prior: PriorLike = None,
    sets: Sets | None = None,
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> tuple[Breach, ...]:
    """Return all breaches above a ratio (by default 1) under one prior, the worst first.

    Of equally bad ones, the likelier comes first. The sets are by default the single inputs and,
    if the inputs are databases, what each record may be (see :func:`individual_sets`). A set that
    is impossible, or certain, is never breached. For an ε whose e^ε is not rational, a breach
    within 2^-60 of it may be listed.

    >>> test = Channel([["9/10", "1/10"], ["1/5", "4/5"]], ["well", "ill"], ["-", "+"])
    >>> for breach in breaches(test, {"well": "9/10", "ill": "1/10"}, ratio=2):
    ...     print(breach)
    'ill': 1/10 before, 8/17 after output '+', which has probability 17/100
    'ill': 1/10 before, 2/83 after output '-', which has probability 83/100
    """
    limit = Ratio.of(1) if ratio is None and epsilon is None else Ratio.of(ratio, epsilon)
    exact = expect_channel(channel).exact()
    joined = prior_on(prior, exact.inputs).exact().array[:, None] * exact.matrix
    chances = joined.sum(axis=0)
    occurs = [(z, fraction(chance)) for z, chance in enumerate(chances) if chance > 0]
    least = to_float(rational(limit.lower)) * (1 - UNSURE)
    found = []
    for subset, event in _read_sets(sets, exact.inputs).items():
        within = joined[list(subset)].sum(axis=0)
        before, members = within.sum(), tuple(exact.inputs[i] for i in subset)
        for z, chance in occurs if before > 0 else ():
            after = within[z] / chances[z]
            size = _size(before, after)
            if size >= least:
                ends = fraction(before), fraction(after)
                breach = Breach(event, members, exact.outputs[z], *ends, chance)
                if least * (1 + 3 * UNSURE) < size < math.inf or not limit.allows(breach.ratio):
                    found.append((size, breach))
    return tuple(breach for _, breach in sorted(found, key=cmp_to_key(_compared), reverse=True))


def _size(before: fmpq, after: fmpq) -> float:
    """Return nearly the ratio of a breach, ∞ if floats cannot tell."""
    moved = to_float(after) / to_float(before) if to_float(before) > SMALL else 0.0
    return max(moved, 1 / moved) if SMALL < moved < 1 / SMALL else math.inf


def _compared(one: tuple[float, Breach], other: tuple[float, Breach]) -> int:
    """Compare how bad two breaches are, exactly where floats cannot tell."""
    if abs(one[0] - other[0]) > UNSURE * max(one[0], other[0]):
        return 1 if one[0] > other[0] else -1
    ends = [(breach.ratio, breach.chance) for _, breach in (one, other)]
    return (ends[0] > ends[1]) - (ends[0] < ends[1])


def individual_sets(inputs: Iterable[Hashable]) -> dict[str, Labels]:
    """Return for each record i and value v the set Q = {x : x_i = v} of databases.

    A database is the tuple of its records' values. Under a prior, the first of
    ``breaches(channel, prior, individual_sets(channel.inputs))`` is the worst that one person must
    fear.

    >>> individual_sets([("no", "no"), ("no", "yes"), ("yes", "yes")])["record 1 is 'yes'"]
    (('no', 'yes'), ('yes', 'yes'))
    """
    sets: dict[tuple[int, Hashable], list[Hashable]] = {}
    databases = expect_databases(tuple(expect(inputs, Iterable, "databases are listed")))
    for i in range(len(databases[0])):
        for database in databases:
            sets.setdefault((i, database[i]), []).append(database)
    return {f"record {i} is {value!r}": tuple(subset) for (i, value), subset in sets.items()}


def expect_databases(inputs: Labels) -> tuple[Labels, ...]:
    """Return the inputs if they are databases, and say which one is not."""
    databases = []
    for x in inputs or ((),):
        if not _is_database(x, inputs[0] if inputs else x):
            raise Mismatch(
                "each input must be a database, the tuple of its records' values, as many as in "
                f"the first, got {x!r:.60}"
            )
        databases.append(x)
    return tuple(databases)


def _is_database(x: Hashable, first: Hashable) -> TypeGuard[Labels]:
    return isinstance(x, tuple) and isinstance(first, tuple) and len(x) == len(first) > 0


def _read_sets(sets: Sets | None, inputs: Labels) -> dict[tuple[int, ...], str]:
    """Return the positions of each set's inputs and what it means; of equal sets, the first."""
    named: list[tuple[str | None, Iterable[Hashable]]]
    if sets is None:
        named = [(repr(x), (x,)) for x in inputs]
        if all(_is_database(x, inputs[0]) for x in inputs):
            named.extend(individual_sets(inputs).items())
    elif isinstance(sets, Mapping):
        named = list(sets.items())
    else:
        named = [(None, subset) for subset in sets]
    read: dict[tuple[int, ...], str] = {}
    for event, subset in named:
        at = tuple(sorted(set(positions(subset, inputs, "input"))))
        words = " or ".join(repr(inputs[i]) for i in at)
        if at:
            read.setdefault(at, words if event is None else str(event))
    return read
