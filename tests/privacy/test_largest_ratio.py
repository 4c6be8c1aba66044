"""The largest ratio of neighbouring entries, against all ratios compared as fractions."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from leaktight.exact.numbers import exact_array, public
from leaktight.privacy.largest_ratio import Found, largest_of_columns, largest_ratio

NEAR = [0.1 * (1 + k * 2.0**-52) for k in range(4)] + [0.3 * (1 + k * 2.0**-52) for k in range(4)]
"""Floats a unit in the last place apart: many quotients round to the same, few ratios are equal."""

entries = st.one_of(st.sampled_from([*NEAR, 0.75, 0.25, 0.1875, 0.0, 2.0**-400]), st.floats(0, 1))
matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(entries, min_size=width, max_size=width), min_size=2)
)


def brute(rows: list[list[float]], pairs: list[tuple[int, int]]) -> Fraction | float:
    best: Fraction | float = Fraction(1)
    for i, h in pairs:
        for a, b in zip(rows[i], rows[h], strict=True):
            low, high = sorted((Fraction(a), Fraction(b)))
            if high:
                best = max(best, high / low if low else math.inf)
    return best


@given(matrices, st.data())
def test_it_is_the_largest_of_all_fractions(rows: list[list[float]], data: st.DataObject) -> None:
    every = list(combinations(range(len(rows)), 2))
    pairs = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    for matrix in (np.array(rows), np.array([exact_array(row) for row in rows])):
        ratio, at = largest_ratio(matrix, np.array(pairs))
        assert public(ratio) == brute(rows, pairs)
        if at is None:
            assert ratio == 1
        else:
            i, h, z = at
            assert (i, h) in pairs or (h, i) in pairs
            if rows[h][z] == 0:
                assert ratio == math.inf
            else:
                assert Fraction(rows[i][z]) / Fraction(rows[h][z]) == public(ratio)


def test_where_it_is_does_not_depend_on_which_numbers_are_the_same_objects() -> None:
    """A matrix that was read has an object for each text, one that was made for each entry."""
    third, sixth = fmpq(1, 3), fmpq(1, 6)
    shared = [[third, sixth], [sixth, third], [third, sixth], [sixth, third]]
    copied = [[fmpq(x.p, x.q) for x in row] for row in shared]
    for rows in (shared, copied):
        assert largest_of_columns(np.array(rows)) == Found(fmpq(2), (0, 1, 0))


def test_many_ties_in_several_blocks_are_settled() -> None:
    """Of 2,000 columns with the same quotient in floats, the largest ratio is found."""
    rng = np.random.default_rng(5)
    matrix = rng.choice(NEAR, (40, 2000))
    pairs = np.array(list(combinations(range(40), 2)))
    low, high = min(NEAR), max(NEAR)
    matrix[3, 77], matrix[9, 77] = low, high
    assert public(largest_ratio(matrix, pairs).ratio) == Fraction(high) / Fraction(low)


@given(matrices)
def test_over_all_pairs_it_is_the_largest_of_the_columns(rows: list[list[float]]) -> None:
    """The largest and the least entry of each column suffice, floats and exact numbers alike."""
    every = list(combinations(range(len(rows)), 2))
    for matrix in (np.array(rows), np.array([exact_array(row) for row in rows])):
        ratio, at = largest_of_columns(matrix)
        assert public(ratio) == brute(rows, every)
        assert (at is None) == (ratio == 1)
        if at is not None:
            i, h, z = at
            assert brute([[rows[i][z]], [rows[h][z]]], [(0, 1)]) == public(ratio)
            assert rows[i][z] > rows[h][z]


THIRD = Fraction(1, 3)
CLOSE = [THIRD + Fraction(k, 10**40) for k in range(3)] + [THIRD**900, THIRD**900 * 2, Fraction(0)]
"""Numbers that floats do not tell apart, and some that are too small for a float."""


@given(st.lists(st.lists(st.sampled_from(CLOSE), min_size=3, max_size=3), min_size=2, max_size=4))
def test_numbers_that_floats_do_not_tell_apart_are_compared_exactly(
    rows: list[list[Fraction]],
) -> None:
    pairs = list(combinations(range(len(rows)), 2))
    matrix = np.array([exact_array(row) for row in rows])
    best: Fraction | float = Fraction(1)
    for i, h in pairs:
        for low, high in map(sorted, zip(rows[i], rows[h], strict=True)):
            if high:
                best = max(best, high / low if low else math.inf)
    assert public(largest_ratio(matrix, np.array(pairs)).ratio) == best
    assert public(largest_of_columns(matrix).ratio) == best
