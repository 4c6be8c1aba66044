"""Attacks: promises that are kept are spared as often as promised, broken ones are caught."""

import math
import os
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from scipy.stats import binom

from leaktight.channels.channel import Channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, LeaktightError
from leaktight.policies.secrets import SecretGraph
from leaktight.samples.confidence import binomial_lower, binomial_upper
from leaktight.testing import Attack, Batched, Budget, assert_private, attack
from leaktight.testing.attacks import least_epsilon, read_promise
from leaktight.testing.outputs import LOWEST_BIT


def coin(seed: int, right: float = 0.75) -> Callable[[bool], bool]:
    """Randomised response: ε = ln 3 and δ(ε) of a polygon that it attains everywhere."""
    rng = random.Random(seed)
    return lambda truth: truth if rng.random() < right else not truth


def geometric(seed: int, epsilon: float) -> Batched:
    rng = np.random.default_rng(seed)
    p = -math.expm1(-epsilon)
    return Batched(lambda x, count: x + rng.geometric(p, count) - rng.geometric(p, count))


# --- promises that are kept ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("mechanism", "inputs", "promise"),
    [
        (coin, (True, False), {"epsilon": "ln 3"}),
        (coin, (True, False), {"curve": PrivacyCurve.epsilon("ln 3")}),
        (coin, (True, False), {"epsilon": 0, "delta": "1/2"}),
        (lambda seed: geometric(seed, 0.5), (0, 1), {"epsilon": 0.5}),
    ],
)
def test_false_positives_are_as_rare_as_promised(
    mechanism: Any, inputs: tuple[Any, Any], promise: dict[str, Any]
) -> None:
    """Of 60 attacks at 90% on a promise that is attained, more than 15 have chance < 1/1000."""
    assert binom.sf(15, 60, 0.1) < 0.001
    alarms = [
        attack(mechanism(i), *inputs, **promise, confidence=0.9, samples=200, seed=i).refuted
        for i in range(60)
    ]
    assert sum(alarms) <= 15


def normal(seed: int, shift: float) -> Batched:
    rng = np.random.default_rng(seed)
    return Batched(lambda x, count: np.round(rng.normal(x * shift, 1, count), 2))


def kept_or_told(seed: int) -> Batched:
    """ε = 0 and δ = 1/10, attained: with that chance the input is shown."""
    rng = np.random.default_rng(seed)
    return Batched(lambda x, count: np.where(rng.random(count) < 0.1, 1 + x, 0))


KEPT: dict[str, tuple[Any, tuple[Any, Any], dict[str, Any]]] = {
    "ε": (lambda seed: geometric(seed, 0.5), (0, 1), {"epsilon": "1/2"}),
    "ε, attained": (coin, (True, False), {"epsilon": "ln 3"}),
    "(ε, δ)": (kept_or_told, (0, 1), {"epsilon": 0, "delta": "1/10"}),
    "μ": (lambda seed: normal(seed, 1), (0, 1), {"mu": 1}),
    "ρ": (lambda seed: normal(seed, 1), (0, 1), {"rho": "1/2"}),
    "a curve": (coin, (True, False), {"curve": PrivacyCurve.epsilon(ratio=3)}),
}
RUNS = int(os.environ.get("LEAKTIGHT_ALARMS", "25"))


@pytest.mark.parametrize("promise", KEPT)
def test_a_promise_that_is_kept_is_refuted_in_one_of_a_thousand_runs_at_most(promise: str) -> None:
    """At the confidence that is taken if nothing is said; ``LEAKTIGHT_ALARMS=10000`` counts."""
    mechanism, inputs, asked = KEPT[promise]
    alarms = sum(
        attack(mechanism(seed), *inputs, **asked, samples=400, seed=seed).refuted
        for seed in range(RUNS)
    )
    assert binom.sf(alarms - 1, RUNS, 0.001) > 1e-6, alarms
    print(f"{promise}: {alarms} of {RUNS:,} refuted")


def test_what_ignores_its_input_is_spared_whatever_time_does_to_it() -> None:
    """A counter tells nothing about an input, as the order of the calls is drawn."""
    calls = iter(range(10**6))
    for promise in ({"epsilon": 0}, {"rho": 0}, {"mu": "0.1"}):
        found = attack(lambda x: next(calls), 0, 1, samples=4000, seed=3, **promise)
        assert not found.refuted
        assert found.verdict.endswith("(which does not prove it)")


# --- promises that are not -----------------------------------------------------------------


def test_limits_and_verdict_are_those_of_clopper_and_pearson() -> None:
    found = attack(coin(1, 0.9), True, False, epsilon=1, samples=4000, seed=1)
    assert found.refuted
    assert found.trials == 1000
    risk = fmpq(1, 2000)
    low = Fraction(binomial_lower(found.counts[0], 1000, risk))
    high = Fraction(binomial_upper(found.counts[1], 1000, risk))
    assert (found.likely, found.rare) == (low, high)
    assert found.proved.unit == "ε"
    assert 1.5 < found.proved.value <= math.log(max(low / high, (1 - high) / (1 - low)))
    assert "REFUTED: ε = 1" in str(found)
    assert f"of {found.trials:,} calls each" in str(found)


