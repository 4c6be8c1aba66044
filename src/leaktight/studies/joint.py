"""What do the answers of all records tell of one, if what is public ties records together?"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import islice, product

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import prior_on
from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.numbers import Array
from leaktight.exact.shown import counted
from leaktight.privacy.breach import Breach
from leaktight.studies.study import Study

MOST_JOINT = 2**16
"""The most databases, times what can be seen of all records together, that are gone through."""


@dataclass(frozen=True, slots=True)
class AllAnswers:
    """What the answers of all records, each seen once, tell of one record.

    Records are believed to be independent, but for what is public.
    """

    record: int | None
    """The record that is guessed best, counted from 1; None if all are guessed alike."""
    before: Fraction
    """The chance of a right guess of it, given what is public."""
    after: Fraction
    telling: Breach | None
    """The answers after which a record's value is likeliest that has become likelier, if any."""


def is_tied(study: Study) -> bool:
    """Say whether the answers for other records tell of a record, too, by what is public."""
    return study.scope == "record" and study.policy.is_constrained and study.policy.records > 1


def what_all_tell(study: Study, channel: Channel) -> AllAnswers:
    """Go through all databases and all that can be seen of each."""
    policy, seen = study.policy, channel.exact()
    if policy.database_count * seen.shape[1] ** policy.records > MOST_JOINT:
        raise TooLarge(
            f"{counted(policy.database_count, 'database', 'databases')} of {policy.records:,} "
            f"records with {counted(seen.shape[1], 'output', 'outputs')} each, and at most "
            f"{MOST_JOINT:,} combinations of a database and its outputs are gone through"
        )
    # Whole numbers throughout: fractions would have to be reduced at every step, which takes long.
    weighed = _whole(prior_on(study.prior, seen.inputs).array)[:, None] * _whole(seen.matrix)
    row = dict(zip(seen.inputs, weighed, strict=True))
    databases = [d for d in policy.databases() if isinstance(d, tuple)]
    joint = np.stack([reduce(_side_by_side, [row[x] for x in d]) for d in databases])
    outer = joint.sum(axis=0)
    total = outer.sum()
    if not total:
        raise InvalidInput("the prior rules out every database that is possible")
    guesses, risen = [], []
    for record in range(policy.records):
        having: dict[Hashable, list[int]] = {}
        for k, database in enumerate(databases):
            having.setdefault(database[record], []).append(k)
        parts = {x: joint[those].sum(axis=0) for x, those in having.items()}
        before = {x: part.sum() for x, part in parts.items()}
        guesses.append((np.maximum.reduce([*parts.values()]).sum(), max(before.values())))
        for x, part in parts.items():
            places = np.flatnonzero(part * total > before[x] * outer).tolist()
            risen += [(part[z] / outer[z], part[z], z, record, x, before[x]) for z in places]
    best = max(guesses)
    alike = all(guess == best for guess in guesses)
    telling = None
    if risen:
        # Floats propose; they are rounded correctly, so that the largest one is among the first.
        first = max(found[0] for found in risen)
        after, chance, z, record, x, was = max(
            (
                (Fraction(part, outer[z]), Fraction(outer[z], total), z, record, x, was)
                for near, part, z, record, x, was in risen
                if near == first
            ),
            key=lambda found: found[:2],
        )
        telling = Breach(
            f"{x!r} in record {record + 1}",
            tuple(d for d in databases if d[record] == x),
            next(islice(product(seen.outputs, repeat=policy.records), z, None)),
            Fraction(was, total), after, chance,
        )  # fmt: skip
    return AllAnswers(
        None if alike else guesses.index(best) + 1,
        Fraction(best[1], total),
        Fraction(best[0], total),
        telling,
    )


def _side_by_side(one: Array, other: Array) -> Array:
    """Return the products of all pairs; not as a table, which may have few dimensions only."""
    return np.multiply.outer(one, other).ravel()


def _whole(numbers: Array) -> Array:
    """Return exact numbers times their common denominator."""
    scale = math.lcm(*(int(each.q) for each in numbers.flat))
    whole = [int((each * scale).p) for each in numbers.flat]
    return np.array(whole, dtype=object).reshape(numbers.shape)
