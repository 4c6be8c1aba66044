"""Refinement: one channel that is always at least as safe as another.

A is refined by B if B = A·R for some channel R from A's outputs to B's: whoever sees A's output
can produce B's. By the coriaceous theorem [McIver2014]_ that is so exactly if under no prior and
gain B leaks more than A. So there is always a witness: R, or a prior and a gain.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, Never, TypeAlias

import numpy as np

from leaktight.channels.channel import Channel, on_same_inputs, same_numbers
from leaktight.channels.refinement.factorisation import (
    Proposal,
    Remap,
    exact_proposals,
    float_proposals,
)
from leaktight.channels.refinement.separation import NotRefined, separation
from leaktight.errors import Undecided
from leaktight.exact.linear_program import Indices
from leaktight.exact.matrix import equal_rows, matrix_product, sum_columns
from leaktight.exact.numbers import Array, is_exact
from leaktight.exact.threads import one_thread
from leaktight.exact.tolerances import TOLERANCES

UNSETTLED = (
    "floats settle up to rounding alone whether a channel is refined by another: ask for `excess`, "
    "the most by which it can leak more, or compare `.exact()` channels"
)


@dataclass(frozen=True, slots=True)
class Refined:
    """A is refined by B: ``remap`` is a channel R from A's outputs to B's with B = A·R."""

    remap: Channel
    holds: ClassVar[Literal[True]] = True
    is_near: ClassVar[bool] = False
    can_be_made: ClassVar[bool] = True

    def __bool__(self) -> Literal[True]:
        return True


@dataclass(frozen=True, slots=True)
class NearlyRefined:
    """Floating-point channels: ``remap`` is a channel R for which A·R is B up to rounding.

    ``excess`` is proved: for no prior and no gain between 0 and 1 does B's posterior vulnerability
    exceed A's by more. Whether it ever does is not decided, so that it is neither true nor false;
    ``.exact()`` channels decide it.
    """

    remap: Channel
    excess: float
    is_near: ClassVar[bool] = True
    """Whether floats decide it up to rounding alone."""
    can_be_made: ClassVar[bool] = True
    """Whether what B shows can be made from what A shows, up to rounding at least."""

    @property
    def holds(self) -> Never:
        """Raise :class:`Undecided`, as ``bool`` does."""
        raise Undecided(UNSETTLED)

    def __bool__(self) -> Never:
        raise Undecided(UNSETTLED)


Refinement: TypeAlias = Refined | NearlyRefined | NotRefined


def refinement(a: Channel, b: Channel) -> Refinement:
    """Decide whether ``a`` is refined by ``b``, so that ``b`` never leaks more.

    Exact channels are decided exactly. The entries of floating-point channels stand for numbers
    that are known up to ``TOLERANCES.entry``: the answer is :class:`NearlyRefined`, with the most
    by which B can leak more, if A·R agrees with B to that, no if the advantage, computed exactly,
    is more than such errors can make, and otherwise the question is :class:`Undecided`.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> flatter = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> refinement(coin, flatter).remap
    exact channel, 2 inputs × 2 outputs
         0    1
    0  5/6  1/6
    1  1/6  5/6
    >>> refinement(coin.float(), flatter.float()).excess < 1e-13
    True
    >>> why = refinement(flatter, coin)
    >>> why.holds, why.prior, why.advantage
    (False, Distribution({0: 1/3, 1: 2/3}), Fraction(1, 12))
    >>> why.gain
    gain of guesses (rows) for inputs (columns)
           0  1
     True  1  0
    False  0  1
    """
    a, b = same_numbers(*on_same_inputs(a, b))
    if (quick := _solved(a, b)) is not None:
        return quick
    pair = _Pair(a, b, _Reduction.of(a), _Reduction.of(b))
    propose = exact_proposals if a.is_exact else float_proposals
    for proposal in propose(pair.left.channel.matrix, pair.right.channel.matrix):
        verdict = pair.check(proposal)
        if verdict is not None:
            return verdict
    raise Undecided(
        "whether the first channel is refined by the second is not settled by floating-point "
        f"numbers known up to {TOLERANCES.entry:g}; .exact() takes them as they are"
    )


@one_thread()
def _solved(a: Channel, b: Channel) -> NearlyRefined | None:
    """Return the only R with A·R = B if A is a square of floats: often it settles the question."""
    if a.is_exact or len(a.inputs) != len(a.outputs):
        return None
    try:
        return _nearly(a, b, np.linalg.solve(a.matrix, b.matrix))
    except np.linalg.LinAlgError:
        return None


def _nearly(a: Channel, b: Channel, remap: Array) -> NearlyRefined | None:
    """Make a channel of floating-point numbers, and say whether A times it agrees with B."""
    with np.errstate(over="ignore", invalid="ignore"):  # if A is nearly singular
        remap = np.maximum(remap, 0)
        sums = remap.sum(axis=1)
        remap[sums == 0] = 1
        remap /= np.where(sums == 0, remap.shape[1], sums)[:, None]
        misfit = b.matrix - a.matrix @ remap
        if not np.abs(misfit).max() <= TOLERANCES.entry:
            return None
    # V(B) − V(A) ≤ V(B) − V(A·R) ≤ max_x Σ_z (B − A·R)(z|x)⁺. Rows that do not sum to 1 count as
    # they are, or divided by their sums. Each sum is off by one rounding for each term, relatively.
    rows = np.maximum(misfit, 0).sum(axis=1)
    for each in (a, b):
        rows += np.abs(each.matrix.sum(axis=1) - 1)
    slack = 2.0**-50 * (sum(a.shape) + sum(b.shape) + 8)
    excess = float(rows.max() * (1 + slack) + slack)
    return NearlyRefined(Channel.trusted(a.outputs, b.outputs, remap), excess)


# --- the two channels ---


@dataclass(frozen=True, slots=True, eq=False)
class _Reduction:
    """The channel with proportional columns merged, and how to split them again."""

    channel: Channel
    group: Indices
    """Which of its columns each column of the original is part of; the first if it is zero."""
    share: Array
    """Which part of it that is."""

    @classmethod
    def of(cls, channel: Channel) -> "_Reduction":
        sums = channel.matrix.sum(axis=0)
        seen = np.flatnonzero(sums > 0)
        first = equal_rows((channel.matrix[:, seen] / sums[seen]).T)
        at = {leader: i for i, leader in enumerate(dict.fromkeys(first))}
        merged = sum_columns(channel.matrix[:, seen], first, tuple(at))
        outputs = tuple(channel.outputs[seen[leader]] for leader in at)
        group = np.zeros(len(sums), dtype=np.intp)
        group[seen] = [at[leader] for leader in first]
        reduced = Channel.trusted(channel.inputs, outputs, merged)
        return cls(reduced, group, sums / merged.sum(axis=0)[group])


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Two channels with the same inputs, and what is asked of a proposed witness."""

    a: Channel
    b: Channel
    left: _Reduction
    right: _Reduction

    def check(self, proposal: Proposal) -> Refinement | None:
        """Return the verdict that a proposal for the reduced channels proves, if it does."""
        if isinstance(proposal, Remap):
            return self._remapped(proposal.matrix)
        a, b = self.left.channel, self.right.channel
        guesses = b.outputs
        if not self.a.is_exact:
            a, b = self.a, self.b  # what was merged may differ by rounding
        return separation(a, b, proposal.matrix, guesses)

    def _remapped(self, remap: Array) -> Refined | NearlyRefined | None:
        whole = remap[self.left.group][:, self.right.group] * self.right.share
        if not is_exact(remap):
            return _nearly(self.a, self.b, whole)
        if not self._is_exact_remap(remap):
            return None
        return Refined(Channel.trusted(self.a.outputs, self.b.outputs, whole))

    def _is_exact_remap(self, remap: Array) -> bool:
        """Say whether R is a channel with A·R = B for the reduced channels, multiplied out."""
        left, right = self.left.channel.matrix, self.right.channel.matrix
        stochastic = (remap >= 0).all() and (remap.sum(axis=1) == 1).all()
        return bool(stochastic and (matrix_product(left, remap) == right).all())
