"""The trade-off of leakage and usefulness: the least leakage, or the best use, at a limit.

Both are linear programs in the channel K, whose outputs are guesses of its user, with a variable
for each output that is at least what an attacker gains there by any guess. They are solved
exactly, so what is returned is the optimum, with the dual value that proves it.
"""

from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, known, prior_on
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidGain, InvalidNumber, TooLarge
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import Array, Number, exact_array, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import shown
from leaktight.labels import alignment
from leaktight.limits import allowed
from leaktight.policies.neighbours import Space, metric_of

MOST_VARIABLES = 5000
"""The most inputs times guesses for which a trade-off is solved."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TradeOff:
    """A channel that no other betters both in what its user and in what an attacker gains.

    ``utility`` is its user's expected gain if each output is taken at its word (a loss counts as
    a negative gain), ``vulnerability`` the attacker's after the best guess for each output.
    """

    channel: Channel
    utility: Fraction
    vulnerability: Fraction
    bound: Fraction
    """What the dual prices prove to be the best value of what was asked for: it is attained. If
    the channel is to be private at an e^ε that is not rational, the best at the λ just below."""

    @property
    def loss(self) -> Fraction:
        """The user's expected loss: −utility."""
        return -self.utility

    def __repr__(self) -> str:
        useful, seen = shown(self.utility), shown(self.vulnerability)
        return f"TradeOff(utility {useful}, vulnerability {seen})"


