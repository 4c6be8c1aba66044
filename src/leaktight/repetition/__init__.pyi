from .adaptive import Ask, Attack, Guess, best_attack
from .attacker import largest_n
from .breach_probability import BreachProbability, breach_probability
from .choosing import (
    ChosenPromise,
    ChosenRatio,
    largest_promise_below,
    largest_ratio_below,
    largest_ratio_by_advantage,
    largest_ratio_of_beliefs,
)
from .curve import ObservationsNeeded, observations_needed, success_curve
from .enclosure import Enclosed, EventProbability, SuccessProbability
from .explanation import Explanation, explain
from .likelihood_bounds import success_bounds
from .rates.chernoff import ChernoffInformation, chernoff_information, geometric_chernoff
from .rates.rates import (
    Rate,
    average_breach_rate,
    breach_probability_rate,
    breach_rate,
    error_rate,
    membership_rate,
    neighbour_rate_bound,
    rate_bound,
    utility_rate,
)
from .simulation import SimulatedSuccess, simulate_success
from .success import (
    RepeatedLeakage,
    expected_gain,
    expected_loss,
    repeated_leakage,
    success_probability,
)
from .value_odds import value_odds

__all__ = [
    "Ask",
    "Attack",
    "BreachProbability",
    "ChernoffInformation",
    "ChosenPromise",
    "ChosenRatio",
    "Enclosed",
    "EventProbability",
    "Explanation",
    "Guess",
    "ObservationsNeeded",
    "Rate",
    "RepeatedLeakage",
    "SimulatedSuccess",
    "SuccessProbability",
    "average_breach_rate",
    "best_attack",
    "breach_probability",
    "breach_probability_rate",
    "breach_rate",
    "chernoff_information",
    "error_rate",
    "expected_gain",
    "expected_loss",
    "explain",
    "geometric_chernoff",
    "largest_n",
    "largest_promise_below",
    "largest_ratio_below",
    "largest_ratio_by_advantage",
    "largest_ratio_of_beliefs",
    "membership_rate",
    "neighbour_rate_bound",
    "observations_needed",
    "rate_bound",
    "repeated_leakage",
    "simulate_success",
    "success_bounds",
    "success_curve",
    "success_probability",
    "utility_rate",
    "value_odds",
]
