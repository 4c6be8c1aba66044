"""The best private mechanism for a prior and a gain, with its proof.

Each component of the graph has its own best channel (``worst_case.columns``), with prices that
bound what any private channel earns there. What is returned is exact: the channel, what it earns,
and the bound. See ``docs/proofs/design.md``.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from flint import fmpq

from leaktight.channels.aim import aim_of
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.gain import Aim, Gain, Loss, read_aim
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import promise_of
from leaktight.errors import InvalidGain, TooLarge, is_list
from leaktight.exact.bound import Bound
from leaktight.exact.numbers import (
    Array,
    Number,
    exact_array,
    fraction,
    rational,
)
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import above, shown
from leaktight.labels import alignment, positions
from leaktight.limits import allowed
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, guarantee_of
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space, metric_of
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.certificate import digest_of, mechanism_claim
from leaktight.worst_case.columns import Arcs, best_channel

if TYPE_CHECKING:
    from leaktight.mechanisms.best.under_curve import CurveMechanism

MOST_ENTRIES = 2**20
"""The most inputs times guesses for which a mechanism is designed."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BestMechanism(Bound[Fraction], Mechanism):
    """A private mechanism, what it earns, and what no private mechanism exceeds.

    Its outputs are guesses. ``lower``, its ``utility``, is the expected gain if each is taken at
    its word, and ``upper`` bounds what any mechanism that is private at the ratio earns; a loss
    counts as a negative gain. The proof: ``prices`` y sum to ``upper``, and for each guess w there
    are ``flows`` f ≥ 0 on arcs with y − π∘g_w − Σ f_ih·(λ·e_h − e_i) ≥ 0.
    """

    metric: Metric
    """How far apart inputs are: of a graph, the number of edges."""
    ratio: Ratio
    prior: Distribution
    aim: Gain | Loss
    channel: Channel = field()
    prices: Array
    flows: tuple[Arcs, ...]

    @property
    def graph(self) -> Graph:
        """The graph; of a metric the pairs that matter."""
        return self.metric.graph

    @property
    def utility(self) -> Fraction:
        """What it earns on average."""
        return self.lower

    @property
    def is_optimal(self) -> bool:
        """Whether it is proved that no private mechanism earns more."""
        return self.is_exact

    @property
    def loss(self) -> Fraction:
        """The expected loss: −utility."""
        return -self.utility

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"best private mechanism for {self.graph.order} inputs"

    @property
    def guarantee(self) -> Guarantee:
        """How private the channel is: measured on a graph, for other metrics as asked."""
        return guarantee_of(self.channel, self.metric, self.ratio)

    @property
    def digest(self) -> str:
        """The digest of graph, prior and gain, as the checker shows it of the certificate."""
        return digest_of(self.metric, self.prior, self.aim)

    @property
    def certificate(self) -> dict[str, Any]:
        """Everything that proves both, as plain JSON, for :mod:`leaktight.check`."""
        where = {guess: w for w, guess in enumerate(self.aim.guesses)}
        claim = mechanism_claim(self.metric, self.prior, self.aim, self.ratio) | {
            "outputs": [where[guess] for guess in self.channel.outputs],
            "mechanism": [[str(p) for p in row] for row in self.channel.matrix],
            "utility": str(rational(self.utility)),
            "prices": [str(y) for y in self.prices],
            "flows": [[[i, h, str(amount)] for i, h, amount in flow] for flow in self.flows],
            "upper": str(rational(self.upper)),
        }
        from leaktight.check import MECHANISM

        return {"format": MECHANISM} | self.ratio.to_dict() | claim

    def __str__(self) -> str:
        value = self.aim.sign * self.utility
        gap = above(float_above(rational(self.gap)), 2)
        how = "the best" if self.is_optimal else f"within {gap} of the best"
        return f"{self.aim.word} {shown(value)}, {how}, at ratio {self.ratio}"


