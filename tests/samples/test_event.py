"""Events: what they contain, and that the best one is found by samples it was not learnt from."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Array
from leaktight.samples.event import AtLeast, AtMost, Hits, OneOf, Samples, best_event


def ratio(likely: Hits, rare: Hits) -> Array:
    return (likely + 1) / (rare + 1)


def halves(one: Array, other: Array) -> tuple[Samples, Samples]:
    return (one[::2], other[::2]), (one[1::2], other[1::2])


def test_events_say_which_outputs_they_contain() -> None:
    numbers = np.array([0, 1, 2, math.nan, math.inf])
    assert AtMost(1).occurs(numbers).tolist() == [True, True, False, False, False]
    assert AtLeast(1).occurs(numbers).tolist() == [False, True, True, False, True]
    words = np.array(["a", ("b", 1), "c"], dtype=object)
    assert OneOf(frozenset(["a", ("b", 1)])).occurs(words).tolist() == [True, True, False]
    assert str(AtMost(0)) == "the output is at most 0"
    assert str(AtLeast(0.5)) == "the output is at least 0.5"
    assert str(OneOf(frozenset("ba"))) == "the output is one of 'a', 'b'"


@given(
    st.lists(st.integers(-3, 3), min_size=4, max_size=40),
    st.lists(st.integers(-3, 3), min_size=4, max_size=40),
)
def test_the_score_is_that_of_the_event_on_the_judging_samples(a: list[int], b: list[int]) -> None:
    for kind in (np.int64, object):
        learn, judge = halves(np.array(a, dtype=kind), np.array(b, dtype=kind))
        event, value = best_event(learn, judge, ratio)
        hits = [np.array([event.occurs(part).sum()]) for part in judge]
        assert value == ratio(*hits)[0]


def test_a_threshold_is_found_for_numbers_and_a_set_for_words() -> None:
    rng = np.random.default_rng(1)
    event, _ = best_event(*halves(rng.normal(size=4000), rng.normal(2, size=4000)), ratio)
    assert isinstance(event, AtMost)
    words = np.array(["x", "y", "z"], dtype=object)
    one, other = (words[rng.choice(3, 4000, p=p)] for p in ([0.1, 0.8, 0.1], [0.4, 0.2, 0.4]))
    event, _ = best_event(*halves(one, other), ratio)
    assert event == OneOf(frozenset(["y"]))


def test_a_set_is_found_where_no_threshold_tells_numbers_apart() -> None:
    rng = np.random.default_rng(2)
    one, other = rng.choice([0, 2, 4], 4000), rng.choice([1, 2, 3], 4000)
    event, value = best_event(*halves(one, other), ratio)
    assert isinstance(event, OneOf)
    assert event.values == {0, 4}
    assert value > 1000


def test_outputs_that_never_recur_do_not_mislead() -> None:
    """All values of the one input are unlike those of the other, which means nothing."""
    rng = np.random.default_rng(3)
    _, value = best_event(*halves(rng.normal(size=4000), rng.normal(size=4000)), ratio)
    assert value < 10


def test_an_output_must_be_hashable() -> None:
    lists = np.empty(4, dtype=object)
    lists[:] = [[1], [2], [3], [4]]
    with pytest.raises(InvalidInput, match="an output must be hashable; make lists tuples"):
        best_event(*halves(lists, lists), ratio)


def test_nan_is_an_output_like_any_other() -> None:
    """A mechanism that fails for one input only is told by its failures, however they are kept."""
    failing, fine = np.array([np.nan, 1.0] * 50), np.array([1.0] * 100)
    for one, other in (
        (failing, fine),
        (failing.astype(np.float32), fine.astype(np.float32)),
        (failing.astype(object), np.array(["ok"] * 100, dtype=object)),
    ):
        event, _ = best_event((one, other), (one, other), lambda a, b: a / (b + 1.0))
        assert isinstance(event, OneOf)
        assert any(value != value for value in event.values)
        assert event.occurs(one)[::2].all()
        assert event.occurs(other).sum() == 0
    assert OneOf(frozenset({1.0})).occurs(failing).tolist() == [False, True] * 50
