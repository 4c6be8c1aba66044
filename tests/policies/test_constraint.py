"""Count constraints, counted and listed against a walk through all databases."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidPolicy, TooLarge
from leaktight.policies import constraint
from leaktight.policies.constraint import Count, CountedDatabases, count


@st.composite
def counted_databases(draw: st.DrawFn) -> CountedDatabases:
    values = range(draw(st.integers(1, 4)))
    some = st.lists(st.sampled_from(values), min_size=1, unique=True).map(tuple)
    domains = draw(st.lists(some, min_size=1, max_size=5))
    if draw(st.booleans()):
        domains = [domains[0]] * len(domains)
    bound = st.integers(0, len(domains))
    counts = st.builds(lambda s, a, b: (frozenset(s), min(a, b), max(a, b)), some, bound, bound)
    return CountedDatabases(domains, draw(st.lists(counts, max_size=3)))


@given(counted_databases())
def test_what_is_counted_and_listed_is_what_a_walk_through_all_finds(
    databases: CountedDatabases,
) -> None:
    expected = [
        row
        for row in itertools.product(*map(sorted, databases.domains))
        if all(
            least <= sum(v in counted for v in row) <= most
            for counted, least, most in databases.counts
        )
    ]
    assert databases.number == len(expected)
    assert databases.is_possible == bool(expected)
    assert [tuple(row) for row in databases.rows().tolist()] == expected


@given(counted_databases())
def test_the_magnitude_is_an_upper_bound(databases: CountedDatabases) -> None:
    if databases.number:
        assert databases.magnitude >= math.log10(databases.number) - 1e-9


def test_binomial_and_multinomial_numbers_are_exact() -> None:
    both = (0, 1)
    assert CountedDatabases([both] * 100, [({1}, 50, 50)]).number == math.comb(100, 50)
    histogram = [({value}, times, times) for value, times in enumerate((30, 20, 10))]
    expected = math.factorial(60) // math.prod(map(math.factorial, (30, 20, 10)))
    assert CountedDatabases([(0, 1, 2)] * 60, histogram).number == expected
    # 3 values that are not told apart: 2^k each for the k records outside the counted set.
    assert CountedDatabases([(0, 1, 2)] * 50, [({0}, 0, 1)]).number == 2**50 + 50 * 2**49


def test_a_million_records_are_refused_with_the_magnitude() -> None:
    half = CountedDatabases([(0, 1)] * 10**6, [({1}, 500_000, 500_000)])
    # ln C(2n, n) = 2n ln 2 − ln(πn)/2 + o(1)
    digits = (10**6 * math.log(2) - math.log(math.pi * 500_000) / 2) / math.log(10)
    with pytest.raises(TooLarge, match=rf"1,000,000 records .* up to 10\^{digits:.0f}"):
        _ = half.number


def test_numbers_that_together_are_too_long_are_refused() -> None:
    """11 values are left to each of 26,000 records: 26,000 numbers of up to 90,000 bits."""
    none = CountedDatabases([tuple(range(12))] * 26_000, [({0}, 0, 0)])
    assert none.is_countable
    assert none.is_possible
    with pytest.raises(TooLarge, match=r"26,000 records .* up to 10\^2707[67]"):
        _ = none.number


def test_counts_that_exclude_nothing_are_not_counted_record_by_record() -> None:
    """Record by record it would be 100,000 numbers of up to 358,000 bits."""
    every = CountedDatabases([tuple(range(12))] * 10**5, [({0, 1}, 0, 10**5), ({5}, 0, 10**5)])
    assert every.number == 12 ** (10**5)
    assert "_layers" not in vars(every)


def test_a_count_is_said_in_words() -> None:
    assert str(count(["flu"], equals=2)) == "exactly 2 in {flu}"
    assert str(count(["flu", "cold"], at_least=2)) == "at least 2 in {flu, cold}"
    assert str(count(["flu"], at_most=2)) == "at most 2 in {flu}"
    assert count(["flu"], equals=0) == Count(("flu",), 0, 0)


@pytest.mark.parametrize(
    ("values", "bounds", "message"),
    [
        (["flu"], {}, "got none of them"),
        (["flu"], {"equals": 1, "at_most": 2}, "not both"),
        (["flu"], {"at_least": 3, "at_most": 2}, "at least 3 and at most 2"),
        (["flu"], {"equals": -1}, "from 0 up, got -1"),
        (["flu"], {"equals": 1.5}, "from 0 up, got 1.5"),
        ("flu", {"equals": 1}, "must be a list of values, got 'flu'"),
        ([], {"equals": 1}, "at least one value, got none"),
    ],
)
def test_counts_that_say_nothing_or_too_much_are_refused(
    values: list[str], bounds: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        count(values, **bounds)


def _can_end(state: tuple[int, ...], counts: list[Any], left: int) -> bool:
    ends = zip(state, counts, strict=True)
    return all(least - left <= so_far <= most for so_far, (_, least, most) in ends)


@given(counted_databases(), st.sampled_from([1, 10**30]))
def test_states_are_those_of_one_record_after_the_other(
    databases: CountedDatabases, times: int
) -> None:
    """Also where bounds are so large that states are not numbered."""
    counts = [(values, least, most * times) for values, least, most in databases.counts]
    asked = CountedDatabases(databases.domains, counts)
    layers = [{(0,) * len(counts)}]
    for left, domain in zip(reversed(range(len(asked.domains))), asked.domains, strict=True):
        kinds = [asked._kind(value) for value in domain]
        after = {asked._after(state, kind) for state in layers[-1] for kind in kinds}
        layers.append({state for state in after if _can_end(state, counts, left)})
    assert asked._layers == layers
    if counts and layers[-1]:
        states = np.array(sorted(layers[-1]), dtype=np.int64)
        for ends in (states.max(axis=0), np.full(len(counts), 2**62)):
            assert (
                constraint._distinct(np.concatenate([states] * 2), ends).tolist() == states.tolist()
            )
