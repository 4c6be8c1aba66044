"""Differences that rounding may make where nothing about privacy is decided."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The only tolerances of the package. None of them decides a claim about privacy."""

    total: float = 1e-12
    """How far floating-point probabilities may sum from 1 by rounding."""

    proportional: float = 1e-13
    """How far, relatively, floats may differ by rounding that were computed in different ways."""

    entry: float = 1e-9
    """How far two floating-point probabilities may differ and count as the same number."""

    solver: float = 1e-10
    """How far the LP solver may let a constraint be violated; HiGHS knows no smaller number."""

    capacity_gap: float = 1e-9
    """The width in bits at which the iteration for a capacity stops."""


TOLERANCES = Tolerances()
