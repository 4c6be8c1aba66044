from .count import PerturbedCount
from .linked import LinkedCounts
from .odds import CountOdds, count_odds
from .perturbation import (
    SUPPRESSED,
    CellKey,
    CountPerturbation,
    Rounding,
    Suppression,
    TopCoding,
)
from .records import pram, swapping

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
