"""What the best guess earns or costs, over all types that can be seen.

The guesses are right for every type. What goes with them is summed exactly, or in floating point
with a bound on the error.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from flint import fmpq, fmpz

from leaktight.errors import TooLarge
from leaktight.exact.numbers import Array, rational
from leaktight.exact.shown import counted
from leaktight.repetition.types.likelihoods import NEVER, STRIDE, Likelihoods
from leaktight.repetition.types.numerators import Numerators
from leaktight.repetition.types.stakes import TINY, Guessing, Stakes
from leaktight.repetition.types.type_classes import Counts, Floats, Lines, TypeClasses

Method = Literal["types", "certified floats", "bounds"]
"""How a number was found: exactly, in floating point with its error, or only bounded."""

FEW = 2**10
"""If there are so few types, times the classes of secrets, exact numbers are as quick as floats."""

MOST_TYPES = 2**26
"""The most types, times the classes of secrets or the guesses, that are gone through: seconds."""

MOST_HANDLED = 2**33
"""The most bits of exact numbers that are handled: seconds again. Beyond, floats are summed."""

MOST_HELD = 2**31
"""The most bits of exact numbers that are held at once: 256 megabytes."""

STEP = 4
"""How many types can be gone through while one number is added to a table."""

OVERHEAD = 256
"""How many bits could be handled while one exact number is made."""

UNIT = fmpq(1, 2**53)
"""How far, relatively, one rounding of a float can be off."""

LOWEST = -1200
"""No float reaches down to this power of 2."""

RUN = 256
"""How many floats are summed at once, before the sums are summed without error."""


def sum_over_types(
    types: TypeClasses,
    stakes: Guessing | Stakes,
    exact: bool,
    likelihoods: Likelihoods | None = None,
) -> tuple[fmpq, fmpq, Method]:
    """Return numbers between which the expected sum lies, equal if it is known exactly.

    ``likelihoods`` may be given where they are at hand, for as many observations or more.
    """
    if not types.parts:
        earned, entries = stakes.by_guess()
        guess = int(stakes.settle(np.full((stakes.classes, 1), fmpz(1), dtype=object))[0])
        value = earned + sum((more for _, more in entries[guess]), fmpq(0))
        return value, value, "types"
    if exact and types.count * stakes.exact_width <= FEW:
        value = listed_sum(types, stakes)
        return value, value, "types"
    if not is_affordable(types, stakes.width):
        raise TooLarge(
            f"{counted(types.count, 'type', 'types')} of "
            f"{counted(sum(n for _, n in types.parts), 'observation', 'observations')} are too "
            f"many to go through for {len(types.parts[0][0])} secrets; observe less often"
        )
    likelihoods = Likelihoods.of(types) if likelihoods is None else likelihoods
    if exact and _is_exactly_affordable(types):
        value = exact_sum(types, stakes, likelihoods)
        return value, value, "types"
    return *enclosed_sum(types, stakes, likelihoods), "certified floats"


def is_affordable(types: TypeClasses, width: int) -> bool:
    """Say whether the types can be gone through in seconds, if each is so much work."""
    tables = STEP * len(types.parts[0][0]) * sum(types.times) if types.parts else 0
    return types.count * width + tables <= MOST_TYPES


def _is_exactly_affordable(types: TypeClasses) -> bool:
    """Say whether an exact sum takes seconds only, too."""
    matrix, n = types.parts[-1]
    longest = Numerators.of(types).bits
    series = n if matrix.shape[1] == 2 else n * n // 2
    numbers = series + types.line_count * (len(types.times) + 4)
    held, handled = n * longest, numbers * (OVERHEAD + longest)
    return len(matrix) * held <= MOST_HELD and len(matrix) * handled <= MOST_HANDLED


# --- the sums ------------------------------------------------------------------------------


def listed_sum(types: TypeClasses, stakes: Guessing | Stakes) -> fmpq:
    """Return the sum, all types listed and decided in exact numbers."""
    numbers, counts = Numerators.of(types), types.listed()
    chances = numbers.sequences(counts)
    guess = stakes.settle(chances)
    masses = chances * numbers.ways(counts)
    value, entries = stakes.by_guess()
    common = math.prod(d**n for d, n in zip(numbers.common(), numbers.times, strict=True))
    for w in np.unique(guess).tolist():
        for c, more in entries[w]:
            value += more * masses[c, guess == w].sum() / common
    return value


def exact_sum(types: TypeClasses, stakes: Guessing | Stakes, likelihoods: Likelihoods) -> fmpq:
    """Return the sum, taken over stretches of lines with the same guess."""
    numbers = Numerators.of(types)
    value, entries = stakes.by_guess()
    wanted = sorted({c for each in entries.values() for c, _ in each})
    sums = {(w, c): fmpz(0) for w, each in entries.items() for c, _ in each}
    running: dict[int, Array] = {}
    r = -1
    for block in _decided(types, stakes, likelihoods, numbers):
        if block.lines.r != r:
            r = block.lines.r
            running = {c: numbers.running_sums(c, r, running.get(c)) for c in wanted}
        line, start, stop, guess = _stretches(block.guess, r + 1)
        prefixes = numbers.prefixes(block.lines, wanted)
        for w in np.unique(guess).tolist():
            of_w = guess == w
            for c, _ in entries[w]:
                stretch = running[c][stop[of_w]] - running[c][start[of_w]]
                sums[w, c] += (prefixes[c][line[of_w]] * stretch).sum()
    whole = numbers.whole()
    for w, each in entries.items():
        value += sum((more * sums[w, c] / whole[c] for c, more in each), fmpq(0))
    return value


def enclosed_sum(
    types: TypeClasses, stakes: Guessing | Stakes, likelihoods: Likelihoods
) -> tuple[fmpq, fmpq]:
    """Return numbers below and above the sum, which is taken in floating point.

    The error is bounded in docs/proofs/repetition.md. If what is summed is what the guess costs,
    guesses that floats cannot tell apart are as good as each other, but for some more rounding.
    """
    value, numbers = fmpq(0), None if stakes.pays_the_cost else Numerators.of(types)
    for block in _decided(types, stakes, likelihoods, numbers):
        fraction, exponent = np.frexp(stakes.earned(block.chances, block.guess))
        exponent = np.where(fraction > 0, exponent + block.shift, NEVER)
        if (highest := int(exponent.max())) > NEVER:
            scaled = np.ldexp(fraction, np.maximum(exponent - highest, LOWEST).astype(np.int32))
            partial = np.add.reduceat(scaled, np.arange(0, scaled.size, RUN))
            value += rational(math.fsum(partial.tolist())) * fmpq(2) ** highest
    slack, lost = 2 * (_roundings(types) + RUN) * UNIT, 5 * stakes.classes**2 * rational(TINY)
    worse = 5 * _roundings(types) * UNIT if numbers is None else 0
    low, high = value * (1 - slack - worse) - lost, value * (1 + slack) + lost
    return max(low, fmpq(0)) * stakes.scale, high * stakes.scale


# --- the guesses ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Decided:
    """Some types, with the chance of each for each class, and the best guess."""

    lines: Lines
    chances: Floats
    """A row per class, a column per type; to be multiplied by 2^shift."""
    shift: Counts
    guess: Counts


def _decided(
    types: TypeClasses,
    stakes: Guessing | Stakes,
    likelihoods: Likelihoods,
    numbers: Numerators | None,
) -> Iterator[_Decided]:
    """Go through all types in blocks, and find the best guess for each.

    Where floats cannot tell, ``numbers`` decide; without them it is one of those that may be best.
    """
    margin = 1 + float(4 * _roundings(types) * UNIT)
    for lines in types.lines(stakes.width):
        scaled = likelihoods.on(lines, [n for _, n in types.parts])
        fraction = scaled.fraction.reshape(stakes.classes, -1)
        exponent = scaled.exponent.reshape(fraction.shape)
        shift = exponent.max(axis=0)
        down = np.maximum(exponent - shift, LOWEST).astype(np.int32)
        chances = np.ldexp(fraction, down)
        guess, unsure = stakes.choose(chances, margin)
        if numbers is not None and (at := np.flatnonzero(unsure & (shift > NEVER // 2))).size:
            guess[at] = stakes.settle(numbers.sequences(lines.of_types(at)))
        yield _Decided(lines, chances, shift, guess)


def _roundings(types: TypeClasses) -> int:
    """Count the roundings in the chance of a type, and in a sum of such over all classes."""
    return (3 * STRIDE + 1) * (len(types.times) + len(types.parts)) + len(types.parts[0][0]) + 4


def _stretches(guess: Counts, width: int) -> tuple[Counts, Counts, Counts, Counts]:
    """Return where the same guess follows itself: the line, from where to where, and the guess."""
    changes = np.flatnonzero(guess[1:] != guess[:-1]) + 1
    starts = np.union1d(changes, np.arange(0, guess.size, width))
    lengths = np.diff(starts, append=guess.size)
    line, start = np.divmod(starts, width)
    return line, start, start + lengths, guess[starts]
