"""Every public function and command that takes ε takes any promise, or it is said here why not."""

import importlib
import inspect
import pkgutil

import click

import leaktight
from leaktight.commands.app import COMMANDS, app
from leaktight.curves import PrivacyCurve
from leaktight.mechanisms import Guarantee

PROMISE = {"delta", "rho", "mu", "curve"}

OWN = "ε is a number of the mechanism's own, which makes it pure"
PLACE = "ε is where a curve, a level or a channel is looked at, and no promise"
FOUND = "it holds what was found of a channel or proved of pure ε"
PUBLISHED = "the published bounds are of pure ε; worst_case_leakage takes any promise"
BELIEF = "pure ε alone bounds every belief; belief_at and explain say what holds else"
SPENT = "a ledger adds up pure ε, and its noise is geometric"

PURE = {
    "BestMechanism": FOUND, "BoundDecision.channel": PLACE, "BoundDecision.unreached_at": PLACE,
    "BreachLevel": FOUND, "BreachLevel.holds": PLACE, "Budget": SPENT, "Budget.of": SPENT,
    "Change": OWN, "Change.randomize": OWN, "Changed": FOUND, "ChosenRatio": FOUND,
    "ClampedLaplace": OWN, "CoveringCode.bound": PUBLISHED,
    "CoveringCode.normalised_bound": PUBLISHED, "DiscreteGaussian.output_beyond": PLACE,
    "EpsilonLowerBound": FOUND, "EpsilonLowerBound.refutes": PLACE,
    "EpsilonLowerBound.verdict": PLACE, "ExponentialMechanism": OWN, "GeometricNoise": OWN,
    "GraphExponential": OWN, "IndividualBreachLevel": FOUND, "IndividualBreachLevel.holds": PLACE,
    "PrivacyLevel.holds": PLACE,
    "LeakageBounds": FOUND,
    "Ledger.create": SPENT, "Metric.ratios": PLACE, "NormalisedExponential": OWN,
    "PosteriorBound": FOUND, "PlanarGeometric": OWN, "PlanarLaplace": OWN,
    "PrivacyCurve.bounded_range": OWN, "PrivacyCurve.delta": PLACE,
    "PrivacyCurve.discrete_laplace": OWN, "PrivacyCurve.epsilon": OWN,
    "PrivacyCurve.epsilon_delta": OWN, "PrivacyCurve.laplace": OWN, "PrivacyCurve.profile": PLACE,
    "PrivacyCurve.randomized_response": OWN, "PrivacyLevel": FOUND, "PrivacyProfile.delta": PLACE,
    "RandomizedResponse": OWN, "Ratio.of": OWN, "RoundedLaplace": OWN, "RowsRelease": FOUND,
    "StaircaseNoise": OWN, "TightConstraints": OWN, "TruncatedGeometric": OWN, "WorstCase": FOUND,
    "WorstCaseFunction.piece_at": PLACE, "WorstCaseUnderCounts": FOUND,
    "breach_probability": PLACE, "breach_probability_rate": PLACE, "breaches": PLACE,
    "calibrated": OWN, "geometric_noise": OWN, "laplace_rho": OWN, "leakage_bounds": PUBLISHED,
    "least_leaking": PUBLISHED, "most_useful": PUBLISHED, "plan": SPENT, "posterior_range": BELIEF,
    "rate_bound": PUBLISHED, "release": SPENT, "shuffled_delta": PLACE, "value_odds": BELIEF,
    "worst_case_with_outputs": PUBLISHED, "worst_case.worst_case_leakage": PUBLISHED,
}  # fmt: skip
"""What takes ε and nothing else, and why."""

TAKE = {
    "Study", "assert_private", "attack", "explain", "largest_n", "optimal_mechanism", "promise_of",
    "repair", "worst_case_leakage",
}  # fmt: skip


def public() -> dict[str, set[str]]:
    """Return the parameters of all public functions, classes and methods that take ε."""
    found = dict[str, set[str]]()
    rooms = [m.name for m in pkgutil.iter_modules(leaktight.__path__) if m.ispkg]
    for room in ("", *rooms):
        module = importlib.import_module(f"leaktight.{room}".removesuffix("."))
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            ours = {name: thing}
            if inspect.isclass(thing):
                methods = inspect.getmembers(thing, callable)
                ours |= {f"{name}.{n}": m for n, m in methods if not n.startswith("_")}
            for known, one in ours.items():
                try:
                    given = set(inspect.signature(one).parameters)
                except (TypeError, ValueError):
                    continue
                if given & {"ratio", "epsilon"}:
                    twice = known in found and found[known] != given
                    found[f"{room}.{known}" if twice else known] = given
    return found


def test_every_function_of_epsilon_takes_any_promise_or_says_why_not() -> None:
    taken = public()
    assert {name for name, given in taken.items() if given >= PROMISE} == TAKE
    assert taken.keys() - TAKE == PURE.keys()


def test_a_guarantee_is_any_promise() -> None:
    for curve in (PrivacyCurve.gaussian(1), PrivacyCurve.zcdp(1)):
        assert Guarantee(curve, "values").curve == curve


OPTIONS = {"decide": "a bound at every ε, where --ratio shows one", "attack": "no file of pairs"}


def test_every_command_of_epsilon_takes_any_promise_or_says_why_not() -> None:
    context = click.Context(app)
    commands = {name: app.get_command(context, name) for name in COMMANDS}
    options = {name: {o.name for o in each.params} for name, each in commands.items() if each}
    asked = {name: given for name, given in options.items() if given & {"ratio", "epsilon"}}
    assert {name for name, given in asked.items() if not given >= PROMISE} == OPTIONS.keys()
    assert {"explain", "bound", "design"} <= asked.keys()
