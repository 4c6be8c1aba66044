"""Noise that is added to whole numbers, and what may be concluded from its type.

What follows for *every* noise is asked of it: how well it tells two answers apart. Closed formulas
for what it leaks hold for noise whose tails are geometric, and for no other.
"""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.noise_on_sums import (
    NoiseViews,
    adds_to_sums,
    adds_up,
    is_on_large_count,
    noisy_count,
)
from leaktight.channels.representation import Belief, ByChannel
from leaktight.channels.views import AverageView, Views
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch, TooLarge
from leaktight.exact.numbers import Value, fraction, rational
from leaktight.labels import Labels
from leaktight.limits import allowed
from leaktight.policies.fibres import weights_of
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import Query, linear_of

MOST_VALUES = 1000
"""The most answers whose noise is written out."""


class AdditiveNoise(ByChannel):
    """Noise on whole numbers that does not depend on what it is added to.

    Noise of your own says how well it tells two answers apart, since nobody can find that out from
    probabilities one by one.

    >>> import math
    >>> class Die(AdditiveNoise):
    ...     def pmf(self, k):
    ...         return Fraction(1 <= k <= 6, 6)
    ...     def tail(self, k):
    ...         return Fraction(max(0, min(6, 7 - k)), 6)
    ...     def shift_ratio(self, shift):
    ...         return math.inf if shift else Fraction(1)  # a 7 is the sum of 6 and 1, not of 0
    >>> from leaktight.policies import Policy, SecretGraph, counting_query
    >>> from leaktight.privacy import noise_level
    >>> ill = Policy(SecretGraph.complete(["no", "yes"]), records=1000)
    >>> noise_level(Die(), ill, counting_query(["yes"])).ratio
    inf
    """

    __slots__ = ()

    @abstractmethod
    def pmf(self, k: int) -> Fraction:
        """Return the chance that ``k`` is added."""

    @abstractmethod
    def tail(self, k: int) -> Fraction:
        """Return the chance that ``k`` or more is added."""

    @abstractmethod
    def shift_ratio(self, shift: int) -> Value:
        """Return the largest P(k)/P(k − shift) over all k; ∞ where only P(k − shift) is 0."""

    def shifts_ratio(self, shifts: Sequence[int]) -> Value:
        """Return the largest ratio if several answers, each with noise of its own, are shifted."""
        times = Counter(shifts)
        ratios = {shift: self.shift_ratio(shift) for shift in times}
        for shift, ratio in ratios.items():
            if ratio < 1:
                raise InvalidNumber(f"shift_ratio({shift}) of noise must be 1 or more, got {ratio}")
        if math.inf in ratios.values():
            return math.inf
        powers = (rational(ratio) ** times[shift] for shift, ratio in ratios.items())
        return fraction(math.prod(powers, start=fmpq(1)))

    is_geometric = False
    """Whether it falls off by one factor with each step, from 0 on."""

    @property
    def constant_ratio(self) -> Fraction | None:
        """The factor by whose power g a shift by g is told apart, for all g; None if none is."""
        return None

    @property
    def places(self) -> Labels | None:
        """The outputs in a line, if what falls beyond its ends is collected there."""
        return None

    @property
    def worst_output(self) -> str:
        """Where it tells two answers apart most, in words that follow "output"."""
        return "where the noise falls off most"

    def adds_to(self, policy: Policy, query: Query | None) -> bool:
        """Say whether what it leaks on a query follows from formulas, and not from its channel."""
        return False


MOST_CHECKED = 1000
"""The most probabilities of a noise that are looked at to see whether they fall from 0 on."""


