"""Secrets that have an output of their own each."""

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.exact.numbers import fraction
from leaktight.repetition import own_output
from leaktight.repetition.likelihood_bounds import success_bounds
from leaktight.repetition.own_output import OwnOutput, _whole_log
from leaktight.repetition.rounds import observe
from leaktight.repetition.success import success_probability
from tests.strategies.fractions import fractions


def response(values: int, ratio: Fraction, silence: Fraction) -> Channel:
    """Randomised response, with an answer that tells nothing if ``silence`` is positive."""
    rows = [
        [*(ratio if i == j else Fraction(1) for j in range(values)), silence] for i in range(values)
    ]
    return Channel.normalised(rows if silence else [row[:-1] for row in rows])


@st.composite
def responses(draw: st.DrawFn) -> tuple[Channel, list[Fraction]]:
    values = draw(st.integers(2, 5))
    ratio = draw(fractions("11/10", 8, max_denominator=10))
    channel = response(values, ratio, draw(st.sampled_from([Fraction(0), Fraction(1, 3)])))
    kind = draw(st.sampled_from(["uniform", "any", "ties"]))
    if kind == "uniform":
        weights = [Fraction(1)] * values
    elif kind == "any":
        weights = [Fraction(draw(st.integers(1, 9))) for _ in range(values)]
    else:  # an output more makes up for the prior exactly
        weights = [ratio ** draw(st.integers(0, 3)) for _ in range(values)]
    return channel, [weight / sum(weights) for weight in weights]


@settings(max_examples=80)
@given(responses(), st.integers(1, 14))
def test_the_enclosure_holds_what_the_types_give(
    case: tuple[Channel, list[Fraction]], n: int
) -> None:
    channel, prior = case
    own = OwnOutput.of(observe(channel, prior).rounds(n))
    assert own is not None
    low, high = map(fraction, own.success())
    exact = success_probability(channel, prior, n)
    assert exact.method == "types"
    assert low <= exact.lower <= high
    assert high - low < 1e-10


@pytest.mark.parametrize("n", [300, 3000])
def test_two_values_agree_with_the_types_of_many_observations(n: int) -> None:
    channel = response(2, Fraction(21, 20), Fraction(0))
    own = OwnOutput.of(observe(channel).rounds(n))
    assert own is not None
    low, high = map(fraction, own.success())
    exact = success_probability(channel, n=n).lower
    assert low <= exact <= high < low + 1e-8


def test_rarely_seen_counts_are_allowed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a narrow table and a short transform the enclosure is wide, but it is one."""
    channel = response(3, Fraction(2), Fraction(1))
    exact = success_probability(channel, n=40).lower
    seen, widths = observe(channel).rounds(40), []
    for unlikely, deviations in ((2.0**-6, 20), (2.0**-64, 0), (2.0**-64, 20)):
        monkeypatch.setattr(own_output, "UNLIKELY", unlikely)
        monkeypatch.setattr(own_output, "DEVIATIONS", deviations)
        own = OwnOutput.of(seen)
        assert own is not None
        low, high = map(fraction, own.success())
        assert low <= exact <= high
        widths.append(high - low)
    assert min(widths[:2]) > 1e-6
    assert widths[2] < 1e-10


def test_where_types_are_too_many_the_bounds_agree() -> None:
    """Ten values: pairs and triples are another route, sharp once the error is small."""
    channel = response(10, Fraction(3), Fraction(0))
    for n in (100, 400, 1000):
        found, bounds = success_probability(channel, n=n), success_bounds(channel, n=n)
        assert (found.method, bounds.method) == ("certified floats", "bounds")
        assert bounds.error.lower <= found.error.upper
        assert found.error.lower <= bounds.error.upper
        assert found.error.upper < found.error.lower * 1.05


def test_more_values_than_pairs_are_looked_at() -> None:
    channel = response(150, Fraction(20), Fraction(0))
    found = success_probability(channel, n=100)
    assert found.method == "certified floats"
    assert found.upper - found.lower < 1e-9
    rng = np.random.default_rng(1)
    counts = rng.multinomial(100, np.r_[20, np.ones(149)] / 169, size=20_000)
    best = counts.max(axis=1)
    tied = (counts == best[:, None]).sum(axis=1)
    drawn = ((counts[:, 0] == best) / tied).mean()
    assert abs(drawn - float(found)) < 6 * 0.5 / 20_000**0.5


@pytest.mark.parametrize(
    "rows",
    [
        [[3, 1, 1], [1, 3, 1], [1, 1, 4]],
        [[3, 1, 1], [1, 3, 1], [1, 2, 3]],
        [[3, 1, 0], [0, 3, 1], [1, 0, 3]],
        [[1, 3, 3], [3, 1, 3], [3, 3, 1]],
        [[3, 2, 1], [2, 3, 1], [1, 1, 4]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[3, 1, 1, 2, 1], [1, 3, 1, 1, 2], [1, 1, 3, 1, 1]],
    ],
)
def test_other_channels_are_not_taken_for_it(rows: list[list[int]]) -> None:
    assert OwnOutput.of(observe(Channel.normalised(rows)).rounds(5)) is None


def test_neither_are_several_channels_or_no_observation() -> None:
    one, other = response(3, Fraction(2), Fraction(0)), response(3, Fraction(3), Fraction(0))
    assert OwnOutput.of(observe([(one, 2), (other, 2)])) is None
    assert OwnOutput.of(observe(one).rounds(0)) is None
    assert OwnOutput.of(observe(one).rounds(2**21)) is None


def test_outputs_in_any_order_and_values_that_cannot_occur() -> None:
    rng = random.Random(3)
    rows = [[2 if i == j else 1 for j in range(6)] for i in range(6)]
    order = rng.sample(range(6), 6)
    shuffled = Channel.normalised([[row[j] for j in order] for row in rows])
    prior = ["1/2", "1/4", "1/4", 0, 0, 0]
    own = OwnOutput.of(observe(shuffled, prior).rounds(8))
    assert own is not None
    low, high = map(fraction, own.success())
    assert low <= success_probability(shuffled, prior, 8).lower <= high


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize(
    ("own", "other"),
    [
        (Fraction(10**19 + 1, 8 * 10**19 + 1), Fraction(10**19, 8 * 10**19 + 1)),
        (Fraction(10**400 + 1, 8 * 10**400 + 1), Fraction(10**400, 8 * 10**400 + 1)),
        (Fraction(2, 10**400), Fraction(1, 10**400)),
    ],
)
def test_outputs_that_hardly_tell_leave_the_guess_as_it_was(
    own: Fraction, other: Fraction, n: int
) -> None:
    rest = 1 - own - 7 * other
    rows = [[own if x == z else other for z in range(8)] + [rest] * (rest > 0) for x in range(8)]
    found = success_probability(Channel(rows), n=n)
    # No output multiplies the guess by more than the largest ratio, nor tells if it is not seen.
    most = min(Fraction(1, 8) * (own / other) ** n, Fraction(1, 8) + n * 8 * own)
    assert found.lower <= most
    assert found.upper >= Fraction(1, 8)
    assert found.upper - found.lower < 1e-9


def test_powers_are_found_however_near_to_one_the_base_is() -> None:
    base = fmpq(10**40 + 1, 10**40)
    for k in (-3, 0, 5):
        assert _whole_log(base**k, base) == (k, True)
        assert _whole_log(base**k + fmpq(1, 10**300), base) == (k, False)
        assert _whole_log(base**k - fmpq(1, 10**300), base) == (k - 1, False)
