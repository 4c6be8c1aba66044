"""Types, and how likely each is: listed, in floats, and in whole numbers."""

from fractions import Fraction
from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.exact.numbers import Array, exact_array, public, rational
from leaktight.repetition.types import Likelihoods, Scaled, TypeClasses
from leaktight.repetition.types.likelihoods import STRIDE
from leaktight.repetition.types.numerators import Numerators
from leaktight.repetition.types.type_classes import compositions
from tests.strategies.channels import channels


@st.composite
def several_types(draw: st.DrawFn) -> TypeClasses:
    """Up to three channels on two or three classes, each observed a few times."""
    inputs = draw(st.integers(2, 3))
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        matrix = draw(channels(inputs=inputs, outputs=draw(st.integers(2, 4)))).matrix
        parts.append((matrix, draw(st.integers(1, 4))))
    return TypeClasses.of(parts)


def value(scaled: Scaled, *at: int) -> fmpq:
    """The exact number that a float with an exponent of its own stands for."""
    fraction = fmpq(*float(scaled.fraction[at]).as_integer_ratio())
    return fraction * fmpq(2) ** int(scaled.exponent[at]) if fraction else fraction


def probability(row: Array, counts: list[int]) -> fmpq:
    """Of one sequence with these counts."""
    whole = fmpq(1)
    for p, k in zip(row, counts, strict=True):
        whole *= p**k
    return whole


@pytest.mark.parametrize(("n", "m"), [(0, 1), (0, 3), (4, 1), (5, 2), (4, 4), (7, 3)])
def test_compositions_are_all_ways_to_split_n(n: int, m: int) -> None:
    found = compositions(n, m).tolist()
    assert sorted(map(tuple, found)) == sorted(
        t for t in product(range(n + 1), repeat=m) if sum(t) == n
    )


@settings(max_examples=40)
@given(several_types(), st.integers(1, 40))
def test_lines_go_through_every_type_once(types: TypeClasses, width: int) -> None:
    found = [
        tuple(row)
        for lines in types.lines(width * 2**12)
        for row in lines.of_types(np.arange(len(lines.counts) * (lines.r + 1))).tolist()
    ]
    assert sorted(found) == sorted(map(tuple, types.listed().tolist()))
    assert len(set(found)) == len(found) == types.count
    assert sum(len(lines.counts) for lines in types.lines(1)) == types.line_count


def test_lines_are_drawn_along_the_channel_that_is_seen_most_often() -> None:
    matrix = exact_array(["1/2", "1/2"] * 2).reshape(2, 2)
    assert TypeClasses.of([(matrix, 9), (matrix, 3)]).line_count == 4


def test_types_are_counted_without_listing_them() -> None:
    matrix = exact_array(["1/10"] * 20).reshape(2, 10)
    assert TypeClasses.of([(matrix, 1000)]).count == comb(1009, 9)


@pytest.mark.parametrize("text", ["1/3", "7/10", "1", "1e-900", "0.999999999999"])
@pytest.mark.parametrize("n", [0, 1, STRIDE - 1, STRIDE, STRIDE + 1, 150])
def test_a_series_is_off_by_few_roundings_however_small_it_is(text: str, n: int) -> None:
    base = rational(text)
    series = Scaled.series(int(base.p), int(base.q), n)
    assert series.fraction.shape == series.exponent.shape == (n + 1,)
    for k in range(n + 1):
        off = value(series, k) / (base**k / factorial(k)) - 1
        assert abs(off) <= fmpq(3 * STRIDE, 2**53)


def test_the_series_of_zero_is_one_and_then_zero() -> None:
    series = Scaled.series(0, 1, 3)
    assert [value(series, k) for k in range(4)] == [1, 0, 0, 0]


@settings(max_examples=30)
@given(several_types())
def test_floats_agree_with_the_exact_probabilities_of_all_types(types: TypeClasses) -> None:
    likelihoods, numbers = Likelihoods.of(types), Numerators.of(types)
    times = [n for _, n in types.parts]
    entries = len(types.times) + len(types.parts)
    for lines in types.lines(1):
        found = likelihoods.on(lines, times)
        counts = lines.of_types(np.arange(len(lines.counts) * (lines.r + 1)))
        ways = numbers.ways(counts)
        for c, row in enumerate(types.matrix):
            for at, each in enumerate(counts.tolist()):
                line, t = divmod(at, lines.r + 1)
                exact = probability(row, each) * ways[at]
                off = abs(value(found, c, line, t) - exact)
                assert off <= exact * fmpq((3 * STRIDE + 2) * entries, 2**53)


