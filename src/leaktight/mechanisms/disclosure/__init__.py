"""What do rounding, suppression, cell keys, swapping and top-coding protect?"""

from leaktight.mechanisms.disclosure.count import PerturbedCount
from leaktight.mechanisms.disclosure.linked import LinkedCounts
from leaktight.mechanisms.disclosure.odds import CountOdds, count_odds
from leaktight.mechanisms.disclosure.perturbation import (
    SUPPRESSED,
    CellKey,
    CountPerturbation,
    Rounding,
    Suppression,
    TopCoding,
)
from leaktight.mechanisms.disclosure.records import pram, swapping

__all__ = [
    "SUPPRESSED",
    "CellKey",
    "CountOdds",
    "CountPerturbation",
    "LinkedCounts",
    "PerturbedCount",
    "Rounding",
    "Suppression",
    "TopCoding",
    "count_odds",
    "pram",
    "swapping",
]
