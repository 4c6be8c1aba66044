"""The order of channels by privacy between any two inputs.

A channel's rows have a largest ratio for each pair of inputs. If none of B's is larger than A's,
then B keeps every promise that A keeps, whatever pairs it is about: the privacy-based order of
[Chatzikokolakis2019]_, which refinement implies, and refinement in the max case too.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.errors import InvalidChannel
from leaktight.exact.numbers import Array, public
from leaktight.labels import alignment
from leaktight.privacy.largest_ratio import Floats, Pairs, largest_ratio, logarithms

ONE_PAIR = np.array([[0, 1]])


@dataclass(frozen=True, slots=True)
class PrivacyOrder:
    """Whether B is as private as A between any two inputs, and the pair that comes closest to not.

    ``ratio_a`` and ``ratio_b`` are the largest ratios between that pair's rows in A and in B, and
    ``output`` is where B has it, None if its rows are the same.
    """

    pair: tuple[Hashable, Hashable]
    output: Hashable
    ratio_a: Fraction | float
    ratio_b: Fraction | float

    @property
    def holds(self) -> bool:
        """Whether no ratio of B is larger than A's."""
        return self.ratio_b <= self.ratio_a

    def __bool__(self) -> bool:
        return self.holds


def privacy_refinement(a: Channel, b: Channel) -> PrivacyOrder:
    """Decide whether ``b`` is as private as ``a`` between any two inputs.

    It is decided exactly, floats being the numbers that they are. The pair is one with the largest
    quotient of the two ratios.

    >>> a = Channel([["3/4", "1/4", 0], ["1/4", "3/4", 0], ["1/4", "1/4", "1/2"]])
    >>> b = Channel([["2/3", "1/3"], ["1/3", "2/3"], ["1/2", "1/2"]])
    >>> privacy_refinement(a, b)
    PrivacyOrder(pair=(0, 1), output=0, ratio_a=Fraction(3, 1), ratio_b=Fraction(2, 1))
    >>> privacy_refinement(b, a).holds
    False
    """
    order = alignment(
        expect_channel(a).inputs, expect_channel(b).inputs, "the inputs of the two channels"
    )
    if order is not None:
        b = b.restrict(a.inputs)
    if len(a.inputs) == 1:
        raise InvalidChannel("an order of privacy needs at least two inputs, got one")
    pairs = np.stack(np.triu_indices(len(a.inputs), 1), axis=1)
    (gaps_a, slack_a), (gaps_b, slack_b) = (_gaps(c.matrix, pairs) for c in (a, b))
    with np.errstate(invalid="ignore"):
        excess = np.nan_to_num(gaps_b - gaps_a, nan=0.0, posinf=math.inf, neginf=-math.inf)
    top = excess.max()
    near = pairs[excess >= top - 2 * (slack_a + slack_b)]
    if math.isinf(top):
        near = near[:1]
    best: tuple[Fraction, PrivacyOrder] | None = None
    for i, h in near.tolist():
        one, other = (largest_ratio(c.matrix[[i, h]], ONE_PAIR) for c in (a, b))
        output = None if other.at is None else b.outputs[other.at[2]]
        ratios = public(one.ratio), public(other.ratio)
        found = PrivacyOrder((a.inputs[i], a.inputs[h]), output, *ratios)
        # If one of them is infinite, so is the other, or this is the only pair.
        quotient = Fraction(1)
        if math.inf not in ratios:
            quotient = Fraction(ratios[1]) / Fraction(ratios[0])
        if best is None or quotient > best[0]:
            best = quotient, found
    assert best is not None
    return best[1]


def _gaps(matrix: Array, pairs: Pairs) -> tuple[Floats, float]:
    """Return the logarithm of each pair's largest ratio, and more than it can be off."""
    logs, slack = logarithms(matrix)
    gaps = np.zeros(len(pairs))
    with np.errstate(invalid="ignore"):  # 0 against 0 is no difference
        for column in logs.T:
            np.fmax(gaps, np.abs(column[pairs[:, 0]] - column[pairs[:, 1]]), out=gaps)
    return gaps, slack
