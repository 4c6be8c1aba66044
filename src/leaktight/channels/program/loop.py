"""Loops whose state is all that matters: where each ends, and how likely.

A loop whose step depends on nothing but its state is a Markov chain. Paths that come to the same
state are one from there on, and a loop without a bound is a system of equations.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

from flint import fmpq, fmpz

from leaktight.channels.program.paths import Budget, Outcome, Stop
from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.equations import solve_equations

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