@overload
def optimal_mechanism(
    neighbours: Space,
    prior: PriorLike = None,
    gain: Aim = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    outputs: Iterable[Hashable] | None = None,
) -> BestMechanism: ...
@overload
def optimal_mechanism(
    neighbours: Space,
    prior: PriorLike = None,
    gain: Aim = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    outputs: Iterable[Hashable] | None = None,
    *,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> "BestMechanism | CurveMechanism": ...
def optimal_mechanism(
    neighbours: Space,
    prior: PriorLike = None,
    gain: Aim = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    outputs: Iterable[Hashable] | None = None,
    *,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> "BestMechanism | CurveMechanism":
    """Return the mechanism of largest expected gain, or least loss, among those that are private.

    The gain is 1 for the right guess unless given, the prior uniform. It may be a Gain or a Loss,
    Tries(k), whose guesses are sets, a plain table, a function, or one of the names in a study:
    "guess", "distance", "difference", "squared". The outputs of the mechanism are guesses;
    ``outputs`` names those that may be used. For the answers of a query, ask for their
    ``answer_graph``. For a :class:`Metric`, λ holds at a distance of 1 and λ^d at d. Other
    promises than pure ε, by ``delta`` beside one of them, ``rho``, ``mu`` or a ``curve``, are for
    the edges of a graph; the mechanism is decided to keep them.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> prior = ["1/10", "1/5", "1/5", "1/5", "1/5", "1/10"]
    >>> best = optimal_mechanism(SecretGraph.complete(6), prior, ratio=2)
    >>> best
    BestMechanism(gain 8/25, the best, at ratio 2 (ε = ln 2))
    >>> optimal_mechanism(SecretGraph.line(3), gain="distance", ratio=2).channel
    exact channel, 3 inputs × 3 outputs
         0    1    2
    0  2/3  1/6  1/6
    1  1/3  1/3  1/3
    2  1/6  1/6  2/3
    >>> optimal_mechanism(SecretGraph.complete(6), ratio=2, delta="1/10")
    CurveMechanism(gain 5/14, the best, under λ = 2, δ = 0.1)
    """
    promise = promise_of(ratio, epsilon, delta=delta, rho=rho, mu=mu, curve=curve)
    metric = metric_of(neighbours)
    graph = metric.graph
    belief = prior_on(prior, graph.vertices).exact()
    guesses = len(gain.guesses) if isinstance(gain, Gain | Loss) else graph.order
    if graph.order * guesses > allowed(MOST_ENTRIES):
        raise TooLarge(
            f"a mechanism is designed for at most {allowed(MOST_ENTRIES):,} inputs times guesses, "
            f"got {graph.order:,} × {guesses:,}"
        )
    aim = _read_aim(gain, metric, outputs)
    if isinstance(promise, PrivacyCurve):
        from leaktight.curves.worst_case import in_steps
        from leaktight.mechanisms.best.under_curve import best_under_curve

        return best_under_curve(in_steps(metric).explicit(), belief, aim, promise)
    asked = promise
    earned = exact_array(aim.matrix) * belief.array * aim.sign
    matrix = np.full((graph.order, len(aim.guesses)), fmpq(0), dtype=object)
    prices, utility = np.full(graph.order, fmpq(0), dtype=object), fmpq(0)
    arcs: list[list[tuple[int, int, fmpq]]] = [[] for _ in aim.guesses]
    for component in graph.components:
        at = np.array([graph.index(vertex) for vertex in component])
        found = best_channel(metric.restricted(component), asked, earned[:, at])
        matrix[at], prices[at] = found.matrix, found.prices
        utility += found.value
        for w, flow in enumerate(found.flows):
            arcs[w] += [(int(at[i]), int(at[h]), amount) for i, h, amount in flow.arcs]
    used = np.flatnonzero((matrix > 0).any(axis=0))
    channel = Channel(matrix[:, used], graph.vertices, [aim.guesses[w] for w in used])
    if not privacy_level(channel, metric).holds(asked):
        raise AssertionError("the mechanism is not as private as asked")
    return BestMechanism(
        fraction(utility),
        fraction(prices.sum()),
        metric,
        asked,
        belief,
        aim,
        channel,
        prices,
        tuple(map(tuple, arcs)),
    )


def _read_aim(gain: Aim, metric: Metric, outputs: Iterable[Hashable] | None) -> Gain | Loss:
    """Return the gain or loss with the vertices as inputs and the outputs as guesses."""
    graph = metric.graph
    aim = aim_of(gain, metric) if isinstance(gain, str) else read_aim(gain, graph.vertices)
    order = alignment(graph.vertices, aim.inputs, "the graph's vertices and the gain's inputs")
    kept = list(range(len(aim.guesses)))
    if outputs is not None:
        if not is_list(outputs):
            raise InvalidGain(f"expected a list of guesses for outputs=, got {outputs!r:.60}")
        kept = positions(dict.fromkeys(outputs), aim.guesses, "guess")
        if not kept:
            raise InvalidGain("at least one output must be named, got none")
    table = aim.matrix[kept]
    guesses = [aim.guesses[w] for w in kept]
    return type(aim)(table if order is None else table[:, order], guesses, graph.vertices)
