import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.exact.numbers import Array
from leaktight.repetition.rates import chernoff_information, rates
from leaktight.repetition.rates.rates import Mask, RowPair, easiest_rows, hardest_rows
from tests.strategies.channels import channels


def everything(n: int) -> Mask:
    return np.ones((n, n), dtype=np.bool_)


def check(matrix: Array, wanted: Mask | None = None) -> None:
    """Compare with the Chernoff information of every wanted pair, one by one."""
    allowed = everything(len(matrix)) if wanted is None else wanted
    values = {
        (i, j): chernoff_information(matrix[i], matrix[j])
        for i, j in combinations(range(len(matrix)), 2)
        if allowed[i, j]
    }
    finders: list[tuple[Callable[[Array, Mask], RowPair], Callable[..., float]]] = [
        (hardest_rows, min),
        (easiest_rows, max),
    ]
    for find, best in finders:
        found = find(matrix, allowed)
        assert found.lower == best(c.lower for c in values.values())
        assert found.upper == best(c.upper for c in values.values())
        attained = values[found.rows]
        assert found.lower <= attained.upper
        assert attained.lower <= found.upper


@settings(max_examples=60)
@given(channels(most=6).filter(lambda channel: channel.shape[0] > 1), st.data())
def test_no_pair_is_harder_or_easier(channel: Channel, data: st.DataObject) -> None:
    n = channel.shape[0]
    pairs = list(combinations(range(n), 2))
    some = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    wanted = np.zeros((n, n), dtype=np.bool_)
    wanted[tuple(zip(*some, strict=True))] = True
    for kind in (channel, channel.float()):
        check(kind.matrix, wanted)


def test_the_pairs_may_be_looked_at_in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "BLOCK", 20)
    check(Channel.random(11, 4, seed=1).matrix)
    check(Channel.random(11, 4, seed=2).exact().matrix)


def test_of_pairs_that_are_alike_the_first_is_named() -> None:
    response = Channel.normalised([[3 if i == j else 1 for j in range(40)] for i in range(40)])
    for kind in (response, response.float()):
        for found in (
            hardest_rows(kind.matrix, everything(40)),
            easiest_rows(kind.matrix, everything(40)),
        ):
            assert found.rows == (0, 1)
            pair = chernoff_information(kind.matrix[0], kind.matrix[1])
            assert (found.lower, found.upper) == (pair.lower, pair.upper)


@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9])
def test_rows_that_are_nearly_equal_are_told_apart(size: float) -> None:
    noise = np.random.default_rng(3).random((8, 5))
    check(Channel.normalised(1 + size * noise).matrix)


def test_probabilities_beyond_the_floats() -> None:
    rows = [[Fraction(k, 10**400), 1 - Fraction(k, 10**400), 0] for k in (1, 2, 5, 900)]
    rows += [[0, Fraction(k, 10**700), 1 - Fraction(k, 10**700)] for k in (1, 3, 4)]
    check(Channel(rows).matrix)


def test_rows_without_a_common_output() -> None:
    check(Channel.identity(5).matrix)
    check(np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.25, 0.75, 0, 0]]))
    check(np.array([[1e-300, 1.0, 0], [0, 1e-300, 1.0], [1.0, 0, 1e-300]]))


def test_a_thousand_rows() -> None:
    channel = Channel.random(1000, 3, seed=7)
    roots = np.sqrt(channel.matrix)
    half_way = -np.log2(np.minimum(roots @ roots.T, 1))
    np.fill_diagonal(half_way, math.inf)
    hardest = hardest_rows(channel.matrix, everything(1000))
    # At s = ½ the exponent is at least half of its maximum and at most all of it.
    assert half_way.min() - 1e-14 <= hardest.upper <= 2 * half_way.min()
    np.fill_diagonal(half_way, 0)
    easiest = easiest_rows(channel.matrix, everything(1000))
    assert half_way.max() - 1e-14 <= easiest.upper <= 2 * half_way.max()


@given(st.integers(0, 2**32), st.integers(2, 3))
def test_alike_pairs_are_found_by_counting_and_by_sorting(seed: int, numbers: int) -> None:
    """Two pairs are alike if the same numbers meet as often: as multisets, one by one."""
    codes = np.random.default_rng(seed).integers(0, numbers, (7, 5))
    pairs = np.array(list(combinations(range(7), 2)))
    first: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
    for i, j in pairs.tolist():
        meets = sorted(zip(codes[i].tolist(), codes[j].tolist(), strict=True))
        first.setdefault(tuple(meets), (i, j))
    with pytest.MonkeyPatch.context() as patch:
        for few in (0, 2**20):
            patch.setattr(rates, "FEW", few)
            assert rates._unlike(codes, numbers, pairs) == list(first.values())


def test_many_rows_that_are_nearly_equal_are_narrowed_down() -> None:
    """Half way they look alike up to rounding; not all pairs may be left to ball arithmetic."""
    noise = np.random.default_rng(5).random((40, 3))
    matrix = Channel.normalised(1 + 1e-9 * noise).matrix
    assert len(rates._candidates(matrix, everything(40), 1)) < 40
