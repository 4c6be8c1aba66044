from .ratio import Ratio
from .rounding import ln, ln_interval, log2, log2_interval
from .shown import Probability

__all__ = ["Probability", "Ratio", "ln", "ln_interval", "log2", "log2_interval"]
