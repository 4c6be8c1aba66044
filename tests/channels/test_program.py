"""Programs against enumerations by hand, loops against the chains and formulas that they are."""

import functools
import itertools
import math
import operator
import random
from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.program import Chance, channel_of
from leaktight.channels.program.program import (
    UNFINISHED,
    AnyProgram,
    TruncatedChannel,
    truncated_channel_of,
)
from leaktight.errors import (
    InvalidChannel,
    InvalidDistribution,
    InvalidInput,
    InvalidNumber,
    TooLarge,
)
from leaktight.leakage.capacity import min_capacity
from leaktight.leakage.vulnerability import posterior_vulnerability
from leaktight.policies.constraint import count
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import counting_query
from leaktight.privacy.level import privacy_level
from tests.strategies.channels import weights

HALF = Fraction(1, 2)


def entries(channel: Channel) -> dict[Any, Fraction]:
    """The positive probabilities, by input and output."""
    pairs = itertools.product(channel.inputs, channel.outputs)
    return {pair: Fraction(channel[pair]) for pair in pairs if channel[pair]}


# --- random programs -----------------------------------------------------------------------

Tree = Any
"""A leaf, ("choose", probabilities, branches) or ("observe", value, branch)."""


@st.composite
def shares(draw: st.DrawFn, size: int) -> list[Fraction]:
    row = draw(weights(size))
    return [Fraction(weight, sum(row)) for weight in row]


def trees(depth: int) -> st.SearchStrategy[Tree]:
    leaf = st.one_of(st.none(), st.integers(0, 3))
    if depth == 0:
        return leaf
    below = trees(depth - 1)
    branching = st.integers(2, 3).flatmap(
        lambda n: st.tuples(st.just("choose"), shares(n), st.tuples(*[below] * n))
    )
    observing = st.tuples(st.just("observe"), st.integers(0, 1), below)
    return st.one_of(leaf, branching, branching, observing)


def follow(tree: Tree, chance: Chance) -> Hashable:
    """Interpret a tree, by every kind of choice that fits."""
    if not isinstance(tree, tuple):
        return tree
    kind, first, second = tree
    if kind == "observe":
        chance.observe(first)
        return follow(second, chance)
    if len(first) == 2:
        return follow(second[0 if chance.flip(first[0]) else 1], chance)
    if len(set(first)) == 1:
        return follow(second[chance.uniform(3)], chance)
    return follow(second[chance.choose(dict(enumerate(first)))], chance)


def enumerated(tree: Tree, depth: int) -> dict[tuple[tuple[int, ...], Hashable], Fraction]:
    """Try all sequences of outcomes; those that differ only where none is asked count once."""
    found: dict[Any, Fraction] = defaultdict(Fraction)
    for picks in itertools.product(range(3), repeat=depth):
        node, left, weight, trace = tree, list(picks), Fraction(1), []
        while isinstance(node, tuple):
            kind, first, second = node
            if kind == "observe":
                trace.append(first)
                node = second
                continue
            pick = left.pop(0)
            if pick >= len(first):
                weight = Fraction(0)
                break
            weight *= first[pick]
            node = second[pick]
        if weight and not any(left):
            found[tuple(trace), node] += weight
    return dict(found)


@settings(deadline=None, max_examples=40)
@given(st.lists(trees(4), min_size=1, max_size=3))
def test_a_program_is_what_enumerating_its_choices_by_hand_gives(forest: list[Tree]) -> None:
    channel = channel_of(lambda x, chance: follow(forest[x], chance), len(forest))
    rows = [enumerated(tree, 4) for tree in forest]
    observed = any(trace for row in rows for trace, _ in row)
    expected: dict[tuple[int, Hashable], Fraction] = defaultdict(Fraction)
    for x, row in enumerate(rows):
        for (trace, value), probability in row.items():
            expected[x, (trace, value) if observed else value] += probability
    assert entries(channel) == expected
    assert channel.is_exact


