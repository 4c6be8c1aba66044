from .bound import Bits, Bound, Chance, Count, Epsilon, Factor
from .linear_program.program import LinearProgram, Optimum
from .linear_program.simplex import solve_exact
from .numbers import fraction
from .ratio import Ratio
from .rounding import ln, ln_interval, log2, log2_interval
from .shown import Probability

__all__ = [
    "Bits",
    "Bound",
    "Chance",
    "Count",
    "Epsilon",
    "Factor",
    "LinearProgram",
    "Optimum",
    "Probability",
    "Ratio",
    "fraction",
    "ln",
    "ln_interval",
    "log2",
    "log2_interval",
    "solve_exact",
]