OUTPUTS: dict[str, tuple[Callable[[Any, random.Random], Any], Any, Any]] = {
    "vectors": (lambda x, rng: [rng.randint(0, 9) + x * (i == 7) for i in range(9)], 0, 3),
    "tuples": (lambda x, rng: (rng.randint(0, 3), rng.random() < x), 0.2, 0.8),
    "texts": (lambda x, rng: " ".join(rng.choice(["a", "b", x]) for _ in range(4)), "c", "d"),
    "dictionaries": (lambda x, rng: {"n": 1} if rng.random() < x else {}, 0.2, 0.8),
    "sets": (lambda x, rng: {rng.randint(0, 4), x}, 7, 8),
    "lengths": (lambda x, rng: [0] * (x + rng.randint(0, 2)), 1, 3),
    "NaN": (lambda x, rng: math.nan if rng.random() < x else 1.0, 0.2, 0.8),
    "labels": (lambda x, rng: f"id{(rng.randint(0, 1) + 2 * x)}", 0, 1),
    "both ends": (lambda x, rng: rng.choice([-1, 1]) * (x + rng.randint(0, 3)), 0, 3),
    "parity": (lambda x, rng: 2 * rng.randint(0, 400) + (rng.random() < x), 0.1, 0.9),
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_outputs_of_any_kind_are_told_apart(kind: str) -> None:
    function, x, x2 = OUTPUTS[kind]
    rng = random.Random(2)
    found = attack(lambda value: function(value, rng), x, x2, epsilon=1, samples=6000, seed=1)
    assert found.refuted, found


def test_parts_that_tell_little_alone_are_joined() -> None:
    """Twenty coordinates of 1/3 each are a shift of 1.49, though each alone is one of 1/3."""
    rng = np.random.default_rng(1)
    noisy = Batched(lambda x, count: rng.normal(x / 3, 1, (count, 20)))
    shift = math.sqrt(20) / 3
    found = attack(noisy, 0, 1, mu=1, samples=8000, low_bits=False, seed=1)
    assert found.refuted
    assert 1 < found.proved.value <= shift
    assert not attack(noisy, 0, 1, mu=shift, samples=8000, low_bits=False, seed=1).refuted


@pytest.mark.parametrize("unit", ["rho", "mu"])
def test_rho_and_mu_are_bounded_from_below(unit: str) -> None:
    """Rounded normal noise of deviation 1/2 has μ just below 2 and ρ = 2."""
    rng = np.random.default_rng(1)
    noisy = Batched(lambda x, count: np.round(rng.normal(x, 0.5, count), 3))
    found = attack(noisy, 0, 1, **{unit: "0.9"}, samples=20_000, seed=1)  # type: ignore[arg-type]
    assert found.refuted
    assert 0.9 < found.proved.value <= 2
    family = PrivacyCurve.zcdp if unit == "rho" else PrivacyCurve.gaussian
    for factor, refuted in ((0.999, True), (1.001, False)):
        value = Fraction(found.proved.value) * Fraction(factor)
        allowed = 1 - family(value).beta(found.rare).lower
        assert (found.likely > allowed) is refuted


def test_the_low_bits_of_floats_tell_what_noise_was_added_to() -> None:
    rng = np.random.default_rng(1)
    noisy = Batched(lambda x, count: x + rng.laplace(0, 1, count))
    found = attack(noisy, 0.0, 1.0, epsilon=1, samples=4000, seed=1)
    assert found.refuted
    assert LOWEST_BIT in str(found)
    assert "low_bits=False" in str(found)
    assert not attack(noisy, 0.0, 1.0, epsilon=1, samples=4000, low_bits=False, seed=1).refuted


def test_a_promise_to_one_order_is_attacked_as_one_to_both() -> None:
    """Sampling at 1/2 makes λ = 3 one of 2 for whoever is added, and of 3/2 for who is removed."""
    sampled = PrivacyCurve.epsilon(ratio=3).subsampled("1/2")
    assert not sampled.is_symmetric
    rng = random.Random(1)

    def mechanism(present: bool) -> bool:
        seen = present and rng.random() < 0.5
        return seen if rng.random() < 0.75 else not seen

    for inputs in ((True, False), (False, True)):
        assert not attack(mechanism, *inputs, curve=sampled, samples=8000, seed=1).refuted
        lower = PrivacyCurve.epsilon(ratio="13/10")
        assert attack(mechanism, *inputs, curve=lower, samples=8000, seed=1).refuted


def test_a_curve_of_a_channel_is_a_promise() -> None:
    """Noisy maximum as ρ = ε²/8 is what a channel has, or has not (bounded range has it)."""
    channel = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    curve = PrivacyCurve.of(channel, SecretGraph.complete(2))
    assert not attack(coin(3), True, False, curve=curve, samples=4000, seed=1).refuted
    assert attack(coin(3, 0.9), True, False, curve=curve, samples=4000, seed=1).refuted


def test_the_least_epsilon_is_that_of_the_curve() -> None:
    """By halving ratios until the curve allows the chances, for both lines of (ε, δ)."""
    for likely, rare, delta in (("0.9", "0.5", 0), ("0.3", "0.1", "0.05"), ("0.99", "0.9", "0.01")):
        p, a, d = (
            fmpq(*Fraction(likely).as_integer_ratio()),
            fmpq(*Fraction(rare).as_integer_ratio()),
            fmpq(*Fraction(delta).as_integer_ratio()),
        )
        low, high = Fraction(1), Fraction(100)
        for _ in range(60):
            middle = (low + high) / 2
            curve = PrivacyCurve.epsilon_delta(ratio=middle, delta=delta)
            if p > curve.shape.detection(a)[1]:
                low = middle
            else:
                high = middle
        assert least_epsilon(p, a, d) == pytest.approx(math.log(high), abs=1e-9)


# --- how many calls ------------------------------------------------------------------------


def test_a_budget_fixes_the_number_of_calls_before_they_are_counted() -> None:
    """A clock that ticks with the calls: 1,000 calls a second, 10 seconds."""
    made = [0]
    flip = coin(5, 0.9)

    def slow(truth: bool) -> bool:
        made[0] += 1
        return flip(truth)

    budget = Budget(10.0, clock=lambda: made[0] / 1000)
    found = attack(slow, True, False, epsilon=1, budget=budget, seed=1)
    assert found.refuted
    assert 8000 <= made[0] <= 10_000
    assert found.trials > made[0] / 4


def test_a_budget_that_is_too_short_still_tests_something() -> None:
    ticks = iter(range(10**6))
    found = attack(coin(1), True, False, epsilon=3, budget=Budget(1.0, lambda: float(next(ticks))))
    assert found.trials == 16


@pytest.mark.parametrize(
    ("text", "seconds"), [("30 s", 30), ("2 min", 120), (5, 5), ("250ms", 0.25), ("1h", 3600)]
)
def test_budgets_are_times(text: Any, seconds: float) -> None:
    assert Budget.of(text).seconds == seconds


def test_the_seed_chooses_events_and_never_reaches_the_mechanism() -> None:
    def told(seed: int) -> Attack:
        return attack(coin(8), True, False, epsilon=1, samples=400, seed=seed)

    assert told(1) == told(1)
    assert told(1).counts != told(2).counts
    state = np.random.get_state()[1].tolist(), random.getstate()  # type: ignore[index]
    told(3)
    assert state == (np.random.get_state()[1].tolist(), random.getstate())  # type: ignore[index]


# --- assertion and mistakes ----------------------------------------------------------------


def test_the_assertion_fails_with_event_counts_and_what_is_proved() -> None:
    assert_private(coin(1), True, False, epsilon="ln 3", samples=4000, seed=1)
    with pytest.raises(AssertionError) as failed:
        assert_private(coin(1), True, False, epsilon="1/2", samples=4000, seed=1)
    lines = str(failed.value).splitlines()
    assert lines[0] == "REFUTED: ε = 0.5"
    assert [line.split()[0] for line in lines[1:]] == ["event", "seen", "chances", "proved"]
    assert "99.9% confidence" in lines[-1]


def test_what_a_mechanism_raises_is_not_hidden() -> None:
    def broken(x: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        attack(broken, 0, 1, epsilon=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "give one promise: .* got none"),
        ({"epsilon": 1, "rho": 1}, "got epsilon= and rho="),
        ({"rho": 1, "delta": "0.1"}, "got delta= and rho="),
        ({"curve": 3}, "expected PrivacyCurve"),
        ({"epsilon": -1}, "ε must be at least 0|epsilon"),
        ({"epsilon": 1, "samples": 10}, "samples must be a whole number from 64"),
        ({"epsilon": 1, "samples": True}, "samples must be a whole number from 64"),
        ({"epsilon": 1, "samples": 100, "budget": "1 s"}, "got both"),
        ({"epsilon": 1, "budget": "soon"}, 'a time such as "30 s"'),
        ({"epsilon": 1, "budget": 0}, 'a time such as "30 s"'),
        ({"epsilon": 1, "budget": "1.2.3 s"}, 'a time such as "30 s"'),
        ({"epsilon": 1, "confidence": 1}, "a confidence must be between 0 and 1"),
    ],
)
def test_bad_input_is_refused_in_one_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(LeaktightError, match=said):
        attack(coin(1), True, False, **given)


def test_a_mechanism_must_be_callable_and_a_batch_complete() -> None:
    with pytest.raises(InvalidInput, match="must be callable, got int"):
        attack(3, 0, 1, epsilon=1)
    with pytest.raises(InvalidInput, match="must return 5,000 outputs, got 2"):
        attack(Batched(lambda x, count: [1, 2]), 0, 1, epsilon=1)
    assert read_promise(1, None, None, None, None).curve == PrivacyCurve.epsilon(1)
