"""Limits of memory and time: what a caller allows, and that what gets through is right."""

from math import comb

import numpy as np
import pytest

import leaktight as lt
from leaktight import limits
from leaktight.channels.gain import MOST_TRIED
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.limits import MOST_TIMES, VARIABLE, allowed

MANY = tuple(range(30))


def three_tries() -> int:
    """Return how many sets three tries may choose from, if these are not too many."""
    return len(lt.channels.Tries(3).table(MANY, np.arange(len(MANY))))


def test_what_is_refused_gets_through_where_more_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leaktight.channels.gain.MOST_TRIED", comb(30, 3) // 2)
    with pytest.raises(TooLarge, match=f"choose from 4,060 sets, the most are {2030:,}"):
        three_tries()
    with limits.raised(times=2):
        assert three_tries() == comb(30, 3)
    with pytest.raises(TooLarge):
        three_tries()
    monkeypatch.setenv(VARIABLE, "2")
    assert three_tries() == comb(30, 3)
    with limits.raised(times=1), pytest.raises(TooLarge):  # what is said in Python counts
        three_tries()


def test_a_policy_with_more_databases_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaktight.policies.adjacency.MOST_VERTICES", 100)
    policy = lt.Policy(lt.SecretGraph.complete(["no", "yes"]), records=9)
    with pytest.raises(TooLarge, match="at most 100 are listed"):
        _ = policy.adjacency().vertices
    with limits.raised(times=6):
        assert len(policy.adjacency().vertices) == 2**9


@pytest.mark.parametrize("times", [0, MOST_TIMES + 1, -3, 1.5, "8", None])
def test_what_is_no_number_of_times_is_refused(times: object) -> None:
    with (
        pytest.raises(InvalidNumber, match="times must be a whole number from 1 to"),
        limits.raised(times),  # type: ignore[arg-type]
    ):
        pass
    assert allowed(MOST_TRIED) == MOST_TRIED


@pytest.mark.parametrize("said", ["", "lots", "0", "1e3", "²", str(MOST_TIMES + 1)])
def test_the_environment_holds_a_number_or_is_refused(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, said)
    with pytest.raises(InvalidNumber, match=f"{VARIABLE} must be a whole number from 1 to"):
        allowed(1)
