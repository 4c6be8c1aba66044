from .highs import GrowingProgram, solve, solve_inside, solve_whole
from .program import Indices, Infeasible, LinearProgram, Optimum
from .simplex import solve_exact

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
