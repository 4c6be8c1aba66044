"""Mutual information from samples: bounds that hold as often as they say, and close in."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.exact.numbers import rational
from leaktight.exact.rounding import precision
from leaktight.leakage.entropy import mutual_information
from leaktight.samples import confidence as limits
from leaktight.samples import information
from leaktight.samples.design import SampleDesign
from leaktight.samples.independence import independence_test
from leaktight.samples.information import (
    _surprise,
    corrected,
    divergence_upper,
    entropy_ends,
    estimate_mutual_information,
    information_lower,
    information_upper,
)
from leaktight.samples.leakage import estimate_posterior_vulnerability
from leaktight.samples.observations import Observations
from tests.second_routes.count_tables import drawn_outputs, drawn_pairs, halves
from tests.strategies.channels import channels_and_priors

RNG = np.random.default_rng(0)

F = Fraction
CASES = {
    "coin": [["4/5", "1/5"], ["1/5", "4/5"]],
    "independent": [["1/2", "1/2"], ["1/2", "1/2"]],
    "certain": [["1", "0"], ["0", "1"]],
    "one-sided": [["1", "0"], ["1/2", "1/2"]],
    "wide": [["3/5", "1/5", "1/5"], ["1/10", "1/2", "2/5"]],
}
RISKS = [F(1, 20), F(1, 2)]


@pytest.fixture(autouse=True)
def _each_limit_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "binomial_lower", cache(limits.binomial_lower))
    monkeypatch.setattr(information, "binomial_lower", cache(limits.binomial_lower))
    monkeypatch.setattr(information, "divergence_upper", cache(divergence_upper))
    monkeypatch.setattr(information, "mean_upper", cache(limits.mean_upper))


def nats(channel: Channel, prior: list[Fraction]) -> float:
    return mutual_information(channel, prior) * math.log(2)


@given(
    st.lists(st.lists(st.integers(0, 8), min_size=2, max_size=4), min_size=2, max_size=2),
    st.sampled_from([None, ["1/2", "1/2"], ["1e-9", 1 - Fraction("1e-9")]]),
)
def test_how_little_is_left_to_learn_is_enclosed_however_little(
    powers: list[list[int]], prior: list[str] | None
) -> None:
    """One secret may be 10^17 times likelier than the other: H(X|Y), by balls."""
    counts = {x: {z: 10**k for z, k in enumerate(row)} for x, row in enumerate(powers)}
    seen = Observations.from_counts(counts)
    design = SampleDesign.of(seen, prior, RNG)
    totals = [sum(row.values()) for row in counts.values()]
    weights = [F(p) / n for p, n in zip(prior or totals, totals, strict=True)]
    joint = {(x, z): weights[x] * n for x, row in counts.items() for z, n in row.items()}
    whole, columns = sum(joint.values()), dict.fromkeys(range(4), F(0))
    for (_, z), share in joint.items():
        columns[z] += share
    with precision(256):
        terms = ((share / whole, columns[z] / share) for (_, z), share in joint.items())
        true = sum(
            (arb(rational(share)) * arb(rational(ratio)).log() for share, ratio in terms), arb(0)
        )
        low, high = entropy_ends(_surprise(design), 2)
        assert arb(low) <= true <= arb(high)
    assert high - low <= 2.0**-34 * (1 + high)


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("name", CASES)
def test_bounds_on_pairs_fail_at_most_as_often_as_they_may(name: str, risk: Fraction) -> None:
    """Over all tables of up to eight samples, and for fewer of them over all splits."""
    prior = [F(2, 3), F(1, 3)]
    channel = Channel(CASES[name])
    joint = [[w * F(p) for p in row] for w, row in zip(prior, CASES[name], strict=True)]
    truth = nats(channel, prior)
    above = below = F(0)
    for samples, both in ((8, False), (4, True)):
        for seen, probability in drawn_pairs(joint, samples):
            if len(seen.secrets) < 2:  # it is assumed that every secret was seen
                continue
            design = SampleDesign.of(seen, None, RNG)
            if not both:
                below += probability * (information_upper(design, rational(risk)) < truth - 1e-12)
                continue
            for learn, test, part in halves(design):
                lower = information_lower(design, learn, test, rational(risk))
                above += probability * part * (lower > truth + 1e-12)
    assert below <= risk
    assert above <= risk


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("prior", [("1/2", "1/2"), ("1/4", "3/4")])
@pytest.mark.parametrize("name", CASES)
def test_bounds_with_a_prior_fail_at_most_as_often_as_they_may(
    name: str, prior: tuple[str, str], risk: Fraction
) -> None:
    channel = Channel(CASES[name])
    rows = [[F(p) for p in row] for row in CASES[name]]
    truth = nats(channel, [F(w) for w in prior])
    below = above = F(0)
    for seen, probability in drawn_outputs(rows, (4, 4)):
        below += probability * (
            information_upper(SampleDesign.of(seen, prior, RNG), rational(risk)) < truth - 1e-12
        )
    for seen, probability in drawn_outputs(rows, (3, 2)):
        design = SampleDesign.of(seen, prior, RNG)
        for learn, test, part in halves(design):
            lower = information_lower(design, learn, test, rational(risk))
            above += probability * part * (lower > truth + 1e-12)
    assert below <= risk
    assert above <= risk


@settings(max_examples=25)
@given(channels_and_priors())
def test_many_samples_close_in_on_the_exact_information(
    case: tuple[Channel, Distribution],
) -> None:
    channel, prior = case
    likely = [x for x in channel.inputs if prior[x] > F(1, 100)]
    channel = channel.restrict(likely)
    belief = Distribution.from_counts([prior[x] for x in likely], likely)
    weights = belief.float().array[:, None]
    table = np.round(weights * channel.float().matrix * 10**8).astype(int)
    seen, truth = Observations.from_counts(table, likely), mutual_information(channel, belief)
    for known in (None, belief):
        found = estimate_mutual_information(seen, known, seed=1)
        assert found.lower - 1e-5 <= truth <= found.upper + 1e-5
        assert found.upper - found.lower < 0.01
        assert found.estimate == pytest.approx(truth, abs=1e-4)


def test_independent_outputs_are_bounded_tightly() -> None:
    """Some thousandths of a bit for ten thousand samples: the bound shrinks like 1/N."""
    table = [[2500, 2500], [2500, 2500]]
    known = estimate_mutual_information(Observations.from_counts(table), ["1/2", "1/2"])
    learnt = estimate_mutual_information(Observations.from_counts(table))
    assert known.lower == learnt.lower == 0
    assert known.upper < 0.004
    assert learnt.upper < 0.009


def test_outputs_that_are_never_seen_twice_prove_no_leak() -> None:
    """A posterior that had seen the samples it is tested with would know every secret."""
    rng = np.random.default_rng(3)
    seen = Observations(np.repeat([0, 1], 2000), rng.normal(size=4000))
    for prior in (None, ["1/2", "1/2"]):
        found = estimate_mutual_information(seen, prior, seed=1)
        assert found.lower == 0
        assert found.upper == pytest.approx(1)


def test_seeded_coverage() -> None:
    """Not one failure is to be expected: the bounds are far wider than one in twenty needs."""
    rng = np.random.default_rng(8)
    wrong = 0
    for seed in range(60):
        rows = rng.dirichlet(np.ones(4), 3)
        truth = mutual_information(Channel(rows / rows.sum(axis=1, keepdims=True)))
        table = [rng.multinomial(100, row) for row in rows]
        found = estimate_mutual_information(Observations.from_counts(table), [1 / 3] * 3, seed=seed)
        wrong += not found.lower <= truth <= found.upper
    assert wrong <= 10  # of 60 at 1/20 each, more have probability below 1 in 10,000


@pytest.mark.parametrize("prior", [None, ("1/2", "1/2")])
def test_the_correction_removes_most_of_the_bias(prior: tuple[str, str] | None) -> None:
    """The expected estimate, summed over all tables of twenty samples, with and without it."""
    rows = [[F(7, 10), F(3, 10)], [F(3, 10), F(7, 10)]]
    truth = mutual_information(Channel(rows))
    joint = [[p / 2 for p in row] for row in rows]
    drawn = drawn_pairs(joint, 20) if prior is None else drawn_outputs(rows, (10, 10))
    plain = better = 0.0
    for seen, probability in drawn:
        frequencies = seen.channel(), seen.prior() if prior is None else prior
        plain += float(probability) * mutual_information(*frequencies)
        better += float(probability) * corrected(SampleDesign.of(seen, prior, RNG)) / math.log(2)
    assert abs(better - truth) < abs(plain - truth) / 3


@pytest.mark.parametrize("prior", [None, ("1/3", "2/3")])
def test_an_estimate_lies_within_its_own_bounds(prior: tuple[str, str] | None) -> None:
    """Also of few samples, whose outputs are seen once, or guessed worse than without them."""
    rng = np.random.default_rng(5)
    for seed in range(60):
        size = int(rng.integers(4, 16))
        secrets = ["a", "b", *rng.choice(["a", "b"], size)]
        seen = Observations(secrets, rng.integers(rng.choice([2, 30]), size=size + 2).tolist())
        for estimate in (estimate_mutual_information, estimate_posterior_vulnerability):
            found = estimate(seen, prior, seed=seed)
            assert found.lower <= found.estimate <= found.upper, str(found)


def test_as_few_samples_tell_no_more_than_the_secret() -> None:
    seen = Observations(["no", "yes"] * 6, range(12))  # less its bias, 1 + 1/(24 ln 2) bits
    assert estimate_mutual_information(seen, seed=0).estimate == 1


def test_one_secret_tells_nothing() -> None:
    seen = Observations(["a"] * 5, [1, 2, 1, 3, 3])
    for prior in (None, [1]):
        found = estimate_mutual_information(seen, prior)
        assert (found.lower, found.estimate, found.upper) == (0, 0, 0)


def test_without_a_prior_the_text_says_what_is_assumed() -> None:
    seen = Observations.from_counts({"no": {"-": 300}, "yes": {"+": 300}})
    assumed = "if every secret that can occur was seen"
    for found in (estimate_mutual_information(seen), independence_test(seen)):
        assert str(found).endswith(assumed)
    for found in (
        estimate_mutual_information(seen, ["1/2", "1/2"]),
        independence_test(seen, ["1/2", "1/2"]),
        estimate_posterior_vulnerability(seen),
    ):
        assert assumed not in str(found)