@settings(deadline=None, max_examples=40)
@given(st.lists(trees(3), min_size=1, max_size=3), st.integers(1, 12), st.data())
def test_a_truncated_program_says_what_it_claims_about_the_whole(
    forest: list[Tree], most_paths: int, data: st.DataObject
) -> None:
    def program(x: int, chance: Chance) -> Hashable:
        chance.observe("start")
        return follow(forest[x], chance)

    whole = channel_of(program, len(forest))
    cut = truncated_channel_of(program, len(forest), most_paths=most_paths)
    part, left = cut.channel, cut.unaccounted
    ends = [z for z in part.outputs if z is not UNFINISHED]
    assert set(ends) <= set(whole.outputs)
    for x in whole.inputs:
        assert all(part[x, z] <= whole[x, z] for z in ends)
        assert sum((Fraction(part[x, z]) for z in ends), left[x]) == 1

    low, high = cut.min_capacity()
    assert 1 <= low <= min_capacity(whole).factor <= high <= len(forest)

    prior = data.draw(shares(len(forest)))
    least = sum(max(p * Fraction(part[x, z]) for x, p in enumerate(prior)) for z in ends)
    missing = sum(p * left[x] for x, p in enumerate(prior))
    assert least <= posterior_vulnerability(whole, prior) <= least + missing

    ratio = privacy_level(whole, SecretGraph.complete(len(forest))).ratio
    for x, y in itertools.permutations(whole.inputs, 2):
        for z in ends:
            most = part[y, z] + left[y]
            assert part[x, z] <= ratio * most if most else part[x, z] == 0 or ratio == math.inf


@settings(deadline=None, max_examples=40)
@given(st.lists(trees(3), min_size=1, max_size=2))
def test_a_program_that_fits_is_not_truncated(forest: list[Tree]) -> None:
    program = lambda x, chance: follow(forest[x], chance)  # noqa: E731
    cut = truncated_channel_of(program, len(forest), most_paths=200)
    assert set(cut.unaccounted.values()) == {0}
    whole = channel_of(program, len(forest))
    assert cut.channel.permute(whole.outputs) == whole


# --- what is seen --------------------------------------------------------------------------


def test_the_output_is_what_is_returned_if_nothing_is_observed() -> None:
    channel = channel_of({0: None, 1: (), 2: "a"}.get, 3)
    assert set(channel.outputs) == {None, (), "a"}


def test_what_is_observed_on_any_input_makes_every_output_a_pair() -> None:
    def program(x: int, chance: Chance) -> int | None:
        for i in range(x):
            chance.observe(i)
        return x if x < 2 else None

    outputs = [((), 0), ((0,), 1), ((0, 1), None), ((0, 1, 2), None)]
    assert channel_of(program, 4) == Channel.deterministic(outputs.__getitem__, 4)


def test_what_is_observed_and_what_is_returned_are_kept_apart() -> None:
    """To show OK and to return it are two things that an observer can tell apart."""

    def says(x: int, chance: Chance) -> str | None:
        if x == 1:
            return "OK"
        for _ in range(2 if x == 3 else 1):
            chance.observe("OK")
        return "OK" if x == 2 else None

    told = [(("OK",), None), ((), "OK"), (("OK",), "OK"), (("OK", "OK"), None)]
    assert channel_of(says, 4) == Channel.deterministic(told.__getitem__, 4)


def test_outputs_that_are_equal_in_python_are_one() -> None:
    assert channel_of([1, True, 1.0, "1"].__getitem__, 4).outputs == (1, "1")


def test_a_choice_of_too_many_values_leaves_a_path_out() -> None:
    cut = truncated_channel_of(lambda x, chance: chance.uniform(x), [1, 2], most_paths=1)
    assert cut.unaccounted == {1: 0, 2: 1}
    assert cut.min_capacity() == (Fraction(1), Fraction(2))


def test_recursion_and_early_exits_work() -> None:
    def ballots(x: str, chance: Chance, lead: int = 0) -> str:
        """Does the first candidate stay ahead, in a random order of votes?"""
        if not x:
            return "ahead"
        vote = chance.uniform(x)
        lead += 1 if vote == "a" else -1
        return ballots(x.replace(vote, "", 1), chance, lead) if lead > 0 else "not"

    channel = channel_of(ballots, ["aab", "aaabb", "aaaab"])
    for votes in channel.inputs:
        assert isinstance(votes, str)
        a, b = votes.count("a"), votes.count("b")
        assert channel[votes, "ahead"] == Fraction(a - b, a + b)  # Bertrand's ballot theorem