class SymmetricNoise(AdditiveNoise):
    """Noise with P(k) = P(−k). What it leaks on sums follows from its tails if it is unimodal.

    If it is periodic, P falls by one factor with each ``period`` from ``start`` on, so that outputs
    beyond all answers tell no more than finitely many do. Whoever derives noise from it claims no
    more than that: whether it is symmetric and unimodal is looked at, and noise that is not goes by
    its channel.
    """

    __slots__ = ()

    @property
    def is_unimodal(self) -> bool:
        """Whether P(k) = P(−k), and is never likelier farther from 0; no if nobody can tell.

        Two periods say it of all k. Noise without a period must prove it, and say so here.
        """
        if self.period is None or self.start + 2 * self.period > MOST_CHECKED:
            return False
        start, last = self.start, self.start + 2 * self.period
        chance = [self.pmf(k) for k in range(last + 1)]
        falls = all(b <= a for a, b in pairwise(chance))
        symmetric = all(self.pmf(-k) == p for k, p in enumerate(chance))
        tails = [self.tail(k) for k in range(last + 1)]
        summed = all(a - b == p for a, b, p in zip(tails, tails[1:], chance, strict=False))
        ahead = (chance[k + self.period] * chance[start] for k in range(start, last - self.period))
        factor = chance[start + self.period]
        periodic = all(p == chance[k] * factor for k, p in enumerate(ahead, start))
        return falls and symmetric and summed and periodic and tails[0] * 2 == 1 + chance[0]

    @property
    def period(self) -> int | None:
        """The steps after which P is less by the same factor; None if there are none."""
        return None

    @property
    def start(self) -> int:
        """From here on it is periodic."""
        return 0

    def repeated(self, k: int) -> Fraction:
        """Return Σ_j P(k + j·period) over j ≥ 0, for k from ``start`` on."""
        if self.period is None:
            raise TooLarge(f"{self!r:.60} tells something else at every output")
        first = self.pmf(self.start)
        if not first:
            return Fraction(0)
        return self.pmf(k) / (1 - self.pmf(self.start + self.period) / first)

    def shift_distance(self, gap: int) -> Fraction:
        """Return the total variation distance from the same noise, shifted; or just above it.

        The nearer of the two centres makes an output likelier, and in the middle both are alike.
        """
        # Long fractions are added much quicker by flint.
        below, above = (rational(self.tail(k)) for k in (gap // 2 + 1, gap - gap // 2))
        return fraction(1 - below - above)

    @property
    @abstractmethod
    def mean_size(self) -> Fraction:
        """Σ_k |k|·P(k), or just above it."""

    def adds_to(self, policy: Policy, query: Query | None) -> bool:
        """Say whether it is added to a sum of whole numbers: docs/proofs/one-person.md."""
        return adds_to_sums(self, policy, query)

    def adds_up(self, policy: Policy, query: Query | None) -> bool:
        """Say the same whatever is public: what is told of one record may need a list then."""
        return adds_up(self, policy, query)

    def views(self, policy: Policy, query: Query | None = None) -> Views:
        """Return what is seen of one record: a shift of the noise, or what its channel shows."""
        if self.adds_to(policy, query):
            return NoiseViews.of(self, policy, query)
        if self.adds_up(policy, query) and not policy.is_listable:
            raise TooLarge(
                "what noise tells somebody who knows all others is known if public counts are "
                "single numbers; with ranges all databases would be listed, and these are too many"
            )
        return super().views(policy, query)

    def average_views(
        self, policy: Policy, query: Query | None, belief: Belief
    ) -> Iterator[AverageView]:
        """Yield what is seen of one record through its channel, if that is small enough."""
        if self.places is not None and len(self.places) > allowed(MOST_VALUES):
            raise TooLarge(
                f"noise on {len(self.places):,} answers, of which at most {allowed(MOST_VALUES):,} "
                "are gone through one by one"
            )
        yield from super().average_views(policy, query, belief)


class GeometricTails(SymmetricNoise):
    """Symmetric noise that falls off by one factor, ``step``, with each step from 1 on.

    Two numbers say all: with c = 1/``step`` and P(0) = ``centre``, the chance of k or more is
    (1 − P(0))/2·c^(k−1) for k ≥ 1. At a step of 1 it is the limit: either end, with chance 1/2.
    """

    __slots__ = ()

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        said = {"pmf", "tail", "repeated", "shift_ratio", "shift_distance"}
        if own := sorted(said & {*vars(cls)}):
            raise InvalidInput(
                f"the tails of {cls.__name__} follow from step and centre; derive from "
                f"SymmetricNoise or AdditiveNoise to write {', '.join(own)} of your own"
            )

    @property
    @abstractmethod
    def step(self) -> Fraction:
        """1/c: by so much k + 1 is less likely than k, from 1 on."""

    @property
    @abstractmethod
    def centre(self) -> Fraction:
        """The chance that nothing is added."""

    @property
    def period(self) -> int:
        """One step."""
        return 1

    @property
    def start(self) -> int:
        """0 if it is geometric."""
        return 0 if self.is_geometric else 1

    def repeated(self, k: int) -> Fraction:
        """Return the tail."""
        return self.tail(k)

    def pmf(self, k: int) -> Fraction:
        """Return the chance that ``k`` is added, before anything is cut off."""
        return self.tail(abs(k)) * (1 - 1 / self.step) if k else self.centre

    def tail(self, k: int) -> Fraction:
        """Return the chance that ``k`` or more is added, before anything is cut off."""
        # Powers of long fractions are much quicker in flint.
        beyond = (1 - rational(self.centre)) / 2 / rational(self.step) ** (max(k, 1 - k) - 1)
        return fraction(beyond if k > 0 else 1 - beyond)

    def shift_ratio(self, shift: int) -> Value:
        """Return the ratio of outputs beyond both centres, or at one of them: section 7 of
        docs/proofs/one-person.md.
        """
        if not shift:
            return Fraction(1)
        centre, there = self.centre, self.pmf(abs(shift))
        if not (centre and there):  # either is never seen, or neither, at a step of 1
            return Fraction(1) if centre == there else math.inf
        return max(self.step ** abs(shift), centre / there, there / centre)

    def average_views(
        self, policy: Policy, query: Query | None, belief: Belief
    ) -> Iterator[AverageView]:
        """Yield what is seen of one record; floats enclose it if a count is large."""
        if is_on_large_count(self, policy, query):
            yield noisy_count(self, policy, query, belief)
        else:
            yield from super().average_views(policy, query, belief)

    @property
    def has_constant_ratio(self) -> bool:
        """Whether a shift by g is told apart by ``step`` to the power of g, for all g."""
        return self.shift_ratio(1) == self.step

    @property
    def constant_ratio(self) -> Fraction | None:
        """The ``step``, if it is."""
        return self.step if self.has_constant_ratio else None

    @property
    def is_unimodal(self) -> bool:
        """Whether nothing is likelier than 0."""
        if not 0 <= self.centre <= 1 <= self.step:
            raise InvalidNumber(
                f"noise must have a centre from 0 to 1 and a step from 1 on, got {self.centre} and "
                f"{self.step}"
            )
        return self.centre >= self.pmf(1)

    @property
    def is_geometric(self) -> bool:  # type: ignore[override]
        """Whether it falls off by ``step`` from 0 on, too."""
        return self.centre * (self.step + 1) == self.step - 1

    @property
    def mean_size(self) -> Fraction:
        """Σ_k |k|·P(k): twice the sum of the tails."""
        if self.step == 1:
            raise InvalidNumber("noise that does not fall off has no size on average; raise ε")
        return (1 - self.centre) / (1 - 1 / self.step)


class UnboundedNoise(SymmetricNoise):
    """Noise on all whole numbers, whose outputs are put together before they can be listed."""

    __slots__ = ()

    @abstractmethod
    def truncated(self, least: int, most: int) -> Any:
        """Return what is seen of the answers between two, with nothing lost."""

    def channel_on(self, inputs: Labels) -> Channel:
        """Return what is seen of each of some inputs: the noise is cut off beyond them."""
        numbers = [x for x in inputs if isinstance(x, int)]
        if len(numbers) < len(inputs):
            other = next(x for x in inputs if not isinstance(x, int))
            raise Mismatch(f"noise on whole numbers needs answers that are, got {other!r:.60}")
        found: Channel = self.truncated(min(numbers), max(numbers)).channel_on(inputs)
        return found

    def average_views(
        self, policy: Policy, query: Query | None, belief: Belief
    ) -> Iterator[AverageView]:
        """Yield what is seen of one record, if what falls beyond all answers is put together."""
        if (linear := linear_of(query)) is None:
            yield from super().average_views(policy, query, belief)
            return
        if not linear.adds_whole_numbers(policy.secrets.vertices):
            raise TooLarge("noise on several counts at once is not gone through one by one")
        weights = [int(w) for _, kind in weights_of(policy, linear) for w in kind]
        ends = policy.records * min(weights), policy.records * max(weights)
        if ends[1] - ends[0] >= allowed(MOST_VALUES):
            raise TooLarge(
                f"noise on {ends[1] - ends[0] + 1:,} answers, of which at most "
                f"{allowed(MOST_VALUES):,} are gone through one by one"
            )
        yield from self.truncated(*ends).average_views(policy, query, belief)
