"""A program with coins as an exact channel.

A person would run the program on all sequences of coins. If there is a path for each of them, that
is the least it can cost; where many paths come to the same state, ``chance.loop`` follows states
instead, also without a bound on the number of steps. For a loop without a bound, a person would
solve the Markov chain in floats.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case

Row = dict[Any, Any]


class Fallen:
    """Coins that fell already."""

    def __init__(self, coins: tuple[bool, ...]) -> None:
        self.coins: Iterator[bool] = iter(coins)

    def flip(self) -> bool:
        """Return the next one."""
        return next(self.coins)


def heads(coins: int, chance: lt.Chance | Fallen) -> int:
    """Count heads, on a path for each sequence of coins."""
    return sum(chance.flip() for _ in range(coins))


def merging(coins: int, chance: lt.Chance) -> int:
    """Count heads; paths with equally many are one."""
    return chance.loop(lambda found: found + chance.flip(), 0, times=coins)


def crowd(members: int, chance: lt.Chance) -> int:
    """Whom does the one corrupted member of Crowds see? 0 if nobody; as many states as members."""

    def hop(state: tuple[int, str]) -> tuple[int, str]:
        return hopped(state[0], chance.uniform(members), chance.flip("3/4"))

    last, how = chance.loop(hop, (1, "on"), until=lambda state: state[1] != "on")
    return last if how == "seen" else 0


def hopped(last: int, reached: int, further: bool) -> tuple[int, str]:
    """Return who has the message now, and what becomes of it."""
    if reached == 0:
        return last, "seen"
    return reached, "on" if further else "sent"


def enumeration(coins: int) -> Row:
    """Run the program on all sequences."""
    found: dict[int, int] = {}
    for fallen in product((True, False), repeat=coins):
        result = heads(coins, Fallen(fallen))
        found[result] = found.get(result, 0) + 1
    return {result: Fraction(times, 2**coins) for result, times in found.items()}


def markov(members: int) -> dict[int, float]:
    """Go through all hops from each state, and solve for the expected visits in floats."""
    moves, seen = np.zeros((members, members)), np.zeros(members)
    for last, reached, further in product(range(1, members), range(members), (True, False)):
        result, how = hopped(last, reached, further)
        chance = (3 / 4 if further else 1 / 4) / members
        if how == "on":
            moves[last, result] += chance
        elif how == "seen":
            seen[result] += chance
    visits = np.linalg.solve(np.eye(members) - moves.T, np.eye(members)[1])
    found = dict(enumerate((visits * seen)[1:].tolist(), start=1))
    return {**found, 0: 1 - sum(found.values())}


def channel_of(program: Callable[..., Any]) -> Callable[[int], Row]:
    """Return the way that makes the channel of a program."""
    return lambda n: dict(lt.channel_of(program, [n]).row(n).items())


def binomial(answers: Mapping[str, Row]) -> str:
    """Demand the binomial distribution."""
    found = answers["leaktight"]
    n = len(found) - 1
    assert found == {k: Fraction(comb(n, k), 2**n) for k in range(n + 1)}, answers
    return "exactly the binomial distribution"


def nearly(answers: Mapping[str, Any]) -> str:
    """Demand that ours is a distribution, and say how far the floats are from it."""
    exact, floats = answers["leaktight"], answers["enumeration"]
    assert sum(exact.values()) == 1, answers
    assert exact.keys() == floats.keys(), answers
    error = max(abs(Fraction(floats[who]) - exact[who]) for who in exact)
    assert error <= 1e-9, answers
    return f"ours exact; the other off by {float(error):.0e}"


CASES = (
    Case(
        task="channel of a program with {n} coins, states merged",
        sizes=(6, 10, 14, 16),
        prepare=int,
        ways={"leaktight": channel_of(merging), "enumeration": enumeration},
        scale_name="coins",
    ),
    Case(
        task="channel of a program with {n} coins, states merged, many coins",
        sizes=(50, 100, 200, 400),
        prepare=int,
        ways={"leaktight": channel_of(merging)},
        agree=binomial,
        scale_name="coins",
    ),
    Case(
        task="channel of a program with {n} coins, path by path",
        sizes=(6, 10, 14, 16),
        prepare=int,
        ways={"leaktight": channel_of(heads), "enumeration": enumeration},
        limit="enumeration",
        scale=lambda n: 2.0**n,
        scale_name="paths",
        note="enumeration must be told how many coins there are; we find out",
    ),
    Case(
        task="channel of a loop without a bound, {n} states",
        sizes=(10, 30, 100),
        prepare=int,
        ways={"leaktight": channel_of(crowd), "enumeration": markov},
        agree=nearly,
        scale_name="states",
        note="enumeration is told which choices each step makes, and solves in floats; we find "
        "out, and solve in fractions",
    ),
)
