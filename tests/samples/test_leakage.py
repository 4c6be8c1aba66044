"""The chance of a right guess from samples: bounds that hold exactly as often as they say."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch
from leaktight.exact.numbers import rational
from leaktight.leakage.vulnerability import min_entropy_leakage, posterior_vulnerability
from leaktight.samples import confidence as limits
from leaktight.samples.design import SampleDesign
from leaktight.samples.leakage import (
    estimate_min_entropy_leakage,
    estimate_posterior_vulnerability,
    success_lower,
    success_upper,
)
from leaktight.samples.observations import Observations
from tests.second_routes.count_tables import drawn_outputs, drawn_pairs, halves
from tests.strategies.channels import channels_and_priors

RNG = np.random.default_rng(0)

F = Fraction
JOINTS = {
    "coin": [[F(1, 3), F(1, 6)], [F(1, 6), F(1, 3)]],
    "skewed": [[F(8, 10), F(1, 20)], [F(1, 10), F(1, 20)]],
    "independent": [[F(1, 4), F(1, 4)], [F(1, 4), F(1, 4)]],
    "certain": [[F(1, 2), F(0)], [F(0), F(1, 2)]],
    "wide": [[F(3, 10), F(1, 10), F(1, 10)], [F(1, 20), F(1, 4), F(1, 5)]],
    "wide, uniform": [[F(1, 6)] * 3, [F(1, 6)] * 3],
}
RISKS = [F(1, 20), F(1, 2)]


@pytest.fixture(autouse=True)
def _each_limit_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "binomial_lower", cache(limits.binomial_lower))


def best_chance(joint: list[list[Fraction]]) -> Fraction:
    return sum(map(max, zip(*joint, strict=True)), F(0))


# --- exact coverage: every table, every split ----------------------------------------------


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("samples", [1, 8])
def test_the_upper_bound_on_pairs_fails_at_most_as_often_as_it_may(
    samples: int, name: str, risk: Fraction
) -> None:
    truth = best_chance(JOINTS[name])
    wrong = sum(
        probability
        for seen, probability in drawn_pairs(JOINTS[name], samples)
        if F(success_upper(SampleDesign.of(seen, None, RNG), rational(risk))) < truth
    )
    assert wrong <= risk


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize(
    ("name", "samples"),
    [(name, n) for name, joint in JOINTS.items() for n in (3, 8 if len(joint[0]) == 2 else 5)],
)
def test_the_lower_bound_on_pairs_fails_at_most_as_often_as_it_may(
    name: str, samples: int, risk: Fraction
) -> None:
    truth = best_chance(JOINTS[name])
    wrong = whole = F(0)
    for seen, probability in drawn_pairs(JOINTS[name], samples):
        design = SampleDesign.of(seen, None, RNG)
        for learn, test, part in halves(design):
            whole += probability * part
            if F(success_lower(design, learn, test, rational(risk))) > truth:
                wrong += probability * part
    assert whole == 1
    assert wrong <= risk


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("prior", [("1/2", "1/2"), ("1/4", "3/4")])
@pytest.mark.parametrize("totals", [(4, 4), (2, 5)])
@pytest.mark.parametrize("name", ["coin", "skewed", "certain", "independent"])
def test_bounds_with_a_prior_fail_at_most_as_often_as_they_may(
    name: str, totals: tuple[int, int], prior: tuple[str, str], risk: Fraction
) -> None:
    rows = [[p / sum(row) for p in row] for row in JOINTS[name]]
    truth = best_chance([[F(w) * p for p in row] for w, row in zip(prior, rows, strict=True)])
    above = below = F(0)
    for seen, probability in drawn_outputs(rows, totals):
        design = SampleDesign.of(seen, prior, RNG)
        if F(success_upper(design, rational(risk))) < truth:
            below += probability
        for learn, test, part in halves(design):
            if F(success_lower(design, learn, test, rational(risk))) > truth:
                above += probability * part
    assert above <= risk
    assert below <= risk


# --- many samples --------------------------------------------------------------------------


def proportional(channel: Channel, prior: list[Fraction], size: int) -> Observations:
    """So many samples in the very proportions of the channel, but for rounding."""
    joint = [
        [float(w) * float(p) * size for p in row]
        for w, row in zip(prior, channel.matrix, strict=True)
    ]
    table = np.round(joint).astype(int)
    table[:, 0] += table.sum(axis=1) == 0
    return Observations.from_counts(table)


@settings(max_examples=25)
@given(channels_and_priors())
def test_many_samples_close_in_on_the_exact_leakage(case: tuple[Channel, object]) -> None:
    channel, prior = case
    positive = [x for x in channel.inputs if prior[x] > F(1, 1000)]  # type: ignore[index]
    channel = channel.restrict(positive)
    weights = [prior[x] for x in positive]  # type: ignore[index]
    belief = [w / sum(weights) for w in weights]
    seen = proportional(channel, belief, 10**8)
    truth = float(posterior_vulnerability(channel, belief))
    for given_ in (None, belief):
        found = estimate_posterior_vulnerability(seen, given_, seed=7)
        assert found.lower - 1e-6 <= truth <= found.upper + 1e-6
        assert found.upper - found.lower < 0.01
        assert found.estimate == pytest.approx(truth, abs=1e-3)
        bits = estimate_min_entropy_leakage(seen, given_, seed=7)
        exact_bits = min_entropy_leakage(channel, belief).bits
        assert bits.lower - 1e-5 <= exact_bits <= bits.upper + 1e-5
        assert bits.upper - bits.lower < 0.05


def test_seeded_coverage_at_two_hundred_samples() -> None:
    """Each may fail in 5% of 100 runs; more than 13 failures have probability below 1 in 1000."""
    rng = np.random.default_rng(5)
    joint = np.array([[0.3, 0.1, 0.1], [0.05, 0.25, 0.2]])
    truth = 0.3 + 0.25 + 0.2
    wrong = {"pairs": 0, "chosen": 0, "leakage": 0}
    for seed in range(100):
        pairs = Observations.from_counts(rng.multinomial(200, joint.ravel()).reshape(2, 3))
        found = estimate_posterior_vulnerability(pairs, seed=seed)
        wrong["pairs"] += not found.lower <= truth <= found.upper
        bits = estimate_min_entropy_leakage(pairs, seed=seed)
        wrong["leakage"] += not bits.lower <= math.log2(truth / 0.5) <= bits.upper
        rows = [rng.multinomial(100, 2 * row) for row in joint]
        found = estimate_posterior_vulnerability(
            Observations.from_counts(rows), [0.5, 0.5], seed=seed
        )
        wrong["chosen"] += not found.lower <= truth <= found.upper
    assert max(wrong.values()) <= 13


def test_outputs_that_are_never_seen_twice_do_no_harm() -> None:
    """A continuous output that tells nothing: the bounds must include the prior's chance."""
    rng = np.random.default_rng(3)
    seen = Observations(rng.integers(0, 2, 4000), rng.normal(size=4000))
    found = estimate_posterior_vulnerability(seen, seed=1)
    assert found.lower < 0.5 <= found.upper
    assert found.estimate == pytest.approx(0.5, abs=0.05)