# --- inputs and kinds of programs ----------------------------------------------------------


def test_inputs_may_come_from_whatever_has_databases() -> None:
    secrets = SecretGraph.complete(["cold", "flu"])
    counted = Policy(secrets, 3, constraints=[count(["flu"], equals=1)])
    query = counting_query(["flu"])
    assert channel_of(query, counted).inputs == counted.databases()
    assert channel_of(query, counted).outputs == (1,)
    free = Policy(secrets, 2)
    assert channel_of(query, free).inputs == tuple(itertools.product(["cold", "flu"], repeat=2))
    assert channel_of(query, free.adjacency()) == channel_of(query, free)
    assert channel_of(str.upper, secrets).outputs == ("COLD", "FLU")
    assert channel_of(abs, Graph([-1, 1])).outputs == (1,)
    assert channel_of(abs, (x for x in (-2, 2))).inputs == (-2, 2)
    assert channel_of(abs, np.array([-2, 2])).inputs == (-2, 2)
    assert channel_of(abs, 2).inputs == (0, 1)


def test_a_program_may_be_anything_that_can_be_called() -> None:
    class Mask:
        def __init__(self, mask: int) -> None:
            self.mask = mask

        def __call__(self, x: int) -> int:
            return x & self.mask

        def noisy(self, x: int, chance: Chance) -> int:
            return x & self.mask if chance.flip() else 0

    assert channel_of(Mask(2), 4) == Channel.deterministic(lambda x: x & 2, 4)
    assert channel_of(Mask(2).noisy, 4)[3, 2] == HALF
    assert channel_of(functools.partial(operator.and_, 2), 4) == channel_of(Mask(2), 4)
    assert channel_of(sum, [(1, 2), (3,)]).outputs == (3,)
    assert channel_of(str, [1, 2]).outputs == ("1", "2")
    guess = lambda x, chance, p="1/4": chance.flip(p)  # noqa: E731
    assert channel_of(guess, 1)[0, True] == Fraction(1, 4)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6, unique=True))
def test_a_function_without_chance_is_a_deterministic_channel(inputs: list[int]) -> None:
    assert entries(channel_of(abs, inputs)) == entries(Channel.deterministic(abs, inputs))


# --- what is refused -----------------------------------------------------------------------


def test_a_program_with_other_randomness_is_found_out() -> None:
    numbers = random.Random(1)
    calls: list[int] = []

    def draws(x: int) -> float:
        return numbers.random()

    def asks_differently(x: int, chance: Chance) -> bool:
        return chance.flip() and chance.flip(Fraction(1, numbers.randrange(2, 10**9)))

    def remembers(x: int, chance: Chance) -> int:
        calls.append(x)
        return chance.flip() + len(calls)

    def asks_less(x: int, chance: Chance) -> bool:
        calls.append(x)
        return chance.flip() and len(calls) < 20 and chance.flip()

    def asks_more(x: int, chance: Chance) -> bool:
        calls.append(x)
        return len(calls) > 30 and chance.flip()

    def step_remembers(x: int, chance: Chance) -> int:
        seen: list[int] = []

        def step(state: int) -> int:
            seen.append(state)
            return state + chance.flip() + len(seen)

        return chance.loop(step, 0, times=2)

    def makes_an_object(x: int) -> object:
        return object()

    def makes_a_generator(x: int) -> object:
        yield x

    programs: list[AnyProgram] = [draws, asks_differently, remembers, step_remembers]
    for program in [*programs, makes_an_object, makes_a_generator]:
        with pytest.raises(InvalidInput, match=r"on input 0, .* nothing but its input and chance"):
            channel_of(program, 1)
    calls[:] = range(18)
    with pytest.raises(InvalidInput, match="it came to an end instead of flip"):
        channel_of(asks_less, 1)
    calls[:] = range(29)
    with pytest.raises(InvalidInput, match=r"it came to flip\('1/2'\) instead of an end"):
        channel_of(asks_more, 1)
    with pytest.raises(InvalidInput, match="nothing but its input and chance"):
        truncated_channel_of(remembers, 1, most_paths=10)


