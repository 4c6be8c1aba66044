"""Adversaries: what each knows, and how likely each is right after n observations."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.curves.posterior import Belief
from leaktight.errors import InvalidNumber
from leaktight.exact.matrix import equal_rows
from leaktight.exact.numbers import Array, Number, float_array, fraction, rational
from leaktight.exact.shown import Probability, shown
from leaktight.exact.threads import one_thread
from leaktight.exact.tolerances import TOLERANCES
from leaktight.leakage.value_odds import ValueOdds, channel_odds
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.privacy.breach import Breach
from leaktight.repetition.rounds import Observations, observe

# --- bounds of a right guess, by what n observations cannot tell apart -----------------------
# No output is more than r(x, h) times as likely for input x as for h, so n outputs together are
# not more than r(x, h)^n times. Whatever is seen, prices y ≥ 0 with Σ_h y_h·r(x, h)^(−n) ≥ π_x
# for all x are worth more than the best guess: its chance is at most Σ y. It is the cover bound
# of docs/proofs/cover-bound.md with a ratio for each pair, and costs the same for every n.

MOST_COMPARED = 2**27
"""The most pairs of inputs, times outputs, that are compared."""

SMALLEST = 2.0**-1000
"""Floats below this may have lost digits."""

MOST_SOLVED = 128
"""The most inputs for which the best prices are looked for if those of equality are negative."""


def guaranteed_success(channel: Channel, prior: Distribution, n: int) -> Fraction:
    """Return a chance that the best guess of the input does not exceed after n observations.

    >>> from leaktight.mechanisms.geometric import TruncatedGeometric
    >>> noisy = TruncatedGeometric(range(60), ratio="11/10").channel
    >>> float(guaranteed_success(noisy, Distribution.uniform(60), 3)) < 0.157
    True
    """
    inputs, outputs = channel.shape
    if inputs * inputs * outputs > MOST_COMPARED:
        return Fraction(1)
    matrix = float_array(channel.matrix)
    if ((matrix < SMALLEST) & (channel.matrix != 0)).any():
        return Fraction(1)  # floats would not tell such entries apart
    kept = _kept(matrix, n)
    wanted = float_array(prior.array)
    return min(Fraction(1), *(_worth(prices, kept, wanted) for prices in _prices(kept, wanted)))


def _kept(matrix: Array, n: int) -> Array:
    """Return floats below r(x, h)^(−n), one row for each x."""
    rows = []
    for row in matrix:
        seen = row > 0
        with np.errstate(divide="ignore"):
            least = (matrix[:, seen] / row[seen]).min(axis=1)  # 1/r(x, h)
        rows.append(least)
    # Two roundings to floats and one division each; a power errs by less than n + 2 more.
    shrunk = np.stack(rows) ** n * (1 - (8 * n + 16) * 2.0**-53)
    return np.where(shrunk < SMALLEST, 0.0, shrunk)


@one_thread()
def _prices(kept: Array, wanted: Array) -> list[Array]:
    """Propose prices: the prior itself, those that are just enough everywhere, and the best."""
    proposals = [wanted]
    try:
        equal = np.linalg.solve(kept, wanted)
    except np.linalg.LinAlgError:
        equal = wanted
    if np.isfinite(equal).all():
        proposals.append(np.maximum(equal, 0.0))
    if (equal < 0).any() and len(kept) <= MOST_SOLVED:
        from scipy.optimize import linprog

        found = linprog(np.ones(len(kept)), A_ub=-kept, b_ub=-wanted, method="highs")
        if found.x is not None:
            proposals.append(np.maximum(found.x, 0.0))
    return proposals


def _worth(prices: Array, kept: Array, wanted: Array) -> Fraction:
    """Return the sum of the prices, raised until they are enough everywhere, rounded up."""
    size = len(prices)
    covered = kept @ prices * (1 - (4 * size + 16) * 2.0**-53)
    needed = wanted > 0
    if (covered[needed] <= 0).any():
        return Fraction(1)
    raise_by = (wanted[needed] / covered[needed]).max() * (1 + 2.0**-50)
    total = math.fsum(prices) * raise_by * (1 + 2.0**-50)
    return fraction(rational(total)) if math.isfinite(total) else Fraction(1)


# --- adversaries -----------------------------------------------------------------------------

MOST_TYPES = 2**18
"""The most types, times the inputs, that are gone through for a sentence: about a second."""

MOST_PAIRED = 24
"""The most inputs of which every two are compared after many observations, for a sentence."""

MOST_ENTRIES = 2**16
"""The most entries of a channel in which the output that tells most of each value is looked for."""

MOST_OBSERVED = 2**20
"""The most observations of which is asked whether a threshold is reached."""


class Adversary(ABC):
    """One who guesses: from what a channel shows, or from whatever keeps a promise."""

    __slots__ = ()
    noun = "release"
    """What an observation is called."""
    neighbours = ""
    """Which neighbours a promise is about, if both relations may be meant."""
    is_bounded = True
    """Whether there is a chance to tell, and not only how rarely a belief grows."""

    @abstractmethod
    def chance(self, n: int) -> Probability:
        """How likely the best guess is right after n observations: exactly, or at most."""

    @abstractmethod
    def in_the_end(self) -> Fraction:
        """What the chance tends to with ever more observations."""

    def beliefs(self, times: Iterable[int]) -> tuple[Probability, ...]:
        """The largest probability that a value can have then, where it is bounded."""
        return ()

    def odds_of_values(self, n: int) -> list[ValueOdds]:
        """How far the belief in each value can rise by n observations, where it is bounded."""
        return []

    def outlooks(self, times: Iterable[int], sure: Number) -> tuple[tuple[int, Belief], ...]:
        """What a belief stays below, but rarely, where nothing bounds it for certain."""
        return ()

    # --- what is said of it in a sentence, in about a second ---

    def quick_chance(self, n: int) -> Probability:
        """The chance after n observations; a bound where the exact one takes long."""
        return self.chance(n)

    def quick_odds(self) -> list[ValueOdds]:
        """The odds of each value after one observation, unless these take long."""
        return self.odds_of_values(1)

    def most_telling(self) -> Breach | None:
        """The output after which a value is likeliest that has become likelier, if known."""
        return None

    def assumption(self, kept: str, also: str) -> str:
        """What the chance assumes: that a promise is kept."""
        return f"It holds for every mechanism {kept}{also}."

    def keeps_below(self, limit: Fraction) -> tuple[int | float, bool | None]:
        """The most observations that keep the chance below, and whether one more does not."""
        most = self.most_below(limit)
        return most, most < math.inf and self.chance(int(most) + 1).is_exact

    def most_below(self, limit: Fraction) -> int | float:
        """Return the most observations after which the chance is below a limit."""
        self._check(limit)
        return self._most_below(limit)

    def _check(self, limit: Fraction) -> None:
        before = self.chance(0).value
        if before == 1:
            raise InvalidNumber(
                "every guess is right before anything is seen: nothing is kept secret"
            )
        if not before < limit < 1:
            raise InvalidNumber(
                f"the threshold must be above {shown(before)}, the chance before any observation, "
                f"and below 1, got {shown(limit)}"
            )

    def _most_below(self, limit: Fraction) -> int | float:
        """Find it by bisection."""
        if self.chance(1).value >= limit:
            return 0
        if self.in_the_end() <= limit:
            # Nothing but what one observation settles is ever settled for certain.
            return math.inf
        safe, unsafe = 1, 2
        while self.chance(unsafe).value < limit:
            safe, unsafe = unsafe, 2 * unsafe
        while unsafe - safe > 1:
            middle = (safe + unsafe) // 2
            if self.chance(middle).value < limit:
                safe = middle
            else:
                unsafe = middle
        return safe


@dataclass(frozen=True, slots=True)
class ChannelAdversary(Adversary):
    """One who guesses the input of a channel, and sees n independent outputs of it."""

    noun = "observation"
    channel: Channel
    prior: Distribution

    def chance(self, n: int) -> Probability:
        """The chance of the best guess, exact where n outputs can be counted exactly."""
        if n == 0:
            return Probability(0, fraction(self.prior.array.max()), True)
        if n == 1:
            once = posterior_vulnerability(self.channel, self.prior)
            return Probability(1, fraction(rational(once)), True)
        from leaktight.repetition.success import success_probability

        found = success_probability(self.channel, self.prior, n)
        upper = fraction(rational(found.upper))
        return Probability(n, upper, upper == fraction(rational(found.lower)))

    def odds_of_values(self, n: int) -> list[ValueOdds]:
        """How far one observation raises the belief in each input, exactly; of more, nothing."""
        return channel_odds(self.channel, self.prior) if n == 1 else []

    def in_the_end(self) -> Fraction:
        """What the chance tends to: inputs with equal rows are never told apart."""
        best: dict[int, fmpq] = {}
        for row, chance in zip(equal_rows(self.channel.matrix), self.prior.array, strict=True):
            best[row] = max(chance, best.get(row, fmpq(0)))
        return fraction(sum(best.values(), fmpq(0)))

    def quick_chance(self, n: int) -> Probability:
        """The chance after n observations; a bound where the exact one takes long."""
        if n == 1 or is_quick(self._seen(), n):
            return self.chance(n)
        bounds = [guaranteed_success(self.channel, self.prior, n)]
        if len(self.channel.inputs) <= MOST_PAIRED:
            from leaktight.repetition.likelihood_bounds import success_bounds

            pairs = success_bounds(self.channel, self.prior, n)
            bounds.append(fraction(rational(pairs.upper)))
        return Probability(n, min(bounds), False)

    def quick_odds(self) -> list[ValueOdds]:
        """The odds of each value, unless so many things can be seen that it takes long."""
        return [] if prod(self.channel.shape) > MOST_ENTRIES else self.odds_of_values(1)

    def assumption(self, kept: str, also: str) -> str:
        """Nothing: the channel is known."""
        return ""

    def keeps_below(self, limit: Fraction) -> tuple[int | float, bool | None]:
        """The same, up to as many observations as are quickly gone through."""
        from leaktight.repetition.curve import falls_short, observations_needed

        if limit < self.in_the_end():
            reach, seen = 1, self._seen()
            while reach < MOST_OBSERVED and is_quick(seen, 2 * reach):
                reach *= 2
            if falls_short(self.channel, self.prior, reach, success=limit):
                return reach, None
        self._check(limit)
        needed = observations_needed(self.channel, self.prior, success=limit)
        return needed.lower - 1, needed.lower == needed.upper < math.inf

    def _most_below(self, limit: Fraction) -> int | float:
        from leaktight.repetition.curve import observations_needed

        return observations_needed(self.channel, self.prior, success=limit).lower - 1

    def _seen(self) -> Observations:
        return observe(self.channel, self.prior)

    def most_telling(self) -> Breach | None:
        """Return the output after which an input is likeliest that has become likelier."""
        channel, before = self.channel, self.prior.array
        joined = float_array(before)[:, None] * float_array(channel.matrix)
        outer = joined.sum(axis=0)
        inner = np.divide(joined, outer, out=np.zeros_like(joined), where=outer > 0)
        maybe = inner >= float_array(before)[:, None] * (1 - TOLERANCES.entry)
        # Floats propose: a largest one is among those that are so up to rounding and have risen.
        for least in (inner[maybe].max(initial=0.0) * (1 - TOLERANCES.entry), 0.0):
            found = [self._told(x, z) for x, z in np.argwhere(maybe & (inner >= least)).tolist()]
            if risen := [told for told in found if told.after > told.before]:
                return max(risen, key=lambda told: (told.after, told.chance))
        return None

    def _told(self, x: int, z: int) -> Breach:
        """Return what an output tells of an input, exactly."""
        channel, prior = self.channel, self.prior.array
        column = prior * channel.matrix[:, z]
        chance = column.sum()
        after = column[x] / chance if chance else prior[x]
        own = channel.inputs[x]
        ends = fraction(prior[x]), fraction(rational(after)), fraction(rational(chance))
        return Breach(repr(own), (own,), channel.outputs[z], *ends)


def is_quick(seen: Observations, n: int) -> bool:
    """Say whether what n rounds of observations tell is found in about a second."""
    from leaktight.repetition.types import TypeClasses

    return n == 1 or TypeClasses.of(seen.rounds(n).parts).count * len(seen) <= MOST_TYPES
