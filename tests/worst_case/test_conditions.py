"""Certificates in which one condition fails and all others hold: each is demanded by itself."""

from typing import Any

import pytest

from leaktight.check import MECHANISM, WORST_CASE, Refuted, check

EDGE = [[0, 1]]


def worst(**changes: Any) -> dict[str, Any]:
    """Two vertices at ratio 2: 4/3 is attained, and not exceeded."""
    piece: dict[str, Any] = {
        "records": 1,
        "vertices": ["a", "b"],
        "edges": EDGE,
        "mechanism": [["2/3", "1/3"], ["1/3", "2/3"]],
        "lower": "4/3",
        "parts": [{"vertices": [0, 1], "cover": ["2/3", "2/3"]}],
        "upper": "4/3",
    }
    ratios = {"lower ratio": "2", "upper ratio": "2"}
    return {"format": WORST_CASE} | ratios | {"pieces": [piece | changes]}


def priced(prices: list[str], flows: list[list[list[Any]]], upper: str) -> dict[str, Any]:
    """The same, bounded by prices."""
    return worst(parts=[{"vertices": [0, 1], "prices": prices, "flows": flows}], upper=upper)


def best(**changes: Any) -> dict[str, Any]:
    """One of two vertices is guessed at ratio 2: right in 2/3 of the cases, and never oftener."""
    claim = {
        "format": MECHANISM,
        "lower ratio": "2",
        "upper ratio": "2",
        "vertices": ["a", "b"],
        "edges": EDGE,
        "prior": ["1/2", "1/2"],
        "guesses": ["a", "b"],
        "gain": [["1", "0"], ["0", "1"]],
        "outputs": [0, 1],
        "mechanism": [["2/3", "1/3"], ["1/3", "2/3"]],
        "prices": ["1/3", "1/3"],
        "flows": [[[0, 1, "1/6"]], [[1, 0, "1/6"]]],
        "utility": "2/3",
        "upper": "2/3",
    }
    return claim | changes


APART = {"edges": [], "parts": [{"vertices": [i], "cover": ["1"]} for i in (0, 1)], "upper": "2"}

BROKEN = {
    "it tells more than the ratio": worst(mechanism=[["1", "0"], ["0", "1"]], lower="2"),
    "an entry is negative": worst(**APART, mechanism=[["2", "-1"], ["-1", "2"]], lower="4"),
    "rows sum to something else": worst(mechanism=[["1", "1/2"], ["1", "1"]], lower="4/3"),
    "a cover is negative": worst(parts=[{"vertices": [0, 1], "cover": ["1", "-1/4"]}], upper="3"),
    "a cover does not reach a vertex": worst(
        edges=[], parts=[{"vertices": [0, 1], "cover": ["1", "0"]}], upper="1"
    ),
    "a cover is judged where it covers best": worst(
        parts=[{"vertices": [0, 1], "cover": ["1", "0"]}], upper="1"
    ),
    "a flow is negative": priced(["1/3"] * 2, [[[1, 0, "-1/3"]], [[0, 1, "-1/3"]]], "2/3"),
    "a flow proves too little": priced(["0", "0"], [[], []], "0"),
    "an arc is no edge": worst(
        edges=[],
        mechanism=[["1"], ["1"]],
        lower="1",
        parts=[
            {
                "vertices": [0, 1],
                "prices": ["2/3", "2/3"],
                "flows": [[[0, 1, "1/3"]], [[1, 0, "1/3"]]],
            }
        ],
    ),
    "a vertex is in no part": worst(parts=[{"vertices": [0], "cover": ["1"]}], upper="1"),
    "another number is claimed below": worst(lower="3/2"),
    "another number is claimed above": worst(upper="5/4"),
    "the prior sums to less": best(prior=["1/4", "1/4"], utility="1/3"),
    "a chance is negative": best(prior=["3/2", "-1/2"]),
    "more is earned than it says": best(utility="3/4"),
    "a guess is not paid for": best(prices=["1/3", "0"], upper="1/3"),
}


def test_the_certificates_that_are_broken_hold_otherwise() -> None:
    assert [float(upper) for _, _, upper in check(worst())] == [4 / 3]
    assert [float(upper) for _, _, upper in check(best())] == [2 / 3]
    assert check(worst(**APART, mechanism=[["1", "0"], ["0", "1"]], lower="2"))
    flows = [[[0, 1, "1/3"]], [[1, 0, "1/3"]]]
    assert check(priced(["2/3", "2/3"], flows, "4/3"))


@pytest.mark.parametrize("what", BROKEN)
def test_one_broken_condition_is_enough(what: str) -> None:
    with pytest.raises(Refuted):
        check(BROKEN[what])
