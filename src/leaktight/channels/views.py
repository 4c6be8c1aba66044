"""Views: what is seen of one record, if all others are known, and on average over them.

A *view* is the channel K(z|D⁻, v) from one record's value v to what is seen, for some values D⁻ of
the others (section 4.1 of [Alvim2011b]_). Every representation of a channel on the records of a
policy has them: a matrix, channels side by side, shuffled answers, noise on a sum. What is asked of
them are maxima of Σ_z max_v weight(v)·K(z|D⁻, v) over all D⁻: leakage with weights of 1, the best
guess with a prior, and δ with the weights 1 and λ. Nobody who asks needs to know which it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.representation import Belief
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.bound import Chance
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import (
    Array,
    Value,
    exact_array,
    float_array,
    fraction,
    rational,
    to_float,
)
from leaktight.exact.powers import Powers
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import Labels, in_words
from leaktight.limits import allowed
from leaktight.policies.average_fibre import MOST_STEPS, average_fibres, likely_databases
from leaktight.policies.fibres import Fibre, cells_of, fibres
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query

WHOEVER = "whoever the others are"

Weights: TypeAlias = Mapping[Hashable, fmpq]
Weigh: TypeAlias = Callable[[Labels], Weights]
"""The weight of each value that a record may have; none for what does not count."""

View: TypeAlias = tuple[Channel, str]
"""What is seen of each value, and who the others are."""


class Largest(NamedTuple):
    """The largest Σ_z max_v weight(v)·K(z|D⁻, v), the values v, and who the others are."""

    size: fmpq
    values: Labels
    others: str


class Views(ABC):
    """What is seen of one record, over all records and all that the others may be."""

    @abstractmethod
    def __iter__(self) -> Iterator[View]:
        """Yield what is seen of each value, and who the others are; the same is told once."""

    @abstractmethod
    def largest(self, weigh: Weigh) -> Largest | None:
        """Return the largest Σ_z max_v weight(v)·K(z|D⁻, v); None if nobody has any weight."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows(Views):
    """Views through the rows of a channel, exact and as floats."""

    exact: Array
    floats: Array
    outputs: Labels
    places: tuple[tuple[Fibre, tuple[int, ...]], ...]
    """For each D⁻ the row of each value."""

    @classmethod
    def of(cls, channels: Sequence[Channel], found: Iterable[Fibre]) -> "Rows":
        """Stand the channels one above the other; each record is seen through each of them."""
        distinct = list({id(channel): channel.exact() for channel in channels}.values())
        width = max(channel.shape[1] for channel in distinct)
        blocks = [_widened(channel.matrix, width) for channel in distinct]
        places, start = [], 0
        found = list(found)
        for channel in distinct:
            row = {x: start + i for i, x in enumerate(channel.inputs)}
            for one in found:
                for answer in one.answers:
                    if answer not in row:
                        raise Mismatch(f"the mechanism must see every answer, not so {answer!r}")
                places.append((one, tuple(row[answer] for answer in one.answers)))
            start += len(channel.inputs)
        matrix = np.concatenate(blocks)
        outputs = max((channel.outputs for channel in distinct), key=len)
        return cls(matrix, float_array(matrix), outputs, tuple(places))

    def __iter__(self) -> Iterator[View]:
        """Yield what is seen of each value, and who the others are."""
        found = {(one.values, rows): one for one, rows in self.places}
        for (values, rows), one in found.items():
            yield Channel.trusted(values, self.outputs, self.exact[list(rows)]), one.others

    def largest(self, weigh: Weigh) -> Largest | None:
        """Go through all D⁻: floats propose, exact numbers decide."""
        options, near = [], []
        for one, rows in self.places:
            weights, best = weigh(one.values), dict[int, fmpq]()
            for v, row in zip(one.values, rows, strict=True):
                if v in weights:
                    best[row] = max(best.get(row, fmpq(0)), weights[v])
            if best:
                scale = np.array([to_float(weight) for weight in best.values()])[:, None]
                options.append((one, best))
                near.append((scale * self.floats[list(best)]).max(axis=0).sum())
        if not options:
            return None
        enough = max(near) * (1 - TOLERANCES.entry)
        found: dict[Any, Largest] = {}
        for size, (one, best) in zip(near, options, strict=True):
            key = tuple(best.items())
            if size >= enough and key not in found:
                scale = exact_array(best.values())[:, None]
                most = column_maxima(scale * self.exact[list(best)]).sum()
                found[key] = Largest(most, one.values, one.others)
        return max(found.values(), key=lambda each: each.size)


def _widened(matrix: Array, width: int) -> Array:
    """Return the matrix with columns of zeros, so that it has so many."""
    wide = np.full((len(matrix), width), fmpq(0), dtype=object)
    wide[:, : matrix.shape[1]] = matrix
    return wide