def test_too_many_paths_are_refused_with_what_was_covered() -> None:
    def coins(n: int, chance: Chance) -> int:
        return sum(chance.flip() for _ in range(n))

    assert channel_of(coins, [10], most_paths=2**10).shape == (1, 11)
    with pytest.raises(TooLarge, match=r"on input 10, .* than 1,023 paths.* 1023/1024") as error:
        channel_of(coins, [3, 10], most_paths=2**10 - 1)
    assert "chance.loop" in str(error.value)
    assert "truncated_channel_of" in str(error.value)
    with pytest.raises(TooLarge, match=r"on input 40, .* 256 paths.* probability 1/4294967296"):
        channel_of(coins, [40], most_paths=2**8)  # 2^40 paths
    cut = truncated_channel_of(coins, [40], most_paths=2**8)
    assert cut.unaccounted == {40: 1}
    assert cut.channel.outputs == (UNFINISHED,)
    assert cut.min_capacity() == (Fraction(1), Fraction(1))


def test_a_path_without_end_is_refused_and_can_be_cut_off() -> None:
    def tosses(x: int, chance: Chance) -> int:
        count = 0
        while chance.flip("9/10"):
            count += 1
        return count

    with pytest.raises(TooLarge, match=r"on input 0, .* more than 1,000 choices on one path"):
        channel_of(tosses, 1)
    with pytest.raises(TooLarge, match="more than 5 choices"):
        channel_of(tosses, 1, most_choices=5)
    cut = truncated_channel_of(tosses, 1, most_paths=10**4, most_choices=20)
    assert cut.unaccounted[0] == Fraction(9, 10) ** 20
    assert cut.channel[0, 19] == Fraction(9, 10) ** 19 / 10
    certain = lambda x, chance: all(chance.flip(1) for _ in itertools.count())  # noqa: E731
    assert truncated_channel_of(certain, 1, most_paths=10).unaccounted[0] == 1


def test_the_upper_bound_of_a_truncated_capacity_is_attained() -> None:
    def mostly_alike(x: int, chance: Chance) -> int:
        if chance.flip("2/3"):
            return -1
        return x if all(chance.flip() in (True, False) for _ in range(30)) else -1

    cut = truncated_channel_of(mostly_alike, 4, most_paths=20)
    assert cut.unaccounted == dict.fromkeys(range(4), Fraction(1, 3))
    whole = Channel([[Fraction(2, 3), *(Fraction(x == z, 3) for z in range(4))] for x in range(4)])
    assert cut.min_capacity() == (Fraction(1), Fraction(2))
    assert min_capacity(whole).factor == 2


def test_the_likeliest_paths_come_first() -> None:
    def skewed(x: int, chance: Chance) -> tuple[bool, ...]:
        return tuple(chance.flip("99/100") for _ in range(30))  # 2^30 paths

    cut = truncated_channel_of(skewed, 1, most_paths=600)
    assert cut.unaccounted[0] < Fraction(5, 100)
    assert cut.channel[0, (True,) * 30] == Fraction(99, 100) ** 30


