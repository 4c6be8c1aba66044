"""What is the least c·x under linear constraints, nearly and exactly?"""

from leaktight.exact.linear_program.highs import GrowingProgram, solve, solve_inside, solve_whole
from leaktight.exact.linear_program.program import Indices, Infeasible, LinearProgram, Optimum
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
    "solve_whole",
]
