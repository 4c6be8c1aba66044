"""Random choices of a program, and what it shows on the way.

A program takes its random choices from a :class:`Chance`, which makes each of them every possible
way, in a run for each.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from flint import fmpq

from leaktight.channels.distribution import Distribution
from leaktight.channels.program.loop import after_steps, at_the_end
from leaktight.channels.program.paths import (
    Budget,
    Options,
    Outcome,
    Program,
    Run,
    Stop,
    check_hashable,
    every_path,
    merged,
)
from leaktight.errors import InvalidDistribution, InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.matrix import as_mapping
from leaktight.exact.numbers import Number, as_printed
from leaktight.exact.shown import shown

State = TypeVar("State", bound=Hashable)

WHOLE = (int, np.integer)
"""The types of whole numbers; made once, because a choice is made on every path."""


class Chance:
    """The random choices of a program, and what an observer sees of it on the way.

    It is the second argument of a program that is given to :func:`leaktight.channel_of`. All
    probabilities are exact; a float is taken as the decimal number that it prints as: 0.1 is 1/10.
    Values to choose from, states and outputs that are equal in Python, such as 1 and True, are one.

    >>> from leaktight.channels.program.program import channel_of
    >>> def respond(answer, chance):
    ...     return answer if chance.flip("2/3") else chance.uniform(["no", "yes"])
    >>> channel_of(respond, ["no", "yes"])
    exact channel, 2 inputs × 2 outputs
          no  yes
     no  5/6  1/6
    yes  1/6  5/6
    """

    __slots__ = ("_budget", "_coins", "_run")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._coins: dict[tuple[type, Any], Options] = {}
        self._run: Run = _OUTSIDE

    def flip(self, p: Number = "1/2") -> bool:
        """Return True with probability ``p``, False otherwise."""
        return self._run.choose("flip", p, self._coin)

    def uniform(self, values: Iterable[Any] | int) -> Any:
        """Return one of ``values``, all alike; a number n stands for 0, …, n−1.

        A value that is listed twice is twice as likely.
        """
        if not isinstance(values, WHOLE):
            if not isinstance(values, Iterable):
                raise InvalidDistribution(f"a uniform choice needs values, got {values!r:.60}")
            values = tuple(values)
        return self._run.choose("uniform", values, _alike, self._budget)

    def choose(self, distribution: Distribution | Mapping[Any, Any]) -> Any:
        """Return one of the values of a distribution, or of a mapping to probabilities."""
        if isinstance(distribution, Distribution):
            return self._run.choose("choose", distribution, _of_distribution)
        if (named := as_mapping(distribution)) is None:
            raise InvalidDistribution(
                f"expected a Distribution or a mapping of probabilities, got {distribution!r:.60}"
            )
        return self._run.choose("choose", tuple(named.items()), _of_items)

    def observe(self, value: Hashable) -> None:
        """Show ``value`` to the observer, after what was shown before."""
        check_hashable(value, "what is observed")
        self._run.observe(value)

    def loop(
        self,
        step: Callable[[State], State],
        state: State,
        *,
        times: int | None = None,
        until: Callable[[State], bool] | None = None,
    ) -> State:
        """Return the state after so many steps, or the first one that is ``until``.

        It does what ``for _ in range(times)`` or ``while not until(state)`` does around
        ``state = step(state)``, but paths that come to the same state are one from there on, and a
        loop without a bound is solved exactly, as a Markov chain. So ``step`` may use chance, but
        must not depend on anything that changes other than its argument. What it observes counts
        as part of the state.

        >>> from leaktight.channels.program.program import channel_of
        >>> def heads(tosses, chance):
        ...     return chance.loop(lambda n: n + chance.flip(), 0, times=tosses)
        >>> channel_of(heads, [10, 100])[100, 2] * 2**100  # 100 choose 2, of 2^100 paths
        Fraction(4950, 1)

        >>> def ruin(start, chance):
        ...     bet = lambda money: money + (1 if chance.flip("2/5") else -1)
        ...     return chance.loop(bet, start, until=lambda money: money in (0, 4))
        >>> channel_of(ruin, [1, 2, 3])[2, 4]
        Fraction(4, 13)
        """
        if (times is None) == (until is None):
            raise InvalidInput("a loop needs exactly one of times= and until=")
        if times is not None and (not isinstance(times, int | np.integer) or times < 0):
            raise InvalidNumber(f"times= must be a whole number from 0 up, got {times!r:.60}")
        check_hashable(state, "the state of a loop")
        trace, final = self._run.choose("loop", (state, times), self._ends, step, until)
        self._run.trace.extend(trace)
        return final

    def merge(self, part: Callable[[], Any]) -> Any:
        """Return what a part of the program returns; how it came about is forgotten.

        Its paths with equal results are one from there on. Like a step of a loop, it must change
        nothing outside of it.

        >>> from leaktight.channels.program.program import channel_of
        >>> def compare(x, chance):
        ...     return chance.merge(lambda: x + chance.uniform(1000) > 500)
        >>> channel_of(compare, [0, 100])[100, True]
        Fraction(599, 1000)
        """
        return self.loop(lambda _: part(), None, times=1)

    def _ends(
        self, asked: tuple[Any, int | None], step: Callable[[Any], Any], until: Callable[[Any], Any]
    ) -> Options:
        """Return what was observed in a loop and its last state, with probabilities."""
        state, times = asked
        known: dict[Any, dict[Outcome, fmpq]] = {}

        def one_step(state: Any) -> dict[Outcome, fmpq]:
            if state not in known:
                known[state] = merged(every_path(playing(self, step, state), self._budget))
            return known[state]

        if times is not None:
            ends = after_steps(one_step, state, times, self._budget)
        else:
            done = lambda state: playing(self, until, state)(_OUTSIDE)  # noqa: E731
            ends = at_the_end(one_step, state, done, self._budget)
        return list(ends.items())

    def _coin(self, p: Number) -> Options:
        try:
            return self._coins[type(p), p]
        except (KeyError, TypeError):
            heads = as_printed(p)
        if not 0 <= heads <= 1:
            raise InvalidNumber(
                f"the probability of a flip must be from 0 to 1, got {shown(heads)}"
            )
        options = _possible(((True, heads), (False, 1 - heads)))
        self._coins[type(p), p] = options
        return options


def playing(chance: Chance, program: Callable[..., Any], *arguments: Any) -> Program:
    """Return the call of ``program`` as something whose random choices a run makes."""

    def play(run: Run) -> Any:
        before, chance._run = chance._run, run
        try:
            return program(*arguments)
        finally:
            chance._run = before

    return play


class _Outside(Run):
    """What there is while no program runs: nothing may be chosen or observed."""

    def choose(self, name: str, argument: Any, read: Callable[..., Options], *more: Any) -> Any:
        raise InvalidInput(
            "chance may be used only while its program runs, and not in until= of a loop, "
            f"got {name}({argument!r:.60})"
        )

    def observe(self, value: Hashable) -> None:
        self.choose("observe", value, list)


_OUTSIDE = _Outside([], lambda *_: None, 0)


# --- what a choice may give ----------------------------------------------------------------


def _alike(values: Any, budget: Budget) -> Options:
    whole = isinstance(values, WHOLE)
    if (many := values if whole else len(values)) > budget.most_paths:
        raise Stop(
            TooLarge,
            f"makes a uniform choice of {many:,} values, more than {budget.most_paths:,} paths",
        )
    listed = range(values) if whole else values
    if not listed:
        raise InvalidDistribution("a uniform choice needs at least one value, got none")
    for value in listed:
        check_hashable(value, "a value to choose from")
    return [(value, fmpq(times, len(listed))) for value, times in Counter(listed).items()]


def _of_items(items: tuple[tuple[Any, Any], ...]) -> Options:
    numbers = [as_printed(p) for _, p in items]
    if (whole := sum(numbers, fmpq(0))) != 1:
        raise InvalidDistribution(
            "the probabilities of a choice must sum to 1, a float being the decimal number that it "
            f"prints as, got {whole!s:.60}; write '1/3', or use Distribution(…).exact()"
        )
    return _of_distribution(Distribution(numbers, [value for value, _ in items]))


def _of_distribution(distribution: Distribution) -> Options:
    if not distribution.is_exact:
        return _of_items(tuple(distribution.items()))
    return _possible(zip(distribution.values, distribution.array, strict=True))


def _possible(options: Iterable[tuple[Any, fmpq]]) -> Options:
    return [(value, share) for value, share in options if share]
