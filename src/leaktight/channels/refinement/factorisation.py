"""A stochastic R with A·R = B, or what shows that there is none.

For stochastic A and B there is an R or there are weights G, a row for each guess and a column for
each input, that make the guesses worth more after B than after A. Here both are proposed. Exact
ones are right as they stand, and the last proposal decides; floating-point ones must be checked.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np
from flint import fmpq, fmpq_mat, fmpz

from leaktight.errors import TooLarge
from leaktight.exact.linear_program import (
    Indices,
    LinearProgram,
    solve,
    solve_exact,
)
from leaktight.exact.matrix import matrix_product
from leaktight.exact.numbers import Array, exact_array, float_array, is_exact
from leaktight.exact.threads import one_thread
from leaktight.limits import allowed

MOST_ENTRIES = 2**22
"""The largest linear program that is tried; it would take minutes."""

MOST_TURNS = 1000
"""How often an R inside is projected, a fraction of a second's work, before it is given up."""


@dataclass(frozen=True, slots=True, eq=False)
class Remap:
    """An R ≥ 0 whose rows sum to 1."""

    matrix: Array


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A prior times a gain, up to what is added to all guesses alike."""

    matrix: Array

    @classmethod
    def yes_or_no(cls, v: Array) -> "Weights":
        """The guesses yes, which earns v, and no, which earns nothing.

        If v·A ≤ 0 and v·B > 0 somewhere, yes is never better after A, but sometimes after B.
        """
        return cls(np.stack([v, v - v]))


Proposal: TypeAlias = Remap | Weights


def float_proposals(a: Array, b: Array) -> Iterator[Proposal]:
    """Yield what may be so, the likeliest first."""
    yield Remap(_inside(a, b, turns=1))  # the only candidate if R is unique
    nearest, v = nearest_remap(a, b)
    yield Remap(nearest)
    yield Weights.yes_or_no(v)
    yield Remap(_inside(a, b, MOST_TURNS))
    if b.shape[1] > 1:
        answer = solve(_program(a, b)).settled()
        yield Remap(_read_remap(answer.x, a, b))
        yield Weights(_read_weights(answer.y, a, b))


def exact_proposals(a: Array, b: Array) -> Iterator[Proposal]:
    """Yield weights that floats suggest, and then what linear algebra or a program proves."""
    if b.shape[1] == 1:
        yield Remap(np.full((a.shape[1], 1), fmpq(1)))
    floats = float_array(a), float_array(b)
    yield Weights.yes_or_no(nearest_remap(*floats)[1])
    # Rows of integers are quicker to combine; weights for them are weights times their scale.
    scale = exact_array(reduce(fmpz.lcm, (p.q for p in row)) for row in a)
    a, b = a * scale[:, None], b * scale[:, None]
    rows, combine = _independent_rows(a)
    gap = b - matrix_product(combine, b[rows])
    v = np.full(len(a), fmpq(0))
    if gap.any():
        # Row x of A is a combination of others, and row x of B is not the same one.
        x = int(np.argmax(np.abs(gap).max(axis=1)))
        v[rows] = -combine[x]
        v[x] += 1
        yield Weights(np.stack([v, -v]) * scale)
        return
    a, b = a[rows], b[rows]
    columns, _ = _independent_rows(a.T)
    inverse = _inverse(a[:, columns])
    if len(columns) == a.shape[1]:
        remap = matrix_product(inverse, b)
        if remap.min() >= 0:
            yield Remap(remap)
        v[rows] = -inverse[int(np.argmin(remap.min(axis=1) / np.abs(inverse).sum(axis=1)))]
        yield Weights.yes_or_no(v * scale)
        return
    remap = _rounded(_inside(*floats, MOST_TURNS))
    remap[columns] += matrix_product(inverse, b - matrix_product(a, remap))
    if remap.min() >= 0:
        yield Remap(remap)
    answer = solve_exact(_program(a, b))
    if answer.contradiction is None:
        yield Remap(_read_remap(answer.settled().x, a, b))
        return
    weights = np.full((b.shape[1], len(scale)), fmpq(0))
    weights[:, rows] = _read_weights(answer.contradiction, a, b)
    yield Weights(weights * scale)


# --- in floats ---


def nearest_remap(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the R ≥ 0 with A·R nearest to B, and a v for the column that is farthest.

    What a column of B has beyond the nearest point of a cone is a v with v·A ≤ 0 and v·B > 0.
    """
    from scipy.optimize import nnls

    remap = np.zeros((a.shape[1], b.shape[1]))
    for z, column in enumerate(b.T):
        with suppress(RuntimeError):  # too many iterations
            remap[:, z] = nnls(a, column)[0]
    with np.errstate(over="ignore", invalid="ignore"):  # by entries near 0
        remap[:, ~np.isfinite(a @ remap).all(axis=0)] = 0
    beyond = b - a @ remap
    size = np.abs(beyond).sum(axis=0)
    return remap, beyond[:, np.argmax((beyond**2).sum(axis=0) / np.where(size > 0, size, 1))]


