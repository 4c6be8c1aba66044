"""The exponential mechanism: the best of several outputs, chosen without telling the input.

The exponential mechanism of [McSherry2007]_: an output is the likelier, the better its score for
the true input is.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.matrix import as_mapping, read_table
from leaktight.exact.numbers import Array, Number, exact_array, is_exact, rational
from leaktight.exact.ratio import Ratio, RatioLike, step_ratio
from leaktight.exact.shown import counted, shown
from leaktight.labels import Labels
from leaktight.limits import allowed
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large, vertices_of
from leaktight.policies.graph import Graph, Vertices
from leaktight.policies.neighbours import Neighbours, adjacency_of

Score: TypeAlias = Callable[[Any, Any], Any] | Mapping[Any, Any] | Any
"""How good an output is for an input: a function of (input, output), or a table of rows."""

MOST_STEPS = 2**14
"""The most units by which two scores of an input may differ: probabilities get as many digits."""


@frozen(init=False, repr=False)
class ExponentialMechanism(Mechanism):
    """P(w|x) ∝ r^score(x,w), with the r that makes neighbours x ~ x′ private at λ.

    Scores are whole or rational numbers, a float being the decimal that it prints as. Let
    score(x,w) − score(x′,w) range over ``spread`` for neighbours at most. Then r^spread ≤ λ is
    enough: r^score changes by one power of r and the sum of the row by another, and the two are
    at most ``spread`` apart ([Dong2020]_). The spread is at most 2Δ, with the sensitivity Δ of
    [McSherry2007]_, and at most Δ if neighbours change all scores the same way.

    So that every probability is rational, scores are counted in their largest common ``unit``, and
    r^unit, the ``step``, is rational.

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> votes = Policy(SecretGraph.complete(["tea", "milk"]), records=2)
    >>> most = ExponentialMechanism(votes, ["tea", "milk"], lambda all, w: all.count(w), ratio=4)
    >>> most.spread, most.guarantee.ratio
    (Fraction(2, 1), Fraction(4, 1))
    >>> most.channel.row(("tea", "tea"))["tea"], most.channel.row(("tea", "milk"))["tea"]
    (Fraction(4, 5), Fraction(1, 2))
    """

    graph: Graph
    outputs: Labels
    ratio: Fraction
    unit: Fraction
    below_best: tuple[tuple[int, ...], ...]
    """For each input and output, how many units its score is below the best of the input."""

    def __init__(
        self,
        neighbours: Neighbours,
        outputs: Vertices,
        score: Score,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
    ) -> None:
        graph, labels = adjacency_of(neighbours).explicit(), Graph(outputs).vertices
        unit, below_best = _in_units(_read(score, graph.vertices, labels))
        self.__attrs_init__(graph, labels, Ratio.of(ratio, epsilon).lower, unit, below_best)
        if self.spread == 0:
            raise InvalidInput(
                "neighbours must differ in how they rank the outputs, got the same scores up to a "
                "constant; nothing is to be hidden: publish the best, with Channel.deterministic"
            )

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"exponential mechanism on {counted(len(self.outputs), 'output', 'outputs')}"

    @property
    def spread(self) -> Fraction:
        """max over neighbours x ~ x′ of (max_w − min_w) of score(x,w) − score(x′,w)."""
        table = np.array(self.below_best)
        changes = table[self.graph.edges[:, 0]] - table[self.graph.edges[:, 1]]
        return int(np.ptp(changes, axis=1).max(initial=0)) * self.unit

    @property
    def step(self) -> Fraction:
        """How much likelier an output is whose score is a unit better."""
        return step_ratio(self.ratio, self.spread / self.unit)

    @property
    def guarantee(self) -> Guarantee:
        """r^spread, at most λ; what the channel has may be less: see ``privacy_level``."""
        level = self.step ** int(self.spread / self.unit)
        return Guarantee(level, vertices_of(self.graph), lambda: self.graph)

    @property
    def channel(self) -> Channel:
        """What is seen of each input."""
        table, q = np.array(self.below_best), 1 / rational(self.step)
        weights = exact_array(q**k for k in range(int(table.max()) + 1))[table]
        matrix = weights / weights.sum(axis=1)[:, None]
        return Channel.trusted(self.graph.vertices, self.outputs, matrix)


def _read(score: Score, inputs: Labels, outputs: Labels) -> Array:
    """Return the scores as exact numbers, a row for each input."""
    refuse_too_large(len(inputs), len(outputs))
    if callable(score):
        score = [[score(x, w) for w in outputs] for x in inputs]
    elif isinstance(score, Mapping):
        for x, row in score.items():
            named = as_mapping(row)
            if named is not None and len(named) < len(outputs):
                missing = next(w for w in outputs if w not in named)
                raise InvalidInput(f"input {x!r} must have a score for output {missing!r}")
    table, _, _ = read_table(score, inputs, outputs, "score table", InvalidInput)
    if table.shape != (len(inputs), len(outputs)):
        raise InvalidInput(
            f"the score table must have a row for each of the {len(inputs)} inputs and a column "
            f"for each of the {len(outputs)} outputs, got {table.shape}"
        )
    if is_exact(table):
        return table
    return exact_array(repr(float(number)) for number in table.ravel()).reshape(table.shape)


def _in_units(scores: Array) -> tuple[Fraction, tuple[tuple[int, ...], ...]]:
    """Return the largest unit of the differences to the best scores, and these in units."""
    below = scores.max(axis=1)[:, None] - scores
    whole = math.lcm(*(int(number.q) for number in below.ravel()))
    counts = [[int(number * whole) for number in row] for row in below]
    common = math.gcd(*(count for row in counts for count in row)) or 1
    unit = Fraction(common, whole)
    rows = tuple(tuple(count // common for count in row) for row in counts)
    if (most := max(map(max, rows))) > allowed(MOST_STEPS):
        raise TooLarge(
            f"scores may differ by at most {allowed(MOST_STEPS):,} units, got {most:,} units of "
            f"{shown(unit)}; round them, for instance to hundredths"
        )
    return unit, rows
