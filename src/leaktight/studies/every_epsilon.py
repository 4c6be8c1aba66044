"""What another ε would do, for a page that answers without computing anything more.

The worst case of one record is a piecewise rational function of λ = e^ε, so its pieces are the
answer at every ε. What a guesser is right about, and the best mechanism, are found at some.
"""

import math
from collections.abc import Hashable
from fractions import Fraction

import numpy as np

from leaktight.errors import LeaktightError
from leaktight.exact.numbers import float_array
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import Probability
from leaktight.exact.tolerances import TOLERANCES
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.repetition.explanation import explain
from leaktight.studies.answers import ONLY_PURE, Answer, Skipped
from leaktight.studies.naming import Names
from leaktight.studies.study import Study
from leaktight.worst_case.every_ratio import Piece, worst_case_function

MOST_VALUES = 16
"""The most values of a record for which this takes no more than a few seconds."""

STOPS = 20
"""At how many ε mechanisms and guessers are shown, evenly up to some times the one asked for."""

REACH, LEAST_REACH = 2, 2.0
"""How far they go: so many times the ε that was asked for, but at least so far."""


class PieceShown(Answer, frozen=True):
    """The worst case N(q)/D(q), q = e^−ε, for all ratios up to an end."""

    upper: float | None
    """The largest ratio e^ε; None if there is no end."""
    numerator: tuple[float, ...]
    """The coefficients of 1, q, q², …"""
    denominator: tuple[float, ...]
    formula: str

    def __call__(self, ratio: float) -> float:
        """Return the worst case at a ratio, as a page computes it."""
        top, bottom = (
            math.fsum(c * ratio**-k for k, c in enumerate(side))
            for side in (self.numerator, self.denominator)
        )
        return top / bottom


class Stop(Answer, frozen=True):
    """What is known at one ε."""

    epsilon: float
    after: tuple[Probability, ...]
    """The chance that a guess is right, after one release and after as many as were asked about."""
    best: tuple[tuple[float, ...], ...]
    """The best mechanism; empty if its inputs are too many."""


class EveryEpsilon(Answer, frozen=True):
    """The worst case of one record for every ε, and more at some."""

    what: str
    observations: int
    asked: float | None
    before: Fraction
    pieces: tuple[PieceShown, ...]
    stops: tuple[Stop, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    aim: str
    """What the mechanisms are best for."""

    def __call__(self, epsilon: float) -> float:
        """Return the worst case at an ε, as a page computes it."""
        ratio = math.exp(epsilon)
        ends = (math.inf if piece.upper is None else piece.upper for piece in self.pieces)
        return next(p for p, end in zip(self.pieces, ends, strict=True) if ratio <= end)(ratio)


def every_epsilon(study: Study) -> EveryEpsilon | Skipped:
    """Return what another ε would do, or why there is no answer.

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> found = every_epsilon(Study(Policy(SecretGraph.complete(["no", "yes"])), epsilon=1))
    >>> found.pieces[0].formula, round(found(1.0), 6)
    ('(2λ)/(λ + 1)', 1.462117)
    """
    policy = study.policy
    if study.curve is not None:
        return ONLY_PURE
    if policy.is_constrained:
        return Skipped("what is public ties records together, so that it is no matter of one")
    if policy.metric is not None:
        return Skipped("distances differ, so that the worst case is no rational function of e^ε")
    if policy.secrets.order > MOST_VALUES:
        return Skipped(f"for at most {MOST_VALUES} values, got {policy.secrets.order:,}")
    try:
        study.expect_untold()
        return _found(study)
    except (LeaktightError, OverflowError) as wrong:
        return Skipped(str(wrong))


def _found(study: Study) -> EveryEpsilon | Skipped:
    exact = worst_case_function(study.policy.secrets)
    asked = None if study.ratio is None else study.ratio.epsilon
    most = max(REACH * (asked or 0.0), LEAST_REACH)
    epsilons = {round(most * k / STOPS, 6) for k in range(1, STOPS + 1)}
    epsilons |= set() if asked is None else {asked}
    names, drawn = Names.of(study), study.graph.order <= MOST_VALUES and study.aim is not None
    stops, outputs = list[Stop](), tuple[Hashable, ...]()
    for epsilon in sorted(epsilons):
        told = explain(study.policy, study.prior, epsilon=epsilon, observations=study.observations)
        matrix: tuple[tuple[float, ...], ...] = ()
        if drawn:
            best = optimal_mechanism(study.graph, study.input_prior, study.aim, epsilon=epsilon)
            outputs = best.aim.guesses
            used = dict(zip(best.channel.outputs, float_array(best.channel.matrix).T, strict=True))
            columns = [used.get(guess, np.zeros(study.graph.order)) for guess in outputs]
            matrix = tuple(map(tuple, np.stack(columns, axis=1).tolist()))
        stops.append(Stop(epsilon, told.after, matrix))
    found = EveryEpsilon(
        study.what, study.observations, asked, told.before.value,
        tuple(map(_shown, exact.pieces)), tuple(stops),
        tuple(map(names.input, study.graph.vertices)) if drawn else (),
        tuple(map(names.output, outputs)),
        "a right guess" if study.gain == "guess" else "what guesses earn",
    )  # fmt: skip
    for epsilon in sorted(epsilons):
        value = exact(Ratio.of(epsilon=epsilon).upper)
        if not math.isclose(found(epsilon), value, rel_tol=TOLERANCES.entry):
            return Skipped("the formula is too long for floating point")
    return found


def _shown(piece: Piece) -> PieceShown:
    """Return a formula in q = 1/λ, in which no power overflows."""
    degree = max(piece.numerator.degree(), piece.denominator.degree())
    top, bottom = (
        tuple(float(int(side[degree - k])) for k in range(degree + 1))
        for side in (piece.numerator, piece.denominator)
    )
    formula = repr(piece).partition(" for ")[0]
    return PieceShown(None if piece.upper is None else float(piece.upper), top, bottom, formula)
