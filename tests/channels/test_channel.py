from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidChannel, Mismatch
from tests.strategies.channels import channels, channels_and_priors

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])


@pytest.mark.parametrize(
    "rows",
    [
        [["2/3", "1/3"], ["1/3", "2/3"]],
        {"no": ["2/3", "1/3"], "yes": ["1/3", "2/3"]},
        {"no": {"-": "2/3", "+": "1/3"}, "yes": {"-": "1/3", "+": "2/3"}},
        pd.DataFrame(
            [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]],
            index=["no", "yes"],
            columns=["-", "+"],
        ),
        np.array([["2/3", "1/3"], ["1/3", "2/3"]], dtype=object),
        (row for row in (["2/3", "1/3"], ["1/3", "2/3"])),
        COIN,
    ],
)
def test_the_same_channel_is_read_from_every_form(rows: object) -> None:
    assert Channel(rows, ["no", "yes"], ["-", "+"]) == COIN


def test_labels_come_along_with_a_table_or_a_mapping() -> None:
    table = pd.DataFrame([[0.5, 0.5]], index=[("a", 1)], columns=["x", "y"])
    assert Channel(table).inputs == (("a", 1),)
    assert Channel({"a": {"x": 1}, "b": {"y": 1}}).outputs == ("x", "y")
    assert Channel({"a": {"x": 1}, "b": {"y": 1}})["a", "y"] == 0
    assert Channel(np.eye(2)).inputs == (0, 1)


def test_a_channel_is_exact_only_if_all_entries_are() -> None:
    assert Channel([[1, 0], ["0.5", "0.5"]]).is_exact
    assert not Channel([[1, 0], [0.5, 0.5]]).is_exact
    assert Channel(np.eye(2, dtype=int)).is_exact
    assert not Channel(np.eye(2)).is_exact


@given(channels())
def test_exact_and_float_convert_explicitly(channel: Channel) -> None:
    assert channel.exact() is channel
    back = channel.float().exact()
    assert back.is_exact
    assert (back.matrix.sum(axis=1) == 1).all()
    assert np.allclose(back.to_numpy(), channel.to_numpy(), rtol=1e-15)


