"""Subset selection is private as promised, of the size that leaks and errs as it should."""

import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidInput, TooLarge
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.mechanisms.subset_selection import SubsetSelection
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.studies import audit, read_study
from tests.strategies.fractions import fractions


@given(st.integers(2, 8), fractions(1, 20, max_denominator=9))
def test_every_row_is_a_distribution_and_every_ratio_is_kept(v: int, ratio: Fraction) -> None:
    chosen = SubsetSelection(v, ratio=ratio)
    channel = chosen.channel
    assert set(channel.outputs) == set(combinations(range(v), chosen.size))
    for x in range(v):
        row = {z: channel[x, z] for z in combinations(range(v), chosen.size)}
        assert sum(row.values()) == 1
        assert len(set(row.values())) <= 2
        for z, p in row.items():
            assert p == max(row.values()) if x in z else p == min(row.values())
    assert privacy_level(channel, SecretGraph.complete(v)).ratio == ratio
    assert chosen.guarantee.ratio == ratio


@pytest.mark.parametrize("v", [2, 3, 10])
def test_one_of_many_is_randomised_response(v: int) -> None:
    one, truth = SubsetSelection(v, ratio=v), RandomizedResponse(v, ratio=v).channel
    assert one.size == 1
    assert all(one.channel[x, (z,)] == truth[x, z] for x in range(v) for z in range(v))


@given(st.integers(2, 9), fractions(1, 9, max_denominator=5))
def test_no_other_size_tells_more_of_shares(v: int, ratio: Fraction) -> None:
    """The mean squared error of all shares, by Ye and Barg's formula, is least at v/(λ + 1)."""

    def error(w: int) -> Fraction:
        holds = ratio * math.comb(v - 1, w - 1)
        p = holds / (holds + math.comb(v - 1, w))  # a true value is among those answered
        q = (p * (w - 1) + (1 - p) * w) / (v - 1)  # another value is
        return (p * (1 - p) + (v - 1) * q * (1 - q)) / (p - q) ** 2

    if ratio > 1:
        best = min(error(w) for w in range(1, v))
        exact = v / (ratio + 1)
        near = {max(1, math.floor(exact)), max(1, math.ceil(exact))}
        assert SubsetSelection(v, ratio=ratio).size in near
        assert min(error(w) for w in near if w < v) == best


def test_a_study_names_it(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        '[policy]\nvalues = ["a", "b", "c", "d"]\nrecords = 100\n'
        '[mechanism]\nkind = "subset selection"\n[question]\nratio = "3/2"\n'
    )
    found = audit(read_study(file))
    assert found.holds
    assert found.mechanism is not None
    assert found.mechanism.shape == (4, 6)
    assert found.mechanism.name == "subset selection of 2 of 4 values"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least two"):
        SubsetSelection(["one"], ratio=2)
    with pytest.raises(TooLarge, match="entries"):
        SubsetSelection(60, ratio=1).channel  # noqa: B018
    with pytest.raises(TooLarge, match="entries"):  # what is seen of them would take minutes
        SubsetSelection(27, epsilon=1).channel  # noqa: B018
    with pytest.raises(TooLarge, match="18 inputs and 43,758 outputs"):
        SubsetSelection(18, ratio="5/4").channel  # noqa: B018
    assert SubsetSelection(27, ratio=5).channel.shape == (27, 17_550)
