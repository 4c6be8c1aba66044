from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.file import read_channel, write_channel
from leaktight.errors import InvalidFile, TooLarge
from tests.strategies.channels import channels

SCALAR = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=6),
    st.sampled_from(["1", "true", "null", '"', "[1]", "NaN", "a,b", " a", "1/2", "a\nb", ""]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.none(),
)
FUNCTION = '{"format": "leaktight channel", "inputs": [0, 1], "outputs": ["x", "y"], '
LABEL = st.one_of(SCALAR, st.tuples(SCALAR, st.tuples(SCALAR)))


@pytest.mark.parametrize("suffix", [".csv", ".json"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(channel=channels(most=4), data=st.data())
def test_values_and_labels_survive_a_file(
    suffix: str, tmp_path: Path, channel: Channel, data: st.DataObject
) -> None:
    n, m = channel.shape
    inputs = data.draw(st.lists(LABEL, min_size=n, max_size=n, unique=True))
    outputs = data.draw(st.lists(LABEL, min_size=m, max_size=m, unique=True))
    file = tmp_path / f"channel{suffix}"
    for labelled in (Channel(channel, inputs, outputs), Channel(channel.float(), inputs, outputs)):
        write_channel(labelled, file)
        back = read_channel(file)
        assert back == labelled
        assert back.is_exact == labelled.is_exact
        assert list(map(repr, back.inputs)) == list(map(repr, labelled.inputs))


def test_long_fractions_survive_a_file(tmp_path: Path) -> None:
    long = Fraction(1, 2**20000)
    channel = Channel([[long, 1 - long]], ["a\r\nb"])
    for suffix in (".csv", ".json"):
        write_channel(channel, tmp_path / f"long{suffix}")
        assert read_channel(tmp_path / f"long{suffix}") == channel


def test_a_table_typed_by_hand_is_exact(tmp_path: Path) -> None:
    file = tmp_path / "typed.csv"
    file.write_text("answer, no, yes\nno, 0.9, 1/10\n\nyes, 0.25, 0.75\n")
    channel = read_channel(file)
    assert channel["no", "yes"] == Fraction(1, 10)
    assert channel.inputs == ("no", "yes")


def test_a_table_printed_by_a_program_is_floating_point(tmp_path: Path) -> None:
    file = tmp_path / "printed.csv"
    matrix = Channel.random(4, 7, seed=3).to_numpy()
    np_rows = "\n".join(f"{i}," + ",".join(map(repr, row.tolist())) for i, row in enumerate(matrix))
    file.write_text(",a,b,c,d,e,f,g\n" + np_rows)
    channel = read_channel(file)
    assert not channel.is_exact
    assert np.array_equal(channel.matrix, matrix)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "needs a line of outputs"),
        ("a.csv", ",x,y\n0,1\n", "line 2 must have 3 cells"),
        ("a.csv", ",x,y\n0,1,0\n\n1,0.5,0.4\n", "row 1 of the channel must sum to 1, got 9/10"),
        (
            "a.csv",
            ",x,y\n0,1,zero\n",
            "line 2, output 'y': expected a number such as '1/3' or '0.25', got 'zero'",
        ),
        (
            "a.csv",
            "float,x,y\n0,1e-400,1\n",
            "line 2, output 'x': 1e-400 is too small for a float",
        ),
        ("a.csv", ",x,x\n0,1,0\n", "output must have a label of its own, got 'x' twice"),
        ("a.csv", ";x;y\n0;1;0\n", "separated by commas, this file seems to use ';'"),
        ("a.csv", ",x,y\n0,1e-400,1\n", "a number is too small for a float"),
        ("a.json", "{", "not JSON"),
        ("a.json", "[]", "format"),
        ("a.json", '{"format": "leaktight channel", "inputs": [0]}', '"outputs" must be a list'),
        ("a.json", FUNCTION + '"shows": [0]}', "for each input, got 1 for 2"),
        ("a.json", FUNCTION + '"shows": [0, 2]}', "from 0 to 1, got 2"),
        ("a.json", FUNCTION + '"shows": [0, -1]}', "from 0 to 1, got -1"),
        ("a.json", FUNCTION + '"shows": [0, true]}', "from 0 to 1, got True"),
        ("a.json", FUNCTION + '"shows": [0, [1]]}', "from 0 to 1, got [1]"),
        ("a.json", FUNCTION + '"shows": 3}', '"shows" must be a list'),
        ("a.json", FUNCTION.replace('"y"', '"x"') + '"shows": [0, 1]}', "got 'x' twice"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.csv", f",x,y\n{'[' * 100_000},1,0\n", "nested too deeply"),
        ("a.txt", "", "must end in .csv or .json"),
    ],
)
def test_a_file_that_is_no_channel_is_refused_by_name(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(InvalidFile, match=name) as caught:
        read_channel(file)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_matrix_without_names_is_told_what_it_lacks(tmp_path: Path) -> None:
    file = tmp_path / "bare.csv"
    file.write_text("5.0e-01,5.0e-01\n2.5e-01,7.5e-01\n")
    with pytest.raises(InvalidFile, match="the first line must name the outputs"):
        read_channel(file)


def test_a_missing_or_binary_file_and_an_unwritable_label(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="no file"):
        read_channel(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01\xff")
    with pytest.raises(InvalidFile, match="readable text"):
        read_channel(tmp_path / "binary.csv")
    with pytest.raises(InvalidFile, match="a label in a file"):
        write_channel(Channel.identity([frozenset("a")]), tmp_path / "set.json")
    with pytest.raises(InvalidFile, match="a finite number"):
        write_channel(Channel.identity([float("inf")]), tmp_path / "infinite.csv")
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_channel(Channel.identity(2), tmp_path / "no" / "folder.csv")


def test_a_function_is_written_as_one_output_for_each_input(tmp_path: Path) -> None:
    """65,536 inputs and outputs, of which no matrix can be made."""
    same = Channel.deterministic(lambda x: x, range(2**16))
    write_channel(same, tmp_path / "same.json")
    assert (tmp_path / "same.json").stat().st_size < 2**21
    back = read_channel(tmp_path / "same.json")
    assert back == same
    assert isinstance(back, Deterministic)
    with pytest.raises(TooLarge, match=r"a name that ends in \.json"):
        write_channel(same, tmp_path / "same.csv")
    some = Channel.deterministic(lambda x: x, range(2**11 + 1))  # a matrix could be made, of 8 MB
    with pytest.raises(TooLarge, match=r"2,049 × 2,049 numbers, and may have 4,194,304"):
        write_channel(some, tmp_path / "some.csv")
    assert not (tmp_path / "some.csv").exists()
    parity = Channel.deterministic(lambda x: ("odd", x % 2), range(5))
    for name in ("parity.csv", "parity.json"):
        write_channel(parity, tmp_path / name)
        assert read_channel(tmp_path / name) == parity
        assert np.array_equal(read_channel(tmp_path / name).matrix, parity.matrix)
