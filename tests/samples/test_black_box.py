"""Auditing what can only be called: right mechanisms are spared, wrong ones are caught."""

import math
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from scipy.stats import binom

from leaktight.errors import InvalidInput, LeaktightError
from leaktight.samples.black_box import CHUNK, OneAtATime, epsilon_by_calls
from leaktight.samples.confidence import binomial_lower, binomial_upper
from leaktight.samples.event import AtLeast, OneOf


class Geometric:
    """The geometric mechanism; a class, so that other processes can be given it."""

    def __init__(self, epsilon: float) -> None:
        self.p = -math.expm1(-epsilon)

    def __call__(self, value: int, count: int, rng: np.random.Generator) -> Any:
        return value + rng.geometric(self.p, count) - rng.geometric(self.p, count)


def laplace(value: float, count: int, rng: np.random.Generator) -> Any:
    return rng.laplace(value, 1.0, count)


def response(value: str, count: int, rng: np.random.Generator) -> list[str]:
    """Randomised response that is right three times out of four: ε = ln 3."""
    other = "no" if value == "yes" else "yes"
    return [value if heads else other for heads in rng.random(count) < 0.75]


def test_a_right_mechanism_is_spared_and_a_wrong_one_is_caught() -> None:
    right = epsilon_by_calls(Geometric(1.0), [(0, 1)], samples=100_000, seed=1)
    assert 0.9 < right.epsilon <= 1
    assert not right.refutes(epsilon=1)
    assert right.verdict(epsilon=1).startswith("ε = 1 is not refuted: ε is at least 0.9")
    assert "this does not show that it is private" in str(right)
    wrong = epsilon_by_calls(Geometric(2.0), [(0, 1)], samples=100_000, seed=1)
    assert wrong.refutes(epsilon=1)
    assert not wrong.refutes(epsilon=2)
    assert wrong.verdict(ratio=2).startswith("e^ε = 2 is refuted")


@pytest.mark.parametrize("samples", [400, 20_000])
def test_the_bound_is_above_the_truth_at_most_as_often_as_it_may(samples: int) -> None:
    """Of 100 audits at 95%, more than 13 have probability below 1 in 1000."""
    assert binom.sf(13, 100, 0.05) < 0.001
    audits = [
        epsilon_by_calls(Geometric(1.0), [(0, 1)], samples=samples, seed=seed)
        for seed in range(100)
    ]
    assert sum(bound.refutes(epsilon=1) for bound in audits) <= 13


def test_the_event_counts_the_outputs_that_were_drawn() -> None:
    """Drawn again by hand with the seeds that the documentation promises."""
    found = epsilon_by_calls(Geometric(1.0), [(5, 6)], samples=4 * CHUNK, seed=3)
    assert isinstance(found.event, AtLeast)
    assert (found.pair, found.trials) == ((6, 5), CHUNK)
    for side, count in zip((1, 0), found.counts, strict=True):
        seeds = [np.random.SeedSequence(3, spawn_key=(0, side, chunk)) for chunk in (0, 1)]
        drawn = [Geometric(1.0)(5 + side, CHUNK, np.random.default_rng(seed)) for seed in seeds]
        assert count == (drawn[1] >= found.event.value).sum()


def test_continuous_outputs_and_words_are_audited_alike() -> None:
    found = epsilon_by_calls(laplace, [(0.0, 1.0)], samples=100_000, seed=1)
    assert 0.85 < found.epsilon <= 1
    words = epsilon_by_calls(response, [("yes", "no")], samples=20_000, seed=1)
    assert 0.95 * math.log(3) < words.epsilon <= math.log(3)
    assert isinstance(words.event, OneOf)
    assert words.event.values == {words.pair[0]}


def test_the_worst_pair_is_reported() -> None:
    pairs = [(0, 0), (0, 3), (1, 1)]
    found = epsilon_by_calls(Geometric(0.5), pairs, samples=60_000, seed=1)
    assert set(found.pair) == {0, 3}
    assert 1.3 < found.epsilon <= 1.5
    each = fmpq(1, 20) / (2 * len(pairs))  # two limits for each pair share the risk
    likely, rare = found.counts
    low, high = (
        binomial_lower(likely, found.trials, each),
        binomial_upper(rare, found.trials, each),
    )
    assert found.ratio == Fraction(low) / Fraction(high)


def test_a_delta_is_taken_off() -> None:
    """A mechanism that tells the input once in ten times is (0, 1/10)-private."""

    def telling(value: int, count: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(count) < 0.1, value, -1)

    blatant = epsilon_by_calls(telling, [(0, 1)], samples=20_000, seed=1)
    assert blatant.epsilon > 4.5  # ln(1/10) − ln(3.7/5000), less what chance takes
    allowed = epsilon_by_calls(telling, [(0, 1)], samples=20_000, delta=0.1, seed=1)
    assert allowed.epsilon == 0
    assert allowed.delta == Fraction(1, 10)
    assert "at δ = 1/10" in str(allowed)


