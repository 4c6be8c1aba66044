"""Random choices of a program, and what it shows on the way.

A program takes its random choices from a :class:`Chance`, which makes each of them every possible
way, in a run for each.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
from flint import fmpq, fmpz

from leaktight.channels.distribution import Distribution
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
from leaktight.exact.equations import solve_equations
from leaktight.exact.matrix import as_mapping
from leaktight.exact.numbers import Number, as_printed
from leaktight.exact.shown import shown

# --- loops whose state is all that matters: where each ends, and how likely ------------------
# A loop whose step depends on nothing but its state is a Markov chain. Paths that come to the
# same state are one from there on, and a loop without a bound is a system of equations.

Step: TypeAlias = Callable[[Any], Mapping[Outcome, fmpq]]
"""What is observed in one step from a state and the state after it, each with its probability."""

Row: TypeAlias = list[tuple[Outcome, fmpq]]


def after_steps(step: Step, start: Hashable, times: int, budget: Budget) -> dict[Outcome, fmpq]:
    """Return what was observed and the state after so many steps, with probabilities.

    >>> half = fmpq(1, 2)
    >>> after_steps(lambda n: {((), n): half, ((), n + 1): half}, 0, 2, Budget(100, 100))
    {((), 0): 1/4, ((), 1): 1/2, ((), 2): 1/4}
    """
    now: dict[Outcome, fmpq] = {((), start): fmpq(1)}
    for _ in range(times):
        later: dict[Outcome, fmpq] = {}
        for place, probability in now.items():
            for reached, share in _extended(step, place, budget):
                later[reached] = later.get(reached, 0) + probability * share
        now = later
        _refuse_more(len(now), budget)
    return now


def at_the_end(
    step: Step, start: Hashable, until: Callable[[Any], bool], budget: Budget
) -> dict[Outcome, fmpq]:
    """Return what was observed and the first state that is ``until``, with probabilities.

    The expected number of visits v(s) to the states s where the loop goes on solves
    v(s) = [s is the start] + Σ_r v(r)·P(s|r). It is finite if the end can be reached from all of
    them; then the loop ends in a state with probability Σ_r v(r)·P(state|r).

    >>> half = fmpq(1, 2)
    >>> walk = lambda n: {((), n - 1): half, ((), n + 1): half}
    >>> at_the_end(walk, 1, lambda n: n in (0, 3), Budget(100, 100))
    {((), 0): 2/3, ((), 3): 1/3}
    """
    begin: Outcome = ((), start)
    rows: dict[Outcome, Row] = {}
    ends: dict[Outcome, fmpq] = {}
    waiting = [begin]
    while waiting:
        place = waiting.pop()
        if place in rows or place in ends:
            continue
        if until(place[1]):
            ends[place] = fmpq(0)
        else:
            rows[place] = _extended(step, place, budget)
            waiting.extend(reached for reached, _ in reversed(rows[place]))
        _refuse_more(len(rows) + len(ends), budget)
    if begin in ends:
        return {begin: fmpq(1)}
    _refuse_endless(rows, ends)
    for place, visits in _visits(rows, begin).items():
        for reached, share in rows[place]:
            if reached in ends:
                ends[reached] += visits * share
    return ends


def _extended(step: Step, place: Outcome, budget: Budget) -> Row:
    """Return one step from a place: what is observed in it follows what was observed before."""
    trace, state = place
    if len(trace) > budget.most_choices:
        raise Stop(TooLarge, f"observes more than {budget.most_choices:,} things in one loop")
    return [((trace + more, then), share) for (more, then), share in step(state).items()]


def _refuse_more(places: int, budget: Budget) -> None:
    if places > budget.most_paths:
        raise Stop(
            TooLarge,
            f"has a loop of more than {budget.most_paths:,} states, what it observes included",
        )


def _refuse_endless(rows: Mapping[Outcome, Row], ends: Mapping[Outcome, fmpq]) -> None:
    """Refuse a state from which the end is never reached: it has no outcome."""
    before: dict[Outcome, list[Outcome]] = {}
    for place, row in rows.items():
        for reached, _ in row:
            before.setdefault(reached, []).append(place)
    waiting, ending = list(ends), set(ends)
    while waiting:
        for place in before.get(waiting.pop(), ()):
            if place not in ending:
                ending.add(place)
                waiting.append(place)
    for place in rows:
        if place not in ending:
            raise Stop(
                InvalidInput,
                f"a loop must be able to end, but it never does from state {place[1]!r:.60}",
            )


def _visits(rows: Mapping[Outcome, Row], begin: Outcome) -> dict[Outcome, fmpq]:
    """Return how often the loop is expected to be in each state where it goes on."""
    index = {place: i for i, place in enumerate(rows)}
    columns: list[dict[int, fmpq]] = [{i: fmpq(1)} for i in range(len(rows))]
    for place, row in rows.items():
        for reached, share in row:
            if (at := index.get(reached)) is not None:
                here = index[place]
                columns[at][here] = columns[at].get(here, fmpq(0)) - share
    i, j, values, right = [], [], [], []
    for at, entries in enumerate(columns):
        scale = fmpz(math.lcm(*(int(value.q) for value in entries.values())))
        right.append(fmpq(scale if at == index[begin] else 0))
        for here, value in entries.items():
            if value:
                i.append(at)
                j.append(here)
                values.append((value * scale).p)
    try:
        return dict(zip(rows, solve_equations(i, j, values, right), strict=True))
    except TooLarge as wrong:
        raise Stop(TooLarge, f"has a loop that is too large: {wrong}") from None


# --- programs that draw ----------------------------------------------------------------------

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
