"""Loops that merge states, against plain loops, cascades of channels and formulas."""

import functools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.program import Chance, channel_of
from leaktight.channels.program.program import truncated_channel_of
from leaktight.errors import InvalidInput, TooLarge
from tests.channels.test_program import entries, shares
from tests.strategies.channels import channels

HALF = Fraction(1, 2)


@settings(deadline=None, max_examples=40)
@given(channels(inputs=3, outputs=3), st.integers(0, 5))
def test_a_counted_loop_is_a_plain_one_and_a_cascade(chain: Channel, times: int) -> None:
    def plain(state: int, chance: Chance) -> int:
        for _ in range(times):
            state = chance.choose(chain.row(state))
        return state

    def merging(state: int, chance: Chance) -> int:
        return chance.loop(lambda s: chance.choose(chain.row(s)), state, times=times)

    cascade = functools.reduce(Channel.then, [chain] * times, Channel.identity(3))
    assert channel_of(merging, 3) == channel_of(plain, 3)
    assert entries(channel_of(merging, 3)) == entries(cascade)


@settings(deadline=None, max_examples=40)
@given(channels(inputs=3, outputs=3), st.integers(0, 4))
def test_what_a_loop_observes_is_kept_apart(chain: Channel, times: int) -> None:
    def step(state: int, chance: Chance) -> int:
        if state:
            chance.observe(state)
        return chance.choose(chain.row(state))

    def plain(state: int, chance: Chance) -> None:
        for _ in range(times):
            state = step(state, chance)

    def merging(state: int, chance: Chance) -> None:
        chance.observe("before")
        chance.loop(lambda s: step(s, chance), state, times=times)
        chance.observe("after")

    bare = channel_of(merging, 3).merge(lambda seen: (seen[0][1:-1], None))
    found = channel_of(plain, 3)
    if found.outputs == (None,):  # nothing was ever observed
        assert bare.outputs == (((), None),)
    else:
        assert entries(bare) == entries(found)


@settings(deadline=None, max_examples=40)
@given(st.lists(shares(5), min_size=3, max_size=3))
def test_a_loop_without_a_bound_lies_between_what_its_likely_paths_show(
    rows: list[list[Fraction]],
) -> None:
    rows = [[(p + Fraction(1, 5)) / 2 for p in row] for row in rows]  # every state is reached

    def plain(state: int, chance: Chance) -> int:
        while state < 3:
            state = chance.choose(dict(enumerate(rows[state])))
        return state

    def solved(state: int, chance: Chance) -> int:
        step = lambda s: chance.choose(dict(enumerate(rows[s])))  # noqa: E731
        return chance.loop(step, state, until=lambda s: s >= 3)

    exact = channel_of(solved, 5)
    for x in range(3):  # one step, and then from where it led
        for z in (3, 4):
            assert exact[x, z] == sum(p * Fraction(exact[y, z]) for y, p in enumerate(rows[x]))
    assert exact[3, 3] == exact[4, 4] == 1
    cut = truncated_channel_of(plain, 3, most_paths=40)
    for x in range(3):
        for z in (3, 4):
            assert cut.channel[x, z] <= exact[x, z] <= cut.channel[x, z] + cut.unaccounted[x]


@pytest.mark.parametrize("p", ["1/2", "2/5", "9/10"])
def test_gamblers_ruin_is_solved_exactly(p: str) -> None:
    """From i of n, with r = (1−p)/p, all is won with probability (1 − r^i)/(1 − r^n)."""
    n, r = 7, (1 - Fraction(p)) / Fraction(p)

    def ruin(money: int, chance: Chance) -> str:
        bet = lambda m: m + (1 if chance.flip(p) else -1)  # noqa: E731
        return "won" if chance.loop(bet, money, until=lambda m: m in (0, n)) else "lost"

    channel = channel_of(ruin, range(1, n))
    for i in range(1, n):
        assert channel[i, "won"] == (Fraction(i, n) if r == 1 else (1 - r**i) / (1 - r**n))


def test_many_coins_that_merge_are_the_binomial_distribution() -> None:
    def plain(n: int, chance: Chance) -> int:
        return sum(chance.flip("1/3") for _ in range(n))

    def merging(n: int, chance: Chance) -> int:
        return chance.loop(lambda heads: heads + chance.flip("1/3"), 0, times=n)

    assert channel_of(plain, [0, 1, 11]) == channel_of(merging, [0, 1, 11])
    channel = channel_of(merging, [60])  # 2^60 paths
    for k in range(61):
        assert channel[60, k] == math.comb(60, k) * Fraction(2 ** (60 - k), 3**60)


