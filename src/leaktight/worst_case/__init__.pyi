from .certificate import digest_of, verify_certificate, write_certificate
from .every_ratio.decision import BoundDecision, decide_bound
from .every_ratio.function import WorstCaseFunction, worst_case_function
from .optimum import WorstCase, worst_case_leakage
from .published.bounds import Inapplicable, LeakageBounds, PublishedBound
from .published.codes import (
    CoveringCode,
    covering_code,
    greedy_code,
    hamming_code,
    repetition_code,
    smallest_code,
)
from .published.published import leakage_bounds
from .real import RealWorstCase
from .under_counts import WorstCaseUnderCounts

__all__ = [
    "BoundDecision",
    "CoveringCode",
    "Inapplicable",
    "LeakageBounds",
    "PublishedBound",
    "RealWorstCase",
    "WorstCase",
    "WorstCaseFunction",
    "WorstCaseUnderCounts",
    "covering_code",
    "decide_bound",
    "digest_of",
    "greedy_code",
    "hamming_code",
    "leakage_bounds",
    "repetition_code",
    "smallest_code",
    "verify_certificate",
    "worst_case_function",
    "worst_case_leakage",
    "write_certificate",
]