def test_nothing_is_found_where_there_is_nothing() -> None:
    found = epsilon_by_calls(lambda x, count, rng: [None] * count, [(0, 1)], samples=100)
    assert found.epsilon == 0
    assert found.ratio == 1


def test_executors_draw_the_same_outputs() -> None:
    plain = epsilon_by_calls(Geometric(1.0), [(0, 1), (4, 5)], samples=200_000, seed=9)
    executor: Executor
    for executor in (ThreadPoolExecutor(3), ProcessPoolExecutor(2)):
        with executor:
            found = epsilon_by_calls(
                Geometric(1.0), [(0, 1), (4, 5)], samples=200_000, seed=9, executor=executor
            )
        assert found == plain
    assert epsilon_by_calls(Geometric(1.0), [(0, 1)], samples=200_000, seed=10) != plain


def test_progress_counts_up_to_all_samples() -> None:
    calls: list[tuple[int, int]] = []
    epsilon_by_calls(
        Geometric(1.0), [(0, 1)] * 2, 100_000, seed=1, progress=lambda *call: calls.append(call)
    )
    assert calls == sorted(calls)
    assert calls[-1] == (100_000, 100_000)
    assert {total for _, total in calls} == {100_000}


def test_a_plain_function_is_called_for_each_output() -> None:
    rng = np.random.default_rng(1)

    def mechanism(value: int) -> int:
        return value + int(rng.geometric(0.6)) - int(rng.geometric(0.6))

    found = epsilon_by_calls(OneAtATime(mechanism), [(0, 1)], samples=20_000)
    assert 0.7 < found.epsilon <= -math.log(0.4) + 0.1


def nothing(value: Any, count: int, rng: Any) -> Any:
    return np.zeros(count)


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "no pairs": (lambda: epsilon_by_calls(nothing, [], 100), "at least one pair"),
    "no pair": (lambda: epsilon_by_calls(nothing, [(1, 2, 3)], 100), "expected pairs of"),  # type: ignore[list-item]
    "numbers": (lambda: epsilon_by_calls(nothing, [1, 2], 100), "expected pairs of"),  # type: ignore[list-item]
    "few samples": (
        lambda: epsilon_by_calls(nothing, [(0, 1), (1, 2)], 31),
        "at least 32 for 2 pairs, got 31",
    ),
    "a delta of 1": (
        lambda: epsilon_by_calls(nothing, [(0, 1)], 100, delta=1),
        "δ must be at least 0 and below 1",
    ),
    "a seed of words": (
        lambda: epsilon_by_calls(nothing, [(0, 1)], 100, seed="x"),  # type: ignore[arg-type]
        "a seed must be a whole number",
    ),
    "too few outputs": (
        lambda: epsilon_by_calls(lambda x, n, rng: np.zeros(n - 1), [(0, 1)], 100),
        r"must return 50 outputs in one row, got shape \(49,\)",
    ),
    "vectors": (
        lambda: epsilon_by_calls(lambda x, n, rng: np.zeros((n, 2)), [(0, 1)], 100),
        "make each output one number, text or tuple",
    ),
    "one output": (
        lambda: epsilon_by_calls(lambda x, n, rng: 7, [(0, 1)], 100),
        "must return a row of outputs, got 7",
    ),
    "a text": (
        lambda: epsilon_by_calls(lambda x, n, rng: "x" * n, [(0, 1)], 100),
        "must return a row of outputs, got 'xx",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_one_clear_line(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(LeaktightError, match=message) as caught:
        make()
    assert isinstance(caught.value, InvalidInput)
    assert "\n" not in str(caught.value)


def test_a_failing_mechanism_fails_the_audit_in_its_own_words() -> None:
    def broken(value: int, count: int, rng: Any) -> Any:
        raise RuntimeError("out of noise")

    with ThreadPoolExecutor(2) as executor, pytest.raises(RuntimeError, match="out of noise"):
        epsilon_by_calls(broken, [(0, 1)], 100_000, executor=executor)


def test_a_mechanism_that_sometimes_fails_is_refuted() -> None:
    def failing(x: int, count: int, rng: np.random.Generator) -> Any:
        noise = rng.normal(size=count)
        return np.where(rng.random(count) < 0.2 * x, np.nan, noise)

    bound = epsilon_by_calls(failing, [(0, 1)], samples=20_000, seed=1)
    assert bound.refutes(epsilon=3)
    assert "nan" in str(bound)


@pytest.mark.parametrize("sampler", [lambda x: x, lambda x, count: [x] * count, lambda: 1])
def test_a_plain_function_is_told_of_one_at_a_time(sampler: Any) -> None:
    with pytest.raises(
        InvalidInput, match=r"must take \(input, count, rng\).*OneAtATime\("
    ) as told:
        epsilon_by_calls(sampler, [(0, 1)], samples=1000)
    assert "\n" not in str(told.value)


def test_what_cannot_be_called_is_no_sampler() -> None:
    with pytest.raises(InvalidInput, match="expected a sampler"):
        epsilon_by_calls(3, [(0, 1)], samples=1000)  # type: ignore[arg-type]
