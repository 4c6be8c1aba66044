"""What does noise on a sum show of one record, whoever the others are?"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from flint import fmpq

from leaktight.channels.additive_noise import GeometricTails
from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import exact_array, fraction
from leaktight.labels import Labels
from leaktight.leakage.noise_on_sums import (
    histogram_sum_of_maxima,
    joint_sum_of_maxima,
    places_seen,
    sum_of_maxima,
)
from leaktight.policies.symmetric_query import HistogramQuery, LinearQuery

WHOEVER = "whoever the others are"

MOST_CELLS = 10
"""The most cells of a histogram whose patterns, above the others' counts or not, are listed."""


@dataclass(frozen=True, slots=True)
class NoisyRecord:
    """A sum with noise: each value of a record shifts the noise by its weight."""

    noise: GeometricTails
    query: LinearQuery
    kinds: tuple[tuple[Labels, tuple[Any, ...]], ...]
    """For each kind of record its values, and what each adds to the answer."""

    def channels(self) -> Iterator[tuple[Channel, str]]:
        """Yield what is seen of each value, whoever the others are."""
        for values, weights in self.kinds:
            if isinstance(weights[0], tuple):
                names, rows = self._patterns(weights)
            else:
                names, rows = places_seen(self.noise, weights)
            matrix = exact_array([p for row in rows for p in row]).reshape(len(values), -1)
            yield Channel.trusted(values, tuple(names), matrix), WHOEVER

    def _patterns(self, weights: Sequence[tuple[int, ...]]) -> tuple[list[str], list[list[Any]]]:
        """Return which cells of a histogram can be above the others' counts, and how likely."""
        cells = self.query.cells if isinstance(self.query, HistogramQuery) else ()
        if not cells or len(cells) > MOST_CELLS:
            raise TooLarge(
                f"what is seen of one record in several counts is listed for histograms of at most "
                f"{MOST_CELLS} cells, got {len(weights[0])} counts"
            )
        above = self.noise.tail(1)
        chances = {(0, True): above, (0, False): 1 - above, (1, True): 1 - above, (1, False): above}
        patterns = list(product((False, True), repeat=len(cells)))
        rows = [
            [prod(chances[cell] for cell in zip(weight, pattern, strict=True))
             for pattern in patterns]
            for weight in weights
        ]  # fmt: skip
        up = [[str(cell) for cell, is_up in zip(cells, p, strict=True) if is_up] for p in patterns]
        return [f"more than the others in {', '.join(each) or 'no cell'}" for each in up], rows

    def worst(self, values: Collection[Hashable]) -> tuple[Fraction, str]:
        """Return the largest Σ_z max_v P(z − w_v) over these values, whoever the others are."""
        kept = set(values)
        found = [
            [w for v, w in zip(own, weights, strict=True) if v in kept]
            for own, weights in self.kinds
        ]
        return max(map(self._factor, filter(None, found)), default=Fraction(1)), WHOEVER

    def guess(self, prior: Mapping[Hashable, fmpq]) -> tuple[Fraction, Fraction]:
        """Return the chance of a right guess before and after; a bound where places are many."""
        if not any(prior[v] for values, _ in self.kinds for v in values):
            raise InvalidInput("the prior rules out every value that a record may have")
        try:
            return _best_guess((channel for channel, _ in self.channels()), prior)
        except TooLarge:
            likeliest = [(max(prior[v] for v in own), sum(prior[v] for v in own), weights)
                         for own, weights in self.kinds]  # fmt: skip
            after, before = max(
                (min(Fraction(1), fraction(most / total) * self._factor(weights)), most / total)
                for most, total, weights in likeliest if total
            )  # fmt: skip
            return fraction(before), after

    def _factor(self, weights: Sequence[Any]) -> Fraction:
        if not isinstance(weights[0], tuple):
            return sum_of_maxima(self.noise, weights)
        if isinstance(self.query, HistogramQuery):
            cells = len({w for w in weights if any(w)})
            return histogram_sum_of_maxima(self.noise, cells, any(not any(w) for w in weights))
        return joint_sum_of_maxima(self.noise, weights)


def _best_guess(
    channels: Iterable[Channel], prior: Mapping[Hashable, fmpq]
) -> tuple[Fraction, Fraction]:
    """Return the chance of a right guess before and after, of the channel where it is largest."""
    found = []
    for channel in channels:
        chances = exact_array(prior[v] for v in channel.inputs)
        if total := chances.sum():
            after = column_maxima(chances[:, None] * channel.matrix).sum() / total
            found.append((fraction(after), fraction(chances.max() / total)))
    after, before = max(found)
    return before, after
