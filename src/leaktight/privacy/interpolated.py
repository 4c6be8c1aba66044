"""The level of a table of densities for all real inputs, not only for those that it lists.

The rows of a table are at numbers x_0 < … < x_m of an interval. Between two of them a row is drawn
at random, the nearer the likelier, so that what is released is linear in x: it stays a channel, and
has no jumps. Of two entries p < q at a distance g the logarithm is steepest at p, with the slope
(q/p − 1)/g; so ε is the largest of these, and not ln(q/p)/g, which is that of the listed inputs
alone. See docs/proofs/real-values.md.
"""

import math
from fractions import Fraction
from itertools import pairwise

from leaktight.channels.channel import Channel, expect_channel
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.numbers import as_printed, fraction, rational
from leaktight.exact.ratio import Ratio
from leaktight.policies.real import Interval
from leaktight.privacy.level import PrivacyLevel, Witness


def interpolated_level(table: Channel, interval: Interval) -> PrivacyLevel:
    """Return the level for all numbers of an interval; ``privacy_level`` comes here for them."""
    try:
        places = [fraction(as_printed(x)) for x in expect_channel(table).inputs]
    except InvalidNumber:
        raise InvalidInput(
            f"inputs must be numbers of {interval}, got {table.inputs[0]!r:.60}"
        ) from None
    order = sorted(range(len(places)), key=places.__getitem__)
    if (places[order[0]], places[order[-1]]) != (interval.low, interval.high):
        raise InvalidInput(
            f"the inputs must begin and end where {interval} does, got {places[order[0]]} to "
            f"{places[order[-1]]}"
        )
    if len(set(places)) < len(places):
        raise InvalidInput("the inputs must be different numbers, and two of them are the same")
    steepest, at = Fraction(0), None
    for i, h in pairwise(order):
        gap, rows = places[h] - places[i], (table.matrix[i], table.matrix[h])
        for z, (p, q) in enumerate(zip(*rows, strict=True)):
            low, high = sorted((rational(p), rational(q)))
            if low == high:
                continue
            one, other = (h, i) if q > p else (i, h)
            witness = Witness(table.inputs[one], table.inputs[other], table.outputs[z])
            if not low:
                return PrivacyLevel(math.inf, witness, distance=gap)
            if (slope := fraction(high / low - 1) / gap) > steepest:
                steepest, at = slope, witness
    if at is None:
        return PrivacyLevel(Fraction(1), None)
    e = Ratio.of(epsilon=1)
    return PrivacyLevel(e.upper, at, distance=1 / steepest, least=e.lower)
