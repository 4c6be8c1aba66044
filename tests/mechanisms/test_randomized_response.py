import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph, InvalidNumber, TooLarge
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.privacy.level import privacy_level
from tests.mechanisms.promises import RATIOS, kept_promise


@given(st.integers(1, 4), RATIOS, st.integers(1, 2))
def test_it_is_as_private_as_asked_and_no_more(values: int, ratio: Fraction, records: int) -> None:
    survey = RandomizedResponse(values, ratio=ratio, records=records)
    level = kept_promise(survey, ratio)
    assert level == (ratio if values > 1 else 1)
    assert privacy_level(survey.survey, survey.graph).ratio == level


@given(st.integers(1, 3), RATIOS, st.integers(1, 3))
@settings(max_examples=20)
def test_entries_fall_with_the_number_of_wrong_records(
    values: int, ratio: Fraction, records: int
) -> None:
    survey = RandomizedResponse(values, ratio=ratio, records=records)
    alpha = (ratio / (values - 1 + ratio)) ** records
    databases, channel = list(product(range(values), repeat=records)), survey.channel
    for x, z in product(databases, repeat=2):
        wrong = sum(map(int.__ne__, x, z))
        pair = (x, z) if records > 1 else (x[0], z[0])
        assert channel[pair] == alpha / ratio**wrong


@given(st.integers(1, 4), RATIOS, st.integers(1, 3))
@settings(max_examples=30)
def test_it_leaks_what_theorem_1_allows(values: int, ratio: Fraction, records: int) -> None:
    survey = RandomizedResponse(values, ratio=ratio, records=records)
    most = (values * ratio / (values - 1 + ratio)) ** records
    assert min_capacity(survey.survey).factor == most
    assert min_capacity(survey.channel).factor == most


def test_a_million_records_are_not_multiplied_out() -> None:
    survey = RandomizedResponse(["no", "yes"], epsilon="ln 3", records=10**6)
    assert privacy_level(survey.survey, survey.graph).ratio == 3
    assert min_capacity(survey.survey).bits == pytest.approx(10**6 * math.log2(1.5))
    assert str(survey.guarantee).endswith("for neighbouring databases of 1,000,000 records")
    with pytest.raises(TooLarge, match=r"more than 134,217,728 entries"):
        _ = survey.channel
    with pytest.raises(TooLarge, match=r"20,000 inputs"):
        _ = RandomizedResponse(20_000, ratio=2).channel


def test_an_epsilon_is_rounded_to_the_safe_side() -> None:
    asked = RandomizedResponse(3, epsilon=1)
    level = privacy_level(asked.channel, asked.graph)
    assert level.holds(epsilon=1)
    assert level.ratio > Fraction(2718281828459045, 10**15)
    assert RandomizedResponse(3, epsilon=40).truth < 1


def test_its_name_and_labels() -> None:
    answers = RandomizedResponse(["no", "yes"], ratio=2)
    assert answers.name == "randomised response on 2 values"
    assert answers.channel.inputs == answers.channel.outputs == ("no", "yes")
    assert "3 records" in RandomizedResponse(2, ratio=2, records=3).name
    assert repr(answers).startswith("RandomizedResponse(randomised response on 2 values: ε ≤ 0.69")
    assert answers == RandomizedResponse(("no", "yes"), epsilon="ln 2")
    assert len({answers, RandomizedResponse(["no", "yes"], ratio=3)}) == 2


def test_bad_input() -> None:
    with pytest.raises(InvalidNumber, match=r"whole number of records from 1 up, got 0"):
        RandomizedResponse(2, ratio=2, records=0)
    with pytest.raises(InvalidNumber, match=r"exactly one of ratio= and epsilon="):
        RandomizedResponse(2)
    with pytest.raises(InvalidNumber, match=r"at least 1"):
        RandomizedResponse(2, ratio="1/2")
    with pytest.raises(InvalidGraph, match=r"at least one vertex"):
        RandomizedResponse([], ratio=2)
    with pytest.raises(InvalidGraph, match=r"'a' twice"):
        RandomizedResponse(["a", "a"], ratio=2)
