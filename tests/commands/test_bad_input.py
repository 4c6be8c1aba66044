"""Whatever is wrong, one clear line of the package's own errors says so."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leaktight as lt

COIN = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])
NOT_A_FILE = Path(__file__).parent / "no" / "channel.csv"

MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "no rows": (lambda: lt.Channel([]), "at least one row"),
    "no columns": (lambda: lt.Channel([[], []]), "at least one row and one column"),
    "a number": (lambda: lt.Channel(7), "rows of numbers, got 7"),
    "a text": (lambda: lt.Channel("1/2 1/2"), "rows of numbers, got '1/2 1/2'"),
    "one row": (lambda: lt.Channel([0.5, 0.5]), "row 0 of the channel must be a row of numbers"),
    "three dimensions": (lambda: lt.Channel(np.ones((1, 1, 1))), "two dimensions, got 3"),
    "ragged rows": (lambda: lt.Channel([[1, 0], [1]]), "row 1 of the channel must have 2 entries"),
    "a negative entry": (
        lambda: lt.Channel({"a": ["3/2", "-1/2"]}),
        "row 'a' of the channel must hold numbers of at least 0, got -1/2 for output 1",
    ),
    "not a number": (lambda: lt.Channel([[math.nan, 1]]), "row 0 .* got nan"),
    "infinity": (lambda: lt.Channel([[math.inf, 0]]), "row 0 .* must sum to 1"),
    "a row below 1": (lambda: lt.Channel([[1, 0], ["1/2", "1/3"]]), "row 1 .* got 5/6"),
    "floats far from 1": (lambda: lt.Channel([[0.5, 0.49]]), "row 0 .* up to rounding, got 0.99"),
    "a word": (lambda: lt.Channel([["1/2", "half"]]), "row 0 .* expected a number .* got 'half'"),
    "division by zero": (lambda: lt.Channel([["1/0", 1]]), "row 0 .* denominator must not be 0"),
    "None": (lambda: lt.Channel([[None, 1]]), "row 0 .* got None"),
    "an input twice": (lambda: lt.Channel(np.eye(2), ["a", "a"]), "each input .* got 'a' twice"),
    "an output twice": (
        lambda: lt.Channel(pd.DataFrame(np.eye(2), columns=["z", "z"])),
        "each output .* got 'z' twice",
    ),
    "too few labels": (lambda: lt.Channel(np.eye(2), ["a"]), "each input, got 1 for 2"),
    "an unhashable label": (lambda: lt.Channel(np.eye(2), [["a"], ["b"]]), "hashable"),  # type: ignore[list-item]
    "a mapping without a row": (
        lambda: lt.Channel({"a": [1]}, inputs=["b"]),
        "rows must be those of the mapping, got",
    ),
    "a mapping of mixed rows": (
        lambda: lt.Channel({"a": {"x": 1}, "b": [1]}),
        "row 'b' of the channel must be a mapping like the others",
    ),
    "a denominator of 0": (lambda: lt.decide_bound(lt.SecretGraph.line(2), [1], [0]), r"got \[0\]"),
    "one value to choose for": (
        lambda: lt.repetition.largest_ratio_below(lt.SecretGraph.line(1), "1/2"),
        "every guess is right before anything is seen",
    ),
    "one value to keep below": (
        lambda: lt.repetition.largest_n(lt.SecretGraph.line(1), "1/2", ratio=2),
        "every guess is right before anything is seen",
    ),
    "weights that vanish": (lambda: lt.Channel.normalised([[0, 0]]), "row 0 must sum to more"),
    "a prior that sums to less": (
        lambda: lt.min_entropy_leakage(COIN, ["1/2", "1/3"]),
        "probabilities must sum to 1, got 5/6",
    ),
    "a prior of another length": (
        lambda: lt.min_entropy_leakage(COIN, ["1/2", "1/4", "1/4"]),
        "one probability per input, got 3 for 2",
    ),
    "a prior with a typo": (
        lambda: lt.min_entropy_leakage(COIN, {"no": "1/2", "yess": "1/2"}),
        "did you mean 'yes'",
    ),
    "a gain for other inputs": (
        lambda: lt.g_leakage(COIN, None, lt.Gain.binary(["a", "b"])),
        "must have the same labels, but 'no' is only in one",
    ),
    "a cascade that does not fit": (lambda: COIN.then(COIN), "must have the same labels"),
    "a file that is not there": (lambda: lt.read_channel(NOT_A_FILE), "there is no file"),
    "an epsilon below 0": (lambda: lt.Ratio.of(epsilon=-1), "ε must be at least 0, got -1"),
    "a ratio below 1": (lambda: lt.Ratio.of(ratio="1/2"), "at least 1"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gives_one_clear_line(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(lt.LeaktightError, match=message) as caught:
        make()
    assert isinstance(caught.value, lt.errors.InvalidInput)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
