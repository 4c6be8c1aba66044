"""Distributions as mixtures of others, or what shows that one is none.

B is safer than A in the max case, whatever an attacker gains after the output that suits them best,
exactly if every posterior of B is a mixture of posteriors of A ([Chatzikokolakis2019]_). A channel
is another after some randomisation of its input exactly if its rows are mixtures of the other's.
Both are the same question, and there is always a witness: the weights of the mixtures, or payoffs
with a larger mean under one distribution than under any that it could be mixed of.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel, on_same_inputs, same_numbers
from leaktight.channels.gain import Gain
from leaktight.channels.refinement.factorisation import nearest_remap
from leaktight.channels.refinement.separation import PRECISIONS
from leaktight.errors import Undecided
from leaktight.exact.linear_program import LinearProgram, solve_exact
from leaktight.exact.matrix import matrix_product
from leaktight.exact.numbers import Array, Value, exact_array, float_array, fraction, rational
from leaktight.exact.rounding import float_below
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import alignment


@dataclass(frozen=True, slots=True)
class Mixture:
    """Every distribution asked about is a mixture: each row of ``weights`` says of which others."""

    weights: Channel
    holds: ClassVar[Literal[True]] = True

    def __bool__(self) -> Literal[True]:
        return True


@dataclass(frozen=True, slots=True)
class NoMixture:
    """The distribution of ``label`` is no mixture of the others, as the means of a payoff show.

    ``gain`` has one guess, which earns between 0 and 1. Its mean under that distribution is larger
    by ``advantage`` than under any of the others.
    """

    label: Hashable
    gain: Gain
    advantage: Value
    holds: ClassVar[Literal[False]] = False

    def __bool__(self) -> Literal[False]:
        return False


Mixing: TypeAlias = Mixture | NoMixture


def max_case_refinement(a: Channel, b: Channel) -> Mixing:
    """Decide whether no output of ``b`` ever tells more than the most telling one of ``a``.

    That is so for every prior and every gain at once, or it is not: then ``label`` is an output
    of ``b`` after which, under the uniform prior, ``gain`` is worth more than after any of ``a``.
    ``refinement`` implies it. Exact channels are decided exactly. The posteriors of
    floating-point ones count as known up to ``TOLERANCES.entry``, and the question is
    :class:`Undecided` if that does not settle it.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> other = Channel([["2/3", "1/3", 0], ["2/3", 0, "1/3"]])
    >>> why = max_case_refinement(coin, other)
    >>> why.holds, why.label, why.advantage
    (False, 1, Fraction(1, 4))
    >>> max_case_refinement(other, coin).weights
    exact channel, 2 inputs × 3 outputs
       0    1    2
    0  0  3/4  1/4
    1  0  1/4  3/4
    """
    a, b = same_numbers(*on_same_inputs(a, b))
    return _mixing(b.reverse(), a.reverse())


def left_factorisation(a: Channel, b: Channel) -> Mixing:
    """Decide whether ``a`` is ``b`` after some channel X from its inputs: A = X·B.

    X is the answer's ``weights``. If there is none, ``label`` is an input of ``a``, and ``gain``
    pays for outputs. For R with A·R = B there is ``refinement``; floats are treated as in
    ``max_case_refinement``.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> flatter = Channel([["2/3", "1/3"], ["1/3", "2/3"], ["1/2", "1/2"]])
    >>> left_factorisation(flatter, coin).weights
    exact channel, 3 inputs × 2 outputs
         0    1
    0  5/6  1/6
    1  1/6  5/6
    2  1/2  1/2
    >>> left_factorisation(coin, flatter).advantage
    Fraction(1, 12)
    """
    order = alignment(
        expect_channel(b).outputs, expect_channel(a).outputs, "the outputs of the two channels"
    )
    a, b = same_numbers(a if order is None else a.permute(b.outputs), b)
    return _mixing(a, b)


def _mixing(points: Channel, corners: Channel) -> Mixing:
    """Decide whether the rows of ``points`` are mixtures of those of ``corners``."""
    floats = float_array(points.matrix), float_array(corners.matrix)
    weights, beyond = nearest_remap(floats[1].T, floats[0].T)
    exact = points.is_exact and corners.is_exact
    noise = fmpq(0) if exact else 2 * len(points.outputs) * rational(TOLERANCES.entry)
    if (apart := _apart(points, corners, exact_array(beyond), noise)) is not None:
        return apart
    if exact:
        weights = np.empty((len(corners.inputs), len(points.inputs)), dtype=object)
        for i, point in enumerate(points.matrix):
            answer = solve_exact(_program(point, corners.matrix))
            if answer.contradiction is not None:
                found = _apart(points, corners, answer.contradiction, noise)
                assert found is not None
                return found
            weights[:, i] = answer.settled().x
    else:
        with np.errstate(invalid="ignore"):  # 0/0 agrees with nothing
            weights = weights / weights.sum(axis=0)
        if not np.abs(weights.T @ floats[1] - floats[0]).max() <= TOLERANCES.entry:
            raise Undecided(
                "whether the one are mixtures of the other is not settled by floating-point "
                f"numbers known up to {TOLERANCES.entry:g}; .exact() takes them as they are"
            )
    return Mixture(Channel.trusted(points.inputs, corners.inputs, weights.T.copy()))


def _program(point: Array, corners: Array) -> LinearProgram:
    """Weights w ≥ 0 with Σ w·corner = point; they sum to 1, as all the others do."""
    y, x = np.nonzero(corners)
    return LinearProgram(
        [0] * len(corners), (x, y, corners[y, x]), row_lower=point, row_upper=point
    )


def _apart(points: Channel, corners: Channel, v: Array, noise: fmpq) -> NoMixture | None:
    """Return the payoffs that ``v`` is, with few bits, if they tell a point from all corners."""
    v = v - v.min()
    if not v.any():
        return None
    v = v / v.max()
    exact = points.exact().matrix, corners.exact().matrix
    most = _advantage(*exact, v)[0]
    if most <= noise:
        return None
    for scale in (*(2**bits for bits in PRECISIONS), None):
        payoff = v if scale is None else exact_array(fmpq((p * scale).round(), scale) for p in v)
        advantage, i = _advantage(*exact, payoff)
        if advantage > noise and 2 * advantage >= most:
            break
    value = fraction(advantage) if points.is_exact else float_below(advantage)
    return NoMixture(points.inputs[i], Gain([payoff], ["yes"], points.outputs), value)


def _advantage(points: Array, corners: Array, payoff: Array) -> tuple[fmpq, int]:
    """Return by how much the largest mean of a point exceeds that of all corners, and its row."""
    worth, others = (matrix_product(rows, payoff[:, None])[:, 0] for rows in (points, corners))
    return worth.max() - others.max(), int(worth.argmax())