def test_it_cannot_be_changed() -> None:
    source = np.eye(2)
    channel = Channel(source)
    source[0, 0] = 7
    assert channel[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        channel.matrix[0, 0] = 1
    channel.to_numpy()[0, 0] = 7
    assert channel[0, 0] == 1


def test_probabilities_like_ten_to_the_minus_400_stay() -> None:
    tiny = Fraction(1, 10**400)
    channel = Channel([[tiny, 1 - tiny], [1, 0]])
    assert channel[0, 0] == tiny
    assert channel.then(Channel.identity(2))[0, 0] == tiny


def test_it_is_shown_as_a_table() -> None:
    assert repr(COIN).splitlines()[1:] == ["       -    +", " no  2/3  1/3", "yes  1/3  2/3"]
    assert "<td>2/3</td>" in COIN._repr_html_()
    large = repr(Channel.random(100, 100, seed=1)).splitlines()
    assert len(large) == 13
    assert all(len(line) <= 80 for line in large)
    assert "<script>" not in Channel([[1]], ["<script>"])._repr_html_()


def test_the_usual_channels() -> None:
    assert Channel.identity(["a", "b"])["a", "a"] == 1
    assert Channel.no_interference(3).shape == (3, 1)
    same = Channel.no_interference(3, Distribution({"x": "1/4", "y": "3/4"}))
    assert same.row(2) == Distribution({"x": "1/4", "y": "3/4"})
    parity = Channel.deterministic(lambda x: x % 2, range(4))
    assert parity[3, 1] == 1
    assert Channel.deterministic({"a": 0, "b": 0}, ["a", "b"]).outputs == (0,)
    assert Channel.random(3, 4, seed=1) == Channel.random(3, 4, seed=1)
    assert Channel.random(3, 4, seed=1) != Channel.random(3, 4, seed=2)
    assert Channel.normalised({"a": {"x": 1, "y": 3}})["a", "y"] == Fraction(3, 4)


@given(st.data())
def test_a_cascade_is_the_matrix_product(data: st.DataObject) -> None:
    first, second, third = (
        data.draw(channels(inputs=n, outputs=m)) for n, m in ((3, 4), (4, 2), (2, 3))
    )
    both = first.then(second)
    assert (both.matrix.sum(axis=1) == 1).all()
    for x in range(3):
        for z in range(2):
            assert both[x, z] == sum(first[x, y] * second[y, z] for y in range(4))
    assert both.then(third) == first.then(second.then(third))
    assert np.allclose(first.float().then(second).to_numpy(), both.to_numpy(), atol=1e-15)


def test_a_cascade_goes_by_labels() -> None:
    swapped = Channel({"+": {"hot": 1}, "-": {"cold": 1}})
    assert COIN.then(swapped)["yes", "hot"] == Fraction(2, 3)
    with pytest.raises(Mismatch, match="'-' is only in one"):
        COIN.then(COIN)


def test_restricting_permuting_and_merging() -> None:
    assert COIN.restrict(["yes"]).inputs == ("yes",)
    assert COIN.permute(["+", "-"]).matrix[0].tolist() == [fmpq(1, 3), fmpq(2, 3)]
    assert COIN.permute(["+", "-"])["no", "+"] == COIN["no", "+"]
    three = Channel([["1/2", "1/4", "1/4"]], outputs=list("abc"))
    assert three.merge({"a": "c"}).outputs == ("c", "b")
    assert three.merge({"a": "c"})[0, "c"] == Fraction(3, 4)
    assert three.merge(lambda z: "all")[0, "all"] == 1


@given(channels(most=4))
def test_reduction_forgets_what_tells_nothing(channel: Channel) -> None:
    m = channel.shape[1]
    halves = np.concatenate([channel.matrix / 2, channel.matrix / 2, channel.matrix * 0], axis=1)
    padded = Channel(halves)
    reduced = channel.reduced()
    assert (reduced.matrix.max(axis=0) > 0).all()
    assert reduced.reduced() == reduced
    assert (padded.reduced().matrix == reduced.matrix).all()
    assert np.allclose(padded.float().reduced().to_numpy(), reduced.to_numpy())
    columns = {tuple(c / c.sum()) for c in channel.matrix.T if c.sum() > 0}
    assert reduced.shape[1] == len(columns) <= m


def test_nearly_proportional_float_columns_stay_apart() -> None:
    close = Channel([[0.5, 0.5], [0.5 + 1e-6, 0.5 - 1e-6]])
    assert close.reduced().shape == (2, 2)
    assert Channel([[0.1, 0.2, 0.7], [0.2, 0.4, 0.4]]).reduced().shape == (2, 2)


def test_reducing_floats_keeps_zeros_and_does_not_drift() -> None:
    told = Channel([[1e-10, 0.0, 1 - 1e-10], [0.3, 0.3, 0.4]])
    assert told.reduced().shape == (2, 3)
    drift = np.array([[1.0, 1.0 + k * 1e-9] for k in range(60)]).T
    assert Channel.normalised(drift).reduced().shape[1] > 30


def test_pandas_rows_go_by_label_and_other_tables_are_refused() -> None:
    rows = {"x": pd.Series({"a": 0.9, "b": 0.1}), "y": pd.Series({"b": 0.1, "a": 0.9})}
    channel = Channel(rows)
    assert channel.outputs == ("a", "b")
    assert channel.row("x") == channel.row("y")
    with pytest.raises(InvalidChannel, match="row 0 of the channel must be a row of numbers"):
        Channel([{1: "1/2", 0: "1/2"}])
    with pytest.raises(InvalidChannel, match="masked"):
        Channel(np.ma.array([[0.5, 0.5]], mask=[[True, False]]))


def test_odd_but_right_entries_are_read() -> None:
    assert Channel(np.eye(2, dtype=bool))[0, 0] == 1
    assert "-0" not in repr(Channel([[-0.0, 1.0]]))
    long = Fraction(1, 2**20000)
    assert Channel([[long, 1 - long]])[0, 0] == long
    assert repr(Channel([[long, 1 - long]]))


def test_outputs_and_names_that_cannot_be_are_refused() -> None:
    with pytest.raises(Mismatch, match="distinct labels"):
        COIN.permute(["-", "-"])
    with pytest.raises(InvalidChannel, match="must name every input, but not 2"):
        Channel.deterministic({1: "a"}, [1, 2])
    with pytest.raises(InvalidChannel, match="must be hashable"):
        COIN.merge(lambda z: [z])  # type: ignore[arg-type,return-value]
    with pytest.raises(InvalidChannel, match="a function or a mapping"):
        COIN.merge(None)  # type: ignore[arg-type]
    with pytest.raises(Mismatch, match=r"got the text 'no': write \['no'\]"):
        COIN.restrict("no")
    with pytest.raises(InvalidChannel, match="a label must be hashable"):
        Channel(np.eye(1), [(1, [2])])


@pytest.mark.parametrize("row", [[75, 25], [62.5, 37.5]])
def test_percentages_are_told_from_other_rows_that_do_not_sum_to_1(row: list[float]) -> None:
    with pytest.raises(InvalidChannel, match=r"got 100.*; 25 per cent is written 0.25 or 1/4"):
        Channel([row])


def test_rows_that_do_not_sum_to_one_are_named() -> None:
    with pytest.raises(InvalidChannel, match="row 'blue' of the channel must sum to 1, got 5/6"):
        Channel({"red": ["1/2", "1/2"], "blue": ["1/2", "1/3"]})
    with pytest.raises(InvalidChannel, match=r"row 0 .* up to rounding, got 0\.99"):
        Channel([[0.33, 0.33, 0.33]])
    assert not Channel([[0.1] * 10]).is_exact  # the sum of ten 0.1 is not 1, but up to rounding


def test_unknown_labels_are_answered_with_a_suggestion() -> None:
    with pytest.raises(Mismatch, match="there is no input 'yse'; did you mean 'yes'"):
        COIN["yse", "+"]
    with pytest.raises(Mismatch, match="there is no output 7; there are '-', '\\+'"):
        COIN["yes", 7]
    with pytest.raises(Mismatch, match="no input 'maybe'"):
        COIN.restrict(["maybe"])
    with pytest.raises(Mismatch, match="no output 'z'"):
        COIN.merge({"z": "-"})


def test_pandas_gets_it_back() -> None:
    assert Channel(COIN.to_pandas()) == COIN
    pairs = Channel.identity([("a", 1), ("b", 2)])
    assert Channel(pairs.to_pandas()) == pairs


@given(channels_and_priors())
def test_the_reverse_has_the_posteriors_and_reversed_again_the_rows(
    pair: tuple[Channel, Distribution],
) -> None:
    channel, prior = pair
    back = channel.reverse(prior)
    outer = {
        z: sum((Fraction(prior[x]) * Fraction(channel[x, z]) for x in channel.inputs), Fraction(0))
        for z in channel.outputs
    }
    assert set(back.inputs) == {z for z, p in outer.items() if p}
    for z in back.inputs:
        for x in channel.inputs:
            assert back[z, x] == Fraction(prior[x]) * Fraction(channel[x, z]) / outer[z]
    again = back.reverse({z: outer[z] for z in back.inputs})
    for x in again.inputs:
        assert [again[x, z] for z in again.outputs] == [channel[x, z] for z in again.outputs]


@given(channels_and_priors(), st.data())
def test_what_is_seen_of_a_function_or_of_something_correlated(
    pair: tuple[Channel, Distribution], data: st.DataObject
) -> None:
    channel, prior = pair
    correlated = data.draw(channels(inputs=channel.shape[0]))
    seen = channel.about(correlated, prior)
    for w in seen.inputs:
        weights = {x: Fraction(prior[x]) * Fraction(correlated[x, w]) for x in channel.inputs}
        for z in channel.outputs:
            joint = sum((p * Fraction(channel[x, z]) for x, p in weights.items()), Fraction(0))
            assert seen[w, z] == joint / sum(weights.values())
    parity = channel.about(lambda x: x % 2, prior)
    assert parity == channel.about(Channel.deterministic(lambda x: x % 2, channel.inputs), prior)


def test_an_exact_row_that_misses_1_by_a_hair_is_refused() -> None:
    hair = Fraction(1, 10**30)
    for off in (hair, -hair):
        with pytest.raises(InvalidChannel, match="must sum to 1"):
            Channel([["1/2", "1/2"], ["1/2", Fraction(1, 2) + off]])


def test_a_channel_is_an_array_of_floats_and_a_table_of_fractions() -> None:
    channel = Channel([["2/3", "1/3"], ["1/4", "3/4"]])
    assert np.asarray(channel).tolist() == [[2 / 3, 1 / 3], [0.25, 0.75]]
    assert np.asarray(channel, dtype=np.float32).dtype == np.float32
    assert channel.fractions == ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 4), Fraction(3, 4)))
    assert Channel([[0.25, 0.75]]).fractions == ((Fraction(1, 4), Fraction(3, 4)),)


def test_a_row_is_found_by_its_input_and_a_cascade_is_a_product() -> None:
    coin = Channel([["2/3", "1/3"], ["1/4", "3/4"]], ["no", "yes"], ["-", "+"])
    assert coin["yes"] == coin.row("yes")
    assert coin["yes"]["+"] == coin["yes", "+"] == Fraction(3, 4)
    back = Channel([[1, 0], ["1/2", "1/2"]], ["-", "+"], ["a", "b"])
    assert coin @ back == coin.then(back)
    assert (coin @ back)["no", "b"] == Fraction(1, 3) * Fraction(1, 2)
    with pytest.raises(Mismatch, match="input"):
        coin["perhaps"]
    with pytest.raises(TypeError):
        coin @ [[1]]  # type: ignore[operator]


def test_a_negative_number_is_refused_even_if_it_is_too_small_for_a_float() -> None:
    tiny = Fraction(1, 10**400)
    with pytest.raises(InvalidChannel, match="at least 0"):
        Channel([[1 + tiny, -tiny], [1, 0]])
    assert Channel([[1 - tiny, tiny], [1, 0]])[0, 1] == tiny
