"""The adapters with the real dp_accounting and riskcal: ``make test-adapters``."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import dp_accounting
import numpy as np
import pytest
import riskcal
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution as plds

from leaktight.adapters import from_event, from_pld, from_points, to_pld
from leaktight.channels.channel import Channel
from leaktight.curves import PrivacyCurve, best_guess
from leaktight.errors import InvalidInput
from leaktight.policies.secrets import SecretGraph
from tests.adapters.how_to import printed_and_promised

RANDOM = random.Random(6)
ROUGH = 0.01
"""The distance of losses in distributions of the tests."""


def drawn(times: int) -> list[tuple[str, dict[str, Any], int]]:
    """Draw mechanisms, and how often each is run."""
    kinds = {
        "gaussian": lambda: {"standard_deviation": RANDOM.uniform(0.6, 6)},
        "laplace": lambda: {"parameter": RANDOM.uniform(0.5, 8)},
        "discrete_laplace": lambda: {"parameter": RANDOM.uniform(0.1, 2)},
    }
    names = [RANDOM.choice(list(kinds)) for _ in range(times)]
    return [(name, kinds[name](), RANDOM.choice([1, 1, 2, 5, 20])) for name in names]


def made(name: str, options: dict[str, Any], times: int, **more: Any) -> Any:
    make = getattr(plds, f"from_{name}_mechanism")
    pld = make(**options, value_discretization_interval=ROUGH, **more)
    return pld.self_compose(times) if times > 1 else pld


def exact(name: str, parameter: float) -> PrivacyCurve:
    make: dict[str, Callable[[Fraction], PrivacyCurve]] = {
        "gaussian": lambda sigma: PrivacyCurve.gaussian(1 / sigma),
        "laplace": lambda scale: PrivacyCurve.laplace(1 / scale),
        "discrete_laplace": PrivacyCurve.discrete_laplace,
    }
    return make[name](Fraction(parameter))


@pytest.mark.parametrize("case", drawn(100), ids=str)
def test_a_distribution_has_the_same_profile_and_never_less_than_the_truth(case: Any) -> None:
    """Rounded losses at several ε say more together than each alone, by a percent at most."""
    name, options, times = case
    truth = exact(name, *options.values()).power(times) if times < 5 or name == "gaussian" else None
    pld = made(name, options, times)
    curve = from_pld(pld)
    most = pld.get_epsilon_for_delta(1e-9)
    for share in (0, 0.1, 0.37, 0.5, 0.93):
        epsilon = share * most
        theirs = float(pld.get_delta_for_epsilon(epsilon))
        ours = curve.delta(Fraction(epsilon))
        assert theirs * 0.98 - 1e-15 <= float(ours) <= theirs * 1.05 + 1e-12
        if truth is not None and theirs > 1e-12:
            assert truth.delta(Fraction(epsilon)).lower <= ours.upper
    for delta in (1e-2, 1e-4, 1e-6):
        theirs, epsilon = pld.get_epsilon_for_delta(delta), curve.epsilon_at(delta).upper
        assert theirs - ROUGH - 1e-9 <= epsilon <= theirs + 0.01 * max(theirs, 0.1)
    for alpha in (0.01, 0.2):
        beta = float(np.asarray(riskcal.analysis.get_beta_from_pld(pld, alpha=alpha)).item())
        found = curve.beta(alpha)
        # Of losses on a lattice what riskcal says is less, and ours never above the truth.
        assert beta <= float(found.lower) + 5e-3
        assert name == "discrete_laplace" or float(found.lower) == pytest.approx(beta, abs=5e-3)
        if truth is not None:
            assert found.lower <= truth.beta(Fraction(alpha)).upper


def test_a_pessimistic_and_an_optimistic_one_enclose_the_truth() -> None:
    for sigma, times in ((1.0, 1), (3.0, 9)):
        options = {"standard_deviation": sigma}
        both = [made("gaussian", options, times, pessimistic_estimate=e) for e in (True, False)]
        curve = from_pld(*both)
        truth = PrivacyCurve.gaussian(Fraction(1 / sigma)).power(times)
        for epsilon in ("0", "0.5", "1", "2.5"):
            found, exact = curve.delta(epsilon), truth.delta(epsilon)
            assert found.lower <= exact.upper
            assert exact.lower <= found.upper
            assert found.upper - found.lower < Fraction(1, 20)
        for alpha in ("0.01", "0.2", "0.6"):
            assert curve.beta(alpha).lower <= truth.beta(alpha).upper
            assert truth.beta(alpha).lower <= curve.beta(alpha).upper


def test_what_was_rounded_to_the_unsafe_side_is_no_claim() -> None:
    low = made("laplace", {"parameter": 1.0}, 1, pessimistic_estimate=False)
    high = made("laplace", {"parameter": 1.0}, 1)
    with pytest.raises(InvalidInput, match="must be rounded up"):
        from_pld(low)
    with pytest.raises(InvalidInput, match="pessimistic_estimate=False"):
        from_pld(high, high)
    assert "as claimed by dp-accounting 0." in str(from_pld(high))


def test_a_mass_at_infinity_stays() -> None:
    pld = plds.from_privacy_parameters(
        dp_accounting.pld.common.DifferentialPrivacyParameters(1, 0.01)
    )
    curve = from_pld(pld)
    assert Fraction(1, 100) <= curve.delta(50).upper < Fraction(102, 10_000)
    assert float(curve.delta(1)) == pytest.approx(0.01, rel=1e-3)


EVENTS: list[Any] = [
    dp_event.GaussianDpEvent(1.3),
    dp_event.LaplaceDpEvent(0.7),
    dp_event.DiscreteLaplaceDpEvent(0.4, 3),
    dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(4.0), 16),
    dp_event.ComposedDpEvent([dp_event.GaussianDpEvent(2.0), dp_event.LaplaceDpEvent(3.0)]),
    dp_event.PoissonSampledDpEvent(0.2, dp_event.GaussianDpEvent(1.0)),
    dp_event.SelfComposedDpEvent(
        dp_event.PoissonSampledDpEvent(0.1, dp_event.GaussianDpEvent(1.0)), 8
    ),
]


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_an_event_has_the_profile_that_the_accountant_finds(event: Any) -> None:
    """Their pessimistic distribution is never below our lower end, and near our upper one."""
    accountant = dp_accounting.pld.PLDAccountant(value_discretization_interval=1e-4)
    accountant.compose(event)
    curve = from_event(event)
    for epsilon in (0.0, 0.3, 1.0, 2.0):
        theirs = float(accountant.get_delta(epsilon))
        ours = curve.delta(Fraction(epsilon))
        assert float(ours.lower) <= theirs * (1 + 1e-9) + 1e-12
        assert theirs <= float(ours) * 1.01 + 2e-4
    assert "as described to dp-accounting 0." in str(curve)


def test_randomised_response_is_that_of_replacing() -> None:
    relation = dp_accounting.NeighboringRelation.REPLACE_ONE
    accountant = dp_accounting.pld.PLDAccountant(relation)
    event = dp_event.RandomizedResponseDpEvent(0.5, 4)
    accountant.compose(event)
    for epsilon in (0.0, 0.7, 1.5):
        theirs = float(accountant.get_delta(epsilon))
        assert float(from_event(event).delta(epsilon)) == pytest.approx(theirs, abs=1e-3)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(InvalidInput, match="pass that to from_pld"):
        from_event(dp_event.UnsupportedDpEvent())
    assert from_event(dp_event.NonPrivateDpEvent()).advantage.upper == 1
    assert from_event(dp_event.NoOpDpEvent()).advantage.upper == 0


# --- out -----------------------------------------------------------------------------------


def test_a_channel_goes_out_tight_and_on_the_safe_side() -> None:
    """The exponential mechanism on four values, which dp_accounting has not."""
    weights = np.exp2(-np.abs(np.subtract.outer(range(4), range(4))))
    channel = Channel([[Fraction(w) / Fraction(sum(row)) for w in row] for row in weights])
    graph = SecretGraph.line(4)
    curve, pld = PrivacyCurve.of(channel, graph), to_pld(channel, graph)
    for epsilon in (0.0, 0.2, 0.5, 0.69, 1.0):
        ours, theirs = curve.delta(Fraction(epsilon)), pld.get_delta_for_epsilon(epsilon)
        assert float(ours.lower) <= theirs + 1e-15
        assert theirs <= float(ours) + 2e-4
    thrice, theirs = curve.power(3), pld.self_compose(3)
    for epsilon in (0.0, 0.5, 1.0, 1.9):
        assert float(thrice.delta(Fraction(epsilon)).lower) <= theirs.get_delta_for_epsilon(epsilon)
        assert (
            theirs.get_delta_for_epsilon(epsilon) <= float(thrice.delta(Fraction(epsilon))) + 1e-3
        )


def test_what_one_input_alone_shows_is_a_mass_at_infinity() -> None:
    pld = to_pld(Channel([["1/2", "1/2", 0], ["1/2", 0, "1/2"]]), SecretGraph.complete(2))
    assert pld.get_delta_for_epsilon(20.0) == pytest.approx(0.5)


# --- riskcal -------------------------------------------------------------------------------


def test_beside_riskcal_advantage_and_trade_off_are_the_same() -> None:
    pld = made("gaussian", {"standard_deviation": 1.0}, 4)
    curve = from_pld(pld)
    theirs = riskcal.analysis.get_advantage_from_pld(pld)
    assert float(curve.advantage) == pytest.approx(theirs, rel=1e-6)
    for alpha in (0.01, 0.05, 0.3):
        beta = float(np.asarray(riskcal.analysis.get_beta_from_pld(pld, alpha=alpha)).item())
        assert float(curve.beta(alpha).lower) <= beta + 1e-9
        assert float(curve.beta(alpha).lower) == pytest.approx(beta, abs=2e-3)


def test_beside_riskcal_a_guess_is_the_same_for_add_remove_and_less_likely_for_replace() -> None:
    """Its rule: a guess with prior 1/6 is right at most with 1 − β(1/6)."""
    pld = plds.from_discrete_laplace_mechanism(1.0, value_discretization_interval=1e-4)
    rule = 1 - float(np.asarray(riskcal.analysis.get_beta_from_pld(pld, alpha=1 / 6)).item())
    curve = from_pld(pld)
    added = best_guess(curve, 6, neighbours="add/remove")
    replaced = best_guess(curve, 6, neighbours="replace")
    assert float(added) == pytest.approx(rule, abs=1e-3)
    assert float(replaced) == pytest.approx(math.e / (math.e + 5), abs=1e-3)
    assert float(replaced) < rule


def test_a_trade_off_curve_at_points_is_never_above_it() -> None:
    pld = made("gaussian", {"standard_deviation": 1.0}, 1)
    rates = np.linspace(0, 1, 201)
    curve = from_points(rates, riskcal.analysis.get_beta_from_pld(pld, alpha=rates))
    truth = PrivacyCurve.gaussian(1)
    for alpha in ("0.0033", "0.02", "0.1234", "0.5", "0.9"):
        assert curve.beta(alpha).upper <= truth.beta(alpha).upper + Fraction(1, 10**6)
        assert float(truth.beta(alpha).lower - curve.beta(alpha).lower) < 0.02


def test_the_how_to_prints_what_it_says() -> None:
    printed, promised = printed_and_promised("dp_accounting")
    assert printed == promised
