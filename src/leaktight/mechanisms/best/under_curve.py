"""The best mechanism among those that keep a curve: (ε, δ), ρ, μ or any other promise.

What is returned was checked: its channel keeps the promise by exact arithmetic, or by balls where
Rényi divergences are promised, and no mechanism that keeps it earns more than the upper end. See
section 6 of ``docs/proofs/curves.md``.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.graphs import BestGain, best_gain
from leaktight.curves.keeping import Kept, made_to_keep
from leaktight.errors import InvalidInput, Undecided
from leaktight.exact.numbers import exact_array, fraction, rational
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import above, shown
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, vertices_of
from leaktight.policies.graph import Graph
from leaktight.worst_case.certificate import digest_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveMechanism(Mechanism):
    """A mechanism that keeps a curve, what it earns, and what none that keeps it exceeds.

    Its outputs are guesses; a loss counts as a negative gain.
    """

    graph: Graph
    curve: PrivacyCurve
    prior: Distribution
    aim: Gain | Loss
    channel: Channel = field()
    kept: Kept
    """That the channel keeps the promise, as it was decided."""
    utility: Fraction
    found: BestGain
    """Both ends, with what proves them for the pairs (λ, δ) around the curve."""

    @property
    def upper(self) -> Fraction:
        """What no mechanism that keeps the promise earns more than."""
        return self.found.upper

    @property
    def gap(self) -> Fraction:
        """How much more than this mechanism any could earn, at most."""
        return self.upper - self.utility

    @property
    def is_optimal(self) -> bool:
        """Whether it is proved that no mechanism that keeps the promise earns more."""
        return self.gap == 0

    @property
    def loss(self) -> Fraction:
        """The expected loss: −utility."""
        return -self.utility

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"best mechanism under {self.curve} for {self.graph.order} inputs"

    @property
    def guarantee(self) -> Guarantee:
        """The promise, which the channel keeps."""
        return Guarantee(self.curve, vertices_of(self.graph), lambda: self.graph)

    @property
    def digest(self) -> str:
        """The digest of graph, prior and gain, as the checker shows it of the certificate."""
        return digest_of(self.graph, self.prior, self.aim)

    @property
    def certificate(self) -> dict[str, Any]:
        """What proves both ends for pairs (λ, δ) around the curve, for :mod:`leaktight.check`."""
        if self.found.certificate is None:
            raise Undecided("there is no certificate of this bound")
        return self.found.certificate

    def __repr__(self) -> str:
        value = self.aim.sign * self.utility
        gap = above(float_above(rational(self.gap)), 2)
        how = "the best" if self.is_optimal else f"within {gap} of the best"
        return f"CurveMechanism({self.aim.word} {shown(value)}, {how}, under {self.curve})"


def best_under_curve(
    graph: Graph, prior: Distribution, aim: Gain | Loss, curve: PrivacyCurve
) -> CurveMechanism:
    """Return a mechanism of nearly the largest gain among those that keep a curve on a graph."""
    if not curve.is_symmetric:
        raise InvalidInput("an edge has no direction: give curve.symmetric()")
    single = aim.guesses == graph.vertices and aim.sign > 0
    plain = single and np.array_equal(aim.matrix, Gain.binary(graph.vertices).matrix)
    found = best_gain(curve, graph, prior, None if graph.is_complete and plain else aim)
    if found.mechanism is None:  # all but one have no chance
        found = best_gain(curve, graph, prior, aim)
    assert found.mechanism is not None
    channel, kept = made_to_keep(found.mechanism, graph, curve)
    earned = exact_array(aim.matrix) * prior.array * aim.sign
    where = {guess: w for w, guess in enumerate(aim.guesses)}
    order = [where[guess] for guess in channel.outputs]
    utility = sum((earned[order].T * channel.matrix).ravel(), fmpq(0))
    return CurveMechanism(graph, curve, prior, aim, channel, kept, fraction(utility), found)
