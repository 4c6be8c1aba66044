"""Functions of the secret: kept as one label per input, equal to the matrix that they stand for."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel, sequential
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distance import multiplicative_distance
from leaktight.channels.distribution import Distribution
from leaktight.channels.program.program import channel_of
from leaktight.channels.row_distance import largest_row_distance, largest_row_distance_between
from leaktight.errors import InvalidChannel, Mismatch, TooLarge
from leaktight.mechanisms.release.draw import sample
from leaktight.policies.graph import Graph
from leaktight.privacy.level import privacy_level
from tests.strategies.channels import channels, distributions, functions

LARGE = Channel.deterministic(np.arange(10**6) // 2, 10**6)


def dense(channel: Channel) -> Channel:
    """Make the same channel of its matrix, so that nothing knows of its structure."""
    made = Channel(np.array(channel.matrix), channel.inputs, channel.outputs)
    assert type(made) is Channel
    return made


def test_what_is_made_is_the_matrix_of_the_function() -> None:
    made = Channel.deterministic(lambda word: len(word), ["a", "bcd", "e"])
    assert made == Channel([[1, 0], [0, 1], [1, 0]], ["a", "bcd", "e"], [1, 3])
    assert made["bcd", 3] == 1
    assert made["a", 3] == 0
    assert Channel.deterministic({"a": 1, "b": 2}, ["b", "a"]).outputs == (2, 1)
    of_array = Channel.deterministic(np.array(["u", "v", "u"]), 3)
    assert of_array == Channel([[1, 0], [0, 1], [1, 0]], outputs=["u", "v"])
    mixed = np.array([2, "x", 2], dtype=object)
    assert Channel.deterministic(mixed, 3).outputs == (2, "x")


@given(functions())
def test_a_function_equals_its_matrix_and_looks_like_it(channel: Deterministic) -> None:
    whole = dense(channel)
    assert channel == whole == channel
    assert hash(channel) == hash(whole)
    assert repr(channel) == repr(whole)
    assert channel._repr_html_() == whole._repr_html_()
    assert all(channel.row(x) == whole.row(x) for x in channel.inputs)
    assert pickle.loads(pickle.dumps(channel)) == channel
    other = Deterministic(channel.inputs, channel.outputs, np.roll(channel.seen, 1))
    assert (channel == other) == (whole == dense(other))


@settings(max_examples=40)
@given(st.data())
def test_what_is_made_of_it_is_what_is_made_of_its_matrix(data: st.DataObject) -> None:
    channel = data.draw(functions())
    whole = dense(channel)
    n, m = channel.shape
    some = data.draw(st.lists(st.sampled_from(channel.inputs), min_size=1, unique=True))
    order = data.draw(st.permutations(channel.outputs))
    names = data.draw(st.dictionaries(st.sampled_from(channel.outputs), st.integers(0, 9)))
    assert channel.restrict(some) == whole.restrict(some)
    assert channel.permute(order) == whole.permute(order)
    assert channel.merge(names) == whole.merge(names)
    assert channel.reduced() == whole.reduced()
    assert channel.restrict(some).reduced() == whole.restrict(some).reduced()
    after = data.draw(channels(m, 3))
    after = Channel(after.matrix, order)
    assert channel.then(after) == whole.then(after)
    further = Channel.deterministic(lambda z: str(z)[-1] > "1", order)
    assert channel.then(further) == whole.then(further) == whole.then(dense(further))
    noisy = Channel(data.draw(channels(3, n)).matrix, outputs=channel.inputs)
    assert noisy.then(channel) == noisy.then(whole)


@given(st.data())
def test_what_is_seen_of_something_else_is_that_of_the_matrix(data: st.DataObject) -> None:
    channel = data.draw(functions())
    secret = data.draw(functions(len(channel.inputs)))
    prior = data.draw(distributions(len(channel.inputs)))
    assert channel.about(secret, prior) == dense(channel).about(dense(secret), prior)
    assert channel.about(secret) == dense(channel).about(secret)
    reordered = secret.restrict(reversed(secret.inputs))
    assert channel.about(reordered, prior) == channel.about(secret, prior)


@given(functions(4), functions(4), functions())
def test_two_functions_together(
    one: Deterministic, other: Deterministic, side: Deterministic
) -> None:
    both = sequential(one, other.restrict(reversed(other.inputs)))
    assert isinstance(both, Deterministic)
    assert both == sequential(dense(one), dense(other)).reduced()
    beside = parallel(one, side, side).expand()
    assert isinstance(beside, Deterministic)
    assert beside == parallel(dense(one), dense(side), dense(side)).expand()


@given(functions(5), st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6))
def test_private_where_neighbours_show_the_same(
    channel: Deterministic, pairs: set[tuple[int, int]]
) -> None:
    graph = Graph(5, [pair for pair in {(min(p), max(p)) for p in pairs} if pair[0] != pair[1]])
    level, by_matrix = (privacy_level(each, graph) for each in (channel, dense(channel)))
    assert level.ratio == by_matrix.ratio
    assert (level.witness is None) == (by_matrix.witness is None)
    if level.witness is not None:
        likelier, other, output = level.witness.input, level.witness.neighbour, level.witness.output
        assert graph.distance(likelier, other) == 1
        assert channel[likelier, output] == 1
        assert channel[other, output] == 0


@given(functions(5), st.sets(st.integers(0, 4), min_size=1, max_size=4))
def test_rows_are_apart_as_those_of_the_matrix(channel: Deterministic, some: set[int]) -> None:
    others, whole = set(range(5)) - some, dense(channel)
    for function in (channel, channel.restrict(sorted(some))):
        for row_distance in (
            largest_row_distance(function),
            largest_row_distance(function, multiplicative_distance),
        ):
            x, y = row_distance.pair
            assert len(function.inputs) == 1 or x != y
        assert largest_row_distance(function).value == largest_row_distance(dense(function)).value
    found = largest_row_distance_between(channel, some, others)
    assert found.value == largest_row_distance_between(whole, some, others).value
    assert found.pair[0] in some
    assert found.pair[1] in others


def test_programs_without_coin_flips_are_functions() -> None:
    assert isinstance(channel_of(lambda x: x % 7, 1000), Deterministic)
    told = channel_of(lambda x: 2 - x, 3)
    assert isinstance(told, Deterministic)
    assert told.outputs == (0, 1, 2)
    assert told == Channel([[0, 0, 1], [0, 1, 0], [1, 0, 0]])


def test_what_a_function_shows_is_drawn_without_a_matrix() -> None:
    assert sample(LARGE, [5, 999_999]) == [2, 499_999]
    assert sample(LARGE, 4) == 2


def test_where_the_matrix_is_needed_and_too_large_one_line_says_so() -> None:
    assert repr(LARGE).startswith("exact channel, 1000000 inputs × 500000 outputs")
    with pytest.raises(TooLarge, match=r"^this needs the whole matrix of 1,000,000 inputs and"):
        LARGE.to_numpy()
    with pytest.raises(TooLarge, match="secrets and"):
        LARGE.about(lambda x: x)


def test_wrong_functions_are_refused() -> None:
    with pytest.raises(InvalidChannel, match=r"each of 3 inputs, got one of the shape \(2,\)"):
        Channel.deterministic(np.array([1, 2]), 3)
    with pytest.raises(InvalidChannel, match="does not equal itself"):
        Channel.deterministic(np.array([1.0, np.nan]), 2)
    with pytest.raises(InvalidChannel, match="hashable"):
        Channel.deterministic(lambda x: [x], 2)  # type: ignore[arg-type,return-value]
    with pytest.raises(AttributeError, match="no 'nothing'"):
        LARGE.nothing  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(Mismatch):
        LARGE.then(Channel.identity(3))


def test_counts_make_the_same_prior_however_they_are_given() -> None:
    counts = [3, 0, 5, 3]
    assert Distribution.from_counts(np.array(counts)) == Distribution.from_counts(counts)
