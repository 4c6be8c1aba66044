"""What is the least c·x under linear constraints, nearly and exactly?"""

from leaktight.exact.linear_program.program import (
    GrowingProgram,
    Indices,
    Infeasible,
    LinearProgram,
    Optimum,
    solve,
    solve_inside,
)
from leaktight.exact.linear_program.simplex import solve_exact

__all__ = [
    "GrowingProgram",
    "Indices",
    "Infeasible",
    "LinearProgram",
    "Optimum",
    "solve",
    "solve_exact",
    "solve_inside",
]
