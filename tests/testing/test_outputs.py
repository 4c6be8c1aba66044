"""Outputs of any kind in columns, each of which says the same of an output in any company."""

import math
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.testing.outputs import LOWEST_BIT, WHOLE, Outputs, label, lowest_bit


@dataclass
class Answer:
    count: int
    name: str


class Plain:
    def __init__(self, value: float) -> None:
        self.value = value


Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("output", "name", "value"),
    [
        (3, "output", 3.0),
        (True, "output", 1.0),
        (np.array(2.5), "output", 2.5),
        (Fraction(1, 4), "output", 0.25),
        (Decimal("0.5"), "output", 0.5),
        (np.float32(0.5), "output", 0.5),
        (10**400, "output", math.inf),
        (-(10**400), "output", -math.inf),
        (None, "output is None", 1.0),
        (2 - 3j, "output.imag", -3.0),
        ("a bad cat", "'cat' in output", 1.0),
        ("a bad cat", "len(output)", 9.0),
        ([1, 5, 2], "output[1]", 5.0),
        ([1, 5, 2], "sum(output)", 8.0),
        ([1, 5, 2], "argmax(output)", 1.0),
        ([[1, 5], "x"], "max(output[0])", 5.0),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), "output[1][0]", 3.0),
        ({"a": {"b": 7}}, "output['a']['b']", 7.0),
        ({"a": 1}, "'a' in output", 1.0),
        ({"x", "y"}, "'x' in output", 1.0),
        (Answer(4, "q"), "output.count", 4.0),
        (Plain(2.5), "output.value", 2.5),
        (Pair(1, "z"), "output[0]", 1.0),
    ],
)
def test_parts_of_an_output_have_names_that_read_as_python(
    output: Any, name: str, value: float
) -> None:
    for rows in ([output], [output, "other"], [output, output]):
        assert name in Outputs(rows).names()
        assert Outputs(rows).column(name)[0] == value


def test_a_frame_is_read_column_by_column() -> None:
    import pandas as pd

    frame = pd.DataFrame({"age": [3, 4]})
    assert Outputs([frame]).column("output.age[1]").tolist() == [4.0]
    assert label(frame) == label(frame.copy())


values = st.recursive(
    st.one_of(
        st.integers(-3, 3), st.floats(), st.booleans(), st.none(), st.text(max_size=3),
        st.integers(2**53 - 2, 2**70),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(st.floats(), min_size=2, max_size=2),
        st.dictionaries(st.text(max_size=2), inner, max_size=3),
    ),
    max_leaves=4,
)  # fmt: skip


@given(st.lists(values, min_size=1, max_size=6))
def test_a_column_says_the_same_of_an_output_whatever_stands_beside_it(rows: list[Any]) -> None:
    """Or its counts would not be binomial."""
    whole = Outputs(rows)
    for name in [*whole.names(), WHOLE]:
        together = whole.column(name).tolist()
        alone = [Outputs([row]).column(name).tolist()[0] for row in rows]
        for one, other in zip(together, alone, strict=True):
            assert one == other or (one != one and other != other) or repr(one) == repr(other)


@given(st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=2, max_size=5))
def test_an_array_is_read_as_its_rows_are(rows: list[list[float]]) -> None:
    array, listed = Outputs(np.array(rows)), Outputs([*rows, "text"])
    for name in array.names():
        one, other = array.column(name), listed.column(name)[:-1]
        assert np.array_equal(one, other, equal_nan=True), name


def test_equal_outputs_have_equal_labels_and_others_have_not() -> None:
    assert label({"b": [1, {2}], "a": None}) == label({"a": None, "b": [1, {2}]})
    assert label([1, 2]) != label([2, 1])
    assert label(Answer(1, "a")) == label(Answer(1, "a")) != label(Answer(1, "b"))
    assert label([math.nan]) == label([float("nan")])
    assert label(np.array([1, 2])) == label([1, 2])


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_the_lowest_bit_is_that_of_the_fraction(value: float) -> None:
    (found,) = lowest_bit(np.array([value]))
    odd = Fraction(value) / Fraction(2) ** int(found)
    assert odd.denominator == 1
    assert odd.numerator % 2 == 1


def test_lowest_bits_are_looked_at_of_floats_alone() -> None:
    assert LOWEST_BIT + "output" in Outputs([0.5, 1.0]).names()
    assert LOWEST_BIT + "output" not in Outputs([0.5, 1.0]).names(low_bits=False)
    assert not any(name.startswith(LOWEST_BIT) for name in Outputs([1, 2, 3.0]).names())