def least_leaking(
    prior: PriorLike,
    gain: Gain | Loss,
    enough: Number,
    attacker: Gain | None = None,
    neighbours: Space | None = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> TradeOff:
    """Return the channel that leaks least to an attacker among those that are useful enough.

    ``enough`` is the least expected gain of the user, or the most expected loss. The attacker
    guesses the input unless another gain is given. With ``neighbours`` and a ratio the channel is
    private too.

    >>> prior = Distribution.uniform([0, 1, 2, 3])
    >>> distance = Loss.by_distance(prior.values, lambda a, b: abs(a - b))
    >>> least_leaking(prior, distance, "1/2").vulnerability
    Fraction(1, 2)
    """
    program = _Program.of(prior, gain, attacker, neighbours, ratio, epsilon)
    least = gain.sign * rational(enough)
    found = program.solve([0] * program.size, 1, program.useful, least)
    if found is None:
        raise InvalidNumber(
            f"no channel is as useful as asked: the expected {type(gain).__name__.lower()} cannot "
            f"be {shown(rational(enough))}"
        )
    return program.trade_off(found, found.value)


def most_useful(
    prior: PriorLike,
    gain: Gain | Loss,
    vulnerability: Number,
    attacker: Gain | None = None,
    neighbours: Space | None = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
) -> TradeOff:
    """Return the most useful channel among those after which an attacker gains no more.

    ``vulnerability`` is the most that the attacker may gain on average; with nothing released
    it is ``vulnerability(prior)``. The other arguments are those of :func:`least_leaking`.

    >>> prior = Distribution.uniform([0, 1, 2, 3])
    >>> distance = Loss.by_distance(prior.values, lambda a, b: abs(a - b))
    >>> most_useful(prior, distance, "1/2").loss
    Fraction(1, 2)
    """
    program = _Program.of(prior, gain, attacker, neighbours, ratio, epsilon)
    at_most = [fmpq(0)] * program.size + [fmpq(-1)] * program.outputs
    found = program.solve([-v for v in program.useful], 0, at_most, -rational(vulnerability))
    if found is None:
        nothing = max(row.sum() for row in program.attacked)
        raise InvalidNumber(
            f"an attacker gains {shown(nothing)} with nothing released, so no channel keeps it at "
            f"{shown(rational(vulnerability))}"
        )
    return program.trade_off(found, -found.value)


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """Variables K_iz, row by row, then v_z; what user and attacker gain by guess and input."""

    prior: Distribution
    gain: Gain | Loss
    useful: list[fmpq]
    attacked: Array
    arcs: list[tuple[int, int, fmpq]]
    """Neighbours both ways, and the ratio of each."""

    @classmethod
    def of(
        cls,
        prior: PriorLike,
        gain: Gain | Loss,
        attacker: Gain | None,
        neighbours: Space | None,
        ratio: RatioLike,
        epsilon: Number | None,
    ) -> "_Program":
        if not isinstance(gain, Gain | Loss):
            raise InvalidGain(f"expected a Gain or a Loss, got {gain!r:.60}")
        belief = known(prior_on(prior, gain.inputs)).exact()
        if len(belief.values) * len(gain.guesses) > allowed(MOST_VARIABLES):
            raise TooLarge(
                f"a trade-off is solved for at most {allowed(MOST_VARIABLES):,} inputs times "
                f"guesses, got {len(belief.values):,} × {len(gain.guesses):,}"
            )
        other = Gain.binary(gain.inputs) if attacker is None else attacker
        if not isinstance(other, Gain):
            raise InvalidGain(f"what an attacker wants must be a Gain, got {attacker!r:.60}")
        order = alignment(gain.inputs, other.inputs, "the gains of the user and of the attacker")
        theirs = other.matrix if order is None else other.matrix[:, order]
        ours = exact_array(gain.matrix) * belief.array
        arcs = list[tuple[int, int, fmpq]]()
        if neighbours is not None:
            metric = metric_of(neighbours)
            graph, ratios = metric.graph, metric.ratios(Ratio.of(ratio, epsilon))[0]
            at = alignment(graph.vertices, gain.inputs, "the graph's vertices and the inputs")
            place = range(graph.order) if at is None else at
            pairs = zip(graph.edges.tolist(), ratios, strict=True)
            arcs = [(place[i], place[h], most) for (i, h), most in pairs]
        elif (ratio, epsilon) != (None, None):
            raise InvalidNumber("a ratio needs neighbours= to hold between")
        useful = (ours * gain.sign).T.ravel().tolist()
        attacked = exact_array(theirs) * belief.array
        return cls(belief, gain, useful, attacked, arcs + [(h, i, most) for i, h, most in arcs])

    @property
    def outputs(self) -> int:
        return len(self.gain.guesses)

    @property
    def size(self) -> int:
        """How many entries K has."""
        return len(self.useful)

    def solve(
        self, entries: list[fmpq] | list[int], each: int, extra: list[fmpq], least: fmpq
    ) -> Optimum | None:
        """Minimise entries·K + each·Σ v with extra·(K, v) ≥ least; None if that cannot be."""
        n, m = len(self.prior.values), self.outputs
        rows, columns, values = [0] * len(extra), list(range(len(extra))), list(extra)
        lower, upper = [least], list[fmpq | None]([None])

        def add(places: list[int], numbers: list[fmpq | int], low: int, high: int | None) -> None:
            rows.extend([len(lower)] * len(places))
            columns.extend(places)
            values.extend(map(fmpq, numbers))
            lower.append(fmpq(low))
            upper.append(None if high is None else fmpq(high))

        for i in range(n):
            add([i * m + z for z in range(m)], [1] * m, 1, 1)
        for z in range(m):
            for row in self.attacked:
                there = np.flatnonzero(row)
                add(
                    [*(int(i) * m + z for i in there), n * m + z],
                    [*(-row[there]).tolist(), 1],
                    0,
                    None,
                )
            for i, h, ratio in self.arcs:
                add([i * m + z, h * m + z], [-1, ratio], 0, None)
        program = LinearProgram(
            [*entries, *[each] * m],
            (rows, columns, values),
            row_lower=lower,
            row_upper=upper,
            lower=[*[0] * (n * m), *[None] * m],
        )
        return solve_exact(program).optimum

    def trade_off(self, found: Optimum, bound: fmpq) -> TradeOff:
        n, m = len(self.prior.values), self.outputs
        matrix = found.x[: n * m].reshape(n, m)
        used = np.flatnonzero(matrix.any(axis=0))
        channel = Channel(matrix[:, used], self.prior.values, [self.gain.guesses[z] for z in used])
        for i, h, ratio in self.arcs:
            if (matrix[i] > ratio * matrix[h]).any():
                raise AssertionError("the channel is not as private as asked")
        gained = (self.attacked @ matrix).max(axis=0)
        utility = sum(map(mul, self.useful, found.x), fmpq(0))
        return TradeOff(channel, fraction(utility), fraction(gained.sum()), fraction(bound))
