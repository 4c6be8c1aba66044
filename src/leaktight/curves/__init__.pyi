from .calibration import Calibration, calibrate
from .curve import Enclosure, Epsilon, PrivacyCurve
from .graphs import BestGain, best_gain, cover_bound, tree_guess
from .guess import BestGuess, best_guess
from .posterior import Belief, any_belief_chance, belief_at, belief_chance, expected_belief
from .records import all_records

__all__ = [
    "Belief",
    "BestGain",
    "BestGuess",
    "Calibration",
    "Enclosure",
    "Epsilon",
    "PrivacyCurve",
    "all_records",
    "any_belief_chance",
    "belief_at",
    "belief_chance",
    "best_gain",
    "best_guess",
    "calibrate",
    "cover_bound",
    "expected_belief",
    "tree_guess",
]
