"""What do shuffled answers tell of one person, whoever the others are?

The others that tell most are found among those whose answers are most extreme, since what is told
is convex in each other's distribution of answers: docs/proofs/shuffle.md.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.composition import compositions
from leaktight.channels.shuffled import Shuffled
from leaktight.errors import Mismatch, TooLarge
from leaktight.exact.numbers import Array, float_array, fraction, to_float
from leaktight.exact.shown import counted
from leaktight.policies.policy import Policy

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


@dataclass(frozen=True, slots=True)
class ShuffledRecord:
    """What a histogram of answers tells of one person, over all that the others may be."""

    crowd: Shuffled

    @classmethod
    def of(cls, crowd: Shuffled, policy: Policy) -> "ShuffledRecord":
        """Check that the people are the records of a policy, which may be anything."""
        if policy.is_constrained or policy.values is not None:
            raise TooLarge("shuffled answers are measured where every record may be anything")
        if policy.records != crowd.people or set(policy.secrets.vertices) != set(
            crowd.channel.inputs
        ):
            raise Mismatch(
                f"a person must be a record, and an input of the channel a value, got {crowd!r} "
                f"for {policy!r:.60}"
            )
        return cls(crowd)

    def channels(self) -> Iterator[tuple[Channel, str]]:
        """Yield what is seen of each value, and who the others are."""
        for others in self._listed(self.crowd.channel.inputs):
            yield self.crowd.of_one(others), _told(others)

    def worst(self, values: Collection[Hashable]) -> tuple[Fraction, str]:
        """Return the largest Σ_z max_v K(z|D⁻, v) over these values, and who the others are."""
        return self.largest({v: fmpq(1) for v in values})

    def guess(self, prior: Mapping[Hashable, fmpq]) -> tuple[Fraction, Fraction]:
        """Return the chance of a right guess before and after, where the latter is largest."""
        return fraction(max(prior.values())), self.largest(prior)[0]

    def largest(self, weights: Mapping[Hashable, fmpq]) -> tuple[Fraction, str]:
        """Return the largest Σ_h max_v weight(v)·P(h|D⁻, v), and who the others are."""
        excess, others = self.excess(weights, max(weights, key=lambda v: weights[v]))
        return excess + fraction(max(weights.values())), others

    def excess(self, weights: Mapping[Hashable, fmpq], base: Hashable) -> tuple[Fraction, str]:
        """Return by how much that is more than the weight of ``base``: than always guessing it."""
        found = (
            (self._seen(others, weights, base), _told(others))
            for others in self._extreme(weights, base)
        )
        return max(found, key=lambda each: each[0])

    def _seen(self, others: Others, weights: Mapping[Hashable, fmpq], base: Hashable) -> Fraction:
        """Return Σ_h max_v weight(v)·P(h|v) − weight(base)·P(h|base), exactly."""
        rows = dict(zip(self.crowd.channel.inputs, self.crowd.channel.matrix, strict=True))
        seen, whole = self.crowd.weights([(rows[v], n) for v, n in others.items()])
        at, scale = self._weighted(weights, base)
        table = seen[at] * scale[:, None]
        return fraction((table.max(axis=0) - table[0]).sum() / whole)

    def _weighted(
        self, weights: Mapping[Hashable, fmpq], base: Hashable
    ) -> tuple[list[int], Array]:
        """Return which inputs have a weight, and the weights; that of ``base`` first."""
        inputs = self.crowd.channel.inputs
        at = [i for i, v in enumerate(inputs) if weights.get(v) and v != base]
        at.insert(0, inputs.index(base))
        return at, np.array([weights[inputs[i]] for i in at], dtype=object)

    def _listed(self, values: Iterable[Hashable]) -> Iterator[Others]:
        """Yield all that the others may be, if they have these values."""
        listed, n = list(values), self.crowd.people - 1
        ways = comb(n + len(listed) - 1, len(listed) - 1)
        if ways * len(self.crowd.histograms()) > MOST_STEPS:
            raise TooLarge(
                f"{counted(ways, 'combination', 'combinations')} of the others with the histograms "
                f"of each, and at most {MOST_STEPS:,} are gone through; "
                "Shuffled.of_one tells what is seen for some of them"
            )
        for times in compositions(n, len(listed), ways).tolist():
            yield dict(zip(listed, times, strict=True))

    def _extreme(self, weights: Mapping[Hashable, fmpq], base: Hashable) -> Iterator[Others]:
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
        elif n**3 > MOST_CONVOLVED:
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
