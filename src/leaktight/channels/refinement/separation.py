"""Priors and gains under which one channel leaks more than another.

A prior and a gain matter only through their product π(x)·g(w,x), the weights. Adding to all
guesses alike, input by input, changes what every channel is worth by the same amount. So weights
of any sign can be read as a prior and a gain between 0 and 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain
from leaktight.exact.matrix import matrix_product
from leaktight.exact.numbers import Array, Value, exact_array, fraction, is_exact, rational
from leaktight.exact.rounding import float_below
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import Labels

PRECISIONS = (1, 2, 4, 8, 16, 32, 64)
"""How many bits are tried for weights that people can read."""


@dataclass(frozen=True, slots=True)
class NotRefined:
    """A is not refined by B: under ``prior`` and ``gain`` an attacker gains more from B.

    ``advantage`` is the difference of the two posterior vulnerabilities. The gain is between 0
    and 1. Where a question of yes or no about the secret is enough, it is that of
    :meth:`Gain.membership`; otherwise the guesses are outputs of B.
    """

    prior: Distribution
    gain: Gain
    advantage: Value
    holds: ClassVar[Literal[False]] = False
    is_near: ClassVar[bool] = False
    can_be_made: ClassVar[bool] = False

    def __bool__(self) -> Literal[False]:
        return False


def separation(a: Channel, b: Channel, weights: Array, guesses: Labels) -> NotRefined | None:
    """Return the prior and the gain that ``weights`` are, and how much more B leaks than A.

    ``weights`` have a row for each guess and a column for each input. They are rounded as far as
    half of the advantage is kept, for people to read. The advantage is computed exactly. For
    floating-point channels it must exceed what an error of ``TOLERANCES.entry`` in every entry
    can make, which is at most that for each output; if it does not, there is no separation.

    >>> a, b = Channel.no_interference(2), Channel.identity(2)
    >>> found = separation(a, b, np.array([[0.1, -0.1], [0, 0]]), ("x", "y"))
    >>> found.prior, found.gain[True, 0], found.advantage
    (Distribution({0: 1/2, 1: 1/2}), Fraction(1, 1), Fraction(1, 2))
    """
    exact = a.is_exact and b.is_exact
    noise = fmpq(0) if exact else rational(TOLERANCES.entry) * (a.shape[1] + b.shape[1])
    if exact:
        best = _simplest(_exact(weights), a.matrix, b.matrix, noise)
    else:
        # Floats choose, which is quick: their own errors are far below half of the noise.
        best = _simplest(weights, a.matrix, b.matrix, float(noise) / 2)
        if best is not None:
            left, right = _exact(a.matrix), _exact(b.matrix)
            best = _Weighing.of(_exact(best.weights), left, right)
            if best.advantage <= noise:
                best = _simplest(_exact(weights), left, right, noise)
    if best is None:
        return None
    prior = Distribution.trusted(a.inputs, best.joint.max(axis=0))
    advantage = fraction(best.advantage) if exact else float_below(best.advantage)
    return NotRefined(prior, best.gain(a.inputs, guesses), advantage)


def _simplest(weights: Array, a: Array, b: Array, noise: fmpq | float) -> "_Weighing | None":
    """Return weights with few bits that keep half of the advantage, if that exceeds the noise."""
    weights = weights - weights.min(axis=0)
    best = _Weighing.of(weights, a, b)
    if best.advantage <= noise:
        return None
    for bits in PRECISIONS:
        simple = _Weighing.of(_rounded(weights * (2**bits / weights.max())), a, b)
        if simple.advantage > noise and 2 * simple.advantage >= best.advantage:
            return simple
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Weighing:
    """The guesses that are best after some output of B, their weights, and the advantage of B."""

    weights: Array
    best: Sequence[int]
    joint: Array
    """Prior times gain, scaled so that the prior is the largest of each column."""
    advantage: Any

    @classmethod
    def of(cls, weights: Array, a: Array, b: Array) -> "_Weighing":
        # Without the other guesses A is worth less, and B the same.
        best = sorted(set(np.argmax(matrix_product(weights, b), axis=0).tolist()))
        joint = weights[best] - weights[best].min(axis=0)
        whole = joint.max(axis=0).sum()
        if whole > 0:
            joint = joint / whole
        worth_b, worth_a = (matrix_product(joint, c).max(axis=0).sum() for c in (b, a))
        return cls(weights, best, joint, worth_b - worth_a)

    def gain(self, inputs: Labels, guesses: Labels) -> Gain:
        if len(self.best) == 2:
            yes, no = self.joint
            return Gain.membership(inputs, [x for x, w in zip(inputs, yes > no, strict=True) if w])
        prior = self.joint.max(axis=0)
        prior[prior == 0] = fmpq(1)
        return Gain(self.joint / prior, [guesses[w] for w in self.best], inputs)


def _exact(matrix: Array) -> Array:
    numbers = matrix.ravel().tolist()
    if not is_exact(matrix):
        numbers = [fmpq(*number.as_integer_ratio()) for number in numbers]
    return exact_array(numbers).reshape(matrix.shape)


def _rounded(matrix: Array) -> Array:
    if not is_exact(matrix):
        return np.asarray(np.floor(matrix + 0.5))
    return exact_array((v + fmpq(1, 2)).floor() for v in matrix.ravel()).reshape(matrix.shape)
