"""BLAS takes one thread where we work, and what was set before is set again."""

from collections.abc import Iterator

import numpy as np
import pytest
import scipy.linalg  # noqa: F401 - so that its BLAS is there

import leaktight as lt
from leaktight.exact import concave
from leaktight.exact.threads import one_thread, pools


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Let every BLAS have two threads, and afterwards what it had."""
    with pools().limit(limits=2):
        yield


def numbers() -> set[int]:
    """How many threads does BLAS take now?"""
    return {pool["num_threads"] for pool in pools().info()}


@pytest.mark.usefixtures("two_threads")
def test_within_there_is_one_thread_and_afterwards_what_there_was() -> None:
    with one_thread():
        assert numbers() == {1}
        with one_thread():
            assert numbers() == {1}
        assert numbers() == {1}
    assert numbers() == {2}


@pytest.mark.usefixtures("two_threads")
def test_an_error_leaves_the_setting_as_it_was() -> None:
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert numbers() == {2}


@pytest.mark.usefixtures("two_threads")
def test_a_capacity_is_worked_out_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proposal is the same with as many threads as there are; the ends overlap, proved."""
    seen = []
    plainly = concave._maximised

    def watched(*given: object) -> np.ndarray:
        seen.append(numbers())
        return plainly(*given)  # type: ignore[arg-type]

    rows = np.random.default_rng(1).dirichlet(np.ones(120), 120)
    monkeypatch.setattr(concave, "_maximised", watched)
    one = lt.shannon_capacity(lt.Channel(rows))
    assert seen == [{1}]
    assert numbers() == {2}
    monkeypatch.setattr(concave, "one_thread", lambda: pytest.MonkeyPatch.context())
    many = lt.shannon_capacity(lt.Channel(rows))
    assert seen == [{1}, {2}]
    assert max(one.lower, many.lower) <= min(one.upper, many.upper)
    assert one.gap < 1e-9