def test_the_programs_own_errors_come_out_with_the_way_there() -> None:
    def fails(x: int, chance: Chance) -> float:
        chance.flip()
        return 1 / (x - chance.uniform([1, 2]))

    with pytest.raises(ZeroDivisionError) as error:
        channel_of(fails, [0, 2])
    notes = ["after the random choices flip → True, uniform → 2", "on input 2"]
    assert error.value.__notes__ == notes

    def fails_in_a_loop(x: int, chance: Chance) -> int:
        return chance.loop(lambda n: n + 1 // (1 - n), 0, times=3)

    with pytest.raises(ZeroDivisionError) as error:
        channel_of(fails_in_a_loop, 1)
    assert error.value.__notes__ == ["after no random choices"] * 2 + ["on input 0"]


def test_a_program_cannot_swallow_a_refusal() -> None:
    def hopeful(x: int, chance: Chance) -> int:
        for i in range(20):
            try:
                chance.flip()
            except Exception:
                return i
        return 20

    def stubborn(x: int, chance: Chance) -> int:
        for i in range(20):
            try:
                chance.flip()
            except:  # noqa: E722
                return i
        return 20

    for program in (hopeful, stubborn):
        with pytest.raises(TooLarge, match="more than 10 choices"):
            channel_of(program, 1, most_choices=10)
        cut = truncated_channel_of(program, 1, most_paths=100)
        assert cut.channel.outputs == (UNFINISHED,)


MISTAKES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "no function": (lambda: channel_of(7, 2), InvalidInput, "must be a function .* got 7"),  # type: ignore[arg-type]
    "no argument": (lambda: channel_of(lambda: 1, 2), InvalidInput, r"one that needs \(\)"),  # type: ignore[arg-type]
    "three arguments": (
        lambda: channel_of(lambda a, b, c: 1, 2),  # type: ignore[arg-type]
        InvalidInput,
        r"one that needs \(a, b, c\); give others a default",
    ),
    "a keyword": (
        lambda: channel_of(lambda x, *, chance: 1, 2),  # type: ignore[arg-type]
        InvalidInput,
        r"one that needs \(x, chance\)",
    ),
    "a text for inputs": (lambda: channel_of(len, "abc"), InvalidChannel, "got the text 'abc'"),
    "a float for inputs": (lambda: channel_of(abs, 2.0), InvalidChannel, "got 2.0"),  # type: ignore[arg-type]
    "no inputs": (lambda: channel_of(abs, []), InvalidChannel, "at least one input"),
    "no inputs by number": (lambda: channel_of(abs, 0), InvalidChannel, "at least one input"),
    "an input twice": (lambda: channel_of(abs, [1, 1]), InvalidChannel, "got 1 twice"),
    "an unhashable input": (lambda: channel_of(len, [[1]]), InvalidChannel, "hashable"),  # type: ignore[list-item]
    "an unhashable output": (
        lambda: channel_of(lambda x: [x], 1),  # type: ignore[arg-type]
        InvalidInput,
        r"must be hashable, got \[0\]; a tuple is",
    ),
    "an output that is not itself": (
        lambda: channel_of(lambda x: math.nan, 1),
        InvalidChannel,
        "does not equal itself",
    ),
    "no paths": (lambda: channel_of(abs, 1, most_paths=0), InvalidNumber, "most_paths= .* got 0"),
    "half a choice": (
        lambda: channel_of(abs, 1, most_choices=0.5),  # type: ignore[arg-type]
        InvalidNumber,
        "most_choices= .* got 0.5",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_one_clear_line(mistake: str) -> None:
    wrong, error, text = MISTAKES[mistake]
    with pytest.raises(error, match=text) as found:
        wrong()
    assert "\n" not in str(found.value)


def test_the_unfinished_output_has_a_name() -> None:
    assert repr(UNFINISHED) == str(UNFINISHED) == "UNFINISHED"
    whole = TruncatedChannel(Channel.identity(3))
    assert whole.unaccounted == {0: 0, 1: 0, 2: 0}
    assert whole.min_capacity() == (Fraction(3), Fraction(3))


def test_cleaning_up_after_a_run_that_was_stopped_counts_nothing_twice() -> None:
    def program(x: int, chance: Chance) -> tuple[bool, int, int]:
        a = chance.flip("1/3")
        try:
            b = chance.uniform(3)
        finally:
            c = chance.uniform(3)
        return a, b, c

    cut = truncated_channel_of(program, [0], most_paths=100)
    assert cut.unaccounted == {0: 0}
    assert cut.channel == channel_of(program, [0])


def test_a_loop_that_never_ends_is_refused_though_the_program_catches_errors() -> None:
    def program(x: int, chance: Chance) -> object:
        try:
            return chance.loop(lambda state: state, 0, until=lambda state: state == x)
        except Exception:
            return "failed"

    with pytest.raises(InvalidInput, match="must be able to end"):
        channel_of(program, [0, 1])


def test_a_choice_of_too_many_values_is_refused_at_once() -> None:
    with pytest.raises(TooLarge, match="uniform choice of 4,294,967,296 values"):
        channel_of(lambda x, chance: chance.uniform(2**32), [0])
    with pytest.raises(TooLarge, match="more than 5 paths"):
        channel_of(lambda x, chance: chance.uniform(2**70), [0], most_paths=5)
    with pytest.raises(InvalidDistribution, match="needs values, got None"):
        channel_of(lambda x, chance: chance.uniform(None), [0])
