"""What a program may ask of chance, and what it is told if it asks wrongly."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from leaktight.channels.distribution import Distribution
from leaktight.channels.program import Chance, channel_of
from leaktight.errors import InvalidDistribution, InvalidInput, InvalidNumber


def test_numbers_are_exact_and_floats_are_the_decimals_that_they_print_as() -> None:
    for p in ("1/10", "0.1", 0.1, np.float64(0.1), Decimal("0.1"), Fraction(1, 10)):
        channel = channel_of(lambda x, chance, p=p: chance.flip(p), 1)
        assert channel[0, True] == Fraction(1, 10)
    mapping = {"a": 0.1, "b": 0.2, "c": 0.7}
    assert channel_of(lambda x, chance: chance.choose(mapping), 1)[0, "c"] == Fraction(7, 10)
    floats = Distribution([0.25, 0.75])
    assert channel_of(lambda x, chance: chance.choose(floats), 1)[0, 1] == Fraction(3, 4)
    tiny = Fraction(1, 10**400)
    assert channel_of(lambda x, chance: chance.flip(tiny), 1)[0, True] == tiny
    # Equal as numbers, but the float stands for a decimal and the fraction for itself.
    both = lambda x, chance: (chance.flip(0.1), chance.flip(Fraction(0.1)))  # noqa: E731
    assert channel_of(both, 1)[0, (True, True)] == Fraction(1, 10) * Fraction(0.1)


def test_what_cannot_happen_is_not_tried() -> None:
    def safe(x: int, chance: Chance) -> float:
        if chance.flip(0) or not chance.flip(1):
            raise AssertionError("impossible")
        return 1 / chance.choose({0: 0, 1: "1/2", 2: "1/2"})

    assert channel_of(safe, 1).outputs == (0.5, 1.0)


def test_values_that_are_listed_twice_are_twice_as_likely() -> None:
    assert channel_of(lambda x, chance: chance.uniform("aab"), 1)[0, "a"] == Fraction(2, 3)
    assert channel_of(lambda x, chance: chance.uniform(10**4), 1).shape == (1, 10**4)


def test_chance_is_of_use_only_to_its_program() -> None:
    kept: list[Chance] = []

    def leaks(x: int, chance: Chance) -> int:
        kept.append(chance)
        return x

    channel_of(leaks, 1)
    with pytest.raises(InvalidInput, match=r"only while its program runs.*got flip\('1/2'\)"):
        kept[0].flip()
    with pytest.raises(InvalidInput, match="only while its program runs"):
        kept[0].observe(1)
    until = lambda x, chance: chance.loop(lambda s: s, x, until=lambda s: chance.flip())  # noqa: E731
    with pytest.raises(InvalidInput, match="not in until= of a loop"):
        channel_of(until, 1)


CHOICES: dict[str, tuple[Callable[[Chance], object], type[Exception], str]] = {
    "above 1": (lambda c: c.flip("40"), InvalidNumber, "from 0 to 1, got 40"),
    "below 0": (lambda c: c.flip(-0.5), InvalidNumber, "from 0 to 1, got -1/2"),
    "no number": (lambda c: c.flip("half"), InvalidNumber, "got 'half'"),
    "a list": (lambda c: c.flip([1]), InvalidNumber, r"got \[1\]"),  # type: ignore[arg-type]
    "infinite": (lambda c: c.flip(math.inf), InvalidNumber, "inf"),
    "nothing": (lambda c: c.uniform([]), InvalidDistribution, "at least one value"),
    "nothing by number": (lambda c: c.uniform(0), InvalidDistribution, "at least one value"),
    "lists": (lambda c: c.uniform([[1], [2]]), InvalidInput, r"hashable, got \[1\]"),
    "not 1 in all": (lambda c: c.choose({0: "1/2", 1: "1/3"}), InvalidDistribution, "got 5/6;"),
    "no values": (lambda c: c.choose({}), InvalidDistribution, "must sum to 1, .* got 0"),
    "a pair": (lambda c: c.choose((1, 2)), InvalidDistribution, "mapping of probabilities"),  # type: ignore[arg-type]
    "thirds as floats": (
        lambda c: c.choose(Distribution([1 / 3, 1 / 3, 1 / 3])),
        InvalidDistribution,
        "must sum to 1, .* got 9999999999999999/10000000000000000; write '1/3'",
    ),
    "a list to observe": (lambda c: c.observe([1]), InvalidInput, r"hashable, got \[1\]"),  # type: ignore[arg-type]
    "a list as state": (
        lambda c: c.loop(lambda s: s, [1], times=1),  # type: ignore[type-var]
        InvalidInput,
        r"state of a loop must be hashable, got \[1\]",
    ),
    "a list as the next state": (
        lambda c: c.loop(lambda s: [s], 1, times=1),  # type: ignore[arg-type,return-value]
        InvalidInput,
        r"hashable, got \[1\]",
    ),
    "no end": (lambda c: c.loop(lambda s: s, 1), InvalidInput, "exactly one of times= and until="),
    "two ends": (
        lambda c: c.loop(lambda s: s, 1, times=1, until=bool),
        InvalidInput,
        "exactly one of times= and until=",
    ),
    "negative times": (lambda c: c.loop(lambda s: s, 1, times=-1), InvalidNumber, "got -1"),
}


@pytest.mark.parametrize("mistake", CHOICES)
def test_a_wrong_choice_gets_one_clear_line_and_its_input(mistake: str) -> None:
    wrong, error, text = CHOICES[mistake]
    with pytest.raises(error, match=text) as found:
        channel_of(lambda x, chance: wrong(chance), ["an input"])
    assert "\n" not in str(found.value)
    assert found.value.__notes__[-1] == "on input 'an input'"
