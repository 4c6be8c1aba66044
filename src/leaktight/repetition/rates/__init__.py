"""How fast do repeated observations give a secret away?"""

from leaktight.repetition.rates.chernoff import chernoff_information, geometric_chernoff
from leaktight.repetition.rates.rates import (
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

__all__ = [
    "Rate",
    "average_breach_rate",
    "breach_probability_rate",
    "breach_rate",
    "chernoff_information",
    "error_rate",
    "geometric_chernoff",
    "membership_rate",
    "neighbour_rate_bound",
    "rate_bound",
    "utility_rate",
]
