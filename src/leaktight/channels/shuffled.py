"""Shuffled answers of many people, of which only how many gave each is shown.

The shuffle model ([Cheu2019]_, [Balle2019]_): everybody's answer is drawn from the same channel,
and the answers are mixed before anybody sees them, so that a histogram is left. The formulas are
proved in docs/proofs/shuffle.md.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz, fmpz_poly

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import compositions
from leaktight.channels.distribution import Distribution, prior_on
from leaktight.channels.representation import Belief, Representation
from leaktight.channels.views import AverageView, Largest, View, Views, Weigh, Weights
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch, TooLarge
from leaktight.exact.numbers import Array, exact_array, float_array, over_common, to_float
from leaktight.exact.shown import counted
from leaktight.labels import Labels, positions
from leaktight.limits import allowed
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query

MOST_TERMS = 2**20
"""The longest polynomial that is multiplied."""

Others = dict[Hashable, int]
"""How many others have each value."""

MOST_STEPS = 2**18
"""The most counts of the others, times histograms, that are gone through exactly."""

FEW = 64
"""Up to so many people, all others are gone through exactly."""

MOST_CONVOLVED = 2**36
"""The most multiplications of floats, some ten seconds."""

ROUNDING = 64 * 2.0**-53
"""So much, relatively, is lost by rounding for each person: docs/proofs/shuffle.md."""


SMALL = 2.0**-900
"""What vanishes in floats is less, all of it together."""


@dataclass(frozen=True, slots=True, init=False)
class Shuffled(Representation):
    """``people`` who each answer through ``channel``, shown as a histogram of the answers.

    It is kept as counts, and exact. What it tells of one person is a channel, :meth:`of_one`, so
    that every measure can be asked for.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["no", "yes"])
    >>> crowd = Shuffled(coin, 1000)
    >>> crowd
    1,000 answers, shuffled
    >>> crowd.of_one({"no": 500, "yes": 499}).shape
    (2, 1001)
    """

    channel: Channel
    people: int

    def __init__(self, channel: Channel, people: int) -> None:
        if not isinstance(people, int | np.integer) or people < 1:
            raise InvalidNumber(f"there must be a whole number of people, got {people!r:.60}")
        object.__setattr__(self, "channel", expect_channel(channel).exact())
        object.__setattr__(self, "people", int(people))

    def __repr__(self) -> str:
        return f"{counted(self.people, 'answer', 'answers')}, shuffled"

    def of_one(self, others: Mapping[Hashable, int] | Distribution | None = None) -> Channel:
        """What the histogram tells of one person's value.

        ``others`` says how many of them have each value, for somebody who knows them; or it is the
        distribution from which each of them is drawn, for somebody who does not, by default the
        uniform one. The outputs are tuples of how often each answer was given.

        >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["no", "yes"])
        >>> Shuffled(coin, 2).of_one({"yes": 1})
        exact channel, 2 inputs × 3 outputs
             (0, 2)  (1, 1)  (2, 0)
         no    3/16     5/8    3/16
        yes    9/16     3/8    1/16
        """
        rows = self.channel.matrix
        if isinstance(others, Mapping):
            seen, whole = self.weights([(rows[i], times) for i, times in self._known(others)])
        else:
            mean = prior_on(others, self.channel.inputs).exact().array @ rows
            seen, whole = self.weights([(mean, self.people - 1)])
        matrix = np.array([[fmpq(w, whole) for w in row] for row in seen], dtype=object)
        return Channel.trusted(self.channel.inputs, self.histograms(), matrix)

    def histograms(self) -> Labels:
        """How often each answer may be given: all tuples that sum to the number of people."""
        return tuple(map(tuple, self._counts().tolist()))

    def _counts(self) -> npt.NDArray[np.int64]:
        n, answers = self.people, len(self.channel.outputs)
        columns = math.comb(n + answers - 1, answers - 1)
        if max(columns * len(self.channel.inputs), (n + 1) ** (answers - 1)) > allowed(MOST_TERMS):
            raise TooLarge(
                f"{n:,} people with {answers} answers have "
                f"{counted(columns, 'histogram', 'histograms')}, too many to go through"
            )
        return compositions(n, answers, columns)

    def weights(self, others: Iterable[tuple[Array, int]]) -> tuple[Array, fmpz]:
        """Return the probability of each histogram (column) given each value (row), times a number.

        Both are whole numbers. ``others`` has the distributions of the others' answers, each with
        how many have it.
        """
        counts = self._counts()
        # A histogram is the exponent of one variable: each answer but the last is a digit of it.
        steps = [(self.people + 1) ** z for z in range(counts.shape[1] - 1)]
        exponents = counts[:, :-1] @ np.array(steps, dtype=np.int64)
        power, whole = fmpz_poly([1]), fmpz(1)
        for row, times in others:
            numerators, unit = over_common(row)
            terms = [fmpz(0)] * (1 + max(steps, default=0))
            for step, numerator in zip((*steps, 0), numerators, strict=True):
                terms[step] += numerator
            power *= fmpz_poly(terms) ** times
            whole *= unit**times
        coefficients = np.zeros(1 + int(exponents.max()), dtype=object)
        coefficients[: power.length()] = power.coeffs()
        rows, unit = over_common(self.channel.matrix)
        table = np.full((len(rows), len(counts)), fmpz(0), dtype=object)
        for z, step in enumerate((*steps, 0)):
            given = counts[:, z] > 0
            table[:, given] += rows[:, [z]] * coefficients[exponents[given] - step]
        return table, whole * unit

    def _known(self, others: Mapping[Hashable, int]) -> Iterable[tuple[int, int]]:
        at = positions(others, self.channel.inputs, "value")
        times = list(others.values())
        if any(not isinstance(n, int | np.integer) or n < 0 for n in times):
            raise InvalidInput(f"how many others have a value is a whole number, got {times!r:.60}")
        if sum(times) != self.people - 1:
            raise InvalidInput(
                f"there are {self.people - 1:,} others, got the values of {sum(times):,}"
            )
        return zip(at, map(int, times), strict=True)

    def views(self, policy: Policy, query: Query | None = None) -> "ShuffledViews":
        """Return what the histogram tells of one person, over all that the others may be."""
        self._expect_records(policy)
        return ShuffledViews(self)

    def average_views(
        self, policy: Policy, query: Query | None, belief: Belief
    ) -> Iterator[AverageView]:
        """Yield what the histogram tells of one person to somebody who knows nobody."""
        self._expect_records(policy)
        others = Distribution.trusted(tuple(belief), exact_array(belief.values()))
        yield AverageView.alone(self.of_one(others), belief, belief)

    def _expect_records(self, policy: Policy) -> None:
        """Check that the people are the records of a policy, which may be anything."""
        if policy.is_constrained or policy.values is not None:
            raise TooLarge("shuffled answers are measured where every record may be anything")
        if policy.records != self.people or set(policy.secrets.vertices) != set(
            self.channel.inputs
        ):
            raise Mismatch(
                f"a person must be a record, and an input of the channel a value, got {self!r} "
                f"for {policy!r:.60}"
            )

    def expand(self) -> Channel:
        """The channel from all databases, a tuple with a value for each person."""
        values, n = self.channel.inputs, self.people
        if len(values) ** n * len(self._counts()) > allowed(MOST_TERMS):
            raise TooLarge(f"{len(values):,}^{n:,} databases are too many to list")
        rows = dict(zip(values, self.channel.matrix, strict=True))
        databases = tuple(product(values, repeat=n))
        matrix = []
        for first, *others in databases:
            seen, whole = self.weights([(rows[v], 1) for v in others])
            matrix.append([fmpq(w, whole) for w in seen[values.index(first)]])
        return Channel.trusted(databases, self.histograms(), np.array(matrix, dtype=object))


@dataclass(frozen=True, slots=True)
class ShuffledViews(Views):
    """What a histogram of answers tells of one person, over all that the others may be."""

    crowd: Shuffled

    def __iter__(self) -> Iterator[View]:
        """Yield what is seen of each value, and who the others are."""
        for others in self._listed(self.crowd.channel.inputs):
            yield self.crowd.of_one(others), _told(others)

    def largest(self, weigh: Weigh) -> Largest | None:
        """Return the largest Σ_h max_v weight(v)·P(h|D⁻, v), and who the others are."""
        if not (weights := weigh(self.crowd.channel.inputs)):
            return None
        found = self.excess(weights)
        return found._replace(size=found.size + max(weights.values()))

    def excess(self, weights: Weights) -> Largest:
        """Return by how much that is more than the largest weight: than always guessing one value.

        The others are found among those whose answers are most extreme, since what is told is
        convex in each other's distribution of answers: docs/proofs/shuffle.md.
        """
        base = max(weights, key=lambda v: weights[v])
        found = (
            Largest(self._excess(others, weights, base), self.crowd.channel.inputs, _told(others))
            for others in self._extreme(weights, base)
        )
        return max(found, key=lambda each: each.size)

    def _excess(self, others: Others, weights: Weights, base: Hashable) -> fmpq:
        """Return Σ_h max_v weight(v)·P(h|v) − weight(base)·P(h|base), exactly."""
        rows = dict(zip(self.crowd.channel.inputs, self.crowd.channel.matrix, strict=True))
        seen, whole = self.crowd.weights([(rows[v], n) for v, n in others.items()])
        at, scale = self._weighted(weights, base)
        table = seen[at] * scale[:, None]
        return (table.max(axis=0) - table[0]).sum() / whole

    def _weighted(self, weights: Weights, base: Hashable) -> tuple[list[int], Array]:
        """Return which inputs have a weight, and the weights; that of ``base`` first."""
        inputs = self.crowd.channel.inputs
        at = [i for i, v in enumerate(inputs) if weights.get(v) and v != base]
        at.insert(0, inputs.index(base))
        return at, np.array([weights[inputs[i]] for i in at], dtype=object)

    def _listed(self, values: Iterable[Hashable]) -> Iterator[Others]:
        """Yield all that the others may be, if they have these values."""
        listed, n = list(values), self.crowd.people - 1
        ways = math.comb(n + len(listed) - 1, len(listed) - 1)
        if ways * len(self.crowd.histograms()) > allowed(MOST_STEPS):
            raise TooLarge(
                f"{counted(ways, 'combination', 'combinations')} of the others with the histograms "
                f"of each, and at most {allowed(MOST_STEPS):,} are gone through; "
                "Shuffled.of_one tells what is seen for some of them"
            )
        for times in compositions(n, len(listed), ways).tolist():
            yield dict(zip(listed, times, strict=True))

    def _extreme(self, weights: Weights, base: Hashable) -> Iterator[Others]:
        """Yield those others among whom the ones are that tell most."""
        channel, n = self.crowd.channel, self.crowd.people
        if len(channel.outputs) > 2:
            yield from self._listed(channel.inputs)
            return
        first = channel.matrix[:, 0]
        ends = int(first.argmin()), int(first.argmax())
        low, high = (channel.inputs[i] for i in ends)
        if low == high:  # all are alike
            yield {low: n - 1}
            return
        odds = [_odds(channel.matrix[i]) for i in ends]
        if n < FEW or not all(2.0**-900 < each < 2.0**900 for each in odds):
            yield from self._listed([low, high])
        elif n**3 > allowed(MOST_CONVOLVED):
            raise TooLarge(f"{n:,} shuffled answers are too many to go through all others")
        else:
            at, scale = self._weighted(weights, base)
            rows = float_array(scale)[:, None] * float_array(channel.matrix[at])
            least, most = np.array([_near(rows, odds, n, k) for k in range(n)]).T
            for k in np.flatnonzero(most >= least.max()).tolist():
                yield {low: n - 1 - k, high: k}


def _told(others: Others) -> str:
    return "the others are " + (
        ", ".join(f"{times:,} × {value}" for value, times in others.items() if times) or "nobody"
    )


Floats = npt.NDArray[np.float64]


def _odds(row: Array) -> float:
    """Return the odds of the first answer; 0 if it or the second never comes."""
    return to_float(row[0] / row[1]) if row.all() else 0.0


def _near(rows: Floats, odds: Sequence[float], n: int, k: int) -> tuple[float, float]:
    """Enclose the excess if k others are at the upper end and the rest at the lower one."""
    others = np.convolve(_binomial(n - 1 - k, odds[0]), _binomial(k, odds[1]))
    seen = rows[:, [1]] * np.append(others, 0.0) + rows[:, [0]] * np.insert(others, 0, 0.0)
    largest = seen.max(axis=0)
    excess, error = largest - seen[0], largest * (n * ROUNDING) + SMALL
    return float((excess - error).clip(0).sum()), float(
        np.where(seen[1:].max(axis=0, initial=0) + error < seen[0], 0, excess + error).sum()
    )


def _binomial(n: int, odds: float) -> Floats:
    """Return a binomial distribution, outward from its middle, so that nothing is subtracted."""
    middle = int(n * (odds / (1 + odds)))
    up, down = np.arange(middle, n), np.arange(middle, 0, -1)
    above = np.cumprod((n - up) / (up + 1) * odds)
    below = np.cumprod(down / (n - down + 1) / odds)
    weights = np.concatenate([below[::-1], [1.0], above])
    return np.asarray(weights / weights.sum())
