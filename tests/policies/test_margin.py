"""Margins of tables as public counts."""

from itertools import product

import pytest

from leaktight.errors import InvalidPolicy
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.constraint import count
from leaktight.policies.margin import margin
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level

PEOPLE = list(product(["f", "m"], ["young", "middle", "old"], range(4)))


def test_a_margin_is_one_count_for_each_category() -> None:
    found = margin(PEOPLE, 0, {"f": 3, "m": 2})
    assert found == tuple(
        count([v for v in PEOPLE if v[0] == sex], equals=n) for sex, n in (("f", 3), ("m", 2))
    )
    [cross] = margin(PEOPLE, [0, 1], {("f", "old"): 1}, ["sex", "age", "diagnosis"])
    assert str(cross) == "exactly 1 with sex = f, age = old"
    assert set(cross.values) == {("f", "old", k) for k in range(4)}


def test_a_whole_cross_table_makes_cycles_of_its_cells() -> None:
    cells = dict.fromkeys(product(["f", "m"], ["young", "middle", "old"]), 1000)
    policy = Policy(SecretGraph.complete(PEOPLE), 6000, constraints=margin(PEOPLE, [0, 1], cells))
    asked = RandomizedResponse(PEOPLE, ratio=2, records=6000)
    assert privacy_level(asked.survey, policy).ratio == 2**6


def test_a_hierarchy_says_no_more_than_its_finest_table() -> None:
    cells = dict.fromkeys(product(["f", "m"], ["young", "middle", "old"]), 1000)
    both = [*margin(PEOPLE, 0, {"f": 3000, "m": 3000}), *margin(PEOPLE, [0, 1], cells)]
    policy = Policy(SecretGraph.complete(PEOPLE), 6000, constraints=both)
    assert policy.public_counts is not None
    assert policy.public_counts.cells.only == (1000,) * 6


def test_thousands_of_counts() -> None:
    towns = list(product(range(1200), ["no", "yes"]))
    told = margin(towns, 0, dict.fromkeys(range(1200), 50))
    policy = Policy(SecretGraph.complete(towns), 60_000, constraints=told)
    assert policy.public_counts is not None
    assert policy.public_counts.reach == (1200, 1200)


def test_what_is_no_category_is_refused() -> None:
    with pytest.raises(InvalidPolicy, match="categories of its attributes"):
        margin(PEOPLE, 0, {"x": 3})
    with pytest.raises(InvalidPolicy, match="must be tuples"):
        margin(["a", "b"], 0, {"a": 3})