def test_the_same_seed_gives_the_same_bounds() -> None:
    seen = Observations.from_counts([[30, 5], [10, 20]])
    first = estimate_posterior_vulnerability(seen, seed=3)
    assert estimate_posterior_vulnerability(seen, seed=3) == first
    assert len({estimate_posterior_vulnerability(seen, seed=s).lower for s in range(20)}) > 1


def test_two_samples_may_say_nothing() -> None:
    """The secret learnt from one is not that of the other, so that any prior is possible."""
    found = estimate_min_entropy_leakage(Observations(["a", "b"], ["z", "z"]))
    assert (found.lower, found.upper) == (0.0, math.inf)
    assert "from 0 to ∞ bits" in str(found)


def test_the_sentence_rounds_outward() -> None:
    seen = Observations.from_counts([[30, 5], [10, 20]])
    found = estimate_posterior_vulnerability(seen, seed=3)
    words = str(found).split()
    low, high = float(words[words.index("from") + 1]), float(words[words.index("to") + 1])
    assert low <= found.lower <= found.upper <= high
    assert high - low < found.upper - found.lower + 2e-4


SEEN = Observations.from_counts({"a": [3, 1], "b": [1, 3]})
MISTAKES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a prior of 0": (
        lambda: estimate_posterior_vulnerability(SEEN, {"a": 1, "b": 0}),
        Mismatch,
        "positive prior, got 0 for 'b'",
    ),
    "a secret not seen": (
        lambda: estimate_posterior_vulnerability(SEEN, {"a": 1, "c": 0}),
        Mismatch,
        "there is no input 'c'",
    ),
    "certainty": (
        lambda: estimate_min_entropy_leakage(SEEN, confidence=1),
        InvalidNumber,
        "a confidence must be between 0 and 1, such as 0.95, got 1",
    ),
    "a negative seed": (
        lambda: estimate_posterior_vulnerability(SEEN, seed=-1),
        InvalidInput,
        "a seed must be a whole number of at least 0, got -1",
    ),
    "pairs": (
        lambda: estimate_posterior_vulnerability([("a", 0)]),  # type: ignore[arg-type]
        InvalidInput,
        r"expected Observations, got \[\('a', 0\)\]",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_one_clear_line(mistake: str) -> None:
    make, error, message = MISTAKES[mistake]
    with pytest.raises(error, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_the_order_of_the_rows_does_not_help() -> None:
    """Rows sorted by how often each secret was seen, and an output that is new each time."""
    failures, runs = 0, 200
    for run in range(runs):
        rng = np.random.default_rng(run)
        secrets = rng.integers(0, 791, 40).tolist()
        pairs = Counter(secrets).most_common()
        outputs = iter(range(40))
        table = {x: {next(outputs): 1 for _ in range(times)} for x, times in pairs}
        seen = Observations.from_counts(table)
        failures += estimate_posterior_vulnerability(seen, seed=run).lower > 1 / 791
    assert failures <= 15  # 2.5% are allowed; more than 7.5% of 200 has a chance below 1e-4


def test_one_sample_teaches_nothing() -> None:
    assert estimate_posterior_vulnerability(Observations([7], ["-"])).lower == 0
    assert estimate_min_entropy_leakage(Observations([7], ["-"])).lower == 0