@settings(max_examples=30)
@given(several_types(), st.integers(0, 2))
def test_tables_serve_fewer_observations_too(types: TypeClasses, fewer: int) -> None:
    less = TypeClasses(tuple((matrix, max(n - fewer, 0)) for matrix, n in types.parts))
    times = [n for _, n in less.parts]
    large, small = Likelihoods.of(types), Likelihoods.of(less)
    for lines in less.lines(1):
        one, other = large.on(lines, times), small.on(lines, times)
        assert np.array_equal(one.fraction, other.fraction)
        assert np.array_equal(one.exponent[one.fraction > 0], other.exponent[one.fraction > 0])


@settings(max_examples=30)
@given(several_types())
def test_whole_numbers_are_the_probabilities_over_the_denominators(types: TypeClasses) -> None:
    numbers, counts = Numerators.of(types), types.listed()
    sequences, ways = numbers.sequences(counts), numbers.ways(counts)
    common = fmpq(1)
    for d, n in zip(numbers.common(), numbers.times, strict=True):
        common *= fmpq(d) ** n
    for c, row in enumerate(types.matrix):
        for at, each in enumerate(counts.tolist()):
            assert sequences[c, at] / common == probability(row, each)
        assert (sequences[c] * ways).sum() / common == 1


@settings(max_examples=30)
@given(several_types())
def test_stretches_of_lines_sum_to_their_types(types: TypeClasses) -> None:
    numbers = Numerators.of(types)
    for lines in types.lines(1):
        counts = lines.of_types(np.arange(len(lines.counts) * (lines.r + 1)))
        ways, prefixes = numbers.ways(counts), numbers.prefixes(lines, [0, 1])
        for c in (0, 1):
            sums = numbers.running_sums(c, lines.r, None)
            for line, prefix in enumerate(prefixes[c]):
                total = fmpq(0)
                for t in range(lines.r + 1):
                    at = line * (lines.r + 1) + t
                    total += probability(types.matrix[c], counts[at].tolist()) * ways[at]
                    assert total == fmpq(prefix * sums[t + 1], numbers.whole()[c])


@pytest.mark.parametrize("pair", [(3, 1), (0, 1), (1, 0), (2**70, 3)])
def test_pascals_rule_gives_the_running_sums(pair: tuple[int, int]) -> None:
    """Row by row from the empty line, and directly."""
    total = sum(pair)
    row = exact_array([fmpq(pair[0], total), fmpq(pair[1], total)])
    numbers = Numerators.of(TypeClasses(((np.stack([row, row]), 1),)))
    sums = None
    for r in range(12):
        sums = numbers.running_sums(0, r, sums)
        assert sums.tolist() == numbers.running_sums(0, r, None).tolist()
        a, b = (int(p) for p in numbers.numerators[0])
        assert sums[-1] == (a + b) ** r


def test_rows_with_their_own_denominators_are_comparable() -> None:
    matrix = exact_array(["1/2", "1/2", "1/3", "2/3"]).reshape(2, 2)
    numbers = Numerators.of(TypeClasses(((matrix, 2),)))
    found = numbers.sequences(np.array([[1, 1], [0, 2]]))
    assert [[public(fmpq(p, 36)) for p in row] for row in found] == [
        [Fraction(1, 4), Fraction(1, 4)],
        [Fraction(2, 9), Fraction(4, 9)],
    ]


def test_long_fractions_take_no_longer_than_short_ones_and_agree_with_exact_powers() -> None:
    p, q, n = 10**200 + 1, 3 * 10**199, 2000
    series = Scaled.series(p, q, n)
    for k in (0, 1, 15, 16, 17, 1999, 2000):
        fraction, exponent = series.fraction[k].item(), int(series.exponent[k])
        exact = fmpq(p, q) ** k / factorial(k)
        off = rational(fraction) * fmpq(2) ** exponent / exact - 1
        assert abs(off) < 48 * fmpq(1, 2**53)