@one_thread()
def _inside(a: Array, b: Array, turns: int) -> Array:
    """Return an R with A·R = B and rows that sum to 1, all of it positive if that is easy.

    A matrix is projected in turns on the positive ones and on the solutions of the equations.
    """
    k, m = a.shape[1], b.shape[1]
    inverse = np.linalg.pinv(a)
    remap = np.tile(b.mean(axis=0), (k, 1))
    for _ in range(turns):
        remap = np.maximum(remap, 1 / (100 * m))
        remap += (1 - remap.sum(axis=1, keepdims=True)) / m
        remap += inverse @ (b - a @ remap)
        if remap.min() >= 0:
            break
    return remap


# --- exactly ---


def _rounded(remap: Array) -> Array:
    """Return a rational matrix near a floating-point one, with rows that sum to 1 exactly."""
    rounded = exact_array(remap)
    rounded[np.arange(len(remap)), remap.argmax(axis=1)] += 1 - rounded.sum(axis=1)
    return rounded


def _independent_rows(a: Array) -> tuple[Indices, Array]:
    """Return a basis of the rows of A, and each row as a combination of it."""
    n, k = a.shape
    reduced, rank = fmpq_mat(k, n, a.T.ravel()).rref()
    combine = exact_array(reduced.entries()).reshape(k, n)[:rank]
    return np.array([np.flatnonzero(row)[0] for row in combine]), combine.T


def _inverse(a: Array) -> Array:
    inverse = fmpq_mat(len(a), len(a), a.ravel()).inv()
    return exact_array(inverse.entries()).reshape(a.shape)


# --- by a linear program ---


def _program(a: Array, b: Array) -> LinearProgram:
    """R ≥ 0 with A·R = B in all columns but the last, where R is what the others leave.

    If there is none then, by Farkas' lemma, there are G and u ≥ 0 with G·A ≤ u in each column and
    Σ G∘Bᵀ > Σ u. So G, with 0 for the last guess, makes guessing what B shows worth more than Σ u,
    and no guess after A is. For floats A·R may miss B; then the least sum of misses is looked for,
    and its dual is such a G.
    """
    (n, k), m = a.shape, b.shape[1] - 1
    if (size := (a.size + k) * m) > allowed(MOST_ENTRIES):
        raise TooLarge(
            f"a remap of {k:,} distinct outputs to {m + 1:,} is looked for by a linear program "
            f"with {size:,} entries, and the limit is {allowed(MOST_ENTRIES):,}"
        )
    x, y = np.nonzero(a)
    z = np.arange(m)[:, None]
    each, miss = np.arange(k * m), np.arange(0 if is_exact(a) else n * m)
    right = list(b[:, :-1].T.ravel())
    return LinearProgram(
        [0] * len(each) + [1] * 2 * len(miss),
        (
            np.concatenate([(z * n + x).ravel(), n * m + each % k, miss, miss]),
            np.concatenate([(z * k + y).ravel(), np.arange(len(each) + 2 * len(miss))]),
            [*np.tile(a[x, y], m), *[1] * len(each), *[1] * len(miss), *[-1] * len(miss)],
        ),
        row_lower=[*right, *[None] * k],
        row_upper=[*right, *[1] * k],
    )


def _read_remap(x: Array, a: Array, b: Array) -> Array:
    k, m = a.shape[1], b.shape[1] - 1
    others = x[: k * m].reshape(m, k).T
    return np.column_stack([others, 1 - others.sum(axis=1)])


def _read_weights(y: Array, a: Array, b: Array) -> Array:
    n, m = a.shape[0], b.shape[1] - 1
    return np.vstack([y[: n * m].reshape(m, n), y[:n] - y[:n]])
