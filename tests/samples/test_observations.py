"""Counting pairs: every way to give them counts the same, and what is wrong is named."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidFile, InvalidInput, LeaktightError, Mismatch, TooLarge
from leaktight.samples.observations import Observations, read_observations

PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-(10**12), 10**12)), min_size=1)


def by_label(seen: Observations) -> Counter[tuple[object, object]]:
    cells = zip(seen.rows, seen.columns, seen.counts.tolist(), strict=True)
    return Counter({(seen.secrets[x], seen.outputs[z]): n for x, z, n in cells})


@given(PAIRS)
def test_every_way_to_give_pairs_counts_the_same(pairs: list[tuple[int, int]]) -> None:
    secrets, outputs = map(list, zip(*pairs, strict=True))
    expected = Counter(pairs)
    frame = pd.DataFrame({"x": secrets, "z": outputs})
    for x, z in (
        (secrets, outputs),
        (np.array(secrets), np.array(outputs)),
        (np.array(secrets, dtype=np.int8), np.array(outputs, dtype=float)),
        (frame["x"], frame["z"]),
        (frame["x"].astype("category"), frame["z"].astype("Int64")),
        (tuple(secrets), iter(outputs)),
    ):
        seen = Observations(x, z)
        assert by_label(seen) == expected
        assert seen.total == len(pairs)
        assert list(seen.secrets) == sorted(set(secrets))


@given(PAIRS)
def test_a_table_of_counts_gives_the_same_observations(pairs: list[tuple[int, int]]) -> None:
    seen = Observations(*zip(*pairs, strict=True))
    again = Observations.from_counts(seen.table, seen.secrets, seen.outputs)
    assert by_label(again) == by_label(seen)
    table = pd.crosstab(*map(np.array, zip(*pairs, strict=True)))
    assert by_label(Observations.from_counts(table)) == by_label(seen)


@given(PAIRS)
def test_the_prior_and_the_channel_are_the_frequencies(pairs: list[tuple[int, int]]) -> None:
    seen = Observations(*zip(*pairs, strict=True))
    totals = Counter(x for x, _ in pairs)
    assert dict(seen.prior().items()) == {x: Fraction(n, len(pairs)) for x, n in totals.items()}
    channel = seen.channel()
    assert Channel(channel.matrix, channel.inputs, channel.outputs) == channel  # its rows sum to 1
    for (x, z), n in Counter(pairs).items():
        assert channel[x, z] == Fraction(n, totals[x])


def test_labels_of_any_kind_have_an_order_that_the_samples_do_not_change() -> None:
    mixed = [("a", 1), 2, "b", 2, ("a", 1)]
    there, back = Observations(mixed, range(5)), Observations(mixed[::-1], range(5))
    assert there.secrets == back.secrets == (2, "b", ("a", 1))


def test_large_and_unsigned_integers_keep_their_values() -> None:
    values = np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], dtype=np.uint64)
    seen = Observations(values, np.array([-(2**63), 2**63 - 1, 0]))
    assert seen.secrets == (2**64 - 3, 2**64 - 1)
    assert seen.outputs == (-(2**63), 0, 2**63 - 1)


def test_millions_of_different_outputs_need_no_table() -> None:
    seen = Observations(np.arange(10**6) % 1000, np.arange(10**6) / 7)
    assert seen.total == len(seen.counts) == 10**6
    assert repr(seen) == "1,000,000 samples, 1,000 secrets × 1,000,000 outputs"
    with pytest.raises(TooLarge, match="would have 1,000,000,000 entries"):
        seen.channel()


def test_outputs_without_samples_stay_in_a_table_of_counts() -> None:
    seen = Observations.from_counts([[1, 0, 2]], outputs=["x", "y", "z"])
    assert seen.channel()[0, "y"] == 0


# --- files ---------------------------------------------------------------------------------


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "runs.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_is_read_by_its_column_names(tmp_path: Path) -> None:
    file = written(tmp_path, '\ufeffrun, key ,"time, ms"\n1,a, 20\n\n2,b,30\n3,a,20\n')
    seen = read_observations(file, "key", "time, ms")
    assert by_label(seen) == {("a", "20"): 2, ("b", "30"): 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("key,time\na,1\nb,\n", "runs.csv: line 3, column 'time': a value must be there"),
        ("key,time\na,1\nb\n", "runs.csv: line 3, column 'time': a value must be there"),
        ("key,tiem\na,1\n", "runs.csv: there is no column 'time'; did you mean 'tiem'"),
        ("key,time\n", "runs.csv: there must be at least one sample"),
        ("", "runs.csv: there is no column 'key'"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidFile, match=message) as caught:
        read_observations(written(tmp_path, text), "key", "time")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="there is no file"):
        read_observations(tmp_path / "none.csv", "key", "time")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidFile, match="must be a readable text file"):
        read_observations(file, "key", "time")


# --- mistakes ------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[Callable[[], object], type[LeaktightError], str]] = {
    "a secret too many": (lambda: Observations([1, 2], ["z"]), Mismatch, "got 2 secrets and 1 out"),
    "no samples": (lambda: Observations([], []), InvalidInput, "at least one sample, got none"),
    "a text": (
        lambda: Observations("ab", ["x", "y"]),
        InvalidInput,
        "expected one secret for",
    ),
    "a number": (lambda: Observations([1], 7), InvalidInput, "expected one output for"),  # type: ignore[arg-type]
    "None": (
        lambda: Observations([1, 2], ["z", None]),
        InvalidInput,
        "sample 1: the output must be there, got None; leave such samples out",
    ),
    "not a number": (
        lambda: Observations(np.array([1.0, math.nan]), [1, 2]),
        InvalidInput,
        "sample 1: the secret must be there, got nan",
    ),
    "pandas' NA": (
        lambda: Observations([1, 2], pd.Series([1, None], dtype="Int64")),
        InvalidInput,
        "sample 1: the output must be there, got (nan|<NA>)",
    ),
    "masked": (
        lambda: Observations(np.ma.masked_equal([1, 2], 2), [1, 2]),
        InvalidInput,
        "masked entries",
    ),
    "two axes": (lambda: Observations(np.eye(2), [1, 2]), InvalidInput, "got an array of 2 axes"),
    "a list as a label": (
        lambda: Observations([[1], [2]], [1, 2]),  # type: ignore[list-item]
        InvalidInput,
        "a secret must be hashable; make lists tuples",
    ),
    "half a sample": (
        lambda: Observations.from_counts({"a": {"x": 0.5}}),
        InvalidInput,
        "count of output 'x' for secret 'a' must be a whole number .* got 0.5",
    ),
    "a negative count": (lambda: Observations.from_counts([[3, -1]]), InvalidInput, "got -1"),
    "a fraction": (lambda: Observations.from_counts([["1/2"]]), InvalidInput, "got 1/2"),
    "a secret without samples": (
        lambda: Observations.from_counts({"a": [1, 2], "b": [0, 0]}),
        InvalidInput,
        "every secret must have samples, got none of 'b'; leave it out",
    ),
    "too many samples": (
        lambda: Observations.from_counts([[10**9, 1]]),
        TooLarge,
        "there are 1,000,000,001 samples",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_one_clear_line(mistake: str) -> None:
    make, error, message = MISTAKES[mistake]
    with pytest.raises(error, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