def own_fibres(policy: Policy) -> list[Fibre]:
    """Return what a record answers by itself: its value, among those that the others leave."""
    if not policy.is_constrained:
        domains = dict.fromkeys(policy.values or (policy.secrets.vertices,))
        return [Fibre(domain, domain, WHOEVER) for domain in domains]
    if policy.is_counted:
        return [Fibre(cell, cell, _left(cell)) for cell in cells_of(policy)]
    found = {one.values: one for one in fibres(policy)}
    return [Fibre(values, values, one.others) for values, one in found.items()]


def _left(values: Labels) -> str:
    """Say which values the others and the counts leave."""
    more = "nothing else" if len(values) == 1 else f"{len(values) - 1} more"
    return f"the others and the counts leave {in_words(values[0]):.60} and {more}"


# --- nobody known ----------------------------------------------------------------------------

MOST_SEEN = 2**18
"""The most values times outputs, of all records that differ, that are averaged exactly."""


@dataclass(frozen=True, slots=True, repr=False)
class AverageView(Chance[Value]):
    """What is seen of one record, with the others averaged out.

    It is the chance of the best guess, which was ``before``, given what is public. If it is known
    exactly, ``channel`` says what is seen of the record's value, and ``prior`` what is believed of
    it. ``record`` is the first that it is about, counted from 1; None if all are alike.
    """

    before: Fraction
    channel: Channel | None = None
    prior: Distribution | None = None
    record: int | None = None

    @classmethod
    def of(
        cls, parts: Mapping[Hashable, Array], outputs: Labels, record: int | None = None
    ) -> "AverageView":
        """Read it off the chances of each value with each output, up to a factor."""
        table = np.stack(list(parts.values()))
        sums = table.sum(axis=1)
        total = sums.sum()
        if not total:
            raise InvalidInput("the prior rules out every database that is possible")
        after = fraction(rational(column_maxima(table).sum() / total))
        known = np.flatnonzero(sums)
        values = tuple(v for v, share in zip(parts, sums, strict=True) if share)
        return cls(
            after, after, fraction(rational(sums.max() / total)),
            Channel.trusted(values, outputs, table[known] / sums[known, None]),
            Distribution.trusted(values, sums[known] / total), record,
        )  # fmt: skip

    @classmethod
    def alone(
        cls, channel: Channel, values: Iterable[Hashable], belief: Belief, record: int | None = None
    ) -> "AverageView":
        """A record is seen by itself: the others tell nothing."""
        rows = dict(zip(channel.inputs, channel.exact().matrix, strict=True))
        return cls.of({v: belief[v] * rows[v] for v in values}, channel.outputs, record)


def seen_on_average(
    channel: Channel, policy: Policy, query: Query | None, belief: Belief
) -> Iterator[AverageView]:
    """Yield what is seen of each record through a channel on databases or answers."""
    exact = channel.exact()
    rows = dict(zip(exact.inputs, exact.matrix, strict=True))

    def row(answer: Hashable) -> Array:
        if answer not in rows:
            raise Mismatch(f"the mechanism must see every answer, not so {answer!r:.60}")
        return rows[answer]

    done = 0
    for found in average_fibres(policy, query, belief):
        seen = found.seen(row, len(exact.outputs))
        done += len(seen) * len(exact.outputs)
        if done > allowed(MOST_SEEN):
            raise TooLarge(
                f"what is seen of each record, of {len(exact.outputs):,} outputs, is averaged for "
                f"at most {allowed(MOST_SEEN):,} numbers in all"
            )
        yield AverageView.of(seen, exact.outputs, found.record)


def seen_side_by_side(
    factors: Sequence[tuple[Channel, int]], policy: Policy, belief: Belief
) -> Iterator[AverageView]:
    """Yield what is seen of each record, if each has a channel of its own, in runs of the same, and
    they depend on each other by what is public.
    """
    width = Powers.of(*((len(channel.outputs), times) for channel, times in factors))
    if width > allowed(MOST_STEPS) or policy.database_factors * width > allowed(MOST_STEPS):
        raise TooLarge(
            f"{width.counted('combination', 'combinations')} of what can be seen, for each "
            f"database, and at most {allowed(MOST_STEPS):,} are gone through"
        )
    exact = [one for channel, times in factors for one in [channel.exact()] * times]
    rows = [dict(zip(channel.inputs, channel.matrix, strict=True)) for channel in exact]
    outputs = tuple(product(*(channel.outputs for channel in exact)))

    parts: list[dict[Hashable, Array]] = [{} for _ in exact]
    for whole, chance in likely_databases(policy, belief):
        each = (own[v] for own, v in zip(rows, whole, strict=True))
        seen = [prod(cells, start=chance) for cells in product(*each)]
        row = np.array(seen, dtype=object)
        for part, value in zip(parts, whole, strict=True):
            part[value] = part[value] + row if value in part else row
    for record, part in enumerate(parts, 1):
        yield AverageView.of(part, outputs, record)
