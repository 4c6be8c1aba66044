"""What is seen, reduced to what tells secrets apart."""

from fractions import Fraction

import numpy as np
import pytest

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidChannel, InvalidNumber, Mismatch
from leaktight.exact.numbers import public
from leaktight.repetition.rounds import observe

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])


def test_proportional_outputs_are_merged_and_equal_rows_form_a_class() -> None:
    channel = Channel.normalised([[2, 1, 3], [2, 1, 3], [4, 2, 0]])
    seen = observe(channel)
    ((matrix, times),) = seen.parts
    assert seen.classes.tolist() == [0, 0, 1]
    assert [[public(p) for p in row] for row in matrix] == [[Fraction(1, 2)] * 2, [1, 0]]
    assert times == 1
    assert len(seen) == 2


def test_inputs_that_cannot_be_are_left_out_before_outputs_are_merged() -> None:
    """Without the third input the second and third output tell the same."""
    channel = Channel.normalised([[2, 1, 1], [1, 1, 1], [1, 5, 0]])
    seen = observe(channel, ["1/2", "1/2", 0])
    assert seen.support.tolist() == [0, 1]
    assert seen.parts[0][0].shape == (2, 2)


def test_a_channel_that_tells_nothing_is_counted_but_has_no_part() -> None:
    seen = observe([(COIN, 2), (Channel.no_interference(2), 5)]).rounds(3)
    assert [times for _, times in seen.parts] == [6]
    assert seen.total == 21


def test_the_same_channel_twice_is_one_part_also_with_its_inputs_in_another_order() -> None:
    turned = COIN.restrict([1, 0])
    assert turned.inputs == (1, 0)
    seen = observe([(COIN, 2), (turned, 3), (COIN, 4)])
    assert [times for _, times in seen.parts] == [9]


def test_equal_rows_in_one_of_several_channels_are_not_alike() -> None:
    seen = observe([(Channel([[1, 0], [1, 0], [0, 1]]), 1), (Channel([[1, 0], [0, 1], [0, 1]]), 1)])
    assert len(seen) == 3


def test_floats_stand_for_their_exact_binary_numbers() -> None:
    floats = Channel([[0.1, 0.9], [0.3, 0.7]])
    seen = observe(floats, Distribution([0.2, 0.8]))
    assert not seen.is_exact
    assert np.array_equal(seen.parts[0][0], floats.exact().matrix)
    assert sum(seen.prior) == 1
    assert observe(COIN).is_exact


def test_the_best_guess_of_each_class_is_its_likeliest_input() -> None:
    channel = Channel.deterministic({"a": 0, "b": 0, "c": 1}, ["a", "b", "c"])
    seen = observe(channel, ["1/4", "3/8", "3/8"])
    assert [public(p) for p in seen.best] == [Fraction(3, 8)] * 2


def test_no_round_has_no_part() -> None:
    assert observe(COIN).rounds(0).parts == ()


@pytest.mark.parametrize("n", [-1, 1.5, "3", True])
def test_the_number_of_rounds_must_be_whole(n: object) -> None:
    with pytest.raises(InvalidNumber, match="whole number of times"):
        observe(COIN).rounds(n)  # type: ignore[arg-type]


def test_bad_observations_are_refused_in_one_line() -> None:
    with pytest.raises(InvalidChannel, match="expected a Channel, got 3"):
        observe(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidChannel, match=r"use \.expand\(\)"):
        observe(parallel(COIN, COIN))  # type: ignore[arg-type]
    with pytest.raises(InvalidChannel, match=r"list of \(channel, times\)"):
        observe([COIN])  # type: ignore[list-item]
    with pytest.raises(InvalidChannel, match="at least one channel"):
        observe([])
    with pytest.raises(InvalidNumber, match="got -2"):
        observe([(COIN, -2)])
    with pytest.raises(Mismatch, match="inputs of two observed channels"):
        observe([(COIN, 1), (Channel.identity(3), 1)])
