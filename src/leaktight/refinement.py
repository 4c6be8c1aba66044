"""Is one channel always at least as safe as another?

A is refined by B if B = A·R for some channel R from A's outputs to B's: whoever sees A's output
can produce B's. By the coriaceous theorem [McIver2014]_ that is so exactly if under no prior and
gain B leaks more than A. So there is always a witness: R, or a prior and a gain.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from flint import fmpq, fmpq_mat, fmpz

from leaktight.channel import Channel, same_numbers
from leaktight.errors import TooLarge, Undecided
from leaktight.exact import TOLERANCES, Array, exact_array, float_array, is_exact
from leaktight.labels import alignment
from leaktight.linear_program import Indices, Infeasible, LinearProgram, Optimum, solve
from leaktight.matrix import equal_rows, matrix_product, sum_columns
from leaktight.separation import NotRefined, separation
from leaktight.simplex import solve_exact


@dataclass(frozen=True, slots=True)
class Refined:
    """A is refined by B: ``remap`` is a channel R from A's outputs to B's with B = A·R."""

    remap: Channel
    holds: ClassVar[Literal[True]] = True

    def __bool__(self) -> Literal[True]:
        return True


Refinement: TypeAlias = Refined | NotRefined

MOST_ENTRIES = 2**22
"""The largest linear program that is tried; it would take minutes."""


def refinement(a: Channel, b: Channel) -> Refinement:
    """Decide whether ``a`` is refined by ``b``, so that ``b`` never leaks more.

    Exact channels are decided exactly. The entries of floating-point channels stand for numbers
    that are known up to ``TOLERANCES.entry``: the answer is yes if A·R agrees with B to that, no
    if the advantage, computed exactly, is more than such errors can make, and otherwise the
    question is :class:`Undecided`.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> flatter = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> refinement(coin, flatter).remap
    exact channel, 2 inputs × 2 outputs
         0    1
    0  5/6  1/6
    1  1/6  5/6
    >>> why = refinement(flatter, coin)
    >>> why.holds, why.prior, why.advantage
    (False, Distribution({0: 1/3, 1: 2/3}), Fraction(1, 12))
    >>> why.gain
    gain of guesses (rows) for inputs (columns)
           0  1
     True  1  0
    False  0  1
    """
    order = alignment(a.inputs, b.inputs, "the inputs of the two channels")
    a, b = same_numbers(a, b if order is None else b.restrict(a.inputs))
    pair = _Pair(a, b, _Reduction.of(a), _Reduction.of(b))
    for verdict in _exact_verdicts(pair) if a.is_exact else _float_verdicts(pair):
        if verdict is not None:
            return verdict
    raise Undecided(
        "whether the first channel is refined by the second is not settled by floating-point "
        f"numbers known up to {TOLERANCES.entry:g}; .exact() takes them as they are"
    )


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

    def remapped(self, remap: Array) -> Refined | None:
        """Take a remap of the reduced channels; an exact one is right by its construction."""
        if not is_exact(remap):
            remap = np.clip(remap, 0, None)
            remap[remap.sum(axis=1) == 0] = 1
            remap /= remap.sum(axis=1)[:, None]
        whole = remap[self.left.group][:, self.right.group] * self.right.share
        if not is_exact(remap):
            misfit = np.abs(self.a.matrix @ whole - self.b.matrix).max()
            if not misfit <= TOLERANCES.entry:
                return None
        return Refined(Channel.trusted(self.a.outputs, self.b.outputs, whole))

    def separated(self, weights: Array) -> NotRefined | None:
        """Take a prior times a gain, with a row for yes and no or for each column of B reduced."""
        a, b = self.left.channel, self.right.channel
        guesses = b.outputs
        if not self.a.is_exact:
            a, b = self.a, self.b  # what was merged may differ by rounding
        return separation(a, b, weights, guesses)


# --- where witnesses come from ---


def _float_verdicts(pair: _Pair) -> Iterator[Refinement | None]:
    """Try the columns of B one by one, then all together."""
    a, b = pair.left.channel.matrix, pair.right.channel.matrix
    remap, v = _column_by_column(a, b)
    yield pair.remapped(remap)
    yield pair.separated(_yes_or_no(v))
    if b.shape[1] > 1:
        answer = solve(_program(a, b))
        assert isinstance(answer, Optimum)
        yield pair.remapped(_remap(answer.x, a, b))
        yield pair.separated(_weights(answer.y, a, b))


def _exact_verdicts(pair: _Pair) -> Iterator[Refinement | None]:
    """Try a guess, then solve A·R = B by linear algebra if R is unique, or by a program."""
    a, b = pair.left.channel.matrix, pair.right.channel.matrix
    if b.shape[1] == 1:
        yield pair.remapped(np.full((a.shape[1], 1), fmpq(1)))
    yield pair.separated(_yes_or_no(_column_by_column(float_array(a), float_array(b))[1]))
    # Rows of integers are quicker to combine; weights for them are weights times their scale.
    scale = exact_array(reduce(fmpz.lcm, (p.q for p in row)) for row in a)
    a, b = a * scale[:, None], b * scale[:, None]
    chosen, combine = _independent_rows(a)
    gap = b - matrix_product(combine, b[chosen])
    v = np.full(len(a), fmpq(0))
    if gap.any():
        # Row x of A is a combination of others, and row x of B is not the same one.
        x = int(np.argmax(np.abs(gap).max(axis=1)))
        v[chosen] = -combine[x]
        v[x] += 1
        yield pair.separated(_yes_or_no(v * scale))
    elif len(chosen) == a.shape[1]:
        inverse = _inverse(a[chosen])
        remap = matrix_product(inverse, b[chosen])
        if remap.min() >= 0:
            yield pair.remapped(remap)
        v[chosen] = -inverse[int(np.argmin(remap.min(axis=1) / np.abs(inverse).sum(axis=1)))]
        yield pair.separated(_yes_or_no(v * scale))
    else:
        answer = solve_exact(_program(a[chosen], b[chosen]))
        if isinstance(answer, Optimum):
            yield pair.remapped(_remap(answer.x, a, b))
        assert isinstance(answer, Infeasible)
        weights = np.full((b.shape[1], len(a)), fmpq(0))
        weights[:, chosen] = _weights(answer.y, a[chosen], b)
        yield pair.separated(weights * scale)


def _yes_or_no(v: Array) -> Array:
    """Return the weights of the guesses yes, which earns v, and no, which earns nothing.

    If v·A ≤ 0 and v·B > 0 somewhere, yes is never better after A, but sometimes after B.
    """
    return np.stack([v, v - v])


def _column_by_column(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the R ≥ 0 with A·R nearest to B, and a v for the column that is farthest.

    What a column of B has beyond the nearest point of a cone is a v with v·A ≤ 0 and v·B > 0.
    """
    from scipy.optimize import nnls

    remap = np.zeros((a.shape[1], b.shape[1]))
    for z, column in enumerate(b.T):
        with suppress(RuntimeError):  # too many iterations
            remap[:, z] = nnls(a, column)[0]
    beyond = b - a @ remap
    size = np.abs(beyond).sum(axis=0)
    return remap, beyond[:, np.argmax((beyond**2).sum(axis=0) / np.where(size > 0, size, 1))]


