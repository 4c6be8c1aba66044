"""What anyone guesses under other promises than pure ε, and which are small enough."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from leaktight.channels.channel import Channel
from leaktight.curves import PrivacyCurve, belief_at, best_gain, best_guess
from leaktight.errors import InvalidInput, InvalidNumber, LeaktightError
from leaktight.policies.constraint import count
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.repetition import explain, largest_n, largest_promise_below, largest_ratio_below
from tests.strategies.fractions import fractions

SIX = SecretGraph.complete(6)


def in_place(mu: float, values: int) -> float:
    """p = Φ(Φ⁻¹((1 − p)/(v − 1)) + μ), Theorem 1."""

    def over(p: float) -> float:
        return float(norm.cdf(norm.ppf((1 - p) / (values - 1)) + mu)) - p

    return float(brentq(over, 1 / values, 1 - 1e-12, xtol=1e-14))


def absent(mu: float, values: int) -> float:
    """Φ(Φ⁻¹(1/v) + μ), Theorem 5."""
    return float(norm.cdf(norm.ppf(1 / values) + mu))


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize(("mu", "values"), [("1", 6), ("0.3", 2), ("2", 63)])
def test_gaussian_privacy_has_the_closed_forms(mu: str, values: int, n: int) -> None:
    told = explain(values=values, mu=mu, observations=n)
    assert told.other is not None
    assert (told.neighbours, told.other.neighbours) == ("replace", "add/remove")
    shift = float(mu) * math.sqrt(n)
    assert float(told.after[-1].value) == pytest.approx(in_place(shift, values), abs=1e-9)
    assert float(told.other.after[-1].value) == pytest.approx(absent(shift, values), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=6).filter(any),
    fractions(1, 9, max_denominator=20),
    fractions(0, 1, max_denominator=50),
)
def test_a_pair_has_the_closed_form_for_any_prior(
    weights: list[int], ratio: Fraction, delta: Fraction
) -> None:
    """δ + (1 − δ)·max_k λΠ_k/(λ + k − 1), and add/remove as the curves room says."""
    prior = [Fraction(w, sum(weights)) for w in weights]
    top = sorted(prior, reverse=True)
    pure = max(ratio * sum(top[: k + 1]) / (ratio + k) for k in range(len(top)))
    if delta == 0:
        delta = Fraction(1, 100)
    told = explain(values=len(prior), prior=prior, ratio=ratio, delta=delta)
    assert told.after[0].value == delta + (1 - delta) * pure
    assert told.other is not None
    curve = PrivacyCurve.epsilon_delta(ratio=ratio, delta=delta)
    found = best_guess(curve, len(prior), prior, neighbours="add/remove")
    assert told.other.after[0].value == found.upper


@pytest.mark.parametrize("rho", ["0.1", "0.5", "2"])
def test_zcdp_is_between_gaussian_privacy_and_its_pairs(rho: str) -> None:
    told = explain(values=10, rho=rho, neighbours="replace")
    assert told.other is None
    gaussian = in_place(math.sqrt(2 * float(rho)), 10)
    known = {"0.1": 0.20471, "0.5": 0.37016, "2": 0.69545}  # the table of the proofs, on a grid
    assert gaussian < float(told.after[0].value) == pytest.approx(known[rho], abs=2e-4)


def test_a_graph_says_itself_who_the_neighbours_are() -> None:
    line = SecretGraph.line(4)
    told = explain(line, mu=1)
    assert (told.neighbours, told.other) == ("", None)
    total_variation = 2 * norm.cdf(0.5) - 1
    assert float(told.after[0].value) == pytest.approx((1 + 3 * total_variation) / 4, abs=1e-3)
    assert told.after[0].value == best_gain(PrivacyCurve.gaussian(1), line).upper
    with pytest.raises(InvalidInput, match="of other graphs the edges are the neighbours"):
        explain(line, mu=1, neighbours="replace")


def test_pure_epsilon_is_what_it_was() -> None:
    pure = explain(SIX, epsilon=1)
    assert (pure.neighbours, pure.other, pure.outlook) == ("", None, ())
    assert (
        explain(values=6, epsilon=1, delta=0)
        == pure
        == explain(SIX, epsilon=1, neighbours="replace")
    )
    away = explain(SIX, epsilon=1, neighbours="add/remove")
    assert float(away.after[0].value) == pytest.approx(math.e / 6, rel=1e-12)
    assert away.neighbours == "add/remove"


def test_beliefs_stay_below_with_the_chance_that_was_asked_for() -> None:
    told = explain(values=6, ratio=2, delta="1e-5", sure="0.999")
    curve = PrivacyCurve.epsilon_delta(ratio=2, delta="1e-5")
    assert told.other is not None
    for one, found in ((told, curve), (told.other, curve.group(2))):
        [(n, belief)] = one.outlook
        assert n == 1
        assert belief == belief_at(found, Fraction(1, 6), "0.999")
    text = " ".join(str(told).split())
    assert "With a chance of at least 99.9% over the output, nobody whose belief in this" in text
    assert "(replace) or" in text


def test_one_belief_grows_rarely() -> None:
    told = explain("1/100", mu="0.25", observations=4)
    assert told.after == ()
    assert told.before.value == Fraction(1, 100)
    assert [n for n, _ in told.outlook] == [1, 4]
    exact = belief_at(PrivacyCurve.gaussian("0.25"), "1/100", "0.9999")
    found = told.outlook[0][1]
    assert exact.upper <= found.upper <= exact.upper + Fraction(1, 1000)
    assert told.other is not None  # two values are two steps apart there: μ = 0.5, as after 4 looks
    assert told.other.outlook[0][1].upper == told.outlook[1][1].upper
    with pytest.raises(InvalidInput, match="only pure ε bounds a belief"):
        explain("1/100", mu=1, below="1/2")
    pure = explain("1/100", ratio=2, neighbours="add/remove", observations=1)
    assert pure.after[0].value == Fraction(4, 103)


def test_a_sampled_curve_is_about_who_is_absent() -> None:
    sampled = PrivacyCurve.gaussian(1).subsampled("0.1")
    told = explain(values=6, curve=sampled)
    assert (told.neighbours, told.other) == ("add/remove", None)
    real = 0.9 / 6 + 0.1 * absent(1, 6)  # g_q(a) = (1 − q)·a + q·g(a)
    assert float(told.after[0].value) == pytest.approx(real, abs=1e-9)
    with pytest.raises(InvalidInput, match=r"curve\.symmetric"):
        explain(values=6, curve=sampled, neighbours="replace")
    with pytest.raises(InvalidInput, match=r"curve\.symmetric"):
        explain(SecretGraph.line(4), curve=sampled)


@pytest.mark.parametrize("neighbours", ["replace", "add/remove", None])
def test_as_many_releases_are_safe_as_the_closed_form_says(neighbours: str | None) -> None:
    found = largest_n(SIX, "1/2", mu="0.1", neighbours=neighbours)
    chance = in_place if neighbours == "replace" else absent  # absent is the stricter one
    safe = [n for n in range(1, 400) if chance(0.1 * math.sqrt(n), 6) < 0.5]
    assert found == max(safe)
    told = explain(SIX, mu="0.1", below="1/2", neighbours=neighbours)
    assert min(each.most or 0 for each in (told, told.other) if each is not None) == found


@pytest.mark.parametrize("n", [1, 12])
def test_the_largest_mu_is_where_the_closed_form_reaches_the_chance(n: int) -> None:
    found = largest_promise_below(SIX, "1/3", kind="mu", observations=n)
    assert found.other is not None
    for one, chance in ((found, in_place), (found.other, absent)):
        mu = brentq(lambda mu, chance=chance: chance(mu, 6) - 1 / 3, 0.01, 5)
        assert float(one.amount) * math.sqrt(n) == pytest.approx(mu, rel=2e-6)
        assert float(one.amount) * math.sqrt(n) <= mu * (1 + 1e-12)
        assert one.chance <= Fraction(1, 3)


def test_the_largest_epsilon_beside_a_delta_is_that_of_the_formula() -> None:
    delta = 0.01
    found = largest_promise_below(SIX, "1/3", kind="epsilon", delta="0.01", neighbours="replace")
    pure = (1 / 3 - delta) / (1 - delta)
    assert float(found.amount) == pytest.approx(math.log(5 * pure / (1 - pure)), rel=2e-6)
    nearly = largest_promise_below(SIX, "1/3", kind="epsilon", delta="1e-12", neighbours="replace")
    assert float(nearly.amount) == pytest.approx(largest_ratio_below(SIX, "1/3").epsilon, rel=1e-5)


@pytest.mark.parametrize(
    ("secret", "kind", "who"),
    [(SecretGraph.line(3), "mu", None), (Policy(SIX, 1000), "rho", "replace")],
    ids=["line", "six"],
)
def test_the_largest_promise_keeps_its_word_and_a_little_more_does_not(
    secret: Any, kind: str, who: str | None
) -> None:
    found = largest_promise_below(secret, "2/5", kind=kind, neighbours=who)
    same: dict[str, Any] = {kind: found.amount}
    more: dict[str, Any] = {kind: found.amount * Fraction(101, 100)}
    kept = explain(secret, neighbours=who, **same)
    over = explain(secret, neighbours=who, **more)
    assert kept.after[0].value <= Fraction(2, 5) < over.after[0].value


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "sigma"}, "kind must be one of"),
        ({"kind": "mu", "delta": "0.1"}, "delta= goes with kind='epsilon'"),
        ({"kind": "epsilon"}, "delta= goes with kind='epsilon'"),
        ({"kind": "mu", "below": "1/7"}, "must be above 16.7%"),
        ({"kind": "epsilon", "delta": "0.5"}, "must be above 58.3%"),
        ({"kind": "mu", "observations": 0}, "whole number from 1"),
        ({"kind": "mu", "neighbours": "near"}, "'replace' or 'add/remove'"),
        ({"kind": "mu", "secret": Metric.euclidean([(0, 0), (3, 4)])}, "with distances pure ε"),
    ],
)
def test_a_wrong_question_is_refused_in_one_line(given: dict[str, Any], said: str) -> None:
    asked: dict[str, Any] = {"secret": SIX, "below": "1/3"} | given
    with pytest.raises(LeaktightError) as wrong:
        largest_promise_below(**asked)
    assert said in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_what_is_not_proved_is_refused() -> None:
    coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    with pytest.raises(InvalidNumber, match="a channel tells how private it is"):
        explain(coin, mu=1)
    tied = Policy(SecretGraph.complete(2), 4, constraints=[count([0], equals=2)])
    with pytest.raises(LeaktightError, match=r"give policy\.adjacency\(\)"):
        explain(tied, mu=1)
    whole = explain(tied.adjacency(), mu=1)  # the neighbours of a listed policy
    assert 1 / 6 < float(whole.after[0].value) < 1
    with pytest.raises(InvalidInput, match="one of a secret and values="):
        explain(mu=1)
    with pytest.raises(InvalidInput, match="one of a secret and values="):
        explain(SIX, values=6, mu=1)


def test_one_value_and_none_that_may_be_hidden() -> None:
    assert explain(values=1, mu=1).after[0].value == 1
    apart = explain(SecretGraph.partition([["a"], ["b"]]), mu=1)
    assert apart.after[0].value == 1
    assert apart.outlook == ()  # which of two parts it is may be told
