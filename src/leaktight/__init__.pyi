from . import adapters as adapters
from . import channels as channels
from . import curves as curves
from . import errors as errors
from . import exact as exact
from . import leakage as leakage
from . import limits as limits
from . import mechanisms as mechanisms
from . import policies as policies
from . import privacy as privacy
from . import repetition as repetition
from . import reports as reports
from . import samples as samples
from . import studies as studies
from . import tables as tables
from . import testing as testing
from . import worst_case as worst_case
from .channels import (
    Chance,
    Channel,
    Distribution,
    Gain,
    Loss,
    channel_of,
    parallel,
    read_channel,
    refinement,
    repeated,
    sequential,
    write_channel,
)
from .curves import PrivacyCurve, worst_case_leakage
from .errors import LeaktightError, TooLarge
from .exact import Ratio
from .leakage import (
    g_leakage,
    individual_leakage,
    min_capacity,
    min_entropy_leakage,
    mutual_information,
    posterior_vulnerability,
    shannon_capacity,
    utility,
    vulnerability,
)
from .mechanisms import (
    GeometricNoise,
    RandomizedResponse,
    TruncatedGeometric,
    optimal_mechanism,
    release,
    repair,
    sample,
)
from .policies import Graph, Metric, Policy, SecretGraph, count, sensitivity
from .privacy import average_breach_level, breach_level, privacy_level
from .repetition import (
    chernoff_information,
    error_rate,
    explain,
    observations_needed,
    success_probability,
)
from .reports import write_report
from .samples import Observations, epsilon_by_calls
from .studies import Study, audit, read_study
from .worst_case import (
    decide_bound,
    leakage_bounds,
    verify_certificate,
    worst_case_function,
    write_certificate,
)

__all__ = [
    "Chance",
    "Channel",
    "Distribution",
    "Gain",
    "GeometricNoise",
    "Graph",
    "LeaktightError",
    "Loss",
    "Metric",
    "Observations",
    "Policy",
    "PrivacyCurve",
    "RandomizedResponse",
    "Ratio",
    "SecretGraph",
    "Study",
    "TooLarge",
    "TruncatedGeometric",
    "audit",
    "average_breach_level",
    "breach_level",
    "channel_of",
    "chernoff_information",
    "count",
    "decide_bound",
    "epsilon_by_calls",
    "error_rate",
    "explain",
    "g_leakage",
    "individual_leakage",
    "leakage_bounds",
    "min_capacity",
    "min_entropy_leakage",
    "mutual_information",
    "observations_needed",
    "optimal_mechanism",
    "parallel",
    "posterior_vulnerability",
    "privacy_level",
    "read_channel",
    "read_study",
    "refinement",
    "release",
    "repair",
    "repeated",
    "sample",
    "sensitivity",
    "sequential",
    "shannon_capacity",
    "success_probability",
    "utility",
    "verify_certificate",
    "vulnerability",
    "worst_case_function",
    "worst_case_leakage",
    "write_certificate",
    "write_channel",
    "write_report",
]

__version__: str
