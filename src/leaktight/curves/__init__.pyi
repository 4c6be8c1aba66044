from .calibration import Calibration, calibrate
from .concentration import geometric_rho, laplace_rho
from .curve import PrivacyCurve
from .graphs import BestGain, best_gain, cover_bound, tree_guess
from .guess import BestGuess, best_guess
from .keeping import Kept, channel_keeps, keeps
from .posterior import Belief, any_belief_chance, belief_at, belief_chance, expected_belief
from .presence import Membership, membership, membership_of
from .promise import Promise, promise_of
from .records import AllRecords, all_records
from .worst_case import CurveWorstCase, worst_case_leakage

__all__ = [
    "AllRecords",
    "Belief",
    "BestGain",
    "BestGuess",
    "Calibration",
    "CurveWorstCase",
    "Kept",
    "Membership",
    "PrivacyCurve",
    "Promise",
    "all_records",
    "any_belief_chance",
    "belief_at",
    "belief_chance",
    "best_gain",
    "best_guess",
    "calibrate",
    "channel_keeps",
    "cover_bound",
    "expected_belief",
    "geometric_rho",
    "keeps",
    "laplace_rho",
    "membership",
    "membership_of",
    "promise_of",
    "tree_guess",
    "worst_case_leakage",
]