def _independent_rows(a: Array) -> tuple[Indices, Array]:
    """Return a basis of the rows of A, and each row as a combination of it."""
    n, k = a.shape
    reduced, rank = fmpq_mat(k, n, a.T.ravel()).rref()
    combine = exact_array(reduced.entries()).reshape(k, n)[:rank]
    return np.array([np.flatnonzero(row)[0] for row in combine]), combine.T


def _inverse(a: Array) -> Array:
    inverse = fmpq_mat(len(a), len(a), a.ravel()).inv()
    return exact_array(inverse.entries()).reshape(a.shape)


def _program(a: Array, b: Array) -> LinearProgram:
    """R ≥ 0 with A·R = B in all columns but the last, where R is what the others leave.

    If there is none then, by Farkas' lemma, there are G and u ≥ 0 with Gᵀ·A ≤ u in each row and
    Σ G·B > Σ u. As a prior times a gain, with 0 for the last column, G makes a guess of what B
    shows worth more than Σ u, and no guess after A is. For floats A·R may miss B; then the least
    sum of misses is looked for, and its dual is such a G.
    """
    (n, k), m = a.shape, b.shape[1] - 1
    if (size := (a.size + k) * m) > MOST_ENTRIES:
        raise TooLarge(
            f"a remap of {k:,} distinct outputs to {m + 1:,} is looked for by a linear program "
            f"with {size:,} entries, and the limit is {MOST_ENTRIES:,}"
        )
    x, y = np.nonzero(a)
    z = np.arange(m)[:, None]
    each, missed = np.arange(k * m), np.arange(0 if is_exact(a) else n * m)
    right = list(b[:, :-1].T.ravel())
    return LinearProgram(
        [0] * len(each) + [1] * 2 * len(missed),
        (
            np.concatenate([(z * n + x).ravel(), n * m + each % k, missed, missed]),
            np.concatenate(
                [(z * k + y).ravel(), each, *(len(each) + missed + i for i in (0, len(missed)))]
            ),
            [*np.tile(a[x, y], m), *[1] * len(each), *[1] * len(missed), *[-1] * len(missed)],
        ),
        row_lower=[*right, *[None] * k],
        row_upper=[*right, *[1] * k],
    )


def _remap(x: Array, a: Array, b: Array) -> Array:
    """Read R off the variables of the program."""
    k, m = a.shape[1], b.shape[1] - 1
    others = x[: k * m].reshape(m, k).T
    return np.column_stack([others, 1 - others.sum(axis=1)])


def _weights(y: Array, a: Array, b: Array) -> Array:
    """Read G off the prices of the program."""
    n, m = a.shape[0], b.shape[1] - 1
    return np.vstack([y[: n * m].reshape(m, n), y[:n] - y[:n]])