def test_what_a_loop_without_a_bound_observes_at_its_end_is_kept() -> None:
    def duel(x: int, chance: Chance) -> None:
        def shot(turn: int) -> int:
            if chance.flip("1/3"):
                chance.observe(("hit by", turn % 2))
                return -1
            return (turn + 1) % 2

        chance.loop(shot, x, until=lambda turn: turn < 0)

    channel = channel_of(duel, 2)  # p = 1/3 + (2/3)²p
    hits = [((("hit by", turn),), None) for turn in range(2)]
    assert channel[0, hits[0]] == channel[1, hits[1]] == Fraction(3, 5)


def test_a_loop_may_stand_within_a_loop_and_within_a_branch() -> None:
    def nested(x: int, chance: Chance) -> int:
        if chance.flip("1/4"):
            return -1
        toss = lambda n: n + chance.flip()  # noqa: E731
        return chance.loop(lambda n: chance.loop(toss, n, times=2), x, times=3)

    channel = channel_of(nested, 2)
    assert channel[0, -1] == Fraction(1, 4)
    for k in range(7):
        assert channel[1, 1 + k] == Fraction(3 * math.comb(6, k), 4 * 64)


def test_a_loop_that_is_done_makes_no_step() -> None:
    def never(state: int) -> int:
        raise AssertionError("a step")

    program = lambda x, chance: chance.loop(never, x, until=lambda s: True)  # noqa: E731
    assert channel_of(program, 2) == Channel.identity(2)
    assert channel_of(lambda x, chance: chance.loop(never, x, times=0), 2) == Channel.identity(2)


def test_a_long_loop_costs_no_more_than_its_states() -> None:
    def parity(x: int, chance: Chance) -> int:
        return chance.loop(lambda s: s ^ chance.flip("1/4"), x, times=2000)

    bias = Fraction(1, 2**2000)  # (1 − 2·1/4)^2000
    assert channel_of(parity, 2)[0, 0] == (1 + bias) / 2


def test_a_part_that_is_merged_forgets_how_its_result_came_about() -> None:
    def above(x: int, chance: Chance) -> tuple[bool, ...]:
        noisy = lambda: x + chance.uniform(100) >= 60  # noqa: E731
        return tuple(chance.merge(noisy) for _ in range(4))  # 16 paths, not 100 million

    channel = channel_of(above, [0, 10], most_paths=2000)
    assert channel[10, (True, False, True, True)] == HALF**4
    assert channel[0, (True, False, False, True)] == Fraction(2, 5) ** 2 * Fraction(3, 5) ** 2


def test_loops_that_are_too_large_are_refused() -> None:
    def counts(x: int, chance: Chance) -> Any:
        return chance.loop(lambda n: n + 1, 0, until=lambda n: False)

    def shows(x: int, chance: Chance) -> Any:
        def step(done: bool) -> bool:
            chance.observe("again")
            return chance.flip()

        return chance.loop(step, False, until=bool)

    def shows_much(x: int, chance: Chance) -> Any:
        return chance.loop(lambda _: chance.observe(chance.flip()), None, times=12)

    with pytest.raises(TooLarge, match="more than 1,000 paths"):
        channel_of(counts, 1, most_paths=1000)
    with pytest.raises(TooLarge, match="observes more than 50 things in one loop"):
        channel_of(shows, 1, most_choices=50)
    with pytest.raises(TooLarge, match="more than 1,000 states, what it observes included"):
        channel_of(shows_much, 1, most_paths=1000)
    assert channel_of(shows_much, 1, most_paths=5000).shape == (1, 2**12)
    either = lambda x, chance: chance.flip("1/4") and counts(x, chance)  # noqa: E731
    assert truncated_channel_of(either, 1, most_paths=1000).channel[0, False] == Fraction(3, 4)


def test_a_loop_that_never_ends_from_some_state_is_refused() -> None:
    def trap(x: int, chance: Chance) -> str:
        step = lambda s: chance.uniform(["end", "trap"]) if s == "go" else "trap"  # noqa: E731
        return chance.loop(step, "go", until=lambda s: s == "end")

    with pytest.raises(InvalidInput, match="never does from state 'trap'"):
        channel_of(trap, 1)
