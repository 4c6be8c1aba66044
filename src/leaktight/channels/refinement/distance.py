"""How far one channel is from being refined by another.

An attacker who loses nothing by not guessing, and gains at most 1, gains on average more after B
than after A by at most some δ. By linear programming duality that δ is also the least share of B's
outputs that cannot be had by remapping A's: the least Σ_y P(y)·(1 − Σ_z R(y,z)) over R ≥ 0 with
A·R ≤ B, whose rows sum to at most 1 (docs/proofs/comparing.md). It is 0 exactly if A is refined by
B.
"""

from dataclasses import dataclass

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel, on_same_inputs, same_numbers
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.gain import Gain
from leaktight.errors import TooLarge
from leaktight.exact.bound import Bound
from leaktight.exact.linear_program import LinearProgram, solve, solve_exact
from leaktight.exact.matrix import matrix_product
from leaktight.exact.numbers import Array, Value, exact_array, fraction
from leaktight.exact.rounding import float_above, float_below
from leaktight.limits import allowed

MOST_ENTRIES = 2**20
"""The largest linear program that is tried; it would take minutes."""


@dataclass(frozen=True, slots=True, repr=False)
class RefinementDistance(Bound[Value]):
    """The distance is at least ``lower``, as ``gain`` shows, and at most ``upper``, as ``remap``.

    Of exact channels both are the same. The guesses of ``gain`` are numbered: one for each output
    of B, and a last one that earns nothing. ``remap`` is a channel from A's outputs to the same
    numbers, and makes no output of B likelier than it is. What it sends to the last one is
    ``upper``.
    """

    gain: Gain
    remap: Channel


def refinement_distance(a: Channel, b: Channel, prior: PriorLike = None) -> RefinementDistance:
    """Return how much more an attacker who gains at most 1 can gain on average from b than from a.

    The attacker may always pass, and then gains nothing; a wrong guess may cost any amount. This is
    the additive refinement metric of [Chatzikokolakis2019b]_; it is not symmetric. It is exact for
    exact channels and an exact prior, and enclosed for floats, whose binary values count.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> flatter = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> refinement_distance(flatter, coin).lower, refinement_distance(coin, flatter).upper
    (Fraction(1, 4), Fraction(0, 1))
    """
    a, b = same_numbers(*on_same_inputs(a, b))
    belief = prior_on(prior, a.inputs)
    exact = a.is_exact and belief.is_exact
    possible = np.flatnonzero(belief.array > 0)
    shares = belief.exact().array[possible, None]
    seen, wanted = (shares * channel.exact().matrix[possible] for channel in (a, b))
    program = _program(seen, wanted)
    solved = solve_exact(program) if exact else solve(program)
    answer = solved.settled("the distance is not settled in floating point; use .exact()")
    k, m = a.shape[1], b.shape[1]
    remap = _with_room(exact_array(answer.x).reshape(k, m), seen, wanted)
    missing = 1 - remap.sum(axis=1)
    prices = exact_array(answer.y[: wanted.size]).reshape(wanted.shape)
    payoffs = np.full((m + 1, len(a.inputs)), fmpq(0))
    payoffs[:m, possible] = exact_array(np.minimum(prices.T, 0)) + 1
    after_b, after_a = (
        matrix_product(payoffs[:, possible], joint).max(axis=0).sum() for joint in (wanted, seen)
    )
    lower, upper = max(after_b - after_a, fmpq(0)), (seen.sum(axis=0) * missing).sum()
    numbers = tuple(range(m + 1))
    return RefinementDistance(
        fraction(lower) if exact else float_below(lower),
        fraction(upper) if exact else float_above(upper),
        Gain(payoffs, numbers, a.inputs),
        Channel.trusted(a.outputs, numbers, np.column_stack([remap, missing])),
    )


def _program(seen: Array, wanted: Array) -> LinearProgram:
    """Maximise Σ P(y)·R(y,z) over R ≥ 0 with A·R ≤ B, input by input, and row sums at most 1."""
    (n, k), m = seen.shape, wanted.shape[1]
    if (size := seen.size * m) > allowed(MOST_ENTRIES):
        raise TooLarge(
            f"a remap of {k:,} outputs to {m:,} is looked for by a linear program with {size:,} "
            f"entries, and the limit is {allowed(MOST_ENTRIES):,}"
        )
    x, y = np.nonzero(seen)
    z = np.arange(m)[:, None]
    each = np.arange(k * m)
    return LinearProgram(
        -np.repeat(seen.sum(axis=0), m),
        (
            np.concatenate([(x * m + z).ravel(), n * m + each // m]),
            np.concatenate([(y * m + z).ravel(), each]),
            [*np.tile(seen[x, y], m), *[1] * len(each)],
        ),
        row_upper=[*wanted.ravel(), *[1] * k],
    )


def _with_room(remap: Array, seen: Array, wanted: Array) -> Array:
    """Return as much of R as there is room for: all of an exact optimum, of floats up to rounding.

    Where B has a 0, A must have one or R.
    """
    remap = np.maximum(remap, 0)
    remap[(seen > 0).T.astype(float) @ (wanted == 0).astype(float) > 0] = fmpq(0)
    made = matrix_product(seen, remap)
    some = made > 0
    return remap / max(fmpq(1), *(made[some] / wanted[some]), *remap.sum(axis=1))
